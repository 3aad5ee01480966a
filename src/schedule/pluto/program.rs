//! The hyperplane of a cluster as the solution of an integer program: Bondhugula et al., CC 2008, section 3.

use super::super::farkas::Vector;
use super::super::ilp;
use super::super::problem::Role;
use super::{Found, MAX_COEFFICIENT, MAX_SHIFT, MAX_U, MAX_W, Search};
use std::collections::BTreeSet;

impl Search<'_> {
    /// The integer program. Columns `[u params | w 1 | per statement: c dims, shift 1]`; `sign` orients the free directions.
    pub(super) fn from_ilp(&self, sign: i64, solves: &mut usize) -> Option<Found> {
        let (at, width) = self.columns();
        let (np, base) = (self.problem.params, self.problem.params + 1);
        let mut distances = self.distances(self.pieces);
        distances.retain(|d| d.row.iter().any(|x| *x < 0));
        if !ilp::is_small(base + width, distances.len()) {
            return None;
        }
        let mut upper = vec![MAX_U; np];
        upper.push(MAX_W);
        for &s in self.stmts {
            upper.extend(std::iter::repeat_n(MAX_COEFFICIENT, self.problem.dims[s]));
            upper.push(MAX_SHIFT);
        }
        let mut rows: BTreeSet<Vector> = BTreeSet::new();
        for d in &distances {
            let mut row = vec![0; base];
            row.extend(d.spread(&at, width, self.problem.dims[d.src]));
            row.push(0);
            rows.insert(row);
        }
        self.bound_rows(&at, width, &mut rows);
        self.independence_rows(&at, width, sign, &mut rows);
        rows.retain(|r| r.iter().any(|x| *x < 0));
        let problem = ilp::Problem { upper, rows: rows.into_iter().collect() };
        let x = ilp::lexmin(&problem, &self.stages(&at, width), solves)?;
        let mut rows = self.empty();
        for &s in self.stmts {
            rows[s] = x[base + at[s]..=base + at[s] + self.problem.dims[s]].to_vec();
        }
        let independent = self.stmts.iter().all(|&s| self.independent(s, &rows[s]));
        self.total_bound(&rows).filter(|_| independent).map(|bound| Found { rows, bound })
    }

    /// `u.p + w - distance >= 0` at each generator; of a reuse relation, where distances may be negative, also `u.p + w + distance`.
    fn bound_rows(&self, at: &[usize], width: usize, rows: &mut BTreeSet<Vector>) {
        let np = self.problem.params;
        for p in self.bounded() {
            let (ds, dd) = (self.problem.dims[p.src], self.problem.dims[p.dst]);
            for g in p.gens.iter() {
                let distance = self.distance(p, g).spread(at, width, ds);
                let mut row = g[ds + dd..=ds + dd + np].to_vec();
                if p.role == Role::Near {
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

    /// Minimise `u`, then `w`, the sum of the coefficients, the sum of the shifts, then each coefficient, innermost dims first.
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
