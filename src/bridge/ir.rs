//! Writing IR into one function: a thin safe layer over LLVM's C API.
//!
//! Handles ([`Val`], [`Blk`], [`Ty`], [`Meta`]) are only made by [`Ir`], point into the function (or its module) that the `Ir`
//! was made for, and stay valid as long as nothing deletes them: blocks are deleted by [`Ir::delete_blocks`] alone, instructions
//! by [`Ir::promote`] (allocas with their loads and stores) alone. Callers do both last.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::ffi::{CString, c_char};
use std::marker::PhantomData;

use llvm_sys::core::*;
use llvm_sys::debuginfo::*;
use llvm_sys::prelude::*;
use llvm_sys::{LLVMFastMathAllowReassoc, LLVMIntPredicate, LLVMOpcode};

use crate::facts::Pred;
use crate::ids::{BlockId, ValueId};

/// An LLVM value of the function.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Val(pub(super) LLVMValueRef);

/// A basic block of the function.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Blk(pub(super) LLVMBasicBlockRef);

/// An LLVM type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ty(pub(super) LLVMTypeRef);

/// A metadata node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Meta(pub(super) LLVMMetadataRef);

/// Binary integer operators.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bin {
    /// Wrapping sum.
    Add,
    /// Wrapping difference.
    Sub,
    /// Wrapping product.
    Mul,
    /// Sum known not to wrap in signed arithmetic.
    AddNsw,
    /// Signed quotient, rounded to zero; the divisor is a non-zero constant.
    SDiv,
    /// Unsigned quotient; the divisor is a non-zero constant.
    UDiv,
    /// Arithmetic shift right.
    AShr,
    /// Bitwise and (also of truth values).
    And,
    /// Bitwise or (also of truth values).
    Or,
    /// Bitwise exclusive or (also of truth values).
    Xor,
}

/// Two-operand choices.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[allow(missing_docs)]
pub enum MinMax {
    SMin,
    SMax,
    UMin,
    UMax,
}

impl MinMax {
    fn intrinsic(self) -> &'static str {
        match self {
            Self::SMin => "llvm.smin",
            Self::SMax => "llvm.smax",
            Self::UMin => "llvm.umin",
            Self::UMax => "llvm.umax",
        }
    }
}

/// Integer conversions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Cast {
    SExt,
    ZExt,
    Trunc,
    PtrToInt,
}

/// Where new instructions go: the end of a block, or behind an instruction of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pos {
    /// Last in the block (which has no terminator yet).
    End(Blk),
    /// Directly behind this instruction.
    After(Val),
}

/// Builder for one function, with the handle tables of its facts. While it lives (`'f`) nothing else changes the function.
pub struct Ir<'f> {
    pub(super) function: LLVMValueRef,
    /// Has the debug subprogram that source positions in `function` belong to.
    pub(super) original: LLVMValueRef,
    pub(super) context: LLVMContextRef,
    pub(super) module: LLVMModuleRef,
    pub(super) builder: LLVMBuilderRef,
    values: Vec<LLVMValueRef>,
    blocks: Vec<LLVMBasicBlockRef>,
    pub(super) ids: HashMap<LLVMValueRef, ValueId>,
    pub(super) made: RefCell<Vec<Blk>>,
    pub(super) debug_loc: Cell<LLVMMetadataRef>,
    _function: PhantomData<&'f mut ()>,
}

const NO_NAME: *const c_char = c"".as_ptr();

pub(crate) fn len_u32(len: usize) -> u32 {
    u32::try_from(len).expect("more than u32::MAX operands")
}

