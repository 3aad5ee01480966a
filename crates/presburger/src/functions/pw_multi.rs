//! Functions into a tuple: with one quasi-affine function per output dim, and piecewise ones.

use crate::budget::{Budget, Error, Result};
use crate::functions::aff::Aff;
use crate::functions::pw::PwAff;
use crate::num::Int;
use crate::program::pip;
use crate::sets::basic::Div;
use crate::sets::map::Map;
use crate::sets::set::{Set, joint_params};
use crate::sets::space::{Dim, Space, Tuple};
use crate::sets::union::Parts;
use crate::system::body::{Body, IntoBody, exact};
use crate::system::divs;
use crate::system::sys::Sys;
use crate::text::parse::{self, ParseError};
use std::sync::Arc;

/// A piecewise function into a tuple: on each domain one quasi-affine function per output dim. Domains are disjoint;
/// outside them the function is undefined. A total function is one with a single universal piece.
/// Equality and hash are those of the pieces in any order, not of the values.
#[derive(Clone, Debug)]
pub struct PwMultiAff {
    /// Always has an input; that of a function of the parameters is absent.
    pub(crate) space: Space,
    pub(crate) pieces: Vec<(Set, Vec<Aff>)>,
}

impl PwMultiAff {
    /// Reads isl's notation: `{ S[i] -> A[(i), (0)] : i >= 0; S[i] -> A[(-i), (1)] : i < 0 }`, or `[N] -> { A[(N)] }`
    /// for a function of the parameters. Where domains overlap the first one counts. Errors: [`ParseError`] with its
    /// position.
    pub fn parse(text: &str) -> std::result::Result<PwMultiAff, ParseError> {
        parse::pw_multi_aff(text)
    }

    /// From disjoint domains in the set space `domain`; empty ones may be among them.
    pub(crate) fn from_pieces(domain: &Space, output: &Tuple, pieces: Vec<(Set, Vec<Aff>)>) -> PwMultiAff {
        let space = Space { params: domain.params.clone(), input: Some(domain.output.clone()), output: output.clone() };
        PwMultiAff { space, pieces }
    }

    /// The total function on `domain` with these values of the output dims, into a tuple with a name (`""` for none).
    pub fn from_affs(domain: &Space, affs: &[Aff], tuple: &str) -> PwMultiAff {
        let params = affs
            .iter()
            .fold(domain.params.clone(), |p, a| joint_params(&Space { params: p, ..domain.clone() }, a.space()));
        let domain = domain.with_params(&params);
        let affs: Vec<Aff> = affs.iter().map(|a| a.over_params(&params)).collect();
        let output = Tuple::new(tuple, affs.len());
        PwMultiAff::from_pieces(&domain, &output, vec![(Set::universe(domain.clone()), affs)])
    }

    /// The function with these components, defined where all of them are. Errors: [`Error`].
    /// Exact. Cost: a feasibility test per choice of a piece of each component.
    pub fn from_components(domain: &Space, list: &[PwAff], tuple: &str, b: &Budget) -> Result<PwMultiAff> {
        let mut out = PwMultiAff::from_affs(domain, &[], "");
        for f in list {
            out = out.flat_range_product(&f.to_multi(""), b)?;
        }
        out.space.output = Tuple::new(tuple, list.len());
        Ok(out)
    }

    /// `{ x -> x }` on a set space.
    pub fn identity(space: &Space) -> PwMultiAff {
        let affs: Vec<Aff> = (0..space.n_out()).map(|d| Aff::dim(space, d)).collect();
        PwMultiAff::from_pieces(space, &space.output, vec![(Set::universe(space.clone()), affs)])
    }

    /// The function undefined everywhere in a map space.
    pub fn undefined(space: &Space) -> PwMultiAff {
        PwMultiAff::from_pieces(&space.domain(), &space.output, Vec::new())
    }

    /// The function whose graph is `m`. Errors: [`Error::SeveralValues`] where `m` is no function, [`Error::Overflow`]
    /// where a coefficient does not fit `i64`, or [`Error::Spent`].
    /// Exact. Cost: that of `is_single_valued`, then linear where the rows fix the outputs, otherwise that of the
    /// smallest output.
    pub fn from_map(m: &Map, b: &Budget) -> Result<PwMultiAff> {
        if !m.is_single_valued(b)? {
            return Err(Error::SeveralValues);
        }
        PwMultiAff::from_function(m, b)
    }

