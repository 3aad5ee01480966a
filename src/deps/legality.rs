//! Proof that a schedule tree respects every dependence. Shares no code with the scheduler.
//!
//! In: a SCoP, its dependences, a schedule tree (tiles as floors, sequences, filters, sets). Out: [`Verdict::Legal`], or the first
//! violation with concrete parameter values and instances.
//! A tree is legal when (1) every instance of the original domain is scheduled exactly once, (2) two instances of a statement never
//! share a time, (3) for each pair of each validity dependence the time of the source is lexicographically smaller than that of the
//! destination. For (3) the time vectors are walked level by level on the pairs whose earlier components are equal: a smaller
//! destination component violates, a greater one is done, equal ones go on; whoever reaches the end violates. Children of a set
//! node are not ordered, so a pair across them violates. (4) A statement that the original order does not have (one that an extension
//! node adds, say a copy) writes only arrays that no statement of the original order touches.
//! Trees are lowered first: extension and expansion nodes mean what [`crate::model::tree::lower`] makes of them.
//!
//! Updates of one element by one operation ([`Dependences::reductions`]) may change places: (3) is not asked of them where the SCoP says
//! that both statements are such updates, and of every other pair in that list it is.
//!
//! Floors are first left out where `floor(a/k)` of both sides can be compared through `a` (floor is monotone); that keeps a superset
//! of the pairs, so a proof on it is a proof. Only when it fails the walk is repeated with every floor as an existential: exact.
//! Members to be unrolled and jammed run groups of consecutive values interleaved, wherever the groups start: the proof holds for
//! every start and for loops that are not jammed in the end; there, and only there, it may refuse a legal order.

pub use super::coincident::{check_coincident, is_coincident, withdraw};
use super::compute::{limit, overflow, pair_space};
use super::pair;
use super::poly::{Columns, Poly, negated, plus};
use super::step::{Floors, Settled, Step};
use super::{Dep, DepKind, Dependences};
use crate::error::Failure;
use crate::ids::StmtId;
use crate::model::Scop;
use crate::model::tree::flat::{FlatPiece, TimeDim, flat_schedule};
use crate::model::tree::{Node, lower};
use presburger::{BasicMap, Budget, Space};
use std::collections::BTreeMap;
use std::fmt;

/// Answer of [`check`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Proved: the schedule respects every dependence and runs every instance once.
    Legal,
    /// Disproved.
    Illegal(Violation),
}

impl Verdict {
    /// Whether the schedule is proved legal.
    #[must_use]
    pub fn is_legal(&self) -> bool {
        *self == Verdict::Legal
    }
}

/// Why a schedule is illegal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Which rule is broken.
    pub reason: Reason,
    /// Names and values of the parameters of the witness.
    pub params: Vec<(String, i64)>,
    /// The instance that must run first (or the instance concerned).
    pub src: (StmtId, Vec<i64>),
    /// The instance that must run after `src`, when the rule is about two instances.
    pub dst: Option<(StmtId, Vec<i64>)>,
}

/// The rules a schedule can break.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// `dst` depends on `src` (kind, and position in [`Dependences::validity`], what is bound of [`Dependences::reductions`] counted on)
    /// but does not run after it.
    Dependence(DepKind, usize),
    /// The loop of a member said to be coincident carries a dependence from `src` to `dst` (position in the list, that of
    /// [`Dependences::reductions`] counted on).
    Carried(DepKind, usize),
    /// The instance is not scheduled.
    Missing,
    /// The instance is scheduled more than once.
    Twice,
    /// Two instances of one statement share their whole time vector.
    SameTime,
    /// An instance is scheduled that the original code does not run.
    Extra,
    /// A band has no value for a statement that reaches it.
    NoValue,
    /// The instance, of a statement that the original order does not have, writes an array that others touch.
    Overwrites,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let instance = |(id, point): &(StmtId, Vec<i64>)| {
            let dims: Vec<String> = point.iter().map(ToString::to_string).collect();
            format!("{id}[{}]", dims.join(", "))
        };
        let src = instance(&self.src);
        let dst = self.dst.as_ref().map_or_else(String::new, instance);
        match self.reason {
            Reason::Dependence(kind, _) => write!(f, "{dst} must run after {src} ({kind} dependence) but does not")?,
            Reason::Carried(kind, _) => {
                write!(f, "a loop marked parallel carries the {kind} dependence from {src} to {dst}")?
            }
            Reason::Missing => write!(f, "{src} is not scheduled")?,
            Reason::Twice => write!(f, "{src} is scheduled more than once")?,
            Reason::SameTime => write!(f, "{src} and {dst} share one time")?,
            Reason::Extra => write!(f, "{src} is scheduled but not part of the code")?,
            Reason::Overwrites => write!(f, "{src} was added and writes what the code uses")?,
            Reason::NoValue => write!(f, "a band has no value for {src}")?,
        }
        let params: Vec<String> = self.params.iter().map(|(n, v)| format!("{n} = {v}")).collect();
        if params.is_empty() { Ok(()) } else { write!(f, ", for {}", params.join(", ")) }
    }
}

