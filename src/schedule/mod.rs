//! Dependences -> schedule tree.
//!
//! In:  a `Scop` and its `Dependences`; all validity dependences are respected, reuse dependences are only a hint.
//! Out: [`Outcome::Keep`] with a reason for the user, or a new tree that orders the same instances. Every tree is legal by
//!      construction (each band row is checked exactly against every dependence), and `deps::legality` proves it again.
//! Invariants: deterministic; never relaxes a dependence, so each element's order of floating-point operations stays.
//!
//! Flow: `problem` (rows) -> `farkas` (generators of each dependence) -> `graph` (components) -> `bands` with `pluto`
//! (hyperplanes, by candidates or by `ilp`) -> `cost` (order, tile sizes, profitability) -> `tile`, `vector` (tree).
//! Sources: Bondhugula et al., CC 2008 and PLDI 2008 (Pluto); Feautrier, IJPP 21(5-6), 1992 (Farkas lemma in scheduling);
//! Grosser, Verdoolaege, Cohen, TOPLAS 37(4), 2015 (schedule trees).

mod bands;
mod farkas;
mod graph;
mod ilp;
mod linear;
mod pluto;
mod problem;

/// What the scheduler needs to know of the target; plain numbers.
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
    /// Number of vector registers.
    pub vector_registers: u32,
}

/// Choices of the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// Tile permutable bands.
    pub tiling: bool,
    /// Tile size per band member, in values of the member; the last one repeats. Empty: chosen from the caches.
    pub tile_sizes: Vec<i64>,
    /// Fuse components that share data where no parallelism, permutability or depth is lost.
    pub fusion: bool,
    /// Move the best dimension of a permutable band innermost and mark it for vectorization.
    pub vectorize: bool,
    /// Unroll-and-jam point loops.
    pub unroll_jam: bool,
    /// Transform even where the cost model expects no gain.
    pub process_unprofitable: bool,
    /// Give up after this many steps (constraint combinations, solver rows).
    pub budget_steps: u64,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            tiling: true,
            tile_sizes: Vec::new(),
            fusion: true,
            vectorize: true,
            unroll_jam: true,
            process_unprofitable: false,
            budget_steps: 2_000_000,
        }
    }
}

/// What the scheduler decided.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// The original order stays.
    Keep {
        /// Why, in the user's words.
        reason: String,
    },
    /// A new order.
    Transformed {
        /// Root is a [`crate::model::tree::Node::Domain`].
        tree: crate::model::tree::Node,
        /// What was done.
        summary: Summary,
    },
}

/// What was done to the loops.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Steps in the user's words, each once: "distributed", "interchanged", "skewed", "tiled 32x32x32", "vectorizable".
    pub steps: Vec<String>,
    /// Estimated time of the original over the estimated time of the new order, in hundredths.
    pub gain_percent: u64,
    /// Number of bands, tiled bands, and integer programs solved.
    pub bands: usize,
    /// Bands that were tiled.
    pub tiled: usize,
    /// Integer programs solved.
    pub solves: usize,
}
