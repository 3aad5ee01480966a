//! Quasi-affine functions with integer values on a set space.
//! Row layout: `[params | dims | divs | 1]`; `divs[k] = floor((num . [params | dims | divs 0..k | 1]) / den)`.
//! A coefficient that would leave `i64` is kept exact by naming the operand as a div with denominator 1.

use crate::num::{Int, Res};
use crate::sets::basic::{Basic, Div};
use crate::sets::map::Map;
use crate::sets::set::{Set, joint_params};
use crate::sets::space::{Space, Tuple};
use crate::system::body::{Body, IntoBody};
use crate::system::sys::{Sys, negated};
use num_bigint::BigInt;
use num_traits::ToPrimitive;
use std::sync::Arc;

/// Quasi-affine function of a set space's dims (or of params only): `num . [params | dims | divs | 1]`. Integer valued.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Aff {
    space: Arc<Space>,
    divs: Vec<Div>,
    row: Vec<i64>,
}

/// Inserts `count` zero columns before position `at`.
fn with_gap(row: &[i64], at: usize, count: usize) -> Vec<i64> {
    row[..at].iter().copied().chain(std::iter::repeat_n(0, count)).chain(row[at..].iter().copied()).collect()
}

impl Aff {
    /// Row over `[params | dims | 1]` of a *set* space.
    pub fn from_row(space: &Space, row: &[i64]) -> Aff {
        assert!(!space.is_map() && row.len() == space.n_cols() + 1, "row of {} entries for {space:?}", row.len());
        Aff { space: Arc::new(space.clone()), divs: Vec::new(), row: row.to_vec() }
    }

    /// A function from its parts; each div in terms of earlier ones.
    pub(crate) fn from_parts(space: &Space, divs: Vec<Div>, row: Vec<i64>) -> Aff {
        debug_assert_eq!(row.len(), space.n_cols() + divs.len() + 1);
        Aff { space: Arc::new(space.clone()), divs, row }.without_unused()
    }

    /// The function 0.
    pub fn zero(space: &Space) -> Aff {
        Aff::from_row(space, &vec![0; space.n_cols() + 1])
    }

    /// The value of dim `pos`.
    pub fn dim(space: &Space, pos: usize) -> Aff {
        assert!(pos < space.n_out(), "dim out of range");
        let mut row = vec![0; space.n_cols() + 1];
        row[space.n_param() + pos] = 1;
        Aff::from_row(space, &row)
    }

    /// The value of parameter `pos`.
    pub fn param(space: &Space, pos: usize) -> Aff {
        assert!(pos < space.n_param(), "parameter out of range");
        let mut row = vec![0; space.n_cols() + 1];
        row[pos] = 1;
        Aff::from_row(space, &row)
    }

    /// A constant function.
    pub fn constant(space: &Space, v: i64) -> Aff {
        let mut row = vec![0; space.n_cols() + 1];
        row[space.n_cols()] = v;
        Aff::from_row(space, &row)
    }

    /// The set space of its arguments.
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// `[params | dims | divs | 1]`.
    pub fn row(&self) -> &[i64] {
        &self.row
    }

    /// Definitions of the floors used, each in terms of earlier ones.
    pub fn divs(&self) -> &[Div] {
        &self.divs
    }

    /// The plain `[params | dims | 1]` row if there are no divs.
    pub fn as_affine(&self) -> Option<Vec<i64>> {
        self.divs.is_empty().then(|| self.row.clone())
    }

    fn n(&self) -> usize {
        self.space.n_cols()
    }

    /// The same function over a parameter list that has all of its own.
    pub(crate) fn over_params(&self, params: &Arc<[Arc<str>]>) -> Aff {
        if self.space.params == *params {
            return self.clone();
        }
        let np = self.space.n_param();
        let move_row = |row: &[i64]| -> Vec<i64> {
            let source = |p: &Arc<str>| self.space.params.iter().position(|q| q == p);
            params.iter().map(|p| source(p).map_or(0, |c| row[c])).chain(row[np..].iter().copied()).collect()
        };
        Aff {
            space: Arc::new(self.space.with_params(params)),
            divs: self.divs.iter().map(|d| Div { num: move_row(&d.num), den: d.den }).collect(),
            row: move_row(&self.row),
        }
    }

