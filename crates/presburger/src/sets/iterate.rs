//! Elements one after the other, without a list of all.

use crate::budget::{Budget, Error, Result};
use crate::num::Int;
use crate::sets::set::Set;
use crate::sets::space::Kind;
use crate::sets::union::Parts;
use crate::system::body::exact;
use crate::unions::lex;
use crate::unions::points::STEPS;

/// The elements of a set in lexicographic order, [`Set::iter_points`].
pub struct Points<'s> {
    set: &'s Set,
    last: Option<Vec<i64>>,
    ended: bool,
    budget: Budget,
}

impl Set {
    /// All elements `[params | dims]` in lexicographic order, each found when it is asked for: also of sets too large
    /// to be listed, or infinite where every part has a first element. Ends after an error.
    /// Cost: a minimum per column and piece for each element. Errors: [`Error::Unbounded`] where there is no next one;
    /// [`Error::Overflow`].
    ///
    /// ```
    /// use presburger::Set;
    /// let odd = Set::parse("{ [i] : i >= 5 and i mod 2 = 1 }").unwrap();
    /// let first: Result<Vec<_>, _> = odd.iter_points().take(3).collect();
    /// assert_eq!(first.unwrap(), [[5], [7], [9]]);
    /// ```
    pub fn iter_points(&self) -> Points<'_> {
        Points { set: self, last: None, ended: false, budget: Budget::unlimited() }
    }

    /// The elements, one after the other: of few far apart, between which there is too much to try. Errors: [`Error`];
    /// [`Error::TooMany`] where there are more than `limit`.
    pub(crate) fn points_in_turn(&self, limit: usize) -> Result<Vec<Vec<i64>>> {
        let in_turn = Points { budget: Budget::steps(STEPS), ..self.iter_points() };
        let found = in_turn.take(limit.saturating_add(1)).collect::<Result<Vec<_>>>()?;
        if found.len() > limit { Err(Error::TooMany) } else { Ok(found) }
    }
}

impl Points<'_> {
    /// The first element of a set.
    fn least(&self, s: &Set) -> Result<Option<Vec<i64>>> {
        let list = exact!(x = s.bodies(); lex::least(x, &self.budget))?;
        list.into_iter().next().map(|x| x.iter().map(|v| v.to_i64().ok_or(Error::Overflow)).collect()).transpose()
    }

    /// The first element after `last`: the longest part of it that can stay does.
    fn after(&self, last: &[i64]) -> Result<Option<Vec<i64>>> {
        let n = last.len();
        for k in (0..n).rev() {
            let mut rest = self.set.clone();
            for (c, v) in last[..=k].iter().enumerate() {
                // `value - x` keeps the value as it is, even at the end of the range.
                let mut row = vec![0; n + 1];
                (row[c], row[n]) = (-1, *v);
                if c < k {
                    rest = rest.add(Kind::Eq, &row);
                    continue;
                }
                // `x - value - 1`, which fits.
                (row[c], row[n]) = (1, !*v);
                rest = rest.add(Kind::Ge, &row);
            }
            let found = self.least(&rest)?;
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }
}

impl Iterator for Points<'_> {
    type Item = Result<Vec<i64>>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let found = match &self.last {
            None => self.least(self.set),
            Some(x) => self.after(x),
        };
        self.ended = !matches!(found, Ok(Some(_)));
        self.last = found.clone().ok().flatten();
        found.transpose()
    }
}

impl std::iter::FusedIterator for Points<'_> {}
