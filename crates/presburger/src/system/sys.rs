//! One conjunction as flat integer matrices, and the row and column operations everything else is built from.
//! Row layout: `[visible n | existentials e | 1]`; `eq` rows are `= 0`, `ge` rows are `>= 0`.

use crate::num::{Int, Res};
use num_bigint::BigInt;
use std::hash::{Hash, Hasher};

/// A dense row-major matrix whose rows all have `w` entries.
#[derive(Clone, Debug, Eq)]
pub(crate) struct Mat<T> {
    pub w: usize,
    pub v: Vec<T>,
}

impl<T: PartialEq> PartialEq for Mat<T> {
    // C libraries that compare memory with masks take a fault, 100 ns, where there is nothing to compare.
    fn eq(&self, o: &Self) -> bool {
        self.w == o.w && self.v.len() == o.v.len() && (self.v.is_empty() || self.v == o.v)
    }
}

impl<T: Hash> Hash for Mat<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.w, &self.v).hash(state);
    }
}

impl<T: Int> Mat<T> {
    pub fn new(w: usize) -> Self {
        Self { w, v: Vec::new() }
    }
    pub fn len(&self) -> usize {
        self.v.len() / self.w
    }
    pub fn is_empty(&self) -> bool {
        self.v.is_empty()
    }
    pub fn row(&self, i: usize) -> &[T] {
        &self.v[i * self.w..(i + 1) * self.w]
    }
    pub fn row_mut(&mut self, i: usize) -> &mut [T] {
        let w = self.w;
        &mut self.v[i * w..(i + 1) * w]
    }
    pub fn rows(&self) -> std::slice::ChunksExact<'_, T> {
        self.v.chunks_exact(self.w)
    }
    pub fn push(&mut self, row: &[T]) {
        debug_assert_eq!(row.len(), self.w);
        self.v.extend_from_slice(row);
    }
    /// Removes row `i`, keeping the order of the others, and returns it.
    pub fn take(&mut self, i: usize) -> Vec<T> {
        self.v.drain(i * self.w..(i + 1) * self.w).collect()
    }
    pub fn retain(&mut self, mut keep: impl FnMut(&[T]) -> bool) {
        let w = self.w;
        let mut to = 0;
        for from in 0..self.len() {
            if keep(self.row(from)) {
                self.move_row(from, to);
                to += 1;
            }
        }
        self.v.truncate(to * w);
    }
    /// Copies row `from` over row `to <= from`.
    fn move_row(&mut self, from: usize, to: usize) {
        if from != to {
            let (head, tail) = self.v.split_at_mut(from * self.w);
            head[to * self.w..(to + 1) * self.w].swap_with_slice(&mut tail[..self.w]);
        }
    }
    /// Drops the columns that are not to be kept.
    fn keep_columns(&mut self, keep: &[bool]) {
        let kept: Vec<usize> = (0..self.w).filter(|c| keep[*c]).collect();
        let mut to = 0;
        for start in (0..self.v.len()).step_by(self.w) {
            for c in &kept {
                self.v.swap(start + c, to);
                to += 1;
            }
        }
        self.v.truncate(to);
        self.w = kept.len();
    }
    /// Appends the rows to `out`: the first columns go to `to`, those before the constant to `own` and after.
    fn scatter(&self, out: &mut Mat<T>, to: &[usize], own: usize) {
        let (n, last) = (to.len(), self.w - 1);
        for r in self.rows() {
            let start = out.v.len();
            out.v.resize(start + out.w, T::zero());
            let t = &mut out.v[start..];
            for (x, c) in r[..n].iter().zip(to) {
                t[*c] = x.clone();
            }
            t[own..own + last - n].clone_from_slice(&r[n..last]);
            t[out.w - 1] = r[last].clone();
        }
    }
    /// Rebuilds every row as `cols.map(|c| row[c])`, `None` giving a zero column.
    pub fn remap(&self, cols: &[Option<usize>]) -> Mat<T> {
        let mut v = Vec::with_capacity(self.len() * cols.len());
        for r in self.rows() {
            v.extend(cols.iter().map(|c| c.map_or_else(T::zero, |c| r[c].clone())));
        }
        Mat { w: cols.len(), v }
    }
    pub fn uses(&self, col: usize) -> bool {
        self.rows().any(|r| !r[col].is_zero())
    }
}

