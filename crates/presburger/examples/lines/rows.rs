//! The fast layer of rows, on the pieces of sets and maps.

use presburger::rows::{Conjunction, Constraint, Row, Tableau, eliminate, negate, subtract};
use presburger::{BasicMap, BasicSet, Budget, Kind, Map, Result, Set};

/// The map read into conjunctions and back.
pub fn solved(m: &Map) -> Result<Map> {
    let piece = |b: &BasicMap| Ok(Conjunction::from_basic_map(b)?.to_basic_map(m.space().clone()).to_map());
    m.basics().iter().map(piece).try_fold(Map::empty(m.space().clone()), |all, next| Ok(all.union(&next?)))
}

/// A piece's rows `>= 0`, the constant first.
fn constraints(piece: &BasicSet) -> Result<Vec<Constraint>> {
    let mut all = Vec::new();
    for (kind, mut row) in piece.rows_i64()? {
        row.rotate_right(1);
        if kind == Kind::Eq {
            all.push(Constraint { row: negate(&row)?, own: true });
        }
        all.push(Constraint { row, own: true });
    }
    Ok(all)
}

fn set_of(like: &Set, rows: &[Constraint]) -> Set {
    let mut piece = BasicSet::universe(like.space().clone());
    for Constraint { row, .. } in rows {
        let mut row: Row = row.clone();
        row.resize(1 + like.space().n_cols(), 0);
        row.rotate_left(1);
        piece.add(Kind::Ge, &row);
    }
    piece.to_set()
}

/// Whether every piece is seen to be empty by a tableau of its rows.
pub fn surely_empty(s: &Set, b: &Budget) -> Result<bool> {
    for piece in s.basics() {
        let mut known = Tableau::new(s.space().n_cols() + piece.n_exists(), b);
        for c in constraints(piece)? {
            known.add(&c.row)?;
        }
        if !known.is_empty() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The union of the pieces with existentials and the last dim eliminated over the rationals: never too small.
pub fn shadow(s: &Set, b: &Budget) -> Result<Set> {
    let (first, mut all) = (s.space().n_cols(), Set::empty(s.space().clone()));
    for piece in s.basics() {
        let mut rows = constraints(piece)?;
        eliminate(&mut rows, first, first + 1 + piece.n_exists(), b)?;
        all = all.union(&set_of(s, &rows));
    }
    Ok(all)
}

/// The difference, where no piece has existentials.
pub fn difference(s: &Set, o: &Set, b: &Budget) -> Result<Option<Set>> {
    if s.basics().iter().chain(o.basics()).any(|p| p.n_exists() > 0) {
        return Ok(None);
    }
    let known = Tableau::new(s.space().n_cols(), b);
    let mut left = s.basics().iter().map(constraints).collect::<Result<Vec<_>>>()?;
    for piece in o.basics() {
        let taken = constraints(piece)?;
        let parts = left.iter().map(|a| subtract(&known, a, &taken)).collect::<Result<Vec<_>>>()?;
        left = parts.concat();
    }
    Ok(Some(left.iter().fold(Set::empty(s.space().clone()), |all, rows| all.union(&set_of(s, rows)))))
}
