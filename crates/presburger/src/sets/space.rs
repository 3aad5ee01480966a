//! Named spaces: parameters, an optional input tuple and an output tuple. Spaces with equal tuples are the same space
//! whatever their parameters; binary operations align parameters by name.

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, OnceLock};

/// Constraint kind: `Eq` is `row . x = 0`, `Ge` is `row . x >= 0`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// `row . x = 0`
    Eq,
    /// `row . x >= 0`
    Ge,
}

/// A group of columns. The dims of a set are `Out`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Dim {
    /// Symbolic constants.
    Param,
    /// Input dims of a map.
    In,
    /// Output dims of a map, dims of a set.
    Out,
}

/// Named tuple: `S[i, j]`. Unnamed tuples print as `[i, j]`. Dim names are for printing only, tuples that differ in
/// nothing else are equal. A wrapped pair of tuples is a tuple too: `[S[i] -> A[j]]`.
#[derive(Clone, Debug)]
pub struct Tuple {
    /// Part of the space's identity.
    pub name: Option<Arc<str>>,
    /// One entry per dim; names are for printing. Of a wrapped pair: the dims of both, side by side.
    pub dims: Dims,
    /// The two tuples of a wrapped pair, part of the space's identity. Their dims add up to `dims`, which has the
    /// names.
    pub nested: Option<Arc<(Tuple, Tuple)>>,
    /// No tuple: that of the set space of parameter values `{ : }`, which is not the space of the empty tuple `{ [] }`.
    pub absent: bool,
}

/// The dims of a tuple with their names, shared between spaces.
pub type Dims = Arc<[Option<Arc<str>>]>;

impl Tuple {
    /// A tuple of `n` unnamed dims; the name `""` means unnamed.
    pub fn new(name: &str, n: usize) -> Tuple {
        Tuple { name: (!name.is_empty()).then(|| Arc::from(name)), dims: unnamed_dims(n), nested: None, absent: false }
    }

    /// No tuple, as in `{ : }`.
    pub fn absent() -> Tuple {
        Tuple { absent: true, ..Tuple::new("", 0) }
    }

    /// The wrapped pair `[a -> b]`, unnamed.
    pub fn pair(a: &Tuple, b: &Tuple) -> Tuple {
        let dims = a.dims.iter().chain(b.dims.iter()).cloned().collect();
        Tuple { name: None, dims, nested: Some(Arc::new((a.clone(), b.clone()))), absent: false }
    }

    /// The dims of both side by side, unnamed.
    pub fn side_by_side(a: &Tuple, b: &Tuple) -> Tuple {
        Tuple { name: None, dims: a.dims.iter().chain(b.dims.iter()).cloned().collect(), nested: None, absent: false }
    }

    /// The two tuples of a wrapped pair with the dim names of the whole.
    pub fn halves(&self) -> Option<(Tuple, Tuple)> {
        let (a, b) = self.nested.as_deref()?;
        let n = a.dims.len();
        let named = |t: &Tuple, dims: &[Option<Arc<str>>]| Tuple { dims: dims.into(), ..t.clone() };
        Some((named(a, &self.dims[..n]), named(b, &self.dims[n..])))
    }

    /// Name and structure as text, equal for two tuples of equal size iff they match: the name, `name[a/1 -> b/2]`, or
    /// `:` for none.
    pub(crate) fn signature(&self) -> String {
        match self.nested.as_deref() {
            None if self.absent => ":".to_string(),
            None => self.name_str().to_string(),
            Some((a, b)) => {
                let part = |t: &Tuple| format!("{}/{}", t.signature(), t.dims.len());
                format!("{}[{} -> {}]", self.name_str(), part(a), part(b))
            }
        }
    }

    /// The tuple's name, `""` if it has none.
    pub fn name_str(&self) -> &str {
        self.name.as_deref().unwrap_or("")
    }
}

/// What makes a tuple the one it is: all but the names of its dims.
type Identity<'t> = (Option<&'t str>, usize, Option<&'t (Tuple, Tuple)>, bool);

impl Tuple {
    fn identity(&self) -> Identity<'_> {
        (self.name.as_deref(), self.dims.len(), self.nested.as_deref(), self.absent)
    }
}

impl PartialEq for Tuple {
    // Names that are shared are not looked at.
    fn eq(&self, other: &Tuple) -> bool {
        self.dims.len() == other.dims.len()
            && self.absent == other.absent
            && self.name == other.name
            && self.nested == other.nested
    }
}

impl Eq for Tuple {}

impl PartialOrd for Tuple {
    fn partial_cmp(&self, other: &Tuple) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Tuple {
    fn cmp(&self, other: &Tuple) -> Ordering {
        self.identity().cmp(&other.identity())
    }
}

impl Hash for Tuple {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.identity().hash(state);
    }
}

/// Space of a set (`input == None`) or map. Binary operations align parameters by name by themselves.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Space {
    /// Names of the symbolic constants, in column order.
    pub params: Arc<[Arc<str>]>,
    /// Input tuple of a map, `None` for a set.
    pub input: Option<Tuple>,
    /// Output tuple of a map, tuple of a set.
    pub output: Tuple,
}

