//! Reads schedule trees in the YAML form that `print` and isl write, in block and flow style.
//!
//! A statement's number is the number its tuple name ends in. Conditions inside a band's schedule are dropped where a
//! statement has one value: a band is defined on every instance that reaches it. Where it has several, as where an
//! expansion's contraction is different functions on different parts, the parts become statements. Spaces (parameters,
//! dimension names) are those of the root domain.

use super::expr::parse_aff_at;
use super::flow::blocks;
use super::maps::pieces_of;
use super::options;
use super::variants::Variants;
use super::{Axis, Band, Blocks, Expanded, Mark, Member, Node, ReductionCopy, Role, ThreadCopies};
use crate::ids::{ArrayId, StmtId};
use crate::model::Operation;
use presburger::{Aff, Budget, Dim, Map, ParseError, Set, Space, UnionMap, UnionSet};
use std::collections::BTreeMap;

/// The tree that `text` describes; its root is a domain. An extension node as root stands below a domain without
/// statements.
///
/// # Errors
/// A message that names what cannot be read.
pub fn parse_tree(text: &str) -> Result<Node, String> {
    let (tree, parts) = parsed(&blocks(text)?, Vec::new()).map_err(|e| e.message)?;
    match parts.values().next() {
        Some(id) => Err(format!("{id} has different functions on different parts, which only the calculator reads")),
        None => Ok(tree),
    }
}

/// As [`parse_tree`], of a text in block style; parameters that only nodes below the domain have are taken in, and
/// statements with different functions on different parts become one statement per part: of which one, by part.
///
/// # Errors
/// What cannot be read, with its place in the text.
pub fn parse_blocks_of_tree(text: &str) -> Result<(Node, BTreeMap<StmtId, StmtId>), Misread> {
    let mut params: Vec<String> = Vec::new();
    for line in text.lines() {
        let key = line.trim_start().trim_start_matches("- ").trim_start();
        let value = key.split_once(':').map_or("", |(_, value)| value.trim().trim_matches('"'));
        if !["context", "mark", "roles", "coincident"].iter().any(|k| key.starts_with(k)) {
            for name in params_of(value) {
                if !params.contains(&name) {
                    params.push(name);
                }
            }
        }
    }
    parsed(text, params)
}

/// Why a tree cannot be read, and where.
#[derive(Debug)]
pub struct Misread {
    /// Line of the text in block style, from 0.
    pub line: Option<usize>,
    /// Bytes into the line's value; else it is about the line's key.
    pub offset: Option<usize>,
    /// What is wrong.
    pub message: String,
}

impl From<String> for Misread {
    fn from(message: String) -> Misread {
        Misread { line: None, offset: None, message }
    }
}

impl Misread {
    /// An error about `part` of the value `text`.
    fn about(text: &str, part: &str, message: String) -> Misread {
        let offset = (part.as_ptr() as usize).checked_sub(text.as_ptr() as usize).filter(|o| *o <= text.len());
        Misread { line: None, offset, message }
    }

    /// An error of a set or a map, which the whole value is.
    fn within(text: &str, e: &ParseError) -> Misread {
        let column = text.char_indices().nth(e.column - 1).map_or(text.len(), |(at, _)| at);
        Misread { line: None, offset: Some(column), message: e.message.clone() }
    }

    fn on(self, line: usize) -> Misread {
        Misread { line: self.line.or(Some(line)), ..self }
    }
}

/// The names in front of a set, `[N, M = 4] -> { .. }`.
fn params_of(text: &str) -> Vec<String> {
    let head = text.split('{').next().and_then(|head| head.split_once("->"));
    let list = head.and_then(|(list, _)| list.trim().strip_prefix('[')?.strip_suffix(']'));
    let name = |p: &str| p.split('=').next().unwrap_or("").trim().to_owned();
    list.unwrap_or("").split(',').map(name).filter(|p| !p.is_empty()).collect()
}

