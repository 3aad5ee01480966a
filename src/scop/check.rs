//! Decides whether a set of blocks is a SCoP, by facts alone.

use super::affine::Reader;
use super::causes::{self, Origin};
use super::cond::{Branch, condition};
use super::polynomial::Poly;
use super::ranges::table_range;
use super::rows::{self, row_of};
use super::shape::{Shape, Touch};
use super::success::enough_for;
use super::views::{self, Fixed, View};
use super::{Config, guards};
use crate::error::{Reject, RejectKind, SourceLoc};
use crate::facts::{Alias, FunctionFacts, ScevKind, Type, Value, ValueKind};
use crate::ids::{BlockId, LoopId, ScevId, ValueId};
use crate::remedies;
use std::collections::BTreeMap;

/// The loops of the region if it is a SCoP, else a block that stands in the way and why.
///
/// # Errors
/// The first block in function order that holds something not affine.
pub fn region(
    facts: &FunctionFacts,
    blocks: &[BlockId],
    entry: BlockId,
    cfg: &Config,
) -> Result<Vec<LoopId>, (BlockId, Reject)> {
    affine_loops(facts, blocks, entry, cfg).map_err(|(block, why)| {
        let call = causes::call_behind(facts, block, &why);
        (block, call.unwrap_or(why))
    })
}

fn affine_loops(
    facts: &FunctionFacts,
    blocks: &[BlockId],
    entry: BlockId,
    cfg: &Config,
) -> Result<Vec<LoopId>, (BlockId, Reject)> {
    let mut inside = vec![false; facts.blocks.len()];
    for block in blocks {
        inside[block.index()] = true;
    }
    let loops: Vec<LoopId> =
        (0..facts.loops.len()).map(LoopId::new).filter(|l| inside[facts.lp(*l).header.index()]).collect();
    let reject = |kind, detail: &str| (entry, Reject::new(kind, detail, SourceLoc::default()));
    let before = |b: BlockId| facts.block(b).preds.iter().chain(&facts.block(b).skipped_from);
    if let Some(block) = blocks.iter().find(|b| **b != entry && before(**b).any(|p| !inside[p.index()])) {
        let detail = "jump into the middle of a region";
        return Err((*block, Reject::new(RejectKind::UnstructuredControlFlow, detail, SourceLoc::default())));
    }
    let too_large = |at: BlockId, most: usize, what: &str| {
        (at, Reject::new(RejectKind::TooLarge, format!("more than {most} {what}"), SourceLoc::default()))
    };
    let headers = blocks.iter().filter(|b| loops.iter().any(|l| facts.lp(*l).header == **b));
    if let Some(at) = headers.clone().nth(cfg.max_loops) {
        return Err(too_large(*at, cfg.max_loops, "loops"));
    }
    if let Some(at) = blocks.get(cfg.max_blocks) {
        return Err(too_large(*at, cfg.max_blocks, "blocks"));
    }
    let mut checker = Checker {
        r: Reader::new(facts, &inside, entry),
        touches: BTreeMap::new(),
        in_rows: BTreeMap::new(),
        pointers: BTreeMap::new(),
        indirect: Vec::new(),
        accesses: 0,
        stores: 0,
    };
    checker.r.prepare_accesses(blocks);
    for lp in &loops {
        bounds(&mut checker.r, *lp).map_err(|r| (facts.lp(*lp).header, r))?;
    }
    for block in blocks {
        let in_loop = facts.block(*block).innermost.is_some_and(|l| loops.contains(&l));
        if let Some(id) = facts.block(*block).insts.iter().find(|id| !in_loop && divides(facts, **id)) {
            let loc = &facts.value(*id).loc;
            return Err((*block, refuse(RejectKind::NonAffineAccess, named(facts, *id), loc).about(vec![*id])));
        }
        checker.block(*block).map_err(|r| (*block, r))?;
        if checker.accesses > cfg.max_accesses {
            return Err(too_large(*block, cfg.max_accesses, "loads and stores"));
        }
    }
    checker.shapes()?;
    checker.apart()?;
    checker.guards(blocks)?;
    if checker.stores == 0 && !cfg.running {
        let results = causes::of_results(facts, &loops);
        let are_integers = !results.is_empty() && results.iter().all(|v| matches!(facts.value(*v).ty, Type::Int(_)));
        let alone = if are_integers { remedies::ALONE_INTEGERS } else { remedies::ALONE };
        let detail = match loops.len() {
            1 => alone,
            _ if causes::goes_along_rows(facts, &loops) => remedies::ALONG_ROWS,
            _ => "",
        };
        let (block, why) = reject(RejectKind::NoEffect, detail);
        return Err((block, why.about(results)));
    }
    if checker.r.params.len() > cfg.max_params {
        // Each half may have fewer.
        return Err(too_large(blocks[blocks.len() / 2], cfg.max_params, "sizes and other values that are not known"));
    }
    Ok(loops)
}

