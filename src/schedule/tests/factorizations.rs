//! Factorizations and triangular products: blocks of the depth, with contractions beside their panels.

use super::{Config, dependences, nodes};
use crate::ids::StmtId;
use crate::model::fixtures;
use crate::model::tree::{Mark, Node};
use crate::proof::{self, Verdict};
use crate::schedule::{Decision, Machine, schedule};
use presburger::Budget;
use std::collections::BTreeSet;

/// The order of a fixture whose statements may all be contractions, and which of them are some in it.
fn ordered(name: &str) -> (Node, BTreeSet<StmtId>) {
    let scop = fixtures::scop(name);
    let deps = dependences(&scop);
    let config = Config { contractions: scop.stmts.iter().map(|s| s.id).collect(), ..Config::default() };
    let decision = schedule(&scop, &deps, &config, &Machine::WIDE, &Budget::steps(4_000_000)).expect("within budget");
    let Decision::Transformed { tree, summary } = decision else { panic!("{name} is kept: {decision:?}") };
    let proved = proof::prove(&scop, &deps, &tree, &BTreeSet::new(), &Budget::unlimited()).expect("unlimited");
    assert_eq!(proved, Verdict::Legal, "{name}: {:?}\n{tree:#?}", summary.steps);
    let (mut all, mut packed) = (Vec::new(), BTreeSet::new());
    nodes(&tree, &mut all);
    for node in all {
        if let Node::Mark(Mark::Contraction(_), below) = node
            && let Node::Band(band, _) = &**below
        {
            packed.extend(band.members[0].affs.keys().copied());
        }
    }
    (tree, packed)
}

fn stmts(of: &[u32]) -> BTreeSet<StmtId> {
    of.iter().map(|s| StmtId(*s)).collect()
}

#[test]
fn updates_behind_a_panel_are_contractions() {
    assert_eq!(ordered("cholesky").1, stmts(&[0]));
    assert_eq!(ordered("lu").1, stmts(&[0, 2]));
}

#[test]
fn what_is_read_before_it_is_overwritten_comes_in_front_of_the_panel() {
    assert_eq!(ordered("trmm").1, stmts(&[0]));
}
