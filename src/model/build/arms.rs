//! Elements that a statement writes whichever way its branches on data take: each way has a store to the element.

use super::arrays::Memory;
use crate::facts::{FunctionFacts, ValueKind};
use crate::ids::ValueId;

/// Whether the element that a store behind a branch on data writes is surely written: by this store or by others behind
/// the same branch, to the very element. Cost: linear in the box.
pub fn is_surely_written(facts: &FunctionFacts, memories: &[Memory], store: ValueId) -> bool {
    let Some(boxed) = facts.boxed(store).filter(|b| !b.has_loops) else { return false };
    let element = |id: ValueId| {
        let is_store = matches!(facts.value(id).kind, ValueKind::Store { .. });
        let at = memories.iter().position(|m| m.subscripts.contains_key(&id)).filter(|_| is_store)?;
        Some((at, facts.accessed_bytes(id), memories[at].subscripts.get(&id)))
    };
    let Some(own) = element(store) else { return false };
    boxed.all_ways_pass(|arm| arm.insts.iter().any(|id| element(*id).as_ref() == Some(&own)))
}
