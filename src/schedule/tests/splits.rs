//! Index-set splitting: reversed copies run in parallel, periodic stencils are tiled over time.

use super::{dependences, forced, legal, random};
use crate::cost::Machine;
use crate::model::Scop;
use crate::model::tree::Node;
use crate::model::tree::print::Yaml;
use crate::schedule::index_sets::{self, Split};
use crate::schedule::{Config, Decision, Summary, schedule};
use presburger::Budget;

/// `for i: a[i] = a[N - 1 - i]`.
pub const REVERSED: &str = "scop reversed
params: N
assumed: { : N >= 1000 }
array Arr0 memory f64 [*]
stmt Stmt0
  domain: { Stmt0[i] : 0 <= i < N }
  schedule: [0, i, 0]
  read: { Stmt0[i] -> Arr0[N - 1 - i] }
  must_write: { Stmt0[i] -> Arr0[i] }
";

/// `for t: for i: a[t + 1][i] = f(a[t][i - 1], a[t][i], a[t][i + 1])` with both ends of `a[t]` joined.
const RING: &str = "scop ring
params: T, N
assumed: { : N >= 1000 and T >= 1000 }
array Arr0 memory f64 [*, N]
stmt Stmt0
  domain: { Stmt0[t, i] : 0 <= t < T and 0 <= i < N }
  schedule: [0, t, 0, i, 0]
  read: { Stmt0[t, i] -> Arr0[t, i] }
  read: { Stmt0[t, i] -> Arr0[t, i - 1] : i > 0; Stmt0[t, i] -> Arr0[t, N - 1] : i = 0 }
  read: { Stmt0[t, i] -> Arr0[t, i + 1] : i < N - 1; Stmt0[t, i] -> Arr0[t, 0] : i = N - 1 }
  must_write: { Stmt0[t, i] -> Arr0[t + 1, i] }
";

/// The same in two arrays, one copied back to the other.
const RING_OF_TWO: &str = "scop ring
params: T, N
assumed: { : N >= 1000 and T >= 1000 }
array Arr0 memory f64 [*]
array Arr1 memory f64 [*]
stmt Stmt0
  domain: { Stmt0[t, i] : 0 <= t < T and 0 <= i < N }
  schedule: [0, t, 0, i, 0]
  read: { Stmt0[t, i] -> Arr0[i - 1] : i > 0; Stmt0[t, i] -> Arr0[N - 1] : i = 0 }
  read: { Stmt0[t, i] -> Arr0[i + 1] : i < N - 1; Stmt0[t, i] -> Arr0[0] : i = N - 1 }
  must_write: { Stmt0[t, i] -> Arr1[i] }
stmt Stmt1
  domain: { Stmt1[t, i] : 0 <= t < T and 0 <= i < N }
  schedule: [0, t, 1, i, 0]
  read: { Stmt1[t, i] -> Arr1[i] }
  must_write: { Stmt1[t, i] -> Arr0[i] }
";

/// The same, with both ends peeled off the first loop.
const PEELED_RING: &str = "scop peeled
params: T, N
assumed: { : N >= 1000 and T >= 1000 }
array Arr0 memory f64 [*]
array Arr1 memory f64 [*]
stmt Stmt0
  domain: { Stmt0[t] : 0 <= t < T }
  schedule: [0, t, 0]
  read: { Stmt0[t] -> Arr0[N - 1] }
  read: { Stmt0[t] -> Arr0[1] }
  must_write: { Stmt0[t] -> Arr1[0] }
stmt Stmt1
  domain: { Stmt1[t, i] : 0 <= t < T and 1 <= i < N - 1 }
  schedule: [0, t, 1, i, 0]
  read: { Stmt1[t, i] -> Arr0[i - 1] }
  read: { Stmt1[t, i] -> Arr0[i + 1] }
  must_write: { Stmt1[t, i] -> Arr1[i] }
stmt Stmt2
  domain: { Stmt2[t] : 0 <= t < T }
  schedule: [0, t, 2]
  read: { Stmt2[t] -> Arr0[N - 2] }
  read: { Stmt2[t] -> Arr0[0] }
  must_write: { Stmt2[t] -> Arr1[N - 1] }
stmt Stmt3
  domain: { Stmt3[t, i] : 0 <= t < T and 0 <= i < N }
  schedule: [0, t, 3, i, 0]
  read: { Stmt3[t, i] -> Arr1[i] }
  must_write: { Stmt3[t, i] -> Arr0[i] }
";

