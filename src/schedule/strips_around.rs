//! Strips around loops that carry dependences: what all of them do to a few columns stays in a cache.
//!
//! In: a band around others, and one more hyperplane that is legal for all dependences inside
//! ([`BandPlan::strips`]). Out: loops over strips of that hyperplane's values around the whole: in a strip, everything
//! runs in the order that it had. `for (k) { .. for (j) .. for (i) s[j] += q[i] * A[i][j]; .. }` walks through all of
//! `A` in each iteration of `k`; in strips of `j` outside of `k` a few columns of it at a time.
//! Source: Wolf, Lam, PLDI 1991 (tiles of loops that are not perfectly nested, by distribution inside).

use super::APART_PERCENT;
use super::bands::BandPlan;
use super::laid::Laid;
use super::layout::PlanLoop;
use super::problem::Hyperplane;
use crate::error::Failure;
use crate::model::tree::{Band, Member, Node};
use log::debug;

/// Sizes of strips, in values of the hyperplane.
const STRIP_SIZES: [i64; 3] = [16, 32, 64];

impl<'l> Laid<'l> {
    /// The cheapest of the loops as they are (`whole`, and what it was laid out from) and those in strips.
    pub(super) fn best_in_strips(
        &mut self,
        (band, strips): (&BandPlan, &Hyperplane),
        (plain, whole): (Laid<'l>, Node),
    ) -> Result<Node, Failure> {
        let config = self.context.config;
        if config.parallel || !config.tiling || !config.tile_sizes.is_empty() {
            return Ok(whole);
        }
        let mut best = whole;
        for size in STRIP_SIZES {
            let mut laid = plain.clone();
            laid.strips = Some((strips.clone(), size));
            let inside = laid.around(band, &[])?;
            laid.strips = None;
            let cycles = |of: &Laid<'_>| of.estimates.iter().map(|e| e.cycles).collect::<Vec<f64>>();
            debug!(target: "polyrs::cost", "in strips of {size}: {:.0?}, else {:.0?}", cycles(&laid), cycles(self));
            if !laid.is_cheaper(self) {
                continue;
            }
            laid.say(format!("in strips of {size}"));
            let affs = laid.affs(&band.stmts, strips).into_iter().map(|(id, aff)| (id, aff.floor_div(size))).collect();
            best = Node::Band(Band { members: vec![Member::new(affs)], permutable: false }, Box::new(inside));
            *self = laid;
        }
        Ok(best)
    }

    /// Whether it is estimated to be faster than the other in the first scenario, and not slower in the second one.
    pub(super) fn is_cheaper(&self, other: &Laid<'_>) -> bool {
        let mut gains =
            self.estimates.iter().zip(&other.estimates).map(|(own, other)| 100.0 * other.cycles / own.cycles.max(1.0));
        gains.next().is_some_and(|gain| gain >= APART_PERCENT) && gains.next().is_none_or(|gain| gain >= 100.0)
    }

    /// The loops around a band, with those over strips outside where they cut one of its members.
    pub(super) fn strip_around<'a>(&self, band: &'a BandPlan, outer: &[PlanLoop<'a>]) -> Vec<PlanLoop<'a>> {
        let own = self.strips.as_ref().and_then(|(rows, size)| {
            let is_cut = |member: &&Hyperplane| band.stmts.iter().all(|s| member[*s] == rows[*s]);
            band.members.iter().find(is_cut).map(|member| PlanLoop::strips(member, *size))
        });
        own.into_iter().chain(outer.iter().cloned()).collect()
    }
}
