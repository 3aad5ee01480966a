//! Statements with branches on data: copies of the blocks of the original code, with the branches between them.
//!
//! Values that depend on the way go through slots, which become phis. Nothing that one block computes is used in
//! another but what the original code uses there.

use super::generator::Generator;
use super::places::Slot;
use super::stmt::Instance;
use crate::bridge::ir::{Blk, Pos};
use crate::error::Failure;
use crate::facts::{Arm, ArmEnd, Boxed, ValueKind};
use crate::ids::{BlockId, ValueId};
use std::collections::BTreeMap;

/// What is made of a box.
struct Made<'f> {
    blocks: BTreeMap<BlockId, Blk<'f>>,
    slots: BTreeMap<ValueId, Slot<'f>>,
}

impl<'f> Generator<'f> {
    /// Emits those instructions of a block with branches that are in `insts`; the insertion point is then where the
    /// ways meet.
    ///
    /// # Errors
    /// As [`Generator::instance`].
    pub(super) fn boxed(
        &mut self,
        inst: &mut Instance<'_, 'f>,
        insts: &[ValueId],
        boxed: &Boxed,
    ) -> Result<(), Failure> {
        let facts = self.origin.facts;
        let head: Vec<ValueId> = insts.iter().copied().filter(|v| facts.boxed(*v).is_none()).collect();
        self.copies(inst, &head)?;
        let made = self.prepare(insts, boxed);
        let block = facts.value(insts.iter().copied().find(|v| facts.boxed(*v).is_some()).unwrap_or(insts[0])).block;
        self.leave(inst, block, boxed.end, &made)?;
        for Arm { block, insts: own, end } in &boxed.arms {
            self.em.ir.seek(Pos::End(made.blocks[block]));
            let before = inst.done.clone();
            for v in own.iter().filter(|v| insts.contains(v)) {
                match made.slots.get(v) {
                    Some(slot) => {
                        let value = slot.load(self.em.ir);
                        self.define(inst, *v, value);
                    }
                    None => self.copies(inst, &[*v])?,
                }
            }
            self.leave(inst, Some(*block), *end, &made)?;
            // What an operand took beside the instructions is computed again elsewhere.
            inst.done.retain(|v, _| before.contains_key(v) || insts.contains(v));
        }
        self.em.ir.seek(Pos::End(made.blocks[&boxed.join]));
        for v in boxed.merges.iter().filter(|v| made.slots.contains_key(v)) {
            let value = made.slots[v].load(self.em.ir);
            self.define(inst, *v, value);
        }
        Ok(())
    }

    /// Blocks, and slots for values that depend on the way; the insertion point stays.
    fn prepare(&self, insts: &[ValueId], boxed: &Boxed) -> Made<'f> {
        let (ir, facts) = (self.em.ir, self.origin.facts);
        let here = ir.current();
        let blocks = boxed.arms.iter().map(|a| (a.block, ir.new_block("polyrs.arm")));
        let blocks = blocks.chain([(boxed.join, ir.new_block("polyrs.met"))]).collect();
        let merges = insts.iter().copied().filter(|v| matches!(facts.value(*v).kind, ValueKind::Merge(_)));
        let slots = merges.map(|v| (v, Slot::new(ir, ir.type_of(ir.value(v))))).collect();
        ir.seek(Pos::End(here));
        Made { blocks, slots }
    }

    /// Ends the copy of a block: values that come this way, and the branch.
    fn leave(
        &mut self,
        inst: &mut Instance<'_, 'f>,
        from: Option<BlockId>,
        end: ArmEnd,
        made: &Made<'f>,
    ) -> Result<(), Failure> {
        let facts = self.origin.facts;
        for (merge, slot) in &made.slots {
            let ValueKind::Merge(incoming) = &facts.value(*merge).kind else { continue };
            if let Some((value, _)) = incoming.iter().find(|(_, b)| Some(*b) == from) {
                let value = self.operand(inst, *value)?;
                slot.store(self.em.ir, value);
            }
        }
        let ir = self.em.ir;
        match end {
            ArmEnd::To(to) => ir.br(made.blocks[&to]),
            ArmEnd::Branch(on, yes, no) => {
                let on = self.operand(inst, on)?;
                ir.cond_br(on, made.blocks[&yes], made.blocks[&no]);
            }
        }
        self.em.forget_inner();
        Ok(())
    }
}
