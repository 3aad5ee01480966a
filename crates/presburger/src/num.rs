//! Coefficient types. Every algorithm is written once over [`Int`]: it runs on `i64` first, with every step checked,
//! and is run again on `BigInt` when a step overflows.
//! Invariant: a stored `i64` coefficient is never `i64::MIN`, so negation and absolute value cannot overflow.

use crate::budget::Error;
use num_bigint::{BigInt, Sign};
use num_integer::Integer;
use num_traits::{One, Signed, ToPrimitive, Zero};
use std::fmt::{Debug, Display};
use std::hash::Hash;

/// Why an exact operation stopped early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// A value left the coefficient type: run again on a wider one.
    Overflow,
    /// There is no answer in any type.
    Error(Error),
}

impl Stop {
    /// The error of a run in arbitrary precision, in which only results can be too large.
    pub fn settled(self) -> Error {
        match self {
            Stop::Overflow => Error::Overflow,
            Stop::Error(e) => e,
        }
    }
}

pub(crate) type Res<T> = std::result::Result<T, Stop>;

/// An exact integer: results are right, or `Err(Stop::Overflow)`.
pub(crate) trait Int: Clone + Ord + Hash + Debug + Display + Sized {
    /// Whether numbers may not fit `i64`, which takes more time even where they do.
    const WIDE: bool;
    fn of(v: i64) -> Self;
    fn to_i64(&self) -> Option<i64>;
    /// -1, 0 or 1.
    fn sgn(&self) -> i32;
    fn neg(&self) -> Self;
    fn add(&self, o: &Self) -> Res<Self>;
    fn sub(&self, o: &Self) -> Res<Self>;
    fn mul(&self, o: &Self) -> Res<Self>;
    /// `a * x + b * y`.
    fn lin(a: &Self, x: &Self, b: &Self, y: &Self) -> Res<Self>;
    /// Whether `a * b < c * d`.
    fn product_is_less(a: &Self, b: &Self, c: &Self, d: &Self) -> bool;
    /// Sum of the products, entry by entry.
    fn dot(a: &[Self], b: &[Self]) -> Res<Self> {
        let mut v = Self::zero();
        for (x, y) in a.iter().zip(b) {
            if !x.is_zero() && !y.is_zero() {
                v = Self::lin(x, y, &Self::one(), &v)?;
            }
        }
        Ok(v)
    }
    /// `row * scale + b * other`, entry by entry, into `row`.
    fn lin_rows(scale: &Self, row: &mut [Self], b: &Self, other: &[Self]) -> Res<()> {
        for (x, y) in row.iter_mut().zip(other) {
            if !y.is_zero() || !scale.is_one() {
                *x = Self::lin(scale, x, b, y)?;
            }
        }
        Ok(())
    }
    /// Whether some number is so large that a common factor of the row is worth looking for.
    fn is_worth_dividing(_row: &[Self]) -> bool {
        true
    }
    /// Divides the entries by `d > 0`, of which all are multiples.
    fn divide_row(row: &mut [Self], d: &Self) {
        for x in row {
            *x = x.fdiv(d);
        }
    }
    /// Floor of `self / d`, `d > 0`.
    fn fdiv(&self, d: &Self) -> Self;
    /// Non-negative remainder modulo `d > 0`.
    fn modulo(&self, d: &Self) -> Self;
    /// Non-negative greatest common divisor.
    fn gcd(&self, o: &Self) -> Self;
    /// A 64-bit image with `low(-x) = -low(x)`, wrapping; equal values have equal images.
    fn low(&self) -> u64;

    fn is_zero(&self) -> bool {
        self.sgn() == 0
    }
    fn is_neg(&self) -> bool {
        self.sgn() < 0
    }
    fn is_pos(&self) -> bool {
        self.sgn() > 0
    }
    fn is_one(&self) -> bool;
    fn is_unit(&self) -> bool {
        self.is_one() || self.neg().is_one()
    }
    fn abs(&self) -> Self {
        if self.is_neg() { self.neg() } else { self.clone() }
    }
    /// Ceiling of `self / d`, `d > 0`.
    fn cdiv(&self, d: &Self) -> Self {
        self.neg().fdiv(d).neg()
    }
    fn zero() -> Self {
        Self::of(0)
    }
    fn one() -> Self {
        Self::of(1)
    }
}

/// `a * x + b * y` where a product does not fit although the sum may.
#[cold]
fn wide_lin(a: i64, x: i64, b: i64, y: i64) -> Res<i64> {
    // Two products of magnitude below 2^126 cannot overflow an i128 sum.
    narrow(i128::from(a) * i128::from(x) + i128::from(b) * i128::from(y))
}

/// Narrows to the stored range (`i64` without its minimum).
fn narrow(v: i128) -> Res<i64> {
    match i64::try_from(v) {
        Ok(x) if x != i64::MIN => Ok(x),
        _ => Err(Stop::Overflow),
    }
}

