//! Which loops run in threads, for sure.
//!
//! In: a legal tree. Out: the same order, with [`Mark::Parallel`] above the outermost loop of each branch whose iterations may run at the
//! same time, and, further out or where there is none, above the outermost one whose blocks of iterations may, given copies of what they
//! update: at run time that may not pay. Each mark is proved by `deps` alone: no flag and no mark of the tree is believed.

pub mod choose;
pub mod split;
#[cfg(test)]
mod tests;

use crate::deps::check::private::copies_for_threads;
use crate::deps::{Dep, Dependences};
use crate::error::Failure;
use crate::ids::{ArrayId, StmtId};
use crate::model::Scop;
use crate::model::tree::{Band, Mark, Node, ThreadCopies};
use crate::storage::room::MAX_COPY_BYTES;
use log::debug;
use presburger::Budget;
use std::collections::BTreeSet;

/// Steps for finding out which arrays threads need copies of.
const COPY_STEPS: u64 = 400_000;

/// Which arrays there can be copies of.
#[derive(Clone, Copy)]
pub struct Rooms<'a> {
    /// Bytes of a scratch copy, if there can be one.
    pub scratch: &'a dyn Fn(ArrayId) -> Option<u64>,
    /// Whether updates by these statements can be collected in copies of the whole array.
    pub collected: &'a dyn Fn(ArrayId, &BTreeSet<StmtId>) -> bool,
}

/// A tree with marks.
#[derive(Clone, Debug)]
pub struct Marked {
    /// The tree.
    pub tree: Node,
    /// How many loops were marked.
    pub loops: usize,
    /// Arrays of which threads have copies.
    pub copied: BTreeSet<ArrayId>,
    /// Arrays of which threads would need scratch copies for a loop further out, but must not have any.
    pub refused: BTreeSet<ArrayId>,
    /// Arrays whose updates would have to be collected for a loop further out, but cannot be.
    pub uncollected: BTreeSet<ArrayId>,
}

/// Marks the outermost parallel loop of each branch; threads may need scratch copies there, which have at most [`MAX_COPY_BYTES`] together.
/// Further out, or where there is none, marks the outermost loop whose blocks of iterations need copies of what they update. `rooms` says
/// which whole arrays there can be copies of; `None`: of none. That each scratch array holds behind the loop what it should is for the
/// caller to find out. Cost: two proofs per band member and array, until one succeeds.
///
/// # Errors
/// `Limit` when the budget is spent on what the scalars of the region carry; a loop whose own proof spends it is not marked.
pub fn mark(
    scop: &Scop,
    deps: &Dependences,
    tree: &Node,
    rooms: Option<Rooms<'_>>,
    budget: &Budget,
) -> Result<Marked, Failure> {
    let flow = deps.scalar_flow(scop, budget)?;
    let mut walk = Walk {
        scop,
        deps,
        flow,
        tree,
        rooms,
        budget,
        copy_budget: Budget::steps(COPY_STEPS),
        collecting: Collecting::Nothing,
        loops: 0,
        copied: BTreeSet::new(),
        refused: BTreeSet::new(),
        uncollected: BTreeSet::new(),
    };
    let marked = walk.node(tree, &mut Vec::new());
    let Walk { loops, copied, refused, uncollected, .. } = walk;
    debug!(
        "{}: {loops} loops may run in threads; {} arrays copied, {} too large for that, {} not collected",
        scop.name,
        copied.len(),
        refused.len(),
        uncollected.len()
    );
    Ok(Marked { tree: marked, loops, copied, refused, uncollected })
}

/// The tree without marks for threads.
#[must_use]
pub fn dropped(node: Node) -> Node {
    match node {
        Node::Mark(Mark::Parallel(_), child) => dropped(*child),
        other => other.map_children(&mut dropped),
    }
}

/// What blocks of loops around a place need copies of.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Collecting {
    Nothing,
    /// Of whole arrays: that may not pay where copies of elements do.
    Arrays,
    /// Of elements only.
    Elements,
}

struct Walk<'a> {
    scop: &'a Scop,
    deps: &'a Dependences,
    flow: &'a [Dep],
    tree: &'a Node,
    rooms: Option<Rooms<'a>>,
    budget: &'a Budget,
    copy_budget: Budget,
    /// What blocks of marked loops around need copies of.
    collecting: Collecting,
    loops: usize,
    copied: BTreeSet<ArrayId>,
    refused: BTreeSet<ArrayId>,
    uncollected: BTreeSet<ArrayId>,
}

