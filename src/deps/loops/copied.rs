//! What a contraction reads from packed copies, while it updates elements of the same array.

use crate::deps::compute::limit;
use crate::error::Failure;
use crate::ids::StmtId;
use crate::model::tree::flat::{FlatPiece, TimeDim};
use crate::model::{AccessKind, Scop};
use presburger::{Aff, Budget, Map};

/// Whether one of these instances of a statement writes an element that another of equal time, or the same, reads
/// besides the one it updates. Exact.
///
/// # Errors
/// `Limit` when the budget is spent or a number leaves i64.
pub fn writes_operands(scop: &Scop, id: StmtId, piece: &FlatPiece, budget: &Budget) -> Result<bool, Failure> {
    let stmt = scop.stmt(id);
    let Some(write) = stmt.accesses.iter().find(|a| a.kind != AccessKind::Read) else { return Ok(false) };
    let element = write.subscripts();
    let affs = piece.time.iter().filter_map(|t| if let TimeDim::Aff(aff) = t { Some(aff.clone()) } else { None });
    let affs: Vec<Aff> = affs.collect();
    let here = |map: &Map| map.intersect_domain(&piece.domain);
    let time = here(&Map::from_affs_over(piece.domain.space(), &affs, ""));
    let same = time.apply_range(&time.reverse(), budget).map_err(limit)?;
    let operands = stmt.accesses.iter().filter(|a| a.array == write.array && a.kind == AccessKind::Read);
    for operand in operands.filter(|a| a.subscripts() != element || element.is_none()) {
        let read = here(&operand.relation).reverse();
        let pairs = here(&write.relation).apply_range(&read, budget).map_err(limit)?;
        if !pairs.intersect(&same).is_empty(budget).map_err(limit)? {
            return Ok(true);
        }
    }
    Ok(false)
}
