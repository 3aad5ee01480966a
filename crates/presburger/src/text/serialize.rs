//! Values as their text, for `serde`.

use crate::functions::pw::PwAff;
use crate::functions::pw_multi::PwMultiAff;
use crate::functions::qpoly::PwQPoly;
use crate::sets::map::Map;
use crate::sets::set::Set;
use crate::sets::union_sets::{UnionMap, UnionSet};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

macro_rules! as_text {
    ($($t:ident)*) => { $(
        impl Serialize for $t {
            /// The text that `parse` reads.
            fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
                s.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $t {
            fn deserialize<D: Deserializer<'de>>(d: D) -> Result<$t, D::Error> {
                let text = <std::borrow::Cow<'_, str>>::deserialize(d)?;
                $t::parse(&text).map_err(D::Error::custom)
            }
        }
    )* };
}
as_text!(Set Map UnionSet UnionMap PwAff PwMultiAff PwQPoly);
