//! What is multiplied in addresses: lengths of rows and strides.
//!
//! A row may be as long as a minimum, a maximum, a quotient or a product of values that do not change in the region.
//! Such a factor is one parameter, so that subscripts stay affine; what is known of it, as that a maximum is no less
//! than what it is taken of, goes along.

use super::affine::{Cons, NonAffine, ParamDef, Pw, Reader, combine_all, operands};
use super::polynomial::{Mono, Poly, Sym};
use crate::facts::ScevKind;
use crate::ids::{BlockId, ScevId};
use std::rc::Rc;

impl Reader<'_> {
    /// What others are multiplied by: an invariant minimum, maximum or quotient is a parameter here, as lengths of rows
    /// are.
    pub(super) fn read_factor(&mut self, id: ScevId) -> Result<Rc<Pw>, NonAffine> {
        let pw = self.read(id)?;
        let plain = pw.as_single().is_some_and(|p| p.syms().all(|s| !matches!(s, Sym::Floor(_))));
        if plain || !self.is_invariant(id) {
            return Ok(pw);
        }
        let scev = self.facts.scev(id);
        let whole = match &scev.kind {
            ScevKind::Add(ops) => self.read_factors(ops).and_then(|parts| combine_all(&parts, scev, Poly::add)),
            ScevKind::Mul(ops) => self.read_factors(ops).and_then(|parts| combine_all(&parts, scev, Poly::mul)),
            _ => None,
        };
        let pw = match whole {
            Some(pw) => pw,
            None => {
                let pw = self.param_value(id)?;
                self.relate(id);
                pw
            }
        };
        let pw = Rc::new(pw);
        self.remember(id, Ok(pw.clone()));
        Ok(pw)
    }

    /// Whether the expression is one of the numbers that an invariant value is made of.
    pub(super) fn is_packed_part(&mut self, id: ScevId) -> bool {
        let facts = self.facts;
        let packed = self.packed.get_or_insert_with(|| facts.packed());
        let of = facts.is_part_of(packed, id);
        of.is_some_and(|of| self.is_invariant(of))
    }

    fn read_factors(&mut self, ops: &[ScevId]) -> Option<Vec<Rc<Pw>>> {
        ops.iter().map(|op| self.read_factor(*op).ok()).collect()
    }

    /// [`Self::prepare`] for all loads and stores of the blocks.
    pub fn prepare_accesses(&mut self, blocks: &[BlockId]) {
        let facts = self.facts;
        let values = blocks.iter().flat_map(|b| &facts.block(*b).insts);
        values.filter_map(|v| facts.value(*v).offset).for_each(|offset| self.prepare(offset));
    }

    /// Reads what the expression, the address of an access, multiplies with others: lengths of rows become parameters
    /// before bounds are read, which are made of them as well.
    fn prepare(&mut self, id: ScevId) {
        if std::mem::replace(&mut self.prepared[id.index()], true) {
            return;
        }
        match &self.facts.scev(id).kind {
            ScevKind::AddRec { ops, .. } => {
                self.prepare(ops[0]);
                for step in &ops[1..] {
                    if self.has_choice(*step) {
                        let _ = self.read_factor(*step);
                    }
                }
            }
            ScevKind::Mul(ops) if ops.len() > 1 => {
                for op in ops {
                    self.prepare(*op);
                    if self.has_choice(*op) {
                        let _ = self.read_factor(*op);
                    }
                }
            }
            kind => operands(kind).for_each(|op| self.prepare(op)),
        }
    }

    /// Whether the expression does not vary and is made of a minimum, a maximum or a quotient.
    fn has_choice(&mut self, id: ScevId) -> bool {
        let kind = &self.facts.scev(id).kind;
        let is_one = matches!(
            kind,
            ScevKind::SMax(_) | ScevKind::SMin(_) | ScevKind::UMax(_) | ScevKind::UMin(_) | ScevKind::UDiv(..)
        );
        self.is_invariant(id) && (is_one || operands(kind).any(|op| self.has_choice(op)))
    }

    /// Notes what is known of the parameter that stands for a minimum, a maximum or a quotient.
    fn relate(&mut self, id: ScevId) {
        let Ok(own) = self.param(id).map(Poly::sym) else { return };
        let mut inner = id;
        while let ScevKind::ZExt(x) | ScevKind::SExt(x) = self.facts.scev(inner).kind {
            let keeps = matches!(self.facts.scev(inner).kind, ScevKind::SExt(_)) || self.facts.scev(x).nonneg;
            if !keeps {
                return;
            }
            inner = x;
        }
        let (ops, is_max) = match &self.facts.scev(inner).kind {
            ScevKind::SMax(ops) => (ops.as_slice(), true),
            ScevKind::SMin(ops) => (ops.as_slice(), false),
            ScevKind::UDiv(a, b) => {
                if let (Some(num), ScevKind::Const(den)) = (self.plain(*a, false), &self.facts.scev(*b).kind) {
                    self.related.extend(quotient_of(&own, &num, *den).into_iter().flatten());
                }
                return;
            }
            _ => return,
        };
        for op in ops {
            let Some(value) = self.plain(*op, true) else { continue };
            let gain = if is_max { own.sub(&value) } else { value.sub(&own) };
            self.related.extend(gain.map(Cons::ge));
        }
    }

    /// The expression as one polynomial of degree at most 1 that needs no check.
    fn plain(&mut self, id: ScevId, signed: bool) -> Option<Poly> {
        let pw = if signed { self.read_signed(id) } else { self.read_unsigned(id) }.ok()?;
        let is_plain = |p: &&Poly| pw.checks.is_empty() && p.syms().all(|s| matches!(s, Sym::Param(_)));
        pw.as_single().filter(is_plain).cloned()
    }

    /// The factors of a product, those that do not vary as one parameter each where they have no plain form.
    pub(super) fn factors(&mut self, ops: &[ScevId]) -> Result<Vec<Rc<Pw>>, NonAffine> {
        let is_constant = |r: &Self, op: ScevId| matches!(r.facts.scev(op).kind, ScevKind::Const(_));
        let several = ops.iter().filter(|op| !is_constant(self, **op)).count() > 1;
        ops.iter().map(|op| if several { self.read_factor(*op) } else { self.read(*op) }).collect()
    }

    /// As [`Self::linearize`] for a part of an address: there a product of parameters counts modulo 2^64, and may be a
    /// parameter even where the code nowhere computes it.
    pub fn linearize_address(&mut self, poly: &Poly) -> Option<Poly> {
        if let Some(plain) = self.linearize(poly) {
            return Some(plain);
        }
        if poly.terms().iter().any(|(mono, _)| mono.degree() > 1 && !mono.is_param_only()) {
            return None;
        }
        poly.terms().iter().try_fold(Poly::default(), |sum, (mono, c)| {
            let term = Poly::term(*mono, *c);
            let term = match self.linearize(&term) {
                Some(term) => term,
                None => Poly::sym(self.own_product(mono)?).scale(*c)?,
            };
            sum.add(&term)
        })
    }

    /// A parameter that is the product of these.
    fn own_product(&mut self, mono: &Mono) -> Option<Sym> {
        if let Some(known) = self.own_products.get(mono) {
            return Some(*known);
        }
        let mut factors = Vec::new();
        for sym in mono.syms() {
            let Sym::Param(k) = sym else { return None };
            let param = self.params.get(k as usize)?;
            factors.extend(std::iter::once(param.value).chain(param.times.iter().copied()));
        }
        let (value, times) = factors.split_first()?;
        let sym = Sym::Param(u32::try_from(self.params.len()).ok()?);
        self.params.push(ParamDef { value: *value, times: times.to_vec(), bits: 64, nonneg: false });
        self.own_products.insert(*mono, sym);
        Some(sym)
    }

    /// Lets the invariant expression stand for the product of parameters that it is.
    pub(super) fn note_product(&mut self, id: ScevId, pw: &Pw) {
        if let (true, Some(value)) = (self.is_invariant(id), pw.as_single())
            && let [(mono, c)] = value.terms()
            && mono.degree() > 1
        {
            self.products.entry(*mono).or_insert((id, *c));
        }
    }
}

/// What holds of `own` = floor(num / den).
fn quotient_of(own: &Poly, num: &Poly, den: i64) -> Option<[Cons; 2]> {
    let rest = num.sub(&own.scale(den)?)?;
    Some([Cons::ge(rest.clone()), Cons::ge(rest.scale(-1)?.plus(den.checked_sub(1)?)?)])
}
