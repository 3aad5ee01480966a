//! For unit tests: a function made from text, changed through [`Ir`], compiled and called.

use std::ffi::CString;

use llvm_sys::LLVMOpcode;
use llvm_sys::LLVMTypeKind;
use llvm_sys::core::*;
use llvm_sys::execution_engine::*;
use llvm_sys::ir_reader::LLVMParseIRInContext2;
use llvm_sys::prelude::*;
use llvm_sys::target::{
    LLVM_InitializeNativeAsmPrinter, LLVM_InitializeNativeTarget, LLVMGetModuleDataLayout, LLVMStoreSizeOfType,
};

use crate::bridge::ir::Ir;
use crate::error::SourceLoc;
use crate::facts::{Block, Costs, FunctionFacts, Type, Value, ValueKind};
use crate::ids::{BlockId, ValueId};
use std::collections::HashMap;

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

    /// What code generation reads of `f`, by the ids of [`Self::ir`]: blocks, and for values what they are, their
    /// operands and users and their names. No expressions and no loops; a block's immediate dominator is its first
    /// predecessor.
    pub fn facts(&mut self) -> FunctionFacts {
        // SAFETY: as in `ir`; operand and successor numbers are below the counts.
        unsafe {
            let f = LLVMGetNamedFunction(self.module, c"f".as_ptr());
            let mut ids: HashMap<LLVMValueRef, ValueId> = HashMap::new();
            let mut all: Vec<(LLVMValueRef, Option<BlockId>)> =
                (0..LLVMCountParams(f)).map(|k| (LLVMGetParam(f, k), None)).collect();
            let mut blocks: Vec<LLVMBasicBlockRef> = Vec::new();
            let mut block = LLVMGetFirstBasicBlock(f);
            while !block.is_null() {
                let mut inst = LLVMGetFirstInstruction(block);
                while !inst.is_null() {
                    all.push((inst, Some(BlockId::new(blocks.len()))));
                    inst = LLVMGetNextInstruction(inst);
                }
                blocks.push(block);
                block = LLVMGetNextBasicBlock(block);
            }
            ids.extend(all.iter().enumerate().map(|(k, (v, _))| (*v, ValueId::new(k))));
            let mut facts = FunctionFacts { name: "f".to_owned(), ..FunctionFacts::default() };
            facts.blocks = vec![Block::default(); blocks.len()];
            for (k, block) in blocks.iter().enumerate() {
                let end = LLVMGetBasicBlockTerminator(*block);
                for s in 0..LLVMGetNumSuccessors(end) {
                    let to = blocks.iter().position(|b| *b == LLVMGetSuccessor(end, s)).expect("a block of f");
                    facts.blocks[k].succs.push(BlockId::new(to));
                    facts.blocks[to].preds.push(BlockId::new(k));
                    facts.blocks[to].idom.get_or_insert(BlockId::new(k));
                }
            }
            facts.values = all.iter().map(|(v, block)| self.value(*v, *block, &ids)).collect();
            for (k, (_, block)) in all.iter().enumerate() {
                if let Some(block) = block {
                    facts.blocks[block.index()].insts.push(ValueId::new(k));
                }
                for operand in facts.values[k].operands.clone() {
                    facts.values[operand.index()].users.push(ValueId::new(k));
                }
            }
            facts
        }
    }

    /// SAFETY: `v` is an argument or an instruction of the module.
    unsafe fn value(&self, v: LLVMValueRef, block: Option<BlockId>, ids: &HashMap<LLVMValueRef, ValueId>) -> Value {
        // SAFETY: see above; operand numbers are below the count.
        unsafe {
            let operand = |k: u32| ids.get(&LLVMGetOperand(v, k)).copied().unwrap_or(ValueId(u32::MAX));
            let bytes =
                |ty| u32::try_from(LLVMStoreSizeOfType(LLVMGetModuleDataLayout(self.module), ty)).expect("small");
            let count = if block.is_some() { LLVMGetNumOperands(v).cast_unsigned() } else { 0 };
            let kind = match block.map(|_| LLVMGetInstructionOpcode(v)) {
                None => ValueKind::Argument,
                Some(LLVMOpcode::LLVMAlloca) => ValueKind::Local,
                Some(LLVMOpcode::LLVMLoad) => ValueKind::Load { ptr: operand(0), bytes: bytes(LLVMTypeOf(v)) },
                Some(LLVMOpcode::LLVMStore) => {
                    let bytes = bytes(LLVMTypeOf(LLVMGetOperand(v, 0)));
                    ValueKind::Store { value: operand(0), ptr: operand(1), bytes }
                }
                Some(LLVMOpcode::LLVMPHI) => ValueKind::Phi(Vec::new()),
                Some(LLVMOpcode::LLVMBr) if count == 1 => ValueKind::Br,
                Some(LLVMOpcode::LLVMBr) => ValueKind::CondBr(operand(0)),
                Some(LLVMOpcode::LLVMRet) => ValueKind::Ret,
                Some(_) => ValueKind::Pure,
            };
            let ty = match LLVMGetTypeKind(LLVMTypeOf(v)) {
                LLVMTypeKind::LLVMIntegerTypeKind => Type::Int(LLVMGetIntTypeWidth(LLVMTypeOf(v))),
                LLVMTypeKind::LLVMDoubleTypeKind => Type::Float(64),
                LLVMTypeKind::LLVMPointerTypeKind => Type::Ptr,
                _ => Type::Other,
            };
            let mut len = 0;
            let name = LLVMGetValueName2(v, &raw mut len);
            let name = std::slice::from_raw_parts(name.cast::<u8>(), len);
            Value {
                kind,
                ty,
                block,
                in_arm: false,
                operands: (0..count).map(operand).filter(|id| id.0 != u32::MAX).collect(),
                users: Vec::new(),
                scev: None,
                ptr_scev: None,
                base: None,
                offset: None,
                cmp_scevs: None,
                object_bytes: None,
                update: None,
                lanewise: false,
                in_lanes: false,
                at_zero: None,
                heap: None,
                costs: Costs::default(),
                name: String::from_utf8_lossy(name).into_owned(),
                loc: SourceLoc::default(),
            }
        }
    }

    /// Compiles `i64 f(i64, i64)` and calls it with each pair.
    pub fn run(self, arguments: &[(i64, i64)]) -> Vec<i64> {
        // SAFETY: the engine owns the module and lives until the last call; `f` has the signature told (checked by the
        // caller's IR text, which is part of the test).
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
