//! Lengths of the loops around a statement, as affine functions of the parameters.
//!
//! In:  a domain, and values that parameters are taken for. Out: a [`Row`] for each dim: how often its loop runs at the
//! middle of the loops around it. Where several bounds limit a dim, the tightest at those values counts; where none
//! does, it is taken for [`ASSUMED_PARAMETER`] long. Approximate: only the piece of a domain with most iterations
//! counts (of `do .. while` the one in which loops run more than once), and no constraint with existentials.

use super::ASSUMED_PARAMETER;
use super::refs::to_f64;
use crate::error::{Failure, Limit};
use presburger::{BasicSet, Kind, Set};

/// Pairs of a lower and an upper bound beyond which a dim's bounds say nothing of the dims around it.
const MAX_BOUNDS: usize = 64;

/// Affine function of the parameters, `[params | 1]`.
pub type Row = Vec<f64>;

/// The value of a row.
#[must_use]
pub fn at(row: &Row, params: &[f64]) -> f64 {
    let (constant, linear) = row.split_last().map_or((0.0, &[][..]), |(c, l)| (*c, l));
    linear.iter().zip(params).map(|(c, p)| c * p).sum::<f64>() + constant
}

/// Length of each dim of a domain. `stage`: whose a failure is.
///
/// # Errors
/// `Limit` where a coefficient does not fit.
pub fn lengths(domain: &Set, params: &[f64], stage: &'static str) -> Result<Vec<Row>, Failure> {
    Values { params, are_all: false }.lengths(domain, stage)
}

/// The same at these parameters alone: dims that number strips (multiples of them are bounded) have as many values as
/// strips begin.
///
/// # Errors
/// As [`lengths`].
pub fn lengths_at(domain: &Set, params: &[f64], stage: &'static str) -> Result<Vec<f64>, Failure> {
    let rows = Values { params, are_all: true }.lengths(domain, stage)?;
    Ok(rows.iter().map(|row| at(row, params)).collect())
}

/// What parameters are taken for.
#[derive(Clone, Copy)]
struct Values<'p> {
    params: &'p [f64],
    /// Whether lengths are for these only, and not for others as well.
    are_all: bool,
}

impl Values<'_> {
    fn lengths(self, domain: &Set, stage: &'static str) -> Result<Vec<Row>, Failure> {
        let params = self.params;
        let mut best: Option<(f64, Vec<Row>)> = None;
        for basic in domain.basics() {
            let found = self.of_piece(basic, stage)?;
            let all: f64 = found.iter().map(|row| at(row, params).max(0.0)).product();
            let iterations = if is_there(basic, params, stage)? { all } else { 0.0 };
            if best.as_ref().is_none_or(|(most, _)| iterations > *most) {
                best = Some((iterations, found));
            }
        }
        Ok(best.map_or_else(|| vec![vec![0.0; params.len() + 1]; domain.space().n_out()], |(_, rows)| rows))
    }

    /// The same of one piece.
    fn of_piece(self, basic: &BasicSet, stage: &'static str) -> Result<Vec<Row>, Failure> {
        let params = self.params;
        let (np, d) = (params.len(), basic.space().n_out());
        let mut inside: Vec<Vec<f64>> = Vec::new();
        for (kind, r) in basic.rows_i64().map_err(Limit::of(stage))? {
            let (known, last) = (np + d, r.len() - 1);
            if r[known..last].iter().any(|c| *c != 0) {
                continue;
            }
            let row: Vec<f64> = r[..known].iter().chain(&r[last..]).map(|c| to_f64(*c)).collect();
            if kind == Kind::Eq {
                inside.push(row.iter().map(|c| -c).collect());
            }
            inside.push(row);
        }
        let mut bounding = vec![inside];
        for k in (1..d).rev() {
            let next = without(&bounding[bounding.len() - 1], np + k);
            bounding.push(next);
        }
        let (mut middles, mut out): (Vec<Row>, Vec<Row>) = (Vec::with_capacity(d), Vec::with_capacity(d));
        for (k, rows) in bounding.iter().rev().take(d).enumerate() {
            let (low, high) = self.ends(rows, np + k, &middles);
            let mut length = sum(&high, &low, -1.0);
            length[np] += 1.0;
            out.push(length);
            let high = if at(&high, params) < at(&low, params) { low.clone() } else { high };
            middles.push(sum(&low, &high, 1.0).iter().map(|c| c / 2.0).collect());
        }
        Ok(out)
    }

    /// First and last value of the dim in this column, outer dims in their middles. For these parameters alone
    /// those of dims that number strips (multiples of them are bounded, by parameters alone) are integers.
    fn ends(self, rows: &[Vec<f64>], own: usize, middles: &[Row]) -> (Row, Row) {
        let params = self.params;
        let np = params.len();
        let (mut low, mut high): (Option<Row>, Option<Row>) = (None, None);
        for r in rows.iter().filter(|r| r[own] != 0.0) {
            let fixed: Row = r[..np].iter().chain(r.last()).copied().collect();
            let rest = middles.iter().zip(&r[np..]).fold(fixed, |rest, (middle, c)| sum(&rest, middle, *c));
            let mut limit: Row = rest.iter().map(|c| -c / r[own]).collect();
            let (end, sign) = if r[own] > 0.0 { (&mut low, 1.0) } else { (&mut high, -1.0) };
            if self.are_all && r[own].abs() > 1.0 && r[np..own].iter().all(|c| *c == 0.0) {
                let value = at(&limit, params);
                limit[np] += sign * (sign * value - 1e-9).ceil() - value;
            }
            if end.as_ref().is_none_or(|known| sign * at(&limit, params) > sign * at(known, params)) {
                *end = Some(limit);
            }
        }
        let low = low.unwrap_or_else(|| vec![0.0; np + 1]);
        let high = high.unwrap_or_else(|| {
            let mut end = low.clone();
            end[np] += ASSUMED_PARAMETER;
            end
        });
        (low, high)
    }
}

