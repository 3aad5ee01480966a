//! Times and answers operations for `scripts/bench-presburger`, which compares them with isl's on the same inputs.
//! In: lines on standard input, each answered by one line, as in `bench/presburger/isl_driver.c` (which has `check`
//! besides): `input S|M TEXT`, `time OPERATION A B`, `result OPERATION A B`. Every call that is timed sees operands
//! read afresh; results are dropped inside the timed part. For profiles, `repeat OPERATION A B` is as `time` with the
//! same operands again and again; `once OPERATION A B` is the time of one call and the steps that it takes from its
//! budget.

use presburger::{Budget, Dim, Map, Result, Set};
use std::borrow::Cow;
use std::hint::black_box;
use std::io::{BufRead, Write};
use std::time::Instant;

const BATCH: usize = 8;
const MOST_BATCHES: usize = 7;
const ENOUGH_NS: f64 = 100e3;

enum Value<'a> {
    Set(Cow<'a, Set>),
    Map(Cow<'a, Map>),
    Truth(bool),
    Text(String),
}

impl Value<'_> {
    fn read(kind: &str, text: &str) -> Self {
        match kind {
            "S" => set(Set::parse(text).unwrap_or_else(|e| panic!("{e}: {text}"))),
            _ => map(Map::parse(text).unwrap_or_else(|e| panic!("{e}: {text}"))),
        }
    }
    fn set(&self) -> &Set {
        match self {
            Value::Set(s) => s,
            _ => panic!("the operand is no set"),
        }
    }
    fn map(&self) -> &Map {
        match self {
            Value::Map(m) => m,
            _ => panic!("the operand is no map"),
        }
    }
    fn to_text(&self) -> String {
        match self {
            Value::Set(s) => s.to_string(),
            Value::Map(m) => m.to_string(),
            Value::Truth(t) => t.to_string(),
            Value::Text(t) => t.clone(),
        }
    }
}

/// What an operation reads; `text` is that of the first operand.
struct Operands<'a> {
    text: &'a str,
    a: Value<'static>,
    b: Option<Value<'static>>,
}

impl Operands<'_> {
    fn other(&self) -> &Value<'static> {
        self.b.as_ref().expect("the operation has a second operand")
    }
}

/// The set with one point, or none.
fn point_set(s: &Set, b: &Budget) -> Result<Set> {
    Ok(s.sample_set(b)?.unwrap_or_else(|| Set::empty(s.space().clone())))
}

fn set(s: Set) -> Value<'static> {
    Value::Set(Cow::Owned(s))
}

fn map(m: Map) -> Value<'static> {
    Value::Map(Cow::Owned(m))
}

type Operation = for<'a> fn(&'a Operands<'_>, &Budget) -> Result<Value<'a>>;

fn on_sets(op: &str) -> Operation {
    match op {
        "parse" => |o, _| Ok(set(Set::parse(o.text).expect("read before"))),
        "intersect" => |o, _| Ok(set(o.a.set().intersect(o.other().set()))),
        "union" => |o, _| Ok(set(o.a.set().union(o.other().set()))),
        "subtract" => |o, b| o.a.set().subtract(o.other().set(), b).map(set),
        "gist" => |o, b| o.a.set().gist(o.other().set(), b).map(set),
        "complement" => |o, b| o.a.set().complement(b).map(set),
        "lexmin" => |o, b| o.a.set().lexmin(b).map(set),
        "lexmax" => |o, b| o.a.set().lexmax(b).map(set),
        "coalesce" => |o, b| o.a.set().coalesce(b).map(Value::Set),
        "compute_divs" => |o, b| o.a.set().compute_divs(b).map(Value::Set),
        "params" => |o, b| o.a.set().params(b).map(set),
        "project_first" => |o, b| o.a.set().project_out(0, 1, b).map(set),
        "project_last" => |o, b| o.a.set().project_out(o.a.set().space().n_out() - 1, 1, b).map(set),
        "apply" => |o, b| o.a.set().apply(o.other().map(), b).map(set),
        "affine_hull" => |o, b| o.a.set().affine_hull(b).map(|h| set(h.into_set())),
        "simple_hull" => |o, b| o.a.set().simple_hull(b).map(|h| set(h.into_set())),
        "sample" => |o, b| point_set(o.a.set(), b).map(set),
        "lex_lt" => |o, _| Ok(map(Set::lex_lt(o.a.set().space()))),
        "lex_le" => |o, _| Ok(map(Set::lex_le(o.a.set().space()))),
        "print" => |o, _| Ok(Value::Text(o.a.set().to_string())),
        "is_empty" => |o, b| o.a.set().is_empty(b).map(Value::Truth),
        "is_equal" => |o, b| o.a.set().is_equal(o.other().set(), b).map(Value::Truth),
        "is_subset" => |o, b| o.a.set().is_subset(o.other().set(), b).map(Value::Truth),
        "is_disjoint" => |o, b| o.a.set().is_disjoint(o.other().set(), b).map(Value::Truth),
        _ => panic!("unknown operation s:{op}"),
    }
}

