//! How loops end whose number of iterations nobody knows.

use super::{
    MAX_TERMS, carried, computed_from, has_product, in_loop_itself, insts_in, is_around, is_carried, is_counted_before,
    is_fixed_place, is_in, multiplies_counters, multiplies_in_condition, of_sources, outermost, sources, unknowns,
    value_behind,
};
use crate::facts::{FunctionFacts, ScevKind, Type, ValueKind};
use crate::ids::{BlockId, LoopId, ScevId, ValueId};
use crate::remedies::{
    BOUND_CHANGES, BY_SIZE, CHAIN, COMPUTED_BY, COMPUTES, COUNTED_BEFORE, COUNTS_IN_FLOAT, ENDS_INSIDE, ENDS_ON_CALL,
    ENDS_ON_DATA, ENDS_ON_LOADED, FOLLOWS, NOT_COMPUTABLE, PRODUCT, SCALED, SCALED_INSIDE, WORK_LIST, WRAPS,
};
use std::collections::BTreeSet;

/// Why nobody knows how often a loop runs, and the loads and calls on which its end depends.
pub fn of_end(facts: &FunctionFacts, lp: LoopId) -> (&'static str, Vec<ValueId>) {
    let last = facts.lp(lp).exiting.first().and_then(|block| facts.block(*block).insts.last());
    let on = last.map_or_else(Vec::new, |branch| facts.value(*branch).operands.clone());
    let found = in_loop_itself(facts, lp, sources(facts, lp, on.clone()));
    let is_left_inside = found.is_empty() && facts.loops.iter().any(|l| l.parent == Some(lp) && l.exiting.len() > 1);
    let carried = carried(facts, lp, on);
    if found.is_empty() && !is_left_inside && !carried.is_empty() {
        // What is left of a slice begins at a pointer, too, that is not looked up.
        let is_followed = |v: &ValueId| !sources(facts, lp, facts.value(*v).operands.clone()).is_empty();
        let are_pointers = carried.iter().all(|v| facts.value(*v).ty == Type::Ptr);
        let is_list = are_pointers && carried.iter().any(is_followed);
        return (if is_list { FOLLOWS } else { how_computed(facts, lp, &carried) }, carried);
    }
    if let Some(call) =
        last.filter(|_| found.is_empty() && !is_left_inside).and_then(|branch| fixed_end(facts, lp, *branch))
    {
        return (ENDS_ON_CALL, vec![call]);
    }
    let is_product = found.is_empty() && last.is_some_and(|branch| compares_counters(facts, *branch));
    let plain = match is_left_inside {
        true => ENDS_INSIDE,
        false if is_product => PRODUCT,
        false => NOT_COMPUTABLE,
    };
    let (detail, about) = of_sources(facts, lp, found, (plain, ENDS_ON_DATA));
    // What it looks up and changes cannot be looked for before.
    let is_changed = detail == ENDS_ON_DATA && about.iter().any(|v| is_stored_to(facts, lp, *v));
    // Nor is what stays where the loop around looked it up data of this one.
    if detail == ENDS_ON_DATA && !is_changed && about.iter().all(|v| is_fixed_place(facts, lp, *v)) {
        return (ENDS_ON_LOADED, about);
    }
    // Where the one before says where to look next, nothing is known of the iterations but by running them.
    let hangs = |v: &ValueId| is_carried(facts, lp, facts.value(*v).operands.clone());
    if detail == ENDS_ON_DATA && !is_changed && about.iter().all(hangs) {
        return (CHAIN, about);
    }
    let is_innermost = facts.loops.iter().all(|l| l.parent != Some(lp));
    match is_changed {
        true if is_innermost => (CHAIN, about),
        true => (COMPUTES, about),
        false => (detail, about),
    }
}

/// The value a loop compares its counter with, where the loop computes it in each iteration from what stays: a call
/// that only reads what the loop does not write.
fn fixed_end(facts: &FunctionFacts, lp: LoopId, branch: ValueId) -> Option<ValueId> {
    let is_inside = |v: ValueId| facts.value(v).block.is_some_and(|block| is_in(facts, block, lp));
    let compared = facts.value(branch).operands.iter().flat_map(|v| &facts.value(*v).operands).copied();
    compared.filter(|v| is_inside(*v)).find(|v| {
        let of = facts.value(*v);
        let takes_pointer = of.operands.iter().any(|v| facts.value(*v).ty == Type::Ptr);
        let is_opaque =
            of.scev.is_some_and(|scev| matches!(facts.scev(scev).kind, ScevKind::Unknown(own) if own == *v));
        matches!(of.kind, ValueKind::Pure) && takes_pointer && is_opaque && !of.operands.iter().any(|v| is_inside(*v))
    })
}