/// Decides whether `tree` is a legal schedule for `scop`, whose dependences are `deps`. Exact, but for members with
/// [`crate::model::tree::AstOption::UnrollJam`]: `Illegal` may then be said of an order that unfortunate groups alone would break.
///
/// # Errors
/// `Limit` when the budget is spent or a coefficient leaves i64; the caller must then assume "not legal".
pub fn check(scop: &Scop, deps: &Dependences, tree: &Node, budget: &Budget) -> Result<Verdict, Failure> {
    let tree = &*lower::lowered(tree, budget).map_err(|e| Failure::Bug(e.0))?;
    if let Some(violation) = super::cover::check(scop, tree, budget)? {
        return Ok(Verdict::Illegal(violation));
    }
    let flat = flat_schedule(tree);
    if let Some(violation) = super::cover::check_distinct(scop, &flat, budget)? {
        return Ok(Verdict::Illegal(violation));
    }
    let bound = deps.validity.iter().chain(deps.reductions.iter().filter(|d| !may_change_places(scop, d)));
    for (k, dep) in bound.enumerate() {
        if let Some(violation) = check_dep(scop, dep, &flat, budget)? {
            return Ok(Verdict::Illegal(Violation { reason: Reason::Dependence(dep.kind, k), ..violation }));
        }
    }
    Ok(Verdict::Legal)
}

/// Whether both ends are updates of elements of the dependence's array by one operation.
fn may_change_places(scop: &Scop, dep: &Dep) -> bool {
    let op = |id: StmtId| scop.stmt(id).reduction.as_ref().filter(|r| r.array == dep.array).map(|r| r.op);
    op(dep.src).is_some() && op(dep.src) == op(dep.dst)
}

fn check_dep(
    scop: &Scop,
    dep: &Dep,
    flat: &BTreeMap<StmtId, Vec<FlatPiece>>,
    budget: &Budget,
) -> Result<Option<Violation>, Failure> {
    let (Some(srcs), Some(dsts)) = (flat.get(&dep.src), flat.get(&dep.dst)) else { return Ok(None) };
    for basic in dep.relation.basics() {
        for src in srcs {
            for dst in dsts {
                let walk = Walk::new(scop, dep.src, dep.dst, budget);
                for poly in walk.pairs(basic, src, dst)? {
                    if let Some(found) = walk.broken(poly, (src, dst), Goal::Order)? {
                        return walk.witness(found).map(Some);
                    }
                }
            }
        }
    }
    Ok(None)
}

/// What a walk along two time vectors looks for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Goal {
    /// A pair whose destination does not come later.
    Order,
    /// A pair that agrees before the last component and differs in it.
    Coincidence,
}

pub(super) struct Walk<'a> {
    scop: &'a Scop,
    src: StmtId,
    dst: StmtId,
    columns: Columns,
    budget: &'a Budget,
}

impl<'a> Walk<'a> {
    pub(super) fn new(scop: &'a Scop, src: StmtId, dst: StmtId, budget: &'a Budget) -> Self {
        let columns = Columns { params: scop.params.len(), src: scop.stmt(src).dims(), dst: scop.stmt(dst).dims() };
        Walk { scop, src, dst, columns, budget }
    }

    fn space(&self) -> Space {
        pair_space(self.scop, self.src, self.dst)
    }

