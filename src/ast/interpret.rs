//! Executes an AST for given parameter values, instance by instance. For checks and tests: shares no code with the
//! generator.
//!
//! In: an [`Ast`], a value for each parameter. Out: what happens, in order.

use super::types::{Ast, Cond, Expr};
use crate::ids::{ArrayId, IterId, StmtId};
use std::collections::BTreeMap;

/// A statement with the values of its domain dims.
pub type Instance = (StmtId, Vec<i64>);

/// AST nodes after which a run is ended: there are too many, or the loops do not end.
const MAX_STEPS: u64 = 3_000_000;

/// What happens in a run.
#[derive(Clone, Debug)]
pub enum Event {
    /// An instance runs.
    Run(Instance),
    /// Until the next [`Event::Leave`] a thread works on copies of these arrays.
    Enter(Vec<ArrayId>),
    /// The thread is done.
    Leave,
}

/// Iterations of all loops, of every level; `None` if there are too many steps, or no end of them.
#[cfg(test)]
pub(in crate::ast) fn iterations(ast: &Ast, params: &[i64]) -> Option<u64> {
    let mut machine = machine(params);
    machine.ast(ast);
    (machine.steps < MAX_STEPS).then_some(machine.iterations)
}

/// How parallel loops run.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Threads {
    /// In the order of the text.
    One,
    /// Last iteration first, each as if it had a thread to itself.
    Many,
}

/// The instances that run, in order, parallel loops like others; `None` if there are too many steps, or no end of
/// them.
///
/// # Panics
/// On a loop that reuses an iterator of a loop around it, a step below 1, and an expression that leaves i64.
#[must_use]
pub fn run(ast: &Ast, params: &[i64]) -> Option<Vec<Instance>> {
    let (ran, is_all) = beginning(ast, params);
    is_all.then_some(ran)
}

/// The first instances that run, in order, and whether they are all: no more steps are taken than [`run`] takes.
///
/// # Panics
/// As [`run`].
#[must_use]
pub fn beginning(ast: &Ast, params: &[i64]) -> (Vec<Instance>, bool) {
    let mut machine = machine(params);
    machine.ast(ast);
    let instance = |event| if let Event::Run(instance) = event { Some(instance) } else { None };
    (machine.out.into_iter().filter_map(instance).collect(), machine.steps < MAX_STEPS)
}

/// What happens, in order; `None` if there are too many steps, or no end of them.
///
/// # Panics
/// As [`run`].
#[must_use]
pub fn events(ast: &Ast, params: &[i64], threads: Threads) -> Option<Vec<Event>> {
    let mut machine = Machine { threads, ..machine(params) };
    machine.ast(ast);
    (machine.steps < MAX_STEPS).then_some(machine.out)
}

/// Whether a condition over parameters holds.
///
/// # Panics
/// As [`run`].
#[must_use]
pub fn holds(cond: &Cond, params: &[i64]) -> bool {
    machine(params).cond(cond)
}

/// Value of an expression over parameters.
///
/// # Panics
/// As [`run`].
#[must_use]
pub fn value(e: &Expr, params: &[i64]) -> i64 {
    machine(params).expr(e)
}

fn machine(params: &[i64]) -> Machine<'_> {
    Machine { params, threads: Threads::One, iters: BTreeMap::new(), out: Vec::new(), steps: 0, iterations: 0 }
}

struct Machine<'m> {
    params: &'m [i64],
    threads: Threads,
    iters: BTreeMap<IterId, i64>,
    out: Vec<Event>,
    steps: u64,
    iterations: u64,
}

impl Machine<'_> {
    fn ast(&mut self, ast: &Ast) {
        self.steps += 1;
        if self.steps >= MAX_STEPS {
            return;
        }
        match ast {
            Ast::Block(parts) => parts.iter().for_each(|p| self.ast(p)),
            Ast::For(f) => {
                let (first, last) = (self.expr(&f.lower), self.expr(&f.upper));
                assert!(f.step > 0, "{} does not go up", f.iter);
                let count = if first <= last { (last - first) / f.step + 1 } else { 0 };
                let copies = f.parallel.as_ref().filter(|_| self.threads == Threads::Many);
                for k in 0..count {
                    self.iterations += 1;
                    let k = if copies.is_some() { count - 1 - k } else { k };
                    let copies = copies.filter(|_| k + 1 < count);
                    if let Some(copies) = copies {
                        self.out.push(Event::Enter(copies.privatized.clone()));
                    }
                    let old = self.iters.insert(f.iter, first + k * f.step);
                    assert!(old.is_none(), "{} is used twice in one nest", f.iter);
                    self.ast(&f.body);
                    self.iters.remove(&f.iter);
                    if copies.is_some() {
                        self.out.push(Event::Leave);
                    }
                    if self.steps >= MAX_STEPS {
                        break;
                    }
                }
            }
            Ast::If(i) => {
                if self.cond(&i.cond) {
                    self.ast(&i.then);
                } else if let Some(otherwise) = &i.otherwise {
                    self.ast(otherwise);
                }
            }
            Ast::Stmt { id, args } => {
                let args = args.iter().map(|a| self.expr(a)).collect();
                self.out.push(Event::Run((*id, args)));
            }
        }
    }

    fn cond(&self, cond: &Cond) -> bool {
        match cond {
            Cond::True => true,
            Cond::False => false,
            Cond::And(list) => list.iter().all(|c| self.cond(c)),
            Cond::Or(list) => list.iter().any(|c| self.cond(c)),
            Cond::Not(c) => !self.cond(c),
            Cond::Ge(l, r) => self.expr(l) >= self.expr(r),
            Cond::Eq(l, r) => self.expr(l) == self.expr(r),
        }
    }

    fn expr(&self, e: &Expr) -> i64 {
        let fits = |value: Option<i64>| value.expect("an expression of the loops leaves i64");
        match e {
            Expr::Int(v) => *v,
            Expr::Param(k) => self.params[*k],
            Expr::Iter(i) => self.iters[i],
            Expr::Add(list) => list.iter().fold(0, |sum: i64, e| fits(sum.checked_add(self.expr(e)))),
            Expr::Mul(k, e) => fits(k.checked_mul(self.expr(e))),
            Expr::FloorDiv(e, d) => self.expr(e).div_euclid(*d),
            Expr::CeilDiv(e, d) => -(-self.expr(e)).div_euclid(*d),
            Expr::Mod(e, d) => self.expr(e).rem_euclid(*d),
            Expr::Min(list) => list.iter().map(|e| self.expr(e)).min().expect("empty min"),
            Expr::Max(list) => list.iter().map(|e| self.expr(e)).max().expect("empty max"),
        }
    }
}
