//! Words that all threads of a program share: made here, and used by atomic instructions alone.

use llvm_sys::core::*;
use llvm_sys::{LLVMAtomicOrdering, LLVMAtomicRMWBinOp, LLVMLinkage, LLVMVisibility};
use std::ffi::CString;

use crate::bridge::ir::{Ir, Ty, Val};

/// What an atomic access promises of those around it.
const ORDERED: LLVMAtomicOrdering = LLVMAtomicOrdering::LLVMAtomicOrderingAcquireRelease;
/// Nothing but that it is whole.
const WHOLE: LLVMAtomicOrdering = LLVMAtomicOrdering::LLVMAtomicOrderingMonotonic;

impl<'f> Ir<'f> {
    /// So many null pointers, the same for all modules of a program or library that ask for this symbol.
    pub fn shared_pointers(&self, symbol: &str, count: u64) -> Val<'f> {
        let name = CString::new(symbol).unwrap_or_default();
        // SAFETY: live module and types; the initializer has the global's type.
        unsafe {
            let known = LLVMGetNamedGlobal(self.module, name.as_ptr());
            if !known.is_null() {
                return Val::of(known);
            }
            let ty = LLVMArrayType2(self.ptr_ty().0, count);
            let made = LLVMAddGlobal(self.module, ty, name.as_ptr());
            LLVMSetInitializer(made, LLVMConstNull(ty));
            LLVMSetLinkage(made, LLVMLinkage::LLVMLinkOnceODRLinkage);
            LLVMSetVisibility(made, LLVMVisibility::LLVMHiddenVisibility);
            LLVMSetAlignment(made, 64);
            self.kernels.borrow_mut().push((symbol.to_owned(), made));
            Val::of(made)
        }
    }

    /// An i64 that nobody else knows. It is among the data that files hold, where programs have other words
    /// that they write, and not behind their arrays.
    pub fn shared_word(&self, name: &str, first: i64) -> Val<'f> {
        let c_name = CString::new(name).unwrap_or_default();
        let ty = self.int_ty(64);
        // SAFETY: live module; the initializer has the global's type.
        unsafe {
            let made = LLVMAddGlobal(self.module, ty.0, c_name.as_ptr());
            LLVMSetInitializer(made, self.int(ty, first).0);
            LLVMSetLinkage(made, LLVMLinkage::LLVMInternalLinkage);
            self.kernels.borrow_mut().push((String::new(), made));
            Val::of(made)
        }
    }

    /// Loads a shared word or pointer.
    pub fn load_shared(&self, ty: Ty<'f>, ptr: Val<'f>) -> Val<'f> {
        let load = self.load(ty, ptr);
        self.make_whole(load)
    }

    /// Stores it.
    pub fn store_shared(&self, value: Val<'f>, ptr: Val<'f>) {
        let store = self.store(value, ptr);
        self.make_whole(store);
    }

    fn make_whole(&self, access: Val<'f>) -> Val<'f> {
        // SAFETY: the handle of a load or store; shared words are aligned by their type.
        unsafe { LLVMSetOrdering(access.0, WHOLE) };
        access
    }

    /// Puts a pointer in the place of the one that is returned.
    pub fn exchange(&self, ptr: Val<'f>, value: Val<'f>) -> Val<'f> {
        let builder = self.builder.as_mut_ptr();
        // SAFETY: live handles; the builder is positioned.
        Val::of(unsafe {
            LLVMBuildAtomicRMW(builder, LLVMAtomicRMWBinOp::LLVMAtomicRMWBinOpXchg, ptr.0, value.0, ORDERED, 0)
        })
    }

    /// Puts a pointer in the place of null; whether null was there, as an i1.
    pub fn fill_null(&self, ptr: Val<'f>, value: Val<'f>) -> Val<'f> {
        let builder = self.builder.as_mut_ptr();
        let null = self.zero(self.ptr_ty());
        // SAFETY: live handles; the builder is positioned.
        Val::of(unsafe {
            let both = LLVMBuildAtomicCmpXchg(builder, ptr.0, null.0, value.0, ORDERED, WHOLE, 0);
            LLVMBuildExtractValue(builder, both, 1, c"".as_ptr())
        })
    }
}
