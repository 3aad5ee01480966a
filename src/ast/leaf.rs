//! Statement instances: arguments, and the tests that no loop has made superfluous.

use super::cond::cond_of_hidden;
use super::expr::{all, any, block, guard};
use super::fail::{Res, is_no_closed_form, overflow};
use super::floors;
use super::generate::{Ctx, Cursor, Gen};
use super::hidden::Hidden;
use super::loops::rows_cond;
use super::piece::Piece;
use super::types::{Ast, Cond, Expr};
use crate::ids::StmtId;
use crate::model::tree::{Band, Node};
use presburger::Budget;
use presburger::rows::{
    Constraint, Row, combine, complement, eliminate, is_constant, negate, reduce, subtract, with_rows,
};

/// All pieces at a leaf, in the order of their unrolled copies. Domain dims that no band determines get a loop each.
pub(super) fn emit<'g>(generator: &mut Gen<'g>, mut pieces: Vec<Piece>, ctx: Ctx<'g>) -> Res<Ast> {
    pieces.sort_by(|a, b| a.key.cmp(&b.key));
    let mut parts = Vec::new();
    let mut instances: Vec<Instance> = Vec::new();
    for p in pieces {
        match p.undetermined_arg() {
            Some(arg) => {
                parts.extend(emitted(generator, std::mem::take(&mut instances), &ctx)?);
                let mut ctx = ctx.clone();
                let mut own = [p];
                floors::name(generator.layout, &mut own, &mut ctx)?;
                let [p] = own;
                let rest = Band { members: Vec::new(), permutable: false };
                let (below, first_leaf) = (&Node::Leaf, p.leaf);
                let cursor = Cursor { band: &rest, member: 0, below, first_leaf, isolated: false, own: None };
                let value = p.args[arg].clone();
                parts.push(generator.loops_for(cursor, vec![(p, value)], &ctx)?);
            }
            None => match remaining_cond(generator, &p, &ctx)? {
                None => generator.fail_jam(),
                Some(tests) => {
                    let args = p.args.iter().map(|a| ctx.scope.value(a)).collect();
                    let (alone, shared) = (vec![tests.rows], tests.other);
                    instances.push(Instance { stmt: p.stmt, key: p.key, args, rows: alone, other: shared });
                }
            },
        }
    }
    parts.extend(emitted(generator, instances, &ctx)?);
    Ok(block(parts))
}

/// A statement with its arguments, run where the rows of one of the lists are not negative and `other` holds.
struct Instance {
    stmt: StmtId,
    key: Vec<i64>,
    args: Vec<Expr>,
    rows: Vec<Vec<Row>>,
    other: Cond,
}

/// What must be tested before an instance: rows that are not negative, and `other`.
struct Tests {
    rows: Vec<Row>,
    other: Cond,
}

/// The instances behind their tests; those that differ in these only are one.
fn emitted(generator: &mut Gen, instances: Vec<Instance>, ctx: &Ctx) -> Res<Vec<Ast>> {
    let mut joined: Vec<Instance> = Vec::new();
    for i in instances {
        let same = |o: &&mut Instance| o.stmt == i.stmt && o.key == i.key && o.args == i.args && o.other == i.other;
        match joined.iter_mut().find(same) {
            Some(o) => o.rows.extend(i.rows),
            None => joined.push(i),
        }
    }
    let mut parts = Vec::with_capacity(joined.len());
    for i in joined {
        let rows = if i.rows.len() > 1 { widened(ctx, i.rows)? } else { i.rows };
        let lists = rows.iter().map(|list| rows_cond(ctx, list)).collect::<Res<Vec<Cond>>>()?;
        let cond = all(vec![any(lists), i.other]);
        if cond != Cond::True {
            generator.fail_jam();
        }
        generator.count_stmt()?;
        parts.push(guard(cond, Ast::Stmt { id: i.stmt, args: i.args }));
    }
    Ok(parts)
}

