//! Who runs which loop: a stage of its own between the order and its proof.
//!
//! In:  what the scheduler, an imported schedule or a script decided. Out: the order with a role for each loop
//! ([`crate::model::tree::Role`]), and what threads have for themselves stated with it. Nothing is proved for good
//! here: the questions asked are the prover's own ([`crate::deps::loops::Loop`]), and [`crate::proof`] asks them
//! again of the finished tree.

pub mod choose;
pub mod copies;
pub mod device;
pub mod roles;
pub mod split;
#[cfg(test)]
mod tests;

use crate::deps::Dependences;
use crate::deps::loops::left;
use crate::error::{Failure, Limit, would_take_more};
use crate::facts::FunctionFacts;
use crate::ids::{ArrayId, StmtId};
use crate::model::tree::Node;
use crate::model::{ArrayKind, Scop};
use crate::schedule::{Decision, Summary};
use crate::storage::buffer::{PrivateBuffer, ReductionBuffer};
use presburger::Budget;
use roles::{Marked, mark};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// Why a new order that gains by threads alone is not used.
const NOT_SHARED: &str = "a new one gains by threads alone, and no loop of it can be shared between threads";

/// What limits of this stage are told under.
const STAGE: &str = "parallel";

/// Why threads have no copies of arrays that they would need for a loop further out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum NotCopied {
    /// In bytes.
    TooLarge,
    /// Only some of the elements are updated.
    NotDense,
    /// The last iteration leaves something else behind than the loop.
    NotLeft,
    /// The budget of this stage is spent.
    TooLong(&'static str),
}

impl fmt::Display for NotCopied {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLarge => f.write_str("the copies may need more than 64 KiB"),
            Self::NotDense => f.write_str("elements between those that are updated may belong to somebody else"),
            Self::NotLeft => f.write_str("the last iteration does not write all that is to be left behind"),
            Self::TooLong(stage) => f.write_str(&would_take_more(stage)),
        }
    }
}

/// Which arrays there can be copies of.
#[derive(Clone, Copy)]
pub struct Copyable<'a> {
    /// Bytes of a private copy, if there can be one.
    pub private: &'a dyn Fn(ArrayId) -> Option<u64>,
    /// Whether updates by these statements can be collected in copies of the whole array.
    pub reducible: &'a dyn Fn(ArrayId, &BTreeSet<StmtId>) -> bool,
}

/// What the stage has to know.
#[derive(Clone, Copy)]
pub struct Config<'a> {
    /// What the region was modelled from.
    pub facts: &'a FunctionFacts,
    /// Arrays of which nobody outside of the region reads what it leaves.
    pub not_live_out: &'a BTreeSet<ArrayId>,
    /// Arrays of which threads must not have copies, with the reason: the loop that is made would not leave in them
    /// what it should ([`NotCopied::NotLeft`]), or that is not known
    /// ([`NotCopied::TooLong`]).
    pub shared: &'a BTreeMap<ArrayId, NotCopied>,
    /// A new order is used even if it gains by threads alone and none can run it.
    pub always: bool,
    /// Estimated gain on one core below which a new order gains by threads alone, in hundredths.
    pub min_gain_percent: u64,
    /// Steps for it.
    pub budget: &'a Budget,
}

/// An order with roles.
#[derive(Clone, Debug)]
pub struct Ordered {
    /// The decision. A region whose order stays counts as transformed if threads may run some of its loops.
    pub decision: Decision,
    /// Whether the new code gains by its threads alone: without them the original is as good.
    pub only_threads: bool,
    /// Why some arrays are shared that threads could have copies of otherwise.
    pub not_copied: BTreeSet<NotCopied>,
    /// Why not all loops were looked at.
    pub gave_up: Option<Limit>,
}

impl Ordered {
    /// The decision for one thread.
    #[must_use]
    pub fn alone(decision: Decision) -> Self {
        Self { decision, only_threads: false, not_copied: BTreeSet::new(), gave_up: None }
    }

    /// What was done to the loops, in the user's words.
    #[must_use]
    pub fn steps(&self) -> Vec<String> {
        match &self.decision {
            Decision::Keep { .. } => Vec::new(),
            Decision::Transformed { summary, .. } => summary.steps.clone(),
            Decision::Close(close) => close.summary.steps.clone(),
        }
    }
}

