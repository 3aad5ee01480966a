//! A nest as data for a page that runs its loops: what is executed, when, and what it touches.
//!
//! Values of functions are worked out by whoever shows them, for the parameter values that a person chooses. A function
//! is `{ "d": [[row, divisor], ..], "r": row }` over `[params, dims, floors, 1]`: floors in order, then the row.
//! Expressions of loops are numbers or `[operator, ..]`: `p` parameter, `i` iterator, `+`, `*`, `/` floor, `^` ceiling,
//! `%` remainder, `m` least, `M` greatest; conditions `and`, `or`, `not`, `>=`, `==`, true and false.

use super::source::{Head, with_words};
use super::steps::{Step, steps};
use super::{Counter, Model, Nest, Place, Source};
use crate::ast::{self, Ast, Cond, Expr, interpret};
use crate::deps::{self, Dep, Dependences, vectors};
use crate::ids::ArrayId;
use crate::model::tree::expr::dim_names;
use crate::model::tree::flat::{TimeDim, flat_schedule, visit_nodes};
use crate::model::tree::maps::pieces_of;
use crate::model::tree::read::parse_tree;
use crate::model::tree::{Mark, Node};
use crate::model::{AccessKind, Scop, Stmt};
use presburger::{Aff, Budget, Kind, Set};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Steps of set operations for one picture.
const PICTURE_STEPS: u64 = 20_000_000;
/// Value of all parameters for which it is looked how statements run.
const SAMPLE: i64 = 6;
/// More instances than these, for such parameters, are too many to draw.
const MOST_INSTANCES: usize = 2500;
/// The same of iterations of one loop.
const LONGEST_ROW: i64 = 64;
/// Last value of each loop that is drawn where there are too many.
const LAST_DRAWN: i64 = 8;

/// The data of one nest.
///
/// # Errors
/// Why there is no picture.
pub fn of(nest: &Nest, source: &Source) -> Result<Value, String> {
    let model = nest.model.as_ref().ok_or("there is no model of these loops")?;
    let mut scop = Scop::parse(&model.scop).map_err(|e| format!("the model cannot be read: {e}"))?;
    let mut tree = model.tree.as_deref().map(parse_tree).transpose()?;
    let budget = Budget::steps(PICTURE_STEPS);
    let all = sample(&scop, &budget);
    let cut = all.as_ref().is_none_or(|all| all.len() > MOST_INSTANCES || longest(all) > LONGEST_ROW);
    if cut {
        let last = LAST_DRAWN + least(all.as_deref().unwrap_or_default());
        tree = tree.map(|tree| first_iterations(tree, last));
        scop.schedule = first_iterations(scop.schedule, last);
        scop.stmts.iter_mut().for_each(|stmt| stmt.domain = cut_off(&stmt.domain, last));
    }
    let deps = deps::compute(&scop, &budget).map_err(|e| e.to_string())?;
    let in_model = scop.param_names();
    let params: Vec<&str> = match model.params.len() == in_model.len() {
        true => model.params.iter().map(String::as_str).collect(),
        false => in_model,
    };
    let stmts = statements(&scop, model, source, &budget);
    let mut drawn: Vec<Value> = Vec::new();
    let mut texts: Vec<String> = Vec::new();
    for step in steps(&scop, &deps, tree.as_ref(), &model.steps, &budget) {
        let Ok(ast) = ast::build(&scop, &step.tree, &ast::Config::default(), &budget) else { continue };
        let plain = ast::print_c(&ast, &params);
        if texts.last() == Some(&plain) {
            // What vectors do is not seen in the loops.
            if let Some(last) = drawn.last_mut().filter(|_| step.title == "vector") {
                let told = |key: &str| last[key].as_str().unwrap_or_default().to_owned();
                let (title, what) =
                    (told("title") + ", vector", told("what") + " The innermost loop can run in vectors.");
                (last["title"], last["what"]) = (title.into(), what.into());
            }
            continue;
        }
        let code: Vec<String> = plain.lines().map(|line| with_source(line, &stmts)).collect();
        drawn.push(step_of(&scop, &step, &ast, &code));
        texts.push(plain);
    }
    if drawn.is_empty() {
        return Err("no loops can be made of the model".to_owned());
    }
    Ok(json!({
        "params": params,
        "isCut": cut,
        "arrays": array_names(&scop, model),
        "statements": stmts.iter().map(|s| s.json.clone()).collect::<Vec<_>>(),
        "steps": drawn,
        "dependences": dependences(&scop, &deps, model, &budget),
    }))
}

