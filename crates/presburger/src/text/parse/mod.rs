//! Reading isl's notation: `[N] -> { S[i] -> A[j] : formula; ... }`.
//! Formulas: `and or not => exists forall true false`, in any case, also `&`, `&&`, `||`, `/\`, `\/`; chained
//! comparisons over lists (`0 <= i, j < N`), `!=`, lexicographic comparison of tuples (`[i, j] << [k, l]`); terms:
//! `+ - *`, juxtaposition (`2i`), `floor(e/d)`, `ceil(e/d)`, `floord(e, d)`, `[e/d]`, `e mod d`, `e % d`, `e // d`,
//! fractions `e/d` (`i/2 <= 3/2`, and an entry `[i/2]` is there for even `i` only), `min(a, b)`, `max(a, b)`,
//! `(a <= b ? e : f)`. Tuple entries may be expressions, or ranges `first : last`; parameters may be given values and
//! ranges, `[N, M = 4, K = 0:N]`; `rat:` in front of a part makes its numbers rational ([`crate::RationalSet`]). A `\`
//! at the end of a line does nothing. Piecewise functions are maps whose last tuple has an expression in each entry.

mod build;
mod expr;
mod formula;
mod function;
mod lexer;
mod polynomial;

use crate::budget::Budget;
use crate::functions::pw::PwAff;
use crate::functions::pw_multi::PwMultiAff;
use crate::functions::qpoly::PwQPoly;
use crate::functions::union_functions::{UnionPwAff, UnionPwMultiAff};
use crate::sets::map::Map;
use crate::sets::set::Set;
use crate::sets::space::Space;
use crate::sets::union::union_all;
use crate::sets::union_sets::{UnionMap, UnionSet};
use crate::system::sys::Sys;
use build::Reader;
use num_bigint::BigInt;
use std::fmt;

/// Where and why text could not be read. Lines and columns count from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// What was expected or is wrong.
    pub message: String,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)
    }
}
impl std::error::Error for ParseError {}

impl ParseError {
    /// `line:column: message`, then the line of `text` it is about with a caret under the column.
    pub fn in_source(&self, text: &str) -> String {
        let line = text.lines().nth(self.line - 1).unwrap_or("");
        // Tabs stay tabs, so that the caret stands below its character.
        let gap: String = line.chars().take(self.column - 1).map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
        format!("{self}\n  {line}\n  {gap}^")
    }
}

pub(crate) type Parsed<T> = std::result::Result<T, ParseError>;

pub(crate) fn set(text: &str) -> Parsed<Set> {
    let mut r = Reader::new(text)?;
    let parts = r.disjuncts()?;
    r.one_space(&parts)?;
    let sets = parts.into_iter().map(|p| r.read_set(p)).collect::<Parsed<Vec<Set>>>()?;
    Ok(if sets.is_empty() { Set::empty(r.params_space()) } else { union_all(&sets) })
}

pub(crate) fn map(text: &str) -> Parsed<Map> {
    let mut r = Reader::new(text)?;
    let parts = r.disjuncts()?;
    r.one_space(&parts)?;
    let maps = parts.into_iter().map(|p| r.read_map(p)).collect::<Parsed<Vec<Map>>>()?;
    if maps.is_empty() {
        return Err(r.error("a map needs at least one pair of tuples"));
    }
    Ok(union_all(&maps))
}

pub(crate) fn union_set(text: &str) -> Parsed<UnionSet> {
    let mut r = Reader::new(text)?;
    let parts = r.disjuncts()?;
    let mut u = UnionSet::empty(&r.param_names());
    for p in parts {
        u.add(r.read_set(p)?);
    }
    Ok(u)
}

pub(crate) fn union_map(text: &str) -> Parsed<UnionMap> {
    let mut r = Reader::new(text)?;
    let parts = r.disjuncts()?;
    let mut u = UnionMap::empty(&r.param_names());
    for p in parts {
        u.add(r.read_map(p)?);
    }
    Ok(u)
}

/// Whether the first part is said to be of rational points.
pub(crate) fn starts_rational(text: &str) -> bool {
    let body = text.split_once('{').map_or("", |(_, body)| body);
    let (word, rest) = body.trim_start().split_at_checked(3).unwrap_or_default();
    word.eq_ignore_ascii_case("rat") && rest.trim_start().starts_with(':')
}

/// A space and the rows of pieces in it, which may have existentials.
type RationalPart = (Space, Vec<Sys<BigInt>>);

