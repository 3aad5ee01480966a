//! Tests of loop generation: printed results checked by hand, and every result executed against its domain and
//! schedule.

mod cases;
mod closed;
mod cond;
mod fixtures;
mod hidden;
mod iterations;
mod lanes;
mod last;
mod limits;
pub(crate) mod mutations;
mod random;
mod replays;
mod shared;
mod waits;

pub(crate) use super::interpret as interp;
use super::replay::{self, Replay};
use super::{Ast, Config, build};
use crate::model::Scop;
use crate::model::tree::Node;
use presburger::Budget;

/// The AST of a tree with default limits.
pub(super) fn ast_of(scop: &Scop, tree: &Node) -> Ast {
    build(scop, tree, &Config::default(), &Budget::steps(2_000_000)).unwrap_or_else(|e| panic!("{}: {e}", scop.name))
}

/// Runs the AST and compares with the domain (each instance once) and the order of the tree. A domain too large to
/// enumerate is an error: nothing would be checked.
pub(super) fn check_run(tree: &Node, ast: &Ast, params: &[i64]) -> Result<(), String> {
    match replay::check(tree, ast, params)? {
        Replay::Agrees => Ok(()),
        Replay::TooLarge => Err(format!("{params:?}: more than {} instances", replay::MAX_POINTS)),
    }
}

/// All vectors of `n` values in `first..=last`.
pub(crate) fn grid(n: usize, first: i64, last: i64) -> Vec<Vec<i64>> {
    let mut all = vec![Vec::new()];
    for _ in 0..n {
        all = all
            .into_iter()
            .flat_map(|v: Vec<i64>| {
                (first..=last).map(move |x| {
                    let mut w = v.clone();
                    w.push(x);
                    w
                })
            })
            .collect();
    }
    all
}
