//! Estimated run time of an order of loops: what decides loop order, tile sizes, and whether new code is made at all.
//!
//! In:  [`Nest`]s: statements that share one innermost loop, with their loops outermost first.
//! Out: cycles on one core; only ratios between orders of the same SCoP mean something.
//!
//! Three terms. Work: accesses and arithmetic per innermost iteration, in vectors where the innermost loop can be
//! vectorized (nothing carried, strides 0 or 1), or the wait for a result of the previous iteration. Traffic:
//! `traffic.rs`. Overhead: entries of loops. Approximate on purpose. Nothing here decides legality.

use super::parts::Parts;
use super::refs::{self, INTERLEAVED, ITERATION, LOAD, OVERLAP, STORE, overlapped};
use super::remainders::REMAINDER;
use super::traffic::Moved;
use super::vectors::{Vectors, interleaved};
use super::{Facts, Machine, Reference};
use log::trace;
use std::fmt;

/// Cycles to wait for a result that the next iteration needs where the statement's arithmetic is not known: a
/// floating-point addition.
const LATENCY_ADDITION: f64 = 4.0;
/// Cycles more where the result goes through memory: a store forwarded to a load.
pub const LATENCY_FORWARD: f64 = 5.0;
/// The same where [`Machine::is_quick`] holds: it guesses which store a load will read from.
pub const QUICK_FORWARD: f64 = 1.0;
/// Instructions that a core looks ahead: chains of results of short loops run side by side as far as they fit.
const WINDOW: f64 = 224.0;
/// The same where [`Machine::is_quick`] holds.
const QUICK_WINDOW: f64 = 448.0;
/// Part of the iterations that a core looks ahead that run beside a chain where the next one of the loop around depends
/// on it, but on what it computes early.
const SOON: f64 = 0.5;
/// Elements between what is written and what is read there, at most.
const NEAR: f64 = 4.0;
/// Cycles of an instance with branches on data that is not run in vectors: a branch that is not foreseen takes 15 to
/// 20, and one that is next to none.
const BRANCH: f64 = 6.0;
/// Part of its cycles from which on an order waits for results.
const WAITS: f64 = 0.8;
/// Part that counts of cycles in which a new order does not wait, beside one that does.
const BUSY_BESIDE_CHAINS: f64 = 0.7;
/// How many elements apart those may be that a compiler takes out of whole vectors, of so many lanes at least.
const APART: f64 = 4.0;
/// See `APART`.
const LANES_APART: f64 = 8.0;
/// Cycles for each vector of which elements are taken, or into which they are put.
pub(super) const SHUFFLED: f64 = 1.0;
/// Cycles per element that is loaded alone and put into a vector, and taken out and stored.
pub(super) const GATHERED: f64 = 1.0;
/// The same of an element that the processor may gather, in code that is made here: many take longer for that than for
/// as many loads.
const GATHERED_AT_ONCE: f64 = 3.5;
/// See `GATHERED`.
pub(super) const SCATTERED: f64 = 1.5;
/// Cycles per entry of a vectorized innermost loop: checks, prologue, remainder.
const ENTRY_VECTOR: f64 = 14.0;
/// The same where the loop is of another length each time: none of its parts ends where it did before.
const ENTRY_RAGGED: f64 = 28.0;
/// Cycles per entry of any other loop.
const ENTRY_SCALAR: f64 = 4.0;
/// The part that is not hidden ([`OVERLAP`]) of work that waits for results: the instructions that wait fill the window
/// in which the core looks ahead for loads.
const OVERLAP_WAITING: f64 = 0.5;

/// One loop around a nest's statements; vectors are per statement of the nest.
#[derive(Clone, Debug)]
pub struct Loop {
    /// Change of the statement's dims in one iteration.
    pub directions: Vec<Vec<f64>>,
    /// Number of iterations.
    pub trips: Vec<f64>,
}

