//! Exact elimination of existentials, canonical rows, redundancy removal, and rational projection.
//! In:  a conjunction over `[visible | existentials | 1]`.
//! Out: one over the same visible columns and the same visible points. An existential stays only as a stride (alone in
//! one equality)
//!      or where removing it would not be exact.
//! Sources: Pugh 1992 (exact shadows); Schrijver, Theory of Linear and Integer Programming, 1986 (Fourier-Motzkin,
//! Hermite form).

use crate::budget::Budget;
use crate::num::{Int, Res};
use crate::program::simplex::{Opt, Tab};
use crate::system::divs;
use crate::system::facets;
use crate::system::signs;
use crate::system::solve;
use crate::system::sums;
use crate::system::sys::{Mat, Sys, cancel, combine};
use crate::system::windows;
use std::borrow::Cow;

/// Removes existentials where that is exact and brings rows to a canonical form. `None`: rows contradict each other.
pub(crate) fn project<T: Int>(sys: &Sys<T>, bud: &Budget) -> Res<Option<Sys<T>>> {
    project_owned(sys.clone(), bud)
}

/// As [`project`], without a copy.
pub(crate) fn project_owned<T: Int>(mut s: Sys<T>, bud: &Budget) -> Res<Option<Sys<T>>> {
    let (mut reduced, mut fresh, mut sheared) = (s.ge.len(), true, 0);
    if !s.tidy_eq() {
        return Ok(None);
    }
    if s.n == 0 && s.e > 0 {
        // Nothing is visible: all that is left to say is whether there is a point.
        return Ok((!solve::is_empty(&s, bud)?).then(|| Sys::universe(0, 0)));
    }
    loop {
        bud.step(1 + s.eq.len() + s.ge.len())?;
        if !isolate_strides(&mut s, bud)? || !reduce_equalities(&mut s, bud)? {
            return Ok(None);
        }
        s.drop_unused_exists();
        if s.e == 0 {
            break;
        }
        if s.ge.len() > reduced + 6 || (fresh && multiplies_rows(&s)?) {
            fresh = false;
            if !drop_redundant(&mut s, bud)? {
                return Ok(None);
            }
            reduced = s.ge.len();
        }
        let fewer = eliminate_one(&mut s, bud)? || divs::merge_equal(&mut s);
        // What makes the numbers of one window small may make those of another large, and so on for ever.
        let shorter = !fewer && sheared <= 2 * s.e && windows::reduce(&mut s)?;
        sheared = if fewer { 0 } else { sheared + 1 };
        if !fewer && !shorter && loose_equality(&s).is_none() {
            break;
        }
    }
    s.drop_unused_exists();
    divs::order(&mut s);
    Ok(Some(s))
}

/// Rows that a Fourier-Motzkin step may add before it is worth to look for redundant ones first.
const MANY_NEW_ROWS: usize = 32;

/// Whether eliminating any existential outside of equalities adds many rows, and fewer rows may leave one that can be.
fn multiplies_rows<T: Int>(s: &Sys<T>) -> Res<bool> {
    if s.ge.len() < MANY_NEW_ROWS / 2 {
        return Ok(false);
    }
    let mut hopeful = false;
    for c in (s.n..s.cols()).filter(|c| !s.eq.uses(*c)) {
        let (lower, upper) = bounds_of(s, c);
        if lower.len() * upper.len() <= s.ge.len() + MANY_NEW_ROWS {
            return Ok(false);
        }
        hopeful = hopeful
            || s.ge.len() >= facets::MANY_ROWS
            || inexact_pairs(s, c, &lower, &upper, HOPELESS)?.len() < HOPELESS;
    }
    Ok(hopeful)
}

/// Pairs of bounds that make a step inexact from which on they will hardly all be redundant.
const HOPELESS: usize = 32;

/// Pairs of bounds whose dark shadows are worth a linear program each.
const FEW_INEXACT: usize = 4;

/// The inequalities that bound column `c` from below, and those from above.
fn bounds_of<T: Int>(s: &Sys<T>, c: usize) -> (Vec<usize>, Vec<usize>) {
    let side = |sign: i32| (0..s.ge.len()).filter(|i| s.ge.row(*i)[c].sgn() == sign).collect();
    (side(1), side(-1))
}

