//! Random small SCoPs and schedules, every answer compared with enumeration.

use super::oracle;
use crate::deps::loops;
use crate::deps::{compute, flow};
use crate::ids::StmtId;
use crate::model::Scop;
use crate::model::tree::{Band, Member, Node};
use crate::proof::{self, Reason, Verdict};
use presburger::{Aff, Budget, Kind, Set};
use std::collections::BTreeMap;
use std::fmt::Write;

const LARGEST: i64 = 4;
const STEPS: u64 = 1 << 40;

/// Xorshift: same numbers in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, n: i64) -> i64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        i64::try_from(self.0 >> 33).expect("31 bits") % n
    }

    fn pick<'a>(&mut self, items: &[&'a str]) -> &'a str {
        items[usize::try_from(self.below(i64::try_from(items.len()).expect("short"))).expect("not negative")]
    }

    fn index(&mut self, n: usize) -> usize {
        usize::try_from(self.below(i64::try_from(n).expect("short"))).expect("not negative")
    }
}

/// A SCoP of one to three statements with up to two loops, over one parameter `1 <= N <= 4`.
fn random_scop(random: &mut Random) -> String {
    let mut text = String::from(
        "scop random\nparams: N\nassumed: { : 1 <= N <= 4 }\narray Arr0 memory f64 [*]\narray Arr1 memory f64 [*, N]\n",
    );
    let count = 1 + random.below(3);
    let shares_loop = random.below(2) == 0;
    for k in 0..count {
        let dims = usize::try_from(1 + random.below(2)).expect("small");
        let names = &["i", "j"][..dims];
        let tuple = format!("Stmt{k}[{}]", names.join(", "));
        let bound = random.pick(&["N", "N", "N - 1", "3"]);
        let mut condition = format!("0 <= i < {bound}");
        if dims == 2 {
            let second = random.pick(&[
                "0 <= j < N",
                "0 <= j <= i",
                "i <= j < N",
                "0 <= j < 2",
                "0 <= j < N and (i + j) mod 2 = 0",
            ]);
            write!(condition, " and {second}").expect("string");
        }
        writeln!(text, "stmt Stmt{k}\n  domain: {{ {tuple} : {condition} }}").expect("string");
        let first = if dims == 1 { random.pick(&["i", "i", "-i"]) } else { "i" };
        let rest = if dims == 2 { format!(", {}, 0", random.pick(&["j", "j", "-j", "i + j"])) } else { String::new() };
        match shares_loop {
            true => writeln!(text, "  schedule: [0, {first}, {k}{rest}]").expect("string"),
            false => writeln!(text, "  schedule: [{k}, {first}, 0{rest}]").expect("string"),
        }
        for kind in ["read", "must_write", random.pick(&["read", "may_write"])] {
            let last = names[dims - 1];
            let one = random.pick(&["i", "i + 1", "0", "N - i", "2i", last]);
            let two = random.pick(&["i", "i - 1", last, "0"]);
            match random.below(8) {
                0..4 => writeln!(text, "  {kind}: {{ {tuple} -> Arr0[{one}] }}").expect("string"),
                4..7 => writeln!(text, "  {kind}: {{ {tuple} -> Arr1[{one}, {two}] }}").expect("string"),
                _ => writeln!(text, "  {kind}: {{ {tuple} -> Arr0[e] : i <= e <= i + 1 }}").expect("string"),
            }
        }
    }
    text
}

type Statements = BTreeMap<StmtId, Set>;

fn random_aff(random: &mut Random, set: &Set) -> Aff {
    let space = set.space();
    let mut aff = Aff::constant(space, random.below(3) - 1);
    for dim in 0..space.n_out() {
        aff = aff.add(&Aff::dim(space, dim).scale([0, 1, 1, 1, -1][random.index(5)]));
    }
    aff
}

