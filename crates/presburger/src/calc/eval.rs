//! Evaluation of calculator expressions.

use super::Value;
use super::parser::{Expr, Kind};
use crate::budget::{Budget, Limit, Result};
use crate::map::Map;
use crate::parse::{ParseError, Parsed};
use crate::set::Set;
use crate::union_sets::{UnionMap, UnionSet};
use std::collections::BTreeMap;

type Names = BTreeMap<String, Value>;

/// Why an operation has no value: turned into an error at the expression's position.
enum Problem {
    Limit,
    Message(String),
}

impl From<Limit> for Problem {
    fn from(_: Limit) -> Problem {
        Problem::Limit
    }
}

fn problem<T>(message: impl Into<String>) -> std::result::Result<T, Problem> {
    Err(Problem::Message(message.into()))
}

pub(super) fn value(e: &Expr, names: &Names, b: &Budget) -> Parsed<Value> {
    let result = match &e.kind {
        Kind::Set(s) => Ok(Value::Set(s.clone())),
        Kind::Map(m) => Ok(Value::Map(m.clone())),
        Kind::Name(n) => names.get(n).cloned().ok_or_else(|| Problem::Message(format!("unknown name '{n}'"))),
        Kind::Unary(op, x) => unary(op, value(x, names, b)?, b),
        Kind::Binary(op, x, y) => binary(op, value(x, names, b)?, value(y, names, b)?, b),
        Kind::Power(x, k) => power(value(x, names, b)?, *k, b),
        Kind::Apply(f, x) => apply(value(f, names, b)?, value(x, names, b)?, b),
    };
    result.map_err(|p| {
        let message = match p {
            Problem::Limit => "stopped: step budget spent".to_string(),
            Problem::Message(m) => m,
        };
        ParseError { line: e.at.0, column: e.at.1, message }
    })
}

type Outcome = std::result::Result<Value, Problem>;

fn unary(op: &str, x: Value, b: &Budget) -> Outcome {
    Ok(match (op, x) {
        ("dom" | "domain", Value::Map(m)) => Value::Set(m.domain(b)?),
        ("ran" | "range", Value::Map(m)) => Value::Set(m.range(b)?),
        ("deltas", Value::Map(m)) => Value::Set(m.deltas(b)?),
        ("lexmin", Value::Map(m)) => Value::Map(m.lexmin(b)?),
        ("lexmax", Value::Map(m)) => Value::Map(m.lexmax(b)?),
        ("coalesce", Value::Map(m)) => Value::Map(m.coalesce(b)?),
        ("wrap", Value::Map(m)) => Value::Set(sets(m.maps().map(|m| Ok(m.wrap())))?),
        ("card", Value::Map(m)) => {
            Value::Count(m.maps().map(|m| finite(m.card(b)?)).collect::<std::result::Result<_, _>>()?)
        }
        ("sample", Value::Map(m)) => Value::Map(sample_map(&m, b)?),
        ("lexmin", Value::Set(s)) => Value::Set(s.lexmin(b)?),
        ("lexmax", Value::Set(s)) => Value::Set(s.lexmax(b)?),
        ("coalesce", Value::Set(s)) => Value::Set(s.coalesce(b)?),
        ("params", Value::Set(s)) => Value::Set(s.params_set(b)?.into()),
        ("identity", Value::Set(s)) => Value::Map(s.identity()),
        ("card", Value::Set(s)) => {
            Value::Count(s.sets().map(|s| finite(s.card(b)?)).collect::<std::result::Result<_, _>>()?)
        }
        ("sample", Value::Set(s)) => Value::Set(sample_set(&s, b)?),
        ("aff", Value::Set(s)) => Value::Set(sets(s.sets().map(|s| Ok(s.affine_hull(b)?.to_set())))?),
        ("hull", Value::Set(s)) => Value::Set(sets(s.sets().map(|s| Ok(s.convex_hull_rational(b)?.to_set())))?),
        (op, v) => return problem(format!("'{op}' does not apply to a {}", kind(&v))),
    })
}

fn finite(c: Option<crate::qpoly::PwQPoly>) -> std::result::Result<crate::qpoly::PwQPoly, Problem> {
    c.map_or_else(|| problem("infinitely many elements"), Ok)
}

fn sets(list: impl Iterator<Item = Result<Set>>) -> Result<UnionSet> {
    let mut out = UnionSet::empty(&[]);
    for s in list {
        out.add(s?);
    }
    Ok(out)
}

/// One element of the set, as a set.
fn sample_set(s: &UnionSet, b: &Budget) -> Result<UnionSet> {
    let mut out = UnionSet::empty(&[]);
    for s in s.sets() {
        if let Some(x) = s.sample(b)? {
            out.add(point(s, &x));
            break;
        }
    }
    Ok(out)
}

fn point(s: &Set, x: &[i64]) -> Set {
    let np = s.space().n_param();
    let fixed = (0..np).fold(Set::universe(s.space().clone()), |t, p| t.fix(crate::Dim::Param, p, x[p]));
    (0..s.space().n_out()).fold(fixed, |t, d| t.fix(crate::Dim::Out, d, x[np + d]))
}

fn sample_map(m: &UnionMap, b: &Budget) -> Result<UnionMap> {
    let mut out = UnionMap::empty(&[]);
    for m in m.maps() {
        let pairs = m.wrap();
        if let Some(x) = pairs.sample(b)? {
            out.add(point(&pairs, &x).unwrap().expect("pairs unwrap to a map"));
            break;
        }
    }
    Ok(out)
}

