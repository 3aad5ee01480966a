//! The driver: one function in, one function out.
//!
//! Reads top to bottom as the pipeline. Works on a canonical clone; the user's function changes only when everything
//! went well. Each region ends with one outcome, kept in a ledger that tells and counts it.

mod binding;
mod budgets;
mod coalesced;
mod device;
mod dot;
mod emit;
mod gone;
mod order;
mod purpose;
mod show;
mod story;
mod threads;
mod users;

use crate::ast::buffers::Buffers;
use crate::ast::check::{RunTimeCheck, run_time_check_of};
use crate::ast::device::Device;
use crate::ast::{self, Ast};
use crate::bridge::clone::CanonicalClone;
use crate::bridge::facts::{Facts, Names};
use crate::bridge::module::{Function, Look, Module, fatal, shown_name};
use crate::canonical;
use crate::codegen::device::Unit;
use crate::cost::Machine;
use crate::deps::{self, Dependences};
use crate::error::{Failure, GaveUp, Limit, Reject, RejectKind, SourceLoc};
use crate::facts::FunctionFacts;
use crate::ids::{LoopId, ValueId};
use crate::model::build::Families;
use crate::model::tree::Node;
use crate::model::{self, Scop};
use crate::options::annotation::Annotations;
use crate::options::{Options, Target};
use crate::outcome::{self, Ledger, RegionId, Remark};
use crate::parallel::NotCopied;
use crate::phase::Phase;
use crate::remedies::IN_FUNCTION;
use crate::report::{Counter, Report};
use crate::schedule::{Decision, Demands, Readers, Summary};
use crate::scop::{self, causes};
use crate::storage::buffer::RANGE_PART;
use crate::storage::{overwritten, scalars};
use crate::transform::script;
use budgets::{Shares, Stage};
use gone::Gone;
use log::info;
use order::Region;
use presburger::{Budget, Error};
use purpose::{hurries, left_alone, purpose, schedules};
use std::cell::RefCell;
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Part of the budget for dependences that mapping scalars onto array elements may cost.
const SCALARS_PART: u64 = 2;

/// Scalars from which on those that run through a loop are one where that halves the statements: the flow of so many
/// takes more steps than there are.
const MANY_SCALARS: usize = 8;

/// Why the pipeline ended before its last phase.
enum Stop {
    /// `-polyrs-stop-after`.
    Asked,
    /// A stage could not go on.
    Failed(Failure),
    /// There are no kernels of what a GPU was to run, for this reason: nothing has changed.
    NoKernels(String),
    /// Time loops were unrolled, and no new code takes their place.
    Turns,
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
    /// Whether the function asks for a report.
    reports: bool,
    /// Whether anybody reads remarks on it.
    is_heard: bool,
    /// Whether time loops may be unrolled for pointers that take turns.
    turns: bool,
    report: &'a mut Report,
    ledger: Ledger,
    /// What is told of the function besides how its regions ended.
    asides: Vec<Remark>,
    /// Kernels of the functions before.
    unit: &'a mut Unit,
    /// Whether the function has a new body.
    changed: bool,
}

/// New loops for one region, proved legal, waiting for code generation.
struct Plan {
    region: RegionId,
    scop: Scop,
    ast: Ast,
    /// What was done, in the user's words.
    summary: String,
    /// Whether the new code gains by its threads alone.
    only_threads: bool,
    /// Loops for where threads do not pay, if others are better there.
    alone: Option<Ast>,
    /// Loops for a GPU.
    device: Option<Device>,
    /// Whether the new code is for a GPU only: without one the original is as good.
    only_device: bool,
    /// What is tested before the new loops run.
    check: RunTimeCheck,
    /// Buffers of the copies of arrays that they need.
    buffers: Buffers,
}

