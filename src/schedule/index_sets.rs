//! Index-set splitting: domains cut where a dependence changes its direction, and the far side counted from its other
//! end.
//!
//! In: a SCoP and its dependences. Out: the same code with such domains in two halves per cut ([`Split`]), each a
//! statement of its own, or nothing where no dependence asks for it. A dependence between `i` and `i'` with
//! `i + i' = c` for a fixed `c` (reversed copies `a[i] = a[N-1-i]`; the wrap-around of a periodic stencil, between the
//! first and the last element) that spans the whole loop turns at `2i = c`. On the halves `2i <= c` and `2i > c` such a
//! dependence goes from one half to the other only. The far half is mirrored, `x = c - i`: then elements that depend on
//! each other across the ends have equal or neighbouring values, so that the loops can be shared, skewed and tiled as
//! if the ends met.
//! Sources: Griebl, Feautrier, Lengauer, IJPP 28(6), 2000 (index set splitting); Bondhugula, Bandishti, Cohen, Potron,
//! Vasilache, PACT 2014 (cuts in the middle of long dependences; periodic domains as folded ones).

use super::STAGE;
use super::graph;
use super::problem::{self, Piece, Problem};
use crate::deps::{self, Dependences};
use crate::error::{Failure, Limit};
use crate::ids::StmtId;
use crate::model::split::{Parts, split};
use crate::model::{Scop, Stmt};
use presburger::rows::{Vector, nullspace};
use presburger::{Budget, Kind, Set};
use std::collections::{BTreeMap, BTreeSet};

/// Dims counted from their other end: `x = row . [params | 1] - i` for the dim of a statement, by statement and dim.
pub type Reversals = BTreeMap<(StmtId, usize), Vec<i64>>;

/// A SCoP whose domains may have been split.
#[derive(Clone, Debug)]
pub struct Split {
    /// The code.
    pub scop: Scop,
    /// Its dependences.
    pub deps: Dependences,
    /// For [`super::Config::reversals`].
    pub reversals: Reversals,
}

/// Distances up to this are near, whatever the sum.
const NEAR: i64 = 32;
/// Cuts in one statement.
const MAX_CUTS: usize = 2;
/// Statements after splitting.
const MAX_STATEMENTS: usize = 32;

/// A cut of dim `dim` at `2i = row . [params | 1]` through a connected group of statements.
struct Cut {
    dim: usize,
    row: Vec<i64>,
    stmts: Vec<usize>,
}

/// The code with domains split wherever a dependence turns; `None` if none does.
///
/// # Errors
/// `Limit` when the budget is spent.
pub fn of(scop: &Scop, deps: &Dependences, budget: &Budget) -> Result<Option<Split>, Failure> {
    let problem = problem::extract(scop, deps, &Reversals::new(), budget)?;
    let cuts = cuts(scop, &problem);
    let mut parts = Parts::new();
    let mut mirrored: BTreeMap<StmtId, Vec<Vec<usize>>> = BTreeMap::new();
    let mut count = scop.stmts.len();
    for (s, stmt) in scop.stmts.iter().enumerate() {
        let own: Vec<usize> = (0..cuts.len()).filter(|&k| cuts[k].stmts.contains(&s)).collect();
        if !own.is_empty() {
            let (sets, sides) = halves(stmt, &own, &cuts, budget)?;
            count += sets.len().saturating_sub(1);
            parts.insert(stmt.id, sets);
            mirrored.insert(stmt.id, sides);
        }
    }
    if parts.is_empty() || count > MAX_STATEMENTS {
        return Ok(None);
    }
    let (code, ids) = split(scop, &parts);
    let mut reversals = Reversals::new();
    for (of, ids) in &ids {
        for (id, far) in ids.iter().zip(&mirrored[of]) {
            for &at in far {
                reversals.insert((*id, cuts[at].dim), cuts[at].row.clone());
            }
        }
    }
    let deps = deps::compute(&code, budget)?;
    Ok(Some(Split { scop: code, deps, reversals }))
}

/// The parts of a domain that have instances, and on the far side of which of the cuts `own` each lies.
fn halves(stmt: &Stmt, own: &[usize], cuts: &[Cut], budget: &Budget) -> Result<(Vec<Set>, Vec<Vec<usize>>), Failure> {
    let mut parts: Vec<(Set, Vec<usize>)> = vec![(stmt.domain.clone(), Vec::new())];
    let space = stmt.domain.space();
    let (np, last) = (space.n_param(), space.n_param() + space.n_out());
    for &at in own {
        let cut = &cuts[at];
        let mut near = vec![0; last + 1];
        near[..np].copy_from_slice(&cut.row[..np]);
        (near[last], near[np + cut.dim]) = (cut.row[np], -2);
        let mut far: Vec<i64> = near.iter().map(|x| -x).collect();
        far[last] -= 1;
        let mut next = Vec::new();
        for (set, side) in parts {
            for (row, beyond) in [(&near, None), (&far, Some(at))] {
                let half = set.add(Kind::Ge, row);
                if !half.is_empty(budget).map_err(Limit::of(STAGE))? {
                    next.push((half, side.iter().copied().chain(beyond).collect()));
                }
            }
        }
        parts = next;
    }
    Ok(parts.into_iter().unzip())
}

