//! Printing in isl's notation. Output depends on the rows only, and isl reads it back.
//! Strides print as `e mod g = 0`, floors as `exists (e0 = floor((..)/d): ..)`, two-sided bounds as chains
//! `a <= x < b`.

use crate::num::Int;
use crate::sets::basic::{Basic, BasicMap, BasicSet};
use crate::sets::map::Map;
use crate::sets::set::Set;
use crate::sets::space::{Space, Tuple};
use crate::sets::union_sets::{UnionMap, UnionSet};
use crate::system::body::Body;
use crate::system::divs::{self, Floor};
use crate::system::sys::Sys;
use crate::text::print_rows::{
    push_and, push_equality, push_inequalities, push_linear, push_magnitude, push_solved, push_without,
};
use std::borrow::Cow;
use std::fmt::{self, Display, Formatter, Write};

/// Names for all visible columns, made unique with trailing primes.
pub(crate) fn column_names(space: &Space) -> Vec<String> {
    let mut names: Vec<String> = space.params.iter().map(|p| p.to_string()).collect();
    let mut add = |tuple: &Tuple, letter: char| {
        for (k, d) in tuple.dims.iter().enumerate() {
            let mut name = d.as_ref().map_or_else(|| format!("{letter}{k}"), |d| d.to_string());
            while names.contains(&name) {
                name.push('\'');
            }
            names.push(name);
        }
    };
    if let Some(t) = &space.input {
        add(t, 'i');
        add(&space.output, 'o');
    } else {
        add(&space.output, 'i');
    }
    names
}

/// A linear form as text: `2i - j + 3`. Entries beyond `names` are ignored except the last, the constant.
pub(crate) fn linear<T: Int>(row: &[T], names: &[String]) -> String {
    let mut out = String::new();
    push_linear(&mut out, row, names);
    out
}

/// One conjunction's text pieces.
struct Conj {
    /// Expressions of output dims that an equality defines, by column.
    defined: Vec<(usize, String)>,
    text: String,
}

/// Splits a conjunction into printable parts. `outputs` are the columns that a tuple entry may define.
fn conj<T: Int>(s: &Sys<T>, visible: &[String], outputs: std::ops::Range<usize>) -> Conj {
    let mut eqs: Vec<&[T]> = s.eq.rows().collect();
    let mut ges: Vec<&[T]> = s.ge.rows().collect();
    let existentials = if s.e > 0 { Existentials::of(s, visible) } else { Existentials::none(visible) };
    let names: &[String] = &existentials.names;
    let mut heads: Vec<String> = Vec::new();
    if s.e > 0 {
        let defs = divs::definitions(s);
        for k in (0..s.e).filter(|k| !existentials.strides[*k]) {
            heads.push(match &defs[k] {
                Some(f) => {
                    if let Ok(rows) = divs::floor_rows(s, k, f) {
                        ges.retain(|r| rows.iter().all(|d| d != r));
                    }
                    format!("{} = {}", names[s.n + k], floor_text(f, names))
                }
                None => names[s.n + k].clone(),
            });
        }
    }
    let fixed = fixed_columns(s);
    let mut none = false;
    ges.retain(|r| {
        let value = value_where(r, &fixed);
        none |= value.as_ref().is_some_and(Int::is_neg);
        value.is_none()
    });
    if none {
        return Conj { defined: Vec::new(), text: "false".to_owned() };
    }
    let mut defined = Vec::new();
    for c in outputs {
        if let Some(i) = eqs.iter().position(|r| defines(r, c, s.n)) {
            let mut text = String::new();
            push_solved(&mut text, eqs.remove(i), c, names);
            defined.push((c, text));
        }
    }
    let mut text = String::new();
    if !heads.is_empty() {
        let _ = write!(text, "exists ({}: ", heads.join(", "));
    }
    let start = text.len();
    for r in &eqs {
        push_and(&mut text, start);
        match (0..s.e).find(|k| existentials.strides[*k] && !r[s.n + k].is_zero()) {
            Some(k) => {
                text.push('(');
                push_without(&mut text, r, s.n + k, names);
                text.push_str(") mod ");
                push_magnitude(&mut text, &r[s.n + k]);
                text.push_str(" = 0");
            }
            None => push_equality(&mut text, r, names),
        }
    }
    push_inequalities(&mut text, start, &ges, names);
    if !heads.is_empty() {
        text.push_str(if text.len() == start { "true)" } else { ")" });
    }
    Conj { defined, text }
}

