//! Scalars that cross statements or iterations, mapped onto array elements that are free at the time.
//!
//! In: the model and the facts of a region. Out: the same program with fewer scalars:
//! `s = 0; for (k) s += ..; C[i][j] = s` as `C[i][j] = 0; for (k) C[i][j] += ..`, so that only elements order the
//! loops. Statements that copy an element onto itself are gone. A target is a store; what its statement reads lives in
//! its element, and so does what the statements need that write that, as long as all of them are inside the target's
//! loops. What decides is no heuristic: every read must get its value from the same instance as before (value-based
//! flow, exact), and every write must be followed by the target's own write of the element, which makes it one that
//! nobody sees. Types must be equal; the region's run-time checks tell the arrays apart as before.
//! Source: Kruse, Grosser, CGO 2018 (DeLICM: zones and greedy mapping); here the conflict check compares the flow
//! before and after. Scalars that find no element may become small arrays ([`in_strips`]).

mod copies;
mod expand;
mod flow;
mod known;
mod strips;
#[cfg(test)]
pub(super) mod tests;
mod work;

use crate::error::{Failure, Limit};
use crate::facts::{FunctionFacts, Type, ValueKind};
use crate::ids::{ArrayId, StmtId, ValueId};
use crate::model::without::without;
use crate::model::{Access, AccessKind, ArrayKind, Scop, Stmt};
use flow::{Copying, Known};
use presburger::{Aff, Budget, Map};
use std::collections::BTreeSet;
pub use strips::{across_rows_in_strips, in_strips};
pub use work::rows_in_strips;

/// Scalars of one target or nest beyond which no more are looked for.
const MAX_SCALARS: usize = 16;

/// A store whose element may hold scalars before it runs.
struct Target {
    stmt: StmtId,
    array: ArrayId,
    /// Subscripts, `[params | dims | 1]`.
    subscripts: Vec<Vec<i64>>,
    ty: Type,
}

/// What became of the scalars of a program.
#[derive(Debug, Default)]
pub struct MappedScalars {
    /// The program with as many scalars as possible in memory; `None` if there are none that can be.
    pub scop: Option<Scop>,
    /// Why some stay as they are although it was not found out whether they can be.
    pub gave_up: Option<Limit>,
}

/// Maps scalars of a program onto array elements. What the budget leaves undecided stays as it is.
///
/// # Errors
/// `Bug` when an invariant breaks.
pub fn in_memory(scop: &Scop, facts: &FunctionFacts, budget: &Budget) -> Result<MappedScalars, Failure> {
    if !scop.has_scalars() {
        return Ok(MappedScalars::default());
    }
    let mut known = match Known::of(scop, budget) {
        Ok(known) => known,
        Err(Failure::Limit(limit)) => return Ok(MappedScalars { scop: None, gave_up: Some(limit) }),
        Err(failure) => return Err(failure),
    };
    let mut current = scop.clone();
    let (mut changed, mut gave_up) = (false, None);
    let mut within = |made: Result<Option<Scop>, Failure>| match made {
        Err(Failure::Limit(limit)) => {
            gave_up.get_or_insert(limit);
            Ok(None)
        }
        made => made,
    };
    for stmt in &scop.stmts {
        let Some(target) = target(&current, facts, stmt.id) else { continue };
        let wanted = closure(&current, facts, &target);
        let mut done = false;
        if let Some(mapped) = within(attempt((&current, facts), &target, &wanted, &mut known, budget))? {
            (current, done) = (mapped, true);
        }
        for one in wanted.iter().filter(|_| !done && wanted.len() > 1) {
            if let Some(mapped) =
                within(attempt((&current, facts), &target, &BTreeSet::from([*one]), &mut known, budget))?
            {
                (current, changed) = (mapped, true);
            }
        }
        changed |= done;
    }
    for scalar in (0..scop.arrays.len()).map(ArrayId::new) {
        if let Some(read_back) = within(known::read_from_element((&current, facts), scalar, &mut known, budget))? {
            (current, changed) = (read_back, true);
        }
    }
    let scop = changed.then(|| {
        let mut idle = copies::of_elements_onto_themselves(&current, facts);
        let writes = |s: &Stmt| s.accesses.iter().any(|a| a.kind != AccessKind::Read);
        let wrote = scop.stmts.iter().zip(&current.stmts).filter(|(before, now)| writes(before) && !writes(now));
        idle.extend(wrote.map(|(_, now)| now.id));
        without(&current, &idle)
    });
    Ok(MappedScalars { scop, gave_up })
}