    /// As [`PwMultiAff::from_map`], of a map that is known to be a function.
    fn from_function(m: &Map, b: &Budget) -> Result<PwMultiAff> {
        let first = m.space().first(Dim::Out);
        let mut pieces = Vec::new();
        for body in m.make_disjoint(b)?.bodies() {
            let leaves = exact!(s = [body]; pip::lexmin(s[0], first, b))?;
            for leaf in leaves {
                pieces.push(function_of(m.space(), &leaf)?);
            }
        }
        Ok(PwMultiAff::from_pieces(&m.space().domain(), &m.space().output, pieces))
    }

    /// The map space it belongs to.
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// Domains and the functions of the output dims.
    pub fn pieces(&self) -> impl Iterator<Item = (&Set, &[Aff])> {
        self.pieces.iter().map(|(d, a)| (d, a.as_slice()))
    }

    /// The same function over a parameter list that has all of its own.
    pub(crate) fn over_params(&self, params: &Arc<[Arc<str>]>) -> PwMultiAff {
        let move_affs = |list: &[Aff]| list.iter().map(|a| a.over_params(params)).collect();
        PwMultiAff {
            space: self.space.with_params(params),
            pieces: self.pieces.iter().map(|(d, a)| (d.over_params(params).into_owned(), move_affs(a))).collect(),
        }
    }

    fn aligned(&self, o: &PwMultiAff) -> (PwMultiAff, PwMultiAff) {
        let params = joint_params(&self.space, &o.space);
        (self.over_params(&params), o.over_params(&params))
    }

    /// The values of one output dim.
    pub fn component(&self, pos: usize) -> PwAff {
        assert!(pos < self.space.n_out(), "output dim out of range");
        let pieces = self.pieces.iter().map(|(d, a)| (d.clone(), a[pos].clone())).collect();
        PwAff::from_pieces(&self.space.domain(), pieces)
    }

    /// The same function into a tuple with another name (`""` removes it), flat.
    pub fn with_tuple(&self, name: &str) -> PwMultiAff {
        let mut out = self.clone();
        out.space.output = Tuple { dims: self.space.output.dims.clone(), ..Tuple::new(name, 0) };
        out
    }

    /// Where the function is defined.
    pub fn domain(&self) -> Set {
        self.pieces.iter().fold(Set::empty(self.space.domain()), |s, (d, _)| s.union(d))
    }

    /// The function where its argument lies in `dom`, undefined elsewhere.
    pub fn intersect_domain(&self, dom: &Set) -> PwMultiAff {
        let own = self.over_params(&joint_params(&self.space, dom.space()));
        let pieces = own.pieces.into_iter().map(|(d, a)| (d.intersect(dom), a)).collect();
        PwMultiAff { space: own.space, pieces }
    }

    /// Values of both where both are defined, combined by `f`; the result's outputs are those of `output`.
    fn paired(
        &self,
        o: &PwMultiAff,
        output: Tuple,
        b: &Budget,
        f: impl Fn(&[Aff], &[Aff]) -> Vec<Aff>,
    ) -> Result<PwMultiAff> {
        assert!(self.space.n_in() == o.space.n_in(), "functions over different spaces");
        let (p, q) = self.aligned(o);
        let mut pieces = Vec::new();
        for (d, x) in &p.pieces {
            for (e, y) in &q.pieces {
                let dom = d.intersect(e);
                if !dom.is_empty(b)? {
                    pieces.push((dom, f(x, y)));
                }
            }
        }
        Ok(PwMultiAff { space: Space { output, ..p.space }, pieces })
    }

    fn same_outputs(&self, o: &PwMultiAff) {
        assert!(self.space.n_out() == o.space.n_out(), "functions into different tuples");
    }

    /// Sum of the values, where both are defined. Errors: [`Error`], here and below from the tests of the domains.
    /// Exact. Cost: a feasibility test of each piece of one operand with each of the other.
    pub fn add(&self, o: &PwMultiAff, b: &Budget) -> Result<PwMultiAff> {
        self.same_outputs(o);
        self.paired(o, self.space.output.clone(), b, |x, y| x.iter().zip(y).map(|(x, y)| x.add(y)).collect())
    }

