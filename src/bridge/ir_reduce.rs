//! Operations on running values, and rows of partial results.

use llvm_sys::core::*;
use llvm_sys::prelude::*;
use llvm_sys::{LLVMOpcode, LLVMTypeKind};

use crate::bridge::ir::{Bin, Ir, Ty, Val, built};
use crate::facts::Operation;
use crate::ids::ValueId;

impl<'f> Ir<'f> {
    /// Takes back what an integer instruction claims of its result: that it does not wrap, that its operands share no
    /// bit.
    pub fn drop_claims(&self, inst: Val<'f>) {
        // SAFETY: live handle; each flag is set on instructions that have it only.
        unsafe {
            if LLVMIsAInstruction(inst.0).is_null() {
                return;
            }
            match LLVMGetInstructionOpcode(inst.0) {
                LLVMOpcode::LLVMAdd | LLVMOpcode::LLVMSub | LLVMOpcode::LLVMMul => {
                    LLVMSetNSW(inst.0, 0);
                    LLVMSetNUW(inst.0, 0);
                }
                LLVMOpcode::LLVMOr => LLVMSetIsDisjoint(inst.0, 0),
                _ => {}
            }
        }
    }

    /// The value of type `ty` that `op` leaves every other value unchanged with; of a minimum or maximum that rules
    /// infinities out, every finite one.
    #[must_use]
    pub fn identity(&self, op: Operation, ty: Ty<'f>, has_infinities: bool) -> Val<'f> {
        let real = |value: f64| {
            // SAFETY: a floating-point type.
            Val::of(unsafe { LLVMConstReal(ty.0, value) })
        };
        let bits = self.int_bits(ty).unwrap_or(64).min(64);
        let largest = i64::MAX >> (64 - bits);
        let extreme = if has_infinities { f64::INFINITY } else { self.largest_real(ty) };
        match op {
            Operation::Add | Operation::Or | Operation::Xor | Operation::UMax => self.int(ty, 0),
            Operation::Mul => self.int(ty, 1),
            Operation::And | Operation::UMin => self.int(ty, -1),
            Operation::SMin => self.int(ty, largest),
            Operation::SMax => self.int(ty, -largest - 1),
            Operation::FAdd => real(-0.0),
            Operation::FMul => real(1.0),
            Operation::FMin => real(extreme),
            Operation::FMax => real(-extreme),
        }
    }

    /// No value at all.
    #[must_use]
    pub fn poison(&self, ty: Ty<'f>) -> Val<'f> {
        // SAFETY: types live as long as the context.
        Val::of(unsafe { LLVMGetPoison(ty.0) })
    }

    fn largest_real(&self, ty: Ty<'f>) -> f64 {
        // SAFETY: types live as long as the context.
        match unsafe { LLVMGetTypeKind(ty.0) } {
            LLVMTypeKind::LLVMHalfTypeKind => 65504.0,
            LLVMTypeKind::LLVMFloatTypeKind => f64::from(f32::MAX),
            _ => f64::MAX,
        }
    }

    /// `a op b`; floating point with the flags that all of `like` have.
    pub fn apply(&self, op: Operation, a: Val<'f>, b: Val<'f>, like: &[ValueId]) -> Val<'f> {
        // SAFETY: live handles of equal type, which fits the operation; flags are copied between instructions that can
        // have them.
        Val::of(unsafe {
            let made = match op {
                Operation::Add => self.bin(Bin::Add, a, b).0,
                Operation::Mul => self.bin(Bin::Mul, a, b).0,
                Operation::And => self.bin(Bin::And, a, b).0,
                Operation::Or => self.bin(Bin::Or, a, b).0,
                Operation::Xor => self.bin(Bin::Xor, a, b).0,
                Operation::FAdd => self.real_add(a, b).0,
                Operation::FMul => self.real_mul(a, b).0,
                Operation::SMin => self.choose_one("llvm.smin", a, b),
                Operation::SMax => self.choose_one("llvm.smax", a, b),
                Operation::UMin => self.choose_one("llvm.umin", a, b),
                Operation::UMax => self.choose_one("llvm.umax", a, b),
                Operation::FMin => self.choose_one("llvm.minnum", a, b),
                Operation::FMax => self.choose_one("llvm.maxnum", a, b),
            };
            if !LLVMIsAInstruction(made).is_null() && LLVMCanValueUseFastMathFlags(made) != 0 {
                let flags = like.iter().map(|id| LLVMGetFastMathFlags(self.value(*id).0));
                LLVMSetFastMathFlags(made, flags.reduce(|x, y| x & y).unwrap_or(0));
            }
            made
        })
    }

    /// `part` where it is below both other values, else `old`, a NaN included.
    pub fn replaced_below(&self, old: Val<'f>, part: Val<'f>, limit: Val<'f>) -> Val<'f> {
        let is_below = |bound| self.real_less(part, bound);
        self.select(self.bin(Bin::And, is_below(old), is_below(limit)), part, old)
    }

    /// `part` where it is above both other values, else `old`, a NaN included.
    pub fn replaced_above(&self, old: Val<'f>, part: Val<'f>, limit: Val<'f>) -> Val<'f> {
        let is_above = |bound| self.real_less(bound, part);
        self.select(self.bin(Bin::And, is_above(old), is_above(limit)), part, old)
    }

    /// A call of an intrinsic of two arguments of one type.
    ///
    /// # Safety
    /// The intrinsic exists for the type of both.
    pub(super) unsafe fn choose_one(&self, name: &str, a: Val<'f>, b: Val<'f>) -> LLVMValueRef {
        // SAFETY: live handles; the intrinsic is overloaded on the type that both arguments have.
        unsafe {
            let mut ty = LLVMTypeOf(a.0);
            let id = LLVMLookupIntrinsicID(name.as_ptr().cast(), name.len());
            let callee = LLVMGetIntrinsicDeclaration(self.module, id, &raw mut ty, 1);
            self.call_of(callee, LLVMGlobalGetValueType(callee), &[a, b])
        }
    }

    /// Room for `count` values in the function's frame. The insertion point is lost.
    pub fn alloca_row(&self, ty: Ty<'f>, count: u64, name: &str) -> Val<'f> {
        // SAFETY: types live as long as the context.
        self.alloca(Ty::of(unsafe { LLVMArrayType2(ty.0, count) }), name)
    }

    /// Address of element `index`, an i64, of a row of `ty`.
    pub fn element(&self, ty: Ty<'f>, row: Val<'f>, index: Val<'f>) -> Val<'f> {
        // SAFETY: live handles: a pointer and an i64.
        built(unsafe { self.builder.build_gep(ty.any(), row.pointer(), &[index.int()], "") })
    }
}
