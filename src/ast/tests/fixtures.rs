//! Every fixture, in its original order and as the scheduler reorders and tiles it.

use super::{ast_of, check_run, grid};
use crate::ast::{Ast, For, print_c, replay};
use crate::deps;
use crate::model::Scop;
use crate::model::fixtures;
use crate::model::tree::Node;
use crate::parallel::choose;
use crate::schedule::{self, Machine};
use presburger::Budget;

/// A fixture; one of constant size with fewer iterations, so that they can be enumerated.
fn small(name: &str) -> Scop {
    let scop = fixtures::scop(name);
    if !scop.params.is_empty() {
        return scop;
    }
    let text = scop.to_string().replace("<= 4095", "<= 40");
    assert_ne!(text, scop.to_string(), "{name} has another constant size");
    Scop::parse(&text).expect("a fixture")
}

fn check_all(scop: &Scop, tree: &Node, last: i64) {
    let ast = ast_of(scop, tree);
    let last = if scop.params.len() > 3 { last.min(3) } else { last };
    for params in grid(scop.params.len(), 1, last) {
        if scop.contexts.assumed.contains(&params, &[]) {
            check_run(tree, &ast, &params)
                .unwrap_or_else(|e| panic!("{}: {e}\n{}", scop.name, print_c(&ast, &scop.param_names())));
        }
    }
}

/// The scheduler's tree with these tile sizes, whatever it gains.
fn scheduled(scop: &Scop, tile_sizes: &[i64]) -> Option<Node> {
    scheduled_as(scop, schedule::Config { tile_sizes: tile_sizes.to_vec(), ..schedule::Config::default() })
}

fn scheduled_as(scop: &Scop, wishes: schedule::Config) -> Option<Node> {
    let budget = Budget::unlimited();
    let found = deps::compute(scop, &budget).expect("dependences");
    let cfg = schedule::Config { process_unprofitable: true, ..wishes };
    let decision = schedule::schedule(scop, &found, &cfg, &Machine::WIDE, &Budget::steps(2_000_000)).expect("schedule");
    choose::settled(scop, &found, decision, (&cfg, Machine::WIDE.cores), &Budget::steps(2_000_000))
        .expect("marks")
        .tree()
        .cloned()
}

#[test]
fn original_order() {
    for (name, _) in fixtures::ALL {
        let scop = small(name);
        check_all(&scop, &scop.schedule, 4);
    }
}

#[test]
fn small_tiles() {
    let mut transformed = 0;
    for (name, _) in fixtures::ALL {
        let scop = small(name);
        if let Some(tree) = scheduled(&scop, &[3, 4, 2]) {
            check_all(&scop, &tree, 6);
            transformed += 1;
        }
    }
    assert!(transformed >= 15, "only {transformed} fixtures were transformed");
}

#[test]
fn tiles_in_tiles() {
    let mut nested = 0;
    for (name, _) in fixtures::ALL {
        let scop = small(name);
        for (first, second, parallel) in [(vec![4, 6], vec![2, 3], false), (vec![5], vec![2], true)] {
            let wishes = schedule::Config {
                tile_sizes: first,
                second_level_tiling: true,
                second_level_tile_sizes: second,
                parallel,
                ..schedule::Config::default()
            };
            if let Some(tree) = scheduled_as(&scop, wishes) {
                check_all(&scop, &tree, 6);
                let text = crate::model::tree::print::Yaml(&tree).to_string();
                nested += usize::from(text.matches("mark: \"tile(").count() > text.matches("mark: \"point").count());
            }
        }
    }
    assert!(nested >= 40, "only {nested} trees have tiles in tiles");
}

#[test]
fn other_fusion_strategies() {
    for fusion in [schedule::Fusion::Max, schedule::Fusion::None] {
        for (name, _) in fixtures::ALL {
            let scop = small(name);
            let wishes = schedule::Config { fusion, tile_sizes: vec![3, 4, 2], ..schedule::Config::default() };
            if let Some(tree) = scheduled_as(&scop, wishes) {
                check_all(&scop, &tree, 4);
            }
        }
    }
}

#[test]
fn other_programs_of_the_hyperplane_search() {
    let ways = [
        schedule::Solving { negative: true, relaxed: false },
        schedule::Solving { negative: false, relaxed: true },
        schedule::Solving { negative: true, relaxed: true },
    ];
    let mut differing = 0;
    for (name, _) in fixtures::ALL {
        let scop = small(name);
        let plain = scheduled(&scop, &[3, 4, 2]).map(|tree| crate::model::tree::print::Yaml(&tree).to_string());
        for solving in ways {
            let wishes = schedule::Config { solving, tile_sizes: vec![3, 4, 2], ..schedule::Config::default() };
            if let Some(tree) = scheduled_as(&scop, wishes) {
                check_all(&scop, &tree, 5);
                differing += usize::from(plain != Some(crate::model::tree::print::Yaml(&tree).to_string()));
            }
        }
    }
    assert!(differing > 0, "no program finds anything else");
}

