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
    let mut groups = verdicts::by_source(nests);
    let costs = |n: &Nest| n.costs.map_or(0, |(original, _)| original);
    groups
        .sort_by_key(|(outer, inside)| std::cmp::Reverse(inside.iter().map(|n| costs(n)).fold(costs(outer), u64::max)));
    let of_group = |(outer, inside): (&Nest, Vec<&Nest>)| {
        let parts = inside.into_iter().map(|n| nest(n, true, &source));
        std::iter::once(nest(outer, false, &source)).chain(parts.collect::<Vec<_>>()).collect::<Vec<Value>>()
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

/// A nest, or a part of the one before it that is refused as a whole.
fn nest(nest: &Nest, is_part: bool, source: &Source) -> Value {
    let mut json = verdicts::nest_json(nest);
    json["inside"] = is_part.into();
    json["short"] = verdicts::reason(nest).into();
    json["why"] = nest.json["model"]["why"].clone();
    json["footprints"] = nest.json["model"]["footprints"].clone();
    match picture::of(nest, source) {
        Ok(picture) => json["picture"] = picture,
        Err(why) => json["noPicture"] = why.into(),
    }
    json
}
