//! Independent check of "this loop carries no dependence", and of what the threads that run a loop have for themselves.
//! Threads of a GPU have scalars for themselves, and elements that they collect updates of.

use super::Verdict;
use crate::deps::loops::carried::{carried, claim};
use crate::deps::loops::order::Walk;
use crate::deps::loops::private::Shared;
use crate::deps::loops::{Loop, Reason, Violation, left};
use crate::deps::{Dep, Dependences};
use crate::error::Failure;
use crate::ids::{ArrayId, StmtId};
use crate::model::tree::flat::{Pieces, visit_nodes};
use crate::model::tree::{Band, Node, ReductionCopy, Role, ThreadCopies};
use crate::model::{AccessKind, Scop};
use presburger::Budget;
use std::collections::BTreeSet;

/// Decides whether the loops that `tree` says may run in parallel do: each member with the `coincident` flag, each
/// statement a member lists in `alone` (its own dependences only), and each member with a role for threads, by
/// [`check_roles`] where every array may be read outside of the region. Exact without jams, else it may refuse what
/// could be allowed. Says nothing about legality as such.
///
/// # Errors
/// `Limit` when the budget is spent or a coefficient leaves i64; the caller must then assume "not parallel".
pub fn check_coincident(scop: &Scop, deps: &Dependences, tree: &Node, budget: &Budget) -> Result<Verdict, Failure> {
    check_roles(scop, deps, tree, &BTreeSet::new(), budget)
}

/// Decides whether the flags and roles of `tree` are right. A member is coincident when no dependence, updates that may
/// change places among them, between instances that agree in all outer time components, earlier members of its band
/// included, has a distance other than 0 in it; of a member to be unrolled and jammed, values less than the factor
/// apart count as equal. Threads may run a member that is coincident but for the updates of what they collect, and for
/// what they have for themselves, if
///
/// - every scalar that the loop writes is privatized or collected; no value of a privatized one leaves its iteration;
/// - iterations read no element of a privatized array that they have not written before, and the last iteration leaves
///   in it what the loop does (of arrays in `not_live_out`, nobody outside of the region looks);
/// - all that the loop does to a collected array is to update it by the operation named, one element if it is collected
///   as such.
///
/// A GPU may run a member under the same conditions as threads without copies but of scalars and elements.
///
/// # Errors
/// `Limit` when the budget is spent or a coefficient leaves i64; the caller must then assume "not parallel".
pub fn check_roles(
    scop: &Scop,
    deps: &Dependences,
    tree: &Node,
    not_live_out: &BTreeSet<ArrayId>,
    budget: &Budget,
) -> Result<Verdict, Failure> {
    check_lowered(scop, deps, &*super::lowered(tree, budget)?, not_live_out, budget)
}

/// [`check_roles`] of a lowered tree.
pub(super) fn check_lowered(
    scop: &Scop,
    deps: &Dependences,
    tree: &Node,
    not_live_out: &BTreeSet<ArrayId>,
    budget: &Budget,
) -> Result<Verdict, Failure> {
    let (mut claims, mut shared): (Vec<Pieces>, Vec<(Loop, ThreadCopies)>) = (Vec::new(), Vec::new());
    visit_nodes(tree, &mut |_, node, pieces| {
        let Node::Band(band, _) = node else { return };
        for (k, member) in band.members.iter().enumerate() {
            claims.extend(claims_of(band, k, pieces));
            let at = Loop::new(band, k, pieces);
            let copies = match &member.role {
                Role::Serial => continue,
                Role::Threads(copies) => copies.clone(),
                Role::Device(_, elements) => {
                    let is_own = |a: &ArrayId| elements.iter().all(|c| c.array != *a);
                    let private = at.scalars_written(scop).into_iter().filter(is_own).collect();
                    ThreadCopies { private, elements: elements.clone(), ..ThreadCopies::default() }
                }
            };
            shared.push((at, copies));
        }
    });
    let prover = Prover { scop, deps, tree, budget };
    for claimed in &claims {
        if let Some(found) = prover.carried(deps.binding(), claimed)? {
            return Ok(Verdict::Illegal(found));
        }
    }
    for (at, copies) in &shared {
        if let Some(found) = prover.role(at, copies)? {
            return Ok(Verdict::Illegal(found));
        }
    }
    let not_lastprivate = left::not_lastprivate(scop, tree, not_live_out, budget)?;
    Ok(not_lastprivate.into_values().next().map_or(Verdict::Legal, Verdict::Illegal))
}

struct Prover<'a> {
    scop: &'a Scop,
    deps: &'a Dependences,
    tree: &'a Node,
    budget: &'a Budget,
}

