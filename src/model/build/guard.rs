//! Conditions on data that are assumed to hold, as statements of fewer instances than the blocks have in which they
//! stand: loops that a condition does not depend on are left out, and of those that only make an index larger the last
//! iteration is enough.

use super::Builder;
use super::stmts::Piece;
use crate::error::{Failure, Limit};
use crate::facts::{FunctionFacts, Pred, ScevKind, ValueKind};
use crate::ids::{LoopId, ScevId, StmtId, ValueId};
use crate::model::Guard;
use crate::scop::affine::{Conj, Cons, Reader, operands};
use crate::scop::polynomial::{Mono, Poly, Sym};
use std::collections::BTreeSet;

impl Builder<'_> {
    /// What is assumed to hold in a block.
    pub(super) fn guard(&self, piece: &Piece, reader: &mut Reader) -> Result<Guard, Failure> {
        let (id, facts) = (StmtId::new(0), self.facts);
        let holds = facts.block(piece.block).holds.clone();
        let (all, any) = (self.nest.loops(piece.block), self.domains.of(piece.block));
        let limit = || Limit::of("model");
        let mut domain = self.sets.simple_set(&id.to_string(), any, all)?;
        let grown = grown_by(facts, &holds).filter(|lp| all.contains(lp));
        let grown = grown.and_then(|lp| Some((lp, moved(any, lp)?)));
        if let Some((_, next)) = &grown {
            let followed = self.sets.simple_set(&id.to_string(), next, all)?;
            domain = domain.subtract(&followed, self.sets.budget).map_err(limit())?;
        }
        let needed = loops_of(facts, piece, &holds);
        let is_needed = |lp: &LoopId| needed.as_ref().is_none_or(|needed| needed.contains(lp));
        let dims: Vec<LoopId> = all.iter().copied().filter(is_needed).collect();
        for dim in (0..all.len()).rev().filter(|dim| !is_needed(&all[*dim])) {
            domain = domain.project_out(dim, 1, self.sets.budget).map_err(limit())?;
        }
        let domain = domain.with_tuple(&id.to_string());
        let stmt = self.stmt_in(id, piece, (domain, &dims), reader)?;
        Ok(Guard { stmt, holds, last_of: grown.map(|(lp, _)| lp) })
    }
}

/// The loops that the values of a condition depend on; `None`: not known.
fn loops_of(facts: &FunctionFacts, piece: &Piece, holds: &[(ValueId, bool)]) -> Option<BTreeSet<LoopId>> {
    let mut all = BTreeSet::new();
    let mut read: Vec<ScevId> = Vec::new();
    for &value in piece.insts.iter().chain(holds.iter().map(|(v, _)| v)) {
        let of = facts.value(value);
        read.extend(of.offset.iter().chain(&of.ptr_scev));
        for operand in of.operands.iter().filter(|v| !piece.insts.contains(v)) {
            let operand = facts.value(*operand);
            match operand.scev {
                Some(scev) => read.push(scev),
                None if operand.block.is_some() => return None,
                None => {}
            }
        }
    }
    while let Some(scev) = read.pop() {
        let kind = &facts.scev(scev).kind;
        if let ScevKind::AddRec { lp, .. } = kind
            && all.insert(*lp)
        {
            read.extend(facts.lp(*lp).iv_start);
        }
        read.extend(operands(kind));
    }
    Some(all)
}

/// The loop whose later iterations make a condition hold less: it compares a counter of it with what does not change
/// in it.
fn grown_by(facts: &FunctionFacts, holds: &[(ValueId, bool)]) -> Option<LoopId> {
    let &[(value, wanted)] = holds else { return None };
    let of = facts.value(value);
    let ValueKind::ICmp { pred, lhs, rhs } = of.kind else { return None };
    let pred = if wanted { pred } else { pred.negated() };
    let (small, large) = match pred {
        Pred::Ult | Pred::Ule => (lhs, rhs),
        Pred::Ugt | Pred::Uge => (rhs, lhs),
        _ => return None,
    };
    let scev = facts.scev(facts.value(small).scev?);
    let ScevKind::AddRec { lp, ops } = &scev.kind else { return None };
    let &[_, step] = ops.as_slice() else { return None };
    let grows = matches!(facts.scev(step).kind, ScevKind::Const(c) if c > 0);
    let ValueKind::Load { .. } = facts.value(large).kind else { return None };
    let mut read: Vec<ScevId> = facts.value(large).offset.into_iter().collect();
    while let Some(scev) = read.pop() {
        let kind = &facts.scev(scev).kind;
        if matches!(kind, ScevKind::AddRec { lp: other, .. } if other == lp) {
            return None;
        }
        read.extend(operands(kind));
    }
    (grows && scev.nuw && facts.value(large).offset.is_some()).then_some(*lp)
}

/// The instances before those with a loop's next value of the counter.
fn moved(any: &[Conj], lp: LoopId) -> Option<Vec<Conj>> {
    let dim = Mono::of([Sym::Dim(lp)])?;
    let moved = |poly: &Poly| {
        if poly.degree() > 1 || poly.syms().any(|s| matches!(s, Sym::Floor(_))) {
            return None;
        }
        poly.plus(poly.terms().iter().find(|(mono, _)| *mono == dim).map_or(0, |(_, c)| *c))
    };
    let cons = |c: &Cons| Some(Cons { eq: c.eq, poly: moved(&c.poly)? });
    any.iter().map(|conj| conj.iter().map(cons).collect()).collect()
}
