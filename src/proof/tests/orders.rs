//! Worked examples of orders: skewing, tiling, reversal, interchange, fusion, jams; legal ones and such that are not.

use crate::deps::tests::seeds::{budget, deps_of, tree_of};
use crate::deps::{DepKind, vectors};
use crate::model::fixtures;
use crate::proof::{self, Reason, Verdict};
use presburger::Budget;

fn verdict(name: &str, below: &str) -> Verdict {
    let scop = fixtures::scop(name);
    let tree = tree_of(&scop, below);
    proof::check(&scop, &deps_of(&scop), &tree, &budget()).expect("within budget")
}

const SKEWED: &str = "schedule: \"[N, M] -> [{ Stmt0[i, j] -> [(i)] }, { Stmt0[i, j] -> [(i + j)] }]\"";
const IDENTITY: &str = "schedule: \"[N, M] -> [{ Stmt0[i, j] -> [(i)] }, { Stmt0[i, j] -> [(j)] }]\"";
const INTERCHANGED: &str = "schedule: \"[N, M] -> [{ Stmt0[i, j] -> [(j)] }, { Stmt0[i, j] -> [(i)] }]\"";
const TILED: &str = r#"
schedule: "[N, M] -> [{ Stmt0[i, j] -> [(floor((i)/2))] }, { Stmt0[i, j] -> [(floor((j)/2))] }]"
child:
  schedule: "[N, M] -> [{ Stmt0[i, j] -> [(i)] }, { Stmt0[i, j] -> [(j)] }]"
"#;
const SKEWED_TILED: &str = r#"
schedule: "[N, M] -> [{ Stmt0[i, j] -> [(floor((i)/32))] }, { Stmt0[i, j] -> [(floor((i + j)/32))] }]"
child:
  schedule: "[N, M] -> [{ Stmt0[i, j] -> [(i)] }, { Stmt0[i, j] -> [(i + j)] }]"
"#;

#[test]
fn skewing_turns_distance_1_1_into_1_2() {
    let mut scop = fixtures::scop("diagonal");
    let deps = deps_of(&scop);
    let kinds: Vec<DepKind> = deps.validity.iter().map(|d| d.kind).collect();
    assert_eq!(kinds, [DepKind::Raw]);
    let before = vectors::vectors(&scop, &deps.validity[0], &budget()).expect("within budget");
    assert_eq!(before[0].to_string(), "direction (<, <), distance (1, 1)");
    scop.schedule = tree_of(&scop, SKEWED);
    let after = vectors::vectors(&scop, &deps.validity[0], &budget()).expect("within budget");
    assert_eq!(after[0].to_string(), "direction (<, <), distance (1, 2)");
    for tree in [SKEWED, IDENTITY, INTERCHANGED, TILED, SKEWED_TILED] {
        assert!(verdict("diagonal", tree).is_legal(), "{tree}");
    }
}

#[test]
fn a_dependence_1_minus_1_forbids_interchange_and_tiling_until_skewed() {
    for tree in [SKEWED, IDENTITY, SKEWED_TILED] {
        assert!(verdict("antidiagonal", tree).is_legal(), "{tree}");
    }
    for tree in [INTERCHANGED, TILED] {
        let Verdict::Illegal(violation) = verdict("antidiagonal", tree) else { panic!("legal: {tree}") };
        assert!(matches!(violation.reason, Reason::Dependence(DepKind::Raw, 0)), "{violation}");
        let dst = violation.dst.clone().expect("two instances").1;
        assert_eq!([dst[0] - violation.src.1[0], dst[1] - violation.src.1[1]], [1, -1], "{violation}");
        assert!(violation.to_string().contains("RAW dependence"), "{violation}");
    }
}

#[test]
fn a_reversed_loop_breaks_its_dependence() {
    let reversed = "schedule: \"[P2, P1, P0] -> [{ Stmt0[i, j, k] -> [(-i)] }, { Stmt0[i, j, k] -> [(j)] }, { Stmt0[i, j, k] -> [(k)] }]\"";
    assert!(verdict("seed_matmul", reversed).is_legal());
    let reversed = reversed.replace("(-i)", "(i)").replace("(k)", "(-k)");
    assert!(!verdict("seed_matmul", &reversed).is_legal());
}

