//! Which values stand in the way of a region, as far as the user can do something about them.
//!
//! For messages only: nothing here decides what is a region.

mod ends;

pub use ends::{fixed_exit, in_lines, of_bound, of_end, of_exits, several_exits};

use crate::error::{Reject, RejectKind};
use crate::facts::{FunctionFacts, ScevKind, Type, ValueKind};
use crate::ids::{BlockId, LoopId, ScevId, ValueId};
use crate::remedies::{
    AROUND, CHAIN, CHANGES, COMPUTED_MAY_OVERLAP, COMPUTES, ENDS_ON_CALL, ENDS_ON_DATA, FOLLOWS, LOADED_AGAIN,
    MAY_OVERLAP, NOT_COMPUTABLE, RELOADED,
};
use crate::scop::affine::Reader;
use crate::scop::polynomial::Sym;
use crate::scop::shape::Touch;
use std::collections::BTreeSet;

/// Most values of a bound that are looked at.
const MAX_TERMS: usize = 32;

/// Whether a condition on data is tested only where another one lets it, of which the other way meets with both of
/// its own: `if (i > 0 && x[i - 1] > 0) n++;`.
pub fn is_behind_test(facts: &FunctionFacts, block: BlockId) -> bool {
    let of = facts.block(block);
    let Some(join) = of.ipdom else { return false };
    let is_within = |b: BlockId| std::iter::successors(Some(b), |b| facts.block(*b).idom).any(|b| b == block);
    let is_in_loop = of.innermost.is_some() && facts.block(join).innermost == of.innermost;
    is_in_loop && facts.block(join).preds.iter().any(|p| !is_within(*p))
}

/// The call, or what else has to stay where it is, that runs only where a condition lets it: with that, a condition on
/// data is no part of a statement. Paths that are assumed not to be taken begin right behind the condition.
pub fn call_behind_test(facts: &FunctionFacts, block: BlockId) -> Option<ValueId> {
    let lp = facts.block(block).innermost?;
    let is_behind =
        |b: &BlockId| std::iter::successors(facts.block(*b).idom, |b| facts.block(*b).idom).any(|b| b == block);
    let stays = |v: &&ValueId| matches!(facts.value(**v).kind, ValueKind::Call | ValueKind::Unsupported);
    let is_looked_at = |b: &BlockId| !facts.block(*b).assumed_dead || facts.block(block).succs.contains(b);
    let inside = (0..facts.blocks.len()).map(BlockId::new).filter(|b| is_in(facts, *b, lp) && is_behind(b));
    inside.filter(is_looked_at).find_map(|b| facts.block(b).insts.iter().find(stays)).copied()
}

/// What is looked up in the loops to find out which element an access touches.
pub fn of_subscript(facts: &FunctionFacts, access: ValueId) -> Vec<ValueId> {
    unknowns_of_subscript(facts, access).map_or_else(Vec::new, |(lp, of)| sources(facts, lp, of))
}

/// The outermost loop around an access, and what is not known of its subscript.
fn unknowns_of_subscript(facts: &FunctionFacts, access: ValueId) -> Option<(LoopId, Vec<ValueId>)> {
    let value = facts.value(access);
    let around = value.block.and_then(|block| facts.block(block).innermost)?;
    Some((outermost(facts, around), unknowns(facts, value.offset?)))
}

/// Where a subscript that is not affine comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Loads, calls and the like.
    Data,
    /// What each iteration computes from the one before.
    Carried,
    /// Counters and sizes, by other operations than sums and products.
    Computed,
}

/// Where the subscript of an access comes from that is not affine.
pub fn origin(facts: &FunctionFacts, access: ValueId) -> Origin {
    let Some((lp, of)) = unknowns_of_subscript(facts, access) else { return Origin::Data };
    let is_data =
        |v: &ValueId| matches!(facts.value(*v).kind, ValueKind::Load { .. } | ValueKind::Call | ValueKind::Unsupported);
    match computed_from(facts, lp, of.clone()).iter().any(is_data) {
        _ if is_carried(facts, lp, of) => Origin::Carried,
        true => Origin::Data,
        false => Origin::Computed,
    }
}