/// The instances that run for small parameter values, in order; `None`: too many, or no loops can be made.
fn sample(scop: &Scop, budget: &Budget) -> Option<Vec<interpret::Instance>> {
    let ast = ast::build(scop, &scop.schedule, &ast::Config::default(), budget).ok()?;
    interpret::run(&ast, &vec![SAMPLE; scop.params.len()])
}

/// How many values the longest loop of these instances has.
fn longest(all: &[interpret::Instance]) -> i64 {
    let mut ends: BTreeMap<usize, (i64, i64)> = BTreeMap::new();
    for (k, v) in all.iter().flat_map(|(_, point)| point.iter().copied().enumerate()) {
        let (low, high) = ends.entry(k).or_insert((v, v));
        (*low, *high) = ((*low).min(v), (*high).max(v));
    }
    ends.values().map(|(low, high)| high - low + 1).max().unwrap_or(0)
}

/// Where the loop begins that begins last, if that is beyond 1.
fn least(all: &[interpret::Instance]) -> i64 {
    let mut first: BTreeMap<usize, i64> = BTreeMap::new();
    for (k, v) in all.iter().flat_map(|(_, point)| point.iter().copied().enumerate()) {
        first.entry(k).and_modify(|least| *least = (*least).min(v)).or_insert(v);
    }
    first.into_values().max().filter(|least| *least > 1).unwrap_or(0)
}

/// The first iterations of each loop.
fn cut_off(domain: &Set, last: i64) -> Set {
    let (params, dims) = (domain.space().n_param(), domain.space().n_out());
    (0..dims).fold(domain.clone(), |cut, k| {
        let mut row = vec![0; params + dims + 1];
        (row[params + k], row[params + dims]) = (-1, last);
        cut.add(Kind::Ge, &row)
    })
}

fn first_iterations(tree: Node, last: i64) -> Node {
    match tree {
        Node::Domain(sets, child) => {
            Node::Domain(sets.iter().map(|(id, set)| (*id, cut_off(set, last))).collect(), child)
        }
        other => other,
    }
}

fn array_names(scop: &Scop, model: &Model) -> Vec<String> {
    (0..scop.arrays.len()).map(|k| array_name(ArrayId::new(k), model)).collect()
}

fn array_name(id: ArrayId, model: &Model) -> String {
    model.arrays.get(id.index()).map_or_else(|| id.to_string(), |name| name.trim_start_matches('.').to_owned())
}

/// A statement as it is shown.
struct Shown {
    /// `Stmt0`.
    id: String,
    /// Its text in the source, or in short.
    text: Option<String>,
    /// Whether the loops' values can be written into that.
    can_write: bool,
    /// The loops' variables, by dim.
    names: Vec<String>,
    json: Value,
}

fn statements(scop: &Scop, model: &Model, source: &Source, budget: &Budget) -> Vec<Shown> {
    let first = first_values(scop, budget);
    let all = scop.stmts.iter().enumerate();
    let mut all: Vec<Shown> = all.map(|(k, stmt)| shown((k, stmt), (model, source), &first, budget)).collect();
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for stmt in &mut all {
        let text = stmt.json["text"].as_str().unwrap_or_default().trim_end_matches(';');
        let name = stmt.json["line"].as_u64().map_or_else(|| text.to_owned(), |line| format!("line {line}"));
        let count = seen.entry(name.clone()).or_default();
        *count += 1;
        stmt.json["name"] = if *count == 1 { name } else { format!("{name} ({count})") }.into();
    }
    all
}

/// Where a statement stands: by debug information, which values kept in a local variable have none of. The first of
/// these is looked for behind the head of its innermost loop, before whatever of the model comes next.
fn place_of((number, stmt): (usize, &Stmt), model: &Model, source: &Source) -> Option<Place> {
    let (at, loops) = model.statements.get(number)?;
    if at.is_some() {
        return at.clone();
    }
    let [written] = stmt.accesses.as_slice() else { return None };
    let head = loops.last()?.as_ref()?;
    let places = model.statements.iter().flat_map(|(at, loops)| at.iter().chain(loops.iter().flatten()));
    let end = places.filter(|p| p.file == head.file && p.line > head.line).map(|p| p.line).min()?;
    source.first_value(&array_name(written.array, model), head, end)
}

