//! Printing in isl's notation. Output depends on the rows only, and isl reads it back.
//! Strides print as `e mod g = 0`, floors as `exists (e0 = floor((..)/d): ..)`, two-sided bounds as chains `a <= x < b`.

use crate::basic::{Basic, BasicMap, BasicSet};
use crate::body::Body;
use crate::divs::{self, Floor};
use crate::map::Map;
use crate::num::Int;
use crate::set::Set;
use crate::space::{Space, Tuple};
use crate::sys::Sys;
use crate::union_sets::{UnionMap, UnionSet};
use std::fmt::{self, Display, Formatter};

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
    let last = row.len() - 1;
    let terms = row[..last].iter().zip(names.iter().map(String::as_str)).chain([(&row[last], "")]);
    for (v, name) in terms {
        if v.is_zero() {
            continue;
        }
        let sign = match (out.is_empty(), v.is_neg()) {
            (true, true) => "-",
            (true, false) => "",
            (false, true) => " - ",
            (false, false) => " + ",
        };
        out.push_str(sign);
        if name.is_empty() || !v.is_unit() {
            // Without its sign, which the smallest number of 64 bits cannot lose by negation.
            out.push_str(v.to_string().trim_start_matches('-'));
            // isl wants a sign between a number and a floor.
            out.push_str(if name.contains('(') { "*" } else { "" });
        }
        out.push_str(name);
    }
    if out.is_empty() { "0".to_string() } else { out }
}

/// The part of a row with coefficients of one sign, made positive.
fn side<T: Int>(row: &[T], sign: i32) -> Vec<T> {
    row.iter().map(|v| if v.sgn() == sign { v.abs() } else { T::zero() }).collect()
}

/// One conjunction's text pieces.
struct Conj {
    /// Expressions of output dims that an equality defines, by column.
    defined: Vec<(usize, String)>,
    text: String,
}

/// How a row bounds its leading column: `coefficient * column >= rest` (lower) or `<= rest`.
struct BoundOn<T> {
    col: usize,
    coef: T,
    lower: bool,
    rest: Vec<T>,
    used: bool,
}

fn bound_of<T: Int>(row: &[T]) -> BoundOn<T> {
    let last = row.len() - 1;
    let lead = (0..last)
        .rev()
        .find(|c| row[*c].is_unit())
        .or_else(|| (0..last).rev().find(|c| !row[*c].is_zero()))
        .unwrap_or(0);
    let lower = row[lead].is_pos();
    let mut rest: Vec<T> = if lower { row.iter().map(Int::neg).collect() } else { row.to_vec() };
    rest[lead] = T::zero();
    BoundOn { col: lead, coef: row[lead].abs(), lower, rest, used: false }
}

fn term<T: Int>(coef: &T, name: &str) -> String {
    if coef.is_one() { name.to_string() } else { format!("{coef}{name}") }
}

/// ` <= rest`, or ` < rest + 1` where that reads better.
fn upper_text<T: Int>(rest: &[T], names: &[String]) -> String {
    let last = rest.len() - 1;
    let variable = rest[..last].iter().any(|v| !v.is_zero());
    if variable && rest[last].neg().is_one() {
        let mut r = rest.to_vec();
        r[last] = T::zero();
        return format!(" < {}", linear(&r, names));
    }
    format!(" <= {}", linear(rest, names))
}

fn inequalities<T: Int>(rows: &[Vec<T>], names: &[String], out: &mut Vec<String>) {
    let mut bounds: Vec<BoundOn<T>> =
        rows.iter().filter(|r| r[..r.len() - 1].iter().any(|v| !v.is_zero())).map(|r| bound_of(r)).collect();
    if rows.iter().any(|r| r[..r.len() - 1].iter().all(Int::is_zero) && r[r.len() - 1].is_neg()) {
        out.push("false".to_string());
        return;
    }
    bounds.sort_by_key(|b| b.col);
    for i in 0..bounds.len() {
        if bounds[i].used {
            continue;
        }
        let mate = (i + 1..bounds.len()).find(|k| {
            let (a, b) = (&bounds[i], &bounds[*k]);
            !b.used && a.col == b.col && a.coef == b.coef && a.lower != b.lower
        });
        let name = term(&bounds[i].coef, &names[bounds[i].col]);
        let text = if let Some(k) = mate {
            bounds[k].used = true;
            let (low, up) = if bounds[i].lower { (i, k) } else { (k, i) };
            format!("{} <= {}{}", linear(&bounds[low].rest, names), name, upper_text(&bounds[up].rest, names))
        } else if bounds[i].lower {
            lower_text(&bounds[i].rest, &name, names)
        } else {
            format!("{}{}", name, upper_text(&bounds[i].rest, names))
        };
        out.push(text);
    }
}

/// `name >= rest`, or `name > rest - 1` where that reads better.
fn lower_text<T: Int>(rest: &[T], name: &str, names: &[String]) -> String {
    let last = rest.len() - 1;
    if rest[last].is_one() && rest[..last].iter().any(|v| !v.is_zero()) {
        let mut r = rest.to_vec();
        r[last] = T::zero();
        return format!("{} > {}", name, linear(&r, names));
    }
    format!("{} >= {}", name, linear(rest, names))
}