    /// Both functions over one parameter list and one list of divs.
    fn joined(&self, o: &Aff) -> (Aff, Aff) {
        assert!(self.space.n_out() == o.space.n_out(), "functions over different spaces");
        let params = joint_params(&self.space, &o.space);
        let (mut a, b) = (self.over_params(&params), o.over_params(&params));
        let n = a.n();
        // Where each div of `b` ends up among the divs of `a`.
        let mut place: Vec<usize> = Vec::new();
        let move_row = |row: &[i64], place: &[usize], count: usize| -> Vec<i64> {
            let mut out = row[..n].to_vec();
            out.extend(std::iter::repeat_n(0, count));
            for (k, v) in row[n..row.len() - 1].iter().enumerate() {
                out[n + place[k]] = *v;
            }
            out.push(row[row.len() - 1]);
            out
        };
        for d in &b.divs {
            let last = a.divs.len();
            let num = move_row(&d.num, &place, last);
            // A div that `b` has twice stays twice: the sum of its coefficients may not fit.
            let same = |(k, e): (usize, &Div)| {
                !place.contains(&k) && e.den == d.den && with_gap(&e.num, n + k, last - k) == num
            };
            let known = a.divs.iter().enumerate().position(same);
            place.push(known.unwrap_or(last));
            if known.is_none() {
                a.divs.push(Div { num, den: d.den });
                a.row = with_gap(&a.row, n + last, 1);
            }
        }
        let row = move_row(&b.row, &place, a.divs.len());
        let b = Aff { space: a.space.clone(), divs: a.divs.clone(), row };
        (a, b)
    }

    /// The same function as one div with denominator 1, so that its row has a single unit coefficient.
    fn named(&self) -> Aff {
        let (n, k) = (self.n(), self.divs.len());
        let mut divs = self.divs.clone();
        divs.push(Div { num: self.row.clone(), den: 1 });
        let mut row = vec![0; n + k + 2];
        row[n + k] = 1;
        Aff { space: self.space.clone(), divs, row }
    }

    fn combined(&self, o: &Aff, f: impl Fn(i64, i64) -> Option<i64>) -> Option<Aff> {
        let (a, b) = self.joined(o);
        let row = a.row.iter().zip(&b.row).map(|(x, y)| f(*x, *y)).collect::<Option<_>>()?;
        Some(Aff { space: a.space, divs: a.divs, row }.without_unused())
    }

    /// Drops divs that nothing uses.
    fn without_unused(mut self) -> Aff {
        let n = self.n();
        for k in (0..self.divs.len()).rev() {
            if self.row[n + k] == 0 && self.divs[k + 1..].iter().all(|d| d.num[n + k] == 0) {
                self.divs.remove(k);
                self.row.remove(n + k);
                for d in &mut self.divs[k..] {
                    d.num.remove(n + k);
                }
            }
        }
        self
    }

    /// Sum.
    pub fn add(&self, o: &Aff) -> Aff {
        let sum = |a: &Aff, b: &Aff| a.combined(b, i64::checked_add);
        sum(self, o)
            .or_else(|| sum(&self.named(), &o.named()))
            .expect("sums of named functions have small coefficients")
    }

    /// Difference.
    pub fn sub(&self, o: &Aff) -> Aff {
        let diff = |a: &Aff, b: &Aff| a.combined(b, i64::checked_sub);
        diff(self, o)
            .or_else(|| diff(&self.named(), &o.named()))
            .expect("differences of named functions have small coefficients")
    }

    /// `k` times the function.
    pub fn scale(&self, k: i64) -> Aff {
        let times = |a: &Aff| -> Option<Aff> {
            let row = a.row.iter().map(|v| v.checked_mul(k)).collect::<Option<_>>()?;
            Some(Aff { space: a.space.clone(), divs: a.divs.clone(), row }.without_unused())
        };
        times(self).or_else(|| times(&self.named())).expect("a named function has unit coefficients")
    }

    /// The function plus `k`.
    pub fn add_constant(&self, k: i64) -> Aff {
        self.add(&Aff::constant(&self.space, k))
    }

