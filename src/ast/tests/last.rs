//! Copies of arrays for threads: what a loop leaves behind, case by case, and random programs run with and without
//! threads.

use super::interp::{Event, Threads, events};
use crate::ast::{self, Ast, Config, last, print_c};
use crate::deps::{self, Dependences};
use crate::ids::{ArrayId, StmtId};
use crate::model::{Access, AccessKind, Scop};
use crate::parallel::Copyable;
use crate::parallel::roles::mark;
use presburger::Budget;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::hash::{DefaultHasher, Hash, Hasher};

fn budget() -> Budget {
    Budget::steps(1 << 32)
}

/// `for i { for j Arr0[j] = ..; for j .. = Arr0[j] }` with these conditions on `i` and, for the writes and the reads,
/// on `j`.
fn rows(i: &str, written: &str, read: &str, kind: &str) -> Scop {
    scop(&rows_text(i, written, read, kind))
}

fn scop(text: &str) -> Scop {
    Scop::parse(text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

fn rows_text(i: &str, written: &str, read: &str, kind: &str) -> String {
    format!(
        "
        scop rows
        params: N
        assumed: {{ : 1 <= N <= 1000 }}
        array Arr0 memory f64 [*]
        array Arr1 memory f64 [*, 1000]
        stmt Stmt0
          domain: {{ Stmt0[i, j] : {i} and {written} }}
          schedule: [0, i, 0, j, 0]
          read: {{ Stmt0[i, j] -> Arr1[i, j] }}
          {kind}: {{ Stmt0[i, j] -> Arr0[j] }}
        stmt Stmt1
          domain: {{ Stmt1[i, j] : {i} and {read} }}
          schedule: [0, i, 1, j, 0]
          read: {{ Stmt1[i, j] -> Arr0[j] }}
          must_write: {{ Stmt1[i, j] -> Arr1[i, j] }}
        "
    )
}

fn dependences(scop: &Scop) -> Dependences {
    deps::compute(scop, &budget()).expect("within budget")
}

/// The loops of `scop`'s order, or of that of the scheduler, with all copies that threads may want.
fn loops(scop: &Scop, max_loops: usize) -> Ast {
    let copyable = Copyable { private: &|_| Some(8), reducible: &|_, _| false };
    let marked = mark(scop, &dependences(scop), &scop.schedule, (Some(copyable), &BTreeSet::new()), &budget());
    let tree = marked.expect("within budget").tree;
    let config = Config { max_loops_per_level: max_loops, ..Config::default() };
    ast::build(scop, &tree, &config, &Budget::steps(2_000_000)).expect("within limits")
}

/// Whether a loop wants a copy of `Arr0`, and whether that loses what is to be left.
fn outcome(scop: &Scop) -> (bool, bool) {
    outcome_if(scop, &|_| false)
}

/// The same where nobody outside of the region reads some arrays.
fn outcome_if(scop: &Scop, is_not_live_out: &dyn Fn(ArrayId) -> bool) -> (bool, bool) {
    let ast = loops(scop, 8);
    let wants = print_c(&ast, &scop.param_names()).contains("lastprivate(Arr0)");
    (wants, last::not_lastprivate(scop, &ast, is_not_live_out, &budget()).expect("within budget").contains(&ArrayId(0)))
}

const ALL: &str = "0 <= i < N";

#[test]
fn a_row_that_is_written_anew_each_time_is_left_by_the_last_iteration() {
    assert_eq!(outcome(&rows(ALL, "0 <= j < N", "0 <= j < N", "must_write")), (true, false));
    assert_eq!(outcome(&rows("0 <= i < N and i mod 3 = 1", "0 <= j < 7", "2 <= j < 7", "must_write")), (true, false));
}

#[test]
fn a_row_that_grows_is_left_by_the_last_iteration_and_one_that_shrinks_is_not() {
    assert_eq!(outcome(&rows(ALL, "0 <= j <= i", "0 <= j <= i", "must_write")), (true, false));
    assert_eq!(outcome(&rows(ALL, "i <= j < N", "i <= j < N", "must_write")), (true, true));
}

#[test]
fn nothing_is_lost_that_nobody_reads() {
    let shrinking = rows(ALL, "i <= j < N", "i <= j < N", "must_write");
    assert_eq!(outcome_if(&shrinking, &|a| a == ArrayId(0)), (true, false));
    assert_eq!(outcome_if(&shrinking, &|a| a == ArrayId(1)), (true, true));
    let behind = "
        stmt Stmt2
          domain: { Stmt2[] }
          schedule: [1, 0, 0, 0, 0]
          read: { Stmt2[] -> Arr0[3] }
          must_write: { Stmt2[] -> Arr1[0, 0] }
    ";
    let shown = scop(&(rows_text(ALL, "i <= j < N", "i <= j < N", "must_write") + behind));
    assert_eq!(outcome_if(&shown, &|a| a == ArrayId(0)), (true, true), "the region itself reads it behind the loop");
}

#[test]
fn what_only_some_iterations_write_is_lost() {
    let often = "0 <= j < 5 and (i mod 2 = 0 or j <= 2)";
    assert_eq!(outcome(&rows(ALL, often, "0 <= j <= 2", "must_write")), (true, true));
}

#[test]
fn what_the_last_iteration_may_not_write_is_lost() {
    // Nothing is read: a may-write does not let a value in, but leaves it open what is left.
    assert_eq!(outcome(&rows(ALL, "0 <= j < 5", "1 = 0", "may_write")), (true, true));
}

#[test]
fn values_from_before_the_iteration_forbid_copies() {
    assert!(!outcome(&rows(ALL, "0 <= j < 5", "0 <= j <= 5", "must_write")).0, "one element is live before the loop");
    assert!(!outcome(&rows(ALL, "0 <= j < 5 and i = 0", "0 <= j < 5", "must_write")).0, "written once, read always");
    assert!(!outcome(&rows(ALL, "0 <= j < 5", "0 <= j < 5", "may_write")).0, "written or not");
}

/// Memory that tells where each value came from.
struct Memory {
    elements: BTreeMap<(ArrayId, Vec<i64>), u64>,
    /// Arrays that a thread has copies of, with what they held before.
    aside: Option<(Vec<ArrayId>, BTreeMap<(ArrayId, Vec<i64>), u64>)>,
    copies: u64,
}

fn hash(of: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    of.hash(&mut hasher);
    hasher.finish()
}

impl Memory {
    fn is_copied(&self, array: ArrayId) -> bool {
        self.aside.as_ref().is_some_and(|(arrays, _)| arrays.contains(&array))
    }

    /// An element; one never written has a value of its own, in a copy another one each time.
    fn read(&self, element: &(ArrayId, Vec<i64>)) -> u64 {
        let copy = if self.is_copied(element.0) { self.copies } else { 0 };
        self.elements.get(element).copied().unwrap_or_else(|| hash((element, copy)))
    }

    fn instance(&mut self, scop: &Scop, (id, args): &(StmtId, Vec<i64>), params: &[i64]) {
        let stmt = scop.stmt(*id);
        let element = |access: &Access| {
            let at = |row: Vec<i64>| -> i64 {
                let (constant, row) = row.split_last().expect("constant");
                row.iter().zip(params.iter().chain(args)).map(|(c, v)| c * v).sum::<i64>() + constant
            };
            (access.array, access.subscripts().expect("one element").into_iter().map(at).collect::<Vec<i64>>())
        };
        let reads = stmt.accesses.iter().filter(|a| a.kind == AccessKind::Read);
        let value = hash((id, args, reads.map(|a| self.read(&element(a))).collect::<Vec<_>>()));
        for access in stmt.accesses.iter().filter(|a| a.kind != AccessKind::Read) {
            if access.kind == AccessKind::MustWrite || hash((id, args)) % 2 == 0 {
                self.elements.insert(element(access), value);
            }
        }
    }

    fn enter(&mut self, arrays: Vec<ArrayId>) {
        let (aside, elements) =
            std::mem::take(&mut self.elements).into_iter().partition(|((array, _), _)| arrays.contains(array));
        self.elements = elements;
        self.aside = Some((arrays, aside));
        self.copies += 1;
    }

    fn leave(&mut self) {
        let (arrays, aside) = self.aside.take().expect("entered");
        self.elements.retain(|(array, _), _| !arrays.contains(array));
        self.elements.extend(aside);
    }
}

/// Memory after a run.
fn result(scop: &Scop, ast: &Ast, params: &[i64], threads: Threads) -> BTreeMap<(ArrayId, Vec<i64>), u64> {
    let mut memory = Memory { elements: BTreeMap::new(), aside: None, copies: 0 };
    for event in events(ast, params, threads).expect("loops end") {
        match event {
            Event::Run(instance) => memory.instance(scop, &instance, params),
            Event::Enter(arrays) => memory.enter(arrays),
            Event::Leave => memory.leave(),
        }
    }
    memory.elements
}

struct Random(u64);

impl Random {
    fn pick<'a>(&mut self, items: &[&'a str]) -> &'a str {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        items[usize::try_from((self.0 >> 33) % items.len() as u64).expect("short")]
    }
}

