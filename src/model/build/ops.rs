//! What a statement computes, by the costs that the facts give its instructions.

use super::stmts::Piece;
use crate::facts::{FunctionFacts, Type, Value, ValueKind};
use crate::ids::ValueId;
use crate::model::{Link, Ops};
use std::collections::{BTreeMap, BTreeSet};

/// Instructions that the target's tables give this many cycles at most run in several pipes, which the tables round up
/// to one: additions, products, their fused form and comparisons have at least two on every x86 core since Haswell and
/// Zen.
const SIMPLE: u32 = 1;
/// How many.
const PIPES: u32 = 2;
/// Cycles that floating-point arithmetic takes at least from operands to result. LLVM's tables know no latency of
/// intrinsics, `fmuladd` among them, and say 1.
const FLOATING_LATENCY: u32 = 4;
/// Cycles per instruction of which the target says nothing.
const UNKNOWN: u32 = 1;
/// Loads of what a statement stores to that are followed each on its own.
const FOLLOWED: usize = 32;
/// Times instructions that links between reads and writes of a statement are looked for through, at most.
const MAX_LINKED: usize = 4096;

/// Arithmetic of one execution of a statement: what ends in stores, in values for other statements and in its
/// conditions, not what computes addresses. The latency is that of the longest path from a load of an array that the
/// statement stores to, or from a scalar that it updates, to its end: what the next execution waits for if it reads
/// what this one writes. Beside it: the path from each of these loads alone ([`crate::model::StmtBody::paths`]).
#[must_use]
pub fn of(facts: &FunctionFacts, piece: &Piece) -> (Ops, Vec<(ValueId, u32)>) {
    let computed = computed(facts, piece);
    let is_store = |i: &&ValueId| matches!(facts.value(**i).kind, ValueKind::Store { .. });
    let stored: Vec<_> = piece.insts.iter().filter(is_store).map(|i| facts.value(*i).base).collect();
    let updated = |(scalar, _): &&(_, ValueId)| piece.writes.iter().any(|(written, _)| written == scalar);
    let held: BTreeSet<ValueId> = piece.reads.iter().filter(updated).map(|(_, value)| *value).collect();
    let is_own = |v: &Value| matches!(v.kind, ValueKind::Load { .. }) && v.base.is_some() && stored.contains(&v.base);
    let mut ops = Ops { in_lanes: true, ..Ops::default() };
    let mut from_own: BTreeMap<ValueId, u32> = held.iter().map(|id| (*id, 0)).collect();
    let mut from_any: BTreeMap<ValueId, u32> = BTreeMap::new();
    let mut from_one: Vec<(ValueId, BTreeMap<ValueId, u32>)> = Vec::new();
    for &id in piece.insts.iter().filter(|id| computed.contains(id)) {
        let value = facts.value(id);
        if matches!(value.kind, ValueKind::Load { .. }) {
            from_any.insert(id, 0);
            if is_own(value) {
                from_own.insert(id, 0);
                from_one.push((id, BTreeMap::from([(id, 0)])));
            }
            continue;
        }
        let latency = latency(value);
        let alone = from_one.iter_mut().take(FOLLOWED).map(|(_, paths)| paths);
        for paths in [&mut from_own, &mut from_any].into_iter().chain(alone) {
            let longest = value.operands.iter().filter_map(|o| paths.get(o)).max().copied();
            paths.extend(longest.map(|l| (id, l + latency)));
        }
        let scalar = value.costs.throughput.unwrap_or(UNKNOWN);
        let pipes = if scalar <= SIMPLE { PIPES } else { 1 };
        let vector = match (value.costs.vector, value.costs.lanes) {
            (Some(all), lanes @ 1..) => 64 * all / lanes,
            _ => 64 * scalar,
        };
        ops.scalar_64ths += 64 * scalar / pipes;
        ops.vector_64ths += vector / pipes;
        ops.instructions += 1;
        ops.in_lanes &= value.in_lanes;
        if let Type::Float(bits) | Type::Int(bits) = value.ty {
            ops.vector_bits = ops.vector_bits.max(bits.saturating_mul(value.costs.lanes));
        }
    }
    // Whether LLVM makes vectors of code with branches hangs on masked accesses of the target: nothing counts on it.
    if piece.insts.iter().any(|id| facts.boxed(*id).is_some()) {
        ops.vector_64ths = ops.scalar_64ths;
        ops.in_lanes = false;
    }
    let longest = |paths: &BTreeMap<ValueId, u32>| paths.values().copied().max();
    ops.latency = longest(&from_own).or_else(|| longest(&from_any)).unwrap_or(0);
    let alone = from_one.iter().take(FOLLOWED).filter_map(|(id, paths)| Some((*id, longest(paths)?)));
    (ops, alone.collect())
}

