//! Roles for threads that are right, and such that are not, each refused with its witness.

use crate::deps::tests::seeds::{budget, deps_of, tree_of};
use crate::ids::ArrayId;
use crate::model::{Operation, Scop};
use crate::proof::{self, Reason, Verdict, Violation};
use std::collections::BTreeSet;

/// What the prover finds wrong with a tree, given as text below the domain; `not_live_out`: arrays that nobody outside
/// looks at.
fn wrong(scop: &str, below: &str, not_live_out: &[u32]) -> Option<Violation> {
    let scop = Scop::parse(scop).unwrap_or_else(|e| panic!("{e}\n{scop}"));
    let not_live_out: BTreeSet<ArrayId> = not_live_out.iter().map(|a| ArrayId(*a)).collect();
    match proof::prove(&scop, &deps_of(&scop), &tree_of(&scop, below), &not_live_out, &budget()).expect("within budget")
    {
        Verdict::Legal => None,
        Verdict::Illegal(violation) => Some(violation),
    }
}

/// `for i { for j Arr0[i + 1, j] = Arr0[i, j] }`.
const COLUMNS: &str = "
    scop columns
    params: N
    assumed: { : N >= 3 }
    array Arr0 memory f64 [*, 100]
    stmt Stmt0
      domain: { Stmt0[i, j] : 0 <= i < N and 0 <= j < 100 }
      schedule: [0, i, 0, j, 0]
      read: { Stmt0[i, j] -> Arr0[i, j] }
      must_write: { Stmt0[i, j] -> Arr0[i + 1, j] }
";

fn loops(roles: &str) -> String {
    format!("schedule: \"[N] -> [{{ Stmt0[i, j] -> [i] }}, {{ Stmt0[i, j] -> [j] }}]\"\nroles: \"{{ {roles} }}\"\n")
}

#[test]
fn threads_run_a_loop_that_carries_nothing() {
    assert_eq!(wrong(COLUMNS, &loops("threads[1]"), &[]), None);
}

#[test]
fn a_loop_that_carries_a_dependence_is_refused_with_the_two_instances() {
    let found = wrong(COLUMNS, &loops("threads[0]"), &[]).expect("refused");
    assert!(matches!(found.reason, Reason::Carried(..)), "{found}");
    let (from, to) = (&found.src.1, &found.dst.as_ref().expect("two instances").1);
    assert_eq!((to[0] - from[0], to[1] - from[1]), (1, 0), "{found}");
    assert!(found.reason.is_about_roles());
}

#[test]
fn a_gpu_runs_what_threads_may_run() {
    for axis in ["block.x", "thread.x:32"] {
        assert_eq!(wrong(COLUMNS, &loops(&format!("{axis}[1]")), &[]), None);
        let found = wrong(COLUMNS, &loops(&format!("{axis}[0]")), &[]).expect("refused");
        assert!(matches!(found.reason, Reason::Carried(..)), "{found}");
    }
}

/// `for i { s = Arr0[i]; Arr1[i] = s }`, the read behind at `time` with `domain`.
fn scalar(time: &str, domain: &str) -> String {
    format!(
        "
        scop scalar
        params: N
        assumed: {{ : N >= 3 }}
        array Arr0 memory f64 [*]
        array Arr1 memory f64 [*]
        array Arr2 value f64 []
        stmt Stmt0
          domain: {{ Stmt0[i] : 0 <= i < N }}
          schedule: [0, i, 0]
          read: {{ Stmt0[i] -> Arr0[i] }}
          must_write: {{ Stmt0[i] -> Arr2[] }}
        stmt Stmt1
          domain: {{ Stmt1[i] : {domain} }}
          schedule: {time}
          read: {{ Stmt1[i] -> Arr2[] }}
          must_write: {{ Stmt1[i] -> Arr1[i] }}
        "
    )
}

/// Both statements in one loop.
fn one_loop(roles: &str) -> String {
    format!(
        "schedule: \"[N] -> [{{ Stmt0[i] -> [i]; Stmt1[i] -> [i] }}]\"\nroles: \"{{ {roles} }}\"\nchild:\n  sequence:\n  - filter: \"[N] -> {{ Stmt0[i] }}\"\n  - filter: \"[N] -> {{ Stmt1[i] }}\"\n"
    )
}

#[test]
fn a_scalar_of_each_iteration_is_to_be_privatized() {
    let inside = scalar("[0, i, 1]", "0 <= i < N");
    assert_eq!(wrong(&inside, &one_loop("threads[0] private(Arr2)"), &[]), None);
    let found = wrong(&inside, &one_loop("threads[0]"), &[]).expect("refused");
    assert_eq!(found.reason, Reason::Shared(ArrayId(2)), "{found}");
    assert_eq!(found.src.0.0, 0, "Stmt0 writes it: {found}");
}

