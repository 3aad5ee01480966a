//! The original order seen with the cost model's eyes.

use super::layout::{PlanLoop, carry_of, nest};
use super::problem::{Hyperplane, Piece, Problem};
use crate::cost::{Carry, Estimate, Facts, Nest, Scenario};
use crate::deps::{Dep, DepKind, Dependences};
use crate::model::tree::{Member, Node};

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

/// Instructions of all iterations of an innermost loop up to which LLVM makes one piece of straight code of them, where
/// it knows their number.
const UNROLLED: f64 = 240.0;

/// Iterations of each of them up to which nobody enters them: longer ones it may put into vectors first.
const FEW_TRIPS: f64 = 8.0;

/// A nest of the original schedule, without sizes.
pub struct Original {
    group: Group,
    pieces: Vec<Piece>,
    /// Per statement of the group: what the innermost loop carries.
    carry: Vec<Carry>,
    /// The same with one of the loops around the innermost ones inside of these: the number of loops inside, all loops
    /// and what the one carries.
    exchanged: Vec<(usize, Vec<Hyperplane>, Carry)>,
}

/// What is known of the memory behind a nest's dependences.
pub struct Memory<'a> {
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
    fn goes_forward(&self, piece: &Piece, stmts: &[usize], loops: (&[&Hyperplane], &Hyperplane)) -> bool {
        let at = |stmt: usize| stmts.iter().position(|s| *s == stmt);
        let is_flow = |d: &Dep| d.kind == DepKind::Raw && (d.src.index(), d.dst.index()) == (piece.src, piece.dst);
        piece.is_read_before()
            || at(piece.src) < at(piece.dst)
                && (!self.deps.validity.iter().any(is_flow) || self.shared.is_empty() && is_next(piece, loops))
    }
}

/// Whether the dependence leads from each iteration of the loop inside of the others to the next one.
fn is_next(piece: &Piece, (outer, inner): (&[&Hyperplane], &Hyperplane)) -> bool {
    let inside = outer.iter().try_fold(piece.clone(), |piece, h| piece.at_zero(h));
    inside.is_some_and(|p| p.gens.iter().all(|g| p.distance(g, inner) == Some(i128::from(g[g.len() - 1]))))
}

/// Most innermost loops that LLVM makes straight code of.
const STRAIGHT: usize = 3;

/// The nests of the original schedule.
#[must_use]
pub fn nests(schedule: &Node, problem: &Problem, memory: &Memory<'_>) -> Vec<Original> {
    let count = problem.dims.len();
    let mut walk = Walk { count, next_band: 0, groups: Vec::new() };
    let all: Vec<usize> = (0..count).collect();
    walk.node(schedule, &all, &[], 0);
    let groups = walk.groups.into_iter().map(|(_, group)| {
        let inside = |p: &&Piece| group.stmts.contains(&p.src) && group.stmts.contains(&p.dst);
        let pieces: Vec<Piece> = problem.pieces.iter().filter(inside).cloned().collect();
        let carry = |loops: &[Hyperplane]| {
            let Some((inner, outer)) = loops.split_last() else { return vec![Carry::Chain; group.stmts.len()] };
            let outer: Vec<&Hyperplane> = outer.iter().collect();
            let carried = pieces.iter().map(|p| (p, carry_of(p, &outer, inner)));
            let binds = |(piece, carry): &(&Piece, Carry)| {
                !memory.is_of_sum(piece, &group.stmts, &pieces)
                    && (*carry != Carry::Chain || !memory.goes_forward(piece, &group.stmts, (&outer, inner)))
            };
            let binding: Vec<(&Piece, Carry)> = carried.filter(binds).collect();
            let of = |s: &usize| {
                let touching = binding.iter().filter(|(p, _)| p.src == *s || p.dst == *s);
                touching.map(|(_, carry)| *carry).max().unwrap_or(Carry::Nothing)
            };
            group.stmts.iter().map(of).collect()
        };
        let own: Vec<Carry> = carry(&group.loops);
        let most = group.loops.len().saturating_sub(1).min(STRAIGHT);
        let exchanged = (1..=most).map(|short| {
            let (mut loops, last) = (group.loops.clone(), group.loops.len() - 1);
            loops[last - short..].rotate_left(1);
            let carry = carry(&loops).into_iter().max().unwrap_or(Carry::Nothing);
            (short, loops, carry)
        });
        let exchanged = exchanged.collect();
        Original { group, pieces, carry: own, exchanged }
    });
    groups.collect()
}