/// [`project`], then implicit equalities and redundant rows by linear programming. `None`: no rational point.
pub(crate) fn simplify<T: Int>(sys: &Sys<T>, bud: &Budget) -> Res<Option<Sys<T>>> {
    let Some(mut s) = project(sys, bud)? else { return Ok(None) };
    let mut open = thin_out(&mut s, bud)?;
    while s.ge.len() > 1 {
        open = open || signs::shows_inner_point(&s);
        let needed = if open { signs::needed(&s, divs::defining_rows(&s)) } else { Vec::new() };
        if open {
            take_open_rows(&mut s, needed, bud)?;
            break;
        }
        let mut tab = Tab::new(&s, bud)?;
        if tab.is_empty() {
            return Ok(None);
        }
        if !take_tight_rows(&mut s, &mut tab, bud)? {
            let needed = signs::needed(&s, divs::defining_rows(&s));
            take_redundant_rows(&mut s, &mut tab, &needed, bud)?;
            break;
        }
        match project(&s, bud)? {
            Some(t) => s = t,
            None => return Ok(None),
        }
    }
    s.drop_unused_exists();
    divs::order(&mut s);
    Ok(Some(s))
}

/// An equality with an existential that is not yet a stride (reducing rows may find new ones), unless it relates
/// floors.
fn loose_equality<T: Int>(s: &Sys<T>) -> Option<usize> {
    let loose = |i: usize| (s.n..s.cols()).any(|c| !s.eq.row(i)[c].is_zero() && !is_stride(s, c));
    (0..s.eq.len()).find(|i| loose(*i) && !relates_floors(s, *i))
}

/// Whether equality `i` has several existentials, all with inequalities that make them floors of what comes before, and
/// none that it gives as an integer combination of the rest: solving it would mix the columns, after which no floor is
/// left to be seen.
fn relates_floors<T: Int>(s: &Sys<T>, i: usize) -> bool {
    let row = s.eq.row(i);
    let mut used = (s.n..s.cols()).filter(|c| !row[*c].is_zero());
    used.clone().count() > 1
        && used.clone().all(|c| !row[c].is_unit())
        && used.all(|c| (s.n..=c).all(|k| divs::is_floor(s, k)))
}

/// True for an existential column that appears in one row only, an equality whose only existential it is, with a
/// coefficient that restricts the others.
fn is_stride<T: Int>(s: &Sys<T>, c: usize) -> bool {
    if s.ge.uses(c) {
        return false;
    }
    let mut rows = s.eq.rows().filter(|r| !r[c].is_zero());
    match (rows.next(), rows.next()) {
        (Some(r), None) => !r[c].is_unit() && (s.n..s.cols()).all(|k| k == c || r[k].is_zero()),
        _ => false,
    }
}