struct Checker<'a> {
    r: Reader<'a>,
    touches: BTreeMap<ValueId, Vec<(ValueId, Touch)>>,
    /// By table: accesses to rows that its pointers lead to.
    in_rows: BTreeMap<ValueId, Vec<(ValueId, Touch)>>,
    /// By table: where the pointers to these rows lie in it.
    pointers: BTreeMap<ValueId, BTreeMap<ValueId, Poly>>,
    /// Accesses with subscripts that are data.
    indirect: Vec<ValueId>,
    accesses: usize,
    stores: usize,
}

fn refuse(kind: RejectKind, detail: String, loc: &SourceLoc) -> Reject {
    Reject::new(kind, detail, loc.clone())
}

/// How often a loop runs must be affine.
///
/// # Errors
/// Why it is not.
pub fn bounds(r: &mut Reader, id: LoopId) -> Result<(), Reject> {
    let lp = r.facts.lp(id);
    let is_open = lp.exiting.len() > 1 || (lp.exiting.len() == 1 && lp.backedge_taken.is_none());
    if let Some(at) = causes::fixed_exit(r.facts, id).filter(|_| is_open) {
        let loc = &r.facts.value(at).loc;
        let detail = remedies::ON_WHICH_IT_ENDS.to_owned();
        return Err(refuse(RejectKind::UnsupportedInstruction, detail, loc).about(vec![at]));
    }
    if lp.latch.is_none() || lp.exiting.len() != 1 || lp.preheader.is_none() {
        let (detail, about) = match lp.exiting.len() {
            0 => (remedies::NO_EXIT.to_owned(), Vec::new()),
            1 => {
                ("jumps into it or to its next iteration from several places".to_owned(), causes::of_exits(r.facts, id))
            }
            _ => causes::several_exits(r.facts, id),
        };
        let at = lp.latch.and_then(|latch| r.facts.block(latch).insts.last().copied());
        return Err(Reject { at, ..refuse(RejectKind::LoopShape, detail, &lp.loc).about(about) });
    }
    if let Some(hint) = lp.hints.pinned {
        return Err(refuse(RejectKind::Pinned, hint.to_owned(), &lp.loc));
    }
    let Some(taken) = lp.backedge_taken else {
        let (detail, about) = causes::of_end(r.facts, id);
        return Err(refuse(RejectKind::NonAffineBound, detail.to_owned(), &lp.loc).about(about));
    };
    match r.read_unsigned(taken) {
        Ok(_) => Ok(()),
        Err(e) => {
            let (detail, about) = match causes::of_bound(r.facts, id, e.0) {
                Some((detail, about)) if !detail.is_empty() => (detail.to_owned(), about),
                Some((_, about)) => (describe(r.facts, e.0), about),
                None => (describe(r.facts, e.0), Vec::new()),
            };
            Err(refuse(RejectKind::NonAffineBound, detail, &lp.loc).about(about))
        }
    }
}

