//! Loops and branches of functions that are written as a whole.

use crate::bridge::ir::{Bin, Ir, MinMax, Pos, Ty, Val};
use crate::codegen::hints::WRITTEN_NEW;
use crate::facts::Pred;

/// A value in memory of the frame. In a function with loops in loops around calls, values in registers would be saved
/// and split around each of them, which takes LLVM most of the time for such a function.
#[derive(Clone, Copy)]
pub struct Kept<'f> {
    at: Val<'f>,
    ty: Ty<'f>,
}

/// Writes code at the end of the block that the builder stands in.
#[derive(Clone, Copy)]
pub struct Code<'w, 'f> {
    /// The builder.
    pub ir: &'w Ir<'f>,
}

impl<'f> Code<'_, 'f> {
    /// A number, an i64.
    pub fn word(self, value: u64) -> Val<'f> {
        self.ir.int(self.ir.int_ty(64), value.cast_signed())
    }

    /// Sum of i64s.
    pub fn add(self, a: Val<'f>, b: Val<'f>) -> Val<'f> {
        self.ir.bin(Bin::Add, a, b)
    }

    /// Difference of i64s.
    pub fn sub(self, a: Val<'f>, b: Val<'f>) -> Val<'f> {
        self.ir.bin(Bin::Sub, a, b)
    }

    /// Product of i64s.
    pub fn mul(self, a: Val<'f>, b: Val<'f>) -> Val<'f> {
        self.ir.bin(Bin::Mul, a, b)
    }

    /// The smaller one of i64s.
    pub fn min(self, a: Val<'f>, b: Val<'f>) -> Val<'f> {
        self.ir.min_max(MinMax::SMin, a, b)
    }

    /// The larger one of i64s.
    pub fn max(self, a: Val<'f>, b: Val<'f>) -> Val<'f> {
        self.ir.min_max(MinMax::SMax, a, b)
    }

    /// Whether all hold.
    pub fn all<const N: usize>(self, of: [Val<'f>; N]) -> Val<'f> {
        of.into_iter().reduce(|a, b| self.ir.bin(Bin::And, a, b)).unwrap_or_else(|| self.ir.int(self.ir.int_ty(1), -1))
    }

    /// Whether `a < b`.
    pub fn less(self, a: Val<'f>, b: Val<'f>) -> Val<'f> {
        self.ir.icmp(Pred::Slt, a, b)
    }

    /// Whether `a <= b`.
    pub fn at_most(self, a: Val<'f>, b: Val<'f>) -> Val<'f> {
        self.ir.icmp(Pred::Sle, a, b)
    }

    /// A loop: `body` gets each `step`th value from `first` to before `end`.
    pub fn each(self, first: Val<'f>, end: Val<'f>, step: Val<'f>, body: &mut dyn FnMut(Val<'f>)) {
        let ir = self.ir;
        let (before, header, after) = (ir.current(), ir.new_block("each"), ir.new_block("after"));
        ir.cond_br(self.less(first, end), header, after);
        ir.seek(Pos::End(header));
        let phi = ir.phi(ir.int_ty(64), "");
        ir.add_incoming(phi, first, before);
        body(phi);
        let latch = ir.current();
        let next = ir.bin(Bin::AddNsw, phi, step);
        let branch = ir.cond_br(self.less(next, end), header, after);
        ir.add_incoming(phi, next, latch);
        self.leave_as_it_is(branch);
        ir.seek(Pos::End(after));
    }

    /// Keeps a value in memory of the frame.
    pub fn keep(self, value: Val<'f>) -> Kept<'f> {
        let ir = self.ir;
        let (here, ty) = (ir.current(), ir.type_of(value));
        let at = ir.alloca(ty, "kept");
        ir.seek(Pos::End(here));
        ir.store(value, at);
        Kept { at, ty }
    }

    /// Where a value is kept.
    pub fn place(self, kept: Kept<'f>) -> Val<'f> {
        kept.at
    }

    /// A value that is kept.
    pub fn get(self, kept: Kept<'f>) -> Val<'f> {
        self.ir.load(kept.ty, kept.at)
    }

    /// Gives a value that is kept another one.
    pub fn put(self, kept: Kept<'f>, value: Val<'f>) {
        self.ir.store(value, kept.at);
    }

    /// As [`Code::each`], with what it counts kept in memory: for loops around calls.
    pub fn each_kept(self, [first, end, step]: [Kept<'f>; 3], body: &mut dyn FnMut(Kept<'f>)) {
        let ir = self.ir;
        let counter = self.keep(self.get(first));
        let (header, block, after) = (ir.new_block("each"), ir.new_block("turn"), ir.new_block("after"));
        ir.br(header);
        ir.seek(Pos::End(header));
        ir.cond_br(self.less(self.get(counter), self.get(end)), block, after);
        ir.seek(Pos::End(block));
        body(counter);
        self.put(counter, self.add(self.get(counter), self.get(step)));
        ir.br(header);
        ir.seek(Pos::End(after));
    }

    /// Lets no pass look for vectors in a loop, or unroll it: that is done.
    pub fn leave_as_it_is(self, latch_branch: Val<'f>) {
        let ir = self.ir;
        let one = ir.number(ir.int(ir.int_ty(32), 1));
        let done = ir.node(&[ir.text("llvm.loop.isvectorized"), one]);
        let whole = ir.node(&[ir.text("llvm.loop.unroll.disable")]);
        let new = ir.node(&[ir.text(WRITTEN_NEW)]);
        ir.set_loop_id(latch_branch, ir.loop_id(&[new, done, whole]));
    }

    /// A branch.
    pub fn choose(self, cond: Val<'f>, then: &mut dyn FnMut(), otherwise: &mut dyn FnMut()) {
        let ir = self.ir;
        let [yes, no, join] = ["then", "else", "join"].map(|name| ir.new_block(name));
        ir.cond_br(cond, yes, no);
        ir.seek(Pos::End(yes));
        then();
        ir.br(join);
        ir.seek(Pos::End(no));
        otherwise();
        ir.br(join);
        ir.seek(Pos::End(join));
    }

    /// `body` where the condition holds.
    pub fn when(self, cond: Val<'f>, body: &mut dyn FnMut()) {
        let ir = self.ir;
        let (yes, join) = (ir.new_block("then"), ir.new_block("join"));
        ir.cond_br(cond, yes, join);
        ir.seek(Pos::End(yes));
        body();
        ir.br(join);
        ir.seek(Pos::End(join));
    }
}
