//! What makes a mapping right: values flow as before, and what is written is written over.

use crate::deps::compute::{context_of, limit};
use crate::deps::flow::{Instances, Sight, Source};
use crate::error::Failure;
use crate::ids::{ArrayId, StmtId, ValueId};
use crate::model::tree::flat::{FlatPiece, TimeDim, flat_schedule};
use crate::model::{Access, AccessKind, Scop, Stmt};
use presburger::{Budget, Map, Set};
use std::collections::{BTreeMap, BTreeSet};

/// What reads get their values from, by writing statement, reading statement and the value read.
type Flow = BTreeMap<(StmtId, StmtId, ValueId), Map>;

/// Times that a statement hands a value to itself before all of them are looked at together.
const MAX_ROUNDS: usize = 3;

/// A statement that hands on what it reads: the value read and written.
pub(super) struct Copying {
    pub stmt: StmtId,
    pub read: ValueId,
}

/// What is known of a program while one scalar after the other is mapped: that changes accesses only.
pub(super) struct Known {
    /// Holds whenever the code runs; one conjunction, which may hold more often.
    context: Set,
    instances: Instances,
    flat: BTreeMap<StmtId, Vec<FlatPiece>>,
    /// By array.
    flows: BTreeMap<ArrayId, Flow>,
}

impl Known {
    /// Of a program.
    ///
    /// # Errors
    /// `Limit` when the budget is spent or a coefficient leaves i64.
    pub fn of(scop: &Scop, budget: &Budget) -> Result<Self, Failure> {
        let flat = flat_schedule(&scop.schedule);
        // Flows that are equal for more parameters are equal; pieces of the context would cut each of them.
        let context = running(scop, context_of(scop, budget)?, budget)?.simple_hull(budget).map_err(limit)?.to_set();
        let instances = Instances::within(&context, scop)?;
        Ok(Self { context, instances, flat, flows: BTreeMap::new() })
    }

    /// The accesses of these arrays have changed.
    pub fn forget(&mut self, arrays: impl IntoIterator<Item = ArrayId>) {
        for array in arrays {
            self.flows.remove(&array);
        }
    }

    /// The flow of these arrays, each worked out once.
    fn flow(&mut self, scop: &Scop, arrays: &[ArrayId], budget: &Budget) -> Result<Flow, Failure> {
        let mut all = Flow::new();
        for array in arrays {
            if !self.flows.contains_key(array) {
                let flow = flow(&self.instances, scop, *array, &|_| true, budget)?;
                self.flows.insert(*array, flow);
            }
            for (key, relation) in &self.flows[array] {
                add(&mut all, *key, relation);
            }
        }
        Ok(all)
    }
}

/// Parameter values of the context for which some statement runs, or more. Pieces for which none does (a loop over no
/// row, however long rows are) would take from the hull of all what is known of the others.
fn running(scop: &Scop, context: Set, budget: &Budget) -> Result<Set, Failure> {
    if context.basics().len() < 2 {
        return Ok(context);
    }
    let mut runs = Set::empty(context.space().clone());
    for stmt in &scop.stmts {
        let params = stmt.domain.params(budget).map_err(limit)?;
        runs = runs.union(&params.simple_hull(budget).map_err(limit)?.to_set());
    }
    let runs = runs.coalesce(budget).map_err(limit)?;
    Ok(context.intersect(&runs))
}

/// Whether every read of the element's array or of one of the scalars gets its value from the same instances in both
/// programs; instances of `copying` statements stand for the instances that they have the value from. Exact where each
/// statement writes the array at most once. `known`: of the program before. `last`: the statement that writes the
/// element after all writes of scalars; `None` where nothing else is in the array.
///
/// # Errors
/// `Limit` when the budget is spent or a coefficient leaves i64.
pub(super) fn is_same(
    (before, after): (&Scop, &Scop),
    (array, last): (ArrayId, Option<StmtId>),
    scalars: &BTreeSet<ArrayId>,
    copying: &[Copying],
    known: &mut Known,
    budget: &Budget,
) -> Result<bool, Failure> {
    if are_read_together(before, scalars, copying, budget)? {
        return Ok(false);
    }
    let moved = |a: &Access| a.carries.is_some_and(|c| scalars.contains(&c));
    let own: Vec<ArrayId> = scalars.iter().copied().collect();
    let mut new = flow(&known.instances, after, array, &moved, budget)?;
    let is_same = is_equal(&known.flow(before, &own, budget)?, &new, budget)?;
    if !is_same && copying.is_empty() {
        return Ok(false);
    }
    let sight = sight(after, (array, &moved), last, known, budget)?;
    match sight {
        Sight::Unseen if is_same => return Ok(true),
        Sight::Seen if copying.is_empty() => return Ok(false),
        Sight::Unseen | Sight::Seen | Sight::Unknown => {}
    }
    let arrays: Vec<ArrayId> = std::iter::once(array).chain(scalars.iter().copied()).collect();
    let mut old = known.flow(before, &arrays, budget)?;
    let of_others = match sight {
        Sight::Unseen if scalars.contains(&array) => Flow::new(),
        Sight::Unseen => known.flow(before, &[array], budget)?,
        Sight::Seen | Sight::Unknown => flow(&known.instances, after, array, &|a| !moved(a), budget)?,
    };
    for (key, relation) in of_others {
        add(&mut new, key, &relation);
    }
    if is_equal(&old, &new, budget)? {
        return Ok(true);
    }
    let mut passed = false;
    let may_write = |s: StmtId| before.stmt(s).accesses.iter().any(|a| a.kind == AccessKind::MayWrite);
    for copy in copying {
        let domain = before.stmt(copy.stmt).domain.intersect_params(&known.context);
        let past = |flow: &Flow| past(flow, copy, (&domain, &may_write), budget);
        let (Some(o), Some(n)) = (past(&old)?, past(&new)?) else {
            continue;
        };
        (old, new, passed) = (o, n, true);
    }
    Ok(passed && is_equal(&old, &new, budget)?)
}

