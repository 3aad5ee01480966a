//! What LLVM makes vectors of in the user's own loops: its tables decide, and these take gathers for nearly as cheap as
//! loads.

use super::nest::{Loop, SHUFFLED, Shape, lanes, to_f64};
use super::refs::{self, INTERLEAVED, LOAD, STORE};
use super::{Facts, Machine, Nest, Reference};

/// How the innermost loop comes to run in vectors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Vectors {
    /// Where they are faster.
    #[default]
    Faster,
    /// In any case, as far as they are allowed: LLVM's table says so.
    Chosen,
    /// Out of straight code, which the loop is before: in no more lanes than it has iterations, of elements side by
    /// side, and never behind a run-time check.
    Straight,
}

/// What LLVM's table has for a gather or scatter beside its elements.
const AT_ONCE: f64 = 2.0;
/// What it has for an element that is put into a vector or taken out of it.
const INSERTED: f64 = 1.0;
/// Registers that hold what straight code uses in all iterations around it, at most.
const RESTING: f64 = 12.0;
/// Vector registers of processors of whose gathers LLVM thinks well.
const GATHERING_REGISTERS: u32 = 32;

impl Nest {
    /// Lanes of the vectors of a statement in the innermost loop, on average of those of straight code, and the part of
    /// its iterations that is left of whole ones.
    pub(super) fn blocks(&self, facts: &[Facts], at: usize, inner: &Loop, machine: &Machine) -> (f64, f64) {
        let (whole, trips) = (lanes(&facts[self.stmts[at]], machine), inner.trips[at]);
        let is_made_here = !self.may_gather;
        if self.vectors != Vectors::Straight && (self.straight == 0 || !is_made_here) {
            return (whole, if self.has_rests { left_of(trips, whole) } else { 0.0 });
        }
        if !is_made_here && (self.shape(at, facts) != Shape::Vector || self.may_overlap(facts)) {
            return (1.0, 0.0);
        }
        // Copies of the loop around go on where its iterations end.
        let goes_on = |l: &Loop| {
            let mut moved = facts[self.stmts[at]].refs.iter().filter(|r| r.stride_bytes(&inner.directions[at]) != 0.0);
            moved.all(|r| r.stride_bytes(&l.directions[at]) == trips * r.stride_bytes(&inner.directions[at]))
        };
        let copies = |(l, jam): (&Loop, &f64)| if *jam > 1.0 && goes_on(l) { *jam } else { 1.0 };
        let copies = self.loops.iter().zip(&self.jam).map(copies).product::<f64>();
        let trips = trips.max(1.0) * if is_made_here { copies } else { 1.0 };
        // What is left of whole vectors is stored under a mask, which no load that follows soon finds.
        let is_read_again = |r: &Reference| r.writes && r.reads && r.stride_bytes(&inner.directions[at]) != 0.0;
        let has_mask = left_of(trips, whole.min(trips.log2().floor().exp2())) > 0.0;
        if has_mask && facts[self.stmts[at]].refs.iter().any(is_read_again) {
            return (1.0, 0.0);
        }
        (trips / vectors_of(trips, whole), 0.0)
    }

    /// Whether a reference touches the same few elements in all iterations around straight code, which stay in
    /// registers.
    pub(super) fn stays(&self, r: &Reference, at: usize, all: &[Facts], lanes: f64) -> bool {
        let (around, inside) = self.loops.split_at(self.loops.len() - self.straight);
        let moves = |l: &&Loop| r.stride_bytes(&l.directions[at]) != 0.0;
        if self.straight == 0 || r.writes || around.iter().any(|l| moves(&l)) {
            return false;
        }
        let elements = inside.iter().filter(moves).map(|l| l.trips[at]).product::<f64>() * to_f64(r.count);
        let is_written = || all.iter().flat_map(|f| &f.refs).any(|w| w.writes && w.array == r.array);
        let is_loaded_again = || is_written() || (self.may_gather && self.may_be_written(r, all));
        elements / lanes <= RESTING && !is_loaded_again()
    }