/// Statements that share all their loops.
#[derive(Clone, Debug, Default)]
pub struct Nest {
    /// Statement positions.
    pub stmts: Vec<usize>,
    /// Outermost first.
    pub loops: Vec<Loop>,
    /// Per statement: what the innermost loop carries.
    pub carry: Vec<Carry>,
    /// Per statement and loop: whether the loop carries none of its dependences, so that iterations can run side by
    /// side.
    pub free: Vec<Vec<bool>>,
    /// Copies made by unroll-and-jam of each loop, 1 for none; same length as `loops`.
    pub jam: Vec<f64>,
    /// Copies of the loop around the innermost one that are lanes of vectors; 1 for none.
    pub lanes: f64,
    /// Arrays whose elements cannot be kept in registers while a loop updates them: other accesses may lead to the same
    /// memory, as far as the compiler knows.
    pub in_memory: Vec<usize>,
    /// Whether data that fits a cache is there before the loops begin.
    pub warm: bool,
    /// Part of the instances in tiles that bounds cut into: these are not jammed.
    pub partial: f64,
    /// Whether the compiler may load and store the elements of a vector one by one: code that is made here does so only
    /// where that pays.
    pub may_gather: bool,
    /// Whether iterations of the loop around that depend on each other count as running beside each other as far as
    /// they may: no tiles are chosen for that.
    pub starts_soon: bool,
    /// Whether the innermost loop is of another length each time.
    pub is_ragged: bool,
    /// So many innermost loops are short, and the compiler makes straight code of them: nobody enters them.
    pub straight: usize,
    /// Cycles that an iteration of the innermost loop waits for the ones before, where that is known; on the usual core
    /// and on one where [`Machine::is_quick`] holds.
    pub recurrence: [Option<f64>; 2],
    /// Whether iterations that are left of whole vectors count: of few iterations they are many.
    pub has_rests: bool,
    /// How the innermost loop comes to run in vectors.
    pub vectors: Vectors,
    /// Whether LLVM loads what straight code needs again and again in front of the loops around it.
    pub hoists: bool,
}

/// What a nest computes.
struct Work {
    cycles: f64,
    /// Whether most of them pass waiting for results.
    waits: bool,
    /// What keeps the core busy meanwhile: arithmetic, accesses, waiting.
    parts: Parts,
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
    pub(super) fn instances(&self, at: usize) -> f64 {
        self.loops.iter().map(|l| l.trips[at]).product()
    }

    /// How the innermost loop runs for one statement, by position in the nest.
    #[must_use]
    pub fn shape(&self, at: usize, facts: &[Facts]) -> Shape {
        let Some(inner) = self.loops.last().filter(|_| self.carry[at] == Carry::Nothing) else {
            return Shape::Serial;
        };
        let own = &facts[self.stmts[at]];
        let unit = |r: &Reference| {
            let stride = r.stride_bytes(&inner.directions[at]).abs();
            let may_rest = !r.writes || own.reduced == Some(r.array) || own.accumulates;
            !r.irregular && ((stride == 0.0 && may_rest) || stride == r.elem_bytes)
        };
        if own.refs.iter().all(unit) { Shape::Vector } else { Shape::Strided }
    }

    /// The original's nest as LLVM sees it: sums in memory are loaded and stored in each iteration where others are
    /// that may be at the same place, and wait for each other although they may change places.
    #[must_use]
    pub fn with_sums_in_memory(mut self, facts: &[Facts]) -> Nest {
        let Some(inner) = self.loops.last().filter(|_| self.writes_several(facts)) else { return self };
        let rests = |at: usize, s: usize| {
            let own = &facts[s];
            let is_sum = |r: &&Reference| r.writes && own.reduced == Some(r.array) && self.in_memory.contains(&r.array);
            own.refs.iter().filter(is_sum).any(|r| r.stride_bytes(&inner.directions[at]) == 0.0)
        };
        let chains: Vec<usize> = (0..self.stmts.len()).filter(|at| rests(*at, self.stmts[*at])).collect();
        chains.into_iter().for_each(|at| self.carry[at] = Carry::Chain);
        self
    }

