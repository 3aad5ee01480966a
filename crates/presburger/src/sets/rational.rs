//! Unions of convex sets of rational points: what isl writes as `{ rat: S[i] : 2i = 1 }`.

use crate::budget::{Budget, Error, Result};
use crate::num::{Int, Res, Stop};
use crate::sets::dual::{coefficients_of, solutions_of};
use crate::sets::map::Map;
use crate::sets::set::Set;
use crate::sets::space::{Space, Tuple, union_params};
use crate::sets::union::Parts;
use crate::sets::union_sets::{UnionMap, UnionSet};
use crate::system::body::IntoBody;
use crate::system::rational;
use crate::system::sys::Sys;
use crate::text::parse::{self, ParseError};
use crate::text::print::{column_names, linear, tuple_text};
use num_bigint::BigInt;
use num_rational::BigRational;
use std::cmp::Ordering;
use std::fmt::{self, Display, Formatter};
use std::ops::Range;
use std::sync::Arc;

/// One convex set: not empty, its rows in their shortest form.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Piece {
    space: Space,
    rows: Sys<BigInt>,
}

/// A union of closed convex sets of rational points in one or several spaces, all of sets or all of maps. Parameters,
/// dims and existentials are rational; a strict comparison in a text is that of integers, `i < 3` being `i <= 2`, as
/// isl reads it. There is no difference: edges would be open. Equality and hash are those of the pieces in any order,
/// not of the points: [`RationalSet::is_equal`] compares those.
///
/// ```
/// use presburger::{Budget, RationalSet};
/// let b = Budget::unlimited();
/// let half = RationalSet::parse("{ rat: [i] : 2i = 1 }").unwrap();
/// let unit = RationalSet::parse("{ rat: [i] : 0 <= i <= 1 }").unwrap();
/// assert!(half.is_subset(&unit, &b).unwrap());
/// assert!(half.integer_set().is_empty(&b).unwrap());
/// ```
#[derive(Clone, Debug)]
pub struct RationalSet {
    pub(crate) params: Space,
    pub(crate) pieces: Vec<Piece>,
}

/// Steps that reading may take to simplify each conjunction.
const READ_STEPS: u64 = 10_000_000;

impl Piece {
    /// The same over `params`, which has all of the piece's own.
    fn over(&self, params: &Space) -> Piece {
        let (_, mut columns) = union_params(&params.params, &self.space.params);
        columns.extend((self.space.n_param()..=self.rows.cols()).map(Some));
        let rows =
            Sys { n: columns.len() - 1, e: 0, eq: self.rows.eq.remap(&columns), ge: self.rows.ge.remap(&columns) };
        Piece { space: self.space.with_params(&params.params), rows }
    }

    /// One piece with exactly the points of both, if the rows that hold on both give one.
    fn joined(&self, o: &Piece, b: &Budget) -> Res<Option<Piece>> {
        if self.space != o.space {
            return Ok(None);
        }
        let hull = rational::shared(&self.rows, &o.rows, b)?;
        let covered = rational::covered(&hull, &[], &[&self.rows, &o.rows], b)?;
        let rows = if covered { rational::shortest(hull, b)? } else { None };
        Ok(rows.map(|rows| Piece { space: self.space.clone(), rows }))
    }
}

impl RationalSet {
    /// Reads isl's notation with `rat:` in front of each part; the parts may be of different spaces, sets or maps.
    pub fn parse(text: &str) -> std::result::Result<RationalSet, ParseError> {
        let (params, parts) = parse::rational(text)?;
        let mut pieces = Vec::new();
        for (space, list) in parts {
            for rows in list {
                let short = rational::projected(&rows, 0..space.n_cols(), &Budget::steps(READ_STEPS));
                let large = |_| ParseError { line: 1, column: 1, message: "a condition is too large".to_string() };
                pieces.extend(short.map_err(large)?.map(|rows| Piece { space: space.clone(), rows }));
            }
        }
        Ok(RationalSet { params, pieces })
    }

    /// Whether there is no point. Cost: none.
    pub fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// Whether it has points that are pairs.
    pub fn is_map(&self) -> bool {
        self.pieces.iter().any(|p| p.space.is_map())
    }

    /// Both over the parameters of both.
    fn aligned(&self, o: &RationalSet) -> (RationalSet, RationalSet) {
        let (names, _) = union_params(&self.params.params, &o.params.params);
        let params = self.params.with_params(&names);
        let over = |x: &RationalSet| RationalSet {
            params: params.clone(),
            pieces: x.pieces.iter().map(|p| p.over(&params)).collect(),
        };
        (over(self), over(o))
    }