#[test]
fn a_scalar_that_is_read_behind_the_loop_is_not_privatized() {
    let behind = scalar("[1, i, 0]", "i = 0");
    let apart = "sequence:\n- filter: \"[N] -> { Stmt0[i] }\"\n  child:\n    schedule: \"[N] -> [{ Stmt0[i] -> [i] }]\"\n    roles: \"{ threads[0] private(Arr2) }\"\n- filter: \"[N] -> { Stmt1[i] }\"\n  child:\n    schedule: \"[N] -> [{ Stmt1[i] -> [i] }]\"\n";
    let found = wrong(&behind, apart, &[]).expect("refused");
    assert_eq!(found.reason, Reason::Flows(ArrayId(2)), "{found}");
    assert!(found.dst.is_some(), "{found}");
    assert_eq!(wrong(&behind, &apart.replace("roles: \"{ threads[0] private(Arr2) }\"", "permutable: 1"), &[]), None);
}

#[test]
fn memory_is_not_privatized() {
    let found = wrong(COLUMNS, &loops("threads[1] private(Arr0)"), &[]).expect("refused");
    assert_eq!(found.reason, Reason::LiveOut(ArrayId(0)), "{found}");
}

/// `for i { for j in written: Arr0[j] = ..; for j: .. = Arr0[read] }`.
fn privatized(written: &str, read: &str) -> String {
    format!(
        "
        scop rows
        params: N
        assumed: {{ : 3 <= N <= 100 }}
        array Arr0 memory f64 [*]
        array Arr1 memory f64 [*, 100]
        stmt Stmt0
          domain: {{ Stmt0[i, j] : 0 <= i < N and {written} }}
          schedule: [0, i, 0, j, 0]
          must_write: {{ Stmt0[i, j] -> Arr0[j] }}
        stmt Stmt1
          domain: {{ Stmt1[i, j] : 0 <= i < N and {written} }}
          schedule: [0, i, 1, j, 0]
          read: {{ Stmt1[i, j] -> Arr0[{read}] }}
          must_write: {{ Stmt1[i, j] -> Arr1[i, j] }}
        "
    )
}

const ROWS: &str = "schedule: \"[N] -> [{ Stmt0[i, j] -> [i]; Stmt1[i, j] -> [i] }]\"\nroles: \"{ threads[0] lastprivate(Arr0) }\"\nchild:\n  sequence:\n  - filter: \"[N] -> { Stmt0[i, j] }\"\n    child:\n      schedule: \"[N] -> [{ Stmt0[i, j] -> [j] }]\"\n  - filter: \"[N] -> { Stmt1[i, j] }\"\n    child:\n      schedule: \"[N] -> [{ Stmt1[i, j] -> [j] }]\"\n";

#[test]
fn a_scratch_array_is_written_before_it_is_read() {
    assert_eq!(wrong(&privatized("0 <= j < 9", "j"), ROWS, &[]), None);
    let found = wrong(&privatized("0 <= j < 9", "j + 1"), ROWS, &[]).expect("refused");
    assert_eq!(found.reason, Reason::ExposedRead(ArrayId(0)), "{found}");
    assert_eq!((found.src.0.0, found.src.1[1]), (1, 8), "Stmt1 reads Arr0[9]: {found}");
    let shared = ROWS.replace(" lastprivate(Arr0)", "");
    let found = wrong(&privatized("0 <= j < 9", "j"), &shared, &[]).expect("refused");
    assert!(matches!(found.reason, Reason::Carried(..)), "{found}");
}

#[test]
fn the_last_iteration_leaves_what_the_loop_leaves() {
    let found = wrong(&privatized("i <= j < N", "j"), ROWS, &[]).expect("refused");
    assert_eq!(found.reason, Reason::NotLastprivate(ArrayId(0)), "{found}");
    assert_eq!(wrong(&privatized("i <= j < N", "j"), ROWS, &[0]), None, "nobody looks");
    assert_eq!(wrong(&privatized("0 <= j <= i", "j"), ROWS, &[]), None);
}

