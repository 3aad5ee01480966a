//! What the calculator can do beyond sets and maps: loops from a schedule, and a schedule from dependences.
//!
//! - `codegen M;` prints C, the body of a function, that runs every element of the domain of the map `M` once for each
//!   of its images, in the lexicographic order of these; elements with equal images run in the order in which their
//!   tuples are listed. Where there is no last image a loop never ends.
//!   `codegen M using O` takes options of the times' dims, `{ [i, j] -> unroll[x] : x >= 1 }`, `atomic`, `separate`,
//!   `separation_class[[x] -> [class]]`, for all times or those with some values; `codegen M given C` runs for the
//!   parameters in `C` only.
//! - `codegen` with a schedule tree in isl's YAML on the lines below (`domain: ..`, `extension: ..`, or in braces, as
//!   isl prints it) prints C that runs its instances in its order; options of its bands say how: `atomic[x]`,
//!   `separate[x]`, `unroll[x]` and `isolate[[outer] -> [x]]` with conditions on members and parameters;
//!   `[isolate[] -> unroll[x]]` is asked for in the isolated part alone. Bands and contractions may be different
//!   functions on different parts of a statement's instances.
//! - `schedule D respecting V minimizing P` is a map from the set `D` to times such that every pair of the relation `V`
//!   (may be left out: any order) runs in its order; `minimizing P` (may be left out: `V`) says which elements should
//!   share loops and be close together in them.
//!
//! - `source "FILE";` runs the statements of a file, those behind one with an error, too, unless the program is to end
//!   at its first error; `read "FILE"` is the value of the expression in a file;
//!   `write "FILE" E;` writes the value of `E` to it.
//! - `help;` prints what there is, `help draw;` the lines on one word, `quit;` ends the program.
//!
//! All are statements of their own (`NAME := schedule ..;` and `NAME := read ..;` give the value a name), but for
//! `(schedule ..)`, which may stand wherever a map may; all else goes to [`presburger::calc`].

mod c_names;
mod help;
mod loops;
mod options;
mod order;
mod steps;
#[cfg(test)]
mod tests;
mod tree_text;

pub use loops::{Request, codegen, codegen_as, codegen_tree};
pub use order::schedule;
pub use tree_text::Misplaced;

use presburger::calc::{Session, Value};
use presburger::{Budget, ParseError, UnionMap};
use std::borrow::Cow;

/// A calculator session that also knows `codegen` and `schedule`.
pub struct Calculator {
    session: Session,
    steps: u64,
    /// `source` statements that are being run.
    sources: usize,
    ended: bool,
}

/// Where values and errors go.
struct Out<'o> {
    print: &'o mut dyn FnMut(&str),
    /// Takes errors; `None`: the first one ends the program.
    complain: Option<&'o mut dyn FnMut(ParseError)>,
}

impl Out<'_> {
    /// What `run` does where errors it tells of are changed by `placed`.
    fn with_places<T>(&mut self, placed: &dyn Fn(ParseError) -> ParseError, run: impl FnOnce(&mut Out<'_>) -> T) -> T {
        match &mut self.complain {
            None => run(&mut Out { print: self.print, complain: None }),
            Some(complain) => {
                let mut told = |e: ParseError| complain(placed(e));
                run(&mut Out { print: self.print, complain: Some(&mut told) })
            }
        }
    }
}

/// Files that may run each other with `source`, one inside the other.
const MOST_SOURCES: usize = 16;

/// One statement, with the position of its first character (bytes from the start).
struct Statement<'t> {
    text: &'t str,
    at: usize,
}

impl Calculator {
    /// An empty session; every statement may spend `steps`.
    #[must_use]
    pub fn new(steps: u64) -> Self {
        Self { session: Session::new(steps), steps, sources: 0, ended: false }
    }

    /// Whether a `quit` has been run.
    #[must_use]
    pub fn has_ended(&self) -> bool {
        self.ended
    }

    /// Runs all statements of `text` and hands each printed value to `print`.
    ///
    /// # Errors
    /// The first one, with its position in `text`; statements before it have been run.
    pub fn run(&mut self, text: &str, mut print: impl FnMut(&str)) -> Result<(), ParseError> {
        self.statements(text, &mut Out { print: &mut print, complain: None })
    }

    /// As [`Calculator::run`], but goes on behind statements with errors, also in files that it runs; they are handed
    /// to `complain` with their position in `text`.
    pub fn run_all(&mut self, text: &str, mut print: impl FnMut(&str), mut complain: impl FnMut(&ParseError)) {
        let mut complain = |e: ParseError| complain(&e);
        let done = self.statements(text, &mut Out { print: &mut print, complain: Some(&mut complain) });
        debug_assert!(done.is_ok(), "all errors have been told");
    }

