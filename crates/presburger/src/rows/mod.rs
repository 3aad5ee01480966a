//! The fast layer: plain `i64` rows with the constant first, for those who ask many small questions about a few rows
//! each.
//!
//! Sets and maps copy, tidy and dispatch over coefficient types on every operation; the parts here are extended in
//! place, cloned where questions share what is known, and leave what is rare (integer feasibility, arbitrary precision)
//! to a [`crate::Set`] made from them at the end. Numbers are checked: what does not fit `i64` is
//! [`crate::Error::Overflow`].
//!
//! - [`Row`] and its arithmetic; [`Frac`] and [`Congruence`], rows with a denominator or a modulus;
//! - [`Tableau`], a simplex tableau that grows row by row;
//! - [`Constraint`], lists of rows within what a tableau knows: elimination, redundancy, difference;
//! - [`Conjunction`], rows solved on the way for what has a unit coefficient, with [`Slot`] to place other sets' rows
//!   in them;
//! - [`Cone`], generators of cones by the double description method;
//! - [`rank`], [`span`], [`nullspace`] of integer matrices.

mod cone;
mod conjunction;
mod constraints;
mod matrix;
mod place;
mod row;
mod tableau;

pub use cone::{Cone, Vector, dot, gcd_of, generators};
pub use conjunction::Conjunction;
pub use constraints::{Constraint, dedupe, eliminate, reduce, subtract, with_rows};
pub use matrix::{nullspace, rank, span};
pub use place::{Piece, Pieces, Slot, add_piece, pieces_of, place, place_aff, refine, spread};
pub use row::{
    Congruence, Frac, Row, combine, combine_exact, complement, difference, gcd, is_constant, negate, plus, same,
    substitute, tighten,
};
pub use tableau::Tableau;
