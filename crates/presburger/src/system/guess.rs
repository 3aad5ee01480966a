//! A cheap attempt at an integer point of a conjunction, before any exact method: start at the origin and repair
//! violated rows by moving one variable each, upwards where a row allows it. On rows that only compare variables and
//! constants (loop bounds, dependences) upward repairs settle as shortest paths do, so a few sweeps find a point of
//! most sets that have one.
//! Source: Bellman, On a Routing Problem, Quarterly of Applied Mathematics 16, 1958 (relaxation of difference
//! constraints).

use crate::num::{Int, Res};
use crate::system::sys::Sys;

/// Sweeps over the rows before giving up; the last one that repairs nothing is the proof.
const SWEEPS: usize = 6;

/// A point over all columns of `s`, followed by a 1; `None` means nothing. At most [`SWEEPS`] passes over the rows.
pub(crate) fn point<T: Int>(s: &Sys<T>) -> Option<Vec<T>> {
    let last = s.cols();
    let mut x = vec![T::zero(); last + 1];
    x[last] = T::one();
    for sweep in 0..SWEEPS {
        let mut sound = true;
        for r in s.eq.rows() {
            sound &= repair_eq(r, &mut x).ok()??;
        }
        for r in s.ge.rows() {
            sound &= repair_ge(r, &mut x, sweep % 2 == 1).ok()??;
        }
        if sound {
            return Some(x);
        }
    }
    None
}

/// Whether `row . x = 0` held already; if not, a column with a unit coefficient is moved, upwards if there is such a
/// one. `None`: there is no such column.
fn repair_eq<T: Int>(row: &[T], x: &mut [T]) -> Res<Option<bool>> {
    let v = T::dot(row, x)?;
    if v.is_zero() {
        return Ok(Some(true));
    }
    let units = || (0..row.len() - 1).rev().filter(|c| row[*c].is_unit());
    let Some(c) = units().find(|c| row[*c].is_pos() == v.is_neg()).or_else(|| units().next()) else { return Ok(None) };
    x[c] = if row[c].is_pos() { x[c].sub(&v)? } else { x[c].add(&v)? };
    Ok(Some(false))
}

/// Whether `row . x >= 0` held already; if not, a column is moved just far enough, upwards if the row has a positive
/// coefficient: the last such column in even sweeps, the first in odd ones.
fn repair_ge<T: Int>(row: &[T], x: &mut [T], odd: bool) -> Res<Option<bool>> {
    let v = T::dot(row, x)?;
    if !v.is_neg() {
        return Ok(Some(true));
    }
    let mut columns = 0..row.len() - 1;
    let rising = |c: &usize| row[*c].is_pos();
    if let Some(c) = if odd { columns.clone().find(rising) } else { columns.clone().rfind(rising) } {
        x[c] = x[c].add(&v.neg().cdiv(&row[c]))?;
    } else if let Some(c) = columns.rfind(|c| row[*c].is_neg()) {
        x[c] = x[c].sub(&v.neg().cdiv(&row[c].neg()))?;
    } else {
        return Ok(None);
    }
    Ok(Some(false))
}
