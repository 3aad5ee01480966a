//! Statements that are not of the original code, arrays that it does not have, and scalars in elements.

use super::{Function, filled, initial, loops_of, sum_of, summed};
use crate::ast::tests::interp;
use crate::ast::tests::mutations::changed_loops;
use crate::ast::types::Ast;
use crate::error::Failure;
use crate::ids::ArrayId;
use crate::model::{ArrayKind, Lifetime, Scop, StmtBody};

const SEEDS: [(i64, i64); 4] = [(8, 0), (8, 1), (8, -5), (8, 1_000_003)];

/// An array `%a` of 16 elements, a block `mid` (number 2) with this code, then their sum.
fn around(mid: &str) -> Function {
    let fill = filled("a", 16, "mid");
    let end = summed("end", "a", 16);
    Function::parse(&format!(
        "define i64 @f(i64 %n, i64 %seed) {{\nentry:\n  %a = alloca [16 x i64]\n{fill}mid:\n{mid}  br label %end\n{end}"
    ))
}

/// Runs these statements in place of an empty block; `Arr0` is `%a`. Checks what they leave there.
fn check(stmts: &str, expected: impl Fn(&mut Vec<i64>)) {
    for (n, seed) in SEEDS {
        let mut function = around("");
        let mut scop = function.model(stmts, &["a"], &[2], 3);
        for k in 0..scop.stmts.len() {
            let accesses = vec!["store 0"; scop.stmts[k].accesses.len()];
            function.code(&mut scop, k, &accesses, &[], &[]);
        }
        function.generate(&scop, &loops_of(&scop)).expect("can be emitted");
        let mut elements = (0..16).map(|k| initial(seed, k)).collect();
        expected(&mut elements);
        assert_eq!(function.run(&[(n, seed)]), [sum_of(&elements)], "seed {seed} of\n{stmts}");
    }
}

#[test]
fn copies_move_elements_by_their_relations() {
    check(
        "scop s\nparams: n\narray Arr0 memory i64 [*]\nstmt Stmt0\n domain: { Stmt0[i] : 0 <= i < n }\n schedule: [0, i, 0]\n read: { Stmt0[i] -> Arr0[i] }\n must_write: { Stmt0[i] -> Arr0[15 - i] }\n body: copy\n",
        |a| (0..8).for_each(|i| a[15 - i] = a[i]),
    );
}

/// One bound, step, argument or statement of the loops changed: the code runs the instances that they say then, so that
/// what it leaves is something else wherever they are others.
#[test]
fn code_of_loops_that_are_changed_leaves_what_these_say() {
    let text = "scop s\nparams: n\narray Arr0 memory i64 [*]
        stmt Stmt0\n domain: { Stmt0[i, j] : 1 <= i < 3 and 1 <= j < 4 }\n schedule: [0, i, 0, j, 0]\n read: { Stmt0[i, j] -> Arr0[3i + j] }\n must_write: { Stmt0[i, j] -> Arr0[4i - j] }\n body: copy
        stmt Stmt1\n domain: { Stmt1[i, j] : 1 <= i < 3 and 1 <= j < 4 }\n schedule: [0, i, 0, j, 1]\n read: { Stmt1[i, j] -> Arr0[i + j] }\n must_write: { Stmt1[i, j] -> Arr0[i + 2j] }\n body: copy\n";
    let (n, seed) = SEEDS[3];
    let made = || {
        let function = around("");
        let mut scop = function.model(text, &["a"], &[2], 3);
        (0..2).for_each(|k| function.code(&mut scop, k, &["store 0", "store 0"], &[], &[]));
        (function, scop)
    };
    let on_paper = |ast: &Ast| {
        let mut a: Vec<i64> = (0..16).map(|k| initial(seed, k)).collect();
        for (id, at) in interp::run(ast, &[n]).expect("ends") {
            let (i, j) = (at[0], at[1]);
            let (from, to) = if id.index() == 0 { (3 * i + j, 4 * i - j) } else { (i + j, i + 2 * j) };
            a[usize::try_from(to).expect("inside")] = a[usize::try_from(from).expect("inside")];
        }
        sum_of(&a)
    };
    let (_, scop) = made();
    let right = on_paper(&loops_of(&scop));
    let mut noticed = 0;
    for changed in changed_loops(&loops_of(&scop)) {
        if changed.stmts().any(|id| id.index() > 1) {
            continue;
        }
        let (mut function, scop) = made();
        function.generate(&scop, &changed).expect("can be emitted");
        let left = function.run(&[(n, seed)]);
        assert_eq!(left, [on_paper(&changed)], "{changed:?}");
        noticed += usize::from(left != [right]);
    }
    assert!(noticed >= 10, "only {noticed} changes make a difference");
}

