//! For which loop dims and parameters each block and each edge of the region is executed.

use super::nest::Nest;
use crate::error::{Failure, Reject, RejectKind};
use crate::facts::{FunctionFacts, ValueKind};
use crate::ids::{BlockId, LoopId};
use crate::remedies::{ALTERNATIVES, OF_SIZES};
use crate::scop::affine::{Check, Conj, Cons, Reader};
use crate::scop::causes;
use crate::scop::cond::{Branch, Dnf, condition, conjunction, minimum_of};
use crate::scop::polynomial::{Poly, Sym};
use crate::scop::success::enough_for;
use std::collections::BTreeMap;

/// A check that must hold for all dims and parameters in the domain of a block.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Located {
    /// The block.
    pub block: BlockId,
    /// What must hold wherever the block is executed.
    pub check: Check,
}

/// Execution domains. Constraints are over parameters and the dims of the loops around the block.
pub struct Domains {
    of: BTreeMap<BlockId, Vec<Conj>>,
    /// What must hold for them to be right.
    pub checks: Vec<Located>,
    /// Where the program would end.
    pub endings: Vec<Ending>,
}

/// A branch to a block that never returns. It is assumed not to be taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// At the end of the block, for what lies in one of these conjunctions.
    Domain(BlockId, Vec<Conj>),
    /// At the end of the block, unless this polynomial is >= 0.
    Unless(BlockId, Poly),
}

fn too_many(facts: &FunctionFacts, block: BlockId) -> Failure {
    let loc = facts.block(block).insts.last().map(|v| facts.value(*v).loc.clone()).unwrap_or_default();
    Failure::Reject(Reject::new(RejectKind::TooLarge, ALTERNATIVES, loc))
}

fn not_affine(facts: &FunctionFacts, block: BlockId, kind: RejectKind) -> Failure {
    let loc = facts.block(block).insts.last().map(|v| facts.value(*v).loc.clone()).unwrap_or_default();
    Failure::Reject(Reject::new(kind, "", loc))
}

impl Domains {
    /// Domains of all blocks of the region; `known` holds whenever the region is entered.
    ///
    /// # Errors
    /// `Reject` for conditions that are not affine or have too many alternatives.
    pub fn new(r: &mut Reader, nest: &Nest, entry: BlockId) -> Result<Self, Failure> {
        let mut domains = Self { of: BTreeMap::new(), checks: Vec::new(), endings: Vec::new() };
        domains.of.insert(entry, vec![Vec::new()]);
        for block in &nest.order {
            if *block != entry {
                let any = domains.block(r, nest, *block)?;
                domains.of.insert(*block, any);
            }
            domains.ending(r, *block)?;
        }
        Ok(domains)
    }

    /// When the end of a block leads to one that never returns.
    fn ending(&mut self, r: &mut Reader, block: BlockId) -> Result<(), Failure> {
        let facts = r.facts;
        let (Some(on), Some(ValueKind::CondBr(cond))) =
            (facts.block(block).ends_on, facts.block(block).insts.last().map(|v| &facts.value(*v).kind))
        else {
            return Ok(());
        };
        let on = Branch::of(on);
        if let Ok(taken) = condition(r, *cond, on) {
            self.add_checks(block, &taken.checks);
            let here = Dnf { any: self.of(block).to_vec(), checks: Vec::new() };
            let any = here.and(&taken).ok_or_else(|| too_many(facts, block))?.any;
            self.endings.push(Ending::Domain(block, any));
            return Ok(());
        }
        let kind = RejectKind::NonAffineCondition;
        let success = enough_for(r, *cond, on.flipped()).map_err(|_| not_affine(facts, block, kind))?;
        self.add_checks(block, &success.checks);
        let unless = |poly: Poly| Ending::Unless(block, r.linearize(&poly).unwrap_or(poly));
        self.endings.extend(success.polys.into_iter().map(unless));
        Ok(())
    }

    /// Domain of a block: at least one conjunction holds.
    #[must_use]
    pub fn of(&self, block: BlockId) -> &[Conj] {
        self.of.get(&block).map_or(&[], Vec::as_slice)
    }

