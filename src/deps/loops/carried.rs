//! Which loops carry a dependence.

use super::Loop;
use super::order::{Goal, Walk};
use crate::deps::{Dep, Dependences};
use crate::error::Failure;
use crate::ids::StmtId;
use crate::model::Scop;
use crate::model::tree::flat::{FlatPiece, Pieces, visit_nodes};
use crate::model::tree::{Band, Node};
use presburger::Budget;
use presburger::rows::Conjunction;

/// Whether member `member` of the band at `path` (child number at each step from the root) carries no dependence
/// between instances that agree in all outer time components. Exact; `false` if there is no such member.
///
/// # Errors
/// `Limit` when the budget is spent or a coefficient leaves i64; the caller must then assume `false`.
pub fn is_coincident(
    scop: &Scop,
    deps: &Dependences,
    tree: &Node,
    path: &[usize],
    member: usize,
    budget: &Budget,
) -> Result<bool, Failure> {
    let Some(at) = Loop::at(tree, path, member) else { return Ok(false) };
    Ok(carried(scop, deps.binding(), &at.pieces, budget)?.is_none())
}

/// The same order without the claims (flags of members, statements in `alone`) that updates which may change places
/// break: a loop that carries such updates may run backwards, but not in parallel. Marks stay. Cost: one proof per
/// flag; none without such updates.
///
/// # Errors
/// `Limit` when the budget is spent or a coefficient leaves i64.
pub fn withdraw(scop: &Scop, deps: &Dependences, tree: Node, budget: &Budget) -> Result<Node, Failure> {
    if deps.reductions.is_empty() {
        return Ok(tree);
    }
    let updates = || deps.binding().skip(deps.validity.len());
    let mut bands: Vec<(Band, Pieces)> = Vec::new();
    visit_nodes(&tree, &mut |_, node, pieces| {
        if let Node::Band(band, _) = node {
            bands.push((band.clone(), pieces.clone()));
        }
    });
    let holds = |claimed: &Pieces| Ok::<bool, Failure>(carried(scop, updates(), claimed, budget)?.is_none());
    for (band, pieces) in &mut bands {
        for k in 0..band.members.len() {
            let coincident = band.members[k].coincident && holds(&claim(band, k, pieces))?;
            let mut alone = Vec::new();
            for id in band.members[k].alone.clone() {
                let own: Pieces = pieces.iter().filter(|(p, _)| *p == id).cloned().collect();
                if holds(&claim(band, k, &own))? {
                    alone.push(id);
                }
            }
            band.members[k].coincident = coincident;
            band.members[k].alone = alone;
        }
    }
    let mut bands = bands.into_iter().map(|(band, _)| band);
    Ok(with_bands(tree, &mut bands))
}

/// The tree with its bands replaced, in the order of [`visit_nodes`].
fn with_bands(node: Node, bands: &mut dyn Iterator<Item = Band>) -> Node {
    let node = match node {
        Node::Band(band, child) => Node::Band(bands.next().unwrap_or(band), child),
        other => other,
    };
    node.map_children(&mut |child| with_bands(child, bands))
}

/// The instances that reach a band, with their time up to and including one member.
pub(crate) fn claim(band: &Band, member: usize, pieces: &Pieces) -> Pieces {
    let mut claimed = pieces.clone();
    for (id, piece) in &mut claimed {
        band.members[..=member].iter().for_each(|member| piece.push(*id, member));
    }
    claimed
}

/// The first of the dependences, each with its position in [`Dependences::binding`], that the innermost of the claimed
/// time dims carries, and pairs of instances that show it.
pub(crate) fn carried<'d>(
    scop: &Scop,
    deps: impl IntoIterator<Item = (usize, &'d Dep)>,
    pieces: &Pieces,
    budget: &Budget,
) -> Result<Option<(usize, &'d Dep, Conjunction)>, Failure> {
    let of = |id: StmtId| pieces.iter().filter(move |(p, _)| *p == id).map(|(_, piece)| piece);
    for (k, dep) in deps {
        for src in of(dep.src) {
            for dst in of(dep.dst) {
                if let Some(pairs) = carried_between(scop, dep, src, dst, budget)? {
                    return Ok(Some((k, dep, pairs)));
                }
            }
        }
    }
    Ok(None)
}

pub(crate) fn carried_between(
    scop: &Scop,
    dep: &Dep,
    src: &FlatPiece,
    dst: &FlatPiece,
    budget: &Budget,
) -> Result<Option<Conjunction>, Failure> {
    let walk = Walk::new(scop, dep.src, dep.dst, budget);
    for basic in dep.relation.basics() {
        for poly in walk.pairs(basic, src, dst)? {
            let found = walk.broken(poly, (src, dst), Goal::Coincidence)?;
            if found.is_some() {
                return Ok(found);
            }
        }
    }
    Ok(None)
}
