//! Jammed iterations as lanes of vectors.
//!
//! In: a loop AST in which [`For::lanes`] says of which innermost loops the body is made of jammed iterations. Out: the
//! same with what each access touches in a block of as many iterations of the loop as there are lanes; `None` for loops
//! that cannot run so.
//! A block reads what it needs before it writes, and stores at its end what it wrote. It is the same program, since of
//! every array that it writes, all accesses touch elements of their own lane, in a fixed order: what one lane writes no
//! other lane touches, and what is read a known number of iterations after it is written never leaves its register.
//! Source of the idea: outer-loop vectorization, Nuzman, Zaks, PACT 2008; rows and columns change places in registers.

use super::forms::{Form, Known, element};
use super::types::{Ast, BlockAccess, BlockShape, Expr, For, Lanes, Together};
use crate::ids::{ArrayId, IterId, StmtId};
use crate::model::{AccessKind, Scop, StmtBody};
use std::collections::BTreeMap;

/// Finds out of each loop whether it can run in lanes.
pub fn find(scop: &Scop, ast: &mut Ast) {
    match ast {
        Ast::Block(all) => all.iter_mut().for_each(|a| find(scop, a)),
        Ast::For(f) => {
            f.lanes = f.lanes.as_ref().and_then(|lanes| of_loop(scop, f, lanes.width));
            find(scop, &mut f.body);
        }
        Ast::If(i) => {
            find(scop, &mut i.then);
            i.otherwise.iter_mut().for_each(|a| find(scop, a));
        }
        Ast::Stmt { .. } => {}
    }
}

/// An access in a block: subscripts in the first lane, their change from lane to lane and from iteration to iteration.
struct Walk {
    array: ArrayId,
    writes: bool,
    first: Vec<Form>,
    lane: Vec<i64>,
    iteration: Vec<i64>,
}

fn of_loop(scop: &Scop, f: &For, width: i64) -> Option<Lanes> {
    let is_plain = f.step == 1 && f.parallel.is_none() && f.axis.is_none() && f.staged.is_empty();
    let leaves = f.body.bare_instances()?;
    let lanes = usize::try_from(width).ok()?;
    if !is_plain || leaves.is_empty() || lanes < 2 {
        return None;
    }
    let mut order: Vec<StmtId> = Vec::new();
    let mut copies: BTreeMap<StmtId, Vec<usize>> = BTreeMap::new();
    for (at, (id, _)) in leaves.iter().enumerate() {
        if !order.contains(id) {
            order.push(*id);
        }
        copies.entry(*id).or_default().push(at);
    }
    let mut known = Known::default();
    let mut stmts: Vec<(Vec<usize>, Vec<Walk>)> = Vec::new();
    for id in order {
        let of = copies.remove(&id).filter(|of| of.len() % lanes == 0)?;
        let args: Vec<&[Expr]> = of.iter().map(|at| leaves[*at].1).collect();
        let walks = walks((scop, id), f.iter, &args, &mut known)?;
        stmts.push((of, walks));
    }
    let all: Vec<&Walk> = stmts.iter().flat_map(|(_, walks)| walks).collect();
    let touched = |walk: &Walk| touched(walk, &all);
    let mut together = Vec::new();
    for (copies, walks) in &stmts {
        let touched = walks.iter().map(touched).collect::<Option<Vec<_>>>()?;
        let of = |(vector, copies): (usize, &[usize])| Together {
            vector,
            copies: copies.to_vec(),
            touched: touched.clone(),
        };
        together.extend(copies.chunks(lanes).enumerate().map(of));
    }
    Some(Lanes { width, stmts: together })
}

