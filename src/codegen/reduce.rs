//! Parallel loops that update one element: each block of iterations collects its updates in a copy, the copies are put together after
//! the loop.
//!
//! The iterations are cut into at most [`BLOCKS`] blocks of one length, which depends on their number alone. A copy starts with the value
//! that the operation leaves everything unchanged with; after the loop the copies of all blocks that made an update are applied to the
//! element, first block first. The result is thus the same for every number of threads, one included, and however blocks are dealt out.
//! Source: Doerfert, Streit, Hack, Benaissa, IMPACT 2015, section 5 (privatization locations); the fixed blocks are our own.

use std::collections::BTreeSet;

use super::emit::bug;
use super::nest::{Bounds, Generator};
use super::openmp::Task;
use super::poly::Poly;
use crate::ast::types::{Ast, For};
use crate::bridge::analysis::Pred;
use crate::bridge::ir::{Bin, MinMax, Pos, Ty, Val};
use crate::error::Failure;
use crate::ids::{ArrayId, StmtId, ValueId};
use crate::model::{Operation, Reduction, Stmt};

/// Most blocks: as many threads can share the work.
const BLOCKS: i64 = 64;

/// Where the updates of an array go inside of a block.
#[derive(Clone, Copy)]
pub struct Apart {
    /// Copy of an element in memory; scalars have slots of their own anyway.
    pub slot: Option<Val>,
    /// An i1: whether the block has made an update.
    touched: Val,
}

/// An array that is updated apart.
struct Collected {
    array: ArrayId,
    op: Operation,
    ty: Ty,
    has_infinities: bool,
    /// Instructions that have the flags of the operation.
    like: Vec<ValueId>,
    /// Of the element in memory.
    address: Option<Val>,
    apart: Apart,
    /// Rows with an entry per block: what it collected, and whether it made an update (bytes).
    partial: Val,
    touched: Val,
}

/// How iterations are cut into blocks, 64-bit values.
struct Cut {
    /// First value of the loop, and the first behind its last.
    first: Val,
    last: Val,
    /// Distance of two blocks' first values.
    span: Val,
    /// Number of the first block, 0, and number of blocks.
    zero: Val,
    count: Val,
}

