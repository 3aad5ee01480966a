//! Scalars that each iteration of a loop may have for itself.
//!
//! A scalar may be privatized when every value of it that an iteration reads was written in the same iteration, and
//! nothing outside of the loop reads it. Its dependences then bind nothing.

use super::carried::carried_between;
use crate::deps::Dep;
use crate::error::Failure;
use crate::ids::{ArrayId, StmtId};
use crate::model::tree::flat::{FlatPiece, Pieces, TimeDim};
use crate::model::{AccessKind, ArrayKind, Scop};
use presburger::Budget;
use std::collections::BTreeMap;

/// Whether code behind the region reads the scalar.
fn escapes(scop: &Scop, array: ArrayId) -> bool {
    match scop.array(array).kind {
        _ if scop.live_out.iter().any(|e| e.array == array) => true,
        ArrayKind::Value { .. } => false,
        ArrayKind::Phi { .. } => {
            let reads = |a: &crate::model::Access| a.array == array && a.kind == AccessKind::Read;
            !scop.stmts.iter().flat_map(|s| &s.accesses).any(reads)
        }
        _ => true,
    }
}

/// Why a scalar is none that each iteration may have for itself.
pub(crate) enum Shared<'d> {
    /// Code behind the region reads it.
    LiveOut,
    /// A value goes from an iteration to another one, or into the loop or out of it.
    Flow(&'d Dep),
}

/// Why the scalar cannot be privatized in the loop at the end of the times of `pieces`; `None`: it can. `flow`:
/// value-based flow dependences of the scalars ([`crate::deps::flow::last_writers`]). `total`: pieces of each statement
/// in the whole tree. Exact but for scalars that leave the loop in some iterations only.
pub(crate) fn shared<'d>(
    scop: &Scop,
    flow: &'d [Dep],
    array: ArrayId,
    (pieces, total): (&Pieces, &BTreeMap<StmtId, usize>),
    budget: &Budget,
) -> Result<Option<Shared<'d>>, Failure> {
    if escapes(scop, array) {
        return Ok(Some(Shared::LiveOut));
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
                    return Ok(Some(Shared::Flow(dep)));
                }
            }
            (None, None) if !reaches(pieces, dep.src) && !reaches(pieces, dep.dst) => {}
            _ => return Ok(Some(Shared::Flow(dep))),
        }
    }
    Ok(None)
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
