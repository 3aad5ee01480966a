//! Coalescing: the same union with fewer pieces, by replacing two pieces whose union is one conjunction.
//! The candidate for two pieces is the conjunction of all rows that hold on both; it is taken when none of its integer
//! points lies outside of both. Where it has such points, rows of neither piece are added that hold on both: rows
//! turned until they touch the other piece (`wrap`). Pieces with different floors are compared over the floors of both
//! (`align`). Rows are asked of a tableau per piece, built once, and only where no parallel row of the piece says it on
//! sight.
//! Source: Verdoolaege, Integer Set Coalescing, IMPACT 2015 (rows valid on both pieces, cuts, wrapping, alignment).

use crate::budget::{Budget, Error};
use crate::num::{Int, Res, Stop};
use crate::program::simplex::{Opt, Tab};
use crate::system::bounds::Bounds;
use crate::system::divs::{self, Floor};
use crate::system::elim;
use crate::system::solve;
use crate::system::sys::{Mat, Sys, complement, linear_hash, negated};
use crate::unions::align::{self, Aligned, Canonical};
use crate::unions::subtract::is_subset;
use crate::unions::wrap::{self, First, Second};
use num_bigint::BigInt;

/// A simplified piece with a point, and what is found out about it on the way.
struct Piece<T> {
    sys: Sys<T>,
    open: Open<T>,
    /// What inequalities say where a gap between them surely leaves out points: without existentials, and where each
    /// equality gives a column.
    bounds: Bounds<T>,
    floors: Vec<Option<Floor<T>>>,
    /// `None` inside: not all existentials are floors.
    canonical: Option<Option<Canonical<T>>>,
}

impl<T: Int> Piece<T> {
    /// `None`: no point.
    fn of(sys: Sys<T>, bud: &Budget) -> Res<Option<Self>> {
        let rows = Sys { n: sys.cols(), e: 0, eq: sys.eq.clone(), ge: sys.ge.clone() };
        let floors = divs::definitions(&sys);
        let open = Open::of(rows, bud)?;
        let dense = sys.e == 0 && sys.eq.rows().all(|r| r[..sys.n].iter().any(Int::is_unit));
        let bounds = if dense { Bounds::of_inequalities(&sys) } else { Bounds::unknown() };
        Ok(open.map(|open| Self { sys, open, bounds, floors, canonical: None }))
    }

    fn canonical(&mut self) -> Res<Option<&Canonical<T>>> {
        if self.canonical.is_none() {
            self.canonical = Some(align::canonical(&self.sys)?);
        }
        Ok(self.canonical.as_ref().and_then(Option::as_ref))
    }
}

/// Rows without existentials, with a point of theirs.
struct Open<T> {
    rows: Sys<T>,
    /// With a 1 behind it.
    point: Vec<T>,
    tab: Option<Tab<T>>,
    /// Of few columns integer points that are farthest in some column, and of these the farthest and the nearest in the
    /// sum of the others, where they are vertices; otherwise those of the first [`Open::farthest`].
    corners: Option<Vec<Vec<T>>>,
    /// Integer points that were found, the first one among them.
    seen: Vec<Vec<T>>,
}

impl<T: Int> Open<T> {
    /// `None`: no point.
    fn of(rows: Sys<T>, bud: &Budget) -> Res<Option<Self>> {
        let Some(mut point) = solve::sample(&rows, bud)? else { return Ok(None) };
        point.push(T::one());
        Ok(Some(Self { rows, seen: vec![point.clone()], point, tab: None, corners: None }))
    }

    /// Looks for a few integer points far from each other.
    fn look_around(&mut self, bud: &Budget) -> Res<()> {
        let columns = self.point.len() - 1;
        for c in (0..columns).step_by(columns / FEW_FAR + 1) {
            for sign in [1, -1] {
                match self.corner(c, sign, sign, bud) {
                    Ok(Some(x)) if !self.seen.contains(&x) => self.seen.push(x),
                    Ok(_) => {}
                    Err(Stop::Overflow) => {
                        self.tab = None;
                        return Ok(());
                    }
                    Err(stop) => return Err(stop),
                }
            }
        }
        Ok(())
    }

