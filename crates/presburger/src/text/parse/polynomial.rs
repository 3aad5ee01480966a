//! Piecewise quasi-polynomials: `S[i] -> 1/2 * i^2 + floor(i/3) : condition`.
//! A floor makes one piece per residue of its argument, so that what is left is a polynomial.

use super::Parsed;
use super::build::{Disjunct, Reader};
use super::formula::{Formula, Lin, Var};
use super::lexer::Tok;
use crate::budget::Budget;
use crate::functions::qpoly::{Poly, PwQPoly};
use crate::num::Int;
use crate::sets::set::Set;
use crate::sets::space::{Space, Tuple};
use crate::sets::union::Parts;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::ToPrimitive;
use std::sync::Arc;

/// Budget for adding up overlapping parts.
const STEPS: u64 = 10_000_000;
/// Largest divisor of a floor, and largest exponent.
const MOST_RESIDUES: i64 = 64;

/// Polynomials over the columns of the domain, under conditions that exclude each other.
type Pieces = Vec<(Formula, Poly)>;

/// One part: its tuple and conditions, and the values.
struct Part {
    of: Disjunct,
    values: Pieces,
}

pub(super) fn function(text: &str) -> Parsed<PwQPoly> {
    let mut r = Reader::new(text)?;
    let parts = r.parts(part)?;
    let Some(first) = parts.first() else { return Err(r.error("a function needs at least one part")) };
    let space = Arc::new(Space { input: None, output: first.of.output.clone(), ..r.params_space() });
    let mut list = Vec::new();
    for p in &parts {
        if !p.of.output.matches(&space.output) {
            return Err(r.error_at(p.of.at, "tuples differ: a function is on one space"));
        }
        for (guard, poly) in &p.values {
            let formula = Formula::And(p.of.conditions.clone()).and(guard);
            let bodies = r.conjunctions(&p.of, &formula, &p.of.dims, space.n_cols())?;
            list.push((Set::from_bodies(&space, bodies), poly.clone()));
        }
    }
    PwQPoly::sum_of(&space, list, &Budget::steps(STEPS)).map_err(|_| r.error("domains are too complicated"))
}

fn part(r: &mut Reader) -> Parsed<Part> {
    let at = r.pos;
    let (mut conditions, mut dims) = (Vec::new(), Vec::new());
    let mut output = Tuple::absent();
    if r.peek_sym("[") || matches!(r.ahead(1), Tok::Sym("[")) {
        output = r.tuple(&mut dims, &mut conditions)?;
        r.expect("->")?;
    }
    // Columns are numbered like variables as long as only the dims have been read.
    if !conditions.is_empty() {
        return Err(r.error_at(at, "the dims of a polynomial are plain names"));
    }
    conditions.extend(r.given.iter().cloned());
    let values = r.polynomial()?;
    if r.eat(":") && !r.peek_sym("}") && !r.peek_sym(";") {
        conditions.push(r.formula()?);
    }
    let floors = std::mem::take(&mut r.floors);
    let of = Disjunct { input: None, output, at, conditions, floors, dims, entries: Vec::new(), n_vars: r.n_vars };
    Ok(Part { of, values })
}

/// All combinations of pieces.
fn combined(a: &Pieces, b: &Pieces, f: impl Fn(&Poly, &Poly) -> Poly) -> Pieces {
    a.iter().flat_map(|(c, x)| b.iter().map(|(d, y)| (c.clone().and(d), f(x, y))).collect::<Vec<_>>()).collect()
}

fn plain(p: Poly) -> Pieces {
    vec![(Formula::True, p)]
}

fn times(list: Pieces, k: &BigRational) -> Pieces {
    list.into_iter().map(|(c, p)| (c, p.scaled(k))).collect()
}

