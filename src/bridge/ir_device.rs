//! Kernels for a GPU: blocks moved into a second module, and that module as PTX.

use std::ffi::CString;
use std::ptr::NonNull;

use llvm_sys::core::*;
use llvm_sys::prelude::*;

use crate::bridge::ffi::{PolyrsModule, PolyrsStr, PolyrsText};
use crate::bridge::ir::{Blk, Ir, Ty, Val, len_u32};
use crate::bridge::module::{Module, Text};
use crate::ids::ValueId;

/// Address space of memory that threads of a block share.
const SHARED: std::ffi::c_uint = 3;

#[repr(C)]
struct RawKernel {
    before: LLVMBasicBlockRef,
    after: LLVMBasicBlockRef,
    room: LLVMValueRef,
    count: u64,
}

#[repr(C)]
struct RawDevice {
    _opaque: [u8; 0],
}

unsafe extern "C" {
    fn polyrs_device_new(host: LLVMModuleRef, libdevice: PolyrsStr) -> *mut RawDevice;
    fn polyrs_device_free(device: *mut RawDevice);
    fn polyrs_device_kernel(
        device: *mut RawDevice,
        function: LLVMValueRef,
        blocks: *mut LLVMBasicBlockRef,
        count: usize,
        bases: *mut LLVMValueRef,
        hosts: *mut LLVMValueRef,
        used: *mut bool,
        base_count: usize,
        name: PolyrsStr,
        threads: *const u32,
        shared: LLVMValueRef,
        shared_bytes: u64,
        error_word: LLVMValueRef,
        out: *mut RawKernel,
        error: *mut PolyrsText,
    ) -> bool;
    fn polyrs_device_compile(
        device: *mut RawDevice,
        arch: PolyrsStr,
        ptx: *mut PolyrsText,
        error: *mut PolyrsText,
    ) -> bool;
    fn polyrs_device_may_fail(inst: LLVMValueRef) -> bool;
    fn polyrs_device_resident(function: LLVMValueRef, keeps: bool) -> u64;
    fn polyrs_device_fill(
        module: *mut PolyrsModule,
        symbol: PolyrsStr,
        texts: *const PolyrsStr,
        text_count: usize,
        names: *const PolyrsStr,
        count: usize,
        version: u32,
    );
}

/// The module of a function's kernels.
pub struct DeviceModule(NonNull<RawDevice>);

/// Where memory that kernels use begins.
#[derive(Clone, Copy, Debug)]
pub struct Base<'f> {
    /// On the device.
    pub device: Val<'f>,
    /// On the host, for what may still be computed from there.
    pub host: Option<Val<'f>>,
    /// Number of the range that it is of.
    pub range: usize,
}

/// What takes the place of a kernel's blocks.
#[derive(Clone, Debug)]
pub struct Launch<'f> {
    /// Stores the kernel's parameters; without terminator.
    pub before: Blk<'f>,
    /// What follows.
    pub after: Blk<'f>,
    /// The parameters, one 8-byte slot each.
    pub room: Val<'f>,
    /// How many there are.
    pub count: u64,
    /// Which of the bases the kernel uses.
    pub used: Vec<bool>,
}

impl DeviceModule {
    /// An empty one, for kernels of the function that `ir` writes. `libdevice`: path of its bitcode, from which
    /// functions are taken where flags allow other bits; empty: there is none.
    #[must_use]
    pub fn new(ir: &Ir<'_>, libdevice: &str) -> Self {
        // SAFETY: the module is live, and the text for the call.
        let raw = unsafe { polyrs_device_new(ir.module, PolyrsStr::new(libdevice)) };
        Self(NonNull::new(raw).expect("operator new never returns null"))
    }

    /// Moves blocks into a kernel called `name`, whose blocks have so many threads along x, y and z. `blocks` has one
    /// entry, which comes first and has no phis, and one exit; nothing they compute is used behind them. They access
    /// memory through `bases` alone: addresses that they compute from the host's move there; and through `shared`,
    /// which stands for so many bytes that threads of a block share. The word at `error`, one of `bases`, becomes 1
    /// where the host would set `errno` to EDOM.
    ///
    /// # Errors
    /// Why they cannot be moved; the function is then broken.
    pub fn kernel<'f>(
        &self,
        ir: &Ir<'f>,
        (blocks, bases): (&[Blk<'f>], &[Base<'f>]),
        (name, threads): (&str, [u32; 3]),
        (shared, error_word): (Option<(Val<'f>, u64)>, Option<Val<'f>>),
    ) -> Result<Launch<'f>, String> {
        let mut refs: Vec<LLVMBasicBlockRef> = blocks.iter().map(|b| b.0).collect();
        let mut base_refs: Vec<LLVMValueRef> = bases.iter().map(|b| b.device.0).collect();
        let mut host_refs: Vec<LLVMValueRef> =
            bases.iter().map(|b| b.host.map_or(std::ptr::null_mut(), |host| host.0)).collect();
        let mut used = vec![false; bases.len()];
        let (none, none_value) = (std::ptr::null_mut(), std::ptr::null_mut());
        let mut raw = RawKernel { before: none, after: none, room: std::ptr::null_mut(), count: 0 };
        let error = Text::new();
        // SAFETY: live handles of one function; both texts and `raw` are writable.
        let done = unsafe {
            polyrs_device_kernel(
                self.0.as_ptr(),
                ir.function,
                refs.as_mut_ptr(),
                refs.len(),
                base_refs.as_mut_ptr(),
                host_refs.as_mut_ptr(),
                used.as_mut_ptr(),
                base_refs.len(),
                PolyrsStr::new(name),
                threads.as_ptr(),
                shared.map_or(none_value, |(room, _)| room.0),
                shared.map_or(0, |(_, bytes)| bytes),
                error_word.map_or(none_value, |word| word.0),
                &raw mut raw,
                error.as_ptr(),
            )
        };
        ir.made.borrow_mut().retain(|b| !refs.contains(b));
        if !done {
            return Err(error.into_string());
        }
        let (before, after) = (Blk::of(raw.before), Blk::of(raw.after));
        Ok(Launch { before, after, room: Val::of(raw.room), count: raw.count, used })
    }

    /// The kernels as PTX for an architecture (`sm_60`) and later ones.
    ///
    /// # Errors
    /// Why there is none.
    pub fn ptx(&self, arch: &str) -> Result<String, String> {
        let (ptx, error) = (Text::new(), Text::new());
        // SAFETY: the module is live; both texts live for the call.
        let done =
            unsafe { polyrs_device_compile(self.0.as_ptr(), PolyrsStr::new(arch), ptx.as_ptr(), error.as_ptr()) };
        if done { Ok(ptx.into_string()) } else { Err(error.into_string()) }
    }
}

