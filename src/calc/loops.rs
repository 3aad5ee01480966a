//! `codegen`: a map from instances to times, or a schedule tree, as loops.

use super::steps::without_steps;
use crate::ast;
use crate::deps::Dependences;
use crate::error::Failure;
use crate::ids::{ScevId, StmtId};
use crate::model::tree::build::{Timed, from_union_map};
use crate::model::tree::maps::pieces_of;
use crate::model::tree::read::parse_tree;
use crate::model::tree::{Node, flat, lower};
use crate::model::{Contexts, Param, Region, Scop, Stmt, StmtBody};
use crate::proof;
use presburger::{Aff, Budget, Set, Space, UnionMap};

/// How loops are made.
pub(super) const CONFIG: ast::Config = ast::Config { sequence_apart: true, ..ast::Config::DEFAULT };

/// What a statement whose tuple has no name is called.
const NAMELESS: &str = "S";

/// A map as a program: one statement per tuple and function, with the name of its tuple.
pub struct Program {
    /// Statements and parameters; no arrays.
    pub scop: Scop,
    /// When each statement runs.
    pub tree: Node,
    /// Tuple of each statement.
    pub names: Vec<String>,
}

/// The program of a schedule map. Exact.
///
/// # Errors
/// A message when an element has several times, or the budget is spent.
pub fn program(map: &UnionMap, budget: &Budget) -> Result<Program, String> {
    let params: Vec<&str> = map.params().iter().map(AsRef::as_ref).collect();
    let mut timed: Vec<Timed> = Vec::new();
    let mut names = Vec::new();
    for part in map.maps() {
        let name = part.space().input.as_ref().and_then(|t| t.name.clone());
        let name = name.map_or_else(|| NAMELESS.to_owned(), |n| n.to_string());
        for (domain, time) in pieces_of(part, budget)? {
            timed.push(Timed { id: StmtId::new(timed.len()), domain, time });
            names.push(name.clone());
        }
    }
    let length = timed.iter().map(|t| t.time.len()).max().unwrap_or(0);
    for (t, position) in timed.iter_mut().zip(0_i64..) {
        let space = t.domain.space().clone();
        t.time.resize(length, Aff::zero(&space));
        t.time.push(Aff::constant(&space, position));
    }
    let tree = if timed.is_empty() { Node::Leaf } else { without_steps(from_union_map(&timed)?) };
    let stmt = |t: &Timed| Stmt {
        id: t.id,
        domain: t.domain.clone(),
        accesses: Vec::new(),
        reduction: None,
        body: StmtBody::default(),
    };
    let stmts = timed.iter().map(stmt).collect();
    Ok(Program { scop: without_code(&params, stmts, tree.clone()), tree, names })
}

/// A SCoP of these statements that was not made from any code.
pub(super) fn without_code(params: &[&str], stmts: Vec<Stmt>, schedule: Node) -> Scop {
    let space = Space::params_only(params);
    let all = || Set::universe(space.clone());
    let param =
        |(k, name): (usize, &&str)| Param { name: (*name).to_owned(), value: ScevId::new(k), times: Vec::new() };
    Scop {
        name: "calc".to_owned(),
        params: params.iter().enumerate().map(param).collect(),
        contexts: Contexts {
            assumed: all(),
            invalid: Set::empty(space.clone()),
            defined: all(),
            worthwhile: all(),
            tested: Vec::new(),
        },
        arrays: Vec::new(),
        stmts,
        schedule,
        alias_groups: Vec::new(),
        live_out: Vec::new(),
        guards: Vec::new(),
        region: Region::default(),
    }
}

/// C that runs every element of the map's domain once, in the lexicographic order of its images.
///
/// # Errors
/// A message: an element with several times, a domain without bounds, or a spent budget.
pub fn codegen(map: &UnionMap, budget: &Budget) -> Result<String, String> {
    printed(&program(map, budget)?, budget)
}

