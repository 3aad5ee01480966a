//! What keeps a branch from being taken, as polynomials that are not negative: for the tests in front of errors (bounds
//! checks, assertions), whose conditions may be of degree above 1, as `i * n + j < len` is. Sufficient, not necessary.
//!
//! The polynomials are over parameters and the dims of the loops around the branch. [`at_ends`] makes polynomials over
//! parameters alone of them: one that is linear in a dim is not negative between two values of it if it is so at both.

use super::affine::{Check, Conj, NonAffine, Pw, Reader};
use super::cond::Branch;
use super::polynomial::{Floor, Mono, Poly, Sym};
use crate::facts::{Pred, ValueKind};
use crate::ids::{LoopId, ScevId, ValueId};

/// Most polynomials of one condition.
const MAX_POLYS: usize = 32;
/// Deepest nesting of and, or, not.
const MAX_DEPTH: usize = 16;

/// Polynomials that are >= 0, and what must hold for that to be enough.
#[derive(Clone, Debug, Default)]
pub struct Success {
    /// All are >= 0.
    pub polys: Vec<Poly>,
    /// Of the values compared.
    pub checks: Vec<Check>,
}

/// What is enough for the i1 value to be true (`Taken`) or false (`Else`).
///
/// # Errors
/// The value for which nothing is known to be.
pub fn enough_for(r: &mut Reader, value: ValueId, branch: Branch) -> Result<Success, ValueId> {
    let mut success = Success::default();
    collect(r, value, branch, 0, &mut success)?;
    success.polys.sort_unstable();
    success.polys.dedup();
    if success.polys.len() > MAX_POLYS { Err(value) } else { Ok(success) }
}

fn collect(r: &mut Reader, value: ValueId, branch: Branch, depth: usize, all: &mut Success) -> Result<(), ValueId> {
    if depth > MAX_DEPTH {
        return Err(value);
    }
    let v = r.facts.value(value);
    match (&v.kind, branch) {
        (ValueKind::Not(a), _) => collect(r, *a, branch.flipped(), depth + 1, all),
        (ValueKind::And(a, b), Branch::Taken) | (ValueKind::Or(a, b), Branch::Else) => {
            collect(r, *a, branch, depth + 1, all)?;
            collect(r, *b, branch, depth + 1, all)
        }
        (ValueKind::ICmp { pred, .. }, _) => {
            let (lhs, rhs) = v.cmp_scevs.ok_or(value)?;
            let pred = if branch == Branch::Taken { *pred } else { pred.negated() };
            compared(r, pred, lhs, rhs, all).map_err(|_| value)
        }
        _ => Err(value),
    }
}

fn compared(r: &mut Reader, pred: Pred, lhs: ScevId, rhs: ScevId, all: &mut Success) -> Result<(), NonAffine> {
    let (small, large, slack, is_signed) = match pred {
        Pred::Eq => {
            ordered(r, (lhs, rhs), 0, true, all)?;
            (rhs, lhs, 0, true)
        }
        Pred::Ne => return Err(NonAffine(lhs)),
        Pred::Sgt => (rhs, lhs, -1, true),
        Pred::Sge => (rhs, lhs, 0, true),
        Pred::Slt => (lhs, rhs, -1, true),
        Pred::Sle => (lhs, rhs, 0, true),
        Pred::Ugt => (rhs, lhs, -1, false),
        Pred::Uge => (rhs, lhs, 0, false),
        Pred::Ult => (lhs, rhs, -1, false),
        Pred::Ule => (lhs, rhs, 0, false),
    };
    ordered(r, (small, large), slack, is_signed, all)
}

/// `small <= large + slack`: as numbers, both in the range in which they are compared, the smaller one above its lower
/// and the larger one below its upper end.
fn ordered(
    r: &mut Reader,
    (small, large): (ScevId, ScevId),
    slack: i64,
    is_signed: bool,
    all: &mut Success,
) -> Result<(), NonAffine> {
    let bits = r.facts.scev(small).bits;
    let (a, b) = (r.read(small)?, r.read(large)?);
    let in_range = |pw: &Pw| if is_signed { pw.signed } else { pw.unsigned };
    let low = if is_signed { -(1i64 << (bits.clamp(1, 63) - 1)) } else { 0 };
    let high = match (is_signed, bits) {
        (true, 1..=63) => (1i64 << (bits - 1)) - 1,
        (false, 1..=62) => (1i64 << bits) - 1,
        _ => i64::MAX,
    };
    for x in &a.pieces {
        if !in_range(&a) {
            all.polys.push(x.value.plus(-low).ok_or(NonAffine(small))?);
        }
        for y in &b.pieces {
            let distance = y.value.sub(&x.value).and_then(|d| d.plus(slack));
            all.polys.push(distance.ok_or(NonAffine(small))?);
        }
    }
    // What is not above the lower end because the smaller number is not, is in range where it is a signed number.
    let above = in_range(&b) || b.signed && bits == 64;
    for y in b.pieces.iter().filter(|_| !above) {
        let left = y.value.scale(-1).and_then(|v| v.plus(high));
        all.polys.push(left.ok_or(NonAffine(large))?);
    }
    all.checks.extend(a.checks.iter().chain(&b.checks).cloned());
    Ok(())
}

