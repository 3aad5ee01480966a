//! Hulls, gist, and integer optima of affine forms.

use crate::budget::{Budget, Error};
use crate::num::{Int, Res, Stop};
use crate::program::simplex::{Opt, Tab};
use crate::system::bounds::Bounds;
use crate::system::divs;
use crate::system::elim;
use crate::system::guess;
use crate::system::solve;
use crate::system::sys::{Mat, Sys, cancel, complement, negated};

/// Integer optimum of an affine form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum IntOpt<T> {
    Empty,
    Unbounded,
    At(T),
}

/// Exact integer maximum of `row` (over all columns of each piece's visible part) over a union.
pub(crate) fn max_of<T: Int>(pieces: &[&Sys<T>], row: &[T], bud: &Budget) -> Res<IntOpt<T>> {
    let mut best = IntOpt::Empty;
    for s in pieces {
        match (max_piece(s, row, bud)?, &best) {
            (IntOpt::Unbounded, _) => return Ok(IntOpt::Unbounded),
            (IntOpt::Empty, _) => {}
            (IntOpt::At(v), IntOpt::At(w)) if v <= *w => {}
            (v, _) => best = v,
        }
    }
    Ok(best)
}

/// Widens a row over `[visible | 1]` with zero existential columns.
pub(crate) fn widen_row<T: Int>(s: &Sys<T>, row: &[T]) -> Vec<T> {
    let zeros = std::iter::repeat_n(T::zero(), s.e);
    row[..s.n].iter().cloned().chain(zeros).chain([row[s.n].clone()]).collect()
}

/// Rational maximum first; then bisection between it and the value at an integer point, by exact emptiness tests.
fn max_piece<T: Int>(s: &Sys<T>, row: &[T], bud: &Budget) -> Res<IntOpt<T>> {
    let row = widen_row(s, row);
    let mut tab = Tab::new(s, bud)?;
    if tab.is_empty() {
        return Ok(IntOpt::Empty);
    }
    let mut hi = match tab.max(&row, bud)? {
        Opt::Unbounded => return Ok(if solve::is_empty(s, bud)? { IntOpt::Empty } else { IntOpt::Unbounded }),
        Opt::At(n, d) => n.fdiv(&d),
    };
    let at_least = |v: &T| -> Res<Option<T>> {
        let mut t = s.clone();
        let mut r = row.clone();
        let last = r.len() - 1;
        r[last] = r[last].sub(v)?;
        t.ge.push(&r);
        let Some(mut x) = solve::sample(&t, bud)? else { return Ok(None) };
        x.push(T::one());
        T::dot(&row, &x).map(Some)
    };
    if at_least(&hi)?.is_some() {
        return Ok(IntOpt::At(hi));
    }
    let Some(mut x) = solve::sample(s, bud)? else { return Ok(IntOpt::Empty) };
    x.push(T::one());
    let mut lo = T::dot(&row, &x)?;
    // Invariant: lo is attained, hi is not.
    while lo.add(&T::one())? < hi {
        let mid = lo.add(&hi)?.fdiv(&T::of(2));
        match at_least(&mid)? {
            Some(v) => lo = v,
            None => hi = mid,
        }
    }
    Ok(IntOpt::At(lo))
}

/// The smallest affine subspace of the visible columns that holds every integer point of the union.
pub(crate) fn affine_hull<T: Int>(pieces: &[&Sys<T>], bud: &Budget) -> Res<Sys<T>> {
    let n = pieces[0].n;
    let mut found: Option<Span<T>> = None;
    for s in pieces {
        if found.as_ref().is_some_and(|f| f.1.len() == n) {
            break;
        }
        let open = Sys { n: s.cols(), e: 0, eq: s.eq.clone(), ge: s.ge.clone() };
        let Some(open) = elim::project_owned(open, bud)? else { continue };
        let hidden = |open: Sys<T>| Sys { n: s.n, e: s.e, ..open };
        let on_sight = match found {
            None => span_of_steps(&hidden(open.clone()), |room| Ok(guess::point(room)))?,
            Some(_) => None,
        };
        if on_sight.is_some() {
            found = on_sight;
            continue;
        }
        // Equalities that the rows imply over the rationals make the rest shorter.
        let Some(mut s) = elim::simplify(&open, bud)?.map(hidden) else { continue };
        let (origin, mut dirs) = match found.take() {
            Some(f) => f,
            None => match span_of_steps(&s, |room| point_soon(room, bud))? {
                Some(span) => span,
                None => match solve::sample(&s, bud)? {
                    Some(x) => (x[..n].to_vec(), Vec::new()),
                    None => continue,
                },
            },
        };
        let mut tab = Tab::new(&s, bud)?;
        while let Some(x) = point_outside(&mut s, &mut tab, &origin, &dirs, bud)? {
            dirs.push(x.iter().zip(&origin).map(|(a, b)| a.sub(b)).collect::<Res<Vec<T>>>()?);
        }
        found = Some((origin, dirs));
    }
    let Some((origin, dirs)) = found else { return Ok(Sys::contradiction(n)) };
    let mut hull = Sys::universe(n, 0);
    if dirs.len() == n {
        return Ok(hull);
    }
    for r in subspace_rows(n, &origin, &dirs)? {
        hull.eq.push(&r);
    }
    Ok(elim::project(&hull, bud)?.unwrap_or_else(|| Sys::contradiction(n)))
}

