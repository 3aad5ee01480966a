//! Rows as text, appended to one buffer: linear forms, equalities, bounds and chains of bounds.

use crate::num::Int;
use std::fmt::Write;

/// A row and what of it is to be printed.
struct Form<'a, T> {
    row: &'a [T],
    /// The column that stands elsewhere.
    without: Option<usize>,
    constant: bool,
    negated: bool,
    /// Only the entries of this sign.
    sign: Option<i32>,
}

impl<'a, T: Int> Form<'a, T> {
    fn of(row: &'a [T]) -> Self {
        Form { row, without: None, constant: true, negated: false, sign: None }
    }

    /// Appends `2i - j + 3`, or 0. Columns beyond `names` do not count.
    fn push(&self, out: &mut String, names: &[String]) {
        let start = out.len();
        let last = self.row.len() - 1;
        for (c, (v, name)) in self.row[..last].iter().zip(names).enumerate() {
            if !v.is_zero() && self.without != Some(c) {
                self.push_term(out, start, v, name);
            }
        }
        if self.constant && !self.row[last].is_zero() {
            self.push_term(out, start, &self.row[last], "");
        }
        if out.len() == start {
            out.push('0');
        }
    }

    fn push_term(&self, out: &mut String, start: usize, v: &T, name: &str) {
        if self.sign.is_some_and(|s| v.sgn() != s) {
            return;
        }
        out.push_str(match (out.len() == start, v.is_neg() != self.negated) {
            (true, true) => "-",
            (true, false) => "",
            (false, true) => " - ",
            (false, false) => " + ",
        });
        if name.is_empty() || !v.is_unit() {
            push_magnitude(out, v);
            // isl wants a sign between a number and a floor.
            out.push_str(if name.contains('(') { "*" } else { "" });
        }
        out.push_str(name);
    }
}

/// Appends the absolute value.
pub(crate) fn push_magnitude<T: Int>(out: &mut String, v: &T) {
    let Some(v) = v.to_i64() else {
        let _ = write!(out, "{}", v.abs());
        return;
    };
    let (mut rest, mut digits, mut n) = (v.unsigned_abs(), [0_u8; 20], 20);
    loop {
        n -= 1;
        digits[n] = b'0' + u8::try_from(rest % 10).expect("a digit");
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    out.extend(digits[n..].iter().map(|d| char::from(*d)));
}

/// Appends a linear form: `2i - j + 3`. Entries beyond `names` are ignored except the last, the constant.
pub(crate) fn push_linear<T: Int>(out: &mut String, row: &[T], names: &[String]) {
    Form::of(row).push(out, names);
}

/// Appends the form without column `c`, with its sign turned if `c` has a positive coefficient: what `c` equals where
/// `row = 0`.
pub(crate) fn push_solved<T: Int>(out: &mut String, row: &[T], c: usize, names: &[String]) {
    Form { without: Some(c), negated: row[c].is_pos(), ..Form::of(row) }.push(out, names);
}

/// Appends the form without column `c`.
pub(crate) fn push_without<T: Int>(out: &mut String, row: &[T], c: usize, names: &[String]) {
    Form { without: Some(c), ..Form::of(row) }.push(out, names);
}

/// Appends `row = 0`, solved for the last column with a unit coefficient if there is one.
pub(crate) fn push_equality<T: Int>(out: &mut String, row: &[T], names: &[String]) {
    let last = row.len() - 1;
    if let Some(c) = (0..last).rev().find(|c| row[*c].is_unit()) {
        out.push_str(&names[c]);
        out.push_str(" = ");
        push_solved(out, row, c, names);
        return;
    }
    Form { sign: Some(1), ..Form::of(row) }.push(out, names);
    out.push_str(" = ");
    Form { sign: Some(-1), negated: true, ..Form::of(row) }.push(out, names);
}

/// How a row bounds its leading column: from below or above.
struct Bound<'a, T> {
    row: &'a [T],
    col: usize,
    used: bool,
}

impl<'a, T: Int> Bound<'a, T> {
    /// `None` for a row without variables.
    fn of(row: &'a [T]) -> Option<Self> {
        let columns = || (0..row.len() - 1).rev();
        let col = columns().find(|c| row[*c].is_unit()).or_else(|| columns().find(|c| !row[*c].is_zero()))?;
        Some(Bound { row, col, used: false })
    }

    fn is_lower(&self) -> bool {
        self.row[self.col].is_pos()
    }

    /// Whether the two can stand in one chain: opposite coefficients of one column.
    fn pairs_with(&self, o: &Self) -> bool {
        !o.used && self.col == o.col && self.row[self.col] == o.row[self.col].neg()
    }

    /// Whether `<` or `>` reads better: variables on the other side, and a constant that goes away.
    fn is_strict(&self) -> bool {
        let last = self.row.len() - 1;
        self.row[last].neg().is_one() && (0..last).any(|c| c != self.col && !self.row[c].is_zero())
    }

    fn push_column(&self, out: &mut String, names: &[String]) {
        if !self.row[self.col].is_unit() {
            push_magnitude(out, &self.row[self.col]);
        }
        out.push_str(&names[self.col]);
    }

    fn push_rest(&self, out: &mut String, names: &[String], constant: bool) {
        Form { without: Some(self.col), negated: self.is_lower(), constant, ..Form::of(self.row) }.push(out, names);
    }

    /// Appends ` <= rest` or ` >= rest`, strict where that reads better.
    fn push_relation(&self, out: &mut String, names: &[String]) {
        let strict = self.is_strict();
        out.push_str(match (self.is_lower(), strict) {
            (true, true) => " > ",
            (true, false) => " >= ",
            (false, true) => " < ",
            (false, false) => " <= ",
        });
        self.push_rest(out, names, !strict);
    }
}

/// Appends the inequalities, joined by ` and ` to what stands behind `start`: two-sided bounds as chains `a <= x < b`.
pub(crate) fn push_inequalities<T: Int>(out: &mut String, start: usize, rows: &[&[T]], names: &[String]) {
    let mut bounds = Vec::with_capacity(rows.len());
    for r in rows {
        match Bound::of(r) {
            Some(b) => bounds.push(b),
            None if r[r.len() - 1].is_neg() => {
                push_and(out, start);
                return out.push_str("false");
            }
            None => {}
        }
    }
    bounds.sort_by_key(|b| b.col);
    for i in 0..bounds.len() {
        if bounds[i].used {
            continue;
        }
        push_and(out, start);
        match (i + 1..bounds.len()).find(|k| bounds[i].pairs_with(&bounds[*k])) {
            Some(k) => {
                bounds[k].used = true;
                let (low, up) = if bounds[i].is_lower() { (i, k) } else { (k, i) };
                bounds[low].push_rest(out, names, true);
                out.push_str(" <= ");
                bounds[i].push_column(out, names);
                bounds[up].push_relation(out, names);
            }
            None => {
                bounds[i].push_column(out, names);
                bounds[i].push_relation(out, names);
            }
        }
    }
}

/// Appends ` and ` unless nothing stands behind `start`.
pub(crate) fn push_and(out: &mut String, start: usize) {
    if out.len() > start {
        out.push_str(" and ");
    }
}
