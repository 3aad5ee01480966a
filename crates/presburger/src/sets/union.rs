//! Operations sets and maps share: finite unions of conjunctions in one space.

use crate::budget::{Budget, Result};
use crate::num::{FastSet, Int};
use crate::sets::basic::{Basic, BasicMap, BasicSet};
use crate::sets::map::Map;
use crate::sets::set::Set;
use crate::sets::space::{Dim, Kind, Space, Tuple, union_params};
use crate::system::body::{Body, exact};
use crate::system::{guess, solve};
use crate::unions::{coalesce, compose, hull, lex, subtract};
use num_bigint::BigInt;
use std::borrow::Cow;
use std::sync::Arc;

/// The pieces of a union: most have one, which then needs no memory of its own.
#[derive(Clone, Debug)]
pub(crate) enum Pieces<B> {
    /// In its own space, which is that of the union.
    One(B),
    Many(Arc<Space>, Arc<[B]>),
}

impl<B> std::ops::Deref for Pieces<B> {
    type Target = [B];

    fn deref(&self) -> &[B] {
        match self {
            Pieces::One(b) => std::slice::from_ref(b),
            Pieces::Many(_, list) => list,
        }
    }
}

/// The bodies of the pieces, one after the other.
pub(crate) struct Bodies<'a, P> {
    of: &'a P,
    at: std::ops::Range<usize>,
}

impl<'a, P: Parts> Iterator for Bodies<'a, P> {
    type Item = &'a Body;

    fn next(&mut self) -> Option<&'a Body> {
        self.at.next().map(|k| self.of.body(k))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.at.size_hint()
    }
}

impl<P: Parts> ExactSizeIterator for Bodies<'_, P> {}

/// Access to the parts of a set or map.
pub(crate) trait Parts: Clone {
    fn shared(&self) -> &Arc<Space>;
    fn count(&self) -> usize;
    /// Whether no piece has existentials.
    fn is_plain(&self) -> bool;
    fn body(&self, k: usize) -> &Body;
    fn from_bodies(space: &Arc<Space>, list: Vec<Body>) -> Self;

    fn bodies(&self) -> Bodies<'_, Self> {
        Bodies { of: self, at: 0..self.count() }
    }

    /// The same points over the parameter list `params`, which holds all parameters of `self`.
    fn over_params(&self, params: &Arc<[Arc<str>]>) -> Cow<'_, Self> {
        let own = self.shared();
        if own.params == *params {
            return Cow::Borrowed(self);
        }
        let mut cols: Vec<Option<usize>> = params.iter().map(|p| own.params.iter().position(|q| q == p)).collect();
        cols.extend((own.n_param()..own.n_cols()).map(Some));
        let space = Arc::new(own.with_params(params));
        Cow::Owned(Self::from_bodies(&space, self.bodies().map(|b| b.remap(&cols)).collect()))
    }

    /// The pieces with their visible columns rebuilt from `cols` (existentials stay), in `space`.
    fn rebuilt<P: Parts>(&self, space: Space, cols: &[Option<usize>]) -> P {
        let space = Arc::new(space);
        P::from_bodies(&space, self.bodies().map(|b| b.remap(cols)).collect())
    }
}

macro_rules! parts {
    ($t:ident, $basic:ident) => {
        impl Parts for $t {
            fn shared(&self) -> &Arc<Space> {
                self.shared_space()
            }
            fn count(&self) -> usize {
                self.basics.len()
            }
            fn is_plain(&self) -> bool {
                self.plain
            }
            fn body(&self, k: usize) -> &Body {
                &self.basics[k].0.body
            }
            fn from_bodies(space: &Arc<Space>, mut list: Vec<Body>) -> Self {
                let plain = list.iter().all(|b| b.n_exists() == 0);
                let basics = match list.len() {
                    1 => Pieces::One($basic(Basic::new(space, list.remove(0)))),
                    _ => Pieces::Many(space.clone(), list.into_iter().map(|b| $basic(Basic::new(space, b))).collect()),
                };
                $t { basics, plain }
            }
        }
    };
}

parts!(Set, BasicSet);
parts!(Map, BasicMap);