    /// The point where column `c` is largest, or smallest for a negative `sign`, and of these points the one where the
    /// sum of the others is, by the sign of `tilt`; `None` if it is no vertex of integers.
    fn corner(&mut self, c: usize, sign: i64, tilt: i64, bud: &Budget) -> Res<Option<Vec<T>>> {
        let last = self.point.len() - 1;
        let mut row = vec![T::of(tilt); last + 1];
        row[c] = T::of(1000 * sign);
        row[last] = T::zero();
        let tab = self.tab(bud)?;
        let Opt::At(..) = tab.max(&row, bud)? else { return Ok(None) };
        let Some(mut x) = tab.integer_vertex() else { return Ok(None) };
        x.push(T::one());
        Ok(Some(x))
    }

    fn tab(&mut self, bud: &Budget) -> Res<&mut Tab<T>> {
        if self.tab.is_none() {
            let tab = Tab::new(&self.rows, bud)?;
            bud.keep(tab.entries())?;
            self.tab = Some(tab);
        }
        Ok(self.tab.as_mut().expect("the tableau was just made"))
    }

    /// Points and directions, as [`Second`] has them: where each of the rows is lowest, and of few columns the corners.
    fn farthest(&mut self, rows: &Mat<T>, bud: &Budget) -> Res<Vec<Vec<T>>> {
        let mut list =
            if self.point.len() <= FEW_COLUMNS { self.corners(bud)?.to_vec() } else { vec![self.point.clone()] };
        for r in rows.rows() {
            let (_, at) = self.tab(bud)?.lowest(r, bud)?;
            if !list.contains(&at) {
                list.push(at);
            }
        }
        if self.corners.is_none() {
            self.corners = Some(list.clone());
        }
        Ok(list)
    }

    fn corners(&mut self, bud: &Budget) -> Res<&[Vec<T>]> {
        if self.corners.is_none() {
            let width = self.point.len();
            let mut list = vec![self.point.clone()];
            for (c, sign, tilt) in
                (0..width - 1).flat_map(|c| [1, -1].into_iter().flat_map(move |s| [1, -1].map(move |t| (c, s, t))))
            {
                if let Some(corner) = self.corner(c, sign, tilt, bud)?
                    && !list.contains(&corner)
                {
                    list.push(corner);
                }
            }
            self.corners = Some(list);
        }
        Ok(self.corners.as_deref().unwrap_or_default())
    }

