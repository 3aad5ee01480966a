//! More than one function: blocks moved into a function of their own, new functions, calls of the run-time library by
//! name.

use std::ffi::CString;

use inkwell::AddressSpace;
use inkwell::types::AsTypeRef;
use llvm_sys::core::*;
use llvm_sys::debuginfo::*;
use llvm_sys::prelude::*;

use crate::bridge::ffi::{LlvmFunction, PolyrsStr};
use crate::bridge::ir::{Blk, Ir, Pos, Ty, Val, built, len_u32};
use crate::ids::ValueId;

#[repr(C)]
struct RawOutlined {
    body: LLVMValueRef,
    before: LLVMBasicBlockRef,
    alone: LLVMBasicBlockRef,
    after: LLVMBasicBlockRef,
    call: LLVMValueRef,
    shared: LLVMValueRef,
    live_offset: u64,
}

unsafe extern "C" {
    fn polyrs_ir_outline(
        function: LLVMValueRef,
        original: *mut LlvmFunction,
        blocks: *mut LLVMBasicBlockRef,
        count: usize,
        first: LLVMValueRef,
        end: LLVMValueRef,
        name: PolyrsStr,
        out: *mut RawOutlined,
    ) -> bool;
    fn polyrs_ir_defer(
        function: LLVMValueRef,
        original: *const LlvmFunction,
        start: LLVMBasicBlockRef,
        done: LLVMBasicBlockRef,
        versioned: bool,
        name: PolyrsStr,
    ) -> bool;
    fn polyrs_ir_test_apart(result: LLVMValueRef, original: *const LlvmFunction, name: PolyrsStr);
}

/// Blocks that became a function.
#[derive(Clone, Copy, Debug)]
pub struct Outlined<'f> {
    /// `void (i64 first, i64 end, ptr live)`: runs the iterations from `first` to before `end`.
    pub body: Val<'f>,
    /// Fills the shared struct; without terminator.
    pub before: Blk<'f>,
    /// Calls the body with all iterations and goes on to `after`.
    pub alone: Blk<'f>,
    /// What follows the blocks.
    pub after: Blk<'f>,
    /// The call in `alone`.
    pub call: Val<'f>,
    /// Struct in the caller's frame: `{ i64, i64, live values }`; the first two are not filled.
    pub shared: Val<'f>,
    /// Where the live values begin in it, in bytes.
    pub live_offset: i64,
}

