//! Reduction copies of one element, of a whole array and of a scalar, and private copies: what loops cut into blocks
//! leave behind.

use super::{Function, filled, initial, loops_of, sum_of, summed};
use crate::ast::Ast;
use crate::ids::ArrayId;
use crate::model::tree::{ReductionCopy, ThreadCopies};
use crate::model::{ArrayKind, LiveOut, Operation, Scop};

/// Iterations: one block of one, blocks that are all full, and blocks of two with a shorter last one.
const LENGTHS: [i64; 6] = [1, 2, 63, 64, 65, 127];

/// What is collected of the array that is added to.
const ADDED: ReductionCopy = ReductionCopy { array: ArrayId(1), op: Operation::Add };

/// The model's own loops, the outermost one for threads with these copies.
fn in_threads(scop: &Scop, copies: ThreadCopies) -> Ast {
    let mut ast = loops_of(scop);
    let Ast::For(f) = &mut ast else { panic!("no loop: {ast:?}") };
    f.parallel = Some(copies);
    ast
}

fn elements() -> ThreadCopies {
    ThreadCopies { elements: vec![ADDED], ..ThreadCopies::default() }
}

/// `for i < n: b[2] += a[i]`.
fn sum_function() -> Function {
    let fill = filled("a", 128, "pre");
    let end = summed("end", "b", 4);
    let mut function = Function::parse(&format!(
        "define i64 @f(i64 %n, i64 %seed) {{\nentry:\n  %a = alloca [128 x i64]\n  %b = alloca [4 x i64]
  store [4 x i64] [i64 5, i64 6, i64 7, i64 8], ptr %b\n  %to = getelementptr i64, ptr %b, i64 2\n{fill}pre:
  br label %body
body:
  %i = phi i64 [ 0, %pre ], [ %next, %body ]
  %from = getelementptr i64, ptr %a, i64 %i
  %x = load i64, ptr %from
  %old = load i64, ptr %to
  %new = add i64 %old, %x
  store i64 %new, ptr %to
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %body, label %end
{end}"
    ));
    function.counts("i", 3, None);
    function
}

const SUM: &str = "scop s\nparams: n\narray Arr0 memory i64 [*]\narray Arr1 memory i64 [*]
    stmt Stmt0\n domain: { Stmt0[i] : 0 <= i < n }\n schedule: [0, i, 0]\n read: { Stmt0[i] -> Arr0[i] }\n read: { Stmt0[i] -> Arr1[2] }\n must_write: { Stmt0[i] -> Arr1[2] }\n reduction: add Arr1\n";

#[test]
fn blocks_collect_one_element_and_it_gets_all_of_it_once() {
    for n in LENGTHS {
        let mut function = sum_function();
        let mut scop = function.model(SUM, &["a", "b"], &[2, 3], 4);
        function.code(&mut scop, 0, &["x", "old", "store 2"], &["x", "old", "new", "store 2"], &[0]);
        let outcome = function.generate(&scop, &in_threads(&scop, elements())).expect("can be emitted");
        assert_eq!((outcome.tasks, outcome.versioned), (1, false));
        let sum = (0..n).map(|i| initial(11, i)).fold(7, i64::wrapping_add);
        assert_eq!(function.run(&[(n, 11)]), [sum_of(&[5, 6, sum, 8])], "{n} iterations");
    }
}

#[test]
fn a_loop_with_nothing_to_run_leaves_everything_alone() {
    let mut function = sum_function();
    let mut scop = function.model(SUM, &["a", "b"], &[2, 3], 4);
    function.code(&mut scop, 0, &["x", "old", "store 2"], &["x", "old", "new", "store 2"], &[0]);
    function.generate(&scop, &in_threads(&scop, elements())).expect("can be emitted");
    assert_eq!(function.run(&[(0, 3), (-9, 3)]), [sum_of(&[5, 6, 7, 8]); 2]);
}

