//! Scalar-evolution expressions -> polynomials over a statement instance's loop values and the values from outside the
//! region.
//!
//! A recurrence `{start, +, step}<L>` becomes `start + step * (value of L's dim - its offset)`: offsets cancel
//! symbolically. Narrow expressions stand for their low bits; sign and zero extensions are followed inwards only where
//! nothing can wrap.

use std::collections::{BTreeMap, HashMap};

use super::atoms::{Atom, Choice, Poly};
use super::emit::{Emitter, bug};
use crate::bridge::ir::Ir;
use crate::error::{Failure, Reject, RejectKind};
use crate::facts::{FunctionFacts, ScevKind, ValueKind};
use crate::ids::{BlockId, LoopId, ScevId, ValueId};
use crate::model::Region;
use crate::scop::affine::recurs;

/// Up to this width the model follows wrap-around exactly instead of assuming that there is none.
const NARROW_BITS: u32 = 16;

/// What may be assumed about wrapping.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Trust {
    /// Only what scalar evolution says.
    Flags,
    /// The model proved or tests at run time that this expression's recurrences do not wrap: addresses, conditions,
    /// bounds.
    Model,
}

/// One loop around a statement instance.
#[derive(Clone, Debug)]
pub struct LoopValue {
    /// The loop.
    pub id: LoopId,
    /// Iteration number, from 0.
    pub iteration: Poly,
}

/// Where an expression is evaluated.
#[derive(Clone, Debug, Default)]
pub struct Place {
    /// Loops of the region around it, outermost first.
    pub loops: Vec<LoopValue>,
    /// Number of the statement instance, for values computed in it.
    pub instance: u32,
}

/// Facts about the code that is replaced.
pub struct Origin<'a> {
    /// The analysed function.
    pub facts: &'a FunctionFacts,
    /// Whether a block is in the region.
    pub inside: Vec<bool>,
    entry: BlockId,
    /// Whether a value went with a region that was replaced.
    lost: Vec<bool>,
    /// A value from outside the region with this expression.
    by_scev: HashMap<ScevId, ValueId>,
    /// See [`FunctionFacts::packed`].
    packed: BTreeMap<ScevId, u32>,
}

impl<'a> Origin<'a> {
    /// Facts of a region.
    ///
    /// # Errors
    /// `Bug` for a region without entry.
    pub fn new(ir: &Ir<'_>, facts: &'a FunctionFacts, region: &Region) -> Result<Self, Failure> {
        let entry = region.entry.ok_or_else(|| bug("a region without entry block".into()))?;
        let mut inside = vec![false; facts.blocks.len()];
        for b in &region.blocks {
            inside[b.index()] = true;
        }
        let lost = (0..facts.values.len()).map(|index| ir.is_lost(ValueId::new(index))).collect();
        let mut origin = Self { facts, inside, entry, lost, by_scev: HashMap::new(), packed: facts.packed() };
        for (index, value) in facts.values.iter().enumerate() {
            let id = ValueId::new(index);
            if let (Some(scev), Some(_)) = (value.scev, value.block)
                && origin.is_available(id)
            {
                origin.by_scev.entry(scev).or_insert(id);
            }
        }
        Ok(origin)
    }

    /// Whether a value is computed before the region on every path to it; phis of the entry block are. What only a
    /// region that was replaced needed is not any more, and what stands in an arm of a branch on data may never be.
    #[must_use]
    pub fn is_available(&self, id: ValueId) -> bool {
        let value = self.facts.value(id);
        let is_entry_phi = |b| b == self.entry && matches!(value.kind, ValueKind::Phi(_));
        let is_before = |b: BlockId| !self.inside[b.index()] && self.dominates_entry(b);
        !self.lost[id.index()] && value.block.is_none_or(|b| is_entry_phi(b) || is_before(b) && !value.in_arm)
    }

