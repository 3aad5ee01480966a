//! Kernels whose threads collect updates of single elements: sums, products, minima over loops that a GPU runs.
//!
//! The iterations are dealt out to blocks whose number depends on how many there are, and on nothing else
//! ([`MOST_BLOCKS`]); a launch with fewer blocks has each run several of these. A thread collects its own updates in
//! registers, the threads of a block put theirs together pair by pair in shared memory, and leave one value per block
//! in a row of the device's memory. A second kernel, of one block, puts the row together in the same way and applies it
//! to the element, if there was an update at all. The order of all that is fixed, so that every grid has the same
//! result.
//! Source: Harris, Optimizing Parallel Reduction in CUDA, NVIDIA, 2007 (pairs in shared memory); the fixed blocks are
//! our own.

use std::collections::{BTreeMap, BTreeSet};

use super::device::numbers;
use super::emit::bug;
use super::generator::Generator;
use super::made::combined;
use super::places::{Collecting, Slot};
use crate::ast::buffers::updated_in;
use crate::ast::device::kernels;
use crate::ast::types::{Ast, Expr, For};
use crate::bridge::ir::{Bin, Cast, MinMax, Pos, Ty, Val};
use crate::error::Failure;
use crate::facts::Pred;
use crate::ids::ArrayId;
use crate::model::tree::Axis;
use crate::model::{Operation, Reduction, Stmt};
use crate::parallel::device::{COLLECTED_BYTES, LAST_THREADS};

/// Blocks along each dimension, at most, for one, two and three loops: enough to fill a device, few enough for the one
/// block that puts their values together. Not measured.
const MOST_BLOCKS: [[i64; 3]; 3] = [[ROW, 1, 1], [32, 16, 1], [8, 8, 8]];
/// Blocks in all: values in a row.
const ROW: i64 = 512;
/// Bytes of a value, and of whether there were updates, in shared memory: [`COLLECTED_BYTES`] in all.
const WORD: i64 = 8;
const FLAG: i64 = COLLECTED_BYTES as i64 - WORD;

/// Words of a region's row: a value and whether there were updates, for each block and element of one kernel.
#[must_use]
pub fn row_words(ast: &Ast) -> i64 {
    let most = kernels(ast).into_iter().filter_map(collecting).map(|f| f.collects.len()).max();
    2 * ROW * i64::try_from(most.unwrap_or(0)).unwrap_or(0)
}

/// The outermost loop of a kernel whose threads collect updates.
#[must_use]
pub fn collecting(kernel: &Ast) -> Option<&For> {
    match kernel {
        Ast::For(f) if !f.collects.is_empty() => Some(f),
        _ => None,
    }
}

/// An element whose updates threads collect.
struct Collected<'f> {
    array: ArrayId,
    op: Operation,
    ty: Ty<'f>,
    /// What the operation leaves everything unchanged with.
    identity: Val<'f>,
    /// Bytes that addresses of the array's elements are multiples of.
    alignment: u32,
    /// Where a thread collects.
    inside: Collecting<'f>,
}

/// What was collected: the value, and whether there were updates, an i32.
type Part<'f> = (Val<'f>, Val<'f>);

impl<'f> Generator<'f> {
    /// The kernels of a loop whose threads collect updates, and their launches. `launch`: blocks at most, and threads.
    ///
    /// # Errors
    /// As [`Self::ast`].
    pub(super) fn collecting_kernels(
        &mut self,
        (ast, f): (&Ast, &For),
        axes: &BTreeSet<Axis>,
        (blocks, threads): &([Expr; 3], [u32; 3]),
    ) -> Result<(), Failure> {
        let (counts, total) = self.fixed_blocks(axes, blocks)?;
        let sizes = self.size_row([total], *threads);
        let collected = self.collected_elements(f)?;
        let private = self.scop.scalars_written_by(ast.stmts());
        let all = threads.iter().map(|n| i64::from(*n)).product();
        self.as_kernel((sizes, *threads), bytes_of(&collected, all), &private, |task, share| {
            let ir = task.em.ir;
            let (own, step) = numbers(ir, Axis::Grid(0, None));
            let in_block = axes.iter().filter(|axis| matches!(axis, Axis::Block(..)));
            let mut known: BTreeMap<Axis, _> = in_block.map(|axis| (*axis, numbers(ir, *axis))).collect();
            ir.seek(Pos::End(share));
            task.places.empty(ir, &private);
            let [head, body, after] = ["blocks", "block", "after"].map(|name| ir.new_block(&format!("polyrs.{name}")));
            ir.br(head);
            ir.seek(Pos::End(head));
            let number = ir.phi(ir.int_ty(64), "polyrs.number");
            ir.add_incoming(number, own, share);
            ir.cond_br(ir.icmp(Pred::Slt, number, total), body, after);
            ir.seek(Pos::End(body));
            let mut rest = number;
            for (axis, count) in &counts {
                let behind = ir.bin(Bin::UDiv, rest, *count);
                known.insert(*axis, (ir.bin(Bin::Sub, rest, ir.bin(Bin::Mul, behind, *count)), *count));
                rest = behind;
            }
            task.device.enter_kernel(known);
            task.em.enter_block(number);
            task.one_block(ast, &collected, number)?;
            let next = ir.bin(Bin::Add, number, step);
            ir.add_incoming(number, next, ir.current());
            ir.br(head);
            ir.seek(Pos::End(after));
            Ok(())
        })?;
        if collected.is_empty() { Ok(()) } else { self.last_kernel(f, &collected, total) }
    }

