//! Blocks of a kernel and tiles in registers, by a model of the device.
//!
//! In: lengths of the loops for blocks and threads, and what a thread does. Out: the sizes with which all blocks are
//! estimated to be done first. What counts is how many blocks each multiprocessor gets, which of them it can run at a
//! time (registers, threads), how much they have to hide waiting behind (warps, and independent elements of a thread),
//! idle threads at the ends of short loops, and loads that threads of one tile share. The device is none in particular;
//! nothing was measured.

use crate::options::MAX_THREADS_ALONG_Z;

/// A device.
#[derive(Clone, Copy, Debug)]
pub struct Gpu {
    /// Multiprocessors.
    pub processors: f64,
    /// What each of them has: threads, blocks, registers, bytes of shared memory.
    pub threads: u32,
    /// See `threads`.
    pub blocks: u32,
    /// See `threads`.
    pub registers: u32,
    /// See `threads`.
    pub shared_bytes: u32,
}

/// Every device since sm_60 has as much for each multiprocessor, and the larger ones as many of these.
pub const DEVICE: Gpu =
    Gpu { processors: 80.0, threads: 2048, blocks: 32, registers: 64 << 10, shared_bytes: 64 << 10 };

/// Threads of a warp.
const WARP: u32 = 32;
/// Registers of a thread besides those that hold elements. Not measured.
pub const OTHER_REGISTERS: u32 = 40;
/// The most that a thread can have.
const MOST_REGISTERS: u32 = 255;
/// Warps, times elements of a thread, that a multiprocessor needs to be busy: four schedulers, latency of arithmetic.
const BUSY: f64 = 16.0;
/// What a load from the nearest cache takes, in multiply-adds.
const LOAD: f64 = 2.0;
/// How many times as fast as the usual sizes others must be estimated to be.
const GAIN: f64 = 1.2;

/// Sizes in x, y and z.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockSizes {
    /// Threads of a block.
    pub threads: [u32; 3],
    /// Elements that each of them has in registers.
    pub tile: [u32; 3],
}

/// What is known of a kernel.
#[derive(Clone, Copy, Debug)]
pub struct KernelShape {
    /// Iterations along x, y and z.
    pub lengths: [f64; 3],
    /// Registers that an element takes.
    pub words: u32,
}

impl Gpu {
    /// How many blocks a multiprocessor can run at a time; 0: not one.
    #[must_use]
    pub fn resident(&self, threads: u32, registers: u32, shared_bytes: u32) -> u32 {
        let warps = threads.div_ceil(WARP).max(1);
        let by_registers = self.registers / (warps * WARP * registers.clamp(1, MOST_REGISTERS));
        let by_memory = self.shared_bytes.checked_div(shared_bytes).unwrap_or(self.blocks);
        (self.threads / (warps * WARP)).min(by_registers).min(by_memory).min(self.blocks)
    }
}

impl BlockSizes {
    /// Registers of a thread, roughly.
    #[must_use]
    pub fn registers(&self, words: u32) -> u32 {
        let [x, y, z] = self.tile;
        OTHER_REGISTERS + words * (x * y * z + x + y)
    }

    fn count(&self) -> u32 {
        self.threads.iter().product()
    }

    /// Time until all blocks are done, in multiply-adds of a lane; `None`: no block can run.
    fn time(&self, device: &Gpu, of: &KernelShape) -> Option<f64> {
        let resident = device.resident(self.count(), self.registers(of.words), 0);
        if resident == 0 {
            return None;
        }
        let along = |d: usize| (of.lengths[d] / f64::from(self.threads[d] * self.tile[d])).ceil().max(1.0);
        let blocks = (0..3).map(along).product::<f64>();
        let of_processor = (blocks / device.processors).ceil();
        let elements = f64::from(self.tile.iter().product::<u32>());
        let warps = of_processor.min(f64::from(resident)) * f64::from(self.count().div_ceil(WARP));
        let each = 1.0 + LOAD * (1.0 / f64::from(self.tile[0]) + 1.0 / f64::from(self.tile[1]));
        let rate = (warps * elements / BUSY).min(1.0);
        Some(of_processor * f64::from(self.count()) * elements * each / rate)
    }
}

