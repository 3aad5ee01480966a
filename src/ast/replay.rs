//! Debug check of loop generation: the loops run every instance of the tree once, in the order of the tree.
//!
//! In: a SCoP, a schedule tree, the loops made of it. Out: for how many vectors of small parameter values that was
//! found to hold, or the first for which it does not. Enumerates instances and executes the loops; shares no code with
//! the generator. Members to be unrolled and jammed may run groups of consecutive values interleaved: what that allows
//! here is what [`crate::proof`] proves of such members, and no more.

use super::interpret::{self, Instance};
use super::types::Ast;
use crate::model::Scop;
use crate::model::tree::flat::{FlatPiece, TimeDim, flat_schedule};
use crate::model::tree::{Node, lower};
use presburger::{Budget, Dim};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// Most instances of one statement that are enumerated for one vector of parameter values.
pub const MAX_POINTS: usize = 20_000;
/// Values that all parameters take together: empty and short loops, and some that fill several small tiles and begin
/// another one.
const TOGETHER: [i64; 7] = [0, 1, 2, 3, 5, 9, 17];
/// Values that one parameter takes while all others are [`OTHERS`].
const ALONE: [i64; 3] = [1, 4, 11];
const OTHERS: i64 = 6;

/// What one vector of parameter values showed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replay {
    /// The loops run the instances of the tree in its order.
    Agrees,
    /// Not checked: some statement has more than [`MAX_POINTS`] instances, or the loops take more steps than are run,
    /// of which the first ones are right.
    TooLarge,
}

/// Vectors of parameter values by what they showed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// The loops ran as the tree says.
    pub agree: usize,
    /// Not checked: too many instances, or too many steps of the loops.
    pub too_large: usize,
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} vectors of parameter values agree, {} too large to run", self.agree, self.too_large)
    }
}

/// Checks `ast` against `tree` for small parameter values inside the contexts of `scop`, of which there are few: at
/// most 7, and 3 per parameter.
///
/// # Errors
/// What went wrong, with the parameter values and the instance.
pub fn small(scop: &Scop, tree: &Node, ast: &Ast) -> Result<Tally, String> {
    let mut tally = Tally::default();
    for params in samples(scop.params.len()) {
        let contexts = [&scop.contexts.assumed, &scop.contexts.defined];
        if contexts.iter().all(|context| context.contains(&params, &[])) {
            match check(tree, ast, &params)? {
                Replay::Agrees => tally.agree += 1,
                Replay::TooLarge => tally.too_large += 1,
            }
        }
    }
    Ok(tally)
}

/// The vectors that [`small`] tries, each once.
fn samples(params: usize) -> Vec<Vec<i64>> {
    if params == 0 {
        return vec![Vec::new()];
    }
    let mut all: Vec<Vec<i64>> = TOGETHER.iter().map(|&v| vec![v; params]).collect();
    for (k, v) in (0..params).flat_map(|k| ALONE.map(|v| (k, v))) {
        let mut vector = vec![OTHERS; params];
        vector[k] = v;
        if !all.contains(&vector) {
            all.push(vector);
        }
    }
    all
}

/// Executes `ast` for these parameter values, which must lie inside the contexts that it was made for, and compares
/// with `tree`: each instance once, none that the tree does not have, in the order of the tree.
///
/// # Errors
/// What went wrong, with the parameter values and the instance.
pub fn check(tree: &Node, ast: &Ast, params: &[i64]) -> Result<Replay, String> {
    let tree = &*lower::lowered(tree, &Budget::unlimited()).map_err(|e| e.0)?;
    let Some(want) = times(tree, params)? else { return Ok(Replay::TooLarge) };
    let mut left: BTreeSet<&Instance> = want.keys().collect();
    let (ran, is_all) = interpret::beginning(ast, params);
    let mut before: Vec<(&Instance, &Time)> = Vec::with_capacity(ran.len());
    for instance in &ran {
        let Some((instance, time)) = want.get_key_value(instance) else {
            return Err(format!("{params:?}: {instance:?} is not in the domain"));
        };
        if !left.remove(instance) {
            return Err(format!("{params:?}: {instance:?} runs twice"));
        }
        for (k, (other, earlier)) in before.iter().rev().enumerate() {
            if k > 0 && !time.may_interleave(earlier) {
                break;
            }
            if !earlier.may_precede(time) {
                return Err(format!("{params:?}: {instance:?} runs after {other:?}"));
            }
        }
        before.push((instance, time));
    }
    match left.first() {
        _ if !is_all => Ok(Replay::TooLarge),
        Some(missing) => Err(format!("{params:?}: {missing:?} does not run")),
        None => Ok(Replay::Agrees),
    }
}