    /// Domain of the edge from `from` to `to`, over the dims of `from`.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn edge(&mut self, r: &mut Reader, from: BlockId, to: BlockId) -> Result<Vec<Conj>, Failure> {
        let facts = r.facts;
        let here = Dnf { any: self.of(from).to_vec(), checks: Vec::new() };
        let succs = &facts.block(from).succs;
        let branch = match succs.as_slice() {
            [a, b] if a != b && *a == to => Branch::Taken,
            [a, b] if a != b => Branch::Else,
            _ => return Ok(here.any),
        };
        if let Some(lp) = facts.block(from).innermost.filter(|l| r.has_loop(*l) && facts.lp(*l).exiting.contains(&from))
        {
            return self.loop_edge(r, lp, from, to, here);
        }
        let Some(ValueKind::CondBr(cond)) = facts.block(from).insts.last().map(|v| &facts.value(*v).kind) else {
            return Err(not_affine(facts, from, RejectKind::UnstructuredControlFlow));
        };
        let taken = condition(r, *cond, branch).map_err(|at| {
            match not_affine(facts, from, RejectKind::NonAffineCondition) {
                Failure::Reject(why) if causes::compares_product(facts, at) => {
                    Failure::Reject(Reject { detail: OF_SIZES.to_owned(), ..why })
                }
                other => other,
            }
        })?;
        self.add_checks(from, &taken.checks);
        Ok(here.and(&taken).ok_or_else(|| too_many(facts, from))?.any)
    }

    /// Adds what must hold wherever the block is executed.
    pub fn add_checks(&mut self, block: BlockId, checks: &[Check]) {
        self.checks.extend(checks.iter().map(|check| Located { block, check: check.clone() }));
    }

    /// The edge that stays in a loop is taken in all iterations but the last.
    fn loop_edge(
        &mut self,
        r: &mut Reader,
        lp: LoopId,
        from: BlockId,
        to: BlockId,
        here: Dnf,
    ) -> Result<Vec<Conj>, Failure> {
        let facts = r.facts;
        let leaves = facts.block(to).innermost.is_none_or(|l| !is_within(facts, l, lp));
        let which = if leaves { Bound::Last } else { Bound::BeforeLast };
        let bounds = self.bounds(r, lp, (from, &here.any), which)?;
        Ok(here.and(&bounds).ok_or_else(|| too_many(facts, from))?.any)
    }

    /// Constraints on the dim of a loop, where one of `within` holds. Checks hold over the domain of `at`.
    fn bounds(
        &mut self,
        r: &mut Reader,
        lp: LoopId,
        (at, within): (BlockId, &[Conj]),
        which: Bound,
    ) -> Result<Dnf, Failure> {
        let facts = r.facts;
        let fail = || {
            let (kind, loc) = (RejectKind::NonAffineBound, facts.lp(lp).loc.clone());
            Failure::Reject(Reject::new(kind, "", loc))
        };
        let first = r.offset(lp);
        let taken = facts.lp(lp).backedge_taken.ok_or_else(fail)?;
        let pw = r.read_unsigned(taken).map_err(|_| fail())?;
        self.add_checks(at, &pw.checks);
        let dim = Poly::sym(Sym::Dim(lp));
        let left_of = |value: &Poly| first.add(value)?.sub(&dim);
        if which != Bound::Last
            && let Some(values) = minimum_of(&pw.pieces, within)
        {
            let rest = i64::from(which == Bound::BeforeLast);
            let ends = values.iter().map(|value| Some(Cons::ge(left_of(value)?.plus(-rest)?)));
            let begins = dim.sub(&first).filter(|_| which == Bound::All).map(|row| Some(Cons::ge(row)));
            let all = begins.into_iter().chain(ends).collect::<Option<Conj>>().ok_or_else(fail)?;
            return Ok(Dnf { any: vec![all], checks: Vec::new() });
        }
        let mut any = Vec::new();
        for piece in &pw.pieces {
            let rows = || -> Option<Conj> {
                let left = left_of(&piece.value)?;
                Some(match which {
                    Bound::All => vec![Cons::ge(dim.sub(&first)?), Cons::ge(left)],
                    Bound::BeforeLast => vec![Cons::ge(left.plus(-1)?)],
                    Bound::Last => vec![Cons::eq(left)],
                })
            };
            any.push(conjunction(&piece.conds, &rows().ok_or_else(fail)?));
        }
        Ok(Dnf { any, checks: Vec::new() })
    }

    fn block(&mut self, r: &mut Reader, nest: &Nest, block: BlockId) -> Result<Vec<Conj>, Failure> {
        let facts = r.facts;
        let innermost = nest.loops(block).last().copied();
        if let Some(lp) = innermost.filter(|l| facts.lp(*l).header == block) {
            let before = facts.lp(lp).preheader.ok_or_else(|| not_affine(facts, block, RejectKind::LoopShape))?;
            let entered = Dnf { any: self.edge(r, before, block)?, checks: Vec::new() };
            // The number of iterations matters only where the loop is entered.
            let bounds = self.bounds(r, lp, (before, &entered.any), Bound::All)?;
            return Ok(entered.and(&bounds).ok_or_else(|| too_many(facts, block))?.any);
        }
        if let Some(above) = facts.block(block).idom.filter(|b| nest.contains(*b)) {
            let above = outward(facts, nest, above, innermost);
            if is_postdominated(facts, above, block) {
                return Ok(self.of(above).to_vec());
            }
        }
        let mut all = Dnf::default();
        for pred in &facts.block(block).preds {
            let from = outward(facts, nest, *pred, innermost);
            let any = if from == *pred { self.edge(r, *pred, block)? } else { self.of(from).to_vec() };
            all = all.or(&Dnf { any, checks: Vec::new() }).ok_or_else(|| too_many(facts, block))?;
        }
        Ok(all.any)
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Bound {
    All,
    BeforeLast,
    Last,
}

/// The block itself if `lp` is its innermost loop, else the preheader of the loop around it that is directly in `lp`.
fn outward(facts: &FunctionFacts, nest: &Nest, block: BlockId, lp: Option<LoopId>) -> BlockId {
    let chain = nest.loops(block);
    let depth = lp.map_or(0, |l| chain.iter().position(|c| *c == l).map_or(chain.len(), |p| p + 1));
    chain.get(depth).and_then(|child| facts.lp(*child).preheader).unwrap_or(block)
}

fn is_postdominated(facts: &FunctionFacts, block: BlockId, by: BlockId) -> bool {
    let mut at = Some(block);
    while let Some(b) = at {
        if b == by {
            return true;
        }
        at = facts.block(b).ipdom;
    }
    false
}

fn is_within(facts: &FunctionFacts, inner: LoopId, outer: LoopId) -> bool {
    let mut at = Some(inner);
    while let Some(l) = at {
        if l == outer {
            return true;
        }
        at = facts.lp(l).parent;
    }
    false
}
