//! A SCoP with some statements divided into parts of their domains, or with a part of a domain only.

use super::tree::Node;
use super::{Access, Scop, Stmt};
use crate::ids::StmtId;
use presburger::{Aff, Set};
use std::collections::BTreeMap;

/// Parts of a statement's domain, each `{ Stmt<n>[..] }`; disjoint. Instances in none of them are left out.
pub type Parts = BTreeMap<StmtId, Vec<Set>>;

/// The same code with a statement for each part, and the statements that stand for the parts, in their order. The first
/// part keeps the number of its statement; the others come after all statements. The order of instances stays: parts
/// are at the same place of the tree and have no instance in common.
#[must_use]
pub fn split(scop: &Scop, parts: &Parts) -> (Scop, BTreeMap<StmtId, Vec<StmtId>>) {
    let mut result = scop.clone();
    let mut ids: BTreeMap<StmtId, Vec<StmtId>> = BTreeMap::new();
    for (&of, domains) in parts {
        let of_parts = ids.entry(of).or_default();
        for (k, domain) in domains.iter().enumerate() {
            let id = if k == 0 { of } else { StmtId::new(result.stmts.len()) };
            let stmt = part(scop.stmt(of), id, domain);
            if k == 0 {
                result.stmts[of.index()] = stmt
            } else {
                result.stmts.push(stmt)
            }
            of_parts.push(id);
        }
    }
    let tree = std::mem::replace(&mut result.schedule, Node::Leaf);
    result.schedule = listed(tree, &result.stmts, &ids);
    (result, ids)
}

fn part(stmt: &Stmt, id: StmtId, domain: &Set) -> Stmt {
    let name = id.to_string();
    let domain = domain.with_tuple(&name);
    let access = |a: &Access| {
        let relation = a.relation.with_tuples(&name, a.relation.space().output.name_str());
        Access { relation: relation.intersect_domain(&domain), ..a.clone() }
    };
    let (accesses, reduction) = (stmt.accesses.iter().map(access).collect(), stmt.reduction.clone());
    Stmt { id, domain, accesses, reduction, body: stmt.body.clone() }
}

/// The tree with every part wherever its statement is listed.
fn listed(tree: Node, stmts: &[Stmt], ids: &BTreeMap<StmtId, Vec<StmtId>>) -> Node {
    let mut tree = tree.map_children(&mut |child| listed(child, stmts, ids));
    let space = |id: &StmtId| stmts[id.index()].domain.space();
    match &mut tree {
        Node::Domain(sets, _) => {
            for id in ids.values().flatten() {
                sets.insert(*id, stmts[id.index()].domain.clone());
            }
        }
        Node::Filter(sets, _) => {
            for (of, parts) in ids {
                let Some(set) = sets.get(of).cloned() else { continue };
                sets.extend(parts.iter().map(|id| (*id, set.with_tuple(space(id).output.name_str()))));
            }
        }
        Node::Band(band, _) => {
            for affs in band.members.iter_mut().map(|m| &mut m.affs) {
                for (of, parts) in ids {
                    let Some(aff) = affs.get(of).cloned() else { continue };
                    let over = |id: &StmtId| {
                        let dims: Vec<Aff> = (0..space(id).n_out()).map(|k| Aff::dim(space(id), k)).collect();
                        (*id, aff.pullback(space(id), &dims))
                    };
                    affs.extend(parts.iter().map(over));
                }
            }
        }
        _ => {}
    }
    tree
}
