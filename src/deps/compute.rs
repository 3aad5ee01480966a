//! Memory-based dependences, exactly.
//!
//! For each ordered pair of accesses to one array the set of instance pairs that touch one element is cut by the level
//! that carries it: equal time before the level, later at the level. Each level is one conjunction, so no lexicographic
//! order relation is ever built.

use super::pair::{self, AccessPiece, Columns};
use super::{Dep, DepKind, Dependences};
use crate::error::{Failure, Limit};
use crate::ids::{ArrayId, StmtId};
use crate::model::tree::flat::{FlatPiece, TimeDim, flat_schedule};
use crate::model::{AccessKind, Operation, Scop};
use presburger::rows::{Conjunction, Pieces, Slot, add_piece, difference, pieces_of, place_aff, plus};
use presburger::{Budget, Map, Set, Space};
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

pub(super) const STAGE: &str = "dependences";
/// Coefficients of the conjunctions built for one step of the budget.
const CELLS_PER_STEP: u64 = 8;

pub(crate) fn limit(why: presburger::Error) -> Failure {
    Limit::of(STAGE)(why)
}

/// Which accesses are related, and whether by updates that may change places.
type Key = (DepKind, StmtId, StmtId, ArrayId, bool);

/// A statement piece with plain rows.
pub(super) struct Timed {
    pub stmt: StmtId,
    pub dims: usize,
    pub domain: Pieces,
    pub time: Vec<TimeDim>,
}

/// One access of a statement.
pub(super) struct Touch {
    pub stmt: StmtId,
    /// Position among the statement's accesses.
    pub at: usize,
    pub writes: bool,
    pub must: bool,
    /// The operation, if it is part of an update.
    pub update: Option<Operation>,
    pub pieces: Vec<AccessPiece>,
}

/// All dependences of `scop` in its original order; see [`super::compute`].
pub(super) fn memory_based(scop: &Scop, budget: &Budget) -> Result<Dependences, Failure> {
    let context = pieces_of(&context_of(scop, budget)?).map_err(limit)?;
    let timed = timed_pieces(&flat_schedule(&scop.schedule))?;
    let touches = touches_of(scop, &|_| true)?;
    let mut found: BTreeMap<Key, Vec<Conjunction>> = BTreeMap::new();
    for src in &timed {
        for dst in &timed {
            if !may_precede(&src.time, &dst.time) {
                continue;
            }
            for base in base_polys(src, dst, &context, columns_of(scop, src, dst))? {
                relate(scop, &touches, (src, dst), &base, &mut found, budget)?;
            }
        }
    }
    collect(scop, found, budget)
}

fn columns_of(scop: &Scop, src: &Timed, dst: &Timed) -> Columns {
    Columns { params: scop.params.len(), src: src.dims, dst: dst.dims }
}

/// `assumed` and `defined` without `invalid`: what holds whenever the transformed code runs.
pub(crate) fn context_of(scop: &Scop, budget: &Budget) -> Result<Set, Failure> {
    let holds = scop.contexts.assumed.intersect(&scop.contexts.defined);
    if scop.contexts.invalid.basics().is_empty() {
        Ok(holds)
    } else {
        holds.subtract(&scop.contexts.invalid, budget).map_err(limit)
    }
}

pub(super) fn timed_pieces(flat: &BTreeMap<StmtId, Vec<FlatPiece>>) -> Result<Vec<Timed>, Failure> {
    let mut timed = Vec::new();
    for (&stmt, pieces) in flat {
        for piece in pieces {
            let domain = pieces_of(&piece.domain).map_err(limit)?;
            timed.push(Timed { stmt, dims: piece.domain.space().n_out(), domain, time: piece.time.clone() });
        }
    }
    Ok(timed)
}

/// The accesses of each array that is wanted, in program order.
pub(super) fn touches_of(scop: &Scop, wanted: &dyn Fn(ArrayId) -> bool) -> Result<Vec<Vec<Touch>>, Failure> {
    let mut touches: Vec<Vec<Touch>> = scop.arrays.iter().map(|_| Vec::new()).collect();
    for stmt in &scop.stmts {
        for (at, access) in stmt.accesses.iter().enumerate().filter(|(_, a)| wanted(a.array)) {
            let pieces = pair::access_pieces(&access.relation).map_err(limit)?;
            touches[access.array.index()].push(Touch {
                stmt: stmt.id,
                at,
                writes: access.kind != AccessKind::Read,
                must: access.kind == AccessKind::MustWrite,
                update: stmt.updates_by(at),
                pieces,
            });
        }
    }
    Ok(touches)
}

/// Whether the leading sequence positions leave it open that the first runs before the second.
pub(super) fn may_precede(src: &[TimeDim], dst: &[TimeDim]) -> bool {
    for pair in src.iter().zip(dst) {
        match pair {
            (TimeDim::Seq(a), TimeDim::Seq(b)) if a != b => return a < b,
            (TimeDim::Seq(_), TimeDim::Seq(_)) => {}
            _ => return true,
        }
    }
    false
}

fn base_polys(src: &Timed, dst: &Timed, context: &Pieces, columns: Columns) -> Result<Vec<Conjunction>, Failure> {
    let mut polys = Vec::new();
    for condition in context {
        for from in &src.domain {
            for to in &dst.domain {
                let mut poly = Conjunction::universe(columns.end());
                add_piece(&mut poly, condition, columns.param_slot()).map_err(limit)?;
                add_piece(&mut poly, from, columns.src_slot()).map_err(limit)?;
                add_piece(&mut poly, to, columns.dst_slot()).map_err(limit)?;
                if !poly.is_surely_empty() {
                    polys.push(poly);
                }
            }
        }
    }
    Ok(polys)
}