fn binary(op: &str, x: Value, y: Value, b: &Budget) -> Outcome {
    Ok(match (op, x, y) {
        ("+", Value::Set(x), Value::Set(y)) => Value::Set(x.union(&y)),
        ("-", Value::Set(x), Value::Set(y)) => Value::Set(x.subtract(&y, b)?),
        ("*", Value::Set(x), Value::Set(y)) => Value::Set(x.intersect(&y)),
        ("%", Value::Set(x), Value::Set(y)) => Value::Set(x.gist(&y, b)?),
        ("->", Value::Set(x), Value::Set(y)) => Value::Map(x.product_map(&y)),
        ("<<" | "<<=" | ">>" | ">>=", Value::Set(x), Value::Set(y)) => Value::Map(lexicographic(op, &x, &y)),
        ("cross", Value::Set(x), Value::Set(y)) => {
            Value::Set(sets(x.sets().flat_map(|s| y.sets().map(|t| Ok(s.flat_product(t))).collect::<Vec<_>>()))?)
        }
        ("=", Value::Set(x), Value::Set(y)) => Value::Bool(x.is_equal(&y, b)?),
        ("<=", Value::Set(x), Value::Set(y)) => Value::Bool(x.is_subset(&y, b)?),
        (">=", Value::Set(x), Value::Set(y)) => Value::Bool(y.is_subset(&x, b)?),
        ("<", Value::Set(x), Value::Set(y)) => Value::Bool(x.is_strict_subset(&y, b)?),
        (">", Value::Set(x), Value::Set(y)) => Value::Bool(y.is_strict_subset(&x, b)?),
        ("+", Value::Map(x), Value::Map(y)) => Value::Map(x.union(&y)),
        ("-", Value::Map(x), Value::Map(y)) => Value::Map(x.subtract(&y, b)?),
        ("*", Value::Map(x), Value::Map(y)) => Value::Map(x.intersect(&y)),
        ("*", Value::Map(x), Value::Set(y)) => Value::Map(x.intersect_domain(&y)),
        ("%", Value::Map(x), Value::Map(y)) => Value::Map(x.gist(&y, b)?),
        (".", Value::Map(x), Value::Map(y)) => Value::Map(x.apply_range(&y, b)?),
        ("cross", Value::Map(x), Value::Map(y)) => {
            let mut out = UnionMap::empty(&[]);
            for m in x.maps() {
                for n in y.maps() {
                    out.add(m.flat_product(n));
                }
            }
            Value::Map(out)
        }
        ("=", Value::Map(x), Value::Map(y)) => Value::Bool(x.is_equal(&y, b)?),
        ("<=", Value::Map(x), Value::Map(y)) => Value::Bool(x.is_subset(&y, b)?),
        (">=", Value::Map(x), Value::Map(y)) => Value::Bool(y.is_subset(&x, b)?),
        ("<", Value::Map(x), Value::Map(y)) => Value::Bool(x.is_strict_subset(&y, b)?),
        (">", Value::Map(x), Value::Map(y)) => Value::Bool(y.is_strict_subset(&x, b)?),
        ("=", Value::Bool(x), Value::Bool(y)) => Value::Bool(x == y),
        (op, x, y) => return problem(format!("'{op}' does not apply to a {} and a {}", kind(&x), kind(&y))),
    })
}

/// Pairs of a left and a right element of equal size in lexicographic order.
fn lexicographic(op: &str, x: &UnionSet, y: &UnionSet) -> UnionMap {
    let mut out = UnionMap::empty(&[]);
    for s in x.sets() {
        for t in y.sets().filter(|t| t.space().n_out() == s.space().n_out()) {
            let order = if op.ends_with('=') { Set::lex_le(s.space()) } else { Set::lex_lt(s.space()) };
            let order: Map = if op.starts_with('>') { order.reverse() } else { order };
            let named = order.with_tuples(s.space().output.name_str(), t.space().output.name_str());
            out.add(named.intersect_domain(s).intersect_range(t));
        }
    }
    out
}

fn power(x: Value, k: i32, b: &Budget) -> Outcome {
    let Value::Map(m) = x else { return problem(format!("'^' does not apply to a {}", kind(&x))) };
    if k == 0 {
        return Ok(Value::Map(m.domain(b)?.identity()));
    }
    let base = if k < 0 { m.reverse() } else { m };
    let mut out = base.clone();
    for _ in 1..k.unsigned_abs() {
        out = out.apply_range(&base, b)?;
    }
    Ok(Value::Map(out))
}

fn apply(f: Value, x: Value, b: &Budget) -> Outcome {
    match (f, x) {
        (Value::Map(m), Value::Set(s)) => Ok(Value::Set(s.apply(&m, b)?)),
        (Value::Map(m), Value::Map(n)) => Ok(Value::Map(n.apply_range(&m, b)?)),
        (f, x) => problem(format!("a {} cannot be applied to a {}", kind(&f), kind(&x))),
    }
}

fn kind(v: &Value) -> &'static str {
    match v {
        Value::Set(_) => "set",
        Value::Map(_) => "map",
        Value::Bool(_) => "truth value",
        Value::Count(_) => "count",
    }
}