/// `n` dims without names.
pub(crate) fn unnamed_dims(n: usize) -> Dims {
    static SHARED: [OnceLock<Dims>; 16] = [const { OnceLock::new() }; 16];
    let new = || std::iter::repeat_n(None, n).collect();
    SHARED.get(n).map_or_else(new, |d| d.get_or_init(new).clone())
}

fn param_list(params: &[&str]) -> Arc<[Arc<str>]> {
    params.iter().map(|p| Arc::from(*p)).collect()
}

impl Space {
    /// Space of sets of `n`-tuples; tuple `""` is unnamed.
    pub fn set(params: &[&str], tuple: &str, n: usize) -> Space {
        Space { params: param_list(params), input: None, output: Tuple::new(tuple, n) }
    }

    /// Space of maps from `n_in`-tuples to `n_out`-tuples.
    pub fn map(params: &[&str], in_tuple: &str, n_in: usize, out_tuple: &str, n_out: usize) -> Space {
        Space {
            params: param_list(params),
            input: Some(Tuple::new(in_tuple, n_in)),
            output: Tuple::new(out_tuple, n_out),
        }
    }

    /// `[N] -> { : }`: the space of sets of parameter values.
    pub fn params_only(params: &[&str]) -> Space {
        Space { params: param_list(params), input: None, output: Tuple::absent() }
    }

    /// Whether it is a space of sets of parameter values, without a tuple.
    pub fn is_params(&self) -> bool {
        self.input.is_none() && self.output.absent
    }

    /// Number of parameters.
    pub fn n_param(&self) -> usize {
        self.params.len()
    }

    /// Input dims; 0 for a set.
    pub fn n_in(&self) -> usize {
        self.input.as_ref().map_or(0, |t| t.dims.len())
    }

    /// Output dims; the dims of a set live here.
    pub fn n_out(&self) -> usize {
        self.output.dims.len()
    }

    /// Parameters and all dims: the visible columns of a row.
    pub fn n_cols(&self) -> usize {
        self.n_param() + self.n_in() + self.n_out()
    }

    /// First column of a group.
    pub fn first(&self, dim: Dim) -> usize {
        match dim {
            Dim::Param => 0,
            Dim::In => self.n_param(),
            Dim::Out => self.n_param() + self.n_in(),
        }
    }

    /// Number of columns of a group.
    pub fn count(&self, dim: Dim) -> usize {
        match dim {
            Dim::Param => self.n_param(),
            Dim::In => self.n_in(),
            Dim::Out => self.n_out(),
        }
    }

    /// Whether there is an input tuple.
    pub fn is_map(&self) -> bool {
        self.input.is_some()
    }

    /// Set space of the input tuple (of a set space: the parameter space).
    pub fn domain(&self) -> Space {
        Space { params: self.params.clone(), input: None, output: self.input.clone().unwrap_or_else(Tuple::absent) }
    }

    /// Set space of the output tuple.
    pub fn range(&self) -> Space {
        Space { params: self.params.clone(), input: None, output: self.output.clone() }
    }

    /// Input and output swapped (a set space is taken as a map from the empty tuple).
    pub fn reverse(&self) -> Space {
        let input = self.input.clone().unwrap_or_else(|| Tuple::new("", 0));
        Space { params: self.params.clone(), input: Some(self.output.clone()), output: input }
    }

    /// Set space `S` to map space `S -> S`.
    pub fn map_to_self(&self) -> Space {
        Space { params: self.params.clone(), input: Some(self.output.clone()), output: self.output.clone() }
    }

    /// Map space from this set space to the tuple of `range`, over the union of both parameter lists.
    pub fn map_to(&self, range: &Space) -> Space {
        let (params, _) = union_params(&self.params, &range.params);
        Space { params, input: Some(self.output.clone()), output: range.output.clone() }
    }

    /// Whether it is the space of maps from a tuple to the same tuple.
    pub fn is_to_self(&self) -> bool {
        self.input.as_ref() == Some(&self.output)
    }

    /// Same tuples (names and sizes), whatever the parameters.
    pub fn same_tuples(&self, o: &Space) -> bool {
        self.output == o.output && self.input == o.input
    }

    pub(crate) fn with_params(&self, params: &Arc<[Arc<str>]>) -> Space {
        Space { params: params.clone(), input: self.input.clone(), output: self.output.clone() }
    }
}

/// `a` followed by the names only `b` has; and for each result column of `b`'s alignment its source in `b`.
pub(crate) fn union_params(a: &Arc<[Arc<str>]>, b: &Arc<[Arc<str>]>) -> (Arc<[Arc<str>]>, Vec<Option<usize>>) {
    if Arc::ptr_eq(a, b) || a == b {
        return (a.clone(), (0..b.len()).map(Some).collect());
    }
    let extra: Vec<Arc<str>> = b.iter().filter(|p| !a.contains(p)).cloned().collect();
    let all: Arc<[Arc<str>]> = if extra.is_empty() { a.clone() } else { a.iter().cloned().chain(extra).collect() };
    let sources = all.iter().map(|p| b.iter().position(|q| q == p)).collect();
    (all, sources)
}
