//! What code for a GPU needs besides the loops: which of them are kernels, and the memory that these use.

use super::closed::elements;
use super::types::{Ast, Cond, Expr};
use crate::error::Failure;
use crate::facts::{FunctionFacts, Type};
use crate::ids::ArrayId;
use crate::model::tree::{Axis, ReductionCopy};
use crate::model::{AccessKind, ArrayKind, Scop, StmtBody};
use crate::storage::extents::{extents, is_overwritten};
use presburger::Budget;
use std::collections::BTreeSet;

/// Loops for a GPU with the memory they use.
#[derive(Clone, Debug)]
pub struct Device {
    /// Loops of the host around kernels. A kernel is a loop with an [`Axis`], or a loop or statement outside of all of
    /// them and without one inside, which one thread runs.
    pub ast: Ast,
    /// The code that they are loops of, where that is not the host's: it has arrays for strips of loops.
    pub scop: Option<Scop>,
    /// Memory that kernels use.
    pub ranges: Vec<Memory>,
    /// Scalars whose values go from kernel to kernel, or behind the region.
    pub scalars: Vec<ArrayId>,
}

/// What a region uses of an array.
#[derive(Clone, Debug)]
pub struct Memory {
    /// The array.
    pub array: ArrayId,
    /// Whether something of it is written.
    pub written: bool,
    /// Every byte from the first to the last one is, before it is read: nothing has to be copied to the device.
    pub fresh: bool,
    /// Besides, nobody outside of the region reads what it leaves there: it is the device's alone.
    pub scratch: bool,
    /// What begins first and ends last among these: all of it is touched by the program, at both ends.
    pub parts: Vec<MemoryPart>,
    /// Bytes of the variable, where not more is known of what is touched.
    pub whole: Option<u64>,
}

/// What one access touches.
#[derive(Clone, Debug, PartialEq)]
pub struct MemoryPart {
    /// The first element: its subscripts where the condition holds. No condition holds: nothing is touched.
    pub first: Vec<(Cond, Vec<Expr>)>,
    /// The last element.
    pub last: Vec<(Cond, Vec<Expr>)>,
    /// Bytes from the beginning of the last element on.
    pub bytes: u32,
}

/// Part of the budget that finding out whether an array is overwritten may cost.
const FRESH_PART: u64 = 20;
/// Bits of the room that a scalar has.
const WORD_BITS: u32 = 64;

/// Why loops stay with the host.
const NO_KERNEL: &str = "there is no loop whose iterations may all run at the same time";
const HOST_LOOP: &str = "a loop must run in order, has no parallel loop inside, and does as much as the others";
const MIXED: &str = "statements of one kernel lie in different loops for blocks and threads";
const STRIDES: &str = "a loop for blocks and threads has strides";
const ENDINGS: &str = "a test in the loops ends the program";
const WIDE: &str = "values that go from kernel to kernel have more than 64 bits, or are addresses";
const COPIES: &str = "the host's loops keep local variables in arrays of their own (what is added up in an array's element has a kernel)";
const NO_CLOSED_FORM: &str = "what the loops touch has no closed form";

/// Whether the region as such may run on a GPU; else why not.
///
/// # Errors
/// The reason, for the user.
pub fn check_region(scop: &Scop, facts: &FunctionFacts) -> Result<(), &'static str> {
    let made = scop.stmts.iter().any(|s| !matches!(s.body, StmtBody::Original(_)));
    let unusual = scop.arrays.iter().any(|a| matches!(a.kind, ArrayKind::Made { .. }));
    if made || unusual {
        return Err(COPIES);
    }
    if scop.region.blocks.iter().any(|b| facts.block(*b).ends_on.is_some()) {
        return Err(ENDINGS);
    }
    Ok(())
}

/// Whether each part of the loops is the host's or a kernel whose statements agree on the loops that are numbered. A
/// loop without such loops inside is a kernel of one thread; unless `always`, there must be less of it to do than of
/// others.
///
/// # Errors
/// The reason, for the user.
pub fn check_loops(scop: &Scop, ast: &Ast, always: bool) -> Result<(), &'static str> {
    let depth = |kernel: &&Ast| kernel.stmts().map(|id| scop.stmt(id).dims()).max().unwrap_or(0);
    let (parallel, serial): (Vec<&Ast>, Vec<&Ast>) = kernels(ast).into_iter().partition(|k| has_axis(k));
    let loops = serial.into_iter().filter(|k| matches!(k, Ast::For(_)));
    match parallel.iter().map(depth).max() {
        None => Err(NO_KERNEL),
        Some(deepest) if !always && loops.map(|k| depth(&k)).max() >= Some(deepest) => Err(HOST_LOOP),
        Some(_) => parallel.into_iter().try_for_each(|kernel| axes(kernel).map(|_| ())),
    }
}

/// Elements that the threads of a kernel collect updates of.
fn collected(kernel: &Ast) -> &[ReductionCopy] {
    if let Ast::For(f) = kernel { &f.collects } else { &[] }
}

/// Whether some loop is numbered.
#[must_use]
pub fn has_axis(ast: &Ast) -> bool {
    ast.any_loop(&|f| f.axis.is_some())
}

/// Whether a part of the host's loops is a kernel: nothing in it is numbered by a loop inside of one that is not.
#[must_use]
pub fn is_kernel(ast: &Ast) -> bool {
    match ast {
        Ast::For(f) => f.axis.is_some() || !has_axis(&f.body),
        Ast::Stmt { .. } => true,
        Ast::Block(_) | Ast::If(_) => false,
    }
}

