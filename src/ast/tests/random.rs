//! Random domains and schedules, executed for small parameter values.

use super::{check_run, grid};
use crate::ast::gist::gist;
use crate::ast::{Config, build, print_c};
use crate::error::Failure;
use crate::ids::StmtId;
use crate::model::Scop;
use crate::model::tree::print::Yaml;
use crate::model::tree::{AstOption, Band, Mark, Member, Node};
use presburger::{Aff, Budget, Set};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Xorshift; the seed names the case.
struct Random(u64);

impl Random {
    fn new(seed: u64) -> Random {
        let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        for _ in 0..8 {
            random.next();
        }
        random
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// A value in `first..=last`.
    fn range(&mut self, first: i64, last: i64) -> i64 {
        let span = u64::try_from(last - first + 1).expect("empty range");
        first + i64::try_from(self.next() % span).expect("small")
    }

    fn chance(&mut self, percent: i64) -> bool {
        self.range(1, 100) <= percent
    }
}

const DIMS: [&str; 3] = ["i", "j", "k"];
const PARAMS: [&str; 2] = ["N", "M"];

fn linear(random: &mut Random, dims: usize, reach: i64) -> String {
    let mut text = String::new();
    for d in &DIMS[..dims] {
        let c = random.range(-reach, reach);
        if c != 0 && random.chance(60) {
            let _ = write!(text, "{c}{d} + ");
        }
    }
    if random.chance(25) {
        let _ = write!(text, "{} + ", PARAMS[usize::try_from(random.range(0, 1)).unwrap()]);
    }
    let _ = write!(text, "{}", random.range(-3, 3));
    text
}

/// Conditions of one conjunction, bounded in every dim.
fn conjunction(random: &mut Random, dims: usize) -> String {
    let mut parts = Vec::new();
    for d in 0..dims {
        let name = DIMS[d];
        let low = match random.range(0, 4) {
            0 if d > 0 => format!("{} + {}", DIMS[d - 1], random.range(-1, 1)),
            1 => PARAMS[0].to_string(),
            _ => random.range(-2, 2).to_string(),
        };
        let high = match random.range(0, 5) {
            0 if d > 0 => format!("{} + {}", DIMS[d - 1], random.range(0, 3)),
            1 if d > 0 => format!("2{} + {}", DIMS[d - 1], random.range(-1, 2)),
            2 => "M".to_string(),
            3 => "N - 1".to_string(),
            _ => random.range(1, 5).to_string(),
        };
        parts.push(format!("{low} <= {name} <= {high}"));
        parts.push(format!("-4 <= {name} <= 9"));
    }
    if random.chance(40) {
        parts.push(format!("{} >= 0", linear(random, dims, 2)));
    }
    if random.chance(15) {
        parts.push(format!("{} = 0", linear(random, dims, 2)));
    }
    if random.chance(30) {
        let m = random.range(2, 4);
        parts.push(format!("exists e : {} = {m}e", linear(random, dims, 2)));
    }
    if random.chance(20) {
        let m = random.range(3, 5);
        let form = linear(random, dims, 1);
        parts.push(format!("exists f : {m}f <= {form} and {form} <= {m}f + 1"));
    }
    if random.chance(10) {
        parts.push(format!("2N >= M + {}", random.range(-2, 4)));
    }
    parts.join(" and ")
}

fn random_scop(random: &mut Random) -> Scop {
    let mut text = String::from("scop random\nparams: N, M\n");
    if random.chance(30) {
        let _ = writeln!(text, "assumed: {{ : N >= {} and M >= N - {} }}", random.range(-1, 2), random.range(0, 2));
    }
    for s in 0..random.range(1, 3) {
        let dims = usize::try_from(random.range(1, 3)).unwrap();
        let tuple = format!("Stmt{s}[{}]", DIMS[..dims].join(", "));
        let count = if random.chance(20) { 2 } else { 1 };
        let cases: Vec<String> = (0..count).map(|_| format!("({})", conjunction(random, dims))).collect();
        let time: Vec<String> = DIMS[..dims].iter().map(|d| format!(", {d}, 0")).collect();
        let _ = writeln!(
            text,
            "stmt Stmt{s}\n  domain: {{ {tuple} : {} }}\n  schedule: [{s}{}]",
            cases.join(" or "),
            time.join("")
        );
    }
    Scop::parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

fn random_aff(random: &mut Random, set: &Set, tile: Option<i64>) -> Aff {
    let space = set.space();
    let width = space.n_param() + space.n_out() + 1;
    let mut row = vec![0; width];
    let main = usize::try_from(random.range(0, i64::try_from(space.n_out()).unwrap() - 1)).unwrap();
    row[space.n_param() + main] = if random.chance(80) { 1 } else { random.range(-2, 2) };
    for c in &mut row[space.n_param()..width - 1] {
        if random.chance(25) {
            *c = random.range(-1, 2);
        }
    }
    if random.chance(10) {
        row[0] = random.range(-1, 1);
    }
    row[width - 1] = random.range(-2, 2);
    let aff = Aff::from_row(space, &row);
    match tile {
        Some(size) => aff.floor_div(size),
        None => aff,
    }
}

fn member(affs: BTreeMap<StmtId, Aff>, ast: AstOption) -> Member {
    Member { ast, ..Member::new(affs) }
}

fn identity(stmts: &[(StmtId, Set)], child: Node, ast: AstOption) -> Node {
    let depth = stmts.iter().map(|(_, s)| s.space().n_out()).max().unwrap_or(0);
    let members = (0..depth).map(|k| {
        let aff = |s: &Set| {
            if k < s.space().n_out() { Aff::dim(s.space(), k) } else { Aff::constant(s.space(), 0) }
        };
        member(stmts.iter().map(|(id, s)| (*id, aff(s))).collect(), ast)
    });
    Node::Band(Band { members: members.collect(), permutable: false }, Box::new(child))
}

/// Tile members followed by point members of the same functions.
fn tiled(random: &mut Random, stmts: &[(StmtId, Set)], child: Node) -> Node {
    let count = random.range(1, 3);
    let points: Vec<BTreeMap<StmtId, Aff>> =
        (0..count).map(|_| stmts.iter().map(|(id, s)| (*id, random_aff(random, s, None))).collect()).collect();
    let size = random.range(2, 4);
    let jam = if random.chance(40) { AstOption::UnrollJam(2) } else { AstOption::Default };
    let tiles = points.iter().map(|p| {
        let affs = p.iter().map(|(id, a)| (*id, a.floor_div(size))).collect();
        member(affs, AstOption::SeparateTiles)
    });
    let tiles = Band { members: tiles.collect(), permutable: true };
    let points = Band { members: points.iter().map(|p| member(p.clone(), jam)).collect(), permutable: true };
    Node::Band(tiles, Box::new(Node::Band(points, Box::new(child))))
}

fn filters(random: &mut Random, stmts: &[(StmtId, Set)]) -> Vec<Node> {
    let mut children = Vec::new();
    for (id, set) in stmts {
        let inner = match random.range(0, 3) {
            0 => Node::Leaf,
            1 => tiled(random, &[(*id, set.clone())], Node::Leaf),
            _ => identity(&[(*id, set.clone())], Node::Leaf, AstOption::Default),
        };
        let whole = Set::universe(set.space().clone());
        let space = set.space();
        let split = Aff::dim(space, 0).ge_set(&Aff::constant(space, random.range(0, 3)));
        if random.chance(25)
            && let Ok(rest) = whole.subtract(&split, &presburger::Budget::unlimited())
        {
            children.push(Node::Filter(BTreeMap::from([(*id, split)]), Box::new(inner.clone())));
            children.push(Node::Filter(BTreeMap::from([(*id, rest)]), Box::new(inner)));
        } else {
            children.push(Node::Filter(BTreeMap::from([(*id, whole)]), Box::new(inner)));
        }
    }
    children
}

fn random_tree(random: &mut Random, scop: &Scop) -> Node {
    let stmts: Vec<(StmtId, Set)> = scop.stmts.iter().map(|s| (s.id, s.domain.clone())).collect();
    let inner = match random.range(0, 4) {
        0 => Node::Leaf,
        4 => Node::Mark(Mark::Minor, Box::new(Node::Set(filters(random, &stmts)))),
        1 => identity(&stmts, Node::Leaf, AstOption::Unroll),
        _ => Node::Sequence(filters(random, &stmts)),
    };
    let outer = match random.range(0, 4) {
        0 => inner,
        1 => tiled(random, &stmts, inner),
        _ => {
            let count = random.range(1, 3);
            let members = (0..count).map(|_| {
                let tile = if random.chance(20) { Some(random.range(2, 4)) } else { None };
                let affs = stmts.iter().map(|(id, s)| (*id, random_aff(random, s, tile))).collect();
                member(affs, AstOption::Default)
            });
            Node::Band(Band { members: members.collect(), permutable: false }, Box::new(inner))
        }
    };
    Node::Domain(stmts.into_iter().collect(), Box::new(outer))
}

/// One random case; `false` if a budget ended it.
fn check_seed(seed: u64) -> bool {
    let mut random = Random::new(seed);
    let scop = random_scop(&mut random);
    let tree = random_tree(&mut random, &scop);
    let config = Config { shift_strides: seed.is_multiple_of(2), ..Config::default() };
    let ast = match build(&scop, &tree, &config, &Budget::steps(2_000_000)) {
        Ok(ast) => ast,
        Err(Failure::Limit(_)) => return false,
        Err(e) => panic!("seed {seed}: {e}\n{scop}{}", Yaml(&tree)),
    };
    let shorter = gist(&ast, &scop.contexts.assumed);
    assert!(shorter.operators() <= ast.operators(), "seed {seed}: longer");
    for params in grid(2, -1, 3) {
        if scop.contexts.assumed.contains(&params, &[]) {
            for made in [&ast, &shorter] {
                check_run(&tree, made, &params).unwrap_or_else(|e| {
                    let c = print_c(made, &scop.param_names());
                    panic!("seed {seed}: {e}\n{scop}{}\n{c}", Yaml(&tree))
                });
            }
        }
    }
    true
}

/// Random trees that are generated, unless `POLYRS_FUZZ_CASES` says how many.
const CASES: u64 = 300;

#[test]
fn random_schedules_run_every_instance_once_in_order() {
    let cases = std::env::var("POLYRS_FUZZ_CASES").ok().and_then(|s| s.parse().ok()).unwrap_or(CASES);
    let limits = (1..=cases).filter(|seed| !check_seed(*seed)).count() as u64;
    assert!(limits * 20 <= cases, "{limits} of {cases} cases over budget");
}
