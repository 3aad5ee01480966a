//! Elements that an innermost loop keeps updating stay in registers: loaded before the loop, stored behind it.
//!
//! Which ones can was found out before ([`crate::ast::registers`]); here their accesses turn out to be of one type.

use super::emit::bug;
use super::generator::Generator;
use super::places::Slot;
use crate::ast::types::{Expr, For, Held};
use crate::bridge::ir::{Pos, Ty, Val};
use crate::error::Failure;
use crate::facts::ValueKind;
use crate::ids::StmtId;
use crate::model::{Access, AccessKind, ArrayKind};

/// A memory access of one instance in a loop body.
struct Touch<'a> {
    /// Position of the instance in the body.
    at: usize,
    access: &'a Access,
}

/// An element that lives in a slot while the loop runs.
pub struct Accumulator<'f> {
    slot: Slot<'f>,
    /// The element's address, computed before the loop.
    address: Val<'f>,
    /// A write of it: a store of the original code, unless all that writes it are scalars mapped onto it.
    write: &'f Access,
}

impl<'f> Generator<'f> {
    /// Loads what the body of `f` accumulates, at the current position in front of the loop, which runs at least once.
    /// Until [`Self::store_accumulators`] the body's accesses go to the slots.
    ///
    /// # Errors
    /// As for the statements themselves.
    pub fn load_accumulators(&mut self, f: &For) -> Result<Vec<Accumulator<'f>>, Failure> {
        if f.registers.is_empty() {
            return Ok(Vec::new());
        }
        let (scop, stmts) = (self.scop, f.body.instances().collect::<Vec<_>>());
        let first = self.numbers.upcoming();
        let mut out = Vec::new();
        for Held { array, touches } in &f.registers {
            let touch = |t: &crate::ast::types::Touch| {
                let access = stmts.get(t.at).and_then(|(id, _)| scop.stmt(*id).accesses.get(t.access));
                access.map(|access| Touch { at: t.at, access }).ok_or_else(|| bug("no such access".into()))
            };
            let group: Vec<Touch<'f>> = touches.iter().map(touch).collect::<Result<_, Failure>>()?;
            if self.places.is_taken(*array) || !self.has_one_type(&group) {
                continue;
            }
            let Some(accumulator) = self.accumulator(&group, &stmts)? else { continue };
            for t in group {
                self.places.hold(first + u32::try_from(t.at).unwrap_or(u32::MAX), t.access, accumulator.slot);
            }
            out.push(accumulator);
        }
        Ok(out)
    }

    /// Stores them again, at the current position behind the loop.
    pub fn store_accumulators(&mut self, accumulators: Vec<Accumulator<'f>>) {
        for Accumulator { slot, address, write } in accumulators {
            let last = slot.load(self.em.ir);
            if write.carries.is_some() {
                let store = self.em.ir.store(last, address);
                self.claim_element(store, write);
            } else {
                let store = self.em.ir.clone_inst(write.inst, &[(0, last), (1, address)]);
                self.disjoint.annotate(self.em.ir, store, Some(write.array), self.around.group());
                self.fit_to_copy(store, write.array);
            }
        }
        self.places.release();
    }

    /// Whether all accesses to an element are of one type.
    fn has_one_type(&self, group: &[Touch<'f>]) -> bool {
        let mut types = group.iter().map(|t| self.accessed_type(t.access));
        let first = types.next().flatten();
        first.is_some() && types.all(|t| t == first)
    }

    /// Type of what a plain load or store moves, or a scalar that is mapped onto an element.
    pub(super) fn accessed_type(&self, access: &Access) -> Option<Ty<'f>> {
        let ir = self.em.ir;
        if let Some(scalar) = access.carries {
            return match self.scop.array(scalar).kind {
                ArrayKind::Value { def } => Some(ir.type_of(ir.value(def))),
                ArrayKind::Phi { phi } => Some(ir.type_of(ir.value(phi))),
                _ => None,
            };
        }
        match self.origin.facts.value(access.inst).kind {
            ValueKind::Load { .. } => Some(ir.type_of(ir.value(access.inst))),
            ValueKind::Store { .. } => Some(ir.stored_type(access.inst)),
            _ => None,
        }
    }

    /// A slot with the element's value, which the group's statements read or write.
    fn accumulator(
        &mut self,
        group: &[Touch<'f>],
        stmts: &[(StmtId, &[Expr])],
    ) -> Result<Option<Accumulator<'f>>, Failure> {
        let best = |reads: bool| {
            let of_kind = || group.iter().filter(|t| (t.access.kind == AccessKind::Read) == reads);
            of_kind().find(|t| t.access.carries.is_none()).or(of_kind().next())
        };
        let (Some(read), Some(write)) = (best(true), best(false)) else { return Ok(None) };
        let Some(ty) = self.accessed_type(read.access) else { return Ok(None) };
        let any = if read.access.carries.is_none() { read } else { write };
        let (stmt, args) = stmts[any.at];
        let address = if any.access.carries.is_none() {
            self.address_of(any.access.inst, stmt, args)?
        } else {
            self.element_address(any.access, args)?
        };
        let ir = self.em.ir;
        let here = ir.current();
        let slot = Slot::new(ir, ty);
        ir.seek(Pos::End(here));
        let value = if read.access.carries.is_some() {
            let value = ir.load(ty, address);
            self.claim_element(value, read.access);
            value
        } else {
            let value = ir.clone_inst(read.access.inst, &[(0, address)]);
            self.disjoint.annotate(ir, value, Some(read.access.array), None);
            self.fit_to_copy(value, read.access.array);
            value
        };
        slot.store(ir, value);
        Ok(Some(Accumulator { slot, address, write: write.access }))
    }
}
