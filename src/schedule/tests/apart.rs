//! Statements that need not share loops: by estimated time, together or with loops of their own.

use super::transformed;
use crate::model::fixtures;
use crate::model::tree::Node;
use crate::schedule::{Config, Fusion};

/// Whether all statements stand inside one band.
fn share_loops(name: &str, fusion: Fusion) -> bool {
    let config = Config { fusion, ..Config::default() };
    let (tree, _) = transformed(&fixtures::scop(name), &config);
    let Node::Domain(_, below) = tree else { panic!("{name}: no domain") };
    !matches!(*below, Node::Sequence(_))
}

/// The two products of mvt read one matrix by rows and by columns: in one loop nest one of them walks by columns, and
/// they touch the same elements only on the diagonal.
#[test]
fn products_with_a_matrix_and_its_transpose_have_loops_of_their_own() {
    assert!(share_loops("mvt", Fusion::Max));
    assert!(!share_loops("mvt", Fusion::Smart));
}

/// Steps of one stencil in diamonds read what the others wrote not long ago.
#[test]
fn stencils_share_loops() {
    assert!(share_loops("jacobi_2d", Fusion::Smart));
    assert!(share_loops("fdtd_2d", Fusion::Smart));
}