    /// Difference of the values, where both are defined.
    /// Exact. Cost: a feasibility test of each piece of one operand with each of the other. Errors:
    /// [`Error`](crate::Error).
    pub fn sub(&self, o: &PwMultiAff, b: &Budget) -> Result<PwMultiAff> {
        self.same_outputs(o);
        self.paired(o, self.space.output.clone(), b, |x, y| x.iter().zip(y).map(|(x, y)| x.sub(y)).collect())
    }

    /// `k` times the values.
    pub fn scale(&self, k: i64) -> PwMultiAff {
        let times = |list: &[Aff]| list.iter().map(|a| a.scale(k)).collect();
        let pieces = self.pieces.iter().map(|(d, a)| (d.clone(), times(a))).collect();
        PwMultiAff { space: self.space.clone(), pieces }
    }

    /// `{ x -> [self(x) -> o(x)] }`, where both are defined.
    /// Exact. Cost: a feasibility test of each piece of one operand with each of the other. Errors:
    /// [`Error`](crate::Error).
    pub fn range_product(&self, o: &PwMultiAff, b: &Budget) -> Result<PwMultiAff> {
        self.paired(o, Tuple::pair(&self.space.output, &o.space.output), b, |x, y| [x, y].concat())
    }

    /// `{ x -> [self(x), o(x)] }`, outputs side by side in an unnamed tuple, where both are defined.
    /// Exact. Cost: a feasibility test of each piece of one operand with each of the other. Errors:
    /// [`Error`](crate::Error).
    pub fn flat_range_product(&self, o: &PwMultiAff, b: &Budget) -> Result<PwMultiAff> {
        self.paired(o, Tuple::side_by_side(&self.space.output, &o.space.output), b, |x, y| [x, y].concat())
    }

    /// Where both are defined, `self`; elsewhere whichever is. Exact. Cost: a difference of the domains. Errors:
    /// [`Error`](crate::Error).
    pub fn or_else(&self, o: &PwMultiAff, b: &Budget) -> Result<PwMultiAff> {
        self.same_outputs(o);
        let (p, q) = self.aligned(o);
        let mine = p.domain();
        let mut pieces = p.pieces;
        for (d, a) in q.pieces {
            let rest = d.subtract(&mine, b)?;
            if !rest.is_empty(b)? {
                pieces.push((rest, a));
            }
        }
        Ok(PwMultiAff { space: p.space, pieces })
    }

    /// Where both are defined, `self + o`; elsewhere whichever is.
    /// Exact. Cost: that of the sum and two differences of domains. Errors: [`Error`](crate::Error).
    pub fn union_add(&self, o: &PwMultiAff, b: &Budget) -> Result<PwMultiAff> {
        self.add(o, b)?.or_else(self, b)?.or_else(o, b)
    }

    /// Composition: `x` to `self(inner(x))`, where both are defined. `inner` maps into the domain space of `self`.
    /// Exact.
    /// Cost: a projection of each piece of one operand with each of the other. Errors: [`Error`](crate::Error).
    pub fn pullback(&self, inner: &PwMultiAff, b: &Budget) -> Result<PwMultiAff> {
        assert!(inner.space.n_out() == self.space.n_in(), "composition of functions that do not meet");
        let (f, g) = self.aligned(inner);
        let over = g.space.domain();
        let mut pieces = Vec::new();
        for (e, y) in &g.pieces {
            let graph = Map::from_affs_over(&over, y, "").intersect_domain(e);
            for (d, x) in &f.pieces {
                let dom = graph.intersect_range(d).domain(b)?;
                if !dom.is_empty(b)? {
                    pieces.push((dom, x.iter().map(|a| a.pullback(&over, y)).collect()));
                }
            }
        }
        Ok(PwMultiAff::from_pieces(&over, &f.space.output, pieces))
    }

    /// The arguments for which the value lies in `s`: `{ x : self(x) in s }`. Exact.
    /// Cost: a projection of each piece of one operand with each of the other. Errors: [`Error`](crate::Error).
    pub fn preimage(&self, s: &Set, b: &Budget) -> Result<Set> {
        self.to_map().intersect_range(s).domain(b)
    }

