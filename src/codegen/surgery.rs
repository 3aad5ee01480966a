//! Putting the new code beside or in place of the old: entry and exit edges of the region, values used after it.

use std::collections::BTreeMap;

use super::device::{Stays, label, stays};
use super::emit::bug;
use super::scev::Origin;
use super::{Input, trace};
use crate::bridge::ir::{Blk, Ir, Pos, Val};
use crate::error::{Failure, Reject, RejectKind, SourceLoc};
use crate::ids::{ArrayId, BlockId, ValueId};
use crate::model::{Array, ArrayKind, Field, LiveOut, Scop};

/// The region's edges, checked to be of a kind that can be rewired.
pub struct Frame<'f> {
    entry: Blk<'f>,
    exit: Blk<'f>,
    blocks: Vec<Blk<'f>>,
    /// Whether blocks that never return hang on the original code: it cannot be deleted.
    has_endings: bool,
}

/// New code, complete but for its last branch, and reached by nothing yet.
pub struct NewCode<'f> {
    /// Where the new code is entered: the check.
    pub check: Blk<'f>,
    /// What is asked one after the other, first at the end of `check`, and where each time the check goes on if that
    /// holds; else the original code runs.
    pub asked: Vec<(Val<'f>, Blk<'f>)>,
    /// Where it is known whether the new code runs; the same block, or one behind it. Without terminator.
    pub decides: Blk<'f>,
    /// Run the new code? `None`: always.
    pub cond: Option<Val<'f>>,
    /// Why it does not, for the log of a program with kernels; `None`: nothing is to be told.
    pub why_not: Option<Stays>,
    /// First block of the new code.
    pub start: Blk<'f>,
    /// Its last block; without terminator.
    pub done: Blk<'f>,
    /// For each live-out value what takes its place at the end of `done`.
    pub live_out: BTreeMap<ValueId, Val<'f>>,
    /// What comes before the original code where that runs.
    pub original: Original<'f>,
}

/// What the program does before the original code of a region.
#[derive(Clone, Copy)]
pub struct Original<'f> {
    /// It says so to the library for GPUs, with this name of the region.
    label: Option<Val<'f>>,
    /// It says so on its error stream, under this name of the region.
    trace: Option<&'f str>,
}

impl<'f> Original<'f> {
    /// What is asked for.
    pub fn of(ir: &Ir<'f>, input: &Input<'f>) -> Self {
        let label = input.device.map(|_| label(ir, &input.facts.name, &input.scop.name));
        Self { label, trace: input.trace.then_some(input.scop.name.as_str()) }
    }

    /// Where the program goes on at `first`, which is the original code, for this reason: what comes first there.
    pub fn because(self, ir: &Ir<'f>, why: Option<Stays>, first: Blk<'f>) -> Blk<'f> {
        self.label.zip(why).map_or(first, |(label, why)| stays(ir, label, why, first))
    }

    /// Writes it in front of `first`; the block that comes first now.
    fn before(self, ir: &Ir<'f>, first: Blk<'f>) -> Blk<'f> {
        if self.label.is_none() && self.trace.is_none() {
            return first;
        }
        let block = ir.new_block("polyrs.original");
        ir.seek(Pos::End(block));
        if self.label.is_some() {
            ir.note_host();
        }
        if let Some(region) = self.trace {
            trace::say(ir, region, "original");
        }
        ir.br(first);
        block
    }
}

impl<'f> Frame<'f> {
    /// Looks at a region's edges and at the values that leave it.
    ///
    /// # Errors
    /// `Reject` for shapes that cannot be rewired, `Bug` for values used outside that the model does not list as
    /// live-out.
    pub fn new(ir: &Ir<'f>, origin: &Origin<'_>, scop: &Scop) -> Result<Self, Failure> {
        let (Some(entry), Some(exit)) = (scop.region.entry, scop.region.exit) else {
            return Err(unstructured("the region has no single entry and exit"));
        };
        let with_arms = |b: &BlockId| {
            let arms = origin.facts.block(*b).boxed.iter().flat_map(|x| &x.arms);
            std::iter::once(*b).chain(arms.map(|a| a.block)).collect::<Vec<_>>()
        };
        let blocks: Vec<Blk<'f>> = scop.region.blocks.iter().flat_map(with_arms).map(|b| ir.block(b)).collect();
        let (entry, exit_block) = (ir.block(entry), ir.block(exit));
        let entry_preds = ir.preds(entry);
        if entry_preds.is_empty() || entry_preds.iter().any(|p| blocks.contains(p)) {
            return Err(unstructured("the region is entered by no edge of its own"));
        }
        let exit_preds: Vec<Blk<'f>> = ir.preds(exit_block).into_iter().filter(|p| blocks.contains(p)).collect();
        if exit_preds.is_empty() {
            return Err(unstructured("the region is never left"));
        }
        for phi in ir.phis(exit_block) {
            let mut incoming = exit_preds.iter().map(|p| ir.incoming_from(phi, *p));
            let first = incoming.next();
            let is_modelled = leaving_phis(origin, scop).any(|e| ir.value(e.value) == phi);
            if incoming.any(|v| Some(v) != first) && !is_modelled {
                return Err(unstructured("several values leave the region through one phi"));
            }
        }
        check_live_out(origin, scop, exit)?;
        if leaving(origin, scop).next().is_some() && skips_exit(origin, scop, exit) {
            return Err(unstructured("a value is used where a condition on data skips the region's end"));
        }
        let is_lost = |a: &Array| match a.kind {
            ArrayKind::Rows(Field { table, .. }) => ir.is_lost(table),
            kind => kind.base().is_some_and(|base| ir.is_lost(base)),
        };
        if scop.arrays.iter().any(is_lost) {
            return Err(unstructured("an array's address is computed in a region that was replaced"));
        }
        let has_endings = scop.region.blocks.iter().any(|b| origin.facts.block(*b).ends_on.is_some());
        Ok(Self { entry, exit: exit_block, blocks, has_endings })
    }

