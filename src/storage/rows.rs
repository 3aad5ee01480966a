//! What a region touches of rows behind pointers: which pointers of the table, and which part of each row.
//!
//! In: the model of a region. Out: per access the first and the last pointer used, exactly: the program reads both in
//! every run of the region, so that all between them belongs to one object. And the elements touched in any of the
//! rows, as one range for all; never too small.

use super::bounds::{Range, range_of};
use crate::deps::compute::{context_of, limit};
use crate::error::Failure;
use crate::ids::ArrayId;
use crate::model::{Access, Scop, Stmt};
use presburger::{Budget, Dim, Error, Set};

/// Numbers of the pointers that one access uses.
#[derive(Clone, Debug)]
pub struct Used {
    /// `[params] -> { [row] }`: one number, or none for parameters for which nothing is touched.
    pub first: Set,
    /// The same for the last one.
    pub last: Set,
}

/// The pointers that each access to rows uses; `None`: there is none, or some access has no first or last one. What
/// stands in the element of another access touches no other rows.
///
/// # Errors
/// `Limit` when the budget is spent or a number leaves i64.
pub fn pointers(scop: &Scop, array: ArrayId, budget: &Budget) -> Result<Option<Vec<Used>>, Failure> {
    let context = context_of(scop, budget)?;
    let mut all = Vec::new();
    for (stmt, access) in accesses(scop, array).filter(|(_, a)| a.carries.is_none()) {
        let touched = access.relation.intersect_domain(&stmt.domain.intersect_params(&context));
        let rows = touched.range(budget).map_err(limit)?.project_out(1, 1, budget).map_err(limit)?;
        match (rows.lexmin(budget), rows.lexmax(budget)) {
            (Ok(first), Ok(last)) => all.push(Used { first, last }),
            (Err(Error::Unbounded), _) | (_, Err(Error::Unbounded)) => return Ok(None),
            (Err(other), _) | (_, Err(other)) => return Err(limit(other)),
        }
    }
    Ok(Some(all).filter(|all| !all.is_empty()))
}

/// First and last element touched, counted from where a row begins; `None` where some access has no bound.
///
/// # Errors
/// `Limit` when the budget is spent.
pub fn columns(scop: &Scop, array: ArrayId, budget: &Budget) -> Result<Option<Range>, Failure> {
    let flat = accesses(scop, array).map(|(stmt, access)| {
        let relation = access.relation.project_out(Dim::Out, 0, 1, budget).map_err(limit)?;
        Ok((stmt, Access { relation, ..access.clone() }))
    });
    let flat = flat.collect::<Result<Vec<(&Stmt, Access)>, Failure>>()?;
    let flat: Vec<(&Stmt, &Access)> = flat.iter().map(|(stmt, access)| (*stmt, access)).collect();
    range_of(&flat, budget)
}

fn accesses(scop: &Scop, array: ArrayId) -> impl Iterator<Item = (&Stmt, &Access)> {
    scop.stmts.iter().flat_map(move |s| s.accesses.iter().filter(move |a| a.array == array).map(move |a| (s, a)))
}