    /// Pieces with the same functions joined, empty ones dropped, domains coalesced.
    /// Exact. Cost: a linear program per row and a feasibility test per piece, then a few of both per pair of pieces.
    /// Errors: [`Error`](crate::Error).
    pub fn coalesce(&self, b: &Budget) -> Result<PwMultiAff> {
        let mut pieces: Vec<(Set, Vec<Aff>)> = Vec::new();
        for (d, a) in &self.pieces {
            match pieces.iter_mut().find(|(_, other)| other == a) {
                Some((e, _)) => *e = e.union(d),
                None => pieces.push((d.clone(), a.clone())),
            }
        }
        let mut out = Vec::with_capacity(pieces.len());
        for (d, a) in pieces {
            let d = d.coalesce(b)?.into_owned();
            if !d.basics().is_empty() {
                out.push((d, a));
            }
        }
        Ok(PwMultiAff { space: self.space.clone(), pieces: out })
    }

    fn compared(&self, o: &PwMultiAff, f: impl Fn(&[Aff], &[Aff]) -> Set) -> Set {
        self.same_outputs(o);
        let (p, q) = self.aligned(o);
        let mut out = Set::empty(p.space.domain());
        for (d, x) in &p.pieces {
            for (e, y) in &q.pieces {
                out = out.union(&d.intersect(e).intersect(&f(x, y)));
            }
        }
        out
    }

    /// `{ x : self(x) = o(x) }`; here and below where both are defined.
    pub fn eq_set(&self, o: &PwMultiAff) -> Set {
        let space = self.space.domain();
        self.compared(o, |x, y| {
            x.iter().zip(y).fold(Set::universe(space.clone()), |s, (x, y)| s.intersect(&x.eq_set(y)))
        })
    }

    /// `{ x : self(x) << o(x) }`, lexicographically.
    pub fn lex_lt_set(&self, o: &PwMultiAff) -> Set {
        let space = self.space.domain();
        self.compared(o, |x, y| {
            let (mut out, mut equal) = (Set::empty(space.clone()), Set::universe(space.clone()));
            for (x, y) in x.iter().zip(y) {
                out = out.union(&equal.intersect(&x.lt_set(y)));
                equal = equal.intersect(&x.eq_set(y));
            }
            out
        })
    }

    /// `{ x : self(x) << o(x) or self(x) = o(x) }`, lexicographically.
    pub fn lex_le_set(&self, o: &PwMultiAff) -> Set {
        self.lex_lt_set(o).union(&self.eq_set(o))
    }

    /// True iff both are defined at the same points with the same values. Exact.
    /// Cost: two inclusion tests. Errors: [`Error`](crate::Error).
    pub fn is_equal(&self, o: &PwMultiAff, b: &Budget) -> Result<bool> {
        self.to_map().is_equal(&o.to_map(), b)
    }

    /// Value at a point; `None` where it is undefined or does not fit `i64`.
    pub fn eval(&self, params: &[i64], point: &[i64]) -> Option<Vec<i64>> {
        let (_, affs) = self.pieces.iter().find(|(d, _)| d.contains(params, point))?;
        affs.iter().map(|a| a.eval(params, point)).collect()
    }

    /// Its graph.
    pub fn to_map(&self) -> Map {
        let dom = self.space.domain();
        let mut out = Map::empty(self.space.clone());
        for (d, affs) in &self.pieces {
            let graph = Map::from_affs_over(&dom, affs, "").intersect_domain(d);
            let all: Vec<_> = (0..self.space.n_cols()).map(Some).collect();
            out = out.union(&graph.rebuilt(self.space.clone(), &all));
        }
        out
    }
}

impl Map {
    /// The lexicographically smallest output of each input, as a function. Exact. Cost and errors: those of `lexmin`,
    /// and [`Error::Overflow`] when a coefficient does not fit `i64`.
    pub fn lexmin_function(&self, b: &Budget) -> Result<PwMultiAff> {
        PwMultiAff::from_function(&self.lexmin(b)?, b)
    }

    /// The lexicographically largest output of each input, as [`Map::lexmin_function`]. Cost: that of `lexmin`.
    pub fn lexmax_function(&self, b: &Budget) -> Result<PwMultiAff> {
        PwMultiAff::from_function(&self.lexmax(b)?, b)
    }
}

impl Set {
    /// The set as a map from the empty tuple.
    fn over_no_tuple(&self) -> Map {
        let all: Vec<_> = (0..self.space().n_cols()).map(Some).collect();
        let space = Space { input: Some(Tuple::absent()), ..self.space().clone() };
        self.rebuilt(space, &all)
    }

