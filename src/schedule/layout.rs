//! Loop order, tile sizes and unroll-and-jam factors of one permutable band, by estimated cost.
//!
//! In:  a [`BandPlan`] and the loops around it. Out: a [`Layout`] and the [`Nest`]s it makes, for the cost model.
//! All members of the band are legal in any order, so every layout is legal.

use super::bands::{BandPlan, Plan};
use super::problem::{Hyperplane, Piece};
use super::straight;
use super::{Config, Machine};
use crate::cost::refs::{Bounding, to_f64};
use crate::cost::traffic::Moved;
use crate::cost::{Carry, Facts, Loop, Nest, Scenario, lanes};
use crate::deps::Dependences;
use presburger::Budget;
use presburger::rows::rank;
use std::collections::BTreeMap;

/// Tile size where nothing better is known.
pub const DEFAULT_TILE: i64 = 32;
/// Candidate sizes of loops that are not innermost.
const OUTER_SIZES: [i64; 3] = [16, 32, 64];
/// Candidate sizes of the innermost loop; `None` is untiled.
const INNER_SIZES: [Option<i64>; 4] = [Some(64), Some(128), Some(256), None];
/// Skewed loops have bounds that depend on outer ones everywhere, and neighbours that no longer share a line.
const SKEW_PENALTY: f64 = 6.0;
/// Candidate sizes of tiles inside tiles whose size the user gave.
const INNER_TILES: [i64; 4] = [8, 16, 32, 64];
/// Candidates for how many times as large a tile around tiles is.
const TILES_IN_TILE: [i64; 4] = [2, 4, 8, 16];
/// Candidate unroll-and-jam factors.
const JAM_FACTORS: [u32; 3] = [1, 2, 4];
/// The same for chains of additions in one loop alone: so many keep both pipes of a core busy.
const FACTORS_OF_ONE: [u32; 4] = [1, 2, 4, 8];
/// Loops around the innermost one that may be jammed, innermost last: choices are as many as factors to this power.
const MAX_JAMMED: usize = 5;
/// How many times the time of scalars side by side lanes may be estimated to take: what keeps those from being fast, as
/// vectors that LLVM gathers of them, is not in the estimate.
const NEARLY: f64 = 1.2;
/// Vectors of jammed copies: two let chains of results wait for each other half as long.
const VECTORS: [u32; 2] = [1, 2];
/// Members of a band whose layouts in lanes are looked into, at most.
const MAX_MEMBERS_OF_LANES: usize = 3;
/// Orders of a band that more sizes are tried with.
const REFINED: usize = 2;
/// Bands with more members keep their order.
const MAX_PERMUTED: usize = 4;

/// How the loops of a band are laid out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Members of the band, outermost first.
    pub order: Vec<usize>,
    /// Tile size per member (by position in the band, not in `order`).
    pub sizes: Vec<Option<i64>>,
    /// Size per member of the tiles around these tiles, in values of the member as well; larger than `sizes` where both
    /// are given.
    pub around: Vec<Option<i64>>,
    /// Unroll-and-jam factor per member, 1 for none.
    pub jam: Vec<u32>,
    /// Lanes of vectors that the copies of the member around the innermost one are, which alone is jammed; 0: none.
    pub lanes: u32,
    /// Whether the innermost loop can be vectorized.
    pub vector: bool,
}

impl Layout {
    /// The band as it is.
    #[must_use]
    pub fn plain(members: usize) -> Self {
        let none = vec![None; members];
        Self {
            order: (0..members).collect(),
            sizes: none.clone(),
            around: none,
            jam: vec![1; members],
            lanes: 0,
            vector: false,
        }
    }

    /// Whether any member is tiled.
    #[must_use]
    pub fn is_tiled(&self) -> bool {
        self.sizes.iter().any(Option::is_some)
    }
}

/// Which part of a member's values a loop runs over.
#[derive(Clone, Copy, Debug)]
enum Part {
    Whole,
    Tiles(i64),
    /// Tiles of the first size inside a tile of the second size.
    TilesWithin(i64, i64),
    Points(i64),
}

/// A loop of the plan around some statement.
#[derive(Clone, Debug)]
pub struct PlanLoop<'a> {
    hyperplane: &'a Hyperplane,
    part: Part,
    jam: f64,
    /// Lanes of vectors that its copies are; 0: none.
    lanes: u32,
}

impl<'a> PlanLoop<'a> {
    /// A loop over all values of a hyperplane.
    #[must_use]
    pub fn whole(hyperplane: &'a Hyperplane) -> Self {
        Self { hyperplane, part: Part::Whole, jam: 1.0, lanes: 0 }
    }

    /// A loop over strips of a member of a band further in.
    #[must_use]
    pub fn strips(hyperplane: &'a Hyperplane, size: i64) -> Self {
        Self { hyperplane, part: Part::Tiles(size), jam: 1.0, lanes: 0 }
    }
}