/// Uses equalities to remove existentials; those that remain in equalities become strides. False: contradiction.
/// Inequalities are left untidy.
fn isolate_strides<T: Int>(s: &mut Sys<T>, bud: &Budget) -> Res<bool> {
    while let Some(i) = loose_equality(s) {
        bud.step(1 + s.eq.len() + s.ge.len())?;
        let p = gather_existentials(s, i)?;
        let unit = s.eq.row(i)[p].is_unit();
        let row = if unit { s.eq.take(i) } else { s.eq.row(i).to_vec() };
        for k in 0..s.eq.len() {
            if unit || k != i {
                cancel(s.eq.row_mut(k), &row, p)?;
            }
        }
        for k in 0..s.ge.len() {
            cancel(s.ge.row_mut(k), &row, p)?;
        }
        if !s.tidy_eq() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Shears existential columns until equality `i` has one existential left; returns its column.
fn gather_existentials<T: Int>(s: &mut Sys<T>, i: usize) -> Res<usize> {
    loop {
        let row = s.eq.row(i);
        let used = (s.n..s.cols()).filter(|c| !row[*c].is_zero());
        let p = used.min_by(|a, b| row[*a].abs().cmp(&row[*b].abs())).expect("the row has an existential");
        let others: Vec<usize> = (s.n..s.cols()).filter(|c| *c != p && !row[*c].is_zero()).collect();
        if others.is_empty() || row[p].is_unit() {
            return Ok(p);
        }
        for j in others {
            let (a, b) = (&s.eq.row(i)[j], &s.eq.row(i)[p]);
            let q = if b.is_neg() { a.neg().fdiv(&b.neg()) } else { a.fdiv(b) };
            let nq = q.neg();
            for m in [&mut s.eq, &mut s.ge] {
                for k in 0..m.len() {
                    let r = m.row_mut(k);
                    r[j] = T::lin(&T::one(), &r[j], &nq, &r[p])?;
                }
            }
        }
    }
}

/// Gaussian elimination with the equalities on visible columns, latest column first; stride rows get coefficients in
/// `(-g/2, g/2]`, all rows are tidy in the end. False: contradiction.
fn reduce_equalities<T: Int>(s: &mut Sys<T>, bud: &Budget) -> Res<bool> {
    let n = s.n;
    for i in 0..s.eq.len() {
        if s.eq.row(i)[n..s.cols()].iter().any(|x| !x.is_zero()) {
            continue;
        }
        let row = s.eq.row(i).to_vec();
        let unit = (0..n).rev().find(|c| row[*c].is_unit());
        let Some(p) = unit.or_else(|| (0..n).rev().find(|c| !row[*c].is_zero())) else { continue };
        bud.step(1 + s.ge.len() / 2)?;
        for k in 0..s.eq.len() {
            let stride = s.eq.row(k)[n..s.cols()].iter().any(|x| !x.is_zero());
            if k != i && (!stride || unit.is_some()) {
                cancel(s.eq.row_mut(k), &row, p)?;
            }
        }
        for k in 0..s.ge.len() {
            cancel(s.ge.row_mut(k), &row, p)?;
        }
    }
    if s.e > 0 {
        for i in 0..s.eq.len() {
            reduce_stride(s, i)?;
        }
    }
    let before = s.eq.len();
    if !s.tidy() {
        return Ok(false);
    }
    if s.e > 1 && s.eq.len() > 1 {
        drop_equal_strides(s);
    }
    // Tidying may have found new equalities among the inequalities.
    if s.eq.len() > before { reduce_equalities(s, bud) } else { Ok(true) }
}

/// The stride existential of an equality: the only one it has, used nowhere else.
fn stride_of<T: Int>(s: &Sys<T>, i: usize) -> Option<usize> {
    (s.n..s.cols()).find(|c| !s.eq.row(i)[*c].is_zero()).filter(|c| is_stride(s, *c))
}

fn reduce_stride<T: Int>(s: &mut Sys<T>, i: usize) -> Res<()> {
    let Some(p) = stride_of(s, i) else { return Ok(()) };
    let (n, last) = (s.n, s.cols());
    let row = s.eq.row_mut(i);
    let g = row[p].abs();
    let half = g.fdiv(&T::of(2));
    for c in (0..n).chain([last]) {
        let mut v = row[c].modulo(&g);
        if v > half {
            v = v.sub(&g)?;
        }
        row[c] = v;
    }
    if row[..n].iter().rev().find(|x| !x.is_zero()).is_some_and(Int::is_neg) {
        for c in (0..n).chain([last]) {
            row[c] = row[c].neg();
        }
        // Keep the constant in the same range after the change of sign.
        if row[last].add(&row[last])? == g.neg() {
            row[last] = half;
        }
    }
    row[p] = g;
    Ok(())
}

/// Drops stride equalities that repeat another one with another existential.
fn drop_equal_strides<T: Int>(s: &mut Sys<T>) {
    let keys: Vec<Option<(Vec<T>, T)>> = (0..s.eq.len())
        .map(|i| {
            let p = stride_of(s, i)?;
            let row = s.eq.row(i);
            let key = row[..s.n].iter().chain(std::iter::once(&row[s.cols()])).cloned().collect();
            Some((key, row[p].clone()))
        })
        .collect();
    let mut i = 0;
    s.eq.retain(|_| {
        i += 1;
        keys[i - 1].is_none() || !keys[..i - 1].contains(&keys[i - 1])
    });
}

/// Eliminates the cheapest existential for which that is exact. False: there is none.
fn eliminate_one<T: Int>(s: &mut Sys<T>, bud: &Budget) -> Res<bool> {
    let mut best: Option<(isize, usize)> = None;
    let mut hard = Vec::new();
    for c in s.n..s.cols() {
        if s.eq.uses(c) {
            continue;
        }
        let (lower, upper) = bounds_of(s, c);
        if lower.is_empty() && upper.is_empty() {
            continue;
        }
        let (nl, nu) = (lower.len().cast_signed(), upper.len().cast_signed());
        let growth = nl * nu - nl - nu;
        if best.is_some_and(|b| b.0 <= growth) {
            continue;
        }
        match inexact_pairs(s, c, &lower, &upper, FEW_INEXACT + 1)? {
            v if v.is_empty() => best = Some((growth, c)),
            v if v.len() <= FEW_INEXACT => hard.push((growth, c, v)),
            _ => {}
        }
    }
    if best.is_none() {
        hard.sort_by_key(|h| (h.0, h.1));
        for (growth, c, pairs) in hard {
            if dark_is_implied(s, c, &pairs, bud)? {
                best = Some((growth, c));
                break;
            }
        }
    }
    let Some((_, c)) = best else { return Ok(false) };
    combine_bounds(s, c, bud)?;
    Ok(true)
}

/// The pairs of bounds on `c` whose real and dark shadows may differ, the first `most` of them.
fn inexact_pairs<T: Int>(
    s: &Sys<T>,
    c: usize,
    lower: &[usize],
    upper: &[usize],
    most: usize,
) -> Res<Vec<(usize, usize)>> {
    let mut out = Vec::new();
    let last = s.cols();
    for &l in lower {
        for &u in upper {
            let (low, up) = (s.ge.row(l), s.ge.row(u));
            let (a, b) = (&low[c], up[c].neg());
            if a.is_one() || b.is_one() {
                continue;
            }
            let constant = all_cancel(&b, &low[..last], a, &up[..last])?;
            let slack = a.sub(&T::one())?.mul(&b.sub(&T::one())?)?;
            if !(constant && T::lin(&b, &low[last], a, &up[last])? >= slack) {
                out.push((l, u));
                if out.len() == most {
                    return Ok(out);
                }
            }
        }
    }
    Ok(out)
}

/// Whether `a * x + b * y` is zero.
fn all_cancel<T: Int>(a: &T, x: &[T], b: &T, y: &[T]) -> Res<bool> {
    for (p, q) in x.iter().zip(y) {
        if !T::lin(a, p, b, q)?.is_zero() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// True if every listed pair's dark shadow holds on the whole system, so that elimination is exact all the same.
fn dark_is_implied<T: Int>(s: &Sys<T>, c: usize, pairs: &[(usize, usize)], bud: &Budget) -> Res<bool> {
    let mut tab = Tab::new(s, bud)?;
    if tab.is_empty() {
        return Ok(true);
    }
    for &(l, u) in pairs {
        let (a, b) = (&s.ge.row(l)[c], s.ge.row(u)[c].neg());
        let r = combine(&b, s.ge.row(l), a, s.ge.row(u))?;
        let slack = a.sub(&T::one())?.mul(&b.sub(&T::one())?)?;
        match tab.min(&r, bud)? {
            Opt::At(num, den) if num >= slack.mul(&den)? => {}
            _ => return Ok(false),
        }
    }
    Ok(true)
}

/// Takes the inequalities that name column `c` out of the system.
pub(crate) fn take_bounds<T: Int>(s: &mut Sys<T>, c: usize) -> Mat<T> {
    let mut gone = Mat::new(s.ge.w);
    s.ge.retain(|r| {
        let keep = r[c].is_zero();
        if !keep {
            gone.push(r);
        }
        keep
    });
    gone
}

/// Fourier-Motzkin on one column without equalities: every lower bound combined with every upper bound.
pub(crate) fn combine_bounds<T: Int>(s: &mut Sys<T>, c: usize, bud: &Budget) -> Res<()> {
    let gone = take_bounds(s, c);
    for l in gone.rows().filter(|r| r[c].is_pos()) {
        for u in gone.rows().filter(|r| r[c].is_neg()) {
            bud.step(1 + gone.w / 8)?;
            let r = combine(&u[c].neg(), l, &l[c], u)?;
            s.ge.push(&r);
        }
    }
    Ok(())
}

/// Moves inequalities that always hold with equality to the equalities. Returns whether there were any.
fn take_tight_rows<T: Int>(s: &mut Sys<T>, tab: &mut Tab<T>, bud: &Budget) -> Res<bool> {
    let mut tight = Vec::with_capacity(s.ge.len());
    for k in 0..s.ge.len() {
        tight.push(tab.is_tight(k, bud)?);
    }
    let (mut i, eq) = (0, &mut s.eq);
    s.ge.retain(|r| {
        i += 1;
        if tight[i - 1] {
            eq.push(r);
        }
        !tight[i - 1]
    });
    Ok(tight.contains(&true))
}

/// Turns inequalities that always hold with equality into equalities. False: no rational point.
fn find_implicit_equalities<T: Int>(s: &mut Sys<T>, bud: &Budget) -> Res<bool> {
    if s.ge.len() < 2 {
        return Ok(true);
    }
    let mut tab = Tab::new(s, bud)?;
    if tab.is_empty() {
        return Ok(false);
    }
    take_tight_rows(s, &mut tab, bud)?;
    Ok(true)
}

/// Drops inequalities implied by the other rows (rows that define a floor are kept). False: no rational point.
pub(crate) fn drop_redundant<T: Int>(s: &mut Sys<T>, bud: &Budget) -> Res<bool> {
    if s.ge.len() < 2 {
        return Ok(true);
    }
    let open = thin_out(s, bud)? || signs::shows_inner_point(s);
    let needed = signs::needed(s, divs::defining_rows(s));
    if open {
        take_open_rows(s, needed, bud)?;
        return Ok(true);
    }
    let mut tab = Tab::new(s, bud)?;
    if tab.is_empty() {
        return Ok(false);
    }
    take_redundant_rows(s, &mut tab, &needed, bud)?;
    Ok(true)
}

/// Drops most of the redundant rows where there are many. Returns whether that showed an inner point, so that no
/// inequality always holds with equality.
fn thin_out<T: Int>(s: &mut Sys<T>, bud: &Budget) -> Res<bool> {
    Ok(s.ge.len() >= facets::MANY_ROWS && facets::thin(s, &divs::defining_rows(s), bud)?)
}

/// The conjunction without redundant rows, if it has many rows and no existentials that need some of them.
pub(crate) fn thinned<'s, T: Int>(s: &'s Sys<T>, bud: &Budget) -> Res<Cow<'s, Sys<T>>> {
    if s.ge.len() < facets::MANY_ROWS {
        return Ok(Cow::Borrowed(s));
    }
    let mut few = s.clone();
    thin_out(&mut few, bud)?;
    Ok(Cow::Owned(few))
}

/// As [`drop_redundant`] of inequalities with an inner point, given which stay in any case. The needed rows are then
/// the same in whatever order the others go.
fn take_open_rows<T: Int>(s: &mut Sys<T>, keep: Vec<bool>, bud: &Budget) -> Res<()> {
    if !keep.contains(&false) {
        return Ok(());
    }
    bud.step(1 + s.ge.len() / 8)?;
    let order = droppable(s, &keep);
    let keep = sums::drop_sums(s, &keep, &order);
    if keep.contains(&false) {
        let mut tab = Tab::new(s, bud)?;
        take_redundant_rows(s, &mut tab, &keep, bud)?;
    }
    Ok(())
}

/// The inequalities that need not stay, those with many variables first, so that simple bounds survive among equals.
fn droppable<T: Int>(s: &Sys<T>, keep: &[bool]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..s.ge.len()).filter(|k| !keep[*k]).collect();
    order.sort_by_key(|k| std::cmp::Reverse(s.ge.row(*k)[..s.cols()].iter().filter(|x| !x.is_zero()).count()));
    order
}

/// As [`drop_redundant`], given the tableau of `s` and which rows stay in any case.
fn take_redundant_rows<T: Int>(s: &mut Sys<T>, tab: &mut Tab<T>, keep: &[bool], bud: &Budget) -> Res<()> {
    let mut gone = vec![false; s.ge.len()];
    for k in droppable(s, keep) {
        gone[k] = tab.drop_if_redundant(k, bud)?;
    }
    let mut i = 0;
    s.ge.retain(|_| {
        i += 1;
        !gone[i - 1]
    });
    Ok(())
}

/// Rational projection on the first `keep` visible columns, redundant rows dropped. Existentials and later columns go:
/// exactly where that is possible, otherwise to the real shadow, which contains every point. `None`: no rational point.
pub(crate) fn rational_bounds<T: Int>(sys: &Sys<T>, keep: usize, bud: &Budget) -> Res<Option<Sys<T>>> {
    let hidden = sys.hide(keep, sys.n - keep);
    let Some(mut s) = project(&hidden, bud)? else { return Ok(None) };
    while s.e > 0 {
        rational_step(&mut s, bud)?;
        match project(&s, bud)? {
            Some(t) => s = t,
            None => return Ok(None),
        }
    }
    if !find_implicit_equalities(&mut s, bud)? {
        return Ok(None);
    }
    if !s.tidy() || !reduce_equalities(&mut s, bud)? || !drop_redundant(&mut s, bud)? {
        return Ok(None);
    }
    Ok(Some(s))
}

/// Removes an existential from the rows over the rationals: by an equality that has one, otherwise the cheapest.
fn rational_step<T: Int>(s: &mut Sys<T>, bud: &Budget) -> Res<()> {
    let (n, last) = (s.n, s.cols());
    let pivot = |s: &Sys<T>, i: usize| (n..last).find(|c| !s.eq.row(i)[*c].is_zero());
    if let Some((i, p)) = (0..s.eq.len()).find_map(|i| Some((i, pivot(s, i)?))) {
        let row = s.eq.take(i);
        for m in [&mut s.eq, &mut s.ge] {
            for k in 0..m.len() {
                cancel(m.row_mut(k), &row, p)?;
            }
        }
        return Ok(());
    }
    let count = |c: usize, sign: i32| s.ge.rows().filter(|r| r[c].sgn() == sign).count();
    let c = (n..last).min_by_key(|c| count(*c, 1) * count(*c, -1)).expect("there is an existential");
    combine_bounds(s, c, bud)
}