/// What the original takes. `in_memory`: arrays that may share memory with others, as far as the compiler knows.
/// `usual`: facts of the largest sizes. Where these make an innermost loop so short that LLVM makes straight code of
/// it, the loop around it is innermost and may run in vectors.
#[must_use]
pub fn estimate(nests: &[Original], scenario: &Scenario, in_memory: &[usize], usual: &[Facts]) -> Estimate {
    let of = |original: &Original| {
        let Original { group: Group { loops, stmts }, pieces, carry, exchanged } = original;
        // A core looks ahead into the next iterations of a loop where these need what this one computes only at some
        // time, as rows of a triangular solve do.
        let late = |p: &Piece| loops.last().is_some_and(|inner| carry_of(p, &[], inner) == Carry::Some);
        let is_free = |s: usize, h: &Hyperplane| {
            pieces.iter().filter(|p| p.src == s || p.dst == s).all(|p| p.is_at_zero(h) || (p.src == p.dst && late(p)))
        };
        let nest_of = |loops: &[Hyperplane], carry: &[Carry], facts: &[Facts]| {
            let loops: Vec<PlanLoop<'_>> = loops.iter().map(PlanLoop::whole).collect();
            let made = nest(stmts, &loops, carry.to_vec(), facts, &is_free);
            Nest { in_memory: in_memory.to_vec(), warm: scenario.warm, may_gather: true, ..made }
                .with_sums_in_memory(facts)
        };
        let mut own = nest_of(loops, carry, &scenario.facts);
        // Instructions of all iterations of so many innermost loops.
        let instructions = |short: usize| {
            let made = nest_of(loops, carry, usual);
            let inside = &made.loops[made.loops.len() - short..];
            let of = |(at, s): (usize, &usize)| {
                inside.iter().map(|l| l.trips[at]).product::<f64>() * usual[*s].instructions()
            };
            stmts.iter().enumerate().map(of).sum::<f64>()
        };
        let trips = |short: usize| own.loops[own.loops.len() - short].trips.iter().copied().fold(1.0, f64::max);
        let is_straight = |short: &usize| trips(*short) <= FEW_TRIPS && instructions(*short) <= UNROLLED;
        own.straight = exchanged.iter().map(|(short, ..)| *short).take_while(is_straight).count();
        let as_it_is = own.estimate(&scenario.facts, &scenario.machine);
        let is_bound = carry.iter().any(|c| *c != Carry::Nothing);
        let fits = |(short, _, other): &&(usize, Vec<Hyperplane>, Carry)| {
            is_bound && *other == Carry::Nothing && instructions(*short) <= UNROLLED
        };
        let straight = exchanged.iter().filter(fits).map(|(short, loops, carry)| {
            let mut straight = nest_of(loops, &vec![*carry; stmts.len()], &scenario.facts);
            let last = straight.loops.len() - 1;
            for k in last - short..last {
                straight.jam[k] = straight.loops[k].trips.iter().copied().fold(1.0, f64::max);
            }
            straight.estimate_walking(&own, &scenario.facts, &scenario.machine)
        });
        straight.fold(as_it_is, |best, next| if next.cycles < best.cycles { next } else { best })
    };
    nests.iter().fold(Estimate::default(), |all, original| all.and(of(original), 1.0))
}
