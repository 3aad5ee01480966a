//! From a plan to a schedule tree: the layout of each band is chosen, and the operations that it asks for are done.
//!
//! In: a [`Plan`]. Out: a [`Node`], made of the plan's bands by the operations of `transform`, and the nests the cost
//! model judges.

use super::bands::{BandPlan, OutsidePlan, Plan};
use super::layout::{
    Context, DEFAULT_TILE, IsFree, Layout, PlanLoop, all_loops, carries, coincident_after, is_free, is_innermost,
    is_skewed, loops_of, nest, never_free, skew_penalty, unjammed,
};
use super::problem::{Hyperplane, Piece};
use super::staggered::Staggered;
use super::sunk;
use super::{Summary, VECTORIZABLE};
use crate::cost::refs::to_f64;
use crate::cost::{Carry, Estimate, Facts, Machine, Nest, Scenario};
use crate::error::Failure;
use crate::ids::StmtId;
use crate::model::tree::ops::{self, Inapplicable, TileLoop};
use crate::model::tree::{AstOption, Band, Mark, Member, Node};
use crate::model::{Access, ArrayKind, Scop};
use crate::transform::{distribute, interchange, jam, tile, wavefront};
use presburger::{Aff, Set};
use std::collections::BTreeMap;

/// A nest with fewer than one in this many of the region's accesses is minor.
const MINOR_SHARE: f64 = 1024.0;

/// Pieces that a loop has to give at least to be cut for threads.
pub(super) const PIECES_FOR_THREADS: f64 = 6.0;
/// Their sizes, the best first: long ones keep the loop inside, mostly innermost, worth starting.
pub(super) const PIECE_SIZES: [i64; 3] = [256, 128, 64];

/// Blocks of lanes that the innermost loop has to give at least, where its length is not known.
const BLOCKS_IN_LANES: i64 = 3;
/// Blocks of rows that the loop around it has to give at least.
const BLOCKS_OF_ROWS: i64 = 2;
/// Iterations of a loop up to which they are at the edge of a grid.
const EDGE: f64 = 2.0;
/// See `EDGE`: the least number of those inside.
const INSIDE: f64 = 8.0;

/// A plan with its layouts: what the cost model judges and what the tree is built from.
#[derive(Clone)]
pub struct Laid<'a> {
    /// The SCoP.
    pub scop: &'a Scop,
    /// Facts, machine, wishes.
    pub context: Context<'a>,
    /// What it is estimated to take so far in each scenario.
    pub estimates: Vec<Estimate>,
    /// Of these cycles, in the first scenario, those that loops of their own can save of what statements that share
    /// loops move.
    pub spare: f64,
    /// What was done.
    pub summary: Summary,
    /// What loops around cut into strips, and of what size.
    pub strips: Option<(Hyperplane, i64)>,
}

/// What an operation makes of a tree; one that does not apply is a bug.
pub(super) fn applied(made: Result<Node, Inapplicable>) -> Result<Node, Failure> {
    made.map_err(|why| Failure::Bug(format!("a transformation of the scheduler does not apply: {why}")))
}

impl<'l> Laid<'l> {
    /// The tree of the whole plan.
    ///
    /// # Errors
    /// `Bug` where an operation does not apply.
    pub fn tree(&mut self, plan: &Plan) -> Result<Node, Failure> {
        let domain: BTreeMap<StmtId, Set> = self.scop.stmts.iter().map(|s| (s.id, s.domain.clone())).collect();
        let child = self.node(plan, &[])?;
        Ok(Node::Domain(domain, Box::new(child)))
    }

