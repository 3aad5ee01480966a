//! Evaluation of calculator expressions.

use super::Value;
use super::parser::{Expr, Kind};
use super::{bounds, rationals};
use crate::budget::{Budget, Error, Result};
use crate::functions::qpoly::PwQPoly;
use crate::sets::set::Set;
use crate::sets::space::{Kind as Relation, Space};
use crate::sets::union_sets::{UnionMap, UnionSet};
use crate::text::parse::{ParseError, Parsed};
use num_rational::BigRational;
use std::collections::BTreeMap;

type Names = BTreeMap<String, Value>;

/// Why an operation has no value: turned into an error at the expression's position.
pub(super) enum Problem {
    Error(Error),
    Message(String),
}

impl From<Error> for Problem {
    fn from(e: Error) -> Problem {
        Problem::Error(e)
    }
}

pub(super) fn problem<T>(message: impl Into<String>) -> std::result::Result<T, Problem> {
    Err(Problem::Message(message.into()))
}

pub(super) fn value(e: &Expr, names: &Names, b: &Budget) -> Parsed<Value> {
    let result = match &e.kind {
        Kind::Set(s) => Ok(Value::Set(s.clone())),
        Kind::Map(m) => Ok(Value::Map(m.clone())),
        Kind::Rational(r) => Ok(Value::Rational(r.clone())),
        Kind::Count(list) => Ok(Value::Count(list.clone())),
        Kind::Text(t) => Ok(Value::Text(t.clone())),
        Kind::Name(n) => names.get(n).cloned().ok_or_else(|| Problem::Message(format!("unknown name '{n}'"))),
        Kind::Unary(op, x) => unary(op, value(x, names, b)?, b),
        Kind::Binary(op, x, y) => binary(op, value(x, names, b)?, value(y, names, b)?, b),
        Kind::Power(x, k) => power(value(x, names, b)?, *k, b),
        Kind::Part(x, k) => part(value(x, names, b)?, *k),
        Kind::Closure(x) => closure(value(x, names, b)?, b),
        Kind::Number(n) => Ok(Value::Number(n.clone())),
        Kind::Bool(t) => Ok(Value::Bool(*t)),
        Kind::List(list) => Ok(Value::List(list.iter().map(|e| value(e, names, b)).collect::<Parsed<_>>()?)),
        Kind::Assert(x) => match value(x, names, b)? {
            Value::Bool(true) => Ok(Value::Nothing),
            Value::Bool(false) => problem("the assertion does not hold"),
            v => problem(format!("'assert' does not apply to a {}", kind(&v))),
        },
        Kind::Flow { last, any, sink, time } => {
            let source = |e: &Option<Box<Expr>>| e.as_ref().map(|e| value(e, names, b)).transpose();
            flow([source(last)?, source(any)?], [value(sink, names, b)?, value(time, names, b)?], b)
        }
        Kind::Draw(dims, x) => draw(&value(x, names, b)?, *dims),
        Kind::Apply(f, x) => apply(value(f, names, b)?, value(x, names, b)?, b),
    };
    result.map_err(|p| {
        let message = match p {
            Problem::Error(e) => e.to_string(),
            Problem::Message(m) => m,
        };
        ParseError { line: e.at.0, column: e.at.1, message }
    })
}

pub(super) type Outcome = std::result::Result<Value, Problem>;

fn unary(op: &str, x: Value, b: &Budget) -> Outcome {
    if op == "typeof" {
        return Ok(Value::Text(kind(&x).to_owned()));
    }
    match plain(x) {
        Value::Map(m) => of_map(op, m, b),
        Value::Set(s) => match nothing(&s) {
            Some(m) => of_set(op, s, b).or_else(|_| of_map(op, m, b)),
            None => of_set(op, s, b),
        },
        Value::Rational(r) => rationals::unary(op, &r, b),
        Value::Count(list) if op == "coalesce" => {
            let zero = |c: &PwQPoly| PwQPoly::zero(c.space());
            Ok(Value::Count(list.iter().map(|c| c.add(&zero(c), b)).collect::<Result<_>>()?))
        }
        Value::Count(list) if op == "ub" || op == "lb" => bounds::bound(&list, op == "ub", b),
        Value::Count(list) if op == "sum" => bounds::sum(&list, b),
        Value::Count(list) if op == "dom" || op == "domain" => {
            let mut all = UnionSet::empty(&[]);
            list.iter().flat_map(PwQPoly::domains).for_each(|d| all.add(d.clone()));
            Ok(Value::Set(all))
        }
        v => problem(format!("'{op}' does not apply to a {}", kind(&v))),
    }
}

