//! Piecewise quasi-polynomials: `S[i] -> 1/2 * i^2 + floor(i/3) : condition`.

use super::Parsed;
use super::build::{Disjunct, Reader};
use super::formula::Formula;
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
/// Largest exponent.
const MOST_POWER: i64 = 64;

/// One part: its tuple and conditions, and its value over the columns of the domain.
struct Part {
    of: Disjunct,
    value: Poly,
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
        let formula = Formula::And(p.of.conditions.clone());
        let bodies = r.conjunctions(&p.of, &formula, &p.of.dims, space.n_cols())?;
        list.push((Set::from_bodies(&space, bodies), p.value.clone()));
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
    let value = r.polynomial()?;
    if r.eat(":") && !r.peek_sym("}") && !r.peek_sym(";") {
        conditions.push(r.formula()?);
    }
    let floors = std::mem::take(&mut r.floors);
    let of = Disjunct { input: None, output, at, conditions, floors, dims, entries: Vec::new(), n_vars: r.n_vars };
    Ok(Part { of, value })
}

impl Reader {
    fn polynomial(&mut self) -> Parsed<Poly> {
        let mut acc = self.poly_product()?;
        loop {
            if self.eat("+") {
                acc = acc.add(&self.poly_product()?);
            } else if self.eat("-") {
                acc = acc.sub(&self.poly_product()?);
            } else {
                return Ok(acc);
            }
        }
    }

    fn poly_product(&mut self) -> Parsed<Poly> {
        let mut acc = self.poly_power()?;
        loop {
            if self.eat("*") || self.is_known_name_ahead() {
                acc = acc.mul(&self.poly_power()?);
            } else if self.eat("/") {
                acc = acc.scaled(&BigRational::new(BigInt::of(1), self.divisor()?));
            } else {
                return Ok(acc);
            }
        }
    }

    /// Whether a dim, a parameter or `floor` comes next: a factor without a sign, as in `1/2 x`.
    fn is_known_name_ahead(&self) -> bool {
        matches!(self.peek(), Tok::Name(n) if self.is_word(n, "floor") || self.scope.iter().any(|s| s.0 == *n))
    }

    fn poly_power(&mut self) -> Parsed<Poly> {
        let base = self.poly_factor()?;
        if !self.eat("^") {
            return Ok(base);
        }
        let power = match self.peek() {
            Tok::Num(v) if *v <= BigInt::of(MOST_POWER) => ToPrimitive::to_i64(v),
            _ => None,
        };
        let Some(power) = power else { return Err(self.error("expected a small exponent")) };
        self.pos += 1;
        let one = Poly::constant(BigRational::from_integer(BigInt::of(1)));
        Ok((0..power).fold(one, |acc, _| acc.mul(&base)))
    }

    fn poly_factor(&mut self) -> Parsed<Poly> {
        match self.peek().clone() {
            Tok::Num(v) => {
                self.pos += 1;
                Ok(Poly::constant(BigRational::from_integer(v)))
            }
            Tok::Sym("-") => {
                self.pos += 1;
                Ok(self.poly_power()?.scaled(&BigRational::from_integer(BigInt::of(-1))))
            }
            Tok::Sym("(") => {
                self.pos += 1;
                let p = self.polynomial()?;
                self.expect(")")?;
                Ok(p)
            }
            Tok::Name(n) if self.is_word(&n, "floor") => {
                self.pos += 1;
                self.poly_floor()
            }
            Tok::Name(n) => match self.scope.iter().rev().find(|s| s.0 == n) {
                Some((_, v)) => {
                    let p = Poly::column(*v);
                    self.pos += 1;
                    Ok(p)
                }
                None => Err(self.error(format!("unknown name '{n}'"))),
            },
            _ => Err(self.error("expected a term")),
        }
    }

    /// `(e)` after `floor`.
    fn poly_floor(&mut self) -> Parsed<Poly> {
        self.expect("(")?;
        let at = self.pos;
        let e = self.expr()?;
        self.expect(")")?;
        let columns = self.scope.len();
        let Some(e) = e.plain().filter(|e| e.terms.keys().all(|v| *v < columns)) else {
            return Err(self.error_at(at, "expected an affine term"));
        };
        let mut row = vec![BigInt::of(0); columns + 1];
        for (v, c) in &e.terms {
            row[*v].clone_from(c);
        }
        row[columns].clone_from(&e.constant);
        Ok(Poly::floor(&row, &e.den.clone().unwrap_or_else(|| BigInt::of(1))))
    }
}