/// The cut of each dim of each connected group of statements that most of its long dependences ask for. Groups with
/// scalars are left alone.
fn cuts(scop: &Scop, problem: &Problem) -> Vec<Cut> {
    let mut cuts = Vec::new();
    let both = |p: &Piece| [(p.src, p.dst), (p.dst, p.src)];
    let edges: Vec<(usize, usize)> = problem.pieces.iter().flat_map(both).collect();
    for group in graph::components(scop.stmts.len(), &edges) {
        let in_memory = |a: &crate::model::Access| scop.array(a.array).is_memory();
        if group.iter().any(|&s| !scop.stmts[s].accesses.iter().all(in_memory)) {
            continue;
        }
        let mut votes: BTreeMap<usize, BTreeMap<Vec<i64>, usize>> = BTreeMap::new();
        let mut vote = |dim: usize, row: Vec<i64>| *votes.entry(dim).or_default().entry(row).or_default() += 1;
        for piece in problem.pieces.iter().filter(|p| group.contains(&p.src)) {
            for dim in 0..problem.dims[piece.src].min(problem.dims[piece.dst]) {
                if let Some(row) = turning_point(piece, dim, problem) {
                    vote(dim, row);
                }
            }
        }
        let deepest = group.iter().map(|&s| problem.dims[s]).max().unwrap_or(0);
        for dim in 0..deepest {
            let without: Vec<usize> = group.iter().copied().filter(|&s| problem.dims[s] <= dim).collect();
            bridged(&without, dim, problem).into_iter().for_each(|row| vote(dim, row));
        }
        for (dim, rows) in votes.into_iter().take(MAX_CUTS) {
            let most = rows.values().max().copied();
            let stmts: Vec<usize> = group.iter().copied().filter(|&s| problem.dims[s] > dim).collect();
            if let Some((row, _)) = rows.into_iter().find(|(_, n)| Some(*n) == most) {
                cuts.push(Cut { dim, row, stmts });
            }
        }
    }
    cuts
}

/// The sums, rows over `[params | 1]`, of each two far apart values of `dim` that one of these statements, or a
/// dependence between two of them, joins: they have no such dim, stand for one end of the loop each, and depend on
/// elements at the other.
fn bridged(without: &[usize], dim: usize, problem: &Problem) -> Vec<Vec<i64>> {
    let np = problem.params;
    let ends: BTreeMap<usize, Vec<Vec<i64>>> = without.iter().map(|&s| (s, ends(s, dim, problem))).collect();
    let mut sums = Vec::new();
    let mut join = |a: &[i64], b: &[i64]| {
        if a[..np] != b[..np] || (a[np] - b[np]).abs() > NEAR {
            sums.push(a.iter().zip(b).map(|(x, y)| x + y).collect());
        }
    };
    for own in ends.values() {
        own.iter().enumerate().for_each(|(k, a)| own[..k].iter().for_each(|b| join(a, b)));
    }
    for piece in problem.pieces.iter().filter(|p| p.src != p.dst) {
        if let (Some(src), Some(dst)) = (ends.get(&piece.src), ends.get(&piece.dst)) {
            src.iter().for_each(|a| dst.iter().for_each(|b| join(a, b)));
        }
    }
    sums
}

/// The values of `dim`, rows over `[params | 1]`, that statement `s`, which has no such dim, depends on or that depend
/// on it.
fn ends(s: usize, dim: usize, problem: &Problem) -> Vec<Vec<i64>> {
    let mut found = BTreeSet::new();
    for piece in &problem.pieces {
        let (ds, dd) = (problem.dims[piece.src], problem.dims[piece.dst]);
        let column = match (piece.src == s, piece.dst == s) {
            (true, false) if dd > dim => ds + dim,
            (false, true) if ds > dim => dim,
            _ => continue,
        };
        found.extend(determined(piece, ds + dd, problem.params, |g| g[column]));
    }
    found.into_iter().collect()
}

/// The row `c` over `[params | 1]` with `i + i' = c` on the whole dependence, for the values of `dim` at its ends, if
/// these are far apart.
fn turning_point(piece: &Piece, dim: usize, problem: &Problem) -> Option<Vec<i64>> {
    let (ds, np) = (problem.dims[piece.src], problem.params);
    let own = ds + problem.dims[piece.dst];
    let is_far = piece.gens.iter().any(|g| {
        let distance = (g[ds + dim] - g[dim]).abs();
        distance > NEAR.saturating_mul(g[own + np])
    });
    if !is_far {
        return None;
    }
    determined(piece, own, np, |g| g[dim] + g[ds + dim])
}

/// The row over `[params | 1]` that `value` in the dims, is equal to on the whole dependence, whose statements have
/// `own` dims.
fn determined(piece: &Piece, own: usize, np: usize, value: impl Fn(&Vector) -> i64) -> Option<Vec<i64>> {
    let row = |g: &Vector| g[own..=own + np].iter().copied().chain([value(g)]).collect();
    let rows: Vec<Vec<i64>> = piece.gens.iter().map(row).collect();
    let basis = nullspace(&rows, np + 2)?;
    let found = basis.into_iter().find(|v| v[np + 1] != 0)?;
    let scale = -found[np + 1];
    found[..=np].iter().map(|x| (x % scale == 0).then(|| x / scale)).collect()
}
