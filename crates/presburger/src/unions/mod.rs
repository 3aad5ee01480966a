//! Algorithms on unions of conjunctions: joins and projections (`compose`), differences (`subtract`), fewer pieces
//! (`coalesce`, with `align`, `settled`, `gaps` and `wrap`), hulls, optima and gist (`hull`), lexicographic optima
//! (`lex`, with `lex_bounds` and `lex_groups` for what is simpler, `lex_strides` for equalities, `lex_values` for
//! columns of few values), points (`points`), lattices and loop bounds (`lattice`).

pub(crate) mod align;
pub(crate) mod coalesce;
pub(crate) mod compose;
pub(crate) mod gaps;
pub(crate) mod hull;
pub(crate) mod lattice;
pub(crate) mod lex;
mod lex_bounds;
mod lex_groups;
mod lex_strides;
mod lex_values;
pub(crate) mod points;
mod settled;
pub(crate) mod subtract;
pub(crate) mod wrap;
