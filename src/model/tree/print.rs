//! Schedule trees as isl prints them: YAML, one key per node kind, `child` below; leaves are left out.
//!
//! Differences: code generation options are `separate[k]`, `unroll[k]` and `unroll_jam[k, factor]` for band member k;
//! `alone` lists `Stmt<n>[k]` where statement n is among [`Member::alone`] of member k; `roles` lists members that
//! threads run, with what they have for themselves:
//! `threads[k] reduction(add: Arr0, Arr2[:]) lastprivate(Arr1) private(Arr3)`.

use super::expr::{dim_names, print_aff};
use super::{AstOption, Axis, Band, Blocks, Mark, Member, Node, ThreadCopies};
use crate::ids::{ArrayId, StmtId};
use crate::model::Operation;
use presburger::{Map, Set, UnionMap, UnionSet};
use std::collections::BTreeMap;
use std::fmt;

/// Displays a tree, one line per key, with a newline at the end.
pub struct Yaml<'a>(pub &'a Node);

impl fmt::Display for Yaml<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_node(f, self.0, 0)
    }
}

/// All sets as one union, `[N] -> { Stmt0[i] : ..; Stmt1[i, j] : .. }`.
fn union_text(sets: &BTreeMap<StmtId, Set>) -> String {
    let Some(first) = sets.values().next() else { return "{ }".to_owned() };
    let params: Vec<&str> = first.space().params.iter().map(AsRef::as_ref).collect();
    let mut union = UnionSet::empty(&params);
    for set in sets.values() {
        union.add(set.clone());
    }
    union.to_string()
}

/// All maps as one union.
fn maps_text(maps: impl Iterator<Item = Map>) -> String {
    let mut union = UnionMap::empty(&[]);
    for map in maps {
        union.add(map);
    }
    union.to_string()
}

fn write_node(f: &mut fmt::Formatter<'_>, node: &Node, indent: usize) -> fmt::Result {
    let pad = " ".repeat(indent);
    match node {
        Node::Leaf => Ok(()),
        Node::Domain(sets, child) => {
            writeln!(f, "{pad}domain: \"{}\"", union_text(sets))?;
            write_child(f, child, indent)
        }
        Node::Context(set, child) => {
            writeln!(f, "{pad}context: \"{set}\"")?;
            write_child(f, child, indent)
        }
        Node::Filter(sets, child) => {
            writeln!(f, "{pad}filter: \"{}\"", union_text(sets))?;
            write_child(f, child, indent)
        }
        Node::Guard(set, child) => {
            writeln!(f, "{pad}guard: \"{set}\"")?;
            write_child(f, child, indent)
        }
        Node::Mark(mark, child) => {
            writeln!(f, "{pad}mark: \"{mark}\"")?;
            write_child(f, child, indent)
        }
        Node::Extension(maps, child) => {
            writeln!(f, "{pad}extension: \"{}\"", maps_text(maps.values().cloned()))?;
            write_child(f, child, indent)
        }
        Node::Expansion(maps, child) => {
            writeln!(f, "{pad}contraction: \"{}\"", maps_text(maps.values().map(|e| e.map.reverse())))?;
            writeln!(f, "{pad}expansion: \"{}\"", maps_text(maps.values().map(|e| e.map.clone())))?;
            write_child(f, child, indent)
        }
        Node::Band(band, child) => {
            write_band(f, band, &pad)?;
            write_child(f, child, indent)
        }
        Node::Sequence(children) => write_children(f, "sequence", children, indent),
        Node::Set(children) => write_children(f, "set", children, indent),
    }
}

fn write_child(f: &mut fmt::Formatter<'_>, child: &Node, indent: usize) -> fmt::Result {
    if matches!(child, Node::Leaf) {
        return Ok(());
    }
    writeln!(f, "{}child:", " ".repeat(indent))?;
    write_node(f, child, indent + 2)
}

fn write_children(f: &mut fmt::Formatter<'_>, key: &str, children: &[Node], indent: usize) -> fmt::Result {
    let pad = " ".repeat(indent);
    writeln!(f, "{pad}{key}:")?;
    for child in children {
        let text = Indented(child, indent + 2).to_string();
        writeln!(f, "{pad}- {}", text.trim_start().trim_end_matches('\n'))?;
    }
    Ok(())
}

struct Indented<'a>(&'a Node, usize);

impl fmt::Display for Indented<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_node(f, self.0, self.1)
    }
}

