//! Schedule trees as maps: Kelly form and union-map form (their place among the forms: `build`).

use super::Node;
use super::flat::{FlatPiece, TimeDim, flat_schedule, visit_nodes};
use crate::ids::StmtId;
use presburger::{Aff, Map};
use std::collections::BTreeMap;

/// Kelly form: the time of each statement piece, not padded; an order within one loop body only where a sequence
/// stands.
#[must_use]
pub fn to_kelly(root: &Node) -> Vec<(StmtId, FlatPiece)> {
    let mut all = Vec::new();
    visit_nodes(root, &mut |_, node, pieces| {
        if matches!(node, Node::Leaf) {
            all.extend(pieces.iter().cloned());
        }
    });
    all.sort_by_key(|(id, _)| *id);
    all
}

/// Union-map form: `{ Stmt<n>[..] -> [t0, .., tk] }` per statement with one k for all, restricted to the domain. Times
/// compare lexicographically. Children of a set node are put in their written order.
#[must_use]
pub fn to_union_map(root: &Node) -> BTreeMap<StmtId, Map> {
    let map_of = |piece: &FlatPiece| Map::from_affs(&values(piece), "").intersect_domain(&piece.domain);
    let mut maps = BTreeMap::new();
    for (id, pieces) in flat_schedule(root) {
        let union = pieces.iter().map(map_of).reduce(|a, b| a.union(&b));
        maps.extend(union.map(|map| (id, map)));
    }
    maps
}

/// The components of a time vector as functions of the statement's dims; positions are constants.
#[must_use]
pub fn values(piece: &FlatPiece) -> Vec<Aff> {
    let space = piece.domain.space();
    let value = |t: &TimeDim| match t {
        TimeDim::Seq(k) | TimeDim::Any(k) => Aff::constant(space, *k),
        TimeDim::Aff(aff) => aff.clone(),
    };
    piece.time.iter().map(value).collect()
}
