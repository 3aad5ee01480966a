//! Blocks of a contraction, and what it takes to run in them from packed copies.
//!
//! In: numbers of the target, the extents. Approximate; nothing here decides legality.
//! Source: Low, Igual, Smith, Quintana-Ortí, ACM TOMS 43(2), 2016, for which block belongs into which cache.

use super::parts::Parts;
use super::refs::to_f64;
use super::{Estimate, Machine};
use crate::model::contraction::Costs;
use crate::model::tree::Blocks;

/// Registers that the arithmetic needs besides what it keeps: a product that waits for its sum.
const PASSING: u32 = 1;
/// Most vectors of columns beside each other.
const MAX_VECTORS: u32 = 3;
/// Depth of a block where the first-level cache does not limit it: each element of what is updated is loaded and stored
/// once for so many updates.
const MAX_DEPTH: u64 = 256;
/// Least depth.
const MIN_DEPTH: u64 = 32;
/// Bytes of the packed block of columns, at most: it stays in the last-level cache.
const COLUMNS_BYTES: u64 = 4 << 20;
/// Part of the peak rate that the kernel reaches.
const EFFICIENCY: f64 = 0.85;
/// Cycles per element packed for rows, one by one, and for columns, mostly in vectors.
const PACKED: [f64; 2] = [1.3, 0.6];
/// Cycles per element of a tile at the edge, which goes through a buffer, where nobody knows how many are there.
const AT_EDGE_EACH: f64 = 0.7;
/// The same per row of a tile, and per vector of that, where sizes are known.
const AT_EDGE: [f64; 2] = [14.0, 9.0];
/// Cycles per call of the kernel.
const CALL: f64 = 30.0;
/// Cycles per execution: filling the record, room for the packed copies.
const ENTRY: f64 = 400.0;
/// Cycles from the operands of a fused product and sum to its result: a tile with few vectors waits for them.
const LATENCY: f64 = 4.0;
/// Loads per cycle.
const LOADS: f64 = 2.0;
/// Time of a tile that fits the extents over that of the usual one below which it is taken: kernels of one shape are
/// shared.
const FITTED: f64 = 0.85;
/// Cycles per byte that comes from the last-level cache or from memory or goes there.
const MOVED: f64 = 0.1;

/// Cycles of a vector that the original updates in the first-level cache: two loads, the arithmetic, a store.
const UPDATED: f64 = 2.4;
/// Cycles to make a page of memory that was not used before.
const FRESH_PAGE: f64 = 6000.0;
/// Bytes of a page.
const PAGE_BYTES: f64 = 4096.0;
/// What a contraction has to gain over the cost of its memory to be sure of it.
const SURELY: f64 = 5.0;

/// Updates that gain what a KiB of fresh memory costs, where one of them gains so many cycles.
#[must_use]
pub fn updates_per_kib(gain: f64) -> i64 {
    (SURELY * FRESH_PAGE * 1024.0 / PAGE_BYTES / gain).clamp(1.0, 1e6).ceil() as i64
}

/// What is computed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Extents {
    /// Number of rows, columns, and updates of each element.
    pub sizes: [f64; 3],
    /// How often the whole runs.
    pub times: f64,
    /// Cycles of arithmetic per update in vectors of the target's usual width, per element.
    pub arithmetic: f64,
    /// Bytes of an element.
    pub bytes: u32,
    /// Values packed per row and per column.
    pub packed: (u32, u32),
    /// Whether the numbers of rows and of columns are constants: others are guesses, and so is what is left of tiles.
    pub known: [bool; 2],
}

/// The blocks for these extents; `None` where registers do not hold two rows of two vectors. The usual tile has the
/// most updates per element loaded; where the extents leave much of it empty, one that fits them takes its place.
#[must_use]
pub fn blocks(machine: &Machine, of: &Extents) -> Option<Blocks> {
    let lanes = machine.widest_bits / 8 / of.bytes.max(1);
    let packed = of.packed;
    let fits =
        |rows: u32, vectors: u32| rows * vectors + packed.1 * vectors + packed.0 + PASSING <= machine.vector_registers;
    let most_rows = |vectors: u32| (2..=machine.vector_registers).rev().find(|rows| fits(*rows, vectors));
    let shapes = (1..=MAX_VECTORS).filter_map(|vectors| Some((most_rows(vectors)?, vectors)));
    let shapes: Vec<(u32, u32)> = shapes.collect();
    // Updates per element loaded, then in all.
    let reuse = |(rows, vectors): &&(u32, u32)| {
        (rows * vectors * 100 / (packed.0 * rows + packed.1 * vectors).max(1), rows * vectors)
    };
    let usual = shapes.iter().filter(|(_, vectors)| *vectors > 1).max_by_key(reuse).filter(|_| lanes >= 2)?;
    let usual = in_blocks(machine, of, *usual, lanes);
    let time = |blocks: &Blocks| estimate(blocks, of, machine).cycles;
    // As many rows in each tile.
    let even = |(rows, vectors): &(u32, u32)| {
        let tiles = (of.sizes[0] / f64::from(*rows)).ceil().max(1.0);
        (((of.sizes[0] / tiles).ceil() as u32).clamp(1, *rows), *vectors)
    };
    let fitted = shapes.iter().map(|shape| in_blocks(machine, of, even(shape), lanes));
    let best = fitted.min_by(|a, b| time(a).total_cmp(&time(b)))?;
    Some(if time(&best) < FITTED * time(&usual) { best } else { usual })
}

