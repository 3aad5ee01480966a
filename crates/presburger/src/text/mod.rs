//! Text: sets, maps and functions read (`parse`) and printed (`print`, `print_rows`, `print_functions`) in isl's
//! notation, and drawn (`draw`); values as text for `serde` (`serialize`).

mod draw;
pub(crate) mod parse;
pub(crate) mod print;
pub(crate) mod print_functions;
pub(crate) mod print_rows;
#[cfg(feature = "serde")]
mod serialize;