/// Both operands over the union of their parameters.
pub(crate) fn aligned<'a, A: Parts, B: Parts>(a: &'a A, b: &'a B) -> (Cow<'a, A>, Cow<'a, B>) {
    let (own, theirs) = (&a.shared().params, &b.shared().params);
    if own == theirs {
        return (Cow::Borrowed(a), Cow::Borrowed(b));
    }
    let (params, _) = union_params(own, theirs);
    (a.over_params(&params), b.over_params(&params))
}

fn same_shape<A: Parts>(a: &A, b: &A) {
    let (a, b) = (a.shared(), b.shared());
    assert!(
        a.n_in() == b.n_in() && a.n_out() == b.n_out() && a.is_map() == b.is_map(),
        "operands of different spaces: {a:?} and {b:?}"
    );
}

/// Whether both have the same pieces, row for row.
fn same_pieces<A: Parts>(a: &A, b: &A) -> bool {
    if a.count() != b.count() {
        return false;
    }
    if a.count() == 1 {
        return a.body(0) == b.body(0);
    }
    let (x, y): (Vec<&Body>, Vec<&Body>) = (a.bodies().collect(), b.bodies().collect());
    let (left, right) = (Known::of(&x, y.len()), Known::of(&y, x.len()));
    x.iter().all(|p| right.has(p)) && y.iter().all(|p| left.has(p))
}

/// Pieces to be found again, hashed where they are asked for often.
enum Known<'a> {
    List(&'a [&'a Body]),
    Hashed(FastSet<&'a Body>),
}

impl<'a> Known<'a> {
    /// To be asked for so often.
    fn of(list: &'a [&'a Body], questions: usize) -> Self {
        if list.len() * questions < FEW_PAIRS {
            Known::List(list)
        } else {
            Known::Hashed(list.iter().copied().collect())
        }
    }

    fn has(&self, b: &Body) -> bool {
        match self {
            Known::List(list) => list.contains(&b),
            Known::Hashed(set) => set.contains(b),
        }
    }
}

pub(crate) fn intersect<A: Parts>(a: &A, b: &A) -> A {
    same_shape(a, b);
    let (a, b) = aligned(a, b);
    if same_pieces(a.as_ref(), b.as_ref()) {
        return a.into_owned();
    }
    let mut out = Vec::new();
    for x in a.bodies() {
        for y in b.bodies() {
            if y.is_universe() {
                out.push(x.clone());
            } else if x.is_universe() {
                out.push(y.clone());
            } else if let Some(m) = x.meet(y) {
                out.push(m);
            }
        }
    }
    A::from_bodies(a.shared(), out)
}

/// Conjunction with bodies over some of the visible columns: `cols[c]` is the source of column `c` in `b`.
pub(crate) fn intersect_columns<'b, A: Parts>(a: &A, b: impl Iterator<Item = &'b Body>, cols: &[Option<usize>]) -> A {
    let b: Vec<Body> = b.map(|x| x.remap(cols)).collect();
    let mut out = Vec::new();
    for x in a.bodies() {
        out.extend(b.iter().filter_map(|y| if y.is_universe() { Some(x.clone()) } else { x.meet(y) }));
    }
    A::from_bodies(a.shared(), out)
}

pub(crate) fn intersect_params<A: Parts>(a: &A, params: &Set) -> A {
    assert!(params.space().n_out() == 0, "a parameter set has no dims");
    let (a, p) = aligned(a, params);
    let n = a.shared().n_param();
    let cols: Vec<Option<usize>> = (0..a.shared().n_cols()).map(|c| (c < n).then_some(c)).collect();
    intersect_columns(a.as_ref(), p.bodies(), &cols)
}

/// Below so many pairs of pieces comparing them costs less than hashing them.
const FEW_PAIRS: usize = 64;

