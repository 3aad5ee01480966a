//! Branches on data become part of their block: `if (a[i] > t) b[i] = 0;` has no affine condition, but all that it
//! reads and writes is known, and the loops around it are affine.
//!
//! In: facts. Out: the same facts, with each such branch and all blocks up to where its ways meet in the block of the
//! branch ([`Boxed`]). What stands behind the branch may run or not: the model takes its stores for accesses that may
//! write. Only blocks without loops, calls and other ends are boxed; a branch that cannot be stays what it is.
//! Source: Grosser, Groesslinger, Lengauer, Parallel Processing Letters 22(4), 2012, section 3 (non-affine
//! subregions).

use super::affine::Reader;
use super::cond::{Branch, condition};
use crate::facts::{Arm, ArmEnd, Boxed, FunctionFacts, ValueKind};
use crate::ids::{BlockId, LoopId, ValueId};
use log::debug;

/// Most blocks of one box.
const MAX_ARMS: usize = 32;

/// Boxes all branches in loops that are on data. Linear in the size of the function times the depth of its loops, but
/// for the reading of conditions.
pub fn box_branches(facts: &mut FunctionFacts) {
    let heads: Vec<BlockId> = (0..facts.loops.len()).flat_map(|l| on_data(facts, LoopId::new(l))).collect();
    for head in heads {
        if let Some(plan) = Plan::new(facts, head) {
            debug!("{}: {} blocks behind {head} are part of it", facts.name, plan.arms.len());
            plan.apply(facts);
        }
    }
}

/// Blocks of a loop, but not of those inside, whose branch has a condition that is not affine even for the loop alone.
/// What leaves a loop is none.
fn on_data(facts: &FunctionFacts, lp: LoopId) -> Vec<BlockId> {
    let Some(entry) = facts.lp(lp).preheader else { return Vec::new() };
    let branches = |b: &BlockId| {
        let block = facts.block(*b);
        let leaves = facts.lp(lp).exiting.contains(b);
        let is_own = block.innermost == Some(lp) && block.succs.len() == 2;
        is_own && !leaves && block.ends_on.is_none() && !block.assumed_dead
    };
    let all = || (0..facts.blocks.len()).map(BlockId::new);
    let found: Vec<BlockId> = all().filter(branches).collect();
    if found.is_empty() {
        return found;
    }
    let is_inside =
        |b: &BlockId| std::iter::successors(facts.block(*b).innermost, |l| facts.lp(*l).parent).any(|l| l == lp);
    let blocks: Vec<BlockId> = all().filter(is_inside).collect();
    let mut inside = vec![false; facts.blocks.len()];
    blocks.iter().chain([&entry]).for_each(|b| inside[b.index()] = true);
    let mut reader = Reader::new(facts, &inside, entry);
    reader.prepare_accesses(&blocks);
    let is_on_data = |b: &BlockId| match facts.block(*b).insts.last().map(|v| &facts.value(*v).kind) {
        Some(ValueKind::CondBr(on)) => {
            [Branch::Taken, Branch::Else].iter().any(|way| condition(&mut reader, *on, *way).is_err())
        }
        _ => false,
    };
    found.into_iter().filter(is_on_data).collect()
}

/// A box before it is made.
struct Plan {
    head: BlockId,
    end: ArmEnd,
    arms: Vec<Arm>,
    join: BlockId,
    /// Phis of the join that become merges.
    merges: Vec<ValueId>,
    /// Phis of the join to which all ways bring one value.
    same: Vec<(ValueId, ValueId)>,
}

impl Plan {
    /// The box of the branch at the end of `head`; `None` where there is none.
    fn new(facts: &FunctionFacts, head: BlockId) -> Option<Self> {
        let (end, join) = (end_of(facts, head)?, facts.block(head).ipdom?);
        let lp = facts.block(head).innermost?;
        if facts.block(head).boxed.is_some() || facts.block(join).innermost != Some(lp) || facts.lp(lp).header == join {
            return None;
        }
        let order = ways(facts, head, join)?;
        let arm = |block: &BlockId| {
            let of = facts.block(*block);
            let is_plain = of.innermost == Some(lp)
                && of.ends_on.is_none()
                && !of.assumed_dead
                && !of.never_returns
                && of.preds.iter().all(|p| *p == head || order.contains(p));
            let insts = of.insts.split_last().filter(|_| is_plain)?.1.to_vec();
            let end = end_of(facts, *block)?;
            insts.iter().all(|v| may_be_skipped(&facts.value(*v).kind)).then_some(Arm { block: *block, insts, end })
        };
        let arms: Vec<Arm> = order.iter().map(arm).collect::<Option<_>>()?;
        let mut plan = Self { head, end, arms, join, merges: Vec::new(), same: Vec::new() };
        plan.meet(facts, &order)?;
        plan.is_in_order(facts).then_some(plan)
    }

