//! Expressions that wrap: what the reader says of random ones, at points around the ends of all widths, is what the
//! bits say.

use super::affine::{Check, Cons, Pw, Reader};
use super::polynomial::{Poly, Sym};
use super::sketch::Sketch;
use crate::facts::{FunctionFacts, ScevKind};
use crate::ids::{BlockId, ScevId};

/// A small generator of numbers that look random (Marsaglia, J. Statistical Software 8(14), 2003).
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % n
    }
}

const WIDTHS: [u32; 5] = [1, 8, 16, 32, 64];

/// An expression of so many bits, with no flag: every sum and product may wrap.
fn expression(s: &mut Sketch, random: &mut Random, bits: u32, depth: u32) -> ScevId {
    let constant = i64::try_from(random.below(600)).expect("small") - 300;
    let small = if bits < 64 { constant.rem_euclid(1 << bits) - (1 << (bits - 1)) } else { constant };
    let leaf = |s: &mut Sketch| match bits {
        64 => s.i,
        32 => s.unknown(s.n, 32),
        _ => s.scev(ScevKind::Trunc(s.i), bits, false),
    };
    if depth == 0 {
        return leaf(s);
    }
    let mut operand = |s: &mut Sketch, bits| expression(s, random, bits, depth - 1);
    let (a, b) = (operand(s, bits), operand(s, bits));
    let number = s.constant(small, bits);
    let positive = s.constant(1 + constant.rem_euclid(60), bits);
    let wider = WIDTHS.iter().copied().find(|w| *w > bits);
    let narrower = WIDTHS.iter().rev().copied().find(|w| *w < bits);
    let kind = match random.below(9) {
        0 => ScevKind::Add(vec![number, a]),
        1 => ScevKind::Add(vec![a, b]),
        2 => ScevKind::Mul(vec![number, a]),
        3 if bits > 1 => ScevKind::UDiv(a, positive),
        4 => ScevKind::SMax(vec![a, number]),
        5 => ScevKind::UMin(vec![a, number]),
        6 if wider.is_some() => ScevKind::Trunc(expression(s, random, wider.expect("some"), depth - 1)),
        7 if narrower.is_some() => ScevKind::ZExt(expression(s, random, narrower.expect("some"), depth - 1)),
        8 if narrower.is_some() => ScevKind::SExt(expression(s, random, narrower.expect("some"), depth - 1)),
        _ => ScevKind::Add(vec![a, a]),
    };
    s.scev(kind, bits, false)
}

/// The low `bits` bits of `v`.
fn low(v: u64, bits: u32) -> u64 {
    if bits == 64 { v } else { v & ((1 << bits) - 1) }
}

/// The same as a signed number.
fn signed(v: u64, bits: u32) -> i64 {
    (v << (64 - bits)).cast_signed() >> (64 - bits)
}

/// The bits of an expression in iteration `i`.
fn bits_of(facts: &FunctionFacts, id: ScevId, (i, n): (u64, u64)) -> u64 {
    let scev = facts.scev(id);
    let of = |id: &ScevId| bits_of(facts, *id, (i, n));
    let number = |id: &ScevId| signed(of(id), facts.scev(*id).bits);
    let value = match &scev.kind {
        ScevKind::Const(c) => c.cast_unsigned(),
        ScevKind::Unknown(_) => n,
        ScevKind::AddRec { .. } => i,
        ScevKind::Add(of_all) => of_all.iter().map(of).fold(0, u64::wrapping_add),
        ScevKind::Mul(of_all) => of_all.iter().map(of).fold(1, u64::wrapping_mul),
        ScevKind::UDiv(a, b) => of(a) / of(b),
        ScevKind::ZExt(a) | ScevKind::Trunc(a) => of(a),
        ScevKind::SExt(a) => number(a).cast_unsigned(),
        ScevKind::SMax(all) => all.iter().map(number).max().unwrap_or(0).cast_unsigned(),
        ScevKind::UMin(all) => all.iter().map(of).min().unwrap_or(0),
        other => panic!("not made here: {other:?}"),
    };
    low(value, scev.bits)
}

