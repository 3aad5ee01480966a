//! Copies in the shared memory of a block: who makes them, and where they are read.
//!
//! All threads of a block wait for each other, copy elements by turns, and wait again ([`crate::ast::shared_check`] has
//! proved that all of them come there). Neighbours in a warp copy neighbours in memory.

use super::atoms::Poly;
use super::emit::bug;
use super::generator::{Generator, Replaced};
use super::made::polynomial;
use crate::ast::types::{Ast, Expr, Part, Tile};
use crate::bridge::ir::{Bin, Cast, Ir, Pos, Val};
use crate::error::Failure;
use crate::facts::Pred;
use crate::ids::StmtId;
use crate::model::Access;
use crate::model::tree::Axis;

/// A part of a copy: what its subscripts are compared with, and conditions that hold for it.
struct Bounds<'f> {
    /// Per subscript: values that it is not below, and values that it is not above.
    sides: Vec<(Vec<Val<'f>>, Vec<Val<'f>>)>,
    /// i1s.
    conds: Vec<Val<'f>>,
}

impl<'f> Generator<'f> {
    /// Emits a loop's body behind the copies that its iteration has. `turn`: how many bytes behind their places they
    /// are made; `None`: these are theirs in each iteration.
    ///
    /// # Errors
    /// As [`Self::ast`].
    pub fn with_copies(&mut self, tiles: &[Tile], body: &Ast, turn: Option<Val<'f>>) -> Result<(), Failure> {
        if tiles.is_empty() {
            return self.ast(body);
        }
        let active = self.device.active.len();
        // What was there before has been read. Where copies take turns, that is two iterations ago, and the barrier
        // behind the last iteration's copies has seen to it.
        if turn.is_none() {
            self.em.ir.barrier();
        }
        tiles.iter().try_for_each(|tile| self.copy_tile(tile, turn))?;
        self.em.ir.barrier();
        self.device.active.extend(tiles.iter().map(|tile| (tile.clone(), turn)));
        let done = self.ast(body);
        self.device.active.truncate(active);
        done
    }

    /// The address of what an access reads in a copy, and a number of bytes that it is a multiple of; `None`: it reads
    /// from none.
    ///
    /// # Errors
    /// As [`Self::ast`].
    pub fn in_shared(
        &mut self,
        access: &Access,
        stmt: StmtId,
        args: &[Expr],
    ) -> Result<Option<(Val<'f>, u32)>, Failure> {
        let reads = |(t, _): &&(Tile, Option<Val<'f>>)| {
            t.reads.iter().any(|r| r.stmt == stmt && r.inst == access.inst && r.args == args)
        };
        let Some((tile, turn)) = self.device.active.iter().rev().find(reads).cloned() else { return Ok(None) };
        let rows = access.subscripts().ok_or_else(|| bug("a copy of what is not affine".into()))?;
        let mut values = self.params()?;
        for arg in args {
            values.push(self.em.expr(arg)?);
        }
        let mut place = Poly::constant(tile.at);
        for ((row, first), stride) in rows.iter().zip(&tile.first).zip(tile.strides()) {
            let (constant, linear) = row.split_last().ok_or_else(|| bug("a subscript without columns".into()))?;
            let terms = linear.iter().zip(&values).filter(|(c, _)| **c != 0);
            let subscript = terms.fold(Poly::constant(*constant), |sum, (c, v)| sum.add(&v.scale(*c)));
            let behind = subscript.sub(&self.em.expr(first)?);
            place = place.add(&behind.scale(stride * tile.elem_bytes));
        }
        let address = self.shared_address(&place, turn)?;
        Ok(Some((address, u32::try_from(tile.elem_bytes).unwrap_or(1))))
    }

