//! Integer programs of the hyperplane search. The only file that names the solver.
//!
//! Variables are integers `0 <= x_k <= upper_k`; rows are `coef . x + constant >= 0`. The solver computes in `f64`, so
//! each solution is rounded and checked exactly against every row and bound; what fails the check is "no solution",
//! never a wrong one.

use crate::cost::refs::to_f64;
use good_lp::{Expression, Solution, SolverModel, Variable, variable, variables};
use microlp::SolveOptions;
use presburger::rows::{dot, gcd_of};

/// Larger problems are not handed to the solver.
const MAX_COLUMNS: usize = 48;
/// Larger problems are not handed to the solver.
const MAX_ROWS: usize = 800;
/// The same for problems that are relaxed.
const MAX_RELAXED: (usize, usize) = (256, 4000);
/// Largest number that a relaxed solution is multiplied with.
const MAX_SCALE: i64 = 60;
/// Rounds in which bounds are drawn from rows.
const MAX_PASSES: usize = 8;
/// Steps of the stage's budget that a node of a search costs: a linear program behind the first one of an integer
/// program.
pub const NODE_STEPS: u64 = 100;
/// How far a solver value may lie from an integer.
const TOLERANCE: f64 = 1e-6;

/// What the solver did for one region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Solves {
    /// Programs solved.
    pub calls: usize,
    /// Nodes of their searches.
    pub nodes: u64,
    /// Nodes at which the searches end.
    pub limit: u64,
    /// Whether one did, or was not begun for it.
    pub ended: bool,
}

impl Default for Solves {
    /// Nothing done, without a limit.
    fn default() -> Self {
        Self { calls: 0, nodes: 0, limit: u64::MAX, ended: false }
    }
}

impl Solves {
    /// Nodes that are left.
    fn left(&self) -> u64 {
        self.limit.saturating_sub(self.nodes)
    }
}

/// A set of integer points.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// Largest value of each variable (`<= i32::MAX`); the smallest is 0.
    pub upper: Vec<i64>,
    /// `[coef .. | constant]`, each `>= 0`.
    pub rows: Vec<Vec<i64>>,
}

impl Program {
    /// Whether `x` satisfies every bound and row, exactly.
    #[must_use]
    pub fn contains(&self, x: &[i64]) -> bool {
        let in_bounds = x.len() == self.upper.len() && x.iter().zip(&self.upper).all(|(v, u)| (0..=*u).contains(v));
        in_bounds && self.rows.iter().all(|row| value(row, x).is_some_and(|v| v >= 0))
    }
}

impl Program {
    /// Sets to 0 what must be 0: the variables of a row without positive terms. False if some row cannot hold then.
    fn presolve(&mut self) -> bool {
        let n = self.upper.len();
        loop {
            let mut changed = false;
            for row in &self.rows {
                let live = |k: usize| row[k] != 0 && self.upper[k] > 0;
                if row[n] > 0 || (0..n).any(|k| live(k) && row[k] > 0) {
                    continue;
                }
                if row[n] < 0 {
                    return false;
                }
                for k in 0..n {
                    if row[k] != 0 && self.upper[k] > 0 {
                        self.upper[k] = 0;
                        changed = true;
                    }
                }
            }
            if !changed {
                return true;
            }
        }
    }

    /// Leaves out rows that others imply: no variable is negative, so a row whose every entry is at least that of
    /// another holds where that one does. Most pairs are told apart by the signs of their entries.
    fn without_implied_rows(&mut self) {
        let columns = |row: &[i64], has: fn(i64) -> bool| {
            row.iter().enumerate().filter(|(_, c)| has(**c)).fold(0_u64, |mask, (k, _)| mask | 1 << (k % 64))
        };
        let signs: Vec<(u64, u64)> =
            self.rows.iter().map(|row| (columns(row, |c| c > 0), columns(row, |c| c >= 0))).collect();
        let is_implied = |k: usize| {
            let row = &self.rows[k];
            let (positive, nonnegative) = signs[k];
            let implies = |(j, (p, n)): (usize, &(u64, u64))| {
                let other = &self.rows[j];
                p & !positive == 0
                    && n & !nonnegative == 0
                    && j != k
                    && other.iter().zip(row).all(|(a, b)| a <= b)
                    && (other != row || j < k)
            };
            signs.iter().enumerate().any(implies)
        };
        let kept: Vec<usize> = (0..self.rows.len()).filter(|&k| !is_implied(k)).collect();
        self.rows = kept.into_iter().map(|k| std::mem::take(&mut self.rows[k])).collect();
    }

