//! Finds SCoPs: maximal single-entry single-exit regions with affine bounds, conditions and accesses.
//!
//! In: [`FunctionFacts`] of a canonical function (rotated, simplified loops). Out: disjoint [`Candidate`]s in the order
//! of their entries, and a [`Reject`] for every outermost region with a loop that is none. Nothing here knows an LLVM
//! handle. Regions are runs of links: a link is a loop with all its blocks, or a block with all that lies before its
//! post-dominator. The largest run is tried first; what stops it splits it. A region never begins at a loop header or
//! the function's entry.
//! Sources: Grosser, Groesslinger, Lengauer, Parallel Processing Letters 22(4), 2012 (detection by scalar evolution).

pub mod affine;
mod boxes;
pub mod causes;
pub mod check;
pub mod cond;
mod factors;
mod guards;
mod links;
pub mod polynomial;
mod ranges;
pub mod rows;
pub mod shape;
#[cfg(test)]
pub mod sketch;
pub mod success;
#[cfg(test)]
mod tests;
mod units;
pub mod views;
#[cfg(test)]
mod wrap_tests;

pub use boxes::box_branches;
pub use ranges::table_range;

use crate::error::Reject;
use crate::facts::FunctionFacts;
use crate::ids::{BlockId, LoopId};
use log::debug;

/// Bounds on what is analysed at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Config {
    /// Most loops of one region.
    pub max_loops: usize,
    /// Most blocks of one region.
    pub max_blocks: usize,
    /// Most loads and stores of one region.
    pub max_accesses: usize,
    /// Most parameters of one region.
    pub max_params: usize,
    /// Whether regions without a store count: their loops may collect something in local variables.
    pub running: bool,
}

impl Default for Config {
    fn default() -> Self {
        Self { max_loops: 64, max_blocks: 400, max_accesses: 400, max_params: 24, running: false }
    }
}

/// A region that can be modelled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// First block inside; all edges into the region lead to it.
    pub entry: BlockId,
    /// First block after; all edges out of the region lead to it.
    pub exit: BlockId,
    /// All blocks inside, in function order.
    pub blocks: Vec<BlockId>,
    /// Loops inside, each after its parent.
    pub loops: Vec<LoopId>,
}

/// What was found in a function.
#[derive(Clone, Debug, Default)]
pub struct Detection {
    /// Regions to model.
    pub candidates: Vec<Candidate>,
    /// Why the others are none.
    pub rejects: Vec<Reject>,
}

/// All maximal regions of the function. Linear in the size of the function, up to splitting of runs.
#[must_use]
pub fn detect(facts: &FunctionFacts, cfg: &Config) -> Detection {
    let mut detection = links::Scanner::new(facts, cfg).run();
    detection.candidates.sort_by_key(|c| c.entry);
    for Candidate { entry, exit, blocks, loops } in &detection.candidates {
        debug!("{}: region {entry} => {exit}: {} blocks, {} loops", facts.name, blocks.len(), loops.len());
    }
    for Reject { kind, detail, loc, .. } in &detection.rejects {
        debug!("{}: no region at {}:{}: {}, {detail}", facts.name, loc.line, loc.column, kind.name());
    }
    detection
}
