//! Existentials as explicit floors: recognition, ordering, merging, and splitting a conjunction until every existential
//! is one. Needed wherever a conjunction is negated: a floor has exactly one value, so rows that use it can be negated
//! one by one.
//! Sources: Verdoolaege, isl: An Integer Set Library for the Polyhedral Model, ICMS 2010 (explicit divs by parametric
//! programming).

use crate::budget::Budget;
use crate::num::{Int, Res};
use crate::program::pip;
use crate::system::elim;
use crate::system::sys::{Sys, combine, negated};

/// `floor((num . [visible | earlier existentials | 1]) / den)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Floor<T> {
    pub num: Vec<T>,
    pub den: T,
}

/// The floor form of each existential in terms of earlier ones, where the rows give one.
pub(crate) fn definitions<T: Int>(s: &Sys<T>) -> Vec<Option<Floor<T>>> {
    (0..s.e).map(|k| find(s, s.n + k, |c| c < s.n + k).map(|(row, _)| floor_of(&row, s, k))).collect()
}

/// `row` is `num - den * e >= 0` over all columns.
fn floor_of<T: Int>(row: &[T], s: &Sys<T>, k: usize) -> Floor<T> {
    let mut num = row[..s.n + k].to_vec();
    num.push(row[s.cols()].clone());
    Floor { num, den: row[s.n + k].neg() }
}

/// The row `num - den * c >= 0`, and the two inequalities that give it (`None`: an equality does).
pub(crate) type Pinned<T> = (Vec<T>, Option<(usize, usize)>);

/// Where the rows that pin a column stand: an equality, or an upper and a lower bound.
enum Pins {
    Eq(usize),
    Pair(usize, usize),
}

/// Rows that pin column `c` to a floor of the columns `allowed`: the row `num - den * c >= 0`, and the indices of the
/// two inequalities (`None` when an equality does it).
pub(crate) fn find<T: Int>(s: &Sys<T>, c: usize, allowed: impl Fn(usize) -> bool) -> Option<Pinned<T>> {
    match pins(s, c, allowed)? {
        Pins::Eq(i) => {
            let r = s.eq.row(i);
            Some((if r[c].is_neg() { r.to_vec() } else { negated(r) }, None))
        }
        Pins::Pair(u, l) => Some((s.ge.row(u).to_vec(), Some((u, l)))),
    }
}

fn pins<T: Int>(s: &Sys<T>, c: usize, allowed: impl Fn(usize) -> bool) -> Option<Pins> {
    let fits = |r: &[T]| !r[c].is_zero() && (s.n..s.cols()).all(|k| k == c || r[k].is_zero() || allowed(k));
    s.eq.rows().position(fits).map(Pins::Eq).or_else(|| pin_pair(s, c, allowed))
}

/// As [`pins`], by inequalities only.
fn pin_pair<T: Int>(s: &Sys<T>, c: usize, allowed: impl Fn(usize) -> bool) -> Option<Pins> {
    let fits = |r: &[T]| (s.n..s.cols()).all(|k| k == c || r[k].is_zero() || allowed(k));
    let last = s.cols();
    for u in 0..s.ge.len() {
        let up = s.ge.row(u);
        if !up[c].is_neg() || !fits(up) {
            continue;
        }
        for l in 0..s.ge.len() {
            let low = s.ge.row(l);
            if low[c].is_pos() && up[..last].iter().zip(&low[..last]).all(|(a, b)| *a == b.neg()) {
                let sum = up[last].add(&low[last]).ok()?;
                if sum < low[c] {
                    return Some(Pins::Pair(u, l));
                }
            }
        }
    }
    None
}

/// Whether two inequalities make existential column `c` a floor of the columns before it.
pub(crate) fn is_floor<T: Int>(s: &Sys<T>, c: usize) -> bool {
    pin_pair(s, c, |k| k < c).is_some()
}

/// Whether the rows show that every column `first..n` is a function of the columns before `first`: it is the only one
/// not yet known in an equality, or in two inequalities closer together than its coefficient.
pub(crate) fn determines<T: Int>(s: &Sys<T>, first: usize) -> bool {
    let last = s.cols();
    let mut unknown = vec![true; last];
    unknown[..first].fill(false);
    let only = |r: &[T], unknown: &[bool]| {
        let mut open = (first..last).filter(|c| unknown[*c] && !r[*c].is_zero());
        open.next().filter(|_| open.next().is_none())
    };
    loop {
        let by_eq = s.eq.rows().find_map(|r| only(r, &unknown));
        let by_pair = || {
            s.ge.rows().enumerate().find_map(|(i, r)| {
                let c = only(r, &unknown)?;
                let mates = s.ge.rows().skip(i + 1).filter(|q| (0..last).all(|k| r[k] == q[k].neg()));
                mates.into_iter().find(|q| r[last].add(&q[last]).is_ok_and(|sum| sum < r[c].abs())).map(|_| c)
            })
        };
        match by_eq.or_else(by_pair) {
            Some(c) => unknown[c] = false,
            None => return !unknown[first..s.n].contains(&true),
        }
    }
}

/// Orders existentials so that each floor depends on earlier ones only; those without a floor form come last.
pub(crate) fn order<T: Int>(s: &mut Sys<T>) {
    if s.e < 2 {
        return;
    }
    let mut placed: Vec<usize> = Vec::new();
    loop {
        let next = (s.n..s.cols()).find(|c| !placed.contains(c) && pins(s, *c, |k| placed.contains(&k)).is_some());
        match next {
            Some(c) => placed.push(c),
            None => break,
        }
    }
    let rest: Vec<usize> = (s.n..s.cols()).filter(|c| !placed.contains(c)).collect();
    placed.extend(rest);
    if placed.iter().copied().eq(s.n..s.cols()) {
        return;
    }
    let visible: Vec<_> = (0..s.n).map(Some).collect();
    let exists: Vec<_> = placed.into_iter().map(Some).collect();
    *s = s.remap(&visible, &exists);
}