    /// Whether bounds that follow from single rows show that no point has a smaller `weights . x` than `value`. `false`
    /// says nothing.
    fn is_least(&self, weights: &[i64], value: i64) -> bool {
        let smaller: Vec<i64> = weights.iter().map(|w| -w).chain([value - 1]).collect();
        let mut bounds: Vec<(i64, i64)> = self.upper.iter().map(|u| (0, *u)).collect();
        for _ in 0..MAX_PASSES {
            let mut changed = false;
            for row in std::iter::once(&smaller).chain(&self.rows) {
                match tighten(row, &mut bounds) {
                    None => return true,
                    Some(tighter) => changed |= tighter,
                }
            }
            if !changed {
                break;
            }
        }
        false
    }
}

/// Narrows the bounds of the variables to where `row` can hold; whether any did change, `None` if it cannot hold at
/// all.
fn tighten(row: &[i64], bounds: &mut [(i64, i64)]) -> Option<bool> {
    let largest = |k: i64, (low, high): (i64, i64)| i128::from(k) * i128::from(if k > 0 { high } else { low });
    let (&constant, row) = row.split_last()?;
    let most = i128::from(constant) + row.iter().zip(&*bounds).map(|(k, b)| largest(*k, *b)).sum::<i128>();
    if most < 0 {
        return None;
    }
    let most = u64::try_from(most).unwrap_or(u64::MAX);
    let mut changed = false;
    for (&k, bound) in row.iter().zip(bounds).filter(|(k, _)| **k != 0) {
        let room = i64::try_from(most / k.unsigned_abs()).unwrap_or(i64::MAX);
        let (low, high) = *bound;
        *bound =
            if k > 0 { (low.max(high.saturating_sub(room)), high) } else { (low, high.min(low.saturating_add(room))) };
        changed |= *bound != (low, high);
    }
    Some(changed)
}

/// Whether a problem of this size is handed to the solver at all.
#[must_use]
pub fn is_small(columns: usize, rows: usize) -> bool {
    columns <= MAX_COLUMNS && rows <= MAX_ROWS
}

/// The same for [`relaxed`].
#[must_use]
pub fn is_small_relaxed(columns: usize, rows: usize) -> bool {
    columns <= MAX_RELAXED.0 && rows <= MAX_RELAXED.1
}

/// A point of a problem whose rows hold for multiples of their solutions (no constant is positive): the solution of the
/// linear relaxation for the first stages that matter, all sums, times the smallest factor that makes it integral,
/// divided by what its entries share. Checked exactly; need not be the smallest. `None`: no such point was found.
/// `solves` counts the calls.
pub fn relaxed(problem: &Program, stages: &[Vec<i64>], solves: &mut Solves) -> Option<Vec<i64>> {
    let mut fixed = problem.clone();
    if !is_small_relaxed(problem.upper.len(), problem.rows.len()) || !fixed.presolve() {
        return None;
    }
    let mut limits: Vec<(&[i64], f64)> = Vec::new();
    let mut best = None;
    for stage in stages.iter().filter(|stage| stage.iter().filter(|w| **w != 0).count() > 1) {
        solves.calls += 1;
        let (value, x) = relaxed_minimum(&fixed, stage, &limits)?;
        limits.push((stage, value));
        best = Some(x);
    }
    let x = best?;
    let is_whole = |v: f64| (v - v.round()).abs() <= TOLERANCE * f64::from(i16::MAX);
    let scale = (1..=MAX_SCALE).find(|&k| x.iter().all(|v| is_whole(v * to_f64(k))))?;
    let scaled: Vec<i64> = x.iter().map(|v| to_i64(v * to_f64(scale))).collect();
    let wide: Vec<i128> = scaled.iter().map(|v| i128::from(*v)).collect();
    let shared = i64::try_from(gcd_of(&wide)).ok()?.max(1);
    let primitive: Vec<i64> = scaled.iter().map(|v| v / shared).collect();
    [primitive, scaled].into_iter().find(|x| problem.contains(x))
}

