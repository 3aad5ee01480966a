//! Polynomials with rational coefficients over numbered columns and floors of affine forms in them, and piecewise ones
//! over set domains.

use crate::budget::{Budget, Result};
use crate::count::card::{self, Failed};
use crate::functions::bernoulli::{bernoulli, power_sum};
use crate::sets::set::{Set, joint_params};
use crate::sets::space::{Space, Tuple, union_params};
use crate::sets::union::Parts;
use crate::system::body::IntoBody;
use crate::system::sys::Sys;
use crate::text::parse::{self, ParseError};
use crate::text::print;
use crate::text::print_functions::{domain_text, write_parts};
use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// `floor((coefficients . columns + one) / den)` in canonical form: the coefficients without trailing zeros from 0 to
/// `den - 1`, `one` too, nothing in common with `den`, and no larger in lexicographic order than for the form negated.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct FloorOf {
    coefficients: Vec<BigInt>,
    one: BigInt,
    den: BigInt,
}

impl FloorOf {
    fn eval(&self, x: &[BigInt]) -> BigInt {
        let sum = self.coefficients.iter().zip(x).fold(self.one.clone(), |sum, (a, v)| sum + a * v);
        sum.div_floor(&self.den)
    }

    fn text(&self, names: &[String]) -> String {
        let mut row = self.coefficients.clone();
        row.resize(names.len(), BigInt::zero());
        row.push(self.one.clone());
        let numerator = Poly::affine(&row, &BigInt::one()).text(names);
        format!("floor(({numerator})/{})", self.den)
    }
}

/// A floor's `[columns | 1]`, its divisor, and its coefficient.
pub(crate) type FloorTerm = (Vec<BigInt>, BigInt, BigInt);

/// Elements that are tried in a domain at most.
const MOST_ELEMENTS: usize = 100_000;

/// A product of powers.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Default, Hash)]
struct Monomial {
    /// Exponents of the columns, without trailing zeros.
    powers: Vec<u32>,
    /// Exponents of floors, none of them zero.
    floors: BTreeMap<FloorOf, u32>,
}

impl Monomial {
    fn columns(mut powers: Vec<u32>) -> Monomial {
        while powers.last() == Some(&0) {
            powers.pop();
        }
        Monomial { powers, floors: BTreeMap::new() }
    }

    fn of_floor(f: &FloorOf) -> Monomial {
        Monomial { powers: Vec::new(), floors: BTreeMap::from([(f.clone(), 1)]) }
    }

    fn times(&self, o: &Monomial) -> Monomial {
        let n = self.powers.len().max(o.powers.len());
        let at = |v: &Vec<u32>, i: usize| v.get(i).copied().unwrap_or(0);
        let mut product = Monomial::columns((0..n).map(|i| at(&self.powers, i) + at(&o.powers, i)).collect());
        product.floors.clone_from(&self.floors);
        for (f, k) in &o.floors {
            *product.floors.entry(f.clone()).or_default() += k;
        }
        product
    }
}

/// `sum coefficient * product column_i ^ exponent_i * product floor_j ^ exponent_j`.
#[derive(Clone, Debug, PartialEq, Eq, Default, Hash)]
pub(crate) struct Poly {
    /// No coefficient is zero.
    terms: BTreeMap<Monomial, BigRational>,
}

impl Poly {
    pub fn constant(c: BigRational) -> Poly {
        let mut p = Poly::default();
        p.add_term(Monomial::default(), c);
        p
    }

    /// `floor(row . [columns | 1] / den)`, `den > 0`.
    pub fn floor(row: &[BigInt], den: &BigInt) -> Poly {
        let last = row.len() - 1;
        let common = row[..last].iter().fold(den.clone(), |g, a| g.gcd(a));
        let den = den / &common;
        let mut whole = vec![BigInt::zero(); row.len()];
        let mut rest = Vec::with_capacity(row.len());
        for (w, a) in
            whole.iter_mut().zip(row[..last].iter().map(|a| a / &common).chain([row[last].div_floor(&common)]))
        {
            *w = a.div_floor(&den);
            rest.push(a.mod_floor(&den));
        }
        // floor(y / d) = -floor((d - 1 - y) / d)
        let mut opposite: Vec<BigInt> = rest.iter().map(|a| -a).collect();
        opposite[last] += &den - 1;
        let parts: Vec<BigInt> = opposite.iter().map(|a| a.div_floor(&den)).collect();
        opposite.iter_mut().for_each(|a| *a = a.mod_floor(&den));
        let mut sign = BigInt::one();
        if opposite < rest {
            sign = -sign;
            rest = opposite;
            whole.iter_mut().zip(&parts).for_each(|(w, part)| *w -= part);
        }
        let mut p = Poly::affine(&whole, &BigInt::one());
        let one = rest.pop().expect("the row has a constant");
        while rest.last().is_some_and(Zero::is_zero) {
            rest.pop();
        }
        if !rest.is_empty() {
            let floor = FloorOf { coefficients: rest, one, den };
            let floors = BTreeMap::from([(floor, 1)]);
            p.add_term(Monomial { powers: Vec::new(), floors }, BigRational::from_integer(sign));
        }
        p
    }