/// How the accesses of a statement move, whose copies have these arguments; `None` where they are no lanes.
fn walks((scop, id): (&Scop, StmtId), iter: IterId, args: &[&[Expr]], known: &mut Known) -> Option<Vec<Walk>> {
    let stmt = scop.stmt(id);
    let StmtBody::Original(code) = &stmt.body else { return None };
    if code.branches {
        return None;
    }
    let forms = |known: &mut Known, args: &[Expr]| args.iter().map(|a| known.form(a)).collect::<Option<Vec<Form>>>();
    let first = forms(known, args[0])?;
    let step = differences(&first, &forms(known, args[1])?)?;
    for (lane, of) in args.iter().enumerate() {
        let apart = differences(&first, &forms(known, of)?)?;
        let lane = i64::try_from(lane).ok()?;
        if step.iter().zip(&apart).any(|(step, apart)| step.checked_mul(lane) != Some(*apart)) {
            return None;
        }
    }
    let mut out = Vec::with_capacity(stmt.accesses.len());
    for access in &stmt.accesses {
        let array = scop.array(access.array);
        let is_read = access.kind == AccessKind::Read;
        if (!array.is_memory() && !is_read) || array.is_rows() || access.kind == AccessKind::MayWrite {
            return None;
        }
        let first = element(known, scop, access, args[0])?;
        let lane = differences(&first, &element(known, scop, access, args[1])?)?;
        let iteration = first.iter().map(|form| known.slope(form, iter)).collect::<Option<Vec<_>>>()?;
        out.push(Walk { array: access.array, writes: !is_read, first, lane, iteration });
    }
    Some(out)
}

/// By how much each form differs from the first one, where that is a constant.
fn differences(first: &[Form], other: &[Form]) -> Option<Vec<i64>> {
    let apart = |(a, b): (&Form, &Form)| b.plus(-1, a)?.as_constant();
    (first.len() == other.len()).then(|| first.iter().zip(other).map(apart).collect())?
}

/// What an access touches in a block, among all accesses in it; `None` where the block cannot run as a whole.
fn touched(walk: &Walk, all: &[&Walk]) -> Option<BlockAccess> {
    let is_zero = |of: &[i64]| of.iter().all(|c| *c == 0);
    let moves = !is_zero(&walk.iteration);
    let shape = if is_zero(&walk.lane) {
        BlockShape::Same
    } else if is_unit(&walk.lane) {
        BlockShape::Beside
    } else if is_unit(&walk.iteration) {
        BlockShape::Along
    } else if is_unit(&walk.iteration.iter().map(|c| -c).collect::<Vec<_>>()) {
        BlockShape::Back
    } else if moves {
        return None;
    } else {
        BlockShape::Apart
    };
    let Some(writer) = all.iter().find(|w| w.writes && w.array == walk.array) else {
        return Some(BlockAccess { shape, moves, written: false, ahead: 0 });
    };
    let alike = (&writer.lane, &writer.iteration) == (&walk.lane, &walk.iteration);
    let ahead = differences(&writer.first, &walk.first).and_then(|d| multiple(&d, &walk.iteration))?;
    let is_own = alike && are_apart(&walk.lane, &walk.iteration) && (!walk.writes || ahead == 0);
    is_own.then_some(BlockAccess { shape, moves, written: true, ahead })
}

/// Whether a step leads to the next element of a row.
fn is_unit(step: &[i64]) -> bool {
    step.split_last().is_some_and(|(last, rows)| *last == 1 && rows.iter().all(|c| *c == 0))
}

/// The number that `step` is to be multiplied by; 0 where both are 0.
fn multiple(of: &[i64], step: &[i64]) -> Option<i64> {
    let factor = of.iter().zip(step).find(|(_, s)| **s != 0).map_or(Some(0), |(o, s)| (o % s == 0).then(|| o / s))?;
    let is_it = of.iter().zip(step).all(|(o, s)| s.checked_mul(factor) == Some(*o));
    is_it.then_some(factor)
}

/// Whether no number of steps from lane to lane leads to where steps from iteration to iteration do.
fn are_apart(lane: &[i64], iteration: &[i64]) -> bool {
    if iteration.iter().all(|c| *c == 0) {
        return lane.iter().any(|c| *c != 0);
    }
    let minor = |(a, b): (usize, usize)| {
        let product = |x: i64, y: i64| i128::from(x) * i128::from(y);
        product(lane[a], iteration[b]) != product(lane[b], iteration[a])
    };
    let pairs = (0..lane.len()).flat_map(|a| (0..a).map(move |b| (a, b)));
    pairs.into_iter().any(minor)
}
