//! One loop: bounds, step, guards in front of it, and the choices its band member asks for (unrolling, full tiles).

use super::expr::{all, guard, max, min, scaled, sum};
use super::generate::{Ctx, Cursor, Gen, has_band_in_sequence};
use super::piece::Piece;
use super::poly::{Con, reduce};
use super::rows::{Frac, Res, Row, Stride, combine, complement, is_constant, limit, negate, substitute};
use super::separate::Group;
use super::tiles::full_tile_rows;
use super::types::{Ast, Cond, Expr, For, If};
use crate::error::Failure;
use crate::ids::IterId;
use crate::ids::StmtId;
use crate::model::tree::AstOption;

/// The loop of a group with its body, or its body alone where the level has one value.
pub(super) fn group<'g>(
    generator: &mut Gen<'g>,
    cursor: Cursor,
    group: &Group,
    mut pieces: Vec<Piece>,
    ctx: &Ctx<'g>,
) -> Res<Ast> {
    let time = generator.layout.time(ctx.level());
    let mut ctx = ctx.clone();
    let mut rows: Vec<Row> = group.rows.iter().map(|k| k.row.clone()).collect();
    let fixed = if group.hull.is_empty() { fixed_value(&rows, time)? } else { None };
    let mut conds = Vec::new();
    if let Some(value) = &fixed {
        conds.push(whole_value(&mut ctx, value));
        for r in &mut rows {
            substitute(r, time, value)?;
        }
        for p in &mut pieces {
            p.substitute(time, value)?;
        }
        pieces.retain(|p| !p.empty);
        let cons = rows.into_iter().map(|row| Con { row, own: true });
        match reduce(&ctx.known, cons.collect(), time)? {
            Some(kept) => rows = kept.into_iter().map(|k| k.row).collect(),
            None => return Ok(Ast::Block(Vec::new())),
        }
    }
    let (bounds, guards): (Vec<Row>, Vec<Row>) = rows.into_iter().partition(|r| r[time] != 0);
    conds.push(rows_cond(&ctx, &guards)?);
    for r in &guards {
        ctx.known.add(r)?;
    }
    conds.push(shared_strides(&mut ctx, &pieces, time));
    let body = match fixed {
        Some(_) => {
            ctx.scope.iters.push(None);
            ctx.parallel = false;
            next(generator, cursor, pieces, ctx)?
        }
        None => make_loop(generator, cursor, &bounds, &group.hull, pieces, ctx)?,
    };
    Ok(guard(all(conds), body))
}

/// Below the member.
fn next<'g>(generator: &mut Gen<'g>, cursor: Cursor, pieces: Vec<Piece>, ctx: Ctx<'g>) -> Res<Ast> {
    let inner = Cursor { member: cursor.member + 1, ..cursor };
    generator.member(inner, pieces, ctx)
}

/// The only value of column `time`, if two rows say `a T + r = 0`.
fn fixed_value(rows: &[Row], time: usize) -> Res<Option<Frac>> {
    for (k, r) in rows.iter().enumerate() {
        if r[time] == 0 {
            continue;
        }
        let opposite = negate(r)?;
        if rows[k + 1..].contains(&opposite) {
            let mut row = if r[time] > 0 { opposite } else { r.clone() };
            let den = -row[time];
            row[time] = 0;
            let mut value = Frac { row, den };
            value.reduce();
            return Ok(Some(value));
        }
    }
    Ok(None)
}

/// The test that a quotient is an integer, unless that is enforced already; it is from here on.
fn whole_value(ctx: &mut Ctx, value: &Frac) -> Cond {
    let stride = Stride { row: value.row.clone(), modulus: value.den };
    match stride.canonical() {
        Some(s) if !ctx.has_stride(&s) => {
            let cond = ctx.scope.divisible(&s.row, s.modulus);
            ctx.strides.push(s);
            cond
        }
        _ => Cond::True,
    }
}