    /// Floor of the function divided by `d`, which must not be zero.
    pub fn floor_div(&self, d: i64) -> Aff {
        assert!(d != 0, "division by zero");
        if d < 0 {
            // -d does not exist for i64::MIN: halve both, the divisor exactly and the function by a nested floor.
            return match d.checked_neg() {
                Some(d) => self.scale(-1).floor_div(d),
                None => self.scale(-1).floor_div(2).floor_div(-(d / 2)),
            };
        }
        // Only the constant needs rounding where all other coefficients are multiples of `d`.
        if self.row[..self.row.len() - 1].iter().all(|v| v % d == 0) {
            let row = self.row.iter().map(|v| v.div_euclid(d)).collect();
            return Aff { space: self.space.clone(), divs: self.divs.clone(), row }.without_unused();
        }
        let named = self.named();
        let mut divs = named.divs;
        if let Some(last) = divs.last_mut() {
            last.den = d;
        }
        Aff { space: named.space, divs, row: named.row }
    }

    /// Remainder in `0..d` for `d > 0`.
    pub fn modulo(&self, d: i64) -> Aff {
        self.sub(&self.floor_div(d).scale(d))
    }

    /// Minus the function.
    pub fn neg(&self) -> Aff {
        self.scale(-1)
    }

    /// Ceiling of the function divided by `d`, which must not be zero.
    pub fn ceil_div(&self, d: i64) -> Aff {
        self.neg().floor_div(d).neg()
    }

    /// The same value at every point, if no column and no floor is used.
    pub fn as_constant(&self) -> Option<i64> {
        let last = self.row.len() - 1;
        self.row[..last].iter().all(|v| *v == 0).then(|| self.row[last])
    }

    /// Composition: the function of `x` in `domain` that is `self` at `inner(x)`, one inner function per dim of
    /// `self`'s space. Exact; parameters stay what they are.
    pub fn pullback(&self, domain: &Space, inner: &[Aff]) -> Aff {
        assert!(inner.len() == self.space.n_out(), "one inner function per dim");
        let params = inner.iter().fold(joint_params(&self.space, domain), |p, a| {
            joint_params(&Space { params: p, ..domain.clone() }, &a.space)
        });
        let domain = domain.with_params(&params);
        let own = |p: &Arc<str>| params.iter().position(|q| q == p).expect("a joint parameter list");
        let mut values: Vec<Aff> = self.space.params.iter().map(|p| Aff::param(&domain, own(p))).collect();
        values.extend(inner.iter().map(|a| Aff { space: Arc::new(domain.clone()), ..a.over_params(&params) }));
        let sum = |row: &[i64], values: &[Aff]| {
            let constant = Aff::constant(&domain, row[row.len() - 1]);
            let used = row[..row.len() - 1].iter().zip(values).filter(|(c, _)| **c != 0);
            used.fold(constant, |acc, (c, v)| acc.add(&v.scale(*c)))
        };
        for d in &self.divs {
            values.push(sum(&d.num, &values).floor_div(d.den));
        }
        sum(&self.row, &values)
    }

    /// Value at a point; checked, `None` on overflow.
    pub fn eval(&self, params: &[i64], point: &[i64]) -> Option<i64> {
        assert!(params.len() == self.space.n_param() && point.len() == self.space.n_out(), "point of another space");
        let mut x: Vec<BigInt> = params.iter().chain(point).map(|v| BigInt::from(*v)).collect();
        let value = |row: &[i64], x: &[BigInt]| -> BigInt {
            let last = row.len() - 1;
            row[..last].iter().zip(x).map(|(a, b)| b * a).sum::<BigInt>() + row[last]
        };
        for d in &self.divs {
            let v = value(&d.num, &x).fdiv(&BigInt::from(d.den));
            x.push(v);
        }
        ToPrimitive::to_i64(&value(&self.row, &x))
    }

    /// `{ x : self(x) = o(x) }`
    pub fn eq_set(&self, o: &Aff) -> Set {
        self.sub(o).sign_set(true)
    }

    /// `{ x : self(x) >= o(x) }`
    pub fn ge_set(&self, o: &Aff) -> Set {
        self.sub(o).sign_set(false)
    }

    /// `{ x : self(x) != o(x) }`
    pub fn ne_set(&self, o: &Aff) -> Set {
        self.lt_set(o).union(&o.lt_set(self))
    }