/// Whether every read of the scalar, which is one of the element's array in the program after, gets its value from
/// where it has it before. `loaded`: the statement that reads it from the element, and the value read; else it stores
/// it there. `known`: of the program before.
///
/// # Errors
/// `Limit` when the budget is spent or a coefficient leaves i64.
pub(super) fn is_read_alike(
    (before, after): (&Scop, &Scop),
    (array, scalar): (ArrayId, ArrayId),
    loaded: Option<(StmtId, ValueId)>,
    known: &mut Known,
    budget: &Budget,
) -> Result<bool, Failure> {
    let of_scalar = known.flow(before, &[scalar], budget)?;
    let expected = match loaded {
        None => of_scalar,
        Some((stmt, value)) => {
            let mut through = Flow::new();
            let of_element = known.flow(before, &[array], budget)?;
            for ((src, _, _), relation) in
                of_element.iter().filter(|((_, dst, read), _)| (*dst, *read) == (stmt, value))
            {
                for ((_, dst, read), on) in &of_scalar {
                    let joined = relation.apply_range(on, budget).map_err(limit)?;
                    if !joined.is_empty(budget).map_err(limit)? {
                        add(&mut through, (*src, *dst, *read), &joined);
                    }
                }
            }
            through
        }
    };
    let new = flow(&known.instances, after, array, &|a| a.carries == Some(scalar), budget)?;
    is_equal(&expected, &new, budget)
}

