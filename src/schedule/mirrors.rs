//! Loops that may be counted from their other end: inner ones whose length shrinks or grows against the direction of
//! the loop around.
//!
//! A back substitution counts rows down, `for (k = m - 1; k >= 0; k--) for (i = 0; i < k; i++)`. Its rows are the
//! values of `c = m - 1 - k`, those of `i` are `x = m - 1 - i`, and `x > c`, as where rows are counted up: hyperplanes
//! with coefficients that are not negative then hold the statements of both depths together.
//! Source: Acharya, Bondhugula, PPoPP 2015 (Pluto+: negative coefficients); here the dims are chosen first.

use super::depth_blocks::constraints;
use super::index_sets::Reversals;
use crate::model::{Scop, Stmt};
use presburger::Kind;

/// The dims that are worth to be counted from their other end; none if there are no such.
pub fn of(scop: &Scop) -> Option<Reversals> {
    let params = scop.params.len();
    let bounds: Vec<Vec<Vec<i64>>> = scop.stmts.iter().map(bounds).collect();
    let mut found = Reversals::new();
    for (stmt, own) in scop.stmts.iter().zip(&bounds) {
        for dim in 1..stmt.dims() {
            if let Some((around, sum)) = own.iter().find_map(|row| tied(row, dim, params)) {
                found.insert((stmt.id, dim), end(&bounds, around, sum));
            }
        }
    }
    (!found.is_empty()).then_some(found)
}

/// The sum of a dim and its mirrored value, a row over `[params | 1]`: the last value that any statement has of the
/// loop `around` that bounds the dim against its direction; `own` is the dim's, which differs by a constant.
fn end(bounds: &[Vec<Vec<i64>>], around: usize, mut own: Vec<i64>) -> Vec<i64> {
    let params = own.len() - 1;
    let is_last = |row: &&Vec<i64>| {
        let of = &row[params..row.len() - 1];
        let is_alone = of.iter().enumerate().all(|(at, factor)| *factor == if at == around { -1 } else { 0 });
        is_alone && row[..params] == own[..params]
    };
    let lasts = bounds.iter().flatten().filter(is_last).filter_map(|row| row.last().copied());
    own[params] = lasts.fold(own[params], i64::max);
    own
}

/// The inequalities of a domain that is one polyhedron.
fn bounds(stmt: &Stmt) -> Vec<Vec<i64>> {
    let rows = constraints(stmt).unwrap_or_default();
    rows.into_iter().filter(|(kind, _)| *kind == Kind::Ge).map(|(_, row)| row).collect()
}

/// The dim around `dim` that this constraint ties it to in the opposite direction, and what their sum is bounded by:
/// both coefficients are the same unit.
fn tied(row: &[i64], dim: usize, params: usize) -> Option<(usize, Vec<i64>)> {
    let of = &row[params..row.len() - 1];
    let others: Vec<usize> = (0..of.len()).filter(|at| *at != dim && of[*at] != 0).collect();
    let [around] = others[..] else { return None };
    let is_tied = around < dim && of[dim].abs() == 1 && of[around] == of[dim];
    let sum = |x: &i64| -of[dim] * x;
    is_tied.then(|| (around, row[..params].iter().chain(row.last()).map(sum).collect()))
}