/// The map that a set without elements is as well: `{ }` is both.
fn nothing(s: &UnionSet) -> Option<UnionMap> {
    s.sets().all(|s| s.basics().is_empty()).then(|| UnionMap::empty(&[]))
}

fn of_map(op: &str, m: UnionMap, b: &Budget) -> Outcome {
    Ok(match op {
        "dom" | "domain" => Value::Set(m.domain(b)?),
        "ran" | "range" => Value::Set(m.range(b)?),
        "deltas" => Value::Set(m.deltas(b)?),
        "deltas_map" => Value::Map(m.deltas_map()),
        "lexmin" => Value::Map(m.lexmin(b)?),
        "lexmax" => Value::Map(m.lexmax(b)?),
        "coalesce" => Value::Map(m.coalesce(b)?),
        "params" => Value::Set(m.wrap().params_set(b)?.into()),
        "wrap" => Value::Set(m.wrap()),
        "zip" => Value::Map(m.zip()),
        "curry" => Value::Map(m.curry()),
        "uncurry" => Value::Map(m.uncurry()),
        "domain_map" => Value::Map(m.domain_map()),
        "range_map" => Value::Map(m.range_map()),
        "card" => m.card(b)?.map_or_else(infinite, |list| Ok(Value::Count(list)))?,
        "pow" => {
            let (mut out, mut all_exact) = (UnionMap::empty(&[]), true);
            for m in m.maps() {
                if !m.space().is_to_self() {
                    return problem("'pow' applies to maps from a tuple to itself");
                }
                let (power, exact) = m.power(b)?;
                all_exact &= exact;
                out.add(power);
            }
            paths(out, all_exact)
        }
        "scan" => m
            .wrap()
            .sets()
            .try_fold(UnionMap::empty(&[]), |mut out, s| {
                for p in elements(s)? {
                    out.add(p.unwrap().expect("a set of pairs"));
                }
                Ok::<_, Problem>(out)
            })
            .map(Value::Map)?,
        "map" => Value::Map(m),
        "poly" => {
            let mut out = UnionMap::empty(&[]);
            for m in m.maps() {
                let hull = m.wrap().convex_hull_rational(b)?.to_set();
                out.add(hull.unwrap().expect("a set of pairs"));
            }
            Value::Map(out)
        }
        "sample" => Value::Map(m.sample(b)?.map_or_else(|| UnionMap::empty(&[]), UnionMap::from)),
        "aff" => {
            let mut out = UnionMap::empty(&[]);
            for m in m.maps() {
                out.add(m.lattice_hull(b)?.to_map());
            }
            Value::Map(out)
        }
        _ => return problem(format!("'{op}' does not apply to a map")),
    })
}

