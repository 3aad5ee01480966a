//! Bounds of quasi-polynomials for each value of the parameters, by Bernstein expansion: the arguments as means of the
//! vertices of their polytope, the coefficients of the powers of the weights are values that the function is not
//! beyond.
//! Source: Clauss, Tchoupaeva, A Symbolic Approach to Bernstein Expansion for Program Analysis and Optimization, CC
//! 2004. Differences: all vertices of a part of the parameters are used at once, without triangulation; floors are
//! arguments of their own.

use crate::budget::{Budget, Error, Result};
use crate::count::vertices::{Corner, vertices};
use crate::functions::aff::Aff;
use crate::functions::pairs::last_as_dims;
use crate::functions::qpoly::{Poly, PwQPoly, laid_over};
use crate::num::Stop;
use crate::sets::set::{Bound, Set};
use crate::sets::space::{Space, Tuple};
use crate::sets::union::Parts;
use crate::system::body::IntoBody;
use crate::system::elim;
use crate::system::sys::Sys;
use crate::text::print::{column_names, tuple_text};
use crate::text::print_functions::domain_text;
use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, Signed, ToPrimitive, Zero};
use std::fmt;
use std::sync::Arc;

/// Largest number of coefficients that a function is expanded into on one part of the parameters.
const MOST_COEFFICIENTS: usize = 20_000;

/// A bound of functions: on each part of the parameters the largest (or the smallest) of some polynomials.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PolyBound {
    /// Of parameters, and of dims where these were some at first.
    over: Space,
    largest: bool,
    /// Without values: there is no bound.
    pieces: Vec<(Set, Vec<Poly>)>,
}

impl PolyBound {
    /// A bound that none of the functions is above (`largest`) or below anywhere in its domain, for each value of the
    /// parameters for which there is an element in some domain.
    /// Not exact: it may be further away than the optimum is, and domains count with their rational points.
    /// Cost: the vertices of each piece, and as many products as there are coefficients. Errors: [`Error`];
    /// [`Error::Unbounded`] for a domain that is not finite for fixed parameters.
    ///
    /// ```
    /// # use presburger::{Budget, PolyBound, PwQPoly};
    /// let f = PwQPoly::parse("[N] -> { [i] -> i * (N - i) : 0 <= i <= N }")?;
    /// let most = PolyBound::new(&[f], true, &Budget::unlimited())?;
    /// assert_eq!(most.to_string(), "[N] -> { max(1/2 * N^2) : N >= 0 }");
    /// assert_eq!(most.eval(&[6]).expect("elements").to_string(), "18");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(functions: &[PwQPoly], largest: bool, b: &Budget) -> Result<PolyBound> {
        let first = functions.first().map_or_else(|| Arc::from([]), |f| f.space().params.clone());
        let names = functions.iter().skip(1).fold(first, |all, f| {
            let more = f.space().params.iter().filter(|p| !all.contains(p)).cloned().collect::<Vec<_>>();
            all.iter().cloned().chain(more).collect()
        });
        let params = Space { params: names.clone(), input: None, output: Tuple::absent() };
        let mut found: Vec<(Set, Vec<Poly>)> = Vec::new();
        for f in functions {
            for (domain, poly) in f.over_params(&names).pieces() {
                let poly = if largest { poly.clone() } else { poly.scaled(&-BigRational::one()) };
                for (part, values) in expanded(domain, &poly, b)? {
                    let both = |known: &Vec<Poly>, more: &Vec<Poly>| known.iter().chain(more).cloned().collect();
                    found = laid_over(found, part, values, both, b)?;
                }
            }
        }
        let mut pieces: Vec<(Set, Vec<Poly>)> = Vec::new();
        for (part, values) in found {
            let values = furthest(&part, values, b)?;
            match pieces.iter_mut().find(|(_, same)| *same == values) {
                Some((all, _)) => *all = all.union(&part),
                None => pieces.push((part, values)),
            }
        }
        for (part, _) in &mut pieces {
            *part = part.coalesce(b)?.into_owned();
        }
        Ok(PolyBound { over: params, largest, pieces })
    }

    /// No bound for the parameters for which there is an element in some domain.
    pub(crate) fn none(functions: &[PwQPoly], largest: bool, b: &Budget) -> Result<PolyBound> {
        let mut all = Set::empty(Space::params_only(&[]));
        for domain in functions.iter().flat_map(PwQPoly::domains) {
            all = all.union(&domain.params(b)?);
        }
        let over = all.space().clone();
        Ok(PolyBound { over, largest, pieces: vec![(all.coalesce(b)?.into_owned(), Vec::new())] })
    }

    /// With the last parameters as the dims of `tuple`.
    pub(crate) fn over_tuple(self, tuple: &Tuple) -> PolyBound {
        let over = Arc::new(last_as_dims(&self.over, tuple));
        let moved =
            |(part, values): (Set, Vec<Poly>)| (Set::from_bodies(&over, part.bodies().cloned().collect()), values);
        PolyBound { pieces: self.pieces.into_iter().map(moved).collect(), over: (*over).clone(), ..self }
    }

    /// The bound of functions without parameters, where one of them has it as its value at a vertex of its domain.
    pub(crate) fn attained(&self, functions: &[PwQPoly], b: &Budget) -> Result<Option<BigRational>> {
        let Some(end) = self.eval(&[]) else { return Ok(None) };
        for (domain, poly) in functions.iter().flat_map(PwQPoly::pieces) {
            for corner in corners(domain, (&[], domain.space().n_cols()), b)? {
                let at: Vec<BigRational> = corner.at.iter().map(|v| v[0].clone()).collect();
                let whole: Vec<BigInt> = at.iter().map(BigRational::to_integer).collect();
                let small: Option<Vec<i64>> = whole.iter().map(ToPrimitive::to_i64).collect();
                let inside = match small {
                    Some(x) => domain.contains(&[], &x),
                    None => domain.plain,
                };
                if inside && at.iter().all(BigRational::is_integer) && poly.eval(&whole) == end {
                    return Ok(Some(end));
                }
            }
        }
        Ok(None)
    }

    /// The bound for these values of the parameters; `None`: no domain has an element, or there is no bound.
    pub fn eval(&self, params: &[i64]) -> Option<BigRational> {
        let (_, values) = self.pieces.iter().find(|(part, _)| part.contains(params, &[]))?;
        let at: Vec<BigInt> = params.iter().map(|v| BigInt::from(*v)).collect();
        let most = values.iter().map(|p| p.eval(&at)).max()?;
        Some(if self.largest { most } else { -most })
    }
}

