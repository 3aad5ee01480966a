//! Loops whose iterations have scalars of their own, and twins that look alike but share them.

use crate::deps::flow;
use crate::deps::tests::seeds::{budget, deps_of};
use crate::ids::ArrayId;
use crate::model::tree::flat::visit_nodes;
use crate::model::tree::{Node, ThreadCopies};
use crate::model::{ArrayKind, LiveOut, Scop};
use crate::parallel::copies::threads_of;

/// For each loop, outermost first in program order, what its blocks need copies of; `None`: they may not run at the
/// same time.
fn copies(text: &str) -> Vec<Option<Vec<u32>>> {
    let scop = Scop::parse(text).expect("text");
    let deps = deps_of(&scop);
    let flow = flow::last_writers(&scop, &budget()).expect("within budget");
    let mut loops = Vec::new();
    visit_nodes(&scop.schedule, &mut |path, node, _| {
        if let Node::Band(band, _) = node {
            loops.extend((0..band.members.len()).map(|k| (path.to_vec(), k)));
        }
    });
    let copies = |(path, k): &(Vec<usize>, usize)| {
        let copies = threads_of(&scop, (&deps, &flow), &scop.schedule, (path, *k), None, &budget());
        copies.expect("within budget").map(|copies| {
            assert_eq!(copies.privatized, []);
            copies.elements.into_iter().map(|c| c.array.0).collect()
        })
    };
    loops.iter().map(copies).collect()
}

/// The same: whether the iterations may run at the same time as they are.
fn parallel(text: &str) -> Vec<bool> {
    copies(text).into_iter().map(|copies| copies == Some(Vec::new())).collect()
}

/// `for i { s = X[i]; for j s = s + A[i,j]; Y[i] = s }`, with one line replaced.
fn row_sums(line: &str, by: &str) -> String {
    let text = "
        scop sums
        params: N
        assumed: { : N >= 1 }
        array Arr0 memory f64 [*]
        array Arr1 memory f64 [*, 100]
        array Arr2 value f64 []
        stmt Stmt0
          domain: { Stmt0[i] : 0 <= i < N }
          schedule: [0, i, 0]
          read: { Stmt0[i] -> Arr0[i] }
          must_write: { Stmt0[i] -> Arr2[] }
        stmt Stmt1
          domain: { Stmt1[i, j] : 0 <= i < N and 0 <= j < 100 }
          schedule: [0, i, 1, j, 0]
          read: { Stmt1[i, j] -> Arr1[i, j] }
          read: { Stmt1[i, j] -> Arr2[] }
          must_write: { Stmt1[i, j] -> Arr2[] }
        stmt Stmt2
          domain: { Stmt2[i] : 0 <= i < N }
          schedule: [0, i, 2]
          read: { Stmt2[i] -> Arr2[] }
          must_write: { Stmt2[i] -> Arr0[i] }
    ";
    assert!(line.is_empty() || text.contains(line), "{line}");
    if line.is_empty() { text.to_owned() } else { text.replace(line, by) }
}

#[test]
fn a_scalar_written_first_in_each_iteration_binds_nothing() {
    assert_eq!(parallel(&row_sums("", "")), [true, false]);
}

#[test]
fn so_does_one_whose_updates_may_change_places() {
    let read = "read: { Stmt1[i, j] -> Arr2[] }";
    let text = row_sums(read, &format!("{read}\n          reduction: fadd Arr2"));
    assert_eq!(copies(&text), [Some(vec![]), Some(vec![2])]);
}

#[test]
fn a_scalar_that_keeps_its_value_binds_iterations() {
    let first_only = "domain: { Stmt0[i] : 0 <= i < 1 }";
    assert_eq!(parallel(&row_sums("domain: { Stmt0[i] : 0 <= i < N }", first_only)), [false, false]);
}

#[test]
fn a_scalar_read_behind_the_loop_is_shared() {
    let behind = "domain: { Stmt2[i] : 0 <= i < 1 }\n schedule: [1, i, 2]";
    let inside = "domain: { Stmt2[i] : 0 <= i < N }\n          schedule: [0, i, 2]";
    assert_eq!(parallel(&row_sums(inside, behind))[..2], [false, false]);
}

#[test]
fn memory_is_shared_whatever_is_written_first() {
    let array = "array Arr2 memory f64 []";
    assert_eq!(parallel(&row_sums("array Arr2 value f64 []", array)), [false, false]);
}

#[test]
fn other_arrays_must_not_be_carried() {
    let neighbour = "read: { Stmt0[i] -> Arr0[i - 1] }";
    assert_eq!(parallel(&row_sums("read: { Stmt0[i] -> Arr0[i] }", neighbour)), [false, false]);
}

#[test]
fn a_value_that_leaves_the_region_is_shared() {
    let scop = |escapes: bool| {
        let mut scop = Scop::parse(&row_sums("", "")).expect("text");
        if let (true, ArrayKind::Value { def }) = (escapes, scop.arrays[2].kind) {
            scop.live_out.push(LiveOut { value: def, array: ArrayId(2) });
        }
        scop
    };
    for escapes in [false, true] {
        let scop = scop(escapes);
        let flow = flow::last_writers(&scop, &budget()).expect("within budget");
        let (deps, path) = (deps_of(&scop), [0]);
        let found = threads_of(&scop, (&deps, &flow), &scop.schedule, (&path, 0), None, &budget());
        let private = ThreadCopies { private: vec![ArrayId(2)], ..ThreadCopies::default() };
        assert_eq!(found.expect("within budget"), (!escapes).then_some(private));
    }
}
