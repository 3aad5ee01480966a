//! Estimated run time of an order of loops: what decides loop order, tile sizes, and whether new code is made at all.
//!
//! In:  [`Nest`]s: statements that share one innermost loop, with their loops outermost first.
//! Out: cycles on one core; only ratios between orders of the same SCoP mean something.
//!
//! Three terms. Work: cycles per innermost iteration, by whether the innermost loop can be vectorized (nothing carried, strides
//! 0 or 1) or waits for a result of its previous iteration. Traffic: cache lines moved into each cache, by footprints: a reuse
//! carried by a loop hits iff one iteration of that loop fits the cache. Overhead: entries of loops.
//! Approximate on purpose; unknown parameters count as large. Nothing here decides legality.
//! Source of the traffic model: Wolf, Lam, PLDI 1991 (reuse and locality by loop).

use super::Machine;
use super::{Facts, Reference};

/// Bytes of a cache line.
const LINE_BYTES: f64 = 64.0;
/// Part of a cache that one nest can count on.
const USABLE: f64 = 0.75;
/// Cycles to wait for a result that the next iteration needs: floating-point add, kept in a register.
const LATENCY_REGISTER: f64 = 4.0;
/// The same through memory.
const LATENCY_MEMORY: f64 = 9.0;
/// Cycles per entry of a vectorized innermost loop: checks, prologue, remainder.
const ENTRY_VECTOR: f64 = 14.0;
/// Cycles per entry of any other loop.
const ENTRY_SCALAR: f64 = 4.0;
/// Cycles per line from L2, L3, memory: in sequence, and at large strides.
const LINE_CYCLES: [(f64, f64); 3] = [(2.0, 5.0), (5.0, 16.0), (24.0, 60.0)];
/// Part of the smaller of work and traffic that the larger does not hide.
const OVERLAP: f64 = 0.25;

/// One loop around a nest's statements; vectors are per statement of the nest.
#[derive(Clone, Debug)]
pub struct Loop {
    /// Change of the statement's dims in one iteration.
    pub directions: Vec<Vec<f64>>,
    /// Number of iterations.
    pub trips: Vec<f64>,
}

/// Statements that share all their loops.
#[derive(Clone, Debug)]
pub struct Nest {
    /// Statement positions.
    pub stmts: Vec<usize>,
    /// Outermost first.
    pub loops: Vec<Loop>,
    /// Per statement: what the innermost loop carries.
    pub carry: Vec<Carry>,
    /// Copies made by unroll-and-jam of each loop, 1 for none; same length as `loops`.
    pub jam: Vec<f64>,
}

/// Dependences between iterations of an innermost loop, weakest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Carry {
    /// None.
    Nothing,
    /// Between some iterations: forbids vectors, but iterations overlap.
    Some,
    /// Each iteration needs a result of one shortly before.
    Chain,
}

/// How the innermost loop runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Can be vectorized.
    Vector,
    /// Independent iterations with strided accesses.
    Strided,
    /// Each iteration waits for the one before.
    Serial,
}

impl Nest {
    /// Instances of a statement, by position in the nest.
    fn instances(&self, at: usize) -> f64 {
        self.loops.iter().map(|l| l.trips[at]).product()
    }

    /// How the innermost loop runs for one statement, by position in the nest.
    #[must_use]
    pub fn shape(&self, at: usize, facts: &[Facts]) -> Shape {
        let Some(inner) = self.loops.last().filter(|_| self.carry[at] == Carry::Nothing) else {
            return Shape::Serial;
        };
        let unit = |r: &Reference| {
            let stride = r.stride_bytes(&inner.directions[at]).abs();
            !r.irregular && ((stride == 0.0 && !r.writes) || stride == r.elem_bytes)
        };
        if facts[self.stmts[at]].refs.iter().all(unit) { Shape::Vector } else { Shape::Strided }
    }

    /// Whether the statement with most instances can be vectorized.
    #[must_use]
    pub fn is_vector(&self, facts: &[Facts]) -> bool {
        let heaviest = (0..self.stmts.len()).max_by(|&a, &b| self.instances(a).total_cmp(&self.instances(b)));
        heaviest.is_some_and(|at| self.shape(at, facts) == Shape::Vector)
    }

    /// Cycles of arithmetic, loads and stores that hit.
    fn work(&self, facts: &[Facts], machine: &Machine) -> f64 {
        let mut cycles = 0.0;
        for (at, &s) in self.stmts.iter().enumerate() {
            let per_iteration = match (self.shape(at, facts), self.loops.last()) {
                (_, None) => 4.0,
                (Shape::Vector, Some(inner)) => self.vector_iteration(&facts[s], at, inner, machine),
                (Shape::Strided, Some(_)) => 0.5 * to_f64(facts[s].loads + facts[s].stores) + 0.5,
                (Shape::Serial, Some(inner)) => self.serial_iteration(&facts[s], at, inner),
            };
            cycles += per_iteration * self.instances(at);
        }
        cycles
    }

