//! Places the parts of a statement pair (domains, accesses, times) into the columns of a [`Poly`].

use super::poly::{Columns, Overflow, Poly, Row};
use crate::model::subscripts_of;
use presburger::{Aff, BasicSet, Kind, Map, Result as SetResult, Set};

/// Where the columns of one statement (or of the parameters alone: no dims) stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// Number of parameters.
    pub params: usize,
    /// Column of dim 0.
    pub start: usize,
    /// Number of dims.
    pub dims: usize,
}

impl Columns {
    /// The earlier statement.
    #[must_use]
    pub fn src_slot(self) -> Slot {
        Slot { params: self.params, start: self.src_start(), dims: self.src }
    }

    /// The later statement.
    #[must_use]
    pub fn dst_slot(self) -> Slot {
        Slot { params: self.params, start: self.dst_start(), dims: self.dst }
    }

    /// Both, as one tuple.
    #[must_use]
    pub fn pair_slot(self) -> Slot {
        Slot { params: self.params, start: self.src_start(), dims: self.src + self.dst }
    }

    /// Parameters only.
    #[must_use]
    pub fn param_slot(self) -> Slot {
        Slot { params: self.params, start: self.src_start(), dims: 0 }
    }
}

/// Moves a row `[params | dims | existentials | 1]` of one statement to its slot's columns; existential k goes to `exists[k]`.
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
pub fn pieces_of(set: &Set) -> SetResult<Pieces> {
    set.basics().iter().map(|b: &BasicSet| Ok((b.n_exists(), b.rows_i64()?))).collect()
}

/// Adds a piece of a statement's domain (or of a context: no dims) to the conjunction.
///
/// # Errors
/// [`Overflow`].
pub fn add_piece(poly: &mut Poly, piece: &Piece, slot: Slot) -> Result<(), Overflow> {
    let exists: Vec<usize> = (0..piece.0).map(|_| poly.add_column()).collect();
    for (kind, row) in &piece.1 {
        let row = place(row, slot, &exists);
        match kind {
            Kind::Eq => poly.add_eq(&row)?,
            Kind::Ge => poly.add_ge(&row)?,
        }
    }
    Ok(())
}

/// The value of a quasi-affine function at a slot's dims, as a row; floors become existential columns of `poly`.
///
/// # Errors
/// [`Overflow`].
pub fn place_aff(poly: &mut Poly, aff: &Aff, slot: Slot) -> Result<Row, Overflow> {
    let mut floors = Vec::with_capacity(aff.divs().len());
    for div in aff.divs() {
        let num = place(&div.num, slot, &floors);
        let column = poly.add_column();
        let mut low = num.clone();
        low.resize(column + 1, 0);
        low[column] = div.den.checked_neg().ok_or(Overflow)?;
        let mut high = super::poly::negated(&num)?;
        high.resize(column + 1, 0);
        high[column] = div.den;
        high[0] = high[0].checked_add(div.den - 1).ok_or(Overflow)?;
        poly.add_ge(&low)?;
        poly.add_ge(&high)?;
        floors.push(column);
    }
    Ok(place(aff.row(), slot, &floors))
}

/// One piece of an access relation.
#[derive(Clone, Debug)]
pub struct AccessPiece {
    /// Subscripts as rows `[params | dims | 1]`, when the piece says nothing else.
    subscripts: Option<Vec<Vec<i64>>>,
    exists: usize,
    rows: Vec<(Kind, Vec<i64>)>,
}

/// The pieces of an access relation `{ Stmt[d] -> Arr[r] }`.
///
/// # Errors
/// A coefficient that does not fit i64.
pub fn access_pieces(relation: &Map) -> SetResult<Vec<AccessPiece>> {
    let (params, dims, rank) = (relation.space().n_param(), relation.space().n_in(), relation.space().n_out());
    let piece = |b: &presburger::BasicMap| {
        let (exists, rows) = (b.n_exists(), b.rows_i64()?);
        let says_no_more = exists == 0 && rows.len() == rank;
        let subscripts = says_no_more.then(|| subscripts_of(&rows, params + dims, rank)).flatten();
        Ok(AccessPiece { subscripts, exists, rows })
    };
    relation.basics().iter().map(piece).collect()
}

/// Adds "both accesses touch one element" to the conjunction.
///
/// # Errors
/// [`Overflow`].
pub fn add_same_element(
    poly: &mut Poly,
    src: (&AccessPiece, Slot),
    dst: (&AccessPiece, Slot),
    rank: usize,
) -> Result<(), Overflow> {
    if let (Some(a), Some(b)) = (&src.0.subscripts, &dst.0.subscripts) {
        for (a, b) in a.iter().zip(b) {
            let a = place(a, src.1, &[]);
            let b = place(b, dst.1, &[]);
            poly.add_eq(&super::poly::difference(&b, &a)?)?;
        }
        return Ok(());
    }
    let element: Vec<usize> = (0..rank).map(|_| poly.add_column()).collect();
    add_element(poly, src.0, src.1, &element)?;
    add_element(poly, dst.0, dst.1, &element)
}

/// Adds "the access touches the element" whose subscripts are these columns.
///
/// # Errors
/// [`Overflow`].
pub fn add_element(poly: &mut Poly, access: &AccessPiece, slot: Slot, element: &[usize]) -> Result<(), Overflow> {
    let mut exists = element.to_vec();
    exists.extend((0..access.exists).map(|_| poly.add_column()));
    for (kind, row) in &access.rows {
        let row = place(row, slot, &exists);
        match kind {
            Kind::Eq => poly.add_eq(&row)?,
            Kind::Ge => poly.add_ge(&row)?,
        }
    }
    Ok(())
}

/// Replaces each conjunction by its meets with each piece of a domain (or of a context), as [`add_piece`] adds them.
///
/// # Errors
/// [`Overflow`].
pub fn refine(polys: &mut Vec<Poly>, pieces: &[Piece], slot: Slot) -> Result<(), Overflow> {
    spread(polys, pieces, |poly, piece| add_piece(poly, piece, slot))
}

/// The same with each piece of an access, as [`add_element`] adds them.
///
/// # Errors
/// [`Overflow`].
pub fn touch(polys: &mut Vec<Poly>, accesses: &[AccessPiece], slot: Slot, element: &[usize]) -> Result<(), Overflow> {
    spread(polys, accesses, |poly, access| add_element(poly, access, slot, element))
}

fn spread<T>(
    polys: &mut Vec<Poly>,
    items: &[T],
    add: impl Fn(&mut Poly, &T) -> Result<(), Overflow>,
) -> Result<(), Overflow> {
    let mut met = Vec::with_capacity(polys.len() * items.len());
    for (poly, item) in polys.iter().flat_map(|p| items.iter().map(move |i| (p, i))) {
        let mut poly = poly.clone();
        add(&mut poly, item)?;
        if !poly.is_surely_empty() {
            met.push(poly);
        }
    }
    *polys = met;
    Ok(())
}
