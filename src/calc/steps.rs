//! Members of bands whose values go in steps, with values that do not: `3 i` as `i`; `2 i` of one statement and
//! `2 i + 1` of another as `i` of both, and the statements one after the other below. The order stays the same.

use crate::ids::StmtId;
use crate::model::tree::{Band, Member, Node};
use presburger::rows::gcd;
use presburger::{Aff, Set};
use std::collections::{BTreeMap, BTreeSet};

/// The tree with every member's values divided by what their differences have in common.
pub(super) fn without_steps(node: Node) -> Node {
    match node {
        Node::Domain(sets, c) => Node::Domain(sets, below(*c)),
        Node::Context(set, c) => Node::Context(set, below(*c)),
        Node::Filter(sets, c) => Node::Filter(sets, below(*c)),
        Node::Guard(set, c) => Node::Guard(set, below(*c)),
        Node::Mark(mark, c) => Node::Mark(mark, below(*c)),
        // What these are said to add depends on the values around them.
        Node::Extension(..) | Node::Expansion(..) | Node::Leaf => node,
        Node::Sequence(cs) => Node::Sequence(cs.into_iter().map(without_steps).collect()),
        Node::Set(cs) => Node::Set(cs.into_iter().map(without_steps).collect()),
        Node::Band(band, c) => of_band(band, without_steps(*c)),
    }
}

fn below(child: Node) -> Box<Node> {
    Box::new(without_steps(child))
}

fn of_band(band: Band, child: Node) -> Node {
    let mut members = band.members;
    for k in 0..members.len() {
        let Some(residues) = divide(&mut members[k]) else { continue };
        let Some((first, last)) = residues.values().min().zip(residues.values().max()) else { continue };
        if first == last {
            continue;
        }
        let rest = Band { members: members.split_off(k + 1), permutable: band.permutable };
        let inside = if rest.members.is_empty() { child } else { of_band(rest, child) };
        let part = |residue: i64| {
            let here: BTreeSet<StmtId> = residues.iter().filter(|(_, r)| **r == residue).map(|(id, _)| *id).collect();
            let space = |id: &StmtId| members[k].affs.get(id).map(|aff| aff.space().clone());
            let sets = here.iter().filter_map(|id| Some((*id, Set::universe(space(id)?)))).collect();
            Node::Filter(sets, Box::new(restricted(&inside, &here)))
        };
        let distinct: BTreeSet<i64> = residues.values().copied().collect();
        let parts = distinct.into_iter().map(part).collect();
        return Node::Band(Band { members, permutable: band.permutable }, Box::new(Node::Sequence(parts)));
    }
    Node::Band(Band { members, permutable: band.permutable }, Box::new(child))
}

/// Divides the values of a member by the largest number that divides their differences but for constants; the
/// remainder of each statement. `None`: nothing was divided.
fn divide(member: &mut Member) -> Option<BTreeMap<StmtId, i64>> {
    let parts = |aff: &Aff| aff.row().split_last().map(|(one, rest)| (*one, rest.to_vec()));
    let mut step = 0;
    for aff in member.affs.values() {
        step = parts(aff)?.1.iter().fold(step, |g, c| gcd(g, *c));
    }
    // Copies of an unrolled loop are counted in the loop's own steps.
    if step < 2 || member.ast.jammed().is_some() {
        return None;
    }
    let mut residues = BTreeMap::new();
    for (id, aff) in &mut member.affs {
        let residue = parts(aff)?.0.rem_euclid(step);
        residues.insert(*id, residue);
        *aff = aff.add_constant(-residue).floor_div(step);
    }
    Some(residues)
}

/// The subtree for some of its statements. Sequences keep their children: the leaves stay where they are.
fn restricted(node: &Node, stmts: &BTreeSet<StmtId>) -> Node {
    let below = |c: &Node| Box::new(restricted(c, stmts));
    let only = |sets: &BTreeMap<StmtId, Set>| {
        sets.iter().filter(|(id, _)| stmts.contains(id)).map(|(id, set)| (*id, set.clone())).collect()
    };
    match node {
        Node::Filter(sets, c) => Node::Filter(only(sets), below(c)),
        Node::Context(set, c) => Node::Context(set.clone(), below(c)),
        Node::Guard(set, c) => Node::Guard(set.clone(), below(c)),
        Node::Mark(mark, c) => Node::Mark(mark.clone(), below(c)),
        Node::Band(band, c) => {
            let mut band = band.clone();
            band.members.iter_mut().for_each(|m| m.affs.retain(|id, _| stmts.contains(id)));
            Node::Band(band, below(c))
        }
        Node::Sequence(cs) => Node::Sequence(cs.iter().map(|c| restricted(c, stmts)).collect()),
        Node::Set(cs) => Node::Set(cs.iter().map(|c| restricted(c, stmts)).collect()),
        Node::Domain(..) | Node::Extension(..) | Node::Expansion(..) | Node::Leaf => node.clone(),
    }
}
