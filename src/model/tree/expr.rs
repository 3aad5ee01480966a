//! Quasi-affine expressions as text: `2i + 3*N - floor((i + 1)/32)`.
//!
//! In: a set space, whose parameter and dimension names are the variables. Out: an [`Aff`] over that space.
//! `a mod k` is read as `a - k*floor(a/k)`; unnamed dimension k is called `i<k>`.

use presburger::{Aff, Space};

/// Names of the dimensions of a set space; unnamed dimension k is `i<k>`.
#[must_use]
pub fn dim_names(space: &Space) -> Vec<String> {
    let named =
        |(k, d): (usize, &Option<std::sync::Arc<str>>)| d.as_ref().map_or_else(|| format!("i{k}"), ToString::to_string);
    space.output.dims.iter().enumerate().map(named).collect()
}

/// Reads one expression over `space`, whose dimensions are called `dims`.
///
/// # Errors
/// A message that names the unexpected text or the unknown variable.
pub fn parse_aff(text: &str, space: &Space, dims: &[String]) -> Result<Aff, String> {
    parse_aff_at(text, space, dims).map_err(|(_, message)| message)
}

/// As [`parse_aff`], with the byte of the text that an error is about.
pub(super) fn parse_aff_at(text: &str, space: &Space, dims: &[String]) -> Result<Aff, (usize, String)> {
    let mut parser = Parser { rest: text.trim_start(), space, dims };
    match parser.sum() {
        Ok(aff) if parser.rest.is_empty() => Ok(aff),
        Ok(_) => Err((text.len() - parser.rest.len(), format!("unexpected `{}`", parser.rest))),
        Err(message) => Err((text.len() - parser.rest.len(), message)),
    }
}

struct Parser<'a> {
    rest: &'a str,
    space: &'a Space,
    dims: &'a [String],
}

impl Parser<'_> {
    fn eat(&mut self, token: &str) -> bool {
        match self.rest.strip_prefix(token) {
            Some(rest) => {
                self.rest = rest.trim_start();
                true
            }
            None => false,
        }
    }

    fn expect(&mut self, token: &str) -> Result<(), String> {
        if self.eat(token) { Ok(()) } else { Err(format!("expected `{token}` before `{}`", self.rest)) }
    }

    fn word(&mut self, keep: impl Fn(char) -> bool) -> String {
        let end = self.rest.find(|c: char| !keep(c)).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest.trim_start();
        word.to_owned()
    }

    fn integer(&mut self) -> Result<i64, String> {
        let word = self.word(|c| c.is_ascii_digit());
        word.parse().map_err(|_| format!("`{word}` is not a 64-bit integer"))
    }

    fn sum(&mut self) -> Result<Aff, String> {
        let mut total = self.product()?;
        loop {
            if self.eat("+") {
                total = total.add(&self.product()?);
            } else if self.eat("-") {
                total = total.sub(&self.product()?);
            } else {
                return Ok(total);
            }
        }
    }

    fn product(&mut self) -> Result<Aff, String> {
        if self.eat("-") {
            return Ok(self.product()?.scale(-1));
        }
        let starts_number = self.rest.starts_with(|c: char| c.is_ascii_digit());
        let factor = if starts_number { Some(self.integer()?) } else { None };
        let starts_atom = self.rest.starts_with(|c: char| c.is_alphabetic() || c == '_' || c == '(');
        let is_mod = self.is_mod();
        let aff = match factor {
            Some(k) if self.eat("*") => self.atom()?.scale(k),
            Some(k) if starts_atom && !is_mod => self.atom()?.scale(k),
            Some(k) => Aff::constant(self.space, k),
            None => self.atom()?,
        };
        if self.is_mod() {
            self.word(char::is_alphanumeric);
            let modulus = self.positive()?;
            return Ok(aff.modulo(modulus));
        }
        Ok(aff)
    }

    fn is_mod(&self) -> bool {
        self.rest.strip_prefix("mod").is_some_and(|r| !r.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
    }

    fn positive(&mut self) -> Result<i64, String> {
        match self.integer()? {
            0 => Err("division by 0".to_owned()),
            k => Ok(k),
        }
    }

    fn atom(&mut self) -> Result<Aff, String> {
        if self.eat("(") {
            let inner = self.sum()?;
            self.expect(")")?;
            return Ok(inner);
        }
        let before = self.rest;
        let name = self.word(|c| c.is_alphanumeric() || c == '_' || c == '\'');
        if name == "floor" {
            self.expect("(")?;
            let num = self.sum()?;
            self.expect("/")?;
            let den = self.positive()?;
            self.expect(")")?;
            return Ok(num.floor_div(den));
        }
        if let Some(pos) = self.dims.iter().position(|d| *d == name) {
            return Ok(Aff::dim(self.space, pos));
        }
        let Some(pos) = self.space.params.iter().position(|p| **p == *name) else {
            self.rest = before;
            return Err(if name.is_empty() {
                format!("unexpected `{}`", self.rest)
            } else {
                format!("unknown variable `{name}`")
            });
        };
        let mut row = vec![0; self.space.n_param() + self.space.n_out() + 1];
        row[pos] = 1;
        Ok(Aff::from_row(self.space, &row))
    }
}

/// Prints `aff` with its space's parameter names and `dims` as dimension names; [`parse_aff`] reads it back.
#[must_use]
pub fn print_aff(aff: &Aff, dims: &[String]) -> String {
    let mut names: Vec<String> = aff.space().params.iter().map(ToString::to_string).collect();
    names.extend(dims.iter().cloned());
    for div in aff.divs() {
        let num = print_row(&div.num, &names);
        names.push(format!("floor(({num})/{})", div.den));
    }
    print_row(aff.row(), &names)
}

/// Prints a row over `[names | 1]`.
#[must_use]
pub fn print_row(row: &[i64], names: &[String]) -> String {
    let mut text = String::new();
    let constant = row.last().copied().unwrap_or(0);
    for (&k, name) in row.iter().zip(names).filter(|(k, _)| **k != 0) {
        push_sign(&mut text, k);
        let times = if name.starts_with("floor") { "*" } else { "" };
        match k.unsigned_abs() {
            1 => text.push_str(name),
            k => text.push_str(&format!("{k}{times}{name}")),
        }
    }
    if constant != 0 || text.is_empty() {
        push_sign(&mut text, constant);
        text.push_str(&constant.unsigned_abs().to_string());
    }
    text
}

fn push_sign(text: &mut String, k: i64) {
    match (text.is_empty(), k < 0) {
        (true, true) => text.push('-'),
        (true, false) => {}
        (false, true) => text.push_str(" - "),
        (false, false) => text.push_str(" + "),
    }
}
