//! What became of a region and why, for whoever wants to know more than the remark says.
//!
//! In: a region, its order, its run-time check. Out: lines of JSON (`-polyrs-explain`), of which `docs/explain.md` has
//! the keys and `explain` makes what the user sees.

use super::order::{self, Region};
use crate::ast;
use crate::ast::check::RunTimeCheck;
use crate::ast::device::{Device, Memory, MemoryPart, kernels};
use crate::ast::types::{Ast, Cond, Expr};
use crate::bridge::facts::Facts;
use crate::codegen::device::{Ptx, launch_sizes};
use crate::codegen::device_reduce::collecting;
use crate::cost::gpu::DEVICE;
use crate::cost::working_sets::{self, Around, WorkingSets};
use crate::cost::{Machine, scenarios};
use crate::error::{Reject, RejectKind, SourceLoc};
use crate::explain::{ACCESSED, COMPUTED, START};
use crate::facts::{Counter, FunctionFacts, ScevKind, ValueKind};
use crate::ids::{ArrayId, BlockId, ScevId, ValueId};
use crate::model::build::MOST_PRODUCT;
use crate::model::tree::Node;
use crate::model::tree::print::Yaml;
use crate::model::{Array, ArrayKind, Field, LoopDim, Param, ParamPoly, Scop, Stmt};
use crate::outcome::{self, Costs, PAYS, Remark, Told};
use crate::remedies::{
    AFTER, CALL_BEHIND, COMPUTED_MAY_OVERLAP, ENDS_PROGRAM, ENDS_PROGRAM_AGAIN, JUMP_OUT, MAY_OVERLAP,
    ON_WHICH_IT_ENDS, SWAPPED, UNWINDS, changes_containers, is_allocator, is_panic,
};
use crate::schedule::Decision;
use crate::scop::causes;
use presburger::Budget;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Steps of set operations for what a region touches.
const FOOTPRINT_STEPS: u64 = 1_000_000;
/// What an argument without a name is called, with its number behind it.
const ARGUMENT: &str = "argument ";
/// What a pointer without a name is called that is loaded, with from where behind it.
const LOADED: &str = "load from ";
/// What an array is called that such a pointer leads to, the same.
const BEHIND: &str = "behind ";
/// What an array or a scalar is called of which nothing is known.
const NO_NAME: &str = "(without a name)";
/// The same of a size.
const NO_SIZE: &str = "a size without a name";
/// Most parts of a size that is told as an expression.
const MAX_PARTS: usize = 4;
/// What is said of values that stay where the model's numbers end.
const MODEL_START: &str = "-1099511627776 <= ";
/// See [`MODEL_START`].
const MODEL_END: &str = "1099511627776";

/// The line of one region, with its end.
pub fn line((function, shown): (&str, &str), told: &Told) -> String {
    let findings = &told.findings;
    let told = json!({
        "function": function,
        "shown": shown,
        "verdict": told.verdict,
        "name": told.remark.name,
        "message": told.remark.message,
        "at": place(&told.remark.loc),
        "start": place(&told.start),
        "nest": place(&findings.nest),
        "costs": findings.costs.map(costs_json),
        "tests": findings.tests,
        "target": findings.target,
        "remedy": findings.remedy,
        "library": findings.library,
        "with": findings.with.iter().map(place).collect::<Vec<_>>(),
        "model": findings.model,
        "gpu": findings.gpu,
    });
    format!("{START}{told}\n")
}

fn costs_json(costs: Costs) -> Value {
    json!({
        "original": outcome::cycles_json(costs.original),
        "new": outcome::cycles_json(costs.new),
        "size": costs.size,
        "is_roomy": costs.is_roomy,
        "usual": costs.usual.map(outcome::cycles_json),
    })
}

