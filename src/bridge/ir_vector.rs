//! Vectors: kernels are written in them.

use llvm_sys::core::*;
use llvm_sys::debuginfo::LLVMInstructionSetDebugLoc;
use llvm_sys::prelude::*;

use crate::bridge::ir::{Cast, Ir, Ty, Val, len_u32};

/// Attributes of a function that are not true of what is made to be called by it.
const OWN_ATTRIBUTES: [&str; 18] = [
    "memory",
    "alwaysinline",
    "inlinehint",
    "minsize",
    "optsize",
    "nosync",
    "nofree",
    "norecurse",
    "speculatable",
    "noreturn",
    "returns_twice",
    "naked",
    "convergent",
    "jumptable",
    "allocsize",
    "allockind",
    "noduplicate",
    "nomerge",
];

/// Marks a function that LLVM's passes need not look at (`llvm.cpp`).
const WRITTEN: &str = "polyrs-written";

/// Vectors up to so many bits need no leave of their own where a machine has them. Each other combination of attributes
/// makes LLVM set up the target once more: 2 million instructions, three times for 3mm.
const USUAL_BITS: u32 = 256;

impl<'f> Ir<'f> {
    /// The function made for this one that does what `key` says.
    #[must_use]
    pub fn kernel(&self, key: &str) -> Option<Val<'f>> {
        self.kernels.borrow().iter().find(|(of, _)| of == key).map(|(_, function)| Val::of(*function))
    }

    /// A function of the module that nobody else sees, not inlined and throwing nothing, `void (params)`, with the
    /// attributes of this one and leave to use vectors of so many bits; [`Ir::kernel`] finds it by its key. The builder
    /// for it stands in its empty entry block.
    #[must_use]
    pub fn new_kernel(
        &self,
        (key, name): (String, &str),
        params: &[Ty<'f>],
        vector_bits: u32,
    ) -> (Ir<'f>, Vec<Val<'f>>) {
        let (ir, args) = self.new_function(name, params, self.function());
        self.kernels.borrow_mut().push((key, ir.function));
        let at = llvm_sys::LLVMAttributeFunctionIndex;
        let bits = vector_bits.to_string();
        // SAFETY: live handles of a new function; names and values are copied.
        unsafe {
            for attribute in OWN_ATTRIBUTES {
                let kind = LLVMGetEnumAttributeKindForName(attribute.as_ptr().cast(), attribute.len());
                LLVMRemoveEnumAttributeAtIndex(ir.function, at, kind);
            }
            let width = bits.as_str();
            let wide = [("prefer-vector-width", width), ("min-legal-vector-width", width)];
            let leave = if vector_bits > USUAL_BITS { &wide[..] } else { &[] };
            for (key, value) in leave.iter().chain(&[(WRITTEN, "")]) {
                let (name_len, value_len) = (len_u32(key.len()), len_u32(value.len()));
                let (name, value) = (key.as_ptr().cast(), value.as_ptr().cast());
                let attribute = LLVMCreateStringAttribute(self.context, name, name_len, value, value_len);
                LLVMAddAttributeAtIndex(ir.function, at, attribute);
            }
        }
        for attribute in ["noinline", "nounwind"] {
            ir.add_attribute(attribute);
        }
        (ir, args)
    }

    /// Lets LLVM make machine code of this kernel quickly instead of making the best: its time goes to those it calls.
    pub fn spend_little(&self) {
        self.add_attribute("optnone");
    }

    fn add_attribute(&self, name: &str) {
        let at = llvm_sys::LLVMAttributeFunctionIndex;
        // SAFETY: live handle of a function; LLVM knows the attribute, which has no value.
        unsafe {
            let kind = LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len());
            LLVMAddAttributeAtIndex(self.function, at, LLVMCreateEnumAttribute(self.context, kind, 0));
        }
    }

    /// Deletes the kernels and shared words made since [`Ir::keep_made`], the last one first: only those made later use
    /// one.
    pub fn delete_kernels(&self) {
        for (_, function) in self.kernels.borrow_mut().drain(self.kept_kernels.get()..).rev() {
            // SAFETY: live handle of a function or a global variable that nobody else knows.
            unsafe {
                if !LLVMGetFirstUse(function).is_null() {
                    continue;
                }
                if LLVMIsAFunction(function).is_null() {
                    LLVMDeleteGlobal(function);
                } else {
                    LLVMDeleteFunction(function);
                }
            }
        }
    }

    /// `<lanes x element>`.
    #[must_use]
    pub fn vector_ty(&self, element: Ty<'f>, lanes: u32) -> Ty<'f> {
        // SAFETY: types live as long as the context.
        Ty::of(unsafe { LLVMVectorType(element.0, lanes) })
    }

    /// A vector of one value.
    pub fn splat(&self, value: Val<'f>, lanes: u32) -> Val<'f> {
        // SAFETY: live handles; the mask has as many elements as the vector, all 0.
        unsafe {
            let word = self.int_ty(32);
            let none = LLVMGetPoison(LLVMVectorType(LLVMTypeOf(value.0), lanes));
            let first = self.int(word, 0).0;
            let one = LLVMBuildInsertElement(self.builder.as_mut_ptr(), none, value.0, first, c"".as_ptr());
            let mask = LLVMConstNull(LLVMVectorType(word.0, lanes));
            Val::of(LLVMBuildShuffleVector(self.builder.as_mut_ptr(), one, none, mask, c"".as_ptr()))
        }
    }

    /// The elements of two vectors of one type at these positions of the one and the other behind it.
    pub fn shuffle(&self, a: Val<'f>, b: Val<'f>, from: &[usize]) -> Val<'f> {
        let word = self.int_ty(32);
        let index = |at: &usize| self.int(word, i64::try_from(*at).unwrap_or(0)).0;
        let mut indices: Vec<LLVMValueRef> = from.iter().map(index).collect();
        // SAFETY: live handles; the mask is made of constants below the number of elements of both.
        unsafe {
            let mask = LLVMConstVector(indices.as_mut_ptr(), len_u32(indices.len()));
            Val::of(LLVMBuildShuffleVector(self.builder.as_mut_ptr(), a.0, b.0, mask, c"".as_ptr()))
        }
    }

    /// A vector of these values, of one type.
    pub fn gathered(&self, values: &[Val<'f>]) -> Val<'f> {
        let word = self.int_ty(32);
        // SAFETY: live handles; positions are below the number of elements.
        unsafe {
            let none = LLVMGetPoison(LLVMVectorType(LLVMTypeOf(values[0].0), len_u32(values.len())));
            let insert = |vector: LLVMValueRef, (at, value): (usize, &Val<'f>)| {
                let at = self.int(word, i64::try_from(at).unwrap_or(0)).0;
                LLVMBuildInsertElement(self.builder.as_mut_ptr(), vector, value.0, at, c"".as_ptr())
            };
            Val::of(values.iter().enumerate().fold(none, insert))
        }
    }

    /// An element of a vector.
    pub fn lane(&self, vector: Val<'f>, at: usize) -> Val<'f> {
        let at = self.int(self.int_ty(32), i64::try_from(at).unwrap_or(0)).0;
        // SAFETY: live handles; the position is below the number of elements.
        Val::of(unsafe { LLVMBuildExtractElement(self.builder.as_mut_ptr(), vector.0, at, c"".as_ptr()) })
    }

    /// Operand `index` of an instruction if it is a constant.
    #[must_use]
    pub fn constant_operand(&self, inst: Val<'f>, index: u32) -> Option<Val<'f>> {
        // SAFETY: the handle of an instruction with that many operands.
        let operand = unsafe { LLVMGetOperand(inst.0, index) };
        // SAFETY: as above.
        (unsafe { LLVMIsConstant(operand) } != 0).then(|| Val::of(operand))
    }

    /// Lets a load or store say that its address is a multiple of so many bytes.
    pub fn align(&self, access: Val<'f>, bytes: u32) -> Val<'f> {
        // SAFETY: the handle of a load or store.
        unsafe { LLVMSetAlignment(access.0, bytes) };
        access
    }

    /// The operation of `like`, an instruction that is lane-wise or a comparison, choice or conversion of numbers, on
    /// these vectors, with its fast-math flags.
    pub fn lanewise(&self, like: Val<'f>, operands: &[Val<'f>]) -> Val<'f> {
        // SAFETY: live handles; `like` has as many operands (and a callee, if it is a call), of the types which the
        // vectors have elements of.
        unsafe {
            let builder = self.builder.as_mut_ptr();
            let made = match operands {
                _ if !LLVMIsACallInst(like.0).is_null() => self.lanewise_call(like, operands),
                [one] if !LLVMIsACastInst(like.0).is_null() => {
                    let ty = LLVMVectorType(LLVMTypeOf(like.0), LLVMGetVectorSize(LLVMTypeOf(one.0)));
                    LLVMBuildCast(builder, LLVMGetInstructionOpcode(like.0), one.0, ty, c"".as_ptr())
                }
                [one] => LLVMBuildFNeg(builder, one.0, c"".as_ptr()),
                [a, b] if !LLVMIsAFCmpInst(like.0).is_null() => {
                    LLVMBuildFCmp(builder, LLVMGetFCmpPredicate(like.0), a.0, b.0, c"".as_ptr())
                }
                [which, a, b] => LLVMBuildSelect(builder, which.0, a.0, b.0, c"".as_ptr()),
                [a, b] => LLVMBuildBinOp(builder, LLVMGetInstructionOpcode(like.0), a.0, b.0, c"".as_ptr()),
                _ => self.lanewise_call(like, operands),
            };
            // The builder may fold: constants have no flags.
            if LLVMCanValueUseFastMathFlags(like.0) != 0 && LLVMCanValueUseFastMathFlags(made) != 0 {
                LLVMSetFastMathFlags(made, LLVMGetFastMathFlags(like.0));
            }
            Val::of(made)
        }
    }

    /// Text that is the same for operations that are, flags and types included, whatever their operands.
    #[must_use]
    pub fn operation_text(&self, like: Val<'f>) -> String {
        // SAFETY: the handle of an instruction; flags are asked of those that can have them, the callee of calls.
        unsafe {
            let flags = if LLVMCanValueUseFastMathFlags(like.0) != 0 { LLVMGetFastMathFlags(like.0) } else { 0 };
            let opcode = LLVMGetInstructionOpcode(like.0);
            let callee =
                if LLVMIsACallInst(like.0).is_null() { 0 } else { LLVMGetIntrinsicID(LLVMGetCalledValue(like.0)) };
            format!("{opcode:?}.{flags}.{callee}.{:?}", LLVMTypeOf(like.0))
        }
    }

    /// # Safety
    /// `like` calls an intrinsic that is overloaded on the one type of its operands and its result.
    unsafe fn lanewise_call(&self, like: Val<'f>, operands: &[Val<'f>]) -> LLVMValueRef {
        // SAFETY: promised by the caller.
        unsafe {
            let id = LLVMGetIntrinsicID(LLVMGetCalledValue(like.0));
            let mut ty = LLVMTypeOf(operands[0].0);
            let callee = LLVMGetIntrinsicDeclaration(self.module, id, &raw mut ty, 1);
            self.call_of(callee, LLVMGlobalGetValueType(callee), operands)
        }
    }

    /// Which lanes have an index from `first` to before `end`, i64s from 0 to some thousands; the first lane has index
    /// `offset`. Lanes are as wide as `bytes` for comparisons.
    pub fn lanes_between(&self, (first, end): (Val<'f>, Val<'f>), offset: u32, (lanes, bytes): (u32, u64)) -> Val<'f> {
        let word = self.int_ty(if bytes < 8 { 32 } else { 64 });
        let mut indices: Vec<LLVMValueRef> = (0..lanes).map(|k| self.int(word, i64::from(offset + k)).0).collect();
        // SAFETY: constants of one integer type.
        let indices = Val::of(unsafe { LLVMConstVector(indices.as_mut_ptr(), lanes) });
        let all = |of: Val<'f>| self.splat(self.cast(Cast::Trunc, of, word), lanes).0;
        let compare = |pred, with: Val<'f>| {
            // SAFETY: live handles of vectors of one type.
            Val::of(unsafe { LLVMBuildICmp(self.builder.as_mut_ptr(), pred, indices.0, all(with), c"".as_ptr()) })
        };
        let from = compare(llvm_sys::LLVMIntPredicate::LLVMIntSGE, first);
        let before = compare(llvm_sys::LLVMIntPredicate::LLVMIntSLT, end);
        // SAFETY: as above.
        Val::of(unsafe { LLVMBuildAnd(self.builder.as_mut_ptr(), from.0, before.0, c"".as_ptr()) })
    }

    /// A vector of the lanes that a mask names, zeros in the others, from an address that is a multiple of so many
    /// bytes.
    pub fn masked_load(&self, ty: Ty<'f>, ptr: Val<'f>, mask: Val<'f>, alignment: u32) -> Val<'f> {
        self.masked_load_or(self.zero(ty), ptr, mask, alignment)
    }

    /// The same with the lanes of `others` where the mask names none.
    pub fn masked_load_or(&self, others: Val<'f>, ptr: Val<'f>, mask: Val<'f>, alignment: u32) -> Val<'f> {
        let call = self.masked("llvm.masked.load", self.type_of(others), &[ptr, mask, others]);
        self.align_argument(call, 0, alignment)
    }

    /// Stores the lanes that a mask names.
    pub fn masked_store(&self, value: Val<'f>, ptr: Val<'f>, mask: Val<'f>, alignment: u32) {
        let call = self.masked("llvm.masked.store", self.type_of(value), &[value, ptr, mask]);
        self.align_argument(call, 1, alignment);
    }

    fn masked(&self, name: &str, ty: Ty<'f>, args: &[Val<'f>]) -> Val<'f> {
        // SAFETY: live handles; the intrinsics are overloaded on the vector and the pointer.
        Val::of(unsafe {
            let id = LLVMLookupIntrinsicID(name.as_ptr().cast(), name.len());
            let mut types = [ty.0, self.ptr_ty().0];
            let callee = LLVMGetIntrinsicDeclaration(self.module, id, types.as_mut_ptr(), types.len());
            self.call_of(callee, LLVMGlobalGetValueType(callee), args)
        })
    }

    /// Lets a call say that a pointer it takes is a multiple of so many bytes.
    fn align_argument(&self, call: Val<'f>, argument: u32, bytes: u32) -> Val<'f> {
        let name = "align";
        // SAFETY: the handle of a call; attributes of arguments have numbers from 1 on.
        unsafe {
            let kind = LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len());
            let attribute = LLVMCreateEnumAttribute(self.context, kind, bytes.into());
            LLVMAddCallSiteAttribute(call.0, argument + 1, attribute);
        }
        call
    }

    /// Number of the values that an instruction works on.
    #[must_use]
    pub fn operand_count(&self, inst: Val<'f>) -> usize {
        // SAFETY: the handle of an instruction.
        unsafe {
            let is_call = !LLVMIsACallInst(inst.0).is_null();
            let count =
                if is_call { LLVMGetNumArgOperands(inst.0) } else { LLVMGetNumOperands(inst.0).cast_unsigned() };
            count as usize
        }
    }

    /// Whether this is arithmetic that has fast-math flags, be they set or not.
    #[must_use]
    pub fn is_real_arithmetic(&self, inst: Val<'f>) -> bool {
        // SAFETY: the handle of an instruction.
        unsafe { LLVMCanValueUseFastMathFlags(inst.0) != 0 }
    }

    /// A copy of an instruction, of this function or of another one of the module, with these operands replaced and
    /// without its source position.
    pub fn clone_like(&self, like: Val<'f>, operands: &[(u32, Val<'f>)]) -> Val<'f> {
        // SAFETY: live handles; the types are those of the values replaced.
        unsafe {
            let copy = LLVMInstructionClone(like.0);
            for (index, value) in operands {
                LLVMSetOperand(copy, *index, value.0);
            }
            LLVMInsertIntoBuilder(self.builder.as_mut_ptr(), copy);
            LLVMInstructionSetDebugLoc(copy, std::ptr::null_mut());
            Val::of(copy)
        }
    }

    /// Zero of any type.
    #[must_use]
    pub fn zero(&self, ty: Ty<'f>) -> Val<'f> {
        // SAFETY: types live as long as the context.
        Val::of(unsafe { LLVMConstNull(ty.0) })
    }

    /// The last multiple of `alignment`, a power of two, in the `alignment` bytes from a pointer on.
    pub fn aligned_up(&self, ptr: Val<'f>, alignment: i64) -> Val<'f> {
        let word = self.int_ty(64);
        let next = self.gep(ptr, 1, self.int(word, alignment - 1));
        let name = "llvm.ptrmask";
        // SAFETY: live handles; the intrinsic is overloaded on the types of its two arguments.
        unsafe {
            let id = LLVMLookupIntrinsicID(name.as_ptr().cast(), name.len());
            let mut types = [LLVMTypeOf(ptr.0), word.0];
            let callee = LLVMGetIntrinsicDeclaration(self.module, id, types.as_mut_ptr(), types.len());
            let operands = [next, self.int(word, -alignment)];
            Val::of(self.call_of(callee, LLVMGlobalGetValueType(callee), &operands))
        }
    }
}