/// `a * x + b * y`, entry by entry.
pub(crate) fn combine<T: Int>(a: &T, x: &[T], b: &T, y: &[T]) -> Res<Vec<T>> {
    x.iter().zip(y).map(|(p, q)| T::lin(a, p, b, q)).collect()
}

pub(crate) fn negated<T: Int>(row: &[T]) -> Vec<T> {
    row.iter().map(Int::neg).collect()
}

/// The negation of `row >= 0` over the integers: `-row - 1 >= 0`.
pub(crate) fn complement<T: Int>(row: &[T]) -> Res<Vec<T>> {
    let mut r = negated(row);
    let last = r.len() - 1;
    r[last] = r[last].sub(&T::one())?;
    Ok(r)
}

/// Greatest common divisor of all entries but the last (the constant).
pub(crate) fn content<T: Int>(row: &[T]) -> T {
    let mut g = T::zero();
    for x in &row[..row.len() - 1] {
        if !x.is_zero() {
            g = g.gcd(x);
            if g.is_one() {
                break;
            }
        }
    }
    g
}

/// Adds a multiple of equality `eq` to `row` so that column `p` becomes zero. `row` may be scaled by a positive factor.
pub(crate) fn cancel<T: Int>(row: &mut [T], eq: &[T], p: usize) -> Res<()> {
    if row[p].is_zero() {
        return Ok(());
    }
    let (mut scale, mut times) = (eq[p].abs(), row[p].clone());
    if !scale.is_one() {
        let g = scale.gcd(&times);
        scale = scale.fdiv(&g);
        times = times.fdiv(&g);
    }
    if eq[p].is_pos() {
        times = times.neg();
    }
    for (x, y) in row.iter_mut().zip(eq) {
        if !(y.is_zero() && scale.is_one()) {
            *x = T::lin(&scale, x, &times, y)?;
        }
    }
    Ok(())
}

/// A conjunction of equalities and inequalities over integer columns.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Sys<T> {
    /// Visible columns: parameters and dims.
    pub n: usize,
    /// Existential columns, after the visible ones.
    pub e: usize,
    pub eq: Mat<T>,
    pub ge: Mat<T>,
}

impl<T: Int> Sys<T> {
    pub fn universe(n: usize, e: usize) -> Self {
        Self { n, e, eq: Mat::new(n + e + 1), ge: Mat::new(n + e + 1) }
    }

    /// A system without points: `-1 >= 0`.
    pub fn contradiction(n: usize) -> Self {
        let mut s = Self::universe(n, 0);
        let mut r = vec![T::zero(); n + 1];
        r[n] = T::of(-1);
        s.ge.push(&r);
        s
    }

    /// Columns without the constant.
    pub fn cols(&self) -> usize {
        self.n + self.e
    }

    /// Number of coefficients stored.
    pub fn entries(&self) -> usize {
        self.eq.v.len() + self.ge.v.len()
    }

    pub fn is_universe(&self) -> bool {
        self.eq.is_empty() && self.ge.is_empty()
    }

    pub fn convert<U: Int>(&self, f: impl Fn(&T) -> Option<U>) -> Option<Sys<U>> {
        let mat =
            |m: &Mat<T>| -> Option<Mat<U>> { Some(Mat { w: m.w, v: m.v.iter().map(&f).collect::<Option<_>>()? }) };
        Some(Sys { n: self.n, e: self.e, eq: mat(&self.eq)?, ge: mat(&self.ge)? })
    }

