//! Statement instances: copies of the original instructions. Operands that are affine in the loops are computed from the new loops'
//! iterators; values of other statements come through memory (see `scalar.rs`).

use std::collections::BTreeMap;

use super::emit::bug;
use super::nest::{Generator, Replaced};
use super::poly::Poly;
use super::scev::{LoopValue, Place, Trust};
use crate::ast::types::Expr;
use crate::bridge::ir::{Cast, Val};
use crate::error::Failure;
use crate::facts::{FunctionFacts, Type, ValueKind};
use crate::ids::{ArrayId, StmtId, ValueId};
use crate::model::{AccessKind, ArrayKind, Stmt};

/// What an instance knows while it is emitted.
struct Instance<'s> {
    stmt: &'s Stmt,
    place: Place,
    done: BTreeMap<ValueId, Val>,
}

impl Generator<'_> {
    /// Emits one statement instance at the current position.
    ///
    /// # Errors
    /// `Bug` where the model names an operand that is neither computed here nor read; `Reject` for expressions that cannot be
    /// computed here.
    pub fn instance(&mut self, id: StmtId, args: &[Expr]) -> Result<(), Failure> {
        let scop = self.scop;
        let stmt = scop.stmts.get(id.index()).ok_or_else(|| bug(format!("no statement {id}")))?;
        self.instances += 1;
        let place = self.place(stmt, args, self.instances)?;
        let mut inst = Instance { stmt, place, done: BTreeMap::new() };
        self.read_scalars(&mut inst);
        for &v in &stmt.body.insts {
            if !inst.done.contains_key(&v) {
                self.copy(&mut inst, v)?;
            }
        }
        self.write_scalars(&mut inst)?;
        self.note_update(stmt);
        Ok(())
    }

    fn place(&mut self, stmt: &Stmt, args: &[Expr], instance: u32) -> Result<Place, Failure> {
        let loops = &stmt.body.loops;
        if loops.len() != args.len() {
            return Err(bug(format!("{} has {} loops and {} arguments", stmt.id, loops.len(), args.len())));
        }
        let mut place = Place { loops: Vec::with_capacity(loops.len()), instance };
        for (dim, arg) in loops.iter().zip(args) {
            let value = self.em.expr(arg)?;
            let offset = match dim.offset {
                Some(s) => self.origin.signed(&mut self.em, s, &place, Trust::Model)?,
                None => Poly::default(),
            };
            place.loops.push(LoopValue { id: dim.id, iteration: value.sub(&offset) });
        }
        Ok(place)
    }

    /// The address of an access of `stmt` with these arguments.
    ///
    /// # Errors
    /// As [`Self::instance`].
    pub fn address_of(&mut self, access: ValueId, stmt: StmtId, args: &[Expr]) -> Replaced {
        let stmt = self.scop.stmt(stmt);
        self.addresses += 1;
        let place = self.place(stmt, args, u32::MAX - self.addresses)?;
        let mut inst = Instance { stmt, place, done: BTreeMap::new() };
        let facts = self.origin.facts;
        match facts.value(access).kind {
            ValueKind::Load { ptr, .. } | ValueKind::Store { ptr, .. } => {
                let array = array_of(stmt, access);
                let copied = self.address_in_copy(access, array, &inst.place);
                copied.unwrap_or_else(|| self.memory_operand(&mut inst, access, ptr))
            }
            ref other => Err(bug(format!("{access} is no access: {other:?}"))),
        }
    }

    fn read_scalars(&mut self, inst: &mut Instance<'_>) {
        for access in &inst.stmt.accesses {
            if access.kind == AccessKind::Read
                && let Some(v) = self.scalars.load(self.em.ir, access.array)
            {
                self.define(inst, access.inst, v);
            }
        }
    }

    fn write_scalars(&mut self, inst: &mut Instance<'_>) -> Result<(), Failure> {
        let stmt = inst.stmt;
        let mut stores: Vec<(ArrayId, Val)> = Vec::new();
        for access in &stmt.accesses {
            let value = match self.scop.array(access.array).kind {
                ArrayKind::Value { def } => def,
                ArrayKind::Phi { .. } => access.inst,
                ArrayKind::Memory { .. } => continue,
            };
            if access.kind != AccessKind::Read {
                stores.push((access.array, self.operand(inst, value)?));
            }
        }
        for (array, value) in stores {
            self.scalars.store(self.em.ir, array, value)?;
        }
        Ok(())
    }

    fn define(&mut self, inst: &mut Instance<'_>, id: ValueId, value: Val) {
        inst.done.insert(id, value);
        self.em.set_local(inst.place.instance, id, value);
    }

    /// Copies one instruction of the original code.
    fn copy(&mut self, inst: &mut Instance<'_>, id: ValueId) -> Replaced {
        let facts = self.origin.facts;
        match facts.value(id).kind {
            ValueKind::Load { .. } | ValueKind::Store { .. } | ValueKind::Pure => {}
            ValueKind::ICmp { .. } | ValueKind::And(..) | ValueKind::Or(..) | ValueKind::Not(_) => {}
            ref other => return Err(bug(format!("{id} cannot be copied: {other:?}"))),
        }
        if !self.em.ir.knows_operands(id) {
            return Err(bug(format!("{id} has an operand without facts")));
        }
        let array = array_of(inst.stmt, id);
        let held = self.held.get(&(inst.place.instance, id)).copied();
        let held = held.or_else(|| self.apart.get(&array?)?.slot);
        let moved = match held {
            Some(held) => Some(held),
            None => self.address_in_copy(id, array, &inst.place).transpose()?,
        };
        let slot = moved.zip(address_index(&facts.value(id).kind)).map(|(slot, index)| (index, slot));
        // A constant address is not among the operands with an id: the slot is named by its position.
        let mut operands: Vec<(u32, Val)> = slot.into_iter().collect();
        for (index, operand) in self.em.ir.operands(id) {
            if slot.is_none_or(|(address, _)| index != address) {
                operands.push((index, self.memory_operand(inst, id, operand)?));
            }
        }
        let copy = self.em.ir.clone_inst(id, &operands);
        let in_memory = matches!(facts.value(id).kind, ValueKind::Load { .. } | ValueKind::Store { .. });
        if in_memory && held.is_none() {
            self.disjoint.annotate(self.em.ir, copy, array, self.group);
            self.fit_to_copy(copy, array);
        }
        if inst.stmt.reduction.as_ref().is_some_and(|r| r.chain.contains(&id)) {
            self.em.ir.drop_claims(copy);
        }
        self.define(inst, id, copy);
        Ok(copy)
    }

    /// Operand `id` of `user`; addresses are computed as the model understands them.
    fn memory_operand(&mut self, inst: &mut Instance<'_>, user: ValueId, id: ValueId) -> Replaced {
        let facts = self.origin.facts;
        let value = facts.value(user);
        if is_address(facts, user, id)
            && !self.origin.is_available(id)
            && let Some(scev) = value.ptr_scev
            && let Ok(address) = self.origin.bits(&mut self.em, scev, &inst.place, Trust::Model)
            && let Ok(v) = self.em.pointer(&address)
        {
            return Ok(v);
        }
        self.operand(inst, id)
    }

    /// The value that takes the place of `id` in this instance.
    fn operand(&mut self, inst: &mut Instance<'_>, id: ValueId) -> Replaced {
        if let Some(v) = inst.done.get(&id) {
            return Ok(*v);
        }
        if self.origin.is_available(id) {
            return Ok(self.em.ir.value(id));
        }
        if let Some(v) = self.affine(&inst.place, id) {
            return Ok(v);
        }
        let copied = self.origin.resolve(id);
        if copied != id {
            return self.operand(inst, copied);
        }
        self.copy_pure(inst, id)
    }

    /// A value by its expression, if it has one that can be computed here.
    fn affine(&mut self, place: &Place, id: ValueId) -> Option<Val> {
        let value = self.origin.facts.value(id);
        let bits = self.origin.bits(&mut self.em, value.scev?, place, Trust::Flags).ok()?;
        match value.ty {
            Type::Ptr => self.em.pointer(&bits).ok(),
            Type::Int(width @ 1..=64) => {
                let wide = self.em.value(&bits);
                Some(self.em.ir.cast(Cast::Trunc, wide, self.em.ir.int_ty(width)))
            }
            _ => None,
        }
    }

    fn copy_pure(&mut self, inst: &mut Instance<'_>, id: ValueId) -> Replaced {
        match self.origin.facts.value(id).kind {
            ValueKind::Pure | ValueKind::ICmp { .. } | ValueKind::And(..) | ValueKind::Or(..) | ValueKind::Not(_) => {
                self.copy(inst, id)
            }
            ref other => Err(bug(format!("{} uses {id}, which it does not compute: {other:?}", inst.stmt.id))),
        }
    }
}

/// The array that an access of the statement touches.
fn array_of(stmt: &Stmt, access: ValueId) -> Option<ArrayId> {
    stmt.accesses.iter().find(|a| a.inst == access).map(|a| a.array)
}

/// Number of the operand that is the address, for a load or a store.
fn address_index(kind: &ValueKind) -> Option<u32> {
    match kind {
        ValueKind::Load { .. } => Some(0),
        ValueKind::Store { .. } => Some(1),
        _ => None,
    }
}

/// Whether operand `id` of `user` is the address it accesses.
fn is_address(facts: &FunctionFacts, user: ValueId, id: ValueId) -> bool {
    match facts.value(user).kind {
        ValueKind::Load { ptr, .. } | ValueKind::Store { ptr, .. } => ptr == id,
        _ => false,
    }
}
