//! Scalars that find no free element, as small arrays: which, in which loops, of how many elements.
//!
//! Loops around the scalars of a nest are cut into strips. In each strip, a scalar has an element for each iteration
//! (`s` becomes `s[i - 32 * (i / 32)][j - 128 * (j / 128)]`), so that the iterations of a strip may run in any order
//! that the other dependences leave. A scalar qualifies if no value of it leaves an iteration of the loops that it has
//! elements for, and every read gets one (value-based flow, exact).
//! Source: Feautrier, ICS 1988 (array expansion); here bounded by strips, so that the arrays fit the first cache.

use super::expand::{self, Cut, Expanded};
use super::{MAX_SCALARS, Target, copying, flow, mapped};
use crate::deps::compute::{context_of, limit};
use crate::deps::flow::sources_of;
use crate::deps::stays_in;
use crate::error::Failure;
use crate::facts::{FunctionFacts, Type};
use crate::ids::{ArrayId, LoopId, StmtId, ValueId};
use crate::model::without::without;
use crate::model::{Access, AccessKind, Array, ArrayKind, Scop, Stmt};
use crate::storage::buffer::MAX_COPY_BYTES;
use crate::storage::footprint::{ElementBox, subscript_ends};
use presburger::{Bound, Budget, Set};
use std::collections::BTreeSet;

/// Bytes that the arrays of a nest may have together: they are to stay in the first cache, beside other data.
const STRIP_BYTES: i64 = 32 << 10;
/// Most iterations in a strip of the innermost of the loops that are cut.
const INNER_STRIP: i64 = 128;
/// Most iterations in a strip of the loop around it.
const OUTER_STRIP: i64 = 32;
/// Iterations of a strip below which nothing is gained.
pub(super) const LEAST_STRIP: i64 = 4;

/// Strips of code for users.
fn longest(along_rows: bool) -> Longest {
    Longest { inner: INNER_STRIP, outer: OUTER_STRIP, alone: 4 * INNER_STRIP, along_rows }
}

/// A scalar, or several that hold one value at different times.
struct Place {
    /// Stands for all of them.
    array: ArrayId,
    /// Outer loops out of whose iterations no value of it gets.
    depth: usize,
    bytes: i64,
}

/// Most iterations in strips.
#[derive(Clone, Copy)]
pub(super) struct Longest {
    /// Of the innermost of the loops that are cut.
    pub inner: i64,
    /// Of the loop around it.
    pub outer: i64,
    /// Of a loop that is cut alone.
    pub alone: i64,
    /// Whether nests that compute chains along the rows of their arrays are cut as well, each row's for itself, with a
    /// loop around all of them that goes from row to row: arrays for their scalars let that loop jump from chain to
    /// chain, element for element of a column.
    pub along_rows: bool,
}

/// A program with scalars in arrays.
#[derive(Debug)]
pub struct InStrips {
    /// The program.
    pub scop: Scop,
    /// Whether some of them are of nests that compute chains along the rows of their arrays.
    pub along_rows: bool,
}

/// The program with the scalars of its nests in arrays; `None` where no nest has any that can be.
///
/// # Errors
/// `Limit` when the budget is spent or a coefficient leaves i64.
pub fn in_strips(scop: &Scop, facts: &FunctionFacts, budget: &Budget) -> Result<Option<InStrips>, Failure> {
    in_strips_of(scop, facts, longest(true), budget)
}

/// The same without nests of chains along rows.
///
/// # Errors
/// As [`in_strips`].
pub fn across_rows_in_strips(scop: &Scop, facts: &FunctionFacts, budget: &Budget) -> Result<Option<Scop>, Failure> {
    Ok(in_strips_of(scop, facts, longest(false), budget)?.map(|found| found.scop))
}

/// Whether a nest computes chains along the rows of its arrays ([`Longest::along_rows`]).
pub(super) fn are_chains_of_rows(scop: &Scop, facts: &FunctionFacts, nest: &BTreeSet<StmtId>) -> bool {
    let [outer] = common_loops(scop, nest)[..] else { return false };
    let Some(header) = facts.loops.get(outer.index()).map(|l| l.header) else { return false };
    let Some(scalars) = of_nest(scop, facts, nest) else { return false };
    let is_chain = |z: &ArrayId| match scop.array(*z).kind {
        ArrayKind::Phi { phi } => facts.value(phi).block != Some(header),
        _ => false,
    };
    if !scalars.iter().any(is_chain) {
        return false;
    }
    let inner = nest.iter().map(|id| scop.stmt(*id)).filter(|s| s.dims() > 1);
    let mut moves = false;
    for access in inner.flat_map(|s| &s.accesses).filter(|a| scop.array(a.array).is_memory()) {
        let Some(subscripts) = access.subscripts() else { return false };
        let Some((last, rows)) = subscripts.split_last() else { continue };
        let dim = scop.params.len();
        if last[dim] != 0 {
            return false;
        }
        moves |= rows.iter().any(|r| r[dim] != 0);
    }
    moves
}

