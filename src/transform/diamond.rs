//! Diamond tiles: tiles of hyperplanes that are not the loops inside of them.
//!
//! Tile loops `(T1 + T2, T2, ..)` around loops in an order that is legal by itself; `T2` and all that is in it run in
//! parallel for one wavefront. Smaller diamonds inside of a tile, where wanted, run one after the other. Legal where
//! any distance is >= 0 in every tile hyperplane: these loops may be permuted, and small tiles may stand in large ones.
//! Source: Bandishti, Pananilath, Bondhugula, SC 2012, section 3.

use super::tile;
use super::wavefront::wavefront;
use crate::model::tree::ops::{Inapplicable, TileLoop};
use crate::model::tree::{Band, Node};

/// What is `inside` in tiles of these hyperplanes, levels as in [`tile::in_tiles`]; the largest in wavefronts.
///
/// # Errors
/// A tile loop of no hyperplane.
pub fn in_diamonds(inside: Node, hyperplanes: &Band, levels: &[Vec<TileLoop>]) -> Result<Node, Inapplicable> {
    wavefront(tile::around(inside, hyperplanes, levels)?)
}
