//! Floors of aligned pieces that are numbers in one of them, or the same as other floors: where `0 < a <= 341`,
//! `floor(a / 360)` is 0, and where `a = 4`, `floor((2c - 4a) / 9)` is `floor((2c - 16) / 9)`.
//! Only rows with one column are looked at, which say how far columns go, and rows that say what a floor leaves.
//! Source: Verdoolaege, Integer Set Coalescing, IMPACT 2015 (equalities before aligned integer divisions).

use crate::num::{Int, Res};
use crate::system::bounds::Bounds;
use crate::system::divs::Floor;
use crate::system::sys::{Sys, negated};
use crate::unions::align::Aligned;

impl<T: Int> Aligned<T> {
    /// Adds an equality to each piece for each floor that is a number or another floor there; `n` columns are visible.
    /// False if there is none that a piece has not said already.
    pub fn settle(&mut self, n: usize) -> Res<bool> {
        let first = settled(&mut self.first, &self.floors, n)?;
        Ok(settled(&mut self.second, &self.floors, n)? || first)
    }
}

/// A floor in what a piece leaves open: the form without its constant, and the constant.
struct Open<T> {
    at: usize,
    num: Vec<T>,
    constant: T,
}

fn settled<T: Int>(s: &mut Sys<T>, floors: &[Floor<T>], n: usize) -> Res<bool> {
    let mut bounds = Bounds::of(s);
    let last = s.cols();
    let mut open: Vec<Open<T>> = Vec::new();
    // The floor that a floor is, and by how much more.
    let mut same: Vec<Option<(usize, T)>> = vec![None; last];
    let mut found = false;
    for (k, f) in floors.iter().enumerate() {
        let (mut num, mut constant) = (vec![T::zero(); last], f.num[f.num.len() - 1].clone());
        for (c, x) in f.num[..n + k].iter().enumerate().filter(|(_, x)| !x.is_zero()) {
            match (bounds.value(c), &same[c]) {
                (Some(value), _) => constant = T::lin(&T::one(), &constant, x, value)?,
                (None, Some((other, more))) => {
                    constant = T::lin(&T::one(), &constant, x, more)?;
                    num[*other] = num[*other].add(x)?;
                }
                (None, None) => num[c] = num[c].add(x)?,
            }
        }
        let at = n + k;
        let [low, high] = ends(&bounds, &num, &constant)?;
        let was_known = bounds.value(at).is_some();
        low.into_iter().for_each(|v| bounds.at_least(at, v.fdiv(&f.den)));
        high.into_iter().for_each(|v| bounds.at_most(at, v.fdiv(&f.den)));
        let mut row = vec![T::zero(); last + 1];
        row[at] = T::one();
        if let Some(value) = bounds.value(at) {
            row[last] = value.neg();
            found |= !was_known;
            s.eq.push(&row);
            continue;
        }
        let own = Open { at, num, constant };
        let mut alike = None;
        for o in open.iter().filter(|o| o.num == own.num && floors[o.at - n].den == f.den) {
            alike = alike.or(distance(s, &bounds, [o, &own], &f.den)?.map(|more| (o.at, more)));
        }
        let Some((other, more)) = alike else {
            open.push(own);
            continue;
        };
        row[other] = T::one().neg();
        row[last] = more.neg();
        found = true;
        s.eq.push(&row);
        same[at] = Some((other, more));
    }
    Ok(found)
}

/// By how much the second of two floors of one form, which differ in the constant, is more than the first, if that is
/// always the same.
fn distance<T: Int>(s: &Sys<T>, bounds: &Bounds<T>, [a, b]: [&Open<T>; 2], den: &T) -> Res<Option<T>> {
    // With r what is left of the first form, the second floor is the first one and floor((r + gap) / den).
    let gap = b.constant.sub(&a.constant)?;
    let [low, high] = remainder(s, bounds, a, den)?;
    let more = low.add(&gap)?.fdiv(den);
    if more == high.add(&gap)?.fdiv(den) {
        return Ok(Some(more));
    }
    let [low, high] = remainder(s, bounds, b, den)?;
    let less = low.sub(&gap)?.fdiv(den);
    Ok((less == high.sub(&gap)?.fdiv(den)).then(|| less.neg()))
}

/// The least and the largest remainder of a floor's form that rows leave it.
fn remainder<T: Int>(s: &Sys<T>, bounds: &Bounds<T>, f: &Open<T>, den: &T) -> Res<[T; 2]> {
    let last = s.cols();
    let mut form = f.num.clone();
    form[f.at] = den.neg();
    let (mut low, mut high) = (T::zero(), den.sub(&T::one())?);
    let sides = s.eq.rows().flat_map(|r| [r.to_vec(), negated(r)]).chain(s.ge.rows().map(<[T]>::to_vec));
    for mut row in sides.filter(|r| r[f.at].abs() == *den) {
        for c in (0..last).filter(|c| !row[*c].is_zero()).collect::<Vec<_>>() {
            if let Some(value) = bounds.value(c) {
                row[last] = T::lin(&T::one(), &row[last], &row[c], value)?;
                row[c] = T::zero();
            }
        }
        if row[..last] == form[..] {
            low = low.max(f.constant.sub(&row[last])?);
        } else if row[..last].iter().zip(&form).all(|(x, y)| *x == y.neg()) {
            high = high.min(f.constant.add(&row[last])?);
        }
    }
    Ok([low, high])
}

/// The least and the largest value of a form, as far as its columns' bounds say so.
fn ends<T: Int>(bounds: &Bounds<T>, num: &[T], constant: &T) -> Res<[Option<T>; 2]> {
    let mut ends = [Some(constant.clone()), Some(constant.clone())];
    for (c, x) in num.iter().enumerate().filter(|(_, x)| !x.is_zero()) {
        let (low, high) = bounds.range(c);
        let sides = if x.is_pos() { [low, high] } else { [high, low] };
        for (end, side) in ends.iter_mut().zip(sides) {
            *end = match (end.take(), side) {
                (Some(sum), Some(value)) => Some(T::lin(&T::one(), &sum, x, value)?),
                _ => None,
            };
        }
    }
    Ok(ends)
}
