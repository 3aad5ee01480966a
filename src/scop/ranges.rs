//! Ranges of expressions by their types alone: of what is loaded from a table of bytes, or masked.

use crate::facts::{FunctionFacts, ScevKind};
use crate::ids::ScevId;

/// Widest values that a range is given for: sums and products of few of them fit into i64.
const MAX_RANGE_BITS: u32 = 32;

/// Bytes that a look-up table has at most: one of doubles by 16 bits.
const MAX_TABLE: i64 = 8 << 16;

/// The least and greatest value of an expression read as a signed number; `None` where nothing but its type is known
/// and that is too wide.
fn range(facts: &FunctionFacts, id: ScevId) -> Option<(i64, i64)> {
    let scev = facts.scev(id);
    let of = |x: ScevId| range(facts, x);
    let exact = match &scev.kind {
        ScevKind::Const(c) => Some((*c, *c)),
        ScevKind::SExt(x) => of(*x),
        ScevKind::ZExt(x) => of(*x).filter(|(low, _)| *low >= 0).or_else(|| unsigned(facts.scev(*x).bits)),
        ScevKind::Add(ops) => ops.iter().try_fold((0i64, 0i64), |(low, high), op| {
            let (a, b) = of(*op)?;
            Some((low.checked_add(a)?, high.checked_add(b)?))
        }),
        ScevKind::Mul(ops) => ops.iter().try_fold((1i64, 1i64), |(low, high), op| {
            let (a, b) = of(*op)?;
            let ends = [low.checked_mul(a)?, low.checked_mul(b)?, high.checked_mul(a)?, high.checked_mul(b)?];
            Some((*ends.iter().min()?, *ends.iter().max()?))
        }),
        _ => None,
    };
    let typed = signed(scev.bits);
    // What leaves the type's range has wrapped.
    let fits = |(low, high): &(i64, i64)| match typed {
        Some((least, most)) => *low >= least && *high <= most,
        None => scev.bits >= 64 || (scev.bits > MAX_RANGE_BITS && low.max(&high.abs()) < &(1 << MAX_RANGE_BITS)),
    };
    exact.filter(fits).or(typed.map(|(low, high)| if scev.nonneg { (0, high) } else { (low, high) }))
}

/// The range of an offset in bytes where that is small enough to tell what is accessed from other arrays: of a look-up
/// table.
#[must_use]
pub fn table_range(facts: &FunctionFacts, offset: ScevId) -> Option<(i64, i64)> {
    range(facts, offset).filter(|(low, high)| high.checked_sub(*low).is_some_and(|span| span <= MAX_TABLE))
}

fn signed(bits: u32) -> Option<(i64, i64)> {
    (1..=MAX_RANGE_BITS).contains(&bits).then(|| (-(1i64 << (bits - 1)), (1i64 << (bits - 1)) - 1))
}

fn unsigned(bits: u32) -> Option<(i64, i64)> {
    (1..=MAX_RANGE_BITS).contains(&bits).then(|| (0, (1i64 << bits) - 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scop::sketch::Sketch;

    #[test]
    fn bytes_name_a_table() {
        let mut s = Sketch::new();
        let byte = s.unknown(s.n, 8);
        let wide = s.scev(ScevKind::ZExt(byte), 64, false);
        let offset = s.bytes(wide);
        let below = s.constant(-16, 64);
        let sum = s.scev(ScevKind::Add(vec![below, offset]), 64, false);
        let signed = s.scev(ScevKind::SExt(byte), 64, false);
        assert_eq!(table_range(&s.facts, offset), Some((0, 8 * 255)));
        assert_eq!(table_range(&s.facts, sum), Some((-16, 8 * 255 - 16)));
        assert_eq!(table_range(&s.facts, signed), Some((-128, 127)));
    }

    #[test]
    fn sums_that_may_wrap_and_wide_values_name_none() {
        let mut s = Sketch::new();
        let byte = s.unknown(s.n, 8);
        let twice = s.scev(ScevKind::Add(vec![byte, byte]), 8, false);
        let (int, long) = (s.unknown(s.n, 32), s.unknown(s.n, 64));
        let wide = s.scev(ScevKind::SExt(int), 64, false);
        assert_eq!(range(&s.facts, twice), Some((-128, 127)));
        assert_eq!(range(&s.facts, wide), Some((-(1 << 31), (1 << 31) - 1)));
        assert_eq!(table_range(&s.facts, wide), None);
        assert_eq!(range(&s.facts, long), None);
    }
}