#[test]
fn matrix_product_may_be_tiled_in_any_order() {
    let tile = |a: &str, b: &str, c: &str| {
        let member = |e: String| format!("{{ Stmt0[i, j, k] -> [({e})] }}");
        let tiles: Vec<String> = [a, b, c].iter().map(|d| member(format!("floor(({d})/32)"))).collect();
        let points: Vec<String> = [a, b, c].iter().map(|d| member((*d).to_owned())).collect();
        let band = |m: &[String]| format!("schedule: \"[P2, P1, P0] -> [{}]\"", m.join(", "));
        format!("{}\nchild:\n  {}\n", band(&tiles), band(&points))
    };
    for (a, b, c) in [("i", "j", "k"), ("k", "i", "j"), ("j", "k", "i")] {
        assert!(verdict("seed_matmul", &tile(a, b, c)).is_legal());
    }
}

fn jacobi(tiles: [&str; 2], points: [&str; 2], shift: &str) -> String {
    let member = |e: &str| {
        let second = e.replace('i', &format!("(i + {shift})"));
        format!("{{ Stmt0[t, i] -> [({e})]; Stmt1[t, i] -> [({second})] }}")
    };
    let band = |m: [&str; 2]| format!("schedule: \"[T, N] -> [{}, {}]\"", member(m[0]), member(m[1]));
    format!(
        "{}\nchild:\n  {}\n  child:\n    sequence:\n    - filter: \"[T, N] -> {{ Stmt0[t, i] }}\"\n    - filter: \"[T, N] -> {{ Stmt1[t, i] }}\"\n",
        band(tiles),
        band(points)
    )
}

#[test]
fn jacobi_tiles_only_when_skewed() {
    let plain = jacobi(["floor((t)/4)", "floor((i)/4)"], ["t", "i"], "1");
    let Verdict::Illegal(violation) = verdict("jacobi_1d", &plain) else { panic!("legal") };
    assert!(matches!(violation.reason, Reason::Dependence(..)), "{violation}");
    let skewed = jacobi(["floor((t)/4)", "floor((2t + i)/4)"], ["t", "2t + i"], "1");
    assert_eq!(verdict("jacobi_1d", &skewed), Verdict::Legal);
    let unshifted = jacobi(["floor((t)/4)", "floor((2t + i)/4)"], ["t", "2t + i"], "0");
    assert!(!verdict("jacobi_1d", &unshifted).is_legal());
}

/// Tiles along `2t + i` and `2t - i`, those on one front at once.
fn diamonds(shift: &str) -> String {
    let member =
        |e: &str| format!("{{ Stmt0[t, i] -> [{e}]; Stmt1[t, i] -> [{}] }}", e.replace("2t", &format!("2t + {shift}")));
    let (up, down) = ("floor((2t + i)/4)", "floor((2t - i)/4)");
    let tiles = [format!("({up} + {down})"), format!("({down})")].map(|e| member(&e)).join(", ");
    format!(
        "schedule: \"[T, N] -> [{tiles}]\"\ncoincident: [ 0, 1 ]\nchild:\n  schedule: \"[T, N] -> [{{ Stmt0[t, i] -> [(t)]; Stmt1[t, i] -> [(t)] }}]\"\n  child:\n    sequence:\n    - filter: \"[T, N] -> {{ Stmt0[t, i] }}\"\n      child:\n        schedule: \"[T, N] -> [{{ Stmt0[t, i] -> [(i)] }}]\"\n    - filter: \"[T, N] -> {{ Stmt1[t, i] }}\"\n      child:\n        schedule: \"[T, N] -> [{{ Stmt1[t, i] -> [(i)] }}]\"\n"
    )
}

#[test]
fn diamonds_are_proved_by_their_distances_alone() {
    let scop = fixtures::scop("jacobi_1d");
    let deps = deps_of(&scop);
    let tree = tree_of(&scop, &diamonds("1"));
    let budget = Budget::steps(1);
    assert_eq!(proof::check(&scop, &deps, &tree, &budget).expect("no solver"), Verdict::Legal);
    assert_eq!(proof::check_coincident(&scop, &deps, &tree, &budget).expect("no solver"), Verdict::Legal);
    assert!(!verdict("jacobi_1d", &diamonds("0")).is_legal());
    let fronts = tree_of(&scop, &diamonds("1").replace("[ 0, 1 ]", "[ 1, 0 ]"));
    assert!(!proof::check_coincident(&scop, &deps, &fronts, &self::budget()).expect("within budget").is_legal());
}

