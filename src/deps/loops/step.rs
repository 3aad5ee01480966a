//! How two times compare in one component.
//!
//! Floors are left out where `floor(a/k)` of both sides can be compared through `a`: floor is monotone, so no pair is
//! lost.

use crate::deps::compute::limit;
use crate::deps::pair::Columns;
use crate::error::Failure;
use presburger::rows::{Conjunction, Row, Slot, difference, negate, place, place_aff, plus};
use presburger::{Aff, Div};

/// How floors are treated.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Floors {
    /// Pairs with equal floors are over-approximated.
    Relaxed,
    /// Each floor is an existential.
    Exact,
}

/// The distance `dst - src` of one component: its sign is that of the only part; or each of several parts is at least
/// 0, and the distance is 0 where all of them are.
pub(crate) struct Step {
    parts: Vec<Part>,
}

/// `distance` has the sign of what is compared, and lies in `-slack..=slack` when both sides agree.
struct Part {
    distance: Row,
    slack: i64,
    /// What is compared, if floors.
    floors: Option<FloorPair>,
}

/// The floors of two rows over the columns of a pair of statements.
#[derive(PartialEq, Eq)]
struct FloorPair {
    src: Row,
    dst: Row,
    den: i64,
}

/// Floors that have one value at both ends.
#[derive(Default)]
pub(crate) struct Settled(Vec<FloorPair>);

impl Part {
    fn of_floors(src: Row, dst: Row, den: i64) -> Result<Part, Failure> {
        let distance = difference(&dst, &src).map_err(limit)?;
        Ok(Part { distance, slack: den - 1, floors: Some(FloorPair { src, dst, den }) })
    }

    fn exact(distance: Row) -> Part {
        Part { distance, slack: 0, floors: None }
    }
}

impl Step {
    /// The distance from `src` to `dst`. Exact floors become existentials of `poly`. Relaxed, of floors that are none
    /// of its existentials yet: of one floor each, times a positive constant plus a constant, the distance of the
    /// arguments instead; of sums of such floors and an affine rest, one part each where it is plain to see that none
    /// is negative in `poly`.
    ///
    /// # Errors
    /// `Limit` when a coefficient leaves i64.
    pub fn between(
        poly: &mut Conjunction,
        columns: Columns,
        (src, dst): (&Aff, &Aff),
        floors: Floors,
    ) -> Result<Step, Failure> {
        if floors == Floors::Relaxed
            && let (Some(a), Some(b)) = (FloorSum::of(src), FloorSum::of(dst))
            && !a.is_known(poly, columns.src_slot())?
            && !b.is_known(poly, columns.dst_slot())?
            && let Some(parts) = a.parts(&b, poly, columns)?
        {
            return Ok(Step { parts });
        }
        let a = place_aff(poly, src, columns.src_slot()).map_err(limit)?;
        let b = place_aff(poly, dst, columns.dst_slot()).map_err(limit)?;
        Ok(Step { parts: vec![Part::exact(difference(&b, &a).map_err(limit)?)] })
    }

    /// The same when components that differ by up to `more` count as equal, too.
    ///
    /// # Errors
    /// `Limit` when a coefficient leaves i64.
    pub fn with_slack(mut self, more: i64) -> Result<Step, Failure> {
        for part in &mut self.parts {
            let widened = more.checked_mul(part.slack + 1).and_then(|m| m.checked_add(part.slack));
            part.slack = widened.ok_or(presburger::Error::Overflow).map_err(limit)?;
            part.floors = part.floors.take().filter(|_| more == 0);
        }
        Ok(self)
    }

    /// A row with the sign of the distance, unless that is plainly never negative.
    pub fn sign(&self) -> Option<&Row> {
        let [only] = &self.parts[..] else { return None };
        Some(&only.distance)
    }

    /// Rows all of which are 0 only where both sides agree, but for their slack.
    pub fn distances(&self) -> impl Iterator<Item = &Row> {
        self.parts.iter().map(|part| &part.distance)
    }

