//! Dependences, vectors and verdicts: the field's examples, illegal schedules, and everything against enumeration.

mod contractions;
mod kernels;
mod ops;
pub(crate) mod oracle;
mod random;
mod roles;
pub(crate) mod seeds;
