//! Equality and hashes of conjunctions, unions and piecewise functions: those of their rows and pieces, in any order.

use crate::functions::pw::PwAff;
use crate::functions::pw_multi::PwMultiAff;
use crate::functions::qpoly::PwQPoly;
use crate::num::Int;
use crate::sets::basic::Basic;
use crate::sets::map::Map;
use crate::sets::rational::RationalSet;
use crate::sets::set::Set;
use crate::system::body::Body;
use crate::system::sys::Sys;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Whether two lists hold the same things equally often.
pub(crate) fn same_in_any_order<T: Eq>(a: &[T], b: &[T]) -> bool {
    let times = |list: &[T], x: &T| list.iter().filter(|y| *y == x).count();
    a == b || (a.len() == b.len() && a.iter().all(|x| times(a, x) == times(b, x)))
}

/// A hash that does not depend on the order of a list.
pub(crate) fn hash_in_any_order<T: Hash, H: Hasher>(list: &[T], state: &mut H) {
    let own = |x: &T| {
        let mut hasher = DefaultHasher::new();
        x.hash(&mut hasher);
        hasher.finish()
    };
    list.len().hash(state);
    list.iter().map(own).fold(0_u64, u64::wrapping_add).hash(state);
}

/// The numbers of existentials, and the rows of both kinds in an order of their own.
fn in_order<T: Int>(s: &Sys<T>) -> (usize, [Vec<&[T]>; 2]) {
    let rows = [&s.eq, &s.ge].map(|rows| {
        let mut rows: Vec<&[T]> = rows.rows().collect();
        rows.sort_unstable();
        rows
    });
    (s.e, rows)
}

impl PartialEq for Basic {
    fn eq(&self, other: &Basic) -> bool {
        let same_rows = || match (&self.body, &other.body) {
            (Body::Small(a), Body::Small(b)) => in_order(a) == in_order(b),
            (Body::Big(a), Body::Big(b)) => in_order(a) == in_order(b),
            _ => false,
        };
        self.space == other.space && (self.body == other.body || same_rows())
    }
}

impl Eq for Basic {}

impl Hash for Basic {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.space.hash(state);
        match &self.body {
            Body::Small(s) => in_order(s).hash(state),
            Body::Big(s) => in_order(s).hash(state),
        }
    }
}

/// Equality and hash of a type by its space and its pieces.
macro_rules! equal_by_pieces {
    ($($t:ident: |$x:ident| $space:expr, $pieces:expr;)*) => {
        $(
            impl PartialEq for $t {
                fn eq(&self, other: &$t) -> bool {
                    let (space, pieces) = {
                        let $x = self;
                        ($space, $pieces)
                    };
                    let $x = other;
                    space == $space && same_in_any_order(pieces, $pieces)
                }
            }

            impl Eq for $t {}

            impl Hash for $t {
                fn hash<H: Hasher>(&self, state: &mut H) {
                    let $x = self;
                    $space.hash(state);
                    hash_in_any_order($pieces, state);
                }
            }
        )*
    };
}

equal_by_pieces! {
    Set: |x| x.space(), &x.basics;
    Map: |x| x.space(), &x.basics;
    PwAff: |x| &x.space, &x.pieces;
    PwMultiAff: |x| &x.space, &x.pieces;
    PwQPoly: |x| &x.space, &x.pieces;
    RationalSet: |x| &x.params, &x.pieces;
}
