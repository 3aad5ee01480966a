//! The original order seen with the cost model's eyes.

use super::layout::{PlanLoop, carry_of, nest};
use super::origins::{self, Origin};
use super::problem::{Hyperplane, Piece, Problem};
use super::recurrences;
use super::straight::{
    self, COUNTED, FEW_IN_VECTORS, FEW_TRIPS, STRAIGHT, UNROLLED, UNROLLED_APART, UNROLLED_LONG, UNROLLED_SUMS,
};
use crate::cost::nest::{LATENCY_FORWARD, QUICK_FORWARD};
use crate::cost::{Carry, Estimate, Facts, Loop, Machine, Nest, Scenario, Vectors};
use crate::deps::{Dep, DepKind, Dependences};
use crate::ids::ArrayId;
use crate::model::tree::{Member, Node};
use crate::model::{Access, AccessKind, ArrayKind, Scop};
use std::collections::{BTreeMap, BTreeSet};

/// A group of statements that share all their loops in the original order.
struct Group {
    loops: Vec<Hyperplane>,
    stmts: Vec<usize>,
}

/// Walks the tree; `loops` are the members above, `band` numbers the innermost band above.
struct Walk {
    count: usize,
    next_band: usize,
    groups: Vec<(usize, Group)>,
}

impl Walk {
    fn node(&mut self, node: &Node, stmts: &[usize], loops: &[Hyperplane], band: usize) {
        match node {
            Node::Filter(keep, child) => {
                let inside: Vec<usize> =
                    stmts.iter().copied().filter(|s| keep.keys().any(|k| k.index() == *s)).collect();
                self.node(child, &inside, loops, band);
            }
            Node::Band(b, child) => {
                let mut inner = loops.to_vec();
                inner.extend(b.members.iter().map(|m| rows(m, self.count)));
                self.next_band += 1;
                self.node(child, stmts, &inner, self.next_band);
            }
            Node::Leaf => match self.groups.iter_mut().find(|(b, _)| *b == band) {
                Some((_, group)) => group.stmts.extend_from_slice(stmts),
                None => self.groups.push((band, Group { loops: loops.to_vec(), stmts: stmts.to_vec() })),
            },
            plain => plain.children().iter().for_each(|child| self.node(child, stmts, loops, band)),
        }
    }
}

/// Rows `[dims | 1]` of a member; a quasi-affine member counts as constant.
fn rows(member: &Member, count: usize) -> Hyperplane {
    let mut out = vec![Vec::new(); count];
    for (id, aff) in &member.affs {
        let space = aff.space();
        let (np, d) = (space.n_param(), space.n_out());
        out[id.index()] = aff.as_affine().map_or_else(|| vec![0; d + 1], |r| r[np..].to_vec());
    }
    out
}

/// Part of the instances of the statement that has most from which on another one counts where these wait for results.
const OFTEN: f64 = 0.25;

/// A nest of the original schedule, without sizes.
pub struct Original {
    group: Group,
    pieces: Vec<Piece>,
    /// Per statement of the group: what the innermost loop carries.
    carry: Vec<Carry>,
    /// The same without scalars that each iteration has for itself, which count where loops inside are no loops.
    carry_alone: Vec<Carry>,
    /// See [`Nest::recurrence`].
    recurrence: [Option<f64>; 2],
    /// Per statement: the part of its instructions that no statement before it has, too.
    own: Vec<f64>,
    /// How many of the innermost loops run so often as the compiler knows.
    counted: usize,
    /// Whether the innermost loop carries sums that run in vectors in either order, and nothing that binds.
    adds: bool,
    /// The same with one of the loops around the innermost ones inside of these: the number of loops inside, all loops
    /// and what the one carries.
    exchanged: Vec<(usize, Vec<Hyperplane>, Carry)>,
}

/// What is known of the memory behind a nest's dependences.
pub struct Memory<'a> {
    pub scop: &'a Scop,
    /// Dependences, by kind.
    pub deps: &'a Dependences,
    /// Arrays that may share memory with others, as far as the compiler knows.
    pub shared: &'a [usize],
    /// Facts of all statements.
    pub facts: &'a [Facts],
}

