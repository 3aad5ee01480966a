//! How long an iteration waits for the ones before, by cycles of values through several statements.

use crate::ids::ValueId;
use crate::model::{Instructions, Link, Scop, StmtBody};
use crate::schedule::recurrences::Inner;

/// `a[i] = f(b[i - far]); b[i] = g(a[i]);`, where `f` takes 3 cycles and `g` 4.
fn two_statements(far: i64) -> Scop {
    let text = format!(
        "scop two
params: N
assumed: {{ : N >= 1 }}
array Arr0 memory f64 [*]
array Arr1 memory f64 [*]
stmt Stmt0
  domain: {{ Stmt0[i] : 0 <= i < N }}
  schedule: [0, i, 0]
  read: {{ Stmt0[i] -> Arr1[i - {far}] }}
  must_write: {{ Stmt0[i] -> Arr0[i] }}
stmt Stmt1
  domain: {{ Stmt1[i] : 0 <= i < N }}
  schedule: [0, i, 1]
  read: {{ Stmt1[i] -> Arr0[i] }}
  must_write: {{ Stmt1[i] -> Arr1[i] }}
"
    );
    let mut scop = Scop::parse(&text).expect("a scop");
    for (k, stmt) in scop.stmts.iter_mut().enumerate() {
        let [from, to] = [2 * k, 2 * k + 1].map(ValueId::new);
        (stmt.accesses[0].inst, stmt.accesses[1].inst) = (from, to);
        let links = Some(vec![Link { from, to, cycles: if k == 0 { 3 } else { 4 } }]);
        stmt.body =
            StmtBody::Original(Instructions { links, loops: stmt.body.loops().to_vec(), ..Instructions::default() });
    }
    scop
}

fn waits(scop: &Scop, is_shared: bool) -> Option<f64> {
    let inner =
        Inner { scop, stmts: &[0, 1], direction: &|_| vec![1], starts_anew: &|_, _| false, is_shared: &|_| is_shared };
    let [known] = inner.wait([5.0]);
    known
}

#[track_caller]
fn takes(scop: &Scop, is_shared: bool, want: f64) {
    let found = waits(scop, is_shared).expect("known");
    assert!((found - want).abs() < 0.05, "{found} cycles, not {want}");
}

#[test]
fn values_go_around_through_both_statements() {
    takes(&two_statements(1), false, 7.0);
}

#[test]
fn what_may_be_overwritten_by_others_goes_through_memory() {
    takes(&two_statements(1), true, 17.0);
}

#[test]
fn chains_that_skip_iterations_run_side_by_side() {
    // What the iteration before the last one left is in no register.
    takes(&two_statements(2), false, 6.0);
}

#[test]
fn what_is_read_before_it_is_written_is_not_waited_for() {
    takes(&two_statements(-1), true, 0.0);
}

#[test]
fn nothing_is_known_of_statements_without_links() {
    let mut scop = two_statements(1);
    scop.stmts[1].body = StmtBody::Original(Instructions::default());
    assert_eq!(waits(&scop, false), None);
}
