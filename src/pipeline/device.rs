//! Loops of a region for a GPU, beside those for the machine that the program runs on.

use super::budgets::{Shares, Stage};
use super::order::{self, ForDevice, Region};
use super::{Plan, Run, Stop, replay};
use crate::ast::buffers::Buffers;
use crate::ast::check::{is_tested_for, run_time_check};
use crate::ast::device::{self, Device};
use crate::ast::{self, Ast};
use crate::bridge::facts::Facts;
use crate::cost::Machine;
use crate::error::{Failure, SourceLoc};
use crate::facts::FunctionFacts;
use crate::model::Scop;
use crate::options::{Options, Target};
use crate::outcome::{RegionId, Remark};
use crate::parallel::device::Mapped;
use log::{debug, trace};
use presburger::Budget;

/// What is told where finding out about loops for a GPU takes too long.
const NOT_FOUND: &str = "loops get no kernel for a GPU";
/// What is said of a region whose new code is for a GPU only.
const KERNELS: &str = "given kernels for a GPU; the host's stay as they were";
/// What is added of one that has kernels as well.
pub const WITH_KERNELS: &str = ", with kernels for a GPU";
/// Part of a stage's budget that tiles in time may cost.
const TIME_PART: u64 = 2;
const OPTIMIZED_FOR_SIZE: &str = "the function is optimized for size";
const USERS: &str = "the order is the user's";
const OTHER_TESTS: &str = "the host's loops need other tests than those for a GPU";
const NO_LOOP: &str = "every loop carries a dependence";

/// Whether the user wants kernels for a GPU.
#[must_use]
pub fn is_wanted(options: &Options) -> bool {
    options.target == Target::Gpu
}

/// What is wrong with the numbers of kernels that the user says sizes of, where no region has more than `most`.
pub fn unknown_kernel(options: &Options, most: usize) -> Option<String> {
    let last = options.gpu_sizes.last_number().filter(|last| most > 0 && *last >= most)?;
    let known = if most == 1 { "just kernel 0".to_owned() } else { format!("kernels 0 to {} at most", most - 1) };
    Some(format!("-polyrs-gpu-sizes speaks of kernel {last}: regions have {known} here"))
}

impl Run<'_, '_> {
    /// Loops for a GPU, if the user wants some and there are any; else it is told why not.
    pub(super) fn on_device(
        &mut self,
        region: &Region,
        facts: &FunctionFacts,
        machine: &Machine,
        (id, loc): (RegionId, &SourceLoc),
        shares: &Shares<'_>,
    ) -> Result<Option<Device>, Failure> {
        if !is_wanted(self.options) {
            return Ok(None);
        }
        let found = if self.function.traits().opt_size {
            Ok(Err(OPTIMIZED_FOR_SIZE))
        } else if region.is_users() {
            Ok(Err(USERS))
        } else {
            found(region, facts, machine, (self.options, shares))
        };
        let Some(found) = self.unless_gave_up(found, NOT_FOUND, (loc, shares))? else { return Ok(None) };
        if let Ok(device) = &found {
            self.unit.saw_region(device::kernels(&device.ast).iter().filter(|k| device::has_axis(k)).count());
        }
        if let (Ok(device), true) = (&found, self.options.explain) {
            self.ledger.findings(id).gpu = Some(super::story::gpu(&region.code_for_device().scop, facts, device));
        }
        if let Err(why) = &found {
            self.asides.push(Remark::no_device(loc, why));
        }
        Ok(found.ok())
    }

    /// New code for a GPU only, beside the original; for this reason there is none for the host.
    pub(super) fn only_on_device(
        &mut self,
        id: RegionId,
        known: &Facts,
        (region, device): (Region, Option<Device>),
        reason: String,
        shares: &Shares<'_>,
    ) -> Result<Option<Plan>, Stop> {
        let Some(device) = device else { return Ok(self.keep(id, reason)) };
        let scop = region.code.scop;
        let check = shares.run(Stage::RunTimeCheck, |budget| run_time_check(&scop, &known.facts, budget))?;
        self.ledger.findings(id).tests = super::story::tests(&scop, known, &check);
        Ok(Some(Plan {
            region: id,
            scop,
            ast: Ast::Block(Vec::new()),
            summary: KERNELS.to_owned(),
            only_threads: false,
            alone: None,
            device: Some(device),
            only_device: true,
            check,
            buffers: Buffers::default(),
        }))
    }
}

