//! What LLVM makes vectors of in the user's own loops: its tables decide, and these take gathers for nearly as cheap as
//! loads.

use super::nest::{Carry, Loop, SHUFFLED, Shape, lanes, to_f64};
use super::refs::{self, INTERLEAVED, LOAD, STORE};
use super::{Facts, Machine, Nest, Reference};
use std::collections::BTreeSet;

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
/// Elements that straight code of a loop uses in all iterations around it, at most.
const HOISTED: f64 = 512.0;
/// Instructions of all iterations of a loop in vectors up to which LLVM makes straight code of them.
const STRAIGHT_VECTORS: f64 = 320.0;
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

    /// Whether LLVM loads the elements of a reference in front of the loops around straight code, where it does that:
    /// vectors that do not fit registers come back from the stack as they lie.
    pub(super) fn is_hoisted(&self, r: &Reference, at: usize) -> bool {
        let last = self.loops.len() - 1;
        let is_inside = |k: usize| k == last || self.jam[k] > 1.0 && self.jam[k] >= self.loops[k].trips[at];
        let moves = |k: &usize| r.stride_bytes(&self.loops[*k].directions[at]) != 0.0;
        if !self.hoists || r.writes || r.irregular || last == 0 || (0..last).all(|k| !is_inside(k)) {
            return false;
        }
        let (inside, around): (Vec<usize>, Vec<usize>) = (0..=last).filter(moves).partition(|k| is_inside(*k));
        let elements = inside.iter().map(|k| self.loops[*k].trips[at]).product::<f64>() * to_f64(r.count);
        around.is_empty() && elements <= HOISTED
    }

    /// Whether vectors of all iterations of the innermost loop are few enough instructions for straight code, as which
    /// LLVM finds what is the same in all iterations around them. Elements are put into a vector one by one where it
    /// thinks little of a processor's gathers.
    #[must_use]
    pub fn is_straight_in_vectors(&self, facts: &[Facts], machine: &Machine) -> bool {
        let Some(inner) = self.loops.last() else { return false };
        let of = |(at, s): (usize, &usize)| {
            let (own, direction) = (&facts[*s], &inner.directions[at]);
            let lanes = lanes(own, machine);
            let at_once = |r: &Reference| lies(r, direction) || is_gathered(r, own, machine);
            let each = |r: &Reference| if at_once(r) { 1.0 } else { lanes };
            let instructions = f64::from(own.ops.instructions) + own.refs.iter().map(each).sum::<f64>();
            instructions * (inner.trips[at] / lanes).ceil()
        };
        let copies = self.jam.iter().product::<f64>();
        self.stmts.iter().enumerate().map(of).sum::<f64>() * copies <= STRAIGHT_VECTORS
    }

    /// Whether copies of an iteration touch all that lies between two of its elements, so many apart: LLVM loads and
    /// stores that as it lies. One element may be that of another nest.
    pub(super) fn fills_gaps(&self, r: &Reference, (at, inner): (usize, &Loop), facts: &[Facts], apart: f64) -> bool {
        if r.irregular || apart.fract() != 0.0 || !(2.0..=INTERLEAVED).contains(&apart) {
            return false;
        }
        let moves_alike = |o: &Reference, of: usize| {
            o.stride_bytes(&inner.directions[of]) == r.stride_bytes(&inner.directions[at]) && !o.irregular
        };
        let is_same = |o: &&Reference| o.array == r.array && (if r.writes { o.writes } else { o.reads });
        let touched = |(of, s): (usize, &usize)| {
            let refs = facts[*s].refs.iter().filter(is_same).filter(|o| moves_alike(o, of));
            refs.flat_map(|o| self.touched_between(o, of, apart, r.writes)).collect::<Vec<u64>>()
        };
        let all: BTreeSet<u64> = self.stmts.iter().enumerate().flat_map(touched).collect();
        let others = || (0..facts.len()).filter(|s| !self.stmts.contains(s)).flat_map(|s| &facts[s].refs);
        let missing = apart - to_f64(all.len());
        missing == 0.0 || (missing == 1.0 && apart > 2.0 && others().any(|o| is_same(&o)))
    }

    /// The elements that copies of an iteration touch by a reference, counted from a multiple of `apart` each.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    fn touched_between(&self, r: &Reference, at: usize, apart: f64, writes: bool) -> BTreeSet<u64> {
        let place = |elements: f64| elements.rem_euclid(apart) as u64;
        let first: Vec<f64> = if writes { r.written.iter().map(|w| element(r, w)).collect() } else { read(r) };
        let mut all: BTreeSet<u64> = first.into_iter().map(place).collect();
        for (l, jam) in self.loops.iter().zip(&self.jam).filter(|(_, jam)| **jam > 1.0) {
            let step = place(r.stride_bytes(&l.directions[at]) / r.elem_bytes);
            let copies = |from: u64| (0..*jam as u64).map(move |k| (from + k * step) % apart as u64);
            all = all.into_iter().flat_map(copies).collect();
        }
        all
    }

    /// Whether an array that is read may share memory with another one that is written, as far as the compiler knows.
    pub(super) fn may_be_written(&self, r: &Reference, facts: &[Facts]) -> bool {
        let may_be_elsewhere = |r: &Reference| !r.subscripts.is_empty() && self.in_memory.contains(&r.array);
        let mut written = self.stmts.iter().flat_map(|s| &facts[*s].refs).filter(|w| w.writes);
        may_be_elsewhere(r) && r.reads && written.any(|w| w.array != r.array && may_be_elsewhere(w))
    }

    /// Elements in a vector of the innermost loop, the least of all statements, where elements that do not lie side by
    /// side are loaded in front of the outermost loop.
    #[must_use]
    pub fn at_once(&self, facts: &[Facts], machine: &Machine) -> f64 {
        let [outermost, .., inner] = &self.loops[..] else { return 1.0 };
        let of = |(at, s): (usize, &usize)| {
            let (own, direction) = (&facts[*s], &inner.directions[at]);
            let rests = |r: &Reference| !r.writes && !r.irregular && r.stride_bytes(&outermost.directions[at]) == 0.0;
            let is_vector = self.carry[at] == Carry::Nothing && own.refs.iter().all(|r| lies(r, direction) || rests(r));
            if is_vector { lanes(own, machine).min(inner.trips[at]).max(1.0) } else { 1.0 }
        };
        self.stmts.iter().enumerate().map(of).reduce(f64::min).unwrap_or(1.0)
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

/// Elements from the first one of the array of a reference to the one with these subscripts.
fn element(r: &Reference, subscripts: &[f64]) -> f64 {
    let add = |(sum, unit): (f64, f64), k: usize| {
        let size = r.sizes[k];
        (sum + subscripts[k] * unit, unit * if size.is_finite() { size } else { 1.0 })
    };
    (0..r.subscripts.len()).rev().fold((0.0, 1.0), add).0
}

/// The elements that an iteration at the origin reads by a reference, as far as they are known: the first, the last,
/// and those between where they are as many as there are accesses.
fn read(r: &Reference) -> Vec<f64> {
    let (first, length) = (element(r, &r.low), element(r, &r.spread));
    let between = (0..r.count).map(|k| first + to_f64(k));
    if length + 1.0 == to_f64(r.count) { between.collect() } else { vec![first, first + length] }
}

/// Whether the elements of a reference lie side by side in this direction, or are one.
fn lies(r: &Reference, direction: &[f64]) -> bool {
    !r.irregular && r.stride_bytes(direction).abs() <= r.elem_bytes
}

/// Whether LLVM has the processor gather elements that lie apart.
fn is_gathered(r: &Reference, facts: &Facts, machine: &Machine) -> bool {
    refs::are_gathered(&facts.ops, r.elem_bytes) && machine.vector_registers >= GATHERING_REGISTERS
}

/// What LLVM's table has for an element of a reference in vectors of so many lanes, where a load alone is 1.
fn listed(r: &Reference, facts: &Facts, direction: &[f64], (lanes, machine): (f64, &Machine)) -> f64 {
    let apart = r.stride_bytes(direction).abs() / r.elem_bytes;
    match () {
        () if lies(r, direction) => 1.0 / lanes,
        () if !r.irregular && apart <= INTERLEAVED && apart.fract() == 0.0 => 1.0,
        () if is_gathered(r, facts, machine) => 1.0 + AT_ONCE / lanes,
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
