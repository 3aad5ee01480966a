//! The original order seen with the cost model's eyes.

use super::layout::{PlanLoop, carry_of, nest};
use super::problem::{Hyperplane, Piece, Problem};
use crate::cost::{Carry, Facts, Nest};
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

/// The nests of the original schedule.
#[must_use]
pub fn nests(schedule: &Node, problem: &Problem, facts: &[Facts]) -> Vec<Nest> {
    let mut walk = Walk { count: facts.len(), next_band: 0, groups: Vec::new() };
    let all: Vec<usize> = (0..facts.len()).collect();
    walk.node(schedule, &all, &[], 0);
    walk.groups
        .iter()
        .map(|(_, group)| {
            let inside = |p: &&Piece| group.stmts.contains(&p.src) && group.stmts.contains(&p.dst);
            let pieces: Vec<Piece> = problem.pieces.iter().filter(inside).cloned().collect();
            let carry = match group.loops.split_last() {
                Some((inner, outer)) => {
                    let outer: Vec<&Hyperplane> = outer.iter().collect();
                    pieces.iter().map(|p| carry_of(p, &outer, inner)).max().unwrap_or(Carry::Nothing)
                }
                None => Carry::Chain,
            };
            let loops: Vec<PlanLoop<'_>> = group.loops.iter().map(PlanLoop::whole).collect();
            nest(&group.stmts, &loops, vec![carry; group.stmts.len()], facts)
        })
        .collect()
}
