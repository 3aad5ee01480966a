//! One hyperplane at a time: the Pluto search.
//!
//! In: statements with the rows found so far, the dependences that are not yet satisfied; where there is a reuse
//! relation, distances
//!      in it are what is bounded below.
//! Out: one row `[dims | 1]` per statement, linearly independent of its earlier rows (where it has unscheduled dims
//! left), with a
//!      distance >= 0 on every dependence and a distance bound `u.p + w` as small as possible.
//!
//! Two ways, same criteria. Candidates: one loop of each statement, or that loop skewed by earlier ones with the shifts
//! that make it legal, checked exactly on the generators; taken when the bound is provably smallest (`u = w = 0`, or no
//! hyperplane at distance zero exists). Otherwise the integer program of Bondhugula et al., CC 2008, section 3. All
//! coefficients are >= 0, unless [`super::problem::Solving::negative`] asks for another program where that finds no
//! coincident hyperplane: Acharya, Bondhugula, TOPLAS 38(3), 2016 (Pluto+).

mod program;
mod relations;

use super::ilp::Solves;
use super::problem::{Hyperplane, Piece, Problem, Row};
use presburger::rows::{Vector, dot, nullspace};
pub use relations::Relations;
use std::collections::{BTreeMap, BTreeSet};

/// Largest coefficient of a dim in a skewed row.
const MAX_COEFFICIENT: i64 = 8;
/// Largest absolute value of a coefficient where they may be negative.
const MAX_SIGNED: i64 = 4;
/// Largest shift.
const MAX_SHIFT: i64 = 256;
/// Largest coefficient of a parameter in the distance bound.
const MAX_U: i64 = 8;
/// Largest constant in the distance bound.
const MAX_W: i64 = 1 << 24;
/// Distances beyond this count as far: a known trip count and a parameter make the same choice.
const MAX_NEAR: i64 = 32;
/// Visited nodes in one search for a combination of original loops.
const MAX_NODES: usize = 600;
/// Largest skewing factor among the candidates.
const MAX_SKEW: i64 = 2;

/// Bound on the distances of a hyperplane over all dependences, smallest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Bound {
    /// All distances are 0: no dependence is carried.
    Zero,
    /// At most this.
    Const(i64),
    /// Grows with a parameter, or with a constant that is as large as one.
    Far,
}

impl Bound {
    /// Of the distance `d >= 0` at a generator with this height.
    fn of(d: i128, height: i128) -> Self {
        match d {
            0 => Self::Zero,
            _ if height == 0 => Self::Far,
            _ => {
                i64::try_from((d + height - 1) / height).ok().filter(|w| *w <= MAX_NEAR).map_or(Self::Far, Self::Const)
            }
        }
    }
}

/// A hyperplane with its bound.
#[derive(Clone, Debug)]
pub struct Found {
    /// One row per statement; empty for statements outside of the search.
    pub rows: Hyperplane,
    /// Bound on its distances.
    pub bound: Bound,
}

/// Which ways of search are allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// Original loops only, no skewing, no integer program.
    Loops,
    /// Everything, with progress of every statement in each member.
    Full,
    /// Everything; statements with few dims left may wait for a later member.
    Patient,
}

/// Rows found so far, per statement `[dims]`.
pub type Basis = Vec<Vec<Vec<i64>>>;

/// Bound of `hyperplane` on one dependence; `None` when a distance is negative (or overflows).
#[must_use]
pub fn bound_of(piece: &Piece, hyperplane: &Hyperplane) -> Option<Bound> {
    let mut bound = Bound::Zero;
    for g in piece.gens.iter() {
        let d = piece.distance(g, hyperplane)?;
        if d < 0 {
            return None;
        }
        bound = bound.max(Bound::of(d, i128::from(g[g.len() - 1])));
    }
    Some(bound)
}

/// Bound of `hyperplane` on the distances of a reuse relation, in either direction; `None` on overflow.
fn reach_of(piece: &Piece, hyperplane: &Hyperplane) -> Option<Bound> {
    piece.gens.iter().try_fold(Bound::Zero, |bound, g| {
        let d = piece.distance(g, hyperplane)?.abs();
        Some(bound.max(Bound::of(d, i128::from(g[g.len() - 1]))))
    })
}