/// The loops around a band and those that it makes: of members that loops around cut into strips, a strip's.
#[must_use]
pub fn all_loops<'a>(outer: &[PlanLoop<'a>], band: &'a BandPlan, layout: &Layout) -> Vec<PlanLoop<'a>> {
    let strip = |l: &PlanLoop<'_>| {
        let is_own = |o: &&PlanLoop<'_>| std::ptr::eq(o.hyperplane, l.hyperplane);
        outer.iter().filter(is_own).find_map(|o| if let Part::Tiles(size) = o.part { Some(size) } else { None })
    };
    let inside = |l: PlanLoop<'a>| match (strip(&l), l.part) {
        (Some(all), Part::Whole) => PlanLoop { part: Part::Points(all), ..l },
        (Some(all), Part::Tiles(size)) => PlanLoop { part: Part::TilesWithin(size, all), ..l },
        _ => l,
    };
    outer.iter().cloned().chain(loops_of(band, layout).into_iter().map(inside)).collect()
}

/// The loops a band makes with this layout, outermost first.
#[must_use]
pub fn loops_of<'a>(band: &'a BandPlan, layout: &Layout) -> Vec<PlanLoop<'a>> {
    let tile_loop = |m: usize, part: Part| PlanLoop { hyperplane: &band.members[m], part, jam: 1.0, lanes: 0 };
    let around = layout.order.iter().filter_map(|&m| layout.around[m].map(|s| tile_loop(m, Part::Tiles(s))));
    let tiles = layout.order.iter().filter_map(|&m| {
        let size = layout.sizes[m]?;
        Some(tile_loop(m, layout.around[m].map_or(Part::Tiles(size), |all| Part::TilesWithin(size, all))))
    });
    let points = layout.order.iter().map(|&m| PlanLoop {
        hyperplane: &band.members[m],
        part: layout.sizes[m].map_or(Part::Whole, Part::Points),
        jam: f64::from(layout.jam[m]),
        lanes: if layout.jam[m] > 1 { layout.lanes } else { 0 },
    });
    around.chain(tiles).chain(points).collect()
}

/// Solves `rows . x = e_k` for each k by Gauss-Jordan elimination; rows that depend on earlier ones get `None`.
fn directions(rows: &[Vec<f64>], d: usize) -> Vec<Option<Vec<f64>>> {
    let mut work: Vec<(usize, Vec<f64>)> = Vec::new();
    let mut pivots: Vec<usize> = Vec::new();
    let n = rows.len();
    for (k, row) in rows.iter().enumerate() {
        let mut v: Vec<f64> = row.clone();
        v.extend((0..n).map(|c| if c == k { 1.0 } else { 0.0 }));
        for ((_, w), &p) in work.iter().zip(&pivots) {
            let f = v[p];
            if f != 0.0 {
                v.iter_mut().zip(w).for_each(|(a, b)| *a -= f * b);
            }
        }
        let Some(p) = (0..d).rev().find(|&c| v[c].abs() > 1e-9) else {
            continue;
        };
        let scale = v[p];
        v.iter_mut().for_each(|a| *a /= scale);
        for (_, w) in &mut work {
            let f = w[p];
            if f != 0.0 {
                w.iter_mut().zip(&v).for_each(|(a, b)| *a -= f * b);
            }
        }
        work.push((k, v));
        pivots.push(p);
    }
    let mut out = vec![None; n];
    for &(k, _) in &work {
        let mut x = vec![0.0; d];
        for ((_, w), &p) in work.iter().zip(&pivots) {
            x[p] = w[d + k];
        }
        out[k] = Some(x);
    }
    out
}

/// Average iterations of each row: that of a dim it takes and no simpler row has taken, of all of them where they are
/// the digits of a number (`32 * strip + i`).
fn row_trips(rows: &[Vec<f64>], independent: &[bool], trips: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..rows.len()).filter(|&k| independent[k]).collect();
    order.sort_by_key(|&k| (rows[k].iter().filter(|x| **x != 0.0).count(), k));
    let mut taken = vec![false; trips.len()];
    let mut out = vec![1.0; rows.len()];
    for k in order {
        if let Some(dim) = (0..trips.len()).rev().find(|&c| rows[k][c] != 0.0 && !taken[c]) {
            taken[dim] = true;
            out[k] = trips[dim];
            let is_digit = |c: usize| rows[k][c] > 1.0 && rows[k][dim] == 1.0 && rows[k][c] >= trips[dim];
            if let Some(high) = (0..dim).find(|&c| is_digit(c) && !taken[c]) {
                taken[high] = true;
                out[k] *= trips[high];
            }
        }
    }
    out
}

