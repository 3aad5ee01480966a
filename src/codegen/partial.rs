//! Arrays that blocks of iterations update in copies: the buffer of a copy, its first values, and how copies are
//! put together.
//!
//! All copies of a loop lie in one piece of memory, block after block. A copy holds the elements that the region surely
//! writes, all of them and no others, so that putting the copies together touches no element that the original code
//! leaves alone.

use super::atoms::Poly;
use super::emit::bug;
use super::generator::Generator;
use super::made::combined;
use crate::ast::ends_of;
use crate::bridge::ir::{Bin, Ir, MinMax, Pos, Val};
use crate::error::Failure;
use crate::facts::Pred;
use crate::ids::{ArrayId, StmtId};
use crate::model::Operation;
use crate::storage::buffer::{ALIGNMENT, ReductionBuffer};
use std::collections::BTreeSet;

/// Bytes that all copies of a loop may have together.
const MAX_BYTES: i64 = 16 << 20;
/// Most elements of one copy: 64 bits hold every size.
const MAX_ELEMENTS: i64 = 1 << 40;

/// A copy while code is made; all values have 64 bits.
#[derive(Clone, Copy)]
pub struct Copy<'f> {
    /// From the base pointer to the first element, in bytes.
    first: Val<'f>,
    /// Number of elements.
    count: Val<'f>,
    /// From a block's memory to this copy, in bytes.
    offset: Val<'f>,
}

/// The copies that one block has.
pub struct PartialCopies<'f> {
    /// One per array, in their order.
    pub all: Vec<Copy<'f>>,
    /// Bytes of all of them, a multiple of [`ALIGNMENT`], at least that.
    pub bytes: Val<'f>,
    /// Number of elements.
    pub elements: Val<'f>,
    /// Whether these sizes are possible at all, as an i1.
    pub fits: Val<'f>,
}

impl<'f> Generator<'f> {
    /// The copies that blocks need of these arrays, which these statements update, computed at the current position.
    ///
    /// # Errors
    /// `Bug` for an array that there cannot be a copy of.
    pub fn partial_copies(
        &mut self,
        arrays: &[ArrayId],
        updates: &BTreeSet<StmtId>,
    ) -> Result<PartialCopies<'f>, Failure> {
        let word = self.em.ir.int_ty(64);
        let zero = self.em.ir.int(word, 0);
        let always = self.em.ir.int(self.em.ir.int_ty(1), -1);
        let mut copies =
            PartialCopies { all: Vec::with_capacity(arrays.len()), bytes: zero, elements: zero, fits: always };
        for array in arrays {
            let part = self.buffers.reduction(*array, updates);
            let ReductionBuffer { elements, bytes } = part.ok_or_else(|| bug(format!("{array} cannot be copied")))?;
            let (first, last) = ends_of(elements);
            let (first, last) = (self.em.expr(&first)?, self.em.expr(&last)?);
            let count = last.sub(&first).add(&Poly::constant(1));
            let (first, count) = (self.em.value(&first.scale(*bytes)), self.em.value(&count));
            let ir = self.em.ir;
            let number = |v| ir.int(word, v);
            let fits = ir.icmp(Pred::Ult, ir.bin(Bin::Sub, count, number(1)), number(MAX_ELEMENTS));
            let end = ir.bin(Bin::Add, ir.bin(Bin::Mul, count, number(*bytes)), number(ALIGNMENT - 1));
            copies.all.push(Copy { first, count, offset: copies.bytes });
            copies.bytes = ir.bin(Bin::Add, copies.bytes, ir.bin(Bin::And, end, number(-ALIGNMENT)));
            copies.elements = ir.bin(Bin::Add, copies.elements, count);
            copies.fits = ir.bin(Bin::And, copies.fits, fits);
        }
        let ir = self.em.ir;
        copies.bytes = ir.min_max(MinMax::UMax, copies.bytes, ir.int(word, ALIGNMENT));
        let is_small = ir.icmp(Pred::Ule, copies.bytes, ir.int(word, MAX_BYTES));
        copies.fits = ir.bin(Bin::And, copies.fits, is_small);
        Ok(copies)
    }
}

