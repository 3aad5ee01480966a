//! Exact integer feasibility of a conjunction, with a witness on request.
//! Equalities are solved by unimodular column operations, variables bounded on one side are dropped, then a few nodes
//! of branch and bound are tried, then variables are eliminated by Fourier-Motzkin where that is exact and by dark
//! shadow and splinters otherwise, so the test ends on unbounded systems too. Where that takes many steps, thin
//! directions are enumerated instead.
//! Source: Pugh, The Omega Test, Communications of the ACM 35(8), 1992.

use crate::budget::{Budget, Error};
use crate::num::{Int, Res, Stop};
use crate::program::simplex::Tab;
use crate::system::elim::take_bounds;
use crate::system::guess;
use crate::system::sys::{Mat, Sys, cancel, combine, complement};
use crate::system::thin;
use num_bigint::BigInt;

/// How to recover a variable's value once the later ones are known.
pub(crate) enum Step<T> {
    /// `row = 0` with a unit coefficient at the column.
    Unit(usize, Vec<T>),
    /// The column was replaced by `column + q * other`.
    Shear { col: usize, other: usize, q: T },
    /// All inequalities on the column at the time it was eliminated.
    Range(usize, Mat<T>),
    /// A point of what is left, over all columns.
    Point(Vec<T>),
    /// Rows that hold far enough along the ray, which leaves all other rows as they are.
    Far { ray: Vec<T>, rows: Mat<T> },
}

pub(crate) type Log<'a, T> = Option<&'a mut Vec<Step<T>>>;

/// Whether the visible columns may have these values. Exact. Cost: without existentials that of reading the rows.
pub(crate) fn holds_at<T: Int>(s: &Sys<T>, at: &[i64], bud: &Budget) -> Res<bool> {
    let last = s.cols();
    let x: Vec<T> = at.iter().map(|v| T::of(*v)).collect();
    if x.iter().any(|v| v.is_neg() && v.neg().is_neg()) {
        return Err(Stop::Overflow);
    }
    bud.step(1 + s.eq.len() + s.ge.len())?;
    let mut rest = Sys::universe(s.e, 0);
    for (rows, out, equal) in [(&s.eq, &mut rest.eq, true), (&s.ge, &mut rest.ge, false)] {
        for r in rows.rows() {
            let value = T::dot(&r[..s.n], &x)?.add(&r[last])?;
            if r[s.n..last].iter().all(Int::is_zero) {
                if value.is_neg() || (equal && !value.is_zero()) {
                    return Ok(false);
                }
                continue;
            }
            out.v.extend(r[s.n..last].iter().cloned().chain([value]));
        }
    }
    if s.e == 0 {
        return Ok(true);
    }
    Ok(rest.tidy() && !is_empty(&rest, bud)?)
}

/// True iff no integer point satisfies `sys`. Numbers that grow on the way do not show.
pub(crate) fn is_empty<T: Int>(sys: &Sys<T>, bud: &Budget) -> Res<bool> {
    bud.step(1)?;
    if guess::finds_point(sys) {
        return Ok(false);
    }
    if let Some(narrow) = sys.narrow() {
        match decide(&narrow, ELIMINATION_STEPS, &mut None, bud) {
            Err(Stop::Overflow) => {}
            found => return found.map(|any| !any),
        }
    }
    let found = match decide(sys, ELIMINATION_STEPS, &mut None, bud) {
        Err(Stop::Overflow) => decide(&sys.widened().ok_or(Stop::Overflow)?, ELIMINATION_STEPS, &mut None, bud),
        found => found,
    };
    found.map(|any| !any)
}

/// Steps of elimination after which thin directions are looked for.
const ELIMINATION_STEPS: u64 = 2_000;

/// Decides feasibility of `s`, by elimination within so many steps, else along thin directions.
fn decide<T: Int>(s: &Sys<T>, steps: u64, log: &mut Log<'_, T>, bud: &Budget) -> Res<bool> {
    if steps > 0 {
        let share = bud.share(steps);
        match search(&mut s.clone(), log, &share) {
            Err(Stop::Error(Error::Spent)) if share.size() == steps => {}
            other => return other,
        }
    }
    if let Some(log) = log {
        log.clear();
    }
    thin::search(&mut s.clone(), log, bud)
}

/// An integer point over all columns of `sys` (existentials included), if there is one.
pub(crate) fn sample<T: Int>(sys: &Sys<T>, bud: &Budget) -> Res<Option<Vec<T>>> {
    sample_within(sys, ELIMINATION_STEPS, bud)
}