/// The hyperplane with the smallest shifts, none below its own, such that no distance in `pieces` (between `stmts`) is
/// negative (longest paths). `None`: there are none up to [`MAX_SHIFT`].
#[must_use]
pub fn shifted(stmts: &[usize], pieces: &[Piece], rows: Hyperplane) -> Option<Hyperplane> {
    let mut needs: Vec<(usize, usize, i64)> = Vec::new();
    for p in pieces {
        let distances = p.gens.iter().map(|g| Some((p.distance(g, &rows)?, i128::from(g[g.len() - 1]))));
        needs.push((p.src, p.dst, need(p.src == p.dst, distances)?));
    }
    settled(stmts, &needs, rows)
}

/// By how much the destination must be shifted against the source, which may be the same statement, for none of these
/// distances, each with its generator's `h`, to be negative; `None` where no shift makes them so.
fn need(is_same: bool, distances: impl Iterator<Item = Option<(i128, i128)>>) -> Option<i64> {
    let mut need = i64::MIN;
    for found in distances {
        let (dist, h) = found?;
        if h == 0 {
            if dist < 0 {
                return None;
            }
        } else {
            need = need.max(i64::try_from(-dist.div_euclid(h)).ok()?);
        }
    }
    (!is_same || need <= 0).then_some(need)
}

/// The hyperplane with the smallest shifts that these `needs` (source, destination, how much) leave.
fn settled(stmts: &[usize], needs: &[(usize, usize, i64)], mut rows: Hyperplane) -> Option<Hyperplane> {
    let mut extra = vec![0_i64; rows.len()];
    for _ in 0..=stmts.len() {
        let mut changed = false;
        for &(src, dst, need) in needs {
            let low = extra[src].saturating_add(need);
            if src != dst && extra[dst] < low {
                extra[dst] = low;
                changed = true;
            }
        }
        if !changed {
            for &s in stmts {
                *rows[s].last_mut()? += extra[s];
            }
            return stmts.iter().all(|&s| extra[s] <= MAX_SHIFT).then_some(rows);
        }
    }
    None
}

/// The search for one cluster of statements.
pub struct Search<'a> {
    problem: &'a Problem,
    stmts: &'a [usize],
    /// Dependences to be respected.
    pieces: &'a [Piece],
    near: &'a [Piece],
    relations: &'a Relations<'a>,
    /// Per statement of the problem: integer basis of the directions not covered by its rows; empty at full rank.
    free: Vec<Vec<Vec<i64>>>,
    /// Statements with at least this many free directions need a row that leaves the span of their earlier ones; the
    /// others may wait for a later member of the band.
    need: usize,
    effort: Effort,
}

impl<'a> Search<'a> {
    /// `basis` has an entry for each statement of the problem. `None` on overflow.
    #[must_use]
    pub fn new(relations: &'a Relations<'a>, basis: &Basis, effort: Effort) -> Option<Self> {
        let &Relations { problem, stmts, pieces, near, .. } = relations;
        let mut free = vec![Vec::new(); problem.dims.len()];
        for &s in stmts {
            free[s] = nullspace(&basis[s], problem.dims[s])?;
        }
        Some(Self { problem, stmts, pieces, near, relations, free, need: 1, effort })
    }

    /// The same search where only the statements with most directions left need progress; `None` if these are all that
    /// have any.
    fn patient(&self) -> Option<Self> {
        let left = |s: &usize| self.free[*s].len();
        let most = self.stmts.iter().map(left).max()?;
        let some_wait = self.stmts.iter().map(left).any(|n| n > 0 && n < most);
        some_wait.then(|| Self { free: self.free.clone(), need: most, ..*self })
    }

