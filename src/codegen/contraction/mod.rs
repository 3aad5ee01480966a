//! Contractions: three loops run block by block from packed copies of what they read, in registers.
//!
//! In: three loops over rows, columns and depth around one statement, which the prover has found to be a contraction
//! ([`crate::proof`]). Out: a record of what is computed from what, and a call of a routine that does it: loops
//! over blocks, packed copies of the operands, a kernel. Routines are shared by all contractions of a function that
//! have one shape. For each row and column the instances run with ascending depth. Invariant: elements of the array
//! that is updated are read and written only where the loops do; operands are read only where the loops do, or between.
//! Source: Goto, van de Geijn, ACM TOMS 34(3), 2008 (packing and the order of loops); Van Zee, van de Geijn, ACM TOMS
//! 41(3), 2015 (loops around one kernel in registers).

mod code;
mod kernel;
mod pack;
mod record;
mod room;
mod routine;
mod shape;

use super::atoms::Poly;
use super::emit::bug;
use super::generator::Generator;
use super::nest::Bounds;
use crate::ast::next_after;
use crate::ast::types::{Ast, Expr, For};
use crate::bridge::ir::{Bin, Pos, Val};
use crate::error::Failure;
use crate::facts::Pred;
use crate::ids::{IterId, StmtId, ValueId};
use crate::model::contraction::{Contraction, Formula, among, formula};
use crate::model::tree::Blocks;
use crate::model::{Access, Stmt};
use code::Code;
use pack::{Packed, Packing};
use record::Record;
use routine::Word;
use shape::Shape;

/// A column that no array has.
const NO_BOUND: i64 = 1 << 48;

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
    rows: Packed,
    columns: Packed,
}

/// A bound of the columns of a row: the larger (or smaller) one of two values, the second of which grows from row to
/// row.
struct Bound {
    /// `None`: there is the other one alone.
    fixed: Option<Poly>,
    /// In the first row.
    tied: Poly,
    step: i64,
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

/// Three perfectly nested loops, the last of which has bounds that do not depend on the others.
fn nest(rows: &For) -> Option<Nest<'_>> {
    let columns = plain_loop(&rows.body)?;
    let depth = plain_loop(&columns.body)?;
    let Ast::Stmt { id, args } = only(&depth.body)? else { return None };
    let is_tied = |e: &Expr| e.mentions(rows.iter) || e.mentions(columns.iter);
    let is_plain = rows.step == 1 && !is_tied(&depth.lower) && !is_tied(&depth.upper);
    is_plain.then_some(Nest { loops: [rows, columns, depth], id: *id, args })
}

/// Whether an expression is affine in an iterator.
fn is_affine(e: &Expr, iter: IterId) -> bool {
    match e {
        Expr::Int(_) | Expr::Param(_) | Expr::Iter(_) => true,
        Expr::Add(of) => of.iter().all(|e| is_affine(e, iter)),
        Expr::Mul(_, e) => is_affine(e, iter),
        other => !other.mentions(iter),
    }
}

impl<'f> Generator<'f> {
    /// Emits the loops of a contraction block by block; `false`, with nothing emitted, where they are of another shape.
    ///
    /// # Errors
    /// As [`Self::ast`].
    pub fn contraction(&mut self, f: &For, blocks: &Blocks) -> Result<bool, Failure> {
        let Some(c) = self.contracting(f) else { return Ok(false) };
        let (first, end) = (self.em.expr(&f.lower)?, self.em.expr(&next_after(&f.upper))?);
        let count = self.em.value(&end.sub(&first));
        let ends = (self.em.value(&first), self.em.value(&end));
        self.rows_of(&c, blocks, &first, (ends, count))
    }

    /// The same for some rows, at least one: those that one thread has.
    ///
    /// # Errors
    /// As [`Self::ast`].
    pub fn contraction_in_part(&mut self, f: &For, blocks: &Blocks, part: Bounds<'f>) -> Result<bool, Failure> {
        let Some(c) = self.contracting(f) else { return Ok(false) };
        let ir = self.em.ir;
        let before = ir.current();
        let start = ir.new_block("polyrs.rows");
        ir.br(start);
        ir.seek(Pos::End(start));
        let first = ir.phi(ir.int_ty(64), "polyrs.row");
        ir.add_incoming(first, part.first, before);
        self.em.enter_loop(f.iter, first);
        let lower = self.em.expr(&Expr::Iter(f.iter))?;
        let count = ir.bin(Bin::Sub, part.end, first);
        let emitted = self.rows_of(&c, blocks, &lower, ((first, part.end), count));
        self.em.leave_loop();
        emitted
    }

