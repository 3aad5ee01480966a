//! The steps from the original order to the new one: what the tree looks like with some of its parts left out.
//!
//! Tiles of hundreds of iterations fit into no picture: where that is legal, they are drawn small, and the step says
//! so.

use crate::deps::Dependences;
use crate::ids::StmtId;
use crate::model::Scop;
use crate::model::tree::flat::{FlatPiece, TimeDim, flat_schedule};
use crate::model::tree::print::Yaml;
use crate::model::tree::read::parse_tree;
use crate::model::tree::{AstOption, Mark, Node, Role};
use crate::proof;
use presburger::{Aff, Budget};
use std::collections::BTreeMap;

/// Largest tile of the innermost level that is drawn as it is.
const DRAWN_TILE: i64 = 4;

/// An order on the way.
pub struct Step {
    /// A word or two.
    pub title: String,
    /// A sentence.
    pub what: String,
    /// The order.
    pub tree: Node,
}

/// The orders from the first to the last; neighbours may be the same.
pub fn steps(scop: &Scop, deps: &Dependences, tree: Option<&Node>, done: &[String], budget: &Budget) -> Vec<Step> {
    let step = |title: &str, what: &str, tree| Step { title: title.to_owned(), what: what.to_owned(), tree };
    let mut all = vec![step("original", "The order of the source.", scop.schedule.clone())];
    let Some(tree) = tree else { return all };
    let (tree, note) = drawn_small(scop, deps, tree, budget);
    let mut words: Vec<&str> = done.iter().map(String::as_str).filter(|w| is_about_order(w)).collect();
    let untiled = bare(without_tiles(tree.clone()));
    let straight = straightened(untiled.clone(), &mut Vec::new());
    words.extend(shares_more(&straight, &scop.schedule).then_some("fused"));
    let title = if words.is_empty() { "same loops".to_owned() } else { words.join(", ") };
    if Yaml(&straight).to_string() == Yaml(&untiled).to_string() {
        all.push(step(&title, "The new order of the loops, before they are tiled.", untiled));
    } else {
        let what =
            "The new order of the loops, along the counters of the source: what a later step skews is straight here.";
        all.push(step(&title, what, straight));
        let what = "Loops run along sums of counters: those in which every dependence points forward can be tiled.";
        all.push(step("skewed", what, untiled));
    }
    let tiled = format!("Loops over tiles around loops inside of a tile.{note}");
    all.push(step("tiled", &tiled, bare(tree.clone())));
    let what = "Loops that carry no dependence: threads run their iterations.";
    all.push(step("parallel", what, with_default_loops(tree.clone())));
    let in_vectors = done.iter().any(|word| word == "vectorizable");
    let title = if in_vectors { "vector" } else { "unrolled" };
    let has_lanes = done.iter().any(|word| word.starts_with("rows in"));
    let vectors = match (in_vectors, has_lanes) {
        (_, true) => "; jammed iterations are lanes of vectors",
        (true, false) => "; the innermost loop can run in vectors",
        (false, false) => "",
    };
    let what = format!("Loops unrolled and jammed, full tiles apart from partial ones{vectors}.");
    all.push(step(title, &what, tree));
    all.retain(|step| matches!(proof::check(scop, deps, &step.tree, budget), Ok(verdict) if verdict.is_legal()));
    all
}

fn is_about_order(step: &str) -> bool {
    ["skewed", "wavefront", "tiled", "unrolled", "rows in", "vectorizable", "in threads", "if sizes", "packed"]
        .iter()
        .all(|w| !step.starts_with(w))
}

/// Whether two statements have more loops in common than before.
fn shares_more(tree: &Node, before: &Node) -> bool {
    let (now, before) = (flat_schedule(tree), flat_schedule(before));
    let mut pairs = now.keys().flat_map(|a| now.keys().map(move |b| (a, b))).filter(|(a, b)| a < b);
    let shared = |of: &BTreeMap<StmtId, Vec<FlatPiece>>, (a, b): (&StmtId, &StmtId)| {
        let (Some([a]), Some([b])) = (of.get(a).map(Vec::as_slice), of.get(b).map(Vec::as_slice)) else { return 0 };
        let differ = |(a, b): &(&TimeDim, &TimeDim)| matches!((a, b), (TimeDim::Seq(a), TimeDim::Seq(b)) | (TimeDim::Any(a), TimeDim::Any(b)) if a != b);
        let common = a.time.iter().zip(&b.time).take_while(|pair| !differ(pair));
        let is_loop = |aff: &Aff| aff.as_constant().is_none();
        common.filter(|(a, b)| matches!((a, b), (TimeDim::Aff(a), TimeDim::Aff(b)) if is_loop(a) && is_loop(b))).count()
    };
    pairs.any(|pair| shared(&now, pair) > shared(&before, pair))
}