/// Runs the pipeline on every function of the module that has a loop; true if any changed.
#[must_use]
pub fn run_module(module: &Module<'_>, options: &Options) -> bool {
    let is_wide = module.pointer_bits() == 64;
    let possible = |own: Options| {
        let target = if is_wide { own.target } else { Target::Cpu };
        Options { parallel: own.parallel && is_wide, target, ..own }
    };
    let options = &possible(options.clone());
    let is_read = module.has_remarks();
    let (mut report, mut unit) = (Report::default(), Unit::default());
    let mut changed = false;
    let Ok(script) = users::inputs(options).map_err(|why| module.error(&why)) else { return false };
    let unscripted = script.as_ref().map(|_| Options { transform: String::new(), ..options.clone() });
    let options = unscripted.as_ref().unwrap_or(options);
    let (mut annotations, problems) = Annotations::read(&module.annotations(), options, possible, shown_name);
    let functions = module.candidates();
    if let Some(script) = &script {
        annotations.add_script(&script::wishes(&script.0, &script.1), options, possible);
        users::missing(module, &functions, script);
    }
    problems.iter().for_each(|problem| module.warn(problem));
    for function in functions {
        let (options, reports) = annotations.of(|| function.name(), options);
        let gains = || function.look() == Look::All && canonical::may_gain(function.loops(), purpose(options));
        if hurries(options, reports || is_read) && !gains() {
            continue;
        }
        changed |= run_function(function, (options, reports, is_read || reports, true), &mut unit, &mut report);
    }
    unit.write(module);
    device::unknown_kernel(options, unit.most_of_region()).iter().for_each(|problem| module.warn(problem));
    if options.report {
        print(&report.counters_text());
    }
    if options.time {
        print(&format!("{}{}", report.times_text(), module.work()));
    }
    changed
}

/// Runs the pipeline on one function and tells how its regions ended; a panic or a failure leaves it as it was. True if
/// it changed; `reports` says whether it asks to be told of, `is_heard` whether anybody reads what is told. A function
/// that was transformed at an earlier place has been told of there.
fn run_function(
    function: Function<'_>,
    (options, reports, is_heard, turns): (&Options, bool, bool, bool),
    unit: &mut Unit,
    report: &mut Report,
) -> bool {
    if function.traits().done {
        report.count(Counter::Functions);
        report.count(Counter::FunctionsSkipped);
        return false;
    }
    // Kernels take room.
    let packs = options.pattern_matching_based_opts && !function.traits().opt_size;
    let options = &Options { pattern_matching_based_opts: packs, ..options.clone() };
    let counted = report.clone();
    let (ledger, asides) = (Ledger::default(), Vec::new());
    let mut run = Run { function, options, reports, is_heard, turns, report, ledger, asides, unit, changed: false };
    let failure = match catch_unwind(AssertUnwindSafe(|| run.optimize())) {
        Ok(Ok(()) | Err(Stop::Asked)) => None,
        Ok(Err(Stop::Failed(failure))) => Some(failure),
        Ok(Err(Stop::NoKernels(why))) => {
            // What else there is to say, the function's next look at says.
            run.asides.retain(Remark::is_of_device);
            run.asides.push(Remark::no_device(&SourceLoc::default(), &why));
            run.asides.iter().for_each(|aside| function.remark(aside));
            *run.report = counted;
            let options = Options { target: Target::Cpu, ..options.clone() };
            return run_function(function, (&options, reports, is_heard, turns), unit, report);
        }
        Ok(Err(Stop::Turns)) => {
            *run.report = counted;
            return run_function(function, (options, reports, is_heard, false), unit, report);
        }
        Err(_) => Some(Failure::Bug(take_panic())),
    };
    if let Some(failure) = failure {
        run.end_rest(failure);
    }
    run.tell();
    run.changed
}

/// What threads run of a region's loops, and what one thread runs.
struct ForThreads {
    ast: Ast,
    /// What one thread runs, if that is something else.
    alone: Option<Ast>,
    /// What both ask of the data.
    demands: Demands,
    /// What was done, in words.
    steps: Vec<String>,
    /// Whether the new code gains by threads alone.
    only_threads: bool,
    /// Whether there are loops that threads run.
    in_threads: bool,
}

