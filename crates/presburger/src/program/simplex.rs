//! Exact rational linear programming over a conjunction: feasibility, optima of affine forms, redundant rows, implicit
//! equalities. A dictionary of rows `x = (c + sum a_j s_j) / d` is kept primal feasible; Bland's smallest-index rule
//! prevents cycling. Structural columns are free; every inequality is a non-negative slack.
//! Sources: Chvatal, Linear Programming, 1983 (dictionaries, Bland's rule); Nelson, Techniques for Program
//! Verification, 1981.

use crate::budget::Budget;
use crate::num::{Int, Res};
use crate::system::sys::Sys;

/// Rational optimum `num / den` (`den > 0`) of an affine form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Opt<T> {
    Unbounded,
    At(T, T),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Goal {
    /// Stop as soon as the row is non-negative.
    NonNegative,
    /// Go on to the maximum.
    Maximum,
    /// Stop as soon as the row is positive.
    Positive,
    /// Stop as soon as the row is at least one.
    One,
}

enum Raised {
    /// Along a column, upwards or not.
    Unbounded(usize, bool),
    Stopped,
}

#[derive(Clone)]
pub(crate) struct Tab<T> {
    nx: usize,
    live: usize,
    w: usize,
    m: Vec<T>,
    row_id: Vec<usize>,
    col_id: Vec<usize>,
    /// Per variable: row (`true`) or column, and its position. Dead columns keep their last position.
    pos: Vec<(bool, usize)>,
    restricted: Vec<bool>,
    empty: bool,
}

impl<T: Int> Tab<T> {
    /// Loads equalities, then inequalities. Slack `k` of inequality row `k` has the identity `nx + k`.
    pub fn new(sys: &Sys<T>, bud: &Budget) -> Res<Self> {
        let nx = sys.cols();
        // Two rows more than the system has are enough for a question.
        let rows = sys.eq.len() + sys.ge.len() + 2;
        let mut t = Tab {
            nx,
            live: nx,
            w: nx + 2,
            m: Vec::with_capacity((nx + 2) * rows),
            row_id: Vec::with_capacity(rows),
            col_id: (0..nx).collect(),
            pos: Vec::with_capacity(nx + rows),
            restricted: Vec::with_capacity(nx + rows),
            empty: false,
        };
        t.pos.extend((0..nx).map(|i| (false, i)));
        t.restricted.resize(nx, false);
        for r in sys.eq.rows() {
            t.add_eq(r, bud)?;
            if t.empty {
                return Ok(t);
            }
        }
        for r in sys.ge.rows() {
            t.add_ge(r, bud)?;
            if t.empty {
                return Ok(t);
            }
        }
        Ok(t)
    }

    pub fn is_empty(&self) -> bool {
        self.empty
    }

    fn at(&self, r: usize, c: usize) -> &T {
        &self.m[r * self.w + c]
    }

    fn add_eq(&mut self, row: &[T], bud: &Budget) -> Res<()> {
        self.push_row(row)?;
        let r = self.row_id.len() - 1;
        match (0..self.live).find(|c| !self.at(r, c + 2).is_zero()) {
            Some(c) => {
                let id = self.row_id[r];
                self.pivot(r, c, bud)?;
                self.kill(id);
            }
            None => {
                self.empty = !self.at(r, 1).is_zero();
                self.pop_row();
            }
        }
        // The identity of an equality row is not kept: slack identities follow the structural ones.
        self.pos.truncate(self.nx);
        self.restricted.truncate(self.nx);
        Ok(())
    }

    /// Adds `row >= 0` and restores feasibility; the tableau is marked empty when that is impossible.
    pub fn add_ge(&mut self, row: &[T], bud: &Budget) -> Res<()> {
        self.push_row(row)?;
        let r = self.row_id.len() - 1;
        let id = self.row_id[r];
        self.restricted[id] = true;
        self.restore(id, bud)
    }