/// The rows as one condition; opposite rows become an equality.
pub(super) fn rows_cond(ctx: &Ctx, rows: &[Row]) -> Res<Cond> {
    let mut conds = Vec::new();
    let mut used = vec![false; rows.len()];
    for k in 0..rows.len() {
        if used[k] {
            continue;
        }
        let opposite = negate(&rows[k])?;
        match (k + 1..rows.len()).find(|&o| rows[o] == opposite) {
            Some(o) => {
                used[o] = true;
                conds.push(ctx.scope.equal_zero(&rows[k]));
            }
            None => conds.push(ctx.scope.at_least_zero(&rows[k])),
        }
    }
    Ok(all(conds))
}

/// Tests for strides on outer levels that all pieces need and nothing enforces yet; they are enforced from here on.
fn shared_strides(ctx: &mut Ctx, pieces: &[Piece], time: usize) -> Cond {
    let mut conds = Vec::new();
    let Some((first, rest)) = pieces.split_first() else {
        return Cond::True;
    };
    for s in &first.strides {
        let outer = s.row.iter().skip(time).all(|&c| c == 0);
        if outer && !ctx.has_stride(s) && rest.iter().all(|p| p.strides.contains(s)) {
            conds.push(ctx.scope.divisible(&s.row, s.modulus));
            ctx.strides.push(s.clone());
        }
    }
    all(conds)
}

/// Solves `s` for column `time` with coefficient 1: `T + rest = 0 mod m`.
fn solved_stride(s: &Stride, time: usize) -> Option<Stride> {
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
    Some(Stride { row, modulus: s.modulus })
}

/// The largest stride of the level that all pieces share.
fn step_of(pieces: &[Piece], time: usize) -> Option<Stride> {
    let (first, rest) = pieces.split_first()?;
    let mut candidates: Vec<Stride> = first.strides.iter().filter_map(|s| solved_stride(s, time)).collect();
    candidates.sort_by_key(|s| std::cmp::Reverse(s.modulus));
    candidates.into_iter().find(|c| {
        rest.iter().all(|p| {
            let own: Vec<Stride> = p.strides.iter().filter_map(|s| solved_stride(s, time)).collect();
            own.iter().any(|o| c.follows_from(std::slice::from_ref(o)))
        })
    })
}

/// Smallest value >= the bound of `row` (`a T + r >= 0`, a > 0) that satisfies the stride.
fn lower_bound(ctx: &Ctx, row: &Row, time: usize, step: Option<&Stride>) -> Res<Expr> {
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
            rest[0] = rest[0].checked_add(gap[0].rem_euclid(m)).ok_or_else(limit)?;
            return Ok(ctx.scope.affine(&rest));
        }
        let gap = Expr::Mod(Box::new(ctx.scope.affine(&gap)), m);
        return Ok(sum(vec![ctx.scope.affine(&rest), gap]));
    }
    // T = m k + c: k >= (rest - a c) / (a m)
    let first = combine(1, &rest, -a, &c)?;
    let k = ctx.scope.ceil(&first, a.checked_mul(m).ok_or_else(limit)?);
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
    step: Option<&Stride>,
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

fn unbounded() -> Failure {
    Failure::Bug("a loop without bounds: unbounded domain".into())
}

/// Largest lower bound and smallest upper bound.
fn bounds_of_rows<'r>(
    ctx: &Ctx,
    rows: impl Iterator<Item = &'r Row>,
    time: usize,
    step: Option<&Stride>,
) -> Res<(Expr, Expr)> {
    let (lower, upper) = bound_lists(ctx, rows, time, step)?;
    if lower.is_empty() || upper.is_empty() {
        return Err(unbounded());
    }
    Ok((max(lower), min(upper)))
}

