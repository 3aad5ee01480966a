//! Polynomials over named 64-bit quantities, with wrap-around arithmetic: how addresses and subscripts are put together
//! so that what does not change inside a loop cancels or is computed outside of it.

use crate::ids::{IterId, ValueId};
use std::collections::HashMap;

/// A quantity of a [`Poly`]; made by [`Atoms::intern`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct AtomId(u32);

/// Signed or unsigned choice of the smallest or largest of some quantities.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum Choice {
    SMin,
    SMax,
    UMin,
    UMax,
}

/// What an atom stands for; 64 bits wide.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Atom {
    /// Iterator of a generated loop, numbered in the order in which loops are entered.
    Iter(IterId),
    /// Value from outside the region: an integer sign-extended to 64 bits, or a pointer.
    Value(ValueId),
    /// Value computed by the statement instance being emitted (number of the instance, value), sign-extended or a
    /// pointer.
    Local(u32, ValueId),
    /// Base pointer chosen in the body of a loop (running number, the loop's depth).
    Base(u32, u32),
    /// Smallest or largest.
    Choice(Choice, Vec<Poly>),
    /// Quotient rounded down, positive divisor.
    FloorDiv(Poly, i64),
    /// Unsigned quotient, non-zero divisor.
    UDiv(Poly, i64),
    /// Unsigned quotient by a quantity that is not zero where the program has one.
    Quotient(Poly, Poly),
    /// The low bits, sign-extended.
    SExt(u32, Poly),
    /// The low bits, zero-extended.
    ZExt(u32, Poly),
}

/// Depth of quantities that exist only inside one statement instance.
pub const LOCAL: u32 = u32::MAX;

/// All atoms of one generated region, hash-consed, each with the depth of the innermost loop that it depends on (0:
/// none).
#[derive(Default)]
pub struct Atoms {
    known: Vec<(Atom, u32)>,
    ids: HashMap<Atom, AtomId>,
    iter_depths: HashMap<IterId, u32>,
}

impl Atoms {
    /// Says at which depth (1 = outermost loop) an iterator lives, before its first use.
    pub fn set_depth(&mut self, iter: IterId, depth: u32) {
        self.iter_depths.insert(iter, depth);
    }

    /// The id of an atom.
    pub fn intern(&mut self, atom: Atom) -> AtomId {
        if let Some(id) = self.ids.get(&atom) {
            return *id;
        }
        let depth = match &atom {
            Atom::Iter(iter) => self.iter_depths.get(iter).copied().unwrap_or(LOCAL),
            Atom::Value(_) => 0,
            Atom::Local(..) => LOCAL,
            Atom::Base(_, depth) => *depth,
            Atom::Choice(_, of) => of.iter().map(|p| self.depth(p)).max().unwrap_or(0),
            Atom::Quotient(p, d) => self.depth(p).max(self.depth(d)),
            Atom::FloorDiv(p, _) | Atom::UDiv(p, _) | Atom::SExt(_, p) | Atom::ZExt(_, p) => self.depth(p),
        };
        let id = AtomId(u32::try_from(self.known.len()).expect("more than u32::MAX atoms"));
        self.ids.insert(atom.clone(), id);
        self.known.push((atom, depth));
        id
    }

    /// The id of an atom that was interned before.
    #[must_use]
    pub fn find(&self, atom: &Atom) -> Option<AtomId> {
        self.ids.get(atom).copied()
    }

    /// What an id stands for.
    #[must_use]
    pub fn atom(&self, id: AtomId) -> &Atom {
        &self.known[id.0 as usize].0
    }

    /// Depth of the innermost loop that an atom depends on.
    #[must_use]
    pub fn atom_depth(&self, id: AtomId) -> u32 {
        self.known[id.0 as usize].1
    }

    /// Depth of the innermost loop that a polynomial depends on.
    #[must_use]
    pub fn depth(&self, poly: &Poly) -> u32 {
        poly.terms.iter().flat_map(|(m, _)| m).map(|a| self.atom_depth(*a)).max().unwrap_or(0)
    }

    /// The atom of a polynomial that changes most often (the latest of those), if it is not constant.
    #[must_use]
    pub fn innermost(&self, poly: &Poly) -> Option<AtomId> {
        poly.terms.iter().flat_map(|(m, _)| m).copied().max_by_key(|a| (self.atom_depth(*a), *a))
    }

    /// A polynomial that is this atom.
    pub fn poly(&mut self, atom: Atom) -> Poly {
        Poly::atom(self.intern(atom))
    }
}

/// Sum of `coefficient * product of atoms`, modulo 2^64. Terms are sorted and have no zero coefficient: equal means
/// same.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Poly {
    terms: Vec<(Vec<AtomId>, i64)>,
}

impl Poly {
    /// A number.
    #[must_use]
    pub fn constant(value: i64) -> Self {
        Self { terms: if value == 0 { Vec::new() } else { vec![(Vec::new(), value)] } }
    }

    /// A single atom.
    #[must_use]
    pub fn atom(id: AtomId) -> Self {
        Self { terms: vec![(vec![id], 1)] }
    }

    /// The number that this is, if it is one.
    #[must_use]
    pub fn as_constant(&self) -> Option<i64> {
        match self.terms.as_slice() {
            [] => Some(0),
            [(monomial, value)] if monomial.is_empty() => Some(*value),
            _ => None,
        }
    }