    fn statements(&mut self, text: &str, out: &mut Out<'_>) -> Result<(), ParseError> {
        for statement in statements(text) {
            if self.ended {
                break;
            }
            let placed = |e: ParseError| moved(text, statement.at, e);
            let done = out.with_places(&placed, |out| self.statement(&statement, out));
            match (done, &mut out.complain) {
                (Ok(()), _) => {}
                (Err(e), Some(complain)) => complain(placed(e)),
                (Err(e), None) => return Err(placed(e)),
            }
        }
        Ok(())
    }

    fn statement(&mut self, statement: &Statement<'_>, out: &mut Out<'_>) -> Result<(), ParseError> {
        let whole = &*self.with_names_for_schedules(statement.text)?;
        match plain(whole) {
            "quit" => {
                self.ended = true;
                return Ok(());
            }
            "help" => {
                (out.print)(help::TEXT.trim_end());
                return Ok(());
            }
            _ => {}
        }
        if let Some(word) = after_word(whole, "help") {
            (out.print)(&help::of(plain(word)));
            return Ok(());
        }
        let (name, body) = match whole.split_once(":=") {
            Some((name, body)) if is_name(plain(name)) => (Some(plain(name)), body),
            _ => (None, whole),
        };
        let start = within(whole, body);
        if let Some(rest) = after_word(body, "codegen").filter(|_| name.is_none()) {
            let at = within(whole, rest);
            if is_tree(rest) {
                let code = codegen_tree(rest, &Budget::steps(self.steps));
                let code = code.map_err(|e| error(whole, at + e.at, &e.message))?;
                (out.print)(code.trim_end());
                return Ok(());
            }
            let (rest, given) = split_word(rest, "given").map_or((rest, None), |(rest, given)| (rest, Some(given)));
            let (order, options) = split_word(rest, "using").map_or((rest, None), |(rest, own)| (rest, Some(own)));
            let place = |part: &str| within(whole, part);
            let Value::Map(map) = self.value(whole, at, order)? else {
                return Err(error(whole, at, "only a map can be turned into loops"));
            };
            let options = match options.map(|o| self.value(whole, place(o), o)).transpose()? {
                None => None,
                Some(Value::Map(options)) => Some(options),
                Some(_) => return Err(error(whole, at, "options are a map from times, `{ [i] -> unroll[x] }`")),
            };
            let given = match given.map(|g| self.value(whole, place(g), g)).transpose()? {
                None => None,
                Some(Value::Set(set)) if set.as_params().is_some() => set.as_params().cloned(),
                Some(_) => return Err(error(whole, at, "what is given is a set of parameters, `[N] -> { : N >= 3 }`")),
            };
            let request = Request { options: options.as_ref(), given: given.as_ref() };
            let code = codegen_as(&map, request, &Budget::steps(self.steps));
            let code = code.map_err(|message| error(whole, at, &message))?;
            (out.print)(code.trim_end());
            return Ok(());
        }
        if let Some(rest) = after_word(body, "write").filter(|_| name.is_none()) {
            return self.write(whole, within(whole, rest), rest);
        }
        if let Some(rest) = after_word(body, "source").filter(|_| name.is_none()) {
            return self.source(whole, within(whole, rest), rest, out);
        }
        if let Some(rest) = after_word(body, "read") {
            let at = within(whole, rest);
            let (file, text) = file_text(whole, at, rest)?;
            let value = self.session.evaluate(text.trim_end().trim_end_matches(';'));
            let value = value.map_err(|e| error(whole, at, &format!("{file}:{e}")))?;
            match name {
                Some(name) => self.session.define(name, value),
                None => (out.print)(&value.to_string()),
            }
            return Ok(());
        }
        let Some(rest) = after_word(body, "schedule") else {
            return self.session.run(whole, |line| (out.print)(line));
        };
        let map = self.scheduled(whole, start, rest)?;
        match name {
            Some(name) => self.session.define(name, Value::Map(map)),
            None => (out.print)(&map.to_string()),
        }
        Ok(())
    }