    /// So many rows from the first one on, to before another one.
    fn rows_of(
        &mut self,
        c: &Contracting<'f, '_>,
        blocks: &Blocks,
        first_row: &Poly,
        (ends_of_rows, count): ((Val<'f>, Val<'f>), Val<'f>),
    ) -> Result<bool, Failure> {
        let ir = self.em.ir;
        let [rows, columns, depth] = c.nest.loops;
        let Some(bounds) = self.bounds(first_row, rows.iter, columns)? else { return Ok(false) };
        let [low, high] = &bounds;
        let is_tied = bounds.iter().any(|b| b.step != 0);
        let first_column = low.fixed.as_ref().unwrap_or(&low.tied).clone();
        let computed = |v: &ValueId| !self.origin.is_available(self.origin.resolve(*v));
        let same = c.formula.uniform.iter().chain(&c.rows.same).chain(&c.columns.same);
        // What is computed for all rows and columns is computed only if there is a row with a column. Where one bound
        // moves alone, the first row or the last one has a column if any has.
        let is_computed = same.into_iter().any(computed);
        if is_computed && bounds.iter().all(|b| b.step != 0) {
            return Ok(false);
        }
        let (first_depth, end_depth) = (self.em.expr(&depth.lower)?, self.em.expr(&next_after(&depth.upper))?);
        self.em.bind(rows.iter, first_row.clone());
        self.em.bind(columns.iter, first_column.clone());
        self.em.bind(depth.iter, first_depth.clone());
        let end_column = if is_tied { first_column.add(&Poly::constant(1)) } else { high.tied.clone() };
        let ends = [(&first_column, &end_column), (&first_depth, &end_depth)];
        let [of_columns, of_depth] = ends.map(|(first, end)| (self.em.value(first), self.em.value(end)));
        let runs = [ends_of_rows, of_columns, of_depth].map(|(first, end)| ir.icmp(Pred::Slt, first, end));
        let [start, after] = ["polyrs.contraction", "polyrs.contracted"].map(|n| ir.new_block(n));
        let mut runs = Code { ir }.all(runs);
        if is_tied && is_computed {
            let code = Code { ir };
            let last = code.sub(count, code.word(1));
            let [first, last] = [code.word(0), last].map(|row| self.has_column(&bounds, row));
            runs = ir.bin(Bin::And, runs, ir.bin(Bin::Or, first, last));
        }
        ir.cond_br(runs, start, after);
        ir.seek(Pos::End(start));
        let sizes = (count, &end_depth.sub(&first_depth));
        self.routine(c, blocks, sizes, (&first_column, &bounds))?;
        ir.br(after);
        ir.seek(Pos::End(after));
        Ok(true)
    }

    /// Whether so many rows behind the first one there is a row with a column.
    fn has_column(&mut self, bounds: &[Bound; 2], row: Val<'f>) -> Val<'f> {
        let ir = self.em.ir;
        let code = Code { ir };
        let [low, high] = bounds.each_ref().map(|b| {
            let moved = code.mul(row, ir.int(ir.int_ty(64), b.step));
            let tied = code.add(self.em.value(&b.tied), moved);
            (tied, b.fixed.as_ref().map(|fixed| self.em.value(fixed)))
        });
        let low = low.1.map_or(low.0, |fixed| code.max(low.0, fixed));
        let high = high.1.map_or(high.0, |fixed| code.min(high.0, fixed));
        code.less(low, high)
    }

    /// What the loops compute, if they are a contraction.
    fn contracting<'n>(&self, f: &'n For) -> Option<Contracting<'f, 'n>> {
        let nest = nest(f)?;
        let stmt = self.scop.stmt(nest.id);
        let dim = |of: &For| nest.args.iter().position(|arg| *arg == Expr::Iter(of.iter));
        let [rows, columns, depth] = [dim(nest.loops[0])?, dim(nest.loops[1])?, dim(nest.loops[2])?];
        let mut inner = [rows, columns, depth];
        let moves = |d: usize| nest.loops.iter().any(|f| nest.args[d].mentions(f.iter));
        let count = (0..nest.args.len()).filter(|d| moves(*d)).count();
        inner.sort_unstable();
        let of = among(self.scop, stmt, &inner)?;
        if [of.rows, of.columns, of.depth] != [rows, columns, depth] || count != 3 {
            return None;
        }
        let formula = formula(self.origin.facts, self.scop, stmt, &of)?;
        let reader = pack::Reader { generator: self, stmt, of: &of };
        let (rows, columns) = (reader.packed(&formula.rows)?, reader.packed(&formula.columns)?);
        Some(Contracting { nest, stmt, of, formula, rows, columns })
    }

    /// The bounds of the columns, of which the second is behind the last; `None` where they are of another form.
    fn bounds(&mut self, first_row: &Poly, row: IterId, columns: &For) -> Result<Option<[Bound; 2]>, Failure> {
        let mut out = Vec::with_capacity(2);
        for (bound, is_low) in [(&columns.lower, true), (&next_after(&columns.upper), false)] {
            let parts = match bound {
                Expr::Max(of) if is_low => of.as_slice(),
                Expr::Min(of) if !is_low => of.as_slice(),
                one => std::slice::from_ref(one),
            };
            let (tied, fixed): (Vec<&Expr>, Vec<&Expr>) = parts.iter().partition(|e| e.mentions(row));
            if tied.len() > 1 || !tied.iter().all(|e| is_affine(e, row)) {
                return Ok(None);
            }
            let fixed: Vec<Expr> = fixed.into_iter().cloned().collect();
            let fixed = match (fixed.len(), is_low) {
                (0, _) => None,
                (_, true) => Some(self.em.expr(&Expr::Max(fixed))?),
                (_, false) => Some(self.em.expr(&Expr::Min(fixed))?),
            };
            out.push(self.bound(fixed, tied.first().copied(), first_row, row)?);
        }
        let Ok([low, high]) = <[Option<Bound>; 2]>::try_from(out) else { return Ok(None) };
        Ok(low.zip(high).map(|(low, high)| [low, high]))
    }

    /// A bound of these two parts; of one alone, twice that where it is the same in each row. `None` where the tied one
    /// grows by what is not known.
    fn bound(
        &mut self,
        fixed: Option<Poly>,
        tied: Option<&Expr>,
        first_row: &Poly,
        row: IterId,
    ) -> Result<Option<Bound>, Failure> {
        let Some(tied) = tied else {
            return Ok(fixed.map(|fixed| Bound { tied: fixed.clone(), fixed: Some(fixed), step: 0 }));
        };
        self.em.bind(row, first_row.clone());
        let at_first = self.em.expr(tied)?;
        self.em.bind(row, first_row.add(&Poly::constant(1)));
        let step = self.em.expr(tied)?.sub(&at_first).as_constant();
        Ok(step.map(|step| Bound { fixed, tied: at_first, step }))
    }

    /// Fills the record and calls the routine, with all iterators at the first of their values.
    fn routine(
        &mut self,
        c: &Contracting<'f, '_>,
        blocks: &Blocks,
        (rows, depth): (Val<'f>, &Poly),
        (origin, [low, high]): (&Poly, &[Bound; 2]),
    ) -> Result<(), Failure> {
        let ir = self.em.ir;
        let shape = self.shape(c, blocks);
        let routine = routine::routine(self, &shape, c)?;
        let [pack_rows, pack_columns] = [(&c.rows, shape.rows), (&c.columns, shape.columns())]
            .map(|(packed, width)| self.packing(c, packed, &shape, width));
        let (pack_rows, pack_columns) = (pack_rows?, pack_columns?);
        let of_rows = Word::Uniform as usize + c.formula.uniform.len();
        let of_columns = of_rows + c.rows.words();
        let here = ir.current();
        let words = (of_columns + c.columns.words()) as u64;
        let record = if self.threads.in_task() {
            // Each thread has its own.
            ir.seek(self.em.task_start());
            ir.alloca_bytes(ir.int(ir.int_ty(64), (words * 8).cast_signed()), 8, "polyrs.record")
        } else {
            ir.alloca_row(ir.int_ty(64), words, "polyrs.record")
        };
        ir.seek(Pos::End(here));
        let mut record = Record::new(record);
        let fixed = |b: &Bound, none: i64| b.fixed.as_ref().map_or(Poly::constant(none), |fixed| fixed.sub(origin));
        let numbers = [
            (Word::Depth, depth.clone()),
            (Word::First, fixed(low, -NO_BOUND)),
            (Word::Low, low.tied.sub(origin)),
            (Word::LowStep, Poly::constant(low.step)),
            (Word::End, fixed(high, NO_BOUND)),
            (Word::High, high.tied.sub(origin)),
            (Word::HighStep, Poly::constant(high.step)),
            (Word::NextRow, self.stride_along(&c.stmt.accesses[c.of.write], c.of.rows)?),
            (Word::NextColumn, self.stride_along(&c.stmt.accesses[c.of.write], c.of.columns)?),
        ];
        record.put(Word::Rows as usize, rows);
        for (word, number) in numbers {
            record.put(word as usize, self.em.value(&number));
        }
        let at = self.element_address(&c.stmt.accesses[c.of.write], c.nest.args)?;
        let pointers = [
            (Word::At, at),
            (Word::PackRows, pack_rows),
            (Word::RowRecord, record.place(ir, of_rows)),
            (Word::PackColumns, pack_columns),
            (Word::ColumnRecord, record.place(ir, of_columns)),
        ];
        pointers.into_iter().for_each(|(word, value)| record.put(word as usize, value));
        for (n, value) in c.formula.uniform.iter().enumerate() {
            record.put(Word::Uniform as usize + n, self.value_in(c.stmt, c.nest.args, *value)?);
        }
        self.pack_record(c, (&c.rows, c.of.rows), (&mut record, of_rows))?;
        self.pack_record(c, (&c.columns, c.of.columns), (&mut record, of_columns))?;
        ir.call(routine, &[record.fill(ir)?]);
        Ok(())
    }

    fn shape(&self, c: &Contracting<'f, '_>, b: &Blocks) -> Shape<'f> {
        let ir = self.em.ir;
        let ty = ir.type_of(ir.value(c.stmt.accesses[c.of.read].inst));
        let array = c.stmt.accesses[c.of.write].array;
        Shape {
            rows: b.rows,
            vectors: b.vectors,
            lanes: b.lanes,
            bytes: u64::from(self.scop.array(array).elem_bytes),
            ty,
            vector: ir.vector_ty(ty, b.lanes),
            alignment: self.alignment_of(array),
            is_dense: c.of.is_dense,
            values: [c.formula.rows.len(), c.formula.columns.len()],
            blocks: *b,
        }
    }

    /// The function that packs rows, or columns.
    fn packing(
        &self,
        c: &Contracting<'f, '_>,
        packed: &Packed,
        shape: &Shape<'f>,
        width: u32,
    ) -> Result<Val<'f>, Failure> {
        let facts = self.origin.facts;
        let alignments = packed.elements.iter().map(|n| self.alignment_of(c.stmt.accesses[*n].array));
        let alignment = alignments.min().unwrap_or(1);
        let lanewise = |v: ValueId| facts.value(v).lanewise;
        Packing { like: self.em.ir, stmt: c.stmt, packed, shape, width, alignment, lanewise: &lanewise }.function()
    }

