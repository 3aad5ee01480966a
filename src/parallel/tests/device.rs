//! Loops for a GPU: which they are, and that the prover agrees.

use crate::model::tree::flat::visit_nodes;
use crate::model::tree::{AstOption, Axis, Member, Node};
use crate::model::{ParamPoly, Scop, fixtures};
use crate::options::KernelSizes;
use crate::parallel::device::{Mapped, Sizes, map, time_tiles};
use crate::proof;
use crate::schedule::Config;
use crate::schedule::tests::{dependences, forced, legal, transformed};
use presburger::Budget;

fn mapped(scop: &Scop, threads: &[u32]) -> Option<Mapped> {
    let text: Vec<String> = threads.iter().map(ToString::to_string).collect();
    with_sizes(scop, &text.join(","))
}

fn with_sizes(scop: &Scop, text: &str) -> Option<Mapped> {
    let asked = &text.parse::<KernelSizes>().expect("sizes");
    let deps = dependences(scop);
    let found = map(scop, &deps, &scop.schedule, Sizes { asked, tile: &[], shared_bytes: 0 }, &Budget::unlimited())
        .expect("unlimited")?;
    legal(scop, &deps, &found.tree);
    let verdict = proof::check_coincident(scop, &deps, &found.tree, &Budget::unlimited()).expect("unlimited");
    assert!(verdict.is_legal(), "{}: {verdict:?}", scop.name);
    Some(found)
}

/// The axes of each band, `.` for a loop without one.
fn axes(tree: &Node) -> Vec<String> {
    let mut all = Vec::new();
    visit_nodes(tree, &mut |_, node, _| {
        let Node::Band(band, _) = node else { return };
        let of = |axis: Option<Axis>| axis.map_or_else(|| ".".to_owned(), |axis| axis.to_string());
        all.push(band.members.iter().map(|m| of(m.role.axis())).collect::<Vec<_>>().join(" "));
    });
    all
}

/// Two loops, the inner one along rows.
const PLANE: &str = "block.y block.x thread.y:8 thread.x:32";

#[test]
fn the_loop_along_rows_becomes_x() {
    let scop = fixtures::scop("gemm");
    let found = mapped(&scop, &[]).expect("kernels");
    let first = axes(&found.tree).into_iter().find(|a| a.contains("block")).expect("a kernel");
    assert!(first.contains("block.x") && first.contains("thread.x"), "{first}");
}

#[test]
fn a_loop_over_time_stays_with_the_host() {
    let scop = fixtures::scop("jacobi_2d");
    let found = mapped(&scop, &[]).expect("kernels");
    assert_eq!((found.kernels, found.around), (2, 1));
    assert_eq!(axes(&found.tree), [".", PLANE, PLANE]);
}

#[test]
fn the_user_says_how_many_threads_a_block_has_and_no_block_has_too_many() {
    let scop = fixtures::scop("jacobi_2d");
    let sizes = |threads: &[u32]| axes(&mapped(&scop, threads).expect("kernels").tree)[1].clone();
    assert_eq!(sizes(&[64, 2]), "block.y block.x thread.y:2 thread.x:64");
    assert_eq!(sizes(&[512]), "block.y block.x thread.y:2 thread.x:512");
    assert_eq!(sizes(&[1024]), "block.y block.x thread.y:1 thread.x:1024");
}

#[test]
fn sizes_of_grids_and_tiles_are_of_all_kernels_or_of_one() {
    let scop = fixtures::scop("jacobi_2d");
    let sizes = |text: &str| axes(&with_sizes(&scop, text).expect("kernels").tree)[1..].to_vec();
    assert_eq!(sizes("grid=7"), ["block.y block.x:7 thread.y:8 thread.x:32"; 2]);
    assert_eq!(sizes("1.grid=7,5:1.block=16"), [PLANE, "block.y:5 block.x:7 thread.y:8 thread.x:16"]);
    // Two and three iterations of a thread, one right behind the other in the text.
    let tiled = sizes("0.tile=64,24");
    assert_eq!(tiled[..2], ["block.y block.x", ". . thread.y:8 thread.x:32"]);
    assert_eq!(tiled[2..], [PLANE]);
}

