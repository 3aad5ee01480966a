//! Work arrays: small arrays of which each iteration of a loop reads only what it has written, with rows of their own
//! for the iterations of a strip.
//!
//! `for (q) { for (p) { sum[p] = 0; for (s) sum[p] += A[q][s] * B[s][p]; } for (p) A[q][p] = sum[p]; }`: all iterations
//! of `q` work in one row, so that nothing of them may change places. With a row for each iteration of a strip of `q`
//! the strip is a product of matrices. An array qualifies if every read gets a value from the same iteration
//! (value-based flow, exact), if what it holds is bounded, and if the last iteration writes all that any writes: a
//! statement behind the nest copies that row back.
//! Source: Feautrier, ICS 1988 (array expansion).

use super::expand::{self, Cut, Expanded};
use super::strips::{LEAST_STRIP, common_loops, depth, range};
use crate::deps::compute::{context_of, limit};
use crate::error::Failure;
use crate::facts::FunctionFacts;
use crate::ids::{ArrayId, StmtId};
use crate::model::tree::{Band, Member, Node};
use crate::model::{Access, AccessKind, ArrayKind, ParamPoly, Scop, Stmt, StmtBody};
use crate::storage::buffer::MAX_COPY_BYTES;
use crate::storage::footprint::{ElementBox, Footprint};
use presburger::{Aff, Budget, Kind, Map, PwMultiAff, Set, Space};
use std::collections::{BTreeMap, BTreeSet};

/// A work array of a nest.
struct Work {
    array: ArrayId,
    expanded: Expanded,
    /// Bytes of a row.
    bytes: i64,
    /// What is written by any iteration, all of it by the last one.
    elements: Set,
}

/// The program with the work arrays of its nests in rows for strips of the loop that fills them; `None` where there are
/// none.
///
/// # Errors
/// `Limit` when the budget is spent or a coefficient leaves i64.
pub fn rows_in_strips(scop: &Scop, facts: &FunctionFacts, budget: &Budget) -> Result<Option<Scop>, Failure> {
    rows_in_strips_of(scop, facts, i64::MAX, budget)
}

/// The same with strips of at most so many iterations.
///
/// # Errors
/// As [`rows_in_strips`].
pub(super) fn rows_in_strips_of(
    scop: &Scop,
    facts: &FunctionFacts,
    most: i64,
    budget: &Budget,
) -> Result<Option<Scop>, Failure> {
    let mut current = scop.clone();
    let (mut changed, mut room) = (false, i64::try_from(MAX_COPY_BYTES).unwrap_or(i64::MAX));
    for nest in scop.schedule.nests() {
        let chain = common_loops(scop, &nest);
        let has_scalars = !scop.scalars_written_by(nest.iter().copied()).is_empty();
        if chain.is_empty() || has_scalars {
            continue;
        }
        let Some((works, last)) = of_nest(scop, facts, (&nest, chain.len()), budget)? else { continue };
        let inner = works.iter().map(|w| w.expanded.depth).min().unwrap_or(1) - 1;
        let all: i64 = works.iter().map(|w| w.bytes).sum();
        let (first, count) = range(scop, &nest, inner, budget)?;
        let cut = Cut { at: inner, first, size: count.min(room / all).min(most) };
        if cut.size < LEAST_STRIP.min(most) {
            continue;
        }
        room -= cut.size * all;
        let of: BTreeMap<ArrayId, Expanded> = works.iter().map(|w| (w.array, w.expanded.clone())).collect();
        let made = current.arrays.len();
        current = expand::expanded(&current, &nest, &[cut], &of, budget)?;
        for (k, work) in works.iter().enumerate() {
            // In the order of the arrays, which the works are in.
            copy_back(&mut current, (&nest, work), (ArrayId::new(made + k), cut), &last, budget)?;
        }
        changed = true;
    }
    Ok(changed.then_some(current))
}

/// The work arrays of a nest with so many loops around all of it, ascending, and the last iteration of these loops.
fn of_nest(
    scop: &Scop,
    facts: &FunctionFacts,
    (nest, loops): (&BTreeSet<StmtId>, usize),
    budget: &Budget,
) -> Result<Option<(Vec<Work>, Set)>, Failure> {
    let found: Vec<ArrayId> =
        (0..scop.arrays.len()).map(ArrayId::new).filter(|a| may_be(scop, facts, nest, *a)).collect();
    if found.is_empty() {
        return Ok(None);
    }
    let Some(last) = last_iteration(scop, nest, loops, budget)? else { return Ok(None) };
    let mut works = Vec::new();
    for array in found {
        works.extend(work(scop, array, (nest, loops), &last, budget)?);
    }
    Ok((!works.is_empty()).then_some((works, last)))
}

