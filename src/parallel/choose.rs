//! Which order runs in threads, where one core prefers neither the original nor a new one.
//!
//! In: what the scheduler decided. Out: the same, but for orders that one core gains too little by, of which the faster
//! one on the target's cores is taken.

use super::roles::mark;
use crate::cost::Estimate;
use crate::cost::refs::{self, Facts};
use crate::deps::Dependences;
use crate::error::Failure;
use crate::ids::StmtId;
use crate::model::Scop;
use crate::model::tree::flat::{TimeDim, visit_nodes};
use crate::model::tree::{Node, Role, ThreadCopies};
use crate::schedule::index_sets::Split;
use crate::schedule::{Close, Config, Decision, NOT_FASTER, Summary, WORTHWHILE_IN_THREADS_PERCENT};
use log::debug;
use presburger::Budget;
use std::collections::BTreeSet;

/// Estimated gain on all cores below which the original stays where they cannot share its work, in hundredths.
const SHARED_PERCENT: u64 = 150;
/// Estimated time of the order that one core prefers over that of one for threads up to which it is taken, in
/// hundredths: it runs as fast with fewer cores than there are expected to be.
const SURELY_FASTER_PERCENT: f64 = 125.0;
/// Estimated time of an order for threads on one core over that of the order which one core prefers, up to which it is
/// as good there, in hundredths: it is taken then if threads start in fewer loops around.
const AS_FAST_PERCENT: f64 = 105.0;

/// The scheduler's decision, with a role for the loops that its flags call parallel where threads are wanted. Never
/// [`Decision::Close`].
///
/// # Errors
/// `Limit` when the budget is spent.
pub fn settled(
    scop: &Scop,
    deps: &Dependences,
    decision: Decision,
    (cfg, cores): (&Config, u32),
    budget: &Budget,
) -> Result<Decision, Failure> {
    match decision {
        Decision::Transformed { tree, summary } if cfg.parallel => {
            Ok(Decision::Transformed { tree: by_flags(tree), summary })
        }
        Decision::Close(close) => faster_in_threads(scop, deps, *close, cores, budget),
        other => Ok(other),
    }
}

/// Whichever of the new and the original order is estimated to be faster on so many cores, if it has a loop to share.
/// Cores share work, but also the way to memory: an order that moves more lines over it gains less.
fn faster_in_threads(
    scop: &Scop,
    deps: &Dependences,
    close: Close,
    cores: u32,
    budget: &Budget,
) -> Result<Decision, Failure> {
    let Close { tree, summary, made, original, facts } = close;
    let tree = by_flags(tree);
    let marked = mark(scop, deps, &scop.schedule, (None, &BTreeSet::new()), budget)?;
    let (of_original, of_made) = (shared_part(&marked.tree, &facts), shared_part(&tree, &facts));
    let gain = 100.0 * original.on_cores(cores, of_original) / made.on_cores(cores, of_made).max(1.0);
    let enough = if of_original > 0.0 { WORTHWHILE_IN_THREADS_PERCENT } else { SHARED_PERCENT };
    if of_made > 0.0 && gain as u64 >= enough {
        return Ok(Decision::Transformed { tree, summary });
    }
    if marked.loops == 0 {
        return Ok(Decision::Keep { reason: NOT_FASTER.to_owned(), costs: summary.costs });
    }
    let steps = vec!["original order".to_owned()];
    let summary = Summary { steps, gain_percent: 100, usual: original, ..Summary::default() };
    Ok(Decision::Transformed { tree: marked.tree, summary })
}

/// Whether the order that one core prefers is to be taken, its own loops shared where they can be, although there is
/// another one that is made for threads: that has to be faster by more than estimates err.
///
/// # Errors
/// `Limit` when the budget is spent.
pub fn is_for_one(
    (code, one): (&Split, &Decision),
    (code_for_threads, for_threads): (&Split, &Decision),
    cores: u32,
    budget: &Budget,
) -> Result<bool, Failure> {
    let Decision::Transformed { tree, summary } = one else { return Ok(false) };
    let marked = mark(&code.scop, &code.deps, tree, (None, &BTreeSet::new()), budget)?;
    let one = Shared::of(&code.scop, &marked.tree, summary, budget)?;
    let Decision::Transformed { tree, summary } = for_threads else { return Ok(true) };
    let threads = Shared::of(&code_for_threads.scop, tree, summary, budget)?;
    let [of_one, of_threads] = [&one, &threads].map(|order| order.usual.on_cores(cores, order.part));
    debug!("{}: {of_one:.0} cycles in the order for one core, {of_threads:.0} in that for threads", code.scop.name);
    let is_as_fast_alone = 100.0 * threads.usual.cycles <= AS_FAST_PERCENT * one.usual.cycles;
    if is_as_fast_alone && threads.part >= one.part && threads.around < one.around {
        return Ok(false);
    }
    Ok(100.0 * of_one <= SURELY_FASTER_PERCENT * of_threads)
}

/// An order with roles, as several cores see it.
struct Shared {
    /// What it takes on one core.
    usual: Estimate,
    /// [`shared_part`].
    part: f64,
    /// The most loops in which threads start.
    around: usize,
}

impl Shared {
    fn of(scop: &Scop, tree: &Node, summary: &Summary, budget: &Budget) -> Result<Self, Failure> {
        let (part, around) = shared(tree, &refs::facts(scop, budget)?);
        Ok(Self { usual: summary.usual, part, around })
    }
}

/// The tree with a role for threads at the outermost coincident loop of each branch. Coincident flags are taken as they
/// are.
#[must_use]
pub fn by_flags(tree: Node) -> Node {
    match tree {
        Node::Band(mut band, child) => match band.members.iter_mut().find(|m| m.coincident) {
            None => Node::Band(band, Box::new(by_flags(*child))),
            Some(member) => {
                member.role = Role::Threads(ThreadCopies::default());
                Node::Band(band, child)
            }
        },
        other => other.map_children(&mut by_flags),
    }
}

/// Part of all statement instances that threads share: those in a loop of theirs that is outermost, or has at least two
/// loops inside (one alone does too little each time threads start). Approximate, as the cost model's trip counts are.
#[must_use]
pub fn shared_part(tree: &Node, facts: &[Facts]) -> f64 {
    shared(tree, facts).0
}

/// The same, and the most loops around one that threads share.
fn shared(tree: &Node, facts: &[Facts]) -> (f64, usize) {
    let instances = |id: StmtId| facts[id.index()].trips.iter().product::<f64>();
    let (mut shared, mut around) = (BTreeSet::new(), 0);
    visit_nodes(tree, &mut |_, node, pieces| {
        let Node::Band(band, _) = node else { return };
        for (k, member) in band.members.iter().enumerate() {
            if !member.role.threads().is_some_and(ThreadCopies::is_empty) {
                continue;
            }
            for (id, piece) in pieces {
                let outside = k + piece.time.iter().filter(|t| matches!(t, TimeDim::Aff(_))).count();
                if outside == 0 || facts[id.index()].trips.len() >= outside + 2 {
                    shared.insert(*id);
                    around = around.max(outside);
                }
            }
        }
    });
    let all: f64 = (0..facts.len()).map(|s| instances(StmtId::new(s))).sum();
    (shared.into_iter().map(instances).sum::<f64>() / all.max(1.0), around)
}
