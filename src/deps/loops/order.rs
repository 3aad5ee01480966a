//! Whether the source of each pair of a dependence runs before its destination: the walk along two time vectors.

use super::step::{Floors, Settled, Step};
use super::{Reason, Violation};
use crate::deps::Dep;
use crate::deps::compute::{limit, pair_space};
use crate::deps::pair::Columns;
use crate::error::Failure;
use crate::ids::{ArrayId, StmtId};
use crate::model::Scop;
use crate::model::tree::flat::{FlatPiece, TimeDim};
use presburger::rows::{Conjunction, add_piece, negate, pieces_of, plus};
use presburger::{BasicMap, Budget, Map, Space};
use std::collections::BTreeMap;

/// Whether both ends are updates of elements of the dependence's array by one operation.
pub(crate) fn may_change_places(scop: &Scop, dep: &Dep) -> bool {
    let op = |id: StmtId| scop.stmt(id).reduction.as_ref().filter(|r| r.array == dep.array).map(|r| r.op);
    op(dep.src).is_some() && op(dep.src) == op(dep.dst)
}

/// Whether the source of each pair runs before its destination. Iterations that a GPU's blocks or threads run have
/// scalars of their own: it does not matter in which order two of them use one. That no value of it goes from one to
/// another is what the check of roles is for.
pub(crate) fn check_dep(
    scop: &Scop,
    dep: &Dep,
    flat: &BTreeMap<StmtId, Vec<FlatPiece>>,
    budget: &Budget,
) -> Result<Option<Violation>, Failure> {
    let (Some(srcs), Some(dsts)) = (flat.get(&dep.src), flat.get(&dep.dst)) else { return Ok(None) };
    for basic in dep.relation.basics() {
        for src in srcs {
            for dst in dsts {
                let found = check_between(scop, dep, (basic, src, dst), budget)?;
                if found.is_some() {
                    return Ok(found);
                }
            }
        }
    }
    Ok(None)
}

/// [`check_dep`] of the pairs of one part of the dependence between two pieces.
pub(crate) fn check_between(
    scop: &Scop,
    dep: &Dep,
    (basic, src, dst): (&BasicMap, &FlatPiece, &FlatPiece),
    budget: &Budget,
) -> Result<Option<Violation>, Failure> {
    let walk = Walk {
        scalar: Some(dep.array).filter(|a| !scop.array(*a).is_memory()),
        ..Walk::new(scop, dep.src, dep.dst, budget)
    };
    for poly in walk.pairs(basic, src, dst)? {
        if let Some(found) = walk.broken(poly, (src, dst), Goal::Order)? {
            return walk.witness(found).map(Some);
        }
    }
    Ok(None)
}

/// What a walk along two time vectors looks for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Goal {
    /// A pair whose destination does not come later.
    Order,
    /// A pair that agrees before the last component and differs in it.
    Coincidence,
}

pub(crate) struct Walk<'a> {
    scop: &'a Scop,
    src: StmtId,
    dst: StmtId,
    columns: Columns,
    /// What both use, if that is a scalar and it matters.
    scalar: Option<ArrayId>,
    budget: &'a Budget,
}

impl<'a> Walk<'a> {
    pub(crate) fn new(scop: &'a Scop, src: StmtId, dst: StmtId, budget: &'a Budget) -> Self {
        let columns = Columns { params: scop.params.len(), src: scop.stmt(src).dims(), dst: scop.stmt(dst).dims() };
        Walk { scop, src, dst, columns, scalar: None, budget }
    }

    fn space(&self) -> Space {
        pair_space(self.scop, self.src, self.dst)
    }

    /// The pairs of `basic` between two pieces of the schedule.
    pub(crate) fn pairs(
        &self,
        basic: &BasicMap,
        src: &FlatPiece,
        dst: &FlatPiece,
    ) -> Result<Vec<Conjunction>, Failure> {
        let poly = Conjunction::from_basic_map(basic).map_err(limit)?;
        let mut polys = vec![poly];
        for (piece, slot) in [(src, self.columns.src_slot()), (dst, self.columns.dst_slot())] {
            if !piece.is_restricted {
                continue;
            }
            let parts = pieces_of(&piece.domain).map_err(limit)?;
            let mut cut = Vec::with_capacity(polys.len() * parts.len());
            for (poly, part) in polys.iter().flat_map(|p| parts.iter().map(move |part| (p, part))) {
                let mut poly = poly.clone();
                add_piece(&mut poly, part, slot).map_err(limit)?;
                if !poly.is_surely_empty() {
                    cut.push(poly);
                }
            }
            polys = cut;
        }
        Ok(polys)
    }

    /// Pairs of `poly` that break the goal, if there is one.
    pub(crate) fn broken(
        &self,
        poly: Conjunction,
        pieces: (&FlatPiece, &FlatPiece),
        goal: Goal,
    ) -> Result<Option<Conjunction>, Failure> {
        if self.search(poly.clone(), pieces, Floors::Relaxed, goal)?.is_none() {
            return Ok(None);
        }
        self.search(poly, pieces, Floors::Exact, goal)
    }