/// Polynomials over the parameters such that `poly >= 0` wherever the conjunction holds if all of them are >= 0; `None`
/// where a dim has no bound that can be used, or there are too many. `dims` outermost first, `floors` of parameters may
/// stand in bounds; `nonneg` says which parameters are known to be >= 0.
#[must_use]
pub fn at_ends(
    poly: &Poly,
    conj: &Conj,
    dims: &[LoopId],
    floors: &[Floor],
    nonneg: impl Fn(u32) -> bool,
) -> Option<Vec<Poly>> {
    let mut polys = vec![poly.clone()];
    for (depth, dim) in dims.iter().enumerate().rev() {
        let mut next = Vec::new();
        for poly in &polys {
            let (factor, rest) = split(poly, Sym::Dim(*dim))?;
            if factor.is_zero() {
                next.push(rest);
                continue;
            }
            let is_nonneg = |sym| matches!(sym, Sym::Param(k) if nonneg(k));
            let rises = factor.terms().iter().all(|(mono, c)| *c > 0 && mono.syms().all(is_nonneg));
            let falls = factor.terms().iter().all(|(mono, c)| *c < 0 && mono.syms().all(is_nonneg));
            let (first, last) = ends(conj, *dim, &dims[..depth], floors);
            if !falls {
                next.push(factor.mul(&first?)?.add(&rest)?);
            }
            if !rises {
                next.push(factor.mul(&last?)?.add(&rest)?);
            }
        }
        next.sort_unstable();
        next.dedup();
        polys = next;
        if polys.len() > MAX_POLYS {
            return None;
        }
    }
    let mut polys = polys.iter().map(|p| without_floors(p, floors)).collect::<Option<Vec<_>>>()?.concat();
    polys.sort_unstable();
    polys.dedup();
    let is_plain = |p: &Poly| {
        p.terms().iter().all(|(mono, c)| *c > 0 && mono.syms().all(|s| matches!(s, Sym::Param(k) if nonneg(k))))
    };
    polys.retain(|p| !is_plain(p));
    polys.iter().all(Poly::is_param_only).then_some(polys)
}

/// Polynomials without floors that are >= 0 only where the given one is: `floor(num / den)` lies between
/// `(num - den + 1) / den` and `num / den`, and what is linear in it is not negative if it is so at both. `None` where
/// there are too many.
fn without_floors(poly: &Poly, floors: &[Floor]) -> Option<Vec<Poly>> {
    let mut polys = vec![poly.clone()];
    for (k, Floor { num, den }) in floors.iter().enumerate().rev() {
        let floor = Sym::Floor(u32::try_from(k).ok()?);
        let mut next = Vec::new();
        for poly in polys {
            let (factor, rest) = split(&poly, floor)?;
            if factor.is_zero() {
                next.push(rest);
                continue;
            }
            let rest = rest.scale(*den)?;
            let sign = factor.as_constant().map_or(0, i64::signum);
            if sign <= 0 {
                next.push(rest.add(&factor.mul(num)?)?);
            }
            if sign >= 0 {
                next.push(rest.add(&factor.mul(&num.plus(1 - den)?)?)?);
            }
        }
        polys = next;
        if polys.len() > MAX_POLYS {
            return None;
        }
    }
    Some(polys)
}

/// `factor * sym + rest`; `None` where the variable is squared.
fn split(poly: &Poly, sym: Sym) -> Option<(Poly, Poly)> {
    let of = Mono::of([sym])?;
    let (mut factor, mut rest) = (Vec::new(), Vec::new());
    for (mono, c) in poly.terms() {
        match mono.over(&of) {
            Some(other) if other.syms().any(|s| s == sym) => return None,
            Some(other) => factor.push((other, *c)),
            None => rest.push((*mono, *c)),
        }
    }
    Some((Poly::from_terms(factor)?, Poly::from_terms(rest)?))
}

/// The last bounds in the conjunction on a dim from below and above by parameters, their floors, and dims further out.
fn ends(conj: &Conj, dim: LoopId, outer: &[LoopId], floors: &[Floor]) -> (Option<Poly>, Option<Poly>) {
    let is_outer = |s: Sym| match s {
        Sym::Param(_) => true,
        Sym::Dim(l) => outer.contains(&l),
        Sym::Floor(k) => floors.get(k as usize).is_some_and(|f| f.num.is_param_only()),
    };
    let (mut first, mut last) = (None, None);
    for cons in conj {
        let Some((factor, rest)) = split(&cons.poly, Sym::Dim(dim)) else { continue };
        if !rest.syms().all(is_outer) {
            continue;
        }
        match factor.as_constant() {
            Some(1) => {
                first = rest.scale(-1).or(first);
                if cons.eq {
                    last = rest.scale(-1).or(last);
                }
            }
            Some(-1) => {
                last = Some(rest.clone());
                if cons.eq {
                    first = Some(rest);
                }
            }
            _ => {}
        }
    }
    (first, last)
}

