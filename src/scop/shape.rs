//! Array shapes from address polynomials: which strides an array has, and which subscripts an address is.
//!
//! Only strides count, never the types that the program wrote. A shape is a chain of strides, each a multiple of the
//! next; sizes of inner dims are their quotients. Subscripts are exact as linear combinations
//! (`offset = sum of subscript * stride`); that inner ones stay inside their dim is for the caller to prove or assume.
//! After Grosser, Ramanujam, Pouchet, Sadayappan, Pop, ICS 2015 (optimistic delinearization).

use super::polynomial::{Floor, Mono, Poly, Sym, gcd};
use std::collections::BTreeMap;

/// One access: address minus base, in bytes, and the bytes touched.
#[derive(Clone, Debug)]
pub struct Touch {
    /// Offset in bytes.
    pub offset: Poly,
    /// Bytes read or written.
    pub bytes: u32,
}

/// Strides in elements, outermost first; the last is 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Bytes of an element.
    pub elem_bytes: u32,
    /// Polynomials in the parameters.
    pub strides: Vec<Poly>,
}

impl Shape {
    /// The richest shape that the accesses suggest: strides are coefficients of dims that form a chain of multiples.
    /// `None` if elements have no common size (no access, or more than i32 bytes).
    #[must_use]
    pub fn suggest(touches: &[Touch], floors: &[Floor]) -> Option<Shape> {
        let mut unit = 0;
        for touch in touches {
            unit = gcd(unit, i64::from(touch.bytes));
            unit = gcd(unit, touch.offset.content());
        }
        let elem_bytes = u32::try_from(unit).ok().filter(|e| *e > 0)?;
        let mut strides = vec![Poly::constant(1)];
        let (constant, symbolic) = coefficients(touches, unit, floors)?;
        let limit = symbolic.first().map_or(0, |(p, _)| p.content());
        for c in constant {
            let last = strides.last().and_then(Poly::as_constant).unwrap_or(1);
            if c > last && c % last == 0 && (limit == 0 || limit % c == 0) {
                strides.push(Poly::constant(c));
            }
        }
        for (stride, _) in symbolic {
            let fits =
                strides.last().and_then(|last| quotient(&stride, last)).is_some_and(|q| q.as_constant().is_none());
            if fits {
                strides.push(stride);
            }
        }
        strides.reverse();
        Some(Shape { elem_bytes, strides })
    }

    /// Sizes in elements of all dims but the outermost (whose size is not known): `strides[k - 1] / strides[k]`.
    #[must_use]
    pub fn inner_sizes(&self) -> Vec<Poly> {
        self.strides.windows(2).map(|w| quotient(&w[0], &w[1]).unwrap_or_default()).collect()
    }

    /// The shape without the stride at `at`; the innermost must stay.
    #[must_use]
    pub fn without(&self, at: usize) -> Shape {
        let mut strides = self.strides.clone();
        strides.remove(at);
        Shape { elem_bytes: self.elem_bytes, strides }
    }

    /// The shape with one subscript.
    #[must_use]
    pub fn flat(&self) -> Shape {
        Shape { elem_bytes: self.elem_bytes, strides: vec![Poly::constant(1)] }
    }

    /// One subscript per stride, each of any degree; `None` if the offset is no multiple of the element size or
    /// overflows.
    #[must_use]
    pub fn subscripts(&self, offset: &Poly) -> Option<Vec<Poly>> {
        let mut rest = offset.exact_div(i64::from(self.elem_bytes))?;
        let mut subscripts = Vec::with_capacity(self.strides.len());
        for stride in &self.strides {
            let (q, r) = divide(&rest, stride)?;
            subscripts.push(q);
            rest = r;
        }
        rest.is_zero().then_some(subscripts)
    }
}

type Coefficients = (Vec<i64>, Vec<(Poly, usize)>);

/// Coefficients of single dims in elements, but for what remainders take from these: constants ascending, then
/// polynomials in the parameters by (degree, terms, how often).
fn coefficients(touches: &[Touch], unit: i64, floors: &[Floor]) -> Option<Coefficients> {
    let mut constant: Vec<i64> = Vec::new();
    let mut symbolic: BTreeMap<Poly, (i64, usize, i64)> = BTreeMap::new();
    for touch in touches {
        for (dim, coefficient) in without_remainders(by_dim(&touch.offset.exact_div(unit)?)?, floors)? {
            let content = coefficient.content();
            if let Some(c) = coefficient.as_constant() {
                // `i % 16` is `i - 16 * floor(i / 16)`, whatever the rows' length is.
                if matches!(dim, Sym::Floor(_)) && c < 0 {
                    continue;
                }
                constant.push(c.checked_abs()?);
            } else {
                let written = coefficient.exact_div(content)?;
                let primitive = positive(written.clone())?;
                let sign = if written == primitive { 1 } else { -1 };
                let entry = symbolic.entry(primitive).or_insert((0, 0, 0));
                *entry = (gcd(entry.0, content), entry.1 + 1, entry.2 + sign);
            }
        }
    }
    constant.sort_unstable();
    constant.dedup();
    // Of `w - r + 1` the numbers of the parameters do not say which sign it has; most loops count up.
    let is_difference = |p: &Poly| [1, -1].iter().all(|sign| p.terms().iter().any(|(_, c)| c.signum() == *sign));
    let stride = |(p, (content, count, signs)): (Poly, (i64, usize, i64))| {
        let is_turned = signs < 0 && is_difference(&p);
        Some((p.scale(if is_turned { -content } else { content })?, count))
    };
    let mut strides: Vec<(Poly, usize)> = symbolic.into_iter().map(stride).collect::<Option<_>>()?;
    strides.sort_by(|(p, n), (q, m)| {
        (p.degree(), p.terms().len()).cmp(&(q.degree(), q.terms().len())).then(m.cmp(n)).then(p.cmp(q))
    });
    Some((constant, strides))
}