/// The tree in block style, whose domain has the parameters `more`, too.
fn parsed(text: &str, more: Vec<String>) -> Result<(Node, BTreeMap<StmtId, StmtId>), Misread> {
    let mut lines = Vec::new();
    for (number, raw) in text.lines().enumerate() {
        let content = raw.trim_start();
        if !content.is_empty() && !content.starts_with('#') {
            push_line(&mut lines, number, raw.len() - content.len(), content.trim_end());
        }
    }
    let variants = Variants::beside(first_free(text));
    let mut reader =
        Reader { lines, at: 0, spaces: BTreeMap::new(), outer: Vec::new(), more, variants, instances: BTreeMap::new() };
    let node = reader.node(0)?;
    let origins = reader.variants.origins();
    let done = |node: Node| (reader.variants.applied(node), origins);
    match reader.lines.get(reader.at) {
        Some(line) => Err(Misread::from(format!("unexpected `{}`", line.text)).on(line.number)),
        None if matches!(node, Node::Domain(..)) => Ok(done(node)),
        None if matches!(node, Node::Extension(..)) => Ok(done(Node::Domain(BTreeMap::new(), Box::new(node)))),
        None => Err("the root must be a domain or an extension".to_owned().into()),
    }
}

/// The first number that no tuple's name ends in.
fn first_free(text: &str) -> u32 {
    let heads = text.split('[').map(|before| before.trim_end_matches(|c: char| c.is_ascii_digit()).len());
    let numbers = text.split('[').zip(heads).filter_map(|(before, at)| before[at..].parse::<u32>().ok());
    numbers.max().map_or(0, |n| n.saturating_add(1))
}

struct Line {
    number: usize,
    indent: usize,
    item: bool,
    text: String,
}

fn push_line(lines: &mut Vec<Line>, number: usize, indent: usize, content: &str) {
    match content.strip_prefix("- ") {
        Some(rest) => {
            let gap = rest.len() - rest.trim_start().len();
            let text = rest.trim_start().to_owned();
            lines.push(Line { number, indent: indent + 2 + gap, item: true, text });
        }
        None => lines.push(Line { number, indent, item: false, text: content.to_owned() }),
    }
}

struct Reader {
    lines: Vec<Line>,
    at: usize,
    spaces: BTreeMap<StmtId, Space>,
    /// Members of the bands around the current node, outermost first.
    outer: Vec<Member>,
    /// Parameters that the domain has beside its own.
    more: Vec<String>,
    variants: Variants,
    /// The instances of the root domain.
    instances: BTreeMap<StmtId, Set>,
}

/// Keys of one node, before it is known what they make.
#[derive(Default)]
struct Keys {
    kind: Option<(String, String)>,
    permutable: bool,
    coincident: Vec<bool>,
    alone: String,
    options: String,
    roles: String,
    contraction: Option<String>,
    /// Those of a band, once they have been read.
    members: Option<Vec<Member>>,
    children: Vec<Node>,
    child: Option<Node>,
    /// The line of each key.
    lines: BTreeMap<String, usize>,
}

impl Reader {
    fn node(&mut self, indent: usize) -> Result<Node, Misread> {
        if self.lines.get(self.at).is_some_and(|l| l.text.trim_end_matches(':') == "leaf") {
            self.at += 1;
            return Ok(Node::Leaf);
        }
        let mut keys = Keys::default();
        let mut first = true;
        while let Some(line) = self.lines.get(self.at) {
            if line.indent != indent || (line.item && !first) {
                break;
            }
            first = false;
            let number = line.number;
            let malformed = || Misread::from(format!("`{}` is not `key: value`", line.text)).on(number);
            let (key, value) = line.text.split_once(':').ok_or_else(malformed)?;
            let (key, value) = (key.trim().to_owned(), value.trim().trim_matches('"').to_owned());
            self.at += 1;
            self.key(&key, value, indent, &mut keys).map_err(|e| e.on(number))?;
            keys.lines.insert(key, number);
        }
        let kind = keys.kind.as_ref().and_then(|(kind, _)| keys.lines.get(kind).copied());
        self.build(keys).map_err(|e| match kind {
            Some(line) => e.on(line),
            None => e,
        })
    }