/// Cycles from an instruction's operands to its result.
fn latency(value: &Value) -> u32 {
    let least = if matches!(value.ty, Type::Float(_)) { FLOATING_LATENCY } else { UNKNOWN };
    value.costs.latency.unwrap_or(UNKNOWN).max(least)
}

/// What each value that is written takes after each load and each scalar that is read, where it is made of it; `None`
/// where that is too much to find out. Conditions are not part of it: a core guesses how they end.
#[must_use]
pub fn links(facts: &FunctionFacts, piece: &Piece) -> Option<Vec<Link>> {
    let is_load = |id: &ValueId| matches!(facts.value(*id).kind, ValueKind::Load { .. });
    let at: BTreeMap<ValueId, usize> = piece.insts.iter().enumerate().map(|(k, id)| (*id, k)).collect();
    let loads = piece.insts.iter().copied().filter(is_load);
    let from: Vec<ValueId> = piece.reads.iter().map(|(_, value)| *value).chain(loads).collect();
    if from.len() > FOLLOWED || from.len() * piece.insts.len() > MAX_LINKED {
        return None;
    }
    let stored = piece.insts.iter().filter_map(|id| match facts.value(*id).kind {
        ValueKind::Store { value, .. } => Some((*id, value)),
        _ => None,
    });
    let written: Vec<(ValueId, ValueId)> = piece.writes.iter().map(|(_, v)| (*v, *v)).chain(stored).collect();
    let mut links = Vec::new();
    for from in from {
        let mut cycles: Vec<Option<u32>> = Vec::with_capacity(piece.insts.len());
        for id in &piece.insts {
            let value = facts.value(*id);
            let of = |o: &ValueId| if *o == from { Some(0) } else { *cycles.get(*at.get(o)?)? };
            let longest = value.operands.iter().filter_map(of).max();
            cycles.push(longest.filter(|_| !is_load(id)).map(|l| l + latency(value)));
        }
        let after = |v: ValueId| if v == from { Some(0) } else { at.get(&v).and_then(|k| cycles[*k]) };
        links.extend(written.iter().filter_map(|(to, value)| Some(Link { from, to: *to, cycles: after(*value)? })));
    }
    Some(links)
}

/// The instructions whose results end in stores, in values for other statements or in branches.
fn computed(facts: &FunctionFacts, piece: &Piece) -> BTreeSet<ValueId> {
    let inside: BTreeSet<ValueId> = piece.insts.iter().copied().collect();
    let mut work: Vec<ValueId> = piece.writes.iter().map(|(_, value)| *value).collect();
    for &id in &piece.insts {
        if let ValueKind::Store { value, .. } = facts.value(id).kind {
            work.push(value);
        }
        work.extend(facts.boxed(id).into_iter().flat_map(|b| b.conditions()));
    }
    let mut out = BTreeSet::new();
    while let Some(id) = work.pop() {
        if inside.contains(&id) && out.insert(id) && !matches!(facts.value(id).kind, ValueKind::Load { .. }) {
            work.extend(facts.value(id).operands.iter().copied());
        }
    }
    out
}
