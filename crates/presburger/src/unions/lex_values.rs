//! Lexicographic minima by parametric programming. Where that takes many cuts, a function is its own minimum, and else
//! columns are taken one after the other: what is left of a column when later ones are projected out has few floors of
//! its own, and where it stands is a condition on the rest. Then one value of a column after the other: with a column
//! of few values fixed, what is left mostly needs no cut at all.

use crate::budget::{Budget, Error};
use crate::num::{Int, Res, Stop};
use crate::program::pip;
use crate::program::simplex::{Opt, Tab};
use crate::system::divs;
use crate::system::elim;
use crate::system::solve;
use crate::system::sys::Sys;
use crate::unions::lex;
use crate::unions::subtract::subtract;

/// Steps of parametric programming of all columns at once.
const PROGRAM_STEPS: u64 = 20_000;

/// Steps for one column after the other.
const COLUMN_STEPS: u64 = 200_000;

/// Steps for the values of a column, after which parametric programming goes on.
const VALUES_STEPS: u64 = 1_000_000;

/// Values of a column that are few.
const MOST_VALUES: i64 = 64;

/// The minimum of `s` in columns `first..n`, as disjoint pieces.
pub(super) fn lexmin<T: Int>(s: &Sys<T>, first: usize, bud: &Budget) -> Res<Vec<Sys<T>>> {
    let spent = {
        let share = bud.share(PROGRAM_STEPS);
        match pip::lexmin(s, first, &share) {
            Err(Stop::Error(Error::Spent)) if share.size() == PROGRAM_STEPS => true,
            Err(Stop::Overflow) => false,
            other => return other,
        }
    };
    if divs::determines(s, first) {
        return Ok(vec![s.clone()]);
    }
    if falls(s, first, bud)? && !solve::is_empty(s, bud)? {
        return Err(Stop::Error(Error::Unbounded));
    }
    if first + 1 < s.n {
        let share = bud.share(COLUMN_STEPS);
        match by_column(s, first, &share) {
            Err(Stop::Error(Error::Spent)) if share.size() == COLUMN_STEPS => {}
            Err(Stop::Overflow) => {}
            other => return other,
        }
    }
    if let Some((c, low, high)) = few_values(s, first, bud)? {
        let share = bud.share(VALUES_STEPS);
        match by_value(s, first, (c, &low, &high), &share) {
            Err(Stop::Error(Error::Spent)) if share.size() == VALUES_STEPS => {}
            other => return other,
        }
    }
    if spent { pip::lexmin(s, first, bud) } else { Err(Stop::Overflow) }
}

/// Whether some direction leads on for ever and makes a column from `first` on smaller, without the ones before it:
/// then no point is the smallest.
fn falls<T: Int>(s: &Sys<T>, first: usize, bud: &Budget) -> Res<bool> {
    let last = s.cols();
    let mut directions = s.clone();
    for rows in [&mut directions.eq, &mut directions.ge] {
        (0..rows.len()).for_each(|k| rows.row_mut(k)[last] = T::zero());
    }
    for column in 0..s.n {
        let mut row = vec![T::zero(); last + 1];
        row[column] = T::of(-1);
        if column >= first && Tab::new(&directions, bud)?.max(&row, bud)? == Opt::Unbounded {
            return Ok(true);
        }
        directions.eq.push(&row);
    }
    Ok(false)
}

/// The minimum of column `first` where the later ones are projected out, and of these where it stands there.
fn by_column<T: Int>(s: &Sys<T>, first: usize, bud: &Budget) -> Res<Vec<Sys<T>>> {
    let Some(shadow) = elim::project_owned(s.hide(first + 1, s.n - first - 1), bud)? else { return Ok(Vec::new()) };
    let over: Vec<Option<usize>> = (0..s.n).map(|c| (c <= first).then_some(c)).collect();
    let mut least = Vec::new();
    for part in pip::lexmin(&shadow, first, bud)? {
        let exists: Vec<Option<usize>> = (part.n..part.cols()).map(Some).collect();
        let part = s.meet(&part.remap(&over, &exists));
        least.extend(lex::lexmin(&[&part], first + 1, bud)?);
    }
    Ok(least)
}

/// The column from `first` on with the fewest values, if these are few, with the first and the last of them.
fn few_values<T: Int>(s: &Sys<T>, first: usize, bud: &Budget) -> Res<Option<(usize, T, T)>> {
    let mut tab = Tab::new(s, bud)?;
    if tab.is_empty() {
        return Ok(None);
    }
    let mut best: Option<(T, (usize, T, T))> = None;
    for c in (first..s.cols()).filter(|c| !s.eq.uses(*c)) {
        let mut value = vec![T::zero(); s.cols() + 1];
        value[c] = T::one();
        let (Opt::At(num, den), Opt::At(most, over)) = (tab.min(&value, bud)?, tab.max(&value, bud)?) else { continue };
        let (low, high) = (num.cdiv(&den), most.fdiv(&over));
        let count = high.sub(&low)?;
        if count < T::of(MOST_VALUES) && best.as_ref().is_none_or(|b| count < b.0) {
            best = Some((count, (c, low, high)));
        }
    }
    Ok(best.map(|b| b.1))
}

/// The minimum of the points with each value of a column, and of these minima together.
fn by_value<T: Int>(s: &Sys<T>, first: usize, (c, low, high): (usize, &T, &T), bud: &Budget) -> Res<Vec<Sys<T>>> {
    let mut pieces = Vec::new();
    let mut value = low.clone();
    while value <= *high {
        let mut row = vec![T::zero(); s.cols() + 1];
        (row[c], row[s.cols()]) = (T::one(), value.neg());
        let mut piece = s.clone();
        piece.eq.push(&row);
        pieces.extend(elim::project_owned(piece, bud)?);
        value = value.add(&T::one())?;
    }
    if c > first {
        return lex::lexmin(&pieces.iter().collect::<Vec<_>>(), first, bud);
    }
    // In the order of the first column: what has a point with a value has none to look for with a later one.
    let (mut least, mut seen) = (Vec::new(), Vec::new());
    for piece in pieces {
        let Some(at) = elim::project_owned(piece.hide(first, s.n - first), bud)? else { continue };
        for part in subtract(&[&at], &seen.iter().collect::<Vec<_>>(), bud)? {
            let over: Vec<Option<usize>> = (0..s.n).map(|c| (c < first).then_some(c)).collect();
            let exists: Vec<Option<usize>> = (first..part.cols()).map(Some).collect();
            let part = piece.meet(&part.remap(&over, &exists));
            least.extend(lex::lexmin(&[&part], first, bud)?);
        }
        seen.push(at);
    }
    Ok(least)
}