    /// Values that the region computes, in function order: all in it but the phis of its entry block.
    pub fn inner_values(&self) -> impl Iterator<Item = ValueId> + '_ {
        let blocks = self.facts.blocks.iter().zip(&self.inside).filter(|(_, inside)| **inside);
        blocks.flat_map(|(block, _)| &block.insts).copied().filter(|id| !self.is_available(*id))
    }

    /// Whether an instruction stands outside of the region.
    #[must_use]
    pub fn is_outside(&self, id: ValueId) -> bool {
        self.facts.value(id).block.is_some_and(|b| !self.inside[b.index()])
    }

    /// Whether an instruction uses the value outside of the region; what runs only where the region ends the program
    /// counts as inside.
    #[must_use]
    pub fn is_used_outside(&self, user: ValueId, value: ValueId) -> bool {
        self.facts.is_used_outside(user, value, |b| self.inside[b.index()])
    }

    /// The value itself, or what it is a copy of: phis of the region with one incoming value are copies.
    #[must_use]
    pub fn resolve(&self, id: ValueId) -> ValueId {
        self.facts.copied_from(id, |v| !self.is_available(v))
    }

    fn dominates_entry(&self, block: BlockId) -> bool {
        self.facts.dominators(self.entry).any(|b| b == block)
    }

    /// Whether a loop lies around the region.
    #[must_use]
    pub fn is_in_loop(&self) -> bool {
        let mut at = self.facts.block(self.entry).innermost;
        while let Some(l) = at {
            if !self.inside[self.facts.lp(l).header.index()] {
                return true;
            }
            at = self.facts.lp(l).parent;
        }
        false
    }

    fn surrounds(&self, lp: LoopId) -> bool {
        let mut at = self.facts.block(self.entry).innermost;
        while let Some(l) = at {
            if l == lp {
                return !self.inside[self.facts.lp(l).header.index()];
            }
            at = self.facts.lp(l).parent;
        }
        false
    }

    fn reject(why: &str) -> Failure {
        Failure::Reject(Reject::new(RejectKind::NonAffineAccess, why, crate::error::SourceLoc::default()))
    }

    /// The bits of an expression (of at most 64), modulo two to its width.
    ///
    /// # Errors
    /// `Reject` where it cannot be computed at `place`.
    pub fn bits(&self, em: &mut Emitter<'_>, s: ScevId, place: &Place, trust: Trust) -> Result<Poly, Failure> {
        let scev = self.facts.scev(s);
        if scev.bits > 64 {
            return Err(Self::reject("wider than 64 bits"));
        }
        match &scev.kind {
            ScevKind::Const(c) => Ok(Poly::constant(*c)),
            ScevKind::Unknown(v) => self.unknown(em, *v, place),
            ScevKind::Add(ops) => self.sum(em, ops, |o, em, op| o.bits(em, op, place, trust)),
            ScevKind::Mul(ops) => self.product(em, ops, |o, em, op| o.bits(em, op, place, trust)),
            ScevKind::AddRec { lp, ops } => {
                let Some(k) = iteration(place, *lp) else { return self.outer_recurrence(em, s, *lp, trust) };
                let &[start, step] = ops.as_slice() else { return Err(Self::reject("not linear in its loop")) };
                let start = self.bits(em, start, place, trust)?;
                Ok(start.add(&self.bits(em, step, place, trust)?.mul(&k)))
            }
            ScevKind::ZExt(x) => self.unsigned(em, *x, place, trust),
            ScevKind::SExt(x) => self.signed(em, *x, place, trust),
            ScevKind::Trunc(x) | ScevKind::PtrToInt(x) => self.bits(em, *x, place, trust),
            ScevKind::SMax(_) | ScevKind::SMin(_) => self.signed(em, s, place, trust),
            ScevKind::UMax(_) | ScevKind::UMin(_) | ScevKind::UDiv(..) => self.unsigned(em, s, place, trust),
            ScevKind::SeqUMin(_) | ScevKind::CouldNotCompute => Err(Self::reject("not computable")),
        }
    }

    /// The value of an expression read as a signed number, in 64 bits.
    ///
    /// # Errors
    /// As [`Self::bits`].
    pub fn signed(&self, em: &mut Emitter<'_>, s: ScevId, place: &Place, trust: Trust) -> Result<Poly, Failure> {
        let scev = self.facts.scev(s);
        if scev.bits == 64 && !matches!(scev.kind, ScevKind::SMax(_) | ScevKind::SMin(_)) {
            return self.bits(em, s, place, trust);
        }
        if !scev.nsw && self.is_modelled(s, place, trust) {
            return self.modelled(em, s, place);
        }
        let exact = scev.nsw;
        match &scev.kind {
            ScevKind::Const(c) => Ok(Poly::constant(*c)),
            ScevKind::Unknown(v) => self.unknown(em, *v, place),
            ScevKind::Add(ops) if exact => self.sum(em, ops, |o, em, op| o.signed(em, op, place, trust)),
            ScevKind::Mul(ops) if exact => self.product(em, ops, |o, em, op| o.signed(em, op, place, trust)),
            ScevKind::AddRec { lp, ops } if exact && ops.len() == 2 && iteration(place, *lp).is_some() => {
                let k = iteration(place, *lp).unwrap_or_default();
                let start = self.signed(em, ops[0], place, trust)?;
                Ok(start.add(&self.signed(em, ops[1], place, trust)?.mul(&k)))
            }
            ScevKind::SExt(x) => self.signed(em, *x, place, trust),
            ScevKind::ZExt(x) => self.unsigned(em, *x, place, trust),
            ScevKind::SMax(ops) => self.choice(em, Choice::SMax, ops, |o, em, op| o.signed(em, op, place, trust)),
            ScevKind::SMin(ops) => self.choice(em, Choice::SMin, ops, |o, em, op| o.signed(em, op, place, trust)),
            _ => {
                if let Some(v) = self.by_scev.get(&s) {
                    return Ok(em.atoms.poly(Atom::Value(*v)));
                }
                let bits = self.bits(em, s, place, trust)?;
                Ok(extended(em, scev.bits, bits, Atom::SExt))
            }
        }
    }

    /// The value of an expression read as an unsigned number, in 64 bits.
    ///
    /// # Errors
    /// As [`Self::bits`].
    pub fn unsigned(&self, em: &mut Emitter<'_>, s: ScevId, place: &Place, trust: Trust) -> Result<Poly, Failure> {
        let scev = self.facts.scev(s);
        let own = matches!(scev.kind, ScevKind::UMax(_) | ScevKind::UMin(_) | ScevKind::UDiv(..));
        if scev.bits == 64 && !own {
            return self.bits(em, s, place, trust);
        }
        if scev.nonneg && !own {
            return self.signed(em, s, place, trust);
        }
        if !scev.nuw && self.is_modelled(s, place, trust) {
            return self.modelled(em, s, place);
        }
        match &scev.kind {
            ScevKind::Add(ops) if scev.nuw => self.sum(em, ops, |o, em, op| o.unsigned(em, op, place, trust)),
            ScevKind::Mul(ops) if scev.nuw => self.product(em, ops, |o, em, op| o.unsigned(em, op, place, trust)),
            ScevKind::AddRec { lp, ops } if scev.nuw && ops.len() == 2 && iteration(place, *lp).is_some() => {
                let k = iteration(place, *lp).unwrap_or_default();
                let start = self.unsigned(em, ops[0], place, trust)?;
                Ok(start.add(&self.unsigned(em, ops[1], place, trust)?.mul(&k)))
            }
            ScevKind::ZExt(x) => self.unsigned(em, *x, place, trust),
            ScevKind::UMax(ops) => self.choice(em, Choice::UMax, ops, |o, em, op| o.unsigned(em, op, place, trust)),
            ScevKind::UMin(ops) => self.choice(em, Choice::UMin, ops, |o, em, op| o.unsigned(em, op, place, trust)),
            ScevKind::UDiv(a, b) => match self.facts.scev(*b).kind {
                ScevKind::Const(d) if d > 0 => {
                    let a = self.unsigned(em, *a, place, trust)?;
                    Ok(em.atoms.poly(Atom::UDiv(a, d)))
                }
                _ => match self.by_scev.get(&s) {
                    Some(v) => {
                        let value = em.atoms.poly(Atom::Value(*v));
                        Ok(if scev.bits == 64 { value } else { extended(em, scev.bits, value, Atom::ZExt) })
                    }
                    // Where the program does not divide, the quotient does not matter.
                    None if !self.varies(*b, place) => {
                        let (a, b) = (self.unsigned(em, *a, place, trust)?, self.unsigned(em, *b, place, trust)?);
                        Ok(em.atoms.poly(Atom::Quotient(a, b)))
                    }
                    None => Err(Self::reject(crate::remedies::DIVISOR)),
                },
            },
            _ => {
                let bits = self.bits(em, s, place, trust)?;
                Ok(extended(em, scev.bits, bits, Atom::ZExt))
            }
        }
    }

    /// Whether the model knows the value of an expression, read as it is used (signed or unsigned), to be that of its
    /// polynomial.
    fn is_modelled(&self, s: ScevId, place: &Place, trust: Trust) -> bool {
        let scev = self.facts.scev(s);
        let by_polynomial =
            matches!(scev.kind, ScevKind::Add(_) | ScevKind::Mul(_) | ScevKind::AddRec { .. } | ScevKind::Trunc(_));
        trust == Trust::Model && scev.bits > NARROW_BITS && by_polynomial && self.varies(s, place)
    }

    /// The polynomial of an expression as the model reads it: constants and values signed, sums and products without
    /// wrapping.
    fn modelled(&self, em: &mut Emitter<'_>, s: ScevId, place: &Place) -> Result<Poly, Failure> {
        match &self.facts.scev(s).kind {
            ScevKind::Add(ops) => self.sum(em, ops, |o, em, op| o.modelled(em, op, place)),
            ScevKind::Mul(ops) => self.product(em, ops, |o, em, op| o.modelled(em, op, place)),
            ScevKind::AddRec { lp, ops } if iteration(place, *lp).is_some() => {
                let &[start, step] = ops.as_slice() else { return Err(Self::reject("not linear in its loop")) };
                let k = iteration(place, *lp).unwrap_or_default();
                let start = self.modelled(em, start, place)?;
                Ok(start.add(&self.modelled(em, step, place)?.mul(&k)))
            }
            // One of several numbers in a value is a parameter; else a value is assumed to fit.
            ScevKind::Trunc(x) if self.facts.is_part_of(&self.packed, s).is_none() => self.modelled(em, *x, place),
            ScevKind::UMax(_) | ScevKind::UMin(_) | ScevKind::UDiv(..) | ScevKind::ZExt(_) => {
                self.unsigned(em, s, place, Trust::Model)
            }
            _ => self.signed(em, s, place, Trust::Model),
        }
    }

    fn unknown(&self, em: &mut Emitter<'_>, v: ValueId, place: &Place) -> Result<Poly, Failure> {
        if self.is_available(v) {
            return Ok(em.atoms.poly(Atom::Value(v)));
        }
        match em.local(place.instance, v) {
            Some(atom) => Ok(Poly::atom(atom)),
            None => Err(Self::reject("changes inside the region")),
        }
    }

    fn sum(
        &self,
        em: &mut Emitter<'_>,
        ops: &[ScevId],
        each: impl Fn(&Self, &mut Emitter<'_>, ScevId) -> Result<Poly, Failure>,
    ) -> Result<Poly, Failure> {
        let mut sum = Poly::default();
        for op in ops {
            sum = sum.add(&each(self, em, *op)?);
        }
        Ok(sum)
    }

    fn product(
        &self,
        em: &mut Emitter<'_>,
        ops: &[ScevId],
        each: impl Fn(&Self, &mut Emitter<'_>, ScevId) -> Result<Poly, Failure>,
    ) -> Result<Poly, Failure> {
        let mut product = Poly::constant(1);
        for op in ops {
            product = product.mul(&each(self, em, *op)?);
        }
        Ok(product)
    }

    fn choice(
        &self,
        em: &mut Emitter<'_>,
        which: Choice,
        ops: &[ScevId],
        each: impl Fn(&Self, &mut Emitter<'_>, ScevId) -> Result<Poly, Failure>,
    ) -> Result<Poly, Failure> {
        let of = ops.iter().map(|op| each(self, em, *op)).collect::<Result<Vec<_>, _>>()?;
        Ok(em.atoms.poly(Atom::Choice(which, of)))
    }

    /// A recurrence of a loop around the region: a value that holds it, or its start and step with the loop's own
    /// counter.
    fn outer_recurrence(&self, em: &mut Emitter<'_>, s: ScevId, lp: LoopId, trust: Trust) -> Result<Poly, Failure> {
        if !self.surrounds(lp) {
            return Err(Self::reject("recurrence of a loop that is not around"));
        }
        if let Some(v) = self.by_scev.get(&s) {
            return Ok(em.atoms.poly(Atom::Value(*v)));
        }
        let ScevKind::AddRec { ops, .. } = &self.facts.scev(s).kind else {
            return Err(Self::reject("not a recurrence"));
        };
        let &[start, step] = ops.as_slice() else { return Err(Self::reject("not linear in its loop")) };
        let outside = Place::default();
        let Some(k) = self.outer_iteration(em, lp, self.facts.scev(s).bits, trust)? else {
            return Err(Self::reject("no counter of the loop around"));
        };
        let start = self.bits(em, start, &outside, trust)?;
        Ok(start.add(&self.bits(em, step, &outside, trust)?.mul(&k)))
    }

    /// Number of the current iteration of a loop around the region, exact modulo two to the power `bits`: taken from a
    /// header phi that counts by one.
    fn outer_iteration(
        &self,
        em: &mut Emitter<'_>,
        lp: LoopId,
        bits: u32,
        trust: Trust,
    ) -> Result<Option<Poly>, Failure> {
        let outside = Place::default();
        for &phi in &self.facts.block(self.facts.lp(lp).header).insts {
            let value = self.facts.value(phi);
            if !matches!(value.kind, ValueKind::Phi(_)) {
                break;
            }
            let Some(scev) = value.scev.map(|s| self.facts.scev(s)) else { continue };
            let ScevKind::AddRec { lp: of, ops } = &scev.kind else { continue };
            let &[start, step] = ops.as_slice() else { continue };
            let direction = match self.facts.scev(step).kind {
                ScevKind::Const(c @ (1 | -1)) => c,
                _ => continue,
            };
            if *of != lp || scev.is_ptr || !(scev.bits >= bits || scev.nsw) {
                continue;
            }
            let now = em.atoms.poly(Atom::Value(phi));
            let first = self.signed(em, start, &outside, trust)?;
            return Ok(Some(now.sub(&first).scale(direction)));
        }
        Ok(None)
    }

    /// Whether an expression contains a recurrence of one of the loops of `place`.
    fn varies(&self, s: ScevId, place: &Place) -> bool {
        recurs(self.facts, s, &|lp| iteration(place, lp).is_some())
    }
}

fn iteration(place: &Place, lp: LoopId) -> Option<Poly> {
    place.loops.iter().find(|l| l.id == lp).map(|l| l.iteration.clone())
}

fn extended(em: &mut Emitter<'_>, bits: u32, p: Poly, make: fn(u32, Poly) -> Atom) -> Poly {
    em.atoms.poly(make(bits, p))
}
