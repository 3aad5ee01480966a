//! Updates that may change places: what they free, and twins that look alike and stay bound.

use crate::deps::loops;
use crate::deps::tests::seeds::{budget, deps_of, tree_of};
use crate::deps::{copies, flow};
use crate::ids::{ArrayId, StmtId, ValueId};
use crate::model::tree::flat::visit_nodes;
use crate::model::tree::read::parse_tree;
use crate::model::tree::{Mark, Node, ThreadCopies};
use crate::model::{LiveOut, Scop};
use crate::parallel::copies::threads_of;
use crate::proof::{self, Verdict};
use presburger::Set;
use std::collections::BTreeSet;

/// A model with texts replaced.
fn changed(text: &str, changes: &[(&str, &str)]) -> Scop {
    let change = |text: String, (from, to): &(&str, &str)| {
        assert!(text.contains(from), "{from}");
        text.replace(from, to)
    };
    Scop::parse(&changes.iter().fold(text.to_owned(), change)).expect("text")
}

/// `for i { Arr0[0] += Arr1[i]; Arr2[i] = Arr1[i] }`, with texts replaced.
fn sum(changes: &[(&str, &str)]) -> Scop {
    let text = "
        scop sum
        params: N
        assumed: { : N >= 1 }
        array Arr0 memory i32 [*]
        array Arr1 memory i32 [*]
        array Arr2 memory i32 [*]
        stmt Stmt0
          domain: { Stmt0[i] : 0 <= i < N }
          schedule: [0, i, 0]
          read: { Stmt0[i] -> Arr1[i] }
          read: { Stmt0[i] -> Arr0[0] }
          must_write: { Stmt0[i] -> Arr0[0] }
          reduction: add Arr0
        stmt Stmt1
          domain: { Stmt1[i] : 0 <= i < N }
          schedule: [0, i, 1]
          read: { Stmt1[i] -> Arr1[i] }
          must_write: { Stmt1[i] -> Arr2[i] }
    ";
    changed(text, changes)
}