/// Peeled as well, in two planes that take turns; the ends meet in no other statement.
const PEELED_PLANES: &str = "scop planes
params: T, N
assumed: { : N >= 1000 and T >= 1000 }
array Arr0 memory f64 [*, N]
stmt Stmt0
  domain: { Stmt0[t] : 0 <= t < T }
  schedule: [0, t, 0]
  read: { Stmt0[t] -> Arr0[t mod 2, N - 1] }
  read: { Stmt0[t] -> Arr0[t mod 2, 1] }
  must_write: { Stmt0[t] -> Arr0[(t + 1) mod 2, 0] }
stmt Stmt1
  domain: { Stmt1[t, i] : 0 <= t < T and 1 <= i < N - 1 }
  schedule: [0, t, 1, i, 0]
  read: { Stmt1[t, i] -> Arr0[t mod 2, i - 1] }
  read: { Stmt1[t, i] -> Arr0[t mod 2, i + 1] }
  must_write: { Stmt1[t, i] -> Arr0[(t + 1) mod 2, i] }
stmt Stmt2
  domain: { Stmt2[t] : 0 <= t < T }
  schedule: [0, t, 2]
  read: { Stmt2[t] -> Arr0[t mod 2, N - 2] }
  read: { Stmt2[t] -> Arr0[t mod 2, 0] }
  must_write: { Stmt2[t] -> Arr0[(t + 1) mod 2, N - 1] }
";

/// Periodic in both of two dimensions, in two arrays.
pub const TORUS: &str = "scop torus
params: T, N
assumed: { : N >= 1000 and T >= 1000 }
array Arr0 memory f64 [*, N]
array Arr1 memory f64 [*, N]
stmt Stmt0
  domain: { Stmt0[t, i, j] : 0 <= t < T and 0 <= i < N and 0 <= j < N }
  schedule: [0, t, 0, i, 0, j, 0]
  read: { Stmt0[t, i, j] -> Arr0[i - 1, j] : i > 0; Stmt0[t, i, j] -> Arr0[N - 1, j] : i = 0 }
  read: { Stmt0[t, i, j] -> Arr0[i + 1, j] : i < N - 1; Stmt0[t, i, j] -> Arr0[0, j] : i = N - 1 }
  read: { Stmt0[t, i, j] -> Arr0[i, j - 1] : j > 0; Stmt0[t, i, j] -> Arr0[i, N - 1] : j = 0 }
  read: { Stmt0[t, i, j] -> Arr0[i, j + 1] : j < N - 1; Stmt0[t, i, j] -> Arr0[i, 0] : j = N - 1 }
  must_write: { Stmt0[t, i, j] -> Arr1[i, j] }
stmt Stmt1
  domain: { Stmt1[t, i, j] : 0 <= t < T and 0 <= i < N and 0 <= j < N }
  schedule: [0, t, 1, i, 0, j, 0]
  read: { Stmt1[t, i, j] -> Arr1[i, j] }
  must_write: { Stmt1[t, i, j] -> Arr0[i, j] }
";

