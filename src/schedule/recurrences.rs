//! Recurrences: how long an iteration of a loop of the original waits for the ones before.
//!
//! In:  statements that share their loops, in their order, with how what they write follows from what they read.
//! Out: the largest quotient of cycles and iterations over all cycles of values that flow from iteration to iteration.
//! Source: Rau, MICRO 1994 (iterative modulo scheduling), the bound by recurrences on the initiation interval.

use super::origins::{self, Origin};
use crate::deps::DepKind;
use crate::ids::ArrayId;
use crate::model::{Access, AccessKind, Scop};

/// Most values that are written where recurrences are looked for.
const MAX_WRITTEN: usize = 48;
/// Most pairs of one that is written and one that is read, of one array.
const MAX_PAIRS: usize = 1024;
/// Most iterations between two that one waits for.
const MOST: i128 = 1 << 20;
/// Halvings of the range in which the quotient is looked for.
const HALVINGS: usize = 12;

/// What flows from one iteration to another one, or within one.
struct Flow {
    /// Position of the value that is read.
    from: usize,
    /// Position of the value that is made of it.
    to: usize,
    /// From one to the other, but for the way through memory.
    cycles: f64,
    /// Whether it goes through memory.
    is_stored: bool,
    iterations: f64,
}

impl Flow {
    /// Cycles, where what goes through memory takes `forward` more.
    fn cycles(&self, forward: f64) -> f64 {
        if self.is_stored { self.cycles + forward } else { self.cycles }
    }
}

/// A value that is written, or read.
#[derive(Clone, Copy)]
struct End<'a> {
    /// Position of the statement.
    at: usize,
    access: &'a Access,
}

/// Statements in the innermost of the loops that they share.
pub struct Inner<'a> {
    pub scop: &'a Scop,
    /// In the order in which they run.
    pub stmts: &'a [usize],
    /// Per statement: what it moves along in the innermost loop, by dim.
    pub direction: &'a dyn Fn(usize) -> Vec<i64>,
    /// Whether each iteration has a value of its own of a scalar that this statement reads.
    pub starts_anew: &'a dyn Fn(ArrayId, usize) -> bool,
    /// Whether an array may share memory with others, as far as the compiler knows.
    pub is_shared: &'a dyn Fn(ArrayId) -> bool,
}

