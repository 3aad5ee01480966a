//! Chains of results: what an innermost loop waits for, and what runs beside it.

use super::{SMALL, square};
use crate::cost::refs::{self, Facts};
use crate::cost::{Carry, Nest, Shape};
use crate::model::fixtures;
use presburger::Budget;

/// `q[i] += A[i][j] * p[j]` of bicg: the sum over `j` is one chain of additions. All data fits the first cache.
fn sums(facts: &[Facts], change: impl FnOnce(&mut Nest)) -> f64 {
    let mut nest = Nest { carry: vec![Carry::Chain], free: vec![vec![true, false]], ..square(&[3], &[[0, 1]], 40.0) };
    change(&mut nest);
    nest.cycles(facts, &SMALL)
}

fn facts() -> Vec<Facts> {
    refs::facts(&fixtures::scop("bicg"), &Budget::unlimited()).expect("small")
}

#[test]
fn a_sum_waits_as_long_as_its_operation_takes() {
    let with_latency = |latency: u32| {
        let mut facts = facts();
        facts[3].ops.latency = latency;
        sums(&facts, |nest| nest.free[0][0] = false)
    };
    let (short, long) = (with_latency(4), with_latency(8));
    assert!((long - short - 4.0 * 1600.0).abs() < 1.0, "{short} cycles by 4, {long} by 8");
}

#[test]
fn copies_wait_side_by_side_where_the_jammed_loop_carries_nothing() {
    let facts = facts();
    let alone = sums(&facts, |nest| nest.free[0][0] = false);
    let jammed = |is_free: bool| {
        sums(&facts, |nest| {
            nest.jam[0] = 4.0;
            nest.free[0][0] = is_free;
        })
    };
    assert!(jammed(true) < 0.5 * alone, "{} cycles of {alone}", jammed(true));
    assert!(jammed(false) > 0.9 * alone, "{} cycles of {alone}", jammed(false));
}

#[test]
fn short_chains_overlap_with_the_next_ones() {
    let facts = facts();
    let per_iteration = |trips: f64, is_free: bool| {
        sums(&facts, |nest| {
            nest.loops[1].trips[0] = trips;
            nest.free[0][0] = is_free;
        }) / (40.0 * trips)
    };
    assert!(per_iteration(8.0, true) < 0.6 * per_iteration(8.0, false), "a chain of 8 waits alone");
    let (free, bound) = (per_iteration(400.0, true), per_iteration(400.0, false));
    assert!((free - bound).abs() < 0.01 * bound, "a chain of 400 leaves no room: {free}, {bound}");
}

#[test]
fn sums_that_others_may_overwrite_go_through_memory() {
    let facts = facts();
    let both = |in_memory: &[usize]| {
        let nest = square(&[2, 3], &[[0, 1], [0, 1]], 40.0);
        let carry = vec![Carry::Nothing, Carry::Chain];
        Nest { carry, in_memory: in_memory.to_vec(), free: vec![vec![false; 2]; 2], ..nest }.cycles(&facts, &SMALL)
    };
    assert!(both(&[1, 2]) > 1.4 * both(&[]), "{} cycles in memory, {} in registers", both(&[1, 2]), both(&[]));
}

#[test]
fn sums_that_may_be_split_are_vectorized() {
    let shape = |reduced: Option<usize>| {
        let mut facts = facts();
        facts[3].reduced = reduced;
        square(&[3], &[[0, 1]], 40.0).shape(0, &facts)
    };
    assert_eq!((shape(Some(2)), shape(None)), (Shape::Vector, Shape::Strided));
}
