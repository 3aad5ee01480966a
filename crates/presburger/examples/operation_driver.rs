//! Times and answers operations for `scripts/bench-presburger`, which compares them with isl's on the same inputs.
//! In: lines on standard input, each answered by one line, as in `bench/presburger/isl_driver.c` (which has `check`
//! besides): `input S|M TEXT`, `time OPERATION A B`, `result OPERATION A B`. Every call that is timed sees operands
//! read afresh; results are dropped inside the timed part. For profiles, `repeat OPERATION A B` is as `time` with the
//! same operands again and again; `once OPERATION A B` is the time of one call and the steps that it takes from its
//! budget.

use presburger::{Budget, Dim, Map, Result, Set};
use std::hint::black_box;
use std::io::{BufRead, Write};
use std::time::Instant;

const BATCH: usize = 8;
const MOST_BATCHES: usize = 7;
const ENOUGH_NS: f64 = 100e3;
/// Calls of a batch where they are so short that reading the clock would be most of what 8 of them take.
const LARGE_BATCH: usize = 64;
const SHORT_NS: f64 = 100.0;

enum Value {
    Set(Set),
    Map(Map),
}

impl Value {
    fn read(kind: &str, text: &str) -> Self {
        match kind {
            "S" => Value::Set(Set::parse(text).unwrap_or_else(|e| panic!("{e}: {text}"))),
            _ => Value::Map(Map::parse(text).unwrap_or_else(|e| panic!("{e}: {text}"))),
        }
    }
    fn set(&self) -> &Set {
        match self {
            Value::Set(s) => s,
            Value::Map(_) => panic!("the operand is no set"),
        }
    }
    fn map(&self) -> &Map {
        match self {
            Value::Map(m) => m,
            Value::Set(_) => panic!("the operand is no map"),
        }
    }
}

/// What an operation reads; `text` is that of the first operand.
struct Operands<'a> {
    text: &'a str,
    a: Value,
    b: Option<Value>,
}

impl Operands<'_> {
    fn other(&self) -> &Value {
        self.b.as_ref().expect("the operation has a second operand")
    }
}

/// The set with one point, or none.
fn point_set(s: &Set, b: &Budget) -> Result<Set> {
    Ok(s.sample_set(b)?.unwrap_or_else(|| Set::empty(s.space().clone())))
}

/// What becomes of an operation's result.
#[derive(Clone, Copy)]
enum Use {
    /// It is dropped.
    Timed,
    Shown,
}

/// The result, if it is to be shown, as text. Nothing is timed but the call and dropping its result.
fn done<A: ToString>(result: Result<A>, to: Use) -> Option<String> {
    // The result stays where the call put it.
    let answer = black_box(&result).as_ref().expect("the budget is unlimited");
    match to {
        Use::Timed => None,
        Use::Shown => Some(answer.to_string()),
    }
}

