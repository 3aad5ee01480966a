//! The run-time check of rows behind pointers: they lie apart from each other and from all other arrays.
//!
//! Rows are put in the order of their addresses only where the table has them so: ascending or descending, with one
//! jump back to the lowest at most. Others count as overlapping. This costs a few instructions per row, and nothing is
//! read where the parameters are such that the model does not hold, or rows are short.

use std::collections::BTreeMap;

use super::check::Checker;
use super::emit::bug;
use crate::ast::check::{Rows, RunTimeCheck};
use crate::ast::types::{Cond, Expr};
use crate::bridge::ir::{Bin, Cast, MinMax, Val};
use crate::bridge::ir_rows::Table;
use crate::error::Failure;
use crate::facts::Pred;
use crate::ids::ArrayId;
use crate::model::{ArrayKind, Field, Scop};

/// Rows of which less is touched are not tested: that takes about as long as what new loops could gain.
const MIN_ROW_BYTES: i64 = 128;

/// A table of which it is known how its rows lie.
#[derive(Clone, Copy)]
pub struct OrderedTable<'f> {
    /// As the program has it.
    all: Table<'f>,
    /// In the order of addresses; without pointers where there is none.
    table: Table<'f>,
    /// Number of the pointer to the lowest row.
    lowest: Val<'f>,
    /// First byte touched of each row and the one behind the last, counted from where it begins.
    within: (Val<'f>, Val<'f>),
    /// Whether rows are long enough for the test to be worth its time.
    pays: Val<'f>,
}

/// Tables by array, once asked for; with whether the rows are in an order, as an i1.
pub type Tables<'f> = BTreeMap<ArrayId, (OrderedTable<'f>, Val<'f>)>;

