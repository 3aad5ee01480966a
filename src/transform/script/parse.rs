//! The language of scripts: lines, words, numbers.

use crate::options::annotation;
use std::fmt;

/// A place in a script, both counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct At {
    /// Line.
    pub line: usize,
    /// Column, in characters.
    pub column: usize,
}

/// What is wrong with a script, and where: `3:8: there is no loop k`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScriptError {
    /// Where.
    pub at: At,
    /// What.
    pub message: String,
}

impl fmt::Display for ScriptError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.at, self.message)
    }
}

impl fmt::Display for At {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

impl std::error::Error for ScriptError {}

impl At {
    /// An error here.
    #[must_use]
    pub fn error(self, message: impl Into<String>) -> ScriptError {
        ScriptError { at: self, message: message.into() }
    }
}

/// A name as it stands in a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// The name.
    pub text: String,
    /// Where it begins.
    pub at: At,
}

/// What a statement does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    /// Loops over blocks around loops.
    Tile,
    /// Two loops change places.
    Interchange,
    /// Two loops become one.
    Fuse,
    /// A loop becomes one per part.
    Distribute,
    /// A loop's values get a multiple of another's.
    Skew,
    /// Iterations are interleaved.
    Jam,
    /// Threads run a loop.
    Parallel,
}

impl Verb {
    const ALL: [(&'static str, Self); 7] = [
        ("tile", Self::Tile),
        ("interchange", Self::Interchange),
        ("fuse", Self::Fuse),
        ("distribute", Self::Distribute),
        ("skew", Self::Skew),
        ("jam", Self::Jam),
        ("parallel", Self::Parallel),
    ];

    /// How it is used.
    fn usage(self) -> &'static str {
        match self {
            Self::Tile => "tile STATEMENT SIZE.. or tile LOOP.. SIZE..",
            Self::Interchange => "interchange LOOP LOOP",
            Self::Fuse => "fuse LOOP LOOP or fuse STATEMENT STATEMENT",
            Self::Distribute => "distribute LOOP",
            Self::Skew => "skew LOOP BY-LOOP FACTOR",
            Self::Jam => "jam LOOP FACTOR",
            Self::Parallel => "parallel LOOP",
        }
    }

    /// Whether it may have so many names and numbers.
    fn takes(self, names: usize, numbers: &[i64]) -> bool {
        match self {
            Self::Tile => names >= 1 && !numbers.is_empty() && numbers.iter().all(|n| *n >= 1),
            Self::Interchange | Self::Fuse => names == 2 && numbers.is_empty(),
            Self::Distribute | Self::Parallel => names == 1 && numbers.is_empty(),
            Self::Skew => names == 2 && numbers.len() == 1,
            Self::Jam => names == 1 && matches!(numbers, [2..=64]),
        }
    }
}

/// One line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// What it does.
    pub verb: Verb,
    /// Where it begins.
    pub at: At,
    /// Loops or statements that it names.
    pub names: Vec<Word>,
    /// Sizes and factors, behind the names.
    pub numbers: Vec<i64>,
}

impl fmt::Display for Statement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verb = Verb::ALL.iter().find(|(_, verb)| *verb == self.verb).map_or("", |(name, _)| name);
        f.write_str(verb)?;
        self.names.iter().try_for_each(|name| write!(f, " {}", name.text))?;
        self.numbers.iter().try_for_each(|number| write!(f, " {number}"))
    }
}

/// What is to be done to one region, or to all regions of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// `function` or `function:number`.
    pub region: Word,
    /// In this order.
    pub statements: Vec<Statement>,
    /// Options of the function, as annotations have them.
    pub options: Vec<String>,
}

