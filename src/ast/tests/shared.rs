//! Copies in shared memory: which ones the check lets pass, and which mistakes it finds.

use super::super::shared_check::check;
use super::super::types::{Expr, For, Part, Read, Tile};
use super::Ast;
use crate::error::Failure;
use crate::ids::IterId;
use crate::model::tree::Axis;
use crate::model::{Access, AccessKind, Scop, Stmt, fixtures};
use presburger::Budget;

/// Values of a product's loops and of its copy.
const ROWS: u32 = 0;
const COLUMNS: u32 = 1;
const IN_Y: u32 = 2;
const IN_X: u32 = 3;
const STEPS: u32 = 4;
const DEPTH: u32 = 5;

fn iter(k: u32) -> Expr {
    Expr::Iter(IterId(k))
}

fn plus(of: Vec<Expr>) -> Expr {
    Expr::Add(of)
}

fn times(by: i64, e: Expr) -> Expr {
    Expr::Mul(by, Box::new(e))
}

pub(super) fn lp(k: u32, (lower, upper): (Expr, Expr), axis: Option<Axis>, body: Ast) -> For {
    For {
        iter: IterId(k),
        lower,
        upper,
        step: 1,
        coincident: false,
        parallel: None,
        axis,
        waits: false,
        minor: false,
        contraction: None,
        collects: Vec::new(),
        registers: Vec::new(),
        lanes: None,
        staged: Vec::new(),
        body,
    }
}

fn ast(f: For) -> Ast {
    Ast::For(Box::new(f))
}

/// The product's statement, and its read of rows and depth.
fn read_of_rows(scop: &Scop) -> (&Stmt, &Access) {
    let moves = |access: &Access, dim: usize| {
        let column = scop.params.len() + dim;
        access.subscripts().is_some_and(|rows| rows.iter().any(|row| row[column] != 0))
    };
    let reads = |stmt: &Stmt| {
        let of = |a: &&Access| a.kind == AccessKind::Read && moves(a, 0) && !moves(a, 1) && moves(a, 2);
        stmt.accesses.iter().position(|a| of(&a))
    };
    let found = scop.stmts.iter().find_map(|stmt| Some((stmt, &stmt.accesses[reads(stmt)?])));
    found.expect("a product")
}

fn args() -> Vec<Expr> {
    let row = plus(vec![times(4, iter(ROWS)), iter(IN_Y)]);
    vec![row, plus(vec![times(32, iter(COLUMNS)), iter(IN_X)]), iter(DEPTH)]
}

/// Four rows of sixteen elements.
fn tile(scop: &Scop) -> Tile {
    let (stmt, access) = read_of_rows(scop);
    let first_row = times(4, iter(ROWS));
    let rows = (vec![first_row.clone()], vec![plus(vec![first_row.clone(), Expr::Int(3)])]);
    let last = [plus(vec![iter(STEPS), Expr::Int(15)]), Expr::Int(99)];
    let part = Part { bounds: vec![rows, (vec![iter(STEPS)], last.to_vec())], conds: Vec::new() };
    Tile {
        array: access.array,
        elem_bytes: 8,
        first: vec![first_row, iter(STEPS)],
        extents: vec![4, 16],
        pitch: 17,
        at: 0,
        turn: 0,
        parts: vec![part],
        reads: vec![Read { stmt: stmt.id, inst: access.inst, args: args() }],
    }
}

