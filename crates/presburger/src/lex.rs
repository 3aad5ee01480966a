//! Parametric lexicographic minimum of a union of conjunctions, dimension by dimension.
//! For the next dimension the conjunction is projected exactly on it and what comes before; where its bounds have no existentials, the
//! minimum is one of the lower bounds rounded up; otherwise the points with a smaller neighbour are subtracted.
//! Maxima are minima after negating the dims.

use crate::budget::Budget;
use crate::elim;
use crate::num::{Int, Res};
use crate::solve;
use crate::subtract::subtract;
use crate::sys::{Sys, negated};

/// Points of the union that are lexicographically smallest in columns `first..n` for their values of columns `0..first`.
/// Where a dimension is unbounded below there is no minimum, and no point.
pub(crate) fn lexmin<T: Int>(pieces: &[&Sys<T>], first: usize, bud: &Budget) -> Res<Vec<Sys<T>>> {
    let mut best: Vec<Sys<T>> = Vec::new();
    for s in pieces {
        let new = lexmin_piece(s, first, bud)?;
        if best.is_empty() {
            best = new;
            continue;
        }
        let kept = not_after(&best, &new, first, false, bud)?;
        let added = not_after(&new, &best, first, true, bud)?;
        best = kept;
        best.extend(added);
    }
    Ok(best)
}

/// As [`lexmin`] with the order reversed.
pub(crate) fn lexmax<T: Int>(pieces: &[&Sys<T>], first: usize, bud: &Budget) -> Res<Vec<Sys<T>>> {
    let flipped: Vec<Sys<T>> = pieces.iter().map(|s| flip(s, first)).collect();
    let refs: Vec<&Sys<T>> = flipped.iter().collect();
    Ok(lexmin(&refs, first, bud)?.iter().map(|s| flip(s, first)).collect())
}

/// Negates columns `first..n`.
fn flip<T: Int>(s: &Sys<T>, first: usize) -> Sys<T> {
    let mut out = s.clone();
    for m in [&mut out.eq, &mut out.ge] {
        for i in 0..m.len() {
            for x in &mut m.row_mut(i)[first..s.n] {
                *x = x.neg();
            }
        }
    }
    out
}

fn lexmin_piece<T: Int>(s: &Sys<T>, first: usize, bud: &Budget) -> Res<Vec<Sys<T>>> {
    let mut list = match elim::project(s, bud)? {
        Some(s) => vec![s],
        None => return Ok(Vec::new()),
    };
    for d in first..s.n {
        let mut next = Vec::new();
        for s in &list {
            minimize_column(s, d, &mut next, bud)?;
        }
        list = next;
    }
    let mut out = Vec::with_capacity(list.len());
    for s in list {
        if !solve::is_empty(&s, bud)? {
            out.push(s);
        }
    }
    Ok(out)
}

/// Appends the points of `s` whose column `d` is smallest among those equal in columns `0..d`, as disjoint pieces.
fn minimize_column<T: Int>(s: &Sys<T>, d: usize, out: &mut Vec<Sys<T>>, bud: &Budget) -> Res<()> {
    let Some(p) = elim::simplify(&s.hide(d + 1, s.n - d - 1), bud)? else { return Ok(()) };
    let simple = |r: &[T]| r[p.n..p.cols()].iter().all(Int::is_zero);
    if p.eq.rows().any(|r| !r[d].is_zero() && simple(r)) {
        out.push(s.clone());
        return Ok(());
    }
    if !p.eq.rows().chain(p.ge.rows()).all(|r| r[d].is_zero() || simple(r)) {
        let bad = after(&p, d, d + 1, true, s.n, bud)?;
        let bad: Vec<&Sys<T>> = bad.iter().collect();
        out.extend(subtract(&[s], &bad, bud)?);
        return Ok(());
    }
    let mut rest = s.clone();
    for r in p.ge.rows().filter(|r| r[d].is_pos()) {
        let mut row = vec![T::zero(); s.cols() + 1];
        row[..=d].clone_from_slice(&r[..=d]);
        row[s.cols()] = r[p.cols()].clone();
        // 0 <= row <= coefficient - 1: the bound, rounded up, is attained. Later pieces have row >= coefficient.
        let last = s.cols();
        let mut piece = rest.clone();
        let mut cap = negated(&row);
        cap[last] = cap[last].add(&row[d])?.sub(&T::one())?;
        piece.ge.push(&row);
        piece.ge.push(&cap);
        if let Some(piece) = elim::project(&piece, bud)?
            && !solve::is_empty(&piece, bud)?
        {
            out.push(piece);
        }
        let d_coef = row[d].clone();
        row[last] = row[last].sub(&d_coef)?;
        rest.ge.push(&row);
    }
    Ok(())
}

/// Points `x` for which `s` has a `y` equal in columns `0..first` with `y << x` in columns `first..end` (or also `y = x` when not
/// `strict`), over `n >= end` visible columns of which those from `end` on are free. `s` has `end` visible columns.
fn after<T: Int>(s: &Sys<T>, first: usize, end: usize, strict: bool, n: usize, bud: &Budget) -> Res<Vec<Sys<T>>> {
    let count = end - first;
    // Columns: visible x (n), then y and the existentials of `s` as existentials.
    let mut cols: Vec<Option<usize>> = (0..n).map(|c| (c < first).then_some(c)).collect();
    cols.truncate(n);
    let exists: Vec<Option<usize>> = (first..end).chain(s.n..s.cols()).map(Some).collect();
    let base = s.remap(&cols, &exists);
    let w = base.cols() + 1;
    let mut out = Vec::new();
    for k in 0..count + usize::from(!strict) {
        let mut t = base.clone();
        for j in 0..=k.min(count - 1) {
            let mut row = vec![T::zero(); w];
            row[first + j] = T::one();
            row[n + j] = T::of(-1);
            if j < k {
                t.eq.push(&row);
            } else {
                row[w - 1] = T::of(-1);
                t.ge.push(&row);
            }
        }
        if let Some(t) = elim::project(&t, bud)? {
            out.push(t);
        }
    }
    Ok(out)
}

/// The points of `list` that do not come after a point of `others` (with `or_equal`: nor coincide with one).
fn not_after<T: Int>(list: &[Sys<T>], others: &[Sys<T>], first: usize, or_equal: bool, bud: &Budget) -> Res<Vec<Sys<T>>> {
    let mut later = Vec::new();
    for s in others {
        if s.n == first {
            // No dims: every point with the same prefix is equal.
            later.extend(or_equal.then(|| s.clone()));
        } else {
            later.extend(after(s, first, s.n, !or_equal, s.n, bud)?);
        }
    }
    let list: Vec<&Sys<T>> = list.iter().collect();
    let later: Vec<&Sys<T>> = later.iter().collect();
    subtract(&list, &later, bud)
}