fn on_maps(op: &str) -> Operation {
    match op {
        "parse" => |o, _| Ok(map(Map::parse(o.text).expect("read before"))),
        "intersect" => |o, _| Ok(map(o.a.map().intersect(o.other().map()))),
        "union" => |o, _| Ok(map(o.a.map().union(o.other().map()))),
        "subtract" => |o, b| o.a.map().subtract(o.other().map(), b).map(map),
        "gist" => |o, b| o.a.map().gist(o.other().map(), b).map(map),
        "lexmin" => |o, b| o.a.map().lexmin(b).map(map),
        "lexmax" => |o, b| o.a.map().lexmax(b).map(map),
        "coalesce" => |o, b| o.a.map().coalesce(b).map(Value::Map),
        "compute_divs" => |o, b| o.a.map().compute_divs(b).map(Value::Map),
        "reverse" => |o, _| Ok(map(o.a.map().reverse())),
        "project_first" => |o, b| o.a.map().project_out(Dim::In, 0, 1, b).map(map),
        "project_last" => |o, b| o.a.map().project_out(Dim::Out, o.a.map().space().n_out() - 1, 1, b).map(map),
        "apply_range" => |o, b| o.a.map().apply_range(o.other().map(), b).map(map),
        "apply_domain" => |o, b| o.a.map().apply_domain(o.other().map(), b).map(map),
        "intersect_domain" => |o, _| Ok(map(o.a.map().intersect_domain(o.other().set()))),
        "intersect_range" => |o, _| Ok(map(o.a.map().intersect_range(o.other().set()))),
        "fixed_power" => |o, b| o.a.map().fixed_power(3, b).map(map),
        "domain" => |o, b| o.a.map().domain(b).map(set),
        "range" => |o, b| o.a.map().range(b).map(set),
        "deltas" => |o, b| o.a.map().deltas(b).map(set),
        "print" => |o, _| Ok(Value::Text(o.a.map().to_string())),
        "is_empty" => |o, b| o.a.map().is_empty(b).map(Value::Truth),
        "is_equal" => |o, b| o.a.map().is_equal(o.other().map(), b).map(Value::Truth),
        "is_subset" => |o, b| o.a.map().is_subset(o.other().map(), b).map(Value::Truth),
        "is_disjoint" => |o, b| o.a.map().is_disjoint(o.other().map(), b).map(Value::Truth),
        "is_single_valued" => |o, b| o.a.map().is_single_valued(b).map(Value::Truth),
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

fn run<'a>(op: Operation, o: &'a Operands<'_>, b: &Budget) -> Value<'a> {
    op(o, b).expect("the budget is unlimited")
}

/// Median over batches of the nanoseconds per call, each behind one call that does not count, so that the code is in
/// the cache.
fn time_ns<'a>(op: Operation, read: &dyn Fn() -> Operands<'a>) -> f64 {
    let b = Budget::unlimited();
    let (mut times, mut total) = (Vec::new(), 0.0);
    while times.len() < MOST_BATCHES && (times.len() < 3 || total < ENOUGH_NS) {
        let list: Vec<Operands<'a>> = (0..BATCH).map(|_| read()).collect();
        let first = read();
        drop(black_box(run(op, black_box(&first), &b)));
        let start = Instant::now();
        for o in &list {
            drop(black_box(run(op, black_box(o), &b)));
        }
        let spent = start.elapsed().as_secs_f64() * 1e9;
        times.push(spent / BATCH as f64);
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
        drop(black_box(run(op, black_box(o), &b)));
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
            drop(black_box(run(operation(words[1]), black_box(&operands), &b)));
            let ns = start.elapsed().as_secs_f64() * 1e9;
            format!("{ns:.1} {}", u64::MAX - b.left())
        }
        "repeat" => format!("{:.1}", repeat_ns(operation(words[1]), &read())),
        _ => run(operation(words[1]), &read(), &Budget::unlimited()).to_text(),
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