/// The coefficients, each in two: what a dim has as a part of remainders, which stay in a row, and the rest. In
/// `n*i + i % 2`, which is `(n + 1)i - 2*floor(i / 2)`, those of `i` are 1 and `n`.
fn without_remainders(by_dim: BTreeMap<Sym, Poly>, floors: &[Floor]) -> Option<Vec<(Sym, Poly)>> {
    let times = |(dim, coefficient): (&Sym, &Poly)| match (dim, coefficient.as_constant()) {
        (Sym::Floor(k), Some(c)) if c < 0 => Some((floors.get(*k as usize)?, c)),
        _ => None,
    };
    let (mut parts, mut rest) = (Vec::new(), by_dim.clone());
    for (floor, c) in by_dim.iter().filter_map(times) {
        for (dim, of) in self::by_dim(&floor.num)? {
            let part = of.as_constant().and_then(|of| of.checked_mul(c)).filter(|part| part % floor.den == 0);
            if let (Some(part), Some(whole)) = (part, rest.get_mut(&dim)) {
                *whole = whole.plus(part / floor.den)?;
                parts.push((dim, Poly::constant(-part / floor.den)));
            }
        }
    }
    Some(rest.into_iter().chain(parts).filter(|(_, coefficient)| !coefficient.is_zero()).collect())
}

/// The polynomial or its negation, whichever has a positive leading coefficient.
pub(super) fn positive(p: Poly) -> Option<Poly> {
    if p.leading().is_some_and(|(_, c)| c < 0) { p.scale(-1) } else { Some(p) }
}

/// Coefficient of each dim (or floor) as a polynomial in the parameters; `None` if two of them are multiplied.
pub(super) fn by_dim(offset: &Poly) -> Option<BTreeMap<Sym, Poly>> {
    let mut parts: BTreeMap<Sym, Vec<(Mono, i64)>> = BTreeMap::new();
    for (mono, c) in offset.terms() {
        let mut dims = mono.syms().filter(|s| !matches!(s, Sym::Param(_)));
        let Some(dim) = dims.next() else { continue };
        if dims.next().is_some() {
            return None;
        }
        parts.entry(dim).or_default().push((mono.over(&Mono::of([dim])?)?, *c));
    }
    parts.into_iter().map(|(dim, terms)| Some((dim, Poly::from_terms(terms)?))).collect()
}

/// `a / b` if b divides a exactly.
#[must_use]
pub fn quotient(a: &Poly, b: &Poly) -> Option<Poly> {
    let (lead, by) = b.leading()?;
    let (mut q, mut rest) = (Poly::default(), a.clone());
    while let Some((mono, c)) = rest.leading() {
        let step = Poly::term(mono.over(&lead)?, if c % by == 0 { c / by } else { return None });
        q = q.add(&step)?;
        rest = rest.sub(&step.mul(b)?)?;
    }
    Some(q)
}

/// `a = q * stride + r` with coefficients of r small: each coefficient is divided to the nearest whole.
pub(super) fn divide(a: &Poly, stride: &Poly) -> Option<(Poly, Poly)> {
    let (lead, by) = stride.leading()?;
    let (mut q, mut r, mut rest) = (Poly::default(), Poly::default(), a.clone());
    while let Some((mono, c)) = rest.leading() {
        let term = Poly::term(mono, c);
        let whole = mono.over(&lead).map(|m| (m, nearest(c, by))).filter(|(_, w)| *w != 0);
        if let Some((m, w)) = whole {
            let step = Poly::term(m, w);
            q = q.add(&step)?;
            rest = rest.sub(&step.mul(stride)?)?;
            // What is left of this term alone is below half a stride: it cannot be divided again.
            let left = c.checked_sub(w.checked_mul(by)?)?;
            if left != 0 {
                let left = Poly::term(mono, left);
                r = r.add(&left)?;
                rest = rest.sub(&left)?;
            }
        } else {
            r = r.add(&term)?;
            rest = rest.sub(&term)?;
        }
    }
    Some((q, r))
}

