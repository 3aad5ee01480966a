//! One conjunction: its rows (`sys`), the dispatch over coefficient types (`body`), explicit floors (`divs`),
//! projection and simplification (`elim`, `facets` where rows are many, `signs` and `sums` where a look is enough),
//! points at a glance (`guess`), integer feasibility (`solve`, `thin` where that is hard), boxes (`bounds`), dual rows
//! and convex hulls (`farkas`), and rows over the rationals (`rational`).

pub(crate) mod body;
pub(crate) mod bounds;
pub(crate) mod divs;
pub(crate) mod elim;
mod facets;
pub(crate) mod farkas;
pub(crate) mod guess;
pub(crate) mod rational;
mod signs;
pub(crate) mod solve;
pub(crate) mod sums;
pub(crate) mod sys;
mod thin;
pub(crate) mod windows;
