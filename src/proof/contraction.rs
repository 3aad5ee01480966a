//! What a tree says of contractions: that all orders of their instances are legal that keep the depth ascending.
//!
//! The band has three members, the first two with the `coincident` flag, which [`super::roles`] proves: no dependence
//! between instances that agree in all outer components has a distance other than 0 in the first, nor, among those of
//! equal first value, in the second. So each has distance 0 in both, and the third alone orders its ends. What is read
//! from copies is what was there before the band began, because no instance of the band, with equal outer components,
//! writes an element that one of them reads besides the one that it updates.

use super::{Reason, Violation};
use crate::deps::compute::limit;
use crate::deps::loops::writes_operands;
use crate::error::Failure;
use crate::model::tree::flat::{Pieces, visit_nodes};
use crate::model::tree::{Mark, Node};
use crate::model::{Access, AccessKind, Scop};
use presburger::Budget;

/// An instance of a band marked as a contraction that is none.
///
/// # Errors
/// `Limit` when the budget is spent or a number leaves i64.
pub(super) fn check(scop: &Scop, tree: &Node, budget: &Budget) -> Result<Option<Violation>, Failure> {
    let (mut broken, mut formed): (Option<Pieces>, Vec<Pieces>) = (None, Vec::new());
    visit_nodes(tree, &mut |_, node, pieces| {
        if let Node::Mark(Mark::Contraction(_), below) = node {
            if has_form(scop, below, pieces) {
                formed.push(pieces.clone());
            } else {
                broken.get_or_insert_with(|| pieces.clone());
            }
        }
    });
    for pieces in formed {
        if let [(id, piece)] = pieces.as_slice()
            && broken.is_none()
            && writes_operands(scop, *id, piece, budget)?
        {
            broken = Some(pieces);
        }
    }
    let Some(pieces) = broken else { return Ok(None) };
    for (id, piece) in &pieces {
        if let Some(point) = piece.domain.sample(budget).map_err(limit)? {
            return Ok(Some(Violation::at(scop, Reason::NoContraction, *id, &point)));
        }
    }
    Ok(None)
}

/// Whether the band is of one statement that updates one element, in rows and columns that are said to be coincident.
fn has_form(scop: &Scop, below: &Node, pieces: &Pieces) -> bool {
    let ([(id, _)], Node::Band(band, inside)) = (pieces.as_slice(), below) else { return false };
    let [rows, columns, _] = band.members.as_slice() else { return false };
    let stmt = scop.stmt(*id);
    let updated: Vec<_> = stmt.accesses.iter().filter(|a| a.kind != AccessKind::Read).collect();
    let [first, rest @ ..] = updated.as_slice() else { return false };
    let element = first.subscripts();
    let is_it = |a: &&Access| a.array == first.array && a.subscripts() == element;
    matches!(**inside, Node::Leaf)
        && rows.coincident
        && columns.coincident
        && rest.iter().all(is_it)
        && element.is_some()
        && stmt.accesses.iter().filter(|a| a.kind == AccessKind::Read).any(|a| is_it(&a))
}