/// How a loop computes the values that it ends on.
fn how_computed(facts: &FunctionFacts, lp: LoopId, carried: &[ValueId]) -> &'static str {
    let header = Some(facts.lp(lp).header);
    let step = |v: ValueId| {
        let ValueKind::Phi(from) = &facts.value(v).kind else { return None };
        from.iter().find(|(_, block)| is_in(facts, *block, lp)).map(|(next, _)| facts.value(*next))
    };
    // One operation on the value itself, with a value that stays.
    let is_counter = |v: &ValueId| {
        let is_fixed =
            |other: &ValueId| facts.value(*other).block.is_none_or(|block| !is_in(facts, block, lp)) && other != v;
        facts.value(*v).block == header
            && step(*v).is_some_and(|next| {
                let of = &next.operands;
                matches!(next.kind, ValueKind::Pure) && of.len() == 2 && of.contains(v) && of.iter().any(is_fixed)
            })
    };
    let of_type = |is: fn(Type) -> bool| carried.iter().all(|v| is(facts.value(*v).ty));
    let is_innermost = facts.loops.iter().all(|l| l.parent != Some(lp));
    // A sum that is cut to fewer bits.
    let is_cut = |v: &ValueId| step(*v).and_then(|next| next.scev).is_some_and(|sum| is_cut_sum(facts, sum, *v));
    if !carried.is_empty() && carried.iter().all(is_cut) {
        return WRAPS;
    }
    match carried.iter().all(is_counter) {
        true if of_type(|ty| matches!(ty, Type::Float(_))) => COUNTS_IN_FLOAT,
        true if of_type(|ty| matches!(ty, Type::Int(_))) && runs_inside(facts, lp, carried) => SCALED_INSIDE,
        true if of_type(|ty| matches!(ty, Type::Int(_))) => SCALED,
        _ if is_innermost && of_type(|ty| matches!(ty, Type::Int(_) | Type::Float(_))) => CHAIN,
        _ if is_work_list(facts, lp) => WORK_LIST,
        _ => COMPUTES,
    }
}

/// Whether a counter runs up to a number that the iterations make larger: `while (head < tail)`.
fn is_work_list(facts: &FunctionFacts, lp: LoopId) -> bool {
    let last = facts.lp(lp).exiting.first().and_then(|block| facts.block(*block).insts.last());
    let compared = last.into_iter().flat_map(|branch| &facts.value(*branch).operands);
    let is_counter = |scev: ScevId| matches!(facts.scev(scev).kind, ScevKind::AddRec { lp: own, .. } if own == lp);
    let is_carried = |scev: ScevId| !carried(facts, lp, unknowns(facts, scev)).is_empty();
    compared
        .filter_map(|v| facts.value(*v).cmp_scevs)
        .any(|(a, b)| is_counter(a) && is_carried(b) || is_counter(b) && is_carried(a))
}

/// Whether loops inside run as often as these values say.
fn runs_inside(facts: &FunctionFacts, lp: LoopId, values: &[ValueId]) -> bool {
    let inside = (0..facts.loops.len()).map(LoopId::new).filter(|l| *l != lp && is_around(facts, *l, lp));
    let mut work: Vec<ValueId> = Vec::new();
    for l in inside {
        let last = |block: &BlockId| facts.block(*block).insts.last().copied();
        match facts.lp(l).backedge_taken {
            Some(taken) => work.extend(unknowns(facts, taken)),
            None => work.extend(facts.lp(l).exiting.iter().filter_map(last)),
        }
    }
    let mut seen = BTreeSet::new();
    while let Some(id) = work.pop().filter(|_| seen.len() < MAX_TERMS) {
        if values.contains(&id) {
            return true;
        }
        if facts.value(id).block.is_some_and(|block| is_in(facts, block, lp)) && seen.insert(id) {
            work.extend(&facts.value(id).operands);
        }
    }
    false
}

