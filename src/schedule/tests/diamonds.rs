//! Diamond tiles of stencils: legal, independent within a wavefront, and all of a wavefront ready from the start.

use super::{dependences, forced, legal, transformed};
use crate::cost::Machine;
use crate::model::tree::flat::{TimeDim, flat_schedule};
use crate::model::tree::print::Yaml;
use crate::model::tree::{Mark, Node};
use crate::model::{Scop, fixtures};
use crate::proof;
use crate::schedule::{Config, Decision, WORTHWHILE_PERCENT, schedule};
use presburger::{Budget, Dim, Set};
use std::collections::BTreeSet;

const STENCILS: [&str; 4] = ["jacobi_1d", "jacobi_2d", "heat_3d", "fdtd_2d"];

fn diamonds(sizes: &[i64]) -> Config {
    Config { diamond_tiling: true, parallel: true, tile_sizes: sizes.to_vec(), ..forced() }
}

/// Values of the first component of the schedule, the number of the wavefront, over all instances.
fn wavefronts(scop: &Scop, tree: &Node, params: &[i64]) -> BTreeSet<i64> {
    let mut values = BTreeSet::new();
    for pieces in flat_schedule(tree).values() {
        for piece in pieces {
            let domain = (0..params.len()).fold(piece.domain.clone(), |d, k| d.fix(Dim::Param, k, params[k]));
            let first = piece.time.iter().find_map(|t| if let TimeDim::Aff(a) = t { Some(a) } else { None });
            let first = first.unwrap_or_else(|| panic!("{}: no loops", scop.name));
            for point in domain.points(200_000).expect("bounded") {
                values.insert(first.eval(params, &point[params.len()..]).expect("small"));
            }
        }
    }
    values
}

/// Time steps, then `size` for every other parameter.
fn sizes(scop: &Scop, steps: i64, size: i64) -> Vec<i64> {
    scop.params.iter().map(|p| if p.name == "T" { steps } else { size }).collect()
}

#[test]
fn all_tiles_of_a_wavefront_are_independent() {
    for name in STENCILS {
        let scop = fixtures::scop(name);
        let deps = dependences(&scop);
        for sizes in [&[][..], &[8], &[4, 4, 3, 5]] {
            let (tree, summary) = transformed(&scop, &diamonds(sizes));
            assert!(summary.steps.iter().any(|s| s.starts_with("tiled in diamonds")), "{name}: {summary:?}");
            legal(&scop, &deps, &tree);
            // All tiles of one wavefront: the second loop; the checker proves that they may run in any order.
            let text = Yaml(&tree).to_string();
            assert!(text.contains("coincident: [ 0, 1"), "{name}\n{text}");
            let verdict = proof::check_coincident(&scop, &deps, &tree, &Budget::unlimited()).expect("unlimited");
            assert!(verdict.is_legal(), "{name}: {verdict:?}");
        }
    }
}

#[test]
fn diamonds_stand_in_diamonds() {
    for name in STENCILS {
        let scop = fixtures::scop(name);
        let deps = dependences(&scop);
        for (outer, inner, levels, inside, around) in [
            (&[12, 12, 9][..], &[4, 4, 5][..], 2, "4x4", " in 12x12"),
            (&[8], &[3], 2, "3x3", " in 8x8"),
            (&[4], &[8], 1, "4x4", ""),
        ] {
            let config = Config { second_level_tile_sizes: inner.to_vec(), ..diamonds(outer) };
            let (tree, summary) = transformed(&scop, &config);
            legal(&scop, &deps, &tree);
            let verdict = proof::check_coincident(&scop, &deps, &tree, &Budget::unlimited()).expect("unlimited");
            assert!(verdict.is_legal(), "{name}: {verdict:?}");
            let text = Yaml(&tree).to_string();
            assert_eq!(text.matches("mark: \"tile(").count(), levels, "{name}\n{text}");
            let said = |s: &String| s.starts_with(&format!("tiled in diamonds {inside}")) && s.contains(around);
            assert!(summary.steps.iter().any(said), "{name}: {summary:?}");
        }
    }
}

