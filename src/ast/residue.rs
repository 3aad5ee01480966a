//! What strides say of remainders.

use presburger::rows::{Congruence, Row, gcd};

/// The remainder of `num` by `den` (positive), if the strides leave only one. Columns are those of `num`.
pub(super) fn known_remainder(num: &[i64], den: i64, strides: &[Congruence]) -> Option<i64> {
    let d = i128::from(den);
    let mut row: Vec<i128> = num.iter().map(|&c| i128::from(c).rem_euclid(d)).collect();
    for s in strides.iter().rev() {
        // A multiple of the stride's row is a multiple of `den`.
        let multiple = i128::from(den / gcd(den, s.modulus));
        let zero: Vec<i128> = s.row.iter().map(|&c| (i128::from(c) * multiple).rem_euclid(d)).collect();
        let Some(last) = zero.iter().rposition(|&c| c != 0).filter(|&l| l > 0 && l < row.len()) else { continue };
        let Some(times) = quotient(row[last], zero[last], d) else { continue };
        for (c, z) in row.iter_mut().zip(&zero) {
            *c = (*c - times * z).rem_euclid(d);
        }
    }
    let (constant, rest) = row.split_first()?;
    if rest.iter().all(|&c| c == 0) { i64::try_from(*constant).ok() } else { None }
}

/// Makes the constant of `row >= 0` as small as the strides, those of a piece and what is known besides, let it be.
pub(super) fn tighten(row: &mut Row, own: &[Congruence], known: &[Congruence]) {
    if own.is_empty() {
        return;
    }
    let constant = std::mem::take(&mut row[0]);
    let strides: Vec<Congruence> = known.iter().chain(own).cloned().collect();
    let rest = own.iter().filter_map(|s| {
        let remainder = known_remainder(row, s.modulus, &strides)?;
        // The sum is a multiple of the modulus and `remainder`: at least `-constant`, or more.
        Some((remainder.checked_add(constant)?).rem_euclid(s.modulus))
    });
    let less = rest.max().unwrap_or(0);
    row[0] = constant.checked_sub(less).unwrap_or(constant);
}

/// A number `t` with `t b = a` modulo `m`.
fn quotient(a: i128, b: i128, m: i128) -> Option<i128> {
    let (g, inverse) = bezout(b.rem_euclid(m), m);
    (g != 0 && a % g == 0).then(|| (a / g * inverse).rem_euclid(m / g))
}

/// The greatest common divisor of `b` and `m`, and a number that times `b` leaves it modulo `m`.
fn bezout(b: i128, m: i128) -> (i128, i128) {
    let ((mut r, mut s), (mut x, mut y)) = ((b, m), (1, 0));
    while s != 0 {
        let q = r / s;
        (r, s) = (s, r - q * s);
        (x, y) = (y, x - q * y);
    }
    (r, x)
}

/// A stride whose last column has a common factor with the modulus as two of coprime moduli (Chinese remainders), if
/// that leaves a modulus by which the column has an inverse: `4 j = i + 3` modulo 12 is `i + 3 = 0` modulo 4 and
/// `j = i` modulo 3.
pub(super) fn coprime_parts(s: &Congruence) -> Option<[Congruence; 2]> {
    let last = s.row.iter().rposition(|&c| c != 0).filter(|&l| l > 0)?;
    let mut rest = s.modulus;
    let mut common = gcd(s.row[last], rest);
    while common > 1 {
        rest /= common;
        common = gcd(common, rest);
    }
    if rest == 1 || rest == s.modulus {
        return None;
    }
    let by = |modulus: i64| -> Congruence {
        let row: Row = s.row.iter().map(|c| c.rem_euclid(modulus)).collect();
        Congruence { row, modulus }
    };
    Some([by(s.modulus / rest), by(rest)])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all_points(check: impl Fn(i64, i64)) {
        for i in -15..15 {
            (-15..15).for_each(|j| check(i, j));
        }
    }

    fn value(row: &[i64], i: i64, j: i64) -> i64 {
        row.iter().zip([1, i, j]).map(|(a, b)| a * b).sum()
    }

    #[test]
    fn a_remainder_is_that_of_every_point_of_the_strides() {
        let mut known = 0;
        for seed in 0_i64..4000 {
            let digit = |k: u32, n: i64| seed.wrapping_mul(7919).rem_euclid(1 << 40) / 5_i64.pow(k) % n;
            let stride = |k: u32| Congruence {
                row: vec![digit(k, 5), digit(k + 1, 6), digit(k + 2, 6)],
                modulus: 2 + digit(k + 3, 11),
            };
            let strides = [stride(1), stride(5)];
            let (num, den) = ([digit(2, 4), digit(4, 7) - 3, digit(6, 7) - 3], 2 + digit(7, 11));
            let Some(r) = known_remainder(&num, den, &strides) else { continue };
            known += 1;
            all_points(|i, j| {
                if strides.iter().all(|s| value(&s.row, i, j) % s.modulus == 0) {
                    assert_eq!(value(&num, i, j).rem_euclid(den), r, "{num:?} {den} {strides:?}");
                }
            });
        }
        assert!(known > 100, "{known} remainders are known");
    }

    #[test]
    fn coprime_parts_hold_where_the_stride_does() {
        let mut split = 0;
        for modulus in 2..40 {
            for (a, b) in [(1, 4), (3, 6), (5, 10), (0, 12), (2, 9)] {
                let s = Congruence { row: vec![3, a, b % modulus], modulus };
                let Some(parts) = coprime_parts(&s) else { continue };
                split += 1;
                let holds = |s: &Congruence, i, j| value(&s.row, i, j) % s.modulus == 0;
                all_points(|i, j| assert_eq!(holds(&s, i, j), parts.iter().all(|p| holds(p, i, j)), "{s:?}"));
            }
        }
        assert!(split > 20, "{split} strides were split");
    }
}
