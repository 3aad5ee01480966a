//! Sizes of hexagonal tiles in time for a GPU, and whether they pay.
//!
//! In: tile hyperplanes and the facts of the statements. Out: the sizes of the least estimated time, if that is less
//! than with a launch for each statement and time step. What counts is how often kernels are launched, what moves from
//! and to memory, and how long the one block that has a tile takes for its time steps, behind each of which its threads
//! wait for each other. The device is none in particular; nothing was measured.

use super::Facts;
use super::diamonds::{Diamonds, own_dim};
use super::gpu::DEVICE;
use super::refs::to_f64;

/// Seconds from a launch to the next one.
const LAUNCH: f64 = 4e-6;
/// Bytes per second from memory, and from the cache of all multiprocessors, and what that holds.
const MEMORY_RATE: f64 = 1e12;
const CACHE_RATE: f64 = 4e12;
const CACHE_BYTES: f64 = 32e6;
/// Blocks that run on one of them at a time.
const BLOCKS: f64 = 4.0;
/// Instructions of threads per second on one of them, half of what all of its lanes could do.
const RATE: f64 = 9e10;
/// Instructions of a thread for each instance, and besides for each access.
const INSTANCE: f64 = 12.0;
const ACCESS: f64 = 4.0;
/// Seconds that a time step of a block takes at least: memory is waited for, and all threads for each other.
const STEP: f64 = 7e-7;
/// Bytes that a tile may touch: what lies in the first-level cache of a multiprocessor.
const TILE_BYTES: f64 = 64e3;
/// Candidates: time steps of a band, width of the base, size along other dims.
const HEIGHTS: [i64; 5] = [2, 4, 8, 16, 32];
const BASES: [i64; 7] = [4, 8, 16, 32, 64, 256, 1024];
const BESIDE: [i64; 3] = [16, 32, 64];
/// How many times as fast as without them tiles must be estimated to be.
const GAIN: f64 = 1.3;

/// Sizes of a hexagon: time steps of a band, values of the first hyperplane along the base, sizes of the other ones.
pub type HexagonSizes = (i64, i64, Vec<i64>);

/// The sizes with which hexagons are estimated to be fastest; `None`: a launch per time step is as fast.
#[must_use]
pub fn sizes(of: &Diamonds<'_>, facts: &[Facts]) -> Option<HexagonSizes> {
    let shape = Shape::new(of, facts)?;
    let mut best: Option<(f64, HexagonSizes)> = None;
    for height in HEIGHTS {
        for base in BASES {
            for beside in BESIDE {
                let Some(seconds) = shape.seconds(to_f64(height), to_f64(base), to_f64(beside)) else { continue };
                if best.as_ref().is_none_or(|(least, _)| seconds < *least) {
                    best = Some((seconds, (height, base, vec![beside; of.tiles.len().saturating_sub(2)])));
                }
                if of.tiles.len() < 3 {
                    break;
                }
            }
        }
    }
    best.filter(|(seconds, _)| GAIN * seconds <= shape.without()).map(|(_, sizes)| sizes)
}

/// What a stencil does.
struct Shape {
    /// Time steps.
    steps: f64,
    /// Iterations along the hexagons' dim, and along each other one.
    width: f64,
    others: Vec<f64>,
    /// Statements, and instructions of an instance of all of them.
    stmts: f64,
    instructions: f64,
    /// Bytes of one point of all arrays, and bytes that a time step moves without tiles, for each point.
    bytes: f64,
    moved: f64,
    /// Sum of the sides over the time loop.
    multiple: f64,
}

impl Shape {
    fn new(of: &Diamonds<'_>, facts: &[Facts]) -> Option<Self> {
        let first = *of.stmts.first()?;
        let trips = |k: usize| own_dim(&of.tiles[k][first], &of.time[first]).map(|dim| facts[first].trips[dim]);
        let time = (0..of.time[first].len() - 1).find(|dim| of.time[first][*dim] != 0)?;
        let others = (2..of.tiles.len()).map(trips).collect::<Option<Vec<f64>>>()?;
        let refs = || of.stmts.iter().flat_map(|s| facts[*s].refs.iter().filter(|r| !r.subscripts.is_empty()));
        let mut arrays: Vec<(usize, f64)> = refs().map(|r| (r.array, r.elem_bytes)).collect();
        arrays.sort_by_key(|(array, _)| *array);
        arrays.dedup_by_key(|(array, _)| *array);
        let accesses: usize = refs().map(|r| r.count).sum();
        Some(Self {
            steps: facts[first].trips[time],
            width: trips(0)?,
            others,
            stmts: to_f64(i64::try_from(of.stmts.len()).ok()?),
            instructions: INSTANCE * to_f64(i64::try_from(of.stmts.len()).ok()?)
                + ACCESS * to_f64(i64::try_from(accesses).ok()?),
            bytes: arrays.iter().map(|(_, bytes)| bytes).sum(),
            moved: refs().map(|r| r.elem_bytes * f64::from(u8::from(r.reads) + u8::from(r.writes))).sum(),
            multiple: to_f64(of.multiple),
        })
    }

    fn points(&self) -> f64 {
        self.width * self.others.iter().product::<f64>()
    }

    /// Bytes per second where so many are moved again and again.
    fn rate(bytes: f64) -> f64 {
        if bytes <= CACHE_BYTES { CACHE_RATE } else { MEMORY_RATE }
    }

    /// With a launch for each statement and time step.
    fn without(&self) -> f64 {
        let moving = self.points() * self.moved / Self::rate(self.points() * self.bytes);
        let working = self.points() * self.instructions / (DEVICE.processors * RATE);
        self.steps * (self.stmts * LAUNCH + moving.max(working))
    }

    /// With hexagons; `None`: a tile is too large.
    fn seconds(&self, height: f64, base: f64, beside: f64) -> Option<f64> {
        let (band, tiled) = (height * self.multiple, !self.others.is_empty());
        let across = if tiled { beside.powi(i32::try_from(self.others.len()).ok()?) } else { 1.0 };
        let reach = (beside + 2.0 * height).powi(i32::try_from(self.others.len()).ok()?);
        if (base + band) * if tiled { reach } else { 1.0 } * self.bytes > TILE_BYTES || height > self.steps {
            return None;
        }
        let tiles = (self.width / (band + 2.0 * base)).ceil();
        let rows: f64 = self.others.iter().map(|n| ((n + 2.0 * height) / beside).ceil()).product();
        let work = (base + band / 2.0) * across * self.instructions / RATE;
        // Blocks on one multiprocessor share its lanes; what one waits for, the others do not.
        let together = (tiles / DEVICE.processors).clamp(1.0, BLOCKS);
        let block = 2.0 * height * rows * (together * work).max(STEP * self.stmts);
        let waves = (tiles / (DEVICE.processors * together)).ceil();
        let moving = self.points() * 2.0 * self.bytes / Self::rate(self.points() * self.bytes);
        let launches = (self.steps / height).ceil() + 1.0;
        Some(launches * (LAUNCH + (block * waves).max(moving)))
    }
}