/// The loops, or why there are none.
fn found(
    region: &Region,
    facts: &FunctionFacts,
    machine: &Machine,
    (options, shares): (&Options, &Shares<'_>),
) -> Result<Result<Device, &'static str>, Failure> {
    let scop = &region.code_for_device().scop;
    let other = region.other_for_device().map(|code| &code.scop);
    if !other.map_or(Ok(true), |other| says_enough(&region.code.scop, other, facts, shares))? {
        return Ok(Err(OTHER_TESTS));
    }
    if let Err(why) = device::check_region(scop, facts) {
        return Ok(Err(why));
    }
    let mut ranges = match shares.run(Stage::RunTimeCheck, |budget: &Budget| device::memory(scop, facts, budget))? {
        Ok(ranges) => ranges,
        Err(why) => return Ok(Err(why)),
    };
    let not_live_out = region.not_live_out_for_device();
    ranges.iter_mut().for_each(|memory| memory.scratch = memory.fresh && not_live_out.contains(&memory.array));
    let (mut best, mut why) = (None::<(Mapped, Device)>, NO_LOOP);
    for from in [ForDevice::Original, ForDevice::Scheduled, ForDevice::Distributed] {
        match &best {
            Some((mapped, _)) if mapped.rank() == (0, 1, 0) => break,
            Some((mapped, _)) if from == ForDevice::Distributed && mapped.serial <= 1 && mapped.untiled == 0 => break,
            _ => {}
        }
        let try_order = || -> Result<Option<(Mapped, Ast)>, Failure> {
            let Some(mapped) = order::for_device(region, from, machine, (options, shares))? else { return Ok(None) };
            let build = |budget: &Budget| order::built(scop, &mapped.tree, budget);
            let loops = shares.run(Stage::Ast, build)?;
            Ok(Some((mapped, loops)))
        };
        let (mapped, loops) = match try_order() {
            Ok(Some(found)) => found,
            Ok(None) => continue,
            Err(Failure::Limit(_)) if best.is_some() => break,
            Err(failure) => return Err(failure),
        };
        let checked = device::check_loops(scop, &loops, options.process_unprofitable);
        let usable = checked.and_then(|()| device::shared_scalars(scop, facts, &loops));
        debug!(
            "{}: {from:?} for a GPU, {} loops around: {}",
            scop.name,
            mapped.around,
            usable.as_ref().err().unwrap_or(&"usable")
        );
        trace!("{}", ast::print_c(&loops, &scop.param_names()));
        match usable {
            // Fewer launches first, then less that a thread does in order; the original order before others.
            Ok(scalars) if best.as_ref().is_none_or(|(known, _)| mapped.rank() < known.rank()) => {
                best = Some((mapped, Device { ast: loops, scop: other.cloned(), ranges: Vec::new(), scalars }));
            }
            Ok(_) => {}
            Err(reason) => why = reason,
        }
    }
    let in_time = match &best {
        Some((mapped, _)) if mapped.around > 0 && options.gpu_time_tiles => {
            in_time_tiles(region, facts, machine, (options, shares))?
        }
        _ => None,
    };
    let is_proved = in_time.is_some();
    let Some((mapped, mut device)) = in_time.or(best) else { return Ok(Err(why)) };
    if !is_proved {
        order::prove_for_device(region, &mapped, 1, shares)?;
    }
    if options.gpu_shared_memory {
        let most = options.gpu_max_shared_bytes.count().cast_signed();
        ast::shared::stage(scop, facts, &mut device.ast, most);
        shares.run(Stage::Proof, |budget: &Budget| ast::shared_check::check(scop, &device.ast, budget))?;
    }
    ast::waits::place(&mut device.ast);
    ast::waits::check(&device.ast)?;
    replay(scop, &mapped.tree, &device.ast, options)?;
    // What stays in memory for want of steps is right, and slower.
    let _ = ast::registers::hold_many(scop, &mut device.ast, shares.of_stage(Stage::Ast));
    Ok(Ok(Device { ranges, ..device }))
}

/// Whether the tests in front of some code say enough of the other one, too; not where either cannot be tested.
fn says_enough(code: &Scop, other: &Scop, facts: &FunctionFacts, shares: &Shares<'_>) -> Result<bool, Failure> {
    match shares.run(Stage::RunTimeCheck, |budget: &Budget| is_tested_for(code, other, facts, budget)) {
        Err(Failure::Reject(_)) => Ok(false),
        decided => decided,
    }
}

/// Loops with tiles in time, proved; `None`: there are none that pay, or finding out takes too long.
fn in_time_tiles(
    region: &Region,
    facts: &FunctionFacts,
    machine: &Machine,
    (options, shares): (&Options, &Shares<'_>),
) -> Result<Option<(Mapped, Device)>, Failure> {
    let scop = &region.code_for_device().scop;
    let find = || -> Result<Option<(Mapped, Device)>, Failure> {
        let Some(mapped) = order::for_device(region, ForDevice::TimeTiled, machine, (options, shares))? else {
            return Ok(None);
        };
        let build = |budget: &Budget| order::built(scop, &mapped.tree, &budget.part(TIME_PART));
        let ast = shares.run(Stage::Ast, build)?;
        let checked = device::check_loops(scop, &ast, options.process_unprofitable);
        let usable = checked.and_then(|()| device::shared_scalars(scop, facts, &ast));
        debug!("{}: tiles in time: {}", scop.name, usable.as_ref().err().unwrap_or(&"usable"));
        trace!("{}", ast::print_c(&ast, &scop.param_names()));
        let Ok(scalars) = usable else { return Ok(None) };
        order::prove_for_device(region, &mapped, TIME_PART, shares)?;
        let other = region.other_for_device().map(|code| code.scop.clone());
        Ok(Some((mapped, Device { ast, scop: other, ranges: Vec::new(), scalars })))
    };
    match find() {
        Err(Failure::Limit(limit)) => {
            debug!("{}: tiles in time: {limit:?}", scop.name);
            Ok(None)
        }
        found => found,
    }
}