    /// Whether copies of an iteration touch all that lies between two of its elements, so many apart: LLVM loads and
    /// stores that as it lies.
    pub(super) fn fills_gaps(&self, r: &Reference, at: usize, apart: f64) -> bool {
        let moves = |(l, _): &(&Loop, &f64)| r.stride_bytes(&l.directions[at]).abs() == r.elem_bytes;
        let copies = self.loops.iter().zip(&self.jam).filter(moves).map(|(_, j)| *j).product::<f64>();
        let all = if r.writes { copies } else { copies * to_f64(r.count) };
        !r.irregular && (2.0..=INTERLEAVED).contains(&apart) && all == apart
    }

    /// Whether an array that is read may share memory with another one that is written, as far as the compiler knows.
    pub(super) fn may_be_written(&self, r: &Reference, facts: &[Facts]) -> bool {
        let may_be_elsewhere = |r: &Reference| !r.subscripts.is_empty() && self.in_memory.contains(&r.array);
        let mut written = self.stmts.iter().flat_map(|s| &facts[*s].refs).filter(|w| w.writes);
        may_be_elsewhere(r) && r.reads && written.any(|w| w.array != r.array && may_be_elsewhere(w))
    }

    /// Whether something that is read may be what is written elsewhere, as far as the compiler knows.
    #[must_use]
    pub fn may_overlap(&self, facts: &[Facts]) -> bool {
        self.stmts.iter().any(|s| facts[*s].refs.iter().any(|r| self.may_be_written(r, facts)))
    }

    /// Whether LLVM's table has fewer cycles for the innermost loop in vectors than for one iteration after the other.
    #[must_use]
    pub fn prefers_vectors(&self, facts: &[Facts], machine: &Machine) -> bool {
        let Some(inner) = self.loops.last() else { return false };
        let (mut scalar, mut vector) = (0.0, 0.0);
        for (at, s) in self.stmts.iter().enumerate() {
            let (own, copies) = (&facts[*s], self.jam.iter().product::<f64>());
            let (lanes, instructions) = (lanes(own, machine), f64::from(own.ops.instructions));
            let quicker = own.vector_cycles() / own.scalar_cycles().max(1.0 / 64.0);
            scalar += instructions * copies;
            vector += instructions * copies * quicker;
            for r in &own.refs {
                let accesses = to_f64(usize::from(r.writes)) + if r.reads { to_f64(r.count) } else { 0.0 };
                scalar += accesses * copies;
                vector += accesses * copies * listed(r, own, &inner.directions[at], (lanes, machine));
            }
        }
        vector < scalar
    }
}

/// What LLVM's table has for an element of a reference in vectors of so many lanes, where a load alone is 1.
fn listed(r: &Reference, facts: &Facts, direction: &[f64], (lanes, machine): (f64, &Machine)) -> f64 {
    let apart = r.stride_bytes(direction).abs() / r.elem_bytes;
    let is_gathered = refs::are_gathered(&facts.ops, r.elem_bytes) && machine.vector_registers >= GATHERING_REGISTERS;
    match () {
        () if !r.irregular && apart <= 1.0 => 1.0 / lanes,
        () if !r.irregular && apart <= INTERLEAVED && apart.fract() == 0.0 => 1.0,
        () if is_gathered => 1.0 + AT_ONCE / lanes,
        () => 1.0 + INSERTED,
    }
}

/// Cycles of reads and writes of an element in vectors of which so many lie side by side and change places, times the
/// number of lanes.
pub(super) fn interleaved(apart: f64, (reads, writes): (f64, f64)) -> f64 {
    let change = SHUFFLED * apart.log2().ceil();
    (LOAD + change) * reads + (1.0 + change / STORE) * writes
}

/// How many vectors so many elements side by side are, of at most so many lanes each: what is left of whole ones is one
/// for each power of two.
fn vectors_of(elements: f64, lanes: f64) -> f64 {
    let (mut vectors, mut left, mut lanes) = (0.0, elements, lanes);
    while left > 0.0 && lanes >= 1.0 {
        vectors += (left / lanes).floor();
        left %= lanes;
        lanes /= 2.0;
    }
    (vectors + left).max(1.0)
}

/// Part of so many iterations that is left of whole vectors.
fn left_of(trips: f64, lanes: f64) -> f64 {
    if trips > 0.0 { 1.0 - (trips / lanes).floor() * lanes / trips } else { 0.0 }
}
