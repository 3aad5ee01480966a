//! Affine forms of AST expressions, and what the loops around a place say of them.
//!
//! Everything here is about integers, not machine words: the AST's expressions do not overflow (see `ast::types`).

use super::types::Expr;
use crate::ids::IterId;
use crate::model::{Access, Scop};
use presburger::{Aff, BasicSet, Bound, Budget, Error, Kind, Space};
use std::collections::{BTreeMap, BTreeSet};

/// A quantity of a [`Form`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Var {
    Param(usize),
    Iter(IterId),
    /// By position in [`Known::floors`].
    Floor(usize),
}

/// Sum of integers times quantities, and a constant. No zero coefficient is kept: equal means same.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Form {
    pub(super) terms: BTreeMap<Var, i64>,
    pub(super) constant: i64,
}

impl Form {
    /// A number.
    #[must_use]
    pub fn constant(value: i64) -> Self {
        Self { terms: BTreeMap::new(), constant: value }
    }

    /// One quantity.
    pub(super) fn of(var: Var) -> Self {
        Self { terms: BTreeMap::from([(var, 1)]), constant: 0 }
    }

    /// A parameter, by column.
    #[must_use]
    pub fn param(column: usize) -> Self {
        Self { terms: BTreeMap::from([(Var::Param(column), 1)]), constant: 0 }
    }

    /// Its value, if it is the same everywhere.
    #[must_use]
    pub fn as_constant(&self) -> Option<i64> {
        self.terms.is_empty().then_some(self.constant)
    }

    /// What is left without the constant, and the constant.
    #[must_use]
    pub fn split_constant(&self) -> (Self, i64) {
        (Self { terms: self.terms.clone(), constant: 0 }, self.constant)
    }

    /// `self + by * other`; `None` on overflow.
    #[must_use]
    pub fn plus(&self, by: i64, other: &Self) -> Option<Self> {
        let mut sum = self.clone();
        sum.constant = sum.constant.checked_add(by.checked_mul(other.constant)?)?;
        for (&var, c) in &other.terms {
            let entry = sum.terms.entry(var).or_insert(0);
            *entry = entry.checked_add(by.checked_mul(*c)?)?;
        }
        sum.terms.retain(|_, c| *c != 0);
        Some(sum)
    }

    /// A form `q` and a form with coefficients from `-d / 2` to `d / 2` and a constant from 0 to `d - 1`, `self` being
    /// `d q` and that one; `None` on overflow.
    fn divided(&self, d: i64) -> Option<(Self, Self)> {
        let mut whole = Form::constant(self.constant.div_euclid(d));
        for (&var, c) in &self.terms {
            let rest = c.rem_euclid(d);
            let rest = if rest > d / 2 { rest - d } else { rest };
            if *c != rest {
                whole.terms.insert(var, c.checked_sub(rest)? / d);
            }
        }
        let rest = self.plus(d.checked_neg()?, &whole)?;
        Some((whole, rest))
    }
}

/// The subscripts of an access of a statement instance with these values of its dims, where they are affine.
pub fn element(known: &mut Known, scop: &Scop, access: &Access, args: &[Expr]) -> Option<Vec<Form>> {
    let params = scop.params.len();
    let args = args.iter().map(|a| known.form(a)).collect::<Option<Vec<Form>>>()?;
    let form = |row: Vec<i64>| {
        let mut sum = Form::constant(row[row.len() - 1]);
        for (k, c) in row[..params].iter().enumerate() {
            sum = sum.plus(*c, &Form::param(k))?;
        }
        for (arg, c) in args.iter().zip(&row[params..]) {
            sum = sum.plus(*c, arg)?;
        }
        Some(sum)
    };
    access.subscripts()?.into_iter().map(form).collect()
}

/// What holds at a place of the AST.
#[derive(Default)]
pub struct Known {
    /// Each the quotient, rounded down, of a form by a number.
    pub(super) floors: Vec<(Form, i64)>,
    /// Each is `>= 0`.
    pub(super) facts: Vec<Form>,
}

