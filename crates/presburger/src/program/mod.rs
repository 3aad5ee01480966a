//! Linear programming over one conjunction: over the rationals (`simplex`), and over the integers without (`dual`)
//! and with parameters (`pip`).

pub(crate) mod dual;
pub(crate) mod pip;
pub(crate) mod simplex;
