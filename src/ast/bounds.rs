//! Bounds and step of one loop as expressions.

use super::expr::{endless, max, min, scaled, sum};
use super::fail::{Res, Stop, overflow};
use super::generate::Ctx;
use super::piece::Piece;
use super::residue::known_remainder;
use super::types::Expr;
use crate::error::Failure;
use presburger::rows::{Congruence, Constraint, Row, combine, gcd, is_constant, negate, with_rows};

/// The values of a level that a stride leaves: `scale T + row = 0 mod modulus`, where `scale` divides `modulus` and,
/// by what is known, the rest. `row` has no level's column.
#[derive(Clone, Debug)]
pub(super) struct Step {
    scale: i64,
    row: Row,
    modulus: i64,
}

impl Step {
    /// From a value to the next one.
    pub fn size(&self) -> i64 {
        self.modulus / self.scale
    }

    /// As a congruence over all columns.
    pub fn congruence(&self, time: usize) -> Congruence {
        let mut row = self.row.clone();
        row.resize(row.len().max(time + 1), 0);
        row[time] = self.scale;
        Congruence { row, modulus: self.modulus }
    }
}

/// How far the values of one stride lie behind those of another one (from 0 to its size), where both have one size and
/// that is the same everywhere.
pub(super) fn distance(from: &Step, to: &Step) -> Option<i64> {
    let at = |r: &Row, k: usize| r.get(k).copied().unwrap_or(0);
    let width = from.row.len().max(to.row.len());
    let same = from.scale == 1 && to.scale == 1 && from.modulus == to.modulus;
    let apart = (1..width).any(|k| (at(&from.row, k) - at(&to.row, k)).rem_euclid(from.modulus) != 0);
    (same && !apart).then(|| (at(&from.row, 0) - at(&to.row, 0)).rem_euclid(from.modulus))
}

/// The strides of a piece at a level, the largest first.
pub(super) fn steps(ctx: &Ctx, piece: &Piece, time: usize) -> Vec<Step> {
    let mut all: Vec<Step> = piece.strides.iter().filter_map(|s| solved_stride(ctx, s, time)).collect();
    all.sort_by_key(|s| std::cmp::Reverse(s.size()));
    all
}

/// Solves `s` for column `time`.
fn solved_stride(ctx: &Ctx, s: &Congruence, time: usize) -> Option<Step> {
    let a = s.row.get(time).copied().unwrap_or(0);
    if a == 0 || s.row.iter().skip(time + 1).any(|&c| c != 0) {
        return None;
    }
    let scale = gcd(a, s.modulus);
    let mut rest = s.row.clone();
    rest[time] = 0;
    if scale == s.modulus || (scale > 1 && known_remainder(&rest, scale, &ctx.strides) != Some(0)) {
        return None;
    }
    let (own, m, all) = (i128::from(a / scale), i128::from(s.modulus / scale), i128::from(s.modulus));
    let inverse = inverse(own, m)?;
    let row = rest.iter().map(|&c| i64::try_from((i128::from(c) * inverse).rem_euclid(all)).unwrap_or(0));
    Some(Step { scale, row: row.collect(), modulus: s.modulus })
}

/// The factor from 1 to `m - 1` that makes `a` one modulo `m`; `None` if they have a common factor, or `m` is 1.
fn inverse(a: i128, m: i128) -> Option<i128> {
    let (mut rest, mut factor) = ((m, a.rem_euclid(m)), (0, 1));
    while rest.1 != 0 {
        let times = rest.0 / rest.1;
        rest = (rest.1, rest.0 - times * rest.1);
        factor = (factor.1, factor.0 - times * factor.1);
    }
    (rest.0 == 1 && m > 1).then(|| factor.0.rem_euclid(m))
}

/// The largest stride of the level that all pieces share.
pub(super) fn step_of(ctx: &Ctx, pieces: &[Piece], time: usize) -> Option<Step> {
    let (first, rest) = pieces.split_first()?;
    let mut candidates = steps(ctx, first, time);
    candidates.retain(|c| {
        let wanted = c.congruence(time);
        rest.iter().all(|p| {
            let same = |o: &Step| o.scale == c.scale && o.modulus == c.modulus && o.row == c.row;
            steps(ctx, p, time).iter().any(|o| same(o) || wanted.follows_from(&[o.congruence(time)]))
        })
    });
    candidates.into_iter().reduce(|all, other| joined(&all, &other).unwrap_or(all))
}

/// The values that two strides of coprime sizes leave together (Chinese remainders).
fn joined(a: &Step, b: &Step) -> Option<Step> {
    let (m, n) = (a.size(), b.size());
    let inverse = |of: i64, by: i64| inverse(i128::from(of), i128::from(by)).and_then(|k| i64::try_from(k).ok());
    let (of_n, of_m) = (inverse(n, m)?, inverse(m, n)?);
    let scale = a.scale.checked_mul(b.scale / gcd(a.scale, b.scale))?;
    let modulus = scale.checked_mul(m)?.checked_mul(n)?;
    let times = |step: &Step, other: i64, inverse: i64| (scale / step.scale).checked_mul(other)?.checked_mul(inverse);
    let (x, y) = (i128::from(times(a, n, of_n)?), i128::from(times(b, m, of_m)?));
    let at = |r: &Row, k: usize| i128::from(r.get(k).copied().unwrap_or(0));
    let entry = |k| i64::try_from((x * at(&a.row, k) + y * at(&b.row, k)).rem_euclid(i128::from(modulus))).ok();
    let row = (0..a.row.len().max(b.row.len())).map(entry).collect::<Option<Row>>()?;
    Some(Step { scale, row, modulus })
}