/// Whether an expression is a value plus a number, in fewer bits than the value has.
fn is_cut_sum(facts: &FunctionFacts, scev: ScevId, value: ValueId) -> bool {
    let (mut inner, mut is_cut) = (scev, false);
    while let ScevKind::ZExt(of) | ScevKind::SExt(of) | ScevKind::Trunc(of) = &facts.scev(inner).kind {
        (inner, is_cut) = (*of, true);
    }
    let ScevKind::Add(parts) = &facts.scev(inner).kind else { return false };
    let is_part =
        |of: &ScevId| matches!(facts.scev(*of).kind, ScevKind::Const(_)) || value_behind(facts, *of) == Some(value);
    is_cut && parts.iter().all(is_part)
}

/// Whether a branch compares with a product of loop counters: `i * i <= n`.
fn compares_counters(facts: &FunctionFacts, branch: ValueId) -> bool {
    facts.value(branch).operands.iter().any(|v| multiplies_in_condition(facts, *v))
}

/// Whether a loop may store to what a load in a later iteration of it reads: to the same array, or to rows behind
/// pointers.
fn is_stored_to(facts: &FunctionFacts, lp: LoopId, load: ValueId) -> bool {
    let read = facts.value(load);
    let is_row = |base: Option<ValueId>| base.is_none_or(|b| matches!(facts.value(b).kind, ValueKind::Load { .. }));
    insts_in(facts, lp).map(|v| facts.value(v)).any(|store| {
        let ValueKind::Store { value: stored, .. } = store.kind else { return false };
        let offsets = store.offset.zip(read.offset);
        let is_passed = store.base == read.base && offsets.is_some_and(|(store, read)| is_passed(facts, store, read));
        let may_meet = store.base == read.base || is_row(store.base) && is_row(read.base);
        facts.value(stored).ty == read.ty && may_meet && !is_passed
    })
}

/// Whether of two subscripts that step alike the first one is where the second one is, or has been before.
fn is_passed(facts: &FunctionFacts, store: ScevId, read: ScevId) -> bool {
    let number = |scev: ScevId| match facts.scev(scev).kind {
        ScevKind::Const(number) => Some(i128::from(number)),
        _ => None,
    };
    let counted = |scev: ScevId| match &facts.scev(scev).kind {
        ScevKind::AddRec { lp, ops, .. } => match ops.as_slice() {
            [start, step] => Some((*lp, number(*start)?, number(*step)?)),
            _ => None,
        },
        _ => None,
    };
    let is_counted = matches!(facts.scev(read).kind, ScevKind::AddRec { .. });
    let is_behind = match (counted(store), counted(read)) {
        (Some((a, from, by)), Some((b, to, like))) => a == b && by == like && (to - from) * by >= 0,
        _ => false,
    };
    store == read && is_counted || is_behind
}

/// Why a number of iterations is not affine; `None`: nothing is known.
pub fn of_bound(facts: &FunctionFacts, lp: LoopId, bound: ScevId) -> Option<(&'static str, Vec<ValueId>)> {
    let outermost = outermost(facts, lp);
    let found = sources(facts, outermost, unknowns(facts, bound));
    if found.is_empty() {
        if is_counted_before(facts, lp, bound) {
            return Some((COUNTED_BEFORE, ends(facts, lp)));
        }
        if has_product(facts, bound) && !multiplies_counters(facts, bound) {
            return Some((BY_SIZE, Vec::new()));
        }
        if has_product(facts, bound) {
            return Some((PRODUCT, ends(facts, lp)));
        }
        let is_computed = |v: &ValueId| {
            let of = facts.value(*v);
            matches!(of.kind, ValueKind::Pure) && of.block.is_some_and(|block| is_in(facts, block, outermost))
        };
        let computed: Vec<ValueId> = unknowns(facts, bound).into_iter().filter(is_computed).collect();
        let is_known = computed.is_empty() && !divides(facts, bound) || is_carried(facts, outermost, computed.clone());
        return (!is_known).then_some((COMPUTED_BY, computed));
    }
    let (detail, about) = of_sources(facts, lp, found, ("", BOUND_CHANGES));
    Some((detail, about))
}

/// What a loop with several exits looks up to find out whether it ends.
pub fn of_exits(facts: &FunctionFacts, lp: LoopId) -> Vec<ValueId> {
    let last = |block: &BlockId| facts.block(*block).insts.last().copied();
    let on = facts.lp(lp).exiting.iter().filter_map(last).flat_map(|branch| facts.value(branch).operands.clone());
    in_loop_itself(facts, lp, sources(facts, lp, on.collect()))
}

