//! Orders of coalesced loops against what the original ones take where rows are short.
//!
//! A loop over all elements of rows takes as long as the two loops over rows and their elements do where rows are long,
//! and less where they are short: there the original enters its inner loop for a handful of elements each.

use super::baseline::{self, Memory, Original};
use super::index_sets::Reversals;
use super::problem;
use crate::cost::{Estimate, Facts, Machine, Scenario, refs, scenarios};
use crate::deps::Dependences;
use crate::error::Failure;
use crate::model::Scop;
use crate::model::coalesced::Length;
use presburger::{Budget, Kind};

/// Elements of rows, whose number is a parameter, up to which loops along them are tried as slow ones, in turn.
const SHORT: [i64; 3] = [64, 16, 4];
/// Elements of rows that are tried where there may be any number.
const ANY: [f64; 3] = [f64::INFINITY, 64.0, 8.0];

/// The program before loops along rows were coalesced, with the longest rows for which the coalesced one is estimated
/// to gain enough (hundredths) in its own order; `None` where it is for none.
///
/// # Errors
/// `Limit` when a coefficient does not fit or the budget is spent.
pub fn slow(
    rows: &Rows,
    (coalesced, deps): (&Scop, &Dependences),
    (enough, machine): (u64, &Machine),
    budget: &Budget,
) -> Result<Option<Rows>, Failure> {
    let scenarios = scenarios(coalesced, machine, budget)?;
    let (facts, counted) = (&scenarios[0].facts, |s: &&Scenario| s.thin.is_none() && !s.is_tiny && !s.is_narrow);
    let problem = problem::extract(coalesced, deps, &Reversals::new(), budget)?;
    let in_memory = baseline::in_memory(coalesced);
    let nests =
        baseline::nests(&coalesced.schedule, &problem, &Memory { scop: coalesced, deps, shared: &in_memory, facts });
    // Where the data is in memory it gains least; where it is in a cache, new loops are short.
    let tried = [0, 2, scenarios.iter().filter(counted).count() - 1].into_iter().filter_map(|k| scenarios.get(k));
    let tried: Vec<(&Scenario, Estimate)> =
        tried.map(|s| (s, baseline::estimate(&nests, s, &in_memory, facts))).collect();
    let mut rows = rows.clone();
    for most in SHORT {
        rows.most = Some(most);
        let before = Before::of(&rows, &scenarios[0], budget)?;
        let mut is_slow = true;
        for (scenario, own) in &tried {
            is_slow &= 100.0 * before.estimate(scenario, budget)?.cycles >= enough as f64 * own.cycles;
        }
        if is_slow {
            return Ok(Some(rows));
        }
    }
    Ok(None)
}

/// The program before loops along rows were coalesced.
#[derive(Clone, Debug)]
pub struct Rows {
    /// The program.
    pub original: Scop,
    /// Its dependences.
    pub deps: Dependences,
    /// Parameters that the coalesced one has behind those of the original.
    pub lengths: Vec<Length>,
    /// Most elements of rows for which the coalesced program is to run; `None`: any number.
    pub most: Option<i64>,
    /// Whether rows are those of windows: both they and their elements are taken for as many as they are then.
    pub in_windows: bool,
}

impl Rows {
    /// The coalesced program as one that is worthwhile for such rows alone.
    #[must_use]
    pub fn bounded(&self, coalesced: &Scop) -> Scop {
        let mut scop = coalesced.clone();
        let Some(most) = self.most else { return scop };
        let constant = scop.params.len();
        for length in &self.lengths {
            let mut row = vec![0; constant + 1];
            (row[length.elements], row[constant]) = (-1, most);
            scop.contexts.worthwhile = scop.contexts.worthwhile.add(Kind::Ge, &row);
        }
        scop
    }

    /// What the original's parameters are where those of the coalesced program are these, and rows have so many
    /// elements, or all there are.
    fn params(&self, params: &[f64], elements: f64) -> Vec<f64> {
        let mut own = params[..self.original.params.len()].to_vec();
        if self.in_windows {
            return own;
        }
        let along = |length: &Length| match length.rows[length.elements] {
            0 => elements.min(params[length.column]),
            // Squares.
            _ => params[length.column].sqrt(),
        };
        for length in &self.lengths {
            own[length.elements] = along(length).max(1.0);
        }
        for length in self.lengths.iter().filter(|l| l.rows[l.elements] == 0) {
            let (constant, row) = length.rows.split_last().map_or((0.0, &[][..]), |(c, row)| (*c as f64, row));
            let count = row.iter().zip(&own).fold(constant, |sum, (c, value)| sum + *c as f64 * value);
            if let Some(k) = row.iter().position(|c| *c == 1) {
                own[k] += params[length.column] / own[length.elements] - count;
            }
        }
        own
    }

    /// Elements of rows that are tried: the most, and half as many; a few, more, and one row, where there may be any
    /// number.
    fn tried(&self) -> Vec<f64> {
        match self.most {
            _ if self.lengths.is_empty() || self.in_windows => vec![1.0],
            Some(most) => vec![most as f64, (most / 2) as f64],
            None => ANY.to_vec(),
        }
    }
}

/// The original program as it is compared with.
pub(super) struct Before<'a> {
    rows: &'a Rows,
    nests: Vec<Original>,
    in_memory: Vec<usize>,
    usual: Vec<Facts>,
}

impl<'a> Before<'a> {
    /// As seen in this scenario of the coalesced program.
    pub(super) fn of(rows: &'a Rows, usual: &Scenario, budget: &Budget) -> Result<Self, Failure> {
        let scop = &rows.original;
        let problem = problem::extract(scop, &rows.deps, &Reversals::new(), budget)?;
        let usual = refs::facts_at(scop, &rows.params(&usual.params, rows.tried()[0]), budget)?;
        let in_memory = baseline::in_memory(scop);
        let memory = Memory { scop, deps: &rows.deps, shared: &in_memory, facts: &usual };
        let nests = baseline::nests(&scop.schedule, &problem, &memory);
        Ok(Self { rows, nests, in_memory, usual })
    }

    /// What it is estimated to take in a scenario of the coalesced program, with the rows that it is fastest for.
    pub(super) fn estimate(&self, scenario: &Scenario, budget: &Budget) -> Result<Estimate, Failure> {
        let mut best: Option<Estimate> = None;
        for elements in self.rows.tried() {
            let facts = refs::facts_at(&self.rows.original, &self.rows.params(&scenario.params, elements), budget)?;
            let own = Scenario { facts, ..scenario.clone() };
            let found = baseline::estimate(&self.nests, &own, &self.in_memory, &self.usual);
            if best.as_ref().is_none_or(|best| found.cycles < best.cycles) {
                best = Some(found);
            }
        }
        Ok(best.unwrap_or_default())
    }
}