/// Kernels of loops for a GPU, in the order in which they stand.
#[must_use]
pub fn kernels(ast: &Ast) -> Vec<&Ast> {
    match ast {
        _ if is_kernel(ast) => vec![ast],
        Ast::Block(parts) => parts.iter().flat_map(kernels).collect(),
        Ast::If(i) => [&i.then].into_iter().chain(&i.otherwise).flat_map(kernels).collect(),
        Ast::For(f) => kernels(&f.body),
        Ast::Stmt { .. } => Vec::new(),
    }
}

/// Calls `act` for each kernel of loops for a GPU.
pub(super) fn each_kernel(ast: &mut Ast, act: &mut dyn FnMut(&mut Ast)) {
    if is_kernel(ast) {
        return act(ast);
    }
    match ast {
        Ast::Block(parts) => parts.iter_mut().for_each(|part| each_kernel(part, act)),
        Ast::For(f) => each_kernel(&mut f.body, act),
        Ast::If(i) => [&mut i.then].into_iter().chain(&mut i.otherwise).for_each(|part| each_kernel(part, act)),
        Ast::Stmt { .. } => {}
    }
}

/// Scalars that each thread of a kernel has for itself: with loops that are numbered, those that it writes, but for
/// those whose updates threads collect.
#[must_use]
pub fn private_scalars(scop: &Scop, kernel: &Ast) -> BTreeSet<ArrayId> {
    let mut private = if has_axis(kernel) { scop.scalars_written_by(kernel.stmts()) } else { BTreeSet::new() };
    collected(kernel).iter().for_each(|c| {
        private.remove(&c.array);
    });
    private
}

/// Scalars whose values go from kernel to kernel, or behind the region.
///
/// # Errors
/// The reason why there cannot be such, for the user.
pub fn shared_scalars(scop: &Scop, facts: &FunctionFacts, ast: &Ast) -> Result<Vec<ArrayId>, &'static str> {
    let mut shared = BTreeSet::new();
    for kernel in kernels(ast) {
        let private = private_scalars(scop, kernel);
        let accesses = kernel.stmts().flat_map(|id| &scop.stmt(id).accesses);
        let scalars = accesses.map(|a| a.array).filter(|a| !scop.array(*a).is_memory());
        shared.extend(scalars.filter(|a| !private.contains(a)));
    }
    let fits = |array: &ArrayId| match scop.array(*array).kind {
        ArrayKind::Value { def: value } | ArrayKind::Phi { phi: value } => match facts.value(value).ty {
            Type::Int(bits) | Type::Float(bits) => bits <= WORD_BITS,
            Type::Ptr | Type::Other => false,
        },
        _ => false,
    };
    if shared.iter().all(fits) { Ok(shared.into_iter().collect()) } else { Err(WIDE) }
}

/// What the statements of a kernel are numbered by: each lies in one loop per axis.
///
/// # Errors
/// The reason why that is not so.
pub fn axes(kernel: &Ast) -> Result<BTreeSet<Axis>, &'static str> {
    let mut all = None;
    collect_axes(kernel, collected(kernel), &mut Vec::new(), &mut all)?;
    Ok(all.unwrap_or_default())
}

fn collect_axes(
    ast: &Ast,
    collects: &[ReductionCopy],
    around: &mut Vec<Axis>,
    all: &mut Option<BTreeSet<Axis>>,
) -> Result<(), &'static str> {
    match ast {
        Ast::Block(parts) => parts.iter().try_for_each(|part| collect_axes(part, collects, around, all)),
        Ast::If(i) => {
            [&i.then].into_iter().chain(&i.otherwise).try_for_each(|part| collect_axes(part, collects, around, all))
        }
        Ast::For(f) => {
            if f.axis.is_some() && f.step != 1 {
                return Err(STRIDES);
            }
            if f.axis.is_some() && f.collects != collects {
                return Err(MIXED);
            }
            around.extend(f.axis);
            let found = collect_axes(&f.body, collects, around, all);
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
        if !scop.array(array).is_memory() || accesses().next().is_none() {
            continue;
        }
        let written = accesses().any(|a| a.kind != AccessKind::Read);
        match (parts(scop, facts, array, budget)?, whole(scop, facts, array)) {
            (Ok(parts), _) => {
                let fresh = match is_overwritten(scop, facts, array, &budget.part(FRESH_PART)) {
                    Err(Failure::Limit(_)) => false,
                    known => written && known?,
                };
                all.push(Memory { array, written, fresh, scratch: false, parts, whole: None });
            }
            (Err(_), whole @ Some(_)) => {
                all.push(Memory { array, written, fresh: false, scratch: false, parts: Vec::new(), whole });
            }
            (Err(why), None) => return Ok(Err(why)),
        }
    }
    Ok(Ok(all))
}

/// Bytes of the variable that an array in memory is.
fn whole(scop: &Scop, facts: &FunctionFacts, array: ArrayId) -> Option<u64> {
    match scop.array(array).kind {
        ArrayKind::Memory { base } => facts.value(base).object_bytes,
        _ => None,
    }
}

/// What the accesses to an array in memory touch, or why that is not known.
fn parts(
    scop: &Scop,
    facts: &FunctionFacts,
    array: ArrayId,
    budget: &Budget,
) -> Result<Result<Vec<MemoryPart>, &'static str>, Failure> {
    let extents = match extents(scop, facts, array, budget)? {
        Ok(extents) => extents,
        Err(why) => return Ok(Err(why)),
    };
    let mut parts: Vec<MemoryPart> = Vec::new();
    for extent in extents {
        let (first, last) = (elements(&extent.first, budget)?, elements(&extent.last, budget)?);
        let (Some(first), Some(last)) = (first, last) else { return Ok(Err(NO_CLOSED_FORM)) };
        let part = MemoryPart { first, last, bytes: extent.bytes };
        if !parts.contains(&part) {
            parts.push(part);
        }
    }
    Ok(Ok(parts))
}