/// Whether the innermost loop around an access has another one whose subscript is looked up in that very loop.
pub fn has_look_up_beside(facts: &FunctionFacts, access: ValueId) -> bool {
    let Some(lp) = facts.value(access).block.and_then(|block| facts.block(block).innermost) else { return false };
    let inside = facts.blocks.iter().filter(|block| block.innermost == Some(lp)).flat_map(|block| &block.insts);
    inside.filter(|v| **v != access).any(|v| !in_loop_itself(facts, lp, of_subscript(facts, *v)).is_empty())
}

/// Whether values are made of what iterations of the loop, or of those inside, compute from the ones before, but for
/// counters.
fn is_carried(facts: &FunctionFacts, lp: LoopId, mut work: Vec<ValueId>) -> bool {
    let is_header = |block: Option<BlockId>| facts.loops.iter().any(|l| Some(l.header) == block);
    let mut seen = BTreeSet::new();
    while let Some(id) = work.pop().filter(|_| seen.len() < MAX_TERMS) {
        let value = facts.value(id);
        if !value.block.is_some_and(|block| is_in(facts, block, lp)) || !seen.insert(id) {
            continue;
        }
        let scev = value.scev.map(|scev| &facts.scev(scev).kind);
        match value.kind {
            ValueKind::Phi(_) if matches!(scev, Some(ScevKind::AddRec { .. })) => {}
            ValueKind::Phi(_) if is_header(value.block) => return true,
            _ => work.extend(&value.operands),
        }
    }
    false
}

/// The values of the loops that a subscript is made of.
pub fn values_of_subscript(facts: &FunctionFacts, access: ValueId) -> Vec<ValueId> {
    let Some((lp, of)) = unknowns_of_subscript(facts, access) else { return Vec::new() };
    let is_inside = |v: &ValueId| facts.value(*v).block.is_some_and(|block| is_in(facts, block, lp));
    of.into_iter().filter(is_inside).collect()
}

/// The loads of one and the same place in each iteration that a subscript is made of.
pub fn loaded_again(facts: &FunctionFacts, access: ValueId) -> Vec<ValueId> {
    let around = facts.value(access).block.and_then(|block| facts.block(block).innermost);
    around.map_or_else(Vec::new, |lp| same_in(facts, lp, of_subscript(facts, access)))
}

/// Whether a condition chooses a value that an expression is made of.
pub fn is_chosen(facts: &FunctionFacts, scev: ScevId) -> bool {
    let is_test = |v: &ValueId| {
        use ValueKind as K;
        matches!(facts.value(*v).kind, K::ICmp { .. } | K::And(..) | K::Or(..) | K::Not(_))
    };
    let is_choice = |v: ValueId| match &facts.value(v).kind {
        ValueKind::Pure => facts.value(v).operands.len() == 3 && is_test(&facts.value(v).operands[0]),
        ValueKind::Phi(from) | ValueKind::Merge(from) => {
            from.len() > 1 && facts.value(v).block.is_some_and(|b| facts.loops.iter().all(|l| l.header != b))
        }
        _ => false,
    };
    unknowns(facts, scev).into_iter().any(is_choice)
}

/// Whether an expression is made of what a loop beside has found by looking at data: the row of a pivot.
pub fn is_searched(facts: &FunctionFacts, scev: ScevId) -> bool {
    let is_header = |block: Option<BlockId>| facts.loops.iter().any(|l| Some(l.header) == block);
    let (mut work, mut seen) = (unknowns(facts, scev), BTreeSet::new());
    let (mut is_carried, mut is_data) = (false, false);
    while let Some(id) = work.pop().filter(|_| seen.len() < MAX_TERMS) {
        let value = facts.value(id);
        if value.block.is_none() || !seen.insert(id) {
            continue;
        }
        let scev = value.scev.map(|scev| &facts.scev(scev).kind);
        match value.kind {
            ValueKind::Phi(_) if matches!(scev, Some(ScevKind::AddRec { .. })) => {}
            ValueKind::Load { .. } => is_data = true,
            _ => {
                is_carried |= matches!(value.kind, ValueKind::Phi(_)) && is_header(value.block);
                work.extend(&value.operands);
            }
        }
    }
    is_carried && is_data
}