    fn shared_address(&mut self, place: &Poly, turn: Option<Val<'f>>) -> Replaced<'f> {
        let room = self.device.room.ok_or_else(|| bug("a copy without shared memory".into()))?;
        let room = turn.map_or(room, |turn| self.em.ir.gep(room, 1, turn));
        let (rest, constant) = place.split_constant();
        let index = self.em.value(&rest);
        let ir = self.em.ir;
        let moved = ir.gep(room, 1, index);
        Ok(ir.gep(moved, 1, ir.int(ir.int_ty(64), constant)))
    }

    /// Makes one copy.
    fn copy_tile(&mut self, tile: &Tile, turn: Option<Val<'f>>) -> Result<(), Failure> {
        let params = self.params()?;
        let of = self.scop.array(tile.array);
        let mut firsts = Vec::new();
        for first in &tile.first {
            let first = self.em.expr(first)?;
            firsts.push(self.em.value(&first));
        }
        let strides: Vec<Val<'f>> = of.strides.iter().map(|s| self.em.value(&polynomial(s, &params))).collect();
        let parts = tile.parts.iter().map(|part| self.bounds_of(tile, part)).collect::<Result<Vec<_>, Failure>>()?;
        let base = self.places.base(tile.array).ok_or_else(|| bug(format!("{} has no copy", tile.array)))?;
        let base = self.em.pointer(&Poly::atom(base))?;
        let room = self.device.room.ok_or_else(|| bug("a copy without shared memory".into()))?;
        let (own, threads) = self.thread_of_block();
        let ir = self.em.ir;
        let room = turn.map_or(room, |turn| ir.gep(room, 1, turn));
        let (narrow, word) = (ir.int_ty(32), ir.int_ty(64));
        let count: i64 = tile.extents.iter().product();
        let [loop_, copy, some, next, after] =
            ["loop", "element", "copy", "next", "after"].map(|name| ir.new_block(&format!("polyrs.shared.{name}")));
        let before = ir.current();
        ir.br(loop_);
        ir.seek(Pos::End(loop_));
        let number = ir.phi(narrow, "polyrs.number");
        ir.add_incoming(number, own, before);
        ir.cond_br(ir.icmp(Pred::Slt, number, ir.int(narrow, count)), copy, after);
        ir.seek(Pos::End(copy));
        let (mut left, mut at) = (number, ir.int(word, tile.at));
        let mut subscripts = vec![None; tile.extents.len()];
        for (k, stride) in tile.strides().iter().enumerate().rev() {
            let extent = ir.int(narrow, tile.extents[k]);
            let (own, rest) = match k {
                0 => (left, left),
                _ => {
                    let rest = ir.bin(Bin::UDiv, left, extent);
                    (ir.bin(Bin::Sub, left, ir.bin(Bin::Mul, rest, extent)), rest)
                }
            };
            left = rest;
            let own = ir.cast(Cast::ZExt, own, word);
            let bytes = ir.int(word, stride * tile.elem_bytes);
            at = ir.bin(Bin::Add, at, ir.bin(Bin::Mul, own, bytes));
            subscripts[k] = Some(ir.bin(Bin::Add, firsts[k], own));
        }
        let subscripts: Vec<Val<'f>> = subscripts.into_iter().flatten().collect();
        ir.cond_br(is_in_some(ir, &parts, &subscripts), some, next);
        ir.seek(Pos::End(some));
        let terms = subscripts.iter().zip(&strides).map(|(s, stride)| ir.bin(Bin::Mul, *s, *stride));
        let offset = terms.reduce(|a, b| ir.bin(Bin::Add, a, b)).unwrap_or(ir.int(word, 0));
        let load = tile.reads.first().ok_or_else(|| bug("a copy that nobody reads".into()))?.inst;
        let value = ir.clone_inst(load, &[(0, ir.gep(base, 1, offset))]);
        ir.limit_alignment(value, self.alignment_of(tile.array));
        ir.store(value, ir.gep(room, 1, at));
        ir.br(next);
        ir.seek(Pos::End(next));
        ir.add_incoming(number, ir.bin(Bin::Add, number, ir.int(narrow, threads)), next);
        ir.br(loop_);
        ir.seek(Pos::End(after));
        Ok(())
    }

    /// What a part's subscripts are compared with, but for what is true of all elements that there is room for.
    fn bounds_of(&mut self, tile: &Tile, part: &Part) -> Result<Bounds<'f>, Failure> {
        let ir = self.em.ir;
        let mut sides = Vec::new();
        for (k, (lows, highs)) in part.bounds.iter().enumerate() {
            let first = self.em.expr(&tile.first[k])?;
            let last = first.add(&Poly::constant(tile.extents[k] - 1));
            let mut differ = |all: &[Expr], from: &Poly| {
                let mut values = Vec::new();
                for e in all {
                    let e = self.em.expr(e)?;
                    if e != *from {
                        values.push(self.em.value(&e));
                    }
                }
                Ok::<_, Failure>(values)
            };
            sides.push((differ(lows, &first)?, differ(highs, &last)?));
        }
        let mut conds = Vec::new();
        for cond in &part.conds {
            let cond = self.em.expr(cond)?;
            conds.push(ir.icmp(Pred::Sge, self.em.value(&cond), ir.int(ir.int_ty(64), 0)));
        }
        Ok(Bounds { sides, conds })
    }

    /// Number of the thread among those of its block, 32 bits, and how many there are.
    pub(super) fn thread_of_block(&self) -> (Val<'f>, i64) {
        let ir = self.em.ir;
        let mut axes = self.device.threads();
        axes.sort_by_key(|(axis, _)| axis.index());
        let (mut number, mut threads) = (ir.int(ir.int_ty(64), 0), 1);
        for (axis, own) in axes {
            number = ir.bin(Bin::Add, number, ir.bin(Bin::Mul, own, ir.int(ir.int_ty(64), threads)));
            threads *= if let Axis::Block(_, n) = axis { i64::from(n) } else { 1 };
        }
        (ir.cast(Cast::Trunc, number, ir.int_ty(32)), threads)
    }
}

/// Whether an element is in one of the parts, as an i1.
fn is_in_some<'f>(ir: &Ir<'f>, parts: &[Bounds<'f>], subscripts: &[Val<'f>]) -> Val<'f> {
    let always = ir.int(ir.int_ty(1), -1);
    let in_one = |part: &Bounds<'f>| {
        let low = |(s, v): (&Val<'f>, &Val<'f>)| ir.icmp(Pred::Sge, *s, *v);
        let high = |(s, v): (&Val<'f>, &Val<'f>)| ir.icmp(Pred::Sle, *s, *v);
        let mut all = part.conds.clone();
        for (s, (lows, highs)) in subscripts.iter().zip(&part.sides) {
            all.extend(lows.iter().map(|v| low((s, v))));
            all.extend(highs.iter().map(|v| high((s, v))));
        }
        all.into_iter().reduce(|a, b| ir.bin(Bin::And, a, b)).unwrap_or(always)
    };
    parts.iter().map(in_one).reduce(|a, b| ir.bin(Bin::Or, a, b)).unwrap_or(always)
}