impl Walk<'_> {
    fn node(&mut self, node: &Node, path: &mut Vec<usize>) -> Node {
        match node {
            Node::Leaf | Node::Extension(..) | Node::Expansion(..) => node.clone(),
            Node::Band(band, child) => self.band(band, child, path),
            Node::Domain(sets, child) => Node::Domain(sets.clone(), self.below(child, path)),
            Node::Context(set, child) => Node::Context(set.clone(), self.below(child, path)),
            Node::Filter(sets, child) => Node::Filter(sets.clone(), self.below(child, path)),
            Node::Guard(set, child) => Node::Guard(set.clone(), self.below(child, path)),
            Node::Mark(Mark::Parallel(_), child) => *self.below(child, path),
            Node::Mark(mark, child) => Node::Mark(mark.clone(), self.below(child, path)),
            Node::Sequence(children) => Node::Sequence(self.each(children, path)),
            Node::Set(children) => Node::Set(self.each(children, path)),
        }
    }

    fn band(&mut self, band: &Band, child: &Node, path: &mut Vec<usize>) -> Node {
        let (mut marks, mut found, around) = (Vec::new(), false, self.collecting);
        for k in 0..band.members.len() {
            let Some(copies) = self.copies(band, path, k) else { continue };
            found = copies.collects_nothing();
            let collects = if copies.arrays.is_empty() { Collecting::Elements } else { Collecting::Arrays };
            if found || collects > self.collecting {
                self.collecting = collects;
                marks.push((k, copies));
            }
            if found {
                break;
            }
        }
        self.loops += marks.len();
        let child = if found { Box::new(child.clone()) } else { self.below(child, path) };
        self.collecting = around;
        marked(band, marks, *child)
    }

    fn below(&mut self, child: &Node, path: &mut Vec<usize>) -> Box<Node> {
        path.push(0);
        let child = self.node(child, path);
        path.pop();
        Box::new(child)
    }

    fn each(&mut self, children: &[Node], path: &mut Vec<usize>) -> Vec<Node> {
        let child = |(k, child): (usize, &Node)| {
            path.push(k);
            let child = self.node(child, path);
            path.pop();
            child
        };
        children.iter().enumerate().map(child).collect()
    }

    /// The copies that threads need for a member's loop ([`copies_for_threads`]), if there is room for them.
    fn copies(&mut self, band: &Band, path: &[usize], member: usize) -> Option<ThreadCopies> {
        let (deps, whole) = ((self.deps, self.flow), self.rooms.map(|_| &self.copy_budget));
        let copies = copies_for_threads(self.scop, deps, self.tree, (path, member), whole, self.budget);
        let copies = copies.unwrap_or(None)?;
        let Some(rooms) = self.rooms else { return Some(copies) };
        let stmts = band.members.iter().flat_map(|m| m.affs.keys().copied()).collect();
        let cannot: Vec<ArrayId> = copies.arrays.iter().copied().filter(|a| !(rooms.collected)(*a, &stmts)).collect();
        if !cannot.is_empty() {
            self.uncollected.extend(cannot);
            return None;
        }
        let unfit: Vec<ArrayId> = copies.scratch.iter().copied().filter(|a| (rooms.scratch)(*a).is_none()).collect();
        let bytes: u64 = copies.scratch.iter().filter_map(|a| (rooms.scratch)(*a)).fold(0, u64::saturating_add);
        if unfit.is_empty() && bytes <= MAX_COPY_BYTES {
            self.copied.extend(&copies.scratch);
            return Some(copies);
        }
        self.refused.extend(if unfit.is_empty() { copies.scratch } else { unfit });
        None
    }
}

/// A band with marks above some of its members, ascending, split there.
fn marked(band: &Band, marks: Vec<(usize, ThreadCopies)>, child: Node) -> Node {
    let part = |members: &[_]| Band { members: members.to_vec(), permutable: band.permutable };
    let (mut node, mut end) = (child, band.members.len());
    for (at, copies) in marks.into_iter().rev() {
        let inner = Node::Band(part(&band.members[at..end]), Box::new(node));
        (node, end) = (Node::Mark(Mark::Parallel(copies), Box::new(inner)), at);
    }
    if end == 0 { node } else { Node::Band(part(&band.members[..end]), Box::new(node)) }
}
