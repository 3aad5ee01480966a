//! How regions end: each with one [`Outcome`], kept by a [`Ledger`] and told by it alone.
//!
//! A region is an outermost piece of a function with a loop in it: one that was modelled, one that detection turned
//! down, or a loop of a function that no stage looked at. Remarks and counters, and what `polyrs explain` prints of
//! them, are made here from outcomes.

use crate::error::{Failure, GaveUp, Limit, Reject, SourceLoc, budget_of, option_of_budget, would_take_more};
use crate::remedies::{NATURES, ON_WHICH_IT_ENDS};
use crate::report::{Counter, Report};
use presburger::Error;
use std::collections::BTreeSet;

/// How a region ended.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// New code replaced it.
    Transformed {
        /// What was done, in the user's words.
        summary: String,
        /// Whether the original stays for when a run-time check fails.
        versioned: bool,
        /// What the check tests of the program's own errors; `None`: there are none.
        assumed: Option<String>,
    },
    /// Its order is best left alone, or the user's schedule cannot be used.
    Kept {
        /// Why.
        reason: String,
    },
    /// It is outside of what can be handled.
    Rejected(Reject),
    /// The budget of this stage is spent: a larger one may do.
    Spent(&'static str),
    /// A number of this stage does not fit into 64 bits, or there are too many of something: no budget helps.
    Overflow(&'static str, Error),
    /// An invariant broke.
    Bug(String),
}

/// Estimated cycles of a region, for the sizes and the core that decide.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Costs {
    /// In the original order.
    pub original: f64,
    /// In the best new order.
    pub new: f64,
    /// What sizes are taken for of which nothing is known; `None`: there are none.
    pub size: Option<u64>,
    /// Whether that is on a core with larger caches than the target's.
    pub is_roomy: bool,
    /// In the original and in the new order for the usual sizes on the target: what compares nests with each other.
    pub usual: [f64; 2],
}

/// Cycles from which on nobody counts the digits.
const ROUNDED: f64 = 1e15;
/// What stands before the size of [`Costs`].
const WHERE_SIZES: &str = ", where sizes that are not known are ";

impl Costs {
    /// How many times as fast the new order is, in hundredths, rounded.
    #[must_use]
    pub fn gain_percent(self) -> u64 {
        (100.0 * self.original / self.new.max(1.0)).round() as u64
    }

    /// What the cycles are of, to stand behind them, with the names of the parts; empty where there is nothing to say.
    fn of_what_parts(self) -> Vec<(&'static str, String)> {
        let mut parts = Vec::new();
        if let Some(size) = self.size {
            parts.extend([("", WHERE_SIZES.to_owned()), ("Size", size.to_string())]);
        }
        if self.is_roomy {
            parts.push(("", ", on a core with larger caches".to_owned()));
        }
        parts
    }

    /// The same as text.
    #[must_use]
    pub fn of_what(self) -> String {
        self.of_what_parts().into_iter().map(|(_, part)| part).collect()
    }
}

/// A number of cycles: `12345`, `2.10e28`.
#[must_use]
pub fn cycles(number: f64) -> String {
    if number < ROUNDED { format!("{number:.0}") } else { format!("{number:.2e}") }
}

/// The same in JSON.
#[must_use]
pub fn cycles_json(number: f64) -> serde_json::Value {
    if number < ROUNDED { (number.round() as u64).into() } else { number.into() }
}