/// Rows of a tableau with larger numbers are divided by their common factor; of smaller ones products, and their sums,
/// fit easily.
pub(crate) const LARGE: u64 = 1 << 24;

/// A number with the highest bit of the largest magnitude.
#[inline]
fn magnitude(row: &[i64]) -> u64 {
    row.iter().fold(0, |m, v| m | v.unsigned_abs())
}

/// Of positive numbers, by halving and subtracting: divisions of 64 bits take several times as long.
/// Source: Stein, Computational problems associated with Racah algebra, J. Comput. Phys. 1, 1967.
fn binary_gcd(mut a: i64, mut b: i64) -> i64 {
    let common = (a | b).trailing_zeros();
    a >>= a.trailing_zeros();
    while b != 0 {
        b >>= b.trailing_zeros();
        (a, b) = (a.min(b), a.abs_diff(b).cast_signed());
    }
    a << common
}

/// The inverse of an odd number modulo 2^64, by Newton's iteration: each step doubles the bits that are right, of which
/// the first guess has five.
/// Source: Granlund, Montgomery, Division by invariant integers using multiplication, PLDI 1994 (section 9).
fn odd_inverse(d: i64) -> i64 {
    let mut x = d.wrapping_mul(3) ^ 2;
    for _ in 0..4 {
        x = x.wrapping_mul(2_i64.wrapping_sub(d.wrapping_mul(x)));
    }
    x
}

impl Int for i64 {
    const WIDE: bool = false;
    #[inline]
    fn of(v: i64) -> Self {
        v
    }
    #[inline]
    fn to_i64(&self) -> Option<i64> {
        Some(*self)
    }
    #[inline]
    fn sgn(&self) -> i32 {
        match self.cmp(&0) {
            std::cmp::Ordering::Less => -1,
            std::cmp::Ordering::Equal => 0,
            std::cmp::Ordering::Greater => 1,
        }
    }
    #[inline]
    fn neg(&self) -> Self {
        self.wrapping_neg()
    }
    #[inline]
    fn add(&self, o: &Self) -> Res<Self> {
        match self.checked_add(*o) {
            Some(x) if x != i64::MIN => Ok(x),
            _ => Err(Stop::Overflow),
        }
    }
    #[inline]
    fn sub(&self, o: &Self) -> Res<Self> {
        match self.checked_sub(*o) {
            Some(x) if x != i64::MIN => Ok(x),
            _ => Err(Stop::Overflow),
        }
    }
    #[inline]
    fn mul(&self, o: &Self) -> Res<Self> {
        match self.checked_mul(*o) {
            Some(x) if x != i64::MIN => Ok(x),
            _ => Err(Stop::Overflow),
        }
    }
    #[inline]
    fn lin(a: &Self, x: &Self, b: &Self, y: &Self) -> Res<Self> {
        if let (Some(p), Some(q)) = (a.checked_mul(*x), b.checked_mul(*y))
            && let Some(v) = p.checked_add(q)
            && v != i64::MIN
        {
            return Ok(v);
        }
        wide_lin(*a, *x, *b, *y)
    }
    fn product_is_less(a: &Self, b: &Self, c: &Self, d: &Self) -> bool {
        i128::from(*a) * i128::from(*b) < i128::from(*c) * i128::from(*d)
    }
    #[inline]
    fn dot(a: &[Self], b: &[Self]) -> Res<Self> {
        let mut v = 0_i64;
        for (x, y) in a.iter().zip(b) {
            v = x.checked_mul(*y).and_then(|p| v.checked_add(p)).ok_or(Stop::Overflow)?;
        }
        if v == i64::MIN { Err(Stop::Overflow) } else { Ok(v) }
    }
    #[inline]
    fn lin_rows(scale: &Self, row: &mut [Self], b: &Self, other: &[Self]) -> Res<()> {
        if (magnitude(row) | magnitude(other) | magnitude(&[*scale, *b])) < 1 << 31 {
            for (x, y) in row.iter_mut().zip(other) {
                *x = x.wrapping_mul(*scale).wrapping_add(b.wrapping_mul(*y));
            }
            return Ok(());
        }
        for (x, y) in row.iter_mut().zip(other) {
            *x = Self::lin(scale, x, b, y)?;
        }
        Ok(())
    }
    #[inline]
    fn is_worth_dividing(row: &[Self]) -> bool {
        magnitude(row) >= LARGE
    }
    // Multiplying with the inverse modulo 2^64 of what is odd takes a fraction of what dividing takes.
    #[inline]
    fn divide_row(row: &mut [Self], d: &Self) {
        let twos = d.trailing_zeros();
        let inverse = odd_inverse(d >> twos);
        for x in row {
            *x = (*x >> twos).wrapping_mul(inverse);
        }
    }
    #[inline]
    fn fdiv(&self, d: &Self) -> Self {
        if *d == 1 { *self } else { self.div_euclid(*d) }
    }
    #[inline]
    fn modulo(&self, d: &Self) -> Self {
        self.rem_euclid(*d)
    }
    #[inline]
    fn gcd(&self, o: &Self) -> Self {
        let (a, b) = (self.wrapping_abs(), o.wrapping_abs());
        let (least, most) = (a.min(b), a.max(b));
        if least <= 1 {
            return if least == 0 { most } else { 1 };
        }
        // One division leaves two numbers of the size of the smaller, often with nothing to be done.
        match most % least {
            0 => least,
            1 => 1,
            rest => binary_gcd(least, rest),
        }
    }
    #[inline]
    #[allow(clippy::cast_sign_loss)]
    fn low(&self) -> u64 {
        *self as u64
    }
    #[inline]
    fn is_zero(&self) -> bool {
        *self == 0
    }
    #[inline]
    fn is_neg(&self) -> bool {
        *self < 0
    }
    #[inline]
    fn is_pos(&self) -> bool {
        *self > 0
    }
    #[inline]
    fn is_one(&self) -> bool {
        *self == 1
    }
    #[inline]
    fn is_unit(&self) -> bool {
        *self == 1 || *self == -1
    }
}