/// The same with strips of at most so many iterations.
///
/// # Errors
/// As [`in_strips`].
pub(super) fn in_strips_of(
    scop: &Scop,
    facts: &FunctionFacts,
    longest: Longest,
    budget: &Budget,
) -> Result<Option<InStrips>, Failure> {
    let scop = &with_sums_in_order(scop);
    let mut current = scop.clone();
    let (mut changed, mut room, mut along_rows) = (false, MAX_COPY_BYTES, false);
    for nest in scop.schedule.nests() {
        let chain = common_loops(scop, &nest);
        let Some(scalars) = of_nest(scop, facts, &nest).filter(|s| !s.is_empty() && !chain.is_empty()) else {
            continue;
        };
        let is_along_rows = are_chains_of_rows(scop, facts, &nest);
        if is_along_rows && !longest.along_rows {
            continue;
        }
        let header = facts.loops.get(chain[0].index()).map(|l| l.header);
        let is_carried_by_all = |z: &ArrayId| match scop.array(*z).kind {
            ArrayKind::Phi { phi } => header.is_some() && facts.value(phi).block == header,
            _ => false,
        };
        if scalars.iter().any(is_carried_by_all) {
            continue;
        }
        let Some((joined, places)) = joined(&current, facts, &scalars, budget)? else { continue };
        let mut found = Vec::new();
        for (array, bytes) in &places {
            let depth = depth(&joined, *array, chain.len(), budget)?;
            found.push(Place { array: *array, depth, bytes: *bytes });
        }
        let Some(cuts) = cuts(&joined, &nest, &found, longest, budget)? else { continue };
        let Some(left) = room.checked_sub(bytes(&cuts, &found)) else { continue };
        room = left;
        let none = || ElementBox(Vec::new());
        let of = found.iter().map(|p| (p.array, Expanded { depth: p.depth, elements: none() })).collect();
        current = expand::expanded(&joined, &nest, &cuts, &of, budget)?;
        (changed, along_rows) = (true, along_rows | is_along_rows);
    }
    let dropped = || super::copies::of_elements_onto_themselves(&current, facts);
    Ok(changed.then(|| InStrips { scop: without(&current, &dropped()), along_rows }))
}

/// The program where updates of scalars keep their order: what they are between two updates may be read.
fn with_sums_in_order(scop: &Scop) -> Scop {
    let mut result = scop.clone();
    let is_memory: Vec<bool> = scop.arrays.iter().map(Array::is_memory).collect();
    for stmt in &mut result.stmts {
        stmt.reduction = stmt.reduction.take().filter(|r| is_memory[r.array.index()]);
    }
    result
}

/// The loops that all statements of a nest are in, outermost first.
pub(super) fn common_loops(scop: &Scop, nest: &BTreeSet<StmtId>) -> Vec<LoopId> {
    let mut common: Option<Vec<LoopId>> = None;
    for id in nest {
        let stmt = scop.stmt(*id);
        let loops: Vec<LoopId> = stmt.body.loops().iter().map(|l| l.id).collect();
        if loops.len() != stmt.dims() {
            return Vec::new();
        }
        let shared =
            |known: Vec<LoopId>| known.iter().zip(&loops).take_while(|(a, b)| a == b).map(|(a, _)| *a).collect();
        common = Some(common.map_or(loops.clone(), shared));
    }
    common.unwrap_or_default()
}

/// The scalars that a nest writes; `None` if one of them cannot be an array.
fn of_nest(scop: &Scop, facts: &FunctionFacts, nest: &BTreeSet<StmtId>) -> Option<BTreeSet<ArrayId>> {
    let written = scop.scalars_written_by(nest.iter().copied());
    let can_be = |scalar: &ArrayId| {
        let (ArrayKind::Value { def: value } | ArrayKind::Phi { phi: value }) = scop.array(*scalar).kind else {
            return false;
        };
        let is_inside = facts.value(value).block.is_some_and(|b| scop.region.blocks.contains(&b));
        let leaves = scop.live_out.iter().any(|e| e.array == *scalar);
        let users = scop.stmts.iter().filter(|s| s.accesses.iter().any(|a| a.array == *scalar));
        let is_plain = |s: &Stmt| {
            nest.contains(&s.id) && s.accesses.iter().all(|a| a.array != *scalar || a.kind != AccessKind::MayWrite)
        };
        has_elements(facts, value) && is_inside && !leaves && users.into_iter().all(is_plain)
    };
    (written.len() <= MAX_SCALARS && written.iter().all(can_be)).then_some(written)
}

