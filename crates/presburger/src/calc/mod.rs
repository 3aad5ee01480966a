//! A calculator for integer sets and maps in the notation of the field's calculator.
//!
//! A program is a list of statements ended by `;`:
//! - `NAME := expression;` gives a value a name,
//! - `expression;` or `print expression;` prints a value.
//!
//! Operands: sets, maps and quasi-polynomials in isl's notation, names, numbers, `True`, `False`, strings in double
//! quotes, brackets. Sets and maps are unions over several spaces.
//!
//! | operators, tightest first | meaning |
//! |---|---|
//! | `M(S)`, `M(N)`, `M ^ -1`, `M ^ k` | image of a set, `N` followed by `M`; inverse; power |
//! | `M ^+`, `pow M` | transitive closure; power, its exponent in front; `(map, True)` if exact, `False` if larger |
//! | `C(S)`, `C(M)` | value of a count at an element, the sum over several; for each input of a map, that over its images |
//! | `C @ S` | the values of a count at the elements of a set, one by one |
//! | `dom ran domain range deltas lexmin lexmax card coalesce sample params identity` | one operand, to the right |
//! | `wrap unwrap zip curry uncurry domain_map range_map deltas_map aff hull lattice` | one operand, to the right |
//! | `sum C`, `scan S`, `typeof X` | sum over all arguments; every element, up to 10,000; what kind of value |
//! | `ub C`, `lb C` | largest and smallest value of a function where it is affine, with floors or without, or has few arguments; else a bound near it, `max(..)`; that of a function of pairs is over the second tuple, as its sum is |
//! | `any A before B under S` | pairs of an element and a later one (in the order of the images under `S`) whose images under `A` and `B` meet |
//! | `last A before B under S` | of these, for each element and image, the last earlier ones; and what is without one |
//! | `any A last B before C under S` | sources that surely, and others that perhaps touch what they are related to: those of both that nothing of `B` comes behind |
//! | `coefficients S`, `solutions S` | the affine forms that are non-negative on a set, by their coefficients; the points at which such forms are |
//! | `lift S` | the set with its floors as dims of their own |
//! | `(A, B, ..)`, `L[k]` | values side by side, one of them by its number from 0 |
//! | `assert X` | an error unless `X` is true |
//! | `vertices S` | those of each piece over the rationals, with the parameters for which they are such |
//! | `poly S` | the closed convex hull over the rationals, as `hull` |
//! | `draw S`, `draw 0 2 S` | an SVG of a set's elements or of a map's arrows in two dims, by default the first ones |
//! | `*` | intersection; of a map or a count and a set: restriction of its domain; of two counts: product |
//! | `*`, `%` with a set of parameters, `[N] -> { : N >= 3 }` | restriction to these parameters; gist in them |
//! | `.`, `before`; `after` | composition: left, then right; right, then left |
//! | `M ->* S`, `M ->- S` | the pairs of a map whose right element is in a set; those whose is not |
//! | `->` | every pair of a left and a right element |
//! | `<<`, `<<=`, `>>`, `>>=` | pairs of elements (of equal size) in lexicographic order; of two maps: of inputs by their outputs |
//! | `cross`, `cross_range` | product of two sets, or of two maps: wrapped pairs; of the ranges of two maps |
//! | `%` | gist |
//! | `+ -` | union, difference; of two counts: sum, difference; `+` of two strings: one behind the other |
//! | `= <= < >= >` | equality and inclusion, strict or not; `==` also of counts |
//! | `+ *` of truth values, `+ - *` of numbers | or, and; sum, difference, product, also of a number and a count |
//!
//! `{ rat: S[i] : 2i = 1 }` has rational elements; with these go `+ * = <= < >= >`, `^-1`, `dom ran params coalesce
//! sample lexmin lexmax coefficients solutions typeof`; `*` with integer elements gives the integers among them,
//! comparisons with these are of points.
//!
//! Not here of what isl's calculator has: `lattice_width` (`ub` and `lb` of a function say how far a set goes in one
//! direction), and `upoly` and `lpoly` (polynomials near a count: counts are exact, with floors).
//!
//! `#` starts a comment, a `\` at the end of a line does nothing. Errors carry the line and column they were found at.

mod bounds;
mod eval;
mod parser;
mod rationals;

use crate::budget::Budget;
use crate::functions::qpoly::{PwQPoly, write_functions};
use crate::sets::rational::RationalSet;
use crate::sets::union_sets::{UnionMap, UnionSet};
use crate::text::parse::ParseError;
use num_rational::BigRational;
use std::collections::BTreeMap;
use std::fmt;

/// What an expression evaluates to.
#[derive(Clone, Debug)]
pub enum Value {
    /// A set, possibly of several spaces.
    Set(UnionSet),
    /// A map, possibly of several spaces.
    Map(UnionMap),
    /// Values side by side: all paths of a relation and whether these are exact (otherwise there are more), or what is
    /// last before each access and the accesses without such.
    List(Vec<Value>),
    /// Rational points or pairs.
    Rational(RationalSet),
    /// The outcome of a comparison.
    Bool(bool),
    /// Cardinalities (piecewise quasi-polynomials), one per space.
    Count(Vec<PwQPoly>),
    /// A number.
    Number(BigRational),
    /// A string.
    Text(String),
    /// Nothing: what an assertion that holds gives.
    Nothing,
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Set(s) => s.fmt(f),
            Value::Map(m) => m.fmt(f),
            Value::Rational(r) => r.fmt(f),
            Value::List(list) => {
                write!(f, "({})", list.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "))
            }
            Value::Number(n) => n.fmt(f),
            Value::Nothing => Ok(()),
            Value::Bool(b) => f.write_str(if *b { "True" } else { "False" }),
            Value::Text(t) => f.write_str(t),
            Value::Count(list) if list.is_empty() => f.write_str("{ 0 }"),
            Value::Count(list) => write_functions(f, list),
        }
    }
}

/// Named values and the step budget of each statement.
pub struct Session {
    names: BTreeMap<String, Value>,
    steps: u64,
}

impl Session {
    /// An empty session; every statement may spend `steps`.
    pub fn new(steps: u64) -> Session {
        Session { names: BTreeMap::new(), steps }
    }

    /// Value of one expression. Errors: as [`Session::run`].
    pub fn evaluate(&self, text: &str) -> Result<Value, ParseError> {
        let expression = parser::Parser::new(text).only_expression()?;
        eval::value(&expression, &self.names, &Budget::steps(self.steps))
    }

    /// Gives a value a name.
    pub fn define(&mut self, name: &str, value: Value) {
        self.names.insert(name.to_string(), value);
    }

    /// Runs all statements of `text` and hands each printed value to `print`. Errors: the first one, with its position
    /// in `text`; statements before it have been run.
    pub fn run(&mut self, text: &str, mut print: impl FnMut(&str)) -> Result<(), ParseError> {
        let mut p = parser::Parser::new(text);
        while let Some(s) = p.statement()? {
            let budget = Budget::steps(self.steps);
            let value = eval::value(&s.expression, &self.names, &budget)?;
            match s.name {
                Some(name) => drop(self.names.insert(name, value)),
                None if matches!(value, Value::Nothing) => {}
                None => print(&value.to_string()),
            }
        }
        Ok(())
    }
}
