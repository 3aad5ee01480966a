//! The kernels' dependences and original orders, against enumeration.

use super::oracle;
use super::seeds::{budget, deps_of};
use crate::deps::legality::{self, Verdict};
use crate::model::fixtures;

#[test]
fn kernels_equal_enumeration() {
    for (name, _) in fixtures::ALL.iter().filter(|(n, _)| *n != "seed_atax") {
        let scop = fixtures::scop(name);
        let deps = deps_of(&scop);
        let params = vec![3; scop.params.len()];
        let (expected, listed) = (oracle::dependences(&scop, &params, false), oracle::listed(&scop, &deps, &params));
        assert!(expected == listed, "{name}: {:?}", expected.symmetric_difference(&listed).take(5).collect::<Vec<_>>());
    }
}

#[test]
fn the_original_order_is_legal() {
    for (name, _) in fixtures::ALL {
        let scop = fixtures::scop(name);
        let verdict = legality::check(&scop, &deps_of(&scop), &scop.schedule, &budget()).expect("within budget");
        assert_eq!(verdict, Verdict::Legal, "{name}");
    }
}