/// Smallest value >= the bound of `row` (`a T + r >= 0`, a > 0) that satisfies the stride.
fn lower_bound(ctx: &Ctx, row: &Row, time: usize, step: Option<&Step>) -> Res<Expr> {
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
        // rest + ((c - scale rest) mod m) / scale
        let mut gap = combine(1, &c, -s.scale, &rest)?;
        gap.iter_mut().for_each(centre);
        let known = if is_constant(&gap) { Some(gap[0].rem_euclid(m)) } else { known_remainder(&gap, m, &ctx.strides) };
        if let Some(known) = known {
            rest[0] = rest[0].checked_add(known / s.scale).ok_or_else(overflow)?;
            return Ok(ctx.scope.affine(&rest));
        }
        let gap = exact(Expr::Mod(Box::new(ctx.scope.affine(&gap)), m), s.scale);
        return Ok(sum(vec![ctx.scope.affine(&rest), gap]));
    }
    if s.scale > 1 {
        let low = ctx.scope.ceil(&rest, a);
        let gap = sum(vec![ctx.scope.affine(&c), scaled(-s.scale, low.clone())]);
        return Ok(sum(vec![low, exact(Expr::Mod(Box::new(gap), m), s.scale)]));
    }
    // T = m k + c: k >= (rest - a c) / (a m)
    let first = combine(1, &rest, -a, &c)?;
    let k = ctx.scope.ceil(&first, a.checked_mul(m).ok_or_else(overflow)?);
    Ok(sum(vec![scaled(m, k), ctx.scope.affine(&c)]))
}

/// A quotient without a rest.
fn exact(e: Expr, den: i64) -> Expr {
    if den == 1 { e } else { Expr::FloorDiv(Box::new(e), den) }
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
    step: Option<&Step>,
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
    step: Option<&Step>,
) -> Res<(Expr, Expr)> {
    let (lower, mut upper) = bound_lists(ctx, rows, time, step)?;
    if upper.is_empty() && ctx.endless {
        upper.push(endless());
    }
    if lower.is_empty() || upper.is_empty() {
        return Err(unbounded());
    }
    Ok((max(lower), min(upper)))
}

/// From the smallest first value of any of the parts to the largest last value, inside what all parts have in common (a
/// part that is empty for some outer values may have bounds outside of that). Parts that begin or end behind others, or
/// behind what all have in common, are left out on that side.
pub(super) fn hull_bounds(
    ctx: &Ctx,
    hull: &[Vec<Constraint>],
    common: &[Row],
    time: usize,
    step: Option<&Step>,
) -> Res<(Expr, Expr)> {
    let (mut lower, mut upper) = bound_lists(ctx, common.iter(), time, step)?;
    let is_open = |part: &Vec<Constraint>| part.iter().all(|c| c.row[time] >= 0);
    for sign in [1, -1] {
        let mut ends = Vec::new();
        if sign < 0 && ctx.endless && hull.iter().any(is_open) {
            upper.push(endless());
            continue;
        }
        for k in furthest(ctx, hull, common, (time, sign))? {
            let (l, u) = bound_lists(ctx, hull[k].iter().map(|c| &c.row), time, step)?;
            ends.push(if sign > 0 { max(l) } else { min(u) });
        }
        match sign {
            _ if ends.is_empty() => {}
            1 => lower.push(min(ends)),
            _ => upper.push(max(ends)),
        }
    }
    if lower.is_empty() || upper.is_empty() {
        return Err(unbounded());
    }
    Ok((max(lower), min(upper)))
}

/// Parts whose bounds on one side (`sign` of the level's coefficient) say where a loop over all of them begins or ends;
/// none where what they have in common says it.
fn furthest(ctx: &Ctx, hull: &[Vec<Constraint>], common: &[Row], (time, sign): (usize, i64)) -> Res<Vec<usize>> {
    let bounds = |k: usize| hull[k].iter().map(|c| &c.row).filter(move |r| r[time].signum() == sign);
    let mut left: Vec<usize> = (0..hull.len()).collect();
    if left.iter().any(|k| bounds(*k).next().is_none()) {
        return Err(unbounded());
    }
    let mut inside = with_rows(&ctx.known, common)?;
    if common.iter().any(|r| r[time].signum() == sign) {
        for k in 0..hull.len() {
            let mut all = true;
            for r in bounds(k) {
                all = all && inside.implies(r)?;
            }
            if all {
                return Ok(Vec::new());
            }
        }
    }
    // A part that stands for another one stays, as its bounds need not hold outside of it.
    let mut stays = vec![false; hull.len()];
    for k in 0..hull.len() {
        let mut own = with_rows(&ctx.known, hull[k].iter().map(|c| &c.row).chain(common))?;
        let mut before = None;
        for o in left.iter().copied().filter(|o| *o != k && !stays[k]) {
            let mut all = before.is_none();
            for r in bounds(o) {
                all = all && own.implies(r)?;
            }
            before = before.or(all.then_some(o));
        }
        if let Some(o) = before {
            stays[o] = true;
            left.retain(|other| *other != k);
        }
    }
    Ok(left)
}

#[cfg(test)]
mod tests {
    use super::inverse;

    #[test]
    fn an_inverse_times_its_number_is_one() {
        for m in 1..60 {
            for a in -60..60 {
                let found = (1..m).find(|k: &i128| (k * a).rem_euclid(m) == 1);
                assert_eq!(inverse(a, m), found, "{a} modulo {m}");
            }
        }
        let (a, m) = (i128::from(i64::MAX), 1 << 62);
        assert_eq!(inverse(a, m).map(|k| (k * a).rem_euclid(m)), Some(1));
    }
}
