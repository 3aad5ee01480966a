//! Places the parts of a statement pair (domains, accesses, times) into the columns of a [`Poly`].

use super::poly::{Columns, Overflow, Poly, Row};
use presburger::{Aff, BasicSet, Kind, Map, Result as SetResult, Set};

/// Which statement of a pair a row speaks of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The earlier one.
    Src,
    /// The later one.
    Dst,
}

impl Columns {
    /// Column of dim 0 of a side.
    #[must_use]
    pub fn start(self, side: Side) -> usize {
        match side {
            Side::Src => self.src_start(),
            Side::Dst => self.dst_start(),
        }
    }
}

/// Moves a row `[params | dims | existentials | 1]` of one statement to its side's columns; existential k goes to `exists[k]`.
#[must_use]
pub fn place(row: &[i64], columns: Columns, side: Side, dims: usize, exists: &[usize]) -> Row {
    let Some((constant, coefficients)) = row.split_last() else { return vec![0] };
    let width = exists.iter().map(|c| c + 1).max().unwrap_or(0).max(columns.end());
    let mut placed = vec![0; width];
    placed[0] = *constant;
    for (k, &c) in coefficients.iter().enumerate() {
        let column = match k {
            k if k < columns.params => 1 + k,
            k if k < columns.params + dims => columns.start(side) + k - columns.params,
            k => exists[k - columns.params - dims],
        };
        placed[column] += c;
    }
    placed
}

/// A set's pieces as plain rows `[params | dims | existentials | 1]`.
pub type Pieces = Vec<(usize, Vec<(Kind, Vec<i64>)>)>;

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
pub fn add_piece(
    poly: &mut Poly,
    piece: &(usize, Vec<(Kind, Vec<i64>)>),
    columns: Columns,
    side: Side,
    dims: usize,
) -> Result<(), Overflow> {
    let exists: Vec<usize> = (0..piece.0).map(|_| poly.add_column()).collect();
    for (kind, row) in &piece.1 {
        let row = place(row, columns, side, dims, &exists);
        match kind {
            Kind::Eq => poly.add_eq(&row)?,
            Kind::Ge => poly.add_ge(&row)?,
        }
    }
    Ok(())
}

/// The value of a quasi-affine function at a side's dims, as a row; floors become existential columns of `poly`.
///
/// # Errors
/// [`Overflow`].
pub fn place_aff(poly: &mut Poly, aff: &Aff, columns: Columns, side: Side) -> Result<Row, Overflow> {
    let dims = aff.space().n_out();
    let mut floors = Vec::with_capacity(aff.divs().len());
    for div in aff.divs() {
        let num = place(&div.num, columns, side, dims, &floors);
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
    Ok(place(aff.row(), columns, side, dims, &floors))
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
        let subscripts =
            if exists == 0 && rows.len() == rank { subscripts_of(&rows, params + dims, rank) } else { None };
        Ok(AccessPiece { subscripts, exists, rows })
    };
    relation.basics().iter().map(piece).collect()
}

/// Each output column as a function of the earlier columns, when row k of the equalities determines one output with coefficient
/// 1 or -1 and mentions no other.
fn subscripts_of(rows: &[(Kind, Vec<i64>)], inputs: usize, rank: usize) -> Option<Vec<Vec<i64>>> {
    let mut subscripts = vec![None; rank];
    for (kind, row) in rows {
        let mut outputs = (0..rank).filter(|k| row[inputs + k] != 0);
        let (Some(output), None, Kind::Eq) = (outputs.next(), outputs.next(), kind) else { return None };
        let sign = match row[inputs + output] {
            1 => -1,
            -1 => 1,
            _ => return None,
        };
        let mut value: Vec<i64> = row[..inputs].iter().map(|c| c.checked_mul(sign)).collect::<Option<_>>()?;
        value.push(row[inputs + rank].checked_mul(sign)?);
        subscripts[output] = Some(value);
    }
    subscripts.into_iter().collect()
}

/// Adds "both accesses touch one element" to the conjunction.
///
/// # Errors
/// [`Overflow`].
pub fn add_same_element(
    poly: &mut Poly,
    src: &AccessPiece,
    dst: &AccessPiece,
    columns: Columns,
    rank: usize,
) -> Result<(), Overflow> {
    if let (Some(a), Some(b)) = (&src.subscripts, &dst.subscripts) {
        for (a, b) in a.iter().zip(b) {
            let a = place(a, columns, Side::Src, columns.src, &[]);
            let b = place(b, columns, Side::Dst, columns.dst, &[]);
            poly.add_eq(&super::poly::difference(&b, &a)?)?;
        }
        return Ok(());
    }
    let element: Vec<usize> = (0..rank).map(|_| poly.add_column()).collect();
    for (piece, side, dims) in [(src, Side::Src, columns.src), (dst, Side::Dst, columns.dst)] {
        let mut exists = element.clone();
        exists.extend((0..piece.exists).map(|_| poly.add_column()));
        for (kind, row) in &piece.rows {
            let row = place(row, columns, side, dims, &exists);
            match kind {
                Kind::Eq => poly.add_eq(&row)?,
                Kind::Ge => poly.add_ge(&row)?,
            }
        }
    }
    Ok(())
}
