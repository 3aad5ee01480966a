//! Integer polynomials over parameters, loop dims and floors: what an expression is before anyone asks whether it is
//! affine.

use crate::ids::LoopId;
use std::collections::BTreeMap;

/// A variable of a polynomial.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Sym {
    /// Parameter by number.
    Param(u32),
    /// Value of the dim of a loop inside the region.
    Dim(LoopId),
    /// A floor by number, see [`Floor`].
    Floor(u32),
}

/// `floor(num / den)`, den > 0, num linear over parameters, dims and floors with smaller numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Floor {
    /// Numerator.
    pub num: Poly,
    /// Denominator.
    pub den: i64,
}

/// Highest degree kept; products beyond it are not represented.
const MAX_DEGREE: usize = 4;

/// Product of variables, ascending; the empty product is 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Mono([Option<Sym>; MAX_DEGREE]);

impl Mono {
    /// The variables, ascending, repeated by power.
    pub fn syms(&self) -> impl DoubleEndedIterator<Item = Sym> + '_ {
        self.0.iter().copied().flatten()
    }

    /// Number of variables.
    #[must_use]
    pub fn degree(&self) -> usize {
        self.syms().count()
    }

    /// Product of the given variables; `None` beyond the highest degree.
    #[must_use]
    pub fn of(syms: impl IntoIterator<Item = Sym>) -> Option<Mono> {
        let mut all: Vec<Sym> = syms.into_iter().collect();
        if all.len() > MAX_DEGREE {
            return None;
        }
        all.sort_unstable();
        let mut mono = Mono::default();
        for (place, sym) in mono.0.iter_mut().zip(all) {
            *place = Some(sym);
        }
        Some(mono)
    }

    fn times(&self, o: &Mono) -> Option<Mono> {
        Mono::of(self.syms().chain(o.syms()))
    }

    /// `self / o` if `o` divides it.
    #[must_use]
    pub fn over(&self, o: &Mono) -> Option<Mono> {
        let mut rest: Vec<Sym> = self.syms().collect();
        for sym in o.syms() {
            let at = rest.iter().position(|s| *s == sym)?;
            rest.remove(at);
        }
        Mono::of(rest)
    }

    /// True if it has parameters only (or nothing).
    #[must_use]
    pub fn is_param_only(&self) -> bool {
        self.syms().all(|s| matches!(s, Sym::Param(_)))
    }
}

/// Sum of coefficient times product of variables. Sorted, no zero coefficient: equal polynomials are equal values.
/// Arithmetic answers `None` when a coefficient leaves i64 or a degree leaves its bound.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Poly {
    terms: Vec<(Mono, i64)>,
}

impl Poly {
    /// A constant.
    #[must_use]
    pub fn constant(value: i64) -> Poly {
        Poly { terms: if value == 0 { Vec::new() } else { vec![(Mono::default(), value)] } }
    }

    /// A variable.
    #[must_use]
    pub fn sym(sym: Sym) -> Poly {
        Poly::term(Mono([Some(sym), None, None, None]), 1)
    }

    /// One term.
    #[must_use]
    pub fn term(mono: Mono, coefficient: i64) -> Poly {
        Poly { terms: if coefficient == 0 { Vec::new() } else { vec![(mono, coefficient)] } }
    }

    /// The sum of terms; equal products are added up.
    #[must_use]
    pub fn from_terms(terms: impl IntoIterator<Item = (Mono, i64)>) -> Option<Poly> {
        let mut sum: BTreeMap<Mono, i64> = BTreeMap::new();
        for (mono, c) in terms {
            let entry = sum.entry(mono).or_insert(0);
            *entry = entry.checked_add(c)?;
        }
        Some(Poly { terms: sum.into_iter().filter(|(_, c)| *c != 0).collect() })
    }

    /// All terms, ascending by product; the constant comes first if there is one.
    #[must_use]
    pub fn terms(&self) -> &[(Mono, i64)] {
        &self.terms
    }

    /// True for 0.
    #[must_use]
    pub fn is_zero(&self) -> bool {
        self.terms.is_empty()
    }

    /// The value, if it has no variables.
    #[must_use]
    pub fn as_constant(&self) -> Option<i64> {
        match self.terms.as_slice() {
            [] => Some(0),
            [(mono, c)] if mono.degree() == 0 => Some(*c),
            _ => None,
        }
    }

    /// The term without variables.
    #[must_use]
    pub fn constant_term(&self) -> i64 {
        match self.terms.first() {
            Some((mono, c)) if mono.degree() == 0 => *c,
            _ => 0,
        }
    }

    /// Largest degree of a term.
    #[must_use]
    pub fn degree(&self) -> usize {
        self.terms.iter().map(|(m, _)| m.degree()).max().unwrap_or(0)
    }

    /// True if it has parameters only (or nothing).
    #[must_use]
    pub fn is_param_only(&self) -> bool {
        self.terms.iter().all(|(m, _)| m.is_param_only())
    }

