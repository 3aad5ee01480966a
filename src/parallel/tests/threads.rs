//! Loops for threads: where they are, and that what one of them runs at a time is independent.

use crate::cost::Estimate;
use crate::cost::Machine;
use crate::cost::parts::Parts;
use crate::ids::{ArrayId, StmtId};
use crate::model::tree::flat::{TimeDim, visit_nodes};
use crate::model::tree::{Node, Role, ThreadCopies, ops};
use crate::model::{Scop, fixtures};
use crate::parallel::Copyable;
use crate::parallel::choose::settled;
use crate::parallel::roles::mark;
use crate::proof;
use crate::schedule::tests::{dependences, forced, legal, nodes};
use crate::schedule::{Config, Decision, Solving, Summary, schedule};
use presburger::Budget;
use std::collections::BTreeSet;

fn decision(scop: &Scop, config: &Config) -> Decision {
    let deps = dependences(scop);
    let scheduled = schedule(scop, &deps, config, &Machine::WIDE, &Budget::steps(2_000_000))
        .unwrap_or_else(|e| panic!("{}: {e}", scop.name));
    settled(scop, &deps, scheduled, (config, Machine::WIDE.cores), &Budget::steps(2_000_000)).expect("within budget")
}

fn transformed(scop: &Scop, config: &Config) -> (Node, Summary) {
    match decision(scop, config) {
        Decision::Transformed { tree, summary } => {
            legal(scop, &dependences(scop), &tree);
            (tree, summary)
        }
        other => panic!("{}: kept, {other:?}", scop.name),
    }
}

fn threads() -> Config {
    Config { parallel: true, ..forced() }
}

/// The roles for threads, each with the number of loops around its loop.
fn roles(tree: &Node) -> Vec<(ThreadCopies, usize)> {
    let mut found = Vec::new();
    visit_nodes(tree, &mut |_, node, pieces| {
        let (Node::Band(band, _), Some((_, piece))) = (node, pieces.first()) else { return };
        let around = piece.time.iter().filter(|d| matches!(d, TimeDim::Aff(_))).count();
        for (k, member) in band.members.iter().enumerate() {
            found.extend(member.role.threads().map(|copies| (copies.clone(), around + k)));
        }
    });
    found
}

/// The numbers of loops around those that threads run.
fn depths(tree: &Node) -> Vec<usize> {
    roles(tree).into_iter().map(|(_, around)| around).collect()
}

fn proved(scop: &Scop, tree: &Node) {
    let deps = dependences(scop);
    legal(scop, &deps, tree);
    let verdict = proof::check_coincident(scop, &deps, tree, &Budget::unlimited()).expect("unlimited");
    assert!(verdict.is_legal(), "{}: {verdict:?}", scop.name);
}

#[test]
fn outermost_loops_are_shared_where_nothing_is_carried() {
    for name in ["gemm", "2mm", "syrk", "mvt", "atax"] {
        let scop = fixtures::scop(name);
        let (tree, _) = transformed(&scop, &threads());
        let depths = depths(&tree);
        assert!(!depths.is_empty() && depths.iter().all(|d| *d == 0), "{name}: {depths:?}");
        proved(&scop, &tree);
    }
}

#[test]
fn tiles_of_pipelined_bands_run_in_wavefronts() {
    for (name, sizes) in [
        ("seidel_2d", vec![4]),
        ("lu", vec![8, 4]),
        ("jacobi_1d", vec![16]),
        ("nussinov", vec![4]),
        ("fdtd_2d", vec![4]),
    ] {
        let scop = fixtures::scop(name);
        let (tree, summary) = transformed(&scop, &Config { tile_sizes: sizes, diamond_tiling: false, ..threads() });
        assert!(summary.steps.contains(&"wavefront".to_owned()), "{name}: {summary:?}");
        assert!(depths(&tree).contains(&1), "{name}: {:?}", depths(&tree));
        proved(&scop, &tree);
    }
}

#[test]
fn strips_behind_a_panel_are_shared_as_a_whole() {
    let scop = fixtures::scop("gramschmidt");
    let (tree, summary) = transformed(&scop, &Config { parallel: true, ..Config::default() });
    assert!(summary.steps.contains(&"in panels of 32".to_owned()), "{summary:?}");
    // The panel itself shares loops further in.
    assert_eq!(depths(&tree).last(), Some(&1), "{:?}", depths(&tree));
    proved(&scop, &tree);
}