/// What the reader's variables stand for at a point.
struct At<'a> {
    reader: &'a Reader<'a>,
    point: (u64, u64),
}

impl At<'_> {
    /// `None` where it does not fit.
    fn value(&self, poly: &Poly) -> Option<i64> {
        poly.syms().try_for_each(|s| self.sym(s).map(|_| ()))?;
        poly.eval(&|sym| self.sym(sym).unwrap_or(0))
    }

    fn sym(&self, sym: Sym) -> Option<i64> {
        match sym {
            Sym::Param(k) => {
                let param = &self.reader.params[k as usize];
                Some(signed(bits_of(self.reader.facts, param.value, self.point), param.bits))
            }
            Sym::Floor(k) => {
                let floor = &self.reader.floors[k as usize];
                Some(self.value(&floor.num)?.div_euclid(floor.den))
            }
            Sym::Dim(_) => Some(self.point.0.cast_signed()),
        }
    }

    fn all(&self, conds: &[Cons]) -> Option<bool> {
        let mut all = true;
        for c in conds {
            let v = self.value(&c.poly)?;
            all &= if c.eq { v == 0 } else { v >= 0 };
        }
        Some(all)
    }

    fn passes(&self, check: &Check) -> Option<bool> {
        let v = self.value(&check.value)?;
        let is_inside = check.low.is_none_or(|l| l <= v) && check.high.is_none_or(|h| v <= h);
        Some(is_inside || !self.all(&check.conds)?)
    }

    /// The value that the model says the expression has here; `None` where it says nothing, or numbers do not fit.
    fn modelled(&self, pw: &Pw) -> Option<i64> {
        for check in &pw.checks {
            if !self.passes(check)? {
                return None;
            }
        }
        let mut here = Vec::new();
        for piece in &pw.pieces {
            if self.all(&piece.conds)? {
                here.push(piece);
            }
        }
        assert_eq!(here.len(), 1, "pieces apply at {:?}", self.point);
        self.value(&here[0].value)
    }
}

#[test]
fn what_is_read_of_expressions_that_wrap_is_what_their_bits_say() {
    let counters = [0_u64, 1, 5, 127, 128, 255, 256, 300, 32_767, 32_768, 65_535, 65_536, 70_001, 1 << 31, 1 << 32];
    let arguments = [0_i32, 1, -1, 90, -300, 70_000, i32::MAX, i32::MIN];
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let (mut read, mut compared, mut untold) = (0, 0, 0);
    for round in 0..400 {
        let mut s = Sketch::new();
        let bits = WIDTHS[round % WIDTHS.len()];
        let id = expression(&mut s, &mut random, bits, 1 + u32::try_from(round % 3).expect("small"));
        let facts = s.finish();
        let inside: Vec<bool> = (0..facts.blocks.len()).map(|b| b == 1 || b == 2).collect();
        for unsigned in [false, true] {
            let mut reader = Reader::new(&facts, &inside, BlockId(1));
            let found = if unsigned { reader.read_unsigned(id) } else { reader.read_signed(id) };
            let Ok(pw) = found else { continue };
            read += 1;
            for i in counters {
                for n in arguments {
                    let point = (i, low(i64::from(n).cast_unsigned(), 32));
                    let Some(value) = (At { reader: &reader, point }).modelled(&pw) else {
                        untold += 1;
                        continue;
                    };
                    let bits = bits_of(&facts, id, point);
                    let wanted = if unsigned { bits.cast_signed() } else { signed(bits, facts.scev(id).bits) };
                    // A number of 64 bits above all signed ones is not in the model's range: there is nothing to
                    // compare.
                    if unsigned && wanted < 0 {
                        continue;
                    }
                    assert_eq!(value, wanted, "round {round}, {point:?}, unsigned: {unsigned}\n{:#?}", facts.scevs);
                    compared += 1;
                }
            }
        }
    }
    assert!(read >= 400 && compared > untold, "{read} expressions read, {compared} points compared, {untold} untold");
}
