//! New code beside or in place of the old: edges of the region, values used behind it, and regions that cannot be
//! rewired.

use super::{Function, loops_of};
use crate::error::{Failure, RejectKind};
use crate::facts::ValueKind;
use crate::ids::{ArrayId, BlockId, ValueId};
use crate::model::{ArrayKind, LiveOut, Scop};

/// `w = seed + 7` in block `mid` (number 1), used behind it; the new code computes the same and sets `a[0]` to `a[1]`.
fn function() -> Function {
    Function::parse(
        "define i64 @f(i64 %n, i64 %seed) {
entry:
  %a = alloca [2 x i64]
  store [2 x i64] [i64 1000, i64 2000], ptr %a
  br label %mid
mid:
  %w = add i64 %seed, 7
  br label %end
end:
  %first = load i64, ptr %a
  %r = add i64 %first, %w
  ret i64 %r
}
",
    )
}

fn model(function: &Function, context: &str) -> Scop {
    let text = format!(
        "scop s\nparams: n\n{context}\narray Arr0 memory i64 [*]\narray Arr1 value i64 []
        stmt Stmt0\n domain: {{ Stmt0[] }}\n schedule: [0]\n must_write: {{ Stmt0[] -> Arr1[] }}
        stmt Stmt1\n domain: {{ Stmt1[] }}\n schedule: [1]\n read: {{ Stmt1[] -> Arr0[1] }}\n must_write: {{ Stmt1[] -> Arr0[0] }}\n body: copy\n"
    );
    let mut scop = function.model(&text, &["a"], &[1], 2);
    scop.arrays[1].kind = ArrayKind::Value { def: function.id("w") };
    scop.live_out = vec![LiveOut { value: function.id("w"), array: ArrayId(1) }];
    function.code(&mut scop, 0, &["w"], &["w"], &[]);
    function.code(&mut scop, 1, &["first", "first"], &[], &[]);
    scop
}

#[test]
fn a_value_used_behind_comes_from_whichever_code_ran() {
    let mut function = function();
    let scop = model(&function, "assumed: { : n >= 5 }");
    let outcome = function.generate(&scop, &loops_of(&scop)).expect("can be emitted");
    assert!(outcome.versioned);
    assert_eq!(function.run(&[(4, 1), (5, 1), (-1, 2), (100, 3)]), [1008, 2008, 1009, 2010]);
}

#[test]
fn new_code_that_needs_no_test_takes_the_place_of_the_old() {
    let mut function = function();
    let scop = model(&function, "assumed: { : }");
    let outcome = function.generate(&scop, &loops_of(&scop)).expect("can be emitted");
    assert!(!outcome.versioned);
    assert_eq!(function.run(&[(4, 1), (5, 1)]), [2008, 2008]);
}

#[test]
fn code_that_never_may_run_is_refused() {
    let mut function = function();
    let scop = model(&function, "assumed: { : 1 = 0 }");
    let failure = function.generate(&scop, &loops_of(&scop)).map(|_| ()).expect_err("it never runs");
    assert!(matches!(failure, Failure::Reject(_)), "{failure:?}");
    assert_eq!(function.run(&[(4, 1)]), [1008]);
}

#[test]
fn a_value_that_the_model_does_not_know_to_escape_is_a_bug() {
    let mut function = function();
    let mut scop = model(&function, "assumed: { : }");
    scop.live_out.clear();
    let failure = function.generate(&scop, &loops_of(&scop)).map(|_| ()).expect_err("w is used behind");
    assert!(matches!(failure, Failure::Bug(_)), "{failure:?}");
    assert_eq!(function.run(&[(4, 1)]), [1008]);
}

/// What is refused because its edges are not of the kind that can be rewired; the function stays as it was.
fn refused(text: &str, inside: &[u32], exit: u32) {
    let mut function = Function::parse(text);
    let model = "scop s\nparams: n\narray Arr0 memory i64 [*]\nstmt Stmt0\n domain: { Stmt0[] }\n schedule: [0]\n read: { Stmt0[] -> Arr0[1] }\n must_write: { Stmt0[] -> Arr0[0] }\n body: copy\n";
    let mut scop = function.model(model, &["a"], inside, exit);
    function.code(&mut scop, 0, &["first", "first"], &[], &[]);
    let failure = function.generate(&scop, &loops_of(&scop)).map(|_| ()).expect_err("its edges");
    let is_unstructured = matches!(&failure, Failure::Reject(r) if r.kind == RejectKind::UnstructuredControlFlow);
    assert!(is_unstructured, "{failure:?}");
    assert_eq!(function.run(&[(4, 1), (0, 1)]), [1004, 1001]);
}

