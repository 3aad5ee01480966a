//! Conditions on data around loops that are assumed to hold: `if (t != 0.0) for (..) c[i] += t * a[i];`, as products in
//! libraries spare themselves columns of zeros.
//!
//! In: facts. Out: the same facts, where each branch that skips loops for a value that is zero has no condition on that
//! value ([`crate::facts::Block::holds`]): for the region the value is never zero. That is tested before its new code,
//! for all instances at once; the original code, which asks each time, runs where it is not so. Only what can be tested
//! there is assumed: what the value is made of is loaded from where nothing in the loops around stores to, and what a
//! region around those stores to is its matter ([`loads`]). Everything that the branch skips runs in the original code
//! where the value is not zero, so that no load and no store is new.
//!
//! The same holds for tests of an index against a length that is loaded in the loops, as of rows that are vectors,
//! where an error ends the program: that none fails is tested before, and the original code ends the program else.

use crate::facts::{FunctionFacts, Pred, ScevKind, Type, ValueKind};
use crate::ids::{BlockId, LoopId, ScevId, ValueId};
use log::debug;

/// Most instructions that a condition is made of.
const MAX_NODES: usize = 16;

/// A branch that skips loops where some value is zero.
struct Skip {
    head: BlockId,
    /// Where it leads to if no value is zero.
    into: BlockId,
    /// Where it leads to else, and the loops do.
    behind: BlockId,
    /// The conditions on data, each with what it is if no value is zero.
    holds: Vec<(ValueId, bool)>,
    /// The condition that is left, with what leads into the loops.
    rest: Option<(ValueId, bool)>,
}

/// Assumes that no branch skips loops because a value is zero, where that can be tested. Linear in the size of the
/// function but for the loops behind such branches.
pub fn assume(facts: &mut FunctionFacts) {
    for head in (0..facts.blocks.len()).map(BlockId::new) {
        let Some(skip) = skip_of(facts, head) else { continue };
        debug!("{}: assumed that {head} does not skip loops for a zero", facts.name);
        apply(facts, skip);
    }
}

/// The loads that conditions are made of which are assumed to hold in a block.
pub fn loads(facts: &FunctionFacts, block: BlockId) -> Vec<ValueId> {
    let (mut open, mut all): (Vec<ValueId>, Vec<ValueId>) = (Vec::new(), Vec::new());
    open.extend(facts.block(block).holds.iter().map(|(v, _)| *v));
    let mut steps = 0;
    while let Some(at) = open.pop() {
        steps += 1;
        let value = facts.value(at);
        match value.kind {
            _ if steps > MAX_NODES * MAX_NODES => break,
            ValueKind::Load { .. } if !all.contains(&at) => all.push(at),
            ValueKind::Pure | ValueKind::ICmp { .. } | ValueKind::And(..) | ValueKind::Or(..) | ValueKind::Not(_) => {
                open.extend(&value.operands);
            }
            _ => {}
        }
    }
    all
}

/// What a comparison that tells nothing but whether a value is zero is where it is.
fn at_zero(facts: &FunctionFacts, value: ValueId) -> Option<bool> {
    let of = facts.value(value);
    let ValueKind::ICmp { pred, lhs, .. } = of.kind else { return of.at_zero };
    let is_zero = of.cmp_scevs.is_some_and(|(_, b)| matches!(facts.scev(b).kind, ScevKind::Const(0)));
    let is_loaded = matches!(facts.value(lhs).kind, ValueKind::Load { .. }) && facts.value(lhs).ty != Type::Ptr;
    match pred {
        Pred::Eq if is_zero && is_loaded => Some(true),
        Pred::Ne if is_zero && is_loaded => Some(false),
        _ => None,
    }
}

/// Whether a condition is `wanted` if none of the values that it compares with zero is.
fn is_on_zeros(facts: &FunctionFacts, value: ValueId, wanted: bool, depth: usize) -> bool {
    match facts.value(value).kind {
        _ if depth == 0 => false,
        ValueKind::Not(of) => is_on_zeros(facts, of, !wanted, depth - 1),
        ValueKind::And(a, b) | ValueKind::Or(a, b) => {
            [a, b].iter().all(|of| is_on_zeros(facts, *of, wanted, depth - 1))
        }
        _ => at_zero(facts, value).is_some_and(|at_zero| at_zero != wanted),
    }
}

/// The parts of a condition that must all be what stands beside them for it to be `wanted`; `None` for too many.
fn parts(facts: &FunctionFacts, value: ValueId, wanted: bool, out: &mut Vec<(ValueId, bool)>) -> Option<()> {
    match facts.value(value).kind {
        _ if out.len() > MAX_NODES => None,
        ValueKind::Not(of) => parts(facts, of, !wanted, out),
        ValueKind::And(a, b) if wanted => parts(facts, a, true, out).and_then(|()| parts(facts, b, true, out)),
        ValueKind::Or(a, b) if !wanted => parts(facts, a, false, out).and_then(|()| parts(facts, b, false, out)),
        _ => {
            out.push((value, wanted));
            Some(())
        }
    }
}

