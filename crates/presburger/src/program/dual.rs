//! Lexicographic minimum of integer columns without parameters: the lexicographic dual simplex method with Gomory's
//! cuts, from a corner below all points that constant lower bounds give.
//! Sources: Gomory, Outline of an algorithm for integer solutions to linear programs, Bull. AMS 64, 1958; Feautrier,
//! Parametric Integer Programming, RAIRO Recherche Operationnelle 22(3), 1988 (columns that stay lexicographically
//! positive).

use crate::budget::Budget;
use crate::num::{Int, Res, Stop};
use crate::program::simplex::normalize;
use crate::system::sys::Sys;

/// Pivots after which the search is left to others: cuts may go on for long.
const MOST_PIVOTS: usize = 200;

/// What became of the search.
pub(crate) enum Least<T> {
    /// The values of the columns from the first one on.
    At(Vec<T>),
    /// There is no point.
    Nowhere,
    /// Not found so: a column without a constant lower bound, large numbers, or too many pivots.
    Unknown,
}

/// The lexicographically smallest values of columns `first..`, of which alone the inequalities of `s` speak. `s` has
/// neither equalities nor existentials.
pub(crate) fn lexmin<T: Int>(s: &Sys<T>, first: usize, bud: &Budget) -> Res<Least<T>> {
    let Some(corner) = corner(s, first) else { return Ok(Least::Unknown) };
    match Dictionary::new(s, first, &corner).and_then(|mut d| d.solve(bud)) {
        Err(Stop::Overflow) => Ok(Least::Unknown),
        other => other,
    }
}

/// The largest constant lower bound of each column.
fn corner<T: Int>(s: &Sys<T>, first: usize) -> Option<Vec<T>> {
    let mut corner: Vec<Option<T>> = vec![None; s.n - first];
    for r in s.ge.rows() {
        let mut used = (first..s.n).filter(|c| !r[*c].is_zero());
        if let (Some(c), None) = (used.next(), used.next())
            && r[c].is_pos()
        {
            let at = r[s.n].neg().cdiv(&r[c]);
            let old = &mut corner[c - first];
            if old.as_ref().is_none_or(|v| *v < at) {
                *old = Some(at);
            }
        }
    }
    corner.into_iter().collect()
}

/// Variables as rows `[d, constant, coefficients]` that stand for `(constant + sum a_j s_j) / d` of the non-basic
/// variables `s_j`: the columns first, then the inequalities, then cuts. All but the columns must be non-negative.
struct Dictionary<T> {
    /// Columns.
    n: usize,
    /// Entries of a row.
    w: usize,
    m: Vec<T>,
    /// Rows behind the columns that are no cuts.
    given: usize,
    /// The row of each non-basic variable.
    basis: Vec<usize>,
}

impl<T: Int> Dictionary<T> {
    fn new(s: &Sys<T>, first: usize, corner: &[T]) -> Res<Self> {
        let n = corner.len();
        let w = n + 2;
        let mut m = Vec::with_capacity(w * (2 * n + s.ge.len() + 2));
        // The columns, and then how far they are from the corner.
        for (k, at) in corner.iter().cloned().chain((0..n).map(|_| T::zero())).enumerate() {
            m.extend([T::one(), at]);
            m.extend((0..n).map(|c| if k % n == c { T::one() } else { T::zero() }));
        }
        let mut given = n;
        for r in s.ge.rows() {
            let mut constant = r[s.n].clone();
            for (x, at) in r[first..s.n].iter().zip(corner).filter(|(x, _)| !x.is_zero()) {
                constant = T::lin(x, at, &T::one(), &constant)?;
            }
            // In the corner the row is at its least.
            if !constant.is_neg() && r[first..s.n].iter().all(|x| !x.is_neg()) {
                continue;
            }
            m.extend([T::one(), constant]);
            m.extend_from_slice(&r[first..s.n]);
            given += 1;
        }
        Ok(Self { n, w, m, given, basis: (n..2 * n).collect() })
    }

    fn row(&self, r: usize) -> &[T] {
        &self.m[r * self.w..(r + 1) * self.w]
    }

    fn solve(&mut self, bud: &Budget) -> Res<Least<T>> {
        for _ in 0..MOST_PIVOTS {
            bud.step(1 + self.m.len() / (2 * self.w))?;
            let Some(r) = self.lowest() else {
                let Some(r) = (0..self.n).find(|r| !self.row(*r)[1].modulo(&self.row(*r)[0]).is_zero()) else {
                    return Ok(Least::At((0..self.n).map(|r| self.row(r)[1].fdiv(&self.row(r)[0])).collect()));
                };
                self.cut(r);
                continue;
            };
            let Some(c) = self.entering(r)? else { return Ok(Least::Nowhere) };
            self.pivot(r, c)?;
        }
        Ok(Least::Unknown)
    }

    /// The row behind the columns with the least value below zero.
    fn lowest(&self) -> Option<usize> {
        let mut best: Option<(usize, &T, &T)> = None;
        for (k, row) in self.m.chunks_exact(self.w).enumerate().skip(self.n) {
            if row[1].is_neg() && best.is_none_or(|(_, value, d)| T::product_is_less(&row[1], d, value, &row[0])) {
                best = Some((k, &row[1], &row[0]));
            }
        }
        best.map(|b| b.0)
    }

