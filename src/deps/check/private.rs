//! Scalars that each iteration of a loop may have for itself, and elements that each block of iterations may update for itself, so that
//! iterations run at the same time do not disturb each other.

use super::element;
use super::parallel::{carried, carried_between, claim_at};
use super::scratch::reads_its_own;
use crate::deps::{Dep, Dependences};
use crate::error::Failure;
use crate::ids::{ArrayId, StmtId};
use crate::model::tree::flat::{FlatPiece, Pieces, TimeDim, flat_schedule};
use crate::model::tree::{Node, ThreadCopies};
use crate::model::{AccessKind, ArrayKind, Scop};
use presburger::Budget;
use std::collections::{BTreeMap, BTreeSet};

/// The copies that threads need so that the loop of member `member` of the band at `path` may run its blocks of iterations at the same
/// time; all empty: none. `None`: not even with copies, or there is no such member. Besides, each iteration has its own copy of every
/// scalar written in it; everything else is shared. `flow`: value-based flow dependences of the scalars
/// ([`crate::deps::flow::last_writers`]). `whole`: what it may cost to find out about copies of whole arrays; `None`: there are to be none. Exact
/// but for scalars that leave the loop in some iterations only.
///
/// A scalar may be copied when every value of it that an iteration reads was written in the same iteration, and nothing outside of the
/// loop reads it. Its dependences then bind nothing; those of arrays without copies must not be carried by the loop.
///
/// An array is collected apart when all that the loop does to it is to update elements of it by one operation whose updates may change
/// places: by a copy of one element if all those of one execution of the loop are the same, else of the whole. Dependences with the code
/// around the loop bind the loop as a whole. An array in memory is scratch when each element that an iteration reads was surely written earlier in it ([`reads_its_own`]).
/// Source: Doerfert, Streit, Hack, Benaissa, IMPACT 2015, section 5 (privatization).
///
/// # Errors
/// `Limit` when a budget is spent or a coefficient leaves i64; the caller must then assume `None`.
pub fn copies_for_threads(
    scop: &Scop,
    (deps, flow): (&Dependences, &[Dep]),
    tree: &Node,
    (path, member): (&[usize], usize),
    whole: Option<&Budget>,
    budget: &Budget,
) -> Result<Option<ThreadCopies>, Failure> {
    let Some(pieces) = claim_at(tree, path, member) else { return Ok(None) };
    let whole = whole.filter(|_| pieces.iter().all(|(_, piece)| piece.jams.is_empty()));
    let own = scop.scalars_written_by(pieces.iter().map(|(id, _)| *id));
    let (mut copies, mut carrying) = (ThreadCopies::default(), Vec::new());
    for array in deps.binding().map(|(_, d)| d.array).collect::<BTreeSet<_>>() {
        let of = deps.binding().filter(|(_, d)| d.array == array);
        let (updates, other): (Vec<_>, Vec<_>) = of.partition(|(k, _)| *k >= deps.validity.len());
        let updates = carried(scop, updates, &pieces, budget)?.is_some();
        let is_collected = updates && only_updates(scop, array, &pieces);
        if is_collected && element::is_one(scop, array, &pieces, budget)? {
            copies.elements.push(array);
        } else if !own.contains(&array) && (updates || carried(scop, other, &pieces, budget)?.is_some()) {
            if whole.is_none() || !scop.array(array).is_memory() {
                return Ok(None);
            }
            if is_collected { copies.arrays.push(array) } else { carrying.push(array) }
        }
    }
    let total = pieces_per_statement(tree);
    for array in own.iter().filter(|a| !copies.elements.contains(a)) {
        if !is_private(scop, flow, *array, (&pieces, &total), budget)? {
            return Ok(None);
        }
    }
    for array in carrying {
        if !reads_its_own(scop, (tree, &pieces), array, whole.unwrap_or(budget))? {
            return Ok(None);
        }
        copies.scratch.push(array);
    }
    Ok(Some(copies))
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

fn pieces_per_statement(tree: &Node) -> BTreeMap<StmtId, usize> {
    flat_schedule(tree).into_iter().map(|(id, pieces)| (id, pieces.len())).collect()
}

/// Whether code behind the region reads the scalar.
fn escapes(scop: &Scop, array: ArrayId) -> bool {
    match scop.array(array).kind {
        ArrayKind::Memory { .. } | ArrayKind::Made { .. } => true,
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
