//! `&`, `|` and `-` on references: intersection, union and difference, the last without a budget.

use crate::budget::Budget;
use crate::sets::map::Map;
use crate::sets::set::Set;
use crate::sets::union_sets::{UnionMap, UnionSet};
use std::ops::{BitAnd, BitOr, Sub};

macro_rules! operators {
    ($($t:ident)*) => { $(
        impl BitAnd for &$t {
            type Output = $t;

            /// Intersection.
            fn bitand(self, o: &$t) -> $t {
                self.intersect(o)
            }
        }

        impl BitOr for &$t {
            type Output = $t;

            /// Union.
            fn bitor(self, o: &$t) -> $t {
                self.union(o)
            }
        }

        impl Sub for &$t {
            type Output = $t;

            /// Difference. Takes as long as it takes; `subtract` has a budget.
            fn sub(self, o: &$t) -> $t {
                self.subtract(o, &Budget::unlimited()).expect("a difference only fails for want of steps")
            }
        }
    )* };
}
operators!(Set Map UnionSet UnionMap);
