//! What the signs of coefficients and single points say about inequalities, before any linear program.
//! Moving a point along one column against the only inequality that bounds it on that side leaves all others as they
//! are or raises them, so that far enough out this one alone fails: no others imply it. Likewise one that a ray from an
//! inner point meets before all others: just behind it this one alone fails.
//! Source: Clarkson, More Output-Sensitive Geometric Algorithms, FOCS 1994 (rays).

use crate::num::{Int, Res};
use crate::system::guess;
use crate::system::sys::Sys;

/// Whether equalities leave the other columns free over the rationals: each has a column that no other row uses.
fn equalities_bind_nothing<T: Int>(s: &Sys<T>) -> bool {
    let own = |i: usize, c: usize| {
        !s.eq.row(i)[c].is_zero() && !s.ge.uses(c) && s.eq.rows().enumerate().all(|(k, r)| k == i || r[c].is_zero())
    };
    (0..s.eq.len()).all(|i| (0..s.cols()).rev().any(|c| own(i, c)))
}

/// Whether a look at the rows shows a rational point at which every inequality is positive.
pub(super) fn shows_inner_point<T: Int>(s: &Sys<T>) -> bool {
    equalities_bind_nothing(s) && guess::finds_inner_point(s)
}

/// Inequalities that the others surely do not imply, and those of `keep`; rows have a point.
pub(super) fn needed<T: Int>(s: &Sys<T>, mut keep: Vec<bool>) -> Vec<bool> {
    if !equalities_bind_nothing(s) {
        return keep;
    }
    for c in 0..s.cols() {
        for sign in [1, -1] {
            let mut side = (0..s.ge.len()).filter(|i| s.ge.row(*i)[c].sgn() == sign);
            if let (Some(only), None) = (side.next(), side.next()) {
                keep[only] = true;
            }
        }
    }
    if keep.contains(&false)
        && let Some(inner) = guess::inner_point(s)
    {
        for k in 0..s.ge.len() {
            // Where numbers are too large nothing is said.
            if !keep[k]
                && let Ok(Some(first)) = first_against(s, k, &inner)
            {
                keep[first] = true;
            }
        }
    }
    keep
}

/// The inequality that the ray from the inner point against row `k` meets before all others.
fn first_against<T: Int>(s: &Sys<T>, k: usize, inner: &[T]) -> Res<Option<usize>> {
    let n = s.cols();
    let mut first: Option<(T, T, usize)> = None;
    let mut alone = false;
    for (i, r) in s.ge.rows().enumerate() {
        let speed = T::dot(&r[..n], &s.ge.row(k)[..n])?;
        if !speed.is_pos() {
            continue;
        }
        let value = T::dot(r, inner)?;
        // The sign of the difference of `value / speed`, the time until the row is met.
        let order = match &first {
            Some((v, per, _)) => T::lin(&value, per, &v.neg(), &speed)?.sgn(),
            None => -1,
        };
        if order <= 0 {
            alone = order < 0;
            first = Some((value, speed, i));
        }
    }
    Ok(first.filter(|_| alone).map(|f| f.2))
}

#[cfg(test)]
mod tests {
    use super::needed;
    use crate::system::sys::Sys;

    fn needed_of(rows: &[[i64; 3]]) -> Vec<bool> {
        let mut s = Sys::universe(2, 0);
        rows.iter().for_each(|r| s.ge.push(r));
        needed(&s, vec![false; rows.len()])
    }

    #[test]
    fn the_only_bound_of_a_side_is_needed() {
        assert_eq!(needed_of(&[[1, 0, 0], [-1, 1, 0], [0, -1, 9]]), [true, true, true]);
    }

    #[test]
    fn a_row_met_first_is_needed_and_an_implied_one_is_not_called_so() {
        // x and y from 0 to 9, cut by x + y <= 12; x + y <= 18 touches the corner and x + y <= 20 lies outside.
        let square = [[1, 0, 0], [0, 1, 0], [-1, 0, 9], [0, -1, 9]];
        let with = |r: [i64; 3]| needed_of(&[square[0], square[1], square[2], square[3], r]);
        assert_eq!(with([-1, -1, 12]), [true; 5]);
        assert_eq!(with([-1, -1, 18]), [true, true, true, true, false]);
        assert_eq!(with([-1, -1, 20]), [true, true, true, true, false]);
    }

    #[test]
    fn of_rows_met_at_once_none_is_called_needed() {
        // From (1, 1) the ray against either of the equal diagonals meets both.
        let met = needed_of(&[[1, 0, 0], [0, 1, 0], [-1, -1, 9], [-1, -1, 9], [-1, 0, 30], [0, -1, 30]]);
        assert_eq!(met, [true, true, false, false, false, false]);
    }
}
