//! Distribution: a loop around several statements becomes several loops.
//!
//! Legal where no dependence goes back from a later part to an earlier one. The scheduler looks for the loops of each
//! part apart, so that it has no shared loop to begin with; its parts are put together by [`in_sequence`].

use super::chain::{Place, node_at, on_members};
use crate::ids::StmtId;
use crate::model::tree::Node;
use crate::model::tree::ops::{self, Inapplicable};
use presburger::Set;
use std::collections::BTreeMap;

/// Parts, each with the instances it runs, one after the other.
#[must_use]
pub fn in_sequence(parts: impl IntoIterator<Item = (BTreeMap<StmtId, Set>, Node)>) -> Node {
    Node::Sequence(parts.into_iter().map(|(instances, part)| ops::insert_filter(part, instances)).collect())
}

/// Distributes the loop at `place`, and those between it and the parts, over the parts of the sequence inside of it.
///
/// # Errors
/// There is no sequence inside of these loops.
pub fn distribute(tree: Node, place: &Place) -> Result<Node, Inapplicable> {
    let mut tree = tree;
    let below = [&place.path[..], &[0]].concat();
    while matches!(node_at(&tree, &below), Some(Node::Band(..))) {
        tree = ops::at(tree, &place.path, &ops::combine)?;
    }
    let members = match node_at(&tree, &place.path) {
        Some(Node::Band(band, _)) => band.members.len(),
        _ => return Err(Inapplicable("there is no such loop".to_owned())),
    };
    ops::at(tree, &place.path, &|node| on_members(node, (place.member, members - 1), &ops::distribute))
}
