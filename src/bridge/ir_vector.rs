//! Vectors: kernels are written in them.

use llvm_sys::core::*;
use llvm_sys::prelude::*;

use crate::bridge::ir::{Ir, Ty, Val, len_u32};

/// Attributes of a function that are not true of what is made to be called by it.
const OWN_ATTRIBUTES: [&str; 5] = ["memory", "alwaysinline", "inlinehint", "minsize", "optsize"];

impl<'f> Ir<'f> {
    /// A function of the module that nobody else sees and that is not inlined, `void (params)`, with the attributes of
    /// this one and leave to use vectors of so many bits; the builder for it stands in its empty entry block.
    #[must_use]
    pub fn new_kernel(&self, name: &str, params: &[Ty<'f>], vector_bits: u32) -> (Ir<'f>, Vec<Val<'f>>) {
        let (ir, args) = self.new_function(name, params, self.function());
        self.kernels.borrow_mut().push(ir.function);
        let at = llvm_sys::LLVMAttributeFunctionIndex;
        let bits = vector_bits.to_string();
        // SAFETY: live handles of a new function; names and values are copied.
        unsafe {
            for attribute in OWN_ATTRIBUTES {
                let kind = LLVMGetEnumAttributeKindForName(attribute.as_ptr().cast(), attribute.len());
                LLVMRemoveEnumAttributeAtIndex(ir.function, at, kind);
            }
            let inline = "noinline";
            let kind = LLVMGetEnumAttributeKindForName(inline.as_ptr().cast(), inline.len());
            LLVMAddAttributeAtIndex(ir.function, at, LLVMCreateEnumAttribute(self.context, kind, 0));
            for key in ["prefer-vector-width", "min-legal-vector-width"] {
                let (name, value) = (key.as_ptr().cast(), bits.as_ptr().cast());
                let (name_len, value_len) = (len_u32(key.len()), len_u32(bits.len()));
                let attribute = LLVMCreateStringAttribute(self.context, name, name_len, value, value_len);
                LLVMAddAttributeAtIndex(ir.function, at, attribute);
            }
        }
        (ir, args)
    }

    /// Deletes the kernels made since [`Ir::keep_made`], which nothing calls any more.
    pub fn delete_kernels(&self) {
        for function in self.kernels.borrow_mut().drain(..) {
            // SAFETY: live handle of a function that nobody else knows.
            unsafe {
                if LLVMGetFirstUse(function).is_null() {
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

    /// Lets a load or store say that its address is a multiple of so many bytes.
    pub fn align(&self, access: Val<'f>, bytes: u32) -> Val<'f> {
        // SAFETY: the handle of a load or store.
        unsafe { LLVMSetAlignment(access.0, bytes) };
        access
    }

    /// The operation of `like`, an instruction that is lane-wise, on these vectors, with its fast-math flags.
    pub fn lanewise(&self, like: Val<'f>, operands: &[Val<'f>]) -> Val<'f> {
        // SAFETY: live handles; `like` has as many operands (and a callee, if it is a call), of one type, which the
        // vectors have elements of.
        unsafe {
            let builder = self.builder.as_mut_ptr();
            let made = match operands {
                [one] => LLVMBuildFNeg(builder, one.0, c"".as_ptr()),
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
            let mut refs: Vec<LLVMValueRef> = operands.iter().map(|v| v.0).collect();
            let (count, ty) = (len_u32(refs.len()), LLVMGlobalGetValueType(callee));
            LLVMBuildCall2(self.builder.as_mut_ptr(), ty, callee, refs.as_mut_ptr(), count, c"".as_ptr())
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
            let mut operands = [next.0, self.int(word, -alignment).0];
            let ty = LLVMGlobalGetValueType(callee);
            Val::of(LLVMBuildCall2(self.builder.as_mut_ptr(), ty, callee, operands.as_mut_ptr(), 2, c"".as_ptr()))
        }
    }
}