impl Known {
    /// A place to come back to by [`Known::forget`].
    #[must_use]
    pub fn mark(&self) -> usize {
        self.facts.len()
    }

    /// Forgets the loops entered since `mark`.
    pub fn forget(&mut self, mark: usize) {
        self.facts.truncate(mark);
    }

    /// Enters a loop of `iter` from `lower` to `upper`, both inclusive. What is not affine is not learned.
    pub fn learn(&mut self, iter: IterId, lower: &Expr, upper: &Expr) {
        let own = Form { terms: BTreeMap::from([(Var::Iter(iter), 1)]), constant: 0 };
        let lowers = if let Expr::Max(of) = lower { of.as_slice() } else { std::slice::from_ref(lower) };
        for l in lowers {
            let fact = self.form(l).and_then(|l| own.plus(-1, &l));
            self.facts.extend(fact);
        }
        let uppers = if let Expr::Min(of) = upper { of.as_slice() } else { std::slice::from_ref(upper) };
        for u in uppers {
            let fact = self.form(u).and_then(|u| u.plus(-1, &own));
            self.facts.extend(fact);
        }
    }

    /// An expression as a form; `None` for minima, maxima and what does not fit.
    pub fn form(&mut self, e: &Expr) -> Option<Form> {
        let single = |var| Form { terms: BTreeMap::from([(var, 1)]), constant: 0 };
        match e {
            Expr::Int(v) => Some(Form::constant(*v)),
            Expr::Param(k) => Some(single(Var::Param(*k))),
            Expr::Iter(i) => Some(single(Var::Iter(*i))),
            Expr::Add(of) => {
                let mut sum = Form::default();
                for e in of {
                    sum = sum.plus(1, &self.form(e)?)?;
                }
                Some(sum)
            }
            Expr::Mul(by, e) => Form::default().plus(*by, &self.form(e)?),
            Expr::FloorDiv(e, d) => {
                let inner = self.form(e)?;
                Some(self.floor(inner, *d))
            }
            Expr::CeilDiv(e, d) => {
                let inner = Form::default().plus(-1, &self.form(e)?)?;
                Form::default().plus(-1, &self.floor(inner, *d))
            }
            Expr::Mod(e, d) => {
                let inner = self.form(e)?;
                inner.clone().plus(-d, &self.floor(inner, *d))
            }
            Expr::Min(_) | Expr::Max(_) => None,
        }
    }

    /// `floor(inner / d)`, multiples of `d` taken out: what is the same is the same form.
    pub(super) fn floor(&mut self, inner: Form, d: i64) -> Form {
        let (whole, inner) = inner.divided(d).unwrap_or((Form::default(), inner));
        if inner.terms.is_empty() {
            return whole;
        }
        let at = self.floors.iter().position(|f| f.0 == inner && f.1 == d).unwrap_or_else(|| {
            self.floors.push((inner, d));
            self.floors.len() - 1
        });
        whole.plus(1, &Form::of(Var::Floor(at))).unwrap_or_else(|| Form::of(Var::Floor(at)))
    }

    /// Whether `form` depends on `iter`.
    #[must_use]
    pub fn moves(&self, form: &Form, iter: IterId) -> bool {
        form.terms.keys().any(|v| match v {
            Var::Param(_) => false,
            Var::Iter(i) => *i == iter,
            Var::Floor(at) => self.moves(&self.floors[*at].0, iter),
        })
    }

    /// Change of the value when `iter` grows by 1, where that is a constant.
    #[must_use]
    pub fn slope(&self, form: &Form, iter: IterId) -> Option<i64> {
        let by_floors = form.terms.keys().any(|v| matches!(v, Var::Floor(at) if self.moves(&self.floors[*at].0, iter)));
        let own = form.terms.get(&Var::Iter(iter)).copied().unwrap_or(0);
        (!by_floors).then_some(own)
    }