impl Run<'_, '_> {
    /// The pipeline.
    fn optimize(&mut self) -> Result<(), Stop> {
        let (function, turns) = (self.function, self.turns);
        if function.look() == Look::All {
            self.report.count(Counter::Functions);
        }
        self.is_looked_at()?;
        let purpose = hurries(self.options, self.is_heard).then(|| purpose(self.options));
        let clone = || Ok(canonical::clone_of(function, turns, purpose));
        let show = |clone: &Option<CanonicalClone<'_>>| clone.as_ref().map_or_else(String::new, CanonicalClone::print);
        let Some(clone) = self.phase(Phase::Canonicalize, clone, show)? else { return Ok(()) };
        let gone = Gone { lost: clone.lost(), cycles: function.cycles() };
        if clone.loop_count() == 0 {
            gone.tell(&mut self.ledger, &[]);
            return Ok(());
        }
        let names = if self.options.use_ir_names || self.options.explain { Names::Keep } else { Names::Drop };
        let config = scop::Config { running: collects(self.options), ..scop::Config::default() };
        let read = || clone.facts(names).map(|facts| named(facts, function.name(), &config));
        let facts = self.phase(Phase::Facts, read, |facts| format!("{:#?}\n", facts.facts))?;
        gone.tell(&mut self.ledger, &facts.facts.loops);
        let detection = self.phase(Phase::Detect, || Ok(scop::detect(&facts.facts, &config)), show::detection)?;
        self.draw("regions", &facts.facts.name, || dot::regions(&facts.facts, &detection));
        let is_told = |reject: &Reject| !gone::is_other_version(reject, &facts.facts, &detection.candidates);
        for mut reject in detection.rejects.into_iter().filter(is_told) {
            story::in_source_terms(&facts, &mut reject);
            let named = self.named(&facts, &reject.about);
            let only_looks = causes::only_look(&facts.facts, &reject);
            let nest = reject.nest.as_deref().cloned().unwrap_or_default();
            let region = self.ledger.add(reject.loc.clone(), outcome::Outcome::Rejected(reject));
            let findings = self.ledger.findings(region);
            (findings.named, findings.nest, findings.only_looks) = (named, nest, only_looks);
        }
        let machine = Machine::of(&clone.target());
        let (mut plans, mut replaced) = (Vec::new(), Vec::new());
        let budget = Budget::steps(self.options.budget);
        for (index, candidate) in detection.candidates.iter().enumerate() {
            self.report.count(Counter::Regions);
            let loc = location_of(&facts.facts, candidate);
            let region = self.ledger.open(loc.clone());
            users::note(self.ledger.findings(region), self.options, (&facts.facts, candidate, index));
            let shares = Shares::of(&budget, self.options);
            let candidate = (candidate, index);
            match self.plan(&facts, candidate, &machine, (region, &loc), &shares) {
                Ok(plan) => {
                    replaced.extend(plan.iter().flat_map(|_| &candidate.0.loops));
                    plans.extend(plan);
                }
                Err(Stop::Asked) => {}
                Err(Stop::Failed(failure)) => self.fail(region, failure, &facts),
                Err(none @ (Stop::NoKernels(_) | Stop::Turns)) => return Err(none),
            }
            shares.log(&format!("{}:{index}", facts.facts.name));
        }
        let mut unrolled =
            (0..facts.facts.loops.len()).map(LoopId::new).filter(|l| facts.facts.lp(*l).hints.turns).peekable();
        if !plans.is_empty() && unrolled.peek().is_some() && unrolled.all(|l| !replaced.contains(&&l)) {
            return Err(Stop::Turns);
        }
        self.emit(clone, &facts, &plans)
    }

