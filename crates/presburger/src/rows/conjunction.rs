//! One conjunction in a form that is cheap to extend and to question without a solver.
//!
//! Rows are `[1 | columns]`: the constant comes first, so that columns can be appended without touching earlier rows; a
//! row may be shorter than the number of columns (missing = 0). Equalities with a coefficient of 1 or -1 are solved for
//! that column, which then appears in no other row.

use super::place::{Slot, place};
use super::row::{Row, negate};
use crate::system::body::{Body, exact};
use crate::system::solve;
use crate::{BasicMap, BasicSet, Budget, Error, Kind, Result, Set, Space};

/// A conjunction of rows: solved equalities, other equalities (= 0) and inequalities (>= 0).
#[derive(Clone, Debug)]
pub struct Conjunction {
    columns: usize,
    solved: Vec<(usize, Row)>,
    equalities: Vec<Row>,
    inequalities: Vec<Row>,
    is_empty: bool,
}

fn coefficient(row: &[i64], column: usize) -> i64 {
    row.get(column).copied().unwrap_or(0)
}

/// `a + k * b`.
fn add_scaled(a: &mut Row, k: i64, b: &[i64]) -> Result<()> {
    if a.len() < b.len() {
        a.resize(b.len(), 0);
    }
    for (x, y) in a.iter_mut().zip(b) {
        if *y != 0 {
            *x = k.checked_mul(*y).and_then(|p| x.checked_add(p)).ok_or(Error::Overflow)?;
        }
    }
    Ok(())
}

fn gcd_of(coefficients: &[i64]) -> u64 {
    coefficients.iter().fold(0, |g, c| gcd(g, c.unsigned_abs()))
}

fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

impl Conjunction {
    /// All points over this many columns, the constant's included.
    #[must_use]
    pub fn universe(columns: usize) -> Conjunction {
        Conjunction { columns, solved: Vec::new(), equalities: Vec::new(), inequalities: Vec::new(), is_empty: false }
    }

    /// Number of coefficients held.
    #[must_use]
    pub fn cells(&self) -> u64 {
        let rows = self.solved.len() + self.equalities.len() + self.inequalities.len();
        (rows * self.columns) as u64
    }

    /// The pairs of a basic map over the columns `[params | in | out | existentials]`.
    ///
    /// # Errors
    /// [`Error::Overflow`] when a coefficient does not fit i64.
    pub fn from_basic_map(basic: &BasicMap) -> Result<Conjunction> {
        let (params, dims) = (basic.space().n_param(), basic.space().n_in() + basic.space().n_out());
        let slot = Slot { params, start: 1 + params, dims };
        let mut pairs = Conjunction::universe(1 + params + dims);
        let exists: Vec<usize> = (0..basic.n_exists()).map(|_| pairs.add_column()).collect();
        for (kind, row) in basic.rows_i64()? {
            pairs.add(kind, &place(&row, slot, &exists))?;
        }
        Ok(pairs)
    }

    /// Adds `row = 0` or `row >= 0`.
    ///
    /// # Errors
    /// [`Error::Overflow`].
    pub fn add(&mut self, kind: Kind, row: &[i64]) -> Result<()> {
        match kind {
            Kind::Eq => self.add_eq(row),
            Kind::Ge => self.add_ge(row),
        }
    }

    /// Drops inequalities that only parameters (the first columns) take part in: a superset.
    pub fn forget_parameters(&mut self, params: usize) {
        self.inequalities.retain(|row| row.len() > 1 + params);
    }

    /// Whether a contradiction has been found; `false` does not say that there is a point.
    #[must_use]
    pub fn is_surely_empty(&self) -> bool {
        self.is_empty
    }

    /// True iff no integers satisfy all rows. Exact. Columns that are solved for need no look: they are in no other
    /// row, and have a value wherever the other columns have one. Cost: as that of a set's feasibility test.
    ///
    /// # Errors
    /// [`Error::Spent`].
    pub fn is_empty(&self, budget: &Budget) -> Result<bool> {
        if self.is_empty {
            return Ok(true);
        }
        let rows = || self.equalities.iter().chain(&self.inequalities);
        let width = rows().map(Vec::len).max().unwrap_or(1);
        let used: Vec<usize> = (1..width).filter(|&c| rows().any(|r| coefficient(r, c) != 0)).collect();
        let mut body = Body::universe(used.len());
        let mut narrow = Vec::with_capacity(used.len() + 1);
        for (kind, all) in [(Kind::Eq, &self.equalities), (Kind::Ge, &self.inequalities)] {
            for row in all {
                narrow.clear();
                narrow.extend(used.iter().map(|&c| coefficient(row, c)).chain([row[0]]));
                body.add(kind, &narrow);
            }
        }
        exact!(s = [&body]; solve::is_empty(s[0], budget))
    }

