//! Which copies of arrays the loops of an AST ask for, with what each must have room for.

use super::types::{Ast, For};
use crate::error::{Failure, Limit};
use crate::facts::FunctionFacts;
use crate::ids::{ArrayId, StmtId};
use crate::model::Scop;
use crate::model::tree::ReductionCopy;
use crate::storage::room::{Part, Room};
use presburger::{Budget, Error};
use std::collections::{BTreeMap, BTreeSet};

/// Rooms of copies; all set algebra for them is done before code is generated.
#[derive(Clone, Debug, Default)]
pub struct Rooms {
    scratch: BTreeMap<ArrayId, Room>,
    parts: BTreeMap<(ArrayId, BTreeSet<StmtId>), Part>,
}

impl Rooms {
    /// The rooms that the loops for threads of these ASTs need.
    ///
    /// # Errors
    /// `Limit` when the budget is spent.
    pub fn of<'a>(
        scop: &Scop,
        facts: &FunctionFacts,
        asts: impl IntoIterator<Item = &'a Ast>,
        budget: &Budget,
    ) -> Result<Self, Failure> {
        let mut walk = Walk { scop, facts, budget, rooms: Self::default() };
        asts.into_iter().try_for_each(|ast| walk.add(ast))?;
        Ok(walk.rooms)
    }

    /// The room for a scratch copy of an array.
    #[must_use]
    pub fn scratch(&self, array: ArrayId) -> Option<&Room> {
        self.scratch.get(&array)
    }

    /// What a reduction copy of an array holds in a loop of these statements.
    #[must_use]
    pub fn part(&self, array: ArrayId, updates: &BTreeSet<StmtId>) -> Option<&Part> {
        self.parts.get(&(array, updates.clone()))
    }
}

struct Walk<'a> {
    scop: &'a Scop,
    facts: &'a FunctionFacts,
    budget: &'a Budget,
    rooms: Rooms,
}

impl Walk<'_> {
    fn add(&mut self, ast: &Ast) -> Result<(), Failure> {
        match ast {
            Ast::Block(parts) => parts.iter().try_for_each(|part| self.add(part)),
            Ast::For(f) => {
                self.add_loop(f)?;
                self.add(&f.body)
            }
            Ast::If(i) => {
                self.add(&i.then)?;
                i.otherwise.iter().try_for_each(|other| self.add(other))
            }
            Ast::Stmt { .. } => Ok(()),
        }
    }

    /// The stage that asked for the copies found room for them: where there is none, steps are missing.
    fn add_loop(&mut self, f: &For) -> Result<(), Failure> {
        let Some(copies) = &f.parallel else { return Ok(()) };
        let (scop, facts, spent) = (self.scop, self.facts, || Limit::of("run-time check")(Error::Spent));
        for array in &copies.privatized {
            if !self.rooms.scratch.contains_key(array) {
                let room = Room::of(scop, facts, *array, self.budget).ok_or_else(spent)?;
                self.rooms.scratch.insert(*array, room);
            }
        }
        let updates: BTreeSet<StmtId> = f.body.stmts().collect();
        for array in updated_in(scop, f, &copies.arrays) {
            let key = (array, updates.clone());
            if !self.rooms.parts.contains_key(&key) {
                let part = Part::of(scop, facts, array, &updates, self.budget).ok_or_else(spent)?;
                self.rooms.parts.insert(key, part);
            }
        }
        Ok(())
    }
}

/// Those of the arrays to be collected that the loop does update: others may be left to loops made of the same band.
#[must_use]
pub fn updated_in(scop: &Scop, f: &For, collected: &[ReductionCopy]) -> Vec<ArrayId> {
    let updates = |a: &ArrayId, id| scop.stmt(id).reduction.as_ref().is_some_and(|r| r.array == *a);
    collected.iter().map(|c| c.array).filter(|a| f.body.stmts().any(|id| updates(a, id))).collect()
}