fn make_loop<'g>(
    generator: &mut Gen<'g>,
    cursor: Cursor,
    bounds: &[Row],
    hull: &[Vec<Con>],
    pieces: Vec<Piece>,
    mut ctx: Ctx<'g>,
) -> Res<Ast> {
    let level = ctx.level();
    let time = generator.layout.time(level);
    let member = &cursor.band.members.get(cursor.member);
    let option = member.map_or(AstOption::Default, |m| m.ast);
    let step = step_of(&pieces, time);
    let trip = match (hull.is_empty(), &step) {
        (true, None) => constant_trip(bounds, time)?,
        _ => None,
    };
    if let (AstOption::Unroll, Some((first, trip))) = (option, &trip)
        && *trip <= generator.cfg.max_unroll
    {
        return unrolled(generator, cursor, first, *trip, &pieces, &ctx);
    }
    if let (AstOption::UnrollJam(factor), Some((first, trip))) = (option, &trip)
        && i64::from(factor) == *trip
        && let Some(body) = jam(generator, cursor, factor, (first, *trip), &pieces, &ctx, None)?
    {
        return Ok(body);
    }
    let (lower, upper) = if hull.is_empty() {
        bounds_of_rows(&ctx, bounds.iter(), time, step.as_ref())?
    } else {
        hull_bounds(&ctx, hull, bounds, time, step.as_ref())?
    };
    let parallel = std::mem::take(&mut ctx.parallel);
    let iter = generator.iterator();
    let outer = ctx.clone();
    ctx.scope.iters.push(Some(iter));
    for r in bounds {
        ctx.known.add(r)?;
    }
    let mut increment = 1;
    if let Some(s) = step {
        increment = s.modulus;
        ctx.strides.push(s);
    }
    let mut jammed = None;
    if let (AstOption::UnrollJam(factor), Some((first, trip))) = (option, &trip) {
        jammed = jam(generator, cursor, factor, (first, *trip), &pieces, &outer, Some(iter))?;
    }
    let body = match jammed {
        Some(body) => {
            if let AstOption::UnrollJam(factor) = option {
                increment = i64::from(factor);
            }
            body
        }
        None if option == AstOption::SeparateTiles => tiles(generator, cursor, pieces, ctx.clone())?,
        None => next(generator, cursor, pieces, ctx.clone())?,
    };
    if super::expr::is_nothing(&body) {
        return Ok(body);
    }
    let coincident = member.is_some_and(|m| m.coincident || only_stmt(&body).is_some_and(|s| m.alone.contains(&s)));
    Ok(Ast::For(Box::new(For {
        iter,
        lower,
        upper,
        step: increment,
        coincident,
        vectorize: ctx.vectorize && !contains_loop(&body),
        parallel,
        body,
    })))
}

fn contains_loop(ast: &Ast) -> bool {
    match ast {
        Ast::Block(parts) => parts.iter().any(contains_loop),
        Ast::For(_) => true,
        Ast::If(i) => contains_loop(&i.then) || i.otherwise.as_ref().is_some_and(contains_loop),
        Ast::Stmt { .. } => false,
    }
}

/// The one statement of `ast`, however often it occurs.
fn only_stmt(ast: &Ast) -> Option<StmtId> {
    let mut parts = match ast {
        Ast::Stmt { id, .. } => return Some(*id),
        Ast::For(f) => return only_stmt(&f.body),
        Ast::Block(parts) => parts.iter().map(only_stmt).collect::<Vec<_>>(),
        Ast::If(i) => std::iter::once(&i.then).chain(&i.otherwise).map(only_stmt).collect(),
    };
    parts.dedup();
    match parts[..] {
        [only] => only,
        _ => None,
    }
}