    /// Ends all regions of a function that no stage looks at.
    fn is_looked_at(&mut self) -> Result<(), Stop> {
        let function = self.function;
        let size = function.traits().instructions;
        let (kind, detail) = if let Some(why) = left_alone(function, self.options) {
            if function.look() == Look::All {
                self.report.count(Counter::FunctionsSkipped);
            }
            (RejectKind::LeftAlone, why.to_owned())
        } else if function.look() == Look::NoCopy {
            (RejectKind::NoCopy, String::new())
        } else if size > self.options.max_instructions {
            (RejectKind::TooLarge, format!("{size} {IN_FUNCTION}"))
        } else if function.look() == Look::NoMemory {
            gone::tell_of_quiet(&mut self.ledger, function);
            return Err(Stop::Asked);
        } else {
            return Ok(());
        };
        Err(Failure::Reject(Reject::new(kind, detail, SourceLoc::default())).into())
    }

    /// New loops for one region; `None` if its order is best left alone.
    fn plan(
        &mut self,
        known: &Facts,
        (candidate, index): (&scop::Candidate, usize),
        machine: &Machine,
        (id, loc): (RegionId, &SourceLoc),
        shares: &Shares<'_>,
    ) -> Result<Option<Plan>, Stop> {
        let (options, facts) = (self.options, &known.facts);
        let (region, ast) = self.ordered(known, (candidate, index), machine, (id, loc), shares)?;
        let device = self.on_device(&region, facts, machine, (id, loc), shares)?;
        let Some(ast) = ast else {
            let Decision::Keep { reason, .. } = &region.ordered.decision else {
                return Err(Failure::Bug("an order without loops".to_owned()).into());
            };
            let (reason, remedy) = binding::kept(reason, &region, known, options, self.is_told());
            self.ledger.findings(id).remedy = remedy;
            return self.only_on_device(id, known, (region, device), reason, shares);
        };
        let found = self.for_threads(&region, ast, (facts, machine), loc, shares)?;
        let Some(ForThreads { mut ast, mut alone, demands, steps, only_threads, in_threads }) = found else {
            let reason = "it is as fast as any new one, and threads would not pay";
            return self.only_on_device(id, known, (region, device), reason.to_owned(), shares);
        };
        let budget = &shares.of_stage(Stage::RunTimeCheck).part(RANGE_PART);
        if order::pays_nowhere(&region.code.scop.contexts, &demands, budget) {
            return self.only_on_device(id, known, (region, device), order::PAYS_NOWHERE.to_owned(), shares);
        }
        for loops in [&mut ast].into_iter().chain(&mut alone) {
            let hold = || ast::registers::hold(&region.code.scop, loops, shares.of_stage(Stage::Ast));
            if let Some(why) = self.report.timed(Phase::Ast, hold) {
                let why = Failure::Limit(Limit { stage: Stage::Ast.name(), why });
                self.tell_of(loc, GaveUp { what: "elements stay in memory in some loops", why }, shares);
            }
            self.report.timed(Phase::Ast, || ast::lanes::find(&region.code.scop, loops));
        }
        let steps = order::steps(&region, steps, facts);
        let mut scop = region.code.scop;
        order::pay_from(&mut scop.contexts, &demands);
        let touching = region.touching.map(|of| Scop { contexts: scop.contexts.clone(), ..*of });
        let touching = touching.as_ref().unwrap_or(&scop);
        let fresh = demands.fresh;
        let tested = |budget: &Budget| {
            let buffers = Buffers::of(&scop, facts, [&ast].into_iter().chain(&alone), budget)?;
            Ok((run_time_check_of((&scop, touching), facts, budget)?, buffers))
        };
        let (check, buffers) = self.report.timed(Phase::Ast, || shares.run(Stage::RunTimeCheck, tested))?;
        // While the code is as the facts say; a test that cannot be used asks for the names.
        self.ledger.findings(id).named = self.named(known, &ast::check::overlapping(&scop));
        self.ledger.findings(id).tests = story::tests(&scop, known, &check);
        let check = RunTimeCheck { fresh, ..check };
        let summary = show::in_words(steps, in_threads);
        let only_device = false;
        Ok(Some(Plan { region: id, scop, ast, summary, only_threads, alone, device, only_device, check, buffers }))
    }