/// Whether a loop goes on with another one of its pointers in the place of this one, and the other way round.
pub fn changes_places(facts: &FunctionFacts, pointer: ValueId) -> bool {
    let goes_on_with = |of: ValueId, next: ValueId| match &facts.value(of).kind {
        ValueKind::Phi(from) => {
            facts.value(of).block == facts.value(pointer).block && from.iter().any(|(v, _)| *v == next)
        }
        _ => false,
    };
    let ValueKind::Phi(from) = &facts.value(pointer).kind else { return false };
    from.iter().any(|(other, _)| *other != pointer && goes_on_with(*other, pointer))
}

/// The call, or the volatile access or the like, that a refusal is due to: what it may do to bounds, sizes and pointers
/// is why these are not known, and to copy them would not do.
pub fn call_behind(facts: &FunctionFacts, block: BlockId, why: &Reject) -> Option<Reject> {
    let general =
        [NOT_COMPUTABLE, LOADED_AGAIN, RELOADED, CHANGES, MAY_OVERLAP, COMPUTED_MAY_OVERLAP, AROUND, COMPUTES, CHAIN];
    let is_open = why.detail.is_empty() || why.detail.starts_with('%') || general.contains(&why.detail.as_str());
    // Exits that the user's lines do not show are of what is called there.
    let is_hidden = why.kind == RejectKind::LoopShape && why.about.is_empty() && why.detail.ends_with("exits");
    let is_open = is_open || is_hidden;
    let is_of_values = is_hidden
        || matches!(why.kind, RejectKind::NonAffineBound | RejectKind::NonAffineAccess | RejectKind::VariantBase);
    let lp = facts.block(block).innermost.filter(|_| is_open && is_of_values)?;
    let inside = facts.blocks.iter().enumerate().filter(|(_, b)| !b.assumed_dead).map(|(k, _)| BlockId::new(k));
    let inside = inside.filter(|block| is_in(facts, *block, lp)).flat_map(|block| &facts.block(block).insts);
    let ends = |id: ValueId| facts.blocks.iter().any(|b| b.insts.last() == Some(&id));
    // A call that goes on in one of two places.
    let may_throw = |id: ValueId| facts.blocks.iter().any(|b| b.insts.last() == Some(&id) && b.succs.len() == 2);
    let (kind, found) = inside.copied().find_map(|id| match facts.value(id).kind {
        ValueKind::Call => Some((RejectKind::Call, id)),
        ValueKind::Unsupported if !ends(id) || may_throw(id) => Some((RejectKind::UnsupportedInstruction, id)),
        _ => None,
    })?;
    Some(Reject::new(kind, "", facts.value(found).loc.clone()).about(vec![found]))
}

/// The call, or what may throw, that a block leads to without another way: the end of a program by an error, say.
pub fn calls_at(facts: &FunctionFacts, block: BlockId) -> Vec<ValueId> {
    let only = |block: &BlockId| match facts.block(*block).succs.as_slice() {
        [one] => Some(*one),
        _ => None,
    };
    let calls = |id: &&ValueId| matches!(facts.value(**id).kind, ValueKind::Call | ValueKind::Unsupported);
    let chain = std::iter::successors(Some(block), only).take(MAX_TERMS);
    chain.filter_map(|block| facts.block(block).insts.iter().find(calls)).take(1).copied().collect()
}

/// Whether the innermost of these loops read all their elements in sequence.
pub fn goes_along_rows(facts: &FunctionFacts, loops: &[LoopId]) -> bool {
    let is_innermost = |l: &&LoopId| facts.loops.iter().all(|inner| inner.parent != Some(**l));
    let steps_evenly = |lp: LoopId, load: ValueId| {
        let ValueKind::Load { bytes, .. } = facts.value(load).kind else { return true };
        facts.value(load).offset.is_some_and(|offset| match &facts.scev(offset).kind {
            ScevKind::AddRec { lp: own, ops, .. } if *own == lp => {
                let [_, step] = ops.as_slice() else { return false };
                matches!(facts.scev(*step).kind, ScevKind::Const(by) if by.unsigned_abs() == u64::from(bytes))
            }
            _ => unknowns(facts, offset).iter().all(|v| facts.value(*v).block.is_none_or(|b| !is_in(facts, b, lp))),
        })
    };
    loops.iter().filter(is_innermost).all(|lp| {
        let inside = facts.blocks.iter().filter(|block| block.innermost == Some(*lp)).flat_map(|block| &block.insts);
        inside.copied().all(|v| steps_evenly(*lp, v))
    })
}

