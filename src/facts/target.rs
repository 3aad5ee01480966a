//! What the target says of itself.

/// Numbers of the processor that a function is compiled for; 0 = it does not say.
///
/// Vector width and registers are LLVM's for the function's `target-cpu` and `target-features`. Caches and the number
/// of cores are those of the machine that the compiler runs on where the function is compiled for this very processor
/// by name (`-march=native`). Generic code depends on no machine: there LLVM has the first two levels, the same for all
/// x86 cores, and no last level.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Target {
    /// First-level data cache of one core.
    pub l1_bytes: u64,
    /// Second-level cache of one core.
    pub l2_bytes: u64,
    /// Last-level cache as the processor reports it: one whole, which all cores of a socket or of a part of it share.
    /// In a virtual machine that may be many more than [`Target::cores`].
    pub l3_bytes: u64,
    /// Widest vector register.
    pub vector_bits: u32,
    /// The same for code that does little else than arithmetic in vectors: cores that LLVM uses half of the registers
    /// of, because full ones slow down what is around, are faster with full ones there.
    pub widest_bits: u32,
    /// Whether the function may ask the operating system for memory.
    pub has_room: bool,
    /// Number of vector registers.
    pub vector_registers: u32,
    /// Physical cores that the compiler may run on.
    pub cores: u32,
    /// Cache line.
    pub line_bytes: u32,
    /// Whether the last level of cache lies behind a mesh of many cores, as on Intel's servers since Skylake: lines
    /// come from it slowly.
    pub is_meshed: bool,
}