fn random_member(random: &mut Random, stmts: &Statements, dim: usize) -> Member {
    let style = random.below(5);
    let value = |(id, set): (&StmtId, &Set)| {
        let plain = Aff::dim(set.space(), dim.min(set.space().n_out() - 1));
        let aff = match style {
            0 => random_aff(random, set),
            1 => plain.floor_div(2),
            2 => random_aff(random, set).floor_div(2).add(&plain.floor_div(3)),
            _ => plain,
        };
        (*id, aff)
    };
    Member::new(stmts.iter().map(value).collect())
}

/// A tree below which the identity members make most schedules run each instance at a time of its own.
fn random_tree(random: &mut Random, stmts: &Statements, depth: usize) -> Node {
    if depth > 0 && random.below(3) == 0 {
        return random_children(random, stmts, depth);
    }
    let members = (0..1 + random.index(2)).map(|k| random_member(random, stmts, k)).collect();
    let below = match depth {
        0 => {
            let value =
                |dim: usize| move |(id, s): (&StmtId, &Set)| (*id, Aff::dim(s.space(), dim.min(s.space().n_out() - 1)));
            let identity = |dim: usize| Member::new(stmts.iter().map(value(dim)).collect());
            let leaf = random_order(random, stmts);
            Node::Band(Band { members: vec![identity(0), identity(1)], permutable: false }, Box::new(leaf))
        }
        _ => random_tree(random, stmts, depth - 1),
    };
    Node::Band(Band { members, permutable: false }, Box::new(below))
}

/// Statements one by one in a random order.
fn random_order(random: &mut Random, stmts: &Statements) -> Node {
    let mut ids: Vec<&StmtId> = stmts.keys().collect();
    for k in (1..ids.len()).rev() {
        ids.swap(k, random.index(k + 1));
    }
    let filter = |id: &&StmtId| {
        let set = Set::universe(stmts[*id].space().clone());
        Node::Filter([(**id, set)].into(), Box::new(Node::Leaf))
    };
    Node::Sequence(ids.iter().map(filter).collect())
}

/// A sequence or set with two children that each get some statements, or some instances of a statement.
fn random_children(random: &mut Random, stmts: &Statements, depth: usize) -> Node {
    let mut parts = [Statements::new(), Statements::new()];
    for (id, set) in stmts {
        let all = Set::universe(set.space().clone());
        match random.below(8) {
            0 => {
                let dims = set.space().n_out();
                let mut row = vec![0; 1 + dims + 1];
                row[1 + random.index(dims)] = 1;
                row[1 + dims] = -1;
                parts[0].insert(*id, all.add(Kind::Ge, &row));
                let mut below: Vec<i64> = row.iter().map(|c| -c).collect();
                below[1 + dims] -= i64::from(random.below(6) != 0);
                parts[1].insert(*id, all.add(Kind::Ge, &below));
            }
            k => {
                parts[usize::from(k > 4)].insert(*id, all);
            }
        }
    }
    let mut children = Vec::new();
    for part in parts.into_iter().filter(|p| !p.is_empty()) {
        let inside = part.iter().map(|(id, set)| (*id, stmts[id].intersect(set))).collect();
        children.push(Node::Filter(part, Box::new(random_tree(random, &inside, depth - 1))));
    }
    if random.below(4) == 0 { Node::Set(children) } else { Node::Sequence(children) }
}

