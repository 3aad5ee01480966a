//! What LLVM is told of a loop, so that it spends no time where nothing is to be gained.
//!
//! Hints only: none of them lets LLVM do what it could not do without.

use super::atoms::Poly;
use super::generator::Generator;
use crate::ast::forms::Form;
use crate::ast::types::{Ast, Expr, For};
use crate::bridge::ir::{Ir, Meta};
use crate::cost::refs;
use crate::facts::{Hints, Type};
use crate::model::{Access, AccessKind, Size, Stmt};

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
        let runs_alone = is_chain || said.no_vectors || (innermost && self.would_gather(f, &f.body));
        if runs_alone {
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
            if innermost && !runs_alone && trip.is_some() {
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
        let new = ir.node(&[ir.text(WRITTEN_NEW)]);
        let whole = ir.node(&[ir.text("llvm.loop.unroll.runtime.disable")]);
        ir.node(&[ir.text("llvm.loop.vectorize.followup_epilogue"), new, self.is_vectorized(), whole])
    }

    /// Says that a loop has the vectors that it is to have.
    pub fn is_vectorized(&self) -> Meta<'f> {
        let ir = self.em.ir;
        ir.node(&[ir.text("llvm.loop.isvectorized"), ir.number(ir.int(ir.int_ty(32), 1))])
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

    /// Whether vectors of several iterations of `f` would have to be scattered, or gathered for next to no arithmetic:
    /// both move their elements one by one, with fewer misses under way at a time than single accesses have. LLVM
    /// gathers one element for all iterations as well, where some of them may not load it.
    fn would_gather(&mut self, f: &For, body: &Ast) -> bool {
        match body {
            Ast::Block(all) => all.iter().any(|a| self.would_gather(f, a)),
            Ast::If(i) => {
                self.would_gather(f, &i.then) || i.otherwise.as_ref().is_some_and(|o| self.would_gather(f, o))
            }
            Ast::For(_) => false,
            Ast::Stmt { id, args } => {
                let (scop, stmt) = (self.scop, self.scop.stmt(*id));
                let ops = stmt.body.ops();
                let mut in_memory = stmt.accesses.iter().filter(|a| scop.array(a.array).is_memory());
                in_memory.any(|access| {
                    let Some(is_uneven) = self.lie_apart((stmt, access), args, f) else { return false };
                    let bytes = f64::from(scop.array(access.array).elem_bytes);
                    access.kind != AccessKind::Read || refs::is_light(&ops, bytes, is_uneven)
                })
            }
        }
    }

    /// Whether the elements that an access of a statement at `args` mostly leads to in the iterations of `f` lie apart
    /// unevenly; `None` where vectors load them at once: not where they are one that not all iterations load.
    fn lie_apart(&mut self, (stmt, access): (&Stmt, &Access), args: &[Expr], f: &For) -> Option<bool> {
        let forms: Vec<Option<Form>> = args.iter().map(|arg| self.around.known_mut().form(arg)).collect();
        let slope = |form: &Option<Form>| {
            let slope = form.as_ref().and_then(|form| self.around.known().slope(form, f.iter));
            slope.map_or(0.0, |slope| refs::to_f64(slope.saturating_mul(f.step)))
        };
        let steps: Vec<f64> = forms.iter().map(slope).collect();
        let (subscripts, askew) = refs::walked_subscripts(stmt, access)?;
        let moved: Vec<f64> = subscripts.iter().map(|of| of.iter().zip(&steps).map(|(c, s)| c * s).sum()).collect();
        let sizes = &self.scop.array(access.array).sizes;
        let (mut apart, mut row) = (0.0, 1.0);
        for (step, size) in moved.iter().zip(sizes).rev() {
            apart += row * step;
            row *= if let Size::Const(size) = size { refs::to_f64(*size) } else { f64::from(u16::MAX) };
        }
        let is_uneven = moved.iter().zip(askew).any(|(step, is_askew)| refs::is_uneven(*step, is_askew));
        let is_apart = apart.abs() > refs::INTERLEAVED || is_uneven;
        (is_apart || (apart == 0.0 && stmt.body.in_arms().contains(&access.inst))).then_some(is_uneven)
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
