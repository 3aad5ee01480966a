//! Existential columns that no equality determines, turned into conditions without them.

use super::expr::{Scope, all, scaled, sum};
use super::fail::{Res, no_closed_form};
use super::types::{Cond, Expr};
use presburger::rows::{Row, combine, negate};

/// Rows with existential columns, to be turned into conditions without them.
pub(super) struct Hidden {
    rows: Vec<Row>,
    base: usize,
    /// Columns with a floor form, each after those it uses.
    floors: Vec<(usize, Row, i64)>,
}

impl Hidden {
    /// Rows over base columns and `base..width` hidden ones.
    pub fn new(rows: Vec<Row>, base: usize, width: usize) -> Hidden {
        let rows = rows
            .into_iter()
            .map(|mut r| {
                r.resize(width, 0);
                r
            })
            .collect();
        Hidden { rows, base, floors: Vec::new() }
    }

    /// Columns that occur and have no floor form, in one row.
    fn open(&self, row: &[i64]) -> Vec<usize> {
        (self.base..row.len()).filter(|&c| row[c] != 0 && self.floors.iter().all(|f| f.0 != c)).collect()
    }

    /// "There are values of the hidden columns that satisfy all rows". Exact; `Reject` if two of them cannot be told
    /// apart.
    pub fn cond(mut self, scope: &Scope) -> Res<Cond> {
        while self.find_floor(true)? {}
        let mixed = |h: &Hidden| h.rows.iter().any(|r| h.open(r).len() > 1);
        while mixed(&self) && self.find_floor(false)? {
            while self.find_floor(true)? {}
        }
        let mut conds = Vec::new();
        let rows = std::mem::take(&mut self.rows);
        let mut open: Vec<usize> = Vec::new();
        let mut said = vec![false; rows.len()];
        for (k, r) in rows.iter().enumerate() {
            match self.open(r).as_slice() {
                [] if said[k] => {}
                [] => {
                    let opposite = negate(r)?;
                    let equal = (k + 1..rows.len()).find(|o| rows[*o] == opposite);
                    equal.into_iter().for_each(|o| said[o] = true);
                    conds.push(self.compared(scope, r, if equal.is_some() { Cond::Eq } else { Cond::Ge }));
                }
                [one] => open.push(*one),
                _ => return Err(no_closed_form()),
            }
        }
        open.sort_unstable();
        open.dedup();
        for col in open {
            let (lower, upper): (Vec<&Row>, Vec<&Row>) = rows.iter().filter(|r| r[col] != 0).partition(|r| r[col] > 0);
            for l in &lower {
                for u in &upper {
                    conds.push(self.between(scope, col, l, u)?);
                }
            }
        }
        Ok(all(conds))
    }

    /// Finds `0 <= u - a e <= a - 1`, which says `e = floor(u / a)`, and takes the two rows out. Not `exact`: finds
    /// `0 <= u - a e <= w` with a smaller `w` and leaves the second row there.
    fn find_floor(&mut self, exact: bool) -> Res<bool> {
        for k in 0..self.rows.len() {
            let [col] = self.open(&self.rows[k])[..] else {
                continue;
            };
            let a = self.rows[k][col];
            if a >= 0 {
                continue;
            }
            for o in 0..self.rows.len() {
                if self.rows[o][col] != -a {
                    continue;
                }
                let gap = combine(1, &self.rows[k], 1, &self.rows[o])?;
                let fits = if exact { gap[0] == -a - 1 } else { (0..-a).contains(&gap[0]) };
                if fits && gap[1..].iter().all(|&c| c == 0) {
                    let mut num = self.rows[k].clone();
                    num[col] = 0;
                    self.floors.push((col, num, -a));
                    let (first, second) = (k.min(o), k.max(o));
                    if exact || k == second {
                        self.rows.remove(second);
                    }
                    if exact || k == first {
                        self.rows.remove(first);
                    }
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// A row compared with zero, with what is subtracted on the other side.
    fn compared(&self, scope: &Scope, row: &[i64], with: fn(Expr, Expr) -> Cond) -> Cond {
        let left: Row = row.iter().map(|c| *c.max(&0)).collect();
        let right: Row = row.iter().map(|c| c.min(&0).saturating_neg()).collect();
        with(self.expr(scope, &left), self.expr(scope, &right))
    }

    /// A row as an expression, floors written out.
    fn expr(&self, scope: &Scope, row: &[i64]) -> Expr {
        let mut parts = vec![scope.affine(&row[..self.base])];
        for (col, num, den) in &self.floors {
            if row[*col] != 0 {
                parts.push(scaled(row[*col], self.floor(scope, num, *den)));
            }
        }
        sum(parts)
    }

    fn floor(&self, scope: &Scope, num: &[i64], den: i64) -> Expr {
        if num[self.base..].iter().all(|&c| c == 0) {
            return scope.floor(&num[..self.base], den);
        }
        Expr::FloorDiv(Box::new(self.expr(scope, num)), den)
    }

    /// There is an integer between the bounds that `l` (`a e + l >= 0`) and `u` (`u - b e >= 0`) give column `col`.
    fn between(&self, scope: &Scope, col: usize, l: &Row, u: &Row) -> Res<Cond> {
        let (a, b) = (l[col], -u[col]);
        let (mut l, mut u) = (l.clone(), u.clone());
        (l[col], u[col]) = (0, 0);
        let sum = combine(1, &l, 1, &u)?;
        if a == b && sum[1..].iter().all(|&c| c == 0) {
            // u - a e in 0..=w
            let rest = Expr::Mod(Box::new(self.expr(scope, &u)), a);
            return Ok(Cond::Ge(Expr::Int(sum[0]), rest));
        }
        let low = Expr::CeilDiv(Box::new(self.expr(scope, &negate(&l)?)), a);
        let high = Expr::FloorDiv(Box::new(self.expr(scope, &u)), b);
        Ok(Cond::Ge(high, low))
    }
}
