//! Coalescing: the same union with fewer pieces, by replacing two pieces whose union is one conjunction.
//! The candidate for two pieces is the conjunction of all rows that hold on both; it is taken when none of its integer
//! points lies outside of both (`gaps`). Where it has such points, rows of neither piece are added that hold on both:
//! rows turned until they touch the other piece (`wrap`), as long as one of them cuts off the point that was found.
//! Pieces with different floors are compared over the floors of both (`align`). Rows are asked of a tableau per piece,
//! built once, and only where no parallel row of the piece says it on sight.
//! Source: Verdoolaege, Integer Set Coalescing, IMPACT 2015 (rows valid on both pieces, cuts, wrapping, alignment).

use crate::budget::{Budget, Error};
use crate::num::{Int, Res, Stop};
use crate::program::simplex::{Opt, Tab};
use crate::system::bounds::Bounds;
use crate::system::divs::{self, Floor};
use crate::system::elim;
use crate::system::solve;
use crate::system::sys::{Mat, Sys, linear_hash, negated};
use crate::unions::align::{self, Aligned, Canonical};
use crate::unions::gaps::{FEW_COLUMNS, Gap, Gaps};
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
    /// Over floors that others have.
    over: Vec<Over<T>>,
}

/// A piece's rows over a list of floors, as [`over_floors`] has them.
struct Over<T> {
    floors: Vec<Floor<T>>,
    settled: bool,
    open: Open<T>,
}

impl<T: Int> Piece<T> {
    /// `None`: no point.
    fn of(sys: Sys<T>, bud: &Budget) -> Res<Option<Self>> {
        let rows = Sys { n: sys.cols(), e: 0, eq: sys.eq.clone(), ge: sys.ge.clone() };
        let floors = divs::definitions(&sys);
        let open = Open::of(rows, bud)?;
        let dense = sys.e == 0 && sys.eq.rows().all(|r| r[..sys.n].iter().any(Int::is_unit));
        let bounds = if dense { Bounds::of_inequalities(&sys) } else { Bounds::unknown() };
        Ok(open.map(|open| Self { sys, open, bounds, floors, canonical: None, over: Vec::new() }))
    }

    fn canonical(&mut self) -> Res<Option<&Canonical<T>>> {
        if self.canonical.is_none() {
            self.canonical = Some(align::canonical(&self.sys)?);
        }
        Ok(self.canonical.as_ref().and_then(Option::as_ref))
    }

    /// Looks for a few integer points far from each other.
    fn look_around(&mut self, bud: &Budget) -> Res<()> {
        self.open.look_around(bud)?;
        if self.floors.is_empty() || self.floors.iter().any(Option::is_none) {
            return Ok(());
        }
        let n = self.sys.n;
        let floors: Vec<&Floor<T>> = self.floors.iter().flatten().collect();
        let moved = |open: &Open<T>, c: usize, by: i64| -> Res<Option<Vec<T>>> {
            let mut x = open.point[..n].to_vec();
            x[c] = x[c].add(&T::of(by))?;
            let x = with_floors(&x, &floors)?;
            Ok(open.holds_at(&x)?.then_some(x))
        };
        for (c, sign) in (0..n).flat_map(|c| [(c, 1), (c, -1)]) {
            bud.step(2)?;
            let far = FAR.iter().find_map(|far| moved(&self.open, c, sign * far).ok().flatten());
            self.open.seen.extend(far.filter(|x| !self.open.seen.contains(x)));
        }
        Ok(())
    }

