//! Sums of powers.
//! Source: Graham, Knuth, Patashnik, Concrete Mathematics, 2nd edition, 1994, section 6.5.

use crate::functions::qpoly::Poly;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Zero};

/// Bernoulli's numbers, the second one -1/2.
pub(crate) fn bernoulli(count: usize) -> Vec<BigRational> {
    let mut list: Vec<BigRational> = Vec::with_capacity(count);
    for m in 0..count {
        if m > 1 && m % 2 == 1 {
            list.push(BigRational::zero());
            continue;
        }
        let mut binomial = BigInt::one();
        let mut sum = if m == 0 { BigRational::one() } else { BigRational::zero() };
        for (k, b) in list.iter().enumerate() {
            if !b.is_zero() {
                sum -= b * &binomial;
            }
            binomial = binomial * BigInt::from(m + 1 - k) / BigInt::from(k + 1);
        }
        list.push(sum / BigRational::from_integer(BigInt::from(m + 1)));
    }
    list
}

/// `sum_{v=0}^{n} v^k` as a polynomial in column `c` (Faulhaber's formula); more than `k` of Bernoulli's numbers.
pub(crate) fn power_sum(k: usize, c: usize, numbers: &[BigRational]) -> Poly {
    let mut sum = Poly::default();
    let mut binomial = BigInt::one();
    for (j, b) in numbers[..=k].iter().enumerate() {
        // The sum ends with its last term: the second number counts with the other sign.
        let b = if j == 1 { -b } else { b.clone() };
        if !b.is_zero() {
            let by = b * &binomial / BigInt::from(k + 1);
            sum = sum.add(&Poly::column_power(c, k + 1 - j).scaled(&by));
        }
        binomial = binomial * BigInt::from(k + 1 - j) / BigInt::from(j + 1);
    }
    // 0^0 is 1.
    if k == 0 { sum.add(&Poly::constant(BigRational::one())) } else { sum }
}