    /// A region in its new order, with the loops of that; no loops if its order is best left alone.
    fn ordered(
        &mut self,
        known: &Facts,
        candidate: (&scop::Candidate, usize),
        machine: &Machine,
        (id, loc): (RegionId, &SourceLoc),
        shares: &Shares<'_>,
    ) -> Result<(Region, Option<Ast>), Stop> {
        let (options, facts) = (self.options, &known.facts);
        let families = if collects(options) { Families::Updates } else { Families::None };
        let model = |families: Families| {
            shares.run(Stage::Model, |budget| build_model(facts, candidate, (options, families), budget))
        };
        let mut scop = self.phase(Phase::Scops, || model(families), Scop::to_string)?;
        self.report.count(Counter::Modelled);
        let budget = shares.of_stage(Stage::Dependences);
        // With one scalar for all that runs through a loop there is less to find out.
        if scop.arrays.iter().filter(|a| !a.is_memory()).count() >= MANY_SCALARS {
            let fewer = self.phase(Phase::Scops, || model(Families::All), Scop::to_string)?;
            if 2 * fewer.stmts.len() <= scop.stmts.len() {
                scop = fewer;
            }
        }
        let map = |budget: &Budget| scalars::in_memory(&scop, facts, &budget.part(SCALARS_PART));
        let mapped = self.report.timed(Phase::Dependences, || shares.run(Stage::Dependences, map))?;
        if let Some(limit) = mapped.gave_up {
            let why = Failure::Limit(Limit { stage: Stage::Dependences.name(), ..limit });
            self.tell_of(loc, GaveUp { what: "local variables are not mapped onto arrays", why }, shares);
        }
        let scop = mapped.scop.unwrap_or(scop);
        let readers = if hurries(options, self.is_heard) { Readers::None } else { Readers::Some };
        let region = match self.coalesced(&scop, (facts, machine), shares)? {
            Some(region) => self.shown(region, known, budget)?,
            None => {
                let needed = |budget: &Budget| match schedules(options) {
                    true => overwritten::needed(scop, budget),
                    false => deps::compute(&scop, budget).map(|deps| (scop, deps)),
                };
                let compute = || shares.run(Stage::Dependences, needed);
                let show = |(scop, deps): &(Scop, Dependences)| show::dependences(scop, deps, budget);
                let (scop, deps) = self.phase(Phase::Dependences, compute, show)?;
                self.draw("dependences", &scop.name, || dot::dependences(&scop, &deps, known, budget));
                self.phase(
                    Phase::Schedule,
                    || order::of_region(scop, deps, facts, machine, (options, readers, None, shares)),
                    |region| show::decision(&region.ordered.decision),
                )?
            }
        };
        if options.export_jscop
            && let Err(why) = order::export(&region, options)
        {
            self.asides.push(Remark::not_exported(loc, &why));
        }
        self.note(id, known, &region, machine);
        if region.is_kept() {
            self.tell_of_order(loc, &region, shares);
            return Ok((region, None));
        }
        let show = |(region, ast): &(Region, Option<Ast>)| {
            ast.as_ref().map_or_else(String::new, |ast| ast::print_c(ast, &region.code.scop.param_names()))
        };
        let (region, ast) = self.phase(Phase::Ast, || loops(region, facts, options, shares), show)?;
        self.note(id, known, &region, machine);
        self.tell_of_order(loc, &region, shares);
        match (ast, &region.ordered.decision) {
            (Some(ast), Decision::Transformed { .. } | Decision::Close(_)) => {
                self.report.count(Counter::Rescheduled);
                Ok((region, Some(ast)))
            }
            (_, Decision::Keep { .. }) => Ok((region, None)),
            (None, _) => Err(Failure::Bug("an order without loops".to_owned()).into()),
        }
    }

