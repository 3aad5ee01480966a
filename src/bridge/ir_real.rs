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

    /// The larger of two.
    pub fn real_max(&self, a: Val, b: Val) -> Val {
        let first = self.real_at_least(a, b);
        // SAFETY: live handles: an i1 and two doubles.
        Val(unsafe { LLVMBuildSelect(self.builder, first.0, a.0, b.0, NO_NAME) })
    }
}
