//! The box of a conjunction as far as rows with one column show it: tells most pieces of a large union apart without a
//! join.

use crate::num::Int;
use crate::system::sys::Sys;

/// Per visible column its least and largest value, where a row says so.
pub(crate) struct Bounds<T>(Vec<(Option<T>, Option<T>)>);

impl<T: Int> Bounds<T> {
    /// Nothing is known.
    pub fn unknown() -> Self {
        Self(Vec::new())
    }

    /// What inequalities say.
    pub fn of_inequalities(s: &Sys<T>) -> Self {
        let mut own = Self(vec![(None, None); s.n]);
        let last = s.cols();
        for r in s.ge.rows() {
            match only_column(s, r) {
                Some(c) if r[c].is_pos() => own.at_least(c, r[last].neg().cdiv(&r[c])),
                Some(c) => own.at_most(c, r[last].fdiv(&r[c].neg())),
                None => {}
            }
        }
        own
    }

    /// What the rows say, of equalities those with a unit coefficient.
    pub fn of(s: &Sys<T>) -> Self {
        let mut own = Self::of_inequalities(s);
        for r in s.eq.rows() {
            let Some(c) = only_column(s, r).filter(|c| r[*c].is_unit()) else { continue };
            let one = &r[s.cols()];
            let v = if r[c].is_pos() { one.neg() } else { one.clone() };
            own.at_least(c, v.clone());
            own.at_most(c, v);
        }
        own
    }

    /// The value of a column that has one.
    pub fn value(&self, c: usize) -> Option<&T> {
        let (low, high) = &self.0[c];
        low.as_ref().filter(|v| Some(*v) == high.as_ref())
    }

    /// The least and the largest value of a column.
    pub fn range(&self, c: usize) -> (Option<&T>, Option<&T>) {
        (self.0[c].0.as_ref(), self.0[c].1.as_ref())
    }

    /// Takes in that a column has no smaller values.
    pub fn at_least(&mut self, c: usize, v: T) {
        let slot = &mut self.0[c].0;
        if slot.as_ref().is_none_or(|x| *x < v) {
            *slot = Some(v);
        }
    }

    /// Takes in that a column has no larger values.
    pub fn at_most(&mut self, c: usize, v: T) {
        let slot = &mut self.0[c].1;
        if slot.as_ref().is_none_or(|x| *x > v) {
            *slot = Some(v);
        }
    }

    /// Whether in some column the values of one end more than `gap` before those of the other begin: with 0 they have
    /// no common value, with 1 there is one between them.
    pub fn apart(&self, o: &Self, gap: i64) -> bool {
        let before = |end: &Option<T>, start: &Option<T>| {
            end.as_ref().zip(start.as_ref()).is_some_and(|(x, y)| y.sub(x).is_ok_and(|d| d > T::of(gap)))
        };
        self.0.iter().zip(&o.0).any(|(a, b)| before(&a.1, &b.0) || before(&b.1, &a.0))
    }
}

/// The one visible column that the row uses.
fn only_column<T: Int>(s: &Sys<T>, r: &[T]) -> Option<usize> {
    let mut used = (0..s.cols()).filter(|c| !r[*c].is_zero());
    used.next().filter(|c| *c < s.n && used.next().is_none())
}
