//! Interchange: the loops of a band in another order.
//!
//! Legal where no dependence is carried by the outer one against the direction of the inner one (Allen, Kennedy,
//! Optimizing Compilers for Modern Architectures, 2001, section 5.2); always in a permutable band.

use super::chain::{Place, in_one_band, on_members};
use crate::model::tree::ops::{self, Inapplicable};
use crate::model::tree::{Node, Role};

/// Puts the members of a band in another order: the new member k is the old member `order[k]`. What is said of
/// parallelism of those that move is dropped.
///
/// # Errors
/// Not a band, or `order` does not list each member once.
pub fn permute(tree: Node, order: &[usize]) -> Result<Node, Inapplicable> {
    let Node::Band(mut band, child) = tree else { return Err(Inapplicable("there are no loops".to_owned())) };
    let mut old: Vec<_> = std::mem::take(&mut band.members).into_iter().map(Some).collect();
    let same = order.iter().enumerate().all(|(k, from)| k == *from);
    let taken: Option<Vec<_>> = order.iter().map(|from| old.get_mut(*from)?.take()).collect();
    let is_whole = old.iter().all(Option::is_none);
    band.members = taken
        .filter(|_| is_whole)
        .ok_or_else(|| Inapplicable("the order must list each loop of the band once".to_owned()))?;
    for member in band.members.iter_mut().filter(|_| !same) {
        (member.coincident, member.role) = (false, Role::Serial);
        member.alone.clear();
    }
    Ok(Node::Band(band, child))
}

/// Lets the loop at `outer` and the one at `inner`, inside of it, change places.
///
/// # Errors
/// The loops are not right inside of each other, but for loops in between that are.
pub fn interchange(tree: Node, outer: &Place, inner: &Place) -> Result<Node, Inapplicable> {
    let (tree, from, to) = in_one_band(tree, outer, inner)?;
    let mut order: Vec<usize> = (0..=to - from).collect();
    order.swap(0, to - from);
    ops::at(tree, &outer.path, &|node| on_members(node, (from, to), &|loops| permute(loops, &order)))
}
