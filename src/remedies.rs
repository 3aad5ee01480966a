//! What helps where a region is refused; `docs/reasons.md` has more of each.

use crate::error::RejectKind;

impl RejectKind {
    /// The smallest change that lets more loops in.
    #[must_use]
    pub fn remedy(self) -> &'static str {
        match self {
            Self::NonAffineBound => {
                "copy a bound that is loaded or computed in the loops into a local variable before them"
            }
            Self::NonAffineCondition => {
                "test only loop counters and values that do not change in the loops, or compute both results and select"
            }
            Self::NonAffineAccess => {
                "write the subscript as a sum of loop counters times constants or sizes; move table look-ups out of the loop"
            }
            Self::UnstructuredControlFlow => "replace goto and jumps out of several loops by conditions",
            Self::Call => {
                "let the call be inlined (same file, static inline, -flto), or declare the function const or pure"
            }
            Self::UnsupportedInstruction => "move the volatile, atomic or throwing part into a loop of its own",
            Self::VariantBase => "copy the pointer into a local variable before the loops (double *p = m->data;)",
            Self::Aliasing => "declare the pointers restrict, or pass sizes so that what is accessed has bounds",
            Self::LoopShape => "leave the loop in one place only, and count with an integer towards a bound",
            Self::Pinned => "remove the pragma or attribute, if the loop is to run in another order",
            Self::TooLarge => "split the function, or raise -polyrs-max-stmts or -polyrs-max-instructions",
            Self::NoEffect => "nothing to do: loops that only read are fast when what they feed is",
            Self::LeftAlone => {
                "remove the attribute, annotation or option named, if it was not meant for this function"
            }
            Self::NoCopy => "move the loops into a function of their own",
            Self::Removed => "nothing to do: LLVM removes the loop",
            Self::NeverHolds => "check the types and bounds: some index leaves its type or its array",
            Self::CheckFails => {
                "check whether the arrays passed are one and the same memory; declare them restrict if not"
            }
            Self::CodeSize => "compile with -O2 or -O3, or declare the pointers restrict so that no test is needed",
            Self::NoClosedForm => "use sizes that are multiples of the step, or unroll the loop by hand",
        }
    }
}