impl Ir<'_> {
    /// A builder for `function`, whose facts list `values` and `blocks` in id order.
    ///
    /// # Safety
    /// All handles are live, belong to `function` (or are globals and constants of its module), and nothing else changes or
    /// deletes them while the `Ir` lives.
    #[must_use]
    pub unsafe fn new(function: LLVMValueRef, values: &[LLVMValueRef], blocks: &[LLVMBasicBlockRef]) -> Self {
        // SAFETY: `function` is live (caller), so its parent module and that one's context are.
        let (module, context, builder) = unsafe {
            let module = LLVMGetGlobalParent(function);
            let context = LLVMGetModuleContext(module);
            (module, context, LLVMCreateBuilderInContext(context))
        };
        let ids = values.iter().enumerate().map(|(i, v)| (*v, ValueId::new(i))).collect();
        Self {
            function,
            original: function,
            context,
            module,
            builder,
            values: values.to_vec(),
            blocks: blocks.to_vec(),
            ids,
            made: RefCell::default(),
            debug_loc: Cell::new(std::ptr::null_mut()),
            _function: PhantomData,
        }
    }

    /// The same for a copy of `original`, which has the debug subprogram that source positions in the copy belong to.
    #[must_use]
    pub(super) fn with_positions_of(mut self, original: LLVMValueRef) -> Self {
        self.original = original;
        self
    }

    /// The value with this id, which is not lost.
    #[must_use]
    pub fn value(&self, id: ValueId) -> Val {
        Val(self.values[id.index()])
    }

    /// The block with this id.
    #[must_use]
    pub fn block(&self, id: BlockId) -> Blk {
        Blk(self.blocks[id.index()])
    }

    /// The type of a value.
    #[must_use]
    pub fn type_of(&self, v: Val) -> Ty {
        // SAFETY: handles of this type are live (module header).
        Ty(unsafe { LLVMTypeOf(v.0) })
    }

    /// `i<bits>`.
    #[must_use]
    pub fn int_ty(&self, bits: u32) -> Ty {
        // SAFETY: the context outlives the function.
        Ty(unsafe { LLVMIntTypeInContext(self.context, bits) })
    }

    /// Width of an integer type.
    #[must_use]
    pub fn int_bits(&self, ty: Ty) -> Option<u32> {
        // SAFETY: types live as long as the context.
        unsafe {
            (LLVMGetTypeKind(ty.0) == llvm_sys::LLVMTypeKind::LLVMIntegerTypeKind).then(|| LLVMGetIntTypeWidth(ty.0))
        }
    }

    /// Whether this is a pointer type.
    #[must_use]
    pub fn is_ptr(&self, ty: Ty) -> bool {
        // SAFETY: types live as long as the context.
        unsafe { LLVMGetTypeKind(ty.0) == llvm_sys::LLVMTypeKind::LLVMPointerTypeKind }
    }

    /// A constant of an integer type, sign-extended to its width.
    #[must_use]
    pub fn int(&self, ty: Ty, value: i64) -> Val {
        let low = value.cast_unsigned();
        let words = [low, if value < 0 { u64::MAX } else { 0 }];
        // SAFETY: `ty` is an integer type of at most 128 bits; the words are copied.
        Val(unsafe { LLVMConstIntOfArbitraryPrecision(ty.0, 2, words.as_ptr()) })
    }

    /// Whether this is floating-point arithmetic, or a load, whose result LLVM may not compute in another order.
    #[must_use]
    pub fn is_strict_arithmetic(&self, v: Val) -> bool {
        // SAFETY: a value of this module; the opcode is asked of instructions only, flags of those that can have them.
        unsafe {
            if LLVMIsAInstruction(v.0).is_null() {
                return false;
            }
            let strict =
                LLVMCanValueUseFastMathFlags(v.0) == 0 || LLVMGetFastMathFlags(v.0) & LLVMFastMathAllowReassoc == 0;
            let arithmetic = match LLVMGetInstructionOpcode(v.0) {
                LLVMOpcode::LLVMLoad
                | LLVMOpcode::LLVMFAdd
                | LLVMOpcode::LLVMFSub
                | LLVMOpcode::LLVMFMul
                | LLVMOpcode::LLVMFDiv
                | LLVMOpcode::LLVMFNeg => true,
                LLVMOpcode::LLVMCall => {
                    let name = "llvm.fmuladd";
                    let called = LLVMGetCalledValue(v.0);
                    !LLVMIsAFunction(called).is_null()
                        && LLVMGetIntrinsicID(called) == LLVMLookupIntrinsicID(name.as_ptr().cast(), name.len())
                }
                _ => false,
            };
            strict && arithmetic
        }
    }

    /// The value of an integer constant of at most 64 bits, sign-extended.
    #[must_use]
    pub fn as_const(&self, v: Val) -> Option<i64> {
        // SAFETY: live handle; the width is checked before the value is read.
        unsafe {
            let narrow = self.int_bits(self.type_of(v)).is_some_and(|bits| bits <= 64);
            (narrow && !LLVMIsAConstantInt(v.0).is_null()).then(|| LLVMConstIntGetSExtValue(v.0))
        }
    }

    /// A new block, last in the function, without predecessors.
    pub fn new_block(&self, name: &str) -> Blk {
        let name = CString::new(name).unwrap_or_default();
        // SAFETY: context and function are live.
        let block = Blk(unsafe { LLVMAppendBasicBlockInContext(self.context, self.function, name.as_ptr()) });
        self.made.borrow_mut().push(block);
        block
    }

    /// Blocks made so far by [`Self::new_block`], in order.
    #[must_use]
    pub fn made(&self) -> Vec<Blk> {
        self.made.borrow().clone()
    }

    /// Forgets the blocks made so far: they stay.
    pub fn keep_made(&self) {
        self.made.borrow_mut().clear();
    }

    /// From now on the value with this id is `by`: the old one is about to go.
    pub fn supersede(&mut self, id: ValueId, by: Val) {
        self.ids.insert(by.0, id);
        self.values[id.index()] = by.0;
    }

    /// From now on no value has this id: the old one is about to go, or reaches what comes behind it on some paths only.
    pub fn lose(&mut self, id: ValueId) {
        let old = std::mem::replace(&mut self.values[id.index()], std::ptr::null_mut());
        self.ids.remove(&old);
    }

    /// Whether [`Self::lose`] was told of this id.
    #[must_use]
    pub fn is_lost(&self, id: ValueId) -> bool {
        self.values[id.index()].is_null()
    }

    /// Moves the insertion point.
    pub fn seek(&self, pos: Pos) {
        // SAFETY: live handles; `After` names an instruction that is not a terminator, or the end is used.
        unsafe {
            match pos {
                Pos::End(b) => LLVMPositionBuilderAtEnd(self.builder, b.0),
                Pos::After(v) => {
                    let next = LLVMGetNextInstruction(v.0);
                    if next.is_null() {
                        LLVMPositionBuilderAtEnd(self.builder, LLVMGetInstructionParent(v.0));
                    } else {
                        LLVMPositionBuilderBefore(self.builder, next);
                    }
                }
            }
            LLVMSetCurrentDebugLocation2(self.builder, self.debug_loc.get());
        }
    }

    /// The block that instructions are being added to.
    #[must_use]
    pub fn current(&self) -> Blk {
        // SAFETY: the builder is live and has been positioned by `seek`.
        Blk(unsafe { LLVMGetInsertBlock(self.builder) })
    }

    /// Gives instructions built from here on the source position of `like`, or none.
    pub fn set_debug_loc(&self, like: Option<ValueId>) {
        let loc = like.map_or(std::ptr::null_mut(), |id| {
            let v = self.values[id.index()];
            // SAFETY: live handle, checked to be an instruction.
            unsafe {
                if LLVMIsAInstruction(v).is_null() { std::ptr::null_mut() } else { LLVMInstructionGetDebugLoc(v) }
            }
        });
        self.debug_loc.set(loc);
        // SAFETY: a null location clears it.
        unsafe { LLVMSetCurrentDebugLocation2(self.builder, loc) };
    }

    /// Whether a value is an instruction (constants folded by the builder are not).
    #[must_use]
    pub fn is_instruction(&self, v: Val) -> bool {
        // SAFETY: live handle.
        unsafe { !LLVMIsAInstruction(v.0).is_null() }
    }

    /// Integer arithmetic; both sides have the same type.
    pub fn bin(&self, op: Bin, a: Val, b: Val) -> Val {
        let bld = self.builder;
        // SAFETY: live handles of equal integer type.
        Val(unsafe {
            match op {
                Bin::Add => LLVMBuildAdd(bld, a.0, b.0, NO_NAME),
                Bin::Sub => LLVMBuildSub(bld, a.0, b.0, NO_NAME),
                Bin::Mul => LLVMBuildMul(bld, a.0, b.0, NO_NAME),
                Bin::AddNsw => LLVMBuildNSWAdd(bld, a.0, b.0, NO_NAME),
                Bin::SDiv => LLVMBuildSDiv(bld, a.0, b.0, NO_NAME),
                Bin::UDiv => LLVMBuildUDiv(bld, a.0, b.0, NO_NAME),
                Bin::AShr => LLVMBuildAShr(bld, a.0, b.0, NO_NAME),
                Bin::And => LLVMBuildAnd(bld, a.0, b.0, NO_NAME),
                Bin::Or => LLVMBuildOr(bld, a.0, b.0, NO_NAME),
                Bin::Xor => LLVMBuildXor(bld, a.0, b.0, NO_NAME),
            }
        })
    }

    /// Integer comparison; both sides have the same type.
    pub fn icmp(&self, pred: Pred, a: Val, b: Val) -> Val {
        let pred = match pred {
            Pred::Eq => LLVMIntPredicate::LLVMIntEQ,
            Pred::Ne => LLVMIntPredicate::LLVMIntNE,
            Pred::Sgt => LLVMIntPredicate::LLVMIntSGT,
            Pred::Sge => LLVMIntPredicate::LLVMIntSGE,
            Pred::Slt => LLVMIntPredicate::LLVMIntSLT,
            Pred::Sle => LLVMIntPredicate::LLVMIntSLE,
            Pred::Ugt => LLVMIntPredicate::LLVMIntUGT,
            Pred::Uge => LLVMIntPredicate::LLVMIntUGE,
            Pred::Ult => LLVMIntPredicate::LLVMIntULT,
            Pred::Ule => LLVMIntPredicate::LLVMIntULE,
        };
        // SAFETY: live handles of equal type.
        Val(unsafe { LLVMBuildICmp(self.builder, pred, a.0, b.0, NO_NAME) })
    }

    /// Minimum or maximum of two integers of the same type.
    pub fn min_max(&self, op: MinMax, a: Val, b: Val) -> Val {
        if let (Some(x), Some(y)) = (self.as_const(a), self.as_const(b)) {
            let first = match op {
                MinMax::SMin => x <= y,
                MinMax::SMax => x >= y,
                MinMax::UMin => x.cast_unsigned() <= y.cast_unsigned(),
                MinMax::UMax => x.cast_unsigned() >= y.cast_unsigned(),
            };
            return if first { a } else { b };
        }
        // SAFETY: live handles; the intrinsic is overloaded on one integer type, which both arguments have.
        Val(unsafe { self.choose_one(op.intrinsic(), a, b) })
    }

    /// `a` where the i1 `cond` holds, else `b`.
    pub fn select(&self, cond: Val, a: Val, b: Val) -> Val {
        // SAFETY: live handles; both choices have one type.
        Val(unsafe { LLVMBuildSelect(self.builder, cond.0, a.0, b.0, NO_NAME) })
    }

    /// Conversion to `ty`; the same type comes back unchanged.
    pub fn cast(&self, op: Cast, v: Val, ty: Ty) -> Val {
        if self.type_of(v) == ty {
            return v;
        }
        // SAFETY: live handles; the caller's operator fits the types.
        Val(unsafe {
            match op {
                Cast::SExt => LLVMBuildSExt(self.builder, v.0, ty.0, NO_NAME),
                Cast::ZExt => LLVMBuildZExt(self.builder, v.0, ty.0, NO_NAME),
                Cast::Trunc => LLVMBuildTrunc(self.builder, v.0, ty.0, NO_NAME),
                Cast::PtrToInt => LLVMBuildPtrToInt(self.builder, v.0, ty.0, NO_NAME),
            }
        })
    }

    /// `ptr + scale * index` in bytes, `scale > 0`, without any claim about wrapping or bounds.
    pub fn gep(&self, ptr: Val, scale: u64, index: Val) -> Val {
        // SAFETY: live handles: a pointer and an i64; types belong to the context.
        Val(unsafe {
            let byte = LLVMInt8TypeInContext(self.context);
            let element = if scale == 1 { byte } else { LLVMArrayType2(byte, scale) };
            let mut indices = [index.0];
            LLVMBuildGEP2(self.builder, element, ptr.0, indices.as_mut_ptr(), 1, NO_NAME)
        })
    }

    /// A plain load.
    pub fn load(&self, ty: Ty, ptr: Val) -> Val {
        // SAFETY: live handles; `ptr` is a pointer.
        Val(unsafe { LLVMBuildLoad2(self.builder, ty.0, ptr.0, NO_NAME) })
    }

    /// Type of the value that a store of the original code writes.
    #[must_use]
    pub fn stored_type(&self, store: ValueId) -> Ty {
        // SAFETY: the handle of a store, whose operand 0 is the value.
        Ty(unsafe { LLVMTypeOf(LLVMGetOperand(self.value(store).0, 0)) })
    }

    /// A plain store; returns it.
    pub fn store(&self, value: Val, ptr: Val) -> Val {
        // SAFETY: live handles; `ptr` is a pointer.
        Val(unsafe { LLVMBuildStore(self.builder, value.0, ptr.0) })
    }

    /// Room for one `ty` in the function's frame, at the start of its entry block. The insertion point is lost.
    pub fn alloca(&self, ty: Ty, name: &str) -> Val {
        let name = CString::new(name).unwrap_or_default();
        // SAFETY: the function has an entry block.
        Val(unsafe {
            let entry = LLVMGetEntryBasicBlock(self.function);
            let first = LLVMGetFirstInstruction(entry);
            if first.is_null() {
                LLVMPositionBuilderAtEnd(self.builder, entry);
            } else {
                LLVMPositionBuilderBefore(self.builder, first);
            }
            LLVMBuildAlloca(self.builder, ty.0, name.as_ptr())
        })
    }

    /// A phi without incoming values at the insertion point.
    pub fn phi(&self, ty: Ty, name: &str) -> Val {
        let name = CString::new(name).unwrap_or_default();
        // SAFETY: live type; the builder is positioned.
        Val(unsafe { LLVMBuildPhi(self.builder, ty.0, name.as_ptr()) })
    }

    /// Adds an incoming value to a phi.
    pub fn add_incoming(&self, phi: Val, value: Val, from: Blk) {
        let (mut values, mut blocks) = ([value.0], [from.0]);
        // SAFETY: live handles, one of each; `phi` is a phi of the value's type.
        unsafe { LLVMAddIncoming(phi.0, values.as_mut_ptr(), blocks.as_mut_ptr(), 1) };
    }

    /// Unconditional branch.
    pub fn br(&self, to: Blk) {
        // SAFETY: live handle.
        unsafe { LLVMBuildBr(self.builder, to.0) };
    }

    /// Conditional branch; the branch itself is returned so that metadata can be set on it.
    pub fn cond_br(&self, cond: Val, then: Blk, otherwise: Blk) -> Val {
        // SAFETY: live handles; `cond` is an i1.
        Val(unsafe { LLVMBuildCondBr(self.builder, cond.0, then.0, otherwise.0) })
    }
}

impl Drop for Ir<'_> {
    fn drop(&mut self) {
        // SAFETY: made in `new`, disposed once.
        unsafe { LLVMDisposeBuilder(self.builder) };
    }
}
