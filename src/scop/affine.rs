//! Reads scalar-evolution expressions as piecewise polynomials over parameters, loop dims and floors.
//!
//! Expressions of width w are first read modulo 2^w: sums, products and truncations are exact that way. Where the value
//! itself matters (extensions, comparisons, minima, divisions) it must be in range; that follows from no-wrap flags, or
//! becomes a [`Check`]: the model is right only where all checks hold. Narrow values (up to 16 bits) are reduced by a
//! floor instead.
//! After Doerfert, Grosser, Hack, CGO 2017 (assumptions instead of modelling wrap-around).

use super::polynomial::{Floor, Mono, Poly, Sym};
use crate::facts::{FunctionFacts, Scev, ScevKind, ValueKind};
use crate::ids::{BlockId, LoopId, ScevId, ValueId};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Width up to which wrap-around is modelled exactly.
const NARROW_BITS: u32 = 16;
/// Most pieces of one expression.
const MAX_PIECES: usize = 16;

/// `poly = 0` or `poly >= 0`; poly has degree at most 1.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cons {
    /// True for an equality.
    pub eq: bool,
    /// Left side.
    pub poly: Poly,
}

/// A conjunction.
pub type Conj = Vec<Cons>;

/// Value of an expression where its conditions hold.
#[derive(Clone, Debug)]
pub struct Piece {
    /// When this piece applies.
    pub conds: Conj,
    /// The value.
    pub value: Poly,
}

/// Something that must hold, for the model to be right, wherever the expression that carries it is evaluated:
/// `conds` implies `low <= value <= high`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Check {
    /// When it matters.
    pub conds: Conj,
    /// What is bounded; degree at most 1.
    pub value: Poly,
    /// Smallest value allowed; `None` = no bound.
    pub low: Option<i64>,
    /// Largest value allowed; `None` = no bound.
    pub high: Option<i64>,
}

/// An expression as a piecewise polynomial. Conditions of pieces are disjoint and cover everything.
#[derive(Clone, Debug)]
pub struct Pw {
    /// The pieces, at least one.
    pub pieces: Vec<Piece>,
    /// The value is the expression read as a signed number (else: only equal modulo 2^bits).
    pub signed: bool,
    /// The value is the expression read as an unsigned number.
    pub unsigned: bool,
    /// What must hold for all this.
    pub checks: Vec<Check>,
}

/// The expression cannot be read; names the smallest part that cannot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NonAffine(pub ScevId);

/// What a parameter stands for.
#[derive(Clone, Debug)]
pub struct ParamDef {
    /// The invariant expression.
    pub value: ScevId,
    /// What it is multiplied by, modulo 2^64.
    pub times: Vec<ScevId>,
    /// Bits that it fits into as a signed number.
    pub bits: u32,
    /// Known to be >= 0.
    pub nonneg: bool,
}

/// Reads expressions relative to one region: a set of blocks. Parameters and floors are numbered in order of
/// appearance.
pub struct Reader<'a> {
    /// The function.
    pub facts: &'a FunctionFacts,
    /// Parameters found so far.
    pub params: Vec<ParamDef>,
    /// Floors found so far.
    pub floors: Vec<Floor>,
    inside: &'a [bool],
    entry: BlockId,
    param_of: BTreeMap<ScevId, u32>,
    pub(super) products: BTreeMap<Mono, (ScevId, i64)>,
    /// Parameters that stand for products which nothing in the code is.
    pub(super) own_products: BTreeMap<Mono, Sym>,
    /// Parameters that are assumed to be 1.
    pub units: BTreeSet<u32>,
    /// What was read, and for each expression its place in that, 0 where it was not: most are not.
    read: Vec<Result<Rc<Pw>, NonAffine>>,
    read_at: Vec<usize>,
    invariant: Vec<Option<bool>>,
    /// Whether an expression was prepared.
    pub(super) prepared: Vec<bool>,
    offsets: BTreeMap<LoopId, Option<Poly>>,
    /// What holds of parameters that stand for minima, maxima and quotients of others.
    pub related: Vec<Cons>,
    /// Values that are several numbers side by side, once that was asked, with the bits of the lower ones.
    pub(super) packed: Option<BTreeMap<ScevId, u32>>,
}

impl Pw {
    fn single(value: Poly, signed: bool, unsigned: bool) -> Pw {
        Pw { pieces: vec![Piece { conds: Vec::new(), value }], signed, unsigned, checks: Vec::new() }
    }

