//! Scalars whose value an element is known to hold as well: readers find it there as long as nothing else writes it.
//!
//! Either the statement that makes a scalar stores it, `f = A[i][k] / A[k][k]; A[i][k] = f; for (j) A[i][j] -= f * ..`,
//! or the scalar is an element that was read outside of loops that use it, `t = A[k][j]; for (i) A[i][j] -= t * ..`.
//! Source: Kruse, Grosser, CGO 2018 (contents known to be equal); here the flow of the element is compared with that of
//! the scalar.

use super::flow::{self, Known};
use super::{Target, fits, moved, writes, writes_once};
use crate::error::Failure;
use crate::facts::{FunctionFacts, Type, ValueKind};
use crate::ids::ArrayId;
use crate::model::{Access, AccessKind, ArrayKind, Scop, Stmt};
use presburger::Budget;
use std::collections::BTreeSet;

/// The program with the reads of a scalar from the element that holds it, if that is the same program; `known` is of
/// that one then.
///
/// # Errors
/// `Limit` when the budget is spent or a coefficient leaves i64.
pub(super) fn read_from_element(
    (scop, facts): (&Scop, &FunctionFacts),
    scalar: ArrayId,
    known: &mut Known,
    budget: &Budget,
) -> Result<Option<Scop>, Failure> {
    let mut writers = scop.stmts.iter().filter(|s| s.accesses.iter().any(|a| writes(a, scalar)));
    let (Some(writer), None) = (writers.next(), writers.next()) else { return Ok(None) };
    let Some((home, target)) = home((scop, facts), writer, scalar) else { return Ok(None) };
    // A read gets the last of several writes of a statement, which need not be that of the scalar.
    let is_last = home.kind == AccessKind::Read || writes_once(writer, target.array);
    if !is_last || !fits(scop, facts, &target, scalar) {
        return Ok(None);
    }
    let mut unwritten = scop.clone();
    unwritten.stmts[writer.id.index()].accesses.retain(|a| !writes(a, scalar));
    let Some(after) = moved(&unwritten, &target, &BTreeSet::from([scalar])) else { return Ok(None) };
    let loaded = (home.kind == AccessKind::Read).then_some((writer.id, home.inst));
    if !flow::is_read_alike((scop, &after), (target.array, scalar), loaded, known, budget)? {
        return Ok(None);
    }
    known.forget([scalar, target.array]);
    Ok(Some(after))
}

/// The access of the scalar's statement to the element that holds its value, as a whole.
fn home<'s>(
    (scop, facts): (&'s Scop, &FunctionFacts),
    writer: &'s Stmt,
    scalar: ArrayId,
) -> Option<(&'s Access, Target)> {
    let ArrayKind::Value { def } = scop.array(scalar).kind else { return None };
    let (Type::Float(bits) | Type::Int(bits)) = facts.value(def).ty else { return None };
    let is_inside = |v| facts.value(v).block.is_some_and(|b| scop.region.blocks.contains(&b));
    let holds = |a: &&Access| {
        let array = scop.array(a.array);
        let (is_it, bytes) = match facts.value(a.inst).kind {
            ValueKind::Store { value, bytes, .. } => {
                (a.kind == AccessKind::MustWrite && facts.copied_from(value, is_inside) == def, bytes)
            }
            ValueKind::Load { bytes, .. } => (a.kind == AccessKind::Read && a.inst == def, bytes),
            _ => return false,
        };
        // A statement that only reads is gone then, and with it who says which row an element is in.
        let is_plain = array.is_memory() && (a.kind != AccessKind::Read || !array.is_rows());
        is_it && is_plain && a.carries.is_none() && array.elem_bytes == bytes && bits == bytes * 8
    };
    let access = writer.accesses.iter().find(holds)?;
    let subscripts = access.subscripts().filter(|_| writer.reduction.is_none())?;
    Some((access, Target { stmt: writer.id, array: access.array, subscripts, ty: facts.value(def).ty }))
}
