//! Piecewise functions: quasi-affine functions, and tuples of them, each on a domain of its own.

use crate::aff::Aff;
use crate::basic::Div;
use crate::body::{Body, exact};
use crate::budget::{Budget, Limit, Result};
use crate::divs;
use crate::map::Map;
use crate::pip;
use crate::set::Set;
use crate::space::{Dim, Space};
use crate::union::Parts;
use std::fmt;

/// A piecewise quasi-affine function: on each domain one function. Domains are disjoint; outside them the function is undefined.
#[derive(Clone, Debug)]
pub struct PwAff {
    space: Space,
    pieces: Vec<(Set, Aff)>,
}

/// A piecewise function into a tuple: on each domain one quasi-affine function per output dim. Domains are disjoint.
#[derive(Clone, Debug)]
pub struct PwMultiAff {
    space: Space,
    pieces: Vec<(Set, Vec<Aff>)>,
}

impl From<Aff> for PwAff {
    fn from(a: Aff) -> PwAff {
        PwAff { space: a.space().clone(), pieces: vec![(Set::universe(a.space().clone()), a)] }
    }
}

impl PwAff {
    /// The function undefined everywhere on a set space.
    pub fn undefined(space: &Space) -> PwAff {
        PwAff { space: space.clone(), pieces: Vec::new() }
    }

    /// The set space of its arguments.
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// Domains and their functions.
    pub fn pieces(&self) -> impl Iterator<Item = (&Set, &Aff)> {
        self.pieces.iter().map(|(d, a)| (d, a))
    }

    /// The function where its argument lies in `dom`, undefined elsewhere.
    pub fn intersect_domain(&self, dom: &Set) -> PwAff {
        let pieces = self.pieces.iter().map(|(d, a)| (d.intersect(dom), a.clone())).collect();
        PwAff { space: self.space.clone(), pieces }
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

    /// Floor of the function divided by `d != 0`.
    pub fn floor_div(&self, d: i64) -> PwAff {
        self.each(|a| a.floor_div(d))
    }

    /// Remainder in `0..d` for `d > 0`.
    pub fn modulo(&self, d: i64) -> PwAff {
        self.each(|a| a.modulo(d))
    }

    fn paired(&self, o: &PwAff, b: &Budget, mut f: impl FnMut(Set, &Aff, &Aff) -> Vec<(Set, Aff)>) -> Result<PwAff> {
        let mut pieces = Vec::new();
        for (d, x) in &self.pieces {
            for (e, y) in &o.pieces {
                for (dom, a) in f(d.intersect(e), x, y) {
                    if !dom.is_empty(b)? {
                        pieces.push((dom, a));
                    }
                }
            }
        }
        Ok(PwAff { space: self.space.clone(), pieces })
    }

    /// Sum, where both are defined.
    pub fn add(&self, o: &PwAff, b: &Budget) -> Result<PwAff> {
        self.paired(o, b, |d, x, y| vec![(d, x.add(y))])
    }

    /// Difference, where both are defined.
    pub fn sub(&self, o: &PwAff, b: &Budget) -> Result<PwAff> {
        self.paired(o, b, |d, x, y| vec![(d, x.sub(y))])
    }

    /// The smaller value, where both are defined.
    pub fn min(&self, o: &PwAff, b: &Budget) -> Result<PwAff> {
        self.paired(o, b, |d, x, y| {
            vec![(d.intersect(&y.ge_set(x)), x.clone()), (d.intersect(&y.lt_set(x)), y.clone())]
        })
    }

    /// The larger value, where both are defined.
    pub fn max(&self, o: &PwAff, b: &Budget) -> Result<PwAff> {
        self.paired(o, b, |d, x, y| {
            vec![(d.intersect(&x.ge_set(y)), x.clone()), (d.intersect(&x.lt_set(y)), y.clone())]
        })
    }

    /// Where both are defined, `self`; elsewhere whichever is.
    pub fn or_else(&self, o: &PwAff, b: &Budget) -> Result<PwAff> {
        let mine = self.domain();
        let mut pieces = self.pieces.clone();
        for (d, a) in &o.pieces {
            let rest = d.subtract(&mine, b)?;
            if !rest.is_empty(b)? {
                pieces.push((rest, a.clone()));
            }
        }
        Ok(PwAff { space: self.space.clone(), pieces })
    }

    fn compared(&self, o: &PwAff, f: impl Fn(&Aff, &Aff) -> Set) -> Set {
        let mut out = Set::empty(self.space.clone());
        for (d, x) in &self.pieces {
            for (e, y) in &o.pieces {
                out = out.union(&d.intersect(e).intersect(&f(x, y)));
            }
        }
        out
    }

    /// `{ x : self(x) = o(x) }`
    pub fn eq_set(&self, o: &PwAff) -> Set {
        self.compared(o, Aff::eq_set)
    }

    /// `{ x : self(x) >= o(x) }`
    pub fn ge_set(&self, o: &PwAff) -> Set {
        self.compared(o, Aff::ge_set)
    }

    /// `{ x : self(x) < o(x) }`
    pub fn lt_set(&self, o: &PwAff) -> Set {
        self.compared(o, Aff::lt_set)
    }

    /// Value at a point; `None` where it is undefined or does not fit `i64`.
    pub fn eval(&self, params: &[i64], point: &[i64]) -> Option<i64> {
        self.pieces.iter().find(|(d, _)| d.contains(params, point)).and_then(|(_, a)| a.eval(params, point))
    }

    /// The graph `{ x -> [self(x)] }`.
    pub fn to_map(&self) -> Map {
        let multi = PwMultiAff {
            space: self.space.clone(),
            pieces: self.pieces.iter().map(|(d, a)| (d.clone(), vec![a.clone()])).collect(),
        };
        multi.to_map_named("", 1)
    }
}

impl PwMultiAff {
    /// The function whose graph is `m`, which must be single-valued (of a map that is not, the lexicographically smallest output of
    /// each piece is taken). Errors: [`Limit`], also when a coefficient does not fit `i64`.
    pub fn from_map(m: &Map, b: &Budget) -> Result<PwMultiAff> {
        let first = m.space().first(Dim::Out);
        let space = m.space().clone();
        let mut pieces = Vec::new();
        for body in m.make_disjoint(b)?.bodies() {
            let leaves = exact!(s = [body]; pip::lexmin(s[0], first, b))?;
            for leaf in leaves {
                pieces.push(function_of(&space, &leaf)?);
            }
        }
        Ok(PwMultiAff { space, pieces })
    }