impl<'f> PartialCopies<'f> {
    /// How many blocks there is memory for.
    pub fn most_blocks(&self, ir: &Ir<'f>) -> Val<'f> {
        ir.bin(Bin::UDiv, ir.int(ir.int_ty(64), MAX_BYTES), self.bytes)
    }

    /// Memory for so many blocks, null if there is none.
    pub fn allocate(&self, ir: &Ir<'f>, blocks: Val<'f>) -> Val<'f> {
        let bytes = ir.bin(Bin::Mul, self.bytes, blocks);
        ir.call_symbol("aligned_alloc", Some(ir.ptr_ty()), &[ir.int(ir.int_ty(64), ALIGNMENT), bytes], None)
    }
}

impl<'f> Copy<'f> {
    /// Where the copy of block `number` begins; `memory`: with the bytes per block.
    pub fn at(&self, ir: &Ir<'f>, (memory, bytes): (Val<'f>, Val<'f>), number: Val<'f>) -> Val<'f> {
        ir.gep(memory, 1, ir.bin(Bin::Add, ir.bin(Bin::Mul, number, bytes), self.offset))
    }

    /// The base pointer that an access must have to end up in the copy that begins at `copy`.
    pub fn base(&self, ir: &Ir<'f>, copy: Val<'f>) -> Val<'f> {
        ir.gep(copy, 1, ir.bin(Bin::Sub, ir.int(ir.int_ty(64), 0), self.first))
    }

    /// Fills the copy that begins at `copy` with `value`, at the current position.
    pub fn fill(&self, ir: &Ir<'f>, copy: Val<'f>, value: Val<'f>) {
        repeat(ir, self.count, "polyrs.fill", |k| ir.store(value, ir.element(ir.type_of(value), copy, k)));
    }

    /// Applies the copy that begins at `copy` to the array, whose base pointer is `base` and whose elements' addresses
    /// are multiples of `alignment`, element by element, at the current position. `identity`: what the operation leaves
    /// everything unchanged with.
    pub fn apply(
        &self,
        ir: &Ir<'f>,
        copy: Val<'f>,
        (base, alignment): (Val<'f>, u32),
        (op, identity): (Operation, Val<'f>),
    ) {
        let ty = ir.type_of(identity);
        let array = ir.gep(base, 1, self.first);
        repeat(ir, self.count, "polyrs.gather", |k| {
            let (to, from) = (ir.element(ty, array, k), ir.element(ty, copy, k));
            let (old, part) = (ir.load(ty, to), ir.load(ty, from));
            // This element may be one that no block has updated.
            let store = ir.store(combined(ir, op, identity, (old, part)), to);
            [old, store].iter().for_each(|access| ir.limit_alignment(*access, alignment));
        });
    }
}

/// A loop at the current position that runs `body` with 0, 1, .. before `count`, at least once.
pub fn repeat<'f, T>(ir: &Ir<'f>, count: Val<'f>, name: &str, body: impl FnOnce(Val<'f>) -> T) -> T {
    let word = ir.int_ty(64);
    let before = ir.current();
    let (header, behind) = (ir.new_block(name), ir.new_block("polyrs.done"));
    ir.br(header);
    ir.seek(Pos::End(header));
    let number = ir.phi(word, "polyrs.number");
    ir.add_incoming(number, ir.int(word, 0), before);
    let made = body(number);
    let next = ir.bin(Bin::AddNsw, number, ir.int(word, 1));
    ir.add_incoming(number, next, ir.current());
    ir.cond_br(ir.icmp(Pred::Slt, next, count), header, behind);
    ir.seek(Pos::End(behind));
    made
}