    pub fn column(c: usize) -> Poly {
        Poly::column_power(c, 1)
    }

    pub fn column_power(c: usize, power: usize) -> Poly {
        let mut e = vec![0; c + 1];
        e[c] = u32::try_from(power).expect("powers are small");
        let mut p = Poly::default();
        p.add_term(Monomial::columns(e), BigRational::one());
        p
    }

    /// The affine form of a row `[columns | 1]` divided by `den`.
    pub fn affine(row: &[BigInt], den: &BigInt) -> Poly {
        let last = row.len() - 1;
        let mut p = Poly::constant(BigRational::new(row[last].clone(), den.clone()));
        for (c, v) in row[..last].iter().enumerate().filter(|(_, v)| !v.is_zero()) {
            let mut e = vec![0; c + 1];
            e[c] = 1;
            p.add_term(Monomial::columns(e), BigRational::new(v.clone(), den.clone()));
        }
        p
    }

    /// The same polynomial with column `c` called `columns[c]`, which does not count where it is not used.
    pub fn renumbered(&self, columns: &[usize]) -> Poly {
        let width = columns.iter().max().map_or(0, |m| m + 1);
        let mut p = Poly::default();
        for (e, c) in &self.terms {
            let mut moved = vec![0; width];
            e.powers
                .iter()
                .enumerate()
                .filter(|(_, power)| **power > 0)
                .for_each(|(k, power)| moved[columns[k]] = *power);
            let mut term = Poly::default();
            term.add_term(Monomial::columns(moved), c.clone());
            for (f, power) in &e.floors {
                // The order of the columns decides about the canonical form.
                let mut row = vec![BigInt::zero(); width + 1];
                let used = f.coefficients.iter().enumerate().filter(|(_, a)| !a.is_zero());
                used.for_each(|(k, a)| row[columns[k]].clone_from(a));
                row[width].clone_from(&f.one);
                let floor = Poly::floor(&row, &f.den);
                term = (0..*power).fold(term, |term, _| term.mul(&floor));
            }
            p = p.add(&term);
        }
        p
    }

    /// The affine function over the columns with these coefficients, the constant last.
    pub fn rational(row: &[BigRational]) -> Poly {
        let all = row.iter().fold(BigInt::one(), |l, x| l.lcm(x.denom()));
        let whole: Vec<BigInt> = row.iter().map(|x| (x * &all).to_integer()).collect();
        Poly::affine(&whole, &all)
    }

    /// The row `[columns | 1]` over a positive number, if this is an affine form of `n` columns.
    pub fn as_affine(&self, n: usize) -> Option<(Vec<BigInt>, BigInt)> {
        let den = self.terms.values().fold(BigInt::one(), |l, c| l.lcm(c.denom()));
        let mut row = vec![BigInt::zero(); n + 1];
        for (m, c) in &self.terms {
            if !m.floors.is_empty() || m.powers.iter().sum::<u32>() > 1 {
                return None;
            }
            // Without trailing zeros: a column's own exponent stands last.
            let at = m.powers.len().checked_sub(1).unwrap_or(n);
            row[at] = c.numer() * (&den / c.denom());
        }
        Some((row, den))
    }

