//! Statements that update one element by an operation that does not care about the order of updates.
//!
//! In: a statement with its accesses and instructions. Out: its [`Reduction`], if it reads an element, applies one
//! operation once or several times to what it read, and writes the result to the element it read from. Whether an
//! operation may be reordered stands in the facts: integer operations always may (of the instructions that are made
//! anew nothing claims that sums do not wrap), floating point only by the flags of the instructions.
//! Source: Doerfert, Streit, Hack, Benaissa, IMPACT 2015, section 3 (reduction-like computations).

use super::values::bytes;
use super::{Builder, is_access};
use crate::facts::{Operation, ValueKind};
use crate::ids::ValueId;
use crate::model::{Access, AccessKind, ArrayKind, Reduction, Stmt};
use std::collections::BTreeMap;

/// Applications of the operation beyond which a statement counts as no update.
const MAX_CHAIN: usize = 16;

/// The instructions between the old and the new value, last first.
struct Chain {
    op: Operation,
    insts: Vec<ValueId>,
    has_infinities: bool,
}

/// The ways from an old value to a new one.
struct Ways {
    old: ValueId,
    op: Option<Operation>,
    /// Values on them, each with the operand that it has from there; `None`: one of all, as conditions tell.
    picked: BTreeMap<ValueId, Option<usize>>,
}

