//! Writing IR into one function: a thin safe layer over inkwell, and over LLVM's C API for what inkwell lacks.
//!
//! Handles ([`Val`], [`Blk`], [`Ty`], [`Meta`]) are only made by [`Ir`] and point into the function (or its module)
//! that the `Ir` was made for. They carry its lifetime `'f`, during which nothing else changes the function: none can
//! be kept beyond it. Within it they stay valid as long as nothing deletes them: blocks are deleted by
//! [`Ir::delete_blocks`] alone, instructions by [`Ir::promote`] (allocas with their loads and stores) alone. Callers do
//! both last.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::marker::PhantomData;
use std::num::NonZeroU32;

use inkwell::IntPredicate;
use inkwell::basic_block::BasicBlock;
use inkwell::builder::{Builder, BuilderError};
use inkwell::context::ContextRef;
use inkwell::types::{AsTypeRef, BasicTypeEnum, IntType};
use inkwell::values::{
    AsValueRef, BasicValueEnum, FloatValue, FunctionValue, InstructionValue, IntValue, PhiValue, PointerValue,
};
use llvm_sys::core::*;
use llvm_sys::debuginfo::*;
use llvm_sys::prelude::*;
use llvm_sys::{LLVMFastMathAllowReassoc, LLVMOpcode};

use super::ffi::PolyrsClone;
use crate::facts::Pred;
use crate::ids::{BlockId, ValueId};

/// An LLVM value of the function. None outlives the builder's hold on it:
///
/// ```compile_fail
/// use polyrs::bridge::ir::{Ir, Val};
/// use polyrs::ids::ValueId;
///
/// fn kept<'f>(ir: Ir<'f>) -> Val<'static> {
///     ir.value(ValueId(0))
/// }
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Val<'f>(pub(super) LLVMValueRef, PhantomData<&'f ()>);

/// A basic block of the function.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Blk<'f>(pub(super) LLVMBasicBlockRef, PhantomData<&'f ()>);

/// An LLVM type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ty<'f>(pub(super) LLVMTypeRef, PhantomData<&'f ()>);

/// A metadata node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Meta<'f>(pub(super) LLVMMetadataRef, PhantomData<&'f ()>);

impl Val<'_> {
    pub(super) fn of(raw: LLVMValueRef) -> Self {
        Self(raw, PhantomData)
    }
}

impl Blk<'_> {
    pub(super) fn of(raw: LLVMBasicBlockRef) -> Self {
        Self(raw, PhantomData)
    }
}

impl Ty<'_> {
    pub(super) fn of(raw: LLVMTypeRef) -> Self {
        Self(raw, PhantomData)
    }
}

impl Meta<'_> {
    pub(super) fn of(raw: LLVMMetadataRef) -> Self {
        Self(raw, PhantomData)
    }
}

/// Handles as inkwell's, for the time that the `Ir` lives that made them. Values of other kinds are refused where
/// inkwell looks.
impl<'f> Val<'f> {
    pub(super) fn int(self) -> IntValue<'f> {
        // SAFETY: handles are live (module header).
        unsafe { IntValue::new(self.0) }
    }

    pub(super) fn real(self) -> FloatValue<'f> {
        // SAFETY: as above.
        unsafe { FloatValue::new(self.0) }
    }

    pub(super) fn pointer(self) -> PointerValue<'f> {
        // SAFETY: as above.
        unsafe { PointerValue::new(self.0) }
    }

    pub(super) fn any(self) -> BasicValueEnum<'f> {
        // SAFETY: as above.
        unsafe { BasicValueEnum::new(self.0) }
    }

    fn instruction(self) -> InstructionValue<'f> {
        // SAFETY: as above.
        unsafe { InstructionValue::new(self.0) }
    }
}

impl<'f> Blk<'f> {
    pub(super) fn block(self) -> BasicBlock<'f> {
        // SAFETY: handles are live (module header).
        unsafe { BasicBlock::new(self.0) }.expect("handles are not null")
    }
}

impl<'f> Ty<'f> {
    pub(super) fn any(self) -> BasicTypeEnum<'f> {
        // SAFETY: types live as long as the context.
        unsafe { BasicTypeEnum::new(self.0) }
    }

    pub(super) fn int(self) -> IntType<'f> {
        // SAFETY: types live as long as the context; callers name integer types.
        unsafe { IntType::new(self.0) }
    }
}