    /// Whether the loops around prove that the value of `form` is never 0.
    ///
    /// # Errors
    /// The budget is spent, or a number does not fit.
    pub fn is_never_zero(&self, form: &Form, budget: &Budget) -> Result<bool, Error> {
        match form.as_constant() {
            Some(value) => Ok(value != 0),
            None => self.never_holds(Kind::Eq, form, budget),
        }
    }

    /// Whether the loops around prove that the value of `form` is never below 0.
    ///
    /// # Errors
    /// The budget is spent, or a number does not fit.
    pub fn is_never_negative(&self, form: &Form, budget: &Budget) -> Result<bool, Error> {
        let below = Form::constant(-1).plus(-1, form).ok_or(Error::Overflow)?;
        match form.as_constant() {
            Some(value) => Ok(value >= 0),
            None => self.never_holds(Kind::Ge, &below, budget),
        }
    }

    /// Whether a form is nowhere of this kind, by the loops around.
    fn never_holds(&self, kind: Kind, form: &Form, budget: &Budget) -> Result<bool, Error> {
        let (mut set, columns) = self.points(std::slice::from_ref(form))?;
        set.add(kind, &row_of(form, &columns));
        set.is_empty(budget)
    }

    /// Whether the loops around prove that forms are nowhere all at least 0.
    ///
    /// # Errors
    /// The budget is spent, or a number does not fit.
    pub(super) fn excludes(&self, forms: &[Form], budget: &Budget) -> Result<bool, Error> {
        let (mut set, columns) = self.points(forms)?;
        forms.iter().for_each(|f| set.add(Kind::Ge, &row_of(f, &columns)));
        set.is_empty(budget)
    }

    /// Smallest and largest value of a form, where there are such and these are at least 0.
    ///
    /// # Errors
    /// The budget is spent, or a number does not fit.
    pub(super) fn ends(&self, form: &Form, given: &[Form], budget: &Budget) -> Result<[Option<i64>; 2], Error> {
        let forms: Vec<Form> = given.iter().chain([form]).cloned().collect();
        let (mut set, columns) = self.points(&forms)?;
        given.iter().for_each(|f| set.add(Kind::Ge, &row_of(f, &columns)));
        let value = Aff::from_row(set.space(), &row_of(form, &columns));
        let set = set.into_set();
        let end = |bound: Bound| if let Bound::Value(value) = bound { Some(value) } else { None };
        Ok([end(set.min_of(&value, budget)?), end(set.max_of(&value, budget)?)])
    }

    /// The parameters and iterators that forms depend on.
    pub(super) fn quantities(&self, forms: &[Form]) -> BTreeSet<Var> {
        let mut found = BTreeSet::new();
        let mut open: Vec<&Form> = forms.iter().collect();
        while let Some(form) = open.pop() {
            for var in form.terms.keys() {
                match var {
                    Var::Floor(at) => open.push(&self.floors[*at].0),
                    plain => drop(found.insert(*plain)),
                }
            }
        }
        found
    }

    /// The values that what occurs in facts and in these forms may have, and the dim of each.
    fn points(&self, forms: &[Form]) -> Result<(BasicSet, BTreeMap<Var, usize>), Error> {
        let mut columns: BTreeMap<Var, usize> = BTreeMap::new();
        let mut open: Vec<&Form> = self.facts.iter().chain(forms).collect();
        while let Some(form) = open.pop() {
            for var in form.terms.keys() {
                let next = columns.len();
                if *columns.entry(*var).or_insert(next) == next
                    && let Var::Floor(at) = var
                {
                    open.push(&self.floors[*at].0);
                }
            }
        }
        let floors: Vec<usize> =
            columns.keys().filter_map(|v| if let Var::Floor(at) = v { Some(*at) } else { None }).collect();
        let mut set = BasicSet::universe(Space::set(&[], "", columns.len()));
        for fact in &self.facts {
            set.add(Kind::Ge, &row_of(fact, &columns));
        }
        for at in floors {
            let (inner, d) = &self.floors[at];
            // 0 <= inner - d q <= d - 1
            let q = Form { terms: BTreeMap::from([(Var::Floor(at), 1)]), constant: 0 };
            let rest = inner.plus(-d, &q).ok_or(Error::Overflow)?;
            let left = Form::constant(d - 1).plus(-1, &rest).ok_or(Error::Overflow)?;
            set.add(Kind::Ge, &row_of(&rest, &columns));
            set.add(Kind::Ge, &row_of(&left, &columns));
        }
        Ok((set, columns))
    }
}