type Operation = fn(&Operands<'_>, &Budget, Use) -> Option<String>;

fn on_sets(op: &str) -> Operation {
    match op {
        "parse" => |o, _, u| done(Ok(Set::parse(o.text).expect("read before")), u),
        "intersect" => |o, _, u| done(Ok(o.a.set().intersect(o.other().set())), u),
        "union" => |o, _, u| done(Ok(o.a.set().union(o.other().set())), u),
        "subtract" => |o, b, u| done(o.a.set().subtract(o.other().set(), b), u),
        "gist" => |o, b, u| done(o.a.set().gist(o.other().set(), b), u),
        "complement" => |o, b, u| done(o.a.set().complement(b), u),
        "lexmin" => |o, b, u| done(o.a.set().lexmin(b), u),
        "lexmax" => |o, b, u| done(o.a.set().lexmax(b), u),
        "coalesce" => |o, b, u| done(o.a.set().coalesce(b), u),
        "compute_divs" => |o, b, u| done(o.a.set().compute_divs(b), u),
        "params" => |o, b, u| done(o.a.set().params(b), u),
        "project_first" => |o, b, u| done(o.a.set().project_out(0, 1, b), u),
        "project_last" => |o, b, u| done(o.a.set().project_out(o.a.set().space().n_out() - 1, 1, b), u),
        "apply" => |o, b, u| done(o.a.set().apply(o.other().map(), b), u),
        "affine_hull" => |o, b, u| done(o.a.set().affine_hull(b).map(|h| h.into_set()), u),
        "simple_hull" => |o, b, u| done(o.a.set().simple_hull(b), u),
        "sample" => |o, b, u| done(point_set(o.a.set(), b), u),
        "lex_lt" => |o, _, u| done(Ok(Set::lex_lt(o.a.set().space())), u),
        "lex_le" => |o, _, u| done(Ok(Set::lex_le(o.a.set().space())), u),
        "print" => |o, _, u| done(Ok(o.a.set().to_string()), u),
        "is_empty" => |o, b, u| done(o.a.set().is_empty(b), u),
        "is_equal" => |o, b, u| done(o.a.set().is_equal(o.other().set(), b), u),
        "is_subset" => |o, b, u| done(o.a.set().is_subset(o.other().set(), b), u),
        "is_disjoint" => |o, b, u| done(o.a.set().is_disjoint(o.other().set(), b), u),
        _ => panic!("unknown operation s:{op}"),
    }
}

fn on_maps(op: &str) -> Operation {
    match op {
        "parse" => |o, _, u| done(Ok(Map::parse(o.text).expect("read before")), u),
        "intersect" => |o, _, u| done(Ok(o.a.map().intersect(o.other().map())), u),
        "union" => |o, _, u| done(Ok(o.a.map().union(o.other().map())), u),
        "subtract" => |o, b, u| done(o.a.map().subtract(o.other().map(), b), u),
        "gist" => |o, b, u| done(o.a.map().gist(o.other().map(), b), u),
        "lexmin" => |o, b, u| done(o.a.map().lexmin(b), u),
        "lexmax" => |o, b, u| done(o.a.map().lexmax(b), u),
        "coalesce" => |o, b, u| done(o.a.map().coalesce(b), u),
        "compute_divs" => |o, b, u| done(o.a.map().compute_divs(b), u),
        "reverse" => |o, _, u| done(Ok(o.a.map().reverse()), u),
        "project_first" => |o, b, u| done(o.a.map().project_out(Dim::In, 0, 1, b), u),
        "project_last" => |o, b, u| done(o.a.map().project_out(Dim::Out, o.a.map().space().n_out() - 1, 1, b), u),
        "apply_range" => |o, b, u| done(o.a.map().apply_range(o.other().map(), b), u),
        "apply_domain" => |o, b, u| done(o.a.map().apply_domain(o.other().map(), b), u),
        "intersect_domain" => |o, _, u| done(Ok(o.a.map().intersect_domain(o.other().set())), u),
        "intersect_range" => |o, _, u| done(Ok(o.a.map().intersect_range(o.other().set())), u),
        "fixed_power" => |o, b, u| done(o.a.map().fixed_power(3, b), u),
        "domain" => |o, b, u| done(o.a.map().domain(b), u),
        "range" => |o, b, u| done(o.a.map().range(b), u),
        "deltas" => |o, b, u| done(o.a.map().deltas(b), u),
        "print" => |o, _, u| done(Ok(o.a.map().to_string()), u),
        "is_empty" => |o, b, u| done(o.a.map().is_empty(b), u),
        "is_equal" => |o, b, u| done(o.a.map().is_equal(o.other().map(), b), u),
        "is_subset" => |o, b, u| done(o.a.map().is_subset(o.other().map(), b), u),
        "is_disjoint" => |o, b, u| done(o.a.map().is_disjoint(o.other().map(), b), u),
        "is_single_valued" => |o, b, u| done(o.a.map().is_single_valued(b), u),
        _ => panic!("unknown operation m:{op}"),
    }
}

/// `s:NAME` works on sets, `m:NAME` on maps.
fn operation(op: &str) -> Operation {
    match op.split_at(2) {
        ("s:", name) => on_sets(name),
        (_, name) => on_maps(name),
    }
}

/// Median over batches of the nanoseconds per call, each behind one call that does not count, so that the code is in
/// the cache.
fn time_ns<'a>(op: Operation, read: &dyn Fn() -> Operands<'a>) -> f64 {
    let b = Budget::unlimited();
    let (mut times, mut total, mut size) = (Vec::new(), 0.0, BATCH);
    while times.len() < MOST_BATCHES && (times.len() < 3 || total < ENOUGH_NS) {
        let list: Vec<Operands<'a>> = (0..size).map(|_| read()).collect();
        let first = read();
        op(black_box(&first), &b, Use::Timed);
        let start = Instant::now();
        for o in &list {
            op(black_box(o), &b, Use::Timed);
        }
        let spent = start.elapsed().as_secs_f64() * 1e9;
        if size == BATCH && spent < SHORT_NS * BATCH as f64 {
            size = LARGE_BATCH;
            times.clear();
            continue;
        }
        times.push(spent / size as f64);
        total += spent;
    }
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// Nanoseconds per call of many calls on one pair of operands.
fn repeat_ns(op: Operation, o: &Operands<'_>) -> f64 {
    let b = Budget::unlimited();
    let (start, mut n) = (Instant::now(), 0_u32);
    while n < 16 || start.elapsed().as_millis() < 5 {
        op(black_box(o), &b, Use::Timed);
        n += 1;
    }
    start.elapsed().as_secs_f64() * 1e9 / f64::from(n)
}

fn answer(line: &str, inputs: &mut Vec<(String, String)>) -> String {
    let words: Vec<&str> = line.splitn(3, ' ').collect();
    if words[0] == "input" {
        Value::read(words[1], words[2]);
        inputs.push((words[1].to_owned(), words[2].to_owned()));
        return (inputs.len() - 1).to_string();
    }
    let index: Vec<usize> = words[2].split(' ').filter_map(|n| n.parse().ok()).collect();
    let read = || {
        let (kind, text) = &inputs[index[0]];
        let b = index.get(1).map(|k| Value::read(&inputs[*k].0, &inputs[*k].1));
        Operands { text, a: Value::read(kind, text), b }
    };
    match words[0] {
        "time" => format!("{:.1}", time_ns(operation(words[1]), &read)),
        "once" => {
            let (operands, b, start) = (read(), Budget::unlimited(), Instant::now());
            operation(words[1])(black_box(&operands), &b, Use::Timed);
            let ns = start.elapsed().as_secs_f64() * 1e9;
            format!("{ns:.1} {}", u64::MAX - b.left())
        }
        "repeat" => format!("{:.1}", repeat_ns(operation(words[1]), &read())),
        _ => operation(words[1])(&read(), &Budget::unlimited(), Use::Shown).expect("results are shown"),
    }
}

fn main() {
    let mut out = std::io::stdout().lock();
    let mut inputs = Vec::new();
    for line in std::io::stdin().lock().lines() {
        let reply = answer(&line.expect("readable input"), &mut inputs);
        writeln!(out, "{reply}").expect("writable output");
        out.flush().expect("writable output");
    }
}
