//! Dependences and their vectors: the field's examples; and, with verdicts on random orders, against enumeration.

mod kernels;
pub(crate) mod oracle;
mod random;
pub(crate) mod seeds;
