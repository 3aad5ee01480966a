//! Rows as lanes of vectors: what a block loads, stores and exchanges.

use super::{SMALL, facts_of, square};
use crate::cost::refs::{self, Facts};
use crate::cost::{Carry, Nest};
use crate::model::fixtures;
use presburger::Budget;

/// Cycles of an iteration of the one statement, 8 rows in lanes of 4.
fn each(facts: &[Facts]) -> f64 {
    let (carry, jam) = (vec![Carry::Chain], vec![8.0, 1.0]);
    let nest = Nest { carry, jam, lanes: 4.0, free: vec![vec![true, false]], ..square(&[0], &[[0, 1]], 64.0) };
    nest.cycles_in_lanes(facts, 0, &SMALL).expect("lanes")
}

/// `x1[i] += A[i][j] * y1[j]`: the sums of a block's rows are loaded and stored once per block.
#[test]
fn what_rests_in_a_row_costs_a_load_and_a_store_in_a_block() {
    let facts = refs::facts(&fixtures::scop("mvt"), &Budget::unlimited()).expect("small");
    let mut without = facts.clone();
    without[0].refs.retain(|r| !r.writes);
    let sums = each(&facts) - each(&without);
    assert!(sums > 0.0 && sums < 0.2, "{sums} cycles per iteration");
}

/// `y[i][j] = f(y[i][j - 1], y[i][j + ahead], x[i][j])`, and what is read as far as the arithmetic says.
fn recurrence(ahead: i64) -> Vec<Facts> {
    let text = format!(
        "scop recurrence
params: N
assumed: {{ : N >= 1 }}
array Arr0 memory f64 [*, N]
array Arr1 memory f64 [*, N]
stmt Stmt0
  domain: {{ Stmt0[i, j] : 0 <= i < N and 1 <= j < N - 1 }}
  schedule: [0, i, 0, j, 0]
  read: {{ Stmt0[i, j] -> Arr0[i, j - 1] }}
  read: {{ Stmt0[i, j] -> Arr0[i, j + {ahead}] }}
  read: {{ Stmt0[i, j] -> Arr1[i, j] }}
  must_write: {{ Stmt0[i, j] -> Arr0[i, j] }}
"
    );
    facts_of(&text, &[4; 3])
}

#[test]
fn what_a_row_wrote_before_is_not_loaded_again() {
    let (behind, here, ahead) = (each(&recurrence(-2)), each(&recurrence(0)), each(&recurrence(1)));
    assert!(here > behind + 0.4, "{behind} cycles by results of before, {here} by elements that are there");
    assert!((here - ahead).abs() < 1e-9, "{here} and {ahead} cycles: each element is loaded once");
}
