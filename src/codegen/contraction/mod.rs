//! Contractions: three loops run block by block from packed copies of what they read, in registers.
//!
//! In: three loops over rows, columns and depth around one statement, which the prover has found to be a contraction
//! ([`crate::deps::check`]). Out: loops over blocks, copies of the operands in memory of the heap, calls of a kernel.
//! For each row and column the instances run with ascending depth. Invariant: elements of the array that is updated are
//! read and written only where the loops do; operands are read only where the loops do.
//! Source: Goto, van de Geijn, ACM TOMS 34(3), 2008 (packing and the order of loops); Van Zee, van de Geijn, ACM TOMS
//! 41(3), 2015 (loops around one kernel in registers).

mod kernel;
mod pack;

use super::atoms::Poly;
use super::emit::bug;
use super::generator::Generator;
use crate::ast::next_after;
use crate::ast::types::{Ast, Expr, For};
use crate::bridge::ir::{Bin, MinMax, Pos, Ty, Val};
use crate::error::Failure;
use crate::facts::Pred;
use crate::ids::{IterId, StmtId};
use crate::model::Stmt;
use crate::model::contraction::{Contraction, Formula, contraction, formula};
use crate::model::tree::Blocks;
use crate::storage::buffer::ALIGNMENT;
use kernel::Kernel;
pub use kernel::Key;

/// The loops of a contraction.
struct Nest<'n> {
    /// Over rows, columns, depth.
    loops: [&'n For; 3],
    id: StmtId,
    args: &'n [Expr],
}

/// A contraction while it is emitted.
struct Contracting<'f, 'n> {
    nest: Nest<'n>,
    stmt: &'f Stmt,
    of: Contraction,
    formula: Formula,
    blocks: Blocks,
    /// Type of an element.
    ty: Ty<'f>,
    /// Bytes of an element.
    bytes: u64,
}

/// Values from the first to before the last.
#[derive(Clone, Copy)]
struct Range<'f> {
    first: Val<'f>,
    end: Val<'f>,
}

/// What a block of the loops works on.
struct Block<'f> {
    rows: Range<'f>,
    columns: Range<'f>,
    depth: Range<'f>,
    /// Packed copies, and room for one tile.
    of_rows: Val<'f>,
    of_columns: Val<'f>,
    tile: Val<'f>,
}

/// The only statement of a body.
fn only(body: &Ast) -> Option<&Ast> {
    match body {
        Ast::Block(parts) => match parts.as_slice() {
            [one] => only(one),
            _ => None,
        },
        one => Some(one),
    }
}

fn plain_loop(ast: &Ast) -> Option<&For> {
    match only(ast)? {
        Ast::For(f) if f.step == 1 && f.parallel.is_none() => Some(f),
        _ => None,
    }
}

/// Three perfectly nested loops with bounds that do not depend on each other.
fn nest(rows: &For) -> Option<Nest<'_>> {
    let columns = plain_loop(&rows.body)?;
    let depth = plain_loop(&columns.body)?;
    let Ast::Stmt { id, args } = only(&depth.body)? else { return None };
    let bounds = [&columns.lower, &columns.upper, &depth.lower, &depth.upper];
    let is_tied = bounds.iter().any(|e| e.mentions(rows.iter) || e.mentions(columns.iter));
    let is_plain = rows.step == 1 && rows.parallel.is_none() && !is_tied;
    is_plain.then_some(Nest { loops: [rows, columns, depth], id: *id, args })
}