/// The values of columns that an equality fixes.
fn fixed_columns<T: Int>(s: &Sys<T>) -> Vec<(usize, T)> {
    let last = s.cols();
    let value = |r: &[T]| {
        let mut used = (0..last).filter(|c| !r[*c].is_zero());
        let (Some(c), None) = (used.next(), used.next()) else { return None };
        r[c].is_unit().then(|| (c, if r[c].is_pos() { r[last].neg() } else { r[last].clone() }))
    };
    s.eq.rows().filter_map(value).collect()
}

/// The value of an inequality whose columns are all fixed, if there are any.
fn value_where<T: Int>(r: &[T], fixed: &[(usize, T)]) -> Option<T> {
    let last = r.len() - 1;
    let used = |c: &usize| !r[*c].is_zero();
    if fixed.is_empty() || (0..last).filter(used).any(|c| fixed.iter().all(|(f, _)| *f != c)) {
        return None;
    }
    let at = |c| &fixed.iter().find(|(f, _)| *f == c).expect("all columns are fixed").1;
    (0..last).filter(used).try_fold(r[last].clone(), |sum, c| r[c].mul(at(c))?.add(&sum)).ok()
}

/// Names of all columns, and which existentials print as strides.
struct Existentials<'a> {
    names: Cow<'a, [String]>,
    strides: Vec<bool>,
}

impl<'a> Existentials<'a> {
    fn none(visible: &'a [String]) -> Self {
        Self { names: Cow::Borrowed(visible), strides: Vec::new() }
    }

    fn of<T: Int>(s: &Sys<T>, visible: &[String]) -> Self {
        let mut names = visible.to_vec();
        let mut strides = vec![false; s.e];
        let mut fresh = 0;
        for (k, stride) in strides.iter_mut().enumerate() {
            let c = s.n + k;
            let users = s.eq.rows().chain(s.ge.rows()).filter(|r| !r[c].is_zero()).count();
            let alone = |r: &[T]| !r[c].is_zero() && (s.n..s.cols()).all(|j| j == c || r[j].is_zero());
            *stride = users == 1 && s.eq.rows().any(alone);
            let name = loop {
                let name = format!("e{fresh}");
                fresh += usize::from(!*stride);
                if *stride || !names.contains(&name) {
                    break name;
                }
            };
            names.push(name);
        }
        Self { names: Cow::Owned(names), strides }
    }
}

/// Whether an equality gives column `c` as an expression of earlier visible columns.
fn defines<T: Int>(r: &[T], c: usize, n: usize) -> bool {
    r[c].is_unit() && r[c + 1..r.len() - 1].iter().all(Int::is_zero) && c < n
}

fn floor_text<T: Int>(f: &Floor<T>, names: &[String]) -> String {
    format!("floor(({})/{})", linear(&f.num, names), f.den)
}

pub(crate) fn tuple_text(tuple: &Tuple, first: usize, names: &[String], defined: &[(usize, String)]) -> String {
    let mut out = String::new();
    push_tuple(&mut out, tuple, first, names, defined);
    out
}