fn has_elements(facts: &FunctionFacts, value: ValueId) -> bool {
    matches!(facts.value(value).ty, Type::Float(32 | 64) | Type::Int(8 | 16 | 32 | 64))
}

/// The program with scalars that hold one value at different times as one of them, and these with the bytes of each.
fn joined(
    scop: &Scop,
    facts: &FunctionFacts,
    scalars: &BTreeSet<ArrayId>,
    budget: &Budget,
) -> Result<Option<(Scop, Vec<(ArrayId, i64)>)>, Failure> {
    let ty = |array: ArrayId| match scop.array(array).kind {
        ArrayKind::Value { def: value } | ArrayKind::Phi { phi: value } => facts.value(value).ty,
        _ => Type::Other,
    };
    let (mut current, mut known) = (scop.clone(), flow::Known::of(scop, budget)?);
    let mut groups: Vec<BTreeSet<ArrayId>> = Vec::new();
    for &scalar in scalars {
        let mut is_done = false;
        for group in &mut groups {
            let Some(&first) = group.first() else { continue };
            if ty(first) != ty(scalar) || !are_connected(scop, group, scalar) {
                continue;
            }
            let both: BTreeSet<ArrayId> = group.iter().copied().chain([scalar]).collect();
            if let Some(new) = together((scop, facts), &current, (&both, ty(first)), &mut known, budget)? {
                (current, *group, is_done) = (new, both, true);
                break;
            }
        }
        if !is_done {
            let own = BTreeSet::from([scalar]);
            let Some(new) = mapped(&current, &target(scalar, ty(scalar)), &own) else { return Ok(None) };
            (current, _) = (new, groups.push(own));
        }
    }
    // A sum over two loops is handed on between them: by what the inner one leaves to what the outer one begins with.
    let mut at = 0;
    while at + 1 < groups.len() {
        let mut is_larger = false;
        for other in at + 1..groups.len() {
            let (Some(&a), Some(&b)) = (groups[at].first(), groups[other].first()) else { continue };
            if ty(a) != ty(b) || !groups[other].iter().any(|scalar| are_connected(scop, &groups[at], *scalar)) {
                continue;
            }
            let both: BTreeSet<ArrayId> = groups[at].union(&groups[other]).copied().collect();
            if let Some(new) = together((scop, facts), &current, (&both, ty(a)), &mut known, budget)? {
                (current, groups[at], is_larger) = (new, both, true);
                groups.remove(other);
                break;
            }
        }
        at += usize::from(!is_larger);
    }
    let bytes = |a: ArrayId| i64::from(scop.array(a).elem_bytes);
    let places = groups.iter().filter_map(|g| g.first()).map(|a| (*a, bytes(*a))).collect();
    Ok(Some((current, places)))
}

/// A scalar as the element that others may live in.
fn target(scalar: ArrayId, ty: Type) -> Target {
    Target { stmt: StmtId::new(0), array: scalar, subscripts: Vec::new(), ty }
}

/// Whether some statement touches the scalar and one of the others.
fn are_connected(scop: &Scop, group: &BTreeSet<ArrayId>, scalar: ArrayId) -> bool {
    let has = |s: &Stmt, array: ArrayId| s.accesses.iter().any(|a| a.array == array);
    scop.stmts.iter().any(|s| has(s, scalar) && group.iter().any(|g| has(s, *g)))
}

/// `current` with these scalars as the first of them, if every read has its value from where it has it in `scop`, which
/// `known` is of.
fn together(
    (scop, facts): (&Scop, &FunctionFacts),
    current: &Scop,
    (scalars, ty): (&BTreeSet<ArrayId>, Type),
    known: &mut flow::Known,
    budget: &Budget,
) -> Result<Option<Scop>, Failure> {
    let Some(&first) = scalars.first() else { return Ok(None) };
    let target = target(first, ty);
    let Some(alone) = mapped(scop, &target, scalars) else { return Ok(None) };
    let copying = copying((scop, facts), &target, scalars);
    if !flow::is_same((scop, &alone), (first, None), scalars, &copying, known, budget)? {
        return Ok(None);
    }
    // What is not of these is as before.
    let mut result = current.clone();
    for (stmt, new) in result.stmts.iter_mut().zip(&alone.stmts) {
        let is_own = |a: &Access| scalars.contains(&a.array) || a.carries.is_some_and(|c| scalars.contains(&c));
        if !new.accesses.iter().any(is_own) {
            continue;
        }
        let mut accesses: Vec<_> = stmt.accesses.iter().filter(|a| !is_own(a)).cloned().collect();
        accesses.extend(new.accesses.iter().filter(|a| is_own(a)).cloned());
        accesses.sort_by_key(|a| a.kind != AccessKind::Read);
        if let Some(reduction) = &mut stmt.reduction {
            let now = |at: usize| {
                let old = &stmt.accesses[at];
                accesses.iter().position(|a| (a.inst, a.array, a.kind) == (old.inst, old.array, old.kind))
            };
            let (Some(read), Some(write)) = (now(reduction.read), now(reduction.write)) else { return Ok(None) };
            (reduction.read, reduction.write) = (read, write);
        }
        stmt.accesses = accesses;
    }
    Ok(Some(result))
}

