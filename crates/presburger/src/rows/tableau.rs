//! A rational simplex over integer tableaux that grows row by row, for redundancy and emptiness questions about rows:
//! what many questions share is added once and cloned.
//!
//! Unknowns are the columns of the rows (free) and one slack per constraint (restricted to be >= 0). The tableau
//! expresses the row unknowns through the column unknowns; column unknowns are 0 at the sample point. Bland's rule
//! keeps it from cycling. An overflow makes the question unanswered; callers then assume "not empty" and "not
//! redundant", which is always safe here.
//! Source: Nelson, PhD thesis 1980 (tableau with restricted unknowns), as used for integer sets by Verdoolaege, ICMS
//! 2010.

use super::row::gcd;
use crate::num::LARGE;
use crate::{Budget, Result};

#[derive(Clone, Copy, PartialEq)]
enum Place {
    Row(usize),
    Col(usize),
}

#[derive(Clone)]
struct Unknown {
    place: Place,
    restricted: bool,
}

/// What a question was answered with.
enum Answer {
    Yes,
    No,
    Overflow,
}

/// A feasible tableau, or a proof that there is none. Cloning is cheap: facts that many questions share are added once.
#[derive(Clone)]
pub struct Tableau<'a> {
    /// Columns per tableau row: denominator, constant, one per column unknown.
    width: usize,
    table: Vec<i64>,
    row_owner: Vec<usize>,
    col_owner: Vec<usize>,
    unknowns: Vec<Unknown>,
    n_vars: usize,
    overflow: bool,
    empty: bool,
    budget: &'a Budget,
}

impl<'a> Tableau<'a> {
    /// A tableau over `n_vars` free unknowns (row columns `1..=n_vars`) without constraints.
    pub fn new(n_vars: usize, budget: &'a Budget) -> Tableau<'a> {
        Tableau {
            width: n_vars + 2,
            table: Vec::with_capacity((n_vars + 2) * 16),
            row_owner: Vec::new(),
            col_owner: (0..n_vars).collect(),
            unknowns: (0..n_vars).map(|c| Unknown { place: Place::Col(c), restricted: false }).collect(),
            n_vars,
            overflow: false,
            empty: false,
            budget,
        }
    }

    /// The same constraints over `more` further free unknowns, behind those that there are. Numbers of constraints do
    /// not stay.
    #[must_use]
    pub fn widened(&self, more: usize) -> Tableau<'a> {
        let moved = |owner: &usize| if *owner < self.n_vars { *owner } else { *owner + more };
        let width = self.width + more;
        let mut table = Vec::with_capacity(self.row_owner.len() * width);
        for row in self.table.chunks_exact(self.width) {
            table.extend_from_slice(row);
            table.resize(table.len() + more, 0);
        }
        let columns = self.col_owner.len();
        let free = (0..more).map(|k| Unknown { place: Place::Col(columns + k), restricted: false });
        let (vars, slacks) = self.unknowns.split_at(self.n_vars);
        Tableau {
            width,
            table,
            row_owner: self.row_owner.iter().map(moved).collect(),
            col_owner: self.col_owner.iter().map(moved).chain(self.n_vars..self.n_vars + more).collect(),
            unknowns: vars.iter().cloned().chain(free).chain(slacks.iter().cloned()).collect(),
            n_vars: self.n_vars + more,
            ..*self
        }
    }

    /// True iff the constraints are proved to have no rational solution.
    pub fn is_empty(&self) -> bool {
        self.empty && !self.overflow
    }

    /// Adds `row >= 0`; returns its number, for [`Tableau::is_redundant`].
    ///
    /// # Errors
    /// [`crate::Error::Spent`].
    pub fn add(&mut self, row: &[i64]) -> Result<usize> {
        let id = self.unknowns.len();
        let index = self.push_row(row, id);
        self.unknowns.push(Unknown { place: Place::Row(index), restricted: true });
        if !self.overflow && !self.empty {
            self.restore(index)?;
        }
        Ok(id)
    }

