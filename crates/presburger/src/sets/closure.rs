//! Transitive closure and power with a symbolic exponent, exact or too large, which of the two is said.
//! A path of a relation is a sum of differences of its pieces, `k_i` of piece `i`: multiples of the pieces' sets of
//! differences, where rows that join parameters with differences are left out, so that they stay linear. What results
//! holds every path. It is exact iff each of its pairs at length 1 is a pair of the relation, and each at a larger one
//! is a shorter one and a step.
//! Where that is larger, the paths of one piece are found first, and those of the others with these between them.
//! Sources: Kelly, Pugh, Rosser, Shpeisman, Transitive Closure of Infinite Graphs and its Applications, IJPP 24(6),
//! 1996; Verdoolaege, Cohen, Beletska, Transitive Closures of Affine Integer Tuple Relations and their
//! Overapproximations, SAS 2011.

use crate::budget::{Budget, Error, Result};
use crate::sets::basic::{BasicMap, BasicSet};
use crate::sets::map::Map;
use crate::sets::space::{Dim, Kind, Space, Tuple};
use crate::sets::union::{self, Parts};
use crate::sets::union_sets::UnionMap;
use std::borrow::Cow;

/// Pieces whose steps are counted one by one; more are taken together.
const MOST_PIECES: usize = 3;
/// Pieces of which each is tried as the one whose paths are found first.
const MOST_PARTS: usize = 6;
/// How many pieces are taken out one after the other.
const MOST_SPLITS: usize = 3;
/// Steps for each attempt at an exact answer, and for the proof that one is.
const PART_STEPS: u64 = 300_000;
/// Powers that are added up in the hope that a longer path gives nothing new.
const MOST_POWERS: usize = 4;

/// `None` where the steps set apart for a question are spent: the answer is then not known to be exact.
fn unless_spent<A>(answer: Result<A>) -> Result<Option<A>> {
    match answer {
        Err(Error::Spent) => Ok(None),
        other => other.map(Some),
    }
}

