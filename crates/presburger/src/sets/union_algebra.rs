//! Operations on union sets and maps that go beyond one member at a time, or that keep only the members they apply to.

use crate::budget::{Budget, Result};
use crate::functions::qpoly::PwQPoly;
use crate::sets::map::{Map, power};
use crate::sets::set::Set;
use crate::sets::space::Space;
use crate::sets::union;
use crate::sets::union_sets::{UnionMap, UnionSet};

fn union_of_sets(params: &[std::sync::Arc<str>], list: impl IntoIterator<Item = Set>) -> UnionSet {
    let mut out = UnionSet::empty(&params.iter().map(|p| &**p).collect::<Vec<_>>());
    list.into_iter().for_each(|s| out.add(s));
    out
}

fn union_of_maps(params: &[std::sync::Arc<str>], list: impl IntoIterator<Item = Map>) -> UnionMap {
    let mut out = UnionMap::empty(&params.iter().map(|p| &**p).collect::<Vec<_>>());
    list.into_iter().for_each(|m| out.add(m));
    out
}

impl UnionSet {
    /// All wrapped pairs `[x -> y]` with `x` in `self` and `y` in `o`.
    pub fn product(&self, o: &UnionSet) -> UnionSet {
        union_of_sets(self.params(), self.sets().flat_map(|s| o.sets().map(|t| s.product(t))))
    }

    /// The map whose pairs are the wrapped pairs among the points; other points are left out.
    pub fn unwrap(&self) -> UnionMap {
        union_of_maps(self.params(), self.sets().filter_map(Set::unwrap))
    }

    /// `{ a -> b : a in self, b in o, a << b }` for points of the same tuple.
    pub fn lex_lt(&self, o: &UnionSet) -> UnionMap {
        self.ordered(o, Set::lex_lt)
    }

    /// `{ a -> b : a in self, b in o, a << b or a = b }`, as [`UnionSet::lex_lt`].
    pub fn lex_le(&self, o: &UnionSet) -> UnionMap {
        self.ordered(o, Set::lex_le)
    }

    fn ordered(&self, o: &UnionSet, order: fn(&Space) -> Map) -> UnionMap {
        let pairs = self.sets().flat_map(|s| o.sets().map(move |t| (s, t)));
        let list = pairs.filter(|(s, t)| s.space().same_tuples(t.space()));
        union_of_maps(self.params(), list.map(|(s, t)| order(s.space()).intersect_domain(s).intersect_range(t)))
    }

    /// The number of points for each value of the parameters. Exact; `None` when some value has infinitely many.
    /// Cost: pieces are made disjoint, then one polynomial sum per column, each split by pairs of bounds and by
    /// residues: exponential in the number of columns summed. Errors: [`Error`](crate::Error).
    pub fn card(&self, b: &Budget) -> Result<Option<PwQPoly>> {
        let mut sum: Option<PwQPoly> = None;
        for s in self.sets() {
            let Some(c) = s.card(b)? else { return Ok(None) };
            sum = Some(match sum {
                Some(t) => t.add(&c, b)?,
                None => c,
            });
        }
        let params: Vec<&str> = self.params().iter().map(|p| &**p).collect();
        Ok(Some(sum.unwrap_or_else(|| PwQPoly::zero(&Space::params_only(&params)))))
    }
}

impl UnionMap {
    /// The set of wrapped pairs `[a -> b]`. Inverse of [`UnionSet::unwrap`].
    pub fn wrap(&self) -> UnionSet {
        union_of_sets(self.params(), self.maps().map(Map::wrap))
    }

    /// `{ [a -> c] -> [b -> d] : a -> b in self and c -> d in o }`.
    pub fn product(&self, o: &UnionMap) -> UnionMap {
        union_of_maps(self.params(), self.maps().flat_map(|m| o.maps().map(|n| m.product(n))))
    }

    /// `{ a -> [b -> c] : a -> b in self and a -> c in o }`.
    pub fn range_product(&self, o: &UnionMap) -> UnionMap {
        let meeting = self.maps().flat_map(|m| o.maps().map(move |n| (m, n)));
        let meeting = meeting.filter(|(m, n)| m.space().domain().same_tuples(&n.space().domain()));
        union_of_maps(self.params(), meeting.map(|(m, n)| m.range_product(n)))
    }

    /// `{ [a -> c] -> [b -> d] : [a -> b] -> [c -> d] in self }`; other members are left out, here and below.
    pub fn zip(&self) -> UnionMap {
        union_of_maps(self.params(), self.maps().filter_map(Map::zip))
    }

    /// `{ a -> [b -> c] : [a -> b] -> c in self }`
    pub fn curry(&self) -> UnionMap {
        union_of_maps(self.params(), self.maps().filter_map(Map::curry))
    }

    /// `{ [a -> b] -> c : a -> [b -> c] in self }`
    pub fn uncurry(&self) -> UnionMap {
        union_of_maps(self.params(), self.maps().filter_map(Map::uncurry))
    }

