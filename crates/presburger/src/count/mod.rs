//! Counting points, with parameters: by sums over residue classes where these are few (`card`), otherwise by signed
//! decomposition of cones (`barvinok`, `cones`); small sets without parameters point by point (`enumerate`). The
//! vertices of a polyhedron for themselves: `vertices`.

pub(crate) mod barvinok;
pub(crate) mod card;
mod cones;
pub(crate) mod enumerate;
pub(crate) mod vertices;
