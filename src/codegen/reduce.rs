//! Parallel loops that update one element, or any elements of an array: each block of iterations collects its updates
//! in a copy, the copies are put together after the loop.
//!
//! The iterations are cut into at most [`BLOCKS`] blocks of one length, which depends on their number alone. A copy
//! starts with the value that the operation leaves everything unchanged with; after the loop the copies of all blocks
//! that made an update are applied to the element, first block first. The result is thus the same for every number of
//! threads, one included, and however blocks are dealt out.
//! Source: Doerfert, Streit, Hack, Benaissa, IMPACT 2015, section 5 (privatization locations); the fixed blocks are our
//! own.

use std::collections::BTreeSet;

use super::atoms::Poly;
use super::copies::Reserved;
use super::emit::bug;
use super::generator::Generator;
use super::nest::Bounds;
use super::openmp::{Pieces, Task};
use super::partial::{self, PartialCopies};
use super::places::{Collecting, Slot};
use crate::ast::types::{Ast, For};
use crate::bridge::ir::{Bin, Cast, MinMax, Pos, Val};
use crate::cost::work::COPY_CYCLES;
use crate::error::Failure;
use crate::facts::Pred;
use crate::ids::{ArrayId, StmtId, ValueId};
use crate::model::{ArrayKind, Operation, Reduction, Stmt};

/// Most blocks: as many threads can share the work.
const BLOCKS: u8 = 64;
/// Blocks from which on copies of whole arrays, or blocks instead of a loop inside that threads could share, pay.
const MIN_BLOCKS: i64 = 16;

/// An array that is updated apart.
struct Collected<'f> {
    array: ArrayId,
    op: Operation,
    /// Bytes that addresses of its elements are multiples of.
    alignment: u32,
    /// What the operation leaves everything unchanged with.
    identity: Val<'f>,
    inside: Collecting<'f>,
    copy: Where<'f>,
    /// Row with a byte per block: whether it made an update.
    touched: Val<'f>,
}

/// Where blocks leave what they collected.
enum Where<'f> {
    /// One element.
    One {
        /// Its address, of an element in memory.
        address: Option<Val<'f>>,
        /// Row with an entry per block.
        partial: Val<'f>,
        /// Instructions that have the flags of the operation.
        like: Vec<ValueId>,
    },
    /// Any elements.
    Whole {
        copy: partial::Copy<'f>,
        /// The array's base pointer.
        base: Val<'f>,
    },
}

/// What a loop updates apart, and what else its blocks have copies of.
pub struct Updated<'f> {
    /// Arrays of which it updates one element.
    pub elements: Vec<ArrayId>,
    /// Arrays of which it updates any.
    pub arrays: Vec<ArrayId>,
    /// Room for private copies.
    pub places: Vec<Reserved<'f>>,
}

/// When to run a loop in blocks, and when these in threads, as i1s.
#[derive(Clone, Copy)]
pub struct When<'f> {
    /// In blocks, if there are enough of them.
    pub blocks: Val<'f>,
    /// In threads, if in blocks.
    pub threads: Val<'f>,
    /// Estimated cycles of the loop; `None`: enough for whatever copies cost.
    pub work: Option<Val<'f>>,
}

/// How iterations are cut into blocks, 64-bit values.
struct Cut<'f> {
    /// First value of the loop, and the first behind its last.
    first: Val<'f>,
    last: Val<'f>,
    /// Distance of two blocks' first values.
    span: Val<'f>,
    /// Number of the first block, 0, and number of blocks.
    zero: Val<'f>,
    count: Val<'f>,
}

