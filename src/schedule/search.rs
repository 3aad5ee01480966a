//! The order that the hyperplane search finds, as loops.
//!
//! In: a SCoP and its dependences as generators. Out: an [`Order`]: the plan, its tree, and what it is estimated to
//! take in each scenario; statements share loops where that is estimated to be faster, or the user wants it.

use super::bands::{Builder, Plan};
use super::{Config, Fusion, Summary, ilp, laid, layout, pluto, problem};
use crate::cost::{Estimate, sizes};
use crate::deps::Dependences;
use crate::error::Failure;
use crate::model::tree::Node;
use crate::model::{Access, Scop, Stmt};
use log::debug;
use presburger::Budget;
use std::collections::BTreeSet;

/// Estimated gain of loops of their own over loops that smart fusion lets statements share, in hundredths, from which
/// on they have their own.
pub(super) const APART_PERCENT: f64 = 110.0;
/// The same for packed copies of what loops of their own run on, where these have to be longer for that: distances to a
/// handful of centres.
const PACKED_PERCENT: f64 = 200.0;
/// Part of the budget that finding out may cost.
const APART_PART: u64 = 4;

/// An order as loops, and what it is estimated to take in each scenario.
pub(super) struct Order {
    pub(super) plan: Plan,
    pub(super) tree: Node,
    pub(super) made: Vec<Estimate>,
    /// Cycles in the first scenario that loops of their own can save of what is moved, at most.
    spare: f64,
    pub(super) summary: Summary,
}

impl Order {
    /// Whether loops of their own may be faster: what each statement has to move leaves room for it.
    fn may_gain_apart(&self) -> bool {
        let cycles = self.made[0].cycles;
        100.0 * cycles >= APART_PERCENT * (cycles - self.spare)
    }

    /// Whether it is estimated to be faster than `other` in the first scenario, and not slower in the second one, which
    /// has quicker caches.
    fn is_faster(&self, other: &Order) -> bool {
        let mut gains =
            self.made.iter().zip(&other.made).map(|(own, other)| 100.0 * other.cycles / own.cycles.max(1.0));
        gains.next().is_some_and(|gain| gain >= APART_PERCENT) && gains.next().is_some_and(|gain| gain >= 100.0)
    }
}

/// What the hyperplane search finds.
struct Found {
    plan: Option<Plan>,
    /// What the solver did.
    solves: ilp::Solves,
    /// Whether some statements share loops that need not.
    shares: bool,
}

/// The best order that is found, and what it was found for: as `config` asks for, where there is another one, if that
/// is estimated to be faster. Finding out may cost a part of the budget.
pub(super) fn better<'a>(
    scop: &Scop,
    context: layout::Context<'a>,
    (problem, deps): (&problem::Problem, &Dependences),
    config: Option<&'a Config>,
) -> Result<(layout::Context<'a>, Option<Order>), Failure> {
    let plain = order(scop, context, problem, context.budget)?;
    let Some(config) = config else { return Ok((context, plain)) };
    let budget = context.budget.part(APART_PART);
    let found = problem::extract(scop, deps, &config.reversals, &budget).and_then(|mut problem| {
        problem.solving = config.solving;
        order(scop, layout::Context { config, ..context }, &problem, &budget)
    });
    let other = unless_spent(found)?;
    let gains = |other: &Order| plain.as_ref().is_none_or(|plain| other.is_faster(plain));
    Ok(match other.filter(gains) {
        Some(other) => (layout::Context { config, ..context }, Some(other)),
        None => (context, plain),
    })
}

