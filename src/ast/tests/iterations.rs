//! Loops do not run for nothing: bounds of domains with quotients and remainders are as tight as the domain is.

use super::{ast_of, check_run, interp, replay};
use crate::ast::print_c;
use crate::ids::StmtId;
use crate::model::Scop;
use crate::model::tree::{AstOption, Band, Member, Node};
use presburger::{Aff, Set};
use std::collections::{BTreeMap, BTreeSet};

/// Iterations allowed for each prefix of a time at which an instance runs.
const FACTOR: usize = 3;
/// Iterations allowed whatever runs.
const SPARE: usize = 16;

/// Domains of `Stmt0[i, j]` with a parameter N, and the values of N.
const DOMAINS: [(&str, &str, &[i64]); 12] = [
    (
        "truncated to 16 bits, unsigned",
        "exists e : 65536e <= N <= 65536e + 65535 and 0 <= i < N - 65536e and 0 <= j < N - 65536e",
        &[0, 1, 5, 65535 + 6, -65530, 131_072],
    ),
    (
        "truncated after a subtraction, as loops that test at their end count",
        "exists e : 65536e <= N - 1 <= 65536e + 65535 and 0 <= i <= N - 1 - 65536e and 0 <= j <= N - 1 - 65536e \
         and exists f : 65536f + 1 <= N <= 65536f + 65535",
        &[0, 1, 5, 65535 + 6, -65530, 65_536],
    ),
    (
        "truncated to 16 bits, signed",
        "exists e : 65536e - 32768 <= N <= 65536e + 32767 and 0 <= i < N - 65536e and 0 <= j < N - 65536e",
        &[0, 1, 5, -5, 40_000, 65_540, -65_530],
    ),
    (
        "truncated to 8 bits, a triangle",
        "exists e : 256e <= N <= 256e + 255 and 0 <= i < N - 256e and i <= j < N - 256e",
        &[0, 1, 5, 263, 60],
    ),
    (
        "truncated twice",
        "exists e, f : 65536e <= N <= 65536e + 65535 and 256f <= N - 65536e <= 256f + 255 \
         and 0 <= i < f and 0 <= j < N - 65536e - 256f",
        &[0, 5, 1285, 66_821, 65_541],
    ),
    (
        "rows as long as a remainder",
        "exists e : 0 <= i < N and 1000e <= i <= 1000e + 999 and 0 <= j < i - 1000e",
        &[0, 5, 30],
    ),
    ("rows as long as a quotient", "exists e : 0 <= i < N and 10e <= i <= 10e + 9 and 0 <= j < e", &[0, 5, 100]),
    ("a quotient of the parameter", "exists e : 100e <= N <= 100e + 99 and 0 <= i < e and 0 <= j <= i", &[0, 99, 1250]),
    (
        "quotients on both sides",
        "exists e, f : 7e <= N <= 7e + 6 and 9f <= N <= 9f + 8 and f <= i <= e and 0 <= j < e",
        &[0, 70, 200],
    ),
    ("every third", "exists e : i = 3e and 0 <= i < N and exists f : j = 5f + i and 0 <= j < N", &[0, 4, 70]),
    (
        "a remainder of the parameter only",
        "exists e : 1000e <= N <= 1000e + 999 and 0 <= i < N - 1000e and j = i",
        &[7, 4_000_007],
    ),
    ("rows that start at a quotient", "exists e : 0 <= i < N and 4e <= i <= 4e + 3 and 4e <= j <= 4e + 3", &[0, 5, 33]),
];

fn member(aff: Aff, ast: AstOption) -> Member {
    Member { ast, ..Member::new(BTreeMap::from([(StmtId::new(0), aff)])) }
}

fn tree(domain: &Set, bands: Vec<Vec<Member>>) -> Node {
    let wrap = |below, members| Node::Band(Band { members, permutable: true }, Box::new(below));
    let inner = bands.into_iter().rev().fold(Node::Leaf, wrap);
    Node::Domain(BTreeMap::from([(StmtId::new(0), domain.clone())]), Box::new(inner))
}

/// The orders tried: as written, interchanged, skewed, tiled with full tiles apart.
fn orders(domain: &Set) -> Vec<(&'static str, Node)> {
    let space = domain.space();
    let (i, j) = (Aff::dim(space, 0), Aff::dim(space, 1));
    let both = Aff::from_row(space, &[0, 1, 1, 0]);
    let plain = |a: &Aff| member(a.clone(), AstOption::Default);
    let tile = |a: &Aff| member(a.floor_div(32), AstOption::SeparateTiles);
    let jammed = |a: &Aff| member(a.clone(), AstOption::UnrollJam(4));
    vec![
        ("as written", tree(domain, vec![vec![plain(&i), plain(&j)]])),
        ("interchanged", tree(domain, vec![vec![plain(&j), plain(&i)]])),
        ("skewed", tree(domain, vec![vec![plain(&both), plain(&j)]])),
        ("tiled", tree(domain, vec![vec![tile(&i), tile(&j)], vec![plain(&i), plain(&j)]])),
        ("tiled and interchanged", tree(domain, vec![vec![tile(&j), tile(&i)], vec![jammed(&j), plain(&i)]])),
    ]
}

/// Times and beginnings of times at which an instance runs.
fn prefixes(tree: &Node, params: &[i64]) -> Option<usize> {
    let times = replay::times(tree, params).expect("no overflow")?.into_values();
    let times: BTreeSet<Vec<i64>> = times.map(|time| time.values).collect();
    let all = times.iter().flat_map(|t| (1..=t.len()).map(|n| t[..n].to_vec()));
    Some(all.collect::<BTreeSet<_>>().len())
}

#[test]
fn loops_run_as_often_as_their_instances_need() {
    let mut wasteful = Vec::new();
    for (name, domain, sizes) in DOMAINS {
        let text = format!(
            "scop bounds\nparams: N\nstmt Stmt0\n  domain: {{ Stmt0[i, j] : {domain} }}\n  schedule: [0, i, 0, j, 0]\n"
        );
        let scop = Scop::parse(&text).unwrap_or_else(|e| panic!("{name}: {e}"));
        for (order, tree) in orders(&scop.stmts[0].domain) {
            let ast = ast_of(&scop, &tree);
            for size in sizes {
                let text = || format!("{name}, {order}, N = {size}\n{}", print_c(&ast, &["N"]));
                let allowed = FACTOR * prefixes(&tree, &[*size]).expect("small") + SPARE;
                match interp::iterations(&ast, &[*size]) {
                    Some(n) if n <= allowed as u64 => {}
                    n => {
                        wasteful.push(format!("{n:?} iterations where {allowed} are allowed: {}", text()));
                        continue;
                    }
                }
                check_run(&tree, &ast, &[*size]).unwrap_or_else(|e| panic!("{e}: {}", text()));
            }
        }
    }
    assert!(wasteful.is_empty(), "{}", wasteful.join("\n"));
}
