//! Diamond tiles as a tree: sizes, estimated cost, wavefront.
//!
//! In: a [`DiamondPlan`]. Out: tile loops `(T1 + T2, T2, ..)` around the original loops; `T2` and all that is in it run
//! in parallel for one wavefront. Smaller diamonds inside of a tile, where wanted, run one after the other. For the
//! cost model a tile is a box: as many time steps as the diamond is high, as wide as its middle.

use super::bands::{BandPlan, DiamondPlan, Plan};
use super::diamond::own_dim;
use super::layout::{Layout, PlanLoop, carries, is_free, is_innermost, loops_of, nest, never_free};
use super::problem::Hyperplane;
use super::tile::Laid;
use crate::cost::Carry;
use crate::model::tree::{AstOption, Band, Mark, Member, Node};
use crate::transform::wavefront::wavefront;

/// Candidate sizes of the diamond, in values of a tile hyperplane.
const SIZES: [i64; 6] = [512, 256, 128, 64, 32, 16];
/// Size of the other tile hyperplanes, where they are tiled, and of the innermost one.
const BESIDE: (i64, i64) = (16, 64);
/// Part of the second-level cache that a tile may fill.
const USABLE: f64 = 0.75;
/// The same where only tiling the innermost loop would make it smaller, which costs more than the misses.
const SPILLED: f64 = 2.0;
/// Tiles that a wavefront should have at least, the smallest candidate apart.
const SIDE_BY_SIDE: f64 = 3.0;

/// The boxes that stand for diamond tiles.
struct Boxes {
    time: Hyperplane,
    /// Time steps in a tile.
    steps: i64,
    /// Size of each tile hyperplane, `None` where it is not tiled.
    sizes: Vec<Option<i64>>,
    /// The dim that each tile hyperplane adds to time, by statement.
    dims: Vec<Vec<Option<usize>>>,
}

impl Boxes {
    fn new(plan: &DiamondPlan, sizes: Vec<Option<i64>>) -> Self {
        let (time, tiles) = (plan.diamond.time.clone(), &plan.diamond.tiles);
        let own = |h: &Hyperplane, s: usize| {
            (0..h[s].len().saturating_sub(1)).rev().find(|&k| h[s][k] != 0 && time[s][k] == 0)
        };
        let dims = tiles.iter().map(|h| (0..h.len()).map(|s| own(h, s)).collect()).collect();
        let steps = sizes[0].map_or(1, |s| (2 * s / plan.diamond.multiple).max(1));
        Self { time, steps, sizes, dims }
    }

