//! The phases of the pipeline, once: names for options, prints and timers are all read from here.

use std::fmt;

/// One phase, in the order in which a function goes through them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Phase {
    /// Clone the function and bring it into canonical form.
    Canonicalize,
    /// Copy LLVM's knowledge out: CFG, loops, scalar evolution.
    Facts,
    /// Find the regions that can be modelled.
    Detect,
    /// Sets and maps of each region.
    Scops,
    /// Dependences.
    Dependences,
    /// New execution order, proved legal.
    Schedule,
    /// Loops.
    Ast,
    /// LLVM IR.
    Codegen,
}

impl Phase {
    /// All phases in order.
    pub const ALL: [Phase; 8] = [
        Self::Canonicalize,
        Self::Facts,
        Self::Detect,
        Self::Scops,
        Self::Dependences,
        Self::Schedule,
        Self::Ast,
        Self::Codegen,
    ];

    /// Its name in options and prints.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Canonicalize => "canonicalize",
            Self::Facts => "facts",
            Self::Detect => "detect",
            Self::Scops => "scops",
            Self::Dependences => "dependences",
            Self::Schedule => "schedule",
            Self::Ast => "ast",
            Self::Codegen => "codegen",
        }
    }

    /// The phase with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|phase| phase.name() == name)
    }

    /// Position in [`Phase::ALL`].
    #[must_use]
    pub fn index(self) -> usize {
        Self::ALL.iter().position(|&phase| phase == self).unwrap_or(0)
    }
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
