//! Statements of one nest that walk through one array in different ways.

use super::{SMALL, square};
use crate::cost::{Machine, Nest, refs};
use crate::model::{Scop, fixtures};
use presburger::Budget;

/// Both statements of bicg read all of its matrix. One after the other along the same dims the second finds what the
/// first has just fetched; one by rows and one by columns each fetches it for itself.
#[test]
fn a_matrix_read_along_other_dims_is_fetched_again() {
    let facts = refs::facts(&fixtures::scop("bicg"), &Budget::steps(2_000_000)).expect("small");
    let memory = |dims: &[[usize; 2]]| square(&[2, 3], dims, 2000.0).estimate(&facts, &SMALL).parts.lines[2];
    let (together, crossed) = (memory(&[[0, 1], [0, 1]]), memory(&[[0, 1], [1, 0]]));
    assert!(crossed > 1.8 * together, "{crossed} cycles crossed, {together} together");
}

/// A short loop of which a compiler makes straight code in the loop around it walks as the short loop does.
#[test]
fn copies_of_short_loops_stand_inside_of_the_loop_around() {
    let facts = refs::facts(&fixtures::scop("bicg"), &Budget::unlimited()).expect("small");
    let own = square(&[3], &[[0, 1]], 2000.0);
    let straight = square(&[3], &[[1, 0]], 2000.0);
    let memory = |walked: &Nest| straight.estimate_walking(walked, &facts, &SMALL).parts.lines[2];
    let alone = own.estimate(&facts, &SMALL).parts.lines[2];
    assert!((memory(&own) - alone).abs() < 1.0 && memory(&straight) > 1.5 * alone, "{} of {alone}", memory(&own));
}

/// Code that is made here gathers nothing that is only moved; what a compiler makes of the original may.
#[test]
fn elements_are_moved_one_by_one_where_they_lie_apart() {
    let text = "scop turned
params: N
array Arr0 memory f64 [*, N]
array Arr1 memory f64 [*, N]
stmt Stmt0
  domain: { Stmt0[i, j] : 0 <= i < N and 0 <= j < N }
  schedule: [0, i, 0, j, 0]
  read: { Stmt0[i, j] -> Arr0[j, i] }
  must_write: { Stmt0[i, j] -> Arr1[i, j] }
";
    let facts = refs::facts(&Scop::parse(text).expect("a scop"), &Budget::unlimited()).expect("small");
    let cycles = |may_gather: bool| {
        let nest = Nest { may_gather, ..square(&[0], &[[0, 1]], 40.0) };
        nest.cycles(&facts, &Machine { vector_bits: 512, ..SMALL })
    };
    assert!(1.3 * cycles(true) < cycles(false), "{} and {} cycles", cycles(true), cycles(false));
}

/// Elimination of all rows but one: where that one is told apart by `if (i != k)`, tests of overlap before the loop
/// over `i` fail, and the original runs without vectors.
#[test]
fn rows_that_are_left_out_keep_the_original_from_vectors() {
    let text = |domain: &str| {
        format!(
            "scop eliminate
params: N, k
array Arr0 memory f64 [*, N]
stmt Stmt0
  domain: {{ Stmt0[i, j] : 0 <= j < N and {domain} }}
  schedule: [0, i, 0, j, 0]
  read: {{ Stmt0[i, j] -> Arr0[k, j] }}
  must_write: {{ Stmt0[i, j] -> Arr0[i, j] }}
"
        )
    };
    let cycles = |domain: &str, may_gather: bool| {
        let scop = Scop::parse(&text(domain)).expect("a scop");
        let facts = refs::facts(&scop, &Budget::unlimited()).expect("small");
        Nest { may_gather, ..square(&[0], &[[0, 1]], 40.0) }.cycles(&facts, &SMALL)
    };
    let (around, below) = ("(0 <= i < k or k < i < N)", "k < i < N");
    assert!(cycles(around, true) > 1.5 * cycles(below, true));
    assert!((cycles(around, false) - cycles(below, false)).abs() < 1.0, "new loops run below and above it");
}

/// Neighbours clamped to the border are read in pieces, of which the usual one counts.
#[test]
fn an_access_in_pieces_walks_as_its_usual_piece() {
    let text = "scop clamped
params: N
assumed: { : N >= 1 }
array Arr0 memory f64 [*, N]
array Arr1 memory f64 [*, N]
stmt Stmt0
  domain: { Stmt0[i, j] : 0 <= i < N and 0 <= j < N }
  schedule: [0, i, 0, j, 0]
  read: { Stmt0[i, j] -> Arr0[0, j] : i = 0; Stmt0[i, j] -> Arr0[i - 1, j] : i > 0 }
  must_write: { Stmt0[i, j] -> Arr1[i, j] }
";
    let scop = Scop::parse(text).expect("a scop");
    let facts = refs::facts(&scop, &Budget::unlimited()).expect("small");
    let read = facts[0].refs.iter().find(|r| r.reads).expect("a read");
    assert!(!read.irregular && read.subscripts == [[1.0, 0.0], [0.0, 1.0]], "{read:?}");
}

