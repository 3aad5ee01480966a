//! The hyperplane of a cluster as the solution of an integer program: Bondhugula et al., CC 2008, section 3. With
//! negative coefficients: Acharya, Bondhugula, TOPLAS 38(3), 2016; relaxed: Acharya, Bondhugula, Cohen, PLDI 2018,
//! section 3.

use super::super::ilp;
use super::super::problem::Demand;
use super::relations::Distance;
use super::{Found, MAX_COEFFICIENT, MAX_SHIFT, MAX_SIGNED, MAX_U, MAX_W, Search};
use presburger::rows::Vector;
use std::collections::BTreeSet;

/// Largest product with a coefficient that must not be 0: a solver value this far from an integer still says which side
/// it is on.
const MAX_PRODUCT: i64 = 200_000;

impl Search<'_> {
    /// The integer program. Columns `[u params | w 1 | per statement: c dims, shift 1]`; `sign` orients the free
    /// directions.
    pub(super) fn from_ilp(&self, sign: i64, solves: &mut ilp::Solves) -> Option<Found> {
        let (at, width) = self.relations.columns();
        let (np, base) = (self.problem.params, self.problem.params + 1);
        let distances = || self.relations.distances().iter().filter(|d| d.row.iter().any(|x| *x < 0));
        let count = distances().count();
        let relaxed = self.problem.solving.relaxed && ilp::is_small_relaxed(base + width, count);
        if !relaxed && !ilp::is_small(base + width, count) {
            return None;
        }
        let mut upper = vec![MAX_U; np];
        upper.push(MAX_W);
        for &s in self.stmts {
            upper.extend(std::iter::repeat_n(MAX_COEFFICIENT, self.problem.dims[s]));
            upper.push(MAX_SHIFT);
        }
        let mut rows: BTreeSet<Vector> = BTreeSet::new();
        for d in distances() {
            let mut row = vec![0; base];
            row.extend(d.spread(&at, width, self.problem.dims[d.src]));
            row.push(0);
            rows.insert(row);
        }
        self.bound_rows(&at, width, &mut rows);
        self.independence_rows(&at, width, sign, &mut rows);
        rows.retain(|r| r.iter().any(|x| *x < 0));
        let problem = ilp::Program { upper, rows: rows.into_iter().collect() };
        let stages = self.stages(&at, width);
        let scaled = if relaxed { ilp::relaxed(&problem, &stages, solves) } else { None };
        let x = scaled.or_else(|| ilp::lexmin(&problem, &stages, solves))?;
        let mut rows = self.empty();
        for &s in self.stmts {
            rows[s] = x[base + at[s]..=base + at[s] + self.problem.dims[s]].to_vec();
        }
        let independent = self.stmts.iter().all(|&s| self.independent(s, &rows[s]));
        self.total_bound(&rows).filter(|_| independent).map(|bound| Found { rows, bound })
    }

    /// The integer program with coefficients of both signs. Columns
    /// `[u params | w 1 | per statement: c + B dims, shift 1 | per statement: |c| dims | per statement that must move:
    /// side 1]`, B = [`MAX_SIGNED`]. The part of a row in the statement's free directions is not 0: read as
    /// digits of a number to a base they cannot reach, its products with them are `>= 1` or, on the other side,
    /// `<= -1`.
    pub(super) fn from_signed_program(&self, solves: &mut ilp::Solves) -> Option<Found> {
        let (at, width) = self.relations.columns();
        let base = self.problem.params + 1;
        let dims = |s: usize| base + at[s]..base + at[s] + self.problem.dims[s];
        let coefficients: Vec<usize> = self.stmts.iter().flat_map(|&s| dims(s)).collect();
        let moving: Vec<usize> = self.stmts.iter().copied().filter(|&s| self.must_move(s)).collect();
        let (sizes, sides) = (base + width, base + width + coefficients.len());
        let columns = sides + moving.len();
        let mut plain: BTreeSet<Vector> = BTreeSet::new();
        for d in self.relations.distances() {
            let spread = d.spread(&at, width, self.problem.dims[d.src]);
            plain.insert(std::iter::repeat_n(0, base).chain(spread).chain([0]).collect());
        }
        self.bound_rows(&at, width, &mut plain);
        if !ilp::is_small(columns, plain.len()) {
            return None;
        }
        let widened = |row: &Vector| {
            let (&constant, rest) = row.split_last()?;
            let moved: i64 = coefficients.iter().map(|&c| rest[c]).sum();
            let tail = std::iter::repeat_n(0, columns - rest.len());
            Some(rest.iter().copied().chain(tail).chain([constant - MAX_SIGNED * moved]).collect::<Vector>())
        };
        let mut rows: Vec<Vector> = plain.iter().map(widened).collect::<Option<_>>()?;
        for (k, &c) in coefficients.iter().enumerate() {
            for sign in [1, -1] {
                let mut row = vec![0; columns + 1];
                (row[sizes + k], row[c], row[columns]) = (1, sign, -sign * MAX_SIGNED);
                rows.push(row);
            }
        }
        for (k, &s) in moving.iter().enumerate() {
            let (digits, most) = self.digits(s)?;
            for sign in [1, -1] {
                let mut row = vec![0; columns + 1];
                dims(s).zip(&digits).for_each(|(c, x)| row[c] = sign * x);
                row[sides + k] = sign * (most + 1);
                let one_side = if sign > 0 { 0 } else { most + 1 };
                row[columns] = one_side - 1 - sign * MAX_SIGNED * digits.iter().sum::<i64>();
                rows.push(row);
            }
        }
        let mut upper = vec![MAX_U; base - 1];
        upper.push(MAX_W);
        for &s in self.stmts {
            upper.extend(std::iter::repeat_n(2 * MAX_SIGNED, self.problem.dims[s]));
            upper.push(MAX_SHIFT);
        }
        upper.extend(std::iter::repeat_n(MAX_SIGNED, coefficients.len()));
        upper.extend(std::iter::repeat_n(1, moving.len()));
        let stages = self.signed_stages(&at, columns, sizes, &coefficients);
        let x = ilp::lexmin(&ilp::Program { upper, rows }, &stages, solves)?;
        let mut found = self.empty();
        for &s in self.stmts {
            let shift = dims(s).end;
            found[s] = x[dims(s)].iter().map(|c| c - MAX_SIGNED).chain([x[shift]]).collect();
        }
        let independent = self.stmts.iter().all(|&s| self.independent(s, &found[s]));
        self.total_bound(&found).filter(|_| independent).map(|bound| Found { rows: found, bound })
    }

    /// A row whose product with the coefficients of statement `s` is 0 only where they have no part in its free
    /// directions, and the largest absolute value of that product. `None` where it is too large for the solver's
    /// arithmetic.
    fn digits(&self, s: usize) -> Option<(Vector, i64)> {
        let reach = |b: &Vector| MAX_SIGNED * b.iter().map(|x| x.abs()).sum::<i64>();
        let radix = 2 * self.free[s].iter().map(reach).max()? + 1;
        let mut row = vec![0; self.problem.dims[s]];
        let (mut factor, mut most) = (1, 0);
        for b in &self.free[s] {
            row.iter_mut().zip(b).for_each(|(r, x)| *r += factor * x);
            most += factor * reach(b);
            factor *= radix;
            if most > MAX_PRODUCT {
                return None;
            }
        }
        Some((row, most))
    }

    /// Minimise `u`, then `w`, the sum of the sizes of coefficients, the sum of the shifts, the sum of negative parts,
    /// then each size, innermost dims first, and each coefficient from the negative end, outermost first.
    fn signed_stages(&self, at: &[usize], columns: usize, sizes: usize, coefficients: &[usize]) -> Vec<Vec<i64>> {
        let base = self.problem.params + 1;
        let weights = |cols: &mut dyn Iterator<Item = usize>, weight: i64| {
            let mut w = vec![0; columns];
            cols.for_each(|c| w[c] = weight);
            w
        };
        let shifts = || self.stmts.iter().map(|&s| base + at[s] + self.problem.dims[s]);
        let mut stages = vec![
            weights(&mut (0..base - 1), 1),
            weights(&mut [base - 1].into_iter(), 1),
            weights(&mut (sizes..sizes + coefficients.len()), 1),
            weights(&mut shifts(), 1),
            weights(&mut coefficients.iter().copied(), -1),
        ];
        stages.extend((0..coefficients.len()).rev().map(|k| weights(&mut [sizes + k].into_iter(), 1)));
        stages.extend(coefficients.iter().map(|&c| weights(&mut [c].into_iter(), -1)));
        stages
    }

    /// `u.p + w - distance >= 0` at each generator; of a reuse relation, where distances may be negative, also
    /// `u.p + w + distance`.
    fn bound_rows(&self, at: &[usize], width: usize, rows: &mut BTreeSet<Vector>) {
        let np = self.problem.params;
        for p in self.relations.bounded() {
            let (ds, dd) = (self.problem.dims[p.src], self.problem.dims[p.dst]);
            for g in p.gens.iter() {
                let distance = Distance::of(p, g, &self.problem.dims).spread(at, width, ds);
                let mut row = g[ds + dd..=ds + dd + np].to_vec();
                if p.demand == Demand::Near {
                    rows.insert(row.iter().chain(&distance).copied().chain([0]).collect());
                }
                row.extend(distance.iter().map(|x| -x).chain([0]));
                rows.insert(row);
            }
        }
    }

    /// Each statement with dims left gets a part in its free directions: all products `>= 0`, their sum `>= 1`.
    fn independence_rows(&self, at: &[usize], width: usize, sign: i64, rows: &mut BTreeSet<Vector>) {
        let base = self.problem.params + 1;
        for &s in self.stmts.iter().filter(|&&s| self.must_move(s)) {
            let mut sum = vec![0; base + width + 1];
            for b in &self.free[s] {
                let mut row = vec![0; base + width + 1];
                for (k, x) in b.iter().enumerate() {
                    row[base + at[s] + k] = sign * x;
                    sum[base + at[s] + k] += sign * x;
                }
                rows.insert(row);
            }
            sum[base + width] = -1;
            rows.insert(sum);
        }
    }

    /// Minimise `u`, then `w`, the sum of the coefficients, the sum of the shifts, then each coefficient, innermost
    /// dims first.
    fn stages(&self, at: &[usize], width: usize) -> Vec<Vec<i64>> {
        let base = self.problem.params + 1;
        let weights = |cols: &[usize]| {
            let mut w = vec![0; base + width];
            cols.iter().for_each(|&c| w[c] = 1);
            w
        };
        let dims = |s: usize| (base + at[s]..base + at[s] + self.problem.dims[s]).rev();
        let coefficients: Vec<usize> = self.stmts.iter().flat_map(|&s| dims(s)).collect();
        let shifts: Vec<usize> = self.stmts.iter().map(|&s| base + at[s] + self.problem.dims[s]).collect();
        let mut stages = Vec::new();
        if base > 1 {
            stages.push(weights(&(0..base - 1).collect::<Vec<_>>()));
        }
        stages.push(weights(&[base - 1]));
        stages.push(weights(&coefficients));
        stages.push(weights(&shifts));
        stages.extend(coefficients.iter().map(|&c| weights(&[c])));
        stages
    }
}
