//! Declarations of the C++ bridge; each item mirrors the item of the same name in `bridge.h`, `llvm.cpp` or
//! `canonical/clone.cpp`.

use std::ffi::c_void;
use std::marker::PhantomData;

use llvm_sys::prelude::LLVMBasicBlockRef;

macro_rules! opaque {
    ($($(#[$doc:meta])* $name:ident;)*) => {
        $(
            $(#[$doc])*
            #[repr(C)]
            pub struct $name {
                _data: [u8; 0],
                _marker: PhantomData<*mut u8>,
            }
        )*
    };
}

opaque! {
    /// `llvm::PassBuilder`.
    PassBuilder;
    /// The module under the pass.
    PolyrsModule;
    /// The canonical clone.
    PolyrsClone;
    /// A C++ string.
    PolyrsText;
    /// `llvm::Function`.
    LlvmFunction;
}

/// A borrowed string.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct PolyrsStr {
    data: *const u8,
    length: usize,
}

impl PolyrsStr {
    pub fn new(text: &str) -> Self {
        Self { data: text.as_ptr(), length: text.len() }
    }

    /// An owned copy; bytes that are not UTF-8 are replaced.
    ///
    /// # Safety
    /// `data` must point to `length` readable bytes, or `length` must be 0.
    pub unsafe fn to_owned_text(self) -> String {
        if self.length == 0 {
            return String::new();
        }
        // SAFETY: the caller keeps `data` readable for `length` bytes during this call.
        let bytes = unsafe { std::slice::from_raw_parts(self.data, self.length) };
        String::from_utf8_lossy(bytes).into_owned()
    }
}

/// The upward calls.
#[repr(C)]
pub struct PolyrsHooks {
    pub wants_place: extern "C" fn(place: u32) -> bool,
    pub knows_pass: extern "C" fn(name: PolyrsStr, error: *mut PolyrsText) -> bool,
    pub run: extern "C" fn(name: PolyrsStr, module: *mut PolyrsModule) -> bool,
    pub option_seen: extern "C" fn(index: u32, value: PolyrsStr, error: *mut PolyrsText),
    pub option_reset: extern "C" fn(index: u32),
}

#[repr(C)]
#[derive(Default)]
pub struct PolyrsTraits {
    pub opt_none: bool,
    pub min_size: bool,
    pub opt_size: bool,
    pub opted_out: bool,
    pub done: bool,
    pub may_defer: bool,
    pub instructions: u32,
}

#[repr(C)]
#[derive(Default)]
pub struct PolyrsMachine {
    pub l1_bytes: u64,
    pub l2_bytes: u64,
    pub l3_bytes: u64,
    pub vector_bits: u32,
    pub vector_registers: u32,
    pub cores: u32,
    pub line_bytes: u32,
    pub widest_bits: u32,
    pub has_room: u32,
    pub is_meshed: u32,
}

#[repr(C)]
#[derive(Default)]
pub struct PolyrsLoops {
    pub loops: u32,
    pub writes: u32,
    pub calls: u32,
    pub barred: bool,
    pub fills: bool,
    pub little: bool,
}

#[repr(C)]
#[derive(Default)]
pub struct PolyrsWork {
    pub clones: u64,
    pub instructions: u64,
    pub canonical: u64,
    pub recorded: u64,
}

/// A position in the source; line 0 = unknown.
#[repr(C)]
pub struct PolyrsPosition {
    pub file: PolyrsStr,
    pub line: u32,
    pub column: u32,
}

/// What the user's source says of a function, or where only functions can be told.
#[repr(C)]
pub struct PolyrsSaidOf {
    pub name: PolyrsStr,
    pub text: PolyrsStr,
    pub odd: PolyrsStr,
    pub file: PolyrsStr,
    pub line: u32,
    pub is_ours: bool,
    /// What that stands at: 0 a function, 1 a variable of a function, 2 a variable of the module.
    pub place: u8,
}

/// `llvm::PassPluginLibraryInfo`, API version 2.
#[repr(C)]
pub struct PassPluginLibraryInfo {
    pub api_version: u32,
    pub plugin_name: *const u8,
    pub plugin_version: *const u8,
    pub register_callbacks: Option<extern "C" fn(*mut PassBuilder)>,
    pub pre_codegen: Option<extern "C" fn(*mut c_void, *mut c_void, u32, *mut c_void) -> bool>,
}

unsafe extern "C" {
    pub fn polyrs_set_hooks(hooks: *const PolyrsHooks);
    pub fn polyrs_register_passes(builder: *mut PassBuilder);
    pub fn polyrs_register_option(index: u32, is_flag: bool, name: PolyrsStr, value: PolyrsStr, help: PolyrsStr);
    pub fn polyrs_register_unknown(index: u32);
    pub fn polyrs_text_new() -> *mut PolyrsText;
    pub fn polyrs_text_free(text: *mut PolyrsText);
    pub fn polyrs_text_get(text: *const PolyrsText) -> PolyrsStr;
    pub fn polyrs_text_append(text: *mut PolyrsText, more: PolyrsStr);
    pub fn polyrs_regex_error(pattern: PolyrsStr, error: *mut PolyrsText);
    pub fn polyrs_regex_matches(pattern: PolyrsStr, text: PolyrsStr) -> bool;
    pub fn polyrs_fatal(message: PolyrsStr) -> !;

    pub fn polyrs_module_pointer_bits(module: *const PolyrsModule) -> u32;
    pub fn polyrs_module_candidates(module: *mut PolyrsModule) -> usize;
    pub fn polyrs_module_candidate(module: *const PolyrsModule, index: usize) -> *mut LlvmFunction;
    pub fn polyrs_module_has_remarks(module: *const PolyrsModule) -> bool;
    pub fn polyrs_module_work(module: *const PolyrsModule, out: *mut PolyrsWork);
    pub fn polyrs_module_annotations(module: *const PolyrsModule) -> usize;
    pub fn polyrs_module_annotation(module: *const PolyrsModule, index: usize, out: *mut PolyrsSaidOf);
    pub fn polyrs_module_is_whole(module: *const PolyrsModule) -> bool;
    pub fn polyrs_module_source(module: *const PolyrsModule) -> PolyrsStr;
    pub fn polyrs_module_defines(module: *const PolyrsModule, name: PolyrsStr) -> bool;
    pub fn polyrs_module_warn(module: *mut PolyrsModule, message: PolyrsStr);
    pub fn polyrs_module_error(module: *mut PolyrsModule, message: PolyrsStr);
    pub fn polyrs_shown_name(name: PolyrsStr, out: *mut PolyrsText);
    pub fn polyrs_function_loops(module: *mut PolyrsModule, function: *mut LlvmFunction, out: *mut PolyrsLoops);
    pub fn polyrs_module_look(module: *const PolyrsModule, index: usize) -> u32;
    pub fn polyrs_function_outermost(module: *mut PolyrsModule, function: *mut LlvmFunction) -> usize;
    pub fn polyrs_function_cycles(module: *mut PolyrsModule, function: *mut LlvmFunction) -> usize;
    pub fn polyrs_clone_lost(clone: *mut PolyrsClone) -> usize;
    pub fn polyrs_outermost(
        module: *const PolyrsModule,
        index: usize,
        start: *mut PolyrsPosition,
        call: *mut PolyrsPosition,
        called: *mut PolyrsText,
    ) -> bool;
    pub fn polyrs_function_called(
        module: *mut PolyrsModule,
        function: *const LlvmFunction,
        is_installed: *mut bool,
        is_unused: *mut bool,
    ) -> usize;
    pub fn polyrs_function_name(function: *const LlvmFunction) -> PolyrsStr;
    pub fn polyrs_function_shown(function: *const LlvmFunction, out: *mut PolyrsText);
    pub fn polyrs_function_traits(module: *const PolyrsModule, function: *const LlvmFunction, out: *mut PolyrsTraits);
    pub fn polyrs_remark(
        module: *mut PolyrsModule,
        function: *mut LlvmFunction,
        kind: u32,
        name: PolyrsStr,
        file: PolyrsStr,
        line: u32,
        column: u32,
        message: PolyrsStr,
        keys: *const PolyrsStr,
        values: *const PolyrsStr,
        count: usize,
    );

    pub fn polyrs_clone_create(module: *mut PolyrsModule, function: *mut LlvmFunction, turns: bool)
    -> *mut PolyrsClone;
    pub fn polyrs_clone_nests(clone: *mut PolyrsClone) -> usize;
    pub fn polyrs_clone_nest(clone: *const PolyrsClone, index: usize, out: *mut PolyrsLoops);
    pub fn polyrs_clone_complete(clone: *mut PolyrsClone);
    pub fn polyrs_clone_original(clone: *const PolyrsClone) -> *mut LlvmFunction;
    pub fn polyrs_clone_function(clone: *const PolyrsClone) -> *mut LlvmFunction;
    pub fn polyrs_clone_analyses(clone: *mut PolyrsClone) -> *mut c_void;
    pub fn polyrs_clone_loops(clone: *mut PolyrsClone) -> usize;
    pub fn polyrs_clone_record(clone: *mut PolyrsClone);
    pub fn polyrs_clone_mark_original(
        clone: *mut PolyrsClone,
        first: LLVMBasicBlockRef,
        region: *const LLVMBasicBlockRef,
        count: usize,
        join: LLVMBasicBlockRef,
    );
    pub fn polyrs_clone_restore(clone: *mut PolyrsClone);
    pub fn polyrs_clone_verify(clone: *mut PolyrsClone, message: *mut PolyrsText) -> bool;
    pub fn polyrs_clone_print(clone: *mut PolyrsClone, out: *mut PolyrsText);
    pub fn polyrs_clone_commit(clone: *mut PolyrsClone);
    pub fn polyrs_clone_drop(clone: *mut PolyrsClone);
    pub fn polyrs_clone_machine(clone: *mut PolyrsClone, out: *mut PolyrsMachine);
}
