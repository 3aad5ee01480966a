//! SCoPs that the tests of all layers read: the loop nests the field measures with, and small ones that show one thing
//! each.

use super::Scop;

macro_rules! fixtures {
    ($($name:literal),* $(,)?) => {
        /// Name and text of each fixture.
        pub const ALL: &[(&str, &str)] = &[$(($name, include_str!(concat!("fixtures/", $name, ".scop")))),*];
    };
}

fixtures!(
    "2mm",
    "3mm",
    "adi",
    "antidiagonal",
    "atax",
    "bicg",
    "cholesky",
    "correlation",
    "covariance",
    "deriche",
    "diagonal",
    "doitgen",
    "durbin",
    "fdtd_2d",
    "floyd_warshall",
    "gemm",
    "gemver",
    "gesummv",
    "gramschmidt",
    "heat_3d",
    "jacobi_1d",
    "jacobi_2d",
    "lu",
    "ludcmp",
    "mvt",
    "nussinov",
    "produce_consume",
    "seed_atax",
    "seed_gemm",
    "seed_matmul",
    "seed_stride",
    "seed_three",
    "seidel_2d",
    "symm",
    "syr2k",
    "syrk",
    "trisolv",
    "trmm",
);

/// The fixture of this name.
///
/// # Panics
/// When there is none, or its text is not a SCoP.
#[must_use]
pub fn scop(name: &str) -> Scop {
    let (_, text) = ALL.iter().find(|(n, _)| *n == name).unwrap_or_else(|| panic!("no fixture {name}"));
    Scop::parse(text).unwrap_or_else(|e| panic!("{name}: {e}"))
}
