//! Piecewise quasi-polynomials: `S[i] -> 1/2 * i^2 + floor(i/3) : condition`.

use super::Parsed;
use super::build::{Disjunct, Reader};
use super::formula::{Formula, Lin};
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
/// Largest exponent of a sum, and of a product.
const MOST_POWER: [i64; 2] = [64, 4096];
/// Most residues that floors inside of others are taken apart by.
const MOST_RESIDUES: usize = 1000;

/// One part: its tuple and conditions, and its value, whose columns are the variables.
struct Part {
    of: Disjunct,
    value: Poly,
}

/// The parts on one space, and where the first one stands.
type OnSpace = (Arc<Space>, usize, Vec<(Set, Poly)>);

pub(super) fn function(text: &str) -> Parsed<PwQPoly> {
    let (r, mut list) = functions_by_space(text)?;
    match list.len() {
        1 => Ok(list.swap_remove(0).0),
        0 => Err(r.error("a function needs at least one part")),
        _ => Err(r.error_at(list[1].1, "tuples differ: a function is on one space")),
    }
}

/// The functions of all parts, one per space.
pub(super) fn functions(text: &str) -> Parsed<Vec<PwQPoly>> {
    let (r, list) = functions_by_space(text)?;
    if list.is_empty() {
        return Err(r.error("a function needs at least one part"));
    }
    Ok(list.into_iter().map(|(f, _)| f).collect())
}

/// The functions, each with the place of its first part.
fn functions_by_space(text: &str) -> Parsed<(Reader, Vec<(PwQPoly, usize)>)> {
    let mut r = Reader::new(text)?;
    let parts = r.parts(part)?;
    let mut spaces: Vec<OnSpace> = Vec::new();
    for p in &parts {
        let known = spaces.iter().position(|(space, ..)| p.of.output == space.output);
        let k = known.unwrap_or_else(|| {
            let space = Space { input: None, output: p.of.output.clone(), ..r.params_space() };
            spaces.push((Arc::new(space), p.of.at, Vec::new()));
            spaces.len() - 1
        });
        let (space, _, list) = &mut spaces[k];
        let np = space.n_param();
        let mut columns = vec![0; p.of.n_vars];
        (0..np).chain(p.of.dims.iter().copied()).enumerate().for_each(|(c, v)| columns[v] = c);
        for (condition, value) in without_floors_inside(&r, p)? {
            let formula = Formula::And(p.of.conditions.clone()).and(&condition);
            let bodies = r.conjunctions(&p.of, &formula, &p.of.dims, space.n_cols())?;
            list.push((Set::from_bodies(space, bodies), value.renumbered(&columns)));
        }
    }
    let mut out = Vec::with_capacity(spaces.len());
    for (space, at, list) in spaces {
        let f = PwQPoly::sum_of(&space, list, &Budget::steps(STEPS));
        out.push((f.map_err(|_| r.error_at(at, "domains are too complicated"))?, at));
    }
    Ok((r, out))
}

/// The value of a part for each residue of the floors that are inside of others, without these.
fn without_floors_inside(r: &Reader, p: &Part) -> Parsed<Vec<(Formula, Poly)>> {
    let mut list = vec![(Formula::True, p.value.clone())];
    for f in
        p.of.floors
            .iter()
            .rev()
            .filter(|f| p.value.uses(f.var) || p.of.floors.iter().any(|g| g.num.terms.contains_key(&f.var)))
    {
        if !list.iter().any(|(_, value)| value.uses(f.var)) {
            continue;
        }
        let den = f.den.to_usize().filter(|d| d * list.len() <= MOST_RESIDUES);
        let den = den.ok_or_else(|| r.error_at(p.of.at, "a floor inside of another one has too large a divisor"))?;
        let mut next = Vec::with_capacity(list.len() * den);
        for (condition, value) in list {
            for residue in 0..den {
                let exact = f.num.plus(&Lin::constant(BigInt::from(residue)).scaled(&BigInt::of(-1)));
                let whole = Formula::Eq(exact.minus(&Lin::var(f.var).scaled(&f.den)));
                next.push((
                    condition.clone().and(&whole),
                    value.substitute_form(f.var, &row(&exact, p.of.n_vars), &f.den),
                ));
            }
        }
        list = next;
    }
    Ok(list)
}

/// The numerator as a row over this many variables, the constant last.
fn row(form: &Lin, n_vars: usize) -> Vec<BigInt> {
    let mut row = vec![BigInt::of(0); n_vars + 1];
    for (v, c) in &form.terms {
        row[*v].clone_from(c);
    }
    row[n_vars].clone_from(&form.constant);
    row
}

fn part(r: &mut Reader) -> Parsed<Part> {
    let at = r.pos;
    let (mut conditions, mut dims) = (r.given.clone(), Vec::new());
    let mut output = Tuple::absent();
    if r.peek_sym("[") || matches!(r.ahead(1), Tok::Sym("[")) {
        output = r.tuple(&mut dims, &mut conditions)?;
        r.expect("->")?;
    }
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
        let most = MOST_POWER[usize::from(base.coefficients().count() == 1)];
        let power = match self.peek() {
            Tok::Num(v) if *v <= BigInt::of(most) => ToPrimitive::to_i64(v),
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
                self.expect("(")?;
                self.poly_floor(")")
            }
            Tok::Sym("[") => {
                self.pos += 1;
                self.poly_floor("]")
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

    /// `e)` after `floor(`, and `e]` after `[`.
    fn poly_floor(&mut self, close: &str) -> Parsed<Poly> {
        let at = self.pos;
        let e = self.expr()?;
        self.expect(close)?;
        let Some(form) = e.plain() else { return Err(self.error_at(at, "expected an affine term")) };
        let (mut form, mut den) = (form.clone().whole(), form.den.clone().unwrap_or_else(|| BigInt::of(1)));
        // A whole number beside a floor may as well be added inside.
        while let Some(inner) = self.floors.iter().rev().find(|f| form.terms.get(&f.var).is_some_and(Int::is_one)) {
            form = form.minus(&Lin::var(inner.var)).scaled(&inner.den).plus(&inner.num);
            den *= &inner.den;
        }
        Ok(Poly::floor(&row(&form, self.n_vars), &den))
    }
}