/// Conjunctions that hold in the same places as the given ones together, without rows outside of which another one
/// holds.
fn widened(ctx: &Ctx, mut lists: Vec<Vec<Row>>) -> Res<Vec<Vec<Row>>> {
    let own = |list: &Vec<Row>| list.iter().map(|row| Constraint { row: row.clone(), own: true }).collect::<Vec<_>>();
    let covered = |region: Vec<Row>, lists: &[Vec<Row>], but: usize| -> Res<bool> {
        let mut left = vec![own(&region)];
        for (_, list) in lists.iter().enumerate().filter(|(k, _)| *k != but) {
            let mut next = Vec::new();
            for part in left {
                if !with_rows(&ctx.known, part.iter().map(|k| &k.row))?.is_empty() {
                    next.extend(subtract(&ctx.known, &part, &own(list))?);
                }
            }
            left = next;
        }
        Ok(left.is_empty())
    };
    let mut k = 0;
    while k < lists.len() {
        if lists.len() > 1 && covered(lists[k].clone(), &lists, k)? {
            lists.remove(k);
            continue;
        }
        let mut r = 0;
        while r < lists[k].len() {
            let mut outside = lists[k].clone();
            outside[r] = complement(&outside[r])?;
            if covered(outside, &lists, k)? {
                lists[k].remove(r);
            } else {
                r += 1;
            }
        }
        k += 1;
    }
    Ok(lists)
}

/// What must still be tested before the instance runs; `None` if it never runs here.
fn remaining_cond(generator: &Gen, p: &Piece, ctx: &Ctx) -> Res<Option<Tests>> {
    let base = p.layout.base();
    let mut cons: Vec<Constraint> = p.ge.iter().map(|row| Constraint { row: row.clone(), own: true }).collect();
    for row in &p.eq {
        for row in [row.clone(), negate(row)?] {
            cons.push(Constraint { row, own: true });
        }
    }
    eliminate_exactly(&mut cons, base, p.width, generator)?;
    let (plain, hidden): (Vec<Constraint>, Vec<Constraint>) =
        cons.into_iter().partition(|k| k.row.iter().skip(base).all(|&c| c == 0));
    let plain = plain.into_iter().map(|mut k| {
        k.row.truncate(base);
        k.own = true;
        k
    });
    // The constant column stands for "no level": nothing is dropped as derived.
    let Some(rows) = reduce(&ctx.known, plain.collect(), 0)? else {
        return Ok(None);
    };
    let rows: Vec<Row> = rows.into_iter().map(|k| k.row).collect();
    let mut conds = Vec::new();
    for s in &p.strides {
        if !ctx.has_stride(s) {
            conds.push(ctx.scope.divisible(&s.row, s.modulus));
        }
    }
    let hidden: Vec<Row> = hidden.into_iter().map(|k| k.row).collect();
    let Some(cond) = hidden_cond(p, ctx, &rows, hidden, generator.budget)? else { return Ok(None) };
    conds.push(cond);
    Ok(Some(Tests { rows, other: all(conds) }))
}