impl fmt::Display for PolyBound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = column_names(&self.over);
        let head = match &self.over.output {
            tuple if tuple.absent => String::new(),
            tuple => format!("{} -> ", tuple_text(tuple, self.over.n_param(), &names, &[])),
        };
        let of = if self.largest { "max" } else { "min" };
        let own = |p: &Poly| if self.largest { p.text(&names) } else { p.scaled(&-BigRational::one()).text(&names) };
        let mut parts = Vec::with_capacity(self.pieces.len());
        for (part, values) in &self.pieces {
            let mut list: Vec<String> = values.iter().map(own).collect();
            if list.is_empty() {
                list.push(if self.largest { "infty" } else { "-infty" }.to_string());
            }
            parts.push(format!("{head}{of}({}){}", list.join(", "), domain_text(part, &names).unwrap_or_default()));
        }
        let params = match self.over.params.len() {
            0 => String::new(),
            _ => format!("[{}] -> ", self.over.params.join(", ")),
        };
        write!(f, "{params}{{ {} }}", parts.join("; "))
    }
}

/// Parts of the parameters, disjoint and all of those for which there are elements, with the coefficients there.
fn expanded(domain: &Set, poly: &Poly, b: &Budget) -> Result<Vec<(Set, Vec<Poly>)>> {
    if !domain.is_bounded(b)? {
        return Err(Error::Unbounded);
    }
    let (n, keep) = (domain.space().n_cols(), domain.space().n_param());
    let (poly, rows) = poly.with_floor_columns(n);
    let width = n + rows.len() / 2;
    let mut found = Vec::new();
    for piece in domain.basics() {
        let piece = piece.to_set();
        let mut chambers = vec![(piece.params(b)?, Vec::new())];
        for corner in corners(&piece, (&rows, width), b)? {
            let space = Arc::new(chambers[0].0.space().clone());
            let part = Set::from_bodies(&space, vec![corner.domain.clone().into_body()]);
            let mut next = Vec::with_capacity(chambers.len() + 1);
            for (own, corners) in chambers {
                let (inside, outside) = (own.intersect(&part), own.subtract(&part, b)?);
                if !outside.is_empty(b)? {
                    next.push((outside, corners.clone()));
                }
                if !inside.is_empty(b)? {
                    let mut corners: Vec<Corner> = corners;
                    corners.push(corner.clone());
                    next.push((inside, corners));
                }
            }
            chambers = next;
            if chambers.is_empty() {
                break;
            }
        }
        for (part, corners) in chambers.into_iter().filter(|(_, corners)| !corners.is_empty()) {
            found.push((part, coefficients(&poly, (keep, width), &corners, b)?));
        }
    }
    Ok(found)
}

