//! Threads of a block, and elements of each thread: what the user says, else what a model of the device says.

use super::{Asked, DIMS, Sizes, THREADS, only_dim};
use crate::cost::ASSUMED_PARAMETER;
use crate::cost::gpu::{BlockSizes, DEVICE, KernelShape, best};
use crate::cost::lengths::lengths;
use crate::error::Failure;
use crate::ids::StmtId;
use crate::model::tree::Member;
use crate::model::{Access, AccessKind};
use crate::options::{KernelPart, MAX_THREADS, MAX_THREADS_ALONG_Z};
use std::collections::BTreeSet;

/// Threads of a block in x, y and z where each thread has a tile of elements in registers: they leave room for few
/// blocks on a multiprocessor.
const TILED_THREADS: [u32; DIMS] = [32, 4, 1];
/// Rows and bytes of a row of such a tile: it takes half of the registers that a thread can have. The most rows and
/// columns that a user gets.
const TILE_ROWS: u32 = 8;
const TILE_ROW_BYTES: u32 = 64;
/// The same where rows are as long as a value says, and threads have several loops inside: these keep addresses.
const TILE_ROWS_AROUND_LOOPS: u32 = 6;
const TILE_ROW_BYTES_AROUND_LOOPS: u32 = 32;
const MAX_TILE: u32 = 16;
/// Bytes of a register.
const REGISTER_BYTES: u32 = 4;

/// Sizes of a kernel.
pub(super) struct OfBlock {
    /// Threads in x, y and z.
    pub threads: [u32; DIMS],
    /// Elements of each loop that a thread has in registers, if it has several.
    pub tile: Option<Vec<u32>>,
    /// Whether a thread would have several if the loops stood alone.
    pub untiled: bool,
}

