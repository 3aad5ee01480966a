//! Rows -> expressions and conditions, simplified while they are built.

use super::types::{Ast, Cond, Expr, If};
use crate::ids::IterId;
use presburger::rows::{Frac, Row, combine_exact, gcd};

/// What a level is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Name {
    /// It never occurs in rows: its value is substituted.
    Substituted,
    /// The iterator of a loop.
    Iter(IterId),
    /// `floor(num / den)` of parameters and outer levels, `den > 1`; no loop.
    Floor(Row, i64),
}

/// What the columns of a row are called: `[1 | params | T]`.
#[derive(Clone, Debug)]
pub(super) struct Scope {
    pub params: usize,
    pub levels: Vec<Name>,
}

impl Scope {
    fn column(&self, col: usize) -> Expr {
        if col <= self.params {
            return Expr::Param(col - 1);
        }
        match self.levels.get(col - 1 - self.params) {
            Some(Name::Iter(iter)) => Expr::Iter(*iter),
            Some(Name::Floor(num, den)) => self.floor(num, *den),
            Some(Name::Substituted) | None => Expr::Int(0),
        }
    }

    /// Takes `k * (num mod den)` out of a row, as `k * num - k * den * floor(num / den)`, if that leaves fewer terms.
    fn take_remainder(&self, row: &mut Row) -> Option<Expr> {
        for col in (self.params + 1..row.len()).rev().filter(|&c| row[c] != 0) {
            let Some(Name::Floor(num, den)) = self.levels.get(col - 1 - self.params) else { continue };
            if row[col] % den != 0 {
                continue;
            }
            let k = -(row[col] / den);
            let Ok(mut rest) = combine_exact(1, row, -k, num) else { continue };
            rest[col] = 0;
            let terms = |r: &Row| r[1..].iter().filter(|&&c| c != 0).count();
            if terms(&rest) < terms(row) {
                *row = rest;
                return Some(scaled(k, Expr::Mod(Box::new(self.affine(num)), *den)));
            }
        }
        None
    }

    /// The value of a row: iterators before parameters, the constant last, what is added before what is subtracted.
    pub fn affine(&self, row: &[i64]) -> Expr {
        let (mut row, mut remainders) = (row.to_vec(), Vec::new());
        while let Some(remainder) = self.take_remainder(&mut row) {
            remainders.push(remainder);
        }
        if remainders.is_empty() {
            return self.plain(&row);
        }
        remainders.push(self.plain(&row));
        sum(remainders)
    }

    fn plain(&self, row: &[i64]) -> Expr {
        let order = (self.params + 1..row.len()).chain(1..row.len().min(self.params + 1));
        let terms: Vec<(i64, usize)> = order.filter(|&c| row[c] != 0).map(|c| (row[c], c)).collect();
        let (plus, minus): (Vec<_>, Vec<_>) = terms.into_iter().partition(|&(k, _)| k > 0);
        let mut sum: Vec<Expr> = plus.into_iter().chain(minus).map(|(k, c)| scaled(k, self.column(c))).collect();
        if row[0] != 0 || sum.is_empty() {
            sum.push(Expr::Int(row[0]));
        }
        if sum.len() == 1 { sum.swap_remove(0) } else { Expr::Add(sum) }
    }

    /// `floor(row / den)`, den > 0.
    pub fn floor(&self, row: &[i64], den: i64) -> Expr {
        let (row, den) = shrink(row, den, i64::div_euclid);
        if den == 1 {
            return self.affine(&row);
        }
        Expr::FloorDiv(Box::new(self.affine(&row)), den)
    }

    /// `ceil(row / den)`, den > 0.
    pub fn ceil(&self, row: &[i64], den: i64) -> Expr {
        let up = |a: i64, g: i64| -((-a).div_euclid(g));
        let (row, den) = shrink(row, den, up);
        if den == 1 {
            return self.affine(&row);
        }
        Expr::CeilDiv(Box::new(self.affine(&row)), den)
    }

