//! Statements and expressions of the calculator.

use crate::functions::qpoly::PwQPoly;
use crate::sets::rational::RationalSet;
use crate::sets::union_sets::{UnionMap, UnionSet};
use crate::text::parse::{self, ParseError, Parsed};
use num_bigint::BigInt;
use num_rational::BigRational;

/// An expression and where it stands (line and column, from 1).
#[derive(Debug)]
pub(super) struct Expr {
    pub at: (usize, usize),
    pub kind: Kind,
}

#[derive(Debug)]
pub(super) enum Kind {
    Set(UnionSet),
    Map(UnionMap),
    Rational(RationalSet),
    Count(Vec<PwQPoly>),
    Text(String),
    Number(BigRational),
    Bool(bool),
    /// Values side by side.
    List(Vec<Expr>),
    /// A comparison that must hold.
    Assert(Box<Expr>),
    Name(String),
    Unary(&'static str, Box<Expr>),
    Binary(&'static str, Box<Expr>, Box<Expr>),
    Power(Box<Expr>, i64),
    Closure(Box<Expr>),
    /// A value of a list, by its number from 0.
    Part(Box<Expr>, usize),
    Apply(Box<Expr>, Box<Expr>),
    /// `last` and `any` sources, one of them at least, `before` sink `under` schedule.
    Flow {
        last: Option<Box<Expr>>,
        any: Option<Box<Expr>>,
        sink: Box<Expr>,
        time: Box<Expr>,
    },
    /// In two dims.
    Draw((usize, usize), Box<Expr>),
}

pub(super) struct Statement {
    pub name: Option<String>,
    pub expression: Expr,
}

const UNARY: [&str; 35] = [
    "domain_map",
    "range_map",
    "deltas_map",
    "domain",
    "range",
    "dom",
    "ran",
    "deltas",
    "lexmin",
    "lexmax",
    "card",
    "coalesce",
    "sample",
    "params",
    "identity",
    "wrap",
    "unwrap",
    "zip",
    "curry",
    "uncurry",
    "aff",
    "hull",
    "poly",
    "vertices",
    "ub",
    "lb",
    "lattice",
    "coefficients",
    "solutions",
    "lift",
    "map",
    "pow",
    "sum",
    "scan",
    "typeof",
];

/// Words of the field's calculator that are none here, and what comes closest.
const ELSEWHERE: [(&str, &str); 3] = [
    (
        "lattice_width",
        "`ub` and `lb` of a function such as `{ [i, j] -> i - j : 0 <= i <= j <= 9 }` say how far a set goes in one direction",
    ),
    ("upoly", "counts are exact here, floors and all; `ub` gives the largest value of one"),
    ("lpoly", "counts are exact here, floors and all; `lb` gives the smallest value of one"),
];

/// Whether two words differ by one letter that is another one, or that one of them has more.
fn is_one_letter_away(a: &str, b: &str) -> bool {
    let same = a.bytes().zip(b.bytes()).take_while(|(x, y)| x == y).count();
    let behind = |text: &str, skip: usize| text.as_bytes().get(same + skip..).map(<[u8]>::to_vec);
    let is_long = a.len().min(b.len()) > 2;
    is_long
        && a != b
        && [(1, 1), (1, 0), (0, 1)].iter().any(|(x, y)| behind(a, *x).is_some() && behind(a, *x) == behind(b, *y))
}

/// Binary operators by level, loosest first; longer spellings before their prefixes.
const LEVELS: [&[&str]; 3] = [
    &["<=", ">=", "==", "=", "<", ">"],
    &["+", "-"],
    &["<<=", ">>=", "<<", ">>", "->*", "->-", "->", "*", ".", "%", "@", "cross_range", "cross", "after", "before"],
];

pub(super) struct Parser<'a> {
    text: &'a str,
    pos: usize,
    /// Operands that are being read, one in another.
    depth: usize,
}

/// Operands that may stand in one another: reading and evaluating them takes space on the stack.
const DEEPEST: usize = 200;
/// Operators of one level in a row.
const LONGEST: usize = 2000;

impl<'a> Parser<'a> {
    pub fn new(text: &'a str) -> Parser<'a> {
        Parser { text, pos: 0, depth: 0 }
    }

    fn rest(&self) -> &'a str {
        &self.text[self.pos..]
    }

