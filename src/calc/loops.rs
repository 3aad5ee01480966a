//! `codegen`: a map from instances to times, or a schedule tree, as loops.

use super::c_names::c_names;
use super::options;
use super::steps::without_steps;
use super::tree_text::{Misplaced, Tuples};
use crate::ast;
use crate::deps::Dependences;
use crate::error::Failure;
use crate::ids::{ScevId, StmtId};
use crate::model::tree::build::{Timed, constant_of, from_union_map};
use crate::model::tree::flow::blocks;
use crate::model::tree::maps::pieces_of;
use crate::model::tree::read::parse_blocks_of_tree;
use crate::model::tree::{Node, flat, lower};
use crate::model::{Contexts, Param, Region, Scop, Stmt, StmtBody};
use crate::proof;
use presburger::{Aff, Budget, Map, Set, Space, UnionMap};

/// How loops are made.
pub(super) const CONFIG: ast::Config =
    ast::Config { sequence_apart: true, unroll_with_tests: true, endless: true, ..ast::Config::DEFAULT };

/// Loops so many times as long as the shortest ones are not tried to be made shorter.
const MOST_TO_SHORTEN: usize = 2;

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
    /// How many of a statement's dims are those of its tuple.
    pub shown: Vec<usize>,
}

/// What a program is made of besides a map.
#[derive(Clone, Copy, Default)]
pub struct Request<'r> {
    /// Options in isl's notation, `{ [i, j] -> unroll[x] : x >= 1 }`: how loops over the times' dims `x` are made.
    pub options: Option<&'r UnionMap>,
    /// What holds of the parameters.
    pub given: Option<&'r Set>,
}

/// The program of a schedule map. Exact.
///
/// # Errors
/// A message when the budget is spent.
#[cfg(test)]
pub fn program(map: &UnionMap, budget: &Budget) -> Result<Program, String> {
    Ok(programs(map, Request::default(), budget)?.swap_remove(0))
}

/// Three programs of a schedule map: one whose statements have the times as functions, a statement for each (if no
/// instance has several times), and two whose statements have them as further dims, but for times that are numbers, and
/// all of them. Exact.
pub(super) fn programs(map: &UnionMap, request: Request<'_>, budget: &Budget) -> Result<Vec<Program>, String> {
    let given: Vec<&str> = map.params().iter().map(AsRef::as_ref).collect();
    let mut params = given;
    let more = request.given.into_iter().flat_map(|c| c.space().params.iter());
    for name in more.chain(request.options.into_iter().flat_map(|o| o.params().iter())) {
        if !params.contains(&name.as_ref()) {
            params.push(name);
        }
    }
    let aligned = UnionMap::empty(&params).union(map);
    let (mut functions, mut dims, mut free) = (Some(Vec::new()), Vec::new(), Vec::new());
    let own_name = |part: &Map| part.space().input.as_ref().and_then(|t| t.name.clone());
    let nameless = beside(&aligned.maps().filter_map(own_name).collect::<Vec<_>>());
    for part in aligned.maps() {
        let space = part.space();
        let name = own_name(part).map_or_else(|| nameless.clone(), |n| n.to_string());
        let (n_in, n_out) = (space.n_in(), space.n_out());
        let single = part.is_single_valued(budget).map_err(|e| e.to_string())?;
        let pieces = if single { pieces_of(part, budget)? } else { Vec::new() };
        let constant = |k: usize| {
            let mut all = pieces.iter().map(|(_, time)| constant_of(&time[k]));
            let first = all.next().flatten();
            first.filter(|_| all.all(|other| other == first))
        };
        let pairs = part.wrap().flatten().with_tuple(&name);
        let own: Vec<Aff> = (0..n_out).map(|k| Aff::dim(pairs.space(), n_in + k)).collect();
        let known =
            |(k, dim): (usize, &Aff)| constant(k).map_or_else(|| dim.clone(), |c| Aff::constant(pairs.space(), c));
        dims.push((name.clone(), n_in, pairs.clone(), own.iter().enumerate().map(known).collect()));
        free.push((name.clone(), n_in, pairs.clone(), own));
        match &mut functions {
            Some(all) if single => {
                all.extend(pieces.into_iter().map(|(domain, time)| (name.clone(), n_in, domain, time)));
            }
            _ => functions = None,
        }
    }
    let functions = functions.map(|list| made(&params, list, request, budget)).transpose()?;
    // Where options tell times apart that are functions with floors, further dims say that with less.
    let functions = functions.filter(|(_, has_new_floors)| !has_new_floors);
    let others = [dims, free].map(|list| made(&params, list, request, budget));
    functions.into_iter().map(Ok).chain(others).map(|made| made.map(|(program, _)| program)).collect()
}