fn check_one(seed: u64) -> (bool, usize) {
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    (0..5).for_each(|_| {
        random.below(2);
    });
    let text = random_scop(&mut random);
    let scop = Scop::parse(&text).unwrap_or_else(|e| panic!("seed {seed}: {e}\n{text}"));
    let budget = Budget::steps(STEPS);
    let deps = compute(&scop, &budget).expect("within budget");
    let flow = flow::last_writers(&scop, &budget).expect("within budget");
    for n in 1..=LARGEST {
        let (expected, listed) = (oracle::dependences(&scop, &[n]), oracle::listed(&scop, &deps.validity, &[n]));
        assert_eq!(expected, listed, "seed {seed}, N = {n}\n{text}\n{deps}");
        let (expected, listed) = (oracle::last_writers(&scop, &[n]), oracle::listed(&scop, &flow, &[n]));
        assert_eq!(expected, listed, "last writers, seed {seed}, N = {n}\n{text}\n{flow:?}");
    }
    let stmts: Statements = scop.stmts.iter().map(|s| (s.id, s.domain.clone())).collect();
    let depth = random.index(3);
    let tree = Node::Domain(stmts.clone(), Box::new(random_tree(&mut random, &stmts, depth)));
    let verdict = proof::check(&scop, &deps, &tree, &budget).expect("within budget");
    let expected = (1..=LARGEST).all(|n| oracle::is_legal(&scop, &tree, &[n]));
    assert_eq!(verdict.is_legal(), expected, "seed {seed}: {verdict:?}\n{text}\n{tree:?}");
    check_witness(seed, &scop, &tree, &verdict);
    (expected, deps.validity.len())
}

fn check_witness(seed: u64, scop: &Scop, tree: &Node, verdict: &Verdict) {
    let Verdict::Illegal(violation) = verdict else { return };
    let params: Vec<i64> = violation.params.iter().map(|(_, v)| *v).collect();
    let times = oracle::times(tree, &params);
    let runs = times.get(&violation.src).map_or(0, Vec::len);
    match violation.reason {
        Reason::Dependence(kind, _) => {
            let dst = violation.dst.clone().expect("two instances");
            let deps = oracle::dependences(scop, &params);
            assert!(
                deps.iter().any(|d| d.0 == kind && d.2 == violation.src && d.3 == dst),
                "seed {seed}: {violation} is no dependence"
            );
            let order = oracle::compare(&times[&violation.src][0], &times[&dst][0]);
            assert_ne!(order, Some(std::cmp::Ordering::Less), "seed {seed}: {violation} is respected");
        }
        Reason::Missing => assert_eq!(runs, 0, "seed {seed}: {violation}"),
        Reason::Twice => assert!(runs > 1, "seed {seed}: {violation}"),
        Reason::SameTime => {
            let dst = violation.dst.clone().expect("two instances");
            assert_ne!(violation.src, dst);
            assert_eq!(times[&violation.src][0], times[&dst][0], "seed {seed}: {violation}");
        }
        reason => panic!("seed {seed}: unexpected {reason:?}"),
    }
}

#[test]
fn dependences_and_verdicts_equal_enumeration() {
    let (mut legal, mut illegal, mut found) = (0, 0, 0);
    for seed in 0..150 {
        let (is_legal, deps) = check_one(seed);
        *(if is_legal { &mut legal } else { &mut illegal }) += 1;
        found += deps;
    }
    assert!(
        legal > 5 && illegal > 5 && found > 50,
        "the generator is lopsided: {legal} legal, {illegal} illegal, {found} dependences"
    );
}

#[test]
fn parallel_members_equal_enumeration() {
    for seed in 1000..1040 {
        let mut random = Random((seed as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        let text = random_scop(&mut random);
        let scop = Scop::parse(&text).expect("generated");
        let budget = Budget::steps(STEPS);
        let deps = compute(&scop, &budget).expect("within budget");
        let stmts: Statements = scop.stmts.iter().map(|s| (s.id, s.domain.clone())).collect();
        let members = (0..2).map(|k| random_member(&mut random, &stmts, k)).collect();
        let band = Node::Band(Band { members, permutable: false }, Box::new(Node::Leaf));
        let tree = Node::Domain(stmts, Box::new(band));
        for member in 0..2 {
            let expected = (1..=LARGEST).all(|n| oracle::is_parallel(&scop, &tree, member, &[n]));
            let answer = loops::is_coincident(&scop, &deps, &tree, &[0], member, &budget).expect("within budget");
            assert_eq!(answer, expected, "seed {seed}, member {member}\n{text}\n{tree:?}");
        }
    }
}