/// The least value of each dim of each statement, for small parameter values.
fn first_values(scop: &Scop, budget: &Budget) -> BTreeMap<u32, Vec<i64>> {
    let mut first: BTreeMap<u32, Vec<i64>> = BTreeMap::new();
    for (id, point) in sample(scop, budget).unwrap_or_default() {
        let least = first.entry(id.0).or_insert_with(|| point.clone());
        least.iter_mut().zip(&point).for_each(|(l, p)| *l = (*l).min(*p));
    }
    first
}

/// The loops around a statement as the source has them, outermost first: by debug information, else by their heads.
fn heads(number: usize, model: &Model, source: &Source) -> Vec<Option<Head>> {
    let counters = model.counters.get(number).map_or(&[][..], Vec::as_slice);
    let places = model.statements.get(number).map_or(&[][..], |(_, loops)| loops.as_slice());
    let head = |(k, place): (usize, &Option<Place>)| match counters.get(k) {
        Some(Counter { name, is_value: true }) => Some(Head { name: name.clone(), counts_up: true, first: None }),
        _ => source.head(place.as_ref()?),
    };
    places.iter().enumerate().map(head).collect()
}

fn shown(
    (number, stmt): (usize, &Stmt),
    (model, source): (&Model, &Source),
    first: &BTreeMap<u32, Vec<i64>>,
    budget: &Budget,
) -> Shown {
    let dims = dim_names(stmt.domain.space());
    let at = place_of((number, stmt), model, source);
    let at = at.as_ref();
    let heads = heads(number, model, source);
    let all_known = heads.len() == dims.len();
    let name = |(k, dim): (usize, &String)| match heads.get(k) {
        Some(Some(head)) if all_known => head.name.clone(),
        _ => dim.clone(),
    };
    let names: Vec<String> = dims.iter().enumerate().map(name).collect();
    let least = first.get(&stmt.id.0);
    let fits = |(k, head): (usize, &Option<Head>)| {
        let least = least.and_then(|l| l.get(k));
        head.as_ref().is_some_and(|h| h.counts_up && (h.first.is_none() || h.first == least.copied()))
    };
    let can_write = all_known && heads.iter().enumerate().all(fits);
    let line_of = |at: &Place| (at.file.clone(), at.line);
    let others = model.statements.iter().filter_map(|(other, _)| other.as_ref());
    let is_alone = at.is_some_and(|at| others.filter(|other| line_of(other) == line_of(at)).count() <= 1);
    // What a condition on data lets run in some iterations only has that in front, unless it is in the same line.
    let is_conditional = stmt.accesses.iter().any(|a| a.kind == AccessKind::MayWrite);
    let has_condition = |text: &str| text.split(|c: char| !c.is_alphanumeric()).any(|word| word == "if");
    let whole = |text: String| if is_conditional && !has_condition(&text) { format!("if (..) {text}") } else { text };
    let in_source = at.and_then(|at| source.statement(at, is_alone)).map(whole);
    let can_write = can_write && in_source.is_some();
    let text = in_source.or_else(|| in_short(stmt, model));
    let accesses: Vec<Value> = stmt
        .accesses
        .iter()
        .filter_map(|access| {
            let pieces = pieces_of(&access.relation, budget).ok()?;
            let [(_, affs)] = pieces.as_slice() else { return None };
            let subscripts: Vec<Value> = affs.iter().map(function).collect();
            let writes = access.kind != AccessKind::Read;
            Some(json!({ "array": access.array.index(), "writes": writes, "subscripts": subscripts }))
        })
        .collect();
    let hidden = stmt.accesses.len() - accesses.len();
    let json = json!({
        "id": stmt.id.to_string(),
        "text": text.clone().unwrap_or_else(|| array_texts(stmt, model)),
        "line": at.map(|at| at.line),
        "dims": names,
        "accesses": accesses,
        "hidden": hidden,
    });
    Shown { id: stmt.id.to_string(), text, can_write, names, json }
}

