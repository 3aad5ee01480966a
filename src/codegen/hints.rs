//! What LLVM is told of a loop, so that it spends no time where nothing is to be gained.
//!
//! Hints only: none of them lets LLVM do what it could not do without.

use super::accumulate::subscripts;
use super::nest::Generator;
use super::poly::Poly;
use crate::ast::types::{Ast, Expr, For};
use crate::bridge::analysis::Type;
use crate::bridge::ir::{Ir, Meta};
use crate::ids::IterId;
use crate::model::{Access, AccessKind, ArrayKind, Scop, Stmt};

/// Statement instances in a loop body from which on unrolling it makes code longer, not faster.
const JAMMED_INSTANCES: usize = 4;
/// Iterations up to which a loop may disappear by unrolling.
const SHORT_TRIP: i64 = 16;

impl Generator<'_> {
    /// Properties of the loop `f`, which counts from `lower` to `end`; `group` is the access group of its independent accesses.
    pub fn loop_properties(&self, f: &For, (lower, end): (&Poly, &Poly), group: Option<Meta>) -> Vec<Meta> {
        let ir = self.em.ir;
        let name = |text: &str| ir.text(text);
        let mut properties = Vec::new();
        if let Some(group) = group {
            properties.push(ir.node(&[name("llvm.loop.parallel_accesses"), group]));
        }
        if f.minor {
            properties.push(ir.node(&[name("llvm.loop.disable_nonforced")]));
            return properties;
        }
        if !f.body.contains_loop() && !f.coincident && self.waits(f, &f.body) {
            let one = ir.number(ir.int(ir.int_ty(32), 1));
            properties.push(ir.node(&[name("llvm.loop.vectorize.width"), one]));
        }
        let trip = end.sub(lower).as_constant();
        let may_disappear = !f.body.contains_loop()
            && instances(&f.body) < JAMMED_INSTANCES
            && trip.is_some_and(|t| t <= SHORT_TRIP.saturating_mul(f.step));
        if !may_disappear {
            properties.push(ir.node(&[name("llvm.loop.unroll.disable")]));
        }
        properties
    }

    /// Whether some instance in `body` needs a floating-point result of the iteration of `f` before, in an order that LLVM must keep.
    fn waits(&self, f: &For, body: &Ast) -> bool {
        match body {
            Ast::Block(all) => all.iter().any(|a| self.waits(f, a)),
            Ast::If(i) => self.waits(f, &i.then) || i.otherwise.as_ref().is_some_and(|o| self.waits(f, o)),
            Ast::For(_) => false,
            Ast::Stmt { id, args } => {
                let stmt = self.scop.stmt(*id);
                self.is_strict(stmt) && feeds_next(self.scop, stmt, args, f)
            }
        }
    }

    /// Whether all floating-point values of a statement are computed by arithmetic in a fixed order.
    fn is_strict(&self, stmt: &Stmt) -> bool {
        let ir: &Ir<'_> = self.em.ir;
        let is_float = |v| matches!(self.origin.facts.value(v).ty, Type::Float(_));
        stmt.body.insts.iter().filter(|v| is_float(**v)).all(|v| ir.is_strict_arithmetic(ir.value(*v)))
    }
}

/// Whether the statement reads in one iteration of `f` the element that it wrote in the one before.
fn feeds_next(scop: &Scop, stmt: &Stmt, args: &[Expr], f: &For) -> bool {
    let Some(moves) = args.iter().map(|a| slope(a, f.iter)).collect::<Option<Vec<i64>>>() else {
        return false;
    };
    let is_next = |w: &Vec<i64>, r: &Vec<i64>| {
        let dims = w.len() - 1;
        let moved: i64 = moves.iter().zip(&r[scop.params.len()..dims]).map(|(m, c)| m * c * f.step).sum();
        w[..dims] == r[..dims] && w[dims] == r[dims] + moved
    };
    let plain = |a: &&Access| {
        let array = scop.array(a.array);
        array.is_float && matches!(array.kind, ArrayKind::Memory { .. })
    };
    stmt.accesses.iter().filter(|a| a.kind == AccessKind::MustWrite).filter(plain).any(|write| {
        let Some(written) = subscripts(write, args.len()) else { return false };
        stmt.accesses.iter().filter(|a| a.kind == AccessKind::Read && a.array == write.array).any(|read| {
            subscripts(read, args.len()).is_some_and(|read| written.iter().zip(&read).all(|(w, r)| is_next(w, r)))
        })
    })
}

/// Change of `e` when `iter` grows by 1, where that is a constant.
fn slope(e: &Expr, iter: IterId) -> Option<i64> {
    match e {
        Expr::Int(_) | Expr::Param(_) => Some(0),
        Expr::Iter(i) => Some(i64::from(*i == iter)),
        Expr::Add(of) => of.iter().try_fold(0i64, |sum, e| sum.checked_add(slope(e, iter)?)),
        Expr::Mul(c, e) => slope(e, iter)?.checked_mul(*c),
        Expr::FloorDiv(e, _) | Expr::CeilDiv(e, _) | Expr::Mod(e, _) => slope(e, iter).filter(|s| *s == 0),
        Expr::Min(of) | Expr::Max(of) => of.iter().all(|e| slope(e, iter) == Some(0)).then_some(0),
    }
}

fn instances(body: &Ast) -> usize {
    match body {
        Ast::Block(all) => all.iter().map(instances).sum(),
        Ast::For(f) => instances(&f.body),
        Ast::If(i) => instances(&i.then) + i.otherwise.as_ref().map_or(0, instances),
        Ast::Stmt { .. } => 1,
    }
}
