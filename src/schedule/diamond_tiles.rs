//! Diamond tiles as a tree: the user's sizes or the cost model's, estimated cost.
//!
//! In: a [`DiamondPlan`]. Out: its tree, by the operation of `transform`.

use super::VECTORIZABLE;
use super::bands::{BandPlan, DiamondPlan, Plan};
use super::laid::{Laid, applied};
use super::layout::{Layout, PlanLoop, carries, is_free, is_innermost, loops_of, nest, never_free};
use crate::cost::diamonds::{Diamonds, bytes};
use crate::cost::hexagons;
use crate::cost::traffic::USABLE;
use crate::cost::{Carry, Machine, Nest, Scenario};
use crate::error::Failure;
use crate::model::tree::Node;
use crate::model::tree::ops::TileLoop;
use crate::transform::diamond::in_diamonds;
use crate::transform::hexagon::{Sizes, in_hexagons};

/// Tiles of a diamond as boxes.
struct Boxes<'a> {
    diamonds: Diamonds<'a>,
    sizes: Vec<Option<i64>>,
}

impl DiamondPlan {
    fn diamonds(&self) -> Diamonds<'_> {
        let d = &self.diamond;
        Diamonds { stmts: &self.stmts, time: &d.time, tiles: &d.tiles, multiple: d.multiple }
    }
}

/// Loops so far: over tiles, and inside of them.
#[derive(Clone, Default)]
struct Around<'p> {
    tiles: Vec<PlanLoop<'p>>,
    points: Vec<PlanLoop<'p>>,
}

impl<'p> Around<'p> {
    fn all(&self) -> Vec<PlanLoop<'p>> {
        self.tiles.iter().chain(&self.points).cloned().collect()
    }

    /// With the loops of one more band.
    fn and(&self, band: &'p BandPlan, boxes: &Boxes<'_>) -> Self {
        let mut layout = Layout::plain(band.members.len());
        for (m, size) in band.members.iter().zip(&mut layout.sizes) {
            let s = band.stmts[0];
            *size = boxes.diamonds.extent(&boxes.sizes, &m[s], s);
        }
        let tiled = layout.sizes.iter().flatten().count();
        let mut next = self.clone();
        for (k, l) in loops_of(band, &layout).into_iter().enumerate() {
            if k < tiled { next.tiles.push(l) } else { next.points.push(l) }
        }
        next
    }
}