impl<'f> Ir<'f> {
    /// Moves blocks into a function called `name`. `blocks` has one entry, which comes first and has no phis, and one
    /// exit; nothing they compute is used behind them. `first` and `end` are different i64 instructions before the
    /// blocks: bounds of the loop in them. `None`, with nothing changed: LLVM cannot move them.
    #[must_use]
    pub fn outline(&self, blocks: &[Blk<'f>], first: Val<'f>, end: Val<'f>, name: &str) -> Option<Outlined<'f>> {
        let mut refs: Vec<LLVMBasicBlockRef> = blocks.iter().map(|b| b.0).collect();
        let mut raw = RawOutlined {
            body: std::ptr::null_mut(),
            before: std::ptr::null_mut(),
            alone: std::ptr::null_mut(),
            after: std::ptr::null_mut(),
            call: std::ptr::null_mut(),
            shared: std::ptr::null_mut(),
            live_offset: 0,
        };
        // SAFETY: live handles of this function; `original` lives as long as the function; `raw` is writable.
        let done = unsafe {
            polyrs_ir_outline(
                self.function,
                self.original.cast(),
                refs.as_mut_ptr(),
                refs.len(),
                first.0,
                end.0,
                PolyrsStr::new(name),
                &raw mut raw,
            )
        };
        self.made.borrow_mut().retain(|b| !blocks.contains(&Blk::of(*b)));
        done.then(|| Outlined {
            body: Val::of(raw.body),
            before: Blk::of(raw.before),
            alone: Blk::of(raw.alone),
            after: Blk::of(raw.after),
            call: Val::of(raw.call),
            shared: Val::of(raw.shared),
            live_offset: raw.live_offset.cast_signed(),
        })
    }

    /// Moves new code from block `start` to block `done`, its only way out, into a function called `name`, where it
    /// waits until LLVM's simplification is over, and stays if the code is `versioned`: the original stays beside it.
    /// False, with nothing changed: LLVM cannot move it, or something that it computes is used behind it.
    #[must_use]
    pub fn defer(&self, (start, done): (Blk<'f>, Blk<'f>), versioned: bool, name: &str) -> bool {
        // SAFETY: live handles of this function; `original` lives as long as the function.
        unsafe {
            polyrs_ir_defer(self.function, self.original.cast(), start.0, done.0, versioned, PolyrsStr::new(name))
        }
    }

    /// Makes what computes `result`, a truth value, a function called `name` that no pass looks at, if it is long.
    pub fn test_apart(&self, result: Val<'f>, name: &str) {
        // SAFETY: live handle of this function; `original` lives as long as the function.
        unsafe { polyrs_ir_test_apart(result.0, self.original.cast(), PolyrsStr::new(name)) }
    }

    /// A new function of the module that nobody else sees, `void (params)`, with the attributes of `like`; the builder
    /// for it stands in its empty entry block.
    #[must_use]
    pub fn new_function(&self, name: &str, params: &[Ty<'f>], like: Val<'f>) -> (Ir<'f>, Vec<Val<'f>>) {
        let c_name = CString::new(name).unwrap_or_default();
        let mut types: Vec<LLVMTypeRef> = params.iter().map(|t| t.0).collect();
        // SAFETY: live module and types; `like` is a function of the module, attribute lists are copied.
        let (function, args) = unsafe {
            let ty = LLVMFunctionType(LLVMVoidTypeInContext(self.context), types.as_mut_ptr(), len_u32(types.len()), 0);
            let function = LLVMAddFunction(self.module, c_name.as_ptr(), ty);
            LLVMSetLinkage(function, llvm_sys::LLVMLinkage::LLVMInternalLinkage);
            let at = llvm_sys::LLVMAttributeFunctionIndex;
            let mut attributes = vec![std::ptr::null_mut(); LLVMGetAttributeCountAtIndex(like.0, at) as usize];
            LLVMGetAttributesAtIndex(like.0, at, attributes.as_mut_ptr());
            attributes.into_iter().for_each(|a| LLVMAddAttributeAtIndex(function, at, a));
            let args = (0..len_u32(params.len())).map(|k| Val::of(LLVMGetParam(function, k))).collect();
            (function, args)
        };
        // SAFETY: the function is live and new: nobody else has handles into it.
        let ir = unsafe { Ir::new(function, &[], &[]) };
        let entry = ir.new_block("entry");
        ir.seek(Pos::End(entry));
        (ir, args)
    }

    /// This function as a value.
    #[must_use]
    pub fn function(&self) -> Val<'f> {
        Val::of(self.function)
    }

    /// `ptr`.
    #[must_use]
    pub fn ptr_ty(&self) -> Ty<'f> {
        Ty::of(self.types.ptr_type(AddressSpace::default()).as_type_ref())
    }

    /// Whether a pointer is null, as an i1.
    pub fn is_null(&self, ptr: Val<'f>) -> Val<'f> {
        built(self.builder.build_is_null(ptr.pointer(), ""))
    }

    /// Calls a function by its symbol, declared with the types of the arguments where the module does not know it.
    /// `ret`: `None` for void. Arguments from `fixed` on are variadic; `None`: none is.
    pub fn call_symbol(&self, symbol: &str, ret: Option<Ty<'f>>, args: &[Val<'f>], fixed: Option<usize>) -> Val<'f> {
        let name = CString::new(symbol).unwrap_or_default();
        let count = fixed.unwrap_or(args.len());
        // SAFETY: live handles; types are taken from the arguments, so that they fit.
        Val::of(unsafe {
            let ty = self.function_ty(ret, &args[..count], fixed.is_some());
            let known = LLVMGetNamedFunction(self.module, name.as_ptr());
            let callee = if known.is_null() { LLVMAddFunction(self.module, name.as_ptr(), ty) } else { known };
            self.call_of(callee, ty, args)
        })
    }