    /// As [`Poly::as_affine`], of a form with floors: the row, the floors, and the number that row and the floors'
    /// coefficients are over.
    pub fn as_quasi_affine(&self, n: usize) -> Option<(Vec<BigInt>, Vec<FloorTerm>, BigInt)> {
        let den = self.terms.values().fold(BigInt::one(), |l, c| l.lcm(c.denom()));
        let (mut rest, mut floors) = (Poly::default(), Vec::new());
        for (m, c) in &self.terms {
            let (mut own, power) = match m.floors.first_key_value() {
                None => {
                    rest.add_term(m.clone(), c * &den);
                    continue;
                }
                Some((f, power)) => (f.clone(), *power),
            };
            if m.floors.len() > 1 || power > 1 || !m.powers.is_empty() {
                return None;
            }
            own.coefficients.resize(n, BigInt::zero());
            own.coefficients.push(own.one);
            floors.push((own.coefficients, own.den, c.numer() * (&den / c.denom())));
        }
        Some((rest.as_affine(n)?.0, floors, den))
    }

    /// With `row . [columns | 1] / den` for column `c`, also in floors. `row` is as wide as all columns.
    pub fn substitute_form(&self, c: usize, row: &[BigInt], den: &BigInt) -> Poly {
        let (last, value) = (row.len() - 1, Poly::affine(row, den));
        let mut out = Poly::default();
        for (m, k) in &self.terms {
            let power = m.powers.get(c).copied().unwrap_or(0);
            let mut powers = m.powers.clone();
            if let Some(x) = powers.get_mut(c) {
                *x = 0;
            }
            let mut term = Poly::default();
            term.add_term(Monomial::columns(powers), k.clone());
            term = (0..power).fold(term, |term, _| term.mul(&value));
            for (f, power) in &m.floors {
                let mut own = f.coefficients.clone();
                own.resize(last, BigInt::zero());
                own.push(f.one.clone());
                let times = std::mem::take(&mut own[c]);
                let moved: Vec<BigInt> = own.iter().zip(row).map(|(a, r)| a * den + &times * r).collect();
                let floor = Poly::floor(&moved, &(&f.den * den));
                term = (0..*power).fold(term, |term, _| term.mul(&floor));
            }
            out = out.add(&term);
        }
        out
    }

    /// With `(form - r) / den` for each floor of `form / den` for which `remainder` says that `form` is `r` and a
    /// multiple of `den`; it is given the row of the form over `n` columns and the divisor.
    pub fn without_floors(
        &self,
        n: usize,
        mut remainder: impl FnMut(&[BigInt], &BigInt) -> Result<Option<BigInt>>,
    ) -> Result<Poly> {
        let mut exact: BTreeMap<FloorOf, Poly> = BTreeMap::new();
        for f in self.terms.keys().flat_map(|m| m.floors.keys()) {
            if exact.contains_key(f) {
                continue;
            }
            let mut row = f.coefficients.clone();
            row.resize(n, BigInt::zero());
            row.push(f.one.clone());
            let value = match remainder(&row, &f.den)? {
                None => Poly { terms: BTreeMap::from([(Monomial::of_floor(f), BigRational::one())]) },
                Some(r) => {
                    row[n] -= r;
                    Poly::affine(&row, &f.den)
                }
            };
            exact.insert(f.clone(), value);
        }
        let mut out = Poly::default();
        for (m, k) in &self.terms {
            let mut term = Poly::default();
            term.add_term(Monomial::columns(m.powers.clone()), k.clone());
            for (f, power) in &m.floors {
                term = (0..*power).fold(term, |term, _| term.mul(&exact[f]));
            }
            out = out.add(&term);
        }
        Ok(out)
    }

    /// Whether column `c` makes a difference.
    pub fn uses(&self, c: usize) -> bool {
        let in_floor = |f: &FloorOf| f.coefficients.get(c).is_some_and(|v| !v.is_zero());
        self.terms.keys().any(|m| m.powers.get(c).is_some_and(|p| *p > 0) || m.floors.keys().any(in_floor))
    }

    pub fn is_zero(&self) -> bool {
        self.terms.is_empty()
    }

    fn add_term(&mut self, key: Monomial, c: BigRational) {
        let sum = self.terms.get(&key).map_or_else(|| c.clone(), |v| v + &c);
        if sum.is_zero() {
            self.terms.remove(&key);
        } else {
            self.terms.insert(key, sum);
        }
    }

    pub fn add(&self, o: &Poly) -> Poly {
        let mut p = self.clone();
        for (e, c) in &o.terms {
            p.add_term(e.clone(), c.clone());
        }
        p
    }

    pub fn sub(&self, o: &Poly) -> Poly {
        self.add(&o.scaled(&-BigRational::one()))
    }