/// A kernel of blocks of 32 by 4 threads whose loop over the depth, from 0 to 99, has steps of sixteen; threads in x
/// run iterations from 0 to `last_x`.
fn kernel(scop: &Scop, tile: Tile, last_x: i64) -> Ast {
    let (stmt, _) = read_of_rows(scop);
    let last = Expr::Min(vec![plus(vec![iter(STEPS), Expr::Int(15)]), Expr::Int(99)]);
    let inner = lp(DEPTH, (iter(STEPS), last), None, Ast::Stmt { id: stmt.id, args: args() });
    let mut steps = lp(STEPS, (Expr::Int(0), Expr::Int(99)), None, ast(inner));
    (steps.step, steps.staged) = (16, vec![tile]);
    let in_x = lp(IN_X, (Expr::Int(0), Expr::Int(last_x)), Some(Axis::Block(0, 32)), ast(steps));
    let in_y = lp(IN_Y, (Expr::Int(0), Expr::Int(3)), Some(Axis::Block(1, 4)), ast(in_x));
    let columns = lp(COLUMNS, (Expr::Int(0), Expr::Int(9)), Some(Axis::Grid(0, None)), ast(in_y));
    ast(lp(ROWS, (Expr::Int(0), Expr::Int(9)), Some(Axis::Grid(1, None)), ast(columns)))
}

/// What is wrong with a copy that `change` has changed.
fn wrong(last_x: i64, change: impl FnOnce(&mut Tile)) -> Option<String> {
    let scop = fixtures::scop("seed_matmul");
    let mut made = tile(&scop);
    change(&mut made);
    match check(&scop, &kernel(&scop, made, last_x), &Budget::steps(1_000_000)) {
        Ok(()) => None,
        Err(Failure::Bug(why)) => Some(why),
        Err(other) => panic!("{other:?}"),
    }
}

#[test]
fn a_right_copy_passes() {
    assert_eq!(wrong(31, |_| {}), None);
}

#[test]
fn threads_that_do_not_come_to_a_barrier_are_found() {
    let why = wrong(30, |_| {}).expect("wrong");
    assert!(why.contains("not all threads"), "{why}");
}

#[test]
fn elements_without_room_are_found() {
    let no_room = "has no room";
    assert!(wrong(31, |tile| tile.extents[0] = 3).expect("wrong").contains(no_room));
    assert!(wrong(31, |tile| tile.extents[1] = 15).expect("wrong").contains(no_room));
    let shifted = |tile: &mut Tile| tile.first[1] = plus(vec![iter(STEPS), Expr::Int(1)]);
    assert!(wrong(31, shifted).expect("wrong").contains(no_room));
}

#[test]
fn elements_that_are_not_copied_are_found() {
    let not_copied = "not copied";
    assert!(
        wrong(31, |tile| tile.parts[0].bounds[0].1 = vec![times(4, iter(ROWS))]).expect("wrong").contains(not_copied)
    );
    assert!(wrong(31, |tile| tile.parts[0].bounds[1].1.push(Expr::Int(98))).expect("wrong").contains(not_copied));
    assert!(wrong(31, |tile| tile.parts.clear()).expect("wrong").contains(not_copied));
    let never = |tile: &mut Tile| tile.parts[0].conds.push(plus(vec![iter(ROWS), Expr::Int(-1)]));
    assert!(wrong(31, never).expect("wrong").contains(not_copied));
}

#[test]
fn copies_that_differ_between_threads_are_found() {
    let why = wrong(31, |tile| tile.first[0] = plus(vec![times(4, iter(ROWS)), iter(IN_Y)])).expect("wrong");
    assert!(why.contains("different elements"), "{why}");
}

#[test]
fn a_copy_of_what_is_written_is_found() {
    let scop = fixtures::scop("seed_matmul");
    let written = |a: &&Access| a.kind != AccessKind::Read && scop.array(a.array).is_memory();
    let array = scop.stmts.iter().flat_map(|s| &s.accesses).find(written).expect("a store").array;
    let why = wrong(31, |tile| tile.array = array).expect("wrong");
    assert!(why.contains("the kernel writes"), "{why}");
}

#[test]
fn copies_that_take_turns_have_places_of_their_own() {
    assert_eq!(wrong(31, |tile| tile.turn = tile.bytes()), None);
    let why = wrong(31, |tile| tile.turn = tile.bytes() - 8).expect("wrong");
    assert!(why.contains("overlap"), "{why}");
}
