//! Which loops run in threads, for sure.
//!
//! In: a legal tree. Out: the same order, with [`Mark::Parallel`] above the outermost loop of each branch whose iterations may run at the
//! same time; where there is none, above the outermost loop whose blocks of iterations may, given copies of what they
//! update. Each mark is proved by `deps` alone: no flag and no mark of the tree is believed.

use crate::deps::private::copies_for_threads;
use crate::deps::{Dep, Dependences};
use crate::error::Failure;
use crate::ids::ArrayId;
use crate::model::Scop;
use crate::model::tree::{Band, Mark, Node, ThreadCopies};
use presburger::Budget;
use std::collections::BTreeSet;

/// Bytes that all copies of one thread may have together: they lie on its stack.
pub const MAX_COPY_BYTES: u64 = 64 << 10;
/// Steps for finding out which arrays threads need copies of.
const COPY_STEPS: u64 = 400_000;

/// Bytes of a copy of an array, if there can be one.
pub type SizeOf<'a> = &'a dyn Fn(ArrayId) -> Option<u64>;

/// A tree with marks.
#[derive(Clone, Debug)]
pub struct Marked {
    /// The tree.
    pub tree: Node,
    /// How many loops were marked.
    pub loops: usize,
    /// Arrays of which threads have copies.
    pub copied: BTreeSet<ArrayId>,
    /// Arrays of which threads would need copies for a loop further out, but must not have any.
    pub refused: BTreeSet<ArrayId>,
}

/// Marks the outermost parallel loop of each branch; threads may need scratch copies of arrays; `size` says how many
/// bytes a copy has, if there can be one (`None`: no copies are looked for), and they have at most [`MAX_COPY_BYTES`] together. That each
/// array holds behind the loop what it should is for the caller to find out. Cost: two proofs per band member and array, until one succeeds.
///
/// # Errors
/// `Limit` when the budget is spent on what the scalars of the region carry; a loop whose own proof spends it is not marked.
pub fn mark(
    scop: &Scop,
    deps: &Dependences,
    tree: &Node,
    size: Option<SizeOf<'_>>,
    budget: &Budget,
) -> Result<Marked, Failure> {
    let flow = deps.scalar_flow(scop, budget)?;
    let walk = |tree: &Node, kind: Kind| {
        let (copied, refused) = (BTreeSet::new(), BTreeSet::new());
        let copy_budget = Budget::steps(COPY_STEPS);
        let mut walk = Walk { scop, deps, flow, tree, kind, size, budget, copy_budget, loops: 0, copied, refused };
        let marked = walk.node(tree, &mut Vec::new());
        Marked { tree: marked, loops: walk.loops, copied: walk.copied, refused: walk.refused }
    };
    let plain = walk(tree, Kind::Plain);
    if deps.reductions.is_empty() {
        return Ok(plain);
    }
    let apart = walk(&plain.tree, Kind::Apart);
    Ok(Marked { tree: apart.tree, loops: plain.loops + apart.loops, ..plain })
}

/// The tree without marks for threads.
#[must_use]
pub fn dropped(node: Node) -> Node {
    match node {
        Node::Mark(Mark::Parallel(_), child) => dropped(*child),
        other => other.map_children(&mut dropped),
    }
}

/// Which marks are looked for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Loops as they are; marks of the tree are dropped.
    Plain,
    /// Where nothing is marked, loops that need copies of what they update.
    Apart,
}

/// Whether a loop below is marked.
fn has_marks(node: &Node) -> bool {
    matches!(node, Node::Mark(Mark::Parallel(_), _)) || node.children().iter().any(has_marks)
}

struct Walk<'a> {
    scop: &'a Scop,
    deps: &'a Dependences,
    flow: &'a [Dep],
    tree: &'a Node,
    kind: Kind,
    size: Option<SizeOf<'a>>,
    budget: &'a Budget,
    copy_budget: Budget,
    loops: usize,
    copied: BTreeSet<ArrayId>,
    refused: BTreeSet<ArrayId>,
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
            Node::Mark(Mark::Parallel(_), _) if self.kind == Kind::Apart => node.clone(),
            Node::Mark(Mark::Parallel(_), child) => *self.below(child, path),
            Node::Mark(mark, child) => Node::Mark(mark.clone(), self.below(child, path)),
            Node::Sequence(children) => Node::Sequence(self.each(children, path)),
            Node::Set(children) => Node::Set(self.each(children, path)),
        }
    }

    fn band(&mut self, band: &Band, child: &Node, path: &mut Vec<usize>) -> Node {
        let found = match self.kind {
            Kind::Plain => (0..band.members.len()).find_map(|k| Some((k, self.free(path, k)?))),
            Kind::Apart if has_marks(child) => None,
            Kind::Apart => self.reduces(path, band.members.len()),
        };
        match found {
            Some((k, mark)) => {
                self.loops += 1;
                marked(band, k, mark, child)
            }
            None => Node::Band(band.clone(), self.below(child, path)),
        }
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

    /// The copies that a member's loop needs ([`copies_for_threads`]).
    fn copies(&self, path: &[usize], member: usize, whole: Option<&Budget>) -> Option<ThreadCopies> {
        let deps = (self.deps, self.flow);
        copies_for_threads(self.scop, deps, self.tree, (path, member), whole, self.budget).unwrap_or(None)
    }

    /// The mark for a member whose iterations may run at the same time, as they are or with scratch copies.
    fn free(&mut self, path: &[usize], member: usize) -> Option<Mark> {
        let whole = self.size.map(|_| &self.copy_budget);
        let copies = self.copies(path, member, whole).filter(|copies| copies.elements.is_empty())?;
        let size = |a: &ArrayId| self.size.and_then(|size| size(*a));
        let unfit: Vec<ArrayId> = copies.scratch.iter().copied().filter(|a| size(a).is_none()).collect();
        let bytes: u64 = copies.scratch.iter().filter_map(size).fold(0, u64::saturating_add);
        if unfit.is_empty() && bytes <= MAX_COPY_BYTES {
            self.copied.extend(&copies.scratch);
            return Some(Mark::Parallel(copies));
        }
        self.refused.extend(if unfit.is_empty() { copies.scratch } else { unfit });
        None
    }

    /// The first of so many members whose blocks of iterations need nothing but copies of the elements they update.
    fn reduces(&self, path: &[usize], members: usize) -> Option<(usize, Mark)> {
        let of = |k| self.copies(path, k, None).filter(|copies| !copies.is_empty());
        (0..members).find_map(|k| Some((k, Mark::Parallel(of(k)?))))
    }
}

/// A band with a mark above member `at`, split there.
fn marked(band: &Band, at: usize, mark: Mark, child: &Node) -> Node {
    let part = |members: &[_]| Band { members: members.to_vec(), permutable: band.permutable };
    let (outer, inner) = band.members.split_at(at);
    let marked = Node::Mark(mark, Box::new(Node::Band(part(inner), Box::new(child.clone()))));
    if outer.is_empty() { marked } else { Node::Band(part(outer), Box::new(marked)) }
}