#[test]
fn a_shared_loop_inside_of_another_is_cut_so_that_threads_start_outside_of_both() {
    let scop = fixtures::scop("atax");
    let (tree, summary) = transformed(&scop, &Config { parallel: true, ..Config::default() });
    assert!(summary.steps.contains(&"tiled 128".to_owned()), "{summary:?}");
    assert_eq!(depths(&tree), [0, 0, 0, 0]);
    proved(&scop, &tree);
}

#[test]
fn without_threads_nothing_is_marked() {
    for (name, _) in fixtures::ALL {
        let scop = fixtures::scop(name);
        if let Decision::Transformed { tree, .. } = decision(&scop, &forced()) {
            assert!(depths(&tree).is_empty(), "{name}");
        }
    }
}

#[test]
fn a_shared_loop_is_a_reason_for_new_code() {
    let unforced = Config { parallel: true, ..Config::default() };
    for name in ["bicg", "jacobi_2d"] {
        let scop = fixtures::scop(name);
        let alone = Config { diamond_tiling: false, ..Config::default() };
        assert!(matches!(decision(&scop, &alone), Decision::Keep { .. }), "{name}");
        let (tree, summary) = transformed(&scop, &unforced);
        assert!(!depths(&tree).is_empty(), "{name}: {summary:?}");
        proved(&scop, &tree);
    }
}

#[test]
fn two_cores_share_work_but_not_the_way_to_memory() {
    let costs = |memory, shared| {
        Estimate { cycles: 100.0, parts: Parts { lines: [0.0, 0.0, memory], ..Parts::default() } }.on_cores(2, shared)
    };
    assert_eq!([costs(10.0, 0.0), costs(10.0, 0.5), costs(10.0, 1.0)], [100.0, 75.0, 50.0]);
    assert_eq!([costs(80.0, 0.0), costs(80.0, 0.5), costs(80.0, 1.0)], [100.0, 80.0, 80.0]);
}

#[test]
fn differences_of_loops_are_free_of_dependences_along_the_diagonal() {
    let scop = fixtures::scop("diagonal");
    let outermost = |negative: bool| {
        let solving = Solving { negative, relaxed: false };
        let (tree, _) = transformed(&scop, &Config { solving, parallel: true, tiling: false, ..forced() });
        let mut all = Vec::new();
        nodes(&tree, &mut all);
        let first = all.iter().find_map(|n| if let Node::Band(band, _) = n { band.members.first() } else { None });
        first.expect("a loop").coincident
    };
    assert!(!outermost(false) && outermost(true));
}

/// `for i { for j { Arr0[element] += Arr1[i, j] } }`.
fn updates(element: &str) -> Scop {
    let text = format!(
        "
        scop updates
        params: N
        assumed: {{ : N >= 1 }}
        array Arr0 memory i32 [*]
        array Arr1 memory i32 [*, 100]
        stmt Stmt0
          domain: {{ Stmt0[i, j] : 0 <= i < N and 0 <= j < 100 }}
          schedule: [0, i, 0, j, 0]
          read: {{ Stmt0[i, j] -> Arr1[i, j] }}
          read: {{ Stmt0[i, j] -> Arr0[{element}] }}
          must_write: {{ Stmt0[i, j] -> Arr0[{element}] }}
          reduction: add Arr0
        "
    );
    Scop::parse(&text).expect("text")
}

/// What is collected and privatized in each loop that threads run, with the number of loops around it.
fn marks_of(scop: &Scop) -> Vec<(String, usize)> {
    marks_with(scop, None)
}

/// The same with room for copies of whole arrays.
fn marks_with(scop: &Scop, copyable: Option<Copyable<'_>>) -> Vec<(String, usize)> {
    let deps = dependences(scop);
    let marked =
        mark(scop, &deps, &scop.schedule, (copyable, &BTreeSet::new()), &Budget::unlimited()).expect("unlimited");
    let found = roles(&marked.tree);
    assert_eq!(found.len(), marked.loops);
    proved(scop, &marked.tree);
    found.into_iter().map(|(copies, around)| (copies.clauses().trim().to_owned(), around)).collect()
}