/// Whether an array is used by this nest alone, one element at a time, and first written.
fn may_be(scop: &Scop, facts: &FunctionFacts, nest: &BTreeSet<StmtId>, array: ArrayId) -> bool {
    let of = scop.array(array);
    let touches = |s: &&Stmt| s.accesses.iter().any(|a| a.array == array);
    let is_plain = |a: &Access| {
        a.kind != AccessKind::MayWrite
            && a.carries.is_none()
            && facts.accessed_bytes(a.inst) == of.elem_bytes
            && a.subscripts().is_some()
    };
    let reads = |s: &Stmt| s.accesses.iter().any(|a| a.array == array && a.kind == AccessKind::Read);
    let mut users = scop.stmts.iter().filter(touches);
    let is_own = |s: &Stmt| nest.contains(&s.id) && s.accesses.iter().filter(|a| a.array == array).all(is_plain);
    matches!(of.kind, ArrayKind::Memory { .. })
        && of.strides.iter().all(|s| ParamPoly::as_constant(s).is_some())
        && users.clone().next().is_some_and(|first| !reads(first))
        && users.clone().any(reads)
        && users.all(is_own)
        && scop.guards.iter().all(|g| !touches(&&g.stmt))
}

/// The array as a work array, if it is one.
fn work(
    scop: &Scop,
    array: ArrayId,
    (nest, loops): (&BTreeSet<StmtId>, usize),
    last: &Set,
    budget: &Budget,
) -> Result<Option<Work>, Failure> {
    let params = scop.params.len();
    let of = || nest.iter().map(|id| scop.stmt(*id)).flat_map(|s| s.accesses.iter().map(move |a| (s, a)));
    let of = || of().filter(|(_, a)| a.array == array);
    // Rows that move with the loops are rows of their own already.
    let moves =
        |a: &Access| a.subscripts().is_none_or(|s| s.iter().any(|r| r[params..params + loops].iter().any(|c| *c != 0)));
    if of().any(|(_, a)| moves(a)) {
        return Ok(None);
    }
    let Some(ElementBox(ends)) = Footprint::of_region(scop, array).bounding_box(budget)? else { return Ok(None) };
    let elements = ElementBox(ends);
    let bytes = elements.count().and_then(|n| n.checked_mul(i64::from(scop.array(array).elem_bytes)));
    let most = i64::try_from(MAX_COPY_BYTES).unwrap_or(i64::MAX) / LEAST_STRIP;
    let Some(bytes) = bytes.filter(|b| (1..=most).contains(b)) else { return Ok(None) };
    let depth = depth(scop, array, loops, budget)?;
    if depth == 0 {
        return Ok(None);
    }
    let context = context_of(scop, budget)?;
    let (mut all, mut left): (Option<Set>, Option<Set>) = (None, None);
    let joined = |sets: Option<Set>, set: Set| Some(sets.map_or(set.clone(), |s| s.union(&set)));
    for (stmt, access) in of().filter(|(_, a)| a.kind == AccessKind::MustWrite) {
        let written = access.relation.intersect_domain(&stmt.domain.intersect_params(&context));
        let in_last = written.intersect_domain(&under(last, stmt, loops));
        all = joined(all, written.range(budget).map_err(limit)?);
        left = joined(left, in_last.range(budget).map_err(limit)?);
    }
    let (Some(all), Some(left)) = (all, left) else { return Ok(None) };
    let is_left = all.is_subset(&left, budget).map_err(limit)?;
    let elements_written = all.coalesce(budget).map_err(limit)?.into_owned();
    let expanded = Expanded { depth, elements };
    Ok(is_left.then_some(Work { array, expanded, bytes, elements: elements_written }))
}

/// The last iteration of so many outer loops in which any statement of a nest runs, as one conjunction.
fn last_iteration(scop: &Scop, nest: &BTreeSet<StmtId>, loops: usize, budget: &Budget) -> Result<Option<Set>, Failure> {
    let context = context_of(scop, budget)?;
    let mut all: Option<Set> = None;
    for id in nest {
        let stmt = scop.stmt(*id);
        let own =
            stmt.domain.intersect_params(&context).project_out(loops, stmt.dims() - loops, budget).map_err(limit)?;
        let own = own.with_tuple("");
        all = Some(all.map_or(own.clone(), |all| all.union(&own)));
    }
    let Some(all) = all else { return Ok(None) };
    let all = all.coalesce(budget).map_err(limit)?.into_owned();
    let last = match all.lexmax(budget) {
        Err(presburger::Error::Unbounded) => return Ok(None),
        last => last.map_err(limit)?.coalesce(budget).map_err(limit)?.into_owned(),
    };
    Ok(Some(last).filter(|last| matches!(last.basics(), [one] if one.n_exists() == 0 && one.rows_i64().is_ok())))
}

/// The instances of a statement in these iterations of its outer loops.
fn under(iterations: &Set, stmt: &Stmt, loops: usize) -> Set {
    let space = stmt.domain.space();
    let mut own = Set::universe(space.clone());
    let width = space.n_param() + loops;
    for (kind, row) in iterations.basics().iter().filter_map(|b| b.rows_i64().ok()).flatten() {
        let mut wide = row[..width].to_vec();
        wide.resize(space.n_param() + space.n_out(), 0);
        wide.push(row[width]);
        own = own.add(kind, &wide);
    }
    own
}

