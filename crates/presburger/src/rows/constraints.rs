//! Lists of constraints `row >= 0` with what is known around them in a tableau: elimination of columns, redundancy,
//! difference.
//!
//! Everything is rational with integer tightening: eliminations are never too small, and a row that is called redundant
//! holds on every integer point, while one that is kept may hold there too.
//! Sources: Fourier-Motzkin elimination as in Schrijver, Theory of Linear and Integer Programming, 1986, section 12.2;
//! the difference as in Verdoolaege, ICMS 2010.

use super::row::{Row, combine, complement, gcd, is_constant, tighten};
use super::tableau::Tableau;
use crate::{Budget, Result};
use std::collections::BTreeMap;

/// A constraint `row >= 0`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Constraint {
    /// Constant first.
    pub row: Row,
    /// False for rows that only follow from others, over columns that are eliminated: whoever keeps those others may
    /// drop this one.
    pub own: bool,
}

/// Fourier-Motzkin: removes columns `first..end`, cheapest first. Over the integers the result may be too large, never
/// too small.
///
/// # Errors
/// [`crate::Error::Spent`]: rows may square in number with each column; [`crate::Error::Overflow`].
pub fn eliminate(cons: &mut Vec<Constraint>, first: usize, end: usize, budget: &Budget) -> Result<()> {
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
        budget.spend((lower.len() * upper.len()) as u64)?;
        for l in &lower {
            for u in &upper {
                let (a, b) = (at(&l.row, col), at(&u.row, col));
                let g = gcd(a, b);
                let row = combine(-(b / g), &l.row, a / g, &u.row)?;
                rest.push(Constraint { row, own: false });
            }
        }
        *cons = rest;
        dedupe(cons);
    }
    Ok(())
}

/// Tightens every row, drops rows that always hold and all but the tightest of parallel rows. The order is by
/// coefficients.
pub fn dedupe(cons: &mut Vec<Constraint>) {
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
        Constraint { row, own }
    }));
}

/// The constraints that `known` does not imply, none of them implied by the others; `None` if there is no solution.
/// `column` is the one in question: derived rows without it only serve to detect emptiness and are dropped.
///
/// # Errors
/// [`crate::Error::Spent`] on the tableau's budget.
pub fn reduce(known: &Tableau, mut cons: Vec<Constraint>, column: usize) -> Result<Option<Vec<Constraint>>> {
    dedupe(&mut cons);
    if cons.iter().any(|k| is_constant(&k.row)) {
        return Ok(None);
    }
    let (mut kept, hints): (Vec<Constraint>, Vec<Constraint>) =
        cons.into_iter().partition(|k| k.own || k.row[column] != 0);
    // Rows that are dropped first: derived ones, then those with many columns and large factors.
    let rank = |k: &Constraint| {
        let terms = k.row.iter().filter(|&&c| c != 0).count();
        (k.own, std::cmp::Reverse((k.row[column].unsigned_abs(), terms)))
    };
    kept.sort_by_key(rank);
    let mut tab = known.clone();
    let ids: Vec<usize> = kept.iter().map(|k| tab.add(&k.row)).collect::<Result<Vec<_>>>()?;
    if tab.is_empty() {
        return Ok(None);
    }
    if !hints.is_empty() && with_rows(&tab, hints.iter().map(|h| &h.row))?.is_empty() {
        return Ok(None);
    }
    let mut out = Vec::with_capacity(kept.len());
    for (k, id) in kept.into_iter().zip(ids) {
        if !tab.is_redundant(id)? {
            out.push(k);
        }
    }
    out.sort();
    Ok(Some(out))
}

/// `known` with more rows `>= 0`.
///
/// # Errors
/// [`crate::Error::Spent`].
pub fn with_rows<'b, 'r>(known: &Tableau<'b>, rows: impl IntoIterator<Item = &'r Row>) -> Result<Tableau<'b>> {
    let mut tab = known.clone();
    for r in rows {
        tab.add(r)?;
    }
    Ok(tab)
}

/// `a \ b` as disjoint conjunctions, within `known`.
///
/// # Errors
/// [`crate::Error::Spent`]; [`crate::Error::Overflow`] where a complement does not fit.
pub fn subtract(known: &Tableau, a: &[Constraint], b: &[Constraint]) -> Result<Vec<Vec<Constraint>>> {
    let mut tab = with_rows(known, a.iter().map(|k| &k.row))?;
    let mut pieces = Vec::new();
    let mut prefix: Vec<Constraint> = a.to_vec();
    for k in b {
        if tab.implies(&k.row)? {
            continue;
        }
        let outside = complement(&k.row)?;
        let mut probe = tab.clone();
        probe.add(&outside)?;
        if !probe.is_empty() {
            let mut piece = prefix.clone();
            piece.push(Constraint { row: outside, own: true });
            pieces.push(piece);
        }
        tab.add(&k.row)?;
        prefix.push(k.clone());
        if tab.is_empty() {
            break;
        }
    }
    Ok(pieces)
}
