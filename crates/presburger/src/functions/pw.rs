//! Piecewise quasi-affine functions: on each of finitely many disjoint domains one function.

use crate::budget::{Budget, Result};
use crate::functions::aff::Aff;
use crate::functions::pw_multi::PwMultiAff;
use crate::sets::map::Map;
use crate::sets::set::{Set, joint_params};
use crate::sets::space::{Space, Tuple};
use crate::sets::union::Parts;
use crate::text::parse::{self, ParseError};
use std::sync::Arc;

/// A piecewise quasi-affine function: on each domain one function. Domains are disjoint; outside them the function is
/// undefined.
/// Equality and hash are those of the pieces in any order, not of the values.
#[derive(Clone, Debug)]
pub struct PwAff {
    pub(crate) space: Space,
    pub(crate) pieces: Vec<(Set, Aff)>,
}

impl From<Aff> for PwAff {
    fn from(a: Aff) -> PwAff {
        PwAff { space: a.space().clone(), pieces: vec![(Set::universe(a.space().clone()), a)] }
    }
}

impl PwAff {
    /// Reads isl's notation: `[N] -> { S[i] -> [(N - i)] : i < N; S[i] -> [(0)] : i >= N }`, or `[N] -> { [(N)] }` for
    /// a function of the parameters. Where domains overlap the first one counts. Errors: [`ParseError`] with its
    /// position.
    pub fn parse(text: &str) -> std::result::Result<PwAff, ParseError> {
        parse::pw_aff(text)
    }

    /// The function undefined everywhere on a set space.
    pub fn undefined(space: &Space) -> PwAff {
        PwAff { space: space.clone(), pieces: Vec::new() }
    }

    /// From disjoint domains, all of one space; empty ones may be among them.
    pub(crate) fn from_pieces(space: &Space, pieces: Vec<(Set, Aff)>) -> PwAff {
        PwAff { space: space.clone(), pieces }
    }

    /// The function whose graph is `m`, a map to one-tuples. Errors and cost: as those of [`PwMultiAff::from_map`].
    /// Exact.
    pub fn from_map(m: &Map, b: &Budget) -> Result<PwAff> {
        assert!(m.space().n_out() == 1, "a function into one-tuples");
        Ok(PwMultiAff::from_map(m, b)?.component(0))
    }

    /// The set space of its arguments.
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// Domains and their functions.
    pub fn pieces(&self) -> impl Iterator<Item = (&Set, &Aff)> {
        self.pieces.iter().map(|(d, a)| (d, a))
    }

    /// The same function over a parameter list that has all of its own.
    pub(crate) fn over_params(&self, params: &Arc<[Arc<str>]>) -> PwAff {
        let pieces = self.pieces.iter();
        PwAff {
            space: self.space.with_params(params),
            pieces: pieces.map(|(d, a)| (d.over_params(params).into_owned(), a.over_params(params))).collect(),
        }
    }

    fn aligned(&self, o: &PwAff) -> (PwAff, PwAff) {
        assert!(self.space.n_out() == o.space.n_out(), "functions over different spaces");
        let params = joint_params(&self.space, &o.space);
        (self.over_params(&params), o.over_params(&params))
    }

    /// The function where its argument lies in `dom`, undefined elsewhere.
    pub fn intersect_domain(&self, dom: &Set) -> PwAff {
        let params = joint_params(&self.space, dom.space());
        let own = self.over_params(&params);
        let pieces = own.pieces.into_iter().map(|(d, a)| (d.intersect(dom), a)).collect();
        PwAff { space: own.space, pieces }
    }

    /// Where the function is defined.
    pub fn domain(&self) -> Set {
        self.pieces.iter().fold(Set::empty(self.space.clone()), |s, (d, _)| s.union(d))
    }

    fn each(&self, f: impl Fn(&Aff) -> Aff) -> PwAff {
        PwAff { space: self.space.clone(), pieces: self.pieces.iter().map(|(d, a)| (d.clone(), f(a))).collect() }
    }

    /// `k` times the function.
    pub fn scale(&self, k: i64) -> PwAff {
        self.each(|a| a.scale(k))
    }

