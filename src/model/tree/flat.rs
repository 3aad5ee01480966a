//! Schedule tree -> one lexicographic time vector per statement piece.

use super::Node;
use crate::ids::StmtId;
use presburger::{Aff, Set};
use std::collections::BTreeMap;

/// One component of a time vector.
#[derive(Clone, Debug)]
pub enum TimeDim {
    /// Position of the child of a sequence.
    Seq(i64),
    /// Number of the child of a set node: different numbers may run in either order, or interleaved.
    Any(i64),
    /// Value of a band member, over the statement's space.
    Aff(Aff),
}

/// Instances of one statement that share the form of their time vector.
#[derive(Clone, Debug)]
pub struct FlatPiece {
    /// Which instances: the statement's domain under every filter on the way.
    pub domain: Set,
    /// Whether a filter on the way cut some of the statement's domain off (by its form; it may list everything all the same).
    pub is_restricted: bool,
    /// Time, most significant first. Components of two pieces at the same index after equal [`TimeDim::Seq`] and
    /// [`TimeDim::Any`] components come from the same tree node; shorter branches are padded with `Seq(0)`.
    pub time: Vec<TimeDim>,
}

/// Time vectors of all statements of a tree whose root is a domain, all of one length. A statement that several children of a
/// sequence list has several pieces; one that no child lists has none there. Extension of the original order: compare time
/// vectors lexicographically, component by component.
#[must_use]
pub fn flat_schedule(root: &Node) -> BTreeMap<StmtId, Vec<FlatPiece>> {
    let mut flat = BTreeMap::new();
    if let Node::Domain(domain, child) = root {
        let pieces = domain
            .iter()
            .map(|(&id, set)| (id, FlatPiece { domain: set.clone(), is_restricted: false, time: Vec::new() }))
            .collect();
        for (id, piece) in walk(child, pieces) {
            flat.entry(id).or_insert_with(Vec::new).push(piece);
        }
    }
    flat
}

type Pieces = Vec<(StmtId, FlatPiece)>;

fn walk(node: &Node, mut pieces: Pieces) -> Pieces {
    match node {
        Node::Domain(_, child) | Node::Context(_, child) | Node::Mark(_, child) => walk(child, pieces),
        Node::Leaf => pieces,
        Node::Band(band, child) => {
            for (id, piece) in &mut pieces {
                let value = |m: &super::Member| m.affs.get(id).map_or_else(|| Aff::zero(piece.domain.space()), Clone::clone);
                piece.time.extend(band.members.iter().map(|m| TimeDim::Aff(value(m))));
            }
            walk(child, pieces)
        }
        Node::Filter(sets, child) => walk(child, filtered(&pieces, sets)),
        Node::Sequence(children) => children_of(children, &pieces, TimeDim::Seq),
        Node::Set(children) => children_of(children, &pieces, TimeDim::Any),
    }
}

fn filtered(pieces: &Pieces, sets: &BTreeMap<StmtId, Set>) -> Pieces {
    let mut kept = Vec::with_capacity(pieces.len());
    for (id, piece) in pieces {
        match sets.get(id) {
            None => {}
            Some(set) if set.is_plain_universe() => kept.push((*id, piece.clone())),
            Some(set) => {
                let domain = piece.domain.intersect(set);
                kept.push((*id, FlatPiece { domain, is_restricted: true, time: piece.time.clone() }));
            }
        }
    }
    kept
}

fn children_of(children: &[Node], pieces: &Pieces, position: fn(i64) -> TimeDim) -> Pieces {
    let mut all = Vec::new();
    for (child, at) in children.iter().zip(0_i64..) {
        let mut below = pieces.clone();
        for (_, piece) in &mut below {
            piece.time.push(position(at));
        }
        all.extend(walk(child, below));
    }
    let length = all.iter().map(|(_, p)| p.time.len()).max().unwrap_or(0);
    for (_, piece) in &mut all {
        piece.time.resize_with(length, || TimeDim::Seq(0));
    }
    all
}
