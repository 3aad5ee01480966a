//! What the signs of coefficients say about inequalities, before any linear program.
//! Moving a point along one column against the only inequality that bounds it on that side leaves all others as they
//! are or raises them, so that far enough out this one alone fails: no others imply it.

use crate::num::Int;
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

/// Whether every inequality without `keep` is the only one that bounds some column on its side; rows have a point.
pub(super) fn all_needed<T: Int>(s: &Sys<T>, keep: &[bool]) -> bool {
    if !equalities_bind_nothing(s) {
        return false;
    }
    let mut needed = keep.to_vec();
    for c in 0..s.cols() {
        for sign in [1, -1] {
            let mut side = (0..s.ge.len()).filter(|i| s.ge.row(*i)[c].sgn() == sign);
            if let (Some(only), None) = (side.next(), side.next()) {
                needed[only] = true;
            }
        }
    }
    !needed.contains(&false)
}