/// `for i < n, j < 4: b[j] += a[i]`.
#[test]
fn blocks_collect_whole_arrays_and_each_element_gets_all_of_it_once() {
    let fill = filled("a", 128, "pre");
    let end = summed("end", "b", 4);
    let text = format!(
        "define i64 @f(i64 %n, i64 %seed) {{\nentry:\n  %a = alloca [128 x i64]\n  %b = alloca [4 x i64]
  store [4 x i64] [i64 5, i64 6, i64 7, i64 8], ptr %b\n{fill}pre:
  br label %outer
outer:
  %i = phi i64 [ 0, %pre ], [ %i.next, %latch ]
  %from = getelementptr i64, ptr %a, i64 %i
  %x = load i64, ptr %from
  br label %inner
inner:
  %j = phi i64 [ 0, %outer ], [ %j.next, %inner ]
  %to = getelementptr i64, ptr %b, i64 %j
  %old = load i64, ptr %to
  %y = load i64, ptr %from
  %z = mul i64 %y, %j
  %new = add i64 %old, %z
  store i64 %new, ptr %to
  %j.next = add i64 %j, 1
  %j.more = icmp slt i64 %j.next, 4
  br i1 %j.more, label %inner, label %latch
latch:
  %i.next = add i64 %i, 1
  %more = icmp slt i64 %i.next, %n
  br i1 %more, label %outer, label %end
{end}"
    );
    let model = "scop s\nparams: n\narray Arr0 memory i64 [*]\narray Arr1 memory i64 [*]
    stmt Stmt0\n domain: { Stmt0[i, j] : 0 <= i < n and 0 <= j < 4 }\n schedule: [0, i, 0, j, 0]\n read: { Stmt0[i, j] -> Arr0[i] }\n read: { Stmt0[i, j] -> Arr1[j] }\n must_write: { Stmt0[i, j] -> Arr1[j] }\n reduction: add Arr1\n";
    for n in LENGTHS {
        let mut function = Function::parse(&text);
        let i = function.counts("i", 5, None);
        let j = function.counts("j", 4, Some(0));
        function.touch(&["y"], i);
        function.touch(&["old", "store 2"], j);
        let mut scop = function.model(model, &["a", "b"], &[2, 3, 4, 5], 6);
        let (accesses, insts) = (["y", "old", "store 2"], ["y", "z", "old", "new", "store 2"]);
        function.code(&mut scop, 0, &accesses, &insts, &[0, 1]);
        let copies = ThreadCopies { arrays: vec![ADDED], ..ThreadCopies::default() };
        let outcome = function.generate(&scop, &in_threads(&scop, copies)).expect("can be emitted");
        assert_eq!(outcome.tasks, 1);
        let all = (0..n).map(|i| initial(-3, i)).fold(0, i64::wrapping_add);
        let expected: Vec<i64> = (0..4).map(|j| (5 + j) + all * j).collect();
        assert_eq!(function.run(&[(n, -3)]), [sum_of(&expected)], "{n} iterations");
    }
}

/// `for i < n: s += a[i]`, `s` in a phi that the code behind reads.
#[test]
fn blocks_collect_a_scalar_that_is_read_behind_the_loop() {
    let fill = filled("a", 128, "pre");
    let text = format!(
        "define i64 @f(i64 %n, i64 %seed) {{\nentry:\n  %a = alloca [128 x i64]\n{fill}pre:
  br label %body
body:
  %i = phi i64 [ 0, %pre ], [ %next, %body ]
  %s = phi i64 [ 100, %pre ], [ %new, %body ]
  %from = getelementptr i64, ptr %a, i64 %i
  %x = load i64, ptr %from
  %new = add i64 %s, %x
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %body, label %end
end:
  ret i64 %new
}}\n"
    );
    let model = "scop s\nparams: n\narray Arr0 memory i64 [*]\narray Arr1 phi i64 []
    stmt Stmt0\n domain: { Stmt0[] }\n schedule: [0, 0]\n must_write: { Stmt0[] -> Arr1[] }
    stmt Stmt1\n domain: { Stmt1[i] : 0 <= i < n }\n schedule: [1, i, 0]\n read: { Stmt1[i] -> Arr0[i] }\n read: { Stmt1[i] -> Arr1[] }\n must_write: { Stmt1[i] -> Arr1[] }\n reduction: add Arr1\n";
    for n in LENGTHS {
        let mut function = Function::parse(&text);
        function.counts("i", 3, None);
        let mut scop = function.model(model, &["a"], &[2, 3], 4);
        scop.arrays[1].kind = ArrayKind::Phi { phi: function.id("s") };
        scop.live_out = vec![LiveOut { value: function.id("new"), array: ArrayId(1) }];
        // The first value is any that is known before: the test gives the argument `seed`.
        function.code(&mut scop, 0, &["seed"], &[], &[]);
        function.code(&mut scop, 1, &["x", "s", "new"], &["x", "new"], &[0]);
        let mut ast = loops_of(&scop);
        let Ast::Block(parts) = &mut ast else { panic!("no two parts: {ast:?}") };
        let Some(Ast::For(f)) = parts.last_mut() else { panic!("no loop") };
        f.parallel = Some(elements());
        function.generate(&scop, &ast).expect("can be emitted");
        let sum = (0..n).map(|i| initial(9, i)).fold(9, i64::wrapping_add);
        assert_eq!(function.run(&[(n, 9)]), [sum], "{n} iterations");
    }
}

