//! Statements that copy an element onto itself, and programs without some statements.

use crate::facts::{FunctionFacts, ValueKind};
use crate::ids::{StmtId, ValueId};
use crate::model::tree::Node;
use crate::model::{Access, AccessKind, Scop, Stmt};
use presburger::Aff;
use std::collections::{BTreeMap, BTreeSet};

/// The statements whose only write stores what they have read from the same element: memory is the same with and
/// without them.
pub(super) fn of_elements_onto_themselves(scop: &Scop, facts: &FunctionFacts) -> BTreeSet<StmtId> {
    let is_copy = |stmt: &&Stmt| {
        let mut writes = stmt.accesses.iter().filter(|a| a.kind != AccessKind::Read);
        let (Some(write), None) = (writes.next(), writes.next()) else { return false };
        let value = match (write.carries, &facts.value(write.inst).kind) {
            (Some(_), _) => super::value(scop, write),
            (None, ValueKind::Store { value, .. }) => *value,
            (None, _) => return false,
        };
        let is_inside = |v: ValueId| facts.value(v).block.is_some_and(|b| scop.region.blocks.contains(&b));
        let value = facts.copied_from(value, is_inside);
        // What is mapped onto an element of a row needs the row's pointer: this statement says which those are.
        let array = scop.array(write.array);
        let is_wanted = array.is_memory() && !array.is_rows();
        let Some(element) = write.subscripts().filter(|_| is_wanted) else { return false };
        // What a scalar on an element moves is of the element's size.
        let bytes = |a: &Access| match a.carries {
            Some(_) => scop.array(a.array).elem_bytes,
            None => facts.accessed_bytes(a.inst),
        };
        let is_source = |read: &Access| {
            read.kind == AccessKind::Read
                && read.array == write.array
                && facts.copied_from(read.inst, is_inside) == value
                && bytes(read) == bytes(write)
                && read.subscripts().as_ref() == Some(&element)
        };
        stmt.accesses.iter().any(is_source)
    };
    scop.stmts.iter().filter(is_copy).map(|s| s.id).collect()
}

/// The program without some statements; the others are numbered anew, in their order.
pub(super) fn without(scop: &Scop, dropped: &BTreeSet<StmtId>) -> Scop {
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
            let named =
                |(id, set): (&StmtId, &presburger::Set)| Some((new(id)?, set.with_tuple(&new(id)?.to_string())));
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
        && sets.values().all(presburger::Set::is_plain_universe)
        && let Some(Node::Filter(_, child)) = children.pop()
    {
        return Some(*child);
    }
    (!children.is_empty()).then(|| make(children))
}
