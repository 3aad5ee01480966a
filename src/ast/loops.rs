//! One loop: guards in front of it, and the choices its band member asks for (unrolling, full tiles).

use super::bounds::{Step, bounds_of_rows, hull_bounds, step_of};
use super::expr::{Name, all, block, guard, is_nothing};
use super::fail::Res;
use super::generate::{Ctx, Cursor, Gen};
use super::piece::Piece;
use super::separate::Group;
use super::shift::in_turns;
use super::tiles::separate_tiles;
use super::types::{Ast, Cond, Expr, For, Lanes};
use super::unroll::{bounded_trip, constant_trip, jam, unrolled};
use crate::ids::{IterId, StmtId};
use crate::model::tree::AstOption;
use presburger::rows::{Congruence, Constraint, Frac, Row, combine, negate, reduce, substitute};

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
    // Which thread of a GPU runs the one iteration is said by its loop.
    let fixed = if ctx.axis.is_none() { fixed_value(&rows, time)? } else { None };
    let mut conds = Vec::new();
    if let Some(value) = &fixed {
        conds.push(whole_value(&mut ctx, value));
        for p in &mut pieces {
            p.substitute(time, value)?;
        }
        pieces.retain(|p| !p.empty);
        match rows_at(&ctx, rows, time, value)? {
            Some(kept) => rows = kept,
            None => return Ok(Ast::Block(Vec::new())),
        }
    }
    let (bounds, guards): (Vec<Row>, Vec<Row>) = rows.into_iter().partition(|r| r[time] != 0);
    conds.push(rows_cond(&ctx, &guards)?);
    for r in &guards {
        ctx.known.add(r)?;
    }
    conds.push(shared_strides(&mut ctx, &pieces, time));
    let plain = matches!(cursor.option(), AstOption::Default | AstOption::Separate | AstOption::Atomic)
        && group.hull.is_empty()
        && ctx.contraction.is_none()
        && ctx.parallel.is_none()
        && ctx.axis.is_none();
    let floor = if plain && fixed.is_none() { floor_value(&bounds, time)? } else { None };
    let body = match (fixed, floor) {
        (None, None) => make_loop(generator, cursor, &bounds, &group.hull, pieces, ctx)?,
        (_, floor) => {
            for r in floor.iter().flat_map(|_| &bounds) {
                ctx.known.add(r)?;
            }
            ctx.scope.levels.push(floor.map_or(Name::Substituted, |(num, den)| Name::Floor(num, den)));
            ctx.forget_threads();
            ctx.contraction = None;
            next(generator, cursor, pieces, ctx)?
        }
    };
    Ok(guard(all(conds), body))
}

/// The rows where the level has this value, without what is known; `None` where that contradicts them.
pub(super) fn rows_at(ctx: &Ctx, mut rows: Vec<Row>, time: usize, value: &Frac) -> Res<Option<Vec<Row>>> {
    for r in &mut rows {
        substitute(r, time, value)?;
    }
    let cons = rows.into_iter().map(|row| Constraint { row, own: true });
    Ok(reduce(&ctx.known, cons.collect(), time)?.map(|kept| kept.into_iter().map(|k| k.row).collect()))
}

/// Below the member.
pub(super) fn next<'g>(generator: &mut Gen<'g>, cursor: Cursor, pieces: Vec<Piece>, ctx: Ctx<'g>) -> Res<Ast> {
    let inner = Cursor { member: cursor.member + 1, own: None, ..cursor };
    if pieces.iter().any(|p| p.turn != 0) {
        return in_turns(pieces, |own| generator.member(inner, own, ctx.clone()));
    }
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