/// A product of matrices with these lengths of rows, columns and sums.
fn product(rows: &str, columns: &str) -> Scop {
    let text = format!(
        "
        scop product
        params: N
        assumed: {{ : N >= 3 }}
        array Arr0 memory f64 [*, 3000]
        array Arr1 memory f64 [*, 3000]
        array Arr2 memory f64 [*, 3000]
        stmt Stmt0
          domain: {{ Stmt0[i, j, k] : 0 <= i < {rows} and 0 <= j < {columns} and 0 <= k < 100 }}
          schedule: [0, i, 0, j, 0, k, 0]
          read: {{ Stmt0[i, j, k] -> Arr0[i, j] }}
          read: {{ Stmt0[i, j, k] -> Arr1[i, k] }}
          read: {{ Stmt0[i, j, k] -> Arr2[k, j] }}
          must_write: {{ Stmt0[i, j, k] -> Arr0[i, j] }}
        "
    );
    Scop::parse(&text).expect("text")
}

#[test]
fn lengths_that_are_numbers_say_how_large_tiles_are() {
    let tile = |rows: &str, columns: &str| {
        let found = mapped(&product(rows, columns), &[]).expect("kernels");
        let mut all = Vec::new();
        visit_nodes(&found.tree, &mut |_, node, _| {
            let Node::Band(band, _) = node else { return };
            let of = |m: &Member| if let AstOption::UnrollJam(n) = m.ast { Some(n) } else { None };
            all.extend(band.members.iter().filter_map(of));
        });
        all
    };
    assert_eq!(tile("N", "N"), [8, 8]);
    assert_eq!(tile("3000", "3000"), [8, 8]);
    assert_eq!(tile("N", "64"), [8, 8]);
    let small = tile("200", "200");
    assert!(small.iter().all(|n| *n < 8), "{small:?}");
}

#[test]
fn a_chain_has_no_kernel() {
    let chain = "
        scop chain
        params: N
        assumed: { : N >= 3 }
        array Arr0 memory f64 [*]
        stmt Stmt0
          domain: { Stmt0[i] : 0 <= i < N }
          schedule: [0, i, 0]
          read: { Stmt0[i] -> Arr0[i] }
          must_write: { Stmt0[i] -> Arr0[i + 1] }
    ";
    let scop = Scop::parse(chain).expect("text");
    assert!(mapped(&scop, &[]).is_none());
}

#[test]
fn threads_have_scalars_for_themselves_unless_values_leave_an_iteration() {
    let sums = |init: &str| {
        let text = format!(
            "
            scop sums
            params: N
            assumed: {{ : N >= 3 }}
            array Arr0 memory f64 [*, N]
            array Arr1 memory f64 [*]
            array Arr2 phi f64 []
            stmt Stmt0
              domain: {{ Stmt0[i] : {init} }}
              schedule: [0, i, 0]
              must_write: {{ Stmt0[i] -> Arr2[] }}
            stmt Stmt1
              domain: {{ Stmt1[i, j] : 0 <= i < N and 0 <= j < N }}
              schedule: [0, i, 1, j, 0]
              read: {{ Stmt1[i, j] -> Arr2[] }}
              read: {{ Stmt1[i, j] -> Arr0[i, j] }}
              must_write: {{ Stmt1[i, j] -> Arr2[] }}
            stmt Stmt2
              domain: {{ Stmt2[i] : 0 <= i < N }}
              schedule: [0, i, 2]
              read: {{ Stmt2[i] -> Arr2[] }}
              must_write: {{ Stmt2[i] -> Arr1[i] }}
            "
        );
        Scop::parse(&text).expect("text")
    };
    let found = mapped(&sums("0 <= i < N"), &[]).expect("each row has a sum of its own");
    assert_eq!((found.kernels, found.around), (1, 0));
    assert!(mapped(&sums("i = 0"), &[]).is_none(), "the sum goes on from row to row");
}