impl Laid<'_> {
    /// The tree of hexagonal tiles for a GPU inside of `outer`, if they pay or the user gave sizes; else without tiles.
    fn hexagons(&mut self, plan: &DiamondPlan, outer: &[PlanLoop<'_>], given: &[i64]) -> Result<Node, Failure> {
        let boxes = Boxes { diamonds: plan.diamonds(), sizes: vec![None; plan.diamond.tiles.len()] };
        let around = Around { tiles: outer.to_vec(), points: Vec::new() };
        let inside = self.inside(&plan.child, &around, &boxes)?;
        let others = plan.diamond.tiles.len().saturating_sub(2);
        let found = match given {
            [] => hexagons::sizes(&plan.diamonds(), self.context.facts),
            [height, rest @ ..] => {
                let at = |k: usize| rest.get(k).or(rest.last()).copied().unwrap_or(*height);
                Some((*height, at(0), (0..others).map(|k| at(k + 1)).collect()))
            }
        };
        let Some((height, base, beside)) = found else { return Ok(inside) };
        self.say(format!("tiled in hexagons of 2 x {height} steps"));
        let sizes = Sizes {
            band: height.max(1).saturating_mul(plan.diamond.multiple),
            base: base.max(0),
            beside: beside.into_iter().map(|size| Some(size).filter(|size| *size > 0)).collect(),
        };
        let hyperplanes = self.hyperplanes(&plan.stmts, &plan.diamond.tiles);
        applied(in_hexagons(inside, &hyperplanes, &sizes))
    }

    /// The tree of diamond tiles inside of `outer`, with smaller diamonds in each if the user gave sizes for them.
    pub(super) fn diamond(&mut self, plan: &DiamondPlan, outer: &[PlanLoop<'_>]) -> Result<Node, Failure> {
        if let Some(given) = &self.context.config.hexagons {
            return self.hexagons(plan, outer, given);
        }
        let sizes = self.diamond_sizes(plan);
        let within = self.sizes_within(&sizes);
        let smallest = within.iter().zip(&sizes).map(|(inner, size)| inner.or(*size)).collect();
        let boxes = Boxes { diamonds: plan.diamonds(), sizes: smallest };
        let around = Around { tiles: outer.to_vec(), points: Vec::new() };
        let inside = self.inside(&plan.child, &around, &boxes)?;
        let text =
            |sizes: &[Option<i64>]| sizes.iter().flatten().map(ToString::to_string).collect::<Vec<_>>().join("x");
        self.summary.bands += 1;
        self.summary.tiled += 1;
        self.say(if within.iter().all(Option::is_none) {
            format!("tiled in diamonds {}", text(&sizes))
        } else {
            format!("tiled in diamonds {} in {}", text(&within), text(&sizes))
        });
        let hyperplanes = self.hyperplanes(&plan.stmts, &plan.diamond.tiles);
        applied(in_diamonds(inside, &hyperplanes, &[tile_loops(&within), tile_loops(&sizes)]))
    }

    /// The user's sizes of tiles inside of tiles of these sizes (one for both sides of the diamond); `None` where they
    /// are not smaller.
    fn sizes_within(&self, sizes: &[Option<i64>]) -> Vec<Option<i64>> {
        let given = &self.context.config.second_level_tile_sizes;
        let size = |k: usize| given.get(k).or(given.last()).copied().filter(|s| *s > 1);
        let at = |k: usize| if k < 2 { size(0) } else { size(k) };
        let smaller = |(k, around): (usize, &Option<i64>)| at(k).filter(|s| around.is_none_or(|a| *s < a));
        sizes.iter().enumerate().map(smaller).collect()
    }

    /// The loops of one tile, with their estimated cost.
    fn inside(&mut self, plan: &Plan, around: &Around<'_>, boxes: &Boxes<'_>) -> Result<Node, Failure> {
        match plan {
            Plan::Leaf(s) => {
                self.charge(&[*s], &around.all(), &[Carry::Chain], &never_free, 1.0);
                Ok(Node::Leaf)
            }
            Plan::Seq(children) => self.parts(children, &mut |laid, c| laid.inside(c, around, boxes)),
            Plan::Band(band) => {
                let around = around.and(band, boxes);
                let layout = Layout::plain(band.members.len());
                if !is_innermost(band) {
                    let child = self.inside(&band.child, &around, boxes)?;
                    return self.points(band, &layout, child);
                }
                let (loops, carry) = (around.all(), carries(band, &layout));
                if self.context.config.process_unprofitable {
                    self.charge(&band.stmts, &loops, &carry, &is_free(band), 1.0);
                } else {
                    self.charge_on(&band.stmts, &loops, (&carry, &is_free(band)), 1.0, from_second_level);
                }
                let made = nest(&band.stmts, &loops, carry, self.context.facts, &never_free);
                if self.context.config.vectorize && made.is_vector(self.context.facts) {
                    self.say(VECTORIZABLE.to_owned());
                }
                let leaves = self.leaves(band)?;
                self.points(band, &layout, leaves)
            }
            Plan::Diamond(inner) => self.diamond(inner, &around.all()),
            Plan::Outside(_) => self.node(plan, &around.all()),
        }
    }

    /// Tile sizes: the user's (one for both sides of the diamond), or the cost model's.
    fn diamond_sizes(&self, plan: &DiamondPlan) -> Vec<Option<i64>> {
        let config = self.context.config;
        let Some(last) = config.tile_sizes.last() else {
            return plan.diamonds().sizes(self.context.facts, self.context.machine);
        };
        let size = |k: usize| *config.tile_sizes.get(k).unwrap_or(last);
        let at = |k: usize| if k < 2 { Some(size(0).max(2)) } else { Some(size(k)).filter(|s| *s > 1) };
        (0..plan.diamond.tiles.len()).map(at).collect()
    }
}

/// What tiles of diamonds run on: they are made for the second-level cache, and twice as wide at their ends as in their
/// middle. Where that cache holds everything without tiles, the first one holds no more from one step of time to the
/// next with them: fdtd-2d of 60 x 80 was estimated to gain 1.56 times by that, and ran at 0.94 of its speed. Not asked
/// where new orders are only compared with each other: diamonds run faster than tiles of one time step there.
fn from_second_level(nest: &Nest, scenario: &Scenario) -> Machine {
    let machine = scenario.machine;
    let fits = nest.touched(&scenario.facts)[0] <= USABLE * bytes(machine.l2_bytes);
    Machine { l1_bytes: if fits { 0 } else { machine.l1_bytes }, ..machine }
}

/// The loops over tiles of these sizes, by hyperplane.
fn tile_loops(sizes: &[Option<i64>]) -> Vec<TileLoop> {
    let tile = |(member, size): (usize, &Option<i64>)| {
        size.map(|size| TileLoop { member, size, coincident: false, alone: Vec::new() })
    };
    sizes.iter().enumerate().filter_map(tile).collect()
}