    /// `{ x : self(x) < o(x) }`
    pub fn lt_set(&self, o: &Aff) -> Set {
        o.sub(self).add_constant(-1).sign_set(false)
    }

    /// `{ x : self(x) = 0 }` or `{ x : self(x) >= 0 }`.
    fn sign_set(&self, zero: bool) -> Set {
        let body = with_both(|| condition::<i64>(self, zero), || condition::<BigInt>(self, zero));
        Set::from_parts(self.space.clone(), vec![Basic::new(&self.space, body)])
    }
}

/// Runs on machine integers, or in arbitrary precision when that overflows.
fn with_both(small: impl Fn() -> Res<Sys<i64>>, big: impl Fn() -> Res<Sys<BigInt>>) -> Body {
    match small() {
        Ok(s) => s.into_body(),
        Err(_) => big().expect("arbitrary precision does not overflow").into_body(),
    }
}

/// Copies a row of `aff` (visible columns, divs, constant) into the columns of `s`: the first `n` columns, then
/// existentials from `at`.
fn place<T: Int>(s: &Sys<T>, row: &[i64], n: usize, at: usize) -> Res<Vec<T>> {
    let mut out = vec![T::zero(); s.cols() + 1];
    let fit = |v: i64| T::of(v).add(&T::zero());
    for c in 0..n {
        out[c] = fit(row[c])?;
    }
    for (k, v) in row[n..row.len() - 1].iter().enumerate() {
        out[at + k] = fit(*v)?;
    }
    out[s.cols()] = fit(row[row.len() - 1])?;
    Ok(out)
}

/// Adds `0 <= num - den * e_k <= den - 1` for each div, existentials starting at column `at`.
fn push_divs<T: Int>(s: &mut Sys<T>, divs: &[Div], n: usize, at: usize) -> Res<()> {
    for (k, d) in divs.iter().enumerate() {
        let mut up = place(s, &d.num, n, at)?;
        let den = T::of(d.den);
        up[at + k] = den.neg();
        if den.is_one() {
            s.eq.push(&up);
            continue;
        }
        let mut low = negated(&up);
        let last = low.len() - 1;
        low[last] = low[last].add(&den)?.sub(&T::one())?;
        s.ge.push(&up);
        s.ge.push(&low);
    }
    Ok(())
}

fn condition<T: Int>(a: &Aff, zero: bool) -> Res<Sys<T>> {
    let n = a.n();
    let mut s = Sys::universe(n, a.divs.len());
    push_divs(&mut s, &a.divs, n, n)?;
    let row = place(&s, &a.row, n, n)?;
    if zero {
        s.eq.push(&row)
    } else {
        s.ge.push(&row)
    }
    Ok(s)
}

/// The map `{ domain -> out_tuple[affs] }`.
pub(crate) fn graph(domain: &Space, affs: &[Aff], out_tuple: &str) -> Map {
    let mut params = domain.params.clone();
    for a in affs {
        assert!(a.space.n_out() == domain.n_out(), "functions over another space");
        params = joint_params(&Space { params: params.clone(), ..domain.clone() }, &a.space);
    }
    let space = Arc::new(Space {
        params: params.clone(),
        input: Some(domain.output.clone()),
        output: Tuple::new(out_tuple, affs.len()),
    });
    // One list of divs for all: join each function with the running list.
    let mut all = Aff::zero(&domain.with_params(&params));
    let mut rows: Vec<Vec<i64>> = Vec::new();
    for a in affs {
        let (base, b) = all.joined(&a.over_params(&params));
        all = base;
        rows.push(b.row);
    }
    let body = with_both(|| graph_sys::<i64>(&all, &rows), || graph_sys::<BigInt>(&all, &rows));
    Map::from_parts(space.clone(), vec![Basic::new(&space, body)])
}

fn graph_sys<T: Int>(all: &Aff, rows: &[Vec<i64>]) -> Res<Sys<T>> {
    let n = all.n();
    let mut s = Sys::universe(n + rows.len(), all.divs.len());
    let at = s.n;
    push_divs(&mut s, &all.divs, n, at)?;
    for (j, r) in rows.iter().enumerate() {
        let mut row = place(&s, r, n, at)?;
        row[n + j] = T::of(-1);
        s.eq.push(&row);
    }
    s.tidy();
    Ok(s)
}