impl<'f> Generator<'f> {
    /// Emits a parallel loop that updates arrays apart: in blocks where that pays, else as it is.
    ///
    /// # Errors
    /// As [`Self::ast`].
    pub fn reduced(
        &mut self,
        f: &For,
        updated: &Updated<'f>,
        (lower, end): (&Poly, &Poly),
        uneven: Option<Pieces>,
        when: When<'f>,
    ) -> Result<(), Failure> {
        let copies = self.partial_copies(&updated.arrays, &f.body.stmts().collect())?;
        let cut = self.cut(f, (lower, end), &copies, when.work);
        let ir = self.em.ir;
        // What is collected in one element costs next to nothing; a loop inside that threads can share is as good
        // otherwise.
        let needs_many = !updated.arrays.is_empty() || f.body.contains_parallel();
        let few = ir.int(ir.int_ty(64), if when.work.is_none() { 1 } else { MIN_BLOCKS });
        let pays = if needs_many {
            let many = ir.icmp(Pred::Sge, cut.count, few);
            ir.bin(Bin::And, ir.bin(Bin::And, when.blocks, copies.fits), many)
        } else {
            when.blocks
        };
        if updated.arrays.is_empty() && ir.as_const(pays).is_some_and(|pays| pays != 0) {
            return self.in_blocks(f, (updated, &copies), (lower, end), uneven, (when.threads, &cut, None));
        }
        let (mut blocks, whole) = (ir.new_block("polyrs.pays"), ir.new_block("polyrs.whole"));
        let join = ir.new_block("polyrs.joined");
        ir.cond_br(pays, blocks, whole);
        ir.seek(Pos::End(blocks));
        let memory = (!updated.arrays.is_empty()).then(|| copies.allocate(ir, cut.count));
        if let Some(memory) = memory {
            blocks = ir.new_block("polyrs.blocks");
            ir.cond_br(ir.is_null(memory), whole, blocks);
            ir.seek(Pos::End(blocks));
        }
        self.in_blocks(f, (updated, &copies), (lower, end), uneven, (when.threads, &cut, memory))?;
        if let Some(memory) = memory {
            ir.call_symbol("free", None, &[memory], None);
        }
        ir.br(join);
        ir.seek(Pos::End(whole));
        self.whole_or_part(f, lower, end, None)?;
        ir.br(join);
        ir.seek(Pos::End(join));
        Ok(())
    }

    fn in_blocks(
        &mut self,
        f: &For,
        (updated, copies): (&Updated<'f>, &PartialCopies<'f>),
        (lower, end): (&Poly, &Poly),
        uneven: Option<Pieces>,
        (worth, cut, memory): (Val<'f>, &Cut<'f>, Option<Val<'f>>),
    ) -> Result<(), Failure> {
        self.em.bind(f.iter, lower.clone());
        let elements = updated.elements.iter().map(|a| self.collected(f, *a, None));
        let mut collected = elements.collect::<Result<Vec<_>, _>>()?;
        for (array, copy) in updated.arrays.iter().zip(&copies.all) {
            collected.push(self.collected(f, *array, Some(*copy))?);
        }
        let ir = self.em.ir;
        let memory = memory.map(|memory| (memory, copies.bytes));
        let before = ir.current();
        let private = self.scop.scalars_written_by(f.body.stmts());
        let around_scalars = self.places.for_each_thread(ir, &private);
        ir.seek(Pos::End(before));
        let join = ir.new_block("polyrs.join");
        let made = ir.made().len();
        let entry = ir.new_block("polyrs.task");
        ir.br(entry);
        let written = self.in_task(entry, "polyrs.share", |task, share| {
            if !updated.places.is_empty() {
                task.make_copies(&updated.places, entry, cut.last);
            }
            task.make_arrays_of_thread(entry)?;
            ir.seek(Pos::End(share));
            task.places.empty(ir, &private);
            let (preheader, block, after) =
                (ir.new_block("polyrs.preheader"), ir.new_block("polyrs.block"), ir.new_block("polyrs.after"));
            ir.cond_br(ir.icmp(Pred::Slt, cut.zero, cut.count), preheader, after);
            ir.seek(Pos::End(preheader));
            ir.br(block);
            ir.seek(Pos::End(block));
            let number = ir.phi(ir.int_ty(64), "polyrs.number");
            ir.add_incoming(number, cut.zero, preheader);
            task.block(f, (lower, end), (&collected, memory), (cut, number))?;
            let next = ir.bin(Bin::AddNsw, number, ir.int(ir.int_ty(64), 1));
            ir.add_incoming(number, next, ir.current());
            ir.cond_br(ir.icmp(Pred::Slt, next, cut.count), block, after);
            ir.seek(Pos::End(after));
            Ok(())
        });
        self.places.restore(around_scalars);
        written?;
        ir.br(join);
        let blocks = ir.made().split_off(made);
        self.threads.add(Task { first: cut.zero, end: cut.count, step: 1, worth, uneven, blocks });
        ir.seek(Pos::End(join));
        self.put_together(&collected, memory, cut)
    }

    /// Blocks of `f`, which runs at least once: as long as makes at most [`BLOCKS`] of them, and no more than copies of
    /// whole arrays pay for.
    fn cut(
        &mut self,
        f: &For,
        (lower, end): (&Poly, &Poly),
        copies: &PartialCopies<'f>,
        work: Option<Val<'f>>,
    ) -> Cut<'f> {
        let (first, last) = (self.em.value(lower), self.em.value(end));
        let ir = self.em.ir;
        let word = |v: i64| ir.int(ir.int_ty(64), v);
        let rounded_up =
            |a: Val<'f>, b: Val<'f>| ir.bin(Bin::UDiv, ir.bin(Bin::Add, a, ir.bin(Bin::Sub, b, word(1))), b);
        let trips = rounded_up(ir.bin(Bin::Sub, last, first), word(f.step));
        let mut most = word(BLOCKS.into());
        if !copies.all.is_empty() {
            most = ir.min_max(MinMax::SMin, most, copies.most_blocks(ir));
            if let Some(work) = work {
                let cost = ir.real_mul(ir.real_of_int(copies.elements), ir.real(COPY_CYCLES));
                most = ir.min_max(MinMax::SMin, most, ir.real_to_int(ir.real_div(work, cost), f64::from(BLOCKS)));
            }
            most = ir.min_max(MinMax::SMax, most, word(1));
        }
        let each = rounded_up(trips, most);
        let count = ir.freeze(rounded_up(trips, each));
        Cut { first, last, span: ir.bin(Bin::Mul, each, word(f.step)), zero: ir.freeze(word(0)), count }
    }