/// A point and independent directions.
type Span<T> = (Vec<T>, Vec<Vec<T>>);

/// Steps after which a point with room for unit steps is no longer looked for.
const ROOM_STEPS: u64 = 20_000;

/// A point of `s`, if one is found soon.
fn point_soon<T: Int>(s: &Sys<T>, bud: &Budget) -> Res<Option<Vec<T>>> {
    let share = bud.share(ROOM_STEPS);
    match solve::sample(s, &share) {
        Err(Stop::Error(Error::Spent)) if share.size() == ROOM_STEPS => Ok(None),
        other => other,
    }
}

/// A point of `s` and independent directions that span its affine hull, where a point has room for a unit step in every
/// column that equalities leave free: every equality must have a column of its own to solve for. `point` looks for the
/// point.
fn span_of_steps<T: Int>(s: &Sys<T>, point: impl Fn(&Sys<T>) -> Res<Option<Vec<T>>>) -> Res<Option<Span<T>>> {
    let last = s.cols();
    let mut pivots = Vec::with_capacity(s.eq.len());
    for (i, r) in s.eq.rows().enumerate() {
        let own = |c: &usize| {
            r[*c].is_unit() && !s.ge.uses(*c) && s.eq.rows().enumerate().all(|(k, q)| k == i || q[*c].is_zero())
        };
        let Some(p) = (0..last).rev().find(own) else { return Ok(None) };
        pivots.push(p);
    }
    let mut room = s.clone();
    for i in 0..room.ge.len() {
        let r = room.ge.row_mut(i);
        let step = r[..last].iter().min().filter(|x| x.is_neg()).cloned().unwrap_or_else(T::zero);
        r[last] = r[last].add(&step)?;
    }
    let Some(origin) = point(&room)? else { return Ok(None) };
    let mut dirs: Vec<Vec<T>> = Vec::with_capacity(last - pivots.len());
    for c in (0..last).filter(|c| !pivots.contains(c)) {
        let mut d = vec![T::zero(); last];
        d[c] = T::one();
        for (r, p) in s.eq.rows().zip(&pivots) {
            d[*p] = if r[*p].is_pos() { r[c].neg() } else { r[c].clone() };
        }
        d.truncate(s.n);
        dirs.push(d);
    }
    let dirs = if s.e > 0 { independent(dirs)? } else { dirs };
    Ok(Some((origin[..s.n].to_vec(), dirs)))
}

/// Those of the vectors that the ones before do not span.
fn independent<T: Int>(vectors: Vec<Vec<T>>) -> Res<Vec<Vec<T>>> {
    let mut reduced: Vec<(usize, Vec<T>)> = Vec::new();
    let mut kept = Vec::new();
    for v in vectors {
        let mut r = v.clone();
        for (p, q) in &reduced {
            cancel(&mut r, q, *p)?;
        }
        primitive(&mut r);
        if let Some(p) = r.iter().position(|x| !x.is_zero()) {
            reduced.push((p, r));
            kept.push(v);
        }
    }
    Ok(kept)
}

