//! Direction and distance vectors over the loops that source and destination share in the original order.
//! Vocabulary: Allen, Kennedy, Optimizing Compilers for Modern Architectures, 2001, section 2.2.

use super::Dep;
use super::compute::limit;
use crate::deps::pair::Columns;
use crate::error::Failure;
use crate::model::Scop;
use crate::model::tree::flat::{TimeDim, flat_schedule};
use presburger::rows::{Conjunction, difference, place_aff};
use presburger::{Aff, BasicMap, Bound, Budget};
use std::fmt;

/// Distance `dst - src` in one shared loop, over all pairs of one piece of a dependence and all parameter values, also
/// those outside of the context (whose bounds on machine integers would turn "any distance" into a number).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Component {
    /// Smallest distance; `None`: there is none.
    pub min: Option<i64>,
    /// Largest distance; `None`: there is none.
    pub max: Option<i64>,
}

/// One component per shared loop, outermost first.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Vector(pub Vec<Component>);

impl Component {
    /// Direction: `<` later iteration, `=` same, `>` earlier, `<=` and `>=` unions of these, `*` any.
    /// Over-approximate in one point: distances between `min` and `max` count as possible.
    #[must_use]
    pub fn direction(self) -> &'static str {
        match (self.min, self.max) {
            (Some(0), Some(0)) => "=",
            (Some(min), _) if min > 0 => "<",
            (_, Some(max)) if max < 0 => ">",
            (Some(0), _) => "<=",
            (_, Some(0)) => ">=",
            _ => "*",
        }
    }

    /// The distance, if all pairs have the same.
    #[must_use]
    pub fn constant(self) -> Option<i64> {
        if self.min == self.max { self.min } else { None }
    }
}

impl Vector {
    /// The smallest distance in each loop, if each has one: the field's dependence vector of a uniform dependence.
    #[must_use]
    pub fn smallest(&self) -> Option<Vec<i64>> {
        self.0.iter().map(|c| c.min).collect()
    }
}

impl fmt::Display for Component {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.min, self.max) {
            (Some(min), Some(max)) if min == max => write!(f, "{min}"),
            (Some(min), Some(max)) => write!(f, "{min}..{max}"),
            (Some(min), None) => write!(f, "{min}+"),
            (None, Some(max)) => write!(f, "{max}-"),
            (None, None) => f.write_str("*"),
        }
    }
}

/// `direction (=, <), distance (0, 1+)`: `1+` is 1 or more, `1-` is 1 or less, `0..2` from 0 to 2.
impl fmt::Display for Vector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let directions: Vec<&str> = self.0.iter().map(|c| c.direction()).collect();
        let distances: Vec<String> = self.0.iter().map(ToString::to_string).collect();
        write!(f, "direction ({}), distance ({})", directions.join(", "), distances.join(", "))
    }
}

/// The vectors of a dependence, one per piece, each once, smallest first. Exact bounds over the integers.
///
/// # Errors
/// `Limit` when the budget is spent or a coefficient leaves i64.
pub fn vectors(scop: &Scop, dep: &Dep, budget: &Budget) -> Result<Vec<Vector>, Failure> {
    let flat = flat_schedule(&scop.schedule);
    let mut found = Vec::new();
    for src in flat.get(&dep.src).into_iter().flatten() {
        for dst in flat.get(&dep.dst).into_iter().flatten() {
            let loops = shared_loops(&src.time, &dst.time);
            for basic in dep.relation.basics() {
                found.push(vector_of(basic, &loops, budget)?);
            }
        }
    }
    found.sort();
    found.dedup();
    Ok(found)
}

fn shared_loops<'a>(src: &'a [TimeDim], dst: &'a [TimeDim]) -> Vec<(&'a Aff, &'a Aff)> {
    let mut loops = Vec::new();
    for pair in src.iter().zip(dst) {
        match pair {
            (TimeDim::Aff(a), TimeDim::Aff(b)) => loops.push((a, b)),
            (TimeDim::Seq(a), TimeDim::Seq(b)) | (TimeDim::Any(a), TimeDim::Any(b)) if a == b => {}
            _ => break,
        }
    }
    loops
}

fn vector_of(basic: &BasicMap, loops: &[(&Aff, &Aff)], budget: &Budget) -> Result<Vector, Failure> {
    let space = basic.space();
    let columns = Columns { params: space.n_param(), src: space.n_in(), dst: space.n_out() };
    let mut components = Vec::with_capacity(loops.len());
    for (from, to) in loops {
        let mut poly = Conjunction::from_basic_map(basic).map_err(limit)?;
        poly.forget_parameters(columns.params);
        let from = place_aff(&mut poly, from, columns.src_slot()).map_err(limit)?;
        let to = place_aff(&mut poly, to, columns.dst_slot()).map_err(limit)?;
        let distance = poly.reduce(&difference(&to, &from).map_err(limit)?).map_err(limit)?;
        if distance.len() == 1 {
            components.push(Component { min: Some(distance[0]), max: Some(distance[0]) });
            continue;
        }
        let (set, row) = poly.to_set_with(&distance);
        let value = Aff::from_row(set.space(), &row);
        let bound = |b: Bound| if let Bound::Value(v) = b { Some(v) } else { None };
        let min = bound(set.min_of(&value, budget).map_err(limit)?);
        let max = bound(set.max_of(&value, budget).map_err(limit)?);
        components.push(Component { min, max });
    }
    Ok(Vector(components))
}
