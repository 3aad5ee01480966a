//! Rows behind pointers: `a[i][j]` where `a[i]` is a pointer that the loops read from a table.
//!
//! In: facts. Out: for an access whose base pointer is such a row, the table and the place in it, as a polynomial. That
//! no row overlaps with another, with the table, or with other arrays, is for the run-time check to find; that nobody
//! writes to the table follows from it.

use super::affine::Reader;
use super::polynomial::{Poly, gcd};
use crate::facts::{FunctionFacts, ScevKind, ValueKind};
use crate::ids::{ScevId, ValueId};
use std::collections::BTreeMap;

/// Bytes of a pointer.
pub const POINTER_BYTES: u32 = 8;
/// Most phis between a load and where its value is used.
const MAX_PHIS: usize = 4;

/// A pointer that is read from a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// The load of the pointer.
    pub load: ValueId,
    /// Base pointer of the table.
    pub table: ValueId,
    /// Address of the pointer minus the table's, in bytes.
    pub offset: ScevId,
}

/// The pointers of a table that lie at equal distances: one field of its records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Field {
    /// Base pointer of the table.
    pub table: ValueId,
    /// Bytes from one pointer to the next.
    pub stride: i64,
    /// Bytes from the table's beginning to pointer 0.
    pub first: i64,
}

/// The row that this base pointer is, if it is loaded in the region, in each iteration, from a table outside of it.
pub fn row_of(facts: &FunctionFacts, base: ValueId, is_outside: impl Fn(ValueId) -> bool) -> Option<Row> {
    let load = loaded(facts, base);
    let value = facts.value(load);
    let ValueKind::Load { bytes: POINTER_BYTES, .. } = value.kind else { return None };
    if is_outside(load) || value.in_arm || facts.boxed(base).is_some() {
        return None;
    }
    let (table, offset) = (value.base?, value.offset?);
    is_outside(table).then_some(Row { load, table, offset })
}

/// Whether a pointer would be that of a row, were it not loaded behind a condition on data. For messages only.
pub fn place_behind_test(r: &mut Reader, base: ValueId) -> bool {
    let value = r.facts.value(loaded(r.facts, base));
    let is_load = matches!(value.kind, ValueKind::Load { bytes: POINTER_BYTES, .. }) && value.in_arm;
    let at = value.base.zip(value.offset).filter(|(table, _)| is_load && r.is_outside(*table));
    at.is_some_and(|(_, offset)| r.read(offset).is_ok())
}

/// What a pointer that is accessed is, but for null, which is none: the load that was moved under the condition that it
/// runs.
#[must_use]
pub fn loaded(facts: &FunctionFacts, base: ValueId) -> ValueId {
    let is_null = |v: ValueId| {
        let scev = facts.value(v).scev.map(|s| &facts.scev(s).kind);
        matches!(facts.value(v).kind, ValueKind::Constant) && matches!(scev, Some(ScevKind::Const(0)))
    };
    let mut at = base;
    for _ in 0..MAX_PHIS {
        let ValueKind::Phi(incoming) = &facts.value(at).kind else { break };
        let mut from = incoming.iter().map(|(v, _)| *v).filter(|v| !is_null(*v));
        let Some(first) = from.next() else { break };
        if from.any(|v| v != first) {
            break;
        }
        at = first;
    }
    at
}

/// Where the row's pointer is in its table, in bytes, if that is a form of dims and parameters with constant
/// coefficients.
pub fn place_of(r: &mut Reader, row: &Row) -> Option<Poly> {
    let read = r.read(row.offset).ok()?;
    let place = read.as_single()?;
    (place.degree() <= 1 && r.linearize(place).is_some()).then(|| place.clone())
}

/// The field and the number of the pointer in it for each place in one table; `None` if pointers may overlap.
#[must_use]
pub fn fields(table: ValueId, places: &BTreeMap<ValueId, Poly>) -> Option<BTreeMap<ValueId, (Field, Poly)>> {
    let mut stride = 0;
    for place in places.values() {
        stride = gcd(stride, place.plus(place.constant_term().checked_neg()?)?.content());
    }
    if stride == 0 {
        stride = i64::from(POINTER_BYTES);
    }
    if stride % i64::from(POINTER_BYTES) != 0 {
        return None;
    }
    let number = |(load, place): (&ValueId, &Poly)| {
        let first = place.constant_term().rem_euclid(stride);
        let number = place.plus(first.checked_neg()?)?.exact_div(stride)?;
        Some((*load, (Field { table, stride, first }, number)))
    };
    places.iter().map(number).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::LoopId;
    use crate::scop::polynomial::Sym;

    fn places(of: &[(i64, i64)]) -> BTreeMap<ValueId, Poly> {
        let place = |(c, k): (i64, i64)| Poly::sym(Sym::Dim(LoopId(0))).scale(c).unwrap().plus(k).unwrap();
        (0_u32..).map(ValueId).zip(of.iter().map(|of| place(*of))).collect()
    }

    fn fields_of(of: &[(i64, i64)]) -> Option<Vec<(i64, i64)>> {
        let found = fields(ValueId(9), &places(of))?;
        Some(found.values().map(|(f, _)| (f.stride, f.first)).collect())
    }

    #[test]
    fn records_have_fields() {
        assert_eq!(fields_of(&[(8, 0), (8, 8)]).unwrap(), [(8, 0), (8, 0)]);
        assert_eq!(fields_of(&[(24, 8), (24, 24), (24, -16)]).unwrap(), [(24, 8), (24, 0), (24, 8)]);
        assert_eq!(fields_of(&[(0, 16)]).unwrap(), [(8, 0)]);
    }

    #[test]
    fn pointers_that_overlap_have_none() {
        assert_eq!(fields_of(&[(4, 0)]), None);
    }

    #[test]
    fn neighbours_are_other_rows() {
        let found = fields(ValueId(9), &places(&[(8, 0), (8, 8)])).unwrap();
        let numbers: Vec<i64> = found.values().map(|(_, n)| n.constant_term()).collect();
        assert_eq!(numbers, [0, 1]);
    }
}
