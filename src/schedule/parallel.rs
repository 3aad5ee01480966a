//! Loops for threads: the outermost loop that may run in parallel, and wavefronts where no tile loop may.
//!
//! In:  a finished tree, or the tile loops of a band. Out: the same order, or for a wavefront a skewed one, with
//! [`Mark::Parallel`] above the outermost coincident loop of each branch.
//! Source: Bondhugula et al., PLDI 2008, section 5.2 (wavefronts of tiles).

use crate::deps::{Dependences, legality};
use crate::error::Failure;
use crate::model::Scop;
use crate::model::tree::flat::{TimeDim, visit_nodes};
use crate::model::tree::{Band, Mark, Member, Node};
use presburger::Budget;
use std::collections::BTreeSet;

/// The tree with [`Mark::Parallel`] above the outermost coincident loop of each branch; a band is split in front of it. Coincident
/// flags are taken as they are.
#[must_use]
pub fn marked(tree: Node) -> Node {
    let above = |band, child| Node::Mark(Mark::Parallel, Box::new(Node::Band(band, child)));
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

/// Whether some loop is marked for threads.
#[must_use]
pub fn is_marked(tree: &Node) -> bool {
    matches!(tree, Node::Mark(Mark::Parallel, _)) || tree.children().iter().any(is_marked)
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

/// The original order with the outermost loops that carry no dependence marked; `None` if there is none of them outside of every
/// other loop. Exact.
///
/// # Errors
/// `Limit` when the budget is spent.
pub fn original(scop: &Scop, deps: &Dependences, budget: &Budget) -> Result<Option<Node>, Failure> {
    let mut outermost = Vec::new();
    visit_nodes(&scop.schedule, &mut |path, node, pieces| {
        let is_outer = pieces.iter().all(|(_, p)| p.time.iter().all(|t| !matches!(t, TimeDim::Aff(_))));
        if is_outer && matches!(node, Node::Band(..)) {
            outermost.push(path.to_vec());
        }
    });
    let mut free = BTreeSet::new();
    for path in outermost {
        if legality::is_coincident(scop, deps, &scop.schedule, &path, 0, budget)? {
            free.insert(path);
        }
    }
    let found = !free.is_empty();
    Ok(found.then(|| with_flags(scop.schedule.clone(), &mut Vec::new(), &free)).map(marked))
}

/// The tree with the first members of the bands at these paths coincident.
fn with_flags(node: Node, path: &mut Vec<usize>, free: &BTreeSet<Vec<usize>>) -> Node {
    let node = match node {
        Node::Band(mut band, child) if free.contains(path) => {
            let stmts = |m: &Member| m.affs.keys().copied().collect();
            if let Some(first) = band.members.first_mut() {
                first.coincident = true;
                first.alone = stmts(first);
            }
            Node::Band(band, child)
        }
        other => other,
    };
    let mut at = 0;
    node.map_children(&mut |child| {
        path.push(at);
        at += 1;
        let child = with_flags(child, path, free);
        path.pop();
        child
    })
}
