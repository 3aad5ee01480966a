//! Dependences, vectors and verdicts: the field's examples, illegal schedules, and everything against enumeration.

mod kernels;
mod oracle;
mod random;
mod seeds;