impl Asked<'_> {
    /// Sizes for loops that become these dimensions. `collects`: their threads collect updates; `stands_alone`: their
    /// threads may have tiles. The model is asked where the lengths of the loops are numbers and the user says nothing.
    ///
    /// # Errors
    /// `Limit` where a coefficient does not fit.
    pub(super) fn block_sizes(
        &self,
        points: &[Member],
        stmts: &[StmtId],
        (dims, collects, stands_alone): (&[u8], bool, bool),
        (sizes, kernel): (Sizes<'_>, usize),
    ) -> Result<OfBlock, Failure> {
        let (block, user) = (sizes.asked.of(kernel, KernelPart::Block), sizes.asked.of(kernel, KernelPart::Tile));
        let usual = tile_of(dims, &self.with_reuse(points, stmts), (self.usual_tile(points, stmts), sizes.tile));
        let untiled = usual.is_some() && !stands_alone && !collects;
        let usual = usual.filter(|_| stands_alone);
        let mut chosen = BlockSizes {
            threads: if usual.is_some() { TILED_THREADS } else { THREADS[dims.len() - 1] },
            tile: [1; DIMS],
        };
        for (long, dim) in usual.iter().flatten().zip(dims) {
            chosen.tile[usize::from(*dim)] = *long;
        }
        if !collects && block.is_empty() && user.is_empty() && sizes.tile.is_empty() {
            let words = (self.written_bytes(stmts) / REGISTER_BYTES).max(1);
            if let Some(lengths) = self.known_lengths(points, stmts, dims)? {
                chosen = best(&DEVICE, &KernelShape { lengths, words }, chosen, dims.len());
            }
        }
        let threads = threads_of(chosen.threads, dims.len(), block);
        let long = |dim: &u8| match user.get(usize::from(*dim)) {
            Some(asked) if stands_alone => asked.div_ceil(threads[usize::from(*dim)]).clamp(1, MAX_TILE),
            _ => chosen.tile[usize::from(*dim)],
        };
        let tile: Vec<u32> = dims.iter().map(long).collect();
        Ok(OfBlock { threads, tile: Some(tile).filter(|tile| tile.iter().any(|n| *n > 1)), untiled })
    }

    /// Iterations in x, y and z, if they are numbers.
    fn known_lengths(&self, points: &[Member], stmts: &[StmtId], dims: &[u8]) -> Result<Option<[f64; DIMS]>, Failure> {
        let params = vec![ASSUMED_PARAMETER; self.scop.params.len()];
        let mut all = [1.0_f64; DIMS];
        for id in stmts {
            let stmt = self.scop.stmt(*id);
            let rows = lengths(&stmt.domain, &params, "parallel loops")?;
            for (member, dim) in points.iter().zip(dims) {
                let row = member.affs.get(id).and_then(|aff| only_dim(aff, stmt.dims())).map(|own| &rows[own]);
                let Some((length, linear)) = row.and_then(|row| row.split_last()) else { return Ok(None) };
                if linear.iter().any(|c| *c != 0.0) {
                    return Ok(None);
                }
                all[usize::from(*dim)] = all[usize::from(*dim)].max(*length);
            }
        }
        Ok(Some(all))
    }

    /// Bytes of the largest element that statements write.
    fn written_bytes(&self, stmts: &[StmtId]) -> u32 {
        let accesses = stmts.iter().flat_map(|id| &self.scop.stmt(*id).accesses);
        let written = accesses.filter(|a| a.kind != AccessKind::Read).map(|a| self.scop.array(a.array).elem_bytes);
        written.max().unwrap_or(1).max(1)
    }

    /// Rows and columns of a tile of what statements write, as many as fit into a thread's registers.
    fn usual_tile(&self, points: &[Member], stmts: &[StmtId]) -> [u32; 2] {
        let accesses = stmts.iter().flat_map(|id| &self.scop.stmt(*id).accesses);
        let mut arrays = accesses.map(|a| self.scop.array(a.array)).filter(|array| array.is_memory());
        let by_values = arrays.any(|array| array.strides.iter().any(|s| s.as_constant().is_none()));
        let has_loops = by_values && stmts.iter().any(|id| self.loops_inside(points, *id) > 1);
        let (most, row_bytes) = match has_loops {
            true => (TILE_ROWS_AROUND_LOOPS, TILE_ROW_BYTES_AROUND_LOOPS),
            false => (TILE_ROWS, TILE_ROW_BYTES),
        };
        [most, (row_bytes / self.written_bytes(stmts)).min(TILE_ROWS)]
    }

    /// How many of a statement's loops lie in one of these, in the order of the program, and are none of them.
    fn loops_inside(&self, points: &[Member], id: StmtId) -> usize {
        let dims = self.scop.stmt(id).dims();
        let own = points.iter().filter_map(|m| m.affs.get(&id).and_then(|aff| only_dim(aff, dims)));
        let own: BTreeSet<usize> = own.collect();
        own.first().map_or(0, |first| (*first..dims).filter(|dim| !own.contains(dim)).count())
    }

    /// Which of the loops side by side find an element again in their next iteration that a loop inside of them all,
    /// and another one of them, walk through.
    fn with_reuse(&self, points: &[Member], stmts: &[StmtId]) -> Vec<bool> {
        let of = |k: usize| {
            stmts.iter().any(|id| {
                let stmt = self.scop.stmt(*id);
                let own = |m: &Member| m.affs.get(id).and_then(|aff| only_dim(aff, stmt.dims()));
                let Some(all) = points.iter().map(own).collect::<Option<Vec<usize>>>() else { return false };
                let moves =
                    |rows: &[Vec<i64>], dim: usize| rows.iter().any(|row| row[self.scop.params.len() + dim] != 0);
                let found_again = |rows: &Vec<Vec<i64>>| {
                    let others = (0..all.len()).filter(|o| *o != k).any(|o| moves(rows, all[o]));
                    let inside = (0..stmt.dims()).filter(|d| !all.contains(d)).any(|d| moves(rows, d));
                    !moves(rows, all[k]) && others && inside
                };
                let memory = |a: &&Access| a.kind == AccessKind::Read && a.carries.is_none();
                let memory = stmt.accesses.iter().filter(memory).filter(|a| self.scop.array(a.array).is_memory());
                memory.filter_map(Access::subscripts).any(|rows| found_again(&rows))
            })
        };
        (0..points.len()).map(of).collect()
    }
}

/// How many elements of each loop a thread has in registers, if two of the loops, one of them x, find elements again.
fn tile_of(dims: &[u8], with_reuse: &[bool], (usual, asked): ([u32; 2], &[u32])) -> Option<Vec<u32>> {
    let long = |which: usize| asked.get(which).copied().unwrap_or(usual[which]).clamp(1, MAX_TILE);
    let of = |k: usize| match dims[k] {
        0 => long(1),
        1 => long(0),
        _ => 1,
    };
    let reuse = |dim: u8| dims.iter().position(|d| *d == dim).is_some_and(|k| with_reuse[k]);
    let tile: Vec<u32> = (0..dims.len()).map(of).collect();
    (reuse(0) && reuse(1) && tile.iter().any(|n| *n > 1)).then_some(tile)
}

/// Threads of a block in x, y and z for so many loops: what is usual, where the user says nothing else.
pub(super) fn threads_of(usual: [u32; DIMS], count: usize, asked: &[u32]) -> [u32; DIMS] {
    let mut threads = usual;
    let asked = asked.iter().copied().filter(|n| *n > 0);
    threads[..count].iter_mut().zip(asked).for_each(|(own, asked)| *own = asked);
    let mut left = MAX_THREADS;
    for (own, most) in threads.iter_mut().zip([MAX_THREADS, MAX_THREADS, MAX_THREADS_ALONG_Z]) {
        *own = (*own).min(left).min(most);
        left /= *own;
    }
    threads
}
