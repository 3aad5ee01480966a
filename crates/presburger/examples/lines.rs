//! Reads lines `operation | operand [| operand]` in isl's notation and answers each with one line: a result in the same notation,
//! `true`, `false`, a number, or `limit`. The differential tests against isl talk to the library through it.

use presburger::{Budget, Limit, Map, Set};
use std::io::{BufRead, Write};

/// Steps per line: enough for any small input, and a bound on bad ones.
const STEPS: u64 = 300_000;

fn set_op(op: &str, a: &Set, rest: &[&str], b: &Budget) -> Result<String, Limit> {
    let other = || Set::parse(rest[0]).expect("second operand is a set");
    Ok(match op {
        "same" => a.to_string(),
        "coalesce" => a.coalesce(b)?.to_string(),
        "complement" => a.complement(b)?.to_string(),
        "lexmin" => a.lexmin(b)?.to_string(),
        "lexmax" => a.lexmax(b)?.to_string(),
        "project" => a.project_out(0, 1, b)?.to_string(),
        "params" => a.params(b)?.to_string(),
        "compute_divs" => a.compute_divs(b)?.to_string(),
        "make_disjoint" => a.make_disjoint(b)?.to_string(),
        "affine_hull" => a.affine_hull(b)?.to_string(),
        "simple_hull" => a.simple_hull(b)?.to_string(),
        "empty" => a.is_empty(b)?.to_string(),
        "intersect" => a.intersect(&other()).to_string(),
        "union" => a.union(&other()).to_string(),
        "subtract" => a.subtract(&other(), b)?.to_string(),
        "gist" => a.gist(&other(), b)?.to_string(),
        "subset" => a.is_subset(&other(), b)?.to_string(),
        "equal" => a.is_equal(&other(), b)?.to_string(),
        "disjoint" => a.is_disjoint(&other(), b)?.to_string(),
        _ => panic!("unknown operation {op}"),
    })
}

fn map_op(op: &str, a: &Map, rest: &[&str], b: &Budget) -> Result<String, Limit> {
    let other = || Map::parse(rest[0]).expect("second operand is a map");
    Ok(match op {
        "same" => a.to_string(),
        "domain" => a.domain(b)?.to_string(),
        "range" => a.range(b)?.to_string(),
        "reverse" => a.reverse().to_string(),
        "deltas" => a.deltas(b)?.to_string(),
        "lexmin" => a.lexmin(b)?.to_string(),
        "lexmax" => a.lexmax(b)?.to_string(),
        "coalesce" => a.coalesce(b)?.to_string(),
        "empty" => a.is_empty(b)?.to_string(),
        "intersect" => a.intersect(&other()).to_string(),
        "subtract" => a.subtract(&other(), b)?.to_string(),
        "apply_range" => a.apply_range(&other(), b)?.to_string(),
        "subset" => a.is_subset(&other(), b)?.to_string(),
        _ => panic!("unknown operation {op}"),
    })
}

fn answer(line: &str) -> String {
    let parts: Vec<&str> = line.split('|').map(str::trim).collect();
    let b = Budget::steps(STEPS);
    let (op, text, rest) = (parts[0], parts[1], &parts[2..]);
    let result = match (Set::parse(text), Map::parse(text)) {
        (Ok(s), _) => set_op(op, &s, rest, &b),
        (_, Ok(m)) => map_op(op, &m, rest, &b),
        (Err(e), Err(f)) => return format!("error {e} / {f}"),
    };
    result.unwrap_or_else(|_| "limit".to_string())
}

fn main() {
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let line = line.expect("readable input");
        writeln!(out, "{}", answer(&line)).expect("writable output");
        out.flush().expect("writable output");
    }
}