    /// Whether the destination plainly comes later in every pair.
    ///
    /// # Errors
    /// `Limit` when a coefficient leaves i64.
    pub fn surely_carries(&self, poly: &Conjunction) -> Result<bool, Failure> {
        for part in &self.parts {
            let least = plus(&part.distance, -1 - part.slack).map_err(limit)?;
            if poly.surely_nonneg(&least).map_err(limit)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Leaves in `poly` the pairs that agree, or a few more.
    ///
    /// # Errors
    /// `Limit` when a coefficient leaves i64.
    pub fn agree(self, poly: &mut Conjunction, settled: &mut Settled) -> Result<(), Failure> {
        for Part { distance, slack, floors } in self.parts {
            settled.0.extend(floors);
            if slack == 0 {
                poly.add_eq(&distance).map_err(limit)?;
                continue;
            }
            let back = negate(&distance).map_err(limit)?;
            for row in [distance, back] {
                poly.add_ge(&plus(&row, slack).map_err(limit)?).map_err(limit)?;
            }
        }
        Ok(())
    }
}

impl Settled {
    /// Whether the two sides agree because these floors do.
    pub fn implies(&self, step: &Step) -> bool {
        step.parts.iter().all(|part| part.floors.as_ref().is_some_and(|floors| self.0.contains(floors)))
    }
}

/// `factor * floor(num / den)`, factor > 0, summed up, plus the affine `rest`.
struct FloorSum {
    terms: Vec<Term>,
    rest: Vec<i64>,
}

/// `num` without the columns of other floors.
struct Term {
    factor: i64,
    num: Vec<i64>,
    den: i64,
}

impl FloorSum {
    /// `None` where there is no floor, one in another, or one that counts negative.
    fn of(aff: &Aff) -> Option<Self> {
        let divs = aff.divs();
        let (&constant, row) = aff.row().split_last()?;
        let (affine, factors) = row.split_at(row.len() - divs.len());
        let term = |(&factor, div): (&i64, &Div)| {
            let (&constant, num) = div.num.split_last()?;
            let (num, others) = num.split_at(affine.len());
            let is_plain = factor > 0 && others.iter().all(|c| *c == 0);
            is_plain.then(|| Term { factor, num: [num, &[constant]].concat(), den: div.den })
        };
        let terms = factors.iter().zip(divs).map(term).collect::<Option<Vec<_>>>()?;
        (!terms.is_empty()).then(|| Self { terms, rest: [affine, &[constant]].concat() })
    }

    /// Whether one of the floors is a column of `poly`, because a filter mentions it: then nothing is left out of what
    /// is known of it.
    fn is_known(&self, poly: &Conjunction, slot: Slot) -> Result<bool, Failure> {
        for term in &self.terms {
            if poly.floor_column(&place(&term.num, slot, &[]), term.den).map_err(limit)?.is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The distances of the terms and of the rests. `None` where the terms do not correspond, or, unless there is one
    /// term and no distance of the rests, one may be negative.
    fn parts(&self, dst: &Self, poly: &Conjunction, columns: Columns) -> Result<Option<Vec<Part>>, Failure> {
        let shape = |sum: &Self| sum.terms.iter().map(|t| (t.factor, t.den)).collect::<Vec<_>>();
        if shape(self) != shape(dst) {
            return Ok(None);
        }
        let place =
            |src: &[i64], dst: &[i64]| (place(src, columns.src_slot(), &[]), place(dst, columns.dst_slot(), &[]));
        let mut parts = Vec::with_capacity(self.terms.len() + 1);
        for (a, b) in self.terms.iter().zip(&dst.terms) {
            let (from, to) = place(&a.num, &b.num);
            parts.push(Part::of_floors(from, to, a.den)?);
        }
        let (from, to) = place(&self.rest, &dst.rest);
        let rest = poly.reduce(&difference(&to, &from).map_err(limit)?).map_err(limit)?;
        if rest != [0] {
            parts.push(Part::exact(rest));
        }
        if parts.len() > 1 {
            for part in &parts {
                if !poly.surely_nonneg(&part.distance).map_err(limit)? {
                    return Ok(None);
                }
            }
        }
        Ok(Some(parts))
    }
}