    /// What becomes of the join's phis.
    fn meet(&mut self, facts: &FunctionFacts, order: &[BlockId]) -> Option<()> {
        let is_own = |b: &BlockId| *b == self.head || order.contains(b);
        let is_left = facts.block(self.join).preds.iter().any(|p| !is_own(p));
        for &phi in &facts.block(self.join).insts {
            let ValueKind::Phi(incoming) = &facts.value(phi).kind else { break };
            let mut own = incoming.iter().filter(|(_, b)| is_own(b)).map(|(v, _)| *v);
            let first = own.next()?;
            if own.all(|v| v == first) {
                self.same.push((phi, first));
            } else if is_left {
                return None;
            } else {
                self.merges.push(phi);
            }
        }
        Some(())
    }

    /// Whether ids tell that the head's instructions come before the arms', and merges behind: later stages compare
    /// them.
    fn is_in_order(&self, facts: &FunctionFacts) -> bool {
        let last_of_head = facts.block(self.head).insts.last();
        let inner = || self.arms.iter().flat_map(|a| &a.insts);
        let (first, last) = (inner().min(), inner().max());
        first.is_none_or(|v| last_of_head < Some(v)) && last.is_none_or(|v| self.merges.iter().all(|m| v < m))
    }

    fn apply(self, facts: &mut FunctionFacts) {
        let Self { head, end, arms, join, merges, same } = self;
        facts.blocks[head.index()].insts.pop();
        for arm in &arms {
            let mut block = std::mem::take(&mut facts.blocks[arm.block.index()]);
            facts.blocks[arm.block.index()].innermost = block.innermost;
            for id in block.insts.drain(..) {
                let value = &mut facts.values[id.index()];
                (value.block, value.in_arm) = (Some(head), true);
                into_merge(&mut value.kind);
            }
            facts.blocks[head.index()].insts.extend(&arm.insts);
        }
        for id in &merges {
            let value = &mut facts.values[id.index()];
            value.block = Some(head);
            into_merge(&mut value.kind);
        }
        let is_own = |b: &BlockId| *b == head || arms.iter().any(|a| a.block == *b);
        for (phi, from) in same {
            if let ValueKind::Phi(incoming) = &mut facts.values[phi.index()].kind {
                incoming.retain(|(_, b)| !is_own(b));
                incoming.push((from, head));
            }
        }
        let behind = &mut facts.blocks[join.index()];
        behind.insts.retain(|v| !merges.contains(v));
        behind.preds.retain(|p| !is_own(p));
        behind.preds.push(head);
        let block = &mut facts.blocks[head.index()];
        block.insts.extend(&merges);
        block.insts.sort_unstable();
        block.succs = vec![join];
        block.boxed = Some(Boxed { end, arms, join, merges });
    }
}

fn into_merge(kind: &mut ValueKind) {
    if let ValueKind::Phi(incoming) = kind {
        *kind = ValueKind::Merge(std::mem::take(incoming));
    }
}

/// Whether an instruction may stand behind a branch on data.
fn may_be_skipped(kind: &ValueKind) -> bool {
    use ValueKind as K;
    let is_access = matches!(kind, K::Load { .. } | K::Store { .. });
    is_access
        || matches!(kind, K::Phi(_) | K::ICmp { .. } | K::And(..) | K::Or(..) | K::Not(_) | K::Pure | K::Ignorable)
}

/// Where a block leads to; `None` for anything but plain branches.
fn end_of(facts: &FunctionFacts, block: BlockId) -> Option<ArmEnd> {
    let of = facts.block(block);
    match (&facts.value(*of.insts.last()?).kind, of.succs.as_slice()) {
        (ValueKind::Br, [to]) => Some(ArmEnd::To(*to)),
        (ValueKind::CondBr(on), [yes, no]) if yes != no => Some(ArmEnd::Branch(*on, *yes, *no)),
        _ => None,
    }
}

/// The blocks between `head` and `join`, each behind those that lead to it; `None` where there are too many, or cycles.
fn ways(facts: &FunctionFacts, head: BlockId, join: BlockId) -> Option<Vec<BlockId>> {
    let (mut order, mut open) = (Vec::new(), vec![(head, 0)]);
    let mut seen = vec![head];
    while let Some((block, next)) = open.last_mut() {
        let Some(succ) = facts.block(*block).succs.get(*next).copied() else {
            order.push(*block);
            open.pop();
            continue;
        };
        *next += 1;
        if succ == join {
            continue;
        }
        if open.iter().any(|(b, _)| *b == succ) || seen.len() > MAX_ARMS {
            return None;
        }
        if !seen.contains(&succ) {
            seen.push(succ);
            open.push((succ, 0));
        }
    }
    order.reverse();
    order.remove(0);
    Some(order)
}
