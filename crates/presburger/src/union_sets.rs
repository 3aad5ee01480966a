//! Union sets and maps: sets and maps of different spaces together, keyed by tuple name and size.

use crate::map::Map;
use crate::parse::{self, ParseError};
use crate::set::Set;
use crate::space::{Space, Tuple, union_params};
use crate::union::Parts;
use std::collections::BTreeMap;
use std::sync::Arc;

type Key = (String, usize);

fn key(t: &Tuple) -> Key {
    (t.name_str().to_string(), t.dims.len())
}

fn name_list(params: &[&str]) -> Arc<[Arc<str>]> {
    Space::params_only(params).params
}

/// A set of points from several spaces; keyed by (tuple name, size). Spaces are iterated in that order.
#[derive(Clone, Debug)]
pub struct UnionSet {
    params: Arc<[Arc<str>]>,
    sets: BTreeMap<Key, Set>,
}

/// A relation between points of several spaces; keyed by (input, output) name and size.
#[derive(Clone, Debug)]
pub struct UnionMap {
    params: Arc<[Arc<str>]>,
    maps: BTreeMap<(Key, Key), Map>,
}

impl UnionSet {
    /// No points.
    pub fn empty(params: &[&str]) -> UnionSet {
        UnionSet { params: name_list(params), sets: BTreeMap::new() }
    }

    /// Reads isl's notation: `{ S[i] : i >= 0; T[i, j] }`.
    pub fn parse(text: &str) -> std::result::Result<UnionSet, ParseError> {
        parse::union_set(text)
    }

    /// The parameters all members are over.
    pub fn params(&self) -> &[Arc<str>] {
        &self.params
    }

    /// Adds the points of `s`.
    pub fn add(&mut self, s: Set) {
        let (params, _) = union_params(&self.params, &s.space().params);
        if params != self.params {
            for t in self.sets.values_mut() {
                *t = t.over_params(&params).into_owned();
            }
            self.params = params;
        }
        let s = s.over_params(&self.params).into_owned();
        let k = key(&s.space().output);
        let sum = match self.sets.get(&k) {
            Some(t) => t.union(&s),
            None => s,
        };
        self.sets.insert(k, sum);
    }

    /// The sets, one per space.
    pub fn sets(&self) -> impl Iterator<Item = &Set> {
        self.sets.values()
    }

    /// The points with this tuple.
    pub fn get(&self, tuple: &str, n: usize) -> Option<&Set> {
        self.sets.get(&(tuple.to_string(), n))
    }
}

impl UnionMap {
    /// No pairs.
    pub fn empty(params: &[&str]) -> UnionMap {
        UnionMap { params: name_list(params), maps: BTreeMap::new() }
    }

    /// Reads isl's notation: `{ S[i] -> A[i]; T[i] -> B[] }`.
    pub fn parse(text: &str) -> std::result::Result<UnionMap, ParseError> {
        parse::union_map(text)
    }

    /// The parameters all members are over.
    pub fn params(&self) -> &[Arc<str>] {
        &self.params
    }

    /// Adds the pairs of `m`.
    pub fn add(&mut self, m: Map) {
        let (params, _) = union_params(&self.params, &m.space().params);
        if params != self.params {
            for t in self.maps.values_mut() {
                *t = t.over_params(&params).into_owned();
            }
            self.params = params;
        }
        let m = m.over_params(&self.params).into_owned();
        let k = (m.space().input.as_ref().map(key).unwrap_or_default(), key(&m.space().output));
        let sum = match self.maps.get(&k) {
            Some(t) => t.union(&m),
            None => m,
        };
        self.maps.insert(k, sum);
    }

    /// The maps, one per pair of spaces.
    pub fn maps(&self) -> impl Iterator<Item = &Map> {
        self.maps.values()
    }
}
