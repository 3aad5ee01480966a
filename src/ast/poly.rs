//! Conjunctions of rows at one loop level: projection, redundancy, difference.
//!
//! Projections are rational with integer tightening, so they are never too small. That is enough: a row that a projection misses
//! is enforced further in, at the latest by a guard around the statement.

use super::lp::Lp;
use super::piece::Piece;
use super::rows::{Res, Row, combine, complement, gcd, is_constant, limit, negate, tighten};
use presburger::Budget;
use std::collections::BTreeMap;

/// A row `>= 0` over params and time dims.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Con {
    pub row: Row,
    /// False for rows that only follow from inner dims: the inner loops enforce them anyway.
    pub own: bool,
}

/// Rows of a piece over params and time dims, the free columns eliminated. Over-approximation over the integers.
pub(super) fn project(piece: &Piece, budget: &Budget) -> Res<Vec<Con>> {
    let base = piece.layout.base();
    let mut cons: Vec<Con> = Vec::with_capacity(piece.ge.len() + 2 * piece.eq.len());
    for r in &piece.ge {
        cons.push(Con { row: r.clone(), own: r[base..].iter().all(|&c| c == 0) });
    }
    cons.extend(piece.implied.iter().map(|r| Con { row: r.clone(), own: false }));
    for r in &piece.eq {
        cons.push(Con { row: r.clone(), own: true });
        cons.push(Con { row: negate(r)?, own: true });
    }
    eliminate(&mut cons, base, piece.width, budget)?;
    for c in &mut cons {
        c.row.truncate(base);
    }
    Ok(cons)
}

/// Fourier-Motzkin: removes columns `first..end`, cheapest first.
pub(super) fn eliminate(cons: &mut Vec<Con>, first: usize, end: usize, budget: &Budget) -> Res<()> {
    let at = |r: &Row, c: usize| r.get(c).copied().unwrap_or(0);
    let mut left: Vec<usize> = (first..end).filter(|&c| cons.iter().any(|k| at(&k.row, c) != 0)).collect();
    while !left.is_empty() {
        let cost = |c: usize| {
            let lower = cons.iter().filter(|k| at(&k.row, c) > 0).count();
            let upper = cons.iter().filter(|k| at(&k.row, c) < 0).count();
            lower * upper
        };
        let (slot, _) = left.iter().enumerate().min_by_key(|&(_, &c)| cost(c)).unwrap_or((0, &first));
        let col = left.swap_remove(slot);
        let (mut lower, mut upper) = (Vec::new(), Vec::new());
        let mut rest = Vec::new();
        for k in cons.drain(..) {
            match at(&k.row, col) {
                0 => rest.push(k),
                a if a > 0 => lower.push(k),
                _ => upper.push(k),
            }
        }
        budget.spend((lower.len() * upper.len()) as u64).map_err(limit)?;
        for l in &lower {
            for u in &upper {
                let (a, b) = (at(&l.row, col), at(&u.row, col));
                let g = gcd(a, b);
                let row = combine(-(b / g), &l.row, a / g, &u.row)?;
                rest.push(Con { row, own: false });
            }
        }
        *cons = rest;
        dedupe(cons);
    }
    Ok(())
}

/// Tightens every row, drops rows that always hold and all but the tightest of parallel rows. The order is by coefficients.
pub(super) fn dedupe(cons: &mut Vec<Con>) {
    let mut best: BTreeMap<Row, (i64, bool)> = BTreeMap::new();
    for mut k in cons.drain(..) {
        tighten(&mut k.row);
        if is_constant(&k.row) && k.row[0] >= 0 {
            continue;
        }
        let constant = std::mem::take(&mut k.row[0]);
        best.entry(k.row)
            .and_modify(|(c, own)| {
                if constant < *c {
                    (*c, *own) = (constant, k.own);
                } else if constant == *c {
                    *own |= k.own;
                }
            })
            .or_insert((constant, k.own));
    }
    cons.extend(best.into_iter().map(|(mut row, (constant, own))| {
        row[0] = constant;
        Con { row, own }
    }));
}

/// The rows that `known` (a tableau) does not imply, none of them implied by the others; `None` if there is no solution.
/// `time` is the column of the level in question: derived rows without it only serve to detect emptiness and are dropped.
pub(super) fn reduce(known: &Lp, mut cons: Vec<Con>, time: usize) -> Res<Option<Vec<Con>>> {
    dedupe(&mut cons);
    if cons.iter().any(|k| is_constant(&k.row)) {
        return Ok(None);
    }
    let (mut kept, hints): (Vec<Con>, Vec<Con>) = cons.into_iter().partition(|k| k.own || k.row[time] != 0);
    // Rows that are dropped first: derived ones, then those with many columns and large factors.
    let rank = |k: &Con| {
        let terms = k.row.iter().filter(|&&c| c != 0).count();
        (k.own, std::cmp::Reverse((k.row[time].unsigned_abs(), terms)))
    };
    kept.sort_by_key(rank);
    let mut lp = known.clone();
    let ids: Vec<usize> = kept.iter().map(|k| lp.add(&k.row)).collect::<Res<Vec<_>>>()?;
    if lp.is_empty() {
        return Ok(None);
    }
    if !hints.is_empty() && with_rows(&lp, hints.iter().map(|h| &h.row))?.is_empty() {
        return Ok(None);
    }
    let mut out = Vec::with_capacity(kept.len());
    for (k, id) in kept.into_iter().zip(ids) {
        if !lp.is_redundant(id)? {
            out.push(k);
        }
    }
    out.sort();
    Ok(Some(out))
}

/// `known` with more rows.
pub(super) fn with_rows<'b, 'r>(known: &Lp<'b>, rows: impl IntoIterator<Item = &'r Row>) -> Res<Lp<'b>> {
    let mut lp = known.clone();
    for r in rows {
        lp.add(r)?;
    }
    Ok(lp)
}

/// `a \ b` as disjoint conjunctions, within `known`.
pub(super) fn subtract(known: &Lp, a: &[Con], b: &[Con]) -> Res<Vec<Vec<Con>>> {
    let mut lp = with_rows(known, a.iter().map(|k| &k.row))?;
    let mut pieces = Vec::new();
    let mut prefix: Vec<Con> = a.to_vec();
    for k in b {
        if lp.implies(&k.row)? {
            continue;
        }
        let outside = complement(&k.row)?;
        let mut probe = lp.clone();
        probe.add(&outside)?;
        if !probe.is_empty() {
            let mut piece = prefix.clone();
            piece.push(Con { row: outside, own: true });
            pieces.push(piece);
        }
        lp.add(&k.row)?;
        prefix.push(k.clone());
        if lp.is_empty() {
            break;
        }
    }
    Ok(pieces)
}
