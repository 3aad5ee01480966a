//! The driver: one function in, one function out.
//!
//! Reads top to bottom as the pipeline. Works on a canonical clone; the user's function changes only when everything went well.
//! Each function, and in it each region, ends with one outcome, told as a remark and counted.

mod order;
mod threads;

use crate::ast::{self, Ast};
use crate::bridge::clone::CanonicalClone;
use crate::bridge::facts::{Facts, Names};
use crate::bridge::module::{Function, Module, RemarkKind, fatal, regex_matches};
use crate::canonical::{self, Purpose};
use crate::deps::{self, Dependences};
use crate::error::{Failure, Reject, RejectKind, SourceLoc};
use crate::facts::{FunctionFacts, Target};
use crate::logging;
use crate::model::tree::Node;
use crate::model::tree::print::Yaml;
use crate::model::{self, Scop};
use crate::options::{Optimizer, Options};
use crate::parallel;
use crate::phase::Phase;
use crate::report::{Counter, Report};
use crate::schedule::{Machine, Outcome, Summary};
use crate::{codegen, scop};
use log::info;
use order::Region;
use presburger::Budget;
use std::cell::RefCell;
use std::fmt::Write as _;
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Why the pipeline ended before its last phase.
enum Stop {
    /// `-polyrs-stop-after`.
    Asked,
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

/// New loops for one region, proved legal, waiting for code generation.
struct Plan {
    scop: Scop,
    ast: Ast,
    /// What was done, in the user's words.
    summary: String,
    /// Whether the new code gains by its threads alone.
    only_threads: bool,
    /// Loops for where threads do not pay, if others are better there.
    alone: Option<Ast>,
    loc: SourceLoc,
}

/// Runs the pipeline on every function of the module that has a loop over memory; true if any changed.
#[must_use]
pub fn run_module(module: &Module<'_>, options: &Options) -> bool {
    let parallel = options.parallel && module.pointer_bits() == 64;
    let options = &Options { parallel, ..options.clone() };
    let mut report = Report::default();
    let mut changed = false;
    let hurries = !module.has_remarks() && !is_looked_into(options);
    for function in module.candidates() {
        report.count(Counter::Functions);
        if is_left_alone(function, options) {
            report.count(Counter::FunctionsSkipped);
            continue;
        }
        if hurries && !canonical::may_gain(function.loops(), purpose(options)) {
            continue;
        }
        changed |= run_function(function, options, &mut report);
    }
    if options.report {
        print(&report.counters_text());
    }
    if options.time {
        print(&format!("{}{}", report.times_text(), module.work()));
    }
    changed
}

/// Whether somebody wants to know what becomes of functions in which nothing can be transformed.
fn is_looked_into(options: &Options) -> bool {
    let inside = [options.print_after, options.stop_after, options.inject_panic].iter().any(Option::is_some);
    inside || options.report || options.export_jscop || logging::is_on()
}

/// What the user's options make of a function.
fn purpose(options: &Options) -> Purpose {
    let any_order = options.process_unprofitable || options.import_jscop || options.index_set_splitting;
    Purpose {
        collects: collects(options),
        any_order: any_order || threads::is_wanted(options) || options.optimizer == Optimizer::None,
    }
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
        Ok(Err(Stop::Asked)) => return false,
        Ok(Err(Stop::Failed(failure))) => failure,
        Err(_) => Failure::Bug(take_panic()),
    };
    run.fail(&failure, &SourceLoc::default());
    false
}

