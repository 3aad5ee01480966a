//! Exact integer sets and maps with symbolic constants and existentially quantified variables.
//!
//! A *basic* set is a conjunction of affine equalities and inequalities over the columns
//! `[ params | in dims | out dims | existentials | 1 ]` (a set has no in dims); a set or map is a finite union of basic
//! ones in one named space; union sets and maps hold several spaces. `Eq`: `row . x = 0`, `Ge`: `row . x >= 0`. All
//! variables are integers.
//!
//! Every operation is exact over the integers unless its name says otherwise. Coefficients are machine integers; an
//! operation in which one overflows is run again in arbitrary precision. Operations that can blow up take a [`Budget`]
//! and answer [`Error::Spent`] when it does not last.
//!
//! ```
//! use presburger::{Budget, Set};
//! let b = Budget::unlimited();
//! let evens = Set::parse("[N] -> { S[i] : 0 <= i < N and i mod 2 = 0 }").unwrap();
//! let all = Set::parse("[N] -> { S[i] : 0 <= i < N }").unwrap();
//! assert!(evens.is_subset(&all, &b).unwrap());
//! assert!(all.subtract(&evens, &b).unwrap().contains(&[4], &[3]));
//! ```
//!
//! # Cost
//!
//! Operations without a budget take time linear in the rows they write: those of the operands, for binary ones of each
//! pair of pieces. For the others the words below `Cost` mean
//! - *feasibility test*: an integer point is sought by repairs, then by eliminating variables with dark shadows and
//!   splinters; microseconds on the sets of loop nests, exponential at worst (Pugh, The Omega Test, CACM 35(8), 1992);
//! - *linear program*: exact simplex steps with Bland's rule, few on almost everything (Chvatal, Linear Programming,
//!   1983);
//! - *projection*: substitution of equalities and Fourier-Motzkin steps where they are exact; columns for which they
//!   are not stay as existentials, so that rows do not multiply without need (Pugh 1992);
//! - *rational elimination*: Fourier-Motzkin steps, rows may square in number with each (Schrijver, Theory of Linear
//!   and Integer Programming, 1986);
//! - *difference*: at most one piece per constraint of what is taken away per piece, with a feasibility test each;
//!   floors are made explicit first (Verdoolaege, isl: An Integer Set Library for the Polyhedral Model, ICMS 2010).
//!
//! Sources of other methods stand at the head of their module in the source.
//!
//! Code map, bottom up; each folder's header says what its files hold:
//! - `num` coefficients, `budget` steps and errors;
//! - `program` linear programming; `system` one conjunction; `unions` algorithms on unions of conjunctions; `count`
//!   numbers of points;
//! - `sets` sets and maps, `functions` functions on them;
//! - `rows` the fast layer of plain rows;
//! - `text` reading and printing; `calc` a calculator.
//!
//! # Features
//! - `serde`: sets, maps and functions are written and read as their text.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod budget;
pub mod calc;
mod count;
mod functions;
mod num;
mod program;
pub mod rows;
mod sets;
mod system;
mod text;
mod unions;

pub use budget::{Budget, Error, Result, Share};
pub use functions::aff::Aff;
pub use functions::bernstein::PolyBound;
pub use functions::multi::{MultiPwAff, MultiUnionPwAff};
pub use functions::pw::PwAff;
pub use functions::pw_multi::PwMultiAff;
pub use functions::qpoly::PwQPoly;
pub use functions::union_functions::{UnionPwAff, UnionPwMultiAff};
pub use num_bigint::BigInt;
pub use sets::basic::{BasicMap, BasicSet, Div};
pub use sets::flow::Flow;
pub use sets::iterate::Points;
pub use sets::map::Map;
pub use sets::rational::RationalSet;
pub use sets::set::{Bound, Set};
pub use sets::space::{Dim, Dims, Kind, Space, Tuple};
pub use sets::strides::{LoopNest, Stride};
pub use sets::union_sets::{UnionMap, UnionSet};
pub use text::parse::ParseError;

/// The examples of the README, which are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