    /// What threads run of a region's loops, and what one thread runs; `None`: neither pays.
    fn for_threads(
        &mut self,
        region: &Region,
        mut ast: Ast,
        on: (&FunctionFacts, &Machine),
        loc: &SourceLoc,
        shares: &Shares<'_>,
    ) -> Result<Option<ForThreads>, Failure> {
        let (steps, mut only_threads) = (region.ordered.steps(), region.ordered.only_threads);
        let mut demands = match &region.ordered.decision {
            Decision::Transformed { summary, .. } => summary.demands(),
            Decision::Keep { .. } | Decision::Close(_) => Demands::default(),
        };
        if !threads::is_wanted(self.options) {
            return Ok(Some(ForThreads { ast, alone: None, demands, steps, only_threads, in_threads: false }));
        }
        let in_threads = self.keeps_threads(region, &mut ast, loc, shares)?;
        let alone = match self.loops_for_one(region, on, loc, shares)? {
            None if only_threads && !in_threads => return Ok(None),
            None => None,
            Some((one, ast)) if !in_threads => {
                let (demands, steps) = (one.demands(), one.steps);
                return Ok(Some(ForThreads { ast, alone: None, demands, steps, only_threads: false, in_threads }));
            }
            Some((one, loops)) => {
                demands = demands.and(one.demands());
                only_threads = false;
                let mut plain = ast.clone();
                threads::unmark(&mut plain);
                (loops != plain).then_some(loops)
            }
        };
        Ok(Some(ForThreads { ast, alone, demands, steps, only_threads, in_threads }))
    }

    /// The order that is best in one thread, if there is one that can be made within the budget, and its loops.
    fn loops_for_one(
        &mut self,
        region: &Region,
        on: (&FunctionFacts, &Machine),
        loc: &SourceLoc,
        shares: &Shares<'_>,
    ) -> Result<Option<(Summary, Ast)>, Failure> {
        let options = self.options;
        if options.parallel_force || region.is_users() || region.is_for_one() {
            return Ok(None);
        }
        let order = || order::for_one_thread(region, on, (options, shares));
        let order = self.report.timed(Phase::Schedule, order);
        let Some(Decision::Transformed { tree, summary }) =
            self.unless_gave_up(order, order::NOT_ALONE, (loc, shares))?
        else {
            return Ok(None);
        };
        let scop = &region.code.scop;
        let build = || shares.run(Stage::Ast, |budget| order::built(scop, &tree, budget));
        let alone = self.report.timed(Phase::Ast, build);
        let Some(alone) = self.unless_gave_up(alone, order::NOT_ALONE, (loc, shares))? else { return Ok(None) };
        replay(scop, &tree, &alone, options)?;
        Ok(Some((summary, alone)))
    }

    /// Leaves marks on those loops only for which threads may pay; whether there are any.
    fn keeps_threads(
        &mut self,
        region: &Region,
        ast: &mut Ast,
        loc: &SourceLoc,
        shares: &Shares<'_>,
    ) -> Result<bool, Failure> {
        let scop = &region.code.scop;
        let marked = threads::count_marked(ast);
        let left = threads::unmark_small(scop, ast, self.options)?;
        if left == 0 {
            let why = match &region.ordered.gave_up {
                _ if marked > 0 => "they do too little work for threads to pay".to_owned(),
                Some(limit) => shares.blamed(*limit).with_option(),
                None => "every loop carries a dependence".to_owned(),
            };
            self.asides.push(Remark::one_thread(loc, &why));
        } else if let Some(limit) = region.ordered.gave_up {
            let why = Failure::Limit(limit);
            self.tell_of(loc, GaveUp { what: "some loops are left to one thread", why }, shares);
        }
        Ok(left > 0)
    }

    /// Tells of something that a region can do without and that was not found out.
    fn tell_of(&mut self, loc: &SourceLoc, gave_up: GaveUp, shares: &Shares<'_>) {
        let why = match gave_up.why {
            Failure::Limit(limit) => Failure::Limit(shares.blamed(limit)),
            why => why,
        };
        self.asides.push(Remark::gave_up(loc, &GaveUp { why, ..gave_up }));
    }