/// What statements without a name are called, besides those with these names.
fn beside<N: AsRef<str>>(named: &[N]) -> String {
    let mut own = NAMELESS.to_owned();
    while named.iter().any(|n| n.as_ref() == own) {
        own.push('_');
    }
    own
}

/// A statement's name, how many of its dims are shown, its domain and when it runs.
type Listed = (String, usize, Set, Vec<Aff>);

/// The program of statements, and whether options made parts of them by conditions on floors that they have not.
fn made(params: &[&str], list: Vec<Listed>, request: Request<'_>, budget: &Budget) -> Result<(Program, bool), String> {
    let (mut timed, mut names, mut shown, mut options) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let length = list.iter().map(|(.., time)| time.len()).max().unwrap_or(0);
    let aligned = request.options.map(|o| UnionMap::empty(params).union(o));
    let asked = aligned.map_or_else(|| Ok(Vec::new()), |o| options::asked(&o, length, budget))?;
    let floors = |set: &Set| set.basics().iter().map(|b| b.n_exists()).max().unwrap_or(0);
    let mut has_new_floors = false;
    for (name, count, domain, time) in list {
        let before = floors(&domain);
        for (domain, own) in options::parts(domain, &time, &asked, budget)? {
            has_new_floors |= floors(&domain) > before;
            timed.push(Timed { id: StmtId::new(timed.len()), domain, time: time.clone() });
            options.push(own);
            names.push(name.clone());
            shown.push(count);
        }
    }
    for (t, position) in timed.iter_mut().zip(0_i64..) {
        let space = t.domain.space().clone();
        t.time.resize(length, Aff::zero(&space));
        t.time.push(Aff::constant(&space, position));
    }
    let mut tree = if timed.is_empty() { Node::Leaf } else { from_union_map(&timed)? };
    options::set(&mut tree, &timed, 0, &options);
    let tree = without_steps(tree);
    let stmt = |t: &Timed| Stmt {
        id: t.id,
        domain: t.domain.clone(),
        accesses: Vec::new(),
        reduction: None,
        body: StmtBody::default(),
    };
    let stmts = timed.iter().map(stmt).collect();
    let mut scop = without_code(params, stmts, tree.clone());
    if let Some(given) = request.given {
        scop.contexts.assumed = scop.contexts.assumed.intersect_params(given);
    }
    Ok((Program { scop, tree, names, shown }, has_new_floors))
}

/// A SCoP of these statements that was not made from any code.
pub(super) fn without_code(params: &[&str], stmts: Vec<Stmt>, schedule: Node) -> Scop {
    let space = Space::params_only(params);
    let all = || Set::universe(space.clone());
    let param = |(k, name): (usize, &&str)| Param {
        name: (*name).to_owned(),
        value: ScevId::new(k),
        times: Vec::new(),
        by: Vec::new(),
    };
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
        gone: Vec::new(),
        region: Region::default(),
    }
}

/// C that runs every element of the map's domain once for each of its images, in the lexicographic order of these.
///
/// # Errors
/// A message: times without a first one, or a spent budget.
pub fn codegen(map: &UnionMap, budget: &Budget) -> Result<String, String> {
    codegen_as(map, Request::default(), budget)
}

/// As [`codegen`], with options, and for some values of the parameters only.
///
/// # Errors
/// As [`codegen`], and options that are not known.
pub fn codegen_as(map: &UnionMap, request: Request<'_>, budget: &Budget) -> Result<String, String> {
    printed(&programs(map, request, budget)?, budget)
}

/// The program of a schedule tree in isl's YAML. Exact; instances that share a time run in any order.
///
/// # Errors
/// What cannot be read, which instance has no time or several, or that the budget is spent.
pub fn tree_program(text: &str, budget: &Budget) -> Result<Program, Misplaced> {
    let block = blocks(text).map_err(Misplaced::from)?;
    let tuples = Tuples::of(&block);
    let (tree, parts) = parse_blocks_of_tree(&tuples.text).map_err(|e| tuples.misplaced(text, &block, &e))?;
    let tuples = tuples.with_parts(&parts);
    program_of_tree(tree, &tuples, budget).map_err(|message| tuples.with_own_names(&message).into())
}

/// What contexts and guards around all of a tree say of the parameters.
fn around(node: &Node, known: Set) -> Set {
    match node {
        Node::Context(set, child) | Node::Guard(set, child) => around(child, known.intersect_params(set)),
        Node::Domain(_, child) | Node::Mark(_, child) => around(child, known),
        _ => known,
    }
}

