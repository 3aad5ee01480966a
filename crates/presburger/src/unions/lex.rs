//! Parametric lexicographic minimum of a union of conjunctions, dimension by dimension.
//! For the next dimension the conjunction is projected exactly on it and what comes before; where its bounds have no
//! existentials, the minimum is one of the lower bounds rounded up to the next solution of the strides, of those that
//! others do not imply where the dimensions before stand at their minima; otherwise parametric programming finds it.
//! Maxima are minima after negating the dims.

use crate::budget::{Budget, Error};
use crate::num::{Int, Res, Stop};
use crate::program::dual::{self, Least};
use crate::program::simplex::{Opt, Tab};
use crate::system::elim;
use crate::system::solve;
use crate::system::sys::{Mat, Sys, combine, complement, negated};
use crate::unions::hull;
use crate::unions::lex_bounds;
use crate::unions::lex_groups;
use crate::unions::lex_strides;
use crate::unions::lex_values;
use crate::unions::subtract::subtract;
use std::borrow::Cow;
use std::cmp::Ordering;

/// Points of the union that are lexicographically smallest in columns `first..n` for their values of columns
/// `0..first`. `Error::Unbounded` where a piece has points and no minimum.
pub(crate) fn lexmin<T: Int>(pieces: &[&Sys<T>], first: usize, bud: &Budget) -> Res<Vec<Sys<T>>> {
    let mut best: Vec<Sys<T>> = Vec::new();
    for s in without_contained(pieces).iter() {
        let new = lexmin_of(s, first, bud)?;
        if best.is_empty() {
            best = new;
            continue;
        }
        if let ([a], [b]) = (&best[..], &new[..])
            && let Some(order) = point_order(a, b, first)
        {
            if order.is_gt() {
                best = new;
            }
            continue;
        }
        let kept = not_after(&best, &new, first, false, bud)?;
        let added = not_after(&new, &best, first, true, bud)?;
        best = kept;
        best.extend(added);
    }
    Ok(best)
}

/// Pieces among which one that has all rows of another is looked for.
const FEW_PIECES: usize = 32;

/// The pieces without those that have all rows of another one, which has no existentials: they lie in it.
fn without_contained<'p, 's, T: Int>(pieces: &'p [&'s Sys<T>]) -> Cow<'p, [&'s Sys<T>]> {
    if pieces.len() < 2 || pieces.len() > FEW_PIECES {
        return Cow::Borrowed(pieces);
    }
    let lies_in = |a: &Sys<T>, b: &Sys<T>| {
        let has = |rows: &Mat<T>, r: &[T]| rows.rows().any(|own| own == hull::widen_row(a, r));
        b.e == 0
            && b.eq.rows().all(|r| has(&a.eq, r))
            && b.ge.rows().all(|r| a.implies_on_sight(&hull::widen_row(a, r)))
    };
    let mut kept: Vec<&Sys<T>> = Vec::with_capacity(pieces.len());
    for (k, a) in pieces.iter().enumerate() {
        if !kept.iter().chain(&pieces[k + 1..]).any(|b| lies_in(a, b)) {
            kept.push(a);
        }
    }
    Cow::Owned(kept)
}