    /// Tells what was not copied, and not found out, for an order.
    fn tell_of_order(&mut self, loc: &SourceLoc, region: &Region, shares: &Shares<'_>) {
        for why in &region.ordered.not_copied {
            let why = match *why {
                NotCopied::TooLong(stage) => {
                    NotCopied::TooLong(shares.blamed(Limit { stage, why: Error::Spent }).stage)
                }
                why => why,
            };
            self.asides.push(Remark::shared_array(loc, &why.to_string()));
        }
        for gave_up in &region.gave_up {
            self.tell_of(loc, gave_up.clone(), shares);
        }
    }

    /// What was found; that it was not is told.
    fn unless_gave_up<T>(
        &mut self,
        found: Result<T, Failure>,
        what: &'static str,
        (loc, shares): (&SourceLoc, &Shares<'_>),
    ) -> Result<Option<T>, Failure> {
        let mut all = Vec::new();
        let found = GaveUp::unless(found, what, &mut all)?;
        all.into_iter().for_each(|gave_up| self.tell_of(loc, gave_up, shares));
        Ok(found)
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

    /// Writes a picture, if the user wants any.
    fn draw(&self, kind: &str, name: &str, picture: impl FnOnce() -> String) {
        let folder = &self.options.dot;
        if !folder.is_empty()
            && let Err(why) = dot::write(folder, kind, name, &picture())
        {
            print(&format!("warning: polyrs: {why}\n"));
        }
    }

    /// Keeps what is known of a region in its order.
    fn note(&mut self, id: RegionId, known: &Facts, region: &Region, machine: &Machine) {
        let findings = self.ledger.findings(id);
        findings.target = Some(machine.to_string());
        findings.not_taken.clone_from(&region.refused);
        let is_kept = region.is_kept();
        let is_unknown = is_kept && binding::is_work_unknown(&region.code.scop, &known.facts);
        findings.costs = story::costs(&region.ordered.decision).filter(|_| !is_unknown);
        if self.options.explain {
            findings.model = Some(story::model(known, region, machine));
        } else if self.is_heard && is_kept {
            findings.binding = binding::told(known, region);
        }
    }

    /// Ends a region of which no new loops were made.
    fn fail(&mut self, region: RegionId, mut failure: Failure, known: &Facts) {
        if let Failure::Reject(reject) = &mut failure {
            self.ledger.findings(region).named = self.named(known, &reject.about);
            story::in_source_terms(known, reject);
        }
        self.ledger.end(region, failure.into());
    }

    /// What the user calls the values that stand in the way; nothing where nobody reads it.
    fn named(&self, known: &Facts, values: &[ValueId]) -> Vec<String> {
        if self.is_told() { story::expressions(known, values) } else { Vec::new() }
    }

    /// Whether somebody reads why.
    fn is_told(&self) -> bool {
        self.is_heard || self.reports || self.options.explain
    }

    /// Ends a region whose order stays.
    fn keep<T>(&mut self, region: RegionId, reason: String) -> Option<T> {
        self.ledger.end(region, outcome::Outcome::Kept { reason });
        None
    }

    /// Ends what has not ended where the function as a whole could not go on: its regions, or its loops if no region
    /// was found yet.
    fn end_rest(&mut self, failure: Failure) {
        if self.ledger.is_empty() {
            for found in self.function.outermost() {
                self.ledger.open(found.loc);
            }
        }
        self.ledger.end_open(&failure.into());
    }

    /// Tells and counts how the regions ended.
    fn tell(&mut self) {
        for aside in std::mem::take(&mut self.asides) {
            self.function.remark(&aside);
        }
        let mut ledger = std::mem::take(&mut self.ledger);
        if self.options.stop_after.is_some() {
            ledger.forget_open();
        }
        let bug = ledger.bugs().next().map(str::to_owned);
        let all = ledger.close(self.report);
        let (name, shown) = (self.function.name(), self.function.shown());
        for problem in users::problems((&name, &shown), self.options, &all) {
            // Who looks for orders tries some that are illegal: warnings may be errors.
            let is_looking = self.options.explain;
            if is_looking { print(&format!("warning: polyrs: {problem}\n")) } else { self.function.warn(&problem) }
        }
        let callers = self.is_told().then(|| self.function.callers()).flatten();
        let at_calls = |told| users::at_calls(told, callers.as_ref(), &shown);
        for (told, shown) in all.into_iter().flat_map(at_calls) {
            info!("{}: {}", self.function.name(), told.remark.message);
            self.function.remark(&told.remark);
            if let Some(analysis) = &told.analysis {
                self.function.remark(analysis);
            }
            if self.options.explain {
                print(&story::line((&name, &shown), &told));
            }
            if self.reports {
                print(&story::report(&shown, &told));
            }
        }
        if let Some(what) = bug.filter(|_| self.options.fatal_bugs) {
            fatal(&format!("internal error in function '{}': {what}", self.function.name()));
        }
    }
}

/// The loops of a region's order, with copies of arrays only where the loop that is made leaves in them what it should:
/// its bounds may be loose, and then its last iteration does nothing. Roles change before the proof only: for others,
/// the order is proved anew. No loops: the order stays after all.
fn loops(
    mut region: Region,
    facts: &FunctionFacts,
    options: &Options,
    shares: &Shares<'_>,
) -> Result<(Region, Option<Ast>), Failure> {
    loop {
        let Some(tree) = region.ordered.decision.tree() else { return Ok((region, None)) };
        let scop = &region.code.scop;
        let ast = shares.run(Stage::Ast, |budget| order::built(scop, tree, budget))?;
        let not_lastprivate =
            ast::last::not_lastprivate(scop, &ast, &|a| region.not_live_out.contains(&a), shares.of_stage(Stage::Ast));
        let (not_lastprivate, why) = match not_lastprivate {
            Ok(arrays) => (arrays, NotCopied::NotLeft),
            Err(_) => (ast.privatized(), NotCopied::TooLong(Stage::Ast.name())),
        };
        if not_lastprivate.is_empty() {
            replay(scop, tree, &ast, options)?;
            return Ok((region, Some(ast)));
        }
        region = order::without_copies(region, (&not_lastprivate, why), facts, (options, shares))?;
    }
}

/// Compares the loops with the order they were made of, where the user wants that.
fn replay(scop: &Scop, tree: &Node, ast: &Ast, options: &Options) -> Result<(), Failure> {
    if options.verify_ast {
        let tally =
            ast::replay::small(scop, tree, ast).map_err(|why| Failure::Bug(format!("the loops are wrong: {why}")))?;
        print(&format!("loops of {}: {tally}\n", scop.name));
    }
    Ok(())
}

/// The facts under the original's name; the clone's is nobody's business.
fn named(mut facts: Facts, name: String, config: &scop::Config) -> Facts {
    facts.facts.name = name;
    scop::box_branches(&mut facts.facts, config);
    facts
}

/// Whether what loops collect in local variables is looked for: threads are what it gains by, of the host or of a GPU.
fn collects(options: &Options) -> bool {
    options.reductions && (threads::is_wanted(options) || device::is_wanted(options))
}

/// Model of a region, within the limits that the options set.
fn build_model(
    facts: &FunctionFacts,
    (candidate, index): (&scop::Candidate, usize),
    (options, families): (&Options, Families),
    budget: &Budget,
) -> Result<Scop, Failure> {
    let cfg = model::build::Config { max_stmts: options.max_stmts as usize, reductions: options.reductions, families };
    let mut scop = model::build::build(facts, candidate, index, &cfg, budget)?;
    if options.ignore_aliasing {
        scop.alias_groups.clear();
    }
    Ok(scop)
}

/// Source position of the region's first loop.
fn location_of(facts: &FunctionFacts, candidate: &scop::Candidate) -> SourceLoc {
    let locs = candidate.loops.iter().map(|&id| &facts.lp(id).loc);
    locs.into_iter().find(|loc| loc.line != 0).cloned().unwrap_or_default()
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
