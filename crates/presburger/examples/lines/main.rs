//! Reads lines of tab-separated fields: the operations to run (comma-separated, `*` for all of the kind), a kind, and
//! its operands in isl's notation; `rows:` before the operations asks for answers in rows (see `form`). Answers each
//! with one line of `operation=result`, tab-separated. A result is a value in isl's notation, `true`, `false`, a
//! number, `limit` (the operation stopped at its budget or a number does not fit), `unbounded`, `several values` or
//! `panic`. The differential tests against isl talk to the library through it.
//!
//! | kind | operands |
//! |---|---|
//! | `set` | sets `A`, `B` of one space, an affine function of it, a dim, parameter values |
//! | `function` | functions `f`, `g` and `P`, `Q` on one space, `P` and `Q` into it, a set of it, a number, a divisor |
//! | `union` | union sets `A`, `B`, union maps `M`, `N`, union functions `f`, `g`, `P`, `Q`, a number, a divisor |
//! | `map` | maps `A` and `B` of one space `S -> T`, a map `C` from `T`, sets over `S` and `T` |

/// What was read, printed again: always as text.
macro_rules! text {
    ($name:literal, |$c:ident| $e:expr) => {
        ($name, |$c, _, _| Ok($e.to_string()))
    };
}

/// The result of an operation without a budget.
macro_rules! plain {
    ($name:literal, |$c:ident| $e:expr) => {
        ($name, |$c, _, form| Ok($e.shown(form)))
    };
}

/// The result of an operation with a budget.
macro_rules! spent {
    ($name:literal, |$c:ident, $b:ident| $e:expr) => {
        ($name, |$c, $b, form| Ok($e?.shown(form)))
    };
}

mod form;
mod functions;
mod maps;
mod rows;
mod sets;
mod unions;

use form::Form;
use presburger::{Budget, Error};
use std::collections::HashSet;
use std::io::{BufRead, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Steps per operation: enough for any small input, and a bound on bad ones.
pub const STEPS: u64 = 30_000;

type Answer = Result<String, Error>;

/// An operation: its name and what it answers.
type Op<C> = (&'static str, fn(&C, &Budget, Form) -> Answer);

/// Runs the operations named in `only`, or all, each with so many steps; `rows:` before the names asks for rows instead
/// of text.
fn run<C>(ops: &[Op<C>], case: &C, only: &str, steps: u64) -> String {
    let (form, only) = only.strip_prefix("rows:").map_or((Form::Text, only), |rest| (Form::Rows, rest));
    let wanted: HashSet<&str> = only.split(',').collect();
    let mut out = Vec::with_capacity(ops.len());
    for (name, f) in ops.iter().filter(|(name, _)| only == "*" || wanted.contains(name)) {
        let b = Budget::steps(steps);
        let text = match catch_unwind(AssertUnwindSafe(|| f(case, &b, form))) {
            Ok(Ok(text)) => text,
            Ok(Err(Error::Unbounded)) => "unbounded".to_string(),
            Ok(Err(Error::SeveralValues)) => "several values".to_string(),
            Ok(Err(Error::Spent | Error::Overflow | Error::TooMany)) => "limit".to_string(),
            Err(_) => "panic".to_string(),
        };
        out.push(format!("{name}={text}"));
    }
    out.join("\t")
}

pub fn answer(line: &str, steps: u64) -> String {
    let fields: Vec<&str> = line.split('\t').collect();
    let (only, operands) = (fields[0], &fields[2..]);
    let result = match fields[1] {
        "set" => sets::Case::read(operands).map(|c| run(&sets::operations(), &c, only, steps)),
        "map" => maps::Case::read(operands).map(|c| run(&maps::operations(), &c, only, steps)),
        "function" => functions::Case::read(operands).map(|c| run(&functions::operations(), &c, only, steps)),
        "union" => unions::Case::read(operands).map(|c| run(&unions::operations(), &c, only, steps)),
        other => panic!("unknown kind {other}"),
    };
    result.unwrap_or_else(|e| format!("read=error {e}"))
}

fn main() {
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    for line in std::io::stdin().lock().lines() {
        let line = line.expect("readable input");
        writeln!(out, "{}", answer(&line, STEPS)).expect("writable output");
        out.flush().expect("writable output");
    }
}
