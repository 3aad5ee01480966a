//! Tuples of piecewise functions, each with a domain of its own: what isl writes as `{ S[i] -> A[(i : i >= 0), (2i)] }`
//! and, of several spaces, as `A[{ S[i] -> [(i)]; T[] -> [(0)] }, { S[i] -> [(2i)] }]`.

use crate::budget::{Budget, Result};
use crate::functions::pw::PwAff;
use crate::functions::pw_multi::PwMultiAff;
use crate::functions::union_functions::{UnionPwAff, UnionPwMultiAff};
use crate::sets::set::Set;
use crate::sets::space::{Space, union_params};
use crate::sets::union_sets::UnionSet;
use crate::text::parse::ParseError;
use std::ops::Range;

type Parsed<T> = std::result::Result<T, ParseError>;

/// A tuple of piecewise quasi-affine functions of one space. Other than those of a [`PwMultiAff`] its components may be
/// defined at different points. Equality and hash are those of the components.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MultiPwAff {
    domain: Space,
    tuple: String,
    parts: Vec<PwAff>,
}

/// A tuple of piecewise quasi-affine functions, each of points of several spaces.
/// Equality and hash are those of the components.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MultiUnionPwAff {
    tuple: String,
    parts: Vec<UnionPwAff>,
}

macro_rules! shared_methods {
    ($t:ident, $part:ident, $dom:ident) => {
        impl $t {
            /// The functions, first to last.
            pub fn components(&self) -> &[$part] {
                &self.parts
            }

            /// The name of the tuple, `""` for none.
            pub fn tuple(&self) -> &str {
                &self.tuple
            }

            /// Both component by component. Panics where they have different numbers of these.
            fn by_component(&self, o: &$t, f: impl Fn(&$part, &$part) -> Result<$part>) -> Result<$t> {
                assert!(self.parts.len() == o.parts.len(), "tuples of different sizes");
                let parts = self.parts.iter().zip(&o.parts).map(|(x, y)| f(x, y)).collect::<Result<_>>()?;
                Ok(self.with(parts))
            }

            /// The sums, each where both are defined. Panics where there are different numbers of components.
            /// Exact. Cost: a feasibility test of each piece of one operand with each of the other. Errors:
            /// [`Error`](crate::Error).
            pub fn add(&self, o: &$t, b: &Budget) -> Result<$t> {
                self.by_component(o, |x, y| x.add(y, b))
            }

            /// The differences, each where both are defined. Panics, cost, errors: as [`Self::add`].
            pub fn sub(&self, o: &$t, b: &Budget) -> Result<$t> {
                self.by_component(o, |x, y| x.sub(y, b))
            }

            /// The sums where both are defined, elsewhere whichever is. Panics, errors: as [`Self::add`].
            /// Exact. Cost: that of the sum and two differences of domains.
            pub fn union_add(&self, o: &$t, b: &Budget) -> Result<$t> {
                self.by_component(o, |x, y| x.union_add(y, b))
            }

            /// `k` times each.
            #[must_use]
            pub fn scale(&self, k: i64) -> $t {
                self.with(self.parts.iter().map(|f| f.scale(k)).collect())
            }

            /// Each where its argument lies in `dom`.
            #[must_use]
            pub fn intersect_domain(&self, dom: &$dom) -> $t {
                self.with(self.parts.iter().map(|f| f.intersect_domain(dom)).collect())
            }

            /// True iff both have the same number of components and these are defined at the same points, with the same
            /// values. Exact. Cost: two inclusion tests per component. Errors: [`Error`](crate::Error).
            pub fn is_equal(&self, o: &$t, b: &Budget) -> Result<bool> {
                if self.parts.len() != o.parts.len() || self.tuple != o.tuple {
                    return Ok(false);
                }
                for (x, y) in self.parts.iter().zip(&o.parts) {
                    if !x.is_equal(y, b)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
        }
    };
}
shared_methods!(MultiPwAff, PwAff, Set);
shared_methods!(MultiUnionPwAff, UnionPwAff, UnionSet);

impl MultiPwAff {
    /// A tuple with a name (`""` for none) of functions on the set space `domain`.
    pub fn new(domain: &Space, parts: Vec<PwAff>, tuple: &str) -> MultiPwAff {
        assert!(parts.iter().all(|f| f.space().same_tuples(domain)), "functions on other spaces");
        let all = |params, f: &PwAff| union_params(&params, &f.space().params).0;
        let params = parts.iter().fold(domain.params.clone(), all);
        let parts = parts.iter().map(|f| f.over_params(&params)).collect();
        MultiPwAff { domain: domain.with_params(&params), tuple: tuple.to_owned(), parts }
    }

    fn with(&self, parts: Vec<PwAff>) -> MultiPwAff {
        MultiPwAff::new(&self.domain, parts, &self.tuple)
    }

    /// The space of the arguments.
    pub fn domain_space(&self) -> &Space {
        &self.domain
    }

    /// Reads isl's notation: `{ S[i] -> A[(i : i >= 0; -i : i < 0), (2i)] }`, one part. Errors: [`ParseError`] with its
    /// position.
    ///
    /// ```
    /// # use presburger::{Budget, MultiPwAff};
    /// let f = MultiPwAff::parse("{ S[i] -> A[(i : i >= 0), (2i)] }").unwrap();
    /// let b = Budget::unlimited();
    /// assert_eq!(f.components()[1].eval(&[], &[-3]), Some(-6));
    /// assert_eq!(f.to_pw_multi_aff(&b).unwrap().eval(&[], &[-3]), None);
    /// ```
    pub fn parse(text: &str) -> Parsed<MultiPwAff> {
        let Some((name, entries)) = last_tuple(text) else { return Err(misread(text, 0, "expected a tuple")) };
        let alone = |keep: Option<&Range<usize>>| {
            // What stands elsewhere stays in its column.
            let hidden = |at: usize| {
                let inside = entries.first().zip(entries.last()).is_some_and(|(f, l)| f.start <= at && at < l.end);
                name.contains(&at) || (inside && keep.is_none_or(|own| !own.contains(&at)))
            };
            text.char_indices().map(|(at, c)| if c != '\n' && hidden(at) { ' ' } else { c }).collect::<String>()
        };
        let parts = entries.iter().map(|own| PwAff::parse(&alone(Some(own)))).collect::<Parsed<Vec<_>>>()?;
        let domain = match parts.first() {
            Some(f) => f.space().clone(),
            None => PwMultiAff::parse(text)?.space().domain(),
        };
        Ok(MultiPwAff::new(&domain, parts, &text[name]))
    }

    /// The components of a function into a tuple.
    pub fn from_pw_multi_aff(f: &PwMultiAff) -> MultiPwAff {
        let parts = (0..f.space().n_out()).map(|k| f.component(k)).collect();
        MultiPwAff { domain: f.space().domain(), tuple: f.space().output.name_str().to_owned(), parts }
    }

    /// The function into the tuple, defined where all components are.
    /// Exact. Cost: a feasibility test per choice of a piece of each component. Errors: [`Error`](crate::Error).
    pub fn to_pw_multi_aff(&self, b: &Budget) -> Result<PwMultiAff> {
        PwMultiAff::from_components(&self.domain, &self.parts, &self.tuple, b)
    }

    /// The functions of `inner`'s values.
    /// Exact. Cost: a projection of each piece of one operand with each of the other. Errors: [`Error`](crate::Error).
    pub fn pullback(&self, inner: &PwMultiAff, b: &Budget) -> Result<MultiPwAff> {
        let parts = self.parts.iter().map(|f| f.pullback(inner, b)).collect::<Result<_>>()?;
        Ok(MultiPwAff::new(&inner.space().domain(), parts, &self.tuple))
    }
}

impl MultiUnionPwAff {
    /// A tuple with a name (`""` for none) of functions.
    pub fn new(parts: Vec<UnionPwAff>, tuple: &str) -> MultiUnionPwAff {
        MultiUnionPwAff { tuple: tuple.to_owned(), parts }
    }

    fn with(&self, parts: Vec<UnionPwAff>) -> MultiUnionPwAff {
        MultiUnionPwAff { tuple: self.tuple.clone(), parts }
    }

    /// Reads isl's notation: `[N] -> A[{ S[i] -> [(i)]; T[] -> [(N)] }, { S[i] -> [(0)] }]`. Errors: [`ParseError`]
    /// with its position.
    pub fn parse(text: &str) -> Parsed<MultiUnionPwAff> {
        let open = text.find('{').unwrap_or(text.len());
        let Some(start) = text[..open].rfind('[').filter(|_| text.trim_end().ends_with(']')) else {
            return Err(misread(text, open, "expected a tuple of functions"));
        };
        let params = text[..start].rfind("->").map_or(0, |at| at + 2);
        let end = text.trim_end().len() - 1;
        let mut parts = Vec::new();
        for own in split(text, start + 1..end) {
            let shown = |at: usize| at < params || own.contains(&at);
            let alone: String =
                text.char_indices().map(|(at, c)| if c == '\n' || shown(at) { c } else { ' ' }).collect();
            parts.push(UnionPwAff::parse(&alone)?);
        }
        Ok(MultiUnionPwAff { tuple: text[params..start].trim().to_owned(), parts })
    }

    /// The function into the tuple, of points at which all components are defined; there must be one.
    /// Exact. Cost: a feasibility test per choice of a piece of each component. Errors: [`Error`](crate::Error).
    pub fn to_union_pw_multi_aff(&self, b: &Budget) -> Result<UnionPwMultiAff> {
        let first = self.parts.first().expect("a tuple with components");
        let mut out = UnionPwMultiAff::from_map(&crate::UnionMap::empty(&[]), b)?;
        for f in first.members() {
            let tuples = |g: &&PwAff| g.space().same_tuples(f.space());
            let own: Option<Vec<PwAff>> = self.parts.iter().map(|p| p.members().find(tuples).cloned()).collect();
            if let Some(own) = own {
                out.insert(PwMultiAff::from_components(f.space(), &own, &self.tuple, b)?, b)?;
            }
        }
        Ok(out)
    }
}

fn misread(text: &str, at: usize, message: &str) -> ParseError {
    let before = &text[..at];
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
    ParseError { line, column, message: message.to_owned() }
}

/// Where the name of the last tuple before a condition stands, and each of its entries.
fn last_tuple(text: &str) -> Option<(Range<usize>, Vec<Range<usize>>)> {
    let (mut depth, mut open, mut found) = (0, None, None);
    for (at, c) in text.char_indices() {
        match c {
            '[' | '(' => {
                if depth == 0 && c == '[' {
                    open = Some(at);
                }
                depth += 1;
            }
            ']' | ')' => {
                depth -= 1;
                if depth == 0 && c == ']' {
                    found = open.map(|open| (open, at));
                }
            }
            ':' if depth == 0 => break,
            _ => {}
        }
    }
    let (open, close) = found?;
    let name = text[..open].trim_end();
    let length = name.chars().rev().take_while(|c| c.is_alphanumeric() || "_.'".contains(*c)).map(char::len_utf8).sum();
    let start = name.len().checked_sub(length)?;
    Some((start..name.len(), split(text, open + 1..close)))
}

/// The parts of a range of a text between commas outside of brackets; none of white space.
fn split(text: &str, range: Range<usize>) -> Vec<Range<usize>> {
    let (mut out, mut depth, mut start) = (Vec::new(), 0, range.start);
    for (at, c) in text[range.clone()].char_indices().map(|(at, c)| (at + range.start, c)) {
        match c {
            '[' | '(' | '{' => depth += 1,
            ']' | ')' | '}' => depth -= 1,
            ',' if depth == 0 => {
                out.push(start..at);
                start = at + 1;
            }
            _ => {}
        }
    }
    if !out.is_empty() || !text[start..range.end].trim().is_empty() {
        out.push(start..range.end);
    }
    out
}