/// Whether these are parameters of a piece.
fn is_there(basic: &BasicSet, params: &[f64], stage: &'static str) -> Result<bool, Failure> {
    let fits = |(kind, r): &(Kind, Vec<i64>)| {
        let is_about_them = r[params.len()..r.len() - 1].iter().all(|c| *c == 0);
        let row: Row = r[..params.len()].iter().chain(r.last()).map(|c| to_f64(*c)).collect();
        let value = at(&row, params);
        !is_about_them || (if *kind == Kind::Eq { value.abs() < 0.5 } else { value >= 0.0 })
    };
    Ok(basic.rows_i64().map_err(Limit::of(stage))?.iter().all(fits))
}

/// `a + c * b`.
fn sum(a: &Row, b: &Row, c: f64) -> Row {
    a.iter().zip(b).map(|(x, y)| x + c * y).collect()
}

/// Inequalities `[params | dims | 1] >= 0` for all values of the dim in column `k` that fulfil these, by
/// Fourier-Motzkin elimination; none that need it where there are too many.
fn without(rows: &[Vec<f64>], k: usize) -> Vec<Vec<f64>> {
    let mut out: Vec<Vec<f64>> = rows.iter().filter(|r| r[k] == 0.0).cloned().collect();
    let (low, high): (Vec<_>, Vec<_>) = rows.iter().filter(|r| r[k] != 0.0).partition(|r| r[k] > 0.0);
    if low.len() * high.len() > MAX_BOUNDS {
        return out;
    }
    for (l, h) in low.iter().flat_map(|l| high.iter().map(move |h| (l, h))) {
        let made: Vec<f64> = l.iter().zip(h.iter()).map(|(a, b)| a / l[k] - b / h[k]).collect();
        if !out.contains(&made) {
            out.push(made);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::lengths_at;
    use presburger::Set;

    fn check(text: &str, params: &[f64], want: &[f64]) {
        let domain = Set::parse(text).expect("a set");
        let found = lengths_at(&domain, params, "test").expect("small");
        assert!(found.len() == want.len() && found.iter().zip(want).all(|(f, w)| (f - w).abs() < 1e-9), "{found:?}");
    }

    #[test]
    fn inner_loops_count_at_the_middle_of_outer_ones() {
        check("[n] -> { S[i, j] : 0 <= i < n and 0 <= j <= i }", &[101.0], &[101.0, 51.0]);
        check("[n] -> { S[i, j] : 0 <= i < n and i <= j < n }", &[101.0], &[101.0, 51.0]);
    }

    #[test]
    fn the_tightest_bound_counts_and_inner_loops_bound_outer_ones() {
        check("[n, m] -> { S[i] : 0 <= i < n and i < m }", &[10.0, 4.0], &[4.0]);
        check("{ S[i, j] : i >= 0 and 2 * i <= j and j <= 20 }", &[], &[11.0, 11.0]);
    }

    #[test]
    fn the_piece_with_most_iterations_counts() {
        check("[n] -> { S[i = 0] : n <= 1; S[i] : n >= 2 and 0 <= i < n }", &[100.0], &[100.0]);
        check("[n] -> { S[i, j] : 0 <= i < n and 0 <= j < n; S[i, j = 0] : i = n }", &[100.0], &[100.0, 100.0]);
        check("[n] -> { S[i] : n <= 1 and 0 <= i < 1000; S[i] : n >= 2 and 0 <= i < n }", &[100.0], &[100.0]);
    }

    #[test]
    fn strips_that_begin_count_whole() {
        let text = "[n] -> { S[i, j] : 0 <= j <= 511 and 0 <= 512i + j < n }";
        check(text, &[100.0], &[1.0, 100.0]);
        check(text, &[520.0], &[2.0, 264.0]);
        check(text, &[1024.0], &[2.0, 512.0]);
    }

    #[test]
    fn a_loop_without_an_end_is_as_long_as_a_parameter_of_which_nothing_is_known() {
        check("{ S[i] : i >= 3 }", &[], &[super::ASSUMED_PARAMETER + 1.0]);
    }
}