/// Two to four statements in one outer loop, with a small array that most of them use.
fn random_scop(random: &mut Random) -> String {
    let mut text = String::from(
        "scop random\nparams: N\nassumed: { : 0 <= N <= 5 }\narray Arr0 memory f64 [*]\narray Arr1 memory f64 [*, 9]\n",
    );
    let outer = random.pick(&["0 <= i < N", "0 <= i <= N", "0 <= i < N and i mod 2 = 0", "0 <= i < 4"]);
    let count: usize = random.pick(&["2", "2", "3", "4"]).parse().expect("number");
    for k in 0..count {
        let outer = random.pick(&[outer, outer, outer, "0 <= i < N - 1", "1 <= i <= N", "0 <= i < N and i mod 3 = 0"]);
        let inner = ["0 <= j < 3", "0 <= j < N", "0 <= j <= i", "i <= j < N", "0 <= j < 2", "0 <= j < 3 and j <= N"];
        let inner = random.pick(&inner);
        let time = random.pick(&["j", "j", "-j", "j + i"]);
        let _ = writeln!(text, "stmt Stmt{k}\n  domain: {{ Stmt{k}[i, j] : {outer} and {inner} }}");
        let _ = writeln!(text, "  schedule: [0, {}, {k}, {time}, 0]", random.pick(&["i", "i", "i", "-i"]));
        let small = random.pick(&["j", "j", "j", "2 - j", "0", "j + 1"]);
        let kind = random.pick(&["must_write", "must_write", "must_write", "may_write"]);
        let large = random.pick(&["Arr1[i, j]", "Arr1[i, j]", "Arr1[i, 8 - j]"]);
        match (k, random.pick(&["write", "read", "update"])) {
            (0, _) | (_, "write") => {
                let _ = writeln!(text, "  read: {{ Stmt{k}[i, j] -> {large} }}");
                let _ = writeln!(text, "  {kind}: {{ Stmt{k}[i, j] -> Arr0[{small}] }}");
            }
            (_, "read") => {
                let _ = writeln!(text, "  read: {{ Stmt{k}[i, j] -> Arr0[{small}] }}");
                let _ = writeln!(text, "  {kind}: {{ Stmt{k}[i, j] -> {large} }}");
            }
            _ => {
                let _ = writeln!(text, "  read: {{ Stmt{k}[i, j] -> Arr0[{small}] }}");
                let _ = writeln!(text, "  {kind}: {{ Stmt{k}[i, j] -> Arr0[{small}] }}");
            }
        }
    }
    text
}

#[test]
fn random_programs_compute_the_same_in_threads_with_copies() {
    let mut random = Random(0x2545_F491_4F6C_DD1D);
    let (mut copied, mut refused, mut needed) = (0, 0, 0);
    while copied < 100 || refused < 100 {
        let text = random_scop(&mut random);
        let scop = Scop::parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let max_loops = if random.pick(&["few", "many"]) == "few" { 1 } else { 8 };
        let ast = loops(&scop, max_loops);
        if !print_c(&ast, &scop.param_names()).contains("lastprivate") {
            continue;
        }
        let not_lastprivate = last::not_lastprivate(&scop, &ast, &|_| false, &budget()).expect("within budget");
        let differs = |n: &i64| result(&scop, &ast, &[*n], Threads::One) != result(&scop, &ast, &[*n], Threads::Many);
        let wrong = (0..=5).find(differs);
        if not_lastprivate.is_empty() {
            copied += 1;
            assert_eq!(wrong, None, "{text}\n{}", print_c(&ast, &scop.param_names()));
        } else {
            refused += 1;
            needed += u32::from(wrong.is_some());
        }
    }
    assert!(2 * needed > refused, "{needed} of {refused} refusals were needed");
}
