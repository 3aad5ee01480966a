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
    pub seen: &'a mut Vec<Vec<T>>,
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

/// A row of the first piece, turned about the second as far as that allows, that is negative at the integer point `z`.
pub(crate) fn turned_beyond<T: Int>(
    first: &First<'_, T>,
    second: &mut Second<'_, T>,
    z: &[T],
    bud: &Budget,
) -> Res<Option<Vec<T>>> {
    let mut one = vec![T::zero(); first.cuts.w];
    one[first.cuts.w - 1] = T::one();
    let all = first.cuts.rows().chain(first.valid.rows()).chain([&one[..]]);
    let mut rows = all.map(|r| Known::of(r, z)).collect::<Res<Vec<_>>>()?;
    for k in 0..first.cuts.len() {
        if !rows[k].at_z.is_neg() {
            continue;
        }
        rows[k].see(second.seen)?;
        if !rows[k].at_seen.iter().any(Int::is_neg) {
            let (_, at) = second.tab.lowest(rows[k].row, bud)?;
            second.seen.push(at);
        }
        for i in (0..rows.len()).filter(|i| *i != k) {
            bud.step(1 + second.seen.len() / 16)?;
            rows[k].see(second.seen)?;
            rows[i].see(second.seen)?;
            if rows[i].may_be_cut(&rows[k])
                && let Some(row) = turned(rows[i].row, rows[k].row, second, |_| false, bud)?
                && T::dot(&row, z)?.is_neg()
                && coefficients(&row).all(|v| v.abs() <= first.most)
            {
                return Ok(Some(row));
            }
        }
    }
    Ok(None)
}

/// A row with its value at an integer point, and at the points that were seen.
struct Known<'r, T> {
    row: &'r [T],
    at_z: T,
    at_seen: Vec<T>,
}

impl<'r, T: Int> Known<'r, T> {
    fn of(row: &'r [T], z: &[T]) -> Res<Self> {
        Ok(Self { row, at_z: T::dot(row, z)?, at_seen: Vec::new() })
    }

    fn see(&mut self, seen: &[Vec<T>]) -> Res<()> {
        for p in &seen[self.at_seen.len()..] {
            self.at_seen.push(T::dot(self.row, p)?);
        }
        Ok(())
    }

    /// Whether this row, turned about `x`, may become negative at the integer point before it does at a point that was
    /// seen.
    fn may_be_cut(&self, x: &Self) -> bool {
        let depth = x.at_z.neg();
        x.at_seen
            .iter()
            .zip(&self.at_seen)
            .all(|(x, r)| !x.is_neg() || (r.is_pos() && T::product_is_less(&self.at_z, &x.neg(), &depth, r)))
    }
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
