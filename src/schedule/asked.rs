//! What new code asks of each of many sizes.
//!
//! In: an order, and the least size that is asked of each parameter where all of them are as small at once. Out: less
//! of those that may be small while others are not: one image, one plane, few channels.

use super::bands::Plan;
use super::baseline::{self, Original};
use super::layout::Context;
use super::{Found, guards, ilp, laid_out};
use crate::cost::{Estimate, Facts, sizes};
use crate::error::Failure;
use crate::model::Scop;
use log::{debug, trace};
use std::collections::BTreeMap;

/// Sizes that are tried for a parameter, beside the least that it may have.
const LEVELS: [f64; 4] = [3.0, 4.0, 8.0, 16.0];

/// Part of the gain with what is asked that is left at least where less is asked.
const NOT_LESS: f64 = 0.9;

/// An order, and what it is compared with.
pub(super) struct Judged<'a> {
    pub scop: &'a Scop,
    /// What its layout is chosen by.
    pub context: Context<'a>,
    pub plan: &'a Plan,
    pub nests: &'a [Original],
    pub in_memory: &'a [usize],
    /// The original in the usual scenario.
    pub original: Estimate,
}

/// A parameter and what it is taken for.
type Taken = (usize, f64);

impl Judged<'_> {
    /// Whether the original waits for results most of the time: it is as slow with short rows as with long ones, while
    /// one in vectors is fast where the model says that it is slow, in rows of one or two vectors.
    pub(super) fn waits(&self) -> bool {
        2.0 * self.original.parts.latency > self.original.cycles
    }

    /// As little as can be asked of each parameter instead of `asked`, but not less than the `floors` of some, so that
    /// the order still gains enough (hundredths).
    ///
    /// # Errors
    /// `Limit` when a coefficient does not fit or the budget is spent.
    pub(super) fn less_asked(
        &self,
        (asked, floors): (&[i64], &BTreeMap<usize, i64>),
        enough: f64,
    ) -> Result<Vec<i64>, Failure> {
        let Self { scop, context, .. } = self;
        let mut less = asked.to_vec();
        let Some(large) = context.scenarios[0].size else { return Ok(less) };
        let Some(many) = sizes::many(scop, asked, large, context.budget)? else { return Ok(less) };
        let levels = |k: usize| {
            let lowest = many.lowest[k].max(floors.get(&k).map_or(1.0, |floor| *floor as f64));
            let levels = LEVELS.into_iter().filter(move |level| *level > lowest);
            std::iter::once(lowest).chain(levels).filter(move |level| *level < asked[k] as f64)
        };
        let tried: Vec<Taken> = (0..asked.len()).flat_map(|k| levels(k).map(move |level| (k, level))).collect();
        if tried.is_empty() {
            return Ok(less);
        }
        let choices: Vec<Vec<Taken>> = std::iter::once(Vec::new()).chain(tried.iter().map(|one| vec![*one])).collect();
        let gains = self.gains(&many.beside, &choices)?;
        // What is asked is enough as it is, whatever is left of vectors and blocks there.
        let enough = [0, 1].map(|beside| enough.min(NOT_LESS * gains[0][beside]));
        let is_enough = |gains: &[f64; 2]| gains.iter().zip(enough).all(|(gain, enough)| *gain >= enough);
        let found: Vec<(Taken, [f64; 2])> = tried.iter().copied().zip(gains[1..].iter().copied()).collect();
        trace!(target: "polyrs::cost", "{}: asked {asked:?}, enough {enough:.0?}, less {found:.0?}", scop.name);
        let all_gain = |(k, level): &Taken| {
            found.iter().filter(|((of, from), _)| of == k && from >= level).all(|(_, gains)| is_enough(gains))
        };
        let mut alone: Vec<Taken> = found.iter().map(|(taken, _)| *taken).filter(all_gain).collect();
        alone.dedup_by_key(|(k, _)| *k);
        // Batches and planes, which loops around everything go through, first.
        alone.sort_by_key(|(k, _)| many.outermost[*k]);
        let mut together: Vec<Taken> = Vec::new();
        for taken in alone {
            let more: Vec<Taken> = together.iter().copied().chain([taken]).collect();
            let is_first = together.is_empty();
            if is_first || self.gains(&many.beside, std::slice::from_ref(&more))?.iter().all(&is_enough) {
                together = more;
                less[taken.0] = taken.1 as i64;
            }
        }
        debug!(target: "polyrs::cost", "{}: asked {asked:?}, less {less:?}", scop.name);
        Ok(less)
    }

    /// Gains (hundredths) of the order where some parameters are so small, for each such choice.
    fn gains(&self, beside: &[Vec<f64>; 2], choices: &[Vec<Taken>]) -> Result<Vec<[f64; 2]>, Failure> {
        let Self { scop, context, .. } = self;
        let usual = &context.scenarios[0];
        let mut scenarios = vec![usual.clone()];
        for (choice, beside) in choices.iter().flat_map(|choice| beside.iter().map(move |beside| (choice, beside))) {
            let mut params = beside.clone();
            choice.iter().for_each(|(k, level)| params[*k] = level.min(params[*k]));
            scenarios.push(sizes::at(scop, context.machine, &params, context.budget)?);
        }
        // The layout is chosen by the first scenario, which is the same.
        let context = Context { scenarios: &scenarios, ..*context };
        let found = Found { plan: Some(self.plan.clone()), solves: ilp::Solves::default(), shares: false };
        let Some(order) = laid_out(scop, context, &found)? else { return Ok(vec![[0.0; 2]; choices.len()]) };
        let facts: &[Facts] = &usual.facts;
        let gain = |(scenario, made): (&_, _)| {
            let original = baseline::estimate(self.nests, scenario, self.in_memory, facts);
            let made = original.beside(guards::with(scop, scenario, made));
            100.0 * original.cycles / made.cycles.max(1.0)
        };
        let gains: Vec<f64> = scenarios.iter().zip(order.made).skip(1).map(gain).collect();
        Ok(gains.as_chunks().0.to_vec())
    }
}