/// `for i { Arr0[element] op= Arr1[i] }`.
fn updates(element: &str, op: &str) -> String {
    format!(
        "
        scop updates
        params: N
        assumed: {{ : N >= 3 }}
        array Arr0 memory i32 [*]
        array Arr1 memory i32 [*]
        stmt Stmt0
          domain: {{ Stmt0[i] : 0 <= i < N }}
          schedule: [0, i, 0]
          read: {{ Stmt0[i] -> Arr1[i] }}
          read: {{ Stmt0[i] -> Arr0[{element}] }}
          must_write: {{ Stmt0[i] -> Arr0[{element}] }}
          reduction: {op} Arr0
        "
    )
}

fn sum(roles: &str) -> String {
    format!("schedule: \"[N] -> [{{ Stmt0[i] -> [i] }}]\"\nroles: \"{{ {roles} }}\"\n")
}

#[test]
fn what_is_collected_is_collected_by_the_operation_of_its_updates() {
    assert_eq!(wrong(&updates("0", "add"), &sum("threads[0] reduction(add: Arr0)"), &[]), None);
    let found = wrong(&updates("0", "mul"), &sum("threads[0] reduction(add: Arr0)"), &[]).expect("refused");
    assert_eq!(found.reason, Reason::Collected(ArrayId(0), Operation::Add), "{found}");
    let found = wrong(&updates("0", "add"), &sum("threads[0] reduction(add: Arr1)"), &[]).expect("refused");
    assert_eq!(found.reason, Reason::Collected(ArrayId(1), Operation::Add), "{found}");
    let found = wrong(&updates("0", "add"), &sum("threads[0]"), &[]).expect("refused");
    assert!(matches!(found.reason, Reason::Carried(..)), "{found}");
}

#[test]
fn one_element_is_collected_only_where_there_is_one() {
    let found = wrong(&updates("floor(i/2)", "add"), &sum("threads[0] reduction(add: Arr0)"), &[]).expect("refused");
    assert_eq!(found.reason, Reason::Several(ArrayId(0)), "{found}");
    assert!(found.dst.is_some(), "{found}");
    assert_eq!(wrong(&updates("floor(i/2)", "add"), &sum("threads[0] reduction(add: Arr0[:])"), &[]), None);
}

/// `for i { for j { s = Arr0[i, j]; Arr1[i, j] = s } }`, the last statement with what it reads; cut into strips of four
/// by four.
fn in_strips(read: &str, axes: [&str; 4]) -> Option<Violation> {
    let scop = format!(
        "
        scop plane
        params: N
        assumed: {{ : N >= 3 }}
        array Arr0 memory f64 [*, 100]
        array Arr1 memory f64 [*, 100]
        array Arr2 value f64 []
        stmt Stmt0
          domain: {{ Stmt0[i, j] : 0 <= i < N and 0 <= j < 100 }}
          schedule: [0, i, 0, j, 0]
          read: {{ Stmt0[i, j] -> {read} }}
          must_write: {{ Stmt0[i, j] -> Arr2[] }}
        stmt Stmt1
          domain: {{ Stmt1[i, j] : 0 <= i < N and 0 <= j < 100 }}
          schedule: [0, i, 0, j, 1]
          read: {{ Stmt1[i, j] -> Arr2[] }}
          must_write: {{ Stmt1[i, j] -> Arr1[i, j] }}
        "
    );
    let member = |value: &str| format!("{{ Stmt0[i, j] -> [({value})]; Stmt1[i, j] -> [({value})] }}");
    let members = ["floor((i)/4)", "floor((j)/4)", "i", "j"].map(member).join(", ");
    let roles: Vec<String> =
        axes.iter().enumerate().filter(|(_, a)| !a.is_empty()).map(|(k, axis)| format!("{axis}[{k}]")).collect();
    let below = format!(
        "schedule: \"[N] -> [{members}]\"\nroles: \"{{ {} }}\"\nchild:\n  sequence:\n  - filter: \"[N] -> {{ Stmt0[i, j] }}\"\n  - filter: \"[N] -> {{ Stmt1[i, j] }}\"\n",
        roles.join("; ")
    );
    wrong(&scop, &below, &[])
}

#[test]
fn blocks_and_threads_use_scalars_of_their_own_in_any_order() {
    const ALL: [&str; 4] = ["block.y", "block.x", "thread.y:4", "thread.x:4"];
    assert_eq!(in_strips("Arr0[i, j]", ALL), None);
    // In one thread, two iterations change places that use the same scalar.
    let found = in_strips("Arr0[i, j]", [""; 4]).expect("refused");
    assert!(matches!(found.reason, Reason::Dependence(..)), "{found}");
    // What an iteration reads of another one is no matter of scalars.
    let found = in_strips("Arr1[i - 1, j + 1]", ALL).expect("refused");
    assert!(!matches!(found.reason, Reason::Shared(_)), "{found}");
}
