//! Orders that the user asks for, by a script or a file for each region: told where one is not taken, whoever reads
//! remarks or not.

use super::order;
use super::story::place_of;
use crate::bridge::module::{Callers, Function, Module, UsersCall, shown_name};
use crate::error::{RejectKind, SourceLoc};
use crate::facts::FunctionFacts;
use crate::ids::LoopId;
use crate::model::Stmt;
use crate::options::Options;
use crate::outcome::{Findings, Told};
use crate::remedies::of_librarys_loop;
use crate::scop::Candidate;
use crate::transform::script::names::InSource;
use crate::transform::script::parse::{Section, meant};
use crate::transform::script::{function_of, gives_order, section};
use std::cell::LazyCell;
use std::collections::BTreeSet;
use std::path::Path;

/// What the source calls the loops around a statement, and where that is.
pub fn in_source(facts: &FunctionFacts, stmt: &Stmt) -> InSource {
    let loops = stmt.body.loops().iter().map(|dim| facts.lp(dim.id).counter.name.clone()).collect();
    InSource { loops, line: place_of(facts, stmt).line }
}

/// The user's script, if there is one.
///
/// # Errors
/// A file or folder that the options name and that cannot be used.
pub fn inputs(options: &Options) -> Result<Option<(String, Vec<Section>)>, String> {
    let folder = &options.dot;
    if !folder.is_empty() && !Path::new(folder).is_dir() {
        return Err(format!("-polyrs-dot={folder}: there is no such folder: mkdir {folder}"));
    }
    order::script_of(options)
}

/// Keeps where a region is, what scripts call it, and whether the user asks for an order of it.
pub fn note(findings: &mut Findings, options: &Options, (facts, region, number): (&FunctionFacts, &Candidate, usize)) {
    let name = format!("{}:{number}", facts.name);
    let has_section =
        |name: &str| matches!(order::script_of(options), Ok(Some((_, all))) if section(&all, name).is_some());
    findings.is_users = options.import_jscop || has_section(&name);
    findings.region = name;
    if let Some(first) = region.loops.first() {
        findings.nest = facts.outermost(*first).loc.clone();
    }
    let is_outermost = |l: &&LoopId| facts.lp(**l).parent.is_none_or(|around| !region.loops.contains(&around));
    let starts: Vec<&SourceLoc> = region.loops.iter().filter(is_outermost).map(|l| &facts.lp(*l).loc).collect();
    let place = |loc: &SourceLoc| (loc.line, loc.column);
    let mut places: BTreeSet<_> =
        starts.iter().map(|loc| place(loc)).find(|(line, _)| *line != 0).into_iter().collect();
    // Copies of a loop that the compiler made are one.
    findings.with = starts.into_iter().filter(|loc| loc.line != 0 && places.insert(place(loc))).cloned().collect();
}

/// What is to be told of one function: regions with an order that was not taken, and sections without a region.
pub fn problems((function, shown): (&str, &str), options: &Options, all: &[Told]) -> Vec<String> {
    let users = |told: &&Told| told.findings.is_users;
    let mut out: Vec<String> = all.iter().filter(users).filter_map(|told| not_taken(shown, told)).collect();
    // What ends before there are regions, or orders of them, says nothing of a script.
    if options.stop_after.is_some() {
        return out;
    }
    let Ok(Some((_, sections))) = order::script_of(options) else { return out };
    let regions: Vec<&str> = all.iter().map(|told| told.findings.region.as_str()).filter(|r| !r.is_empty()).collect();
    for section in sections.iter().filter(|s| gives_order(s)) {
        let name = section.region.text.as_str();
        let is_used = regions.iter().any(|region| *region == name || function_of(region) == name);
        if function_of(name) != function || is_used {
            continue;
        }
        let what = match (regions.as_slice(), all.first()) {
            ([], Some(told)) => format!("no region: {}", told.remark.message),
            ([], None) => "no region".to_owned(),
            (known, _) => format!("no region {name}, only {}", known.join(", ")),
        };
        let script = &options.transform;
        out.push(format!("script {script}:{}: function '{shown}' has {what}", section.region.at));
    }
    out
}

