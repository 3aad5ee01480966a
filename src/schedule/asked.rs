//! What new code asks of each of many sizes.
//!
//! In: an order, and the least size that is asked of each parameter where all of them are as small at once. Out: less
//! of those that may be small while others are not: one image, one plane, few channels.

use super::bands::Plan;
use super::baseline::{self, Original};
use super::guards;
use super::layout::Context;
use super::rows::Before;
use super::search::laid;
use crate::cost::{Estimate, Scenario, sizes};
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
    /// What it is compared with instead, where that is the program before its loops were coalesced.
    pub before: Option<Before<'a>>,
}

/// A parameter and what it is taken for.
type Taken = (usize, f64);

impl Judged<'_> {
    /// What the original is estimated to take in each scenario, what the order, which is `made` there, and its gains
    /// (hundredths).
    ///
    /// # Errors
    /// `Limit` when a coefficient does not fit.
    pub(super) fn compared(
        &self,
        scenarios: &[Scenario],
        made: Vec<Estimate>,
    ) -> Result<(Vec<Estimate>, Vec<Estimate>, Vec<f64>), Failure> {
        let Self { scop, context, nests, in_memory, before, .. } = self;
        let of = |s: &Scenario| match before {
            Some(before) => before.estimate(s, context.budget),
            None => Ok(baseline::estimate(nests, s, in_memory, context.facts)),
        };
        let original = scenarios.iter().map(of).collect::<Result<Vec<Estimate>, Failure>>()?;
        let beside =
            |(scenario, (original, made)): (_, (&Estimate, _))| original.beside(guards::with(scop, scenario, made));
        let made: Vec<Estimate> = scenarios.iter().zip(original.iter().zip(made)).map(beside).collect();
        let gains = original.iter().zip(&made).map(|(o, m)| 100.0 * o.cycles / m.cycles.max(1.0)).collect();
        Ok((original, made, gains))
    }

    /// As little as can be asked of each parameter instead of `asked`, but not less than the `floors` of some, so that
    /// the order still gains enough (hundredths). Those with a floor may all be as small at once where what it takes
    /// `is_priced` at run time.
    ///
    /// # Errors
    /// `Limit` when a coefficient does not fit or the budget is spent.
    pub(super) fn less_asked(
        &self,
        (asked, floors, is_priced): (&[i64], &BTreeMap<usize, i64>, bool),
        growing: &[Option<f64>],
        enough: f64,
    ) -> Result<Vec<i64>, Failure> {
        let Self { scop, context, .. } = self;
        let mut less = asked.to_vec();
        let large = context.scenarios[0].size.unwrap_or(sizes::BESIDE_THIN);
        let Some(many) = sizes::many(scop, asked, (large, growing), context.budget)? else { return Ok(less) };
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
        let found: Vec<(Taken, [f64; 2])> = tried.into_iter().zip(gains[1..].iter().copied()).collect();
        trace!(target: "polyrs::cost", "{}: asked {asked:?}, enough {enough:.0?}, less {found:.0?}", scop.name);
        let all_gain = |(k, level): &Taken| {
            found.iter().filter(|((of, from), _)| of == k && from >= level).all(|(_, gains)| is_enough(gains))
        };
        let mut alone: Vec<Taken> = found.iter().map(|(taken, _)| *taken).filter(all_gain).collect();
        alone.dedup_by_key(|(k, _)| *k);
        // Batches and planes, which loops around everything go through, first.
        alone.sort_by_key(|(k, _)| many.outermost[*k]);
        let mut together: Vec<Taken> = Vec::new();
        let (priced, alone): (Vec<Taken>, Vec<Taken>) =
            alone.into_iter().partition(|(k, _)| is_priced && floors.contains_key(k));
        priced.iter().for_each(|(k, level)| less[*k] = *level as i64);
        for least in alone {
            // Beside others that are few, somewhat more of it may be enough.
            let more = found.iter().map(|(taken, _)| *taken).filter(|(k, level)| *k == least.0 && *level >= least.1);
            for taken in more {
                let all: Vec<Taken> = together.iter().copied().chain([taken]).collect();
                let is_first = together.is_empty();
                if is_first || self.gains(&many.beside, std::slice::from_ref(&all))?.iter().all(&is_enough) {
                    together = all;
                    less[taken.0] = taken.1 as i64;
                    break;
                }
            }
        }
        debug!(target: "polyrs::cost", "{}: asked {asked:?}, less {less:?}", scop.name);
        Ok(less)
    }

    /// Gains (hundredths) of the order where some parameters are so small, for each such choice.
    fn gains(&self, beside: &[Vec<f64>; 2], choices: &[Vec<Taken>]) -> Result<Vec<[f64; 2]>, Failure> {
        let Self { scop, context, .. } = self;
        let mut scenarios = vec![context.scenarios[0].clone()];
        for (choice, beside) in choices.iter().flat_map(|choice| beside.iter().map(move |beside| (choice, beside))) {
            let mut params = beside.clone();
            choice.iter().for_each(|(k, level)| params[*k] = level.min(params[*k]));
            scenarios.push(sizes::at(scop, context.machine, &params, context.budget)?);
        }
        // The layout is chosen by the first scenario, which is the same.
        let context = Context { scenarios: &scenarios, ..*context };
        let (_, laid) = laid(scop, context, self.plan)?;
        let (_, _, gains) = self.compared(&scenarios, laid.estimates)?;
        Ok(gains[1..].as_chunks().0.to_vec())
    }
}