    /// Whether the statement with most instances can be vectorized.
    #[must_use]
    pub fn is_vector(&self, facts: &[Facts]) -> bool {
        let heaviest = (0..self.stmts.len()).max_by(|&a, &b| self.instances(a).total_cmp(&self.instances(b)));
        heaviest.is_some_and(|at| self.shape(at, facts) == Shape::Vector)
    }

    /// Cycles of arithmetic, loads and stores that hit. Statements share the pipes, while their chains of results run
    /// side by side; one that cannot be vectorized keeps those beside it from it.
    fn work(&self, facts: &[Facts], machine: &Machine) -> Work {
        if self.partial == 0.0 || self.jam.iter().all(|j| *j == 1.0) {
            return self.whole_work(facts, machine);
        }
        let mut cut = self.clone();
        (cut.partial, cut.jam, cut.lanes, cut.starts_soon) = (0.0, vec![1.0; self.jam.len()], 1.0, true);
        let [whole, cut] = [self, &cut].map(|nest| nest.whole_work(facts, machine));
        let cycles = [(1.0 - self.partial) * whole.cycles, self.partial * cut.cycles];
        let parts = Parts::default().and(whole.parts, 1.0 - self.partial).and(cut.parts, self.partial);
        let waits = if cycles[0] >= cycles[1] { whole.waits } else { cut.waits };
        Work { cycles: cycles[0] + cycles[1], waits, parts }
    }

    /// The same as if bounds cut into no tile.
    fn whole_work(&self, facts: &[Facts], machine: &Machine) -> Work {
        let Some(inner) = self.loops.last() else {
            let cycles = 4.0 * to_f64(self.stmts.len());
            return Work { cycles, waits: false, parts: Parts { compute: cycles, ..Parts::default() } };
        };
        let most = (0..self.stmts.len()).map(|at| self.instances(at)).fold(0.0, f64::max);
        let shapes: Vec<Shape> = (0..self.stmts.len()).map(|at| self.shape(at, facts)).collect();
        let is_chain = |at: usize| shapes[at] == Shape::Serial && self.instances(at) >= most;
        let asks = |at: usize| self.asks_for_remainders(facts, at, inner);
        let has_chain = (0..self.stmts.len()).any(|at| is_chain(at) || asks(at)) || self.moves_unevenly(facts, inner);
        let (mut cycles, mut parts) = (0.0, Parts::default());
        for (at, &s) in self.stmts.iter().enumerate() {
            let own = &facts[s];
            let arithmetic = own.scalar_cycles();
            let arithmetic = if asks(at) { arithmetic + REMAINDER } else { arithmetic };
            // Elements that lie apart are written one by one, behind the branch.
            let guessed = if own.branches { BRANCH } else { 0.0 };
            let left = if shapes[at] == Shape::Strided { guessed } else { 0.0 };
            let scalar = (self.slots(facts, at, inner, 1.0), arithmetic + guessed);
            let (accesses, arithmetic) = match shapes[at] {
                _ if self.lanes > 1.0 => (0.0, self.cycles_in_lanes(facts, at, machine).unwrap_or(f64::INFINITY)),
                Shape::Vector | Shape::Strided if !has_chain && self.may_run_in_vectors(own, at, inner) => {
                    let (used, rest) = self.blocks(facts, at, inner, machine);
                    let arithmetic = own.vector_cycles() * lanes(own, machine) / used;
                    let in_vectors = (self.slots(facts, at, inner, used), arithmetic + left);
                    let is_faster = overlapped(in_vectors.0, in_vectors.1) <= overlapped(scalar.0, scalar.1);
                    let is_faster = used > 1.0 && (is_faster || self.vectors == Vectors::Chosen);
                    let mean = |vector: f64, scalar: f64| vector + rest * (scalar - vector);
                    if is_faster { (mean(in_vectors.0, scalar.0), mean(in_vectors.1, scalar.1)) } else { scalar }
                }
                _ => scalar,
            };
            let instances = self.instances(at);
            cycles += overlapped(accesses, arithmetic) * instances;
            parts.accesses += accesses * instances;
            parts.compute += arithmetic * instances;
            if shapes[at] == Shape::Serial {
                parts.latency = parts.latency.max(self.wait(facts, at, inner, machine) * instances);
            }
        }
        Work { cycles: cycles.max(parts.latency), waits: parts.latency > cycles, parts }
    }