    /// Copies of an iteration, made by unroll-and-jam, that share one element of `r`.
    fn shared(&self, r: &Reference, at: usize) -> f64 {
        let same = |(l, _): &(&Loop, &f64)| r.stride_bytes(&l.directions[at]) == 0.0;
        self.loops.iter().zip(&self.jam).filter(same).map(|(_, j)| *j).product()
    }

    /// Issue slots of the accesses that move with the innermost loop, per copy.
    fn slots(&self, facts: &Facts, at: usize, inner: &Loop) -> f64 {
        let mut slots = 0.5;
        for r in facts.refs.iter().filter(|r| r.stride_bytes(&inner.directions[at]) != 0.0) {
            let each = if r.writes { 1.0 } else { 0.0 } + if r.reads { 0.5 * to_f64(r.count) } else { 0.0 };
            slots += each / self.shared(r, at);
        }
        slots
    }

    /// Cycles of one iteration inside vectors.
    fn vector_iteration(&self, facts: &Facts, at: usize, inner: &Loop, machine: &Machine) -> f64 {
        let bytes = facts.refs.iter().map(|r| r.elem_bytes).fold(4.0, f64::max);
        let lanes = (f64::from(machine.vector_bits) / 8.0 / bytes).max(1.0);
        self.slots(facts, at, inner) / lanes
    }

    /// Cycles of one iteration that waits for the previous one; copies of jammed loops wait side by side.
    fn serial_iteration(&self, facts: &Facts, at: usize, inner: &Loop) -> f64 {
        let in_place = |r: &Reference| r.writes && r.stride_bytes(&inner.directions[at]) == 0.0;
        let latency = match self.carry[at] {
            _ if facts.refs.iter().any(in_place) => LATENCY_REGISTER,
            Carry::Chain => LATENCY_MEMORY,
            Carry::Some | Carry::Nothing => 1.0,
        };
        let side_by_side: f64 = self.jam.iter().product();
        (latency / side_by_side).max(self.slots(facts, at, inner))
    }

    /// Vector registers that the copies of one iteration keep busy.
    #[must_use]
    pub fn registers(&self, facts: &[Facts]) -> f64 {
        let mut total = 0.0;
        for (at, r) in self.references(facts) {
            let moves = |(l, _): &(&Loop, &f64)| r.stride_bytes(&l.directions[at]) != 0.0;
            total += self.loops.iter().zip(&self.jam).filter(moves).map(|(_, j)| *j).product::<f64>();
        }
        total
    }

    /// Lines of `r` touched by one run of the loops from position `k` on, for each `k` up to the number of loops.
    fn footprints(&self, r: &Reference, at: usize) -> Vec<f64> {
        let rank = r.subscripts.len();
        let mut extents: Vec<f64> = r.spread.iter().map(|s| 1.0 + s).collect();
        let mut moving = 1.0;
        let mut out = vec![0.0; self.loops.len() + 1];
        out[self.loops.len()] = lines_of(r, moving, &extents);
        for (k, l) in self.loops.iter().enumerate().rev() {
            let mut moves = r.irregular;
            for d in 0..rank {
                let s = r.step(d, &l.directions[at]).abs();
                if s != 0.0 {
                    moves = true;
                    extents[d] += s * (l.trips[at] - 1.0);
                }
            }
            if moves {
                moving *= l.trips[at];
            }
            out[k] = lines_of(r, moving, &extents);
        }
        out
    }