    /// The best hyperplane, or `None` when none is found (also where the integer program is too large). Every statement
    /// with free directions makes progress, or, where that is impossible and [`Effort::Patient`] allows it, those with
    /// most of them. `solves` counts what the solver does.
    #[must_use]
    pub fn next(&self, solves: &mut Solves) -> Option<Found> {
        if self.stmts.iter().all(|&s| self.free[s].is_empty()) {
            return None;
        }
        let found = self.best(solves);
        if found.is_some() || self.effort != Effort::Patient {
            return found;
        }
        self.patient().and_then(|search| search.best(solves))
    }

    fn best(&self, solves: &mut Solves) -> Option<Found> {
        let simple = self.from_loops();
        if self.effort == Effort::Loops || simple.as_ref().is_some_and(|f| f.bound == Bound::Zero) {
            return simple;
        }
        let hopeful = !self.near.is_empty() || self.may_be_coincident();
        if simple.is_some() && !hopeful {
            return simple;
        }
        let skewed = self.from_skews();
        let best = [simple, skewed].into_iter().flatten().min_by_key(|f| f.bound);
        if best.as_ref().is_some_and(|f| f.bound == Bound::Zero || !hopeful) {
            return best;
        }
        let solved = match self.from_ilp(1, solves) {
            None if best.is_none() && self.has_mixed_directions() => self.from_ilp(-1, solves),
            other => other,
        };
        let best = [best, solved].into_iter().flatten().min_by_key(|f| f.bound);
        if !self.problem.solving.negative || best.as_ref().is_some_and(|f| f.bound == Bound::Zero) {
            return best;
        }
        let signed = self.from_signed_program(solves);
        [best, signed].into_iter().flatten().min_by_key(|f| f.bound)
    }

    /// Whether some free direction has a negative entry: otherwise the opposite orientation has no non-negative row.
    fn has_mixed_directions(&self) -> bool {
        self.stmts.iter().any(|&s| self.free[s].iter().flatten().any(|x| *x < 0))
    }

    fn empty(&self) -> Hyperplane {
        vec![Vec::new(); self.problem.dims.len()]
    }

    /// Row that takes one dim (or, for `None`, nothing).
    fn unit(&self, s: usize, dim: Option<usize>) -> Row {
        let d = self.problem.dims[s];
        (0..=d).map(|k| i64::from(Some(k) == dim)).collect()
    }

    /// Whether the statement needs a row that leaves the span of its earlier ones.
    fn must_move(&self, s: usize) -> bool {
        self.free[s].len() >= self.need
    }

    /// Whether `row` leaves the span of the earlier rows, or need not.
    fn independent(&self, s: usize, row: &[i64]) -> bool {
        !self.must_move(s) || self.independent_dims(s, row)
    }

    /// Whether `row` covers a direction that the earlier rows of the statement do not.
    #[must_use]
    pub fn independent_dims(&self, s: usize, row: &[i64]) -> bool {
        let d = self.problem.dims[s];
        self.free[s].iter().any(|b| dot(b, &row[..d]).is_some_and(|v| v != 0))
    }

    /// Loops a statement may contribute, `None` standing for the constant 0.
    fn choices(&self, s: usize) -> Vec<Option<usize>> {
        let d = self.problem.dims[s];
        let mut dims: Vec<Option<usize>> =
            (0..d).filter(|&k| self.independent(s, &self.unit(s, Some(k)))).map(Some).collect();
        if !self.must_move(s) {
            dims.push(None);
        }
        dims
    }

    /// Worst bound over the pieces between statements that have a row and touch `s`; `None` if one is invalid.
    fn local_bound(&self, s: usize, rows: &Hyperplane) -> Option<Bound> {
        let has_rows = |p: &&Piece| !rows[p.src].is_empty() && !rows[p.dst].is_empty();
        let touching = self.relations.touching[s].iter().map(|&k| &self.pieces[k]).filter(has_rows);
        let near = self.near.iter().filter(|p| p.src == s || p.dst == s).filter(has_rows);
        self.bound(touching, near, rows)
    }

    fn total_bound(&self, rows: &Hyperplane) -> Option<Bound> {
        self.bound(self.pieces.iter(), self.near.iter(), rows)
    }