#[allow(clippy::cast_possible_truncation)]
fn to_i64(x: f64) -> i64 {
    x.round() as i64
}

/// The smallest value of `weights . x` over the relaxation, where earlier sums keep to their limits, and a point that
/// has it.
fn relaxed_minimum(problem: &Program, weights: &[i64], limits: &[(&[i64], f64)]) -> Option<(f64, Vec<f64>)> {
    let mut vars = variables!();
    let cols: Vec<Variable> = problem.upper.iter().map(|u| vars.add(variable().min(0).max(to_f64(*u)))).collect();
    let linear = |row: &[i64]| {
        let mut e = Expression::with_capacity(cols.len());
        for (c, k) in cols.iter().zip(row).filter(|(_, k)| **k != 0) {
            e.add_mul(to_f64(*k), *c);
        }
        e
    };
    let mut model = vars.minimise(linear(weights)).using(good_lp::microlp);
    for row in problem.rows.iter().filter(|row| row[..cols.len()].iter().any(|k| *k != 0)) {
        model.add_constraint(linear(row).geq(-to_f64(row[cols.len()])));
    }
    for (row, limit) in limits {
        model.add_constraint(linear(row).leq(limit + TOLERANCE));
    }
    let solution = model.solve().ok()?;
    let x: Vec<f64> = cols.iter().map(|c| solution.value(*c)).collect();
    Some((weights.iter().zip(&x).map(|(w, v)| to_f64(*w) * v).sum(), x))
}

/// `row[..n] . x + row[n]`.
fn value(row: &[i64], x: &[i64]) -> Option<i128> {
    dot(&row[..x.len()], x)?.checked_add(i128::from(row[x.len()]))
}

/// Lexicographically smallest point: minimises `stages[0] . x`, fixes it, minimises `stages[1] . x`, and so on.
/// The result satisfies every row exactly; it is the minimum as far as the solver's arithmetic can tell.
/// A stage whose value plainly cannot be smaller than it is already needs no solve. `solves` counts the calls and their
/// nodes. `None`: no point was found, because there is none, a solution fails the exact check, the problem is too
/// large or no node is left; a search that the limit ends leaves what it has.
pub fn lexmin(problem: &Program, stages: &[Vec<i64>], solves: &mut Solves) -> Option<Vec<i64>> {
    if !is_small(problem.upper.len(), problem.rows.len()) {
        return None;
    }
    let mut fixed = problem.clone();
    if !fixed.presolve() {
        return None;
    }
    fixed.without_implied_rows();
    let mut best: Option<Vec<i64>> = None;
    for stage in stages {
        let known = best.as_ref().and_then(|x| dot(stage, x)).and_then(|v| i64::try_from(v).ok());
        if !known.is_some_and(|v| fixed.is_least(stage, v)) {
            match minimise(&fixed, stage, solves) {
                Some(x) => best = Some(x),
                None if best.is_none() => return None,
                None => break,
            }
        }
        let limit = best.as_ref().and_then(|x| dot(stage, x)).and_then(|v| i64::try_from(v).ok())?;
        let mut row: Vec<i64> = stage.iter().map(|w| -w).collect();
        row.push(limit);
        fixed.rows.push(row);
    }
    best
}