    /// Whether new code asks in each iteration for remainders whether the statement runs. The original does that with
    /// what the user wrote, which may be a counter of its own, or run in vectors.
    fn asks_for_remainders(&self, facts: &[Facts], at: usize, inner: &Loop) -> bool {
        !self.may_gather && facts[self.stmts[at]].remainders.iter().any(|r| r.moves(&inner.directions[at]))
    }

    /// Whether vectors are allowed: of what is made here none that is scattered, or gathered for next to no arithmetic;
    /// of what a compiler makes of the original none where it asks whether rows of an array overlap before all
    /// iterations of the loop around, and those that are left out use the other row, or that loop moves both alike.
    fn may_run_in_vectors(&self, facts: &Facts, at: usize, inner: &Loop) -> bool {
        if self.may_gather {
            let interleaved = |w: &Reference, r: &Reference| {
                let is_other = r.array == w.array && r.subscripts != w.subscripts;
                is_other && (facts.in_pieces || self.asks_before_rows(facts, at, (w, r)))
            };
            let mut written = facts.refs.iter().filter(|r| r.writes && !r.subscripts.is_empty());
            if written.any(|w| facts.refs.iter().any(|r| interleaved(w, r))) {
                return false;
            }
        }
        let keeps = |r: &Reference| {
            let stride = r.stride_bytes(&inner.directions[at]).abs();
            let is_uneven = r.is_uneven(&inner.directions[at]);
            let is_far = stride > INTERLEAVED * r.elem_bytes;
            let is_apart = r.irregular || is_uneven || is_far || (stride == 0.0 && r.in_arm);
            is_apart && (r.writes || refs::is_light(&facts.ops, r.elem_bytes, is_uneven))
        };
        self.may_gather || !facts.refs.iter().any(keeps)
    }

    /// Whether LLVM asks before the loop around the innermost one whether what it writes overlaps what it reads in
    /// place, as it does where the innermost loop is as long each time, and finds that it does: both move alike.
    fn asks_before_rows(&self, facts: &Facts, at: usize, (written, read): (&Reference, &Reference)) -> bool {
        let [.., around, inner] = &self.loops[..] else { return false };
        let (around, inner) = (&around.directions[at], &inner.directions[at]);
        let along = |row: &[f64], direction: &[f64]| row.iter().zip(direction).map(|(a, b)| a * b).sum::<f64>() != 0.0;
        let is_ragged = facts.bounds.iter().any(|b| along(&b.dims, around) && along(&b.dims, inner));
        let alike = |k: usize| written.step(k, around) == read.step(k, around);
        !(is_ragged || written.irregular || read.irregular)
            && read.stride_bytes(inner) == 0.0
            && written.stride_bytes(inner) != 0.0
            && written.stride_bytes(around) != 0.0
            && (0..written.subscripts.len().min(read.subscripts.len())).all(alike)
    }

    /// Whether what is written in the original may overlap an access that does not move by as much in each iteration,
    /// as `a[j / 2]` does: LLVM tests at run time only places of which it knows the first and the last, and runs such
    /// iterations one by one.
    fn moves_unevenly(&self, all: &[Facts], inner: &Loop) -> bool {
        let refs = || self.stmts.iter().enumerate().flat_map(|(at, s)| all[*s].refs.iter().map(move |r| (at, r)));
        let is_uneven = |at: usize, r: &Reference| r.irregular || r.is_divided(&inner.directions[at]);
        let may_be_elsewhere = |r: &Reference| self.in_memory.contains(&r.array);
        let may_meet = |w: &Reference, r: &Reference| w.array == r.array || may_be_elsewhere(w) && may_be_elsewhere(r);
        let is_met = |r: &Reference| refs().any(|(_, w)| w.writes && !w.subscripts.is_empty() && may_meet(w, r));
        self.may_gather && refs().any(|(at, r)| is_uneven(at, r) && is_met(r))
    }

