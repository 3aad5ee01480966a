//! The routine: blocks of columns, depth and rows, copies of what a block reads, and the kernel for each tile.
//!
//! A function of its own, `void (ptr record)`, one for all contractions of one shape. Rows and columns are numbered
//! from 0; the columns of a row end where two bounds say, each affine in the row, so that triangles are covered. Tiles
//! at the edges go through a buffer: masks say what of it there is. Copies are in memory of the heap; small ones, and
//! those of small blocks where no memory is left, in the frame.

use super::Contracting;
use super::code::Code;
use super::shape::Shape;
use crate::bridge::ir::{Bin, Pos, Ty, Val};
use crate::codegen::generator::Generator;
use crate::error::Failure;
use crate::facts::Pred;
use crate::storage::buffer::ALIGNMENT;

/// Words of the record that the routine reads; values of the kernel that are the same all the time follow.
#[derive(Clone, Copy)]
pub enum Word {
    /// Number of rows.
    Rows,
    /// Depth.
    Depth,
    /// First column of each row.
    First,
    /// First column of row 0, by the other bound.
    Low,
    /// What that grows by from row to row.
    LowStep,
    /// Column behind the last of each row.
    End,
    /// Column behind the last of row 0, by the other bound.
    High,
    /// What that grows by from row to row.
    HighStep,
    /// Address of what is updated in row and column 0.
    At,
    /// Bytes to the next row of it.
    NextRow,
    /// Bytes to the next column of it.
    NextColumn,
    /// Function that packs rows.
    PackRows,
    /// Its record.
    RowRecord,
    /// Function that packs columns.
    PackColumns,
    /// Its record.
    ColumnRecord,
    /// The first of the kernel's values.
    Uniform,
}

/// Bytes of copies in the frame.
const FRAME_BYTES: u64 = 24 << 10;

/// The routine of a contraction.
///
/// # Errors
/// `Bug` where what was made is not well-formed.
pub fn routine<'f>(g: &Generator<'f>, shape: &Shape<'f>, c: &Contracting<'f, '_>) -> Result<Val<'f>, Failure> {
    let ir = g.em.ir;
    let kernel = super::kernel::kernel(ir, shape, c)?;
    let key = format!("routine {} {} {:?}", super::kernel::key(ir, shape, c), shape.is_dense, shape.blocks);
    if let Some(function) = ir.kernel(&key) {
        return Ok(function);
    }
    let name = format!("polyrs.contraction.{}x{}", shape.rows, shape.columns());
    let (own, args) = ir.new_kernel((key, &name), &[ir.ptr_ty()], shape.vector_bits());
    let writer = Writer { code: Code { ir: &own }, shape, kernel, uniform: c.formula.uniform.len() };
    writer.write(args[0]);
    own.verify().map_err(|why| super::bug(format!("the routine is not well-formed: {why}")))?;
    Ok(own.function())
}

struct Writer<'w, 'f> {
    code: Code<'w, 'f>,
    shape: &'w Shape<'f>,
    kernel: Val<'f>,
    uniform: usize,
}

/// What the record says.
struct Given<'f> {
    record: Val<'f>,
    depth: Val<'f>,
    /// The two bounds below: of each row; of row 0, what it grows by.
    low: [Val<'f>; 3],
    high: [Val<'f>; 3],
    at: Val<'f>,
    next_row: Val<'f>,
    next_column: Val<'f>,
    uniform: Vec<Val<'f>>,
}

/// Values from the first to before the last.
#[derive(Clone, Copy)]
struct Range<'f> {
    first: Val<'f>,
    end: Val<'f>,
}

/// Sizes of blocks, and where their copies are.
struct Room<'f> {
    depth: Val<'f>,
    rows: Val<'f>,
    columns: Val<'f>,
    of_columns: Val<'f>,
    of_rows: Val<'f>,
    /// Of the heap, to be freed; null if there is none.
    memory: Val<'f>,
    /// Room for one tile.
    tile: Val<'f>,
}

/// A block of rows and columns, with its copies.
struct Block<'f> {
    rows: Range<'f>,
    columns: Range<'f>,
    /// Depth of it.
    deep: Val<'f>,
}