    /// Worst bound over what is to be bounded; `None` if one of `pieces` is invalid.
    fn bound<'p>(
        &self,
        mut pieces: impl Iterator<Item = &'p Piece>,
        mut near: impl Iterator<Item = &'p Piece>,
        rows: &Hyperplane,
    ) -> Option<Bound> {
        let own = pieces.try_fold(Bound::Zero, |b, p| Some(b.max(bound_of(p, rows)?)))?;
        if self.near.is_empty() {
            return Some(own);
        }
        near.try_fold(Bound::Zero, |b, p| Some(b.max(reach_of(p, rows)?)))
    }

    /// Statements, the one with most free dims first, then so that each shares a dependence with an earlier one if
    /// possible.
    fn visiting_order(&self) -> Vec<usize> {
        let mut rest: Vec<usize> = self.stmts.to_vec();
        let mut order: Vec<usize> = Vec::with_capacity(rest.len());
        let mut touched = vec![false; self.problem.dims.len()];
        while !rest.is_empty() {
            let key = |s: usize| (!touched[s], usize::MAX - self.free[s].len(), usize::MAX - self.problem.dims[s], s);
            let Some(pick) = (0..rest.len()).min_by_key(|&k| key(rest[k])) else {
                break;
            };
            let s = rest.remove(pick);
            for p in self.relations.touching[s].iter().map(|&k| &self.pieces[k]) {
                (touched[p.src], touched[p.dst]) = (true, true);
            }
            order.push(s);
        }
        order
    }

    /// One original loop per statement, best bound first, then outermost first.
    fn from_loops(&self) -> Option<Found> {
        let order = self.visiting_order();
        let leader = *order.first()?;
        let mut best: Option<Found> = None;
        for choice in self.choices(leader) {
            let mut rows = self.empty();
            rows[leader] = self.unit(leader, choice);
            if self.local_bound(leader, &rows).is_none() {
                continue;
            }
            let mut nodes = MAX_NODES;
            if self.complete(&order, 1, choice, &mut rows, &mut nodes)
                && let Some(bound) = self.total_bound(&rows)
                && best.as_ref().is_none_or(|b| bound < b.bound)
            {
                best = Some(Found { rows, bound });
            }
        }
        best
    }

    /// Gives the statements `order[at..]` a row each; cheapest first, backtracking where nothing fits.
    fn complete(
        &self,
        order: &[usize],
        at: usize,
        lead: Option<usize>,
        rows: &mut Hyperplane,
        nodes: &mut usize,
    ) -> bool {
        let Some(&s) = order.get(at) else {
            return true;
        };
        let mut ranked: Vec<(Bound, bool, Option<usize>)> = Vec::new();
        for choice in self.choices(s) {
            rows[s] = self.unit(s, choice);
            if let Some(bound) = self.local_bound(s, rows) {
                ranked.push((bound, choice != lead, choice));
            }
        }
        ranked.sort();
        for (_, _, choice) in ranked {
            if *nodes == 0 {
                break;
            }
            *nodes -= 1;
            rows[s] = self.unit(s, choice);
            if self.complete(order, at + 1, lead, rows, nodes) {
                return true;
            }
        }
        rows[s] = Vec::new();
        false
    }

    /// False only if no hyperplane with coefficients that are allowed has distance zero on all that is bounded.
    fn may_be_coincident(&self) -> bool {
        let Some(basis) = self.relations.zero_space() else {
            return true;
        };
        let (at, _) = self.relations.columns();
        let leaves = |v: &Vector, s: usize| self.independent(s, &v[at[s]..=at[s] + self.problem.dims[s]]);
        let all_leave = self.stmts.iter().all(|&s| basis.iter().any(|v| leaves(v, s)));
        if !all_leave {
            return false;
        }
        let in_dims =
            |v: &&Vector| self.stmts.iter().any(|&s| v[at[s]..at[s] + self.problem.dims[s]].iter().any(|x| *x != 0));
        let moving: Vec<&Vector> = basis.iter().filter(in_dims).collect();
        let [only] = moving[..] else {
            return true;
        };
        let coefficients = || self.stmts.iter().flat_map(|&s| only[at[s]..at[s] + self.problem.dims[s]].iter());
        self.problem.solving.negative || coefficients().all(|x| *x >= 0) || coefficients().all(|x| *x <= 0)
    }

    /// A loop skewed by the others, the same in every statement, with the smallest shifts that make it legal.
    /// Only where all statements have equally many dims.
    fn from_skews(&self) -> Option<Found> {
        let d = self.problem.dims[*self.stmts.first()?];
        if d > 4 || self.stmts.iter().any(|&s| self.problem.dims[s] != d || !self.must_move(s)) {
            return None;
        }
        let mut best: Option<((Bound, i64), Found)> = None;
        let steps = self.steps()?;
        let total = usize::try_from((MAX_SKEW + 1).pow(u32::try_from(d).ok()?)).ok()?;
        for code in 1..total {
            let mut rest = i64::try_from(code).ok()?;
            let mut row: Row = Vec::with_capacity(d + 1);
            for _ in 0..d {
                row.push(rest % (MAX_SKEW + 1));
                rest /= MAX_SKEW + 1;
            }
            let sum: i64 = row.iter().sum();
            row.push(0);
            let primitive = row.contains(&1);
            if sum < 2 || !primitive || self.stmts.iter().any(|&s| !self.independent(s, &row)) {
                continue;
            }
            let mut rows = self.empty();
            self.stmts.iter().for_each(|&s| rows[s].clone_from(&row));
            if let Some(needs) = needs_of(&steps, &row)
                && let Some(rows) = settled(self.stmts, &needs, rows)
                && let Some(bound) = self.total_bound(&rows)
                && best.as_ref().is_none_or(|(k, _)| (bound, sum) < *k)
            {
                best = Some(((bound, sum), Found { rows, bound }));
            }
        }
        best.map(|(_, f)| f)
    }

    /// What distances are made of where all statements, of equally many dims, have one row without a constant. `None`
    /// on overflow.
    fn steps(&self) -> Option<Steps> {
        let mut steps = Steps::new();
        for p in self.pieces {
            let of = steps.entry((p.src, p.dst)).or_default();
            for g in p.gens.iter() {
                let (h, dims) = g.split_last()?;
                let (src, dst) = dims.split_at(self.problem.dims[p.src]);
                let step: Option<Row> = dst.iter().zip(src).map(|(to, from)| to.checked_sub(*from)).collect();
                of.insert((step?, *h));
            }
        }
        Some(steps)
    }
}

