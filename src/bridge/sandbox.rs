//! For unit tests: a function made from text, changed through [`Ir`], compiled and called.

use std::ffi::CString;

use llvm_sys::core::*;
use llvm_sys::execution_engine::*;
use llvm_sys::ir_reader::LLVMParseIRInContext2;
use llvm_sys::prelude::*;
use llvm_sys::target::{LLVM_InitializeNativeAsmPrinter, LLVM_InitializeNativeTarget};

use crate::bridge::ir::Ir;

/// A module with one function `f`.
pub struct Sandbox {
    context: LLVMContextRef,
    module: LLVMModuleRef,
}

impl Sandbox {
    /// Parses a module.
    pub fn parse(text: &str) -> Self {
        let text = CString::new(text).expect("IR text without zero bytes");
        // SAFETY: the buffer copies the text and is consumed by the parser; the module lives in the context.
        unsafe {
            let context = LLVMContextCreate();
            let len = text.as_bytes().len();
            let buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(text.as_ptr(), len, c"test".as_ptr());
            let (mut module, mut message) = (std::ptr::null_mut(), std::ptr::null_mut());
            let failed = LLVMParseIRInContext2(context, buffer, &raw mut module, &raw mut message);
            LLVMDisposeMemoryBuffer(buffer);
            assert_eq!(failed, 0, "the test's IR does not parse");
            Self { context, module }
        }
    }

    /// A builder for `f`; value ids are its arguments, then its instructions, in order.
    pub fn ir(&mut self) -> Ir<'_> {
        // SAFETY: the function and all that is listed live as long as `self`, which the builder borrows.
        unsafe {
            let f = LLVMGetNamedFunction(self.module, c"f".as_ptr());
            let mut values: Vec<LLVMValueRef> = (0..LLVMCountParams(f)).map(|k| LLVMGetParam(f, k)).collect();
            let mut blocks = Vec::new();
            let mut block = LLVMGetFirstBasicBlock(f);
            while !block.is_null() {
                blocks.push(block);
                let mut inst = LLVMGetFirstInstruction(block);
                while !inst.is_null() {
                    values.push(inst);
                    inst = LLVMGetNextInstruction(inst);
                }
                block = LLVMGetNextBasicBlock(block);
            }
            Ir::new(f, &values, &blocks)
        }
    }

    /// Compiles `i64 f(i64, i64)` and calls it with each pair.
    pub fn run(self, arguments: &[(i64, i64)]) -> Vec<i64> {
        // SAFETY: the engine owns the module and lives until the last call; `f` has the signature told (checked by the caller's
        // IR text, which is part of the test).
        unsafe {
            assert_eq!(LLVM_InitializeNativeTarget(), 0);
            assert_eq!(LLVM_InitializeNativeAsmPrinter(), 0);
            LLVMLinkInMCJIT();
            let (mut engine, mut message) = (std::ptr::null_mut(), std::ptr::null_mut());
            let failed = LLVMCreateExecutionEngineForModule(&raw mut engine, self.module, &raw mut message);
            assert_eq!(failed, 0, "no JIT compiler");
            let address = LLVMGetFunctionAddress(engine, c"f".as_ptr());
            let f = std::mem::transmute::<u64, extern "C" fn(i64, i64) -> i64>(address);
            let results = arguments.iter().map(|(a, b)| f(*a, *b)).collect();
            LLVMDisposeExecutionEngine(engine);
            LLVMContextDispose(self.context);
            results
        }
    }
}