/// As [`sample`], without elimination, where that is known to take long.
pub(crate) fn sample_thin<T: Int>(sys: &Sys<T>, bud: &Budget) -> Res<Option<Vec<T>>> {
    sample_within(sys, 0, bud)
}

fn sample_within<T: Int>(sys: &Sys<T>, steps: u64, bud: &Budget) -> Res<Option<Vec<T>>> {
    bud.step(1)?;
    if let Some(mut x) = guess::point(sys) {
        x.pop();
        return Ok(Some(x));
    }
    if let Some(narrow) = sys.narrow() {
        match searched(&narrow, steps, bud) {
            Err(Stop::Overflow) => {}
            found => return Ok(found?.map(|x| x.into_iter().map(T::of).collect())),
        }
    }
    match searched(sys, steps, bud) {
        Err(Stop::Overflow) => {}
        found => return found,
    }
    let found = searched(&sys.widened().ok_or(Stop::Overflow)?, steps, bud)?;
    let fits = |v: &BigInt| Int::to_i64(v).map(T::of).ok_or(Stop::Overflow);
    found.map(|x| x.iter().map(fits).collect()).transpose()
}

fn searched<T: Int>(sys: &Sys<T>, steps: u64, bud: &Budget) -> Res<Option<Vec<T>>> {
    let mut log = Vec::new();
    if !decide(sys, steps, &mut Some(&mut log), bud)? {
        return Ok(None);
    }
    replay(&log, sys.cols()).map(Some)
}

/// The point over all columns that the steps of a search lead back to.
pub(super) fn replay<T: Int>(log: &[Step<T>], columns: usize) -> Res<Vec<T>> {
    let mut x = vec![T::zero(); columns + 1];
    x[columns] = T::one();
    for step in log.iter().rev() {
        match step {
            Step::Unit(c, row) => {
                x[*c] = T::zero();
                let v = T::dot(row, &x)?;
                x[*c] = if row[*c].is_pos() { v.neg() } else { v };
            }
            Step::Shear { col, other, q } => x[*col] = T::lin(&T::one(), &x[*col], &q.neg(), &x[*other])?,
            Step::Range(c, rows) => x[*c] = value_in_range(*c, rows, &mut x)?,
            Step::Point(at) => x[..at.len()].clone_from_slice(at),
            Step::Far { ray, rows } => move_along(ray, rows, &mut x)?,
        }
    }
    x.pop();
    Ok(x)
}

/// The smallest value of column `c` that satisfies `rows`, or the largest if unbounded below, or 0.
fn value_in_range<T: Int>(c: usize, rows: &Mat<T>, x: &mut [T]) -> Res<T> {
    x[c] = T::zero();
    let (mut lo, mut hi): (Option<T>, Option<T>) = (None, None);
    for r in rows.rows() {
        let rest = T::dot(r, x)?;
        if r[c].is_pos() {
            let v = rest.neg().cdiv(&r[c]);
            if lo.as_ref().is_none_or(|l| v > *l) {
                lo = Some(v);
            }
        } else {
            let v = rest.fdiv(&r[c].neg());
            if hi.as_ref().is_none_or(|h| v < *h) {
                hi = Some(v);
            }
        }
    }
    Ok(lo.or(hi).unwrap_or_else(T::zero))
}

/// Moves `x` along the ray, which raises all the rows, as far as they need it.
fn move_along<T: Int>(ray: &[T], rows: &Mat<T>, x: &mut [T]) -> Res<()> {
    let mut times = T::zero();
    for r in rows.rows() {
        times = times.max(T::dot(r, x)?.neg().cdiv(&T::dot(&r[..ray.len()], ray)?));
    }
    for (x, d) in x.iter_mut().zip(ray) {
        *x = T::lin(&T::one(), x, &times, d)?;
    }
    Ok(())
}

