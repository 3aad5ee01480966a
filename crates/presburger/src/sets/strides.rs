//! Equalities, strides and loop bounds of sets.

use crate::budget::{Budget, Error, Result};
use crate::functions::aff::Aff;
use crate::num::{Int, Res};
use crate::sets::basic::{Basic, BasicMap, BasicSet};
use crate::sets::map::Map;
use crate::sets::set::Set;
use crate::sets::space::{Kind, Space};
use crate::sets::union::Parts;
use crate::system::body::{Body, Unify, exact};
use crate::unions::lattice::{self, Lattice};
use num_bigint::BigInt;

/// What the values of a dim have in common, given the parameters and the dims before it: `dim = offset + step * k` for
/// integers `k`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stride {
    /// Not negative; 0 if the value is always `offset`, 1 if nothing is known.
    pub step: i64,
    /// A function of the parameters and the dims before, in the set's space.
    pub offset: Aff,
}

/// Rows that bound the loops over the dims of a set, outermost first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoopNest {
    /// Conditions on the parameters: rows over `[params | 1]`.
    pub guard: Vec<(Kind, Vec<i64>)>,
    /// For each dim `d` its bounds: rows over `[params | dims 0..=d | 1]`, each with a non-zero coefficient of dim `d`.
    /// Rows that follow from those of outer loops are not repeated.
    pub levels: Vec<Vec<(Kind, Vec<i64>)>>,
}

fn rows(body: &Body) -> Result<Vec<(Kind, Vec<i64>)>> {
    let s = body.small().ok_or(Error::Overflow)?;
    let eq = s.eq.rows().map(|r| (Kind::Eq, r.to_vec()));
    Ok(eq.chain(s.ge.rows().map(|r| (Kind::Ge, r.to_vec()))).collect())
}

impl BasicSet {
    /// Bounds of the loops that visit the set, outermost dim first, by Fourier-Motzkin elimination from the innermost
    /// dim outwards and removal of redundant rows. Every point lies within the bounds; they are rational, so the loops
    /// may also visit points that lie between strides or where an existential has no integer value. A set without
    /// rational points has a contradictory guard.
    /// Errors: [`Error`], also when a coefficient does not fit `i64`. Exact over the rationals.
    pub fn loop_nest(&self, b: &Budget) -> Result<LoopNest> {
        let first = self.0.space.n_param();
        let list = exact!(s = [&self.0.body]; lattice::nest(s[0], first, b))?;
        let Some(list) = list else {
            let guard = rows(&Body::contradiction(first))?;
            return Ok(LoopNest { guard, levels: vec![Vec::new(); self.0.space.n_out()] });
        };
        let mut list = list.iter().map(rows).collect::<Result<Vec<_>>>()?;
        Ok(LoopNest { guard: list.remove(0), levels: list })
    }
}

/// The smallest lattice around the pieces, as a conjunction in their space.
fn lattice_hull<P: Parts>(p: &P, b: &Budget) -> Result<Body> {
    let body = exact!(x = p.bodies(); lattice::hull(x, b))?;
    Ok(body.unwrap_or_else(|| Body::contradiction(p.shared().n_cols())))
}

impl Map {
    /// The smallest lattice that holds every pair, as [`Set::lattice_hull`]. Cost: that of [`Set::lattice_hull`].
    pub fn lattice_hull(&self, b: &Budget) -> Result<BasicMap> {
        Ok(BasicMap(Basic::new(self.shared_space(), lattice_hull(self, b)?)))
    }

    /// The smallest affine subspace (equalities only) that holds every pair. Exact. Errors: [`Error`].
    /// Cost: that of [`Set::affine_hull`].
    pub fn affine_hull(&self, b: &Budget) -> Result<BasicMap> {
        let hull = self.wrap().affine_hull(b)?;
        Ok(BasicMap(Basic::new(self.shared_space(), hull.0.body)))
    }
}

impl Set {
    /// All equalities and strides that hold on every point: the smallest set `{ x0 + Z b1 + ... + Z bk }` around the
    /// set, parameters taken as dims. Exact. Cost: an emptiness test per congruence for each of the basis vectors
    /// found. Errors: [`Error`].
    pub fn lattice_hull(&self, b: &Budget) -> Result<BasicSet> {
        Ok(BasicSet(Basic::new(self.shared_space(), lattice_hull(self, b)?)))
    }

    /// The stride of dim `pos` given the parameters and the dims before it; `None` for an empty set. The step is the
    /// largest possible for one lattice around all points. Exact. Errors: [`Error`], also when a number does not fit
    /// `i64`.
    /// Cost: that of [`Set::lattice_hull`].
    pub fn stride(&self, pos: usize, b: &Budget) -> Result<Option<Stride>> {
        assert!(pos < self.space().n_out(), "dim out of range");
        let end = self.space().n_param() + pos + 1;
        let parts = exact!(x = self.bodies(); prefix(x, end, b))?;
        let Some((origin, basis)) = parts.map(|mut v| (v.remove(0), v)) else { return Ok(None) };
        stride_of(self.space(), &origin, &basis).ok_or(Error::Overflow).map(Some)
    }
}

/// Origin, then basis, of the lattice around the first `end` columns.
fn prefix<T: Int + Unify<Out = BigInt>>(
    pieces: &[&crate::system::sys::Sys<T>],
    end: usize,
    b: &Budget,
) -> Res<Option<Vec<Vec<T>>>> {
    let Some(Lattice { origin, basis }) = lattice::around(pieces, b)? else { return Ok(None) };
    let cut = basis.into_iter().map(|r| r[..end].to_vec()).collect();
    let mut out = vec![origin[..end].to_vec()];
    out.extend(lattice::echelon(cut, b)?);
    Ok(Some(out))
}

/// The last column in terms of the earlier ones: going down the echelon, each earlier pivot tells how often its row was
/// added.
fn stride_of(space: &Space, origin: &[BigInt], basis: &[Vec<BigInt>]) -> Option<Stride> {
    let (np, last) = (space.n_param(), origin.len() - 1);
    let small = |v: &BigInt| Int::to_i64(v);
    let column = |c: usize| if c < np { Aff::param(space, c) } else { Aff::dim(space, c - np) };
    // What each column is after the rows so far.
    let mut reached: Vec<Aff> = origin.iter().map(|v| Some(Aff::constant(space, small(v)?))).collect::<Option<_>>()?;
    let mut step = 0;
    for row in basis {
        let pivot = row.iter().position(|v| !Int::is_zero(v))?;
        if pivot == last {
            step = small(&row[last])?;
            break;
        }
        let times = column(pivot).sub(&reached[pivot]).floor_div(small(&row[pivot])?);
        for (c, v) in row.iter().enumerate().filter(|(_, v)| !Int::is_zero(*v)) {
            reached[c] = reached[c].add(&times.scale(small(v)?));
        }
    }
    let offset = reached.swap_remove(last);
    Some(Stride { step, offset: if step > 0 { offset.modulo(step) } else { offset } })
}
