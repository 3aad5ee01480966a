//! Products, wrapped pairs and tuple structure: operations that only move columns. All are exact and take no budget.
//! `[A -> B]` is a wrapped pair: one tuple that remembers the two it was made of; a flat tuple has forgotten them.

use crate::budget::{Budget, Error, Result};
use crate::sets::basic::wrapped;
use crate::sets::map::Map;
use crate::sets::set::Set;
use crate::sets::space::{Kind, Space, Tuple, unnamed_dims};
use crate::sets::union::{Parts, aligned, intersect_columns};
use crate::system::body::Body;
use crate::system::sys::{Mat, Sys};
use std::sync::Arc;

/// Consecutive columns of a product: where they start in the left and in the right factor.
struct Group {
    left: Option<usize>,
    right: Option<usize>,
    count: usize,
}

fn left(start: usize, count: usize) -> Group {
    Group { left: Some(start), right: None, count }
}

fn right(start: usize, count: usize) -> Group {
    Group { left: None, right: Some(start), count }
}

fn shared(left: usize, right: usize, count: usize) -> Group {
    Group { left: Some(left), right: Some(right), count }
}

/// The conjunction of both factors over the columns that the groups list, in `space`.
fn join<A: Parts, B: Parts, P: Parts>(a: &A, b: &B, space: Space, groups: &[Group]) -> P {
    let columns = |start: fn(&Group) -> Option<usize>| -> Vec<Option<usize>> {
        groups.iter().flat_map(|g| (0..g.count).map(move |k| start(g).map(|s| s + k))).collect()
    };
    let base: P = a.rebuilt(space, &columns(|g| g.left));
    intersect_columns(&base, b.bodies(), &columns(|g| g.right))
}

/// How the tuples of two factors become one.
type Combine = fn(&Tuple, &Tuple) -> Tuple;

fn input(space: &Space) -> Tuple {
    space.input.clone().unwrap_or_else(|| Tuple::new("", 0))
}

fn all_columns(space: &Space) -> Vec<Option<usize>> {
    (0..space.n_cols()).map(Some).collect()
}

fn flat(t: &Tuple) -> Tuple {
    Tuple { dims: t.dims.clone(), ..Tuple::new("", 0) }
}

impl Set {
    fn product_as(&self, o: &Set, combine: Combine) -> Set {
        let (a, b) = aligned(self, o);
        let (np, na, nb) = (a.space().n_param(), a.space().n_out(), b.space().n_out());
        let output = combine(&a.space().output, &b.space().output);
        let space = Space { params: a.space().params.clone(), input: None, output };
        join(a.as_ref(), b.as_ref(), space, &[shared(0, 0, np), left(np, na), right(np, nb)])
    }

    /// All wrapped pairs `[x -> y]` with `x` in `self` and `y` in `o`.
    pub fn product(&self, o: &Set) -> Set {
        self.product_as(o, Tuple::pair)
    }

    /// All pairs, dims side by side in an unnamed tuple.
    pub fn flat_product(&self, o: &Set) -> Set {
        self.product_as(o, Tuple::side_by_side)
    }

    /// One point of the set, as a set with that point and its parameter values alone; `None` if there is none. Errors:
    /// [`Error`](crate::Error).
    /// Exact. Cost: one feasibility test per piece, up to the first that has a point.
    pub fn sample_set(&self, b: &Budget) -> Result<Option<Set>> {
        let x = match self.sample(b) {
            Err(Error::Overflow) => return Ok(self.sample_big(b)?.map(|x| Set::of_point(self.space().clone(), &x))),
            found => found?,
        };
        let Some(x) = x else { return Ok(None) };
        let (n, w) = (x.len(), x.len() + 1);
        let mut rows = vec![0; n * w];
        for (c, v) in x.into_iter().enumerate() {
            rows[c * w + c] = 1;
            let Some(opposite) = v.checked_neg() else {
                return Ok(self.sample_big(b)?.map(|x| Set::of_point(self.space().clone(), &x)));
            };
            rows[c * w + n] = opposite;
        }
        let mut point = Sys::universe(n, 0);
        point.eq = Mat { w, v: rows };
        Ok(Some(Set::from_bodies(self.shared_space(), vec![Body::of(point)])))
    }

    /// The same points in an unnamed tuple without structure.
    pub fn flatten(&self) -> Set {
        let space = Space { output: flat(&self.space().output), ..self.space().clone() };
        self.rebuilt(space, &all_columns(self.space()))
    }

    /// The map whose pairs are the set's points, for a set of wrapped pairs; `None` for another set. Inverse of
    /// [`Map::wrap`].
    pub fn unwrap(&self) -> Option<Map> {
        let (input, output) = self.space().output.halves()?;
        let space = Space { params: self.space().params.clone(), input: Some(input), output };
        Some(self.rebuilt(space, &all_columns(self.space())))
    }

