//! Elements that a statement writes whichever way its branches on data take: each way has a store to the element.

use super::arrays::Memory;
use crate::facts::{ArmEnd, Boxed, FunctionFacts, ValueKind};
use crate::ids::{BlockId, ValueId};

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
    let writes = |block: BlockId| {
        let arm = boxed.arms.iter().find(|arm| arm.block == block);
        arm.is_some_and(|arm| arm.insts.iter().any(|id| element(*id).as_ref() == Some(&own)))
    };
    !is_reached_without(boxed, writes)
}

/// Whether some way from the branch to where all ways meet goes through no such block.
fn is_reached_without(boxed: &Boxed, stops: impl Fn(BlockId) -> bool) -> bool {
    let (mut seen, mut work) = (Vec::new(), targets(boxed.end));
    while let Some(block) = work.pop() {
        if block == boxed.join {
            return true;
        }
        if seen.contains(&block) || stops(block) {
            continue;
        }
        seen.push(block);
        match boxed.arms.iter().find(|arm| arm.block == block) {
            Some(arm) => work.extend(targets(arm.end)),
            None => return true,
        }
    }
    false
}

fn targets(end: ArmEnd) -> Vec<BlockId> {
    match end {
        ArmEnd::To(block) => vec![block],
        ArmEnd::Branch(_, first, second) => vec![first, second],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::Arm;

    /// Blocks 1, 2, .. behind the branch of block 0, each with its end; all ways meet in block 9.
    fn boxed(ends: &[ArmEnd]) -> Boxed {
        let arm = |(block, end): (u32, &ArmEnd)| Arm { block: BlockId(block), insts: Vec::new(), end: *end };
        Boxed {
            end: ArmEnd::Branch(ValueId(0), BlockId(1), BlockId(2)),
            arms: (1..).zip(ends).map(arm).collect(),
            join: BlockId(9),
            merges: Vec::new(),
            has_loops: false,
            why: None,
        }
    }

    #[test]
    fn each_way_needs_a_store() {
        let both = boxed(&[ArmEnd::To(BlockId(9)), ArmEnd::To(BlockId(9))]);
        assert!(!is_reached_without(&both, |_| true));
        assert!(is_reached_without(&both, |b| b == BlockId(1)));
    }

    #[test]
    fn a_store_may_stand_where_some_ways_meet() {
        let meet = boxed(&[ArmEnd::To(BlockId(3)), ArmEnd::To(BlockId(3)), ArmEnd::To(BlockId(9))]);
        assert!(!is_reached_without(&meet, |b| b == BlockId(3)));
        let past = boxed(&[
            ArmEnd::To(BlockId(3)),
            ArmEnd::Branch(ValueId(1), BlockId(3), BlockId(9)),
            ArmEnd::To(BlockId(9)),
        ]);
        assert!(is_reached_without(&past, |b| b == BlockId(3)));
    }
}
