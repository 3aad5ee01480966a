//! Loops of a tree, found by the values that they have for a statement.

use crate::ids::StmtId;
use crate::model::tree::ops::{self, Inapplicable};
use crate::model::tree::{Band, Node};
use presburger::Aff;

/// A band member: path of its band (child number at each step from the root) and position in it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// Path of the band.
    pub path: Vec<usize>,
    /// Position in the band.
    pub member: usize,
}

/// The outermost loop that has value `aff` for a statement.
#[must_use]
pub fn find(tree: &Node, stmt: StmtId, aff: &Aff) -> Option<Place> {
    let mut path = Vec::new();
    search(tree, stmt, aff, &mut path)
}

fn search(node: &Node, stmt: StmtId, aff: &Aff, path: &mut Vec<usize>) -> Option<Place> {
    if let Node::Band(band, _) = node
        && let Some(member) = band.members.iter().position(|m| m.affs.get(&stmt) == Some(aff))
    {
        return Some(Place { path: path.clone(), member });
    }
    if let Node::Filter(sets, _) = node
        && !sets.contains_key(&stmt)
    {
        return None;
    }
    node.children().iter().enumerate().find_map(|(k, child)| {
        path.push(k);
        let found = search(child, stmt, aff, path);
        path.pop();
        found
    })
}

/// The subtree at a path.
pub(super) fn node_at<'t>(tree: &'t Node, path: &[usize]) -> Option<&'t Node> {
    path.iter().try_fold(tree, |node, step| node.children().get(*step))
}

/// The tree with all loops from `first` to `last` in one band, bands in between being right below each other, and the
/// position of both in it.
///
/// # Errors
/// The loops are not directly inside each other.
pub(super) fn in_one_band(tree: Node, first: &Place, last: &Place) -> Result<(Node, usize, usize), Inapplicable> {
    let apart = || Inapplicable("the loops are not right inside of each other".to_owned());
    let levels = last.path.len().checked_sub(first.path.len()).filter(|_| last.path.starts_with(&first.path));
    let levels = levels.ok_or_else(apart)?;
    let mut before = 0;
    for level in 0..levels {
        let node = node_at(&tree, &last.path[..first.path.len() + level]);
        let Some(Node::Band(band, _)) = node else { return Err(apart()) };
        before += band.members.len();
    }
    let (from, to) = (first.member, before + last.member);
    if to < from {
        return Err(apart());
    }
    let mut tree = tree;
    for _ in 0..levels {
        tree = ops::at(tree, &first.path, &ops::combine)?;
    }
    Ok((tree, from, to))
}

/// The subtree of a band with members `from..=to` in a band of their own, which `op` changes with all that is inside of
/// it.
///
/// # Errors
/// Not a band, or those of `op`.
pub(super) fn on_members(
    node: Node,
    (from, to): (usize, usize),
    op: &dyn Fn(Node) -> Result<Node, Inapplicable>,
) -> Result<Node, Inapplicable> {
    let Node::Band(band, child) = node else { return Err(Inapplicable("there are no loops".to_owned())) };
    let part = |members: &[_]| Band { members: members.to_vec(), permutable: band.permutable };
    let around = |members: &[_], child: Node| {
        if members.is_empty() { child } else { Node::Band(part(members), Box::new(child)) }
    };
    let inner = around(&band.members[to + 1..], *child);
    let changed = op(Node::Band(part(&band.members[from..=to]), Box::new(inner)))?;
    Ok(around(&band.members[..from], changed))
}
