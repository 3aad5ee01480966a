//! The run-time check: parameters satisfy what the model assumed, and arrays that may overlap do not.
//!
//! The check runs before anything is known of the parameters, so its own arithmetic is widened until it cannot wrap.

use std::collections::HashMap;

use super::emit::{Emitter, bug};
use super::rows::Tables;
use crate::ast::check::{RunTimeCheck, log2};
use crate::ast::types::{Cond, Expr};
use crate::bridge::ir::{Bin, Cast, MinMax, Ty, Val};
use crate::error::{Failure, Limit};
use crate::facts::Pred;
use crate::ids::{ArrayId, ValueId};
use crate::model::{ParamPoly, Scop};

/// Emits checks at the current position.
pub struct Checker<'e, 'f> {
    pub(super) em: &'e mut Emitter<'f>,
    /// Each parameter lies between `-2^m` and `2^m`.
    magnitudes: Vec<u32>,
    /// Parameters, base addresses and strides emitted so far.
    known: HashMap<Known, Val<'f>>,
}

/// What is needed more than once; types by width.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Known {
    Param(usize, Option<u32>),
    Address(ValueId),
    Stride(Vec<(i64, Vec<usize>)>, Option<u32>),
}

impl<'e, 'f> Checker<'e, 'f> {
    /// For what is to be tested of a SCoP, whose parameters the emitter knows.
    pub fn new(em: &'e mut Emitter<'f>) -> Self {
        Self { em, magnitudes: Vec::new(), known: HashMap::new() }
    }