fn of_set(op: &str, s: UnionSet, b: &Budget) -> Outcome {
    Ok(match op {
        "lexmin" => Value::Set(s.lexmin(b)?),
        "lexmax" => Value::Set(s.lexmax(b)?),
        "coalesce" => Value::Set(s.coalesce(b)?),
        "params" => Value::Set(s.params_set(b)?.into()),
        "identity" => Value::Map(s.identity()),
        "unwrap" => Value::Map(s.unwrap()),
        "card" => s.card(b)?.map_or_else(infinite, |c| Ok(Value::Count(vec![c])))?,
        "sample" => Value::Set(sample_set(&s, b)?),
        "scan" => {
            let mut out = UnionSet::empty(&[]);
            for s in s.sets() {
                elements(s)?.into_iter().for_each(|p| out.add(p));
            }
            Value::Set(out)
        }
        "coefficients" => Value::Set(s.coefficients(b)?),
        "solutions" => match s.solutions(b)? {
            Some(points) => Value::Set(points),
            None => return problem("'solutions' applies to what 'coefficients' gives"),
        },
        "lift" => Value::Set(s.lift(b)?),
        "aff" | "lattice" => Value::Set(sets(s.sets().map(|s| Ok(s.lattice_hull(b)?.to_set())))?),
        "vertices" => {
            let list = s.sets().map(|s| s.vertices(b)).collect::<Result<Vec<_>>>()?.concat();
            Value::Text(if list.is_empty() { "{  }".to_owned() } else { list.join("\n") })
        }
        "hull" | "poly" => Value::Set(sets(s.sets().map(|s| Ok(s.convex_hull_rational(b)?.to_set())))?),
        _ => return problem(format!("'{op}' does not apply to a set")),
    })
}

/// Dependences from sources, those that surely and those that perhaps touch things, to a sink under a schedule.
fn flow(sources: [Option<Value>; 2], operands: [Value; 2], b: &Budget) -> Outcome {
    let [Value::Map(sink), Value::Map(time)] = operands.map(plain) else {
        return problem("dependences are between two maps under a third one");
    };
    match sources.map(|s| s.map(plain)) {
        [Some(Value::Map(last)), None] => {
            let found = last.last_before(&sink, &time, b)?;
            Ok(Value::List(vec![Value::Map(found.dependences), Value::Map(found.without_source)]))
        }
        [None, Some(Value::Map(any))] => Ok(Value::Map(any.any_before(&sink, &time, b)?.coalesce(b)?)),
        [Some(Value::Map(last)), Some(Value::Map(any))] => {
            Ok(Value::Map(last.last_or_any_before(&any, &sink, &time, b)?))
        }
        _ => problem("dependences are between two maps under a third one"),
    }
}

/// All paths of a relation, and whether they are exact.
fn paths(all: UnionMap, exact: bool) -> Value {
    Value::List(vec![Value::Map(all), Value::Bool(exact)])
}

fn draw(x: &Value, dims: (usize, usize)) -> Outcome {
    let (first, second) = dims;
    let spaces: Vec<Space> = match plain(x.clone()) {
        Value::Set(s) => s.sets().map(|s| s.space().clone()).collect(),
        Value::Map(m) => m.maps().flat_map(|m| [m.space().domain(), m.space().range()]).collect(),
        _ => Vec::new(),
    };
    // What has one dim is a row.
    let count = spaces.iter().map(Space::n_out).fold(2, usize::max);
    if let Some(missing) = [first, second].iter().find(|d| **d >= count) {
        return problem(format!("there is no dim {missing} to draw: the last one is {}", count - 1));
    }
    let drawn = match plain(x.clone()) {
        Value::Set(s) => s.to_svg(dims),
        Value::Map(m) => m.to_svg(dims),
        ref v => return problem(format!("'draw' does not apply to a {}", kind(v))),
    };
    match drawn {
        Err(Error::TooMany) => problem(
            "too many elements to draw: bound it, as in `* { [i] : 0 <= i < 10 }`, to 10,000 in 2,000 places each way",
        ),
        drawn => Ok(Value::Text(drawn?)),
    }
}

/// Elements that `scan` lists at most.
const MOST_ELEMENTS: usize = 10_000;

/// A set per element, in lexicographic order.
fn elements(s: &Set) -> std::result::Result<Vec<Set>, Problem> {
    let points = match s.points_big(MOST_ELEMENTS) {
        Err(Error::TooMany) => return problem("too many elements to list: more than 10,000"),
        points => points?,
    };
    Ok(points.iter().map(|p| Set::of_point(s.space().clone(), p)).collect())
}

/// The set of one point `[params | dims]`.
fn at_point(space: &Space, point: &[i64]) -> Set {
    let mut out = Set::universe(space.clone());
    for (c, v) in point.iter().enumerate() {
        let mut row = vec![0; point.len() + 1];
        (row[c], row[point.len()]) = (-1, *v);
        out = out.add(Relation::Eq, &row);
    }
    out
}

