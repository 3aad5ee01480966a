//! What must be tested before new code may run, as expressions of the parameters.
//!
//! In: the model of a region and its facts. Out: a condition, and which arrays must not overlap with the elements that
//! each touches. All set algebra is done here: code generation writes down what it finds.

use super::closed::elements;
use super::ends::{end_of, next_after};
use super::{Ast, Cond, Config, Expr, build, cond_of_set};
use crate::error::{Failure, Limit, Reject, RejectKind, SourceLoc};
use crate::facts::FunctionFacts;
use crate::ids::{ArrayId, ValueId};
use crate::model::build::WIDE_PARAM_BITS;
use crate::model::contraction::Fresh;
use crate::model::tree::{Band, Member, Node};
use crate::model::{Access, AccessKind, Contexts, Guard, Param, ParamPoly, Scop};
use crate::remedies::PAIRS;
use crate::storage::buffer::RANGE_PART;
use crate::storage::footprint::Footprint;
use crate::storage::rows::{self, Used};
use presburger::{Aff, BasicSet, Budget, Error, Kind, Set};
use std::collections::{BTreeMap, BTreeSet};

/// Part of the budget that simplifying what is tested may cost.
const CONTEXT_PART: u64 = 10;
/// More pairs of arrays than this are not tested.
const MAX_PAIRS: usize = 128;

/// What is tested.
#[derive(Clone, Debug)]
pub struct RunTimeCheck {
    /// The parameters lie inside the assumed context and outside of the invalid one, as far as that is not known
    /// anyway.
    pub holds: Cond,
    /// Each parameter lies between `-2^m` and `2^m`.
    pub magnitudes: Vec<u32>,
    /// Must all be >= 0.
    pub nonneg: Vec<ParamPoly>,
    /// The same as [`Self::magnitudes`], where [`Self::holds`] does.
    pub assumed_magnitudes: Vec<u32>,
    /// Pairs of arrays that must not overlap, each once, ascending.
    pub apart: Vec<(ArrayId, ArrayId)>,
    /// Arrays of rows behind pointers of which something is written: no two rows may overlap.
    pub rows_apart: BTreeSet<ArrayId>,
    /// What the region touches of arrays of rows behind pointers. Matters only where [`Self::holds`] does.
    pub rows: BTreeMap<ArrayId, Rows>,
    /// What the region touches of each of them. Matters only where [`Self::holds`] does.
    pub touched: BTreeMap<ArrayId, Touched>,
    /// Copies that have to pay for their memory.
    pub fresh: Option<Fresh>,
    /// How each of the region's conditions on data ([`Scop::guards`]) is tested.
    pub guards: Vec<GuardLoops>,
}

impl RunTimeCheck {
    /// What the parameters must satisfy, one by one.
    #[must_use]
    pub fn conditions(&self) -> &[Cond] {
        if let Cond::And(all) = &self.holds { all } else { std::slice::from_ref(&self.holds) }
    }

    /// Whether it asks for more of the parameters than to be so large.
    #[must_use]
    pub fn asks_for_more(&self) -> bool {
        !self.nonneg.is_empty() || !self.conditions().iter().all(Cond::asks_for_size)
    }
}

/// Loops over all instances of a condition on data.
#[derive(Clone, Debug)]
pub struct GuardLoops {
    /// The region with the condition as its only statement, number 0.
    pub scop: Scop,
    /// The loops.
    pub ast: Ast,
}

/// The elements of an array that a region touches; never too few.
#[derive(Clone, Debug, PartialEq)]
pub struct Touched {
    /// First value of the outermost subscript, and the first one behind the last; `None`: the array is one element.
    pub subscripts: Option<(Expr, Expr)>,
    /// Bytes from one value of that subscript to the next, if there is one.
    pub stride: Option<ParamPoly>,
    /// Bytes that the widest access touches behind the element that its subscripts name.
    pub spill_bytes: i64,
}