    /// The lexicographically smallest point as a function of the parameters. Exact. Cost and errors: those of
    /// `lexmin`, and [`Error::Overflow`] when a coefficient does not fit `i64`.
    pub fn lexmin_function(&self, b: &Budget) -> Result<PwMultiAff> {
        self.over_no_tuple().lexmin_function(b)
    }

    /// The lexicographically largest point, as [`Set::lexmin_function`]. Cost: that of `lexmin`.
    pub fn lexmax_function(&self, b: &Budget) -> Result<PwMultiAff> {
        self.over_no_tuple().lexmax_function(b)
    }

    /// The smallest value of one dim as a function of the parameters. Exact. Errors: as those of `lexmin`.
    /// Cost: a projection, and that of `lexmin` of one dim.
    pub fn dim_min(&self, pos: usize, b: &Budget) -> Result<PwAff> {
        Ok(self.only_dim(pos, b)?.lexmin_function(b)?.component(0))
    }

    /// The largest value of one dim, as [`Set::dim_min`]. Cost: a projection, and that of `lexmin` of one dim.
    pub fn dim_max(&self, pos: usize, b: &Budget) -> Result<PwAff> {
        Ok(self.only_dim(pos, b)?.lexmax_function(b)?.component(0))
    }

    fn only_dim(&self, pos: usize, b: &Budget) -> Result<Set> {
        assert!(pos < self.space().n_out(), "dim out of range");
        self.project_out(pos + 1, self.space().n_out() - pos - 1, b)?.project_out(0, pos, b)
    }
}

/// Domain and output functions of a leaf of parametric programming: outputs equal to quasi-affine functions of what
/// comes before. Of the domain numbers may be wide.
fn function_of(space: &Space, leaf: &Body) -> Result<(Set, Vec<Aff>)> {
    let (dom, affs) = match leaf.small() {
        Some(s) => parts_of(space, s).map(|(dom, affs)| (dom.into_body(), affs))?,
        None => parts_of(space, &leaf.to_big()).map(|(dom, affs)| (dom.into_body(), affs))?,
    };
    Ok((Set::from_bodies(&Arc::new(space.domain()), vec![dom]), affs))
}

fn parts_of<T: Int>(space: &Space, s: &Sys<T>) -> Result<(Sys<T>, Vec<Aff>)> {
    let (first, n) = (space.first(Dim::Out), s.n);
    let narrow = |v: &[&T]| v.iter().map(|x| x.to_i64()).collect::<Option<Vec<i64>>>().ok_or(Error::Overflow);
    let without_outputs = |r: &[T]| -> Vec<T> { r[..first].iter().chain(&r[n..]).cloned().collect() };
    let mut dom = s.clone();
    dom.eq.retain(|r| r[first..n].iter().all(Int::is_zero));
    // Without the outputs' own rows, floors depend on the inputs and earlier floors only.
    let floors = divs::definitions(&dom).into_iter().collect::<Option<Vec<_>>>().ok_or(Error::Overflow)?;
    let mut rows = Vec::with_capacity(n - first);
    for c in first..n {
        let own = |r: &&[T]| r[c].neg().is_one() && r[first..n].iter().filter(|v| !v.is_zero()).count() == 1;
        rows.push(without_outputs(s.eq.rows().find(own).ok_or(Error::Overflow)?));
    }
    // Floors that no function needs are nothing here.
    let mut needed: Vec<bool> = (0..floors.len()).map(|k| rows.iter().any(|r| !r[first + k].is_zero())).collect();
    let mut defs = vec![Div { num: Vec::new(), den: 1 }; floors.len()];
    for (k, f) in floors.iter().enumerate().rev() {
        let num = without_outputs(&f.num);
        if needed[k] {
            (0..k).for_each(|j| needed[j] |= !num[first + j].is_zero());
            defs[k] = Div { num: narrow(&num.iter().collect::<Vec<_>>())?, den: narrow(&[&f.den])?[0] };
        } else {
            defs[k].num = vec![0; num.len()];
        }
    }
    let affs =
        rows.iter().map(|r| Ok(Aff::from_parts(&space.domain(), defs.clone(), narrow(&r.iter().collect::<Vec<_>>())?)));
    let affs = affs.collect::<Result<Vec<Aff>>>()?;
    let visible: Vec<Option<usize>> = (0..first).map(Some).collect();
    let exists: Vec<Option<usize>> = (n..s.cols()).map(Some).collect();
    Ok((dom.remap(&visible, &exists), affs))
}
