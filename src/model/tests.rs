//! Text forms of SCoPs and schedule trees.

use super::tree::build::{Timed, constant_of, from_2d1, from_union_map, to_2d1};
use super::tree::flat::TimeDim;
use super::tree::print::Yaml;
use super::tree::read::parse_tree;
use super::tree::{AstOption, Mark, Node, expr, forms};
use super::{ParamPoly, Scop, fixtures, text};
use presburger::{Budget, Map, Set};

#[test]
fn every_fixture_reads_back_as_printed() {
    for (name, source) in fixtures::ALL {
        let scop = Scop::parse(source).unwrap_or_else(|e| panic!("{name}: {e}"));
        let printed = scop.to_string();
        let again = Scop::parse(&printed).unwrap_or_else(|e| panic!("{name}: {e}\n{printed}"));
        assert_same(&scop, &again);
        assert!(!printed.contains("tree:"), "{name}: its order has a 2d+1 form\n{printed}");
    }
}

#[test]
fn views_read_back_as_printed() {
    let text = "scop views:0\nparams: p0, p1\narray Arr0 memory f64 [*, p0]\narray Arr1 view f64 [*] at 8 p0 p1 - 16\n\
        alias: Arr0, Arr1\nstmt Stmt0\n  domain: [p0, p1] -> { Stmt0[i0] : 0 <= i0 < p0 }\n  schedule: [0, i0, 0]\n  \
        read: [p0, p1] -> { Stmt0[i0] -> Arr1[i0] }\n  must_write: [p0, p1] -> { Stmt0[i0] -> Arr0[0, i0] }\n";
    let scop = Scop::parse(text).expect("a scop");
    let printed = scop.to_string();
    assert!(printed.contains("array Arr1 view f64 [*] at 8 p0 p1 - 16\n"), "{printed}");
    assert_eq!(scop.arrays[1].offset, ParamPoly(vec![(8, vec![0, 1]), (-16, Vec::new())]));
    assert_same(&scop, &Scop::parse(&printed).expect("the same"));
}

/// Same sets, maps and arrays; the text of a set is not unique.
fn assert_same(a: &Scop, b: &Scop) {
    let budget = Budget::unlimited();
    let same = |x: &Set, y: &Set| assert!(x.is_equal(y, &budget).expect("unlimited"), "{}: {x} and {y}", a.name);
    same(&a.contexts.assumed, &b.contexts.assumed);
    same(&a.contexts.invalid, &b.contexts.invalid);
    same(&a.contexts.defined, &b.contexts.defined);
    let outline = |s: &Scop| -> Vec<String> {
        let lines = s.to_string();
        lines
            .lines()
            .filter(|l| ["scop", "params", "array", "alias", "stmt", "  schedule"].iter().any(|k| l.starts_with(k)))
            .map(str::to_owned)
            .collect()
    };
    assert_eq!(outline(a), outline(b));
    for (x, y) in a.stmts.iter().zip(&b.stmts) {
        same(&x.domain, &y.domain);
        assert_eq!(x.accesses.len(), y.accesses.len());
        for (p, q) in x.accesses.iter().zip(&y.accesses) {
            assert_eq!((p.kind, p.array), (q.kind, q.array));
            assert!(
                p.relation.is_equal(&q.relation, &budget).expect("unlimited"),
                "{}: {} and {}",
                a.name,
                p.relation,
                q.relation
            );
        }
    }
}

#[test]
fn every_fixture_schedule_reads_back_from_yaml() {
    for (name, _) in fixtures::ALL {
        let scop = fixtures::scop(name);
        let yaml = Yaml(&scop.schedule).to_string();
        let tree = parse_tree(&yaml).unwrap_or_else(|e| panic!("{name}: {e}\n{yaml}"));
        let (before, after) = (forms::to_union_map(&scop.schedule), forms::to_union_map(&tree));
        assert!(before.keys().eq(after.keys()), "{name}");
        for (x, y) in before.values().zip(after.values()) {
            assert!(x.is_equal(y, &Budget::unlimited()).expect("unlimited"), "{name}: {x} and {y}");
        }
    }
}

