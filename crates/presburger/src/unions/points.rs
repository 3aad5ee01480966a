//! Enumeration of the points of bounded unions.

use crate::budget::{Budget, Error};
use crate::num::{Int, Res, Stop};
use crate::system::elim;
use crate::system::solve;
use crate::system::sys::Sys;
use std::collections::BTreeSet;

/// Budget of one enumeration: bounds the elimination before the scan and the scan's existential tests.
pub(crate) const STEPS: u64 = 20_000_000;

/// All visible points in lexicographic order. `Error::TooMany` when there are more than `limit` (or infinitely many).
pub(crate) fn points<T: Int>(pieces: &[&Sys<T>], limit: usize, bud: &Budget) -> Res<Vec<Vec<T>>> {
    let mut found = BTreeSet::new();
    for s in pieces {
        let Some(s) = elim::simplify(s, bud)? else { continue };
        if solve::is_empty(&s, bud)? {
            continue;
        }
        let mut bounds = Vec::with_capacity(s.n);
        for keep in 1..=s.n {
            match elim::rational_bounds(&s, keep, bud)? {
                Some(b) => bounds.push(b),
                None => bounds.push(Sys::contradiction(keep)),
            }
        }
        let mut x = vec![T::one()];
        scan(&s, &bounds, &mut x, limit, &mut found, bud)?;
    }
    Ok(found.into_iter().collect())
}

/// `x` holds the values of the first columns, then a 1 for the constant.
fn scan<T: Int>(
    s: &Sys<T>,
    bounds: &[Sys<T>],
    x: &mut Vec<T>,
    limit: usize,
    found: &mut BTreeSet<Vec<T>>,
    bud: &Budget,
) -> Res<()> {
    let k = x.len() - 1;
    bud.step(1)?;
    if k == s.n {
        if s.e == 0 || has_existentials_at(s, x, bud)? {
            found.insert(x[..k].to_vec());
            if found.len() > limit {
                return Err(Stop::Error(Error::TooMany));
            }
        }
        return Ok(());
    }
    let Some((lo, hi)) = range(&bounds[k], x)? else { return Ok(()) };
    let one = T::one();
    x.insert(k, lo);
    while x[k] <= hi {
        scan(s, bounds, x, limit, found, bud)?;
        x[k] = x[k].add(&one)?;
    }
    x.remove(k);
    Ok(())
}

/// Range of the last column of `b` at the prefix `x`; `None` if a row fails. An unbounded range is `Error::TooMany`.
fn range<T: Int>(b: &Sys<T>, x: &[T]) -> Res<Option<(T, T)>> {
    let k = b.n - 1;
    let (mut lo, mut hi): (Option<T>, Option<T>) = (None, None);
    let mut at_least = |v: T| lo = Some(lo.take().map_or(v.clone(), |l: T| l.max(v)));
    let mut at_most = |v: T| hi = Some(hi.take().map_or(v.clone(), |h: T| h.min(v)));
    for (r, eq) in b.eq.rows().map(|r| (r, true)).chain(b.ge.rows().map(|r| (r, false))) {
        let rest = T::dot(&r[..k], &x[..k])?.add(&r[k + 1])?;
        match (r[k].sgn(), eq) {
            (0, true) if !rest.is_zero() => return Ok(None),
            (0, false) if rest.is_neg() => return Ok(None),
            (0, _) => {}
            (1, _) => {
                at_least(rest.neg().cdiv(&r[k]));
                if eq {
                    at_most(rest.neg().fdiv(&r[k]));
                }
            }
            _ => {
                at_most(rest.fdiv(&r[k].neg()));
                if eq {
                    at_least(rest.cdiv(&r[k].neg()));
                }
            }
        }
    }
    match (lo, hi) {
        (Some(l), Some(h)) => Ok(Some((l, h))),
        _ => Err(Stop::Error(Error::TooMany)),
    }
}

/// Whether the visible point `x` (followed by a 1) is in `s`.
pub(crate) fn holds_at<T: Int>(s: &Sys<T>, x: &[T], bud: &Budget) -> Res<bool> {
    let (n, last) = (s.n, s.cols());
    let plain = |r: &[T]| s.e == 0 || r[n..last].iter().all(Int::is_zero);
    let value = |r: &[T]| T::dot(&r[..n], &x[..n])?.add(&r[last]);
    for r in s.eq.rows().filter(|r| plain(r)) {
        if !value(r)?.is_zero() {
            return Ok(false);
        }
    }
    for r in s.ge.rows().filter(|r| plain(r)) {
        if value(r)?.is_neg() {
            return Ok(false);
        }
    }
    Ok(s.e == 0 || has_existentials_at(s, x, bud)?)
}

/// Whether the existentials of `s` have values at the visible point `x` (followed by a 1).
fn has_existentials_at<T: Int>(s: &Sys<T>, x: &[T], bud: &Budget) -> Res<bool> {
    let mut t = Sys::universe(s.e, 0);
    for (from, to) in [(&s.eq, &mut t.eq), (&s.ge, &mut t.ge)] {
        for r in from.rows() {
            let mut row = r[s.n..].to_vec();
            row[s.e] = T::dot(&r[..s.n], &x[..s.n])?.add(&r[s.cols()])?;
            to.push(&row);
        }
    }
    Ok(!solve::is_empty(&t, bud)?)
}
