//! Shorter loops for readers: what the context, the loops and the tests around a place imply is not written again.
//!
//! In:  an AST and what holds of the parameters. Out: an AST that runs the same instances in the same order wherever
//! that holds. Each step keeps what it cannot prove; what is not affine stays as it is.
//! - tests that always or never hold, and parts of them; bounds that others imply; quotients that are one number;
//! - loops of one iteration become its body, conditions on an iterator its bounds, other ones go outside of the loop;
//! - tests that exclude each other become branches of one, of which the later ones only ask what is open then;
//! - values are written with what is known to be equal, where that is shorter.

use super::expr::{all, any, block, guard, is_nothing, max, min, sum};
use super::forms::{Form, Var};
use super::place::{Place, conjuncts, disjuncts};
use super::types::{Ast, Cond, Expr, For, If};
use crate::ids::IterId;
use presburger::{Kind, Set};

/// See the module header; `given` holds of the parameters.
#[must_use]
pub fn gist(ast: &Ast, given: &Set) -> Ast {
    let mut place = Place::default();
    if let [only] = given.basics()
        && let Ok(rows) = only.rows_i64()
    {
        let params = only.space().n_param();
        for (kind, row) in rows.iter().filter(|(_, r)| r[params..r.len() - 1].iter().all(|c| *c == 0)) {
            let terms = (0..params).filter(|k| row[*k] != 0).map(|k| (Var::Param(k), row[k])).collect();
            let form = Form { terms, constant: row[row.len() - 1] };
            let opposite = Form::constant(0).plus(-1, &form).filter(|_| *kind == Kind::Eq);
            place.learn_cases(vec![[form].into_iter().chain(opposite).collect()]);
        }
    }
    let mut gist = Gist { place };
    let mut best = gist.ast(ast);
    loop {
        let next = gist.ast(&best);
        if next.operators() >= best.operators() {
            return best;
        }
        best = next;
    }
}

struct Gist {
    place: Place,
}

impl Gist {
    fn ast(&mut self, ast: &Ast) -> Ast {
        match ast {
            Ast::Block(parts) => {
                let parts = parts.iter().map(|p| self.ast(p)).collect();
                self.branches(block(parts))
            }
            Ast::If(i) => self.test(i),
            Ast::For(f) => self.for_(f),
            Ast::Stmt { id, args } => Ast::Stmt { id: *id, args: args.iter().map(|a| self.expr(a)).collect() },
        }
    }

    fn test(&mut self, i: &If) -> Ast {
        let cond = self.cond(&i.cond);
        let nothing = Ast::Block(Vec::new());
        let otherwise = i.otherwise.as_ref().unwrap_or(&nothing);
        match cond {
            Cond::True => return self.ast(&i.then),
            Cond::False => return self.ast(otherwise),
            _ => {}
        }
        let mark = self.place.mark();
        self.place.learn(&cond);
        let then = self.ast(&i.then);
        self.place.forget(mark);
        self.place.learn_not(&cond);
        let otherwise = self.ast(otherwise);
        self.place.forget(mark);
        match then {
            // What is asked inside may make what is asked around it simpler.
            Ast::If(inner) if is_nothing(&otherwise) && inner.otherwise.is_none() => {
                let both = self.cond(&all(vec![cond, inner.cond]));
                guard(both, inner.then)
            }
            then => branch(cond, then, otherwise),
        }
    }