    /// An exact quotient.
    pub fn value(&self, f: &Frac) -> Expr {
        self.floor(&f.row, f.den)
    }

    /// `row >= 0`, with what is subtracted moved to the other side.
    pub fn at_least_zero(&self, row: &[i64]) -> Cond {
        let (mut row, mut plus, mut minus) = (row.to_vec(), Vec::new(), Vec::new());
        while let Some(remainder) = self.take_remainder(&mut row) {
            match remainder {
                Expr::Mul(k, e) if k < 0 => minus.push(scaled(k.saturating_neg(), *e)),
                e => plus.push(e),
            }
        }
        let (l, r) = self.sides(&row);
        let with = |mut remainders: Vec<Expr>, e: Expr| {
            remainders.push(e);
            sum(remainders)
        };
        Cond::Ge(with(plus, l), with(minus, r))
    }

    /// `row = 0`, the innermost variable alone on the left where it can be.
    pub fn equal_zero(&self, row: &[i64]) -> Cond {
        let mut row = row.to_vec();
        if let Some(last) = (1..row.len()).rev().find(|&c| row[c] != 0) {
            if row[last] < 0 {
                row.iter_mut().for_each(|c| *c = c.wrapping_neg());
            }
            if row[last] == 1 {
                row[last] = 0;
                row.iter_mut().for_each(|c| *c = c.wrapping_neg());
                return Cond::Eq(self.column(last), self.affine(&row));
            }
        }
        let (l, r) = self.sides(&row);
        Cond::Eq(l, r)
    }

    fn sides(&self, row: &[i64]) -> (Expr, Expr) {
        let left: Row = row.iter().map(|&c| c.max(0)).collect();
        let right: Row = row.iter().map(|&c| c.min(0).saturating_neg()).collect();
        (self.affine(&left), self.affine(&right))
    }

    /// `row = 0 mod modulus`.
    pub fn divisible(&self, row: &[i64], modulus: i64) -> Cond {
        let small: Row = row
            .iter()
            .map(|&c| {
                let r = c.rem_euclid(modulus);
                if r * 2 > modulus { r - modulus } else { r }
            })
            .collect();
        let first = small[1..].iter().find(|&&c| c != 0);
        let small = match first {
            Some(&c) if c < 0 => small.iter().map(|c| -c).collect(),
            _ => small,
        };
        Cond::Eq(Expr::Mod(Box::new(self.affine(&small)), modulus), Expr::Int(0))
    }
}

/// Takes the common factor of the coefficients and `den` out; `round` divides the constant.
fn shrink(row: &[i64], den: i64, round: impl Fn(i64, i64) -> i64) -> (Row, i64) {
    let g = row[1..].iter().fold(den, |g, &c| gcd(g, c));
    let mut out: Row = row.iter().map(|&c| c / g).collect();
    out[0] = round(row[0], g);
    (out, den / g)
}

/// `k * e`.
pub(super) fn scaled(k: i64, e: Expr) -> Expr {
    match (k, e) {
        (0, _) => Expr::Int(0),
        (1, e) => e,
        (k, Expr::Int(v)) if k.checked_mul(v).is_some() => Expr::Int(k * v),
        (k, e) => Expr::Mul(k, Box::new(e)),
    }
}

/// Sum of expressions; nested sums are flattened and constants added up.
pub(super) fn sum(parts: Vec<Expr>) -> Expr {
    let mut terms = Vec::new();
    let mut constant = 0i64;
    for p in parts {
        let inner = match p {
            Expr::Add(inner) => inner,
            other => vec![other],
        };
        for e in inner {
            match e {
                Expr::Int(v) if constant.checked_add(v).is_some() => constant += v,
                e => terms.push(e),
            }
        }
    }
    if constant != 0 || terms.is_empty() {
        terms.push(Expr::Int(constant));
    }
    if terms.len() == 1 { terms.swap_remove(0) } else { Expr::Add(terms) }
}

