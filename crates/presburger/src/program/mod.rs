//! Linear programming over one conjunction: over the rationals (`simplex`), and over the integers with parameters
//! (`pip`).

pub(crate) mod pip;
pub(crate) mod simplex;
