//! What a tree says of contractions: that all orders of their instances are legal that keep the depth ascending.
//!
//! The band has three members, the first two with the `coincident` flag, which [`super::roles`] proves: no dependence
//! between instances that agree in all outer components has a distance other than 0 in the first, nor, among those of
//! equal first value, in the second. So each has distance 0 in both, and the third alone orders its ends. What is read
//! from copies is what was there before the band began, because no instance writes those arrays.

use super::{Reason, Violation};
use crate::deps::compute::limit;
use crate::error::Failure;
use crate::model::tree::flat::{Pieces, visit_nodes};
use crate::model::tree::{Mark, Node};
use crate::model::{AccessKind, Scop};
use presburger::Budget;

/// An instance of a band marked as a contraction that is none.
///
/// # Errors
/// `Limit` when the budget is spent or a number leaves i64.
pub(super) fn check(scop: &Scop, tree: &Node, budget: &Budget) -> Result<Option<Violation>, Failure> {
    let mut broken: Option<Pieces> = None;
    visit_nodes(tree, &mut |_, node, pieces| {
        if let Node::Mark(Mark::Contraction(_), below) = node
            && !is_contraction(scop, below, pieces)
        {
            broken.get_or_insert_with(|| pieces.clone());
        }
    });
    let Some(pieces) = broken else { return Ok(None) };
    for (id, piece) in &pieces {
        if let Some(point) = piece.domain.sample(budget).map_err(limit)? {
            return Ok(Some(Violation::at(scop, Reason::NoContraction, *id, &point)));
        }
    }
    Ok(None)
}

fn is_contraction(scop: &Scop, below: &Node, pieces: &Pieces) -> bool {
    let ([(id, _)], Node::Band(band, inside)) = (pieces.as_slice(), below) else { return false };
    let [rows, columns, _] = band.members.as_slice() else { return false };
    let stmt = scop.stmt(*id);
    let updated: Vec<_> = stmt.accesses.iter().filter(|a| a.kind != AccessKind::Read).collect();
    let [first, rest @ ..] = updated.as_slice() else { return false };
    // Reads of the array that is written are of the very element: nothing of it is copied.
    let element = first.subscripts();
    let own = stmt.accesses.iter().filter(|a| a.array == first.array);
    matches!(**inside, Node::Leaf)
        && rows.coincident
        && columns.coincident
        && rest.iter().all(|a| a.array == first.array)
        && element.is_some()
        && own.into_iter().all(|a| a.subscripts() == element)
}
