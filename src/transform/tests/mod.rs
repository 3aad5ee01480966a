//! Scripts: what they say, what they do to loops, and what is refused, with its place or its instances.

use super::script::names::InSource;
use super::script::parse::{At, ScriptError, parse};
use super::script::{apply, section};
use crate::deps::tests::seeds::{budget, deps_of};
use crate::ids::StmtId;
use crate::model::tree::Node;
use crate::model::tree::print::Yaml;
use crate::model::{Scop, fixtures};
use crate::proof::{self, Verdict};
use std::collections::BTreeMap;

/// The tree that a script makes of a region called `f:0`.
fn made(scop: &Scop, script: &str) -> Result<Node, ScriptError> {
    let sections = parse(&format!("region f\n{script}\n"))?;
    apply(scop, section(&sections, "f:0").expect("a section"), &BTreeMap::new())
}

/// Schedules and roles of the bands, outermost first; `Err`: what the prover says, or what is wrong with the script.
fn bands(scop: &Scop, script: &str) -> Result<Vec<String>, String> {
    let tree = made(scop, script).map_err(|e| e.to_string())?;
    match proof::prove(scop, &deps_of(scop), &tree, &Default::default(), &budget()).expect("within budget") {
        Verdict::Illegal(violation) => Err(violation.to_string()),
        Verdict::Legal => {
            let text = Yaml(&tree).to_string();
            let shown = |line: &&str| ["schedule:", "roles:", "options:"].iter().any(|key| line.contains(key));
            Ok(text.lines().filter(shown).map(|line| line.trim_start_matches(['-', ' ']).to_owned()).collect())
        }
    }
}

fn error(scop: &Scop, script: &str) -> String {
    bands(scop, script).expect_err("refused")
}

