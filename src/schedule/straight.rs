//! Loops of which LLVM makes straight code: short ones, of a number of iterations that it knows.

use crate::cost::{Facts, Loop, Reference};

/// Most innermost loops that LLVM makes straight code of.
pub const STRAIGHT: usize = 3;

/// Instructions of all iterations of an innermost loop up to which LLVM makes one piece of straight code of them, where
/// it knows their number.
pub const UNROLLED: f64 = 240.0;

/// The same where iterations add up integers, which run in vectors in either order.
pub const UNROLLED_SUMS: f64 = 450.0;

/// The same where nothing that is read may be written elsewhere, so that sums stay in registers meanwhile.
pub const UNROLLED_APART: f64 = 280.0;

/// Iterations of a loop up to which it looks at each of them to find what becomes constant.
pub const COUNTED: f64 = 10.0;

/// See `UNROLLED_APART`, of a loop with more iterations.
pub const UNROLLED_LONG: f64 = 170.0;

/// Iterations of each of them up to which nobody enters them: longer ones it may put into vectors first.
pub const FEW_TRIPS: f64 = 8.0;

/// The same of loops that run in vectors first.
pub const FEW_IN_VECTORS: f64 = 16.0;

/// Instructions that find an element of an array whose rows are no known number of elements apart.
const FINDING: f64 = 3.0;

/// Instructions of an instance of the original where nothing that is read may be written elsewhere: what an innermost
/// loop in this direction adds up stays in a register.
#[must_use]
pub fn instructions_apart(facts: &Facts, direction: &[f64]) -> f64 {
    let is_sum = |r: &Reference| r.reads && r.writes && !r.irregular && r.stride_bytes(direction) == 0.0;
    let of = |r: &Reference| match () {
        () if is_sum(r) => -2.0,
        () if !r.has_known_rows && r.subscripts.len() > 1 => FINDING,
        () => 0.0,
    };
    facts.original_instructions() + facts.refs.iter().map(of).sum::<f64>()
}

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
