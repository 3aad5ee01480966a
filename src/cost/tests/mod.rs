//! The terms of the model, each on a nest small enough to work out by hand.

mod chains;
mod lanes;
mod sizes;
mod vectors;
mod walks;
mod work;

use super::refs::{self, Facts};
use super::{Carry, Loop, Machine, Nest};
use crate::ids::ValueId;
use crate::model::{Instructions, Scop, StmtBody};
use presburger::Budget;

/// A core whose last cache holds half a million doubles.
const SMALL: Machine = Machine {
    l1_bytes: 32 << 10,
    l2_bytes: 1 << 20,
    l3_bytes: 4 << 20,
    vector_bits: 256,
    widest_bits: 256,
    vector_registers: 16,
    cores: 2,
    is_known: false,
    is_quick: false,
    is_meshed: false,
};

/// Facts of a SCoP's text. `paths`: cycles from each access of its first statement, in order, to what that writes.
fn facts_of(text: &str, paths: &[u32]) -> Vec<Facts> {
    let mut scop = Scop::parse(text).expect("a scop");
    let stmt = &mut scop.stmts[0];
    for (k, access) in stmt.accesses.iter_mut().enumerate() {
        access.inst = ValueId::new(k);
    }
    let paths = paths.iter().enumerate().map(|(k, cycles)| (ValueId::new(k), *cycles)).collect();
    let code = Instructions { paths, loops: stmt.body.loops().to_vec(), ..Instructions::default() };
    stmt.body = StmtBody::Original(code);
    refs::facts(&scop, &Budget::unlimited()).expect("small")
}

/// Statements of two dims in two loops of this many iterations each. `dims[s]`: the dim that each loop moves statement
/// `s` along.
fn square(stmts: &[usize], dims: &[[usize; 2]], iterations: f64) -> Nest {
    let unit = |dim: usize| if dim == 0 { vec![1.0, 0.0] } else { vec![0.0, 1.0] };
    let level =
        |k: usize| Loop { directions: dims.iter().map(|d| unit(d[k])).collect(), trips: vec![iterations; stmts.len()] };
    Nest {
        stmts: stmts.to_vec(),
        loops: vec![level(0), level(1)],
        carry: vec![Carry::Nothing; stmts.len()],
        free: vec![vec![true; 2]; stmts.len()],
        jam: vec![1.0, 1.0],
        lanes: 1.0,
        warm: true,
        may_gather: true,
        ..Nest::default()
    }
}