#[test]
fn the_text_says_what_is_wrong_and_where() {
    let base = "scop s\nparams: N\narray Arr0 memory f64 [*]\nstmt Stmt0\n  domain: { Stmt0[i] : 0 <= i < N }\n";
    for (more, line, message) in [
        ("  schedule: [0, i, 0]\n  read: { Stmt0[i] -> Arr1[i] }", 7, "there is no array `Arr1`"),
        ("  schedule: [0, k, 0]", 6, "unknown variable `k`"),
        ("  schedule: [i, 0]", 6, "not a constant"),
        ("  read: { Stmt0[i] -> Arr0[i, i] }", 6, "1 dimensions"),
        ("  read: { Stmt1[i] -> Arr0[i] }", 6, "must be Stmt0"),
        ("  reads: { Stmt0[i] -> Arr0[i] }", 6, "unknown key `reads`"),
        ("  domain: [M] -> { Stmt0[i] : 0 <= i < M }", 6, "the parameters must be [N]"),
        ("stmt Stmt2", 6, "expected stmt Stmt1"),
        ("", 5, "has no schedule"),
    ] {
        let error = Scop::parse(&format!("{base}{more}")).expect_err(more);
        assert_eq!(error.line, line, "{more}: {error}");
        assert!(error.message.contains(message), "{more}: {error}");
    }
}

#[test]
fn expressions_read_back() {
    let space = Set::parse("[N, M] -> { Stmt0[i, j] }").expect("set").space().clone();
    let dims = expr::dim_names(&space);
    for (text, printed) in [
        ("i", "i"),
        ("2i + 3*N - 1", "3N + 2i - 1"),
        ("-(i - j)", "-i + j"),
        ("0", "0"),
        ("floor((i + 1)/32)", "floor((i + 1)/32)"),
        ("i mod 4", "i - 4*floor((i)/4)"),
        ("3 - 2*floor((i + floor((j)/2))/5)", "-2*floor((i + floor((j)/2))/5) + 3"),
    ] {
        let aff = expr::parse_aff(text, &space, &dims).unwrap_or_else(|e| panic!("{text}: {e}"));
        let again = expr::print_aff(&aff, &dims);
        let back = expr::parse_aff(&again, &space, &dims).unwrap_or_else(|e| panic!("{again}: {e}"));
        for point in [[0, 0], [5, 3], [-7, 40], [33, -1]] {
            assert_eq!(aff.eval(&[9, 2], &point), back.eval(&[9, 2], &point), "{text} -> {again}");
        }
        assert_eq!(again, printed);
    }
    for bad in ["i +", "q", "floor(i)", "i / 2", "i mod 0", "2 3"] {
        assert!(expr::parse_aff(bad, &space, &dims).is_err(), "{bad}");
    }
}

/// `for i: a[i] = i; for i: { for j: c[i] += b[i][j] * a[i]; d[i] = c[i] }` in the four forms.
#[test]
fn three_statements_in_four_forms() {
    let scop = fixtures::scop("seed_three");
    let timed = |times: [&str; 3]| -> Vec<Timed> {
        let parse = |(stmt, time): (&super::Stmt, &str)| Timed {
            id: stmt.id,
            domain: stmt.domain.clone(),
            time: text::parse_time(time, stmt.domain.space()).expect("time"),
        };
        scop.stmts.iter().zip(times).map(parse).collect()
    };
    let kelly = from_2d1(&timed(["[0, i]", "[1, i, 0, j]", "[1, i, 1]"])).expect("Kelly form");
    let two_d_one = from_2d1(&timed(["[0, i, 0]", "[1, i, 0, j, 0]", "[1, i, 1]"])).expect("2d+1 form");
    let union = from_union_map(&timed(["[0, i, 0, 0]", "[1, i, 0, j]", "[1, i, 1, 0]"])).expect("union map");
    let yaml = Yaml(&scop.schedule).to_string();
    for tree in [&kelly, &two_d_one, &union] {
        assert_eq!(Yaml(tree).to_string(), yaml);
        let printed: Vec<String> = forms::to_kelly(tree).iter().map(|(_, p)| component_text(&p.time)).collect();
        assert_eq!(printed, ["0, i", "1, i, 0, j", "1, i, 1"]);
        let times = to_2d1(tree).expect("2d+1 form");
        let printed: Vec<usize> = times.values().map(Vec::len).collect();
        assert_eq!(printed, [3, 5, 3]);
        let expected = [
            "{ Stmt0[i] -> [0, i, 0, 0] : 0 <= i < M }",
            "{ Stmt1[i, j] -> [1, i, 0, j] : 0 <= i < M and 0 <= j <= N }",
            "{ Stmt2[i] -> [1, i, 1, 0] : 0 <= i < M }",
        ];
        for (map, expected) in forms::to_union_map(tree).values().zip(expected) {
            let expected = Map::parse(&format!("[M, N] -> {expected}")).expect("map");
            assert!(map.is_equal(&expected, &Budget::unlimited()).expect("unlimited"), "{map}");
        }
    }
}

