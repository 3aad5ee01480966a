//! Statements of one nest that walk through one array in different ways.

use super::{SMALL, square};
use crate::cost::refs;
use crate::model::fixtures;
use presburger::Budget;

/// Both statements of bicg read all of its matrix. One after the other along the same dims the second finds what the
/// first has just fetched; one by rows and one by columns each fetches it for itself.
#[test]
fn a_matrix_read_along_other_dims_is_fetched_again() {
    let facts = refs::facts(&fixtures::scop("bicg"), &Budget::steps(2_000_000)).expect("small");
    let memory = |dims: &[[usize; 2]]| square(&[2, 3], dims, 2000.0).estimate(&facts, &SMALL).memory;
    let (together, crossed) = (memory(&[[0, 1], [0, 1]]), memory(&[[0, 1], [1, 0]]));
    assert!(crossed > 1.8 * together, "{crossed} cycles crossed, {together} together");
}
