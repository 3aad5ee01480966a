//! Strips around loops that carry dependences: what all of them do to a few columns stays in a cache.
//!
//! In: a band around others, and one more hyperplane that is legal for all dependences inside
//! ([`BandPlan::strips`]). Out: loops over strips of that hyperplane's values around the whole: in a strip, everything
//! runs in the order that it had. `for (k) { .. for (j) .. for (i) s[j] += q[i] * A[i][j]; .. }` walks through all of
//! `A` in each iteration of `k`; in strips of `j` outside of `k` a few columns of it at a time.
//!
//! For threads, in panels of `k` outside: first the panel's own strip of `j` and those before, then the strips behind
//! it, each with all iterations of the panel, which threads share: they start once for each panel, and a thread has the
//! columns of its strips to itself (a right-looking factorization).
//! Source: Wolf, Lam, PLDI 1991 (tiles of loops that are not perfectly nested, by distribution inside); Golub, Van
//! Loan, Matrix Computations, 3rd ed., section 5.2.8 (modified Gram-Schmidt).

use super::bands::BandPlan;
use super::laid::{Laid, in_loop};
use super::layout::PlanLoop;
use super::problem::Hyperplane;
use super::search::APART_PERCENT;
use crate::error::Failure;
use crate::ids::StmtId;
use crate::model::tree::Node;
use crate::transform::distribute;
use log::debug;
use presburger::Aff;
use std::collections::BTreeMap;

/// Sizes of strips, in values of the hyperplane.
const STRIP_SIZES: [i64; 3] = [16, 32, 64];

impl<'l> Laid<'l> {
    /// The cheapest of the loops as they are (`whole`; `plain`: what it was laid out from) and those in strips.
    pub(super) fn best_in_strips(
        &mut self,
        (band, strips): (&BandPlan, &Hyperplane),
        plain: &Self,
        whole: Node,
    ) -> Result<Node, Failure> {
        let config = self.context.config;
        if !config.tiling || !config.tile_sizes.is_empty() || (config.parallel && !has_panels(band, strips)) {
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
            if config.parallel {
                laid.say(format!("in panels of {size}"));
                best = laid.in_panels((band, strips), size, inside);
            } else {
                laid.say(format!("in strips of {size}"));
                best = in_loop(laid.blocks_of(&band.stmts, strips, size), false, inside);
            }
            *self = laid;
        }
        Ok(best)
    }

    /// The loop over panels of the band's only member: of what is inside, first the strips up to the panel's own one,
    /// then those behind it, which threads may share.
    fn in_panels(&self, (band, strips): (&BandPlan, &Hyperplane), size: i64, inside: Node) -> Node {
        let panel = &band.members[0];
        let [panels, all] = [panel, strips].map(|h| self.blocks_of(&band.stmts, h, size));
        let first = all.iter().map(|(id, strip)| (*id, panels[id].ge_set(strip))).collect();
        let is_behind = |(id, _): &(StmtId, Aff)| panel[id.index()] != strips[id.index()];
        let behind: BTreeMap<StmtId, Aff> = all.into_iter().filter(is_behind).collect();
        let then = behind.iter().map(|(id, strip)| (*id, panels[id].lt_set(strip))).collect();
        let shared = in_loop(behind, true, inside.clone());
        in_loop(panels, false, distribute::in_sequence([(first, inside), (then, shared)]))
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

/// Whether strips behind a panel of the band's member can run at the same time: dependences lead from one strip to
/// another only from statements whose strip is that of the panel.
fn has_panels(band: &BandPlan, strips: &Hyperplane) -> bool {
    let [panel] = band.members.as_slice() else { return false };
    let is_behind = |s: usize| panel[s] != strips[s];
    band.stmts.iter().any(|s| is_behind(*s))
        && band.pieces.iter().all(|p| !is_behind(p.src) || !is_behind(p.dst) || p.is_at_zero(strips))
}