/// Local variables that the outermost of these loops update in each iteration, but for counters.
pub fn of_results(facts: &FunctionFacts, loops: &[LoopId]) -> Vec<ValueId> {
    let is_outermost = |l: &&LoopId| facts.lp(**l).parent.is_none_or(|around| !loops.contains(&around));
    updated(facts, loops.iter().filter(is_outermost).copied())
}

/// Local variables that these loops update in each iteration, but for counters.
pub fn updated(facts: &FunctionFacts, loops: impl Iterator<Item = LoopId>) -> Vec<ValueId> {
    let headers = loops.map(|l| facts.block(facts.lp(l).header));
    let is_counter = |v: ValueId| {
        let scev = facts.value(v).scev.map(|scev| &facts.scev(scev).kind);
        matches!(scev, Some(ScevKind::AddRec { .. }))
    };
    let updated = |v: &&ValueId| matches!(facts.value(**v).kind, ValueKind::Phi(_)) && !is_counter(**v);
    headers.flat_map(|block| &block.insts).filter(updated).copied().collect()
}

/// Whether the loops around what stands in the way write nothing: they look for something, and no order is faster.
pub fn only_look(facts: &FunctionFacts, why: &Reject) -> bool {
    let around = |v: &ValueId| facts.value(*v).block.and_then(|block| facts.block(block).innermost);
    let Some(lp) = why.about.iter().chain(&why.at).find_map(around).map(|lp| outermost(facts, lp)) else {
        return false;
    };
    let inside = (0..facts.blocks.len()).map(BlockId::new).filter(|block| is_in(facts, *block, lp));
    let writes = |v: &ValueId| {
        matches!(facts.value(*v).kind, ValueKind::Store { .. } | ValueKind::Call | ValueKind::Unsupported)
    };
    !inside.flat_map(|block| &facts.block(block).insts).any(writes)
}

/// Loads that a condition is made of, if none reads another place in another iteration.
pub fn of_condition(facts: &FunctionFacts, at: ValueId) -> Option<Vec<ValueId>> {
    let around = facts.value(at).block.and_then(|block| facts.block(block).innermost);
    let (mut work, mut found, mut steps) = (vec![at], Vec::new(), 0);
    while let Some(id) = work.pop() {
        steps += 1;
        match facts.value(id).kind {
            _ if steps > MAX_TERMS => return None,
            ValueKind::Load { .. } => found.push(id),
            ValueKind::Call | ValueKind::Phi(_) | ValueKind::Merge(_) => return None,
            _ => work.extend(facts.value(id).operands.iter().rev()),
        }
    }
    let stays = |v: &ValueId| around.is_none_or(|lp| stays(facts, outermost(facts, lp), *v));
    (!found.is_empty() && found.iter().all(stays)).then_some(found)
}

/// Whether a condition is made of counters and sizes alone.
pub fn is_of_counters(facts: &FunctionFacts, at: ValueId) -> bool {
    let Some(lp) = facts.value(at).block.and_then(|block| facts.block(block).innermost) else { return false };
    let lp = outermost(facts, lp);
    computed_from(facts, lp, vec![at]).is_empty() && !is_carried(facts, lp, vec![at])
}

/// The pointers behind which a condition looks and that are loaded from one and the same place in each iteration.
pub fn pointers_of_condition(facts: &FunctionFacts, at: ValueId) -> Vec<ValueId> {
    let Some(lp) = facts.value(at).block.and_then(|block| facts.block(block).innermost) else { return Vec::new() };
    let looked_up = sources(facts, outermost(facts, lp), vec![at]);
    let pointers: BTreeSet<ValueId> = looked_up.iter().filter_map(|load| facts.value(*load).base).collect();
    same_in(facts, lp, pointers.into_iter().collect())
        .into_iter()
        .filter(|pointer| facts.value(*pointer).block.is_some_and(|block| is_in(facts, block, lp)))
        .collect()
}

/// Whether a comparison is with a product of sizes.
pub fn compares_product(facts: &FunctionFacts, at: ValueId) -> bool {
    let is_size = |scev: &&ScevId| !matches!(facts.scev(**scev).kind, ScevKind::Const(_));
    let is_product =
        |scev: ScevId| matches!(&facts.scev(scev).kind, ScevKind::Mul(of) if of.iter().filter(is_size).count() > 1);
    facts.value(at).cmp_scevs.is_some_and(|(a, b)| is_product(a) || is_product(b))
}

