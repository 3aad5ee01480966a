//! Instances that leave nothing: what they write is written over, and nobody reads it before.
//!
//! LLVM moves a store that a loop only repeats behind the loop and takes the loop away, where it meets the loop as it
//! was written; new loops must not run what the original code then does not.
//! Polly's dead code elimination starts from last writes and adds what these need, by value-based dependences. Here
//! only statements are asked for that no later instance reads anything of: it costs nothing where there are none.

use crate::deps::compute::{context_of, limit};
use crate::deps::{self, DepKind, Dependences};
use crate::error::Failure;
use crate::ids::{ArrayId, StmtId};
use crate::model::split::{Parts, split};
use crate::model::without::without;
use crate::model::{Access, AccessKind, ArrayKind, Scop, Stmt, StmtBody};
use log::debug;
use presburger::{Budget, Set};
use std::collections::BTreeSet;

/// Most times that a program is looked through: what is dropped may have been the only one that read others.
const ROUNDS: usize = 3;
/// Part of the budget for dependences that one look may take.
const PART: u64 = 8;

/// The program without instances that leave nothing, as far as the budget goes, and its dependences.
///
/// # Errors
/// As [`crate::deps::compute`].
pub fn needed(mut scop: Scop, budget: &Budget) -> Result<(Scop, Dependences), Failure> {
    let mut deps = deps::compute(&scop, budget)?;
    for _ in 0..ROUNDS {
        match without_overwritten(&scop, &deps, &budget.part(PART)) {
            Ok(Some(less)) => scop = less,
            Ok(None) | Err(Failure::Limit(_)) => break,
            Err(failure) => return Err(failure),
        }
        deps = deps::compute(&scop, budget)?;
    }
    Ok((scop, deps))
}

/// The program without the instances all of whose elements are surely written over later, of the statements that no
/// later instance reads anything of; `None` if there are none, or if what is left takes more pieces to say. `deps` are
/// the program's.
///
/// # Errors
/// `Limit` when the budget is spent or a coefficient leaves i64.
fn without_overwritten(scop: &Scop, deps: &Dependences, budget: &Budget) -> Result<Option<Scop>, Failure> {
    let (mut parts, mut dropped) = (Parts::new(), BTreeSet::new());
    let context = context_of(scop, budget)?;
    for stmt in scop.stmts.iter().filter(|s| may_go(scop, s)) {
        let Some(over) = overwritten(scop, stmt, deps, budget)? else { continue };
        let domain = stmt.domain.intersect_params(&context);
        let left = domain.subtract(&over, budget).and_then(|s| s.simplify(budget)).map_err(limit)?;
        if left.basics().is_empty() {
            dropped.insert(stmt.id);
        } else if left.basics().len() <= stmt.domain.basics().len() {
            parts.insert(stmt.id, vec![left.gist_params(&context, budget).map_err(limit)?]);
        }
    }
    if parts.is_empty() && dropped.is_empty() {
        return Ok(None);
    }
    debug!("{}: {} statements without instances that are written over", scop.name, parts.len() + dropped.len());
    Ok(Some(without(&split(scop, &parts).0, &dropped)))
}

/// Whether all that a statement does is to write elements of arrays with a base.
fn may_go(scop: &Scop, stmt: &Stmt) -> bool {
    let is_plain = |a: &Access| matches!(scop.array(a.array).kind, ArrayKind::Memory { .. });
    matches!(stmt.body, StmtBody::Original(_))
        && stmt.accesses.iter().filter(|a| a.kind != AccessKind::Read).all(is_plain)
}

/// The instances of a statement that leave nothing; `None` if there are none.
fn overwritten(scop: &Scop, stmt: &Stmt, deps: &Dependences, budget: &Budget) -> Result<Option<Set>, Failure> {
    let from = |kind: DepKind| deps.binding().map(|(_, d)| d).filter(move |d| d.src == stmt.id && d.kind == kind);
    let Some(arrays) = written(stmt).filter(|_| from(DepKind::Raw).next().is_none()) else { return Ok(None) };
    let mut over: Option<Set> = None;
    for array in arrays {
        let mut of_array: Option<Set> = None;
        for dep in from(DepKind::Waw).filter(|d| d.array == array && surely_writes(scop, d.dst, array)) {
            let instances = dep.relation.domain(budget).map_err(limit)?;
            of_array = Some(of_array.map_or_else(|| instances.clone(), |s| s.union(&instances)));
        }
        let Some(of_array) = of_array else { return Ok(None) };
        over = Some(over.map_or_else(|| of_array.clone(), |s| s.intersect(&of_array)));
    }
    let Some(over) = over else { return Ok(None) };
    Ok((!over.is_empty(budget).map_err(limit)?).then_some(over))
}

/// The arrays that a statement writes; `None` where it may write several elements of one.
fn written(stmt: &Stmt) -> Option<BTreeSet<ArrayId>> {
    let mut arrays = BTreeSet::new();
    let mut writes = stmt.accesses.iter().filter(|a| a.kind != AccessKind::Read);
    writes.all(|a| a.subscripts().is_some() && arrays.insert(a.array)).then_some(arrays)
}

/// Whether all that a statement may write to the array it surely writes.
fn surely_writes(scop: &Scop, stmt: StmtId, array: ArrayId) -> bool {
    let mut writes = scop.stmt(stmt).accesses.iter().filter(|a| a.array == array && a.kind != AccessKind::Read);
    writes.all(|a| a.kind == AccessKind::MustWrite)
}
