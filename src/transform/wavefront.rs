//! Tiles in wavefronts, where no tile loop is coincident.
//!
//! Source: Bondhugula et al., PLDI 2008, section 5.2 (wavefronts of tiles).

use crate::model::tree::Node;
use crate::model::tree::ops::Inapplicable;
use log::debug;

/// The outermost band of a subtree, tile loops `(T0, T1, ..)`, as the wavefront `(T0 + T1, T1, ..)`. Legal where every
/// dependence has distances `>= 0` in both: tiles with equal sums differ in `T0` and `T1` in opposite directions, so
/// none depends on another, and the second loop is coincident. A band of one loop stays.
///
/// # Errors
/// There is no band below the marks at the root.
pub fn wavefront(tree: Node) -> Result<Node, Inapplicable> {
    match tree {
        Node::Mark(mark, child) => Ok(Node::Mark(mark, Box::new(wavefront(*child)?))),
        Node::Band(mut tiles, child) => {
            if let [first, second, ..] = tiles.members.as_mut_slice() {
                debug!("tiles of {} statements in a wavefront", first.affs.len());
                for (id, aff) in &mut first.affs {
                    *aff = aff.add(&second.affs[id]);
                }
                first.coincident = false;
                first.alone.clear();
                second.coincident = true;
            }
            Ok(Node::Band(tiles, child))
        }
        _ => Err(Inapplicable("there are no tile loops".to_owned())),
    }
}
