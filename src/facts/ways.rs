//! The ways through blocks behind a branch on data.

use super::{Arm, ArmEnd, Boxed};
use crate::ids::BlockId;

impl Boxed {
    /// Whether each way from the branch to where all ways meet goes through such a block. Cost: linear in the box.
    #[must_use]
    pub fn all_ways_pass(&self, stops: impl Fn(&Arm) -> bool) -> bool {
        let (mut seen, mut work) = (Vec::new(), targets(self.end));
        while let Some(block) = work.pop() {
            if block == self.join {
                return false;
            }
            if seen.contains(&block) {
                continue;
            }
            seen.push(block);
            match self.arms.iter().find(|arm| arm.block == block) {
                Some(arm) if stops(arm) => {}
                Some(arm) => work.extend(targets(arm.end)),
                None => return false,
            }
        }
        true
    }
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
    use crate::ids::ValueId;

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
    fn each_way_needs_a_block() {
        let both = boxed(&[ArmEnd::To(BlockId(9)), ArmEnd::To(BlockId(9))]);
        assert!(both.all_ways_pass(|_| true));
        assert!(!both.all_ways_pass(|arm| arm.block == BlockId(1)));
    }

    #[test]
    fn a_block_may_stand_where_some_ways_meet() {
        let meet = boxed(&[ArmEnd::To(BlockId(3)), ArmEnd::To(BlockId(3)), ArmEnd::To(BlockId(9))]);
        assert!(meet.all_ways_pass(|arm| arm.block == BlockId(3)));
        let past = boxed(&[
            ArmEnd::To(BlockId(3)),
            ArmEnd::Branch(ValueId(1), BlockId(3), BlockId(9)),
            ArmEnd::To(BlockId(9)),
        ]);
        assert!(!past.all_ways_pass(|arm| arm.block == BlockId(3)));
    }
}