impl Memory<'_> {
    /// Whether the dependence leads between updates of running values that LLVM computes in vectors: nothing else in
    /// the loop uses them.
    fn is_of_sum(&self, piece: &Piece, stmts: &[usize], all: &[Piece]) -> bool {
        let leaves = |p: &Piece| p.src == piece.src && p.dst != p.src && stmts.contains(&p.dst);
        piece.src == piece.dst && self.facts[piece.src].accumulates && !all.iter().any(leaves)
    }

    /// Whether LLVM runs the loop in vectors although it carries this chain: iterations of a vector run statement by
    /// statement, so that what leads from a statement to one after it is kept. Values that are stored for the next
    /// iteration are not loaded again, but stay in registers, where no other array may be in the way.
    fn goes_forward(
        &self,
        piece: &Piece,
        (groups, stmts): (&Groups<'_>, &[usize]),
        loops: (&[&Hyperplane], &Hyperplane),
    ) -> bool {
        let at = |stmt: usize| stmts.iter().position(|s| *s == stmt);
        piece.is_read_before()
            || at(piece.src) < at(piece.dst)
                && (!groups.flows(piece) || self.shared.is_empty() && is_next(piece, loops))
    }
}

/// The groups of a tree in the original order.
struct Groups<'a> {
    scop: &'a Scop,
    all: Vec<Group>,
    /// What is left of each dependence in the original, by its ends, kind and array.
    origins: BTreeMap<(usize, usize, DepKind, ArrayId), Origin>,
}

impl<'a> Groups<'a> {
    fn new(memory: &Memory<'a>, all: Vec<Group>) -> Self {
        let deps = memory.deps.binding().map(|(_, d)| d).chain(&memory.deps.reuse);
        let origin = |d: &Dep| ((d.src.index(), d.dst.index(), d.kind, d.array), origins::of(memory.scop, d));
        Self { scop: memory.scop, all, origins: deps.map(origin).collect() }
    }

    /// Statements between which values flow.
    fn flowing(&self) -> BTreeSet<(usize, usize)> {
        let flows = |((.., kind, _), origin): &(&(_, _, DepKind, _), &Origin)| {
            *kind == DepKind::Raw && **origin != Origin::Nothing
        };
        self.origins.iter().filter(flows).map(|((src, dst, ..), _)| (*src, *dst)).collect()
    }

    /// What is left of a piece, by kind.
    fn origins<'p>(&'p self, piece: &'p Piece) -> impl Iterator<Item = (DepKind, Origin)> + 'p {
        let of = |(kind, array): &(DepKind, ArrayId)| {
            let found = self.origins.get(&(piece.src, piece.dst, *kind, *array));
            (*kind, found.copied().unwrap_or(Origin::Memory))
        };
        piece.of.iter().map(of)
    }

    /// Whether the original code has nothing of it.
    fn is_nothing(&self, piece: &Piece) -> bool {
        self.origins(piece).all(|(_, origin)| origin == Origin::Nothing)
    }

    /// Whether a value flows there in the original code.
    fn flows(&self, piece: &Piece) -> bool {
        self.origins(piece).any(|(kind, origin)| kind == DepKind::Raw && origin != Origin::Nothing)
    }

    /// Whether all of it is of scalars of which each iteration of the innermost of these loops computes its own: other
    /// iterations have them in other registers.
    fn is_private(&self, piece: &Piece, loops: &[Hyperplane]) -> bool {
        self.origins(piece).all(|(_, origin)| match origin {
            Origin::Nothing => true,
            Origin::Scalar(scalar) => self.starts_anew(scalar, piece.dst, loops),
            Origin::Memory => false,
        })
    }

    /// Whether the scalar has a value of its own in each iteration of the innermost of these loops, before statement
    /// `user` runs: what is computed only where it is used has, and what a statement in front sets in each.
    fn starts_anew(&self, scalar: ArrayId, user: usize, loops: &[Hyperplane]) -> bool {
        let sets = |of: &[Access]| {
            let mut own = of.iter().filter(|a| origins::scalar(self.scop, a) == Some(scalar)).peekable();
            own.peek().is_some() && own.all(|a| a.kind != AccessKind::Read)
        };
        let in_front = |s: &&usize| **s <= user && sets(&self.scop.stmts[**s].accesses);
        matches!(self.scop.array(scalar).kind, ArrayKind::Value { .. })
            || self.all.iter().filter(|g| g.loops == loops).flat_map(|g| &g.stmts).any(|s| in_front(&s))
    }