/// Decides feasibility of `s` by elimination, consuming it.
fn search<T: Int>(s: &mut Sys<T>, log: &mut Log<'_, T>, bud: &Budget) -> Res<bool> {
    let mut lp_done = false;
    loop {
        bud.step(1 + s.eq.len() + s.ge.len())?;
        if !solve_equalities(s, log, bud)? {
            return Ok(false);
        }
        if s.ge.is_empty() {
            return Ok(true);
        }
        if drop_one_sided(s, log) {
            continue;
        }
        let choice = choose_column(s)?;
        if choice.exact && choice.growth <= 0 {
            shadow(s, choice.col, false, log, bud)?;
            continue;
        }
        if !lp_done {
            lp_done = true;
            let tab = Tab::new(s, bud)?;
            if tab.is_empty() {
                return Ok(false);
            }
            match branch_and_bound(tab, s.cols(), bud) {
                Ok(Some(vertex)) => {
                    if let (Some(log), Some(vertex)) = (log, &vertex) {
                        log.push(Step::Point(vertex.clone()));
                    }
                    return Ok(vertex.is_some());
                }
                // Eliminations may have smaller numbers.
                Ok(None) | Err(Stop::Overflow) => {}
                Err(stop) => return Err(stop),
            }
        }
        if choice.exact {
            shadow(s, choice.col, false, log, bud)?;
            continue;
        }
        return search_inexact(s, choice.col, log, bud);
    }
}

/// Looks for an integer point by branch and bound on the vertices of the relaxation, depth first, the nearer side
/// first: finds one soon where there are many, and shows that there is none where a few cuts at integers do. `None`
/// when neither is seen in a few nodes.
/// Source: Land, Doig, An Automatic Method of Solving Discrete Programming Problems, Econometrica 28(3), 1960.
fn branch_and_bound<T: Int>(tab: Tab<T>, columns: usize, bud: &Budget) -> Res<Option<Option<Vec<T>>>> {
    let mut open = vec![tab];
    for _ in 0..16 + columns {
        let Some(tab) = open.pop() else { return Ok(Some(None)) };
        let Some((c, below, up)) = tab.fractional_column() else { return Ok(Some(tab.integer_vertex())) };
        let mut at_most = vec![T::zero(); columns + 1];
        at_most[c] = T::of(-1);
        at_most[columns] = below;
        let at_least = complement(&at_most)?;
        for bound in if up { [at_most, at_least] } else { [at_least, at_most] } {
            // A copy of a row takes a fraction of a row operation.
            bud.step(1 + tab.entries() / 32)?;
            let mut side = tab.clone();
            side.add_ge(&bound, bud)?;
            if !side.is_empty() {
                open.push(side);
            }
        }
    }
    Ok(None)
}