impl Run<'_, '_> {
    /// The pipeline. `Ok(true)`: the function has a new body.
    fn optimize(&mut self) -> Result<bool, Stop> {
        let function = self.function;
        let size = function.traits().instructions;
        if size > self.options.max_instructions {
            let (kind, detail) = (RejectKind::TooLarge, format!("{size} instructions"));
            return Err(Failure::Reject(Reject { kind, detail, loc: SourceLoc::default() }).into());
        }
        let clone = self.phase(Phase::Canonicalize, || Ok(canonical::clone_of(function)), CanonicalClone::print)?;
        if clone.loop_count() == 0 {
            return Ok(false);
        }
        let names = if self.options.use_ir_names { Names::Keep } else { Names::Drop };
        let read = || clone.facts(names).map(|facts| named(facts, function.name()));
        let facts = self.phase(Phase::Facts, read, |facts| format!("{:#?}\n", facts.facts))?;
        let config = scop::Config { running: collects(self.options), ..scop::Config::default() };
        let detection = self.phase(Phase::Detect, || Ok(scop::detect(&facts.facts, &config)), show_detection)?;
        for reject in &detection.rejects {
            self.fail(&Failure::Reject(reject.clone()), &reject.loc);
        }
        let machine = machine_of(clone.target());
        let mut plans = Vec::new();
        for (index, candidate) in detection.candidates.iter().enumerate() {
            self.report.count(Counter::Regions);
            let loc = location_of(&facts.facts, candidate);
            match self.plan(&facts.facts, candidate, index, &machine, &loc) {
                Ok(plan) => plans.extend(plan),
                Err(Stop::Asked) => {}
                Err(Stop::Failed(failure)) => self.fail(&failure, &loc),
            }
        }
        self.emit(clone, &facts, &plans)
    }

    /// New loops for one region; `None` if its order is best left alone.
    fn plan(
        &mut self,
        facts: &FunctionFacts,
        candidate: &scop::Candidate,
        index: usize,
        machine: &Machine,
        loc: &SourceLoc,
    ) -> Result<Option<Plan>, Stop> {
        let options = self.options;
        let scop = self.phase(Phase::Scops, || build_model(facts, candidate, index, options), Scop::to_string)?;
        self.report.count(Counter::Modelled);
        let deps = self.phase(
            Phase::Dependences,
            || deps::compute(&scop, &deps::Config::default(), &Budget::steps(options.dependences_budget)),
            |deps| show_dependences(&scop, deps, options),
        )?;
        let region = self.phase(
            Phase::Schedule,
            || order::of_region(scop, deps, facts, machine, options),
            |region| show_outcome(&region.ordered.outcome),
        )?;
        for why in &region.ordered.not_copied {
            self.share(why, loc);
        }
        if options.export_jscop {
            order::export(&region, options)?;
        }
        let (tree, steps) = match &region.ordered.outcome {
            Outcome::Keep { reason } => return Ok(self.keep(reason, loc)),
            Outcome::Transformed { tree, summary } => (tree, summary.steps.clone()),
            Outcome::Close(close) => (&close.tree, close.summary.steps.clone()),
        };
        self.report.count(Counter::Rescheduled);
        let mut ast = self.phase(
            Phase::Ast,
            || {
                ast::build(
                    &region.code.scop,
                    tree,
                    &ast::Config { budget_steps: options.ast_budget, ..ast::Config::default() },
                )
            },
            |ast| ast::print_c(ast, &region.code.scop.param_names()),
        )?;
        let only_threads = region.ordered.only_threads;
        let in_threads = threads::is_wanted(options) && self.keeps_threads(&region, &mut ast, loc)?;
        if only_threads && !in_threads {
            return Ok(self.keep("it is as fast as any new one, and threads would not pay", loc));
        }
        let alone = if in_threads && !only_threads { self.loops_for_one(&region, machine, &ast) } else { None };
        let summary = in_words(steps, in_threads);
        Ok(Some(Plan { scop: region.code.scop, ast, summary, only_threads, alone, loc: loc.clone() }))
    }

    /// The loops that are best in one thread, if they differ from those in threads and can be made.
    fn loops_for_one(&mut self, region: &Region, machine: &Machine, ast: &Ast) -> Option<Ast> {
        let options = self.options;
        if options.parallel_force || options.import_jscop {
            return None;
        }
        let order = self.report.timed(Phase::Schedule, || order::for_one_thread(region, machine, options)).ok()?;
        let Outcome::Transformed { tree, .. } = order else { return None };
        let config = ast::Config { budget_steps: options.ast_budget, ..ast::Config::default() };
        let alone = self.report.timed(Phase::Ast, || ast::build(&region.code.scop, &tree, &config)).ok()?;
        let mut plain = ast.clone();
        threads::unmark(&mut plain);
        (alone != plain).then_some(alone)
    }

    /// Tells why threads share an array.
    fn share(&mut self, why: &str, loc: &SourceLoc) {
        let message = format!("threads share an array that each could have a copy of: {why}");
        self.function.remark(RemarkKind::Missed, "SharedArray", loc, &message);
    }

