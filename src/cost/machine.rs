//! What the model needs to know of the target; plain numbers.

/// Caches of one core, vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Machine {
    /// First-level data cache of one core.
    pub l1_bytes: u64,
    /// Second-level cache of one core.
    pub l2_bytes: u64,
    /// Last-level cache.
    pub l3_bytes: u64,
    /// Widest vector register.
    pub vector_bits: u32,
    /// The same for code that does little else than arithmetic in vectors, from copies; 0: there is no memory for them.
    pub widest_bits: u32,
    /// Number of vector registers.
    pub vector_registers: u32,
}
