//! Which values stand in the way of a region, as far as the user can do something about them.
//!
//! For messages only: nothing here decides what is a region.

mod ends;

pub use ends::{fixed_exit, in_lines, of_bound, of_end, of_exits, several_exits};

use crate::error::{Reject, RejectKind};
use crate::facts::{Boxed, FunctionFacts, ScevKind, Type, ValueKind};
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
    let around = innermost(facts, access)?;
    Some((outermost(facts, around), unknowns(facts, facts.value(access).offset?)))
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

/// Whether the innermost loop around an access has another one whose subscript is looked up in that very loop, and
/// not in one around as well, which is what an exchange of `looked_up` would make of it.
pub fn has_look_up_beside(facts: &FunctionFacts, access: ValueId, looked_up: ValueId) -> bool {
    let Some((lp, around)) = innermost(facts, access).zip(innermost(facts, looked_up)) else { return false };
    let steps_around = |load: ValueId| {
        let steps = |part: &ScevId| matches!(facts.scev(*part).kind, ScevKind::AddRec { lp: own, .. } if own == around);
        facts.value(load).offset.is_some_and(|offset| parts(facts, offset).iter().any(steps))
    };
    let inside = facts.blocks.iter().filter(|block| block.innermost == Some(lp)).flat_map(|block| &block.insts);
    let beside = inside.filter(|v| **v != access).flat_map(|v| in_loop_itself(facts, lp, of_subscript(facts, *v)));
    beside.into_iter().any(|load| !steps_around(load))
}

/// Whether iterations of the loop that looks up where an access is read elements of an array that others of them, or
/// of those inside, write: that loop has to stay where it is.
pub fn is_kept_around(facts: &FunctionFacts, looked_up: ValueId) -> bool {
    let Some(lp) = innermost(facts, looked_up) else { return false };
    let of = |is: fn(&ValueKind) -> bool| insts_in(facts, lp).map(|v| facts.value(v)).filter(move |v| is(&v.kind));
    let reads = || of(|kind| matches!(kind, ValueKind::Load { .. }));
    of(|kind| matches!(kind, ValueKind::Store { .. }))
        .any(|store| reads().any(|r| r.base.is_some() && r.base == store.base && r.offset != store.offset))
}

/// The pointer that an access is made by, if iterations move it on by this part of the subscript.
pub fn moved_on(facts: &FunctionFacts, access: ValueId, part: ScevId) -> Option<ValueId> {
    let steps_by = |of: &ScevId| match &facts.scev(*of).kind {
        ScevKind::AddRec { ops, .. } => ops.iter().skip(1).any(|step| parts(facts, *step).contains(&part)),
        _ => false,
    };
    facts.value(access).offset.filter(|offset| parts(facts, *offset).iter().any(steps_by))?;
    let pointer =
        |v: &ValueId| facts.value(*v).operands.iter().copied().find(|operand| facts.value(*operand).ty == Type::Ptr);
    let is_moved = |v: &ValueId| matches!(facts.value(*v).kind, ValueKind::Phi(_)) && is_in_header(facts, *v);
    std::iter::successors(pointer(&access), pointer).take(MAX_TERMS).find(is_moved)
}

/// Whether branches on loop counters alone, but no sums of them, decide if a value is computed.
pub fn is_behind_counters(facts: &FunctionFacts, value: ValueId) -> bool {
    let mut tests = facts.boxed(value).into_iter().flat_map(Boxed::conditions).peekable();
    tests.peek().is_some() && tests.all(|test| is_of_counters(facts, test))
}

/// What iterations of the loop, or of those inside, compute from the ones before and these values are made of, but for
/// counters.
fn from_before(facts: &FunctionFacts, lp: LoopId, of: Vec<ValueId>) -> Vec<ValueId> {
    let mut found = Vec::new();
    walk_back(facts, lp, of, |id, work| match facts.value(id).kind {
        ValueKind::Phi(_) if is_counter(facts, id) => {}
        ValueKind::Phi(_) if is_in_header(facts, id) => found.push(id),
        _ => work.extend(&facts.value(id).operands),
    });
    found
}

fn is_carried(facts: &FunctionFacts, lp: LoopId, of: Vec<ValueId>) -> bool {
    !from_before(facts, lp, of).is_empty()
}

/// The values of the loops that a subscript is made of.
pub fn values_of_subscript(facts: &FunctionFacts, access: ValueId) -> Vec<ValueId> {
    let Some((lp, of)) = unknowns_of_subscript(facts, access) else { return Vec::new() };
    let is_inside = |v: &ValueId| facts.value(*v).block.is_some_and(|block| is_in(facts, block, lp));
    of.into_iter().filter(is_inside).collect()
}

