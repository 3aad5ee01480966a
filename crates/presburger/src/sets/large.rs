//! Rows and points with numbers of any size.

use crate::budget::{Budget, Error, Result};
use crate::sets::basic::{Basic, BasicMap, BasicSet};
use crate::sets::map::Map;
use crate::sets::set::Set;
use crate::sets::space::{Kind, Space};
use crate::sets::union::Parts;
use crate::system::body::{Body, IntoBody, exact};
use crate::system::divs;
use crate::system::solve;
use crate::unions::{lex, points};
use num_bigint::BigInt;
use std::sync::Arc;

impl Basic {
    fn rows_big(&self) -> Vec<(Kind, Vec<BigInt>)> {
        let s = self.body.to_big();
        let eq = s.eq.rows().map(|r| (Kind::Eq, r.to_vec()));
        eq.chain(s.ge.rows().map(|r| (Kind::Ge, r.to_vec()))).collect()
    }

    fn floors_big(&self) -> Vec<Option<(Vec<BigInt>, BigInt)>> {
        divs::definitions(&self.body.to_big()).into_iter().map(|d| d.map(|d| (d.num, d.den))).collect()
    }
}

macro_rules! basic_methods {
    ($t:ident) => {
        impl $t {
            /// As [`rows_i64`](Self::rows_i64), whatever the size of the coefficients.
            pub fn rows_big(&self) -> Vec<(Kind, Vec<BigInt>)> {
                self.0.rows_big()
            }

            /// As [`div_defs`](Self::div_defs), whatever the size of the coefficients: numerator and denominator.
            pub fn floors_big(&self) -> Vec<Option<(Vec<BigInt>, BigInt)>> {
                self.0.floors_big()
            }

            /// Adds a row `[params | dims | 1]` or `[params | dims | existentials | 1]` with numbers of any size.
            pub fn add_big(&mut self, kind: Kind, row: &[BigInt]) {
                self.0.body.add_big(kind, row);
            }
        }
    };
}
basic_methods!(BasicSet);
basic_methods!(BasicMap);

fn add<A: Parts>(a: &A, kind: Kind, row: &[BigInt]) -> A {
    let with = |body: &Body| {
        let mut body = body.clone();
        body.add_big(kind, row);
        body.tidy().then_some(body)
    };
    A::from_bodies(a.shared(), a.bodies().filter_map(with).collect())
}

impl Map {
    /// As [`Map::add`], with numbers of any size.
    #[must_use]
    pub fn add_big(&self, kind: Kind, row: &[BigInt]) -> Map {
        add(self, kind, row)
    }
}

impl Set {
    /// As [`Set::add`], with numbers of any size.
    ///
    /// ```
    /// # use presburger::{BigInt, Budget, Error, Kind, Set};
    /// let b = Budget::unlimited();
    /// let far = BigInt::from(10).pow(30);
    /// let set = Set::parse("{ [i] }")?.add_big(Kind::Eq, &[BigInt::from(-1), far.clone()]);
    /// assert_eq!(set.sample_big(&b)?, Some(vec![far]));
    /// assert_eq!(set.sample(&b), Err(Error::Overflow));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn add_big(&self, kind: Kind, row: &[BigInt]) -> Set {
        add(self, kind, row)
    }

    /// As [`Set::sample`], with coordinates of any size. Errors: [`Error`](crate::Error).
    /// Exact. Cost: one feasibility test per piece, up to the first that has a point.
    pub fn sample_big(&self, b: &Budget) -> Result<Option<Vec<BigInt>>> {
        for body in self.bodies() {
            let found: Option<Vec<BigInt>> = exact!(s = [body]; solve::sample(s[0], b))?;
            if let Some(mut x) = found {
                x.truncate(self.space().n_cols());
                return Ok(Some(x));
            }
        }
        Ok(None)
    }

    /// As [`Set::points`], with coordinates of any size.
    pub fn points_big(&self, limit: usize) -> Result<Vec<Vec<BigInt>>> {
        let bud = Budget::steps(points::STEPS);
        match exact!(x = self.bodies(); points::points(x, limit, &bud)) {
            Err(Error::Spent) => {
                let list = self.points_in_turn(limit)?;
                Ok(list.into_iter().map(|p| p.into_iter().map(BigInt::from).collect()).collect())
            }
            list => list,
        }
    }

    /// The set of one point `[params | dims]`.
    #[must_use]
    pub fn of_point(space: Space, point: &[BigInt]) -> Set {
        assert!(space.n_cols() == point.len(), "a point of another space");
        Set::from_bodies(&Arc::new(space), vec![lex::point(point.len(), 0, point).into_body()])
    }
}