impl Generator<'_> {
    /// Those of the arrays to be collected apart that the loop does update: others may be left to loops made of the same band.
    #[must_use]
    pub fn updated_in(&self, f: &For, arrays: &[ArrayId]) -> Vec<ArrayId> {
        let updates = |a: &ArrayId, id| self.scop.stmt(id).reduction.as_ref().is_some_and(|r| r.array == *a);
        arrays.iter().copied().filter(|a| f.body.stmts().any(|id| updates(a, id))).collect()
    }

    /// Emits a parallel loop that updates elements of `arrays` apart: in blocks where `pays` holds, else as it is. `threads`: whether to
    /// run the blocks in threads.
    ///
    /// # Errors
    /// As [`Self::ast`].
    pub fn reduced(
        &mut self,
        f: &For,
        arrays: &[ArrayId],
        (lower, end): (&Poly, &Poly),
        uneven: bool,
        (pays, threads): (Val, Val),
    ) -> Result<(), Failure> {
        let ir = self.em.ir;
        match ir.as_const(pays) {
            Some(0) => return self.counted(f, lower, end, None),
            Some(_) => return self.in_blocks(f, arrays, (lower, end), uneven, threads),
            None => {}
        }
        let (blocks, whole) = (ir.new_block("polyrs.pays"), ir.new_block("polyrs.whole"));
        let join = ir.new_block("polyrs.joined");
        ir.cond_br(pays, blocks, whole);
        ir.seek(Pos::End(blocks));
        self.in_blocks(f, arrays, (lower, end), uneven, threads)?;
        ir.br(join);
        ir.seek(Pos::End(whole));
        self.counted(f, lower, end, None)?;
        ir.br(join);
        ir.seek(Pos::End(join));
        Ok(())
    }

    fn in_blocks(
        &mut self,
        f: &For,
        arrays: &[ArrayId],
        (lower, end): (&Poly, &Poly),
        uneven: bool,
        worth: Val,
    ) -> Result<(), Failure> {
        self.em.bind(f.iter, lower.clone());
        let collected = arrays.iter().map(|a| self.collected(f, *a)).collect::<Result<Vec<_>, _>>()?;
        let cut = self.cut(f, lower, end);
        let ir = self.em.ir;
        let before = ir.current();
        let private = self.scop.scalars_written_by(f.body.stmts());
        let around_scalars = self.scalars.for_each_thread(ir, &private);
        ir.seek(Pos::End(before));
        let join = ir.new_block("polyrs.join");
        let made = ir.made().len();
        let (entry, share) = (ir.new_block("polyrs.task"), ir.new_block("polyrs.share"));
        ir.br(entry);
        let around = self.em.enter_task(entry);
        ir.seek(Pos::End(share));
        self.scalars.empty(ir, &private);
        let (preheader, block, after) =
            (ir.new_block("polyrs.preheader"), ir.new_block("polyrs.block"), ir.new_block("polyrs.after"));
        ir.cond_br(ir.icmp(Pred::Slt, cut.zero, cut.count), preheader, after);
        ir.seek(Pos::End(preheader));
        ir.br(block);
        ir.seek(Pos::End(block));
        let number = ir.phi(ir.int_ty(64), "polyrs.number");
        ir.add_incoming(number, cut.zero, preheader);
        self.block(f, (lower, end), &collected, (&cut, number))?;
        let ir = self.em.ir;
        let next = ir.bin(Bin::AddNsw, number, ir.int(ir.int_ty(64), 1));
        ir.add_incoming(number, next, ir.current());
        ir.cond_br(ir.icmp(Pred::Slt, next, cut.count), block, after);
        ir.seek(Pos::End(entry));
        ir.br(share);
        self.em.leave_task(around);
        self.scalars.restore(around_scalars);
        ir.seek(Pos::End(after));
        ir.br(join);
        let blocks = ir.made().split_off(made);
        self.tasks.push(Task { first: cut.zero, end: cut.count, step: 1, worth, uneven, blocks });
        ir.seek(Pos::End(join));
        self.put_together(&collected, &cut)
    }

    /// Blocks of `f`, which runs at least once: as long as makes at most [`BLOCKS`] of them.
    fn cut(&mut self, f: &For, lower: &Poly, end: &Poly) -> Cut {
        let (first, last) = (self.em.value(lower), self.em.value(end));
        let ir = self.em.ir;
        let word = |v: i64| ir.int(ir.int_ty(64), v);
        let rounded_up = |a: Val, b: Val| ir.bin(Bin::UDiv, ir.bin(Bin::Add, a, ir.bin(Bin::Sub, b, word(1))), b);
        let trips = rounded_up(ir.bin(Bin::Sub, last, first), word(f.step));
        let each = rounded_up(trips, word(BLOCKS));
        let count = ir.freeze(rounded_up(trips, each));
        Cut { first, last, span: ir.bin(Bin::Mul, each, word(f.step)), zero: ir.freeze(word(0)), count }
    }

    /// The iterations of one block.
    fn block(
        &mut self,
        f: &For,
        (lower, end): (&Poly, &Poly),
        collected: &[Collected],
        (cut, number): (&Cut, Val),
    ) -> Result<(), Failure> {
        let ir = self.em.ir;
        for c in collected {
            let start = ir.identity(c.op, c.ty, c.has_infinities);
            match c.apart.slot {
                Some(slot) => ir.store(start, slot),
                None => self.scalars.store(ir, c.array, start)?,
            }
            ir.store(ir.int(ir.int_ty(1), 0), c.apart.touched);
            self.apart.insert(c.array, c.apart);
        }
        let first = ir.bin(Bin::Add, cut.first, ir.bin(Bin::Mul, number, cut.span));
        let behind = ir.min_max(MinMax::SMin, ir.bin(Bin::Add, first, cut.span), cut.last);
        self.in_task = true;
        let emitted = self.counted(f, lower, end, Some(Bounds { first, end: behind }));
        self.in_task = false;
        self.apart.clear();
        emitted?;
        let (bit, byte) = (ir.int_ty(1), ir.int_ty(8));
        for c in collected {
            let value = match c.apart.slot {
                Some(slot) => Some(ir.load(c.ty, slot)),
                None => self.scalars.load(ir, c.array),
            };
            let value = value.ok_or_else(|| bug(format!("{} has no slot", c.array)))?;
            ir.store(value, ir.element(c.ty, c.partial, number));
            let touched = ir.cast(crate::bridge::ir::Cast::ZExt, ir.load(bit, c.apart.touched), byte);
            ir.store(touched, ir.element(byte, c.touched, number));
        }
        Ok(())
    }

    /// Applies what the blocks collected to the elements, block by block.
    fn put_together(&mut self, collected: &[Collected], cut: &Cut) -> Result<(), Failure> {
        let ir = self.em.ir;
        let (word, byte) = (ir.int_ty(64), ir.int_ty(8));
        let before = ir.current();
        let (loops, behind) = (ir.new_block("polyrs.combine"), ir.new_block("polyrs.combined"));
        ir.br(loops);
        ir.seek(Pos::End(loops));
        let number = ir.phi(word, "polyrs.number");
        ir.add_incoming(number, ir.int(word, 0), before);
        for c in collected {
            let (apply, next) = (ir.new_block("polyrs.apply"), ir.new_block("polyrs.applied"));
            let touched = ir.load(byte, ir.element(byte, c.touched, number));
            ir.cond_br(ir.icmp(Pred::Ne, touched, ir.int(byte, 0)), apply, next);
            ir.seek(Pos::End(apply));
            let old = match c.address {
                Some(address) => Some(ir.load(c.ty, address)),
                None => self.scalars.load(ir, c.array),
            };
            let old = old.ok_or_else(|| bug(format!("{} has no slot", c.array)))?;
            let part = ir.load(c.ty, ir.element(c.ty, c.partial, number));
            let new = ir.apply(c.op, old, part, &c.like);
            match c.address {
                Some(address) => ir.store(new, address),
                None => self.scalars.store(ir, c.array, new)?,
            }
            ir.br(next);
            ir.seek(Pos::End(next));
        }
        let next = ir.bin(Bin::AddNsw, number, ir.int(word, 1));
        ir.add_incoming(number, next, ir.current());
        ir.cond_br(ir.icmp(Pred::Slt, next, cut.count), loops, behind);
        ir.seek(Pos::End(behind));
        Ok(())
    }

    /// Copies and rows for an array that `f` updates one element of; its address, at the current position.
    fn collected(&mut self, f: &For, array: ArrayId) -> Result<Collected, Failure> {
        let scop = self.scop;
        let inside: BTreeSet<StmtId> = f.body.stmts().collect();
        let updates = inside.into_iter().map(|id| scop.stmt(id));
        let updates: Vec<(&Stmt, &Reduction)> =
            updates.filter_map(|s| Some((s, s.reduction.as_ref().filter(|r| r.array == array)?))).collect();
        let (stmt, first) = *updates.first().ok_or_else(|| bug(format!("nothing updates {array}")))?;
        let is_memory = scop.array(array).is_memory();
        let address = if is_memory { self.address_in(&f.body, array)? } else { None };
        let ir = self.em.ir;
        let ty = ir.type_of(ir.value(stmt.accesses[first.read].inst));
        let here = ir.current();
        let slot = is_memory.then(|| self.scalars.extra(ir, ty));
        let touched = self.scalars.extra(ir, ir.int_ty(1));
        let rows = BLOCKS.cast_unsigned();
        let (partial, row) =
            (ir.alloca_row(ty, rows, "polyrs.partial"), ir.alloca_row(ir.int_ty(8), rows, "polyrs.touched"));
        ir.seek(Pos::End(here));
        Ok(Collected {
            array,
            op: first.op,
            ty,
            has_infinities: updates.iter().any(|(_, r)| r.has_infinities),
            like: updates.iter().flat_map(|(_, r)| r.chain.iter().copied()).collect(),
            address,
            apart: Apart { slot, touched },
            partial,
            touched: row,
        })
    }

    /// The address of the one element of `array` that a body updates, whose loops are bound to their first iterations.
    fn address_in(&mut self, body: &Ast, array: ArrayId) -> Result<Option<Val>, Failure> {
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
                match stmt.reduction.as_ref().filter(|r| r.array == array) {
                    Some(r) => self.address_of(stmt.accesses[r.write].inst, *id, args).map(Some),
                    None => Ok(None),
                }
            }
        }
    }

    /// Notes that the current block has made an update, if `stmt` is one that is collected apart.
    pub fn note_update(&mut self, stmt: &Stmt) {
        let apart = stmt.reduction.as_ref().and_then(|r| self.apart.get(&r.array));
        if let Some(apart) = apart {
            self.em.ir.store(self.em.ir.int(self.em.ir.int_ty(1), -1), apart.touched);
        }
    }
}