    pub fn scaled(&self, k: &BigRational) -> Poly {
        let mut p = Poly::default();
        for (e, c) in &self.terms {
            p.add_term(e.clone(), c * k);
        }
        p
    }

    pub fn mul(&self, o: &Poly) -> Poly {
        let mut p = Poly::default();
        for (e, c) in &self.terms {
            for (f, d) in &o.terms {
                p.add_term(e.times(f), c * d);
            }
        }
        p
    }

    /// The coefficients of the powers of column `c`, which is in no floor, lowest first, as polynomials without it.
    pub fn powers_of(&self, c: usize) -> Vec<Poly> {
        let mut out: Vec<Poly> = Vec::new();
        for (e, k) in &self.terms {
            let power = e.powers.get(c).copied().unwrap_or(0) as usize;
            if out.len() <= power {
                out.resize(power + 1, Poly::default());
            }
            let mut powers = e.powers.clone();
            if let Some(x) = powers.get_mut(c) {
                *x = 0;
            }
            let rest = Monomial { floors: e.floors.clone(), ..Monomial::columns(powers) };
            out[power].add_term(rest, k.clone());
        }
        out
    }

    /// The coefficients of the products of powers of some columns, which are in no floor, as polynomials without these.
    pub fn by_powers(&self, columns: Range<usize>) -> BTreeMap<Vec<u32>, Poly> {
        let mut out: BTreeMap<Vec<u32>, Poly> = BTreeMap::new();
        for (e, k) in &self.terms {
            let mut powers = e.powers.clone();
            let own = columns.clone().map(|c| powers.get_mut(c).map_or(0, std::mem::take)).collect();
            let rest = Monomial { floors: e.floors.clone(), ..Monomial::columns(powers) };
            out.entry(own).or_default().add_term(rest, k.clone());
        }
        out
    }

    /// The number of products.
    pub fn terms(&self) -> usize {
        self.terms.len()
    }

    /// The coefficients of all products.
    pub fn coefficients(&self) -> impl Iterator<Item = &BigRational> {
        self.terms.values()
    }

    /// Column `c` replaced by `value`, by Horner's rule.
    pub fn substitute(&self, c: usize, value: &Poly) -> Poly {
        self.powers_of(c).iter().rev().fold(Poly::default(), |acc, p| acc.mul(value).add(p))
    }

    pub fn eval(&self, x: &[BigInt]) -> BigRational {
        let mut sum = BigRational::zero();
        for (e, c) in &self.terms {
            let mut v = c.clone();
            for (i, k) in e.powers.iter().enumerate() {
                v *= BigRational::from_integer(x[i].pow(*k));
            }
            for (f, k) in &e.floors {
                v *= BigRational::from_integer(f.eval(x).pow(*k));
            }
            sum += v;
        }
        sum
    }

    /// The polynomial with a column instead of each floor, from `first` on, and the rows over `[columns | floors | 1]`
    /// that give these columns their values.
    pub fn with_floor_columns(&self, first: usize) -> (Poly, Vec<Vec<BigInt>>) {
        let mut list: Vec<&FloorOf> = self.terms.keys().flat_map(|m| m.floors.keys()).collect();
        list.sort();
        list.dedup();
        let width = first + list.len() + 1;
        let mut rows = Vec::with_capacity(2 * list.len());
        for (k, f) in list.iter().enumerate() {
            let mut low = vec![BigInt::zero(); width];
            low[..f.coefficients.len()].clone_from_slice(&f.coefficients);
            low[width - 1].clone_from(&f.one);
            low[first + k] = -&f.den;
            let mut high: Vec<BigInt> = low.iter().map(|v| -v).collect();
            high[width - 1] += &f.den - 1;
            rows.extend([low, high]);
        }
        let mut out = Poly::default();
        for (m, c) in &self.terms {
            let mut powers = m.powers.clone();
            powers.resize(width - 1, 0);
            for (f, k) in &m.floors {
                powers[first + list.iter().position(|g| *g == f).expect("the list has all floors")] = *k;
            }
            out.add_term(Monomial::columns(powers), c.clone());
        }
        (out, rows)
    }