pub(super) fn infinite<T>() -> std::result::Result<T, Problem> {
    problem("infinitely many elements")
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
    for s in s.sets() {
        if let Some(x) = s.sample_set(b)? {
            return Ok(x.into());
        }
    }
    Ok(UnionSet::empty(&[]))
}

fn binary(op: &str, x: Value, y: Value, b: &Budget) -> Outcome {
    match (plain(x), plain(y)) {
        (Value::Set(x), Value::Set(y)) => two_sets(op, &x, &y, b),
        (Value::Map(x), Value::Map(y)) => two_maps(op, &x, &y, b),
        (Value::Rational(x), Value::Rational(y)) => rationals::binary(op, &x, &y, b),
        (Value::Rational(x), Value::Set(y)) | (Value::Set(y), Value::Rational(x)) if op == "*" => {
            two_sets(op, &x.integer_set(), &y, b)
        }
        (Value::Rational(x), Value::Map(y)) | (Value::Map(y), Value::Rational(x)) if op == "*" => {
            two_maps(op, &x.integer_map(), &y, b)
        }
        (Value::Rational(x), y @ (Value::Set(_) | Value::Map(_))) if rationals::is_comparison(op) => {
            rationals::compare(op, &x, &y, b)
        }
        (x @ (Value::Set(_) | Value::Map(_)), Value::Rational(y)) if rationals::is_comparison(op) => {
            let turned = match op {
                "<=" => ">=",
                ">=" => "<=",
                "<" => ">",
                ">" => "<",
                op => op,
            };
            rationals::compare(turned, &y, &x, b)
        }
        (Value::Map(x), Value::Set(y)) if op == "*" => Ok(Value::Map(match y.as_params() {
            Some(c) => x.intersect_params(c),
            None => x.intersect_domain(&y),
        })),
        (Value::Map(x), Value::Set(y)) if op == "%" => match y.as_params() {
            Some(c) => Ok(Value::Map(x.gist_params(c, b)?)),
            None => Ok(Value::Map(x.gist(&y.product_map(&all_ranges(&x)), b)?)),
        },
        (Value::Map(x), Value::Set(y)) if op == "-" => Ok(Value::Map(x.subtract(&x.intersect_domain(&y), b)?)),
        (Value::Map(x), Value::Set(y)) if op == "->*" => Ok(Value::Map(x.intersect_range(&y))),
        (Value::Map(x), Value::Set(y)) if op == "->-" => {
            let inside = x.intersect_range(&y);
            Ok(Value::Map(x.subtract(&inside, b)?))
        }
        (Value::Text(x), y) if op == "+" => Ok(Value::Text(format!("{x}{y}"))),
        (x, Value::Text(y)) if op == "+" => Ok(Value::Text(format!("{x}{y}"))),
        (Value::Text(x), Value::Text(y)) if op == "=" => Ok(Value::Bool(x == y)),
        (Value::Count(x), Value::Set(y)) if op == "*" => Ok(Value::Count(restricted(&x, &y))),
        (Value::Count(x), Value::Set(y)) if op == "%" => simplified(&x, &y, b),
        (Value::Count(x), Value::Set(y)) if op == "@" => one_by_one(&x, &y, b),
        (Value::Map(m), Value::Count(c)) if op == "." || op == "before" => over_images(&c, &m, b),
        (Value::Count(c), Value::Map(m)) if op == "after" => over_images(&c, &m, b),
        (Value::Count(x), Value::Count(y)) => two_counts(op, x, y, b),
        (Value::Count(c), Value::Number(k)) | (Value::Number(k), Value::Count(c)) if op == "*" => {
            Ok(Value::Count(c.iter().map(|c| c.times(&k)).collect()))
        }
        (Value::Number(x), Value::Number(y)) => two_numbers(op, x, &y),
        (Value::Bool(x), Value::Bool(y)) => match op {
            "=" | "==" => Ok(Value::Bool(x == y)),
            "+" => Ok(Value::Bool(x || y)),
            "*" => Ok(Value::Bool(x && y)),
            _ => problem(format!("'{op}' does not apply to two truth values")),
        },
        (x, y) => {
            let as_map = |v: &Value| if let Value::Set(s) = v { nothing(s) } else { None };
            match (&x, as_map(&x), &y, as_map(&y)) {
                (Value::Map(x), _, _, Some(y)) => two_maps(op, x, &y, b),
                (_, Some(x), Value::Map(y), _) => two_maps(op, &x, y, b),
                _ => problem(format!("'{op}' does not apply to a {} and a {}", kind(&x), kind(&y))),
            }
        }
    }
}

