//! Fusion: two loops that run one after the other become one.
//!
//! Legal where no dependence goes from an iteration of the first to an earlier one of the second.

use super::chain::{Place, node_at};
use crate::ids::StmtId;
use crate::model::tree::Node;
use crate::model::tree::ops::{self, Inapplicable};
use presburger::Set;
use std::collections::BTreeMap;

/// Fuses the loops at `first` and `second`, as many as both bands have: the outermost loops of neighbours in a
/// sequence.
///
/// # Errors
/// The loops are not the outermost ones of neighbours in one sequence.
pub fn fuse(tree: Node, first: &Place, second: &Place) -> Result<Node, Inapplicable> {
    let apart = || Inapplicable("the loops do not run right after each other".to_owned());
    let common = first.path.iter().zip(&second.path).take_while(|(a, b)| a == b).count();
    let above = &first.path[..common];
    let (Some(&at), Some(&next)) = (first.path.get(common), second.path.get(common)) else { return Err(apart()) };
    let is_outermost = |place: &Place| place.path.len() == common + 2 && place.member == 0;
    if !matches!(node_at(&tree, above), Some(Node::Sequence(_)))
        || !is_outermost(first)
        || !is_outermost(second)
        || next != at + 1
    {
        return Err(apart());
    }
    ops::at(tree, above, &|node| {
        let Node::Sequence(mut children) = node else { return Err(apart()) };
        let both: Vec<Node> = children.splice(at..=next, []).map(outermost_apart).collect();
        let fused = ops::fuse(Node::Sequence(both.clone()))?;
        if children.is_empty() {
            return Ok(fused);
        }
        children.insert(at, Node::Filter(listed(&both), Box::new(fused)));
        Ok(Node::Sequence(children))
    })
}

/// A filter with the outermost loop of its band in a band of its own.
fn outermost_apart(child: Node) -> Node {
    match child {
        Node::Filter(sets, band) if matches!(&*band, Node::Band(b, _) if b.members.len() > 1) => {
            let whole = Node::Filter(sets.clone(), band.clone());
            ops::split(*band, 1).map_or(whole, |split| Node::Filter(sets, Box::new(split)))
        }
        other => other,
    }
}

/// The instances that these filters list.
fn listed(filters: &[Node]) -> BTreeMap<StmtId, Set> {
    let mut all: BTreeMap<StmtId, Set> = BTreeMap::new();
    for filter in filters {
        if let Node::Filter(sets, _) = filter {
            for (id, set) in sets {
                let both = all.get(id).map_or_else(|| set.clone(), |old| old.union(set));
                all.insert(*id, both);
            }
        }
    }
    all
}