/// The best order that the hyperplane search finds, if any: with statements sharing loops, or, where they need not,
/// with loops of their own, as contractions have to. What the user wants to be close shares loops.
pub(super) fn order(
    scop: &Scop,
    context: layout::Context<'_>,
    problem: &problem::Problem,
    budget: &Budget,
) -> Result<Option<Order>, Failure> {
    let cfg = context.config;
    let found = plan_of(scop, cfg, problem, cfg.fusion, budget)?;
    let Some(together) = laid_out(scop, context, &found)? else { return Ok(None) };
    let is_bound = !problem::by_demand(&problem.pieces).1.is_empty();
    let may_part = found.shares && cfg.fusion == Fusion::Smart && !is_bound;
    let contracts = found.plan.as_ref().is_some_and(|plan| plan.shares_loops_of(&cfg.contractions));
    let moves_less = !cfg.parallel && together.may_gain_apart();
    if !may_part || !(contracts || moves_less) {
        return Ok(Some(together));
    }
    let found = plan_of(scop, cfg, problem, Fusion::None, &budget.part(APART_PART));
    let apart = unless_spent(found.and_then(|found| laid_out(scop, context, &found)))?;
    let gains = |apart: &Order| together.made[0].cycles / apart.made[0].cycles.max(1.0);
    debug!(target: "polyrs::cost", "{}: loops of their own gain {:?}", scop.name, apart.as_ref().map(gains));
    let Some(apart) = apart.filter(|apart| apart.is_faster(&together)) else { return Ok(Some(together)) };
    // Copies ask for long loops, also where no large array grows with their lengths.
    let in_windows = sizes::depths(scop, &sizes::growing(scop, budget)?);
    let pays =
        moves_less || 100.0 * gains(&apart) >= PACKED_PERCENT || !apart.summary.lengths.keys().any(|k| in_windows[*k]);
    Ok(Some(if pays { apart } else { together }))
}

/// What was found, if the budget for it was enough.
fn unless_spent(found: Result<Option<Order>, Failure>) -> Result<Option<Order>, Failure> {
    match found {
        Err(Failure::Limit(_)) => Ok(None),
        found => found,
    }
}

/// What was found as loops.
fn laid_out(scop: &Scop, context: layout::Context<'_>, found: &Found) -> Result<Option<Order>, Failure> {
    let Some(plan) = &found.plan else { return Ok(None) };
    let (tree, laid) = laid(scop, context, plan)?;
    let laid::Laid { estimates: made, spare, summary, .. } = laid;
    let summary = Summary { solves: found.solves, usual: made[0], ..summary };
    Ok(Some(Order { plan: plan.clone(), tree, made, spare, summary }))
}

/// The loops of a plan, with what they are estimated to take.
pub(super) fn laid<'a>(
    scop: &'a Scop,
    context: layout::Context<'a>,
    plan: &Plan,
) -> Result<(Node, laid::Laid<'a>), Failure> {
    let estimates = vec![Estimate::default(); context.scenarios.len()];
    let mut laid = laid::Laid { scop, context, estimates, spare: 0.0, summary: Summary::default(), strips: None };
    let tree = laid.tree(plan)?;
    Ok((tree, laid))
}

/// The order that the hyperplane search finds, if any, with this fusion.
fn plan_of(
    scop: &Scop,
    cfg: &Config,
    problem: &problem::Problem,
    fusion: Fusion,
    budget: &Budget,
) -> Result<Found, Failure> {
    let in_memory = |a: &&Access| scop.array(a.array).is_memory();
    let touched = |s: &Stmt| s.accesses.iter().filter(in_memory).map(|a| a.array.0).collect();
    let arrays: Vec<BTreeSet<u32>> = scop.stmts.iter().map(touched).collect();
    let mut builder = Builder {
        problem,
        arrays: &arrays,
        fusion,
        diamonds: cfg.hexagons.is_some() || (cfg.tiling && cfg.diamond_tiling),
        alone: cfg.is_choosy() && !cfg.parallel && cfg.hexagons.is_none() && cfg.tile_sizes.is_empty(),
        effort: pluto::Effort::Full,
        budget,
        solves: ilp::Solves::default(),
        shares: false,
    };
    let plan = builder.whole(scop)?;
    Ok(Found { plan, solves: builder.solves, shares: builder.shares })
}