    fn skip_space(&mut self) {
        loop {
            let trimmed = self.rest().trim_start();
            self.pos = self.text.len() - trimmed.len();
            let end = trimmed.find('\n').unwrap_or(trimmed.len());
            // A `\` at the end of a line does nothing.
            if !trimmed.starts_with('#') && trimmed[..end].trim_end() != "\\" {
                return;
            }
            self.pos += end;
        }
    }

    /// Line and column of a byte position.
    fn place(&self, pos: usize) -> (usize, usize) {
        let before = &self.text[..pos];
        let line = before.matches('\n').count() + 1;
        let start = before.rfind('\n').map_or(0, |k| k + 1);
        (line, before[start..].chars().count() + 1)
    }

    fn error(&self, message: impl Into<String>) -> ParseError {
        let (line, column) = self.place(self.pos);
        ParseError { line, column, message: message.into() }
    }

    fn eat(&mut self, s: &str) -> bool {
        self.skip_space();
        let word = s.starts_with(char::is_alphabetic);
        let hit = self.rest().starts_with(s) && !(word && self.rest()[s.len()..].starts_with(is_word));
        self.pos += if hit { s.len() } else { 0 };
        hit
    }

    fn word(&mut self) -> Option<&'a str> {
        self.skip_space();
        let rest = self.rest();
        if !rest.starts_with(|c: char| c.is_alphabetic() || c == '_') {
            return None;
        }
        let end = rest.find(|c: char| !is_word(c)).unwrap_or(rest.len());
        self.pos += end;
        Some(&rest[..end])
    }

    /// `; did you mean x?` with a word of the language that is one letter away from the one there, or what
    /// comes closest to a word of another language.
    fn meant_at(&mut self, start: usize) -> String {
        let end = std::mem::replace(&mut self.pos, start);
        let word = self.word().unwrap_or_default();
        self.pos = end;
        if let Some((_, instead)) = ELSEWHERE.iter().find(|e| e.0 == word) {
            return format!("; `{word}` is not known here: {instead}");
        }
        let known = UNARY.into_iter().chain(["draw", "print", "assert"]).find(|known| is_one_letter_away(word, known));
        known.map_or_else(String::new, |known| format!("; did you mean `{known}`?"))
    }

    /// The next statement; `None` at the end.
    pub fn statement(&mut self) -> Parsed<Option<Statement>> {
        while self.eat(";") {}
        if self.rest().is_empty() {
            return Ok(None);
        }
        let start = self.pos;
        let name = match self.word() {
            Some(w) if self.eat(":=") => Some(w.to_string()),
            Some("print") => None,
            _ => {
                self.pos = start;
                None
            }
        };
        let expression = self.level(0)?;
        self.skip_space();
        if !self.rest().is_empty() && !self.eat(";") {
            let near = self.meant_at(start);
            return Err(self.error(format!("expected ';' or an operator{near}")));
        }
        Ok(Some(Statement { name, expression }))
    }

    /// The expression that the whole text is.
    pub fn only_expression(&mut self) -> Parsed<Expr> {
        let expression = self.level(0)?;
        self.skip_space();
        if self.rest().is_empty() { Ok(expression) } else { Err(self.error("expected an operator or the end")) }
    }

