//! The kernels' dependences and original orders, against enumeration.

use super::oracle;
use super::seeds::{budget, deps_of, tree_of};
use crate::deps::{compute, flow};
use crate::model::fixtures;
use crate::proof::{self, Verdict};
use presburger::Budget;

/// Steps that the dependences of three products and the proof of their tiled order take at most.
const FEW: u64 = 1_000;

#[test]
fn kernels_equal_enumeration() {
    for (name, _) in fixtures::ALL.iter().filter(|(n, _)| *n != "seed_atax") {
        let scop = fixtures::scop(name);
        let deps = deps_of(&scop);
        let params = vec![3; scop.params.len()];
        let (expected, listed) = (oracle::dependences(&scop, &params), oracle::listed(&scop, &deps.validity, &params));
        assert!(expected == listed, "{name}: {:?}", expected.symmetric_difference(&listed).take(5).collect::<Vec<_>>());
    }
}

#[test]
fn last_writers_of_kernels_equal_enumeration() {
    for (name, _) in fixtures::ALL.iter().filter(|(n, _)| *n != "seed_atax") {
        let scop = fixtures::scop(name);
        let flow = flow::last_writers(&scop, &budget()).expect("within budget");
        let params = vec![3; scop.params.len()];
        let (expected, listed) = (oracle::last_writers(&scop, &params), oracle::listed(&scop, &flow, &params));
        assert!(expected == listed, "{name}: {:?}", expected.symmetric_difference(&listed).take(5).collect::<Vec<_>>());
    }
}

#[test]
fn the_original_order_is_legal() {
    for (name, _) in fixtures::ALL {
        let scop = fixtures::scop(name);
        let verdict = proof::check(&scop, &deps_of(&scop), &scop.schedule, &budget()).expect("within budget");
        assert_eq!(verdict, Verdict::Legal, "{name}");
    }
}

/// Three products, each initialised, then tiled in three dimensions with the loops of a tile interchanged.
fn tiled_3mm() -> String {
    let params = "[NI, NJ, NK, NL, NM] -> ";
    let nest = |init: usize, update: usize| {
        let filter = |stmts: String| format!("filter: \"{params}{{ {stmts} }}\"");
        let member = |id: usize, dims: &str, value: &str| format!("{{ Stmt{id}[{dims}] -> [({value})] }}");
        let point = |d: &&str| member(update, "i, j, k", d);
        let tiles: Vec<String> =
            ["i", "j", "k"].iter().map(|d| member(update, "i, j, k", &format!("floor(({d})/32)"))).collect();
        let points: Vec<String> = ["i", "k", "j"].iter().map(point).collect();
        let start = [member(init, "i, j", "i"), member(init, "i, j", "j")];
        let lines = [
            format!("- {}", filter(format!("Stmt{init}[i, j]; Stmt{update}[i, j, k]"))),
            "  child:".to_owned(),
            "    sequence:".to_owned(),
            format!("    - {}", filter(format!("Stmt{init}[i, j]"))),
            "      child:".to_owned(),
            format!("        schedule: \"{params}[{}]\"", start.join(", ")),
            format!("    - {}", filter(format!("Stmt{update}[i, j, k]"))),
            "      child:".to_owned(),
            format!("        schedule: \"{params}[{}]\"", tiles.join(", ")),
            "        child:".to_owned(),
            format!("          schedule: \"{params}[{}]\"", points.join(", ")),
        ];
        lines.join("\n")
    };
    format!("sequence:\n{}\n{}\n{}\n", nest(0, 1), nest(2, 3), nest(4, 5))
}

#[test]
fn tiled_matrix_products_are_proved_in_few_steps() {
    let scop = fixtures::scop("3mm");
    let tree = tree_of(&scop, &tiled_3mm());
    let budget = Budget::steps(FEW);
    let deps = compute(&scop, &budget).expect("few steps");
    let verdict = proof::check(&scop, &deps, &tree, &budget).expect("few steps");
    assert_eq!(verdict, Verdict::Legal);
    println!("{} of {FEW} steps", FEW - budget.left());
}