    pub(super) fn node(&mut self, plan: &Plan, outer: &[PlanLoop<'_>]) -> Result<Node, Failure> {
        match plan {
            Plan::Leaf(s) => {
                self.charge(&[*s], outer, &[Carry::Chain], &never_free, 1.0);
                Ok(Node::Leaf)
            }
            Plan::Seq(children) => self.parts(children, &mut |laid, c| laid.node(c, outer)),
            Plan::Diamond(diamond) => self.diamond(diamond, outer),
            Plan::Outside(outside) => self.outside(outside, outer),
            Plan::Band(band) => self.best_of_others(band, outer),
        }
    }

    /// The loops of a band and what is inside.
    pub(super) fn band(&mut self, band: &BandPlan, outer: &[PlanLoop<'_>]) -> Result<Node, Failure> {
        if is_innermost(band) {
            return self.innermost(band, outer);
        }
        let strips = band.strips.as_ref().filter(|_| outer.is_empty());
        let has_choice = outer.is_empty() || sunk::has_variants(band);
        let plain = has_choice.then(|| self.clone());
        let whole = self.around(band, outer)?;
        let Some(plain) = plain else { return Ok(whole) };
        let best = self.best_sunk((band, outer), &plain, whole)?;
        let best = match strips {
            Some(strips) => self.best_in_strips((band, strips), &plain, best)?,
            None => best,
        };
        if outer.is_empty() { self.best_in_blocks(band, &plain, best) } else { Ok(best) }
    }

    /// A band around other bands.
    pub(super) fn around(&mut self, band: &BandPlan, outer: &[PlanLoop<'_>]) -> Result<Node, Failure> {
        let layout = self.outer_layout(band);
        let loops: Vec<PlanLoop<'_>> = outer.iter().cloned().chain(loops_of(band, &layout)).collect();
        let child = self.node(&band.child, &loops)?;
        self.note_band(band, &layout);
        let points = self.points(band, &layout, child)?;
        self.in_tiles(points, band, &layout)
    }

    /// Parts of a plan one after the other.
    pub(super) fn parts(
        &mut self,
        plans: &[Plan],
        of: &mut dyn FnMut(&mut Self, &Plan) -> Result<Node, Failure>,
    ) -> Result<Node, Failure> {
        let mut parts = Vec::with_capacity(plans.len());
        for plan in plans {
            parts.push((self.everything(&plan.stmts()), of(self, plan)?));
        }
        Ok(distribute::in_sequence(parts))
    }

    /// The loops over strips, and what is in a strip.
    fn outside(&mut self, plan: &OutsidePlan, outer: &[PlanLoop<'_>]) -> Result<Node, Failure> {
        let loops_of = |s: &usize| self.scop.stmts[*s].body.loops();
        let strips = plan.stmts.first().into_iter().flat_map(loops_of).filter_map(|l| l.strip);
        let sizes: Vec<String> = strips.map(|s| s.size.to_string()).collect();
        let is_work =
            |a: &Access| matches!(self.scop.array(a.array).kind, ArrayKind::Made { .. }) && a.carries.is_none();
        let has_work = plan.stmts.iter().any(|s| self.scop.stmts[*s].accesses.iter().any(is_work));
        let what = if has_work { "work arrays in rows" } else { "scalars in arrays" };
        self.say(format!("{what} for strips of {}", sizes.join("x")));
        let loops: Vec<PlanLoop<'_>> = outer.iter().cloned().chain(plan.members.iter().map(PlanLoop::whole)).collect();
        let child = self.node(&plan.child, &loops)?;
        let around = |inside, member| in_loop(self.affs(&plan.stmts, member), false, inside);
        Ok(plan.members.iter().rev().fold(child, around))
    }

    /// A band around other bands stays as it is, unless threads are wanted and only tiles of it can run in parallel.
    pub(super) fn outer_layout(&self, band: &BandPlan) -> Layout {
        let (n, config) = (band.members.len(), self.context.config);
        let mut layout = Layout::plain(n);
        if config.parallel && config.tiling && n > 1 && !(0..n).any(|m| is_coincident(band, m)) {
            let size =
                |k: usize| config.tile_sizes.get(k).or(config.tile_sizes.last()).copied().unwrap_or(DEFAULT_TILE);
            layout.sizes = (0..n).map(|k| Some(size(k)).filter(|s| *s > 1)).collect();
        }
        layout
    }

    /// An innermost band with the cheapest layout.
    fn innermost(&mut self, band: &BandPlan, outer: &[PlanLoop<'_>]) -> Result<Node, Failure> {
        let outer = &self.strip_around(band, outer);
        let minor = self.is_minor(band);
        let layout = if minor {
            Layout::plain(band.members.len())
        } else {
            self.cut_for_threads(band, self.context.choose(band, outer), outer)
        };
        if !minor
            && self.strips.is_none()
            && let Some(staggered) = Staggered::of(self.context, band, &layout, outer)
        {
            return self.staggered(&staggered, outer);
        }
        let loops = all_loops(outer, band, &layout);
        let before = self.estimates.clone();
        let penalty = skew_penalty(band, &layout, self.context.facts);
        self.charge(&band.stmts, &loops, &carries(band, &layout), &is_free(band), penalty);
        if !minor
            && self.strips.is_none()
            && let Some(node) = self.contraction(band, &before)
        {
            return Ok(node);
        }
        if !minor
            && outer.is_empty()
            && let Some(node) = self.in_depth_blocks(band, &layout, &before)?
        {
            return Ok(node);
        }
        self.ask_for_lanes(band, &layout);
        if band.stmts.len() > 1 {
            let scenario = &self.context.scenarios[0];
            let made = nest(&band.stmts, &loops, carries(band, &layout), &scenario.facts, &is_free(band));
            let made = Nest { warm: scenario.warm, ..made };
            self.spare += made.spare(&scenario.facts, &scenario.machine, outer.len());
        }
        self.note_band(band, &layout);
        let leaves = self.leaves(band)?;
        let points = self.points(band, &layout, leaves)?;
        let points = if self.has_edges(band, &layout, outer) { edges_apart(points) } else { points };
        if minor { Ok(ops::insert_mark(points, Mark::Minor)) } else { self.in_tiles(points, band, &layout) }
    }

    /// Whether some statements of the band run at the first or last values of a loop alone, which is long for others:
    /// what is done at the edges of a grid. Tests for that in the innermost loop would make masks of its vectors.
    fn has_edges(&self, band: &BandPlan, layout: &Layout, outer: &[PlanLoop<'_>]) -> bool {
        let made = self.context.made(band, layout, outer);
        made.loops.iter().any(|l| l.trips.iter().any(|t| *t <= EDGE) && l.trips.iter().any(|t| *t >= INSIDE))
    }

    /// Asks for loops that are long enough for lanes: blocks of elements along the innermost one, and blocks of rows
    /// along the one around it, of which the rows behind the last whole block run one by one.
    fn ask_for_lanes(&mut self, band: &BandPlan, layout: &Layout) {
        let [.., around, inner] = layout.order[..] else { return };
        if layout.lanes == 0 {
            return;
        }
        let rows = BLOCKS_OF_ROWS * i64::from(layout.jam[around]);
        for (member, least) in [(inner, BLOCKS_IN_LANES * i64::from(layout.lanes)), (around, rows)] {
            for s in &band.stmts {
                let dim = (0..self.scop.stmts[*s].dims()).find(|k| band.members[member][*s][*k] != 0);
                self.ask_for_length(*s, dim.as_slice(), [least; 2]);
            }
        }
    }

    /// An innermost band in copies that run staggered.
    fn staggered(&mut self, plan: &Staggered, outer: &[PlanLoop<'_>]) -> Result<Node, Failure> {
        let Staggered { band, layout } = plan;
        for s in &band.stmts {
            let dims: Vec<usize> = (0..self.scop.stmts[*s].dims()).collect();
            let inner = dims.len().saturating_sub(2);
            self.ask_for_length(*s, &dims[inner..], [plan.least_length(); 2]);
        }
        for (estimate, scenario) in self.estimates.iter_mut().zip(self.context.scenarios) {
            *estimate = estimate.and(plan.estimate(outer, scenario), 1.0);
        }
        self.note_band(band, layout);
        let leaves = self.leaves(band)?;
        let points = self.points(band, layout, leaves)?;
        self.in_tiles(points, band, layout)
    }

    /// The layout; where threads are wanted and every loop that they could share is inside of one that they cannot, the
    /// first of them in pieces if it is long, whose loop then comes first: threads start once instead of once per
    /// iteration around.
    fn cut_for_threads(&self, band: &BandPlan, mut layout: Layout, outer: &[PlanLoop<'_>]) -> Layout {
        let config = self.context.config;
        let may_cut = config.parallel && config.tiling && config.tile_sizes.is_empty();
        let first = layout.order.iter().position(|&m| is_coincident(band, m));
        let Some(at) = first.filter(|at| may_cut && *at > 0) else { return layout };
        if layout.order.iter().any(|&m| layout.sizes[m].is_some() && is_coincident(band, m)) {
            return layout;
        }
        let loops = self.context.made(band, &layout, outer).loops;
        let point = &loops[loops.len() - layout.order.len() + at];
        let trips = point.trips.iter().copied().fold(0.0, f64::max);
        let fits = |size: &i64| trips >= PIECES_FOR_THREADS * to_f64(*size);
        if let Some(size) = PIECE_SIZES.into_iter().find(fits) {
            layout.sizes[layout.order[at]] = Some(size);
        }
        layout
    }

    /// What stands inside an innermost band.
    pub(super) fn leaves(&mut self, band: &BandPlan) -> Result<Node, Failure> {
        match &band.child {
            Plan::Seq(children) => self.parts(children, &mut |_, _| Ok(Node::Leaf)),
            Plan::Leaf(_) | Plan::Band(_) | Plan::Diamond(_) | Plan::Outside(_) => Ok(Node::Leaf),
        }
    }

    /// The point loops of a band inside its tile loops, if the layout has any.
    pub(super) fn in_tiles(&mut self, points: Node, band: &BandPlan, layout: &Layout) -> Result<Node, Failure> {
        let levels = [&layout.sizes, &layout.around].map(|sizes| self.tiled(band, layout, sizes));
        let outermost = levels.iter().rfind(|level| !level.is_empty());
        let in_wavefronts =
            self.context.config.parallel && outermost.is_some_and(|tiles| tiles.len() > 1 && !tiles[0].coincident);
        let tree = applied(tile::in_tiles(points, &levels))?;
        if !in_wavefronts {
            return Ok(tree);
        }
        self.say("wavefront".to_owned());
        applied(wavefront::wavefront(tree))
    }

    /// Whether a band does next to nothing of the region's work, whatever the parameters, and the user has not asked
    /// for more.
    fn is_minor(&self, band: &BandPlan) -> bool {
        let config = self.context.config;
        if !self.scop.params.is_empty() || config.process_unprofitable || !config.tile_sizes.is_empty() {
            return false;
        }
        let facts = self.context.facts;
        let own: f64 = band.stmts.iter().map(|&s| facts[s].accesses()).sum();
        own * MINOR_SHARE < facts.iter().map(Facts::accesses).sum()
    }

    /// Adds what statements in these loops are estimated to take, so many times.
    pub(super) fn charge(
        &mut self,
        stmts: &[usize],
        loops: &[PlanLoop<'_>],
        carry: &[Carry],
        is_free: IsFree<'_>,
        factor: f64,
    ) {
        self.charge_on(stmts, loops, (carry, is_free), factor, |_, scenario| scenario.machine);
    }

    /// The same on another machine, which may be one for each nest.
    pub(super) fn charge_on(
        &mut self,
        stmts: &[usize],
        loops: &[PlanLoop<'_>],
        (carry, is_free): (&[Carry], IsFree<'_>),
        factor: f64,
        on: fn(&Nest, &Scenario) -> Machine,
    ) {
        for (estimate, scenario) in self.estimates.iter_mut().zip(self.context.scenarios) {
            *estimate = estimate.and(estimated(stmts, loops, (carry, is_free), scenario, on), factor);
        }
    }

    /// All instances of these statements.
    pub(super) fn everything(&self, stmts: &[usize]) -> BTreeMap<StmtId, Set> {
        stmts.iter().map(|&s| (StmtId::new(s), Set::universe(self.scop.stmts[s].domain.space().clone()))).collect()
    }

    /// `{ Stmt[dims] -> [row] }` of each of these statements.
    pub(super) fn affs(&self, stmts: &[usize], hyperplane: &Hyperplane) -> BTreeMap<StmtId, Aff> {
        let params = self.scop.params.len();
        let aff = |s: usize| {
            let mut row = vec![0; params];
            row.extend_from_slice(&hyperplane[s]);
            let last = row.len() - 1;
            for dim in 0..last - params {
                if let Some(reversal) = self.context.config.reversals.get(&(StmtId::new(s), dim)) {
                    let factor = std::mem::take(&mut row[params + dim]);
                    row[params + dim] = -factor;
                    (0..params).for_each(|p| row[p] += factor * reversal[p]);
                    row[last] += factor * reversal[params];
                }
            }
            Aff::from_row(self.scop.stmts[s].domain.space(), &row)
        };
        stmts.iter().map(|&s| (StmtId::new(s), aff(s))).collect()
    }

    /// The same in blocks of so many values: the number of the block.
    pub(super) fn blocks_of(&self, stmts: &[usize], hyperplane: &Hyperplane, size: i64) -> BTreeMap<StmtId, Aff> {
        self.affs(stmts, hyperplane).into_iter().map(|(id, aff)| (id, aff.floor_div(size))).collect()
    }

    /// The band of these hyperplanes, of which nothing is known but that they may be permuted.
    pub(super) fn hyperplanes(&self, stmts: &[usize], hyperplanes: &[Hyperplane]) -> Band {
        let members = hyperplanes.iter().map(|h| Member::new(self.affs(stmts, h))).collect();
        Band { members, permutable: true }
    }

    /// The loops over all values, or over the values inside a tile, around `inside`.
    pub(super) fn points(&self, band: &BandPlan, layout: &Layout, inside: Node) -> Result<Node, Failure> {
        let found = Node::Band(self.hyperplanes(&band.stmts, &band.members), Box::new(inside));
        let ordered = applied(interchange::permute(found, &layout.order))?;
        let factors: Vec<u32> = layout.order.iter().map(|&m| layout.jam[m]).collect();
        let jammed = match layout.lanes {
            0 => jam::jam_band(ordered, &factors),
            lanes => jam::lanes_of_band(ordered, &factors, lanes),
        };
        Ok(with_flags(applied(jammed)?, band, layout))
    }

    /// Tile loops, outermost first; where threads are wanted, one that no dependence of the band separates comes first.
    fn tiled(&self, band: &BandPlan, layout: &Layout, sizes: &[Option<i64>]) -> Vec<TileLoop> {
        let tile = |(member, m): (usize, &usize)| {
            sizes[*m].map(|size| TileLoop { member, size, coincident: is_coincident(band, *m), alone: Vec::new() })
        };
        let mut tiled: Vec<TileLoop> = layout.order.iter().enumerate().filter_map(tile).collect();
        if self.context.config.parallel
            && let Some(at) = tiled.iter().position(|tile| tile.coincident)
        {
            tiled[..=at].rotate_right(1);
        }
        tiled
    }

    pub(super) fn say(&mut self, step: String) {
        if !self.summary.steps.contains(&step) {
            self.summary.steps.push(step);
        }
    }

    /// Adds what this band does to the summary.
    pub(super) fn note_band(&mut self, band: &BandPlan, layout: &Layout) {
        self.summary.bands += 1;
        if is_skewed(band) {
            self.say("skewed".to_owned());
        } else if is_interchanged(band, layout) {
            self.say("interchanged".to_owned());
        }
        if layout.is_tiled() {
            self.summary.tiled += 1;
            let text = |sizes: &[Option<i64>]| {
                let named = layout.order.iter().filter_map(|&m| sizes[m]).map(|s| s.to_string());
                named.collect::<Vec<_>>().join("x")
            };
            let (sizes, around) = (text(&layout.sizes), text(&layout.around));
            let around = if around.is_empty() { around } else { format!(" in {around}") };
            self.say(format!("tiled {sizes}{around}"));
        }
        if layout.lanes > 0 {
            self.say(format!("rows in {} lanes", layout.lanes));
            self.summary.has_lanes = true;
        } else if let Some(most) = layout.jam.iter().max().filter(|j| **j > 1) {
            self.say(format!("unrolled and jammed by {most}"));
        }
        if layout.vector {
            self.say(VECTORIZABLE.to_owned());
        } else if layout.lanes == 0 && layout.jam.iter().any(|j| *j > 1) {
            self.summary.has_jammed_chains = true;
        }
    }
}

/// A loop that is no part of a band, around `inside`.
pub(super) fn in_loop(affs: BTreeMap<StmtId, Aff>, coincident: bool, inside: Node) -> Node {
    let members = vec![Member { coincident, ..Member::new(affs) }];
    Node::Band(Band { members, permutable: false }, Box::new(inside))
}

/// What statements in these loops are estimated to take in a scenario, on the machine that it has for their nest.
pub(super) fn estimated(
    stmts: &[usize],
    loops: &[PlanLoop<'_>],
    (carry, is_free): (&[Carry], IsFree<'_>),
    scenario: &Scenario,
    on: fn(&Nest, &Scenario) -> Machine,
) -> Estimate {
    let made = nest(stmts, loops, carry.to_vec(), &scenario.facts, is_free);
    let made = Nest { warm: scenario.warm, has_rests: scenario.thin.is_some(), ..made };
    made.estimate(&scenario.facts, &on(&made, scenario))
}

/// The band with loops of their own for what is done at the edges, as far as its loops are not jammed.
fn edges_apart(tree: Node) -> Node {
    let Node::Band(mut band, child) = tree else { return tree };
    for member in band.members.iter_mut().filter(|m| m.ast == AstOption::Default) {
        member.ast = AstOption::Separate;
    }
    Node::Band(band, child)
}

/// The band in its layout's order, with what its members carry.
fn with_flags(tree: Node, plan: &BandPlan, layout: &Layout) -> Node {
    let Node::Band(mut band, child) = tree else { return tree };
    for (at, member) in band.members.iter_mut().enumerate() {
        let (outer, hyperplane) = (unjammed(plan, layout, at), &plan.members[layout.order[at]]);
        let free = |p: &Piece| coincident_after(std::slice::from_ref(p), &outer, hyperplane);
        let own = |s: usize| plan.pieces.iter().filter(move |p| p.src == s && p.dst == s);
        member.coincident = plan.pieces.iter().all(free);
        member.alone = plan.stmts.iter().filter(|&&s| own(s).all(free)).map(|&s| StmtId::new(s)).collect();
    }
    Node::Band(band, child)
}

/// Whether no dependence of the band is carried by member `m`, whatever the other members.
pub(super) fn is_coincident(band: &BandPlan, m: usize) -> bool {
    band.pieces.iter().all(|p| p.is_at_zero(&band.members[m]))
}

/// Whether a statement's loops run in another order than in the source.
fn is_interchanged(band: &BandPlan, layout: &Layout) -> bool {
    let first_dim = |row: &Vec<i64>| row.iter().take(row.len().saturating_sub(1)).position(|x| *x != 0);
    band.stmts.iter().any(|&s| {
        let mut dims: Vec<usize> = layout.order.iter().filter_map(|&m| first_dim(&band.members[m][s])).collect();
        dims.dedup();
        let mut seen = Vec::new();
        dims.retain(|d| {
            let fresh = !seen.contains(d);
            seen.push(*d);
            fresh
        });
        dims.windows(2).any(|w| w[0] > w[1])
    })
}