    /// Copies of an iteration, made by unroll-and-jam, that share one element of `r`: each loads it again where a
    /// compiler takes what the copy before stored for the same, and stores it where a condition on data decides.
    fn shared(&self, r: &Reference, at: usize, all: &[Facts]) -> f64 {
        if self.jam.iter().all(|j| *j == 1.0) {
            return 1.0;
        }
        let is_loaded_again = || self.writes_elsewhere(r, at, all) || (self.may_gather && self.may_be_written(r, all));
        let is_moved_again = if r.writes { r.in_arm } else { is_loaded_again() };
        if is_moved_again {
            return 1.0;
        }
        let same = |(l, _): &(&Loop, &f64)| r.stride_bytes(&l.directions[at]) == 0.0;
        self.loops.iter().zip(&self.jam).filter(same).map(|(_, j)| *j).product()
    }

    /// Issue slots of the accesses that move with the innermost loop, per copy and element, in vectors of so many
    /// elements. Elements that do not lie side by side are gathered and scattered one by one.
    pub(super) fn slots(&self, all: &[Facts], at: usize, inner: &Loop, lanes: f64) -> f64 {
        let (facts, mut slots) = (&all[self.stmts[at]], ITERATION / lanes);
        for r in facts.refs.iter() {
            let stride = r.stride_bytes(&inner.directions[at]).abs();
            if (stride == 0.0 && !r.irregular && !r.in_arm) || self.stays(r, at, all, lanes) {
                continue;
            }
            let reads = if r.reads { to_f64(r.count) } else { 0.0 };
            let writes = if r.writes { STORE } else { 0.0 };
            let apart = stride / r.elem_bytes;
            let lies = (stride == r.elem_bytes && !r.irregular) || (self.is_hoisted(r, at));
            let each = if lanes == 1.0 || lies {
                (LOAD * reads + writes) / lanes
            } else if self.may_gather && self.fills_gaps(r, (at, inner), all, apart) {
                interleaved(apart, (reads, writes)) / lanes
            } else if lanes >= LANES_APART && (1.0..=APART).contains(&apart) && !r.irregular {
                // A compiler loads and stores all that lies between, and takes it apart or puts it together.
                let ways = f64::from(u8::from(r.reads) + u8::from(r.writes));
                apart * (LOAD * reads + writes + SHUFFLED * ways) / lanes
            } else {
                let may_be_at_once = refs::are_gathered(&facts.ops, r.elem_bytes) || is_divided(apart);
                let is_shared = refs::is_shared(apart) && !r.is_uneven(&inner.directions[at]);
                let is_at_once = !self.may_gather && may_be_at_once && !is_shared;
                let gathered = if is_at_once { GATHERED_AT_ONCE } else { GATHERED };
                gathered * reads + SCATTERED * writes
            };
            slots += each / self.shared(r, at, all);
        }
        slots
    }