    /// The statement with a name in place of each `(schedule ..)`, as long as that, so that all else stays where it is.
    fn with_names_for_schedules<'t>(&mut self, whole: &'t str) -> Result<Cow<'t, str>, ParseError> {
        let mut text = Cow::Borrowed(whole);
        let mut from = 0;
        while let Some((open, close)) = bracketed(&text[from..], "schedule") {
            let (open, close) = (from + open, from + close);
            let before = text[..close].to_owned();
            let inner = &before[open + 1..];
            let rest = after_word(inner, "schedule").unwrap_or(inner);
            let map = self.scheduled(&before, open + 1, rest)?;
            // No other name has such a letter in it.
            let name = format!("schedule'{open}");
            self.session.define(&name, Value::Map(map));
            let blanks = before[open + 1..].bytes().map(|c| if c == b'\n' { '\n' } else { ' ' });
            let named: String = name.chars().chain(blanks.skip(name.len())).collect();
            text.to_mut().replace_range(open + 1..close, &named);
            from = close;
        }
        Ok(text)
    }

    /// Runs the statements of the file that `rest` names, which stands at `at` of the statement `whole`.
    fn source(&mut self, whole: &str, at: usize, rest: &str, out: &mut Out<'_>) -> Result<(), ParseError> {
        let (file, text) = file_text(whole, at, rest)?;
        if self.sources == MOST_SOURCES {
            return Err(error(whole, at, "too many files that run each other"));
        }
        self.sources += 1;
        let placed = |e: ParseError| error(whole, at, &format!("{file}:{e}"));
        let done = out.with_places(&placed, |out| self.statements(&text, out));
        self.sources -= 1;
        done.map_err(placed)
    }

    /// Writes the value of the expression behind the file's name that `rest` begins with, which stands at `at` of the
    /// statement `whole`.
    fn write(&mut self, whole: &str, at: usize, rest: &str) -> Result<(), ParseError> {
        let name = rest.trim_start().strip_prefix('"').and_then(|r| r.split_once('"'));
        let (name, part) = name.ok_or_else(|| error(whole, at, "expected a file's name in double quotes"))?;
        let value = self.value(whole, within(whole, part), part)?;
        std::fs::write(name, format!("{value}\n")).map_err(|e| error(whole, at, &format!("{name}: {e}")))
    }

    fn scheduled(&mut self, whole: &str, start: usize, rest: &str) -> Result<UnionMap, ParseError> {
        let at = within(whole, rest);
        let (domain, clauses) = clauses(rest);
        let place = |part: &str| at + within(rest, part);
        let Value::Set(domain) = self.value(whole, place(domain), domain)? else {
            return Err(error(whole, at, "what is scheduled must be a set"));
        };
        let (mut validity, mut proximity) = (UnionMap::empty(&[]), None);
        for (word, part) in clauses {
            let relation = match self.value(whole, place(part), part)? {
                Value::Map(map) => map,
                Value::Set(set) if set.sets().next().is_none() => UnionMap::empty(&[]),
                _ => return Err(error(whole, place(part), "dependences must be a map")),
            };
            if word == RESPECTING {
                validity = validity.union(&relation);
            } else {
                proximity = Some(proximity.map_or_else(|| relation.clone(), |p: UnionMap| p.union(&relation)));
            }
        }
        let proximity = proximity.unwrap_or_else(|| validity.clone());
        schedule(&domain, &validity, &proximity, &Budget::steps(self.steps)).map_err(|m| error(whole, start, &m))
    }

    /// Value of the expression `part`, which stands at `at` of the statement `whole`.
    fn value(&mut self, whole: &str, at: usize, part: &str) -> Result<Value, ParseError> {
        self.session.evaluate(part).map_err(|e| moved(whole, at, e))
    }
}

/// The name in double quotes that `rest` is, which stands at `at` of the statement `whole`, and that file's text.
fn file_text<'t>(whole: &str, at: usize, rest: &'t str) -> Result<(&'t str, String), ParseError> {
    let name = rest.trim().strip_prefix('"').and_then(|r| r.strip_suffix('"'));
    let name = name.ok_or_else(|| error(whole, at, "expected a file's name in double quotes"))?;
    let text = std::fs::read_to_string(name).map_err(|e| error(whole, at, &format!("{name}: {e}")))?;
    Ok((name, text))
}

/// The statements of a program, which end with `;` outside of braces. A last one without `;` counts.
fn statements(text: &str) -> Vec<Statement<'_>> {
    let mut found = Vec::new();
    let (mut start, mut depth, mut comment, mut string) = (0, 0_i32, false, false);
    for (at, c) in text.char_indices() {
        match c {
            // A string is on one line, or goes on behind a backslash: a quote too many spoils no other statement. In a
            // tree it may be longer.
            '\n' if string && !text[..at].ends_with('\\') && after_word(&text[start..], "codegen").is_none() => {
                found.push(Statement { text: &text[start..at], at: start });
                (start, depth, string) = (at + 1, 0, false);
            }
            '\n' => (comment, string) = (false, string && text[..at].ends_with('\\')),
            _ if comment => {}
            '"' => string = !string,
            _ if string => {}
            '#' => comment = true,
            '{' => depth += 1,
            '}' => depth -= 1,
            ';' if depth <= 0 => {
                found.push(Statement { text: &text[start..at], at: start });
                (start, depth) = (at + 1, 0);
            }
            _ => {}
        }
    }
    found.push(Statement { text: &text[start..], at: start });
    found.retain(|s| !plain(s.text).is_empty());
    found
}

