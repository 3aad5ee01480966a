//! Lexicographic minima that stand at lower bounds for all parameters alike: each column is its lower bound, an affine
//! form of the columns before, plus something non-negative, and no inequality grows with what is added.
//! Source: Feautrier, Parametric Integer Programming, RAIRO Recherche Operationnelle 22(3), 1988 (a first dictionary
//! that is optimal once the parameters fit).

use crate::budget::Budget;
use crate::num::{Int, Res};
use crate::system::elim;
use crate::system::solve;
use crate::system::sys::Sys;

/// What a column is without what is added.
enum Start<'s, T> {
    /// A lower bound in which the column has coefficient 1; the others are columns before it and parameters.
    Bound(&'s [T]),
    /// An equality that gives the column, with a unit coefficient.
    Equality(&'s [T]),
    At(T),
}

/// The points of `s` that are lexicographically smallest in columns `first..n` for their values of columns `0..first`:
/// no piece or one. `None`: the rows do not show it.
pub(super) fn lexmin<T: Int>(s: &Sys<T>, first: usize, bud: &Budget) -> Res<Option<Option<Sys<T>>>> {
    let last = s.cols();
    let mut starts = Vec::with_capacity(last - first);
    for c in first..last {
        let Some(start) = start_of(s, c) else { return Ok(None) };
        starts.push(start);
    }
    bud.step(1 + s.eq.len() + s.ge.len())?;
    let mut point = Sys::universe(s.n, 0);
    let visible = |row: &[T]| row[..s.n].iter().chain([&row[last]]).cloned().collect::<Vec<T>>();
    for r in s.eq.rows() {
        let mut row = r.to_vec();
        if !put_in(&mut row, &starts, first, |_| false)? {
            return Ok(None);
        }
        point.eq.push(&visible(&row));
    }
    for r in s.ge.rows() {
        let top = (first..last).rev().find(|c| !r[*c].is_zero());
        if top.is_some_and(|c| r[c].is_pos() && !matches!(starts[c - first], Start::Equality(_))) {
            continue;
        }
        let mut row = r.to_vec();
        if !put_in(&mut row, &starts, first, Int::is_neg)? {
            return Ok(None);
        }
        point.ge.push(&visible(&row));
    }
    if !point.tidy() || (!point.ge.is_empty() && solve::is_empty(&point, bud)?) {
        return Ok(Some(None));
    }
    let plain = point.is_universe();
    for c in first..s.n {
        let mut row = vec![T::zero(); last + 1];
        row[c] = T::one();
        put_in(&mut row, &starts, first, |_| true)?;
        row[c] = T::of(-1);
        point.eq.push(&visible(&row));
    }
    if plain {
        return Ok(Some(point.tidy_eq().then_some(point)));
    }
    Ok(Some(elim::project_owned(point, bud)?))
}

/// The start of column `c`: an equality, the only lower bound, or the largest of constant ones, where no later column
/// is in these rows.
fn start_of<T: Int>(s: &Sys<T>, c: usize) -> Option<Start<'_, T>> {
    let last = s.cols();
    let ends_here = |r: &[T]| !r[c].is_zero() && r[c + 1..last].iter().all(Int::is_zero);
    if let Some(r) = s.eq.rows().find(|r| ends_here(r) && r[c].is_unit()) {
        return Some(Start::Equality(r));
    }
    let mut best: Option<Start<'_, T>> = None;
    for r in s.ge.rows().filter(|r| r[c].is_pos() && ends_here(r)) {
        let constant = r[..c].iter().all(Int::is_zero);
        best = Some(match best {
            None if constant => Start::At(r[last].neg().cdiv(&r[c])),
            None if r[c].is_one() => Start::Bound(r),
            Some(Start::At(v)) if constant => Start::At(v.max(r[last].neg().cdiv(&r[c]))),
            _ => return None,
        });
    }
    best
}

/// Puts the starts of the columns from `first` on into a row, the last one first, which leaves columns `0..first`.
/// False if such a column that is no equality's has a coefficient that is not `allowed`.
fn put_in<T: Int>(row: &mut [T], starts: &[Start<'_, T>], first: usize, allowed: impl Fn(&T) -> bool) -> Res<bool> {
    let last = row.len() - 1;
    for (k, start) in starts.iter().enumerate().rev() {
        let c = first + k;
        if row[c].is_zero() {
            continue;
        }
        let a = row[c].clone();
        let (r, times) = match start {
            Start::Equality(r) if r[c].is_pos() => (r, a.neg()),
            Start::Equality(r) => (r, a),
            _ if !allowed(&a) => return Ok(false),
            Start::Bound(r) => (r, a.neg()),
            Start::At(v) => {
                row[last] = T::lin(&a, v, &T::one(), &row[last])?;
                row[c] = T::zero();
                continue;
            }
        };
        T::lin_rows(&T::one(), row, &times, r)?;
    }
    Ok(true)
}
