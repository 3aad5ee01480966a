//! Loops of which LLVM makes straight code: short ones, of a number of iterations that it knows.

use crate::cost::{Facts, Loop};

/// Most innermost loops that LLVM makes straight code of.
pub const STRAIGHT: usize = 3;

/// Instructions of all iterations of an innermost loop up to which LLVM makes one piece of straight code of them, where
/// it knows their number.
pub const UNROLLED: f64 = 240.0;

/// The same where iterations add up integers, which run in vectors in either order.
pub const UNROLLED_SUMS: f64 = 450.0;

/// Iterations of each of them up to which nobody enters them: longer ones it may put into vectors first.
pub const FEW_TRIPS: f64 = 8.0;

/// The same of a new loop, which runs in vectors first.
const FEW_IN_VECTORS: f64 = 16.0;

/// Whether a loop along this row `[dims | 1]` has as many iterations as a dim of a known length, in a region whose
/// arrays may share memory: LLVM does as well with the others by itself.
#[must_use]
pub fn is_exact(row: &[i64], facts: &Facts) -> bool {
    if !facts.may_overlap {
        return false;
    }
    let mut moved = row[..facts.trips.len()].iter().zip(&facts.exact).filter(|(c, _)| **c != 0);
    moved.next().is_some_and(|(_, exact)| exact.is_some()) && moved.next().is_none()
}

/// Whether the last of these loops becomes straight code, in vectors or not; `instructions`: those of one iteration.
/// New loops around it stay loops.
#[must_use]
pub fn is_straight(inner: &Loop, instructions: f64, is_exact: bool) -> bool {
    let trips = inner.trips.iter().copied().fold(1.0, f64::max);
    is_exact && trips <= FEW_IN_VECTORS && trips * instructions <= UNROLLED
}
