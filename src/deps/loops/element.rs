//! Whether a loop touches one element of an array only.

use crate::deps::compute::{context_of, limit};
use crate::deps::pair::{self, AccessPiece, Columns};
use crate::error::Failure;
use crate::ids::{ArrayId, StmtId};
use crate::model::Scop;
use crate::model::tree::flat::{FlatPiece, Pieces, TimeDim};
use presburger::Budget;
use presburger::rows::{Conjunction, Slot, add_piece, difference, negate, pieces_of, place_aff, plus};

/// Instances that agree in all components of their times but the last and touch different elements of `array`, if there
/// are any; each touches one in all its accesses otherwise. Exact over the integers; one emptiness test per pair of
/// accesses, subscript and direction.
///
/// # Errors
/// `Limit` when the budget is spent or a coefficient leaves i64.
pub(crate) fn several(
    scop: &Scop,
    array: ArrayId,
    pieces: &Pieces,
    budget: &Budget,
) -> Result<Option<(StmtId, StmtId, Conjunction)>, Failure> {
    let context = pieces_of(&context_of(scop, budget)?).map_err(limit)?;
    for (src, from) in pieces {
        for (dst, to) in pieces {
            let columns =
                Columns { params: scop.params.len(), src: scop.stmt(*src).dims(), dst: scop.stmt(*dst).dims() };
            for condition in &context {
                let mut poly = Conjunction::universe(columns.end());
                add_piece(&mut poly, condition, columns.param_slot()).map_err(limit)?;
                for poly in together(poly, (from, columns.src_slot()), (to, columns.dst_slot()))? {
                    let ends = ((*src, columns.src_slot()), (*dst, columns.dst_slot()));
                    if let Some(found) = apart(scop, array, &poly, ends, budget)? {
                        return Ok(Some((*src, *dst, found)));
                    }
                }
            }
        }
    }
    Ok(None)
}

/// The pairs of instances that agree in all components but the last, up to values of jammed loops that run interleaved
/// in the last one: no further apart than the loop's factor says.
fn together(
    base: Conjunction,
    (src, from): (&FlatPiece, Slot),
    (dst, to): (&FlatPiece, Slot),
) -> Result<Vec<Conjunction>, Failure> {
    let mut polys = vec![base];
    for (piece, slot) in [(src, from), (dst, to)] {
        let parts = pieces_of(&piece.domain).map_err(limit)?;
        let mut cut = Vec::with_capacity(polys.len() * parts.len());
        for (poly, part) in polys.iter().flat_map(|p| parts.iter().map(move |part| (p, part))) {
            let mut poly = poly.clone();
            add_piece(&mut poly, part, slot).map_err(limit)?;
            cut.push(poly);
        }
        polys = cut;
    }
    let last = src.time.len().saturating_sub(1);
    for (k, pair) in src.time[..last].iter().zip(&dst.time).enumerate() {
        match pair {
            (TimeDim::Aff(a), TimeDim::Aff(b)) => {
                let slack = interleaved(src, (k, last));
                for poly in &mut polys {
                    let a = place_aff(poly, a, from).map_err(limit)?;
                    let b = place_aff(poly, b, to).map_err(limit)?;
                    let difference = difference(&b, &a).map_err(limit)?;
                    if slack == 0 {
                        poly.add_eq(&difference).map_err(limit)?;
                        continue;
                    }
                    for row in [negate(&difference).map_err(limit)?, difference] {
                        poly.add_ge(&plus(&row, slack).map_err(limit)?).map_err(limit)?;
                    }
                }
            }
            (TimeDim::Seq(a), TimeDim::Seq(b)) | (TimeDim::Any(a), TimeDim::Any(b)) if a == b => {}
            _ => return Ok(Vec::new()),
        }
    }
    polys.retain(|p| !p.is_surely_empty());
    Ok(polys)
}

/// How far apart values of component `k` may be and still run in one execution of the loop of component `last`: those
/// of a jammed loop, unless there is a sequence between the two, where each value has loops of its own.
fn interleaved(piece: &FlatPiece, (k, last): (usize, usize)) -> i64 {
    let is_band = |dim: &TimeDim| matches!(dim, TimeDim::Aff(_));
    let jam = piece.jams.iter().find(|(at, _)| *at == k && piece.time[k..last].iter().all(is_band));
    jam.map_or(0, |(_, factor)| i64::from(*factor) - 1)
}

/// Pairs of `poly` in which accesses of the two statements touch different elements, if there are any.
fn apart(
    scop: &Scop,
    array: ArrayId,
    poly: &Conjunction,
    ((src, from), (dst, to)): ((StmtId, Slot), (StmtId, Slot)),
    budget: &Budget,
) -> Result<Option<Conjunction>, Failure> {
    let rank = scop.array(array).sizes.len();
    for a in accesses(scop, src, array)? {
        for b in accesses(scop, dst, array)? {
            let mut poly = poly.clone();
            let here: Vec<usize> = (0..rank).map(|_| poly.add_column()).collect();
            let there: Vec<usize> = (0..rank).map(|_| poly.add_column()).collect();
            pair::add_element(&mut poly, &a, from, &here).map_err(limit)?;
            pair::add_element(&mut poly, &b, to, &there).map_err(limit)?;
            for (x, y) in here.iter().zip(&there) {
                let mut apart = vec![0; 1 + (*x).max(*y)];
                (apart[*x], apart[*y]) = (-1, 1);
                for row in [apart.clone(), negate(&apart).map_err(limit)?] {
                    let mut differing = poly.clone();
                    differing.add_ge(&plus(&row, -1).map_err(limit)?).map_err(limit)?;
                    if !is_empty(&differing, budget)? {
                        return Ok(Some(differing));
                    }
                }
            }
        }
    }
    Ok(None)
}

fn is_empty(poly: &Conjunction, budget: &Budget) -> Result<bool, Failure> {
    Ok(poly.is_surely_empty() || poly.to_set_with(&[0]).0.is_empty(budget).map_err(limit)?)
}

fn accesses(scop: &Scop, stmt: StmtId, array: ArrayId) -> Result<Vec<AccessPiece>, Failure> {
    let own = scop.stmt(stmt).accesses.iter().filter(|a| a.array == array);
    let pieces = own.map(|a| pair::access_pieces(&a.relation).map_err(limit)).collect::<Result<Vec<_>, _>>()?;
    Ok(pieces.into_iter().flatten().collect())
}