    /// Cycles that an iteration waits for the previous one, on average over the chains that run side by side: those of
    /// jammed copies, and those of the next iterations around if the loop is short, both only where the loop around
    /// carries nothing. Of copies with branches on data a core throws away what it began too early.
    fn wait(&self, all: &[Facts], at: usize, inner: &Loop, machine: &Machine) -> f64 {
        let facts = &all[self.stmts[at]];
        let in_place = |r: &&Reference| r.writes && r.stride_bytes(&inner.directions[at]) == 0.0;
        let any = if facts.ops.latency == 0 { LATENCY_ADDITION } else { f64::from(facts.ops.latency) };
        let forward = if machine.is_quick { QUICK_FORWARD } else { LATENCY_FORWARD };
        let updated = facts.refs.iter().find(in_place);
        let chain = updated.and_then(Reference::updating).unwrap_or(any);
        let latency = match updated {
            Some(r) if self.in_memory.contains(&r.array) && self.writes_several(all) => chain + forward,
            Some(r) if self.writes_elsewhere(r, at, all) => chain + forward,
            Some(_) => chain,
            None if self.carry[at] == Carry::Chain => {
                let carried = self.carried(all, at, &inner.directions[at], forward).unwrap_or(chain + forward);
                let known = self.recurrence[usize::from(machine.is_quick)];
                known.map_or(carried, |own| own.min(carried))
            }
            None => 1.0,
        };
        let free = |k: usize| self.free[at].get(k).copied().unwrap_or(false);
        let beside = self.jam.iter().enumerate().filter(|(k, _)| free(*k) && !facts.branches);
        let copies: f64 = beside.map(|(_, j)| *j).product();
        let around = self.loops.len().checked_sub(2);
        let instructions = inner.trips[at] * facts.instructions() * self.jam.iter().product::<f64>();
        let window = if machine.is_quick { QUICK_WINDOW } else { WINDOW };
        let ahead = if around.is_some_and(free) {
            (window / instructions).max(1.0)
        } else if self.starts_soon && updated.is_none() && self.may_start_soon(all, at, inner) {
            1.0 + SOON * window / instructions
        } else {
            1.0
        };
        latency / (copies * ahead)
    }

    /// Whether each iteration of the loop around, which carries dependences, can start when the one before has just
    /// started: all that is written is read a few elements away in both loops.
    fn may_start_soon(&self, all: &[Facts], at: usize, inner: &Loop) -> bool {
        let Some(around) = self.loops.len().checked_sub(2).map(|k| &self.loops[k]) else { return false };
        let near = |r: &Reference| {
            let moves = |l: &Loop| r.stride_bytes(&l.directions[at]) != 0.0;
            !r.irregular && moves(inner) && moves(around) && r.spread.iter().all(|s| *s <= NEAR)
        };
        let mut written = all[self.stmts[at]].refs.iter().filter(|r| r.writes).peekable();
        self.stmts.len() == 1 && written.peek().is_some() && written.all(near)
    }

    /// What an iteration waits for that reads what the statement wrote in an iteration before: the latest result stays
    /// in a register, others come back from memory. Not where other statements have part in it, or may have.
    fn carried(&self, all: &[Facts], at: usize, direction: &[f64], forward: f64) -> Option<f64> {
        let price = |times: f64, chain: f64| {
            let through = if times > 1.0 { forward } else { 0.0 };
            (chain + through) / times
        };
        let is_own = |r: &Reference| {
            let uses = |s: &usize| all[*s].refs.iter().any(|o| o.array == r.array);
            self.stmts.len() == 1
                || !self.in_memory.contains(&r.array) && self.stmts.iter().filter(|s| uses(s)).count() == 1
        };
        let alone = |r: &&Reference| r.writes && !r.irregular && is_own(r);
        all[self.stmts[at]].refs.iter().filter(alone).filter_map(|r| r.carried(direction, price)).reduce(f64::max)
    }

    /// Whether an iteration of the innermost loop waits for what one before computed, of a statement's own, and not
    /// only for a read to be over.
    #[must_use]
    pub fn recurs(&self, facts: &[Facts]) -> bool {
        let Some(inner) = self.loops.last() else { return false };
        // Each iteration updates one element: dependences lead from every iteration to all later ones.
        let is_updated = |at: usize| {
            let direction = &inner.directions[at];
            let in_place = |r: &Reference| r.reads && r.writes && !r.irregular && r.stride_bytes(direction) == 0.0;
            facts[self.stmts[at]].refs.iter().any(in_place)
        };
        let carries = |at: usize| self.carried(facts, at, &inner.directions[at], LATENCY_FORWARD).is_some();
        (0..self.stmts.len()).any(|at| match self.carry[at] {
            Carry::Nothing => false,
            Carry::Some => is_updated(at),
            Carry::Chain => is_updated(at) || carries(at),
        })
    }

