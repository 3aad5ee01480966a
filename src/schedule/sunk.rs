//! Coincident loops of a band around others, moved into the innermost band.
//!
//! `for (k) for (l) C[i][j] += A[i][k][l] * B[k][l][j]` carries its dependences first in `k`, which gets into a band
//! with `i` and `j`; those that are left go back in `k` by any distance of `l`, whose band is one of its own, inside. A
//! loop that no dependence has a distance in may be anywhere: `i` and `j` inside of `k` make a product of the band of
//! `l`, and a loop with neighbours in memory runs innermost, in vectors.
//!
//! Where several statements or bands follow each other inside, each gets a loop of its own: right-hand sides outside of
//! a back substitution's rows are sums that wait for nothing of each other, side by side.
//!
//! In: a band with others inside ([`BandPlan`]). Out: the same with some of its loops in the innermost of these, and
//! which of all is estimated to be the fastest. Legal by construction: every dependence of the cluster has
//! distance zero in what is moved, and so has each of those that are active further in. Where skewing has made one band
//! of all, the cluster has other orders ([`BandPlan::others`]).

use super::bands::{BandPlan, Plan};
use super::laid::{Laid, is_coincident};
use super::layout::{PlanLoop, is_innermost};
use super::problem::Hyperplane;
use crate::error::Failure;
use crate::model::tree::Node;
use log::debug;
use std::cmp::Ordering;

/// Loops that are tried in all combinations; more are tried one by one and all together.
const MOST_COMBINED: usize = 3;
/// Gain (hundredths) that is asked of an order which asks for longer loops than another: windows of convolutions are
/// short.
const ASKING_PERCENT: f64 = 150.0;

impl Laid<'_> {
    /// The cheapest of a band as it is (`whole`; `plain`: what it was laid out from) and with loops further in.
    pub(super) fn best_sunk(
        &mut self,
        (band, outer): (&BandPlan, &[PlanLoop<'_>]),
        plain: &Self,
        whole: Node,
    ) -> Result<Node, Failure> {
        let mut best = whole;
        for sunk in variants(band) {
            let mut laid = plain.clone();
            let tree = laid.around(&sunk, outer)?;
            let cycles = |of: &Laid<'_>| of.estimates.first().map_or(0.0, |e| e.cycles);
            debug!(target: "polyrs::cost", "loops further in: {:.0}, else {:.0}", cycles(&laid), cycles(self));
            if laid.is_better(self) {
                (best, *self) = (tree, laid);
            }
        }
        Ok(best)
    }

    /// Whether it is cheaper than the other: by more where it asks for longer loops, such as packing does.
    fn is_better(&self, other: &Laid<'_>) -> bool {
        let cycles = |of: &Laid<'_>| of.estimates.first().map_or(0.0, |e| e.cycles);
        let gain = 100.0 * cycles(other) / cycles(self).max(1.0);
        match self.summary.lengths.len().cmp(&other.summary.lengths.len()) {
            Ordering::Greater => gain >= ASKING_PERCENT && self.is_cheaper(other),
            Ordering::Equal => self.is_cheaper(other),
            Ordering::Less => gain * ASKING_PERCENT >= 1e4,
        }
    }

    /// The cheapest of a band and of the other orders of its cluster.
    pub(super) fn best_of_others(&mut self, band: &BandPlan, outer: &[PlanLoop<'_>]) -> Result<Node, Failure> {
        let plain = (!band.others.is_empty()).then(|| self.clone());
        let mut best = self.band(band, outer)?;
        for (other, mut laid) in band.others.iter().zip(plain.into_iter().cycle()) {
            let tree = laid.node(other, outer)?;
            if laid.is_cheaper(self) {
                (best, *self) = (tree, laid);
            }
        }
        Ok(best)
    }
}

/// Whether loops of a band may be moved into the innermost one inside.
pub(super) fn has_variants(band: &BandPlan) -> bool {
    !movable(band).is_empty()
}

/// The band with one or more of its loops in the innermost band inside.
fn variants(band: &BandPlan) -> Vec<BandPlan> {
    let movable = movable(band);
    let n = movable.len();
    let is_tried = |chosen: &u64| n <= MOST_COMBINED || chosen.count_ones() == 1 || chosen.count_ones() as usize == n;
    let sets = (1..1_u64 << n.min(63)).filter(is_tried).take(1 << MOST_COMBINED);
    let moves = |chosen: u64, m: usize| movable.iter().position(|x| *x == m).is_some_and(|at| chosen >> at & 1 == 1);
    sets.filter_map(|chosen| with_further_in(band, &|m| moves(chosen, m))).collect()
}

/// Members in which no dependence has a distance; none where all members are such or no band is inside.
fn movable(band: &BandPlan) -> Vec<usize> {
    let all: Vec<usize> = (0..band.members.len()).filter(|m| is_coincident(band, *m)).collect();
    if ends_in_band(band) && all.len() < band.members.len() { all } else { Vec::new() }
}

/// Whether bands are inside, and beside them nothing but statements; where several follow each other, some has to carry
/// something: loops that carry nothing have no need of others to run beside.
fn ends_in_band(band: &BandPlan) -> bool {
    let is_end = |plan: &Plan| matches!(plan, Plan::Band(child) if is_innermost(child) || ends_in_band(child));
    match &band.child {
        Plan::Seq(children) => {
            children.iter().any(waits) && children.iter().all(|c| matches!(c, Plan::Leaf(_)) || is_end(c))
        }
        one => is_end(one),
    }
}

/// Whether a loop of a band here carries something.
fn waits(plan: &Plan) -> bool {
    match plan {
        Plan::Band(band) => (0..band.members.len()).any(|m| !is_coincident(band, m)) || waits(&band.child),
        Plan::Seq(children) => children.iter().any(waits),
        Plan::Leaf(_) | Plan::Diamond(_) | Plan::Outside(_) => false,
    }
}

/// The band without some members, which are the first ones of the innermost bands inside.
fn with_further_in(band: &BandPlan, moves: &dyn Fn(usize) -> bool) -> Option<BandPlan> {
    let mut result = band.clone();
    let mut kept = Vec::new();
    let mut moved = Vec::new();
    for (m, member) in band.members.iter().enumerate() {
        if moves(m) { moved.push(member.clone()) } else { kept.push(member.clone()) }
    }
    result.members = kept;
    move_into(&mut result.child, &moved)?;
    Some(result)
}

/// Makes loops the first ones of the innermost bands inside; statements outside of these get bands of their own.
fn move_into(plan: &mut Plan, moved: &[Hyperplane]) -> Option<()> {
    match plan {
        Plan::Band(band) if is_innermost(band) => {
            band.members.splice(0..0, moved.iter().cloned());
        }
        Plan::Band(band) => move_into(&mut band.child, moved)?,
        Plan::Seq(children) => children.iter_mut().try_for_each(|child| move_into(child, moved))?,
        Plan::Leaf(s) => {
            let (stmts, members) = (vec![*s], moved.to_vec());
            let (pieces, strips, others) = (Vec::new(), None, Vec::new());
            *plan = Plan::Band(Box::new(BandPlan { stmts, members, pieces, strips, child: Plan::Leaf(*s), others }));
        }
        Plan::Diamond(_) | Plan::Outside(_) => return None,
    }
    Some(())
}