/// Why a region's order is not the user's.
fn not_taken(shown: &str, told: &Told) -> Option<String> {
    let message = match (told.verdict, &told.findings.not_taken) {
        (_, Some(why)) => why,
        ("rewritten", None) => return None,
        _ => &told.remark.message,
    };
    let at = &told.start;
    let place = if at.line == 0 { String::new() } else { format!("{}:{}:{}: ", at.file, at.line, at.column) };
    let why = message.strip_prefix("order of the loops kept: ").unwrap_or(message);
    Some(format!("{place}function '{shown}': the order asked for is not taken: {why}"))
}

/// What is told of a function, with the name of the function: of loops in a function of an installed library where the
/// user calls that, once for each of the calls, and nothing where nobody does any more.
pub fn at_calls(told: Told, callers: Option<&Callers>, shown: &str) -> Vec<(Told, String)> {
    match callers {
        None => vec![(told, shown.to_owned())],
        Some(Callers::None) if told.verdict != "internal-error" => Vec::new(),
        Some(Callers::None) => vec![(told, shown.to_owned())],
        Some(Callers::Calls(all)) => {
            let mut seen: Vec<&UsersCall> = Vec::new();
            for call in all {
                if !seen.contains(&call) {
                    seen.push(call);
                }
            }
            seen.into_iter().map(|call| (at_call(told.clone(), call), call.caller.clone())).collect()
        }
    }
}

fn at_call(mut told: Told, call: &UsersCall) -> Told {
    let at = &told.remark.loc;
    let file = Path::new(&at.file).file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let place = if at.line == 0 { String::new() } else { format!(", {file}:{}", at.line) };
    let library = format!("{}{place}", call.called);
    told.remark.message += &format!(" (in {library})");
    told.findings.library = Some(library);
    for loc in [&mut told.remark.loc, &mut told.start, &mut told.findings.nest] {
        loc.clone_from(&call.loc);
    }
    told.findings.with.clear();
    if told.verdict == "refused" && told.remark.name != RejectKind::NoEffect.name() {
        let remedy = match told.findings.only_looks {
            true => format!("{} only reads: no order of its loops is faster", call.called),
            false => of_librarys_loop(&call.called),
        };
        let parts = told.analysis.iter_mut().flat_map(|analysis| &mut analysis.parts);
        parts.filter(|(name, _)| *name == "Remedy").for_each(|(_, text)| text.clone_from(&remedy));
        told.findings.remedy = Some(remedy);
    }
    if let Some(analysis) = &mut told.analysis {
        analysis.loc.clone_from(&call.loc);
    }
    told
}

/// The name of the source file that `polyrs tune` made a script for, by the script's first line.
fn made_for(script: &str) -> Option<String> {
    let text = std::fs::read_to_string(script).ok()?;
    let file = text.lines().next()?.strip_prefix("# ")?.strip_suffix(" as polyrs tune left it")?;
    Some(Path::new(file).file_name()?.to_string_lossy().into_owned())
}

/// Functions that a script names and that have no loops to order; said only where the module is a whole source file.
/// One that is not there may be in another file of the program, unless its name is a misspelt one of this file or the
/// script is made for this file.
pub fn missing(module: &Module<'_>, functions: &[Function<'_>], (file, sections): &(String, Vec<Section>)) {
    let known: Vec<String> = functions.iter().map(Function::name).collect();
    let source = module.source();
    let is_for_this = LazyCell::new(|| {
        let this = Path::new(&source).file_name().map(|name| name.to_string_lossy().into_owned());
        made_for(file).map(|made| Some(made) == this)
    });
    for section in sections {
        let name = function_of(&section.region.text);
        if known.iter().any(|k| k == name) || !module.is_whole() {
            continue;
        }
        let what = if module.defines(name) {
            format!("function '{}' has no loop", shown_name(name))
        } else {
            let near = meant(name, known.iter().map(String::as_str));
            if !is_for_this.unwrap_or(!near.is_empty()) {
                continue;
            }
            format!("there is no function '{}' in {source}{near}", shown_name(name))
        };
        // The script may be one for several files: this must not end a compiler for which warnings are errors.
        super::print(&format!("warning: polyrs: script {file}:{}: {what}\n", section.region.at));
    }
}
