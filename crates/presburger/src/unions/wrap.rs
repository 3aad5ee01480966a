//! Rows that hold on two pieces and stand in neither: a row of one piece turned about where it meets a row that cuts
//! the other piece, as far as the other piece allows.
//! For `x >= 0` of the first piece, violated somewhere on the second, and `r >= 0` of the first, `r + m x >= 0` holds
//! on the first for all `m >= 0`, and where `x` is negative on the second for `m` up to the least `r / -x` there. With
//! 1 for `r` that moves `x` outwards. The least quotient is found by steps: that at some point is tried, and where the
//! row is lowest on the second piece is the next point.
//! Sources: Verdoolaege, Integer Set Coalescing, IMPACT 2015 (wrapping); Dinkelbach, On Nonlinear Fractional
//! Programming, Management Science 13(7), 1967.

use crate::budget::Budget;
use crate::num::{Int, Res};
use crate::program::simplex::{Opt, Tab};
use crate::system::sums;
use crate::system::sys::{Mat, Sys, combine, content};

/// The second piece: its tableau, and points and directions of it, a 0 behind the latter, otherwise what all numbers
/// are divided by.
pub(crate) struct Second<'a, T> {
    pub tab: &'a mut Tab<T>,
    pub seen: Vec<Vec<T>>,
}

/// The first piece: rows that hold on the second too, others, and the largest coefficient that a turned row may have.
pub(crate) struct First<'a, T> {
    pub valid: &'a Mat<T>,
    pub cuts: &'a Mat<T>,
    pub most: T,
}

/// The coefficients above which turned rows of the two pieces are left out: they are steep because a bound is far away.
pub(crate) fn steepest<T: Int>(pieces: [&Sys<T>; 2]) -> Res<T> {
    let rows = pieces.into_iter().flat_map(|s| s.eq.rows().chain(s.ge.rows()));
    let largest = rows.flat_map(coefficients).map(Int::abs).max().unwrap_or_else(T::zero);
    T::lin(&T::of(2), &largest, &T::of(32), &T::one())
}

/// Adds the rows of the first piece turned about the second to the hull of both, those that it does not show to hold.
pub(crate) fn add_turned<T: Int>(
    hull: &mut Sys<T>,
    first: &First<'_, T>,
    second: &mut Second<'_, T>,
    bud: &Budget,
) -> Res<()> {
    let mut hashes = sums::hashes(&hull.ge);
    let mut one = vec![T::zero(); first.cuts.w];
    one[first.cuts.w - 1] = T::one();
    let valid = || first.valid.rows().chain([&one[..]]).map(|r| (r, true));
    for x in first.cuts.rows() {
        for (r, holds) in valid().chain(first.cuts.rows().filter(|r| *r != x).map(|r| (r, false))) {
            // A row that is turned less lies between one that holds and one that is turned more.
            let known = |row: &[T]| holds && (hull.implies_on_sight(row) || sums::implied(row, &hull.ge, &hashes));
            if let Some(row) = turned(r, x, second, known, bud)?
                && coefficients(&row).all(|v| v.abs() <= first.most)
                && !hull.implies_on_sight(&row)
            {
                hashes.extend(sums::hashes(&Mat { w: row.len(), v: row.clone() }));
                hull.ge.push(&row);
            }
        }
    }
    Ok(())
}

/// `r` turned about `x` as far as the second piece allows; `None` if that is not at all, if the row does not hold where
/// `x` does, or if a row turned further is known to hold.
fn turned<T: Int>(
    r: &[T],
    x: &[T],
    second: &mut Second<'_, T>,
    known: impl Fn(&[T]) -> bool,
    bud: &Budget,
) -> Res<Option<Vec<T>>> {
    let mut least: Option<(T, T)> = None;
    let mut from = 0;
    loop {
        for p in &second.seen[from..] {
            let below = T::dot(x, p)?.neg();
            if below.is_pos() {
                let value = T::dot(r, p)?;
                if !value.is_pos() {
                    return Ok(None);
                }
                if least.as_ref().is_none_or(|(num, den)| T::product_is_less(&value, den, num, &below)) {
                    let g = value.gcd(&below);
                    least = Some((value.fdiv(&g), below.fdiv(&g)));
                }
            }
        }
        from = second.seen.len();
        let Some((num, den)) = &least else { return Ok(None) };
        let mut row = combine(den, r, num, x)?;
        let g = content(&row);
        if g.is_zero() {
            return Ok(None);
        }
        if known(&row) {
            return Ok(None);
        }
        row.iter_mut().for_each(|v| *v = v.fdiv(&g));
        let (lowest, at) = second.tab.lowest(&row, bud)?;
        if matches!(&lowest, Opt::At(value, _) if !value.is_neg()) {
            return Ok(Some(row));
        }
        // Rounded, the row may be too low by less than one, and no other quotient be smaller.
        let lower = T::dot(x, &at)?.is_neg() && T::lin(den, &T::dot(r, &at)?, num, &T::dot(x, &at)?)?.is_neg();
        if !lower {
            return Ok(None);
        }
        second.seen.push(at);
    }
}

/// All but the constant.
fn coefficients<T>(row: &[T]) -> impl Iterator<Item = &T> {
    row[..row.len() - 1].iter()
}