/// `c / d` rounded to the nearest whole number, halves towards zero; d > 0.
fn nearest(c: i64, d: i64) -> i64 {
    let (q, r) = (c / d, c % d);
    if r.unsigned_abs() * 2 > d.unsigned_abs() { q + r.signum() } else { q }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scop::sketch::{dim, param};

    fn sum(parts: &[Poly]) -> Poly {
        parts.iter().fold(Poly::default(), |s, p| s.add(p).unwrap())
    }

    fn touch(offset: Poly) -> Touch {
        Touch { offset: offset.scale(8).unwrap(), bytes: 8 }
    }

    fn k(c: i64) -> Poly {
        Poly::constant(c)
    }

    #[test]
    fn constant_sizes() {
        let (i, j) = (dim(0), dim(1));
        let access = |di: i64, dj: i64| touch(sum(&[i.scale(1000).unwrap(), j.clone(), k(1000 * di + dj)]));
        let shape = Shape::suggest(&[access(0, 0), access(1, -1)], &[]).unwrap();
        assert_eq!(shape.strides, [k(1000), k(1)]);
        assert_eq!(shape.inner_sizes(), [k(1000)]);
        let subs = shape.subscripts(&access(1, -1).offset).unwrap();
        assert_eq!(subs, [i.plus(1).unwrap(), j.plus(-1).unwrap()]);
    }

    #[test]
    fn diagonal_does_not_become_a_stride() {
        let i = dim(0);
        let row = touch(sum(&[i.scale(1000).unwrap(), dim(1)]));
        let diagonal = touch(i.scale(1001).unwrap());
        let shape = Shape::suggest(&[diagonal.clone(), row], &[]).unwrap();
        assert_eq!(shape.strides, [k(1000), k(1)]);
        assert_eq!(shape.subscripts(&diagonal.offset).unwrap(), [i.clone(), i]);
    }

    #[test]
    fn remainders_are_no_part_of_strides() {
        let (n, i) = (param(0), dim(0));
        let floors = [Floor { num: i.clone(), den: 2 }];
        let remainder = i.sub(&Poly::sym(Sym::Floor(0)).scale(2).unwrap()).unwrap();
        let red = touch(sum(&[i.mul(&n).unwrap(), remainder.clone(), dim(1).scale(2).unwrap(), k(1)]));
        let shape = Shape::suggest(std::slice::from_ref(&red), &floors).unwrap();
        assert_eq!(shape.strides, [n, k(1)]);
        assert_eq!(shape.subscripts(&red.offset).unwrap(), [i, sum(&[remainder, dim(1).scale(2).unwrap(), k(1)])]);
    }

    #[test]
    fn planes_by_remainder_have_a_stride() {
        let floors = [Floor { num: dim(0), den: 2 }];
        let plane = dim(0).sub(&Poly::sym(Sym::Floor(0)).scale(2).unwrap()).unwrap();
        let access = touch(sum(&[plane.scale(1000).unwrap(), dim(1)]));
        let shape = Shape::suggest(std::slice::from_ref(&access), &floors).unwrap();
        assert_eq!(shape.strides, [k(1000), k(1)]);
        assert_eq!(shape.subscripts(&access.offset).unwrap(), [plane, dim(1)]);
    }

    #[test]
    fn symbolic_sizes_in_three_dims() {
        let (m, o) = (param(0), param(1).plus(2).unwrap());
        let mo = m.mul(&o).unwrap();
        let access = touch(sum(&[dim(0).mul(&mo).unwrap(), dim(1).mul(&o).unwrap(), dim(2), mo.clone(), k(-1)]));
        let shape = Shape::suggest(std::slice::from_ref(&access), &[]).unwrap();
        assert_eq!(shape.strides, [mo, o.clone(), k(1)]);
        assert_eq!(shape.inner_sizes(), [m, o]);
        let subs = shape.subscripts(&access.offset).unwrap();
        assert_eq!(subs, [dim(0).plus(1).unwrap(), dim(1), dim(2).plus(-1).unwrap()]);
    }

    #[test]
    fn differences_have_the_sign_that_loops_count_with() {
        for (h, r) in [(param(0), param(1)), (param(1), param(0))] {
            let m = h.sub(&r).unwrap().plus(1).unwrap();
            let up = touch(sum(&[dim(0).mul(&m).unwrap(), dim(1)]));
            let down = touch(sum(&[dim(0).mul(&m).unwrap().scale(-1).unwrap(), dim(1)]));
            let shape = Shape::suggest(&[up.clone(), up.clone(), down], &[]).unwrap();
            assert_eq!(shape.strides, [m, k(1)]);
            assert_eq!(shape.subscripts(&up.offset).unwrap(), [dim(0), dim(1)]);
        }
    }

    #[test]
    fn structures_become_an_inner_dim() {
        let field = |at: i64| Touch { offset: dim(0).scale(24).unwrap().plus(at).unwrap(), bytes: 8 };
        let shape = Shape::suggest(&[field(0), field(16)], &[]).unwrap();
        assert_eq!((shape.elem_bytes, shape.strides.clone()), (8, vec![k(3), k(1)]));
        assert_eq!(shape.subscripts(&field(16).offset).unwrap()[1], k(-1).plus(0).unwrap());
    }

    #[test]
    fn products_of_dims_have_no_shape() {
        assert_eq!(Shape::suggest(&[touch(dim(0).mul(&dim(1)).unwrap())], &[]), None);
    }
}