impl<'f> Generator<'f> {
    /// Emits the loops of a contraction block by block; `false`, with nothing emitted, where they are of another shape.
    ///
    /// # Errors
    /// As [`Self::ast`].
    pub fn contraction(&mut self, f: &For, blocks: &Blocks) -> Result<bool, Failure> {
        let Some(c) = self.contracting(f, blocks) else { return Ok(false) };
        let ir = self.em.ir;
        let ranges = c.nest.loops.map(|f| (f.lower.clone(), next_after(&f.upper)));
        let mut values = Vec::with_capacity(3);
        for ((lower, end), f) in ranges.iter().zip(c.nest.loops) {
            let (lower, end) = (self.em.expr(lower)?, self.em.expr(end)?);
            values.push(Range { first: self.em.value(&lower), end: self.em.value(&end) });
            self.em.bind(f.iter, lower);
        }
        let &[rows, columns, depth] = values.as_slice() else { return Err(bug("three loops".into())) };
        let is_some = |r: Range<'f>| ir.icmp(Pred::Slt, r.first, r.end);
        let runs = ir.bin(Bin::And, is_some(rows), ir.bin(Bin::And, is_some(columns), is_some(depth)));
        let [start, packed, plain, after] =
            ["polyrs.contraction", "polyrs.packed", "polyrs.unpacked", "polyrs.contracted"].map(|n| ir.new_block(n));
        ir.cond_br(runs, start, after);
        ir.seek(Pos::End(start));
        let room = self.room(&c, [rows, columns, depth]);
        ir.cond_br(ir.is_null(room.memory), plain, packed);
        ir.seek(Pos::End(packed));
        let block = Block {
            rows,
            columns,
            depth,
            of_rows: ir.gep(room.base, 1, room.of_columns),
            of_columns: room.base,
            tile: ir.gep(room.base, 1, room.of_all),
        };
        self.packed_blocks(&c, &block)?;
        ir.call_symbol("free", None, &[room.memory], None);
        ir.br(after);
        ir.seek(Pos::End(plain));
        self.for_loop(f)?;
        ir.br(after);
        ir.seek(Pos::End(after));
        Ok(true)
    }