    /// Extent of one tile along a loop of the original order; `None` for all of it.
    fn extent(&self, loops: &Hyperplane, s: usize) -> Option<i64> {
        let d = loops[s].len() - 1;
        if loops[s][..d] == self.time[s][..d] {
            return Some(self.steps);
        }
        let dim = (0..d).find(|&k| loops[s][k] != 0)?;
        (0..self.sizes.len()).find(|&t| self.dims[t][s] == Some(dim)).and_then(|t| self.sizes[t])
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
    fn and(&self, band: &'p BandPlan, boxes: &Boxes) -> Self {
        let mut layout = Layout::plain(band.members.len());
        for (m, size) in band.members.iter().zip(&mut layout.sizes) {
            *size = boxes.extent(m, band.stmts[0]);
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
    /// The tree of diamond tiles inside of `outer`, with smaller diamonds in each if the user gave sizes for them.
    pub(super) fn diamond(&mut self, plan: &DiamondPlan, outer: &[PlanLoop<'_>]) -> Node {
        let sizes = self.diamond_sizes(plan);
        let within = self.sizes_within(&sizes);
        let smallest = within.iter().zip(&sizes).map(|(inner, size)| inner.or(*size)).collect();
        let boxes = Boxes::new(plan, smallest);
        let around = Around { tiles: outer.to_vec(), points: Vec::new() };
        let points = Node::Mark(Mark::PointLoops, Box::new(self.inside(&plan.child, &around, &boxes)));
        let text =
            |sizes: &[Option<i64>]| sizes.iter().flatten().map(ToString::to_string).collect::<Vec<_>>().join("x");
        self.summary.bands += 1;
        self.summary.tiled += 1;
        let over = |tiles: Band, sizes: &[Option<i64>], below: Node| {
            let sizes = sizes.iter().flatten().copied().collect();
            Node::Mark(Mark::TileLoops(sizes), Box::new(Node::Band(tiles, Box::new(below))))
        };
        if within.iter().all(Option::is_none) {
            self.say(format!("tiled in diamonds {}", text(&sizes)));
            return over(wavefront(self.diamond_band(plan, &sizes, AstOption::SeparateTiles)), &sizes, points);
        }
        self.say(format!("tiled in diamonds {} in {}", text(&within), text(&sizes)));
        let inner = over(self.diamond_band(plan, &within, AstOption::SeparateTiles), &within, points);
        over(wavefront(self.diamond_band(plan, &sizes, AstOption::Default)), &sizes, inner)
    }

    /// The loops over tiles of these sizes, `last` being the option of the innermost one. Any distance is >= 0 in every
    /// tile hyperplane, so the loops may be permuted, and small tiles may stand in large ones.
    fn diamond_band(&self, plan: &DiamondPlan, sizes: &[Option<i64>], last: AstOption) -> Band {
        let member = |(hyperplane, size): (&Hyperplane, i64)| {
            let affs = self.affs(&plan.stmts, hyperplane);
            Member::new(affs.into_iter().map(|(s, a)| (s, a.floor_div(size))).collect())
        };
        let tiled = plan.diamond.tiles.iter().zip(sizes).filter_map(|(h, size)| Some((h, (*size)?)));
        let mut members: Vec<Member> = tiled.map(member).collect();
        if let Some(innermost) = members.last_mut() {
            innermost.ast = last;
        }
        Band { members, permutable: true }
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
    fn inside(&mut self, plan: &Plan, around: &Around<'_>, boxes: &Boxes) -> Node {
        match plan {
            Plan::Leaf(s) => {
                self.charge(&[*s], &around.all(), &[Carry::Chain], &never_free, 1.0);
                Node::Leaf
            }
            Plan::Seq(children) => {
                let filtered = |laid: &mut Self, c: &Plan| {
                    Node::Filter(laid.everything(&c.stmts()), Box::new(laid.inside(c, around, boxes)))
                };
                Node::Sequence(children.iter().map(|c| filtered(self, c)).collect())
            }
            Plan::Band(band) => {
                let around = around.and(band, boxes);
                let layout = Layout::plain(band.members.len());
                if !is_innermost(band) {
                    let child = self.inside(&band.child, &around, boxes);
                    return Node::Band(self.points(band, &layout), Box::new(child));
                }
                let (loops, carry) = (around.all(), carries(band, &layout));
                self.charge(&band.stmts, &loops, &carry, &is_free(band), 1.0);
                let made = nest(&band.stmts, &loops, carry, self.context.facts, &never_free);
                let node = Node::Band(self.points(band, &layout), Box::new(self.leaves(band)));
                if self.context.config.vectorize && made.is_vector(self.context.facts) {
                    self.say("vectorizable".to_owned());
                }
                node
            }
            Plan::Diamond(inner) => self.diamond(inner, &around.all()),
        }
    }

    /// Tile sizes: the user's (one for both sides of the diamond), or the largest with which a tile, as wide as its
    /// middle, fits in the second-level cache; the inner dims stay whole as far as that goes.
    fn diamond_sizes(&self, plan: &DiamondPlan) -> Vec<Option<i64>> {
        let n = plan.diamond.tiles.len();
        let config = self.context.config;
        if let Some(last) = config.tile_sizes.last() {
            let size = |k: usize| *config.tile_sizes.get(k).unwrap_or(last);
            let at = |k: usize| if k < 2 { Some(size(0).max(2)) } else { Some(size(k)).filter(|s| *s > 1) };
            return (0..n).map(at).collect();
        }
        let sizes = |size: i64, tiled: usize| -> Vec<Option<i64>> {
            let beside = |k: usize| if k + 1 == n { BESIDE.1 } else { BESIDE.0 };
            (0..n).map(|k| if k < 2 { Some(size) } else { (k < tiled).then(|| beside(k)) }).collect()
        };
        let smallest = SIZES[SIZES.len() - 1];
        let spilled = (n > 2).then_some((n - 1, SPILLED));
        let tries = (2..n.max(3)).map(|tiled| (tiled, USABLE)).chain(spilled).chain([(n, USABLE)]);
        for (tiled, room) in tries {
            for size in SIZES {
                let fits = self.tile_bytes(plan, &sizes(size, tiled)) <= room * bytes(self.context.machine.l2_bytes);
                let many = elements(size) * SIDE_BY_SIDE <= self.width(plan);
                if fits && (many || size == smallest) {
                    return sizes(size, tiled);
                }
            }
        }
        sizes(smallest, n)
    }

    /// Iterations of the loop that the diamond skews, in the statement where they are most.
    fn width(&self, plan: &DiamondPlan) -> f64 {
        let (time, first) = (&plan.diamond.time, &plan.diamond.tiles[0]);
        let of = |&s: &usize| own_dim(&first[s], &time[s]).map_or(1.0, |k| self.context.facts[s].trips[k]);
        plan.stmts.iter().map(of).fold(1.0, f64::max)
    }

    /// Bytes of memory that one time step of a tile touches.
    fn tile_bytes(&self, plan: &DiamondPlan, sizes: &[Option<i64>]) -> f64 {
        let boxes = Boxes::new(plan, sizes.to_vec());
        let of = |s: usize| {
            let facts = &self.context.facts[s];
            let extent = |k: usize| {
                let tiled = (0..sizes.len()).find(|&t| boxes.dims[t][s] == Some(k)).and_then(|t| sizes[t]);
                let whole = if boxes.time[s][k] == 0 { facts.trips[k] } else { 1.0 };
                tiled.map_or(whole, |size| whole.min(elements(size)))
            };
            (0..facts.trips.len()).map(extent).product::<f64>()
        };
        let mut arrays: Vec<(usize, f64)> = Vec::new();
        for &s in &plan.stmts {
            let volume = of(s);
            for r in self.context.facts[s].refs.iter().filter(|r| !r.subscripts.is_empty()) {
                match arrays.iter_mut().find(|(a, _)| *a == r.array) {
                    Some((_, most)) => *most = most.max(volume * r.elem_bytes),
                    None => arrays.push((r.array, volume * r.elem_bytes)),
                }
            }
        }
        arrays.iter().map(|(_, b)| b).sum()
    }
}

#[allow(clippy::cast_precision_loss)]
fn elements(x: i64) -> f64 {
    x as f64
}

#[allow(clippy::cast_precision_loss)]
fn bytes(x: u64) -> f64 {
    x as f64
}
