//! Arithmetic beside loads and stores, and address translation.

use super::{SMALL, square};
use crate::cost::Machine;
use crate::cost::refs;
use crate::model::{StmtBody, fixtures};
use presburger::Budget;

#[test]
fn dear_arithmetic_counts() {
    let with = |scalar: u32| {
        let mut facts = refs::facts(&fixtures::scop("bicg"), &Budget::unlimited()).expect("small");
        (facts[2].ops.scalar_64ths, facts[2].ops.vector_64ths) = (scalar, scalar / 2);
        square(&[2], &[[0, 1]], 40.0).cycles(&facts, &SMALL)
    };
    let (cheap, dear) = (with(64), with(64 * 16));
    assert!(dear - cheap > 0.9 * 7.5 * 1600.0, "a division of 8 cycles per element: {dear}, else {cheap}");
}

/// By columns, every element of a 2000 x 2000 matrix is on a page of its own, more than address translation holds.
#[test]
fn walks_by_columns_miss_pages() {
    let facts = refs::facts(&fixtures::scop("bicg"), &Budget::unlimited()).expect("small");
    let missed_on = |dims: [usize; 2], machine| square(&[3], &[dims], 2000.0).moving(&facts, machine).translation;
    let missed = |dims: [usize; 2]| missed_on(dims, &SMALL);
    assert!(missed([1, 0]) > 100.0 * missed([0, 1]), "{} by columns, {} by rows", missed([1, 0]), missed([0, 1]));
    let quick = missed_on([1, 0], &Machine { is_quick: true, ..SMALL });
    assert!(quick < 0.01 * missed([1, 0]), "the quickest cores hold them: {quick}");
}

/// Whether threads pay is asked in the same cycles.
#[test]
fn dear_arithmetic_pays_for_threads_sooner() {
    let mut scop = fixtures::scop("bicg");
    let plain = refs::cycles(&scop, &scop.stmts[2]);
    let StmtBody::Original(code) = &mut scop.stmts[2].body else { panic!("a statement of the program") };
    code.ops.scalar_64ths = 20 * 64;
    let dear = refs::cycles(&scop, &scop.stmts[2]);
    assert!(plain < 5.0 && dear > 20.0 && dear < 21.0, "{plain}, then {dear}");
}