    /// Inserts the new code. Nothing can fail from here on.
    pub fn connect(&self, ir: &Ir<'f>, origin: &Origin<'_>, new: NewCode<'f>) {
        ir.set_debug_loc(None);
        let first = ir.split_phis(self.entry);
        let blocks: Vec<Blk<'f>> = self.blocks.iter().map(|b| if *b == self.entry { first } else { *b }).collect();
        let exit_preds: Vec<Blk<'f>> = ir.preds(self.exit).into_iter().filter(|p| blocks.contains(p)).collect();
        let join = ir.split_preds(self.exit, &exit_preds);
        if new.cond.is_some() && new.live_out.is_empty() {
            ir.mark_original(first, &blocks, join);
        }
        ir.seek(Pos::End(new.done));
        ir.br(join);
        for (&id, &value) in &new.live_out {
            let old = ir.value(id);
            let merging = ir.incoming_from(old, join).filter(|v| ir.phis(join).contains(v));
            if let Some(phi) = merging {
                ir.add_incoming(phi, value, new.done);
                continue;
            }
            ir.seek_start(join);
            let phi = ir.phi(ir.type_of(old), "polyrs.merge");
            exit_preds.iter().for_each(|pred| ir.add_incoming(phi, old, *pred));
            ir.add_incoming(phi, value, new.done);
            for user in origin.facts.value(id).users.iter().filter(|u| origin.is_used_outside(**u, id)) {
                ir.replace_operand(*user, old, phi, &blocks);
            }
            ir.supersede(id, phi);
        }
        for id in origin.inner_values().filter(|id| !new.live_out.contains_key(id)) {
            ir.lose(id);
        }
        ir.redirect(self.entry, new.check);
        ir.start_lifetimes(&blocks, new.decides);
        let always = self.has_endings.then(|| ir.int(ir.int_ty(1), -1));
        let Some(cond) = new.cond.or(always) else {
            ir.seek(Pos::End(new.decides));
            ir.br(new.start);
            ir.delete_blocks(&blocks);
            return;
        };
        let original = new.original.before(ir, first);
        let mut at = new.check;
        for &(holds, next) in &new.asked {
            let other = new.original.because(ir, Some(Stays::Sizes), original);
            ir.seek(Pos::End(at));
            ir.cond_br(holds, next, other);
            at = next;
        }
        let other = new.original.because(ir, new.why_not, original);
        ir.seek(Pos::End(new.decides));
        ir.cond_br(cond, new.start, other);
    }
}

/// The refusal of a region whose code does not stand apart from what is around it.
pub(super) fn unstructured(why: &str) -> Failure {
    Failure::Reject(Reject::new(RejectKind::UnstructuredControlFlow, why, SourceLoc::default()))
}

/// What the region hands to the code behind it.
pub fn leaving<'s>(origin: &'s Origin<'_>, scop: &'s Scop) -> impl Iterator<Item = LiveOut> + 's {
    scop.live_out.iter().copied().chain(leaving_phis(origin, scop))
}

/// Phis of the exit block that the model treats as memory: each edge out of the region writes its value.
pub fn leaving_phis<'s>(origin: &'s Origin<'_>, scop: &'s Scop) -> impl Iterator<Item = LiveOut> + 's {
    let phis = scop.arrays.iter().enumerate().filter_map(|(k, a)| match a.kind {
        ArrayKind::Phi { phi } => Some(LiveOut { value: phi, array: ArrayId::new(k) }),
        _ => None,
    });
    phis.filter(|phi| origin.is_outside(phi.value))
}

/// Whether the original code leaves the region past its exit where a condition that is assumed to hold does not: what
/// the new code hands on is then not all that comes to the code behind it.
fn skips_exit(origin: &Origin<'_>, scop: &Scop, exit: BlockId) -> bool {
    let outside = |b: &BlockId| *b != exit && !origin.inside[b.index()];
    let mut others = (0..origin.facts.blocks.len()).map(BlockId::new).filter(outside).map(|b| origin.facts.block(b));
    others.any(|b| !b.never_returns && b.skipped_from.iter().any(|from| scop.region.blocks.contains(from)))
}

/// Every value of the region that is used outside of it has to be listed.
fn check_live_out(origin: &Origin<'_>, scop: &Scop, exit: BlockId) -> Result<(), Failure> {
    let modelled: Vec<ValueId> = leaving_phis(origin, scop).map(|e| e.value).collect();
    let (facts, inside) = (origin.facts, |b: BlockId| origin.inside[b.index()]);
    let listed = |id: ValueId| scop.live_out.iter().any(|e| e.value == id);
    for block in &scop.region.blocks {
        for &id in &facts.block(*block).insts {
            let users = &facts.value(id).users;
            if users.iter().any(|u| facts.is_used_by_both(*u, id, inside)) {
                return Err(unstructured("what the region and others do where they end the program is shared"));
            }
            let leaves = users.iter().any(|u| origin.is_used_outside(*u, id) && !modelled.contains(u));
            if leaves && !origin.is_available(id) && !listed(id) {
                return Err(bug(format!("{id} is used behind {exit} but does not escape")));
            }
        }
    }
    Ok(())
}