#[cfg(test)]
mod tests {
    use super::super::affine::Cons;
    use super::super::sketch::{dim, param};
    use super::*;

    /// `0 <= i < p0`, `i <= j < p0`.
    fn triangle() -> Conj {
        let (i, j, n) = (dim(0), dim(1), param(0));
        let below = |x: &Poly| Cons::ge(n.sub(x).and_then(|d| d.plus(-1)).unwrap());
        vec![Cons::ge(i.clone()), below(&i), Cons::ge(j.sub(&i).unwrap()), below(&j)]
    }

    /// `p2 - 1 - (p1 * i + j)`: a subscript in a triangle of rows of length p1 lies in front of p2.
    fn room() -> Poly {
        let subscript = param(1).mul(&dim(0)).unwrap().add(&dim(1)).unwrap();
        param(2).sub(&subscript).unwrap().plus(-1).unwrap()
    }

    #[test]
    fn a_subscript_of_degree_two_is_in_bounds_where_it_is_at_the_ends() {
        let dims = [LoopId(0), LoopId(1)];
        let ends = at_ends(&room(), &triangle(), &dims, &[], |_| false).unwrap();
        assert!(ends.iter().all(Poly::is_param_only));
        for n in 1..5 {
            for m in -3..5 {
                for size in -2..25 {
                    let value = |p: &Poly, i: i64, j: i64| {
                        let at = |s| match s {
                            Sym::Param(k) => [n, m, size][k as usize],
                            Sym::Dim(l) => [i, j][l.index()],
                            Sym::Floor(_) => unreachable!(),
                        };
                        p.eval(&at).unwrap()
                    };
                    let enough = ends.iter().all(|p| value(p, 0, 0) >= 0);
                    let holds = (0..n).all(|i| (i..n).all(|j| value(&room(), i, j) >= 0));
                    assert!(!enough || holds, "n {n}, m {m}, size {size}");
                    assert!(enough || !holds || m < 0, "n {n}, m {m}, size {size}: tested more than needed");
                }
            }
        }
    }

    #[test]
    fn what_is_known_to_be_positive_needs_one_end() {
        let dims = [LoopId(0), LoopId(1)];
        let ends = |nonneg: bool| at_ends(&room(), &triangle(), &dims, &[], |_| nonneg).unwrap().len();
        assert_eq!((ends(true), ends(false)), (1, 2));
    }

    #[test]
    fn squares_and_missing_bounds_are_refused() {
        let dims = [LoopId(0)];
        let square = dim(0).mul(&dim(0)).unwrap();
        assert_eq!(at_ends(&square, &triangle(), &dims, &[], |_| true), None);
        assert_eq!(at_ends(&param(0).mul(&dim(0)).unwrap(), &Vec::new(), &dims, &[], |_| false), None);
    }

    /// `0 <= i < p0`, `0 <= j <= p0 - floor(p0 / 2) - 1`: every second one of p0 columns.
    #[test]
    fn a_bound_may_have_a_floor() {
        let (i, j, n) = (dim(0), dim(1), param(0));
        let floors = [Floor { num: n.clone(), den: 2 }];
        let half = n.sub(&Poly::sym(Sym::Floor(0))).and_then(|p| p.plus(-1)).unwrap();
        let conj = vec![
            Cons::ge(i.clone()),
            Cons::ge(n.sub(&i).and_then(|d| d.plus(-1)).unwrap()),
            Cons::ge(j.clone()),
            Cons::ge(half.sub(&j).unwrap()),
        ];
        // p1 - 1 - (p0 * i + 2 * j)
        let subscript = n.mul(&i).and_then(|p| p.add(&j.scale(2)?)).unwrap();
        let room = param(1).sub(&subscript).and_then(|p| p.plus(-1)).unwrap();
        let ends = at_ends(&room, &conj, &[LoopId(0), LoopId(1)], &floors, |_| true).unwrap();
        assert!(ends.iter().all(Poly::is_param_only));
        for n in 0..8 {
            for size in 0..70 {
                let at = |s| match s {
                    Sym::Param(k) => [n, size][k as usize],
                    _ => unreachable!(),
                };
                let enough = ends.iter().all(|p| p.eval(&at).unwrap() >= 0);
                let holds = (0..n).all(|i| (0..n - n / 2).all(|j| n * i + 2 * j < size));
                assert!(!enough || holds, "n {n}, size {size}");
                assert!(enough || size < n * n, "n {n}, size {size}: tested more than a whole array");
            }
        }
    }
}
