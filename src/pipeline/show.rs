//! What the stages made, and what was done to loops, as text.

use super::order;
use crate::deps::{self, Dependences};
use crate::facts::FunctionFacts;
use crate::model::Scop;
use crate::model::tree::Node;
use crate::model::tree::print::Yaml;
use crate::schedule::{Decision, Summary};
use crate::scop;
use presburger::Budget;
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// In words that no test of a region ends the program, with the tests' lines as far as they are known.
pub(super) fn no_errors(facts: &FunctionFacts, scop: &Scop) -> Option<String> {
    let tests = scop.region.blocks.iter().map(|b| facts.block(*b)).filter(|b| b.ends_on.is_some());
    let lines: Vec<u32> = tests.filter_map(|b| b.insts.last()).map(|v| facts.value(*v).loc.line).collect();
    let known: BTreeSet<String> = lines.iter().filter(|l| **l != 0).map(|l| format!("{l:>6}")).collect();
    let known: Vec<&str> = known.iter().map(|l| l.trim_start()).collect();
    let place = match known.as_slice() {
        [] => String::new(),
        [one] => format!(" in line {one}"),
        several => format!(" in lines {}", several.join(", ")),
    };
    (!lines.is_empty()).then(|| format!("no test{place} ends the program"))
}

/// The regions of a function, and what was turned down.
pub(super) fn detection(found: &scop::Detection) -> String {
    let mut text = String::new();
    for c in &found.candidates {
        let _ = writeln!(text, "region {} => {}: {} blocks, {} loops", c.entry, c.exit, c.blocks.len(), c.loops.len());
    }
    for r in &found.rejects {
        let _ = writeln!(text, "rejected at {}:{}: {} {}", r.loc.line, r.loc.column, r.kind.name(), r.detail);
    }
    text
}

/// The dependences of a region, with their distances as far as the budget goes.
pub(super) fn dependences(scop: &Scop, deps: &Dependences, budget: &Budget) -> String {
    let text = deps::print::report(scop, deps, budget).unwrap_or_else(|_| deps.to_string());
    format!("dependences of {}\n{text}", scop.name)
}

/// What was done to the loops.
pub(super) fn in_words(mut steps: Vec<String>, in_threads: bool) -> String {
    if in_threads && steps.iter().all(|s| s == order::ORIGINAL_ORDER) {
        return "run in threads, in their order".to_owned();
    }
    if steps.is_empty() {
        steps.push("same order, written anew".to_owned());
    }
    if in_threads {
        steps.push("in threads".to_owned());
    }
    format!("reordered: {}", steps.join(", "))
}

/// The order of a region, or why it stays.
pub(super) fn decision(found: &Decision) -> String {
    match found {
        Decision::Keep { reason, .. } => format!("order kept: {reason}\n"),
        Decision::Transformed { tree, summary } => of_order(tree, summary),
        Decision::Close(close) => of_order(&close.tree, &close.summary),
    }
}

fn of_order(tree: &Node, summary: &Summary) -> String {
    format!("{}\n{}\n", summary.steps.join(", "), Yaml(tree))
}