/// What was found out of a region besides how it ended.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    /// What it is estimated to cost.
    pub costs: Option<Costs>,
    /// What is tested before its new loops run, in words.
    pub tests: Vec<String>,
    /// What the user calls the values that stand in the way.
    pub named: Vec<String>,
    /// Whether its loops look for something and write nothing.
    pub only_looks: bool,
    /// What helps, if it was refused.
    pub remedy: Option<String>,
    /// Arrays and variables with the dependences that bind its order, in words.
    pub binding: Vec<String>,
    /// Its model and order, where somebody wants to see them.
    pub model: Option<serde_json::Value>,
    /// What scripts call it; empty where detection turned it down.
    pub region: String,
    /// Whether the user asks for an order of it.
    pub is_users: bool,
    /// Why that order was not taken, where it was read: the loops may run in threads in their own.
    pub not_taken: Option<String>,
    /// Where the outermost loop around begins, where that is known.
    pub nest: SourceLoc,
    /// Where its other outermost loops begin, as far as that is known.
    pub with: Vec<SourceLoc>,
    /// The function of a library that its loops are in, and where that is.
    pub library: Option<String>,
    /// What its costs are estimated for, in words.
    pub target: Option<String>,
    /// Its loops for a GPU, the same.
    pub gpu: Option<serde_json::Value>,
}

/// What a test begins with that is about time, not about results.
pub const PAYS: &str = "it pays where";

/// Name of remarks on loops without kernels for a GPU.
const NO_DEVICE: &str = "NoDevice";

/// What a remark says of the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RemarkKind {
    /// Something was done: `-Rpass=polyrs`.
    Passed,
    /// Something was not done: `-Rpass-missed=polyrs`.
    Missed,
    /// Something was found out: `-Rpass-analysis=polyrs`.
    Analysis,
}

/// What the user is told of one region.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// Which switch shows it.
    pub kind: RemarkKind,
    /// CamelCase, without spaces.
    pub name: &'static str,
    /// Where; line 0 stands for the function's own line.
    pub loc: SourceLoc,
    /// One sentence.
    pub message: String,
    /// What follows behind it, with the names that records of optimizations give the parts; text between them has none.
    pub parts: Vec<(&'static str, String)>,
}

impl Remark {
    /// Said of loops that stay in one thread although the user asked for several.
    #[must_use]
    pub fn one_thread(loc: &SourceLoc, why: &str) -> Self {
        Self::missed("OneThread", loc, format!("loops run in one thread: {why}"))
    }

    /// Said of loops that stay with the host although the user asked for kernels for a GPU.
    #[must_use]
    pub fn no_device(loc: &SourceLoc, why: &str) -> Self {
        Self::missed(NO_DEVICE, loc, format!("loops get no kernel for a GPU: {why}"))
    }

    /// Whether it is one of these.
    #[must_use]
    pub fn is_of_device(&self) -> bool {
        self.name == NO_DEVICE
    }

    /// Said of arrays that stand in the way of threads.
    #[must_use]
    pub fn shared_array(loc: &SourceLoc, why: &str) -> Self {
        Self::missed("SharedArray", loc, format!("threads share an array that each could have a copy of: {why}"))
    }

    /// Said where the file that the user asked for could not be written; the loops are optimized all the same.
    #[must_use]
    pub fn not_exported(loc: &SourceLoc, why: &str) -> Self {
        Self::missed("NotExported", loc, format!("schedule not exported: {why}"))
    }

    /// Said of something that the region can do without and that was not found out.
    #[must_use]
    pub fn gave_up(loc: &SourceLoc, GaveUp { what, why }: &GaveUp) -> Self {
        let why = match why {
            Failure::Limit(Limit { stage, why: Error::Spent }) => would_take_more(stage),
            other => other.to_string(),
        };
        Self::missed("GaveUp", loc, format!("{what}: {why}"))
    }

    fn missed(name: &'static str, loc: &SourceLoc, message: String) -> Self {
        Self { kind: RemarkKind::Missed, name, loc: loc.clone(), message, parts: link(name) }
    }
}

/// Where the documentation has more, as the last parts of a remark.
fn link(name: &str) -> Vec<(&'static str, String)> {
    vec![("", " (".to_owned()), ("More", page_of(name)), ("", ")".to_owned())]
}

/// The section of the documentation on a remark.
#[must_use]
pub fn page_of(name: &str) -> String {
    format!("docs/reasons.md#{}", name.to_lowercase())
}

