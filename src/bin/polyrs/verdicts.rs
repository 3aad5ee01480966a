//! One verdict per loop nest, cause first: as text, and as JSON (`docs/explain.md`).

use crate::tools;
use polyrs::explain::{Gpu, Kernel, Nest, Place, binding};
use polyrs::outcome::{Costs, PAYS, cycles, cycles_json, page_of};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::io::IsTerminal;
use std::path::Path;

/// Most arrays and variables that are told of one nest.
const MOST_BINDING: usize = 12;
/// Version of the JSON's keys.
const VERSION: u32 = 1;

/// Whether standard output shows colours: a terminal, whose user does not object.
pub fn has_colours() -> bool {
    std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty())
}

/// The remark without the words that the verdict says already.
pub fn reason(nest: &Nest) -> &str {
    let starts = ["loops not optimized: ", "order of the loops kept: ", "loops reordered: ", "loops "];
    let reason = starts.iter().find_map(|start| nest.message.strip_prefix(start)).unwrap_or(&nest.message);
    // LLVM's name of a value says less than the line that is shown.
    reason.rsplit_once(" (%").map_or(reason, |(before, _)| before)
}

/// `1 loop nest`, `2 loop nests`.
pub fn counted(nests: usize) -> String {
    format!("{nests} loop nest{}", if nests == 1 { "" } else { "s" })
}

/// `2.50`, as remarks round it.
fn gain(costs: Costs) -> f64 {
    costs.gain_percent() as f64 / 100.0
}

/// All verdicts, in the order of the source.
pub fn text(file: &str, nests: &[Nest], colours: bool) -> String {
    let mut out = String::new();
    if nests.is_empty() {
        return format!("{file}: no loop\n");
    }
    if nests.iter().all(|n| n.at.is_none() && n.start.is_none()) {
        let _ =
            writeln!(out, "{file} has no source lines (compile with -g or -gline-tables-only): functions are named\n");
    }
    let mut files = Files::default();
    let (own, others): (Vec<_>, Vec<_>) = by_source(nests).into_iter().partition(|(nest, _)| is_in(nest, file));
    let mut all = own.into_iter().chain(others).peekable();
    while let Some((outer, inside)) = all.next() {
        verdict(&mut out, outer, &mut files, colours);
        let mut more = 0;
        let inside: Vec<&Nest> = if is_of_library(outer) { Vec::new() } else { inside };
        while let Some((_, inside)) = all.next_if(|(next, _)| is_of_one_call(outer, next)) {
            more += 1 + inside.len();
        }
        if more > 0 {
            let (called, s) = (called(outer), if more == 1 { "" } else { "s" });
            let _ = writeln!(out, "    and {more} more loop{s} of {called}");
        }
        inside.iter().for_each(|nest| part(&mut out, nest, colours));
        let _ = writeln!(out, "    more: {}", page_of(&outer.name));
        others_of(&mut out, outer, &mut files, colours);
    }
    let targets: BTreeSet<&str> =
        nests.iter().filter(|n| n.costs.is_some()).filter_map(|n| n.target.as_deref()).collect();
    for target in targets {
        let _ = writeln!(out, "\nestimated for {target} (-march= names another target)");
    }
    out
}

/// The function of a library that loops are of, without their place in it.
fn called(nest: &Nest) -> &str {
    nest.library.as_deref().and_then(|library| library.split(", ").next()).unwrap_or_default()
}

/// Whether a nest is of a library's function, which the user cannot change, and not rewritten.
fn is_of_library(nest: &Nest) -> bool {
    nest.library.is_some() && nest.verdict != "rewritten"
}

/// Whether two of these are of one call.
fn is_of_one_call(first: &Nest, next: &Nest) -> bool {
    is_of_library(first)
        && is_of_library(next)
        && first.at == next.at
        && first.shown == next.shown
        && called(first) == called(next)
}

