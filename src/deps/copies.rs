//! Which elements of an array a region surely writes.

use super::compute::{context_of, limit};
use crate::error::Failure;
use crate::ids::{ArrayId, StmtId};
use crate::model::{AccessKind, Scop};
use presburger::{Budget, Set, Space};
use std::collections::BTreeSet;

/// Whether the region surely writes each element of `part` (subscripts of the array, not named) if one of the
/// statements `writers` surely writes to the array at all. Exact.
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