    fn restore(&mut self, id: usize, bud: &Budget) -> Res<()> {
        let (is_row, r) = self.pos[id];
        if is_row && self.at(r, 1).is_neg() {
            self.raise(r, Goal::NonNegative, bud)?;
            let (is_row, r) = self.pos[id];
            if is_row && self.at(r, 1).is_neg() {
                self.empty = true;
            }
        }
        Ok(())
    }

    /// Moves the column of `id` out of the live range: its value is zero for good.
    fn kill(&mut self, id: usize) {
        let c = self.pos[id].1;
        let last = self.live - 1;
        if c != last {
            for r in 0..self.row_id.len() {
                self.m.swap(r * self.w + 2 + c, r * self.w + 2 + last);
            }
            self.col_id.swap(c, last);
            let moved = self.col_id[c];
            if moved < self.pos.len() {
                self.pos[moved] = (false, c);
            }
        }
        self.live = last;
    }

    /// Appends the affine form `row` (structural columns, constant last) as a basic variable with a fresh identity.
    fn push_row(&mut self, row: &[T]) -> Res<()> {
        let acc = self.begin_row();
        let (before, acc) = self.m.split_at_mut(acc);
        acc[0] = T::one();
        acc[1] = row[self.nx].clone();
        for (j, k) in row[..self.nx].iter().enumerate() {
            if k.is_zero() {
                continue;
            }
            let (is_row, p) = self.pos[j];
            if is_row {
                let from = &before[p * self.w..(p + 1) * self.w];
                add_scaled(acc, from, k, self.live)?;
            } else if p < self.live {
                acc[p + 2] = T::lin(&acc[0], k, &T::one(), &acc[p + 2])?;
            }
        }
        self.name_row();
        Ok(())
    }

    /// A row of zeros behind the named ones; returns where its entries begin.
    fn begin_row(&mut self) -> usize {
        // A row that overflowed may have been left unnamed.
        let start = self.row_id.len() * self.w;
        self.m.truncate(start);
        self.m.resize(start + self.w, T::zero());
        start
    }

    /// Gives the row just appended a fresh identity.
    fn name_row(&mut self) {
        let id = self.pos.len();
        self.pos.push((true, self.row_id.len()));
        self.row_id.push(id);
        self.restricted.push(false);
    }

    fn pop_row(&mut self) {
        let id = self.row_id.pop().expect("a row was pushed");
        self.m.truncate(self.row_id.len() * self.w);
        if id + 1 == self.pos.len() {
            self.pos.pop();
            self.restricted.pop();
        }
    }

    fn pivot(&mut self, r: usize, c: usize, bud: &Budget) -> Res<()> {
        bud.step(1 + self.row_id.len() / 2)?;
        let (w, live) = (self.w, self.live);
        let (before, rest) = self.m.split_at_mut(r * w);
        let (row, after) = rest.split_at_mut(w);
        let a = row[c + 2].clone();
        let d = std::mem::replace(&mut row[0], a.abs());
        let up = a.is_pos();
        if up {
            for x in &mut row[1..live + 2] {
                *x = x.neg();
            }
        }
        row[c + 2] = if up { d } else { d.neg() };
        normalize(row, live);
        let row = &*row;
        for other in before.chunks_exact_mut(w).chain(after.chunks_exact_mut(w)) {
            substitute(other, row, c, live)?;
        }
        let (ri, ci) = (self.row_id[r], self.col_id[c]);
        self.row_id[r] = ci;
        self.col_id[c] = ri;
        self.pos[ri] = (false, c);
        self.pos[ci] = (true, r);
        Ok(())
    }

    /// The live column that increases row `r` (smallest identity) and its direction.
    fn entering(&self, r: usize) -> Option<(usize, bool)> {
        let mut best: Option<(usize, bool, usize)> = None;
        for c in 0..self.live {
            let a = self.at(r, c + 2);
            if a.is_zero() {
                continue;
            }
            let id = self.col_id[c];
            if (!self.restricted[id] || a.is_pos()) && best.is_none_or(|b| id < b.2) {
                best = Some((c, a.is_pos(), id));
            }
        }
        best.map(|b| (b.0, b.1))
    }

