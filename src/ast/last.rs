//! What the last iteration of a loop leaves behind.
//!
//! In:  a loop AST. Out: of which arrays each thread must not have a copy. Threads write copies of privatized arrays
//! ([`crate::model::tree::ThreadCopies::privatized`]), but for the loop's last iteration, which writes the arrays
//! themselves: that is right if it surely writes each element that any iteration may write. The question is asked of
//! the loops that will run, not of the schedule: their bounds may be loose, and then the last iteration does nothing.

use super::fail::Res;
use super::types::{Ast, Cond, Expr, For};
use super::value::value_of;
use crate::error::Failure;
use crate::ids::{ArrayId, IterId, StmtId};
use crate::model::{AccessKind, Scop};
use presburger::{Aff, Budget, Dim, Map, PwAff, PwMultiAff, Set, Space};
use std::collections::BTreeSet;

/// The arrays that some parallel loop has among its privatized arrays although its last iteration may leave something
/// else in them than the whole loop, and somebody may read it: of arrays for which `is_not_live_out` holds, nobody
/// outside of the region does. Exact over the integers, for all parameters in the SCoP's contexts; one subset test per
/// loop and array.
///
/// # Errors
/// `Limit` when the budget is spent; the caller must then assume that all arrays are meant.
pub fn not_lastprivate(
    scop: &Scop,
    ast: &Ast,
    is_not_live_out: &dyn Fn(ArrayId) -> bool,
    budget: &Budget,
) -> Result<BTreeSet<ArrayId>, Failure> {
    let mut walk = Walk { scop, budget, steps: Vec::new(), not_lastprivate: BTreeSet::new(), shown: BTreeSet::new() };
    walk.visit(ast)?;
    let Walk { mut not_lastprivate, shown, .. } = walk;
    not_lastprivate.retain(|array| shown.contains(array) || !is_not_live_out(*array));
    Ok(not_lastprivate)
}

/// Pairs of pieces that are intersected at one place, each of which is looked at: bounds that are the largest of many
/// double the pieces from loop to loop.
const MAX_PAIRS: usize = 4096;

/// What surrounds a place.
#[derive(Clone, Copy)]
enum Step<'a> {
    Loop(&'a For),
    /// A condition, and whether it holds.
    Test(&'a Cond, bool),
}

struct Walk<'a> {
    scop: &'a Scop,
    budget: &'a Budget,
    steps: Vec<Step<'a>>,
    not_lastprivate: BTreeSet<ArrayId>,
    /// Arrays that are read outside of the loops that have them among their privatized arrays: iterations of those read
    /// what they wrote.
    shown: BTreeSet<ArrayId>,
}

impl<'a> Walk<'a> {
    fn visit(&mut self, ast: &'a Ast) -> Res<()> {
        match ast {
            Ast::Block(all) => all.iter().try_for_each(|a| self.visit(a)),
            Ast::For(f) => {
                for array in f.parallel.iter().flat_map(|copies| &copies.privatized) {
                    if !self.last_writes_all(f, *array)? {
                        self.not_lastprivate.insert(*array);
                    }
                }
                self.below(Step::Loop(f), |walk| walk.visit(&f.body))
            }
            Ast::If(i) => {
                self.below(Step::Test(&i.cond, true), |walk| walk.visit(&i.then))?;
                match &i.otherwise {
                    Some(otherwise) => self.below(Step::Test(&i.cond, false), |walk| walk.visit(otherwise)),
                    None => Ok(()),
                }
            }
            Ast::Stmt { id, .. } => {
                let reads = self.scop.stmt(*id).accesses.iter().filter(|a| a.kind == AccessKind::Read);
                let is_own = |array: ArrayId| {
                    let is_scratch =
                        |f: &For| f.parallel.as_ref().is_some_and(|copies| copies.privatized.contains(&array));
                    self.steps.iter().any(|step| matches!(step, Step::Loop(f) if is_scratch(f)))
                };
                let shown: Vec<ArrayId> = reads.map(|a| a.array).filter(|array| !is_own(*array)).collect();
                self.shown.extend(shown);
                Ok(())
            }
        }
    }

    fn below<T>(&mut self, step: Step<'a>, visit: impl FnOnce(&mut Self) -> Res<T>) -> Res<T> {
        self.steps.push(step);
        let visited = visit(self);
        self.steps.pop();
        visited
    }

    /// Whether the last iteration of `f`, below the steps, surely writes all elements of `array` that any iteration may
    /// write.
    fn last_writes_all(&mut self, f: &'a For, array: ArrayId) -> Res<bool> {
        let outer = self.loops();
        let mut writes = Vec::new();
        self.below(Step::Loop(f), |walk| walk.writes(&f.body, array, outer + 1, &mut writes))?;
        let rank = self.scop.array(array).sizes.len();
        let space = Space::map(&self.scop.param_names(), "", outer + 1, "", rank);
        let union = |surely: bool| {
            let chosen = writes.iter().filter(|(kind, _)| !surely || *kind == AccessKind::MustWrite);
            chosen.fold(Map::empty(space.clone()), |all, (_, map)| all.union(map))
        };
        let last = self.below(Step::Loop(f), |walk| {
            let space = walk.space();
            let next = PwAff::from(Aff::dim(&space, outer)).add_constant(f.step);
            Ok(next.gt_set(&walk.value(&f.upper, &space)?))
        })?;
        let without_iteration = |map: Map| map.project_out(Dim::In, outer, 1, self.budget);
        let (all, left) = (without_iteration(union(false))?, without_iteration(union(true).intersect_domain(&last))?);
        Ok(all.is_subset(&left, self.budget)?)
    }