/// Whether a statement reads two of the scalars, which different statements write: in one element both reads have their
/// values from the same instance. `false` says nothing.
fn are_read_together(
    scop: &Scop,
    scalars: &BTreeSet<ArrayId>,
    copying: &[Copying],
    budget: &Budget,
) -> Result<bool, Failure> {
    let copies = |stmt: &Stmt| copying.iter().any(|c| c.stmt == stmt.id);
    let writes = |stmt: &Stmt, array: ArrayId| stmt.accesses.iter().any(|a| super::writes(a, array));
    let are_apart = |a: ArrayId, b: ArrayId| {
        let writers = |array: ArrayId| scop.stmts.iter().filter(move |s| writes(s, array));
        !writers(a).any(|s| copies(s) || writes(s, b)) && !writers(b).any(copies)
    };
    for stmt in scop.stmts.iter().filter(|s| !copies(s)) {
        let reads = || stmt.accesses.iter().filter(|a| a.kind == AccessKind::Read && scalars.contains(&a.array));
        let mut pairs = reads().flat_map(|a| reads().map(move |b| (a, b)));
        let is_bad = |(a, b): (&Access, &Access)| a.array < b.array && a.inst != b.inst && are_apart(a.array, b.array);
        if pairs.any(is_bad) && !stmt.domain.is_empty(budget).map_err(limit)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether reads of the array that were there before get what is `moved` to it: those that do not have their values
/// from where they had them then, as each of these writes is followed by one of `last` in the same iteration of its
/// loops.
fn sight(
    after: &Scop,
    (array, moved): (ArrayId, &dyn Fn(&Access) -> bool),
    last: Option<StmtId>,
    known: &Known,
    budget: &Budget,
) -> Result<Sight, Failure> {
    if let Some(last) = last {
        return known.instances.sight(after, (array, moved), last, budget);
    }
    let mut accesses = after.stmts.iter().flat_map(|s| &s.accesses);
    Ok(if accesses.all(|a| a.array != array || moved(a)) { Sight::Unseen } else { Sight::Unknown })
}

fn is_equal(old: &Flow, new: &Flow, budget: &Budget) -> Result<bool, Failure> {
    if old.keys().ne(new.keys()) {
        return Ok(false);
    }
    for (key, relation) in old {
        if !relation.is_equal(&new[key], budget).map_err(limit)? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn flow(
    instances: &Instances,
    scop: &Scop,
    array: ArrayId,
    wanted: &dyn Fn(&Access) -> bool,
    budget: &Budget,
) -> Result<Flow, Failure> {
    let mut all = Flow::new();
    for Source { read, dep } in instances.sources(scop, array, wanted, budget)? {
        let key = (dep.src, dep.dst, scop.stmt(dep.dst).accesses[read].inst);
        add(&mut all, key, &dep.relation);
    }
    Ok(all)
}

fn add(flow: &mut Flow, key: (StmtId, StmtId, ValueId), relation: &Map) {
    let joined = flow.remove(&key).map_or_else(|| relation.clone(), |m| m.union(relation));
    flow.insert(key, joined);
}

/// The flow with what a copying statement hands on coming from where it has it; `None` where some of its instances read
/// what no instance surely wrote, or it is not known how often it hands on to itself.
fn past(
    flow: &Flow,
    copy: &Copying,
    (domain, may_write): (&Set, &dyn Fn(StmtId) -> bool),
    budget: &Budget,
) -> Result<Option<Flow>, Failure> {
    let mut sources: Vec<(StmtId, Map)> = Vec::new();
    let mut own: Option<Map> = None;
    let mut covered = Set::empty(domain.space().clone());
    for ((src, dst, read), relation) in flow {
        if *dst == copy.stmt && *read == copy.read {
            if may_write(*src) {
                return Ok(None);
            }
            covered = covered.union(&relation.range(budget).map_err(limit)?);
            if *src == copy.stmt {
                own = Some(relation.clone());
            } else {
                sources.push((*src, relation.clone()));
            }
        }
    }
    if !domain.is_subset(&covered, budget).map_err(limit)? {
        return Ok(None);
    }
    if let Some(own) = own {
        let mut step = sources.clone();
        for round in 0.. {
            let mut next = Vec::new();
            for (src, relation) in step {
                let relation = relation.apply_range(&own, budget).map_err(limit)?;
                if !relation.is_empty(budget).map_err(limit)? {
                    next.push((src, relation));
                }
            }
            if next.is_empty() {
                break;
            }
            if round == MAX_ROUNDS {
                let (all, is_exact) = own.transitive_closure(budget).map_err(limit)?;
                if !is_exact {
                    return Ok(None);
                }
                for (src, relation) in sources.clone() {
                    let relation = relation.apply_range(&all, budget).map_err(limit)?;
                    sources.push((src, relation));
                }
                break;
            }
            sources.extend(next.iter().cloned());
            step = next;
        }
    }
    let mut result = Flow::new();
    for (key @ (src, dst, read), relation) in flow {
        if *src != copy.stmt {
            add(&mut result, *key, relation);
            continue;
        }
        if *dst == copy.stmt && *read == copy.read {
            continue;
        }
        for (from, to_copy) in &sources {
            let joined = to_copy.apply_range(relation, budget).map_err(limit)?;
            if !joined.is_empty(budget).map_err(limit)? {
                add(&mut result, (*from, *dst, *read), &joined);
            }
        }
    }
    Ok(Some(result))
}

/// Whether each instance of `writer` is followed by one of `target` in the same iteration of the target's loops, which
/// are the outer loops of the writer.
///
/// # Errors
/// `Limit` when the budget is spent or a coefficient leaves i64.
pub(super) fn is_overwritten(
    scop: &Scop,
    known: &Known,
    (writer, target): (&Stmt, &Stmt),
    budget: &Budget,
) -> Result<bool, Failure> {
    let pieces = |stmt: &Stmt| known.flat.get(&stmt.id).map(Vec::as_slice);
    let (Some([first]), Some([last])) = (pieces(writer), pieces(target)) else {
        return Ok(false);
    };
    if last.is_restricted || !runs_before(first, last, scop.params.len(), target.dims()) {
        return Ok(false);
    }
    let inner = writer.dims() - target.dims();
    let iterations: Set = writer.domain.project_out(target.dims(), inner, budget).map_err(limit)?;
    let iterations = iterations.with_tuple(&target.id.to_string());
    iterations.is_subset(&target.domain, budget).map_err(limit)
}

/// Whether the first runs before the last wherever the first `shared` dims are the same.
fn runs_before(first: &FlatPiece, last: &FlatPiece, params: usize, shared: usize) -> bool {
    for (a, b) in first.time.iter().zip(&last.time) {
        match (a, b) {
            (TimeDim::Seq(a), TimeDim::Seq(b)) if a != b => return a < b,
            (TimeDim::Seq(_), TimeDim::Seq(_)) => {}
            (TimeDim::Aff(a), TimeDim::Aff(b)) => {
                let (Some(a), Some(b)) = (a.as_affine(), b.as_affine()) else { return false };
                let common = params + shared;
                let (outer, inner) = a.split_at(common);
                let is_same = outer == &b[..common] && inner.last() == b.last();
                let is_shared = inner[..inner.len() - 1].iter().all(|c| *c == 0);
                if !is_same || !is_shared {
                    return false;
                }
            }
            _ => return false,
        }
    }
    false
}
