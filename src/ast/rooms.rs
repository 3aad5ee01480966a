//! Which copies of arrays the loops of an AST ask for, with what each must have room for.

use super::types::{Ast, For};
use crate::facts::FunctionFacts;
use crate::ids::{ArrayId, StmtId};
use crate::model::Scop;
use crate::model::tree::ReductionCopy;
use crate::storage::room::{Part, Room};
use std::collections::{BTreeMap, BTreeSet};

/// Rooms of copies; all set algebra for them is done before code is generated.
#[derive(Clone, Debug, Default)]
pub struct Rooms {
    scratch: BTreeMap<ArrayId, Room>,
    parts: BTreeMap<(ArrayId, BTreeSet<StmtId>), Part>,
}

impl Rooms {
    /// The rooms that the loops for threads of these ASTs need. A copy without bounds has none.
    #[must_use]
    pub fn of<'a>(scop: &Scop, facts: &FunctionFacts, asts: impl IntoIterator<Item = &'a Ast>) -> Self {
        let mut rooms = Self::default();
        asts.into_iter().for_each(|ast| rooms.add(scop, facts, ast));
        rooms
    }

    fn add(&mut self, scop: &Scop, facts: &FunctionFacts, ast: &Ast) {
        match ast {
            Ast::Block(parts) => parts.iter().for_each(|part| self.add(scop, facts, part)),
            Ast::For(f) => {
                self.add_loop(scop, facts, f);
                self.add(scop, facts, &f.body);
            }
            Ast::If(i) => {
                self.add(scop, facts, &i.then);
                i.otherwise.iter().for_each(|other| self.add(scop, facts, other));
            }
            Ast::Stmt { .. } => {}
        }
    }

    fn add_loop(&mut self, scop: &Scop, facts: &FunctionFacts, f: &For) {
        let Some(copies) = &f.parallel else { return };
        for array in &copies.privatized {
            if !self.scratch.contains_key(array) {
                self.scratch.extend(Room::of(scop, facts, *array).map(|room| (*array, room)));
            }
        }
        let updates: BTreeSet<StmtId> = f.body.stmts().collect();
        for array in updated_in(scop, f, &copies.arrays) {
            let key = (array, updates.clone());
            if !self.parts.contains_key(&key) {
                self.parts.extend(Part::of(scop, facts, array, &updates).map(|part| (key, part)));
            }
        }
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

/// Those of the arrays to be collected that the loop does update: others may be left to loops made of the same band.
#[must_use]
pub fn updated_in(scop: &Scop, f: &For, collected: &[ReductionCopy]) -> Vec<ArrayId> {
    let updates = |a: &ArrayId, id| scop.stmt(id).reduction.as_ref().is_some_and(|r| r.array == *a);
    collected.iter().map(|c| c.array).filter(|a| f.body.stmts().any(|id| updates(a, id))).collect()
}
