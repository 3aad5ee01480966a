//! Every fixture, in its original order and as the scheduler reorders and tiles it.

use super::{Order, ast_of, check_run, grid};
use crate::ast::print_c;
use crate::deps;
use crate::model::Scop;
use crate::model::fixtures;
use crate::model::tree::Node;
use crate::schedule::{self, Machine, Outcome};
use presburger::Budget;
use std::time::Instant;

const MACHINE: Machine =
    Machine { l1_bytes: 48 << 10, l2_bytes: 1 << 20, l3_bytes: 32 << 20, vector_bits: 512, vector_registers: 32 };

fn check_all(scop: &Scop, tree: &Node, order: Order, last: i64) {
    let ast = ast_of(scop, tree);
    let last = if scop.params.len() > 3 { last.min(3) } else { last };
    for params in grid(scop.params.len(), 1, last) {
        if scop.contexts.assumed.contains(&params, &[]) {
            check_run(tree, &ast, &params, order)
                .unwrap_or_else(|e| panic!("{}: {e}\n{}", scop.name, print_c(&ast, &scop.param_names())));
        }
    }
}

/// The scheduler's tree, whatever it gains.
fn scheduled(scop: &Scop, tile_sizes: &[i64]) -> Option<Node> {
    let budget = Budget::unlimited();
    let found = deps::compute(scop, &deps::Config::default(), &budget).expect("dependences");
    let cfg =
        schedule::Config { process_unprofitable: true, tile_sizes: tile_sizes.to_vec(), ..schedule::Config::default() };
    match schedule::schedule(scop, &found, &cfg, &MACHINE).expect("schedule") {
        Outcome::Transformed { tree, .. } => Some(tree),
        Outcome::Keep { .. } => None,
    }
}

#[test]
fn original_order() {
    for (name, _) in fixtures::ALL {
        let scop = fixtures::scop(name);
        check_all(&scop, &scop.schedule, Order::Exact, 4);
    }
}

#[test]
fn small_tiles() {
    let mut transformed = 0;
    for (name, _) in fixtures::ALL {
        let scop = fixtures::scop(name);
        if let Some(tree) = scheduled(&scop, &[3, 4, 2]) {
            let start = Instant::now();
            let made = ast_of(&scop, &tree);
            println!("{name} {:?}\n{}", start.elapsed(), print_c(&made, &scop.param_names()));
            check_all(&scop, &tree, Order::Jammed, 6);
            transformed += 1;
        }
    }
    assert!(transformed >= 15, "only {transformed} fixtures were transformed");
}

#[test]
fn real_tiles() {
    for (name, _) in fixtures::ALL {
        let scop = fixtures::scop(name);
        if let Some(tree) = scheduled(&scop, &[]) {
            let start = Instant::now();
            let made = ast_of(&scop, &tree);
            println!("TIME {name} {:?}\n{}", start.elapsed(), print_c(&made, &scop.param_names()));
        }
    }
}