fn component_text(time: &[TimeDim]) -> String {
    let text = |t: &TimeDim| match t {
        TimeDim::Seq(k) | TimeDim::Any(k) => k.to_string(),
        TimeDim::Aff(aff) => expr::print_aff(aff, &expr::dim_names(aff.space())),
    };
    time.iter().map(text).collect::<Vec<_>>().join(", ")
}

#[test]
fn schedules_without_a_tree_are_refused() {
    let scop = fixtures::scop("seed_three");
    let timed = |times: [&str; 3]| -> Vec<Timed> {
        let parse = |(stmt, time): (&super::Stmt, &str)| Timed {
            id: stmt.id,
            domain: stmt.domain.clone(),
            time: text::parse_time(time, stmt.domain.space()).expect("time"),
        };
        scop.stmts.iter().zip(times).map(parse).collect()
    };
    assert!(from_2d1(&timed(["[0, i, 0]", "[0, i, 0, j, 0]", "[1, i, 1]"])).is_err(), "a loop beside an end");
    assert!(from_2d1(&timed(["[i, i, 0]", "[1, i, 0, j, 0]", "[1, i, 1]"])).is_err(), "a loop value as position");
    assert!(from_union_map(&timed(["[0, i]", "[1, i, 0, j]", "[1, i, 1, 0]"])).is_err(), "different lengths");
    assert!(from_union_map(&timed(["[0, i, 0, 0]", "[0, i, 0, j]", "[0, i, 0, 0]"])).is_err(), "same times");
}

const ATAX: &str = r#"
domain: "{ S0[i0] : 0 <= i0 <= 4095; S1[i0, i1] : 0 <= i0 <= 4095 and 0 <= i1 <= 4095 }"
child:
  sequence:
  - filter: "{ S0[i0] }"
    child:
      schedule: "[{ S0[i0] -> [(i0)] : 0 <= i0 <= 4095 }]"
  - filter: "{ S1[i0, i1] }"
    child:
      schedule: "[{ S1[i0, i1] -> [(i0)] : 0 <= i0 <= 4095 and 0 <= i1 <= 4095 }]"
      child:
        schedule: "[{ S1[i0, i1] -> [(i1)] : 0 <= i0 <= 4095 and 0 <= i1 <= 4095 }]"
"#;

#[test]
fn atax_tree_and_its_map() {
    let tree = parse_tree(ATAX).expect("tree");
    let maps = forms::to_union_map(&tree);
    let expected = [
        "{ S0[i0] -> [o0, o1, o2] : o0 = 0 and o1 = i0 and o2 = 0 and i0 >= 0 and i0 <= 4095 }",
        "{ S1[i0, i1] -> [o0, o1, o2] : o0 = 1 and o1 = i0 and o2 = i1 and i0 >= 0 and i0 <= 4095 and i1 >= 0 and i1 <= 4095 }",
    ];
    assert_eq!(maps.len(), 2);
    for (map, expected) in maps.values().zip(expected) {
        let expected = Map::parse(expected).expect("map");
        assert!(map.is_equal(&expected, &Budget::unlimited()).expect("unlimited"), "{map}");
    }
    let scop = fixtures::scop("seed_atax");
    let renamed = Yaml(&tree).to_string().replace("S0[", "Stmt0[").replace("S1[", "Stmt1[");
    assert_eq!(Yaml(&scop.schedule).to_string(), renamed);
}