    /// How many blocks there are along each dimension, and in all, whatever the launch has.
    #[allow(clippy::type_complexity)]
    fn fixed_blocks(
        &mut self,
        axes: &BTreeSet<Axis>,
        blocks: &[Expr; 3],
    ) -> Result<(Vec<(Axis, Val<'f>)>, Val<'f>), Failure> {
        let grid: Vec<Axis> = axes.iter().copied().filter(|a| matches!(a, Axis::Grid(..))).collect();
        let most = MOST_BLOCKS[grid.len().clamp(1, 3) - 1];
        let word = self.em.ir.int_ty(64);
        let (mut counts, mut total) = (Vec::with_capacity(grid.len()), self.em.ir.int(word, 1));
        for axis in grid {
            let trip = self.em.expr(&blocks[axis.index()])?;
            let trip = self.em.value(&trip);
            let ir = self.em.ir;
            let trip = ir.min_max(MinMax::SMax, trip, ir.int(word, 1));
            let count = ir.freeze(ir.min_max(MinMax::SMin, trip, ir.int(word, most[axis.index()])));
            counts.push((axis, count));
            total = ir.bin(Bin::Mul, total, count);
        }
        Ok((counts, self.em.ir.freeze(total)))
    }

    /// The elements that threads of a loop collect updates of.
    fn collected_elements(&mut self, f: &For) -> Result<Vec<Collected<'f>>, Failure> {
        let (ir, scop) = (self.em.ir, self.scop);
        let here = ir.current();
        let inside: BTreeSet<_> = f.body.stmts().collect();
        let mut all = Vec::new();
        for array in updated_in(scop, f, &f.collects) {
            let of_array = |r: &&Reduction| r.array == array;
            let updates: Vec<(&Stmt, &Reduction)> = inside
                .iter()
                .map(|id| scop.stmt(*id))
                .filter_map(|s| Some((s, s.reduction.as_ref().filter(of_array)?)))
                .collect();
            let (stmt, first) = *updates.first().ok_or_else(|| bug(format!("nothing updates {array}")))?;
            let ty = ir.type_of(ir.value(stmt.accesses[first.read].inst));
            let slot = scop.array(array).is_memory().then(|| Slot::new(ir, ty));
            let inside = Collecting { slot, touched: Slot::new(ir, ir.int_ty(1)) };
            let identity = ir.identity(first.op, ty, updates.iter().any(|(_, r)| r.has_infinities));
            all.push(Collected { array, op: first.op, ty, identity, alignment: self.alignment_of(array), inside });
        }
        ir.seek(Pos::End(here));
        Ok(all)
    }

