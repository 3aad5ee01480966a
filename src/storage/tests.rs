//! What statements touch: exactly, in boxes, along the outermost subscript, next to each other or not. What they write
//! that is written over.

use super::bounds::{End, Quotient, Side};
use super::footprint::{ElementBox, Footprint};
use super::overwritten::needed;
use super::scalars::tests::{instances, left_by, program};
use crate::ids::ArrayId;
use crate::model::Scop;
use presburger::{Budget, Set, Space};

fn budget() -> Budget {
    Budget::steps(100_000)
}

/// `for i < N, j < 100: Arr0[write] = Arr1[read]`, both with rows of 100 elements of 8 bytes.
fn scop(write: &str, read: &str) -> Scop {
    let text = format!(
        "
        scop s
        params: N
        assumed: {{ : 1 <= N }}
        array Arr0 memory f64 [*, 100]
        array Arr1 memory f64 [*, 100]
        stmt Stmt0
          domain: {{ Stmt0[i, j] : 0 <= i < N and 0 <= j < 100 }}
          schedule: [0, i, 0, j, 0]
          read: {{ Stmt0[i, j] -> Arr1[{read}] }}
          must_write: {{ Stmt0[i, j] -> Arr0[{write}] }}
        "
    );
    Scop::parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

fn elements_are(scop: &Scop, array: u32, expected: &str) {
    let got = Footprint::of_region(scop, ArrayId(array)).elements(&budget()).expect("within budget");
    let want = Set::parse(expected).expect("a set");
    assert!(got.is_equal(&want, &budget()).expect("within budget"), "{got} is not {want}");
}

fn boxed(scop: &Scop, array: u32) -> Option<Vec<(i64, i64)>> {
    let found = Footprint::of_region(scop, ArrayId(array)).bounding_box(&budget());
    found.expect("within budget").map(|b| b.0)
}

#[test]
fn elements_are_exact() {
    let scop = scop("i, 2j", "3, 99 - j");
    elements_are(&scop, 0, "[N] -> { Arr0[a, b] : 0 <= a < N and exists (e : b = 2e and 0 <= e < 100) }");
    elements_are(&scop, 1, "[N] -> { Arr1[3, b] : N >= 1 and 0 <= b < 100 }");
}

#[test]
fn a_box_is_the_smallest_and_needs_bounds_that_are_known() {
    assert_eq!(boxed(&scop("i, j", "3, 99 - j"), 1), Some(vec![(3, 3), (0, 99)]));
    assert_eq!(boxed(&scop("i, j", "j, 2j - 7"), 1), Some(vec![(0, 99), (-7, 191)]));
    assert_eq!(boxed(&scop("i, j", "i, j"), 1), None);
}

#[test]
fn what_nothing_touches_has_neither_box_nor_range() {
    let scop = scop("i, j", "i, j");
    let nothing = Footprint::of(&scop, [], ArrayId(0));
    assert!(nothing.is_empty() && !nothing.is_written());
    assert_eq!(nothing.outermost(&budget()).expect("within budget"), None);
    assert_eq!(nothing.bounding_box(&budget()).expect("within budget"), None);
    assert!(nothing.elements(&budget()).expect("within budget").is_empty(&budget()).expect("within budget"));
}

#[test]
fn only_the_arrays_that_are_written_are_written() {
    let scop = scop("i, j", "i, j");
    assert!(Footprint::of_region(&scop, ArrayId(0)).is_written());
    assert!(!Footprint::of_region(&scop, ArrayId(1)).is_written());
}

/// `row . [N, 1] / den`.
fn quotient(row: [i64; 2], den: i64) -> Quotient {
    Quotient { row: row.to_vec(), den }
}

#[test]
fn a_range_follows_the_parameters() {
    let found = |write: &str| {
        let scop = scop(write, "i, j");
        let range = Footprint::of_region(&scop, ArrayId(0)).outermost(&budget());
        range.expect("within budget").expect("bounded")
    };
    let range = found("i + 2, j");
    assert_eq!(range.first, End { side: Side::First, accesses: vec![vec![quotient([0, 2], 1)]] });
    assert_eq!(range.last, End { side: Side::Last, accesses: vec![vec![quotient([1, 1], 1)]] });
    assert_eq!((range.first.as_constant(), range.last.as_constant()), (Some(2), None));
    assert!(range.last.is_affine());
    let space = Space::set(&["N"], "", 0);
    let range = found("2i - j, j");
    for n in [1, 7, 100] {
        let value = |end: &End| end.value(&space, &budget()).expect("within budget").eval(&[n], &[]);
        assert_eq!((value(&range.first), value(&range.last)), (Some(-99), Some(2 * n - 2)));
    }
}

#[test]
fn an_end_is_the_loosest_over_accesses_of_the_tightest_of_each() {
    let of = |side, accesses| End { side, accesses };
    let accesses = vec![vec![quotient([1, 0], 2), quotient([0, 10], 1)], vec![quotient([-1, 20], 1)]];
    let space = Space::set(&["N"], "", 0);
    let at = |end: &End, n: i64| end.value(&space, &budget()).expect("within budget").eval(&[n], &[]);
    let (first, last) = (of(Side::First, accesses.clone()), of(Side::Last, accesses));
    for n in [-5_i64, 3, 7, 9, 30] {
        let (up, down) = (-(-n).div_euclid(2), n.div_euclid(2));
        assert_eq!(at(&first, n), Some(up.max(10).min(20 - n)), "first at {n}");
        assert_eq!(at(&last, n), Some(down.min(10).max(20 - n)), "last at {n}");
    }
    assert!(!first.is_affine() && first.as_constant().is_none());
}

#[test]
fn a_box_is_dense_where_whole_rows_follow_each_other() {
    let dense = |bounds: &[(i64, i64)], strides: &[i64]| ElementBox(bounds.to_vec()).is_dense(strides);
    assert!(dense(&[(0, 4), (0, 99)], &[800, 8]));
    assert!(dense(&[(3, 3), (5, 9)], &[800, 8]));
    assert!(!dense(&[(0, 4), (0, 98)], &[800, 8]), "the last element of each row is not in it");
    assert!(!dense(&[(0, 4), (7, 7)], &[800, 8]), "a column");
    assert!(!dense(&[(0, 4)], &[-8]) && !dense(&[(0, 4), (0, 1)], &[-16, 8]), "backwards");
    assert!(!dense(&[(i64::MIN, i64::MAX)], &[8]), "more elements than fit");
}

#[test]
fn a_box_counts_elements_and_bytes() {
    let of = |bounds: &[(i64, i64)]| ElementBox(bounds.to_vec());
    assert_eq!(of(&[(2, 4), (0, 9)]).count(), Some(30));
    assert_eq!(of(&[(i64::MIN, i64::MAX)]).count(), None);
    assert_eq!(of(&[(2, 4), (1, 9)]).byte_offsets(&[800, 8]), Some((1608, 3272)));
    assert_eq!(of(&[(2, 4)]).byte_offsets(&[-8]), Some((-32, -16)));
    assert_eq!(of(&[(0, i64::MAX)]).byte_offsets(&[8]), None);
    let want = Set::parse("[N] -> { [a, b] : 2 <= a <= 4 and 0 <= b <= 9 }").expect("a set");
    let got = of(&[(2, 4), (0, 9)]).to_set(&["N"]);
    assert!(got.is_equal(&want, &budget()).expect("within budget"));
}

/// `for i < N, j < N: Arr0[first] = f(Arr1[read])` and a second statement.
fn two_writes(first: &str, read: &str, second: &str) -> String {
    format!(
        "scop s\nparams: N\narray Arr0 memory f64 [*, 8]\narray Arr1 memory f64 [*, 8]\n\
         stmt Stmt0\n  domain: [N] -> {{ Stmt0[i, j] : 0 <= i < N and 0 <= j < N }}\n  schedule: [0, i, 0, j, 0]\n  \
         read: [N] -> {{ Stmt0[i, j] -> Arr1[{read}] }}\n  must_write: [N] -> {{ Stmt0[i, j] -> Arr0[{first}] }}\n\
         stmt Stmt1\n  domain: [N] -> {{ Stmt1[i, j] : 0 <= i < N and 0 <= j < N }}\n{second}\n"
    )
}

#[test]
fn a_program_without_what_is_written_over_leaves_the_same_in_memory() {
    let seconds = [
        "  schedule: [0, i, 0, j, 1]\n  must_write: [N] -> { Stmt1[i, j] -> Arr1[i, j] }",
        "  schedule: [1, i, 0, j, 0]\n  must_write: [N] -> { Stmt1[i, j] -> Arr0[i, j] }",
        "  schedule: [1, i, 0, j, 0]\n  may_write: [N] -> { Stmt1[i, j] -> Arr0[i, j] }",
        "  schedule: [1, i, 0, j, 0]\n  read: [N] -> { Stmt1[i, j] -> Arr0[j, i] }\n  \
         must_write: [N] -> { Stmt1[i, j] -> Arr0[i, j] }",
        "  schedule: [0, i, 0, j, 1]\n  read: [N] -> { Stmt1[i, j] -> Arr0[i, 0] }\n  \
         must_write: [N] -> { Stmt1[i, j] -> Arr1[i, j + 8] }",
        "  schedule: [0, i, 1, j, 0]\n  must_write: [N] -> { Stmt1[i, j] -> Arr0[i, j] }\n  \
         must_write: [N] -> { Stmt1[i, j] -> Arr0[i, j + 1] }",
        "  schedule: [1, i, 1, j, 0]\n  read: [N] -> { Stmt1[i, j] -> Arr1[i, j] }\n  \
         must_write: [N] -> { Stmt1[i, j] -> Arr0[i, 0] }\n  must_write: [N] -> { Stmt1[i, j] -> Arr1[i, 1] }",
    ];
    let (mut less, mut same) = (0, 0);
    for first in ["i, j", "i, 0", "0, j", "0, 0", "i + j, 0", "N - 1 - i, 7 - j"] {
        for read in ["i, j", "i, 0", "j, 0"] {
            for second in seconds {
                let text = two_writes(first, read, second);
                let (scop, facts) = program(&text);
                let (new, _) = needed(scop.clone(), &Budget::unlimited()).expect("no bug");
                for n in [0, 1, 3] {
                    assert_eq!(left_by(&scop, &facts, n), left_by(&new, &facts, n), "N = {n}\n{text}\n{new}");
                }
                if instances(&new, 3).len() < instances(&scop, 3).len() { less += 1 } else { same += 1 }
            }
        }
    }
    assert!(less >= 40 && same >= 20, "{less} have less to do, {same} the same");
}

#[test]
fn only_the_last_of_repeated_writes_is_left() {
    let second = "  schedule: [1, i, 0, j, 0]\n  must_write: [N] -> { Stmt1[i, j] -> Arr1[0, 7] }";
    let (scop, _) = program(&two_writes("i, 0", "i, 0", second));
    let (new, _) = needed(scop, &Budget::unlimited()).expect("no bug");
    let is = |at: usize, want: &str| {
        let want = Set::parse(want).expect("a set");
        assert!(new.stmts[at].domain.is_equal(&want, &budget()).expect("within budget"), "{}", new.stmts[at].domain);
    };
    is(0, "[N] -> { Stmt0[i, N - 1] : 0 <= i < N }");
    is(1, "[N] -> { Stmt1[N - 1, N - 1] : 0 < N }");
}