impl Prover<'_> {
    /// What is wrong with the role of a loop that threads run.
    fn role(&self, at: &Loop, copies: &ThreadCopies) -> Result<Option<Violation>, Failure> {
        if let Some(found) = self.scalars(at, copies)? {
            return Ok(Some(found));
        }
        for array in &copies.privatized {
            if let Some(found) = self.privatized(at, *array)? {
                return Ok(Some(found));
            }
        }
        let collected: Vec<ArrayId> = copies.collected().map(|c| c.array).collect();
        for c in copies.collected() {
            if let Some(found) = self.collected(at, *c, copies.elements.contains(c))? {
                return Ok(Some(found));
            }
        }
        let is_own = |dep: &Dep| copies.privatized.contains(&dep.array) || copies.private.contains(&dep.array);
        let updates_apart = |k: usize, dep: &Dep| k >= self.deps.validity.len() && collected.contains(&dep.array);
        let shared = self.deps.binding().filter(|(k, dep)| !is_own(dep) && !updates_apart(*k, dep));
        self.carried(shared, &at.pieces)
    }

    /// A dependence that the innermost claimed time dim carries, as a violation.
    fn carried<'d>(
        &self,
        deps: impl IntoIterator<Item = (usize, &'d Dep)>,
        pieces: &Pieces,
    ) -> Result<Option<Violation>, Failure> {
        let Some((k, dep, pairs)) = carried(self.scop, deps, pieces, self.budget)? else { return Ok(None) };
        let witness = Walk::new(self.scop, dep.src, dep.dst, self.budget).witness(pairs)?;
        Ok(Some(Violation { reason: Reason::Carried(dep.kind, k), ..witness }))
    }

    /// A scalar that threads would share, or that cannot be privatized.
    fn scalars(&self, at: &Loop, copies: &ThreadCopies) -> Result<Option<Violation>, Failure> {
        let collects = |a: &ArrayId| copies.elements.iter().any(|c| c.array == *a);
        for array in at.scalars_written(self.scop) {
            if !copies.private.contains(&array) && !collects(&array) {
                return self.writer(at, array, Reason::Shared(array));
            }
        }
        for array in &copies.private {
            if self.scop.array(*array).is_memory() {
                return self.writer(at, *array, Reason::LiveOut(*array));
            }
            let flow = self.deps.scalar_flow(self.scop, self.budget)?;
            let violation = match at.why_shared(self.scop, flow, self.tree, *array, self.budget)? {
                None => continue,
                Some(Shared::LiveOut) => self.writer(at, *array, Reason::LiveOut(*array))?,
                Some(Shared::Flow(dep)) => {
                    let walk = Walk::new(self.scop, dep.src, dep.dst, self.budget);
                    let witness = walk.witness_of(&dep.relation)?;
                    witness.map(|w| Violation { reason: Reason::Flows(*array), ..w })
                }
            };
            if violation.is_some() {
                return Ok(violation);
            }
        }
        Ok(None)
    }

    /// An instance that reads an element of a privatized array before its iteration has written it.
    fn privatized(&self, at: &Loop, array: ArrayId) -> Result<Option<Violation>, Failure> {
        if !self.scop.array(array).is_memory() || at.is_jammed() {
            return self.writer(at, array, Reason::ExposedRead(array));
        }
        let Some(reads) = at.reads_before_written(self.scop, self.tree, array, self.budget)? else { return Ok(None) };
        let point = reads.unwritten(self.scop.stmt(reads.stmt).dims(), self.budget)?;
        let (params, dims) = point.unwrap_or_default();
        let point = [params, dims].concat();
        Ok(Some(Violation::at(self.scop, Reason::ExposedRead(array), reads.stmt, &point)))
    }

    /// An instance that does something else to a collected array than to update it, or that updates another element.
    fn collected(&self, at: &Loop, c: ReductionCopy, is_element: bool) -> Result<Option<Violation>, Failure> {
        if at.op_of_updates(self.scop, c.array) != Some(c.op) || (!is_element && at.is_jammed()) {
            return self.user(at, c);
        }
        if is_element && let Some((src, dst, pairs)) = at.updates_apart(self.scop, c.array, self.budget)? {
            let witness = Walk::new(self.scop, src, dst, self.budget).witness(pairs)?;
            return Ok(Some(Violation { reason: Reason::Several(c.array), ..witness }));
        }
        Ok(None)
    }

    /// An instance in the loop that writes the array; any instance of the region if none does.
    fn writer(&self, at: &Loop, array: ArrayId, reason: Reason) -> Result<Option<Violation>, Failure> {
        let writes =
            |id: StmtId| self.scop.stmt(id).accesses.iter().any(|a| a.array == array && a.kind != AccessKind::Read);
        at.instance(self.scop, reason, &writes, self.budget)
    }

    /// An instance in the loop that does something else to the array than to update it by the operation.
    fn user(&self, at: &Loop, c: ReductionCopy) -> Result<Option<Violation>, Failure> {
        let differs = |id: StmtId| {
            let stmt = self.scop.stmt(id);
            (0..stmt.accesses.len()).any(|k| stmt.accesses[k].array == c.array && stmt.updates_by(k) != Some(c.op))
        };
        at.instance(self.scop, Reason::Collected(c.array, c.op), &differs, self.budget)
    }
}

/// What a member claims: all its statements together, or each of some alone.
fn claims_of(band: &Band, k: usize, pieces: &Pieces) -> Vec<Pieces> {
    let member = &band.members[k];
    if member.coincident {
        return vec![claim(band, k, pieces)];
    }
    let of = |id: &StmtId| pieces.iter().filter(|(p, _)| p == id).cloned().collect();
    member.alone.iter().map(|id| claim(band, k, &of(id))).collect()
}
