//! Values that cross statements live in the function's frame while new code is made: one slot per scalar array. [`Scalars::promote`]
//! turns them back into SSA values.

use super::emit::bug;
use crate::bridge::ir::{Ir, Ty, Val};
use crate::error::Failure;
use crate::ids::ArrayId;
use crate::model::{Array, ArrayKind};
use std::collections::BTreeSet;

/// Slots by `ArrayId`; `None` for arrays in memory.
pub struct Scalars {
    slots: Vec<Option<Slot>>,
    /// Every slot made so far.
    all: Vec<Val>,
}

/// Slots as they were before [`Scalars::for_each_thread`].
pub struct Around(Vec<Option<Slot>>);

#[derive(Clone, Copy)]
struct Slot {
    at: Val,
    ty: Ty,
}

impl Scalars {
    /// A slot for each scalar array, at the function's entry. The insertion point is lost.
    pub fn new(ir: &Ir, arrays: &[Array]) -> Self {
        let slot = |array: &Array| {
            let def = match array.kind {
                ArrayKind::Value { def } => def,
                ArrayKind::Phi { phi } => phi,
                ArrayKind::Memory { .. } => return None,
            };
            let ty = ir.type_of(ir.value(def));
            Some(Slot { at: ir.alloca(ty, "polyrs.scalar"), ty })
        };
        let slots: Vec<Option<Slot>> = arrays.iter().map(slot).collect();
        let all = slots.iter().flatten().map(|s| s.at).collect();
        Self { slots, all }
    }

    /// A slot for anything else. The insertion point is lost.
    pub fn extra(&mut self, ir: &Ir, ty: Ty) -> Val {
        let at = ir.alloca(ty, "polyrs.held");
        self.all.push(at);
        at
    }

    /// Gives `private` slots of their own, for code that several threads run. The insertion point is lost.
    pub fn for_each_thread(&mut self, ir: &Ir, private: &BTreeSet<ArrayId>) -> Around {
        let around = Around(self.slots.clone());
        for array in private {
            if let Some(slot) = &mut self.slots[array.index()] {
                slot.at = ir.alloca(slot.ty, "polyrs.private");
                self.all.push(slot.at);
            }
        }
        around
    }

    /// Says that nothing is in the slots of `private`, at the current position, where code of a thread begins: what an earlier run of the
    /// same code left there is nobody's.
    pub fn empty(&self, ir: &Ir, private: &BTreeSet<ArrayId>) {
        for slot in private.iter().filter_map(|array| self.slots[array.index()]) {
            ir.store(ir.poison(slot.ty), slot.at);
        }
    }

    /// Goes back to the slots around the code of a thread.
    pub fn restore(&mut self, around: Around) {
        self.slots = around.0;
    }

    /// What is in an array's slot.
    pub fn load(&self, ir: &Ir, array: ArrayId) -> Option<Val> {
        self.slots[array.index()].map(|s| ir.load(s.ty, s.at))
    }

    /// Fills an array's slot.
    ///
    /// # Errors
    /// `Bug` for an array in memory.
    pub fn store(&self, ir: &Ir, array: ArrayId, value: Val) -> Result<(), Failure> {
        let slot = self.slots[array.index()].ok_or_else(|| bug(format!("{array} is not a scalar")))?;
        ir.store(value, slot.at);
        Ok(())
    }

    /// All slots.
    #[must_use]
    pub fn slots(&self) -> &[Val] {
        &self.all
    }
}
