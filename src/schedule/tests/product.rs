//! Every kernel under every combination of options, each order proved by the independent checker.

use super::{dependences, forced, legal, nodes, random};
use crate::cost::Machine;
use crate::model::fixtures;
use crate::model::tree::Node;
use crate::schedule::{Config, Decision, Fusion, Solving, schedule};
use presburger::Budget;

/// All combinations of the options that shape a schedule; those that are off by default with the shapes of loops that
/// stand for all.
fn configs() -> Vec<Config> {
    let tiled = |sizes: &[i64]| Config { tile_sizes: sizes.to_vec(), ..forced() };
    let common = [Config { tiling: false, ..forced() }, forced(), tiled(&[7]), tiled(&[16, 1, 5])];
    let rare = [
        Config { second_level_tiling: true, second_level_tile_sizes: vec![4, 2], ..tiled(&[12, 9]) },
        Config { solving: Solving { negative: true, relaxed: false }, ..tiled(&[6]) },
        Config { solving: Solving { negative: false, relaxed: true }, ..tiled(&[6]) },
    ];
    let shapes = [(true, true), (true, false), (false, false)];
    let mut all = Vec::new();
    for (bases, shapes) in [(&common[..], &shapes[..]), (&rare[..], &shapes[..1])] {
        for (base, &(vectorize, unroll_jam)) in bases.iter().flat_map(|b| shapes.iter().map(move |s| (b, s))) {
            for fusion in [Fusion::Max, Fusion::Smart, Fusion::None] {
                for parallel in [false, true] {
                    all.push(Config { fusion, vectorize, unroll_jam, parallel, ..base.clone() });
                }
            }
        }
    }
    all
}

/// Every configuration of one kernel; returns how many gave a new order.
fn prove(name: &str) -> usize {
    let scop = fixtures::scop(name);
    let deps = dependences(&scop);
    let mut transformed = 0;
    for config in configs() {
        let decision = schedule(&scop, &deps, &config, &Machine::WIDE, &Budget::steps(2_000_000))
            .unwrap_or_else(|e| panic!("{name}: {e}, {config:?}"));
        if let Some(tree) = decision.tree() {
            legal(&scop, &deps, tree);
            random::claims_hold(&scop, &deps, tree);
            transformed += 1;
        }
    }
    transformed
}

#[test]
fn every_kernel_is_legal_under_all_options() {
    let (mut orders, mut kernels) = (0, 0);
    for (name, _) in fixtures::ALL {
        let transformed = prove(name);
        println!("{name}: {transformed} orders");
        orders += transformed;
        kernels += usize::from(transformed > 0);
    }
    assert!(kernels >= 30, "{kernels} of {} kernels have a new order", fixtures::ALL.len());
    assert!(orders >= 30 * configs().len(), "only {orders} orders");
}

/// Outermost loop nests of the new order of a kernel.
fn nests(name: &str, fusion: Fusion) -> usize {
    let scop = fixtures::scop(name);
    let config = Config { fusion, ..forced() };
    let Ok(Decision::Transformed { tree, .. }) =
        schedule(&scop, &dependences(&scop), &config, &Machine::WIDE, &Budget::steps(2_000_000))
    else {
        panic!("{name}: no new order");
    };
    let mut all = Vec::new();
    nodes(&tree, &mut all);
    let parts = all.iter().find_map(|n| match n {
        Node::Sequence(children) => Some(children.len()),
        Node::Band(..) => Some(1),
        _ => None,
    });
    parts.expect("a tree with loops")
}

#[test]
fn strategies_fuse_differently() {
    for (name, max, smart, none) in [("gemm", 1, 2, 2), ("2mm", 1, 4, 4), ("gesummv", 1, 4, 5), ("jacobi_2d", 1, 1, 1)]
    {
        let found = [Fusion::Max, Fusion::Smart, Fusion::None].map(|f| nests(name, f));
        assert_eq!(found, [max, smart, none], "{name}");
    }
}