/// A form as the row of a set with a dim for each quantity.
fn row_of(form: &Form, columns: &BTreeMap<Var, usize>) -> Vec<i64> {
    let mut row = vec![0; columns.len() + 1];
    for (var, c) in &form.terms {
        row[columns[var]] = *c;
    }
    row[columns.len()] = form.constant;
    row
}

#[cfg(test)]
mod tests {
    use super::*;

    fn iter(k: u32) -> Expr {
        Expr::Iter(IterId(k))
    }

    fn difference(known: &mut Known, a: &Expr, b: &Expr) -> Form {
        let (a, b) = (known.form(a).expect("affine"), known.form(b).expect("affine"));
        a.plus(-1, &b).expect("small")
    }

    #[test]
    fn a_loop_below_another_never_meets_it() {
        let mut known = Known::default();
        known.learn(IterId(0), &Expr::Int(0), &Expr::Int(99));
        let below = Expr::Add(vec![iter(0), Expr::Int(-1)]);
        known.learn(IterId(1), &Expr::Int(0), &below);
        let d = difference(&mut known, &iter(1), &iter(0));
        assert_eq!(known.is_never_zero(&d, &Budget::steps(2_000)), Ok(true));
        let e = difference(&mut known, &Expr::Add(vec![iter(1), Expr::Int(1)]), &iter(0));
        assert_eq!(known.is_never_zero(&e, &Budget::steps(2_000)), Ok(false), "i1 = i0 - 1 meets it");
    }

    #[test]
    fn tiles_below_other_tiles_never_meet_them() {
        // c1 in 0..=9, c2 in 0..=floor((c1 - 8) / 8), j in 16 c1 .. + 15, k in 128 c2 .. + 127: k < j.
        let mut known = Known::default();
        known.learn(IterId(1), &Expr::Int(0), &Expr::Int(124));
        let upper = Expr::FloorDiv(Box::new(Expr::Add(vec![iter(1), Expr::Int(-8)])), 8);
        known.learn(IterId(2), &Expr::Int(0), &upper);
        let tile = |size: i64, of: u32, last: i64| {
            let first = Expr::Mul(size, Box::new(iter(of)));
            (first.clone(), Expr::Add(vec![first, Expr::Int(last)]))
        };
        let (first, last) = tile(16, 1, 15);
        known.learn(IterId(3), &first, &last);
        let (first, last) = tile(128, 2, 127);
        known.learn(IterId(4), &first, &last);
        let d = difference(&mut known, &iter(3), &iter(4));
        assert_eq!(known.is_never_zero(&d, &Budget::steps(2_000)), Ok(true));
        known.forget(0);
        assert_eq!(known.is_never_zero(&d, &Budget::steps(2_000)), Ok(false), "nothing is known any more");
    }

    #[test]
    fn minima_are_learned_piece_by_piece() {
        let mut known = Known::default();
        known.learn(IterId(0), &Expr::Int(5), &Expr::Min(vec![Expr::Param(0), Expr::Int(7)]));
        let d = difference(&mut known, &iter(0), &Expr::Int(8));
        assert_eq!(known.is_never_zero(&d, &Budget::steps(2_000)), Ok(true));
        let p = difference(&mut known, &iter(0), &Expr::Add(vec![Expr::Param(0), Expr::Int(1)]));
        assert_eq!(known.is_never_zero(&p, &Budget::steps(2_000)), Ok(true));
        assert!(known.form(&Expr::Min(vec![iter(0), Expr::Int(1)])).is_none());
        let moving = known.form(&Expr::FloorDiv(Box::new(iter(0)), 2)).expect("affine");
        assert!(known.moves(&moving, IterId(0)) && !known.moves(&moving, IterId(1)));
    }
}
