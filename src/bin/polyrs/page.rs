//! `polyrs explain --html`: one file that shows what became of a program's loops, and needs no network.

use crate::{tools, verdicts};
use polyrs::explain::{Nest, Source, picture};
use polyrs::outcome::page_of;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::Path;

const REASONS: &str = include_str!("../../../docs/reasons.md");
const FRAME: &str = include_str!("page/page.html");
const STYLE: &str = include_str!("page/page.css");
const SCRIPT: &[&str] = &[
    include_str!("page/run.js"),
    include_str!("page/draw.js"),
    include_str!("page/footprint.js"),
    include_str!("page/markdown.js"),
    include_str!("page/page.js"),
];

/// The page of a file.
pub fn of(file: &str, nests: &[Nest]) -> String {
    let text = tools::text_of(Path::new(file));
    // Nests of headers have their own text.
    let others: BTreeSet<&str> = nests.iter().filter_map(file_of).filter(|other| *other != file).collect();
    let other = |name: &&str| Source::new(name, &tools::text_of(Path::new(name)));
    let sources: Vec<Source> = std::iter::once(Source::new(file, &text)).chain(others.iter().map(other)).collect();
    let names: Vec<&str> = std::iter::once(file).chain(others).collect();
    let source = |n: &Nest| &sources[names.iter().position(|name| Some(*name) == file_of(n)).unwrap_or(0)];
    let mut groups = verdicts::by_source(nests);
    let costs = |n: &Nest| n.costs.map_or(0.0, |costs| costs.usual[0]);
    let most = |(outer, inside): &(&Nest, Vec<&Nest>)| inside.iter().map(|n| costs(n)).fold(costs(outer), f64::max);
    groups.sort_by(|a, b| most(b).total_cmp(&most(a)));
    let of_group = |(outer, inside): (&Nest, Vec<&Nest>)| {
        let parts = inside.into_iter().map(|n| nest(n, true, source(n)));
        std::iter::once(nest(outer, false, source(outer))).chain(parts.collect::<Vec<_>>()).collect::<Vec<Value>>()
    };
    let nests: Vec<Value> = groups.into_iter().flat_map(of_group).collect();
    let lines: Vec<&str> = text.lines().collect();
    let data = json!({ "file": file, "lines": lines, "nests": nests }).to_string();
    // Nothing in it may look like the end of the element that it stands in.
    let data = data.replace('<', "\\u003c");
    let title = file.replace('&', "&amp;").replace('<', "&lt;");
    FRAME
        .replace("{{title}}", &title)
        .replace("{{style}}", STYLE)
        .replace("{{script}}", &SCRIPT.concat())
        .replace("{{data}}", &data)
}

/// The file that a nest's statements are in.
fn file_of(nest: &Nest) -> Option<&str> {
    let statements = nest.model.iter().flat_map(|model| &model.statements);
    statements.filter_map(|(at, _)| at.as_ref()).map(|at| at.file.as_str()).next()
}

/// The section of `docs/reasons.md` on a reason, without its title.
fn section(name: &str) -> Option<&'static str> {
    let parts = REASONS.split("\n## ").skip(1);
    parts.filter_map(|part| part.split_once('\n')).find(|(title, _)| *title == name).map(|(_, text)| text)
}

/// A nest, or a part of the one before it that is refused as a whole.
fn nest(nest: &Nest, is_part: bool, source: &Source) -> Value {
    let mut json = verdicts::nest_json(nest);
    json["inside"] = is_part.into();
    json["short"] = verdicts::reason(nest).into();
    json["more"] = page_of(&nest.name).into();
    json["page"] = section(&nest.name).into();
    json["why"] = nest.json["model"]["why"].clone();
    json["footprints"] = footprints(nest);
    match picture::of(nest, source) {
        Ok(picture) => json["picture"] = picture,
        Err(why) => json["noPicture"] = why.into(),
    }
    json
}

/// What statements touch, with the lines by which they are called where there is no picture that names them.
fn footprints(nest: &Nest) -> Value {
    let model = &nest.json["model"];
    let mut found = model["footprints"].clone();
    let all = found.get_mut("statements").and_then(Value::as_array_mut);
    for (k, statement) in all.into_iter().flatten().enumerate() {
        let line = model["statements"][k]["at"]["line"].as_u64();
        let name = line.map_or_else(|| format!("statement {}", k + 1), |line| format!("line {line}"));
        statement["name"] = name.into();
    }
    found
}