/// The statement's only write to memory, if scalars of its type can live there and it reads some.
fn target(scop: &Scop, facts: &FunctionFacts, id: StmtId) -> Option<Target> {
    let stmt = scop.stmt(id);
    let mut writes = stmt.accesses.iter().filter(|a| a.kind != AccessKind::Read);
    let (write, None) = (writes.next()?, writes.next()) else { return None };
    let ValueKind::Store { value, bytes, .. } = facts.value(write.inst).kind else { return None };
    let ty = facts.value(value).ty;
    let (Type::Float(bits @ (32 | 64)) | Type::Int(bits @ (8 | 16 | 32 | 64))) = ty else { return None };
    let fits = write.kind == AccessKind::MustWrite
        && write.carries.is_none()
        && bytes * 8 == bits
        && scop.array(write.array).elem_bytes == bytes
        && stmt.body.loops().len() == stmt.dims();
    let subscripts = write.subscripts().filter(|_| fits)?;
    Some(Target { stmt: id, array: write.array, subscripts, ty })
}

/// The scalars that a target's statement reads, those that the statements read that write them, and so on.
fn closure(scop: &Scop, facts: &FunctionFacts, target: &Target) -> BTreeSet<ArrayId> {
    let mut wanted = BTreeSet::new();
    let mut work: Vec<ArrayId> = scalars_read(scop, scop.stmt(target.stmt)).collect();
    while let Some(scalar) = work.pop() {
        if wanted.len() == MAX_SCALARS || wanted.contains(&scalar) || !fits(scop, facts, target, scalar) {
            continue;
        }
        wanted.insert(scalar);
        let writers = scop.stmts.iter().filter(|s| s.accesses.iter().any(|a| writes(a, scalar)));
        work.extend(writers.flat_map(|s| scalars_read(scop, s)));
    }
    wanted
}

fn scalars_read<'s>(scop: &'s Scop, stmt: &'s Stmt) -> impl Iterator<Item = ArrayId> + 's {
    let read = stmt.accesses.iter().filter(|a| a.kind == AccessKind::Read);
    read.map(|a| a.array).filter(|a| !scop.array(*a).is_memory())
}

/// The value that the access of a scalar reads or writes.
fn value(scop: &Scop, access: &Access) -> ValueId {
    match scop.array(access.carries.unwrap_or(access.array)).kind {
        ArrayKind::Value { def } => def,
        _ => access.inst,
    }
}

fn writes(access: &Access, array: ArrayId) -> bool {
    access.array == array && access.kind != AccessKind::Read
}

/// Whether a scalar is of the target's type, is used in the region only, inside the target's loops only, and is no
/// reduction's but of integers inside of loops. With flags that let floating-point additions change places sums stay
/// scalars: a device splits them in its own way (gramschmidt's would stay with the host).
fn fits(scop: &Scop, facts: &FunctionFacts, target: &Target, scalar: ArrayId) -> bool {
    let value = match scop.array(scalar).kind {
        ArrayKind::Value { def } => def,
        ArrayKind::Phi { phi } => phi,
        ArrayKind::Memory { .. } | ArrayKind::View { .. } | ArrayKind::Rows(_) | ArrayKind::Made { .. } => {
            return false;
        }
    };
    let is_inside = facts.value(value).block.is_some_and(|b| scop.region.blocks.contains(&b));
    let leaves = scop.live_out.iter().any(|e| e.array == scalar);
    let around = scop.stmt(target.stmt).body.loops();
    let may_be_sum = !around.is_empty() && !scop.array(scalar).is_float;
    let can_use = |s: &Stmt| {
        s.body.loops().starts_with(around)
            && s.body.loops().len() == s.dims()
            && (may_be_sum || s.reduction.as_ref().is_none_or(|r| r.array != scalar))
            && s.accesses.iter().all(|a| a.array != scalar || a.kind != AccessKind::MayWrite)
    };
    let users = scop.stmts.iter().filter(|s| s.accesses.iter().any(|a| a.array == scalar));
    facts.value(value).ty == target.ty && is_inside && !leaves && users.into_iter().all(can_use)
}

/// The program with these scalars in the target's element, if that is the same program; `known` is of that one then.
fn attempt(
    (scop, facts): (&Scop, &FunctionFacts),
    target: &Target,
    scalars: &BTreeSet<ArrayId>,
    known: &mut Known,
    budget: &Budget,
) -> Result<Option<Scop>, Failure> {
    if scalars.is_empty() {
        return Ok(None);
    }
    let writers = scop.stmts.iter().filter(|s| scalars.iter().any(|z| s.accesses.iter().any(|a| writes(a, *z))));
    for writer in writers {
        if !flow::is_overwritten(scop, known, (writer, scop.stmt(target.stmt)), budget)? {
            return Ok(None);
        }
    }
    let Some(mapped) = mapped(scop, target, scalars) else { return Ok(None) };
    let copying = copying((scop, facts), target, scalars);
    if !flow::is_same((scop, &mapped), (target.array, Some(target.stmt)), scalars, &copying, known, budget)? {
        return Ok(None);
    }
    known.forget(scalars.iter().copied().chain([target.array]));
    Ok(Some(mapped))
}

