//! Scalars that each iteration of a loop may have for itself, and elements that each block of iterations may update for itself, so that
//! iterations run at the same time do not disturb each other.

use super::coincident::{carried, carried_between, claim_at};
use super::{Dep, Dependences, element};
use crate::error::Failure;
use crate::ids::{ArrayId, StmtId};
use crate::model::tree::Node;
use crate::model::tree::flat::{FlatPiece, Pieces, TimeDim, flat_schedule};
use crate::model::{AccessKind, ArrayKind, Scop};
use presburger::Budget;
use std::collections::{BTreeMap, BTreeSet};

/// The arrays of which each block of iterations needs a copy of one element so that the loop of member `member` of the band at `path` may
/// run its blocks at the same time; ascending. Empty: no copy is needed, all iterations may run at the same time. `None`: not even with
/// copies, or there is no such member. Besides, each iteration has its own copy of every scalar written in it; everything else is shared.
/// `flow`: value-based flow dependences of the scalars ([`super::flow::last_writers`]). Exact but for scalars that leave the loop in some
/// iterations only.
///
/// A scalar may be copied when every value of it that an iteration reads was written in the same iteration, and nothing outside of the
/// loop reads it. Its dependences then bind nothing; those of all other arrays must not be carried by the loop.
///
/// An array is collected apart when all that the loop does to it is to update one and the same element (in each execution of the loop)
/// by one operation whose updates may change places. Dependences with the code around the loop bind the loop as a whole.
/// Source: Doerfert, Streit, Hack, Benaissa, IMPACT 2015, section 5 (privatization).
///
/// # Errors
/// `Limit` when the budget is spent or a coefficient leaves i64; the caller must then assume `None`.
pub fn copies_for_threads(
    scop: &Scop,
    (deps, flow): (&Dependences, &[Dep]),
    tree: &Node,
    (path, member): (&[usize], usize),
    budget: &Budget,
) -> Result<Option<Vec<ArrayId>>, Failure> {
    let Some(pieces) = claim_at(tree, path, member) else { return Ok(None) };
    let updates = || deps.binding().skip(deps.validity.len());
    let own = scalars_written(scop, &pieces);
    let mut apart = BTreeSet::new();
    for array in deps.reductions.iter().map(|d| d.array).collect::<BTreeSet<_>>() {
        if carried(scop, updates().filter(|(_, d)| d.array == array), &pieces, budget)?.is_some() {
            if only_updates(scop, array, &pieces) && element::is_one(scop, array, &pieces, budget)? {
                apart.insert(array);
            } else if !own.contains(&array) {
                return Ok(None);
            }
        }
    }
    Ok(is_free_with(scop, (deps, flow), (tree, &pieces), &apart, budget)?.then(|| apart.into_iter().collect()))
}

/// Whether the loop at the end of `pieces`' times may run its iterations at the same time if nothing binds the arrays in `copied`, scalars
/// as in [`copies_for_threads`].
pub(super) fn is_free_with(
    scop: &Scop,
    (deps, flow): (&Dependences, &[Dep]),
    (tree, pieces): (&Node, &Pieces),
    copied: &BTreeSet<ArrayId>,
    budget: &Budget,
) -> Result<bool, Failure> {
    let mut own = scalars_written(scop, pieces);
    let total = pieces_per_statement(tree);
    for array in own.difference(copied) {
        if !is_private(scop, flow, *array, (pieces, &total), budget)? {
            return Ok(false);
        }
    }
    own.extend(copied);
    let shared = deps.binding().filter(|(_, d)| !own.contains(&d.array));
    Ok(carried(scop, shared, pieces, budget)?.is_none())
}

/// Whether all that these instances do to the array is to update it by one operation.
fn only_updates(scop: &Scop, array: ArrayId, pieces: &Pieces) -> bool {
    let mut ops = BTreeSet::new();
    for stmt in pieces.iter().map(|(id, _)| scop.stmt(*id)) {
        let own = (0..stmt.accesses.len()).filter(|k| stmt.accesses[*k].array == array);
        ops.extend(own.map(|k| stmt.updates_by(k)));
    }
    ops.len() == 1 && !ops.contains(&None)
}

fn scalars_written(scop: &Scop, pieces: &Pieces) -> BTreeSet<ArrayId> {
    scop.scalars_written_by(pieces.iter().map(|(id, _)| *id))
}

fn pieces_per_statement(tree: &Node) -> BTreeMap<StmtId, usize> {
    flat_schedule(tree).into_iter().map(|(id, pieces)| (id, pieces.len())).collect()
}

/// Whether code behind the region reads the scalar.
fn escapes(scop: &Scop, array: ArrayId) -> bool {
    match scop.array(array).kind {
        ArrayKind::Memory { .. } => true,
        _ if scop.escaping.iter().any(|e| e.array == array) => true,
        ArrayKind::Value { .. } => false,
        ArrayKind::Phi { .. } => {
            let reads = |a: &crate::model::Access| a.array == array && a.kind == AccessKind::Read;
            !scop.stmts.iter().flat_map(|s| &s.accesses).any(reads)
        }
    }
}

fn is_private(
    scop: &Scop,
    flow: &[Dep],
    array: ArrayId,
    (pieces, total): (&Pieces, &BTreeMap<StmtId, usize>),
    budget: &Budget,
) -> Result<bool, Failure> {
    if escapes(scop, array) {
        return Ok(false);
    }
    let inside = |id: StmtId| {
        let mut own = pieces.iter().filter(|(p, _)| *p == id).map(|(_, piece)| piece);
        let first = own.next().filter(|_| total.get(&id) == Some(&1));
        first.filter(|_| own.next().is_none())
    };
    for dep in flow.iter().filter(|d| d.array == array) {
        match (inside(dep.src), inside(dep.dst)) {
            (Some(src), Some(dst)) => {
                if !stays_in_iteration(scop, dep, (src, dst), budget)? {
                    return Ok(false);
                }
            }
            (None, None) if !reaches(pieces, dep.src) && !reaches(pieces, dep.dst) => {}
            _ => return Ok(false),
        }
    }
    Ok(true)
}

fn reaches(pieces: &Pieces, id: StmtId) -> bool {
    pieces.iter().any(|(p, _)| *p == id)
}

/// Whether both ends of every pair agree in all components of their times.
fn stays_in_iteration(
    scop: &Scop,
    dep: &Dep,
    (src, dst): (&FlatPiece, &FlatPiece),
    budget: &Budget,
) -> Result<bool, Failure> {
    let until = |piece: &FlatPiece, end: usize| FlatPiece {
        time: piece.time[..end].to_vec(),
        jams: Vec::new(),
        ..piece.clone()
    };
    for end in 1..=src.time.len() {
        match (&src.time[end - 1], dst.time.get(end - 1)) {
            (TimeDim::Aff(_), Some(TimeDim::Aff(_))) => {
                if carried_between(scop, dep, &until(src, end), &until(dst, end), budget)?.is_some() {
                    return Ok(false);
                }
            }
            (TimeDim::Seq(a), Some(TimeDim::Seq(b))) | (TimeDim::Any(a), Some(TimeDim::Any(b))) if a == b => {}
            _ => return Ok(false),
        }
    }
    Ok(true)
}
