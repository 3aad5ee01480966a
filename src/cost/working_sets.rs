//! How much data the loops around a statement touch, and how much of it comes from behind each cache: for people, who
//! see by it what an order of loops is good for.
//!
//! In: a schedule tree, the usual [`super::Scenario`]. Out: [`WorkingSets`] of each statement. Approximate like all of
//! this room: each statement as if it ran alone.

use super::refs::to_f64;
use super::{Carry, Facts, Loop, Machine, Nest};
use crate::model::tree::Node;
use crate::model::tree::flat::{TimeDim, flat_schedule};
use crate::model::{Scop, Stmt};
use presburger::Aff;

/// A loop around a statement.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Around {
    /// The statement's dim that it counts.
    pub dim: usize,
    /// Iterations of `dim` in each of its own, if it runs over tiles.
    pub tile: Option<i64>,
    /// How often it runs.
    pub trips: f64,
}

/// What a statement touches in some order.
#[derive(Clone, Debug, PartialEq)]
pub struct WorkingSets {
    /// Its loops, outermost first.
    pub loops: Vec<Around>,
    /// Bytes that all the loops touch, then those inside of the first one in one of its iterations, and so on.
    pub bytes: Vec<f64>,
    /// Bytes that come from behind the first, second and last cache.
    pub moved: [f64; 3],
}

/// What each statement touches in the order of a tree; `None` where one of its loops runs along several dims, or the
/// tree splits it.
#[must_use]
pub fn of_tree(scop: &Scop, tree: &Node, facts: &[Facts], machine: &Machine) -> Vec<Option<WorkingSets>> {
    let flat = flat_schedule(tree);
    let of = |(at, stmt): (usize, &Stmt)| {
        let [piece] = &flat.get(&stmt.id)?[..] else { return None };
        let affs = piece.time.iter().filter_map(|t| if let TimeDim::Aff(aff) = t { Some(aff) } else { None });
        let params = scop.params.len();
        let mut loops: Vec<(usize, Option<i64>)> = Vec::new();
        for aff in affs.filter(|aff| aff.row().iter().any(|c| *c != 0)) {
            loops.push(counted(aff, params, facts[at].trips.len())?);
        }
        Some(of_loops(at, &with_trips(&loops, &facts[at].trips), facts, machine))
    };
    scop.stmts.iter().enumerate().map(of).collect()
}

/// The dim that a loop counts, and the size of its tiles.
fn counted(aff: &Aff, params: usize, dims: usize) -> Option<(usize, Option<i64>)> {
    let only = |row: &[i64]| {
        let mut used = (params..row.len() - 1).filter(|k| row[*k] != 0);
        used.next().filter(|_| used.next().is_none()).map(|k| (k - params, row[k]))
    };
    let (at, factor) = only(aff.row())?;
    match (at.checked_sub(dims), factor.abs()) {
        (None, 1) => Some((at, None)),
        (Some(floor), 1) => {
            let div = aff.divs().get(floor)?;
            let (dim, factor) = only(&div.num)?;
            (dim < dims && factor.abs() == 1).then_some((dim, Some(div.den)))
        }
        _ => None,
    }
}

/// How often each loop runs: the iterations of a dim are dealt out to its loops, outermost first.
fn with_trips(loops: &[(usize, Option<i64>)], trips: &[f64]) -> Vec<Around> {
    let mut left = trips.to_vec();
    let around = |&(dim, tile): &(usize, Option<i64>)| {
        let size = tile.map_or(1.0, to_f64).min(left[dim]);
        let trips = (left[dim] / size).max(1.0);
        left[dim] = size;
        Around { dim, tile, trips }
    };
    loops.iter().map(around).collect()
}

fn of_loops(at: usize, loops: &[Around], facts: &[Facts], machine: &Machine) -> WorkingSets {
    let dims = facts[at].trips.len();
    let one = |l: &Around| {
        let mut direction = vec![0.0; dims];
        direction[l.dim] = l.tile.map_or(1.0, to_f64);
        Loop { directions: vec![direction], trips: vec![l.trips] }
    };
    let nest = Nest {
        stmts: vec![at],
        loops: loops.iter().map(one).collect(),
        carry: vec![Carry::Nothing],
        free: vec![vec![true; loops.len()]],
        jam: vec![1.0; loops.len()],
        lanes: 1.0,
        may_gather: true,
        starts_soon: true,
        ..Nest::default()
    };
    WorkingSets { loops: loops.to_vec(), bytes: nest.touched(facts), moved: nest.moved(facts, machine) }
}