    /// True iff every integer solution of the other constraints satisfies number `id`; it then is no longer a
    /// constraint.
    ///
    /// # Errors
    /// [`crate::Error::Spent`].
    pub fn is_redundant(&mut self, id: usize) -> Result<bool> {
        if self.overflow || self.empty {
            return Ok(false);
        }
        self.unknowns[id].restricted = false;
        match self.stays_above_minus_one(id)? {
            Answer::Yes => Ok(true),
            Answer::Overflow => Ok(false),
            Answer::No => {
                self.unknowns[id].restricted = true;
                if let Place::Row(r) = self.unknowns[id].place {
                    self.restore(r)?;
                }
                Ok(false)
            }
        }
    }

    /// True iff every integer solution satisfies `row >= 0`. The constraints do not change.
    ///
    /// # Errors
    /// [`crate::Error::Spent`].
    pub fn implies(&mut self, row: &[i64]) -> Result<bool> {
        if self.overflow {
            return Ok(false);
        }
        if self.empty {
            return Ok(true);
        }
        let id = self.unknowns.len();
        let index = self.push_row(row, id);
        self.unknowns.push(Unknown { place: Place::Row(index), restricted: false });
        let answer = !self.overflow && matches!(self.stays_above_minus_one(id)?, Answer::Yes);
        self.unknowns.truncate(id);
        self.row_owner.truncate(index);
        self.table.truncate(index * self.width);
        Ok(answer)
    }

    fn push_row(&mut self, row: &[i64], owner: usize) -> usize {
        let index = self.row_owner.len();
        self.row_owner.push(owner);
        let start = self.table.len();
        self.table.resize(start + self.width, 0);
        if !self.push_small(row, start) {
            self.push_wide(row, index);
        }
        index
    }

    /// Writes `row` into the last, zeroed tableau row, at `start`; false (with that row undefined) where numbers grow
    /// too large.
    fn push_small(&mut self, row: &[i64], start: usize) -> bool {
        let (above, last) = self.table.split_at_mut(start);
        last[0] = 1;
        last[1] = row[0];
        for (var, &a) in row[1..].iter().enumerate().take(self.n_vars).filter(|(_, a)| **a != 0) {
            let scale = a.saturating_mul(last[0]);
            if !is_small(last) || !is_small(&[scale]) {
                return false;
            }
            match self.unknowns[var].place {
                Place::Col(c) => last[c + 2] += scale,
                Place::Row(r) => {
                    let other = &above[r * self.width..(r + 1) * self.width];
                    if !is_small(other) {
                        return false;
                    }
                    let den = other[0];
                    last[0] *= den;
                    for (w, &t) in last[1..].iter_mut().zip(&other[1..]) {
                        *w = *w * den + scale * t;
                    }
                }
            }
        }
        last.iter().all(|v| v.unsigned_abs() < LARGE)
    }

    fn push_wide(&mut self, row: &[i64], index: usize) {
        let mut wide = vec![0i128; self.width];
        wide[0] = 1;
        wide[1] = i128::from(row[0]);
        for var in 0..self.n_vars {
            let a = i128::from(row.get(var + 1).copied().unwrap_or(0));
            if a == 0 {
                continue;
            }
            match self.unknowns[var].place {
                Place::Col(c) => wide[c + 2] += a * wide[0],
                Place::Row(r) => self.add_scaled_row(&mut wide, a, r),
            }
            if self.overflow {
                break;
            }
        }
        self.store(index, &mut wide);
    }

    /// `wide += a * row r`, both with their denominators.
    fn add_scaled_row(&mut self, wide: &mut [i128], a: i128, r: usize) {
        let base = r * self.width;
        let den = i128::from(self.table[base]);
        let scale = a * wide[0];
        for (w, &t) in wide[1..].iter_mut().zip(&self.table[base + 1..base + self.width]) {
            let sum = w.checked_mul(den).and_then(|x| scale.checked_mul(i128::from(t)).and_then(|y| x.checked_add(y)));
            match sum {
                Some(v) => *w = v,
                None => self.overflow = true,
            }
        }
        match wide[0].checked_mul(den) {
            Some(v) => wide[0] = v,
            None => self.overflow = true,
        }
        reduce_wide(wide);
    }