fn parsed(text: &str) -> Scop {
    Scop::parse(text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

fn split_of(text: &str) -> Split {
    let scop = parsed(text);
    let deps = dependences(&scop);
    index_sets::of(&scop, &deps, &Budget::unlimited()).expect("unlimited").expect("a dependence turns")
}

fn ordered(split: &Split, config: &Config) -> (Node, Summary) {
    let config = Config { reversals: split.reversals.clone(), ..config.clone() };
    match schedule(&split.scop, &split.deps, &config, &Machine::WIDE, &Budget::steps(2_000_000)).expect("within budget")
    {
        Decision::Transformed { tree, summary } => {
            legal(&split.scop, &split.deps, &tree);
            random::claims_hold(&split.scop, &split.deps, &tree);
            (tree, summary)
        }
        other => panic!("kept: {other:?}"),
    }
}

#[test]
fn a_split_code_runs_the_same_instances_in_the_same_order() {
    for text in [REVERSED, RING, RING_OF_TWO] {
        let (scop, split) = (parsed(text), split_of(text));
        legal(&split.scop, &split.deps, &split.scop.schedule);
        assert_eq!(split.scop.stmts.len(), 2 * scop.stmts.len());
        assert_eq!(split.reversals.len(), scop.stmts.len());
        let params: Vec<i64> = scop.params.iter().map(|_| 5).collect();
        assert_eq!(random::memory_after(&scop, &scop.schedule, &params), {
            random::memory_after(&split.scop, &split.scop.schedule, &params)
        });
    }
}

#[test]
fn statements_at_the_ends_join_them() {
    let (scop, split) = (parsed(PEELED_RING), split_of(PEELED_RING));
    legal(&split.scop, &split.deps, &split.scop.schedule);
    assert_eq!((scop.stmts.len(), split.scop.stmts.len()), (4, 6), "the two loops in halves");
    let rows: Vec<&Vec<i64>> = split.reversals.values().collect();
    assert_eq!(rows, [&[0, 1, -1], &[0, 1, -1]], "the sum of both ends is N - 1");
}

/// Whether the outermost loop of some branch is said to carry nothing.
fn outermost_is_coincident(node: &Node) -> bool {
    match node {
        Node::Band(band, _) => band.members[0].coincident,
        _ => node.children().iter().any(outermost_is_coincident),
    }
}

#[test]
fn halves_of_a_reversed_copy_run_in_parallel() {
    let config = Config { parallel: true, ..forced() };
    let whole = parsed(REVERSED);
    let found = dependences(&whole);
    if let Decision::Transformed { tree, .. } =
        schedule(&whole, &found, &config, &Machine::WIDE, &Budget::steps(2_000_000)).expect("within budget")
    {
        assert!(!outermost_is_coincident(&tree), "the loop carries a dependence as it is");
    }
    let split = split_of(REVERSED);
    let (tree, _) = ordered(&split, &config);
    assert!(outermost_is_coincident(&tree), "{}", Yaml(&tree));
    for n in [0, 1, 2, 7, 8] {
        let (before, after) =
            (random::memory_after(&whole, &whole.schedule, &[n]), { random::memory_after(&split.scop, &tree, &[n]) });
        assert_eq!(before, after, "N = {n}");
    }
}

#[test]
fn periodic_stencils_are_tiled_over_time() {
    for text in [RING, RING_OF_TWO, PEELED_RING, PEELED_PLANES] {
        let whole = parsed(text);
        let split = split_of(text);
        for config in [
            Config { tile_sizes: vec![3], ..forced() },
            Config { tile_sizes: vec![4], parallel: true, ..forced() },
            Config { tile_sizes: vec![4], diamond_tiling: false, parallel: true, ..forced() },
        ] {
            let (tree, summary) = ordered(&split, &config);
            assert!(summary.steps.iter().any(|s| s.starts_with("tiled")), "{summary:?}");
            let found = dependences(&whole);
            let unsplit =
                schedule(&whole, &found, &config, &Machine::WIDE, &Budget::steps(2_000_000)).expect("within budget");
            if let Decision::Transformed { summary, .. } = unsplit {
                assert!(!summary.steps.iter().any(|s| s.starts_with("tiled")), "{summary:?}");
            }
            for (t, n) in [(1, 3), (4, 6), (5, 7), (9, 10)] {
                let (before, after) = (random::memory_after(&whole, &whole.schedule, &[t, n]), {
                    random::memory_after(&split.scop, &tree, &[t, n])
                });
                assert_eq!(before, after, "T = {t}, N = {n}");
            }
        }
    }
}

#[test]
fn what_does_not_turn_is_not_split() {
    for (name, _) in crate::model::fixtures::ALL {
        let scop = crate::model::fixtures::scop(name);
        let deps = dependences(&scop);
        if let Some(split) = index_sets::of(&scop, &deps, &Budget::unlimited()).expect("unlimited") {
            println!("{name}: {} statements of {}", split.scop.stmts.len(), scop.stmts.len());
            legal(&split.scop, &split.deps, &split.scop.schedule);
            let config = Config { reversals: split.reversals.clone(), ..forced() };
            let made = schedule(&split.scop, &split.deps, &config, &Machine::WIDE, &Budget::steps(2_000_000))
                .expect("within budget");
            if let Decision::Transformed { tree, .. } = made {
                legal(&split.scop, &split.deps, &tree);
            }
        }
    }
}

#[test]
fn two_periodic_dimensions_make_quarters_tiled_over_time() {
    let (whole, split) = (parsed(TORUS), split_of(TORUS));
    assert_eq!(split.scop.stmts.len(), 4 * whole.stmts.len());
    for config in
        [Config { tile_sizes: vec![3], ..forced() }, Config { tile_sizes: vec![4], parallel: true, ..forced() }]
    {
        let (tree, summary) = ordered(&split, &config);
        assert!(summary.steps.iter().any(|s| s.starts_with("tiled in diamonds")), "{summary:?}");
        for (t, n) in [(1, 3), (3, 4), (4, 5)] {
            let (before, after) = (random::memory_after(&whole, &whole.schedule, &[t, n]), {
                random::memory_after(&split.scop, &tree, &[t, n])
            });
            assert_eq!(before, after, "T = {t}, N = {n}");
        }
    }
}
