//! Printing functions in isl's notation: `[N] -> { S[i] -> A[(i + N), (2floor((i)/3))] : i >= 0; ... }`, one part per
//! domain. A function of the parameters has no first tuple.

use crate::functions::aff::Aff;
use crate::functions::multi::{MultiPwAff, MultiUnionPwAff};
use crate::functions::pw::PwAff;
use crate::functions::pw_multi::PwMultiAff;
use crate::functions::union_functions::{UnionPwAff, UnionPwMultiAff};
use crate::sets::set::Set;
use crate::sets::space::{Space, Tuple};
use crate::text::print::{column_names, condition, linear, tuple_text};
use std::fmt::{self, Display, Formatter};
use std::sync::Arc;

/// The value as text over the columns `names` of its space.
fn value(a: &Aff, names: &[String]) -> String {
    let mut names = names.to_vec();
    for d in a.divs() {
        names.push(format!("floor(({})/{})", linear(&d.num, &names), d.den));
    }
    linear(a.row(), &names)
}

/// `A[(v), (w)]`, wrapped pairs with both tuples.
pub(crate) fn values_text(tuple: &Tuple, values: &[String]) -> String {
    if let Some((a, b)) = tuple.nested.as_deref() {
        let (x, y) = values.split_at(a.dims.len());
        return format!("{}[{} -> {}]", tuple.name_str(), values_text(a, x), values_text(b, y));
    }
    let entries: Vec<String> = values.iter().map(|v| format!("({v})")).collect();
    format!("{}[{}]", tuple.name_str(), entries.join(", "))
}

/// The text of a function on one domain; none where that has no piece.
fn part(domain: &Space, dom: &Set, affs: &[Aff], output: &Tuple) -> Option<String> {
    let names = column_names(domain);
    let values: Vec<String> = affs.iter().map(|a| value(a, &names)).collect();
    let head = argument(domain, &names);
    Some(format!("{head}{}{}", values_text(output, &values), domain_text(dom, &names)?))
}

/// The tuple of arguments with an arrow behind it; nothing where these are the parameters.
fn argument(domain: &Space, names: &[String]) -> String {
    if domain.output.absent {
        return String::new();
    }
    format!("{} -> ", tuple_text(&domain.output, domain.n_param(), names, &[]))
}

/// ` : condition` of a domain, nothing for a universe, `None` without pieces. Pieces are joined by `or`, since a reader
/// adds up the values of parts that overlap.
pub(crate) fn domain_text(dom: &Set, names: &[String]) -> Option<String> {
    let list: Vec<String> = dom.basics().iter().map(|b| condition(b, names)).collect();
    match list.as_slice() {
        [] => None,
        _ if list.iter().any(String::is_empty) => Some(String::new()),
        [one] => Some(format!(" : {one}")),
        _ => Some(format!(" : ({})", list.join(") or ("))),
    }
}

pub(crate) fn write_parts(f: &mut Formatter<'_>, params: &[Arc<str>], list: &[String]) -> fmt::Result {
    if !params.is_empty() {
        write!(f, "[{}] -> ", params.join(", "))?;
    }
    if list.is_empty() { f.write_str("{  }") } else { write!(f, "{{ {} }}", list.join("; ")) }
}

fn multi_parts(f: &PwMultiAff) -> Vec<String> {
    let domain = f.space().domain();
    f.pieces().filter_map(|(d, affs)| part(&domain, d, affs, &f.space().output)).collect()
}

impl Display for Aff {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let universe = Set::universe(self.space().clone());
        let text = part(self.space(), &universe, std::slice::from_ref(self), &Tuple::new("", 1));
        write_parts(f, &self.space().params, text.as_slice())
    }
}

impl Display for PwAff {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.to_multi("").fmt(f)
    }
}

impl Display for PwMultiAff {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write_parts(f, &self.space().params, &multi_parts(self))
    }
}

impl Display for UnionPwAff {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let list: Vec<String> = self.members().flat_map(|m| multi_parts(&m.to_multi(""))).collect();
        write_parts(f, self.params(), &list)
    }
}

impl Display for UnionPwMultiAff {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let list: Vec<String> = self.members().flat_map(multi_parts).collect();
        write_parts(f, self.params(), &list)
    }
}

impl Display for MultiPwAff {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let domain = self.domain_space();
        let names = column_names(domain);
        let entry = |part: &PwAff| {
            let piece = |(dom, aff): (&Set, &Aff)| Some(format!("{}{}", value(aff, &names), domain_text(dom, &names)?));
            let pieces: Vec<String> = part.pieces().filter_map(piece).collect();
            if pieces.is_empty() { "0 : false".to_owned() } else { pieces.join("; ") }
        };
        let entries: Vec<String> = self.components().iter().map(entry).collect();
        let values = values_text(&Tuple::new(self.tuple(), entries.len()), &entries);
        write_parts(f, &domain.params, &[format!("{}{values}", argument(domain, &names))])
    }
}

impl Display for MultiUnionPwAff {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let mut params: Vec<Arc<str>> = Vec::new();
        for name in self.components().iter().flat_map(UnionPwAff::params) {
            if !params.contains(name) {
                params.push(name.clone());
            }
        }
        if !params.is_empty() {
            write!(f, "[{}] -> ", params.join(", "))?;
        }
        let part = |p: &UnionPwAff| {
            let list: Vec<String> = p.members().flat_map(|m| multi_parts(&m.to_multi(""))).collect();
            if list.is_empty() { "{  }".to_owned() } else { format!("{{ {} }}", list.join("; ")) }
        };
        let parts: Vec<String> = self.components().iter().map(part).collect();
        write!(f, "{}[{}]", self.tuple(), parts.join(", "))
    }
}
