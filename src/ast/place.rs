//! What holds at a place of an AST, questions about it, and forms as short expressions there.

use super::expr::{all, any, scaled, sum};
use super::forms::{Form, Known, Var};
use super::types::{Cond, Expr};
use crate::ids::IterId;
use presburger::Budget;

/// Steps that one question may take. It is answered "not known" beyond that.
const STEPS_PER_QUESTION: u64 = 20_000;
/// Conjunctions that a condition may consist of to be told apart by them.
const MOST_CASES: usize = 12;

/// Forms that are all at least 0.
pub(super) type Case = Vec<Form>;

/// See the module header.
#[derive(Default)]
pub(super) struct Place {
    known: Known,
    /// Of each list, one holds.
    choices: Vec<Vec<Case>>,
    /// Each is 0.
    zeros: Vec<Form>,
}

/// How much of a [`Place`] is known.
#[derive(Clone, Copy)]
pub(super) struct Mark(usize, usize, usize);

impl Place {
    /// A place to come back to by [`Place::forget`].
    pub fn mark(&self) -> Mark {
        Mark(self.known.mark(), self.choices.len(), self.zeros.len())
    }

    /// Forgets what was learned since.
    pub fn forget(&mut self, Mark(facts, choices, zeros): Mark) {
        self.known.forget(facts);
        self.choices.truncate(choices);
        self.zeros.truncate(zeros);
    }

    /// An expression as a form, with its constant quotients as numbers; `None` for minima and maxima, and for what does
    /// not fit.
    pub fn form(&mut self, e: &Expr) -> Option<Form> {
        let form = self.known.form(e)?;
        Some(self.settled(&form).unwrap_or(form))
    }

    /// A form in which quotients that are the same everywhere here are numbers.
    fn settled(&mut self, form: &Form) -> Option<Form> {
        let mut out = Form::constant(form.constant);
        for (var, c) in &form.terms {
            let term = match var {
                Var::Floor(at) => {
                    let (inner, d) = self.known.floors[*at].clone();
                    let inner = self.settled(&inner)?;
                    match self.known.ends(&inner, &[], &Budget::steps(STEPS_PER_QUESTION)) {
                        Ok([Some(least), Some(most)]) if least.div_euclid(d) == most.div_euclid(d) => {
                            Form::constant(least.div_euclid(d))
                        }
                        _ => self.known.floor(inner, d),
                    }
                }
                plain => Form::of(*plain),
            };
            out = out.plus(*c, &term)?;
        }
        Some(out)
    }

    /// Enters a loop.
    pub fn learn_loop(&mut self, iter: IterId, lower: &Expr, upper: &Expr, step: i64) {
        self.known.learn(iter, lower, upper);
        if step > 1
            && let Some(first) = self.known.form(lower)
            && let Some(gap) = Form::of(Var::Iter(iter)).plus(-1, &first)
        {
            let steps = self.known.floor(gap.clone(), step);
            let rest = gap.plus(-step, &steps).and_then(|rest| Form::constant(0).plus(-1, &rest));
            self.known.facts.extend(rest);
        }
    }

    /// Enters a branch with this condition.
    pub fn learn(&mut self, cond: &Cond) {
        if let Some(cases) = self.cases(cond) {
            self.learn_cases(cases);
        }
    }

    /// Enters a branch where this condition does not hold.
    pub fn learn_not(&mut self, cond: &Cond) {
        if let Some(cases) = self.cases_not(cond) {
            self.learn_cases(cases);
        }
    }

    /// Learns that one of the cases holds.
    pub fn learn_cases(&mut self, mut cases: Vec<Case>) {
        cases.retain(|case| !self.excludes(case));
        if let [only] = cases.as_slice() {
            for (k, form) in only.iter().enumerate() {
                if only[k + 1..].iter().any(|o| o.plus(1, form).is_some_and(|sum| sum.as_constant() == Some(0))) {
                    self.zeros.push(form.clone());
                }
            }
            self.known.facts.extend(cases.swap_remove(0));
        } else if !cases.is_empty() {
            self.choices.push(cases);
        }
    }