    fn key(&mut self, key: &str, value: String, indent: usize, keys: &mut Keys) -> Result<(), Misread> {
        match key {
            "domain" => {
                self.spaces.clear();
                for set in self.union_sets(&value)? {
                    self.spaces.insert(stmt_of(set.space())?, set.space().clone());
                    self.instances.insert(stmt_of(set.space())?, set);
                }
                keys.kind = Some((key.to_owned(), value));
            }
            "extension" | "expansion" => {
                self.learn(&value)?;
                keys.kind = Some((key.to_owned(), value));
            }
            "contraction" => keys.contraction = Some(value),
            "context" | "guard" | "filter" | "mark" | "schedule" => keys.kind = Some((key.to_owned(), value)),
            "permutable" => keys.permutable = value == "1",
            "coincident" => {
                keys.coincident = value.trim_matches(['[', ']', ' ']).split(',').map(|v| v.trim() == "1").collect()
            }
            "alone" => keys.alone = value,
            "options" => keys.options = value,
            "roles" => keys.roles = value,
            "child" => {
                let below = self.lines.get(self.at).map_or(0, |l| l.indent);
                if below <= indent {
                    return Err("`child:` without anything below".to_owned().into());
                }
                let own = match &keys.kind {
                    Some((kind, value)) if kind == "schedule" => self.members(value)?,
                    _ => Vec::new(),
                };
                keys.members = Some(own.clone());
                let around = self.outer.len();
                self.outer.extend(own);
                keys.child = Some(self.node(below)?);
                self.outer.truncate(around);
            }
            "sequence" | "set" => {
                keys.kind = Some((key.to_owned(), value));
                while let Some(line) = self.lines.get(self.at).filter(|l| l.item && l.indent > indent) {
                    keys.children.push(self.node(line.indent)?);
                }
            }
            other => return Err(format!("unknown key `{other}`").into()),
        }
        Ok(())
    }