/// When the tree runs an instance.
pub(crate) struct Time {
    /// Most significant first.
    pub values: Vec<i64>,
    jams: Vec<Jam>,
}

/// A component of the time whose loop may be unrolled and jammed.
#[derive(Clone, Copy)]
struct Jam {
    at: usize,
    /// How far apart values of one group may be.
    slack: i64,
    /// First component that each copy of the body orders by itself: the first one after `at` that is no loop.
    body: usize,
}

impl Time {
    /// Whether an instance of this time may run before one of time `later`.
    ///
    /// Times are compared component by component. One that is greater by less than the factor of a jammed loop may come
    /// first where the loops inside the jammed one, down to its body, put it first. Groups may start anywhere, and
    /// loops need not be jammed in the end: an order that the times give is always allowed.
    fn may_precede(&self, later: &Time) -> bool {
        let mut pairs = self.values.iter().zip(&later.values).enumerate();
        let Some((first, (a, b))) = pairs.find(|(_, (a, b))| a != b) else { return true };
        if a < b {
            return true;
        }
        let Some(outer) = self.jam(first).filter(|jam| a - b <= jam.slack) else { return false };
        for (k, (a, b)) in pairs.take_while(|(k, _)| *k < outer.body) {
            if a != b {
                let jammed = self.jam(k).is_some_and(|jam| (1..=jam.slack).contains(&(a - b)));
                if !jammed {
                    return a < b;
                }
            }
        }
        false
    }

    /// Whether the two agree in all components outside of the outermost jammed loop: only then their order may not be
    /// that of the times.
    fn may_interleave(&self, other: &Time) -> bool {
        let outside = self.jams.first().map_or(0, |jam| jam.at);
        !self.jams.is_empty() && other.values.get(..outside) == self.values.get(..outside)
    }

    fn jam(&self, at: usize) -> Option<&Jam> {
        self.jams.iter().find(|jam| jam.at == at)
    }
}

/// Each instance of a lowered tree with its time; `None` if there are too many to enumerate.
pub(crate) fn times(tree: &Node, params: &[i64]) -> Result<Option<BTreeMap<Instance, Time>>, String> {
    let mut out = BTreeMap::new();
    for (id, pieces) in flat_schedule(tree) {
        for piece in pieces {
            let jams = jams_of(&piece);
            let domain = params.iter().enumerate().fold(piece.domain.clone(), |d, (k, &v)| d.fix(Dim::Param, k, v));
            let Ok(points) = domain.points(MAX_POINTS) else { return Ok(None) };
            for point in points {
                let dims = &point[params.len()..];
                let value = |t: &TimeDim| match t {
                    TimeDim::Seq(v) | TimeDim::Any(v) => Some(*v),
                    TimeDim::Aff(a) => a.eval(params, dims),
                };
                let values: Option<Vec<i64>> = piece.time.iter().map(value).collect();
                let values = values.ok_or_else(|| format!("{params:?}: the time of {id}{dims:?} leaves i64"))?;
                if out.insert((id, dims.to_vec()), Time { values, jams: jams.clone() }).is_some() {
                    return Err(format!("{params:?}: {id}{dims:?} is scheduled twice"));
                }
            }
        }
    }
    Ok(Some(out))
}

/// The jammed components of a piece, outermost first.
fn jams_of(piece: &FlatPiece) -> Vec<Jam> {
    let body = |k: usize| {
        let inside = piece.time.iter().enumerate().skip(k + 1);
        inside.into_iter().find(|(_, t)| !matches!(t, TimeDim::Aff(_))).map_or(piece.time.len(), |(at, _)| at)
    };
    let jams = piece.jams.iter().filter(|(_, factor)| *factor > 1);
    jams.map(|&(at, factor)| Jam { at, slack: i64::from(factor) - 1, body: body(at) }).collect()
}
