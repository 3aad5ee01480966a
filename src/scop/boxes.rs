//! Branches on data become part of their block: `if (a[i] > t) b[i] = 0;` has no affine condition, but all that it
//! reads and writes is known, and the loops around it are affine. So do innermost loops whose iterations are data:
//! `while (x > 1) x = f(x);`, or a row of a sparse matrix.
//!
//! In: facts. Out: the same facts, with each such branch or loop and all blocks up to where its ways meet in the block
//! of the branch, or before the loop ([`Boxed`]). What stands behind the branch may run or not, and in a loop more than
//! once: the model takes its stores for accesses that may write, and its subscripts for data where they move in the
//! loop. Only blocks without calls and other ends are boxed, and loops that end; what cannot be stays what it is.
//! A box with loops must be good for a region around it: where detection finds none, it is not made.
//! Source: Grosser, Groesslinger, Lengauer, Parallel Processing Letters 22(4), 2012, section 3 (non-affine
//! subregions).

use super::affine::Reader;
use super::check::bounds;
use super::cond::{Branch, condition};
use super::{Config, detect, guards};
use crate::error::Reject;
use crate::facts::{Arm, ArmEnd, Boxed, FunctionFacts, ValueKind};
use crate::ids::{BlockId, LoopId, ValueId};
use log::debug;
use std::collections::BTreeMap;

/// Most blocks of one box.
const MAX_ARMS: usize = 32;

/// Boxes all branches in loops that are on data, and innermost loops whose iterations are, but for conditions that are
/// assumed to hold. Linear in the size of the function times the depth of its loops, but for the reading of conditions;
/// where loops are boxed or tests of indices may be left out, with detection.
pub fn box_branches(facts: &mut FunctionFacts, cfg: &Config) {
    guards::assume(facts);
    let tests = guards::index_tests(facts);
    if !tests.is_empty() {
        let mut passed = facts.clone();
        guards::pass(&mut passed, &tests);
        box_known(&mut passed, cfg);
        let found = detect(&passed, cfg);
        // A region in which the length does not change takes it for a parameter instead.
        let is_read_in = |blocks: &[BlockId], head: &BlockId| {
            let loads = guards::loads(&passed, *head);
            blocks.contains(head) && loads.iter().all(|l| passed.value(*l).block.is_some_and(|b| blocks.contains(&b)))
        };
        let is_used = |head: &&BlockId| found.candidates.iter().any(|c| is_read_in(&c.blocks, head));
        let used: Vec<BlockId> = tests.iter().filter(is_used).copied().collect();
        guards::pass(facts, &used);
    }
    box_known(facts, cfg);
}

/// Makes the boxes where all that is assumed is known.
fn box_known(facts: &mut FunctionFacts, cfg: &Config) {
    let mut boxed = Vec::new();
    let Some(plain) = box_all(facts, &[], &mut boxed) else { return };
    let found = detect(facts, cfg);
    let is_used = |b: &BlockId| found.candidates.iter().any(|c| c.blocks.contains(b));
    let unused: Vec<LoopId> = boxed.iter().filter(|(head, _)| !is_used(head)).flat_map(|(_, l)| l.clone()).collect();
    if !unused.is_empty() {
        debug!("{}: no region around {unused:?}", facts.name);
        *facts = plain;
        box_all(facts, &unused, &mut boxed);
    }
}

/// Makes all boxes but those with one of these loops, and says which are in which. The facts as they were before the
/// first one with loops, if there is one.
fn box_all(
    facts: &mut FunctionFacts,
    without: &[LoopId],
    boxed: &mut Vec<(BlockId, Vec<LoopId>)>,
) -> Option<FunctionFacts> {
    let mut plain = None;
    let mut whys = BTreeMap::new();
    let heads: Vec<BlockId> = (0..facts.loops.len()).flat_map(|l| heads_in(facts, LoopId::new(l), &mut whys)).collect();
    for head in heads {
        let Some(plan) = Plan::new(facts, head) else { continue };
        let why = plan.loops.iter().find_map(|l| whys.remove(l));
        if !plan.loops.is_empty() {
            if plan.loops.iter().any(|l| without.contains(l)) {
                continue;
            }
            plain.get_or_insert_with(|| facts.clone());
            boxed.push((head, plan.loops.clone()));
        }
        debug!("{}: {} blocks behind {head} are part of it", facts.name, plan.arms.len());
        plan.apply(facts, why.map(Box::new));
    }
    plain
}