/// Blocks that end with a test of an index against a length that is loaded in the loops around, where it can be assumed
/// not to fail ([`pass`]).
pub fn index_tests(facts: &FunctionFacts) -> Vec<BlockId> {
    (0..facts.blocks.len()).map(BlockId::new).filter(|head| index_test(facts, *head).is_some()).collect()
}

/// Assumes that such tests do not fail.
pub fn pass(facts: &mut FunctionFacts, heads: &[BlockId]) {
    for head in heads {
        let Some((holds, rest)) = index_test(facts, *head) else { continue };
        debug!("{}: assumed that no error ends the program in {head}", facts.name);
        without_error(facts, *head, holds, rest);
    }
}

/// A condition, with what it is if nothing fails.
type Wanted = (ValueId, bool);

/// What a branch to an error asks of loaded lengths, and what else it asks, if that is one thing.
fn index_test(facts: &FunctionFacts, head: BlockId) -> Option<(Vec<Wanted>, Option<Wanted>)> {
    let block = facts.block(head);
    let (fails, lp) = (block.ends_on?, block.innermost?);
    let ValueKind::CondBr(on) = facts.value(*block.insts.last()?).kind else { return None };
    if block.succs.len() != 1 || block.assumed_dead || !block.holds.is_empty() {
        return None;
    }
    let outermost = std::iter::successors(Some(lp), |l| facts.lp(*l).parent).last()?;
    let mut all = Vec::new();
    parts(facts, on, !fails, &mut all)?;
    let (holds, rest): (Vec<Wanted>, Vec<Wanted>) =
        all.into_iter().partition(|(v, _)| is_on_length(facts, *v, outermost) && is_testable(facts, *v, outermost));
    match rest.as_slice() {
        _ if holds.is_empty() => None,
        [] => Some((holds, None)),
        [one] => Some((holds, Some(*one))),
        _ => None,
    }
}

/// Whether an index is compared with what is loaded in a loop.
fn is_on_length(facts: &FunctionFacts, value: ValueId, outermost: LoopId) -> bool {
    let ValueKind::ICmp { lhs, rhs, .. } = facts.value(value).kind else { return false };
    let is_inside = |b: BlockId| facts.block(b).innermost.is_some_and(|l| is_within(facts, l, outermost));
    let is_load = |v: ValueId| matches!(facts.value(v).kind, ValueKind::Load { .. });
    let is_counter =
        |s: ScevId| !matches!(facts.scev(s).kind, ScevKind::Const(_)) && is_counted(facts, s, &is_inside, MAX_NODES);
    let is_index = |v: ValueId| facts.value(v).scev.is_some_and(is_counter);
    is_load(lhs) && is_index(rhs) || is_index(lhs) && is_load(rhs)
}

/// Leaves out of a branch to an error what is assumed to hold.
fn without_error(facts: &mut FunctionFacts, head: BlockId, holds: Vec<Wanted>, rest: Option<Wanted>) {
    let Some(&branch) = facts.block(head).insts.last() else { return };
    facts.blocks[head.index()].holds = holds;
    facts.blocks[head.index()].ends_on = rest.map(|(_, wanted)| !wanted);
    facts.values[branch.index()].kind = rest.map_or(ValueKind::Br, |(cond, _)| ValueKind::CondBr(cond));
}

/// Whether an expression is one of counters of loops and of what does not change in a loop: what code before it can
/// compute for all iterations.
fn is_counted(facts: &FunctionFacts, scev: ScevId, is_inside: &impl Fn(BlockId) -> bool, depth: usize) -> bool {
    let of = facts.scev(scev);
    if depth == 0 || of.bits > 64 || of.is_ptr {
        return false;
    }
    let all = |ops: &[ScevId]| ops.iter().all(|op| is_counted(facts, *op, is_inside, depth - 1));
    match &of.kind {
        ScevKind::Const(_) => true,
        ScevKind::Unknown(v) => facts.value(*v).block.is_none_or(|b| !is_inside(b)),
        ScevKind::AddRec { ops, .. } => ops.len() == 2 && all(ops),
        ScevKind::Add(ops) | ScevKind::Mul(ops) => all(ops),
        ScevKind::ZExt(x) | ScevKind::SExt(x) | ScevKind::Trunc(x) => is_counted(facts, *x, is_inside, depth - 1),
        _ => false,
    }
}