    /// The iterations of one block.
    fn block(
        &mut self,
        f: &For,
        (lower, end): (&Poly, &Poly),
        (collected, memory): (&[Collected<'f>], Option<(Val<'f>, Val<'f>)>),
        (cut, number): (&Cut<'f>, Val<'f>),
    ) -> Result<(), Failure> {
        self.em.enter_block(number);
        let ir = self.em.ir;
        for c in collected {
            match (&c.copy, memory) {
                (Where::Whole { copy, .. }, Some(memory)) => {
                    let at = self.em.in_body(|ir| copy.at(ir, memory, number));
                    let base = self.em.in_body(|ir| copy.base(ir, at));
                    self.go_to_copy(c.array, base);
                    copy.fill(ir, at, c.identity);
                }
                _ => {
                    self.slot_of(c)?.store(ir, c.identity);
                }
            }
            c.inside.touched.store(ir, ir.int(ir.int_ty(1), 0));
            self.places.collect(c.array, c.inside);
        }
        let first = ir.bin(Bin::Add, cut.first, ir.bin(Bin::Mul, number, cut.span));
        let behind = ir.min_max(MinMax::SMin, ir.bin(Bin::Add, first, cut.span), cut.last);
        self.threads.set_in_task(true);
        let emitted = self.whole_or_part(f, lower, end, Some(Bounds { first, end: behind, is_rest: false }));
        self.threads.set_in_task(false);
        self.places.stop_collecting();
        self.places.forget_copies();
        self.em.leave_loop();
        emitted?;
        let byte = ir.int_ty(8);
        for c in collected {
            if let Where::One { partial, .. } = c.copy {
                let value = self.slot_of(c)?.load(ir);
                ir.store(value, ir.element(ir.type_of(c.identity), partial, number));
            }
            let touched = ir.cast(Cast::ZExt, c.inside.touched.load(ir), byte);
            ir.store(touched, ir.element(byte, c.touched, number));
        }
        Ok(())
    }

    /// The slot in which a block collects updates of one element.
    fn slot_of(&self, c: &Collected<'f>) -> Result<Slot<'f>, Failure> {
        let slot = c.inside.slot.or_else(|| self.places.scalar(c.array));
        slot.ok_or_else(|| bug(format!("{} has no slot", c.array)))
    }

    /// Applies what the blocks collected to the elements, block by block.
    fn put_together(
        &mut self,
        collected: &[Collected<'f>],
        memory: Option<(Val<'f>, Val<'f>)>,
        cut: &Cut<'f>,
    ) -> Result<(), Failure> {
        let (ir, places) = (self.em.ir, &self.places);
        let byte = ir.int_ty(8);
        let one = |c: &Collected<'f>,
                   (address, partial, like): (Option<Val<'f>>, Val<'f>, &[ValueId]),
                   number: Val<'f>|
         -> Result<(), Failure> {
            let ty = ir.type_of(c.identity);
            let to = address.map(|at| Slot { at, ty }).or_else(|| places.scalar(c.array));
            let to = to.ok_or_else(|| bug(format!("{} has no slot", c.array)))?;
            let old = to.load(ir);
            let part = ir.load(ty, ir.element(ty, partial, number));
            let store = to.store(ir, ir.apply(c.op, old, part, like));
            if address.is_some() {
                [old, store].iter().for_each(|access| ir.limit_alignment(*access, c.alignment));
            }
            Ok(())
        };
        partial::repeat(ir, cut.count, "polyrs.combine", |number| {
            for c in collected {
                let (apply, next) = (ir.new_block("polyrs.apply"), ir.new_block("polyrs.applied"));
                let touched = ir.load(byte, ir.element(byte, c.touched, number));
                ir.cond_br(ir.icmp(Pred::Ne, touched, ir.int(byte, 0)), apply, next);
                ir.seek(Pos::End(apply));
                match (&c.copy, memory) {
                    (Where::One { address, partial, like }, _) => one(c, (*address, *partial, like), number)?,
                    (Where::Whole { copy, base }, Some(memory)) => {
                        copy.apply(ir, copy.at(ir, memory, number), (*base, c.alignment), (c.op, c.identity));
                    }
                    (Where::Whole { .. }, None) => return Err(bug(format!("{} has no copies", c.array))),
                }
                ir.br(next);
                ir.seek(Pos::End(next));
            }
            Ok(())
        })
    }

    /// An array that `f` updates: one element, whose address is computed at the current position, unless there is a
    /// `copy` of the whole.
    fn collected(
        &mut self,
        f: &For,
        array: ArrayId,
        copy: Option<partial::Copy<'f>>,
    ) -> Result<Collected<'f>, Failure> {
        let scop = self.scop;
        let inside: BTreeSet<StmtId> = f.body.stmts().collect();
        let updates = inside.into_iter().map(|id| scop.stmt(id));
        let updates: Vec<(&Stmt, &Reduction)> =
            updates.filter_map(|s| Some((s, s.reduction.as_ref().filter(|r| r.array == array)?))).collect();
        let (stmt, first) = *updates.first().ok_or_else(|| bug(format!("nothing updates {array}")))?;
        let address = match scop.array(array).kind {
            ArrayKind::Memory { .. } | ArrayKind::View { .. } | ArrayKind::Rows(_) if copy.is_none() => {
                self.address_in(&f.body, array)?
            }
            _ => None,
        };
        let ir = self.em.ir;
        let ty = ir.type_of(ir.value(stmt.accesses[first.read].inst));
        let has_infinities = updates.iter().any(|(_, r)| r.has_infinities);
        let rows = u64::from(BLOCKS);
        let here = ir.current();
        let slot = address.map(|_| Slot::new(ir, ty));
        let inside = Collecting { slot, touched: Slot::new(ir, ir.int_ty(1)) };
        let touched = ir.alloca_row(ir.int_ty(8), rows, "polyrs.touched");
        let copy = match (copy, scop.array(array).kind) {
            (Some(copy), ArrayKind::Memory { base }) => Where::Whole { copy, base: ir.value(base) },
            _ => Where::One {
                address,
                partial: ir.alloca_row(ty, rows, "polyrs.partial"),
                like: updates.iter().flat_map(|(_, r)| r.chain.iter().copied()).collect(),
            },
        };
        ir.seek(Pos::End(here));
        let identity = ir.identity(first.op, ty, has_infinities);
        let alignment = self.alignment_of(array);
        Ok(Collected { array, op: first.op, alignment, identity, inside, copy, touched })
    }

    /// The address of the one element of `array` that a body updates, whose loops are bound to their first iterations.
    pub(super) fn address_in(&mut self, body: &Ast, array: ArrayId) -> Result<Option<Val<'f>>, Failure> {
        match body {
            Ast::Block(all) => all.iter().find_map(|a| self.address_in(a, array).transpose()).transpose(),
            Ast::For(f) => {
                let lower = self.em.expr(&f.lower)?;
                self.em.bind(f.iter, lower);
                self.address_in(&f.body, array)
            }
            Ast::If(i) => match (self.address_in(&i.then, array)?, &i.otherwise) {
                (None, Some(otherwise)) => self.address_in(otherwise, array),
                (found, _) => Ok(found),
            },
            Ast::Stmt { id, args } => {
                let scop = self.scop;
                let stmt = scop.stmt(*id);
                let of = stmt.reduction.as_ref().filter(|r| r.array == array).map(|r| &stmt.accesses[r.write]);
                match of {
                    Some(write) if write.carries.is_some() => self.element_address(write, args).map(Some),
                    Some(write) => self.address_of(write.inst, *id, args).map(Some),
                    None => Ok(None),
                }
            }
        }
    }
}
