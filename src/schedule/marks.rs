//! Which loops run in threads, for sure.
//!
//! In: a legal tree. Out: the same order, with [`Mark::Parallel`] above the outermost loop of each branch whose iterations may run at the
//! same time; where there is none, [`Mark::Reduction`] above the outermost loop whose blocks of iterations may, given copies of what they
//! update. Each mark is proved by `deps` alone: no flag and no mark of the tree is believed.

use crate::deps::private::copies_for_threads;
use crate::deps::{Dep, Dependences, flow};
use crate::error::Failure;
use crate::ids::ArrayId;
use crate::model::tree::{Band, Mark, Node};
use crate::model::{ArrayKind, Scop};
use presburger::Budget;

/// A tree with marks.
#[derive(Clone, Debug)]
pub struct Marked {
    /// The tree.
    pub tree: Node,
    /// How many loops were marked.
    pub loops: usize,
}

/// Marks the outermost parallel loop of each branch. Cost: one proof per band member, until one succeeds.
///
/// # Errors
/// `Limit` when the budget is spent on what the scalars of the region carry; a loop whose own proof spends it is not marked.
pub fn mark(scop: &Scop, deps: &Dependences, tree: &Node, budget: &Budget) -> Result<Marked, Failure> {
    let is_scalar = |a: usize| !matches!(scop.arrays[a].kind, ArrayKind::Memory { .. });
    let flow = flow::last_writers_of(scop, &|a| is_scalar(a.index()), budget)?;
    let walk = |tree: &Node, kind: Kind| {
        let mut walk = Walk { scop, deps, flow: &flow, tree, kind, budget, loops: 0 };
        let marked = walk.node(tree, &mut Vec::new());
        Marked { tree: marked, loops: walk.loops }
    };
    let plain = walk(tree, Kind::Plain);
    if deps.reductions.is_empty() {
        return Ok(plain);
    }
    let apart = walk(&plain.tree, Kind::Apart);
    Ok(Marked { tree: apart.tree, loops: plain.loops + apart.loops })
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
    matches!(node, Node::Mark(Mark::Parallel, _)) || node.children().iter().any(has_marks)
}

struct Walk<'a> {
    scop: &'a Scop,
    deps: &'a Dependences,
    flow: &'a [Dep],
    tree: &'a Node,
    kind: Kind,
    budget: &'a Budget,
    loops: usize,
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
            Node::Mark(Mark::Parallel, _) if self.kind == Kind::Apart => node.clone(),
            Node::Mark(Mark::Parallel | Mark::Reduction(_), child) => *self.below(child, path),
            Node::Mark(mark, child) => Node::Mark(mark.clone(), self.below(child, path)),
            Node::Sequence(children) => Node::Sequence(self.each(children, path)),
            Node::Set(children) => Node::Set(self.each(children, path)),
        }
    }

    fn band(&mut self, band: &Band, child: &Node, path: &mut Vec<usize>) -> Node {
        let found = match self.kind {
            Kind::Plain => self.free(path, band.members.len()),
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

    /// What the blocks of a member's loop need copies of ([`copies_for_threads`]).
    fn copies(&self, path: &[usize], member: usize) -> Option<Vec<ArrayId>> {
        let deps = (self.deps, self.flow);
        copies_for_threads(self.scop, deps, self.tree, (path, member), self.budget).unwrap_or(None)
    }

    /// The first of so many members whose iterations need no copies.
    fn free(&self, path: &[usize], members: usize) -> Option<(usize, Mark)> {
        (0..members).find(|k| self.copies(path, *k).is_some_and(|c| c.is_empty())).map(|k| (k, Mark::Parallel))
    }

    /// The first of so many members whose blocks of iterations need nothing but copies of the elements they update.
    fn reduces(&self, path: &[usize], members: usize) -> Option<(usize, Mark)> {
        let of = |k| self.copies(path, k).filter(|arrays| !arrays.is_empty());
        (0..members).find_map(|k| Some((k, Mark::Reduction(of(k)?))))
    }
}

/// A band with a mark above member `at`, split there.
fn marked(band: &Band, at: usize, mark: Mark, child: &Node) -> Node {
    let part = |members: &[_]| Band { members: members.to_vec(), permutable: band.permutable };
    let (outer, inner) = band.members.split_at(at);
    let marked = Node::Mark(mark, Box::new(Node::Band(part(inner), Box::new(child.clone()))));
    if outer.is_empty() { marked } else { Node::Band(part(outer), Box::new(marked)) }
}