    /// Minus the function.
    pub fn neg(&self) -> PwAff {
        self.scale(-1)
    }

    /// The function plus `k`.
    pub fn add_constant(&self, k: i64) -> PwAff {
        self.each(|a| a.add_constant(k))
    }

    /// Floor of the function divided by `d != 0`.
    pub fn floor_div(&self, d: i64) -> PwAff {
        self.each(|a| a.floor_div(d))
    }

    /// Ceiling of the function divided by `d != 0`.
    pub fn ceil_div(&self, d: i64) -> PwAff {
        self.each(|a| a.ceil_div(d))
    }

    /// Remainder in `0..d` for `d > 0`.
    pub fn modulo(&self, d: i64) -> PwAff {
        self.each(|a| a.modulo(d))
    }

    fn paired(&self, o: &PwAff, b: &Budget, mut f: impl FnMut(Set, &Aff, &Aff) -> Vec<(Set, Aff)>) -> Result<PwAff> {
        let (p, q) = self.aligned(o);
        let mut pieces = Vec::new();
        for (d, x) in &p.pieces {
            for (e, y) in &q.pieces {
                for (dom, a) in f(d.intersect(e), x, y) {
                    if !dom.is_empty(b)? {
                        pieces.push((dom, a));
                    }
                }
            }
        }
        Ok(PwAff { space: p.space, pieces })
    }

    /// Sum, where both are defined. Errors: [`Error`](crate::Error), here and below from the emptiness tests of the
    /// domains.
    /// Exact. Cost: a feasibility test of each piece of one operand with each of the other.
    pub fn add(&self, o: &PwAff, b: &Budget) -> Result<PwAff> {
        self.paired(o, b, |d, x, y| vec![(d, x.add(y))])
    }

    /// Difference, where both are defined.
    /// Exact. Cost: a feasibility test of each piece of one operand with each of the other. Errors:
    /// [`Error`](crate::Error).
    pub fn sub(&self, o: &PwAff, b: &Budget) -> Result<PwAff> {
        self.paired(o, b, |d, x, y| vec![(d, x.sub(y))])
    }

    /// The smaller value, where both are defined.
    /// Exact. Cost: two feasibility tests of each piece of one operand with each of the other. Errors:
    /// [`Error`](crate::Error).
    pub fn min(&self, o: &PwAff, b: &Budget) -> Result<PwAff> {
        self.paired(o, b, |d, x, y| {
            vec![(d.intersect(&y.ge_set(x)), x.clone()), (d.intersect(&y.lt_set(x)), y.clone())]
        })
    }

    /// The larger value, where both are defined.
    /// Exact. Cost: two feasibility tests of each piece of one operand with each of the other. Errors:
    /// [`Error`](crate::Error).
    pub fn max(&self, o: &PwAff, b: &Budget) -> Result<PwAff> {
        self.paired(o, b, |d, x, y| {
            vec![(d.intersect(&x.ge_set(y)), x.clone()), (d.intersect(&x.lt_set(y)), y.clone())]
        })
    }

    /// Where both are defined, `self`; elsewhere whichever is. Exact. Cost: a difference of the domains. Errors:
    /// [`Error`](crate::Error).
    pub fn or_else(&self, o: &PwAff, b: &Budget) -> Result<PwAff> {
        let (p, q) = self.aligned(o);
        let mine = p.domain();
        let mut pieces = p.pieces;
        for (d, a) in &q.pieces {
            let rest = d.subtract(&mine, b)?;
            if !rest.is_empty(b)? {
                pieces.push((rest, a.clone()));
            }
        }
        Ok(PwAff { space: p.space, pieces })
    }

    /// Where both are defined, `self + o`; elsewhere whichever is.
    /// Exact. Cost: that of the sum and two differences of domains. Errors: [`Error`](crate::Error).
    pub fn union_add(&self, o: &PwAff, b: &Budget) -> Result<PwAff> {
        self.add(o, b)?.or_else(self, b)?.or_else(o, b)
    }

