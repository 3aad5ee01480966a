//! The driver: one function in, one function out.
//!
//! Reads top to bottom as the pipeline. Works on a canonical clone; the user's function changes only when everything went well.
//! Each function, and in it each region, ends with one outcome, told as a remark and counted.

use crate::bridge::clone::CanonicalClone;
use crate::bridge::facts::Names;
use crate::bridge::module::{Function, Module, RemarkKind, fatal, regex_matches};
use crate::error::{Failure, SourceLoc};
use crate::options::Options;
use crate::phase::Phase;
use crate::report::{Counter, Report};
use crate::scop;
use std::cell::RefCell;
use std::fmt::Write as _;
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Why the pipeline ended before its last phase.
enum Stop {
    /// `-polyrs-stop-after`, or nothing left to do.
    Done,
    /// A stage could not go on.
    Failed(Failure),
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

/// One run of the pipeline on one function.
struct Run<'a, 'm> {
    function: Function<'m>,
    options: &'a Options,
    report: &'a mut Report,
}

/// Runs the pipeline on every function of the module that has a loop over memory; true if any changed.
#[must_use]
pub fn run_module(module: &Module<'_>, options: &Options) -> bool {
    let mut report = Report::default();
    let mut changed = false;
    for function in module.candidates() {
        report.count(Counter::Functions);
        if is_left_alone(function, options) {
            report.count(Counter::FunctionsSkipped);
            continue;
        }
        changed |= run_function(function, options, &mut report);
    }
    if options.report {
        print(&report.counters_text());
    }
    if options.time {
        print(&report.times_text());
    }
    changed
}

fn is_left_alone(function: Function<'_>, options: &Options) -> bool {
    let traits = function.traits();
    if traits.opt_none || traits.min_size || traits.opted_out || traits.done {
        return true;
    }
    let name = function.name();
    let listed = |patterns: &[String]| patterns.iter().any(|pattern| regex_matches(pattern, &name));
    listed(&options.ignore_func) || (!options.only_func.is_empty() && !listed(&options.only_func))
}

/// Runs the pipeline on one function; a panic or a failure leaves it as it was. True if it changed.
fn run_function(function: Function<'_>, options: &Options, report: &mut Report) -> bool {
    let mut run = Run { function, options, report };
    let result = catch_unwind(AssertUnwindSafe(|| run.optimize()));
    let failure = match result {
        Ok(Ok(changed)) => return changed,
        Ok(Err(Stop::Done)) => return false,
        Ok(Err(Stop::Failed(failure))) => failure,
        Err(_) => Failure::Bug(take_panic()),
    };
    run.fail(&failure);
    false
}

impl Run<'_, '_> {
    /// The pipeline. `Ok(true)`: the function has a new body.
    fn optimize(&mut self) -> Result<bool, Stop> {
        let function = self.function;
        let clone = self.phase(Phase::Canonicalize, || Ok(CanonicalClone::new(function)), CanonicalClone::print)?;
        if clone.loop_count() == 0 {
            return Ok(false);
        }
        let names = if self.options.use_ir_names { Names::Keep } else { Names::Drop };
        let facts = self.phase(Phase::Facts, || clone.facts(names), |facts| format!("{:#?}\n", facts.facts))?;
        let detection = self.phase(Phase::Detect, || Ok(scop::detect(&facts.facts, &scop::Config::default())), show_detection)?;
        for reject in detection.rejects {
            self.fail(&Failure::Reject(reject));
        }
        Ok(false)
    }

    /// Runs one phase: timed, printed if asked for, stopped after if asked for.
    fn phase<T>(
        &mut self,
        phase: Phase,
        work: impl FnOnce() -> Result<T, Failure>,
        show: impl FnOnce(&T) -> String,
    ) -> Result<T, Stop> {
        let result = self.report.timed(phase, work)?;
        if self.options.print_after == Some(phase) {
            print(&show(&result));
        }
        assert!(self.options.inject_panic != Some(phase), "panic injected after {phase}");
        if self.options.stop_after == Some(phase) {
            return Err(Stop::Done);
        }
        Ok(result)
    }

    /// Tells why something was left as it was.
    fn fail(&mut self, failure: &Failure) {
        match failure {
            Failure::Reject(reject) => {
                self.report.count_reject(reject.kind.name());
                let detail = if reject.detail.is_empty() { String::new() } else { format!(": {}", reject.detail) };
                let message = format!("not optimized: {}{detail}", reject.kind.message());
                self.function.remark(RemarkKind::Missed, reject.kind.name(), &reject.loc, &message);
            }
            Failure::Limit(limit) => {
                self.report.count(Counter::Limits);
                let message = format!("not optimized: the budget of the {} stage is spent", limit.stage);
                self.function.remark(RemarkKind::Missed, "BudgetSpent", &SourceLoc::default(), &message);
            }
            Failure::Bug(text) => {
                self.report.count(Counter::Bugs);
                let message = format!("not optimized because of an internal error: {text}");
                self.function.remark(RemarkKind::Missed, "InternalError", &SourceLoc::default(), &message);
                if self.options.fatal_bugs {
                    fatal(&format!("internal error in function '{}': {text}", self.function.name()));
                }
            }
        }
    }
}

fn show_detection(detection: &scop::Detection) -> String {
    let mut text = String::new();
    for c in &detection.candidates {
        let _ = writeln!(text, "region {} => {}: {} blocks, {} loops", c.entry, c.exit, c.blocks.len(), c.loops.len());
    }
    for reject in &detection.rejects {
        let _ = writeln!(text, "rejected at {}:{}: {} {}", reject.loc.line, reject.loc.column, reject.kind.name(), reject.detail);
    }
    text
}

fn print(text: &str) {
    let _ = std::io::stderr().write_all(text.as_bytes());
}

thread_local! {
    static LAST_PANIC: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Makes panics of this library silent: their message goes into the remark of the function that they happened in.
pub fn capture_panics() {
    std::panic::set_hook(Box::new(|info| {
        let text = info.payload_as_str().unwrap_or("panic");
        let place = info.location().map_or(String::new(), |l| format!(" at {}:{}", l.file(), l.line()));
        LAST_PANIC.with(|last| *last.borrow_mut() = Some(format!("{text}{place}")));
    }));
}

fn take_panic() -> String {
    LAST_PANIC.with(|last| last.borrow_mut().take()).unwrap_or_else(|| "panic".to_owned())
}
