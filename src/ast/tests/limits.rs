//! Budgets, numbers that do not fit, trees that are no schedule, and many statements.

use super::{ast_of, check_run};
use crate::ast::expr::Scope;
use crate::ast::hidden::Hidden;
use crate::ast::{Ast, Config, build, registers};
use crate::error::{Failure, RejectKind};
use crate::model::Scop;
use crate::model::tree::Node;
use presburger::{Budget, Error};
use std::fmt::Write;

fn scop(text: &str) -> Scop {
    Scop::parse(&format!("scop limits\n{text}")).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

fn is_limit(result: &Result<Ast, Failure>) -> bool {
    matches!(result, Err(Failure::Limit(l)) if l.stage == "ast")
}

const TRIANGLE: &str =
    "params: N\nstmt Stmt0\n  domain: { Stmt0[i, j] : 0 <= i < N and 0 <= j <= i }\n  schedule: [0, j, 0, i, 0]\n";

#[test]
fn every_budget_ends_in_a_limit_or_the_same_loops() {
    let scop = scop(TRIANGLE);
    let whole = ast_of(&scop, &scop.schedule);
    let mut limits = 0;
    for steps in 0..200 {
        let made = build(&scop, &scop.schedule, &Config::default(), &Budget::steps(steps));
        match made {
            Ok(ast) => assert_eq!(ast, whole),
            limit => {
                assert!(is_limit(&limit));
                limits += 1;
            }
        }
    }
    assert!(limits > 0);
}

#[test]
fn too_many_statements_are_a_limit() {
    let scop = scop(TRIANGLE);
    let made = build(&scop, &scop.schedule, &Config { max_stmts: 0, ..Config::default() }, &Budget::steps(2_000_000));
    assert!(is_limit(&made));
}

#[test]
fn large_coefficients_are_a_limit_or_right() {
    for (coefficient, constant) in [(1_i64 << 40, 7_i64), (1 << 60, 1 << 61), ((1 << 62) + 1, 5), (3, i64::MAX - 1)] {
        let text = format!(
            "params: N\nstmt Stmt0\n  domain: {{ Stmt0[i, j] : 0 <= i < 5 and 0 <= j < 4 and {coefficient}i + 3j <= {constant} }}\n  schedule: [0, 5j + 3i, 0, i, 0]\n"
        );
        let scop = scop(&text);
        match build(&scop, &scop.schedule, &Config::default(), &Budget::steps(2_000_000)) {
            Ok(ast) => check_run(&scop.schedule, &ast, &[3]).expect(&text),
            limit => assert!(is_limit(&limit), "{text}"),
        }
    }
}

fn without_values(tree: Node) -> Node {
    let mut tree = tree.map_children(&mut without_values);
    if let Node::Band(band, _) = &mut tree {
        band.members.iter_mut().for_each(|m| m.affs.clear());
    }
    tree
}

#[test]
fn a_band_without_a_value_is_a_bug() {
    let scop = scop(TRIANGLE);
    let tree = without_values(scop.schedule.clone());
    assert!(matches!(build(&scop, &tree, &Config::default(), &Budget::steps(2_000_000)), Err(Failure::Bug(_))));
}

#[test]
fn an_unbounded_domain_is_no_loop() {
    let scop = scop("params: N\nstmt Stmt0\n  domain: { Stmt0[i] : i >= 0 }\n  schedule: [0, i, 0]\n");
    assert!(build(&scop, &scop.schedule, &Config::default(), &Budget::steps(2_000_000)).is_err());
}

/// `count` statements in one loop, statement k shifted by `k mod 5`, every third with a shorter range.
fn many(count: usize) -> Scop {
    let mut text = String::from("params: N, M\n");
    for s in 0..count {
        let last = if s % 3 == 0 { "M" } else { "N" };
        let _ = writeln!(
            text,
            "stmt Stmt{s}\n  domain: {{ Stmt{s}[i, j] : 0 <= i < {last} and 0 <= j < N }}\n  schedule: [0, i + {}, {s}, j, 0]",
            s % 5
        );
    }
    scop(&text)
}

#[test]
fn many_statements_in_one_loop() {
    for count in [10, 40, 100] {
        let scop = many(count);
        let ast = ast_of(&scop, &scop.schedule);
        check_run(&scop.schedule, &ast, &[4, 6]).expect("many statements");
        check_run(&scop.schedule, &ast, &[5, 2]).expect("many statements");
    }
}

#[test]
fn shifts_in_many_dims_do_not_multiply_the_text() {
    for (count, most) in [(2, 72), (4, 120)] {
        let mut text = String::from("params: N\n");
        for s in 0..count {
            let _ = writeln!(
                text,
                "stmt Stmt{s}\n  domain: {{ Stmt{s}[i, j, k] : 0 <= i < N and 0 <= j < N and 0 <= k < N }}\n  schedule: [0, i + {s}, 0, j + {s}, 0, k + {s}, {s}]"
            );
        }
        let scop = scop(&text);
        let ast = ast_of(&scop, &scop.schedule);
        let copies = ast.stmts().count();
        assert!(copies <= most, "{copies} copies");
        for n in 0..7 {
            check_run(&scop.schedule, &ast, &[n]).expect("shifted statements");
        }
    }
}

#[test]
fn a_guard_becomes_a_test() {
    let scop = scop(TRIANGLE);
    let guard = presburger::Set::parse("[N] -> { : N >= 4 or N = 2 }").expect("set");
    let tree = crate::model::tree::ops::at(scop.schedule.clone(), &[0, 0], &|t| {
        Ok(crate::model::tree::ops::insert_guard(t, guard.clone()))
    });
    let tree = tree.expect("applies");
    let ast = ast_of(&scop, &tree);
    for n in 0..7 {
        check_run(&tree, &ast, &[n]).expect("guarded");
        let runs = super::interp::run(&ast, &[n]).expect("ends").len();
        assert_eq!(runs > 0, n >= 4 || n == 2, "N = {n}");
    }
}

#[test]
fn a_row_over_two_unknowns_has_no_closed_form() {
    // 2 e + 3 f >= 5, nothing else said of e and f: [1 | e f].
    let hidden = Hidden::new(vec![vec![-5, 2, 3]], 1, 3);
    let condition = hidden.cond(&Scope { params: 0, levels: Vec::new() });
    assert!(matches!(condition.map_err(Failure::from), Err(Failure::Reject(r)) if r.kind == RejectKind::NoClosedForm));
}

#[test]
fn elements_that_there_are_no_steps_to_tell_apart_stay_in_memory_and_it_is_said() {
    let scop = scop(
        "params: N\narray Arr0 memory f64 [*, 300]\nstmt Stmt0
          domain: { Stmt0[i, j, k] : 0 <= i < N and 0 <= j <= i and 0 <= k < j }
          schedule: [0, i, 0, j, 0, k, 0]
          read: { Stmt0[i, j, k] -> Arr0[i, j] }
          read: { Stmt0[i, j, k] -> Arr0[i, k] }
          read: { Stmt0[i, j, k] -> Arr0[j, k] }
          must_write: { Stmt0[i, j, k] -> Arr0[i, j] }
        ",
    );
    for (budget, why) in [(Budget::unlimited(), None), (Budget::steps(1_000), Some(Error::Spent))] {
        let mut ast = ast_of(&scop, &scop.schedule);
        assert_eq!(registers::hold(&scop, &mut ast, &budget), why);
        assert_eq!(format!("{ast:?}").contains("Held {"), why.is_none());
    }
}