impl Builder<'_> {
    /// The update that is all `stmt` does to what it writes, or to a running value that it writes among others.
    pub(super) fn reduction_of(&self, stmt: &Stmt) -> Option<Reduction> {
        if stmt.body.branches() {
            return None;
        }
        let writes = (0..stmt.accesses.len()).filter(|k| stmt.accesses[*k].kind != AccessKind::Read);
        let writes: Vec<usize> = writes.collect();
        let is_running = |k: usize| match self.arrays[stmt.accesses[k].array.index()].kind {
            ArrayKind::Phi { phi } => self.running.is_array(phi),
            _ => false,
        };
        let mut able = writes.iter().filter(|k| writes.len() == 1 || is_running(**k));
        able.find_map(|k| self.update_at(stmt, *k).filter(|r| !self.is_shown(stmt, (&writes, *k), r)))
    }

    /// See `StmtBody::accumulates`.
    pub(super) fn accumulates(&self, stmt: &Stmt) -> bool {
        let writes: Vec<usize> =
            (0..stmt.accesses.len()).filter(|k| stmt.accesses[*k].kind != AccessKind::Read).collect();
        if stmt.body.branches() {
            return !writes.is_empty() && writes.into_iter().all(|k| self.is_updated_behind_tests(stmt, k));
        }
        let kind = |k: usize| self.arrays[stmt.accesses[k].array.index()].kind;
        let updates: Option<Vec<Reduction>> = writes
            .iter()
            .filter(|k| matches!(kind(**k), ArrayKind::Phi { .. }))
            .map(|k| self.update_at(stmt, *k))
            .collect();
        let Some(updates) = updates.filter(|all| !all.is_empty()) else { return false };
        let is_result = |k: usize| {
            let value = self.copied(stmt.accesses[k].inst);
            updates.iter().any(|update| update.chain.first() == Some(&value))
        };
        writes.into_iter().all(|k| match kind(k) {
            ArrayKind::Phi { .. } => true,
            ArrayKind::Value { .. } => is_result(k),
            ArrayKind::Memory { .. } | ArrayKind::View { .. } | ArrayKind::Rows(_) | ArrayKind::Made { .. } => false,
        })
    }

    /// Whether another write of the statement gets a value of the update.
    fn is_shown(&self, stmt: &Stmt, (writes, own): (&[usize], usize), update: &Reduction) -> bool {
        let old = stmt.accesses[update.read].inst;
        let mut others = writes.iter().filter(|k| **k != own).map(|k| self.copied(stmt.accesses[*k].inst));
        others.any(|v| v == old || update.chain.contains(&v))
    }

    /// What the write at this position does to what it writes, if that is an update.
    fn update_at(&self, stmt: &Stmt, write: usize) -> Option<Reduction> {
        let written = &stmt.accesses[write];
        let new = match (self.arrays[written.array.index()].kind, &self.facts.value(written.inst).kind) {
            (ArrayKind::Value { .. } | ArrayKind::Phi { .. }, _) => self.copied(written.inst),
            (ArrayKind::Made { .. }, _) => return None,
            (_, ValueKind::Store { value, .. }) => self.copied(*value),
            (ArrayKind::Memory { .. } | ArrayKind::View { .. } | ArrayKind::Rows(_), _) => return None,
        };
        let reads = (0..stmt.accesses.len()).filter(|k| self.is_read_back(stmt, *k, write));
        reads.into_iter().find_map(|read| {
            let old = stmt.accesses[read].inst;
            let chain = self.chain(stmt, old, (new, written.inst))?;
            let Chain { op, insts, has_infinities } = chain;
            Some(Reduction { op, array: written.array, read, write, chain: insts, has_infinities })
        })
    }

    fn copied(&self, value: ValueId) -> ValueId {
        self.facts.copied_from(value, |v| self.facts.value(v).block.is_some_and(|b| self.nest.contains(b)))
    }

    /// Whether access `read` of the statement reads the single element that access `write` writes.
    fn is_read_back(&self, stmt: &Stmt, read: usize, write: usize) -> bool {
        let (r, w) = (&stmt.accesses[read], &stmt.accesses[write]);
        if r.kind != AccessKind::Read || r.array != w.array || w.kind != AccessKind::MustWrite {
            return false;
        }
        let Some(memory) = self.memories.get(r.array.index()) else { return true };
        let width = |inst: ValueId| bytes(self.facts.value(inst));
        let is_whole = |inst: ValueId| is_access(self.facts, inst) && width(inst) == memory.shape.elem_bytes;
        let is_known = memory.subscripts.contains_key(&r.inst);
        let is_same = memory.subscripts.get(&r.inst) == memory.subscripts.get(&w.inst);
        is_known && is_whole(r.inst) && is_whole(w.inst) && is_same
    }

    /// The applications of one operation that lead from `old` to `new`, if nothing else in the statement uses a value
    /// between them.
    fn chain(&self, stmt: &Stmt, old: ValueId, (new, write): (ValueId, ValueId)) -> Option<Chain> {
        let update = self.facts.value(new).update.as_ref()?;
        let mut chain = Chain { op: update.op, insts: Vec::new(), has_infinities: false };
        let mut at = new;
        while at != old {
            let value = self.facts.value(at);
            let update = value.update.as_ref().filter(|u| u.op == chain.op)?;
            if chain.insts.len() == MAX_CHAIN || !stmt.body.insts().contains(&at) {
                return None;
            }
            chain.has_infinities |= update.has_infinities;
            chain.insts.push(at);
            let leads = |v: &ValueId| self.leads_to(stmt, old, *v, chain.op, MAX_CHAIN);
            let mut operands = update.through.iter().filter_map(|k| value.operands.get(*k)).map(|v| self.copied(*v));
            at = operands.find(leads)?;
        }
        let is_used_once = |v: &ValueId| self.uses(stmt, *v) == 1;
        let is_alone = is_used_once(&old) && chain.insts.iter().skip(1).all(is_used_once);
        (is_alone && self.uses(stmt, new) == self.final_uses(write)).then_some(chain)
    }

    /// Whether `old` is `from`, or goes into it by applications of `op`.
    fn leads_to(&self, stmt: &Stmt, old: ValueId, from: ValueId, op: Operation, depth: usize) -> bool {
        if from == old {
            return true;
        }
        let value = self.facts.value(from);
        let Some(update) = value.update.as_ref().filter(|u| u.op == op && depth > 0) else { return false };
        let mut operands = update.through.iter().filter_map(|k| value.operands.get(*k));
        stmt.body.insts().contains(&from) && operands.any(|v| self.leads_to(stmt, old, self.copied(*v), op, depth - 1))
    }

    /// Whether a write is of a running value to which one operation is applied, or nothing, as conditions on data tell
    /// that do not look at it: `if (a[j] < a[i]) r++`.
    fn is_updated_behind_tests(&self, stmt: &Stmt, write: usize) -> bool {
        let written = &stmt.accesses[write];
        let is_phi = |a: &&Access| {
            a.kind == AccessKind::Read && matches!(self.arrays[a.array.index()].kind, ArrayKind::Phi { .. })
        };
        !self.arrays[written.array.index()].is_memory()
            && stmt.accesses.iter().filter(is_phi).any(|read| {
                let mut ways = Ways { old: read.inst, op: None, picked: BTreeMap::new() };
                let new = self.copied(written.inst);
                new != ways.old && self.follow(stmt, new, &mut ways) && ways.op.is_some() && self.is_alone(stmt, &ways)
            })
    }

    /// Whether every way to the value begins at the old one and has but applications of one operation.
    fn follow(&self, stmt: &Stmt, at: ValueId, ways: &mut Ways) -> bool {
        if at == ways.old || ways.picked.contains_key(&at) {
            return true;
        }
        if ways.picked.len() == MAX_CHAIN || !stmt.body.insts().contains(&at) {
            return false;
        }
        let value = self.facts.value(at);
        if let ValueKind::Merge(incoming) = &value.kind {
            ways.picked.insert(at, None);
            return incoming.iter().all(|(from, _)| self.follow(stmt, self.copied(*from), ways));
        }
        let Some(update) = value.update.as_ref().filter(|u| ways.op.is_none_or(|op| op == u.op)) else { return false };
        ways.op = Some(update.op);
        let from = |k: &usize| value.operands.get(*k).map(|v| self.copied(*v));
        let leads = |k: &&usize| from(k).is_some_and(|v| self.leads_to(stmt, ways.old, v, update.op, MAX_CHAIN));
        let Some(picked) = update.through.iter().find(leads) else { return false };
        ways.picked.insert(at, Some(*picked));
        from(picked).is_some_and(|v| self.follow(stmt, v, ways))
    }

    /// Whether nothing else in the statement uses the values on the ways.
    fn is_alone(&self, stmt: &Stmt, ways: &Ways) -> bool {
        let is_on_way = |v: ValueId| v == ways.old || ways.picked.contains_key(&v);
        stmt.body.insts().iter().all(|inst| {
            let mut operands = self.facts.value(*inst).operands.iter().enumerate();
            operands.all(|(k, v)| match ways.picked.get(inst) {
                _ if !is_on_way(self.copied(*v)) => true,
                Some(picked) => picked.is_none_or(|picked| picked == k),
                None => false,
            })
        })
    }

    /// How often instructions of the statement take the value as operand.
    fn uses(&self, stmt: &Stmt, value: ValueId) -> usize {
        let operands = stmt.body.insts().iter().flat_map(|i| &self.facts.value(*i).operands);
        operands.filter(|v| self.copied(**v) == value).count()
    }

    /// How often the value that is written is used for that: by a store, or by nothing that the statement executes.
    fn final_uses(&self, write: ValueId) -> usize {
        usize::from(matches!(self.facts.value(write).kind, ValueKind::Store { .. }))
    }
}