/// "There are values of the hidden columns that satisfy `hidden`", where `rows` are tested besides: without what
/// follows from these, from what is known and from each other; `None`: there are none.
fn hidden_cond(p: &Piece, ctx: &Ctx, rows: &[Row], hidden: Vec<Row>, budget: &Budget) -> Res<Option<Cond>> {
    let base = p.layout.base();
    if hidden.is_empty() {
        return Ok(Some(Cond::True));
    }
    // The column behind the base is one of the tableau's.
    let mut tab = with_rows(&ctx.known.widened(p.width.saturating_sub(base + 1)), rows)?;
    let ids: Vec<usize> = hidden.iter().map(|r| tab.add(r)).collect::<presburger::Result<Vec<_>>>()?;
    if tab.is_empty() {
        return Ok(None);
    }
    let cons: Vec<Constraint> = hidden.iter().map(|row| Constraint { row: row.clone(), own: true }).collect();
    let mut of_floor = vec![false; hidden.len()];
    for col in base..p.width {
        if let Some((lower, upper)) = floor_pair(&cons, col)? {
            (of_floor[lower], of_floor[upper]) = (true, true);
        }
    }
    let mut kept = vec![true; hidden.len()];
    let mut found: Option<Cond> = None;
    // What makes floors of columns is tried last, and back in place where the test gets longer without it.
    for last in [false, true] {
        for k in (0..hidden.len()).filter(|k| of_floor[*k] == last) {
            kept[k] = !tab.is_redundant(ids[k])?;
        }
        let list = hidden.iter().zip(&kept).filter(|(_, kept)| **kept).map(|(r, _)| r.clone()).collect();
        let shorter = |c: &Cond| found.as_ref().is_none_or(|f| c.operators() < f.operators());
        match Hidden::new(list, base, p.width).cond(&ctx.scope) {
            Ok(c) if shorter(&c) => found = Some(c),
            Err(e) if !is_no_closed_form(&e) => return Err(e),
            _ => {}
        }
    }
    match found {
        Some(found) => Ok(Some(found)),
        None => Ok(Some(cond_of_hidden(&hidden, base, (rows, &ctx.known), (&ctx.scope, budget))?)),
    }
}

/// Eliminates columns for which Fourier-Motzkin is exact over the integers: all lower or all upper bounds have
/// coefficient 1. Of a pair `0 <= u - a e <= a - 1`, which says `e = floor(u / a)`, one side is not needed if all else
/// bounds `e` from that side.
fn eliminate_exactly(cons: &mut Vec<Constraint>, base: usize, width: usize, generator: &Gen) -> Res<()> {
    for col in base..width {
        let at = |k: &Constraint| k.row.get(col).copied().unwrap_or(0);
        if cons.iter().all(|k| at(k) == 0) {
            continue;
        }
        if let Some((lower, upper)) = floor_pair(cons, col)? {
            if let Some(value) = constant_floor(&cons[upper].row, col) {
                for k in cons.iter_mut() {
                    let term = at(k).checked_mul(value).ok_or_else(overflow)?;
                    k.row[0] = k.row[0].checked_add(term).ok_or_else(overflow)?;
                    k.row.get_mut(col).into_iter().for_each(|c| *c = 0);
                }
                continue;
            }
            let others =
                |sign: i64| cons.iter().enumerate().any(|(k, c)| k != lower && k != upper && at(c).signum() == sign);
            match (others(1), others(-1)) {
                (_, false) => drop(cons.swap_remove(lower)),
                (false, true) => drop(cons.swap_remove(upper)),
                (true, true) => {}
            }
        }
        let unit_lower = cons.iter().all(|k| at(k) <= 1);
        let unit_upper = cons.iter().all(|k| at(k) >= -1);
        if unit_lower || unit_upper {
            eliminate(cons, col, col + 1, generator.budget)?;
        }
    }
    Ok(())
}

/// The number that `e = floor(u / a)` is, if it is one; `upper` is the row `u - a e >= 0`.
fn constant_floor(upper: &[i64], col: usize) -> Option<i64> {
    let constant = upper[1..].iter().enumerate().all(|(c, v)| c + 1 == col || *v == 0);
    constant.then(|| upper[0].div_euclid(-upper[col]))
}

/// Indices of rows `a e + l >= 0` and `u - a e >= 0` with `l + u = a - 1`.
fn floor_pair(cons: &[Constraint], col: usize) -> Res<Option<(usize, usize)>> {
    let at = |k: &Constraint| k.row.get(col).copied().unwrap_or(0);
    for (lower, l) in cons.iter().enumerate().filter(|(_, k)| at(k) > 0) {
        for (upper, u) in cons.iter().enumerate().filter(|(_, k)| at(k) == -at(l)) {
            let gap = combine(1, &l.row, 1, &u.row)?;
            if is_constant(&gap) && gap[0] == at(l) - 1 {
                return Ok(Some((lower, upper)));
            }
        }
    }
    Ok(None)
}