    /// The polynomial, if there is only one piece.
    #[must_use]
    pub fn as_single(&self) -> Option<&Poly> {
        match self.pieces.as_slice() {
            [piece] => Some(&piece.value),
            _ => None,
        }
    }
}

impl Cons {
    /// `poly >= 0`.
    #[must_use]
    pub fn ge(poly: Poly) -> Cons {
        Cons { eq: false, poly }
    }

    /// `poly = 0`.
    #[must_use]
    pub fn eq(poly: Poly) -> Cons {
        Cons { eq: true, poly }
    }
}

impl<'a> Reader<'a> {
    /// A reader for the region of the blocks marked in `inside`, entered at `entry`.
    #[must_use]
    pub fn new(facts: &'a FunctionFacts, inside: &'a [bool], entry: BlockId) -> Self {
        let count = facts.scevs.len();
        Self {
            facts,
            params: Vec::new(),
            floors: Vec::new(),
            inside,
            entry,
            param_of: BTreeMap::new(),
            products: BTreeMap::new(),
            own_products: BTreeMap::new(),
            units: BTreeSet::new(),
            read: vec![Err(NonAffine(ScevId::new(0)))],
            read_at: vec![0; count],
            invariant: vec![None; count],
            prepared: vec![false; count],
            offsets: BTreeMap::new(),
            related: Vec::new(),
            packed: None,
        }
    }

    /// True if the block is part of the region.
    #[must_use]
    pub fn contains(&self, block: BlockId) -> bool {
        self.inside[block.index()]
    }

    /// True if the loop is inside the region.
    #[must_use]
    pub fn has_loop(&self, lp: LoopId) -> bool {
        self.contains(self.facts.lp(lp).header)
    }

    /// True if the value is made before the region is entered; phis of the entry block are.
    #[must_use]
    pub fn is_outside(&self, value: ValueId) -> bool {
        let v = self.facts.value(value);
        match v.block {
            Some(b) if b == self.entry => matches!(v.kind, ValueKind::Phi(_)),
            Some(b) => !self.contains(b),
            None => true,
        }
    }

    /// True if the expression has the same value throughout one execution of the region.
    pub fn is_invariant(&mut self, id: ScevId) -> bool {
        if let Some(known) = self.invariant[id.index()] {
            return known;
        }
        let answer = match &self.facts.scev(id).kind {
            ScevKind::CouldNotCompute => false,
            ScevKind::Unknown(v) => self.is_outside(*v),
            ScevKind::AddRec { lp, ops } => self.surrounds(*lp) && ops.iter().all(|op| self.is_invariant(*op)),
            kind => operands(kind).all(|op| self.is_invariant(op)),
        };
        self.invariant[id.index()] = Some(answer);
        answer
    }

    /// True if the region lies inside the loop.
    #[must_use]
    pub fn surrounds(&self, lp: LoopId) -> bool {
        let mut at = self.facts.block(self.entry).innermost;
        while let Some(l) = at {
            if l == lp {
                return true;
            }
            at = self.facts.lp(l).parent;
        }
        false
    }

    /// The expression as a piecewise polynomial, modulo 2^bits unless `signed` or `unsigned` say more.
    ///
    /// # Errors
    /// The part that has no such form.
    pub fn read(&mut self, id: ScevId) -> Result<Rc<Pw>, NonAffine> {
        match self.read_at[id.index()] {
            0 => {
                let result = self.compute(id).map(Rc::new);
                self.remember(id, result.clone());
                result
            }
            at => self.read[at].clone(),
        }
    }

    /// From now on the expression is read as that.
    pub(super) fn remember(&mut self, id: ScevId, result: Result<Rc<Pw>, NonAffine>) {
        self.read_at[id.index()] = self.read.len();
        self.read.push(result);
    }

