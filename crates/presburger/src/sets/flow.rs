//! Which elements touch the same things in what order: value- and memory-based dependences of accesses under a
//! schedule, and lexicographic optima with the part of a domain that has none.
//! Source: Feautrier, Dataflow Analysis of Array and Scalar References, Int. J. Parallel Programming 20(1), 1991.

use crate::budget::{Budget, Result};
use crate::sets::map::Map;
use crate::sets::set::Set;
use crate::sets::space::Dim;
use crate::sets::union_sets::UnionMap;

/// The last sources of accesses, and the accesses without one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Flow {
    /// Pairs of a source and what it is the last one before.
    pub dependences: UnionMap,
    /// Accesses before which nothing touches the same.
    pub without_source: UnionMap,
}

impl UnionMap {
    /// For accesses `self`, every pair of an element and a later one whose accesses `later` share something: `time`
    /// gives elements their times, to be compared lexicographically.
    /// Exact. Cost: that of two compositions. Errors: [`Error`](crate::Error).
    pub fn any_before(&self, later: &UnionMap, time: &UnionMap, b: &Budget) -> Result<UnionMap> {
        Ok(self.apply_range(&later.reverse(), b)?.intersect(&time.lex_lt(time, b)?))
    }

    /// For each element and each thing it accesses according to `later`, the last earlier elements whose accesses
    /// `self` touch that thing (several where they have the same time); and the accesses without one.
    /// Exact. Cost: that of a few compositions and a lexicographic maximum. Errors: [`Error`](crate::Error).
    pub fn last_before(&self, later: &UnionMap, time: &UnionMap, b: &Budget) -> Result<Flow> {
        let sources = self.sources_before(later, time, b)?;
        let last = last_of(&sources, time, b)?;
        Ok(Flow {
            dependences: last.reverse().apply_range(&later.domain_map(), b)?.coalesce(b)?,
            without_source: later.wrap().subtract(&sources.domain(b)?, b)?.unwrap().coalesce(b)?,
        })
    }

    /// As the dependences of [`UnionMap::last_before`], and those from accesses `perhaps` that may touch something or
    /// not: all that are not earlier than the last of `self`, which surely touches the same.
    /// Exact. Cost: as that of [`UnionMap::last_before`], and a difference. Errors: [`Error`](crate::Error).
    pub fn last_or_any_before(
        &self,
        perhaps: &UnionMap,
        later: &UnionMap,
        time: &UnionMap,
        b: &Budget,
    ) -> Result<UnionMap> {
        let last = last_of(&self.sources_before(later, time, b)?, time, b)?;
        let hidden = last.apply_range(&time.lex_lt(time, b)?.reverse(), b)?;
        let open = perhaps.sources_before(later, time, b)?.subtract(&hidden, b)?;
        last.union(&open).reverse().apply_range(&later.domain_map(), b)?.coalesce(b)
    }

    /// `{ [t -> e] -> s : s touches e according to self, before t does according to later }`.
    fn sources_before(&self, later: &UnionMap, time: &UnionMap, b: &Budget) -> Result<UnionMap> {
        let earlier = later.domain_map().apply_range(&time.lex_lt(time, b)?.reverse(), b)?;
        Ok(later.range_map().apply_range(&self.reverse(), b)?.intersect(&earlier))
    }
}

/// Of the sources of each access the last ones.
fn last_of(sources: &UnionMap, time: &UnionMap, b: &Budget) -> Result<UnionMap> {
    let last = sources.apply_range(time, b)?.lexmax(b)?;
    Ok(last.apply_range(&time.reverse(), b)?.intersect(sources))
}

/// The optima of `own`, which lies over `domain`, and the part of `domain` that it does not reach.
fn partial<T>(
    own: &T,
    domain: &Set,
    optimum: fn(&T, &Budget) -> Result<T>,
    reached: fn(&T, &Budget) -> Result<Set>,
    b: &Budget,
) -> Result<(T, Set)> {
    Ok((optimum(own, b)?, domain.subtract(&reached(own, b)?, b)?))
}

impl Set {
    /// The smallest element for each parameter value in `params`, a set without dims, and the values in it for which
    /// there is no element. Exact. Cost: as that of [`Set::lexmin`], and a difference. Errors:
    /// [`Error`](crate::Error).
    pub fn partial_lexmin(&self, params: &Set, b: &Budget) -> Result<(Set, Set)> {
        partial(&self.intersect_params(params), params, Set::lexmin, Set::params, b)
    }

    /// The largest elements, as [`Set::partial_lexmin`]. Errors: [`Error`](crate::Error).
    pub fn partial_lexmax(&self, params: &Set, b: &Budget) -> Result<(Set, Set)> {
        partial(&self.intersect_params(params), params, Set::lexmax, Set::params, b)
    }

    /// The first dims as parameters of these names: `{ S[i, j] }` with one name becomes `[i] -> { S[j] }`.
    ///
    /// # Panics
    /// If there are fewer dims than names, or a parameter of a name exists.
    pub fn dims_to_params(&self, names: &[&str]) -> Set {
        let named = names.iter().enumerate().fold(self.clone(), |s, (k, name)| s.rename_dim(Dim::Out, k, name));
        named.move_dims((Dim::Param, self.space().n_param()), (Dim::Out, 0), names.len())
    }
}

impl Map {
    /// The smallest output for each input in `domain`, and the inputs in it that have none. Exact. Cost: as that of
    /// [`Map::lexmin`], and a difference. Errors: [`Error`](crate::Error).
    pub fn partial_lexmin(&self, domain: &Set, b: &Budget) -> Result<(Map, Set)> {
        partial(&self.intersect_domain(domain), domain, Map::lexmin, Map::domain, b)
    }

    /// The largest outputs, as [`Map::partial_lexmin`]. Errors: [`Error`](crate::Error).
    pub fn partial_lexmax(&self, domain: &Set, b: &Budget) -> Result<(Map, Set)> {
        partial(&self.intersect_domain(domain), domain, Map::lexmax, Map::domain, b)
    }
}