    fn operator(&mut self, level: usize) -> Option<&'static str> {
        self.skip_space();
        let rest = self.rest();
        // An operator of a tighter level that starts with one of this level is not ours: `<<` is no `<`, `->` no `-`.
        let longest =
            LEVELS.iter().copied().flatten().copied().filter(|o| rest.starts_with(o)).max_by_key(|o| o.len())?;
        if LEVELS[level].contains(&longest) && self.eat(longest) { Some(longest) } else { None }
    }

    fn level(&mut self, level: usize) -> Parsed<Expr> {
        if level == LEVELS.len() {
            return self.prefix();
        }
        let mut left = self.level(level + 1)?;
        let mut count = 0;
        while let Some(op) = self.operator(level) {
            count += 1;
            if count > LONGEST {
                return Err(self.error(format!("more than {LONGEST} operators in a row: name a part of them")));
            }
            let right = self.level(level + 1)?;
            left = Expr { at: left.at, kind: Kind::Binary(op, Box::new(left), Box::new(right)) };
        }
        Ok(left)
    }

    fn prefix(&mut self) -> Parsed<Expr> {
        if self.depth == DEEPEST {
            return Err(self.error(format!("more than {DEEPEST} operands in one another: name a part of them")));
        }
        self.depth += 1;
        let operand = self.prefix_inside();
        self.depth -= 1;
        operand
    }

    fn prefix_inside(&mut self) -> Parsed<Expr> {
        self.skip_space();
        let at = self.place(self.pos);
        if self.eat("draw") {
            let dims = match self.number()? {
                None => (0, 1),
                Some(first) => (first, self.number()?.ok_or_else(|| self.error("expected the second dim"))?),
            };
            let operand = self.prefix()?;
            return Ok(Expr { at, kind: Kind::Draw(dims, Box::new(operand)) });
        }
        let (mut last, mut any) = (None, None);
        while let Some((is_last, source)) = self.source()? {
            let place = if is_last { &mut last } else { &mut any };
            if place.replace(Box::new(source)).is_some() {
                return Err(self.error("expected 'before'"));
            }
        }
        if last.is_some() || any.is_some() {
            let sink = Box::new(self.after("before")?);
            let time = Box::new(self.after("under")?);
            return Ok(Expr { at, kind: Kind::Flow { last, any, sink, time } });
        }
        if self.eat("assert") {
            return Ok(Expr { at, kind: Kind::Assert(Box::new(self.level(0)?)) });
        }
        for op in &UNARY {
            if self.eat(op) {
                let operand = self.prefix()?;
                return Ok(Expr { at, kind: Kind::Unary(op, Box::new(operand)) });
            }
        }
        self.postfix()
    }

    /// The operand of `last` (true) or `any` that comes next, if one does.
    fn source(&mut self) -> Parsed<Option<(bool, Expr)>> {
        for (word, is_last) in [("any", false), ("last", true)] {
            if self.eat(word) {
                return Ok(Some((is_last, self.prefix()?)));
            }
        }
        Ok(None)
    }

    /// The operand behind `word`, which must come next.
    fn after(&mut self, word: &str) -> Parsed<Expr> {
        if self.eat(word) { self.prefix() } else { Err(self.error(format!("expected '{word}'"))) }
    }

    fn postfix(&mut self) -> Parsed<Expr> {
        let mut e = self.operand()?;
        loop {
            if self.eat("(") {
                let argument = self.level(0)?;
                self.close()?;
                e = Expr { at: e.at, kind: Kind::Apply(Box::new(e), Box::new(argument)) };
            } else if self.eat("[") {
                let part = self.number()?.ok_or_else(|| self.error("expected the number of a value, from 0"))?;
                if !self.eat("]") {
                    return Err(self.error("expected ']'"));
                }
                e = Expr { at: e.at, kind: Kind::Part(Box::new(e), part) };
            } else if self.eat("^+") {
                e = Expr { at: e.at, kind: Kind::Closure(Box::new(e)) };
            } else if self.eat("^") {
                let sign = if self.eat("-") { "-" } else { "" };
                self.skip_space();
                let digits = self.rest().find(|c: char| !c.is_ascii_digit()).unwrap_or(self.rest().len());
                let k = format!("{sign}{}", &self.rest()[..digits])
                    .parse()
                    .map_err(|_| self.error("expected an integer power"))?;
                self.pos += digits;
                e = Expr { at: e.at, kind: Kind::Power(Box::new(e), k) };
            } else {
                return Ok(e);
            }
        }
    }

    /// The natural number that comes next, if one does.
    fn number(&mut self) -> Parsed<Option<usize>> {
        self.skip_space();
        let digits = self.rest().find(|c: char| !c.is_ascii_digit()).unwrap_or(self.rest().len());
        if digits == 0 {
            return Ok(None);
        }
        let value = self.rest()[..digits].parse().map_err(|_| self.error("the number is too large"))?;
        self.pos += digits;
        Ok(Some(value))
    }

    fn close(&mut self) -> Parsed<()> {
        if self.eat(")") { Ok(()) } else { Err(self.error("expected ')'")) }
    }

    fn operand(&mut self) -> Parsed<Expr> {
        self.skip_space();
        let at = self.place(self.pos);
        if self.eat("(") {
            return self.bracketed(at);
        }
        for (word, value) in [("True", true), ("true", true), ("False", false), ("false", false)] {
            if self.eat(word) {
                return Ok(Expr { at, kind: Kind::Bool(value) });
            }
        }
        let start = self.pos;
        let minus = self.eat("-");
        if self.rest().trim_start().starts_with(|c: char| c.is_ascii_digit()) {
            self.skip_space();
            let digits = self.rest().find(|c: char| !c.is_ascii_digit()).unwrap_or(self.rest().len());
            let value: BigInt = self.rest()[..digits].parse().map_err(|_| self.error("expected a number"))?;
            self.pos += digits;
            let value = BigRational::from_integer(if minus { -value } else { value });
            return Ok(Expr { at, kind: Kind::Number(value) });
        }
        self.pos = start;
        if self.rest().starts_with('"') {
            return Ok(Expr { at, kind: self.text()? });
        }
        if self.rest().starts_with(['{', '[']) {
            let kind = self.literal()?;
            return Ok(Expr { at, kind });
        }
        match self.word() {
            Some(w) => Ok(Expr { at, kind: Kind::Name(w.to_string()) }),
            None => Err(self.error("expected a set, a map, a name or '('")),
        }
    }

    /// What stands behind `(`, up to `)`: one value, or a list of none or several.
    fn bracketed(&mut self, at: (usize, usize)) -> Parsed<Expr> {
        let mut list = Vec::new();
        if self.eat(")") {
            return Ok(Expr { at, kind: Kind::List(list) });
        }
        let first = self.level(0)?;
        if !self.eat(",") {
            self.close()?;
            return Ok(first);
        }
        list.push(first);
        loop {
            list.push(self.level(0)?);
            if !self.eat(",") {
                self.close()?;
                return Ok(Expr { at, kind: Kind::List(list) });
            }
        }
    }

    /// A string in double quotes, on one line.
    fn text(&mut self) -> Parsed<Kind> {
        let line = self.rest()[1..].split('\n').next().unwrap_or("");
        let end = line.find('"').ok_or_else(|| self.error("'\"' is missing"))?;
        self.pos += end + 2;
        Ok(Kind::Text(line[..end].to_string()))
    }

    /// A set, a map or a quasi-polynomial up to its closing brace.
    fn literal(&mut self) -> Parsed<Kind> {
        let start = self.pos;
        let end = self.rest().find('}').ok_or_else(|| self.error("'}' is missing"))?;
        let text = &self.rest()[..=end];
        self.pos += end + 1;
        // Sets and maps look alike up to the tuple: take the reading that goes further.
        let shift = |e: ParseError| {
            let (line, column) = self.place(start);
            let column = if e.line == 1 { column + e.column - 1 } else { e.column };
            ParseError { line: line + e.line - 1, column, message: e.message }
        };
        if parse::starts_rational(text) {
            return RationalSet::parse(text).map(Kind::Rational).map_err(shift);
        }
        // A number is no set and no map, so a polynomial is what is neither.
        let errors = match (parse::union_set(text), parse::union_map(text), parse::pw_qpolys(text)) {
            (Ok(s), ..) => return Ok(Kind::Set(s)),
            (_, Ok(m), _) => return Ok(Kind::Map(m)),
            (.., Ok(q)) => return Ok(Kind::Count(q)),
            (Err(s), Err(m), Err(q)) => [s, m, q],
        };
        let furthest = errors.into_iter().reduce(|a, b| if (b.line, b.column) > (a.line, a.column) { b } else { a });
        Err(shift(furthest.expect("three errors")))
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '\''
}
