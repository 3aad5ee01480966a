//! One loop of a tree, and the questions that roles of it raise.

use super::carried::{carried, claim};
use super::private::{self, Shared};
use super::privatized::{Reads, read_before_written};
use super::{Reason, Violation, element};
use crate::deps::Dep;
use crate::deps::compute::{context_of, limit};
use crate::error::Failure;
use crate::ids::{ArrayId, StmtId};
use crate::model::tree::flat::{Pieces, flat_schedule, visit_nodes};
use crate::model::tree::{Band, Node};
use crate::model::{Operation, Scop};
use presburger::Budget;
use presburger::rows::Conjunction;
use std::collections::BTreeSet;

/// The loop of a band member.
#[derive(Clone, Debug)]
pub struct Loop {
    /// The instances inside, with their time up to and including the member.
    pub(crate) pieces: Pieces,
}

impl Loop {
    pub(crate) fn new(band: &Band, member: usize, pieces: &Pieces) -> Self {
        Self { pieces: claim(band, member, pieces) }
    }

    /// The loop of member `member` of a band that these instances reach.
    #[must_use]
    pub fn at_band(band: &Band, member: usize, pieces: &Pieces) -> Self {
        Self::new(band, member, pieces)
    }

    /// All of a tree, as if it were one iteration of a loop.
    #[must_use]
    pub fn whole(tree: &Node) -> Option<Self> {
        let mut found = None;
        visit_nodes(tree, &mut |at, _, pieces| {
            if at.len() == 1 && found.is_none() {
                found = Some(Self { pieces: pieces.clone() });
            }
        });
        found
    }

    /// The loop of member `member` of the band at `path` (child number at each step from the root); `None` if there is
    /// no such member.
    #[must_use]
    pub fn at(tree: &Node, path: &[usize], member: usize) -> Option<Self> {
        let mut found = None;
        visit_nodes(tree, &mut |at, node, pieces| {
            if let (true, Node::Band(band, _)) = (at == path, node)
                && member < band.members.len()
            {
                found = Some(Self::new(band, member, pieces));
            }
        });
        found
    }

    /// The scalars that are written in it.
    #[must_use]
    pub fn scalars_written(&self, scop: &Scop) -> BTreeSet<ArrayId> {
        scop.scalars_written_by(self.pieces.iter().map(|(id, _)| *id))
    }

    /// Whether it, or a loop around it, is to be unrolled and jammed: then values of it run interleaved.
    #[must_use]
    pub fn is_jammed(&self) -> bool {
        self.pieces.iter().any(|(_, piece)| !piece.jams.is_empty())
    }

    /// Whether it carries one of these dependences. Exact without jams.
    ///
    /// # Errors
    /// `Limit` when the budget is spent or a coefficient leaves i64.
    pub fn carries<'d>(
        &self,
        scop: &Scop,
        deps: impl IntoIterator<Item = (usize, &'d Dep)>,
        budget: &Budget,
    ) -> Result<bool, Failure> {
        Ok(carried(scop, deps, &self.pieces, budget)?.is_some())
    }

    /// The operation, if all that the loop does to the array is to update it by that one.
    #[must_use]
    pub fn op_of_updates(&self, scop: &Scop, array: ArrayId) -> Option<Operation> {
        let mut ops = BTreeSet::new();
        for stmt in self.pieces.iter().map(|(id, _)| scop.stmt(*id)) {
            let own = (0..stmt.accesses.len()).filter(|k| stmt.accesses[*k].array == array);
            ops.extend(own.map(|k| stmt.updates_by(k)));
        }
        if ops.len() == 1 { ops.pop_first().flatten() } else { None }
    }

    /// Whether all instances of one execution of the loop that touch the array touch the same element of it. Exact.
    ///
    /// # Errors
    /// `Limit` when the budget is spent or a coefficient leaves i64.
    pub fn touches_one_element(&self, scop: &Scop, array: ArrayId, budget: &Budget) -> Result<bool, Failure> {
        Ok(self.updates_apart(scop, array, budget)?.is_none())
    }

    pub(crate) fn updates_apart(
        &self,
        scop: &Scop,
        array: ArrayId,
        budget: &Budget,
    ) -> Result<Option<(StmtId, StmtId, Conjunction)>, Failure> {
        element::several(scop, array, &self.pieces, budget)
    }

    /// Whether each iteration may have the scalar for itself. `flow`: value-based flow dependences of the scalars
    /// ([`crate::deps::flow::last_writers`]). `tree`: the tree of the loop. Exact but for scalars that leave the loop
    /// in some iterations only.
    ///
    /// # Errors
    /// `Limit` when the budget is spent or a coefficient leaves i64.
    pub fn has_private(
        &self,
        scop: &Scop,
        (tree, flow): (&Node, &[Dep]),
        array: ArrayId,
        budget: &Budget,
    ) -> Result<bool, Failure> {
        Ok(self.why_shared(scop, flow, tree, array, budget)?.is_none())
    }

    pub(crate) fn why_shared<'d>(
        &self,
        scop: &Scop,
        flow: &'d [Dep],
        tree: &Node,
        array: ArrayId,
        budget: &Budget,
    ) -> Result<Option<Shared<'d>>, Failure> {
        let total = flat_schedule(tree).into_iter().map(|(id, pieces)| (id, pieces.len())).collect();
        private::shared(scop, flow, array, (&self.pieces, &total), budget)
    }

    /// Whether each element of the array that an iteration reads was surely written earlier in it. Exact.
    ///
    /// # Errors
    /// `Limit` when the budget is spent or a coefficient leaves i64.
    pub fn reads_its_own(&self, scop: &Scop, tree: &Node, array: ArrayId, budget: &Budget) -> Result<bool, Failure> {
        Ok(self.reads_before_written(scop, tree, array, budget)?.is_none())
    }

    pub(crate) fn reads_before_written(
        &self,
        scop: &Scop,
        tree: &Node,
        array: ArrayId,
        budget: &Budget,
    ) -> Result<Option<Reads>, Failure> {
        read_before_written(scop, (tree, &self.pieces), array, budget)
    }

    /// A violation at an instance inside, of a statement for which `holds` does if there is one. `None`: there is no
    /// instance.
    pub(crate) fn instance(
        &self,
        scop: &Scop,
        reason: Reason,
        holds: &dyn Fn(StmtId) -> bool,
        budget: &Budget,
    ) -> Result<Option<Violation>, Failure> {
        let context = context_of(scop, budget)?;
        let (first, others): (Vec<_>, Vec<_>) = self.pieces.iter().partition(|(id, _)| holds(*id));
        for (id, piece) in first.into_iter().chain(others) {
            if let Some(point) = piece.domain.intersect_params(&context).sample(budget).map_err(limit)? {
                return Ok(Some(Violation::at(scop, reason, *id, &point)));
            }
        }
        Ok(None)
    }
}
