//! What a stage hands on, changed: the proof or the check that follows notices. Roles are changed in the tests of
//! `parallel`, mapped scalars in those of `storage`, code in those of `codegen`.

use super::{ast_of, grid};
use crate::ast::replay;
use crate::ast::tests::interp::run;
use crate::ast::types::{Ast, Expr, For};
use crate::deps::tests::oracle;
use crate::deps::tests::seeds::{budget, deps_of};
use crate::deps::{DepKind, Dependences};
use crate::ids::StmtId;
use crate::model::tree::flat::visit_nodes;
use crate::model::tree::{Node, ops};
use crate::model::{Scop, fixtures};
use crate::proof::{self, Verdict};
use crate::schedule::{Config, Machine, schedule};
use presburger::{Aff, Kind};

/// Sequences, shared and nested loops, skewed and triangular ones.
const NAMES: [&str; 9] =
    ["gemm", "gesummv", "jacobi_1d", "lu", "mvt", "produce_consume", "seidel_2d", "trisolv", "trmm"];
/// Value of all parameters where something is enumerated.
const FEW: i64 = 4;

fn small(scop: &Scop) -> Vec<i64> {
    vec![FEW; scop.params.len()]
}

/// The scheduler's tree, tiled by two and three; no loop is jammed, so that the proof is exact.
fn order(scop: &Scop, deps: &Dependences) -> Option<Node> {
    let wishes = Config { tile_sizes: vec![2, 3], unroll_jam: false, process_unprofitable: true, ..Config::default() };
    schedule(scop, deps, &wishes, &Machine::WIDE, &budget()).expect("within budget").tree().cloned()
}

/// What the proof says of an order: the same as enumeration does for few instances, and of each violation with the
/// values that it names.
fn proved(scop: &Scop, tree: &Node) -> bool {
    let verdict = proof::check(scop, &deps_of(scop), tree, &budget()).expect("within budget");
    let witness = match &verdict {
        Verdict::Legal => small(scop),
        Verdict::Illegal(violation) => violation.params.iter().map(|(_, value)| *value).collect(),
    };
    if witness.iter().all(|v| (-1..12).contains(v)) {
        assert_eq!(verdict.is_legal(), oracle::is_legal(scop, tree, &witness), "{}: {verdict:?}", scop.name);
    }
    verdict.is_legal()
}

#[test]
fn a_model_that_is_changed_refuses_the_order_of_the_old_one() {
    for name in NAMES {
        let scop = fixtures::scop(name);
        let tree = order(&scop, &deps_of(&scop)).expect("an order");
        assert!(proved(&scop, &tree), "{name}");
        for k in (0..scop.stmts.len()).filter(|k| scop.stmts[*k].dims() > 0) {
            let domain = &scop.stmts[k].domain;
            let mut row = vec![0; domain.space().n_param() + domain.space().n_out() + 1];
            row[domain.space().n_param()] = 1;
            *row.last_mut().expect("a constant") = -1;
            let mut fewer = scop.clone();
            fewer.stmts[k].domain = domain.add(Kind::Ge, &row);
            if !domain.is_subset(&fewer.stmts[k].domain, &budget()).expect("within budget") {
                let verdict = proof::check(&fewer, &deps_of(&scop), &tree, &budget()).expect("within budget");
                assert!(!verdict.is_legal(), "{name}: Stmt{k} runs an iteration less");
            }
        }
    }
}

#[test]
fn a_dependence_that_is_dropped_lets_illegal_orders_through_that_the_others_would_have_refused() {
    let mut refused = 0;
    for name in NAMES {
        let scop = fixtures::scop(name);
        let all = deps_of(&scop);
        for kind in [DepKind::Raw, DepKind::War, DepKind::Waw] {
            let fewer = Dependences {
                validity: all.validity.iter().filter(|d| d.kind != kind).cloned().collect(),
                ..all.clone()
            };
            let missed = oracle::listed(&scop, &fewer.validity, &small(&scop)).len();
            let found = oracle::listed(&scop, &all.validity, &small(&scop)).len();
            assert_eq!(missed < found, fewer.validity.len() < all.validity.len(), "{name}");
            let blind = Dependences { validity: Vec::new(), reuse: Vec::new(), ..all.clone() };
            for deps in [&fewer, &blind] {
                refused += usize::from(order(&scop, deps).is_some_and(|tree| !proved(&scop, &tree)));
            }
        }
    }
    assert!(refused >= 5, "only {refused} orders are illegal");
}

