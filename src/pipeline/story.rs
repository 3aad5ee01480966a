//! What became of a region and why, for whoever wants to know more than the remark says.
//!
//! In: a region, its order, its run-time check. Out: lines of JSON (`-polyrs-explain`), of which `docs/explain.md` has
//! the keys and `explain` makes what the user sees.

use super::order::Region;
use crate::ast::check::RunTimeCheck;
use crate::error::SourceLoc;
use crate::explain::START;
use crate::facts::{FunctionFacts, ValueKind};
use crate::ids::ArrayId;
use crate::model::tree::print::Yaml;
use crate::model::{ArrayKind, Scop, Stmt};
use crate::outcome::{Costs, Remark, Told};
use crate::schedule::Decision;
use serde_json::{Value, json};

/// The line of one region, with its end.
pub fn line(function: &str, told: &Told) -> String {
    let findings = &told.findings;
    let told = json!({
        "function": function,
        "verdict": told.verdict,
        "name": told.remark.name,
        "message": told.remark.message,
        "at": place(&told.remark.loc),
        "start": place(&told.start),
        "costs": findings.costs.map(|c| json!({ "original": c.original, "new": c.new })),
        "tests": findings.tests,
        "model": findings.model,
    });
    format!("{START}{told}\n")
}

/// What a function that asks for a report says of one region, in the form of a compiler's remark.
pub fn report(function: &str, told: &Told) -> String {
    let SourceLoc { file, line, column, .. } = &told.remark.loc;
    let place = if *line == 0 { format!("function '{function}'") } else { format!("{file}:{line}:{column}") };
    let text = |remark: &Remark| {
        let parts: String = remark.parts.iter().map(|(_, part)| part.as_str()).collect();
        format!("{place}: remark: {}{parts} [polyrs:report]\n", remark.message)
    };
    text(&told.remark) + &told.analysis.as_ref().map(text).unwrap_or_default()
}

fn place(loc: &SourceLoc) -> Value {
    if loc.line == 0 { Value::Null } else { json!({ "file": loc.file, "line": loc.line, "column": loc.column }) }
}

/// What the original and the best new order are estimated to cost.
pub fn costs(decision: &Decision) -> Option<Costs> {
    match decision {
        Decision::Keep { costs, .. } => *costs,
        Decision::Transformed { summary, .. } => summary.costs,
        Decision::Close(close) => close.summary.costs,
    }
}

/// What is tested before the new loops run, in words.
pub fn tests(scop: &Scop, facts: &FunctionFacts, check: &RunTimeCheck) -> Vec<String> {
    let pair = |(a, b): &(ArrayId, ArrayId)| {
        let (a, b) = (known_name(scop, facts, *a)?, known_name(scop, facts, *b)?);
        Some(format!("{a} and {b} do not overlap"))
    };
    let mut tests: Vec<String> = match check.apart.iter().map(pair).collect() {
        Some(named) => named,
        None if check.apart.len() == 1 => vec!["two arrays do not overlap".to_owned()],
        None => vec![format!("{} pairs of arrays do not overlap", check.apart.len())],
    };
    let contexts = &scop.contexts;
    for (what, set) in [("the model holds where", &contexts.assumed), ("it pays where", &contexts.worthwhile)] {
        let text = set.to_string();
        let condition = text.rsplit_once(" : ").map_or("", |(_, rest)| rest.trim_end_matches([' ', '}']));
        if !condition.is_empty() {
            tests.push(format!("{what} {condition}"));
        }
    }
    if !check.nonneg.is_empty() {
        tests.push(format!("{} sizes are not negative", check.nonneg.len()));
    }
    tests
}

/// The name of an array in the IR, if that has one.
fn known_name(scop: &Scop, facts: &FunctionFacts, id: ArrayId) -> Option<String> {
    let value = match scop.array(id).kind {
        ArrayKind::Memory { base } => Some(base),
        ArrayKind::Value { def } => Some(def),
        ArrayKind::Phi { phi } => Some(phi),
        ArrayKind::Made { .. } => None,
    };
    value.map(|v| facts.value(v).name.clone()).filter(|name| !name.is_empty())
}

/// Model and order of a region, with places and names of the source.
pub fn model(facts: &FunctionFacts, region: &Region) -> Value {
    let scop = &region.code.scop;
    let name = |id: ArrayId| known_name(scop, facts, id).unwrap_or_else(|| id.to_string());
    let arrays = (0..scop.arrays.len()).map(|k| name(ArrayId::new(k)));
    json!({
        "scop": scop.to_string(),
        "tree": region.ordered.decision.tree().map(|tree| Yaml(tree).to_string()),
        "steps": region.ordered.steps(),
        "arrays": arrays.collect::<Vec<_>>(),
        "statements": scop.stmts.iter().map(|s| statement(facts, s)).collect::<Vec<_>>(),
    })
}

/// Where a statement and its loops stand.
fn statement(facts: &FunctionFacts, stmt: &Stmt) -> Value {
    let insts = stmt.body.insts().iter().map(|id| facts.value(*id));
    let known = |v: &&crate::facts::Value| v.loc.line != 0;
    let store = |v: &&crate::facts::Value| matches!(v.kind, ValueKind::Store { .. });
    let last = insts.clone().filter(store).rfind(known).or_else(|| insts.clone().rfind(known));
    let loops: Vec<Value> = stmt.body.loops().iter().map(|dim| place(&facts.lp(dim.id).loc)).collect();
    json!({ "id": stmt.id.to_string(), "at": last.map_or(Value::Null, |v| place(&v.loc)), "loops": loops })
}
