//! Tokens with their positions.

use super::{ParseError, Parsed};
use num_bigint::BigInt;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Tok {
    Name(String),
    Num(BigInt),
    /// Punctuation and operators, longest match first.
    Sym(&'static str),
    End,
}

#[derive(Clone, Debug)]
pub(super) struct Token {
    pub tok: Tok,
    pub line: usize,
    pub column: usize,
}

const SYMBOLS: [&str; 40] = [
    "<<=", ">>=", "/\\", "\\/", "&&", "&", "||", "|", "->", "<=", ">=", "<<", ">>", "!=", "==", "=>", "//", "[", "]",
    "{", "}", "(", ")", ",", ";", ":", "=", "<", ">", "+", "-", "*", "/", "%", "!", "?", "^", "\u{2227}", "\u{2228}",
    "\u{00AC}",
];

pub(super) fn tokens(text: &str) -> Parsed<Vec<Token>> {
    let mut out = Vec::new();
    for (l, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or("");
        scan_line(line, l + 1, &mut out)?;
    }
    let (line, column) = (text.lines().count().max(1), text.lines().last().map_or(1, |l| l.chars().count() + 1));
    out.push(Token { tok: Tok::End, line, column });
    Ok(out)
}

fn scan_line(line: &str, number: usize, out: &mut Vec<Token>) -> Parsed<()> {
    let (mut rest, mut column, mut counted) = (line, 1, line);
    while let Some(c) = rest.chars().next() {
        column += counted[..counted.len() - rest.len()].chars().count();
        counted = rest;
        let mut push = |tok| out.push(Token { tok, line: number, column });
        if c.is_whitespace() || (c == '\\' && rest[1..].trim().is_empty()) {
            rest = &rest[c.len_utf8()..];
        } else if c.is_ascii_digit() {
            let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
            let value = rest[..end].parse::<BigInt>().map_err(|e| ParseError {
                line: number,
                column,
                message: e.to_string(),
            })?;
            push(Tok::Num(value));
            rest = &rest[end..];
        } else if c.is_alphabetic() || c == '_' {
            let end =
                rest.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '\'' || c == '.')).unwrap_or(rest.len());
            push(Tok::Name(rest[..end].to_string()));
            rest = &rest[end..];
        } else if let Some(s) = SYMBOLS.iter().find(|s| rest.starts_with(**s)) {
            push(Tok::Sym(s));
            rest = &rest[s.len()..];
        } else {
            return Err(ParseError { line: number, column, message: format!("unexpected character '{c}'") });
        }
    }
    Ok(())
}
