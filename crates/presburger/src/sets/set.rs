//! Sets: finite unions of basic sets in one space.

use crate::budget::{Budget, Error, Result};
use crate::count::card::{self, Failed};
use crate::count::{enumerate, vertices};
use crate::functions::aff::Aff;
use crate::functions::qpoly::{Poly, PwQPoly};
use crate::num::{FastSet, Int, Stop};
use crate::sets::basic::BasicSet;
use crate::sets::map::Map;
use crate::sets::space::{Dim, Kind, Space, Tuple, union_params};
use crate::sets::union::{self, Parts, Pieces, aligned};
use crate::system::body::{Body, IntoBody, exact};
use crate::system::sys::{Mat, Sys};
use crate::system::{elim, solve};
use crate::text::parse::{self, ParseError};
use crate::text::print::column_names;
use crate::text::print_functions::{domain_text, values_text};
use crate::unions::hull::{self, IntOpt};
use crate::unions::{lex, points};
use num_bigint::BigInt;
use num_rational::BigRational;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

/// Finite union of basic sets in one space. Equality and hash are those of the space, names of dims among it, and of
/// the pieces in any order, not of the points: [`Set::is_equal`] compares those.
#[derive(Clone, Debug)]
pub struct Set {
    pub(crate) basics: Pieces<BasicSet>,
    /// No piece has existentials.
    pub(crate) plain: bool,
}

/// Optimum of an affine form over a set without parameters or over all parameter values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Bound {
    /// The set has no point.
    Empty,
    /// There is no optimum.
    Unbounded,
    /// The optimum, attained.
    Value(i64),
}

impl Set {
    /// Reads isl's notation: `[N] -> { S[i, j] : 0 <= i < N and exists e: j = 2e }`; all tuples must be alike.
    pub fn parse(text: &str) -> std::result::Result<Set, ParseError> {
        parse::set(text)
    }

    /// Renames the tuple; `""` removes the name.
    pub fn with_tuple(&self, name: &str) -> Set {
        let mut space = self.space().clone();
        space.output.name = Tuple::new(name, 0).name;
        space.output.absent = false;
        let all: Vec<_> = (0..space.n_cols()).map(Some).collect();
        self.rebuilt(space, &all)
    }

    /// All points of the space that are not in the set. Exact.
    /// Cost: that of a difference: pieces may multiply by the number of constraints of each piece. Errors:
    /// [`Error`](crate::Error).
    pub fn complement(&self, b: &Budget) -> Result<Set> {
        Set::universe(self.space().clone()).subtract(self, b)
    }

    /// Syntactic: one piece without rows. Cheap, may answer false for a universe in disguise.
    pub fn is_plain_universe(&self) -> bool {
        self.basics.iter().any(|b| b.0.body.is_universe())
    }

    /// Exact integer projection (the result may carry existentials). Cost: a projection per piece. Errors:
    /// [`Error`](crate::Error).
    pub fn project_out(&self, first: usize, n: usize, b: &Budget) -> Result<Set> {
        union::project_out(self, Dim::Out, first, n, b)
    }

    /// Projects out all dims: the parameter values for which the set is non-empty.
    /// Exact. Cost: a projection per piece. Errors: [`Error`](crate::Error).
    pub fn params(&self, b: &Budget) -> Result<Set> {
        let space = Space { params: self.space().params.clone(), input: None, output: Tuple::absent() };
        union::hide(self, self.space().n_param(), self.space().n_out(), &Arc::new(space), b)
    }

    /// A point `[params | dims]`, if there is one. Errors: [`Error`], also when a coordinate does not fit `i64`.
    /// Exact. Cost: one feasibility test per piece, up to the first that has a point.
    pub fn sample(&self, b: &Budget) -> Result<Option<Vec<i64>>> {
        for body in self.bodies() {
            if let Some(x) = exact!(s = [body]; solve::sample(s[0], b))? {
                let x: Option<Vec<i64>> = x[..self.space().n_cols()].iter().map(Int::to_i64).collect();
                return x.ok_or(Error::Overflow).map(Some);
            }
        }
        Ok(None)
    }

