//! Reads schedule trees in the YAML form that `print` and isl write.
//!
//! A statement's number is the number its tuple name ends in. Conditions inside a band's schedule are dropped: a band is defined on
//! every instance that reaches it. Spaces (parameters, dimension names) are those of the root domain.

use super::expr::parse_aff;
use super::{AstOption, Band, Mark, Member, Node};
use crate::ids::StmtId;
use presburger::{Set, Space, UnionSet};
use std::collections::BTreeMap;

/// The tree that `text` describes; its root is a domain.
///
/// # Errors
/// A message that names what cannot be read.
pub fn parse_tree(text: &str) -> Result<Node, String> {
    let mut lines = Vec::new();
    for raw in text.lines() {
        let content = raw.trim_start();
        if !content.is_empty() && !content.starts_with('#') {
            push_line(&mut lines, raw.len() - content.len(), content.trim_end());
        }
    }
    let mut reader = Reader { lines, at: 0, spaces: BTreeMap::new() };
    let node = reader.node(0)?;
    match reader.lines.get(reader.at) {
        Some(line) => Err(format!("unexpected `{}`", line.text)),
        None if matches!(node, Node::Domain(..)) => Ok(node),
        None => Err("the root must be a domain".to_owned()),
    }
}

struct Line {
    indent: usize,
    item: bool,
    text: String,
}

fn push_line(lines: &mut Vec<Line>, indent: usize, content: &str) {
    match content.strip_prefix("- ") {
        Some(rest) => {
            let gap = rest.len() - rest.trim_start().len();
            lines.push(Line { indent: indent + 2 + gap, item: true, text: rest.trim_start().to_owned() });
        }
        None => lines.push(Line { indent, item: false, text: content.to_owned() }),
    }
}

struct Reader {
    lines: Vec<Line>,
    at: usize,
    spaces: BTreeMap<StmtId, Space>,
}

/// Keys of one node, before it is known what they make.
#[derive(Default)]
struct Keys {
    kind: Option<(String, String)>,
    permutable: bool,
    coincident: Vec<bool>,
    alone: String,
    options: String,
    children: Vec<Node>,
    child: Option<Node>,
}

impl Reader {
    fn node(&mut self, indent: usize) -> Result<Node, String> {
        let mut keys = Keys::default();
        let mut first = true;
        while let Some(line) = self.lines.get(self.at) {
            if line.indent != indent || (line.item && !first) {
                break;
            }
            first = false;
            let (key, value) =
                line.text.split_once(':').ok_or_else(|| format!("`{}` is not `key: value`", line.text))?;
            let (key, value) = (key.trim().to_owned(), value.trim().trim_matches('"').to_owned());
            self.at += 1;
            self.key(&key, value, indent, &mut keys)?;
        }
        self.build(keys)
    }

    fn key(&mut self, key: &str, value: String, indent: usize, keys: &mut Keys) -> Result<(), String> {
        match key {
            "domain" => {
                self.spaces.clear();
                for set in union_sets(&value)? {
                    self.spaces.insert(stmt_of(&set)?, set.space().clone());
                }
                keys.kind = Some((key.to_owned(), value));
            }
            "context" | "guard" | "filter" | "mark" | "schedule" => keys.kind = Some((key.to_owned(), value)),
            "permutable" => keys.permutable = value == "1",
            "coincident" => {
                keys.coincident = value.trim_matches(['[', ']', ' ']).split(',').map(|v| v.trim() == "1").collect()
            }
            "alone" => keys.alone = value,
            "options" => keys.options = value,
            "child" => {
                let below = self.lines.get(self.at).map_or(0, |l| l.indent);
                if below <= indent {
                    return Err("`child:` without anything below".to_owned());
                }
                keys.child = Some(self.node(below)?);
            }
            "sequence" | "set" => {
                keys.kind = Some((key.to_owned(), value));
                while let Some(line) = self.lines.get(self.at).filter(|l| l.item && l.indent > indent) {
                    keys.children.push(self.node(line.indent)?);
                }
            }
            other => return Err(format!("unknown key `{other}`")),
        }
        Ok(())
    }

    fn build(&mut self, keys: Keys) -> Result<Node, String> {
        let child = Box::new(keys.child.unwrap_or(Node::Leaf));
        let (kind, value) = keys.kind.ok_or("a node without a kind")?;
        Ok(match kind.as_str() {
            "domain" => Node::Domain(self.sets(&value)?, child),
            "filter" => Node::Filter(self.sets(&value)?, child),
            "context" => Node::Context(Set::parse(&value).map_err(|e| e.to_string())?, child),
            "guard" => Node::Guard(Set::parse(&value).map_err(|e| e.to_string())?, child),
            "mark" => Node::Mark(parse_mark(&value), child),
            "sequence" => Node::Sequence(keys.children),
            "set" => Node::Set(keys.children),
            _ => {
                let mut members = self.members(&value)?;
                for (member, coincident) in members.iter_mut().zip(keys.coincident) {
                    member.coincident = coincident;
                }
                parse_alone(&keys.alone, &mut members)?;
                parse_options(&keys.options, &mut members)?;
                Node::Band(Band { members, permutable: keys.permutable }, child)
            }
        })
    }