fn write_band(f: &mut fmt::Formatter<'_>, band: &Band, pad: &str) -> fmt::Result {
    let first = band.members.iter().find_map(|m| m.affs.values().next());
    let params: Vec<&str> = first.map_or_else(Vec::new, |a| a.space().params.iter().map(AsRef::as_ref).collect());
    let header = if params.is_empty() { String::new() } else { format!("[{}] -> ", params.join(", ")) };
    let members: Vec<String> = band.members.iter().map(member_text).collect();
    writeln!(f, "{pad}schedule: \"{header}[{}]\"", members.join(", "))?;
    if band.permutable {
        writeln!(f, "{pad}permutable: 1")?;
    }
    if band.members.iter().any(|m| m.coincident) {
        let flags: Vec<String> = band.members.iter().map(|m| u8::from(m.coincident).to_string()).collect();
        writeln!(f, "{pad}coincident: [ {} ]", flags.join(", "))?;
    }
    let alone = |(k, m): (usize, &Member)| m.alone.iter().map(|id| format!("{id}[{k}]")).collect::<Vec<_>>();
    let alone: Vec<String> = band.members.iter().enumerate().flat_map(alone).collect();
    if !alone.is_empty() {
        writeln!(f, "{pad}alone: \"{{ {} }}\"", alone.join("; "))?;
    }
    let options: Vec<String> = band.members.iter().enumerate().flat_map(option_texts).collect();
    if !options.is_empty() {
        writeln!(f, "{pad}options: \"{{ {} }}\"", options.join("; "))?;
    }
    let role = |(k, m): (usize, &Member)| {
        if let Some(axis) = m.role.axis() {
            let elements = m.role.collected_on_device().to_vec();
            return Some(format!("{axis}[{k}]{}", ThreadCopies { elements, ..ThreadCopies::default() }.clauses()));
        }
        let copies = m.role.threads()?;
        Some(format!("threads[{k}]{}{}", copies.clauses(), copies.private_clause()))
    };
    let roles: Vec<String> = band.members.iter().enumerate().filter_map(role).collect();
    if !roles.is_empty() {
        writeln!(f, "{pad}roles: \"{{ {} }}\"", roles.join("; "))?;
    }
    Ok(())
}

fn member_text(member: &Member) -> String {
    let mut parts = Vec::with_capacity(member.affs.len());
    for aff in member.affs.values() {
        let dims = dim_names(aff.space());
        let name = aff.space().output.name.as_deref().unwrap_or("");
        parts.push(format!("{name}[{}] -> [({})]", dims.join(", "), print_aff(aff, &dims)));
    }
    format!("{{ {} }}", parts.join("; "))
}

fn option_texts((k, member): (usize, &Member)) -> Vec<String> {
    let isolated = member.isolated.and_then(|option| option_text(k, option));
    let isolated = isolated.map(|text| format!("isolated_{text}"));
    option_text(k, member.ast).into_iter().chain(isolated).collect()
}

fn option_text(k: usize, option: AstOption) -> Option<String> {
    match option {
        AstOption::Default => None,
        AstOption::Atomic => Some(format!("atomic[{k}]")),
        AstOption::Separate => Some(format!("split[{k}]")),
        AstOption::SeparateTiles => Some(format!("separate[{k}]")),
        AstOption::Unroll => Some(format!("unroll[{k}]")),
        AstOption::UnrollJam(factor) => Some(format!("unroll_jam[{k}, {factor}]")),
        AstOption::Lanes(lanes, vectors) => Some(format!("lanes[{k}, {lanes}, {vectors}]")),
    }
}

impl ThreadCopies {
    /// The copies of memory as clauses of a directive, a blank before each:
    /// `reduction(add: Arr0, Arr2[:]) lastprivate(Arr1)`, where `[:]` marks whole arrays, as in OpenMP.
    #[must_use]
    pub fn clauses(&self) -> String {
        let mut by_op: BTreeMap<Operation, Vec<String>> = BTreeMap::new();
        let elements = self.elements.iter().map(|c| (c.op, c.array.to_string()));
        for (op, name) in elements.chain(self.arrays.iter().map(|c| (c.op, format!("{}[:]", c.array)))) {
            by_op.entry(op).or_default().push(name);
        }
        let reductions = by_op.iter().map(|(op, names)| format!(" reduction({}: {})", op.name(), names.join(", ")));
        reductions.collect::<String>() + &clause("lastprivate", &self.privatized)
    }

    /// The privatized scalars as a clause, a blank before it.
    #[must_use]
    pub fn private_clause(&self) -> String {
        clause("private", &self.private)
    }
}

fn clause(name: &str, arrays: &[ArrayId]) -> String {
    let arrays: Vec<String> = arrays.iter().map(ToString::to_string).collect();
    if arrays.is_empty() { String::new() } else { format!(" {name}({})", arrays.join(", ")) }
}

/// `block.y` for blocks of a grid, `block.y:64` for 64 of them at most, `thread.x:32` for threads of a block, 32 of
/// them.
impl fmt::Display for Axis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |d: u8| ["x", "y", "z"][usize::from(d.min(2))];
        match self {
            Axis::Grid(d, None) => write!(f, "block.{}", name(*d)),
            Axis::Grid(d, Some(most)) => write!(f, "block.{}:{most}", name(*d)),
            Axis::Block(d, threads) => write!(f, "thread.{}:{threads}", name(*d)),
        }
    }
}

impl fmt::Display for Mark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Mark::TileLoops(sizes) => {
                let sizes: Vec<String> = sizes.iter().map(ToString::to_string).collect();
                write!(f, "tile({})", sizes.join(", "))
            }
            Mark::PointLoops => f.write_str("point"),
            Mark::Minor => f.write_str("minor"),
            Mark::TimeTiles => f.write_str("time tiles"),
            Mark::Contraction(b) => write!(f, "{b}"),
            Mark::Note(text) => f.write_str(text),
        }
    }
}

impl fmt::Display for Blocks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Blocks { rows, vectors, lanes, depth, block_rows, block_columns } = self;
        write!(f, "contraction({rows}, {vectors}, {lanes}, {depth}, {block_rows}, {block_columns})")
    }
}