/// What a function that asks for a report says of one region, in the form of a compiler's remark.
pub fn report(shown: &str, told: &Told) -> String {
    let SourceLoc { file, line, column, .. } = &told.remark.loc;
    let place = if *line == 0 { format!("function '{shown}'") } else { format!("{file}:{line}:{column}") };
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

/// The values that a scalar stands for.
pub(super) fn values_of(kind: ArrayKind, known: &Facts) -> Vec<ValueId> {
    match kind {
        ArrayKind::Value { def } => vec![def],
        ArrayKind::Phi { phi } => [&[phi][..], &known.facts.value(phi).operands].concat(),
        ArrayKind::Memory { .. } | ArrayKind::View { .. } | ArrayKind::Rows(_) | ArrayKind::Made { .. } => Vec::new(),
    }
}

/// A line of the user's; 0 for those of libraries.
fn line_in_source(loc: &SourceLoc) -> u32 {
    let is_of_library = ["library/", "/rustc/", "/usr/lib/", "/usr/include/"].iter().any(|at| loc.file.starts_with(at));
    if is_of_library { 0 } else { loc.line }
}

/// The line that computes a scalar.
pub(super) fn line_of(kind: ArrayKind, known: &Facts) -> Option<u32> {
    let lines = values_of(kind, known).into_iter().map(|v| line_in_source(&known.facts.value(v).loc));
    lines.filter(|line| *line != 0).min()
}

/// Each sentence once, with the number of pairs of arrays that it is about.
fn counted(said: Vec<String>) -> Vec<String> {
    let mut out: Vec<(String, usize)> = Vec::new();
    for sentence in said {
        match out.iter_mut().find(|(known, _)| *known == sentence) {
            Some((_, pairs)) => *pairs += 1,
            None => out.push((sentence, 1)),
        }
    }
    let told = |(sentence, pairs): (String, usize)| match pairs {
        1 => sentence,
        _ => sentence.replacen("two arrays", &format!("{pairs} pairs of arrays"), 1),
    };
    out.into_iter().map(told).collect()
}

/// Puts a reason into the terms of the source, where LLVM's own say less: a call that may throw is a call.
pub fn in_source_terms(known: &Facts, reject: &mut Reject) {
    if let Some(at) = reject.at.filter(|at| reject.kind != RejectKind::Call && changes_containers(&known.library(*at)))
    {
        reject.about = vec![at];
    }
    if is_swapped(known, reject) {
        (reject.detail, reject.about) = (SWAPPED.to_owned(), Vec::new());
    }
    let Some(about) = reject.about.first().copied() else { return };
    match reject.kind {
        RejectKind::LoopShape | RejectKind::UnstructuredControlFlow
            if reject.about.iter().any(|about| is_panic(&known.called_itself(*about))) =>
        {
            reject.detail = UNWINDS.to_owned();
        }
        // A call behind the loop says nothing of how that ends.
        RejectKind::LoopShape if !known.called(about).is_empty() => reject.about.clear(),
        RejectKind::UnstructuredControlFlow if [AFTER, JUMP_OUT].contains(&reject.detail.as_str()) => {
            reject.about.clear();
        }
        // What a vector does to become longer is no loop of the user's.
        kind if kind != RejectKind::Call
            && ![CALL_BEHIND, MAY_OVERLAP, COMPUTED_MAY_OVERLAP].contains(&reject.detail.as_str())
            && changes_containers(&known.library(about)) =>
        {
            (reject.kind, reject.detail) = (RejectKind::Call, String::new());
        }
        RejectKind::UnstructuredControlFlow if !known.called(about).is_empty() => {
            (reject.kind, reject.detail) = (RejectKind::Call, String::new());
        }
        // One that may throw, or is told to be somewhere by what follows it.
        RejectKind::UnsupportedInstruction if known.nature(about).is_empty() && !known.called(about).is_empty() => {
            (reject.kind, reject.detail) = (RejectKind::Call, String::new());
        }
        RejectKind::UnsupportedInstruction => {
            let nature = known.nature(about);
            let ends = reject.detail == ON_WHICH_IT_ENDS;
            reject.detail = match nature.is_empty() {
                true if ends => String::new(),
                true => std::mem::take(&mut reject.detail),
                false if ends => nature + ON_WHICH_IT_ENDS,
                false => nature,
            };
        }
        _ => {}
    }
}

/// Whether the loops swap what a test of an index in Rust looks at: lengths and pointers in memory.
fn is_swapped(known: &Facts, reject: &Reject) -> bool {
    let is_store = |v: &ValueId| matches!(known.facts.value(*v).kind, ValueKind::Store { .. });
    [ENDS_PROGRAM, ENDS_PROGRAM_AGAIN].contains(&reject.detail.as_str())
        && causes::all_around(&known.facts, reject)
            .is_some_and(|all| all.iter().filter(|v| is_store(v)).any(|v| known.library(*v).contains("mem::swap")))
}

/// What is tested before the new loops run, in words.
pub fn tests(scop: &Scop, known: &Facts, check: &RunTimeCheck) -> Vec<String> {
    let pair = |(a, b): &(ArrayId, ArrayId)| {
        // Rows come first: what they are behind is known by its name.
        let (a, b) = if scop.array(*b).is_rows() && !scop.array(*a).is_rows() { (b, a) } else { (a, b) };
        let (first, second) = (in_words(scop, known, *a)?, in_words(scop, known, *b)?);
        Some(match scop.array(*a).is_rows() {
            _ if first == second => first.replacen("the array", "two arrays", 1) + " do not overlap",
            true => format!("{first} do not overlap {second}"),
            false => format!("{first} and {second} do not overlap"),
        })
    };
    let mut tests: Vec<String> = match check.apart.iter().map(pair).collect() {
        Some(named) => counted(named),
        None if check.apart.len() == 1 => vec!["two arrays do not overlap".to_owned()],
        None => vec![format!("{} pairs of arrays do not overlap", check.apart.len())],
    };
    let (contexts, names) = (&scop.contexts, names_in_text(scop, known));
    let in_model = scop.param_names();
    let is_number = |name: &str| name.strip_prefix('p').is_some_and(|n| n.bytes().all(|digit| digit.is_ascii_digit()));
    let told = |(name, users): (&String, Option<String>)| {
        if users.is_none() && is_number(name) { NO_SIZE.to_owned() } else { name.clone() }
    };
    let sizes: Vec<String> = names.iter().zip(params(scop, known)).map(told).collect();
    for (what, set) in [("the model holds where", &contexts.assumed), (PAYS, &contexts.worthwhile)] {
        let names = if what == PAYS { &sizes } else { &names };
        let (conditions, small): (Vec<String>, Vec<_>) =
            alternatives(&set.to_string()).map(|one| in_short(&in_names(one, scop, names))).unzip();
        let small = small.into_iter().next().unwrap_or_default();
        let condition = conditions.join(" or where ");
        if !condition.is_empty() {
            tests.push(format!("{what} {condition}"));
        }
        if !small.is_empty() {
            tests.push(below(&small, &in_model));
        }
    }
    let is_bound = |poly: &&ParamPoly| poly.0.contains(&(MOST_PRODUCT, Vec::new()));
    let (bounds, signs): (Vec<_>, Vec<_>) = check.nonneg.iter().partition(is_bound);
    if !signs.is_empty() {
        tests.push(format!("{} sizes are not negative", signs.len()));
    }
    if !bounds.is_empty() {
        tests.push("no product of sizes is as large as 2 to the power of 60".to_owned());
    }
    for (value, _) in scop.guards.iter().flat_map(|guard| &guard.holds) {
        let told = on_data(&known.facts, *value);
        if !tests.contains(&told) {
            tests.push(told);
        }
    }
    if keeps_sizes(scop, &known.facts) {
        tests.push("what the loops store does not change the sizes and pointers that they read".to_owned());
    }
    tests
}

/// The conditions of a set of parameters in isl's notation, of which one holds: `[n] -> { : n >= 3; : n <= -2 }`.
fn alternatives(text: &str) -> impl Iterator<Item = &str> {
    let inside = text.split_once('{').map_or("", |(_, rest)| rest);
    inside.split(';').filter_map(|one| Some(one.split_once(':')?.1.trim_matches([' ', '}'])))
}

/// What is assumed of a condition on data.
fn on_data(facts: &FunctionFacts, value: ValueId) -> String {
    let of = facts.value(value);
    let place = |else_: &str| if of.loc.line == 0 { else_.to_owned() } else { format!("line {}", of.loc.line) };
    let ends = |b: BlockId| facts.blocks.iter().any(|to| to.never_returns && to.preds.contains(&b));
    match of.block {
        Some(b) if ends(b) => format!("no test of an index in {} ends the program", place("the loops")),
        _ => format!("nothing that {} compares with 0 is 0", place("a condition around a loop")),
    }
}

/// Whether that sizes do not change was tested before a loop of the region or around it.
fn keeps_sizes(scop: &Scop, facts: &FunctionFacts) -> bool {
    let innermost = scop.region.blocks.iter().filter_map(|b| facts.block(*b).innermost);
    let around = |lp| std::iter::successors(Some(lp), move |lp| facts.lp(*lp).parent);
    innermost.flat_map(around).any(|lp| facts.lp(lp).hints.sizes)
}

/// An array as the object of a sentence; `None` where nothing is known of it.
fn in_words(scop: &Scop, known: &Facts, id: ArrayId) -> Option<String> {
    let name = Some(array_name(scop, known, id)).filter(|name| name != NO_NAME)?;
    let is_table = |base: ValueId| {
        let all = scop.arrays.iter().map(|a| a.kind);
        all.into_iter().any(|kind| matches!(kind, ArrayKind::Rows(field) if field.table == base))
    };
    let is_placed = name.starts_with(ACCESSED) || name.starts_with(BEHIND);
    Some(match scop.array(id).kind {
        ArrayKind::Rows(_) if is_placed => format!("the rows {name}"),
        _ if is_placed => format!("the array {name}"),
        ArrayKind::Rows(_) => format!("the rows of {}", name.trim_end_matches("[..]")),
        ArrayKind::Memory { base } if is_table(base) => format!("the table {name}"),
        _ => name,
    })
}

/// What the user calls each parameter: a variable, or the expression that is loaded.
fn params(scop: &Scop, known: &Facts) -> Vec<Option<String>> {
    let mut names: Vec<Option<String>> = Vec::with_capacity(scop.params.len());
    for p in &scop.params {
        let is_sum = |name: &String| !name.starts_with('(') && (name.contains(" + ") || name.contains(" - "));
        let in_brackets = |name: String| if is_sum(&name) && p.is_product() { format!("({name})") } else { name };
        let factors = std::iter::once(&p.value).chain(&p.times).map(|of| size_name(known, *of, MAX_PARTS));
        let by = (!p.by.is_empty()).then(|| sum_name(&p.by, &names));
        let all = by.into_iter().chain(factors).map(|name| name.map(in_brackets)).collect::<Option<Vec<_>>>();
        // The library's own name of a vector's first element.
        names.push(all.map(|all| all.join(" * ").replace("._M_impl._M_start", ".data()")));
    }
    names
}

/// An affine function of parameters with these names, `[params | 1]`.
fn sum_name(row: &[i64], names: &[Option<String>]) -> Option<String> {
    let (constant, row) = row.split_last()?;
    let mut terms: Vec<(i64, String)> = Vec::new();
    for (c, name) in row.iter().zip(names).filter(|(c, _)| **c != 0) {
        let name = name.as_ref()?;
        terms.push((*c, if c.abs() == 1 { name.clone() } else { format!("{} * {name}", c.unsigned_abs()) }));
    }
    terms.sort_by_key(|(c, _)| *c < 0);
    if *constant != 0 || terms.is_empty() {
        terms.push((*constant, constant.unsigned_abs().to_string()));
    }
    let sign = |(k, c): (usize, i64)| match (k, c < 0) {
        (0, false) => "",
        (0, true) => "-",
        (_, false) => " + ",
        (_, true) => " - ",
    };
    Some(terms.iter().enumerate().map(|(k, (c, name))| format!("{}{name}", sign((k, *c)))).collect())
}

/// What the user calls a size: a variable, what is loaded, or a sum, a product or a maximum of such.
fn size_name(known: &Facts, scev: ScevId, parts: usize) -> Option<String> {
    let all = |of: &[ScevId]| -> Option<Vec<String>> {
        let part = parts.checked_sub(of.len())?;
        of.iter().map(|one| size_name(known, *one, part)).collect()
    };
    match &known.facts.scev(scev).kind {
        ScevKind::Unknown(value) => Some(known.expression(*value)).filter(|name| !name.is_empty()),
        ScevKind::Const(number) => Some(number.to_string()),
        ScevKind::SExt(inner) | ScevKind::ZExt(inner) | ScevKind::Trunc(inner) => size_name(known, *inner, parts),
        ScevKind::Add(_) if let Some((vector, rest)) = vector_bytes(known, scev) => Some(match rest {
            0 => format!("bytes of {vector}"),
            less if less < 0 => format!("(bytes of {vector} - {})", less.unsigned_abs()),
            more => format!("(bytes of {vector} + {more})"),
        }),
        ScevKind::Add(of) => Some(format!("({})", all(of)?.join(" + "))),
        ScevKind::Mul(of) => Some(all(of)?.join(" * ")),
        ScevKind::SMax(of) | ScevKind::UMax(of) => Some(format!("max({})", all(of)?.join(", "))),
        ScevKind::SMin(of) | ScevKind::UMin(of) => Some(format!("min({})", all(of)?.join(", "))),
        ScevKind::UDiv(of, by) if let Some(size) = vector_size(known, *of, *by) => Some(size),
        ScevKind::UDiv(of, by) => {
            let name = |of| size_name(known, of, parts.checked_sub(1)?);
            Some(format!("{} / {}", name(*of)?, name(*by)?))
        }
        _ => {
            let value = known.facts.values.iter().position(|v| v.scev == Some(scev))?;
            Some(known.expression(ValueId::new(value))).filter(|name| !name.is_empty())
        }
    }
}

/// The number of elements of a vector, or one less: its end less its beginning, over the size of an element.
fn vector_size(known: &Facts, bytes: ScevId, element: ScevId) -> Option<String> {
    let ScevKind::Const(size) = known.facts.scev(element).kind else { return None };
    match vector_bytes(known, bytes)? {
        (vector, 0) => Some(format!("{vector}.size()")),
        (vector, less) if less == -size => Some(format!("({vector}.size() - 1)")),
        _ => None,
    }
}

/// The vector of which an expression is the end less the beginning, and what is added to that.
fn vector_bytes(known: &Facts, bytes: ScevId) -> Option<(String, i64)> {
    let kind = |scev: ScevId| &known.facts.scev(scev).kind;
    let ScevKind::Add(terms) = kind(bytes) else { return None };
    let name = |scev: ScevId| match kind(scev) {
        ScevKind::PtrToInt(inner) => size_name(known, *inner, 1),
        _ => size_name(known, scev, 1),
    };
    let (mut first, mut last, mut rest) = (None, None, 0);
    for term in terms {
        match kind(*term) {
            ScevKind::Const(number) => rest = *number,
            ScevKind::Mul(of) => match of.as_slice() {
                [minus, start] if matches!(kind(*minus), ScevKind::Const(-1)) => first = name(*start),
                _ => return None,
            },
            _ => last = name(*term),
        }
    }
    let (first, last) = (first?, last?);
    let of =
        |dot: &str| Some(last.strip_suffix("end()")?.strip_suffix(dot)?).filter(|v| first == format!("{v}{dot}data()"));
    Some((of(".").or_else(|| of("->"))?.to_owned(), rest))
}

/// The parameters' names in code: the user's, else those of the model.
fn names_in_code(scop: &Scop, known: &Facts) -> Vec<String> {
    names(scop, known, |user, model, is_once| if is_once && is_of_source(user) { user } else { model }.to_owned())
}

/// The parameters' names in sentences: the user's, with those of the model where several have the same.
fn names_in_text(scop: &Scop, known: &Facts) -> Vec<String> {
    names(scop, known, |user, model, is_once| if is_once { user.to_owned() } else { format!("{model} ({user})") })
}

/// The parameters' names: the model's, or what `of_user` makes of the user's, the model's, and whether the user's is
/// that of one parameter only.
fn names(scop: &Scop, known: &Facts, of_user: impl Fn(&str, &str, bool) -> String) -> Vec<String> {
    let users = params(scop, known);
    // A variable in several widths is one.
    let of = |p: &Param| [&[without_width(&known.facts, p.value)], p.times.as_slice()].concat();
    let values: Vec<Vec<ScevId>> = scop.params.iter().map(of).collect();
    let is_once = |k: usize| (0..users.len()).all(|other| users[other] != users[k] || values[other] == values[k]);
    let name = |(k, model): (usize, &str)| {
        users[k].as_ref().map_or_else(|| model.to_owned(), |user| of_user(user, model, is_once(k)))
    };
    scop.param_names().into_iter().enumerate().map(name).collect()
}

/// An expression without what only changes its width.
fn without_width(facts: &FunctionFacts, scev: ScevId) -> ScevId {
    match facts.scev(scev).kind {
        ScevKind::SExt(inner) | ScevKind::ZExt(inner) | ScevKind::Trunc(inner) => without_width(facts, inner),
        _ => scev,
    }
}

/// A conjunction in fewer words, and what it wants to be below 2^40, where the model's numbers end. One bound for an
/// extent and for the size that it is made of is told once.
fn in_short(condition: &str) -> (String, Vec<String>) {
    if condition.contains(" or ") || condition.contains(';') || condition.is_empty() {
        return (condition.to_owned(), Vec::new());
    }
    let (mut rest, mut small): (Vec<(String, Option<i64>)>, Vec<String>) = (Vec::new(), Vec::new());
    for part in condition.split(" and ") {
        let size = part.strip_suffix(MODEL_END).and_then(|p| p.strip_suffix(" <= "));
        let size = size.map(|p| p.strip_prefix(MODEL_START).unwrap_or(p));
        if let Some(size) = size.filter(|size| !size.contains(" <= ")) {
            let of_extent = size.strip_prefix("max(0, ").and_then(|size| size.strip_suffix(')'));
            small.push(of_extent.unwrap_or(size).to_owned());
            continue;
        }
        let bound = part.split_once(" >= ").and_then(|(of, least)| Some((of, least.parse::<i64>().ok()?)));
        let Some((of, least)) = bound else {
            rest.push((part.to_owned(), None));
            continue;
        };
        let extent = of.strip_prefix("max(0, ").and_then(|o| o.strip_suffix(')')).filter(|_| least > 0).unwrap_or(of);
        match rest.iter_mut().find(|(known, bound)| known == extent && bound.is_some()) {
            Some((_, known)) => *known = (*known).max(Some(least)),
            None => rest.push((extent.to_owned(), Some(least))),
        }
    }
    let told =
        |(of, least): (String, Option<i64>)| least.map_or_else(|| of.clone(), |least| format!("{of} >= {least}"));
    (rest.into_iter().map(told).collect::<Vec<_>>().join(" and "), small)
}

/// What has to be below 2^40: by its names, but for the model's own.
fn below(small: &[String], in_model: &[&str]) -> String {
    let (unknown, mut names): (Vec<String>, Vec<String>) =
        small.iter().cloned().partition(|n| in_model.contains(&n.as_str()));
    match (unknown.len(), names.is_empty()) {
        (0, _) => {}
        (1, true) => names.push(NO_SIZE.to_owned()),
        (count, true) => names.push(format!("{count} sizes and first indices without names")),
        (count, false) => names.push(format!("{count} more")),
    }
    let what = if small.len() == 1 { "this is" } else { "these are" };
    format!("{what} below 2 to the power of 40: {}", names.join(", "))
}

/// A condition with the parameters' names in place of the model's.
fn in_names(condition: &str, scop: &Scop, names: &[String]) -> String {
    let in_model = scop.param_names();
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut text = String::new();
    let mut rest = condition;
    while !rest.is_empty() {
        let starts_word = rest.starts_with(is_word);
        let end = rest.find(|c| is_word(c) != starts_word).unwrap_or(rest.len());
        let (word, behind) = rest.split_at(end);
        let known = in_model.iter().position(|name| *name == word);
        text += known.map_or(word, |k| names[k].as_str());
        rest = behind;
    }
    text
}

/// What the user calls values, each once; empty where one of them has no name.
pub fn expressions(known: &Facts, values: &[ValueId]) -> Vec<String> {
    let name = |value: &ValueId| match known.facts.value(*value).kind {
        _ if changes_containers(&known.library(*value)) => Some(known.library(*value)),
        ValueKind::Call | ValueKind::Unsupported => Some(known.called(*value)).filter(|called| !called.is_empty()),
        _ => None,
    };
    let mut names: Vec<String> = values.iter().map(|v| name(v).unwrap_or_else(|| known.expression(*v))).collect();
    if names.iter().any(String::is_empty) {
        return Vec::new();
    }
    let mut seen = BTreeSet::new();
    names.retain(|name| seen.insert(name.clone()));
    // The ends of a vector are its size.
    let of_end = |name: &String| name.strip_suffix(".end()").map(str::to_owned);
    let vectors: Vec<String> =
        names.iter().filter_map(of_end).filter(|v| names.contains(&format!("{v}.data()"))).collect();
    for vector in vectors {
        names.retain(|name| *name != format!("{vector}.data()"));
        names
            .iter_mut()
            .filter(|name| **name == format!("{vector}.end()"))
            .for_each(|n| *n = format!("{vector}.size()"));
    }
    names
}

/// What an array or a scalar is called: by the user, else by the line of an access to it or of what computes it, else
/// by its place among the arguments or by the IR.
pub(super) fn array_name(scop: &Scop, known: &Facts, id: ArrayId) -> String {
    let is_users = |name: &String| !name.starts_with("polyrs.");
    let by_line = || match scop.array(id).kind {
        kind if kind.is_memory() => {
            let all = scop.stmts.iter().flat_map(|s| &s.accesses).filter(|a| a.array == id);
            let line = all.map(|access| line_in_source(&known.facts.value(access.inst).loc)).find(|line| *line != 0);
            line.map(|line| format!("{ACCESSED} {line}"))
        }
        kind => line_of(kind, known).map(|line| format!("{COMPUTED} {line}")),
    };
    // What passes append says nothing; numbers are no names.
    let without_number = |name: String| name.split('.').next().map(str::to_owned).filter(|name| !name.is_empty());
    let by_ir = || known_name(scop, &known.facts, id).filter(is_users).and_then(without_number);
    let by_place = || {
        let name = known.expression(scop.array(id).kind.base()?);
        let behind = name.strip_prefix(LOADED).map(|pointer| format!("{BEHIND}{pointer}"));
        behind.or_else(|| Some(name).filter(|name| name.starts_with(ARGUMENT)))
    };
    name_of(scop, known, id).or_else(by_line).or_else(by_place).or_else(by_ir).unwrap_or_else(|| NO_NAME.to_owned())
}

/// What the user calls an array or a scalar.
pub(super) fn name_of(scop: &Scop, known: &Facts, id: ArrayId) -> Option<String> {
    let values = match scop.array(id).kind {
        ArrayKind::Memory { base } | ArrayKind::View { base } => vec![base],
        ArrayKind::Rows(field) => vec![field.table],
        kind => values_of(kind, known),
    };
    let names = values.iter().map(|v| known.variable(*v));
    let of_user = names.into_iter().find(|n| !n.is_empty() && !n.starts_with('%'));
    let loaded_from = |at| Some(known.expression(at)).filter(|name| is_of_source(name) && !is_allocator(name));
    let loaded = || match scop.array(id).kind {
        ArrayKind::Rows(Field { table, .. }) => loaded_from(table),
        kind => kind.base().and_then(loaded_from),
    };
    let name = of_user.or_else(loaded)?;
    if scop.array(id).is_view() {
        return Some(format!("{name} + {}", beginning(scop, known, scop.array(id))?));
    }
    Some(if scop.array(id).is_rows() { format!("{name}[..]") } else { name })
}

/// How many elements behind its pointer a view begins.
fn beginning(scop: &Scop, known: &Facts, view: &Array) -> Option<String> {
    let names = params(scop, known);
    let is_part = |name: &String| !name.contains([' ', '(']);
    let in_brackets = |name: &String| if is_part(name) { name.clone() } else { format!("({name})") };
    let bytes = i64::from(view.elem_bytes);
    let terms = view.offset.0.iter().map(|(c, product)| {
        let count = (c % bytes == 0).then_some(c / bytes)?;
        let number = (count != 1 || product.is_empty()).then(|| count.to_string());
        let names = product.iter().map(|k| names[*k].as_ref().map(in_brackets)).collect::<Option<Vec<_>>>()?;
        Some(number.into_iter().chain(names).collect::<Vec<_>>().join(" * "))
    });
    terms.collect::<Option<Vec<_>>>().map(|terms| terms.join(" + "))
}

/// Whether this can stand in the user's source.
fn is_of_source(name: &str) -> bool {
    !name.is_empty() && !name.starts_with(LOADED) && !name.starts_with(ARGUMENT)
}

/// The name of an array in the IR, if that has one.
fn known_name(scop: &Scop, facts: &FunctionFacts, id: ArrayId) -> Option<String> {
    let value = match scop.array(id).kind {
        ArrayKind::Rows(field) => return rows_name(facts, field.table),
        ArrayKind::Value { def } => Some(def),
        ArrayKind::Phi { phi } => Some(phi),
        kind => kind.base(),
    };
    value.map(|v| facts.value(v).name.clone()).filter(|name| !name.is_empty())
}

/// The rows behind pointers in a table, if that has a name.
fn rows_name(facts: &FunctionFacts, table: ValueId) -> Option<String> {
    let name = &facts.value(table).name;
    (!name.is_empty()).then(|| format!("{name}[..]"))
}

/// Model and order of a region, with places and names of the source.
pub fn model(known: &Facts, region: &Region, machine: &Machine) -> Value {
    let (scop, facts) = (&region.code.scop, &known.facts);
    let arrays = (0..scop.arrays.len()).map(|k| array_name(scop, known, ArrayId::new(k)));
    json!({
        "scop": scop.to_string(),
        "why": match &region.ordered.decision {
            Decision::Keep { reason, .. } => Some(reason),
            _ => None,
        },
        "tree": region.ordered.decision.tree().map(|tree| Yaml(tree).to_string()),
        "steps": order::steps(region, region.ordered.steps(), facts),
        "arrays": arrays.collect::<Vec<_>>(),
        "params": names_in_code(scop, known),
        "footprints": footprints(region, machine),
        "statements": scop.stmts.iter().map(|s| statement(facts, s)).collect::<Vec<_>>(),
    })
}

/// What each statement touches in the original and in the new order, for the sizes that costs are estimated with;
/// null where that takes too long to find out.
fn footprints(region: &Region, machine: &Machine) -> Value {
    let scop = &region.code.scop;
    let budget = Budget::steps(FOOTPRINT_STEPS);
    let Ok(all) = scenarios(scop, machine, &budget) else { return Value::Null };
    let usual = &all[0];
    let of_tree = |tree: &Node| working_sets::of_tree(scop, tree, &usual.facts, machine);
    let old = of_tree(&scop.schedule);
    let new = region.ordered.decision.tree().map_or_else(Vec::new, of_tree);
    let told = |found: Option<&Option<WorkingSets>>| {
        found.and_then(Option::as_ref).map(|f| {
            let one = |l: &Around| json!({ "dim": l.dim, "tile": l.tile, "trips": l.trips.round() });
            let rounded = |bytes: &[f64]| bytes.iter().map(|b| b.round()).collect::<Vec<_>>();
            let loops: Vec<Value> = f.loops.iter().map(one).collect();
            json!({ "loops": loops, "bytes": rounded(&f.bytes), "moved": rounded(&f.moved) })
        })
    };
    let statement = |(at, stmt): (usize, &Stmt)| {
        let operations = f64::from(stmt.body.ops().instructions) * usual.facts[at].trips.iter().product::<f64>();
        json!({
            "id": stmt.id.to_string(),
            "operations": operations.round(),
            "original": told(old.get(at)),
            "new": told(new.get(at)),
        })
    };
    json!({
        "caches": [machine.l1_bytes, machine.l2_bytes, machine.l3_bytes],
        "size": usual.size,
        "statements": scop.stmts.iter().enumerate().map(statement).collect::<Vec<_>>(),
    })
}

/// Loops of a region for a GPU: what is copied, and the kernels, whose PTX is added when there is one.
pub fn gpu(scop: &Scop, facts: &FunctionFacts, device: &Device) -> Value {
    let params = scop.param_names();
    let text = |e: &Expr| ast::print_expr(e, &params);
    let element = |pieces: &[(Cond, Vec<Expr>)]| {
        let of = |subscripts: &[Expr]| subscripts.iter().map(|s| format!("[{}]", text(s))).collect::<String>();
        let all: BTreeSet<String> = pieces.iter().map(|(_, subscripts)| of(subscripts)).collect();
        all.into_iter().collect::<Vec<_>>().join(" or ")
    };
    let memory = |m: &Memory| {
        let name = known_name(scop, facts, m.array).unwrap_or_else(|| m.array.to_string());
        let ends = |part: &MemoryPart| format!("{} to {}", element(&part.first), element(&part.last));
        let mut parts: BTreeSet<String> = m.parts.iter().map(ends).collect();
        parts.extend(m.whole.map(|bytes| format!("all {bytes} bytes")));
        let what = match (m.written, m.fresh, m.scratch) {
            (_, _, true) => "on the device only",
            (_, true, false) => "copied out",
            (true, false, false) => "copied in and out",
            (false, false, false) => "copied in",
        };
        format!("{name} {what}: {}", parts.into_iter().collect::<Vec<_>>().join(", "))
    };
    let kernel = |kernel: &Ast| {
        let (blocks, threads) = launch_sizes(kernel);
        let shared = ast::shared::bytes_of(kernel);
        let (registers, count) = (ast::shared::registers_of(scop, kernel), threads.iter().product());
        let resident = DEVICE.resident(count, registers, u32::try_from(shared).unwrap_or(u32::MAX));
        let occupancy = 100 * resident * count / DEVICE.threads;
        let code = ast::print_c(kernel, &params);
        let parts = if collecting(kernel).is_some() { 2 } else { 1 };
        json!({ "parts": parts, "grid": blocks.each_ref().map(text), "block": threads, "shared": shared, "occupancy": occupancy, "code": code })
    };
    let all = kernels(&device.ast);
    json!({
        "memory": device.ranges.iter().map(memory).collect::<Vec<_>>(),
        "loops": ast::print_c(&device.ast, &params),
        "host": ast::print_around(&device.ast, &all, &params),
        "kernels": all.into_iter().map(kernel).collect::<Vec<_>>(),
    })
}

/// Adds names and PTX of a region's kernels, of which some are two in PTX and which are those from number `first` on.
pub fn add_ptx(gpu: &mut Value, ptx: &Ptx, first: usize) {
    let mut names = ptx.names.iter().skip(first);
    for kernel in gpu["kernels"].as_array_mut().into_iter().flatten() {
        let parts = kernel["parts"].as_u64().unwrap_or(1);
        let own: Vec<&String> = (0..parts).filter_map(|_| names.next()).collect();
        let Some(name) = own.first() else { break };
        kernel["name"] = json!(name);
        kernel["ptx"] = json!(own.iter().map(|name| ptx.kernel(name)).collect::<Vec<_>>().join("\n"));
    }
}

/// Where a statement stands.
pub(super) fn place_of(facts: &FunctionFacts, stmt: &Stmt) -> SourceLoc {
    let insts = stmt.body.insts().iter().map(|id| facts.value(*id));
    let known = |v: &&crate::facts::Value| v.loc.line != 0;
    let store = |v: &&crate::facts::Value| matches!(v.kind, ValueKind::Store { .. });
    let last = insts.clone().filter(store).rfind(known).or_else(|| insts.clone().rfind(known));
    last.map_or_else(SourceLoc::default, |v| v.loc.clone())
}

/// Where a statement and its loops stand.
fn statement(facts: &FunctionFacts, stmt: &Stmt) -> Value {
    let loops: Vec<Value> = stmt.body.loops().iter().map(|dim| place(&facts.lp(dim.id).loc)).collect();
    let counter = |dim: &LoopDim| {
        let Counter { name, is_value } = &facts.lp(dim.id).counter;
        json!({ "name": name, "is_value": *is_value && dim.is_natural() })
    };
    let counters: Vec<Value> = stmt.body.loops().iter().map(counter).collect();
    json!({ "id": stmt.id.to_string(), "at": place(&place_of(facts, stmt)), "loops": loops, "counters": counters })
}

#[cfg(test)]
mod tests {
    use super::in_short;

    #[test]
    fn conditions_are_told_in_few_words() {
        let short = |text: &str| in_short(text);
        let small = "-1099511627776 <= a.rows <= 1099511627776 and n <= m and b.len <= 1099511627776";
        assert_eq!(short(small), ("n <= m".to_owned(), vec!["a.rows".to_owned(), "b.len".to_owned()]));
        let pays = "n >= 24 and max(0, n) >= 2828 and steps >= 16";
        assert_eq!(short(pays).0, "n >= 2828 and steps >= 16");
        assert_eq!(short("max(0, n) >= 0").0, "max(0, n) >= 0");
        assert_eq!(short("n >= 24 or m >= 24").0, "n >= 24 or m >= 24");
        assert_eq!(short(""), (String::new(), Vec::new()));
    }
}