    /// What is kept of the piece over the floors of `both`, or its `rows` there.
    fn over_floors(&mut self, rows: &Sys<T>, both: &Aligned<T>, settled: bool, bud: &Budget) -> Res<Option<Open<T>>> {
        let same = |o: &Over<T>| o.settled == settled && o.floors == both.floors;
        if !both.congruent
            && let Some(k) = self.over.iter().rposition(same)
        {
            return Ok(Some(self.over.remove(k).open));
        }
        let mut s = rows.clone();
        s.ge.v.extend(both.floor_rows.v.iter().cloned());
        let Some(rows) = elim::simplify(&s, bud)? else { return Ok(None) };
        let n = self.sys.n;
        let floors: Vec<&Floor<T>> = both.floors.iter().collect();
        match self.open.seen.iter().map(|x| with_floors(&x[..n], &floors)).collect::<Res<Vec<Vec<T>>>>() {
            Ok(seen) => Ok(Some(Open { rows, point: seen[0].clone(), tab: None, corners: None, seen })),
            Err(Stop::Overflow) => Open::of(rows, bud),
            Err(stop) => Err(stop),
        }
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

    /// Some known points and directions.
    fn known(&self) -> &[Vec<T>] {
        let list = self.corners.as_deref().unwrap_or(&self.seen);
        &list[..list.len().min(FEW_CORNERS)]
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
        list.iter_mut().try_for_each(|p| p.look_around(bud))?;
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
                    m.look_around(bud)?;
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
        let floors: Vec<&Floor<T>> = a.floors.iter().flatten().collect();
        let merged = merge_open(&mut a.open, &mut b.open, (&Mat::new(a.sys.cols() + 1), &floors), bud)?;
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
    if let (Some(x), Some(y)) = (a.canonical()?, b.canonical()?) {
        let both = align::align_congruent(x, y, n, bud)?;
        return merge_canonical(a, b, both, bud);
    }
    if a.floors == b.floors {
        return Ok(None);
    }
    if may_hold(&a.sys, &b.open.point, bud)? && is_subset(&[&b.sys], &[&a.sys], bud)? {
        return Ok(Some(a.sys.clone()));
    }
    Ok((may_hold(&b.sys, &a.open.point, bud)? && is_subset(&[&a.sys], &[&b.sys], bud)?).then(|| b.sys.clone()))
}

/// As [`merge`] of pieces over common floors.
fn merge_canonical<T: Int>(
    a: &mut Piece<T>,
    b: &mut Piece<T>,
    mut both: Aligned<T>,
    bud: &Budget,
) -> Res<Option<Sys<T>>> {
    let n = a.sys.n;
    let Some(mut open) = over_floors(a, b, &both, false, bud)? else { return Ok(None) };
    if misses_near(&open[0], &open[1], bud)? {
        keep_over_floors(a, b, open, &both, false);
        return Ok(None);
    }
    let mut merged = merge_over_floors(&mut open, &both, bud)?;
    let mut settled = false;
    if merged.is_none() && both.settle(n)? {
        keep_over_floors(a, b, open, &both, false);
        settled = true;
        let Some(known) = over_floors(a, b, &both, true, bud)? else { return Ok(None) };
        open = known;
        merged = merge_over_floors(&mut open, &both, bud)?;
    }
    if let Some(mut m) = merged {
        // What else says that a floor lies where it does may not say that it is one.
        m.ge.v.extend(both.floor_rows.v);
        return Ok(Some(Sys { n, e: both.floors.len(), eq: m.eq, ge: m.ge }));
    }
    let mut whole = None;
    if a.floors != b.floors {
        // Each point has one value of each floor: what holds it is a question on rows without existentials.
        let [x, y] = &open;
        if x.holds_at(&y.point)? && is_subset(&[&y.rows], &[&x.rows], bud)? {
            whole = Some(a.sys.clone());
        } else if y.holds_at(&x.point)? && is_subset(&[&x.rows], &[&y.rows], bud)? {
            whole = Some(b.sys.clone());
        }
    }
    keep_over_floors(a, b, open, &both, settled);
    Ok(whole)
}

/// Whether the visible columns may be as in `point`; true of numbers beyond 64 bits.
fn may_hold<T: Int>(s: &Sys<T>, point: &[T], bud: &Budget) -> Res<bool> {
    let at: Option<Vec<i64>> = point[..s.n].iter().map(Int::to_i64).collect();
    at.map_or(Ok(true), |at| solve::holds_at(s, &at, bud))
}

/// Both pieces over all floors, `settled` with what they say of each floor ([`Aligned::settle`]); `None` if one has no
/// rational point.
fn over_floors<T: Int>(
    a: &mut Piece<T>,
    b: &mut Piece<T>,
    both: &Aligned<T>,
    settled: bool,
    bud: &Budget,
) -> Res<Option<[Open<T>; 2]>> {
    let (x, y) = (a.over_floors(&both.first, both, settled, bud)?, b.over_floors(&both.second, both, settled, bud)?);
    Ok(x.zip(y).map(|(x, y)| [x, y]))
}

/// Keeps what was found out about the pieces over these floors for the next pieces that have them too.
fn keep_over_floors<T: Int>(
    a: &mut Piece<T>,
    b: &mut Piece<T>,
    [x, y]: [Open<T>; 2],
    both: &Aligned<T>,
    settled: bool,
) {
    for (piece, open) in [(a, x), (b, y)] {
        if !both.congruent {
            if piece.over.len() >= MOST_OVER {
                piece.over.remove(0);
            }
            piece.over.push(Over { floors: both.floors.clone(), settled, open });
        }
    }
}

/// Lists of floors over which a piece is kept.
const MOST_OVER: usize = 8;

/// The values of the visible columns and of all floors, with a 1 behind them.
fn with_floors<T: Int>(visible: &[T], floors: &[&Floor<T>]) -> Res<Vec<T>> {
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
    let floors: Vec<&Floor<T>> = both.floors.iter().collect();
    merge_open(a, b, (&both.floor_rows, &floors), bud)
}

/// Corners of each piece between which a missing point is looked for before any row of theirs is compared.
const FEW_CORNERS: usize = 6;

/// Columns, spread over all of them, in which points far from each other are looked for.
const FEW_FAR: usize = 3;

/// Steps along a column that are tried for points far away, multiples of common divisors first.
const FAR: [i64; 6] = [60, 12, 5, 4, 2, 1];

/// Pieces from which on it pays to look for such points: each is compared with all others.
const MANY_PIECES: usize = 6;

/// Products of numbers of rows above which no rows are turned.
const MOST_TURNS: usize = 256;

/// The candidate is the conjunction of all rows valid on both, with the `given` ones, which are. A point of it outside
/// both pieces violates a row of each that the other does not share. `floors` are the last columns.
fn merge_open<T: Int>(
    a: &mut Open<T>,
    b: &mut Open<T>,
    (given, floors): (&Mat<T>, &[&Floor<T>]),
    bud: &Budget,
) -> Res<Option<Sys<T>>> {
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
    let mut gaps = Gaps::of(hull, [&mine.cuts, &theirs.cuts]);
    let most = wrap::steepest([&a.rows, &b.rows])?;
    let firsts = [&mine, &theirs].map(|own| First { valid: &own.valid, cuts: &own.cuts, most: most.clone() });
    let turns: usize = firsts.iter().map(|f| f.cuts.len() * (f.cuts.len() + f.valid.len())).sum();
    if turns > MOST_TURNS {
        return Ok(gaps.find([0, 0], bud)?.is_none().then_some(gaps.hull));
    }
    let mut first = None;
    if a.point.len() <= FEW_COLUMNS {
        // A gap of few columns is found soon, and so are corners.
        first = gaps.find([0, 0], bud)?;
        if first.is_none() {
            return Ok(Some(gaps.hull));
        }
        if misses_between_corners(a, b, bud)? {
            return Ok(None);
        }
    }
    let before = gaps.hull.ge.len();
    match close_gaps(a, b, (&mut gaps, first), (&firsts, floors), bud) {
        Ok(true) if gaps.hull.ge.len() == before => Ok(Some(gaps.hull)),
        Ok(true) => Ok(with_all_turned_rows(a, b, gaps.hull, &firsts, bud)?),
        // Only turned rows have such numbers, and these are not worth wider ones.
        Err(Stop::Overflow) if gaps.hull.ge.len() > before => Ok(None),
        Ok(false) => Ok(None),
        Err(stop) => Err(stop),
    }
}

/// Cuts points that both pieces leave out off the candidate by turned rows that hold on both, the `first` where one is
/// known. False: not all of them can be.
fn close_gaps<T: Int>(
    a: &mut Open<T>,
    b: &mut Open<T>,
    (gaps, first): (&mut Gaps<'_, T>, Option<Gap<T>>),
    (firsts, floors): (&[First<'_, T>; 2], &[&Floor<T>]),
    bud: &Budget,
) -> Res<bool> {
    let mut seen = [b.known().to_vec(), a.known().to_vec()];
    let between = if first.is_none() { middles(a, b, floors, bud)? } else { Vec::new() };
    let mut close = |gaps: &mut Gaps<'_, T>, z: &[T]| -> Res<bool> {
        for ((first, second), seen) in firsts.iter().zip([&mut *b, &mut *a]).zip(&mut seen) {
            let row = match wrap::turned_beyond(first, &mut Second { tab: second.tab(bud)?, seen }, z, bud) {
                Err(Stop::Overflow) => {
                    second.tab = None;
                    None
                }
                found => found?,
            };
            if let Some(row) = row {
                gaps.add(&row, bud)?;
                return Ok(true);
            }
        }
        Ok(false)
    };
    // These cost less than the others, and those far from the pieces are not cut off.
    for z in between {
        if matches!(gaps.has(&z), Ok(true)) && !close(gaps, &z)? {
            return Ok(false);
        }
    }
    let mut next = if first.is_none() { gaps.find([0, 0], bud)? } else { first };
    while let Some(gap) = next {
        if !close(gaps, &gap.point)? {
            return Ok(false);
        }
        next = gaps.find(gap.rows, bud)?;
    }
    Ok(true)
}

/// The candidate with all turned rows that hold on both pieces, where their numbers fit.
fn with_all_turned_rows<T: Int>(
    a: &mut Open<T>,
    b: &mut Open<T>,
    mut hull: Sys<T>,
    firsts: &[First<'_, T>; 2],
    bud: &Budget,
) -> Res<Option<Sys<T>>> {
    for (first, second, own) in [(&firsts[0], &mut *b, firsts[0].cuts), (&firsts[1], &mut *a, firsts[1].cuts)] {
        let turned = second.farthest(own, bud).and_then(|mut seen| {
            wrap::add_turned(&mut hull, first, &mut Second { tab: second.tab(bud)?, seen: &mut seen }, bud)
        });
        match turned {
            Err(Stop::Overflow) => second.tab = None,
            done => done?,
        }
    }
    Ok(hull.tidy().then_some(hull))
}

/// As [`misses_between`], between corners of both. Numbers that do not fit show nothing.
fn misses_between_corners<T: Int>(a: &mut Open<T>, b: &mut Open<T>, bud: &Budget) -> Res<bool> {
    for o in [&mut *a, &mut *b] {
        match o.corners(bud) {
            Err(Stop::Overflow) => {
                o.tab = None;
                return Ok(false);
            }
            done => done?,
        };
    }
    misses_near(a, b, bud)
}

/// Integer points near the middle between known points of both, as far as their numbers fit.
fn middles<T: Int>(a: &Open<T>, b: &Open<T>, floors: &[&Floor<T>], bud: &Budget) -> Res<Vec<Vec<T>>> {
    let n = a.rows.n - floors.len();
    let two = T::of(2);
    let integer = |p: &&Vec<T>| p.last().is_some_and(Int::is_one);
    let mut out = Vec::new();
    for x in a.known().iter().filter(integer) {
        for y in b.known().iter().filter(integer) {
            bud.step(1)?;
            let middle: Res<Vec<T>> = x[..n].iter().zip(y).map(|(x, y)| Ok(x.add(y)?.fdiv(&two))).collect();
            out.extend(middle.and_then(|m| with_floors(&m, floors)));
        }
    }
    Ok(out)
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
    match misses_between(a, b, a.known(), b.known(), bud) {
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