    /// Writes a wide row into the tableau, reduced if large; sets `overflow` if it does not fit.
    fn store(&mut self, r: usize, wide: &mut [i128]) {
        if wide.iter().any(|w| w.unsigned_abs() >= u128::from(LARGE)) {
            reduce_wide(wide);
        }
        let base = r * self.width;
        for (k, &w) in wide.iter().enumerate() {
            match i64::try_from(w) {
                Ok(v) => self.table[base + k] = v,
                Err(_) => self.overflow = true,
            }
        }
    }

    fn entry(&self, r: usize, c: usize) -> i64 {
        self.table[r * self.width + 2 + c]
    }

    fn constant(&self, r: usize) -> i64 {
        self.table[r * self.width + 1]
    }

    fn denominator(&self, r: usize) -> i64 {
        self.table[r * self.width]
    }

    /// Swaps row unknown `r` with column unknown `c`.
    fn pivot(&mut self, r: usize, c: usize) -> Result<()> {
        self.budget.spend(1 + self.row_owner.len() as u64 / 8)?;
        let w = self.width;
        let base = r * w;
        let (den, a) = (self.table[base], self.table[base + 2 + c]);
        // u_c = (den u_r - const - sum_{j != c} a_j u_j) / a
        let sign = if a > 0 { 1 } else { -1 };
        self.table[base] = a.abs();
        for k in 1..w {
            let v = self.table[base + k];
            self.table[base + k] = if k == c + 2 { sign * den } else { -sign * v };
        }
        let pivot_row: Vec<i64> = self.table[base..base + w].to_vec();
        let small_pivot = is_small(&pivot_row);
        for i in 0..self.row_owner.len() {
            if i == r || self.table[i * w + 2 + c] == 0 {
                continue;
            }
            if small_pivot && is_small(&self.table[i * w..(i + 1) * w]) {
                replace_small(&mut self.table[i * w..(i + 1) * w], &pivot_row, c + 2);
            } else {
                self.replace_wide(i, &pivot_row, c + 2);
            }
        }
        let (ru, cu) = (self.row_owner[r], self.col_owner[c]);
        self.row_owner[r] = cu;
        self.col_owner[c] = ru;
        self.unknowns[cu].place = Place::Row(r);
        self.unknowns[ru].place = Place::Col(c);
        Ok(())
    }

    /// Substitutes the pivot row for the unknown of tableau column `col` in row `i`.
    fn replace_wide(&mut self, i: usize, pivot_row: &[i64], col: usize) {
        let base = i * self.width;
        let (scale, b) = (i128::from(pivot_row[0]), i128::from(self.table[base + col]));
        let mut wide: Vec<i128> = (0..self.width)
            .map(|k| {
                let old = if k == col { 0 } else { i128::from(self.table[base + k]) };
                let add = if k == 0 { 0 } else { i128::from(pivot_row[k]) };
                old * scale + b * add
            })
            .collect();
        self.store(i, &mut wide);
    }

    /// A column that moves row `r` up (or down), with the direction it must move in; smallest unknown first.
    fn moving_column(&self, r: usize, up: bool) -> Option<(usize, bool)> {
        let mut best: Option<(usize, usize, bool)> = None;
        for c in 0..self.n_vars {
            let a = self.entry(r, c);
            if a == 0 {
                continue;
            }
            let owner = self.col_owner[c];
            let increase = (a > 0) == up;
            if self.unknowns[owner].restricted && !increase {
                continue;
            }
            if best.is_none_or(|(o, _, _)| owner < o) {
                best = Some((owner, c, increase));
            }
        }
        best.map(|(_, c, increase)| (c, increase))
    }