/// A tile.
struct Tile<'f> {
    row: Val<'f>,
    column: Val<'f>,
    /// Rows of it that there are.
    height: Val<'f>,
    /// Address of its first element.
    at: Val<'f>,
}

impl<'f> Writer<'_, 'f> {
    fn word_ty(&self) -> Ty<'f> {
        self.code.ir.int_ty(64)
    }

    fn given(&self, record: Val<'f>) -> Given<'f> {
        let ir = self.code.ir;
        let at = |n: usize, ty: Ty<'f>| ir.load(ty, ir.gep(record, 8, self.code.word(n as u64)));
        let word = |w: Word| at(w as usize, self.word_ty());
        Given {
            record,
            depth: word(Word::Depth),
            low: [word(Word::First), word(Word::Low), word(Word::LowStep)],
            high: [word(Word::End), word(Word::High), word(Word::HighStep)],
            at: at(Word::At as usize, ir.ptr_ty()),
            next_row: word(Word::NextRow),
            next_column: word(Word::NextColumn),
            uniform: (0..self.uniform).map(|n| at(Word::Uniform as usize + n, self.shape.ty)).collect(),
        }
    }

    /// First column of a row.
    fn low(&self, g: &Given<'f>, row: Val<'f>) -> Val<'f> {
        let code = self.code;
        code.max(g.low[0], code.add(g.low[1], code.mul(row, g.low[2])))
    }

    /// Column behind the last of a row.
    fn high(&self, g: &Given<'f>, row: Val<'f>) -> Val<'f> {
        let code = self.code;
        code.min(g.high[0], code.add(g.high[1], code.mul(row, g.high[2])))
    }

    fn write(&self, record: Val<'f>) {
        let (code, ir) = (self.code, self.code.ir);
        let tile_bytes = u64::from(self.shape.rows) * self.shape.vector_bytes() * u64::from(self.shape.vectors);
        let aligned = ALIGNMENT.cast_unsigned();
        let tile = ir.alloca_bytes(code.word(tile_bytes), aligned, "tile");
        let frame = ir.alloca_bytes(code.word(FRAME_BYTES), aligned, "frame");
        let given = self.given(record);
        let all = ir.load(self.word_ty(), ir.gep(record, 8, code.word(Word::Rows as u64)));
        let rows = self.rows_with_columns(&given, all);
        let last = code.sub(rows.end, code.word(1));
        let both = |of: &dyn Fn(Val<'f>) -> Val<'f>| (of(rows.first), of(last));
        let (first_low, last_low) = both(&|row| self.low(&given, row));
        let (first_high, last_high) = both(&|row| self.high(&given, row));
        let columns = Range { first: code.min(first_low, last_low), end: code.max(first_high, last_high) };
        let runs = code.all([code.less(rows.first, rows.end), code.less(code.word(0), given.depth)]);
        code.when(runs, &mut || {
            let room = self.room(&given, (rows, columns), (frame, tile));
            self.blocks(&given, (rows, columns), &room);
            ir.call_symbol("free", None, &[room.memory], None);
        });
        ir.ret();
    }

    /// The rows but for those in front and behind that have no column.
    fn rows_with_columns(&self, g: &Given<'f>, all: Val<'f>) -> Range<'f> {
        let (code, one) = (self.code, self.code.word(1));
        let is_empty = |row: Val<'f>| code.at_most(self.high(g, row), self.low(g, row));
        let first = self.skip(code.word(0), &|row| code.all([code.less(row, all), is_empty(row)]), one);
        let behind = |end: Val<'f>| code.all([code.less(first, end), is_empty(code.sub(end, one))]);
        let end = self.skip(all, &behind, code.word(u64::MAX));
        Range { first, end }
    }

    /// The first value from `from` on, in steps, for which `skipped` does not hold.
    fn skip(&self, from: Val<'f>, skipped: &dyn Fn(Val<'f>) -> Val<'f>, step: Val<'f>) -> Val<'f> {
        let ir = self.code.ir;
        let (before, header, next, found) =
            (ir.current(), ir.new_block("skip"), ir.new_block("next"), ir.new_block("found"));
        ir.br(header);
        ir.seek(Pos::End(header));
        let at = ir.phi(self.word_ty(), "");
        ir.add_incoming(at, from, before);
        ir.cond_br(skipped(at), next, found);
        ir.seek(Pos::End(next));
        let stepped = self.code.add(at, step);
        ir.add_incoming(at, stepped, next);
        ir.br(header);
        ir.seek(Pos::End(found));
        at
    }

    /// `all`, at most `most`, rounded up to a multiple.
    fn rounded(&self, all: Val<'f>, most: u32, multiple: u32) -> Val<'f> {
        let (code, ir) = (self.code, self.code.ir);
        let up = code.add(code.min(all, code.word(most.into())), code.word(u64::from(multiple) - 1));
        let multiple = code.word(multiple.into());
        code.mul(ir.bin(Bin::UDiv, up, multiple), multiple)
    }

    /// The depth of a block: all, in two halves, or the most there may be.
    fn depth(&self, all: Val<'f>) -> Val<'f> {
        let (code, ir) = (self.code, self.code.ir);
        let most = code.word(self.shape.blocks.depth.into());
        let half = ir.bin(Bin::AShr, code.add(all, code.word(1)), code.word(1));
        ir.select(code.at_most(all, most), all, code.min(half, most))
    }

    /// Sizes of blocks, and room for their copies.
    fn room(
        &self,
        g: &Given<'f>,
        (rows, columns): (Range<'f>, Range<'f>),
        (frame, tile): (Val<'f>, Val<'f>),
    ) -> Room<'f> {
        let (code, ir, s) = (self.code, self.code.ir, self.shape);
        let [of_row, of_column] = s.values.map(|n| code.word(n as u64 * s.bytes));
        let length = |of: Range<'f>| code.sub(of.end, of.first);
        let depth = self.depth(g.depth);
        let deep_rows = self.rounded(length(rows), s.blocks.block_rows, s.rows);
        let deep_columns = self.rounded(length(columns), s.blocks.block_columns, s.columns());
        let bytes = |of: Val<'f>, each: Val<'f>| code.mul(code.mul(of, depth), each);
        let all = code.add(bytes(deep_columns, of_column), bytes(deep_rows, of_row));
        let [large, has, small, join] = ["large", "has", "small", "room"].map(|name| ir.new_block(name));
        let entry = ir.current();
        ir.cond_br(code.at_most(all, code.word(FRAME_BYTES)), join, large);
        ir.seek(Pos::End(large));
        let aligned = code.add(all, code.word(ALIGNMENT.cast_unsigned()));
        let memory = ir.call_symbol("malloc", Some(ir.ptr_ty()), &[aligned], None);
        ir.cond_br(ir.is_null(memory), small, has);
        ir.seek(Pos::End(has));
        let base = ir.aligned_up(memory, ALIGNMENT);
        ir.br(join);
        ir.seek(Pos::End(small));
        ir.br(join);
        ir.seek(Pos::End(join));
        let phi = |of: [Val<'f>; 3]| {
            let made = ir.phi(ir.type_of(of[0]), "");
            [entry, has, small].into_iter().zip(of).for_each(|(from, value)| ir.add_incoming(made, value, from));
            made
        };
        let of_tile = (u64::from(s.rows) * s.values[0] as u64 + u64::from(s.columns()) * s.values[1] as u64) * s.bytes;
        let (least, none) = (code.word((FRAME_BYTES / of_tile).max(1)), ir.zero(ir.ptr_ty()));
        let depth = phi([depth, depth, least]);
        let rows = phi([deep_rows, deep_rows, code.word(s.rows.into())]);
        let columns = phi([deep_columns, deep_columns, code.word(s.columns().into())]);
        let (memory, of_columns) = (phi([none, memory, none]), phi([frame, base, frame]));
        let of_rows = ir.gep(of_columns, 1, code.mul(code.mul(columns, depth), of_column));
        Room { depth, rows, columns, of_columns, of_rows, memory, tile }
    }

    fn blocks(&self, g: &Given<'f>, (rows, columns): (Range<'f>, Range<'f>), room: &Room<'f>) {
        let code = self.code;
        let zero = code.word(0);
        let part =
            |first: Val<'f>, size: Val<'f>, all: Val<'f>| Range { first, end: code.min(code.add(first, size), all) };
        code.each(columns.first, columns.end, room.columns, &mut |column| {
            let columns = part(column, room.columns, columns.end);
            code.each(zero, g.depth, room.depth, &mut |k| {
                let depth = part(k, room.depth, g.depth);
                let deep = code.sub(depth.end, depth.first);
                self.pack(g, Side::Columns, (columns, depth.first, deep), room.of_columns);
                code.each(rows.first, rows.end, room.rows, &mut |row| {
                    let rows = part(row, room.rows, rows.end);
                    self.pack(g, Side::Rows, (rows, depth.first, deep), room.of_rows);
                    self.tiles(g, &Block { rows, columns, deep }, room);
                });
            });
        });
    }

    /// Packs what a block reads, tile by tile.
    fn pack(&self, g: &Given<'f>, side: Side, (range, depth, deep): (Range<'f>, Val<'f>, Val<'f>), to: Val<'f>) {
        let (code, ir, s) = (self.code, self.code.ir, self.shape);
        let (function, record, width, values) = match side {
            Side::Rows => (Word::PackRows, Word::RowRecord, s.rows, s.values[0]),
            Side::Columns => (Word::PackColumns, Word::ColumnRecord, s.columns(), s.values[1]),
        };
        let word = |w: Word| ir.load(ir.ptr_ty(), ir.gep(g.record, 8, code.word(w as u64)));
        let (function, record, width) = (word(function), word(record), code.word(width.into()));
        code.each(range.first, range.end, width, &mut |first| {
            let count = code.min(width, code.sub(range.end, first));
            let place = ir.gep(to, s.bytes * values as u64, code.mul(code.sub(first, range.first), deep));
            ir.call(function, &[record, first, count, depth, deep, place]);
        });
    }

    /// The tiles of a block.
    fn tiles(&self, g: &Given<'f>, block: &Block<'f>, room: &Room<'f>) {
        let (code, ir, s) = (self.code, self.code.ir, self.shape);
        let (height, width) = (code.word(s.rows.into()), code.word(s.columns().into()));
        let panel = |of: Val<'f>, from: Val<'f>, range: Range<'f>, values: usize| {
            ir.gep(of, s.bytes * values as u64, code.mul(code.sub(from, range.first), block.deep))
        };
        code.each(block.columns.first, block.columns.end, width, &mut |column| {
            let columns = panel(room.of_columns, column, block.columns, s.values[1]);
            code.each(block.rows.first, block.rows.end, height, &mut |row| {
                let rows = panel(room.of_rows, row, block.rows, s.values[0]);
                let left = code.min(height, code.sub(block.rows.end, row));
                let at = ir.gep(ir.gep(g.at, 1, code.mul(row, g.next_row)), 1, code.mul(column, g.next_column));
                let tile = Tile { row, column, height: left, at };
                self.tile(g, &tile, room.tile, &[block.deep, rows, columns]);
            });
        });
    }

    /// One tile: in place if it is whole and its columns lie side by side, else in the buffer.
    fn tile(&self, g: &Given<'f>, tile: &Tile<'f>, buffer: Val<'f>, packed: &[Val<'f>; 3]) {
        let (code, ir, s) = (self.code, self.code.ir, self.shape);
        let last = code.sub(code.add(tile.row, tile.height), code.word(1));
        let lows = [tile.row, last].map(|row| self.low(g, row));
        let highs = [tile.row, last].map(|row| self.high(g, row));
        let end = code.add(tile.column, code.word(s.columns().into()));
        let has_some = code
            .all([code.less(code.min(lows[0], lows[1]), end), code.less(tile.column, code.max(highs[0], highs[1]))]);
        let is_whole = code.all([
            ir.icmp(Pred::Eq, tile.height, code.word(s.rows.into())),
            code.at_most(code.max(lows[0], lows[1]), tile.column),
            code.at_most(end, code.min(highs[0], highs[1])),
        ]);
        let call = |at: Val<'f>, next_row: Val<'f>| {
            let args: Vec<Val<'f>> =
                packed.iter().copied().chain([at, next_row]).chain(g.uniform.iter().copied()).collect();
            ir.call(self.kernel, &args);
        };
        let mut in_buffer = || {
            self.move_tile(g, tile, buffer, true);
            call(buffer, code.word(u64::from(s.vectors) * s.vector_bytes()));
            self.move_tile(g, tile, buffer, false);
        };
        if s.is_dense {
            code.choose(is_whole, &mut || call(tile.at, g.next_row), &mut || code.when(has_some, &mut in_buffer));
        } else {
            code.when(has_some, &mut in_buffer);
        }
    }

    /// Copies the elements of a tile between the array and the buffer.
    fn move_tile(&self, g: &Given<'f>, tile: &Tile<'f>, buffer: Val<'f>, to_buffer: bool) {
        let (code, ir, s) = (self.code, self.code.ir, self.shape);
        let (zero, one, width) = (code.word(0), code.word(1), code.word(s.columns().into()));
        // Rows that there are not have no columns: what the kernel finds there are zeros.
        let rows = if to_buffer { code.word(s.rows.into()) } else { tile.height };
        let inside = |of: Val<'f>| code.max(zero, code.min(width, code.sub(of, tile.column)));
        code.each(zero, rows, one, &mut |r| {
            let row = code.add(tile.row, r);
            let (first, end) = (inside(self.low(g, row)), inside(self.high(g, row)));
            let end = if to_buffer { ir.select(code.less(r, tile.height), end, zero) } else { end };
            let array = ir.gep(tile.at, 1, code.mul(r, g.next_row));
            let copy = ir.gep(buffer, u64::from(s.vectors) * s.vector_bytes(), r);
            if s.is_dense {
                self.move_vectors((first, end), (array, copy), to_buffer);
            } else {
                self.move_elements((first, end), (array, copy), (g.next_column, to_buffer));
            }
        });
    }

    fn move_vectors(&self, range: (Val<'f>, Val<'f>), (array, copy): (Val<'f>, Val<'f>), to_buffer: bool) {
        let (code, ir, s) = (self.code, self.code.ir, self.shape);
        let aligned = u32::try_from(s.vector_bytes()).unwrap_or(1);
        for v in 0..s.vectors {
            let mask = ir.lanes_between(range, v * s.lanes, (s.lanes, s.bytes));
            let [array, copy] = [array, copy].map(|at| ir.gep(at, s.vector_bytes(), code.word(v.into())));
            if to_buffer {
                let value = ir.masked_load(s.vector, array, mask, s.alignment);
                ir.align(ir.store(value, copy), aligned);
            } else {
                let value = ir.align(ir.load(s.vector, copy), aligned);
                ir.masked_store(value, array, mask, s.alignment);
            }
        }
    }

    fn move_elements(
        &self,
        (first, end): (Val<'f>, Val<'f>),
        (array, copy): (Val<'f>, Val<'f>),
        (next_column, to_buffer): (Val<'f>, bool),
    ) {
        let (code, ir, s) = (self.code, self.code.ir, self.shape);
        if to_buffer {
            for v in 0..s.vectors {
                ir.store(ir.zero(s.vector), ir.gep(copy, s.vector_bytes(), code.word(v.into())));
            }
        }
        code.each(first, end, code.word(1), &mut |k| {
            let element = ir.gep(array, 1, code.mul(k, next_column));
            let place = ir.gep(copy, s.bytes, k);
            let (from, to) = if to_buffer { (element, place) } else { (place, element) };
            let value = ir.align(ir.load(s.ty, from), s.alignment);
            ir.align(ir.store(value, to), s.alignment);
        });
    }
}

/// What is packed.
#[derive(Clone, Copy)]
enum Side {
    Rows,
    Columns,
}