/// A statement of which the source has no text of its own, as the first value of a local variable or a part of an
/// expression: what it writes, with what it reads.
fn in_short(stmt: &Stmt, model: &Model) -> Option<String> {
    let of = |write: bool| {
        let touched = stmt.accesses.iter().filter(|a| (a.kind != AccessKind::Read) == write);
        let mut names: Vec<String> = touched.map(|a| array_name(a.array, model)).collect();
        names.sort();
        names.dedup();
        names
    };
    let (written, read) = (of(true), of(false));
    let value = if read.is_empty() { "..".to_owned() } else { format!("f({})", read.join(", ")) };
    (!written.is_empty()).then(|| format!("{} = {value};", written.join(", ")))
}

/// What a statement does, where the source does not say it: the arrays that it touches.
fn array_texts(stmt: &Stmt, model: &Model) -> String {
    let of = |write: bool| {
        let touched = stmt.accesses.iter().filter(|a| (a.kind != AccessKind::Read) == write);
        let mut names: Vec<String> = touched.map(|a| array_name(a.array, model)).collect();
        names.sort();
        names.dedup();
        if names.is_empty() { "nothing".to_owned() } else { names.join(", ") }
    };
    format!("reads {}; writes {}", of(false), of(true))
}

/// A line of C-like text with the statement of the source in the place of `Stmt0(..)`, its instance behind it where it
/// cannot be written into that.
fn with_source(line: &str, stmts: &[Shown]) -> String {
    let trimmed = line.trim_start();
    let Some((name, rest)) = trimmed.split_once('(') else { return line.to_owned() };
    let Some(stmt) = stmts.iter().find(|s| s.id == name) else { return line.to_owned() };
    let (Some(text), Some(args)) = (&stmt.text, rest.strip_suffix(");")) else { return line.to_owned() };
    let indent = &line[..line.len() - trimmed.len()];
    if !stmt.can_write {
        let instance = if args.is_empty() { String::new() } else { format!("  // at ({args})") };
        return format!("{indent}{text}{instance}");
    }
    let args: Vec<&str> = arguments(args);
    if args.len() != stmt.names.len() {
        return line.to_owned();
    }
    let new = |word: &str| stmt.names.iter().position(|n| n == word).map(|k| args[k].to_owned());
    format!("{indent}{}", with_words(text, &new))
}