    /// Where both are defined, the smaller value; elsewhere whichever is.
    /// Exact. Cost: that of the smaller value and two differences of domains. Errors: [`Error`](crate::Error).
    pub fn union_min(&self, o: &PwAff, b: &Budget) -> Result<PwAff> {
        self.min(o, b)?.or_else(self, b)?.or_else(o, b)
    }

    /// Where both are defined, the larger value; elsewhere whichever is.
    /// Exact. Cost: that of the larger value and two differences of domains. Errors: [`Error`](crate::Error).
    pub fn union_max(&self, o: &PwAff, b: &Budget) -> Result<PwAff> {
        self.max(o, b)?.or_else(self, b)?.or_else(o, b)
    }

    /// Composition: `x` to `self(inner(x))`, where both are defined. `inner` maps into `self`'s space. Exact.
    /// Cost: a projection of each piece of one operand with each of the other. Errors: [`Error`](crate::Error).
    pub fn pullback(&self, inner: &PwMultiAff, b: &Budget) -> Result<PwAff> {
        Ok(self.to_multi("").pullback(inner, b)?.component(0))
    }

    /// Pieces with the same function joined, empty ones dropped, domains coalesced.
    /// Exact. Cost: a linear program per row and a feasibility test per piece, then a few of both per pair of pieces.
    /// Errors:
    /// [`Error`](crate::Error).
    pub fn coalesce(&self, b: &Budget) -> Result<PwAff> {
        Ok(self.to_multi("").coalesce(b)?.component(0))
    }

    fn compared(&self, o: &PwAff, f: impl Fn(&Aff, &Aff) -> Set) -> Set {
        let (p, q) = self.aligned(o);
        let mut out = Set::empty(p.space.clone());
        for (d, x) in &p.pieces {
            for (e, y) in &q.pieces {
                out = out.union(&d.intersect(e).intersect(&f(x, y)));
            }
        }
        out
    }

    /// `{ x : self(x) = o(x) }`; here and below where both are defined.
    pub fn eq_set(&self, o: &PwAff) -> Set {
        self.compared(o, Aff::eq_set)
    }

    /// `{ x : self(x) != o(x) }`
    pub fn ne_set(&self, o: &PwAff) -> Set {
        self.compared(o, Aff::ne_set)
    }

    /// `{ x : self(x) >= o(x) }`
    pub fn ge_set(&self, o: &PwAff) -> Set {
        self.compared(o, Aff::ge_set)
    }

    /// `{ x : self(x) > o(x) }`
    pub fn gt_set(&self, o: &PwAff) -> Set {
        self.compared(o, |x, y| y.lt_set(x))
    }

    /// `{ x : self(x) <= o(x) }`
    pub fn le_set(&self, o: &PwAff) -> Set {
        self.compared(o, |x, y| y.ge_set(x))
    }

    /// `{ x : self(x) < o(x) }`
    pub fn lt_set(&self, o: &PwAff) -> Set {
        self.compared(o, Aff::lt_set)
    }

    /// True iff both are defined at the same points with the same values. Exact.
    /// Cost: two inclusion tests. Errors: [`Error`](crate::Error).
    pub fn is_equal(&self, o: &PwAff, b: &Budget) -> Result<bool> {
        self.to_map().is_equal(&o.to_map(), b)
    }

    /// Value at a point; `None` where it is undefined or does not fit `i64`.
    pub fn eval(&self, params: &[i64], point: &[i64]) -> Option<i64> {
        self.pieces.iter().find(|(d, _)| d.contains(params, point)).and_then(|(_, a)| a.eval(params, point))
    }

    /// The same function into one-tuples with a name (`""` for none).
    pub fn to_multi(&self, tuple: &str) -> PwMultiAff {
        let pieces = self.pieces.iter().map(|(d, a)| (d.clone(), vec![a.clone()])).collect();
        PwMultiAff::from_pieces(&self.space, &Tuple::new(tuple, 1), pieces)
    }

    /// The graph `{ x -> [self(x)] }`.
    pub fn to_map(&self) -> Map {
        self.to_multi("").to_map()
    }
}
