//! What is wrong with a kernel: told once per kind and instruction.

use std::collections::BTreeSet;
use std::fmt;

/// Kinds of findings.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Finding {
    /// An address outside of every piece of memory.
    OutOfBounds,
    /// Bytes are read that nobody has written.
    Uninitialised,
    /// Threads of one block touch a byte between two barriers, one of them writing.
    RaceWithinBlock,
    /// Threads of several blocks touch a byte, one of them writing.
    RaceAcrossBlocks,
    /// A load that need not be coherent reads what a thread of the same launch writes.
    Changing,
    /// Two streams touch a byte, one of them writing, and no event orders them.
    Unordered,
    /// Not all threads of a block come to the same barrier.
    DivergentBarrier,
    /// An address that is no multiple of the size of the access.
    Misaligned,
    /// A trap instruction, or too many instructions.
    Trap,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::OutOfBounds => "access out of bounds",
            Self::Uninitialised => "read of memory that nobody has written",
            Self::RaceWithinBlock => "race within a block",
            Self::RaceAcrossBlocks => "race across blocks",
            Self::Changing => "non-coherent read of memory that changes",
            Self::Unordered => "access that nothing orders with another stream's",
            Self::DivergentBarrier => "barrier in divergent flow",
            Self::Misaligned => "misaligned access",
            Self::Trap => "the kernel does not end",
        })
    }
}

impl Finding {
    /// Whether a device would end the kernel.
    #[must_use]
    pub fn is_fatal(self) -> bool {
        matches!(self, Self::OutOfBounds | Self::Misaligned | Self::Trap)
    }
}

/// The findings of one launch.
#[derive(Debug, Default)]
pub struct Findings {
    seen: BTreeSet<(Finding, usize)>,
    /// In words, in the order in which they were found.
    pub all: Vec<(Finding, String)>,
}

impl Findings {
    /// Adds a finding at a line of the text, unless one of its kind was found there.
    pub fn add(&mut self, finding: Finding, line: usize, detail: impl FnOnce() -> String) {
        if self.seen.insert((finding, line)) {
            self.all.push((finding, format!("{finding} in line {line}: {}", detail())));
        }
    }
}