impl Map {
    /// The pairs that any number of steps, at least one, leads from one to the other, and whether that is exact;
    /// otherwise it holds more.
    /// Cost: projections, exponential in the number of pieces up to a small bound, and two inclusion tests. Errors:
    /// [`Error`](crate::Error).
    ///
    /// # Panics
    /// If input and output are of different sizes.
    ///
    /// ```
    /// use presburger::{Budget, Map};
    /// let b = Budget::unlimited();
    /// let step = Map::parse("[N] -> { [i] -> [i + 2] : 0 <= i < N }")?;
    /// let (paths, exact) = step.transitive_closure(&b)?;
    /// let right = Map::parse("[N] -> { [i] -> [j] : 0 <= i < j <= N + 1 and (j - i) mod 2 = 0 and i < N }")?;
    /// assert!(exact && paths.is_equal(&right, &b)?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn transitive_closure(&self, b: &Budget) -> Result<(Map, bool)> {
        let apart = union::coalesce_alike(self, b)?;
        let found = apart.closed_beside_still(b)?;
        let step = self.coalesce(b)?;
        // Pieces that differ in their steps may be one by chance.
        if found.1 || step.basics().len() == apart.basics().len() { Ok(found) } else { step.closed_beside_still(b) }
    }

    /// As [`Map::transitive_closure`], piece by piece as they are.
    fn closed_beside_still(&self, b: &Budget) -> Result<(Map, bool)> {
        let still = self.domain(b)?.identity().with_space(self.shared_space());
        let (mut stays, mut moves) = (Vec::new(), Vec::new());
        for piece in self.basics() {
            let stay = piece.to_map().is_subset(&still, b)?;
            if stay { &mut stays } else { &mut moves }.push(piece.clone());
        }
        if stays.is_empty() || moves.is_empty() {
            return self.closed(MOST_SPLITS, b);
        }
        // A step that leads nowhere else makes no path longer.
        let of = |list: Vec<BasicMap>| {
            list.iter().fold(Map::empty(self.space().clone()), |all, piece| all.union(&piece.to_map()))
        };
        let (paths, exact) = of(moves).closed(MOST_SPLITS, b)?;
        Ok((paths.union(&of(stays)).coalesce(b)?.into_owned(), exact))
    }

    /// As [`Map::transitive_closure`], for pieces that all move; `splits`: how often a piece may be taken out.
    fn closed(&self, splits: usize, b: &Budget) -> Result<(Map, bool)> {
        if let Some(Some(sum)) = unless_spent(self.sum_of_powers(&b.share(PART_STEPS)))? {
            return Ok((sum, true));
        }
        let (paths, exact) = self.paths(b)?;
        let n = paths.space().n_out();
        let pairs = paths.project_out(Dim::Out, n - 1, 1, b)?.with_space(self.shared_space());
        let pairs = unless_spent(pairs.coalesce(&b.share(PART_STEPS)))?.map_or_else(|| pairs.clone(), Cow::into_owned);
        if exact || splits == 0 {
            return Ok((pairs, exact));
        }
        let found = unless_spent(self.closed_by_parts(splits - 1, &b.share(PART_STEPS)))?;
        Ok(found.flatten().map_or((pairs, false), |found| (found, true)))
    }

    /// The powers up to the one behind which a longer path gives nothing new, if that comes soon.
    fn sum_of_powers(&self, b: &Budget) -> Result<Option<Map>> {
        let mut sum = self.clone();
        let mut power = sum.clone();
        for _ in 1..MOST_POWERS {
            power = power.apply_range(self, b)?.coalesce(b)?.into_owned();
            if power.is_subset(&sum, b)? {
                return Ok(Some(sum));
            }
            sum = sum.union(&power).coalesce(b)?.into_owned();
        }
        Ok(None)
    }

    /// The closure as the closure `A` of one piece, and that of the other ones with any number of steps in `A` before
    /// and behind each; `None` where neither way is exact.
    /// Source: Kelly, Pugh, Rosser, Shpeisman, as above.
    fn closed_by_parts(&self, splits: usize, b: &Budget) -> Result<Option<Map>> {
        let count = self.basics().len();
        if !(2..=MOST_PARTS).contains(&count) {
            return Ok(None);
        }
        for taken in 0..count {
            let (own, exact) = self.basics()[taken].to_map().closed(0, b)?;
            if !exact {
                continue;
            }
            let mut rest = Map::empty(self.space().clone());
            for (_, other) in self.basics().iter().enumerate().filter(|(k, _)| *k != taken) {
                rest = rest.union(&other.to_map());
            }
            let rest = rest.union(&own.apply_range(&rest, b)?);
            let rest = union::coalesce_alike(&rest.union(&rest.apply_range(&own, b)?), b)?;
            let (paths, exact) = rest.closed(splits, b)?;
            if exact {
                return Ok(Some(own.union(&paths).coalesce(b)?.into_owned()));
            }
        }
        Ok(None)
    }

    /// `{ [k] -> [x -> y] : k steps lead from x to y }` for `k >= 1`, and whether that is exact; otherwise it holds
    /// more.
    /// Cost, errors and panics: as [`Map::transitive_closure`].
    pub fn power(&self, b: &Budget) -> Result<(Map, bool)> {
        let (paths, exact) = self.coalesce(b)?.paths(b)?;
        let (np, n) = (self.space().n_param(), self.space().n_in());
        let output = Tuple::pair(self.space().input.as_ref().expect("a map has an input"), &self.space().output);
        let space = Space { params: self.space().params.clone(), input: Some(Tuple::new("", 1)), output };
        let columns: Vec<Option<usize>> = (0..np).chain([np + 2 * n]).chain(np..np + 2 * n).map(Some).collect();
        Ok((paths.rebuilt(space, &columns), exact))
    }

    /// The same rows in a space of equal sizes.
    fn with_space(&self, space: &Space) -> Map {
        let all: Vec<_> = (0..space.n_cols()).map(Some).collect();
        self.rebuilt(space.clone(), &all)
    }

    /// `{ x -> [y, k] }`, and whether it is exact.
    fn paths(&self, b: &Budget) -> Result<(Map, bool)> {
        let n = self.space().n_in();
        assert!(n == self.space().n_out(), "paths of a map between tuples of different sizes");
        let names: Vec<&str> = self.space().params.iter().map(|p| &**p).collect();
        let plain = self.with_space(&Space::map(&names, "", n, "", n));
        let mut steps = Vec::new();
        for piece in plain.basics() {
            steps.extend(piece.to_map().deltas(b)?.simplify(b)?.basics().iter().cloned());
        }
        if steps.len() > MOST_PIECES {
            steps = vec![plain.deltas(b)?.simple_hull(b)?.into_owned()];
        }
        let space = Space::map(&names, "", n, "", n + 1);
        let mut paths = Map::empty(space.clone());
        for chosen in 1..1_usize << steps.len() {
            let used: Vec<&BasicSet> =
                steps.iter().enumerate().filter(|(i, _)| chosen >> i & 1 == 1).map(|(_, s)| s).collect();
            paths = paths.union(&multiples(&space, &used, b)?.to_map());
        }
        let ends = plain.range(b)?.insert_dims(Dim::Out, n, &[""]);
        let paths = paths.intersect_domain(&plain.domain(b)?).intersect_range(&ends).simplify(b)?;
        let exact = unless_spent(plain.has_only(&paths, &b.share(PART_STEPS)))?;
        Ok((paths, exact == Some(true)))
    }

    /// Whether every pair of `paths` at `k = 1` is one of the map, and every other one is a pair of `paths` at `k - 1`
    /// and one of the map.
    fn has_only(&self, paths: &Map, b: &Budget) -> Result<bool> {
        let (np, n) = (self.space().n_param(), self.space().n_in());
        let k = np + 2 * n;
        let names: Vec<&str> = self.space().params.iter().map(|p| &**p).collect();
        let row = |entries: &[(usize, i64)], width: usize| {
            let mut row = vec![0; width + 1];
            entries.iter().for_each(|(c, v)| row[*c] = *v);
            row
        };
        let once: Vec<Option<usize>> = (0..k).map(Some).chain([None]).collect();
        let first: Map = self.rebuilt(paths.space().clone(), &once);
        let first = first.add(Kind::Eq, &row(&[(k, 1), (k + 1, -1)], k + 1));
        let at_first = paths.add(Kind::Eq, &row(&[(k, 1), (k + 1, -1)], k + 1));
        if !at_first.is_subset(&first, b)? {
            return Ok(false);
        }
        // { [y, k] -> [z, k + 1] }
        let from: Vec<Option<usize>> =
            (0..np + n).map(Some).chain([None]).chain((np + n..k).map(Some)).chain([None]).collect();
        let next: Map = self.rebuilt(Space::map(&names, "", n + 1, "", n + 1), &from);
        let width = np + 2 * n + 2;
        let next = next.add(Kind::Eq, &row(&[(np + n, 1), (width - 1, -1), (width, 1)], width));
        let longer = paths.add(Kind::Ge, &row(&[(k, 1), (k + 1, -2)], k + 1));
        longer.is_subset(&paths.apply_range(&next, b)?, b)
    }
}

