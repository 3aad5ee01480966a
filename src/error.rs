//! The three ways a region can end without being transformed.

use crate::ids::ValueId;
use std::fmt;

/// Why a region was not transformed.
#[derive(Clone, Debug)]
pub enum Failure {
    /// The code is outside of what can be handled; told to the user as a remark.
    Reject(Reject),
    /// A budget was spent or a number is too large: the IR stays as it was, told to the user as a remark.
    Limit(Limit),
    /// An invariant broke: the IR stays as it was; fatal in tests.
    Bug(String),
}

/// Something that a region can do without and that was not found out.
#[derive(Clone, Debug)]
pub struct GaveUp {
    /// What it does without, in the user's words.
    pub what: &'static str,
    /// Why; no bug.
    pub why: Failure,
}

impl GaveUp {
    /// What was found, or why it was not, which is then added to `all`.
    ///
    /// # Errors
    /// `Bug`.
    pub fn unless<T>(
        found: Result<T, Failure>,
        what: &'static str,
        all: &mut Vec<GaveUp>,
    ) -> Result<Option<T>, Failure> {
        match found {
            Ok(found) => Ok(Some(found)),
            Err(bug @ Failure::Bug(_)) => Err(bug),
            Err(why) => {
                all.push(GaveUp { what, why });
                Ok(None)
            }
        }
    }
}

/// A stage that gave up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// Which: "dependences", "schedule", "ast", …
    pub stage: &'static str,
    /// Whether a larger budget may do.
    pub why: presburger::Error,
}

/// Source position of a remark; line 0 means unknown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceLoc {
    /// File as the debug information names it.
    pub file: String,
    /// 1-based line.
    pub line: u32,
    /// 1-based column.
    pub column: u32,
}

/// A reason why a region is not a SCoP, with both a user and a developer message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reject {
    /// Which reason; names the remark.
    pub kind: RejectKind,
    /// What exactly, as far as the program has a name for it; told behind the kind's message.
    pub detail: String,
    /// Where in the source.
    pub loc: SourceLoc,
    /// Values that the user can do something about.
    pub about: Vec<ValueId>,
    /// Where the outermost loop around begins, where that is known.
    pub nest: Option<Box<SourceLoc>>,
    /// Line that it is about, where it is told at the loops around.
    pub within: Option<u32>,
    /// The instruction that it is about, whatever values the user could change.
    pub at: Option<ValueId>,
}

impl Reject {
    /// A reason that is about no value in particular.
    #[must_use]
    pub fn new(kind: RejectKind, detail: impl Into<String>, loc: SourceLoc) -> Self {
        Self { kind, detail: detail.into(), loc, about: Vec::new(), nest: None, within: None, at: None }
    }

    /// The same of an instruction.
    #[must_use]
    pub fn at(self, at: ValueId) -> Self {
        Self { at: Some(at), ..self }
    }

    /// The same with values that the user can do something about.
    #[must_use]
    pub fn about(self, about: Vec<ValueId>) -> Self {
        Self { about, ..self }
    }
}

/// Every reason for a rejection. The user message is [`RejectKind::message`], the remark name [`RejectKind::name`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RejectKind {
    /// Trip count is not an affine function of outer loops and parameters.
    NonAffineBound,
    /// Branch condition is not affine.
    NonAffineCondition,
    /// Subscript is not affine.
    NonAffineAccess,
    /// Irreducible or otherwise unstructured control flow.
    UnstructuredControlFlow,
    /// Call that may read or write memory.
    Call,
    /// Volatile or atomic access, fence, inline assembly, exception handling.
    UnsupportedInstruction,
    /// The base pointer changes inside the region.
    VariantBase,
    /// Arrays may overlap and no run-time test can be built.
    Aliasing,
    /// A loop that may not terminate or has several exits.
    LoopShape,
    /// A hint in the source asks for a transformation of this very loop.
    Pinned,
    /// Too many statements, loops, arrays or parameters.
    TooLarge,
    /// Nothing in the region stores to memory.
    NoEffect,
    /// The whole function is left alone: by attribute, annotation or option.
    LeftAlone,
    /// No copy of the function can be made: computed jumps, coroutines, naked functions.
    NoCopy,
    /// Canonicalization left no loop: it does nothing, or runs at most once.
    Removed,
    /// What the model needs to assume is never true.
    NeverHolds,
    /// A path that is assumed not to be taken, to an error or a message, is taken whatever the parameters are.
    PathTaken,
    /// The run-time check would never succeed.
    CheckFails,
    /// A run-time check needs a second copy of the loops, which the function has no room for.
    CodeSize,
    /// Some test or bound of the new loops has no closed form.
    NoClosedForm,
    /// Iterations that follow each other in the new loops lie too far apart in memory.
    LongStep,
}

impl RejectKind {
    /// All reasons, for tests and documentation.
    pub const ALL: [RejectKind; 21] = [
        Self::NonAffineBound,
        Self::NonAffineCondition,
        Self::NonAffineAccess,
        Self::UnstructuredControlFlow,
        Self::Call,
        Self::UnsupportedInstruction,
        Self::VariantBase,
        Self::Aliasing,
        Self::LoopShape,
        Self::Pinned,
        Self::TooLarge,
        Self::NoEffect,
        Self::LeftAlone,
        Self::NoCopy,
        Self::Removed,
        Self::NeverHolds,
        Self::PathTaken,
        Self::CheckFails,
        Self::CodeSize,
        Self::NoClosedForm,
        Self::LongStep,
    ];