#[test]
fn arrays_of_our_own_hold_what_is_copied_into_them() {
    check(
        "scop s\nparams: n\narray Arr0 memory i64 [*]\narray Arr1 made i64 [2, 4]
        stmt Stmt0\n domain: { Stmt0[i, j] : 0 <= i < 2 and 0 <= j < 4 }\n schedule: [0, i, 0, j, 0]\n read: { Stmt0[i, j] -> Arr0[4i + j] }\n must_write: { Stmt0[i, j] -> Arr1[i, j] }\n body: copy
        stmt Stmt1\n domain: { Stmt1[i, j] : 0 <= i < 2 and 0 <= j < 4 }\n schedule: [1, i, 0, j, 0]\n read: { Stmt1[i, j] -> Arr1[1 - i, 3 - j] }\n must_write: { Stmt1[i, j] -> Arr0[4i + j] }\n body: copy\n",
        |a| a[..8].reverse(),
    );
}

#[test]
fn first_values_and_updates_make_sums() {
    for (op, join) in [
        ("add", i64::wrapping_add as fn(i64, i64) -> i64),
        ("smin", |a, b| a.min(b)),
        ("smax", |a, b| a.max(b)),
        ("xor", |a, b| a ^ b),
    ] {
        let stmts = format!(
            "scop s\nparams: n\narray Arr0 memory i64 [*]\narray Arr1 made i64 [4]
            stmt Stmt0\n domain: {{ Stmt0[i] : 0 <= i < 4 }}\n schedule: [0, i, 0]\n must_write: {{ Stmt0[i] -> Arr1[i] }}\n body: init {op}
            stmt Stmt1\n domain: {{ Stmt1[i, j] : 0 <= i < 4 and 0 <= j < 3 }}\n schedule: [1, i, 0, j, 0]\n read: {{ Stmt1[i, j] -> Arr0[4j + i] }}\n read: {{ Stmt1[i, j] -> Arr1[i] }}\n must_write: {{ Stmt1[i, j] -> Arr1[i] }}\n body: combine {op}
            stmt Stmt2\n domain: {{ Stmt2[i] : 0 <= i < 4 }}\n schedule: [2, i, 0]\n read: {{ Stmt2[i] -> Arr1[i] }}\n must_write: {{ Stmt2[i] -> Arr0[i + 12] }}\n body: copy\n"
        );
        check(&stmts, |a| (0..4).for_each(|i| a[12 + i] = join(join(a[i], a[4 + i]), a[8 + i])));
    }
}

#[test]
fn a_statement_whose_accesses_do_not_fit_is_a_bug_and_a_kernel_is_refused() {
    let text = |body: &str| {
        format!(
            "scop s\nparams: n\narray Arr0 memory i64 [*]\nstmt Stmt0\n domain: {{ Stmt0[i] : 0 <= i < n }}\n schedule: [0, i, 0]\n must_write: {{ Stmt0[i] -> Arr0[i] }}\n body: {body}\n"
        )
    };
    for (body, is_bug) in [("copy", true), ("combine add", true), ("kernel gemm", false)] {
        let mut function = around("");
        let mut scop = function.model(&text(body), &["a"], &[2], 3);
        function.code(&mut scop, 0, &["store 0"], &[], &[]);
        let failure = function.generate(&scop, &loops_of(&scop)).map(|_| ()).expect_err("nothing to emit");
        assert_eq!(matches!(failure, Failure::Bug(_)), is_bug, "{failure:?}");
        let untouched: Vec<i64> = (0..16).map(|k| initial(3, k)).collect();
        assert_eq!(function.run(&[(8, 3)]), [sum_of(&untouched)]);
    }
}

