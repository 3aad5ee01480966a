//! 64-bit floating point, for estimates made at run time.

use llvm_sys::LLVMRealPredicate;
use llvm_sys::core::*;

use crate::bridge::ir::{Ir, Val};

const NO_NAME: *const std::ffi::c_char = c"".as_ptr();

impl Ir<'_> {
    /// A constant.
    #[must_use]
    pub fn real(&self, value: f64) -> Val {
        // SAFETY: the context outlives the function.
        Val(unsafe { LLVMConstReal(LLVMDoubleTypeInContext(self.context), value) })
    }

    /// A signed integer, rounded.
    pub fn real_of_int(&self, v: Val) -> Val {
        // SAFETY: live handle of an integer.
        Val(unsafe { LLVMBuildSIToFP(self.builder, v.0, LLVMDoubleTypeInContext(self.context), NO_NAME) })
    }

    /// Sum.
    pub fn real_add(&self, a: Val, b: Val) -> Val {
        // SAFETY: live handles of doubles.
        Val(unsafe { LLVMBuildFAdd(self.builder, a.0, b.0, NO_NAME) })
    }

    /// Product.
    pub fn real_mul(&self, a: Val, b: Val) -> Val {
        // SAFETY: live handles of doubles.
        Val(unsafe { LLVMBuildFMul(self.builder, a.0, b.0, NO_NAME) })
    }

    /// Whether `a >= b`, as an i1.
    pub fn real_at_least(&self, a: Val, b: Val) -> Val {
        // SAFETY: live handles of doubles.
        Val(unsafe { LLVMBuildFCmp(self.builder, LLVMRealPredicate::LLVMRealOGE, a.0, b.0, NO_NAME) })
    }

    /// Whether `a < b`, of any floating-point type, as an i1.
    pub fn real_less(&self, a: Val, b: Val) -> Val {
        // SAFETY: live handles of one floating-point type.
        Val(unsafe { LLVMBuildFCmp(self.builder, LLVMRealPredicate::LLVMRealOLT, a.0, b.0, NO_NAME) })
    }

    /// Quotient.
    pub fn real_div(&self, a: Val, b: Val) -> Val {
        // SAFETY: live handles of doubles.
        Val(unsafe { LLVMBuildFDiv(self.builder, a.0, b.0, NO_NAME) })
    }

    /// The integer, of 64 bits, that `a` is between 0 and `most`, rounded down; the next end of that range outside of it or for a NaN.
    pub fn real_to_int(&self, a: Val, most: f64) -> Val {
        let below = self.select(self.real_less(a, self.real(most)), a, self.real(most));
        let a = self.real_max(below, self.real(0.0));
        // SAFETY: live handle of a double that 64 bits hold.
        Val(unsafe { LLVMBuildFPToSI(self.builder, a.0, self.int_ty(64).0, NO_NAME) })
    }

    /// The larger of two.
    pub fn real_max(&self, a: Val, b: Val) -> Val {
        let first = self.real_at_least(a, b);
        // SAFETY: live handles: an i1 and two doubles.
        Val(unsafe { LLVMBuildSelect(self.builder, first.0, a.0, b.0, NO_NAME) })
    }
}
