//! Algorithms on unions of conjunctions: joins and projections (`compose`), differences (`subtract`), fewer pieces
//! (`coalesce`, with `align` and `wrap`), hulls, optima and gist (`hull`), lexicographic optima (`lex`), points
//! (`points`), lattices and loop bounds (`lattice`).

pub(crate) mod align;
pub(crate) mod coalesce;
pub(crate) mod compose;
pub(crate) mod hull;
pub(crate) mod lattice;
pub(crate) mod lex;
pub(crate) mod points;
pub(crate) mod subtract;
pub(crate) mod wrap;
