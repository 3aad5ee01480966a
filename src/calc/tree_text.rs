//! The text of a schedule tree: its tuples' own names, and where in it errors are.

use super::loops::named;
use crate::ids::StmtId;
use crate::model::tree::read::Misread;
use std::collections::BTreeMap;
use std::fmt;

/// What is wrong with a text, and at which byte.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misplaced {
    /// Bytes from the start of the text.
    pub at: usize,
    /// What is wrong.
    pub message: String,
}

impl From<String> for Misplaced {
    fn from(message: String) -> Self {
        Self { at: 0, message }
    }
}

impl fmt::Display for Misplaced {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// One name in the place of another on a line: where the new one starts, its bytes and those of the old one.
type Renamed = (usize, usize, usize);

/// A schedule tree's text in which each tuple is called after its statement's number.
pub(super) struct Tuples {
    /// The text, in block style as what it was made of.
    pub text: String,
    /// The tuples' own names by that number; none where the names end in different numbers already.
    own: Vec<String>,
    /// What statements are called by their number.
    names: BTreeMap<usize, String>,
    /// Changes of each line, from left to right.
    renamed: Vec<Vec<Renamed>>,
}

impl Tuples {
    /// Of a tree in block style. A statement's tuple without a name, the first one of an element or a pair of anything
    /// but an extension, has the empty name.
    pub fn of(text: &str) -> Self {
        let mut names: Vec<String> = Vec::new();
        let (mut out, mut renamed) = (String::with_capacity(text.len()), Vec::new());
        for line in text.split_inclusive('\n') {
            let key = line.trim_start().trim_start_matches("- ").trim_start();
            if key.starts_with("options") {
                out.push_str(&numbers_as_sets(line));
                renamed.push(Vec::new());
                continue;
            }
            let has_tuples = !["roles", "mark"].iter().any(|k| key.starts_with(k)) && key.contains('[');
            let (own, changes) =
                if has_tuples { numbered(line, key, &mut names) } else { (line.to_owned(), Vec::new()) };
            out.push_str(&own);
            renamed.push(changes);
        }
        let number = |n: &String| n[n.trim_end_matches(|c: char| c.is_ascii_digit()).len()..].parse::<usize>().ok();
        let numbers: Vec<Option<usize>> = names.iter().map(number).collect();
        let by_number: BTreeMap<usize, String> =
            numbers.iter().zip(&names).filter_map(|(k, name)| Some(((*k)?, name.clone()))).collect();
        if by_number.len() == names.len() {
            return Self { text: text.to_owned(), own: Vec::new(), names: by_number, renamed: Vec::new() };
        }
        Self { text: out, names: names.iter().cloned().enumerate().collect(), own: names, renamed }
    }

    /// What the statement of this number was called, if it has been given another name.
    pub fn own_name(&self, number: usize) -> Option<&str> {
        if self.own.is_empty() {
            return None;
        }
        self.names.get(&number).map(String::as_str)
    }

    /// The same where statements are parts of others: what each is a part of.
    pub fn with_parts(mut self, parts: &BTreeMap<StmtId, StmtId>) -> Self {
        for (part, of) in parts {
            let name = self.names.get(&of.index()).cloned().unwrap_or_default();
            self.names.insert(part.index(), name);
        }
        self
    }

    /// A message with the tuples' own names.
    pub fn with_own_names(&self, message: &str) -> String {
        named(message, |k| self.names.get(&k).map(String::as_str))
    }

    /// An error with its place in the text that `block`, the same in block style, was made of.
    pub fn misplaced(&self, original: &str, block: &str, e: &Misread) -> Misplaced {
        let message = self.with_own_names(&e.message);
        let at = e.line.map_or(0, |line| self.origin(original, block, line, e.offset));
        Misplaced { at, message }
    }

    /// Where in the original text the key of a line of the block style stands, or a byte of its value.
    fn origin(&self, original: &str, block: &str, line: usize, offset: Option<usize>) -> usize {
        let mut from = 0;
        for (number, text) in block.lines().enumerate() {
            let content = text.trim_start().trim_start_matches("- ").trim_start();
            let key = content.split(':').next().unwrap_or("").trim().trim_matches('"');
            let Some(at) = key_from(original, from, key).filter(|_| !key.is_empty()) else { continue };
            let behind =
                original[at + key.len()..].trim_start_matches(|c: char| c.is_whitespace() || "\":".contains(c));
            let value = original.len() - behind.len();
            if number == line {
                return offset.map_or(at, |offset| {
                    let own = content.split_once(':').map_or("", |(_, v)| v.trim_start().trim_start_matches('"'));
                    let start = own.as_ptr() as usize - text.as_ptr() as usize;
                    let before = self.before_renaming(number, start + offset).saturating_sub(start);
                    value + same_place(own, before, behind)
                });
            }
            let quoted = original[at..value].ends_with('"');
            from = if quoted { value + behind.find('"').map_or(0, |end| end + 1) } else { value };
        }
        0
    }