/// Why something was refused. LLVM's name of a value says less than the line does, where that is known.
fn in_users_words(reject: &Reject) -> String {
    let told = in_words(reject);
    match reject.within {
        Some(line) if told.contains("this loop") => told.replacen("this loop", &format!("the loop in line {line}"), 1),
        Some(line) => format!("{told} (in line {line})"),
        None => told,
    }
}

/// The same of what stands where the remark does.
fn in_words(reject: &Reject) -> String {
    let nature = reject.detail.strip_suffix(ON_WHICH_IT_ENDS).unwrap_or(&reject.detail);
    if NATURES.contains(&nature) {
        return format!("this {} must stay where it is", reject.detail);
    }
    let is_llvms = reject.loc.line != 0 && reject.detail.starts_with('%');
    if is_llvms { reject.kind.message().to_owned() } else { reject.to_string() }
}

impl From<Failure> for Outcome {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Reject(reject) => Self::Rejected(reject),
            Failure::Limit(Limit { stage, why: Error::Spent }) => Self::Spent(stage),
            Failure::Limit(Limit { stage, why: why @ (Error::Overflow | Error::TooMany) }) => {
                Self::Overflow(stage, why)
            }
            Failure::Limit(Limit { stage, why }) => Self::Bug(format!("{stage}: {why}")),
            Failure::Bug(what) => Self::Bug(what),
        }
    }
}

impl Outcome {
    /// What helps against the end of a budget, of numbers or of the stages' wits.
    fn remedy(&self) -> Option<String> {
        let split = "or split the nest into loops of their own";
        match self {
            Self::Spent(stage) => {
                Some(format!("raise {} (polyrs options has what it is), {split}", option_of_budget(stage)))
            }
            Self::Overflow(..) => Some(format!("use smaller constants as sizes and strides, {split}")),
            Self::Bug(_) => Some("please report it with the file (docs/CONTRIBUTING.md)".to_owned()),
            Self::Transformed { .. } | Self::Kept { .. } | Self::Rejected(_) => None,
        }
    }

    /// The line of the funnel that it counts for.
    fn counter(&self) -> Counter {
        match self {
            Self::Transformed { .. } => Counter::Emitted,
            Self::Kept { .. } => Counter::Kept,
            Self::Rejected(_) => Counter::RegionsRejected,
            Self::Spent(_) => Counter::Limits,
            Self::Overflow(..) => Counter::Overflows,
            Self::Bug(_) => Counter::Bugs,
        }
    }

    /// How it ended, in one word.
    fn verdict(&self) -> &'static str {
        match self {
            Self::Transformed { .. } => "rewritten",
            Self::Kept { .. } => "kept",
            Self::Rejected(_) => "refused",
            Self::Spent(_) | Self::Overflow(..) => "given-up",
            Self::Bug(_) => "internal-error",
        }
    }

    /// What is told of it; `loc` is where the region begins.
    fn remark(&self, loc: &SourceLoc) -> Remark {
        let not_optimized =
            |name, loc: &SourceLoc, why: &str| Remark::missed(name, loc, format!("loops not optimized: {why}"));
        match self {
            Self::Transformed { summary, versioned, assumed } => {
                let versioned = if *versioned { ", if a run-time check allows it" } else { "" };
                let assumed = assumed.as_ref().map_or_else(String::new, |what| format!(" (assumed: {what})"));
                let message = format!("loops {summary}{versioned}{assumed}");
                let (kind, name) = (RemarkKind::Passed, "Reordered");
                Remark { kind, name, loc: loc.clone(), message, parts: link(name) }
            }
            Self::Kept { reason } => Remark::missed("Kept", loc, format!("order of the loops kept: {reason}")),
            Self::Rejected(reject) => {
                let loc = if reject.loc.line == 0 { loc } else { &reject.loc };
                not_optimized(reject.kind.name(), loc, &in_users_words(reject))
            }
            Self::Spent(stage) => not_optimized("BudgetSpent", loc, &format!("{} is spent", budget_of(stage))),
            Self::Overflow(stage, why) => {
                not_optimized("Overflow", loc, &format!("the {stage} stage cannot go on: {why}"))
            }
            Self::Bug(what) => not_optimized("InternalError", loc, &format!("internal error: {what}")),
        }
    }
}

