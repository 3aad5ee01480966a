//! Columns inserted, renamed and moved between parameters, input and output dims.

use crate::sets::map::Map;
use crate::sets::set::Set;
use crate::sets::space::{Dim, Space, Tuple};
use crate::sets::union::Parts;
use std::sync::Arc;

/// A column of the result: the one it comes from (`None`: free), and its name.
#[derive(Clone)]
struct Column {
    from: Option<usize>,
    name: Option<Arc<str>>,
}

/// The columns of the result, by group.
struct Columns {
    params: Vec<Column>,
    input: Vec<Column>,
    output: Vec<Column>,
}

impl Columns {
    fn of(space: &Space) -> Columns {
        let group = |dim: Dim, names: Vec<Option<Arc<str>>>| -> Vec<Column> {
            let first = space.first(dim);
            names.into_iter().enumerate().map(|(k, name)| Column { from: Some(first + k), name }).collect()
        };
        let dims = |t: &Tuple| t.dims.to_vec();
        Columns {
            params: group(Dim::Param, space.params.iter().cloned().map(Some).collect()),
            input: space.input.as_ref().map_or_else(Vec::new, |t| group(Dim::In, dims(t))),
            output: group(Dim::Out, dims(&space.output)),
        }
    }

    fn group(&mut self, dim: Dim) -> &mut Vec<Column> {
        match dim {
            Dim::Param => &mut self.params,
            Dim::In => &mut self.input,
            Dim::Out => &mut self.output,
        }
    }

    /// `a` over these columns. A wrapped pair that gains or loses dims becomes a plain tuple.
    fn rebuild<A: Parts>(&self, a: &A) -> A {
        let own = a.shared();
        let tuple = |old: &Tuple, list: &[Column]| {
            let dims = list.iter().map(|c| c.name.clone()).collect();
            let nested = old.nested.clone().filter(|_| old.dims.len() == list.len());
            Tuple { dims, nested, absent: old.absent && list.is_empty(), ..old.clone() }
        };
        let params: Arc<[Arc<str>]> =
            self.params.iter().map(|c| c.name.clone().expect("a parameter has a name")).collect();
        assert!((1..params.len()).all(|k| !params[..k].contains(&params[k])), "parameters have different names");
        let space = Space {
            params,
            input: own.input.as_ref().map(|t| tuple(t, &self.input)),
            output: tuple(&own.output, &self.output),
        };
        let from: Vec<Option<usize>> =
            self.params.iter().chain(&self.input).chain(&self.output).map(|c| c.from).collect();
        a.rebuilt(space, &from)
    }
}

fn insert<A: Parts>(a: &A, dim: Dim, pos: usize, names: &[&str]) -> A {
    assert!(dim != Dim::In || a.shared().is_map(), "a set has no input dims");
    let mut columns = Columns::of(a.shared());
    let new = names.iter().map(|n| Column { from: None, name: (!n.is_empty()).then(|| Arc::from(*n)) });
    columns.group(dim).splice(pos..pos, new);
    columns.rebuild(a)
}

fn rename<A: Parts>(a: &A, dim: Dim, pos: usize, name: &str) -> A {
    let mut columns = Columns::of(a.shared());
    columns.group(dim)[pos].name = (!name.is_empty()).then(|| Arc::from(name));
    columns.rebuild(a)
}

fn moved<A: Parts>(a: &A, to: (Dim, usize), from: (Dim, usize), n: usize) -> A {
    assert!(to.0 != Dim::In || a.shared().is_map(), "a set has no input dims");
    let mut columns = Columns::of(a.shared());
    let list: Vec<Column> = columns.group(from.0).drain(from.1..from.1 + n).collect();
    columns.group(to.0).splice(to.1..to.1, list);
    columns.rebuild(a)
}

macro_rules! dims_methods {
    ($t:ident) => {
        impl $t {
            /// New dims without constraints before dim `pos` of the group, one per name; `""` is no name, which
            /// parameters must have.
            ///
            /// # Panics
            /// If `pos` is out of range, or a parameter of that name exists.
            pub fn insert_dims(&self, dim: Dim, pos: usize, names: &[&str]) -> $t {
                insert(self, dim, pos, names)
            }

            /// The same points with another name for a dim or parameter; `""` is no name.
            ///
            /// # Panics
            /// If `pos` is out of range, or a parameter of that name exists.
            pub fn rename_dim(&self, dim: Dim, pos: usize, name: &str) -> $t {
                rename(self, dim, pos, name)
            }

            /// Moves `n` dims from `from` (group and position) to `to`, a position counted without them: dims become
            /// parameters and back, inputs outputs. Dims that become parameters must have names.
            ///
            /// # Panics
            /// If a position is out of range, or two parameters have one name.
            pub fn move_dims(&self, to: (Dim, usize), from: (Dim, usize), n: usize) -> $t {
                moved(self, to, from, n)
            }
        }
    };
}
dims_methods!(Set);
dims_methods!(Map);
