//! Arrays that each thread may have a copy of, and marks that claim so without a right to.

use crate::deps::flow;
use crate::deps::tests::seeds::{budget, deps_of, tree_of};
use crate::ids::ArrayId;
use crate::model::Scop;
use crate::parallel::copies::threads_of;
use crate::proof;

/// `for i { for j Arr0[j] = Arr1[i, j]; for j Arr1[i, j] = Arr0[read] }`.
fn rows(read: &str) -> Scop {
    rows_from("i, j", read)
}

/// The same with what the first statement reads of `Arr1`.
fn rows_from(large: &str, read: &str) -> Scop {
    let text = format!(
        "
        scop rows
        params: N
        assumed: {{ : 1 <= N }}
        array Arr0 memory f64 [*]
        array Arr1 memory f64 [*, 100]
        stmt Stmt0
          domain: {{ Stmt0[i, j] : 0 <= i < N and 0 <= j < 100 }}
          schedule: [0, i, 0, j, 0]
          read: {{ Stmt0[i, j] -> Arr1[{large}] }}
          must_write: {{ Stmt0[i, j] -> Arr0[j] }}
        stmt Stmt1
          domain: {{ Stmt1[i, j] : 0 <= i < N and 0 <= j < 100 }}
          schedule: [0, i, 1, j, 0]
          read: {{ Stmt1[i, j] -> Arr0[{read}] }}
          must_write: {{ Stmt1[i, j] -> Arr1[i, j] }}
        "
    );
    Scop::parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

fn copies_of_outer(scop: &Scop) -> Option<Vec<ArrayId>> {
    let flow = flow::last_writers(scop, &budget()).expect("within budget");
    let deps = deps_of(scop);
    let (at, budget) = ((&[0][..], 0), budget());
    let found = threads_of(scop, (&deps, &flow), &scop.schedule, at, Some(&budget), &budget);
    found.expect("within budget").map(|copies| {
        assert!(copies.elements.is_empty());
        copies.privatized
    })
}

#[test]
fn a_row_that_each_iteration_fills_before_it_reads_it_can_be_copied() {
    assert_eq!(copies_of_outer(&rows("j")), Some(vec![ArrayId(0)]));
    assert_eq!(copies_of_outer(&rows("99 - j")), Some(vec![ArrayId(0)]));
}

#[test]
fn a_row_with_one_element_from_outside_cannot() {
    assert_eq!(copies_of_outer(&rows("j + 1")), None);
    assert_eq!(copies_of_outer(&rows("j - 1")), None);
}

#[test]
fn a_loop_that_carries_another_array_gains_nothing_by_copies() {
    assert_eq!(copies_of_outer(&rows_from("i - 1, j", "j")), None);
    assert_eq!(copies_of_outer(&rows_from("i, j - 1", "j")), Some(vec![ArrayId(0)]));
}

#[test]
fn a_mark_for_copies_is_believed_only_where_each_iteration_reads_its_own() {
    for (read, holds) in [("j", true), ("j + 1", false)] {
        let scop = rows(read);
        let below = "schedule: \"[N] -> [{ Stmt0[i, j] -> [i]; Stmt1[i, j] -> [i] }]\"\nroles: \"{ threads[0] lastprivate(Arr0) }\"\nchild:\n    sequence:\n    - filter: \"[N] -> { Stmt0[i, j] }\"\n      child:\n        schedule: \"[N] -> [{ Stmt0[i, j] -> [j] }]\"\n    - filter: \"[N] -> { Stmt1[i, j] }\"\n      child:\n        schedule: \"[N] -> [{ Stmt1[i, j] -> [j] }]\"\n";
        let tree = tree_of(&scop, below);
        let deps = deps_of(&scop);
        assert!(proof::check(&scop, &deps, &tree, &budget()).expect("within budget").is_legal());
        let claim = proof::check_coincident(&scop, &deps, &tree, &budget()).expect("within budget");
        assert_eq!(claim.is_legal(), holds, "{claim:?}");
    }
}