impl Findings {
    /// Forgets a new order that did not come about, with its tests.
    fn forget_order(&mut self) {
        (self.tests, self.gpu) = (Vec::new(), None);
        let Some(model) = &mut self.model else { return };
        (model["tree"], model["steps"]) = (serde_json::Value::Null, serde_json::json!([]));
        let statements = model["footprints"]["statements"].as_array_mut();
        statements.into_iter().flatten().for_each(|statement| statement["new"] = serde_json::Value::Null);
    }

    /// What is told to whoever wants to know more; `None`: there is no more.
    fn remark(&self, outcome: &Outcome, loc: &SourceLoc) -> Option<Remark> {
        let mut parts = Vec::new();
        if let Some(costs) = self.costs {
            parts.push(("NewCycles", cycles(costs.new)));
            parts.push(("", " cycles in the best new order, ".to_owned()));
            parts.push(("OriginalCycles", cycles(costs.original)));
            parts.push(("", " in the original one: ".to_owned()));
            parts.push(("Gain", hundredths(costs.gain_percent())));
            parts.push(("", " times as fast".to_owned()));
            parts.extend(costs.of_what_parts());
        }
        let (pays, assumed): (Vec<&str>, Vec<&str>) =
            self.tests.iter().map(String::as_str).partition(|test| test.starts_with(PAYS));
        if !assumed.is_empty() {
            parts.push(("", if parts.is_empty() { "" } else { "; " }.to_owned() + "assumed: "));
            parts.push(("Tests", assumed.join("; ")));
            parts.push(("", "; tested before the loops".to_owned()));
        }
        if !pays.is_empty() {
            parts.push(("", if parts.is_empty() { "" } else { "; " }.to_owned() + "tested at run time: "));
            parts.push(("Pays", pays.join("; ")));
        }
        if let (Outcome::Kept { .. }, [_, ..]) = (outcome, &self.binding[..]) {
            let told = self.binding.join("; ");
            parts.push(("", if parts.is_empty() { "" } else { "; " }.to_owned() + "what binds the order: "));
            parts.push(("Binding", told));
        }
        if !self.with.is_empty() {
            let lines: Vec<String> = self.with.iter().map(|loc| loc.line.to_string()).collect();
            let (what, lines) = (if lines.len() == 1 { "line" } else { "lines" }, lines.join(", "));
            parts
                .push(("", if parts.is_empty() { "" } else { "; " }.to_owned() + "together with the loops in " + what));
            parts.push(("With", format!(" {lines}")));
        }
        if let Some(remedy) = &self.remedy {
            parts.push(("", if parts.is_empty() { "" } else { "; " }.to_owned() + "what helps: "));
            parts.push(("Remedy", remedy.clone()));
        }
        let loc = match outcome {
            Outcome::Rejected(reject) if reject.loc.line != 0 => &reject.loc,
            _ => loc,
        };
        let message = if self.costs.is_some() { "estimated: " } else { "" };
        let (kind, message) = (RemarkKind::Analysis, message.to_owned());
        let page = outcome.remark(loc).name;
        (!parts.is_empty()).then(|| {
            parts.extend(link(page));
            Remark { kind, name: "Analysis", loc: loc.clone(), message, parts }
        })
    }
}

fn hundredths(value: u64) -> String {
    format!("{}.{:02}", value / 100, value % 100)
}

/// What is told of one region.
#[derive(Clone, Debug)]
pub struct Told {
    /// How it ended.
    pub remark: Remark,
    /// What was found out on the way.
    pub analysis: Option<Remark>,
    /// One word: `rewritten`, `kept`, `refused`, `given-up` or `internal-error`.
    pub verdict: &'static str,
    /// Where the region begins; line 0 where that is unknown.
    pub start: SourceLoc,
    /// What was found out, for programs.
    pub findings: Findings,
}