/// The first point of the union in lexicographic order, if there is one.
pub(crate) fn least<T: Int>(pieces: &[&Sys<T>], bud: &Budget) -> Res<Vec<Vec<T>>> {
    let mut best: Option<Vec<T>> = None;
    for s in pieces {
        for at in lexmin_of(s, 0, bud)? {
            let Some(mut x) = solve::sample(&at, bud)? else { continue };
            x.truncate(s.n);
            if best.as_ref().is_none_or(|b| x < *b) {
                best = Some(x);
            }
        }
    }
    Ok(best.into_iter().collect())
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

/// The order of two pieces that are one point each, the same for all values of columns `0..first`; `None` if that is
/// not seen.
fn point_order<T: Int>(a: &Sys<T>, b: &Sys<T>, first: usize) -> Option<Ordering> {
    let is_point = |s: &Sys<T>| s.e == 0 && s.ge.is_empty() && s.eq.len() == s.n - first;
    if !is_point(a) || !is_point(b) {
        return None;
    }
    // A tidy equality of one column has a positive coefficient.
    let value = |s: &Sys<T>, c: usize| {
        let alone = |r: &&[T]| r[c].is_one() && r[..s.n].iter().filter(|x| !x.is_zero()).count() == 1;
        s.eq.rows().find(alone).map(|r| r[s.n].neg())
    };
    let mut order = Ordering::Equal;
    for c in first..a.n {
        order = order.then(value(a, c)?.cmp(&value(b, c)?));
    }
    Some(order)
}

/// The minimum of one conjunction, as disjoint pieces.
fn lexmin_of<T: Int>(s: &Sys<T>, first: usize, bud: &Budget) -> Res<Vec<Sys<T>>> {
    if let Some(found) = lex_bounds::lexmin(s, first, bud)? {
        return Ok(found.into_iter().collect());
    }
    if (first..s.n).any(|c| !s.eq.uses(c) && !s.ge.uses(c)) {
        return if solve::is_empty(s, bud)? { Ok(Vec::new()) } else { Err(Stop::Error(Error::Unbounded)) };
    }
    if s.e == 0 && s.eq.is_empty() && (0..first).all(|c| !s.ge.uses(c)) {
        match dual::lexmin(s, first, bud)? {
            Least::At(values) => return Ok(vec![point(s.n, first, &values)]),
            Least::Nowhere => return Ok(Vec::new()),
            Least::Unknown => {
                if let Some(point) = numeric(s, first, bud)? {
                    return Ok(point.into_iter().collect());
                }
            }
        }
    }
    let Some(s) = elim::project(s, bud)? else { return Ok(Vec::new()) };
    match lex_groups::lexmin(&s, first, |part| lexmin_piece(part, first, bud), bud)? {
        Some(found) => Ok(found),
        None => lexmin_piece(s, first, bud),
    }
}

/// The minimum of one conjunction, as disjoint pieces: columns `first..n` one after the other while their bounds are
/// simple, the rest by parametric programming. A piece is `s` with conditions that say which bound each column stands
/// at.
fn lexmin_piece<T: Int>(s: Sys<T>, first: usize, bud: &Budget) -> Res<Vec<Sys<T>>> {
    let n = s.n;
    if s.ge.len() >= MANY_ROWS
        && let Some(point) = numeric(&s, first, bud)?
    {
        return Ok(point.into_iter().collect());
    }
    let Some(shadows) = shadows(&s, first, bud)? else { return Ok(Vec::new()) };
    if solve::is_empty(shadows.last().unwrap_or(&s), bud)? {
        return Ok(Vec::new());
    }
    let periods = (first..n).zip(shadows.iter().rev()).map(|(d, p)| period(p, d)).collect::<Res<Vec<_>>>()?;
    if periods.contains(&None) && lex_strides::applies(&s, first) {
        return lex_strides::lexmin(&s, first, |free, from| lexmin_of(free, from, bud), bud);
    }
    let mut list = vec![Sys::universe(first, 0)];
    let mut group = Vec::new();
    for ((d, p), period) in (first..n).zip(shadows.iter().rev()).zip(&periods) {
        let mut next = Vec::new();
        for at in list {
            match period {
                Some(g) => minimize_column(p, over(&at, p.n), d, g, &mut next, bud)?,
                None => {
                    for part in lex_values::lexmin(&s.meet(&over(&at, n)), d, bud)? {
                        if let Some(part) = elim::project_owned(part, bud)? {
                            group.push(part);
                        }
                    }
                }
            }
        }
        list = next;
    }
    for at in list {
        group.extend(elim::project_owned(s.meet(&at), bud)?);
    }
    Ok(group)
}

/// Columns `first..n` at the values, the others free.
pub(crate) fn point<T: Int>(n: usize, first: usize, values: &[T]) -> Sys<T> {
    let mut point = Sys::universe(n, 0);
    for (k, value) in values.iter().enumerate() {
        let mut row = vec![T::zero(); n + 1];
        row[first + k] = T::one();
        row[n] = value.neg();
        point.eq.push(&row);
    }
    point
}

/// Rows from which on a minimum without parameters is sought as a point.
const MANY_ROWS: usize = 12;

/// Values from the rational minimum of a column on at which a point is sought before the column is bisected.
const MOST_TRIES: usize = 4;

/// The minimum of one conjunction that says nothing of columns `0..first`, column by column: the least integer not
/// below the rational minimum at which there is still a point. `None` within: no point; `None`: a column has no
/// rational minimum.
fn numeric<T: Int>(s: &Sys<T>, first: usize, bud: &Budget) -> Res<Option<Option<Sys<T>>>> {
    if (0..first).any(|c| s.eq.uses(c) || s.ge.uses(c)) {
        return Ok(None);
    }
    let mut tab = Tab::new(s, bud)?;
    if tab.is_empty() {
        return Ok(Some(None));
    }
    let (mut fixed, mut values) = (s.clone(), Vec::with_capacity(s.n - first));
    for c in first..s.n {
        let mut row = vec![T::zero(); s.cols() + 1];
        row[c] = T::one();
        let Opt::At(num, den) = tab.min(&row, bud)? else { return Ok(None) };
        let mut at = num.cdiv(&den);
        row[s.cols()] = at.neg();
        let mut found = tab.integer_vertex().is_some_and(|v| v[c] == at);
        for _ in 0..MOST_TRIES {
            if found {
                break;
            }
            fixed.eq.push(&row);
            found = !solve::is_empty(&fixed, bud)?;
            fixed.eq.take(fixed.eq.len() - 1);
            if !found {
                at = at.add(&T::one())?;
                row[s.cols()] = at.neg();
            }
        }
        if !found {
            match least_of_column(&fixed, c, at, bud)? {
                Some(least) => row[s.cols()] = least.neg(),
                None => return Ok(Some(None)),
            }
        }
        tab.add_ge(&row, bud)?;
        tab.add_ge(&negated(&row), bud)?;
        fixed.eq.push(&row);
        values.push(row[s.cols()].neg());
    }
    Ok(Some(Some(point(s.n, first, &values))))
}

/// The least value from `low` on that column `c` has at a point, by bisection: whether there is a point up to a value
/// only changes once.
fn least_of_column<T: Int>(s: &Sys<T>, c: usize, mut low: T, bud: &Budget) -> Res<Option<T>> {
    let last = s.cols();
    let mut row = vec![T::zero(); last + 1];
    (row[c], row[last]) = (T::one(), low.neg());
    let mut above = s.clone();
    above.ge.push(&row);
    let Some(x) = solve::sample_thin(&above, bud)? else { return Ok(None) };
    let mut high = x[c].clone();
    while low < high {
        let middle = low.add(&high.sub(&low)?.fdiv(&T::of(2)))?;
        let mut below = above.clone();
        (row[c], row[last]) = (T::of(-1), middle.clone());
        below.ge.push(&row);
        match solve::sample_thin(&below, bud)? {
            Some(x) => high = x[c].clone(),
            None => low = middle.add(&T::one())?,
        }
    }
    Ok(Some(high))
}

/// Conditions on the first columns over `n` of them.
fn over<T: Int>(at: &Sys<T>, n: usize) -> Sys<T> {
    at.remap(&(0..n).map(|c| (c < at.n).then_some(c)).collect::<Vec<_>>(), &[])
}

/// The projections of `s` on its columns `0..=d`, for `d` from the last to `first`. Rows on earlier columns that are
/// added to `s` are just as well added to a projection, so one list serves all pieces of the case distinction. `None`:
/// no point.
fn shadows<T: Int>(s: &Sys<T>, first: usize, bud: &Budget) -> Res<Option<Vec<Sys<T>>>> {
    let mut list: Vec<Sys<T>> = Vec::with_capacity(s.n - first);
    for d in (first..s.n).rev() {
        let p = match list.last() {
            None => Some(s.clone()),
            Some(outer) => elim::project_owned(outer.hide(d + 1, 1), bud)?,
        };
        let Some(mut p) = p else { return Ok(None) };
        if p.ge.rows().filter(|r| r[d].is_pos()).count() > 1 {
            match elim::simplify(&p, bud)? {
                Some(q) => p = q,
                None => return Ok(None),
            }
        }
        list.push(p);
    }
    Ok(Some(list))
}

/// When column `d` meets existentials in stride equalities only: the distance after which the strides' solutions in `d`
/// repeat.
fn period<T: Int>(p: &Sys<T>, d: usize) -> Res<Option<T>> {
    let simple = |r: &[T]| r[p.n..p.cols()].iter().all(Int::is_zero);
    if p.ge.rows().any(|r| !r[d].is_zero() && !simple(r)) {
        return Ok(None);
    }
    let mut all = T::one();
    for r in p.eq.rows().filter(|r| !r[d].is_zero() && !simple(r)) {
        let mut used = (p.n..p.cols()).filter(|c| !r[*c].is_zero());
        let (Some(e), None) = (used.next(), used.next()) else { return Ok(None) };
        if p.ge.uses(e) || p.eq.rows().filter(|r| !r[e].is_zero()).count() > 1 {
            return Ok(None);
        }
        let g = r[e].abs();
        let g = g.fdiv(&g.gcd(&r[d]));
        all = all.mul(&g)?.fdiv(&all.gcd(&g));
    }
    Ok(Some(all))
}

/// Appends to the conditions `at` on columns before `d` those under which column `d` is smallest, one of each other
/// excluded. `p` is the projection on columns `0..=d` of what is minimised and has a point under these conditions; its
/// strides in `d` repeat after `period`, so the minimum lies within one period of a bound.
fn minimize_column<T: Int>(
    p: &Sys<T>,
    mut at: Sys<T>,
    d: usize,
    period: &T,
    out: &mut Vec<Sys<T>>,
    bud: &Budget,
) -> Res<()> {
    let simple = |r: &[T]| r[p.n..p.cols()].iter().all(Int::is_zero);
    if p.eq.rows().any(|r| !r[d].is_zero() && simple(r)) {
        out.push(at);
        return Ok(());
    }
    let bounds: Vec<usize> = (0..p.ge.len()).filter(|i| p.ge.row(*i)[d].is_pos()).collect();
    if bounds.is_empty() {
        return Err(Stop::Error(Error::Unbounded));
    }
    let bounds = if bounds.len() > 1 { not_implied(&p.meet(&at), bounds, bud)? } else { bounds };
    let mut windows = bounds.iter().map(|i| Window::of(p, *i, d, period)).collect::<Res<Vec<_>>>()?;
    if windows.len() > 1 {
        drop_followers(&p.meet(&at), &mut windows, bud)?;
    }
    let last = windows.len() - 1;
    for (k, window) in windows.iter().enumerate() {
        let mut piece = at.clone();
        piece.ge.push(&window.low);
        piece.ge.push(&window.cap);
        if last == 0 || !solve::is_empty(&p.meet(&piece), bud)? {
            bud.keep(piece.entries())?;
            out.push(piece);
        }
        if k < last {
            at.ge.push(&window.above);
        }
    }
    Ok(())
}
/// The bounds (rows of `s`) that are left when those go that the others imply, rows with many columns first: the
/// largest bound on a column is one of them.
fn not_implied<T: Int>(s: &Sys<T>, bounds: Vec<usize>, bud: &Budget) -> Res<Vec<usize>> {
    let mut tab = Tab::new(s, bud)?;
    if tab.is_empty() {
        return Ok(bounds);
    }
    let mut order = bounds.clone();
    order.sort_by_key(|i| std::cmp::Reverse(s.ge.row(*i)[..s.cols()].iter().filter(|x| !x.is_zero()).count()));
    let mut gone = Vec::new();
    for k in order {
        if tab.drop_if_implied(k, bud)? {
            gone.push(k);
        }
    }
    Ok(bounds.into_iter().filter(|k| !gone.contains(k)).collect())
}

/// What says that a column stands within one period of a lower bound, over the columns up to it.
struct Window<T> {
    /// At or above the bound.
    low: Vec<T>,
    /// Less than a period above the bound.
    cap: Vec<T>,
    /// The complement of `cap`.
    above: Vec<T>,
}

impl<T: Int> Window<T> {
    /// Around row `i` of `p`, which has no existentials and is a lower bound of column `d`, the last.
    fn of(p: &Sys<T>, i: usize, d: usize, period: &T) -> Res<Self> {
        let row = p.ge.row(i);
        let low: Vec<T> = row[..=d].iter().chain([&row[p.cols()]]).cloned().collect();
        let length = low[d].mul(period)?;
        let mut above = low.clone();
        above[d + 1] = above[d + 1].sub(&length)?;
        Ok(Self { low, cap: complement(&above)?, above })
    }
}

/// Drops windows that lie within another one: where the column stands at that bound, it stands at the other one too.
fn drop_followers<T: Int>(s: &Sys<T>, windows: &mut Vec<Window<T>>, bud: &Budget) -> Res<()> {
    let mut k = 0;
    while k < windows.len() {
        let mut follows = false;
        for j in (0..windows.len()).filter(|j| *j != k) {
            let mut apart = s.clone();
            apart.ge.push(&hull::widen_row(s, &windows[k].cap));
            apart.ge.push(&hull::widen_row(s, &windows[j].above));
            if solve::is_empty(&apart, bud)? {
                follows = true;
                break;
            }
        }
        if follows {
            windows.remove(k);
        } else {
            k += 1;
        }
    }
    Ok(())
}

/// Points `x` for which `s` has a `y` equal in columns `0..first` with `y << x` in columns `first..end` (or also
/// `y = x` when not `strict`), over `n >= end` visible columns of which those from `end` on are free. `s` has `end`
/// visible columns.
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
        out.extend(elim::project_owned(t, bud)?);
    }
    Ok(out)
}