    /// Whether other elements of the array of `r` are written as well, of which a compiler does not know that they are
    /// others: what stays in place then goes through memory.
    fn writes_elsewhere(&self, r: &Reference, at: usize, facts: &[Facts]) -> bool {
        let rank = r.subscripts.len();
        let apart = |o: &Reference, of: usize| {
            let steps = |l: &Loop| (0..rank).any(|k| r.step(k, &l.directions[at]) != o.step(k, &l.directions[of]));
            o.writes && o.array == r.array && self.loops.iter().any(steps)
        };
        let others = |(of, s): (usize, &usize)| facts[*s].refs.iter().any(|o| apart(o, of));
        rank > 0 && self.stmts.iter().enumerate().any(others)
    }

    /// Whether several arrays in memory are written.
    fn writes_several(&self, facts: &[Facts]) -> bool {
        let written = |s: &usize| {
            let in_memory = |r: &&Reference| r.writes && !r.subscripts.is_empty();
            facts[*s].refs.iter().filter(in_memory).map(|r| r.array).collect::<Vec<_>>()
        };
        let mut arrays = self.stmts.iter().flat_map(written);
        let first = arrays.next();
        arrays.any(|a| Some(a) != first)
    }

    /// Vector registers that the copies of one iteration keep busy.
    #[must_use]
    pub fn registers(&self, facts: &[Facts]) -> f64 {
        if self.lanes > 1.0 {
            return self.registers_of_lanes(facts);
        }
        let mut total = 0.0;
        for (at, r) in self.references(facts) {
            let moves = |(l, _): &(&Loop, &f64)| r.stride_bytes(&l.directions[at]) != 0.0;
            total += self.loops.iter().zip(&self.jam).filter(moves).map(|(_, j)| *j).product::<f64>();
        }
        total
    }

    /// Cycles of loop entries.
    fn overhead(&self, facts: &[Facts]) -> f64 {
        let mut entries = 1.0f64;
        let mut cycles = 0.0;
        for (k, l) in self.loops.iter().enumerate().take(self.loops.len() - self.straight) {
            let innermost = k + 1 == self.loops.len();
            let in_blocks = self.is_vector(facts) || (self.has_rests && self.lanes > 1.0);
            let price = match innermost && in_blocks {
                true if self.is_ragged || self.has_rests => ENTRY_RAGGED,
                true => ENTRY_VECTOR,
                false => ENTRY_SCALAR,
            };
            cycles += price * entries;
            let copies = (1.0 - self.partial) / self.jam[k] + self.partial;
            entries *= l.trips.iter().copied().fold(0.0, f64::max) * copies;
        }
        cycles
    }

    /// Estimated cycles, if they are less than `limit`. What the loops move is asked for where the rest is.
    pub fn cycles_below(
        &self,
        limit: f64,
        facts: &[Facts],
        machine: &Machine,
        moved: impl FnOnce() -> Moved,
    ) -> Option<f64> {
        let (work, overhead) = (self.work(facts, machine), self.overhead(facts));
        let below = |cycles: f64| Some(cycles).filter(|cycles| *cycles < limit);
        below(work.cycles + overhead).and_then(|_| below(beside(&work, moved().cycles()) + overhead))
    }

    /// Estimated cycles.
    #[must_use]
    pub fn cycles(&self, facts: &[Facts], machine: &Machine) -> f64 {
        self.estimate(facts, machine).cycles
    }

    /// Estimated cycles, and how many of them threads cannot share.
    #[must_use]
    pub fn estimate(&self, facts: &[Facts], machine: &Machine) -> Estimate {
        self.estimate_walking(self, facts, machine)
    }