/// Reads a script: sections `region FUNCTION` or `region FUNCTION:NUMBER`, each with one statement a line; `#` begins a
/// comment.
///
/// # Errors
/// The first thing that cannot be read, with its place.
pub fn parse(text: &str) -> Result<Vec<Section>, ScriptError> {
    let mut sections: Vec<Section> = Vec::new();
    for (line, raw) in (1..).zip(text.lines()) {
        let words = words(raw, line);
        let Some((first, rest)) = words.split_first() else { continue };
        if first.text == "region" {
            let [region] = rest else {
                return Err(first.at.error("`region` wants one name, FUNCTION or FUNCTION:NUMBER"));
            };
            if let Some(twice) = sections.iter().find(|s| s.region.text == region.text) {
                let message = format!("region {} has a section in line {} already", region.text, twice.region.at.line);
                return Err(region.at.error(message));
            }
            sections.push(Section { region: region.clone(), statements: Vec::new(), options: Vec::new() });
            continue;
        }
        let Some(section) = sections.last_mut() else {
            let near = if is_verb(first) { String::new() } else { meant(&first.text, ["region"]) };
            return Err(first.at.error(format!("a statement in front of the first `region FUNCTION`{near}")));
        };
        if first.text == "option" {
            section.options.push(option(first, rest, raw, &section.region)?);
        } else {
            section.statements.push(statement(first, rest)?);
        }
    }
    Ok(sections)
}

fn is_verb(word: &Word) -> bool {
    Verb::ALL.iter().any(|(name, _)| *name == word.text)
}

/// `option NAME=VALUE`, for whole functions.
fn option(first: &Word, rest: &[Word], raw: &str, region: &Word) -> Result<String, ScriptError> {
    if region.text.rsplit_once(':').is_some_and(|(_, number)| number.parse::<u32>().is_ok()) {
        let message = format!("options are for whole functions, not for region {}", region.text);
        return Err(first.at.error(message));
    }
    // Commas separate the words of other lines.
    let code = raw.split('#').next().unwrap_or("").trim();
    let item = code["option".len()..].trim();
    if rest.is_empty() || item.contains(char::is_whitespace) {
        return Err(first.at.error("this is not of the form `option NAME=VALUE`"));
    }
    annotation::check(item).map(|()| item.to_owned()).map_err(|why| rest[0].at.error(why.replace("'polyrs:", "'")))
}

fn statement(first: &Word, rest: &[Word]) -> Result<Statement, ScriptError> {
    let Some((_, verb)) = Verb::ALL.into_iter().find(|(name, _)| *name == first.text) else {
        let known = Verb::ALL.iter().map(|(name, _)| *name).chain(["option", "region"]);
        return Err(first.at.error(format!("`{}` is no statement{}", first.text, meant(&first.text, known))));
    };
    let is_number = |w: &Word| w.text.starts_with(|c: char| c.is_ascii_digit() || c == '-' || c == '+');
    let split = rest.iter().position(is_number).unwrap_or(rest.len());
    let (names, numbers) = rest.split_at(split);
    let number = |w: &Word| w.text.parse::<i64>().map_err(|_| w.at.error(format!("`{}` is no number", w.text)));
    let numbers = numbers.iter().map(number).collect::<Result<Vec<_>, _>>()?;
    if verb == Verb::Jam && names.len() == 1 && numbers.len() == 1 && !verb.takes(1, &numbers) {
        return Err(rest[split].at.error("the factor of `jam` is a number from 2 to 64"));
    }
    if !verb.takes(names.len(), &numbers) {
        return Err(first.at.error(format!("this is not of the form `{}`", verb.usage())));
    }
    Ok(Statement { verb, at: first.at, names: names.to_vec(), numbers })
}

/// The words of a line up to its comment.
fn words(raw: &str, line: usize) -> Vec<Word> {
    let code = raw.split('#').next().unwrap_or("");
    let mut found: Vec<Word> = Vec::new();
    let mut open = false;
    for (column, c) in (1..).zip(code.chars()) {
        if c.is_whitespace() || c == ',' {
            open = false;
        } else if open && let Some(word) = found.last_mut() {
            word.text.push(c);
        } else {
            found.push(Word { text: c.to_string(), at: At { line, column } });
            open = true;
        }
    }
    found
}

/// `; did you mean x?` with the known word nearest to `text`, if one is near.
pub fn meant<'w>(text: &str, known: impl IntoIterator<Item = &'w str>) -> String {
    let nearest = known.into_iter().map(|word| (distance(text, word), word)).min();
    match nearest {
        Some((far, word)) if far <= 1 + text.chars().count() / 3 => format!("; did you mean `{word}`?"),
        _ => String::new(),
    }
}

/// Characters to insert, delete or replace to get from one word to the other. Source: Levenshtein, Soviet Physics
/// Doklady 10(8), 1966.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}