fn push_tuple(out: &mut String, tuple: &Tuple, first: usize, names: &[String], defined: &[(usize, String)]) {
    out.push_str(tuple.name_str());
    out.push('[');
    if let Some((a, b)) = tuple.nested.as_deref() {
        push_tuple(out, a, first, names, defined);
        out.push_str(" -> ");
        push_tuple(out, b, first + a.dims.len(), names, defined);
    } else {
        for (c, name) in names.iter().enumerate().skip(first).take(tuple.dims.len()) {
            if c > first {
                out.push_str(", ");
            }
            out.push_str(name);
            if let Some((_, e)) = defined.iter().find(|d| d.0 == c) {
                out.push_str(" = ");
                out.push_str(e);
            }
        }
    }
    out.push(']');
}

/// The constraints of a basic set, without its tuple; empty for a universe.
pub(crate) fn condition(b: &BasicSet, names: &[String]) -> String {
    match &b.0.body {
        Body::Small(s) => conj(s, names, 0..0).text,
        Body::Big(s) => conj(s, names, 0..0).text,
    }
}

fn push_disjunct(out: &mut String, space: &Space, body: &Body, names: &[String]) {
    let outputs = space.n_param() + space.n_in()..space.n_cols();
    let c = match body {
        Body::Small(s) => conj(s, names, outputs),
        Body::Big(s) => conj(s, names, outputs),
    };
    let start = out.len();
    if let Some(t) = &space.input {
        push_tuple(out, t, space.n_param(), names, &[]);
        out.push_str(" -> ");
    }
    if space.input.is_some() || !space.output.absent {
        push_tuple(out, &space.output, space.n_param() + space.n_in(), names, &c.defined);
    }
    if out.len() == start {
        out.push(':');
    } else if !c.text.is_empty() {
        out.push_str(" :");
    }
    if !c.text.is_empty() {
        out.push(' ');
        out.push_str(&c.text);
    }
}

fn write_pieces<'a>(
    f: &mut Formatter<'_>,
    params: &[std::sync::Arc<str>],
    parts: impl Iterator<Item = (&'a Space, &'a Body)>,
) -> fmt::Result {
    let mut out = String::new();
    if !params.is_empty() {
        let _ = write!(out, "[{}] -> ", params.join(", "));
    }
    out.push_str("{ ");
    let start = out.len();
    let mut named: Option<(&Space, Vec<String>)> = None;
    for (space, body) in parts {
        if out.len() > start {
            out.push_str("; ");
        }
        let names = match named.take() {
            Some((s, names)) if std::ptr::eq(s, space) => names,
            _ => column_names(space),
        };
        push_disjunct(&mut out, space, body, &names);
        named = Some((space, names));
    }
    out.push_str(" }");
    f.write_str(&out)
}

fn write_union(f: &mut Formatter<'_>, space: &Space, bodies: Vec<&Body>) -> fmt::Result {
    if bodies.is_empty() {
        let none = Body::contradiction(space.n_cols());
        return write_pieces(f, &space.params, std::iter::once((space, &none)));
    }
    write_pieces(f, &space.params, bodies.into_iter().map(|b| (space, b)))
}

fn write_basic(f: &mut Formatter<'_>, b: &Basic) -> fmt::Result {
    write_union(f, &b.space, vec![&b.body])
}

impl Display for BasicSet {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write_basic(f, &self.0)
    }
}

impl Display for BasicMap {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write_basic(f, &self.0)
    }
}

impl Display for Set {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write_union(f, self.space(), self.basics.iter().map(|b| &b.0.body).collect())
    }
}

impl Display for Map {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write_union(f, self.space(), self.basics.iter().map(|b| &b.0.body).collect())
    }
}

impl Display for UnionSet {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let parts = self.sets().flat_map(|s| s.basics().iter().map(|b| (s.space(), &b.0.body)));
        write_pieces(f, self.params(), parts)
    }
}

impl Display for UnionMap {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let parts = self.maps().flat_map(|m| m.basics().iter().map(|b| (m.space(), &b.0.body)));
        write_pieces(f, self.params(), parts)
    }
}