impl Reader {
    fn polynomial(&mut self) -> Parsed<Pieces> {
        let mut acc = self.poly_product()?;
        loop {
            if self.eat("+") {
                acc = combined(&acc, &self.poly_product()?, Poly::add);
            } else if self.eat("-") {
                acc = combined(&acc, &self.poly_product()?, Poly::sub);
            } else {
                return Ok(acc);
            }
        }
    }

    fn poly_product(&mut self) -> Parsed<Pieces> {
        let mut acc = self.poly_power()?;
        loop {
            if self.eat("*") {
                acc = combined(&acc, &self.poly_power()?, Poly::mul);
            } else if self.eat("/") {
                acc = times(acc, &BigRational::new(BigInt::of(1), self.divisor()?));
            } else {
                return Ok(acc);
            }
        }
    }

    fn poly_power(&mut self) -> Parsed<Pieces> {
        let base = self.poly_factor()?;
        if !self.eat("^") {
            return Ok(base);
        }
        let power = match self.peek() {
            Tok::Num(v) if *v <= BigInt::of(MOST_RESIDUES) => ToPrimitive::to_i64(v),
            _ => None,
        };
        let Some(power) = power else { return Err(self.error("expected a small exponent")) };
        self.pos += 1;
        let one = plain(Poly::constant(BigRational::from_integer(BigInt::of(1))));
        Ok((0..power).fold(one, |acc, _| combined(&acc, &base, Poly::mul)))
    }

    fn poly_factor(&mut self) -> Parsed<Pieces> {
        match self.peek().clone() {
            Tok::Num(v) => {
                self.pos += 1;
                Ok(plain(Poly::constant(BigRational::from_integer(v))))
            }
            Tok::Sym("-") => {
                self.pos += 1;
                Ok(times(self.poly_power()?, &BigRational::from_integer(BigInt::of(-1))))
            }
            Tok::Sym("(") => {
                self.pos += 1;
                let p = self.polynomial()?;
                self.expect(")")?;
                Ok(p)
            }
            Tok::Name(n) if n == "floor" => {
                self.pos += 1;
                self.poly_floor()
            }
            Tok::Name(n) => match self.scope.iter().rev().find(|s| s.0 == n) {
                Some((_, v)) => {
                    let p = plain(Poly::column(*v));
                    self.pos += 1;
                    Ok(p)
                }
                None => Err(self.error(format!("unknown name '{n}'"))),
            },
            _ => Err(self.error("expected a term")),
        }
    }

    /// `(e/d)` after `floor`: one piece per residue of `e`.
    fn poly_floor(&mut self) -> Parsed<Pieces> {
        self.expect("(")?;
        let at = self.pos;
        let e = self.expr()?;
        let d = if self.eat("/") { self.divisor()? } else { BigInt::of(1) };
        self.expect(")")?;
        let columns = self.scope.len();
        let Some(e) = e.plain().filter(|e| e.terms.keys().all(|v| *v < columns)).cloned() else {
            return Err(self.error_at(at, "expected an affine term"));
        };
        if d > BigInt::of(MOST_RESIDUES) {
            return Err(self.error_at(at, format!("a floor in a polynomial divides by at most {MOST_RESIDUES}")));
        }
        let q = self.floor(e.clone(), d.clone());
        let rest = e.minus(&q.scaled(&d));
        let mut out = Vec::new();
        let mut residue = BigInt::of(0);
        while residue < d {
            let less = Lin::constant(residue.clone());
            out.push((Formula::Eq(rest.minus(&less)), affine(&e.minus(&less), &d)));
            residue += 1;
        }
        Ok(out)
    }
}

/// `l / d` as a polynomial.
fn affine(l: &Lin, d: &BigInt) -> Poly {
    let term = |(v, c): (&Var, &BigInt)| Poly::column(*v).scaled(&BigRational::new(c.clone(), d.clone()));
    let constant = Poly::constant(BigRational::new(l.constant.clone(), d.clone()));
    l.terms.iter().map(term).fold(constant, |acc, p| acc.add(&p))
}
