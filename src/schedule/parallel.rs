//! Loops for threads: the outermost loop that may run in parallel, and wavefronts where no tile loop may.
//!
//! In:  a finished tree, or the tile loops of a band. Out: the same order, or for a wavefront a skewed one, with
//! [`Mark::Parallel`] above the outermost coincident loop of each branch.
//! Source: Bondhugula et al., PLDI 2008, section 5.2 (wavefronts of tiles).

use super::refs::Facts;
use crate::ids::StmtId;
use crate::model::tree::flat::{TimeDim, visit_nodes};
use crate::model::tree::{Band, Mark, Node, ThreadCopies};
use std::collections::BTreeSet;

/// The tree with [`Mark::Parallel`] above the outermost coincident loop of each branch; a band is split in front of it. Coincident
/// flags are taken as they are.
#[must_use]
pub fn marked(tree: Node) -> Node {
    let above = |band, child| Node::Mark(Mark::Parallel(ThreadCopies::default()), Box::new(Node::Band(band, child)));
    match tree {
        Node::Band(mut band, child) => match band.members.iter().position(|m| m.coincident) {
            None => Node::Band(band, Box::new(marked(*child))),
            Some(0) => above(band, child),
            Some(at) => {
                let inner = Band { members: band.members.split_off(at), permutable: band.permutable };
                Node::Band(band, Box::new(above(inner, child)))
            }
        },
        other => other.map_children(&mut marked),
    }
}

/// Part of all statement instances that threads share: those below a mark that is outermost, or has at least two loops below it (one
/// alone does too little each time threads start). Approximate, as the cost model's trip counts are.
#[must_use]
pub fn shared_part(tree: &Node, facts: &[Facts]) -> f64 {
    let instances = |id: StmtId| facts[id.index()].trips.iter().product::<f64>();
    let mut shared = BTreeSet::new();
    visit_nodes(tree, &mut |_, node, pieces| {
        if matches!(node, Node::Mark(Mark::Parallel(copies), _) if copies.is_empty()) {
            for (id, piece) in pieces {
                let outside = piece.time.iter().filter(|t| matches!(t, TimeDim::Aff(_))).count();
                if outside == 0 || facts[id.index()].trips.len() >= outside + 2 {
                    shared.insert(*id);
                }
            }
        }
    });
    let all: f64 = (0..facts.len()).map(|s| instances(StmtId::new(s))).sum();
    shared.into_iter().map(instances).sum::<f64>() / all.max(1.0)
}

/// The tile loops `(T0, T1, ..)` of a band whose every dependence has distances `>= 0` in all of them as the wavefront
/// `(T0 + T1, T1, ..)`: tiles with equal sums differ in `T0` and `T1` in opposite directions, so none depends on another, and the
/// second loop is coincident. Bands with fewer than two members stay.
#[must_use]
pub fn wavefront(mut tiles: Band) -> Band {
    if let [first, second, ..] = tiles.members.as_mut_slice() {
        for (id, aff) in &mut first.affs {
            *aff = aff.add(&second.affs[id]);
        }
        first.coincident = false;
        first.alone.clear();
        second.coincident = true;
    }
    tiles
}
