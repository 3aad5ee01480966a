//! How much one execution of loops does, as a function of the parameters: what decides at run time whether threads pay.
//!
//! Approximate: each loop counts with its length in the middle of the loops around it, and only the first piece of a
//! domain counts.

use super::ASSUMED_PARAMETER;
use super::refs::scalar_cycles;
use crate::error::{Failure, Limit};
use crate::model::Stmt;
use presburger::Kind;

/// Estimated instructions from which on threads pay for their start.
pub const WORTHWHILE_INSTRUCTIONS: f64 = 100_000.0;

/// Affine function of the parameters, `[params | 1]`.
pub type Row = Vec<f64>;

/// Instructions: the sum over all terms of `weight` times the product of the factors, each at least 0.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Work {
    /// One per statement.
    pub terms: Vec<Term>,
    /// Whether iterations of a loop inside depend on another loop inside, or some iterations leave a part out: they may
    /// do different amounts.
    pub uneven: bool,
}

/// Work of one statement.
#[derive(Clone, Debug, PartialEq)]
pub struct Term {
    /// Instructions per instance ([`weight`]).
    pub weight: f64,
    /// Lengths of the loops around it.
    pub factors: Vec<Row>,
}

impl Work {
    /// Whether threads do not pay whatever the parameters.
    #[must_use]
    pub fn is_surely_small(&self) -> bool {
        let constant =
            |row: &Row| row.split_last().filter(|(_, l)| l.iter().all(|c| *c == 0.0)).map(|(c, _)| c.max(0.0));
        let term = |t: &Term| t.factors.iter().try_fold(t.weight, |product, f| Some(product * constant(f)?));
        let total = self.terms.iter().try_fold(0.0, |sum, t| Some(sum + term(t)?));
        total.is_some_and(|instructions| instructions < WORTHWHILE_INSTRUCTIONS)
    }
}

/// Instructions of one instance; where its arithmetic takes up more cycles than that (divisions, roots, calls), as many
/// as these.
#[must_use]
pub fn weight(stmt: &Stmt) -> f64 {
    let instructions = u32::try_from(stmt.body.insts().len().max(1)).map_or(f64::MAX, f64::from);
    instructions.max(scalar_cycles(&stmt.body.ops()))
}

/// Length of each dim of the statement, and whether a constraint ties two of `varying` together.
///
/// # Errors
/// `Limit` where a coefficient does not fit.
pub fn lengths(stmt: &Stmt, varying: &[usize]) -> Result<(Vec<Row>, bool), Failure> {
    let space = stmt.domain.space();
    let (params, dims) = (space.n_param(), space.n_out());
    let Some(basic) = stmt.domain.basics().first() else { return Ok((vec![vec![0.0; params + 1]; dims], false)) };
    let rows = basic.rows_i64().map_err(Limit::of("run-time check"))?;
    let ties = |r: &[i64]| varying.iter().filter(|d| r[params + **d] != 0).count() > 1;
    let coupled = rows.iter().any(|(_, r)| ties(r));
    let mut middles: Vec<Row> = Vec::with_capacity(dims);
    let mut all = Vec::with_capacity(dims);
    for k in 0..dims {
        let (mut low, mut high): (Option<Row>, Option<Row>) = (None, None);
        for (kind, r) in &rows {
            let own = params + k;
            let inner = r[own + 1..r.len() - 1].iter().any(|c| *c != 0);
            if r[own] == 0 || inner {
                continue;
            }
            let bound = bound(r, own, params, &middles);
            if r[own] > 0 || *kind == Kind::Eq {
                low = Some(tighter(low, bound.clone(), |new, old| new > old));
            }
            if r[own] < 0 || *kind == Kind::Eq {
                high = Some(tighter(high, bound, |new, old| new < old));
            }
        }
        let zero = || vec![0.0; params + 1];
        let low = low.unwrap_or_else(zero);
        let high = high.unwrap_or_else(|| combine(&low, 1.0, &typical(params), 1.0));
        let mut length = combine(&high, 1.0, &low, -1.0);
        length[params] += 1.0;
        all.push(length);
        middles.push(combine(&low, 0.5, &high, 0.5));
    }
    Ok((all, coupled))
}

/// The value of dim `own` at which row `r` is 0, outer dims in their middles.
fn bound(r: &[i64], own: usize, params: usize, middles: &[Row]) -> Row {
    let mut sum: Row = r[..params].iter().map(|c| int(*c)).collect();
    sum.push(int(r[r.len() - 1]));
    for (middle, c) in middles.iter().zip(&r[params..own]) {
        sum = combine(&sum, 1.0, middle, int(*c));
    }
    sum.iter().map(|v| -v / int(r[own])).collect()
}

fn tighter(old: Option<Row>, new: Row, wins: fn(f64, f64) -> bool) -> Row {
    match old {
        Some(old) if !wins(at_typical(&new), at_typical(&old)) => old,
        _ => new,
    }
}

fn typical(params: usize) -> Row {
    let mut row = vec![0.0; params];
    row.push(ASSUMED_PARAMETER);
    row
}

fn at_typical(row: &Row) -> f64 {
    let (constant, linear) = row.split_last().map_or((0.0, &[][..]), |(c, l)| (*c, l));
    constant + linear.iter().sum::<f64>() * ASSUMED_PARAMETER
}

fn combine(a: &Row, x: f64, b: &Row, y: f64) -> Row {
    a.iter().zip(b).map(|(p, q)| p * x + q * y).collect()
}

#[allow(clippy::cast_precision_loss)]
fn int(v: i64) -> f64 {
    v as f64
}