#[test]
fn all_tiles_of_a_wavefront_start_at_once() {
    for (name, small, large) in
        [("jacobi_1d", 40, 160), ("jacobi_2d", 12, 36), ("heat_3d", 10, 18), ("fdtd_2d", 12, 36)]
    {
        let scop = fixtures::scop(name);
        let (tree, _) = transformed(&scop, &diamonds(&[4]));
        let count = |tree: &Node, size: i64| wavefronts(&scop, tree, &sizes(&scop, 6, size)).len();
        assert_eq!(count(&tree, small), count(&tree, large), "{name}: as many wavefronts whatever the size");
        let (pipelined, _) = transformed(&scop, &Config { diamond_tiling: false, ..diamonds(&[4]) });
        assert!(count(&pipelined, small) < count(&pipelined, large), "{name}: a pipeline takes longer to fill");
    }
}

#[test]
fn dependences_along_the_face_leave_no_diamond() {
    for name in ["seidel_2d", "lu", "nussinov"] {
        let scop = fixtures::scop(name);
        let (tree, summary) = transformed(&scop, &diamonds(&[4]));
        assert!(!summary.steps.iter().any(|s| s.contains("diamonds")), "{name}: {summary:?}");
        legal(&scop, &dependences(&scop), &tree);
    }
}

#[test]
fn loops_inside_a_diamond_are_not_skewed() {
    for name in STENCILS {
        let scop = fixtures::scop(name);
        let (tree, summary) = transformed(&scop, &diamonds(&[8]));
        let mut points = None;
        crate::model::tree::flat::visit_nodes(&tree, &mut |_, node, _| {
            if let Node::Mark(Mark::PointLoops, below) = node {
                points = Some((**below).clone());
            }
        });
        let points = points.expect("point loops");
        assert!(summary.steps.iter().any(|s| s == "vectorizable"), "{name}: {summary:?}");
        let mut bands = 0;
        skews(&points, &mut bands);
        assert!(bands >= 2, "{name}");
    }
}

/// Counts bands; panics at a member that takes more than one dim.
fn skews(node: &Node, bands: &mut usize) {
    if let Node::Band(band, _) = node {
        *bands += 1;
        for aff in band.members.iter().flat_map(|m| m.affs.values()) {
            let np = aff.space().n_param();
            let dims = &aff.row()[np..aff.row().len() - 1];
            assert!(dims.iter().filter(|c| **c != 0).count() <= 1, "a skewed loop");
        }
    }
    node.children().iter().for_each(|c| skews(c, bands));
}

#[test]
fn large_stencils_gain_by_diamonds() {
    for name in ["jacobi_1d", "jacobi_2d", "heat_3d"] {
        let (_, summary) = transformed(&fixtures::scop(name), &Config::default());
        assert!(summary.gain_percent >= WORTHWHILE_PERCENT, "{name}: {summary:?}");
        assert!(summary.least.iter().any(|size| *size > 24), "small ones stay in the caches: {name}: {summary:?}");
    }
}

/// The usual stencil of two planes, of this size, on this machine.
fn jacobi(size: i64, machine: &Machine) -> Decision {
    let mut scop = fixtures::scop("jacobi_2d");
    let fixed = format!("[T, N] -> {{ : T = 40 and N = {size} }}");
    scop.contexts.assumed = Set::parse(&fixed).expect("a set");
    let deps = dependences(&scop);
    schedule(&scop, &deps, &Config::default(), machine, &Budget::steps(2_000_000)).expect("in budget")
}

/// The quickest cores read a last-level cache nearly as fast as they compute: 600 x 600 ran at 0.86 of its speed.
#[test]
fn stencils_that_a_last_level_cache_holds_keep_their_order() {
    let somewhere = Machine { vector_bits: 256, widest_bits: 256, ..Machine::COMMON };
    let here = Machine { is_known: true, ..somewhere };
    for (size, machine, gains) in [
        (600, &somewhere, false),
        (1300, &somewhere, false),
        (3000, &somewhere, true),
        (600, &here, false),
        (1300, &here, true),
    ] {
        let tree = jacobi(size, machine);
        assert_eq!(tree.tree().is_some(), gains, "{size}, {}: {tree:?}", machine.is_known);
    }
}

#[test]
fn other_kernels_are_not_touched_by_the_option() {
    let config = Config { diamond_tiling: false, ..forced() };
    for name in ["gemm", "mvt", "cholesky", "trisolv"] {
        let scop = fixtures::scop(name);
        let deps = dependences(&scop);
        let text = |config: &Config| match schedule(&scop, &deps, config, &Machine::WIDE, &Budget::steps(2_000_000))
            .expect("in budget")
        {
            Decision::Transformed { tree, .. } => Yaml(&tree).to_string(),
            other => format!("{other:?}"),
        };
        assert_eq!(text(&config), text(&forced()), "{name}");
    }
}