    /// One conjunction that contains the set, from constraints already present in some piece, moved outwards where
    /// needed; a single piece is borrowed as it is.
    /// Exact as a hull: every point lies inside; others may. Cost: a linear program per row and piece. Errors:
    /// [`Error`](crate::Error).
    pub fn simple_hull(&self, b: &Budget) -> Result<Cow<'_, BasicSet>> {
        match &self.basics[..] {
            [] => return Ok(Cow::Owned(self.contradiction())),
            [one] => return Ok(Cow::Borrowed(one)),
            _ => {}
        }
        let body = exact!(x = self.bodies(); hull::simple_hull(x, b))?;
        Ok(Cow::Owned(BasicSet(crate::sets::basic::Basic::new(self.shared_space(), body))))
    }

    /// The smallest affine subspace that holds every integer point. Exact.
    /// Cost: at most two feasibility tests per dim found not to be fixed, and two per equality and piece. Errors:
    /// [`Error`](crate::Error).
    pub fn affine_hull(&self, b: &Budget) -> Result<BasicSet> {
        if self.basics.is_empty() {
            return Ok(self.contradiction());
        }
        let body = exact!(x = self.bodies(); hull::affine_hull(x, b))?;
        Ok(BasicSet(crate::sets::basic::Basic::new(self.shared_space(), body)))
    }

    /// The closed convex hull over the rationals (existentials projected over the rationals): contains every point.
    /// Exact over the rationals. Cost: two rational eliminations of a multiplier per row: exponential in the number of
    /// rows at worst.
    /// Errors: [`Error`](crate::Error).
    pub fn convex_hull_rational(&self, b: &Budget) -> Result<BasicSet> {
        if self.basics.is_empty() {
            return Ok(self.contradiction());
        }
        let body = exact!(x = self.bodies(); crate::system::farkas::convex_hull(x, b))?;
        Ok(BasicSet(crate::sets::basic::Basic::new(self.shared_space(), body)))
    }

    /// The vertices of each piece over the rationals, as text: a piece `[N] -> { [(0), (1/2 * N)] : N >= 0; ... }` per
    /// piece, each vertex on the part of the parameters where it is one. Existentials are projected over the rationals.
    /// Cost: a small linear system for each choice of as many rows as there are dims.
    /// Errors: [`Error`](crate::Error).
    pub fn vertices(&self, b: &Budget) -> Result<Vec<String>> {
        let keep = self.space().n_param();
        let names = column_names(self.space());
        let mut out = Vec::with_capacity(self.basics.len());
        for body in self.bodies() {
            let corners = || match elim::rational_bounds(&body.to_big(), self.space().n_cols(), b)? {
                Some(s) => vertices::vertices(&s, keep, b),
                None => Ok(Vec::new()),
            };
            let mut list = Vec::new();
            for v in corners().map_err(Stop::settled)? {
                let params = Space { params: self.space().params.clone(), input: None, output: Tuple::absent() };
                let domain = Set::from_bodies(&Arc::new(params), vec![v.domain.into_body()]);
                let at: Vec<String> = v.at.iter().map(|row| Poly::rational(row).text(&names)).collect();
                list.push(format!(
                    "{}{}",
                    values_text(&self.space().output, &at),
                    domain_text(&domain, &names[..keep]).unwrap_or_default()
                ));
            }
            let params = if keep > 0 { format!("[{}] -> ", self.space().params.join(", ")) } else { String::new() };
            out.push(format!("{params}{{ {} }}", list.join("; ")));
        }
        Ok(out)
    }

    /// True iff for all parameter values the set is finite. Exact.
    /// Cost: a feasibility test and two linear programs per dim, per piece. Errors: [`Error`](crate::Error).
    pub fn is_bounded(&self, b: &Budget) -> Result<bool> {
        let np = self.space().n_param();
        for body in self.bodies() {
            if !exact!(s = [body]; hull::is_bounded(s[0], np, b))? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn contradiction(&self) -> BasicSet {
        BasicSet(crate::sets::basic::Basic::new(
            self.shared_space(),
            crate::system::body::Body::contradiction(self.space().n_cols()),
        ))
    }

    /// Exact integer minimum of `f` over all points and parameter values. Errors: [`Error`], also when it does not fit
    /// `i64`.
    /// Cost: per piece a linear program, and feasibility tests in between while its optimum is not integer.
    pub fn min_of(&self, f: &Aff, b: &Budget) -> Result<Bound> {
        match self.max_of(&f.scale(-1), b)? {
            Bound::Value(v) => v.checked_neg().map(Bound::Value).ok_or(Error::Overflow),
            other => Ok(other),
        }
    }

    /// Exact integer maximum of `f`, as [`Set::min_of`]. Cost: as that of [`Set::min_of`].
    pub fn max_of(&self, f: &Aff, b: &Budget) -> Result<Bound> {
        // The graph { dims -> f }, so that floors in `f` become existentials: the last column is to be maximised.
        let graph = Map::from_affs(std::slice::from_ref(f), "").intersect_domain(self).wrap();
        let n = graph.space().n_cols();
        let mut row = vec![0_i64; n + 1];
        row[n - 1] = 1;
        let big: Vec<BigInt> = row.iter().map(|v| BigInt::from(*v)).collect();
        let small = crate::system::body::all_small(graph.bodies()).map(|x| hull::max_of(&x, &row, b));
        let best = match small {
            Some(Ok(v)) => v,
            Some(Err(Stop::Error(e))) => return Err(e),
            _ => {
                let list = crate::system::body::all_big(graph.bodies());
                let refs: Vec<_> = list.iter().collect();
                match hull::max_of(&refs, &big, b).map_err(Stop::settled)? {
                    IntOpt::At(v) => IntOpt::At(v.to_i64().ok_or(Error::Overflow)?),
                    IntOpt::Empty => IntOpt::Empty,
                    IntOpt::Unbounded => IntOpt::Unbounded,
                }
            }
        };
        Ok(match best {
            IntOpt::Empty => Bound::Empty,
            IntOpt::Unbounded => Bound::Unbounded,
            IntOpt::At(v) => Bound::Value(v),
        })
    }

    /// All points `[params | dims]` in lexicographic order; [`Error::TooMany`] when there are more than `limit`.
    pub fn points(&self, limit: usize) -> Result<Vec<Vec<i64>>> {
        let bud = Budget::steps(points::STEPS);
        let list = match exact!(x = self.bodies(); points::points(x, limit, &bud)) {
            Err(Error::Spent) => return self.points_in_turn(limit),
            list => list?,
        };
        list.iter().map(|p| p.iter().map(|v| v.to_i64().ok_or(Error::Overflow)).collect()).collect()
    }

    /// The number of points for each value of the parameters. Exact; `None` when some value has infinitely many.
    /// Cost: pieces are made disjoint, then one polynomial sum per column, each split by pairs of bounds and by a few
    /// residues; where there are many residues, the vertices' cones are decomposed, in time polynomial in the size of
    /// the coefficients and exponential in the number of columns summed. Errors: [`Error`](crate::Error).
    pub fn card(&self, b: &Budget) -> Result<Option<PwQPoly>> {
        let space = Space { params: self.space().params.clone(), input: None, output: Tuple::absent() };
        cardinality(self, &space, b)
    }

    /// Whether the point with these parameters and dims is in the set. Exact. Takes as long as it takes: with
    /// existentials that are no floors this is integer programming, for which [`Set::contains_within`] has a budget.
    pub fn contains(&self, params: &[i64], point: &[i64]) -> bool {
        self.contains_within(params, point, &Budget::unlimited()).expect("the budget is never spent")
    }

    /// As [`Set::contains`]. Errors: [`Error`]. Cost: one feasibility test per piece.
    pub fn contains_within(&self, params: &[i64], point: &[i64], b: &Budget) -> Result<bool> {
        assert!(
            params.len() == self.space().n_param() && point.len() == self.space().n_out(),
            "point of another space"
        );
        let at: Vec<i64> = params.iter().chain(point).copied().collect();
        for body in self.bodies() {
            if exact!(s = [body]; solve::holds_at(s[0], &at, b))? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The image of the set under `m`: `{ y : exists x in self, x -> y in m }`. Exact.
    /// Cost: a projection of each piece of one operand with each of the other. Errors: [`Error`](crate::Error).
    pub fn apply(&self, m: &Map, b: &Budget) -> Result<Set> {
        assert!(self.space().n_out() == m.space().n_in(), "application of a map with another domain");
        let (s, m) = aligned(self, m);
        union::chain(s.as_ref(), m.as_ref(), m.space().range(), b)
    }

    /// `{ x -> x : x in self }`.
    pub fn identity(&self) -> Map {
        let (np, n) = (self.space().n_param(), self.space().n_out());
        let cols: Vec<_> = (0..np + 2 * n).map(|c| (c < np + n).then_some(c)).collect();
        let mut m: Map = self.rebuilt(self.space().map_to_self(), &cols);
        for d in 0..n {
            let mut row = vec![0; np + 2 * n + 1];
            row[np + d] = 1;
            row[np + n + d] = -1;
            m = m.add(Kind::Eq, &row);
        }
        m
    }

    /// `{ a -> b : a << b }` on a set space: `a` lexicographically before `b`.
    pub fn lex_lt(space: &Space) -> Map {
        lex_order(space, false)
    }

    /// `{ a -> b : a << b or a = b }`.
    pub fn lex_le(space: &Space) -> Map {
        lex_order(space, true)
    }
}

/// Number of values of the columns after those of `over`, for each point of `over`.
pub(crate) fn cardinality<P: Parts>(parts: &P, over: &Space, b: &Budget) -> Result<Option<PwQPoly>> {
    let keep = over.n_cols();
    if keep == 0
        && parts.count() > 1
        && !parts.is_plain()
        && let Some(number) = distinct_points(parts, over, b)?
    {
        return Ok(Some(number));
    }
    let share = b.share(FORMULA_STEPS);
    match by_formula(parts, over, &share) {
        Err(Error::Spent) if share.size() == FORMULA_STEPS => {}
        other => return other,
    }
    match number_at_each(parts, over, b)? {
        Some(table) => Ok(Some(table)),
        None => by_formula(parts, over, b),
    }
}

/// Steps for a formula, after which few points are tried.
const FORMULA_STEPS: u64 = 10_000;

/// Points of a domain that are few enough to give a number each.
const MOST_VALUES: usize = 256;

/// As [`cardinality`], as quasi-polynomials.
fn by_formula<P: Parts>(parts: &P, over: &Space, b: &Budget) -> Result<Option<PwQPoly>> {
    let keep = over.n_cols();
    let disjoint = union::make_disjoint(parts, b)?;
    let list = union::compute_divs(&disjoint, b)?;
    let shared = Arc::new(over.clone());
    let mut out = Vec::new();
    for body in list.bodies() {
        match card::count(&body.to_big(), keep, b) {
            Ok(v) => out.extend(v.into_iter().map(|(s, p)| (Set::from_bodies(&shared, vec![s.into_body()]), p))),
            Err(Failed::Infinite) => return Ok(None),
            Err(Failed::ManyClasses) => unreachable!("many classes are counted without a split"),
            Err(Failed::Stop(e)) => return Err(e.settled()),
        }
    }
    PwQPoly::sum_of(over, out, b).map(Some)
}

/// The number of points of a small union with floors: each is tried, and counts once.
fn distinct_points<P: Parts>(parts: &P, over: &Space, b: &Budget) -> Result<Option<PwQPoly>> {
    Ok(tried_points(parts, b)?.map(|all| PwQPoly::number(over, all.len())))
}

/// All points of a union whose pieces lie in small boxes.
fn tried_points<P: Parts>(parts: &P, b: &Budget) -> Result<Option<FastSet<Vec<i64>>>> {
    let mut all: FastSet<Vec<i64>> = FastSet::default();
    for body in union::compute_divs(parts, b)?.bodies() {
        let mut keep = |x: &[i64]| {
            all.insert(x.to_vec());
        };
        if !enumerate::visit(&body.to_big(), card::FEW_POINTS, &mut keep, b).map_err(Stop::settled)? {
            return Ok(None);
        }
    }
    Ok(Some(all))
}

/// As [`cardinality`], a number for each of a few points of `over`.
fn number_at_each<P: Parts>(parts: &P, over: &Space, b: &Budget) -> Result<Option<PwQPoly>> {
    let keep = over.n_cols();
    let Some(all) = tried_points(parts, b)? else { return Ok(None) };
    let mut numbers: BTreeMap<&[i64], usize> = BTreeMap::new();
    for point in &all {
        *numbers.entry(&point[..keep]).or_default() += 1;
    }
    if numbers.len() > MOST_VALUES {
        return Ok(None);
    }
    let mut places: BTreeMap<usize, Vec<Body>> = BTreeMap::new();
    for (at, number) in numbers {
        places.entry(number).or_default().push(Body::of(lex::point(keep, 0, at)));
    }
    let shared = Arc::new(over.clone());
    let piece = |(number, points)| {
        let at: Set = Set::from_bodies(&shared, points);
        Ok((at.coalesce(b)?.into_owned(), Poly::constant(BigRational::from_integer(BigInt::from(number)))))
    };
    let pieces = places.into_iter().map(piece).collect::<Result<Vec<_>>>()?;
    Ok(Some(PwQPoly::from_pieces(over.clone(), pieces)))
}

fn lex_order(space: &Space, or_equal: bool) -> Map {
    let (np, n) = (space.n_param(), space.n_out());
    let known = KNOWN_ORDERS.get(np).and_then(|of| of.get(n));
    let pieces = known.map_or_else(|| order_pieces(np, n), |of| of.get_or_init(|| order_pieces(np, n)).clone());
    Map::from_bodies(&Arc::new(space.map_to_self()), pieces[..n + usize::from(or_equal)].to_vec())
}

/// The pieces of orders by the numbers of parameters and dims: they are asked for again and again.
static KNOWN_ORDERS: [[OnceLock<Arc<[Body]>>; 8]; 8] = [const { [const { OnceLock::new() }; 8] }; 8];

/// Pairs that are equal in the first `k` dims and in order in the next one, for each `k`; equal pairs last.
fn order_pieces(np: usize, n: usize) -> Arc<[Body]> {
    let w = np + 2 * n + 1;
    let row = |m: &mut Mat<i64>, d: usize| {
        let start = m.v.len();
        m.v.resize(start + w, 0);
        m.v[start + np + d] = -1;
        m.v[start + np + n + d] = 1;
    };
    let piece = |k: usize| {
        let mut s = Sys::universe(w - 1, 0);
        s.eq.v.reserve(k * w);
        (0..k).for_each(|d| row(&mut s.eq, d));
        if k < n {
            row(&mut s.ge, k);
            s.ge.v[w - 1] = -1;
        }
        Body::of(s)
    };
    (0..=n).map(piece).collect()
}

/// Parameters of both spaces: where the columns of a set over `own` go in a space over the union.
pub(crate) fn joint_params(a: &Space, b: &Space) -> Arc<[Arc<str>]> {
    union_params(&a.params, &b.params).0
}