    /// All variables of all terms, with repetitions.
    pub fn syms(&self) -> impl Iterator<Item = Sym> + '_ {
        self.terms.iter().flat_map(|(m, _)| m.syms())
    }

    /// Sum.
    #[must_use]
    pub fn add(&self, o: &Poly) -> Option<Poly> {
        self.combine(o, 1)
    }

    /// Difference.
    #[must_use]
    pub fn sub(&self, o: &Poly) -> Option<Poly> {
        self.combine(o, -1)
    }

    /// `self + by * o`, a merge of two sorted lists.
    fn combine(&self, o: &Poly, by: i64) -> Option<Poly> {
        let mut terms = Vec::with_capacity(self.terms.len() + o.terms.len());
        let (mut left, mut right) = (self.terms.iter().peekable(), o.terms.iter().peekable());
        loop {
            let take_left = match (left.peek(), right.peek()) {
                (None, None) => break,
                (Some(_), None) => true,
                (None, Some(_)) => false,
                (Some((a, x)), Some((b, y))) if a == b => {
                    let c = x.checked_add(y.checked_mul(by)?)?;
                    if c != 0 {
                        terms.push((*a, c));
                    }
                    left.next();
                    right.next();
                    continue;
                }
                (Some((a, _)), Some((b, _))) => a < b,
            };
            if take_left {
                terms.extend(left.next().copied());
            } else if let Some((m, c)) = right.next() {
                terms.push((*m, c.checked_mul(by)?));
            }
        }
        Some(Poly { terms })
    }

    /// Product with a constant.
    #[must_use]
    pub fn scale(&self, by: i64) -> Option<Poly> {
        if by == 0 {
            return Some(Poly::default());
        }
        let terms = self.terms.iter().map(|(m, c)| Some((*m, c.checked_mul(by)?))).collect::<Option<_>>()?;
        Some(Poly { terms })
    }

    /// Sum with a constant.
    #[must_use]
    pub fn plus(&self, constant: i64) -> Option<Poly> {
        self.add(&Poly::constant(constant))
    }

    /// Product.
    #[must_use]
    pub fn mul(&self, o: &Poly) -> Option<Poly> {
        if let Some(c) = self.as_constant() {
            return o.scale(c);
        }
        if let Some(c) = o.as_constant() {
            return self.scale(c);
        }
        let mut terms = Vec::with_capacity(self.terms.len() * o.terms.len());
        for (a, x) in &self.terms {
            for (b, y) in &o.terms {
                terms.push((a.times(b)?, x.checked_mul(*y)?));
            }
        }
        Poly::from_terms(terms)
    }

    /// `self / d` if every coefficient is a multiple of d.
    #[must_use]
    pub fn exact_div(&self, d: i64) -> Option<Poly> {
        let terms = self
            .terms
            .iter()
            .map(|(m, c)| if c.checked_rem(d)? == 0 { Some((*m, c.checked_div(d)?)) } else { None })
            .collect::<Option<_>>()?;
        Some(Poly { terms })
    }

    /// Greatest common divisor of all coefficients; 0 for the zero polynomial.
    #[must_use]
    pub fn content(&self) -> i64 {
        self.terms.iter().fold(0, |g, (_, c)| gcd(g, *c))
    }

    /// Highest term: most variables, then largest product.
    #[must_use]
    pub fn leading(&self) -> Option<(Mono, i64)> {
        self.terms.iter().copied().max_by_key(|(m, _)| (m.degree(), *m))
    }

    /// The value where every variable has the value that `value` gives; `None` on overflow.
    #[must_use]
    pub fn eval(&self, value: &impl Fn(Sym) -> i64) -> Option<i64> {
        self.terms.iter().try_fold(0i64, |sum, (m, c)| {
            let product = m.syms().try_fold(*c, |p, s| p.checked_mul(value(s)))?;
            sum.checked_add(product)
        })
    }
}

/// Greatest common divisor, >= 0.
#[must_use]
pub fn gcd(a: i64, b: i64) -> i64 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    i64::try_from(a).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn p(k: u32) -> Poly {
        Poly::sym(Sym::Param(k))
    }

    #[test]
    fn equal_polynomials_are_equal_values() {
        let left = p(0).add(&p(1)).unwrap().mul(&p(0).sub(&p(1)).unwrap()).unwrap();
        let right = p(0).mul(&p(0)).unwrap().sub(&p(1).mul(&p(1)).unwrap()).unwrap();
        assert_eq!(left, right);
        assert!(left.sub(&right).unwrap().is_zero());
    }

    #[test]
    fn overflow_and_high_degree_are_reported() {
        assert_eq!(Poly::constant(i64::MAX).plus(1), None);
        let cube = p(0).mul(&p(1)).unwrap().mul(&p(2)).unwrap();
        assert_eq!(cube.mul(&cube), None);
    }

    #[test]
    fn division_of_products() {
        let nm = Mono::of([Sym::Param(1), Sym::Param(0)]).unwrap();
        let n = Mono::of([Sym::Param(0)]).unwrap();
        assert_eq!(nm.over(&n), Mono::of([Sym::Param(1)]));
        assert_eq!(n.over(&nm), None);
        assert_eq!(gcd(-8, 12), 4);
    }
}