/// Outer loops, of the first `most`, that no value of the scalar gets out of an iteration of; 0 where a read may get
/// none in the region.
pub(super) fn depth(scop: &Scop, scalar: ArrayId, most: usize, budget: &Budget) -> Result<usize, Failure> {
    let sources = sources_of(scop, &|a| a == scalar, budget)?;
    let context = context_of(scop, budget)?;
    for stmt in &scop.stmts {
        for (at, _) in stmt.accesses.iter().enumerate().filter(|(_, a)| a.array == scalar && a.kind == AccessKind::Read)
        {
            let mut covered = Set::empty(stmt.domain.space().clone());
            for source in sources.iter().filter(|s| s.dep.dst == stmt.id && s.read == at) {
                covered = covered.union(&source.dep.relation.range(budget).map_err(limit)?);
            }
            if !stmt.domain.intersect_params(&context).is_subset(&covered, budget).map_err(limit)? {
                return Ok(0);
            }
        }
    }
    let mut depth = most;
    for source in &sources {
        for dim in 0..depth {
            if !stays_in(&source.dep.relation, dim, budget)? {
                depth = dim;
                break;
            }
        }
    }
    Ok(depth)
}

/// Which of the outer loops are cut, into strips of how many iterations: the last one that a scalar may have elements
/// for, and one that all may, or the one around it. `None` where some scalar stays.
fn cuts(
    scop: &Scop,
    nest: &BTreeSet<StmtId>,
    places: &[Place],
    longest: Longest,
    budget: &Budget,
) -> Result<Option<Vec<Cut>>, Failure> {
    let deepest = places.iter().map(|p| p.depth).max().unwrap_or(0);
    let common = places.iter().map(|p| p.depth).min().unwrap_or(0);
    if common == 0 {
        return Ok(None);
    }
    let inner = deepest - 1;
    let outer = if common - 1 < inner { Some(common - 1) } else { inner.checked_sub(1) };
    let in_both = |p: &&Place| p.depth > inner && outer.is_some_and(|o| p.depth > o);
    let both: i64 = places.iter().filter(in_both).map(|p| p.bytes).sum();
    let all: i64 = places.iter().map(|p| p.bytes).sum();
    let (first, count) = range(scop, nest, inner, budget)?;
    let most = if outer.is_some() { longest.inner } else { longest.alone };
    let size = most.min(STRIP_BYTES / all).min(count);
    let mut cuts = Vec::new();
    if let Some(at) = outer {
        let room = if both > 0 { STRIP_BYTES / (both * size) } else { longest.outer };
        let (first, count) = range(scop, nest, at, budget)?;
        cuts.push(Cut { at, first, size: longest.outer.min(room).min(count) });
    }
    cuts.push(Cut { at: inner, first, size });
    let is_bounded = |p: &Place| cuts.iter().any(|c| c.at < p.depth && c.size >= 1);
    let least = LEAST_STRIP.min(longest.inner);
    let gains = cuts.iter().any(|c| c.size >= least) && cuts.iter().all(|c| c.size >= 1);
    Ok((gains && places.iter().all(is_bounded)).then_some(cuts))
}

/// Bytes of the arrays of a nest.
fn bytes(cuts: &[Cut], places: &[Place]) -> u64 {
    let elements = |p: &Place| cuts.iter().filter(|c| c.at < p.depth).map(|c| c.size.unsigned_abs()).product::<u64>();
    places.iter().map(|p| p.bytes.unsigned_abs() * elements(p)).sum()
}

/// The first value of an outer loop's dim, or 0, and how many there are, as far as that is known.
pub(super) fn range(scop: &Scop, nest: &BTreeSet<StmtId>, at: usize, budget: &Budget) -> Result<(i64, i64), Failure> {
    let mut ends: Option<(i64, i64)> = None;
    for id in nest {
        let domain = &scop.stmt(*id).domain;
        match subscript_ends(domain, at, budget).map_err(limit)? {
            (Bound::Value(low), Bound::Value(high)) => {
                let (l, h) = ends.unwrap_or((low, high));
                ends = Some((low.min(l), high.max(h)));
            }
            (Bound::Empty, _) | (_, Bound::Empty) => {}
            _ => return Ok((0, i64::MAX)),
        }
    }
    let (low, high) = ends.unwrap_or((0, 0));
    Ok(high.checked_sub(low).map_or((0, i64::MAX), |n| (low, n.saturating_add(1))))
}