    /// What the loops compute, if they are a contraction.
    fn contracting<'n>(&self, f: &'n For, blocks: &Blocks) -> Option<Contracting<'f, 'n>> {
        let nest = nest(f)?;
        let stmt = self.scop.stmt(nest.id);
        let dim = |of: &For| nest.args.iter().position(|arg| *arg == Expr::Iter(of.iter));
        let [rows, columns, depth] = [dim(nest.loops[0])?, dim(nest.loops[1])?, dim(nest.loops[2])?];
        let mut inner = [rows, columns, depth];
        let moves = |d: usize| nest.loops.iter().any(|f| nest.args[d].mentions(f.iter));
        let count = (0..nest.args.len()).filter(|d| moves(*d)).count();
        inner.sort_unstable();
        let of = contraction(self.scop, stmt, &inner)?;
        if [of.rows, of.columns, of.depth] != [rows, columns, depth] || count != 3 {
            return None;
        }
        let formula = formula(self.origin.facts, self.scop, stmt, &of)?;
        let ir = self.em.ir;
        let ty = ir.type_of(ir.value(stmt.accesses[of.read].inst));
        let bytes = u64::from(self.scop.array(stmt.accesses[of.write].array).elem_bytes);
        Some(Contracting { nest, stmt, of, formula, blocks: *blocks, ty, bytes })
    }

    fn word(&self, value: u64) -> Val<'f> {
        let ir = self.em.ir;
        ir.int(ir.int_ty(64), value.cast_signed())
    }

    /// The length of a range, rounded up to a multiple, or `most` if that is less.
    fn length(&self, of: Range<'f>, multiple: u32, most: u32) -> Val<'f> {
        let ir = self.em.ir;
        let all = ir.bin(Bin::Sub, of.end, of.first);
        let all = ir.min_max(MinMax::SMin, all, self.word(most.into()));
        let up = ir.bin(Bin::Add, all, self.word(u64::from(multiple) - 1));
        ir.bin(Bin::Mul, ir.bin(Bin::UDiv, up, self.word(multiple.into())), self.word(multiple.into()))
    }

    /// Memory for packed copies and one tile.
    fn room(&self, c: &Contracting<'f, '_>, [rows, columns, depth]: [Range<'f>; 3]) -> Room<'f> {
        let (ir, b) = (self.em.ir, &c.blocks);
        let deep = ir.bin(Bin::Mul, self.length(depth, 1, b.depth), self.word(c.bytes));
        let bytes =
            |length: Val<'f>, values: usize| ir.bin(Bin::Mul, ir.bin(Bin::Mul, length, deep), self.word(values as u64));
        let of_columns = bytes(self.length(columns, b.columns(), b.block_columns), c.formula.columns.len());
        let of_rows = bytes(self.length(rows, b.rows, b.block_rows), c.formula.rows.len());
        let of_all = ir.bin(Bin::Add, of_columns, of_rows);
        let tile = u64::from(b.rows * b.columns()) * c.bytes + ALIGNMENT.cast_unsigned();
        let size = ir.bin(Bin::Add, of_all, self.word(tile));
        let memory = ir.call_symbol("malloc", Some(ir.ptr_ty()), &[size], None);
        Room { memory, base: ir.aligned_up(memory, ALIGNMENT), of_columns, of_all }
    }

    /// The loops over blocks.
    fn packed_blocks(&mut self, c: &Contracting<'f, '_>, all: &Block<'f>) -> Result<(), Failure> {
        let b = c.blocks;
        let kernel = self.kernel(c)?;
        let [rows, columns, depth] = c.nest.loops.map(|f| f.iter);
        self.blocks(all.columns, b.block_columns, columns, &mut |g, columns| {
            g.blocks(all.depth, b.depth, depth, &mut |g, depth| {
                g.pack(c, pack::Side::Columns, (columns, depth), all.of_columns)?;
                g.blocks(all.rows, b.block_rows, rows, &mut |g, rows| {
                    g.pack(c, pack::Side::Rows, (rows, depth), all.of_rows)?;
                    g.tiles(c, &kernel, &Block { rows, columns, depth, ..*all })
                })
            })
        })
    }

    /// The tiles of a block, each in registers.
    fn tiles(&mut self, c: &Contracting<'f, '_>, kernel: &Kernel<'f>, block: &Block<'f>) -> Result<(), Failure> {
        let b = c.blocks;
        let [rows, columns, _] = c.nest.loops.map(|f| f.iter);
        self.each(block.columns, b.columns(), columns, &mut |g, column| {
            g.each(block.rows, b.rows, rows, &mut |g, row| g.tile(c, kernel, block, (row, column)))
        })
    }

    /// One tile: in place if it is whole and its columns lie side by side, else in a copy.
    fn tile(
        &mut self,
        c: &Contracting<'f, '_>,
        kernel: &Kernel<'f>,
        block: &Block<'f>,
        (row, column): (Val<'f>, Val<'f>),
    ) -> Result<(), Failure> {
        let (ir, b) = (self.em.ir, c.blocks);
        let write = &c.stmt.accesses[c.of.write];
        let at = self.element_address(write, c.nest.args)?;
        let stride = |g: &mut Self, dim: usize| {
            let poly = g.stride_along(write, dim)?;
            Ok::<Val<'f>, Failure>(g.em.value(&poly))
        };
        let (next_row, next_column) = (stride(self, c.of.rows)?, stride(self, c.of.columns)?);
        let depth = ir.bin(Bin::Sub, block.depth.end, block.depth.first);
        let panel = |from: Val<'f>, start: Val<'f>, index: Val<'f>, values: usize| {
            let skipped = ir.bin(Bin::Mul, ir.bin(Bin::Sub, index, start), depth);
            ir.gep(from, c.bytes * values as u64, skipped)
        };
        let of_rows = panel(block.of_rows, block.rows.first, row, c.formula.rows.len());
        let of_columns = panel(block.of_columns, block.columns.first, column, c.formula.columns.len());
        let left = |end: Val<'f>, from: Val<'f>| ir.bin(Bin::Sub, end, from);
        let (height, width) = (left(block.rows.end, row), left(block.columns.end, column));
        let (whole, part, done) =
            (ir.new_block("polyrs.whole"), ir.new_block("polyrs.part"), ir.new_block("polyrs.tiled"));
        let fits = |left: Val<'f>, all: u32| ir.icmp(Pred::Sge, left, self.word(all.into()));
        let is_whole = ir.bin(Bin::And, fits(height, b.rows), fits(width, b.columns()));
        let is_whole = if c.of.is_dense { is_whole } else { ir.int(ir.int_ty(1), 0) };
        ir.cond_br(is_whole, whole, part);
        ir.seek(Pos::End(whole));
        kernel.call(ir, [depth, of_rows, of_columns, at, next_row]);
        ir.br(done);
        ir.seek(Pos::End(part));
        let height = ir.min_max(MinMax::SMin, height, self.word(b.rows.into()));
        let width = ir.min_max(MinMax::SMin, width, self.word(b.columns().into()));
        let row_bytes = u64::from(b.columns()) * c.bytes;
        let elements = (height, width, at, [next_row, next_column], block.tile);
        self.move_tile(c, elements, true)?;
        kernel.call(ir, [depth, of_rows, of_columns, block.tile, self.word(row_bytes)]);
        self.move_tile(c, elements, false)?;
        ir.br(done);
        ir.seek(Pos::End(done));
        Ok(())
    }

    /// Copies the elements of a tile between the array and the buffer.
    fn move_tile(
        &mut self,
        c: &Contracting<'f, '_>,
        (height, width, at, [next_row, next_column], tile): (Val<'f>, Val<'f>, Val<'f>, [Val<'f>; 2], Val<'f>),
        to_tile: bool,
    ) -> Result<(), Failure> {
        let (zero, bytes) = (self.word(0), c.bytes);
        let write = &c.stmt.accesses[c.of.write];
        let row_bytes = u64::from(c.blocks.columns()) * bytes;
        let (from_zero, none) = (|end: Val<'f>| Range { first: zero, end }, IterId(u32::MAX));
        self.each(from_zero(height), 1, none, &mut |g, r| {
            g.each(from_zero(width), 1, none, &mut |g, k| {
                let ir = g.em.ir;
                let element = ir.gep(at, 1, ir.bin(Bin::Mul, r, next_row));
                let element = ir.gep(element, 1, ir.bin(Bin::Mul, k, next_column));
                let copy = ir.gep(ir.gep(tile, row_bytes, r), bytes, k);
                let (from, to) = if to_tile { (element, copy) } else { (copy, element) };
                let value = ir.load(c.ty, from);
                let store = ir.store(value, to);
                g.claim_element(if to_tile { value } else { store }, write);
                Ok(())
            })
        })
    }

    /// A loop over blocks of so many values; the iterator is the first of a block.
    fn blocks(
        &mut self,
        all: Range<'f>,
        size: u32,
        iter: IterId,
        body: &mut dyn FnMut(&mut Self, Range<'f>) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        self.each(all, size, iter, &mut |g, first| {
            let ir = g.em.ir;
            let next = ir.bin(Bin::AddNsw, first, g.word(size.into()));
            let end = ir.min_max(MinMax::SMin, next, all.end);
            body(g, Range { first, end })
        })
    }

    /// A loop of ours, guarded: `iter` is every `step`th value of the range while it runs.
    fn each(
        &mut self,
        range: Range<'f>,
        step: u32,
        iter: IterId,
        body: &mut dyn FnMut(&mut Self, Val<'f>) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let ir = self.em.ir;
        let (before, header, after) =
            (ir.new_block("polyrs.before"), ir.new_block("polyrs.each"), ir.new_block("polyrs.behind"));
        let outer = self.em.expr(&Expr::Iter(iter)).ok();
        ir.cond_br(ir.icmp(Pred::Slt, range.first, range.end), before, after);
        ir.seek(Pos::End(before));
        ir.br(header);
        ir.seek(Pos::End(header));
        let phi = ir.phi(ir.int_ty(64), "polyrs.iv");
        ir.add_incoming(phi, range.first, before);
        self.em.enter_loop(iter, phi);
        body(self, phi)?;
        let latch = ir.current();
        let next = ir.bin(Bin::AddNsw, phi, self.word(step.into()));
        let again = ir.icmp(if step == 1 { Pred::Ne } else { Pred::Slt }, next, range.end);
        ir.cond_br(again, header, after);
        ir.add_incoming(phi, next, latch);
        self.em.leave_loop();
        if let Some(outer) = outer {
            self.em.bind(iter, outer);
        }
        ir.seek(Pos::End(after));
        Ok(())
    }

    /// Bytes from the element that an access touches to the one it touches for the next value of a dim.
    fn stride_along(&mut self, access: &crate::model::Access, dim: usize) -> Result<Poly, Failure> {
        let rows = access.subscripts().ok_or_else(|| bug("a contraction without subscripts".into()))?;
        let params = self.scop.params.len();
        let values = (0..params).map(|k| self.em.expr(&Expr::Param(k))).collect::<Result<Vec<_>, _>>()?;
        let strides = &self.scop.array(access.array).strides;
        Ok(rows.iter().zip(strides).fold(Poly::default(), |sum, (row, stride)| {
            sum.add(&super::made::stride_of(stride, &values).scale(row[params + dim]))
        }))
    }
}

/// Memory for packed copies.
struct Room<'f> {
    /// Of the heap.
    memory: Val<'f>,
    /// Where it is used from.
    base: Val<'f>,
    /// Bytes of the copies of columns.
    of_columns: Val<'f>,
    /// Bytes of all copies.
    of_all: Val<'f>,
}
