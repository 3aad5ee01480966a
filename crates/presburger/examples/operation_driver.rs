//! Times and answers operations for `scripts/bench-presburger`, which compares them with isl's on the same inputs.
//! In: lines on standard input, each answered by one line, as in `bench/presburger/isl_driver.c` (which has `check` besides):
//! `input S|M TEXT`, `time OPERATION A B`, `result OPERATION A B`. Every call that is timed sees operands read afresh; results are
//! dropped inside the timed part. For profiles, `repeat OPERATION A B` is as `time` with the same operands again and again.

use presburger::{BasicSet, Budget, Kind, Map, Result, Set};
use std::hint::black_box;
use std::io::{BufRead, Write};
use std::time::Instant;

const BATCH: usize = 8;
const MOST_BATCHES: usize = 7;
const ENOUGH_NS: f64 = 100e3;

enum Value {
    Set(Set),
    Map(Map),
    Truth(bool),
    Text(String),
}

impl Value {
    fn read(kind: &str, text: &str) -> Value {
        match kind {
            "S" => Value::Set(Set::parse(text).unwrap_or_else(|e| panic!("{e}: {text}"))),
            _ => Value::Map(Map::parse(text).unwrap_or_else(|e| panic!("{e}: {text}"))),
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
    let Some(x) = s.sample(b)? else { return Ok(Set::empty(s.space().clone())) };
    let mut point = BasicSet::universe(s.space().clone());
    for (c, v) in x.iter().enumerate() {
        let mut row = vec![0; x.len() + 1];
        (row[c], row[x.len()]) = (-1, *v);
        point.add(Kind::Eq, &row);
    }
    Ok(point.to_set())
}

fn on_set(op: &str, o: &Operands<'_>, b: &Budget) -> Result<Value> {
    let a = o.a.set();
    Ok(Value::Set(match op {
        "parse" => Set::parse(o.text).expect("read before"),
        "intersect" => a.intersect(o.other().set()),
        "union" => a.union(o.other().set()),
        "subtract" => a.subtract(o.other().set(), b)?,
        "gist" => a.gist(o.other().set(), b)?,
        "complement" => a.complement(b)?,
        "lexmin" => a.lexmin(b)?,
        "lexmax" => a.lexmax(b)?,
        "coalesce" => a.coalesce(b)?,
        "compute_divs" => a.compute_divs(b)?,
        "params" => a.params(b)?,
        "project_first" => a.project_out(0, 1, b)?,
        "project_last" => a.project_out(a.space().n_out() - 1, 1, b)?,
        "apply" => a.apply(o.other().map(), b)?,
        "affine_hull" => a.affine_hull(b)?.to_set(),
        "simple_hull" => a.simple_hull(b)?.to_set(),
        "sample" => point_set(a, b)?,
        "lex_lt" => return Ok(Value::Map(Set::lex_lt(a.space()))),
        "lex_le" => return Ok(Value::Map(Set::lex_le(a.space()))),
        "print" => return Ok(Value::Text(a.to_string())),
        "is_empty" => return a.is_empty(b).map(Value::Truth),
        "is_equal" => return a.is_equal(o.other().set(), b).map(Value::Truth),
        "is_subset" => return a.is_subset(o.other().set(), b).map(Value::Truth),
        "is_disjoint" => return a.is_disjoint(o.other().set(), b).map(Value::Truth),
        _ => panic!("unknown operation s:{op}"),
    }))
}

fn on_map(op: &str, o: &Operands<'_>, b: &Budget) -> Result<Value> {
    use presburger::Dim;
    let a = o.a.map();
    Ok(Value::Map(match op {
        "parse" => Map::parse(o.text).expect("read before"),
        "intersect" => a.intersect(o.other().map()),
        "union" => a.union(o.other().map()),
        "subtract" => a.subtract(o.other().map(), b)?,
        "gist" => a.gist(o.other().map(), b)?,
        "lexmin" => a.lexmin(b)?,
        "lexmax" => a.lexmax(b)?,
        "coalesce" => a.coalesce(b)?,
        "compute_divs" => a.compute_divs(b)?,
        "reverse" => a.reverse(),
        "project_first" => a.project_out(Dim::In, 0, 1, b)?,
        "project_last" => a.project_out(Dim::Out, a.space().n_out() - 1, 1, b)?,
        "apply_range" => a.apply_range(o.other().map(), b)?,
        "apply_domain" => a.apply_domain(o.other().map(), b)?,
        "intersect_domain" => a.intersect_domain(o.other().set()),
        "intersect_range" => a.intersect_range(o.other().set()),
        "fixed_power" => a.fixed_power(3, b)?,
        "domain" => return a.domain(b).map(Value::Set),
        "range" => return a.range(b).map(Value::Set),
        "deltas" => return a.deltas(b).map(Value::Set),
        "print" => return Ok(Value::Text(a.to_string())),
        "is_empty" => return a.is_empty(b).map(Value::Truth),
        "is_equal" => return a.is_equal(o.other().map(), b).map(Value::Truth),
        "is_subset" => return a.is_subset(o.other().map(), b).map(Value::Truth),
        "is_disjoint" => return a.is_disjoint(o.other().map(), b).map(Value::Truth),
        "is_single_valued" => return a.is_single_valued(b).map(Value::Truth),
        _ => panic!("unknown operation m:{op}"),
    }))
}

/// `s:NAME` works on sets, `m:NAME` on maps.
fn run(op: &str, o: &Operands<'_>, b: &Budget) -> Value {
    let done = match op.split_at(2) {
        ("s:", name) => on_set(name, o, b),
        (_, name) => on_map(name, o, b),
    };
    done.expect("the budget is unlimited")
}

/// Median over batches of the nanoseconds per call.
fn time_ns<'a>(op: &str, read: &dyn Fn() -> Operands<'a>) -> f64 {
    let b = Budget::unlimited();
    let (mut times, mut total) = (Vec::new(), 0.0);
    while times.len() < MOST_BATCHES && (times.len() < 3 || total < ENOUGH_NS) {
        let list: Vec<Operands<'a>> = (0..BATCH).map(|_| read()).collect();
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
fn repeat_ns(op: &str, o: &Operands<'_>) -> f64 {
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
        "time" => format!("{:.1}", time_ns(words[1], &read)),
        "repeat" => format!("{:.1}", repeat_ns(words[1], &read())),
        _ => run(words[1], &read(), &Budget::unlimited()).to_text(),
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
