//! What code for a GPU needs besides the loops: which of them are kernels, and the memory that these use.

use super::types::{Ast, Cond, Expr};
use super::{bounds_of, cond_of_set};
use crate::error::{Failure, Limit};
use crate::facts::FunctionFacts;
use crate::ids::ArrayId;
use crate::model::tree::Axis;
use crate::model::{AccessKind, ArrayKind, Scop, StmtBody};
use crate::storage::extents::{self, extents};
use presburger::{Aff, Budget, Set};
use std::collections::BTreeSet;

/// Loops for a GPU with the memory they use.
#[derive(Clone, Debug)]
pub struct Device {
    /// Loops of the host around kernels. A kernel is a loop with an [`Axis`], or a statement outside of all of them,
    /// which one thread runs.
    pub ast: Ast,
    /// Memory that kernels use.
    pub ranges: Vec<Memory>,
}

/// What a region uses of an array.
#[derive(Clone, Debug)]
pub struct Memory {
    /// The array.
    pub array: ArrayId,
    /// Whether something of it is written.
    pub written: bool,
    /// What begins first and ends last among these: all of it is touched by the program, at both ends.
    pub parts: Vec<Part>,
}

/// What one access touches.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// The first element: its subscripts where the condition holds. No condition holds: nothing is touched.
    pub first: Vec<(Cond, Vec<Expr>)>,
    /// The last element.
    pub last: Vec<(Cond, Vec<Expr>)>,
    /// Bytes from the beginning of the last element on.
    pub bytes: u32,
}

/// Why loops stay with the host.
const NO_KERNEL: &str = "there is no loop whose iterations may all run at the same time";
const HOST_LOOP: &str = "a loop must run in order and has no parallel loop inside";
const MIXED: &str = "statements of one kernel lie in different loops for blocks and threads";
const ENDINGS: &str = "a test in the loops ends the program";
const VALUES: &str = "values cross statements or leave the loops outside of memory";
const NO_CLOSED_FORM: &str = "what the loops touch has no closed form";

/// Whether the region as such may run on a GPU; else why not.
///
/// # Errors
/// The reason, for the user.
pub fn check_region(scop: &Scop, facts: &FunctionFacts) -> Result<(), &'static str> {
    let made = scop.stmts.iter().any(|s| !matches!(s.body, StmtBody::Original(_)));
    let unusual = scop.arrays.iter().any(|a| !matches!(a.kind, ArrayKind::Memory { .. }));
    if made || unusual || !scop.live_out.is_empty() {
        return Err(VALUES);
    }
    if scop.stmts.iter().any(|s| s.body.branches()) {
        return Err(extents::CONDITIONAL);
    }
    if scop.region.blocks.iter().any(|b| facts.block(*b).ends_on.is_some()) {
        return Err(ENDINGS);
    }
    Ok(())
}

/// Whether each part of the loops is the host's or a kernel whose statements agree on the loops that are numbered.
///
/// # Errors
/// The reason, for the user.
pub fn check_loops(ast: &Ast) -> Result<(), &'static str> {
    if ast.any_loop(&|f| f.axis.is_some()) { check_host(ast) } else { Err(NO_KERNEL) }
}

fn check_host(ast: &Ast) -> Result<(), &'static str> {
    match ast {
        Ast::Block(parts) => parts.iter().try_for_each(check_host),
        Ast::If(i) => [&i.then].into_iter().chain(&i.otherwise).try_for_each(check_host),
        Ast::Stmt { .. } => Ok(()),
        Ast::For(f) if f.axis.is_some() => axes(ast).map(|_| ()),
        Ast::For(f) if f.body.any_loop(&|f| f.axis.is_some()) => check_host(&f.body),
        Ast::For(_) => Err(HOST_LOOP),
    }
}

/// What the statements of a kernel are numbered by: each lies in one loop per axis.
///
/// # Errors
/// The reason why that is not so.
pub fn axes(kernel: &Ast) -> Result<BTreeSet<Axis>, &'static str> {
    let mut all = None;
    collect_axes(kernel, &mut Vec::new(), &mut all)?;
    Ok(all.unwrap_or_default())
}

fn collect_axes(ast: &Ast, around: &mut Vec<Axis>, all: &mut Option<BTreeSet<Axis>>) -> Result<(), &'static str> {
    match ast {
        Ast::Block(parts) => parts.iter().try_for_each(|part| collect_axes(part, around, all)),
        Ast::If(i) => [&i.then].into_iter().chain(&i.otherwise).try_for_each(|part| collect_axes(part, around, all)),
        Ast::For(f) => {
            around.extend(f.axis);
            let found = collect_axes(&f.body, around, all);
            around.truncate(around.len() - usize::from(f.axis.is_some()));
            found
        }
        Ast::Stmt { .. } => {
            let own: BTreeSet<Axis> = around.iter().copied().collect();
            let places: BTreeSet<usize> = own.iter().map(|axis| axis.index()).collect();
            let agrees = all.as_ref().is_none_or(|all| *all == own);
            if own.len() != around.len() || places.len() != own.len() || !agrees {
                return Err(MIXED);
            }
            *all = Some(own);
            Ok(())
        }
    }
}

/// The memory that a region uses, or why that is not known.
///
/// # Errors
/// `Limit` when the budget is spent or a number leaves i64.
pub fn memory(
    scop: &Scop,
    facts: &FunctionFacts,
    budget: &Budget,
) -> Result<Result<Vec<Memory>, &'static str>, Failure> {
    let mut all = Vec::new();
    for array in (0..scop.arrays.len()).map(ArrayId::new) {
        let accesses = || scop.stmts.iter().flat_map(|s| &s.accesses).filter(|a| a.array == array);
        if accesses().next().is_none() {
            continue;
        }
        let extents = match extents(scop, facts, array, budget)? {
            Ok(extents) => extents,
            Err(why) => return Ok(Err(why)),
        };
        let mut parts: Vec<Part> = Vec::new();
        for extent in extents {
            let (first, last) = (elements(&extent.first, budget)?, elements(&extent.last, budget)?);
            let (Some(first), Some(last)) = (first, last) else { return Ok(Err(NO_CLOSED_FORM)) };
            let part = Part { first, last, bytes: extent.bytes };
            if !parts.contains(&part) {
                parts.push(part);
            }
        }
        let written = accesses().any(|a| a.kind != AccessKind::Read);
        all.push(Memory { array, written, parts });
    }
    Ok(Ok(all))
}

/// The one element of a set, by pieces of the parameters; `None`: some subscript has no closed form.
///
/// # Errors
/// `Limit` when the budget is spent.
pub(super) fn elements(set: &Set, budget: &Budget) -> Result<Option<Vec<(Cond, Vec<Expr>)>>, Failure> {
    let limit = Limit::of("run-time check");
    let mut pieces = Vec::new();
    for basic in set.basics() {
        let piece = basic.to_set();
        let params = piece.params(budget).map_err(&limit)?;
        let conds: Vec<Cond> = params.basics().iter().map(|b| cond_of_set(&b.to_set(), budget)).collect();
        // No test: the piece would be taken for empty.
        if conds.contains(&Cond::False) {
            return Ok(None);
        }
        let cond = if conds.contains(&Cond::True) { Cond::True } else { Cond::Or(conds) };
        let mut subscripts = Vec::new();
        for k in 0..set.space().n_out() {
            match bounds_of(&piece, &Aff::dim(set.space(), k), budget)? {
                Some((low, high)) if low == high => subscripts.push(low),
                _ => return Ok(None),
            }
        }
        pieces.push((cond, subscripts));
    }
    Ok(Some(pieces))
}