/// `for i for j { Arr0[0] += Arr1[i, j]; Arr2[i, j] = Arr1[i, j] }`, with a text replaced.
fn sum(from: &str, to: &str) -> Scop {
    let text = "
        scop sum
        params: N
        assumed: { : N >= 1 }
        array Arr0 memory i32 [*]
        array Arr1 memory i32 [*, N]
        array Arr2 memory i32 [*, N]
        stmt Stmt0
          domain: { Stmt0[i, j] : 0 <= i < N and 0 <= j < N }
          schedule: [0, i, 0, j, 0]
          read: { Stmt0[i, j] -> Arr1[i, j] }
          read: { Stmt0[i, j] -> Arr0[0] }
          must_write: { Stmt0[i, j] -> Arr0[0] }
          reduction: add Arr0
        stmt Stmt1
          domain: { Stmt1[i, j] : 0 <= i < N and 0 <= j < N }
          schedule: [0, i, 0, j, 1]
          read: { Stmt1[i, j] -> Arr1[i, j] }
          must_write: { Stmt1[i, j] -> Arr2[i, j] }
    ";
    assert!(text.contains(from), "{from}");
    Scop::parse(&text.replace(from, to)).expect("text")
}

/// A tree with kernels where blocks may use so many bytes of shared memory.
fn with_shared_memory(scop: &Scop, shared_bytes: u64) -> Option<Mapped> {
    let deps = dependences(scop);
    let sizes = Sizes { asked: &KernelSizes::default(), tile: &[], shared_bytes };
    let found = map(scop, &deps, &scop.schedule, sizes, &Budget::unlimited()).expect("unlimited")?;
    legal(scop, &deps, &found.tree);
    let verdict = proof::check_coincident(scop, &deps, &found.tree, &Budget::unlimited()).expect("unlimited");
    assert!(verdict.is_legal(), "{}: {verdict:?}", scop.name);
    Some(found)
}

#[test]
fn threads_collect_updates_that_may_change_places() {
    let of_all = 256 * 12;
    let found = with_shared_memory(&sum("", ""), of_all).expect("a kernel");
    assert_eq!((found.kernels, found.around, axes(&found.tree)), (1, 0, vec![PLANE.to_owned()]));
    assert!(with_shared_memory(&sum("", ""), of_all - 1).is_none(), "there is no room");
    let ordered = sum("reduction: add Arr0", "");
    assert!(with_shared_memory(&ordered, of_all).is_none(), "the order counts");
    let read = sum("read: { Stmt1[i, j] -> Arr1[i, j] }", "read: { Stmt1[i, j] -> Arr0[0] }");
    assert!(with_shared_memory(&read, of_all).is_none(), "somebody sees the sum grow");
    let rows = sum(
        "Stmt0[i, j] -> Arr0[0] }\n          must_write: { Stmt0[i, j] -> Arr0[0]",
        "Stmt0[i, j] -> Arr0[i] }\n          must_write: { Stmt0[i, j] -> Arr0[i]",
    );
    let found = with_shared_memory(&rows, of_all).expect("each row has a sum of its own");
    assert!(axes(&found.tree)[0].starts_with("block.x thread.x:256"), "{:?}", axes(&found.tree));
}

#[test]
fn all_kernels_of_all_fixtures_are_proved() {
    for (name, _) in fixtures::ALL.iter().filter(|(name, _)| !["adi", "deriche", "nussinov"].contains(name)) {
        mapped(&fixtures::scop(name), &[]);
    }
}