/// Replaces an existential that has the same floor form as an earlier one by it. Returns whether one was found.
pub(crate) fn merge_equal<T: Int>(s: &mut Sys<T>) -> bool {
    if s.e < 2 {
        return false;
    }
    order(s);
    let defs = definitions(s);
    for k in 1..s.e {
        let Some(d) = &defs[k] else { continue };
        let earlier = (0..k).find(|j| defs[*j].as_ref().is_some_and(|f| same_floor(f, d, s.n, *j)));
        let Some(j) = earlier else { continue };
        for m in [&mut s.eq, &mut s.ge] {
            for i in 0..m.len() {
                let r = m.row_mut(i);
                let Ok(v) = r[s.n + j].add(&r[s.n + k]) else { return false };
                r[s.n + j] = v;
                r[s.n + k] = T::zero();
            }
        }
        s.drop_unused_exists();
        return true;
    }
    false
}

fn same_floor<T: Int>(early: &Floor<T>, late: &Floor<T>, n: usize, j: usize) -> bool {
    early.den == late.den
        && early.num[..n + j] == late.num[..n + j]
        && early.num.last() == late.num.last()
        && late.num[n + j..late.num.len() - 1].iter().all(Int::is_zero)
}

/// Marks the inequalities that give existentials their floor form.
pub(crate) fn defining_rows<T: Int>(s: &Sys<T>) -> Vec<bool> {
    let mut keep = vec![false; s.ge.len()];
    for k in 0..s.e {
        if let Some(Pins::Pair(u, l)) = pins(s, s.n + k, |c| c < s.n + k) {
            keep[u] = true;
            keep[l] = true;
        }
    }
    keep
}

/// The two rows `0 <= num - den * e <= den - 1` over all columns of `s`.
pub(crate) fn floor_rows<T: Int>(s: &Sys<T>, k: usize, f: &Floor<T>) -> Res<[Vec<T>; 2]> {
    let last = s.cols();
    let mut up = vec![T::zero(); last + 1];
    up[..s.n + k].clone_from_slice(&f.num[..s.n + k]);
    up[last] = f.num[s.n + k].clone();
    up[s.n + k] = f.den.neg();
    let mut low = negated(&up);
    low[last] = low[last].add(&f.den)?.sub(&T::one())?;
    Ok([up, low])
}

/// Whether every existential is an explicit floor of the columns before it.
pub(crate) fn all_explicit<T: Int>(s: &Sys<T>) -> bool {
    (s.n..s.cols()).all(|c| pins(s, c, |k| k < c).is_some())
}

/// Equivalent union of disjoint pieces that have only explicit floors as existentials.
pub(crate) fn explicit<T: Int>(s: &Sys<T>, bud: &Budget) -> Res<Vec<Sys<T>>> {
    let mut todo = vec![s.clone()];
    let mut done = Vec::new();
    while let Some(s) = todo.pop() {
        bud.step(1)?;
        if all_explicit(&s) {
            done.push(s);
            continue;
        }
        let Some(s) = elim::project_owned(s, bud)? else { continue };
        let defs = definitions(&s);
        let Some(known) = defs.iter().position(Option::is_none) else {
            done.push(s);
            continue;
        };
        let first = s.n + known;
        let alone = |c: usize| {
            s.ge.rows().filter(|r| !r[c].is_zero()).all(|r| (first..s.cols()).all(|k| k == c || r[k].is_zero()))
        };
        match (first..s.cols()).find(|c| alone(*c)) {
            Some(c) => split_by_bounds(&s, c, &mut todo, bud)?,
            None => {
                let open = Sys { n: first, e: s.e - known, eq: s.eq.clone(), ge: s.ge.clone() };
                let parts = pip::domain(&open, first, bud)?;
                todo.extend(parts.into_iter().map(|p| Sys { n: s.n, e: known + p.e, ..p }));
            }
        }
    }
    done.reverse();
    Ok(done)
}

/// Column `c` has a value iff the tightest of its lower (or upper) bounds, rounded to an integer, is one. One piece for
/// each bound that can be the tightest, the first one among equals; the bounds use no other column that is not known.
fn split_by_bounds<T: Int>(s: &Sys<T>, c: usize, todo: &mut Vec<Sys<T>>, bud: &Budget) -> Res<()> {
    let side = |sign: i32| s.ge.rows().filter(move |r| r[c].sgn() == sign);
    let sign = if side(1).count() <= side(-1).count() { 1 } else { -1 };
    let last = s.cols();
    let bounds: Vec<&[T]> = side(sign).collect();
    for (k, bound) in bounds.iter().enumerate() {
        bud.keep(s.entries() + bounds.len() * (last + 1))?;
        let mut piece = s.clone();
        for (j, other) in bounds.iter().enumerate().filter(|(j, _)| *j != k) {
            let mut looser = combine(&bound[c].abs(), other, &other[c].abs().neg(), bound)?;
            if j < k {
                looser[last] = looser[last].sub(&T::one())?;
            }
            piece.ge.push(&looser);
        }
        let mut cap = negated(bound);
        cap[last] = cap[last].add(&bound[c].abs())?.sub(&T::one())?;
        piece.ge.push(&cap);
        todo.push(piece);
    }
    Ok(())
}
