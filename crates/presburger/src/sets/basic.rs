//! Basic sets and maps: one conjunction of affine constraints with integer existentials.

use crate::budget::{Budget, Error, Result};
use crate::num::Int;
use crate::sets::map::Map;
use crate::sets::set::Set;
use crate::sets::space::{Kind, Space, Tuple};
use crate::sets::union::Pieces;
use crate::system::body::{Body, exact};
use crate::system::{divs, elim, solve};
use crate::unions::hull;
use std::sync::Arc;

/// Space and rows shared by basic sets and basic maps.
#[derive(Clone, Debug)]
pub(crate) struct Basic {
    pub space: Arc<Space>,
    pub body: Body,
}

impl Basic {
    pub fn new(space: &Arc<Space>, body: Body) -> Basic {
        debug_assert_eq!(space.n_cols(), body.n());
        Basic { space: space.clone(), body }
    }

    pub fn rows_i64(&self) -> Result<Vec<(Kind, Vec<i64>)>> {
        let s = self.body.small().ok_or(Error::Overflow)?;
        let eq = s.eq.rows().map(|r| (Kind::Eq, r.to_vec()));
        Ok(eq.chain(s.ge.rows().map(|r| (Kind::Ge, r.to_vec()))).collect())
    }

    pub fn div_defs(&self) -> Vec<Option<Div>> {
        match &self.body {
            Body::Small(s) => {
                divs::definitions(s).into_iter().map(|d| d.map(|d| Div { num: d.num, den: d.den })).collect()
            }
            Body::Big(s) => divs::definitions(s).into_iter().map(|d| d.and_then(narrow_div)).collect(),
        }
    }

    pub fn is_empty(&self, bud: &Budget) -> Result<bool> {
        exact!(s = [&self.body]; solve::is_empty(s[0], bud))
    }

    pub fn simplify(&self, bud: &Budget) -> Result<Basic> {
        let body = exact!(s = [&self.body]; elim::simplify(s[0], bud))?;
        Ok(Basic::new(&self.space, body.unwrap_or_else(|| Body::contradiction(self.space.n_cols()))))
    }
}

fn narrow_div<T: Int>(d: divs::Floor<T>) -> Option<Div> {
    Some(Div { num: d.num.iter().map(Int::to_i64).collect::<Option<_>>()?, den: d.den.to_i64()? })
}

/// Definition of a floor: `floor((num . [params|dims|earlier divs|1]) / den)`, den > 0.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Div {
    /// Numerator row.
    pub num: Vec<i64>,
    /// Denominator, positive.
    pub den: i64,
}

/// One conjunction over a set space. Existentials are integers; `n_exists` columns before the constant.
/// Equality and hash are those of the rows in any order, not of the points.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BasicSet(pub(crate) Basic);

/// One conjunction over a map space; as [`BasicSet`], with input columns before output columns.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BasicMap(pub(crate) Basic);

macro_rules! shared_methods {
    ($t:ident) => {
        impl $t {
            /// All points of the space.
            pub fn universe(space: Space) -> $t {
                let n = space.n_cols();
                $t(Basic { space: Arc::new(space), body: Body::universe(n) })
            }

            /// The space its rows are over.
            pub fn space(&self) -> &Space {
                &self.0.space
            }

            /// Number of existential columns.
            pub fn n_exists(&self) -> usize {
                self.0.body.n_exists()
            }

            /// Adds a row over the visible columns and the constant (no existentials): `[params | dims | 1]`.
            pub fn add(&mut self, kind: Kind, row: &[i64]) {
                self.0.body.add(kind, row);
            }

            /// Adds a fresh existential column (before the constant); returns its index among the existentials.
            pub fn add_exists(&mut self) -> usize {
                self.0.body.add_exists()
            }

            /// Adds a row over `[params | dims | existentials | 1]`.
            pub fn add_full(&mut self, kind: Kind, row: &[i64]) {
                self.0.body.add(kind, row);
            }

            /// All rows with full width, equalities first. Errors: [`Error`] if a coefficient does not fit `i64`.
            pub fn rows_i64(&self) -> Result<Vec<(Kind, Vec<i64>)>> {
                self.0.rows_i64()
            }

            /// Explicit floor form of each existential, `None` where there is none (or where it does not fit `i64`).
            /// Div rows: `[params | dims | earlier existentials | 1]`.
            pub fn div_defs(&self) -> Vec<Option<Div>> {
                self.0.div_defs()
            }

            /// True iff there is no integer point, for any parameter values. Exact.
            /// Cost: one feasibility test. Errors: [`Error`](crate::Error).
            pub fn is_empty(&self, budget: &Budget) -> Result<bool> {
                self.0.is_empty(budget)
            }

            /// The same points: redundant rows removed, implicit equalities found, rows divided by their content,
            /// existentials removed where that is exact. A set without rational points becomes a single contradictory
            /// row.
            /// Cost: a linear program per row. Errors: [`Error`](crate::Error).
            pub fn simplify(&self, budget: &Budget) -> Result<$t> {
                self.0.simplify(budget).map($t)
            }
        }
    };
}
shared_methods!(BasicSet);
shared_methods!(BasicMap);

