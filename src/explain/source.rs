//! The user's source as far as it says more than the model: names of loops, text of statements.

use super::Place;

/// A file of the user's, by lines.
#[derive(Clone, Debug, Default)]
pub struct Source {
    /// Its name, as places have it.
    file: String,
    lines: Vec<String>,
}

/// The head of a loop that counts up by one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Head {
    /// Its variable.
    pub name: String,
    /// Whether the model's value of the loop can be written for the variable; else only its name is known.
    pub counts_up: bool,
    /// Its first value, if that is a number.
    pub first: Option<i64>,
}

impl Source {
    /// The text of a file.
    #[must_use]
    pub fn new(file: &str, text: &str) -> Self {
        Self { file: file.to_owned(), lines: text.lines().map(str::to_owned).collect() }
    }

    /// The line of a place in this file.
    fn at(&self, place: &Place) -> Option<&str> {
        self.line(place.line).filter(|_| place.file == self.file)
    }

    /// A line, counted from 1.
    #[must_use]
    pub fn line(&self, number: usize) -> Option<&str> {
        self.lines.get(number.checked_sub(1)?).map(String::as_str)
    }

    /// The head of the loop at a place.
    pub(super) fn head(&self, place: &Place) -> Option<Head> {
        let line = self.at(place)?;
        let rest: String = line.chars().skip(place.column.saturating_sub(1)).collect();
        let rest = rest.trim_start();
        if let Some(inside) = rest.strip_prefix("for").map(str::trim_start).and_then(|r| r.strip_prefix('(')) {
            return c_head(inside);
        }
        let word = |text: &str| words(text).first().map(|w| (*w).to_owned());
        let name = match (rest.strip_prefix("for "), rest.strip_prefix("do ")) {
            (Some(rust), _) => word(rust)?,
            (_, Some(fortran)) => word(fortran)?,
            _ => return None,
        };
        Some(Head { name, counts_up: false, first: None })
    }

    /// Where a local variable gets its first value: in the one line behind a loop's head, and before another line, that
    /// gives it one.
    pub(super) fn first_value(&self, name: &str, head: &Place, end: usize) -> Option<Place> {
        self.at(head)?;
        let gives = |line: &usize| {
            let text = self.line(*line).unwrap_or_default();
            text.split_once('=').is_some_and(|(to, value)| {
                let is_plain = !value.starts_with('=') && !to.contains(['[', '(', '.', '>', '<', '!', '/']);
                is_plain && words(to).contains(&name)
            })
        };
        let mut found = (head.line + 1..end).filter(gives);
        match (found.next(), found.next()) {
            (Some(line), None) => Some(Place { file: head.file.clone(), line, column: 1 }),
            _ => None,
        }
    }

    /// The statement at a place, without the heads of loops in front of it. `is_alone`: no other statement of the model
    /// is in its line, which then may have several of the source.
    pub(super) fn statement(&self, place: &Place, is_alone: bool) -> Option<String> {
        let mut text = self.at(place)?.trim();
        if is_fortran(&place.file) {
            let text = text.split('!').next().unwrap_or_default().trim();
            let is_other = ["do ", "if ", "if(", "where", "forall", "&"].iter().any(|word| text.starts_with(word));
            // Of whole arrays each statement is a loop of its own.
            let is_whole = text.contains('=') && text.contains('(') && !is_other && !text.contains([';', '&']);
            return is_whole.then(|| text.to_owned());
        }
        while let Some(behind) = text.strip_prefix("for").and_then(behind_head) {
            text = behind.trim_start().trim_start_matches('{').trim_start();
        }
        let text = text.split("//").next().unwrap_or_default().trim().trim_end_matches(['}', ' ']);
        let has_loop = words(text).iter().any(|word| matches!(*word, "for" | "while"));
        let is_one = text.matches(';').count() == 1 || (is_alone && !has_loop);
        let is_whole = text.ends_with(';') && is_one && text.contains('=');
        is_whole.then(|| text.to_owned())
    }
}

fn is_fortran(file: &str) -> bool {
    let end = file.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
    matches!(end.as_str(), "f" | "for" | "f90" | "f95" | "f03" | "f08")
}

/// What follows the head of a loop of C, `(..)`, or of Rust, ` i in .. {`.
fn behind_head(text: &str) -> Option<&str> {
    let is_rust = text.starts_with(' ') && text.contains(" in ") && !text.trim_start().starts_with('(');
    match is_rust {
        true => text.split_once('{').map(|(_, behind)| behind),
        false => behind_parentheses(text),
    }
}

/// `int i = 0; i < n; i++) ..`
fn c_head(inside: &str) -> Option<Head> {
    let (first, rest) = inside.split_once(';')?;
    let (name, start) = first.split_once('=')?;
    let name = (*words(name).last()?).to_owned();
    let (test, step) = rest.split_once(';')?;
    let step: String = step.chars().filter(|c| !c.is_whitespace()).collect();
    let up = [format!("{name}++)"), format!("++{name})"), format!("{name}+=1)")];
    let counts_up = up.iter().any(|u| step.starts_with(u.as_str())) && test.contains('<');
    let start = start.trim();
    let first = start.parse().ok();
    Some(Head { name, counts_up, first })
}

/// What follows the parentheses that a text begins with.
fn behind_parentheses(text: &str) -> Option<&str> {
    let text = text.trim_start();
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return if c == ')' { Some(&text[at + 1..]) } else { None };
        }
    }
    None
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn words(text: &str) -> Vec<&str> {
    text.split(|c: char| !is_word(c)).filter(|w| !w.is_empty()).collect()
}

/// The text with other words in the place of some; what is no single word gets parentheses, but where a subscript or an
/// argument stands alone.
pub(super) fn with_words(text: &str, new: &dyn Fn(&str) -> Option<String>) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(start) = rest.find(is_word) {
        let end = rest[start..].find(|c| !is_word(c)).map_or(rest.len(), |len| start + len);
        let (before, word, behind) = (&rest[..start], &rest[start..end], &rest[end..]);
        out.push_str(before);
        let member = out.ends_with('.') || out.ends_with("->");
        match new(word).filter(|_| !member) {
            None => out.push_str(word),
            Some(to) => {
                let alone = out.ends_with(['[', '(']) && behind.starts_with([']', ')']);
                let plain = alone || to.chars().all(is_word);
                out.push_str(&if plain { to } else { format!("({to})") });
            }
        }
        rest = behind;
    }
    out + rest
}