impl Checker<'_> {
    fn block(&mut self, block: BlockId) -> Result<(), Reject> {
        let facts = self.r.facts;
        if facts.block(block).assumed_dead {
            return Ok(());
        }
        let ends_on = facts.block(block).ends_on;
        for id in &facts.block(block).insts {
            let value = facts.value(*id);
            match &value.kind {
                ValueKind::CondBr(cond) if let Some(on) = ends_on => self.ending(*cond, Branch::of(on), value)?,
                ValueKind::Load { bytes, .. } => self.access(*id, value, *bytes)?,
                ValueKind::Store { bytes, .. } => {
                    self.stores += 1;
                    self.access(*id, value, *bytes)?;
                }
                ValueKind::CondBr(cond) if !self.is_loop_exit(block) => {
                    for branch in [Branch::Taken, Branch::Else] {
                        if let Err(at) = condition(&mut self.r, *cond, branch) {
                            let loc = if facts.value(at).loc.line != 0 { &facts.value(at).loc } else { &value.loc };
                            let (detail, about) = match causes::of_condition(facts, at) {
                                Some(loads) => (remedies::RELOADED.to_owned(), loads),
                                None if !causes::pointers_of_condition(facts, at).is_empty() => {
                                    (remedies::LOADED_AGAIN.to_owned(), causes::pointers_of_condition(facts, at))
                                }
                                None if let Some(call) = causes::call_behind_test(facts, block) => {
                                    (remedies::CALL_BEHIND.to_owned(), vec![call])
                                }
                                None => (named(facts, at), vec![at]),
                            };
                            return Err(refuse(RejectKind::NonAffineCondition, detail, loc).about(about).at(*id));
                        }
                    }
                }
                ValueKind::Call => {
                    return Err(refuse(RejectKind::Call, named(facts, *id), &value.loc).about(vec![*id]));
                }
                ValueKind::Ret | ValueKind::Unreachable => {
                    return Err(refuse(RejectKind::UnstructuredControlFlow, "function end".to_owned(), &value.loc));
                }
                ValueKind::Unsupported | ValueKind::Local => {
                    let terminator = facts.block(block).insts.last() == Some(id);
                    let kind = if terminator {
                        RejectKind::UnstructuredControlFlow
                    } else {
                        RejectKind::UnsupportedInstruction
                    };
                    return Err(refuse(kind, named(facts, *id), &value.loc).about(vec![*id]));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// A branch that ends the program must have a condition that can be tested before the loops.
    fn ending(&mut self, cond: ValueId, on: Branch, branch: &Value) -> Result<(), Reject> {
        let is_affine = condition(&mut self.r, cond, on).is_ok();
        match enough_for(&mut self.r, cond, on.flipped()) {
            Err(at) if !is_affine => {
                let value = self.r.facts.value(at);
                let loc = if value.loc.line != 0 { &value.loc } else { &branch.loc };
                let (detail, about) = end_of_program(self.r.facts, at);
                Err(refuse(RejectKind::NonAffineCondition, detail.to_owned(), loc).about(about))
            }
            _ => Ok(()),
        }
    }

    fn is_loop_exit(&self, block: BlockId) -> bool {
        let innermost = self.r.facts.block(block).innermost;
        innermost.is_some_and(|l| self.r.has_loop(l) && self.r.facts.lp(l).exiting.contains(&block))
    }

    fn access(&mut self, id: ValueId, value: &Value, bytes: u32) -> Result<(), Reject> {
        self.accesses += 1;
        let facts = self.r.facts;
        let non_affine = |detail| Err(refuse(RejectKind::NonAffineAccess, detail, &value.loc));
        let (Some(base), Some(offset)) = (value.base, value.offset) else {
            return non_affine(named(facts, id));
        };
        if !self.r.is_outside(base) {
            return self.row_access(id, (base, offset), bytes);
        }
        match self.r.read(offset) {
            Ok(pw) => {
                let touches = pw.pieces.iter().map(|p| (id, Touch { offset: p.value.clone(), bytes }));
                self.touches.entry(base).or_default().extend(touches);
                Ok(())
            }
            Err(e) if self.is_data(e.0, value) || facts.boxed(id).is_some_and(|b| b.has_loops) => {
                self.touches.entry(base).or_default();
                self.indirect.push(id);
                Ok(())
            }
            Err(e) => Err(self.unknown_element(id, e.0)),
        }
    }

    /// Why nobody knows which element of its array, or row, an access is to: by the part of its subscript that is not
    /// affine.
    fn unknown_element(&self, access: ValueId, part: ScevId) -> Reject {
        let facts = self.r.facts;
        let value = facts.value(access);
        let again = causes::loaded_again(facts, access);
        let searched = causes::searched(facts, access, part);
        let innermost = value.block.and_then(|block| facts.block(block).innermost);
        let is_chosen = causes::is_chosen(facts, part);
        // Of a pointer that walks the step is chosen, as a loop inside may not run.
        if let Some(pointer) = causes::moved_on(facts, access, part).filter(|_| is_chosen && again.is_empty()) {
            let detail = remedies::MOVED.to_owned();
            return refuse(RejectKind::VariantBase, detail, &value.loc).about(vec![pointer]);
        }
        let (detail, about) = match part {
            _ if innermost.is_some_and(|lp| causes::is_counted_before(facts, lp, part)) => {
                (remedies::COUNTED_BEFORE.to_owned(), Vec::new())
            }
            _ if causes::has_product(facts, part) && !causes::multiplies_counters(facts, part) => {
                (remedies::MANY_SIZES.to_owned(), Vec::new())
            }
            _ if causes::has_product(facts, part) => (remedies::PRODUCT.to_owned(), value.base.into_iter().collect()),
            _ if !again.is_empty() => (remedies::LOADED_AGAIN.to_owned(), again),
            _ if !searched.is_empty() => (remedies::SEARCHED.to_owned(), searched),
            _ if is_chosen => (remedies::CHOICE.to_owned(), Vec::new()),
            _ => self.unknown_value(access, part),
        };
        refuse(RejectKind::NonAffineAccess, detail, &value.loc).about(about)
    }

    /// An access through a pointer that is read in the region must be to a row whose place in its table is known.
    fn row_access(&mut self, id: ValueId, (base, offset): (ValueId, ScevId), bytes: u32) -> Result<(), Reject> {
        let facts = self.r.facts;
        let value = facts.value(id);
        let row = row_of(facts, base, |v| self.r.is_outside(v));
        // Behind a branch on data an access may never be made where the pointer was not loaded.
        let is_moved = row.as_ref().is_some_and(|row| value.in_arm && row.load != base);
        let row = row.filter(|_| !is_moved);
        let row = row.and_then(|row| Some((row, rows::place_of(&mut self.r, &row)?)));
        let Some((row, place)) = row else {
            let around = value.block.and_then(|block| facts.block(block).innermost);
            let about = around.map_or_else(Vec::new, |lp| causes::same_in(facts, lp, vec![base]));
            let is_looked_up = about.is_empty() && matches!(facts.value(base).kind, ValueKind::Load { .. });
            // One and the same pointer can be read before the loops.
            let is_behind_test =
                about.is_empty() && (is_moved || value.in_arm && rows::place_behind_test(&mut self.r, base));
            let is_moved_on = matches!(facts.value(base).kind, ValueKind::Phi(_));
            let place = facts.value(base).offset.filter(|_| is_looked_up);
            let searched = place.map_or_else(Vec::new, |place| causes::searched(facts, base, place));
            let counted_on = place.map_or_else(Vec::new, |_| causes::counted_on(facts, base));
            let detail = match (is_behind_test, is_looked_up) {
                (true, _) if causes::is_behind_counters(facts, id) => remedies::ROW_BEHIND_COUNTERS.to_owned(),
                (true, _) => remedies::ROW_BEHIND_TEST.to_owned(),
                (false, true) if !searched.is_empty() => remedies::SEARCHED.to_owned(),
                (false, true) if !counted_on.is_empty() => remedies::COUNTED_ON.to_owned(),
                (false, true) => remedies::CHANGES.to_owned(),
                (false, false) if causes::takes_turns(facts, base) => remedies::SWAPPED.to_owned(),
                (false, false) if is_moved_on => remedies::MOVED.to_owned(),
                (false, false) => named(facts, base),
            };
            let about = match detail.as_str() {
                remedies::SEARCHED => searched,
                remedies::COUNTED_ON => counted_on,
                _ if is_moved_on => vec![base],
                _ => about,
            };
            return Err(refuse(RejectKind::VariantBase, detail, &value.loc).about(about));
        };
        match self.r.read(offset) {
            Ok(pw) => {
                let touches = pw.pieces.iter().map(|p| (id, Touch { offset: p.value.clone(), bytes }));
                self.in_rows.entry(row.table).or_default().extend(touches);
                self.pointers.entry(row.table).or_default().insert(row.load, place);
                Ok(())
            }
            Err(e) => Err(self.unknown_element(id, e.0)),
        }
    }

    /// Whether an expression that is not affine is a value made in the innermost loop around the access: without it,
    /// a smaller region may know the element.
    fn is_data(&self, scev: ScevId, access: &Value) -> bool {
        let facts = self.r.facts;
        let innermost = |v: &Value| v.block.and_then(|b| facts.block(b).innermost);
        matches!(facts.scev(scev).kind, ScevKind::Unknown(v) if innermost(facts.value(v)) == innermost(access))
    }

    /// An access that may touch any element of an array cannot be told apart from other arrays at run time.
    fn apart(&self) -> Result<(), (BlockId, Reject)> {
        let facts = self.r.facts;
        let is_store = |id: &ValueId| matches!(facts.value(*id).kind, ValueKind::Store { .. });
        let writes = |base: ValueId| {
            let touched = self.touches.get(&base).into_iter().flatten().map(|(id, _)| id);
            let indirect = self.indirect.iter().filter(|id| facts.value(**id).base == Some(base));
            touched.chain(indirect).any(is_store)
        };
        for (table, list) in &self.in_rows {
            let have_numbers = self.pointers.get(table).is_some_and(|places| rows::fields(*table, places).is_some());
            let detail = match (writes(*table), have_numbers) {
                (true, _) => "the table of rows is written",
                (false, false) => "places in the table of rows may lie closer than pointers do",
                (false, true) => continue,
            };
            if let Some((id, _)) = list.first() {
                let value = facts.value(*id);
                let reject = refuse(RejectKind::VariantBase, detail.to_owned(), &value.loc);
                return Err((value.block.unwrap_or(BlockId(0)), reject));
            }
        }
        for id in &self.indirect {
            let value = facts.value(*id);
            let (Some(base), Some(offset)) = (value.base, value.offset) else { continue };
            let is_checked = |other: &ValueId| {
                let apart = facts.alias(base, *other) == Alias::No || !(writes(base) || writes(*other));
                *other == base || apart || table_range(facts, offset).is_some()
            };
            let is_written = writes(base) || self.in_rows.values().flatten().any(|(id, _)| is_store(id));
            let may_be_in_rows = !self.in_rows.is_empty() && is_written && table_range(facts, offset).is_none();
            if may_be_in_rows || !self.touches.keys().all(is_checked) {
                let bases = || self.touches.keys().filter(|b| !is_checked(b)).copied().chain([base]).collect();
                let (detail, about) = match causes::origin(facts, *id) {
                    _ if causes::is_chosen(facts, offset) => (remedies::CHOICE, Vec::new()),
                    Origin::Computed => (remedies::COMPUTED_MAY_OVERLAP, bases()),
                    Origin::Data | Origin::Carried => (remedies::MAY_OVERLAP, bases()),
                };
                let reject = refuse(RejectKind::NonAffineAccess, detail.to_owned(), &value.loc).about(about);
                return Err((value.block.unwrap_or(BlockId(0)), reject));
            }
        }
        Ok(())
    }

    /// What is assumed to hold before the region must not hang on what the region stores.
    fn guards(&self, blocks: &[BlockId]) -> Result<(), (BlockId, Reject)> {
        let facts = self.r.facts;
        let stores = blocks.iter().flat_map(|b| &facts.block(*b).insts).map(|v| facts.value(*v));
        let stores: Vec<_> = stores.filter(|v| matches!(v.kind, ValueKind::Store { .. })).map(|v| v.base).collect();
        for block in blocks {
            let load = guards::loads(facts, *block).into_iter().find(|l| stores.contains(&facts.value(*l).base));
            if let Some(load) = load {
                let loc = &facts.value(load).loc;
                let reject = refuse(RejectKind::NonAffineCondition, named(facts, load), loc);
                return Err((*block, reject.about(vec![load])));
            }
        }
        Ok(())
    }

    /// Every array has a shape in which all subscripts are affine.
    fn shapes(&mut self) -> Result<(), (BlockId, Reject)> {
        let (touches, in_rows) = (self.touches.clone(), self.in_rows.clone());
        let touches = touches.values().map(|list| (list, false)).chain(in_rows.values().map(|list| (list, true)));
        for (list, is_row) in touches.filter(|(list, _)| !list.is_empty()) {
            let plain: Vec<Touch> = list.iter().map(|(_, t)| t.clone()).collect();
            let Some((id, touch)) = misfit(&mut self.r, &plain, is_row).map(|at| &list[at]) else { continue };
            let in_units = if is_row { None } else { self.r.with_unit_stride(&plain) };
            if in_units.is_some_and(|plain| misfit(&mut self.r, &plain, false).is_none()) {
                continue;
            }
            if !is_row && self.are_views(list, &plain) {
                continue;
            }
            let value = self.r.facts.value(*id);
            let is_product = !is_row && causes::multiplies(touch);
            let sizes = causes::sizes(&self.r, [touch]);
            let of_all = causes::sizes(&self.r, &plain);
            let (detail, about) = match value.base.filter(|_| is_product) {
                Some(base) => (remedies::PRODUCT.to_owned(), vec![base]),
                None if !is_row && sizes.len() > 1 => (remedies::STEPS.to_owned(), sizes),
                None if of_all.len() > 1 => (remedies::UNLIKE_ROWS.to_owned(), of_all),
                None => (named(self.r.facts, *id), Vec::new()),
            };
            let reject = refuse(RejectKind::NonAffineAccess, detail, &value.loc).about(about);
            return Err((value.block.unwrap_or(BlockId(0)), reject));
        }
        Ok(())
    }

    /// Whether several arrays lie in the memory touched, each with affine subscripts.
    fn are_views(&mut self, list: &[(ValueId, Touch)], plain: &[Touch]) -> bool {
        let facts = self.r.facts;
        let insts: Vec<ValueId> = list.iter().map(|(id, _)| *id).collect();
        let base = insts.first().and_then(|id| facts.value(*id).base);
        if self.indirect.iter().any(|id| facts.value(*id).base == base) {
            return false;
        }
        let fits = |r: &mut Reader, view: &View| {
            view.from_beginning(plain).is_some_and(|touches| misfit(r, &touches, false).is_none())
        };
        [Fixed::Products, Fixed::Params].into_iter().any(|fixed| {
            let all = views::split(&self.r, (&insts, plain), fixed);
            all.is_some_and(|all| all.iter().all(|view| fits(&mut self.r, view)))
        })
    }

    /// Why nobody knows the value that a subscript is made of, and that value.
    fn unknown_value(&self, access: ValueId, scev: ScevId) -> (String, Vec<ValueId>) {
        let facts = self.r.facts;
        let mut about: Vec<ValueId> = causes::value_behind(facts, scev).into_iter().collect();
        let innermost = facts.value(access).block.and_then(|block| facts.block(block).innermost);
        let detail = match causes::origin(facts, access) {
            Origin::Computed => remedies::COMPUTED_BY.to_owned(),
            Origin::Data if innermost.is_some_and(|lp| causes::goes_along_rows(facts, &[lp])) => {
                remedies::ROW_LOOKED_UP.to_owned()
            }
            Origin::Data if about.iter().any(|v| causes::has_look_up_beside(facts, access, *v)) => {
                remedies::BOTH.to_owned()
            }
            Origin::Data if about.iter().any(|v| causes::is_kept_around(facts, *v)) => remedies::AROUND_KEPT.to_owned(),
            Origin::Data if !about.is_empty() => remedies::AROUND.to_owned(),
            Origin::Carried if !about.is_empty() => {
                about = causes::counted_on(facts, access);
                remedies::COUNTED_ON.to_owned()
            }
            Origin::Data | Origin::Carried => describe(facts, scev),
        };
        (detail, about)
    }
}

/// Why nobody knows before the loops whether a condition ends the program, and what that is due to.
fn end_of_program(facts: &FunctionFacts, at: ValueId) -> (&'static str, Vec<ValueId>) {
    let turns = causes::turns_of_condition(facts, at);
    let index = causes::index_in_condition(facts, at);
    let again = causes::loaded_again_in_condition(facts, at);
    match causes::of_condition(facts, at) {
        Some(loads) => (remedies::ENDS_PROGRAM_AGAIN, loads),
        None if !again.is_empty() => (remedies::ENDS_PROGRAM_AGAIN, again),
        None if !turns.is_empty() => (remedies::SWAPPED, turns),
        None if !index.is_empty() => (remedies::ENDS_PROGRAM_INDEX, index),
        None if !causes::is_of_counters(facts, at) => (remedies::ENDS_PROGRAM, vec![at]),
        None if causes::multiplies_in_condition(facts, at) => (remedies::ENDS_PROGRAM_PRODUCT, vec![at]),
        None if causes::compares_product(facts, at) => (remedies::ENDS_PROGRAM_LENGTH, vec![at]),
        None => (remedies::ENDS_PROGRAM_COMPUTED, vec![at]),
    }
}

/// The first of the accesses to one array whose subscripts are not affine.
fn misfit(r: &mut Reader, touches: &[Touch], is_row: bool) -> Option<usize> {
    let shape = Shape::suggest(touches, &r.floors).map(|shape| if is_row { shape.flat() } else { shape });
    touches.iter().position(|touch| {
        let subscripts = shape.as_ref().and_then(|s| s.subscripts(&touch.offset));
        !subscripts.is_some_and(|s| s.iter().all(|p| r.linearize_address(p).is_some()))
    })
}

/// Whether an instruction divides by what is no constant. Regions begin behind those in front of their loops: there the
/// quotient is a parameter, and nothing but the program may compute it.
fn divides(facts: &FunctionFacts, id: ValueId) -> bool {
    let value = facts.value(id);
    let by = |b: ScevId| !matches!(facts.scev(b).kind, ScevKind::Const(_));
    matches!(value.kind, ValueKind::Pure)
        && value.scev.is_some_and(|s| matches!(facts.scev(s).kind, ScevKind::UDiv(_, b) if by(b)))
}

fn describe(facts: &FunctionFacts, scev: ScevId) -> String {
    match &facts.scev(scev).kind {
        ScevKind::Unknown(v) => named(facts, *v),
        // What LLVM makes of an expression says nothing about the source.
        _ => String::new(),
    }
}

/// The value's name in the IR, if it has one.
fn named(facts: &FunctionFacts, id: ValueId) -> String {
    let name = &facts.value(id).name;
    if name.is_empty() { String::new() } else { format!("%{name}") }
}