    /// Appends an existential column and returns its number.
    pub fn add_column(&mut self) -> usize {
        self.columns += 1;
        self.columns - 1
    }

    /// Appends several existential columns and returns the number of the first.
    pub fn add_columns(&mut self, count: usize) -> usize {
        self.columns += count;
        self.columns - count
    }

    /// A column that inequalities make `floor(num / den)`, if there is one.
    ///
    /// # Errors
    /// [`Error::Overflow`].
    pub fn floor_column(&self, num: &[i64], den: i64) -> Result<Option<usize>> {
        let num = self.reduce(num)?;
        let high = negate(&num)?;
        let is = |row: &Row, column: usize, (of, times, least): (&Row, i64, i64)| {
            let width = row.len().max(of.len()).max(column + 1);
            let expected = |c: usize| if c == column { times } else { coefficient(of, c) };
            row[0] <= least && (1..width).all(|c| coefficient(row, c) == expected(c))
        };
        let Some(most) = high[0].checked_add(den - 1) else { return Err(Error::Overflow) };
        let candidates = self.inequalities.iter().flat_map(|row| {
            let columns = (1..row.len()).rev().filter(|c| row[*c] == -den && coefficient(&num, *c) == 0);
            columns.filter(|c| is(row, *c, (&num, -den, num[0])))
        });
        let mut found = candidates.filter(|c| self.inequalities.iter().any(|row| is(row, *c, (&high, den, most))));
        Ok(found.next())
    }

    /// Substitutes the solved columns.
    ///
    /// # Errors
    /// [`Error::Overflow`].
    pub fn reduce(&self, row: &[i64]) -> Result<Row> {
        let mut row = row.to_vec();
        for (column, value) in &self.solved {
            let k = coefficient(&row, *column);
            if k != 0 {
                row[*column] = 0;
                add_scaled(&mut row, k, value)?;
            }
        }
        while row.len() > 1 && row.last() == Some(&0) {
            row.pop();
        }
        Ok(row)
    }

    /// Adds `row = 0`.
    ///
    /// # Errors
    /// [`Error::Overflow`].
    pub fn add_eq(&mut self, row: &[i64]) -> Result<()> {
        let mut row = self.reduce(row)?;
        let divisor = gcd_of(&row[1..]);
        if divisor == 0 {
            self.is_empty |= row[0] != 0;
            return Ok(());
        }
        let divisor = i64::try_from(divisor).map_err(|_| Error::Overflow)?;
        if row[0] % divisor != 0 {
            self.is_empty = true;
            return Ok(());
        }
        row.iter_mut().for_each(|c| *c /= divisor);
        match (1..row.len()).rev().find(|c| row[*c].abs() == 1) {
            Some(column) => self.solve(column, row),
            None => {
                self.equalities.push(row);
                Ok(())
            }
        }
    }

    fn solve(&mut self, column: usize, row: Row) -> Result<()> {
        let mut value = if row[column] == 1 { negate(&row)? } else { row };
        value[column] = 0;
        for (_, other) in &mut self.solved {
            let k = coefficient(other, column);
            if k != 0 {
                other[column] = 0;
                add_scaled(other, k, &value)?;
            }
        }
        self.solved.push((column, value));
        let touched = |row: &Row| coefficient(row, column) != 0;
        let equalities: Vec<Row> = self.equalities.extract_if(.., |r| touched(r)).collect();
        let inequalities: Vec<Row> = self.inequalities.extract_if(.., |r| touched(r)).collect();
        for row in equalities {
            self.add_eq(&row)?;
        }
        for row in inequalities {
            self.add_ge(&row)?;
        }
        Ok(())
    }

    /// Adds `row >= 0`.
    ///
    /// # Errors
    /// [`Error::Overflow`].
    pub fn add_ge(&mut self, row: &[i64]) -> Result<()> {
        let row = tightened(self.reduce(row)?)?;
        if row.len() == 1 {
            self.is_empty |= row[0] < 0;
            return Ok(());
        }
        if let Some(same) = self.inequalities.iter_mut().find(|r| r[1..] == row[1..]) {
            same[0] = same[0].min(row[0]);
            let tight = same.clone();
            return self.meet_opposite(&tight);
        }
        self.inequalities.push(row.clone());
        self.meet_opposite(&row)
    }

