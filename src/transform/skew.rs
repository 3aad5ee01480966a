//! Skewing: multiples of one loop's values are added to another's.
//!
//! Skewing an inner loop by an outer one alone keeps the order of instances and makes dependences point forward in both
//! (Wolf, Lam, IEEE TPDS 2(4), 1991).

use super::chain::{Place, in_one_band, on_members};
use crate::model::tree::Node;
use crate::model::tree::ops::{self, Inapplicable};

/// Adds `factor` times the value of the loop at `by` to the value of the loop at `of`; one is inside of the other.
///
/// # Errors
/// The loops are not right inside of each other, but for loops in between that are.
pub fn skew(tree: Node, of: &Place, by: &Place, factor: i64) -> Result<Node, Inapplicable> {
    let of_is_outer = (of.path.len(), of.member) < (by.path.len(), by.member);
    let (outer, inner) = if of_is_outer { (of, by) } else { (by, of) };
    let (tree, from, to) = in_one_band(tree, outer, inner)?;
    let skewed = |node: Node| {
        let Node::Band(band, _) = &node else { return Err(Inapplicable("there are no loops".to_owned())) };
        let width = band.members.len();
        let (own, other) = if of_is_outer { (0, width - 1) } else { (width - 1, 0) };
        let entry = |row: usize, column: usize| {
            if row == column {
                1
            } else if (row, column) == (own, other) {
                factor
            } else {
                0
            }
        };
        let matrix: Vec<Vec<i64>> = (0..width).map(|r| (0..width).map(|c| entry(r, c)).collect()).collect();
        ops::change_band(node, &matrix, &vec![0; width])
    };
    ops::at(tree, &outer.path, &|node| on_members(node, (from, to), &skewed))
}
