//! What a loop leaves behind in the arrays that its threads have private copies of.
//!
//! Threads write their copies, but for the loop's last iteration, which writes the arrays themselves: that is right if
//! it surely writes each element that any iteration may write, or if nobody reads the array behind the loop.

use super::{Loop, Reason, Violation};
use crate::deps::compute::{context_of, limit};
use crate::error::Failure;
use crate::ids::{ArrayId, StmtId};
use crate::model::tree::flat::{FlatPiece, TimeDim, visit_nodes};
use crate::model::tree::{Node, Role};
use crate::model::{AccessKind, Scop};
use presburger::{Aff, Budget, Map, Set};
use std::collections::{BTreeMap, BTreeSet};

/// The privatized arrays of loops of `tree` (lowered) in which the last iteration of a loop may leave something else
/// than the whole loop, each with an instance whose element that iteration does not write. Of arrays in `not_live_out`
/// nobody outside of the region reads what is left: they count only if somebody inside does, outside of the loops that
/// have them among their privatized arrays. Exact; one subset test per loop and array.
///
/// # Errors
/// `Limit` when the budget is spent; the caller must then assume that all arrays are meant.
pub fn not_lastprivate(
    scop: &Scop,
    tree: &Node,
    not_live_out: &BTreeSet<ArrayId>,
    budget: &Budget,
) -> Result<BTreeMap<ArrayId, Violation>, Failure> {
    let mut loops: Vec<(Vec<usize>, Loop, Vec<ArrayId>)> = Vec::new();
    let mut leaves: Vec<(Vec<usize>, Vec<StmtId>)> = Vec::new();
    visit_nodes(tree, &mut |path, node, pieces| match node {
        Node::Band(band, _) => {
            for (k, member) in band.members.iter().enumerate() {
                if let Role::Threads(copies) = &member.role
                    && !copies.privatized.is_empty()
                {
                    loops.push((path.to_vec(), Loop::new(band, k, pieces), copies.privatized.clone()));
                }
            }
        }
        Node::Leaf => leaves.push((path.to_vec(), pieces.iter().map(|(id, _)| *id).collect())),
        _ => {}
    });
    let mut found = BTreeMap::new();
    for (_, at, privatized) in &loops {
        for array in privatized {
            if let Some(violation) = not_left(scop, at, *array, budget)? {
                found.entry(*array).or_insert(violation);
            }
        }
    }
    found.retain(|array, _| {
        let is_own = |leaf: &[usize]| loops.iter().any(|(path, _, all)| leaf.starts_with(path) && all.contains(array));
        let reads =
            |id: &StmtId| scop.stmt(*id).accesses.iter().any(|a| a.array == *array && a.kind == AccessKind::Read);
        let is_shown = || leaves.iter().any(|(leaf, stmts)| !is_own(leaf) && stmts.iter().any(reads));
        !not_live_out.contains(array) || is_shown()
    });
    Ok(found)
}

/// An instance that may write an element which the last iteration of its loop does not surely write.
fn not_left(scop: &Scop, at: &Loop, array: ArrayId, budget: &Budget) -> Result<Option<Violation>, Failure> {
    let context = context_of(scop, budget)?;
    let mut iterations: Option<Map> = None;
    let mut timed = Vec::with_capacity(at.pieces.len());
    for (id, piece) in &at.pieces {
        let (outer, own) = times(scop, *id, piece, &context);
        let here = outer.reverse().apply_range(&own, budget).map_err(limit)?;
        iterations = Some(iterations.map_or(here.clone(), |all| all.union(&here)));
        timed.push((*id, outer, own));
    }
    let Some(iterations) = iterations else { return Ok(None) };
    let last = iterations.lexmax(budget).map_err(limit)?;
    let (mut all, mut left): (Vec<(StmtId, Map, Map)>, Option<Map>) = (Vec::new(), None);
    for (id, outer, own) in &timed {
        let in_last = outer.apply_range(&last, budget).map_err(limit)?.intersect(own).domain(budget).map_err(limit)?;
        for access in &scop.stmt(*id).accesses {
            if access.array != array || access.kind == AccessKind::Read {
                continue;
            }
            let written = |outer: &Map| outer.reverse().apply_range(&access.relation, budget).map_err(limit);
            let elements = written(outer)?;
            if access.kind == AccessKind::MustWrite {
                let own = written(&outer.intersect_domain(&in_last))?;
                left = Some(left.map_or(own.clone(), |all| all.union(&own)));
            }
            let touched = outer.intersect_domain(&access.relation.domain(budget).map_err(limit)?);
            all.push((*id, touched, elements));
        }
    }
    for (id, outer, elements) in all {
        let rest = match &left {
            Some(left) if elements.is_subset(left, budget).map_err(limit)? => continue,
            Some(left) => elements.subtract(left, budget).map_err(limit)?,
            None => elements,
        };
        let writers = outer.intersect_range(&rest.domain(budget).map_err(limit)?).domain(budget).map_err(limit)?;
        if let Some(point) = writers.sample(budget).map_err(limit)? {
            return Ok(Some(Violation::at(scop, Reason::NotLastprivate(array), id, &point)));
        }
    }
    Ok(None)
}

/// `{ Stmt[dims] -> [times around the loop] }` and `{ Stmt[dims] -> [value of the loop] }`, of the instances inside the
/// context.
fn times(scop: &Scop, id: StmtId, piece: &FlatPiece, context: &Set) -> (Map, Map) {
    let values = piece.time.iter().filter_map(|t| if let TimeDim::Aff(a) = t { Some(a.clone()) } else { None });
    let values: Vec<Aff> = values.collect();
    let space = scop.stmt(id).domain.space();
    let instances = piece.domain.intersect_params(context);
    let of = |affs: &[Aff]| Map::from_affs_over(space, affs, "").intersect_domain(&instances);
    let (outer, own) = values.split_at(values.len().saturating_sub(1));
    (of(outer), of(own))
}