    fn for_(&mut self, f: &For) -> Ast {
        let mut made = For { lower: self.expr(&f.lower), upper: self.expr(&f.upper), ..f.clone() };
        let runs = Cond::Ge(made.upper.clone(), made.lower.clone());
        if self.place.denies(&runs) {
            return Ast::Block(Vec::new());
        }
        let mark = self.place.mark();
        self.place.learn_loop(made.iter, &made.lower, &made.upper, made.step);
        made.body = self.ast(&f.body);
        self.place.forget(mark);
        if is_nothing(&made.body) {
            return made.body;
        }
        let (outside, narrowed) = self.with_tests(&made);
        if !outside.is_empty() || narrowed != made {
            // What is outside now may make bounds and tests simpler.
            let again =
                Ast::If(Box::new(If { cond: all(outside), then: Ast::For(Box::new(narrowed)), otherwise: None }));
            let again = self.ast(&again);
            if again.operators() <= made.operators() {
                return again;
            }
        }
        let made = made;
        match self.once(&made) {
            Some(once) if once.operators() < made.operators() => once,
            _ => Ast::For(Box::new(made)),
        }
    }

    /// The parts of a test around the whole body of a loop that do not depend on its iterator, and the loop with those
    /// parts as bounds that bound it.
    fn with_tests(&mut self, f: &For) -> (Vec<Cond>, For) {
        let Ast::If(test) = &f.body else { return (Vec::new(), f.clone()) };
        if test.otherwise.is_some() {
            return (Vec::new(), f.clone());
        }
        let (inside, outside): (Vec<Cond>, Vec<Cond>) =
            conjuncts(test.cond.clone()).into_iter().partition(|c| c.mentions(f.iter));
        let (mut lower, mut upper, mut left) = (vec![f.lower.clone()], vec![f.upper.clone()], Vec::new());
        for cond in inside {
            match self.bound(&cond, f.iter) {
                Some((1, bound)) if f.step == 1 => lower.push(bound),
                Some((-1, bound)) => upper.push(bound),
                _ => left.push(cond),
            }
        }
        let body = guard(all(left), test.then.clone());
        (outside, For { lower: joined(max, lower), upper: joined(min, upper), body, ..f.clone() })
    }

    /// The bound that a condition is for an iterator, with 1 for a lower and -1 for an upper one.
    fn bound(&mut self, cond: &Cond, iter: IterId) -> Option<(i64, Expr)> {
        let Cond::Ge(l, r) = cond else { return None };
        let form = self.place.form(l)?.plus(-1, &self.place.form(r)?)?;
        let own = Var::Iter(iter);
        let sign = *form.terms.get(&own).filter(|c| c.abs() == 1)?;
        let rest = form.plus(-sign, &Form::of(own))?;
        let bound = self.place.shortest(&Form::constant(0).plus(-sign, &rest)?);
        (!bound.mentions(iter)).then_some((sign, bound))
    }

    /// What a loop does that runs at most once.
    fn once(&mut self, f: &For) -> Option<Ast> {
        let first = self.place.form(&f.lower)?;
        let uppers = if let Expr::Min(of) = &f.upper { of.as_slice() } else { std::slice::from_ref(&f.upper) };
        let mut least = false;
        for u in uppers {
            let second = self.place.form(u).and_then(|u| u.plus(-1, &first)?.plus(-f.step, &Form::constant(1)));
            least = least || second.is_some_and(|s| self.place.excludes(&[s]));
        }
        if !least {
            return None;
        }
        let cond = Cond::Ge(f.upper.clone(), f.lower.clone());
        let mark = self.place.mark();
        self.place.learn(&cond);
        // The last value is the first one too.
        let values =
            uppers.iter().filter(|u| f.step == 1 && self.place.implies(&Cond::Eq((*u).clone(), f.lower.clone())));
        let value = values.chain([&f.lower]).min_by_key(|e| e.operators()).cloned();
        self.place.forget(mark);
        let then = replaced(&f.body, f.iter, &value?);
        Some(self.ast(&Ast::If(Box::new(If { cond, then, otherwise: None }))))
    }

