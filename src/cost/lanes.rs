//! Jammed iterations as lanes of vectors ([`crate::ast::lanes`]): what a block of as many iterations as there are lanes
//! takes.

use super::nest::{GATHERED, SCATTERED, lanes};
use super::refs::{ITERATION, LOAD, STORE, overlapped, to_f64};
use super::remainders::Remainder;
use super::{Facts, Machine, Nest, Reference};

/// Lanes of a vector at most: a block of twice as many rows fills all registers that there are.
const MOST_LANES: f64 = 8.0;
/// Lanes below which a vector does not pay for what changes places.
const LEAST_LANES: f64 = 4.0;
/// Cycles of one of the steps, as many as the number of lanes has bits, in which a row of a block changes places with
/// other rows.
const EXCHANGE: f64 = 1.0;

/// How the elements lie that a reference touches in a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    /// The same for all lanes.
    Same,
    /// Those of neighbouring lanes side by side, the same in all iterations.
    Resting,
    /// Those of neighbouring lanes side by side.
    Beside,
    /// Those of neighbouring iterations side by side.
    Along,
    /// Apart, the same in all iterations.
    Apart,
}

/// As many lanes as vectors of these statements have; `None` where they are too few.
#[must_use]
pub fn width(stmts: &[usize], facts: &[Facts], machine: &Machine) -> Option<u32> {
    let of = stmts.iter().map(|s| lanes(&facts[*s], machine)).fold(MOST_LANES, f64::min);
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    (of >= LEAST_LANES).then_some(of as u32)
}

impl Nest {
    fn shape_in_lanes(&self, r: &Reference, at: usize) -> Option<Shape> {
        let [.., around, inner] = self.loops.as_slice() else { return None };
        let steps = |of: &[f64]| (0..r.subscripts.len()).map(|k| r.step(k, of)).collect::<Vec<f64>>();
        let (lane, iteration) = (steps(&around.directions[at]), steps(&inner.directions[at]));
        let is_zero = |of: &[f64]| of.iter().all(|c| *c == 0.0);
        let last = |of: &[f64]| of.split_last().filter(|(_, rows)| is_zero(rows)).map_or(0.0, |(last, _)| *last);
        let is_divided = || [around, inner].iter().any(|l| r.is_divided(&l.directions[at]));
        match () {
            () if r.irregular || is_divided() || !(r.elem_bytes == 4.0 || r.elem_bytes == 8.0) => None,
            () if is_zero(&lane) => Some(Shape::Same).filter(|_| !r.writes),
            () if last(&lane) == 1.0 && is_zero(&iteration) => Some(Shape::Resting),
            () if last(&lane) == 1.0 => Some(Shape::Beside),
            () if last(&iteration).abs() == 1.0 => Some(Shape::Along),
            () if is_zero(&iteration) => Some(Shape::Apart),
            () => None,
        }
    }

    /// Whether blocks of lanes can run, and have to do with rows that lie along the innermost loop: else vectors need
    /// no blocks.
    #[must_use]
    pub fn may_run_in_lanes(&self, facts: &[Facts]) -> bool {
        let Some(around) = self.loops.len().checked_sub(2) else { return false };
        let mut has_rows = false;
        for (at, &s) in self.stmts.iter().enumerate() {
            let own = &facts[s];
            if !own.ops.in_lanes || self.free[at].get(around) != Some(&true) {
                return false;
            }
            let asks = |r: &Remainder| self.loops[around..].iter().any(|l| r.moves(&l.directions[at]));
            if own.remainders.iter().any(asks) {
                return false;
            }
            for r in &own.refs {
                let Some(shape) = self.shape_in_lanes(r, at) else { return false };
                has_rows |= shape == Shape::Along;
            }
        }
        has_rows && !self.writes_apart(facts)
    }

    /// Whether an array that is written is walked through in different ways.
    fn writes_apart(&self, facts: &[Facts]) -> bool {
        let all = || {
            let of = |(at, s): (usize, &usize)| facts[*s].refs.iter().map(move |r| (at, r)).collect::<Vec<_>>();
            self.stmts.iter().enumerate().flat_map(of)
        };
        let alike = |(at, r): (usize, &Reference), (of, w): (usize, &Reference)| {
            let inner = &self.loops[self.loops.len() - 2..];
            let step = |l: &super::Loop, k: usize| r.step(k, &l.directions[at]) == w.step(k, &l.directions[of]);
            let same = r.subscripts.len() == w.subscripts.len()
                && inner.iter().all(|l| (0..r.subscripts.len()).all(|k| step(l, k)));
            let moves = |k: usize| inner[1].directions[at].iter().zip(&r.subscripts[k]).any(|(d, c)| d * c != 0.0);
            same && (0..r.subscripts.len()).all(|k| r.spread[k] == 0.0 || moves(k))
        };
        all().filter(|(_, w)| w.writes).any(|w| all().any(|r| r.1.array == w.1.array && !alike(r, w)))
    }

    /// Cycles of one iteration of a statement in one lane.
    pub(super) fn cycles_in_lanes(&self, all: &[Facts], at: usize, machine: &Machine) -> Option<f64> {
        let (own, inner) = (&all[self.stmts[at]], self.loops.last()?);
        let exchange = EXCHANGE * self.lanes.log2();
        let vectors = self.jam.iter().product::<f64>() / self.lanes;
        let mut slots = ITERATION / (self.lanes * self.lanes * vectors);
        for r in &own.refs {
            let shape = self.shape_in_lanes(r, at)?;
            #[allow(clippy::cast_precision_loss)]
            let reads = match shape {
                _ if !r.reads => 0.0,
                Shape::Along if r.writes => {
                    if r.reads_ahead(&inner.directions[at]) {
                        1.0
                    } else {
                        0.0
                    }
                }
                _ => r.count as f64,
            };
            let writes = if r.writes { 1.0 } else { 0.0 };
            slots += match shape {
                Shape::Same => LOAD * reads / (self.lanes * vectors),
                Shape::Resting => (LOAD * reads + STORE * writes) / (self.lanes * self.lanes),
                Shape::Beside => (LOAD * reads + STORE * writes) / self.lanes,
                Shape::Along => ((LOAD + exchange) * reads + (STORE + exchange) * writes) / self.lanes,
                Shape::Apart => (GATHERED * reads + SCATTERED * writes) / self.lanes,
            };
        }
        let whole = lanes(own, machine) / self.lanes;
        let in_vectors = overlapped(slots, own.vector_cycles() * whole.max(1.0));
        // What is left behind the last block runs as it is, half a block on average.
        let trips = inner.trips[at];
        let left = match trips % self.lanes {
            0.0 => 0.0,
            left if self.has_rests => left / trips,
            _ => ((self.lanes - 1.0) / 2.0 / trips).min(1.0),
        };
        let alone = overlapped(self.slots(all, at, inner, 1.0), own.scalar_cycles());
        Some((1.0 - left) * in_vectors + left * alone)
    }

    /// Vector registers that a block keeps busy.
    pub(super) fn registers_of_lanes(&self, facts: &[Facts]) -> f64 {
        let (mut reads, mut writes, mut others) = (0, 0, 0);
        for (at, r) in self.references(facts) {
            if self.shape_in_lanes(r, at) == Some(Shape::Along) {
                reads += i64::from(r.reads);
                writes += i64::from(r.writes);
            } else {
                others += 1;
            }
        }
        self.jam.iter().product::<f64>() * to_f64(reads.max(writes)) + to_f64(others)
    }
}
