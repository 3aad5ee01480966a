//! What makes a mapping right: values flow as before, and what is written is written over.

use crate::deps::compute::limit;
use crate::deps::flow::last_writers_of;
use crate::error::Failure;
use crate::ids::{ArrayId, StmtId};
use crate::model::tree::flat::{FlatPiece, TimeDim, flat_schedule};
use crate::model::{Scop, Stmt};
use presburger::{Budget, Map, Set};
use std::collections::{BTreeMap, BTreeSet};

type Flow = BTreeMap<(StmtId, StmtId), Map>;

/// Whether every read of the element's array or of one of the scalars gets its value from the same instances in both programs. Exact where
/// each statement writes the array at most once and reads it once if it reads a scalar there.
///
/// # Errors
/// `Limit` when the budget is spent or a coefficient leaves i64.
pub(super) fn is_same(
    before: &Scop,
    after: &Scop,
    array: ArrayId,
    scalars: &BTreeSet<ArrayId>,
    budget: &Budget,
) -> Result<bool, Failure> {
    let old = flow(before, &|a| a == array || scalars.contains(&a), budget)?;
    let new = flow(after, &|a| a == array, budget)?;
    if old.keys().ne(new.keys()) {
        return Ok(false);
    }
    for (key, relation) in &old {
        if !relation.is_equal(&new[key], budget).map_err(limit)? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn flow(scop: &Scop, wanted: &dyn Fn(ArrayId) -> bool, budget: &Budget) -> Result<Flow, Failure> {
    let mut all = Flow::new();
    for dep in last_writers_of(scop, wanted, budget)? {
        let key = (dep.src, dep.dst);
        let joined = all.remove(&key).map_or_else(|| dep.relation.clone(), |m| m.union(&dep.relation));
        all.insert(key, joined);
    }
    Ok(all)
}

/// Whether each instance of `writer` is followed by one of `target` in the same iteration of the target's loops, which are the outer loops
/// of the writer.
///
/// # Errors
/// `Limit` when the budget is spent or a coefficient leaves i64.
pub(super) fn is_overwritten(scop: &Scop, writer: &Stmt, target: &Stmt, budget: &Budget) -> Result<bool, Failure> {
    let flat = flat_schedule(&scop.schedule);
    let (Some([first]), Some([last])) =
        (flat.get(&writer.id).map(Vec::as_slice), flat.get(&target.id).map(Vec::as_slice))
    else {
        return Ok(false);
    };
    if last.is_restricted || !runs_before(first, last, scop.params.len(), target.dims()) {
        return Ok(false);
    }
    let inner = writer.dims() - target.dims();
    let iterations: Set = writer.domain.project_out(target.dims(), inner, budget).map_err(limit)?;
    let iterations = iterations.with_tuple(&target.id.to_string());
    iterations.is_subset(&target.domain, budget).map_err(limit)
}

/// Whether the first runs before the last wherever the first `shared` dims are the same.
fn runs_before(first: &FlatPiece, last: &FlatPiece, params: usize, shared: usize) -> bool {
    for (a, b) in first.time.iter().zip(&last.time) {
        match (a, b) {
            (TimeDim::Seq(a), TimeDim::Seq(b)) if a != b => return a < b,
            (TimeDim::Seq(_), TimeDim::Seq(_)) => {}
            (TimeDim::Aff(a), TimeDim::Aff(b)) => {
                let (Some(a), Some(b)) = (a.as_affine(), b.as_affine()) else { return false };
                let common = params + shared;
                let (outer, inner) = a.split_at(common);
                let is_same = outer == &b[..common] && inner.last() == b.last();
                let is_shared = inner[..inner.len() - 1].iter().all(|c| *c == 0);
                if !is_same || !is_shared {
                    return false;
                }
            }
            _ => return false,
        }
    }
    false
}
