//! Coalescing: the same union with fewer pieces, by replacing two pieces whose union is one conjunction.
//! The candidate for two pieces is the conjunction of all rows that hold on both; it is taken when none of its integer
//! points lies outside of both. Rows are asked of a tableau per piece, built once, and only where no parallel row of
//! the piece says it on sight.
//! Source: Verdoolaege, Integer Set Coalescing, IMPACT 2015 (rows valid on both pieces, cuts).

use crate::budget::Budget;
use crate::num::{Int, Res};
use crate::program::simplex::Tab;
use crate::system::divs::{self, Floor};
use crate::system::elim;
use crate::system::solve;
use crate::system::sys::{Mat, Sys, complement, negated};
use crate::unions::subtract::is_subset;

/// A simplified piece with a point, and what is found out about it on the way.
struct Piece<T> {
    sys: Sys<T>,
    /// With its existentials as visible columns.
    open: Sys<T>,
    floors: Vec<Option<Floor<T>>>,
    /// Of `open`, and a 1 behind it.
    point: Vec<T>,
    tab: Option<Tab<T>>,
}

impl<T: Int> Piece<T> {
    /// `None`: no point.
    fn of(sys: Sys<T>, bud: &Budget) -> Res<Option<Self>> {
        let open = Sys { n: sys.cols(), e: 0, eq: sys.eq.clone(), ge: sys.ge.clone() };
        let Some(mut point) = solve::sample(&open, bud)? else { return Ok(None) };
        point.push(T::one());
        let floors = divs::definitions(&sys);
        Ok(Some(Self { sys, open, floors, point, tab: None }))
    }

    /// Whether `row >= 0` holds on all rational points.
    fn implies(&mut self, row: &[T], bud: &Budget) -> Res<bool> {
        if T::dot(row, &self.point)?.is_neg() {
            return Ok(false);
        }
        let last = row.len() - 1;
        // Rows that others imply are gone, so each meets the piece's rational points with equality.
        if let Some(r) = self.open.ge.rows().find(|r| r[..last] == row[..last]) {
            return Ok(r[last] <= row[last]);
        }
        if self.open.implies_on_sight(row) {
            return Ok(true);
        }
        let tab = match &mut self.tab {
            Some(t) => t,
            None => {
                let tab = Tab::new(&self.open, bud)?;
                bud.keep(tab.entries())?;
                self.tab.insert(tab)
            }
        };
        Ok(tab.is_empty() || tab.is_nonneg(row, bud)?)
    }

    /// The rows of `o` (equalities as two inequalities) that hold on all of this piece, and those that do not.
    fn sort_rows(&mut self, o: &Self, bud: &Budget) -> Res<(Mat<T>, Mat<T>)> {
        let (mut valid, mut cuts) = (Mat::new(o.open.ge.w), Mat::new(o.open.ge.w));
        let mut sort = |r: &[T]| -> Res<()> {
            if self.implies(r, bud)? {
                valid.push(r);
            } else {
                cuts.push(r);
            }
            Ok(())
        };
        for r in o.open.ge.rows() {
            sort(r)?;
        }
        for r in o.open.eq.rows() {
            sort(r)?;
            sort(&negated(r))?;
        }
        Ok((valid, cuts))
    }
}

/// The same points with fewer pieces: empty pieces dropped, pieces merged when one conjunction covers exactly both.
pub(crate) fn coalesce<T: Int>(a: &[&Sys<T>], bud: &Budget) -> Res<Vec<Sys<T>>> {
    let mut list: Vec<Piece<T>> = Vec::new();
    for s in a {
        if let Some(s) = elim::simplify(s, bud)?
            && !list.iter().any(|p| p.sys == s)
        {
            list.extend(Piece::of(s, bud)?);
        }
    }
    // A grown piece may merge with one that did not fit before, also an earlier one. All other pairs of the first
    // `tried` pieces with any piece are known not to merge.
    let (mut i, mut tried, mut grown) = (0, 0, None);
    while i < list.len() {
        let (mut j, mut merged) = (i + 1, false);
        while j < list.len() {
            let open = merged || i >= tried || grown == Some(i) || grown == Some(j);
            if let Some(m) = if open { merge(&mut list, i, j, bud)? } else { None } {
                list[i] = m;
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

/// One conjunction with exactly the points of pieces `i < j`, if the rows valid on both give one.
fn merge<T: Int>(list: &mut [Piece<T>], i: usize, j: usize, bud: &Budget) -> Res<Option<Piece<T>>> {
    bud.step(1)?;
    let (before, from) = list.split_at_mut(j);
    let (a, b) = (&mut before[i], &mut from[0]);
    let merged = if a.floors == b.floors && a.floors.iter().all(Option::is_some) {
        merge_open(a, b, bud)?.map(|m| Sys { n: a.sys.n, e: a.sys.e, eq: m.eq, ge: m.ge })
    } else if is_subset(&[&b.sys], &[&a.sys], bud)? {
        Some(a.sys.clone())
    } else if is_subset(&[&a.sys], &[&b.sys], bud)? {
        Some(b.sys.clone())
    } else {
        None
    };
    match merged {
        Some(m) => Piece::of(m, bud),
        None => Ok(None),
    }
}

/// Over all columns. The candidate is the conjunction of all rows valid on both; a point of it outside both pieces
/// violates a row of each that the other does not share, so one emptiness test per pair of such rows decides.
fn merge_open<T: Int>(a: &mut Piece<T>, b: &mut Piece<T>, bud: &Budget) -> Res<Option<Sys<T>>> {
    let (mine, my_cuts) = b.sort_rows(a, bud)?;
    if my_cuts.is_empty() {
        return Ok(Some(a.open.clone()));
    }
    let (theirs, their_cuts) = a.sort_rows(b, bud)?;
    if their_cuts.is_empty() {
        return Ok(Some(b.open.clone()));
    }
    let mut hull = Sys::universe(a.open.n, 0);
    hull.ge.v.extend(mine.v);
    hull.ge.v.extend(theirs.v);
    if !hull.tidy() {
        return Ok(None);
    }
    for x in my_cuts.rows() {
        for y in their_cuts.rows() {
            let mut outside = hull.clone();
            outside.ge.push(&complement(x)?);
            outside.ge.push(&complement(y)?);
            if !solve::is_empty(&outside, bud)? {
                return Ok(None);
            }
        }
    }
    elim::simplify(&hull, bud)
}