    /// Whether the parameters are as large as the model assumed of each alone, as an i1: what small data fails by.
    ///
    /// # Errors
    /// `Limit` where more than 128 bits would be needed.
    pub fn large(&mut self, check: &RunTimeCheck) -> Result<Val<'f>, Failure> {
        self.magnitudes.clone_from(&check.magnitudes);
        self.all(check.conditions().iter().filter(|c| c.asks_for_size()))
    }

    /// Whether the parameters satisfy what else the model assumed, as an i1.
    ///
    /// # Errors
    /// As [`Checker::large`].
    pub fn known(&mut self, check: &RunTimeCheck) -> Result<Val<'f>, Failure> {
        self.magnitudes.clone_from(&check.magnitudes);
        let holds = self.all(check.conditions().iter().filter(|c| !c.asks_for_size()))?;
        self.magnitudes.clone_from(&check.assumed_magnitudes);
        let nonneg = self.nonneg(&check.nonneg)?;
        Ok(self.and(holds, nonneg))
    }

    /// Whether all conditions hold, as an i1.
    fn all<'c>(&mut self, conds: impl Iterator<Item = &'c Cond>) -> Result<Val<'f>, Failure> {
        let mut all = self.truth(true);
        for cond in conds {
            let holds = self.cond(cond)?;
            all = self.and(all, holds);
        }
        Ok(all)
    }

    /// Whether no arrays overlap that may not, as an i1, where it is `known` what the parameters satisfy; it may say
    /// "overlap" where there is none.
    ///
    /// # Errors
    /// As [`Checker::known`].
    pub fn apart(&mut self, scop: &Scop, check: &RunTimeCheck, known: Val<'f>) -> Result<Val<'f>, Failure> {
        self.disjoint(scop, check, known)
    }

    /// Whether all polynomials are >= 0, as an i1.
    fn nonneg(&mut self, polys: &[ParamPoly]) -> Result<Val<'f>, Failure> {
        let mut all = self.truth(true);
        for poly in polys {
            let ty = self.fitting(self.stride_magnitude(poly)?)?;
            let value = self.stride(poly, ty)?;
            let holds = self.em.ir.icmp(Pred::Sge, value, self.em.ir.int(ty, 0));
            all = self.and(all, holds);
        }
        Ok(all)
    }

    pub(super) fn truth(&self, v: bool) -> Val<'f> {
        self.em.ir.int(self.em.ir.int_ty(1), if v { -1 } else { 0 })
    }

    /// Conjunction of two truth values.
    pub(super) fn and(&self, a: Val<'f>, b: Val<'f>) -> Val<'f> {
        match (self.em.ir.as_const(a), self.em.ir.as_const(b)) {
            (Some(0), _) | (_, Some(0)) => self.truth(false),
            (Some(_), _) => b,
            (_, Some(_)) => a,
            _ => self.em.ir.bin(Bin::And, a, b),
        }
    }

    fn or(&self, a: Val<'f>, b: Val<'f>) -> Val<'f> {
        match (self.em.ir.as_const(a), self.em.ir.as_const(b)) {
            (Some(0), _) => b,
            (_, Some(0)) => a,
            (Some(_), _) | (_, Some(_)) => self.truth(true),
            _ => self.em.ir.bin(Bin::Or, a, b),
        }
    }

    /// A condition on the parameters, as an i1; exact whatever their values.
    pub(super) fn cond(&mut self, c: &Cond) -> Result<Val<'f>, Failure> {
        Ok(match c {
            Cond::True => self.truth(true),
            Cond::False => self.truth(false),
            Cond::And(of) => self.all(of.iter())?,
            Cond::Or(of) => {
                let mut any = self.truth(false);
                for c in of {
                    let v = self.cond(c)?;
                    any = self.or(any, v);
                }
                any
            }
            Cond::Not(c) => {
                let v = self.cond(c)?;
                match self.em.ir.as_const(v) {
                    Some(k) => self.truth(k == 0),
                    None => self.em.ir.bin(Bin::Xor, v, self.truth(true)),
                }
            }
            Cond::Ge(a, b) => self.compare(Pred::Sge, a, b)?,
            Cond::Eq(a, b) => self.compare(Pred::Eq, a, b)?,
        })
    }

    fn compare(&mut self, pred: Pred, a: &Expr, b: &Expr) -> Result<Val<'f>, Failure> {
        let ty = self.fitting(self.magnitude(a)?.max(self.magnitude(b)?))?;
        let (a, b) = (self.wide(a, ty)?, self.wide(b, ty)?);
        Ok(self.em.ir.icmp(pred, a, b))
    }

    /// The value of an expression in a type in which nothing on the way to it wraps.
    pub(super) fn widest(&mut self, e: &Expr) -> Result<Val<'f>, Failure> {
        let ty = self.fitting(self.magnitude(e)?)?;
        self.wide(e, ty)
    }

    /// The narrowest type in which nothing of `bits` bits of magnitude, sums with a carry included, wraps.
    fn fitting(&self, bits: u32) -> Result<Ty<'f>, Failure> {
        match bits {
            0..=62 => Ok(self.em.ir.int_ty(64)),
            63..=126 => Ok(self.em.ir.int_ty(128)),
            // Offsets in arrays of four dims whose sizes are parameters.
            127..=254 => Ok(self.em.ir.int_ty(256)),
            _ => Err(Limit::overflow("run-time check")),
        }
    }

    /// `|e| <= 2^magnitude`, also for every intermediate result.
    fn magnitude(&self, e: &Expr) -> Result<u32, Failure> {
        let most = |of: &[Expr]| of.iter().try_fold(0, |m, e| Ok::<u32, Failure>(m.max(self.magnitude(e)?)));
        let result = match e {
            Expr::Int(v) => log2(v.unsigned_abs()),
            Expr::Param(k) => self.param_magnitude(*k)?,
            Expr::Iter(i) => return Err(bug(format!("iterator {i} in a run-time check"))),
            Expr::Add(of) => most(of)? + log2(of.len() as u64),
            Expr::Mul(k, e) => log2(k.unsigned_abs()) + self.magnitude(e)?,
            Expr::FloorDiv(e, d) | Expr::CeilDiv(e, d) | Expr::Mod(e, d) => {
                self.magnitude(e)?.max(log2(d.unsigned_abs())) + 1
            }
            Expr::Min(of) | Expr::Max(of) => most(of)?,
        };
        Ok(result)
    }

    fn param_magnitude(&self, k: usize) -> Result<u32, Failure> {
        self.magnitudes.get(k).copied().ok_or_else(|| bug(format!("no parameter {k}")))
    }

    fn param(&mut self, k: usize, ty: Ty<'f>) -> Result<Val<'f>, Failure> {
        let key = Known::Param(k, self.em.ir.int_bits(ty));
        if let Some(v) = self.known.get(&key) {
            return Ok(*v);
        }
        let p = self.em.expr(&Expr::Param(k))?;
        let v = self.em.value(&p);
        let wide = self.em.ir.cast(Cast::SExt, v, ty);
        self.known.insert(key, wide);
        Ok(wide)
    }

    fn wide(&mut self, e: &Expr, ty: Ty<'f>) -> Result<Val<'f>, Failure> {
        let ir = self.em.ir;
        Ok(match e {
            Expr::Int(v) => ir.int(ty, *v),
            Expr::Param(k) => self.param(*k, ty)?,
            Expr::Iter(i) => return Err(bug(format!("iterator {i} in a run-time check"))),
            Expr::Add(of) => {
                let mut sum = None;
                for e in of {
                    let v = self.wide(e, ty)?;
                    sum = Some(sum.map_or(v, |s| ir.bin(Bin::Add, s, v)));
                }
                sum.unwrap_or_else(|| ir.int(ty, 0))
            }
            Expr::Mul(k, e) => {
                let v = self.wide(e, ty)?;
                ir.bin(Bin::Mul, v, ir.int(ty, *k))
            }
            Expr::FloorDiv(e, d) => {
                let v = self.wide(e, ty)?;
                self.floor(v, *d, ty)
            }
            Expr::CeilDiv(e, d) => {
                let v = self.wide(e, ty)?;
                let zero = ir.int(ty, 0);
                let floor = self.floor(ir.bin(Bin::Sub, zero, v), *d, ty);
                ir.bin(Bin::Sub, zero, floor)
            }
            Expr::Mod(e, d) => {
                let v = self.wide(e, ty)?;
                let floor = self.floor(v, *d, ty);
                ir.bin(Bin::Sub, v, ir.bin(Bin::Mul, floor, ir.int(ty, *d)))
            }
            Expr::Min(of) => self.choose(MinMax::SMin, of, ty)?,
            Expr::Max(of) => self.choose(MinMax::SMax, of, ty)?,
        })
    }

    fn choose(&mut self, op: MinMax, of: &[Expr], ty: Ty<'f>) -> Result<Val<'f>, Failure> {
        let mut best = None;
        for e in of {
            let v = self.wide(e, ty)?;
            best = Some(best.map_or(v, |b| self.em.ir.min_max(op, b, v)));
        }
        best.ok_or_else(|| bug("minimum or maximum of nothing".into()))
    }

    fn floor(&self, v: Val<'f>, d: i64, ty: Ty<'f>) -> Val<'f> {
        let ir = self.em.ir;
        if d.count_ones() == 1 {
            return ir.bin(Bin::AShr, v, ir.int(ty, i64::from(d.trailing_zeros())));
        }
        let divisor = ir.int(ty, d);
        let quotient = ir.bin(Bin::SDiv, v, divisor);
        let rest = ir.bin(Bin::Sub, v, ir.bin(Bin::Mul, quotient, divisor));
        let borrow = ir.cast(Cast::SExt, ir.icmp(Pred::Slt, rest, ir.int(ty, 0)), ty);
        ir.bin(Bin::Add, quotient, borrow)
    }

    /// Whether the arrays of each pair do not overlap, as an i1.
    fn disjoint(&mut self, scop: &Scop, check: &RunTimeCheck, known: Val<'f>) -> Result<Val<'f>, Failure> {
        let mut ends: Vec<Option<(Val<'f>, Val<'f>)>> = vec![None; scop.arrays.len()];
        let mut tables = Tables::new();
        let mut all = self.rows_apart((scop, check), known, &mut tables)?;
        for (a, b) in &check.apart {
            let (rows, other) = if scop.array(*a).is_rows() { (*a, *b) } else { (*b, *a) };
            if scop.array(rows).is_rows() {
                let is_rows = scop.array(other).is_rows();
                let other = if is_rows { Ok(other) } else { Err(self.addresses(scop, (other, check), &mut ends)?) };
                let apart = self.row_pair((scop, check), (rows, other), known, &mut tables)?;
                all = self.and(all, apart);
                continue;
            }
            let (a_first, a_end) = self.bytes(scop, (*a, check), &mut ends)?;
            let (b_first, b_end) = self.bytes(scop, (*b, check), &mut ends)?;
            let before = self.is_up_to(a_end, b_first);
            let behind = self.is_up_to(b_end, a_first);
            let apart = self.or(before, behind);
            all = self.and(all, apart);
        }
        Ok(all)
    }

    /// `a <= b`, of signed integers of any two widths.
    fn is_up_to(&self, a: Val<'f>, b: Val<'f>) -> Val<'f> {
        let ir = self.em.ir;
        let bits = |v: Val<'f>| ir.int_bits(ir.type_of(v)).unwrap_or(0);
        let ty = ir.int_ty(bits(a).max(bits(b)));
        ir.icmp(Pred::Sle, ir.cast(Cast::SExt, a, ty), ir.cast(Cast::SExt, b, ty))
    }

    /// As [`Checker::bytes`], in 128 bits.
    fn addresses(
        &mut self,
        scop: &Scop,
        of: (ArrayId, &RunTimeCheck),
        known: &mut [Option<(Val<'f>, Val<'f>)>],
    ) -> Result<(Val<'f>, Val<'f>), Failure> {
        let ends = self.bytes(scop, of, known)?;
        let fits = |v: Val<'f>| self.em.ir.int_bits(self.em.ir.type_of(v)) == Some(128);
        if fits(ends.0) && fits(ends.1) { Ok(ends) } else { Err(Limit::overflow("run-time check")) }
    }

    /// First touched byte and the one behind the last, as addresses of 128 bits, or of 256 where offsets may have more.
    fn bytes(
        &mut self,
        scop: &Scop,
        (id, check): (ArrayId, &RunTimeCheck),
        known: &mut [Option<(Val<'f>, Val<'f>)>],
    ) -> Result<(Val<'f>, Val<'f>), Failure> {
        if let Some(ends) = known[id.index()] {
            return Ok(ends);
        }
        let array = scop.array(id);
        let (Some(base), Some(touched)) = (array.kind.base(), check.touched.get(&id)) else {
            return Err(bug(format!("{id} has no address to test")));
        };
        let ends = match (&touched.stride, &touched.subscripts) {
            (Some(stride), Some((first, end))) => {
                (self.element(base, first, stride)?, self.element(base, end, stride)?)
            }
            _ => {
                let first = self.address(base);
                (first, self.add_constant(first, i64::from(array.elem_bytes)))
            }
        };
        let ends = if array.is_view() { self.moved(ends, &array.offset)? } else { ends };
        let spill = touched.spill_bytes;
        let ends = (ends.0, if spill == 0 { ends.1 } else { self.add_constant(ends.1, spill) });
        known[id.index()] = Some(ends);
        Ok(ends)
    }

    /// Two addresses so many bytes further on.
    fn moved(&mut self, ends: (Val<'f>, Val<'f>), by: &ParamPoly) -> Result<(Val<'f>, Val<'f>), Failure> {
        let ty = self.fitting(self.stride_magnitude(by)? + 1)?;
        let by = self.stride(by, ty)?;
        let ir = self.em.ir;
        let bits = |v: Val<'f>| ir.int_bits(ir.type_of(v)).unwrap_or(128);
        let add = |end: Val<'f>| {
            let ty = ir.int_ty(bits(end).max(bits(by)));
            ir.bin(Bin::Add, ir.cast(Cast::SExt, end, ty), ir.cast(Cast::SExt, by, ty))
        };
        Ok((add(ends.0), add(ends.1)))
    }

    fn add_constant(&self, v: Val<'f>, c: i64) -> Val<'f> {
        self.em.ir.bin(Bin::Add, v, self.em.ir.int(self.em.ir.type_of(v), c))
    }

    fn address(&mut self, base: ValueId) -> Val<'f> {
        let ir = self.em.ir;
        *self.known.entry(Known::Address(base)).or_insert_with(|| {
            let address = ir.cast(Cast::PtrToInt, ir.value(base), ir.int_ty(64));
            ir.cast(Cast::ZExt, address, ir.int_ty(128))
        })
    }

    fn element(&mut self, base: ValueId, subscript: &Expr, stride: &ParamPoly) -> Result<Val<'f>, Failure> {
        let bits = self.magnitude(subscript)? + self.stride_magnitude(stride)?;
        let ty = self.fitting(bits)?;
        let ir = self.em.ir;
        if *subscript == Expr::Int(0) {
            return Ok(self.address(base));
        }
        let (subscript, stride) = (self.wide(subscript, ty)?, self.stride(stride, ty)?);
        let (offset, first) = (ir.bin(Bin::Mul, subscript, stride), self.address(base));
        let ty = ir.int_ty(ir.int_bits(ty).map_or(128, |bits| bits.max(128)));
        Ok(ir.bin(Bin::Add, ir.cast(Cast::ZExt, first, ty), ir.cast(Cast::SExt, offset, ty)))
    }

    fn stride_magnitude(&self, stride: &ParamPoly) -> Result<u32, Failure> {
        let mut most = 0;
        for (c, product) in &stride.0 {
            let mut bits = log2(c.unsigned_abs());
            for k in product {
                bits += self.param_magnitude(*k)?;
            }
            most = most.max(bits);
        }
        Ok(most + log2(stride.0.len() as u64))
    }

    fn stride(&mut self, stride: &ParamPoly, ty: Ty<'f>) -> Result<Val<'f>, Failure> {
        let ir = self.em.ir;
        let key = Known::Stride(stride.0.clone(), ir.int_bits(ty));
        if let Some(v) = self.known.get(&key) {
            return Ok(*v);
        }
        let mut sum = None;
        for (c, product) in &stride.0 {
            let mut term = ir.int(ty, *c);
            for k in product {
                let p = self.param(*k, ty)?;
                term = ir.bin(Bin::Mul, p, term);
            }
            sum = Some(sum.map_or(term, |s| ir.bin(Bin::Add, s, term)));
        }
        let sum = sum.unwrap_or_else(|| ir.int(ty, 0));
        self.known.insert(key, sum);
        Ok(sum)
    }
}
