//! Sets as what holds on them and back: the coefficients of all affine forms that are non-negative on a set, the points
//! at which given forms are, and sets with their existentials as dims.
//! Source: Farkas' lemma (Schrijver, Theory of Linear and Integer Programming, 1986, corollary 7.1h).

use crate::budget::{Budget, Error, Result};
use crate::sets::basic::Div;
use crate::sets::set::Set;
use crate::sets::space::{Kind, Space, Tuple};
use crate::sets::union_sets::UnionSet;
use std::sync::Arc;

/// What the tuple of coefficients is called.
const COEFFICIENTS: &str = "coefficients";
/// What comes before the name of what a coefficient belongs to.
const PREFIX: &str = "c_";
/// What a tuple with existentials is called, and the part that they are in.
const LIFTED: [&str; 2] = ["lifted", "local"];

/// A tuple with these names of its dims.
fn named(tuple: &Tuple, dims: Vec<Option<Arc<str>>>) -> Tuple {
    Tuple { dims: dims.into(), nested: None, ..tuple.clone() }
}

/// The space of the coefficients of forms over a space.
pub(super) fn coefficients_of(own: &Space) -> Space {
    let of = |name: &Arc<str>| Some(Arc::from(format!("{PREFIX}{name}")));
    let fixed = std::iter::once(Some(Arc::from(format!("{PREFIX}cst")))).chain(own.params.iter().map(of)).collect();
    let dims = own.output.dims.iter().map(|d| d.as_ref().and_then(of)).collect();
    let pair = Tuple::pair(&named(&Tuple::new("", 0), fixed), &named(&present(&own.output), dims));
    let output = Tuple { name: Some(Arc::from(COEFFICIENTS)), ..pair };
    Space { params: Arc::new([]), input: None, output }
}

/// The space whose forms have their coefficients in this one, if it is such a space.
pub(super) fn solutions_of(own: &Space) -> Option<Space> {
    let halves = own.output.halves().filter(|_| own.output.name_str() == COEFFICIENTS && own.params.is_empty());
    let (fixed, dims) = halves.filter(|(fixed, _)| !fixed.dims.is_empty())?;
    let plain = |d: &Option<Arc<str>>| d.as_ref().and_then(|d| d.strip_prefix(PREFIX)).map(Arc::from);
    let params: Option<Vec<Arc<str>>> = fixed.dims[1..].iter().map(plain).collect();
    let output = named(&dims, dims.dims.iter().map(plain).collect());
    Some(Space { params: params?.into(), input: None, output })
}