    /// The expression as a signed number; pieces of degree at most 1.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub fn read_signed(&mut self, id: ScevId) -> Result<Pw, NonAffine> {
        let pw = self.linear(id)?;
        self.into_signed(pw, self.facts.scev(id).bits, id)
    }

    /// The expression as an unsigned number; pieces of degree at most 1.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub fn read_unsigned(&mut self, id: ScevId) -> Result<Pw, NonAffine> {
        let pw = self.linear(id)?;
        self.into_unsigned(pw, self.facts.scev(id).bits, id)
    }

    /// As [`Self::read`], with pieces of degree at most 1.
    pub fn linear(&mut self, id: ScevId) -> Result<Pw, NonAffine> {
        let pw = self.read(id)?;
        let mut pw = (*pw).clone();
        for piece in &mut pw.pieces {
            piece.value = self.linearize(&piece.value).ok_or(NonAffine(id))?;
        }
        Ok(pw)
    }

    /// The polynomial with products of parameters replaced by parameters of their own; `None` if degree above 1
    /// remains.
    pub fn linearize(&mut self, poly: &Poly) -> Option<Poly> {
        if poly.degree() <= 1 {
            return Some(poly.clone());
        }
        let mut sum = Poly::default();
        for (mono, c) in poly.terms() {
            let term = if mono.degree() <= 1 {
                Poly::term(*mono, *c)
            } else {
                let (scev, unit) = *self.products.get(mono)?;
                if c % unit != 0 {
                    return None;
                }
                let param = self.param(scev).ok()?;
                Poly::sym(param).scale(c / unit)?
            };
            sum = sum.add(&term)?;
        }
        Some(sum)
    }

    /// Value of the loop's dim in the first iteration: the start of its induction variable, 0 if there is none that is
    /// affine.
    pub fn offset(&mut self, lp: LoopId) -> Poly {
        self.affine_offset(lp).unwrap_or_default()
    }

    /// As [`Self::offset`], `None` where the dim counts iterations.
    pub fn affine_offset(&mut self, lp: LoopId) -> Option<Poly> {
        if let Some(known) = self.offsets.get(&lp) {
            return known.clone();
        }
        self.offsets.insert(lp, None);
        let start = self.facts.lp(lp).iv_start;
        let found = start.and_then(|s| self.read_start(s).and_then(|_| self.read_signed(s)).ok()).and_then(|pw| {
            let simple = pw.checks.is_empty() && pw.pieces.len() == 1;
            simple.then(|| pw.pieces[0].value.clone()).filter(|p| p.syms().all(|s| !matches!(s, Sym::Floor(_))))
        });
        self.offsets.insert(lp, found.clone());
        found
    }

    /// The parameter that stands for an invariant expression; made on first use.
    pub(super) fn param(&mut self, id: ScevId) -> Result<Sym, NonAffine> {
        if let Some(&known) = self.param_of.get(&id) {
            return Ok(Sym::Param(known));
        }
        let scev = self.facts.scev(id);
        if scev.bits > 64 || scev.is_ptr || scev.bits == 0 {
            return Err(NonAffine(id));
        }
        let number = u32::try_from(self.params.len()).map_err(|_| NonAffine(id))?;
        self.params.push(ParamDef {
            value: id,
            times: Vec::new(),
            bits: self.facts.signed_bits(id),
            nonneg: scev.nonneg,
        });
        self.param_of.insert(id, number);
        Ok(Sym::Param(number))
    }

    /// Whether the maximum of these is better a parameter than a choice: how often a loop runs that runs at least once,
    /// where what tells that it does is not known.
    fn is_own_parameter(&mut self, ops: &[ScevId]) -> bool {
        let is_one = |r: &Self, op: ScevId| matches!(r.facts.scev(op).kind, ScevKind::Const(1));
        let &[a, b] = ops else { return false };
        let other = if is_one(self, a) { b } else { a };
        let is_count = (is_one(self, a) || is_one(self, b)) && !self.param_of.contains_key(&other);
        is_count && matches!(self.facts.scev(other).kind, ScevKind::Unknown(_)) && self.is_invariant(other)
    }

    /// Whether this is how far two pointers are apart, less a constant: the size of a range that C++ walks through. It
    /// is a size, and each pointer alone is none: addresses are larger than the model's sizes may be.
    fn is_between_pointers(&mut self, ops: &[ScevId]) -> bool {
        let facts = self.facts;
        let is_address = |s: ScevId| matches!(facts.scev(s).kind, ScevKind::PtrToInt(_));
        let is_minus = |s: ScevId| match &facts.scev(s).kind {
            ScevKind::Mul(of) => match of.as_slice() {
                &[minus, of] => matches!(facts.scev(minus).kind, ScevKind::Const(-1)) && is_address(of),
                _ => false,
            },
            _ => false,
        };
        let (mut last, mut first, mut constants) = (0, 0, 0);
        for &op in ops {
            last += usize::from(is_address(op));
            first += usize::from(is_minus(op));
            constants += usize::from(matches!(facts.scev(op).kind, ScevKind::Const(_)));
        }
        (last, first, ops.len() - constants) == (1, 1, 2) && ops.iter().all(|op| self.is_invariant(*op))
    }

    pub(super) fn param_value(&mut self, id: ScevId) -> Result<Pw, NonAffine> {
        let sym = self.param(id)?;
        Ok(Pw::single(Poly::sym(sym), true, self.facts.scev(id).nonneg))
    }

    /// A narrow number as it is used where it has no sign anywhere, `zext i16 %n to i32`: a parameter of its own, so
    /// that no remainder of a signed one stands in each bound.
    fn unsigned_size(&self, id: ScevId) -> Option<ScevId> {
        let (facts, scev) = (self.facts, self.facts.scev(id));
        let is_one = matches!(scev.kind, ScevKind::Unknown(_) | ScevKind::Trunc(_));
        let is_narrow = is_one && (8..=NARROW_BITS).contains(&scev.bits) && !scev.nonneg;
        let extended = || facts.scevs.iter().enumerate().map(|(k, scev)| (ScevId::new(k), &scev.kind));
        let is_signed = || extended().any(|(_, kind)| matches!(kind, ScevKind::SExt(of) if *of == id));
        let unsigned = || extended().find(|(_, kind)| matches!(kind, ScevKind::ZExt(of) if *of == id));
        if is_narrow && !is_signed() { unsigned().map(|(k, _)| k) } else { None }
    }

    fn floor(&mut self, num: &Poly, den: i64) -> Option<Poly> {
        let num = self.linearize(num)?;
        if let Some(c) = num.as_constant() {
            return Some(Poly::constant(c.div_euclid(den)));
        }
        if let Some(exact) = num.exact_div(den) {
            return Some(exact);
        }
        let floor = Floor { num, den };
        let at = match self.floors.iter().position(|f| *f == floor) {
            Some(at) => at,
            None => {
                self.floors.push(floor);
                self.floors.len() - 1
            }
        };
        Some(Poly::sym(Sym::Floor(u32::try_from(at).ok()?)))
    }

    fn compute(&mut self, id: ScevId) -> Result<Pw, NonAffine> {
        let facts = self.facts;
        let scev = facts.scev(id);
        let size = self.unsigned_size(id).filter(|_| self.is_invariant(id));
        let mut pw = match &scev.kind {
            ScevKind::Const(c) => Pw::single(Poly::constant(*c), true, *c >= 0),
            _ if self.param_of.contains_key(&id) => self.param_value(id)?,
            _ if scev.is_ptr || scev.bits > 64 => return Err(NonAffine(id)),
            _ if size.is_some() => Pw { signed: false, ..self.param_value(size.unwrap_or(id))? },
            ScevKind::Unknown(_) | ScevKind::PtrToInt(_) if self.is_invariant(id) => self.param_value(id)?,
            ScevKind::AddRec { .. } if self.is_invariant(id) => self.outer_recurrence(id)?,
            ScevKind::AddRec { lp, ops } => self.recurrence(id, scev, *lp, ops)?,
            ScevKind::Add(ops) if self.is_between_pointers(ops) => self.param_value(id)?,
            ScevKind::Add(ops) => self.fold(id, scev, ops, |a, b| a.add(b))?,
            ScevKind::Mul(ops) => self.product(id, scev, ops)?,
            ScevKind::UDiv(..) | ScevKind::Trunc(_) if self.is_packed_part(id) => self.param_value(id)?,
            ScevKind::UDiv(a, b) => self.quotient(id, *a, *b)?,
            ScevKind::ZExt(a) => self.read_extended(id, *a, false)?,
            ScevKind::SExt(a) => self.read_extended(id, *a, true)?,
            ScevKind::Trunc(a) => {
                let inner = self.read(*a)?;
                Pw { signed: false, unsigned: false, ..(*inner).clone() }
            }
            ScevKind::UMax(ops) if self.is_own_parameter(ops) => self.param_value(id)?,
            ScevKind::SMax(ops) => self.choice(id, ops, true, true)?,
            ScevKind::SMin(ops) => self.choice(id, ops, true, false)?,
            ScevKind::UMax(ops) => self.choice(id, ops, false, true)?,
            ScevKind::UMin(ops) | ScevKind::SeqUMin(ops) => self.choice(id, ops, false, false)?,
            ScevKind::Unknown(_) | ScevKind::PtrToInt(_) | ScevKind::CouldNotCompute => return Err(NonAffine(id)),
        };
        if scev.nonneg {
            let either = pw.signed || pw.unsigned;
            (pw.signed, pw.unsigned) = (either, either);
        }
        Ok(pw)
    }

    fn read_extended(&mut self, id: ScevId, inner: ScevId, signed: bool) -> Result<Pw, NonAffine> {
        let pw = (*self.read(inner)?).clone();
        let bits = self.facts.scev(inner).bits;
        let mut pw = if signed { self.into_signed(pw, bits, inner)? } else { self.into_unsigned(pw, bits, inner)? };
        pw.unsigned = !signed || pw.unsigned;
        pw.signed = true;
        self.note_product(id, &pw);
        Ok(pw)
    }

    /// `start + step * (dim - first value of the dim)`.
    fn recurrence(&mut self, id: ScevId, scev: &Scev, lp: LoopId, ops: &[ScevId]) -> Result<Pw, NonAffine> {
        let &[start, step] = ops else { return Err(NonAffine(id)) };
        if !self.has_loop(lp) {
            return Err(NonAffine(id));
        }
        let (start, step) = (self.read_start(start)?, self.read_factor(step)?);
        let by = step.as_single().ok_or(NonAffine(id))?.clone();
        let count = Poly::sym(Sym::Dim(lp)).sub(&self.offset(lp)).ok_or(NonAffine(id))?;
        let moved = by.mul(&count).ok_or(NonAffine(id))?;
        let mut pw = (*start).clone();
        for piece in &mut pw.pieces {
            piece.value = piece.value.add(&moved).ok_or(NonAffine(id))?;
        }
        pw.signed = scev.nsw && start.signed && step.signed;
        pw.unsigned = scev.nuw && start.unsigned && step.unsigned;
        pw.checks.extend(step.checks.iter().cloned());
        Ok(pw)
    }

    /// The first value of a recurrence: an invariant minimum or maximum is a parameter here, so that addresses stay in
    /// one piece.
    fn read_start(&mut self, start: ScevId) -> Result<Rc<Pw>, NonAffine> {
        let pw = self.read(start)?;
        if pw.pieces.len() > 1 && self.is_invariant(start) {
            let param = Rc::new(self.param_value(start)?);
            self.remember(start, Ok(param.clone()));
            return Ok(param);
        }
        Ok(pw)
    }

    /// A recurrence of a loop around the region: affine in the loop's counter, which is a parameter.
    fn outer_recurrence(&mut self, id: ScevId) -> Result<Pw, NonAffine> {
        let scev = self.facts.scev(id);
        let ScevKind::AddRec { lp, ops } = &scev.kind else { return Err(NonAffine(id)) };
        let Some((counter, first)) =
            self.outer_counter(*lp, scev.bits).filter(|(counter, _)| *counter != id && ops.len() == 2)
        else {
            return self.param_value(id);
        };
        let (start, step) = (self.read(ops[0])?, self.read_factor(ops[1])?);
        let by = step.as_single().ok_or(NonAffine(id))?;
        let count = Poly::sym(self.param(counter)?).plus(-first).ok_or(NonAffine(id))?;
        let moved = by.mul(&count).ok_or(NonAffine(id))?;
        let mut pw = (*start).clone();
        for piece in &mut pw.pieces {
            piece.value = piece.value.add(&moved).ok_or(NonAffine(id))?;
        }
        let counts = self.facts.scev(counter);
        pw.signed = scev.nsw && counts.nsw && start.signed && step.signed;
        pw.unsigned = scev.nuw && counts.nuw && start.unsigned && step.unsigned;
        pw.checks.extend(step.checks.iter().cloned());
        Ok(pw)
    }

    /// The counter by which recurrences of this width in a loop around the region are read: one of 64 bits where there
    /// is one, so that `trunc i64 %k` and an `i32` counter beside `%k` are no parameters of their own.
    fn outer_counter(&self, lp: LoopId, bits: u32) -> Option<(ScevId, i64)> {
        let widest = if bits > NARROW_BITS { self.counter(lp, 64) } else { None };
        widest.or_else(|| self.counter(lp, bits))
    }

    /// A recurrence of the loop and width with a constant start and step 1, and that start.
    fn counter(&self, lp: LoopId, bits: u32) -> Option<(ScevId, i64)> {
        let facts = self.facts;
        let constant = |s: ScevId| if let ScevKind::Const(c) = facts.scev(s).kind { Some(c) } else { None };
        facts.scevs.iter().enumerate().find_map(|(k, scev)| match &scev.kind {
            ScevKind::AddRec { lp: l, ops }
                if *l == lp && scev.bits == bits && ops.len() == 2 && constant(ops[1]) == Some(1) =>
            {
                constant(ops[0]).map(|first| (ScevId::new(k), first))
            }
            _ => None,
        })
    }

    fn fold(
        &mut self,
        id: ScevId,
        scev: &Scev,
        ops: &[ScevId],
        op: impl Fn(&Poly, &Poly) -> Option<Poly>,
    ) -> Result<Pw, NonAffine> {
        let parts = ops.iter().map(|part| self.read(*part)).collect::<Result<Vec<_>, _>>()?;
        combine_all(&parts, scev, op).ok_or(NonAffine(id))
    }

    fn product(&mut self, id: ScevId, scev: &Scev, ops: &[ScevId]) -> Result<Pw, NonAffine> {
        let pw = self.factors(ops).and_then(|parts| combine_all(&parts, scev, |a, b| a.mul(b)).ok_or(NonAffine(id)));
        let invariant = self.is_invariant(id);
        match pw {
            Ok(pw) => {
                if pw.signed || scev.bits == 64 {
                    self.note_product(id, &pw);
                }
                Ok(pw)
            }
            Err(_) if invariant => self.param_value(id),
            Err(e) => Err(e),
        }
    }

    fn quotient(&mut self, id: ScevId, a: ScevId, b: ScevId) -> Result<Pw, NonAffine> {
        let ScevKind::Const(den) = self.facts.scev(b).kind else {
            return if self.is_invariant(id) { self.param_value(id) } else { Err(NonAffine(id)) };
        };
        if den <= 0 {
            return Err(NonAffine(id));
        }
        if matches!(&self.facts.scev(a).kind, ScevKind::Add(ops) if self.is_between_pointers(ops)) {
            return self.param_value(id);
        }
        let mut pw = self.read_unsigned(a)?;
        for piece in &mut pw.pieces {
            piece.value = self.floor(&piece.value, den).ok_or(NonAffine(id))?;
        }
        (pw.signed, pw.unsigned) = (den > 1, true);
        Ok(pw)
    }

    fn choice(&mut self, id: ScevId, ops: &[ScevId], signed: bool, largest: bool) -> Result<Pw, NonAffine> {
        let mut best: Option<Pw> = None;
        for op in ops {
            let next = if signed { self.read_signed(*op)? } else { self.read_unsigned(*op)? };
            best = Some(match best {
                None => next,
                Some(b) => select(&b, &next, largest).ok_or(NonAffine(id))?,
            });
        }
        let mut pw = best.ok_or(NonAffine(id))?;
        (pw.signed, pw.unsigned) = (signed, !signed);
        Ok(pw)
    }

    /// The same value, read as a signed number of `bits` bits.
    pub fn into_signed(&mut self, pw: Pw, bits: u32, id: ScevId) -> Result<Pw, NonAffine> {
        if pw.signed {
            return Ok(pw);
        }
        let half = 1i64.checked_shl(bits - 1).filter(|h| *h > 0);
        self.into_range(pw, bits, half.map(|h| -h), id)
    }

    /// The same value, read as an unsigned number of `bits` bits.
    pub fn into_unsigned(&mut self, pw: Pw, bits: u32, id: ScevId) -> Result<Pw, NonAffine> {
        if pw.unsigned { Ok(pw) } else { self.into_range(pw, bits, Some(0), id) }
    }

    /// The number in `low .. low + 2^bits` that is equal to the value modulo 2^bits (`None`: -2^63).
    fn into_range(&mut self, mut pw: Pw, bits: u32, low: Option<i64>, id: ScevId) -> Result<Pw, NonAffine> {
        let negative = low != Some(0);
        if let (true, Some(low)) = (bits <= NARROW_BITS, low) {
            let size = 1i64 << bits;
            for piece in &mut pw.pieces {
                let shifted = piece.value.plus(-low).ok_or(NonAffine(id))?;
                let floor = self.floor(&shifted, size).and_then(|f| f.scale(size)).ok_or(NonAffine(id))?;
                piece.value = piece.value.sub(&floor).ok_or(NonAffine(id))?;
            }
        } else {
            let high = if bits < 63 { Some(low.unwrap_or(0) + ((1i64 << bits) - 1)) } else { None };
            if bits == 64 && negative {
                return Ok(Pw { signed: true, ..pw });
            }
            for piece in &pw.pieces {
                let checks = match self.linearize(&piece.value) {
                    Some(value) if in_range(&value, low, high) => Vec::new(),
                    Some(value) => vec![Check { conds: piece.conds.clone(), value, low, high }],
                    None => small_factors(piece, bits, low).ok_or(NonAffine(id))?,
                };
                pw.checks.extend(checks);
            }
        }
        pw.signed = negative || bits < 64 && pw.signed;
        pw.unsigned = !negative;
        Ok(pw)
    }
}