/// `{ x -> [y, k] }` where `y - x` is a sum of `k` differences, at least one from each of the sets. Rows that join
/// parameters with differences hold as they are for any number of these where the part of the parameters is nowhere
/// positive; others are left out.
fn multiples(space: &Space, sets: &[&BasicSet], b: &Budget) -> Result<BasicMap> {
    let (np, n) = (space.n_param(), space.n_in());
    let visible = np + 2 * n + 1;
    let own: usize = sets.iter().map(|s| 1 + n + s.n_exists()).sum();
    let mut out = BasicMap::universe(space.clone());
    for _ in 0..own {
        out.add_exists();
    }
    let width = visible + own + 1;
    let mut totals = vec![vec![0; width]; n + 1];
    for (d, row) in totals.iter_mut().enumerate() {
        row[np + n + d] = -1;
        if d < n {
            row[np + d] = 1;
        }
    }
    // Existentials of a set: how often it is used, the sum of its differences, the sums of its existentials.
    let mut first = visible;
    for s in sets {
        for (d, row) in totals.iter_mut().enumerate() {
            row[if d < n { first + 1 + d } else { first }] = 1;
        }
        let mut used = vec![0; width];
        (used[first], used[width - 1]) = (1, -1);
        out.add_full(Kind::Ge, &used);
        for (kind, r) in s.rows_i64()? {
            let (params, rest) = r.split_at(np);
            let (inner, constant) = rest.split_at(rest.len() - 1);
            let mut row = vec![0; width];
            if inner.iter().all(|v| *v == 0) {
                row[..np].copy_from_slice(params);
                row[width - 1] = constant[0];
            } else if params.iter().all(|v| *v == 0) {
                row[first + 1..=first + inner.len()].copy_from_slice(inner);
                row[first] = constant[0];
            } else if kind == Kind::Ge && is_nowhere_positive(s, params, constant[0], b)? {
                row[..np].copy_from_slice(params);
                row[first + 1..=first + inner.len()].copy_from_slice(inner);
                row[width - 1] = constant[0];
            } else {
                continue;
            }
            out.add_full(kind, &row);
        }
        first += 1 + n + s.n_exists();
    }
    totals.iter().for_each(|row| out.add_full(Kind::Eq, row));
    Ok(out)
}

