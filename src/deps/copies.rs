//! Which elements of an array statements touch, and which they surely write.

use super::compute::{context_of, limit};
use crate::error::Failure;
use crate::ids::{ArrayId, StmtId};
use crate::model::{AccessKind, Scop, Stmt};
use presburger::{Aff, Bound, Budget, Dim, Set, Space};
use std::collections::BTreeSet;

/// First and last subscript, inclusive, per dim of an array that these statements touch; `None` where the region's parameters decide, or
/// nothing is touched.
///
/// # Errors
/// `Limit` when the budget is spent or a number leaves i64.
pub fn bounding_box<'s>(
    scop: &Scop,
    stmts: impl IntoIterator<Item = &'s Stmt>,
    array: ArrayId,
    budget: &Budget,
) -> Result<Option<Vec<(i64, i64)>>, Failure> {
    let context = context_of(scop, budget)?;
    let mut bounds: Vec<Option<(i64, i64)>> = vec![None; scop.array(array).sizes.len()];
    for stmt in stmts {
        let domain = stmt.domain.intersect_params(&context);
        for access in stmt.accesses.iter().filter(|a| a.array == array) {
            let touched = access.relation.intersect_domain(&domain);
            let touched = touched.project_out(Dim::In, 0, stmt.dims(), budget).map_err(limit)?;
            let touched = touched.range(budget).map_err(limit)?;
            for (k, bound) in bounds.iter_mut().enumerate() {
                let form = Aff::dim(touched.space(), k);
                let ends = (touched.min_of(&form, budget), touched.max_of(&form, budget));
                match (ends.0.map_err(limit)?, ends.1.map_err(limit)?) {
                    (Bound::Value(low), Bound::Value(high)) => {
                        let (l, h) = bound.unwrap_or((low, high));
                        *bound = Some((low.min(l), high.max(h)));
                    }
                    (Bound::Empty, _) | (_, Bound::Empty) => {}
                    _ => return Ok(None),
                }
            }
        }
    }
    Ok(bounds.into_iter().collect())
}

/// Whether the region surely writes each element of `part` (subscripts of the array, not named) if one of the statements `writers` surely
/// writes to the array at all. Exact.
///
/// # Errors
/// `Limit` when the budget is spent or a number leaves i64.
pub fn fills(
    scop: &Scop,
    (array, part): (ArrayId, &Set),
    writers: &BTreeSet<StmtId>,
    budget: &Budget,
) -> Result<bool, Failure> {
    let context = context_of(scop, budget)?;
    let (mut written, mut somewhere) =
        (Set::empty(part.space().clone()), Set::empty(Space::params_only(&scop.param_names())));
    for stmt in &scop.stmts {
        let domain = stmt.domain.intersect_params(&context);
        for access in stmt.accesses.iter().filter(|a| a.array == array && a.kind == AccessKind::MustWrite) {
            let own = access.relation.intersect_domain(&domain).range(budget).map_err(limit)?;
            let own = own.with_tuple("");
            if writers.contains(&stmt.id) {
                somewhere = somewhere.union(&own.params(budget).map_err(limit)?);
            }
            written = written.union(&own);
        }
    }
    part.intersect_params(&somewhere).is_subset(&written, budget).map_err(limit)
}