    fn cond(&mut self, cond: &Cond) -> Cond {
        if self.place.implies(cond) {
            return Cond::True;
        }
        if self.place.denies(cond) {
            return Cond::False;
        }
        if let Some(bounds) = self.place.as_bounds(cond) {
            return bounds;
        }
        match cond {
            Cond::And(list) => {
                let list = list.iter().cloned().flat_map(conjuncts).collect();
                all(self.one_by_one(list, |place, others| others.iter().for_each(|c| place.learn(c))))
            }
            Cond::Or(list) => {
                let list = list.iter().cloned().flat_map(disjuncts).collect();
                any(self.one_by_one(list, |place, others| others.iter().for_each(|c| place.learn_not(c))))
            }
            Cond::Ge(l, r) => self.comparison(l, r, Cond::Ge),
            Cond::Eq(l, r) => self.comparison(l, r, Cond::Eq),
            Cond::Not(c) => Cond::Not(Box::new(self.cond(c))),
            constant => constant.clone(),
        }
    }

    /// The parts of a condition, the longest first, each as it is to be written where the others are learned.
    fn one_by_one(&mut self, mut list: Vec<Cond>, learn: fn(&mut Place, &[Cond])) -> Vec<Cond> {
        let mut order: Vec<usize> = (0..list.len()).collect();
        order.sort_by_key(|k| std::cmp::Reverse(list[*k].operators()));
        for k in order {
            let own = std::mem::replace(&mut list[k], Cond::True);
            let mark = self.place.mark();
            let others: Vec<Cond> = list.iter().enumerate().filter(|(o, _)| *o != k).map(|(_, c)| c.clone()).collect();
            learn(&mut self.place, &others);
            list[k] = self.cond(&own);
            self.place.forget(mark);
        }
        list
    }

    fn comparison(&mut self, l: &Expr, r: &Expr, with: fn(Expr, Expr) -> Cond) -> Cond {
        let mut best = with(self.expr(l), self.expr(r));
        let forms = self.place.form(l).zip(self.place.form(r));
        if let Some(form) = forms.and_then(|(l, r)| l.plus(-1, &r)) {
            for form in self.place.rewritten(&form) {
                let other = self.place.compared(&form, with);
                if other.operators() < best.operators() {
                    best = other;
                }
            }
        }
        best
    }

    fn expr(&mut self, e: &Expr) -> Expr {
        if let Some(form) = self.place.form(e) {
            let other = self.place.shortest(&form);
            return if other.operators() < e.operators() { other } else { e.clone() };
        }
        match e {
            Expr::Max(of) => {
                let of = of.iter().map(|e| self.expr(e)).collect();
                max(self.furthest(of, 1))
            }
            Expr::Min(of) => {
                let of = of.iter().map(|e| self.expr(e)).collect();
                min(self.furthest(of, -1))
            }
            Expr::Add(of) => sum(of.iter().map(|e| self.expr(e)).collect()),
            Expr::Mul(k, e) => Expr::Mul(*k, Box::new(self.expr(e))),
            Expr::FloorDiv(e, d) => Expr::FloorDiv(Box::new(self.expr(e)), *d),
            Expr::CeilDiv(e, d) => Expr::CeilDiv(Box::new(self.expr(e)), *d),
            Expr::Mod(e, d) => Expr::Mod(Box::new(self.expr(e)), *d),
            plain => plain.clone(),
        }
    }

    /// The expressions without those that others are never below (`sign` 1) or never above (-1), the longest first.
    fn furthest(&mut self, list: Vec<Expr>, sign: i64) -> Vec<Expr> {
        let mut kept: Vec<Expr> = Vec::new();
        for e in list {
            match e {
                Expr::Max(of) if sign == 1 => kept.extend(of),
                Expr::Min(of) if sign == -1 => kept.extend(of),
                e => kept.push(e),
            }
        }
        let mut order: Vec<usize> = (0..kept.len()).collect();
        order.sort_by_key(|k| std::cmp::Reverse(kept[*k].operators()));
        let mut gone = vec![false; kept.len()];
        for k in order {
            let Some(own) = self.place.form(&kept[k]) else { continue };
            for o in (0..kept.len()).filter(|o| *o != k) {
                if gone[o] || gone[k] {
                    continue;
                }
                let Some(other) = self.place.form(&kept[o]) else { continue };
                gone[k] =
                    if sign == 1 { self.place.is_at_least(&other, &own) } else { self.place.is_at_least(&own, &other) };
            }
        }
        let mut gone = gone.into_iter();
        kept.retain(|_| !gone.next().unwrap_or(false));
        kept
    }