    /// Cycles that an iteration of the innermost loop of a group waits for the ones before, in the statements that run
    /// in most iterations.
    fn recurrence(&self, Group { loops, stmts }: &Group, memory: &Memory<'_>) -> [Option<f64>; 2] {
        let Some(inner) = loops.last() else { return [None; 2] };
        let instances = |s: usize| memory.facts[s].trips.iter().product::<f64>();
        let most = stmts.iter().map(|s| instances(*s)).fold(0.0, f64::max);
        let often: Vec<usize> = stmts.iter().copied().filter(|s| instances(*s) >= OFTEN * most).collect();
        let direction = |stmt: usize| inner[stmt][..inner[stmt].len() - 1].to_vec();
        let starts_anew = |scalar: ArrayId, user: usize| self.starts_anew(scalar, user, loops);
        let is_shared = |array: ArrayId| memory.shared.contains(&array.index());
        let inner = recurrences::Inner {
            scop: self.scop,
            stmts: &often,
            direction: &direction,
            starts_anew: &starts_anew,
            is_shared: &is_shared,
        };
        inner.wait([LATENCY_FORWARD, QUICK_FORWARD]).map(|known| known.map(|cycles| cycles.max(1.0)))
    }
}

/// Whether the dependence leads from each iteration of the loop inside of the others to the next one.
fn is_next(piece: &Piece, (outer, inner): (&[&Hyperplane], &Hyperplane)) -> bool {
    let inside = outer.iter().try_fold(piece.clone(), |piece, h| piece.at_zero(h));
    inside.is_some_and(|p| p.gens.iter().all(|g| p.distance(g, inner) == Some(i128::from(g[g.len() - 1]))))
}

/// Arrays that may share memory with others, as far as the compiler knows.
#[must_use]
pub fn in_memory(scop: &Scop) -> Vec<usize> {
    scop.alias_groups.iter().flatten().map(|a| a.index()).collect()
}

/// The nests of the original schedule.
#[must_use]
pub fn nests(schedule: &Node, problem: &Problem, memory: &Memory<'_>) -> Vec<Original> {
    let count = problem.dims.len();
    let mut walk = Walk { count, next_band: 0, groups: Vec::new() };
    let all: Vec<usize> = (0..count).collect();
    walk.node(schedule, &all, &[], 0);
    let groups = Groups::new(memory, walk.groups.into_iter().map(|(_, group)| group).collect());
    let flows = groups.flowing();
    let nests = groups.all.iter().map(|group| {
        let inside = |p: &&Piece| group.stmts.contains(&p.src) && group.stmts.contains(&p.dst) && !groups.is_nothing(p);
        let pieces: Vec<Piece> = problem.pieces.iter().filter(inside).cloned().collect();
        // What the last of `loops` carries; without scalars that each iteration of the last of `alone` has for itself.
        let carry = |loops: &[Hyperplane], alone: Option<&[Hyperplane]>| {
            let Some((inner, outer)) = loops.split_last() else { return vec![Carry::Chain; group.stmts.len()] };
            let outer: Vec<&Hyperplane> = outer.iter().collect();
            let is_alone = |p: &&Piece| alone.is_some_and(|l| groups.is_private(p, l));
            let carried = pieces.iter().map(|p| (p, carry_of(p, &outer, inner)));
            let binds = |(piece, carry): &(&Piece, Carry)| {
                *carry != Carry::Nothing
                    && !memory.is_of_sum(piece, &group.stmts, &pieces)
                    && (*carry != Carry::Chain || !memory.goes_forward(piece, (&groups, &group.stmts), (&outer, inner)))
                    && !is_alone(piece)
            };
            let waits = |(p, carry)| (p, if is_cycle(&flows, p) { carry } else { Carry::min(carry, Carry::Some) });
            let binding: Vec<(&Piece, Carry)> = carried.filter(binds).map(waits).collect();
            let of = |s: &usize| {
                let touching = binding.iter().filter(|(p, _)| p.src == *s || p.dst == *s);
                touching.map(|(_, carry)| *carry).max().unwrap_or(Carry::Nothing)
            };
            group.stmts.iter().map(of).collect()
        };
        let own: Vec<Carry> = carry(&group.loops, None);
        let is_counted = |h: &&Hyperplane| group.stmts.iter().all(|s| is_counted(memory.scop, *s, &h[*s]));
        let counted = group.loops.iter().rev().take_while(is_counted).count();
        let most = group.loops.len().saturating_sub(1).min(STRAIGHT).min(counted);
        let exchanged = (1..=most).map(|short| {
            let (mut loops, last) = (group.loops.clone(), group.loops.len() - 1);
            loops[last - short..].rotate_left(1);
            let carry = carry(&loops, Some(&group.loops[..=last - short]));
            (short, loops, carry.into_iter().max().unwrap_or(Carry::Nothing))
        });
        let exchanged = exchanged.collect();
        let carry_alone = carry(&group.loops, Some(&group.loops));
        let adds = own.iter().all(|c| *c == Carry::Nothing)
            && pieces.iter().any(|p| memory.is_of_sum(p, &group.stmts, &pieces));
        let recurrence = if own.contains(&Carry::Chain) { groups.recurrence(group, memory) } else { [None; 2] };
        let (stmts, loops) = (group.stmts.clone(), group.loops.clone());
        Original {
            own: own_parts(memory.scop, &stmts),
            group: Group { loops, stmts },
            pieces,
            carry: own,
            carry_alone,
            recurrence,
            counted,
            adds,
            exchanged,
        }
    });
    nests.collect()
}

