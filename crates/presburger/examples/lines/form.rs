//! How an answer is written: as text in isl's notation, or as rows that isl reads ten times faster than text.
//!
//! Rows begin with `rows `; then, separated by `&`, one part per space: the universe of the space in isl's notation and
//! its pieces, each after a `|`. A piece is `EXISTENTIALS:EQUALITIES:INEQUALITIES`, rows separated by `;`, over
//! `[params | in | out | existentials | 1]`.

use presburger::{BasicSet, Kind, Map, PwAff, PwMultiAff, Set, Space, UnionMap, UnionPwAff, UnionPwMultiAff, UnionSet};
use std::borrow::Cow;

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Form {
    Text,
    Rows,
}

pub trait Shown: ToString {
    /// The value in rows, if it has such a form and its coefficients fit `i64`.
    fn rows(&self) -> Option<String> {
        None
    }

    fn shown(&self, form: Form) -> String {
        match form {
            Form::Rows => self.rows().unwrap_or_else(|| self.to_string()),
            Form::Text => self.to_string(),
        }
    }
}

impl Shown for bool {}

type Rows = Vec<(Kind, Vec<i64>)>;

fn piece(exists: usize, rows: &Rows) -> String {
    let of = |kind: Kind| {
        let list = rows
            .iter()
            .filter(|(k, _)| *k == kind)
            .map(|(_, r)| r.iter().map(i64::to_string).collect::<Vec<_>>().join(" "));
        list.collect::<Vec<_>>().join(";")
    };
    format!("|{exists}:{}:{}", of(Kind::Eq), of(Kind::Ge))
}

fn universe(space: &Space) -> String {
    if space.input.is_some() {
        Map::universe(space.clone()).to_string()
    } else {
        Set::universe(space.clone()).to_string()
    }
}

fn part(space: &Space, pieces: impl Iterator<Item = Option<String>>) -> Option<String> {
    Some(format!("{}{}", universe(space), pieces.collect::<Option<String>>()?))
}

fn set_part(s: &Set) -> Option<String> {
    part(s.space(), s.basics().iter().map(|b| Some(piece(b.n_exists(), &b.rows_i64().ok()?))))
}

fn map_part(m: &Map) -> Option<String> {
    part(m.space(), m.basics().iter().map(|b| Some(piece(b.n_exists(), &b.rows_i64().ok()?))))
}

fn parts(mut list: impl Iterator<Item = Option<String>>) -> Option<String> {
    let all = list.by_ref().collect::<Option<Vec<_>>>()?;
    (!all.is_empty()).then(|| format!("rows {}", all.join("&")))
}

impl Shown for Set {
    fn rows(&self) -> Option<String> {
        parts([set_part(self)].into_iter())
    }
}

impl Shown for Map {
    fn rows(&self) -> Option<String> {
        parts([map_part(self)].into_iter())
    }
}

impl Shown for BasicSet {
    fn rows(&self) -> Option<String> {
        self.to_set().rows()
    }
}

impl<T: Shown + Clone> Shown for Cow<'_, T>
where
    Self: ToString,
{
    fn rows(&self) -> Option<String> {
        self.as_ref().rows()
    }
}

impl Shown for UnionSet {
    fn rows(&self) -> Option<String> {
        parts(self.sets().map(set_part))
    }
}

impl Shown for UnionMap {
    fn rows(&self) -> Option<String> {
        parts(self.maps().map(map_part))
    }
}

/// Functions are shown by their graphs.
macro_rules! by_graph {
    ($($t:ident)+) => {
        $(impl Shown for $t {
            fn rows(&self) -> Option<String> {
                self.to_map().rows()
            }
        })+
    };
}

by_graph!(PwAff PwMultiAff UnionPwAff UnionPwMultiAff);
