//! Unroll-and-jam: iterations of a loop are interleaved in the loops inside of it.
//!
//! Legal where the loop is permutable with those inside of it: a jammed loop is a tile of that many iterations.
//! Source: Callahan, Cocke, Kennedy, J. Parallel and Distributed Computing 5(4), 1988.

use super::chain::Place;
use crate::model::tree::ops::{self, Inapplicable};
use crate::model::tree::{AstOption, Node};

/// How a loop is written whose iterations are interleaved `factor` at a time; 1 is the loop as it is.
fn option(factor: u32) -> AstOption {
    if factor > 1 { AstOption::UnrollJam(factor) } else { AstOption::Default }
}

/// Interleaves the iterations of each member of a band, so many at a time.
///
/// # Errors
/// Not a band, or it has more or fewer members than there are factors.
pub fn jam_band(tree: Node, factors: &[u32]) -> Result<Node, Inapplicable> {
    with_options(tree, factors, option)
}

/// The same with the interleaved iterations side by side in vectors of so many lanes, which divide the factors, where
/// the innermost loop allows it.
///
/// # Errors
/// As [`jam_band`].
pub fn lanes_of_band(tree: Node, factors: &[u32], lanes: u32) -> Result<Node, Inapplicable> {
    let in_lanes = |factor| if factor > 1 { AstOption::Lanes(lanes, factor / lanes) } else { AstOption::Default };
    with_options(tree, factors, in_lanes)
}

fn with_options(tree: Node, factors: &[u32], option: impl Fn(u32) -> AstOption) -> Result<Node, Inapplicable> {
    let Node::Band(mut band, child) = tree else { return Err(Inapplicable("there is no loop".to_owned())) };
    if band.members.len() != factors.len() {
        return Err(Inapplicable(format!("{} loops need as many factors", band.members.len())));
    }
    for (member, factor) in band.members.iter_mut().zip(factors) {
        member.ast = option(*factor);
    }
    Ok(Node::Band(band, child))
}

/// Interleaves the iterations of a loop, `factor` at a time.
///
/// # Errors
/// There is no such loop.
pub fn jam(tree: Node, place: &Place, factor: u32) -> Result<Node, Inapplicable> {
    ops::at(tree, &place.path, &|node| {
        let Node::Band(mut band, child) = node else { return Err(Inapplicable("there is no loop".to_owned())) };
        let Some(member) = band.members.get_mut(place.member) else {
            return Err(Inapplicable("there is no such loop".to_owned()));
        };
        member.ast = option(factor);
        Ok(Node::Band(band, child))
    })
}
