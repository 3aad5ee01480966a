//! Schedule tree -> loop AST.
//!
//! In:  a SCoP and a schedule tree of its statements ([`crate::model::tree`]).
//! Out: loops, tests and statement instances ([`types`]) that run every instance of the tree's domain exactly once, in
//! the order of the tree, for all parameter values inside the SCoP's assumed and defined-behaviour contexts.
//! Invariants: no row is dropped unless what surrounds it implies it, so an imprecise bound can cost an empty iteration
//! but never an instance too many or too few; the result depends on nothing but the input.
//! Sources: Quilleré, Rajopadhye, Wilde, Int. J. Parallel Programming 28(5), 2000 (scanning); Bastoul, PACT 2004
//! (strides, code size); Grosser, Verdoolaege, Cohen, TOPLAS 37(4), 2015 (schedule trees, full tiles).

mod bounds;
pub mod buffers;
pub mod check;
mod closed;
mod cond;
pub mod device;
mod ends;
mod expr;
mod fail;
mod floors;
pub mod forms;
mod generate;
pub mod gist;
mod hidden;
pub mod interpret;
pub mod lanes;
pub mod last;
mod leaf;
mod loops;
mod piece;
mod place;
mod print;
pub mod range;
pub mod registers;
pub mod replay;
mod residue;
mod separate;
pub mod shared;
pub mod shared_check;
mod shift;
#[cfg(test)]
pub(crate) mod tests;
mod tiles;
pub mod types;
mod unroll;
mod value;
pub mod waits;

pub use cond::{bounds_of, cond_of_set};
pub use ends::{end_of, ends_of, next_after};
pub use print::{print_around, print_c, print_expr, print_source};
pub use types::{Ast, Cond, Expr, For, If};
pub use value::value_of;

use crate::error::Failure;
use crate::model::Scop;
use crate::model::tree::{Node, lower};
use log::debug;
use presburger::Budget;

/// Limits of the generation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Config {
    /// Statement instances in the text of the result, whatever it takes.
    pub max_stmts: usize,
    /// Loops that one band member may be split into; beyond that, one loop with tests inside.
    pub max_loops_per_level: usize,
    /// As many where [`crate::model::tree::AstOption::Separate`] asks for loops without tests.
    pub max_loops_asked_for: usize,
    /// Whether statements of a sequence get loops of their own where one of them is done before the other begins,
    /// though they share a value of the loop around the sequence.
    pub sequence_apart: bool,
    /// Whether bounds that only inner loops give a statement, where it has no others, are a reason for a loop of its
    /// own where [`crate::model::tree::AstOption::Separate`] asks for loops without tests.
    pub inner_bounds: bool,
    /// Whether dims of domains that are floors of parameters and outer loops are written as such.
    pub floors_of_dims: bool,
    /// Whether statements with one stride and different remainders share a loop with that step, one behind the other.
    pub shift_strides: bool,
    /// Longest loop that [`crate::model::tree::AstOption::Unroll`] writes out.
    pub max_unroll: i64,
    /// Whether [`crate::model::tree::AstOption::Unroll`] also writes out a loop whose number of iterations is only
    /// known to be at most that, with tests.
    pub unroll_with_tests: bool,
    /// Whether loops over values without a largest one are made, which never end, rather than refused.
    pub endless: bool,
}

impl Config {
    /// That of the pass.
    pub const DEFAULT: Self = Self {
        max_stmts: 4096,
        max_loops_per_level: 8,
        max_loops_asked_for: 64,
        sequence_apart: false,
        inner_bounds: true,
        floors_of_dims: false,
        shift_strides: false,
        max_unroll: 64,
        unroll_with_tests: false,
        endless: false,
    };
}

impl Default for Config {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// Statement instances in the text that loops without tests may cost: this many per statement, and as many once.
const COPIES_PER_STMT: usize = 24;

/// Turns a schedule tree into loops. Where splitting loops to avoid tests would copy statements too often, loops are
/// shared and tests stay inside.
///
/// # Errors
/// `Limit` when `cfg` is exceeded, the budget (pivots of the simplex, combined rows, set operations) is spent or a
/// coefficient does not fit 64 bits; `Bug` for a tree that is not a schedule of its domain (a band without a value for
/// a statement that reaches it, an unbounded domain).
pub fn build(scop: &Scop, tree: &Node, cfg: &Config, budget: &Budget) -> Result<Ast, Failure> {
    let tree = &*lower::lowered(tree, budget).map_err(|e| Failure::Bug(e.0))?;
    let copies = COPIES_PER_STMT * (scop.stmts.len() + 1);
    let split = Config { max_stmts: copies.min(cfg.max_stmts), ..*cfg };
    let made = match generate::generate(scop, tree, &split, budget).map_err(Failure::from) {
        Err(Failure::Limit(_) | Failure::Reject(_)) if budget.left() > 0 => {
            debug!("{}: loops without tests inside would need more than {} statements", scop.name, split.max_stmts);
            let shared = Config { max_loops_per_level: 1, max_loops_asked_for: 1, ..*cfg };
            generate::generate(scop, tree, &shared, budget).map_err(Failure::from)
        }
        made => made,
    };
    debug!("{}: {} of {} steps left behind the loops", scop.name, budget.left(), budget.size());
    made
}
