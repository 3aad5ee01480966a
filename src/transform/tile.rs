//! Tiles: loops over blocks of values around loops over the values of a block.
//!
//! Legal where the band is permutable: every distance is >= 0 in every member, so that no two tiles depend on each
//! other in a cycle. Tiles may stand in larger tiles, whose loops are outside of theirs.
//! Source: Bondhugula et al., PLDI 2008, section 5; Grosser, Verdoolaege, Cohen, TOPLAS 37(4), 2015, section 6.

use super::chain::{Place, in_one_band, on_members};
use crate::model::tree::ops::{self, Inapplicable, TileLoop};
use crate::model::tree::{AstOption, Band, Mark, Node};

/// A band in tiles: `levels` are the tile loops of its members, those of the smallest tiles first; empty levels count
/// for nothing. Full tiles of the smallest size are written apart.
///
/// # Errors
/// Not a band, or a tile loop of no member.
pub fn in_tiles(points: Node, levels: &[Vec<TileLoop>]) -> Result<Node, Inapplicable> {
    if levels.iter().all(Vec::is_empty) {
        return Ok(points);
    }
    let Node::Band(band, _) = &points else { return Err(Inapplicable("only a band can be tiled".to_owned())) };
    let band = band.clone();
    around(points, &band, levels)
}

/// The tiles of `band`, levels as in [`in_tiles`], around a subtree that runs what is in one tile.
///
/// # Errors
/// A tile loop of no member.
pub(super) fn around(inside: Node, band: &Band, levels: &[Vec<TileLoop>]) -> Result<Node, Inapplicable> {
    let mut tree = Node::Mark(Mark::PointLoops, Box::new(inside));
    let levels = levels.iter().filter(|level| !level.is_empty());
    for (at, level) in levels.enumerate() {
        let mut tiles = ops::tile_loops(band, level)?;
        if let Some(innermost) = tiles.members.last_mut().filter(|_| at == 0) {
            innermost.ast = AstOption::SeparateTiles;
        }
        let sizes = level.iter().map(|tile| tile.size).collect();
        tree = Node::Mark(Mark::TileLoops(sizes), Box::new(Node::Band(tiles, Box::new(tree))));
    }
    Ok(tree)
}

/// Tiles the loops from `first` to `last`, as many as there are sizes, outermost first.
///
/// # Errors
/// The loops are not right inside of each other, or there are more or fewer than sizes.
pub fn tile(tree: Node, (first, last): (&Place, &Place), sizes: &[i64]) -> Result<Node, Inapplicable> {
    let (tree, from, to) = in_one_band(tree, first, last)?;
    if to + 1 - from != sizes.len() {
        return Err(Inapplicable(format!("{} loops need as many tile sizes", to + 1 - from)));
    }
    let tiled = |node: Node| match &node {
        Node::Band(points, _) => {
            let loops = ops::by_flags(points, sizes);
            in_tiles(node, &[loops])
        }
        _ => Err(Inapplicable("there are no loops".to_owned())),
    };
    ops::at(tree, &first.path, &|node| on_members(node, (from, to), &tiled))
}