impl Int for BigInt {
    const WIDE: bool = true;
    fn of(v: i64) -> Self {
        BigInt::from(v)
    }
    fn to_i64(&self) -> Option<i64> {
        ToPrimitive::to_i64(self).filter(|v| *v != i64::MIN)
    }
    fn sgn(&self) -> i32 {
        match self.sign() {
            Sign::Minus => -1,
            Sign::NoSign => 0,
            Sign::Plus => 1,
        }
    }
    fn neg(&self) -> Self {
        -self
    }
    fn add(&self, o: &Self) -> Res<Self> {
        Ok(self + o)
    }
    fn sub(&self, o: &Self) -> Res<Self> {
        Ok(self - o)
    }
    fn mul(&self, o: &Self) -> Res<Self> {
        Ok(self * o)
    }
    fn lin(a: &Self, x: &Self, b: &Self, y: &Self) -> Res<Self> {
        Ok(a * x + b * y)
    }
    fn product_is_less(a: &Self, b: &Self, c: &Self, d: &Self) -> bool {
        a * b < c * d
    }
    fn fdiv(&self, d: &Self) -> Self {
        self.div_floor(d)
    }
    fn modulo(&self, d: &Self) -> Self {
        self.mod_floor(d)
    }
    fn gcd(&self, o: &Self) -> Self {
        Integer::gcd(self, o)
    }
    fn low(&self) -> u64 {
        let m = self.iter_u64_digits().next().unwrap_or(0);
        if Signed::is_negative(self) { m.wrapping_neg() } else { m }
    }
    fn is_zero(&self) -> bool {
        Zero::is_zero(self)
    }
    fn is_one(&self) -> bool {
        One::is_one(self)
    }
}

/// Hashes of numbers in memory, for tables that live within one operation: one multiplication for each eight bytes.
/// Which pieces meet in a table decides no result, so nobody gains by making them meet.
#[derive(Clone, Copy, Default)]
pub(crate) struct FastHasher(u64);

impl FastHasher {
    fn mix(&mut self, word: u64) {
        // An odd number with bits all over: 2^64 / golden ratio.
        self.0 = (self.0.rotate_left(26) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }
}

impl std::hash::Hasher for FastHasher {
    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        words.iter().for_each(|w| self.mix(u64::from_le_bytes(*w)));
        if !rest.is_empty() {
            let mut last = [0; 8];
            last[..rest.len()].copy_from_slice(rest);
            self.mix(u64::from_le_bytes(last));
        }
    }
    fn write_u64(&mut self, n: u64) {
        self.mix(n);
    }
    fn write_usize(&mut self, n: usize) {
        self.mix(n as u64);
    }
    fn finish(&self) -> u64 {
        // Tables look at the high and at the low bits.
        self.0 ^ (self.0 >> 32)
    }
}

/// A set of things told apart by [`FastHasher`].
pub(crate) type FastSet<T> = std::collections::HashSet<T, std::hash::BuildHasherDefault<FastHasher>>;

#[cfg(test)]
mod tests {
    use super::Int;

    fn euclid(a: i64, b: i64) -> i64 {
        if b == 0 { a.abs() } else { euclid(b, a % b) }
    }

    #[test]
    fn the_greatest_common_divisor_is_that_of_euclid() {
        let large =
            [1 << 31, (1 << 31) - 1, 1 << 62, (1 << 62) + (1 << 40), i64::MAX, i64::MAX - 1, 3 << 60, 6_700_417];
        let numbers: Vec<i64> = (-70..70).chain(large).chain(large.map(|x| -x)).collect();
        for a in &numbers {
            for b in &numbers {
                assert_eq!(Int::gcd(a, b), euclid(*a, *b), "of {a} and {b}");
            }
        }
    }
}
