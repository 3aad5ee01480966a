//! Places the accesses of a pair of statements into the columns of a [`Conjunction`],
//! `[1 | params | src dims | dst dims | existentials]`.

use crate::model::subscripts_of;
use presburger::rows::{Conjunction, Slot, difference, place, spread};
use presburger::{Kind, Map, Result};

/// Column numbers of a pair of statements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Columns {
    /// Number of parameters.
    pub params: usize,
    /// Number of source dims.
    pub src: usize,
    /// Number of destination dims.
    pub dst: usize,
}

impl Columns {
    /// Column of the first source dim.
    #[must_use]
    pub fn src_start(self) -> usize {
        1 + self.params
    }

    /// Column of the first destination dim.
    #[must_use]
    pub fn dst_start(self) -> usize {
        1 + self.params + self.src
    }

    /// Column of the first existential.
    #[must_use]
    pub fn end(self) -> usize {
        1 + self.params + self.src + self.dst
    }

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
pub fn access_pieces(relation: &Map) -> Result<Vec<AccessPiece>> {
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
/// [`presburger::Error::Overflow`].
pub fn add_same_element(
    poly: &mut Conjunction,
    src: (&AccessPiece, Slot),
    dst: (&AccessPiece, Slot),
    rank: usize,
) -> Result<()> {
    if let (Some(a), Some(b)) = (&src.0.subscripts, &dst.0.subscripts) {
        for (a, b) in a.iter().zip(b) {
            let a = place(a, src.1, &[]);
            let b = place(b, dst.1, &[]);
            poly.add_eq(&difference(&b, &a)?)?;
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
/// [`presburger::Error::Overflow`].
pub fn add_element(poly: &mut Conjunction, access: &AccessPiece, slot: Slot, element: &[usize]) -> Result<()> {
    let mut exists = element.to_vec();
    exists.extend((0..access.exists).map(|_| poly.add_column()));
    for (kind, row) in &access.rows {
        let row = place(row, slot, &exists);
        poly.add(*kind, &row)?;
    }
    Ok(())
}

/// The same with each piece of an access, as [`add_element`] adds them.
///
/// # Errors
/// [`presburger::Error::Overflow`].
pub fn touch(polys: &mut Vec<Conjunction>, accesses: &[AccessPiece], slot: Slot, element: &[usize]) -> Result<()> {
    spread(polys, accesses, |poly, access| add_element(poly, access, slot, element))
}