#[test]
fn wavefronts() {
    let mut waves = 0;
    for (name, _) in fixtures::ALL {
        let scop = small(name);
        let wishes = schedule::Config { parallel: true, tile_sizes: vec![3, 4, 2], ..schedule::Config::default() };
        if let Some(tree) = scheduled_as(&scop, wishes) {
            check_all(&scop, &tree, 6);
            waves += usize::from(crate::model::tree::print::Yaml(&tree).to_string().contains("threads["));
        }
    }
    assert!(waves >= 25, "only {waves} fixtures have a loop for threads");
}

/// Most loops for threads that one iteration of a loop around them starts.
fn most_started(ast: &Ast) -> usize {
    let most = |f: &For| if f.parallel.is_some() { 0 } else { started(&f.body) };
    loops_in(ast).into_iter().map(|f| most(f).max(most_started(&f.body))).max().unwrap_or(0)
}

fn started(body: &Ast) -> usize {
    loops_in(body).into_iter().filter(|f| f.parallel.is_some()).count()
}

/// The outermost loops.
fn loops_in(ast: &Ast) -> Vec<&For> {
    match ast {
        Ast::Block(parts) => parts.iter().flat_map(loops_in).collect(),
        Ast::For(f) => vec![f],
        Ast::If(i) => loops_in(&i.then).into_iter().chain(i.otherwise.iter().flat_map(loops_in)).collect(),
        Ast::Stmt { .. } => Vec::new(),
    }
}

#[test]
fn tiles_of_one_wavefront_are_one_loop_for_threads() {
    for (name, sizes) in [("lu", vec![4, 4, 1]), ("cholesky", vec![4, 3, 2])] {
        let scop = small(name);
        let wishes = schedule::Config { parallel: true, tile_sizes: sizes, ..schedule::Config::default() };
        let ast = ast_of(&scop, &scheduled_as(&scop, wishes).expect("transformed"));
        assert_eq!(most_started(&ast), 1, "{name}: {}", print_c(&ast, &scop.param_names()));
    }
}

#[test]
fn diamonds() {
    for name in ["jacobi_1d", "jacobi_2d", "heat_3d", "fdtd_2d"] {
        let scop = small(name);
        for (parallel, tile_sizes) in [(true, vec![4, 4, 3]), (false, vec![6]), (true, vec![5])] {
            let wishes = schedule::Config { parallel, diamond_tiling: true, tile_sizes, ..schedule::Config::default() };
            let tree = scheduled_as(&scop, wishes).expect("an order");
            check_all(&scop, &tree, 7);
        }
    }
}

#[test]
fn tiles_of_the_cost_model() {
    let mut transformed = 0;
    for (name, _) in fixtures::ALL {
        let scop = small(name);
        if let Some(tree) = scheduled(&scop, &[]) {
            let ast = ast_of(&scop, &tree);
            let tally = replay::small(&scop, &tree, &ast).unwrap_or_else(|e| panic!("{name}: {e}"));
            let least = if scop.params.is_empty() { 1 } else { 4 };
            assert!(tally.agree >= least, "{name}: {tally}");
            transformed += 1;
        }
    }
    assert!(transformed >= 30, "only {transformed} fixtures were transformed");
}

/// `domain` and accesses of one statement over arrays of 23 columns, with tiles of these sizes.
fn constant(what: &str, text: &str) {
    let arrays = ["Arr0", "Arr1", "Arr2"].map(|a| format!("array {a} memory f64 [*, 23]\n")).concat();
    let scop = Scop::parse(&format!("scop {what}\nparams:\n{arrays}stmt Stmt0\n{text}")).expect(what);
    let mut tiled = 0;
    for sizes in [&[4][..], &[5, 4], &[3, 64]] {
        if let Some(tree) = scheduled(&scop, sizes) {
            let made = ast_of(&scop, &tree);
            check_run(&tree, &made, &[]).unwrap_or_else(|e| panic!("{what}: {e}\n{}", print_c(&made, &[])));
            tiled += 1;
        }
    }
    assert_eq!(tiled, 3, "{what}");
}

#[test]
fn a_matrix_of_constant_size_is_filled() {
    constant(
        "fill",
        "  domain: { Stmt0[i, j] : 0 <= i < 23 and 0 <= j < 23 }
  schedule: [0, i, 0, j, 0]
  must_write: { Stmt0[i, j] -> Arr0[i, j] }
",
    );
}

#[test]
fn a_product_of_constant_size() {
    constant(
        "product",
        "  domain: { Stmt0[i, j, k] : 0 <= i < 23 and 0 <= j < 23 and 0 <= k < 23 }
  schedule: [0, i, 0, j, 0, k, 0]
  read: { Stmt0[i, j, k] -> Arr0[i, j] }
  read: { Stmt0[i, j, k] -> Arr1[i, k] }
  read: { Stmt0[i, j, k] -> Arr2[k, j] }
  must_write: { Stmt0[i, j, k] -> Arr0[i, j] }
",
    );
}
