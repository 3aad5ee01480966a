//! `polyrs explain --html`: one file that shows what became of a program's loops, and needs no network.

use crate::{tools, verdicts};
use polyrs::explain::{Nest, Source, picture};
use serde_json::{Value, json};
use std::path::Path;

const FRAME: &str = include_str!("page/page.html");
const STYLE: &str = include_str!("page/page.css");
const SCRIPT: &[&str] = &[
    include_str!("page/run.js"),
    include_str!("page/draw.js"),
    include_str!("page/footprint.js"),
    include_str!("page/page.js"),
];

/// The page of a file.
pub fn of(file: &str, nests: &[Nest]) -> String {
    let text = tools::text_of(Path::new(file));
    let source = Source::new(&text);
    let mut nests: Vec<&Nest> = nests.iter().collect();
    nests.sort_by_key(|n| std::cmp::Reverse(n.costs.map_or(0, |(original, _)| original)));
    let nests: Vec<Value> = nests.into_iter().map(|n| nest(n, &source)).collect();
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

fn nest(nest: &Nest, source: &Source) -> Value {
    let mut json = verdicts::nest_json(nest);
    json["short"] = verdicts::reason(nest).into();
    json["footprints"] = nest.json["model"]["footprints"].clone();
    match picture::of(nest, source) {
        Ok(picture) => json["picture"] = picture,
        Err(why) => json["noPicture"] = why.into(),
    }
    json
}
