//! Integer rows `[1 | columns]` and their arithmetic.
//!
//! The constant stands first, so that columns can be appended; a row that is shorter than another counts as padded with
//! zeros. Arithmetic goes through i128 where it must, and what does not fit i64 in the end is [`Error::Overflow`],
//! never a wrapped number.

use crate::{Error, Result};

/// Constant first, then one coefficient per column.
pub type Row = Vec<i64>;

/// Greatest common divisor, >= 0; `gcd(0, 0) = 0`.
pub fn gcd(a: i64, b: i64) -> i64 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    i64::try_from(a).unwrap_or(1)
}

fn gcd_wide(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    i128::try_from(a).unwrap_or(1)
}

/// `a x + b y`, divided by a common factor of everything (constant included) only if it would not fit otherwise.
/// The shorter row counts as padded with zeros.
///
/// # Errors
/// [`Error::Overflow`].
pub fn combine(a: i64, x: &[i64], b: i64, y: &[i64]) -> Result<Row> {
    let n = x.len().max(y.len());
    let at = |r: &[i64], i: usize| i128::from(r.get(i).copied().unwrap_or(0));
    let wide = |i: usize| i128::from(a) * at(x, i) + i128::from(b) * at(y, i);
    let direct: Option<Row> = (0..n).map(|i| i64::try_from(wide(i)).ok()).collect();
    if let Some(row) = direct {
        return Ok(row);
    }
    let g = (0..n).fold(0, |g, i| gcd_wide(g, wide(i)));
    (0..n).map(|i| i64::try_from(wide(i) / g.max(1)).map_err(|_| Error::Overflow)).collect()
}

/// Like [`combine`], but the result must be exactly `a x + b y`: no common factor is taken out.
///
/// # Errors
/// [`Error::Overflow`].
pub fn combine_exact(a: i64, x: &[i64], b: i64, y: &[i64]) -> Result<Row> {
    let n = x.len().max(y.len());
    let at = |r: &[i64], i: usize| i128::from(r.get(i).copied().unwrap_or(0));
    (0..n)
        .map(|i| i64::try_from(i128::from(a) * at(x, i) + i128::from(b) * at(y, i)).map_err(|_| Error::Overflow))
        .collect()
}

/// Divides a row `r >= 0` by the common factor of its coefficients and rounds the constant down: same integer points.
pub fn tighten(row: &mut [i64]) {
    let g = row[1..].iter().fold(0, |g, &c| gcd(g, c));
    if g > 1 {
        row[0] = row[0].div_euclid(g);
        for c in &mut row[1..] {
            *c /= g;
        }
    }
}

/// True iff the rows are equal, the shorter one padded with zeros.
pub fn same(a: &[i64], b: &[i64]) -> bool {
    (0..a.len().max(b.len())).all(|i| a.get(i).unwrap_or(&0) == b.get(i).unwrap_or(&0))
}

/// True iff no column but the constant is used.
pub fn is_constant(row: &[i64]) -> bool {
    row[1..].iter().all(|&c| c == 0)
}

/// `-1 - r`: the complement of `r >= 0` is `negated(r) >= 0`.
///
/// # Errors
/// [`Error::Overflow`].
pub fn complement(row: &[i64]) -> Result<Row> {
    let mut n = negate(row)?;
    n[0] = n[0].checked_sub(1).ok_or(Error::Overflow)?;
    Ok(n)
}

/// `-r`.
///
/// # Errors
/// [`Error::Overflow`].
pub fn negate(row: &[i64]) -> Result<Row> {
    row.iter().map(|c| c.checked_neg().ok_or(Error::Overflow)).collect()
}

/// Difference of two rows.
///
/// # Errors
/// [`Error::Overflow`].
pub fn difference(a: &[i64], b: &[i64]) -> Result<Row> {
    let mut row = a.to_vec();
    row.resize(a.len().max(b.len()), 0);
    for (x, y) in row.iter_mut().zip(b) {
        *x = x.checked_sub(*y).ok_or(Error::Overflow)?;
    }
    Ok(row)
}

/// The row plus a constant.
///
/// # Errors
/// [`Error::Overflow`].
pub fn plus(row: &[i64], k: i64) -> Result<Row> {
    let mut row = row.to_vec();
    row[0] = row[0].checked_add(k).ok_or(Error::Overflow)?;
    Ok(row)
}

