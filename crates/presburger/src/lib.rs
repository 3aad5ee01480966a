//! Exact integer sets and maps with symbolic constants and existentially quantified variables.
//!
//! A *basic* set is a conjunction of affine equalities and inequalities over the columns
//! `[ params | in dims | out dims | existentials | 1 ]` (a set has no in dims); a set or map is a finite union of basic ones in one
//! named space; union sets and maps hold several spaces. `Eq`: `row . x = 0`, `Ge`: `row . x >= 0`. All variables are integers.
//!
//! Every operation is exact over the integers unless its name says otherwise. Coefficients are machine integers; an operation in
//! which one overflows is run again in arbitrary precision. Operations that can blow up take a [`Budget`] and answer
//! [`Error::Spent`] when it does not last.
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
//! Operations without a budget take time linear in the rows they write: those of the operands, for binary ones of each pair of pieces.
//! For the others the words below `Cost` mean
//! - *feasibility test*: an integer point is sought by repairs, then by eliminating variables with dark shadows and splinters; micro-
//!   seconds on the sets of loop nests, exponential at worst (Pugh, The Omega Test, CACM 35(8), 1992);
//! - *linear program*: exact simplex steps with Bland's rule, few on almost everything (Chvatal, Linear Programming, 1983);
//! - *projection*: substitution of equalities and Fourier-Motzkin steps where they are exact; columns for which they are not stay as
//!   existentials, so that rows do not multiply without need (Pugh 1992);
//! - *rational elimination*: Fourier-Motzkin steps, rows may square in number with each (Schrijver, Theory of Linear and Integer
//!   Programming, 1986);
//! - *difference*: at most one piece per constraint of what is taken away per piece, with a feasibility test each; floors are made
//!   explicit first (Verdoolaege, isl: An Integer Set Library for the Polyhedral Model, ICMS 2010).
//!
//! Sources of other methods stand at the head of their module in the source.
//!
//! Code map, bottom up:
//! - `num` coefficients; `sys` one conjunction's rows; `body` the dispatch over coefficient types;
//! - `simplex` rational programming; `guess` points at a glance; `solve` integer feasibility; `pip` parametric programming;
//! - `elim` projection and simplification; `divs` explicit floors;
//! - `compose`, `subtract`, `hull`, `farkas`, `lex`, `points`, `lattice`, `card` algorithms on unions;
//! - `space`, `basic`, `union`, `set`, `map`, `products`, `strides`, `union_sets`, `union_algebra` sets and maps;
//! - `aff`, `pw`, `pw_multi`, `union_functions`, `qpoly` functions;
//! - `parse`, `print`, `print_functions` text; `calc` a calculator.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod aff;
mod basic;
mod body;
mod budget;
pub mod calc;
mod card;
mod compose;
mod divs;
mod elim;
mod farkas;
mod guess;
mod hull;
mod lattice;
mod lex;
mod map;
mod num;
mod parse;
mod pip;
mod points;
mod print;
mod print_functions;
mod print_rows;
mod products;
mod pw;
mod pw_multi;
mod qpoly;
mod set;
mod simplex;
mod solve;
mod space;
mod strides;
mod subtract;
mod sys;
mod union;
mod union_algebra;
mod union_functions;
mod union_sets;

pub use aff::Aff;
pub use basic::{BasicMap, BasicSet, Div};
pub use budget::{Budget, Error, Result};
pub use map::Map;
pub use parse::ParseError;
pub use pw::PwAff;
pub use pw_multi::PwMultiAff;
pub use qpoly::PwQPoly;
pub use set::{Bound, Set};
pub use space::{Dim, Dims, Kind, Space, Tuple};
pub use strides::{LoopNest, Stride};
pub use union_functions::{UnionPwAff, UnionPwMultiAff};
pub use union_sets::{UnionMap, UnionSet};
