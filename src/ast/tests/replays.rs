//! The check of loops against their tree notices each way in which they can differ.

use super::ast_of;
use crate::ast::replay::{self, Replay};
use crate::ast::types::{Ast, Expr, For};
use crate::model::Scop;

/// Eight times N instances in a band of two, with this line of options; behind the band, what `below` says.
fn scop(options: &str, below: &str) -> Scop {
    let text = format!(
        "
scop replayed
params: N
stmt Stmt0
  domain: {{ Stmt0[i, j] : 0 <= i < 8 and 0 <= j < N }}
stmt Stmt1
  domain: {{ Stmt1[i, j] : 0 <= i < 8 and 0 <= j < N }}
tree:
domain: \"[N] -> {{ Stmt0[i, j] : 0 <= i < 8 and 0 <= j < N; Stmt1[i, j] : 0 <= i < 8 and 0 <= j < N }}\"
child:
  schedule: \"[{{ Stmt0[i, j] -> [(i)]; Stmt1[i, j] -> [(i)] }}, {{ Stmt0[i, j] -> [(j)]; Stmt1[i, j] -> [(j)] }}]\"
  options: \"{{ {options} }}\"
  permutable: 1
  child:
    {below}:
    - filter: \"{{ Stmt0[i, j] }}\"
    - filter: \"{{ Stmt1[i, j] }}\"
"
    );
    Scop::parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

fn plain() -> Scop {
    jammed(1)
}

fn jammed(factor: u32) -> Scop {
    scop(&format!("unroll_jam[0, {factor}]"), "sequence")
}

/// What is wrong with `ast` as loops of `scop`'s tree.
fn wrong(scop: &Scop, ast: &Ast) -> String {
    replay::check(&scop.schedule, ast, &[3]).expect_err("a difference")
}

/// The statements of the innermost bodies replaced by what `change` makes of them.
fn changed(ast: Ast, change: &dyn Fn(Vec<Ast>) -> Vec<Ast>) -> Ast {
    match ast {
        Ast::For(mut f) => {
            f.body = changed(f.body, change);
            Ast::For(f)
        }
        Ast::Block(parts) if parts.iter().all(|p| matches!(p, Ast::Stmt { .. })) => Ast::Block(change(parts)),
        Ast::Block(parts) => Ast::Block(parts.into_iter().map(|p| changed(p, change)).collect()),
        other => other,
    }
}

#[test]
fn loops_of_the_tree_agree() {
    for scop in [plain(), jammed(2), jammed(4), jammed(8), scop("unroll_jam[0, 4]", "set")] {
        let ast = ast_of(&scop, &scop.schedule);
        assert_eq!(replay::check(&scop.schedule, &ast, &[3]), Ok(Replay::Agrees));
        assert_eq!(replay::check(&scop.schedule, &ast, &[0]), Ok(Replay::Agrees));
    }
}

#[test]
fn interleaving_needs_a_jammed_member_with_room_for_it() {
    let ast = ast_of(&jammed(4), &jammed(4).schedule);
    assert_ne!(ast, ast_of(&plain(), &plain().schedule), "nothing is jammed");
    assert!(wrong(&plain(), &ast).contains("runs after"));
    assert!(wrong(&jammed(2), &ast).contains("runs after"));
    assert_eq!(replay::check(&jammed(8).schedule, &ast, &[3]), Ok(Replay::Agrees));
    let other_member = scop("unroll_jam[1, 4]", "sequence");
    assert!(wrong(&other_member, &ast).contains("runs after"));
}

#[test]
fn copies_of_a_jammed_body_keep_their_order() {
    let scop = jammed(4);
    let ast = ast_of(&scop, &scop.schedule);
    let statements = |ast: &Ast| ast.stmts().count();
    assert_eq!(statements(&ast), 8);
    for (a, b) in [(0, 1), (2, 3), (0, 2), (1, 7)] {
        let swapped = changed(ast.clone(), &|mut parts| {
            parts.swap(a, b);
            parts
        });
        assert!(wrong(&scop, &swapped).contains("runs after"), "{a} and {b}");
    }
}

#[test]
fn jammed_loops_that_run_backwards_inside_are_noticed() {
    let scop = jammed(4);
    let last_first = |parts: Vec<Ast>| {
        let turn = |part| match part {
            Ast::Stmt { id, args } => {
                let j = Expr::Add(vec![Expr::Int(-1), Expr::Param(0), Expr::Mul(-1, Box::new(args[1].clone()))]);
                Ast::Stmt { id, args: vec![args[0].clone(), j] }
            }
            other => other,
        };
        parts.into_iter().map(turn).collect()
    };
    let turned = changed(ast_of(&scop, &scop.schedule), &last_first);
    assert!(wrong(&scop, &turned).contains("runs after"));
}

#[test]
fn instances_run_once_and_none_is_added() {
    for scop in [plain(), jammed(4)] {
        let ast = ast_of(&scop, &scop.schedule);
        let fewer = changed(ast.clone(), &|mut parts| {
            parts.pop();
            parts
        });
        assert!(wrong(&scop, &fewer).contains("does not run"));
        let twice = changed(ast.clone(), &|mut parts| {
            parts.push(parts[parts.len() - 1].clone());
            parts
        });
        assert!(wrong(&scop, &twice).contains("runs twice"));
        let outside = changed(ast, &|mut parts| {
            if let Some(Ast::Stmt { args, .. }) = parts.last_mut() {
                args[0] = Expr::Int(8);
            }
            parts
        });
        assert!(wrong(&scop, &outside).contains("is not in the domain"));
    }
}

#[test]
fn what_is_too_large_to_enumerate_is_said() {
    let scop = plain();
    let ast = ast_of(&scop, &scop.schedule);
    assert_eq!(replay::check(&scop.schedule, &ast, &[1_000_000]), Ok(Replay::TooLarge));
    let tally = replay::small(&scop, &scop.schedule, &ast).expect("the same order");
    assert_eq!((tally.agree, tally.too_large), (9, 0));
    assert_eq!(tally.to_string(), "9 vectors of parameter values agree, 0 too large to run");
}

#[test]
fn more_steps_than_are_run_are_no_mistake_of_the_loops() {
    let scop = plain();
    let ast = ast_of(&scop, &scop.schedule);
    let Ast::For(f) = &ast else { panic!("a loop is outermost") };
    let nothing =
        For { lower: Expr::Int(0), upper: Expr::Int(4_000_000), body: Ast::Block(Vec::new()), ..(**f).clone() };
    let nothing = Ast::For(Box::new(nothing));
    let long = Ast::Block(vec![ast.clone(), nothing.clone()]);
    assert_eq!(replay::check(&scop.schedule, &long, &[3]), Ok(Replay::TooLarge));
    // What runs before the end of the steps has to be right all the same.
    let twice = Ast::Block(vec![ast.clone(), ast.clone(), nothing]);
    assert!(wrong(&scop, &twice).contains("runs twice"));
}
