//! Schedule tree -> one lexicographic time vector per statement piece.
//!
//! Extension and expansion nodes are passed through as if they did nothing: such a tree is to be lowered first
//! (`lower`).

use super::{Member, Node, Role};
use crate::ids::{ArrayId, StmtId};
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
    /// Whether a filter on the way cut some of the statement's domain off (by its form; it may list everything all the
    /// same).
    pub is_restricted: bool,
    /// Time, most significant first. Components of two pieces at the same index after equal [`TimeDim::Seq`] and
    /// [`TimeDim::Any`] components come from the same tree node; shorter branches are padded with `Seq(0)`.
    pub time: Vec<TimeDim>,
    /// Components whose loops may be unrolled and jammed (index and factor): up to so many consecutive values may be
    /// interleaved in the loops right below, down to the first sequence; the body there runs once per value.
    pub jams: Vec<(usize, u32)>,
    /// Components whose values a GPU's blocks or threads run, each with what these collect updates of: every iteration
    /// has other scalars for itself.
    pub numbered: Vec<(usize, Vec<ArrayId>)>,
}

impl FlatPiece {
    /// Appends the value of a band member for this piece of statement `id`; 0 if the member has none.
    pub fn push(&mut self, id: StmtId, member: &Member) {
        let value = member.affs.get(&id).map_or_else(|| Aff::zero(self.domain.space()), Clone::clone);
        if let Some(factor) = member.ast.jammed() {
            self.jams.push((self.time.len(), factor));
        }
        if let Role::Device(_, collected) = &member.role {
            self.numbered.push((self.time.len(), collected.iter().map(|c| c.array).collect()));
        }
        self.time.push(TimeDim::Aff(value));
    }
}

/// Instances by statement, with the time that orders them so far.
pub type Pieces = Vec<(StmtId, FlatPiece)>;

/// Time vectors of all statements of a tree whose root is a domain, all of one length. A statement that several
/// children of a sequence list has several pieces; one that no child lists has none there. The execution order: compare
/// time vectors lexicographically, component by component.
#[must_use]
pub fn flat_schedule(root: &Node) -> BTreeMap<StmtId, Vec<FlatPiece>> {
    let mut flat = BTreeMap::new();
    for (id, piece) in walk(root, Pieces::new(), &mut Vec::new(), &mut |_, _, _| {}) {
        flat.entry(id).or_insert_with(Vec::new).push(piece);
    }
    flat
}

/// Calls `visit` for each node, parents first: its path (child number at each step from the root), the node, and the
/// instances that reach it with their time outside of the node (not padded). A filter below a sequence or a set is
/// reached by those of its statements alone.
pub fn visit_nodes(root: &Node, visit: &mut dyn FnMut(&[usize], &Node, &Pieces)) {
    walk(root, Pieces::new(), &mut Vec::new(), visit);
}

type Visit<'a> = &'a mut dyn FnMut(&[usize], &Node, &Pieces);

fn walk(node: &Node, mut pieces: Pieces, path: &mut Vec<usize>, visit: Visit<'_>) -> Pieces {
    visit(path, node, &pieces);
    match node {
        Node::Leaf => pieces,
        Node::Domain(domain, child) => {
            let piece = |set: &Set| FlatPiece {
                domain: set.clone(),
                is_restricted: false,
                time: Vec::new(),
                jams: Vec::new(),
                numbered: Vec::new(),
            };
            below(child, domain.iter().map(|(&id, set)| (id, piece(set))).collect(), 0, path, visit)
        }
        Node::Context(_, child) | Node::Mark(_, child) | Node::Extension(_, child) | Node::Expansion(_, child) => {
            below(child, pieces, 0, path, visit)
        }
        Node::Band(band, child) => {
            for (id, piece) in &mut pieces {
                band.members.iter().for_each(|member| piece.push(*id, member));
            }
            below(child, pieces, 0, path, visit)
        }
        Node::Filter(sets, child) => below(child, filtered(&pieces, sets), 0, path, visit),
        Node::Guard(guard, child) => {
            for (_, piece) in &mut pieces {
                piece.domain = piece.domain.intersect_params(guard);
                piece.is_restricted = true;
            }
            below(child, pieces, 0, path, visit)
        }
        Node::Sequence(children) => children_of(children, &pieces, TimeDim::Seq, path, visit),
        Node::Set(children) => children_of(children, &pieces, TimeDim::Any, path, visit),
    }
}

fn below(child: &Node, pieces: Pieces, at: usize, path: &mut Vec<usize>, visit: Visit<'_>) -> Pieces {
    path.push(at);
    let pieces = walk(child, pieces, path, visit);
    path.pop();
    pieces
}

fn filtered(pieces: &Pieces, sets: &BTreeMap<StmtId, Set>) -> Pieces {
    let mut kept = Vec::with_capacity(pieces.len());
    for (id, piece) in pieces {
        match sets.get(id) {
            None => {}
            Some(set) if set.is_plain_universe() => kept.push((*id, piece.clone())),
            Some(set) => {
                let domain = piece.domain.intersect(set);
                kept.push((*id, FlatPiece { domain, is_restricted: true, ..piece.clone() }));
            }
        }
    }
    kept
}

fn children_of(
    children: &[Node],
    pieces: &Pieces,
    position: fn(i64) -> TimeDim,
    path: &mut Vec<usize>,
    visit: Visit<'_>,
) -> Pieces {
    let mut all = Vec::new();
    for ((k, child), at) in children.iter().enumerate().zip(0_i64..) {
        let mut here = match child {
            Node::Filter(sets, _) => pieces.iter().filter(|(id, _)| sets.contains_key(id)).cloned().collect(),
            _ => pieces.clone(),
        };
        for (_, piece) in &mut here {
            piece.time.push(position(at));
        }
        all.extend(below(child, here, k, path, visit));
    }
    let length = all.iter().map(|(_, p)| p.time.len()).max().unwrap_or(0);
    for (_, piece) in &mut all {
        piece.time.resize_with(length, || TimeDim::Seq(0));
    }
    all
}