    fn build(&mut self, keys: Keys) -> Result<Node, Misread> {
        let child = Box::new(keys.child.unwrap_or(Node::Leaf));
        let (kind, value) = keys.kind.ok_or_else(|| "a node without a kind".to_owned())?;
        let on = |key: &'static str| {
            let line = keys.lines.get(key).copied();
            move |e: Misread| match line {
                Some(line) => e.on(line),
                None => e,
            }
        };
        Ok(match kind.as_str() {
            "domain" => Node::Domain(self.sets(&value)?, child),
            "filter" => Node::Filter(self.sets(&value)?, child),
            "context" => {
                let set = self.of_params(&value)?;
                let (own, more) = (self.params().len(), set.space().n_param() - self.params().len());
                // What it says of parameters that the domain does not have is not needed.
                let moved = set.move_dims((Dim::Out, 0), (Dim::Param, own), more);
                let known = moved.project_out(0, more, &Budget::unlimited()).map_err(|e| e.to_string())?;
                Node::Context(known, child)
            }
            "guard" => {
                let set = self.of_params(&value)?;
                if set.space().n_param() > self.params().len() {
                    return Err(format!("the parameters of `{value}` are not those of the domain").into());
                }
                Node::Guard(set, child)
            }
            "extension" => Node::Extension(self.extension(&value)?, child),
            "expansion" => Node::Expansion(self.expansion(&value, keys.contraction.as_deref())?, child),
            "mark" => Node::Mark(parse_mark(&value), child),
            "sequence" => Node::Sequence(keys.children),
            "set" => Node::Set(keys.children),
            _ => {
                let mut members = match keys.members {
                    Some(read) => read,
                    None => self.members(&value)?,
                };
                for (member, coincident) in members.iter_mut().zip(keys.coincident) {
                    member.coincident = coincident;
                }
                parse_alone(&keys.alone, &mut members).map_err(Misread::from).map_err(on("alone"))?;
                let child = self.with_options(&keys.options, &mut members, child).map_err(on("options"))?;
                parse_roles(&keys.roles, &mut members).map_err(Misread::from).map_err(on("roles"))?;
                Node::Band(Band { members, permutable: keys.permutable }, child)
            }
        })
    }

    /// Gives the members of a band their options. What is below a band with a part that is kept apart stands there
    /// twice: for that part, and for the others.
    fn with_options(&self, text: &str, members: &mut [Member], child: Box<Node>) -> Result<Box<Node>, Misread> {
        let Some(isolated) = options::parse(text, members, self.outer.len(), &self.params())? else {
            return Ok(child);
        };
        let values: Vec<&Member> = self.outer.iter().chain(members.iter()).collect();
        let parts = options::parts(&isolated, &values).map_err(|e| e.to_string())?;
        Ok(Box::new(Node::Set(parts.map(|part| Node::Filter(part, child.clone())).into())))
    }

    fn union_sets(&self, text: &str) -> Result<Vec<Set>, Misread> {
        let union = UnionSet::parse(text).map_err(|e| Misread::within(text, &e))?;
        let mut params: Vec<&str> = union.params().iter().map(AsRef::as_ref).collect();
        params.extend(self.more.iter().map(String::as_str).filter(|p| !union.params().iter().any(|q| **q == **p)));
        let aligned = UnionSet::empty(&params).union(&union);
        Ok(aligned.sets().map(without_pairs).collect())
    }

    fn sets(&self, text: &str) -> Result<BTreeMap<StmtId, Set>, Misread> {
        let mut sets = BTreeMap::new();
        for set in self.union_sets(text)? {
            let id = stmt_of(set.space())?;
            let space = self.spaces.get(&id).ok_or_else(|| format!("{id} is not in the domain"))?;
            let set = Set::universe(space.clone()).intersect(&set);
            if set.space().n_param() != space.n_param() {
                return Err(format!("the parameters of `{text}` are not those of the domain").into());
            }
            sets.insert(id, set);
        }
        Ok(sets)
    }

    /// A set of values of parameters, those of the root domain first, in their order.
    fn of_params(&self, text: &str) -> Result<Set, Misread> {
        let set = Set::parse(text).map_err(|e| Misread::within(text, &e))?;
        let own = self.params();
        let all = Set::universe(Space { params: Space::params_only(&own).params, ..set.space().clone() });
        Ok(all.intersect(&set))
    }

    /// The parameters of the root domain.
    fn params(&self) -> Vec<&str> {
        self.spaces.values().next().map_or_else(Vec::new, |s| s.params.iter().map(AsRef::as_ref).collect())
    }

    fn maps(&self, text: &str) -> Result<Vec<Map>, Misread> {
        let params = self.params();
        let parsed = UnionMap::parse(text).map_err(|e| Misread::within(text, &e))?;
        let aligned = UnionMap::empty(&params).union(&parsed);
        if !self.spaces.is_empty() && aligned.params().len() != params.len() {
            return Err(format!("the parameters of `{text}` are not those of the domain").into());
        }
        Ok(aligned.maps().cloned().collect())
    }

    /// Takes in the spaces of the statements that the maps lead to.
    fn learn(&mut self, text: &str) -> Result<(), Misread> {
        for map in self.maps(text)? {
            let space = map.space().range();
            self.spaces.entry(stmt_of(&space)?).or_insert(space);
        }
        Ok(())
    }

    fn extension(&self, text: &str) -> Result<BTreeMap<StmtId, Map>, Misread> {
        let mut maps = BTreeMap::new();
        for map in self.maps(text)? {
            let id = stmt_of(&map.space().range())?;
            if maps.insert(id, map).is_some() {
                return Err(format!("`{text}` adds {id} at two depths").into());
            }
        }
        Ok(maps)
    }

    fn expansion(&mut self, text: &str, contraction: Option<&str>) -> Result<BTreeMap<StmtId, Expanded>, Misread> {
        let mut all = BTreeMap::new();
        for map in self.maps(text)? {
            let (from, id) = (stmt_of(&map.space().domain())?, stmt_of(&map.space().range())?);
            if all.insert(id, Expanded { from, map }).is_some() {
                return Err(format!("`{text}` makes {id} of two statements").into());
            }
        }
        for back in self.maps(contraction.unwrap_or("{ }"))? {
            let (id, from) = (stmt_of(&back.space().domain())?, stmt_of(&back.space().range())?);
            let own = all.get(&id).filter(|e| e.from == from);
            let own = own.ok_or_else(|| format!("the contraction has {id} -> {from}, the expansion has not"))?;
            if own.map.reverse().is_subset(&back, &Budget::unlimited()) != Ok(true) {
                return Err(format!("the contraction of {id} is not the reverse of the expansion").into());
            }
        }
        for (id, e) in &all {
            let own = self.instances.get(&e.from).map_or_else(|| e.map.clone(), |set| e.map.intersect_domain(set));
            // What is no function is found out where the expansion is done.
            if let Ok(pieces) = pieces_of(&own.reverse(), &Budget::unlimited())
                && pieces.len() > 1
            {
                self.variants.cut(*id, &pieces.into_iter().map(|(set, _)| set).collect::<Vec<_>>());
            }
        }
        Ok(all)
    }

    /// `[N] -> L[{ S[i] -> [(i)]; .. }, { .. }]`, where the name `L` of the band says nothing.
    fn members(&mut self, text: &str) -> Result<Vec<Member>, Misread> {
        let list = text.find('{').map_or("", |start| &text[start..]);
        let mut members = Vec::new();
        for part in
            list.split('}').map(|p| p.trim_start_matches(|c: char| ",{]".contains(c) || c.is_whitespace()).trim_end())
        {
            if part.is_empty() {
                continue;
            }
            let mut entries: BTreeMap<StmtId, Vec<(&str, Aff)>> = BTreeMap::new();
            for entry in part.split(';').map(str::trim) {
                let (id, aff) = self.entry(entry).map_err(|e| {
                    let start = entry.as_ptr() as usize - text.as_ptr() as usize;
                    Misread { offset: Some(start + e.offset.unwrap_or(0)), ..e }
                })?;
                entries.entry(id).or_default().push((entry, aff));
            }
            let mut affs = BTreeMap::new();
            for (id, list) in entries {
                match list.as_slice() {
                    [(_, aff), rest @ ..] if rest.iter().all(|(_, other)| other == aff) => {
                        affs.insert(id, aff.clone());
                    }
                    _ => affs.extend(self.parts_of(text, id, &list)?),
                }
            }
            members.push(Member::new(affs));
        }
        Ok(members)
    }

    /// The values of a statement that has several in a band, by the parts that it is cut into for that.
    fn parts_of(&mut self, text: &str, id: StmtId, list: &[(&str, Aff)]) -> Result<Vec<(StmtId, Aff)>, Misread> {
        let space = self.spaces[&id].clone();
        let mut left = Set::universe(space.clone());
        let mut sets = Vec::with_capacity(list.len() + 1);
        for (entry, _) in list {
            let (tuple, value) = entry.split_at(arrow_outside(entry).unwrap_or(0));
            let condition = value.split_once(':').map_or("", |(_, condition)| condition);
            let instances = format!("[{}] -> {{ {tuple} : {condition} }}", self.params().join(", "));
            let read = UnionSet::parse(instances.trim_end_matches(": }"));
            let read = read.map_err(|e| Misread::about(text, entry, e.message))?;
            let own = UnionSet::empty(&self.params()).union(&read).sets().map(without_pairs).next();
            let own = own.unwrap_or_else(|| Set::empty(space.clone()));
            let here = Set::universe(space.clone()).intersect(&own);
            let both = |e: presburger::Error| Misread::about(text, entry, e.to_string());
            let budget = Budget::unlimited();
            let taken = Set::universe(space.clone()).subtract(&left, &budget).map_err(both)?;
            if !here.is_disjoint(&taken, &budget).map_err(both)? {
                let message = format!("a band has two values for {id} on some instances");
                return Err(Misread::about(text, entry, message));
            }
            left = left.subtract(&here, &budget).map_err(both)?;
            sets.push(here);
        }
        // Instances without a value are none in a tree that means something.
        sets.push(left);
        let parts = self.variants.cut(id, &sets);
        let values =
            parts.into_iter().zip(list).flat_map(|(ids, (_, aff))| ids.into_iter().map(|id| (id, aff.clone())));
        Ok(values.collect())
    }

    fn entry(&self, text: &str) -> Result<(StmtId, Aff), Misread> {
        let malformed = || Misread::from(format!("`{text}` is not `Stmt[..] -> [(..)]`"));
        let arrow = arrow_outside(text).ok_or_else(malformed)?;
        let (tuple, value) = (&text[..arrow], &text[arrow + 2..]);
        let (name, dims) = tuple.trim_end().strip_suffix(']').and_then(|t| t.split_once('[')).ok_or_else(malformed)?;
        let id = stmt_of_name(name.trim()).ok_or_else(malformed)?;
        let dims = entry_names(dims);
        let value = value.split(':').next().unwrap_or("").trim();
        let value = value.strip_prefix('[').and_then(|v| v.strip_suffix(']')).ok_or_else(malformed)?;
        let space = self.spaces.get(&id).ok_or_else(|| format!("{id} is not in the domain"))?;
        if dims.len() != space.n_out() {
            return Err(format!("{id} has {} dimensions", space.n_out()).into());
        }
        let aff = parse_aff_at(value, space, &dims)
            .map_err(|(at, message)| Misread::about(text, &value[at.min(value.len())..], message))?;
        Ok((id, aff))
    }
}

