//! What LLVM is told of a loop, so that it spends no time where nothing is to be gained.
//!
//! Hints only: none of them lets LLVM do what it could not do without.

use super::atoms::Poly;
use super::generator::Generator;
use crate::ast::forms::Form;
use crate::ast::types::{Ast, Expr, For};
use crate::bridge::ir::{Ir, Meta};
use crate::facts::{Hints, Type};
use crate::model::{Access, AccessKind, Stmt};

/// Marks a loop as written by code generation; `llvm.cpp` keeps passes away from such loops.
pub(super) const WRITTEN_NEW: &str = "polyrs.loop";
/// Statement instances in a loop body from which on unrolling it makes code longer, not faster.
const JAMMED_INSTANCES: usize = 4;
/// Iterations up to which a loop may disappear by unrolling.
const SHORT_TRIP: i64 = 16;

impl<'f> Generator<'f> {
    /// Properties of the loop `f`, which counts from `lower` to `end`; `group` is the access group of its independent
    /// accesses.
    pub fn loop_properties(&mut self, f: &For, (lower, end): (&Poly, &Poly), group: Option<Meta<'f>>) -> Vec<Meta<'f>> {
        let ir = self.em.ir;
        let name = |text: &str| ir.text(text);
        let mut properties = vec![ir.node(&[name(WRITTEN_NEW)])];
        if let Some(group) = group {
            properties.push(ir.node(&[name("llvm.loop.parallel_accesses"), group]));
        }
        if f.minor {
            properties.push(ir.node(&[name("llvm.loop.disable_nonforced")]));
            return properties;
        }
        let innermost = !f.body.contains_loop();
        let said = self.said_of(&f.body);
        let is_chain = innermost && !f.coincident && self.waits(f, &f.body);
        let one = ir.number(ir.int(ir.int_ty(32), 1));
        if is_chain || said.no_vectors {
            properties.push(ir.node(&[name("llvm.loop.vectorize.width"), one]));
        }
        if said.no_interleaving {
            properties.push(ir.node(&[name("llvm.loop.interleave.count"), one]));
        }
        let trip = end.sub(lower).as_constant();
        let may_disappear = innermost
            && !said.no_unrolling
            && f.body.stmts().count() < JAMMED_INSTANCES
            && trip.is_some_and(|t| t <= SHORT_TRIP.saturating_mul(f.step));
        if !may_disappear {
            properties.push(ir.node(&[name("llvm.loop.unroll.disable")]));
            if innermost && !is_chain && !said.no_vectors && trip.is_some() {
                properties.push(self.of_the_rest());
            }
        }
        properties
    }

    /// What the user says of loops of the source that statements in `body` are in.
    fn said_of(&self, body: &Ast) -> Hints {
        let facts = self.origin.facts;
        let loops = body.stmts().flat_map(|id| self.scop.stmt(id).body.loops());
        loops.fold(Hints::default(), |all, dim| all.and(facts.lp(dim.id).hints))
    }

    /// Properties of what the vectorizer leaves of a loop of known length: a few iterations, which may be unrolled
    /// where their number is known as well.
    fn of_the_rest(&self) -> Meta<'f> {
        let ir = self.em.ir;
        let one = ir.number(ir.int(ir.int_ty(32), 1));
        let new = ir.node(&[ir.text(WRITTEN_NEW)]);
        let done = ir.node(&[ir.text("llvm.loop.isvectorized"), one]);
        let whole = ir.node(&[ir.text("llvm.loop.unroll.runtime.disable")]);
        ir.node(&[ir.text("llvm.loop.vectorize.followup_epilogue"), new, done, whole])
    }

    /// Whether some instance in `body` needs a floating-point result of the iteration of `f` before, in an order that
    /// LLVM must keep.
    fn waits(&mut self, f: &For, body: &Ast) -> bool {
        match body {
            Ast::Block(all) => all.iter().any(|a| self.waits(f, a)),
            Ast::If(i) => self.waits(f, &i.then) || i.otherwise.as_ref().is_some_and(|o| self.waits(f, o)),
            Ast::For(_) => false,
            Ast::Stmt { id, args } => {
                let stmt = self.scop.stmt(*id);
                self.is_strict(stmt) && self.feeds_next(stmt, args, f)
            }
        }
    }

    /// Whether the statement reads in one iteration of `f` the element that it wrote in the one before.
    fn feeds_next(&mut self, stmt: &Stmt, args: &[Expr], f: &For) -> bool {
        let scop = self.scop;
        let plain = |a: &&Access| {
            let array = scop.array(a.array);
            array.is_float && array.is_memory()
        };
        stmt.accesses.iter().filter(|a| a.kind == AccessKind::MustWrite).filter(plain).any(|write| {
            let Some(written) = self.around.element(scop, write, args) else { return false };
            stmt.accesses.iter().filter(|a| a.kind == AccessKind::Read && a.array == write.array).any(|read| {
                let Some(read) = self.around.element(scop, read, args) else { return false };
                written.iter().zip(&read).all(|(w, r)| self.is_next(w, r, f))
            })
        })
    }

    /// Whether `read` has in one iteration of `f` the value that `written` had in the one before.
    fn is_next(&self, written: &Form, read: &Form, f: &For) -> bool {
        let moved = self.around.known().slope(read, f.iter).and_then(|s| s.checked_mul(f.step));
        let ahead = written.plus(-1, read).and_then(|d| d.as_constant());
        moved.is_some() && moved == ahead
    }

    /// Whether all floating-point values of a statement are computed by arithmetic in a fixed order.
    fn is_strict(&self, stmt: &Stmt) -> bool {
        let ir: &Ir<'f> = self.em.ir;
        let is_float = |v| matches!(self.origin.facts.value(v).ty, Type::Float(_));
        stmt.body.insts().iter().filter(|v| is_float(**v)).all(|v| ir.is_strict_arithmetic(ir.value(*v)))
    }
}