    /// Remark name, CamelCase without spaces.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::NonAffineBound => "NonAffineBound",
            Self::NonAffineCondition => "NonAffineCondition",
            Self::NonAffineAccess => "NonAffineAccess",
            Self::UnstructuredControlFlow => "UnstructuredControlFlow",
            Self::Call => "Call",
            Self::UnsupportedInstruction => "UnsupportedInstruction",
            Self::VariantBase => "VariantBase",
            Self::Aliasing => "Aliasing",
            Self::LoopShape => "LoopShape",
            Self::Pinned => "Pinned",
            Self::TooLarge => "TooLarge",
            Self::NoEffect => "NoEffect",
            Self::LeftAlone => "LeftAlone",
            Self::NoCopy => "NoCopy",
            Self::Removed => "Removed",
            Self::NeverHolds => "NeverHolds",
            Self::PathTaken => "PathTaken",
            Self::CheckFails => "CheckFails",
            Self::CodeSize => "CodeSize",
            Self::NoClosedForm => "NoClosedForm",
            Self::LongStep => "LongStep",
        }
    }

    /// What the user is told.
    #[must_use]
    pub fn message(self) -> &'static str {
        match self {
            Self::NonAffineBound => {
                "the number of iterations of this loop is not an affine function of outer loops and loop-invariant values"
            }
            Self::NonAffineCondition => "this condition is not affine in the loop counters and loop-invariant values",
            Self::NonAffineAccess => {
                "this subscript is not an affine function of loop counters and loop-invariant values"
            }
            Self::UnstructuredControlFlow => "the control flow here is not made of nested loops and conditions",
            Self::Call => "this call may read or write memory",
            Self::UnsupportedInstruction => {
                "this instruction (volatile, atomic, assembly or exception handling) must stay where it is"
            }
            Self::VariantBase => "the pointer accessed here changes inside the loops",
            Self::Aliasing => "the arrays accessed here may overlap, and no run-time test can tell",
            Self::LoopShape => "this loop has several exits or may not end",
            Self::Pinned => "a hint in the source says what is to be done with this loop",
            Self::TooLarge => "the region is too large to be analysed in the time allowed",
            Self::NoEffect => "nothing here writes to memory",
            Self::LeftAlone => "the function is left alone",
            Self::NoCopy => "the function has computed jumps, is a coroutine or has no prologue",
            Self::Removed => "nothing is left of this loop after simplification: it has no effect or runs at most once",
            Self::NeverHolds => "what would have to be assumed of the values in these loops is never true",
            Self::PathTaken => {
                "this call is taken for an error or a message that the loops do not come to, and they do"
            }
            Self::CheckFails => "the run-time check that new loops need would never succeed",
            Self::CodeSize => {
                "a run-time check needs a second copy of the loops, and the function is optimized for size"
            }
            Self::NoClosedForm => "a test that the new loops need has no closed form",
            Self::LongStep => {
                "an address would move by 4 GiB or more in one iteration, which LLVM does not compile right"
            }
        }
    }
}

impl fmt::Display for Reject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind.message())?;
        if self.detail.is_empty() { Ok(()) } else { write!(f, " ({})", self.detail) }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Reject(r) => r.fmt(f),
            Self::Limit(limit) => limit.fmt(f),
            Self::Bug(b) => write!(f, "internal error: {b}"),
        }
    }
}

/// The stage of a limit that a stage met because others had spent what the whole function may.
pub const WHOLE_FUNCTION: &str = "function";

/// What a stage spends, in words.
#[must_use]
pub fn budget_of(stage: &str) -> String {
    if stage == WHOLE_FUNCTION {
        "the budget of the whole function".into()
    } else {
        format!("the budget of the {stage} stage")
    }
}

/// The option that sets what a stage may spend.
#[must_use]
pub fn option_of_budget(stage: &str) -> &'static str {
    match stage {
        "model" => "-polyrs-analysis-budget=",
        "dependences" => "-polyrs-dependences-budget=",
        "schedule" => "-polyrs-schedule-budget=",
        "parallel" => "-polyrs-parallel-budget=",
        "proof" => "-polyrs-proof-budget=",
        "ast" => "-polyrs-ast-budget=",
        "run-time check" => "-polyrs-check-budget=",
        _ => "-polyrs-budget=",
    }
}

/// Why something was not found out where a stage's budget does not do.
#[must_use]
pub fn would_take_more(stage: &str) -> String {
    let (budget, option) = (budget_of(stage), option_of_budget(stage));
    format!("finding out would take more than {budget} allows (raise {option})")
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.why {
            presburger::Error::Spent => write!(f, "{} is spent", budget_of(self.stage)),
            why => write!(f, "the {} stage cannot go on: {why}", self.stage),
        }
    }
}

impl Limit {
    /// In words, with the option that raises a budget that is spent.
    #[must_use]
    pub fn with_option(self) -> String {
        match self.why {
            presburger::Error::Spent => format!("{self} (raise {})", option_of_budget(self.stage)),
            _ => self.to_string(),
        }
    }

    /// The `map_err` argument for set operations of a stage.
    pub fn of(stage: &'static str) -> impl Fn(presburger::Error) -> Failure {
        move |why| Failure::Limit(Limit { stage, why })
    }

    /// The failure of a stage whose numbers do not fit, which no budget changes.
    #[must_use]
    pub fn overflow(stage: &'static str) -> Failure {
        Failure::Limit(Limit { stage, why: presburger::Error::Overflow })
    }
}