/// How a loop with several exits is left: in which lines, where these are not the loop's own; and on what.
pub fn several_exits(facts: &FunctionFacts, lp: LoopId) -> (String, Vec<ValueId>) {
    let exiting = &facts.lp(lp).exiting;
    let looked_up = of_exits(facts, lp);
    if looked_up.is_empty() {
        let last = |block: &BlockId| facts.block(*block).insts.last().copied();
        let on = exiting.iter().filter_map(last).flat_map(|branch| facts.value(branch).operands.clone());
        let carried = carried(facts, lp, on.collect());
        if !carried.is_empty() {
            return (COMPUTES.to_owned(), carried);
        }
    }
    // What the loop changes itself cannot be looked for before it.
    let is_changed = looked_up.iter().any(|v| is_stored_to(facts, lp, *v));
    if is_changed && facts.loops.iter().all(|l| l.parent != Some(lp)) {
        return (CHAIN.to_owned(), looked_up);
    }
    let lines = in_lines(facts, &format!("{} exits", exiting.len()), lp, exiting);
    (lines, if is_changed { Vec::new() } else { looked_up })
}

/// Says behind `what` in which lines these blocks leave a loop, if one of them is not its first.
pub fn in_lines(facts: &FunctionFacts, what: &str, lp: LoopId, exiting: &[BlockId]) -> String {
    let first = &facts.lp(lp).loc;
    let place = |block: &BlockId| facts.block(*block).insts.last().map(|v| &facts.value(*v).loc);
    let lines: BTreeSet<u32> = exiting
        .iter()
        .filter_map(place)
        .filter(|loc| loc.file == first.file && loc.line != 0)
        .map(|loc| loc.line)
        .collect();
    let lines: Vec<String> = lines.iter().map(ToString::to_string).collect();
    match lines.as_slice() {
        [] => what.to_owned(),
        [one] if *one == first.line.to_string() => what.to_owned(),
        [one] => format!("{what}, in line {one}"),
        all => format!("{what}, in lines {}", all.join(", ")),
    }
}

/// What has to stay where it is and ends a loop, or one inside of it: a volatile flag that another thread sets.
pub fn fixed_exit(facts: &FunctionFacts, lp: LoopId) -> Option<ValueId> {
    let fixed = |v: &ValueId| matches!(facts.value(*v).kind, ValueKind::Unsupported);
    let ends = |l: LoopId| facts.lp(l).exiting.iter().filter_map(|b| facts.block(*b).insts.last().copied());
    let inside = (0..facts.loops.len()).map(LoopId::new).filter(|l| is_around(facts, *l, lp));
    let on = inside.flat_map(|l| ends(l).map(move |branch| (l, facts.value(branch).operands.clone())));
    on.flat_map(|(l, on)| computed_from(facts, l, on)).find(fixed)
}

/// What the counter of a loop is compared with, where that is computed in front of it.
fn ends(facts: &FunctionFacts, lp: LoopId) -> Vec<ValueId> {
    let last = facts.lp(lp).exiting.first().and_then(|block| facts.block(*block).insts.last());
    let on = last.map_or_else(Vec::new, |branch| facts.value(*branch).operands.clone());
    let sides = on.iter().filter(|v| matches!(facts.value(**v).kind, ValueKind::ICmp { .. }));
    let sides = sides.flat_map(|v| &facts.value(*v).operands).copied();
    let is_before = |v: &ValueId| facts.value(*v).block.is_some_and(|block| !is_in(facts, block, lp));
    sides.filter(is_before).collect()
}

/// Whether an expression has a quotient by what is no number.
fn divides(facts: &FunctionFacts, scev: ScevId) -> bool {
    match &facts.scev(scev).kind {
        ScevKind::UDiv(_, by) => !matches!(facts.scev(*by).kind, ScevKind::Const(_)),
        ScevKind::ZExt(of) | ScevKind::SExt(of) | ScevKind::Trunc(of) => divides(facts, *of),
        ScevKind::Add(all) | ScevKind::SMax(all) | ScevKind::SMin(all) | ScevKind::UMax(all) | ScevKind::UMin(all) => {
            all.iter().any(|of| divides(facts, *of))
        }
        _ => false,
    }
}