/// Whether the form of the parameters is at most zero wherever the set has a point.
fn is_nowhere_positive(s: &BasicSet, params: &[i64], constant: i64, b: &Budget) -> Result<bool> {
    let mut positive = s.clone();
    let mut row = params.to_vec();
    row.resize(s.space().n_cols() + 1, 0);
    row[s.space().n_cols()] = constant.checked_sub(1).ok_or(Error::Overflow)?;
    positive.add(Kind::Ge, &row);
    positive.is_empty(b)
}

impl UnionMap {
    /// As [`Map::transitive_closure`], for paths through several tuples, one of them after the other.
    /// Cost: that of the closure at each tuple, and a composition for each three tuples. Errors:
    /// [`Error`](crate::Error).
    /// Source: Kleene's algorithm.
    pub fn transitive_closure(&self, b: &Budget) -> Result<(UnionMap, bool)> {
        let mut all = self.coalesce(b)?;
        let mut exact = true;
        let tuples: Vec<Tuple> = self.maps().map(|m| m.space().output.clone()).collect();
        let mut seen: Vec<&Tuple> = Vec::new();
        for t in &tuples {
            if seen.contains(&t) {
                continue;
            }
            seen.push(t);
            let ends_here = |m: &&Map| m.space().output == *t;
            let starts_here = |m: &&Map| m.space().input.as_ref() == Some(t);
            let part = |maps: Vec<&Map>| {
                let mut out = UnionMap::empty(&[]);
                maps.into_iter().for_each(|m| out.add(m.clone()));
                out
            };
            let into = part(all.maps().filter(ends_here).collect());
            let from = part(all.maps().filter(starts_here).collect());
            let mut turns = UnionMap::empty(&[]);
            if let Some(around) = all.maps().find(|m| ends_here(m) && starts_here(m)) {
                let (closed, this) = around.transitive_closure(b)?;
                exact &= this;
                turns.add(closed);
            }
            let through = into.union(&into.apply_range(&turns, b)?).apply_range(&from, b)?;
            all = all.union(&through).union(&turns).coalesce(b)?;
        }
        Ok((all, exact))
    }
}
