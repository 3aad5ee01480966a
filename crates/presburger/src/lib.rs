//! Exact integer sets and maps. INTERFACE STUB: signatures are the contract between layers; bodies come from the presburger owner.
//!
//! Column order of every constraint row: `[ params | in dims | out dims | existentials | 1 ]`; a set has no in dims.
//! `Eq`: row . x = 0, `Ge`: row . x >= 0. All variables are integers.
#![forbid(unsafe_code)]
#![allow(unused_variables, dead_code, clippy::all)]

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// Budget spent (or, for `*_i64` accessors, a coefficient that does not fit). The inputs are unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit;
pub type Result<T> = std::result::Result<T, Limit>;

#[derive(Clone, Debug)]
pub struct ParseError { pub line: usize, pub column: usize, pub message: String }
impl fmt::Display for ParseError { fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { write!(f, "{}:{}: {}", self.line, self.column, self.message) } }
impl std::error::Error for ParseError {}

/// Steps left for operations that may blow up. Interior mutability: passed as `&Budget` everywhere.
pub struct Budget { left: Cell<u64> }
impl Budget {
    pub fn steps(n: u64) -> Self { Self { left: Cell::new(n) } }
    pub fn unlimited() -> Self { Self::steps(u64::MAX) }
    pub fn spend(&self, n: u64) -> Result<()> { let l = self.left.get(); if l < n { self.left.set(0); Err(Limit) } else { self.left.set(l - n); Ok(()) } }
    pub fn left(&self) -> u64 { self.left.get() }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind { Eq, Ge }
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Dim { Param, In, Out }

/// Named tuple: `S[i, j]`. Unnamed tuples print as `[i, j]`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tuple { pub name: Option<Arc<str>>, pub dims: Vec<Option<Arc<str>>> }

/// Space of a set (`input == None`) or map. Binary operations align parameters by name by themselves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Space { pub params: Arc<[Arc<str>]>, pub input: Option<Tuple>, pub output: Tuple }
impl Space {
    pub fn set(params: &[&str], tuple: &str, n: usize) -> Space { todo!() } // tuple "" = unnamed
    pub fn map(params: &[&str], in_tuple: &str, n_in: usize, out_tuple: &str, n_out: usize) -> Space { todo!() }
    pub fn params_only(params: &[&str]) -> Space { todo!() } // `[N] -> { : }`, zero-dimensional unnamed set
    pub fn n_param(&self) -> usize { todo!() }
    pub fn n_in(&self) -> usize { todo!() }
    pub fn n_out(&self) -> usize { todo!() } // set dims live here
    pub fn is_map(&self) -> bool { todo!() }
    pub fn domain(&self) -> Space { todo!() }
    pub fn range(&self) -> Space { todo!() }
    pub fn reverse(&self) -> Space { todo!() }
    pub fn map_to_self(&self) -> Space { todo!() } // set space S -> map space S -> S
}

/// One conjunction. Existentials are integers; `n_exists` columns before the constant.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BasicSet { _p: () }
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BasicMap { _p: () }
/// Finite union of basic sets in one space.
#[derive(Clone, Debug)]
pub struct Set { _p: () }
#[derive(Clone, Debug)]
pub struct Map { _p: () }
/// Keyed by (in tuple, out tuple) name and size.
#[derive(Clone, Debug)]
pub struct UnionSet { _p: () }
#[derive(Clone, Debug)]
pub struct UnionMap { _p: () }

/// Quasi-affine function of a set space's dims (or of params only): `(num . [params|dims|divs|1]) / 1`, where
/// `divs[k] = floor(row . [params|dims|divs 0..k|1] / den)`. Integer valued.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Aff { _p: () }

/// Definition of a floor: `floor((num . [params|dims|earlier divs|1]) / den)`, den > 0.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Div { pub num: Vec<i64>, pub den: i64 }

/// Optimum of an affine form over a set without parameters or over all parameter values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Bound { Empty, Unbounded, Value(i64) }

impl BasicSet {
    pub fn universe(space: Space) -> BasicSet { todo!() }
    pub fn space(&self) -> &Space { todo!() }
    pub fn n_exists(&self) -> usize { todo!() }
    /// Adds a row over `[params | dims | 1]` (no existentials).
    pub fn add(&mut self, kind: Kind, row: &[i64]) { todo!() }
    /// Adds a fresh existential column (before the constant); returns its index among the existentials.
    pub fn add_exists(&mut self) -> usize { todo!() }
    /// Adds a row over `[params | dims | existentials | 1]`.
    pub fn add_full(&mut self, kind: Kind, row: &[i64]) { todo!() }
    /// All rows with full width, equalities first. `Err` if a coefficient does not fit i64.
    pub fn rows_i64(&self) -> Result<Vec<(Kind, Vec<i64>)>> { todo!() }
    /// Explicit floor form of each existential, `None` where there is none. Div rows: `[params|dims|earlier existentials|1]`.
    pub fn div_defs(&self) -> Vec<Option<Div>> { todo!() }
    /// Rational projection bounds for loop generation: eliminates existentials and dims `> level` (exact where possible, never
    /// too small otherwise) and drops redundant rows; result rows over `[params | dims 0..=level | 1]`.
    pub fn loop_bounds(&self, level: usize, budget: &Budget) -> Result<Vec<(Kind, Vec<i64>)>> { todo!() }
    /// Removes redundant rows, detects implicit equalities, tightens by gcd.
    pub fn simplify(&self, budget: &Budget) -> Result<BasicSet> { todo!() }
    pub fn is_empty(&self, budget: &Budget) -> Result<bool> { todo!() } // exact
    pub fn is_empty_rational(&self) -> bool { todo!() }
    pub fn intersect(&self, o: &BasicSet) -> BasicSet { todo!() }
    pub fn to_set(&self) -> Set { todo!() }
    pub fn affine_hull(&self, budget: &Budget) -> Result<BasicSet> { todo!() }
}
impl BasicMap {
    pub fn universe(space: Space) -> BasicMap { todo!() }
    pub fn space(&self) -> &Space { todo!() }
    pub fn n_exists(&self) -> usize { todo!() }
    pub fn add(&mut self, kind: Kind, row: &[i64]) { todo!() } // [params | in | out | 1]
    pub fn add_exists(&mut self) -> usize { todo!() }
    pub fn add_full(&mut self, kind: Kind, row: &[i64]) { todo!() }
    pub fn rows_i64(&self) -> Result<Vec<(Kind, Vec<i64>)>> { todo!() }
    pub fn div_defs(&self) -> Vec<Option<Div>> { todo!() }
    pub fn is_empty(&self, budget: &Budget) -> Result<bool> { todo!() }
    pub fn simplify(&self, budget: &Budget) -> Result<BasicMap> { todo!() }
    pub fn to_map(&self) -> Map { todo!() }
    pub fn wrap(&self) -> BasicSet { todo!() } // dims [in, out], unnamed nested tuple
}

impl Set {
    pub fn universe(space: Space) -> Set { todo!() }
    pub fn empty(space: Space) -> Set { todo!() }
    pub fn parse(text: &str) -> std::result::Result<Set, ParseError> { todo!() }
    pub fn space(&self) -> &Space { todo!() }
    pub fn basics(&self) -> &[BasicSet] { todo!() }
    /// Renames/replaces the tuple (same dimension).
    pub fn with_tuple(&self, name: &str) -> Set { todo!() }
    pub fn intersect(&self, o: &Set) -> Set { todo!() }
    pub fn intersect_params(&self, params: &Set) -> Set { todo!() }
    pub fn union(&self, o: &Set) -> Set { todo!() }
    pub fn subtract(&self, o: &Set, b: &Budget) -> Result<Set> { todo!() }
    pub fn complement(&self, b: &Budget) -> Result<Set> { todo!() }
    pub fn is_empty(&self, b: &Budget) -> Result<bool> { todo!() } // exact
    pub fn is_subset(&self, o: &Set, b: &Budget) -> Result<bool> { todo!() }
    pub fn is_equal(&self, o: &Set, b: &Budget) -> Result<bool> { todo!() }
    pub fn is_disjoint(&self, o: &Set, b: &Budget) -> Result<bool> { todo!() }
    /// Syntactic: one piece without rows. Cheap, may answer false for a universe in disguise.
    pub fn is_plain_universe(&self) -> bool { todo!() }
    /// Exact integer projection (the result may carry existentials).
    pub fn project_out(&self, first: usize, n: usize, b: &Budget) -> Result<Set> { todo!() }
    /// Projects out all dims: the parameter values for which the set is non-empty.
    pub fn params(&self, b: &Budget) -> Result<Set> { todo!() }
    pub fn fix(&self, dim: Dim, pos: usize, value: i64) -> Set { todo!() }
    pub fn add(&self, kind: Kind, row: &[i64]) -> Set { todo!() } // adds to each piece, [params|dims|1]
    pub fn lexmin(&self, b: &Budget) -> Result<Set> { todo!() } // parametric, as a set of points
    pub fn lexmax(&self, b: &Budget) -> Result<Set> { todo!() }
    pub fn sample(&self, b: &Budget) -> Result<Option<Vec<i64>>> { todo!() } // [params | dims]
    pub fn gist(&self, context: &Set, b: &Budget) -> Result<Set> { todo!() }
    pub fn coalesce(&self, b: &Budget) -> Result<Set> { todo!() }
    /// Equivalent union of pairwise disjoint pieces.
    pub fn make_disjoint(&self, b: &Budget) -> Result<Set> { todo!() }
    pub fn simple_hull(&self, b: &Budget) -> Result<BasicSet> { todo!() } // constraints already present in some piece
    pub fn min_of(&self, f: &Aff, b: &Budget) -> Result<Bound> { todo!() } // over all params and dims
    pub fn max_of(&self, f: &Aff, b: &Budget) -> Result<Bound> { todo!() }
    /// All points `[params | dims]` in lexicographic order; `Err` when there are more than `limit` or infinitely many.
    pub fn points(&self, limit: usize) -> Result<Vec<Vec<i64>>> { todo!() }
    pub fn contains(&self, params: &[i64], point: &[i64]) -> bool { todo!() }
    pub fn apply(&self, m: &Map, b: &Budget) -> Result<Set> { todo!() }
    pub fn identity(&self) -> Map { todo!() }
    pub fn lex_lt(space: &Space) -> Map { todo!() } // { S -> S : a << b }
    pub fn lex_le(space: &Space) -> Map { todo!() }
    pub fn flat_product(&self, o: &Set) -> Set { todo!() }
    pub fn unwrap(&self, n_in: usize, in_tuple: &str, out_tuple: &str) -> Map { todo!() }
    /// Turns every existential into an explicit floor (splitting pieces if needed), so that `div_defs` has no `None`.
    pub fn compute_divs(&self, b: &Budget) -> Result<Set> { todo!() }
}

impl Map {
    pub fn universe(space: Space) -> Map { todo!() }
    pub fn empty(space: Space) -> Map { todo!() }
    pub fn parse(text: &str) -> std::result::Result<Map, ParseError> { todo!() }
    pub fn space(&self) -> &Space { todo!() }
    pub fn basics(&self) -> &[BasicMap] { todo!() }
    /// `{ dom -> [affs] }`, all affs over the same set space.
    pub fn from_affs(affs: &[Aff], out_tuple: &str) -> Map { todo!() }
    pub fn with_tuples(&self, input: &str, output: &str) -> Map { todo!() }
    pub fn intersect(&self, o: &Map) -> Map { todo!() }
    pub fn intersect_domain(&self, s: &Set) -> Map { todo!() }
    pub fn intersect_range(&self, s: &Set) -> Map { todo!() }
    pub fn intersect_params(&self, s: &Set) -> Map { todo!() }
    pub fn union(&self, o: &Map) -> Map { todo!() }
    pub fn subtract(&self, o: &Map, b: &Budget) -> Result<Map> { todo!() }
    pub fn is_empty(&self, b: &Budget) -> Result<bool> { todo!() }
    pub fn is_subset(&self, o: &Map, b: &Budget) -> Result<bool> { todo!() }
    pub fn is_equal(&self, o: &Map, b: &Budget) -> Result<bool> { todo!() }
    pub fn domain(&self, b: &Budget) -> Result<Set> { todo!() }
    pub fn range(&self, b: &Budget) -> Result<Set> { todo!() }
    pub fn reverse(&self) -> Map { todo!() }
    /// `self` then `next`: `{ a -> c : exists m : a -> m in self and m -> c in next }`. Exact.
    pub fn apply_range(&self, next: &Map, b: &Budget) -> Result<Map> { todo!() }
    pub fn apply_domain(&self, m: &Map, b: &Budget) -> Result<Map> { todo!() }
    pub fn range_product(&self, o: &Map) -> Map { todo!() } // a -> [b, c] flat
    pub fn product(&self, o: &Map) -> Map { todo!() }
    pub fn project_out(&self, dim: Dim, first: usize, n: usize, b: &Budget) -> Result<Map> { todo!() }
    pub fn fix(&self, dim: Dim, pos: usize, value: i64) -> Map { todo!() }
    pub fn add(&self, kind: Kind, row: &[i64]) -> Map { todo!() }
    pub fn deltas(&self, b: &Budget) -> Result<Set> { todo!() } // { out - in }
    pub fn lexmin(&self, b: &Budget) -> Result<Map> { todo!() } // per input
    pub fn lexmax(&self, b: &Budget) -> Result<Map> { todo!() }
    pub fn gist(&self, context: &Map, b: &Budget) -> Result<Map> { todo!() }
    pub fn coalesce(&self, b: &Budget) -> Result<Map> { todo!() }
    pub fn wrap(&self) -> Set { todo!() } // dims [in, out], unnamed
    pub fn compute_divs(&self, b: &Budget) -> Result<Map> { todo!() }
}

impl Aff {
    /// Row over `[params | dims | 1]` of a *set* space.
    pub fn from_row(space: &Space, row: &[i64]) -> Aff { todo!() }
    pub fn zero(space: &Space) -> Aff { todo!() }
    pub fn dim(space: &Space, pos: usize) -> Aff { todo!() }
    pub fn constant(space: &Space, v: i64) -> Aff { todo!() }
    pub fn space(&self) -> &Space { todo!() }
    /// `[params | dims | divs | 1]`.
    pub fn row(&self) -> &[i64] { todo!() }
    pub fn divs(&self) -> &[Div] { todo!() }
    /// The plain `[params | dims | 1]` row if there are no divs.
    pub fn as_affine(&self) -> Option<Vec<i64>> { todo!() }
    pub fn add(&self, o: &Aff) -> Aff { todo!() }
    pub fn sub(&self, o: &Aff) -> Aff { todo!() }
    pub fn scale(&self, k: i64) -> Aff { todo!() }
    pub fn add_constant(&self, k: i64) -> Aff { todo!() }
    pub fn floor_div(&self, d: i64) -> Aff { todo!() }
    pub fn modulo(&self, d: i64) -> Aff { todo!() }
    /// Value at a point; checked, `None` on overflow.
    pub fn eval(&self, params: &[i64], point: &[i64]) -> Option<i64> { todo!() }
    /// `{ x : self(x) op other(x) }`
    pub fn eq_set(&self, o: &Aff) -> Set { todo!() }
    pub fn ge_set(&self, o: &Aff) -> Set { todo!() }
    pub fn lt_set(&self, o: &Aff) -> Set { todo!() }
}

impl UnionSet {
    pub fn empty(params: &[&str]) -> UnionSet { todo!() }
    pub fn parse(text: &str) -> std::result::Result<UnionSet, ParseError> { todo!() }
    pub fn add(&mut self, s: Set) { todo!() }
    pub fn sets(&self) -> impl Iterator<Item = &Set> { std::iter::empty() }
    pub fn get(&self, tuple: &str, n: usize) -> Option<&Set> { todo!() }
}
impl UnionMap {
    pub fn empty(params: &[&str]) -> UnionMap { todo!() }
    pub fn parse(text: &str) -> std::result::Result<UnionMap, ParseError> { todo!() }
    pub fn add(&mut self, m: Map) { todo!() }
    pub fn maps(&self) -> impl Iterator<Item = &Map> { std::iter::empty() }
}
// Display (isl notation) for Set, Map, BasicSet, BasicMap, UnionSet, UnionMap, Aff; FromStr through `parse`.
macro_rules! stub_display { ($($t:ty),*) => { $(impl fmt::Display for $t { fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { todo!() } })* } }
stub_display!(BasicSet, BasicMap, Set, Map, UnionSet, UnionMap, Aff);
