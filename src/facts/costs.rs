//! What one instruction costs on the target.

/// Costs of one instruction as LLVM's `TargetTransformInfo` has them for the function's processor, `None` where it does
/// not say.
///
/// Whole numbers from LLVM's tables, which are for one processor of a family and round: to be compared with each other,
/// not with a clock. A load or store is taken to hit the first-level cache; what the memory behind it costs is not in
/// here. Known of instructions in loops only.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Costs {
    /// Reciprocal throughput: cycles of one core that the instruction takes up among independent ones of its kind
    /// (`TCK_RecipThroughput`). Simple arithmetic, a load, a store: 1. 0: folded into another instruction (address
    /// computations, some casts), or below half a cycle. A call of a library function that has no intrinsic: LLVM's
    /// flat 10, whatever it does.
    pub throughput: Option<u32>,
    /// Cycles from operands to result, what a chain of dependent instructions takes (`TCK_Latency`).
    pub latency: Option<u32>,
    /// Reciprocal throughput of the same instruction on one vector of `lanes` elements that lie side by side, in cycles
    /// for the whole vector. `None`: it has no vector form that LLVM knows (calls, branches), or elements do not fit
    /// twice into the widest vector.
    pub vector: Option<u32>,
    /// Elements of that vector: as many of the widest type that the instruction reads or writes as the widest vector
    /// register holds; 0: none.
    pub lanes: u32,
}