/// Operands of an operator.
pub fn operands(kind: &ScevKind) -> impl Iterator<Item = ScevId> {
    let (several, few): (&[ScevId], _) = match kind {
        ScevKind::Add(ops)
        | ScevKind::Mul(ops)
        | ScevKind::AddRec { ops, .. }
        | ScevKind::SMax(ops)
        | ScevKind::SMin(ops)
        | ScevKind::UMax(ops)
        | ScevKind::UMin(ops)
        | ScevKind::SeqUMin(ops) => (ops, [None, None]),
        ScevKind::UDiv(a, b) => (&[], [Some(*a), Some(*b)]),
        ScevKind::ZExt(a) | ScevKind::SExt(a) | ScevKind::Trunc(a) | ScevKind::PtrToInt(a) => (&[], [Some(*a), None]),
        ScevKind::Const(_) | ScevKind::Unknown(_) | ScevKind::CouldNotCompute => (&[], [None, None]),
    };
    several.iter().copied().chain(few.into_iter().flatten())
}

/// Whether an expression contains a recurrence of one of these loops.
#[must_use]
pub fn recurs(facts: &FunctionFacts, id: ScevId, of: &dyn Fn(LoopId) -> bool) -> bool {
    let kind = &facts.scev(id).kind;
    matches!(kind, ScevKind::AddRec { lp, .. } if of(*lp)) || operands(kind).any(|op| recurs(facts, op, of))
}