/// By source and destination: differences between the two ends of generators, each once, with their `h`. Dependences of
/// stencils have few.
type Steps = BTreeMap<(usize, usize), BTreeSet<(Row, i64)>>;

/// By how much destinations must be shifted for `row` to be legal in all statements; `None` where no shift makes it so.
fn needs_of(steps: &Steps, row: &[i64]) -> Option<Vec<(usize, usize, i64)>> {
    let distance = |(step, h): &(Row, i64)| Some((dot(&row[..step.len()], step)?, i128::from(*h)));
    let of = |(&(src, dst), all): (&(usize, usize), &BTreeSet<(Row, i64)>)| {
        need(src == dst, all.iter().map(distance)).map(|need| (src, dst, need))
    };
    steps.iter().map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::super::problem::{Demand, Solving};
    use super::*;
    use crate::deps::DepKind;
    use crate::ids::ArrayId;
    use presburger::{Budget, Kind};
    use std::sync::Arc;

    /// The self-dependence with constant `distance` inside a box `0 <= x < 100` per dim, no parameters.
    fn uniform(stmt: usize, distance: &[i64]) -> Piece {
        between(stmt, stmt, distance)
    }

    fn between(src: usize, dst: usize, distance: &[i64]) -> Piece {
        let d = distance.len();
        let mut rows = Vec::new();
        for (k, far) in distance.iter().enumerate() {
            let mut same = vec![0; 2 * d + 1];
            (same[k], same[d + k], same[2 * d]) = (-1, 1, -far);
            rows.push((Kind::Eq, same));
            for at in [k, d + k] {
                let mut low = vec![0; 2 * d + 1];
                low[at] = 1;
                let mut high = vec![0; 2 * d + 1];
                (high[at], high[2 * d]) = (-1, 99);
                rows.push((Kind::Ge, low));
                rows.push((Kind::Ge, high));
            }
        }
        let mut h = vec![0; 2 * d + 1];
        h[2 * d] = 1;
        rows.push((Kind::Ge, h));
        let cone = presburger::rows::generators(2 * d + 1, &rows, &Budget::unlimited()).expect("unlimited");
        assert!(cone.lines.is_empty());
        let of = Arc::new(vec![(DepKind::Raw, ArrayId::new(0))]);
        Piece { demand: Demand::Order, src, dst, of, gens: cone.rays.into() }
    }

    /// Hyperplanes until none is left.
    fn band(problem: &Problem, effort: Effort) -> (Vec<Found>, usize) {
        let stmts: Vec<usize> = (0..problem.dims.len()).collect();
        let relations = Relations::new(problem, &stmts, &problem.pieces);
        let mut basis: Basis = vec![Vec::new(); stmts.len()];
        let (mut found, mut solves) = (Vec::new(), Solves::default());
        while let Some(f) = Search::new(&relations, &basis, effort).expect("small").next(&mut solves) {
            for &s in &stmts {
                basis[s].push(f.rows[s][..problem.dims[s]].to_vec());
            }
            found.push(f);
        }
        (found, solves.calls)
    }

    fn single(dims: usize, distances: &[&[i64]]) -> Problem {
        let pieces = distances.iter().map(|d| uniform(0, d)).collect();
        Problem { dims: vec![dims], params: 0, pieces, solving: Solving::default() }
    }

    #[test]
    fn diagonal_dependence_is_tilable_as_it_is() {
        let (found, solves) = band(&single(2, &[&[1, 1]]), Effort::Full);
        let rows: Vec<&Row> = found.iter().map(|f| &f.rows[0]).collect();
        assert_eq!(rows, vec![&vec![1, 0, 0], &vec![0, 1, 0]]);
        assert!(found.iter().all(|f| f.bound == Bound::Const(1)));
        assert_eq!(solves, 0);
    }

    #[test]
    fn skewing_turns_the_distance_1_1_into_1_2() {
        let p = uniform(0, &[1, 1]);
        let skew = vec![vec![1, 1, 0]];
        assert_eq!(bound_of(&p, &vec![vec![1, 0, 0]]), Some(Bound::Const(1)));
        assert_eq!(bound_of(&p, &skew), Some(Bound::Const(2)));
    }

    #[test]
    fn antidiagonal_dependence_needs_a_skew() {
        let (found, _) = band(&single(2, &[&[1, -1]]), Effort::Full);
        assert_eq!(found.len(), 2);
        assert_eq!(found[0].rows[0], vec![1, 1, 0], "distance 0: no dependence carried");
        assert_eq!(found[0].bound, Bound::Zero);
        let (loops, _) = band(&single(2, &[&[1, -1]]), Effort::Loops);
        assert_eq!(loops.len(), 1, "only the outer loop is legal unskewed");
    }

    #[test]
    fn seidel_is_skewed_in_both_space_loops() {
        let mut distances: Vec<Vec<i64>> = Vec::new();
        for di in -1..=1 {
            for dj in -1..=1 {
                if (di, dj) != (0, 0) {
                    distances.push(vec![1, -di, -dj]);
                }
            }
        }
        distances.extend([vec![0, 0, 1], vec![0, 1, -1], vec![0, 1, 0], vec![0, 1, 1], vec![1, 0, 0]]);
        let refs: Vec<&[i64]> = distances.iter().map(Vec::as_slice).collect();
        let (found, _) = band(&single(3, &refs), Effort::Full);
        let rows: Vec<&Row> = found.iter().map(|f| &f.rows[0]).collect();
        assert_eq!(rows, vec![&vec![1, 0, 0, 0], &vec![1, 1, 0, 0], &vec![2, 1, 1, 0]]);
    }

    #[test]
    fn jacobi_1d_is_time_skewed_with_a_shift() {
        let mut pieces = Vec::new();
        for d in -1..=1 {
            pieces.push(between(0, 1, &[0, d]));
            pieces.push(between(1, 0, &[1, d]));
        }
        pieces.push(uniform(0, &[1, 0]));
        pieces.push(uniform(1, &[1, 0]));
        let problem = Problem { dims: vec![2, 2], params: 0, pieces, solving: Solving::default() };
        let (found, _) = band(&problem, Effort::Full);
        assert_eq!(found.len(), 2);
        assert_eq!(found[0].rows, vec![vec![1, 0, 0], vec![1, 0, 0]]);
        assert_eq!(found[1].rows, vec![vec![2, 1, 0], vec![2, 1, 1]]);
    }

    #[test]
    fn integer_program_finds_the_same_skews_as_the_candidates() {
        for distances in [vec![vec![1, -1], vec![1, 0], vec![1, 1]], vec![vec![1, -2], vec![0, 1]], vec![vec![1, -1]]] {
            let refs: Vec<&[i64]> = distances.iter().map(Vec::as_slice).collect();
            let problem = single(2, &refs);
            let basis = vec![vec![vec![1, 0]]];
            let relations = Relations::new(&problem, &[0], &problem.pieces);
            let search = Search::new(&relations, &basis, Effort::Full).expect("small");
            let mut solves = Solves::default();
            let solved = search.from_ilp(1, &mut solves).expect("a skew");
            let candidate = search.from_skews().expect("a skew");
            assert_eq!(solved.rows, candidate.rows, "{distances:?}");
            assert!(solves.calls > 0);
        }
    }

    #[test]
    fn negative_coefficients_make_the_diagonal_coincident() {
        let mut problem = single(2, &[&[1, 1]]);
        problem.solving.negative = true;
        let (found, _) = band(&problem, Effort::Full);
        let rows: Vec<&Row> = found.iter().map(|f| &f.rows[0]).collect();
        assert_eq!(rows, vec![&vec![1, -1, 0], &vec![1, 0, 0]]);
        assert_eq!((found[0].bound, found[1].bound), (Bound::Zero, Bound::Const(1)));
        let mut problem = single(3, &[&[1, 2, 0], &[0, 1, 1]]);
        problem.solving.negative = true;
        let (found, _) = band(&problem, Effort::Full);
        assert_eq!(found[0].rows[0], vec![2, -1, 1, 0], "orthogonal to both");
        assert_eq!(found.len(), 3);
    }

    #[test]
    fn a_relaxed_program_finds_what_the_integer_program_finds() {
        for distances in [vec![vec![1, -1], vec![1, 0], vec![1, 1]], vec![vec![1, -2], vec![0, 1]], vec![vec![2, -3]]] {
            let refs: Vec<&[i64]> = distances.iter().map(Vec::as_slice).collect();
            let (mut problem, basis) = (single(2, &refs), vec![vec![vec![1, 0]]]);
            let mut rows = Vec::new();
            for relaxed in [false, true] {
                problem.solving.relaxed = relaxed;
                let relations = Relations::new(&problem, &[0], &problem.pieces);
                let search = Search::new(&relations, &basis, Effort::Full).expect("small");
                rows.push(search.from_ilp(1, &mut Solves::default()).expect("a skew").rows);
            }
            assert_eq!(rows[0], rows[1], "{distances:?}");
        }
    }

    #[test]
    fn loop_carried_both_ways_has_no_hyperplane() {
        let problem = single(1, &[&[1], &[-1]]);
        assert!(band(&problem, Effort::Full).0.is_empty());
    }

    #[test]
    fn large_skew_comes_from_the_integer_program() {
        let (found, solves) = band(&single(2, &[&[1, -5], &[0, 1]]), Effort::Full);
        assert_eq!(found[1].rows[0], vec![5, 1, 0]);
        assert!(solves > 0);
    }
}