    /// `sum_{column c = low}^{high}` of the polynomial, for `low <= high + 1`.
    pub fn sum_over(&self, c: usize, low: &Poly, high: &Poly) -> Poly {
        let below = low.sub(&Poly::constant(BigRational::one()));
        let mut out = Poly::default();
        let powers = self.powers_of(c);
        let numbers = bernoulli(powers.len());
        for (k, p) in powers.iter().enumerate().filter(|(_, p)| !p.is_zero()) {
            let s = power_sum(k, c, &numbers);
            out = out.add(&p.mul(&s.substitute(c, high).sub(&s.substitute(c, &below))));
        }
        out
    }

    pub fn text(&self, names: &[String]) -> String {
        let mut out = String::new();
        for (e, c) in self.terms.iter().rev() {
            let sign = match (out.is_empty(), c.is_negative()) {
                (true, true) => "-",
                (true, false) => "",
                (false, true) => " - ",
                (false, false) => " + ",
            };
            let power = |name: String, k: u32| if k == 1 { name } else { format!("{name}^{k}") };
            let columns =
                e.powers.iter().enumerate().filter(|(_, k)| **k > 0).map(|(i, k)| power(names[i].clone(), *k));
            let mut factors: Vec<String> =
                columns.chain(e.floors.iter().map(|(f, k)| power(f.text(names), *k))).collect();
            let m = c.abs();
            if factors.is_empty() || !m.is_one() {
                factors.insert(0, if m.is_integer() { m.to_string() } else { format!("{}/{}", m.numer(), m.denom()) });
            }
            out.push_str(sign);
            out.push_str(&factors.join(" * "));
        }
        if out.is_empty() { "0".to_string() } else { out }
    }
}

/// A piecewise quasi-polynomial: on each domain a polynomial with rational coefficients in the columns and in floors of
/// affine forms of them; domains are pairwise disjoint and may carry congruences. Zero outside all domains.
/// Equality and hash are those of the pieces in any order, not of the values.
#[derive(Clone, Debug)]
pub struct PwQPoly {
    pub(crate) space: Space,
    pub(crate) pieces: Vec<(Set, Poly)>,
}

/// Disjoint pieces with one more, which may overlap them: where it does, `both` makes one value of two.
pub(crate) fn laid_over<V: Clone>(
    pieces: Vec<(Set, V)>,
    mut part: Set,
    value: V,
    both: impl Fn(&V, &V) -> V,
    b: &Budget,
) -> Result<Vec<(Set, V)>> {
    let mut next = Vec::with_capacity(pieces.len() + 1);
    for (own, known) in pieces {
        let common = own.intersect(&part);
        if common.is_empty(b)? {
            next.push((own, known));
            continue;
        }
        let rest = own.subtract(&part, b)?;
        part = part.subtract(&own, b)?;
        next.push((common, both(&known, &value)));
        if !rest.is_empty(b)? {
            next.push((rest, known));
        }
    }
    if !part.is_empty(b)? {
        next.push((part, value));
    }
    Ok(next)
}

impl PwQPoly {
    /// The sum of polynomials over possibly overlapping domains, all in `space`.
    pub(crate) fn sum_of(space: &Space, list: Vec<(Set, Poly)>, b: &Budget) -> Result<PwQPoly> {
        let mut pieces: Vec<(Set, Poly)> = Vec::new();
        for (dom, poly) in list {
            pieces = laid_over(pieces, dom, poly, |p, poly| p.add(poly), b)?;
        }
        PwQPoly { space: space.clone(), pieces }.merged(b)
    }

    /// Reads isl's notation: `[N] -> { S[i] -> 1/2 * N^2 - floor(i/2) : i >= 0; ... }`, or `[N] -> { N + 1 : N >= 0 }`
    /// for a function of the parameters. Where domains overlap the values add up.
    /// Errors: [`ParseError`] with its position.
    pub fn parse(text: &str) -> std::result::Result<PwQPoly, ParseError> {
        parse::pw_qpoly(text)
    }

    /// A function by its pieces, whose domains are disjoint sets in `space`.
    pub(crate) fn from_pieces(space: Space, pieces: Vec<(Set, Poly)>) -> PwQPoly {
        PwQPoly { space, pieces }
    }

    /// The function 0 on a set space.
    pub fn zero(space: &Space) -> PwQPoly {
        PwQPoly { space: space.clone(), pieces: Vec::new() }
    }

    /// The same number everywhere on a set space.
    pub(crate) fn number(space: &Space, number: usize) -> PwQPoly {
        let value = Poly::constant(BigRational::from_integer(BigInt::from(number)));
        let pieces = if value.is_zero() { Vec::new() } else { vec![(Set::universe(space.clone()), value)] };
        PwQPoly { space: space.clone(), pieces }
    }

