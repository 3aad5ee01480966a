//! One model of time: what an order of loops takes on this target, in cycles; for a loop also as a function of the
//! parameters.
//!
//! In: the statements of a `Scop` ([`refs`]: instances, elements touched, cycles of each; [`lengths`] of their loops;
//! for sizes by [`sizes`]) and loops around them ([`nest`]); numbers of the target ([`machine`]).
//! Out: an [`Estimate`] for a nest; a [`work::Work`] for loops, to be compared with a threshold at run time.
//! Approximate everywhere: nothing here decides legality. Who asks (`schedule`, `parallel`, `codegen`) decides; this
//! room only estimates.

pub mod contraction;
pub mod diamonds;
pub mod gpu;
pub mod hexagons;
pub mod lanes;
pub mod lengths;
pub mod machine;
pub mod nest;
pub mod parts;
pub mod refs;
pub mod remainders;
pub mod sizes;
pub mod traffic;
pub mod vectors;
pub mod work;
pub mod working_sets;

pub use machine::Machine;
pub use nest::{Carry, Estimate, Loop, Nest, Shape};
pub use refs::{Facts, Reference};
pub use sizes::{Scenario, scenarios};
pub use vectors::Vectors;

/// What a parameter is taken for of which nothing is known.
pub const ASSUMED_PARAMETER: f64 = 1000.0;

#[cfg(test)]
mod tests;