#[test]
fn fusion_must_not_read_too_early() {
    let fused = |shift: &str| {
        let tree = "schedule: \"[N] -> [{ Stmt0[i] -> [(i)]; Stmt1[i] -> [(i + SHIFT)] }]\"\nchild:\n  sequence:\n  - filter: \"[N] -> { Stmt0[i] }\"\n  - filter: \"[N] -> { Stmt1[i] }\"\n";
        verdict("produce_consume", &tree.replace("SHIFT", shift))
    };
    assert!(fused("1").is_legal());
    assert!(fused("2").is_legal());
    let Verdict::Illegal(violation) = fused("0") else { panic!("legal") };
    assert_eq!(violation.reason, Reason::Dependence(DepKind::Raw, 0));
    assert_eq!(violation.dst.as_ref().map(|d| d.1[0] + 1), Some(violation.src.1[0]), "{violation}");
}

#[test]
fn set_children_have_no_order() {
    let tree = |kind: &str| {
        format!(
            "{kind}:\n- filter: \"[N] -> {{ Stmt0[i] }}\"\n  child:\n    schedule: \"[N] -> [{{ Stmt0[i] -> [(i)] }}]\"\n- filter: \"[N] -> {{ Stmt1[i] }}\"\n  child:\n    schedule: \"[N] -> [{{ Stmt1[i] -> [(i)] }}]\"\n"
        )
    };
    assert!(verdict("produce_consume", &tree("sequence")).is_legal());
    assert!(!verdict("produce_consume", &tree("set")).is_legal());
    let independent = r#"
set:
- filter: "[N] -> { Stmt0[i, j] }"
  child:
    schedule: "[N] -> [{ Stmt0[i, j] -> [(i)] }, { Stmt0[i, j] -> [(j)] }]"
- filter: "[N] -> { Stmt1[i, j] }"
  child:
    schedule: "[N] -> [{ Stmt1[i, j] -> [(j)] }, { Stmt1[i, j] -> [(i)] }]"
"#;
    assert!(verdict("mvt", independent).is_legal());
}

#[test]
fn every_instance_must_run_once() {
    let split = |first: &str, second: &str| {
        let child = "\n  child:\n    schedule: \"[N, M] -> [{ Stmt0[i, j] -> [(i)] }, { Stmt0[i, j] -> [(j)] }]\"";
        let tree = format!(
            "sequence:\n- filter: \"[N, M] -> {{ Stmt0[i, j] : {first} }}\"{child}\n- filter: \"[N, M] -> {{ Stmt0[i, j] : {second} }}\"{child}\n"
        );
        verdict("diagonal", &tree)
    };
    let reason = |v: Verdict| if let Verdict::Illegal(v) = v { Some(v.reason) } else { None };
    assert_eq!(reason(split("i < 5", "i >= 5")), None);
    assert_eq!(reason(split("i <= 5", "i >= 5")), Some(Reason::Twice));
    assert_eq!(reason(split("i < 5", "i > 5")), Some(Reason::Missing));
    assert!(matches!(reason(split("i >= 5", "i < 5")), Some(Reason::Dependence(..))));
    assert_eq!(reason(split("i mod 2 = 0", "i mod 2 = 1")).map(|r| matches!(r, Reason::Dependence(..))), Some(true));
    let flat = "schedule: \"[N, M] -> [{ Stmt0[i, j] -> [(i + j)] }]\"";
    assert_eq!(reason(verdict("diagonal", flat)), Some(Reason::SameTime));
    let some = "filter: \"[N, M] -> { Stmt0[i, j] : j >= 1 }\"\nchild:\n  schedule: \"[N, M] -> [{ Stmt0[i, j] -> [(i)] }, { Stmt0[i, j] -> [(j)] }]\"";
    assert_eq!(reason(verdict("diagonal", some)), Some(Reason::Missing));
}

#[test]
fn a_band_needs_a_value_for_each_statement() {
    let tree = "schedule: \"[N] -> [{ Stmt0[i] -> [(i)] }]\"\nchild:\n  sequence:\n  - filter: \"[N] -> { Stmt0[i] }\"\n  - filter: \"[N] -> { Stmt1[i] }\"\n";
    let Verdict::Illegal(violation) = verdict("produce_consume", tree) else { panic!("legal") };
    assert_eq!(violation.reason, Reason::NoValue);
}