    /// The pairs of `basic` between two pieces of the schedule.
    pub(super) fn pairs(&self, basic: &BasicMap, src: &FlatPiece, dst: &FlatPiece) -> Result<Vec<Poly>, Failure> {
        let poly = Poly::from_basic_map(basic, self.columns)?;
        let mut polys = vec![poly];
        for (piece, slot) in [(src, self.columns.src_slot()), (dst, self.columns.dst_slot())] {
            if !piece.is_restricted {
                continue;
            }
            let parts = pair::pieces_of(&piece.domain).map_err(limit)?;
            let mut cut = Vec::with_capacity(polys.len() * parts.len());
            for (poly, part) in polys.iter().flat_map(|p| parts.iter().map(move |part| (p, part))) {
                let mut poly = poly.clone();
                pair::add_piece(&mut poly, part, slot).map_err(overflow)?;
                if !poly.is_surely_empty() {
                    cut.push(poly);
                }
            }
            polys = cut;
        }
        Ok(polys)
    }

    /// Pairs of `poly` that break the goal, if there is one.
    pub(super) fn broken(
        &self,
        poly: Poly,
        pieces: (&FlatPiece, &FlatPiece),
        goal: Goal,
    ) -> Result<Option<Poly>, Failure> {
        if self.search(poly.clone(), pieces, Floors::Relaxed, goal)?.is_none() {
            return Ok(None);
        }
        self.search(poly, pieces, Floors::Exact, goal)
    }

    fn search(
        &self,
        mut poly: Poly,
        (src, dst): (&FlatPiece, &FlatPiece),
        floors: Floors,
        goal: Goal,
    ) -> Result<Option<Poly>, Failure> {
        let components = components(src, dst, goal);
        let last = components.len();
        let mut settled = Settled::default();
        for (k, (from, to, slack)) in components.into_iter().enumerate() {
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
                    if goal == Goal::Order {
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
    fn apart(&self, poly: &Poly, step: &Step) -> Result<Option<Poly>, Failure> {
        for row in step.distances() {
            for row in [row.as_slice(), &negated(row).map_err(overflow)?] {
                let found = self.smaller(poly, row)?;
                if found.is_some() {
                    return Ok(found);
                }
            }
        }
        Ok(None)
    }

    /// The part of `poly` where `row < 0`, unless it is empty.
    fn smaller(&self, poly: &Poly, row: &[i64]) -> Result<Option<Poly>, Failure> {
        if poly.surely_nonneg(row).map_err(overflow)? {
            return Ok(None);
        }
        let mut part = poly.clone();
        let below = plus(&negated(row).map_err(overflow)?, -1).map_err(overflow)?;
        part.add_ge(&below).map_err(overflow)?;
        self.if_inhabited(part)
    }

    fn if_inhabited(&self, poly: Poly) -> Result<Option<Poly>, Failure> {
        if poly.is_surely_empty() || poly.to_basic_map(self.space()).is_empty(self.budget).map_err(limit)? {
            return Ok(None);
        }
        Ok(Some(poly))
    }

    /// Two instances of `poly` that share one time, if it has a point.
    pub(super) fn witness_in(&self, poly: Poly) -> Result<Option<Violation>, Failure> {
        self.if_inhabited(poly)?.map(|poly| self.witness(poly)).transpose()
    }

    /// One of the pairs, of which there is one. To find a pair may take much longer than to learn that there is one.
    pub(super) fn witness(&self, poly: Poly) -> Result<Violation, Failure> {
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

/// The components to walk, with how far apart values count as equal. A jammed loop runs groups of values: inside a group the loops
/// right below come first, then its own value, then the positions of statements.
fn components<'p>(src: &'p FlatPiece, dst: &'p FlatPiece, goal: Goal) -> Vec<(&'p TimeDim, &'p TimeDim, i64)> {
    let last = if goal == Goal::Coincidence { src.time.len().saturating_sub(1) } else { src.time.len() };
    let jams: Vec<(usize, i64)> =
        src.jams.iter().filter(|(k, f)| *k < last && *f > 1).map(|&(k, f)| (k, i64::from(f) - 1)).collect();
    let body_of = |k: usize| (k + 1..src.time.len()).find(|&at| !matches!(src.time[at], TimeDim::Aff(_)));
    let mut all = Vec::with_capacity(src.time.len() + jams.len());
    for at in 0..=src.time.len().min(dst.time.len()) {
        if goal == Goal::Order {
            let own = jams.iter().filter(|(k, _)| body_of(*k).unwrap_or(src.time.len()) == at);
            all.extend(own.map(|&(k, _)| (&src.time[k], &dst.time[k], 0)));
        }
        if let (Some(a), Some(b)) = (src.time.get(at), dst.time.get(at)) {
            let slack = jams.iter().find(|(k, _)| *k == at).map_or(0, |(_, slack)| *slack);
            all.push((a, b, slack));
        }
    }
    all
}