    /// Different references of the nest, each with the position of that statement it belongs to that runs most often. Parts of one statement
    /// touch elements of their own.
    fn references<'f>(&self, facts: &'f [Facts]) -> Vec<(usize, &'f Reference)> {
        let mut out: Vec<(usize, &Reference)> = Vec::new();
        for (at, &s) in self.stmts.iter().enumerate() {
            for r in facts[s].refs.iter().filter(|r| !r.subscripts.is_empty() || r.irregular) {
                let apart = |of: usize| of != at && facts[self.stmts[of]].is_other_part(&facts[s]);
                let is_same = |o: &Reference, of: usize| o.same_pattern(r) && !apart(of) && self.walks_alike(r, at, of);
                match out.iter_mut().find(|(of, o)| is_same(o, *of)) {
                    None => out.push((at, r)),
                    Some(known) if self.instances(known.0) < self.instances(at) => *known = (at, r),
                    Some(_) => {}
                }
            }
        }
        out
    }

    /// Whether the statements at both positions walk through `r` in the same steps: statements that share loops may run along different
    /// dims, as the two of bicg, one by rows and one by columns.
    fn walks_alike(&self, r: &Reference, at: usize, of: usize) -> bool {
        let step = |l: &Loop, k: usize, at: usize| r.step(k, &l.directions[at]);
        let alike = |l: &Loop| (0..r.subscripts.len()).all(|k| step(l, k, at) == step(l, k, of));
        at == of || self.loops.iter().all(alike)
    }

    /// Cycles of cache lines moved, from behind each cache.
    fn traffic(&self, facts: &[Facts], machine: &Machine) -> [f64; 3] {
        let refs = self.references(facts);
        let depth = self.loops.len();
        let lines: Vec<Vec<f64>> = refs.iter().map(|(at, r)| self.footprints(r, *at)).collect();
        let total: Vec<f64> = (0..=depth).map(|k| lines.iter().map(|l| l[k]).sum::<f64>() * LINE_BYTES).collect();
        let mut cycles = [0.0; 3];
        let in_sequence: Vec<bool> = refs.iter().map(|(at, r)| self.in_sequence(r, *at)).collect();
        let caches = [machine.l1_bytes, machine.l2_bytes, machine.l3_bytes];
        for ((cache, (near, far)), cycles) in caches.iter().zip(LINE_CYCLES).zip(&mut cycles) {
            let room = to_f64_u(*cache) * USABLE;
            let fits = (0..=depth).find(|&from| total[from] <= room).unwrap_or(depth);
            let level = fits.saturating_sub(1);
            for (k, (at, r)) in refs.iter().enumerate() {
                let repeats: f64 = self.loops[..level].iter().map(|l| l.trips[*at]).product();
                let price = if in_sequence[k] { near } else { far };
                let moved = if fits == 0 { lines[k][0] } else { repeats * lines[k][level] };
                *cycles += price * moved * if r.writes { 1.5 } else { 1.0 };
            }
        }
        cycles
    }

    /// Whether the innermost loop that moves `r` walks through neighbouring lines.
    fn in_sequence(&self, r: &Reference, at: usize) -> bool {
        let moves = self.loops.iter().rev().map(|l| r.stride_bytes(&l.directions[at]).abs()).find(|s| *s != 0.0);
        !r.irregular && moves.is_none_or(|s| s <= LINE_BYTES)
    }

    /// Cycles of loop entries.
    fn overhead(&self, facts: &[Facts]) -> f64 {
        let mut entries = 1.0f64;
        let mut cycles = 0.0;
        for (k, l) in self.loops.iter().enumerate() {
            let innermost = k + 1 == self.loops.len();
            let price = if innermost && self.is_vector(facts) { ENTRY_VECTOR } else { ENTRY_SCALAR };
            cycles += price * entries;
            entries *= l.trips.iter().copied().fold(0.0, f64::max) / self.jam[k];
        }
        cycles
    }

    /// Estimated cycles.
    #[must_use]
    pub fn cycles(&self, facts: &[Facts], machine: &Machine) -> f64 {
        self.estimate(facts, machine).cycles
    }

    /// Estimated cycles, and how many of them threads cannot share.
    #[must_use]
    pub fn estimate(&self, facts: &[Facts], machine: &Machine) -> Estimate {
        let (work, levels) = (self.work(facts, machine), self.traffic(facts, machine));
        let traffic: f64 = levels.iter().sum();
        let cycles = work.max(traffic) + OVERLAP * work.min(traffic) + self.overhead(facts);
        Estimate { cycles, memory: levels[2] }
    }
}

/// What something is estimated to take, in cycles.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Estimate {
    /// On one core.
    pub cycles: f64,
    /// Of these, those in which lines come from memory, which all cores have together.
    pub memory: f64,
}

impl Estimate {
    /// The two one after the other, the second so many times.
    #[must_use]
    pub fn and(self, other: Estimate, times: f64) -> Estimate {
        Estimate { cycles: self.cycles + times * other.cycles, memory: self.memory + times * other.memory }
    }

    /// Cycles on two cores that share this part of all work.
    #[must_use]
    pub fn on_two_cores(self, shared_part: f64) -> f64 {
        (self.cycles * (1.0 - 0.5 * shared_part)).max(self.memory)
    }
}

/// Lines in a box of these `extents` (elements per subscript) that is visited `moving` times.
fn lines_of(r: &Reference, moving: f64, extents: &[f64]) -> f64 {
    if r.irregular {
        return moving;
    }
    let last = extents.len().saturating_sub(1);
    let (mut elements, mut lines, mut spread) = (1.0f64, 1.0f64, 1.0f64);
    for (k, extent) in extents.iter().enumerate() {
        let extent = extent.min(r.sizes[k]).max(1.0);
        elements *= extent;
        if k == last {
            lines *= (extent / (LINE_BYTES / r.elem_bytes).max(1.0)).max(1.0);
        } else {
            lines *= extent;
            spread *= r.spread[k] + 1.0;
        }
    }
    lines.min(moving * spread).min(elements).max(1.0)
}

#[allow(clippy::cast_precision_loss)]
fn to_f64(x: usize) -> f64 {
    x as f64
}

#[allow(clippy::cast_precision_loss)]
fn to_f64_u(x: u64) -> f64 {
    x as f64
}