/// Whether what leads from a statement to another one comes back to it by values (`flows`): an iteration waits for
/// that, while a core goes on past what only may not be overtaken.
fn is_cycle(flows: &BTreeSet<(usize, usize)>, piece: &Piece) -> bool {
    let (mut seen, mut open) = (BTreeSet::from([piece.dst]), vec![piece.dst]);
    while let Some(at) = open.pop().filter(|at| *at != piece.src) {
        let next = flows.range((at, 0)..=(at, usize::MAX)).map(|(_, to)| *to);
        open.extend(next.filter(|to| seen.insert(*to)));
    }
    flows.contains(&(piece.src, piece.dst)) && seen.contains(&piece.src)
}

/// Whether no parameter bounds the dims that a loop of a statement goes along, or only as a condition inside of a loop
/// between constants does.
fn is_counted(scop: &Scop, stmt: usize, row: &[i64]) -> bool {
    let domain = &scop.stmts[stmt].domain;
    let (np, dims) = (domain.space().n_param(), domain.space().n_out());
    let along = |r: &[i64]| row.iter().zip(&r[np..]).take(dims).any(|(a, b)| a * b != 0);
    let is_free = |(_, r): &(_, Vec<i64>)| !along(r) || r[..np].iter().all(|c| *c == 0);
    let is_between = |rows: &[(_, Vec<i64>)]| {
        let is_alone =
            |r: &[i64], k: usize| r[..r.len() - 1].iter().enumerate().all(|(at, c)| (at == np + k) == (*c != 0));
        let bounds = |k: usize, sign: i64| rows.iter().any(|(_, r)| is_alone(r, k) && r[np + k].signum() == sign);
        (0..dims).filter(|k| row[*k] != 0).all(|k| bounds(k, 1) && bounds(k, -1))
    };
    domain.basics().iter().all(|b| b.rows_i64().is_ok_and(|rows| rows.iter().all(is_free) || is_between(&rows)))
}

/// The part of the instructions of each of these statements that none before it has, too: values that several of them
/// use are computed once. All of it where instructions are not known.
#[allow(clippy::cast_precision_loss)]
fn own_parts(scop: &Scop, stmts: &[usize]) -> Vec<f64> {
    let mut seen = BTreeSet::new();
    let part = |s: &usize| {
        let insts = scop.stmts[*s].body.insts();
        let own = insts.iter().filter(|inst| seen.insert(**inst)).count();
        if insts.is_empty() { 1.0 } else { own as f64 / insts.len() as f64 }
    };
    stmts.iter().map(part).collect()
}

/// Instructions of all iterations of so many innermost loops of a nest.
fn instructions(made: &Nest, original: &Original, short: usize, facts: &[Facts]) -> f64 {
    let inside = &made.loops[made.loops.len() - short..];
    let trips = |at: usize| inside.iter().map(|l| l.trips[at]).product::<f64>();
    let is_apart = !made.may_overlap(facts);
    let each = |at: usize, s: usize| match made.loops.last().filter(|_| is_apart) {
        Some(inner) => straight::instructions_apart(&facts[s], &inner.directions[at]),
        None => facts[s].original_instructions(),
    };
    let stmts = original.group.stmts.iter().zip(&original.own).enumerate();
    stmts.map(|(at, (s, own))| trips(at) * own * each(at, *s)).sum()
}

