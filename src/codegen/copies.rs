//! Arrays of which each thread has a copy while it runs iterations of a loop.
//!
//! A copy lies in the frame of the function that runs a piece of the loop. Each iteration works on the copy, but for the last one of the
//! whole loop, which works on the array itself: nothing is ever copied. That both is right is proved before ([`crate::deps::copies`],
//! [`crate::ast::last`]).

use super::emit::bug;
use super::nest::{Generator, Replaced};
use super::poly::{AtomId, Poly};
use super::scev::{Place, Trust};
use crate::ast::types::For;
use crate::bridge::analysis::{FunctionFacts, Pred};
use crate::bridge::ir::{Bin, Blk, Pos, Val};
use crate::deps::copies::bounding_box;
use crate::error::Failure;
use crate::ids::{ArrayId, ValueId};
use crate::model::{ArrayKind, Scop};
use presburger::Budget;
use std::collections::BTreeMap;

/// Copies begin at multiples of this many bytes.
const ALIGNMENT: i64 = 64;
/// Steps that the bounds of one array may cost.
const BOUNDS_STEPS: u64 = 100_000;

/// What a copy must have room for, in bytes from the array's base pointer; a multiple of [`ALIGNMENT`] first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Footprint {
    /// First byte.
    pub first: i64,
    /// First byte behind the last.
    pub end: i64,
}

/// Where a loop's accesses to arrays with copies go.
#[derive(Default)]
pub struct Copies {
    /// The next loop's arrays with their copies as base pointers, and the first value behind the loop's last iteration.
    waiting: Option<(Vec<(ArrayId, Val)>, Val)>,
    /// Base pointers inside the loop.
    bases: BTreeMap<ArrayId, AtomId>,
}

impl Copies {
    /// Whether the next loop has a copy of the array.
    #[must_use]
    pub fn waits(&self, array: ArrayId) -> bool {
        self.waiting.as_ref().is_some_and(|(all, _)| all.iter().any(|(a, _)| *a == array))
    }
}

/// The room for a copy of an array in memory; `None` where it is not known before the region runs.
#[must_use]
pub fn footprint(scop: &Scop, facts: &FunctionFacts, array: ArrayId) -> Option<Footprint> {
    let of = scop.array(array);
    let subscripts = bounding_box(scop, array, &Budget::steps(BOUNDS_STEPS)).ok()??;
    if !matches!(of.kind, ArrayKind::Memory { .. }) || subscripts.len() != of.strides.len() {
        return None;
    }
    let (mut first, mut last) = (0_i64, 0_i64);
    for ((low, high), stride) in subscripts.into_iter().zip(&of.strides) {
        let stride = stride.as_constant()?;
        let (a, b) = (low.checked_mul(stride)?, high.checked_mul(stride)?);
        first = first.checked_add(a.min(b))?;
        last = last.checked_add(a.max(b))?;
    }
    let accesses = scop.stmts.iter().flat_map(|s| &s.accesses).filter(|a| a.array == array);
    let bytes = accesses.map(|a| facts.accessed_bytes(a.inst)).max()?.max(of.elem_bytes);
    let end = last.checked_add(i64::from(bytes))?;
    Some(Footprint { first: first.div_euclid(ALIGNMENT).checked_mul(ALIGNMENT)?, end })
}

impl Footprint {
    /// Number of bytes.
    #[must_use]
    pub fn bytes(self) -> u64 {
        self.end.abs_diff(self.first)
    }
}

impl Generator<'_> {
    /// Makes room for the copies of the loop `f` at the end of `entry`, where its task begins; `end` is the first value behind its last
    /// iteration, also where the task runs only a part of it. The insertion point is lost.
    ///
    /// # Errors
    /// `Bug` for an array that there cannot be a copy of.
    pub fn make_copies(&mut self, f: &For, entry: Blk, end: Val) -> Result<(), Failure> {
        let ir = self.em.ir;
        let mut made = Vec::with_capacity(f.private.len());
        for array in &f.private {
            let room = footprint(self.scop, self.origin.facts, *array);
            let room = room.ok_or_else(|| bug(format!("{array} has no footprint")))?;
            ir.seek(Pos::End(entry));
            let copy = ir.alloca_bytes(room.bytes(), ALIGNMENT.cast_unsigned(), "polyrs.copy");
            let back = ir.int(ir.int_ty(64), room.first.wrapping_neg());
            made.push((*array, if room.first == 0 { copy } else { ir.gep(copy, 1, back) }));
        }
        self.copies.waiting = Some((made, end));
        Ok(())
    }

    /// Chooses between arrays and their copies in the body of the loop just entered, whose iterator is `iv`, if it is one that has copies.
    pub fn choose_copies(&mut self, f: &For, iv: Val) {
        let Some((made, end)) = self.copies.waiting.take() else { return };
        let step = self.em.ir.int(self.em.ir.int_ty(64), f.step);
        let next = self.em.in_body(|ir| ir.bin(Bin::AddNsw, iv, step));
        let is_last = self.em.in_body(|ir| ir.icmp(Pred::Sge, next, end));
        for (array, copy) in made {
            let ArrayKind::Memory { base } = self.scop.array(array).kind else { continue };
            let original = self.em.ir.value(base);
            let base = self.em.in_body(|ir| ir.select(is_last, original, copy));
            let atom = self.em.base_in_body(base);
            self.copies.bases.insert(array, atom);
        }
    }

    /// The loop is left.
    pub fn forget_copies(&mut self) {
        self.copies.bases.clear();
    }

    /// The address that an access goes to, if that is in an array with a copy.
    pub fn address_in_copy(&mut self, access: ValueId, array: Option<ArrayId>, place: &Place) -> Option<Replaced> {
        let base = *self.copies.bases.get(&array?)?;
        let offset = self.origin.facts.value(access).offset;
        let offset = offset.ok_or_else(|| bug(format!("{access} has no offset")));
        let bits = offset.and_then(|s| self.origin.bits(&mut self.em, s, place, Trust::Model));
        Some(bits.and_then(|offset| self.em.pointer(&Poly::atom(base).add(&offset))))
    }

    /// Lets an access to an array with a copy claim no more of its address than is true of both.
    pub fn fit_to_copy(&self, access: Val, array: Option<ArrayId>) {
        let Some(array) = array.filter(|a| self.copies.bases.contains_key(a)) else { return };
        let of = self.scop.array(array);
        let strides = of.strides.iter().filter_map(crate::model::ParamPoly::as_constant);
        let bits = strides.fold(i64::from(of.elem_bytes) | ALIGNMENT, |all, stride| all | stride);
        self.em.ir.limit_alignment(access, 1_u32 << bits.trailing_zeros());
    }
}