    /// The byte of a line that has become the byte `at`.
    fn before_renaming(&self, line: usize, at: usize) -> usize {
        let mut old = at;
        for (start, new, before) in self.renamed.get(line).into_iter().flatten() {
            if at >= start + new {
                old = old + before - new;
            } else if at > *start {
                old -= at - start;
            }
        }
        old
    }
}

/// The byte of `text` that is byte `at` of `joined`, the same with other white space and without `\` at ends of lines.
fn same_place(joined: &str, at: usize, text: &str) -> usize {
    let mut left = joined[..at.min(joined.len())].chars().filter(|c| !c.is_whitespace()).count();
    for (k, c) in text.char_indices() {
        let is_break = c == '\\' && text[k + 1..].trim_start_matches([' ', '\t', '\r']).starts_with('\n');
        if c.is_whitespace() || is_break {
            continue;
        }
        if left == 0 {
            return k;
        }
        left -= 1;
    }
    text.len()
}

/// Where a key stands from byte `from` on, outside of comments and of quotes but its own.
fn key_from(text: &str, from: usize, key: &str) -> Option<usize> {
    let word = |c: char| c.is_alphanumeric() || c == '_';
    let (mut quoted, mut comment, mut skip) = (false, false, 0);
    for (at, c) in text[from..].char_indices() {
        let rest = &text[from + at..];
        match c {
            _ if at < skip => {}
            '\n' => comment = false,
            _ if comment => {}
            '"' if !quoted && rest[1..].starts_with(key) && rest[1 + key.len()..].starts_with('"') => skip = at + 1,
            '"' => quoted = !quoted,
            '#' if !quoted => comment = true,
            _ if quoted => {}
            _ if rest.starts_with(key)
                && !rest[key.len()..].starts_with(word)
                && !text[..from + at].ends_with(word) =>
            {
                return Some(from + at);
            }
            _ => {}
        }
    }
    None
}

/// A line in which each tuple has its statement's number, that of its name in `names`, and what has been changed.
fn numbered(line: &str, key: &str, names: &mut Vec<String>) -> (String, Vec<Renamed>) {
    let (mut out, mut changes, mut rest) = (String::with_capacity(line.len()), Vec::new(), line);
    while let Some(at) = rest.find('[') {
        let word = |c: char| c.is_alphanumeric() || "_.'".contains(c);
        let start = rest[..at].char_indices().rev().take_while(|(_, c)| word(*c)).last().map_or(at, |(k, _)| k);
        let name = &rest[start..at];
        // What holds functions is a band, whatever it is called.
        let is_band = rest[at + 1..].trim_start().starts_with('{');
        out.push_str(&rest[..start]);
        let nameless = !key.starts_with("extension") && out.trim_end().ends_with(['{', ';']);
        if is_band {
            out.push_str(name);
        } else if !name.is_empty() || nameless {
            let known = names.iter().position(|n| n == name).unwrap_or_else(|| {
                names.push(name.to_owned());
                names.len() - 1
            });
            let new = format!("Stmt{known}");
            changes.push((out.len(), new.len(), name.len()));
            out.push_str(&new);
        }
        out.push('[');
        rest = &rest[at + 1..];
    }
    (out + rest, changes)
}

/// A line of options with `separate[x] : x = 1` for `separate[1]`, which is a short form for something else elsewhere.
fn numbers_as_sets(line: &str) -> String {
    let (mut out, mut rest) = (String::with_capacity(line.len()), line);
    while let Some(at) = rest.find("separate[") {
        let (before, found) = rest.split_at(at + "separate[".len());
        let first = before[..at].trim_end().ends_with(['{', ';']);
        let digits = found.find(|c: char| !c.is_ascii_digit()).unwrap_or(found.len());
        out.push_str(before);
        rest = found;
        if first && digits > 0 && found[digits..].starts_with(']') {
            out.push_str(&format!("x] : x = {}", &found[..digits]));
            rest = &found[digits + 1..];
        }
    }
    out + rest
}