/// Visible part of a point of `s` that does not lie on `origin + span(dirs)`. Equalities found on the way are added to
/// `s` and its tableau.
fn point_outside<T: Int>(
    s: &mut Sys<T>,
    tab: &mut Tab<T>,
    origin: &[T],
    dirs: &[Vec<T>],
    bud: &Budget,
) -> Res<Option<Vec<T>>> {
    if dirs.len() == s.n || tab.is_empty() {
        return Ok(None);
    }
    for r in subspace_rows(s.n, origin, dirs)? {
        let row = widen_row(s, &r);
        if follows_from_equalities(s, row.clone())? {
            continue;
        }
        let opposite = negated(&row);
        let mut open = Vec::new();
        for side in [&row, &opposite] {
            match reach(tab, side, bud)? {
                Reach::Point(x) => return Ok(Some(x[..s.n].to_vec())),
                Reach::Open => open.push(complement(&negated(side))?),
                Reach::Zero => {}
            }
        }
        let mut found = None;
        for side in open {
            let mut t = s.clone();
            t.ge.push(&side);
            found = solve::sample(&t, bud)?;
            if found.is_some() {
                break;
            }
        }
        if let Some(x) = found {
            return Ok(Some(x[..s.n].to_vec()));
        }
        tab.add_ge(&row, bud)?;
        tab.add_ge(&opposite, bud)?;
        s.eq.push(&row);
    }
    Ok(None)
}

/// How far a form goes over a polyhedron.
enum Reach<T> {
    /// Below one.
    Zero,
    /// To a value above zero at this integer point.
    Point(Vec<T>),
    Open,
}

fn reach<T: Int>(tab: &mut Tab<T>, row: &[T], bud: &Budget) -> Res<Reach<T>> {
    Ok(match tab.max(row, bud)? {
        Opt::At(num, den) if num < den => Reach::Zero,
        Opt::At(..) => tab.integer_vertex().map_or(Reach::Open, Reach::Point),
        Opt::Unbounded => Reach::Open,
    })
}

/// Whether `row = 0` is a combination of the equalities of `s`.
fn follows_from_equalities<T: Int>(s: &Sys<T>, mut row: Vec<T>) -> Res<bool> {
    let last = s.cols();
    let mut rows: Vec<Vec<T>> = s.eq.rows().map(<[T]>::to_vec).collect();
    for i in 0..rows.len() {
        let Some(p) = (0..last).find(|c| !rows[i][*c].is_zero()) else { continue };
        let pivot = rows[i].clone();
        for r in &mut rows[i + 1..] {
            if r[p].is_zero() {
                continue;
            }
            cancel(r, &pivot, p)?;
            primitive(r);
        }
        cancel(&mut row, &pivot, p)?;
    }
    Ok(row.iter().all(Int::is_zero))
}

/// Equalities over `[visible | 1]` whose solutions are `origin + span(dirs)`.
fn subspace_rows<T: Int>(n: usize, origin: &[T], dirs: &[Vec<T>]) -> Res<Vec<Vec<T>>> {
    // Rows of the null space of `dirs`, by Gaussian elimination to reduced echelon form.
    let mut m: Vec<Vec<T>> = dirs.to_vec();
    let mut pivots: Vec<usize> = Vec::new();
    for i in 0..m.len() {
        let Some(p) = (0..n).find(|c| !m[i][*c].is_zero()) else { continue };
        let row = m[i].clone();
        for (k, r) in m.iter_mut().enumerate() {
            if k != i && !r[p].is_zero() {
                cancel(r, &row, p)?;
                primitive(r);
            }
        }
        pivots.push(p);
    }
    m.retain(|r| r.iter().any(|x| !x.is_zero()));
    let mut out = Vec::new();
    for free in (0..n).filter(|c| !pivots.contains(c)) {
        let mut scale = T::one();
        for r in &m {
            let p = (0..n).find(|c| !r[*c].is_zero() && pivots.contains(c)).expect("a pivot per row");
            let g = scale.gcd(&r[p]);
            scale = scale.mul(&r[p].abs())?.fdiv(&g);
        }
        let mut row = vec![T::zero(); n + 1];
        row[free] = scale.clone();
        for r in &m {
            let p = (0..n).find(|c| !r[*c].is_zero() && pivots.contains(c)).expect("a pivot per row");
            let factor = scale.fdiv(&r[p].abs()).mul(&r[free])?;
            row[p] = if r[p].is_pos() { factor.neg() } else { factor };
        }
        primitive(&mut row);
        row[n] = T::dot(&row[..n], origin)?.neg();
        out.push(row);
    }
    Ok(out)
}