/// Blocks of a loop, but not of those inside, that may get a box: whose branch has a condition that is not affine even
/// for the loop alone, and which is not what leaves the loop; then those in front of loops inside whose iterations are
/// data, and why these are none of the region's.
fn heads_in(facts: &FunctionFacts, lp: LoopId, whys: &mut BTreeMap<LoopId, Reject>) -> Vec<BlockId> {
    let Some(entry) = facts.lp(lp).preheader else { return Vec::new() };
    let branches = |b: &BlockId| {
        let block = facts.block(*b);
        let leaves = facts.lp(lp).exiting.contains(b);
        let is_own = block.innermost == Some(lp) && block.succs.len() == 2;
        is_own && !leaves && block.ends_on.is_none() && !block.assumed_dead
    };
    let all = || (0..facts.blocks.len()).map(BlockId::new);
    let found: Vec<BlockId> = all().filter(branches).collect();
    let children: Vec<LoopId> =
        (0..facts.loops.len()).map(LoopId::new).filter(|l| facts.lp(*l).parent == Some(lp)).collect();
    if found.is_empty() && children.is_empty() {
        return Vec::new();
    }
    let is_inside =
        |b: &BlockId| std::iter::successors(facts.block(*b).innermost, |l| facts.lp(*l).parent).any(|l| l == lp);
    let blocks: Vec<BlockId> = all().filter(is_inside).collect();
    let mut inside = vec![false; facts.blocks.len()];
    blocks.iter().chain([&entry]).for_each(|b| inside[b.index()] = true);
    let mut reader = Reader::new(facts, &inside, entry);
    reader.prepare_accesses(&blocks);
    let mut heads: Vec<BlockId> = found
        .into_iter()
        .filter(|b| match facts.block(*b).insts.last().map(|v| &facts.value(*v).kind) {
            Some(ValueKind::CondBr(on)) => {
                [Branch::Taken, Branch::Else].iter().any(|way| condition(&mut reader, *on, *way).is_err())
            }
            _ => false,
        })
        .collect();
    heads.extend(children.into_iter().filter_map(|l| {
        let of = facts.lp(l);
        let is_affine = of.exiting.len() == 1 && of.backedge_taken.is_some_and(|n| reader.read_unsigned(n).is_ok());
        whys.extend(bounds(&mut reader, l).err().map(|why| (l, why)));
        of.preheader.filter(|b| !is_affine && facts.block(*b).innermost == Some(lp))
    }));
    heads
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
    /// Loops in the arms.
    loops: Vec<LoopId>,
}

impl Plan {
    /// The box of the branch at the end of `head`, or of the loop behind it; `None` where there is none.
    fn new(facts: &FunctionFacts, head: BlockId) -> Option<Self> {
        let end = end_of(facts, head)?;
        let lp = facts.block(head).innermost?;
        let mut behind = std::iter::successors(facts.block(head).ipdom, |b| facts.block(*b).ipdom);
        let join = behind.find(|b| facts.block(*b).innermost.is_none_or(|l| facts.lp(l).parent != Some(lp)))?;
        if facts.block(head).boxed.is_some() || facts.block(join).innermost != Some(lp) || facts.lp(lp).header == join {
            return None;
        }
        let order = ways(facts, head, join)?;
        let mut loops: Vec<LoopId> = order.iter().filter_map(|b| facts.block(*b).innermost).collect();
        loops.retain(|l| *l != lp);
        loops.sort_unstable();
        loops.dedup();
        if !loops.iter().all(|l| facts.lp(*l).parent == Some(lp) && facts.lp(*l).ends && facts.lp(*l).latch.is_some()) {
            return None;
        }
        let arm = |block: &BlockId| {
            let of = facts.block(*block);
            let is_plain = of.boxed.is_none()
                && of.holds.is_empty()
                && of.skipped_from.is_empty()
                && of.ends_on.is_none()
                && !of.assumed_dead
                && !of.never_returns
                && of.preds.iter().all(|p| *p == head || order.contains(p));
            let insts = of.insts.split_last().filter(|_| is_plain)?.1.to_vec();
            let end = end_of(facts, *block)?;
            insts.iter().all(|v| may_be_skipped(&facts.value(*v).kind)).then_some(Arm { block: *block, insts, end })
        };
        let arms: Vec<Arm> = order.iter().map(arm).collect::<Option<_>>()?;
        let mut plan = Self { head, end, arms, join, merges: Vec::new(), same: Vec::new(), loops };
        plan.meet(facts, &order)?;
        plan.is_in_order(facts).then_some(plan)
    }

    /// What becomes of the join's phis.
    fn meet(&mut self, facts: &FunctionFacts, order: &[BlockId]) -> Option<()> {
        let is_own = |b: &BlockId| *b == self.head || order.contains(b);
        let join = facts.block(self.join);
        let is_left = join.preds.iter().chain(&join.skipped_from).any(|p| !is_own(p));
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

    fn apply(self, facts: &mut FunctionFacts, why: Option<Box<Reject>>) {
        let Self { head, end, arms, join, merges, same, loops } = self;
        facts.blocks[head.index()].insts.pop();
        loops.iter().for_each(|l| facts.loops[l.index()].boxed = true);
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
        for block in &mut facts.blocks {
            block.idom = block.idom.map(|b| if is_own(&b) { head } else { b });
        }
        let behind = &mut facts.blocks[join.index()];
        behind.insts.retain(|v| !merges.contains(v));
        behind.preds.retain(|p| !is_own(p));
        behind.preds.push(head);
        let block = &mut facts.blocks[head.index()];
        block.insts.extend(&merges);
        block.insts.sort_unstable();
        block.succs = vec![join];
        block.ipdom = Some(join);
        block.boxed = Some(Boxed { end, arms, join, merges, has_loops: !loops.is_empty(), why });
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

/// The blocks between `head` and `join`, each behind those that lead to it but for back edges; `None` where there are
/// too many, or cycles that are no loops.
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
        let is_back = facts.block(*block).innermost.is_some_and(|l| facts.lp(l).header == succ && succ != head);
        if !is_back && open.iter().any(|(b, _)| *b == succ) || seen.len() > MAX_ARMS {
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