fn relate(
    scop: &Scop,
    touches: &[Vec<Touch>],
    (src, dst): (&Timed, &Timed),
    base: &Conjunction,
    found: &mut BTreeMap<Key, Vec<Conjunction>>,
    budget: &Budget,
) -> Result<(), Failure> {
    let columns = columns_of(scop, src, dst);
    for (array, touches) in touches.iter().enumerate() {
        for a in touches.iter().filter(|t| t.stmt == src.stmt) {
            for b in touches.iter().filter(|t| t.stmt == dst.stmt) {
                let kind = match (a.writes, b.writes) {
                    (true, false) => DepKind::Raw,
                    (false, true) => DepKind::War,
                    (true, true) => DepKind::Waw,
                    (false, false) => continue,
                };
                let swaps = a.update.is_some() && a.update == b.update;
                let key = (kind, src.stmt, dst.stmt, ArrayId::new(array), swaps);
                for (x, y) in a.pieces.iter().flat_map(|x| b.pieces.iter().map(move |y| (x, y))) {
                    let mut poly = base.clone();
                    pair::add_same_element(
                        &mut poly,
                        (x, columns.src_slot()),
                        (y, columns.dst_slot()),
                        scop.arrays[array].sizes.len(),
                    )
                    .map_err(limit)?;
                    let levels = carried_levels(poly, (&src.time, columns.src_slot()), (&dst.time, columns.dst_slot()))
                        .map_err(limit)?;
                    budget.spend(levels.iter().map(Conjunction::cells).sum::<u64>() / CELLS_PER_STEP).map_err(limit)?;
                    if !levels.is_empty() {
                        found.entry(key).or_default().extend(levels);
                    }
                }
            }
        }
    }
    Ok(())
}

/// The part of `poly` that each level carries: equal time before it, later at it. Children of a set node are not
/// ordered.
pub(super) fn carried_levels(
    poly: Conjunction,
    (src, from): (&[TimeDim], Slot),
    (dst, to): (&[TimeDim], Slot),
) -> presburger::Result<Vec<Conjunction>> {
    let levels = carried_at(poly, (src, from), (dst, to), 0..=usize::MAX)?;
    Ok(levels.into_iter().map(|(_, level)| level).collect())
}

/// The same for some levels only, each with its position in the time.
pub(super) fn carried_at(
    poly: Conjunction,
    (src, from): (&[TimeDim], Slot),
    (dst, to): (&[TimeDim], Slot),
    wanted: RangeInclusive<usize>,
) -> presburger::Result<Vec<(usize, Conjunction)>> {
    let (mut rest, mut levels) = (poly, Vec::new());
    for (at, pair) in src.iter().zip(dst).enumerate().take_while(|(at, _)| at <= wanted.end()) {
        if rest.is_surely_empty() {
            break;
        }
        match pair {
            (TimeDim::Seq(a), TimeDim::Seq(b)) if a == b => {}
            (TimeDim::Any(a), TimeDim::Any(b)) if a == b => {}
            (TimeDim::Seq(a), TimeDim::Seq(b)) => {
                if a < b && wanted.contains(&at) {
                    levels.push((at, rest));
                }
                return Ok(levels);
            }
            (TimeDim::Aff(a), TimeDim::Aff(b)) => {
                let a = place_aff(&mut rest, a, from)?;
                let b = place_aff(&mut rest, b, to)?;
                let distance = difference(&b, &a)?;
                if wanted.contains(&at) {
                    let mut level = rest.clone();
                    level.add_ge(&plus(&distance, -1)?)?;
                    if !level.is_surely_empty() {
                        levels.push((at, level));
                    }
                }
                rest.add_eq(&distance)?;
            }
            _ => return Ok(levels),
        }
    }
    Ok(levels)
}

fn collect(scop: &Scop, found: BTreeMap<Key, Vec<Conjunction>>, budget: &Budget) -> Result<Dependences, Failure> {
    let mut dependences = Dependences::default();
    for ((kind, src, dst, array, swaps), polys) in found {
        let space = pair_space(scop, src, dst);
        let Some(relation) = union_of(&space, &polys, budget)? else { continue };
        let dep = Dep { kind, src, dst, array, relation };
        let list = if swaps { &mut dependences.reductions } else { &mut dependences.validity };
        list.push(dep);
    }
    Ok(dependences)
}

/// `{ Stmt<src> -> Stmt<dst> }` with the SCoP's parameters and the statements' dimension names.
pub(super) fn pair_space(scop: &Scop, src: StmtId, dst: StmtId) -> Space {
    let from = scop.stmt(src).domain.space();
    let to = scop.stmt(dst).domain.space();
    Space { params: from.params.clone(), input: Some(from.output.clone()), output: to.output.clone() }
}

/// The union of the conjunctions that are not empty, each once; `None` if all are.
fn union_of(space: &Space, polys: &[Conjunction], budget: &Budget) -> Result<Option<Map>, Failure> {
    let mut seen = Vec::new();
    let mut union: Option<Map> = None;
    for poly in polys {
        let rows = poly.sorted_rows();
        if seen.contains(&rows) {
            continue;
        }
        seen.push(rows);
        if !poly.is_empty(budget).map_err(limit)? {
            let basic = poly.to_basic_map(space.clone());
            union = Some(union.map_or_else(|| basic.to_map(), |u| u.union(&basic.to_map())));
        }
    }
    Ok(union)
}