    /// Calls a function value, `void (types of args)`.
    pub fn call(&self, callee: Val<'f>, args: &[Val<'f>]) {
        // SAFETY: as in `call_symbol`.
        unsafe { self.call_of(callee.0, self.function_ty(None, args, false), args) };
    }

    /// The type of functions that take these arguments, and more if `variadic`. `ret`: `None` for void.
    pub(super) fn function_ty(&self, ret: Option<Ty<'f>>, args: &[Val<'f>], variadic: bool) -> LLVMTypeRef {
        let mut types: Vec<LLVMTypeRef> = args.iter().map(|a| self.type_of(*a).0).collect();
        // SAFETY: types live as long as the context.
        unsafe {
            let result = ret.map_or_else(|| LLVMVoidTypeInContext(self.context), |t| t.0);
            LLVMFunctionType(result, types.as_mut_ptr(), len_u32(types.len()), i32::from(variadic))
        }
    }

    /// A call of a function of this type.
    ///
    /// # Safety
    /// The callee is of this type, and takes these arguments.
    pub(super) unsafe fn call_of(&self, callee: LLVMValueRef, ty: LLVMTypeRef, args: &[Val<'f>]) -> LLVMValueRef {
        let mut operands: Vec<LLVMValueRef> = args.iter().map(|a| a.0).collect();
        let (builder, count) = (self.builder.as_mut_ptr(), len_u32(operands.len()));
        // SAFETY: promised by the caller; the builder is positioned.
        unsafe { LLVMBuildCall2(builder, ty, callee, operands.as_mut_ptr(), count, c"".as_ptr()) }
    }

    /// Room for so many bytes, an i64, at the insertion point, from a multiple of `alignment` on: in code that
    /// [`Self::outline`] moves, in the frame of its new function.
    pub fn alloca_bytes(&self, bytes: Val<'f>, alignment: u64, name: &str) -> Val<'f> {
        let name = CString::new(name).unwrap_or_default();
        // SAFETY: the builder is positioned; the type belongs to the context.
        Val::of(unsafe {
            let byte = LLVMInt8TypeInContext(self.context);
            let room = match self.as_const(bytes) {
                Some(n) => {
                    LLVMBuildAlloca(self.builder.as_mut_ptr(), LLVMArrayType2(byte, n.cast_unsigned()), name.as_ptr())
                }
                None => LLVMBuildArrayAlloca(self.builder.as_mut_ptr(), byte, bytes.0, name.as_ptr()),
            };
            LLVMSetAlignment(room, u32::try_from(alignment).unwrap_or(1));
            room
        })
    }

    /// Lets a load or store claim of its address at most that it is a multiple of `bytes`.
    pub fn limit_alignment(&self, access: Val<'f>, bytes: u32) {
        // SAFETY: the handle of a load or store.
        unsafe {
            if LLVMGetAlignment(access.0) > bytes {
                LLVMSetAlignment(access.0, bytes);
            }
        }
    }

    /// Bytes that a load or store of the original code says its address is a multiple of; `None` for anything else.
    #[must_use]
    pub fn alignment(&self, access: ValueId) -> Option<u32> {
        let access = self.value(access);
        // SAFETY: live handle; asked of loads and stores only.
        unsafe {
            let is_access = !LLVMIsALoadInst(access.0).is_null() || !LLVMIsAStoreInst(access.0).is_null();
            is_access.then(|| LLVMGetAlignment(access.0))
        }
    }

    /// Return from a function without result.
    pub fn ret(&self) {
        built(self.builder.build_return(None));
    }

    /// The value itself, as an instruction also where it is a constant.
    pub fn freeze(&self, v: Val<'f>) -> Val<'f> {
        // SAFETY: live handle.
        Val::of(unsafe { LLVMBuildFreeze(self.builder.as_mut_ptr(), v.0, c"".as_ptr()) })
    }

    /// A private constant of the module, made at its first use: a zero-terminated string.
    #[must_use]
    pub fn text_constant(&self, symbol: &str, text: &str) -> Val<'f> {
        self.constant(symbol, |context| {
            // SAFETY: live context; pointer and length of a live string.
            unsafe { LLVMConstStringInContext2(context, text.as_ptr().cast(), text.len(), 0) }
        })
    }

    /// A private constant of the module, made at its first use: a struct of these constants.
    #[must_use]
    pub fn struct_constant(&self, symbol: &str, fields: &[Val<'f>]) -> Val<'f> {
        self.constant(symbol, |context| {
            let mut refs: Vec<LLVMValueRef> = fields.iter().map(|f| f.0).collect();
            // SAFETY: live context and constants.
            unsafe { LLVMConstStructInContext(context, refs.as_mut_ptr(), len_u32(refs.len()), 0) }
        })
    }

    fn constant(&self, symbol: &str, make: impl FnOnce(LLVMContextRef) -> LLVMValueRef) -> Val<'f> {
        let name = CString::new(symbol).unwrap_or_default();
        // SAFETY: live module; the initializer has the global's type.
        Val::of(unsafe {
            let known = LLVMGetNamedGlobal(self.module, name.as_ptr());
            if !known.is_null() {
                return Val::of(known);
            }
            let value = make(self.context);
            let global = LLVMAddGlobal(self.module, LLVMTypeOf(value), name.as_ptr());
            LLVMSetInitializer(global, value);
            LLVMSetGlobalConstant(global, 1);
            LLVMSetLinkage(global, llvm_sys::LLVMLinkage::LLVMPrivateLinkage);
            global
        })
    }

    /// Gives instructions built from here on the source position of `like`, an instruction.
    pub fn set_debug_loc_of(&self, like: Val<'f>) {
        // SAFETY: live handle of an instruction; a null location clears it.
        unsafe {
            self.debug_loc.set(LLVMInstructionGetDebugLoc(like.0));
            LLVMSetCurrentDebugLocation2(self.builder.as_mut_ptr(), self.debug_loc.get());
        }
    }
}
