//! Random small SCoPs: every schedule proved by the independent checker and executed against the original order.

use super::{dependences, legal};
use crate::cost::Machine;
use crate::deps::Dependences;
use crate::ids::StmtId;
use crate::model::tree::flat::{TimeDim, flat_schedule};
use crate::model::tree::{AstOption, Node};
use crate::model::{AccessKind, Scop};
use crate::proof;
use crate::schedule::{Config, Decision, schedule};
use presburger::{Budget, Dim, Set};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Xorshift: the same numbers in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from((self.0 >> 33) % n as u64).expect("small")
    }

    fn pick<'a>(&mut self, items: &[&'a str]) -> &'a str {
        items[self.below(items.len())]
    }
}

const NAMES: [&str; 3] = ["i", "j", "k"];

/// One to three statements with one to three loops, sharing up to all of them.
fn random_scop(random: &mut Random) -> String {
    let mut text = String::from(
        "scop random\nparams: N\nassumed: { : N >= 1 }\narray Arr0 memory f64 [*]\narray Arr1 memory f64 [*, N + 4]\n\
         array Arr2 memory f64 []\n",
    );
    let shared = random.below(3);
    for s in 0..=random.below(3) {
        let dims = 1 + random.below(3);
        let tuple = format!("Stmt{s}[{}]", NAMES[..dims].join(", "));
        let mut domain = vec![format!("0 <= i < {}", random.pick(&["N", "N", "N - 1", "4"]))];
        if dims > 1 {
            domain.push(random.pick(&["0 <= j < N", "0 <= j <= i", "i < j < N", "0 <= j < 3"]).to_owned());
        }
        if dims > 2 {
            domain.push(random.pick(&["0 <= k < N", "0 <= k < j", "j <= k <= i", "i <= k < N"]).to_owned());
        }
        writeln!(text, "stmt Stmt{s}\n  domain: {{ {tuple} : {} }}", domain.join(" and ")).expect("string");
        let mut time = vec![if shared == 0 { s.to_string() } else { "0".to_owned() }];
        for (depth, name) in NAMES[..dims].iter().enumerate() {
            time.push((*name).to_owned());
            let inside = depth + 1 < shared && depth + 1 < dims;
            time.push(if inside { "5".to_owned() } else { s.to_string() });
        }
        writeln!(text, "  schedule: [{}]", time.join(", ")).expect("string");
        let last = NAMES[dims - 1];
        let first = NAMES[random.below(dims)];
        for kind in ["read", "read", "must_write"] {
            let one = random.pick(&[first, last, "i - 1", "i + 1", "0"]);
            let two = random.pick(&[first, last, "i", "i + 1", "0"]);
            let target = match random.below(9) {
                0..3 => format!("Arr0[{one}]"),
                3..8 => format!("Arr1[{one}, {two}]"),
                _ => "Arr2[]".to_owned(),
            };
            writeln!(text, "  {kind}: {{ {tuple} -> {target} }}").expect("string");
        }
    }
    text
}

fn mixed(values: &[u64]) -> u64 {
    values.iter().fold(0x9E37_79B9_7F4A_7C15, |h, v| (h ^ v).rotate_left(23).wrapping_mul(0xD6E8_FEB8_6659_FD93))
}

fn points(set: &Set, params: &[i64]) -> Vec<Vec<i64>> {
    let fixed = params.iter().enumerate().fold(set.clone(), |set, (k, v)| set.fix(Dim::Param, k, *v));
    let all = fixed.points(10_000).expect("bounded");
    all.into_iter().map(|p| p[params.len()..].to_vec()).collect()
}

pub type Memory = BTreeMap<(u32, Vec<i64>), u64>;

