//! Calls of functions that tell how the rows behind the pointers of tables lie in memory.

use llvm_sys::prelude::*;

use crate::bridge::ir::{Ir, Ty, Val};

unsafe extern "C" {
    fn polyrs_ir_rows(module: LLVMModuleRef, which: u32) -> LLVMValueRef;
}

/// A table of pointers as the program has it, or backwards.
#[derive(Clone, Copy, Debug)]
pub struct Table<'f> {
    /// Address of the first pointer.
    pub first: Val<'f>,
    /// Bytes from one pointer to the next, an i64.
    pub stride: Val<'f>,
    /// How many there are, an i64; nothing is read where there are none.
    pub count: Val<'f>,
}

/// The functions, in the order of `rows.cpp`.
#[derive(Clone, Copy)]
enum Function {
    Ascending,
    Clear,
    Apart,
}

impl<'f> Ir<'f> {
    fn rows(&self, function: Function, ret: Ty<'f>, args: &[Val<'f>]) -> Val<'f> {
        // SAFETY: live handles; the callers below pass arguments of the functions' types.
        Val::of(unsafe {
            let callee = polyrs_ir_rows(self.module, function as u32);
            self.call_of(callee, self.function_ty(Some(ret), args, false), args)
        })
    }

    /// The number of the pointer to the lowest row, if rows of so many bytes (an i64) ascend from there, around the end
    /// of the table, without overlapping; else -1.
    pub fn lowest_row(&self, of: Table<'f>, bytes: Val<'f>) -> Val<'f> {
        self.rows(Function::Ascending, self.int_ty(64), &[of.first, of.stride, of.count, bytes])
    }

    /// Whether no row has bytes in a range of addresses, as an i1: each row counts from its first to before its last
    /// end. All bounds are i128.
    pub fn rows_clear(&self, of: Table<'f>, within: (Val<'f>, Val<'f>), range: (Val<'f>, Val<'f>)) -> Val<'f> {
        let args = [of.first, of.stride, of.count, within.0, within.1, range.0, range.1];
        self.rows(Function::Clear, self.int_ty(1), &args)
    }

    /// Whether no row of one table overlaps with one of the other, as an i1; both as [`Self::rows_clear`], and
    /// ascending from their lowest row.
    pub fn rows_apart(
        &self,
        a: (Table<'f>, Val<'f>, (Val<'f>, Val<'f>)),
        b: (Table<'f>, Val<'f>, (Val<'f>, Val<'f>)),
    ) -> Val<'f> {
        let args = |(of, lowest, within): (Table<'f>, Val<'f>, (Val<'f>, Val<'f>))| {
            [of.first, of.stride, of.count, lowest, within.0, within.1]
        };
        self.rows(Function::Apart, self.int_ty(1), &[args(a), args(b)].concat())
    }
}
