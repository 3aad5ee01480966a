//! Worked examples of dependences.

use crate::deps::{DepKind, Dependences, compute, flow, print, vectors};
use crate::model::tree::read::parse_tree;
use crate::model::tree::{Node, print::Yaml};
use crate::model::{Scop, fixtures};
use presburger::{Budget, Map, Set};

pub fn budget() -> Budget {
    Budget::steps(1 << 32)
}

pub fn deps_of(scop: &Scop) -> Dependences {
    compute(scop, &budget()).expect("within budget")
}

/// The tree below the domain of `scop`, read from text.
pub fn tree_of(scop: &Scop, below: &str) -> Node {
    let domain = Yaml(&scop.schedule).to_string();
    let first = domain.lines().next().expect("domain");
    let below: String = below.lines().filter(|l| !l.trim().is_empty()).map(|l| format!("  {l}\n")).collect();
    parse_tree(&format!("{first}\nchild:\n{below}")).expect("tree")
}

#[test]
fn matrix_product_carries_raw_war_and_waw_in_k() {
    let scop = fixtures::scop("seed_matmul");
    let deps = deps_of(&scop);
    let kinds: Vec<DepKind> = deps.validity.iter().map(|d| d.kind).collect();
    assert_eq!(kinds, [DepKind::Raw, DepKind::War, DepKind::Waw]);
    let expected =
        "[P2, P1, P0] -> { Stmt0[i, j, k] -> Stmt0[i, j, l] : 0 <= i < P2 and 0 <= j < P1 and 0 <= k < l < P0 }";
    let expected = Map::parse(expected).expect("map");
    for dep in &deps.validity {
        assert!(dep.relation.is_equal(&expected, &budget()).expect("within budget"), "{dep}");
        let found = vectors::vectors(&scop, dep, &budget()).expect("within budget");
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].smallest(), Some(vec![0, 0, 1]));
        assert_eq!(found[0].to_string(), "direction (=, =, <), distance (0, 0, 1+)");
    }
    let report = print::report(&scop, &deps, &budget()).expect("within budget");
    assert!(report.starts_with("RAW Stmt0 -> Stmt0 on Arr0: [P2, P1, P0] -> { Stmt0["), "{report}");
    assert_eq!(report.lines().filter(|l| *l == "  direction (=, =, <), distance (0, 0, 1+)").count(), 3);
}

#[test]
fn the_range_of_a_parameter_is_no_distance() {
    let mut scop = fixtures::scop("seed_matmul");
    scop.contexts.defined = Set::parse("[P2, P1, P0] -> { : -32768 <= P0 <= 32767 }").expect("set");
    let deps = deps_of(&scop);
    let found = vectors::vectors(&scop, &deps.validity[0], &budget()).expect("within budget");
    assert_eq!(found[0].to_string(), "direction (=, =, <), distance (0, 0, 1+)");
}

#[test]
fn the_value_read_comes_from_the_iteration_before() {
    let scop = fixtures::scop("seed_matmul");
    let found = flow::last_writers(&scop, &budget()).expect("within budget");
    let [dep] = &found[..] else { panic!("{found:?}") };
    let expected =
        "[P2, P1, P0] -> { Stmt0[i, j, k] -> Stmt0[i, j, k + 1] : 0 <= i < P2 and 0 <= j < P1 and 0 <= k < P0 - 1 }";
    let expected = Map::parse(expected).expect("map");
    assert!(dep.relation.is_equal(&expected, &budget()).expect("within budget"), "{dep}");
    let vectors = vectors::vectors(&scop, dep, &budget()).expect("within budget");
    assert_eq!(vectors[0].to_string(), "direction (=, =, <), distance (0, 0, 1)");
}

#[test]
fn initialisation_is_overwritten_and_read() {
    let scop = fixtures::scop("seed_gemm");
    let listed: Vec<String> =
        deps_of(&scop).validity.iter().map(|d| format!("{} {} {}", d.kind, d.src, d.dst)).collect();
    assert_eq!(listed, ["RAW Stmt0 Stmt1", "RAW Stmt1 Stmt1", "WAR Stmt1 Stmt1", "WAW Stmt0 Stmt1", "WAW Stmt1 Stmt1"]);
}

#[test]
fn a_spent_budget_is_a_limit() {
    let scop = fixtures::scop("lu");
    let spent = compute(&scop, &Budget::steps(3));
    assert!(matches!(spent, Err(crate::error::Failure::Limit(_))), "{spent:?}");
}