/// Whether a nest stands in this file, not in a header.
fn is_in(nest: &Nest, file: &str) -> bool {
    nest.nest.as_ref().or(nest.start.as_ref()).or(nest.at.as_ref()).is_none_or(|place| place.file == file)
}

/// The nests in the order of the source, each with those that are parts of the same nest of the source: what stands in
/// the way of the whole comes first.
pub fn by_source(nests: &[Nest]) -> Vec<(&Nest, Vec<&Nest>)> {
    let key = |p: &Place| (p.file.clone(), p.line, p.column);
    let at = |n: &Nest| n.nest.as_ref().or(n.start.as_ref()).or(n.at.as_ref()).map(key);
    // That a part writes nothing is no reason for what is around it.
    let is_part = |n: &Nest| (n.verdict != "refused", n.name == "NoEffect");
    let mut sorted: Vec<&Nest> = nests.iter().collect();
    // Instances of one template begin at one place.
    sorted.sort_by_key(|n| (at(n), &n.function, is_part(n), n.start.as_ref().map(key)));
    let mut out: Vec<(&Nest, Vec<&Nest>)> = Vec::new();
    // Compilers copy loops, for strides and sizes that they know: what is said twice of one place is said once.
    let same = |a: &Nest, b: &Nest| match a.verdict.as_str() {
        "refused" => (&a.at, &a.name) == (&b.at, &b.name),
        "rewritten" => false,
        _ => (&a.at, &a.start, &a.message) == (&b.at, &b.start, &b.message),
    };
    // What a library's function became where it was put into the user's is told there.
    let is_there = |n: &Nest, other: &Nest| {
        let places = [&other.at, &other.start];
        n.library.is_some() && other.library.is_none() && n.shown == other.shown && places.contains(&&n.start)
    };
    let mut kept: Vec<&Nest> = Vec::new();
    for nest in sorted.into_iter().filter(|n| !nests.iter().any(|other| is_there(n, other))) {
        let is_new = |known: &&Nest| !(same(known, nest) && nest.at.is_some() && known.function == nest.function);
        if kept.iter().all(is_new) {
            kept.push(nest);
        }
    }
    // A nest that is modelled as a whole in one of its versions, for pointers that take turns or sizes that do not
    // change, is what became of it; the other version is as it was.
    let is_whole =
        |n: &Nest| matches!(n.verdict.as_str(), "kept" | "rewritten") && n.nest.is_some() && n.start == n.nest;
    let wholes: Vec<&Nest> = kept.iter().copied().filter(|n| is_whole(n)).collect();
    let is_of = |whole: &Nest, n: &Nest| whole.function == n.function && whole.nest == n.nest;
    let is_other = |n: &Nest| n.verdict != "rewritten" && !is_whole(n) && wholes.iter().any(|whole| is_of(whole, n));
    let sorted = kept.into_iter().filter(|n| !is_other(n)).collect::<Vec<_>>();
    for nest in sorted {
        let around = out.last_mut().filter(|(outer, _)| {
            outer.verdict == "refused"
                && outer.function == nest.function
                && nest.nest.is_some()
                && outer.nest == nest.nest
        });
        match around {
            Some((_, inside)) => inside.push(nest),
            None => out.push((nest, Vec::new())),
        }
    }
    out
}

/// The verdict at the other nests that it is about, which are one with the first.
fn others_of(out: &mut String, nest: &Nest, files: &mut Files, colours: bool) {
    let first = nest.start.as_ref().map_or(0, |p| p.line);
    for place in nest.with.iter().filter(|p| nest.start.as_ref() != Some(p)) {
        let at = paint("1", &format!("{}:{}:{}: ", place.file, place.line, place.column), colours);
        let verdict = painted(nest, colours);
        let _ = writeln!(out, "{at}{}: {verdict}: together with the loops in line {first}, above", nest.shown);
        pointed(out, place, files, colours);
    }
}