#[test]
fn loops_that_update_one_element_are_shared_from_outside() {
    assert_eq!(marks_of(&updates("0")), [("reduction(add: Arr0)".to_owned(), 0)]);
    assert_eq!(marks_of(&updates("i")), [(String::new(), 0)]);
    assert_eq!(marks_of(&updates("j")), [(String::new(), 1)]);
    assert_eq!(marks_of(&updates("i + j")), [(String::new(), 1)]);
}

#[test]
fn loops_that_update_many_elements_are_shared_from_outside_and_from_inside() {
    let copyable = |fits: &'static dyn Fn(ArrayId, &BTreeSet<StmtId>) -> bool| {
        Some(Copyable { private: &|_| None, reducible: fits })
    };
    let whole = [("reduction(add: Arr0[:])".to_owned(), 0), (String::new(), 1)];
    for element in ["j", "i + j"] {
        assert_eq!(marks_with(&updates(element), copyable(&|a, _| a == ArrayId(0))), whole, "{element}");
        assert_eq!(marks_with(&updates(element), copyable(&|_, _| false)), whole[1..], "{element}");
    }
    assert_eq!(marks_with(&updates("0"), copyable(&|_, _| true)), [("reduction(add: Arr0)".to_owned(), 0)]);
    assert_eq!(marks_with(&updates("i"), copyable(&|_, _| true)), [(String::new(), 0)]);
}

#[test]
fn no_loop_is_called_parallel_because_its_updates_may_change_places() {
    for element in ["0", "i", "j", "i + j", "floor(i/2)"] {
        let scop = updates(element);
        for parallel in [false, true] {
            let (tree, _) = transformed(&scop, &Config { parallel, ..forced() });
            proved(&scop, &tree);
        }
    }
}

/// The tree with each role in turn replaced.
fn with_one_role(tree: &Node, role: &dyn Fn(&ThreadCopies) -> Option<Role>) -> Vec<Node> {
    let mut places = Vec::new();
    visit_nodes(tree, &mut |path, node, _| {
        if let Node::Band(band, _) = node {
            let roles = band.members.iter().enumerate();
            places.extend(roles.filter_map(|(k, m)| Some((path.to_vec(), k, role(m.role.threads()?)?))));
        }
    });
    let changed = |(path, k, role): &(Vec<usize>, usize, Role)| {
        let change = |node: Node| match node {
            Node::Band(mut band, child) => {
                band.members[*k].role = role.clone();
                Ok(Node::Band(band, child))
            }
            other => Ok(other),
        };
        ops::at(tree.clone(), path, &change).expect("a band")
    };
    places.iter().map(changed).collect()
}

/// Behind the proof, roles are dropped of loops that turn out to do too little for threads: no proof needs another
/// loop's role.
#[test]
fn without_one_of_its_roles_an_order_is_still_proved_and_without_a_copy_it_is_refused() {
    let (mut dropped, mut refused) = (0, 0);
    for (name, _) in fixtures::ALL {
        let scop = fixtures::scop(name);
        let deps = dependences(&scop);
        let copyable = Copyable { private: &|_| Some(8), reducible: &|_, _| true };
        let budget = Budget::unlimited();
        let marked =
            mark(&scop, &deps, &scop.schedule, (Some(copyable), &BTreeSet::new()), &budget).expect("unlimited");
        let not_live_out = (0..scop.arrays.len()).map(ArrayId::new).collect();
        let prove =
            |tree: &Node| proof::prove(&scop, &deps, tree, &not_live_out, &budget).expect("unlimited").is_legal();
        assert!(prove(&marked.tree), "{name}");
        for tree in with_one_role(&marked.tree, &|_| Some(Role::Serial)) {
            assert!(prove(&tree), "{name}: {tree:#?}");
            dropped += 1;
        }
        let bare = |copies: &ThreadCopies| (!copies.is_empty()).then(|| Role::Threads(ThreadCopies::default()));
        for tree in with_one_role(&marked.tree, &bare) {
            assert!(!prove(&tree), "{name}: {tree:#?}");
            refused += 1;
        }
    }
    assert!(dropped > 30 && refused > 1, "{dropped} roles dropped, {refused} copies");
}
