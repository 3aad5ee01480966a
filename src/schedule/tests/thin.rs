//! Data that is thin along a parameter: few rows, a handful of columns.

use super::transformed;
use crate::model::Scop;
use crate::schedule::{Config, Demands};
use std::collections::BTreeMap;

/// Sums of the columns of a matrix, column by column: by rows they run in vectors, however few rows there are.
#[test]
fn what_gains_on_thin_data_asks_for_less_there() {
    let text = "
        scop sums
        params: N, M
        assumed: { : N >= 1 and M >= 1 }
        array Arr0 memory f64 [*, M]
        array Arr1 memory f64 [*]
        stmt Stmt0
          domain: { Stmt0[j, i] : 0 <= j < M and 0 <= i < N }
          schedule: [0, j, 0, i, 0]
          read: { Stmt0[j, i] -> Arr0[i, j] }
          read: { Stmt0[j, i] -> Arr1[j] }
          must_write: { Stmt0[j, i] -> Arr1[j] }
        ";
    let (_, summary) = transformed(&Scop::parse(text).expect("a SCoP"), &Config::default());
    let few_rows = summary.thin.get(&0).expect("few rows");
    assert!(few_rows[0] < summary.least[0] && few_rows[1] >= 64, "{summary:?}");
}

#[test]
fn what_two_orders_ask_of_thin_data_is_asked_together() {
    let demands = |least: [i64; 2], thin: &[(usize, [i64; 2])]| Demands {
        least: least.to_vec(),
        thin: thin.iter().map(|(k, least)| (*k, least.to_vec())).collect(),
        fresh: None,
    };
    let both = demands([24, 40], &[(0, [4, 64]), (1, [64, 8])]).and(demands([100, 24], &[(0, [8, 100])]));
    assert_eq!(both.least, [100, 40]);
    assert_eq!(both.thin, BTreeMap::from([(0, vec![8, 100])]));
}

/// A batch of products: one is enough where it is long, however many of them the usual scenario has.
#[test]
fn one_of_a_batch_is_enough() {
    let text = "
        scop batch
        params: B, N
        assumed: { : B >= 1 and N >= 1 }
        array Arr0 memory f64 [*, N, N]
        array Arr1 memory f64 [*, N, N]
        array Arr2 memory f64 [*, N, N]
        stmt Stmt0
          domain: { Stmt0[b, i, j, k] : 0 <= b < B and 0 <= i < N and 0 <= j < N and 0 <= k < N }
          schedule: [0, b, 0, i, 0, j, 0, k, 0]
          read: { Stmt0[b, i, j, k] -> Arr0[b, i, k] }
          read: { Stmt0[b, i, j, k] -> Arr1[b, k, j] }
          read: { Stmt0[b, i, j, k] -> Arr2[b, i, j] }
          must_write: { Stmt0[b, i, j, k] -> Arr2[b, i, j] }
        ";
    let (_, summary) = transformed(&Scop::parse(text).expect("a SCoP"), &Config::default());
    assert!(summary.least[0] == 1 && summary.least[1] >= 16, "{summary:?}");
}