    /// Tests one after the other of which parts are the same as one around them, and tests that exclude each other as
    /// branches of one.
    fn branches(&mut self, ast: Ast) -> Ast {
        let Ast::Block(parts) = ast else { return ast };
        let mut rest: std::collections::VecDeque<Ast> = parts.into();
        let mut out = Vec::new();
        while let Some(first) = rest.pop_front() {
            let Ast::If(first) = first else {
                out.push(first);
                continue;
            };
            let many = rest.iter().take_while(|p| self.excluded(&first.cond, p)).count();
            if first.otherwise.is_none() && many > 0 {
                let others: Vec<Ast> = rest.iter().take(many).cloned().collect();
                let before = first.cond.operators() + first.then.operators();
                let before = others.iter().map(Ast::operators).sum::<usize>() + before;
                let mark = self.place.mark();
                self.place.learn_not(&first.cond);
                let otherwise = self.ast(&block(others));
                self.place.forget(mark);
                let both = branch(first.cond.clone(), first.then.clone(), otherwise);
                if both.operators() < before {
                    rest.drain(..many);
                    out.push(both);
                    continue;
                }
            }
            match self.shared(&first, rest.front()) {
                Some(both) => {
                    rest.pop_front();
                    rest.push_front(both);
                }
                None => out.push(Ast::If(first)),
            }
        }
        block(out)
    }

    /// Whether a test holds nowhere where `cond` does.
    fn excluded(&mut self, cond: &Cond, part: &Ast) -> bool {
        let Ast::If(test) = part else { return false };
        test.otherwise.is_none() && self.place.denies(&Cond::And(vec![cond.clone(), test.cond.clone()]))
    }

    /// Two tests with the parts that they share around both.
    fn shared(&mut self, a: &If, b: Option<&Ast>) -> Option<Ast> {
        let Some(Ast::If(b)) = b else { return None };
        if a.otherwise.is_some() || b.otherwise.is_some() {
            return None;
        }
        let (of_a, of_b) = (conjuncts(a.cond.clone()), conjuncts(b.cond.clone()));
        let (common, left): (Vec<Cond>, Vec<Cond>) = of_a.into_iter().partition(|c| of_b.contains(c));
        if common.is_empty() {
            return None;
        }
        let right = of_b.into_iter().filter(|c| !common.contains(c)).collect();
        let inner = block(vec![guard(all(left), a.then.clone()), guard(all(right), b.then.clone())]);
        let cond = all(common);
        let mark = self.place.mark();
        self.place.learn(&cond);
        let then = self.branches(inner);
        self.place.forget(mark);
        Some(Ast::If(Box::new(If { cond, then, otherwise: None })))
    }
}

/// A test with both branches, what they have in common outside of it.
fn branch(cond: Cond, then: Ast, otherwise: Ast) -> Ast {
    let parts = |ast: Ast| if let Ast::Block(parts) = ast { parts } else { vec![ast] };
    let (mut then, mut otherwise) = (parts(then), parts(otherwise));
    let same = |a: Option<&Ast>, b: Option<&Ast>| a.zip(b).is_some_and(|(a, b)| is_same(a, b, &mut Vec::new()));
    let (mut before, mut behind) = (Vec::new(), Vec::new());
    while same(then.first(), otherwise.first()) {
        before.push(then.remove(0));
        otherwise.remove(0);
    }
    while same(then.last(), otherwise.last()) {
        behind.extend(then.pop());
        otherwise.pop();
    }
    behind.reverse();
    let (then, otherwise) = (block(then), block(otherwise));
    let test = match otherwise {
        other if is_nothing(&other) => guard(cond, then),
        Ast::If(other) if is_same(&then, &other.then, &mut Vec::new()) => {
            let cond = any(vec![cond, other.cond]);
            Ast::If(Box::new(If { cond, then, otherwise: other.otherwise }))
        }
        other if is_nothing(&then) => guard(Cond::Not(Box::new(cond)), other),
        other => Ast::If(Box::new(If { cond, then, otherwise: Some(other) })),
    };
    before.push(test);
    before.extend(behind);
    block(before)
}

