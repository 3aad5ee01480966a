//! Orders of code in which loops are cut into strips.
//!
//! In: a SCoP with dims that number strips, its dependences. Out: the loops over strips, outermost, one nest after the
//! other as in the original order, and around what the search finds for one strip. What the loops over strips carry
//! does not bind the order inside of a strip.

use super::STAGE;
use super::bands::{Builder, OutsidePlan, Plan, between};
use super::problem::{Hyperplane, Piece};
use crate::deps::{Dep, Dependences, difference};
use crate::error::{Failure, Limit};
use crate::ids::StmtId;
use crate::model::Scop;
use presburger::{Budget, Kind, Map};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Whether any loop is cut.
fn has_strips(scop: &Scop) -> bool {
    scop.stmts.iter().any(|s| !s.outside().is_empty())
}

/// The dependences that bind the order, inside of strips where loops are cut into such; `None` where strips in sequence
/// would break one.
///
/// # Errors
/// `Limit` when the budget is spent.
pub fn bound<'d>(scop: &Scop, deps: &'d Dependences, budget: &Budget) -> Result<Option<Cow<'d, Dependences>>, Failure> {
    if !has_strips(scop) {
        return Ok(Some(Cow::Borrowed(deps)));
    }
    let nests = scop.schedule.nests();
    let nest: BTreeMap<StmtId, usize> =
        nests.iter().enumerate().flat_map(|(k, ids)| ids.iter().map(move |id| (*id, k))).collect();
    let mut validity = Vec::new();
    for dep in &deps.validity {
        if nest.get(&dep.src) > nest.get(&dep.dst) {
            return Ok(None);
        }
        if nest.get(&dep.src) < nest.get(&dep.dst) {
            continue;
        }
        let outside = scop.stmt(dep.src).outside().into_iter().zip(scop.stmt(dep.dst).outside());
        let mut relation = dep.relation.clone();
        for dims in outside {
            let is_empty = |map: &Map| map.is_empty(budget).map_err(Limit::of(STAGE));
            if !is_empty(&relation.add(Kind::Ge, &difference(&relation, dims, -1, -1)))? {
                return Ok(None);
            }
            relation = relation.add(Kind::Eq, &difference(&relation, dims, 1, 0));
            if is_empty(&relation)? {
                break;
            }
        }
        if !relation.is_empty(budget).map_err(Limit::of(STAGE))? {
            validity.push(Dep { relation, ..dep.clone() });
        }
    }
    Ok(Some(Cow::Owned(Dependences { validity, ..Dependences::default() })))
}

impl Builder<'_> {
    /// The order of the whole code; `None` where none is found.
    ///
    /// # Errors
    /// `Limit`.
    pub fn whole(&mut self, scop: &Scop) -> Result<Option<Plan>, Failure> {
        let problem = self.problem;
        if has_strips(scop) {
            return self.in_strips(scop, &problem.pieces);
        }
        let all: Vec<usize> = (0..scop.stmts.len()).collect();
        self.group(&all, &problem.pieces, &vec![Vec::new(); scop.stmts.len()])
    }

    /// The nests in their order, the loops over strips around what is found for one strip. `None` where nothing is.
    ///
    /// # Errors
    /// `Limit`.
    fn in_strips(&mut self, scop: &Scop, pieces: &[Piece]) -> Result<Option<Plan>, Failure> {
        let mut plans = Vec::new();
        for nest in scop.schedule.nests() {
            let stmts: Vec<usize> = nest.iter().map(|id| id.index()).collect();
            let outside: Vec<Vec<usize>> = stmts.iter().map(|s| scop.stmts[*s].outside()).collect();
            let depth = outside.iter().map(Vec::len).min().unwrap_or(0);
            let mut basis = vec![Vec::new(); scop.stmts.len()];
            let mut members: Vec<Hyperplane> = vec![vec![Vec::new(); scop.stmts.len()]; depth];
            for (&s, dims) in stmts.iter().zip(&outside) {
                let all = self.problem.dims[s];
                let unit = |dim: usize, width: usize| (0..width).map(|k| i64::from(k == dim)).collect::<Vec<i64>>();
                basis[s] = dims[..depth].iter().map(|d| unit(*d, all)).collect();
                members.iter_mut().zip(dims).for_each(|(member, d)| member[s] = unit(*d, all + 1));
            }
            let Some(child) = self.group(&stmts, &between(&stmts, pieces), &basis)? else { return Ok(None) };
            plans.push(if members.is_empty() {
                child
            } else {
                Plan::Outside(Box::new(OutsidePlan { stmts, members, child }))
            });
        }
        Ok(Some(if plans.len() == 1 { plans.remove(0) } else { Plan::Seq(plans) }))
    }
}
