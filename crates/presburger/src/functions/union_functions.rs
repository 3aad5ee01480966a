//! Union-piecewise functions: piecewise functions on several spaces together, keyed by tuple name and size.
//! A unary operation works on each member; a binary one on each pair of members of the same (or of meeting) spaces.

use crate::budget::{Budget, Result};
use crate::functions::pw::PwAff;
use crate::functions::pw_multi::PwMultiAff;
use crate::sets::set::Set;
use crate::sets::space::{Space, union_params};
use crate::sets::union_sets::{Key, UnionMap, UnionSet, key, members_over_params};
use crate::text::parse::{self, ParseError};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A piecewise quasi-affine function on points of several spaces; keyed by (tuple name, size) of the argument.
/// Equality and hash are those of [`PwAff`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct UnionPwAff {
    params: Arc<[Arc<str>]>,
    members: BTreeMap<Key, PwAff>,
}

/// A piecewise function into tuples on points of several spaces; keyed by (argument, value) name and size.
/// Equality and hash are those of [`PwMultiAff`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct UnionPwMultiAff {
    params: Arc<[Arc<str>]>,
    members: BTreeMap<(Key, Key), PwMultiAff>,
}

fn aff_key(f: &PwAff) -> Key {
    key(&f.space().output)
}

fn multi_key(f: &PwMultiAff) -> (Key, Key) {
    (f.space().input.as_ref().map(key).unwrap_or_default(), key(&f.space().output))
}