/// The statements that write to the element's array and the scalars only what they have read there, of the element's
/// type, and surely: whoever reads an element that may have been written may have an older value. What they read is one
/// element: of several it is not known which of their values is handed on.
fn copying((scop, facts): (&Scop, &FunctionFacts), target: &Target, scalars: &BTreeSet<ArrayId>) -> Vec<Copying> {
    let is_inside = |v: ValueId| facts.value(v).block.is_some_and(|b| scop.region.blocks.contains(&b));
    let origin = |v: ValueId| facts.copied_from(v, is_inside);
    let is_own = |a: &Access| a.array == target.array || scalars.contains(&a.array);
    let written = |a: &Access| match (scop.array(a.array).is_memory(), a.carries, &facts.value(a.inst).kind) {
        (true, None, ValueKind::Store { value, .. }) => Some(*value),
        (true, None, _) => None,
        _ => Some(value(scop, a)),
    };
    let of = |stmt: &Stmt| {
        if stmt.body.branches() || stmt.accesses.iter().any(|a| is_own(a) && a.kind == AccessKind::MayWrite) {
            return None;
        }
        let mut values = stmt.accesses.iter().filter(|a| a.kind != AccessKind::Read && is_own(a)).map(written);
        let value = origin(values.next()??);
        let is_one = values.all(|v| v.is_some_and(|v| origin(v) == value));
        let reads = |a: &&Access| {
            a.kind == AccessKind::Read && is_own(a) && a.subscripts().is_some() && origin(a.inst) == value
        };
        let read = stmt.accesses.iter().find(reads).filter(|r| facts.value(r.inst).ty == target.ty)?;
        is_one.then_some(Copying { stmt: stmt.id, read: read.inst })
    };
    scop.stmts.iter().filter_map(of).collect()
}

/// The program with these scalars in the target's element, right or wrong; `None` where a statement would write it more
/// than once.
fn mapped(scop: &Scop, target: &Target, scalars: &BTreeSet<ArrayId>) -> Option<Scop> {
    let writes_once = |s: &Stmt| writes_once(s, target.array);
    moved(scop, target, scalars).filter(|result| result.stmts.iter().all(writes_once))
}

/// Whether a statement writes an array at most once: of which of its writes a read gets, flow does not say.
fn writes_once(stmt: &Stmt, array: ArrayId) -> bool {
    stmt.accesses.iter().filter(|a| writes(a, array)).count() <= 1
}

/// The program with the accesses of these scalars to the target's element; `None` where an update would be no longer
/// one.
fn moved(scop: &Scop, target: &Target, scalars: &BTreeSet<ArrayId>) -> Option<Scop> {
    let mut result = scop.clone();
    for stmt in &mut result.stmts {
        if !stmt.accesses.iter().any(|a| scalars.contains(&a.array)) {
            continue;
        }
        let relation = element(stmt, target);
        let mut accesses: Vec<Access> = Vec::with_capacity(stmt.accesses.len());
        for access in &stmt.accesses {
            if !scalars.contains(&access.array) {
                accesses.push(access.clone());
                continue;
            }
            let carries = Some(access.array);
            let moved = Access { array: target.array, relation: relation.clone(), carries, ..access.clone() };
            let is_twin = |a: &Access| {
                a.kind == moved.kind
                    && a.array == moved.array
                    && a.carries.is_some()
                    && value(scop, a) == value(scop, &moved)
            };
            if !accesses.iter().any(is_twin) {
                accesses.push(moved);
            }
        }
        if let Some(reduction) = &mut stmt.reduction {
            if accesses.len() != stmt.accesses.len() {
                return None;
            }
            reduction.array = accesses[reduction.write].array;
        }
        stmt.accesses = accesses;
    }
    Some(result)
}

/// `{ Stmt[..] -> Arr[..] }`, the target's element in the iteration of the target's loops that an instance of `stmt` is
/// in.
fn element(stmt: &Stmt, target: &Target) -> Map {
    let space = stmt.domain.space();
    let subscript = |row: &Vec<i64>| {
        let (linear, constant) = row.split_at(row.len() - 1);
        let mut wide = linear.to_vec();
        wide.resize(space.n_param() + space.n_out(), 0);
        wide.extend_from_slice(constant);
        Aff::from_row(space, &wide)
    };
    let affs: Vec<Aff> = target.subscripts.iter().map(subscript).collect();
    Map::from_affs_over(space, &affs, &target.array.to_string())
}