/// Each band and sequence of a tree changed, one at a time: a member runs backwards, two change places, one is shifted
/// for its first statement; children change places, one is gone.
fn changed_trees(tree: &Node) -> Vec<Node> {
    let mut out = Vec::new();
    visit_nodes(tree, &mut |path, node, _| {
        let mut with = |new: Node| out.push(ops::at(tree.clone(), path, &|_| Ok(new.clone())).expect("a node"));
        match node {
            Node::Band(band, child) => {
                for k in 0..band.members.len() {
                    let mut backwards = band.clone();
                    backwards.members[k].affs.values_mut().for_each(|aff| *aff = aff.scale(-1));
                    with(Node::Band(backwards, child.clone()));
                    let mut shifted = band.clone();
                    if let Some(aff) = shifted.members[k].affs.values_mut().next() {
                        *aff = aff.add(&Aff::constant(aff.space(), 1));
                    }
                    with(Node::Band(shifted, child.clone()));
                    let mut swapped = band.clone();
                    swapped.members.swap(k, (k + 1) % band.members.len());
                    with(Node::Band(swapped, child.clone()));
                }
            }
            Node::Sequence(children) => {
                let mut turned = children.clone();
                turned.reverse();
                with(Node::Sequence(turned));
                with(Node::Sequence(children[1..].to_vec()));
            }
            _ => {}
        }
    });
    out
}

#[test]
fn an_order_that_is_changed_is_proved_or_refused_as_enumeration_does() {
    let (mut legal, mut illegal) = (0, 0);
    for name in NAMES {
        let scop = fixtures::scop(name);
        let tree = order(&scop, &deps_of(&scop)).expect("an order");
        for changed in changed_trees(&tree) {
            *(if proved(&scop, &changed) { &mut legal } else { &mut illegal }) += 1;
        }
    }
    assert!(legal >= 10 && illegal >= 50, "{legal} legal, {illegal} illegal");
}

/// The loops with one loop or block changed, each in turn: one value fewer at either end, one more, other steps;
/// statements change places, one is gone, one has another argument.
pub(crate) fn changed_loops(ast: &Ast) -> Vec<Ast> {
    let plus = |e: &Expr, c: i64| Expr::Add(vec![e.clone(), Expr::Int(c)]);
    match ast {
        Ast::For(f) => {
            let with = |changed: For| Ast::For(Box::new(changed));
            let mut all = vec![
                with(For { lower: plus(&f.lower, 1), ..(**f).clone() }),
                with(For { upper: plus(&f.upper, -1), ..(**f).clone() }),
                with(For { upper: plus(&f.upper, 1), ..(**f).clone() }),
                with(For { step: f.step + 1, ..(**f).clone() }),
            ];
            all.extend(changed_loops(&f.body).into_iter().map(|body| with(For { body, ..(**f).clone() })));
            all
        }
        Ast::If(i) => {
            let mut all = vec![i.then.clone()];
            all.extend(changed_loops(&i.then).into_iter().map(|then| {
                let mut new = i.clone();
                new.then = then;
                Ast::If(new)
            }));
            all
        }
        Ast::Block(parts) => {
            let mut all = Vec::new();
            for k in 0..parts.len() {
                let mut fewer = parts.clone();
                fewer.remove(k);
                all.push(Ast::Block(fewer));
                let mut turned = parts.clone();
                turned.swap(k, (k + 1) % parts.len());
                all.push(Ast::Block(turned));
                all.extend(changed_loops(&parts[k]).into_iter().map(|part| {
                    let mut new = parts.clone();
                    new[k] = part;
                    Ast::Block(new)
                }));
            }
            all
        }
        Ast::Stmt { id, args } => {
            let moved = |k: usize| {
                let mut args = args.clone();
                args[k] = plus(&args[k], 1);
                Ast::Stmt { id: *id, args }
            };
            (0..args.len()).map(moved).chain([Ast::Stmt { id: StmtId(u32::MAX), args: Vec::new() }]).collect()
        }
    }
}

#[test]
fn loops_that_are_changed_run_as_the_tree_says_or_are_noticed() {
    let mut noticed = 0;
    for name in NAMES {
        let scop = fixtures::scop(name);
        let tree = order(&scop, &deps_of(&scop)).expect("an order");
        let ast = ast_of(&scop, &tree);
        let params: Vec<Vec<i64>> = grid(scop.params.len().min(1), FEW, FEW + 1);
        for params in params.iter().map(|p| vec![p.first().copied().unwrap_or(FEW); scop.params.len()]) {
            let right = run(&ast, &params);
            for changed in changed_loops(&ast) {
                let differs = run(&changed, &params) != right;
                let verdict = replay::check(&tree, &changed, &params);
                assert_eq!(verdict.is_err(), differs, "{name}, {params:?}: {verdict:?}");
                noticed += usize::from(differs);
            }
        }
    }
    assert!(noticed >= 200, "only {noticed} changes make a difference");
}