/// The program of a schedule tree in isl's YAML. Exact; instances that share a time run in any order.
///
/// # Errors
/// A message that says what cannot be read, which instance has no time or several, or that the budget is spent.
pub fn tree_program(text: &str, budget: &Budget) -> Result<Program, String> {
    let (text, own_names) = numbered(text);
    let tree = parse_tree(&text)?;
    let lowered = lower::lowered(&tree, budget).map_err(|e| e.to_string())?.into_owned();
    let Node::Domain(domain, _) = &lowered else { return Err("the root must be a domain".to_owned()) };
    let first = domain.values().next().map(Set::space);
    let params: Vec<&str> = first.map_or_else(Vec::new, |s| s.params.iter().map(AsRef::as_ref).collect());
    let count = domain.keys().map(|id| id.index() + 1).max().unwrap_or(0);
    let unused = Set::empty(Space::params_only(&params));
    let stmt = |id: StmtId| {
        let domain = domain.get(&id).unwrap_or(&unused).clone();
        Stmt { id, domain, accesses: Vec::new(), reduction: None, body: StmtBody::default() }
    };
    let stmts: Vec<Stmt> = (0..count).map(|k| stmt(StmtId::new(k))).collect();
    let name = |s: &Stmt| match own_names.get(s.id.index()) {
        Some(own) if own.is_empty() => NAMELESS.to_owned(),
        Some(own) => own.clone(),
        None => s.domain.space().output.name_str().to_owned(),
    };
    let names = stmts.iter().map(name).collect();
    let scop = without_code(&params, stmts, lowered.clone());
    match proof::check(&scop, &Dependences::default(), &tree, budget).map_err(|e| e.to_string())? {
        // Instances that share a time may run in any order; that there are some is found out last.
        proof::Verdict::Illegal(violation) if violation.reason != proof::Reason::SameTime => Err(violation.to_string()),
        _ => Ok(Program { scop, tree: without_steps(lowered), names }),
    }
}

/// A schedule tree's text in which each tuple is called after its statement's number, and the tuples' own names by that
/// number; none where the names end in different numbers already. A statement's tuple without a name, the first one of
/// an element or a pair of anything but an extension, has the empty name.
fn numbered(text: &str) -> (String, Vec<String>) {
    let mut names: Vec<String> = Vec::new();
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let key = line.trim_start().trim_start_matches("- ").trim_start();
        let has_tuples = !["options", "roles", "mark"].iter().any(|k| key.starts_with(k)) && key.contains('[');
        let mut rest = if has_tuples { line } else { "" };
        while let Some(at) = rest.find('[') {
            let word = |c: char| c.is_alphanumeric() || "_.'".contains(c);
            let start = rest[..at].char_indices().rev().take_while(|(_, c)| word(*c)).last().map_or(at, |(k, _)| k);
            let name = &rest[start..at];
            out.push_str(&rest[..start]);
            let nameless = !key.starts_with("extension") && out.trim_end().ends_with(['{', ';']);
            if !name.is_empty() || nameless {
                let known = names.iter().position(|n| n == name).unwrap_or_else(|| {
                    names.push(name.to_owned());
                    names.len() - 1
                });
                out.push_str(&format!("Stmt{known}"));
            }
            out.push('[');
            rest = &rest[at + 1..];
        }
        out.push_str(if has_tuples { rest } else { line });
    }
    let number = |n: &String| n[n.trim_end_matches(|c: char| c.is_ascii_digit()).len()..].parse::<u32>().ok();
    let mut numbers: Vec<Option<u32>> = names.iter().map(number).collect();
    numbers.sort_unstable();
    numbers.dedup();
    if numbers.len() == names.len() && numbers.iter().all(Option::is_some) {
        return (text.to_owned(), Vec::new());
    }
    (out, names)
}

/// C that runs what a schedule tree lists in its order.
///
/// # Errors
/// As [`tree_program`], or a domain without bounds.
pub fn codegen_tree(text: &str, budget: &Budget) -> Result<String, String> {
    printed(&tree_program(text, budget)?, budget)
}

fn printed(program: &Program, budget: &Budget) -> Result<String, String> {
    if flat::flat_schedule(&program.scop.schedule).is_empty() {
        return Ok(String::new());
    }
    let loops = ast::build(&program.scop, &program.tree, &CONFIG, budget);
    let loops = loops.map_err(|failure| match failure {
        Failure::Bug(text) => text,
        other => other.to_string(),
    })?;
    Ok(named(&ast::print_source(&loops, &program.scop.param_names()), &program.names))
}

/// The text with the statements' own names.
fn named(text: &str, names: &[String]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("Stmt") {
        let (before, found) = rest.split_at(at);
        let digits = found[4..].find(|c: char| !c.is_ascii_digit()).map_or(found.len(), |n| 4 + n);
        let number: Option<usize> = found[4..digits].parse().ok();
        out.push_str(before);
        match number.and_then(|n| names.get(n)) {
            Some(name) => out.push_str(name),
            None => out.push_str(&found[..digits]),
        }
        rest = &found[digits..];
    }
    out + rest
}