    /// What one block does: its threads run their iterations, put together what they have collected, and the first one
    /// leaves it in the row.
    fn one_block(&mut self, ast: &Ast, collected: &[Collected<'f>], number: Val<'f>) -> Result<(), Failure> {
        let ir = self.em.ir;
        let (truth, flag, word) = (ir.int_ty(1), ir.int_ty(32), ir.int_ty(64));
        for c in collected {
            self.collecting_slot(c)?.store(ir, c.identity);
            c.inside.touched.store(ir, ir.int(truth, 0));
            self.places.collect(c.array, c.inside);
        }
        let written = self.ast(ast);
        self.places.stop_collecting();
        self.em.leave_loop();
        written?;
        let mut parts = Vec::with_capacity(collected.len());
        for c in collected {
            let touched = ir.cast(Cast::ZExt, c.inside.touched.load(ir), flag);
            parts.push((self.collecting_slot(c)?.load(ir), touched));
        }
        let thread = self.thread_of_block();
        let parts = self.put_together_in_block(collected, &parts, thread)?;
        let row = self.row()?;
        let (first, behind) = (ir.new_block("polyrs.first"), ir.new_block("polyrs.left"));
        ir.cond_br(ir.icmp(Pred::Eq, thread.0, ir.int(flag, 0)), first, behind);
        ir.seek(Pos::End(first));
        for ((k, _), (value, touched)) in (0..).zip(collected).zip(parts) {
            let place = |at: i64| ir.element(word, row, ir.bin(Bin::Add, number, ir.int(word, at)));
            ir.store(value, place(2 * k * ROW));
            ir.store(touched, place((2 * k + 1) * ROW));
        }
        ir.br(behind);
        ir.seek(Pos::End(behind));
        Ok(())
    }

    /// The slot in which a thread collects.
    fn collecting_slot(&self, c: &Collected<'f>) -> Result<Slot<'f>, Failure> {
        let slot = c.inside.slot.or_else(|| self.places.scalar(c.array));
        slot.ok_or_else(|| bug(format!("{} has no slot", c.array)))
    }

    /// The region's row.
    fn row(&self) -> Result<Val<'f>, Failure> {
        self.device.row.ok_or_else(|| bug("updates are collected without a row for them".into()))
    }

    /// Puts together what the threads of a block have, each by itself: the first thread's values are those of all. To
    /// be run by all threads of the block; what they leave in shared memory is read before they come here again.
    fn put_together_in_block(
        &self,
        collected: &[Collected<'f>],
        parts: &[Part<'f>],
        (own, threads): (Val<'f>, i64),
    ) -> Result<Vec<Part<'f>>, Failure> {
        let ir = self.em.ir;
        let (flag, word) = (ir.int_ty(32), ir.int_ty(64));
        let room = self.device.room.ok_or_else(|| bug("updates are collected without shared memory".into()))?;
        let thread = ir.cast(Cast::ZExt, own, word);
        let count = i64::try_from(collected.len()).unwrap_or(0);
        let at = |first: i64, bytes: i64, behind: i64| {
            let place = ir.bin(Bin::Mul, thread, ir.int(word, bytes));
            ir.gep(room, 1, ir.bin(Bin::Add, place, ir.int(word, first + behind * bytes)))
        };
        let value_at = |k: i64, behind: i64| at(k * threads * WORD, WORD, behind);
        let touched_at = |k: i64, behind: i64| at((count * WORD + k * FLAG) * threads, FLAG, behind);
        for (k, (value, touched)) in (0..).zip(parts) {
            ir.store(*value, value_at(k, 0));
            ir.store(*touched, touched_at(k, 0));
        }
        ir.barrier();
        let mut left = threads;
        while left > 1 {
            let half = (left + 1) / 2;
            let (pair, next) = (ir.new_block("polyrs.pair"), ir.new_block("polyrs.paired"));
            ir.cond_br(ir.icmp(Pred::Slt, own, ir.int(flag, left - half)), pair, next);
            ir.seek(Pos::End(pair));
            for (k, c) in (0..).zip(collected) {
                let (a, b) = (ir.load(c.ty, value_at(k, 0)), ir.load(c.ty, value_at(k, half)));
                ir.store(combined(ir, c.op, c.identity, (a, b)), value_at(k, 0));
                let (a, b) = (ir.load(flag, touched_at(k, 0)), ir.load(flag, touched_at(k, half)));
                ir.store(ir.apply(Operation::Or, a, b, &[]), touched_at(k, 0));
            }
            ir.br(next);
            ir.seek(Pos::End(next));
            ir.barrier();
            left = half;
        }
        let load = |(k, c): (i64, &Collected<'f>)| (ir.load(c.ty, value_at(k, 0)), ir.load(flag, touched_at(k, 0)));
        Ok((0..).zip(collected).map(load).collect())
    }

    /// The kernel of one block that puts together what `total` blocks have left, and applies it to the elements.
    fn last_kernel(&mut self, f: &For, collected: &[Collected<'f>], total: Val<'f>) -> Result<(), Failure> {
        let ir = self.em.ir;
        let lower = self.em.expr(&f.lower)?;
        self.em.bind(f.iter, lower);
        let threads = [LAST_THREADS, 1, 1];
        let sizes = self.size_row([ir.int(ir.int_ty(64), 1)], threads);
        let axis = Axis::Block(0, LAST_THREADS);
        let bytes = bytes_of(collected, LAST_THREADS.into());
        self.as_kernel((sizes, threads), bytes, &BTreeSet::new(), |task, share| {
            let ir = task.em.ir;
            let numbered = numbers(ir, axis);
            task.device.enter_kernel(BTreeMap::from([(axis, numbered)]));
            ir.seek(Pos::End(share));
            let mut places = Vec::with_capacity(collected.len());
            for c in collected {
                places.push(task.place_of_element(f, c)?);
            }
            let parts = task.of_row(collected, numbered, total)?;
            let thread = task.thread_of_block();
            let parts = task.put_together_in_block(collected, &parts, thread)?;
            let flag = ir.int_ty(32);
            let is_first = ir.icmp(Pred::Eq, thread.0, ir.int(flag, 0));
            for ((c, to), (part, touched)) in collected.iter().zip(places).zip(parts) {
                let (apply, next) = (ir.new_block("polyrs.apply"), ir.new_block("polyrs.applied"));
                let some = ir.icmp(Pred::Ne, touched, ir.int(flag, 0));
                ir.cond_br(ir.bin(Bin::And, is_first, some), apply, next);
                ir.seek(Pos::End(apply));
                let old = to.load(ir);
                let store = to.store(ir, combined(ir, c.op, c.identity, (old, part)));
                if c.inside.slot.is_some() {
                    [old, store].iter().for_each(|access| ir.limit_alignment(*access, c.alignment));
                }
                ir.br(next);
                ir.seek(Pos::End(next));
            }
            Ok(())
        })
    }

    /// Where the element is.
    fn place_of_element(&mut self, f: &For, c: &Collected<'f>) -> Result<Slot<'f>, Failure> {
        let in_memory = if c.inside.slot.is_some() { self.address_in(&f.body, c.array)? } else { None };
        let to = in_memory.map(|at| Slot { at, ty: c.ty }).or_else(|| self.places.scalar(c.array));
        to.ok_or_else(|| bug(format!("{} has no place", c.array)))
    }

    /// What this thread of so many finds in the row, every so many values.
    fn of_row(
        &self,
        collected: &[Collected<'f>],
        (own, step): (Val<'f>, Val<'f>),
        total: Val<'f>,
    ) -> Result<Vec<Part<'f>>, Failure> {
        let (ir, row) = (self.em.ir, self.row()?);
        let (flag, word) = (ir.int_ty(32), ir.int_ty(64));
        let [head, body, after] = ["row", "value", "collected"].map(|name| ir.new_block(&format!("polyrs.{name}")));
        let before = ir.current();
        ir.br(head);
        ir.seek(Pos::End(head));
        let number = ir.phi(word, "polyrs.number");
        ir.add_incoming(number, own, before);
        let phi = |c: &Collected<'f>| (ir.phi(c.ty, "polyrs.value"), ir.phi(flag, "polyrs.touched"));
        let parts: Vec<Part<'f>> = collected.iter().map(phi).collect();
        ir.cond_br(ir.icmp(Pred::Slt, number, total), body, after);
        ir.seek(Pos::End(body));
        for ((k, c), (value, touched)) in (0..).zip(collected).zip(&parts) {
            let place = |at: i64| ir.element(word, row, ir.bin(Bin::Add, number, ir.int(word, at)));
            let more = ir.load(c.ty, place(2 * k * ROW));
            let also = ir.load(flag, place((2 * k + 1) * ROW));
            ir.add_incoming(*value, c.identity, before);
            ir.add_incoming(*value, combined(ir, c.op, c.identity, (*value, more)), body);
            ir.add_incoming(*touched, ir.int(flag, 0), before);
            ir.add_incoming(*touched, ir.apply(Operation::Or, *touched, also, &[]), body);
        }
        ir.add_incoming(number, ir.bin(Bin::Add, number, step), body);
        ir.br(head);
        ir.seek(Pos::End(after));
        Ok(parts)
    }
}

/// Bytes of shared memory in which so many threads put together what they have.
fn bytes_of(collected: &[Collected<'_>], threads: i64) -> i64 {
    i64::try_from(collected.len()).unwrap_or(0) * threads * (WORD + FLAG)
}
