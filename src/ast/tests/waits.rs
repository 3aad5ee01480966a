//! Barriers between loops that threads share: where they are put, and which mistakes are found.

use super::super::types::{Expr, For};
use super::super::waits::{check, place};
use super::Ast;
use super::shared::lp;
use crate::ids::StmtId;
use crate::model::tree::Axis;

const GRID: Option<Axis> = Some(Axis::Grid(0, None));
const THREADS: Option<Axis> = Some(Axis::Block(0, 32));

fn within(k: u32, axis: Option<Axis>, body: Ast) -> Ast {
    Ast::For(Box::new(lp(k, (Expr::Int(0), Expr::Int(9)), axis, body)))
}

fn stmt(k: usize) -> Ast {
    Ast::Stmt { id: StmtId::new(k), args: Vec::new() }
}

/// Two loops of threads, one after the other, in blocks.
fn beside() -> Ast {
    within(0, GRID, Ast::Block(vec![within(1, THREADS, stmt(0)), within(2, THREADS, stmt(1))]))
}

/// A loop of threads in one that runs in order, in blocks.
fn in_order() -> Ast {
    within(0, GRID, within(1, None, within(2, THREADS, stmt(0))))
}

/// Changes the innermost loop of a chain.
fn innermost(ast: &mut Ast, act: &dyn Fn(&mut For)) {
    let Ast::For(f) = ast else { return };
    if matches!(f.body, Ast::For(_)) { innermost(&mut f.body, act) } else { act(f) }
}

fn waiting(mut ast: Ast) -> (usize, Ast) {
    fn count(ast: &Ast) -> usize {
        match ast {
            Ast::Block(parts) => parts.iter().map(count).sum(),
            Ast::For(f) => usize::from(f.waits) + count(&f.body),
            _ => 0,
        }
    }
    place(&mut ast);
    (count(&ast), ast)
}

#[test]
fn threads_wait_where_iterations_in_order_come_between() {
    for (ast, waits) in [(beside(), 2), (in_order(), 1)] {
        assert!(check(&ast).is_err(), "nobody waits yet");
        let (found, ast) = waiting(ast);
        assert_eq!(found, waits);
        assert!(check(&ast).is_ok());
    }
}

#[test]
fn threads_that_run_all_of_their_iterations_wait_for_nobody() {
    let alone = within(0, GRID, within(1, THREADS, within(2, None, stmt(0))));
    let (found, ast) = waiting(alone);
    assert_eq!(found, 0);
    assert!(check(&ast).is_ok());
    let mut strips = in_order();
    if let Ast::For(f) = &mut strips
        && let Ast::For(strip) = &mut f.body
    {
        strip.coincident = true;
    }
    assert_eq!(waiting(strips).0, 0, "strips carry nothing");
}

#[test]
fn barriers_that_not_all_threads_come_to_are_found() {
    let (_, mut ast) = waiting(in_order());
    innermost(&mut ast, &|f| f.body = within(3, Some(Axis::Block(1, 2)), stmt(0)));
    assert!(check(&ast).is_ok());
    innermost(&mut ast, &|f| f.waits = true);
    assert!(check(&ast).is_err());
}

#[test]
fn loops_in_order_between_loops_of_threads_are_found() {
    let inner = within(2, None, within(3, Some(Axis::Block(1, 2)), stmt(0)));
    assert!(check(&within(0, GRID, within(1, THREADS, inner))).is_err());
}