    /// The map space it belongs to.
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// Domains and the functions of the output dims.
    pub fn pieces(&self) -> impl Iterator<Item = (&Set, &[Aff])> {
        self.pieces.iter().map(|(d, a)| (d, a.as_slice()))
    }

    /// Value at a point; `None` where it is undefined or does not fit `i64`.
    pub fn eval(&self, params: &[i64], point: &[i64]) -> Option<Vec<i64>> {
        let (_, affs) = self.pieces.iter().find(|(d, _)| d.contains(params, point))?;
        affs.iter().map(|a| a.eval(params, point)).collect()
    }

    /// Its graph.
    pub fn to_map(&self) -> Map {
        self.to_map_named(self.space.output.name_str(), self.space.n_out())
    }

    fn to_map_named(&self, name: &str, n_out: usize) -> Map {
        let params: Vec<&str> = self.space.params.iter().map(AsRef::as_ref).collect();
        let input = self.space.input.as_ref().unwrap_or(&self.space.output);
        let space = Space { input: Some(input.clone()), ..Space::set(&params, name, n_out) };
        let dom = space.domain();
        let graph = |(d, affs): &(Set, Vec<Aff>)| Map::from_affs_over(&dom, affs, name).intersect_domain(d);
        self.pieces.iter().map(graph).fold(Map::empty(space), |m, g| m.union(&g))
    }
}

/// Domain and output functions of a leaf of parametric programming: outputs equal to quasi-affine functions of what comes before.
fn function_of(space: &Space, leaf: &Body) -> Result<(Set, Vec<Aff>)> {
    let s = leaf.small().ok_or(Limit)?;
    let (first, n) = (space.first(Dim::Out), s.n);
    let dom_space = space.domain();
    let mut dom = s.clone();
    dom.eq.retain(|r| r[first..n].iter().all(|v| *v == 0));
    let mut defs = Vec::with_capacity(s.e);
    // Without the outputs' own rows, floors depend on the inputs and earlier floors only.
    for (k, f) in divs::definitions(&dom).into_iter().enumerate() {
        let f = f.ok_or(Limit)?;
        let num = f.num[..first].iter().chain(&f.num[n..n + k]).chain([&f.num[n + k]]).copied().collect();
        defs.push(Div { num, den: f.den });
    }
    let mut affs = Vec::with_capacity(n - first);
    for c in first..n {
        let row =
            s.eq.rows().find(|r| r[c] == -1 && r[first..n].iter().filter(|v| **v != 0).count() == 1).ok_or(Limit)?;
        let row = row[..first].iter().chain(&row[n..]).copied().collect();
        affs.push(Aff::from_parts(&dom_space, defs.clone(), row));
    }
    let visible: Vec<Option<usize>> = (0..first).map(Some).collect();
    let exists: Vec<Option<usize>> = (n..s.cols()).map(Some).collect();
    let dom = Set::from_bodies(&std::sync::Arc::new(dom_space), vec![Body::Small(dom.remap(&visible, &exists))]);
    Ok((dom, affs))
}

impl fmt::Display for PwAff {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.to_map().fmt(f)
    }
}

impl fmt::Display for PwMultiAff {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.to_map().fmt(f)
    }
}
