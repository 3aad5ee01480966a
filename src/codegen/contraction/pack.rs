//! Packed copies: for each tile's rows or columns, the values of one depth side by side, one depth after the other;
//! zeros beside those of a tile that is not whole.

use super::{Contracting, Range};
use crate::bridge::ir::{Bin, Pos, Val};
use crate::codegen::generator::Generator;
use crate::error::Failure;
use crate::facts::Pred;
use crate::ids::IterId;

/// Which operands are packed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// What columns leave as it is.
    Rows,
    /// What rows leave as it is.
    Columns,
}

impl<'f> Generator<'f> {
    /// Packs what a block takes.
    ///
    /// # Errors
    /// As [`Self::ast`].
    pub(super) fn pack(
        &mut self,
        c: &Contracting<'f, '_>,
        side: Side,
        (range, depth): (Range<'f>, Range<'f>),
        to: Val<'f>,
    ) -> Result<(), Failure> {
        let (at, width, values) = match side {
            Side::Rows => (0, c.blocks.rows, &c.formula.rows),
            Side::Columns => (1, c.blocks.columns(), &c.formula.columns),
        };
        let iter = c.nest.loops[at].iter;
        let step = c.bytes * u64::from(width) * values.len() as u64;
        self.each(range, width, iter, &mut |g, first| {
            let ir = g.em.ir;
            let deep = ir.bin(Bin::Sub, depth.end, depth.first);
            let skipped = ir.bin(Bin::Mul, ir.bin(Bin::Sub, first, range.first), deep);
            let panel = ir.gep(to, c.bytes * values.len() as u64, skipped);
            let end = ir.bin(Bin::AddNsw, first, g.word(width.into()));
            let is_whole = ir.icmp(Pred::Sle, end, range.end);
            let (whole, part, done) =
                (ir.new_block("polyrs.whole"), ir.new_block("polyrs.part"), ir.new_block("polyrs.packed"));
            ir.cond_br(is_whole, whole, part);
            for (block, own_end) in [(whole, end), (part, range.end)] {
                ir.seek(Pos::End(block));
                g.each(depth, 1, c.nest.loops[2].iter, &mut |g, k| {
                    let ir = g.em.ir;
                    let start = ir.gep(panel, step, ir.bin(Bin::Sub, k, depth.first));
                    g.row_of_panel(c, (side, width), Range { first, end: own_end }, start)?;
                    if block == part {
                        g.fill(c, (side, width), Range { first: own_end, end }, (first, start))
                    } else {
                        Ok(())
                    }
                })?;
                ir.br(done);
            }
            ir.seek(Pos::End(done));
            Ok(())
        })
    }

    /// Values of one depth.
    fn row_of_panel(
        &mut self,
        c: &Contracting<'f, '_>,
        (side, width): (Side, u32),
        range: Range<'f>,
        start: Val<'f>,
    ) -> Result<(), Failure> {
        let (at, values) = match side {
            Side::Rows => (0, &c.formula.rows),
            Side::Columns => (1, &c.formula.columns),
        };
        self.each(range, 1, c.nest.loops[at].iter, &mut |g, index| {
            for (n, value) in values.iter().enumerate() {
                let value = g.value_in(c.stmt, c.nest.args, *value)?;
                let to = g.packed_at(c, (n, width), (index, range.first), start);
                g.em.ir.store(value, to);
            }
            Ok(())
        })
    }

    /// Zeros beside them.
    fn fill(
        &mut self,
        c: &Contracting<'f, '_>,
        (side, width): (Side, u32),
        range: Range<'f>,
        (first, start): (Val<'f>, Val<'f>),
    ) -> Result<(), Failure> {
        let values = if side == Side::Rows { c.formula.rows.len() } else { c.formula.columns.len() };
        self.each(range, 1, IterId(u32::MAX), &mut |g, index| {
            for n in 0..values {
                let to = g.packed_at(c, (n, width), (index, first), start);
                g.em.ir.store(g.em.ir.zero(c.ty), to);
            }
            Ok(())
        })
    }

    /// Address in a packed copy of value `n` at an index, of those from `first` on.
    fn packed_at(
        &self,
        c: &Contracting<'f, '_>,
        (n, width): (usize, u32),
        (index, first): (Val<'f>, Val<'f>),
        start: Val<'f>,
    ) -> Val<'f> {
        let ir = self.em.ir;
        let own = ir.gep(start, c.bytes, self.word(n as u64 * u64::from(width)));
        ir.gep(own, c.bytes, ir.bin(Bin::Sub, index, first))
    }
}