/// From the smallest first value of any of the parts to the largest last value, inside what all parts have in common (a part that
/// is empty for some outer values may have bounds outside of that).
fn hull_bounds(ctx: &Ctx, hull: &[Vec<Con>], common: &[Row], time: usize, step: Option<&Stride>) -> Res<(Expr, Expr)> {
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

/// First value (affine in outer levels) and number of iterations of a loop whose trip count is a constant.
fn constant_trip(bounds: &[Row], time: usize) -> Res<Option<(Row, i64)>> {
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

/// Every iteration written out, one after the other.
fn unrolled<'g>(
    generator: &mut Gen<'g>,
    cursor: Cursor,
    first: &Row,
    trip: i64,
    pieces: &[Piece],
    ctx: &Ctx<'g>,
) -> Res<Ast> {
    let time = generator.layout.time(ctx.level());
    let mut parts = Vec::new();
    for q in 0..trip {
        let mut row = first.clone();
        row[0] += q;
        let value = Frac { row, den: 1 };
        let mut copy = pieces.to_vec();
        for p in &mut copy {
            p.substitute(time, &value)?;
        }
        copy.retain(|p| !p.empty);
        let mut inner = ctx.clone();
        inner.scope.iters.push(None);
        inner.parallel = false;
        parts.push(next(generator, cursor, copy, inner)?);
    }
    Ok(super::expr::block(parts))
}

/// The body of a loop with `factor` iterations interleaved in its inner loops; `None` where that is not the same loops with
/// `factor` times the statements, or where inner loops stand one after the other. `iter`: `None` if that makes a single iteration.
fn jam<'g>(
    generator: &mut Gen<'g>,
    cursor: Cursor,
    factor: u32,
    (first, trip): (&Row, i64),
    pieces: &[Piece],
    outer: &Ctx<'g>,
    iter: Option<IterId>,
) -> Res<Option<Ast>> {
    let factor = i64::from(factor);
    if factor < 2 || trip % factor != 0 || has_band_in_sequence(cursor.below) {
        return Ok(None);
    }
    let level = outer.level();
    let time = generator.layout.time(level);
    let mut ctx = outer.clone();
    ctx.scope.iters.push(iter);
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
        ctx.parallel = false;
    }
    let mut copies = Vec::new();
    for q in 0..factor {
        for p in pieces {
            let mut copy = p.clone();
            copy.substitute(time, &value)?;
            copy.key.push(q);
            copies.push(copy);
        }
        value.row[0] = value.row[0].checked_add(1).ok_or_else(limit)?;
    }
    let start = generator.checkpoint();
    let outer_failed = std::mem::take(&mut generator.jam_failed);
    let body = next(generator, cursor, copies, ctx)?;
    let failed = std::mem::replace(&mut generator.jam_failed, outer_failed);
    if failed {
        generator.rewind(start);
    }
    Ok((!failed).then_some(body))
}

/// Body of a tile loop: full tiles without inner tests, the others in general form.
fn tiles<'g>(generator: &mut Gen<'g>, cursor: Cursor, pieces: Vec<Piece>, ctx: Ctx<'g>) -> Res<Ast> {
    let deeper = &cursor.band.members[cursor.member + 1..];
    if deeper.iter().any(|m| m.ast == AstOption::SeparateTiles) {
        return next(generator, cursor, pieces, ctx);
    }
    let mut full = Vec::new();
    for p in &pieces {
        full.extend(full_tile_rows(p)?.into_iter().map(|row| Con { row, own: true }));
    }
    let time = generator.layout.time(ctx.level() - 1);
    let rows: Vec<Row> = match reduce(&ctx.known, full, time)? {
        None => return next(generator, cursor, pieces, ctx),
        Some(full) if full.is_empty() => return next(generator, cursor, pieces, ctx),
        Some(full) => full.into_iter().map(|k| k.row).collect(),
    };
    let cond = rows_cond(&ctx, &rows)?;
    let mut inside = ctx.clone();
    for r in &rows {
        inside.known.add(r)?;
    }
    let then = next(generator, cursor, pieces.clone(), inside)?;
    let mut outside = ctx;
    if let [only] = rows.as_slice() {
        outside.known.add(&complement(only)?)?;
    }
    let otherwise = next(generator, cursor, pieces, outside)?;
    Ok(Ast::If(Box::new(If { cond, then, otherwise: Some(otherwise) })))
}
