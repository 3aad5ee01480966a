//! Whether all numbers that loops compute fit 64 bits, and addresses move in steps that LLVM compiles right.
//!
//! In: loops, what is known of the parameters. Out: whether any expression of them may leave i64 on the way, or an
//! iteration lies 4 GiB behind the one before. Orders of the scheduler have small coefficients; those that users write
//! need not.

use super::check::magnitude_in_model;
use super::types::{Ast, Cond, Expr};
use crate::error::{Failure, Limit, Reject, RejectKind, SourceLoc};
use crate::ids::IterId;
use crate::model::{Access, Scop};
use std::collections::BTreeMap;

/// By iterator.
type Steps = BTreeMap<IterId, i128>;

/// Bytes of a step of which LLVM 22 keeps the lower 32 bits only where it moves the computation of an address
/// (CodeGenPrepare).
const LONG_STEP: i128 = 1 << 32;

/// Smallest and largest value that an expression may have; never too narrow.
type Range = (i128, i128);

/// Whether the value of each expression lies in i64 for all parameters that the loops may run with, whatever they are
/// compared with.
#[must_use]
fn stays_in_i64(scop: &Scop, ast: &Ast) -> bool {
    let param = |k: usize| {
        let most = 1_i128 << magnitude_in_model(scop, k);
        (-most, most)
    };
    let params = (0..scop.params.len()).map(param).collect();
    Ranges { params, iters: BTreeMap::new() }.ast(ast).is_some()
}

/// The loops, if [`stays_in_i64`] holds of them and no step is long.
///
/// # Errors
/// `Limit`: of a number that is too large; `Reject` of a step.
pub fn in_range(scop: &Scop, ast: Ast) -> Result<Ast, Failure> {
    if !stays_in_i64(scop, &ast) {
        return Err(Limit::overflow("ast"));
    }
    if ast.instances().any(|(id, args)| scop.stmt(id).accesses.iter().any(|a| steps_far(scop, a, args))) {
        return Err(Failure::Reject(Reject::new(RejectKind::LongStep, "", SourceLoc::default())));
    }
    Ok(ast)
}

/// Whether an access of an instance with these arguments moves by [`LONG_STEP`] bytes or more with some loop, and by
/// more than with the loops of the source.
fn steps_far(scop: &Scop, access: &Access, args: &[Expr]) -> bool {
    let args: Vec<Steps> = args.iter().map(steps).collect();
    if args.iter().flat_map(Steps::values).all(|by| by.saturating_abs() <= 1) {
        return false;
    }
    let Some(subscripts) = access.subscripts() else { return false };
    let mut bytes = Steps::new();
    for (row, stride) in subscripts.iter().zip(&scop.array(access.array).strides) {
        // The code multiplies by strides that are not known, and no number of its own is large.
        let stride = i128::from(stride.as_constant().unwrap_or(1));
        for (coefficient, arg) in row[scop.params.len()..].iter().zip(&args) {
            arg.iter().for_each(|(iter, by)| {
                let sum = bytes.entry(*iter).or_default();
                *sum = sum.saturating_add(by.saturating_mul(i128::from(*coefficient)).saturating_mul(stride));
            });
        }
    }
    bytes.values().any(|by| by.saturating_abs() >= LONG_STEP)
}

/// By how much a value moves with each loop, at most.
fn steps(e: &Expr) -> Steps {
    match e {
        Expr::Int(_) | Expr::Param(_) => Steps::new(),
        Expr::Iter(iter) => Steps::from([(*iter, 1)]),
        Expr::Mul(k, e) => steps(e).into_iter().map(|(iter, by)| (iter, by.saturating_mul(i128::from(*k)))).collect(),
        Expr::FloorDiv(e, _) | Expr::CeilDiv(e, _) | Expr::Mod(e, _) => steps(e),
        Expr::Add(of) => joined(of, i128::saturating_add),
        Expr::Min(of) | Expr::Max(of) => {
            joined(of, |most, by| if by.saturating_abs() > most.saturating_abs() { by } else { most })
        }
    }
}

fn joined(of: &[Expr], join: impl Fn(i128, i128) -> i128) -> Steps {
    let mut all = Steps::new();
    for (iter, by) in of.iter().flat_map(steps) {
        let sum = all.entry(iter).or_default();
        *sum = join(*sum, by);
    }
    all
}

struct Ranges {
    params: Vec<Range>,
    iters: BTreeMap<IterId, Range>,
}

impl Ranges {
    /// `None`: something may leave i64.
    fn ast(&mut self, ast: &Ast) -> Option<()> {
        match ast {
            Ast::Block(parts) => parts.iter().try_for_each(|part| self.ast(part)),
            Ast::For(f) => {
                let (first, last) = (self.expr(&f.lower)?.0, self.expr(&f.upper)?.1);
                // The counter is compared when it is behind the last iteration.
                in_i64((first, last.checked_add(f.step.into())?))?;
                self.iters.insert(f.iter, (first, last.max(first)));
                self.ast(&f.body)
            }
            Ast::If(i) => {
                self.cond(&i.cond)?;
                self.ast(&i.then)?;
                i.otherwise.iter().try_for_each(|other| self.ast(other))
            }
            Ast::Stmt { args, .. } => args.iter().try_for_each(|arg| self.expr(arg).map(drop)),
        }
    }

