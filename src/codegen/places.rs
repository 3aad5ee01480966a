//! Where accesses go: one table from the access of a statement instance to its place.
//!
//! While a subtree runs, an array lives where the original code has it, in a copy, or in slots of the function's frame,
//! which [`crate::bridge::ir::Ir::promote`] turns back into SSA values: scalars always, elements held in registers and
//! elements that blocks of iterations collect while their loops run. A scalar that the model maps onto an element of an
//! array lives there. Whoever redirects an array says so here, and takes it back when its loop is left; whoever emits
//! an access asks [`Places::of`].

use super::atoms::AtomId;
use crate::bridge::ir::{Ir, Ty, Val};
use crate::ids::{ArrayId, ValueId};
use crate::model::{Access, AccessKind, Array, ArrayKind, Stmt};
use std::collections::{BTreeMap, BTreeSet};

/// Where an access of a statement instance finds what it touches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum At<'f> {
    /// In memory, where the original code has it.
    InPlace,
    /// In a slot of the frame.
    Slot(Slot<'f>),
    /// In a copy of the array, at the array's own distances from this base pointer.
    Copy(AtomId),
    /// In an element of an array, by the access's relation: what moves there is a scalar's value, a statement of ours
    /// does it, or the original code has no such array.
    Element,
}

/// Room for one value in the function's frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slot<'f> {
    /// Its address.
    pub at: Val<'f>,
    /// Type of the value.
    pub ty: Ty<'f>,
}

/// Where a block of iterations collects its updates of an array.
#[derive(Clone, Copy, Debug)]
pub struct Collecting<'f> {
    /// Copy of one element in memory; scalars have slots anyway, and of some arrays there is a copy as a whole.
    pub slot: Option<Slot<'f>>,
    /// Slot of an i1: whether the block has made an update.
    pub touched: Slot<'f>,
}

/// Copies that wait for their loop.
#[derive(Debug)]
pub struct Waiting<'f> {
    /// Arrays with the base pointers of their copies.
    pub copies: Vec<(ArrayId, Val<'f>)>,
    /// First value behind the last iteration of the whole loop, which works on the arrays themselves.
    pub end: Val<'f>,
}

/// What tells the accesses of an instance apart: value, array, whether it reads.
type Key = (ValueId, ArrayId, bool);

fn key(access: &Access) -> Key {
    (access.inst, access.array, access.kind == AccessKind::Read)
}

/// The table.
#[derive(Debug, Default)]
pub struct Places<'f> {
    /// Scalars' slots by `ArrayId`; `None` for arrays in memory.
    scalars: Vec<Option<Slot<'f>>>,
    /// Accesses to elements held in registers, by number of their instance: a value may be written to several arrays.
    held: BTreeMap<(u32, Key), Slot<'f>>,
    /// Arrays whose updates blocks of iterations collect.
    collected: BTreeMap<ArrayId, Collecting<'f>>,
    /// Arrays with copies, with these as base pointers.
    copies: BTreeMap<ArrayId, AtomId>,
    waiting: Option<Waiting<'f>>,
    /// Base pointers of arrays that the original code does not have.
    made: BTreeMap<ArrayId, AtomId>,
}

/// What threads share, as it was before [`Places::for_each_thread`].
pub struct Shared<'f> {
    scalars: Vec<Option<Slot<'f>>>,
    made: BTreeMap<ArrayId, AtomId>,
}

impl<'f> Places<'f> {
    /// A slot for each scalar array, at the function's entry; everything else is in place. The insertion point is lost.
    pub fn new(ir: &Ir<'f>, arrays: &[Array]) -> Self {
        let slot = |array: &Array| {
            let def = match array.kind {
                ArrayKind::Value { def } => def,
                ArrayKind::Phi { phi } => phi,
                _ => return None,
            };
            let ty = ir.type_of(ir.value(def));
            Some(Slot { at: ir.slot(ty, "polyrs.scalar"), ty })
        };
        let scalars: Vec<Option<Slot<'f>>> = arrays.iter().map(slot).collect();
        Self { scalars, ..Self::default() }
    }

