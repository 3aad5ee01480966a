//! Statement instances: arguments, and the tests that no loop has made superfluous.

use super::expr::{all, block, guard};
use super::fail::{Res, overflow};
use super::floors;
use super::generate::{Ctx, Cursor, Gen};
use super::hidden::Hidden;
use super::loops::rows_cond;
use super::piece::Piece;
use super::types::{Ast, Cond};
use crate::model::tree::{Band, Node};
use presburger::rows::{Constraint, Row, combine, eliminate, is_constant, negate, reduce};

/// All pieces at a leaf, in the order of their unrolled copies. Domain dims that no band determines get a loop each.
pub(super) fn emit<'g>(generator: &mut Gen<'g>, mut pieces: Vec<Piece>, ctx: Ctx<'g>) -> Res<Ast> {
    pieces.sort_by(|a, b| a.key.cmp(&b.key));
    let mut parts = Vec::new();
    for p in pieces {
        parts.push(match p.undetermined_arg() {
            Some(arg) => {
                let mut ctx = ctx.clone();
                let mut own = [p];
                floors::name(generator.layout, &mut own, &mut ctx)?;
                let [p] = own;
                let rest = Band { members: Vec::new(), permutable: false };
                let cursor = Cursor { band: &rest, member: 0, below: &Node::Leaf, first_leaf: p.leaf };
                let value = p.args[arg].clone();
                generator.loops_for(cursor, vec![(p, value)], &ctx)?
            }
            None => instance(generator, &p, &ctx)?,
        });
    }
    Ok(block(parts))
}

fn instance(generator: &mut Gen, p: &Piece, ctx: &Ctx) -> Res<Ast> {
    let Some(cond) = remaining_cond(generator, p, ctx)? else {
        generator.fail_jam();
        return Ok(Ast::Block(Vec::new()));
    };
    if cond != Cond::True {
        generator.fail_jam();
    }
    generator.count_stmt()?;
    let stmt = Ast::Stmt { id: p.stmt, args: p.args.iter().map(|a| ctx.scope.value(a)).collect() };
    Ok(guard(cond, stmt))
}

/// What must still be tested before the instance runs; `None` if it never runs here.
fn remaining_cond(generator: &Gen, p: &Piece, ctx: &Ctx) -> Res<Option<Cond>> {
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
    let mut conds = vec![rows_cond(ctx, &rows)?];
    for s in &p.strides {
        if !ctx.has_stride(s) {
            conds.push(ctx.scope.divisible(&s.row, s.modulus));
        }
    }
    let hidden: Vec<Row> = hidden.into_iter().map(|k| k.row).collect();
    conds.push(Hidden::new(hidden, base, p.width).cond(&ctx.scope)?);
    Ok(Some(all(conds)))
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