    /// The conjunctions of which one holds where the condition does; `None`: there are too many, or they are not
    /// affine.
    pub fn cases(&mut self, cond: &Cond) -> Option<Vec<Case>> {
        match cond {
            Cond::True => Some(vec![Vec::new()]),
            Cond::False => Some(Vec::new()),
            Cond::And(list) => list.iter().try_fold(vec![Vec::new()], |all, c| both(&all, &self.cases(c)?)),
            Cond::Or(list) => few(list.iter().map(|c| self.cases(c)).collect::<Option<Vec<_>>>()?.concat()),
            Cond::Not(c) => self.cases_not(c),
            Cond::Ge(l, r) => self.at_least(l, r),
            Cond::Eq(l, r) => both(&self.at_least(l, r)?, &self.at_least(r, l)?),
        }
    }

    /// The same where it does not.
    pub fn cases_not(&mut self, cond: &Cond) -> Option<Vec<Case>> {
        match cond {
            Cond::True => Some(Vec::new()),
            Cond::False => Some(vec![Vec::new()]),
            Cond::And(list) => few(list.iter().map(|c| self.cases_not(c)).collect::<Option<Vec<_>>>()?.concat()),
            Cond::Or(list) => list.iter().try_fold(vec![Vec::new()], |all, c| both(&all, &self.cases_not(c)?)),
            Cond::Not(c) => self.cases(c),
            Cond::Ge(l, r) => self.above(r, l),
            Cond::Eq(l, r) => few([self.above(l, r)?, self.above(r, l)?].concat()),
        }
    }

    /// `l > r`.
    fn above(&mut self, l: &Expr, r: &Expr) -> Option<Vec<Case>> {
        let mut cases = self.at_least(l, r)?;
        for form in cases.iter_mut().flatten() {
            *form = form.plus(-1, &Form::constant(1))?;
        }
        Some(cases)
    }

    /// `l >= r`.
    fn at_least(&mut self, l: &Expr, r: &Expr) -> Option<Vec<Case>> {
        match (l, r) {
            (Expr::Min(of), r) => of.iter().try_fold(vec![Vec::new()], |all, l| both(&all, &self.at_least(l, r)?)),
            (l, Expr::Max(of)) => of.iter().try_fold(vec![Vec::new()], |all, r| both(&all, &self.at_least(l, r)?)),
            (Expr::Max(of), r) => few(of.iter().map(|l| self.at_least(l, r)).collect::<Option<Vec<_>>>()?.concat()),
            (l, Expr::Min(of)) => few(of.iter().map(|r| self.at_least(l, r)).collect::<Option<Vec<_>>>()?.concat()),
            (l, r) => {
                let (l, r) = (self.known.form(l)?, self.known.form(r)?);
                Some(vec![vec![l.plus(-1, &r)?]])
            }
        }
    }

    /// Whether these forms are proved to be nowhere all at least 0.
    pub fn excludes(&self, case: &[Form]) -> bool {
        let none = |forms: &[Form]| {
            forms.iter().any(|f| f.as_constant().is_some_and(|v| v < 0))
                || self.known.excludes(forms, &Budget::steps(STEPS_PER_QUESTION)) == Ok(true)
        };
        none(case) || self.choices.iter().any(|list| list.iter().all(|own| none(&[own, case].concat())))
    }

    /// The smallest and the largest value of a quantity here, where these forms are at least 0 and there are such.
    fn ends(&self, var: Var, case: &[Form]) -> [Option<i64>; 2] {
        self.known.ends(&Form::of(var), case, &Budget::steps(STEPS_PER_QUESTION)).unwrap_or([None, None])
    }