/// `for i < n, j < 4: { t[j] = a[i] + j; b[4 i + j] = 3 * t[j] }`, what is left in `t` is what the last iteration put
/// there.
#[test]
fn scratch_copies_hide_all_but_the_last_iteration() {
    let fill = filled("a", 16, "pre");
    let end = summed("end", "b", 64).replace("ret i64 %sum.64", "%t.at = getelementptr i64, ptr %t, i64 3\n  %t.3 = load i64, ptr %t.at\n  %all = add i64 %sum.64, %t.3\n  ret i64 %all");
    let text = format!(
        "define i64 @f(i64 %n, i64 %seed) {{\nentry:\n  %a = alloca [16 x i64]\n  %b = alloca [64 x i64]\n  %t = alloca [4 x i64]
  store [64 x i64] zeroinitializer, ptr %b\n  store [4 x i64] zeroinitializer, ptr %t\n{fill}pre:
  br label %outer
outer:
  %i = phi i64 [ 0, %pre ], [ %i.next, %latch ]
  br label %inner
inner:
  %j = phi i64 [ 0, %outer ], [ %j.next, %inner ]
  %from = getelementptr i64, ptr %a, i64 %i
  %x = load i64, ptr %from
  %v = add i64 %x, %j
  %mid = getelementptr i64, ptr %t, i64 %j
  store i64 %v, ptr %mid
  %w = load i64, ptr %mid
  %z = mul i64 %w, 3
  %row = mul i64 %i, 4
  %at = add i64 %row, %j
  %to = getelementptr i64, ptr %b, i64 %at
  store i64 %z, ptr %to
  %j.next = add i64 %j, 1
  %j.more = icmp slt i64 %j.next, 4
  br i1 %j.more, label %inner, label %latch
latch:
  %i.next = add i64 %i, 1
  %more = icmp slt i64 %i.next, %n
  br i1 %more, label %outer, label %end
{end}"
    );
    let model = "scop s\nparams: n\narray Arr0 memory i64 [*]\narray Arr1 memory i64 [*]\narray Arr2 memory i64 [*]
    stmt Stmt0\n domain: { Stmt0[i, j] : 0 <= i < n and 0 <= j < 4 }\n schedule: [0, i, 0, j, 0]\n read: { Stmt0[i, j] -> Arr0[i] }\n must_write: { Stmt0[i, j] -> Arr2[j] }
    stmt Stmt1\n domain: { Stmt1[i, j] : 0 <= i < n and 0 <= j < 4 }\n schedule: [0, i, 0, j, 1]\n read: { Stmt1[i, j] -> Arr2[j] }\n must_write: { Stmt1[i, j] -> Arr1[4i + j] }\n";
    for n in [1, 2, 15, 16] {
        let mut function = Function::parse(&text);
        function.counts("i", 5, None);
        let j = function.counts("j", 4, Some(0));
        function.touch(&["store 3", "w"], j);
        let mut scop = function.model(model, &["a", "b", "t"], &[2, 3, 4, 5], 6);
        function.code(&mut scop, 0, &["x", "store 3"], &["x", "v", "store 3"], &[0, 1]);
        function.code(&mut scop, 1, &["w", "store 4"], &["w", "z", "store 4"], &[0, 1]);
        let copies = ThreadCopies { privatized: vec![ArrayId(2)], ..ThreadCopies::default() };
        let outcome = function.generate(&scop, &in_threads(&scop, copies)).expect("can be emitted");
        assert_eq!(outcome.tasks, 1);
        let mut elements = vec![0; 64];
        for i in 0..n {
            for j in 0..4 {
                elements[usize::try_from(4 * i + j).expect("small")] = 3 * (initial(2, i) + j);
            }
        }
        let left = initial(2, n - 1) + 3;
        assert_eq!(function.run(&[(n, 2)]), [sum_of(&elements) + left], "{n} iterations");
    }
}