/// The usual sizes, or others that are estimated to be much faster: blocks of as many threads, at least a warp along x
/// where the loop is as long, and tiles of half, a quarter, and so on of the usual rows and columns.
#[must_use]
pub fn best(device: &Gpu, of: &KernelShape, usual: BlockSizes, dims: usize) -> BlockSizes {
    let Some(known) = usual.time(device, of) else { return usual };
    let mut best = (known / GAIN, usual);
    for tile in tiles(usual.tile) {
        for threads in blocks(usual.count(), of.lengths[0], dims) {
            let other = BlockSizes { threads, tile };
            if let Some(time) = other.time(device, of).filter(|time| *time < best.0) {
                best = (time, other);
            }
        }
    }
    best.1
}

/// A tile and smaller ones.
fn tiles(mut tile: [u32; 3]) -> Vec<[u32; 3]> {
    let mut all = vec![tile];
    while tile.iter().any(|n| *n > 1) {
        let largest = tile.iter().copied().max().unwrap_or(1);
        tile.iter_mut().filter(|n| **n == largest).for_each(|n| *n /= 2);
        all.push(tile);
    }
    all
}

/// Blocks of so many threads, for so many loops.
fn blocks(count: u32, length: f64, dims: usize) -> Vec<[u32; 3]> {
    let powers = |most: u32| (0..).map(|k| 1_u32 << k).take_while(move |n| *n <= most);
    let is_wide = |x: &u32| *x >= WARP || f64::from(*x) >= length;
    let fits = |d: usize, n: u32| n == 1 || d < dims;
    let mut all = Vec::new();
    for x in powers(count).filter(is_wide) {
        for y in powers(count / x).filter(|y| fits(1, *y)) {
            let z = count / x / y;
            if x * y * z == count && z <= MAX_THREADS_ALONG_Z && fits(2, z) {
                all.push([x, y, z]);
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRODUCT: BlockSizes = BlockSizes { threads: [32, 4, 1], tile: [8, 8, 1] };
    const PLANE: BlockSizes = BlockSizes { threads: [32, 8, 1], tile: [1, 1, 1] };

    fn chosen(lengths: [f64; 3], usual: BlockSizes) -> BlockSizes {
        best(&DEVICE, &KernelShape { lengths, words: 2 }, usual, 2)
    }

    #[test]
    fn registers_and_threads_limit_what_runs_at_a_time() {
        assert_eq!(DEVICE.resident(256, 32, 0), 8);
        assert_eq!(DEVICE.resident(256, 64, 0), 4);
        assert_eq!(DEVICE.resident(32, 16, 0), 32);
        assert_eq!(DEVICE.resident(128, 32, 32 << 10), 2);
        assert_eq!(DEVICE.resident(1024, 255, 0), 0);
    }

    #[test]
    fn large_products_have_large_tiles_and_small_ones_enough_blocks() {
        assert_eq!(chosen([4096.0, 4096.0, 1.0], PRODUCT), PRODUCT);
        assert_eq!(chosen([1100.0, 1000.0, 1.0], PRODUCT), PRODUCT);
        let small = chosen([256.0, 256.0, 1.0], PRODUCT);
        assert!(small.tile[0] < 8 && small.tile[1] < 8, "{small:?}");
    }

    #[test]
    fn short_loops_along_x_leave_threads_to_the_other_ones() {
        assert_eq!(chosen([4000.0, 4000.0, 1.0], PLANE), PLANE);
        let narrow = chosen([3.0, 1e6, 1.0], PLANE);
        assert_eq!(narrow.threads, [4, 64, 1]);
        let low = chosen([1e6, 2.0, 1.0], PLANE);
        assert!(low.threads[1] <= 2, "{low:?}");
    }

    #[test]
    fn a_loop_alone_stays_as_it_is() {
        let row = BlockSizes { threads: [256, 1, 1], tile: [1, 1, 1] };
        for length in [10.0, 1e3, 1e7] {
            let lengths = [length, 1.0, 1.0];
            let of = KernelShape { lengths, words: 2 };
            let found = best(&DEVICE, &of, row, 1);
            assert_eq!(found.threads, [256, 1, 1], "{length}");
        }
    }
}
