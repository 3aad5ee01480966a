//! Independent check of "this loop carries no dependence".

use super::order::{Goal, Walk};
use super::scratch::reads_its_own;
use super::{Reason, Verdict, Violation};
use crate::deps::poly::Poly;
use crate::deps::{Dep, Dependences};
use crate::error::Failure;
use crate::ids::StmtId;
use crate::model::Scop;
use crate::model::tree::flat::{FlatPiece, Pieces, visit_nodes};
use crate::model::tree::{Band, Mark, Node, ThreadCopies, lower};
use presburger::Budget;
use std::collections::BTreeSet;

/// Decides whether the loops that `tree` says may run in parallel do: each member with the `coincident` flag, each statement a
/// member lists in `alone` (its own dependences only), and the first member below each [`Mark::Parallel`] (but for the updates of its
/// `elements` and `arrays`, and for what is in its `scratch` arrays, if iterations read no value in them that another wrote). A member
/// may when no dependence, updates that may change places among them, between instances that agree in all outer time components, earlier
/// members of its band included, has a distance other than 0 in it; of a member to be unrolled and jammed, values less than the factor
/// apart count as equal. Exact without jams,
/// else it may refuse what could be allowed. Says nothing about legality as such.
///
/// # Errors
/// `Limit` when the budget is spent or a coefficient leaves i64; the caller must then assume "not parallel".
pub fn check_coincident(scop: &Scop, deps: &Dependences, tree: &Node, budget: &Budget) -> Result<Verdict, Failure> {
    let tree = &*lower::lowered(tree, budget).map_err(|e| Failure::Bug(e.0))?;
    let mut claims: Vec<(Pieces, ThreadCopies)> = Vec::new();
    visit_nodes(tree, &mut |_, node, pieces| match node {
        Node::Band(band, _) => claims.extend(
            (0..band.members.len()).flat_map(|k| claims_of(band, k, pieces)).map(|c| (c, ThreadCopies::default())),
        ),
        Node::Mark(Mark::Parallel(copies), child) => {
            claims.extend(next_band(child).map(|band| (claim(band, 0, pieces), copies.clone())))
        }
        _ => {}
    });
    for (claimed, copies) in &claims {
        let (mut copied, collected) = (BTreeSet::new(), [copies.elements.as_slice(), &copies.arrays].concat());
        for array in &copies.scratch {
            if reads_its_own(scop, (tree, claimed), *array, budget)? {
                copied.insert(*array);
            }
        }
        let updates_apart = |k: usize, dep: &Dep| k >= deps.validity.len() && collected.contains(&dep.array);
        let shared = deps.binding().filter(|(k, dep)| !copied.contains(&dep.array) && !updates_apart(*k, dep));
        if let Some((k, dep, pairs)) = carried(scop, shared, claimed, budget)? {
            let witness = Walk::new(scop, dep.src, dep.dst, budget).witness(pairs)?;
            return Ok(Verdict::Illegal(Violation { reason: Reason::Carried(dep.kind, k), ..witness }));
        }
    }
    Ok(Verdict::Legal)
}

/// What a member claims: all its statements together, or each of some alone.
fn claims_of(band: &Band, k: usize, pieces: &Pieces) -> Vec<Pieces> {
    let member = &band.members[k];
    if member.coincident {
        return vec![claim(band, k, pieces)];
    }
    let of = |id: &StmtId| pieces.iter().filter(|(p, _)| p == id).cloned().collect();
    member.alone.iter().map(|id| claim(band, k, &of(id))).collect()
}

/// Whether member `member` of the band at `path` (child number at each step from the root) carries no dependence between instances
/// that agree in all outer time components. Exact; `false` if there is no such member.
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
    let Some(pieces) = claim_at(tree, path, member) else { return Ok(false) };
    Ok(carried(scop, deps.binding(), &pieces, budget)?.is_none())
}

/// The same order without the claims (flags of members, statements in `alone`) that updates which may change places break: a loop that
/// carries such updates may run backwards, but not in parallel. Marks stay. Cost: one proof per flag; none without such updates.
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

fn next_band(node: &Node) -> Option<&Band> {
    match node {
        Node::Band(band, _) => Some(band),
        Node::Mark(_, child) | Node::Context(_, child) => next_band(child),
        _ => None,
    }
}

/// The instances that reach a band, with their time up to and including one member.
fn claim(band: &Band, member: usize, pieces: &Pieces) -> Pieces {
    let mut claimed = pieces.clone();
    for (id, piece) in &mut claimed {
        band.members[..=member].iter().for_each(|member| piece.push(*id, member));
    }
    claimed
}

/// The same for member `member` of the band at `path`; `None` if there is no such member.
pub(super) fn claim_at(tree: &Node, path: &[usize], member: usize) -> Option<Pieces> {
    let mut claimed = None;
    visit_nodes(tree, &mut |at, node, pieces| {
        if let (true, Node::Band(band, _)) = (at == path, node)
            && member < band.members.len()
        {
            claimed = Some(claim(band, member, pieces));
        }
    });
    claimed
}

/// The first of the dependences, each with its position in [`Dependences::binding`], that the innermost of the claimed time dims carries,
/// and pairs of instances that show it.
pub(super) fn carried<'d>(
    scop: &Scop,
    deps: impl IntoIterator<Item = (usize, &'d Dep)>,
    pieces: &Pieces,
    budget: &Budget,
) -> Result<Option<(usize, &'d Dep, Poly)>, Failure> {
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

pub(super) fn carried_between(
    scop: &Scop,
    dep: &Dep,
    src: &FlatPiece,
    dst: &FlatPiece,
    budget: &Budget,
) -> Result<Option<Poly>, Failure> {
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
