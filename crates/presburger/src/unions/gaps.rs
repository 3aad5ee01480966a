//! Integer points of a conjunction that two lists of rows leave out: a candidate for the union of two pieces, and the
//! rows of each that do not hold on the other.

use crate::budget::Budget;
use crate::num::{Int, Res, Stop};
use crate::program::simplex::Tab;
use crate::system::solve;
use crate::system::sys::{Mat, Sys, complement};

/// Columns from which on points are looked for with a tableau: fewer are eliminated sooner.
pub(crate) const FEW_COLUMNS: usize = 5;

/// A point that violates a row of each list: the first such rows, and the point, with a 1 behind it.
pub(crate) struct Gap<T> {
    pub rows: [usize; 2],
    pub point: Vec<T>,
}

/// A candidate and the rows of each piece that do not hold on the other one.
pub(crate) struct Gaps<'m, T> {
    pub hull: Sys<T>,
    cuts: [&'m Mat<T>; 2],
    tab: Option<Tab<T>>,
}

impl<'m, T: Int> Gaps<'m, T> {
    /// The tableau is built when points are looked for.
    pub fn of(hull: Sys<T>, cuts: [&'m Mat<T>; 2]) -> Self {
        Self { hull, cuts, tab: None }
    }

    /// One more row of the candidate.
    pub fn add(&mut self, row: &[T], bud: &Budget) -> Res<()> {
        self.hull.ge.push(row);
        match self.tab.as_mut().map_or(Ok(()), |tab| tab.add_ge(row, bud)) {
            Err(Stop::Overflow) => {
                self.tab = None;
                Ok(())
            }
            done => done,
        }
    }

    /// Whether the point is in the candidate and violates a row of each list.
    pub fn has(&self, x: &[T]) -> Res<bool> {
        for r in self.hull.eq.rows() {
            if !T::dot(r, x)?.is_zero() {
                return Ok(false);
            }
        }
        for r in self.hull.ge.rows() {
            if T::dot(r, x)?.is_neg() {
                return Ok(false);
            }
        }
        for list in self.cuts {
            let mut violated = false;
            for r in list.rows() {
                violated = violated || T::dot(r, x)?.is_neg();
            }
            if !violated {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// A point of the candidate that violates a row of each list, at or after the given places, if there is one.
    pub fn find(&mut self, from: [usize; 2], bud: &Budget) -> Res<Option<Gap<T>>> {
        let gap = |rows, mut point: Vec<T>| {
            point.push(T::one());
            Ok(Some(Gap { rows, point }))
        };
        if self.tab.is_none() && self.hull.n >= FEW_COLUMNS {
            match Tab::new(&self.hull, bud) {
                Ok(tab) => self.tab = Some(tab),
                Err(Stop::Overflow) => {}
                Err(stop) => return Err(stop),
            }
        }
        if self.tab.as_ref().is_some_and(Tab::is_empty) {
            return Ok(None);
        }
        let [mine, theirs] = self.cuts;
        for (i, x) in mine.rows().enumerate().skip(from[0]) {
            let x = complement(x)?;
            let Some(beyond) = narrowed(self.tab.as_ref(), &x, bud)? else { continue };
            for (j, y) in theirs.rows().enumerate().skip(if i == from[0] { from[1] } else { 0 }) {
                let y = complement(y)?;
                let Some(corner) = narrowed(beyond.as_ref(), &y, bud)? else { continue };
                if let Some(x) = corner.and_then(|tab| tab.integer_vertex()) {
                    return gap([i, j], x);
                }
                let mut outside = self.hull.clone();
                outside.ge.push(&x);
                outside.ge.push(&y);
                if let Some(x) = solve::sample(&outside, bud)? {
                    return gap([i, j], x);
                }
            }
        }
        Ok(None)
    }
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
