//! The largest and the smallest value of a piecewise function for each value of the parameters, where the function is
//! affine, with floors or without: an integer optimum, by parametric programming on its graph.

use crate::budget::{Budget, Error, Result};
use crate::functions::aff::Aff;
use crate::functions::pw_multi::PwMultiAff;
use crate::functions::qpoly::{Poly, PwQPoly};
use crate::sets::map::Map;
use crate::sets::set::Set;
use crate::sets::space::{Space, Tuple};
use crate::sets::union::Parts;
use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, ToPrimitive};

impl PwQPoly {
    /// The largest value, or the smallest, of any of the functions at the elements of their domains, as a function of
    /// the parameters, defined where there is an element. `None` where a function is no affine form of its arguments,
    /// of the parameters and of floors of such forms, or the optimum has floors of floors.
    /// Exact. Cost: as that of [`Set::lexmax`]. Errors: [`Error`], [`Error::Unbounded`] where there is no optimum.
    ///
    /// ```
    /// # use presburger::{Budget, PwQPoly};
    /// let f = PwQPoly::parse("[N] -> { [i] -> 1/2 * i + N : 0 <= 3i <= N }")?;
    /// let most = PwQPoly::bound(&[f], true, &Budget::unlimited())?.expect("affine");
    /// assert_eq!(most.eval(&[7], &[]).to_string(), "8");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn bound(functions: &[PwQPoly], largest: bool, b: &Budget) -> Result<Option<PwQPoly>> {
        let pieces = functions.iter().flat_map(|f| f.pieces().map(|(d, p)| (d, p.as_quasi_affine(f.space().n_cols()))));
        let Some(pieces) = pieces.map(|(d, row)| Some((d, row?))).collect::<Option<Vec<_>>>() else { return Ok(None) };
        let den = pieces.iter().fold(BigInt::one(), |l, (_, (.., den))| l.lcm(den));
        let mut values = Set::empty(Space { input: None, output: Tuple::new("", 1), ..Space::params_only(&[]) });
        for (domain, (row, floors, own)) in pieces {
            let small = |row: &[BigInt], times: &BigInt| -> Result<Vec<i64>> {
                row.iter().map(|v| (v * times).to_i64().ok_or(Error::Overflow)).collect()
            };
            let times = &den / &own;
            let mut value = Aff::from_row(domain.space(), &small(&row, &times)?);
            for (inner, by, coefficient) in &floors {
                let inner = Aff::from_row(domain.space(), &small(inner, &BigInt::one())?);
                let by = by.to_i64().ok_or(Error::Overflow)?;
                let coefficient = (coefficient * &times).to_i64().ok_or(Error::Overflow)?;
                value = value.add(&inner.floor_div(by).scale(coefficient));
            }
            values = values.union(&Map::from_affs(&[value], "").intersect_domain(domain).range(b)?);
        }
        let best = if largest { values.lexmax(b)? } else { values.lexmin(b)? };
        let best = PwMultiAff::from_map(&of_nothing(&best), b)?;
        let mut list = Vec::new();
        for (domain, value) in best.pieces() {
            let Some(value) = polynomial(&value[0]) else { return Ok(None) };
            list.push((domain.params(b)?, value.scaled(&BigRational::new(BigInt::one(), den.clone()))));
        }
        let params = Space { params: best.space().params.clone(), input: None, output: Tuple::absent() };
        PwQPoly::sum_of(&params, list, b).map(Some)
    }
}

/// `{ [] -> y : y in s }`.
fn of_nothing(s: &Set) -> Map {
    let space = Space { input: Some(Tuple::new("", 0)), ..s.space().clone() };
    let columns: Vec<_> = (0..space.n_cols()).map(Some).collect();
    s.rebuilt(space, &columns)
}

/// The function as a polynomial with floors; `None`: one floor is inside another.
fn polynomial(f: &Aff) -> Option<Poly> {
    let n = f.space().n_cols();
    let wide = |row: &[i64]| {
        let columns = row[..n].iter().chain(row.last());
        columns.map(|v| BigInt::from(*v)).collect::<Vec<_>>()
    };
    let mut sum = Poly::affine(&wide(f.row()), &BigInt::one());
    for (div, times) in f.divs().iter().zip(&f.row()[n..]) {
        if div.num[n..div.num.len() - 1].iter().any(|v| *v != 0) {
            return None;
        }
        let floor = Poly::floor(&wide(&div.num), &BigInt::from(div.den));
        sum = sum.add(&floor.scaled(&BigRational::from_integer(BigInt::from(*times))));
    }
    Some(sum)
}