/// Facts as the original has them: with vectors whose increment is not known side by side, as most are, for which LLVM
/// makes a version of a loop, and without what it has in registers.
fn as_compiled(facts: &[Facts]) -> Vec<Facts> {
    let mut facts = facts.to_vec();
    for own in &mut facts {
        let read_back: usize = own.refs.iter().filter(|r| r.is_read_back).map(|r| r.count).sum();
        own.refs.retain(|r| !r.is_read_back);
        (own.loads, own.carried) = (own.loads - read_back, own.carried - read_back);
    }
    let all = || facts.iter().flat_map(|f| &f.refs);
    let spread: Vec<usize> = all().filter(|r| r.is_spread()).map(|r| r.array).collect();
    let spread: Vec<usize> = spread.into_iter().filter(|a| all().all(|r| r.array != *a || r.is_spread())).collect();
    for r in facts.iter_mut().flat_map(|f| &mut f.refs).filter(|r| spread.contains(&r.array)) {
        *r = r.side_by_side();
    }
    facts
}

/// What the original takes. `in_memory`: arrays that may share memory with others, as far as the compiler knows.
/// `usual`: facts of the largest sizes. Where these make an innermost loop so short that LLVM makes straight code of
/// it, the loop around it is innermost and may run in vectors.
#[must_use]
pub fn estimate(nests: &[Original], scenario: &Scenario, in_memory: &[usize], usual: &[Facts]) -> Estimate {
    let (facts, usual) = (&as_compiled(&scenario.facts)[..], &as_compiled(usual)[..]);
    let compiler = Compiler { nests, scenario, in_memory, usual, facts };
    nests.iter().fold(Estimate::default(), |all, original| all.and(compiler.estimate(original), 1.0))
}

/// LLVM, and what it has before it.
struct Compiler<'a> {
    nests: &'a [Original],
    scenario: &'a Scenario,
    in_memory: &'a [usize],
    usual: &'a [Facts],
    facts: &'a [Facts],
}

/// A nest of the original as LLVM finds it.
struct Found<'a> {
    original: &'a Original,
    own: Nest,
    /// Whether nothing that is read may be written elsewhere.
    is_apart: bool,
    /// Instructions of all iterations of 1, 2 ... innermost loops.
    instructions: Vec<f64>,
}

impl Found<'_> {
    /// Iterations of the outermost of so many innermost loops.
    fn trips(&self, short: usize) -> f64 {
        longest(&self.own.loops[self.own.loops.len() - short])
    }

    /// Whether LLVM makes straight code of so many innermost loops before it makes vectors.
    fn fits(&self, short: usize) -> bool {
        let most = match () {
            () if self.is_apart && self.trips(short) > COUNTED => UNROLLED_LONG,
            () if self.is_apart => UNROLLED_APART,
            () if self.original.adds => UNROLLED_SUMS,
            () => UNROLLED,
        };
        self.instructions[short - 1] <= most
    }

    /// Finds how many innermost loops nobody enters: loops around one that became a vector or two are straight code
    /// after it.
    fn straighten(&mut self, facts: &[Facts], machine: &Machine) {
        let may_be_vectors = self.is_apart && !self.original.adds;
        let few = if may_be_vectors { FEW_IN_VECTORS } else { FEW_TRIPS };
        let at_once = if may_be_vectors { self.own.at_once(facts, machine) } else { 1.0 };
        let left = |short: usize| self.instructions[short - 1] / if short > 1 { at_once } else { 1.0 };
        let is_straight = |short: &usize| self.trips(*short) <= few && left(*short) <= UNROLLED;
        self.own.straight = (1..=self.instructions.len()).take_while(is_straight).count();
        if self.overlaps() {
            self.own.vectors = Vectors::Straight;
        } else if self.own.straight > 1 {
            let last = self.own.loops.len() - 1;
            (last + 1 - self.own.straight..last).for_each(|k| self.own.jam[k] = longest(&self.own.loops[k]));
        }
        self.own.hoists = self.is_apart && self.own.is_straight_in_vectors(facts, machine);
    }

    /// Whether there is straight code that loads again what may have been written.
    fn overlaps(&self) -> bool {
        self.own.straight > 0 && !self.is_apart
    }
}

fn longest(of: &Loop) -> f64 {
    of.trips.iter().copied().fold(1.0, f64::max)
}