/// Puts a statement behind a nest that copies the row of the last iteration back.
fn copy_back(
    scop: &mut Scop,
    (nest, work): (&BTreeSet<StmtId>, &Work),
    (made, cut): (ArrayId, Cut),
    last: &Set,
    budget: &Budget,
) -> Result<(), Failure> {
    let writes = |a: &&Access| a.array == made && a.kind == AccessKind::MustWrite;
    let Some(inst) = nest.iter().find_map(|id| scop.stmt(*id).accesses.iter().find(writes)).map(|a| a.inst) else {
        return Err(Failure::Bug("an expanded array that nothing writes".to_owned()));
    };
    let id = StmtId::new(scop.stmts.len());
    let rank = work.elements.space().n_out();
    // `[strip, iteration inside, subscripts]`.
    let space = Space::set(&scop.param_names(), &id.to_string(), 2 + rank);
    let loops = last.space().n_out();
    let only = last.project_out(cut.at + 1, loops - cut.at - 1, budget).map_err(limit)?;
    let only = only.project_out(0, cut.at, budget).map_err(limit)?;
    let all = only.flat_product(&work.elements.with_tuple(""));
    let iteration = Aff::dim(&space, 0).scale(cut.size).add(&Aff::dim(&space, 1)).add_constant(cut.first);
    let subscripts: Vec<Aff> = (0..rank).map(|k| Aff::dim(&space, 2 + k)).collect();
    let affs: Vec<Aff> = std::iter::once(iteration).chain(subscripts.iter().cloned()).collect();
    let to = PwMultiAff::from_affs(&space, &affs, all.space().output.name_str());
    let mut domain = to.preimage(&all, budget).map_err(limit)?;
    let inside = space.n_param() + 1;
    let mut row = vec![0; space.n_param() + space.n_out() + 1];
    row[inside] = 1;
    domain = domain.add(Kind::Ge, &row);
    row[inside] = -1;
    if let Some(constant) = row.last_mut() {
        *constant = cut.size - 1;
    }
    domain = domain.add(Kind::Ge, &row).simplify(budget).map_err(limit)?;
    let firsts = work.expanded.elements.0.iter().map(|(low, _)| -low);
    let counted = subscripts.iter().zip(firsts).map(|(s, by)| s.add_constant(by));
    let from: Vec<Aff> = std::iter::once(Aff::dim(&space, 1)).chain(counted).collect();
    let access = |kind: AccessKind, array: ArrayId, affs: &[Aff]| {
        let relation = Map::from_affs_over(&space, affs, &array.to_string());
        Access { kind, array, relation, inst, carries: None }
    };
    let accesses = vec![access(AccessKind::Read, made, &from), access(AccessKind::MustWrite, work.array, &subscripts)];
    let member = |k: usize| Member::new(BTreeMap::from([(id, Aff::dim(&space, k))]));
    let band = Band { members: (0..2 + rank).map(member).collect(), permutable: false };
    let copy = (BTreeMap::from([(id, domain.clone())]), Node::Band(band, Box::new(Node::Leaf)));
    let tree = std::mem::replace(&mut scop.schedule, Node::Leaf);
    scop.schedule = behind(tree, nest, copy);
    scop.stmts.push(Stmt { id, domain, accesses, reduction: None, body: StmtBody::Copy });
    Ok(())
}

/// The tree with a part behind that of a nest, outside of all loops.
fn behind(node: Node, nest: &BTreeSet<StmtId>, part: (BTreeMap<StmtId, Set>, Node)) -> Node {
    let (sets, inside) = part;
    match node {
        Node::Domain(mut all, child) => {
            let alone: BTreeMap<StmtId, Set> = all.clone();
            all.extend(sets.clone());
            let child = match *child {
                child @ (Node::Band(..) | Node::Leaf) => {
                    Node::Sequence(vec![Node::Filter(alone, Box::new(child)), Node::Filter(sets, Box::new(inside))])
                }
                child => behind(child, nest, (sets, inside)),
            };
            Node::Domain(all, Box::new(child))
        }
        Node::Context(set, child) => Node::Context(set, Box::new(behind(*child, nest, (sets, inside)))),
        Node::Mark(mark, child) => Node::Mark(mark, Box::new(behind(*child, nest, (sets, inside)))),
        Node::Sequence(mut children) => {
            let is_nest = |c: &Node| matches!(c, Node::Filter(of, _) if of.keys().all(|id| nest.contains(id)));
            let at = children.iter().rposition(is_nest).map_or(children.len(), |at| at + 1);
            children.insert(at, Node::Filter(sets, Box::new(inside)));
            Node::Sequence(children)
        }
        other => other,
    }
}
