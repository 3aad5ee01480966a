//! Which loops threads run.
//!
//! In: a legal tree. Out: the same order, with [`Role::Threads`] for the outermost loop of each branch whose iterations
//! may run at the same time, and, further out or where there is none, for the outermost one whose blocks of iterations
//! may, given reduction copies of what they update: at run time that may not pay. No flag and no role of the tree is
//! believed: each loop is asked about anew.

use super::Copyable;
use super::copies::threads_of;
use crate::deps::{Dep, Dependences};
use crate::error::{Failure, Limit};
use crate::ids::ArrayId;
use crate::model::Scop;
use crate::model::tree::flat::visit_nodes;
use crate::model::tree::{Band, Node, Role, ThreadCopies, ops};
use crate::storage::buffer::MAX_COPY_BYTES;
use log::debug;
use presburger::{Budget, Share};
use std::collections::BTreeSet;

/// Part of the budget that finding out which arrays threads need copies of may cost.
const COPY_PART: u64 = 5;

/// A tree with roles.
#[derive(Clone, Debug)]
pub struct Marked {
    /// The tree.
    pub tree: Node,
    /// How many loops threads run.
    pub loops: usize,
    /// Arrays of which threads have private copies.
    pub copied: BTreeSet<ArrayId>,
    /// Arrays of which threads would need private copies for a loop further out, but must not have any.
    pub refused: BTreeSet<ArrayId>,
    /// Whether finding out which arrays threads need copies of took too long.
    pub undecided: bool,
    /// Why some loops are left to one thread that were not looked at to the end.
    pub gave_up: Option<Limit>,
    /// Arrays whose updates would have to be collected for a loop further out, but cannot be.
    pub not_reducible: BTreeSet<ArrayId>,
}