/// One solver call: a point with the smallest `weights . x`, rounded and checked.
#[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation)]
fn minimise(problem: &Program, weights: &[i64], solves: &mut Solves) -> Option<Vec<i64>> {
    if solves.left() == 0 {
        solves.ended = true;
        return None;
    }
    let mut vars = variables!();
    let cols: Vec<Variable> = problem
        .upper
        .iter()
        .map(|u| vars.add(variable().integer().min(0).max((*u).min(i64::from(i32::MAX)) as f64)))
        .collect();
    let linear = |row: &[i64]| {
        let mut e = Expression::with_capacity(cols.len());
        for (c, k) in cols.iter().zip(row).filter(|(_, k)| **k != 0) {
            e.add_mul(*k as f64, *c);
        }
        e
    };
    let mut model = vars.minimise(linear(weights)).using(good_lp::microlp);
    for row in &problem.rows {
        let constant = row[cols.len()];
        if row[..cols.len()].iter().all(|k| *k == 0) {
            if constant < 0 {
                return None;
            }
            continue;
        }
        model.add_constraint(linear(row).geq(-(constant as f64)));
    }
    solves.calls += 1;
    let mut limited = SolveOptions::default();
    limited.node_limit = Some(solves.left());
    let outcome = model.as_inner().solve_with(limited).ok()?;
    solves.nodes += outcome.stats().nodes_solved;
    solves.ended |= !outcome.is_optimal();
    let solution = outcome.into_solution().ok()?;
    // The variables of the model, in the order in which they were added.
    let exact: Option<Vec<i64>> = solution
        .iter()
        .map(|(_, v)| {
            let r = v.round();
            ((v - r).abs() <= TOLERANCE && r.abs() < 1e15).then_some(r as i64)
        })
        .collect();
    exact.filter(|x| problem.contains(x))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first point with coordinates up to 8 in the order of the stages.
    fn enumerated(p: &Program, stages: &[Vec<i64>]) -> Option<Vec<i64>> {
        let mut expected: Option<(Vec<i128>, Vec<i64>)> = None;
        for x in 0..=8 {
            for y in 0..=8 {
                for z in 0..=8 {
                    let point = vec![x, y, z];
                    if p.contains(&point) {
                        let key: Vec<i128> = stages.iter().map(|s| dot(s, &point).expect("small")).collect();
                        if expected.as_ref().is_none_or(|(k, _)| key < *k) {
                            expected = Some((key, point));
                        }
                    }
                }
            }
        }
        expected.map(|(_, x)| x)
    }

    #[test]
    fn lexmin_is_the_first_point_of_the_enumeration() {
        // x + 2y >= 5, 3x + y >= 6, z >= x - 1; stages (x + y), then z, then x, then y
        let rows = vec![vec![1, 2, 0, -5], vec![3, 1, 0, -6], vec![-1, 0, 1, 1]];
        let by_sum = vec![vec![1, 1, 0], vec![0, 0, 1], vec![1, 0, 0], vec![0, 1, 0]];
        // 2x + 3y + 2z >= 11, x + y + z <= 5, x + z >= y: no row alone bounds a later stage
        let tied = vec![vec![2, 3, 2, -11], vec![-1, -1, -1, 5], vec![1, -1, 1, 0]];
        let by_weight = vec![vec![1, 1, 1], vec![2, 1, 3], vec![1, 0, 0], vec![0, 1, 0]];
        for (rows, stages, least) in [(rows, by_sum, 1), (tied, by_weight, 2)] {
            let p = Program { upper: vec![8, 8, 8], rows };
            let mut solves = Solves::default();
            let got = lexmin(&p, &stages, &mut solves);
            assert_eq!(got, enumerated(&p, &stages));
            assert!(solves.calls >= least, "{solves:?}");
        }
    }

    #[test]
    fn a_search_ends_at_its_limit() {
        // Two sums of twelve numbers, both equal to half of what they are: no bound of a row says that none is.
        let split = |k: i64| (0..12).map(|i| 2 * ((i * i * k + 7 * i + k) % 41 + 11)).collect::<Vec<i64>>();
        let mut rows = Vec::new();
        for weights in [split(13), split(29)] {
            let half = (weights.iter().sum::<i64>() / 2) | 1;
            rows.push(weights.iter().copied().chain([-half]).collect());
            rows.push(weights.iter().map(|w| -w).chain([half]).collect());
        }
        let p = Program { upper: vec![1; 12], rows };
        let mut solves = Solves { limit: 8, ..Solves::default() };
        assert_eq!(lexmin(&p, &[vec![1; 12]], &mut solves), None);
        assert!(solves.nodes == 8 && solves.ended, "{solves:?}");
        assert_eq!(lexmin(&p, &[vec![1; 12]], &mut solves), None);
        assert_eq!(solves.calls, 1, "nothing is left for another one");
    }

    #[test]
    fn infeasible_is_none_and_a_zero_stage_needs_no_solve() {
        let p = Program { upper: vec![3], rows: vec![vec![1, -5]] };
        let mut solves = Solves::default();
        assert_eq!(lexmin(&p, &[vec![1]], &mut solves), None);
        let p = Program { upper: vec![3, 3], rows: vec![vec![1, 1, 0]] };
        solves = Solves::default();
        let got = lexmin(&p, &[vec![1, 1], vec![1, 0], vec![0, 1]], &mut solves);
        assert_eq!((got, solves.calls), (Some(vec![0, 0]), 1));
    }

    #[test]
    fn a_relaxed_solution_is_scaled_to_integers() {
        // 3x - 2y >= 0, 2y - 3x >= 0, x + y >= 1: x = 2/5, y = 3/5
        let p = Program { upper: vec![9, 9], rows: vec![vec![3, -2, 0], vec![-3, 2, 0], vec![1, 1, -1]] };
        assert_eq!(relaxed(&p, &[vec![1, 1], vec![1, 0]], &mut Solves::default()), Some(vec![2, 3]));
        assert_eq!(lexmin(&p, &[vec![1, 1], vec![1, 0]], &mut Solves::default()), Some(vec![2, 3]));
        let narrow = Program { upper: vec![9, 2], ..p };
        assert_eq!(relaxed(&narrow, &[vec![1, 1]], &mut Solves::default()), None, "3 is more than 2");
    }

    #[test]
    fn bounds_of_single_rows_tell_that_a_value_is_least() {
        // x - y >= 1, y - z >= 1: x >= 2
        let rows = vec![vec![1, -1, 0, -1], vec![0, 1, -1, -1]];
        let p = Program { upper: vec![9, 9, 9], rows };
        assert!(p.is_least(&[1, 0, 0], 2) && !p.is_least(&[1, 0, 0], 3));
        assert!(p.is_least(&[1, 1, 0], 3) && p.is_least(&[0, 0, 1], 0));
        let mut solves = Solves::default();
        let stages = [vec![1, 1, 1], vec![1, 0, 0], vec![0, 1, 0], vec![0, 0, 1]];
        assert_eq!((lexmin(&p, &stages, &mut solves), solves.calls), (Some(vec![2, 1, 0]), 1));
        let wide = Program { upper: vec![i64::MAX, 9], rows: vec![vec![i64::MAX, i64::MIN, 0]] };
        assert!(!wide.is_least(&[0, 1], 1));
    }

    #[test]
    fn rows_that_others_imply_are_left_out() {
        let rows = vec![vec![1, -1, 0], vec![2, -1, 0], vec![1, -1, 3], vec![1, -1, 0], vec![0, 1, -1]];
        let mut p = Program { upper: vec![3, 3], rows };
        p.without_implied_rows();
        assert_eq!(p.rows, vec![vec![1, -1, 0], vec![0, 1, -1]]);
    }

    #[test]
    fn forced_zeros_decide_without_a_solve() {
        // -x >= 0, x - y >= 0, x + y >= 1
        let p = Program { upper: vec![5, 5], rows: vec![vec![-1, 0, 0], vec![1, -1, 0], vec![1, 1, -1]] };
        let mut solves = Solves::default();
        assert_eq!((lexmin(&p, &[vec![1, 1]], &mut solves), solves), (None, Solves::default()));
    }

    #[test]
    fn points_that_break_a_row_or_a_bound_are_not_contained() {
        let p = Program { upper: vec![3, 3], rows: vec![vec![1, -1, 0]] };
        assert!(p.contains(&[2, 2]));
        assert!(!p.contains(&[1, 2]));
        assert!(!p.contains(&[4, 0]));
        assert!(!p.contains(&[1]));
        assert!(!p.contains(&[1, -1]));
    }

    #[test]
    fn too_large_is_not_tried() {
        let p = Program { upper: vec![1; MAX_COLUMNS + 1], rows: Vec::new() };
        let mut solves = Solves::default();
        assert_eq!((lexmin(&p, &[vec![1; MAX_COLUMNS + 1]], &mut solves), solves), (None, Solves::default()));
    }
}
