//! Which loops run in threads, for sure.
//!
//! In: a legal tree. Out: the same order, with [`Mark::Parallel`] above the outermost loop of each branch whose iterations may run at the
//! same time. Each mark is proved by `deps` alone: no flag and no mark of the tree is believed.

use crate::deps::private::is_parallel;
use crate::deps::{Dep, Dependences, flow};
use crate::error::Failure;
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
    let mut walk = Walk { scop, deps, flow: &flow, tree, budget, loops: 0 };
    let marked = walk.node(tree, &mut Vec::new());
    Ok(Marked { tree: marked, loops: walk.loops })
}

struct Walk<'a> {
    scop: &'a Scop,
    deps: &'a Dependences,
    flow: &'a [Dep],
    tree: &'a Node,
    budget: &'a Budget,
    loops: usize,
}

impl Walk<'_> {
    fn node(&mut self, node: &Node, path: &mut Vec<usize>) -> Node {
        match node {
            Node::Leaf | Node::Extension(..) | Node::Expansion(..) => node.clone(),
            Node::Band(band, child) => match (0..band.members.len()).find(|k| self.is_parallel(path, *k)) {
                Some(k) => {
                    self.loops += 1;
                    marked(band, k, child)
                }
                None => Node::Band(band.clone(), self.below(child, path)),
            },
            Node::Domain(sets, child) => Node::Domain(sets.clone(), self.below(child, path)),
            Node::Context(set, child) => Node::Context(set.clone(), self.below(child, path)),
            Node::Filter(sets, child) => Node::Filter(sets.clone(), self.below(child, path)),
            Node::Guard(set, child) => Node::Guard(set.clone(), self.below(child, path)),
            Node::Mark(Mark::Parallel, child) => *self.below(child, path),
            Node::Mark(mark, child) => Node::Mark(mark.clone(), self.below(child, path)),
            Node::Sequence(children) => Node::Sequence(self.each(children, path)),
            Node::Set(children) => Node::Set(self.each(children, path)),
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

    fn is_parallel(&self, path: &[usize], member: usize) -> bool {
        is_parallel(self.scop, (self.deps, self.flow), self.tree, (path, member), self.budget).unwrap_or(false)
    }
}

/// A band with a mark above member `at`, split there.
fn marked(band: &Band, at: usize, child: &Node) -> Node {
    let part = |members: &[_]| Band { members: members.to_vec(), permutable: band.permutable };
    let (outer, inner) = band.members.split_at(at);
    let marked = Node::Mark(Mark::Parallel, Box::new(Node::Band(part(inner), Box::new(child.clone()))));
    if outer.is_empty() { marked } else { Node::Band(part(outer), Box::new(marked)) }
}
