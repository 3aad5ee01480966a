//! Independent check of copies in shared memory: nothing here believes what [`super::shared`] found out.
//!
//! - All threads of a block come to each copy, and the same number of times: the loops around it that threads of a
//!   block share have as many iterations as there are threads, and the bounds and conditions of all other loops and
//!   tests around it, and of the copy itself, move with no loop that threads share. Barriers are in uniform flow.
//! - The kernel writes nothing of the array.
//! - Copies that are there at the same time have places of their own, also those of the iteration before where two of
//!   them take turns.
//! - Each element that is read from the copy is in it, and in a part that is copied: proved from the bounds of the
//!   loops around the read.

use super::device::{axes, is_kernel};
use super::forms::{Form, Known, element};
use super::shared::{is_full, read_only};
use super::types::{Ast, Expr, For, Part, Tile};
use crate::error::{Failure, Limit};
use crate::ids::{ArrayId, IterId};
use crate::model::tree::Axis;
use crate::model::{Access, Scop};
use presburger::{Budget, Error};
use std::collections::{BTreeMap, BTreeSet};

/// Part of the budget that one question may cost.
const QUESTION_PART: u64 = 1_000;

/// Whether the copies of all kernels are right.
///
/// # Errors
/// `Bug` with what is wrong; `Limit` when the budget is spent.
pub fn check(scop: &Scop, ast: &Ast, budget: &Budget) -> Result<(), Failure> {
    let mut walk = Walk {
        scop,
        budget,
        known: Known::default(),
        varying: BTreeSet::new(),
        read_only: BTreeSet::new(),
        active: Vec::new(),
        answers: BTreeMap::new(),
    };
    walk.host(ast)
}

struct Walk<'a> {
    scop: &'a Scop,
    budget: &'a Budget,
    known: Known,
    /// Iterators that threads of a block may have different values of.
    varying: BTreeSet<IterId>,
    /// What the kernel around does not write.
    read_only: BTreeSet<ArrayId>,
    /// Copies that are there.
    active: Vec<&'a Tile>,
    /// Whether a form is never negative at the present place.
    answers: BTreeMap<Form, bool>,
}

fn wrong(what: &str) -> Failure {
    Failure::Bug(format!("shared memory: {what}"))
}

impl<'a> Walk<'a> {
    fn host(&mut self, ast: &'a Ast) -> Result<(), Failure> {
        if is_kernel(ast) {
            self.read_only = read_only(self.scop, ast);
            axes(ast).map_err(wrong)?;
            return self.visit(ast, true);
        }
        match ast {
            Ast::Block(parts) => parts.iter().try_for_each(|part| self.host(part)),
            Ast::If(i) => [&i.then].into_iter().chain(&i.otherwise).try_for_each(|part| self.host(part)),
            Ast::For(f) if !f.staged.is_empty() => Err(wrong("a copy outside of a kernel")),
            Ast::For(f) => {
                let mark = self.known.mark();
                self.known.learn(f.iter, &f.lower, &f.upper);
                self.host(&f.body)?;
                self.known.forget(mark);
                Ok(())
            }
            Ast::Stmt { .. } => Ok(()),
        }
    }

    fn visit(&mut self, ast: &'a Ast, uniform: bool) -> Result<(), Failure> {
        match ast {
            Ast::Block(parts) => parts.iter().try_for_each(|part| self.visit(part, uniform)),
            Ast::If(i) => {
                let uniform = uniform && !self.varying.iter().any(|iter| i.cond.mentions(*iter));
                [&i.then].into_iter().chain(&i.otherwise).try_for_each(|part| self.visit(part, uniform))
            }
            Ast::For(f) => self.visit_loop(f, uniform),
            Ast::Stmt { id, args } => {
                let stmt = self.scop.stmt(*id);
                for tile in self.active.clone() {
                    for read in tile.reads.iter().filter(|r| r.stmt == *id && r.args == *args) {
                        let access = stmt
                            .accesses
                            .iter()
                            .find(|a| a.inst == read.inst && a.array == tile.array && a.carries.is_none());
                        let access = access.ok_or_else(|| wrong("a read that is none"))?;
                        self.is_in(tile, access, args)?;
                    }
                }
                Ok(())
            }
        }
    }

