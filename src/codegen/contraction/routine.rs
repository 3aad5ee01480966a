//! The routine: blocks of columns, depth and rows, copies of what a block reads, and the kernel for each tile.
//!
//! A function of its own, `void (ptr record)`, one for all contractions of one shape. Rows and columns are numbered
//! from 0; the columns of a row end where two bounds say, each affine in the row, so that triangles are covered. Tiles
//! at the edges go through a buffer: masks say what of it there is. Copies are in a block that is taken for them; those
//! of small blocks, where no memory is left, in the frame.

use super::Contracting;
use super::code::{Code, Kept};
use super::room;
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

/// Bytes of copies and of a tile in the frame, where there is no other memory: so few that the smallest stacks of
/// threads and of signal handlers have them.
const FRAME_BYTES: u64 = 3 << 10;

/// The routine of a contraction.
///
/// # Errors
/// `Bug` where what was made is not well-formed.
pub fn routine<'f>(g: &Generator<'f>, shape: &Shape<'f>, c: &Contracting<'f, '_>) -> Result<Val<'f>, Failure> {
    let ir = g.em.ir;
    let kernel = super::kernel::kernel(ir, shape, c)?;
    let rooms = [room::take(ir)?, room::give(ir)?];
    let key = format!("routine {} {} {:?}", super::kernel::key(ir, shape, c), shape.is_dense, shape.blocks);
    if let Some(function) = ir.kernel(&key) {
        return Ok(function);
    }
    let name = format!("polyrs.contraction.{}x{}", shape.rows, shape.columns());
    let (own, args) = ir.new_kernel((key, &name), &[ir.ptr_ty()], shape.vector_bits());
    own.spend_little();
    let uniform = c.formula.uniform.len();
    Writer { code: Code { ir: &own }, shape, record: args[0], kernel, rooms, uniform }.write();
    own.verify().map_err(|why| super::bug(format!("the routine is not well-formed: {why}")))?;
    Ok(own.function())
}

struct Writer<'w, 'f> {
    code: Code<'w, 'f>,
    shape: &'w Shape<'f>,
    record: Val<'f>,
    kernel: Val<'f>,
    /// Functions that take and give back room.
    rooms: [Val<'f>; 2],
    uniform: usize,
}

/// Values from the first to before the last.
#[derive(Clone, Copy)]
struct Range<'f> {
    first: Kept<'f>,
    end: Kept<'f>,
}

/// Sizes of blocks, and where their copies are.
struct Room<'f> {
    depth: Kept<'f>,
    rows: Kept<'f>,
    columns: Kept<'f>,
    of_columns: Kept<'f>,
    of_rows: Kept<'f>,
    /// The block that they are in, to be given back; null if there is none.
    memory: Kept<'f>,
    /// Room for one tile.
    tile: Kept<'f>,
}

/// A block of rows and columns, with its copies.
struct Block<'f> {
    rows: Range<'f>,
    columns: Range<'f>,
    /// Depth of it.
    deep: Kept<'f>,
}

/// A tile.
struct Tile<'f> {
    row: Kept<'f>,
    column: Kept<'f>,
    /// Rows of it that there are.
    height: Kept<'f>,
    /// Address of its first element.
    at: Kept<'f>,
    /// The packed rows and columns.
    packed: [Kept<'f>; 2],
}