    /// The restricted row other than `skip` that first reaches zero when column `c` moves up or down.
    fn leaving(&self, c: usize, up: bool, skip: usize) -> Res<Option<usize>> {
        let mut best: Option<usize> = None;
        for i in 0..self.row_id.len() {
            let a = self.at(i, c + 2);
            if i == skip
                || a.is_zero()
                || a.is_pos() == up
                || !self.restricted[self.row_id[i]]
                || self.at(i, 1).is_neg()
            {
                continue;
            }
            best = match best {
                None => Some(i),
                Some(k) => {
                    let order = self.ratio_order(i, k, c)?;
                    Some(if order < 0 || (order == 0 && self.row_id[i] < self.row_id[k]) { i } else { k })
                }
            };
        }
        Ok(best)
    }

    /// Sign of `|const_i / a_ic| - |const_k / a_kc|`.
    fn ratio_order(&self, i: usize, k: usize, c: usize) -> Res<i32> {
        let (ci, ck) = (self.at(i, 1).abs(), self.at(k, 1).abs());
        let (ai, ak) = (self.at(i, c + 2).abs(), self.at(k, c + 2).abs());
        Ok(T::lin(&ci, &ak, &ck.neg(), &ai)?.sgn())
    }

    /// Increases basic row `r` while all other restricted rows stay non-negative. With `NonNegative` the row itself may
    /// leave the basis.
    fn raise(&mut self, r: usize, goal: Goal, bud: &Budget) -> Res<Raised> {
        loop {
            let value = self.at(r, 1);
            let done = match goal {
                Goal::NonNegative => !value.is_neg(),
                Goal::Positive => value.is_pos(),
                Goal::One => value >= self.at(r, 0),
                Goal::Maximum => false,
            };
            if done {
                return Ok(Raised::Stopped);
            }
            let Some((c, up)) = self.entering(r) else { return Ok(Raised::Stopped) };
            let limit = self.leaving(c, up, r)?;
            match (limit, goal) {
                (None, Goal::NonNegative) => {
                    self.pivot(r, c, bud)?;
                    return Ok(Raised::Stopped);
                }
                (None, _) => return Ok(Raised::Unbounded(c, up)),
                (Some(i), Goal::NonNegative) if self.ratio_order(r, i, c)? <= 0 => {
                    self.pivot(r, c, bud)?;
                    return Ok(Raised::Stopped);
                }
                (Some(i), _) => self.pivot(i, c, bud)?,
            }
        }
    }

    /// Maximum of `row` (structural columns, constant last) over the non-empty rational polyhedron.
    pub fn max(&mut self, row: &[T], bud: &Budget) -> Res<Opt<T>> {
        self.push_row(row)?;
        let r = self.row_id.len() - 1;
        let out = match self.raise(r, Goal::Maximum, bud)? {
            Raised::Unbounded(..) => Opt::Unbounded,
            Raised::Stopped => Opt::At(self.at(r, 1).clone(), self.at(r, 0).clone()),
        };
        self.pop_row();
        Ok(out)
    }

    /// Whether `row` is nowhere negative.
    pub fn is_nonneg(&mut self, row: &[T], bud: &Budget) -> Res<bool> {
        self.push_row(&crate::system::sys::negated(row))?;
        let r = self.row_id.len() - 1;
        let status = self.raise(r, Goal::Positive, bud)?;
        let nonneg = matches!(status, Raised::Stopped) && !self.at(r, 1).is_pos();
        self.pop_row();
        Ok(nonneg)
    }

    /// Minimum of `row`, as [`Tab::max`].
    pub fn min(&mut self, row: &[T], bud: &Budget) -> Res<Opt<T>> {
        Ok(match self.max(&crate::system::sys::negated(row), bud)? {
            Opt::At(n, d) => Opt::At(n.neg(), d),
            Opt::Unbounded => Opt::Unbounded,
        })
    }