    /// Leaves marks on those loops only for which threads may pay; whether there are any.
    fn keeps_threads(&mut self, region: &Region, ast: &mut Ast, loc: &SourceLoc) -> Result<bool, Failure> {
        let scop = &region.code.scop;
        if threads::unmark_inexact(scop, ast, &region.unread, self.options) {
            self.share(parallel::NOT_LEFT, loc);
        }
        let marked = threads::count_marked(ast);
        let left = threads::unmark_small(scop, ast, self.options)?;
        if left == 0 {
            let why = if marked == 0 {
                "every loop carries a dependence"
            } else {
                "they do too little work for threads to pay"
            };
            self.function.remark(RemarkKind::Missed, "OneThread", loc, &format!("loops run in one thread: {why}"));
        }
        Ok(left > 0)
    }

    /// Writes the new loops into the clone and gives it to the user's function. Leaves the function as it was if nothing was
    /// written or the result is not well-formed.
    fn emit(&mut self, mut clone: CanonicalClone<'_>, facts: &Facts, plans: &[Plan]) -> Result<bool, Stop> {
        if plans.is_empty() {
            return Ok(false);
        }
        let mut done = Vec::new();
        let mut ir = clone.ir(facts);
        let threads = threads::config(self.options);
        for plan in dominating_first(&facts.facts, plans) {
            let input = codegen::Input {
                facts: &facts.facts,
                scop: &plan.scop,
                ast: &plan.ast,
                threads,
                only_threads: plan.only_threads,
                alone: plan.alone.as_ref(),
            };
            match self.report.timed(Phase::Codegen, || codegen::generate(&mut ir, &input)) {
                Ok(outcome) if outcome.versioned && self.function.traits().opt_size => {
                    let reason =
                        "a run-time check needs a second copy of the loops, and the function is optimized for size";
                    self.keep(reason, &plan.loc);
                    return Ok(false);
                }
                Ok(outcome) => done.push((plan, outcome)),
                Err(failure) => self.fail(&failure, &plan.loc),
            }
        }
        if let Some(cfg) = threads {
            let tasks: Vec<_> = done.iter_mut().flat_map(|(_, outcome)| std::mem::take(&mut outcome.tasks)).collect();
            codegen::openmp::outline(&ir, &self.function.name(), &tasks, &cfg)?;
        }
        drop(ir);
        if done.is_empty() {
            return Ok(false);
        }
        let clone = self.phase(Phase::Codegen, || Ok(clone), CanonicalClone::print)?;
        if self.options.verify {
            let verdict = self.report.timed(Phase::Codegen, || clone.verify());
            verdict.map_err(|message| Failure::Bug(format!("the generated code is not well-formed: {message}")))?;
        }
        for (plan, outcome) in done {
            self.report.count(Counter::Emitted);
            let versioned = if outcome.versioned { ", if a run-time check allows it" } else { "" };
            let message = format!("loops {}{versioned}", plan.summary);
            info!("{}: {message}", plan.scop.name);
            self.function.remark(RemarkKind::Passed, "Reordered", &plan.loc, &message);
        }
        clone.commit();
        Ok(true)
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
            return Err(Stop::Asked);
        }
        Ok(result)
    }

    /// Tells why the order of a region stays.
    fn keep(&mut self, reason: &str, loc: &SourceLoc) -> Option<Plan> {
        info!("{}: order kept: {reason}", self.function.name());
        self.report.count(Counter::Kept);
        self.function.remark(RemarkKind::Missed, "Kept", loc, &format!("order of the loops kept: {reason}"));
        None
    }

    /// Tells why something was left as it was; `loc` is where, unless the failure knows better.
    fn fail(&mut self, failure: &Failure, loc: &SourceLoc) {
        info!("{}: not optimized: {failure}", self.function.name());
        let missed = |name: &str, loc: &SourceLoc, reason: &str| {
            self.function.remark(RemarkKind::Missed, name, loc, &format!("loops not optimized: {reason}"));
        };
        match failure {
            Failure::Reject(reject) => {
                let loc = if reject.loc.line == 0 { loc } else { &reject.loc };
                missed(reject.kind.name(), loc, reject.kind.message());
                self.report.count_reject(reject.kind.name());
            }
            Failure::Limit(limit) => {
                missed("BudgetSpent", loc, &format!("the budget of the {} stage is spent", limit.stage));
                self.report.count(Counter::Limits);
            }
            Failure::Bug(text) => {
                missed("InternalError", loc, &format!("internal error: {text}"));
                self.report.count(Counter::Bugs);
                if self.options.fatal_bugs {
                    fatal(&format!("internal error in function '{}': {text}", self.function.name()));
                }
            }
        }
    }
}