impl<'f> Writer<'_, 'f> {
    fn word_ty(&self) -> Ty<'f> {
        self.code.ir.int_ty(64)
    }

    /// A word of the record.
    fn given(&self, word: Word) -> Val<'f> {
        self.at(word as usize, self.word_ty())
    }

    fn at(&self, word: usize, ty: Ty<'f>) -> Val<'f> {
        let ir = self.code.ir;
        ir.load(ty, ir.gep(self.record, 8, self.code.word(word as u64)))
    }

    /// Bytes of what a tile needs of one depth.
    fn values_bytes(&self) -> u64 {
        let s = self.shape;
        (u64::from(s.rows) * s.values[0] as u64 + u64::from(s.columns()) * s.values[1] as u64) * s.bytes
    }

    fn number(&self, value: u64) -> Kept<'f> {
        self.code.keep(self.code.word(value))
    }

    /// First column of a row.
    fn low(&self, row: Val<'f>) -> Val<'f> {
        let code = self.code;
        code.max(self.given(Word::First), code.add(self.given(Word::Low), code.mul(row, self.given(Word::LowStep))))
    }

    /// Column behind the last of a row.
    fn high(&self, row: Val<'f>) -> Val<'f> {
        let code = self.code;
        code.min(self.given(Word::End), code.add(self.given(Word::High), code.mul(row, self.given(Word::HighStep))))
    }

    fn write(&self) {
        let (code, ir) = (self.code, self.code.ir);
        let least = self.shape.tile_bytes() + self.values_bytes();
        let bytes = code.word(FRAME_BYTES.max(least));
        let frame = ir.alloca_bytes(bytes, ALIGNMENT.cast_unsigned(), "frame");
        let rows = self.rows_with_columns();
        let last = code.keep(code.sub(code.get(rows.end), code.word(1)));
        let both = |of: &dyn Fn(Val<'f>) -> Val<'f>| [rows.first, last].map(|row| of(code.get(row)));
        let [first_low, last_low] = both(&|row| self.low(row));
        let first = code.keep(code.min(first_low, last_low));
        let [first_high, last_high] = both(&|row| self.high(row));
        let columns = Range { first, end: code.keep(code.max(first_high, last_high)) };
        let has_rows = code.less(code.get(rows.first), code.get(rows.end));
        let runs = code.all([has_rows, code.less(code.word(0), self.given(Word::Depth))]);
        code.when(runs, &mut || {
            let room = self.room((rows, columns), frame);
            self.blocks((rows, columns), &room);
            ir.call(self.rooms[1], &[code.get(room.memory)]);
        });
        ir.ret();
    }

    /// The rows but for those in front and behind that have no column.
    fn rows_with_columns(&self) -> Range<'f> {
        let (code, one) = (self.code, self.code.word(1));
        let is_empty = |row: Val<'f>| code.at_most(self.high(row), self.low(row));
        let all = || self.given(Word::Rows);
        let first = self.skip(code.word(0), &|row| code.all([code.less(row, all()), is_empty(row)]), one);
        let first = code.keep(first);
        let behind = |end: Val<'f>| code.all([code.less(code.get(first), end), is_empty(code.sub(end, one))]);
        let end = self.skip(all(), &behind, code.word(u64::MAX));
        Range { first, end: code.keep(end) }
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
    fn room(&self, (rows, columns): (Range<'f>, Range<'f>), frame: Val<'f>) -> Room<'f> {
        let (code, ir, s) = (self.code, self.code.ir, self.shape);
        let [of_row, of_column] = s.values.map(|n| code.word(n as u64 * s.bytes));
        let length = |of: Range<'f>| code.sub(code.get(of.end), code.get(of.first));
        let depth = code.keep(self.depth(self.given(Word::Depth)));
        let rows = code.keep(self.rounded(length(rows), s.blocks.block_rows, s.rows));
        let columns = code.keep(self.rounded(length(columns), s.blocks.block_columns, s.columns()));
        let bytes = |of: Kept<'f>, each: Val<'f>| code.mul(code.mul(code.get(of), code.get(depth)), each);
        let copies = code.add(bytes(columns, of_column), bytes(rows, of_row));
        let all = code.add(copies, code.word(s.tile_bytes()));
        let (memory, tile) = (code.keep(ir.zero(ir.ptr_ty())), code.keep(frame));
        ir.call(self.rooms[0], &[all, code.place(memory)]);
        let mut has = || code.put(tile, ir.gep(code.get(memory), 1, code.word(room::HEAD)));
        let least = (FRAME_BYTES.saturating_sub(s.tile_bytes()) / self.values_bytes().max(1)).max(1);
        let mut small = || {
            code.put(depth, code.word(least));
            code.put(rows, code.word(s.rows.into()));
            code.put(columns, code.word(s.columns().into()));
        };
        code.choose(ir.is_null(code.get(memory)), &mut small, &mut has);
        let of_columns = code.keep(ir.gep(code.get(tile), 1, code.word(s.tile_bytes())));
        let of_rows = code.keep(ir.gep(code.get(of_columns), 1, bytes(columns, of_column)));
        Room { depth, rows, columns, of_columns, of_rows, memory, tile }
    }

    fn blocks(&self, (rows, columns): (Range<'f>, Range<'f>), room: &Room<'f>) {
        let code = self.code;
        let all = Range { first: self.number(0), end: code.keep(self.given(Word::Depth)) };
        let part = |first: Kept<'f>, size: Kept<'f>, all: Range<'f>| Range {
            first,
            end: code.keep(code.min(code.add(code.get(first), code.get(size)), code.get(all.end))),
        };
        code.each_kept([columns.first, columns.end, room.columns], &mut |column| {
            let columns = part(column, room.columns, columns);
            code.each_kept([all.first, all.end, room.depth], &mut |k| {
                let depth = part(k, room.depth, all);
                let deep = code.keep(code.sub(code.get(depth.end), code.get(depth.first)));
                self.pack(Side::Columns, (columns, depth.first, deep), room.of_columns);
                code.each_kept([rows.first, rows.end, room.rows], &mut |row| {
                    let rows = part(row, room.rows, rows);
                    self.pack(Side::Rows, (rows, depth.first, deep), room.of_rows);
                    self.tiles(&Block { rows, columns, deep }, room);
                });
            });
        });
    }

    /// Packs what a block reads, tile by tile.
    fn pack(&self, side: Side, (range, depth, deep): (Range<'f>, Kept<'f>, Kept<'f>), to: Kept<'f>) {
        let (code, ir, s) = (self.code, self.code.ir, self.shape);
        let (function, record, width, values) = match side {
            Side::Rows => (Word::PackRows, Word::RowRecord, s.rows, s.values[0]),
            Side::Columns => (Word::PackColumns, Word::ColumnRecord, s.columns(), s.values[1]),
        };
        let pointer = |w: Word| self.at(w as usize, ir.ptr_ty());
        code.each_kept([range.first, range.end, self.number(width.into())], &mut |at| {
            let first = code.get(at);
            let count = code.min(code.word(width.into()), code.sub(code.get(range.end), first));
            let (depth, deep) = (code.get(depth), code.get(deep));
            let before = code.mul(code.sub(first, code.get(range.first)), deep);
            let place = ir.gep(code.get(to), s.bytes * values as u64, before);
            ir.call(pointer(function), &[pointer(record), first, count, depth, deep, place]);
        });
    }

    /// The tiles of a block.
    fn tiles(&self, block: &Block<'f>, room: &Room<'f>) {
        let (code, ir, s) = (self.code, self.code.ir, self.shape);
        let (height, width) = (self.number(s.rows.into()), self.number(s.columns().into()));
        let panel = |of: Kept<'f>, from: Kept<'f>, range: Range<'f>, values: usize| {
            let before = code.mul(code.sub(code.get(from), code.get(range.first)), code.get(block.deep));
            code.keep(ir.gep(code.get(of), s.bytes * values as u64, before))
        };
        code.each_kept([block.columns.first, block.columns.end, width], &mut |column| {
            let columns = panel(room.of_columns, column, block.columns, s.values[1]);
            code.each_kept([block.rows.first, block.rows.end, height], &mut |row| {
                let rows = panel(room.of_rows, row, block.rows, s.values[0]);
                let left = code.sub(code.get(block.rows.end), code.get(row));
                let left = code.keep(code.min(code.word(s.rows.into()), left));
                let first = self.at(Word::At as usize, ir.ptr_ty());
                let in_column = ir.gep(first, 1, code.mul(code.get(row), self.given(Word::NextRow)));
                let at = ir.gep(in_column, 1, code.mul(code.get(column), self.given(Word::NextColumn)));
                let tile = Tile { row, column, height: left, at: code.keep(at), packed: [rows, columns] };
                self.tile(&tile, block.deep, code.get(room.tile));
            });
        });
    }

    /// One tile: in place if it is whole and its columns lie side by side, else in the buffer.
    fn tile(&self, tile: &Tile<'f>, deep: Kept<'f>, buffer: Val<'f>) {
        let (code, ir, s) = (self.code, self.code.ir, self.shape);
        let (row, column, height) = (code.get(tile.row), code.get(tile.column), code.get(tile.height));
        let last = code.sub(code.add(row, height), code.word(1));
        let lows = [row, last].map(|row| self.low(row));
        let highs = [row, last].map(|row| self.high(row));
        let end = code.add(column, code.word(s.columns().into()));
        let has_some =
            code.all([code.less(code.min(lows[0], lows[1]), end), code.less(column, code.max(highs[0], highs[1]))]);
        let is_whole = code.all([
            ir.icmp(Pred::Eq, height, code.word(s.rows.into())),
            code.at_most(code.max(lows[0], lows[1]), column),
            code.at_most(end, code.min(highs[0], highs[1])),
        ]);
        let call = |at: Val<'f>, next_row: Val<'f>| {
            let uniform = (0..self.uniform).map(|n| self.at(Word::Uniform as usize + n, s.ty));
            let packed = [deep, tile.packed[0], tile.packed[1]].map(|kept| code.get(kept));
            let args: Vec<Val<'f>> = packed.into_iter().chain([at, next_row]).chain(uniform).collect();
            ir.call(self.kernel, &args);
        };
        let mut in_buffer = || {
            // There and back.
            code.each_kept([self.number(0), self.number(2), self.number(1)], &mut |way| {
                self.move_tile(tile, buffer, way);
                code.when(code.less(code.get(way), code.word(1)), &mut || {
                    call(buffer, code.word(u64::from(s.vectors) * s.vector_bytes()));
                });
            });
        };
        if s.is_dense {
            let mut in_place = || call(code.get(tile.at), self.given(Word::NextRow));
            code.choose(is_whole, &mut in_place, &mut || code.when(has_some, &mut in_buffer));
        } else {
            code.when(has_some, &mut in_buffer);
        }
    }

    /// Copies the elements of a tile from the array to the buffer (way 0), or back. Rows that there are not have no
    /// columns: what the kernel finds there are zeros.
    fn move_tile(&self, tile: &Tile<'f>, buffer: Val<'f>, way: Kept<'f>) {
        let (code, ir, s) = (self.code, self.code.ir, self.shape);
        let width = code.word(s.columns().into());
        code.each_kept([self.number(0), self.number(s.rows.into()), self.number(1)], &mut |r| {
            let (r, column) = (code.get(r), code.get(tile.column));
            let row = code.add(code.get(tile.row), r);
            let inside = |of: Val<'f>| code.max(code.word(0), code.min(width, code.sub(of, column)));
            let (first, end) = (inside(self.low(row)), inside(self.high(row)));
            let end = ir.select(code.less(r, code.get(tile.height)), end, code.word(0));
            let array = ir.gep(code.get(tile.at), 1, code.mul(r, self.given(Word::NextRow)));
            let copy = ir.gep(buffer, u64::from(s.vectors) * s.vector_bytes(), r);
            let is_there = code.less(code.get(way), code.word(1));
            let moved = |to_buffer: bool| {
                if s.is_dense {
                    self.move_vectors((first, end), (array, copy), to_buffer);
                } else {
                    self.move_elements((first, end), (array, copy), to_buffer);
                }
            };
            code.choose(is_there, &mut || moved(true), &mut || moved(false));
        });
    }

    fn move_vectors(&self, range: (Val<'f>, Val<'f>), (array, copy): (Val<'f>, Val<'f>), to_buffer: bool) {
        let (code, ir, s) = (self.code, self.code.ir, self.shape);
        let aligned = u32::try_from(s.vector_bytes()).unwrap_or(1);
        for v in 0..s.vectors {
            let mask = ir.lanes_between(range, v * s.lanes, (s.lanes, s.bytes));
            let [array, copy] = [array, copy].map(|at| ir.gep(at, s.vector_bytes(), code.word(v.into())));
            // Vectors without an element are not looked for behind the array: where memory was never used, a core takes
            // hundreds of cycles to find that nothing is asked of it.
            let has_some = code.less(code.word(u64::from(v * s.lanes)), range.1);
            let array = ir.select(has_some, array, copy);
            if to_buffer {
                let value = ir.masked_load(s.vector, array, mask, s.alignment);
                ir.align(ir.store(value, copy), aligned);
            } else {
                let value = ir.align(ir.load(s.vector, copy), aligned);
                ir.masked_store(value, array, mask, s.alignment);
            }
        }
    }

    fn move_elements(&self, (first, end): (Val<'f>, Val<'f>), (array, copy): (Val<'f>, Val<'f>), to_buffer: bool) {
        let (code, ir, s) = (self.code, self.code.ir, self.shape);
        if to_buffer {
            for v in 0..s.vectors {
                ir.store(ir.zero(s.vector), ir.gep(copy, s.vector_bytes(), code.word(v.into())));
            }
        }
        code.each(first, end, code.word(1), &mut |k| {
            let element = ir.gep(array, 1, code.mul(k, self.given(Word::NextColumn)));
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