    /// The minimum of `row`, as [`Tab::min`], and where it is: a point with what its numbers are divided by behind it,
    /// or, where there is no minimum, a direction with a 0 behind it.
    pub fn lowest(&mut self, row: &[T], bud: &Budget) -> Res<(Opt<T>, Vec<T>)> {
        self.push_row(&crate::system::sys::negated(row))?;
        let r = self.row_id.len() - 1;
        let out = match self.raise(r, Goal::Maximum, bud)? {
            Raised::Unbounded(c, up) => (Opt::Unbounded, self.direction(c, up)?),
            Raised::Stopped => (Opt::At(self.at(r, 1).neg(), self.at(r, 0).clone()), self.vertex_scaled()?),
        };
        self.pop_row();
        Ok(out)
    }

    /// What the rows of the structural columns are to be scaled to: a common multiple of what they are divided by.
    fn common(&self) -> Res<T> {
        self.pos[..self.nx].iter().filter(|(is_row, _)| *is_row).try_fold(T::one(), |m, (_, p)| {
            let d = self.at(*p, 0);
            if d.is_one() { Ok(m) } else { m.fdiv(&m.gcd(d)).mul(d) }
        })
    }

    /// The current vertex, times the common denominator, which stands behind it.
    fn vertex_scaled(&self) -> Res<Vec<T>> {
        let scale = self.common()?;
        let value = |(is_row, p): &(bool, usize)| match is_row {
            true => self.at(*p, 1).mul(&scale.fdiv(self.at(*p, 0))),
            false => Ok(T::zero()),
        };
        let mut x = self.pos[..self.nx].iter().map(value).collect::<Res<Vec<T>>>()?;
        x.push(scale);
        Ok(x)
    }

    /// How the structural columns change when column `c` moves up or down, with a 0 behind it.
    fn direction(&self, c: usize, up: bool) -> Res<Vec<T>> {
        let scale = self.common()?;
        let value = |(is_row, p): &(bool, usize)| {
            let change = match is_row {
                true => self.at(*p, c + 2).mul(&scale.fdiv(self.at(*p, 0)))?,
                false if *p == c => scale.clone(),
                false => T::zero(),
            };
            Ok(if up { change } else { change.neg() })
        };
        let mut x = self.pos[..self.nx].iter().map(value).collect::<Res<Vec<T>>>()?;
        x.push(T::zero());
        Ok(x)
    }

    /// Appends the slack of inequality `k` (or its negation) as a basic row.
    fn push_slack(&mut self, k: usize, negate: bool) {
        let (is_row, p) = self.pos[self.nx + k];
        let start = self.begin_row();
        let (before, row) = self.m.split_at_mut(start);
        if is_row {
            row.clone_from_slice(&before[p * self.w..(p + 1) * self.w]);
        } else {
            row[0] = T::one();
            row[p + 2] = T::one();
        }
        if negate {
            for x in &mut row[1..] {
                *x = x.neg();
            }
        }
        self.name_row();
    }

    /// Tests whether inequality `k` is implied by the others, and forgets it if so.
    pub fn drop_if_redundant(&mut self, k: usize, bud: &Budget) -> Res<bool> {
        self.drop_if_below(k, Goal::Positive, bud)
    }

    /// As [`Tab::drop_if_redundant`], where the others only need to imply it for integers: they keep its row above -1.
    pub fn drop_if_implied(&mut self, k: usize, bud: &Budget) -> Res<bool> {
        self.drop_if_below(k, Goal::One, bud)
    }

    /// Forgets inequality `k` if its negated row cannot be raised to the goal without it.
    fn drop_if_below(&mut self, k: usize, goal: Goal, bud: &Budget) -> Res<bool> {
        let id = self.nx + k;
        self.restricted[id] = false;
        self.push_slack(k, true);
        let r = self.row_id.len() - 1;
        let status = self.raise(r, goal, bud)?;
        let reached = match goal {
            Goal::One => self.at(r, 1) >= self.at(r, 0),
            _ => self.at(r, 1).is_pos(),
        };
        let redundant = matches!(status, Raised::Stopped) && !reached;
        self.pop_row();
        if !redundant {
            self.restricted[id] = true;
            self.restore(id, bud)?;
        }
        Ok(redundant)
    }