/// Gives roles to the loops of a tree: threads run the outermost loop of each branch that they may run, with private
/// copies of at most [`MAX_COPY_BYTES`] together. Further out, or where there is none, they also run the outermost loop
/// whose blocks of iterations need reduction copies. `copyable` says which whole arrays there can be copies of; `None`:
/// of none. There are no private copies of the arrays in `shared`. What is left behind in a privatized array is another
/// question ([`crate::deps::loops::left`]). Cost: two proofs per band member and array, until one succeeds.
///
/// # Errors
/// `Limit` when the budget is spent on what the scalars of the region carry; a loop whose own proof spends it is left
/// to one thread. `Bug` when an invariant breaks.
pub fn mark(
    scop: &Scop,
    deps: &Dependences,
    tree: &Node,
    (copyable, shared): (Option<Copyable<'_>>, &BTreeSet<ArrayId>),
    budget: &Budget,
) -> Result<Marked, Failure> {
    let flow = deps.scalar_flow(scop, budget)?;
    let mut walk = Walk {
        scop,
        deps,
        flow,
        tree,
        copyable,
        shared,
        budget,
        copy_budget: budget.part(COPY_PART),
        collecting: Collecting::Nothing,
        loops: 0,
        copied: BTreeSet::new(),
        refused: BTreeSet::new(),
        undecided: false,
        failure: None,
        not_reducible: BTreeSet::new(),
    };
    let marked = walk.node(tree, &mut Vec::new());
    let Walk { loops, copied, refused, undecided, failure, not_reducible, .. } = walk;
    let gave_up = match failure {
        None => None,
        Some(Failure::Limit(limit)) => Some(limit),
        Some(other) => return Err(other),
    };
    debug!(
        "{}: {loops} loops may run in threads; {} arrays copied, {} too large for that, {} not collected",
        scop.name,
        copied.len(),
        refused.len(),
        not_reducible.len()
    );
    Ok(Marked { tree: marked, loops, copied, refused, undecided, gave_up, not_reducible })
}

/// The tree with what threads need for themselves stated in each of their loops that does not say so, as far as
/// registers and reduction copies of elements go; a loop that needs more stays as it is, for the prover to refuse.
///
/// # Errors
/// `Limit` when the budget is spent.
pub fn stated(scop: &Scop, deps: &Dependences, tree: &Node, budget: &Budget) -> Result<Node, Failure> {
    let flow = deps.scalar_flow(scop, budget)?;
    let mut all = Vec::new();
    visit_nodes(tree, &mut |path, node, _| {
        if let Node::Band(band, _) = node {
            let roles = band.members.iter().enumerate().filter(|(_, m)| m.role != Role::Serial);
            all.extend(roles.map(|(k, _)| (path.to_vec(), k)));
        }
    });
    let mut made = tree.clone();
    for (path, member) in all {
        if let Some(copies) = threads_of(scop, (deps, flow), tree, (&path, member), None, budget)? {
            let role = Role::Threads(copies);
            made = ops::at(made, &path, &|node| match node {
                Node::Band(mut band, child) => {
                    band.members[member].role = role.clone();
                    Ok(Node::Band(band, child))
                }
                other => Ok(other),
            })
            .map_err(|why| Failure::Bug(why.to_string()))?;
        }
    }
    Ok(made)
}

/// The tree with every loop left to one thread.
#[must_use]
pub fn serial(node: Node) -> Node {
    let node = match node {
        Node::Band(band, child) => Node::Band(with_serial_members(band), child),
        other => other,
    };
    node.map_children(&mut serial)
}

fn with_serial_members(mut band: Band) -> Band {
    band.members.iter_mut().for_each(|m| m.role = Role::Serial);
    band
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
    copyable: Option<Copyable<'a>>,
    /// Arrays of which there must be no private copies.
    shared: &'a BTreeSet<ArrayId>,
    budget: &'a Budget,
    copy_budget: Share<'a>,
    /// What blocks of marked loops around need copies of.
    collecting: Collecting,
    loops: usize,
    copied: BTreeSet<ArrayId>,
    refused: BTreeSet<ArrayId>,
    undecided: bool,
    /// The first proof that failed.
    failure: Option<Failure>,
    not_reducible: BTreeSet<ArrayId>,
}

impl Walk<'_> {
    fn node(&mut self, node: &Node, path: &mut Vec<usize>) -> Node {
        match node {
            Node::Leaf | Node::Extension(..) | Node::Expansion(..) => serial(node.clone()),
            Node::Band(band, child) => self.band(band, child, path),
            Node::Domain(sets, child) => Node::Domain(sets.clone(), self.below(child, path)),
            Node::Context(set, child) => Node::Context(set.clone(), self.below(child, path)),
            Node::Filter(sets, child) => Node::Filter(sets.clone(), self.below(child, path)),
            Node::Guard(set, child) => Node::Guard(set.clone(), self.below(child, path)),
            Node::Mark(mark, child) => Node::Mark(mark.clone(), self.below(child, path)),
            Node::Sequence(children) => Node::Sequence(self.each(children, path)),
            Node::Set(children) => Node::Set(self.each(children, path)),
        }
    }

    fn band(&mut self, band: &Band, child: &Node, path: &mut Vec<usize>) -> Node {
        let (mut band, mut found, around) = (with_serial_members(band.clone()), false, self.collecting);
        for k in 0..band.members.len() {
            let Some(copies) = self.copies(&band, path, k) else { continue };
            found = copies.collects_nothing();
            let collects = if copies.arrays.is_empty() { Collecting::Elements } else { Collecting::Arrays };
            if found || collects > self.collecting {
                self.collecting = collects;
                self.loops += 1;
                band.members[k].role = Role::Threads(copies);
            }
            if found {
                break;
            }
        }
        let child = if found { Box::new(self.inside(child.clone())) } else { self.below(child, path) };
        self.collecting = around;
        Node::Band(band, child)
    }

    /// What stands inside of a loop that threads run: where there turns out to be no room for its copies, or one thread
    /// runs it, loops inside that share nothing but memory keep the roles that they came with.
    fn inside(&self, node: Node) -> Node {
        let node = match node {
            Node::Band(mut band, child) => {
                for member in &mut band.members {
                    if !self.scop.scalars_written_by(member.affs.keys().copied()).is_empty() {
                        member.role = Role::Serial;
                    }
                }
                Node::Band(band, child)
            }
            other => other,
        };
        node.map_children(&mut |child| self.inside(child))
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

    /// What threads need for a member's loop ([`threads_of`]), if there is room for it.
    fn copies(&mut self, band: &Band, path: &[usize], member: usize) -> Option<ThreadCopies> {
        let (deps, whole) = ((self.deps, self.flow), self.copyable.map(|_| &*self.copy_budget));
        let copies = threads_of(self.scop, deps, self.tree, (path, member), whole, self.budget);
        let copies = match copies {
            Ok(copies) => copies?,
            Err(failure) => {
                let of_copies = matches!(failure, Failure::Limit(_)) && self.copy_budget.left() == 0;
                self.undecided |= of_copies;
                if !of_copies || self.budget.left() == 0 {
                    self.failure.get_or_insert(failure);
                }
                return None;
            }
        };
        let Some(copyable) = self.copyable else { return Some(copies) };
        let stmts = band.members.iter().flat_map(|m| m.affs.keys().copied()).collect();
        let arrays = copies.arrays.iter().map(|c| c.array);
        let cannot: Vec<ArrayId> = arrays.filter(|a| !(copyable.reducible)(*a, &stmts)).collect();
        if !cannot.is_empty() {
            self.not_reducible.extend(cannot);
            return None;
        }
        let size = |a: &ArrayId| if self.shared.contains(a) { None } else { (copyable.private)(*a) };
        let unfit: Vec<ArrayId> = copies.privatized.iter().copied().filter(|a| size(a).is_none()).collect();
        let bytes: u64 = copies.privatized.iter().filter_map(size).fold(0, u64::saturating_add);
        if unfit.is_empty() && bytes <= MAX_COPY_BYTES {
            self.copied.extend(&copies.privatized);
            return Some(copies);
        }
        self.refused.extend(if unfit.is_empty() { copies.privatized } else { unfit });
        None
    }
}