    /// The atom that this is, if it is one.
    #[must_use]
    pub fn as_atom(&self) -> Option<AtomId> {
        match self.terms.as_slice() {
            [(monomial, 1)] if monomial.len() == 1 => Some(monomial[0]),
            _ => None,
        }
    }

    /// The constant term and the rest.
    #[must_use]
    pub fn split_constant(&self) -> (Self, i64) {
        match self.terms.first() {
            Some((monomial, value)) if monomial.is_empty() => (Self { terms: self.terms[1..].to_vec() }, *value),
            _ => (self.clone(), 0),
        }
    }

    /// Sum.
    #[must_use]
    pub fn add(&self, other: &Self) -> Self {
        let mut terms = Vec::with_capacity(self.terms.len() + other.terms.len());
        let (mut a, mut b) = (self.terms.iter().peekable(), other.terms.iter().peekable());
        while let (Some(x), Some(y)) = (a.peek(), b.peek()) {
            match x.0.cmp(&y.0) {
                std::cmp::Ordering::Less => terms.extend(a.next().cloned()),
                std::cmp::Ordering::Greater => terms.extend(b.next().cloned()),
                std::cmp::Ordering::Equal => {
                    let sum = x.1.wrapping_add(y.1);
                    if sum != 0 {
                        terms.push((x.0.clone(), sum));
                    }
                    a.next();
                    b.next();
                }
            }
        }
        terms.extend(a.cloned());
        terms.extend(b.cloned());
        Self { terms }
    }

    /// Product with a number.
    #[must_use]
    pub fn scale(&self, by: i64) -> Self {
        let scaled = self.terms.iter().map(|(m, c)| (m.clone(), c.wrapping_mul(by)));
        Self { terms: scaled.filter(|(_, c)| *c != 0).collect() }
    }

    /// Difference.
    #[must_use]
    pub fn sub(&self, other: &Self) -> Self {
        self.add(&other.scale(-1))
    }

    /// Product.
    #[must_use]
    pub fn mul(&self, other: &Self) -> Self {
        let mut product = Self::default();
        for (m, c) in &self.terms {
            let mut terms: Vec<(Vec<AtomId>, i64)> = other
                .terms
                .iter()
                .map(|(n, d)| {
                    let mut monomial: Vec<AtomId> = m.iter().chain(n).copied().collect();
                    monomial.sort_unstable();
                    (monomial, c.wrapping_mul(*d))
                })
                .filter(|(_, c)| *c != 0)
                .collect();
            terms.sort_unstable();
            product = product.add(&Self { terms });
        }
        product
    }

    /// `(q, r)` with `self = q * atom + r` where `r` does not contain `atom`.
    #[must_use]
    pub fn divide(&self, atom: AtomId) -> (Self, Self) {
        let (mut quotient, mut rest) = (Vec::new(), Vec::new());
        for (monomial, c) in &self.terms {
            if let Some(at) = monomial.iter().position(|a| *a == atom) {
                let mut left = monomial.clone();
                left.remove(at);
                quotient.push((left, *c));
            } else {
                rest.push((monomial.clone(), *c));
            }
        }
        quotient.sort_unstable();
        (Self { terms: quotient }, Self { terms: rest })
    }

    /// Atoms that stand alone in a term with coefficient 1.
    pub fn plain_atoms(&self) -> impl Iterator<Item = AtomId> {
        self.terms.iter().filter(|(m, c)| m.len() == 1 && *c == 1).map(|(m, _)| m[0])
    }

    /// Whether an atom occurs.
    #[must_use]
    pub fn mentions(&self, atom: AtomId) -> bool {
        self.terms.iter().any(|(m, _)| m.contains(&atom))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two() -> (Atoms, Poly, Poly) {
        let mut atoms = Atoms::default();
        atoms.set_depth(IterId(0), 1);
        let i = atoms.poly(Atom::Iter(IterId(0)));
        let n = atoms.poly(Atom::Value(ValueId(3)));
        (atoms, i, n)
    }

    #[test]
    fn sums_cancel() {
        let (_, i, n) = two();
        let p = i.add(&n).add(&Poly::constant(4));
        assert_eq!(p.sub(&i).sub(&n).as_constant(), Some(4));
        assert_eq!(p.sub(&p), Poly::default());
    }

    #[test]
    fn products_distribute() {
        let (_, i, n) = two();
        let square = i.add(&n).mul(&i.sub(&n));
        assert_eq!(square, i.mul(&i).sub(&n.mul(&n)));
        assert_eq!(Poly::constant(i64::MIN).mul(&Poly::constant(2)), Poly::default());
    }

    #[test]
    fn divide_leaves_no_atom_behind() {
        let (atoms, i, n) = two();
        let p = i.mul(&n).scale(8).add(&i.scale(3)).add(&n).add(&Poly::constant(7));
        let inner = atoms.innermost(&p).unwrap();
        let (q, r) = p.divide(inner);
        assert_eq!(q, n.scale(8).add(&Poly::constant(3)));
        assert!(!r.mentions(inner));
        assert_eq!(q.mul(&Poly::atom(inner)).add(&r), p);
    }

    #[test]
    fn depth_is_that_of_the_innermost_atom() {
        let (mut atoms, i, n) = two();
        let choice = atoms.poly(Atom::Choice(Choice::SMin, vec![n.clone(), i.scale(32)]));
        assert_eq!(atoms.depth(&n), 0);
        assert_eq!(atoms.depth(&choice.add(&n)), 1);
    }
}