fn two_sets(op: &str, x: &UnionSet, y: &UnionSet, b: &Budget) -> Outcome {
    Ok(match op {
        "+" => Value::Set(x.union(y)),
        "-" => Value::Set(x.subtract(y, b)?),
        "*" => Value::Set(match (x.as_params(), y.as_params()) {
            (None, Some(c)) => x.intersect_params(c),
            (Some(c), None) => y.intersect_params(c),
            _ => x.intersect(y),
        }),
        "%" => Value::Set(match (x.as_params(), y.as_params()) {
            (None, Some(c)) => x.gist_params(c, b)?,
            _ => x.gist(y, b)?,
        }),
        "->" => Value::Map(x.product_map(y)),
        "cross" => Value::Set(x.product(y)),
        "<<" => Value::Map(x.lex_lt(y).coalesce(b)?),
        "<<=" => Value::Map(x.lex_le(y).coalesce(b)?),
        ">>" => Value::Map(y.lex_lt(x).reverse().coalesce(b)?),
        ">>=" => Value::Map(y.lex_le(x).reverse().coalesce(b)?),
        "=" | "==" => Value::Bool(x.is_equal(y, b)?),
        "<=" => Value::Bool(x.is_subset(y, b)?),
        ">=" => Value::Bool(y.is_subset(x, b)?),
        "<" => Value::Bool(x.is_strict_subset(y, b)?),
        ">" => Value::Bool(y.is_strict_subset(x, b)?),
        _ => return problem(format!("'{op}' does not apply to a set and a set")),
    })
}

fn two_maps(op: &str, x: &UnionMap, y: &UnionMap, b: &Budget) -> Outcome {
    Ok(match op {
        "+" => Value::Map(x.union(y)),
        "-" => Value::Map(x.subtract(y, b)?),
        "*" => Value::Map(x.intersect(y)),
        "%" => Value::Map(x.gist(y, b)?),
        "." | "before" => Value::Map(x.apply_range(y, b)?),
        "after" => Value::Map(y.apply_range(x, b)?),
        "cross" => Value::Map(x.product(y)),
        "cross_range" => Value::Map(x.range_product(y)),
        "<<" => Value::Map(x.lex_lt(y, b)?.coalesce(b)?),
        "<<=" => Value::Map(x.lex_le(y, b)?.coalesce(b)?),
        ">>" => Value::Map(y.lex_lt(x, b)?.reverse().coalesce(b)?),
        ">>=" => Value::Map(y.lex_le(x, b)?.reverse().coalesce(b)?),
        "=" | "==" => Value::Bool(x.is_equal(y, b)?),
        "<=" => Value::Bool(x.is_subset(y, b)?),
        ">=" => Value::Bool(y.is_subset(x, b)?),
        "<" => Value::Bool(x.is_strict_subset(y, b)?),
        ">" => Value::Bool(y.is_strict_subset(x, b)?),
        _ => return problem(format!("'{op}' does not apply to a map and a map")),
    })
}

fn two_numbers(op: &str, x: BigRational, y: &BigRational) -> Outcome {
    Ok(match op {
        "+" => Value::Number(x + y),
        "-" => Value::Number(x - y),
        "*" => Value::Number(x * y),
        "=" | "==" => Value::Bool(x == *y),
        "<=" => Value::Bool(x <= *y),
        ">=" => Value::Bool(x >= *y),
        "<" => Value::Bool(x < *y),
        ">" => Value::Bool(x > *y),
        _ => return problem(format!("'{op}' does not apply to two numbers")),
    })
}

