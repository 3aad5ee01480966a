//! Inequalities that are the sum of two others and a constant, before any linear program: bounds of loops imply most of
//! what is redundant in this way. Pairs are found by hashes that are linear in the row.

use crate::num::Int;
use crate::system::sys::{Mat, Sys, linear_hash};

/// Hashes of the coefficients of each row.
pub(crate) fn hashes<T: Int>(rows: &Mat<T>) -> Vec<u64> {
    rows.rows().map(|r| linear_hash(&r[..rows.w - 1])).collect()
}

/// Whether two of the rows that are not `gone`, neither of them row `but`, add up to no more than `row >= 0` says.
fn is_sum<T: Int>(row: &[T], rows: &Mat<T>, hashes: &[u64], but: Option<usize>, gone: &[bool]) -> bool {
    let last = rows.w - 1;
    let wanted = linear_hash(&row[..last]);
    let usable = |k: usize| Some(k) != but && !gone.get(k).is_some_and(|g| *g);
    let adds_up = |i: usize, k: usize| {
        let (a, b) = (rows.row(i), rows.row(k));
        (0..=last).all(|c| a[c].add(&b[c]).is_ok_and(|sum| if c < last { sum == row[c] } else { sum <= row[c] }))
    };
    hashes.iter().enumerate().any(|(i, hash)| {
        let (rest, later) = (wanted.wrapping_sub(*hash), &hashes[i + 1..]);
        later.contains(&rest)
            && usable(i)
            && (i + 1..hashes.len()).any(|k| hashes[k] == rest && usable(k) && adds_up(i, k))
    })
}

/// Whether two of the rows, whose hashes are given, add up to no more than `row >= 0` says.
pub(crate) fn implied<T: Int>(row: &[T], rows: &Mat<T>, hashes: &[u64]) -> bool {
    is_sum(row, rows, hashes, None, &[])
}

/// Drops inequalities that are sums of two others, none with `keep`, those listed first before others; what remains of
/// `keep`.
pub(super) fn drop_sums<T: Int>(s: &mut Sys<T>, keep: &[bool], order: &[usize]) -> Vec<bool> {
    let hashes = hashes(&s.ge);
    let mut gone = vec![false; hashes.len()];
    for &k in order {
        gone[k] = is_sum(s.ge.row(k), &s.ge, &hashes, Some(k), &gone);
    }
    let mut i = 0;
    s.ge.retain(|_| {
        i += 1;
        !gone[i - 1]
    });
    keep.iter().zip(gone).filter(|(_, gone)| !gone).map(|(keep, _)| *keep).collect()
}

#[cfg(test)]
mod tests {
    use super::drop_sums;
    use crate::system::sys::Sys;

    #[test]
    fn a_row_goes_if_two_others_add_up_to_it_and_not_if_they_say_less() {
        // i >= 1, j >= i + 1, and j >= 2 follows; j >= 3 does not.
        for (constant, left) in [(-2, 2), (-3, 3)] {
            let mut s = Sys::universe(2, 0);
            for r in [[1, 0, -1], [-1, 1, -1], [0, 1, constant]] {
                s.ge.push(&r);
            }
            assert_eq!(drop_sums(&mut s, &[false; 3], &[1, 2, 0]).len(), left);
            assert_eq!(s.ge.len(), left);
        }
    }

    #[test]
    fn of_rows_that_follow_from_each_other_one_way_round_is_kept() {
        // x = 0 and y = 0 as four inequalities, and x + y >= 0: each of x >= 0, y >= 0 is a sum with it.
        let mut s = Sys::universe(2, 0);
        for r in [[1, 0, 0], [0, 1, 0], [-1, 0, 0], [0, -1, 0], [1, 1, 0]] {
            s.ge.push(&r);
        }
        drop_sums(&mut s, &[false; 5], &[4, 0, 1, 2, 3]);
        assert_eq!(
            s.ge.rows().map(<[i64]>::to_vec).collect::<Vec<_>>(),
            [[1, 0, 0], [0, 1, 0], [-1, 0, 0], [0, -1, 0]]
        );
    }
}
