//! Proof that a schedule tree respects every dependence. Shares no code with the scheduler.
//!
//! In: a SCoP, its dependences, a schedule tree (tiles as floors, sequences, filters, sets). Out: [`Verdict::Legal`],
//! or the first violation with concrete parameter values and instances. A tree is legal when (1) every instance of the
//! original domain is scheduled exactly once, (2) two instances of a statement never share a time, (3) for each pair of
//! each validity dependence the time of the source is lexicographically smaller than that of the destination. For (3)
//! the time vectors are walked level by level on the pairs whose earlier components are equal: a smaller destination
//! component violates, a greater one is done, equal ones go on; whoever reaches the end violates. Children of a set
//! node are not ordered, so a pair across them violates. (4) A statement that the original order does not have (one
//! that an extension node adds, say a copy) writes only arrays that no statement of the original order touches. Trees
//! are lowered first: extension and expansion nodes mean what [`crate::model::tree::lower`] makes of them. (5) A band
//! marked as a contraction is one (`contraction`).
//!
//! Updates of one element by one operation ([`Dependences::reductions`]) may change places: (3) is not asked of them
//! where the SCoP says that both statements are such updates, and of every other pair in that list it is.
//!
//! Floors are first left out where `floor(a/k)` of both sides can be compared through `a` (floor is monotone); that
//! keeps a superset of the pairs, so a proof on it is a proof. Only when it fails the walk is repeated with every floor
//! as an existential: exact. Members to be unrolled and jammed run groups of consecutive values interleaved, wherever
//! the groups start: the proof holds for every start and for loops that are not jammed in the end; there, and only
//! there, it may refuse a legal order.

mod contraction;
mod cover;
mod element;
pub mod left;
mod order;
mod private;
mod privatized;
mod roles;
mod site;
mod step;

use super::{DepKind, Dependences};
use crate::error::Failure;
use crate::ids::{ArrayId, StmtId};
use crate::model::tree::flat::flat_schedule;
use crate::model::tree::{Node, lower};
use crate::model::{Operation, Scop};
use log::debug;
use presburger::Budget;
pub use roles::{check_coincident, check_roles, is_coincident, withdraw};
pub use site::Loop;
use std::collections::BTreeSet;
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
    /// `dst` depends on `src` (kind, and position in [`Dependences::validity`], what is bound of
    /// [`Dependences::reductions`] counted on) but does not run after it.
    Dependence(DepKind, usize),
    /// The loop of a member said to be coincident carries a dependence from `src` to `dst` (position in the list, that
    /// of
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
    /// The instance is in a band marked as a contraction that is none.
    NoContraction,
    /// The instance writes a scalar that threads neither have for themselves nor collect.
    Shared(ArrayId),
    /// The instance writes a privatized scalar that is read behind the region, or memory.
    LiveOut(ArrayId),
    /// `dst` reads what `src` wrote to a privatized scalar, but not in the same iteration.
    Flows(ArrayId),
    /// The instance reads an element of a privatized array that its iteration may not have written before.
    ExposedRead(ArrayId),
    /// The instance may write an element of a privatized array that the last iteration of the loop may not write.
    NotLastprivate(ArrayId),
    /// The instance does something else to a collected array than to update it by this operation.
    Collected(ArrayId, Operation),
    /// `src` and `dst` touch different elements of an array of which one is collected.
    Several(ArrayId),
}

impl Reason {
    /// Whether it is about a loop said to be parallel, not about the order.
    #[must_use]
    pub fn is_about_roles(self) -> bool {
        match self {
            Self::Dependence(..)
            | Self::Missing
            | Self::Twice
            | Self::SameTime
            | Self::Extra
            | Self::NoValue
            | Self::NoContraction
            | Self::Overwrites => false,
            Self::Carried(..)
            | Self::Shared(_)
            | Self::LiveOut(_)
            | Self::Flows(_)
            | Self::ExposedRead(_)
            | Self::NotLastprivate(_)
            | Self::Collected(..)
            | Self::Several(_) => true,
        }
    }
}

