//! Counting by trying the points of a box, column by column: where a set is small and its floors are many, this takes
//! less than any formula.

use crate::budget::Budget;
use crate::num::{Int, Res, Stop};
use crate::program::simplex::{Opt, Tab};
use crate::system::divs;
use crate::system::sys::Sys;
use num_bigint::BigInt;

/// The number of points of a set without parameters, all of whose existentials are explicit floors. `None`: its box
/// has more than `most` points, or none at all is known, or numbers are large.
pub(super) fn count(s: &Sys<BigInt>, most: i64, bud: &Budget) -> Res<Option<BigInt>> {
    let mut found = 0_u64;
    Ok(visit(s, most, &mut |_| found += 1, bud)?.then(|| BigInt::from(found)))
}

/// Calls `point` with the visible columns of each point, as [`count`]. Returns whether these are all.
pub(crate) fn visit(s: &Sys<BigInt>, most: i64, point: &mut impl FnMut(&[i64]), bud: &Budget) -> Res<bool> {
    let Some(small) = s.convert(Int::to_i64).filter(|s| s.n > 0) else { return Ok(false) };
    match in_box(&small, most, point, bud) {
        Err(Stop::Overflow) => Ok(false),
        other => other,
    }
}

fn in_box(s: &Sys<i64>, most: i64, point: &mut impl FnMut(&[i64]), bud: &Budget) -> Res<bool> {
    let mut tab = Tab::new(s, bud)?;
    if tab.is_empty() {
        return Ok(true);
    }
    let (mut ranges, mut size) = (Vec::with_capacity(s.n), 1_i64);
    for c in 0..s.n {
        let mut unit = vec![0; s.cols() + 1];
        unit[c] = 1;
        let (Opt::At(low, d), Opt::At(high, e)) = (tab.min(&unit, bud)?, tab.max(&unit, bud)?) else {
            return Ok(false);
        };
        let range = low.cdiv(&d)..=high.fdiv(&e);
        size = Int::mul(&size, &Int::sub(range.end(), range.start())?.add(&1)?.max(0))?;
        if size > most {
            return Ok(false);
        }
        ranges.push(range);
    }
    let scan = Scan::of(s, ranges);
    let mut at = vec![0; s.cols() + 1];
    at[s.cols()] = 1;
    scan.from(0, &mut at, point, bud)?;
    Ok(true)
}

/// What is to be done once each visible column has its value.
struct Scan<'s> {
    sys: &'s Sys<i64>,
    ranges: Vec<std::ops::RangeInclusive<i64>>,
    /// Per visible column: the floors that it is the last one to settle, as the column, numerator and denominator.
    floors: Vec<Vec<(usize, Vec<i64>, i64)>>,
    /// Per visible column: the rows that it is the last one to settle; `true` for an equality.
    rows: Vec<Vec<(&'s [i64], bool)>>,
}

impl<'s> Scan<'s> {
    fn of(sys: &'s Sys<i64>, ranges: Vec<std::ops::RangeInclusive<i64>>) -> Self {
        let mut level: Vec<usize> = (0..sys.n).collect();
        let last = |r: &[i64], level: &[usize]| {
            let used = r.iter().zip(level).filter(|(x, _)| !Int::is_zero(*x));
            used.map(|(_, l)| *l).max().unwrap_or(0)
        };
        let mut floors = vec![Vec::new(); sys.n];
        for (k, f) in divs::definitions(sys).into_iter().enumerate() {
            let f = f.expect("all existentials are explicit floors");
            let (one, used) = f.num.split_last().expect("a numerator has a constant");
            let at = last(used, &level);
            level.push(at);
            let mut wide = used.to_vec();
            wide.resize(sys.cols(), 0);
            wide.push(*one);
            floors[at].push((sys.n + k, wide, f.den));
        }
        let mut rows = vec![Vec::new(); sys.n];
        for (r, equal) in sys.eq.rows().map(|r| (r, true)).chain(sys.ge.rows().map(|r| (r, false))) {
            rows[last(&r[..sys.cols()], &level)].push((r, equal));
        }
        Self { sys, ranges, floors, rows }
    }

    /// Calls `point` with each point that has the values of the columns before `c`.
    fn from(&self, c: usize, at: &mut [i64], point: &mut impl FnMut(&[i64]), bud: &Budget) -> Res<()> {
        if c == self.sys.n {
            point(&at[..c]);
            return Ok(());
        }
        for value in self.ranges[c].clone() {
            bud.step(1 + self.floors[c].len() + self.rows[c].len() / 4)?;
            at[c] = value;
            for (e, num, den) in &self.floors[c] {
                at[*e] = 0;
                at[*e] = Int::dot(num, at)?.fdiv(den);
            }
            if self.holds(c, at)? {
                self.from(c + 1, at, point, bud)?;
            }
        }
        Ok(())
    }

    fn holds(&self, c: usize, at: &[i64]) -> Res<bool> {
        for (r, equal) in &self.rows[c] {
            let v = Int::dot(r, at)?;
            if v < 0 || (*equal && v != 0) {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