/// The tree with multiples of outer loops taken from inner ones as long as these get simpler by it. The order of the
/// instances stays: where loops further out have equal values, one and the same number is taken from both.
fn straightened(node: Node, outer: &mut Vec<BTreeMap<StmtId, Aff>>) -> Node {
    let known = outer.len();
    let node = match node {
        Node::Band(mut band, child) => {
            for member in &mut band.members {
                for by in outer.iter().rev() {
                    while let Some(simpler) = simpler(&member.affs, by) {
                        member.affs = simpler;
                    }
                }
                outer.push(member.affs.clone());
            }
            Node::Band(band, Box::new(straightened(*child, outer)))
        }
        other => other.map_children(&mut |child| straightened(child, outer)),
    };
    outer.truncate(known);
    node
}

/// `of` with `by` added or taken once, if its coefficients get smaller by that.
fn simpler(of: &BTreeMap<StmtId, Aff>, by: &BTreeMap<StmtId, Aff>) -> Option<BTreeMap<StmtId, Aff>> {
    let size = |affs: &BTreeMap<StmtId, Aff>| affs.values().map(coefficients).sum::<Option<i64>>();
    let without = |factor: i64| {
        let one = |(id, aff): (&StmtId, &Aff)| Some((*id, aff.sub(&by.get(id)?.scale(factor))));
        of.iter().map(one).collect::<Option<BTreeMap<_, _>>>()
    };
    let before = size(of)?;
    [1, -1].into_iter().filter_map(without).find(|affs| size(affs).is_some_and(|now| now < before))
}

/// The sum of the sizes of a function's coefficients of counters; `None` where it has floors.
fn coefficients(aff: &Aff) -> Option<i64> {
    let space = aff.space();
    let is_plain = aff.row().len() == space.n_cols() + 1;
    let dims = &aff.row()[space.n_param()..space.n_param() + space.n_out()];
    is_plain.then(|| dims.iter().map(|c| c.saturating_abs()).sum())
}

/// The tree with small tiles, if it has tiles and is legal with them, and what there is to say of that.
fn drawn_small(scop: &Scop, deps: &Dependences, tree: &Node, budget: &Budget) -> (Node, String) {
    let as_it_is = || (tree.clone(), String::new());
    let text = Yaml(tree).to_string();
    let (small, sizes) = smaller(&text);
    if small == text {
        return as_it_is();
    }
    let Ok(small) = parse_tree(&small) else { return as_it_is() };
    match proof::check(scop, deps, &small, budget) {
        Ok(verdict) if verdict.is_legal() => {
            (small, format!(" Drawn with smaller tiles than the code has: there they are {}.", sizes.join(" around ")))
        }
        _ => as_it_is(),
    }
}

/// The text of a tree with small tiles, and the sizes that it had.
fn smaller(text: &str) -> (String, Vec<String>) {
    let marks: Vec<usize> = text.lines().enumerate().filter(|(_, l)| sizes_of(l).is_some()).map(|(k, _)| k).collect();
    let depth = |line: &str| line.len() - line.trim_start().len();
    let lines: Vec<&str> = text.lines().collect();
    let (mut out, mut sizes, mut open): (Vec<String>, Vec<String>, Option<(Vec<i64>, i64)>) = Default::default();
    for (k, line) in lines.iter().enumerate() {
        if let Some(found) = sizes_of(line) {
            let inner = marks.iter().filter(|m| **m > k && depth(lines[**m]) > depth(line)).count();
            let most = DRAWN_TILE << inner.min(3);
            let drawn: Vec<String> = found.iter().map(|s| s.min(&most).to_string()).collect();
            let named: Vec<String> = found.iter().map(i64::to_string).collect();
            sizes.push(named.join("x"));
            out.push(line.replace(&named.join(", "), &drawn.join(", ")));
            open = Some((found, most));
        } else if let Some((found, most)) = open.take_if(|_| line.trim_start().starts_with("schedule:")) {
            let large = found.iter().filter(|s| **s > most);
            out.push(large.fold((*line).to_owned(), |l, s| l.replace(&format!("/{s})"), &format!("/{most})"))));
        } else {
            out.push((*line).to_owned());
        }
    }
    sizes.dedup();
    (out.join("\n") + "\n", sizes)
}

/// The sizes in a line `mark: "tile(32, 32)"`.
fn sizes_of(line: &str) -> Option<Vec<i64>> {
    let inside = line.trim_start().trim_start_matches("- ").strip_prefix("mark: \"tile(")?.strip_suffix(")\"")?;
    inside.split(", ").map(|s| s.parse().ok()).collect()
}

fn without_tiles(node: Node) -> Node {
    match node {
        Node::Mark(Mark::TileLoops(_), child) => match *child {
            Node::Band(_, inside) => without_tiles(*inside),
            other => without_tiles(other),
        },
        Node::Mark(Mark::PointLoops, child) => without_tiles(*child),
        other => other.map_children(&mut without_tiles),
    }
}

/// With loops as they come.
fn with_default_loops(node: Node) -> Node {
    let mut node = node.map_children(&mut with_default_loops);
    if let Node::Band(band, _) = &mut node {
        band.members.iter_mut().for_each(|m| m.ast = AstOption::Default);
    }
    node
}

/// With loops as they come, in one thread.
fn bare(node: Node) -> Node {
    let mut node = with_default_loops(node).map_children(&mut bare);
    if let Node::Band(band, _) = &mut node {
        band.members.iter_mut().for_each(|m| m.role = Role::Serial);
    }
    node
}