    /// Adds `{ [iterators of the first `kept` loops] -> [element] }` of each write of `array` below.
    fn writes(&mut self, ast: &'a Ast, array: ArrayId, kept: usize, out: &mut Vec<(AccessKind, Map)>) -> Res<()> {
        match ast {
            Ast::Block(all) => all.iter().try_for_each(|a| self.writes(a, array, kept, out)),
            Ast::For(f) => self.below(Step::Loop(f), |walk| walk.writes(&f.body, array, kept, out)),
            Ast::If(i) => {
                self.below(Step::Test(&i.cond, true), |walk| walk.writes(&i.then, array, kept, out))?;
                match &i.otherwise {
                    Some(o) => self.below(Step::Test(&i.cond, false), |walk| walk.writes(o, array, kept, out)),
                    None => Ok(()),
                }
            }
            Ast::Stmt { id, args } => {
                let scop = self.scop;
                let own = |kind: AccessKind| kind != AccessKind::Read;
                for access in scop.stmt(*id).accesses.iter().filter(|a| a.array == array && own(a.kind)) {
                    let elements = self.instances(*id, args)?.apply_range(&access.relation, self.budget);
                    let elements = elements?.with_tuples("", "");
                    let inner = elements.space().n_in() - kept;
                    let elements = elements.project_out(Dim::In, kept, inner, self.budget)?;
                    out.push((access.kind, elements));
                }
                Ok(())
            }
        }
    }

    fn loops(&self) -> usize {
        self.steps.iter().filter(|s| matches!(s, Step::Loop(_))).count()
    }

    /// The space of the iterators around.
    fn space(&self) -> Space {
        Space::set(&self.scop.param_names(), "", self.loops())
    }

    /// `{ [iterators] -> Stmt[args] }` at the current place.
    fn instances(&self, id: StmtId, args: &[Expr]) -> Res<Map> {
        let space = self.space();
        let contexts = &self.scop.contexts;
        let mut runs =
            Set::universe(space.clone()).intersect_params(&contexts.assumed).intersect_params(&contexts.defined);
        let mut position = 0;
        for step in &self.steps {
            match step {
                Step::Loop(f) => {
                    let iter = PwAff::from(Aff::dim(&space, position));
                    position += 1;
                    let (lower, upper) = (self.value(&f.lower, &space)?, self.value(&f.upper, &space)?);
                    runs = self.both(&runs, &iter.ge_set(&lower))?;
                    runs = self.both(&runs, &iter.le_set(&upper))?;
                    if f.step != 1 {
                        let offset = iter.sub(&lower, self.budget)?.modulo(f.step);
                        runs = self.both(&runs, &offset.eq_set(&Aff::zero(&space).into()))?;
                    }
                }
                Step::Test(cond, holds) => {
                    let set = self.cond(cond, &space)?;
                    runs = if *holds { self.both(&runs, &set)? } else { runs.subtract(&set, self.budget)? };
                }
            }
        }
        let args = args.iter().map(|a| self.value(a, &space)).collect::<Res<Vec<_>>>()?;
        let map = PwMultiAff::from_components(&space, &args, &id.to_string(), self.budget)?;
        Ok(map.to_map().intersect_domain(&runs))
    }

    /// What is in both, without the pieces that hold nothing; too many to look at are a spent budget.
    fn both(&self, a: &Set, b: &Set) -> Res<Set> {
        if a.basics().len() * b.basics().len() > MAX_PAIRS {
            return Err(presburger::Error::Spent.into());
        }
        let mut kept = Set::empty(a.space().clone());
        for piece in a.intersect(b).basics() {
            if !piece.is_empty(self.budget)? {
                kept = kept.union(&piece.to_set());
            }
        }
        Ok(kept)
    }

    /// An expression over the iterators around; those inside of a loop come after it.
    fn value(&self, e: &Expr, space: &Space) -> Res<PwAff> {
        Ok(value_of(e, space, &|i| self.position(i), self.budget)?)
    }

    /// Position of the innermost loop around that counts with `iter`.
    fn position(&self, iter: IterId) -> Result<usize, Failure> {
        let loops = self.steps.iter().filter_map(|s| if let Step::Loop(f) = s { Some(f.iter) } else { None });
        let found = loops.enumerate().filter(|(_, i)| *i == iter).last();
        found.map(|(k, _)| k).ok_or_else(|| Failure::Bug(format!("iterator {iter} out of scope")))
    }

    fn cond(&self, c: &Cond, space: &Space) -> Res<Set> {
        Ok(match c {
            Cond::True => Set::universe(space.clone()),
            Cond::False => Set::empty(space.clone()),
            Cond::And(of) => {
                let all = of.iter().map(|c| self.cond(c, space)).collect::<Res<Vec<_>>>()?;
                all.iter().try_fold(Set::universe(space.clone()), |all, s| self.both(&all, s))?
            }
            Cond::Or(of) => {
                let any = of.iter().map(|c| self.cond(c, space)).collect::<Res<Vec<_>>>()?;
                any.iter().fold(Set::empty(space.clone()), |any, s| any.union(s))
            }
            Cond::Not(c) => self.cond(c, space)?.complement(self.budget)?,
            Cond::Ge(a, b) => self.value(a, space)?.ge_set(&self.value(b, space)?),
            Cond::Eq(a, b) => self.value(a, space)?.eq_set(&self.value(b, space)?),
        })
    }
}