/// `floor(num / den)` of outer levels, if the two rows leave column `time` no other value, and always that one.
fn floor_value(bounds: &[Row], time: usize) -> Res<Option<(Row, i64)>> {
    let [a, b] = bounds else { return Ok(None) };
    let (lower, upper) = if a[time] > 0 { (a, b) } else { (b, a) };
    let den = lower[time];
    if den < 2 || upper[time] != -den {
        return Ok(None);
    }
    let gap = combine(1, lower, 1, upper)?;
    if gap[1..].iter().any(|c| *c != 0) || gap[0] != den - 1 {
        return Ok(None);
    }
    let mut num = upper.clone();
    num[time] = 0;
    Ok(Some((num, den)))
}

/// The test that a quotient is an integer, unless that is enforced already; it is from here on.
fn whole_value(ctx: &mut Ctx, value: &Frac) -> Cond {
    let stride = Congruence { row: value.row.clone(), modulus: value.den };
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

/// First value and number of iterations, where that number is a constant.
type Trip = Option<(Row, i64)>;

/// The iterations without a loop around them, where the member asks for that and their number is known.
fn written_out<'g>(
    generator: &mut Gen<'g>,
    cursor: Cursor,
    trip: &Trip,
    pieces: &[Piece],
    ctx: &Ctx<'g>,
) -> Res<Option<Ast>> {
    let Some((first, trip)) = trip else { return Ok(None) };
    match cursor.option() {
        AstOption::Unroll if *trip <= generator.cfg.max_unroll => {
            Ok(Some(unrolled(generator, cursor, (first, 1, *trip), &[], pieces, ctx)?))
        }
        option if option.jammed().is_some_and(|factor| i64::from(factor) == *trip) => {
            jam(generator, cursor, option, (first, *trip), pieces, ctx, None)
        }
        _ => Ok(None),
    }
}

fn make_loop<'g>(
    generator: &mut Gen<'g>,
    cursor: Cursor,
    bounds: &[Row],
    hull: &[Vec<Constraint>],
    pieces: Vec<Piece>,
    mut ctx: Ctx<'g>,
) -> Res<Ast> {
    let time = generator.layout.time(ctx.level());
    let stride = step_of(&ctx, &pieces, time);
    let trip = if hull.is_empty() && stride.is_none() { constant_trip(bounds, time)? } else { None };
    if let Some(body) = written_out(generator, cursor, &trip, &pieces, &ctx)? {
        return Ok(body);
    }
    let tested = generator.cfg.unroll_with_tests && matches!(cursor.option(), AstOption::Unroll);
    if tested
        && hull.is_empty()
        && stride.is_none()
        && let Some((first, most)) = bounded_trip(&ctx, bounds, time, generator.cfg.max_unroll)?
    {
        return unrolled(generator, cursor, (&first, 1, most), bounds, &pieces, &ctx);
    }
    let range = if hull.is_empty() {
        bounds_of_rows(&ctx, bounds.iter(), time, stride.as_ref())?
    } else {
        hull_bounds(&ctx, hull, bounds, time, stride.as_ref())?
    };
    if let (Some(step), (Expr::Int(first), Expr::Int(last)), AstOption::Unroll) = (&stride, &range, cursor.option()) {
        let trip = (last.saturating_sub(*first)).div_euclid(step.size()).saturating_add(1);
        if trip <= generator.cfg.max_unroll {
            let mut row = vec![0; generator.layout.base()];
            row[0] = *first;
            return unrolled(generator, cursor, (&row, step.size(), trip), &[], &pieces, &ctx);
        }
    }
    let mut made = head(generator.iterator(), range, &mut ctx);
    made.step = stride.as_ref().map_or(1, Step::size);
    let mut body = None;
    if let (Some(factor), Some((first, trip))) = (cursor.option().jammed(), &trip) {
        body = jam(generator, cursor, cursor.option(), (first, *trip), &pieces, &ctx, Some(made.iter))?;
        made.step = if body.is_some() { i64::from(factor) } else { made.step };
    }
    let body = match body {
        Some(body) => body,
        None => {
            ctx.scope.levels.push(Name::Iter(made.iter));
            for r in bounds {
                ctx.known.add(r)?;
            }
            ctx.strides.extend(stride.map(|s| s.congruence(time)));
            body_of(generator, cursor, pieces, ctx)?
        }
    };
    Ok(finished(cursor, made, body))
}