    /// The points of both, two sets or two maps.
    #[must_use]
    pub fn union(&self, o: &RationalSet) -> RationalSet {
        let (mut all, rest) = self.aligned(o);
        all.pieces.extend(rest.pieces);
        all
    }

    /// The points that both have; a set without a tuple restricts the parameters.
    /// Cost: linear programs, one per row of each pair of pieces. Errors: [`Error::Spent`].
    pub fn intersect(&self, o: &RationalSet, b: &Budget) -> Result<RationalSet> {
        let (x, y) = self.aligned(o);
        let mut pieces = Vec::new();
        for p in &x.pieces {
            for q in &y.pieces {
                let (p, q) = if p.space.is_params() { (q, p) } else { (p, q) };
                if !q.space.is_params() && !p.space.same_tuples(&q.space) {
                    continue;
                }
                let n = p.space.n_cols();
                let columns: Vec<usize> = (0..q.space.n_cols()).collect();
                let all: Vec<usize> = (0..n).collect();
                let both = Sys::join(n, 0, &[(&p.rows, &all), (&q.rows, &columns)]);
                let short = rational::shortest(both, b).map_err(Stop::settled)?;
                pieces.extend(short.map(|rows| Piece { space: p.space.clone(), rows }));
            }
        }
        Ok(RationalSet { params: x.params, pieces })
    }