/// What a region touches of rows behind pointers.
#[derive(Clone, Debug, PartialEq)]
pub struct Rows {
    /// Per access: numbers of the first and of the last pointer used, where a condition holds; no pointer where none
    /// does. Exact.
    pub pointers: Vec<[Vec<(Cond, Expr)>; 2]>,
    /// First element touched in any row, counted from where that begins, and the first one behind the last.
    pub columns: (Expr, Expr),
    /// As in [`Touched`].
    pub spill_bytes: i64,
}

/// What must be tested before new code for the region may run.
///
/// # Errors
/// `Reject` where what an array touches has no bounds or there are too many arrays, `Limit` where the budget is spent.
pub fn run_time_check(scop: &Scop, facts: &FunctionFacts, budget: &Budget) -> Result<RunTimeCheck, Failure> {
    run_time_check_of((scop, scop), facts, budget)
}

/// The same where another program with the same parameters and arrays says what is touched.
///
/// # Errors
/// As [`run_time_check`].
pub fn run_time_check_of(
    (scop, touching): (&Scop, &Scop),
    facts: &FunctionFacts,
    budget: &Budget,
) -> Result<RunTimeCheck, Failure> {
    check_of((scop, touching), facts, budget).map_err(|why| match why {
        Failure::Reject(reject) => Failure::Reject(reject.about(overlapping(scop))),
        other => other,
    })
}

/// Whether what is tested in front of this code, made of `other`, says enough of the other one: of its parameters, and
/// of the memory that it touches, which is where this code looks for overlaps.
///
/// # Errors
/// As [`run_time_check`].
pub fn is_tested_for(scop: &Scop, other: &Scop, facts: &FunctionFacts, budget: &Budget) -> Result<bool, Failure> {
    if !scop.is_in_place_of(other, budget).map_err(Limit::of("run-time check"))? {
        return Ok(false);
    }
    let (own, theirs) = (run_time_check(scop, facts, budget)?, run_time_check(other, facts, budget)?);
    Ok(theirs.apart.iter().all(|pair| own.apart.contains(pair))
        && theirs.touched.iter().all(|(array, touched)| own.touched.get(array) == Some(touched))
        && theirs.rows_apart.is_subset(&own.rows_apart)
        && theirs.rows.iter().all(|(array, rows)| own.rows.get(array) == Some(rows)))
}

/// The pointers of arrays that may overlap.
#[must_use]
pub fn overlapping(scop: &Scop) -> Vec<ValueId> {
    let arrays: BTreeSet<ArrayId> = scop.alias_groups.iter().flatten().copied().collect();
    arrays.iter().filter_map(|id| scop.array(*id).kind.base()).collect()
}

fn check_of((scop, touching): (&Scop, &Scop), facts: &FunctionFacts, budget: &Budget) -> Result<RunTimeCheck, Failure> {
    let holds = holds(&scop.contexts, &budget.part(CONTEXT_PART))?;
    let bits = |p: &Param| if p.is_product() { 64 } else { facts.signed_bits(p.value).clamp(1, 64) };
    let magnitudes: Vec<u32> = scop.params.iter().map(|p| bits(p) - 1).collect();
    let assumed = |(k, m): (usize, &u32)| (*m).min(assumed_magnitude(&scop.contexts.assumed, k));
    let assumed_magnitudes = magnitudes.iter().enumerate().map(assumed).collect();
    let apart = pairs(scop);
    if apart.len() > MAX_PAIRS {
        let detail = format!("{} {PAIRS}", apart.len());
        return Err(Failure::Reject(Reject::new(RejectKind::TooLarge, detail, SourceLoc::default())));
    }
    let rows_apart = written_rows(scop);
    let arrays: BTreeSet<ArrayId> = apart.iter().flat_map(|(a, b)| [*a, *b]).chain(rows_apart.clone()).collect();
    let (rows, arrays): (BTreeSet<ArrayId>, BTreeSet<ArrayId>) = arrays.iter().partition(|a| scop.array(**a).is_rows());
    let rows = rows.into_iter().map(|id| Ok((id, rows_of(touching, facts, id, budget)?)));
    let rows = rows.collect::<Result<_, Failure>>()?;
    let touched = arrays.into_iter().map(|id| Ok((id, touched_of(touching, facts, id, budget)?)));
    let touched = touched.collect::<Result<_, Failure>>()?;
    let nonneg = scop.contexts.tested.clone();
    let guards = scop.guards.iter().map(|guard| guard_loops(scop, guard, budget)).collect::<Result<_, _>>()?;
    let fresh = None;
    Ok(RunTimeCheck { holds, magnitudes, nonneg, assumed_magnitudes, apart, rows_apart, rows, touched, fresh, guards })
}