fn program_of_tree(tree: Node, tuples: &Tuples, budget: &Budget) -> Result<Program, String> {
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
    let name = |s: &Stmt| match tuples.own_name(s.id.index()) {
        Some(own) => own.to_owned(),
        None => s.domain.space().output.name_str().to_owned(),
    };
    let mut names: Vec<String> = stmts.iter().map(name).collect();
    let nameless = beside(&names);
    names.iter_mut().filter(|n| n.is_empty()).for_each(|n| n.clone_from(&nameless));
    let shown = stmts.iter().map(Stmt::dims).collect();
    let mut scop = without_code(&params, stmts, lowered.clone());
    let all = scop.contexts.assumed.clone();
    scop.contexts.assumed = around(&tree, all.clone());
    let verdict = proof::check(&scop, &Dependences::default(), &tree, budget).map_err(|e| e.to_string())?;
    scop.contexts.assumed = all;
    match verdict {
        // Instances that share a time may run in any order; that there are some is found out last.
        proof::Verdict::Illegal(violation) if violation.reason != proof::Reason::SameTime => Err(violation.to_string()),
        _ => Ok(Program { scop, tree: without_steps(lowered), names, shown }),
    }
}

/// C that runs what a schedule tree lists in its order.
///
/// # Errors
/// As [`tree_program`], or a domain without bounds.
pub fn codegen_tree(text: &str, budget: &Budget) -> Result<String, Misplaced> {
    Ok(printed(&[tree_program(text, budget)?], budget)?)
}

/// The ways in which loops are made.
pub(super) fn configs() -> impl Iterator<Item = ast::Config> {
    (0..16).map(|k| ast::Config {
        max_loops_per_level: if k & 1 == 0 { CONFIG.max_loops_per_level } else { 1 },
        inner_bounds: k & 2 == 0,
        floors_of_dims: k & 4 != 0,
        shift_strides: k & 8 != 0,
        ..CONFIG
    })
}

/// The shortest of the texts that some programs, which run the same, are turned into: tests inside of loops that
/// statements share may be shorter than loops of their own.
fn printed(programs: &[Program], budget: &Budget) -> Result<String, String> {
    if programs.iter().all(|p| flat::flat_schedule(&p.scop.schedule).is_empty()) {
        return Ok(String::new());
    }
    let mut distinct: Vec<(usize, &Program, ast::Ast)> = Vec::new();
    let mut failed = None;
    for (program, config) in programs.iter().flat_map(|p| configs().map(move |config| (p, config))) {
        match ast::build(&program.scop, &program.tree, &config, budget) {
            Ok(mut made) => {
                made.keep_arguments(&program.shown);
                if !distinct.iter().any(|(_, by, other)| by.names == program.names && *other == made) {
                    distinct.push((made.operators(), program, made));
                }
            }
            Err(failure) => failed = failed.or(Some(failure)),
        }
    }
    distinct.sort_by_key(|(length, ..)| *length);
    let longest = distinct.first().map_or(0, |(length, ..)| length.saturating_mul(MOST_TO_SHORTEN));
    let short = distinct.iter().filter(|(length, ..)| *length <= longest).map(|(_, program, made)| {
        let made = ast::gist::gist(made, &program.scop.contexts.assumed);
        (made.operators(), program, made)
    });
    let best = short.min_by_key(|(length, ..)| *length);
    let own = |text: &str, program: &Program| named(text, |k| program.names.get(k).map(String::as_str));
    match (best, failed) {
        (Some((_, program, loops)), _) => {
            let (params, names) = c_names(&program.scop.param_names(), &program.names);
            let params: Vec<&str> = params.iter().map(String::as_str).collect();
            Ok(named(&ast::print_source(&loops, &params), |k| names.get(k).map(String::as_str)))
        }
        (None, Some(Failure::Bug(text))) => Err(text),
        (None, Some(other)) => Err(programs.first().map_or_else(String::new, |p| own(&other.to_string(), p))),
        (None, None) => Ok(String::new()),
    }
}

/// The text with the statements' own names: that of each number.
pub(super) fn named<'n>(text: &str, name: impl Fn(usize) -> Option<&'n str>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("Stmt") {
        let (before, found) = rest.split_at(at);
        let digits = found[4..].find(|c: char| !c.is_ascii_digit()).map_or(found.len(), |n| 4 + n);
        let number: Option<usize> = found[4..digits].parse().ok();
        out.push_str(before);
        out.push_str(number.and_then(&name).unwrap_or(&found[..digits]));
        rest = &found[digits..];
    }
    out + rest
}