    /// Whether each point is one of `o`. Cost: linear programs, exponential in the number of pieces of `o` at worst.
    /// Errors: [`Error::Spent`].
    pub fn is_subset(&self, o: &RationalSet, b: &Budget) -> Result<bool> {
        let (x, y) = self.aligned(o);
        for p in &x.pieces {
            let list: Vec<&Sys<BigInt>> =
                y.pieces.iter().filter(|q| q.space.same_tuples(&p.space)).map(|q| &q.rows).collect();
            if !rational::covered(&p.rows, &[], &list, b).map_err(Stop::settled)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether both have the same points. Cost, errors: as [`RationalSet::is_subset`].
    pub fn is_equal(&self, o: &RationalSet, b: &Budget) -> Result<bool> {
        Ok(self.is_subset(o, b)? && o.is_subset(self, b)?)
    }

    /// The same points without pieces that others hold, and with one piece for two that are convex together. Cost,
    /// errors: as [`RationalSet::is_subset`].
    pub fn coalesce(&self, b: &Budget) -> Result<RationalSet> {
        let mut out = self.clone();
        let mut k = 0;
        while k < out.pieces.len() {
            let one = RationalSet { params: out.params.clone(), pieces: vec![out.pieces.remove(k)] };
            if !one.is_subset(&out, b)? {
                out.pieces.splice(k..k, one.pieces);
                k += 1;
            }
        }
        let mut k = 1;
        while k < out.pieces.len() {
            let joined =
                (0..k).find_map(|o| out.pieces[o].joined(&out.pieces[k], b).map(|j| Some((o, j?))).transpose());
            match joined.transpose().map_err(Stop::settled)? {
                // It may join what it did not join before.
                Some((o, whole)) => {
                    out.pieces.remove(k);
                    out.pieces[o] = whole;
                    k = 1;
                }
                None => k += 1,
            }
        }
        Ok(out)
    }

    /// The pieces' projections on the columns that `range` gives of a space, of which `to` makes the new one.
    fn project(
        &self,
        range: impl Fn(&Space) -> Range<usize>,
        to: impl Fn(&Space) -> Space,
        b: &Budget,
    ) -> Result<Self> {
        let mut pieces = Vec::new();
        for p in &self.pieces {
            let (np, keep) = (p.space.n_param(), range(&p.space));
            // The kept dims come right behind the parameters.
            let order: Vec<Option<usize>> =
                (0..np).chain(keep.clone()).chain((np..p.rows.n).filter(|c| !keep.contains(c))).map(Some).collect();
            let rows = p.rows.remap(&order, &[]);
            let short = rational::projected(&rows, 0..np + keep.len(), b).map_err(Stop::settled)?;
            pieces.extend(short.map(|rows| Piece { space: to(&p.space), rows }));
        }
        Ok(RationalSet { params: self.params.clone(), pieces })
    }

    /// The left elements of pairs. Cost: a rational elimination per dim. Errors: [`Error::Spent`].
    pub fn domain(&self, b: &Budget) -> Result<RationalSet> {
        self.project(|s| s.n_param()..s.n_param() + s.n_in(), Space::domain, b)
    }

    /// The right elements of pairs. Cost, errors: as [`RationalSet::domain`].
    pub fn range(&self, b: &Budget) -> Result<RationalSet> {
        self.project(|s| s.n_param() + s.n_in()..s.n_cols(), Space::range, b)
    }

    /// The parameters for which there is a point. Cost, errors: as [`RationalSet::domain`].
    pub fn params(&self, b: &Budget) -> Result<RationalSet> {
        self.project(|s| s.n_param()..s.n_param(), params_of, b)
    }

    /// Pairs the other way round.
    #[must_use]
    pub fn reverse(&self) -> RationalSet {
        let turned = |p: &Piece| {
            let (np, middle, n) = (p.space.n_param(), p.space.n_param() + p.space.n_in(), p.rows.n);
            let order: Vec<Option<usize>> = (0..np).chain(middle..n).chain(np..middle).map(Some).collect();
            Piece { space: p.space.reverse(), rows: p.rows.remap(&order, &[]) }
        };
        RationalSet { params: self.params.clone(), pieces: self.pieces.iter().map(turned).collect() }
    }

    /// Of each tuple the lexicographically largest point, or the smallest. `None`: there are parameters or pairs, for
    /// which this is not known. Cost: two linear programs per dim and piece.
    /// Errors: [`Error::Unbounded`], [`Error::Spent`].
    pub fn optimum(&self, largest: bool, b: &Budget) -> Result<Option<RationalSet>> {
        if self.params.n_param() > 0 || self.is_map() {
            return Ok(None);
        }
        let mut best: Vec<(Space, Vec<BigRational>)> = Vec::new();
        for p in &self.pieces {
            let found = rational::optimum(&p.rows, 0, largest, b).map_err(Stop::settled)?;
            let at = found.ok_or(Error::Unbounded)?;
            match best.iter_mut().find(|(s, _)| s.same_tuples(&p.space)) {
                Some((_, old)) => {
                    let better = if largest { Ordering::Greater } else { Ordering::Less };
                    *old = if at.cmp(old) == better { at } else { std::mem::take(old) };
                }
                None => best.push((p.space.clone(), at)),
            }
        }
        let pieces = best.into_iter().map(|(space, at)| Piece { space, rows: at_point(&at) }).collect();
        Ok(Some(RationalSet { params: self.params.clone(), pieces }))
    }

    /// The coefficients of all affine forms that are not negative on the points of each tuple, as
    /// [`Set::coefficients`] has them, but rational. `None`: there are pairs.
    /// Cost: a rational elimination of a multiplier per row of each piece. Errors: [`Error::Spent`].
    pub fn coefficients(&self, b: &Budget) -> Result<Option<RationalSet>> {
        let space = |s: &Space| Some(coefficients_of(s));
        self.duals(space, |rows| Ok(rational::dual(rows, b)?.unwrap_or_else(|| Sys::contradiction(rows.n + 1))), b)
    }

    /// The points at which each form of sets of coefficients is not negative; `None` for other sets.
    /// Cost, errors: as [`RationalSet::coefficients`].
    pub fn solutions(&self, b: &Budget) -> Result<Option<RationalSet>> {
        let points = |rows: &Sys<BigInt>| {
            let mut all = rational::dual(rows, b)?.unwrap_or_else(|| Sys::contradiction(rows.n + 1));
            // The forms' own coefficients, the first of which is that of 1, are the points.
            let order: Vec<usize> = (2..=rows.n).chain([1]).collect();
            let columns: Vec<Option<usize>> = order.into_iter().map(Some).collect();
            all = Sys { n: rows.n - 1, e: 0, eq: all.eq.remap(&columns), ge: all.ge.remap(&columns) };
            Ok(all)
        };
        self.duals(solutions_of, points, b)
    }

    /// Of each tuple what all of its pieces have in common once `rows` has been made of each, in another space.
    fn duals(
        &self,
        space: impl Fn(&Space) -> Option<Space>,
        rows: impl Fn(&Sys<BigInt>) -> Res<Sys<BigInt>>,
        b: &Budget,
    ) -> Result<Option<RationalSet>> {
        let mut all: Vec<(Space, Sys<BigInt>)> = Vec::new();
        for p in &self.pieces {
            let Some(space) = Some(&p.space).filter(|s| !s.is_map()).and_then(&space) else { return Ok(None) };
            let own = rows(&p.rows).map_err(Stop::settled)?;
            match all.iter_mut().find(|(s, _)| *s == space) {
                Some((_, known)) => *known = known.meet(&own),
                None => all.push((space, own)),
            }
        }
        let params = all.first().map_or_else(|| self.params.clone(), |(s, _)| params_of(s));
        let mut pieces = Vec::new();
        for (space, rows) in all {
            let short = rational::shortest(rows, b).map_err(Stop::settled)?;
            pieces.extend(short.map(|rows| Piece { space, rows }));
        }
        Ok(Some(RationalSet { params, pieces }))
    }

    /// One point, if there is one. Cost: a linear program. Errors: [`Error::Spent`].
    pub fn sample(&self, b: &Budget) -> Result<RationalSet> {
        let first = |p: &Piece| -> Res<Piece> {
            Ok(Piece { space: p.space.clone(), rows: at_point(&rational::point(&p.rows, b)?) })
        };
        let pieces = self.pieces.first().map(first).transpose().map_err(Stop::settled)?;
        Ok(RationalSet { params: self.params.clone(), pieces: pieces.into_iter().collect() })
    }

    /// Its integer points that are no pairs.
    pub fn integer_set(&self) -> UnionSet {
        let mut out = UnionSet::empty(&[]);
        for p in self.pieces.iter().filter(|p| !p.space.is_map()) {
            out.add(Set::from_bodies(&Arc::new(p.space.clone()), p.integers()));
        }
        out
    }

    /// Its pairs of integers.
    pub fn integer_map(&self) -> UnionMap {
        let mut out = UnionMap::empty(&[]);
        for p in self.pieces.iter().filter(|p| p.space.is_map()) {
            out.add(Map::from_bodies(&Arc::new(p.space.clone()), p.integers()));
        }
        out
    }
}

impl Piece {
    fn integers(&self) -> Vec<crate::system::body::Body> {
        let mut rows = self.rows.clone();
        if rows.tidy() { vec![rows.into_body()] } else { Vec::new() }
    }

    fn text(&self) -> String {
        let (space, names) = (&self.space, column_names(&self.space));
        let (np, middle) = (space.n_param(), space.n_param() + space.n_in());
        let mut tuples = Vec::new();
        tuples.extend(space.input.as_ref().map(|t| tuple_text(t, np, &names, &[])));
        if space.is_map() || !space.output.absent {
            tuples.push(tuple_text(&space.output, middle, &names, &[]));
        }
        let sides = |row: &[BigInt], relation: &str| {
            let of = |sign: i32| -> Vec<BigInt> {
                row.iter().map(|x| if x.sgn() == sign { x * sign } else { BigInt::of(0) }).collect()
            };
            let (more, less) = (linear(&of(1), &names), linear(&of(-1), &names));
            match relation {
                // Columns come first.
                ">=" if row[..self.rows.n].iter().all(|x| !Int::is_pos(x)) => format!("{less} <= {more}"),
                _ => format!("{more} {relation} {less}"),
            }
        };
        let equal = self.rows.eq.rows().map(|r| sides(r, "="));
        let rows: Vec<String> = equal.chain(self.rows.ge.rows().map(|r| sides(r, ">="))).collect();
        let tuples = tuples.join(" -> ");
        match (tuples.is_empty(), rows.is_empty()) {
            (true, _) => format!("rat: : {}", rows.join(" and ")).trim_end().to_string(),
            (false, true) => format!("rat: {tuples}"),
            (false, false) => format!("rat: {tuples} : {}", rows.join(" and ")),
        }
    }
}

/// The space's parameters alone.
fn params_of(s: &Space) -> Space {
    Space { input: None, output: Tuple::absent(), ..s.clone() }
}

/// The rows of one point.
fn at_point(at: &[BigRational]) -> Sys<BigInt> {
    let n = at.len();
    let mut s = Sys::universe(n, 0);
    for (c, x) in at.iter().enumerate() {
        let mut row = vec![BigInt::of(0); n + 1];
        (row[c], row[n]) = (x.denom().clone(), -x.numer());
        s.eq.push(&row);
    }
    s
}

impl Display for RationalSet {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if self.params.n_param() > 0 {
            write!(f, "[{}] -> ", self.params.params.join(", "))?;
        }
        write!(f, "{{ {} }}", self.pieces.iter().map(Piece::text).collect::<Vec<_>>().join("; "))
    }
}