/// True for a constant inside the range.
fn in_range(value: &Poly, low: Option<i64>, high: Option<i64>) -> bool {
    value.as_constant().is_some_and(|c| low.is_none_or(|l| c >= l) && high.is_none_or(|h| c <= h))
}

/// Bounds that together keep a value of degree above 1 in the range of `bits` bits from `low` on: every variable is at
/// most the largest B with sum of |coefficient| * B^degree below 2^(bits - 1). For `low = 0` the value is made of sums
/// and products of what is >= 0, too (else `None`).
fn small_factors(piece: &Piece, bits: u32, low: Option<i64>) -> Option<Vec<Check>> {
    let limit = 1i128 << (bits - 1);
    let nonneg = low == Some(0);
    let fits = |bound: i128| {
        let sum = piece.value.terms().iter().try_fold(0i128, |sum, (mono, c)| {
            let power = (0..mono.degree()).try_fold(1i128, |p, _| p.checked_mul(bound))?;
            sum.checked_add(power.checked_mul(i128::from(*c).abs())?)
        });
        sum.is_some_and(|s| s < limit)
    };
    let (mut good, mut bad) = (0i128, 1i128 << 40);
    while bad - good > 1 {
        let middle = (good + bad) / 2;
        if fits(middle) { good = middle } else { bad = middle }
    }
    let bound = i64::try_from(good).ok().filter(|b| *b >= 64)?;
    let mut syms: Vec<Sym> = piece.value.syms().collect();
    syms.sort_unstable();
    syms.dedup();
    let check = |value, low, high| Check { conds: piece.conds.clone(), value, low, high };
    let mut checks: Vec<Check> = syms.into_iter().map(|sym| check(Poly::sym(sym), Some(-bound), Some(bound))).collect();
    if nonneg {
        let mut parts = Vec::new();
        nonneg_parts(&piece.value, &mut parts)?;
        checks.extend(parts.into_iter().map(|part| check(part, Some(0), None)));
    }
    Some(checks)
}

