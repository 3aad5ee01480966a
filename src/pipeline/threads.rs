//! What the user wants of threads, and which loops are too small for them.

use crate::ast::{self, Ast, For};
use crate::codegen::openmp::{self, work};
use crate::error::Failure;
use crate::ids::ArrayId;
use crate::model::Scop;
use crate::options::Options;
use presburger::Budget;
use std::collections::BTreeSet;

/// Whether the user wants threads, and more than one.
#[must_use]
pub fn is_wanted(options: &Options) -> bool {
    options.parallel && options.num_threads != Some(1)
}

/// The user's wishes for code generation; `None`: one thread.
#[must_use]
pub fn config(options: &Options) -> Option<openmp::Config> {
    is_wanted(options).then_some(openmp::Config {
        backend: options.omp_backend,
        scheduling: options.scheduling,
        chunk: options.scheduling_chunksize,
        threads: options.num_threads,
        force: options.parallel_force,
    })
}

/// Takes the marks off loops that are known to do too little for threads. Returns how many marked loops are left.
///
/// # Errors
/// `Limit` where a coefficient does not fit.
pub fn unmark_small(scop: &Scop, ast: &mut Ast, options: &Options) -> Result<usize, Failure> {
    let mut left = 0;
    for f in marked_loops(ast) {
        if !options.parallel_force && work::of_loop(scop, f)?.is_surely_small() {
            f.parallel = None;
        } else {
            left += 1;
        }
    }
    Ok(left)
}

/// Leaves loops with private copies to one thread where the loops that were made may leave something else in the arrays than the schedule
/// does: bounds may be loose, and then the last iteration does nothing. True if there are any.
pub fn unmark_inexact(scop: &Scop, ast: &mut Ast, unread: &BTreeSet<ArrayId>, options: &Options) -> bool {
    let lost = ast::last::lost(scop, ast, &|a| unread.contains(&a), &Budget::steps(options.ast_budget));
    let is_lost = |f: &For| {
        let private = f.parallel.iter().flat_map(|copies| &copies.privatized);
        private.into_iter().any(|a| lost.as_ref().is_ok_and(|lost| lost.contains(a)) || lost.is_err())
    };
    unmark_if(ast, &is_lost)
}

fn unmark_if(ast: &mut Ast, holds: &dyn Fn(&For) -> bool) -> bool {
    let mut found = false;
    for f in marked_loops(ast) {
        if holds(f) {
            f.parallel = None;
            found = true;
        }
        found |= unmark_if(&mut f.body, holds);
    }
    found
}

/// How many loops are marked, those inside of marked ones not counted.
#[must_use]
pub fn count_marked(ast: &mut Ast) -> usize {
    marked_loops(ast).len()
}

/// Takes all marks off.
pub fn unmark(ast: &mut Ast) {
    for f in marked_loops(ast) {
        f.parallel = None;
        unmark(&mut f.body);
    }
}

/// The outermost marked loops.
fn marked_loops(ast: &mut Ast) -> Vec<&mut For> {
    match ast {
        Ast::Block(all) => all.iter_mut().flat_map(marked_loops).collect(),
        Ast::For(f) => {
            if f.parallel.is_some() {
                return vec![f];
            }
            marked_loops(&mut f.body)
        }
        Ast::If(i) => {
            let mut all = marked_loops(&mut i.then);
            all.extend(i.otherwise.iter_mut().flat_map(marked_loops));
            all
        }
        Ast::Stmt { .. } => Vec::new(),
    }
}
