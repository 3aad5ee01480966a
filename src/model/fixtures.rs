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

/// Domain of a [`product`] of square matrices.
pub const CUBE: &str = "0 <= i < N and 0 <= j < N and 0 <= k < N";

/// `c += a * b`, elements such as `Arr0[i, j]`, for the `i, j, k` of `domain`, in this order of loops.
///
/// # Panics
/// When a subscript or the domain is not one.
#[must_use]
pub fn product(c: &str, a: &str, b: &str, domain: &str) -> Scop {
    let text = format!(
        "
        scop product
        params: N
        assumed: {{ : N >= 3 }}
        array Arr0 memory f64 [*, N]
        array Arr1 memory f64 [*, N]
        array Arr2 memory f64 [*, N]
        stmt Stmt0
          domain: {{ Stmt0[i, j, k] : {domain} }}
          schedule: [0, i, 0, j, 0, k, 0]
          read: {{ Stmt0[i, j, k] -> {a} }}
          read: {{ Stmt0[i, j, k] -> {b} }}
          read: {{ Stmt0[i, j, k] -> {c} }}
          must_write: {{ Stmt0[i, j, k] -> {c} }}
        "
    );
    Scop::parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}