impl Inner<'_> {
    /// Cycles that an iteration waits on average, for each of these numbers of cycles that what goes through memory
    /// takes more; `None` where that is not known. What conditions depend on is not waited for.
    #[must_use]
    pub fn wait<const N: usize>(&self, forward: [f64; N]) -> [Option<f64>; N] {
        let written: Vec<End<'_>> = self.ends(false).collect();
        let flows = if written.len() > MAX_WRITTEN { None } else { self.flows(&written) };
        forward.map(|forward| flows.as_ref().map(|flows| bound(flows, written.len(), forward)))
    }

    /// Reads, or writes, of arrays and scalars.
    fn ends(&self, reads: bool) -> impl Iterator<Item = End<'_>> {
        let of = move |(at, s): (usize, &usize)| {
            let accesses = self.scop.stmts[*s].accesses.iter();
            accesses.filter(move |a| (a.kind == AccessKind::Read) == reads).map(move |access| End { at, access })
        };
        self.stmts.iter().enumerate().flat_map(of)
    }

    /// What flows; `None` where that is not known.
    fn flows(&self, written: &[End<'_>]) -> Option<Vec<Flow>> {
        let (mut flows, mut pairs) = (Vec::new(), 0);
        for read in self.ends(true) {
            let links = self.scop.stmts[self.stmts[read.at]].body.links()?;
            let same = |w: &&End<'_>| w.access.array == read.access.array;
            pairs += written.iter().filter(same).count();
            if pairs > MAX_PAIRS {
                return None;
            }
            let far = |w: &End<'_>| self.iterations(w, &read);
            let from = written.iter().enumerate().filter(|(_, w)| same(w));
            let from: Vec<(usize, Option<f64>)> = from.map(|(k, w)| Some((k, far(w)?))).collect::<Option<_>>()?;
            // What is overwritten in between does not arrive.
            let nearest = from.iter().filter_map(|(_, far)| *far).fold(f64::INFINITY, f64::min);
            // Values that are stored for the next iteration stay in registers, where no other array may be in the way.
            let is_held = origins::scalar(self.scop, read.access).is_some()
                || nearest <= 1.0 && !(self.is_shared)(read.access.array);
            for link in links.iter().filter(|link| link.from == read.access.inst) {
                let of = |w: &End<'_>| w.at == read.at && w.access.inst == link.to;
                let Some(to) = written.iter().position(of) else { continue };
                let arrives = from.iter().filter(|(_, far)| *far == Some(nearest));
                let (cycles, is_stored) = (f64::from(link.cycles), !is_held);
                flows.extend(arrives.map(|(from, _)| Flow { from: *from, to, cycles, is_stored, iterations: nearest }));
            }
        }
        Some(flows)
    }

    /// Iterations from one that writes there to the one that reads that (`Some(None)`: no later one); `None` where that
    /// is not known.
    #[allow(clippy::cast_precision_loss)]
    fn iterations(&self, write: &End<'_>, read: &End<'_>) -> Option<Option<f64>> {
        let least = i128::from(write.at >= read.at);
        match origins::between(self.scop, DepKind::Raw, write.access, read.access) {
            Origin::Nothing => return Some(None),
            Origin::Scalar(scalar) => {
                let is_own = least == 1 && (self.starts_anew)(scalar, self.stmts[read.at]);
                return Some((!is_own).then_some(least as f64));
            }
            Origin::Memory => {}
        }
        let (w, r) = (write.access.subscripts()?, read.access.subscripts()?);
        let direction = (self.direction)(self.stmts[write.at]);
        let mut far: Option<i128> = None;
        for (w, r) in w.iter().zip(&r) {
            let (Some((low, w)), Some((own, r))) = (w.split_last(), r.split_last()) else { return None };
            if w != r || w.len() < direction.len() {
                return None;
            }
            let moved = w[w.len() - direction.len()..].iter().zip(&direction);
            let step: i128 = moved.map(|(c, d)| i128::from(*c) * i128::from(*d)).sum();
            let apart = i128::from(*low) - i128::from(*own);
            let steps = match step {
                0 if apart == 0 => continue,
                0 => return Some(None),
                _ if apart % step != 0 => return Some(None),
                _ => apart / step,
            };
            if far.is_some_and(|far| far != steps) {
                return Some(None);
            }
            far = Some(steps);
        }
        // Without a step the element is the same in all iterations.
        let far = far.unwrap_or(least);
        Some((least..=MOST).contains(&far).then_some(far as f64))
    }
}

/// The largest quotient of cycles and iterations over all cycles of flows between so many values.
fn bound(flows: &[Flow], values: usize, forward: f64) -> f64 {
    let (mut low, mut high) = (0.0, flows.iter().map(|f| f.cycles(forward)).sum());
    for _ in 0..HALVINGS {
        let middle = f64::midpoint(low, high);
        if is_exceeded(flows, values, (forward, middle)) { low = middle } else { high = middle }
    }
    high
}

/// Whether some cycle of flows takes more than `each` cycles for each iteration: the longest way from somewhere back to
/// it does not end (Bellman and Ford).
fn is_exceeded(flows: &[Flow], values: usize, (forward, each): (f64, f64)) -> bool {
    let mut way = vec![0.0; values];
    for _ in 0..=values {
        let mut moved = false;
        for f in flows {
            let next = way[f.from] + f.cycles(forward) - each * f.iterations;
            if next > way[f.to] + 1e-6 {
                (way[f.to], moved) = (next, true);
            }
        }
        if !moved {
            return false;
        }
    }
    true
}