    /// The same function over a parameter list that has all of its own.
    pub(crate) fn over_params(&self, params: &Arc<[Arc<str>]>) -> PwQPoly {
        let own = self.space.n_param();
        let place = |p: &Arc<str>| params.iter().position(|q| q == p).expect("the list has all parameters");
        let columns: Vec<usize> = self
            .space
            .params
            .iter()
            .map(place)
            .chain((own..self.space.n_cols()).map(|c| c - own + params.len()))
            .collect();
        let pieces = self.pieces.iter().map(|(d, p)| (d.over_params(params).into_owned(), p.renumbered(&columns)));
        PwQPoly { space: self.space.with_params(params), pieces: pieces.collect() }
    }

    /// Both over one parameter list.
    fn aligned(&self, o: &PwQPoly) -> (PwQPoly, PwQPoly) {
        assert!(self.space.n_out() == o.space.n_out(), "functions over different spaces");
        let params = joint_params(&self.space, &o.space);
        (self.over_params(&params), o.over_params(&params))
    }

    /// Sum. Exact. Errors: [`Error`](crate::Error), here and below from the tests of the domains.
    /// Cost: a feasibility test of each piece of one operand with each of the other.
    pub fn add(&self, o: &PwQPoly, b: &Budget) -> Result<PwQPoly> {
        let (p, q) = self.aligned(o);
        PwQPoly::sum_of(&p.space, p.pieces.into_iter().chain(q.pieces).collect(), b)
    }

    /// Difference. Exact. Cost: a feasibility test of each piece of one operand with each of the other. Errors:
    /// [`Error`](crate::Error).
    pub fn sub(&self, o: &PwQPoly, b: &Budget) -> Result<PwQPoly> {
        self.add(&o.scale(-1), b)
    }

    /// Product of the values. Exact.
    /// Cost: a feasibility test of each piece of one operand with each of the other. Errors: [`Error`](crate::Error).
    pub fn mul(&self, o: &PwQPoly, b: &Budget) -> Result<PwQPoly> {
        let (p, q) = self.aligned(o);
        let both = p.pieces.iter().flat_map(|(d, x)| q.pieces.iter().map(|(e, y)| (d.intersect(e), x.mul(y))));
        PwQPoly::sum_of(&p.space, both.collect(), b)
    }