/// Whether an expression multiplies what changes in loops.
pub fn has_product(facts: &FunctionFacts, scev: ScevId) -> bool {
    matches!(&facts.scev(scev).kind, ScevKind::Mul(_) | ScevKind::AddRec { .. })
}

/// Whether an access is at a product of loop counters.
pub fn multiplies(touch: &Touch) -> bool {
    let dims = |syms: &mut dyn Iterator<Item = Sym>| syms.filter(|s| matches!(s, Sym::Dim(_))).count();
    touch.offset.terms().iter().any(|(mono, _)| dims(&mut mono.syms()) > 1)
}

/// The sizes that single counters are multiplied by in a subscript.
pub fn sizes(reader: &Reader, touch: &Touch) -> Vec<ValueId> {
    let of_param = |sym: Sym| match sym {
        Sym::Param(k) => value_behind(reader.facts, reader.params.get(k as usize)?.value),
        _ => None,
    };
    let mut all = BTreeSet::new();
    for (mono, _) in touch.offset.terms() {
        let (of, rest): (Vec<Sym>, Vec<Sym>) = mono.syms().partition(|s| matches!(s, Sym::Param(_)));
        if let ([size], [_]) = (of.as_slice(), rest.as_slice()) {
            all.extend(of_param(*size));
        }
    }
    all.into_iter().collect()
}

/// The value that an expression is but for its width.
pub fn value_behind(facts: &FunctionFacts, scev: ScevId) -> Option<ValueId> {
    match &facts.scev(scev).kind {
        ScevKind::Unknown(value) => Some(*value),
        ScevKind::ZExt(of) | ScevKind::SExt(of) | ScevKind::Trunc(of) => value_behind(facts, *of),
        _ => None,
    }
}

/// Calls if there are any, else loads that read one and the same place, else all.
fn of_sources(
    facts: &FunctionFacts,
    lp: LoopId,
    found: Vec<ValueId>,
    (plain, changing): (&'static str, &'static str),
) -> (&'static str, Vec<ValueId>) {
    let is_call = |v: &ValueId| matches!(facts.value(*v).kind, ValueKind::Call);
    if found.iter().any(is_call) {
        return (ENDS_ON_CALL, found.into_iter().filter(is_call).collect());
    }
    let same = same_in(facts, lp, found.clone());
    let is_pointer = |v: &ValueId| facts.value(*v).ty == Type::Ptr;
    match (same.is_empty(), found.is_empty()) {
        (true, false) if changing == ENDS_ON_DATA && found.iter().all(is_pointer) => (FOLLOWS, found),
        (true, false) => (changing, found),
        _ => (plain, same),
    }
}

/// Loads and calls in the loop that values are computed from.
fn sources(facts: &FunctionFacts, lp: LoopId, work: Vec<ValueId>) -> Vec<ValueId> {
    let is_source = |v: &ValueId| matches!(facts.value(*v).kind, ValueKind::Load { .. } | ValueKind::Call);
    computed_from(facts, lp, work).into_iter().filter(is_source).collect()
}

/// Values that each iteration computes from those of the one before, but for counters, and that others are made of.
fn carried(facts: &FunctionFacts, lp: LoopId, mut work: Vec<ValueId>) -> Vec<ValueId> {
    let is_header = |block: Option<BlockId>| facts.loops.iter().any(|l| Some(l.header) == block);
    let (mut seen, mut found) = (BTreeSet::new(), Vec::new());
    while let Some(id) = work.pop().filter(|_| seen.len() < MAX_TERMS) {
        let value = facts.value(id);
        if !value.block.is_some_and(|block| is_in(facts, block, lp)) || !seen.insert(id) {
            continue;
        }
        let scev = value.scev.map(|scev| &facts.scev(scev).kind);
        let is_deeper = value.block.is_some_and(|block| facts.block(block).innermost != Some(lp));
        match value.kind {
            ValueKind::Phi(_) if matches!(scev, Some(ScevKind::AddRec { .. })) => {}
            ValueKind::Phi(_) if is_header(value.block) => found.push(id),
            // What a loop inside computes is another value each time.
            _ if is_deeper => found.push(id),
            ValueKind::Load { .. } | ValueKind::Call | ValueKind::Unsupported => {}
            _ => work.extend(value.operands.iter().rev()),
        }
    }
    found
}

