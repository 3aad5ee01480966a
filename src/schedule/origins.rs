//! What dependences of the model are in the original code, whose scalars are in no array.

use crate::deps::{Dep, DepKind};
use crate::ids::{ArrayId, StmtId};
use crate::model::{Access, AccessKind, Scop};

/// What a dependence of the model is in the original code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// None: one end is a scalar that the model keeps in an element that the other end uses.
    Nothing,
    /// One of a scalar.
    Scalar(ArrayId),
    /// One of memory, or of several scalars that are kept in one element.
    Memory,
}

/// The scalar of the original code that an access is of; `None`: memory.
#[must_use]
pub fn scalar(scop: &Scop, access: &Access) -> Option<ArrayId> {
    if scop.array(access.array).is_memory() { access.carries } else { Some(access.array) }
}

/// What is left in the original of a dependence: of all pairs of accesses that it may be between.
#[must_use]
pub fn of(scop: &Scop, dep: &Dep) -> Origin {
    let ends = |stmt: StmtId, writes: bool| {
        let is_end = move |a: &&Access| a.array == dep.array && (a.kind != AccessKind::Read) == writes;
        scop.stmt(stmt).accesses.iter().filter(is_end)
    };
    let (from_write, to_write) = match dep.kind {
        DepKind::Raw => (true, false),
        DepKind::War => (false, true),
        DepKind::Waw => (true, true),
        DepKind::Rar => (false, false),
    };
    let pairs = ends(dep.src, from_write).flat_map(|first| ends(dep.dst, to_write).map(move |last| (first, last)));
    let of_pairs = pairs.map(|(first, last)| between(scop, dep.kind, first, last));
    of_pairs.fold(Origin::Nothing, |all, one| match (all, one) {
        (Origin::Nothing, one) => one,
        (all, one) if one == all || one == Origin::Nothing => all,
        _ => Origin::Memory,
    })
}

/// What is left in the original of a dependence of this kind between two accesses of one array.
#[must_use]
pub fn between(scop: &Scop, kind: DepKind, first: &Access, last: &Access) -> Origin {
    match (scalar(scop, first), scalar(scop, last)) {
        (Some(one), Some(other)) if one == other => Origin::Scalar(one),
        (Some(_), Some(_)) | (None, None) => Origin::Memory,
        // An element that holds what a scalar is known to be is read in the scalar's place.
        (None, Some(read)) if kind == DepKind::Raw && !scop.has_element(read) => Origin::Memory,
        _ => Origin::Nothing,
    }
}
