//! Arrays of which each thread has a copy while it runs iterations of a loop.
//!
//! A copy lies in the frame of the function that runs a piece of the loop. Each iteration works on the copy, but for
//! the last one of the whole loop, which works on the array itself: nothing is ever copied. That both is right is
//! proved before ([`crate::proof`], [`crate::ast::last`]).

use super::atoms::{AtomId, Poly};
use super::emit::bug;
use super::generator::{Generator, Replaced};
use super::places::Waiting;
use super::scev::{self, Trust};
use crate::ast::end_of;
use crate::ast::types::{Expr, For};
use crate::bridge::ir::{Bin, Blk, MinMax, Pos, Val};
use crate::error::Failure;
use crate::facts::Pred;
use crate::ids::{ArrayId, ValueId};
use crate::model::{ArrayKind, ParamPoly};
use crate::storage::bounds::Range;
use crate::storage::buffer::{ALIGNMENT, MAX_COPY_BYTES, PrivateBuffer};

/// The buffer of one copy while code is made.
pub struct Reserved<'f> {
    array: ArrayId,
    /// Bytes from the array's base pointer to the copy's beginning, and of the copy: 64 bits.
    first: Val<'f>,
    bytes: Val<'f>,
}

impl<'f> Generator<'f> {
    /// The buffers of copies of these arrays, computed at the current position, and whether there is room for them, as
    /// an i1 (`None`: there is).
    ///
    /// # Errors
    /// `Bug` for an array that there cannot be a copy of.
    pub fn reserve(&mut self, arrays: &[ArrayId]) -> Result<(Vec<Reserved<'f>>, Option<Val<'f>>), Failure> {
        let word = self.em.ir.int_ty(64);
        let (mut places, mut is_fixed) = (Vec::with_capacity(arrays.len()), true);
        for array in arrays {
            let buffer = self.buffers.privatized(*array);
            let (first, bytes) = match buffer.ok_or_else(|| bug(format!("there is no buffer for {array}")))? {
                PrivateBuffer::Fixed { first, end } => {
                    (self.em.ir.int(word, *first), self.em.ir.int(word, end - first))
                }
                PrivateBuffer::Bounded { subscripts, stride, bytes } => {
                    is_fixed = false;
                    self.bounded(subscripts, *stride, *bytes)?
                }
            };
            places.push(Reserved { array: *array, first, bytes });
        }
        let ir = self.em.ir;
        let total = places.iter().fold(ir.int(word, 0), |sum, p| ir.bin(Bin::Add, sum, p.bytes));
        let most = i64::try_from(MAX_COPY_BYTES).unwrap_or(i64::MAX);
        let fits = (!is_fixed).then(|| ir.icmp(Pred::Sle, total, ir.int(word, most)));
        Ok((places, fits))
    }

    /// First byte, a multiple of [`ALIGNMENT`], and number of bytes, at least 0, of elements with these subscripts.
    fn bounded(&mut self, subscripts: &Range, stride: i64, bytes: i64) -> Result<(Val<'f>, Val<'f>), Failure> {
        let offset = |e| Expr::Mul(stride, Box::new(e));
        let (first, last) = (offset(end_of(&subscripts.first)), offset(end_of(&subscripts.last)));
        let (first, last) = (self.em.expr(&first)?, self.em.expr(&last)?);
        let (first, last) = (self.em.value(&first), self.em.value(&last));
        let ir = self.em.ir;
        let word = |v| ir.int(ir.int_ty(64), v);
        let first = ir.bin(Bin::And, first, word(-ALIGNMENT));
        let end = ir.bin(Bin::Add, last, word(bytes));
        Ok((first, ir.min_max(MinMax::SMax, ir.bin(Bin::Sub, end, first), word(0))))
    }

    /// Makes the copies of the next loop at the end of `entry`, where its task begins; `end` is the first value behind
    /// its last iteration, also where the task runs only a part of it. The insertion point is lost.
    pub fn make_copies(&mut self, places: &[Reserved<'f>], entry: Blk<'f>, end: Val<'f>) {
        let ir = self.em.ir;
        ir.seek(Pos::End(entry));
        let made = places.iter().map(|place| {
            let copy = ir.alloca_bytes(place.bytes, ALIGNMENT.cast_unsigned(), "polyrs.copy");
            let back = ir.bin(Bin::Sub, ir.int(ir.int_ty(64), 0), place.first);
            (place.array, if ir.as_const(place.first) == Some(0) { copy } else { ir.gep(copy, 1, back) })
        });
        let copies = made.collect();
        self.places.let_wait(Waiting { copies, end });
    }

    /// Chooses between arrays and their copies in the body of the loop just entered, whose iterator is `iv`, if it is
    /// one that has copies.
    pub fn choose_copies(&mut self, f: &For, iv: Val<'f>) {
        let Some(Waiting { copies, end }) = self.places.take_waiting() else { return };
        let step = self.em.ir.int(self.em.ir.int_ty(64), f.step);
        let next = self.em.in_body(|ir| ir.bin(Bin::AddNsw, iv, step));
        let is_last = self.em.in_body(|ir| ir.icmp(Pred::Sge, next, end));
        for (array, copy) in copies {
            let ArrayKind::Memory { base } = self.scop.array(array).kind else { continue };
            let original = self.em.ir.value(base);
            let base = self.em.in_body(|ir| ir.select(is_last, original, copy));
            self.go_to_copy(array, base);
        }
    }

    /// Lets accesses to an array go to a copy that begins where it does if its base pointer is `base`, a value of the
    /// innermost body around.
    pub fn go_to_copy(&mut self, array: ArrayId, base: Val<'f>) {
        let atom = self.em.base_in_body(base);
        self.places.redirect(array, atom);
    }

    /// The address that an access goes to in a copy of its array with this base pointer.
    pub fn address_in_copy(&mut self, access: ValueId, base: AtomId, place: &scev::Place) -> Replaced<'f> {
        let offset = self.origin.facts.value(access).offset;
        let offset = offset.ok_or_else(|| bug(format!("{access} has no offset")))?;
        let offset = self.origin.bits(&mut self.em, offset, place, Trust::Model)?;
        self.em.pointer(&Poly::atom(base).add(&offset))
    }

    /// Lets an access to an array with a copy claim no more of its address than is true of both.
    pub fn fit_to_copy(&self, access: Val<'f>, array: ArrayId) {
        if !self.places.is_copied(array) {
            return;
        }
        let of = self.scop.array(array);
        let strides = of.strides.iter().filter_map(ParamPoly::as_constant);
        let bits = strides.fold(i64::from(of.elem_bytes) | ALIGNMENT, |all, stride| all | stride);
        self.em.ir.limit_alignment(access, 1_u32 << bits.trailing_zeros());
    }
}
