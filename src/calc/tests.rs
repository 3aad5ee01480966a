//! Loops of small maps, printed and checked by hand, and each executed against the enumeration of its map.
//!
//! `cases.txt` holds cases `== name`, a map, a line `--` and the expected loops. With `POLYRS_UPDATE_TESTS` set the
//! expectations are rewritten instead of compared. `trees.txt` holds schedule trees in the same way, each with a map
//! that says by hand what runs when.

use super::loops::{Program, Request, program, programs, tree_program};
use super::{Calculator, codegen};
use crate::ast;
use crate::ast::tests::{grid, interp};
use crate::model::tree::print::Yaml;
use crate::model::tree::read::parse_tree;
use presburger::{Budget, Dim, Set, UnionMap};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;

/// Name, map and expected loops of each case.
fn cases() -> Vec<(String, String, String)> {
    let text = include_str!("cases.txt");
    let blocks = text.split("\n== ").map(|b| b.trim_start_matches("== "));
    let parts = |block: &str| {
        let (name, rest) = block.split_once('\n').expect("a name");
        let (map, loops) = rest.split_once("\n--").expect("a line `--`");
        (name.to_owned(), map.trim().to_owned(), loops.trim().to_owned())
    };
    blocks.map(parts).collect()
}

#[test]
fn printed_loops() {
    let mut rewritten = String::new();
    let mut wrong = Vec::new();
    for (name, map, expected) in cases() {
        let parsed = UnionMap::parse(&map).unwrap_or_else(|e| panic!("{name}: {e}"));
        let loops = codegen(&parsed, &Budget::unlimited()).unwrap_or_else(|e| panic!("{name}: {e}"));
        if loops.trim_end() != expected {
            wrong.push(format!("{name}\n{map}\n{loops}"));
        }
        writeln!(rewritten, "== {name}\n{map}\n--\n{}", loops.trim_end()).expect("string");
    }
    if std::env::var_os("POLYRS_UPDATE_TESTS").is_some() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/calc/cases.txt");
        std::fs::write(path, rewritten).expect("written");
        return;
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_stride_of_a_large_number_is_the_step_of_a_loop() {
    let map = UnionMap::parse("{ S[i] -> [i] : exists a : i = 100000000 a and 0 <= a <= 2 }").expect("a map");
    let loops = codegen(&map, &Budget::unlimited()).expect("loops");
    assert_eq!(loops.trim_end(), "for (long c0 = 0; c0 <= 200000000; c0 += 100000000)\n  S(c0);");
}

/// Elements of the domain with their images, for given parameters.
fn enumerated(map: &UnionMap, params: &[i64]) -> BTreeMap<(String, Vec<i64>), Vec<i64>> {
    let mut all = BTreeMap::new();
    for part in map.maps() {
        let tuple = part.space().input.as_ref().and_then(|t| t.name.clone());
        let name = tuple.map_or_else(|| "S".to_owned(), |n| n.to_string());
        let pairs = (0..params.len()).fold(part.wrap(), |set, k| set.fix(Dim::Param, k, params[k]));
        for pair in pairs.points(20_000).expect("bounded") {
            let (element, image) = pair[params.len()..].split_at(part.space().n_in());
            let twice = all.insert((name.clone(), element.to_vec()), image.to_vec());
            assert!(twice.is_none(), "{name}{element:?} has two images");
        }
    }
    let longest = all.values().map(Vec::len).max().unwrap_or(0);
    all.values_mut().for_each(|image| image.resize(longest, 0));
    all
}

/// Runs the loops of `program` for small parameters: every element of `map` once, in the order of the images.
fn runs_as_listed(name: &str, program: &Program, map: &UnionMap) {
    let mut all = Vec::new();
    for config in super::loops::configs() {
        let loops = ast::build(&program.scop, &program.tree, &config, &Budget::steps(2_000_000))
            .unwrap_or_else(|e| panic!("{name}: {e}"));
        if !all.contains(&loops) {
            all.push(loops);
        }
    }
    for k in 0..all.len() {
        all.push(ast::gist::gist(&all[k], &program.scop.contexts.assumed));
    }
    let last = if map.params().len() > 2 { 4 } else { 7 };
    for params in grid(map.params().len(), -1, last) {
        let listed = enumerated(map, &params);
        for loops in &all {
            let mut left = listed.clone();
            let mut before: Option<Vec<i64>> = None;
            for (id, element) in interp::run(loops, &params).expect("loops that end") {
                let own = (program.names[id.index()].clone(), element);
                let image = left.remove(&own).unwrap_or_else(|| panic!("{name} {params:?}: {own:?} too often"));
                assert!(before.is_none_or(|b| b <= image), "{name} {params:?}: {own:?} too late");
                before = Some(image);
            }
            assert!(left.is_empty(), "{name} {params:?}: {left:?} left out");
        }
    }
}

#[test]
fn loops_run_what_the_map_lists_in_its_order() {
    let list = cases();
    assert!(list.len() >= 60, "{} cases", list.len());
    for (name, text, _) in list {
        let map = UnionMap::parse(&text).expect("a map");
        let program = program(&map, &Budget::unlimited()).unwrap_or_else(|e| panic!("{name}: {e}"));
        runs_as_listed(&name, &program, &map);
    }
}

#[test]
fn compilers_read_the_loops() {
    let mut source = String::new();
    let mut calls = BTreeSet::new();
    let maps = cases().into_iter().map(|(_, map, _)| map);
    for (k, text) in maps.chain(tree_cases().into_iter().map(|[_, _, map, _]| map)).enumerate() {
        let map = UnionMap::parse(&text).expect("a map");
        let code = codegen(&map, &Budget::unlimited()).expect("read before");
        let named = |m: &presburger::Map| m.space().input.as_ref().map(|t| t.name_str().to_owned());
        calls.extend(map.maps().filter_map(named).filter(|n| !n.is_empty()));
        let params: Vec<String> = map.params().iter().map(|p| format!("long {p}")).collect();
        let list = if params.is_empty() { "void".to_owned() } else { params.join(", ") };
        writeln!(source, "void f{k}({list}) {{\n{code}}}").expect("string");
    }
    let declared: String = calls.iter().map(|n| format!("void {n}();\n")).collect();
    compiled(&("void S();\n".to_owned() + &declared + &source), &["-fsyntax-only", "-w"], |_| {});
}

/// Compiles C, where there is a compiler, and hands what it makes to `check`.
fn compiled(text: &str, options: &[&str], check: impl FnOnce(&Path)) {
    let id = format!("{:?}", std::thread::current().id());
    let folder = std::env::temp_dir().join(format!("polyrs-loops-{}-{id}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let (file, made) = (folder.join("loops.c"), folder.join("loops"));
    std::fs::write(&file, text).expect("written");
    let run = std::process::Command::new("cc").arg("-std=c11").args(options).arg(&file).arg("-o").arg(&made).output();
    if let Ok(out) = run {
        assert!(out.status.success(), "{}\n{text}", String::from_utf8_lossy(&out.stderr));
        check(&made);
    }
    std::fs::remove_dir_all(folder).expect("removed");
}

#[test]
fn printed_loops_are_the_body_of_a_function_and_end() {
    let text = "
        codegen [n] -> { A[i] -> [i] : n <= 3i <= 5n and i <= 2n + 7 and i <= 30 };
        codegen [n] -> { B[i] -> [i] : n <= 3i <= 5n };
        codegen { B[i] -> [i] : 9223372036854775800 <= i <= 9223372036854775807 };
        codegen [m] -> { B[i] -> [i] : m <= i <= 9223372036854775806 and i mod 4 = 1 };
    ";
    let mut out = Vec::new();
    Calculator::new(2_000_000).run(text, |line| out.push(line.to_owned())).expect("loops");
    let text = format!(
        "static long a, b;\nstatic void A(long i) {{ a += i; }}\nstatic void B(long i) {{ b += i > 100 ? 1000 : i; }}\n\
         static void all(long n, long m) {{\n{}\n}}\nint main(void) {{ all(10, 9223372036854775790); return a != 130 || b != 12130; }}\n",
        out.join("\n")
    );
    assert!(out.concat().contains("#define"), "{text}");
    compiled(&text, &["-pedantic", "-Wall", "-Werror", "-O1"], |made| {
        let run = std::process::Command::new(made).status().expect("it runs");
        assert!(run.success(), "{text}");
    });
}

/// A random map of points in a box to themselves, with existentials that are mostly no floors.
fn random_domain(seed: u64) -> String {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut pick = |lo: i64, hi: i64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        lo + i64::try_from((state >> 33) % u64::try_from(hi - lo + 1).expect("a range")).expect("small")
    };
    let mut text = "[N] -> { S[i, j] -> [i, j] : 0 <= i, j <= 5 and exists (a, b: 0 <= a, b <= 9".to_owned();
    for _ in 0..pick(2, 3) {
        let form =
            |p: &mut dyn FnMut(i64, i64) -> i64| format!("{}i + {}j + {}N + {}", p(-1, 2), p(-1, 2), p(0, 1), p(-2, 2));
        let (low, width) = (form(&mut pick), pick(1, 6));
        let (a, b) = (pick(-3, 5), pick(0, 1) * pick(-2, 3));
        write!(text, " and {low} <= {a}a + {b}b <= {low} + {width}").expect("string");
    }
    text + ") }"
}

#[test]
fn loops_over_projections_run_every_element_once() {
    let mut limits = 0;
    for seed in 0..60 {
        let text = random_domain(seed);
        let map = UnionMap::parse(&text).expect("a map");
        let name = format!("seed {seed}: {text}");
        let program = program(&map, &Budget::unlimited()).unwrap_or_else(|e| panic!("{name}: {e}"));
        if ast::build(&program.scop, &program.tree, &ast::Config::default(), &Budget::steps(2_000_000)).is_ok() {
            runs_as_listed(&name, &program, &map);
        } else {
            limits += 1;
        }
    }
    assert!(limits <= 6, "no loops for {limits} domains");
}

/// Name, tree, the map it stands for and expected loops of each case.
fn tree_cases() -> Vec<[String; 4]> {
    let text = include_str!("trees.txt");
    let parts = |block: &str| {
        let (name, rest) = block.split_once('\n').expect("a name");
        let (tree, rest) = rest.split_once("\n--\n").expect("a line `--`");
        let (map, loops) = rest.split_once("\n--").expect("a second line `--`");
        [name, tree, map, loops.trim()].map(str::to_owned)
    };
    text.split("\n== ").map(|b| parts(b.trim_start_matches("== "))).collect()
}

#[test]
fn loops_of_trees_run_what_extensions_and_expansions_say() {
    let mut rewritten = String::new();
    let mut wrong = Vec::new();
    for [name, tree, map, expected] in tree_cases() {
        let program = tree_program(&tree, &Budget::unlimited()).unwrap_or_else(|e| panic!("{name}: {e}"));
        runs_as_listed(&name, &program, &UnionMap::parse(&map).expect("a map"));
        let loops = run(&format!("codegen\n{tree};")).remove(0);
        if loops != expected {
            wrong.push(format!("{name}\n{loops}"));
        }
        writeln!(rewritten, "== {name}\n{tree}\n--\n{map}\n--\n{loops}").expect("string");
        let again = Yaml(&parse_tree(&tree).expect("read before")).to_string();
        let program = tree_program(&again, &Budget::unlimited()).unwrap_or_else(|e| panic!("{name}: {e}\n{again}"));
        runs_as_listed(&name, &program, &UnionMap::parse(&map).expect("a map"));
    }
    if std::env::var_os("POLYRS_UPDATE_TESTS").is_some() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/calc/trees.txt");
        std::fs::write(path, rewritten).expect("written");
        return;
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn contexts_of_trees_say_things_of_parameters_by_name() {
    let tree = |context: &str| {
        format!(
            "codegen\ndomain: \"[n, b] -> {{ S[i] : 0 <= i < n and i <= b }}\"\nchild:\n  context: \"{context}\"\n  \
             child:\n    schedule: \"[{{ S[i] -> [(i)] }}]\"\n;"
        )
    };
    let loops = ["for (long c0 = 0; c0 < n; c0++)\n  S(c0);"];
    for context in ["[n, b] -> { [] : b >= n }", "[b, n] -> { [] : b >= n }", "[b, m, n] -> { [] : n <= m <= b }"] {
        assert_eq!(run(&tree(context)), loops, "{context}");
    }
    let map = "codegen [n, b] -> { S[i] -> [i] : 0 <= i < n and i <= b }";
    assert_eq!(run(&format!("{map} given [b, n] -> {{ : b >= n }};")), loops);
    assert!(fails(&format!("{map} given {{ [i] }};")).contains("a set of parameters"));
}

#[test]
fn errors_of_trees_say_where_they_are() {
    let at = |text: &str| fails(&format!("codegen\n{text}\n;"));
    let band = |band: &str| at(&format!("domain: \"{{ A[i] : 0 <= i < 5 }}\"\nchild:\n  schedule: {band}"));
    assert_eq!(band("\"[{ A[i] -> [(i + k)] }]\""), "4:31: unknown variable `k`");
    assert_eq!(band("\"[{ A[i] -> [(i)] }, { A[i] ->\n    [(2 i + )] }]\""), "5:13: unexpected `)`");
    assert_eq!(band("\"[{ A[i] -> [(i)]; B[i] -> [(i)] }]\""), "4:32: B is not in the domain");
    assert_eq!(band("\"[{ A[i] -> [(i)] }]\"\n  options: \"{ foo[x] }\"").split(": ").next(), Some("5:3"));
    assert_eq!(at("domain: \"{ A[i] : 0 <= i <= }\""), "2:29: expected a term");
    assert_eq!(at("domain: \"{ A[i] }\"\nchildd:\n  leaf"), "3:1: unknown key `childd`");
    assert_eq!(
        at(
            "{ domain: \"{ copy[i] : 0 <= i < 5; A[i] : i = 1 }\", # one\n  \"child\": { filter: \"{ copy[i] : i > j }\" } }"
        ),
        "3:39: unknown name 'j'"
    );
    assert!(
        band("\"[{ A[i] -> [(0)] }]\"\n  child:\n    sequence:\n    - filter: \"{ A[i] : i > 1 }\"").contains("A[")
    );
    assert!(fails("schedule { C[i] : 0 <= i < 9 } respecting { C[i] -> C[i] };").contains("C["));
}

#[test]
fn trees_are_read_as_isl_reads_them() {
    let same = |text: &str, loops: &str| assert_eq!(run(&format!("codegen\n{text}\n;")), [loops], "{text}");
    let loops = "for (long c0 = 0; c0 <= 4; c0++)\n  A(c0);";
    let domain = "domain: \"{ A[i] : 0 <= i < 5 }\"";
    same(&format!("{domain} # x\nchild: # y\n  schedule: \"L[{{ A[i] -> [(i)] }}]\"   # z"), loops);
    same(&format!("{domain}\nchild:\n  schedule: \"[{{ A[i = 0:3] -> [(i)]; A[i=4:] -> [(i)] }}]\""), loops);
    let wrapped = "domain: \"{ A[[i] -> [j]] : 0 <= i, j < 3 }\"\nchild:\n  schedule: \"[{ A[[i] -> [j]] -> [(i)] }, \
                   { A[[i] -> [j]] -> [(j)] }]\"";
    same(wrapped, "for (long c0 = 0; c0 <= 2; c0++) {\n  for (long c1 = 0; c1 <= 2; c1++)\n    A(c0, c1);\n}");
    let below = "context: \"[n] -> { [] : n >= 3 }\"\n  child:\n    schedule: \"[n] -> [{ A[i] -> [(n + i)] }]\"";
    same(&format!("{domain}\nchild:\n  {below}"), "for (long c0 = n; c0 <= n + 4; c0++)\n  A(c0 - n);");
    let guarded = "guard: \"[n] -> { [] : n >= 3 }\"\n  child:\n    schedule: \"[{ A[i] -> [(i)] }]\"";
    let inside = loops.replace('\n', "\n  ");
    same(&format!("{domain}\nchild:\n  {guarded}"), &format!("if (n >= 3) {{\n  {inside}\n}}"));
}

#[test]
fn statements_of_trees_have_any_names() {
    let tree = r#"codegen
domain: "[n] -> { copy[i] : 0 <= i < n; A.b[i] : 0 <= i < n }"
child:
  sequence:
  - filter: "{ copy[i] }"
    child:
      schedule: "[{ copy[i] -> [(i)] }]"
      child:
        leaf
  - filter: "{ A.b[i] }"
    child:
      schedule: "[n] -> [{ A.b[i] -> [(n - i)] }]"
;"#;
    let loops = "for (long c0 = 0; c0 < n; c0++)\n  copy(c0);\nfor (long c1 = 1; c1 <= n; c1++)\n  A_b(n - c1);";
    assert_eq!(run(tree), [loops]);
    let nameless = r#"codegen
domain: "[n] -> { [i] : 0 <= i < n; B[i] : i = n }"
child:
  sequence:
  - filter: "{ B[i] }"
  - filter: "{ [i] }"
    child:
      schedule: "[n] -> [{ [i] -> [(n - i)] }]"
;"#;
    assert_eq!(run(nameless), ["B(n);\nfor (long c0 = 1; c0 <= n; c0++)\n  S(n - c0);"]);
}

#[test]
fn trees_without_a_meaning_are_refused() {
    let around = |node: &str| {
        format!(
            "codegen\ndomain: \"{{ S0[i] : 0 <= i < 8 }}\"\nchild:\n  schedule: \"[{{ S0[i] -> [(i)] }}]\"\n  child:\n{node};"
        )
    };
    for (node, message) in [
        ("    extension: \"{ [t] -> c1[a] : 0 <= t, a < 4 }\"", "several times"),
        ("    schedule: \"[{ S0[i] -> [(i)] : i < 5; S0[i] -> [(-i)] : i >= 4 }]\"", "two values for"),
        ("    extension: \"{ [t, u] -> c1[t] : 0 <= t < 4 }\"", "at 2 values below 1 members"),
        ("    extension: \"{ [t] -> S0[t] : 0 <= t < 4 }\"", "has instances already"),
        (
            "    extension: \"{ [t] -> c1[a] : (t = 0 and 0 <= a < 2) or (t = a and 2 <= a < 4) }\"",
            "different functions",
        ),
        ("    expansion: \"{ B2[i] -> A1[i] }\"", "does not list it"),
        ("    expansion: \"{ S0[i] -> A1[0] }\"", "several times"),
        ("    expansion: \"{ S0[i] -> A1[i] }\"\n    contraction: \"{ A1[i] -> S0[i + 1] }\"", "not the reverse"),
    ] {
        let error = fails(&around(node));
        assert!(error.contains(message), "{node}: {error}");
    }
}

fn run(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    Calculator::new(2_000_000).run(text, |line| out.push(line.to_owned())).unwrap_or_else(|e| panic!("{e}\n{text}"));
    out
}

fn fails(text: &str) -> String {
    Calculator::new(2_000_000).run(text, |_| {}).expect_err(text).to_string()
}

#[test]
fn schedules_respect_what_they_are_given() {
    let out = run("
        D := [N] -> { S[i, j] : 0 <= i, j < N; T[i] : 0 <= i < N };   # two statements; their domains
        V := [N] -> { S[i, j] -> S[i + 1, j - 1]; S[i, j] -> T[i] };
        M := schedule D respecting (V * D) minimizing V;
        dom M = D;
        # later minus earlier: never before
        R := M^-1 . (V * D) . (M * D);
        ((ran (V * D)) - D) = { };
        codegen M;
    ");
    assert_eq!(out[0], "True");
    assert!(out.last().is_some_and(|code| code.contains("S(") && code.contains("T(")), "{out:?}");
}

#[test]
fn options_say_how_the_loops_of_a_map_are_made() {
    let map = "{ A[i] -> [i, 0] : 0 <= i < 3; B[i] -> [i, 1] : 1 <= i < 3 }";
    let loops = |options: &str| run(&format!("codegen {map} using {{ {options} }};")).remove(0);
    assert_eq!(loops("[i, j] -> unroll[0]"), "A(0);\nA(1);\nB(1);\nA(2);\nB(2);");
    assert_eq!(loops("[i, j] -> separate[x]"), "A(0);\nfor (long c0 = 1; c0 <= 2; c0++) {\n  A(c0);\n  B(c0);\n}");
    assert!(loops("[i, j] -> atomic[x]").contains("if (c0 >= 1)"));
    // Of other times.
    assert_eq!(loops("[i] -> unroll[0]"), loops("[i, j] -> atomic[1]"));
    assert!(fails(&format!("codegen {map} using {{ [i, j] -> fast[0] }};")).contains("atomic[x]"));
}

#[test]
fn options_may_be_for_a_part_of_the_times() {
    let loops = |map: &str, options: &str| run(&format!("codegen {map} using {{ {options} }};")).remove(0);
    assert_eq!(
        loops("{ A[i] -> [i] : 0 <= i < 1000 }", "[i] -> unroll[0] : i < 2 or i > 997"),
        "A(0);\nA(1);\nfor (long c0 = 2; c0 <= 997; c0++)\n  A(c0);\nA(998);\nA(999);"
    );
    let both = "{ A[i, j] -> [2i, 0, j] : 0 <= i <= 9 and 0 <= j <= 1; B[i, j] -> [2i + 1, 1, j] : 0 <= i, j <= 9 }";
    assert_eq!(
        loops(both, "[i, 0, j] -> unroll[2]"),
        "for (long c0 = 0; c0 <= 9; c0++) {\n  A(c0, 0);\n  A(c0, 1);\n  for (long c1 = 0; c1 <= 9; c1++)\n    \
         B(c0, c1);\n}"
    );
    let stairs = "{ A[i, j] -> [i, j] : 0 <= i <= 9 and 0 <= j <= 12 - i }";
    let class =
        "[i, j] -> separation_class[[0] -> [0]] : i <= 7; [i, j] -> separation_class[[1] -> [0]] : i <= 7 and j <= 4";
    let row = |c: u32, first: &str, last: &str| {
        format!("  for (long c{c} = {first}; c{c} <= {last}; c{c}++)\n    A(c{}, c{c});\n", if c > 2 { 3 } else { 0 })
    };
    assert_eq!(
        loops(stairs, class),
        format!(
            "for (long c0 = 0; c0 <= 7; c0++) {{\n{}{}}}\nfor (long c3 = 8; c3 <= 9; c3++) {{\n{}}}",
            row(1, "0", "4"),
            row(2, "5", "-c0 + 12"),
            row(4, "0", "-c3 + 12")
        )
    );
    // Where there is no loop, nothing is told apart.
    let point = "{ sync[] -> [i, 0] : 0 <= i <= 64 }";
    let options = "[i, 0] -> separate[1] : 1 <= i <= 62; [i, 0] -> atomic[1] : i <= 10 or i >= 20";
    assert_eq!(loops(point, options), "for (long c0 = 0; c0 <= 64; c0++)\n  sync();");
}

#[test]
fn an_instance_runs_at_each_of_its_times() {
    let loops = run("codegen { sync[] -> [i, 0] : 0 <= i <= 64; A[j] -> [j, 1] : 0 <= j <= 64 };");
    assert_eq!(loops, ["for (long c0 = 0; c0 <= 64; c0++) {\n  sync();\n  A(c0);\n}"]);
    let loops = run("codegen { S[i] -> [j] : 0 <= i < 3 and 0 <= j < 2 };");
    assert_eq!(loops, ["for (long c0 = 0; c0 <= 1; c0++) {\n  for (long c1 = 0; c1 <= 2; c1++)\n    S(c1);\n}"]);
}

#[test]
fn times_without_a_last_one_make_a_loop_that_does_not_end() {
    assert_eq!(run("codegen [n] -> { S[i] -> [i] : i > n };"), ["for (long c0 = n + 1; ; c0++)\n  S(c0);"]);
    let both = "[n] -> { S[i] -> [i, 0] : i >= 0; T[i] -> [i, 1] : 0 <= i < n }";
    let loops = "for (long c0 = 0; ; c0++) {\n  S(c0);\n  if (n > c0)\n    T(c0);\n}";
    assert_eq!(run(&format!("codegen {both};")), [loops]);
}

#[test]
fn schedules_and_contractions_in_parts_are_read() {
    let parts = "codegen\ndomain: \"[M] -> { S1[i0] : 0 <= i0 <= 100 }\"\nchild:\n  schedule: \"[M] -> [{ S1[i0] -> \
                 [(i0)] : M <= 10; S1[i0] -> [(-i0)] : M >= 11 }]\"\n;";
    let up = "  for (long c0 = 0; c0 <= 100; c0++)\n    S1(c0);\n";
    let down = "  for (long c1 = -100; c1 <= 0; c1++)\n    S1(-c1);\n";
    assert_eq!(run(parts), [format!("if (M <= 10) {{\n{up}}} else {{\n{down}}}")]);
    assert!(fails(&parts.replace("M >= 11", "M >= 12")).contains("no value for S1[0], for M = 11"));
    // Values in parts in two bands; instances with two values.
    let both = "codegen\ndomain: \"{ A[i, j] : 0 <= i, j < 5 }\"\nchild:\n  schedule: \"[{ A[i, j] -> [(i)] : j < 2; A[i, j] \
                -> [(7 - i)] : j >= 2 }, { A[i, j] -> [(j)] : i < 3; A[i, j] -> [(-j)] : i >= 3 }]\"\n;";
    let loops = run(both).remove(0);
    assert!(loops.contains("for (long c3 = -4; c3 <= -2; c3++)\n    A(-c2 + 7, -c3);\n"), "{loops}");
    assert!(fails(&both.replace("j < 2", "j < 3")).contains("two values for A on some instances"));
    let expanded = "codegen\ndomain: \"[n] -> { G[i] : 0 <= i < n }\"\nchild:\n  schedule: \"[{ G[i] -> [(i)] }]\"\n  \
                    child:\n    expansion: \"[n] -> { G[i] -> S[2i] : i >= 4; G[i] -> S[-i] : i < 4 }\"\n;";
    let loops = run(expanded).remove(0);
    let both = "for (long c0 = 0; c0 < min(n, 4); c0++)\n  S(-c0);\nfor (long c1 = 4; c1 < n; c1++)\n  S(2 * c1);";
    assert!(loops.ends_with(both), "{loops}");
}

#[test]
fn loops_of_at_most_some_iterations_are_unrolled_with_tests() {
    let loops = |map: &str| run(&format!("codegen {map} using {{ [i] -> unroll[x] }};")).remove(0);
    let tests = "if (n >= 1)\n  A(0);\nif (n >= 2)\n  A(1);";
    assert_eq!(
        loops("[n] -> { A[i] -> [i] : 0 <= i < n and n <= 2 }"),
        format!("if (n <= 2) {{\n  {}\n}}", tests.replace('\n', "\n  "))
    );
    let part = "codegen\ndomain: \"[N] -> { A[i] : 0 <= i < N }\"\nchild:\n  schedule: \"[{ A[i] -> [(i)] }]\"\n  options: \
                \"[N] -> { isolate[[] -> [i]] : 0 <= i < 2; [isolate[] -> unroll[0]] }\"\n;";
    let rest = "\nfor (long c0 = 2; c0 < N; c0++)\n  A(c0);";
    assert_eq!(run(part).remove(0), tests.replace('n', "N") + rest);
}

/// Iterations that are written out stand in tests of the bounds that their number does not say: of statements of which
/// one is alone for some parameters, each would run twice.
#[test]
fn unrolled_iterations_run_once() {
    let options = UnionMap::parse("{ [t, u] -> unroll[x] }").expect("a map");
    for text in [
        "[N] -> { A[j] -> [j, 0] : 0 <= j <= 1; B[i] -> [i, 0] : N <= i <= 3 }",
        "[N] -> { A[i, j] -> [floor((i + 1 - 2j)/4), 0] : i = 1 and -2 <= j <= 2; B[i] -> [1 - i, 2i + 3] : -2 <= i and 2i <= N + 3 }",
        "[N] -> { A[j] -> [j, 0] : 0 <= j <= 2; B[i] -> [i, 1] : 1 <= i <= N and i <= 4 }",
    ] {
        let map = UnionMap::parse(text).expect("a map");
        let request = Request { options: Some(&options), given: None };
        let mut made = programs(&map, request, &Budget::unlimited()).expect("programs");
        made.retain(|p| p.shown.iter().zip(&p.scop.stmts).all(|(shown, stmt)| *shown == stmt.dims()));
        assert!(!made.is_empty());
        made.iter().for_each(|program| runs_as_listed(text, program, &map));
    }
}

#[test]
fn iterators_are_not_called_as_parameters_are() {
    let loops = "for (long c_0 = c1; c_0 < c0; c_0++)\n  S(c_0);";
    assert_eq!(run("codegen [c0, c1] -> { S[i] -> [i] : c1 <= i < c0 };"), [loops]);
    let loops = "for (long c0 = 0; c0 < c; c0++)\n  S(c0);";
    assert_eq!(run("codegen [c, c_1] -> { S[i] -> [i] : 0 <= i < c };"), [loops]);
}

#[test]
fn values_are_written_to_files() {
    let file = std::env::temp_dir().join(format!("polyrs-written-{}.set", std::process::id()));
    let name = file.display();
    let out = run(&format!("write \"{name}\" {{ [i] : 0 <= i < 3 }} * {{ [i] : i >= 1 }};\nA := read \"{name}\";\nA;"));
    std::fs::remove_file(&file).expect("written");
    assert_eq!(out, ["{ [i] : 1 <= i <= 2 }"]);
    assert!(fails("write { [i] };").contains("a file's name"));
}

#[test]
fn schedules_may_stand_in_expressions() {
    let plain = run("M := schedule { S[i] : 0 <= i < 9 } respecting { S[i] -> S[i + 1] }; codegen M; dom M;");
    assert_eq!(run("codegen (schedule { S[i] : 0 <= i < 9 }\n respecting { S[i] -> S[i + 1] });"), plain[..1]);
    assert_eq!(run("dom (schedule { S[i] : 0 <= i < 9 } respecting ({ S[i] -> S[i + 1] }));"), plain[1..]);
    let both = "(schedule { A[i] : 0 <= i < 3 } respecting { A[i] -> A[i + 1] }) + \
                (schedule { B[i] : 0 <= i < 3 } respecting { B[i] -> B[i + 1] })";
    assert_eq!(run(&format!("dom ({both});")), ["{ A[i] : 0 <= i <= 2; B[i] : 0 <= i <= 2 }"]);
    let free = run("codegen (schedule { S[i] : 0 <= i < 3 });");
    assert_eq!(free, ["for (long c0 = 0; c0 <= 2; c0++)\n  S(c0);"]);
    let turned =
        "schedule { A[i] : 0 <= i < 3; B[i] : 0 <= i < 3 } minimizing { A[i] -> B[i] } respecting { B[i] -> A[j] }";
    let code = run(&format!("codegen ({turned});")).concat();
    assert!(code.find("B(").unwrap() < code.find("A(").unwrap(), "{code}");
    let near = "schedule { A[i] : 0 <= i < 3; B[i] : 0 <= i < 3 } minimizing { A[i] -> B[i] }";
    assert_eq!(run(&format!("codegen ({near});")), ["for (long c0 = 0; c0 <= 2; c0++) {\n  A(c0);\n  B(c0);\n}"]);
    assert!(fails("A := { [i] };\ncodegen (schedule B respecting A);").starts_with("2:19: unknown name 'B'"));
}

#[test]
fn every_pair_runs_in_order() {
    for (domain, validity) in [
        ("[N] -> { S[i] : 0 <= i < N }", "{ S[i] -> S[i + 1] }"),
        ("[N] -> { S[t, i] : 0 <= t < N and 0 <= i < N }", "{ S[t, i] -> S[t + 1, j] : i - 1 <= j <= i + 1 }"),
        ("[N] -> { A[i] : 0 <= i < N; B[i, j] : 0 <= i, j < N }", "{ A[i] -> B[i, j]; B[i, j] -> B[i, j + 1] }"),
        ("{ A[]; B[]; C[] }", "{ C[] -> A[]; A[] -> B[] }"),
        ("[N] -> { P[i] : 0 <= i < N; Q[i] : 0 <= i < N }", "[N] -> { P[i] -> Q[N - 1 - i] }"),
    ] {
        let text = format!(
            "D := {domain}; V := {validity}; M := schedule D respecting V; dom M = D;\n\
             P := (V * D) * ((D) -> (D)); B := (M^-1 . P . M); B <= ((ran M) << (ran M));"
        );
        assert_eq!(run(&text), ["True", "True"], "{text}");
    }
}

/// Largest difference of each time component over the pairs of `P`, from the outermost on.
fn reach(domain: &str, validity: &str, proximity: &str) -> Vec<i64> {
    let text = format!(
        "D := {domain}; V := {validity}; P := {proximity}; M := schedule D respecting V minimizing P; \
         dom M = D; (M^-1 . ((V * D) * (D -> D)) . M) <= ((ran M) << (ran M)); deltas (M^-1 . (P * (D -> D)) . M);"
    );
    let out = run(&text);
    assert_eq!(out[..2], ["True", "True"], "{text}");
    let distances = Set::parse(&out[2]).unwrap_or_else(|e| panic!("{e}: {}", out[2]));
    let points = (0..distances.space().n_param()).fold(distances, |set, k| set.fix(Dim::Param, k, 9));
    let params = points.space().n_param();
    let all: Vec<Vec<i64>> = points.points(20_000).expect("bounded").iter().map(|p| p[params..].to_vec()).collect();
    let width = all.first().expect("a pair").len();
    (0..width).map(|k| all.iter().map(|d| d[k].abs()).max().expect("a pair")).collect()
}

#[test]
fn what_is_to_be_close_is_close() {
    let square = "[N] -> { S[i, j] : 0 <= i, j < N }";
    const NONE: &str = "{ S[i, j] -> S[i, j] : i > i }";
    for (domain, validity, proximity, expected) in [
        (square, NONE, "{ S[i, j] -> S[i + 1, j] }", vec![0, 1]),
        (square, NONE, "{ S[i, j] -> S[i, j + 1] }", vec![0, 1]),
        (square, NONE, "{ S[i, j] -> S[i + 2, j - 2] }", vec![0, 2]),
        (square, "{ S[i, j] -> S[i, j + 1] }", "{ S[i, j] -> S[i + 1, j] }", vec![0, 1]),
        (square, "{ S[i, j] -> S[i + 1, j + 1] }", "{ S[i, j] -> S[i - 3, j] }", vec![0, 3]),
        (
            "[N] -> { S[i] : 0 <= i < N; T[i] : 0 <= i < N }",
            "{ S[i] -> S[i] : i > i }",
            "{ S[i] -> T[i + 3] }",
            vec![0, 1],
        ),
        ("[N] -> { S[i] : 0 <= i < N; T[i] : 0 <= i < N }", "{ S[i] -> T[i] }", "{ T[i] -> S[i + 2] }", vec![0, 1]),
        ("[N] -> { S[i] : 0 <= i < N; T[i] : 0 <= i < N }", "{ S[i] -> T[i] }", "{ S[i] -> T[i + 2] }", vec![2, 1]),
    ] {
        assert_eq!(reach(domain, validity, proximity), expected, "{domain} {validity} {proximity}");
    }
}

#[test]
fn errors_say_what_and_where() {
    assert!(fails("codegen { [i] : i > 0 };").contains("only a map"));
    assert!(fails("codegen { S[i] -> [i] };").contains("unbounded"));
    assert!(fails("\n  codegen A;").starts_with("2:11: unknown name 'A'"));
    assert!(
        fails("schedule { S[i] : 0 <= i < 9 } respecting { S[i] -> S[i + 1]; S[i] -> S[i - 1] };")
            .contains("no other order")
    );
    assert_eq!(run("x := { [1] }; # codegen of nothing\n x;"), ["{ [i0 = 1] }"]);
    assert_eq!(run("codegen { A[] -> [0]; B[] -> [1] };"), ["A();\nB();"]);
    assert_eq!(run("codegen { [] -> [0]; S[] -> [1]; S_[] -> [2] };"), ["S__();\nS();\nS_();"]);
    // Names that C does not take.
    let loops = run("codegen [n', B] -> { B[i] -> [0, i] : 0 <= i < n'; for[] -> [1, 0] : B > 0 };");
    assert_eq!(loops, ["for (long c0 = 0; c0 < n__; c0++)\n  B_(c0);\nif (B >= 1)\n  for_();"]);
}

/// What a program prints, errors with their position.
fn said(text: &str) -> Vec<String> {
    let lines = std::cell::RefCell::new(Vec::new());
    let mut calculator = Calculator::new(1_000_000);
    calculator.run_all(text, |l| lines.borrow_mut().push(l.to_owned()), |e| lines.borrow_mut().push(e.to_string()));
    lines.into_inner()
}

#[test]
fn an_error_does_not_end_a_program_and_quit_does() {
    let lines = said("A := { [i] : i = 1 };\nB + A;\nA;\nquit;\nA;");
    assert_eq!(lines, ["2:1: unknown name 'B'", "{ [i = 1] }"]);
    assert_eq!(
        said("\"# no comment; nor an end\"; A := { [i] : i = 1 }; # \"a comment;\nA;"),
        ["# no comment; nor an end", "{ [i = 1] }"]
    );
    // A string that does not end spoils its own line alone.
    assert_eq!(
        said("A := \"abc;\n3;\n{ [1] };\n\"de"),
        ["1:6: '\"' is missing", "3", "{ [i0 = 1] }", "4:1: '\"' is missing"]
    );
    assert!(said("help;").concat().contains("codegen M;"));
    let about = said("help draw;").concat();
    assert!(about.contains("an SVG of elements") && about.lines().count() == 1, "{about}");
    assert_eq!(said("help nonsense;"), ["nothing is called 'nonsense': help; lists everything"]);
}

#[test]
fn files_are_run_and_read() {
    let folder = std::env::temp_dir().join(format!("polyrs-calc-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let (program, value) = (folder.join("a.calc"), folder.join("set.txt"));
    std::fs::write(&program, "A := { [i] : 0 <= i < 3 };\nA;\nB;\ncard A;\n").expect("written");
    std::fs::write(&value, "[N] -> { S[i] : i = N };\n").expect("written");
    let (program, value) = (program.display(), value.display());
    let lines = said(&format!("source \"{program}\"; X := read \"{value}\"; X; source none;"));
    assert_eq!(lines[0], "{ [i] : 0 <= i <= 2 }");
    assert_eq!(lines[1], format!("1:8: {program}:3:1: unknown name 'B'"));
    assert_eq!(lines[2..4], ["{ 3 }", "[N] -> { S[i = N] }"]);
    assert!(lines[4].contains("expected a file's name"), "{}", lines[4]);
    // Two files deep; and up to the first error.
    let outer = folder.join("b.calc");
    std::fs::write(&outer, format!("\n source \"{program}\";\n\"end\";")).expect("written");
    let outer = outer.display();
    let lines = said(&format!("source \"{outer}\"; \"last\";"));
    assert_eq!(lines[1..], [&*format!("1:8: {outer}:2:9: {program}:3:1: unknown name 'B'"), "{ 3 }", "end", "last"]);
    let mut lines = Vec::new();
    let ended = Calculator::new(1000).run(&format!("source \"{outer}\"; \"last\";"), |l| lines.push(l.to_owned()));
    assert_eq!(lines, ["{ [i] : 0 <= i <= 2 }"]);
    assert!(ended.is_err_and(|e| e.to_string() == format!("1:8: {outer}:2:9: {program}:3:1: unknown name 'B'")));
    std::fs::remove_dir_all(folder).expect("removed");
}
