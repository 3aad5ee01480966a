//! Which code is split: where only threads gain by it, and where only then time is tiled.

use crate::cost::Machine;
use crate::model::Scop;
use crate::parallel::split::choose;
use crate::schedule::Config;
use crate::schedule::tests::splits::{REVERSED, TORUS};
use crate::schedule::tests::{dependences, forced};
use presburger::Budget;

/// Statements of the code that is scheduled.
fn statements(text: &str, config: &Config) -> usize {
    let scop = Scop::parse(text).expect("text");
    let deps = dependences(&scop);
    choose(scop, deps, config, &Machine::WIDE, &mut Vec::new(), &Budget::steps(2_000_000))
        .expect("within budget")
        .0
        .scop
        .stmts
        .len()
}

#[test]
fn a_reversed_copy_is_split_for_threads_alone() {
    assert_eq!(statements(REVERSED, &Config::default()), 1, "one thread gains nothing");
    assert_eq!(statements(REVERSED, &Config { parallel: true, ..forced() }), 2);
}

#[test]
fn tiles_inside_of_a_time_step_are_no_tiles_over_time() {
    let whole = Scop::parse(TORUS).expect("text").stmts.len();
    for config in
        [Config { tile_sizes: vec![3], ..forced() }, Config { tile_sizes: vec![4], parallel: true, ..forced() }]
    {
        assert_eq!(statements(TORUS, &config), 4 * whole);
    }
}