pub(crate) fn union<A: Parts>(a: &A, b: &A) -> A {
    same_shape(a, b);
    let (a, b) = aligned(a, b);
    let mut out: Vec<Body> = Vec::with_capacity(a.count() + b.count());
    out.extend(a.bodies().cloned());
    if a.count() * b.count() < FEW_PAIRS {
        for y in b.bodies() {
            if !out.contains(y) {
                out.push(y.clone());
            }
        }
    } else {
        let mut seen: FastSet<&Body> = a.bodies().collect();
        out.extend(b.bodies().filter(|y| seen.insert(y)).cloned());
    }
    if out.iter().any(Body::is_universe) {
        out.truncate(1);
        out[0] = Body::universe(a.shared().n_cols());
    }
    A::from_bodies(a.shared(), out)
}

/// The union of parts in one space, of which there is at least one.
pub(crate) fn union_all<A: Parts>(list: &[A]) -> A {
    let [first, rest @ ..] = list else { panic!("a union of nothing") };
    let mut out: Vec<Body> = first.bodies().cloned().collect();
    let mut seen: FastSet<&Body> = first.bodies().collect();
    for part in rest {
        same_shape(first, part);
        out.extend(part.bodies().filter(|y| seen.insert(y)).cloned());
    }
    if out.len() > 1 && out.iter().any(Body::is_universe) {
        out.truncate(1);
        out[0] = Body::universe(first.shared().n_cols());
    }
    A::from_bodies(first.shared(), out)
}

pub(crate) fn subtract<A: Parts>(a: &A, b: &A, bud: &Budget) -> Result<A> {
    same_shape(a, b);
    let (a, b) = aligned(a, b);
    let others: Vec<&Body> = b.bodies().collect();
    let known = Known::of(&others, a.count());
    let own: Vec<&Body> = a.bodies().filter(|x| !known.has(x)).collect();
    let list = exact!(x = own.iter().copied(), y = others.iter().copied(); subtract::subtract(x, y, bud))?;
    Ok(A::from_bodies(a.shared(), list))
}

/// Whether one piece has no point; the first try needs no list of systems.
fn body_is_empty(b: &Body, bud: &Budget) -> Result<bool> {
    if b.small().is_some_and(guess::finds_point) {
        bud.spend(1)?;
        return Ok(false);
    }
    exact!(s = [b]; solve::is_empty(s[0], bud))
}

pub(crate) fn is_empty<A: Parts>(a: &A, bud: &Budget) -> Result<bool> {
    for k in 0..a.count() {
        if !body_is_empty(a.body(k), bud)? {
            return Ok(false);
        }
    }
    Ok(true)
}

pub(crate) fn is_disjoint<A: Parts>(a: &A, b: &A, bud: &Budget) -> Result<bool> {
    same_shape(a, b);
    let (a, b) = aligned(a, b);
    exact!(x = a.bodies(), y = b.bodies(); subtract::is_disjoint(x, y, bud))
}

pub(crate) fn is_subset<A: Parts>(a: &A, b: &A, bud: &Budget) -> Result<bool> {
    same_shape(a, b);
    let (a, b) = aligned(a, b);
    exact!(x = a.bodies(), y = b.bodies(); subtract::is_subset(x, y, bud))
}

/// Hides visible columns `first..first + count`, then eliminates what can be; the result lives in `space`.
pub(crate) fn hide<A: Parts, B: Parts>(
    a: &A,
    first: usize,
    count: usize,
    space: &Arc<Space>,
    bud: &Budget,
) -> Result<B> {
    let list = exact!(x = a.bodies(); compose::hide(x, first, count, bud))?;
    Ok(B::from_bodies(space, list))
}

/// `f` then `g`, in `space`; `first`, `mid` and `last` are the sizes of the tuples, the first one's empty for a set.
pub(crate) fn chain<A: Parts, B: Parts, C: Parts>(f: &A, g: &B, space: Space, bud: &Budget) -> Result<C> {
    let own = g.shared();
    let sizes = compose::Chain { params: own.n_param(), first: f.shared().n_in(), mid: own.n_in(), last: own.n_out() };
    let list = exact!(x = f.bodies(), y = g.bodies(); compose::chain(x, y, &sizes, bud))?;
    Ok(C::from_bodies(&Arc::new(space), list))
}

/// Removes dims of a tuple; a wrapped pair that loses a dim becomes a plain tuple.
fn remove_dims(t: &mut Tuple, first: usize, n: usize) {
    t.dims = t.dims[..first].iter().chain(&t.dims[first + n..]).cloned().collect();
    if n > 0 {
        t.nested = None;
    }
}

