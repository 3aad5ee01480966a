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
//! Iterations that a GPU's blocks or threads run have scalars of their own: (3) is not asked of two of them for what
//! they do with these, since `roles` proves that no value of one goes to another.
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
mod roles;
#[cfg(test)]
mod tests;

use crate::deps::Dependences;
use crate::deps::loops::order;
pub use crate::deps::loops::{Reason, Violation};
use crate::error::Failure;
use crate::ids::ArrayId;
use crate::model::Scop;
use crate::model::tree::flat::flat_schedule;
use crate::model::tree::{Node, lower};
use log::debug;
use presburger::Budget;
pub use roles::{check_coincident, check_roles};
use std::borrow::Cow;
use std::collections::BTreeSet;

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
    let tree = &*lowered(tree, budget)?;
    match check_lowered(scop, deps, tree, budget)? {
        Verdict::Legal => roles::check_lowered(scop, deps, tree, not_live_out, budget),
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
    check_lowered(scop, deps, &*lowered(tree, budget)?, budget)
}

/// The tree without extension and expansion nodes.
fn lowered<'t>(tree: &'t Node, budget: &Budget) -> Result<Cow<'t, Node>, Failure> {
    lower::lowered(tree, budget).map_err(|e| Failure::Bug(e.0))
}

/// [`check`] of a lowered tree.
fn check_lowered(scop: &Scop, deps: &Dependences, tree: &Node, budget: &Budget) -> Result<Verdict, Failure> {
    let verdict = verdict(scop, deps, tree, budget)?;
    match &verdict {
        Verdict::Legal => debug!("{}: the order is proved legal", scop.name),
        Verdict::Illegal(violation) => debug!("{}: the order is illegal: {violation}", scop.name),
    }
    Ok(verdict)
}

fn verdict(scop: &Scop, deps: &Dependences, tree: &Node, budget: &Budget) -> Result<Verdict, Failure> {
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
