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

/// Columns, the constant's among them, up to which a point needs no memory of its own.
const SMALL_POINT: usize = 16;

/// A point over all columns of `s`, followed by a 1; `None` means nothing. At most [`SWEEPS`] passes over the rows.
pub(crate) fn point<T: Int>(s: &Sys<T>) -> Option<Vec<T>> {
    let mut x = vec![T::zero(); s.cols() + 1];
    repair(s, &mut x, &T::zero())?;
    Some(x)
}

/// Whether [`point`] finds one.
pub(crate) fn finds_point<T: Int>(s: &Sys<T>) -> bool {
    on_scratch(s.cols() + 1, |x| repair(s, x, &T::zero()).is_some())
}

/// Whether a point is found at which every inequality is at least one; equalities are not looked at.
pub(crate) fn finds_inner_point<T: Int>(s: &Sys<T>) -> bool {
    on_scratch(s.cols() + 1, |x| repair_all(std::iter::empty(), s.ge.rows(), x, &T::one()).is_some())
}

/// The point of [`finds_inner_point`], with a 1 behind it.
pub(crate) fn inner_point<T: Int>(s: &Sys<T>) -> Option<Vec<T>> {
    let mut x = vec![T::zero(); s.cols() + 1];
    repair_all(std::iter::empty(), s.ge.rows(), &mut x, &T::one())?;
    Some(x)
}

/// Runs `f` on so many zeros.
fn on_scratch<T: Int, R>(width: usize, f: impl FnOnce(&mut [T]) -> R) -> R {
    if width > SMALL_POINT {
        return f(&mut vec![T::zero(); width]);
    }
    let mut few: [T; SMALL_POINT] = std::array::from_fn(|_| T::zero());
    f(&mut few[..width])
}

/// Moves `x` from the origin to a point of `s`.
fn repair<T: Int>(s: &Sys<T>, x: &mut [T], margin: &T) -> Option<()> {
    repair_all(s.eq.rows(), s.ge.rows(), x, margin)
}

/// As [`repair`], to where every inequality is at least `margin`.
fn repair_all<'r, T: Int + 'r>(
    eq: impl Iterator<Item = &'r [T]> + Clone,
    ge: impl Iterator<Item = &'r [T]> + Clone,
    x: &mut [T],
    margin: &T,
) -> Option<()> {
    let last = x.len() - 1;
    x[last] = T::one();
    for sweep in 0..SWEEPS {
        let mut sound = true;
        for r in eq.clone() {
            sound &= repair_eq(r, x).ok()??;
        }
        for r in ge.clone() {
            sound &= repair_ge(r, x, margin, sweep % 2 == 1).ok()??;
        }
        if sound {
            return Some(());
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

/// Whether `row . x >= margin` held already; if not, a column is moved just far enough, upwards if the row has a
/// positive coefficient: the last such column in even sweeps, the first in odd ones.
fn repair_ge<T: Int>(row: &[T], x: &mut [T], margin: &T, odd: bool) -> Res<Option<bool>> {
    let v = T::dot(row, x)?.sub(margin)?;
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