    /// Bounds of one quantity that hold here where, and only where, the condition does.
    pub fn as_bounds(&mut self, cond: &Cond) -> Option<Cond> {
        let Ok([case]) = <[Case; 1]>::try_from(self.cases(cond)?) else { return None };
        for var in self.known.quantities(&case) {
            let (inside, around) = (self.ends(var, &case), self.ends(var, &[]));
            let bound = |k: usize, with: &dyn Fn(Expr) -> Cond| {
                let end = inside[k].filter(|_| inside[k] != around[k])?;
                Some(with(Expr::Int(end)))
            };
            let own = || self.expr(&Form::of(var));
            let bounds = [bound(0, &|e| Cond::Ge(own(), e)), bound(1, &|e| Cond::Ge(e, own()))];
            let bounds = all(bounds.into_iter().flatten().collect());
            if bounds.operators() == 0 || bounds.operators() >= cond.operators() {
                continue;
            }
            let mark = self.mark();
            self.learn(&bounds);
            let same = self.implies(cond);
            self.forget(mark);
            if same {
                return Some(bounds);
            }
        }
        None
    }

    /// Whether a condition is proved to hold here.
    pub fn implies(&mut self, cond: &Cond) -> bool {
        self.cases_not(cond).is_some_and(|cases| cases.iter().all(|case| self.excludes(case)))
    }

    /// Whether a condition is proved to hold nowhere here.
    pub fn denies(&mut self, cond: &Cond) -> bool {
        self.cases(cond).is_some_and(|cases| cases.iter().all(|case| self.excludes(case)))
    }

    /// Whether one of two forms is proved to be nowhere below the other.
    pub fn is_at_least(&self, a: &Form, b: &Form) -> bool {
        let below = b.plus(-1, a).and_then(|gap| gap.plus(-1, &Form::constant(1)));
        below.is_some_and(|below| self.excludes(&[below]))
    }

    /// The shortest expression found of a form's value.
    pub fn shortest(&self, form: &Form) -> Expr {
        let mut best = (form.clone(), self.expr(form));
        loop {
            let mut next = None;
            for zero in &self.zeros {
                for (var, by) in &zero.terms {
                    let Some(c) = best.0.terms.get(var).filter(|c| *c % by == 0) else { continue };
                    let Some(other) = best.0.plus(-(c / by), zero) else { continue };
                    let e = self.expr(&other);
                    if e.operators() < next.as_ref().map_or(best.1.operators(), |(_, n): &(Form, Expr)| n.operators()) {
                        next = Some((other, e));
                    }
                }
            }
            match next {
                Some(shorter) => best = shorter,
                None => return best.1,
            }
        }
    }

    /// An expression of a form's value, remainders written as such.
    pub fn expr(&self, form: &Form) -> Expr {
        let (mut parts, rest) = self.remainders(form);
        parts.push(self.plain(&rest));
        sum(parts)
    }

    /// Multiples of remainders taken out of a form, as long as that makes it shorter, and what is left.
    fn remainders(&self, form: &Form) -> (Vec<Expr>, Form) {
        let (mut rest, mut parts) = (form.clone(), Vec::new());
        let mut open: Vec<usize> =
            rest.terms.keys().filter_map(|v| if let Var::Floor(at) = v { Some(*at) } else { None }).collect();
        while let Some(at) = open.pop() {
            let (inner, d) = &self.known.floors[at];
            let Some(c) = rest.terms.get(&Var::Floor(at)).filter(|c| *c % d == 0).copied() else { continue };
            let by = -(c / d);
            let taken = inner.plus(-d, &Form::of(Var::Floor(at))).and_then(|own| rest.plus(-by, &own));
            let Some(less) = taken else { continue };
            let near = if inner.constant > d / 2 { inner.plus(1, &Form::constant(-d)) } else { None };
            let part = scaled(by, Expr::Mod(Box::new(self.expr(near.as_ref().unwrap_or(inner))), *d));
            if part.operators() + self.plain(&less).operators() < self.plain(&rest).operators() {
                parts.push(part);
                rest = less;
            }
        }
        (parts, rest)
    }

    /// Iterators before parameters, the constant last or inside of a quotient, what is added before what is subtracted.
    fn plain(&self, form: &Form) -> Expr {
        let mut best = self.listed(form, None);
        for (var, c) in form.terms.iter().filter(|(_, c)| form.constant != 0 && form.constant % **c == 0) {
            let Var::Floor(at) = var else { continue };
            let (inner, d) = &self.known.floors[*at];
            let more = (form.constant / c).checked_mul(*d).and_then(|m| inner.plus(1, &Form::constant(m)));
            if let Some(inner) = more {
                let other = self.listed(form, Some((*at, &inner)));
                best = if other.operators() < best.operators() { other } else { best };
            }
        }
        best
    }