/// What became of a part of a nest that is refused as a whole.
fn part(out: &mut String, nest: &Nest, colours: bool) {
    let place =
        nest.at.as_ref().or(nest.start.as_ref()).map_or(String::new(), |p| format!(" at {}:{}", p.line, p.column));
    let _ = writeln!(out, "    inside{place}: {}: {}", painted(nest, colours), reason(nest));
    details(out, nest, "        ");
}

/// Kernels for a GPU of all nests, with what they need.
pub fn kernels(nests: &[Nest]) -> String {
    let mut out = String::new();
    for (nest, gpu) in nests.iter().filter_map(|n| Some((n, n.gpu.as_ref()?))) {
        let place = nest.start.as_ref().map_or(String::new(), |p| format!("{}:{}: ", p.file, p.line));
        let _ = writeln!(out, "\n== {place}{}: {} for a GPU\n", nest.function, counted_kernels(gpu.kernels.len()));
        for memory in &gpu.memory {
            let _ = writeln!(out, "    {memory}");
        }
        if gpu.host.iter().any(|around| !around.trim().is_empty()) || gpu.kernels.len() > 1 {
            let _ = writeln!(out, "\nwhat the host runs:\n\n{}", launches(gpu));
        }
        for kernel in &gpu.kernels {
            let block: Vec<String> = kernel.block.iter().map(u64::to_string).collect();
            let (grid, block) = (kernel.grid.join(" x "), block.join(" x "));
            let name = if kernel.name.is_empty() { "a kernel that was given up" } else { &kernel.name };
            let shared = match kernel.shared_bytes {
                0 => "no shared memory".to_owned(),
                bytes => format!("{bytes} bytes of shared memory"),
            };
            let busy = format!("room for {} % of a multiprocessor's threads", kernel.occupancy);
            let _ = writeln!(out, "\n{name}: grid {grid}, block {block}, {shared}, {busy}\n\n{}", kernel.code);
            if !kernel.ptx.is_empty() {
                let _ = writeln!(out, "{}", kernel.ptx);
            }
        }
    }
    if out.is_empty() { "no kernel for a GPU\n".to_owned() } else { out }
}

/// The loops of the host, with a line for each kernel that they launch.
fn launches(gpu: &Gpu) -> String {
    let launch = |(k, kernel): (usize, &Kernel)| match kernel.name.as_str() {
        "" => format!("launch kernel {k}, given up"),
        name => format!("launch {name}"),
    };
    let mut launched = gpu.kernels.iter().enumerate().map(launch);
    gpu.host.iter().flat_map(|around| [around.clone(), launched.next().unwrap_or_default()]).collect()
}

fn counted_kernels(kernels: usize) -> String {
    format!("{kernels} kernel{}", if kernels == 1 { "" } else { "s" })
}

