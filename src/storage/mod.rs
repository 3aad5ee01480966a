//! Where data lives while a subtree of the schedule runs.
//!
//! In: model and facts. Out: plain data. [`footprint`] says what of an array some statements touch, and is asked by
//! everybody who needs to know: the run-time check, copies of arrays, the cost model. [`buffer`] says what a
//! copy of an array lies in. [`scalars`] maps values that cross statements onto elements that are free at the time.
//! [`overwritten`] finds what nobody needs in memory.
//! Invariants: no answer is too small, and nothing here is known to LLVM: what becomes of it are expressions
//! ([`crate::ast::end_of`]).

pub mod bounds;
pub mod buffer;
pub mod extents;
pub mod footprint;
pub mod overwritten;
pub mod rows;
pub mod scalars;
#[cfg(test)]
mod tests;