impl Compiler<'_> {
    fn nest(&self, original: &Original, loops: &[Hyperplane], carry: &[Carry], facts: &[Facts]) -> Nest {
        let (Group { loops: own, stmts }, pieces) = (&original.group, &original.pieces);
        // A core looks ahead into the next iterations of a loop where these need what this one computes only at some
        // time, as rows of a triangular solve do.
        let late = |p: &Piece| own.last().is_some_and(|inner| carry_of(p, &[], inner) == Carry::Some);
        let is_free = |s: usize, h: &Hyperplane| {
            pieces.iter().filter(|p| p.src == s || p.dst == s).all(|p| p.is_at_zero(h) || (p.src == p.dst && late(p)))
        };
        let loops: Vec<PlanLoop<'_>> = loops.iter().map(PlanLoop::whole).collect();
        let made = nest(stmts, &loops, carry.to_vec(), facts, &is_free);
        let (recurrence, warm) = (original.recurrence, self.scenario.warm);
        let in_memory = self.in_memory.to_vec();
        Nest { in_memory, recurrence, warm, may_gather: true, starts_soon: true, ..made }.with_sums_in_memory(facts)
    }

    /// Whether the last of these loops is innermost once LLVM has made straight code of all loops inside.
    fn is_innermost(&self, loops: &[Hyperplane]) -> bool {
        let is_inside = |n: &&Original| n.group.loops.len() > loops.len() && n.group.loops.starts_with(loops);
        let size_of = |n: &Original| {
            let depth = n.group.loops.len();
            if n.counted + loops.len() < depth {
                return f64::INFINITY;
            }
            let made = self.nest(n, &n.group.loops, &n.carry, self.usual);
            instructions(&made, n, depth - loops.len(), self.usual)
        };
        self.nests.iter().filter(is_inside).map(size_of).sum::<f64>() <= UNROLLED
    }

    fn find<'o>(&self, original: &'o Original) -> Found<'o> {
        let loops = &original.group.loops;
        let carry = if self.is_innermost(loops) { &original.carry_alone } else { &original.carry };
        let [own, usual] = [self.facts, self.usual].map(|facts| self.nest(original, loops, carry, facts));
        let instructions =
            original.exchanged.iter().map(|(short, ..)| instructions(&usual, original, *short, self.usual));
        let mut found =
            Found { original, instructions: instructions.collect(), is_apart: !own.may_overlap(self.facts), own };
        found.straighten(self.facts, &self.scenario.machine);
        found
    }

    /// The nest with one of the loops around straight code inside of that.
    fn around(&self, found: &Found<'_>, (short, loops, carry): &(usize, Vec<Hyperplane>, Carry)) -> Nest {
        let stmts = found.original.group.stmts.len();
        let mut made = self.nest(found.original, loops, &vec![*carry; stmts], self.facts);
        let last = made.loops.len() - 1;
        (last - short..last).for_each(|k| made.jam[k] = longest(&made.loops[k]));
        if *short < found.own.straight && found.overlaps() {
            made.vectors = Vectors::Straight;
        }
        made.hoists = found.is_apart && made.is_straight_in_vectors(self.facts, &self.scenario.machine);
        made
    }

    /// What a nest takes: the best that LLVM may make of it, or what its table says.
    fn estimate(&self, original: &Original) -> Estimate {
        let (found, machine) = (self.find(original), &self.scenario.machine);
        let estimated = |nest: &Nest| nest.estimate_walking(&found.own, self.facts, machine);
        let fits =
            |(short, _, carry): &&(usize, Vec<Hyperplane>, Carry)| *carry == Carry::Nothing && found.fits(*short);
        let others: Vec<(usize, Nest)> =
            original.exchanged.iter().filter(fits).map(|e| (e.0, self.around(&found, e))).collect();
        // What is straight code when LLVM makes vectors runs in those of the loop around it, where its table says so.
        let loops = &original.group.loops;
        let is_all = |short: usize| {
            let is_whole = short == original.counted && (1..=short).all(|k| found.fits(k));
            is_whole && self.is_innermost(&loops[..loops.len() - short])
        };
        let is_chosen = |(short, nest): &&(usize, Nest)| {
            let is_around =
                if found.is_apart { is_all(*short) } else { *short == found.own.straight && found.overlaps() };
            is_around && nest.prefers_vectors(self.facts, machine)
        };
        if let Some((_, nest)) = others.iter().find(is_chosen) {
            return estimated(&Nest { vectors: Vectors::Chosen, ..nest.clone() });
        }
        let as_it_is = found.own.estimate(self.facts, machine);
        let all = others.iter().map(|(_, nest)| estimated(nest));
        all.fold(as_it_is, |best, next| if next.cycles < best.cycles { next } else { best })
    }
}