/// One loop that threads share for all of `groups`, which have no value of the level in common: each iteration does
/// what its group does. `None` where the loop's own steps or copies would have to be told apart.
pub(super) fn shared<'g>(
    generator: &mut Gen<'g>,
    cursor: Cursor,
    (groups, all): (&[Group], &Group),
    pieces: &[Piece],
    ctx: &Ctx<'g>,
) -> Res<Option<Ast>> {
    let time = generator.layout.time(ctx.level());
    let plain = matches!(cursor.option(), AstOption::Default | AstOption::SeparateTiles);
    if !plain || pieces.iter().any(|p| step_of(ctx, std::slice::from_ref(p), time).is_some()) {
        return Ok(None);
    }
    let mut ctx = ctx.clone();
    let (bounds, guards): (Vec<Row>, Vec<Row>) = all.rows.iter().map(|k| k.row.clone()).partition(|r| r[time] != 0);
    let around = rows_cond(&ctx, &guards)?;
    let range = hull_bounds(&ctx, &all.hull, &bounds, time, None)?;
    let made = head(generator.iterator(), range, &mut ctx);
    ctx.scope.levels.push(Name::Iter(made.iter));
    for r in guards.iter().chain(&bounds) {
        ctx.known.add(r)?;
    }
    let mut parts = Vec::with_capacity(groups.len());
    for group in groups {
        let mut inside = ctx.clone();
        let own = |r: &Row| !guards.contains(r) && !bounds.contains(r);
        let rows: Vec<Row> = group.rows.iter().map(|k| k.row.clone()).filter(own).collect();
        let cond = rows_cond(&inside, &rows)?;
        for r in &rows {
            inside.known.add(r)?;
        }
        let active: Vec<Piece> = group.active.iter().map(|&k| pieces[k].clone()).collect();
        parts.push(guard(cond, body_of(generator, cursor, active, inside)?));
    }
    Ok(Some(guard(around, finished(cursor, made, block(parts)))))
}

/// A loop without a body yet; what the context says of the next loop is said of this one.
fn head(iter: IterId, (lower, upper): (Expr, Expr), ctx: &mut Ctx) -> For {
    For {
        iter,
        lower,
        upper,
        step: 1,
        coincident: false,
        minor: ctx.minor,
        contraction: ctx.contraction.take(),
        parallel: ctx.parallel.take(),
        axis: ctx.axis.take(),
        waits: false,
        collects: std::mem::take(&mut ctx.collects),
        registers: Vec::new(),
        lanes: ctx.lanes.map(Lanes::of),
        staged: Vec::new(),
        body: Ast::Block(Vec::new()),
    }
}

/// What stands inside the loop of the member, whose iterator is in scope.
fn body_of<'g>(generator: &mut Gen<'g>, cursor: Cursor, pieces: Vec<Piece>, ctx: Ctx<'g>) -> Res<Ast> {
    match cursor.option() {
        AstOption::SeparateTiles => separate_tiles(generator, cursor, pieces, ctx),
        _ => next(generator, cursor, pieces, ctx),
    }
}

/// The loop of the member with its body, if that does anything.
fn finished(cursor: Cursor, mut made: For, body: Ast) -> Ast {
    if is_nothing(&body) {
        return body;
    }
    let member = cursor.band.members.get(cursor.member);
    made.coincident = member.is_some_and(|m| m.coincident || only_stmt(&body).is_some_and(|s| m.alone.contains(&s)));
    made.body = body;
    Ast::For(Box::new(made))
}

/// The one statement of `ast`, however often it occurs.
fn only_stmt(ast: &Ast) -> Option<StmtId> {
    let mut stmts = ast.stmts();
    let first = stmts.next()?;
    stmts.all(|id| id == first).then_some(first)
}