    /// The column that keeps all columns lexicographically positive when it enters for row `r`.
    fn entering(&self, r: usize) -> Res<Option<usize>> {
        let from = &self.row(r)[2..];
        let mut best: Option<usize> = None;
        for c in (0..self.n).filter(|c| from[*c].is_pos()) {
            let Some(b) = best else {
                best = Some(c);
                continue;
            };
            for row in self.m.chunks_exact(self.w).take(self.n) {
                let order = T::lin(&row[c + 2], &from[b], &row[b + 2].neg(), &from[c])?.sgn();
                if order != 0 {
                    if order < 0 {
                        best = Some(c);
                    }
                    break;
                }
            }
        }
        Ok(best)
    }

    /// Exchanges the variable of row `r` with the non-basic one of column `c`, whose coefficient is positive.
    fn pivot(&mut self, r: usize, c: usize) -> Res<()> {
        // s_c = (d y - rest) / a
        let mut given: Vec<T> = self.row(r).iter().map(Int::neg).collect();
        given[0] = self.row(r)[c + 2].clone();
        given[c + 2] = self.row(r)[0].clone();
        normalize(&mut given, self.n);
        for row in self.m.chunks_exact_mut(self.w) {
            if row[c + 2].is_zero() {
                continue;
            }
            let b = std::mem::replace(&mut row[c + 2], T::zero());
            T::lin_rows(&given[0], &mut row[1..], &b, &given[1..])?;
            if !given[0].is_one() {
                row[0] = row[0].mul(&given[0])?;
                normalize(row, self.n);
            }
        }
        self.basis[c] = r;
        Ok(())
    }

    /// Adds the cut of column `r`, which is no integer: `sum (a_j mod d) s_j - (-constant mod d)` is non-negative and
    /// divisible by `d`. It takes the place of a cut that is none any more.
    fn cut(&mut self, r: usize) {
        let row = self.row(r);
        let d = row[0].clone();
        let mut cut = vec![d.clone(), row[1].neg().modulo(&d).neg()];
        cut.extend(row[2..].iter().map(|a| a.modulo(&d)));
        normalize(&mut cut, self.n);
        let rows = self.m.len() / self.w;
        match (self.n + self.given..rows).find(|k| !self.basis.contains(k)) {
            Some(k) => self.m[k * self.w..(k + 1) * self.w].clone_from_slice(&cut),
            None => self.m.extend(cut),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(n: usize, rows: &[&[i64]]) -> Sys<i64> {
        let mut s = Sys::universe(n, 0);
        for r in rows {
            s.ge.push(r);
        }
        s
    }

    fn least(s: &Sys<i64>, first: usize) -> Least<i64> {
        lexmin(s, first, &Budget::unlimited()).unwrap()
    }

    /// The first of all points of `-6 <= columns <= 6`.
    fn first_point(s: &Sys<i64>) -> Option<Vec<i64>> {
        (0..13_i64.pow(u32::try_from(s.n).unwrap()))
            .map(|k| (0..s.n).rev().map(|c| k / 13_i64.pow(u32::try_from(c).unwrap()) % 13 - 6).collect::<Vec<i64>>())
            .find(|x| s.ge.rows().all(|r| r[..s.n].iter().zip(x).map(|(a, b)| a * b).sum::<i64>() + r[s.n] >= 0))
    }

    #[test]
    fn minima_are_those_of_all_points() {
        let mut state = 1_u64;
        let mut next = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            i64::try_from((state >> 33) % below).unwrap()
        };
        let (mut found, mut empty) = (0, 0);
        for _ in 0..600 {
            let n = 2 + usize::try_from(next(2)).unwrap();
            let mut s = Sys::universe(n, 0);
            for c in 0..n {
                for sign in [1, -1] {
                    let mut r = vec![0; n + 1];
                    (r[c], r[n]) = (sign, 6);
                    s.ge.push(&r);
                }
            }
            for _ in 0..=next(4) {
                let mut r: Vec<i64> = (0..n).map(|_| next(15) - 7).collect();
                r.push(next(20) - 14);
                s.ge.push(&r);
            }
            match (least(&s, 0), first_point(&s)) {
                (Least::At(x), Some(y)) => {
                    assert_eq!(x, y, "{s:?}");
                    found += 1;
                }
                (Least::Nowhere, None) => empty += 1,
                (Least::Unknown, _) => {}
                (_, y) => panic!("{y:?}: {s:?}"),
            }
        }
        assert!(found > 200 && empty > 50, "{found} {empty}");
    }

    #[test]
    fn earlier_columns_are_free_and_bounds_are_needed() {
        // 3 <= 2y and 5x + 2y >= 9, over columns that are not asked about.
        let s = of(3, &[&[0, 0, 2, -3], &[0, 5, 2, -9], &[0, 1, 0, 0]]);
        assert!(matches!(least(&s, 1), Least::At(x) if x == [0, 5]));
        // x + y >= 0 alone bounds neither.
        assert!(matches!(least(&of(2, &[&[1, 1, 0]]), 0), Least::Unknown));
    }
}
