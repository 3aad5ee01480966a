//! Affine forms that are non-negative on a whole polyhedron, and convex hulls from them. Rational: integrality is not
//! used. A form `c . x + c0` is non-negative on the non-empty polyhedron `{ x : A x + b >= 0, E x + f = 0 }` iff
//! `c = l A + m E` and `c0 = l0 + l b + m f` for some `l, l0 >= 0` and free `m`; the multipliers are eliminated.
//! Sources: Farkas' lemma (Schrijver 1986, corollary 7.1h); Feautrier, Int. J. Parallel Programming 21(5), 1992.

use crate::budget::Budget;
use crate::num::{Int, Res};
use crate::system::elim;
use crate::system::sys::{Mat, Sys, cancel};

/// Facets of the cone spanned by `rays` and the lines `lines` (rows of `width` entries): homogeneous rows over
/// `[width | 1]`, the last entry zero.
fn cone_facets<T: Int>(width: usize, rays: &[Vec<T>], lines: &[Vec<T>], bud: &Budget) -> Res<Sys<T>> {
    let k = rays.len() + lines.len();
    let mut s: Sys<T> = Sys::universe(width, k);
    let w = s.cols() + 1;
    for c in 0..width {
        let mut row = vec![T::zero(); w];
        row[c] = T::of(-1);
        for (j, r) in rays.iter().chain(lines).enumerate() {
            row[width + j] = r[c].clone();
        }
        s.eq.push(&row);
    }
    for j in 0..rays.len() {
        let mut row = vec![T::zero(); w];
        row[width + j] = T::one();
        s.ge.push(&row);
    }
    eliminate_multipliers(&mut s, bud)?;
    s.drop_unused_exists();
    Ok(s)
}

/// Rational elimination of all existentials of a homogeneous system.
fn eliminate_multipliers<T: Int>(s: &mut Sys<T>, bud: &Budget) -> Res<()> {
    loop {
        bud.step(1 + s.ge.len())?;
        // The zero constant keeps every row homogeneous, so tidying only divides and deduplicates.
        s.tidy();
        let in_equality =
            (s.n..s.cols()).find_map(|c| (0..s.eq.len()).find(|i| !s.eq.row(*i)[c].is_zero()).map(|i| (c, i)));
        if let Some((c, i)) = in_equality {
            let row = s.eq.take(i);
            for m in [&mut s.eq, &mut s.ge] {
                for r in 0..m.len() {
                    cancel(m.row_mut(r), &row, c)?;
                }
            }
            continue;
        }
        let count = |c: usize, sign: i32| s.ge.rows().filter(|r| r[c].sgn() == sign).count();
        let used = (s.n..s.cols()).filter(|c| s.ge.uses(*c));
        let Some(c) = used.min_by_key(|c| count(*c, 1) * count(*c, -1)) else { return Ok(()) };
        elim::combine_bounds(s, c, bud)?;
        elim::drop_redundant(s, bud)?;
    }
}

/// Rows over `[visible | c0 | 1]` (last entry zero) that describe all `(c, c0)` with `c . x + c0 >= 0` on every
/// rational point of `s`, which must have one. Existentials of `s` are projected over the rationals first.
pub(crate) fn dual<T: Int>(s: &Sys<T>, bud: &Budget) -> Res<Sys<T>> {
    match elim::rational_bounds(s, s.n, bud)? {
        Some(p) => dual_of(&p, bud),
        None => Ok(Sys::universe(s.n + 1, 0)),
    }
}

/// As [`dual`], without existentials.
fn dual_of<T: Int>(p: &Sys<T>, bud: &Budget) -> Res<Sys<T>> {
    let n = p.n;
    let list = |m: &Mat<T>| m.rows().map(<[T]>::to_vec).collect::<Vec<_>>();
    let mut rays = list(&p.ge);
    let mut trivial = vec![T::zero(); n + 1];
    trivial[n] = T::one();
    rays.push(trivial);
    cone_facets(n + 1, &rays, &list(&p.eq), bud)
}

/// The closed rational convex hull of a union: the forms non-negative on every piece, dualised again; the projection of
/// a piece that is alone.
pub(crate) fn convex_hull<T: Int>(pieces: &[&Sys<T>], bud: &Budget) -> Res<Sys<T>> {
    let n = pieces[0].n;
    let mut shadows = Vec::with_capacity(pieces.len());
    for s in pieces {
        shadows.extend(elim::rational_bounds(s, n, bud)?);
    }
    let Some((first, others)) = shadows.split_first() else { return Ok(Sys::contradiction(n)) };
    if others.is_empty() {
        return Ok(elim::simplify(first, bud)?.unwrap_or_else(|| Sys::contradiction(n)));
    }
    let mut forms = dual_of(first, bud)?;
    for p in others {
        forms = forms.meet(&dual_of(p, bud)?);
    }
    forms.tidy();
    elim::drop_redundant(&mut forms, bud)?;
    // The rows of the cone of forms span the cone over the hull; its facets at height 1 are the hull's constraints.
    let list = |m: &Mat<T>| m.rows().map(|r| r[..=n].to_vec()).collect::<Vec<_>>();
    let cone = cone_facets(n + 1, &list(&forms.ge), &list(&forms.eq), bud)?;
    let mut hull = Sys::universe(n, 0);
    for r in cone.eq.rows() {
        hull.eq.push(&r[..=n]);
    }
    for r in cone.ge.rows() {
        hull.ge.push(&r[..=n]);
    }
    Ok(elim::simplify(&hull, bud)?.unwrap_or_else(|| Sys::contradiction(n)))
}