/// Values of degree at most 1 such that the polynomial is >= 0 where all of them are: a parameter that stands in most
/// products is taken out of those, again and again (Horner's scheme). `None` where only dims are multiplied, or on
/// overflow.
fn nonneg_parts(poly: &Poly, parts: &mut Vec<Poly>) -> Option<()> {
    if poly.degree() <= 1 {
        if poly.as_constant().is_none_or(|c| c < 0) {
            parts.push(poly.clone());
        }
        return Some(());
    }
    let mut counts: BTreeMap<Sym, usize> = BTreeMap::new();
    for (mono, _) in poly.terms().iter().filter(|(mono, _)| mono.degree() > 1) {
        let mut params: Vec<Sym> = mono.syms().filter(|s| matches!(s, Sym::Param(_))).collect();
        params.dedup();
        params.into_iter().for_each(|s| *counts.entry(s).or_insert(0) += 1);
    }
    let most = counts.values().copied().max()?;
    let factor = counts.into_iter().find(|(_, n)| *n == most).map(|(s, _)| s)?;
    let of = Mono::of([factor])?;
    let (mut with, mut without) = (Vec::new(), Vec::new());
    for (mono, c) in poly.terms() {
        match mono.over(&of) {
            Some(rest) => with.push((rest, *c)),
            None => without.push((*mono, *c)),
        }
    }
    // `x * h + h - 1 - y`: of what is left, `h - 1 - y` may be >= 0, and `-1 - y` is not.
    let is_once = |(rest, c): &(Mono, i64)| *rest == Mono::default() && *c > 0;
    if let Some(at) = with.iter().position(is_once).filter(|_| without.iter().all(|(_, c)| *c < 0)) {
        let (_, c) = with.remove(at);
        without.push((of, c));
    }
    parts.push(Poly::sym(factor));
    nonneg_parts(&Poly::from_terms(with)?, parts)?;
    nonneg_parts(&Poly::from_terms(without)?, parts)
}