fn skip_of(facts: &FunctionFacts, head: BlockId) -> Option<Skip> {
    let block = facts.block(head);
    let lp = block.innermost.filter(|l| !facts.lp(*l).exiting.contains(&head))?;
    let (&[first, second], Some(behind)) = (block.succs.as_slice(), block.ipdom) else { return None };
    let is_plain = block.ends_on.is_none() && !block.assumed_dead && block.holds.is_empty();
    let Some(ValueKind::CondBr(on)) = block.insts.last().map(|v| &facts.value(*v).kind) else { return None };
    if !is_plain || first == second || facts.block(behind).innermost != Some(lp) || facts.lp(lp).header == behind {
        return None;
    }
    let (into, taken) = match behind {
        _ if behind == second => (first, true),
        _ if behind == first => (second, false),
        _ => return None,
    };
    let mut all = Vec::new();
    parts(facts, *on, taken, &mut all)?;
    let (holds, rest): (Vec<(ValueId, bool)>, Vec<(ValueId, bool)>) =
        all.into_iter().partition(|(v, wanted)| is_on_zeros(facts, *v, *wanted, MAX_NODES));
    let rest = match rest.as_slice() {
        [] => None,
        [one] => Some(*one),
        _ => return None,
    };
    let outermost = std::iter::successors(Some(lp), |l| facts.lp(*l).parent).last()?;
    let is_alone = rest.is_some() || facts.block(into).preds.as_slice() == [head];
    let is_found = !holds.is_empty()
        && is_alone
        && leads_to_loops(facts, (into, behind), lp)
        && holds.iter().all(|(v, _)| is_testable(facts, *v, outermost));
    is_found.then_some(Skip { head, into, behind, holds, rest })
}

/// Whether the blocks from `into` to before `behind` are in the loop, and some are in loops of their own.
fn leads_to_loops(facts: &FunctionFacts, (into, behind): (BlockId, BlockId), lp: LoopId) -> bool {
    let (mut seen, mut open, mut has_loop) = (vec![into], vec![into], false);
    while let Some(at) = open.pop() {
        let Some(innermost) = facts.block(at).innermost.filter(|l| is_within(facts, *l, lp)) else { return false };
        has_loop |= innermost != lp;
        for next in &facts.block(at).succs {
            if *next != behind && !seen.contains(next) {
                seen.push(*next);
                open.push(*next);
            }
        }
    }
    has_loop
}

fn is_within(facts: &FunctionFacts, inner: LoopId, outer: LoopId) -> bool {
    std::iter::successors(Some(inner), |l| facts.lp(*l).parent).any(|l| l == outer)
}

/// Whether a condition can be tested before a loop for all of its iterations: it is arithmetic on what is made before
/// it, and on what is loaded where nothing in it stores to.
fn is_testable(facts: &FunctionFacts, value: ValueId, outermost: LoopId) -> bool {
    let is_inside = |b: BlockId| facts.block(b).innermost.is_some_and(|l| is_within(facts, l, outermost));
    let (mut open, mut nodes, mut bases) = (vec![value], 0, Vec::new());
    while let Some(at) = open.pop() {
        let of = facts.value(at);
        if !of.block.is_some_and(is_inside) {
            continue;
        }
        nodes += 1;
        match of.kind {
            _ if nodes > MAX_NODES => return false,
            ValueKind::Load { .. } => {
                let Some(base) = of.base.filter(|_| of.offset.is_some()) else { return false };
                if facts.value(base).block.is_some_and(is_inside) {
                    return false;
                }
                bases.push(base);
            }
            _ if of.scev.is_some_and(|s| is_counted(facts, s, &is_inside, MAX_NODES)) => {}
            ValueKind::Pure | ValueKind::ICmp { .. } | ValueKind::And(..) | ValueKind::Or(..) | ValueKind::Not(_) => {
                open.extend(&of.operands);
            }
            _ => return false,
        }
    }
    let insts = (0..facts.blocks.len()).map(BlockId::new).filter(|b| is_inside(*b));
    let mut stores = insts
        .flat_map(|b| &facts.block(b).insts)
        .map(|v| facts.value(*v))
        .filter(|v| matches!(v.kind, ValueKind::Store { .. }));
    !bases.is_empty() && stores.all(|s| s.base.is_some_and(|base| !bases.contains(&base)))
}

fn apply(facts: &mut FunctionFacts, skip: Skip) {
    let Skip { head, into, behind, holds, rest } = skip;
    let Some(&branch) = facts.block(head).insts.last() else { return };
    facts.blocks[head.index()].holds = holds;
    if let Some((cond, wanted)) = rest {
        facts.values[branch.index()].kind = ValueKind::CondBr(cond);
        facts.blocks[head.index()].succs = if wanted { vec![into, behind] } else { vec![behind, into] };
        return;
    }
    facts.values[branch.index()].kind = ValueKind::Br;
    (facts.blocks[head.index()].succs, facts.blocks[head.index()].ipdom) = (vec![into], Some(into));
    facts.blocks[behind.index()].preds.retain(|p| *p != head);
    for phi in facts.block(behind).insts.clone() {
        match &mut facts.values[phi.index()].kind {
            ValueKind::Phi(incoming) => incoming.retain(|(_, b)| *b != head),
            _ => break,
        }
    }
    facts.blocks[behind.index()].skipped_from.push(head);
}
