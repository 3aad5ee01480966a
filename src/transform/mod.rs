//! Transformations of loops as operations on schedule trees.
//!
//! Each changes the order of instances, or says how its loops are to be written, and proves nothing: `deps::check`
//! does. The scheduler makes its tiles and wavefronts with them; a user's script names them ([`script`]).

mod chain;
pub mod distribute;
pub mod fuse;
pub mod interchange;
pub mod jam;
pub mod script;
pub mod skew;
#[cfg(test)]
mod tests;
pub mod tile;
pub mod wavefront;

pub use chain::{Place, find};
