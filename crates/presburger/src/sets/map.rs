//! Maps: finite unions of basic maps, that is, relations between two tuples.

use crate::budget::{Budget, Result};
use crate::functions::aff::{self, Aff};
use crate::functions::qpoly::PwQPoly;
use crate::sets::basic::BasicMap;
use crate::sets::set::{self, Set};
use crate::sets::space::{Dim, Kind, Space, Tuple, unnamed_dims};
use crate::sets::union::{self, Parts, Pieces, aligned, intersect_columns};
use crate::system::body::exact;
use crate::text::parse::{self, ParseError};
use crate::unions::compose;
use std::sync::Arc;

/// Finite union of basic maps in one space. Equality and hash are those of the space, names of dims among it, and of
/// the pieces in any order, not of the pairs: [`Map::is_equal`] compares those.
#[derive(Clone, Debug)]
pub struct Map {
    pub(crate) basics: Pieces<BasicMap>,
    /// No piece has existentials.
    pub(crate) plain: bool,
}

impl Map {
    /// Reads isl's notation: `[N] -> { S[i] -> A[i + 1] : 0 <= i < N }`; all pairs of tuples must be alike.
    pub fn parse(text: &str) -> std::result::Result<Map, ParseError> {
        parse::map(text)
    }

    /// `{ dom -> [affs] }`, all affs over the same set space. An empty list gives the map from the empty tuple to the
    /// empty tuple.
    pub fn from_affs(affs: &[Aff], out_tuple: &str) -> Map {
        match affs.first() {
            Some(a) => aff::graph(a.space(), affs, out_tuple),
            None => aff::graph(&Space::params_only(&[]), affs, out_tuple),
        }
    }

    /// As [`Map::from_affs`], with the domain space given: right also for an empty list (`{ S[i] -> A[] }`).
    pub fn from_affs_over(domain: &Space, affs: &[Aff], out_tuple: &str) -> Map {
        aff::graph(domain, affs, out_tuple)
    }

    /// Renames both tuples; `""` removes a name.
    pub fn with_tuples(&self, input: &str, output: &str) -> Map {
        let mut space = self.space().clone();
        if let Some(t) = &mut space.input {
            t.name = Tuple::new(input, 0).name;
        }
        space.output.name = Tuple::new(output, 0).name;
        let all: Vec<_> = (0..space.n_cols()).map(Some).collect();
        self.rebuilt(space, &all)
    }

    /// Pairs whose input lies in `s`.
    pub fn intersect_domain(&self, s: &Set) -> Map {
        assert!(s.space().n_out() == self.space().n_in(), "domain of another size");
        let (m, s) = aligned(self, s);
        let end = m.space().first(Dim::Out);
        let cols: Vec<_> = (0..m.space().n_cols()).map(|c| (c < end).then_some(c)).collect();
        intersect_columns(m.as_ref(), s.bodies(), &cols)
    }

    /// Pairs whose output lies in `s`.
    pub fn intersect_range(&self, s: &Set) -> Map {
        assert!(s.space().n_out() == self.space().n_out(), "range of another size");
        let (m, s) = aligned(self, s);
        let (np, out) = (m.space().n_param(), m.space().first(Dim::Out));
        let cols: Vec<_> = (0..m.space().n_cols())
            .map(|c| if c < np { Some(c) } else { c.checked_sub(out).map(|k| np + k) })
            .collect();
        intersect_columns(m.as_ref(), s.bodies(), &cols)
    }

    /// Inputs that have an output. Exact. Cost: a projection per piece. Errors: [`Error`](crate::Error).
    pub fn domain(&self, b: &Budget) -> Result<Set> {
        let space = Arc::new(self.space().domain());
        union::hide(self, self.space().first(Dim::Out), self.space().n_out(), &space, b)
    }

    /// Outputs that have an input. Exact. Cost: a projection per piece. Errors: [`Error`](crate::Error).
    pub fn range(&self, b: &Budget) -> Result<Set> {
        let space = Arc::new(self.space().range());
        union::hide(self, self.space().first(Dim::In), self.space().n_in(), &space, b)
    }

    /// Inputs and outputs swapped.
    pub fn reverse(&self) -> Map {
        let (np, ni, no) = (self.space().n_param(), self.space().n_in(), self.space().n_out());
        let cols: Vec<_> = (0..np).chain(np + ni..np + ni + no).chain(np..np + ni).map(Some).collect();
        self.rebuilt(self.space().reverse(), &cols)
    }

    /// `self` then `next`: `{ a -> c : exists m : a -> m in self and m -> c in next }`. Exact.
    /// Cost: a projection of each piece of one operand with each of the other. Errors: [`Error`](crate::Error).
    pub fn apply_range(&self, next: &Map, b: &Budget) -> Result<Map> {
        assert!(self.space().n_out() == next.space().n_in(), "composition of maps that do not meet");
        let (f, g) = aligned(self, next);
        let (input, output) = (f.space().input.clone(), g.space().output.clone());
        let space = Space { params: f.space().params.clone(), input, output };
        union::chain(f.as_ref(), g.as_ref(), space, b)
    }

