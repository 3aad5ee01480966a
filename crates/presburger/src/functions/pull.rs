//! Quasi-polynomials behind maps and at points.

use crate::budget::{Budget, Result};
use crate::functions::aff::Aff;
use crate::functions::qpoly::{Poly, PwQPoly};
use crate::sets::map::Map;
use crate::sets::set::{Set, joint_params};
use crate::sets::space::{Space, Tuple};
use crate::sets::union::Parts;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{ToPrimitive, Zero};
use std::sync::Arc;

impl PwQPoly {
    /// For each input of a map the sum of the function's values at its outputs. Exact; `None` where an input has
    /// infinitely many outputs at which the function may be other than zero. Errors: [`Error`](crate::Error). Cost: as
    /// that of [`PwQPoly::sum`], with the inputs as parameters.
    ///
    /// ```
    /// # use presburger::{Budget, Map, PwQPoly};
    /// let f = PwQPoly::parse("{ [j] -> j : j >= 0 }")?;
    /// let below = Map::parse("{ [i] -> [j] : 0 <= j < i }")?;
    /// let sums = f.sum_over_images(&below, &Budget::unlimited())?.expect("finitely many");
    /// assert_eq!(sums.eval(&[], &[5]), 10.into());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn sum_over_images(&self, m: &Map, b: &Budget) -> Result<Option<PwQPoly>> {
        let params = joint_params(self.space(), m.space());
        let (m, own) = (m.over_params(&params), self.over_params(&params));
        let (n_param, n_in) = (params.len(), m.space().n_in());
        // No text can name parameters like these.
        let inputs = (0..n_in).map(|k| Arc::from(format!("input {k}")));
        let all: Arc<[Arc<str>]> = params.iter().cloned().chain(inputs).collect();
        let over = Space { params: all.clone(), input: None, output: own.space().output.clone() };
        let columns: Vec<Option<usize>> = (0..over.n_cols()).map(Some).collect();
        let place: Vec<usize> = (0..n_param).chain(n_param + n_in..over.n_cols()).collect();
        let pieces = own.pieces().map(|(d, p)| {
            let pairs: Set = m.intersect_range(d).rebuilt(over.clone(), &columns);
            (pairs, p.renumbered(&place))
        });
        let Some(sums) = PwQPoly::from_pieces(over.clone(), pieces.collect()).sum(b)? else { return Ok(None) };
        let input = m.space().input.clone().unwrap_or_else(Tuple::absent);
        let space = Space { params, input: None, output: input };
        let columns: Vec<Option<usize>> = (0..space.n_cols()).map(Some).collect();
        let back = sums.pieces().map(|(d, p)| (d.rebuilt(space.clone(), &columns), p.clone())).collect();
        Ok(Some(PwQPoly::from_pieces(space, back)))
    }

    /// The exact value at a point, also where it is no integer.
    pub fn value(&self, params: &[i64], point: &[i64]) -> BigRational {
        let x: Vec<BigInt> = params.iter().chain(point).map(|v| BigInt::from(*v)).collect();
        let hit = self.pieces().find(|(d, _)| d.contains(params, point));
        hit.map_or_else(BigRational::zero, |(_, p)| p.eval(&x))
    }

    /// The same number at each element of a set, zero elsewhere.
    pub fn constant(domain: &Set, value: &BigRational) -> PwQPoly {
        let value = Poly::constant(value.clone());
        let pieces = if value.is_zero() { Vec::new() } else { vec![(domain.clone(), value)] };
        PwQPoly::from_pieces(domain.space().clone(), pieces)
    }

    /// `k` times the function.
    pub fn times(&self, k: &BigRational) -> PwQPoly {
        let pieces = self.pieces().map(|(d, p)| (d.clone(), p.scaled(k))).filter(|(_, p)| !p.is_zero());
        PwQPoly::from_pieces(self.space().clone(), pieces.collect())
    }

    /// A function that is the same at the elements of `context`, with simpler domains, and without floors whose
    /// remainder the context says. Errors: [`Error`](crate::Error). Cost: as that of [`Set::gist`], for each piece, and
    /// an inclusion test per floor.
    pub fn gist(&self, context: &Set, b: &Budget) -> Result<PwQPoly> {
        let own = self.over_params(&joint_params(self.space(), context.space()));
        let mut pieces = Vec::new();
        for (d, p) in own.pieces() {
            if !d.is_disjoint(context, b)? {
                let p = settled(p, &d.intersect(context), b)?;
                pieces.push((d.gist(context, b)?, p));
            }
        }
        Ok(PwQPoly::from_pieces(own.space().clone(), pieces))
    }
}

/// The polynomial on this domain, without floors whose numerators have one remainder there.
fn settled(p: &Poly, domain: &Set, b: &Budget) -> Result<Poly> {
    let mut point: Option<Vec<i64>> = None;
    p.without_floors(domain.space().n_cols(), |row, den| {
        let small: Option<Vec<i64>> = row.iter().map(ToPrimitive::to_i64).collect();
        let Some((row, den)) = small.zip(den.to_i64()) else { return Ok(None) };
        if point.is_none() {
            point = domain.sample(b)?;
        }
        let Some(point) = &point else { return Ok(None) };
        let (one, coefficients) = row.split_last().expect("a constant");
        let value =
            coefficients.iter().zip(point).fold(i128::from(*one), |v, (a, x)| v + i128::from(*a) * i128::from(*x));
        let Ok(remainder) = i64::try_from(value.rem_euclid(i128::from(den))) else { return Ok(None) };
        let form = Aff::from_row(domain.space(), &row).modulo(den);
        let same = form.eq_set(&Aff::constant(domain.space(), remainder));
        Ok(domain.is_subset(&same, b)?.then(|| BigInt::from(remainder)))
    })
}