/// The facts under the original's name; the clone's is nobody's business.
fn named(mut facts: Facts, name: String) -> Facts {
    facts.facts.name = name;
    facts
}

/// Whether what loops collect in local variables is looked for: threads are what it gains by.
fn collects(options: &Options) -> bool {
    options.reductions && threads::is_wanted(options)
}

/// Model of a region, within the limits that the options set.
fn build_model(
    facts: &FunctionFacts,
    candidate: &scop::Candidate,
    index: usize,
    options: &Options,
) -> Result<Scop, Failure> {
    let cfg = model::build::Config {
        max_stmts: options.max_stmts as usize,
        reductions: options.reductions,
        running: collects(options),
        budget_steps: options.analysis_budget,
        ..model::build::Config::default()
    };
    let mut scop = model::build::build(facts, candidate, index, &cfg)?;
    if options.ignore_aliasing {
        scop.alias_groups.clear();
    }
    Ok(scop)
}

/// Plans in an order in which no region uses a value of a later one. Function order is none: a loop nest may stand in front of one
/// that runs before it. A region with a value that another one uses dominates it, so that fewer blocks dominate its entry.
fn dominating_first<'p>(facts: &FunctionFacts, plans: &'p [Plan]) -> Vec<&'p Plan> {
    let mut ordered: Vec<&Plan> = plans.iter().collect();
    ordered.sort_by_key(|plan| plan.scop.region.entry.map(|entry| facts.dominators(entry).count()));
    ordered
}

/// The target's numbers; what it does not say is that of a common server core. The last level counts as 32 MiB everywhere.
fn machine_of(target: Target) -> Machine {
    let or = |value: u64, default: u64| if value == 0 { default } else { value };
    Machine {
        l1_bytes: or(target.l1_bytes, 32 << 10),
        l2_bytes: or(target.l2_bytes, 1 << 20),
        l3_bytes: 32 << 20,
        vector_bits: target.vector_bits.max(64),
        vector_registers: target.vector_registers.max(1),
    }
}

/// Source position of the region's first loop.
fn location_of(facts: &FunctionFacts, candidate: &scop::Candidate) -> SourceLoc {
    let locs = candidate.loops.iter().map(|&id| &facts.lp(id).loc);
    locs.into_iter().find(|loc| loc.line != 0).cloned().unwrap_or_default()
}

fn show_detection(detection: &scop::Detection) -> String {
    let mut text = String::new();
    for c in &detection.candidates {
        let _ = writeln!(text, "region {} => {}: {} blocks, {} loops", c.entry, c.exit, c.blocks.len(), c.loops.len());
    }
    for r in &detection.rejects {
        let _ = writeln!(text, "rejected at {}:{}: {} {}", r.loc.line, r.loc.column, r.kind.name(), r.detail);
    }
    text
}

fn show_dependences(scop: &Scop, deps: &Dependences, options: &Options) -> String {
    let budget = Budget::steps(options.dependences_budget);
    let text = deps::print::report(scop, deps, &budget).unwrap_or_else(|_| deps.to_string());
    format!("dependences of {}\n{text}", scop.name)
}

/// What was done to the loops.
fn in_words(mut steps: Vec<String>, in_threads: bool) -> String {
    if in_threads && steps.iter().all(|s| s == order::ORIGINAL_ORDER) {
        return "run in threads, in their order".to_owned();
    }
    if steps.is_empty() {
        steps.push("same order, written anew".to_owned());
    }
    if in_threads {
        steps.push("in threads".to_owned());
    }
    format!("reordered: {}", steps.join(", "))
}

fn show_outcome(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Keep { reason } => format!("order kept: {reason}\n"),
        Outcome::Transformed { tree, summary } => show_order(tree, summary),
        Outcome::Close(close) => show_order(&close.tree, &close.summary),
    }
}

fn show_order(tree: &Node, summary: &Summary) -> String {
    format!("{}\n{}\n", summary.steps.join(", "), Yaml(tree))
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