/// `a, min(b, c)` at the commas outside of parentheses.
fn arguments(text: &str) -> Vec<&str> {
    let (mut depth, mut start, mut found) = (0, 0, Vec::new());
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            ',' if depth == 0 => {
                found.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    if !text.trim().is_empty() {
        found.push(text[start..].trim());
    }
    found
}

fn function(aff: &Aff) -> Value {
    let floors: Vec<Value> = aff.divs().iter().map(|d| json!([d.num, d.den])).collect();
    json!({ "d": floors, "r": aff.row() })
}

/// A step with its loops, the time of each statement, and which parts of that are tiles or run at the same time.
fn step_of(scop: &Scop, step: &Step, ast: &Ast, code: &[String]) -> Value {
    let roles = member_roles(&step.tree);
    let flat = flat_schedule(&step.tree);
    let time = |stmt: &Stmt| {
        let piece = flat.get(&stmt.id).and_then(|pieces| pieces.first());
        let dims = piece.map_or(&[][..], |p| p.time.as_slice()).iter().enumerate();
        let value = |(k, dim): (usize, &TimeDim)| match dim {
            TimeDim::Seq(v) | TimeDim::Any(v) => json!({ "seq": v }),
            TimeDim::Aff(aff) => {
                let role = roles.get(&(stmt.id.0, k)).copied().unwrap_or_default();
                json!({ "value": function(aff), "tile": role.tile, "free": role.free, "threads": role.threads })
            }
        };
        dims.map(value).collect::<Vec<_>>()
    };
    let split = flat.values().any(|pieces| pieces.len() > 1);
    json!({
        "title": step.title,
        "what": step.what,
        "code": code,
        "loops": block(ast),
        "times": if split { Value::Null } else { scop.stmts.iter().map(time).collect() },
    })
}

#[derive(Clone, Copy, Default)]
struct MemberRole {
    tile: bool,
    /// Carries no dependence.
    free: bool,
    threads: bool,
}

/// What is known of the parts of each statement's time.
fn member_roles(tree: &Node) -> BTreeMap<(u32, usize), MemberRole> {
    let mut roles = BTreeMap::new();
    let mut tiles = Vec::new();
    visit_nodes(tree, &mut |path, node, pieces| match node {
        Node::Mark(Mark::TileLoops(_), _) => tiles.push([path, &[0]].concat()),
        Node::Band(band, _) => {
            let tile = tiles.iter().any(|t| t == path);
            for (id, piece) in pieces {
                for (k, m) in band.members.iter().enumerate() {
                    let free = m.coincident || m.alone.contains(id);
                    let role = MemberRole { tile, free, threads: m.role.threads().is_some() };
                    roles.insert((id.0, piece.time.len() + k), role);
                }
            }
        }
        _ => {}
    });
    roles
}

/// Every dependence with its distances and what they mean in the original order.
fn dependences(scop: &Scop, deps: &Dependences, model: &Model, budget: &Budget) -> Vec<Value> {
    let plain = deps.validity.iter().map(|dep| (dep, false));
    let all = plain.chain(deps.reductions.iter().map(|dep| (dep, true)));
    let told = |(dep, update): (&Dep, bool)| {
        let found = vectors::vectors(scop, dep, budget).unwrap_or_default();
        let distance = |v: &vectors::Vector| v.0.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        json!({
            "kind": dep.kind.to_string(),
            "source": dep.src.index(),
            "destination": dep.dst.index(),
            "array": array_name(dep.array, model),
            "arrayIndex": dep.array.index(),
            "distances": found.iter().map(distance).collect::<Vec<_>>(),
            "update": update,
        })
    };
    all.map(told).collect()
}

fn block(ast: &Ast) -> Value {
    match ast {
        Ast::Block(parts) => parts.iter().map(one).collect(),
        other => json!([one(other)]),
    }
}

fn one(ast: &Ast) -> Value {
    match ast {
        Ast::Block(_) => json!({ "block": block(ast) }),
        Ast::For(f) => json!({
            "for": f.iter.to_string(),
            "from": expr(&f.lower),
            "to": expr(&f.upper),
            "step": f.step,
            "threads": f.parallel.is_some(),
            "body": block(&f.body),
        }),
        Ast::If(i) => json!({
            "if": cond(&i.cond),
            "then": block(&i.then),
            "else": i.otherwise.as_ref().map_or(Value::Array(Vec::new()), block),
        }),
        Ast::Stmt { id, args } => json!({ "run": id.index(), "at": args.iter().map(expr).collect::<Vec<_>>() }),
    }
}

fn expr(e: &Expr) -> Value {
    let list = |op: &str, of: &[Expr]| {
        let parts = std::iter::once(json!(op)).chain(of.iter().map(expr));
        Value::Array(parts.collect())
    };
    match e {
        Expr::Int(v) => json!(v),
        Expr::Param(k) => json!(["p", k]),
        Expr::Iter(id) => json!(["i", id.to_string()]),
        Expr::Add(of) => list("+", of),
        Expr::Mul(k, e) => json!(["*", k, expr(e)]),
        Expr::FloorDiv(e, d) => json!(["/", expr(e), d]),
        Expr::CeilDiv(e, d) => json!(["^", expr(e), d]),
        Expr::Mod(e, d) => json!(["%", expr(e), d]),
        Expr::Min(of) => list("m", of),
        Expr::Max(of) => list("M", of),
    }
}

fn cond(c: &Cond) -> Value {
    let list = |op: &str, of: &[Cond]| Value::Array(std::iter::once(json!(op)).chain(of.iter().map(cond)).collect());
    match c {
        Cond::True => json!(true),
        Cond::False => json!(false),
        Cond::And(of) => list("and", of),
        Cond::Or(of) => list("or", of),
        Cond::Not(of) => json!(["not", cond(of)]),
        Cond::Ge(a, b) => json!([">=", expr(a), expr(b)]),
        Cond::Eq(a, b) => json!(["==", expr(a), expr(b)]),
    }
}
