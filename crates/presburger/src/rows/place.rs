//! Placing the rows of sets and functions into the columns of a [`Conjunction`].

use super::conjunction::Conjunction;
use super::row::{Row, negate};
use crate::{Aff, BasicSet, Error, Kind, Result, Set};

/// Where the columns of one tuple (or of the parameters alone: no dims) stand. The parameters are the first columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// Number of parameters.
    pub params: usize,
    /// Column of dim 0.
    pub start: usize,
    /// Number of dims.
    pub dims: usize,
}

/// Moves a row `[params | dims | existentials | 1]` to its slot's columns; existential k goes to `exists[k]`.
#[must_use]
pub fn place(row: &[i64], slot: Slot, exists: &[usize]) -> Row {
    let Some((constant, coefficients)) = row.split_last() else { return vec![0] };
    let width = exists.iter().map(|c| c + 1).max().unwrap_or(0).max(slot.start + slot.dims);
    let mut placed = vec![0; width];
    placed[0] = *constant;
    for (k, &c) in coefficients.iter().enumerate() {
        let column = match k {
            k if k < slot.params => 1 + k,
            k if k < slot.params + slot.dims => slot.start + k - slot.params,
            k => exists[k - slot.params - slot.dims],
        };
        placed[column] += c;
    }
    placed
}

/// A set's pieces as plain rows `[params | dims | existentials | 1]`.
pub type Pieces = Vec<Piece>;

/// Number of existentials, and rows.
pub type Piece = (usize, Vec<(Kind, Vec<i64>)>);

/// Number of existentials and rows of each piece.
///
/// # Errors
/// A coefficient that does not fit i64.
pub fn pieces_of(set: &Set) -> Result<Pieces> {
    set.basics().iter().map(|b: &BasicSet| Ok((b.n_exists(), b.rows_i64()?))).collect()
}

/// Adds a piece of a set (of a context: no dims) to the conjunction.
///
/// # Errors
/// [`Error::Overflow`].
pub fn add_piece(to: &mut Conjunction, piece: &Piece, slot: Slot) -> Result<()> {
    let exists: Vec<usize> = (0..piece.0).map(|_| to.add_column()).collect();
    for (kind, row) in &piece.1 {
        let row = place(row, slot, &exists);
        to.add(*kind, &row)?;
    }
    Ok(())
}

/// The value of a quasi-affine function at a slot's dims, as a row; floors become existential columns of `to`, unless
/// it has them.
///
/// # Errors
/// [`Error::Overflow`].
pub fn place_aff(to: &mut Conjunction, aff: &Aff, slot: Slot) -> Result<Row> {
    let mut floors = Vec::with_capacity(aff.divs().len());
    for div in aff.divs() {
        let num = place(&div.num, slot, &floors);
        if let Some(column) = to.floor_column(&num, div.den)? {
            floors.push(column);
            continue;
        }
        let column = to.add_column();
        let mut low = num.clone();
        low.resize(column + 1, 0);
        low[column] = div.den.checked_neg().ok_or(Error::Overflow)?;
        let mut high = negate(&num)?;
        high.resize(column + 1, 0);
        high[column] = div.den;
        high[0] = high[0].checked_add(div.den - 1).ok_or(Error::Overflow)?;
        to.add_ge(&low)?;
        to.add_ge(&high)?;
        floors.push(column);
    }
    Ok(place(aff.row(), slot, &floors))
}

/// Replaces each conjunction by its meets with each piece of a set, as [`add_piece`] adds them.
///
/// # Errors
/// [`Error::Overflow`].
pub fn refine(all: &mut Vec<Conjunction>, pieces: &[Piece], slot: Slot) -> Result<()> {
    spread(all, pieces, |to, piece| add_piece(to, piece, slot))
}

/// Replaces each conjunction by its copies with each item added, but those that are plain to see empty.
///
/// # Errors
/// [`Error::Overflow`].
pub fn spread<T>(
    all: &mut Vec<Conjunction>,
    items: &[T],
    add: impl Fn(&mut Conjunction, &T) -> Result<()>,
) -> Result<()> {
    let mut met = Vec::with_capacity(all.len() * items.len());
    for (to, item) in all.iter().flat_map(|p| items.iter().map(move |i| (p, i))) {
        let mut to = to.clone();
        add(&mut to, item)?;
        if !to.is_surely_empty() {
            met.push(to);
        }
    }
    *all = met;
    Ok(())
}