/// What was built; every builder stands somewhere before it builds.
pub(super) fn built<'f>(made: Result<impl AsValueRef + 'f, BuilderError>) -> Val<'f> {
    Val::of(made.expect("the builder stands in a block").as_value_ref())
}

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
    /// Signed remainder of a division rounded to zero; the divisor is positive.
    SRem,
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
pub enum Pos<'f> {
    /// Last in the block (which has no terminator yet).
    End(Blk<'f>),
    /// Directly behind this instruction.
    After(Val<'f>),
}

/// Builder for one function, with the handle tables of its facts. While it lives (`'f`) nothing else changes the
/// function.
pub struct Ir<'f> {
    pub(super) function: LLVMValueRef,
    /// Has the debug subprogram that source positions in `function` belong to.
    pub(super) original: LLVMValueRef,
    /// The clone whose function it is; null: it is none's.
    pub(super) clone: *mut PolyrsClone,
    pub(super) context: LLVMContextRef,
    pub(super) module: LLVMModuleRef,
    pub(super) builder: Builder<'f>,
    pub(super) types: ContextRef<'f>,
    values: RefCell<Vec<LLVMValueRef>>,
    /// Null: deleted.
    pub(super) blocks: RefCell<Vec<LLVMBasicBlockRef>>,
    ids: RefCell<HashMap<LLVMValueRef, ValueId>>,
    /// Without lifetime: inside of a cell one that can be shortened would make that of the whole `Ir` fixed.
    pub(super) made: RefCell<Vec<LLVMBasicBlockRef>>,
    pub(super) slots: RefCell<Vec<LLVMValueRef>>,
    /// Functions that nobody else sees, made for this one, by what they do.
    pub(super) kernels: RefCell<Vec<(String, LLVMValueRef)>>,
    /// How many of them stay.
    pub(super) kept_kernels: Cell<usize>,
    pub(super) debug_loc: Cell<LLVMMetadataRef>,
    _function: PhantomData<&'f mut ()>,
}

pub(crate) fn len_u32(len: usize) -> u32 {
    u32::try_from(len).expect("more than u32::MAX operands")
}

impl<'f> Ir<'f> {
    /// A builder for `function`, whose facts list `values` and `blocks` in id order.
    ///
    /// # Safety
    /// All handles are live, belong to `function` (or are globals and constants of its module), and nothing else
    /// changes or deletes them while the `Ir` lives.
    #[must_use]
    pub unsafe fn new(function: LLVMValueRef, values: &[LLVMValueRef], blocks: &[LLVMBasicBlockRef]) -> Self {
        // SAFETY: `function` is live (caller), so its parent module and that one's context are.
        let (module, context, types) = unsafe {
            let module = LLVMGetGlobalParent(function);
            let context = LLVMGetModuleContext(module);
            (module, context, ContextRef::new(context))
        };
        let ids = values.iter().enumerate().map(|(i, v)| (*v, ValueId::new(i))).collect();
        Self {
            function,
            original: function,
            clone: std::ptr::null_mut(),
            context,
            module,
            builder: types.create_builder(),
            types,
            values: RefCell::new(values.to_vec()),
            blocks: RefCell::new(blocks.to_vec()),
            ids: RefCell::new(ids),
            made: RefCell::default(),
            slots: RefCell::default(),
            kernels: RefCell::default(),
            kept_kernels: Cell::default(),
            debug_loc: Cell::new(std::ptr::null_mut()),
            _function: PhantomData,
        }
    }

    /// The same for the function of `clone`, a copy of `original`, which has the debug subprogram that source positions
    /// in the copy belong to.
    #[must_use]
    pub(super) fn of_clone(mut self, clone: *mut PolyrsClone, original: LLVMValueRef) -> Self {
        (self.clone, self.original) = (clone, original);
        self
    }

