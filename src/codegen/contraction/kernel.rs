//! The kernel: a tile of what is updated stays in vector registers while the depth of a block runs.
//!
//! A function of its own, `void (i64 depth, ptr rows, ptr columns, ptr tile, i64 bytes to the next row, uniform..)`:
//! registers are not shared with what is around, and full vectors may be used in it alone. What is updated is in phis
//! from the first to the last depth, never in memory. Values of rows are loaded one by one and spread over a vector.

use super::Contracting;
use super::code::Code;
use super::shape::Shape;
use crate::bridge::ir::{Bin, Ir, Pos, Ty, Val};
use crate::error::Failure;
use crate::facts::Pred;
use crate::model::contraction::Term;

/// Text that is the same for arithmetic that is.
fn alike(ir: &Ir<'_>, term: &Term) -> String {
    match term {
        Term::Operation(like, of) => {
            let operands: Vec<String> = of.iter().map(|t| alike(ir, t)).collect();
            format!("{}({})", ir.operation_text(ir.value(*like)), operands.join(","))
        }
        other => format!("{other:?}"),
    }
}

/// What tells kernels apart.
pub fn key(ir: &Ir<'_>, shape: &Shape<'_>, c: &Contracting<'_, '_>) -> String {
    let Shape { rows, vectors, lanes, bytes, alignment, values, .. } = shape;
    format!("kernel {rows} {vectors} {lanes} {bytes} {alignment} {values:?} {}", alike(ir, &c.formula.new))
}

/// The kernel of a contraction.
///
/// # Errors
/// `Bug` where what was made is not well-formed.
pub fn kernel<'f>(ir: &Ir<'f>, shape: &Shape<'f>, c: &Contracting<'f, '_>) -> Result<Val<'f>, Failure> {
    let key = key(ir, shape, c);
    if let Some(function) = ir.kernel(&key) {
        return Ok(function);
    }
    let (word, ptr) = (ir.int_ty(64), ir.ptr_ty());
    let uniform = c.formula.uniform.iter().map(|_| shape.ty);
    let params: Vec<Ty<'f>> = [word, ptr, ptr, ptr, word].into_iter().chain(uniform).collect();
    let name = format!("polyrs.kernel.{}x{}", shape.rows, shape.columns());
    let (own, args) = ir.new_kernel((key, &name), &params, shape.vector_bits());
    Writer { ir: &own, like: ir, c, shape }.write(&args);
    own.verify().map_err(|why| super::bug(format!("the kernel is not well-formed: {why}")))?;
    Ok(own.function())
}

struct Writer<'w, 'f> {
    ir: &'w Ir<'f>,
    /// Has the instructions whose operations are done.
    like: &'w Ir<'f>,
    c: &'w Contracting<'f, 'w>,
    shape: &'w Shape<'f>,
}

/// Values of one depth in vectors.
struct Values<'v, 'f> {
    rows: Vec<Val<'f>>,
    columns: &'v [Vec<Val<'f>>],
    uniform: &'v [Val<'f>],
}