    /// The sum of the values at all points, for each value of the parameters. Exact; `None` where a domain is not
    /// bounded. Cost: one polynomial sum per column, each split by pairs of bounds and by residues. Errors:
    /// [`Error`](crate::Error).
    ///
    /// ```
    /// use presburger::{Budget, PwQPoly};
    /// let b = Budget::unlimited();
    /// let f = PwQPoly::parse("[N] -> { [i] -> i * floor(i/3) : 0 <= i < N }")?;
    /// assert_eq!(f.sum(&b)?.unwrap().eval(&[7], &[]), (3 + 4 + 5 + 12).into());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn sum(&self, b: &Budget) -> Result<Option<PwQPoly>> {
        let over = Space { params: self.space.params.clone(), input: None, output: Tuple::absent() };
        let shared = Arc::new(over.clone());
        let mut out = Vec::new();
        for (dom, value) in &self.pieces {
            for body in dom.make_disjoint(b)?.compute_divs(b)?.bodies() {
                let s = body.to_big();
                let (value, rows) = value.with_floor_columns(s.cols());
                let mut open = Sys { n: s.cols(), e: 0, eq: s.eq.clone(), ge: s.ge.clone() };
                open.add_exists(rows.len() / 2);
                rows.iter().for_each(|r| open.ge.push(r));
                match card::sum(&open, over.n_cols(), &value, b) {
                    Ok(v) => {
                        out.extend(v.into_iter().map(|(s, p)| (Set::from_bodies(&shared, vec![s.into_body()]), p)))
                    }
                    Err(Failed::Stop(e)) => return Err(e.settled()),
                    Err(_) => return Ok(None),
                }
            }
        }
        PwQPoly::sum_of(&over, out, b).map(Some)
    }

    /// `k` times the function.
    pub fn scale(&self, k: i64) -> PwQPoly {
        let k = BigRational::from_integer(BigInt::from(k));
        let pieces = self.pieces.iter().map(|(d, p)| (d.clone(), p.scaled(&k))).filter(|(_, p)| !p.is_zero());
        PwQPoly { space: self.space.clone(), pieces: pieces.collect() }
    }

    /// The function where its argument lies in `dom`, zero elsewhere.
    pub fn intersect_domain(&self, dom: &Set) -> PwQPoly {
        let own = self.over_params(&joint_params(&self.space, dom.space()));
        let pieces = own.pieces.into_iter().map(|(d, p)| (d.intersect(dom), p)).collect();
        PwQPoly { space: own.space, pieces }
    }

    /// Pieces with the same polynomial joined, zero pieces dropped.
    fn merged(self, b: &Budget) -> Result<PwQPoly> {
        let mut out: Vec<(Set, Poly)> = Vec::new();
        for (d, p) in self.pieces.into_iter().filter(|(_, p)| !p.is_zero()) {
            match out.iter_mut().find(|(_, q)| *q == p) {
                Some((e, _)) => *e = e.union(&d),
                None => out.push((d, p)),
            }
        }
        for (d, _) in &mut out {
            *d = d.simplify(b)?;
        }
        Ok(PwQPoly { space: self.space, pieces: out })
    }

    /// The largest value, or the smallest, at the elements of its domains, for a function without parameters; `None`
    /// without elements. Cost: every element is tried.
    /// Errors: [`Error::TooMany`](crate::Error::TooMany) for more than 100,000 elements in a domain.
    pub fn extreme(&self, largest: bool) -> Result<Option<BigRational>> {
        assert!(self.space.n_param() == 0, "the function has parameters");
        let mut best: Option<BigRational> = None;
        for (d, p) in &self.pieces {
            for x in d.points(MOST_ELEMENTS)? {
                let v = p.eval(&x.into_iter().map(BigInt::from).collect::<Vec<_>>());
                if best.as_ref().is_none_or(|b| if largest { v > *b } else { v < *b }) {
                    best = Some(v);
                }
            }
        }
        Ok(best)
    }

    /// The set space of its arguments (parameters only, for the cardinality of a set).
    pub fn space(&self) -> &Space {
        &self.space
    }

    pub(crate) fn pieces(&self) -> impl Iterator<Item = (&Set, &Poly)> {
        self.pieces.iter().map(|(d, p)| (d, p))
    }

    /// The domains, pairwise disjoint.
    pub fn domains(&self) -> impl Iterator<Item = &Set> {
        self.pieces.iter().map(|(d, _)| d)
    }

    /// The value at a point, without its fraction (see [`PwQPoly::value`]).
    pub fn eval(&self, params: &[i64], point: &[i64]) -> BigInt {
        let x: Vec<BigInt> = params.iter().chain(point).map(|v| BigInt::from(*v)).collect();
        let hit = self.pieces.iter().find(|(d, _)| d.contains(params, point));
        hit.map_or_else(BigInt::zero, |(_, p)| p.eval(&x).to_integer())
    }
}

impl fmt::Display for PwQPoly {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_parts(f, &self.space.params, &self.part_texts())
    }
}

/// Writes functions on spaces of their own as one union.
pub(crate) fn write_functions(f: &mut fmt::Formatter<'_>, list: &[PwQPoly]) -> fmt::Result {
    let list = over_joint_params(list);
    let params = list.first().map_or(&[][..], |c| &c.space.params);
    write_parts(f, params, &list.iter().flat_map(PwQPoly::part_texts).collect::<Vec<_>>())
}

/// The functions over the parameters of all.
pub(crate) fn over_joint_params(list: &[PwQPoly]) -> Vec<PwQPoly> {
    let params = list.iter().fold(Arc::from([]), |all, c| union_params(&all, &c.space.params).0);
    list.iter().map(|c| c.over_params(&params)).collect()
}

impl PwQPoly {
    /// One text per piece; 0 where there is none.
    fn part_texts(&self) -> Vec<String> {
        let names = print::column_names(&self.space);
        let head = if self.space.output.absent {
            String::new()
        } else {
            format!("{} -> ", print::tuple_text(&self.space.output, self.space.n_param(), &names, &[]))
        };
        let part = |(d, p): &(Set, Poly)| Some(format!("{head}{}{}", p.text(&names), domain_text(d, &names)?));
        let parts: Vec<String> = self.pieces.iter().filter_map(part).collect();
        if parts.is_empty() { vec![format!("{head}0")] } else { parts }
    }
}
