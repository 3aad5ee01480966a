//! Conjunctions of rows over rational columns: no row is rounded, an eliminated column takes any rational value.
//! Systems here have no existentials and at least one rational point, unless said otherwise.
//! Sources: Schrijver, Theory of Linear and Integer Programming, 1986 (Fourier-Motzkin); a strict row holds somewhere
//! iff the largest amount by which all strict rows hold at once is positive.

use crate::budget::Budget;
use crate::num::{Int, Res};
use crate::program::simplex::{Opt, Tab};
use crate::system::elim::combine_bounds;
use crate::system::sys::{Mat, Sys, cancel, negated};
use num_bigint::BigInt;
use num_rational::BigRational;

type Rows = Sys<BigInt>;

/// Divides each row by what all its entries have in common and drops the second of equal rows and rows of zeros.
fn shorten(m: &mut Mat<BigInt>) {
    let mut out = Mat::new(m.w);
    for r in m.rows() {
        let g = r.iter().fold(BigInt::of(0), |g, x| Int::gcd(&g, x));
        if Int::is_zero(&g) {
            continue;
        }
        let r: Vec<BigInt> = r.iter().map(|x| x / &g).collect();
        if !out.rows().any(|known| known == &r[..]) {
            out.push(&r);
        }
    }
    *m = out;
}

/// Removes column `c`, which stays as a column of zeros.
fn eliminate(s: &mut Rows, c: usize, bud: &Budget) -> Res<()> {
    let Some(k) = (0..s.eq.len()).find(|k| !Int::is_zero(&s.eq.row(*k)[c])) else {
        combine_bounds(s, c, bud)?;
        shorten(&mut s.ge);
        return Ok(());
    };
    let row = s.eq.take(k);
    for m in [&mut s.eq, &mut s.ge] {
        for k in 0..m.len() {
            cancel(m.row_mut(k), &row, c)?;
        }
        shorten(m);
    }
    Ok(())
}

/// The projection on the columns `keep`, exact over the rationals, in its shortest form. `None`: no rational point.
/// `s` may have existentials and may be empty.
pub(crate) fn projected(s: &Rows, keep: std::ops::Range<usize>, bud: &Budget) -> Res<Option<Rows>> {
    let mut s = s.clone();
    let mut rest: Vec<usize> = (0..s.cols()).filter(|c| !keep.contains(c)).collect();
    while !rest.is_empty() {
        let Some(mut t) = shortest(s, bud)? else { return Ok(None) };
        let count = |c: usize, sign: i32| t.ge.rows().filter(|r| r[c].sgn() == sign).count();
        let cost = |c: usize| if t.eq.uses(c) { 0 } else { 1 + count(c, 1) * count(c, -1) };
        let k = (0..rest.len()).min_by_key(|k| cost(rest[*k])).expect("there is a column");
        eliminate(&mut t, rest.swap_remove(k), bud)?;
        s = t;
    }
    let columns: Vec<Option<usize>> = keep.clone().chain([s.cols()]).map(Some).collect();
    let kept = Sys { n: keep.len(), e: 0, eq: s.eq.remap(&columns), ge: s.ge.remap(&columns) };
    shortest(kept, bud)
}

/// The same points by solved equalities and needed inequalities. `None`: no rational point.
pub(crate) fn shortest(mut s: Rows, bud: &Budget) -> Res<Option<Rows>> {
    let mut tab = Tab::new(&s, bud)?;
    if tab.is_empty() {
        return Ok(None);
    }
    let (mut eq, mut ge) = (s.eq.clone(), Mat::new(s.ge.w));
    for r in s.ge.rows() {
        match tab.max(r, bud)? {
            Opt::At(most, _) if Int::is_zero(&most) => eq.push(r),
            _ => ge.push(r),
        }
    }
    (s.eq, s.ge) = (eq, ge);
    solve(&mut s)?;
    shorten(&mut s.ge);
    let mut k = 0;
    while k < s.ge.len() {
        let row = s.ge.take(0);
        if !Tab::new(&s, bud)?.is_nonneg(&row, bud)? {
            s.ge.push(&row);
            k += 1;
        }
    }
    Ok(Some(s))
}

/// Solves the equalities for their last columns, which appear in no other row then.
fn solve(s: &mut Rows) -> Res<()> {
    let (mut done, last) = (Mat::new(s.eq.w), s.cols());
    while !s.eq.is_empty() {
        let row = s.eq.take(0);
        let Some(p) = (0..last).rev().find(|c| !Int::is_zero(&row[*c])) else { continue };
        let row = if Int::is_neg(&row[p]) { negated(&row) } else { row };
        for m in [&mut s.eq, &mut s.ge, &mut done] {
            for k in 0..m.len() {
                cancel(m.row_mut(k), &row, p)?;
            }
        }
        done.push(&row);
        shorten(&mut done);
        shorten(&mut s.eq);
    }
    s.eq = done;
    Ok(())
}