/// Whether two programs run the same, with iterators of `b` for those of `a`.
fn is_same(a: &Ast, b: &Ast, names: &mut Vec<(IterId, IterId)>) -> bool {
    let renamed =
        |e: &Expr, names: &[(IterId, IterId)]| names.iter().fold(e.clone(), |e, (a, b)| e.with(*a, &Expr::Iter(*b)));
    match (a, b) {
        (Ast::Block(a), Ast::Block(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_same(a, b, names)),
        (Ast::For(a), Ast::For(b)) => {
            if renamed(&a.lower, names) != b.lower || renamed(&a.upper, names) != b.upper || a.step != b.step {
                return false;
            }
            names.push((a.iter, b.iter));
            let same = is_same(&a.body, &b.body, names);
            names.pop();
            same
        }
        (Ast::If(a), Ast::If(b)) => {
            let cond = names.iter().fold(a.cond.clone(), |c, (a, b)| cond_with(&c, *a, &Expr::Iter(*b)));
            let others = match (&a.otherwise, &b.otherwise) {
                (Some(a), Some(b)) => is_same(a, b, names),
                (None, None) => true,
                _ => false,
            };
            cond == b.cond && others && is_same(&a.then, &b.then, names)
        }
        (Ast::Stmt { id, args }, Ast::Stmt { id: other, args: others }) => {
            id == other && args.len() == others.len() && args.iter().zip(others).all(|(a, b)| renamed(a, names) == *b)
        }
        _ => false,
    }
}

/// Several bounds as one; those of one kind inside each other as one list.
fn joined(make: fn(Vec<Expr>) -> Expr, list: Vec<Expr>) -> Expr {
    match <[Expr; 1]>::try_from(list) {
        Ok([only]) => only,
        Err(list) => make(list),
    }
}

/// The AST with an expression in the place of an iterator.
fn replaced(ast: &Ast, iter: IterId, by: &Expr) -> Ast {
    match ast {
        Ast::Block(parts) => Ast::Block(parts.iter().map(|p| replaced(p, iter, by)).collect()),
        Ast::For(f) => Ast::For(Box::new(For {
            lower: f.lower.with(iter, by),
            upper: f.upper.with(iter, by),
            body: replaced(&f.body, iter, by),
            ..(**f).clone()
        })),
        Ast::If(i) => Ast::If(Box::new(If {
            cond: cond_with(&i.cond, iter, by),
            then: replaced(&i.then, iter, by),
            otherwise: i.otherwise.as_ref().map(|o| replaced(o, iter, by)),
        })),
        Ast::Stmt { id, args } => Ast::Stmt { id: *id, args: args.iter().map(|a| a.with(iter, by)).collect() },
    }
}

fn cond_with(cond: &Cond, iter: IterId, by: &Expr) -> Cond {
    let each = |list: &[Cond]| list.iter().map(|c| cond_with(c, iter, by)).collect();
    match cond {
        Cond::And(list) => Cond::And(each(list)),
        Cond::Or(list) => Cond::Or(each(list)),
        Cond::Not(c) => Cond::Not(Box::new(cond_with(c, iter, by))),
        Cond::Ge(l, r) => Cond::Ge(l.with(iter, by), r.with(iter, by)),
        Cond::Eq(l, r) => Cond::Eq(l.with(iter, by), r.with(iter, by)),
        constant => constant.clone(),
    }
}
