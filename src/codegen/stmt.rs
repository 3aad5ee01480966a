//! Statement instances: copies of the original instructions. Operands that are affine in the loops are computed from
//! the new loops' iterators; values of other statements come through slots of the frame or elements of arrays (see
//! `places.rs`).

use std::collections::{BTreeMap, BTreeSet};

use super::atoms::Poly;
use super::emit::bug;
use super::generator::{Generator, Replaced};
use super::places::At;
use super::scev::{LoopValue, Place, Trust};
use super::surgery::unstructured;
use crate::ast::types::Expr;
use crate::bridge::ir::{Cast, Val};
use crate::error::{Failure, Reject, RejectKind, SourceLoc};
use crate::facts::{FunctionFacts, Type, ValueKind};
use crate::ids::{LoopId, ScevId, StmtId, ValueId};
use crate::model::{Access, AccessKind, ArrayKind, Instructions, Stmt, StmtBody, Strip};
use crate::scop::rows;

/// What an instance knows while it is emitted.
pub(super) struct Instance<'s, 'f> {
    stmt: &'s Stmt,
    args: &'s [Expr],
    place: Place,
    pub(super) done: BTreeMap<ValueId, Val<'f>>,
}

impl<'f> Generator<'f> {
    /// Emits one statement instance at the current position.
    ///
    /// # Errors
    /// `Bug` where the model names an operand that is neither computed here nor read; `Reject` for expressions that
    /// cannot be computed here.
    pub fn instance(&mut self, id: StmtId, args: &[Expr]) -> Result<(), Failure> {
        if let Some(tested) = self.tested {
            return self.look(tested, args);
        }
        let scop = self.scop;
        let stmt = scop.stmts.get(id.index()).ok_or_else(|| bug(format!("no statement {id}")))?;
        let number = self.numbers.next_instance();
        let StmtBody::Original(code) = &stmt.body else { return self.made(stmt, args) };
        let place = self.place(stmt, args, number)?;
        let mut inst = Instance { stmt, args, place, done: BTreeMap::new() };
        self.read_scalars(&mut inst)?;
        match code.block.and_then(|b| self.origin.facts.block(b).boxed.as_ref()).filter(|_| code.branches) {
            Some(boxed) => self.boxed(&mut inst, &code.insts, boxed)?,
            None => self.copies(&mut inst, &code.insts)?,
        }
        self.write_scalars(&mut inst)?;
        self.places.note_update(self.em.ir, stmt);
        Ok(())
    }