/// Both statements in one loop whose values are `time`, with or without the claim that it is coincident, and with these
/// roles.
fn one_loop(scop: &Scop, time: &str, coincident: u8, roles: &str) -> Node {
    let domains: Vec<String> = scop.stmts.iter().map(|s| s.domain.to_string()).collect();
    let part = |text: &String| text.split_once("{").expect("a set").1.trim_end_matches('}').trim().to_owned();
    let domains: Vec<String> = domains.iter().map(part).collect();
    let times: Vec<String> = scop.stmts.iter().map(|s| format!("{}[i] -> [({time})]", s.id)).collect();
    let filters: Vec<String> =
        scop.stmts.iter().map(|s| format!("    - filter: \"[N] -> {{ {}[i] }}\"", s.id)).collect();
    let band = format!(
        "schedule: \"[N] -> [{{ {} }}]\"\n    coincident: [{coincident}]\n    roles: \"{{ {roles} }}\"\n    permutable: 1\n    child:\n      sequence:\n{}",
        times.join("; "),
        filters.join("\n").replace("    -", "      -")
    );
    let text =
        format!("domain: \"[N] -> {{ {} }}\"\nchild:\n  mark: \"note\"\n  child:\n    {band}\n", domains.join("; "));
    parse_tree(&text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

fn is_legal(scop: &Scop, time: &str) -> bool {
    let tree = one_loop(scop, time, 0, "");
    proof::check(scop, &deps_of(scop), &tree, &budget()).expect("within budget").is_legal()
}

/// The arrays of which blocks need copies of an element; there are no other copies.
fn numbers(copies: &ThreadCopies) -> Vec<u32> {
    assert!(copies.arrays.is_empty() && copies.privatized.is_empty(), "{copies:?}");
    copies.elements.iter().map(|c| c.array.0).collect()
}

/// What blocks of the loop's iterations need copies of; `None`: they may not run at the same time.
fn reductions(scop: &Scop) -> Option<Vec<u32>> {
    let deps = deps_of(scop);
    let flow = flow::last_writers(scop, &budget()).expect("within budget");
    let found = threads_of(scop, (&deps, &flow), &scop.schedule, (&[0], 0), None, &budget());
    found.expect("within budget").map(|copies| numbers(&copies))
}

#[test]
fn updates_may_run_backwards_if_the_operation_allows_it() {
    assert!(is_legal(&sum(&[]), "i"));
    assert!(is_legal(&sum(&[]), "-i"));
    let ordered = sum(&[("reduction: add Arr0", "")]);
    assert!(is_legal(&ordered, "i"));
    assert!(!is_legal(&ordered, "-i"));
}

#[test]
fn the_checker_believes_the_model_and_not_the_list() {
    let mut scop = sum(&[]);
    let deps = deps_of(&scop);
    assert!(deps.validity.is_empty(), "{deps}");
    assert_eq!(deps.reductions.len(), 3);
    let backwards = one_loop(&scop, "-i", 0, "");
    assert_eq!(proof::check(&scop, &deps, &backwards, &budget()).expect("within budget"), Verdict::Legal);
    scop.stmts[0].reduction = None;
    assert!(matches!(proof::check(&scop, &deps, &backwards, &budget()), Ok(Verdict::Illegal(_))));
}

#[test]
fn updates_do_not_run_at_the_same_time_without_copies() {
    let scop = sum(&[]);
    let coincident = |tree: &Node| {
        proof::check_coincident(&scop, &deps_of(&scop), tree, &budget()).expect("within budget").is_legal()
    };
    assert!(coincident(&one_loop(&scop, "i", 0, "")));
    assert!(!coincident(&one_loop(&scop, "i", 1, "")));
    assert!(!coincident(&one_loop(&scop, "i", 0, "threads[0]")));
    assert!(coincident(&one_loop(&scop, "i", 0, "threads[0] reduction(add: Arr0)")));
    assert!(!coincident(&one_loop(&scop, "i", 0, "threads[0] reduction(add: Arr1)")));
    assert!(!coincident(&one_loop(&scop, "i", 0, "block.x[0]")));
    assert!(coincident(&one_loop(&scop, "i", 0, "block.x[0] reduction(add: Arr0)")));
    assert!(!coincident(&one_loop(&scop, "i", 0, "block.x[0] reduction(mul: Arr0)")));
    assert!(!coincident(&one_loop(&scop, "i", 0, "block.x[0] reduction(add: Arr1)")));
    assert_eq!(reductions(&scop), Some(vec![0]));
}

/// `for i { for j Arr0[j] += Arr1[i, j] }`, with texts replaced.
fn columns(changes: &[(&str, &str)]) -> Scop {
    let text = "
        scop columns
        params: N, M
        assumed: { : N >= 1 and M >= 1 }
        array Arr0 memory i32 [*]
        array Arr1 memory i32 [*, 100]
        stmt Stmt0
          domain: { Stmt0[i, j] : 0 <= i < N and 0 <= j < M }
          schedule: [0, i, 0, j, 0]
          read: { Stmt0[i, j] -> Arr1[i, j] }
          read: { Stmt0[i, j] -> Arr0[j] }
          must_write: { Stmt0[i, j] -> Arr0[j] }
          reduction: add Arr0
    ";
    changed(text, changes)
}

/// The whole arrays of which blocks of the outermost loop need copies if there can be copies of any; there are no
/// others.
fn whole(scop: &Scop) -> Option<Vec<u32>> {
    let deps = deps_of(scop);
    let flow = flow::last_writers(scop, &budget()).expect("within budget");
    let (at, budget) = ((&[0][..], 0), budget());
    let found = threads_of(scop, (&deps, &flow), &scop.schedule, at, Some(&budget), &budget);
    found.expect("within budget").map(|copies| {
        assert!(copies.elements.is_empty() && copies.privatized.is_empty(), "{copies:?}");
        copies.arrays.iter().map(|c| c.array.0).collect()
    })
}

#[test]
fn updates_of_many_elements_run_at_the_same_time_in_copies_of_the_array() {
    let scop = columns(&[]);
    assert_eq!(whole(&scop), Some(vec![0]));
    assert_eq!(reductions(&scop), None, "no copies of arrays are allowed");
    let twice = [(
        "must_write: { Stmt0[i, j] -> Arr0[j] }",
        "must_write: { Stmt0[i, j] -> Arr0[j] }\n          read: { Stmt0[i, j] -> Arr0[j + 1] }",
    )];
    assert_eq!(whole(&columns(&twice)), None, "somebody else reads");
    assert_eq!(whole(&columns(&[("reduction: add Arr0", "")])), None, "the order counts");
    let claims = |role: &str| {
        let below = format!(
            "schedule: \"[N, M] -> [{{ Stmt0[i, j] -> [i] }}]\"\nroles: \"{{ {role} }}\"\nchild:\n  schedule: \"[N, M] -> [{{ Stmt0[i, j] -> [j] }}]\"\n"
        );
        let tree = tree_of(&scop, &below);
        proof::check_coincident(&scop, &deps_of(&scop), &tree, &budget()).expect("within budget").is_legal()
    };
    assert!(claims("threads[0] reduction(add: Arr0[:])"));
    assert!(!claims("threads[0] reduction(add: Arr1[:])"));
    assert!(!claims("threads[0]"));
}

#[test]
fn an_element_that_moves_with_a_jammed_loop_around_is_not_copied() {
    let scop = columns(&[]);
    let (deps, budget) = (deps_of(&scop), budget());
    let flow = flow::last_writers(&scop, &budget).expect("within budget");
    let below = |outer: &str, between: &str, role: &str| {
        let (rows, columns) = ("[N, M] -> [{ Stmt0[i, j] -> [i] }]", "[N, M] -> [{ Stmt0[i, j] -> [j] }]");
        let role = if role.is_empty() { String::new() } else { format!("\n{between}  roles: \"{{ {role} }}\"") };
        let filter = if between.is_empty() { "" } else { "\n  sequence:\n  - filter: \"{ Stmt0[i, j] }\"" };
        tree_of(
            &scop,
            &format!(
                "schedule: \"{columns}\"\noptions: \"{{ {outer} }}\"\nchild:{filter}\n{between}{}  schedule: \"{rows}\"{role}\n",
                if between.is_empty() { "" } else { "child:\n    " },
            ),
        )
    };
    let copied = |outer: &str, between: &str, path: &[usize]| {
        let tree = below(outer, between, "");
        let found = threads_of(&scop, (&deps, &flow), &tree, (path, 0), Some(&budget), &budget);
        found.expect("within budget").map(|copies| numbers(&copies))
    };
    let proved = |outer: &str, between: &str| {
        let tree = below(outer, between, "threads[0] reduction(add: Arr0)");
        proof::check_coincident(&scop, &deps, &tree, &budget).expect("within budget").is_legal()
    };
    assert_eq!((copied("", "", &[0, 0]), proved("", "")), (Some(vec![0]), true), "one column after the other");
    assert_eq!((copied("unroll_jam[0, 2]", "", &[0, 0]), proved("unroll_jam[0, 2]", "")), (None, false));
    let apart = (copied("unroll_jam[0, 2]", "    ", &[0, 0, 0, 0]), proved("unroll_jam[0, 2]", "    "));
    assert_eq!(apart, (Some(vec![0]), true), "below a sequence, each column has its own loop over rows");
}

#[test]
fn copies_are_put_together_where_every_element_is_surely_written() {
    let fills = |scop: &Scop, part: &str| {
        let part = Set::parse(part).expect("a set");
        copies::fills(scop, (ArrayId(0), &part), &BTreeSet::from([StmtId(0)]), &budget()).expect("within budget")
    };
    let all = "[N, M] -> { [e] : 0 <= e < M }";
    assert!(fills(&columns(&[]), all));
    assert!(!fills(&columns(&[]), "[N, M] -> { [e] : 0 <= e <= M }"));
    assert!(!fills(&columns(&[]), "[N, M] -> { [e] : -1 <= e < M }"));
    let every_other = [("Arr0[j]", "Arr0[2j]")];
    assert!(!fills(&columns(&every_other), "[N, M] -> { [e] : 0 <= e <= 2M - 2 }"));
    let triangle = [("0 <= j < M", "0 <= j <= i")];
    assert!(fills(&columns(&triangle), "[N, M] -> { [e] : 0 <= e < N }"));
    let maybe = [("must_write", "may_write"), ("reduction: add Arr0", "")];
    assert!(fills(&columns(&maybe), all), "nothing is surely written, so nothing is ever put together");
    let empty = [("assumed: { : N >= 1 and M >= 1 }", "assumed: { : M >= 1 }")];
    assert!(fills(&columns(&empty), all), "without a row there is no update either");
}

#[test]
fn wrong_claims_are_withdrawn() {
    let scop = sum(&[]);
    let deps = deps_of(&scop);
    let mut tree = one_loop(&scop, "i", 1, "");
    let band_of = |tree: &Node| {
        let mut found = None;
        crate::model::tree::flat::visit_nodes(tree, &mut |_, node, _| {
            if let Node::Band(band, _) = node {
                found = Some(band.clone());
            }
        });
        found.expect("a band")
    };
    if let Node::Domain(_, child) = &mut tree
        && let Node::Mark(Mark::Note(_), child) = &mut **child
        && let Node::Band(band, _) = &mut **child
    {
        band.members[0].alone = scop.stmts.iter().map(|s| s.id).collect();
    }
    let kept = loops::withdraw(&scop, &deps, tree.clone(), &budget()).expect("within budget");
    let band = band_of(&kept);
    assert!(!band.members[0].coincident);
    assert_eq!(band.members[0].alone, [scop.stmts[1].id]);
    let ordered = sum(&[("reduction: add Arr0", "")]);
    let kept = loops::withdraw(&ordered, &deps_of(&ordered), tree, &budget()).expect("within budget");
    assert!(band_of(&kept).members[0].coincident, "only updates are looked at");
}

#[test]
fn an_element_that_is_only_updated_is_copied() {
    assert_eq!(reductions(&sum(&[])), Some(vec![0]));
    assert_eq!(reductions(&sum(&[("reduction: add Arr0", "")])), None);
}

#[test]
fn whoever_looks_at_the_running_value_binds_it() {
    let prefix = sum(&[("read: { Stmt1[i] -> Arr1[i] }", "read: { Stmt1[i] -> Arr0[0] }")]);
    assert!(is_legal(&prefix, "i") && !is_legal(&prefix, "-i"));
    assert_eq!(reductions(&prefix), None);
    let overwritten = sum(&[("must_write: { Stmt1[i] -> Arr2[i] }", "must_write: { Stmt1[i] -> Arr0[0] }")]);
    assert!(!is_legal(&overwritten, "-i"));
    assert_eq!(reductions(&overwritten), None);
}

#[test]
fn updates_by_one_operation_mix_and_by_two_do_not() {
    let second = |op: &str| {
        sum(&[
            ("read: { Stmt1[i] -> Arr1[i] }", "read: { Stmt1[i] -> Arr0[0] }"),
            (
                "must_write: { Stmt1[i] -> Arr2[i] }",
                &format!("must_write: {{ Stmt1[i] -> Arr0[0] }}\n reduction: {op} Arr0"),
            ),
        ])
    };
    assert!(is_legal(&second("add"), "-i"));
    assert_eq!(reductions(&second("add")), Some(vec![0]));
    assert!(!is_legal(&second("mul"), "-i"));
    assert_eq!(reductions(&second("mul")), None);
}

#[test]
fn elements_that_move_with_the_loop_are_not_copied() {
    let at = |element: &str| sum(&[("Arr0[0]", &format!("Arr0[{element}]"))]);
    assert_eq!(reductions(&at("0")), Some(vec![0]));
    assert_eq!(reductions(&at("N")), Some(vec![0]));
    assert_eq!(reductions(&at("i")), Some(vec![]), "no iteration meets another");
    assert_eq!(reductions(&at("floor(i/2)")), None);
    assert!(is_legal(&at("floor(i/2)"), "-i"));
}

/// `s = 0; for i s += Arr1[i]; Arr2[0] = s`, s a scalar, with texts replaced; what blocks of the loop need copies of.
fn local_sum(changes: &[(&str, &str)], escapes: bool) -> Option<Vec<u32>> {
    let text = "
        scop local
        params: N
        assumed: { : N >= 1 }
        array Arr0 phi i32 []
        array Arr1 memory i32 [*]
        array Arr2 memory i32 [*]
        stmt Stmt0
          domain: { Stmt0[] }
          schedule: [0]
          must_write: { Stmt0[] -> Arr0[] }
        stmt Stmt1
          domain: { Stmt1[i] : 0 <= i < N }
          schedule: [1, i]
          read: { Stmt1[i] -> Arr1[i] }
          read: { Stmt1[i] -> Arr0[] }
          must_write: { Stmt1[i] -> Arr0[] }
          reduction: add Arr0
        stmt Stmt2
          domain: { Stmt2[] }
          schedule: [2]
          read: { Stmt2[] -> Arr0[] }
          must_write: { Stmt2[] -> Arr2[0] }
    ";
    let mut scop = changed(text, changes);
    if escapes {
        scop.live_out.push(LiveOut { value: ValueId(0), array: ArrayId(0) });
    }
    let mut path = None;
    visit_nodes(&scop.schedule, &mut |at, node, _| {
        if matches!(node, Node::Band(..)) {
            path.get_or_insert_with(|| at.to_vec());
        }
    });
    let deps = deps_of(&scop);
    let flow = flow::last_writers(&scop, &budget()).expect("within budget");
    let path = path.expect("a loop");
    let found = threads_of(&scop, (&deps, &flow), &scop.schedule, (&path, 0), None, &budget());
    found.expect("within budget").map(|copies| numbers(&copies))
}

#[test]
fn a_scalar_that_is_only_updated_is_copied_whoever_reads_it_behind() {
    assert_eq!(local_sum(&[], false), Some(vec![0]));
    assert_eq!(local_sum(&[], true), Some(vec![0]));
    assert_eq!(local_sum(&[("reduction: add Arr0", "")], false), None);
}

#[test]
fn a_scalar_that_the_loop_reads_or_sets_as_well_binds_it() {
    let in_loop = |access: &str| {
        let (domain, at) = ("domain: { Stmt2[i] : 0 <= i < N }", "schedule: [1, i, 1]");
        let mut changes =
            vec![("domain: { Stmt2[] }", domain), ("schedule: [2]", at), ("schedule: [1, i]", "schedule: [1, i, 0]")];
        changes
            .extend([("read: { Stmt2[] -> Arr0[] }", access), ("{ Stmt2[] -> Arr2[0] }", "{ Stmt2[i] -> Arr2[i] }")]);
        local_sum(&changes, false)
    };
    assert_eq!(in_loop(""), Some(vec![0]));
    assert_eq!(in_loop("read: { Stmt2[i] -> Arr0[] }"), None);
    assert_eq!(in_loop("must_write: { Stmt2[i] -> Arr0[] }"), None);
    assert_eq!(in_loop("read: { Stmt2[i] -> Arr0[] : i = 0 }"), None);
}
