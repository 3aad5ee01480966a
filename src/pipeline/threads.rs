//! What the user wants of threads, and which loops are too small for them.

use crate::ast::{Ast, For};
use crate::codegen::openmp::{self, work};
use crate::error::Failure;
use crate::model::Scop;
use crate::options::Options;

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