fn in_blocks(machine: &Machine, of: &Extents, (rows, vectors): (u32, u32), lanes: u32) -> Blocks {
    let bytes = u64::from(of.bytes);
    let (of_row, of_column) = (bytes * u64::from(of.packed.0.max(1)), bytes * u64::from(of.packed.1.max(1)));
    let depth = (machine.l1_bytes / 2 / (u64::from(rows) * of_row)).clamp(MIN_DEPTH, MAX_DEPTH) / 8 * 8;
    let multiple = |all: u64, of: u32| u32::try_from(all / u64::from(of)).unwrap_or(1).max(1) * of;
    Blocks {
        rows,
        vectors,
        lanes,
        depth: u32::try_from(depth).unwrap_or(u32::MAX),
        block_rows: multiple(machine.l2_bytes / 2 / (depth * of_row), rows),
        block_columns: multiple(COLUMNS_BYTES.min(machine.l3_bytes / 2) / (depth * of_column), vectors * lanes),
    }
}

/// Cycles of a tile of depth 1.
fn work(blocks: &Blocks, of: &Extents, machine: &Machine) -> f64 {
    let (per_row, per_column) = (f64::from(of.packed.0), f64::from(of.packed.1));
    let (rows, columns) = (f64::from(blocks.rows), f64::from(blocks.columns()));
    let rate = f64::from(machine.vector_bits) / f64::from(machine.widest_bits);
    let loads = (per_row * rows + per_column * f64::from(blocks.vectors)) / LOADS;
    (rows * columns * of.arithmetic * rate).max(loads).max(LATENCY) / EFFICIENCY
}

/// Cycles of a tile at the edge besides.
fn at_edge(blocks: &Blocks) -> f64 {
    f64::from(blocks.rows) * (AT_EDGE[0] + AT_EDGE[1] * f64::from(blocks.vectors))
}

/// What [`estimate`] says of small sizes, for code that is to find out what it has to do.
#[must_use]
pub fn costs(blocks: &Blocks, of: &Extents, machine: &Machine) -> Costs {
    let units = |cycles: f64| (cycles * to_f64(Costs::UNITS)).clamp(1.0, 1e6).round() as i64;
    let lanes = f64::from(machine.vector_bits / 8 / of.bytes.max(1)).max(1.0);
    Costs {
        tile: [blocks.rows, blocks.columns()].map(i64::from),
        work: units(work(blocks, of, machine)),
        call: units(CALL),
        packed: [units(PACKED[0] * f64::from(of.packed.0)), units(PACKED[1] * f64::from(of.packed.1))],
        at_edge: units(AT_EDGE_EACH),
        entry: units(ENTRY),
        original: units((UPDATED / lanes).max(of.arithmetic)),
    }
}

/// Estimated time.
#[must_use]
pub fn estimate(blocks: &Blocks, of: &Extents, machine: &Machine) -> Estimate {
    let [rows, columns, depth] = of.sizes;
    let (tile_rows, tile_columns) = (f64::from(blocks.rows), f64::from(blocks.columns()));
    let (per_row, per_column) = (f64::from(of.packed.0), f64::from(of.packed.1));
    let whole = |all: f64, by: f64| (all / by).ceil();
    let tiles = whole(rows, tile_rows) * whole(columns, tile_columns);
    let calls = tiles * whole(depth, f64::from(blocks.depth));
    let work = tiles * depth * work(blocks, of, machine);
    let again = whole(columns, f64::from(blocks.block_columns));
    // Copies hold whole tiles.
    let in_tiles = |size: f64, tile: f64, is_known: bool| if is_known { whole(size, tile) * tile } else { size };
    let packed_rows = in_tiles(rows, tile_rows, of.known[0]);
    let packed_columns = in_tiles(columns, tile_columns, of.known[1]);
    let packed = [per_row * packed_rows * depth * again, per_column * packed_columns * depth];
    let (blocks_of_depth, updated) = (whole(depth, f64::from(blocks.depth)), rows * columns);
    let inside = (rows / tile_rows).floor() * (columns / tile_columns).floor();
    let at_edges = match of.known {
        [false, false] => AT_EDGE_EACH * (updated - inside * tile_rows * tile_columns),
        _ => (tiles - inside) * at_edge(blocks),
    };
    let (at_edges, updated) = (at_edges * blocks_of_depth, updated * blocks_of_depth);
    let moved = (packed[0] + packed[1] + 2.0 * updated) * f64::from(of.bytes);
    let far = (moved / to_f64(i64::try_from(machine.l2_bytes).unwrap_or(i64::MAX))).min(1.0);
    let packing = PACKED[0] * packed[0] + PACKED[1] * packed[1];
    let cycles = work + packing + at_edges + CALL * calls + MOVED * moved * far + ENTRY;
    let cycles = of.times * cycles;
    Estimate { cycles, parts: Parts { compute: of.times * work, ..Parts::default() } }
}