    /// The restricted row (other than `skip`) that first reaches 0 when column `c` moves.
    fn blocking_row(&self, skip: Option<usize>, c: usize, increase: bool) -> Option<usize> {
        let mut best: Option<usize> = None;
        for r in 0..self.row_owner.len() {
            let a = self.entry(r, c);
            if Some(r) == skip || a == 0 || (a > 0) == increase {
                continue;
            }
            if !self.unknowns[self.row_owner[r]].restricted {
                continue;
            }
            best = match best {
                None => Some(r),
                Some(b) => {
                    let left = i128::from(self.constant(r)) * i128::from(self.entry(b, c).abs());
                    let right = i128::from(self.constant(b)) * i128::from(a.abs());
                    let smaller = left < right || (left == right && self.row_owner[r] < self.row_owner[b]);
                    Some(if smaller { r } else { b })
                }
            };
        }
        best
    }

    /// Brings restricted row `r` to a value >= 0, or finds that there is no solution.
    fn restore(&mut self, r: usize) -> Result<()> {
        let mut r = r;
        let id = self.row_owner[r];
        while !self.overflow && self.constant(r) < 0 {
            let Some((c, increase)) = self.moving_column(r, true) else {
                self.empty = true;
                return Ok(());
            };
            let Some(block) = self.blocking_row(Some(r), c, increase) else {
                return self.pivot(r, c);
            };
            self.pivot(block, c)?;
            match self.unknowns[id].place {
                Place::Row(now) => r = now,
                Place::Col(_) => return Ok(()),
            }
        }
        Ok(())
    }

    /// Minimises unrestricted unknown `id`, stopping as soon as it is <= -1.
    fn stays_above_minus_one(&mut self, id: usize) -> Result<Answer> {
        if let Place::Col(c) = self.unknowns[id].place {
            match self.blocking_row(None, c, false) {
                None => return Ok(Answer::No),
                Some(r) => self.pivot(r, c)?,
            }
        }
        loop {
            if self.overflow {
                return Ok(Answer::Overflow);
            }
            let Place::Row(r) = self.unknowns[id].place else {
                return Ok(Answer::Overflow);
            };
            if self.constant(r) <= -self.denominator(r) {
                return Ok(Answer::No);
            }
            let Some((c, increase)) = self.moving_column(r, false) else {
                return Ok(Answer::Yes);
            };
            match self.blocking_row(Some(r), c, increase) {
                None => return Ok(Answer::No),
                Some(b) => self.pivot(b, c)?,
            }
        }
    }
}

/// Small enough that products of two such numbers, and their sum, fit i64.
fn is_small(row: &[i64]) -> bool {
    row.iter().fold(0, |m, v| m | v.unsigned_abs()) < 1 << 30
}

/// Like [`Tableau::replace_wide`], for small numbers.
fn replace_small(row: &mut [i64], pivot_row: &[i64], col: usize) {
    let (scale, b) = (pivot_row[0], row[col]);
    row[col] = 0;
    let den = row[0] * scale;
    for (v, &p) in row.iter_mut().zip(pivot_row) {
        *v = *v * scale + b * p;
    }
    row[0] = den;
    if row.iter().fold(0, |m, v| m | v.unsigned_abs()) >= LARGE {
        let g = row.iter().fold(0, |g, &v| if g == 1 { 1 } else { gcd(g, v) });
        if g > 1 {
            row.iter_mut().for_each(|v| *v /= g);
        }
    }
}

fn reduce_wide(wide: &mut [i128]) {
    let mut g: u128 = 0;
    for w in wide.iter() {
        let mut b = w.unsigned_abs();
        while b != 0 {
            (g, b) = (b, g % b);
        }
        if g == 1 {
            return;
        }
    }
    if let Ok(g) = i128::try_from(g)
        && g > 1
    {
        for w in wide.iter_mut() {
            *w /= g;
        }
    }
}