macro_rules! shared_methods {
    ($t:ident, $member:ident, $key:path, $parse:path) => {
        members_over_params!(
            $t,
            $parse,
            "The function undefined everywhere.",
            "Reads isl's notation; the parts may be of different spaces. Where domains overlap the first one counts.",
            |f, params| f.over_params(&params)
        );

        impl $t {
            /// The functions, one per space.
            pub fn members(&self) -> impl Iterator<Item = &$member> {
                self.members.values()
            }

            /// Adds `f` where the function of its space is not defined yet. Errors: [`Error`](crate::Error).
            /// Exact. Cost: a difference of domains.
            pub fn insert(&mut self, f: $member, b: &Budget) -> Result<()> {
                self.align(&f.space().params);
                let f = f.over_params(&self.params);
                let k = $key(&f);
                let sum = match self.members.get(&k) {
                    Some(g) => g.or_else(&f, b)?,
                    None => f,
                };
                self.members.insert(k, sum);
                Ok(())
            }

            fn aligned(&self, o: &$t) -> ($t, $t) {
                let (mut p, mut q) = (self.clone(), o.clone());
                p.align(&q.params);
                q.align(&p.params);
                // The second alignment may order parameters differently: `p` decides.
                for f in q.members.values_mut() {
                    *f = f.over_params(&p.params);
                }
                q.params = p.params.clone();
                (p, q)
            }

            /// `f` of each pair of members of the same space; members without a partner are dropped.
            fn matched(&self, o: &$t, f: impl Fn(&$member, &$member) -> Result<$member>) -> Result<$t> {
                let (p, q) = self.aligned(o);
                let mut out = p.like();
                for (k, x) in &p.members {
                    if let Some(y) = q.members.get(k) {
                        out.members.insert(k.clone(), f(x, y)?);
                    }
                }
                Ok(out)
            }

            /// `f` of each pair of members of the same space; members without a partner are kept.
            fn merged(&self, o: &$t, f: impl Fn(&$member, &$member) -> Result<$member>) -> Result<$t> {
                let (mut p, q) = self.aligned(o);
                for (k, y) in q.members {
                    let sum = match p.members.get(&k) {
                        Some(x) => f(x, &y)?,
                        None => y,
                    };
                    p.members.insert(k, sum);
                }
                Ok(p)
            }

            /// Sum, where both are defined, space by space. Errors: [`Error`](crate::Error), here and below from the
            /// tests of domains.
            /// Exact. Cost: a feasibility test of each piece of one operand with each of the other.
            pub fn add(&self, o: &$t, b: &Budget) -> Result<$t> {
                self.matched(o, |x, y| x.add(y, b))
            }

            /// Difference, where both are defined, space by space.
            /// Exact. Cost: a feasibility test of each piece of one operand with each of the other. Errors:
            /// [`Error`](crate::Error).
            pub fn sub(&self, o: &$t, b: &Budget) -> Result<$t> {
                self.matched(o, |x, y| x.sub(y, b))
            }

            /// `k` times the function.
            pub fn scale(&self, k: i64) -> $t {
                let members = self.members.iter().map(|(key, f)| (key.clone(), f.scale(k))).collect();
                $t { params: self.params.clone(), members }
            }

            /// Where both are defined, `self + o`; elsewhere whichever is.
            /// Exact. Cost: that of the sum and two differences of domains. Errors: [`Error`](crate::Error).
            pub fn union_add(&self, o: &$t, b: &Budget) -> Result<$t> {
                self.merged(o, |x, y| x.union_add(y, b))
            }

            /// Where both are defined, `self`; elsewhere whichever is.
            /// Exact. Cost: a difference of the domains. Errors: [`Error`](crate::Error).
            pub fn or_else(&self, o: &$t, b: &Budget) -> Result<$t> {
                self.merged(o, |x, y| x.or_else(y, b))
            }

            /// Where the function is defined.
            pub fn domain(&self) -> UnionSet {
                let mut out = UnionSet::empty(&self.params.iter().map(|p| &**p).collect::<Vec<_>>());
                for f in self.members.values() {
                    out.add(f.domain());
                }
                out
            }

            /// The function where its argument lies in `dom`, undefined elsewhere.
            pub fn intersect_domain(&self, dom: &UnionSet) -> $t {
                let mut out = self.like();
                for (k, f) in &self.members {
                    let own = f.domain();
                    if let Some(d) = dom.sets().find(|s| s.space().same_tuples(own.space())) {
                        out.align(&d.space().params);
                        out.members.insert(k.clone(), f.intersect_domain(d));
                    }
                }
                out.realigned()
            }

            fn realigned(mut self) -> $t {
                for f in self.members.values_mut() {
                    *f = f.over_params(&self.params);
                }
                self
            }

            /// Composition: `x` to `self(inner(x))`, for members that meet. Exact.
            /// Cost: a projection of each piece of one operand with each of the other. Errors: [`Error`](crate::Error).
            pub fn pullback(&self, inner: &UnionPwMultiAff, b: &Budget) -> Result<$t> {
                let mut out = self.like();
                for f in self.members.values() {
                    for g in inner.members.values() {
                        if f.domain().space().output == g.space().output {
                            out.insert(f.pullback(g, b)?, b)?;
                        }
                    }
                }
                Ok(out)
            }

            /// Pieces with the same function joined, empty ones dropped, domains coalesced.
            /// Exact. Cost: a linear program per row and a feasibility test per piece, then a few of both per pair of
            /// pieces. Errors:
            /// [`Error`](crate::Error).
            pub fn coalesce(&self, b: &Budget) -> Result<$t> {
                let mut out = self.like();
                for (k, f) in &self.members {
                    let f = f.coalesce(b)?;
                    if f.pieces().next().is_some() {
                        out.members.insert(k.clone(), f);
                    }
                }
                Ok(out)
            }

            /// Its graph.
            pub fn to_map(&self) -> UnionMap {
                let mut out = UnionMap::empty(&self.params.iter().map(|p| &**p).collect::<Vec<_>>());
                for f in self.members.values() {
                    out.add(f.to_map());
                }
                out
            }

            /// True iff both are defined at the same points with the same values. Exact.
            /// Cost: two inclusion tests. Errors: [`Error`](crate::Error).
            pub fn is_equal(&self, o: &$t, b: &Budget) -> Result<bool> {
                self.to_map().is_equal(&o.to_map(), b)
            }
        }

        impl From<$member> for $t {
            fn from(f: $member) -> $t {
                let params = f.space().params.clone();
                $t { params, members: BTreeMap::from([($key(&f), f)]) }
            }
        }
    };
}
shared_methods!(UnionPwAff, PwAff, aff_key, parse::union_pw_aff);
shared_methods!(UnionPwMultiAff, PwMultiAff, multi_key, parse::union_pw_multi_aff);

impl UnionPwAff {
    /// The function on points with this tuple.
    pub fn get(&self, tuple: &str, n: usize) -> Option<&PwAff> {
        self.members.get(&(tuple.to_string(), n))
    }