    fn visit_loop(&mut self, f: &'a For, uniform: bool) -> Result<(), Failure> {
        let in_threads = matches!(f.axis, Some(Axis::Block(..)));
        let varies = self.varies(&f.lower) || self.varies(&f.upper);
        let uniform = uniform && if in_threads { is_full(f) } else { !varies };
        let mark = self.known.mark();
        let answers = std::mem::take(&mut self.answers);
        self.known.learn(f.iter, &f.lower, &f.upper);
        self.varying.remove(&f.iter);
        if in_threads || varies {
            self.varying.insert(f.iter);
        }
        let active = self.active.len();
        let turn = f.staged.first().map_or(0, |tile| tile.turn);
        if f.staged.iter().any(|tile| tile.turn != turn) || (turn != 0 && f.axis.is_some()) {
            return Err(wrong("copies that cannot take turns"));
        }
        for tile in &f.staged {
            if !uniform || in_threads {
                return Err(wrong("not all threads of a block come to a copy"));
            }
            if !self.read_only.contains(&tile.array) {
                return Err(wrong("a copy of what the kernel writes"));
            }
            let bounds = tile.parts.iter().flat_map(|p| &p.bounds).flat_map(|(lows, highs)| lows.iter().chain(highs));
            let conds = tile.parts.iter().flat_map(|p| &p.conds);
            if tile.first.iter().chain(bounds).chain(conds).any(|e| self.varies(e)) {
                return Err(wrong("threads of a block copy different elements"));
            }
            if self.active.iter().any(|other| overlap(tile, other)) || (turn != 0 && turn.abs() < tile.bytes()) {
                return Err(wrong("copies that overlap"));
            }
            self.active.push(tile);
        }
        self.visit(&f.body, uniform)?;
        self.active.truncate(active);
        self.varying.remove(&f.iter);
        self.answers = answers;
        self.known.forget(mark);
        Ok(())
    }

    fn varies(&self, e: &Expr) -> bool {
        self.varying.iter().any(|iter| e.mentions(*iter))
    }

    /// Proves that an element which is read is in the copy.
    fn is_in(&mut self, tile: &Tile, access: &Access, args: &[Expr]) -> Result<(), Failure> {
        let subscripts = element(&mut self.known, self.scop, access, args);
        let subscripts = subscripts.ok_or_else(|| wrong("a subscript that is not affine"))?;
        if access.array != tile.array || subscripts.len() != tile.extents.len() || tile.first.len() != subscripts.len()
        {
            return Err(wrong("a copy of another array"));
        }
        for ((subscript, first), extent) in subscripts.iter().zip(&tile.first).zip(&tile.extents) {
            let from_first = self.minus(subscript, first)?;
            let to_last = Form::constant(*extent - 1).plus(-1, &from_first).ok_or_else(overflow)?;
            if !self.is_never_negative(&from_first)? || !self.is_never_negative(&to_last)? {
                return Err(wrong("an element is read that has no room in the copy"));
            }
        }
        for part in &tile.parts {
            if self.is_in_part(part, &subscripts)? {
                return Ok(());
            }
        }
        Err(wrong("an element is read that is not copied"))
    }

    fn is_in_part(&mut self, part: &Part, subscripts: &[Form]) -> Result<bool, Failure> {
        for ((lows, highs), subscript) in part.bounds.iter().zip(subscripts) {
            for low in lows {
                let above = self.minus(subscript, low)?;
                if !self.is_never_negative(&above)? {
                    return Ok(false);
                }
            }
            for high in highs {
                let above = self.minus(subscript, high)?;
                let below = Form::default().plus(-1, &above).ok_or_else(overflow)?;
                if !self.is_never_negative(&below)? {
                    return Ok(false);
                }
            }
        }
        for cond in &part.conds {
            let form = self.known.form(cond).ok_or_else(|| wrong("a condition that is not affine"))?;
            if !self.is_never_negative(&form)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn minus(&mut self, subscript: &Form, e: &Expr) -> Result<Form, Failure> {
        let e = self.known.form(e).ok_or_else(|| wrong("a bound that is not affine"))?;
        subscript.plus(-1, &e).ok_or_else(overflow)
    }

    fn is_never_negative(&mut self, form: &Form) -> Result<bool, Failure> {
        if let Some(known) = self.answers.get(form) {
            return Ok(*known);
        }
        let answer = self.known.is_never_negative(form, &self.budget.part(QUESTION_PART));
        let answer = answer.map_err(Limit::of("shared memory"))?;
        self.answers.insert(form.clone(), answer);
        Ok(answer)
    }
}

/// Whether two copies share a byte, in this iteration or in the next.
fn overlap(a: &Tile, b: &Tile) -> bool {
    let places = |t: &Tile| [t.at, t.at + t.turn].map(|at| (at, at + t.bytes()));
    places(a).iter().any(|(at, end)| places(b).iter().any(|(other, other_end)| at < other_end && other < end))
}

fn overflow() -> Failure {
    Limit::of("shared memory")(Error::Overflow)
}
