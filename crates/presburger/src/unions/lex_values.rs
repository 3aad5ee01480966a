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
use crate::system::sys::{Sys, negated};
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
    if first + 1 < s.cols()
        && let Some((c, cap)) = at_bound(s, first)
    {
        let share = bud.share(COLUMN_STEPS);
        match beside_bound(s, first, c, &cap, &share) {
            Err(Stop::Error(Error::Spent)) if share.size() == COLUMN_STEPS => {}
            Err(Stop::Overflow) => {}
            other => return other,
        }
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

/// A column behind `first` with a single bound on one side, which takes no other column from `first` on: where there is
/// a point for the columns up to `first`, there is one with this column next to that bound. With the row that says that
/// it stands there.
fn at_bound<T: Int>(s: &Sys<T>, first: usize) -> Option<(usize, Vec<T>)> {
    let last = s.cols();
    let alone = |r: &[T], c: usize| (first..last).all(|k| k == c || r[k].is_zero());
    for c in (first + 1..last).filter(|c| !s.eq.uses(*c)) {
        for sign in [1, -1] {
            let mut side = s.ge.rows().filter(|r| r[c].sgn() == sign);
            let (Some(bound), None) = (side.next(), side.next()) else { continue };
            if alone(bound, c) {
                let mut cap = negated(bound);
                cap[last] = cap[last].add(&bound[c].abs()).ok()?.sub(&T::one()).ok()?;
                return Some((c, cap));
            }
        }
    }
    None
}

/// The minimum of column `first` as a function of the earlier ones and of column `c`, which `cap` makes a function of
/// these; and of the later columns where it stands there.
fn beside_bound<T: Int>(s: &Sys<T>, first: usize, c: usize, cap: &[T], bud: &Budget) -> Res<Vec<Sys<T>>> {
    let mut bound = s.clone();
    bound.ge.push(cap);
    let known: Vec<Option<usize>> = (0..first).chain([c, first]).map(Some).collect();
    let open: Vec<Option<usize>> = (first + 1..s.cols()).filter(|k| *k != c).map(Some).collect();
    let over: Vec<Option<usize>> = (0..s.n).map(|k| (k <= first).then_some(k + usize::from(k == first))).collect();
    let mut least = Vec::new();
    for part in lex::lexmin(&[&bound.remap(&known, &open)], first + 1, bud)? {
        let exists: Vec<Option<usize>> = [first].into_iter().chain(part.n..part.cols()).map(Some).collect();
        let part = s.meet(&part.remap(&over, &exists));
        least.extend(lex::lexmin(&[&part], first + 1, bud)?);
    }
    Ok(least)
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