    /// The same for loops that touch elements in the order of `walked`, the same loops in another order: copies of
    /// short loops stand inside of the loop that runs over them.
    #[must_use]
    pub fn estimate_walking(&self, walked: &Nest, facts: &[Facts], machine: &Machine) -> Estimate {
        let moved = walked.moving(facts, machine);
        let (work, overhead) = (self.work(facts, machine), self.overhead(facts));
        let cycles = beside(&work, moved.cycles()) + overhead;
        let (Work { cycles: work, parts, .. }, Moved { levels, translation }) = (work, moved);
        trace!(
            target: "polyrs::cost",
            "statements {:?}: work {work:.0} ({:?}), lines {levels:.0?}, pages {translation:.0}, entries {overhead:.0}",
            self.stmts,
            (0..self.stmts.len()).map(|at| self.shape(at, facts)).collect::<Vec<_>>()
        );
        Estimate { cycles, parts: Parts { lines: levels, pages: translation, entries: overhead, ..parts } }
    }

    /// Estimated cycles that are saved at most if the loops from position `once` on move each line once, in sequence,
    /// and find all pages.
    #[must_use]
    pub fn spare(&self, facts: &[Facts], machine: &Machine, once: usize) -> f64 {
        let work = self.work(facts, machine);
        let moved = self.moving(facts, machine).cycles();
        beside(&work, moved) - beside(&work, self.least_traffic(facts, machine, once).min(moved))
    }
}

/// Cycles of work and of what is moved at the same time.
fn beside(work: &Work, moved: f64) -> f64 {
    let hidden = if work.waits { OVERLAP_WAITING } else { OVERLAP };
    work.cycles.max(moved) + hidden * work.cycles.min(moved)
}

/// What something is estimated to take, in cycles.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Estimate {
    /// On one core.
    pub cycles: f64,
    /// What is busy meanwhile. All cores have memory together.
    pub parts: Parts,
}

/// `1200 (memory 900)`: with the resource that is busy most.
impl fmt::Display for Estimate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (limit, cycles) = self.parts.limit();
        write!(f, "{:.0} ({limit} {cycles:.0})", self.cycles)
    }
}

impl Estimate {
    /// The two one after the other, the second so many times.
    #[must_use]
    pub fn and(self, other: Estimate, times: f64) -> Estimate {
        Estimate { cycles: self.cycles + times * other.cycles, parts: self.parts.and(other.parts, times) }
    }

    /// What a new order takes beside this one. Where this one waits for results and the other one does not, what that
    /// does instead counts for less: copies side by side issue two operations and three accesses in a cycle.
    #[must_use]
    pub fn beside(&self, made: Estimate) -> Estimate {
        if !self.waits() || made.waits() {
            return made;
        }
        let busy = (made.cycles - made.parts.latency).max(0.0);
        Estimate { cycles: made.cycles - (1.0 - BUSY_BESIDE_CHAINS) * busy, ..made }
    }

    /// Whether most of the time passes waiting for results.
    fn waits(&self) -> bool {
        self.parts.latency >= WAITS * self.cycles
    }

    /// Cycles on so many cores that share this part of all work.
    #[must_use]
    pub fn on_cores(self, cores: u32, shared_part: f64) -> f64 {
        let own = 1.0 - shared_part * (1.0 - 1.0 / f64::from(cores));
        (self.cycles * own).max(self.parts.lines[2])
    }
}

/// Elements of the widest type that a statement touches in one vector.
pub(super) fn lanes(facts: &Facts, machine: &Machine) -> f64 {
    let bytes = facts.refs.iter().map(|r| r.elem_bytes).fold(4.0, f64::max);
    (f64::from(machine.vector_bits) / 8.0 / bytes).max(1.0)
}

/// Whether an access moves on in iterations that are found by a real division, which vectors have none for.
fn is_divided(step: f64) -> bool {
    refs::is_uneven(step, false) && step.abs().log2().fract() != 0.0
}

#[allow(clippy::cast_precision_loss)]
pub(super) fn to_f64(x: usize) -> f64 {
    x as f64
}