impl Set {
    /// The coefficients of all affine forms with integer coefficients that are non-negative on every point of the set:
    /// `{ coefficients[[c_cst, c_N] -> S[c_i]] : .. }` of a set `[N] -> { S[i] : .. }`. The set's rows are tightened to
    /// integers first and existentials projected over the rationals. Exact over the rationals. Errors:
    /// [`Error`](crate::Error). Cost: a rational elimination of a multiplier per row of each piece.
    ///
    /// ```
    /// # use presburger::{Budget, Set};
    /// let b = Budget::unlimited();
    /// let forms = Set::parse("[N] -> { S[i] : 0 <= i <= N }")?.coefficients(&b)?;
    /// let all = Set::parse("{ coefficients[[c_cst, c_N] -> S[c_i]] : c_cst >= 0 and c_N >= 0 and c_i >= -c_N }")?;
    /// assert!(forms.is_equal(&all, &b)?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn coefficients(&self, b: &Budget) -> Result<Set> {
        let own = self.space();
        let mut out = Set::universe(coefficients_of(own));
        let width = own.n_cols();
        for piece in self.basics() {
            if piece.is_empty(b)? {
                continue;
            }
            for (kind, row) in piece.dual_rows(b)? {
                let mut full = vec![row[width]];
                full.extend_from_slice(&row[..width]);
                full.push(0);
                out = out.add(kind, &full);
            }
        }
        out.simplify(b)
    }

    /// The points at which every form of a set of coefficients is non-negative; `None` for a set that is not of the
    /// form that [`Set::coefficients`] gives. Exact over the rationals. Errors: [`Error`](crate::Error). Cost: as
    /// that of [`Set::coefficients`].
    pub fn solutions(&self, b: &Budget) -> Result<Option<Set>> {
        let own = self.space();
        let Some(space) = solutions_of(own) else { return Ok(None) };
        let mut out = Set::universe(space);
        let width = own.n_cols();
        for piece in self.basics() {
            if piece.is_empty(b)? {
                continue;
            }
            // A form over the coefficients is a point with the constant's as the scale; its own constant is 0.
            for (kind, row) in piece.dual_rows(b)? {
                let mut full = row[1..width].to_vec();
                full.push(row[0]);
                out = out.add(kind, &full);
            }
        }
        Ok(Some(out.simplify(b)?))
    }

    /// The set with the floors that it is made of as dims of their own: `{ lifted[S[i] -> local[l0]] : .. }`;
    /// projecting these out gives the set back.
    /// Exact. Errors: [`Error`](crate::Error). Cost: that of [`Set::compute_divs`].
    pub fn lift(&self, b: &Budget) -> Result<Set> {
        let explicit = self.compute_divs(b)?;
        let own = self.space();
        let (width, mut floors) = (own.n_cols(), Vec::<Div>::new());
        let mut places: Vec<Vec<usize>> = Vec::new();
        for piece in explicit.basics() {
            let mut place = Vec::new();
            for def in piece.div_defs() {
                let def = def.ok_or(Error::Overflow)?;
                let num = moved(&def.num, width, &place);
                let same = |f: &Div| f.den == def.den && padded(&f.num, num.len()) == padded(&num, f.num.len());
                place.push(floors.iter().position(same).unwrap_or_else(|| {
                    floors.push(Div { num, den: def.den });
                    floors.len() - 1
                }));
            }
            places.push(place);
        }
        let [name, local] = LIFTED;
        let locals: Vec<Option<Arc<str>>> = (0..floors.len()).map(|k| Some(Arc::from(format!("l{k}")))).collect();
        let pair = Tuple::pair(&present(&own.output), &named(&Tuple::new(local, 0), locals));
        let space = Space { output: Tuple { name: Some(Arc::from(name)), ..pair }, ..own.clone() };
        let full = width + floors.len() + 1;
        let mut out = Set::empty(space.clone());
        for (piece, place) in explicit.basics().iter().zip(&places) {
            let mut lifted = Set::universe(space.clone());
            for (kind, row) in piece.rows_i64()? {
                lifted = lifted.add(kind, &padded(&moved(&row, width, place), full));
            }
            for (k, f) in floors.iter().enumerate() {
                let mut below = padded(&f.num, full);
                below[width + k] = -f.den;
                let mut above: Vec<i64> = below.iter().map(|v| -v).collect();
                above[full - 1] += f.den - 1;
                lifted = lifted.add(Kind::Ge, &below).add(Kind::Ge, &above);
            }
            out = out.union(&lifted.simplify(b)?);
        }
        Ok(out)
    }
}

/// The tuple; of no tuple, one without dims.
fn present(t: &Tuple) -> Tuple {
    Tuple { absent: false, ..t.clone() }
}

/// A row `[columns | existentials | 1]` with the existentials at their places among all floors.
fn moved(row: &[i64], width: usize, place: &[usize]) -> Vec<i64> {
    let last = place.iter().copied().max().map_or(0, |p| p + 1);
    let mut out = vec![0; width + last + 1];
    out[..width].copy_from_slice(&row[..width]);
    for (k, at) in place.iter().enumerate() {
        out[width + at] = row[width + k];
    }
    out[width + last] = row[row.len() - 1];
    out
}

/// A row with zeros before its constant, `len` entries if it has less.
fn padded(row: &[i64], len: usize) -> Vec<i64> {
    let mut out = row[..row.len() - 1].to_vec();
    out.resize(len.max(row.len()) - 1, 0);
    out.push(row[row.len() - 1]);
    out
}

impl UnionSet {
    /// [`Set::coefficients`] of each member.
    pub fn coefficients(&self, b: &Budget) -> Result<UnionSet> {
        self.each(|s| s.coefficients(b).map(Some)).map(|all| all.expect("there is one of each"))
    }

    /// [`Set::solutions`] of each member; `None` if a member is no set of coefficients.
    pub fn solutions(&self, b: &Budget) -> Result<Option<UnionSet>> {
        self.each(|s| s.solutions(b))
    }

    /// [`Set::lift`] of each member.
    pub fn lift(&self, b: &Budget) -> Result<UnionSet> {
        self.each(|s| s.lift(b).map(Some)).map(|all| all.expect("there is one of each"))
    }

    fn each(&self, of: impl Fn(&Set) -> Result<Option<Set>>) -> Result<Option<UnionSet>> {
        let mut out = UnionSet::empty(&[]);
        for s in self.sets() {
            let Some(s) = of(s)? else { return Ok(None) };
            out.add(s);
        }
        Ok(Some(out))
    }
}