impl Violation {
    /// A violation at one instance, given as values of the parameters and the statement's dims.
    pub(super) fn at(scop: &Scop, reason: Reason, id: StmtId, point: &[i64]) -> Self {
        let (params, dims) = point.split_at(scop.params.len().min(point.len()));
        let params = scop.params.iter().zip(params).map(|(p, v)| (p.name.clone(), *v)).collect();
        Self { reason, params, src: (id, dims.to_vec()), dst: None }
    }
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
            Reason::NoContraction => write!(f, "{src} is marked as part of a contraction but is not")?,
            Reason::NoValue => write!(f, "a band has no value for {src}")?,
            Reason::Shared(a) => write!(f, "threads share {a}, which {src} writes in a register")?,
            Reason::LiveOut(a) => write!(f, "{a} cannot be privatized: what {src} writes is read behind the loop")?,
            Reason::Flows(a) => {
                write!(f, "{a} cannot be privatized: {dst} reads what {src} wrote in another iteration")?
            }
            Reason::ExposedRead(a) => write!(
                f,
                "{src} reads an element of the privatized array {a} that its iteration has not written before"
            )?,
            Reason::NotLastprivate(a) => {
                write!(f, "{src} writes an element of the privatized array {a} that the last iteration does not write")?
            }
            Reason::Collected(a, op) => write!(f, "{src} uses {a} for something else than updates by {}", op.name())?,
            Reason::Several(a) => write!(f, "{src} and {dst} update different elements of {a}")?,
        }
        let params: Vec<String> = self.params.iter().map(|(n, v)| format!("{n} = {v}")).collect();
        if params.is_empty() { Ok(()) } else { write!(f, ", for {}", params.join(", ")) }
    }
}

/// Decides whether `tree` may be built for `scop`, whose dependences are `deps`: [`check`] and [`check_roles`]. Of
/// arrays in `not_live_out` nobody outside of the region reads what the region leaves.
///
/// # Errors
/// `Limit` when the budget is spent or a coefficient leaves i64; the caller must then assume "not legal".
pub fn prove(
    scop: &Scop,
    deps: &Dependences,
    tree: &Node,
    not_live_out: &BTreeSet<ArrayId>,
    budget: &Budget,
) -> Result<Verdict, Failure> {
    match check(scop, deps, tree, budget)? {
        Verdict::Legal => check_roles(scop, deps, tree, not_live_out, budget),
        illegal => Ok(illegal),
    }
}

/// Decides whether `tree` is a legal schedule for `scop`, whose dependences are `deps`. Exact, but for members with
/// [`crate::model::tree::AstOption::UnrollJam`]: `Illegal` may then be said of an order that unfortunate groups alone
/// would break.
///
/// # Errors
/// `Limit` when the budget is spent or a coefficient leaves i64; the caller must then assume "not legal".
pub fn check(scop: &Scop, deps: &Dependences, tree: &Node, budget: &Budget) -> Result<Verdict, Failure> {
    let verdict = verdict(scop, deps, tree, budget)?;
    match &verdict {
        Verdict::Legal => debug!("{}: the order is proved legal", scop.name),
        Verdict::Illegal(violation) => debug!("{}: the order is illegal: {violation}", scop.name),
    }
    Ok(verdict)
}

fn verdict(scop: &Scop, deps: &Dependences, tree: &Node, budget: &Budget) -> Result<Verdict, Failure> {
    let tree = &*lower::lowered(tree, budget).map_err(|e| Failure::Bug(e.0))?;
    if let Some(violation) = cover::check(scop, tree, budget)? {
        return Ok(Verdict::Illegal(violation));
    }
    if let Some(violation) = contraction::check(scop, tree, budget)? {
        return Ok(Verdict::Illegal(violation));
    }
    let flat = flat_schedule(tree);
    if let Some(violation) = cover::check_distinct(scop, &flat, budget)? {
        return Ok(Verdict::Illegal(violation));
    }
    let bound = deps.validity.iter().chain(deps.reductions.iter().filter(|d| !order::may_change_places(scop, d)));
    for (k, dep) in bound.enumerate() {
        if let Some(violation) = order::check_dep(scop, dep, &flat, budget)? {
            return Ok(Verdict::Illegal(Violation { reason: Reason::Dependence(dep.kind, k), ..violation }));
        }
    }
    Ok(Verdict::Legal)
}