/// `for i { for j Arr0[i, j] = Arr0[i - 1, j + back] }`.
fn stencil(back: &str) -> Scop {
    let text = format!(
        "
        scop f:0
        params: N
        assumed: {{ : N >= 3 }}
        array Arr0 memory f64 [*, 100]
        stmt Stmt0
          domain: {{ Stmt0[i, j] : 0 <= i < N and 1 <= j < 99 }}
          schedule: [0, i, 0, j, 0]
          read: {{ Stmt0[i, j] -> Arr0[i - 1, j{back}] }}
          must_write: {{ Stmt0[i, j] -> Arr0[i, j] }}
        "
    );
    Scop::parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// `for i { Arr1[i] = Arr0[i]; Arr2[i] = Arr1[at] }`, in one loop or in two.
fn pair(at: &str, times: [&str; 2]) -> Scop {
    let text = format!(
        "
        scop f:0
        params: N
        assumed: {{ : N >= 3 }}
        array Arr0 memory f64 [*]
        array Arr1 memory f64 [*]
        array Arr2 memory f64 [*]
        stmt Stmt0
          domain: {{ Stmt0[i] : 0 <= i < N }}
          schedule: {}
          read: {{ Stmt0[i] -> Arr0[i] }}
          must_write: {{ Stmt0[i] -> Arr1[i] }}
        stmt Stmt1
          domain: {{ Stmt1[i] : 0 <= i < N }}
          schedule: {}
          read: {{ Stmt1[i] -> Arr1[{at}] }}
          must_write: {{ Stmt1[i] -> Arr2[i] }}
        ",
        times[0], times[1]
    );
    Scop::parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

const ONE: [&str; 2] = ["[0, i, 0]", "[0, i, 1]"];
const TWO: [&str; 2] = ["[0, i, 0]", "[1, i, 0]"];

#[test]
fn tiles_by_statement_and_by_loop() {
    let scop = stencil("");
    let tiled = "schedule: \"[N] -> [{ Stmt0[i, j] -> [(floor((i)/4))] }, { Stmt0[i, j] -> [(floor((j)/8))] }]\"";
    for script in ["tile Stmt0 4 8", "tile i j 4 8", "tile Stmt0.i Stmt0.j 4, 8  # both"] {
        let found = bands(&scop, script).expect(script);
        assert_eq!(found[0], tiled, "{script}");
        assert_eq!(found[2], "schedule: \"[N] -> [{ Stmt0[i, j] -> [(i)] }, { Stmt0[i, j] -> [(j)] }]\"", "{script}");
    }
    assert!(error(&stencil(" + 1"), "tile Stmt0 4 8").contains("RAW dependence"), "the distance is (1, -1)");
    assert_eq!(error(&scop, "tile Stmt0 4 8 2"), "2:1: Stmt0 is in 2 loops");
    assert_eq!(error(&scop, "tile j i 4 8"), "2:1: the loops are to be named from the outermost to the innermost");
}

#[test]
fn tiles_are_named_and_tiled_again() {
    let found = bands(&stencil(""), "tile i j 4 8\ntile i_tile 2\ninterchange i_tile j_tile").expect("legal");
    assert!(found[0].contains("floor((floor((i)/4))/2)"), "{found:?}");
    assert!(found[2].contains("[(floor((j)/8))] }, { Stmt0[i, j] -> [(floor((i)/4))]"), "{found:?}");
}

#[test]
fn loops_change_places_where_nothing_runs_backwards() {
    let found = bands(&stencil(""), "interchange i j").expect("legal");
    assert_eq!(found, ["schedule: \"[N] -> [{ Stmt0[i, j] -> [(j)] }, { Stmt0[i, j] -> [(i)] }]\""]);
    let refused = error(&stencil(" + 1"), "interchange i j");
    assert!(refused.starts_with("Stmt0[") && refused.contains("must run after Stmt0["), "{refused}");
}

#[test]
fn skewed_loops_may_be_tiled() {
    let found = bands(&stencil(" + 1"), "skew j i 1\ntile i j 4 8").expect("legal");
    assert!(found[0].contains("floor((i + j)/8)"), "{found:?}");
    assert!(error(&stencil(" + 1"), "skew j i -1\ntile i j 4 8").contains("must run after"));
    assert_eq!(error(&stencil(""), "skew i i 1"), "2:8: `i` and `i` are one loop");
    assert_eq!(error(&stencil(""), "interchange j Stmt0.j"), "2:15: `j` and `Stmt0.j` are one loop");
}

#[test]
fn skewed_loops_over_tiles_keep_their_names() {
    let script = "tile i j 4 8\nskew j_tile i_tile 1\nskew j_tile i_tile 1\ninterchange i_tile j_tile";
    let found = bands(&stencil(""), script).expect("legal");
    assert!(found[0].contains("2*floor((i)/4) + floor((j)/8)") || found[0].contains("(2*floor((i)/4)"), "{found:?}");
    let outer = "tile i j 4 8\nskew i_tile j_tile 2\nskew i_tile j_tile 1";
    assert!(bands(&stencil(""), outer).is_ok_and(|found| found[0].contains("floor((i)/4)")));
}

#[test]
fn jammed_loops_are_permutable_with_those_inside() {
    assert!(bands(&stencil(""), "jam i 4").expect("legal")[1].contains("unroll_jam[0, 4]"));
    assert!(error(&stencil(" + 1"), "jam i 4").contains("must run after"));
    assert_eq!(error(&stencil(""), "jam i 1"), "2:7: the factor of `jam` is a number from 2 to 64");
    assert_eq!(error(&stencil(""), "jam i 65"), "2:7: the factor of `jam` is a number from 2 to 64");
}

#[test]
fn threads_run_loops_that_carry_nothing() {
    let found = bands(&stencil(""), "parallel j").expect("legal");
    assert!(found.contains(&"roles: \"{ threads[0] }\"".to_owned()), "{found:?}");
    let refused = error(&stencil(""), "parallel i");
    assert!(refused.starts_with("a loop marked parallel carries the RAW dependence from Stmt0["), "{refused}");
}

#[test]
fn loops_are_distributed_and_fused_where_values_arrive_in_time() {
    let distributed = bands(&pair("i", ONE), "distribute i").expect("legal");
    assert_eq!(distributed.len(), 2, "{distributed:?}");
    assert!(error(&pair("i", ONE), "distribute Stmt3.i").contains("no loop `Stmt3.i`; did you mean `Stmt0.i`?"));
    let carried = pair("i - 1", ["[0, i, 1]", "[0, i, 0]"]);
    assert!(error(&carried, "distribute i").contains("must run after"), "Stmt1 reads what the iteration before wrote");
    for script in ["fuse Stmt0.i Stmt1.i", "fuse Stmt0 Stmt1", "fuse Stmt1.i Stmt0.i"] {
        assert_eq!(bands(&pair("i", TWO), script).expect(script).len(), 1);
    }
    assert!(error(&pair("i + 1", TWO), "fuse Stmt0 Stmt1").contains("must run after Stmt0["));
    assert_eq!(error(&pair("i", ONE), "fuse Stmt0 Stmt1"), "2:12: Stmt0 and Stmt1 share all their loops");
}

#[test]
fn a_name_of_two_loops_is_not_enough() {
    let refused = error(&pair("i", TWO), "parallel i");
    assert_eq!(refused, "2:10: `i` is a loop of Stmt0 and another one of Stmt1: say Stmt0.i or Stmt1.i");
}

#[test]
fn letters_stand_for_depths() {
    let scop = fixtures::scop("gemm");
    assert_eq!(made(&scop, "distribute Stmt1.i\ntile Stmt1 8 8 8").err().map(|e| e.to_string()), None);
}

#[test]
fn what_cannot_be_read_is_told_with_its_place_and_the_nearest_word() {
    let refused = |text: &str| parse(text).expect_err("refused");
    let at = |line, column| At { line, column };
    assert_eq!(refused("region f\n  tle i 3").to_string(), "2:3: `tle` is no statement; did you mean `tile`?");
    assert_eq!(refused("\n# note\ntile i 3").at, at(3, 1));
    let first = "1:1: a statement in front of the first `region FUNCTION`";
    assert_eq!(refused("regoin f").to_string(), format!("{first}; did you mean `region`?"));
    assert_eq!(refused("tile i 3").to_string(), first);
    assert_eq!(refused("region").at, at(1, 1));
    assert_eq!(refused("region f\nregion g\nregion f").at, at(3, 8));
    assert_eq!(refused("region f\ntile i 3x").to_string(), "2:8: `3x` is no number");
    assert_eq!(refused("region f\ninterchange i").to_string(), "2:1: this is not of the form `interchange LOOP LOOP`");
}

#[test]
fn a_section_is_for_one_region_or_for_all_of_a_function() {
    let sections = parse("region f\ntile i 2\nregion f:1\ntile i 3\n").expect("a script");
    assert_eq!(section(&sections, "f:0").map(|s| s.region.text.as_str()), Some("f"));
    assert_eq!(section(&sections, "f:1").map(|s| s.region.text.as_str()), Some("f:1"));
    assert!(section(&sections, "g:0").is_none());
}

#[test]
fn loops_are_called_as_in_the_source_or_by_their_depth() {
    let text = "
        scop f:0
        array Arr0 memory f64 [*, 100]
        stmt Stmt0
          domain: { Stmt0[i0, i1] : 0 <= i0 < 100 and 0 <= i1 < 100 }
          schedule: [0, i0, 0, i1, 0]
          must_write: { Stmt0[i0, i1] -> Arr0[i1, i0] }
        ";
    let scop = Scop::parse(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let tree = |names: [&str; 2], script: &str| {
        let loops = names.map(str::to_owned).to_vec();
        let source = BTreeMap::from([(StmtId(0), InSource { loops, line: 7 })]);
        let sections = parse(&format!("region f\n{script}\n")).expect("a script");
        let made = apply(&scop, section(&sections, "f:0").expect("a section"), &source);
        made.map(|tree| Yaml(&tree).to_string()).map_err(|e| e.to_string())
    };
    let by_depth = tree(["", ""], "tile i j 8 16\ninterchange i_tile j_tile");
    assert!(by_depth.is_ok());
    assert_eq!(tree(["y", "x"], "tile y x 8 16\ninterchange y_tile x_tile"), by_depth);
    assert_eq!(tree(["y", "x"], "tile i j 8 16\ninterchange i_tile x_tile"), by_depth);
    // Where the source's own letters are others than those of the depths, the source's count; numbers are depths.
    assert_eq!(tree(["j", "i"], "tile j i 8 16\ninterchange j_tile i_tile"), by_depth);
    assert_eq!(tree(["j", "i"], "tile i0 i1 8 16\ninterchange i0_tile i1_tile"), by_depth);
    let wrong_way = tree(["j", "i"], "tile i j 8 16").expect_err("refused");
    assert!(wrong_way.contains("from the outermost to the innermost"), "{wrong_way}");
    let unknown = tree(["row", "col"], "jam rows 4").expect_err("refused");
    assert_eq!(unknown, "2:5: there is no loop `rows`; did you mean `row`? (loops: row, col)");
    let twice = tree(["i", "i"], "jam i 4").expect_err("refused");
    assert_eq!(twice, "2:5: `i` is the name of two loops: say i0 or i1");
}
