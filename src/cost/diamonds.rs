//! Sizes of diamond tiles.
//!
//! In: tile hyperplanes, the facts of the statements that every estimate is made from. Out: a size for each hyperplane.
//! A tile counts as a box: as many time steps as the diamond is high, as wide as its middle. The sizes are the largest
//! with which a time step of a tile stays in the second-level cache, not those of the least estimated time: these are
//! larger, and slower (jacobi-2d of 1300 x 1300, 128 x 128 x 64 estimated best: 1.15 times the original's speed, 16 x
//! 16 1.31; heat-3d of 120 cubed, 32 x 32 x 16: 1.15, 16 x 16 x 16 1.54).

use super::refs::to_f64;
use super::traffic::USABLE;
use super::{Facts, Machine};

/// Candidate sizes of the diamond, in values of a tile hyperplane.
const SIZES: [i64; 6] = [512, 256, 128, 64, 32, 16];
/// Size of the other tile hyperplanes, where they are tiled, and of the innermost one.
const BESIDE: (i64, i64) = (16, 64);
/// Part of the second-level cache that a tile may fill where only tiling the innermost loop would make it smaller,
/// which costs more than the misses; elsewhere [`USABLE`].
const SPILLED: f64 = 2.0;

/// Diamond tiles; each hyperplane has a row `[dims | 1]` by statement.
#[derive(Clone, Copy, Debug)]
pub struct Diamonds<'a> {
    /// Statements inside.
    pub stmts: &'a [usize],
    /// The time loop.
    pub time: &'a [Vec<i64>],
    /// Tile hyperplanes; the first two are the sides of the diamond.
    pub tiles: &'a [Vec<Vec<i64>>],
    /// The sum of the first two over the time loop.
    pub multiple: i64,
}

impl Diamonds<'_> {
    /// Extent of one tile of these sizes (`None`: not tiled) along a loop of the original order; `None` for all of it.
    #[must_use]
    pub fn extent(&self, sizes: &[Option<i64>], row: &[i64], s: usize) -> Option<i64> {
        let d = row.len() - 1;
        if row[..d] == self.time[s][..d] {
            return Some(sizes[0].map_or(1, |size| (2 * size / self.multiple).max(1)));
        }
        let dim = (0..d).find(|&k| row[k] != 0)?;
        self.along(sizes, dim, s)
    }

    /// Size of the tiles along a dim of a statement, if they are tiled there.
    fn along(&self, sizes: &[Option<i64>], dim: usize, s: usize) -> Option<i64> {
        let adds = |t: &usize| own_dim(&self.tiles[*t][s], &self.time[s]) == Some(dim);
        (0..sizes.len()).find(adds).and_then(|t| sizes[t])
    }

    /// The largest sizes with which a tile, as wide as its middle, fits in the second-level cache; the inner dims stay
    /// whole as far as that goes. A wavefront has a tile more than there are cores, but where the smallest are too
    /// large for that.
    #[must_use]
    pub fn sizes(&self, facts: &[Facts], machine: &Machine) -> Vec<Option<i64>> {
        let n = self.tiles.len();
        let sizes = |size: i64, tiled: usize| -> Vec<Option<i64>> {
            let beside = |k: usize| if k + 1 == n { BESIDE.1 } else { BESIDE.0 };
            (0..n).map(|k| if k < 2 { Some(size) } else { (k < tiled).then(|| beside(k)) }).collect()
        };
        let smallest = SIZES[SIZES.len() - 1];
        let spilled = (n > 2).then_some((n - 1, SPILLED));
        let tries = (2..n.max(3)).map(|tiled| (tiled, USABLE)).chain(spilled).chain([(n, USABLE)]);
        for (tiled, room) in tries {
            for size in SIZES {
                let fits = self.tile_bytes(facts, &sizes(size, tiled)) <= room * bytes(machine.l2_bytes);
                let many = to_f64(size) * (f64::from(machine.cores) + 1.0) <= self.width(facts);
                if fits && (many || size == smallest) {
                    return sizes(size, tiled);
                }
            }
        }
        sizes(smallest, n)
    }

    /// Iterations of the loop that the diamond skews, in the statement where they are most.
    fn width(&self, facts: &[Facts]) -> f64 {
        let of = |&s: &usize| own_dim(&self.tiles[0][s], &self.time[s]).map_or(1.0, |k| facts[s].trips[k]);
        self.stmts.iter().map(of).fold(1.0, f64::max)
    }

    /// Bytes of memory that one time step of a tile touches.
    fn tile_bytes(&self, facts: &[Facts], sizes: &[Option<i64>]) -> f64 {
        let volume = |s: usize| {
            let trips = &facts[s].trips;
            let extent = |k: usize| {
                let whole = if self.time[s][k] == 0 { trips[k] } else { 1.0 };
                self.along(sizes, k, s).map_or(whole, |size| whole.min(to_f64(size)))
            };
            (0..trips.len()).map(extent).product::<f64>()
        };
        let mut arrays: Vec<(usize, f64)> = Vec::new();
        for &s in self.stmts {
            let volume = volume(s);
            for r in facts[s].refs.iter().filter(|r| !r.subscripts.is_empty()) {
                match arrays.iter_mut().find(|(a, _)| *a == r.array) {
                    Some((_, most)) => *most = most.max(volume * r.elem_bytes),
                    None => arrays.push((r.array, volume * r.elem_bytes)),
                }
            }
        }
        arrays.iter().map(|(_, b)| b).sum()
    }
}

/// The innermost dim that `row` takes and `time` does not.
#[must_use]
pub fn own_dim(row: &[i64], time: &[i64]) -> Option<usize> {
    (0..row.len().saturating_sub(1)).rev().find(|&k| row[k] != 0 && time[k] == 0)
}

/// The nearest number.
#[must_use]
#[allow(clippy::cast_precision_loss)]
pub fn bytes(x: u64) -> f64 {
    x as f64
}
