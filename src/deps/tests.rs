//! Dependences, vectors and verdicts: the field's examples, illegal schedules, and everything against enumeration.

mod copies;
mod kernels;
mod ops;
mod oracle;
mod private;
mod random;
mod reductions;
mod seeds;