    fn cond(&self, cond: &Cond) -> Option<()> {
        match cond {
            Cond::True | Cond::False => Some(()),
            Cond::And(of) | Cond::Or(of) => of.iter().try_for_each(|one| self.cond(one)),
            Cond::Not(one) => self.cond(one),
            Cond::Ge(a, b) | Cond::Eq(a, b) => self.expr(a).and(self.expr(b)).map(drop),
        }
    }

    fn expr(&self, e: &Expr) -> Option<Range> {
        let all = |of: &[Expr]| of.iter().map(|e| self.expr(e)).collect::<Option<Vec<Range>>>();
        in_i64(match e {
            Expr::Int(value) => (i128::from(*value), i128::from(*value)),
            Expr::Param(k) => *self.params.get(*k)?,
            Expr::Iter(iter) => *self.iters.get(iter)?,
            Expr::Add(of) => all(of)?.into_iter().fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1)),
            Expr::Mul(k, e) => {
                let (low, high) = self.expr(e)?;
                let ends = [low, high].map(|end| end * i128::from(*k));
                (ends[0].min(ends[1]), ends[0].max(ends[1]))
            }
            Expr::FloorDiv(e, d) | Expr::CeilDiv(e, d) => {
                let (low, high) = self.expr(e)?;
                let d = i128::from(*d);
                // Code may add what is less than the divisor, in either direction, before it divides.
                in_i64((low - d, high + d))?;
                (low.div_euclid(d), -(-high).div_euclid(d))
            }
            Expr::Mod(e, d) => {
                self.expr(e)?;
                (0, i128::from(*d) - 1)
            }
            Expr::Min(of) => {
                let of = all(of)?;
                (of.iter().map(|r| r.0).min()?, of.iter().map(|r| r.1).min()?)
            }
            Expr::Max(of) => {
                let of = all(of)?;
                (of.iter().map(|r| r.0).max()?, of.iter().map(|r| r.1).max()?)
            }
        })
    }
}

fn in_i64(range: Range) -> Option<Range> {
    let fits = i128::from(i64::MIN) <= range.0 && range.1 <= i128::from(i64::MAX);
    fits.then_some(range)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::fixtures;

    fn ranges() -> Ranges {
        Ranges { params: vec![(-(1 << 40), 1 << 40)], iters: BTreeMap::new() }
    }

    fn times(k: i64, e: Expr) -> Expr {
        Expr::Mul(k, Box::new(e))
    }

    #[test]
    fn ends_are_never_too_narrow() {
        let of = |e: &Expr| ranges().expr(e).expect("fits");
        let p = || Expr::Param(0);
        assert_eq!(of(&Expr::Add(vec![times(-3, p()), Expr::Int(1)])), (1 - (3 << 40), 1 + (3 << 40)));
        assert_eq!(
            of(&Expr::FloorDiv(Box::new(Expr::Add(vec![p(), Expr::Int(1)])), 32)),
            ((1 - (1 << 40)) >> 5, (1 << 35) + 1)
        );
        assert_eq!(of(&Expr::CeilDiv(Box::new(p()), 32)), (-(1 << 35), 1 << 35));
        assert_eq!(of(&Expr::Mod(Box::new(p()), 7)), (0, 6));
        assert_eq!(of(&Expr::Min(vec![p(), Expr::Int(5)])), (-(1 << 40), 5));
        assert_eq!(of(&Expr::Max(vec![p(), Expr::Int(5)])), (5, 1 << 40));
    }

    #[test]
    fn what_leaves_i64_on_the_way_is_found() {
        let large = times(1 << 23, Expr::Param(0));
        assert!(ranges().expr(&large).is_none());
        assert!(ranges().expr(&times(1 << 22, Expr::Param(0))).is_some());
        let back = Expr::Add(vec![large.clone(), times(-(1 << 23), Expr::Param(0))]);
        assert!(ranges().expr(&back).is_none() && ranges().expr(&Expr::FloorDiv(Box::new(large), 1 << 23)).is_none());
        let most = Expr::Int(i64::MAX);
        assert!(ranges().expr(&most).is_some());
        assert!(ranges().expr(&Expr::FloorDiv(Box::new(most.clone()), 2)).is_none(), "rounding may add first");
        assert!(ranges().cond(&Cond::Not(Box::new(Cond::Ge(back, Expr::Int(0))))).is_none());
    }

    #[test]
    fn loops_of_the_kernels_stay_and_a_counter_that_wraps_does_not() {
        let scop = fixtures::scop("gemm");
        let budget = presburger::Budget::steps(2_000_000);
        let ast = crate::ast::build(&scop, &scop.schedule, &crate::ast::Config::default(), &budget).expect("loops");
        assert!(stays_in_i64(&scop, &ast));
        let Ast::For(mut outer) = ast else { panic!("no loop: {ast:?}") };
        outer.upper = Expr::Int(i64::MAX);
        assert!(!stays_in_i64(&scop, &Ast::For(outer)), "the counter is one more in the end");
    }
}
