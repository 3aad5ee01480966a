//! Pictures for Graphviz: the blocks of a function with its regions, and the dependences of a region (`-polyrs-dot`).

use super::story;
use crate::bridge::facts::Facts;
use crate::deps::{Dep, Dependences, vectors};
use crate::facts::FunctionFacts;
use crate::model::Scop;
use crate::scop::Detection;
use presburger::Budget;
use std::fmt::Write;
use std::path::Path;

/// Longest part of a function's name in the name of a file.
const NAME_BYTES: usize = 100;

/// The blocks of a function and the edges between them; those of each region in a box, and why others are none.
#[must_use]
pub fn regions(facts: &FunctionFacts, detection: &Detection) -> String {
    let name = &facts.name;
    let mut out = format!("digraph {} {{\n  node [shape=box];\n", quoted(&format!("regions of {name}")));
    for (number, region) in detection.candidates.iter().enumerate() {
        let label = quoted(&format!("region {name}:{number}"));
        let _ = writeln!(out, "  subgraph cluster_{number} {{\n    label={label}; style=filled; color=palegreen;");
        for block in &region.blocks {
            let _ = writeln!(out, "    {block};");
        }
        out.push_str("  }\n");
    }
    for (number, block) in facts.blocks.iter().enumerate() {
        let id = crate::ids::BlockId::new(number);
        let header = facts.loops.iter().find(|l| l.header == id);
        let line = header.filter(|l| l.loc.line != 0).map_or(String::new(), |l| format!(", line {}", l.loc.line));
        let what = header.map_or(String::new(), |_| format!("\\nloop{line}"));
        let _ = writeln!(out, "  {id} [label=\"{id}{what}\"];");
        for to in &block.succs {
            let _ = writeln!(out, "  {id} -> {to};");
        }
    }
    for (number, reject) in detection.rejects.iter().enumerate() {
        let line = if reject.loc.line == 0 { String::new() } else { format!("line {}: ", reject.loc.line) };
        let label = quoted(&format!("{line}{reject}"));
        let _ = writeln!(out, "  why{number} [shape=note, color=red, label={label}];");
    }
    out + "}\n"
}

/// The statements of a region with their lines, and an edge for each dependence, with its array and distances. Arrays
/// have the user's names where these are known.
#[must_use]
pub fn dependences(scop: &Scop, deps: &Dependences, known: &Facts, budget: &Budget) -> String {
    let mut out = format!("digraph {} {{\n  node [shape=box];\n", quoted(&format!("dependences of {}", scop.name)));
    for stmt in &scop.stmts {
        let line = match story::place_of(&known.facts, stmt).line {
            0 => String::new(),
            line => format!(", line {line}"),
        };
        let label = quoted(&format!("{}{line}\n{}", stmt.id, stmt.domain));
        let _ = writeln!(out, "  {} [label={label}];", stmt.id);
    }
    let all = deps.validity.iter().map(|dep| (dep, "solid")).chain(deps.reductions.iter().map(|dep| (dep, "dashed")));
    for (dep, style) in all {
        let array = story::name_of(scop, known, dep.array).unwrap_or_else(|| dep.array.to_string());
        let label = quoted(&format!("{} {array} {}", dep.kind, distances(scop, dep, budget)));
        let _ = writeln!(out, "  {} -> {} [style={style}, label={label}];", dep.src, dep.dst);
    }
    out + "}\n"
}

/// `(1, 0) (0, 1)`; nothing where that takes too long to find out.
fn distances(scop: &Scop, dep: &Dep, budget: &Budget) -> String {
    let one = |v: &vectors::Vector| {
        let parts: Vec<String> = v.0.iter().map(ToString::to_string).collect();
        format!("({})", parts.join(", "))
    };
    vectors::vectors(scop, dep, budget).unwrap_or_default().iter().map(one).collect::<Vec<_>>().join(" ")
}

fn quoted(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    format!("\"{escaped}\"")
}

/// Writes a picture to `FOLDER/KIND.NAME.dot`.
///
/// # Errors
/// Why it cannot be written.
pub fn write(folder: &str, kind: &str, name: &str, text: &str) -> Result<(), String> {
    let known = |c: char| if c.is_ascii_alphanumeric() || "_.$-".contains(c) { c } else { '_' };
    let name: String = name.chars().map(known).take(NAME_BYTES).collect();
    let path = Path::new(folder).join(format!("{kind}.{name}.dot"));
    std::fs::write(&path, text).map_err(|error| format!("-polyrs-dot: cannot write {}: {error}", path.display()))
}
