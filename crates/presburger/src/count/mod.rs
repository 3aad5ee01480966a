//! Counting points, with parameters: by sums over residue classes where these are few (`card`), otherwise by signed
//! decomposition of cones (`barvinok`, `cones`).

pub(crate) mod barvinok;
pub(crate) mod card;
mod cones;
