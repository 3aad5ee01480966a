//! Dependences between statement instances, and which loops carry them.
//!
//! Input: a [`crate::model::Scop`]. Output: relations `{ Stmt<s>[..] -> Stmt<d>[..] }`, source first in the original
//! order.
//! Invariants: relations are exact over the integers, never empty, and restricted to both domains and the context;
//! their order in [`Dependences`] depends on the SCoP alone.
//! Sources: Feautrier, Int. J. Parallel Programming 20(1), 1991 (dependences level by level, last writer).

pub mod compute;
pub mod copies;
pub mod flow;
pub mod loops;
pub mod pair;
pub mod print;
#[cfg(test)]
pub(crate) mod tests;
pub mod vectors;

use crate::error::Failure;
use crate::ids::{ArrayId, StmtId};
use crate::model::Scop;
use log::{debug, trace};
use presburger::{Budget, Kind, Map};
use std::cell::OnceCell;
use std::collections::BTreeSet;

/// Kind of a dependence; all but [`DepKind::Rar`] must be respected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DepKind {
    /// Write, then read (flow).
    Raw,
    /// Read, then write (anti).
    War,
    /// Write, then write (output).
    Waw,
    /// Read, then read (input): reuse only.
    Rar,
}

/// One dependence: every pair in `relation` executes source first.
#[derive(Clone, Debug)]
pub struct Dep {
    /// Flow, anti, output or input.
    pub kind: DepKind,
    /// Statement of the source instances.
    pub src: StmtId,
    /// Statement of the destination instances (runs later).
    pub dst: StmtId,
    /// Array whose elements both touch.
    pub array: ArrayId,
    /// `[params] -> { Stmt<src>[..] -> Stmt<dst>[..] }`, never empty, restricted to both domains and the context.
    pub relation: Map,
}

/// All dependences of a SCoP, in a fixed order.
#[derive(Clone, Debug, Default)]
pub struct Dependences {
    /// RAW, WAR and WAW: what a schedule must respect.
    pub validity: Vec<Dep>,
    /// RAR: what a schedule may want to bring close together. Made by whoever asks for such a schedule, not by
    /// [`compute`].
    pub reuse: Vec<Dep>,
    /// RAW, WAR and WAW between updates of one element by one operation ([`crate::model::Reduction`]): source and
    /// destination may change places, but must not run at the same time unless each has a copy of the element.
    /// Source: Doerfert, Streit, Hack, Benaissa, IMPACT 2015 (reduction dependences).
    pub reductions: Vec<Dep>,
    /// See [`Dependences::scalar_flow`].
    pub(crate) scalar_flow: OnceCell<Vec<Dep>>,
}

impl Dependences {
    /// What binds instances that run at the same time, each with its position: validity, then reductions.
    pub fn binding(&self) -> impl Iterator<Item = (usize, &Dep)> {
        self.validity.iter().chain(&self.reductions).enumerate()
    }

    /// Whether none between these statements leads from one iteration of a dim to another one.
    ///
    /// # Errors
    /// `Limit` when the budget is spent.
    pub fn stay_in(&self, stmts: &BTreeSet<StmtId>, dim: usize, budget: &Budget) -> Result<bool, Failure> {
        for (_, dep) in self.binding().filter(|(_, d)| stmts.contains(&d.src) && stmts.contains(&d.dst)) {
            if !stays_in(&dep.relation, dim, budget)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The value-based flow of the scalars of `scop`, whose dependences these are; worked out when first asked for, and
    /// kept.
    ///
    /// # Errors
    /// As [`flow::last_writers`].
    pub fn scalar_flow(&self, scop: &Scop, budget: &Budget) -> Result<&[Dep], Failure> {
        if self.scalar_flow.get().is_none() {
            let is_scalar = |a: ArrayId| !scop.array(a).is_memory();
            let _ = self.scalar_flow.set(flow::last_writers_of(scop, &is_scalar, budget)?);
        }
        Ok(self.scalar_flow.get().map_or(&[], Vec::as_slice))
    }
}

/// `sign * (destination dim - source dim) + constant` as a row over a relation.
#[must_use]
pub fn difference(relation: &Map, (src, dst): (usize, usize), sign: i64, constant: i64) -> Vec<i64> {
    let space = relation.space();
    let (first, second) = (space.n_param(), space.n_param() + space.n_in());
    let mut row = vec![0; second + space.n_out() + 1];
    (row[first + src], row[second + dst]) = (-sign, sign);
    row[second + space.n_out()] = constant;
    row
}

/// Whether a dim of source and destination is the same in all of a relation.
///
/// # Errors
/// `Limit` when the budget is spent.
pub fn stays_in(relation: &Map, dim: usize, budget: &Budget) -> Result<bool, Failure> {
    for sign in [1, -1] {
        let apart = relation.add(Kind::Ge, &difference(relation, (dim, dim), sign, -1));
        if !apart.is_empty(budget).map_err(compute::limit)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The memory-based dependences of `scop`: every pair of instances that touch one element of an array, at least one of
/// them writing, and that the original schedule orders. Pairs of updates by one operation go into `reductions`. One
/// [`Dep`] per kind, statement pair and array; its pieces are the levels that carry it. Exact; one emptiness test per
/// piece.
///
/// # Errors
/// `Limit` when the budget is spent or a coefficient leaves i64.
pub fn compute(scop: &Scop, budget: &Budget) -> Result<Dependences, Failure> {
    let deps = compute::memory_based(scop, budget)?;
    let updates = deps.reductions.len();
    debug!("{}: {} dependences, {updates} of updates that may change places", scop.name, deps.validity.len() + updates);
    for dep in &deps.validity {
        trace!("{}: {:?} on {}: {}", scop.name, dep.kind, dep.array, dep.relation);
    }
    Ok(deps)
}