/// Everything of the spaces of a map's outputs.
fn all_ranges(m: &UnionMap) -> UnionSet {
    let mut out = UnionSet::empty(&[]);
    m.maps().for_each(|m| out.add(Set::universe(m.space().range())));
    out
}

/// For each input of the map the sum of the functions over its images.
fn over_images(list: &[PwQPoly], m: &UnionMap, b: &Budget) -> Outcome {
    let mut out: Vec<PwQPoly> = Vec::new();
    for m in m.maps() {
        for c in list.iter().filter(|c| c.space().same_tuples(&m.space().range())) {
            let Some(sums) = c.sum_over_images(m, b)? else { return infinite() };
            match out.iter_mut().find(|o| o.space().same_tuples(sums.space())) {
                Some(o) => *o = o.add(&sums, b)?,
                None => out.push(sums),
            }
        }
    }
    Ok(Value::Count(out))
}

/// The functions, simplified for arguments or parameters in the set.
fn simplified(list: &[PwQPoly], context: &UnionSet, b: &Budget) -> Outcome {
    let inside = |c: &PwQPoly| {
        if let Some(params) = context.as_params() {
            return c.gist(&Set::universe(c.space().clone()).intersect_params(params), b);
        }
        match context.sets().find(|d| d.space().same_tuples(c.space())) {
            Some(d) => c.gist(d, b),
            None => Ok(PwQPoly::zero(c.space())),
        }
    };
    Ok(Value::Count(list.iter().map(inside).collect::<Result<_>>()?))
}

/// The values of the functions at the elements of the set, each for itself.
fn one_by_one(list: &[PwQPoly], points: &UnionSet, b: &Budget) -> Outcome {
    let mut out = Vec::new();
    for c in restricted(list, points) {
        let mut sum = PwQPoly::zero(c.space());
        for s in points.sets().filter(|s| s.space().same_tuples(c.space())) {
            let own = s.space();
            let place = |p| own.params.iter().position(|q| q == p);
            let Some(params) = c.space().params.iter().map(place).collect::<Option<Vec<usize>>>() else {
                return problem("the elements have no values for the count's parameters");
            };
            for x in s.points(MOST_ELEMENTS)? {
                let (given, point) = x.split_at(own.n_param());
                let params: Vec<i64> = params.iter().map(|p| given[*p]).collect();
                sum = sum.add(&PwQPoly::constant(&at_point(own, &x), &c.value(&params, point)), b)?;
            }
        }
        out.push(sum);
    }
    Ok(Value::Count(out))
}

/// The functions where their arguments lie in the set.
fn restricted(list: &[PwQPoly], dom: &UnionSet) -> Vec<PwQPoly> {
    let inside = |c: &PwQPoly| {
        if let Some(params) = dom.as_params() {
            return Some(c.intersect_domain(&Set::universe(c.space().clone()).intersect_params(params)));
        }
        let d = dom.sets().find(|d| d.space().same_tuples(c.space()))?;
        Some(c.intersect_domain(d))
    };
    list.iter().filter_map(inside).collect()
}

/// Sums, differences and products, space by space; a product has the spaces that both have.
fn two_counts(op: &str, x: Vec<PwQPoly>, y: Vec<PwQPoly>, b: &Budget) -> Outcome {
    let mut out = Vec::new();
    let mut rest = y;
    for c in x {
        let mate = rest.iter().position(|d| d.space().same_tuples(c.space())).map(|k| rest.remove(k));
        match (op, mate) {
            ("==" | "=", mate) => {
                let gap = mate.map_or_else(|| Ok(c.clone()), |d| c.sub(&d, b))?;
                if gap.domains().next().is_some() {
                    return Ok(Value::Bool(false));
                }
            }
            ("+", Some(d)) => out.push(c.add(&d, b)?),
            ("-", Some(d)) => out.push(c.sub(&d, b)?),
            ("*", Some(d)) => out.push(c.mul(&d, b)?),
            ("+" | "-", None) => out.push(c),
            ("*", None) => {}
            _ => return problem(format!("'{op}' does not apply to a count and a count")),
        }
    }
    match op {
        "+" => out.extend(rest),
        "-" => out.extend(rest.iter().map(|d| d.scale(-1))),
        "==" | "=" => return Ok(Value::Bool(rest.iter().all(|d| d.domains().next().is_none()))),
        _ => {}
    }
    Ok(Value::Count(out))
}