    /// Where an access of this instance goes.
    #[must_use]
    pub fn of(&self, instance: u32, access: &Access) -> At<'f> {
        let held = self.held.get(&(instance, key(access))).copied();
        let slot = held.or_else(|| self.scalars[access.array.index()]);
        let slot = slot.or_else(|| self.collected.get(&access.array)?.slot);
        match (slot, self.copies.get(&access.array)) {
            (None, _) if access.carries.is_some() => At::Element,
            (Some(slot), _) => At::Slot(slot),
            (None, Some(base)) => At::Copy(*base),
            (None, None) if self.made.contains_key(&access.array) => At::Element,
            (None, None) => At::InPlace,
        }
    }

    /// Whether the accesses to an array in memory go, or will go in the next loop, to a place of its own each: no
    /// element of it can be held in a register besides.
    #[must_use]
    pub fn is_taken(&self, array: ArrayId) -> bool {
        let waits = self.waiting.as_ref().is_some_and(|w| w.copies.iter().any(|(a, _)| *a == array));
        waits || self.collected.get(&array).is_some_and(|c| c.slot.is_some())
    }

    /// A scalar's slot; `None` for arrays in memory.
    #[must_use]
    pub fn scalar(&self, array: ArrayId) -> Option<Slot<'f>> {
        self.scalars[array.index()]
    }

    /// Gives a scalar this slot, which another table has.
    pub fn share(&mut self, array: ArrayId, slot: Slot<'f>) {
        self.scalars[array.index()] = Some(slot);
    }

    /// Gives `private` scalars slots of their own, for code that several threads run. The insertion point is lost.
    pub fn for_each_thread(&mut self, ir: &Ir<'f>, private: &BTreeSet<ArrayId>) -> Shared<'f> {
        let around = Shared { scalars: self.scalars.clone(), made: self.made.clone() };
        for array in private {
            if let Some(slot) = &mut self.scalars[array.index()] {
                slot.at = ir.slot(slot.ty, "polyrs.private");
            }
        }
        around
    }

    /// Lets scalars live at these addresses, until [`Self::restore`].
    pub fn move_scalars(&mut self, to: impl IntoIterator<Item = (ArrayId, Val<'f>)>) -> Shared<'f> {
        let around = Shared { scalars: self.scalars.clone(), made: self.made.clone() };
        for (array, at) in to {
            if let Some(slot) = &mut self.scalars[array.index()] {
                slot.at = at;
            }
        }
        around
    }

    /// Says that nothing is in the slots of scalars, at the current position, where code begins that may run again, or
    /// that of a thread: what an earlier run of the same code left there is nobody's.
    pub fn empty(&self, ir: &Ir<'f>, scalars: &BTreeSet<ArrayId>) {
        for slot in scalars.iter().filter_map(|array| self.scalars[array.index()]) {
            slot.store(ir, ir.poison(slot.ty));
        }
    }

    /// Goes back to what is around the code of a thread.
    pub fn restore(&mut self, around: Shared<'f>) {
        (self.scalars, self.made) = (around.scalars, around.made);
    }

    /// Holds the element that an access of an instance touches in a slot, until [`Self::release`].
    pub fn hold(&mut self, instance: u32, access: &Access, slot: Slot<'f>) {
        self.held.insert((instance, key(access)), slot);
    }

    /// No element is held in a register any more.
    pub fn release(&mut self) {
        self.held.clear();
    }

    /// Collects the updates of an array, until [`Self::stop_collecting`].
    pub fn collect(&mut self, array: ArrayId, collecting: Collecting<'f>) {
        self.collected.insert(array, collecting);
    }

    /// Updates go to the arrays themselves again.
    pub fn stop_collecting(&mut self) {
        self.collected.clear();
    }

    /// Notes that the current block has made an update, if `stmt` is one that is collected.
    pub fn note_update(&self, ir: &Ir<'f>, stmt: &Stmt) {
        let collecting = stmt.reduction.as_ref().and_then(|r| self.collected.get(&r.array));
        if let Some(collecting) = collecting {
            collecting.touched.store(ir, ir.int(collecting.touched.ty, -1));
        }
    }

    /// Lets the next loop choose between arrays and their copies.
    pub fn let_wait(&mut self, waiting: Waiting<'f>) {
        self.waiting = Some(waiting);
    }

    /// The copies that wait for the loop just entered.
    pub fn take_waiting(&mut self) -> Option<Waiting<'f>> {
        self.waiting.take()
    }

    /// Lets accesses to an array go to a copy that begins where it does if its base pointer is `base`, until
    /// [`Self::forget_copies`].
    pub fn redirect(&mut self, array: ArrayId, base: AtomId) {
        self.copies.insert(array, base);
    }

    /// Accesses go to the arrays themselves again.
    pub fn forget_copies(&mut self) {
        self.copies.clear();
    }

    /// Says where an array begins that the original code does not have.
    pub fn found(&mut self, made: ArrayId, base: AtomId) {
        self.made.insert(made, base);
    }

    /// The base pointer of an array that is copied or made; `None`: where the original code has it.
    #[must_use]
    pub fn base(&self, array: ArrayId) -> Option<AtomId> {
        self.copies.get(&array).or_else(|| self.made.get(&array)).copied()
    }

    /// Whether accesses to an array go to a copy of it.
    #[must_use]
    pub fn is_copied(&self, array: ArrayId) -> bool {
        self.copies.contains_key(&array)
    }
}

impl<'f> Slot<'f> {
    /// A slot for anything but a scalar. The insertion point is lost.
    pub fn new(ir: &Ir<'f>, ty: Ty<'f>) -> Self {
        Self { at: ir.slot(ty, "polyrs.held"), ty }
    }

    /// What is in it.
    pub fn load(self, ir: &Ir<'f>) -> Val<'f> {
        ir.load(self.ty, self.at)
    }

    /// Fills it; returns the store.
    pub fn store(self, ir: &Ir<'f>, value: Val<'f>) -> Val<'f> {
        ir.store(value, self.at)
    }
}