/// The vertices of a conjunction with columns for floors behind its own, which these rows bound.
fn corners(piece: &Set, (rows, width): (&[Vec<BigInt>], usize), b: &Budget) -> Result<Vec<Corner>> {
    let (n, keep) = (piece.space().n_cols(), piece.space().n_param());
    let mut all = Vec::new();
    for body in piece.bodies() {
        let found = || {
            let Some(own) = elim::rational_bounds(&body.to_big(), n, b)? else { return Ok(Vec::new()) };
            let columns: Vec<usize> = (0..n).collect();
            let mut wide = Sys::join(width, 0, &[(&own, &columns)]);
            rows.iter().for_each(|r| wide.ge.push(r));
            vertices(&wide, keep, b)
        };
        all.extend(found().map_err(Stop::settled)?);
    }
    Ok(all)
}

/// The coefficients of the products of the weights of the corners in the polynomial, whose columns from `keep` to
/// `width` are the mean of the corners by these weights.
fn coefficients(poly: &Poly, (keep, width): (usize, usize), corners: &[Corner], b: &Budget) -> Result<Vec<Poly>> {
    let parts = poly.by_powers(keep..width);
    let degree = parts.keys().map(|powers| powers.iter().sum::<u32>()).max().unwrap_or(0);
    let count = (1..corners.len()).try_fold(1_usize, |c, k| Some(c.checked_mul(degree as usize + k)? / k));
    let count = count.filter(|c| *c <= MOST_COEFFICIENTS).ok_or(Error::TooMany)?;
    let weight = |k: usize| Poly::column(width + k);
    let one = (0..corners.len()).fold(Poly::default(), |sum, k| sum.add(&weight(k)));
    let mean = |c: usize| {
        let of = |k: usize| weight(k).mul(&Poly::rational(&corners[k].at[c]));
        (0..corners.len()).fold(Poly::default(), |sum, k| sum.add(&of(k)))
    };
    let means: Vec<Poly> = (0..width - keep).map(mean).collect();
    let mut sum = Poly::default();
    for (powers, part) in &parts {
        let rest = degree - powers.iter().sum::<u32>();
        let factors = means.iter().zip(powers).chain([(&one, &rest)]);
        let mut product = part.clone();
        for (factor, power) in factors {
            for _ in 0..*power {
                b.step(count).map_err(Stop::settled)?;
                product = product.mul(factor);
            }
        }
        sum = sum.add(&product);
    }
    let found = sum.by_powers(width..width + corners.len());
    let mut values: Vec<Poly> = Vec::new();
    for (powers, part) in &found {
        let factorial = |n: u32| (1..=n).fold(BigInt::one(), |p, k| p * k);
        let ways = powers.iter().fold(factorial(degree), |w, k| w / factorial(*k));
        values.push(part.scaled(&BigRational::new(BigInt::one(), ways)));
    }
    if found.len() < count {
        values.push(Poly::default());
    }
    Ok(values)
}

/// The values without those that another one is proved to be at least as large as on the whole part.
fn furthest(part: &Set, values: Vec<Poly>, b: &Budget) -> Result<Vec<Poly>> {
    let space = part.space();
    let mut from = Vec::with_capacity(space.n_param());
    for c in 0..space.n_param() {
        let value = Aff::param(space, c);
        let end = |bound: Bound| if let Bound::Value(v) = bound { Some(BigInt::from(v)) } else { None };
        from.push(match (end(part.min_of(&value, b)?), end(part.max_of(&value, b)?)) {
            (Some(least), _) => Some((BigInt::one(), least)),
            (None, Some(most)) => Some((-BigInt::one(), most)),
            _ => None,
        });
    }
    let mut kept: Vec<Poly> = Vec::new();
    for value in values {
        let mut below = false;
        for other in &kept {
            below = below || is_never_negative(part, &from, &other.sub(&value), b)?;
        }
        if below {
            continue;
        }
        let mut left = Vec::with_capacity(kept.len() + 1);
        for other in kept {
            if !is_never_negative(part, &from, &value.sub(&other), b)? {
                left.push(other);
            }
        }
        left.push(value);
        kept = left;
    }
    Ok(kept)
}