    /// `{ [a -> b] -> a : a -> b in self }`
    pub fn domain_map(&self) -> UnionMap {
        union_of_maps(self.params(), self.maps().map(Map::domain_map))
    }

    /// `{ [a -> b] -> b : a -> b in self }`
    pub fn range_map(&self) -> UnionMap {
        union_of_maps(self.params(), self.maps().map(Map::range_map))
    }

    /// `{ [a -> b] -> b - a : a -> b in self }` of the members from a tuple to itself.
    pub fn deltas_map(&self) -> UnionMap {
        union_of_maps(self.params(), self.maps().filter(|m| m.space().is_to_self()).map(Map::deltas_map))
    }

    /// The map composed with itself `k` times; for negative `k` the inverse `-k` times; for `k = 0` the identity on its
    /// domain.
    /// Errors: [`Error`](crate::Error), here and below. Exact. Cost: by repeated squaring two compositions per binary
    /// digit of `k`, pieces with the same equalities coalesced.
    pub fn fixed_power(&self, k: i64, b: &Budget) -> Result<UnionMap> {
        if k == 0 {
            return Ok(self.domain(b)?.identity());
        }
        let base = if k < 0 { self.reverse() } else { self.clone() };
        let alike = |all: UnionMap| -> Result<UnionMap> {
            let list = all.maps().map(|m| union::coalesce_alike(m, b)).collect::<Result<Vec<Map>>>()?;
            Ok(union_of_maps(all.params(), list))
        };
        let pieces = |all: &UnionMap| all.maps().map(|m| m.basics().len()).sum();
        power(&base, k.unsigned_abs(), pieces, |f, g| alike(f.apply_range(g, b)?))
    }

    /// `{ a -> c : a -> x in self, c -> y in o, x << y }`: inputs whose outputs are in lexicographic order, for outputs
    /// of the same tuple. Exact. Cost: two projections and two compositions. Errors: [`Error`](crate::Error).
    pub fn lex_lt(&self, o: &UnionMap, b: &Budget) -> Result<UnionMap> {
        let order = self.range(b)?.lex_lt(&o.range(b)?);
        self.apply_range(&order, b)?.apply_range(&o.reverse(), b)
    }

    /// `{ a -> c : a -> x in self, c -> y in o, x << y or x = y }`, as [`UnionMap::lex_lt`]. Cost: two projections and
    /// two compositions.
    pub fn lex_le(&self, o: &UnionMap, b: &Budget) -> Result<UnionMap> {
        let order = self.range(b)?.lex_le(&o.range(b)?);
        self.apply_range(&order, b)?.apply_range(&o.reverse(), b)
    }

    /// True iff no input has two outputs, of one space or of several. Exact.
    /// Cost: linear where the rows of a single piece fix the outputs, otherwise an inclusion test of the map composed
    /// with its inverse.
    /// Errors: [`Error`](crate::Error).
    pub fn is_single_valued(&self, b: &Budget) -> Result<bool> {
        let range = self.range(b)?.identity();
        self.reverse().apply_range(self, b)?.is_subset(&range, b)
    }

    /// True iff no two inputs share an output. Exact. Cost: that of `is_single_valued` of the inverse. Errors:
    /// [`Error`](crate::Error).
    pub fn is_injective(&self, b: &Budget) -> Result<bool> {
        self.reverse().is_single_valued(b)
    }

    /// True iff it is a one-to-one function. Exact. Cost: that of `is_single_valued`, twice. Errors:
    /// [`Error`](crate::Error).
    pub fn is_bijective(&self, b: &Budget) -> Result<bool> {
        Ok(self.is_single_valued(b)? && self.is_injective(b)?)
    }

    /// The number of outputs of each input, one function per input space. Exact; `None` when some input has infinitely
    /// many.
    /// Cost: pieces are made disjoint, then one polynomial sum per column, each split by pairs of bounds and by
    /// residues: exponential in the number of columns summed. Errors: [`Error`](crate::Error).
    pub fn card(&self, b: &Budget) -> Result<Option<Vec<PwQPoly>>> {
        let mut out: Vec<PwQPoly> = Vec::new();
        for m in self.maps() {
            let Some(c) = m.card(b)? else { return Ok(None) };
            match out.iter_mut().find(|d| d.space().same_tuples(c.space())) {
                Some(d) => *d = d.add(&c, b)?,
                None => out.push(c),
            }
        }
        Ok(Some(out))
    }

    /// A pair of some member, as a map with that pair alone.
    /// Exact. Cost: one feasibility test per piece, up to the first that has a point. Errors: [`Error`](crate::Error).
    pub fn sample(&self, b: &Budget) -> Result<Option<Map>> {
        for m in self.maps() {
            if let Some(x) = m.sample(b)? {
                return Ok(Some(x));
            }
        }
        Ok(None)
    }
}