/// Whether rows and strict rows `> 0` hold at some point.
fn has_point(s: &Rows, strict: &[Vec<BigInt>], bud: &Budget) -> Res<bool> {
    let n = s.cols();
    let mut wide = Sys::universe(n + 1, 0);
    let widened = |r: &[BigInt], by: i64| [&r[..n], &[BigInt::of(by), r[n].clone()]].concat();
    s.eq.rows().for_each(|r| wide.eq.push(&widened(r, 0)));
    s.ge.rows().for_each(|r| wide.ge.push(&widened(r, 0)));
    strict.iter().for_each(|r| wide.ge.push(&widened(r, -1)));
    // The amount is at most 1.
    let mut one = vec![BigInt::of(0); n + 1];
    one[n] = BigInt::of(1);
    wide.ge.push(&widened(&one, -1));
    let mut tab = Tab::new(&wide, bud)?;
    if tab.is_empty() {
        return Ok(false);
    }
    let mut amount = vec![BigInt::of(0); n + 2];
    amount[n] = BigInt::of(1);
    Ok(match tab.max(&amount, bud)? {
        Opt::At(by, _) => Int::is_pos(&by),
        Opt::Unbounded => true,
    })
}

/// The coefficients `[1 | columns]` of all forms that are not negative on the points of `s`.
pub(crate) fn dual(s: &Rows, bud: &Budget) -> Res<Option<Rows>> {
    let (n, eq, ge) = (s.n, s.eq.len(), s.ge.len());
    // A form is a sum of multiples of rows, those of inequalities not negative, and of a number that is not negative.
    let cols = 1 + n + 1 + ge + eq;
    let mut all = Sys::universe(cols, 0);
    for c in 0..=n {
        let mut row = vec![BigInt::of(0); cols + 1];
        row[c] = BigInt::of(-1);
        if c == 0 {
            row[n + 1] = BigInt::of(1);
        }
        let from = if c == 0 { n } else { c - 1 };
        for (k, r) in s.ge.rows().chain(s.eq.rows()).enumerate() {
            row[n + 2 + k].clone_from(&r[from]);
        }
        all.eq.push(&row);
    }
    for k in 0..=ge {
        let mut row = vec![BigInt::of(0); cols + 1];
        row[n + 1 + k] = BigInt::of(1);
        all.ge.push(&row);
    }
    projected(&all, 0..n + 1, bud)
}

/// The rows of either that hold on both.
pub(crate) fn shared(a: &Rows, b: &Rows, bud: &Budget) -> Res<Rows> {
    let mut hull = Sys::universe(a.n, 0);
    for (own, other) in [(a, b), (b, a)] {
        let mut tab = Tab::new(other, bud)?;
        let both = own.eq.rows().flat_map(|r| [r.to_vec(), negated(r)]);
        for row in both.chain(own.ge.rows().map(<[BigInt]>::to_vec)) {
            if tab.is_nonneg(&row, bud)? {
                hull.ge.push(&row);
            }
        }
    }
    shorten(&mut hull.ge);
    Ok(hull)
}

/// Whether each point at which `s` and the strict rows hold is in one of `list`.
pub(crate) fn covered(s: &Rows, strict: &[Vec<BigInt>], list: &[&Rows], bud: &Budget) -> Res<bool> {
    bud.step(1 + s.entries())?;
    if !has_point(s, strict, bud)? {
        return Ok(true);
    }
    let Some((first, rest)) = list.split_first() else { return Ok(false) };
    let both = first.eq.rows().flat_map(|r| [r.to_vec(), negated(r)]);
    let mut inside = s.clone();
    for row in both.chain(first.ge.rows().map(<[BigInt]>::to_vec)) {
        let outside: Vec<Vec<BigInt>> = strict.iter().cloned().chain([negated(&row)]).collect();
        if !covered(&inside, &outside, rest, bud)? {
            return Ok(false);
        }
        inside.ge.push(&row);
    }
    Ok(true)
}

/// The lexicographically smallest point (or the largest) in the columns from `first` on, columns before it being
/// anything. `None`: there is none.
pub(crate) fn optimum(s: &Rows, first: usize, largest: bool, bud: &Budget) -> Res<Option<Vec<BigRational>>> {
    let (mut s, n) = (s.clone(), s.cols());
    let mut point = Vec::with_capacity(n - first);
    for c in first..n {
        let mut row = vec![BigInt::of(0); n + 1];
        row[c] = BigInt::of(1);
        let mut tab = Tab::new(&s, bud)?;
        let Opt::At(value, by) = (if largest { tab.max(&row, bud)? } else { tab.min(&row, bud)? }) else {
            return Ok(None);
        };
        (row[c], row[n]) = (by.clone(), -&value);
        s.eq.push(&row);
        point.push(BigRational::new(value, by));
    }
    Ok(Some(point))
}

/// A point of all columns.
pub(crate) fn point(s: &Rows, bud: &Budget) -> Res<Vec<BigRational>> {
    let (_, mut at) = Tab::new(s, bud)?.lowest(&vec![BigInt::of(0); s.cols() + 1], bud)?;
    let by = at.pop().expect("what the numbers are divided by");
    Ok(at.into_iter().map(|x| BigRational::new(x, by.clone())).collect())
}