#[derive(Debug)]
struct Entry {
    loc: SourceLoc,
    end: Option<Outcome>,
    findings: Findings,
}

/// A region of a [`Ledger`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RegionId(usize);

/// The regions of one function and how they ended.
#[derive(Debug, Default)]
pub struct Ledger {
    regions: Vec<Entry>,
}

impl Ledger {
    /// A region that begins at `loc` and has not ended.
    pub fn open(&mut self, loc: SourceLoc) -> RegionId {
        self.regions.push(Entry { loc, end: None, findings: Findings::default() });
        RegionId(self.regions.len() - 1)
    }

    /// A region that begins at `loc` and ended.
    pub fn add(&mut self, loc: SourceLoc, outcome: Outcome) -> RegionId {
        let region = self.open(loc);
        self.end(region, outcome);
        region
    }

    /// Ends an open region.
    ///
    /// # Panics
    /// When the region ended before.
    pub fn end(&mut self, region: RegionId, outcome: Outcome) {
        let Entry { loc, end, .. } = &mut self.regions[region.0];
        assert!(end.is_none(), "the region at {}:{} ends twice: {end:?}, {outcome:?}", loc.line, loc.column);
        *end = Some(outcome);
    }

    /// What was found out of a region so far.
    pub fn findings(&mut self, region: RegionId) -> &mut Findings {
        &mut self.regions[region.0].findings
    }

    /// Ends all regions that are open.
    pub fn end_open(&mut self, outcome: &Outcome) {
        for entry in &mut self.regions {
            entry.end.get_or_insert_with(|| outcome.clone());
        }
    }

    /// Forgets the regions that are open: the user asked to stop before they end.
    pub fn forget_open(&mut self) {
        self.regions.retain(|entry| entry.end.is_some());
    }