/// Smallest of the expressions (at least one); constants are folded, duplicates dropped.
pub(super) fn min(mut list: Vec<Expr>) -> Expr {
    list.retain(|e| *e != endless());
    extremum(list, i64::min, Expr::Min)
}

/// What is larger than any value: the smallest of no expressions.
pub(super) fn endless() -> Expr {
    Expr::Min(Vec::new())
}

/// Largest of the expressions (at least one); constants are folded, duplicates dropped.
pub(super) fn max(list: Vec<Expr>) -> Expr {
    extremum(list, i64::max, Expr::Max)
}

fn extremum(list: Vec<Expr>, fold: fn(i64, i64) -> i64, make: fn(Vec<Expr>) -> Expr) -> Expr {
    let mut out: Vec<Expr> = Vec::new();
    let mut constant: Option<i64> = None;
    for e in list {
        match e {
            Expr::Int(v) => constant = Some(constant.map_or(v, |c| fold(c, v))),
            e if !out.contains(&e) => out.push(e),
            _ => {}
        }
    }
    out.extend(constant.map(Expr::Int));
    if out.len() == 1 { out.swap_remove(0) } else { make(out) }
}

/// All of the conditions.
pub(super) fn all(conds: Vec<Cond>) -> Cond {
    let mut out = Vec::new();
    for c in conds {
        match c {
            Cond::True => {}
            Cond::False => return Cond::False,
            Cond::And(inner) => out.extend(inner),
            c => out.push(c),
        }
    }
    match out.len() {
        0 => Cond::True,
        1 => out.swap_remove(0),
        _ => Cond::And(out),
    }
}

/// One of the conditions.
pub(super) fn any(conds: Vec<Cond>) -> Cond {
    let mut out = Vec::new();
    for c in conds {
        match c {
            Cond::False => {}
            Cond::True => return Cond::True,
            Cond::Or(inner) => out.extend(inner),
            c => out.push(c),
        }
    }
    match out.len() {
        0 => Cond::False,
        1 => out.swap_remove(0),
        _ => Cond::Or(out),
    }
}

/// One after the other; flattened, neighbours under the same condition share it.
pub(super) fn block(parts: Vec<Ast>) -> Ast {
    let mut out: Vec<Ast> = Vec::new();
    let flat = parts.into_iter().flat_map(|p| match p {
        Ast::Block(inner) => inner,
        other => vec![other],
    });
    for p in flat {
        let merged = match (out.last_mut(), &p) {
            (Some(Ast::If(a)), Ast::If(b)) if a.cond == b.cond && a.otherwise.is_none() && b.otherwise.is_none() => {
                let first = std::mem::replace(&mut a.then, Ast::Block(Vec::new()));
                a.then = block(vec![first, b.then.clone()]);
                true
            }
            _ => false,
        };
        if !merged {
            out.push(p);
        }
    }
    if out.len() == 1 { out.swap_remove(0) } else { Ast::Block(out) }
}

/// `if (cond) then`, without the test if it is constant; nested tests are joined.
pub(super) fn guard(cond: Cond, then: Ast) -> Ast {
    match (cond, then) {
        (Cond::True, then) => then,
        (Cond::False, _) => Ast::Block(Vec::new()),
        (_, then) if is_nothing(&then) => then,
        (cond, Ast::If(inner)) if inner.otherwise.is_none() => {
            Ast::If(Box::new(If { cond: all(vec![cond, inner.cond]), then: inner.then, otherwise: None }))
        }
        (cond, then) => Ast::If(Box::new(If { cond, then, otherwise: None })),
    }
}

/// True iff nothing is executed.
pub(super) fn is_nothing(ast: &Ast) -> bool {
    matches!(ast, Ast::Block(b) if b.is_empty())
}
