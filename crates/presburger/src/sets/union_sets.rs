//! Union sets and maps: sets and maps of different spaces together, keyed by tuple name and size.
//! A unary operation works on each member; a binary one on each pair of members of the same (or of meeting) spaces.

use crate::budget::{Budget, Result};
use crate::sets::map::Map;
use crate::sets::set::Set;
use crate::sets::space::{Space, Tuple, union_params};
use crate::sets::union::Parts;
use crate::text::parse::{self, ParseError};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Tuple name (or structure) and size.
pub(crate) type Key = (String, usize);

pub(crate) fn key(t: &Tuple) -> Key {
    (t.signature(), t.dims.len())
}

/// What tells a member's space from the others of its union.
pub(crate) trait Member: Parts {
    type Key: Ord + Clone + std::fmt::Debug;
    fn member_key(&self) -> Self::Key;
}

impl Member for Set {
    type Key = Key;
    fn member_key(&self) -> Key {
        key(&self.space().output)
    }
}

impl Member for Map {
    type Key = (Key, Key);
    fn member_key(&self) -> (Key, Key) {
        (self.space().input.as_ref().map(key).unwrap_or_default(), key(&self.space().output))
    }
}

/// A set of points from several spaces; keyed by (tuple name, size). Spaces are iterated in that order. Equality and
/// hash are those of [`Set`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct UnionSet {
    params: Arc<[Arc<str>]>,
    members: BTreeMap<Key, Set>,
}

/// A relation between points of several spaces; keyed by (input, output) name and size. Equality and hash are those of
/// [`Map`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct UnionMap {
    params: Arc<[Arc<str>]>,
    members: BTreeMap<(Key, Key), Map>,
}

/// What every kind of union has: members by key, all over the same parameters. `$empty` and `$reads` are the first
/// lines of the docs.
macro_rules! members_over_params {
    ($t:ident, $parse:path, $empty:literal, $reads:literal, |$member:ident, $params:ident| $over:expr) => {
        impl $t {
            #[doc = $empty]
            pub fn empty(params: &[&str]) -> $t {
                $t { params: Space::params_only(params).params, members: BTreeMap::new() }
            }

            #[doc = $reads]
            pub fn parse(text: &str) -> std::result::Result<$t, ParseError> {
                $parse(text)
            }

            /// The parameters all members are over.
            pub fn params(&self) -> &[Arc<str>] {
                &self.params
            }

            fn like(&self) -> $t {
                $t { params: self.params.clone(), members: BTreeMap::new() }
            }

            /// Adds the parameters that are not among its own.
            fn align(&mut self, params: &Arc<[Arc<str>]>) {
                let ($params, _) = union_params(&self.params, params);
                if $params != self.params {
                    for $member in self.members.values_mut() {
                        *$member = $over;
                    }
                    self.params = $params;
                }
            }
        }
    };
}

pub(crate) use members_over_params;