#[test]
fn flags_and_roles_are_checked() {
    let scop = fixtures::scop("seed_matmul");
    let deps = deps_of(&scop);
    let band = |flags: &str| {
        let text = format!(
            "schedule: \"[P2, P1, P0] -> [{{ Stmt0[i, j, k] -> [(i)] }}, {{ Stmt0[i, j, k] -> [(j)] }}, {{ Stmt0[i, j, k] -> [(k)] }}]\"\ncoincident: [ {flags} ]\n"
        );
        proof::check_coincident(&scop, &deps, &tree_of(&scop, &text), &budget()).expect("within budget")
    };
    assert_eq!(band("1, 1, 0"), Verdict::Legal);
    let Verdict::Illegal(violation) = band("1, 1, 1") else { panic!("k is parallel") };
    assert_eq!(violation.reason, Reason::Carried(DepKind::Raw, 0));
    let marked = |first: &str| {
        let text = format!(
            "schedule: \"[P2, P1, P0] -> [{{ Stmt0[i, j, k] -> [({first})] }}]\"\nroles: \"{{ threads[0] }}\"\n"
        );
        proof::check_coincident(&scop, &deps, &tree_of(&scop, &text), &budget()).expect("within budget").is_legal()
    };
    assert!(marked("i") && marked("floor((j)/32)") && !marked("k") && !marked("floor((k)/32)"));
}

#[test]
fn unroll_and_jam_needs_its_own_proof() {
    let jammed = |name: &str, more: &str| {
        let scop = fixtures::scop(name);
        let tree = tree_of(&scop, &format!("{IDENTITY}\noptions: \"{{ unroll_jam[0, 4] }}\"\n{more}"));
        let deps = deps_of(&scop);
        let order = proof::check(&scop, &deps, &tree, &budget()).expect("within budget").is_legal();
        (order, proof::check_coincident(&scop, &deps, &tree, &budget()).expect("within budget").is_legal())
    };
    assert_eq!(jammed("diagonal", ""), (true, true));
    assert_eq!(jammed("antidiagonal", ""), (false, true));
    assert_eq!(jammed("diagonal", "coincident: [ 0, 1 ]\n"), (true, false));
    let plain = IDENTITY.to_owned() + "\ncoincident: [ 0, 1 ]";
    let scop = fixtures::scop("diagonal");
    let unjammed = proof::check_coincident(&scop, &deps_of(&scop), &tree_of(&scop, &plain), &budget());
    assert!(unjammed.expect("within budget").is_legal());
    let body = |order: [&str; 2]| {
        let filter = |s: &str| format!("  - filter: \"[N] -> {{ {s}[i] }}\"\n");
        format!(
            "schedule: \"[N] -> [{{ Stmt0[i] -> [(i)]; Stmt1[i] -> [(i + 1)] }}]\"\noptions: \"{{ unroll_jam[0, 2] }}\"\nchild:\n  sequence:\n{}{}",
            filter(order[0]),
            filter(order[1])
        )
    };
    assert!(verdict("produce_consume", &body(["Stmt0", "Stmt1"])).is_legal());
}

#[test]
fn loops_over_one_statement_are_checked_alone() {
    let scop = fixtures::scop("produce_consume");
    let deps = deps_of(&scop);
    let fused = |flags: &str| {
        let text = format!(
            "schedule: \"[N] -> [{{ Stmt0[i] -> [(i)]; Stmt1[i] -> [(i + 1)] }}]\"\n{flags}\nchild:\n  sequence:\n  - filter: \"[N] -> {{ Stmt0[i] }}\"\n  - filter: \"[N] -> {{ Stmt1[i] }}\"\n"
        );
        proof::check_coincident(&scop, &deps, &tree_of(&scop, &text), &budget()).expect("within budget").is_legal()
    };
    assert!(fused("alone: \"{ Stmt0[0]; Stmt1[0] }\""));
    assert!(!fused("coincident: [ 1 ]"));
    let scop = fixtures::scop("gemm");
    let text =
        "schedule: \"[N, M, K] -> [{ Stmt0[i, j] -> [(i)]; Stmt1[i, k, j] -> [(i)] }]\"\nalone: \"{ Stmt1[0] }\"\n";
    let deps = deps_of(&scop);
    assert!(proof::check_coincident(&scop, &deps, &tree_of(&scop, text), &budget()).expect("within budget").is_legal());
    let text = text.replace("j] -> [(i)] }]", "j] -> [(k)] }]");
    assert!(
        !proof::check_coincident(&scop, &deps, &tree_of(&scop, &text), &budget()).expect("within budget").is_legal()
    );
}