/// Columns of rows that are a multiple of a page apart share a few sets of each cache, which holds none of them until
/// the next column.
#[test]
fn columns_of_rows_a_power_of_two_apart_crowd_the_cache() {
    let cycles = |row: i64| {
        let text = format!(
            "scop turned
array Arr0 memory f64 [*, {row}]
array Arr1 memory f64 [*, {row}]
stmt Stmt0
  domain: {{ Stmt0[i, j] : 0 <= i < 256 and 0 <= j < 256 }}
  schedule: [0, i, 0, j, 0]
  read: {{ Stmt0[i, j] -> Arr0[i, j] }}
  must_write: {{ Stmt0[i, j] -> Arr1[j, i] }}
"
        );
        let facts = refs::facts(&Scop::parse(&text).expect("a scop"), &Budget::unlimited()).expect("small");
        square(&[0], &[[0, 1]], 256.0).cycles(&facts, &SMALL)
    };
    let (usual, crowded) = (cycles(260), cycles(256));
    assert!(crowded > 3.0 * usual, "{crowded} cycles crowded, {usual} else");
    assert!(cycles(264) < 2.0 * usual, "rows an odd number of lines apart: {} cycles", cycles(264));
}

/// Rows that are shorter than a line share lines: pixels of three bytes are read line by line.
#[test]
fn short_rows_share_lines() {
    let text = |row: i64| {
        format!(
            "scop plane
params:
array Arr0 memory i8 [*, {row}]
array Arr1 memory i8 [*]
stmt Stmt0
  domain: {{ Stmt0[i, j] : 0 <= i < 1000 and 0 <= j < 1000 }}
  schedule: [0, i, 0, j, 0]
  read: {{ Stmt0[i, j] -> Arr0[1000i + j, 1] }}
  must_write: {{ Stmt0[i, j] -> Arr1[1000i + j] }}
"
        )
    };
    let moved = |row: i64| {
        let facts = refs::facts(&Scop::parse(&text(row)).expect("a scop"), &Budget::unlimited()).expect("small");
        square(&[0], &[[0, 1]], 1000.0).estimate(&facts, &SMALL).parts.lines.iter().sum::<f64>()
    };
    assert!(moved(3) < 6.0 * moved(1) && 8.0 * moved(3) < moved(64), "{}, {}, {}", moved(1), moved(3), moved(64));
}

/// An image enlarged by four: each of its elements is read sixteen times, of few lines. LLVM does not test at run time
/// whether what moves on in every fourth iteration alone overlaps what is written, so that the original runs without
/// vectors.
#[test]
fn quotients_move_along_few_lines() {
    let text = |read: &str| {
        format!(
            "scop enlarged
params: N
array Arr0 memory i32 [*, N]
array Arr1 memory i32 [*, N]
alias: Arr0, Arr1
stmt Stmt0
  domain: {{ Stmt0[i, j] : 0 <= i < N and 0 <= j < N }}
  schedule: [0, i, 0, j, 0]
  read: {{ Stmt0[i, j] -> Arr0[{read}] }}
  must_write: {{ Stmt0[i, j] -> Arr1[i, j] }}
"
        )
    };
    let facts = |read: &str| {
        let scop = Scop::parse(&text(read)).expect("a scop");
        refs::facts(&scop, &Budget::unlimited()).expect("small")
    };
    let (whole, enlarged) = (facts("i, j"), facts("floor((i + 3)/4) + 1, floor(j/4)"));
    let read = &enlarged[0].refs[0];
    assert_eq!(read.subscripts, [[0.25, 0.0], [0.0, 0.25]]);
    assert_eq!(read.askew, [true, false], "three rows after a multiple of four, and at one");
    let nest = |in_memory: &[usize]| Nest { in_memory: in_memory.to_vec(), ..square(&[0], &[[0, 1]], 400.0) };
    let lines = |facts: &[refs::Facts]| nest(&[]).touched(facts)[0];
    assert!(lines(&enlarged) < 0.6 * lines(&whole), "{} of {} bytes", lines(&enlarged), lines(&whole));
    let cycles = |in_memory: &[usize], facts: &[refs::Facts]| nest(in_memory).cycles(facts, &SMALL);
    assert!(cycles(&[0, 1], &enlarged) > 1.2 * cycles(&[], &enlarged), "tests are possible");
    assert!((cycles(&[0, 1], &whole) - cycles(&[], &whole)).abs() < 1.0, "what moves evenly is tested");
}

/// One half of a memory is computed from the other one: that is two places, and not all that lies between them.
#[test]
fn accesses_far_apart_are_two() {
    let text = |behind: &str| {
        format!(
            "scop halves
params: N
array Arr0 memory f32 [*, N]
stmt Stmt0
  domain: {{ Stmt0[i, j] : 0 <= i < N and 0 <= j < N }}
  schedule: [0, i, 0, j, 0]
  read: {{ Stmt0[i, j] -> Arr0[i, j] }}
  must_write: {{ Stmt0[i, j] -> Arr0[i + {behind}, j] }}
"
        )
    };
    let count = |behind: &str| {
        let scop = Scop::parse(&text(behind)).expect("a scop");
        refs::facts(&scop, &Budget::unlimited()).expect("small")[0].refs.len()
    };
    assert_eq!([count("3"), count("1000"), count("N")], [1, 2, 2]);
}
