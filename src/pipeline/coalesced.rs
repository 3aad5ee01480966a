//! Regions whose loops along rows are one.

use super::budgets::{Shares, Stage};
use super::order::{self, Region};
use super::purpose::schedules;
use super::{Run, Stop, device, dot, show, story, threads};
use crate::bridge::facts::Facts;
use crate::cost::Machine;
use crate::cost::sizes::products_of_windows;
use crate::deps::{self, Dependences};
use crate::error::Failure;
use crate::facts::FunctionFacts;
use crate::ids::StmtId;
use crate::model::Scop;
use crate::model::coalesced::{Coalesced, coalesced};
use crate::phase::Phase;
use crate::schedule::index_sets::Split;
use crate::schedule::rows::{self, Rows};
use crate::schedule::{Decision, Readers};
use crate::storage::overwritten;
use presburger::Budget;
use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::rc::Rc;

/// What an order may ask of each size before one for short rows is looked for.
const MUCH: i64 = 64;

/// Part of the new loops' time below which the original's is less.
const LOSS: f64 = 0.9;

impl Run<'_, '_> {
    /// The region in the new order of its loops with those along rows coalesced, where there are such and one pays: for
    /// rows of any length, or for short ones.
    pub(super) fn coalesced(
        &mut self,
        scop: &Scop,
        (facts, machine): (&FunctionFacts, &Machine),
        shares: &Shares<'_>,
    ) -> Result<Option<Region>, Failure> {
        let options = self.options;
        if !schedules(options) || device::is_wanted(options) {
            return Ok(None);
        }
        let budget = shares.of_stage(Stage::Dependences);
        let known = OnceCell::new();
        let is_free = |stmts: &BTreeSet<StmtId>, dim: usize| {
            let deps = known.get_or_init(|| deps::compute(scop, budget).ok());
            deps.as_ref().is_some_and(|deps| deps.stay_in(stmts, dim, budget).unwrap_or(false))
        };
        let found = coalesced(scop, facts, &is_free, budget);
        // Threads share a loop around those that run in vectors.
        let Some(found) = found.filter(|found| !(found.is_outermost && threads::is_wanted(options))) else {
            return Ok(None);
        };
        let in_order = |code: Scop, deps: Dependences, rows: Option<Rc<Rows>>| {
            order::of_region(code, deps, facts, machine, (options, Readers::None, rows, shares))
        };
        let order = || {
            let Coalesced { scop: code, original, lengths, .. } = found;
            let before = match known.into_inner().flatten() {
                Some(deps) => deps,
                None => shares.run(Stage::Dependences, |budget| deps::compute(scop, budget))?,
            };
            let (code, deps) = shares.run(Stage::Dependences, |budget| overwritten::needed(code, budget))?;
            let of_windows = products_of_windows(&code);
            let in_windows =
                !lengths.is_empty() && lengths.iter().all(|l| of_windows.iter().any(|(k, _)| *k == l.column));
            let rows = Rc::new(Rows { original: scop.clone(), deps: before, lengths, most: None, in_windows });
            let touching = |region: Region| region.touching(original);
            let region = in_order(code.clone(), deps.clone(), Some(rows.clone()))?;
            let lengths = &rows.lengths;
            let are_squares = lengths.iter().any(|l| l.rows[l.elements] != 0);
            if lengths.is_empty() || are_squares || !asks_for_much(&region) || loses(&region) {
                return Ok(touching(region));
            }
            let of = (order::min_gain_percent(options), machine);
            let slow = |budget: &Budget| rows::slow(&rows, (&code, &deps), of, budget);
            let Some(short) = shares.run(Stage::Schedule, slow)? else { return Ok(touching(region)) };
            let short = in_order(short.bounded(&code), deps, Some(Rc::new(short)))?;
            Ok(touching(if asks_for_much(&short) { region } else { short }))
        };
        match self.report.timed(Phase::Schedule, order) {
            Ok(region) => Ok(Some(region).filter(|region| !region.is_kept())),
            Err(Failure::Limit(_)) => Ok(None),
            Err(failure) => Err(failure),
        }
    }

    /// Shows what is known of a region in its order.
    pub(super) fn shown(&mut self, region: Region, known: &Facts, budget: &Budget) -> Result<Region, Stop> {
        let show = |region: &Region| show::dependences(&region.code.scop, &region.code.deps, budget);
        let region = self.phase(Phase::Dependences, || Ok(region), show)?;
        let Split { scop, deps, .. } = &region.code;
        self.draw("dependences", &scop.name, || dot::dependences(scop, deps, known, budget));
        self.phase(Phase::Schedule, || Ok(region), |region| show::decision(&region.ordered.decision))
    }
}

/// Whether its order is not taken, or only where data is large.
fn asks_for_much(region: &Region) -> bool {
    match &region.ordered.decision {
        Decision::Transformed { summary, .. } => summary.least.iter().any(|least| *least > MUCH),
        Decision::Keep { .. } => true,
        Decision::Close(_) => false,
    }
}

/// Whether new loops take longer than the original's along long rows, as where one pixel is made of the one before: the
/// original has to be as fast beside new code for short ones as it is alone, which LLVM's vectorizer does not promise.
fn loses(region: &Region) -> bool {
    story::costs(&region.ordered.decision).is_some_and(|costs| costs.original < LOSS * costs.new)
}