    /// What the record says to what packs rows, or columns, which move with a dim, from this word on.
    fn pack_record(
        &mut self,
        c: &Contracting<'f, '_>,
        (packed, dim): (&Packed, usize),
        (record, mut word): (&mut Record<'f>, usize),
    ) -> Result<(), Failure> {
        let mut put = |value: Val<'f>| {
            record.put(word, value);
            word += 1;
        };
        for element in &packed.elements {
            let access = &c.stmt.accesses[*element];
            put(self.element_address(access, c.nest.args)?);
            for dim in [dim, c.of.depth] {
                let stride = self.stride_along(access, dim)?;
                put(self.em.value(&stride));
            }
        }
        for value in &packed.same {
            put(self.value_in(c.stmt, c.nest.args, *value)?);
        }
        Ok(())
    }

    /// Bytes from the element that an access touches to the one it touches for the next value of a dim.
    fn stride_along(&mut self, access: &Access, dim: usize) -> Result<Poly, Failure> {
        let rows = access.subscripts().ok_or_else(|| bug("a contraction without subscripts".into()))?;
        let params = self.scop.params.len();
        let values = self.params()?;
        let strides = &self.scop.array(access.array).strides;
        Ok(rows.iter().zip(strides).fold(Poly::default(), |sum, (row, stride)| {
            sum.add(&super::made::polynomial(stride, &values).scale(row[params + dim]))
        }))
    }
}