fn primitive<T: Int>(row: &mut [T]) {
    let mut g = T::zero();
    for x in row.iter().filter(|x| !x.is_zero()) {
        g = g.gcd(x);
        if g.is_one() {
            return;
        }
    }
    if !g.is_zero() {
        for x in row.iter_mut() {
            *x = x.fdiv(&g);
        }
    }
}

/// One conjunction that contains the union: the constraints of its pieces without existentials, each moved outwards
/// until it holds on every piece; strides common to all pieces are kept.
pub(crate) fn simple_hull<T: Int>(pieces: &[&Sys<T>], bud: &Budget) -> Res<Sys<T>> {
    let n = pieces[0].n;
    let mut list = Vec::new();
    for s in pieces {
        if let Some(s) = elim::simplify(s, bud)?
            && !solve::is_empty(&s, bud)?
        {
            list.push(s);
        }
    }
    if list.len() < 2 {
        return Ok(list.pop().unwrap_or_else(|| Sys::contradiction(n)));
    }
    let mut tabs: Vec<Option<Tab<T>>> = list.iter().map(|_| None).collect();
    let mut hull = Sys::universe(n, 0);
    for s in &list {
        let plain = |r: &&[T]| r[n..s.cols()].iter().all(Int::is_zero);
        for r in s.ge.rows().filter(plain) {
            shift_row(r, s, &list, &mut tabs, &mut hull, bud)?;
        }
        for r in s.eq.rows().filter(plain) {
            shift_row(r, s, &list, &mut tabs, &mut hull, bud)?;
            shift_row(&negated(r), s, &list, &mut tabs, &mut hull, bud)?;
        }
    }
    let mut hull = hull.meet(&common_strides(&list));
    hull.tidy();
    Ok(elim::simplify(&hull, bud)?.unwrap_or_else(|| Sys::contradiction(n)))
}

fn shift_row<T: Int>(
    r: &[T],
    s: &Sys<T>,
    list: &[Sys<T>],
    tabs: &mut [Option<Tab<T>>],
    hull: &mut Sys<T>,
    bud: &Budget,
) -> Res<()> {
    if hull.ge.rows().any(|h| h[..s.n] == r[..s.n]) {
        return Ok(());
    }
    let mut row = r[..s.n].to_vec();
    row.push(r[s.cols()].clone());
    let mut least = T::zero();
    for (t, tab) in list.iter().zip(tabs) {
        // A row of a simplified piece is attained on it.
        let plain = |q: &&[T]| q[..t.n] == row[..t.n] && q[t.n..t.cols()].iter().all(Int::is_zero);
        if let Some(q) = t.ge.rows().find(plain) {
            least = least.min(row[s.n].sub(&q[t.cols()])?);
            continue;
        }
        let tab = match tab {
            Some(tab) => tab,
            None => tab.insert(Tab::new(t, bud)?),
        };
        match tab.min(&widen_row(t, &row), bud)? {
            Opt::Unbounded => return Ok(()),
            Opt::At(num, den) => least = least.min(num.fdiv(&den)),
        }
    }
    row[s.n] = row[s.n].sub(&least)?;
    hull.ge.push(&row);
    Ok(())
}

/// Stride equalities that stand in every piece.
fn common_strides<T: Int>(list: &[Sys<T>]) -> Sys<T> {
    let strides = |s: &Sys<T>| -> Vec<(Vec<T>, T)> {
        let mut out = Vec::new();
        for r in s.eq.rows() {
            let mut used = (s.n..s.cols()).filter(|c| !r[*c].is_zero());
            if let (Some(p), None) = (used.next(), used.next()) {
                let mut key = r[..s.n].to_vec();
                key.push(r[s.cols()].clone());
                out.push((key, r[p].abs()));
            }
        }
        out
    };
    let rest: Vec<_> = list[1..].iter().map(strides).collect();
    let common: Vec<_> = strides(&list[0]).into_iter().filter(|k| rest.iter().all(|r| r.contains(k))).collect();
    let n = list[0].n;
    let mut s = Sys::universe(n, common.len());
    for (k, (key, g)) in common.into_iter().enumerate() {
        let mut row = widen_row(&s, &key);
        row[n + k] = g.neg();
        s.eq.push(&row);
    }
    s
}

