//! Jammed copies that do not wait for each other, where every loop of a band carries something.
//!
//! In: an innermost band none of whose loops is free, with a chain of results along the innermost one. Out: tiles in
//! which copies of the loop around it run as many chains side by side. Where what copies need of each other lies in
//! other tiles but for those on a diagonal, the loops stay as they are. Where it lies at equal distances (in-place
//! stencils), the innermost loop counts the sum of the two innermost ones, so that each copy runs some iterations
//! behind the copy before it: a wavefront inside of a tile. Legal as the band is: a sum of rows that are legal for its
//! dependences is legal for them.
//! Source: Lamport, CACM 17(2), 1974 (hyperplanes: the sum of permutable loops carries whatever one of them carries).

use super::bands::BandPlan;
use super::layout::{
    Context, IsFree, Layout, PlanLoop, carries, carry_of, is_free, is_skewed, loops_of, nest, skew_penalty, whole,
};
use super::problem::{Hyperplane, Piece};
use crate::cost::refs::to_f64;
use crate::cost::{Carry, Estimate, Facts, Loop, Machine, Nest, Scenario};

/// Candidate sizes of tiles of the innermost loop.
const INNER_SIZES: [i64; 2] = [64, 128];
/// The same of the loop whose copies are jammed.
const JAMMED_SIZES: [i64; 2] = [16, 32];
/// The same of the loops around.
const OUTER_SIZES: [i64; 2] = [8, 16];
/// Candidate numbers of copies.
const COPIES: [u32; 2] = [4, 8];

/// A band whose chains of results run side by side.
pub struct Staggered {
    /// The band, with the sum of its innermost loops innermost where copies would wait for each other.
    pub band: BandPlan,
    /// Tiles and copies.
    pub layout: Layout,
}

/// How one loop nest is estimated: facts, target, whether data is in a cache before.
#[derive(Clone, Copy)]
struct Judged<'a> {
    facts: &'a [Facts],
    machine: &'a Machine,
    warm: bool,
}

impl Staggered {
    /// The cheapest one where it is estimated to be faster than the band with `layout`.
    pub fn of(context: Context<'_>, band: &BandPlan, layout: &Layout, outer: &[PlanLoop<'_>]) -> Option<Staggered> {
        let config = context.config;
        let own_sizes = config.tile_sizes.is_empty() && config.second_level_tile_sizes.is_empty();
        if !config.tiling || !config.unroll_jam || !own_sizes {
            return None;
        }
        let plain = context.made(band, &Layout::plain(band.members.len()), outer);
        let is_any_free = band.members.iter().any(|m| band.pieces.iter().all(|p| p.is_at_zero(m)));
        if band.members.len() < 2 || !plain.recurs(context.facts) || is_any_free || layout.vector {
            return None;
        }
        let staggered = if copies_wait(band) { with_sum(band) } else { band.clone() };
        let judged = Judged { facts: context.facts, machine: context.machine, warm: context.scenarios[0].warm };
        let made = context.made(band, layout, outer);
        let before = skew_penalty(band, layout, context.facts) * made.cycles(context.facts, context.machine);
        let of = |layout: Layout| (estimate(&staggered, &layout, outer, judged).cycles, layout);
        let fits = |layout: &Layout| {
            let copies = jammed(&staggered, layout, outer, context.facts);
            copies.registers(context.facts) <= f64::from(context.machine.vector_registers)
        };
        let all = layouts(band.members.len()).into_iter().filter(fits).map(of);
        let (cycles, layout) = all.min_by(|a, b| a.0.total_cmp(&b.0))?;
        let found = Staggered { band: staggered, layout };
        let is_long = |l: &Loop| l.trips.iter().any(|trips| *trips >= to_f64(found.least_length()));
        let has_whole = plain.loops.iter().rev().take(2).all(is_long);
        (cycles < before && has_whole).then_some(found)
    }

    /// Values of the innermost loops below which few tiles are whole.
    pub fn least_length(&self) -> i64 {
        2 * self.layout.sizes.iter().flatten().copied().max().unwrap_or(0)
    }

    /// What it is estimated to take.
    pub fn estimate(&self, outer: &[PlanLoop<'_>], scenario: &Scenario) -> Estimate {
        let judged = Judged { facts: &scenario.facts, machine: &scenario.machine, warm: scenario.warm };
        estimate(&self.band, &self.layout, outer, judged)
    }
}

