//! What is tested before new code runs.

use crate::ast::check::{is_tested_for, run_time_check};
use crate::ast::{Cond, Expr};
use crate::error::{Failure, RejectKind};
use crate::facts::FunctionFacts;
use crate::ids::ArrayId;
use crate::model::Scop;
use crate::scop::sketch::Sketch;
use presburger::Budget;

/// `for i < N: Arr0[i + 1] = Arr1[i] + Arr2[i]`; any of them may overlap.
fn scop(read: &str) -> Scop {
    let text = format!(
        "scop s\nparams: N\nassumed: {{ : 0 <= N <= 1000 }}\ninvalid: {{ : N = 7 }}\ndefined: {{ : N >= 0 }}
        array Arr0 memory f64 [*]\narray Arr1 memory f64 [*]\narray Arr2 memory f64 [*]\nalias: Arr2, Arr0, Arr1
        stmt Stmt0\n domain: {{ Stmt0[i] : 0 <= i < N }}\n schedule: [0, i, 0]\n read: {{ Stmt0[i] -> Arr1[{read}] }}\n read: {{ Stmt0[i] -> Arr2[i] }}\n must_write: {{ Stmt0[i] -> Arr0[i + 1] }}\n"
    );
    Scop::parse(&text).expect("text")
}

fn facts(accesses: usize) -> FunctionFacts {
    let mut sketch = Sketch::new();
    for _ in 0..accesses {
        sketch.store(sketch.array, sketch.i);
    }
    sketch.facts
}

#[test]
fn what_is_known_is_not_tested_and_reads_are_not_held_apart() {
    let check = run_time_check(&scop("i"), &facts(8), &Budget::steps(2_000_000)).expect("bounded");
    assert_eq!(check.apart, [(ArrayId(0), ArrayId(1)), (ArrayId(0), ArrayId(2))]);
    assert_eq!(check.assumed_magnitudes, [10], "2^10 is the first power above 1000");
    let Cond::Or(pieces) = &check.holds else { panic!("not below and above 7: {:?}", check.holds) };
    assert_eq!(pieces.len(), 2);
    let ends = check.touched[&ArrayId(0)].subscripts.clone().expect("has a subscript");
    assert_eq!(ends, (Expr::Int(1), Expr::Add(vec![Expr::Param(0), Expr::Int(1)])));
}

#[test]
fn an_array_without_bounds_is_refused() {
    let mut scop = scop("i");
    let unbounded = presburger::Map::parse("[N] -> { Stmt0[i] -> Arr1[j] }").expect("a map");
    scop.stmts[0].accesses[0].relation = unbounded;
    assert!(
        matches!(run_time_check(&scop, &facts(8), &Budget::steps(2_000_000)), Err(Failure::Reject(r)) if r.kind == RejectKind::Aliasing)
    );
    scop.alias_groups.clear();
    assert!(run_time_check(&scop, &facts(8), &Budget::steps(2_000_000)).is_ok(), "nothing is asked of it");
}

#[test]
fn tests_say_enough_of_other_code_over_equal_sets_and_memory() {
    let tested = |code: &Scop, other: &Scop| {
        is_tested_for(code, other, &facts(8), &Budget::steps(2_000_000)).expect("within budget")
    };
    let code = scop("i");
    let changed = |from: &str, to: &str| {
        let text = code.to_string();
        assert!(text.contains(from), "{from}\n{text}");
        Scop::parse(&text.replace(from, to)).expect(to)
    };
    let with = |set: &str, assumed: bool| {
        let (mut other, set) = (scop("i"), presburger::Set::parse(set).expect(set));
        *(if assumed { &mut other.contexts.assumed } else { &mut other.contexts.invalid }) = set;
        other
    };
    assert!(tested(&code, &scop("i")));
    // The same sets in other words; other sets.
    assert!(tested(&code, &with("[N] -> { : 0 <= N <= 500 or 400 < N <= 1000 }", true)));
    assert!(tested(&code, &with("[N] -> { : 6 < N < 8 }", false)));
    assert!(!tested(&code, &with("[N] -> { : 0 <= N <= 2000 }", true)));
    assert!(!tested(&code, &with("[N] -> { : 7 <= N <= 8 }", false)));
    // Of other memory that is held apart, fewer elements or other ones; another parameter.
    assert!(!tested(&code, &scop("i + 1")));
    assert!(!tested(&scop("i + 1"), &code));
    assert!(!tested(&code, &changed("alias: Arr2, Arr0, Arr1", "alias: Arr0, Arr1")));
    assert!(!tested(&code, &Scop::parse(&code.to_string().replace('N', "M")).expect("renamed")));
}
