//! Whether domains are split: the code as it is and the split code, each in its best order, compared.

use super::choose::{self, shared_part};
use crate::cost::refs;
use crate::deps::Dependences;
use crate::error::Failure;
use crate::model::Scop;
use crate::model::tree::{Mark, Node};
use crate::schedule::index_sets::{self, Mirrors, Split};
use crate::schedule::{Config, Machine, Outcome, schedule};
use presburger::Budget;

/// The code with its domains split where a dependence turns, if its new order is then estimated to be faster; else as it is. Where no
/// gain is asked for, it is split also if only then its outermost loops are tiled.
/// Cost: dependences and schedule of the split code, and of the code as it is, once more.
///
/// # Errors
/// `Limit` when a budget is spent on the code as it is; a split that takes too long is not made.
pub fn choose(scop: Scop, deps: Dependences, cfg: &Config, machine: &Machine) -> Result<Split, Failure> {
    let plain = Split { scop, deps, mirrors: Mirrors::new() };
    let budget = Budget::steps(cfg.budget_steps);
    let Ok(Some(split)) = index_sets::of(&plain.scop, &plain.deps, &budget) else { return Ok(plain) };
    let whole = expected(&plain, cfg, machine)?;
    match expected(&split, cfg, machine) {
        Ok(cut) if cut.time < whole.time || (cfg.process_unprofitable && !whole.tiled && cut.tiled) => Ok(split),
        _ => Ok(plain),
    }
}

/// What the best order makes of a code.
struct Expected {
    /// Estimated time over that of the original order; with threads, on two cores.
    time: f64,
    /// Whether the outermost loops are tiled: those over time, of a stencil.
    tiled: bool,
}

fn expected(split: &Split, cfg: &Config, machine: &Machine) -> Result<Expected, Failure> {
    let cfg = Config { mirrors: split.mirrors.clone(), ..cfg.clone() };
    let Outcome::Transformed { tree, summary } = scheduled(split, &cfg, machine)? else {
        return Ok(Expected { time: 1.0, tiled: false });
    };
    let gain = to_f64(summary.gain_percent.max(1)) / 100.0;
    let shared = if cfg.parallel { shared_part(&tree, &refs::facts(&split.scop)?) } else { 0.0 };
    Ok(Expected { time: (1.0 - 0.5 * shared) / gain, tiled: is_tiled(&tree) })
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

fn scheduled(split: &Split, cfg: &Config, machine: &Machine) -> Result<Outcome, Failure> {
    let outcome = schedule(&split.scop, &split.deps, cfg, machine)?;
    choose::settled(&split.scop, &split.deps, outcome, cfg)
}
