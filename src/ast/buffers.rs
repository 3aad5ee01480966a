//! Which copies of arrays the loops of an AST ask for, with the buffer that each lies in.

use super::types::{Ast, For};
use crate::error::{Failure, Limit};
use crate::facts::FunctionFacts;
use crate::ids::{ArrayId, StmtId};
use crate::model::Scop;
use crate::model::tree::ReductionCopy;
use crate::storage::buffer::{PrivateBuffer, ReductionBuffer};
use presburger::{Budget, Error};
use std::collections::{BTreeMap, BTreeSet};

/// Buffers that copies of arrays lie in; all set algebra for them is done before code is generated.
#[derive(Clone, Debug, Default)]
pub struct Buffers {
    privatized: BTreeMap<ArrayId, PrivateBuffer>,
    parts: BTreeMap<(ArrayId, BTreeSet<StmtId>), ReductionBuffer>,
}

impl Buffers {
    /// The buffers that the loops for threads of these ASTs need.
    ///
    /// # Errors
    /// `Limit` when the budget is spent.
    pub fn of<'a>(
        scop: &Scop,
        facts: &FunctionFacts,
        asts: impl IntoIterator<Item = &'a Ast>,
        budget: &Budget,
    ) -> Result<Self, Failure> {
        let mut walk = Walk { scop, facts, budget, buffers: Self::default() };
        asts.into_iter().try_for_each(|ast| walk.add(ast))?;
        Ok(walk.buffers)
    }

    /// The buffer of a privatized array.
    #[must_use]
    pub fn privatized(&self, array: ArrayId) -> Option<&PrivateBuffer> {
        self.privatized.get(&array)
    }

    /// What a reduction copy of an array holds in a loop of these statements.
    #[must_use]
    pub fn reduction(&self, array: ArrayId, updates: &BTreeSet<StmtId>) -> Option<&ReductionBuffer> {
        self.parts.get(&(array, updates.clone()))
    }
}

struct Walk<'a> {
    scop: &'a Scop,
    facts: &'a FunctionFacts,
    budget: &'a Budget,
    buffers: Buffers,
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

    /// The stage that asked for the copies found buffers for them: where there is none, steps are missing.
    fn add_loop(&mut self, f: &For) -> Result<(), Failure> {
        let Some(copies) = &f.parallel else { return Ok(()) };
        let (scop, facts, spent) = (self.scop, self.facts, || Limit::of("run-time check")(Error::Spent));
        for array in &copies.privatized {
            if !self.buffers.privatized.contains_key(array) {
                let buffer = PrivateBuffer::of(scop, facts, *array, self.budget).ok_or_else(spent)?;
                self.buffers.privatized.insert(*array, buffer);
            }
        }
        let updates: BTreeSet<StmtId> = f.body.stmts().collect();
        for array in updated_in(scop, f, &copies.arrays) {
            let key = (array, updates.clone());
            if !self.buffers.parts.contains_key(&key) {
                let part = ReductionBuffer::of(scop, facts, array, &updates, self.budget).ok_or_else(spent)?;
                self.buffers.parts.insert(key, part);
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
