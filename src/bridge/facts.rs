//! Asks LLVM's analyses for the facts of one function, see `analysis.cpp`, and keeps the handles that their ids stand
//! for.

use super::ffi;
use super::module::Text;
use crate::facts::{self, FunctionFacts};
use crate::ids::ValueId;
use llvm_sys::prelude::{LLVMBasicBlockRef, LLVMValueRef};
use std::ffi::c_void;

/// Facts about a function with the LLVM handles that their ids stand for.
pub struct Facts {
    /// Owned facts.
    pub facts: FunctionFacts,
    /// Handle by [`crate::ids::ValueId`].
    pub(super) values: Vec<LLVMValueRef>,
    /// Handle by [`crate::ids::BlockId`].
    pub(super) blocks: Vec<LLVMBasicBlockRef>,
}

#[repr(C)]
struct RawFacts {
    words: *const u64,
    words_len: usize,
    bytes: *const u8,
    bytes_len: usize,
    values: *const LLVMValueRef,
    values_len: usize,
    blocks: *const LLVMBasicBlockRef,
    blocks_len: usize,
    owner: *mut c_void,
}

unsafe extern "C" {
    fn polyrs_facts_new(function: LLVMValueRef, fam: *mut c_void, with_names: u8, result: *mut RawFacts);
    fn polyrs_facts_free(facts: *mut RawFacts);
    fn polyrs_value_variable(value: LLVMValueRef, out: *mut ffi::PolyrsText);
    fn polyrs_value_expression(value: LLVMValueRef, out: *mut ffi::PolyrsText);
    fn polyrs_value_called(value: LLVMValueRef, out: *mut ffi::PolyrsText);
    fn polyrs_value_library(value: LLVMValueRef, out: *mut ffi::PolyrsText);
    fn polyrs_value_called_itself(value: LLVMValueRef, out: *mut ffi::PolyrsText);
    fn polyrs_value_nature(value: LLVMValueRef, out: *mut ffi::PolyrsText);
}

impl Facts {
    /// What a value is called in the user's source, or in the IR with a percent sign; empty where nothing is known.
    #[must_use]
    pub fn variable(&self, value: ValueId) -> String {
        let Some(handle) = self.values.get(value.index()) else { return String::new() };
        let text = Text::new();
        // SAFETY: the value's function lives as long as the facts are used; the text lives for the call.
        unsafe { polyrs_value_variable(*handle, text.as_ptr()) };
        text.into_string()
    }

    /// The expression of the user's source that a value is: a variable, what is loaded through one (`m->n`, or `load
    /// from m` without debug information), the function that is called; empty where nothing is known.
    #[must_use]
    pub fn expression(&self, value: ValueId) -> String {
        let Some(handle) = self.values.get(value.index()) else { return String::new() };
        let text = Text::new();
        // SAFETY: as above.
        unsafe { polyrs_value_expression(*handle, text.as_ptr()) };
        text.into_string()
    }

    /// What a call runs, `f()` or `copy of 64 bytes`, whatever variable gets its result; empty for other values.
    #[must_use]
    pub fn called(&self, value: ValueId) -> String {
        let Some(handle) = self.values.get(value.index()) else { return String::new() };
        let text = Text::new();
        // SAFETY: as above.
        unsafe { polyrs_value_called(*handle, text.as_ptr()) };
        text.into_string()
    }

    /// The function that a call runs, by its own name, whoever calls it; empty for other values.
    #[must_use]
    pub fn called_itself(&self, value: ValueId) -> String {
        let Some(handle) = self.values.get(value.index()) else { return String::new() };
        let text = Text::new();
        // SAFETY: as above.
        unsafe { polyrs_value_called_itself(*handle, text.as_ptr()) };
        text.into_string()
    }

    /// The function of a library that the user calls where a value is computed; empty where the code is the user's own.
    #[must_use]
    pub fn library(&self, value: ValueId) -> String {
        let Some(handle) = self.values.get(value.index()) else { return String::new() };
        let text = Text::new();
        // SAFETY: as above.
        unsafe { polyrs_value_library(*handle, text.as_ptr()) };
        text.into_string()
    }

    /// What is special about an instruction that has to stay where it is, `volatile access`; empty for others.
    #[must_use]
    pub fn nature(&self, value: ValueId) -> String {
        let Some(handle) = self.values.get(value.index()) else { return String::new() };
        let text = Text::new();
        // SAFETY: as above.
        unsafe { polyrs_value_nature(*handle, text.as_ptr()) };
        text.into_string()
    }
}

/// Whether value names are copied; they serve debug output only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Names {
    /// Names stay empty.
    Drop,
    /// Names as in the IR.
    Keep,
}

/// Facts about `function` as LLVM's analyses have them now; they hold until its IR changes.
///
/// # Errors
/// What is wrong with the words that C++ wrote.
///
/// # Safety
/// `function` is a function definition, `fam` the `FunctionAnalysisManager` of a running pass, both alive during the
/// call.
pub(super) unsafe fn extract(function: LLVMValueRef, fam: *mut c_void, names: Names) -> Result<Facts, String> {
    let mut raw = RawFacts {
        words: std::ptr::null(),
        words_len: 0,
        bytes: std::ptr::null(),
        bytes_len: 0,
        values: std::ptr::null(),
        values_len: 0,
        blocks: std::ptr::null(),
        blocks_len: 0,
        owner: std::ptr::null_mut(),
    };
    // SAFETY: the caller keeps both handles valid; `raw` is a valid place for the result.
    unsafe { polyrs_facts_new(function, fam, u8::from(names == Names::Keep), &raw mut raw) };
    // SAFETY: the four ranges were filled above and live until the call of `polyrs_facts_free`.
    let read = unsafe {
        facts::read(slice(raw.words, raw.words_len), slice(raw.bytes, raw.bytes_len)).map(|facts| Facts {
            facts,
            values: slice(raw.values, raw.values_len).to_vec(),
            blocks: slice(raw.blocks, raw.blocks_len).to_vec(),
        })
    };
    // SAFETY: `raw` came from `polyrs_facts_new` and nothing read from it is borrowed any more.
    unsafe { polyrs_facts_free(&raw mut raw) };
    read
}

/// The range as a slice; an empty range may have a null start.
///
/// # Safety
/// `start` points to `len` initialized items that outlive `'a`, unless `len` is 0.
unsafe fn slice<'a, T>(start: *const T, len: usize) -> &'a [T] {
    if len == 0 {
        return &[];
    }
    // SAFETY: promised by the caller.
    unsafe { std::slice::from_raw_parts(start, len) }
}