    /// The same in machine integers, if these are others and all numbers fit: a question that does not grow them is
    /// answered sooner.
    pub fn narrow(&self) -> Option<Sys<i64>> {
        if T::WIDE { self.convert(Int::to_i64) } else { None }
    }

    /// The same in arbitrary precision, if these are machine integers.
    #[cold]
    pub fn widened(&self) -> Option<Sys<BigInt>> {
        if T::WIDE { None } else { self.convert(|v| v.to_i64().map(BigInt::from)) }
    }

    /// Rebuilds the columns: `visible` lists the sources of the new visible columns, `exists` those of the
    /// existentials; `None` is a fresh column. Source columns listed nowhere must be unused.
    pub fn remap(&self, visible: &[Option<usize>], exists: &[Option<usize>]) -> Self {
        let mut cols: Vec<Option<usize>> = Vec::with_capacity(visible.len() + exists.len() + 1);
        cols.extend_from_slice(visible);
        cols.extend_from_slice(exists);
        cols.push(Some(self.cols()));
        Self { n: visible.len(), e: exists.len(), eq: self.eq.remap(&cols), ge: self.ge.remap(&cols) }
    }

    /// Conjunction over `n` visible and behind them `hidden` existential columns: the visible columns of each part go
    /// to the listed ones of these, the parts' own existentials follow, part by part.
    pub fn join(n: usize, hidden: usize, parts: &[(&Self, &[usize])]) -> Self {
        let e = hidden + parts.iter().map(|p| p.0.e).sum::<usize>();
        let mut s = Self::universe(n, e);
        s.eq.v.reserve(parts.iter().map(|p| p.0.eq.len()).sum::<usize>() * s.eq.w);
        s.ge.v.reserve(parts.iter().map(|p| p.0.ge.len()).sum::<usize>() * s.ge.w);
        let mut own = n + hidden;
        for (part, to) in parts {
            part.eq.scatter(&mut s.eq, to, own);
            part.ge.scatter(&mut s.ge, to, own);
            own += part.e;
        }
        s
    }

    /// Makes the visible columns `first..first + count` existential (in front of the present existentials).
    pub fn hide(&self, first: usize, count: usize) -> Self {
        let n = self.n - count;
        let to: Vec<usize> = (0..first).chain(n..self.n).chain(first..n).collect();
        Self::join(n, count, &[(self, &to)])
    }

    /// Drops existential columns that no row uses.
    pub fn drop_unused_exists(&mut self) {
        let used: Vec<bool> = (self.n..self.cols()).map(|c| self.eq.uses(c) || self.ge.uses(c)).collect();
        if used.iter().all(|u| *u) {
            return;
        }
        let keep: Vec<bool> = (0..self.n).map(|_| true).chain(used.iter().copied()).chain([true]).collect();
        self.eq.keep_columns(&keep);
        self.ge.keep_columns(&keep);
        self.e = used.iter().filter(|u| **u).count();
    }

    /// Appends `count` fresh existential columns; returns the index of the first.
    pub fn add_exists(&mut self, count: usize) -> usize {
        let first = self.cols();
        let visible: Vec<_> = (0..self.n).map(Some).collect();
        let exists: Vec<_> = (self.n..first).map(Some).chain(std::iter::repeat_n(None, count)).collect();
        *self = self.remap(&visible, &exists);
        first
    }

    /// Conjunction over the same visible columns; existentials are kept apart, `self`'s first.
    pub fn meet(&self, o: &Self) -> Self {
        debug_assert_eq!(self.n, o.n);
        if o.e == 0 && self.e == 0 {
            let both = |a: &Mat<T>, b: &Mat<T>| Mat { w: a.w, v: [&a.v[..], &b.v[..]].concat() };
            return Self { n: self.n, e: 0, eq: both(&self.eq, &o.eq), ge: both(&self.ge, &o.ge) };
        }
        let to: Vec<usize> = (0..self.n).collect();
        Self::join(self.n, 0, &[(self, &to), (o, &to)])
    }