/// Tidies the rows and eliminates all equalities. False: contradiction.
pub(super) fn solve_equalities<T: Int>(s: &mut Sys<T>, log: &mut Log<'_, T>, bud: &Budget) -> Res<bool> {
    if !s.tidy() {
        return Ok(false);
    }
    while !s.eq.is_empty() {
        solve_equality(s, log, bud)?;
        // Inequalities are tidied once, when no equality is left.
        if !s.tidy_eq() || (s.eq.is_empty() && !s.tidy()) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Eliminates one equality: by a unit coefficient, or after shearing columns until one is a unit.
fn solve_equality<T: Int>(s: &mut Sys<T>, log: &mut Log<'_, T>, bud: &Budget) -> Res<()> {
    let last = s.cols();
    let pick = (0..s.eq.len()).find(|i| s.eq.row(*i)[..last].iter().any(Int::is_unit)).unwrap_or(0);
    loop {
        let row = s.eq.row(pick);
        let p = (0..last).filter(|c| !row[*c].is_zero()).min_by(|a, b| row[*a].abs().cmp(&row[*b].abs()));
        let p = p.expect("a tidy equality has a variable");
        if row[p].is_unit() {
            let row = s.eq.take(pick);
            for i in 0..s.eq.len() {
                cancel(s.eq.row_mut(i), &row, p)?;
            }
            for i in 0..s.ge.len() {
                cancel(s.ge.row_mut(i), &row, p)?;
            }
            bud.step(1 + s.ge.len() / 2)?;
            if let Some(log) = log {
                log.push(Step::Unit(p, row));
            }
            return Ok(());
        }
        let others: Vec<usize> = (0..last).filter(|c| *c != p && !row[*c].is_zero()).collect();
        for j in others {
            bud.step(1)?;
            let q = round_div(&s.eq.row(pick)[j], &s.eq.row(pick)[p]);
            shear(s, p, j, &q)?;
            if let Some(log) = log {
                log.push(Step::Shear { col: p, other: j, q });
            }
        }
    }
}

/// `a / b` rounded to the nearest integer.
fn round_div<T: Int>(a: &T, b: &T) -> T {
    let (a, b) = if b.is_neg() { (a.neg(), b.neg()) } else { (a.clone(), b.clone()) };
    let q = a.fdiv(&b);
    let r = a.modulo(&b);
    match b.sub(&r) {
        Ok(rest) if rest < r => q.add(&T::one()).unwrap_or(q),
        _ => q,
    }
}

/// Replaces variable `p` by `p + q * j`: column `j` loses `q` times column `p`.
pub(super) fn shear<T: Int>(s: &mut Sys<T>, p: usize, j: usize, q: &T) -> Res<()> {
    let nq = q.neg();
    for m in [&mut s.eq, &mut s.ge] {
        for i in 0..m.len() {
            let r = m.row_mut(i);
            if !r[p].is_zero() {
                r[j] = T::lin(&T::one(), &r[j], &nq, &r[p])?;
            }
        }
    }
    Ok(())
}

/// Drops the rows of a column that is bounded on one side only. Returns whether one was found.
fn drop_one_sided<T: Int>(s: &mut Sys<T>, log: &mut Log<'_, T>) -> bool {
    let mut found = false;
    for c in 0..s.cols() {
        let (mut lower, mut upper) = (false, false);
        for r in s.ge.rows() {
            match r[c].sgn() {
                1 => lower = true,
                -1 => upper = true,
                _ => {}
            }
        }
        if lower != upper {
            found = true;
            remove_column_rows(s, c, log);
        }
    }
    found
}

fn remove_column_rows<T: Int>(s: &mut Sys<T>, c: usize, log: &mut Log<'_, T>) -> Mat<T> {
    let gone = take_bounds(s, c);
    if let Some(log) = log {
        log.push(Step::Range(c, gone.clone()));
    }
    gone
}

struct Choice {
    col: usize,
    exact: bool,
    growth: isize,
}

/// The cheapest column to eliminate, exact ones first. Every used column has both kinds of bounds.
fn choose_column<T: Int>(s: &Sys<T>) -> Res<Choice> {
    let mut best: Option<(bool, isize, Choice)> = None;
    for c in 0..s.cols() {
        let (mut nl, mut nu, mut unit_l, mut unit_u) = (0_isize, 0_isize, true, true);
        for r in s.ge.rows() {
            match r[c].sgn() {
                1 => {
                    nl += 1;
                    unit_l &= r[c].is_unit();
                }
                -1 => {
                    nu += 1;
                    unit_u &= r[c].is_unit();
                }
                _ => {}
            }
        }
        if nl == 0 {
            continue;
        }
        let exact = unit_l || unit_u;
        let growth = nl * nu - nl - nu;
        let cost = if exact { growth } else { splinter_cost(s, c) };
        if best.as_ref().is_none_or(|b| (!exact, cost) < (b.0, b.1)) {
            best = Some((!exact, cost, Choice { col: c, exact, growth }));
        }
    }
    Ok(best.expect("inequalities have variables").2)
}

/// A saturating estimate of the number of splinters.
fn splinter_cost<T: Int>(s: &Sys<T>, c: usize) -> isize {
    let size =
        |x: &T| x.to_i64().and_then(|v| isize::try_from(v.abs()).ok()).unwrap_or(isize::MAX / 4).min(isize::MAX / 4);
    let rows = |sign: i32| s.ge.rows().filter(move |r| r[c].sgn() == sign).map(|r| size(&r[c]));
    let lower = rows(1).fold(0_isize, isize::saturating_add);
    let upper = rows(-1).fold(0_isize, isize::saturating_add);
    lower.min(upper)
}

/// Replaces the rows of column `c` by all its pairs; `dark` tightens each pair so that an integer value surely exists.
fn shadow<T: Int>(s: &mut Sys<T>, c: usize, dark: bool, log: &mut Log<'_, T>, bud: &Budget) -> Res<()> {
    let gone = remove_column_rows(s, c, log);
    for l in gone.rows().filter(|r| r[c].is_pos()) {
        for u in gone.rows().filter(|r| r[c].is_neg()) {
            bud.step(1 + gone.w / 8)?;
            let (a, b) = (&l[c], u[c].neg());
            let mut r = combine(&b, l, a, u)?;
            if dark {
                let slack = a.sub(&T::one())?.mul(&b.sub(&T::one())?)?;
                let last = r.len() - 1;
                r[last] = r[last].sub(&slack)?;
            }
            s.ge.push(&r);
        }
    }
    Ok(())
}

/// Dark shadow first; if that has no point, every splinter that lies between dark and real shadow.
fn search_inexact<T: Int>(s: &Sys<T>, c: usize, log: &mut Log<'_, T>, bud: &Budget) -> Res<bool> {
    let mark = log.as_ref().map_or(0, |l| l.len());
    let mut dark = s.clone();
    shadow(&mut dark, c, true, log, bud)?;
    if search(&mut dark, log, bud)? {
        return Ok(true);
    }
    let mut real = s.clone();
    shadow(&mut real, c, false, &mut None, bud)?;
    if !search(&mut real, &mut None, bud)? {
        return Ok(false);
    }
    for (row, count) in splinters(s, c)? {
        let mut j = T::zero();
        while j <= count {
            if let Some(log) = log {
                log.truncate(mark);
            }
            bud.step(1)?;
            let mut piece = s.clone();
            let mut eq = row.clone();
            let last = eq.len() - 1;
            eq[last] = eq[last].sub(&j)?;
            piece.eq.push(&eq);
            if search(&mut piece, log, bud)? {
                return Ok(true);
            }
            j = j.add(&T::one())?;
        }
    }
    Ok(false)
}

/// Rows with the largest value each must be tried at.
type Splinters<T> = Vec<(Vec<T>, T)>;

/// For each bound `a c + rest` on the cheaper side of column `c`: the row and the largest `j` for which `row = j` must
/// be tried.
fn splinters<T: Int>(s: &Sys<T>, c: usize) -> Res<Splinters<T>> {
    let side = |sign: i32| s.ge.rows().filter(move |r| r[c].sgn() == sign);
    let most = |sign: i32| side(sign).map(|r| r[c].abs()).max().unwrap_or_else(T::one);
    let count = |a: &T, m: &T| -> Res<T> { Ok(a.mul(m)?.sub(a)?.sub(m)?.fdiv(m)) };
    let list = |sign: i32| -> Res<Vec<(Vec<T>, T)>> {
        let m = most(-sign);
        let mut v = Vec::new();
        for r in side(sign) {
            let n = count(&r[c].abs(), &m)?;
            if !n.is_neg() {
                v.push((r.to_vec(), n));
            }
        }
        Ok(v)
    };
    let (low, high) = (list(1)?, list(-1)?);
    let total = |v: &[(Vec<T>, T)]| v.iter().try_fold(T::zero(), |t, x| t.add(&x.1));
    match (total(&low), total(&high)) {
        (Ok(a), Ok(b)) if b < a => Ok(high),
        (Err(_), Ok(_)) => Ok(high),
        _ => Ok(low),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two thin slabs in three columns, whose elimination multiplies large coefficients.
    fn slabs(seed: i64) -> Sys<i64> {
        let mut s = Sys::universe(3, 0);
        for k in 0..4 {
            let large = |c: i64| (1 << 40) + (seed * 7919 + k * 104_729 + c * 1_299_709) % (1 << 20);
            let row = vec![large(1), -large(2), large(3) * (1 - 2 * (k % 2)), -(seed % 17)];
            let mut other: Vec<i64> = row.iter().map(|v| -v).collect();
            other[3] += 1 << (12 + seed % 24);
            s.ge.push(&row);
            s.ge.push(&other);
        }
        s
    }

    #[test]
    fn numbers_that_grow_on_the_way_do_not_show() {
        let b = Budget::unlimited();
        let mut grown = 0;
        for seed in 0..40 {
            let s = slabs(seed);
            grown += i32::from(matches!(decide(&s, ELIMINATION_STEPS, &mut None, &b), Err(Stop::Overflow)));
            let wide = s.convert(|v| Some(BigInt::from(*v))).unwrap();
            let none = !decide(&wide, ELIMINATION_STEPS, &mut None, &b).unwrap();
            assert_eq!(is_empty(&s, &b), Ok(none), "{s:?}");
            assert_eq!(is_empty(&wide, &b), Ok(none), "{s:?}");
            if let Some(mut x) = sample(&s, &b).unwrap() {
                x.push(1);
                assert!(!none && s.ge.rows().all(|r| !wide_value(r, &x).is_neg()), "{s:?} {x:?}");
            } else {
                assert!(none, "{s:?}");
            }
        }
        assert!(grown > 5, "{grown}");
    }

    fn wide_value(row: &[i64], x: &[i64]) -> BigInt {
        row.iter().zip(x).map(|(a, v)| BigInt::from(*a) * v).sum()
    }
}
