//! Tiles: loops over blocks of values around loops over the values of a block.
//!
//! Legal where the band is permutable: every distance is >= 0 in every member, so that no two tiles depend on each
//! other in a cycle.
//! Source: Bondhugula et al., PLDI 2008, section 5.

use super::chain::{Place, in_one_band, on_members};
use crate::model::tree::ops::{self, Inapplicable};
use crate::model::tree::{AstOption, Band, Mark, Node};

/// Tile loops of these sizes around what is in a tile.
fn around(tiles: Band, sizes: Vec<i64>, inside: Node) -> Node {
    Node::Mark(Mark::TileLoops(sizes), Box::new(Node::Band(tiles, Box::new(inside))))
}

/// The point loops of a tile.
fn points(inside: Node) -> Node {
    Node::Mark(Mark::PointLoops, Box::new(inside))
}

/// Tiles the loops from `first` to `last`, as many as there are sizes, outermost first. Full tiles are written apart.
///
/// # Errors
/// The loops are not right inside of each other, or there are more or fewer than sizes.
pub fn tile(tree: Node, (first, last): (&Place, &Place), sizes: &[i64]) -> Result<Node, Inapplicable> {
    let (tree, from, to) = in_one_band(tree, first, last)?;
    if to + 1 - from != sizes.len() {
        return Err(Inapplicable(format!("{} loops need as many tile sizes", to + 1 - from)));
    }
    let tiled = |node: Node| {
        let Node::Band(mut tiles, inside) = ops::tile(node, sizes)? else {
            return Err(Inapplicable("there are no loops".to_owned()));
        };
        if let Some(innermost) = tiles.members.last_mut() {
            innermost.ast = AstOption::SeparateTiles;
        }
        Ok(around(tiles, sizes.to_vec(), points(*inside)))
    };
    ops::at(tree, &first.path, &|node| on_members(node, (from, to), &tiled))
}