    /// True if some row by itself says `row >= 0`: the same coefficients with a constant no larger.
    pub fn implies_on_sight(&self, row: &[T]) -> bool {
        let (lin, c) = (&row[..row.len() - 1], &row[row.len() - 1]);
        self.ge.rows().any(|r| r[..lin.len()] == *lin && r[lin.len()] <= *c)
            || self.eq.rows().any(|r| {
                (r[..lin.len()] == *lin && r[lin.len()] <= *c)
                    || (opposite(&r[..lin.len()], lin) && r[lin.len()].neg() <= *c)
            })
    }

    /// True if an equality of each has the same coefficients and another constant: surely no common point.
    pub fn clashes_on_sight(&self, o: &Self) -> bool {
        let n = self.n;
        let plain = |r: &[T]| r[n..r.len() - 1].iter().all(Int::is_zero);
        self.eq
            .rows()
            .any(|r| o.eq.rows().any(|q| r[..n] == q[..n] && r[self.cols()] != q[o.cols()] && plain(r) && plain(q)))
    }

    /// Divides rows by their content, tightens inequalities, drops trivial, duplicate and parallel weaker rows, and
    /// turns opposite pairs into equalities. Returns false when a row contradicts itself or its opposite.
    pub fn tidy(&mut self) -> bool {
        self.tidy_eq() && self.tidy_ge()
    }

    /// As [`Sys::tidy`], on the equalities only.
    pub fn tidy_eq(&mut self) -> bool {
        let mut to = 0;
        for from in 0..self.eq.len() {
            match tidy_eq_row(self.eq.row_mut(from)) {
                RowState::Contradiction => return false,
                RowState::Trivial => continue,
                RowState::Proper => {}
            }
            let w = self.eq.w;
            match (0..to).find(|k| self.eq.row(*k)[..w - 1] == self.eq.row(from)[..w - 1]) {
                Some(k) if self.eq.row(k)[w - 1] == self.eq.row(from)[w - 1] => continue,
                Some(_) => return false,
                None => {}
            }
            self.eq.move_row(from, to);
            to += 1;
        }
        self.eq.v.truncate(to * self.eq.w);
        true
    }

    fn tidy_ge(&mut self) -> bool {
        let w = self.ge.w;
        let (mut few, mut many) = ([0_u64; FEW_ROWS], Vec::new());
        let all: &mut [u64] = if self.ge.len() <= FEW_ROWS {
            &mut few
        } else {
            many.resize(self.ge.len(), 0);
            &mut many
        };
        let mut to = 0;
        let mut pairs: Vec<(usize, usize)> = Vec::new();
        for from in 0..self.ge.len() {
            match tidy_ge_row(self.ge.row_mut(from)) {
                RowState::Contradiction => return false,
                RowState::Trivial => continue,
                RowState::Proper => {}
            }
            self.ge.move_row(from, to);
            let h = linear_hash(&self.ge.row(to)[..w - 1]);
            let hashes = &all[..to];
            if !self.merge_parallel(to, h, hashes) {
                pairs.extend((0..to).filter(|k| hashes[*k] == h.wrapping_neg()).map(|k| (k, to)));
                all[to] = h;
                to += 1;
            }
        }
        self.ge.v.truncate(to * w);
        let mut new_eq = false;
        pairs.retain(|(k, i)| opposite(&self.ge.row(*k)[..w - 1], &self.ge.row(*i)[..w - 1]));
        for (k, i) in &pairs {
            match self.ge.row(*i)[w - 1].cmp(&self.ge.row(*k)[w - 1].neg()) {
                std::cmp::Ordering::Less => return false,
                std::cmp::Ordering::Equal => new_eq = true,
                std::cmp::Ordering::Greater => {}
            }
        }
        if new_eq {
            self.pair_equalities(&pairs);
            return self.tidy_eq();
        }
        true
    }