impl Drop for DeviceModule {
    fn drop(&mut self) {
        // SAFETY: made by `polyrs_device_new`, freed once.
        unsafe { polyrs_device_free(self.0.as_ptr()) };
    }
}

impl<'f> Ir<'f> {
    /// Lets data stay on the device between regions, if it `keeps` any, until the host may look: how many sequences of
    /// regions there are. To be called when all regions are written; what was known of the function's blocks is then
    /// out of date.
    pub fn keep_on_device(&self, keeps: bool) -> u64 {
        // SAFETY: a live function, whose blocks are complete.
        unsafe { polyrs_device_resident(self.function, keeps) }
    }

    /// Says at the current position that the host's code comes next, in place of a region for a device: the library
    /// brings back what it may read, if [`Self::keep_on_device`] has left it there.
    pub fn note_host(&self) {
        let nothing = self.zero(self.ptr_ty());
        self.call_symbol("polyrs_gpu_host", Some(self.int_ty(32)), &[nothing], None);
    }

    /// What stands for the shared memory of a block, at the current position in front of a kernel's blocks.
    pub fn shared_room(&self) -> Val<'f> {
        // SAFETY: live context; the builder is positioned.
        Val::of(unsafe {
            let nothing = LLVMGetPoison(LLVMPointerTypeInContext(self.context, SHARED));
            LLVMBuildFreeze(self.builder.as_mut_ptr(), nothing, c"polyrs.shared".as_ptr())
        })
    }

    /// So many words of the module that nobody reads or writes: what kernels have for themselves in their place is on
    /// the device alone. Made at its first use.
    #[must_use]
    pub fn room_on_device(&self, words: u64) -> Val<'f> {
        let name = CString::new(format!("polyrs.gpu.row.{words}")).unwrap_or_default();
        // SAFETY: live module and context; the initializer has the global's type.
        Val::of(unsafe {
            let known = LLVMGetNamedGlobal(self.module, name.as_ptr());
            if !known.is_null() {
                return Val::of(known);
            }
            let row = LLVMArrayType2(LLVMInt64TypeInContext(self.context), words);
            let global = LLVMAddGlobal(self.module, row, name.as_ptr());
            LLVMSetInitializer(global, LLVMConstNull(row));
            LLVMSetLinkage(global, llvm_sys::LLVMLinkage::LLVMPrivateLinkage);
            global
        })
    }

    /// Waits for all threads of a block.
    pub fn barrier(&self) {
        self.call_symbol("llvm.nvvm.barrier.cta.sync.aligned.all", None, &[self.int(self.int_ty(32), 0)], None);
    }

    /// Whether an instruction of the original code is a square root that sets `errno` where there is none.
    #[must_use]
    pub fn may_fail(&self, inst: ValueId) -> bool {
        // SAFETY: a live value of the function.
        unsafe { polyrs_device_may_fail(self.value(inst).0) }
    }

    /// A constant of the module that gets its value later ([`Module::fill_device_code`]), declared at its first use: a
    /// struct of these types.
    #[must_use]
    pub fn later_constant(&self, symbol: &str, fields: &[Ty<'f>]) -> Val<'f> {
        let mut types: Vec<LLVMTypeRef> = fields.iter().map(|t| t.0).collect();
        let numbered = (0..).map(|k| if k == 0 { symbol.to_owned() } else { format!("{symbol}.{k}") });
        for name in numbered.map(|name| CString::new(name).unwrap_or_default()) {
            // SAFETY: live module, context and types.
            unsafe {
                let known = LLVMGetNamedGlobal(self.module, name.as_ptr());
                if known.is_null() {
                    let ty = LLVMStructTypeInContext(self.context, types.as_mut_ptr(), len_u32(types.len()), 0);
                    return Val::of(LLVMAddGlobal(self.module, ty, name.as_ptr()));
                }
                if LLVMGetInitializer(known).is_null() {
                    return Val::of(known);
                }
            }
        }
        unreachable!("names do not end")
    }
}

impl Module<'_> {
    /// Gives the constant that stands for kernels its value, if the module has one.
    pub fn fill_device_code(&self, symbol: &str, texts: &[String], names: &[String], version: u32) {
        let all = |of: &[String]| of.iter().map(|text| PolyrsStr::new(text)).collect::<Vec<_>>();
        let (symbol, texts, names) = (PolyrsStr::new(symbol), all(texts), all(names));
        let (first_text, first_name) = (texts.as_ptr(), names.as_ptr());
        // SAFETY: the module is live, and all texts live for the call.
        unsafe {
            polyrs_device_fill(self.as_ptr(), symbol, first_text, texts.len(), first_name, names.len(), version);
        }
    }
}