/// The same with what has to stay where it is.
fn computed_from(facts: &FunctionFacts, lp: LoopId, mut work: Vec<ValueId>) -> Vec<ValueId> {
    let (mut seen, mut found) = (BTreeSet::new(), Vec::new());
    while let Some(id) = work.pop().filter(|_| seen.len() < MAX_TERMS) {
        let value = facts.value(id);
        if !value.block.is_some_and(|block| is_in(facts, block, lp)) || !seen.insert(id) {
            continue;
        }
        match value.kind {
            ValueKind::Load { .. } | ValueKind::Call | ValueKind::Unsupported => found.push(id),
            // One that a loop carries is another in each iteration.
            ValueKind::Phi(_) if facts.loops.iter().any(|l| Some(l.header) == value.block) => {}
            // Nor does what a loop inside found say what the one around looks up.
            ValueKind::Phi(_) => {
                let innermost = |v: ValueId| facts.value(v).block.and_then(|block| facts.block(block).innermost);
                work.extend(value.operands.iter().rev().filter(|v| innermost(**v) == innermost(id)));
            }
            _ => work.extend(value.operands.iter().rev()),
        }
    }
    found
}

/// Those that are in no loop inside: what one of these looks up is not what ends the one around.
fn in_loop_itself(facts: &FunctionFacts, lp: LoopId, mut values: Vec<ValueId>) -> Vec<ValueId> {
    values.retain(|v| facts.value(*v).block.and_then(|block| facts.block(block).innermost) == Some(lp));
    values
}

/// The values that an expression is made of.
fn unknowns(facts: &FunctionFacts, scev: ScevId) -> Vec<ValueId> {
    let (mut work, mut found, mut steps) = (vec![scev], Vec::new(), 0);
    while let Some(next) = work.pop().filter(|_| steps < MAX_TERMS) {
        steps += 1;
        match &facts.scev(next).kind {
            ScevKind::Unknown(value) => found.push(*value),
            ScevKind::UDiv(a, b) => work.extend([*a, *b]),
            ScevKind::ZExt(of) | ScevKind::SExt(of) | ScevKind::Trunc(of) | ScevKind::PtrToInt(of) => work.push(*of),
            ScevKind::Add(all)
            | ScevKind::Mul(all)
            | ScevKind::AddRec { ops: all, .. }
            | ScevKind::SMax(all)
            | ScevKind::SMin(all)
            | ScevKind::UMax(all)
            | ScevKind::UMin(all)
            | ScevKind::SeqUMin(all) => work.extend(all),
            ScevKind::Const(_) | ScevKind::CouldNotCompute => {}
        }
    }
    found
}

fn outermost(facts: &FunctionFacts, lp: LoopId) -> LoopId {
    std::iter::successors(Some(lp), |lp| facts.lp(*lp).parent).last().unwrap_or(lp)
}

/// Those that are loads from one and the same place in each iteration of the loop and of those around it.
pub fn same_in(facts: &FunctionFacts, lp: LoopId, values: Vec<ValueId>) -> Vec<ValueId> {
    let outermost = outermost(facts, lp);
    let is_same = |v: &ValueId| matches!(facts.value(*v).kind, ValueKind::Load { .. }) && stays(facts, outermost, *v);
    values.into_iter().filter(is_same).collect()
}

/// Whether a value is computed outside of the loop, or loaded in it from a fixed place behind such a pointer.
fn stays(facts: &FunctionFacts, lp: LoopId, value: ValueId) -> bool {
    let of = facts.value(value);
    let is_inside = of.block.is_some_and(|block| is_in(facts, block, lp));
    let is_fixed = |offset: ScevId| matches!(facts.scev(offset).kind, ScevKind::Const(_));
    let is_load = matches!(of.kind, ValueKind::Load { .. });
    !is_inside || is_load && of.offset.is_some_and(is_fixed) && of.base.is_some_and(|base| stays(facts, lp, base))
}

fn is_in(facts: &FunctionFacts, block: BlockId, lp: LoopId) -> bool {
    std::iter::successors(facts.block(block).innermost, |l| facts.lp(*l).parent).any(|l| l == lp)
}