    /// Compares a stored inequality with the one of opposite direction: contradiction, equality or neither.
    fn meet_opposite(&mut self, row: &Row) -> Result<()> {
        let opposite =
            |r: &Row| r.len() == row.len() && r[1..].iter().zip(&row[1..]).all(|(a, b)| a.checked_neg() == Some(*b));
        let Some(at) = self.inequalities.iter().position(opposite) else { return Ok(()) };
        match self.inequalities[at][0].checked_add(row[0]).ok_or(Error::Overflow)? {
            sum if sum < 0 => self.is_empty = true,
            0 => {
                self.inequalities.swap_remove(at);
                self.inequalities.retain(|r| r != row);
                return self.add_eq(row);
            }
            _ => {}
        }
        Ok(())
    }

    /// Whether `row >= 0` is plain to see on the whole conjunction. `false` does not say the contrary.
    ///
    /// # Errors
    /// [`Error::Overflow`].
    pub fn surely_nonneg(&self, row: &[i64]) -> Result<bool> {
        let row = tightened(self.reduce(row)?)?;
        if row.len() == 1 {
            return Ok(row[0] >= 0 || self.is_empty);
        }
        Ok(self.is_empty || self.inequalities.iter().any(|r| r[1..] == row[1..] && r[0] <= row[0]))
    }

    /// The conjunction with its rows in a fixed order, so that equal systems compare equal more often.
    #[must_use]
    pub fn sorted_rows(&self) -> Vec<(Kind, Row)> {
        let mut rows = Vec::with_capacity(self.solved.len() + self.equalities.len() + self.inequalities.len());
        for (column, value) in &self.solved {
            let mut row = value.clone();
            row.resize(self.columns.max(row.len()), 0);
            row[*column] = -1;
            rows.push((Kind::Eq, row));
        }
        rows.extend(self.equalities.iter().map(|r| (Kind::Eq, r.clone())));
        rows.extend(self.inequalities.iter().map(|r| (Kind::Ge, r.clone())));
        for (_, row) in &mut rows {
            row.resize(self.columns, 0);
        }
        rows.sort();
        rows
    }

    /// As a basic map over `[params | in | out]`; the columns after these are existentials, and those that are solved
    /// for or not used are left out.
    #[must_use]
    pub fn to_basic_map(&self, space: Space) -> BasicMap {
        let visible = 1 + space.n_param() + space.n_in() + space.n_out();
        let is_hidden = |(kind, row): &(Kind, Row)| {
            *kind == Kind::Eq && self.solved.iter().any(|(c, _)| *c >= visible && row[*c] != 0)
        };
        let rows: Vec<(Kind, Row)> = self.sorted_rows().into_iter().filter(|r| !is_hidden(r)).collect();
        let used: Vec<usize> = (visible..self.columns).filter(|&c| rows.iter().any(|(_, r)| r[c] != 0)).collect();
        let mut map = BasicMap::universe(space);
        for _ in &used {
            map.add_exists();
        }
        let mut put = |kind: Kind, row: &[i64]| {
            let mut full = row[1..visible].to_vec();
            full.extend(used.iter().map(|&c| row[c]));
            full.push(row[0]);
            map.add_full(kind, &full);
        };
        for (kind, row) in &rows {
            put(*kind, row);
        }
        if self.is_empty {
            let mut row = vec![0; self.columns];
            row[0] = -1;
            put(Kind::Ge, &row);
        }
        map
    }

    /// All columns as dims of an unnamed set without parameters, and `row` over `[dims | 1]` of it.
    #[must_use]
    pub fn to_set_with(&self, row: &[i64]) -> (Set, Row) {
        let mut set = BasicSet::universe(Space::set(&[], "", self.columns - 1));
        let dims_first = |row: &[i64]| {
            let mut row = row.to_vec();
            row.resize(self.columns, 0);
            row.rotate_left(1);
            row
        };
        for (kind, row) in self.sorted_rows() {
            set.add(kind, &dims_first(&row));
        }
        if self.is_empty {
            set.add(Kind::Ge, &dims_first(&[-1]));
        }
        (set.to_set(), dims_first(row))
    }
}

/// Divides by the gcd of the coefficients, rounding the constant down (exact over the integers).
fn tightened(mut row: Row) -> Result<Row> {
    let divisor = gcd_of(&row[1..]);
    if divisor > 1 {
        let divisor = i64::try_from(divisor).map_err(|_| Error::Overflow)?;
        row[0] = row[0].div_euclid(divisor);
        row[1..].iter_mut().for_each(|c| *c /= divisor);
    }
    Ok(row)
}