/// Pieces of `a` without the constraints that `context` implies: `gist & context = a & context`. A row goes if every
/// piece of the context together with the other rows implies it.
pub(crate) fn gist<T: Int>(a: &[&Sys<T>], context: &[&Sys<T>], bud: &Budget) -> Res<Vec<Sys<T>>> {
    if context.is_empty() {
        return Ok(a.iter().map(|s| (*s).clone()).collect());
    }
    let mut contexts = Vec::with_capacity(context.len());
    for c in context {
        contexts.extend(without_redundant(c, bud)?);
    }
    let bounds: Vec<_> = contexts.iter().map(Bounds::of).collect();
    let mut out = Vec::new();
    for s in a {
        let Some(s) = without_redundant(s, bud)? else { continue };
        if any_meets(&s, &contexts, &bounds, bud)? {
            out.push(gist_piece(&s, &contexts, &bounds, bud)?);
        } else if all_empty(&contexts, bud)? {
            // An empty context makes every answer right: the simplest is the universe.
            return Ok(vec![Sys::universe(s.n, 0)]);
        }
    }
    Ok(out)
}

/// Rows above which those that follow from others over the rationals are looked for in one tableau, before any integer
/// test.
const MANY_ROWS: usize = 12;

/// The projected piece, without redundant rows if it has many. `None`: rows contradict each other.
fn without_redundant<T: Int>(s: &Sys<T>, bud: &Budget) -> Res<Option<Sys<T>>> {
    let Some(mut s) = elim::project(s, bud)? else { return Ok(None) };
    let kept = s.ge.len() <= MANY_ROWS || elim::drop_redundant(&mut s, bud)?;
    Ok(kept.then_some(s))
}

fn any_meets<T: Int>(s: &Sys<T>, contexts: &[Sys<T>], bounds: &[Bounds<T>], bud: &Budget) -> Res<bool> {
    let own = Bounds::of(s);
    for (c, _) in contexts.iter().zip(bounds).filter(|(_, other)| !own.apart(other, 0)) {
        let mut both = s.meet(c);
        if both.tidy() && !solve::is_empty(&both, bud)? {
            return Ok(true);
        }
    }
    Ok(false)
}

