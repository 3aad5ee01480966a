//! Blocks of the depth around loops that share no band: factorizations and triangular solves whose steps have local
//! variables, `t = 1 / A[k][k]; for (i) B[i][k] *= t; for (j) for (i) B[i][j] -= A[j][k] * B[i][k]`.
//!
//! In: a band of one loop around others, which is the depth of a contraction inside. Out: in each block of that loop,
//! the panel in the order that it had, and what of the contraction has full depth, as in [`super::depth_blocks`].

use super::bands::{BandPlan, Plan};
use super::depth_blocks::Part;
use super::laid::Laid;
use super::layout::{PlanLoop, loops_of};
use crate::cost::Estimate;
use crate::error::Failure;
use crate::model::tree::Node;

/// What the statements inside of a band take: of each part of the plan that with most instances, for all.
type Shares = Vec<(usize, Vec<Estimate>)>;

impl Laid<'_> {
    /// The cheapest of the loops as they are (`whole`) and those in blocks; `plain`: what they were laid out from.
    ///
    /// # Errors
    /// `Limit` when the budget is spent, `Bug` where an operation on the tree does not apply.
    pub(super) fn best_in_blocks(&mut self, band: &BandPlan, plain: &Self, whole: Node) -> Result<Node, Failure> {
        let config = self.context.config;
        let [along] = &band.members[..] else { return Ok(whole) };
        if !config.tiling || config.parallel || !config.tile_sizes.is_empty() {
            return Ok(whole);
        }
        let part = |s: &usize| plain.part(*s).filter(|p| plain.counts_alike(along, *s, p.of.depth));
        let parts: Vec<Part> = band.stmts.iter().filter_map(part).collect();
        if parts.is_empty() {
            return Ok(whole);
        }
        let shares = plain.shares(band)?;
        let panel = |at: usize, scenario: usize| {
            let own = shares.iter().find(|(of, _)| *of == band.stmts[at]).map(|(_, estimates)| estimates[scenario]);
            own.map_or((Estimate::default(), 0.0), |own| (own, 1.0))
        };
        let Some(best) = self.best_blocks((&band.stmts, &parts), &panel, &plain.estimates) else { return Ok(whole) };
        let mut laid = plain.clone();
        let tree = laid.in_blocks((&band.stmts, along), (&parts, best), &mut |laid| laid.around(band, &[]))?;
        Ok(match tree {
            Some(tree) => {
                *self = laid;
                tree
            }
            None => whole,
        })
    }

    fn shares(&self, band: &BandPlan) -> Result<Shares, Failure> {
        let layout = self.outer_layout(band);
        let loops: Vec<PlanLoop<'_>> = loops_of(band, &layout);
        let inside = match &band.child {
            Plan::Seq(children) => children.iter().collect(),
            one => vec![one],
        };
        let instances = |s: &usize| self.context.facts[*s].trips.iter().product::<f64>();
        let mut shares = Shares::new();
        for plan in inside {
            let mut probe = self.clone();
            probe.estimates.iter_mut().for_each(|e| *e = Estimate::default());
            probe.node(plan, &loops)?;
            let most = plan.stmts().into_iter().max_by(|a, b| instances(a).total_cmp(&instances(b)));
            shares.extend(most.map(|s| (s, probe.estimates)));
        }
        Ok(shares)
    }
}
