//! Tree operations: legal where their condition holds, found illegal where it does not.

use super::seeds::{budget, deps_of};
use crate::deps::legality::{self, Verdict};
use crate::model::tree::ops::{self, Inapplicable, at};
use crate::model::tree::{Mark, Node, print::Yaml};
use crate::model::{Scop, fixtures};
use presburger::Set;

type Op<'a> = &'a dyn Fn(Node) -> Result<Node, Inapplicable>;

fn applied(scop: &Scop, steps: &[(&[usize], Op<'_>)]) -> Node {
    steps.iter().fold(scop.schedule.clone(), |tree, (path, op)| at(tree, path, op).expect("applies"))
}

fn verdict(name: &str, steps: &[(&[usize], Op<'_>)]) -> Verdict {
    let scop = fixtures::scop(name);
    let tree = applied(&scop, steps);
    legality::check(&scop, &deps_of(&scop), &tree, &budget()).expect("within budget")
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
    assert_eq!(violation.reason, legality::Reason::Missing);
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