/// Loops over all instances of a condition: those in which neighbours lie side by side innermost.
fn guard_loops(scop: &Scop, guard: &Guard, budget: &Budget) -> Result<GuardLoops, Failure> {
    let space = guard.stmt.domain.space();
    let is_unit = |dim: usize| {
        let forms = guard.stmt.accesses.iter().filter_map(Access::subscripts);
        let mut last = forms.filter_map(|all| all.last().map(|row| row[scop.params.len() + dim]));
        last.any(|c| c.abs() == 1)
    };
    let mut dims: Vec<usize> = (0..space.n_out()).collect();
    dims.sort_by_key(|dim| is_unit(*dim));
    let member = |dim: &usize| Member::new(BTreeMap::from([(guard.stmt.id, Aff::dim(space, *dim))]));
    let band = Band { members: dims.iter().map(member).collect(), permutable: false };
    let below = if dims.is_empty() { Node::Leaf } else { Node::Band(band, Box::new(Node::Leaf)) };
    let tree = Node::Domain(BTreeMap::from([(guard.stmt.id, guard.stmt.domain.clone())]), Box::new(below));
    let own = Scop { stmts: vec![guard.stmt.clone()], guards: Vec::new(), schedule: tree.clone(), ..scop.clone() };
    let ast = build(&own, &tree, &Config::default(), budget)?;
    Ok(GuardLoops { scop: own, ast })
}

/// Whether the model is known never to hold where its new code pays.
#[must_use]
pub fn is_empty(contexts: &Contexts, budget: &Budget) -> bool {
    let wanted = contexts.assumed.intersect(&contexts.worthwhile).intersect(&contexts.defined);
    let valid = wanted.subtract(&contexts.invalid, budget);
    valid.and_then(|valid| valid.is_empty(budget)).unwrap_or(false)
}

/// When the model holds and its new code pays: inside these contexts and outside of the invalid one, as far as that is
/// not known anyway.
fn holds(contexts: &Contexts, budget: &Budget) -> Result<Cond, Failure> {
    let limit = Limit::of("run-time check");
    let wanted = contexts.assumed.intersect(&contexts.worthwhile);
    let valid = wanted.subtract(&contexts.invalid, budget).map_err(&limit)?;
    let valid = valid.gist(&contexts.defined, budget).unwrap_or(valid);
    let valid = valid.simplify(budget).unwrap_or(valid);
    let cond = cond_of_set(&valid, budget);
    // A condition that never holds for want of steps is no finding.
    if cond == Cond::False && budget.left() == 0 { Err(limit(Error::Spent)) } else { Ok(cond) }
}

fn touched_of(scop: &Scop, facts: &FunctionFacts, id: ArrayId, budget: &Budget) -> Result<Touched, Failure> {
    let footprint = Footprint::of_region(scop, id);
    let subscripts = if scop.array(id).strides.is_empty() {
        None
    } else {
        let range = footprint.outermost(&budget.part(RANGE_PART))?.ok_or_else(unbounded)?;
        Some((end_of(&range.first), next_after(&end_of(&range.last))))
    };
    let stride = scop.array(id).strides.first().cloned();
    Ok(Touched { subscripts, stride, spill_bytes: footprint.spill_bytes(facts) })
}

