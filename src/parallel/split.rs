//! Whether domains are split: the code as it is and the split code, each in its best order, compared.

use super::choose::{self, shared_part};
use crate::cost::refs;
use crate::deps::Dependences;
use crate::error::{Failure, GaveUp};
use crate::model::Scop;
use crate::model::tree::{Mark, Node};
use crate::schedule::index_sets::{self, Reversals, Split};
use crate::schedule::{Config, Decision, Machine, schedule};
use presburger::Budget;

/// Part of the schedule's budget that finding out where to split may cost.
const SPLIT_PART: u64 = 4;
/// What is told where splitting takes too long.
const NOT_SPLIT: &str = "domains are not split where a dependence turns";

/// The code with its domains split where a dependence turns, if its new order is then estimated to be faster; else as
/// it is. Where no gain is asked for, it is split also if only then its outermost loops are tiled. With it comes its
/// order.
/// Cost: where a dependence turns, dependences and schedule of the split code besides those of the code as it is.
///
/// # Errors
/// `Limit` when a budget is spent on the code as it is; a split that takes too long is not made, and told in `gave_up`.
pub fn choose(
    scop: Scop,
    deps: Dependences,
    cfg: &Config,
    machine: &Machine,
    gave_up: &mut Vec<GaveUp>,
    budget: &Budget,
) -> Result<(Split, Decision), Failure> {
    let plain = Split { scop, deps, reversals: Reversals::new() };
    let split = index_sets::of(&plain.scop, &plain.deps, &budget.part(SPLIT_PART));
    let whole = scheduled(&plain, cfg, machine, budget)?;
    let Some(Some(split)) = GaveUp::unless(split, NOT_SPLIT, gave_up)? else { return Ok((plain, whole)) };
    let cut = scheduled(&split, cfg, machine, budget);
    let Some(cut) = GaveUp::unless(cut, NOT_SPLIT, gave_up)? else { return Ok((plain, whole)) };
    let of_whole = expected(&plain, &whole, (cfg, machine), budget)?;
    match GaveUp::unless(expected(&split, &cut, (cfg, machine), budget), NOT_SPLIT, gave_up)? {
        Some(of_cut)
            if of_cut.time < of_whole.time || (cfg.process_unprofitable && !of_whole.tiled && of_cut.tiled) =>
        {
            Ok((split, cut))
        }
        _ => Ok((plain, whole)),
    }
}

/// The best order of a code.
///
/// # Errors
/// `Limit` when the budget is spent.
pub fn scheduled(code: &Split, cfg: &Config, machine: &Machine, budget: &Budget) -> Result<Decision, Failure> {
    let cfg = Config { reversals: code.reversals.clone(), ..cfg.clone() };
    let decision = schedule(&code.scop, &code.deps, &cfg, machine, budget)?;
    choose::settled(&code.scop, &code.deps, decision, (&cfg, machine.cores), budget)
}

/// What the best order makes of a code.
struct Expected {
    /// Estimated time over that of the original order; with threads, on all cores.
    time: f64,
    /// Whether the outermost loops are tiled: those over time, of a stencil.
    tiled: bool,
}

fn expected(
    code: &Split,
    decision: &Decision,
    (cfg, machine): (&Config, &Machine),
    budget: &Budget,
) -> Result<Expected, Failure> {
    let Decision::Transformed { tree, summary } = decision else { return Ok(Expected { time: 1.0, tiled: false }) };
    let gain = to_f64(summary.gain_percent.max(1)) / 100.0;
    let apart = 1.0 - 1.0 / f64::from(machine.cores);
    let shared = if cfg.parallel { shared_part(tree, &refs::facts(&code.scop, budget)?) } else { 0.0 };
    Ok(Expected { time: (1.0 - apart * shared) / gain, tiled: is_tiled(tree) })
}

/// Whether the outermost loop, or one of several, is one of tiles.
fn is_tiled(node: &Node) -> bool {
    match node {
        Node::Mark(Mark::TileLoops(_), _) => true,
        Node::Band(..) => false,
        _ => node.children().iter().any(is_tiled),
    }
}

#[allow(clippy::cast_precision_loss)]
fn to_f64(x: u64) -> f64 {
    x as f64
}