/// Whether this is proved: `from` is what each parameter is at least (1) or at most (-1).
fn is_never_negative(part: &Set, from: &[Option<(BigInt, BigInt)>], poly: &Poly, b: &Budget) -> Result<bool> {
    if let Some((row, _)) = poly.as_affine(from.len()) {
        let Some(mut below) = row.iter().map(|v| (-v).to_i64()).collect::<Option<Vec<i64>>>() else {
            return Ok(false);
        };
        let Some(less) = below.pop().and_then(|v| v.checked_sub(1)) else { return Ok(false) };
        below.push(less);
        let negative = Aff::from_row(part.space(), &below).ge_set(&Aff::zero(part.space()));
        return part.intersect(&negative).is_empty(b);
    }
    let mut moved = poly.clone();
    for (c, from) in from.iter().enumerate() {
        let mut row = vec![BigInt::zero(); c + 2];
        if let Some((sign, end)) = from {
            row[c].clone_from(sign);
            row[c + 1].clone_from(end);
            moved = moved.substitute(c, &Poly::affine(&row, &BigInt::one()));
        } else if moved.powers_of(c).iter().skip(1).enumerate().any(|(k, p)| k.is_even() && !p.is_zero()) {
            return Ok(false);
        }
    }
    Ok(moved.coefficients().all(|c| !c.is_negative()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each text is bounded above and below by what is found, for all parameters up to 6, and by numbers near the
    /// optimum.
    #[test]
    fn no_value_is_beyond_the_bound() {
        let b = Budget::unlimited();
        let texts = [
            "[N] -> { [i] -> i * (N - i) : 0 <= i <= N }",
            "[N] -> { [i] -> i^2 - 4 * i : 0 <= i <= N }",
            "[N] -> { [i] -> floor(i/2) * (N - i) : 0 <= i <= N }",
            "[N] -> { [i] -> floor(i/3) * i : -N <= i <= N }",
            "[N, M] -> { [i, j] -> i * j - floor(j/2) : 0 <= i <= N and 0 <= j <= i + M }",
            "[N, M] -> { [i, j] -> i^3 - N * j^2 + M : 0 <= i <= N and i <= j <= M; [i, j] -> 2 : j = i + 9 and i = N }",
            "[N] -> { [i] -> i^2 * (N - i) : 0 <= i <= N and exists e : i = 2 e }",
            "{ [i, j] -> i * j : -3 <= i <= 4 and -i <= j <= 2 }",
        ];
        for text in texts {
            let f = PwQPoly::parse(text).unwrap();
            let n = f.space().n_param();
            for largest in [true, false] {
                let bound = PolyBound::new(std::slice::from_ref(&f), largest, &b).unwrap();
                for case in 0..7_i64.pow(u32::try_from(n).unwrap()) {
                    let params: Vec<i64> = (0..n).map(|k| case / 7_i64.pow(u32::try_from(k).unwrap()) % 7).collect();
                    let mut any = false;
                    for point in (-8..=16).flat_map(|i| (-8..=16).map(move |j| [i, j])) {
                        let point = &point[..f.space().n_out()];
                        if !f.domains().any(|d| d.contains(&params, point)) {
                            continue;
                        }
                        any = true;
                        let value = BigRational::from_integer(f.eval(&params, point));
                        let end = bound.eval(&params).expect("a bound");
                        assert!(
                            if largest { value <= end } else { value >= end },
                            "{text} {params:?} {point:?}: {end}"
                        );
                    }
                    assert_eq!(any, bound.eval(&params).is_some(), "{text} {params:?}");
                }
            }
        }
    }

    #[test]
    fn values_that_others_are_above_are_left_out() {
        let b = Budget::unlimited();
        let bound =
            |text: &str, largest| PolyBound::new(&[PwQPoly::parse(text).unwrap()], largest, &b).unwrap().to_string();
        let square = "[N] -> { [i] -> i^2 : 1 <= i <= N }";
        assert_eq!(bound(square, true), "[N] -> { max(N^2) : N >= 1 }");
        assert_eq!(bound(square, false), "[N] -> { min(1) : N >= 1 }");
        let unbounded = PwQPoly::parse("[N] -> { [i] -> i^2 : i >= N }").unwrap();
        assert_eq!(PolyBound::new(&[unbounded], true, &b).err(), Some(Error::Unbounded));
    }
}
