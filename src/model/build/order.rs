//! The original execution order as a schedule tree.

use super::nest::Item;
use crate::ids::{BlockId, StmtId};
use crate::model::Stmt;
use crate::model::tree::{Band, Member, Node};
use presburger::{Aff, Set};
use std::collections::BTreeMap;

/// One band per loop, sequences of filters between them, a domain node on top.
#[must_use]
pub fn tree(items: &[Item], stmts: &[Stmt]) -> Node {
    let mut of: BTreeMap<BlockId, Vec<&Stmt>> = BTreeMap::new();
    for stmt in stmts {
        if let Some(block) = stmt.body.block() {
            of.entry(block).or_default().push(stmt);
        }
    }
    let parts = parts(items, &of, 0);
    let domain = stmts.iter().map(|s| (s.id, s.domain.clone())).collect();
    Node::Domain(domain, Box::new(sequence(parts)))
}

/// A subtree with the statements that reach it.
type Part<'a> = (Vec<&'a Stmt>, Node);

fn parts<'a>(items: &[Item], of: &BTreeMap<BlockId, Vec<&'a Stmt>>, depth: usize) -> Vec<Part<'a>> {
    let mut all = Vec::new();
    for item in items {
        match item {
            Item::Block(block) => {
                let stmts = of.get(block).map_or(&[][..], Vec::as_slice);
                all.extend(stmts.iter().map(|s| (vec![*s], Node::Leaf)));
            }
            Item::Loop(_, inner) => {
                let inner = parts(inner, of, depth + 1);
                let stmts: Vec<&Stmt> = inner.iter().flat_map(|(s, _)| s.iter().copied()).collect();
                if !stmts.is_empty() {
                    all.push((stmts.clone(), band(&stmts, depth, sequence(inner))));
                }
            }
        }
    }
    all
}

fn band(stmts: &[&Stmt], depth: usize, below: Node) -> Node {
    let affs: BTreeMap<StmtId, Aff> = stmts.iter().map(|s| (s.id, Aff::dim(s.domain.space(), depth))).collect();
    let member = Member::new(affs);
    Node::Band(Band { members: vec![member], permutable: false }, Box::new(below))
}

fn sequence(mut parts: Vec<Part>) -> Node {
    if parts.len() < 2 {
        return parts.pop().map_or(Node::Leaf, |(_, node)| node);
    }
    let filter = |(stmts, node): Part| {
        let sets = stmts.iter().map(|s| (s.id, Set::universe(s.domain.space().clone()))).collect();
        Node::Filter(sets, Box::new(node))
    };
    Node::Sequence(parts.into_iter().map(filter).collect())
}