macro_rules! shared_methods {
    ($t:ident, $member:ident, $parse:path) => {
        members_over_params!(
            $t,
            $parse,
            "No points.",
            "Reads isl's notation; the parts may be of different spaces.",
            |s, params| s.over_params(&params).into_owned()
        );

        impl $t {
            /// Adds the points of `s`.
            pub fn add(&mut self, s: $member) {
                self.align(&s.space().params);
                let s = s.over_params(&self.params).into_owned();
                let k = s.member_key();
                let sum = match self.members.get(&k) {
                    Some(t) => t.union(&s),
                    None => s,
                };
                self.members.insert(k, sum);
            }

            fn collect(&self, list: impl IntoIterator<Item = Result<$member>>) -> Result<$t> {
                let mut out = self.like();
                for m in list {
                    out.add(m?);
                }
                Ok(out)
            }

            /// Points in either.
            pub fn union(&self, o: &$t) -> $t {
                let mut out = self.clone();
                for m in o.members.values() {
                    out.add(m.clone());
                }
                out
            }

            /// Points in both.
            pub fn intersect(&self, o: &$t) -> $t {
                let mut out = self.like();
                for (k, m) in &self.members {
                    if let Some(n) = o.members.get(k) {
                        out.add(m.intersect(n));
                    }
                }
                out
            }

            /// Exact difference, space by space.
            /// Cost: at most one piece per constraint of `o` per piece of `self`. Errors: [`Error`](crate::Error).
            pub fn subtract(&self, o: &$t, b: &Budget) -> Result<$t> {
                self.collect(self.members.iter().map(|(k, m)| match o.members.get(k) {
                    Some(n) => m.subtract(n, b),
                    None => Ok(m.clone()),
                }))
            }

            /// True iff there is no point at all. Exact.
            /// Cost: one feasibility test per piece, up to the first that has a point. Errors: [`Error`](crate::Error).
            pub fn is_empty(&self, b: &Budget) -> Result<bool> {
                for m in self.members.values() {
                    if !m.is_empty(b)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }

            /// True iff every point of `self` is in `o`. Exact.
            /// Cost: a difference per piece, given up at the first point found. Errors: [`Error`](crate::Error).
            pub fn is_subset(&self, o: &$t, b: &Budget) -> Result<bool> {
                for (k, m) in &self.members {
                    let inside = match o.members.get(k) {
                        Some(n) => m.is_subset(n, b)?,
                        None => m.is_empty(b)?,
                    };
                    if !inside {
                        return Ok(false);
                    }
                }
                Ok(true)
            }

            /// True iff both hold the same points. Exact. Cost: two inclusion tests. Errors: [`Error`](crate::Error).
            pub fn is_equal(&self, o: &$t, b: &Budget) -> Result<bool> {
                Ok(self.is_subset(o, b)? && o.is_subset(self, b)?)
            }

            /// True iff `self` is contained in `o` and not equal to it. Exact.
            /// Cost: two inclusion tests. Errors: [`Error`](crate::Error).
            pub fn is_strict_subset(&self, o: &$t, b: &Budget) -> Result<bool> {
                Ok(self.is_subset(o, b)? && !o.is_subset(self, b)?)
            }

            /// True iff no point is in both. Exact.
            /// Cost: a feasibility test per pair of pieces, up to the first point found. Errors:
            /// [`Error`](crate::Error).
            pub fn is_disjoint(&self, o: &$t, b: &Budget) -> Result<bool> {
                self.intersect(o).is_empty(b)
            }

            /// Points whose parameters lie in `params`, a set without dims.
            pub fn intersect_params(&self, params: &Set) -> $t {
                let mut out = self.like();
                for m in self.members.values() {
                    out.add(m.intersect_params(params));
                }
                out
            }

            /// Simplified members with fewer pieces; empty ones are dropped.
            /// Exact. Cost: a linear program per row and a feasibility test per piece, then a few of both per pair of
            /// pieces. Errors:
            /// [`Error`](crate::Error).
            pub fn coalesce(&self, b: &Budget) -> Result<$t> {
                let mut out = self.collect(self.members.values().map(|m| m.simplify(b)))?;
                out.members.retain(|_, m| !m.basics().is_empty());
                Ok(out)
            }

            /// Per member, the lexicographically smallest output. Exact.
            /// Cost: a projection per piece and dim where the bounds are plain, otherwise parametric programming,
            /// exponential at worst; then differences of the pieces. Errors: [`Error`](crate::Error).
            pub fn lexmin(&self, b: &Budget) -> Result<$t> {
                self.collect(self.members.values().map(|m| m.lexmin(b)))
            }

            /// Per member, the lexicographically largest output. Exact. Cost: as that of `lexmin`. Errors:
            /// [`Error`](crate::Error).
            pub fn lexmax(&self, b: &Budget) -> Result<$t> {
                self.collect(self.members.values().map(|m| m.lexmax(b)))
            }

            /// Per member, the constraints that `context` does not imply. Members outside the context become empty.
            /// Exact. Cost: a linear program per row and piece of the context. Errors: [`Error`](crate::Error).
            pub fn gist(&self, context: &$t, b: &Budget) -> Result<$t> {
                self.collect(self.members.iter().filter_map(|(k, m)| context.members.get(k).map(|c| m.gist(c, b))))
            }

            /// Per member, the constraints that do not hold for all parameters in `params`, a set without dims.
            /// Exact. Cost: as that of `gist`. Errors: [`Error`](crate::Error).
            pub fn gist_params(&self, params: &Set, b: &Budget) -> Result<$t> {
                self.collect(self.members.values().map(|m| m.gist_params(params, b)))
            }
        }

        impl From<$member> for $t {
            fn from(m: $member) -> $t {
                let mut out = $t { params: m.space().params.clone(), members: BTreeMap::new() };
                out.add(m);
                out
            }
        }
    };
}
shared_methods!(UnionSet, Set, parse::union_set);
shared_methods!(UnionMap, Map, parse::union_map);

impl UnionSet {
    /// The sets, one per space.
    pub fn sets(&self) -> impl Iterator<Item = &Set> {
        self.members.values()
    }

    /// The points with this tuple.
    pub fn get(&self, tuple: &str, n: usize) -> Option<&Set> {
        self.members.get(&(tuple.to_string(), n))
    }

    /// The set of parameter values that this is, if it has no other member (`[N] -> { : N >= 3 }`).
    pub fn as_params(&self) -> Option<&Set> {
        let mut all = self.members.values();
        all.next().filter(|s| s.space().is_params() && all.next().is_none())
    }

    /// The parameter values for which there is a point. Exact. Cost: a projection per piece. Errors:
    /// [`Error`](crate::Error).
    pub fn params_set(&self, b: &Budget) -> Result<Set> {
        let mut out = Set::empty(Space { params: self.params.clone(), input: None, output: Tuple::absent() });
        for s in self.members.values() {
            out = out.union(&s.params(b)?);
        }
        Ok(out)
    }

    /// The image under `m`. Exact.
    /// Cost: a projection of each piece of one operand with each of the other. Errors: [`Error`](crate::Error).
    pub fn apply(&self, m: &UnionMap, b: &Budget) -> Result<UnionSet> {
        m.intersect_domain(self).range(b)
    }

    /// `{ x -> x : x in self }`.
    pub fn identity(&self) -> UnionMap {
        let mut out = UnionMap { params: self.params.clone(), members: BTreeMap::new() };
        for s in self.members.values() {
            out.add(s.identity());
        }
        out
    }

    /// A point of some member: its tuple name and `[params | dims]`.
    /// Exact. Cost: one feasibility test per piece, up to the first that has a point. Errors: [`Error`](crate::Error).
    pub fn sample(&self, b: &Budget) -> Result<Option<(String, Vec<i64>)>> {
        for ((name, _), s) in &self.members {
            if let Some(x) = s.sample(b)? {
                return Ok(Some((name.clone(), x)));
            }
        }
        Ok(None)
    }

    /// All pairs `{ a -> b : a in self, b in o }`.
    pub fn product_map(&self, o: &UnionSet) -> UnionMap {
        let mut out = UnionMap { params: self.params.clone(), members: BTreeMap::new() };
        for s in self.members.values() {
            for t in o.members.values() {
                let m = Map::universe(s.space().map_to(t.space()));
                out.add(m.intersect_domain(s).intersect_range(t));
            }
        }
        out
    }
}

impl UnionMap {
    /// The maps, one per pair of spaces.
    pub fn maps(&self) -> impl Iterator<Item = &Map> {
        self.members.values()
    }

    fn sets_of(&self, f: impl Fn(&Map) -> Result<Set>) -> Result<UnionSet> {
        let mut out = UnionSet { params: self.params.clone(), members: BTreeMap::new() };
        for m in self.members.values() {
            out.add(f(m)?);
        }
        Ok(out)
    }

    /// Inputs that have an output. Exact. Cost: a projection per piece. Errors: [`Error`](crate::Error).
    pub fn domain(&self, b: &Budget) -> Result<UnionSet> {
        self.sets_of(|m| m.domain(b))
    }

    /// Outputs that have an input. Exact. Cost: a projection per piece. Errors: [`Error`](crate::Error).
    pub fn range(&self, b: &Budget) -> Result<UnionSet> {
        self.sets_of(|m| m.range(b))
    }

    /// `{ out - in }` of the members from a tuple to itself. Exact. Cost: a projection per piece. Errors:
    /// [`Error`](crate::Error).
    pub fn deltas(&self, b: &Budget) -> Result<UnionSet> {
        let mut out = UnionSet { params: self.params.clone(), members: BTreeMap::new() };
        for m in self.members.values().filter(|m| m.space().is_to_self()) {
            out.add(m.deltas(b)?);
        }
        Ok(out)
    }

    /// Inputs and outputs swapped.
    pub fn reverse(&self) -> UnionMap {
        let mut out = self.like();
        for m in self.members.values() {
            out.add(m.reverse());
        }
        out
    }

    /// Pairs whose input lies in `s`.
    pub fn intersect_domain(&self, s: &UnionSet) -> UnionMap {
        let mut out = self.like();
        for ((input, _), m) in &self.members {
            if let Some(s) = s.members.get(input) {
                out.add(m.intersect_domain(s));
            }
        }
        out
    }

    /// Pairs whose output lies in `s`.
    pub fn intersect_range(&self, s: &UnionSet) -> UnionMap {
        let mut out = self.like();
        for ((_, output), m) in &self.members {
            if let Some(s) = s.members.get(output) {
                out.add(m.intersect_range(s));
            }
        }
        out
    }

    /// `self` then `next`, for members whose tuples meet. Exact.
    /// Cost: a projection of each piece of one operand with each of the other. Errors: [`Error`](crate::Error).
    pub fn apply_range(&self, next: &UnionMap, b: &Budget) -> Result<UnionMap> {
        let mut out = self.like();
        for ((_, mid), m) in &self.members {
            for ((input, _), n) in &next.members {
                if mid == input {
                    out.add(m.apply_range(n, b)?);
                }
            }
        }
        Ok(out)
    }

    /// Inputs mapped by `m`. Exact.
    /// Cost: a projection of each piece of one operand with each of the other. Errors: [`Error`](crate::Error).
    pub fn apply_domain(&self, m: &UnionMap, b: &Budget) -> Result<UnionMap> {
        Ok(self.reverse().apply_range(m, b)?.reverse())
    }
}