    /// The map whose pairs are the points split after the first `n_in` dims, with these tuple names.
    pub fn split(&self, n_in: usize, in_tuple: &str, out_tuple: &str) -> Map {
        assert!(n_in <= self.space().n_out(), "more input dims than there are dims");
        let dims = &self.space().output.dims;
        let tuple = |name: &str, dims: &[Option<Arc<str>>]| Tuple { dims: dims.into(), ..Tuple::new(name, 0) };
        let input = Some(tuple(in_tuple, &dims[..n_in]));
        let space = Space { params: self.space().params.clone(), input, output: tuple(out_tuple, &dims[n_in..]) };
        self.rebuilt(space, &all_columns(self.space()))
    }
}

impl Map {
    fn product_as(&self, o: &Map, combine: Combine) -> Map {
        let (f, g) = aligned(self, o);
        let np = f.space().n_param();
        let (fi, fo, gi, go) = (f.space().n_in(), f.space().n_out(), g.space().n_in(), g.space().n_out());
        let space = Space {
            params: f.space().params.clone(),
            input: Some(combine(&input(f.space()), &input(g.space()))),
            output: combine(&f.space().output, &g.space().output),
        };
        let groups = [shared(0, 0, np), left(np, fi), right(np, gi), left(np + fi, fo), right(np + gi, go)];
        join(f.as_ref(), g.as_ref(), space, &groups)
    }

    /// `{ [a -> c] -> [b -> d] : a -> b in self and c -> d in o }`, wrapped pairs on both sides.
    pub fn product(&self, o: &Map) -> Map {
        self.product_as(o, Tuple::pair)
    }

    /// `{ [a, c] -> [b, d] : a -> b in self and c -> d in o }`, flat unnamed tuples.
    pub fn flat_product(&self, o: &Map) -> Map {
        self.product_as(o, Tuple::side_by_side)
    }

    fn range_product_as(&self, o: &Map, combine: Combine) -> Map {
        assert!(self.space().n_in() == o.space().n_in(), "range product of maps with different domains");
        let (f, g) = aligned(self, o);
        let (np, ni, nb, nc) = (f.space().n_param(), f.space().n_in(), f.space().n_out(), g.space().n_out());
        let output = combine(&f.space().output, &g.space().output);
        let space = Space { params: f.space().params.clone(), input: f.space().input.clone(), output };
        join(f.as_ref(), g.as_ref(), space, &[shared(0, 0, np + ni), left(np + ni, nb), right(np + ni, nc)])
    }

    /// `{ a -> [b -> c] : a -> b in self and a -> c in o }`.
    pub fn range_product(&self, o: &Map) -> Map {
        self.range_product_as(o, Tuple::pair)
    }

    /// `{ a -> [b, c] : a -> b in self and a -> c in o }`, outputs side by side in an unnamed tuple.
    pub fn flat_range_product(&self, o: &Map) -> Map {
        self.range_product_as(o, Tuple::side_by_side)
    }

    /// `{ [a -> b] -> c : a -> c in self and b -> c in o }`.
    pub fn domain_product(&self, o: &Map) -> Map {
        assert!(self.space().n_out() == o.space().n_out(), "domain product of maps with different ranges");
        let (f, g) = aligned(self, o);
        let (np, fi, gi, no) = (f.space().n_param(), f.space().n_in(), g.space().n_in(), f.space().n_out());
        let pair = Tuple::pair(&input(f.space()), &input(g.space()));
        let space = Space { params: f.space().params.clone(), input: Some(pair), output: f.space().output.clone() };
        let groups = [shared(0, 0, np), left(np, fi), right(np, gi), shared(np + fi, np + gi, no)];
        join(f.as_ref(), g.as_ref(), space, &groups)
    }

    /// The set of wrapped pairs `[a -> b]`, dims side by side. Inverse of [`Set::unwrap`].
    pub fn wrap(&self) -> Set {
        self.rebuilt(wrapped(self.space()), &all_columns(self.space()))
    }

    /// The same pairs with both tuples flat and unnamed.
    pub fn flatten(&self) -> Map {
        self.flatten_domain().flatten_range()
    }

    /// The same pairs with the input tuple flat and unnamed.
    pub fn flatten_domain(&self) -> Map {
        let space = Space { input: Some(flat(&input(self.space()))), ..self.space().clone() };
        self.rebuilt(space, &all_columns(self.space()))
    }

    /// The same pairs with the output tuple flat and unnamed.
    pub fn flatten_range(&self) -> Map {
        let space = Space { output: flat(&self.space().output), ..self.space().clone() };
        self.rebuilt(space, &all_columns(self.space()))
    }