/// Memory after running all instances in the order of `tree`; each instance writes a hash of itself and what it reads.
/// Statements with the same code count as one.
pub fn memory_after(scop: &Scop, tree: &Node, params: &[i64]) -> Memory {
    let mut order = Vec::new();
    for (id, pieces) in flat_schedule(tree) {
        for piece in &pieces {
            for point in points(&piece.domain, params) {
                let tick = |t: &TimeDim| match t {
                    TimeDim::Seq(k) | TimeDim::Any(k) => *k,
                    TimeDim::Aff(aff) => aff.eval(params, &point).expect("small"),
                };
                order.push((piece.time.iter().map(tick).collect::<Vec<i64>>(), id, point));
            }
        }
    }
    order.sort();
    let mut elements: BTreeMap<(StmtId, Vec<i64>), Vec<(bool, u32, Vec<i64>)>> = BTreeMap::new();
    for stmt in &scop.stmts {
        for access in &stmt.accesses {
            for pair in points(&access.relation.intersect_domain(&stmt.domain).wrap(), params) {
                let (point, element) = pair.split_at(stmt.dims());
                let read = access.kind == AccessKind::Read;
                let entry = elements.entry((stmt.id, point.to_vec())).or_default();
                entry.push((read, access.array.0, element.to_vec()));
            }
        }
    }
    let mut memory = Memory::new();
    for (_, id, point) in order {
        let mut values: Vec<u64> = point.iter().map(|x| u64::from_ne_bytes(x.to_ne_bytes())).collect();
        values.push(scop.stmt(id).accesses.first().map_or(0, |a| u64::from(a.inst.0)));
        let touched = elements.get(&(id, point)).cloned().unwrap_or_default();
        for (_, array, element) in touched.iter().filter(|t| t.0) {
            values.push(memory.get(&(*array, element.clone())).copied().unwrap_or(1));
        }
        let result = mixed(&values);
        for (_, array, element) in touched.into_iter().filter(|t| !t.0) {
            memory.insert((array, element), result);
        }
    }
    memory
}

/// The tree with each jammed member in groups of its factor, and as coincident flags what `flag` says.
fn grouped(node: Node, flag: &dyn Fn(&crate::model::tree::Member) -> bool) -> Node {
    let mut node = node.map_children(&mut |child| grouped(child, flag));
    if let Node::Band(band, _) = &mut node {
        for m in &mut band.members {
            m.coincident = flag(m);
            if let AstOption::UnrollJam(f) = m.ast {
                m.affs.values_mut().for_each(|a| *a = a.floor_div(i64::from(f)));
            }
        }
    }
    node
}

/// Every coincident claim holds, for all statements and for single ones, with jammed loops run in groups.
pub fn claims_hold(scop: &Scop, deps: &Dependences, tree: &Node) {
    let all = grouped(tree.clone(), &|m| m.coincident);
    let verdict = proof::check_coincident(scop, deps, &all, &Budget::unlimited()).expect("unlimited");
    assert!(verdict.is_legal(), "{scop}\n{verdict:?}\n{tree:#?}");
    for stmt in &scop.stmts {
        let own = |d: &&crate::deps::Dep| d.src == stmt.id && d.dst == stmt.id;
        let validity = deps.validity.iter().filter(own).cloned().collect();
        let own = Dependences { validity, ..Dependences::default() };
        let single = grouped(tree.clone(), &|m| m.alone.contains(&stmt.id));
        let verdict = proof::check_coincident(scop, &own, &single, &Budget::unlimited()).expect("unlimited");
        assert!(verdict.is_legal(), "{scop}\n{}: {verdict:?}\n{tree:#?}", stmt.id);
    }
}

#[test]
fn random_scops_keep_their_results() {
    let mut random = Random(0x2545_F491_4F6C_DD1D);
    let (mut cases, mut changed) = (0, 0);
    while cases < 500 {
        let text = random_scop(&mut random);
        let sizes = match random.below(3) {
            0 => Vec::new(),
            1 => vec![4],
            _ => vec![2, 8],
        };
        let scop = Scop::parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let deps = dependences(&scop);
        let config = Config { process_unprofitable: true, tile_sizes: sizes, ..Config::default() };
        cases += 1;
        match schedule(&scop, &deps, &config, &Machine::WIDE, &Budget::steps(2_000_000)) {
            Ok(Decision::Transformed { tree, .. }) => {
                changed += 1;
                legal(&scop, &deps, &tree);
                claims_hold(&scop, &deps, &tree);
                for n in [1, 3, 6] {
                    assert!(
                        memory_after(&scop, &scop.schedule, &[n]) == memory_after(&scop, &tree, &[n]),
                        "N = {n}\n{text}\n{tree:#?}"
                    );
                }
            }
            Ok(_) => {}
            Err(e) => panic!("{e}\n{text}"),
        }
    }
    assert!(2 * changed >= cases, "only {changed} of {cases} rescheduled");
}