/// The text without white space and comments before it, and white space behind.
fn plain(text: &str) -> &str {
    let mut rest = text.trim();
    while let Some(comment) = rest.strip_prefix('#') {
        rest = comment.find('\n').map_or("", |end| comment[end..].trim_start());
    }
    rest
}

/// Whether a text begins as a schedule tree does, in block or in flow style.
fn is_tree(text: &str) -> bool {
    let root = plain(text);
    let root = root.strip_prefix('{').map_or(root, |own| own.trim_start());
    let key = root.split_once(':').map(|(key, _)| key.trim_end().trim_matches('"'));
    matches!(key, Some("domain" | "extension"))
}

fn is_name(text: &str) -> bool {
    let word = |c: char| c.is_alphanumeric() || c == '_';
    text.starts_with(|c: char| c.is_alphabetic() || c == '_') && text.chars().all(word)
}

/// What follows `word` at the start of the text.
fn after_word<'t>(text: &'t str, word: &str) -> Option<&'t str> {
    plain(text).strip_prefix(word).filter(|rest| rest.starts_with(|c: char| !c.is_alphanumeric() && c != '_'))
}

/// What stands before and behind `word`, outside of braces.
fn split_word<'t>(text: &'t str, word: &str) -> Option<(&'t str, &'t str)> {
    let mut depth = 0_i32;
    let letter = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    for (at, c) in text.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        let rest = text[at..].strip_prefix(word);
        let alone = |rest: &str| !letter(text[..at].chars().next_back()) && !letter(rest.chars().next());
        if let Some(rest) = rest.filter(|r| depth == 0 && alone(r)) {
            return Some((&text[..at], rest));
        }
    }
    None
}

const RESPECTING: &str = "respecting";
const MINIMIZING: &str = "minimizing";

/// What is scheduled, and the relations behind it with the words before them, in any order.
fn clauses(text: &str) -> (&str, Vec<(&'static str, &str)>) {
    let next = |text| {
        let at = [RESPECTING, MINIMIZING].map(|word| split_word(text, word).map(|(before, rest)| (before, word, rest)));
        at.into_iter().flatten().min_by_key(|(before, ..)| before.len())
    };
    let Some((domain, mut word, mut rest)) = next(text) else { return (text, Vec::new()) };
    let mut found = Vec::new();
    while let Some((part, other, behind)) = next(rest) {
        found.push((word, part));
        (word, rest) = (other, behind);
    }
    found.push((word, rest));
    (domain, found)
}

/// The brackets around the first `(word ..)` outside of braces, strings and comments.
fn bracketed(text: &str, word: &str) -> Option<(usize, usize)> {
    let (mut braces, mut comment, mut string) = (0_i32, false, false);
    let mut open: Vec<(usize, bool)> = Vec::new();
    for (at, c) in text.char_indices() {
        match c {
            '\n' => (comment, string) = (false, false),
            _ if comment => {}
            '"' => string = !string,
            _ if string => {}
            '#' => comment = true,
            '{' => braces += 1,
            '}' => braces -= 1,
            '(' if braces <= 0 => open.push((at, after_word(&text[at + 1..], word).is_some())),
            ')' if braces <= 0 => {
                if let Some((start, true)) = open.pop() {
                    return Some((start, at));
                }
            }
            _ => {}
        }
    }
    None
}

/// The bytes of `whole` before `part` of it.
fn within(whole: &str, part: &str) -> usize {
    part.as_ptr() as usize - whole.as_ptr() as usize
}

/// Line and column, from 1, of a byte of `text`.
fn place(text: &str, at: usize) -> (usize, usize) {
    let before = &text[..at];
    let start = before.rfind('\n').map_or(0, |k| k + 1);
    (before.matches('\n').count() + 1, before[start..].chars().count() + 1)
}

/// An error of a part of `text` that starts at `at`, as an error of `text`.
fn moved(text: &str, at: usize, e: ParseError) -> ParseError {
    let (line, column) = place(text, at);
    let column = if e.line == 1 { column + e.column - 1 } else { e.column };
    ParseError { line: line + e.line - 1, column, message: e.message }
}

fn error(text: &str, at: usize, message: &str) -> ParseError {
    let skipped = text[at..].len() - text[at..].trim_start().len();
    let (line, column) = place(text, at + skipped);
    ParseError { line, column, message: message.to_owned() }
}