#[test]
fn made_arrays_need_room_and_a_size() {
    for (sizes, fits) in [("[8192]", true), ("[8193]", false), ("[n]", false)] {
        let text = format!(
            "scop s\nparams: n\narray Arr0 memory i64 [*]\narray Arr1 made i64 {sizes}\nstmt Stmt0\n domain: {{ Stmt0[i] : 0 <= i < 4 }}\n schedule: [0, i, 0]\n read: {{ Stmt0[i] -> Arr0[i] }}\n must_write: {{ Stmt0[i] -> Arr1[i] }}\n body: copy\n"
        );
        let mut function = around("");
        let mut scop = function.model(&text, &["a"], &[2], 3);
        function.code(&mut scop, 0, &["store 0", "store 0"], &[], &[]);
        assert_eq!(function.generate(&scop, &loops_of(&scop)).is_ok(), fits, "{sizes}");
    }
}

/// `w = seed + 7; a[5] = 3 * w`, the scalar `w` in `a[3]`.
#[test]
fn a_scalar_that_is_mapped_onto_an_element_lives_there() {
    let mid = "  %w = add i64 %seed, 7\n  %v = mul i64 %w, 3\n  %p = getelementptr i64, ptr %a, i64 5\n  store i64 %v, ptr %p\n";
    let text = "scop s\nparams: n\narray Arr0 memory i64 [*]\narray Arr1 value i64 []\n
        stmt Stmt0\n domain: { Stmt0[] }\n schedule: [0]\n must_write: { Stmt0[] -> Arr0[3] } carries Arr1\n
        stmt Stmt1\n domain: { Stmt1[] }\n schedule: [1]\n read: { Stmt1[] -> Arr0[3] } carries Arr1\n must_write: { Stmt1[] -> Arr0[5] }\n";
    for (n, seed) in SEEDS {
        let mut function = around(mid);
        let mut scop = function.model(text, &["a"], &[2], 3);
        assert_eq!(scop.stmts[1].accesses[0].carries, Some(ArrayId(1)));
        scop.arrays[1].kind = ArrayKind::Value { def: function.id("w") };
        function.code(&mut scop, 0, &["w"], &["w"], &[]);
        function.code(&mut scop, 1, &["w", "store 1"], &["v", "store 1"], &[]);
        function.generate(&scop, &loops_of(&scop)).expect("can be emitted");
        let mut elements: Vec<i64> = (0..16).map(|k| initial(seed, k)).collect();
        (elements[3], elements[5]) = (seed + 7, 3 * (seed + 7));
        assert_eq!(function.run(&[(n, seed)]), [sum_of(&elements)]);
    }
}

#[test]
fn bodies_and_made_arrays_are_read_as_they_are_printed() {
    let text = "scop s\nparams: n\narray Arr0 memory f64 [*, 10]\narray Arr1 made_per_thread f64 [4, 10]\narray Arr2 value f64 []
        stmt Stmt0\n domain: { Stmt0[i] : 0 <= i < 4 }\n schedule: [0, i, 0]\n must_write: { Stmt0[i] -> Arr1[i, 3] }\n body: init fadd
        stmt Stmt1\n domain: { Stmt1[i] : 0 <= i < 4 }\n schedule: [1, i, 0]\n read: { Stmt1[i] -> Arr0[i, 3] } carries Arr2\n must_write: { Stmt1[i] -> Arr0[i, 1] }\n body: kernel gemm\n";
    let scop = Scop::parse(text).expect("text");
    let again = Scop::parse(&scop.to_string()).expect("its own text");
    assert_eq!(scop.to_string(), again.to_string());
    assert_eq!(again.arrays[1].kind, ArrayKind::Made { lifetime: Lifetime::Thread });
    assert_eq!(again.arrays[1].strides[0].as_constant(), Some(80));
    assert_eq!(again.stmts[1].body, StmtBody::Kernel("gemm".to_owned()));
    assert_eq!(again.stmts[1].accesses[0].carries, Some(ArrayId(2)));
}