impl<'f> Writer<'_, 'f> {
    fn word(&self, value: u64) -> Val<'f> {
        Code { ir: self.ir }.word(value)
    }

    /// Addresses of the vectors of the tile, row by row.
    fn tile(&self, tile: Val<'f>, row_bytes: Val<'f>) -> Vec<Val<'f>> {
        let (ir, mut out) = (self.ir, Vec::new());
        for r in 0..self.shape.rows {
            let row = ir.gep(tile, 1, ir.bin(Bin::Mul, row_bytes, self.word(r.into())));
            let vectors = (0..self.shape.vectors).map(|v| ir.gep(row, self.shape.vector_bytes(), self.word(v.into())));
            out.extend(vectors);
        }
        out
    }

    fn write(&self, args: &[Val<'f>]) {
        let (ir, s) = (self.ir, &self.shape);
        let [depth, rows, columns, tile, row_bytes] = [args[0], args[1], args[2], args[3], args[4]];
        let tile_at = self.tile(tile, row_bytes);
        let load = |at: &Val<'f>| ir.align(ir.load(s.vector, *at), s.alignment);
        let first: Vec<Val<'f>> = tile_at.iter().map(load).collect();
        let uniform: Vec<Val<'f>> = args[5..].iter().map(|v| ir.splat(*v, s.lanes)).collect();
        let entry = ir.current();
        let (header, exit) = (ir.new_block("depth"), ir.new_block("done"));
        ir.br(header);
        ir.seek(Pos::End(header));
        let phi = |from: Val<'f>| {
            let made = ir.phi(ir.type_of(from), "");
            ir.add_incoming(made, from, entry);
            made
        };
        let (k, row_at, column_at) = (phi(self.word(0)), phi(rows), phi(columns));
        let old: Vec<Val<'f>> = first.iter().map(|v| phi(*v)).collect();
        let new = self.one_depth(&old, (row_at, column_at), &uniform);
        let width = u64::from(s.vectors) * s.vector_bytes();
        let next = |at: Val<'f>, bytes: u64, values: usize| ir.gep(at, 1, self.word(bytes * values as u64));
        let row_next = next(row_at, u64::from(s.rows) * s.bytes, s.values[0]);
        let column_next = next(column_at, width, s.values[1]);
        let k_next = ir.bin(Bin::AddNsw, k, self.word(1));
        let again = ir.cond_br(ir.icmp(Pred::Slt, k_next, depth), header, exit);
        Code { ir }.leave_as_it_is(again);
        let closed = [(k, k_next), (row_at, row_next), (column_at, column_next)];
        for (phi, value) in closed.into_iter().chain(old.iter().copied().zip(new.iter().copied())) {
            ir.add_incoming(phi, value, header);
        }
        ir.seek(Pos::End(exit));
        for (value, at) in new.iter().zip(&tile_at) {
            ir.align(ir.store(*value, *at), s.alignment);
        }
        ir.ret();
    }

    /// What the tile becomes by the values of one depth.
    fn one_depth(&self, old: &[Val<'f>], (rows, columns): (Val<'f>, Val<'f>), uniform: &[Val<'f>]) -> Vec<Val<'f>> {
        let (ir, s) = (self.ir, &self.shape);
        let alignment = u32::try_from(s.vector_bytes()).unwrap_or(1);
        let column = |n: usize, v: u32| {
            let at = ir.gep(columns, s.vector_bytes(), self.word(n as u64 * u64::from(s.vectors) + u64::from(v)));
            ir.align(ir.load(s.vector, at), alignment)
        };
        let loaded: Vec<Vec<Val<'f>>> =
            (0..s.values[1]).map(|n| (0..s.vectors).map(|v| column(n, v)).collect()).collect();
        let row = |n: usize, r: u32| {
            let at = ir.gep(rows, s.bytes, self.word(n as u64 * u64::from(s.rows) + u64::from(r)));
            ir.splat(ir.load(s.ty, at), s.lanes)
        };
        let mut new = Vec::with_capacity(old.len());
        for r in 0..s.rows {
            let rows = (0..s.values[0]).map(|n| row(n, r)).collect();
            let values = Values { rows, columns: &loaded, uniform };
            for v in 0..s.vectors {
                let at = (r * s.vectors + v) as usize;
                new.push(self.term(&self.c.formula.new, old[at], v as usize, &values));
            }
        }
        new
    }

    fn term(&self, term: &Term, old: Val<'f>, v: usize, values: &Values<'_, 'f>) -> Val<'f> {
        match term {
            Term::Old => old,
            Term::Row(n) => values.rows[*n],
            Term::Column(n) => values.columns[*n][v],
            Term::Uniform(n) => values.uniform[*n],
            Term::Operation(like, of) => {
                let operands: Vec<Val<'f>> = of.iter().map(|t| self.term(t, old, v, values)).collect();
                self.ir.lanewise(self.like.value(*like), &operands)
            }
        }
    }
}