    /// The value with this id, which is not lost.
    #[must_use]
    pub fn value(&self, id: ValueId) -> Val<'f> {
        Val::of(self.values.borrow()[id.index()])
    }

    /// The block with this id, which is not deleted.
    #[must_use]
    pub fn block(&self, id: BlockId) -> Blk<'f> {
        let block = self.blocks.borrow()[id.index()];
        assert!(!block.is_null(), "{id} was deleted");
        Blk::of(block)
    }

    /// The type of a value.
    #[must_use]
    pub fn type_of(&self, v: Val<'f>) -> Ty<'f> {
        // SAFETY: handles of this type are live (module header).
        Ty::of(unsafe { LLVMTypeOf(v.0) })
    }

    /// `i<bits>`.
    #[must_use]
    pub fn int_ty(&self, bits: u32) -> Ty<'f> {
        let bits = NonZeroU32::new(bits).expect("integers have bits");
        Ty::of(self.types.custom_width_int_type(bits).expect("a width that LLVM has").as_type_ref())
    }

    /// Width of an integer type.
    #[must_use]
    pub fn int_bits(&self, ty: Ty<'f>) -> Option<u32> {
        // SAFETY: types live as long as the context.
        unsafe {
            (LLVMGetTypeKind(ty.0) == llvm_sys::LLVMTypeKind::LLVMIntegerTypeKind).then(|| LLVMGetIntTypeWidth(ty.0))
        }
    }

    /// Whether this is a pointer type.
    #[must_use]
    pub fn is_ptr(&self, ty: Ty<'f>) -> bool {
        // SAFETY: types live as long as the context.
        unsafe { LLVMGetTypeKind(ty.0) == llvm_sys::LLVMTypeKind::LLVMPointerTypeKind }
    }

    /// A constant of an integer type, sign-extended to its width.
    #[must_use]
    pub fn int(&self, ty: Ty<'f>, value: i64) -> Val<'f> {
        let low = value.cast_unsigned();
        let sign = if value < 0 { u64::MAX } else { 0 };
        let words = [low, sign, sign, sign];
        Val::of(ty.int().const_int_arbitrary_precision(&words).as_value_ref())
    }

    /// Whether this is floating-point arithmetic, or a load, whose result LLVM may not compute in another order.
    #[must_use]
    pub fn is_strict_arithmetic(&self, v: Val<'f>) -> bool {
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
    pub fn as_const(&self, v: Val<'f>) -> Option<i64> {
        // SAFETY: live handle; the width is checked before the value is read.
        unsafe {
            let narrow = self.int_bits(self.type_of(v)).is_some_and(|bits| bits <= 64);
            (narrow && !LLVMIsAConstantInt(v.0).is_null()).then(|| LLVMConstIntGetSExtValue(v.0))
        }
    }

    /// A new block, last in the function, without predecessors.
    pub fn new_block(&self, name: &str) -> Blk<'f> {
        // SAFETY: the function is live.
        let function = unsafe { FunctionValue::new(self.function) }.expect("a function");
        let block = Blk::of(self.types.append_basic_block(function, name).as_mut_ptr());
        self.made.borrow_mut().push(block.0);
        block
    }

    /// Blocks made so far by [`Self::new_block`], in order.
    #[must_use]
    pub fn made(&self) -> Vec<Blk<'f>> {
        self.made.borrow().iter().map(|block| Blk::of(*block)).collect()
    }

    /// Forgets the blocks and kernels made so far: they stay.
    pub fn keep_made(&self) {
        self.made.borrow_mut().clear();
        self.kept_kernels.set(self.kernels.borrow().len());
    }

    /// From now on the value with this id is `by`: the old one is about to go.
    pub fn supersede(&self, id: ValueId, by: Val<'f>) {
        self.ids.borrow_mut().insert(by.0, id);
        self.values.borrow_mut()[id.index()] = by.0;
    }

    /// From now on no value has this id: the old one is about to go, or reaches what comes behind it on some paths
    /// only.
    pub fn lose(&self, id: ValueId) {
        let old = std::mem::replace(&mut self.values.borrow_mut()[id.index()], std::ptr::null_mut());
        self.ids.borrow_mut().remove(&old);
    }

    /// The id of a value, if it has one.
    pub(super) fn id_of(&self, v: LLVMValueRef) -> Option<ValueId> {
        self.ids.borrow().get(&v).copied()
    }

    /// Whether [`Self::lose`] was told of this id.
    #[must_use]
    pub fn is_lost(&self, id: ValueId) -> bool {
        self.values.borrow()[id.index()].is_null()
    }

    /// Moves the insertion point.
    pub fn seek(&self, pos: Pos<'f>) {
        match pos {
            Pos::End(b) => self.builder.position_at_end(b.block()),
            Pos::After(v) => match v.instruction().get_next_instruction() {
                Some(next) => self.builder.position_before(&next),
                None => self.builder.position_at_end(v.instruction().get_parent().expect("it stands in a block")),
            },
        }
        // SAFETY: the builder is live; a null location clears it.
        unsafe { LLVMSetCurrentDebugLocation2(self.builder.as_mut_ptr(), self.debug_loc.get()) };
    }

    /// The block that instructions are being added to.
    #[must_use]
    pub fn current(&self) -> Blk<'f> {
        Blk::of(self.builder.get_insert_block().expect("the builder stands in a block").as_mut_ptr())
    }

    /// Gives instructions built from here on the source position of `like`, or none.
    pub fn set_debug_loc(&self, like: Option<ValueId>) {
        let loc = like.map_or(std::ptr::null_mut(), |id| {
            let v = self.values.borrow()[id.index()];
            // SAFETY: live handle, checked to be an instruction.
            unsafe {
                if LLVMIsAInstruction(v).is_null() { std::ptr::null_mut() } else { LLVMInstructionGetDebugLoc(v) }
            }
        });
        self.debug_loc.set(loc);
        // SAFETY: a null location clears it.
        unsafe { LLVMSetCurrentDebugLocation2(self.builder.as_mut_ptr(), loc) };
    }

    /// Whether a value is an instruction (constants folded by the builder are not).
    #[must_use]
    pub fn is_instruction(&self, v: Val<'f>) -> bool {
        // SAFETY: live handle.
        unsafe { !LLVMIsAInstruction(v.0).is_null() }
    }

    /// Integer arithmetic; both sides have the same type.
    pub fn bin(&self, op: Bin, a: Val<'f>, b: Val<'f>) -> Val<'f> {
        let (bld, a, b) = (&self.builder, a.int(), b.int());
        built(match op {
            Bin::Add => bld.build_int_add(a, b, ""),
            Bin::Sub => bld.build_int_sub(a, b, ""),
            Bin::Mul => bld.build_int_mul(a, b, ""),
            Bin::AddNsw => bld.build_int_nsw_add(a, b, ""),
            Bin::SDiv => bld.build_int_signed_div(a, b, ""),
            Bin::UDiv => bld.build_int_unsigned_div(a, b, ""),
            Bin::SRem => bld.build_int_signed_rem(a, b, ""),
            Bin::AShr => bld.build_right_shift(a, b, true, ""),
            Bin::And => bld.build_and(a, b, ""),
            Bin::Or => bld.build_or(a, b, ""),
            Bin::Xor => bld.build_xor(a, b, ""),
        })
    }

    /// Integer comparison; both sides have the same type.
    pub fn icmp(&self, pred: Pred, a: Val<'f>, b: Val<'f>) -> Val<'f> {
        let pred = match pred {
            Pred::Eq => IntPredicate::EQ,
            Pred::Ne => IntPredicate::NE,
            Pred::Sgt => IntPredicate::SGT,
            Pred::Sge => IntPredicate::SGE,
            Pred::Slt => IntPredicate::SLT,
            Pred::Sle => IntPredicate::SLE,
            Pred::Ugt => IntPredicate::UGT,
            Pred::Uge => IntPredicate::UGE,
            Pred::Ult => IntPredicate::ULT,
            Pred::Ule => IntPredicate::ULE,
        };
        if self.is_ptr(self.type_of(a)) {
            return built(self.builder.build_int_compare(pred, a.pointer(), b.pointer(), ""));
        }
        built(self.builder.build_int_compare(pred, a.int(), b.int(), ""))
    }

    /// Minimum or maximum of two integers of the same type.
    pub fn min_max(&self, op: MinMax, a: Val<'f>, b: Val<'f>) -> Val<'f> {
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
        Val::of(unsafe { self.choose_one(op.intrinsic(), a, b) })
    }

    /// `a` where the i1 `cond` holds, else `b`.
    pub fn select(&self, cond: Val<'f>, a: Val<'f>, b: Val<'f>) -> Val<'f> {
        built(self.builder.build_select(cond.int(), a.any(), b.any(), ""))
    }

    /// Conversion to `ty`; the same type comes back unchanged.
    pub fn cast(&self, op: Cast, v: Val<'f>, ty: Ty<'f>) -> Val<'f> {
        if self.type_of(v) == ty {
            return v;
        }
        built(match op {
            Cast::SExt => self.builder.build_int_s_extend(v.int(), ty.int(), ""),
            Cast::ZExt => self.builder.build_int_z_extend(v.int(), ty.int(), ""),
            Cast::Trunc => self.builder.build_int_truncate(v.int(), ty.int(), ""),
            Cast::PtrToInt => self.builder.build_ptr_to_int(v.pointer(), ty.int(), ""),
        })
    }

    /// `ptr + scale * index` in bytes, `scale > 0`, without any claim about wrapping or bounds.
    pub fn gep(&self, ptr: Val<'f>, scale: u64, index: Val<'f>) -> Val<'f> {
        let byte = self.types.i8_type().as_type_ref();
        // SAFETY: live handles: a pointer and an i64; types belong to the context. inkwell's arrays have 32-bit sizes.
        built(unsafe {
            let element = Ty::of(if scale == 1 { byte } else { LLVMArrayType2(byte, scale) });
            self.builder.build_gep(element.any(), ptr.pointer(), &[index.int()], "")
        })
    }

    /// A plain load.
    pub fn load(&self, ty: Ty<'f>, ptr: Val<'f>) -> Val<'f> {
        built(self.builder.build_load(ty.any(), ptr.pointer(), ""))
    }

    /// Type of the value that a store of the original code writes.
    #[must_use]
    pub fn stored_type(&self, store: ValueId) -> Ty<'f> {
        // SAFETY: the handle of a store, whose operand 0 is the value.
        Ty::of(unsafe { LLVMTypeOf(LLVMGetOperand(self.value(store).0, 0)) })
    }

    /// A plain store; returns it.
    pub fn store(&self, value: Val<'f>, ptr: Val<'f>) -> Val<'f> {
        built(self.builder.build_store(ptr.pointer(), value.any()))
    }

    /// Room for one `ty` in the function's frame, at the start of its entry block. The insertion point is lost.
    pub fn alloca(&self, ty: Ty<'f>, name: &str) -> Val<'f> {
        // SAFETY: the function is live and has an entry block.
        let entry = Blk::of(unsafe { LLVMGetEntryBasicBlock(self.function) }).block();
        match entry.get_first_instruction() {
            Some(first) => self.builder.position_before(&first),
            None => self.builder.position_at_end(entry),
        }
        built(self.builder.build_alloca(ty.any(), name))
    }

    /// The same for a value that is only loaded and stored: what [`Ir::promote`] turns into an SSA value.
    pub fn slot(&self, ty: Ty<'f>, name: &str) -> Val<'f> {
        let slot = self.alloca(ty, name);
        self.slots.borrow_mut().push(slot.0);
        slot
    }

    /// A phi without incoming values at the insertion point.
    pub fn phi(&self, ty: Ty<'f>, name: &str) -> Val<'f> {
        built(self.builder.build_phi(ty.any(), name))
    }

    /// Adds an incoming value to a phi.
    pub fn add_incoming(&self, phi: Val<'f>, value: Val<'f>, from: Blk<'f>) {
        // SAFETY: live handle of a phi of the value's type.
        unsafe { PhiValue::new(phi.0) }.add_incoming(&[(&value.any(), from.block())]);
    }

    /// Unconditional branch.
    pub fn br(&self, to: Blk<'f>) {
        built(self.builder.build_unconditional_branch(to.block()));
    }

    /// Conditional branch; the branch itself is returned so that metadata can be set on it.
    pub fn cond_br(&self, cond: Val<'f>, then: Blk<'f>, otherwise: Blk<'f>) -> Val<'f> {
        built(self.builder.build_conditional_branch(cond.int(), then.block(), otherwise.block()))
    }
}
