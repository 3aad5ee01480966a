//! Tree operations: legal where their condition holds, found illegal where it does not.

use crate::deps::tests::seeds::{budget, deps_of};
use crate::model::tree::ops::{self, Inapplicable, at};
use crate::model::tree::read::parse_tree;
use crate::model::tree::{Band, Mark, Member, Node, print::Yaml};
use crate::model::{Scop, fixtures};
use crate::proof::{self, Verdict};
use presburger::{Aff, Map, Set};

type Op<'a> = &'a dyn Fn(Node) -> Result<Node, Inapplicable>;

fn applied(scop: &Scop, steps: &[(&[usize], Op<'_>)]) -> Node {
    steps.iter().fold(scop.schedule.clone(), |tree, (path, op)| at(tree, path, op).expect("applies"))
}

fn verdict(name: &str, steps: &[(&[usize], Op<'_>)]) -> Verdict {
    let scop = fixtures::scop(name);
    let tree = applied(&scop, steps);
    proof::check(&scop, &deps_of(&scop), &tree, &budget()).expect("within budget")
}

fn text(tree: &Node) -> String {
    Yaml(tree).to_string()
}

#[test]
fn split_undoes_combine() {
    let scop = fixtures::scop("seed_matmul");
    let combined = applied(&scop, &[(&[0], &ops::combine), (&[0], &ops::combine)]);
    let Node::Domain(_, child) = &combined else { panic!("domain") };
    assert!(matches!(&**child, Node::Band(band, _) if band.members.len() == 3));
    let back =
        at(combined, &[0], &|t| ops::split(t, 1)).and_then(|t| at(t, &[0, 0], &|t| ops::split(t, 1))).expect("applies");
    assert_eq!(text(&back), text(&scop.schedule));
}

#[test]
fn tiling_and_changing_a_band() {
    let tile: Op<'_> = &|t| ops::tile(t, &[4, 8]);
    let skew: Op<'_> = &|t| ops::change_band(t, &[vec![1, 0], vec![1, 1]], &[0, 0]);
    let swap: Op<'_> = &|t| ops::change_band(t, &[vec![0, 1], vec![1, 0]], &[0, 0]);
    let flip: Op<'_> = &|t| ops::change_band(t, &[vec![-1, 0], vec![0, 1]], &[7, 0]);
    assert!(verdict("diagonal", &[(&[0], &ops::combine), (&[0], tile)]).is_legal());
    assert!(!verdict("antidiagonal", &[(&[0], &ops::combine), (&[0], tile)]).is_legal());
    assert!(verdict("antidiagonal", &[(&[0], &ops::combine), (&[0], skew), (&[0], tile)]).is_legal());
    assert!(!verdict("antidiagonal", &[(&[0], &ops::combine), (&[0], swap)]).is_legal());
    assert!(!verdict("diagonal", &[(&[0], &ops::combine), (&[0], flip)]).is_legal());
}

#[test]
fn distributing_fusing_and_reordering() {
    assert!(verdict("gesummv", &[(&[0], &ops::distribute)]).is_legal());
    assert!(!verdict("jacobi_1d", &[(&[0], &ops::distribute)]).is_legal());
    assert!(!verdict("produce_consume", &[(&[0], &ops::fuse)]).is_legal());
    let shift: Op<'_> = &|t| ops::change_band(t, &[vec![1]], &[1]);
    assert!(verdict("produce_consume", &[(&[0, 1, 0], shift), (&[0], &ops::fuse)]).is_legal());
    assert!(verdict("mvt", &[(&[0], &ops::fuse)]).is_legal());
    assert!(verdict("mvt", &[(&[0], &|t| ops::reorder(t, &[1, 0]))]).is_legal());
    assert!(!verdict("produce_consume", &[(&[0], &|t| ops::reorder(t, &[1, 0]))]).is_legal());
    let scop = fixtures::scop("gesummv");
    let back = applied(&scop, &[(&[0], &ops::distribute), (&[0], &ops::fuse)]);
    assert_eq!(text(&back), text(&scop.schedule));
}

#[test]
fn sinking_a_band_makes_it_innermost() {
    let scop = fixtures::scop("seed_matmul");
    let tree = applied(&scop, &[(&[0], &ops::sink)]);
    let order: Vec<String> =
        text(&tree).lines().filter(|l| l.contains("schedule")).map(|l| l.trim().to_owned()).collect();
    assert!(order[0].contains("[(i1)]") && order[1].contains("[(i2)]") && order[2].contains("[(i0)]"), "{order:?}");
    assert!(verdict("seed_matmul", &[(&[0], &ops::sink)]).is_legal());
    assert!(!verdict("jacobi_1d", &[(&[0], &ops::sink)]).is_legal());
    assert!(!verdict("lu", &[(&[0], &ops::sink)]).is_legal());
}

#[test]
fn inserted_nodes_keep_the_order() {
    let scop = fixtures::scop("diagonal");
    let context = Set::parse("[N, M] -> { : N >= 1 }").expect("set");
    let stmt = &scop.stmts[0];
    let all = [(stmt.id, Set::universe(stmt.domain.space().clone()))];
    let some = [(stmt.id, Set::parse("[N, M] -> { Stmt0[i, j] : i > 0 }").expect("set"))];
    let always = Set::parse("[N, M] -> { : N >= 1 or M <= 0 or N <= 0 }").expect("set");
    let seldom = Set::parse("[N, M] -> { : N >= 7 }").expect("set");
    let steps: [(&[usize], Op<'_>); 4] = [
        (&[0], &|t| Ok(ops::insert_context(t, context.clone()))),
        (&[0, 0], &|t| Ok(ops::insert_mark(t, Mark::Note("here".to_owned())))),
        (&[0, 0, 0], &|t| Ok(ops::insert_filter(t, all.clone().into()))),
        (&[0, 0, 0, 0], &|t| Ok(ops::insert_guard(t, always.clone()))),
    ];
    assert!(verdict("diagonal", &steps).is_legal());
    assert!(!verdict("diagonal", &[(&[0], &|t| Ok(ops::insert_filter(t, some.clone().into())))]).is_legal());
    let Verdict::Illegal(violation) = verdict("diagonal", &[(&[0], &|t| Ok(ops::insert_guard(t, seldom.clone())))])
    else {
        panic!("instances are left out");
    };
    assert_eq!(violation.reason, proof::Reason::Missing);
    assert!(violation.params[0].1 < 7, "{violation}");
}

#[test]
fn operations_refuse_what_they_do_not_fit() {
    let tree = || fixtures::scop("mvt").schedule;
    let refused = |path: &[usize], op: Op<'_>| assert!(at(tree(), path, op).is_err());
    refused(&[0, 7], &|t| Ok(t));
    refused(&[1], &|t| Ok(t));
    refused(&[0, 0, 0, 0, 0, 0], &|t| Ok(t));
    refused(&[0], &ops::combine);
    refused(&[0], &ops::sink);
    refused(&[0], &ops::distribute);
    refused(&[0, 0, 0], &ops::fuse);
    refused(&[0, 0, 0], &ops::distribute);
    refused(&[0, 0, 0], &|t| ops::split(t, 1));
    refused(&[0, 0, 0], &|t| ops::tile(t, &[0]));
    refused(&[0, 0, 0], &|t| ops::tile(t, &[2, 2]));
    refused(&[0, 0, 0], &|t| ops::change_band(t, &[vec![1, 0]], &[0]));
    refused(&[0], &|t| ops::reorder(t, &[0, 0]));
    refused(&[0], &|t| ops::reorder(t, &[0]));
}

/// A loop, and a copy of its input into an array that only the copy uses (or, the second time, that the loop reads).
fn with_copy(target: &str) -> Scop {
    let text = format!(
        "scop copied\nparams: N\narray Arr0 memory f64 [*]\narray Arr1 memory f64 [*]\narray Arr2 memory f64 [*]\n\
         stmt Stmt0\n  domain: {{ Stmt0[i] : 0 <= i < N }}\n  schedule: [0, i, 0]\n  read: {{ Stmt0[i] -> Arr0[i] }}\n  \
         must_write: {{ Stmt0[i] -> Arr1[i] }}\n\
         stmt Stmt1\n  domain: {{ Stmt1[t, a] : 0 <= 4t < N and 0 <= a < 4 }}\n  schedule: [1, t, 0, a, 0]\n  \
         read: {{ Stmt1[t, a] -> Arr0[4t + a] }}\n  must_write: {{ Stmt1[t, a] -> {target}[4t + a] }}\n"
    );
    let mut scop = Scop::parse(&text).unwrap_or_else(|e| panic!("{e}"));
    let Node::Domain(mut sets, child) = scop.schedule else { panic!("domain") };
    sets.remove(&crate::ids::StmtId(1));
    let Node::Sequence(mut children) = *child else { panic!("two nests") };
    scop.schedule = Node::Domain(sets, Box::new(children.remove(0).children()[0].clone()));
    scop
}

#[test]
fn added_copies_are_legal_where_nothing_else_uses_what_they_write() {
    let tree = |scop: &Scop, map: &str| {
        let copy = crate::ids::StmtId(1);
        let maps = [(copy, Map::parse(map).expect("map"))];
        let value = |k| Aff::dim(scop.stmt(copy).domain.space(), k);
        let member = |aff| Member::new([(copy, aff)].into());
        let copies = Node::Band(Band { members: vec![member(value(1))], permutable: false }, Box::new(Node::Leaf));
        let all = |id| [(id, Set::universe(scop.stmt(id).domain.space().clone()))].into();
        let added = |child: Node| {
            let children = vec![
                Node::Filter(all(copy), Box::new(copies.clone())),
                Node::Filter(all(crate::ids::StmtId(0)), Box::new(child)),
            ];
            Ok(ops::insert_extension(Node::Sequence(children), maps.clone().into()))
        };
        applied(scop, &[(&[0], &|t| ops::tile(t, &[4])), (&[0, 0], &added)])
    };
    let check = |scop: &Scop, tree: &Node| proof::check(scop, &deps_of(scop), tree, &budget()).expect("within budget");
    let all = "[N] -> { [t] -> Stmt1[t, a] : 0 <= 4t < N and 0 <= a < 4 }";
    let scop = with_copy("Arr2");
    assert_eq!(check(&scop, &tree(&scop, all)), Verdict::Legal);
    let some = "[N] -> { [t] -> Stmt1[t, a] : 0 <= 4t < N and 0 <= a < 3 }";
    let more = "[N] -> { [t] -> Stmt1[t, a] : 0 <= 4t < N + 4 and 0 <= a < 4 }";
    let reason = |scop: &Scop, map: &str| match check(scop, &tree(scop, map)) {
        Verdict::Illegal(violation) => violation.reason,
        Verdict::Legal => panic!("{map} is legal"),
    };
    assert_eq!(reason(&scop, some), proof::Reason::Missing);
    assert_eq!(reason(&scop, more), proof::Reason::Extra);
    let scop = with_copy("Arr0");
    assert_eq!(reason(&scop, all), proof::Reason::Overwrites);
}

#[test]
fn an_expansion_is_as_legal_as_the_order_it_gives() {
    let scop = fixtures::scop("seed_matmul");
    let grouped = |order: &str| {
        let text = format!(
            "domain: \"[P2, P1, P0] -> {{ Stmt7[i] : 0 <= i < P2 }}\"\nchild:\n  \
             schedule: \"[P2, P1, P0] -> [{{ Stmt7[i] -> [(i)] }}]\"\n  child:\n    \
             expansion: \"[P2, P1, P0] -> {{ Stmt7[i] -> Stmt0[i, j, k] : 0 <= j < P1 and 0 <= k < P0 }}\"\n    child:\n      \
             schedule: \"[P2, P1, P0] -> [{{ Stmt0[i, j, k] -> [({order})] }}, {{ Stmt0[i, j, k] -> [(j)] }}]\"\n"
        );
        let tree = parse_tree(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        proof::check(&scop, &deps_of(&scop), &tree, &budget()).expect("within budget")
    };
    assert_eq!(grouped("k"), Verdict::Legal);
    let Verdict::Illegal(violation) = grouped("-k") else { panic!("sums run backwards") };
    assert!(matches!(violation.reason, proof::Reason::Dependence(..)), "{violation}");
}