    /// Whether an earlier inequality has the coefficients of inequality `to`; the tighter constant is kept there.
    fn merge_parallel(&mut self, to: usize, hash: u64, hashes: &[u64]) -> bool {
        let w = self.ge.w;
        let same = |k: &usize| hashes[*k] == hash && self.ge.row(*k)[..w - 1] == self.ge.row(to)[..w - 1];
        let Some(k) = (0..to).find(same) else { return false };
        let c = self.ge.row(to)[w - 1].clone();
        let kept = &mut self.ge.row_mut(k)[w - 1];
        if c < *kept {
            *kept = c;
        }
        true
    }

    /// Moves exactly opposite inequalities, which are among the opposite `pairs`, to the equalities.
    fn pair_equalities(&mut self, pairs: &[(usize, usize)]) {
        let mut gone = vec![false; self.ge.len()];
        for (k, i) in pairs {
            if !gone[*k] && !gone[*i] && opposite(self.ge.row(*k), self.ge.row(*i)) {
                gone[*k] = true;
                gone[*i] = true;
                let row = self.ge.row(*k).to_vec();
                self.eq.push(&row);
            }
        }
        let mut i = 0;
        self.ge.retain(|_| {
            i += 1;
            !gone[i - 1]
        });
    }
}

/// Inequalities whose hashes need no memory of their own.
const FEW_ROWS: usize = 16;

enum RowState {
    Proper,
    Trivial,
    Contradiction,
}

/// Divides an equality by its content and makes its last non-zero coefficient positive.
fn tidy_eq_row<T: Int>(row: &mut [T]) -> RowState {
    let last = row.len() - 1;
    let g = content(row);
    if g.is_zero() {
        return if row[last].is_zero() { RowState::Trivial } else { RowState::Contradiction };
    }
    if !g.is_one() {
        if !row[last].modulo(&g).is_zero() {
            return RowState::Contradiction;
        }
        T::divide_row(row, &g);
    }
    if row[..last].iter().rev().find(|x| !x.is_zero()).is_some_and(Int::is_neg) {
        for x in row.iter_mut() {
            *x = x.neg();
        }
    }
    RowState::Proper
}

/// Divides an inequality by its content, rounding the constant down.
fn tidy_ge_row<T: Int>(row: &mut [T]) -> RowState {
    let g = content(row);
    if g.is_zero() {
        return if row[row.len() - 1].is_neg() { RowState::Contradiction } else { RowState::Trivial };
    }
    if !g.is_one() {
        for x in row.iter_mut() {
            *x = x.fdiv(&g);
        }
    }
    RowState::Proper
}

fn opposite<T: Int>(a: &[T], b: &[T]) -> bool {
    a.iter().zip(b).all(|(x, y)| *x == y.neg())
}

/// A hash that is linear in the row, so that opposite rows have opposite hashes.
pub(crate) fn linear_hash<T: Int>(row: &[T]) -> u64 {
    let mut h = 0_u64;
    for chunk in row.chunks(FACTORS.len()) {
        h = h.wrapping_mul(FACTORS[0]);
        for (x, m) in chunk.iter().zip(&FACTORS) {
            h = h.wrapping_add(x.low().wrapping_mul(*m));
        }
    }
    h
}

/// Factors of [`linear_hash`]: powers of one odd number.
const FACTORS: [u64; 32] = {
    let mut all = [0x9E37_79B9_7F4A_7C15_u64; 32];
    let mut k = 1;
    while k < all.len() {
        all[k] = all[k - 1].wrapping_mul(0xD134_2543_DE82_EF95);
        k += 1;
    }
    all
};

impl<T: Int> Sys<T> {
    /// True for the form [`Sys::contradiction`] gives.
    pub fn is_contradiction(&self) -> bool {
        self.ge.rows().any(|r| r[..r.len() - 1].iter().all(Int::is_zero) && r[r.len() - 1].is_neg())
    }
}
