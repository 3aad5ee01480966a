//! What the functions of a contraction are made for.

use crate::bridge::ir::Ty;
use crate::model::tree::Blocks;

/// Shape of a tile in registers, and of its blocks.
pub struct Shape<'f> {
    /// Rows of a tile.
    pub rows: u32,
    /// Vectors of a row of it.
    pub vectors: u32,
    /// Elements of a vector.
    pub lanes: u32,
    /// Bytes of an element.
    pub bytes: u64,
    /// Of an element.
    pub ty: Ty<'f>,
    /// Of a vector.
    pub vector: Ty<'f>,
    /// Bytes that addresses of what is updated are multiples of.
    pub alignment: u32,
    /// Whether columns of what is updated lie side by side.
    pub is_dense: bool,
    /// Packed values per row and per column.
    pub values: [usize; 2],
    /// The most that is packed at a time.
    pub blocks: Blocks,
}

impl Shape<'_> {
    /// Columns of a tile.
    pub fn columns(&self) -> u32 {
        self.vectors * self.lanes
    }

    /// Bytes of a vector.
    pub fn vector_bytes(&self) -> u64 {
        u64::from(self.lanes) * self.bytes
    }

    /// Bytes of what a tile updates.
    pub fn tile_bytes(&self) -> u64 {
        u64::from(self.rows) * u64::from(self.vectors) * self.vector_bytes()
    }

    /// Bits of a vector.
    pub fn vector_bits(&self) -> u32 {
        u32::try_from(self.vector_bytes() * 8).unwrap_or(u32::MAX)
    }
}