/// Where the first `->` outside of brackets stands.
fn arrow_outside(text: &str) -> Option<usize> {
    let mut depth = 0_i32;
    for (at, c) in text.char_indices() {
        match c {
            '[' | '(' => depth += 1,
            ']' | ')' => depth -= 1,
            '-' if depth == 0 && text[at..].starts_with("->") => return Some(at),
            _ => {}
        }
    }
    None
}

/// The names of a tuple's entries: `i` of `i = 0:3`, those of both tuples of a pair; an entry that is an expression has
/// none.
fn entry_names(dims: &str) -> Vec<String> {
    let entries = dims.replace("->", ",");
    let name = |entry: &str| {
        let entry = entry.trim().trim_end_matches(']');
        let entry = entry.rsplit_once('[').map_or(entry, |(_, own)| own);
        let name = entry.split('=').next().unwrap_or("").trim();
        let is_name = name.chars().all(|c| c.is_alphanumeric() || "_.'".contains(c))
            && !name.starts_with(|c: char| c.is_ascii_digit());
        if is_name { name.to_owned() } else { String::from("?") }
    };
    entries.split(',').map(name).filter(|n| !n.is_empty()).collect()
}

/// A set of pairs as one of tuples with the dims of both.
fn without_pairs(set: &Set) -> Set {
    let tuple = &set.space().output;
    if tuple.nested.is_none() { set.clone() } else { set.flatten().with_tuple(tuple.name_str()) }
}