    /// Tests whether inequality `k` holds with equality on the whole polyhedron.
    pub fn is_tight(&mut self, k: usize, bud: &Budget) -> Res<bool> {
        let (is_row, p) = self.pos[self.nx + k];
        if is_row && self.at(p, 1).is_pos() {
            return Ok(false);
        }
        self.push_slack(k, false);
        let r = self.row_id.len() - 1;
        let status = self.raise(r, Goal::Positive, bud)?;
        let tight = matches!(status, Raised::Stopped) && !self.at(r, 1).is_pos();
        self.pop_row();
        Ok(tight)
    }

    /// Coefficients stored.
    pub fn entries(&self) -> usize {
        self.m.len()
    }

    /// The first structural column whose value at the current vertex is no integer, that value rounded down, and
    /// whether rounding up is nearer.
    pub fn fractional_column(&self) -> Option<(usize, T, bool)> {
        (0..self.nx).find_map(|j| {
            let (is_row, p) = self.pos[j];
            if !is_row {
                return None;
            }
            let (d, c) = (self.at(p, 0), self.at(p, 1));
            let rest = c.modulo(d);
            (!rest.is_zero()).then(|| (j, c.fdiv(d), d.sub(&rest).is_ok_and(|up| up < rest)))
        })
    }

    /// The current vertex: per structural column numerator and denominator.
    pub fn coordinates(&self) -> impl Iterator<Item = (T, T)> {
        (0..self.nx).map(|j| match self.pos[j] {
            (true, p) => (self.at(p, 1).clone(), self.at(p, 0).clone()),
            (false, _) => (T::zero(), T::one()),
        })
    }

    /// The current vertex, if all its coordinates are integers.
    pub fn integer_vertex(&self) -> Option<Vec<T>> {
        (0..self.nx)
            .map(|j| {
                let (is_row, p) = self.pos[j];
                if !is_row {
                    return Some(T::zero());
                }
                let (d, c) = (self.at(p, 0), self.at(p, 1));
                if d.is_one() { Some(c.clone()) } else { c.modulo(d).is_zero().then(|| c.fdiv(d)) }
            })
            .collect()
    }
}

/// Replaces column `c` of a dictionary row by the row that now gives it.
fn substitute<T: Int>(other: &mut [T], row: &[T], c: usize, live: usize) -> Res<()> {
    if other[c + 2].is_zero() {
        return Ok(());
    }
    let b = std::mem::replace(&mut other[c + 2], T::zero());
    let den = &row[0];
    T::lin_rows(den, &mut other[1..live + 2], &b, &row[1..live + 2])?;
    if !den.is_one() {
        other[0] = other[0].mul(den)?;
    }
    normalize(other, live);
    Ok(())
}

/// `acc += k * from`, both `[den, const, coefficients]`.
fn add_scaled<T: Int>(acc: &mut [T], from: &[T], k: &T, live: usize) -> Res<()> {
    let g = acc[0].gcd(&from[0]);
    let mine = from[0].fdiv(&g);
    let theirs = acc[0].fdiv(&g).mul(k)?;
    T::lin_rows(&mine, &mut acc[1..live + 2], &theirs, &from[1..live + 2])?;
    acc[0] = acc[0].mul(&mine)?;
    normalize(acc, live);
    Ok(())
}

/// Divides a dictionary row by the common factor of its entries, where some are large: of small ones it is not worth
/// looking for.
pub(super) fn normalize<T: Int>(row: &mut [T], live: usize) {
    let mut g = row[0].clone();
    if g.is_one() || !T::is_worth_dividing(&row[..live + 2]) {
        return;
    }
    for x in &row[1..live + 2] {
        if !x.is_zero() {
            g = g.gcd(x);
            if g.is_one() {
                return;
            }
        }
    }
    T::divide_row(&mut row[..live + 2], &g);
}
