//! Loops, conditions and blocks of the AST -> control flow. Loops are emitted rotated: a guard, then a body that runs
//! at least once.

use super::atoms::{Atom, Choice, Poly};
use super::emit::bug;
use super::generator::Generator;
use crate::ast::next_after;
use crate::ast::types::{Ast, Expr, For, If};
use crate::bridge::ir::{Bin, Ir, Pos, Val};
use crate::error::{Failure, Reject, RejectKind, SourceLoc};
use crate::facts::Pred;
use crate::ids::{LoopId, ValueId};

/// Values between which a loop counts.
#[derive(Clone, Copy)]
pub struct Bounds<'f> {
    /// First value.
    pub first: Val<'f>,
    /// First value behind the last.
    pub end: Val<'f>,
    /// Whether they are fewer iterations than vectors have lanes, which have taken all others.
    pub is_rest: bool,
}

/// What is known of the number of iterations.
enum Trip {
    /// The loop never runs.
    Never,
    /// Exactly once.
    Once,
    /// At least once.
    Some,
    /// Unknown: needs a guard.
    Unknown,
}

impl<'f> Generator<'f> {
    fn ir(&self) -> &Ir<'f> {
        self.em.ir
    }

    /// Emits a whole AST at the current position, which moves to its end.
    ///
    /// # Errors
    /// Whatever a statement or expression cannot do; blocks emitted so far stay behind.
    pub fn ast(&mut self, ast: &Ast) -> Result<(), Failure> {
        if self.is_kernel(ast) {
            return self.kernel(ast);
        }
        match ast {
            Ast::Block(all) => all.iter().try_for_each(|a| self.ast(a)),
            Ast::For(f) => self.either_loop(f),
            Ast::If(i) => self.branch(i),
            Ast::Stmt { id, args } => self.instance(*id, args),
        }
    }

    fn branch(&mut self, i: &If) -> Result<(), Failure> {
        let cond = self.em.cond(&i.cond)?;
        match (self.ir().as_const(cond), &i.otherwise) {
            (Some(0), None) => return Ok(()),
            (Some(0), Some(otherwise)) => return self.ast(otherwise),
            (Some(_), _) => return self.ast(&i.then),
            (None, _) => {}
        }
        let then = self.ir().new_block("polyrs.then");
        let otherwise = i.otherwise.as_ref().map(|_| self.ir().new_block("polyrs.else"));
        let join = self.ir().new_block("polyrs.endif");
        self.ir().cond_br(cond, then, otherwise.unwrap_or(join));
        self.ir().seek(Pos::End(then));
        self.ast(&i.then)?;
        self.ir().br(join);
        if let (Some(block), Some(ast)) = (otherwise, &i.otherwise) {
            self.ir().seek(Pos::End(block));
            self.ast(ast)?;
            self.ir().br(join);
        }
        self.ir().seek(Pos::End(join));
        Ok(())
    }

    /// A loop, or what runs as fast as possible in its place.
    fn either_loop(&mut self, f: &For) -> Result<(), Failure> {
        if self.numbered(f)? {
            if f.waits {
                self.ir().barrier();
            }
            return Ok(());
        }
        match f.contraction {
            Some(_) if self.is_for_threads(f) => self.for_loop(f),
            Some(blocks) => self.contraction(f, &blocks)?.then_some(()).ok_or_else(unpacked),
            None => self.for_loop(f),
        }
    }

    fn is_for_threads(&self, f: &For) -> bool {
        f.parallel.is_some() && self.threads.config().is_some() && !self.threads.in_task()
    }

    /// A loop that runs at least once, or a part of it: as a contraction where it is one.
    ///
    /// # Errors
    /// As [`Self::ast`].
    pub fn whole_or_part(
        &mut self,
        f: &For,
        lower: &Poly,
        end: &Poly,
        part: Option<Bounds<'f>>,
    ) -> Result<(), Failure> {
        let is_done = match (f.contraction, part) {
            (Some(blocks), Some(part)) => self.contraction_in_part(f, &blocks, part)?,
            (Some(blocks), None) => self.contraction(f, &blocks)?,
            (None, _) => false,
        };
        match f.contraction {
            Some(_) => is_done.then_some(()).ok_or_else(unpacked),
            None => self.counted(f, lower, end, part),
        }
    }

    /// A loop as it is.
    ///
    /// # Errors
    /// As [`Self::ast`].
    pub fn for_loop(&mut self, f: &For) -> Result<(), Failure> {
        if f.step <= 0 {
            return Err(bug("a loop that does not count up".into()));
        }
        let lower = self.em.expr(&f.lower)?;
        let end = self.em.expr(&next_after(&f.upper))?;
        match self.trip(&lower, &end, f.step) {
            Trip::Never => Ok(()),
            Trip::Once => {
                self.em.bind(f.iter, lower);
                let mark = self.around.mark();
                self.around.enter(f.iter, &f.lower, &f.lower);
                self.with_copies(&f.staged, &f.body, None)?;
                self.around.forget(mark);
                Ok(())
            }
            Trip::Some => self.entered(f, &lower, &end),
            Trip::Unknown => self.guarded(f, &lower, &end),
        }
    }

    fn guarded(&mut self, f: &For, lower: &Poly, end: &Poly) -> Result<(), Failure> {
        self.set_loc(&f.body);
        let (first, last) = (self.em.value(lower), self.em.value(end));
        let enters = self.ir().icmp(Pred::Slt, first, last);
        let preheader = self.ir().new_block("polyrs.preheader");
        let after = self.ir().new_block("polyrs.after");
        self.ir().cond_br(enters, preheader, after);
        self.ir().seek(Pos::End(preheader));
        let mark = self.around.mark();
        self.learn(lower, end);
        self.entered(f, lower, end)?;
        self.around.forget(mark);
        self.ir().br(after);
        self.ir().seek(Pos::End(after));
        Ok(())
    }

    /// A loop that runs at least once.
    fn entered(&mut self, f: &For, lower: &Poly, end: &Poly) -> Result<(), Failure> {
        if f.parallel.is_some() && !self.threads.in_task() {
            self.task(f, lower, end)
        } else if let Some(lanes) = self.lanes_of(f) {
            self.in_lanes(f, lanes, lower, end)
        } else {
            self.counted(f, lower, end, None)
        }
    }

    /// A loop that runs at least once: from `lower` to before `end`, or over a part of that.
    ///
    /// # Errors
    /// As [`Self::ast`].
    pub fn counted(&mut self, f: &For, lower: &Poly, end: &Poly, part: Option<Bounds<'f>>) -> Result<(), Failure> {
        self.set_loc(&f.body);
        let met = end_met(lower, end, f.step);
        let is_met = f.step == 1 || (part.is_none() && met.is_some());
        let Bounds { first, end: last, is_rest } = match part {
            Some(bounds) => bounds,
            None => {
                Bounds { first: self.em.value(lower), end: self.em.value(met.as_ref().unwrap_or(end)), is_rest: false }
            }
        };
        let mark = self.around.mark();
        self.around.enter(f.iter, &f.lower, &f.upper);
        self.em.bind(f.iter, lower.clone());
        if let Some(inner) = f.stepped() {
            self.em.bind(inner.iter, lower.clone());
        }
        let accumulators = self.load_accumulators(f)?;
        let turns = f.staged.first().map_or(0, |tile| tile.turn);
        if turns != 0 {
            // An earlier run of the loop may have left threads behind that still read.
            self.ir().barrier();
        }
        let before = self.ir().current();
        let header = self.ir().new_block("polyrs.loop");
        self.ir().br(header);
        self.ir().seek(Pos::End(header));
        let word = self.ir().int_ty(64);
        let turn = (turns != 0).then(|| (self.ir().phi(word, "polyrs.turn"), self.ir().int(word, turns)));
        let phi = self.ir().phi(word, "polyrs.iv");
        self.ir().add_incoming(phi, first, before);
        self.em.enter_loop(f.iter, phi);
        self.choose_copies(f, phi);
        let iter = self.em.expr(&Expr::Iter(f.iter))?;
        self.learn(&iter, end);
        self.learn(lower, &iter.add(&Poly::constant(1)));

        let parallel = f.coincident && !f.body.contains_loop();
        if parallel {
            self.around.set_group(Some(self.ir().access_group()));
        }
        self.with_copies(&f.staged, &f.body, turn.map(|(phi, _)| phi))?;
        let group = if parallel { self.around.group() } else { None };
        if parallel {
            self.around.set_group(None);
        }

        self.set_loc(&f.body);
        let latch = self.ir().current();
        let next = self.ir().bin(Bin::AddNsw, phi, self.ir().int(word, f.step));
        let other = turn.map(|(turn, turns)| self.ir().bin(Bin::Sub, turns, turn));
        let again = self.ir().icmp(if is_met { Pred::Ne } else { Pred::Slt }, next, last);
        let again = self.goes_on(f, again);
        let exit = self.ir().new_block("polyrs.exit");
        let branch = self.ir().cond_br(again, header, exit);
        self.ir().add_incoming(phi, next, latch);
        if let (Some((turn, _)), Some(other)) = (turn, other) {
            self.ir().add_incoming(turn, self.ir().int(word, 0), before);
            self.ir().add_incoming(turn, other, latch);
        }
        let mut properties = self.loop_properties(f, (lower, end), group);
        if is_rest {
            properties.push(self.is_vectorized());
        }
        self.ir().set_loop_id(branch, self.ir().loop_id(&properties));
        self.em.leave_loop();
        self.around.forget(mark);
        self.ir().seek(Pos::End(exit));
        self.store_accumulators(accumulators);
        Ok(())
    }

    /// Compares every lower bound with every upper bound; exact where they differ by a constant.
    fn trip(&self, lower: &Poly, end: &Poly, step: i64) -> Trip {
        let (lowers, ends) = (self.operands(lower, Choice::SMax), self.operands(end, Choice::SMin));
        let mut all_positive = true;
        for l in &lowers {
            for e in &ends {
                match e.sub(l).as_constant() {
                    Some(..=0) => return Trip::Never,
                    Some(n) if lowers.len() == 1 && ends.len() == 1 && n <= step => return Trip::Once,
                    Some(_) => {}
                    None => all_positive &= self.is_positive(&e.sub(l)),
                }
            }
        }
        if all_positive { Trip::Some } else { Trip::Unknown }
    }

    /// Remembers that every lower bound is below every end.
    fn learn(&mut self, lower: &Poly, end: &Poly) {
        let (lowers, ends) = (self.operands(lower, Choice::SMax), self.operands(end, Choice::SMin));
        for l in &lowers {
            for e in &ends {
                let known = self.without_floor(e.sub(l));
                self.around.learn_positive(known);
            }
        }
    }

    /// Whether `p` is at least 1 by one of the loops around, plus a constant.
    fn is_positive(&self, p: &Poly) -> bool {
        self.around.is_positive(&self.without_floor(p.clone()))
    }

    /// A polynomial that is at least 1 if and only if `p` is: `floor(e / d) + r >= 1` says `e + d (r - 1) >= 0`.
    fn without_floor(&self, p: Poly) -> Poly {
        let floor = p.plain_atoms().find_map(|a| match self.em.atoms.atom(a) {
            Atom::FloorDiv(e, d) => Some((a, e.clone(), *d)),
            _ => None,
        });
        let Some((atom, e, d)) = floor else { return p };
        let rest = p.sub(&Poly::atom(atom)).sub(&Poly::constant(1));
        if rest.mentions(atom) { p } else { e.add(&rest.scale(d)).add(&Poly::constant(1)) }
    }

    fn operands(&self, p: &Poly, which: Choice) -> Vec<Poly> {
        match p.as_atom().map(|a| self.em.atoms.atom(a)) {
            Some(Atom::Choice(c, of)) if *c == which => of.clone(),
            _ => vec![p.clone()],
        }
    }

    /// Loop code takes its source position from the original loop of the first statement in it.
    pub fn set_loc(&self, body: &Ast) {
        let loc = self.first_loop(body).and_then(|lp| self.branch_of(lp));
        self.ir().set_debug_loc(loc);
    }

    fn first_loop(&self, body: &Ast) -> Option<LoopId> {
        match body {
            Ast::Block(all) => all.iter().find_map(|a| self.first_loop(a)),
            Ast::For(f) => self.first_loop(&f.body),
            Ast::If(i) => self.first_loop(&i.then).or_else(|| self.first_loop(i.otherwise.as_ref()?)),
            Ast::Stmt { id, .. } => {
                let loops = self.scop.stmt(*id).body.loops();
                loops.get(self.em.depth()).or(loops.last()).map(|l| l.id)
            }
        }
    }

    fn branch_of(&self, lp: LoopId) -> Option<ValueId> {
        let facts = self.origin.facts;
        let lp = facts.lp(lp);
        facts.block(lp.latch.unwrap_or(lp.header)).insts.last().copied()
    }
}

/// The value that counting from `lower` in steps meets behind the last iteration, where the number of iterations is
/// known. A loop that ends at that very value has a length that scalar evolution reads without maxima.
fn end_met(lower: &Poly, end: &Poly, step: i64) -> Option<Poly> {
    let length = end.sub(lower).as_constant()?;
    let trips = length.checked_add(step - 1)? / step;
    Some(lower.add(&Poly::constant(trips.checked_mul(step)?)))
}

/// Loops that were ordered to run from packed copies are too slow without.
fn unpacked() -> Failure {
    let detail = "operands of a product that cannot be packed";
    Failure::Reject(Reject::new(RejectKind::NonAffineBound, detail, SourceLoc::default()))
}