/// Paths, a list of a map and of whether it is exact, as the map that they are.
fn plain(x: Value) -> Value {
    match x {
        Value::List(mut list) if matches!(list.as_slice(), [Value::Map(_), Value::Bool(_)]) => list.swap_remove(0),
        x => x,
    }
}

/// A value of a list.
fn part(x: Value, k: usize) -> Outcome {
    match x {
        Value::List(mut list) if k < list.len() => Ok(list.swap_remove(k)),
        Value::List(list) => problem(format!("the list has {} values", list.len())),
        x => problem(format!("a {} has no parts", kind(&x))),
    }
}

fn closure(x: Value, b: &Budget) -> Outcome {
    match plain(x) {
        Value::Map(m) => {
            let (all, exact) = m.transitive_closure(b)?;
            Ok(paths(all, exact))
        }
        Value::Set(s) if nothing(&s).is_some() => Ok(paths(UnionMap::empty(&[]), true)),
        x => problem(format!("'^+' does not apply to a {}", kind(&x))),
    }
}

fn power(x: Value, k: i64, b: &Budget) -> Outcome {
    match plain(x) {
        Value::Map(m) => Ok(Value::Map(m.fixed_power(k, b)?)),
        Value::Rational(r) if k == -1 => Ok(Value::Rational(r.reverse())),
        x => problem(format!("'^' does not apply to a {}", kind(&x))),
    }
}

fn apply(f: Value, x: Value, b: &Budget) -> Outcome {
    match (plain(f), plain(x)) {
        (Value::Count(list), Value::Set(s)) => value_at(&list, &s, b),
        (Value::Count(list), Value::Map(m)) => over_images(&list, &m, b),
        (Value::Map(m), Value::Set(s)) => Ok(Value::Set(s.apply(&m, b)?)),
        (Value::Map(m), Value::Map(n)) => Ok(Value::Map(n.apply_range(&m, b)?)),
        (f, x) => problem(format!("a {} cannot be applied to a {}", kind(&f), kind(&x))),
    }
}

/// The value of the functions at the only element of the set, a number; else the sum over its elements, a function of
/// the parameters.
fn value_at(list: &[PwQPoly], s: &UnionSet, b: &Budget) -> Outcome {
    let mut found = s.sets().filter_map(|s| s.sample(b).map(|x| x.map(|x| (s, x))).transpose());
    let Some((first, x)) = found.next().transpose()? else { return problem("the set is empty") };
    let of = |s: &Set| list.iter().find(|c| c.space().same_tuples(s.space()));
    if let Some(c) = of(first) {
        let own = &first.space().params;
        let places: Option<Vec<usize>> = c.space().params.iter().map(|p| own.iter().position(|q| q == p)).collect();
        let rest: UnionSet = at_point(first.space(), &x).into();
        if let Some(places) = places
            && s.is_subset(&rest, b)?
        {
            let (params, point) = x.split_at(own.len());
            let params: Vec<i64> = places.into_iter().map(|k| params[k]).collect();
            return Ok(Value::Number(c.value(&params, point)));
        }
    }
    let parts: Vec<PwQPoly> = s.sets().filter_map(|s| Some(of(s)?.intersect_domain(s))).collect();
    match bounds::total(&parts, b)? {
        Some(total) => Ok(Value::Count(vec![total])),
        None => problem("the count is a function on another space"),
    }
}

fn kind(v: &Value) -> &'static str {
    match v {
        Value::List(_) => "list",
        Value::Number(_) => "number",
        Value::Nothing => "statement without a value",
        Value::Set(_) => "set",
        Value::Map(_) => "map",
        Value::Rational(r) => rationals::kind(r),
        Value::Bool(_) => "truth value",
        Value::Count(_) => "count",
        Value::Text(_) => "text",
    }
}