impl BasicSet {
    /// Rational projection bounds for loop generation: eliminates existentials and dims `> level` (exact where
    /// possible, never too small otherwise) and drops redundant rows; result rows over `[params | dims 0..=level | 1]`.
    /// Cost: a rational elimination, and a linear program per row left. Errors: [`Error`](crate::Error).
    pub fn loop_bounds(&self, level: usize, budget: &Budget) -> Result<Vec<(Kind, Vec<i64>)>> {
        let keep = self.0.space.n_param() + level + 1;
        let body = exact!(s = [&self.0.body]; elim::rational_bounds(s[0], keep, budget))?;
        let body = body.unwrap_or_else(|| Body::contradiction(keep));
        let s = body.small().ok_or(Error::Overflow)?;
        let eq = s.eq.rows().map(|r| (Kind::Eq, r.to_vec()));
        Ok(eq.chain(s.ge.rows().map(|r| (Kind::Ge, r.to_vec()))).collect())
    }

    /// True iff there is no rational point (existentials rational too). False may still mean that no integer point
    /// exists. The simplex method takes few steps on almost everything, and exponentially many at worst. Errors:
    /// [`Error`].
    /// Exact over the rationals.
    pub fn is_empty_rational(&self, budget: &Budget) -> Result<bool> {
        budget.spend(1)?;
        exact!(s = [&self.0.body]; crate::program::simplex::Tab::new(s[0], budget).map(|t| t.is_empty()))
    }

    /// Conjunction of both.
    pub fn intersect(&self, o: &BasicSet) -> BasicSet {
        let s = self.to_set().intersect(&o.to_set());
        let n = s.space().n_cols();
        let empty = || BasicSet(Basic { space: s.shared_space().clone(), body: Body::contradiction(n) });
        s.basics().first().cloned().unwrap_or_else(empty)
    }

    /// The set with this one piece, which it takes.
    pub fn into_set(self) -> Set {
        let plain = self.n_exists() == 0;
        Set { basics: Pieces::One(self), plain }
    }

    /// The set with this one piece.
    pub fn to_set(&self) -> Set {
        self.clone().into_set()
    }

    /// Farkas' dual: rows over `[params | dims | c0]` that hold for exactly those coefficient vectors `(c, c0)` for
    /// which `c . (params, dims) + c0 >= 0` on every rational point of the set, which must have one (else there are no
    /// rows). The set's rows are tightened to integers first, so forms that are negative between integer points only
    /// may be included. Every row is homogeneous: there is no constant entry. Errors: [`Error`]. Cost: a rational
    /// elimination of a multiplier per row of the set.
    pub fn dual_rows(&self, budget: &Budget) -> Result<Vec<(Kind, Vec<i64>)>> {
        let body = exact!(s = [&self.0.body]; crate::system::farkas::dual(s[0], budget))?;
        let s = body.small().ok_or(Error::Overflow)?;
        let cut = |r: &[i64]| r[..s.n].to_vec();
        let eq = s.eq.rows().map(|r| (Kind::Eq, cut(r)));
        Ok(eq.chain(s.ge.rows().map(|r| (Kind::Ge, cut(r)))).collect())
    }

    /// The smallest affine subspace (equalities only, no existentials) that holds every integer point. Exact.
    /// Cost: at most two feasibility tests per dim found not to be fixed, and two per equality. Errors:
    /// [`Error`](crate::Error).
    pub fn affine_hull(&self, budget: &Budget) -> Result<BasicSet> {
        let body = exact!(s = [&self.0.body]; hull::affine_hull(s, budget))?;
        Ok(BasicSet(Basic::new(&self.0.space, body)))
    }
}

impl BasicMap {
    /// The map with this one piece, which it takes.
    pub fn into_map(self) -> Map {
        let plain = self.n_exists() == 0;
        Map { basics: Pieces::One(self), plain }
    }

    /// The map with this one piece.
    pub fn to_map(&self) -> Map {
        self.clone().into_map()
    }

    /// The set of pairs `[in -> out]`, dims side by side.
    pub fn wrap(&self) -> BasicSet {
        BasicSet(Basic { space: Arc::new(wrapped(&self.0.space)), body: self.0.body.clone() })
    }
}

/// Set space of the pairs `[in -> out]` of a map space.
pub(crate) fn wrapped(space: &Space) -> Space {
    let input = space.input.clone().unwrap_or_else(|| Tuple::new("", 0));
    Space { params: space.params.clone(), input: None, output: Tuple::pair(&input, &space.output) }
}