#[test]
fn several_values_that_leave_by_one_phi_are_refused() {
    refused(
        "define i64 @f(i64 %n, i64 %seed) {
entry:
  %a = alloca [2 x i64]
  store [2 x i64] [i64 1000, i64 2000], ptr %a
  br label %mid
mid:
  %c = icmp sgt i64 %n, 2
  br i1 %c, label %then, label %end
then:
  br label %end
end:
  %p = phi i64 [ 1, %mid ], [ 4, %then ]
  %first = load i64, ptr %a
  %r = add i64 %first, %p
  ret i64 %r
}
",
        &[1, 2],
        3,
    );
}

#[test]
fn a_region_that_is_entered_again_from_inside_is_refused() {
    refused(
        "define i64 @f(i64 %n, i64 %seed) {
entry:
  %a = alloca [2 x i64]
  store [2 x i64] [i64 1000, i64 2000], ptr %a
  br label %mid
mid:
  %k = phi i64 [ 1, %entry ], [ %more, %mid ]
  %more = add i64 %k, 1
  %c = icmp slt i64 %k, %n
  br i1 %c, label %mid, label %end
end:
  %first = load i64, ptr %a
  %last = add i64 %k, 0
  %r = add i64 %first, %last
  ret i64 %r
}
",
        &[1],
        2,
    );
}

#[test]
fn a_phi_of_the_exit_that_is_modelled_gets_the_new_value() {
    let mut function = Function::parse(
        "define i64 @f(i64 %n, i64 %seed) {
entry:
  %a = alloca [2 x i64]
  store [2 x i64] [i64 1000, i64 2000], ptr %a
  br label %mid
mid:
  %w = add i64 %seed, 1
  %c = icmp sgt i64 %n, 2
  br i1 %c, label %then, label %end
then:
  br label %end
end:
  %p = phi i64 [ %w, %mid ], [ 4, %then ]
  %first = load i64, ptr %a
  %r = add i64 %first, %p
  ret i64 %r
}
",
    );
    let text = "scop s\nparams: n\nassumed: { : n <= 10 }\narray Arr0 phi i64 []\nstmt Stmt0\n domain: { Stmt0[] : n <= 2 }\n schedule: [0]\n must_write: { Stmt0[] -> Arr0[] }\nstmt Stmt1\n domain: { Stmt1[] : n >= 3 }\n schedule: [1]\n must_write: { Stmt1[] -> Arr0[] }\n";
    let mut scop = function.model(text, &[], &[1, 2], 3);
    scop.arrays[0].kind = ArrayKind::Phi { phi: function.id("p") };
    function.code(&mut scop, 0, &["w"], &["w"], &[]);
    // To tell the new code from the old one, it hands on `n` where that one hands on 4.
    function.code(&mut scop, 1, &["n"], &[], &[]);
    function.generate(&scop, &loops_of(&scop)).expect("can be emitted");
    assert_eq!(function.run(&[(0, 8), (2, 8), (3, 8), (10, 8), (11, 8)]), [1009, 1009, 1003, 1010, 1004]);
}

#[test]
fn facts_of_a_text_say_what_its_values_are() {
    let function = function();
    assert!(matches!(function.facts.value(function.id("a")).kind, ValueKind::Local));
    let ValueKind::Load { ptr, bytes } = function.facts.value(function.id("first")).kind else { panic!("no load") };
    assert_eq!((ptr, bytes), (function.id("a"), 8));
    assert_eq!(function.facts.value(function.id("w")).users, [function.id("r")]);
    assert_eq!(function.facts.value(ValueId(1)).name, "seed");
    assert_eq!(function.facts.block(BlockId(2)).idom, Some(BlockId(1)));
}