/// Folds the parts of a sum or product; its flags say whether the result is in range.
pub(super) fn combine_all(parts: &[Rc<Pw>], scev: &Scev, op: impl Fn(&Poly, &Poly) -> Option<Poly>) -> Option<Pw> {
    let (first, rest) = parts.split_first()?;
    let mut all = rest.iter().try_fold((**first).clone(), |all, part| combine(&all, part, &op))?;
    all.signed &= scev.nsw;
    all.unsigned &= scev.nuw;
    Some(all)
}

/// Both conjunctions, each constraint once; `None` if they plainly exclude each other.
fn both(a: &[Cons], b: &[Cons]) -> Option<Conj> {
    let excludes = |x: &Cons, y: &Cons| {
        !x.eq && !y.eq && x.poly.add(&y.poly).and_then(|s| s.as_constant()).is_some_and(|sum| sum < 0)
    };
    let mut all = a.to_vec();
    for cons in b {
        if a.iter().any(|x| excludes(x, cons)) {
            return None;
        }
        if !all.contains(cons) {
            all.push(cons.clone());
        }
    }
    Some(all)
}

/// Applies `op` piece by piece.
fn combine(a: &Pw, b: &Pw, op: &impl Fn(&Poly, &Poly) -> Option<Poly>) -> Option<Pw> {
    let mut pieces = Vec::new();
    for x in &a.pieces {
        for y in &b.pieces {
            if let Some(conds) = both(&x.conds, &y.conds) {
                pieces.push(Piece { conds, value: op(&x.value, &y.value)? });
            }
        }
    }
    if pieces.is_empty() || pieces.len() > MAX_PIECES {
        return None;
    }
    Some(Pw { pieces, signed: a.signed && b.signed, unsigned: a.unsigned && b.unsigned, checks: merged_checks(a, b) })
}