#[cfg(test)]
mod tests {
    use super::{Extents, blocks, costs, estimate};
    use crate::cost::Machine;

    fn machine(widest_bits: u32, vector_registers: u32) -> Machine {
        let (l1_bytes, l2_bytes, l3_bytes) = (32 << 10, 1 << 20, 32 << 20);
        let vector_bits = 256;
        Machine { l1_bytes, l2_bytes, l3_bytes, vector_bits, widest_bits, vector_registers, ..Machine::COMMON }
    }

    fn shape_for(size: f64, (widest_bits, vector_registers): (u32, u32), packed: (u32, u32)) -> Option<(u32, u32)> {
        let machine = machine(widest_bits, vector_registers);
        let arithmetic = 0.5 / 4.0;
        let extents = Extents { sizes: [size; 3], times: 1.0, arithmetic, bytes: 8, packed, known: [false; 2] };
        blocks(&machine, &extents).map(|b| (b.rows, b.columns()))
    }

    fn shape(widest_bits: u32, vector_registers: u32, packed: (u32, u32)) -> Option<(u32, u32)> {
        shape_for(1000.0, (widest_bits, vector_registers), packed)
    }

    #[test]
    fn a_tile_and_what_passes_fit_into_the_registers() {
        assert_eq!(shape(256, 16, (1, 1)), Some((6, 8)));
        assert_eq!(shape(512, 32, (1, 1)), Some((9, 24)));
        assert_eq!(shape(128, 16, (1, 1)), Some((6, 4)));
        assert_eq!(shape(512, 32, (2, 2)), Some((7, 24)));
    }

    #[test]
    fn small_extents_have_tiles_that_fit_them() {
        assert_eq!(shape_for(32.0, (512, 32), (1, 1)), Some((16, 8)));
        assert_eq!(shape_for(8.0, (512, 32), (1, 1)), Some((8, 8)));
    }

    /// Whether 8-byte elements whose arithmetic takes so many cycles pay.
    fn pays(arithmetic: f64, sizes: [i64; 3]) -> bool {
        let machine = machine(512, 32);
        let extents =
            Extents { sizes: [1000.0; 3], times: 1.0, arithmetic, bytes: 8, packed: (1, 1), known: [false; 2] };
        let blocks = blocks(&machine, &extents).expect("tiles of 9x24");
        costs(&blocks, &extents, &machine).pay(250, sizes)
    }

    #[test]
    fn costly_arithmetic_pays_in_tiles_that_are_full() {
        let (integers, floats) = (0.375, 0.125);
        for (sizes, of_integers) in [([27, 24, 100], true), ([32, 32, 100], false), ([45, 48, 100], true)] {
            assert_eq!(pays(integers, sizes), of_integers, "{sizes:?}");
            assert!(pays(floats, sizes), "{sizes:?}");
        }
        assert!(pays(integers, [1 << 40; 3]) && !pays(floats, [0, 24, 100]) && !pays(floats, [4, 4, 4]));
    }

    #[test]
    fn a_tile_at_the_edge_takes_as_long_as_a_whole_one_where_that_is_known() {
        let machine = machine(512, 32);
        let cycles = |rows: f64, known: [bool; 2]| {
            let extents =
                Extents { sizes: [rows, 24.0, 32.0], times: 1.0, arithmetic: 0.125, bytes: 8, packed: (1, 1), known };
            let usual = Extents { sizes: [1000.0; 3], known: [false; 2], ..extents };
            estimate(&blocks(&machine, &usual).expect("tiles of 9x24"), &extents, &machine).cycles
        };
        let [one, whole] = [28.0, 36.0].map(|rows| cycles(rows, [true; 2]));
        assert!(one > whole && one < 1.1 * whole, "{one} {whole}");
        assert!(cycles(28.0, [false; 2]) < 0.95 * whole);
    }

    #[test]
    fn there_is_no_tile_without_memory_for_copies_or_with_few_registers() {
        assert_eq!(shape(0, 16, (1, 1)), None);
        assert_eq!(shape(256, 4, (1, 1)), None);
    }
}