    /// Pairs moved into a space of as many columns: output column `c` (after the parameters) is column `order[c]` here.
    fn moved(&self, input: Tuple, output: Tuple, order: impl IntoIterator<Item = usize>) -> Map {
        let np = self.space().n_param();
        let cols: Vec<_> = (0..np).chain(order.into_iter().map(|c| np + c)).map(Some).collect();
        self.rebuilt(Space { params: self.space().params.clone(), input: Some(input), output }, &cols)
    }

    /// `{ [a -> c] -> [b -> d] : [a -> b] -> [c -> d] in self }`; `None` unless both tuples are wrapped pairs.
    pub fn zip(&self) -> Option<Map> {
        let ((a, b), (c, d)) = (input(self.space()).halves()?, self.space().output.halves()?);
        let ends = [0, a.dims.len(), b.dims.len(), c.dims.len(), d.dims.len()];
        let at: Vec<usize> = (1..=5).map(|k| ends[..k].iter().sum()).collect();
        let order = (at[0]..at[1]).chain(at[2]..at[3]).chain(at[1]..at[2]).chain(at[3]..at[4]);
        Some(self.moved(Tuple::pair(&a, &c), Tuple::pair(&b, &d), order))
    }

    /// `{ a -> [b -> c] : [a -> b] -> c in self }`; `None` unless the input is a wrapped pair.
    pub fn curry(&self) -> Option<Map> {
        let (a, b) = input(self.space()).halves()?;
        let n = self.space().n_in() + self.space().n_out();
        Some(self.moved(a, Tuple::pair(&b, &self.space().output), 0..n))
    }

    /// `{ [a -> b] -> c : a -> [b -> c] in self }`; `None` unless the output is a wrapped pair.
    pub fn uncurry(&self) -> Option<Map> {
        let (b, c) = self.space().output.halves()?;
        let n = self.space().n_in() + self.space().n_out();
        Some(self.moved(Tuple::pair(&input(self.space()), &b), c, 0..n))
    }

    /// `{ [a -> b] -> out }` for each pair, where out dim `d` is given by `row(d)` over `[params | a | b | 1]`.
    fn of_pairs(&self, output: Tuple, row: impl Fn(usize) -> Vec<i64>) -> Map {
        let n = self.space().n_cols();
        let pairs = wrapped(self.space()).output;
        let count = output.dims.len();
        let space = Space { params: self.space().params.clone(), input: Some(pairs), output };
        let cols: Vec<_> = (0..n + count).map(|c| (c < n).then_some(c)).collect();
        let mut m: Map = self.rebuilt(space, &cols);
        for d in 0..count {
            let mut r = row(d);
            r.splice(n..n, (0..count).map(|k| -i64::from(k == d)));
            m = m.add(Kind::Eq, &r);
        }
        m
    }

    /// One pair of the map, as a map with that pair and its parameter values alone; `None` if there is none. Errors:
    /// [`Error`](crate::Error), also when a coordinate does not fit `i64`.
    /// Exact. Cost: one feasibility test per piece, up to the first that has a point.
    pub fn sample(&self, b: &Budget) -> Result<Option<Map>> {
        Ok(self.wrap().sample_set(b)?.and_then(|s| s.unwrap()))
    }

    /// `{ [a -> b] -> a : a -> b in self }`.
    pub fn domain_map(&self) -> Map {
        let (n, np) = (self.space().n_cols(), self.space().n_param());
        self.of_pairs(input(self.space()), |d| unit(n, np + d))
    }

    /// `{ [a -> b] -> b : a -> b in self }`.
    pub fn range_map(&self) -> Map {
        let (n, first) = (self.space().n_cols(), self.space().n_param() + self.space().n_in());
        self.of_pairs(self.space().output.clone(), |d| unit(n, first + d))
    }

    /// `{ [a -> b] -> b - a : a -> b in self }` for tuples of equal size; the output has `b`'s name.
    pub fn deltas_map(&self) -> Map {
        let (n, np, ni) = (self.space().n_cols(), self.space().n_param(), self.space().n_in());
        assert!(ni == self.space().n_out(), "deltas of a map between tuples of different sizes");
        let output = Tuple { dims: unnamed_dims(ni), ..self.space().output.clone() };
        self.of_pairs(output, |d| {
            let mut row = unit(n, np + ni + d);
            row[np + d] = -1;
            row
        })
    }
}

/// The row over `n` columns and the constant that is column `c`.
fn unit(n: usize, c: usize) -> Vec<i64> {
    let mut row = vec![0; n + 1];
    row[c] = 1;
    row
}
