//! Chains of results: what an innermost loop waits for, and what runs beside it.

use super::{SMALL, facts_of, square};
use crate::cost::refs::{self, Facts};
use crate::cost::{Carry, Machine, Nest, Shape};
use crate::model::{Ops, fixtures};
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
fn a_core_that_looks_further_ahead_has_more_chains_of_short_loops_side_by_side() {
    let facts = facts();
    let nest = Nest { carry: vec![Carry::Chain], free: vec![vec![true, false]], ..square(&[3], &[[0, 1]], 16.0) };
    let work = |is_quick: bool| {
        let wide = Machine { is_quick, ..SMALL };
        let with_latency = |latency: u32| {
            let mut facts = facts.clone();
            facts[3].ops.latency = latency;
            nest.cycles(&facts, &wide)
        };
        with_latency(400) - with_latency(200)
    };
    assert!(work(false) > 1.5 * work(true), "{} and {} cycles of waiting", work(false), work(true));
}

/// Statements in tiles that bounds cut into are not jammed.
#[test]
fn partial_tiles_wait_as_if_nothing_was_jammed() {
    let facts = facts();
    let of = |jam: f64, partial: f64| {
        sums(&facts, |nest| {
            nest.jam[0] = jam;
            nest.partial = partial;
        })
    };
    let (full, half, none, alone) = (of(4.0, 0.0), of(4.0, 0.5), of(4.0, 1.0), of(1.0, 0.0));
    assert!(full < half && half < none, "{full}, {half}, {none} cycles");
    assert!((none - alone).abs() < 1.0, "{none} cycles in partial tiles, {alone} without copies");
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

/// A running sum over both dims; `paths`: cycles from the reads of the elements above, and `left` to the left.
fn running_sum(left: i64, paths: [u32; 2]) -> Vec<Facts> {
    let text = format!(
        "scop running
params: N
assumed: {{ : N >= 1 }}
array Arr0 memory f64 [*, N]
stmt Stmt0
  domain: {{ Stmt0[i, j] : 1 <= i < N and {left} <= j < N }}
  schedule: [0, i, 0, j, 0]
  read: {{ Stmt0[i, j] -> Arr0[i - 1, j] }}
  read: {{ Stmt0[i, j] -> Arr0[i, j - {left}] }}
  must_write: {{ Stmt0[i, j] -> Arr0[i, j] }}
"
    );
    facts_of(&text, &paths)
}

#[test]
fn an_iteration_waits_for_what_it_reads_of_the_one_before() {
    let cycles = |left: i64, paths: [u32; 2], dims: [usize; 2]| {
        let nest = Nest { carry: vec![Carry::Chain], free: vec![vec![false; 2]], ..square(&[0], &[dims], 40.0) };
        nest.cycles(&running_sum(left, paths), &SMALL) / 1600.0
    };
    let (along, down) = ([0, 1], [1, 0]);
    let close = |a: f64, b: f64| (a - b).abs() < 0.01;
    assert!(
        close(cycles(1, [12, 20], along) - cycles(1, [12, 8], along), 12.0),
        "the path from the left counts by rows"
    );
    assert!(close(cycles(1, [12, 20], down), cycles(1, [12, 8], down)), "and not by columns");
    assert!(close(cycles(1, [12, 8], down) - cycles(1, [12, 8], along), 4.0), "the path from above does");
    assert!(
        close(cycles(1, [12, 19], along) - cycles(2, [12, 19], along), 7.0),
        "two chains through memory take turns"
    );
}

/// The next row depends on this one, but starts when this one has just started: of short rows a core has several ahead.
#[test]
fn short_rows_wait_beside_each_other() {
    let cycles = |trips: f64, starts_soon: bool| {
        let nest = Nest {
            carry: vec![Carry::Chain],
            free: vec![vec![false; 2]],
            starts_soon,
            ..square(&[0], &[[0, 1]], trips)
        };
        nest.estimate(&running_sum(1, [12, 20]), &SMALL).parts.latency / (trips * trips)
    };
    assert!(cycles(16.0, true) < 0.6 * cycles(16.0, false));
    assert!(cycles(1000.0, true) > 0.9 * cycles(1000.0, false), "long rows fill what a core looks ahead");
}

#[test]
fn sums_in_place_go_through_memory_where_other_elements_are_written() {
    let one = facts();
    let mut both = facts();
    let other = both[2].refs.iter_mut().find(|r| r.writes).expect("an update");
    other.array = one[3].refs.iter().find(|r| r.writes).expect("a sum").array;
    let cycles = |facts: &[Facts]| {
        let nest = square(&[2, 3], &[[0, 1], [0, 1]], 40.0);
        let carry = vec![Carry::Nothing, Carry::Chain];
        Nest { carry, free: vec![vec![false; 2]; 2], ..nest }.cycles(facts, &SMALL)
    };
    assert!(cycles(&both) > 1.4 * cycles(&one), "{} cycles in memory, {} in registers", cycles(&both), cycles(&one));
}

/// `A[0][j] = A[0][j] + A[1][k] * ...`; `paths`: cycles from the element itself and from the one of the row below.
fn update(paths: [u32; 2]) -> Vec<Facts> {
    let text = "scop update
params: N
assumed: { : N >= 1 }
array Arr0 memory f64 [*, N]
stmt Stmt0
  domain: { Stmt0[j, k] : 0 <= j < N and 0 <= k < N }
  schedule: [0, j, 0, k, 0]
  read: { Stmt0[j, k] -> Arr0[0, j] }
  read: { Stmt0[j, k] -> Arr0[1, k] }
  must_write: { Stmt0[j, k] -> Arr0[0, j] }
";
    facts_of(text, &paths)
}

#[test]
fn an_update_waits_for_the_element_that_it_updates_and_for_no_other_of_the_array() {
    let cycles = |paths: [u32; 2]| {
        let mut facts = update(paths);
        facts[0].ops.latency = 16;
        let free = vec![vec![false; 2]];
        Nest { carry: vec![Carry::Chain], free, ..square(&[0], &[[0, 1]], 40.0) }.cycles(&facts, &SMALL) / 1600.0
    };
    assert!((cycles([8, 16]) - cycles([4, 16]) - 4.0).abs() < 0.01, "{} and {}", cycles([8, 16]), cycles([4, 16]));
    assert!((cycles([8, 16]) - cycles([8, 30])).abs() < 0.01, "{} and {}", cycles([8, 16]), cycles([8, 30]));
}

#[test]
fn jammed_copies_load_again_what_the_one_before_may_have_stored() {
    let cycles = |is_other: bool| {
        let mut facts = update([4, 16]);
        if is_other {
            facts[0].refs[1].array = 7;
        }
        Nest { jam: vec![8.0, 1.0], ..square(&[0], &[[0, 1]], 40.0) }.cycles(&facts, &SMALL) / 1600.0
    };
    assert!(cycles(false) > cycles(true), "{} cycles of one array, {} of two", cycles(false), cycles(true));
}

/// `t[j][k] = condition ? d[j] : 1`: without a condition LLVM loads `d[j]` before the loop.
#[test]
fn what_only_some_iterations_load_is_gathered() {
    let text = "scop choice
params: N
assumed: { : N >= 1 }
array Arr0 memory f64 [*, N]
array Arr1 memory f64 [*]
stmt Stmt0
  domain: { Stmt0[j, k] : 0 <= j < N and 0 <= k < N }
  schedule: [0, j, 0, k, 0]
  read: { Stmt0[j, k] -> Arr1[j] }
  must_write: { Stmt0[j, k] -> Arr0[j, k] }
";
    let cycles = |in_arm: bool, arithmetic: u32, may_gather: bool| {
        let mut facts = facts_of(text, &[]);
        let (scalar_64ths, vector_64ths) = (64 * arithmetic, 16 * arithmetic);
        facts[0].ops = Ops { scalar_64ths, vector_64ths, vector_bits: 256, ..Ops::default() };
        facts[0].refs.iter_mut().find(|r| !r.writes).expect("a read").in_arm = in_arm;
        Nest { may_gather, ..square(&[0], &[[0, 1]], 40.0) }.cycles(&facts, &SMALL) / 1600.0
    };
    assert!(cycles(true, 1, false) > 2.0 * cycles(false, 1, false), "new code does without vectors");
    assert!(cycles(true, 8, false) > 2.0 + cycles(false, 8, false), "or gathers for each element");
    assert!(cycles(true, 8, true) > cycles(false, 8, true), "the original code does, too");
}