/// The parameters, and the parts, all with `rat:` in front.
pub(crate) fn rational(text: &str) -> Parsed<(Space, Vec<RationalPart>)> {
    let mut r = Reader::new(text)?;
    r.rational = true;
    let parts = r.disjuncts()?;
    if let Some(d) = parts.iter().find(|d| d.input.is_some() != parts[0].input.is_some()) {
        return Err(r.error_at(d.at, "a union is of sets or of maps"));
    }
    let list = parts.iter().map(|d| r.rational_part(d)).collect::<Parsed<Vec<_>>>()?;
    Ok((r.params_space(), list))
}

fn only<T>(r: &Reader, mut list: Vec<T>) -> Parsed<T> {
    match list.len() {
        1 => Ok(list.remove(0)),
        0 => Err(r.error("a function needs at least one part")),
        _ => Err(r.error("tuples differ: read this as a union of functions")),
    }
}

/// The functions of `list` as functions into unnamed one-tuples.
fn components(r: &Reader, list: Vec<PwMultiAff>) -> Parsed<Vec<PwAff>> {
    let scalar = |f: &PwMultiAff| f.space().output == crate::sets::space::Tuple::new("", 1);
    if !list.iter().all(scalar) {
        return Err(r.error("expected values in an unnamed tuple of one entry"));
    }
    Ok(list.iter().map(|f| f.component(0)).collect())
}

pub(crate) fn pw_multi_aff(text: &str) -> Parsed<PwMultiAff> {
    let (r, list) = function::functions(text)?;
    only(&r, list)
}

pub(crate) fn pw_qpoly(text: &str) -> Parsed<PwQPoly> {
    polynomial::function(text)
}

/// One function per space.
pub(crate) fn pw_qpolys(text: &str) -> Parsed<Vec<PwQPoly>> {
    polynomial::functions(text)
}

pub(crate) fn pw_aff(text: &str) -> Parsed<PwAff> {
    let (r, list) = function::functions(text)?;
    let list = components(&r, list)?;
    only(&r, list)
}

/// Budget for joining functions of one space, of which the reader has made one already.
fn join_budget() -> Budget {
    Budget::steps(1_000_000)
}

pub(crate) fn union_pw_multi_aff(text: &str) -> Parsed<UnionPwMultiAff> {
    let (r, list) = function::functions(text)?;
    let mut out = UnionPwMultiAff::empty(&r.param_names());
    for f in list {
        out.insert(f, &join_budget()).map_err(|_| r.error("domains are too complicated"))?;
    }
    Ok(out)
}

pub(crate) fn union_pw_aff(text: &str) -> Parsed<UnionPwAff> {
    let (r, list) = function::functions(text)?;
    let mut out = UnionPwAff::empty(&r.param_names());
    for f in components(&r, list)? {
        out.insert(f, &join_budget()).map_err(|_| r.error("domains are too complicated"))?;
    }
    Ok(out)
}

impl std::str::FromStr for Set {
    type Err = ParseError;
    fn from_str(s: &str) -> Parsed<Set> {
        set(s)
    }
}

impl std::str::FromStr for Map {
    type Err = ParseError;
    fn from_str(s: &str) -> Parsed<Map> {
        map(s)
    }
}

impl std::str::FromStr for UnionSet {
    type Err = ParseError;
    fn from_str(s: &str) -> Parsed<UnionSet> {
        union_set(s)
    }
}

impl std::str::FromStr for UnionMap {
    type Err = ParseError;
    fn from_str(s: &str) -> Parsed<UnionMap> {
        union_map(s)
    }
}

impl std::str::FromStr for PwAff {
    type Err = ParseError;
    fn from_str(s: &str) -> Parsed<PwAff> {
        pw_aff(s)
    }
}

impl std::str::FromStr for PwMultiAff {
    type Err = ParseError;
    fn from_str(s: &str) -> Parsed<PwMultiAff> {
        pw_multi_aff(s)
    }
}

impl std::str::FromStr for UnionPwAff {
    type Err = ParseError;
    fn from_str(s: &str) -> Parsed<UnionPwAff> {
        union_pw_aff(s)
    }
}

impl std::str::FromStr for UnionPwMultiAff {
    type Err = ParseError;
    fn from_str(s: &str) -> Parsed<UnionPwMultiAff> {
        union_pw_multi_aff(s)
    }
}

impl std::str::FromStr for PwQPoly {
    type Err = ParseError;
    fn from_str(s: &str) -> Parsed<PwQPoly> {
        pw_qpoly(s)
    }
}
