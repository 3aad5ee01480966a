//! Interchange: two loops, one inside of the other, change places.
//!
//! Legal where no dependence is carried by the outer one against the direction of the inner one (Allen, Kennedy,
//! Optimizing Compilers for Modern Architectures, 2001, section 5.2).

use super::chain::{Place, in_one_band, on_members};
use crate::model::tree::ops::{self, Inapplicable};
use crate::model::tree::{Node, Role};

/// Lets the loop at `outer` and the one at `inner`, inside of it, change places. What is said of parallelism of the
/// loops is dropped.
///
/// # Errors
/// The loops are not right inside of each other, but for loops in between that are.
pub fn interchange(tree: Node, outer: &Place, inner: &Place) -> Result<Node, Inapplicable> {
    let (tree, from, to) = in_one_band(tree, outer, inner)?;
    let swapped = |node: Node| {
        let Node::Band(mut band, child) = node else { return Err(Inapplicable("there are no loops".to_owned())) };
        let last = band.members.len() - 1;
        band.members.swap(0, last);
        for member in &mut band.members {
            (member.coincident, member.role) = (false, Role::Serial);
            member.alone.clear();
        }
        Ok(Node::Band(band, child))
    };
    ops::at(tree, &outer.path, &|node| on_members(node, (from, to), &swapped))
}
