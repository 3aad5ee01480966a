//! A SCoP without some statements.

use super::tree::Node;
use super::{Scop, Stmt};
use crate::ids::StmtId;
use presburger::{Aff, Set};
use std::collections::{BTreeMap, BTreeSet};

/// The program without some statements; the others are numbered anew, in their order.
#[must_use]
pub fn without(scop: &Scop, dropped: &BTreeSet<StmtId>) -> Scop {
    if dropped.is_empty() || dropped.len() == scop.stmts.len() {
        return scop.clone();
    }
    let kept = scop.stmts.iter().filter(|s| !dropped.contains(&s.id));
    let ids: BTreeMap<StmtId, StmtId> = kept.enumerate().map(|(k, s)| (s.id, StmtId::new(k))).collect();
    let mut result = scop.clone();
    let accesses = scop.stmts.iter().filter(|s| dropped.contains(&s.id)).flat_map(|s| &s.accesses);
    let original = accesses.filter(|a| scop.array(a.array).is_memory() && a.carries.is_none());
    result.gone.extend(original.map(|a| (a.array, a.inst)));
    result.stmts.retain(|s| !dropped.contains(&s.id));
    for stmt in &mut result.stmts {
        stmt.id = ids[&stmt.id];
        let name = stmt.id.to_string();
        stmt.domain = stmt.domain.with_tuple(&name);
        for access in &mut stmt.accesses {
            access.relation = access.relation.with_tuples(&name, access.relation.space().output.name_str());
        }
    }
    result.schedule = renumbered(&scop.schedule, &result.stmts, &ids).unwrap_or(Node::Leaf);
    result
}

/// The tree with new numbers; `None` where no statement is left.
fn renumbered(node: &Node, stmts: &[Stmt], ids: &BTreeMap<StmtId, StmtId>) -> Option<Node> {
    let new = |id: &StmtId| ids.get(id).copied();
    let below = |child: &Node| renumbered(child, stmts, ids).map(Box::new);
    Some(match node {
        Node::Domain(_, child) => {
            let domains = stmts.iter().map(|s| (s.id, s.domain.clone())).collect();
            Node::Domain(domains, below(child)?)
        }
        Node::Filter(sets, child) => {
            let named = |(id, set): (&StmtId, &Set)| Some((new(id)?, set.with_tuple(&new(id)?.to_string())));
            let sets: BTreeMap<_, _> = sets.iter().filter_map(named).collect();
            if sets.is_empty() {
                return None;
            }
            Node::Filter(sets, below(child)?)
        }
        Node::Band(band, child) => {
            let mut band = band.clone();
            for member in &mut band.members {
                let over = |(id, aff): (&StmtId, &Aff)| {
                    let id = new(id)?;
                    let space = stmts[id.index()].domain.space();
                    let dims: Vec<Aff> = (0..space.n_out()).map(|k| Aff::dim(space, k)).collect();
                    Some((id, aff.pullback(space, &dims)))
                };
                member.affs = member.affs.iter().filter_map(over).collect();
                member.alone = member.alone.iter().filter_map(new).collect();
            }
            Node::Band(band, below(child)?)
        }
        Node::Sequence(children) => {
            let left: Vec<Node> = children.iter().filter_map(|c| renumbered(c, stmts, ids)).collect();
            sequence(left, Node::Sequence)?
        }
        Node::Set(children) => {
            let left: Vec<Node> = children.iter().filter_map(|c| renumbered(c, stmts, ids)).collect();
            sequence(left, Node::Set)?
        }
        Node::Mark(mark, child) => Node::Mark(mark.clone(), below(child)?),
        Node::Context(set, child) => Node::Context(set.clone(), below(child)?),
        Node::Guard(set, child) => Node::Guard(set.clone(), below(child)?),
        other => other.clone(),
    })
}

/// The children in a node of their kind; a single one whose filter lists everything is what stands below it.
fn sequence(mut children: Vec<Node>, make: fn(Vec<Node>) -> Node) -> Option<Node> {
    if children.len() == 1
        && let Node::Filter(sets, _) = &children[0]
        && sets.values().all(Set::is_plain_universe)
        && let Some(Node::Filter(_, child)) = children.pop()
    {
        return Some(*child);
    }
    (!children.is_empty()).then(|| make(children))
}