    /// Inputs mapped by `m`: `{ m(a) -> b : a -> b in self }`. Exact.
    /// Cost: a projection of each piece of one operand with each of the other. Errors: [`Error`](crate::Error).
    pub fn apply_domain(&self, m: &Map, b: &Budget) -> Result<Map> {
        Ok(self.reverse().apply_range(m, b)?.reverse())
    }

    /// Exact integer projection of dims `first..first + n` of one group. Cost: a projection per piece. Errors:
    /// [`Error`](crate::Error).
    pub fn project_out(&self, dim: Dim, first: usize, n: usize, b: &Budget) -> Result<Map> {
        union::project_out(self, dim, first, n, b)
    }

    /// `{ out - in }` of a map between tuples of equal size; the set has the output's tuple without dim names. Exact.
    /// Cost: a projection per piece. Errors: [`Error`](crate::Error).
    pub fn deltas(&self, b: &Budget) -> Result<Set> {
        let (np, n) = (self.space().n_param(), self.space().n_in());
        assert!(n == self.space().n_out(), "deltas of a map between tuples of different sizes");
        let list = exact!(x = self.bodies(); compose::deltas(x, np, n, b))?;
        let output = Tuple { dims: unnamed_dims(n), ..self.space().output.clone() };
        let space = Space { params: self.space().params.clone(), input: None, output };
        Ok(Set::from_bodies(&Arc::new(space), list))
    }

    /// True iff no input has two outputs. Exact.
    /// Cost: linear where the rows of a single piece fix the outputs, otherwise an inclusion test of the map composed
    /// with its inverse.
    /// Errors: [`Error`](crate::Error).
    pub fn is_single_valued(&self, b: &Budget) -> Result<bool> {
        if let [b] = &self.basics[..]
            && b.0.body.determines(self.space().first(Dim::Out))
        {
            return Ok(true);
        }
        let pairs = self.range_product(self);
        let (first, n) = (self.space().first(Dim::Out), self.space().n_out());
        for d in 0..n {
            // Some two outputs differ first in some dim; by symmetry one order is enough.
            let mut row = vec![0; pairs.space().n_cols() + 1];
            row[first + d] = 1;
            row[first + n + d] = -1;
            row[pairs.space().n_cols()] = -1;
            if !pairs.add(Kind::Ge, &row).is_empty(b)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// True iff no two inputs share an output. Exact. Cost: that of `is_single_valued` of the inverse. Errors:
    /// [`Error`](crate::Error).
    pub fn is_injective(&self, b: &Budget) -> Result<bool> {
        self.reverse().is_single_valued(b)
    }

    /// True iff it is a one-to-one function. Exact. Cost: that of `is_single_valued`, twice. Errors:
    /// [`Error`](crate::Error).
    pub fn is_bijective(&self, b: &Budget) -> Result<bool> {
        Ok(self.is_single_valued(b)? && self.is_injective(b)?)
    }

    /// The map composed with itself `k` times, `k >= 1`; for negative `k` the inverse `-k` times. `k = 0`: identity on
    /// the domain.
    /// Exact. Cost: by repeated squaring two compositions per binary digit of `k`, pieces with the same
    /// equalities coalesced. Errors:
    /// [`Error`](crate::Error).
    pub fn fixed_power(&self, k: i64, b: &Budget) -> Result<Map> {
        let base = if k < 0 { self.reverse() } else { self.clone() };
        if k == 0 {
            return Ok(self.domain(b)?.identity());
        }
        let join = |f: &Map, g: &Map| union::coalesce_alike(&f.apply_range(g, b)?, b);
        power(&base, k.unsigned_abs(), |m| m.basics().len(), join)
    }

    /// The number of outputs of each input. Exact; `None` when some input has infinitely many.
    /// Cost: pieces are made disjoint, then one polynomial sum per column, each split by pairs of bounds and by
    /// residues: exponential in the number of columns summed. Errors: [`Error`](crate::Error).
    pub fn card(&self, b: &Budget) -> Result<Option<PwQPoly>> {
        set::cardinality(self, &self.space().domain(), b)
    }
}

/// `x` joined with itself `k >= 1` times, by repeated squaring; where that gives many pieces to be compared with each
/// other, by one `x` after the other.
pub(crate) fn power<M: Clone>(
    x: &M,
    k: u64,
    pieces: impl Fn(&M) -> usize,
    join: impl Fn(&M, &M) -> Result<M>,
) -> Result<M> {
    let mut out = x.clone();
    for bit in (0..k.ilog2()).rev() {
        // The power is `x` to so much.
        let by = k >> (bit + 1);
        let once = 2 * pieces(x);
        if pieces(&out).pow(2) > once.pow(2).saturating_mul(usize::try_from(by).unwrap_or(usize::MAX)) {
            for _ in 0..by {
                out = join(&out, x)?;
            }
        } else {
            out = join(&out, &out)?;
        }
        if k >> bit & 1 == 1 {
            out = join(&out, x)?;
        }
    }
    Ok(out)
}
