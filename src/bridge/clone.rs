//! The canonical clone of a function: what analyses read and code generation changes. See `canonical/clone.cpp`.

use super::facts::{self, Facts, Names};
use super::ffi;
use super::ir::Ir;
use super::module::{Function, Loops, Outermost, Text};
use crate::error::Failure;
use crate::facts::Target;
use std::ptr::NonNull;

/// A private copy of a function in canonical form: SSA, rotated and simplified loops, loop-closed values.
///
/// The original does not change until [`CanonicalClone::commit`]. Dropping the clone, also by a panic, leaves the
/// module as it was before the clone was made, byte for byte when printed.
pub struct CanonicalClone<'m> {
    raw: NonNull<ffi::PolyrsClone>,
    function: Function<'m>,
}

impl<'m> CanonicalClone<'m> {
    /// Clones `function`, with the copy in SSA form; `complete` brings it into canonical form. With `turns`, time loops
    /// whose pointers take turns are unrolled there.
    #[must_use]
    pub fn new(function: Function<'m>, turns: bool) -> Self {
        // SAFETY: module and function live for 'm.
        let raw = unsafe { ffi::polyrs_clone_create(function.module_ptr(), function.as_ptr(), turns) };
        Self { raw: NonNull::new(raw).expect("operator new never returns null"), function }
    }

    /// What those loops of the copy in SSA form hold that a region may hold: one for all nests that may share a region.
    #[must_use]
    pub fn nests(&self) -> Vec<Loops> {
        let one = |index| {
            let mut out = ffi::PolyrsLoops::default();
            // SAFETY: the clone lives as long as `self`, `index` is below the list's length; `out` is writable.
            unsafe { ffi::polyrs_clone_nest(self.raw.as_ptr(), index, &raw mut out) };
            out.into()
        };
        // SAFETY: the clone lives as long as `self`.
        let count = unsafe { ffi::polyrs_clone_nests(self.raw.as_ptr()) };
        (0..count).map(one).collect()
    }

    /// Brings the copy in SSA form into canonical form. To be called once.
    pub fn complete(&mut self) {
        // SAFETY: the clone lives as long as `self`.
        unsafe { ffi::polyrs_clone_complete(self.raw.as_ptr()) };
    }

    /// What LLVM's analyses know of the copy, with the handles that ids stand for. They hold until its IR changes.
    ///
    /// # Errors
    /// `Failure::Bug` if the two halves of the bridge disagree about the format.
    pub fn facts(&self, names: Names) -> Result<Facts, Failure> {
        // SAFETY: the clone and the analysis manager live as long as `self`.
        let facts = unsafe {
            let function = ffi::polyrs_clone_function(self.raw.as_ptr());
            facts::extract(function.cast(), ffi::polyrs_clone_analyses(self.raw.as_ptr()), names)
        };
        facts.map_err(Failure::Bug)
    }

    /// A builder that changes the clone; `facts` are this clone's, taken after its last change.
    #[must_use]
    pub fn ir<'c>(&'c mut self, facts: &Facts) -> Ir<'c> {
        // SAFETY: the clone lives as long as the borrow, and so do the handles of its facts: nothing but the builder
        // changes it.
        unsafe {
            let function = ffi::polyrs_clone_function(self.raw.as_ptr());
            let original = ffi::polyrs_clone_original(self.raw.as_ptr());
            Ir::new(function.cast(), &facts.values, &facts.blocks).of_clone(self.raw.as_ptr(), original.cast())
        }
    }

    /// Number of loops left after canonicalization.
    #[must_use]
    pub fn loop_count(&self) -> usize {
        // SAFETY: the clone lives as long as `self`.
        unsafe { ffi::polyrs_clone_loops(self.raw.as_ptr()) }
    }

    /// The user's outermost loops that canonicalization left nothing of.
    #[must_use]
    pub fn lost(&self) -> Vec<Outermost> {
        // SAFETY: the clone lives as long as `self`.
        let count = unsafe { ffi::polyrs_clone_lost(self.raw.as_ptr()) };
        self.function.listed(count)
    }

    /// Remembers what is there before new code is, for `restore` and `commit`. To be called once, if any is written.
    pub fn record(&mut self) {
        // SAFETY: the clone lives as long as `self`.
        unsafe { ffi::polyrs_clone_record(self.raw.as_ptr()) };
    }

    /// Gives outermost loops in which nothing is new the shape that they came in. To be called once, when all new code
    /// is there.
    pub fn restore(&mut self) {
        // SAFETY: the clone lives as long as `self`; the original is untouched.
        unsafe { ffi::polyrs_clone_restore(self.raw.as_ptr()) };
    }

    /// What LLVM's verifier finds wrong with the copy.
    ///
    /// # Errors
    /// The verifier's message.
    pub fn verify(&self) -> Result<(), String> {
        let text = Text::new();
        // SAFETY: the clone lives as long as `self`, the text for the call.
        let fine = unsafe { ffi::polyrs_clone_verify(self.raw.as_ptr(), text.as_ptr()) };
        if fine { Ok(()) } else { Err(text.into_string()) }
    }

    /// The copy as LLVM assembly.
    #[must_use]
    pub fn print(&self) -> String {
        let text = Text::new();
        // SAFETY: as for `verify`.
        unsafe { ffi::polyrs_clone_print(self.raw.as_ptr(), text.as_ptr()) };
        text.into_string()
    }

    /// What the target offers to this function.
    #[must_use]
    pub fn target(&self) -> Target {
        let mut out = ffi::PolyrsMachine::default();
        // SAFETY: the clone lives as long as `self`; `out` is writable.
        unsafe { ffi::polyrs_clone_machine(self.raw.as_ptr(), &raw mut out) };
        Target {
            l1_bytes: out.l1_bytes,
            l2_bytes: out.l2_bytes,
            l3_bytes: out.l3_bytes,
            vector_bits: out.vector_bits,
            widest_bits: out.widest_bits,
            has_room: out.has_room != 0,
            vector_registers: out.vector_registers,
            cores: out.cores,
            line_bytes: out.line_bytes,
            is_meshed: out.is_meshed != 0,
        }
    }

    /// Gives the original the copy's body and marks it as done.
    pub fn commit(self) {
        let this = std::mem::ManuallyDrop::new(self);
        // SAFETY: frees the clone; `ManuallyDrop` keeps `drop` from freeing it again.
        unsafe { ffi::polyrs_clone_commit(this.raw.as_ptr()) };
    }
}

impl Drop for CanonicalClone<'_> {
    fn drop(&mut self) {
        // SAFETY: made by `polyrs_clone_create`, and `commit` did not run.
        unsafe { ffi::polyrs_clone_drop(self.raw.as_ptr()) };
    }
}