/// Splits a conjunction into printable parts. `outputs` are the columns that a tuple entry may define.
fn conj<T: Int>(s: &Sys<T>, visible: &[String], outputs: std::ops::Range<usize>) -> Conj {
    let mut names = visible.to_vec();
    let mut eqs: Vec<Vec<T>> = s.eq.rows().map(<[T]>::to_vec).collect();
    let mut ges: Vec<Vec<T>> = s.ge.rows().map(<[T]>::to_vec).collect();
    let defs = divs::definitions(s);
    let mut fresh = 0;
    let mut strides = vec![false; s.e];
    let mut atoms = Vec::new();
    for (k, stride) in strides.iter_mut().enumerate() {
        let c = s.n + k;
        let users = eqs.iter().chain(&ges).filter(|r| !r[c].is_zero()).count();
        *stride =
            users == 1 && eqs.iter().any(|r| !r[c].is_zero() && (s.n..s.cols()).all(|j| j == c || r[j].is_zero()));
        let name = loop {
            let name = format!("e{fresh}");
            fresh += usize::from(!*stride);
            if *stride || !names.contains(&name) {
                break name;
            }
        };
        names.push(name);
    }
    let mut heads = Vec::new();
    for k in (0..s.e).filter(|k| !strides[*k]) {
        heads.push(match &defs[k] {
            Some(f) => {
                if let Ok(rows) = divs::floor_rows(s, k, f) {
                    ges.retain(|r| rows.iter().all(|d| d != r));
                }
                format!("{} = {}", names[s.n + k], floor_text(f, &names))
            }
            None => names[s.n + k].clone(),
        });
    }
    let mut defined = Vec::new();
    for c in outputs {
        if let Some(i) = eqs.iter().position(|r| defines(r, c, s.n)) {
            let mut r = eqs.remove(i);
            if r[c].is_pos() {
                r = r.iter().map(Int::neg).collect();
            }
            r[c] = T::zero();
            defined.push((c, linear(&r, &names)));
        }
    }
    for r in &eqs {
        match (0..s.e).find(|k| strides[*k] && !r[s.n + k].is_zero()) {
            Some(k) => {
                let mut row = r.clone();
                row[s.n + k] = T::zero();
                atoms.push(format!("({}) mod {} = 0", linear(&row, &names), r[s.n + k].abs()));
            }
            None => atoms.push(equality(r, &names)),
        }
    }
    inequalities(&ges, &names, &mut atoms);
    let body = atoms.join(" and ");
    let text = match (heads.is_empty(), body.is_empty()) {
        (true, _) => body,
        (false, true) => format!("exists ({}: true)", heads.join(", ")),
        (false, false) => format!("exists ({}: {})", heads.join(", "), body),
    };
    Conj { defined, text }
}

/// Whether an equality gives column `c` as an expression of earlier visible columns.
fn defines<T: Int>(r: &[T], c: usize, n: usize) -> bool {
    r[c].is_unit() && r[c + 1..r.len() - 1].iter().all(Int::is_zero) && c < n
}

fn equality<T: Int>(row: &[T], names: &[String]) -> String {
    let last = row.len() - 1;
    let lead = (0..last).rev().find(|c| row[*c].is_unit());
    if let Some(c) = lead {
        let mut r: Vec<T> = if row[c].is_pos() { row.iter().map(Int::neg).collect() } else { row.to_vec() };
        r[c] = T::zero();
        return format!("{} = {}", names[c], linear(&r, names));
    }
    format!("{} = {}", linear(&side(row, 1), names), linear(&side(row, -1), names))
}

fn floor_text<T: Int>(f: &Floor<T>, names: &[String]) -> String {
    format!("floor(({})/{})", linear(&f.num, names), f.den)
}

pub(crate) fn tuple_text(tuple: &Tuple, first: usize, names: &[String], defined: &[(usize, String)]) -> String {
    if let Some((a, b)) = tuple.nested.as_deref() {
        let right = tuple_text(b, first + a.dims.len(), names, defined);
        return format!("{}[{} -> {right}]", tuple.name_str(), tuple_text(a, first, names, defined));
    }
    let entries: Vec<String> = (first..first + tuple.dims.len())
        .map(|c| match defined.iter().find(|d| d.0 == c) {
            Some((_, e)) => format!("{} = {}", names[c], e),
            None => names[c].clone(),
        })
        .collect();
    format!("{}[{}]", tuple.name_str(), entries.join(", "))
}

/// The constraints of a basic set, without its tuple; empty for a universe.
pub(crate) fn condition(b: &BasicSet, names: &[String]) -> String {
    match &b.0.body {
        Body::Small(s) => conj(s, names, 0..0).text,
        Body::Big(s) => conj(s, names, 0..0).text,
    }
}

fn disjunct(space: &Space, body: &Body, names: &[String]) -> String {
    let outputs = space.n_param() + space.n_in()..space.n_cols();
    let c = match body {
        Body::Small(s) => conj(s, names, outputs),
        Body::Big(s) => conj(s, names, outputs),
    };
    let out = tuple_text(&space.output, space.n_param() + space.n_in(), names, &c.defined);
    let head = match &space.input {
        Some(t) => format!("{} -> {}", tuple_text(t, space.n_param(), names, &[]), out),
        None if space.output.dims.is_empty() && space.output.name.is_none() => String::new(),
        None => out,
    };
    match (head.is_empty(), c.text.is_empty()) {
        (true, true) => ":".to_string(),
        (true, false) => format!(": {}", c.text),
        (false, true) => head,
        (false, false) => format!("{head} : {}", c.text),
    }
}

fn write_pieces<'a>(
    f: &mut Formatter<'_>,
    params: &[std::sync::Arc<str>],
    parts: impl Iterator<Item = (&'a Space, &'a Body)>,
) -> fmt::Result {
    if !params.is_empty() {
        write!(f, "[{}] -> ", params.join(", "))?;
    }
    let list: Vec<String> = parts.map(|(s, b)| disjunct(s, b, &column_names(s))).collect();
    if list.is_empty() {
        return f.write_str("{  }");
    }
    write!(f, "{{ {} }}", list.join("; "))
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