    fn sets(&self, text: &str) -> Result<BTreeMap<StmtId, Set>, String> {
        let mut sets = BTreeMap::new();
        for set in union_sets(text)? {
            let id = stmt_of(&set)?;
            let space = self.spaces.get(&id).ok_or_else(|| format!("{id} is not in the domain"))?;
            sets.insert(id, Set::universe(space.clone()).intersect(&set));
        }
        Ok(sets)
    }

    fn members(&self, text: &str) -> Result<Vec<Member>, String> {
        let list =
            text.split_once("-> [{").map_or(text, |(params, rest)| if params.contains('{') { text } else { rest });
        let list = list.trim_start_matches(['[', ' ']);
        let mut members = Vec::new();
        for part in
            list.split('}').map(|p| p.trim_start_matches(|c: char| ",{]".contains(c) || c.is_whitespace()).trim_end())
        {
            if part.is_empty() {
                continue;
            }
            let entries = part.split(';').map(|entry| self.entry(entry)).collect::<Result<_, String>>()?;
            members.push(Member { affs: entries, coincident: false, alone: Vec::new(), ast: AstOption::Default });
        }
        Ok(members)
    }

    fn entry(&self, text: &str) -> Result<(StmtId, presburger::Aff), String> {
        let malformed = || format!("`{text}` is not `Stmt[..] -> [(..)]`");
        let (tuple, value) = text.split_once("->").ok_or_else(malformed)?;
        let (name, dims) = tuple.split_once('[').ok_or_else(malformed)?;
        let id = stmt_of_name(name.trim()).ok_or_else(malformed)?;
        let dims = dims
            .trim()
            .trim_end_matches(']')
            .split(',')
            .map(|d| d.trim().to_owned())
            .filter(|d| !d.is_empty())
            .collect::<Vec<_>>();
        let value = value.split(':').next().unwrap_or("").trim();
        let value = value.strip_prefix('[').and_then(|v| v.strip_suffix(']')).ok_or_else(malformed)?;
        let space = self.spaces.get(&id).ok_or_else(|| format!("{id} is not in the domain"))?;
        if dims.len() != space.n_out() {
            return Err(format!("{id} has {} dimensions", space.n_out()));
        }
        Ok((id, parse_aff(value, space, &dims)?))
    }
}

fn union_sets(text: &str) -> Result<Vec<Set>, String> {
    let union = UnionSet::parse(text).map_err(|e| e.to_string())?;
    Ok(union.sets().cloned().collect())
}

fn stmt_of(set: &Set) -> Result<StmtId, String> {
    let name = set.space().output.name.as_deref().unwrap_or("");
    stmt_of_name(name).ok_or_else(|| format!("`{name}` has no statement number at its end"))
}

fn stmt_of_name(name: &str) -> Option<StmtId> {
    let digits = name.len() - name.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    name[name.len() - digits..].parse().ok().map(StmtId)
}

fn parse_mark(text: &str) -> Mark {
    let sizes = text.strip_prefix("tile(").and_then(|t| t.strip_suffix(')'));
    let sizes = sizes.and_then(|s| s.split(',').map(|n| n.trim().parse().ok()).collect::<Option<Vec<i64>>>());
    match (text, sizes) {
        (_, Some(sizes)) => Mark::TileLoops(sizes),
        ("point", _) => Mark::PointLoops,
        ("vectorize", _) => Mark::Vectorize,
        ("minor", _) => Mark::Minor,
        ("parallel", _) => Mark::Parallel,
        _ => Mark::Note(text.to_owned()),
    }
}

fn parse_alone(text: &str, members: &mut [Member]) -> Result<(), String> {
    for entry in text.trim_matches(['{', '}', ' ']).split(';').map(str::trim).filter(|o| !o.is_empty()) {
        let malformed = || format!("`{entry}` is not `Stmt<n>[member]`");
        let (name, member) = entry.strip_suffix(']').and_then(|e| e.split_once('[')).ok_or_else(malformed)?;
        let member: usize = member.trim().parse().map_err(|_| malformed())?;
        members.get_mut(member).ok_or_else(malformed)?.alone.push(stmt_of_name(name).ok_or_else(malformed)?);
    }
    Ok(())
}

fn parse_options(text: &str, members: &mut [Member]) -> Result<(), String> {
    for option in text.trim_matches(['{', '}', ' ']).split(';').map(str::trim).filter(|o| !o.is_empty()) {
        let malformed = || format!("unknown code generation option `{option}`");
        let (name, args) = option.strip_suffix(']').and_then(|o| o.split_once('[')).ok_or_else(malformed)?;
        let args =
            args.split(',').map(|a| a.trim().parse::<u32>()).collect::<Result<Vec<_>, _>>().map_err(|_| malformed())?;
        let value = match (name, &args[..]) {
            ("separate", [_]) => AstOption::SeparateTiles,
            ("unroll", [_]) => AstOption::Unroll,
            ("unroll_jam", [_, factor]) => AstOption::UnrollJam(*factor),
            _ => return Err(malformed()),
        };
        members.get_mut(args[0] as usize).ok_or_else(malformed)?.ast = value;
    }
    Ok(())
}
