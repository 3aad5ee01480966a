//! Rows that hold on two pieces and stand in neither: a row of one piece turned about where it meets a row that cuts
//! the other piece, as far as the other piece allows.
//! For `x >= 0` of the first piece, violated somewhere on the second, and `r >= 0` of the first, `r + m x >= 0` holds
//! on the first for all `m >= 0`, and where `x` is negative on the second for `m` up to the least `r / -x` there. With
//! 1 for `r` that moves `x` outwards.
//! Source: Verdoolaege, Integer Set Coalescing, IMPACT 2015 (wrapping).

use crate::budget::Budget;
use crate::num::{Int, Res};
use crate::program::simplex::{Opt, Tab};
use crate::system::sys::{Mat, Sys, combine, content};

/// The turned rows of the first piece, whose rows are `rows` and of these `cuts` are violated somewhere on the second;
/// some may not hold where `cuts` do on the second. Those with coefficients much larger than all of the two pieces are
/// left out: they are steep because a bound is far away. `points` are some of the second, each with a 1 behind it.
pub(crate) fn turned<T: Int>(
    rows: &Mat<T>,
    cuts: &Mat<T>,
    second: &Sys<T>,
    points: &[Vec<T>],
    bud: &Budget,
) -> Res<Mat<T>> {
    let largest = [rows, &second.eq, &second.ge].map(largest_coefficient).into_iter().max().unwrap_or_else(T::zero);
    let most = T::lin(&T::of(2), &largest, &T::of(16), &T::one())?;
    let mut out = Mat::new(rows.w);
    let mut one = vec![T::zero(); rows.w];
    one[rows.w - 1] = T::one();
    for x in cuts.rows() {
        let mut tab = beyond(x, second, bud)?;
        if tab.is_empty() {
            continue;
        }
        for r in rows.rows().filter(|r| *r != x).chain([&one[..]]) {
            if is_held(r, x, points)? {
                continue;
            }
            let mut row = r.to_vec();
            row.push(T::zero());
            let Opt::At(num, den) = tab.min(&row, bud)? else { continue };
            if !num.is_pos() {
                continue;
            }
            let mut row = combine(&den, r, &num, x)?;
            let g = content(&row);
            if !g.is_zero() {
                row.iter_mut().for_each(|v| *v = v.fdiv(&g));
                if coefficients(&row).all(|v| v.abs() <= most) {
                    out.push(&row);
                }
            }
        }
    }
    Ok(out)
}

/// Whether at one of the points `x` is negative and `r` not positive, so that `r` cannot be turned about `x`.
fn is_held<T: Int>(r: &[T], x: &[T], points: &[Vec<T>]) -> Res<bool> {
    for p in points {
        if !T::dot(r, p)?.is_pos() && T::dot(x, p)?.is_neg() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// All but the constant.
fn coefficients<T>(row: &[T]) -> impl Iterator<Item = &T> {
    row[..row.len() - 1].iter()
}

fn largest_coefficient<T: Int>(m: &Mat<T>) -> T {
    m.rows().flat_map(coefficients).map(Int::abs).max().unwrap_or_else(T::zero)
}

/// The cone over the piece, cut where `x` is -1: columns are those of the piece, then the one that scales them.
fn beyond<T: Int>(x: &[T], piece: &Sys<T>, bud: &Budget) -> Res<Tab<T>> {
    let width = piece.cols() + 1;
    let wide = |r: &[T], constant: T| r.iter().cloned().chain([constant]).collect::<Vec<T>>();
    let mut cone = Sys::universe(width, 0);
    cone.eq.push(&wide(x, T::one()));
    for r in piece.eq.rows() {
        cone.eq.push(&wide(r, T::zero()));
    }
    for r in piece.ge.rows() {
        cone.ge.push(&wide(r, T::zero()));
    }
    let mut scale = vec![T::zero(); width + 1];
    scale[width - 1] = T::one();
    cone.ge.push(&scale);
    Tab::new(&cone, bud)
}