/// A rational row whose value is known to be an integer: `row / den`, den > 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frac {
    /// Numerator.
    pub row: Row,
    /// Denominator, positive.
    pub den: i64,
}

impl Frac {
    /// The value of one column.
    pub fn column(width: usize, col: usize) -> Frac {
        let mut row = vec![0; width];
        row[col] = 1;
        Frac { row, den: 1 }
    }

    /// Divides numerator and denominator by their common factor.
    pub fn reduce(&mut self) {
        let g = self.row.iter().fold(self.den, |g, &c| gcd(g, c));
        if g > 1 {
            self.den /= g;
            for c in &mut self.row {
                *c /= g;
            }
        }
    }

    /// Replaces column `col` by `value`.
    ///
    /// # Errors
    /// [`Error::Overflow`].
    pub fn substitute(&mut self, col: usize, value: &Frac) -> Result<()> {
        if substitute_exact(&mut self.row, &mut self.den, col, value)? {
            self.reduce();
        }
        Ok(())
    }

    /// `self + k * other`.
    ///
    /// # Errors
    /// [`Error::Overflow`].
    pub fn add_scaled(&mut self, k: i64, other: &Frac) -> Result<()> {
        let g = gcd(self.den, other.den);
        let left = other.den / g;
        let right = k.checked_mul(self.den / g).ok_or(Error::Overflow)?;
        self.row = combine_exact(left, &self.row, right, &other.row)?;
        self.den = self.den.checked_mul(left).ok_or(Error::Overflow)?;
        self.reduce();
        Ok(())
    }
}

/// Replaces column `col` by `value` in a row `r >= 0` (or `r = 0`): the result is a positive multiple, with the same
/// solutions.
///
/// # Errors
/// [`Error::Overflow`].
pub fn substitute(row: &mut Row, col: usize, value: &Frac) -> Result<()> {
    let a = row.get(col).copied().unwrap_or(0);
    if a == 0 {
        return Ok(());
    }
    row[col] = 0;
    *row = combine(value.den, row, a, &value.row)?;
    Ok(())
}

/// `row = 0 mod modulus`, modulus > 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Congruence {
    /// What is a multiple of the modulus.
    pub row: Row,
    /// Positive.
    pub modulus: i64,
}

/// Replaces column `col` of a row by `value`, and multiplies what the row stands over by its denominator. True if the
/// row has the column.
fn substitute_exact(row: &mut Row, over: &mut i64, col: usize, value: &Frac) -> Result<bool> {
    let a = row.get(col).copied().unwrap_or(0);
    if a == 0 {
        return Ok(false);
    }
    row[col] = 0;
    *row = combine_exact(value.den, row, a, &value.row)?;
    *over = over.checked_mul(value.den).ok_or(Error::Overflow)?;
    Ok(true)
}

impl Congruence {
    /// Brings all coefficients into `0..modulus` after taking out common factors; `None` if it always holds.
    pub fn canonical(mut self) -> Option<Congruence> {
        let g = self.row.iter().fold(self.modulus, |g, &c| gcd(g, c));
        self.modulus /= g;
        if self.modulus == 1 {
            return None;
        }
        for c in &mut self.row {
            *c = (*c / g).rem_euclid(self.modulus);
        }
        Some(self)
    }

    /// Replaces column `col` by `value`.
    ///
    /// # Errors
    /// [`Error::Overflow`].
    pub fn substitute(&mut self, col: usize, value: &Frac) -> Result<()> {
        substitute_exact(&mut self.row, &mut self.modulus, col, value)?;
        Ok(())
    }

    /// True iff it follows from `known` (each of them solved for its last column where that is possible).
    pub fn follows_from(&self, known: &[Congruence]) -> bool {
        let m = i128::from(self.modulus);
        let mut row: Vec<i128> = self.row.iter().map(|&c| i128::from(c)).collect();
        for k in known.iter().rev() {
            let last = k.row.iter().rposition(|&c| c != 0);
            let Some(last) = last.filter(|&l| l > 0 && k.row[l] == 1) else {
                continue;
            };
            let a = row.get(last).copied().unwrap_or(0);
            if k.modulus % self.modulus != 0 || a == 0 {
                continue;
            }
            for (c, &r) in row.iter_mut().zip(&k.row) {
                *c = (*c - a * i128::from(r)).rem_euclid(m);
            }
        }
        row.iter().all(|c| c % m == 0)
    }
}