    /// The same; `holder`: the quotient that the constant is a part of, and what is divided for it.
    fn listed(&self, form: &Form, holder: Option<(usize, &Form)>) -> Expr {
        let mut terms: Vec<(bool, u8, u32, Expr)> = Vec::new();
        for (var, c) in &form.terms {
            let (c, order, e) = match var {
                Var::Param(k) => (*c, (2, u32::try_from(*k).unwrap_or(0)), Expr::Param(*k)),
                Var::Iter(i) => (*c, (1, i.0), Expr::Iter(*i)),
                Var::Floor(at) => {
                    let (inner, d) = &self.known.floors[*at];
                    let inner = holder.filter(|h| h.0 == *at).map_or(inner, |h| h.1);
                    let (c, e) = self.quotient(inner, *d, *c);
                    (c, (0, 0), e)
                }
            };
            terms.push((c < 0, order.0, order.1, scaled(c, e)));
        }
        terms.sort_by_key(|(minus, kind, number, _)| (*minus, *kind, *number));
        let mut parts: Vec<Expr> = terms.into_iter().map(|t| t.3).collect();
        parts.push(Expr::Int(if holder.is_none() { form.constant } else { 0 }));
        sum(parts)
    }

    /// A multiple of a quotient, rounded up where that is shorter.
    fn quotient(&self, inner: &Form, d: i64, c: i64) -> (i64, Expr) {
        let down = self.expr(inner);
        if let Some(up) = Form::constant(0).plus(-1, inner) {
            let up = self.expr(&up);
            let minus = |c: i64| usize::from(c < 0);
            if minus(c.saturating_neg()) + up.operators() < minus(c) + down.operators() {
                return (c.saturating_neg(), Expr::CeilDiv(Box::new(up), d));
            }
        }
        (c, Expr::FloorDiv(Box::new(down), d))
    }

    /// A form compared with 0, with what is subtracted on the other side.
    pub fn compared(&self, form: &Form, with: fn(Expr, Expr) -> Cond) -> Cond {
        let (parts, rest) = self.remainders(form);
        let side = |sign: i64| {
            let terms = rest.terms.iter().filter(|(_, c)| c.signum() == sign).map(|(v, c)| (*v, c * sign)).collect();
            Form { terms, constant: (rest.constant * sign).max(0) }
        };
        let (mut left, mut right) = (Vec::new(), Vec::new());
        for part in parts {
            match part {
                Expr::Mul(k, e) if k < 0 => right.push(scaled(-k, *e)),
                e => left.push(e),
            }
        }
        left.push(self.plain(&side(1)));
        right.push(self.plain(&side(-1)));
        with(sum(left), sum(right))
    }

    /// The forms that are 0, for a form to be written in other words.
    pub fn rewritten(&self, form: &Form) -> Vec<Form> {
        let mut out = vec![form.clone()];
        for zero in &self.zeros {
            for (var, by) in &zero.terms {
                let Some(c) = form.terms.get(var).filter(|c| *c % by == 0) else { continue };
                out.extend(form.plus(-(c / by), zero));
            }
        }
        out
    }
}

/// Every conjunction of one with one of the others.
fn both(a: &[Case], b: &[Case]) -> Option<Vec<Case>> {
    few(a.iter().flat_map(|x| b.iter().map(move |y| [x.as_slice(), y].concat())).collect())
}

fn few(cases: Vec<Case>) -> Option<Vec<Case>> {
    (cases.len() <= MOST_CASES).then_some(cases)
}

/// The conditions one by one of which all must hold.
pub(super) fn conjuncts(cond: Cond) -> Vec<Cond> {
    match all(vec![cond]) {
        Cond::True => Vec::new(),
        Cond::And(list) => list,
        one => vec![one],
    }
}

/// The same of which one must hold.
pub(super) fn disjuncts(cond: Cond) -> Vec<Cond> {
    match any(vec![cond]) {
        Cond::False => Vec::new(),
        Cond::Or(list) => list,
        one => vec![one],
    }
}