impl<'f> Checker<'_, 'f> {
    /// Whether rows lie apart from each other where one is written, as an i1. `enabled`: whether the model holds, so
    /// that the tables may be read.
    pub(super) fn rows_apart(
        &mut self,
        (scop, check): (&Scop, &RunTimeCheck),
        enabled: Val<'f>,
        tables: &mut Tables<'f>,
    ) -> Result<Val<'f>, Failure> {
        let mut all = self.truth(true);
        for id in &check.rows_apart {
            let (_, ordered) = self.table((scop, check), *id, enabled, tables)?;
            all = self.and(all, ordered);
        }
        Ok(all)
    }

    /// Whether two arrays do not overlap, of which the first is one of rows; of the second one, if that is none, the
    /// bytes are given. As an i1.
    pub(super) fn row_pair(
        &mut self,
        of: (&Scop, &RunTimeCheck),
        (a, b): (ArrayId, Result<ArrayId, (Val<'f>, Val<'f>)>),
        enabled: Val<'f>,
        tables: &mut Tables<'f>,
    ) -> Result<Val<'f>, Failure> {
        let (rows, ordered) = self.table(of, a, enabled, tables)?;
        match b {
            Ok(b) => {
                let (others, both) = self.table(of, b, enabled, tables)?;
                let parts = |r: OrderedTable<'f>| (r.table, r.lowest, r.within);
                let apart = self.em.ir.rows_apart(parts(rows), parts(others));
                let ordered = self.and(ordered, both);
                Ok(self.and(ordered, apart))
            }
            Err(range) => {
                let clear = self.em.ir.rows_clear(rows.all, rows.within, range);
                Ok(self.and(rows.pays, clear))
            }
        }
    }

    fn table(
        &mut self,
        (scop, check): (&Scop, &RunTimeCheck),
        id: ArrayId,
        enabled: Val<'f>,
        tables: &mut Tables<'f>,
    ) -> Result<(OrderedTable<'f>, Val<'f>), Failure> {
        if let Some(known) = tables.get(&id) {
            return Ok(*known);
        }
        let array = scop.array(id);
        let (ArrayKind::Rows(field), Some(rows)) = (array.kind, check.rows.get(&id)) else {
            return Err(bug(format!("{id} has no table to test")));
        };
        let found = self.ordered(field, rows, i64::from(array.elem_bytes), enabled)?;
        tables.insert(id, found);
        Ok(found)
    }

    fn ordered(
        &mut self,
        field: Field,
        rows: &Rows,
        elem_bytes: i64,
        enabled: Val<'f>,
    ) -> Result<(OrderedTable<'f>, Val<'f>), Failure> {
        let first = self.offset(&rows.columns.0, elem_bytes, 0)?;
        let within = (first, self.offset(&rows.columns.1, elem_bytes, rows.spill_bytes)?);
        let ir = self.em.ir;
        let (word, wide) = (ir.int_ty(64), ir.int_ty(128));
        let length = ir.bin(Bin::Sub, within.1, within.0);
        let pays = ir.icmp(Pred::Sge, length, ir.int(wide, MIN_ROW_BYTES));
        let enabled = self.and(enabled, pays);
        let table = self.used(field, rows, enabled)?;
        let ir = self.em.ir;
        let length =
            ir.min_max(MinMax::SMax, ir.min_max(MinMax::SMin, length, ir.int(wide, i64::MAX)), ir.int(wide, 0));
        let length = ir.cast(Cast::Trunc, length, word);
        let (zero, one) = (ir.int(word, 0), ir.int(word, 1));
        let ascending = ir.lowest_row(table, length);
        let ascends = ir.icmp(Pred::Sge, ascending, zero);
        // The same table backwards; it has no pointers where that is not needed.
        let end = ir.bin(Bin::Mul, ir.bin(Bin::Sub, table.count, one), table.stride);
        let backwards = Table {
            first: ir.gep(table.first, 1, ir.select(ascends, zero, end)),
            stride: ir.select(ascends, table.stride, ir.bin(Bin::Sub, zero, table.stride)),
            count: table.count,
        };
        let asked = Table { count: ir.select(ascends, zero, table.count), ..backwards };
        let descending = ir.lowest_row(asked, length);
        let lowest = ir.select(ascends, ascending, descending);
        let ordered = ir.icmp(Pred::Sge, lowest, zero);
        let count = ir.select(ordered, table.count, zero);
        let ordered = self.and(ordered, pays);
        Ok((OrderedTable { all: table, table: Table { count, ..backwards }, lowest, within, pays }, ordered))
    }

    /// The pointers that the region uses.
    fn used(&mut self, field: Field, rows: &Rows, enabled: Val<'f>) -> Result<Table<'f>, Failure> {
        let ir = self.em.ir;
        let word = ir.int_ty(64);
        let (mut first, mut last) = (ir.int(word, i64::MAX), ir.int(word, i64::MIN));
        for [own_first, own_last] in &rows.pointers {
            let own = self.number(own_first, i64::MAX)?;
            first = self.em.ir.min_max(MinMax::SMin, first, own);
            let own = self.number(own_last, i64::MIN)?;
            last = self.em.ir.min_max(MinMax::SMax, last, own);
        }
        let ir = self.em.ir;
        let (zero, one) = (ir.int(word, 0), ir.int(word, 1));
        let some = self.and(enabled, ir.icmp(Pred::Sle, first, last));
        let count = ir.select(some, ir.bin(Bin::Add, ir.bin(Bin::Sub, last, first), one), zero);
        let stride = ir.int(word, field.stride);
        let place = ir.bin(Bin::Add, ir.bin(Bin::Mul, first, stride), ir.int(word, field.first));
        Ok(Table { first: ir.gep(ir.value(field.table), 1, ir.select(some, place, zero)), stride, count })
    }

    /// A number by pieces of the parameters, as an i64; right where the model holds.
    fn number(&mut self, pieces: &[(Cond, Expr)], otherwise: i64) -> Result<Val<'f>, Failure> {
        let word = self.em.ir.int_ty(64);
        let mut found = self.em.ir.int(word, otherwise);
        for (cond, number) in pieces {
            let (holds, value) = (self.cond(cond)?, self.widest(number)?);
            let ir = self.em.ir;
            found = ir.select(holds, ir.cast(Cast::Trunc, value, word), found);
        }
        Ok(found)
    }

    /// An element's number times its bytes and some more, as an i128.
    fn offset(&mut self, number: &Expr, elem_bytes: i64, more: i64) -> Result<Val<'f>, Failure> {
        let ir = self.em.ir;
        let wide = ir.int_ty(128);
        let number = ir.cast(Cast::SExt, self.widest(number)?, wide);
        let bytes = ir.bin(Bin::Mul, number, ir.int(wide, elem_bytes));
        Ok(ir.bin(Bin::Add, bytes, ir.int(wide, more)))
    }
}
