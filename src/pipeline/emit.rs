//! The last step of a function: new loops for its regions written into the clone, and the clone's body made the
//! function's.

use super::{Plan, Run, Stop, device, show, story, threads};
use crate::bridge::clone::CanonicalClone;
use crate::bridge::facts::Facts;
use crate::bridge::ir::Ir;
use crate::codegen;
use crate::error::{Failure, Reject, RejectKind, SourceLoc};
use crate::facts::FunctionFacts;
use crate::options::Options;
use crate::outcome::{self, Remark};
use crate::phase::Phase;
use log::debug;

impl Run<'_, '_> {
    /// Writes the new loops into the clone and gives it to the user's function. Leaves the function as it was if
    /// nothing was written or the result is not well-formed.
    pub(super) fn emit(&mut self, mut clone: CanonicalClone<'_>, facts: &Facts, plans: &[Plan]) -> Result<(), Stop> {
        if plans.is_empty() {
            return Ok(());
        }
        let (mut done, mut tasks, mut kernels) = (Vec::new(), Vec::new(), Vec::new());
        let (mut plain, mut tests) = (Vec::new(), Vec::new());
        self.report.timed(Phase::Codegen, || clone.record());
        let ir = clone.ir(facts);
        let threads = threads::config(self.options);
        let may_version = !self.function.traits().opt_size;
        for plan in dominating_first(&facts.facts, plans) {
            let write = || generate(&ir, &facts.facts, plan, (threads, may_version, self.options));
            match self.report.timed(Phase::Codegen, write) {
                Ok((written, lost)) => {
                    if let Some(why) = &lost {
                        self.asides.push(Remark::no_device(&SourceLoc::default(), &why.to_string()));
                    }
                    let device = Some(kernels.len()).filter(|_| lost.is_none() && plan.device.is_some());
                    done.push((plan, written.versioned, device));
                    plain.extend(written.plain());
                    tests.extend(written.apart);
                    tasks.extend(written.tasks);
                    kernels.extend(written.kernels);
                }
                Err(failure) => {
                    let is_test = |r: &Reject| matches!(r.kind, RejectKind::CodeSize | RejectKind::CheckFails);
                    if !matches!(&failure, Failure::Reject(reject) if is_test(reject)) {
                        self.ledger.findings(plan.region).named.clear();
                    }
                    self.ledger.end(plan.region, failure.into());
                }
            }
        }
        if let Some(cfg) = threads {
            codegen::openmp::outline(&ir, &self.function.name(), &tasks, &cfg)?;
        }
        let (arch, libdevice) = (self.options.gpu_arch.names(), self.options.gpu_libdevice.as_str());
        let place = (arch, libdevice, self.unit.count(arch));
        let ptx = codegen::device::outline(&ir, &facts.facts.name, &kernels, place).map_err(Stop::NoKernels)?;
        if !kernels.is_empty() {
            let sequences = ir.keep_on_device(self.options.gpu_keep_data);
            debug!("{}: data stays on the device in {sequences} sequences of regions", self.function.name());
        }
        if self.function.traits().may_defer {
            codegen::defer(&ir, &self.function.name(), &plain);
            codegen::tests_apart(&ir, &self.function.name(), &tests);
        }
        drop(ir);
        if done.is_empty() {
            return Ok(());
        }
        self.report.timed(Phase::Codegen, || clone.restore());
        let clone = self.phase(Phase::Codegen, || Ok(clone), CanonicalClone::print)?;
        if self.options.verify {
            let verdict = self.report.timed(Phase::Codegen, || clone.verify());
            verdict.map_err(|message| Failure::Bug(format!("the generated code is not well-formed: {message}")))?;
        }
        clone.commit();
        self.changed = true;
        for (plan, versioned, device) in done {
            if let (Some(first), Some(gpu)) = (device, &mut self.ledger.findings(plan.region).gpu) {
                story::add_ptx(gpu, &ptx, first);
            }
            let with_kernels = if device.is_some() && !plan.only_device { device::WITH_KERNELS } else { "" };
            let summary = plan.summary.clone() + with_kernels;
            let assumed = versioned.then(|| show::no_errors(&facts.facts, &plan.scop)).flatten();
            self.ledger.end(plan.region, outcome::Outcome::Transformed { summary, versioned, assumed });
        }
        self.unit.add(self.options.gpu_arch.names(), ptx);
        Ok(())
    }
}

/// Writes the code of one plan, and why it is without kernels although it was to have some; on an error the function is
/// as it was.
fn generate<'f>(
    ir: &'f Ir<'f>,
    facts: &'f FunctionFacts,
    plan: &'f Plan,
    (threads, may_version, options): (Option<codegen::openmp::Config>, bool, &'f Options),
) -> Result<(codegen::Written<'f>, Option<Failure>), Failure> {
    let Plan { scop, ast, only_threads, check, buffers, .. } = plan;
    let (only_threads, alone) = (*only_threads, plan.alone.as_ref());
    let (device, only_device) = (plan.device.as_ref(), plan.only_device);
    let gpu = codegen::device::Config { arch: options.gpu_arch.names(), min_compute: options.gpu_min_compute };
    let input = codegen::Input {
        facts,
        scop,
        ast,
        check,
        buffers,
        threads,
        only_threads,
        may_version,
        alone,
        device,
        gpu,
        only_device,
        trace: options.trace,
    };
    match codegen::generate(ir, &input) {
        Err(why @ (Failure::Reject(_) | Failure::Limit(_))) if device.is_some() && !only_device => {
            codegen::generate(ir, &codegen::Input { device: None, ..input }).map(|written| (written, Some(why)))
        }
        other => other.map(|written| (written, None)),
    }
}

/// Plans in an order in which no region uses a value of a later one. Function order is none: a loop nest may stand in
/// front of one that runs before it. A region with a value that another one uses dominates it, so that fewer blocks
/// dominate its entry.
fn dominating_first<'p>(facts: &FunctionFacts, plans: &'p [Plan]) -> Vec<&'p Plan> {
    let mut ordered: Vec<&Plan> = plans.iter().collect();
    ordered.sort_by_key(|plan| plan.scop.region.entry.map(|entry| facts.dominators(entry).count()));
    ordered
}