/// Whether copies of the loop around the innermost one need results of each other at equal distances along that.
fn copies_wait(band: &BandPlan) -> bool {
    let (inner, around) = (band.members.len() - 1, band.members.len() - 2);
    let outer: Vec<&Hyperplane> = band.members[..around].iter().collect();
    let whole = whole(band);
    let waits =
        |p: &Piece| !p.is_at_zero(&band.members[around]) && carry_of(p, &outer, &band.members[inner]) != Carry::Some;
    band.pieces.iter().filter(|p| whole.contains(&p.src) && whole.contains(&p.dst)).any(waits)
}

/// The band with the sum of its two innermost members in place of the innermost one.
fn with_sum(band: &BandPlan) -> BandPlan {
    let mut next = band.clone();
    let last = next.members.len() - 1;
    let add = |(row, other): (&Vec<i64>, &Vec<i64>)| row.iter().zip(other).map(|(a, b)| a + b).collect();
    next.members[last] = band.members[last].iter().zip(&band.members[last - 1]).map(add).collect::<Hyperplane>();
    next
}

/// All tiles and numbers of copies that are tried.
fn layouts(members: usize) -> Vec<Layout> {
    let mut all = Vec::new();
    for (inner, around, size) in
        INNER_SIZES.iter().flat_map(|i| JAMMED_SIZES.iter().flat_map(move |j| OUTER_SIZES.map(|o| (*i, *j, o))))
    {
        for copies in COPIES {
            let mut layout = Layout { sizes: vec![Some(size); members], ..Layout::plain(members) };
            layout.sizes[members - 2..].copy_from_slice(&[Some(around), Some(inner)]);
            layout.jam[members - 2] = copies;
            all.push(layout);
        }
    }
    all
}

/// The loops of whole tiles: copies of the loop around the innermost one depend on earlier iterations of that only.
fn jammed(band: &BandPlan, layout: &Layout, outer: &[PlanLoop<'_>], facts: &[Facts]) -> Nest {
    let around = &band.members[band.members.len() - 2];
    let others = is_free(band);
    made(band, layout, outer, facts, &|s, h| std::ptr::eq(h, around) || others(s, h))
}

fn made(band: &BandPlan, layout: &Layout, outer: &[PlanLoop<'_>], facts: &[Facts], is_free: IsFree<'_>) -> Nest {
    let loops: Vec<PlanLoop<'_>> = outer.iter().cloned().chain(loops_of(band, layout)).collect();
    nest(&band.stmts, &loops, carries(band, layout), facts, is_free)
}

/// Whole tiles run in copies, the others without.
fn estimate(band: &BandPlan, layout: &Layout, outer: &[PlanLoop<'_>], on: Judged<'_>) -> Estimate {
    let whole = Nest { warm: on.warm, partial: 0.0, ..jammed(band, layout, outer, on.facts) };
    let one_by_one = Layout { jam: vec![1; layout.jam.len()], ..layout.clone() };
    let made = made(band, &one_by_one, outer, on.facts, &is_free(band));
    let partial = Nest { warm: on.warm, starts_soon: true, ..made };
    let share = share_of_whole(band, layout, outer, on.facts);
    let none = Estimate::default();
    none.and(whole.estimate(on.facts, on.machine), share).and(partial.estimate(on.facts, on.machine), 1.0 - share)
}

/// The part of all instances in whole tiles. Along a loop that others skew, tiles are cut at both ends, and the ends
/// move by what the loops around walk in a tile; other loops have one end of that kind at most.
fn share_of_whole(band: &BandPlan, layout: &Layout, outer: &[PlanLoop<'_>], facts: &[Facts]) -> f64 {
    let plain = made(band, &Layout::plain(band.members.len()), outer, facts, &is_free(band));
    let is_skewed = is_skewed(band);
    let mut walked = 0.0;
    let mut share = 1.0f64;
    for (m, size) in layout.sizes.iter().enumerate() {
        let size = to_f64(size.unwrap_or(1));
        let trips = plain.loops[outer.len() + m].trips.iter().copied().fold(1.0, f64::max);
        let cut = match m {
            0 => size / 2.0,
            _ if is_skewed => size + walked,
            _ => size / 2.0 + walked,
        };
        share *= (1.0 - cut / trips).max(0.0);
        walked += size - 1.0;
    }
    share
}