fn stmt_of(space: &Space) -> Result<StmtId, String> {
    let name = space.output.name.as_deref().unwrap_or("");
    stmt_of_name(name).ok_or_else(|| format!("`{name}` has no statement number at its end"))
}

fn stmt_of_name(name: &str) -> Option<StmtId> {
    let digits = name.len() - name.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    name[name.len() - digits..].parse().ok().map(StmtId)
}

fn parse_mark(text: &str) -> Mark {
    match (text, numbers(text, "tile(")) {
        (_, Some(sizes)) => Mark::TileLoops(sizes),
        ("point", _) => Mark::PointLoops,
        ("minor", _) => Mark::Minor,
        ("time tiles", _) => Mark::TimeTiles,
        _ => parse_blocks(text).map_or_else(|| Mark::Note(text.to_owned()), Mark::Contraction),
    }
}

fn parse_blocks(text: &str) -> Option<Blocks> {
    let numbers = numbers(text, "contraction(")?.into_iter().map(|n| u32::try_from(n).ok().filter(|n| *n > 0));
    let [rows, vectors, lanes, depth, block_rows, block_columns] = numbers.collect::<Option<Vec<_>>>()?[..] else {
        return None;
    };
    Some(Blocks { rows, vectors, lanes, depth, block_rows, block_columns })
}

