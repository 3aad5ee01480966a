//! YAML's flow style (`{ domain: "..", child: { schedule: ".." } }`, `[ .. ]`), in which isl writes trees on one line,
//! and quoted values of several lines, in the block style that [`super::read`] reads.

use std::fmt::Write;

/// The text with a line for each key. Values stay as they are, but for line breaks in them.
///
/// # Errors
/// A message that says which bracket or quote has no end.
pub fn blocks(text: &str) -> Result<String, String> {
    let text = on_one_line(text)?;
    let mut out = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while !rest.is_empty() {
        let (line, behind) = rest.split_at(rest.find('\n').map_or(rest.len(), |end| end + 1));
        let indent = line.len() - line.trim_start().len();
        let content = line.trim_start();
        let (item, content) = content.strip_prefix("- ").map_or(("", content), |own| ("- ", own.trim_start()));
        let key = content.split_once(':').map(|(key, _)| key.trim());
        let value = content.split_once(':').map_or("", |(_, value)| value.trim_start());
        let nested = key.is_some_and(has_nodes) && value.starts_with(['{', '[']);
        if !nested && !content.starts_with('{') {
            out.push_str(line);
            rest = behind;
            continue;
        }
        let start = if nested { value } else { content };
        let mut flow = Flow { rest: &rest[start.as_ptr() as usize - rest.as_ptr() as usize..] };
        let node = flow.node()?;
        rest = flow.rest.trim_start_matches([' ', '\t', '\r']);
        if let (true, Some(key)) = (nested, key) {
            write_entry(&mut out, indent, item, key, &node);
        } else {
            write_node(&mut out, indent, item, &node);
        }
        rest = rest.strip_prefix('\n').unwrap_or(rest);
    }
    Ok(out)
}

/// Whether the value of a key is a node, or a list of them.
fn has_nodes(key: &str) -> bool {
    matches!(key.trim_matches('"'), "child" | "sequence" | "set")
}

/// The text with quoted values on one line each: a line break in one is a space, and nothing behind `\`.
fn on_one_line(text: &str) -> Result<String, String> {
    let (mut out, mut quoted) = (String::with_capacity(text.len()), false);
    for line in text.split_inclusive('\n') {
        if !quoted && line.trim_start().starts_with('#') {
            continue;
        }
        let line = match comment(line, quoted) {
            Some(at) => &format!("{}\n", line[..at].trim_end()),
            None => line,
        };
        let own = if quoted { line.trim_start() } else { line };
        quoted ^= own.matches('"').count() % 2 == 1;
        match own.trim_end() {
            joined if quoted && joined.ends_with('\\') => out.push_str(&joined[..joined.len() - 1]),
            joined if quoted => {
                out.push_str(joined);
                out.push(' ');
            }
            _ => out.push_str(own),
        }
    }
    if quoted { Err("a quoted value has no end".to_owned()) } else { Ok(out) }
}

/// Where a comment behind other things starts on a line, which begins inside of quotes or not.
fn comment(line: &str, mut quoted: bool) -> Option<usize> {
    for (at, c) in line.char_indices() {
        match c {
            '"' => quoted = !quoted,
            '#' if !quoted && line[..at].ends_with(char::is_whitespace) => return Some(at),
            _ => {}
        }
    }
    None
}

/// A node of a tree as its keys and their values.
type Entries<'t> = Vec<(&'t str, Value<'t>)>;

enum Value<'t> {
    Plain(&'t str),
    Node(Entries<'t>),
    Nodes(Vec<Entries<'t>>),
}

struct Flow<'t> {
    rest: &'t str,
}

impl<'t> Flow<'t> {
    /// What stands here, of keys that have nodes: a node or a list of them.
    fn node(&mut self) -> Result<Value<'t>, String> {
        if self.takes('{') {
            return Ok(Value::Node(self.entries()?));
        }
        self.takes('[');
        let mut nodes = Vec::new();
        while !self.takes(']') {
            if !self.takes('{') {
                return Err(format!("expected `{{` or `]` before `{}`", self.near()));
            }
            nodes.push(self.entries()?);
            self.takes(',');
        }
        Ok(Value::Nodes(nodes))
    }

    fn entries(&mut self) -> Result<Entries<'t>, String> {
        let mut entries = Vec::new();
        while !self.takes('}') {
            let end = self.rest.find([':', ',', '}']).ok_or_else(|| format!("no `}}` behind `{}`", self.near()))?;
            let key = self.rest[..end].trim().trim_matches('"');
            self.rest = &self.rest[end..];
            let value = if !self.takes(':') {
                Value::Plain("")
            } else if has_nodes(key) && self.rest.trim_start().starts_with(['{', '[']) {
                self.node()?
            } else {
                Value::Plain(self.plain()?)
            };
            entries.push((key, value));
            self.takes(',');
        }
        Ok(entries)
    }

    /// Up to a comma or the end of the node, outside of quotes and brackets.
    fn plain(&mut self) -> Result<&'t str, String> {
        let (mut depth, mut quoted) = (0_i32, false);
        for (at, c) in self.rest.char_indices() {
            match c {
                '"' => quoted = !quoted,
                _ if quoted => {}
                ',' | '}' | ']' if depth == 0 => {
                    let (own, rest) = self.rest.split_at(at);
                    self.rest = rest;
                    return Ok(own.trim());
                }
                '{' | '[' | '(' => depth += 1,
                '}' | ']' | ')' => depth -= 1,
                _ => {}
            }
        }
        Err(format!("no end behind `{}`", self.near()))
    }

    fn takes(&mut self, c: char) -> bool {
        let behind = self.rest.trim_start().strip_prefix(c);
        self.rest = behind.unwrap_or(self.rest);
        behind.is_some()
    }

    /// The first words of what is left.
    fn near(&self) -> &'t str {
        let rest = self.rest.trim_start();
        &rest[..rest.char_indices().nth(20).map_or(rest.len(), |(at, _)| at)]
    }
}