/// The loads of one and the same place in each iteration that a subscript is made of.
pub fn loaded_again(facts: &FunctionFacts, access: ValueId) -> Vec<ValueId> {
    let around = innermost(facts, access);
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

/// What a loop beside that of an access has found by looking at data, and an expression in the access is made of: the
/// row of a pivot.
pub fn searched(facts: &FunctionFacts, access: ValueId, scev: ScevId) -> Vec<ValueId> {
    let Some(lp) = innermost(facts, access) else { return Vec::new() };
    let around = outermost(facts, lp);
    let is_beside = |l: &LoopId| !is_around(facts, lp, *l);
    let beside: BTreeSet<BlockId> =
        (0..facts.loops.len()).map(LoopId::new).filter(is_beside).map(|l| facts.lp(l).header).collect();
    let (mut found, mut is_data) = (Vec::new(), false);
    walk_back(facts, around, unknowns(facts, scev), |id, work| {
        let value = facts.value(id);
        match value.kind {
            ValueKind::Phi(_) if is_counter(facts, id) => {}
            ValueKind::Load { .. } => is_data = true,
            _ => {
                // What conditions choose.
                is_data |= matches!(value.kind, ValueKind::Merge(_));
                let is_found =
                    matches!(value.kind, ValueKind::Phi(_)) && value.block.is_some_and(|b| beside.contains(&b));
                found.extend(is_found.then_some(id));
                work.extend(&value.operands);
            }
        }
    });
    if is_data { found } else { Vec::new() }
}

/// Whether a value takes turns with others of a loop's: `t = a; a = b; b = t;`.
pub fn takes_turns(facts: &FunctionFacts, value: ValueId) -> bool {
    let header = facts.value(value).block;
    let next = |of: &ValueId| {
        let ValueKind::Phi(from) = &facts.value(*of).kind else { return None };
        let is_turn = |v: &ValueId| {
            v != of && facts.value(*v).block == header && matches!(facts.value(*v).kind, ValueKind::Phi(_))
        };
        from.iter().map(|(v, _)| *v).find(is_turn)
    };
    std::iter::successors(next(&value), next).take(MAX_TERMS).any(|v| v == value)
}

/// What the iterations of the loops around an access hand on to each other that its subscript is made of.
pub fn counted_on(facts: &FunctionFacts, access: ValueId) -> Vec<ValueId> {
    let is_phi = |v: &ValueId| matches!(facts.value(*v).kind, ValueKind::Phi(_));
    let of = unknowns_of_subscript(facts, access).map_or_else(Vec::new, |(lp, of)| carried(facts, lp, of));
    of.into_iter().filter(is_phi).collect()
}

/// What takes turns of the values that a condition is made of: lengths of slices.
pub fn turns_of_condition(facts: &FunctionFacts, at: ValueId) -> Vec<ValueId> {
    let Some(lp) = innermost(facts, at) else { return Vec::new() };
    from_before(facts, outermost(facts, lp), vec![at]).into_iter().filter(|v| takes_turns(facts, *v)).collect()
}

/// The loads from one and the same place in each iteration that a condition is made of, beside counters and sizes, if
/// it is made of nothing else.
pub fn loaded_again_in_condition(facts: &FunctionFacts, at: ValueId) -> Vec<ValueId> {
    let Some(lp) = innermost(facts, at) else { return Vec::new() };
    let around = outermost(facts, lp);
    let found = computed_from(facts, around, vec![at]);
    let are_same = same_in(facts, lp, found.clone()).len() == found.len() && !is_carried(facts, around, vec![at]);
    if are_same { found } else { Vec::new() }
}

/// What says in a condition that is a test of an index which element that is: values that subscripts in the loops are
/// made of, too, and that are looked up or counted on.
pub fn index_in_condition(facts: &FunctionFacts, at: ValueId) -> Vec<ValueId> {
    let Some(lp) = innermost(facts, at) else { return Vec::new() };
    let lp = outermost(facts, lp);
    let offsets = insts_in(facts, lp).filter_map(|v| facts.value(v).offset);
    let subscripts: BTreeSet<ValueId> = offsets
        .flat_map(|offset| {
            let of = unknowns(facts, offset);
            [sources(facts, lp, of.clone()), carried(facts, lp, of)].concat()
        })
        .collect();
    let of = [sources(facts, lp, vec![at]), carried(facts, lp, vec![at])].concat();
    of.into_iter().filter(|v| subscripts.contains(v)).collect()
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

/// Whether the innermost of these loops that access memory do so in sequence, but for elements that stay.
pub fn goes_along_rows(facts: &FunctionFacts, loops: &[LoopId]) -> bool {
    let accesses = |lp: LoopId| {
        let inside =
            facts.blocks.iter().filter(move |block| block.innermost == Some(lp)).flat_map(|block| &block.insts);
        inside.copied().filter(|v| access_bytes(facts, *v).is_some()).collect::<Vec<ValueId>>()
    };
    let of_loops: Vec<(LoopId, Vec<ValueId>)> =
        loops.iter().map(|lp| (*lp, accesses(*lp))).filter(|(_, accesses)| !accesses.is_empty()).collect();
    let has_inside = |lp: LoopId| of_loops.iter().any(|(other, _)| *other != lp && is_around(facts, *other, lp));
    let mut innermost = of_loops.iter().filter(|(lp, _)| !has_inside(*lp)).peekable();
    innermost.peek().is_some()
        && innermost.all(|(lp, accesses)| {
            let is_along = |v: &ValueId| is_along_row(facts, *lp, *v);
            accesses.iter().any(is_along) && accesses.iter().all(|v| is_along(v) || is_fixed_place(facts, *lp, *v))
        })
}

fn access_bytes(facts: &FunctionFacts, access: ValueId) -> Option<u32> {
    match facts.value(access).kind {
        ValueKind::Load { bytes, .. } | ValueKind::Store { bytes, .. } => Some(bytes),
        _ => None,
    }
}

/// Whether each iteration of a loop accesses the element behind, or in front of, that of the one before.
fn is_along_row(facts: &FunctionFacts, lp: LoopId, access: ValueId) -> bool {
    let of = facts.value(access);
    let Some((offset, bytes)) = of.offset.zip(access_bytes(facts, access)) else { return false };
    let is_step =
        |step: ScevId| matches!(facts.scev(step).kind, ScevKind::Const(by) if by.unsigned_abs() == u64::from(bytes));
    let steps = match &facts.scev(offset).kind {
        ScevKind::AddRec { lp: own, ops, .. } => *own == lp && matches!(ops.as_slice(), [_, step] if is_step(*step)),
        _ => false,
    };
    steps && of.base.is_some_and(|base| !changes_in(facts, lp, base))
}

/// Whether an access is to the same place in each iteration of a loop.
fn is_fixed_place(facts: &FunctionFacts, lp: LoopId, access: ValueId) -> bool {
    let of = facts.value(access);
    let is_fixed = |offset: ScevId| !parts(facts, offset).iter().any(|part| part_changes(facts, lp, *part));
    of.offset.is_some_and(is_fixed) && of.base.is_some_and(|base| !changes_in(facts, lp, base))
}

/// Whether a value is another one in other iterations of a loop: all are that are made in it, but for loads of what
/// stays.
fn changes_in(facts: &FunctionFacts, lp: LoopId, value: ValueId) -> bool {
    let of = facts.value(value);
    let is_inside = of.block.is_some_and(|block| is_in(facts, block, lp));
    is_inside && !(matches!(of.kind, ValueKind::Load { .. }) && is_fixed_place(facts, lp, value))
}

/// The same of a part of an expression, by itself.
fn part_changes(facts: &FunctionFacts, lp: LoopId, part: ScevId) -> bool {
    match facts.scev(part).kind {
        ScevKind::AddRec { lp: own, .. } => is_around(facts, own, lp),
        ScevKind::Unknown(value) => changes_in(facts, lp, value),
        _ => false,
    }
}

/// Local variables that the outermost of these loops update in each iteration, but for counters.
pub fn of_results(facts: &FunctionFacts, loops: &[LoopId]) -> Vec<ValueId> {
    let is_outermost = |l: &&LoopId| facts.lp(**l).parent.is_none_or(|around| !loops.contains(&around));
    updated(facts, loops.iter().filter(is_outermost).copied())
}

/// Local variables that these loops update in each iteration, but for counters.
pub fn updated(facts: &FunctionFacts, loops: impl Iterator<Item = LoopId>) -> Vec<ValueId> {
    let headers = loops.map(|l| facts.block(facts.lp(l).header));
    let updated = |v: &&ValueId| matches!(facts.value(**v).kind, ValueKind::Phi(_)) && !is_counter(facts, **v);
    headers.flat_map(|block| &block.insts).filter(updated).copied().collect()
}

/// Whether the loops around what stands in the way write nothing: they look for something, and no order is faster.
pub fn only_look(facts: &FunctionFacts, why: &Reject) -> bool {
    all_around(facts, why).is_some_and(|all| !all.iter().any(|v| is_write(facts, *v)))
}

fn is_write(facts: &FunctionFacts, value: ValueId) -> bool {
    matches!(facts.value(value).kind, ValueKind::Store { .. } | ValueKind::Call | ValueKind::Unsupported)
}

/// Whether nothing is written behind a branch.
pub fn only_looks_behind(facts: &FunctionFacts, behind: &Boxed) -> bool {
    !behind.arms.iter().flat_map(|arm| &arm.insts).any(|v| is_write(facts, *v))
}

/// The instructions of the outermost loop around what stands in the way.
pub fn all_around(facts: &FunctionFacts, why: &Reject) -> Option<Vec<ValueId>> {
    let lp = why.about.iter().chain(&why.at).find_map(|v| innermost(facts, *v)).map(|lp| outermost(facts, lp))?;
    Some(insts_in(facts, lp).collect())
}

/// Loads that a condition is made of, if none reads another place in another iteration.
pub fn of_condition(facts: &FunctionFacts, at: ValueId) -> Option<Vec<ValueId>> {
    let around = innermost(facts, at);
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

/// Whether a condition compares products of counters.
pub fn multiplies_in_condition(facts: &FunctionFacts, at: ValueId) -> bool {
    facts.value(at).cmp_scevs.is_some_and(|(a, b)| multiplies_counters(facts, a) || multiplies_counters(facts, b))
}

/// Whether a condition is made of counters and sizes alone.
pub fn is_of_counters(facts: &FunctionFacts, at: ValueId) -> bool {
    let Some(lp) = innermost(facts, at) else { return false };
    let lp = outermost(facts, lp);
    computed_from(facts, lp, vec![at]).is_empty() && !is_carried(facts, lp, vec![at])
}

/// The pointers behind which a condition looks and that are loaded from one and the same place in each iteration.
pub fn pointers_of_condition(facts: &FunctionFacts, at: ValueId) -> Vec<ValueId> {
    let Some(lp) = innermost(facts, at) else { return Vec::new() };
    let looked_up = sources(facts, outermost(facts, lp), vec![at]);
    let pointers: BTreeSet<ValueId> = looked_up.iter().filter_map(|load| facts.value(*load).base).collect();
    same_in(facts, lp, pointers.into_iter().collect())
        .into_iter()
        .filter(|pointer| facts.value(*pointer).block.is_some_and(|block| is_in(facts, block, lp)))
        .collect()
}

/// Whether an expression in a loop has the counter of one that has ended before, and of which nobody knows how often
/// it ran.
pub fn is_counted_before(facts: &FunctionFacts, lp: LoopId, scev: ScevId) -> bool {
    parts(facts, scev).into_iter().any(|part| match facts.scev(part).kind {
        ScevKind::AddRec { lp: own, .. } => !is_around(facts, lp, own) && !is_around(facts, own, lp),
        _ => false,
    })
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

/// The sizes that single counters are multiplied by in subscripts.
pub fn sizes<'a>(reader: &Reader, touches: impl IntoIterator<Item = &'a Touch>) -> Vec<ValueId> {
    let of_param = |sym: Sym| match sym {
        Sym::Param(k) => value_behind(reader.facts, reader.params.get(k as usize)?.value),
        _ => None,
    };
    let mut all = BTreeSet::new();
    for (mono, _) in touches.into_iter().flat_map(|touch| touch.offset.terms()) {
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
fn carried(facts: &FunctionFacts, lp: LoopId, of: Vec<ValueId>) -> Vec<ValueId> {
    let mut found = Vec::new();
    walk_back(facts, lp, of, |id, work| match facts.value(id).kind {
        ValueKind::Phi(_) if is_counter(facts, id) => {}
        ValueKind::Phi(_) if is_in_header(facts, id) => found.push(id),
        // What a loop inside computes is another value each time.
        _ if innermost(facts, id) != Some(lp) => found.push(id),
        ValueKind::Load { .. } | ValueKind::Call | ValueKind::Unsupported => {}
        _ => work.extend(facts.value(id).operands.iter().rev()),
    });
    found
}

/// The same with what has to stay where it is.
fn computed_from(facts: &FunctionFacts, lp: LoopId, of: Vec<ValueId>) -> Vec<ValueId> {
    let mut found = Vec::new();
    walk_back(facts, lp, of, |id, work| {
        let behind = facts.value(id).operands.iter().rev();
        match facts.value(id).kind {
            ValueKind::Load { .. } | ValueKind::Call | ValueKind::Unsupported => found.push(id),
            // One that a loop carries is another in each iteration.
            ValueKind::Phi(_) if is_in_header(facts, id) => {}
            // Nor does what a loop inside found say what the one around looks up.
            ValueKind::Phi(_) => work.extend(behind.filter(|v| innermost(facts, **v) == innermost(facts, id))),
            _ => work.extend(behind),
        }
    });
    found
}

/// Goes from values to what they are made of in a loop, each once: `visit` puts what lies behind one onto the list.
fn walk_back(
    facts: &FunctionFacts,
    lp: LoopId,
    mut work: Vec<ValueId>,
    mut visit: impl FnMut(ValueId, &mut Vec<ValueId>),
) {
    let mut seen = BTreeSet::new();
    while let Some(id) = work.pop().filter(|_| seen.len() < MAX_TERMS) {
        if facts.value(id).block.is_some_and(|block| is_in(facts, block, lp)) && seen.insert(id) {
            visit(id, &mut work);
        }
    }
}

fn is_counter(facts: &FunctionFacts, value: ValueId) -> bool {
    facts.value(value).scev.is_some_and(|scev| matches!(facts.scev(scev).kind, ScevKind::AddRec { .. }))
}

/// Whether a value stands in the first block of a loop.
fn is_in_header(facts: &FunctionFacts, value: ValueId) -> bool {
    facts.loops.iter().any(|l| Some(l.header) == facts.value(value).block)
}

/// Those that are in no loop inside: what one of these looks up is not what ends the one around.
fn in_loop_itself(facts: &FunctionFacts, lp: LoopId, mut values: Vec<ValueId>) -> Vec<ValueId> {
    values.retain(|v| innermost(facts, *v) == Some(lp));
    values
}

/// The values that an expression is made of.
fn unknowns(facts: &FunctionFacts, scev: ScevId) -> Vec<ValueId> {
    let value = |part: ScevId| match facts.scev(part).kind {
        ScevKind::Unknown(value) => Some(value),
        _ => None,
    };
    parts(facts, scev).into_iter().filter_map(value).collect()
}

/// An expression and those that it is made of, as far as these are looked at.
pub(super) fn parts(facts: &FunctionFacts, scev: ScevId) -> Vec<ScevId> {
    let (mut work, mut found) = (vec![scev], Vec::new());
    while let Some(next) = work.pop().filter(|_| found.len() < MAX_TERMS) {
        found.push(next);
        match &facts.scev(next).kind {
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
            ScevKind::Unknown(_) | ScevKind::Const(_) | ScevKind::CouldNotCompute => {}
        }
    }
    found
}

/// Whether an expression multiplies counters with each other, or one with itself.
pub fn multiplies_counters(facts: &FunctionFacts, scev: ScevId) -> bool {
    let is_counter =
        |of: ScevId| parts(facts, of).iter().any(|p| matches!(facts.scev(*p).kind, ScevKind::AddRec { .. }));
    parts(facts, scev).into_iter().any(|part| match &facts.scev(part).kind {
        ScevKind::AddRec { ops, .. } => ops.iter().skip(1).any(|step| is_counter(*step)) || ops.len() > 2,
        ScevKind::Mul(of) => of.iter().filter(|of| is_counter(**of)).count() > 1,
        _ => false,
    })
}

/// The innermost loop around a value.
fn innermost(facts: &FunctionFacts, value: ValueId) -> Option<LoopId> {
    facts.value(value).block.and_then(|block| facts.block(block).innermost)
}

/// The instructions of a loop and of those inside.
fn insts_in(facts: &FunctionFacts, lp: LoopId) -> impl Iterator<Item = ValueId> {
    facts
        .blocks
        .iter()
        .filter(move |b| b.innermost.is_some_and(|l| is_around(facts, l, lp)))
        .flat_map(|b| b.insts.iter().copied())
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

/// Whether a loop is `outer`, or inside of it.
fn is_around(facts: &FunctionFacts, inner: LoopId, outer: LoopId) -> bool {
    std::iter::successors(Some(inner), |l| facts.lp(*l).parent).any(|l| l == outer)
}

fn is_in(facts: &FunctionFacts, block: BlockId, lp: LoopId) -> bool {
    facts.block(block).innermost.is_some_and(|inner| is_around(facts, inner, lp))
}