/// Maximum or minimum; all values have degree at most 1.
fn select(a: &Pw, b: &Pw, largest: bool) -> Option<Pw> {
    let mut pieces = Vec::new();
    for x in &a.pieces {
        for y in &b.pieces {
            let gain = if largest { x.value.sub(&y.value)? } else { y.value.sub(&x.value)? };
            let Some(conds) = both(&x.conds, &y.conds) else { continue };
            let Some(c) = gain.as_constant() else {
                let less = Cons::ge(gain.scale(-1)?.plus(-1)?);
                let first = both(&conds, &[Cons::ge(gain)]).map(|conds| Piece { conds, value: x.value.clone() });
                let second = both(&conds, &[less]).map(|conds| Piece { conds, value: y.value.clone() });
                pieces.extend(first.into_iter().chain(second));
                continue;
            };
            let value = if c >= 0 { &x.value } else { &y.value };
            pieces.push(Piece { conds, value: value.clone() });
        }
    }
    let pw =
        Pw { pieces, signed: a.signed && b.signed, unsigned: a.unsigned && b.unsigned, checks: merged_checks(a, b) };
    (!pw.pieces.is_empty() && pw.pieces.len() <= MAX_PIECES).then_some(pw)
}

/// Checks of both, each once.
pub(super) fn merged_checks(a: &Pw, b: &Pw) -> Vec<Check> {
    let mut all = a.checks.clone();
    for check in &b.checks {
        if !all.contains(check) {
            all.push(check.clone());
        }
    }
    all
}
