//! Transformations of loops as operations on schedule trees.
//!
//! In: a subtree. Out: the subtree changed, or why the operation does not apply. Each changes the order of instances,
//! or says how its loops are to be written, and proves nothing: `proof` does. The scheduler decides what is done
//! (`schedule::layout`, `cost`) and does it with these operations (`schedule::laid`); a user's script names them
//! ([`script`]).

mod chain;
pub mod diamond;
pub mod distribute;
pub mod fuse;
pub mod hexagon;
pub mod interchange;
pub mod jam;
pub mod script;
pub mod skew;
#[cfg(test)]
mod tests;
pub mod tile;
pub mod wavefront;

pub use chain::{Place, find};