    /// The value that an instruction of an instance has, computed at the current position: of what the instance
    /// executes, only what the value takes. It loads from memory alone, and not what the instance writes.
    ///
    /// # Errors
    /// As [`Self::instance`].
    pub fn value_in(&mut self, stmt: &Stmt, args: &[Expr], value: ValueId) -> Replaced<'f> {
        let number = self.numbers.next_instance();
        let place = self.place(stmt, args, number)?;
        let mut inst = Instance { stmt, args, place, done: BTreeMap::new() };
        let needed = self.needed(stmt, value);
        for v in stmt.body.insts().iter().filter(|v| needed.contains(v)) {
            self.copy(&mut inst, *v)?;
        }
        self.operand(&mut inst, value)
    }

    /// The instructions of a statement that a value takes, but for addresses.
    fn needed(&self, stmt: &Stmt, value: ValueId) -> BTreeSet<ValueId> {
        let (facts, mut open, mut all) = (self.origin.facts, vec![value], BTreeSet::new());
        while let Some(at) = open.pop() {
            let at = self.origin.resolve(at);
            let of = facts.value(at);
            if stmt.body.insts().contains(&at) && all.insert(at) && !matches!(of.kind, ValueKind::Load { .. }) {
                open.extend(&of.operands);
            }
        }
        all
    }

    fn place(&mut self, stmt: &Stmt, args: &[Expr], instance: u32) -> Result<Place, Failure> {
        let loops = stmt.body.loops();
        let strips = loops.iter().filter(|l| l.strip.is_some()).count();
        if strips + loops.len() != args.len() {
            return Err(bug(format!("{} has {} loops and {} arguments", stmt.id, loops.len(), args.len())));
        }
        let mut place = Place { loops: Vec::with_capacity(loops.len()), instance };
        let StmtBody::Original(Instructions { single, .. }) = &stmt.body else { return Ok(place) };
        let mut single = single.iter().peekable();
        let mut values: Vec<Poly> = Vec::with_capacity(loops.len());
        for (dim, arg) in loops.iter().zip(&args[strips..]) {
            while let Some(of) = single.next_if(|of| of.value.len() == self.scop.params.len() + values.len() + 1) {
                let value = self.value_of(&of.value, &values)?;
                self.enter(&mut place, (of.id, of.offset), &value)?;
            }
            let mut value = self.em.expr(arg)?;
            if let Some(Strip { dim: number, first, size }) = dim.strip {
                value = value.add(&self.em.expr(&args[number])?.scale(size)).add(&Poly::constant(first));
            }
            self.enter(&mut place, (dim.id, dim.offset), &value)?;
            values.push(value);
        }
        Ok(place)
    }

    /// The value of an affine function, `[params | dims | 1]`, of the dims' values.
    fn value_of(&mut self, row: &[i64], dims: &[Poly]) -> Result<Poly, Failure> {
        let (params, rest) = row.split_at(self.scop.params.len());
        let mut value = Poly::constant(rest.last().copied().unwrap_or(0));
        for (k, c) in params.iter().enumerate().filter(|(_, c)| **c != 0) {
            value = value.add(&self.em.expr(&Expr::Param(k))?.scale(*c));
        }
        Ok(dims.iter().zip(rest).fold(value, |sum, (dim, c)| sum.add(&dim.scale(*c))))
    }

    /// Puts a loop, with its offset, whose dim has this value inside of those that are known.
    fn enter(
        &mut self,
        place: &mut Place,
        (id, offset): (LoopId, Option<ScevId>),
        value: &Poly,
    ) -> Result<(), Failure> {
        let offset = match offset {
            Some(s) => self.origin.signed(&mut self.em, s, place, Trust::Model)?,
            None => Poly::default(),
        };
        place.loops.push(LoopValue { id, iteration: value.sub(&offset) });
        Ok(())
    }

    /// The address of an access of `stmt` with these arguments.
    ///
    /// # Errors
    /// As [`Self::instance`].
    pub fn address_of(&mut self, access: ValueId, stmt: StmtId, args: &[Expr]) -> Replaced<'f> {
        let stmt = self.scop.stmt(stmt);
        let number = self.numbers.next_address();
        let place = self.place(stmt, args, number)?;
        let mut inst = Instance { stmt, args, place, done: BTreeMap::new() };
        let facts = self.origin.facts;
        match facts.value(access).kind {
            ValueKind::Load { ptr, .. } | ValueKind::Store { ptr, .. } => {
                match memory_access(stmt, access).map(|a| self.places.of(number, a)) {
                    Some(At::Copy(base)) => self.address_in_copy(access, base, &inst.place),
                    Some(At::Element) => self.element_of(stmt, access, args),
                    _ => self.memory_operand(&mut inst, access, ptr),
                }
            }
            ref other => Err(bug(format!("{access} is no access: {other:?}"))),
        }
    }

    /// The address of what a load or store of the statement accesses, by its relation.
    fn element_of(&mut self, stmt: &Stmt, inst: ValueId, args: &[Expr]) -> Replaced<'f> {
        let access = memory_access(stmt, inst).ok_or_else(|| bug(format!("{inst} accesses nothing")))?;
        self.element_address(access, args)
    }

    /// The scalar that an access reads or writes, in its slot or in the element that it is mapped onto.
    fn scalar_of(&self, access: &Access) -> Option<ArrayKind> {
        let kind = self.scop.array(access.carries.unwrap_or(access.array)).kind;
        (!kind.is_memory()).then_some(kind)
    }

    fn read_scalars(&mut self, inst: &mut Instance<'_, 'f>) -> Result<(), Failure> {
        for access in inst.stmt.accesses.iter().filter(|a| a.kind == AccessKind::Read) {
            if self.scalar_of(access).is_none() {
                continue;
            }
            let ir = self.em.ir;
            let value = match self.places.of(inst.place.instance, access) {
                At::Slot(slot) => slot.load(ir),
                At::Element => {
                    let ty = ir.type_of(ir.value(access.inst));
                    self.load_element(access, inst.args, ty)?
                }
                other => return Err(bug(format!("{} is no place of a scalar: {other:?}", access.array))),
            };
            self.define(inst, access.inst, value);
        }
        Ok(())
    }

    fn write_scalars(&mut self, inst: &mut Instance<'_, 'f>) -> Result<(), Failure> {
        let stmt = inst.stmt;
        let mut stores: Vec<(&Access, Val<'f>)> = Vec::new();
        for access in stmt.accesses.iter().filter(|a| a.kind != AccessKind::Read) {
            let value = match self.scalar_of(access) {
                Some(ArrayKind::Value { def }) => def,
                Some(_) => access.inst,
                None => continue,
            };
            stores.push((access, self.operand(inst, value)?));
        }
        for (access, value) in stores {
            match self.places.of(inst.place.instance, access) {
                At::Slot(slot) => {
                    slot.store(self.em.ir, value);
                }
                At::Element => self.store_element(access, inst.args, value)?,
                other => return Err(bug(format!("{} is no place of a scalar: {other:?}", access.array))),
            }
        }
        Ok(())
    }

    pub(super) fn define(&mut self, inst: &mut Instance<'_, 'f>, id: ValueId, value: Val<'f>) {
        inst.done.insert(id, value);
        self.em.set_local(inst.place.instance, id, value);
    }

    pub(super) fn copies(&mut self, inst: &mut Instance<'_, 'f>, of: &[ValueId]) -> Result<(), Failure> {
        for &v in of {
            if !inst.done.contains_key(&v) {
                self.copy(inst, v)?;
            }
        }
        Ok(())
    }

    /// Copies one instruction of the original code.
    fn copy(&mut self, inst: &mut Instance<'_, 'f>, id: ValueId) -> Replaced<'f> {
        let facts = self.origin.facts;
        match facts.value(id).kind {
            ValueKind::Load { .. } | ValueKind::Store { .. } | ValueKind::Pure => {}
            ValueKind::ICmp { .. } | ValueKind::And(..) | ValueKind::Or(..) | ValueKind::Not(_) => {}
            ref other => return Err(bug(format!("{id} cannot be copied: {other:?}"))),
        }
        if self.em.ir.is_lost(id) {
            return Err(unstructured("a value is computed in a region that was replaced"));
        }
        if !self.em.ir.knows_operands(id) {
            return Err(bug(format!("{id} has an operand without facts")));
        }
        let access = memory_access(inst.stmt, id);
        let at = access.map_or(At::InPlace, |a| self.places.of(inst.place.instance, a));
        let shared = match access {
            Some(access) if !matches!(at, At::Slot(_)) => self.in_shared(access, inst.stmt.id, inst.args)?,
            _ => None,
        };
        let moved = match at {
            At::Slot(slot) => Some(slot.at),
            _ if shared.is_some() => shared.map(|(address, _)| address),
            At::Copy(base) => Some(self.address_in_copy(id, base, &inst.place)?),
            At::Element => Some(self.element_of(inst.stmt, id, inst.args)?),
            At::InPlace => None,
        };
        let slot = moved.zip(address_index(&facts.value(id).kind)).map(|(slot, index)| (index, slot));
        // A constant address is not among the operands with an id: the slot is named by its position.
        let mut operands: Vec<(u32, Val<'f>)> = slot.into_iter().collect();
        for (index, operand) in self.em.ir.operands(id) {
            if slot.is_none_or(|(address, _)| index != address) {
                operands.push((index, self.memory_operand(inst, id, operand)?));
            }
        }
        let copy = self.em.ir.clone_inst(id, &operands);
        let in_memory = matches!(facts.value(id).kind, ValueKind::Load { .. } | ValueKind::Store { .. });
        if let Some((_, alignment)) = shared {
            self.em.ir.limit_alignment(copy, alignment);
        } else if in_memory && !matches!(at, At::Slot(_)) {
            self.disjoint.annotate(self.em.ir, copy, access.map(|a| a.array), self.around.group());
            if let Some(access) = access {
                self.fit_to_copy(copy, access.array);
            }
        }
        if inst.stmt.reduction.as_ref().is_some_and(|r| r.chain.contains(&id)) {
            self.em.ir.drop_claims(copy);
        }
        self.define(inst, id, copy);
        Ok(copy)
    }

    /// Operand `id` of `user`; addresses are computed as the model understands them.
    fn memory_operand(&mut self, inst: &mut Instance<'_, 'f>, user: ValueId, id: ValueId) -> Replaced<'f> {
        let facts = self.origin.facts;
        let value = facts.value(user);
        if is_address(facts, user, id)
            && let Some((base, row)) = self.row_of(inst.stmt, user)
        {
            let pointer = match inst.done.get(&row) {
                Some(pointer) => *pointer,
                None => self.copy(inst, row)?,
            };
            self.define(inst, base, pointer);
        }
        // An address that is data is computed by the statement.
        if is_address(facts, user, id)
            && !self.origin.is_available(id)
            && !inst.done.contains_key(&id)
            && let Some(scev) = value.ptr_scev
            && let Ok(address) = self.origin.bits(&mut self.em, scev, &inst.place, Trust::Model)
            && let Ok(v) = self.em.pointer(&address)
        {
            return Ok(v);
        }
        self.operand(inst, id)
    }

    /// The base pointer of an access to a row, and the load of that pointer.
    fn row_of(&self, stmt: &Stmt, access: ValueId) -> Option<(ValueId, ValueId)> {
        let array = memory_access(stmt, access)?.array;
        let base = self.origin.facts.value(access).base.filter(|_| self.scop.array(array).is_rows())?;
        Some((base, rows::loaded(self.origin.facts, base)))
    }

    /// The value that takes the place of `id` in this instance.
    pub(super) fn operand(&mut self, inst: &mut Instance<'_, 'f>, id: ValueId) -> Replaced<'f> {
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
    fn affine(&mut self, place: &Place, id: ValueId) -> Option<Val<'f>> {
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

    fn copy_pure(&mut self, inst: &mut Instance<'_, 'f>, id: ValueId) -> Replaced<'f> {
        match self.origin.facts.value(id).kind {
            ValueKind::Pure | ValueKind::ICmp { .. } | ValueKind::And(..) | ValueKind::Or(..) | ValueKind::Not(_) => {
                self.copy(inst, id)
            }
            ValueKind::Phi(_) => {
                let detail = "a pointer that moves on from a place found by a comparison";
                Err(Failure::Reject(Reject::new(RejectKind::NonAffineAccess, detail, SourceLoc::default())))
            }
            ref other => Err(bug(format!("{} uses {id}, which it does not compute: {other:?}", inst.stmt.id))),
        }
    }
}

/// The access that a load or store of the statement is.
pub(super) fn memory_access(stmt: &Stmt, inst: ValueId) -> Option<&Access> {
    stmt.accesses.iter().find(|a| a.inst == inst && a.carries.is_none())
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