    /// Whether all rows hold at a point with a 1 behind it.
    fn holds_at(&self, x: &[T]) -> Res<bool> {
        for r in self.rows.eq.rows() {
            if !T::dot(r, x)?.is_zero() {
                return Ok(false);
            }
        }
        for r in self.rows.ge.rows() {
            if T::dot(r, x)?.is_neg() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether `row >= 0` holds on all rational points.
    fn implies(&mut self, row: &[T], bud: &Budget) -> Res<bool> {
        if T::dot(row, &self.point)?.is_neg() {
            return Ok(false);
        }
        let last = row.len() - 1;
        // Rows that others imply are gone, so each meets the piece's rational points with equality.
        if let Some(r) = self.rows.ge.rows().find(|r| r[..last] == row[..last]) {
            return Ok(r[last] <= row[last]);
        }
        if self.rows.implies_on_sight(row) {
            return Ok(true);
        }
        let tab = self.tab(bud)?;
        Ok(tab.is_empty() || tab.is_nonneg(row, bud)?)
    }

    /// The rows of `o` (equalities as two inequalities) that hold on all of this piece, and those that do not.
    fn sort_rows(&mut self, o: &Self, bud: &Budget) -> Res<Sides<T>> {
        let mut sides = Sides { valid: Mat::new(o.rows.ge.w), cuts: Mat::new(o.rows.ge.w) };
        let mut sort = |r: &[T]| -> Res<()> {
            if self.implies(r, bud)? {
                sides.valid.push(r);
            } else {
                sides.cuts.push(r);
            }
            Ok(())
        };
        for r in o.rows.ge.rows() {
            sort(r)?;
        }
        for r in o.rows.eq.rows() {
            sort(r)?;
            sort(&negated(r))?;
        }
        Ok(sides)
    }
}

/// The rows of one piece, sorted by what holds on another piece.
struct Sides<T> {
    valid: Mat<T>,
    cuts: Mat<T>,
}

/// The same points with fewer pieces: empty pieces dropped, pieces merged when one conjunction covers exactly both.
pub(crate) fn coalesce<T: Int>(a: &[&Sys<T>], bud: &Budget) -> Res<Vec<Sys<T>>> {
    coalesce_where(a, |_, _| true, bud)
}

/// As [`coalesce`], but no piece has more existentials or more rows than one of those that it takes the place of.
pub(crate) fn coalesce_small<T: Int>(a: &[&Sys<T>], bud: &Budget) -> Res<Vec<Sys<T>>> {
    let rows = |s: &Sys<T>| s.eq.len() + s.ge.len();
    coalesce_where(a, |m, of| of.iter().any(|s| m.e <= s.e && rows(m) <= rows(s)), bud)
}

/// As [`coalesce`], of the pieces that `fits` says may take the place of two.
fn coalesce_where<T: Int>(
    a: &[&Sys<T>],
    fits: impl Fn(&Sys<T>, [&Sys<T>; 2]) -> bool,
    bud: &Budget,
) -> Res<Vec<Sys<T>>> {
    let mut list: Vec<Box<Piece<T>>> = Vec::with_capacity(a.len());
    let mut marks: Vec<u64> = Vec::with_capacity(a.len());
    for s in a {
        if let Some(s) = elim::simplify(s, bud)? {
            let mark = linear_hash(&s.eq.v) ^ linear_hash(&s.ge.v);
            if marks.iter().zip(&list).all(|(m, p)| *m != mark || p.sys != s)
                && let Some(piece) = Piece::of(s, bud)?
            {
                list.push(Box::new(piece));
                marks.push(mark);
            }
        }
    }
    let many = list.len() >= MANY_PIECES;
    if many {
        list.iter_mut().try_for_each(|p| p.open.look_around(bud))?;
    }
    // A grown piece may merge with one that did not fit before, also an earlier one. All other pairs of the first
    // `tried` pieces with any piece are known not to merge.
    let (mut i, mut tried, mut grown) = (0, 0, None);
    while i < list.len() {
        let (mut j, mut merged) = (i + 1, false);
        while j < list.len() {
            if !merged && i < tried && grown != Some(i) {
                match grown {
                    Some(g) if g >= j => j = g,
                    _ => break,
                }
            }
            let found = merge_soon(&mut list, i, j, bud)?;
            if let Some(mut m) = found.filter(|m| fits(&m.sys, [&list[i].sys, &list[j].sys])) {
                if many {
                    m.open.look_around(bud)?;
                }
                *list[i] = m;
                list.remove(j);
                tried -= usize::from(j < tried);
                merged = true;
            } else {
                j += 1;
            }
        }
        if merged {
            (i, grown) = (0, Some(i));
        } else {
            i += 1;
            tried = tried.max(i);
        }
    }
    Ok(list.into_iter().map(|p| p.sys).collect())
}

/// Steps after which two pieces stay apart: a piece less is not worth more, and where not all existentials are floors,
/// the question whether one piece holds the other has no bound of its own.
const PAIR_STEPS: u64 = 20_000;

/// As [`merge`], within [`PAIR_STEPS`].
fn merge_soon<T: Int>(list: &mut [Box<Piece<T>>], i: usize, j: usize, bud: &Budget) -> Res<Option<Piece<T>>> {
    let share = bud.share(PAIR_STEPS);
    match merge(list, i, j, &share) {
        Err(Stop::Error(Error::Spent)) if share.size() == PAIR_STEPS => {
            (list[i].open.tab, list[j].open.tab) = (None, None);
            Ok(None)
        }
        done => done,
    }
}

/// One conjunction with exactly the points of pieces `i < j`, if the rows valid on both give one.
fn merge<T: Int>(list: &mut [Box<Piece<T>>], i: usize, j: usize, bud: &Budget) -> Res<Option<Piece<T>>> {
    bud.step(1)?;
    let (before, from) = list.split_at_mut(j);
    let (a, b) = (&mut before[i], &mut from[0]);
    if a.bounds.apart(&b.bounds, 1) || apart_on_sight(&a.sys, &b.sys) {
        return Ok(None);
    }
    if a.sys.e == 0 && b.sys.e == 0 && misses_near(&a.open, &b.open, bud)? {
        return Ok(None);
    }
    match join(a, b, bud) {
        Err(Stop::Overflow) => {
            (a.open.tab, b.open.tab) = (None, None);
            join_wide(a, b, bud)
        }
        joined => joined,
    }
}

/// As [`join`] in arbitrary precision: where the numbers of one pair grow, those of all others are left as they are.
#[cold]
fn join_wide<T: Int>(a: &Piece<T>, b: &Piece<T>, bud: &Budget) -> Res<Option<Piece<T>>> {
    let wide = |s: &Sys<T>| s.convert(|v| v.to_i64().map(BigInt::from)).ok_or(Stop::Overflow);
    let (Some(mut a), Some(mut b)) = (Piece::of(wide(&a.sys)?, bud)?, Piece::of(wide(&b.sys)?, bud)?) else {
        return Ok(None);
    };
    let Some(joined) = join(&mut a, &mut b, bud)? else { return Ok(None) };
    let narrow = joined.sys.convert(|v| Int::to_i64(v).filter(|v| *v != i64::MIN).map(T::of));
    Piece::of(narrow.ok_or(Stop::Overflow)?, bud)
}

/// One conjunction with exactly the points of both.
fn join<T: Int>(a: &mut Piece<T>, b: &mut Piece<T>, bud: &Budget) -> Res<Option<Piece<T>>> {
    let merged = if a.floors == b.floors && a.floors.iter().all(Option::is_some) {
        let merged = merge_open(&mut a.open, &mut b.open, &Mat::new(a.sys.cols() + 1), bud)?;
        merged.map(|m| Sys { n: a.sys.n, e: a.sys.e, eq: m.eq, ge: m.ge })
    } else {
        None
    };
    let merged = match merged {
        None if a.sys.e > 0 || b.sys.e > 0 => merge_aligned(a, b, bud)?,
        found => found,
    };
    match merged {
        Some(m) => match elim::simplify(&m, bud)? {
            Some(m) => Piece::of(m, bud),
            None => Ok(None),
        },
        None => Ok(None),
    }
}

/// Whether parallel rows of both leave at least one integer value between the pieces. False where existentials or
/// equalities may make that value impossible.
fn apart_on_sight<T: Int>(a: &Sys<T>, b: &Sys<T>) -> bool {
    let n = a.n;
    let gap = |r: &[T], q: &[T]| {
        r[..n].iter().zip(&q[..n]).all(|(x, y)| *x == y.neg()) && r[n].add(&q[n]).is_ok_and(|sum| sum < T::of(-1))
    };
    let dense = |s: &Sys<T>| s.e == 0 && s.eq.rows().all(|r| r[..n].iter().any(Int::is_unit));
    dense(a) && dense(b) && a.ge.rows().any(|r| b.ge.rows().any(|q| gap(r, q)))
}

/// As [`merge`] over the floors of both pieces; where some existential is no floor, one piece may still hold the other.
fn merge_aligned<T: Int>(a: &mut Piece<T>, b: &mut Piece<T>, bud: &Budget) -> Res<Option<Sys<T>>> {
    let n = a.sys.n;
    let known = [a.open.seen.clone(), b.open.seen.clone()];
    if let (Some(x), Some(y)) = (a.canonical()?, b.canonical()?) {
        let mut both = align::align_congruent(x, y, n, bud)?;
        let Some(mut open) = over_floors(&both, n, &known, bud)? else { return Ok(None) };
        if misses_near(&open[0], &open[1], bud)? {
            return Ok(None);
        }
        let mut merged = merge_over_floors(&mut open, &both, bud)?;
        if merged.is_none() && both.settle(n)? {
            let Some(settled) = over_floors(&both, n, &known, bud)? else { return Ok(None) };
            open = settled;
            merged = merge_over_floors(&mut open, &both, bud)?;
        }
        if let Some(mut m) = merged {
            // What else says that a floor lies where it does may not say that it is one.
            m.ge.v.extend(both.floor_rows.v);
            return Ok(Some(Sys { n, e: both.floors.len(), eq: m.eq, ge: m.ge }));
        }
        if a.floors == b.floors {
            return Ok(None);
        }
        // Each point has one value of each floor: what holds it is a question on rows without existentials.
        let [x, y] = &open;
        if x.holds_at(&y.point)? && is_subset(&[&y.rows], &[&x.rows], bud)? {
            return Ok(Some(a.sys.clone()));
        }
        return Ok((y.holds_at(&x.point)? && is_subset(&[&x.rows], &[&y.rows], bud)?).then(|| b.sys.clone()));
    }
    if a.floors == b.floors {
        return Ok(None);
    }
    if may_hold(&a.sys, &b.open.point, bud)? && is_subset(&[&b.sys], &[&a.sys], bud)? {
        return Ok(Some(a.sys.clone()));
    }
    Ok((may_hold(&b.sys, &a.open.point, bud)? && is_subset(&[&a.sys], &[&b.sys], bud)?).then(|| b.sys.clone()))
}

/// Whether the visible columns may be as in `point`; true of numbers beyond 64 bits.
fn may_hold<T: Int>(s: &Sys<T>, point: &[T], bud: &Budget) -> Res<bool> {
    let at: Option<Vec<i64>> = point[..s.n].iter().map(Int::to_i64).collect();
    at.map_or(Ok(true), |at| solve::holds_at(s, &at, bud))
}

/// Both pieces over all floors, with the integer points of them that are known; `None` if one has no rational point.
fn over_floors<T: Int>(
    both: &Aligned<T>,
    n: usize,
    known: &[Vec<Vec<T>>; 2],
    bud: &Budget,
) -> Res<Option<[Open<T>; 2]>> {
    let open = |s: &Sys<T>, points: &[Vec<T>]| -> Res<Option<Open<T>>> {
        let mut s = s.clone();
        s.ge.v.extend(both.floor_rows.v.iter().cloned());
        let Some(rows) = elim::simplify(&s, bud)? else { return Ok(None) };
        match points.iter().map(|x| with_floors(&x[..n], &both.floors)).collect::<Res<Vec<Vec<T>>>>() {
            Ok(seen) => Ok(Some(Open { rows, point: seen[0].clone(), tab: None, corners: None, seen })),
            Err(Stop::Overflow) => Open::of(rows, bud),
            Err(stop) => Err(stop),
        }
    };
    let (first, second) = (open(&both.first, &known[0])?, open(&both.second, &known[1])?);
    Ok(first.zip(second).map(|(x, y)| [x, y]))
}

/// The values of the visible columns and of all floors, with a 1 behind them.
fn with_floors<T: Int>(visible: &[T], floors: &[Floor<T>]) -> Res<Vec<T>> {
    let mut x = visible.to_vec();
    for f in floors {
        let (form, constant) = f.num.split_at(x.len());
        x.push(T::dot(form, &x)?.add(&constant[0])?.fdiv(&f.den));
    }
    x.push(T::one());
    Ok(x)
}

fn merge_over_floors<T: Int>(open: &mut [Open<T>; 2], both: &Aligned<T>, bud: &Budget) -> Res<Option<Sys<T>>> {
    let [a, b] = open;
    merge_open(a, b, &both.floor_rows, bud)
}

/// Columns up to which more corners are looked for, the constant's among them.
const FEW_COLUMNS: usize = 5;

/// Corners of each piece between which a missing point is looked for before any row of theirs is compared.
const FEW_CORNERS: usize = 6;

/// Columns, spread over all of them, in which points far from each other are looked for.
const FEW_FAR: usize = 3;

/// Pieces from which on it pays to look for such points: each is compared with all others.
const MANY_PIECES: usize = 6;

/// Products of numbers of rows above which no rows are turned.
const MOST_TURNS: usize = 256;

/// The candidate is the conjunction of all rows valid on both, with the `given` ones, which are. A point of it outside
/// both pieces violates a row of each that the other does not share, so one emptiness test per pair of such rows
/// decides.
fn merge_open<T: Int>(a: &mut Open<T>, b: &mut Open<T>, given: &Mat<T>, bud: &Budget) -> Res<Option<Sys<T>>> {
    let mine = b.sort_rows(a, bud)?;
    if mine.cuts.is_empty() {
        return Ok(Some(a.rows.clone()));
    }
    let theirs = a.sort_rows(b, bud)?;
    if theirs.cuts.is_empty() {
        return Ok(Some(b.rows.clone()));
    }
    let mut hull = Sys::universe(a.rows.n, 0);
    for rows in [&mine.valid, &theirs.valid, given] {
        hull.ge.v.extend(rows.v.iter().cloned());
    }
    if !hull.tidy() {
        return Ok(None);
    }
    let Some(left) = uncovered(&hull, [&mine.cuts, &theirs.cuts], [0, 0], bud)? else { return Ok(Some(hull)) };
    match with_turned_rows(a, b, (hull, left), [&mine, &theirs], bud) {
        // Only turned rows have such numbers, and these are not worth wider ones.
        Err(Stop::Overflow) => {
            (a.tab, b.tab) = (None, None);
            Ok(None)
        }
        other => other,
    }
}

/// The candidate cut by the turned rows that hold on both pieces, if it has no point outside both then; `left` are the
/// first rows that such a point violates before.
fn with_turned_rows<T: Int>(
    a: &mut Open<T>,
    b: &mut Open<T>,
    (mut hull, left): (Sys<T>, [usize; 2]),
    [mine, theirs]: [&Sides<T>; 2],
    bud: &Budget,
) -> Res<Option<Sys<T>>> {
    let turns = |s: &Sides<T>| s.cuts.len() * (s.cuts.len() + s.valid.len());
    if turns(mine) + turns(theirs) > MOST_TURNS {
        return Ok(None);
    }
    if a.point.len() <= FEW_COLUMNS {
        let (on_a, on_b) = (a.corners(bud)?.to_vec(), b.corners(bud)?.to_vec());
        if misses_between(a, b, &on_a, &on_b, bud)? {
            return Ok(None);
        }
    }
    let (on_a, on_b) = (a.farthest(&theirs.cuts, bud)?, b.farthest(&mine.cuts, bud)?);
    if misses_between(a, b, &on_a, &on_b, bud)? {
        return Ok(None);
    }
    let before = hull.ge.len();
    let most = wrap::steepest([&a.rows, &b.rows])?;
    for (own, second, seen) in [(mine, &mut *b, on_b), (theirs, &mut *a, on_a)] {
        let first = First { valid: &own.valid, cuts: &own.cuts, most: most.clone() };
        wrap::add_turned(&mut hull, &first, &mut Second { tab: second.tab(bud)?, seen }, bud)?;
    }
    let turned = hull.ge.len() > before;
    let whole = turned && hull.tidy() && uncovered(&hull, [&mine.cuts, &theirs.cuts], left, bud)?.is_none();
    Ok(whole.then_some(hull))
}

/// Whether an integer point between one of each list is in neither: no conjunction has exactly the points of both.
fn misses_between<T: Int>(a: &Open<T>, b: &Open<T>, xs: &[Vec<T>], ys: &[Vec<T>], bud: &Budget) -> Res<bool> {
    let integer = |p: &&Vec<T>| p.last().is_some_and(Int::is_one);
    for x in xs.iter().filter(integer) {
        for y in ys.iter().filter(integer) {
            bud.step(1)?;
            if neither_holds(a, b, x, y)? {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// As [`misses_between`], between points of both that are known. Numbers that do not fit show nothing.
fn misses_near<T: Int>(a: &Open<T>, b: &Open<T>, bud: &Budget) -> Res<bool> {
    fn known<T>(o: &Open<T>) -> &[Vec<T>] {
        let list = o.corners.as_deref().unwrap_or(&o.seen);
        &list[..list.len().min(FEW_CORNERS)]
    }
    match misses_between(a, b, known(a), known(b), bud) {
        Err(Stop::Overflow) => Ok(false),
        found => found,
    }
}

/// Whether an integer point near the middle between the two, the first moved by one where that makes the distance even,
/// is in neither piece.
fn neither_holds<T: Int>(a: &Open<T>, b: &Open<T>, x: &[T], y: &[T]) -> Res<bool> {
    if let Some(middle) = between(x, y)?
        && !a.holds_at(&middle)?
        && !b.holds_at(&middle)?
    {
        return Ok(true);
    }
    let two = T::of(2);
    let (mut near, mut middle) = (x.to_vec(), Vec::with_capacity(x.len()));
    for ((v, goal), inner) in near.iter_mut().zip(y).zip(&a.point) {
        if !goal.sub(v)?.modulo(&two).is_zero() {
            *v = if *inner < *v { v.sub(&T::one())? } else { v.add(&T::one())? };
        }
        middle.push(v.add(goal)?.fdiv(&two));
    }
    Ok(!a.holds_at(&middle)? && !b.holds_at(&middle)? && a.holds_at(&near)?)
}

/// An integer point near the middle of the line from one to the other, if there is one inside.
fn between<T: Int>(x: &[T], y: &[T]) -> Res<Option<Vec<T>>> {
    let gaps = x.iter().zip(y).map(|(a, b)| b.sub(a)).collect::<Res<Vec<T>>>()?;
    let parts = gaps.iter().fold(T::zero(), |g, v| g.gcd(v));
    let before = parts.fdiv(&T::of(2));
    if before.is_zero() {
        return Ok(None);
    }
    x.iter().zip(&gaps).map(|(a, gap)| a.add(&gap.fdiv(&parts).mul(&before)?)).collect::<Res<Vec<T>>>().map(Some)
}

/// The first rows of both lists, at or after the given places, that a point of `hull` violates together; `None` if
/// there are none.
fn uncovered<T: Int>(
    hull: &Sys<T>,
    [mine, theirs]: [&Mat<T>; 2],
    from: [usize; 2],
    bud: &Budget,
) -> Res<Option<[usize; 2]>> {
    // A few columns are eliminated sooner.
    let tab = if hull.n < FEW_COLUMNS { Err(Stop::Overflow) } else { Tab::new(hull, bud) };
    let tab = match tab {
        Ok(tab) if tab.is_empty() => return Ok(None),
        Ok(tab) => Some(tab),
        Err(Stop::Overflow) => None,
        Err(stop) => return Err(stop),
    };
    for (i, x) in mine.rows().enumerate().skip(from[0]) {
        let x = complement(x)?;
        let Some(beyond) = narrowed(tab.as_ref(), &x, bud)? else { continue };
        for (j, y) in theirs.rows().enumerate().skip(if i == from[0] { from[1] } else { 0 }) {
            let y = complement(y)?;
            let Some(corner) = narrowed(beyond.as_ref(), &y, bud)? else { continue };
            if corner.is_some_and(|tab| tab.integer_vertex().is_some()) {
                return Ok(Some([i, j]));
            }
            let mut outside = hull.clone();
            outside.ge.push(&x);
            outside.ge.push(&y);
            if !solve::is_empty(&outside, bud)? {
                return Ok(Some([i, j]));
            }
        }
    }
    Ok(None)
}

/// The tableau with one more inequality; `None` if that leaves no rational point. Where numbers do not fit there is no
/// tableau, which says nothing.
fn narrowed<T: Int>(tab: Option<&Tab<T>>, row: &[T], bud: &Budget) -> Res<Option<Option<Tab<T>>>> {
    let Some(tab) = tab else { return Ok(Some(None)) };
    // A copy of a row takes a fraction of a row operation.
    bud.step(1 + tab.entries() / 32)?;
    let mut tab = tab.clone();
    match tab.add_ge(row, bud) {
        Ok(()) => Ok((!tab.is_empty()).then_some(Some(tab))),
        Err(Stop::Overflow) => Ok(Some(None)),
        Err(stop) => Err(stop),
    }
}