    fn search(
        &self,
        mut poly: Conjunction,
        (src, dst): (&FlatPiece, &FlatPiece),
        floors: Floors,
        goal: Goal,
    ) -> Result<Option<Conjunction>, Failure> {
        let components = components((src, dst), goal, self.scalar);
        let last = components.len();
        let mut settled = Settled::default();
        for (k, (from, to, slack)) in components.into_iter().enumerate() {
            let (slack, has_own) = (slack.unwrap_or(0), slack.is_none());
            if poly.is_surely_empty() {
                return Ok(None);
            }
            match (from, to) {
                (TimeDim::Seq(a), TimeDim::Seq(b)) | (TimeDim::Any(a), TimeDim::Any(b)) if a == b => {}
                (TimeDim::Seq(a), TimeDim::Seq(b)) if a < b => return Ok(None),
                (TimeDim::Aff(a), TimeDim::Aff(b)) => {
                    let step = Step::between(&mut poly, self.columns, (a, b), floors)?.with_slack(slack)?;
                    if goal == Goal::Coincidence && k + 1 == last {
                        return if settled.implies(&step) { Ok(None) } else { self.apart(&poly, &step) };
                    }
                    if goal == Goal::Order && !has_own {
                        let violated = match step.sign() {
                            Some(sign) => self.smaller(&poly, sign)?,
                            None => None,
                        };
                        if violated.is_some() || step.surely_carries(&poly)? {
                            return Ok(violated);
                        }
                    }
                    step.agree(&mut poly, &mut settled)?;
                }
                _ if goal == Goal::Coincidence => return Ok(None),
                _ => return self.if_inhabited(poly),
            }
        }
        if goal == Goal::Coincidence { Ok(None) } else { self.if_inhabited(poly) }
    }

    /// A part of `poly` where the distance may differ from 0, unless it is empty.
    fn apart(&self, poly: &Conjunction, step: &Step) -> Result<Option<Conjunction>, Failure> {
        for row in step.distances() {
            for row in [row.as_slice(), &negate(row).map_err(limit)?] {
                let found = self.smaller(poly, row)?;
                if found.is_some() {
                    return Ok(found);
                }
            }
        }
        Ok(None)
    }

    /// The part of `poly` where `row < 0`, unless it is empty.
    fn smaller(&self, poly: &Conjunction, row: &[i64]) -> Result<Option<Conjunction>, Failure> {
        if poly.surely_nonneg(row).map_err(limit)? {
            return Ok(None);
        }
        let mut part = poly.clone();
        let below = plus(&negate(row).map_err(limit)?, -1).map_err(limit)?;
        part.add_ge(&below).map_err(limit)?;
        self.if_inhabited(part)
    }

    fn if_inhabited(&self, poly: Conjunction) -> Result<Option<Conjunction>, Failure> {
        if poly.is_empty(self.budget).map_err(limit)? {
            return Ok(None);
        }
        Ok(Some(poly))
    }

    /// Two instances of `poly` that share one time, if it has a point.
    pub(crate) fn witness_in(&self, poly: Conjunction) -> Result<Option<Violation>, Failure> {
        self.if_inhabited(poly)?.map(|poly| self.witness(poly)).transpose()
    }

    /// One of the pairs of a relation between the two statements, if it has one.
    pub(crate) fn witness_of(&self, relation: &Map) -> Result<Option<Violation>, Failure> {
        let Some(basic) = relation.basics().first() else { return Ok(None) };
        self.witness_in(Conjunction::from_basic_map(basic).map_err(limit)?)
    }

    /// One of the pairs, of which there is one. To find a pair may take much longer than to learn that there is one.
    pub(crate) fn witness(&self, poly: Conjunction) -> Result<Violation, Failure> {
        let set = poly.to_basic_map(self.space()).to_map().wrap();
        let point = set
            .sample(self.budget)
            .map_err(limit)?
            .ok_or_else(|| Failure::Bug("a violated pair has no witness".to_owned()))?;
        let (params, dims) = point.split_at(self.columns.params);
        let (src, dst) = dims.split_at(self.columns.src);
        let params = self.scop.params.iter().zip(params).map(|(p, v)| (p.name.clone(), *v)).collect();
        let (src, dst) = ((self.src, src.to_vec()), Some((self.dst, dst.to_vec())));
        Ok(Violation { reason: Reason::SameTime, params, src, dst })
    }
}

/// The components to walk, with how far apart values count as equal; `None`: iterations with different values have
/// `scalar` each for itself. A jammed loop runs groups of values: inside a
/// group the loops right below come first, then its own value, then the positions of statements.
fn components<'p>(
    (src, dst): (&'p FlatPiece, &'p FlatPiece),
    goal: Goal,
    scalar: Option<ArrayId>,
) -> Vec<(&'p TimeDim, &'p TimeDim, Option<i64>)> {
    let has_own = |at: usize| {
        let numbered = src.numbered.iter().find(|(k, _)| *k == at);
        numbered.zip(scalar).is_some_and(|((_, collected), scalar)| !collected.contains(&scalar))
    };
    let last = if goal == Goal::Coincidence { src.time.len().saturating_sub(1) } else { src.time.len() };
    let jams: Vec<(usize, i64)> =
        src.jams.iter().filter(|(k, f)| *k < last && *f > 1).map(|&(k, f)| (k, i64::from(f) - 1)).collect();
    let body_of = |k: usize| (k + 1..src.time.len()).find(|&at| !matches!(src.time[at], TimeDim::Aff(_)));
    let mut all = Vec::with_capacity(src.time.len() + jams.len());
    for at in 0..=src.time.len().min(dst.time.len()) {
        if goal == Goal::Order {
            let own = jams.iter().filter(|(k, _)| body_of(*k).unwrap_or(src.time.len()) == at);
            all.extend(own.map(|&(k, _)| (&src.time[k], &dst.time[k], Some(0))));
        }
        if let (Some(a), Some(b)) = (src.time.get(at), dst.time.get(at)) {
            let slack = jams.iter().find(|(k, _)| *k == at).map_or(0, |(_, slack)| *slack);
            all.push((a, b, Some(slack).filter(|_| !has_own(at))));
        }
    }
    all
}