    /// Whether there is no region.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.regions.is_empty()
    }

    /// The message of each internal error.
    pub fn bugs(&self) -> impl Iterator<Item = &str> {
        self.regions.iter().filter_map(|entry| match &entry.end {
            Some(Outcome::Bug(what)) => Some(what.as_str()),
            _ => None,
        })
    }

    /// Loops that are a region of their own have one verdict: why those around them are none is told where these begin.
    fn set_apart(&mut self) {
        let is_refused = |entry: &Entry| matches!(entry.end, Some(Outcome::Rejected(_)));
        let own: BTreeSet<(u32, u32)> =
            self.regions.iter().filter(|e| !is_refused(e)).map(|e| (e.loc.line, e.loc.column)).collect();
        for Entry { loc, end, .. } in &mut self.regions {
            let Some(Outcome::Rejected(reject)) = end else { continue };
            let Some(nest) = reject.nest.as_deref().filter(|nest| nest.line != 0) else { continue };
            let inner = (reject.loc.line, reject.loc.column);
            if inner.0 != 0 && own.contains(&inner) && !own.contains(&(nest.line, nest.column)) {
                (reject.within, reject.loc) = (Some(inner.0), nest.clone());
                loc.clone_from(nest);
            }
        }
    }

    /// Counts every region and says what is to be told of it. The one place that holds: each region has ended. One that
    /// has not is told as an internal error. What copies of a loop that stays have in common is told once: the user has
    /// one loop there.
    #[must_use]
    pub fn close(mut self, report: &mut Report) -> Vec<Told> {
        self.set_apart();
        let told = |Entry { loc, end, mut findings }: Entry| {
            debug_assert!(end.is_some(), "the region at {}:{} has no outcome", loc.line, loc.column);
            let outcome = end.unwrap_or_else(|| Outcome::Bug("a region has no outcome".to_owned()));
            report.count(outcome.counter());
            if !matches!(outcome, Outcome::Transformed { .. }) {
                findings.forget_order();
            }
            if !matches!(outcome, Outcome::Transformed { .. } | Outcome::Kept { .. }) {
                findings.costs = None;
            }
            if let Outcome::Rejected(reject) = &outcome {
                report.count_reason(reject.kind.name());
                if !findings.region.is_empty() {
                    report.count(Counter::RejectedLater);
                }
                let only = findings.only_looks.then(|| reject.looks_only(&findings.named)).flatten();
                findings.remedy = Some(only.unwrap_or_else(|| reject.remedy(&findings.named)));
            } else if let Some(remedy) = outcome.remedy() {
                findings.remedy = Some(remedy);
            }
            let (remark, analysis) = (outcome.remark(&loc), findings.remark(&outcome, &loc));
            Told { remark, analysis, verdict: outcome.verdict(), start: loc, findings }
        };
        let mut all: Vec<Told> = Vec::new();
        for told in self.regions.into_iter().map(told) {
            let is_same = |other: &Told| other.remark == told.remark && other.start == told.start;
            let stays = told.remark.kind == RemarkKind::Missed && told.start.line != 0;
            if !(stays && all.iter().any(is_same)) {
                all.push(told);
            }
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::RejectKind;

    fn at(line: u32) -> SourceLoc {
        SourceLoc { file: "a.c".to_owned(), line, column: 3 }
    }

    #[test]
    fn each_outcome_has_its_counter_and_its_remark() {
        let reject = Reject::new(RejectKind::Call, "f", at(7));
        let cases = [
            (
                Outcome::Transformed { summary: "tiled".to_owned(), versioned: true, assumed: None },
                "Reordered",
                Counter::Emitted,
            ),
            (Outcome::Kept { reason: "fast".to_owned() }, "Kept", Counter::Kept),
            (Outcome::Rejected(reject), "Call", Counter::RegionsRejected),
            (Failure::from_limit(Error::Spent).into(), "BudgetSpent", Counter::Limits),
            (Failure::from_limit(Error::Overflow).into(), "Overflow", Counter::Overflows),
            (Outcome::Bug("broken".to_owned()), "InternalError", Counter::Bugs),
        ];
        for (outcome, name, counter) in cases {
            let (mut ledger, mut report) = (Ledger::default(), Report::default());
            let region = ledger.open(at(2));
            ledger.end(region, outcome);
            let told = ledger.close(&mut report);
            assert_eq!((told.len(), told[0].remark.name, report.get(counter)), (1, name, 1));
            assert_eq!(told[0].remark.loc.line, if name == "Call" { 7 } else { 2 });
            // There is a remedy.
            let helps = ["Call", "BudgetSpent", "Overflow", "InternalError"].contains(&name);
            assert_eq!(told[0].analysis.is_some(), helps);
        }
    }

    #[test]
    fn copies_of_a_loop_are_told_once() {
        let (mut ledger, mut report) = (Ledger::default(), Report::default());
        for line in [2, 2, 3, 0, 0] {
            let region = ledger.open(at(line));
            ledger.end(region, Outcome::Kept { reason: "fast".to_owned() });
        }
        let summary = |_| Outcome::Transformed { summary: "tiled".to_owned(), versioned: true, assumed: None };
        for outcome in (0..2).map(summary) {
            let region = ledger.open(at(2));
            ledger.end(region, outcome);
        }
        let lines: Vec<u32> = ledger.close(&mut report).iter().map(|told| told.remark.loc.line).collect();
        assert_eq!((lines, report.get(Counter::Kept)), (vec![2, 3, 0, 0, 2, 2], 5));
    }

    #[test]
    fn what_was_found_out_has_names() {
        let (mut ledger, mut report) = (Ledger::default(), Report::default());
        let region = ledger.open(at(2));
        ledger.findings(region).costs = Some(Costs { original: 500.0, new: 200.0, ..Costs::default() });
        ledger.findings(region).tests = vec!["a and b do not overlap".to_owned()];
        ledger.findings(region).binding = vec!["array a: RAW, distances (1)".to_owned(), "array b: WAR".to_owned()];
        ledger.end(region, Outcome::Kept { reason: "fast".to_owned() });
        let analysis = ledger.close(&mut report).remove(0).analysis.unwrap();
        let text: String = analysis.parts.iter().map(|(_, text)| text.as_str()).collect();
        assert_eq!(
            analysis.message + &text,
            "estimated: 200 cycles in the best new order, 500 in the original one: 2.50 times as fast; \
             what binds the order: array a: RAW, distances (1); array b: WAR (docs/reasons.md#kept)"
        );
        let names: Vec<&str> = analysis.parts.iter().map(|(name, _)| *name).filter(|n| !n.is_empty()).collect();
        assert_eq!(names, ["NewCycles", "OriginalCycles", "Gain", "Binding", "More"]);
    }

    #[test]
    fn estimates_say_what_they_are_of() {
        let costs = Costs { original: 3e28, new: 2e28, size: Some(179), is_roomy: true, usual: [1.0, 1.0] };
        assert_eq!(
            (costs.gain_percent(), cycles(costs.new), cycles(12_345.4)),
            (150, "2.00e28".into(), "12345".into())
        );
        assert_eq!(costs.of_what(), ", where sizes that are not known are 179, on a core with larger caches");
        assert_eq!(Costs { size: None, is_roomy: false, ..costs }.of_what(), "");
        assert_eq!((cycles_json(7.0), cycles_json(2e28)), (serde_json::json!(7), serde_json::json!(2e28)));
    }

    #[test]
    fn tests_are_told_with_new_loops_and_by_what_they_are_for() {
        let (mut ledger, mut report) = (Ledger::default(), Report::default());
        let region = ledger.open(at(2));
        ledger.findings(region).tests = vec!["a and b do not overlap".to_owned(), format!("{PAYS} n >= 24")];
        let summary = "tiled".to_owned();
        ledger.end(region, Outcome::Transformed { summary, versioned: true, assumed: None });
        let analysis = ledger.close(&mut report).remove(0).analysis.unwrap();
        let text: String = analysis.parts.iter().map(|(_, text)| text.as_str()).collect();
        let expected = "assumed: a and b do not overlap; tested before the loops; \
                        tested at run time: it pays where n >= 24 (docs/reasons.md#reordered)";
        assert_eq!(text, expected);
    }

    #[test]
    fn a_remedy_follows_what_was_found_out() {
        let (mut ledger, mut report) = (Ledger::default(), Report::default());
        let region = ledger.open(at(2));
        ledger.findings(region).costs = Some(Costs { original: 500.0, new: 200.0, ..Costs::default() });
        ledger.findings(region).named = vec!["a".to_owned(), "b".to_owned()];
        ledger.end(region, Outcome::Rejected(Reject::new(RejectKind::CodeSize, "", SourceLoc::default())));
        let told = ledger.close(&mut report).remove(0);
        assert!(told.findings.remedy.is_some_and(|remedy| remedy.starts_with("declare `a` and `b` restrict")));
        let analysis = told.analysis.unwrap();
        let text: String = analysis.parts.iter().map(|(_, text)| text.as_str()).collect();
        let whole = analysis.message + &text;
        // The order that it had does not count.
        assert!(whole.starts_with("what helps: declare `a` and `b` restrict so"), "{whole}");
        assert_eq!(told.findings.costs, None);
    }

    impl Failure {
        fn from_limit(why: Error) -> Self {
            Limit::of("schedule")(why)
        }
    }

    #[test]
    #[should_panic(expected = "ends twice")]
    fn no_region_ends_twice() {
        let mut ledger = Ledger::default();
        let region = ledger.open(at(1));
        ledger.end(region, Outcome::Bug(String::new()));
        ledger.end(region, Outcome::Bug(String::new()));
    }

    #[test]
    #[cfg_attr(debug_assertions, should_panic(expected = "has no outcome"))]
    fn every_region_ends() {
        let mut ledger = Ledger::default();
        ledger.open(at(1));
        let told = ledger.close(&mut Report::default());
        assert_eq!(told[0].remark.name, "InternalError");
    }
}