/// How the statements of a nest walk its loops, whatever the tile sizes: solved once per order of the loops.
#[derive(Clone, Debug)]
pub struct Walk<'a> {
    /// Hyperplanes of the loops that are not tile loops, outermost first.
    rows: Vec<&'a Hyperplane>,
    /// Per statement and row: change of the statement's dims for one step along the row, and the row's iterations.
    steps: Vec<Vec<(Vec<f64>, f64)>>,
    /// Per statement and row: whether the row carries none of its dependences.
    free: Vec<Vec<bool>>,
    /// Per statement: what bounds its dims.
    bounds: Vec<Vec<Bounding>>,
    /// Per row: whether the number of its iterations is known.
    exact: Vec<bool>,
    /// Instructions of one instance of all statements.
    instructions: f64,
}

/// Whether a loop carries none of a statement's dependences, as far as that is known.
pub type IsFree<'f> = &'f dyn Fn(usize, &Hyperplane) -> bool;

/// Nothing is known of what loops carry.
#[must_use]
pub fn never_free(_: usize, _: &Hyperplane) -> bool {
    false
}

impl<'a> Walk<'a> {
    /// The walk of `stmts` through `loops`.
    #[must_use]
    pub fn new(stmts: &[usize], loops: &[PlanLoop<'a>], facts: &[Facts], is_free: IsFree<'_>) -> Self {
        let inside = loops.iter().filter(|l| !matches!(l.part, Part::Tiles(_) | Part::TilesWithin(..)));
        let rows: Vec<&Hyperplane> = inside.map(|l| l.hyperplane).collect();
        let steps = stmts.iter().map(|&s| {
            let trips = &facts[s].trips;
            let d = trips.len();
            let plain: Vec<Vec<f64>> = rows.iter().map(|h| h[s][..d].iter().map(|x| to_f64(*x)).collect()).collect();
            let found = directions(&plain, d);
            let independent: Vec<bool> = found.iter().map(Option::is_some).collect();
            let counts = row_trips(&plain, &independent, trips);
            found.into_iter().map(|v| v.unwrap_or_else(|| vec![0.0; d])).zip(counts).collect()
        });
        let free = stmts.iter().map(|&s| rows.iter().map(|h| is_free(s, h)).collect()).collect();
        let bounds = stmts.iter().map(|&s| facts[s].bounds.clone()).collect();
        let exact =
            rows.iter().map(|h| stmts.iter().all(|s| straight::is_exact(h[*s].as_slice(), &facts[*s]))).collect();
        let instructions = stmts.iter().map(|s| facts[*s].instructions()).sum();
        Self { steps: steps.collect(), free, bounds, exact, instructions, rows }
    }

    /// The nest of `stmts` in `loops`, which differ from those of [`Walk::new`] in tiling and unroll-and-jam only.
    #[must_use]
    pub fn nest(&self, stmts: &[usize], loops: &[PlanLoop<'_>], carry: Vec<Carry>) -> Nest {
        let made = loops.iter().map(|l| {
            let row = self.row_of(l);
            let (mut directions, mut trips) = (Vec::with_capacity(stmts.len()), Vec::with_capacity(stmts.len()));
            for steps in &self.steps {
                let (direction, count) = row.map_or((&[][..], 1.0), |r| (steps[r].0.as_slice(), steps[r].1));
                let (scale, trip) = match l.part {
                    Part::Whole => (1.0, count),
                    Part::Tiles(size) => (to_f64(size), (count / to_f64(size)).max(1.0)),
                    Part::TilesWithin(size, all) => (to_f64(size), (count.min(to_f64(all)) / to_f64(size)).max(1.0)),
                    Part::Points(size) => (1.0, count.min(to_f64(size))),
                };
                directions.push(direction.iter().map(|x| x * scale).collect());
                trips.push(trip);
            }
            Loop { directions, trips }
        });
        let partial = self.partial(loops, &carry);
        let lanes = loops.iter().map(|l| f64::from(l.lanes)).fold(1.0, f64::max);
        let made: Vec<Loop> = made.collect();
        let free = |rows: &Vec<bool>| loops.iter().map(|l| self.row_of(l).is_some_and(|r| rows[r])).collect();
        let inner = loops.last().zip(made.last()).filter(|_| lanes == 1.0);
        let straight = inner.is_some_and(|(of, inner)| self.is_straight(of, inner));
        Nest {
            stmts: stmts.to_vec(),
            free: self.free.iter().map(free).collect(),
            loops: made,
            carry,
            jam: loops.iter().map(|l| l.jam).collect(),
            lanes,
            partial,
            is_ragged: self.is_ragged(loops),
            straight: usize::from(straight),
            ..Nest::default()
        }
    }

    /// The row that a loop runs along.
    fn row_of(&self, l: &PlanLoop<'_>) -> Option<usize> {
        self.rows.iter().position(|h| std::ptr::eq(*h, l.hyperplane))
    }

    /// Whether a loop along a row is in no tiles, or in one that holds it.
    fn is_whole(&self, l: &PlanLoop<'_>, row: usize) -> bool {
        let fits = |size: i64| self.steps.iter().all(|steps| steps[row].1 <= to_f64(size));
        matches!(l.part, Part::Whole) || matches!(l.part, Part::Points(size) if fits(size))
    }

    /// Whether an innermost loop becomes straight code.
    fn is_straight(&self, of: &PlanLoop<'_>, inner: &Loop) -> bool {
        let is_exact = |row: usize| self.is_whole(of, row) && self.exact[row];
        straight::is_straight(inner, self.instructions, self.row_of(of).is_some_and(is_exact))
    }

    /// Whether the innermost loop has another length in each run: it is in no tiles, or in one that holds it, and
    /// bounds tie its counter to that of a loop around.
    fn is_ragged(&self, loops: &[PlanLoop<'_>]) -> bool {
        let Some(inner) = loops.last() else { return false };
        let Some(own) = self.row_of(inner) else { return false };
        if !self.is_whole(inner, own) {
            return false;
        }
        let of = |(steps, bounds): (&Vec<(Vec<f64>, f64)>, &Vec<Bounding>)| {
            let moves = |b: &Bounding, row: usize| {
                steps[row].1 > 1.0 && steps[row].0.iter().zip(&b.dims).map(|(x, c)| x * c).sum::<f64>() != 0.0
            };
            let ties = |b: &Bounding| moves(b, own) && (0..steps.len()).any(|row| row != own && moves(b, row));
            bounds.iter().any(ties)
        };
        self.steps.iter().zip(&self.bounds).any(of)
    }

    /// Part of the instances in tiles that bounds cut into, where iterations of such tiles would be jammed.
    fn partial(&self, loops: &[PlanLoop<'_>], carry: &[Carry]) -> f64 {
        if loops.iter().all(|l| l.jam == 1.0) {
            return 0.0;
        }
        let of = |((steps, bounds), carry): ((&Vec<(Vec<f64>, f64)>, &Vec<Bounding>), &Carry)| {
            let is_chain = *carry != Carry::Nothing;
            let cut = |b: &Bounding| {
                let moved = |l: &PlanLoop<'_>| {
                    let (direction, count) =
                        self.row_of(l).map_or((&[][..], 1.0), |row| (&steps[row].0[..], steps[row].1));
                    (direction.iter().zip(&b.dims).map(|(x, c)| x * c).sum::<f64>().abs(), count)
                };
                // By how much a tile's size moves the bound, and the least that all iterations of one loop do.
                let (mut reach, mut longest, mut least, mut jammed) = (0.0, 0.0, f64::INFINITY, false);
                for l in loops {
                    if let (Part::Points(size), (by, count)) = (l.part, moved(l))
                        && by != 0.0
                    {
                        reach += by * (to_f64(size) - 1.0);
                        longest = f64::max(longest, by * (to_f64(size) - 1.0));
                        least = f64::min(least, by * count);
                        jammed |= l.jam > 1.0;
                    }
                }
                // Copies of a loop with bounds of their own stand one after the other, and so do their chains.
                let inner = loops.last().filter(|l| matches!(l.part, Part::Whole));
                if jammed && is_chain && inner.is_some_and(|l| moved(l).0 != 0.0) {
                    return 1.0;
                }
                // Strips as long as the tiles: the bound cuts into the last one.
                let whole = loops.iter().filter(|l| matches!(l.part, Part::Whole)).map(moved);
                let least = whole.filter(|(by, _)| *by > longest).map(|(by, count)| by * count).fold(least, f64::max);
                match b.exact {
                    _ if b.from_zero || !jammed => 0.0,
                    // Tiles get sizes that divide such loops.
                    Some(count) if to_f64(count) > reach => 0.0,
                    _ if least <= reach => 1.0,
                    _ => reach / (2.0 * least),
                }
            };
            bounds.iter().map(cut).sum::<f64>().min(1.0)
        };
        self.steps.iter().zip(&self.bounds).zip(carry).map(of).fold(0.0, f64::max)
    }
}

/// The nest of statements that share all of `loops`.
#[must_use]
pub fn nest(stmts: &[usize], loops: &[PlanLoop<'_>], carry: Vec<Carry>, facts: &[Facts], is_free: IsFree<'_>) -> Nest {
    Walk::new(stmts, loops, facts, is_free).nest(stmts, loops, carry)
}

/// Per statement of the band: what the innermost loop of `layout` carries between instances that run in one loop.
/// Statements with fewer dims than the band has members run beside the others, not with them.
#[must_use]
pub fn carries(band: &BandPlan, layout: &Layout) -> Vec<Carry> {
    let Some(&inner) = layout.order.last() else {
        return vec![Carry::Chain; band.stmts.len()];
    };
    let outer = unjammed(band, layout, layout.order.len() - 1);
    let whole = whole(band);
    let worst = |s: usize| {
        let touching = band.pieces.iter().filter(|p| touches(&whole, s, p));
        let of = |p: &Piece| match carry_of(p, &outer, &band.members[inner]) {
            Carry::Chain if p.is_read_before() => Carry::Nothing,
            carry => carry,
        };
        touching.map(of).max().unwrap_or(Carry::Nothing)
    };
    band.stmts.iter().map(|&s| worst(s)).collect()
}

/// Statements with as many dims as the band has members.
#[must_use]
pub fn whole(band: &BandPlan) -> Vec<usize> {
    let is_whole = |s: usize| {
        let rows: Vec<Vec<i64>> = band.members.iter().map(|m| m[s][..m[s].len() - 1].to_vec()).collect();
        rank(&rows, rows.first().map_or(0, Vec::len)) == Some(rows.len())
    };
    band.stmts.iter().copied().filter(|&s| is_whole(s)).collect()
}

/// Whether a dependence is between instances of `s`, or of it and another statement that runs with it.
fn touches(whole: &[usize], s: usize, p: &Piece) -> bool {
    (p.src == s && p.dst == s) || ((p.src == s || p.dst == s) && whole.contains(&p.src) && whole.contains(&p.dst))
}

/// Per member of the band and statement: whether the member carries none of the statement's dependences.
pub fn is_free(band: &BandPlan) -> impl Fn(usize, &Hyperplane) -> bool {
    let whole = whole(band);
    move |s, h| {
        let inside = band.members.iter().any(|m| std::ptr::eq(m, h));
        inside && band.pieces.iter().filter(|p| touches(&whole, s, p)).all(|p| p.is_at_zero(h))
    }
}

/// The members outside of position `at` whose values are equal in one run of that loop: jammed ones are not.
#[must_use]
pub fn unjammed<'a>(band: &'a BandPlan, layout: &Layout, at: usize) -> Vec<&'a Hyperplane> {
    layout.order[..at].iter().filter(|&&m| layout.jam[m] == 1).map(|&m| &band.members[m]).collect()
}

/// What `member` carries of one dependence among instances with equal values of `outer`: a chain where every pair is
/// equally far apart.
#[must_use]
pub fn carry_of(piece: &Piece, outer: &[&Hyperplane], member: &Hyperplane) -> Carry {
    if piece.is_at_zero(member) {
        return Carry::Nothing;
    }
    let Some(rest) = outer.iter().try_fold(piece.clone(), |q, m| q.at_zero(m)) else {
        return Carry::Nothing;
    };
    if rest.is_at_zero(member) {
        return Carry::Nothing;
    }
    let mut far = rest.gens.iter().map(|g| (rest.distance(g, member), i128::from(g[g.len() - 1])));
    let Some((Some(distance), height)) = far.clone().find(|(_, h)| *h > 0) else {
        return Carry::Some;
    };
    let equal = |(d, h): (Option<i128>, i128)| {
        d.and_then(|d| Some(d.checked_mul(height)? == distance.checked_mul(h)?)) == Some(true)
    };
    if far.all(equal) { Carry::Chain } else { Carry::Some }
}

/// Whether no dependence is carried by `member` among instances with equal values of `outer`.
#[must_use]
pub fn coincident_after(pieces: &[Piece], outer: &[&Hyperplane], member: &Hyperplane) -> bool {
    pieces.iter().all(|p| carry_of(p, outer, member) == Carry::Nothing)
}

/// Whether the instances with equal members of this band are single statements in sequence.
#[must_use]
pub fn is_innermost(band: &BandPlan) -> bool {
    match &band.child {
        Plan::Leaf(_) => true,
        Plan::Seq(children) => children.iter().all(|c| matches!(c, Plan::Leaf(_))),
        Plan::Band(_) | Plan::Diamond(_) | Plan::Outside(_) => false,
    }
}

/// All orders of `0..n`, the identity first; only the identity for large `n`.
fn permutations(n: usize) -> Vec<Vec<usize>> {
    if n > MAX_PERMUTED {
        return vec![(0..n).collect()];
    }
    let mut all = vec![Vec::new()];
    for _ in 0..n {
        all = all
            .into_iter()
            .flat_map(|p: Vec<usize>| {
                let rest: Vec<usize> = (0..n).filter(|k| !p.contains(k)).collect();
                rest.into_iter().map(move |k| p.iter().copied().chain([k]).collect::<Vec<_>>())
            })
            .collect();
    }
    all
}

/// What the choice depends on.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// Statements, as the layout is chosen for.
    pub facts: &'a [Facts],
    /// Target, as the layout is chosen for.
    pub machine: &'a Machine,
    /// What the chosen layout is judged by.
    pub scenarios: &'a [Scenario],
    /// Wishes of the user.
    pub config: &'a Config,
    /// Dependences.
    pub deps: &'a Dependences,
    /// Steps left.
    pub budget: &'a Budget,
}

impl Context<'_> {
    /// The nest an innermost band makes with this layout inside `outer`.
    #[must_use]
    pub fn made(&self, band: &BandPlan, layout: &Layout, outer: &[PlanLoop<'_>]) -> Nest {
        let loops = all_loops(outer, band, layout);
        nest(&band.stmts, &loops, carries(band, layout), self.facts, &is_free(band))
    }

    /// The cheapest of these layouts, all of one order, with its estimated cycles; layouts that need too many registers
    /// do not count, nor those that take `limit` or longer.
    fn cheapest_below(
        &self,
        limit: f64,
        band: &BandPlan,
        layouts: Vec<Layout>,
        outer: &[PlanLoop<'_>],
    ) -> Option<(f64, Layout)> {
        let registers = f64::from(self.machine.vector_registers);
        let is_free = is_free(band);
        let mut walk: Option<Walk<'_>> = None;
        let mut carried: BTreeMap<Vec<bool>, Vec<Carry>> = BTreeMap::new();
        let mut moved: BTreeMap<(Vec<Option<i64>>, Vec<Option<i64>>), Moved> = BTreeMap::new();
        let mut best: Option<(f64, Layout)> = None;
        for layout in layouts {
            let loops = all_loops(outer, band, &layout);
            let walk = walk.get_or_insert_with(|| Walk::new(&band.stmts, &loops, self.facts, &is_free));
            let jammed: Vec<bool> = layout.jam.iter().map(|j| *j > 1).collect();
            let any_jammed = jammed.contains(&true);
            let carry = carried.entry(jammed).or_insert_with(|| carries(band, &layout));
            let made = walk.nest(&band.stmts, &loops, carry.clone());
            if any_jammed && made.registers(self.facts) > registers {
                continue;
            }
            let least = best.as_ref().map_or(limit, |(cycles, _)| *cycles);
            let in_tiles = || {
                let sizes = (layout.sizes.clone(), layout.around.clone());
                *moved.entry(sizes).or_insert_with(|| made.moving(self.facts, self.machine))
            };
            if let Some(cycles) = made.cycles_below(least, self.facts, self.machine, in_tiles) {
                best = Some((cycles, layout));
            }
        }
        best
    }

    /// The cheapest of these layouts at all.
    fn cheapest(&self, band: &BandPlan, layouts: Vec<Layout>, outer: &[PlanLoop<'_>]) -> Option<(f64, Layout)> {
        self.cheapest_below(f64::INFINITY, band, layouts, outer)
    }

    /// The cheapest layout of an innermost band; sizes the user gave are taken as they are. Orders are ranked with few
    /// sizes and factors, the best ones are refined.
    #[must_use]
    pub fn choose(&self, band: &BandPlan, outer: &[PlanLoop<'_>]) -> Layout {
        let n = band.members.len();
        let mut orders: Vec<(f64, Layout)> = Vec::new();
        let movable = self.config.vectorize && !is_skewed(band);
        let orders_tried = if movable { permutations(n) } else { vec![(0..n).collect()] };
        for order in orders_tried {
            let mut layouts = Vec::new();
            for sizes in self.first_sizes(&order) {
                let plain = Layout { order: order.clone(), sizes, ..Layout::plain(n) };
                layouts.extend(self.jams(&plain, &[1, 4]));
            }
            let limit = orders.get(REFINED - 1).map_or(f64::INFINITY, |(cycles, _)| *cycles);
            orders.extend(self.cheapest_below(limit, band, layouts, outer));
            orders.sort_by(|a, b| a.0.total_cmp(&b.0));
            orders.truncate(REFINED);
        }
        let fixed = !self.config.tile_sizes.is_empty() || !self.config.tiling || n < 2;
        if !fixed {
            let refined = |(_, l): &(f64, Layout)| self.cheapest(band, self.refined(l), outer);
            let finer: Vec<(f64, Layout)> = orders.iter().filter_map(refined).collect();
            orders.extend(finer);
        }
        let Some((_, layout)) = orders.into_iter().min_by(|a, b| a.0.total_cmp(&b.0)) else {
            return Layout::plain(n);
        };
        let factors = if n == 2 && !self.made(band, &layout, outer).is_vector(self.facts) {
            &FACTORS_OF_ONE[..]
        } else {
            &JAM_FACTORS
        };
        let mut layout = if fixed { layout } else { self.fitted(band, layout, factors) };
        if self.config.second_level_tiling && layout.is_tiled() {
            layout = self.in_levels(band, layout, outer);
        }
        if let Some((_, jammed)) = self.cheapest(band, self.jams(&layout, factors), outer) {
            layout = jammed;
        }
        let best = self.made(band, &layout, outer);
        layout.vector = best.is_vector(self.facts);
        if layout.vector {
            return layout;
        }
        let nearly = if best.straight > 0 { 1.0 } else { NEARLY };
        match self.in_lanes(band, outer) {
            Some((cycles, in_lanes)) if cycles < nearly * best.cycles(self.facts, self.machine) => in_lanes,
            _ => layout,
        }
    }

    /// The cheapest layout in which copies of the loop around the innermost one are lanes of vectors, if that can be.
    fn in_lanes(&self, band: &BandPlan, outer: &[PlanLoop<'_>]) -> Option<(f64, Layout)> {
        let (n, config) = (band.members.len(), self.config);
        let may = config.unroll_jam && config.vectorize && config.tiling && config.tile_sizes.is_empty();
        let may = may && band.stmts.iter().all(|s| self.facts[*s].ops.in_lanes);
        if !may || !(2..=MAX_MEMBERS_OF_LANES).contains(&n) || is_skewed(band) {
            return None;
        }
        let lanes = lanes::width(&band.stmts, self.facts, self.machine)?;
        let mut best = Vec::new();
        for order in permutations(n) {
            let around = order[n - 2];
            let plain = Layout { order, lanes, ..Layout::plain(n) };
            if !self.made(band, &plain, outer).may_run_in_lanes(self.facts) {
                continue;
            }
            let mut layouts = Vec::new();
            for factor in VECTORS.map(|vectors| vectors * lanes) {
                let mut jammed = plain.clone();
                jammed.jam[around] = factor;
                let mut refined = self.refined(&jammed);
                let mut least = refined.clone();
                least.iter_mut().for_each(|layout| layout.sizes[around] = Some(i64::from(factor)));
                refined.extend(least);
                refined.dedup();
                layouts.extend(refined);
            }
            best.extend(self.cheapest(band, layouts, outer));
        }
        best.into_iter().min_by(|a, b| a.0.total_cmp(&b.0))
    }

    /// The layout with tiles in tiles, of the sizes the user gave; without sizes for one level those, or that level
    /// left out, that the cost model expects most of.
    fn in_levels(&self, band: &BandPlan, layout: Layout, outer: &[PlanLoop<'_>]) -> Layout {
        let (first, second) = (&self.config.tile_sizes, &self.config.second_level_tile_sizes);
        let nested = |inner: &dyn Fn(usize, i64) -> i64, around: &dyn Fn(usize, i64) -> i64| {
            let mut next = Layout { jam: vec![1; layout.jam.len()], ..layout.clone() };
            for (k, given) in layout.sizes.iter().enumerate() {
                let Some(given) = *given else { continue };
                let (size, all) = (inner(k, given), around(k, given));
                if 1 < size && size < all {
                    (next.sizes[k], next.around[k]) = (Some(size), Some(all));
                }
            }
            next
        };
        let at = |m: usize| layout.order.iter().position(|o| *o == m).unwrap_or(m);
        let wanted = |m: usize, given: i64| second.get(at(m)).or(second.last()).copied().unwrap_or(given);
        let choices: Vec<Layout> = if first.is_empty() {
            TILES_IN_TILE.iter().map(|f| nested(&wanted, &|k, given| f * wanted(k, given))).collect()
        } else if second.is_empty() {
            INNER_TILES.iter().map(|size| nested(&|_, _| *size, &|_, given| given)).collect()
        } else {
            vec![nested(&wanted, &|_, given| given)]
        };
        let once = second.is_empty().then(|| Layout { jam: vec![1; layout.jam.len()], ..layout.clone() });
        self.cheapest(band, once.into_iter().chain(choices).collect(), outer).map_or(layout, |(_, best)| best)
    }

    /// All unroll-and-jam choices for the tiled loops around the innermost one, none first. Legal in a permutable band:
    /// a jammed loop is a tile of that many iterations.
    fn jams(&self, layout: &Layout, factors: &[u32]) -> Vec<Layout> {
        let n = layout.order.len();
        let mut all = vec![Layout { jam: vec![1; n], ..layout.clone() }];
        if !self.config.unroll_jam {
            return all;
        }
        for &m in &layout.order[(n - 1).saturating_sub(MAX_JAMMED)..n - 1] {
            let fits = |f: u32| f == 1 || layout.sizes[m].is_some_and(|s| s % i64::from(f) == 0);
            let with = |l: &Layout, f: u32| {
                let mut next = l.clone();
                next.jam[m] = f;
                next
            };
            all = all.iter().flat_map(|l| factors.iter().filter(|f| fits(**f)).map(move |f| with(l, *f))).collect();
        }
        all
    }

    /// Tile sizes moved to divide loops that run from 0 to a known constant, so that fewer tiles are cut; the largest
    /// of the factors divides them.
    fn fitted(&self, band: &BandPlan, mut layout: Layout, factors: &[u32]) -> Layout {
        for (m, size) in layout.sizes.iter_mut().enumerate() {
            let Some(wanted) = *size else {
                continue;
            };
            let step = factors.last().map_or(1, |most| i64::from(*most));
            let Some(trip) = self.exact_trip(band, m).filter(|t| *t > wanted) else {
                continue;
            };
            let waste = |s: i64| (trip + s - 1) / s * s - trip;
            let near = (wanted * 5 / 8 / step..=wanted * 11 / 8 / step).map(|q| q * step).filter(|s| *s >= step);
            *size = near.min_by_key(|s| (waste(*s), (s - wanted).abs())).or(*size);
        }
        layout
    }

    /// The constant number of values of member `m`, from 0 on, if it is a loop of each statement with such bounds.
    fn exact_trip(&self, band: &BandPlan, m: usize) -> Option<i64> {
        let trip = |s: usize| {
            let row = &band.members[m][s];
            let d = row.len() - 1;
            let dim = (0..d).find(|&k| row[k] != 0)?;
            let unit = row[dim] == 1 && row.iter().filter(|x| **x != 0).count() == 1;
            self.facts[s].exact[dim].filter(|_| unit)
        };
        let mut trips = band.stmts.iter().map(|&s| trip(s));
        let first = trips.next()??;
        trips.all(|t| t == Some(first)).then_some(first)
    }

    /// Sizes of each member to rank an order of them with: the user's, outermost loop first, or none and the default.
    fn first_sizes(&self, order: &[usize]) -> Vec<Vec<Option<i64>>> {
        let n = order.len();
        if !self.config.tiling || n < 2 {
            return vec![vec![None; n]];
        }
        let default = vec![Some(DEFAULT_TILE); n];
        match self.config.tile_sizes.last() {
            Some(last) => {
                let given = self.config.tile_sizes.iter().chain(std::iter::repeat(last));
                let mut sizes = vec![None; n];
                order.iter().zip(given).for_each(|(&m, size)| sizes[m] = Some(*size).filter(|s| *s > 1));
                vec![sizes]
            }
            None if self.config.process_unprofitable => vec![default],
            None => vec![vec![None; n], default],
        }
    }

    /// Layouts with the same order and unroll-and-jam, and other tile sizes.
    fn refined(&self, layout: &Layout) -> Vec<Layout> {
        let n = layout.order.len();
        let mut out = Vec::new();
        for inner in INNER_SIZES {
            for first in OUTER_SIZES {
                for rest in OUTER_SIZES {
                    if n == 2 && (first != rest || (inner.is_none() && self.config.process_unprofitable)) {
                        continue;
                    }
                    let mut sizes = vec![Some(rest); n];
                    sizes[layout.order[0]] = Some(first);
                    sizes[layout.order[n - 1]] = inner;
                    out.push(Layout { sizes, ..layout.clone() });
                }
            }
        }
        out
    }
}

/// Factor on the estimated time of skewed bands: where tiles of a skewed loop, or loops inside of it, have bounds that
/// depend on it. A loop that only counts from another number in each run of the loops around costs nothing.
#[must_use]
pub fn skew_penalty(band: &BandPlan, layout: &Layout, facts: &[Facts]) -> f64 {
    let dims = |m: usize, s: usize| {
        let row = &band.members[m][s];
        (0..row.len().saturating_sub(1)).filter(|k| row[*k] != 0).collect::<Vec<usize>>()
    };
    let counts = |at: usize, s: usize| {
        let (m, around) = (layout.order[at], &layout.order[..at]);
        let own = dims(m, s);
        let is_new = |k: &&usize| !around.iter().any(|o| dims(*o, s).contains(k));
        let longest = own.iter().map(|k| facts[s].trips[*k]).fold(0.0, f64::max);
        let is_cut = layout.sizes[m].is_some_and(|size| to_f64(size) < longest);
        own.len() > 1 && (is_cut || own.iter().filter(is_new).count() > 1)
    };
    let is_skewed = |at: usize| band.stmts.iter().any(|s| counts(at, *s));
    if (0..layout.order.len()).any(is_skewed) { SKEW_PENALTY } else { 1.0 }
}

/// Whether some row takes more than one dim.
#[must_use]
pub fn is_skewed(band: &BandPlan) -> bool {
    let dims = |r: &Vec<i64>| r.iter().take(r.len().saturating_sub(1)).filter(|x| **x != 0).count();
    band.members.iter().flatten().any(|r| dims(r) > 1)
}