pub(crate) fn project_out<A: Parts>(a: &A, dim: Dim, first: usize, n: usize, bud: &Budget) -> Result<A> {
    let own = a.shared();
    assert!(first + n <= own.count(dim), "columns to project out of range");
    let mut space = (**own).clone();
    match dim {
        Dim::Param => {
            space.params = space
                .params
                .iter()
                .enumerate()
                .filter(|(i, _)| *i < first || *i >= first + n)
                .map(|(_, p)| p.clone())
                .collect()
        }
        Dim::In => space.input.iter_mut().for_each(|t| remove_dims(t, first, n)),
        Dim::Out => remove_dims(&mut space.output, first, n),
    }
    hide(a, own.first(dim) + first, n, &Arc::new(space), bud)
}

pub(crate) fn fix<A: Parts>(a: &A, dim: Dim, pos: usize, value: i64) -> A {
    let own = a.shared();
    assert!(pos < own.count(dim), "column to fix out of range");
    let col = own.first(dim) + pos;
    let mut out = Vec::new();
    for b in a.bodies() {
        let mut row = vec![0; own.n_cols() + 1];
        // `value - x = 0` keeps `value` as it is, even at the end of the range.
        row[col] = -1;
        row[own.n_cols()] = value;
        let mut b = b.clone();
        b.add(Kind::Eq, &row);
        if b.tidy() {
            out.push(b);
        }
    }
    A::from_bodies(own, out)
}

pub(crate) fn add<A: Parts>(a: &A, kind: Kind, row: &[i64]) -> A {
    let mut out = Vec::new();
    for b in a.bodies() {
        let mut b = b.clone();
        b.add(kind, row);
        if b.tidy() {
            out.push(b);
        }
    }
    A::from_bodies(a.shared(), out)
}

pub(crate) fn lexopt<A: Parts>(a: &A, largest: bool, bud: &Budget) -> Result<A> {
    let first = a.shared().first(Dim::Out);
    let list = if largest {
        exact!(x = a.bodies(); lex::lexmax(x, first, bud))?
    } else {
        exact!(x = a.bodies(); lex::lexmin(x, first, bud))?
    };
    Ok(A::from_bodies(a.shared(), list))
}

pub(crate) fn gist<A: Parts>(a: &A, context: &A, bud: &Budget) -> Result<A> {
    same_shape(a, context);
    let (a, c) = aligned(a, context);
    if same_pieces(a.as_ref(), c.as_ref()) {
        return Ok(A::from_bodies(a.shared(), vec![Body::universe(a.shared().n_cols())]));
    }
    let list = exact!(x = a.bodies(), y = c.bodies(); hull::gist(x, y, bud))?;
    Ok(A::from_bodies(a.shared(), list))
}

pub(crate) fn coalesce<'a, A: Parts>(a: &'a A, bud: &Budget) -> Result<Cow<'a, A>> {
    if a.count() < 2 { Ok(Cow::Borrowed(a)) } else { simplify(a, bud).map(Cow::Owned) }
}

/// As [`coalesce`], but only pieces with the same equalities become one, and without any no larger piece: few pieces of
/// many rows and floors would give these to all that is made of them.
pub(crate) fn coalesce_alike<A: Parts>(a: &A, bud: &Budget) -> Result<A> {
    let mut groups: Vec<(Vec<Vec<BigInt>>, Vec<Body>)> = Vec::new();
    for body in a.bodies() {
        let rows = body.to_big();
        let (n, last) = (rows.n, rows.n + rows.e);
        let plain = rows.eq.rows().filter(|r| r[n..last].iter().all(Int::is_zero));
        let key: Vec<Vec<BigInt>> = plain.map(|r| r[..n].iter().chain(r.last()).cloned().collect()).collect();
        match groups.iter_mut().find(|(k, _)| *k == key) {
            Some((_, list)) => list.push(body.clone()),
            None => groups.push((key, vec![body.clone()])),
        }
    }
    let mut all = Vec::with_capacity(groups.len());
    for (key, list) in groups {
        let group = A::from_bodies(a.shared(), list);
        if key.is_empty() {
            all.extend(exact!(x = group.bodies(); coalesce::coalesce_small(x, bud))?);
        } else {
            all.extend(coalesce(&group, bud)?.bodies().cloned());
        }
    }
    Ok(A::from_bodies(a.shared(), all))
}