/// `indent` is that of the first line, `item` a dash before its key; keys below stand under that.
fn write_node(out: &mut String, indent: usize, item: &str, node: &Value) {
    match node {
        Value::Plain(text) => {
            let _ = writeln!(out, "{:indent$}{item}{text}", "");
        }
        Value::Node(entries) => write_entries(out, indent, item, entries),
        Value::Nodes(_) => {}
    }
}

fn write_entries(out: &mut String, indent: usize, item: &str, entries: &Entries) {
    for (k, (key, value)) in entries.iter().enumerate() {
        let (indent, item) = if k == 0 { (indent, item) } else { (indent + item.len(), "") };
        write_entry(out, indent, item, key, value);
    }
}

fn write_entry(out: &mut String, indent: usize, item: &str, key: &str, value: &Value) {
    let below = indent + item.len() + 2;
    let head = format!("{:indent$}{item}{key}:", "");
    match value {
        Value::Plain(text) => {
            let text: Vec<&str> = text.split_whitespace().collect();
            let _ = writeln!(out, "{head} {}", text.join(" "));
        }
        Value::Node(_) => {
            let _ = writeln!(out, "{head}");
            write_node(out, below, "", value);
        }
        Value::Nodes(nodes) => {
            let _ = writeln!(out, "{head}");
            nodes.iter().for_each(|entries| write_entries(out, below, "- ", entries));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::blocks;

    #[test]
    fn nodes_in_braces_are_nodes_below_each_other() {
        let flow = r#"{ domain: "[n] -> { A[i] : 0 <= i < n; B[i] : i = 0 }", child: { sequence: [
            { filter: "{ A[i] }", child: { schedule: "[{ A[i] -> [(i)] }]", permutable: 1, coincident: [ 1 ] } },
            { filter: "{ B[i] }" } ] } }"#;
        let block = r#"domain: "[n] -> { A[i] : 0 <= i < n; B[i] : i = 0 }"
child:
  sequence:
    - filter: "{ A[i] }"
      child:
        schedule: "[{ A[i] -> [(i)] }]"
        permutable: 1
        coincident: [ 1 ]
    - filter: "{ B[i] }"
"#;
        assert_eq!(blocks(flow).as_deref(), Ok(block));
        assert_eq!(blocks(block).as_deref(), Ok(block));
    }

    #[test]
    fn nodes_in_braces_stand_below_others() {
        let mixed = "domain: \"{ A[i] : i = 0 }\"\nchild: { mark: \"m\", child: { leaf } }\n";
        assert_eq!(
            blocks(mixed).as_deref(),
            Ok("domain: \"{ A[i] : i = 0 }\"\nchild:\n  mark: \"m\"\n  child:\n    leaf: \n")
        );
        let listed = "domain: \"{ A[] }\"\nchild:\n  set:\n  - { filter: \"{ A[] }\",\n      child: { mark: m } }\n";
        assert_eq!(
            blocks(listed).as_deref(),
            Ok("domain: \"{ A[] }\"\nchild:\n  set:\n  - filter: \"{ A[] }\"\n    child:\n      mark: m\n")
        );
    }

    #[test]
    fn quoted_values_may_have_several_lines() {
        let text = "domain: \"{ A[i] : 0 <= i and \\\n    i <= 9 or\n  i = 20 }\"\n# a \"remark\nchild:\n  leaf:\n";
        assert_eq!(
            blocks(text).as_deref(),
            Ok("domain: \"{ A[i] : 0 <= i and i <= 9 or i = 20 }\"\nchild:\n  leaf:\n")
        );
    }

    #[test]
    fn what_has_no_end_is_said() {
        for text in ["{ domain: \"{ A[] }\"", "{ domain: \"{ A[] }", "{ sequence: [ 1 ] }", "child: [ { a: b }"] {
            assert!(blocks(text).is_err(), "{text}");
        }
    }
}
