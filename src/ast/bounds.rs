//! Bounds and step of one loop as expressions.

use super::expr::{max, min, scaled, sum};
use super::fail::{Res, Stop, overflow};
use super::generate::Ctx;
use super::piece::Piece;
use super::types::Expr;
use crate::error::Failure;
use presburger::rows::{Congruence, Constraint, Row, combine, is_constant, negate};

/// Solves `s` for column `time` with coefficient 1: `T + rest = 0 mod m`.
fn solved_stride(s: &Congruence, time: usize) -> Option<Congruence> {
    let a = s.row.get(time).copied().unwrap_or(0);
    if a == 0 || s.row.iter().skip(time + 1).any(|&c| c != 0) {
        return None;
    }
    let m = i128::from(s.modulus);
    let inverse = (1..s.modulus.min(1 << 16)).find(|&k| (i128::from(k) * i128::from(a)).rem_euclid(m) == 1)?;
    let row = s
        .row
        .iter()
        .map(|&c| {
            let v = (i128::from(c) * i128::from(inverse)).rem_euclid(m);
            i64::try_from(v).unwrap_or(0)
        })
        .collect();
    Some(Congruence { row, modulus: s.modulus })
}

/// The largest stride of the level that all pieces share.
pub(super) fn step_of(pieces: &[Piece], time: usize) -> Option<Congruence> {
    let (first, rest) = pieces.split_first()?;
    let mut candidates: Vec<Congruence> = first.strides.iter().filter_map(|s| solved_stride(s, time)).collect();
    candidates.sort_by_key(|s| std::cmp::Reverse(s.modulus));
    candidates.into_iter().find(|c| {
        rest.iter().all(|p| {
            let own: Vec<Congruence> = p.strides.iter().filter_map(|s| solved_stride(s, time)).collect();
            own.iter().any(|o| c.follows_from(std::slice::from_ref(o)))
        })
    })
}

/// Smallest value >= the bound of `row` (`a T + r >= 0`, a > 0) that satisfies the stride.
fn lower_bound(ctx: &Ctx, row: &Row, time: usize, step: Option<&Congruence>) -> Res<Expr> {
    let a = row[time];
    let mut rest = negate(row)?;
    rest[time] = 0;
    let Some(s) = step else {
        return Ok(ctx.scope.ceil(&rest, a));
    };
    let mut c = negate(&s.row)?;
    c.resize(rest.len(), 0);
    c[time] = 0;
    let m = s.modulus;
    let centre = |v: &mut i64| {
        *v = v.rem_euclid(m);
        *v -= if *v > m / 2 { m } else { 0 };
    };
    c.iter_mut().for_each(centre);
    if a == 1 {
        // rest + ((c - rest) mod m)
        let mut gap = combine(1, &c, -1, &rest)?;
        gap.iter_mut().for_each(centre);
        if is_constant(&gap) {
            rest[0] = rest[0].checked_add(gap[0].rem_euclid(m)).ok_or_else(overflow)?;
            return Ok(ctx.scope.affine(&rest));
        }
        let gap = Expr::Mod(Box::new(ctx.scope.affine(&gap)), m);
        return Ok(sum(vec![ctx.scope.affine(&rest), gap]));
    }
    // T = m k + c: k >= (rest - a c) / (a m)
    let first = combine(1, &rest, -a, &c)?;
    let k = ctx.scope.ceil(&first, a.checked_mul(m).ok_or_else(overflow)?);
    Ok(sum(vec![scaled(m, k), ctx.scope.affine(&c)]))
}

fn upper_bound(ctx: &Ctx, row: &Row, time: usize) -> Expr {
    let mut rest = row.clone();
    rest[time] = 0;
    ctx.scope.floor(&rest, -row[time])
}

/// Lower and upper bounds that the rows give the level.
fn bound_lists<'r>(
    ctx: &Ctx,
    rows: impl Iterator<Item = &'r Row>,
    time: usize,
    step: Option<&Congruence>,
) -> Res<(Vec<Expr>, Vec<Expr>)> {
    let (mut lower, mut upper) = (Vec::new(), Vec::new());
    for r in rows {
        match r[time] {
            0 => {}
            a if a > 0 => lower.push(lower_bound(ctx, r, time, step)?),
            _ => upper.push(upper_bound(ctx, r, time)),
        }
    }
    Ok((lower, upper))
}

fn unbounded() -> Stop {
    Stop::Other(Failure::Bug("a loop without bounds: unbounded domain".into()))
}

/// Largest lower bound and smallest upper bound.
pub(super) fn bounds_of_rows<'r>(
    ctx: &Ctx,
    rows: impl Iterator<Item = &'r Row>,
    time: usize,
    step: Option<&Congruence>,
) -> Res<(Expr, Expr)> {
    let (lower, upper) = bound_lists(ctx, rows, time, step)?;
    if lower.is_empty() || upper.is_empty() {
        return Err(unbounded());
    }
    Ok((max(lower), min(upper)))
}

/// From the smallest first value of any of the parts to the largest last value, inside what all parts have in common (a
/// part that is empty for some outer values may have bounds outside of that).
pub(super) fn hull_bounds(
    ctx: &Ctx,
    hull: &[Vec<Constraint>],
    common: &[Row],
    time: usize,
    step: Option<&Congruence>,
) -> Res<(Expr, Expr)> {
    let (mut lowest, mut highest) = (Vec::new(), Vec::new());
    for cons in hull {
        let (l, u) = bound_lists(ctx, cons.iter().map(|k| &k.row), time, step)?;
        if l.is_empty() || u.is_empty() {
            return Err(unbounded());
        }
        lowest.push(max(l));
        highest.push(min(u));
    }
    let (mut lower, mut upper) = bound_lists(ctx, common.iter(), time, step)?;
    lower.push(min(lowest));
    upper.push(max(highest));
    Ok((max(lower), min(upper)))
}