pub(crate) fn simplify<A: Parts>(a: &A, bud: &Budget) -> Result<A> {
    let list = exact!(x = a.bodies(); coalesce::coalesce(x, bud))?;
    Ok(A::from_bodies(a.shared(), list))
}

pub(crate) fn make_disjoint<A: Parts>(a: &A, bud: &Budget) -> Result<A> {
    let list = exact!(x = a.bodies(); subtract::disjoint(x, bud))?;
    Ok(A::from_bodies(a.shared(), list))
}

pub(crate) fn compute_divs<'a, A: Parts>(a: &'a A, bud: &Budget) -> Result<Cow<'a, A>> {
    let known = |b: &Body| match b {
        Body::Small(s) => crate::system::divs::all_explicit(s),
        Body::Big(s) => crate::system::divs::all_explicit(s),
    };
    if a.is_plain() || a.bodies().all(known) {
        return Ok(Cow::Borrowed(a));
    }
    let mut out = Vec::new();
    for b in a.bodies() {
        out.extend(exact!(s = [b]; crate::system::divs::explicit(s[0], bud))?);
    }
    Ok(Cow::Owned(A::from_bodies(a.shared(), out)))
}

macro_rules! shared_union_methods {
    ($t:ident, $basic:ident) => {
        impl $t {
            /// All points of `space`.
            pub fn universe(space: Space) -> $t {
                let n = space.n_cols();
                Parts::from_bodies(&Arc::new(space), vec![Body::universe(n)])
            }

            /// No point of `space`.
            pub fn empty(space: Space) -> $t {
                Parts::from_bodies(&Arc::new(space), Vec::new())
            }

            /// The space all pieces live in.
            pub fn space(&self) -> &Space {
                self.shared_space()
            }

            /// The pieces; their union is the value. Pieces may overlap and may be empty.
            pub fn basics(&self) -> &[$basic] {
                &self.basics
            }

            pub(crate) fn shared_space(&self) -> &Arc<Space> {
                match &self.basics {
                    Pieces::One(b) => &b.0.space,
                    Pieces::Many(space, _) => space,
                }
            }

            pub(crate) fn from_parts(space: Arc<Space>, list: Vec<Basic>) -> $t {
                Parts::from_bodies(&space, list.into_iter().map(|b| b.body).collect())
            }

            /// Points in both. Pieces that contradict each other on sight are dropped.
            pub fn intersect(&self, o: &$t) -> $t {
                intersect(self, o)
            }

            /// Points whose parameters lie in `params`, a set without dims.
            pub fn intersect_params(&self, params: &Set) -> $t {
                intersect_params(self, params)
            }

            /// Points in either: the pieces side by side.
            pub fn union(&self, o: &$t) -> $t {
                union(self, o)
            }

            /// Exact difference `self \ o` over the integers.
            /// Cost: at most one piece per constraint of `o` per piece of `self`. Errors: [`Error`](crate::Error).
            pub fn subtract(&self, o: &$t, b: &Budget) -> Result<$t> {
                subtract(self, o, b)
            }

            /// True iff there is no integer point, for any parameter values. Exact.
            /// Cost: one feasibility test per piece, up to the first that has a point. Errors: [`Error`](crate::Error).
            pub fn is_empty(&self, b: &Budget) -> Result<bool> {
                is_empty(self, b)
            }

            /// True iff every point of `self` is in `o`. Exact.
            /// Cost: a difference per piece, given up at the first point found. Errors: [`Error`](crate::Error).
            pub fn is_subset(&self, o: &$t, b: &Budget) -> Result<bool> {
                is_subset(self, o, b)
            }

            /// True iff both hold the same points. Exact. Cost: two inclusion tests. Errors: [`Error`](crate::Error).
            pub fn is_equal(&self, o: &$t, b: &Budget) -> Result<bool> {
                Ok(is_subset(self, o, b)? && is_subset(o, self, b)?)
            }

            /// True iff `self` is contained in `o` and not equal to it. Exact.
            /// Cost: two inclusion tests. Errors: [`Error`](crate::Error).
            pub fn is_strict_subset(&self, o: &$t, b: &Budget) -> Result<bool> {
                Ok(is_subset(self, o, b)? && !is_subset(o, self, b)?)
            }

            /// True iff no point is in both. Exact.
            /// Cost: a feasibility test per pair of pieces, up to the first point found. Errors:
            /// [`Error`](crate::Error).
            pub fn is_disjoint(&self, o: &$t, b: &Budget) -> Result<bool> {
                is_disjoint(self, o, b)
            }

            /// Points at which one column has the given value.
            pub fn fix(&self, dim: Dim, pos: usize, value: i64) -> $t {
                fix(self, dim, pos, value)
            }

            /// Points that also satisfy a row over the visible columns and the constant.
            pub fn add(&self, kind: Kind, row: &[i64]) -> $t {
                add(self, kind, row)
            }

            /// Removes constraints that `context` implies: `gist & context = self & context`.
            /// Exact: the result is right wherever the context holds. Cost: a linear program per row and piece of the
            /// context. Errors:
            /// [`Error`](crate::Error).
            pub fn gist(&self, context: &$t, b: &Budget) -> Result<$t> {
                gist(self, context, b)
            }

            /// The same points with fewer pieces: empty ones dropped, neighbours merged where one conjunction is exact.
            /// A single piece is borrowed as it is, even if it is empty.
            /// Cost: a linear program per row and a feasibility test per piece, then a few of both per pair of pieces.
            /// Errors:
            /// [`Error`](crate::Error).
            pub fn coalesce(&self, b: &Budget) -> Result<Cow<'_, $t>> {
                coalesce(self, b)
            }

            /// As [`coalesce`](Self::coalesce), and every piece is simplified, an only one too: without redundant rows,
            /// and none without points. Cost: that of `coalesce`, also for a single piece.
            pub fn simplify(&self, b: &Budget) -> Result<$t> {
                simplify(self, b)
            }

            /// Removes constraints that hold for all parameters in `params`, a set without dims, as `gist`.
            /// Exact. Cost: as that of `gist`. Errors: [`Error`](crate::Error).
            pub fn gist_params(&self, params: &Set, b: &Budget) -> Result<$t> {
                self.gist(&$t::universe(self.space().clone()).intersect_params(params), b)
            }

            /// Equivalent union of pairwise disjoint pieces.
            /// Exact. Cost: a difference of each piece and all before it. Errors: [`Error`](crate::Error).
            pub fn make_disjoint(&self, b: &Budget) -> Result<$t> {
                make_disjoint(self, b)
            }

            /// Turns every existential into an explicit floor, so that `div_defs` has no `None`. A piece that has to be
            /// split for this is split into disjoint ones. Borrowed where nothing is to be done.
            /// Exact. Cost: linear where every existential is a floor already; otherwise one piece per bound of each
            /// that is not, or parametric programming where they depend on each other. Errors: [`Error`](crate::Error).
            pub fn compute_divs(&self, b: &Budget) -> Result<Cow<'_, $t>> {
                compute_divs(self, b)
            }

            /// The lexicographically smallest output for every value of the parameters (and input, for a map). Exact.
            /// Cost: a projection per piece and dim where the bounds are plain, otherwise parametric programming,
            /// exponential at worst; then differences of the pieces. Errors: [`Error::Unbounded`](crate::Error) where
            /// for some parameters (and input) a piece has outputs and no smallest one, even if another piece has a
            /// smaller one.
            pub fn lexmin(&self, b: &Budget) -> Result<$t> {
                lexopt(self, false, b)
            }

            /// The lexicographically largest output, as `lexmin`. Exact. Cost: as that of `lexmin`. Errors:
            /// [`Error`](crate::Error).
            pub fn lexmax(&self, b: &Budget) -> Result<$t> {
                lexopt(self, true, b)
            }
        }
    };
}
shared_union_methods!(Set, BasicSet);
shared_union_methods!(Map, BasicMap);
