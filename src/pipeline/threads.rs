//! Which loops of a region run in threads, and what to do with regions whose order stays.

use crate::ast::{self, Ast, For};
use crate::codegen::openmp::{self, work};
use crate::deps::Dependences;
use crate::error::Failure;
use crate::facts::FunctionFacts;
use crate::ids::{ArrayId, StmtId};
use crate::model::tree::Node;
use crate::model::{ArrayKind, Scop};
use crate::options::{Optimizer, Options};
use crate::parallel::{self, Marked, Rooms};
use crate::schedule::{self, Outcome, Summary};
use crate::storage::room::{Part, Room};
use presburger::Budget;
use std::collections::BTreeSet;

/// Why a new order that gains by threads alone is not used.
const NOT_SHARED: &str = "a new one gains by threads alone, and no loop of it can be shared between threads";

/// Why threads have no copies of arrays that they would need for a loop further out.
const TOO_LARGE: &str = "the copies may need more than 64 KiB";
const NOT_DENSE: &str = "elements between those that are updated may belong to somebody else";
const NOT_LEFT: &str = "the last iteration does not write all that is to be left behind";

/// What the scheduler decided, with marks on the loops that may run in threads.
pub struct Ordered {
    /// The decision. A region whose order stays counts as transformed if some of its loops may run in threads.
    pub outcome: Outcome,
    /// Whether the new code gains by its threads alone: without them the original is as good.
    pub only_threads: bool,
    /// Why some arrays are shared that threads could have copies of otherwise.
    pub not_copied: BTreeSet<&'static str>,
}

/// Whether the user wants threads, and more than one.
#[must_use]
pub fn is_wanted(options: &Options) -> bool {
    options.parallel && options.num_threads != Some(1)
}

/// Marks the loops that may run in threads, if the user wants that. `facts`: those the region was modelled from.
#[must_use]
pub fn mark(
    (scop, facts): (&Scop, &FunctionFacts),
    deps: &Dependences,
    outcome: Outcome,
    options: &Options,
) -> Ordered {
    if !is_wanted(options) {
        return Ordered { outcome, only_threads: false, not_copied: BTreeSet::new() };
    }
    let mut not_copied = BTreeSet::new();
    let mut marked = |tree| marked((scop, facts), deps, tree, options, &mut not_copied).filter(|m| m.loops > 0);
    let (tree, summary, only_threads, kept) = match outcome {
        Outcome::Transformed { tree, summary } => {
            let always = options.process_unprofitable || options.import_jscop || options.optimizer == Optimizer::None;
            let only_threads = !always && summary.gain_percent < schedule::WORTHWHILE_PERCENT;
            (tree, summary, only_threads, NOT_SHARED.to_owned())
        }
        Outcome::Close(close) => (close.tree, close.summary, true, NOT_SHARED.to_owned()),
        Outcome::Keep { reason } => (scop.schedule.clone(), Summary::default(), true, reason),
    };
    let outcome = match (marked(&tree), only_threads) {
        (Some(m), _) => Outcome::Transformed { tree: m.tree, summary },
        // The scheduler's marks know nothing of scalars: each thread would have its own of every one that the loop writes.
        (None, false) if scop.has_scalars() => Outcome::Transformed { tree: parallel::dropped(tree), summary },
        (None, false) => Outcome::Transformed { tree, summary },
        (None, true) => return Ordered { outcome: Outcome::Keep { reason: kept }, only_threads: false, not_copied },
    };
    Ordered { outcome, only_threads, not_copied }
}

/// The tree with marks, copies of arrays only where the loops made of it leave in them what they should. Adds to `not_copied` why others
/// are shared. `None`: the budget is spent.
fn marked(
    (scop, facts): (&Scop, &FunctionFacts),
    deps: &Dependences,
    tree: &Node,
    options: &Options,
    not_copied: &mut BTreeSet<&'static str>,
) -> Option<Marked> {
    let budget = Budget::steps(options.schedule_budget);
    let mut lost: BTreeSet<ArrayId> = BTreeSet::new();
    loop {
        let size = |a: ArrayId| {
            let room = if lost.contains(&a) { None } else { Room::of(scop, facts, a) };
            room.map(|room| room.bytes())
        };
        let collected = |a: ArrayId, by: &BTreeSet<StmtId>| Part::of(scop, facts, a, by).is_some();
        let rooms = Rooms { scratch: &size, collected: &collected };
        let marked = parallel::mark(scop, deps, tree, Some(rooms), &budget).ok()?;
        if !marked.refused.is_subset(&lost) {
            not_copied.insert(TOO_LARGE);
        }
        if !marked.uncollected.is_empty() {
            not_copied.insert(NOT_DENSE);
        }
        if marked.copied.is_empty() {
            return Some(marked);
        }
        let config = ast::Config { budget_steps: options.ast_budget, ..ast::Config::default() };
        let loops = ast::build(scop, &marked.tree, &config);
        let is_unread = |a: ArrayId| match scop.array(a).kind {
            ArrayKind::Memory { base } => facts.is_read_in(base, &scop.region.blocks),
            _ => false,
        };
        let budget = Budget::steps(options.ast_budget);
        let wrong = loops.and_then(|loops| ast::last::lost(scop, &loops, &is_unread, &budget));
        let wrong = wrong.unwrap_or_else(|_| marked.copied.clone());
        if wrong.is_empty() {
            return Some(marked);
        }
        not_copied.insert(NOT_LEFT);
        lost.extend(wrong);
    }
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
