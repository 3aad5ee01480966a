//! Estimated run time of an order of loops: what decides loop order, tile sizes, and whether new code is made at all.
//!
//! In:  [`Nest`]s: statements that share one innermost loop, with their loops outermost first, and [`Reference`]s.
//! Out: cycles on one core; only ratios between orders of the same SCoP mean something.
//!
//! Three terms. Work: cycles per innermost iteration, by whether the innermost loop can be vectorized (nothing carried, strides
//! 0 or 1) or waits for a result of its previous iteration. Traffic: cache lines moved into each cache, by footprints: a reuse
//! carried by a loop hits iff one iteration of that loop fits the cache. Overhead: entries of loops.
//! Approximate on purpose; unknown parameters count as large.

use super::Machine;
use super::farkas::STAGE;
use super::problem::Row;
use crate::error::{Failure, Limit};
use crate::model::{AccessKind, ArrayKind, Scop, Set2, Size, Stmt};
use presburger::Kind;