/// The points of `list` that do not come after a point of `others` (with `or_equal`: nor coincide with one).
fn not_after<T: Int>(
    list: &[Sys<T>],
    others: &[Sys<T>],
    first: usize,
    or_equal: bool,
    bud: &Budget,
) -> Res<Vec<Sys<T>>> {
    let mine = list.iter().map(|s| Some((s, Function::of(s, first)?))).collect::<Option<Vec<_>>>();
    let theirs = others.iter().map(|s| Function::of(s, first)).collect::<Option<Vec<_>>>();
    if let (Some(mine), Some(theirs)) = (mine, theirs) {
        return not_after_functions(&mine, &theirs, or_equal, bud);
    }
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

/// A piece whose columns from `first` on are affine in the columns before.
struct Function<T> {
    /// Per column from `first` on: its value over `[columns 0..first | 1]`.
    values: Vec<Vec<T>>,
    /// The rows on the columns before `first`, over all visible columns.
    domain: Sys<T>,
}

impl<T: Int> Function<T> {
    /// `None` unless equalities solved for each column, and nothing else, use these columns; existentials are none of
    /// that.
    fn of(s: &Sys<T>, first: usize) -> Option<Self> {
        if s.e > 0 || s.ge.rows().any(|r| !early(r, first)) {
            return None;
        }
        let mut values = Vec::with_capacity(s.n - first);
        for c in first..s.n {
            let solved = |r: &&[T]| r[c].is_unit() && (first..s.n).all(|k| k == c || r[k].is_zero());
            let r = s.eq.rows().find(solved)?;
            let row = r[..first].iter().chain([&r[s.n]]);
            values.push(row.map(|x| if r[c].is_pos() { x.neg() } else { x.clone() }).collect());
        }
        let mut domain = s.clone();
        domain.eq.retain(|r| early(r, first));
        (s.eq.len() - domain.eq.len() == values.len()).then_some(Self { values, domain })
    }

    /// Where the values come before those of `o` (with `or_equal`: or are the same), within the domain of `self`.
    fn before(&self, o: &Self, or_equal: bool, out: &mut Vec<Sys<T>>) -> Res<()> {
        let mut same = self.domain.clone();
        for (a, b) in self.values.iter().zip(&o.values) {
            let mut gap = combine(&T::one(), a, &T::of(-1), b)?;
            let constant = gap.pop().expect("a value has a constant");
            if gap.iter().all(Int::is_zero) {
                match constant.sgn() {
                    0 => continue,
                    1 => return Ok(()),
                    _ => {
                        out.push(same);
                        return Ok(());
                    }
                }
            }
            gap.resize(same.n, T::zero());
            gap.push(constant);
            let mut less = same.clone();
            less.ge.push(&complement(&gap)?);
            if less.tidy() {
                out.push(less);
            }
            same.eq.push(&gap);
            if !same.tidy() {
                return Ok(());
            }
        }
        if or_equal {
            out.push(same);
        }
        Ok(())
    }
}

/// Whether the row uses no column from `first` on.
fn early<T: Int>(r: &[T], first: usize) -> bool {
    r[first..r.len() - 1].iter().all(Int::is_zero)
}

/// As [`not_after`], of pieces that are functions: their values are compared one by one, which mostly settles it at the
/// first that differs.
fn not_after_functions<T: Int>(
    list: &[(&Sys<T>, Function<T>)],
    others: &[Function<T>],
    or_equal: bool,
    bud: &Budget,
) -> Res<Vec<Sys<T>>> {
    let mut out = Vec::new();
    for (s, own) in list {
        let mut later = Vec::new();
        for o in others {
            bud.step(1 + o.values.len())?;
            o.before(own, or_equal, &mut later)?;
        }
        out.extend(subtract(&[s], &later.iter().collect::<Vec<_>>(), bud)?);
    }
    Ok(out)
}
