//! Where the threads of a block wait for each other between loops.
//!
//! Instances in different iterations of one loop that threads share do not depend on each other, given equal iterations
//! of all loops around it. What comes earlier or later around it may: where such loops stand in a loop that runs in
//! order, or one after the other, threads wait behind each outermost one of them ([`For::waits`]). Nothing around these
//! moves with a number of a thread, so that all threads of a block come there equally often: barriers are in uniform
//! flow. Loops around them that carry nothing (strips of register tiles) need none.

use super::device::{axes, each_kernel, kernels};
use super::types::{Ast, For};
use crate::error::Failure;
use crate::model::tree::Axis;

/// Lets threads wait where they have to, in all kernels.
pub fn place(ast: &mut Ast) {
    each_kernel(ast, &mut |kernel| {
        if !collects(kernel) && in_steps(kernel, false) {
            outermost(kernel, &mut |f| f.waits = true);
        }
    });
}

/// Whether threads wait where they have to, and where all of them come.
///
/// # Errors
/// `Bug` if not.
pub fn check(ast: &Ast) -> Result<(), Failure> {
    let wrong = |what: &str| Err(Failure::Bug(format!("threads of a block: {what}")));
    for kernel in kernels(ast) {
        if axes(kernel).is_err() {
            return wrong("loops of a kernel do not agree");
        }
        let (mut missing, mut divergent, mut split) = (false, false, false);
        walk(kernel, (false, false), &mut |f, (in_order, in_threads)| {
            let of_threads = is_of_threads(f);
            missing |= of_threads && !in_threads && in_order && !f.waits && f.collects.is_empty();
            divergent |= f.waits && (in_threads || !of_threads);
            split |= in_threads && !of_threads && !f.coincident && has_threads(&f.body);
        });
        if missing {
            return wrong("they do not wait for what others have done");
        }
        if divergent {
            return wrong("not all of them come to where they wait");
        }
        if split {
            return wrong("some of them share a loop in a loop that each runs in order");
        }
    }
    Ok(())
}

fn is_of_threads(f: &For) -> bool {
    matches!(f.axis, Some(Axis::Block(..)))
}

fn has_threads(ast: &Ast) -> bool {
    ast.any_loop(&is_of_threads)
}

fn collects(kernel: &Ast) -> bool {
    matches!(kernel, Ast::For(f) if !f.collects.is_empty())
}

/// Whether loops of threads stand in a loop that runs in order, or one after the other.
fn in_steps(ast: &Ast, in_order: bool) -> bool {
    match ast {
        Ast::Block(parts) => {
            parts.iter().filter(|part| has_threads(part)).count() > 1 || parts.iter().any(|p| in_steps(p, in_order))
        }
        Ast::If(i) => [&i.then].into_iter().chain(&i.otherwise).any(|part| in_steps(part, in_order)),
        Ast::For(f) if is_of_threads(f) => in_order,
        Ast::For(f) => in_steps(&f.body, in_order || runs_in_order(f)),
        Ast::Stmt { .. } => false,
    }
}

fn runs_in_order(f: &For) -> bool {
    f.axis.is_none() && !f.coincident
}

/// The outermost loops of threads.
fn outermost(ast: &mut Ast, act: &mut dyn FnMut(&mut For)) {
    match ast {
        Ast::Block(parts) => parts.iter_mut().for_each(|part| outermost(part, act)),
        Ast::If(i) => [&mut i.then].into_iter().chain(&mut i.otherwise).for_each(|part| outermost(part, act)),
        Ast::For(f) if is_of_threads(f) => act(f),
        Ast::For(f) => outermost(&mut f.body, act),
        Ast::Stmt { .. } => {}
    }
}

/// Each loop, with whether threads around it depend on an order (it stands in a loop that runs in order, or beside
/// others of threads), and whether it stands in a loop of threads.
fn walk(ast: &Ast, (in_order, in_threads): (bool, bool), see: &mut dyn FnMut(&For, (bool, bool))) {
    match ast {
        Ast::Block(parts) => {
            let beside = !in_threads && parts.iter().filter(|part| has_threads(part)).count() > 1;
            parts.iter().for_each(|part| walk(part, (in_order || beside, in_threads), see));
        }
        Ast::If(i) => {
            [&i.then].into_iter().chain(&i.otherwise).for_each(|part| walk(part, (in_order, in_threads), see));
        }
        Ast::For(f) => {
            see(f, (in_order, in_threads));
            walk(&f.body, (in_order || runs_in_order(f), in_threads || is_of_threads(f)), see);
        }
        Ast::Stmt { .. } => {}
    }
}