/// Arrays of which nobody outside of the region reads what it leaves. `facts`: what the region was modelled from.
#[must_use]
pub fn not_live_out(scop: &Scop, facts: &FunctionFacts) -> BTreeSet<ArrayId> {
    let is_not_live_out = |a: &ArrayId| match scop.array(*a).kind {
        ArrayKind::Memory { base } => facts.is_read_in(base, &scop.region.blocks),
        _ => false,
    };
    (0..scop.arrays.len()).map(ArrayId::new).filter(is_not_live_out).collect()
}

/// Gives the loops of an order roles for threads: as many as the budget is enough for.
///
/// # Errors
/// `Bug` when an invariant breaks.
pub fn assign(scop: &Scop, deps: &Dependences, decision: Decision, config: &Config<'_>) -> Result<Ordered, Failure> {
    let mut not_copied = BTreeSet::new();
    let (tree, summary, only_threads, (kept, costs)) = match decision {
        Decision::Transformed { tree, summary } => {
            let only_threads = !config.always && summary.gain_percent < config.min_gain_percent;
            let kept = (NOT_SHARED.to_owned(), summary.costs);
            (tree, summary, only_threads, kept)
        }
        Decision::Close(close) => {
            let kept = (NOT_SHARED.to_owned(), close.summary.costs);
            (close.tree, close.summary, true, kept)
        }
        Decision::Keep { reason, costs } => (scop.schedule.clone(), Summary::default(), true, (reason, costs)),
    };
    let (marked, gave_up) = match with_roles(scop, deps, &tree, config, &mut not_copied) {
        Ok(marked) => {
            let gave_up = marked.gave_up.map(|limit| Limit { stage: STAGE, ..limit });
            (Some(marked).filter(|m| m.loops > 0), gave_up)
        }
        Err(Failure::Limit(limit)) => (None, Some(Limit { stage: STAGE, ..limit })),
        Err(failure) => return Err(failure),
    };
    let decision = match (marked, only_threads) {
        (Some(m), _) => Decision::Transformed { tree: m.tree, summary },
        // The scheduler's flags know nothing of scalars: each thread would have its own of every one that the loop
        // writes.
        (None, false) if scop.has_scalars() => Decision::Transformed { tree: roles::serial(tree), summary },
        (None, false) => Decision::Transformed { tree, summary },
        (None, true) => {
            let decision = Decision::Keep { reason: kept, costs };
            return Ok(Ordered { decision, only_threads: false, not_copied, gave_up });
        }
    };
    Ok(Ordered { decision, only_threads, not_copied, gave_up })
}

/// The tree with roles, private copies only where each loop leaves in the arrays what it should. Adds to `not_copied`
/// why others are shared.
fn with_roles(
    scop: &Scop,
    deps: &Dependences,
    tree: &Node,
    config: &Config<'_>,
    not_copied: &mut BTreeSet<NotCopied>,
) -> Result<Marked, Failure> {
    let budget = config.budget;
    let mut shared: BTreeSet<ArrayId> = config.shared.keys().copied().collect();
    not_copied.extend(config.shared.values());
    let copyable = Copyable {
        private: &|a| PrivateBuffer::of(scop, config.facts, a, budget).map(|buffer| buffer.bytes()),
        reducible: &|a, by| ReductionBuffer::of(scop, config.facts, a, by, budget).is_some(),
    };
    loop {
        let marked = mark(scop, deps, tree, (Some(copyable), &shared), budget)?;
        if !marked.refused.is_subset(&shared) {
            not_copied.insert(NotCopied::TooLarge);
        }
        if marked.undecided {
            not_copied.insert(NotCopied::TooLong(STAGE));
        }
        if !marked.not_reducible.is_empty() {
            not_copied.insert(NotCopied::NotDense);
        }
        if marked.copied.is_empty() {
            return Ok(marked);
        }
        let wrong = left::not_lastprivate(scop, &marked.tree, config.not_live_out, budget);
        let (wrong, why): (BTreeSet<ArrayId>, _) = match wrong {
            Ok(all) => (all.into_keys().collect(), NotCopied::NotLeft),
            Err(Failure::Limit(_)) => (marked.copied.clone(), NotCopied::TooLong(STAGE)),
            Err(failure) => return Err(failure),
        };
        if wrong.is_empty() {
            return Ok(marked);
        }
        not_copied.insert(why);
        shared.extend(wrong);
    }
}