fn all_empty<T: Int>(contexts: &[Sys<T>], bud: &Budget) -> Res<bool> {
    for c in contexts {
        if !solve::is_empty(c, bud)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// One piece together with one piece of the context: the rows of the former stand first. Rows found redundant are zero.
struct Joint<'c, T> {
    context: &'c Sys<T>,
    bounds: &'c Bounds<T>,
    /// Made when a row is first asked for that the context does not show.
    both: Option<Sys<T>>,
    neq: usize,
    nge: usize,
}

impl<'c, T: Int> Joint<'c, T> {
    fn of(s: &Sys<T>, context: &'c Sys<T>, bounds: &'c Bounds<T>) -> Self {
        Self { context, bounds, both: None, neq: s.eq.len(), nge: s.ge.len() }
    }

    /// The rows of both; `s` is the piece with zeros for the rows found redundant.
    fn both(&mut self, s: &Sys<T>) -> &mut Sys<T> {
        self.both.get_or_insert_with(|| s.meet(self.context))
    }

    /// Makes a row of the piece zero, which is found redundant.
    fn forget(&mut self, equality: bool, i: usize) {
        if let Some(both) = &mut self.both {
            let rows = if equality { &mut both.eq } else { &mut both.ge };
            rows.row_mut(i).fill(T::zero());
        }
    }

    /// Whether a row of the context says an inequality of `s`.
    fn shows(&self, s: &Sys<T>, row: &[T]) -> bool {
        let (n, last, end) = (s.n, s.cols(), self.context.cols());
        let plain = |r: &[T]| r[n..end].iter().all(Int::is_zero);
        row[n..last].iter().all(Int::is_zero)
            && self.context.ge.rows().any(|r| r[..n] == row[..n] && r[end] <= row[last] && plain(r))
    }

    /// Which inequalities of the piece, of those with `candidate`, can go together because the rows left imply them
    /// over the rationals.
    fn implied_over_rationals(
        &mut self,
        s: &Sys<T>,
        candidate: impl Fn(usize) -> bool,
        bud: &Budget,
    ) -> Res<Vec<bool>> {
        let mut tab = Tab::new(self.both(s), bud)?;
        let mut gone = vec![false; self.nge];
        for (i, gone) in gone.iter_mut().enumerate().filter(|(i, _)| candidate(*i)) {
            *gone = !tab.is_empty() && tab.drop_if_redundant(i, bud)?;
        }
        Ok(gone)
    }

    /// Whether the other rows imply inequality `i` of the piece `s`.
    fn implies_ge(&mut self, i: usize, s: &Sys<T>, bud: &Budget) -> Res<bool> {
        if self.shows(s, s.ge.row(i)) {
            return Ok(true);
        }
        let both = self.both(s);
        let row = both.ge.row(i).to_vec();
        let outside = complement(&row)?;
        both.ge.row_mut(i).clone_from_slice(&outside);
        let implied = solve::is_empty(both, bud)?;
        both.ge.row_mut(i).clone_from_slice(&row);
        Ok(implied)
    }

    /// Whether the other rows imply equality `i` of the piece, whose existentials, if any, are `s`'s.
    fn implies_eq(&mut self, i: usize, s: &Sys<T>, bud: &Budget) -> Res<bool> {
        let neq = self.neq;
        let both = self.both(s);
        let row = both.eq.row(i).to_vec();
        let same = |r: &[T]| *r == row[..] || r.iter().zip(&row).all(|(a, b)| *a == b.neg());
        if both.eq.rows().skip(neq).any(same) {
            return Ok(true);
        }
        let stride = row[s.n..s.cols()].iter().any(|x| !x.is_zero());
        both.eq.row_mut(i).fill(T::zero());
        let implied = if stride { implies_stride(both, &row, s, bud)? } else { implies_both_sides(both, &row, bud)? };
        both.eq.row_mut(i).clone_from_slice(&row);
        Ok(implied)
    }
}

/// Whether the rows of `both` leave nothing on either side of `row`.
fn implies_both_sides<T: Int>(both: &mut Sys<T>, row: &[T], bud: &Budget) -> Res<bool> {
    for side in [complement(row)?, complement(&negated(row))?] {
        if !empty_with(both, &[side], bud)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether the rows leave the stride `row`, with its existential of `s`, no other remainder.
fn implies_stride<T: Int>(both: &mut Sys<T>, row: &[T], s: &Sys<T>, bud: &Budget) -> Res<bool> {
    let mut used = (s.n..s.cols()).filter(|c| !row[*c].is_zero());
    let (Some(p), None) = (used.next(), used.next()) else { return Ok(false) };
    if s.ge.uses(p) {
        return Ok(false);
    }
    // The stride existential is free now: look for a remainder between 1 and g - 1.
    let last = row.len() - 1;
    let mut low = negated(row);
    low[last] = low[last].add(&row[p].abs())?.sub(&T::one())?;
    let mut up = row.to_vec();
    up[last] = up[last].sub(&T::one())?;
    empty_with(both, &[up, low], bud)
}

fn empty_with<T: Int>(both: &mut Sys<T>, rows: &[Vec<T>], bud: &Budget) -> Res<bool> {
    let before = both.ge.v.len();
    for r in rows {
        both.ge.push(r);
    }
    let empty = solve::is_empty(both, bud)?;
    both.ge.v.truncate(before);
    Ok(empty)
}

fn gist_piece<T: Int>(s: &Sys<T>, contexts: &[Sys<T>], bounds: &[Bounds<T>], bud: &Budget) -> Res<Sys<T>> {
    let mut s = match contexts {
        [one] => reduce_by_context(s, one)?,
        _ => s.clone(),
    };
    if !s.tidy() {
        return Ok(Sys::contradiction(s.n));
    }
    let defining = divs::defining_rows(&s);
    let (neq, nge) = (s.eq.len(), s.ge.len());
    // `s` stays as it is; the rows found redundant are zero in `left`.
    let mut left = s.clone();
    let mut joints: Vec<_> = contexts.iter().zip(bounds).map(|(c, b)| Joint::of(&s, c, b)).collect();
    // What is surely kept may tell the piece apart from most of many pieces of the context.
    let (mut sure, mut surely) = (Sys::universe(s.n, s.e), Bounds::unknown());
    let mut kept = |equality: bool, row: &[T], surely: &mut Bounds<T>| {
        if contexts.len() > 1 {
            (if equality { &mut sure.eq } else { &mut sure.ge }).push(row);
            *surely = Bounds::of(&sure);
        }
    };
    let mut keep_eq = vec![true; neq];
    let mut keep_ge = vec![true; nge];
    if let [only] = &mut joints[..]
        && only.both(&left).ge.len() > MANY_ROWS
    {
        let gone = only.implied_over_rationals(&left, |i| !defining[i], bud)?;
        for i in (0..nge).filter(|i| gone[*i]) {
            keep_ge[i] = false;
            left.ge.row_mut(i).fill(T::zero());
            only.forget(false, i);
        }
    }
    for i in (0..nge).filter(|i| !defining[*i]) {
        if !keep_ge[i] {
            continue;
        }
        keep_ge[i] = !all(&mut joints, |j| Ok(j.bounds.apart(&surely, 0) || j.implies_ge(i, &left, bud)?))?;
        if keep_ge[i] {
            kept(false, left.ge.row(i), &mut surely);
        } else {
            left.ge.row_mut(i).fill(T::zero());
            joints.iter_mut().for_each(|j| j.forget(false, i));
        }
    }
    for (i, keep) in keep_eq.iter_mut().enumerate() {
        *keep = !all(&mut joints, |j| Ok(j.bounds.apart(&surely, 0) || j.implies_eq(i, &left, bud)?))?;
        if *keep {
            kept(true, left.eq.row(i), &mut surely);
        } else {
            left.eq.row_mut(i).fill(T::zero());
            joints.iter_mut().for_each(|j| j.forget(true, i));
        }
    }
    let out = subset_of_rows(&s, &keep_eq, &keep_ge);
    Ok(elim::project_owned(out, bud)?.unwrap_or_else(|| Sys::contradiction(s.n)))
}

fn all<J>(joints: &mut [J], mut test: impl FnMut(&mut J) -> Res<bool>) -> Res<bool> {
    for j in joints {
        if !test(j)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Uses the context's equalities without existentials to shorten the rows of `s`.
fn reduce_by_context<T: Int>(s: &Sys<T>, context: &Sys<T>) -> Res<Sys<T>> {
    let mut out = s.clone();
    for r in context.eq.rows().filter(|r| r[context.n..context.cols()].iter().all(Int::is_zero)) {
        let mut row = r[..s.n].to_vec();
        row.push(r[context.cols()].clone());
        let row = widen_row(s, &row);
        let Some(p) = (0..s.n).rev().find(|c| row[*c].is_unit()) else { continue };
        for m in [&mut out.eq, &mut out.ge] {
            for i in 0..m.len() {
                cancel(m.row_mut(i), &row, p)?;
            }
        }
    }
    Ok(out)
}

fn subset_of_rows<T: Int>(s: &Sys<T>, eq: &[bool], ge: &[bool]) -> Sys<T> {
    let pick = |m: &Mat<T>, keep: &[bool]| {
        let mut out = Mat::new(m.w);
        for (r, k) in m.rows().zip(keep) {
            if *k {
                out.push(r);
            }
        }
        out
    };
    Sys { n: s.n, e: s.e, eq: pick(&s.eq, eq), ge: pick(&s.ge, ge) }
}

/// True iff, for fixed values of the first `np` columns, the visible points of `s` are finitely many: `s` is empty, or
/// no direction of its recession cone moves a visible column.
pub(crate) fn is_bounded<T: Int>(s: &Sys<T>, np: usize, bud: &Budget) -> Res<bool> {
    if solve::is_empty(s, bud)? {
        return Ok(true);
    }
    let last = s.cols();
    let mut cone = s.clone();
    for m in [&mut cone.eq, &mut cone.ge] {
        for i in 0..m.len() {
            m.row_mut(i)[last] = T::zero();
        }
    }
    for c in 0..np {
        let mut row = vec![T::zero(); last + 1];
        row[c] = T::one();
        cone.eq.push(&row);
    }
    let mut tab = Tab::new(&cone, bud)?;
    for c in np..s.n {
        for sign in [1, -1] {
            let mut row = vec![T::zero(); last + 1];
            row[c] = T::of(sign);
            if tab.max(&row, bud)? == Opt::Unbounded {
                return Ok(false);
            }
        }
    }
    Ok(true)
}
