//! Statements that copy an element onto itself.

use crate::facts::{FunctionFacts, ValueKind};
use crate::ids::{StmtId, ValueId};
use crate::model::{Access, AccessKind, Scop, Stmt};
use std::collections::BTreeSet;

/// The statements whose only write stores what they have read from the same element: memory is the same with and
/// without them.
pub(super) fn of_elements_onto_themselves(scop: &Scop, facts: &FunctionFacts) -> BTreeSet<StmtId> {
    let is_copy = |stmt: &&Stmt| {
        let mut writes = stmt.accesses.iter().filter(|a| a.kind != AccessKind::Read);
        let (Some(write), None) = (writes.next(), writes.next()) else { return false };
        let value = match (write.carries, &facts.value(write.inst).kind) {
            (Some(_), _) => super::value(scop, write),
            (None, ValueKind::Store { value, .. }) => *value,
            (None, _) => return false,
        };
        let is_inside = |v: ValueId| facts.value(v).block.is_some_and(|b| scop.region.blocks.contains(&b));
        let value = facts.copied_from(value, is_inside);
        // What is mapped onto an element of a row needs the row's pointer: this statement says which those are.
        let array = scop.array(write.array);
        let is_wanted = array.is_memory() && !array.is_rows();
        let Some(element) = write.subscripts().filter(|_| is_wanted) else { return false };
        // What a scalar on an element moves is of the element's size.
        let bytes = |a: &Access| match a.carries {
            Some(_) => scop.array(a.array).elem_bytes,
            None => facts.accessed_bytes(a.inst),
        };
        let is_source = |read: &Access| {
            read.kind == AccessKind::Read
                && read.array == write.array
                && facts.copied_from(read.inst, is_inside) == value
                && bytes(read) == bytes(write)
                && read.subscripts().as_ref() == Some(&element)
        };
        stmt.accesses.iter().any(is_source)
    };
    scop.stmts.iter().filter(is_copy).map(|s| s.id).collect()
}
