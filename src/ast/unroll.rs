//! Unrolling, and unroll-and-jam: iterations of an outer loop interleaved in its inner loops.
//! Source of the transformation: Callahan, Cocke, Kennedy, J. Parallel and Distributed Computing 5(4), 1988.

use super::expr::{Name, block, guard};
use super::fail::{Res, overflow};
use super::generate::{Ctx, Cursor, Gen, has_band_in_sequence};
use super::loops::{next, rows_at, rows_cond};
use super::piece::Piece;
use super::types::Ast;
use crate::ids::IterId;
use crate::model::tree::AstOption;
use presburger::rows::{Frac, Row, combine, negate};

/// First value (affine in outer levels) and number of iterations of a loop whose trip count is a constant.
pub(super) fn constant_trip(bounds: &[Row], time: usize) -> Res<Option<(Row, i64)>> {
    let [a, b] = bounds else { return Ok(None) };
    let (lower, upper) = if a[time] > 0 { (a, b) } else { (b, a) };
    if lower[time] != 1 || upper[time] != -1 {
        return Ok(None);
    }
    let gap = combine(1, lower, 1, upper)?;
    if gap[1..].iter().any(|&c| c != 0) || gap[0] < 0 {
        return Ok(None);
    }
    let mut first = negate(lower)?;
    first[time] = 0;
    Ok(Some((first, gap[0].saturating_add(1))))
}

/// First value (affine in outer levels) and largest number of iterations of a loop that has at most `limit` of them.
pub(super) fn bounded_trip(ctx: &Ctx<'_>, bounds: &[Row], time: usize, limit: i64) -> Res<Option<(Row, i64)>> {
    let mut known = ctx.known.clone();
    for r in bounds {
        known.add(r)?;
    }
    for lower in bounds.iter().filter(|r| r[time] == 1) {
        let mut first = negate(lower)?;
        first[time] = 0;
        let mut at_most = |trip: i64| -> Res<bool> {
            let mut row = first.clone();
            row[time] = -1;
            row[0] = row[0].checked_add(trip - 1).ok_or_else(overflow)?;
            Ok(known.implies(&row)?)
        };
        if at_most(limit)? {
            let (mut less, mut most) = (0, limit);
            while most - less > 1 {
                let middle = less.midpoint(most);
                *(if at_most(middle)? { &mut most } else { &mut less }) = middle;
            }
            return Ok(Some((first, most)));
        }
    }
    Ok(None)
}

/// Every iteration written out, one after the other, from a first value in steps; each in a test of those bounds that
/// the number of iterations does not say.
pub(super) fn unrolled<'g>(
    generator: &mut Gen<'g>,
    cursor: Cursor,
    (first, step, trip): (&Row, i64, i64),
    bounds: &[Row],
    pieces: &[Piece],
    ctx: &Ctx<'g>,
) -> Res<Ast> {
    let time = generator.layout.time(ctx.level());
    let mut parts = Vec::new();
    for q in 0..trip {
        let mut row = first.clone();
        row[0] += q * step;
        let value = Frac { row, den: 1 };
        let Some(tests) = rows_at(ctx, bounds.to_vec(), time, &value)? else { continue };
        let test = rows_cond(ctx, &tests)?;
        let mut copy = pieces.to_vec();
        for p in &mut copy {
            p.substitute(time, &value)?;
        }
        copy.retain(|p| !p.empty);
        let mut inner = ctx.clone();
        for row in &tests {
            inner.known.add(row)?;
        }
        inner.scope.levels.push(Name::Substituted);
        inner.forget_threads();
        parts.push(guard(test, next(generator, cursor, copy, inner)?));
    }
    Ok(block(parts))
}

/// The body of a loop with `factor` iterations interleaved in its inner loops; `None` where that is not the same loops
/// with `factor` times the statements, where inner loops stand one after the other, or where there is none. `iter`:
/// `None` if that makes a single iteration.
pub(super) fn jam<'g>(
    generator: &mut Gen<'g>,
    cursor: Cursor,
    option: AstOption,
    (first, trip): (&Row, i64),
    pieces: &[Piece],
    outer: &Ctx<'g>,
    iter: Option<IterId>,
) -> Res<Option<Ast>> {
    let factor = option.jammed().map_or(1, i64::from);
    if factor < 2 || trip % factor != 0 || has_band_in_sequence(cursor.below) {
        return Ok(None);
    }
    let level = outer.level();
    let time = generator.layout.time(level);
    let mut ctx = outer.clone();
    ctx.scope.levels.push(iter.map_or(Name::Substituted, Name::Iter));
    // Copies of copies are no lanes.
    ctx.lanes = match option {
        AstOption::Lanes(lanes, _) if generator.jams == 0 => Some(i64::from(lanes)),
        _ => None,
    };
    let mut value = Frac { row: first.clone(), den: 1 };
    if iter.is_some() {
        let mut low = negate(first)?;
        low[time] = 1;
        let mut high = first.clone();
        high[0] += trip - factor;
        high[time] = -1;
        ctx.known.add(&low)?;
        ctx.known.add(&high)?;
        value = Frac::column(generator.layout.base(), time);
    } else {
        ctx.forget_threads();
    }
    let mut copies = Vec::new();
    for q in 0..factor {
        for p in pieces {
            let mut copy = p.clone();
            copy.substitute(time, &value)?;
            copy.key.push(q);
            copies.push(copy);
        }
        value.row[0] = value.row[0].checked_add(1).ok_or_else(overflow)?;
    }
    let start = generator.checkpoint();
    let outer_failed = std::mem::take(&mut generator.jam_failed);
    generator.jams += 1;
    let body = next(generator, cursor, copies, ctx)?;
    generator.jams -= 1;
    let failed = std::mem::replace(&mut generator.jam_failed, outer_failed) || !body.contains_loop();
    if failed {
        generator.rewind(start);
    }
    Ok((!failed).then_some(body))
}