fn paint(code: &str, text: &str, colours: bool) -> String {
    if colours { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
}

/// The verdict in its colour.
fn painted(nest: &Nest, colours: bool) -> String {
    let colour = match nest.verdict.as_str() {
        "rewritten" => "1;32",
        "kept" => "1;36",
        "internal-error" => "1;31",
        _ => "1;33",
    };
    paint(colour, &nest.verdict.replace('-', " "), colours)
}

fn verdict(out: &mut String, nest: &Nest, files: &mut Files, colours: bool) {
    let paint = |code: &str, text: &str| paint(code, text, colours);
    let at = nest.at.as_ref().or(nest.start.as_ref());
    let place = at.map_or(String::new(), |p| format!("{}:{}:{}: ", p.file, p.line, p.column));
    let verdict = painted(nest, colours);
    let _ = writeln!(out, "{}{}: {verdict}: {}", paint("1", &place), nest.shown, reason(nest));
    if let Some(at) = at {
        pointed(out, at, files, colours);
    }
    details(out, nest, "    ");
}

/// The line of the source, with an arrow to the place.
fn pointed(out: &mut String, place: &Place, files: &mut Files, colours: bool) {
    let Some(line) = files.line(place) else { return };
    let pad = line.chars().take(place.column.saturating_sub(1)).map(|c| if c == '\t' { '\t' } else { ' ' });
    let _ = writeln!(out, "    | {line}\n    | {}{}", pad.collect::<String>(), paint("1;32", "^", colours));
}

/// Estimates, tests, what binds the order, and what helps.
fn details(out: &mut String, nest: &Nest, margin: &str) {
    let first = nest.start.as_ref().map_or(0, |place| place.line);
    let at = |p: &Place| if p.line == first { format!("{}:{}", p.line, p.column) } else { p.line.to_string() };
    let with: Vec<String> = nest.with.iter().map(at).collect();
    match with.as_slice() {
        [] => {}
        [one] => _ = writeln!(out, "{margin}together with the loops in line {one}"),
        lines => _ = writeln!(out, "{margin}together with the loops in lines {}", lines.join(", ")),
    }
    if let Some(costs) = nest.costs {
        let (times, of_what) = (gain(costs), costs.of_what());
        let (new, original) = (cycles(costs.new), cycles(costs.original));
        let _ = writeln!(
            out,
            "{margin}estimated: {new} cycles in the best new order, {original} in the original one: \
             {times:.2} times as fast{of_what}"
        );
    }
    for test in &nest.tests {
        let _ = match test.starts_with(PAYS) {
            true => writeln!(out, "{margin}tested at run time: {test}"),
            false => writeln!(out, "{margin}assumed: {test}; tested before the loops"),
        };
    }
    if nest.verdict == "kept" {
        for what in binding(nest).iter().take(MOST_BINDING) {
            let _ = writeln!(out, "{margin}what binds the order: {what}");
        }
    }
    if let Some(remedy) = &nest.remedy {
        let _ = writeln!(out, "{margin}what helps: {remedy}");
    }
}

/// The files that verdicts are about, by lines, each read once.
#[derive(Default)]
struct Files(BTreeMap<String, Vec<String>>);

impl Files {
    fn line(&mut self, place: &Place) -> Option<&str> {
        let lines = || tools::text_of(Path::new(&place.file)).lines().map(str::to_owned).collect();
        let lines: &Vec<String> = self.0.entry(place.file.clone()).or_insert_with(lines);
        lines.get(place.line.checked_sub(1)?).map(String::as_str)
    }
}

/// All verdicts for programs.
pub fn json(file: &str, nests: &[Nest], warnings: &[String]) -> String {
    let nests: Vec<Value> = nests.iter().map(nest_json).collect();
    let all = json!({ "version": VERSION, "file": file, "nests": nests, "warnings": warnings });
    serde_json::to_string_pretty(&all).unwrap_or_default() + "\n"
}

/// One verdict for programs.
pub fn nest_json(nest: &Nest) -> Value {
    let costs = nest.costs.map(|costs| {
        let of_what = costs.of_what();
        json!({
            "original": cycles_json(costs.original),
            "new": cycles_json(costs.new),
            "gain": gain(costs),
            "size": costs.size,
            "usual": cycles_json(costs.usual[0]),
            "of": of_what.strip_prefix(", "),
        })
    });
    json!({
        "function": nest.function,
        "name": nest.shown,
        "verdict": nest.verdict,
        "reason": nest.name,
        "message": nest.message,
        "at": nest.json["at"],
        "start": nest.json["start"],
        "nest": nest.json["nest"],
        "with": nest.json["with"],
        "library": nest.library,
        "costs": costs,
        "target": nest.target,
        "tests": nest.tests,
        "binding": if nest.verdict == "kept" { binding(nest) } else { Vec::new() },
        "remedy": nest.remedy,
        "steps": nest.model.as_ref().map_or(&[][..], |m| &m.steps),
        "gpu": nest.json["gpu"],
    })
}
