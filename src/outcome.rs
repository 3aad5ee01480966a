//! How regions end: each with one [`Outcome`], kept by a [`Ledger`] and told by it alone.
//!
//! A region is an outermost piece of a function with a loop in it: one that was modelled, one that detection turned
//! down, or a loop of a function that no stage looked at. Remarks and counters, and what `polyrs explain` prints of
//! them, are made here from outcomes.

use crate::error::{Failure, Limit, Reject, SourceLoc};
use crate::report::{Counter, Report};
use presburger::Error;

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
}

impl Remark {
    /// Said of loops that stay in one thread although the user asked for several.
    #[must_use]
    pub fn one_thread(loc: &SourceLoc, why: &str) -> Self {
        Self::missed("OneThread", loc, format!("loops run in one thread: {why}"))
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
    pub fn gave_up(loc: &SourceLoc, what: &str, limit: Limit) -> Self {
        let why = match limit {
            Limit { stage, why: Error::Spent } => {
                format!("finding out would take more than the budget of the {stage} stage allows")
            }
            other => other.to_string(),
        };
        Self::missed("GaveUp", loc, format!("{what}: {why}"))
    }

    fn missed(name: &'static str, loc: &SourceLoc, message: String) -> Self {
        Self { kind: RemarkKind::Missed, name, loc: loc.clone(), message }
    }
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

    /// What is told of it; `loc` is where the region begins.
    fn remark(&self, loc: &SourceLoc) -> Remark {
        let not_optimized =
            |name, loc: &SourceLoc, why: &str| Remark::missed(name, loc, format!("loops not optimized: {why}"));
        match self {
            Self::Transformed { summary, versioned, assumed } => {
                let versioned = if *versioned { ", if a run-time check allows it" } else { "" };
                let assumed = assumed.as_ref().map_or_else(String::new, |what| format!(" (assumed: {what})"));
                let message = format!("loops {summary}{versioned}{assumed}");
                Remark { kind: RemarkKind::Passed, name: "Reordered", loc: loc.clone(), message }
            }
            Self::Kept { reason } => Remark::missed("Kept", loc, format!("order of the loops kept: {reason}")),
            Self::Rejected(reject) => {
                let loc = if reject.loc.line == 0 { loc } else { &reject.loc };
                not_optimized(reject.kind.name(), loc, &reject.to_string())
            }
            Self::Spent(stage) => {
                not_optimized("BudgetSpent", loc, &format!("the budget of the {stage} stage is spent"))
            }
            Self::Overflow(stage, why) => {
                not_optimized("Overflow", loc, &format!("the {stage} stage cannot go on: {why}"))
            }
            Self::Bug(what) => not_optimized("InternalError", loc, &format!("internal error: {what}")),
        }
    }
}

/// A region of a [`Ledger`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RegionId(usize);

/// The regions of one function and how they ended.
#[derive(Debug, Default)]
pub struct Ledger {
    regions: Vec<(SourceLoc, Option<Outcome>)>,
}

impl Ledger {
    /// A region that begins at `loc` and has not ended.
    pub fn open(&mut self, loc: SourceLoc) -> RegionId {
        self.regions.push((loc, None));
        RegionId(self.regions.len() - 1)
    }

    /// A region that begins at `loc` and ended.
    pub fn add(&mut self, loc: SourceLoc, outcome: Outcome) {
        self.regions.push((loc, Some(outcome)));
    }

    /// Ends an open region.
    ///
    /// # Panics
    /// When the region ended before.
    pub fn end(&mut self, region: RegionId, outcome: Outcome) {
        let (loc, end) = &mut self.regions[region.0];
        assert!(end.is_none(), "the region at {}:{} ends twice: {end:?}, {outcome:?}", loc.line, loc.column);
        *end = Some(outcome);
    }

    /// Ends all regions that are open.
    pub fn end_open(&mut self, outcome: &Outcome) {
        for (_, end) in &mut self.regions {
            end.get_or_insert_with(|| outcome.clone());
        }
    }

    /// Forgets the regions that are open: the user asked to stop before they end.
    pub fn forget_open(&mut self) {
        self.regions.retain(|(_, end)| end.is_some());
    }

    /// Whether there is no region.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.regions.is_empty()
    }

    /// The message of each internal error.
    pub fn bugs(&self) -> impl Iterator<Item = &str> {
        self.regions.iter().filter_map(|(_, end)| match end {
            Some(Outcome::Bug(what)) => Some(what.as_str()),
            _ => None,
        })
    }

    /// Counts every region and says what is to be told of it. The one place that holds: each region has ended. One that
    /// has not is told as an internal error.
    #[must_use]
    pub fn close(self, report: &mut Report) -> Vec<Remark> {
        let told = |(loc, end): (SourceLoc, Option<Outcome>)| {
            debug_assert!(end.is_some(), "the region at {}:{} has no outcome", loc.line, loc.column);
            let outcome = end.unwrap_or_else(|| Outcome::Bug("a region has no outcome".to_owned()));
            report.count(outcome.counter());
            if let Outcome::Rejected(reject) = &outcome {
                report.count_reason(reject.kind.name());
            }
            outcome.remark(&loc)
        };
        self.regions.into_iter().map(told).collect()
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
        let reject = Reject { kind: RejectKind::Call, detail: "f".to_owned(), loc: at(7) };
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
            let remarks = ledger.close(&mut report);
            assert_eq!((remarks.len(), remarks[0].name, report.get(counter)), (1, name, 1));
            assert_eq!(remarks[0].loc.line, if name == "Call" { 7 } else { 2 });
        }
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
    #[should_panic(expected = "has no outcome")]
    fn every_region_ends() {
        let mut ledger = Ledger::default();
        ledger.open(at(1));
        let _ = ledger.close(&mut Report::default());
    }
}