fn written_rows(scop: &Scop) -> BTreeSet<ArrayId> {
    let writes = scop.stmts.iter().flat_map(|s| &s.accesses).filter(|a| a.kind != AccessKind::Read);
    writes.map(|a| a.array).filter(|a| scop.array(*a).is_rows()).collect()
}

fn rows_of(scop: &Scop, facts: &FunctionFacts, id: ArrayId, budget: &Budget) -> Result<Rows, Failure> {
    let columns = rows::columns(scop, id, &budget.part(RANGE_PART))?.ok_or_else(unbounded)?;
    let columns = (end_of(&columns.first), next_after(&end_of(&columns.last)));
    let mut pointers = Vec::new();
    for Used { first, last } in rows::pointers(scop, id, budget)?.ok_or_else(unbounded)? {
        let number = |set: &Set| -> Result<Vec<(Cond, Expr)>, Failure> {
            let pieces = elements(set, budget)?.ok_or_else(unbounded)?;
            Ok(pieces.into_iter().filter_map(|(cond, mut number)| Some((cond, number.pop()?))).collect())
        };
        let used = [number(&first)?, number(&last)?];
        if !pointers.contains(&used) {
            pointers.push(used);
        }
    }
    Ok(Rows { pointers, columns, spill_bytes: Footprint::of_region(scop, id).spill_bytes(facts) })
}

fn unbounded() -> Failure {
    Failure::Reject(Reject::new(
        RejectKind::Aliasing,
        "nothing bounds the elements of an array that are touched",
        SourceLoc::default(),
    ))
}

/// A magnitude that constraints on parameter `k` alone give it in every piece of the set; 64 if some piece has none.
fn assumed_magnitude(set: &Set, k: usize) -> u32 {
    set.basics().iter().map(|b| piece_magnitude(b, k).unwrap_or(64)).max().unwrap_or(0)
}

/// A magnitude of parameter `k` wherever new code of the region runs.
pub(super) fn magnitude_in_model(scop: &Scop, k: usize) -> u32 {
    let Contexts { assumed, defined, .. } = &scop.contexts;
    assumed_magnitude(assumed, k).min(assumed_magnitude(defined, k)).min(WIDE_PARAM_BITS)
}

fn piece_magnitude(piece: &BasicSet, k: usize) -> Option<u32> {
    let (mut low, mut high) = (None, None);
    for (kind, row) in piece.rows_i64().ok()? {
        let (constant, linear) = row.split_last()?;
        if linear.iter().enumerate().any(|(j, c)| (j == k) != (*c != 0)) {
            continue;
        }
        let bound = log2(constant.unsigned_abs().div_ceil(linear[k].unsigned_abs()));
        if kind == Kind::Eq || linear[k] > 0 {
            low = Some(bound);
        }
        if kind == Kind::Eq || linear[k] < 0 {
            high = Some(bound);
        }
    }
    Some(low?.max(high?))
}

/// Pairs of arrays to test, each once; at least one of them is written.
fn pairs(scop: &Scop) -> Vec<(ArrayId, ArrayId)> {
    let mut written = vec![false; scop.arrays.len()];
    for access in scop.stmts.iter().flat_map(|s| &s.accesses) {
        written[access.array.index()] |= access.kind != AccessKind::Read;
    }
    let mut pairs = Vec::new();
    for group in &scop.alias_groups {
        for (k, a) in group.iter().enumerate() {
            for b in &group[k + 1..] {
                if (written[a.index()] || written[b.index()]) && a != b {
                    pairs.push((*a.min(b), *a.max(b)));
                }
            }
        }
    }
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

/// `v <= 2^log2(v)`.
#[must_use]
pub fn log2(v: u64) -> u32 {
    if v <= 1 { 0 } else { 64 - (v - 1).leading_zeros() }
}

#[cfg(test)]
mod tests {
    use super::log2;

    #[test]
    fn log2_rounds_up() {
        assert_eq!([0, 1, 2, 3, 4, 5, u64::MAX].map(log2), [0, 0, 1, 2, 2, 3, 64]);
    }
}