/// The bands of a tree with kernels whose threads have tiles of elements in registers, if some have.
fn jammed(tree: &Node) -> Vec<Vec<u32>> {
    let mut all = Vec::new();
    visit_nodes(tree, &mut |_, node, _| {
        let Node::Band(band, _) = node else { return };
        let of = |m: &Member| if let AstOption::UnrollJam(n) = m.ast { Some(n) } else { None };
        let own: Vec<u32> = band.members.iter().filter_map(of).collect();
        if !own.is_empty() {
            all.push(own);
        }
    });
    all
}

#[test]
fn products_have_tiles_in_registers() {
    let constant = fixtures::scop("seed_matmul");
    let mut by_values = constant.clone();
    by_values.arrays[0].strides[0] = ParamPoly(vec![(8, vec![0])]);
    let tile = |scop: &Scop, tile: &[u32]| {
        let deps = dependences(scop);
        let sizes = Sizes { asked: &KernelSizes::default(), tile, shared_bytes: 0 };
        let found = map(scop, &deps, &scop.schedule, sizes, &Budget::unlimited()).expect("unlimited").expect("kernels");
        legal(scop, &deps, &found.tree);
        assert_eq!((found.kernels, found.serial, found.untiled), (1, 1, 0));
        jammed(&found.tree)
    };
    assert_eq!(tile(&constant, &[]), [[8, 8]]);
    assert_eq!(tile(&by_values, &[]), [[8, 8]], "one loop is inside: addresses of rows take no registers");
    assert_eq!(tile(&constant, &[2, 3]), [[2, 3]]);
    assert_eq!(tile(&constant, &[1, 1]), Vec::<Vec<u32>>::new());
}

#[test]
fn what_moves_with_all_loops_has_no_tiles() {
    let found = mapped(&fixtures::scop("jacobi_2d"), &[]).expect("kernels");
    assert_eq!((jammed(&found.tree), found.untiled), (Vec::<Vec<u32>>::new(), 0));
}

#[test]
fn loops_one_after_the_other_are_not_jammed_and_counted() {
    let found = mapped(&fixtures::scop("2mm"), &[]).expect("kernels");
    assert_eq!((jammed(&found.tree), found.untiled), (Vec::<Vec<u32>>::new(), 2));
}

/// A stencil in hexagons of these sizes, with kernels if it has any.
fn in_time(name: &str, sizes: &[i64]) -> (Node, Option<Mapped>) {
    let scop = fixtures::scop(name);
    let deps = dependences(&scop);
    let config = Config { tiling: false, diamond_tiling: false, hexagons: Some(sizes.to_vec()), ..forced() };
    let (tree, _) = transformed(&scop, &config);
    let none = Sizes { asked: &KernelSizes::default(), tile: &[], shared_bytes: 0 };
    let found = map(&scop, &deps, &tree, none, &Budget::unlimited()).expect("unlimited");
    if let Some(found) = &found {
        legal(&scop, &deps, &found.tree);
        let verdict = proof::check_coincident(&scop, &deps, &found.tree, &Budget::unlimited()).expect("unlimited");
        assert!(verdict.is_legal(), "{name}: {verdict:?}");
    }
    (tree, found)
}

#[test]
fn a_block_has_a_hexagon() {
    for sizes in [[3, 4], [1, 0], [2, 7]] {
        let (tree, found) = in_time("jacobi_1d", &sizes);
        assert!(time_tiles::are_in(&tree));
        let found = found.expect("kernels");
        assert_eq!((found.kernels, found.around), (1, 1));
        assert_eq!(axes(&found.tree)[0], ". block.x .");
    }
    for name in ["jacobi_2d", "fdtd_2d"] {
        let (_, found) = in_time(name, &[2, 3, 5]);
        assert_eq!(axes(&found.expect("kernels").tree)[0], ". block.x . .", "{name}");
    }
}

#[test]
fn loops_that_all_carry_something_have_no_hexagons() {
    let (tree, _) = in_time("seidel_2d", &[2, 3, 5]);
    assert!(!time_tiles::are_in(&tree));
}
