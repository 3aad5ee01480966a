//! Counters and timers; what counts is said by `outcome`, printing is the pipeline's.

use crate::phase::Phase;
use std::collections::BTreeMap;
use std::fmt::{self, Write};
use std::time::{Duration, Instant};

/// What happened in one module.
#[derive(Clone, Debug, Default)]
pub struct Report {
    counters: BTreeMap<Counter, u64>,
    rejects: BTreeMap<&'static str, u64>,
    times: [Duration; Phase::ALL.len()],
}

/// What was done with one module before anything was found out, counted: what it costs to look.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Functions cloned.
    pub clones: u64,
    /// Their instructions.
    pub instructions: u64,
    /// Functions cloned and brought into canonical form: those in which some nest may gain.
    pub canonical: u64,
    /// Globals and declarations of which was recorded what passes may change.
    pub recorded: u64,
}

impl fmt::Display for Work {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "polyrs: {:>10} functions cloned", self.clones)?;
        writeln!(f, "polyrs: {:>10} instructions cloned", self.instructions)?;
        writeln!(f, "polyrs: {:>10} functions in canonical form", self.canonical)?;
        writeln!(f, "polyrs: {:>10} globals and declarations recorded", self.recorded)
    }
}

/// Steps of the funnel, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Counter {
    /// Functions with a loop over memory.
    Functions,
    /// Of these, left alone because of an attribute or option.
    FunctionsSkipped,
    /// Regions that can be modelled.
    Regions,
    /// Regions that cannot.
    RegionsRejected,
    /// Of the rejected ones, those that could be modelled and were rejected behind that: they are among both.
    RejectedLater,
    /// Regions with sets and maps.
    Modelled,
    /// Regions given a new execution order.
    Rescheduled,
    /// Regions for which the original order is better.
    Kept,
    /// Regions whose new code replaced the old.
    Emitted,
    /// Regions given up because a budget was spent.
    Limits,
    /// Regions given up because a number does not fit into 64 bits.
    Overflows,
    /// Internal errors.
    Bugs,
}

impl Counter {
    const ALL: [Counter; 12] = [
        Self::Functions,
        Self::FunctionsSkipped,
        Self::Regions,
        Self::RegionsRejected,
        Self::RejectedLater,
        Self::Modelled,
        Self::Rescheduled,
        Self::Kept,
        Self::Emitted,
        Self::Limits,
        Self::Overflows,
        Self::Bugs,
    ];

    fn text(self) -> &'static str {
        match self {
            Self::Functions => "functions with a loop over memory",
            Self::FunctionsSkipped => "functions left alone by attribute or option",
            Self::Regions => "regions found",
            Self::RegionsRejected => "regions rejected",
            Self::RejectedLater => "of these, regions found before",
            Self::Modelled => "regions modelled",
            Self::Rescheduled => "regions given a new order",
            Self::Kept => "regions kept in their order",
            Self::Emitted => "regions transformed",
            Self::Limits => "regions given up: budget spent",
            Self::Overflows => "regions given up: a number is too large",
            Self::Bugs => "internal errors",
        }
    }
}

impl Report {
    /// One more.
    pub fn count(&mut self, counter: Counter) {
        *self.counters.entry(counter).or_default() += 1;
    }

    /// One more of the rejections for the reason of this name.
    pub fn count_reason(&mut self, reason: &'static str) {
        *self.rejects.entry(reason).or_default() += 1;
    }

    /// Number counted so far.
    #[must_use]
    pub fn get(&self, counter: Counter) -> u64 {
        self.counters.get(&counter).copied().unwrap_or(0)
    }

    /// Runs `work` and adds its time to `phase`.
    pub fn timed<T>(&mut self, phase: Phase, work: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let result = work();
        self.times[phase.index()] += start.elapsed();
        result
    }

    /// The counters as lines of text, every counter each time.
    #[must_use]
    pub fn counters_text(&self) -> String {
        let mut out = String::new();
        for counter in Counter::ALL {
            let _ = writeln!(out, "polyrs: {:>6} {}", self.get(counter), counter.text());
            if counter == Counter::RegionsRejected {
                for (reason, count) in &self.rejects {
                    let _ = writeln!(out, "polyrs: {count:>8} {reason}");
                }
            }
        }
        out
    }

    /// The time of each phase as lines of text.
    #[must_use]
    pub fn times_text(&self) -> String {
        let mut out = String::new();
        let ms = |time: Duration| time.as_secs_f64() * 1e3;
        for phase in Phase::ALL {
            let _ = writeln!(out, "polyrs: {:>10.3} ms {phase}", ms(self.times[phase.index()]));
        }
        let _ = writeln!(out, "polyrs: {:>10.3} ms total", ms(self.times.iter().sum()));
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_are_printed_with_reasons() {
        let mut report = Report::default();
        report.count(Counter::Functions);
        for _ in 0..2 {
            report.count(Counter::RegionsRejected);
            report.count_reason("Call");
        }
        let text = report.counters_text();
        assert!(text.contains("     1 functions with a loop over memory\n"));
        assert!(text.contains("     2 regions rejected\npolyrs:        2 Call\n"), "{text}");
    }

    #[test]
    fn times_add_up_by_phase() {
        let mut report = Report::default();
        assert_eq!(report.timed(Phase::Ast, || 7), 7);
        assert_eq!(report.times_text().lines().count(), Phase::ALL.len() + 1);
    }
}