/// The numbers of `name(1, 2)`, where `name(` is what the text begins with.
fn numbers(text: &str, name: &str) -> Option<Vec<i64>> {
    let list = text.strip_prefix(name)?.strip_suffix(')')?;
    list.split(',').map(|n| n.trim().parse().ok()).collect()
}

/// Roles of members: `{ threads[0] reduction(add: Arr0, Arr2[:]) private(Arr1); threads[2] }`, `{ block.x[0];
/// thread.x:32[1] }`.
fn parse_roles(text: &str, members: &mut [Member]) -> Result<(), String> {
    for entry in text.trim_matches(['{', '}', ' ']).split(';').map(str::trim).filter(|o| !o.is_empty()) {
        let unknown = || format!("`{entry}` is no role of a member");
        let (name, rest) = entry.split_once('[').ok_or_else(unknown)?;
        let (member, clauses) = rest.split_once(']').ok_or_else(unknown)?;
        let member: usize = member.trim().parse().map_err(|_| unknown())?;
        let role = match parse_axis(name) {
            Some(axis) => match parse_copies(clauses).ok_or_else(unknown)? {
                ThreadCopies { elements, private, privatized, arrays }
                    if private.is_empty() && privatized.is_empty() && arrays.is_empty() =>
                {
                    Role::Device(axis, elements)
                }
                _ => return Err(unknown()),
            },
            None if name == "threads" => Role::Threads(parse_copies(clauses).ok_or_else(unknown)?),
            _ => return Err(unknown()),
        };
        members.get_mut(member).ok_or_else(unknown)?.role = role;
    }
    Ok(())
}

fn parse_axis(text: &str) -> Option<Axis> {
    let dim = |d: &str| (0_u8..).zip(["x", "y", "z"]).find(|(_, name)| *name == d).map(|(k, _)| k);
    if let Some(d) = text.strip_prefix("block.") {
        return match d.split_once(':') {
            Some((d, most)) => Some(Axis::Grid(dim(d)?, Some(most.parse().ok().filter(|n| *n > 0)?))),
            None => Some(Axis::Grid(dim(d)?, None)),
        };
    }
    let (d, threads) = text.strip_prefix("thread.")?.split_once(':')?;
    Some(Axis::Block(dim(d)?, threads.parse().ok().filter(|n| *n > 0)?))
}

/// The clauses of a role.
fn parse_copies(text: &str) -> Option<ThreadCopies> {
    let number = |n: &str| n.trim().strip_prefix("Arr").and_then(|d| d.parse().ok()).map(ArrayId);
    let mut copies = ThreadCopies::default();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let (clause, behind) = rest.split_once(')')?;
        rest = behind.trim_start();
        let (name, list) = clause.split_once('(')?;
        if name == "reduction" {
            let (op, list) = list.split_once(':').filter(|(op, _)| !op.contains('['))?;
            let op = Operation::ALL.into_iter().find(|o| o.name() == op.trim())?;
            for entry in list.split(',').map(str::trim) {
                let whole = entry.strip_suffix("[:]");
                let collected = ReductionCopy { array: number(whole.unwrap_or(entry))?, op };
                if whole.is_some() { copies.arrays.push(collected) } else { copies.elements.push(collected) }
            }
            continue;
        }
        let arrays = list.split(',').map(number).collect::<Option<Vec<_>>>()?;
        match name {
            "lastprivate" => copies.privatized.extend(arrays),
            "private" => copies.private.extend(arrays),
            _ => return None,
        }
    }
    Some(copies)
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