    /// The function whose graph is `m`, a single-valued map to unnamed one-tuples; other members are left out.
    /// Errors: [`Error`](crate::Error), also when a coefficient does not fit `i64`.
    /// Exact. Cost: a linear pass where the rows fix the outputs, otherwise that of the smallest output.
    pub fn from_map(m: &UnionMap, b: &Budget) -> Result<UnionPwAff> {
        let mut out = UnionPwAff { params: Arc::from(m.params()), members: BTreeMap::new() };
        for m in m.maps().filter(|m| m.space().n_out() == 1 && m.space().output.signature().is_empty()) {
            out.insert(PwAff::from_map(m, b)?, b)?;
        }
        Ok(out)
    }

    /// Where both are defined, the smaller value; elsewhere whichever is.
    /// Exact. Cost: that of the smaller value and two differences of domains. Errors: [`Error`](crate::Error).
    pub fn union_min(&self, o: &UnionPwAff, b: &Budget) -> Result<UnionPwAff> {
        self.merged(o, |x, y| x.union_min(y, b))
    }

    /// Where both are defined, the larger value; elsewhere whichever is.
    /// Exact. Cost: that of the larger value and two differences of domains. Errors: [`Error`](crate::Error).
    pub fn union_max(&self, o: &UnionPwAff, b: &Budget) -> Result<UnionPwAff> {
        self.merged(o, |x, y| x.union_max(y, b))
    }

    /// Floor of the function divided by `d != 0`.
    pub fn floor_div(&self, d: i64) -> UnionPwAff {
        let members = self.members.iter().map(|(k, f)| (k.clone(), f.floor_div(d))).collect();
        UnionPwAff { params: self.params.clone(), members }
    }

    /// Remainder in `0..d` for `d > 0`.
    pub fn modulo(&self, d: i64) -> UnionPwAff {
        let members = self.members.iter().map(|(k, f)| (k.clone(), f.modulo(d))).collect();
        UnionPwAff { params: self.params.clone(), members }
    }

    fn compared(&self, o: &UnionPwAff, f: impl Fn(&PwAff, &PwAff) -> Set) -> UnionSet {
        let (p, q) = self.aligned(o);
        let mut out = UnionSet::empty(&p.params.iter().map(|p| &**p).collect::<Vec<_>>());
        for (k, x) in &p.members {
            if let Some(y) = q.members.get(k) {
                out.add(f(x, y));
            }
        }
        out
    }

    /// `{ x : self(x) = o(x) }`; here and below where both are defined.
    pub fn eq_set(&self, o: &UnionPwAff) -> UnionSet {
        self.compared(o, PwAff::eq_set)
    }

    /// `{ x : self(x) >= o(x) }`
    pub fn ge_set(&self, o: &UnionPwAff) -> UnionSet {
        self.compared(o, PwAff::ge_set)
    }

    /// `{ x : self(x) < o(x) }`
    pub fn lt_set(&self, o: &UnionPwAff) -> UnionSet {
        self.compared(o, PwAff::lt_set)
    }
}

impl UnionPwMultiAff {
    /// The function from points with one tuple to points with another.
    pub fn get(&self, from: (&str, usize), to: (&str, usize)) -> Option<&PwMultiAff> {
        self.members.get(&((from.0.to_string(), from.1), (to.0.to_string(), to.1)))
    }

    /// The function whose graph is `m`, whose members must be single-valued. Errors: [`Error`](crate::Error), also when
    /// a coefficient does not fit `i64`. Exact. Cost: a linear pass where the rows fix the outputs, otherwise that of
    /// the smallest output.
    pub fn from_map(m: &UnionMap, b: &Budget) -> Result<UnionPwMultiAff> {
        let mut out = UnionPwMultiAff { params: Arc::from(m.params()), members: BTreeMap::new() };
        for m in m.maps() {
            out.insert(PwMultiAff::from_map(m, b)?, b)?;
        }
        Ok(out)
    }

    /// `{ x -> x }` on points of a union.
    pub fn identity(dom: &UnionSet) -> UnionPwMultiAff {
        let mut out = UnionPwMultiAff { params: Arc::from(dom.params()), members: BTreeMap::new() };
        for s in dom.sets() {
            let f = PwMultiAff::identity(s.space()).intersect_domain(s);
            out.members.insert(multi_key(&f), f);
        }
        out
    }
}