#[test]
fn all_node_kinds_read_back() {
    let yaml = r#"domain: "[N] -> { Stmt0[i, j] : 0 <= i < N and 0 <= j < N; Stmt1[i] : 0 <= i < N }"
child:
  context: "[N] -> {  : N >= 2 }"
  child:
    set:
    - filter: "[N] -> { Stmt1[i] }"
      child:
        guard: "[N] -> {  : N >= 3 }"
        child:
          schedule: "[N] -> [{ Stmt1[i] -> [(i)] }]"
          child:
            extension: "[N] -> { [i0] -> Stmt2[o0 = i0] : i0 >= 2 }"
            child:
              sequence:
              - filter: "[N] -> { Stmt2[o0] }"
              - filter: "[N] -> { Stmt1[i] }"
                child:
                  contraction: "[N] -> { Stmt3[o0] -> Stmt1[i = o0] }"
                  expansion: "[N] -> { Stmt1[i] -> Stmt3[o0 = i] }"
    - filter: "[N] -> { Stmt0[i, j] }"
      child:
        mark: "tile(32, 16)"
        child:
          schedule: "[N] -> [{ Stmt0[i, j] -> [(floor((i)/32))] }, { Stmt0[i, j] -> [(floor((i + j)/16))] }]"
          permutable: 1
          coincident: [ 1, 0 ]
          alone: "{ Stmt0[0]; Stmt0[1] }"
          options: "{ separate[0]; unroll_jam[1, 4] }"
          child:
            mark: "point"
            child:
              schedule: "[N] -> [{ Stmt0[i, j] -> [(i)] }, { Stmt0[i, j] -> [(i + j)] }]"
              permutable: 1
              options: "{ unroll[0] }"
"#;
    let tree = parse_tree(yaml).expect("tree");
    let printed = Yaml(&tree).to_string();
    assert_eq!(printed.replace("{  :", "{ :"), yaml.replace("{  :", "{ :"));
    let mut marks = Vec::new();
    let mut options = Vec::new();
    super::tree::flat::visit_nodes(&tree, &mut |_, node, _| match node {
        Node::Mark(mark, _) => marks.push(mark.clone()),
        Node::Band(band, _) => options.extend(band.members.iter().map(|m| m.ast)),
        _ => {}
    });
    assert_eq!(marks, [Mark::TileLoops(vec![32, 16]), Mark::PointLoops]);
    assert_eq!(
        options,
        [AstOption::Default, AstOption::SeparateTiles, AstOption::UnrollJam(4), AstOption::Unroll, AstOption::Default]
    );
    for role in [
        "threads[0]",
        "block.y[0]",
        "thread.x:32[0]",
        "block.x[0] reduction(add: Arr0) reduction(fmin: Arr2)",
        "threads[0] reduction(add: Arr0)",
        "threads[0] reduction(fmax: Arr1[:])",
        "threads[0] reduction(add: Arr0, Arr3, Arr1[:]) reduction(smin: Arr7) lastprivate(Arr2, Arr4) private(Arr5)",
    ] {
        let yaml = format!(
            "domain: \"{{ Stmt0[i] }}\"\nchild:\n  schedule: \"[{{ Stmt0[i] -> [(i)] }}]\"\n  roles: \"{{ {role} }}\"\n"
        );
        let tree = parse_tree(&yaml).expect("tree");
        assert_eq!(Yaml(&tree).to_string(), yaml);
    }
    for bad in [
        "schedule: \"[{ S0[i] -> [(i)] }]\"",
        "domain: \"{ S0[i] }\"\nchild:\n",
        "domain: \"{ S0[i] }\"\nbanana: 1",
        "domain: \"{ S[i] }\"",
    ] {
        assert!(parse_tree(bad).is_err(), "{bad}");
    }
}

#[test]
fn a_tree_that_is_not_2d1_is_printed_as_yaml() {
    let mut scop = fixtures::scop("diagonal");
    let Node::Domain(_, child) = &mut scop.schedule else { panic!("domain") };
    let Node::Band(band, _) = child.as_mut() else { panic!("band") };
    band.permutable = true;
    let printed = scop.to_string();
    assert!(printed.contains("\ntree:\ndomain:"), "{printed}");
    assert_eq!(printed, Scop::parse(&printed).expect("reads").to_string());
}

#[test]
fn positions_are_constants() {
    let space = Set::parse("[N] -> { Stmt0[i] }").expect("set").space().clone();
    let dims = expr::dim_names(&space);
    let constant = |text: &str| constant_of(&expr::parse_aff(text, &space, &dims).expect("expression"));
    assert_eq!((constant("7"), constant("i - i - 2"), constant("N"), constant("i")), (Some(7), Some(-2), None, None));
}
