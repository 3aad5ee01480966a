//! Safe views of the module that the pass runs on and of its functions.

use super::ffi;
use crate::error::SourceLoc;
use crate::options::annotation::{Place, Said};
use crate::outcome::{Remark, RemarkKind};
use crate::report::Work;
use std::marker::PhantomData;
use std::ptr::NonNull;

/// A module for the time of one pass run.
pub struct Module<'m> {
    raw: NonNull<ffi::PolyrsModule>,
    _borrow: PhantomData<&'m ()>,
}

/// A function of the module with a body and a loop.
#[derive(Clone, Copy)]
pub struct Function<'m> {
    module: NonNull<ffi::PolyrsModule>,
    raw: NonNull<ffi::LlvmFunction>,
    look: Look,
    _borrow: PhantomData<&'m ()>,
}

/// How far a function can be looked at; mirrors `PolyrsLook` in `bridge.h`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// A loop accesses memory: all stages.
    All,
    /// No loop does: nothing to gain.
    NoMemory,
    /// Computed jumps, a coroutine, a naked function: no copy can be made.
    NoCopy,
}

/// An outermost loop of a function as the user wrote it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outermost {
    /// Where it starts.
    pub loc: SourceLoc,
    /// The first call in it that may touch memory.
    pub call: Option<SourceLoc>,
    /// What that runs; empty where nobody knows.
    pub called: String,
}

/// A call of a library's function in the user's own code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UsersCall {
    /// Where it is.
    pub loc: SourceLoc,
    /// The function that it is in, as its source calls it.
    pub caller: String,
    /// The function of the library that it is of, in short: `std::sort`, `Iterator::sum`.
    pub called: String,
}

/// Who runs a function of an installed library that is compiled for the user's own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Callers {
    /// These calls lead to it; at least one.
    Calls(Vec<UsersCall>),
    /// Nobody does any more.
    None,
}

/// Attributes that decide whether a function is looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools)]
pub struct Traits {
    /// `optnone`.
    pub opt_none: bool,
    /// `minsize`.
    pub min_size: bool,
    /// `optsize`.
    pub opt_size: bool,
    /// Attribute `polyrs-off` or annotation `polyrs:off`.
    pub opted_out: bool,
    /// Transformed in an earlier phase.
    pub done: bool,
    /// Its new code may wait until simplification is over.
    pub may_defer: bool,
    /// Number of instructions.
    pub instructions: u32,
}

/// What the loops of a function hold, before anything is rewritten, or some nests of its copy in SSA form.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Loops {
    /// Natural loops.
    pub loops: u32,
    /// Instructions in loops that may write memory, other than local scalars, and are not counted in `calls`.
    pub writes: u32,
    /// Calls in loops that may be inlined.
    pub calls: u32,
    /// Whether every innermost loop runs in each iteration something that no region can hold and no rewrite removes.
    pub barred: bool,
    /// Whether loops read no memory, and write elements one behind the other.
    pub fills: bool,
    /// Whether all loops end after a few iterations, and what they do together is too little for another order to
    /// matter.
    pub little: bool,
}

impl From<ffi::PolyrsLoops> for Loops {
    fn from(held: ffi::PolyrsLoops) -> Self {
        let ffi::PolyrsLoops { loops, writes, calls, barred, fills, little } = held;
        Self { loops, writes, calls, barred, fills, little }
    }
}

impl<'m> Module<'m> {
    /// # Safety
    /// `raw` must stay valid for `'m`, and nothing else may change the module meanwhile.
    pub(super) unsafe fn new(raw: NonNull<ffi::PolyrsModule>) -> Self {
        Self { raw, _borrow: PhantomData }
    }

    pub(super) fn as_ptr(&self) -> *mut ffi::PolyrsModule {
        self.raw.as_ptr()
    }

    /// Functions with a loop, in module order. To be called once.
    #[must_use]
    pub fn candidates(&self) -> Vec<Function<'m>> {
        // SAFETY: `raw` is valid for 'm (kept by `new`).
        let count = unsafe { ffi::polyrs_module_candidates(self.raw.as_ptr()) };
        (0..count)
            .filter_map(|index| {
                // SAFETY: as above, and `index` is below the count.
                let raw = unsafe { ffi::polyrs_module_candidate(self.raw.as_ptr(), index) };
                // SAFETY: as above.
                let look = match unsafe { ffi::polyrs_module_look(self.raw.as_ptr(), index) } {
                    0 => Look::All,
                    1 => Look::NoMemory,
                    _ => Look::NoCopy,
                };
                Some(Function { module: self.raw, raw: NonNull::new(raw)?, look, _borrow: PhantomData })
            })
            .collect()
    }

    /// Whether anybody reads remarks.
    #[must_use]
    pub fn has_remarks(&self) -> bool {
        // SAFETY: `raw` is valid for 'm (kept by `new`).
        unsafe { ffi::polyrs_module_has_remarks(self.raw.as_ptr()) }
    }

    /// What was done with the module so far.
    #[must_use]
    pub fn work(&self) -> Work {
        let mut out = ffi::PolyrsWork::default();
        // SAFETY: `raw` is valid for 'm (kept by `new`); `out` is writable.
        unsafe { ffi::polyrs_module_work(self.raw.as_ptr(), &raw mut out) };
        Work { clones: out.clones, instructions: out.instructions, canonical: out.canonical, recorded: out.recorded }
    }

    /// Functions of which their source says something, with what.
    #[must_use]
    pub fn annotations(&self) -> Vec<Said> {
        // SAFETY: `raw` is valid for 'm (kept by `new`).
        let count = unsafe { ffi::polyrs_module_annotations(self.raw.as_ptr()) };
        let none = || ffi::PolyrsStr::new("");
        let one = |index| {
            let mut out = ffi::PolyrsSaidOf {
                name: none(),
                text: none(),
                odd: none(),
                file: none(),
                line: 0,
                is_ours: false,
                place: 0,
            };
            // SAFETY: as above, `index` is below the count, the place is writable, and the module owns the texts.
            unsafe {
                ffi::polyrs_module_annotation(self.raw.as_ptr(), index, &raw mut out);
                let (is_ours, place) = match out.place {
                    0 => (out.is_ours, Place::Function),
                    1 => (true, Place::LocalVariable),
                    _ => (true, Place::GlobalVariable),
                };
                Said {
                    place,
                    name: out.name.to_owned_text(),
                    text: is_ours.then(|| out.text.to_owned_text()),
                    odd: out.odd.to_owned_text().lines().map(str::to_owned).collect(),
                    file: out.file.to_owned_text(),
                    line: out.line,
                }
            }
        };
        (0..count).map(one).collect()
    }

    /// Tells the user of something that looks like a mistake.
    pub fn warn(&self, message: &str) {
        // SAFETY: `raw` is valid for 'm (kept by `new`); the text lives for the call.
        unsafe { ffi::polyrs_module_warn(self.raw.as_ptr(), ffi::PolyrsStr::new(message)) };
    }

    /// Tells the user of a mistake, with which compilation cannot go on.
    pub fn error(&self, message: &str) {
        // SAFETY: as above.
        unsafe { ffi::polyrs_module_error(self.raw.as_ptr(), ffi::PolyrsStr::new(message)) };
    }

    /// Whether the module is all of a source file.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        // SAFETY: `raw` is valid for 'm (kept by `new`).
        unsafe { ffi::polyrs_module_is_whole(self.raw.as_ptr()) }
    }

    /// Name of the source file.
    #[must_use]
    pub fn source(&self) -> String {
        // SAFETY: as above; the module owns the text.
        unsafe { ffi::polyrs_module_source(self.raw.as_ptr()).to_owned_text() }
    }

    /// Whether a function of this name has a body here.
    #[must_use]
    pub fn defines(&self, function: &str) -> bool {
        // SAFETY: as above; the text lives for the call.
        unsafe { ffi::polyrs_module_defines(self.raw.as_ptr(), ffi::PolyrsStr::new(function)) }
    }

    /// Size of a pointer of the target.
    #[must_use]
    pub fn pointer_bits(&self) -> u32 {
        // SAFETY: `raw` is valid for 'm (kept by `new`).
        unsafe { ffi::polyrs_module_pointer_bits(self.raw.as_ptr()) }
    }
}

impl Function<'_> {
    pub(super) fn module_ptr(&self) -> *mut ffi::PolyrsModule {
        self.module.as_ptr()
    }

    pub(super) fn as_ptr(&self) -> *mut ffi::LlvmFunction {
        self.raw.as_ptr()
    }

    /// Its symbol name.
    #[must_use]
    pub fn name(&self) -> String {
        // SAFETY: the function lives as long as the module view.
        unsafe { ffi::polyrs_function_name(self.raw.as_ptr()).to_owned_text() }
    }

    /// What it is called in its source, without its parameters; its symbol name where that is not known.
    #[must_use]
    pub fn shown(&self) -> String {
        let text = Text::new();
        // SAFETY: the function lives as long as the module view; the text lives for the call.
        unsafe { ffi::polyrs_function_shown(self.raw.as_ptr(), text.as_ptr()) };
        text.into_string()
    }

    /// Tells the user of something that looks like a mistake.
    pub fn warn(&self, message: &str) {
        // SAFETY: the module lives as long as the view; the text lives for the call.
        unsafe { ffi::polyrs_module_warn(self.module_ptr(), ffi::PolyrsStr::new(message)) };
    }

    /// How far it can be looked at.
    #[must_use]
    pub fn look(&self) -> Look {
        self.look
    }

    /// Its outermost loops, in function order.
    #[must_use]
    pub fn outermost(&self) -> Vec<Outermost> {
        // SAFETY: module and function live as long as the view.
        let count = unsafe { ffi::polyrs_function_outermost(self.module_ptr(), self.as_ptr()) };
        self.listed(count)
    }

    /// Its cycles of blocks that have several entries and are in no loop.
    #[must_use]
    pub fn cycles(&self) -> Vec<Outermost> {
        // SAFETY: module and function live as long as the view.
        let count = unsafe { ffi::polyrs_function_cycles(self.module_ptr(), self.as_ptr()) };
        self.listed(count)
    }

    /// Who runs it, if it is a function of an installed library and that is known.
    #[must_use]
    pub fn callers(&self) -> Option<Callers> {
        let (mut is_installed, mut is_unused) = (false, false);
        // SAFETY: module and function live as long as the view; the flags are writable.
        let count = unsafe {
            let flags = (&raw mut is_installed, &raw mut is_unused);
            ffi::polyrs_function_called(self.module_ptr(), self.as_ptr(), flags.0, flags.1)
        };
        let call = |found: Outermost| {
            let (caller, called) = found.called.split_once('\n').unwrap_or_default();
            UsersCall { loc: found.loc, caller: caller.to_owned(), called: called.to_owned() }
        };
        match self.listed(count) {
            _ if is_unused => Some(Callers::None),
            all if !all.is_empty() => Some(Callers::Calls(all.into_iter().map(call).collect())),
            _ => None,
        }
    }

    /// The first `count` loops of the module's last list.
    pub(super) fn listed(&self, count: usize) -> Vec<Outermost> {
        let position = || ffi::PolyrsPosition { file: ffi::PolyrsStr::new(""), line: 0, column: 0 };
        let read = |at: &ffi::PolyrsPosition| SourceLoc {
            // SAFETY: debug information, which owns the name, lives as long as the module.
            file: unsafe { at.file.to_owned_text() },
            line: at.line,
            column: at.column,
        };
        let one = |index| {
            let (mut start, mut call, called) = (position(), position(), Text::new());
            // SAFETY: the module lives as long as the view, `index` is below the list's length, both positions are
            // writable, and the text lives for the call.
            let calls = unsafe {
                let (start, call) = (&raw mut start, &raw mut call);
                ffi::polyrs_outermost(self.module_ptr(), index, start, call, called.as_ptr())
            };
            Outermost { loc: read(&start), call: calls.then(|| read(&call)), called: called.into_string() }
        };
        (0..count).map(one).collect()
    }

    /// Its attributes.
    #[must_use]
    pub fn traits(&self) -> Traits {
        let mut out = ffi::PolyrsTraits::default();
        // SAFETY: the function lives as long as the module view; `out` is writable.
        unsafe { ffi::polyrs_function_traits(self.module_ptr(), self.raw.as_ptr(), &raw mut out) };
        Traits {
            opt_none: out.opt_none,
            min_size: out.min_size,
            opt_size: out.opt_size,
            opted_out: out.opted_out,
            done: out.done,
            may_defer: out.may_defer,
            instructions: out.instructions,
        }
    }

    /// What its loops hold. Linear in the size of the function.
    #[must_use]
    pub fn loops(&self) -> Loops {
        let mut out = ffi::PolyrsLoops::default();
        // SAFETY: module and function live as long as the view; `out` is writable.
        unsafe { ffi::polyrs_function_loops(self.module_ptr(), self.raw.as_ptr(), &raw mut out) };
        out.into()
    }

    /// Emits an optimization remark.
    pub fn remark(&self, remark: &Remark) {
        let Remark { kind, name, loc, message, parts } = remark;
        let kind = match kind {
            RemarkKind::Passed => 0,
            RemarkKind::Missed => 1,
            RemarkKind::Analysis => 2,
        };
        let text = ffi::PolyrsStr::new;
        let keys: Vec<ffi::PolyrsStr> = parts.iter().map(|(key, _)| text(key)).collect();
        let values: Vec<ffi::PolyrsStr> = parts.iter().map(|(_, value)| text(value)).collect();
        // SAFETY: module and function live as long as the view; the strings and lists, both of one length, live for the
        // call.
        unsafe {
            ffi::polyrs_remark(
                self.module_ptr(),
                self.as_ptr(),
                kind,
                text(name),
                text(&loc.file),
                loc.line,
                loc.column,
                text(message),
                keys.as_ptr(),
                values.as_ptr(),
                parts.len(),
            );
        }
    }
}

/// A C++ string that the bridge fills.
pub(super) struct Text(NonNull<ffi::PolyrsText>);

impl Text {
    pub(super) fn new() -> Self {
        // SAFETY: allocates; never null because `new` does not return null.
        let raw = unsafe { ffi::polyrs_text_new() };
        Self(NonNull::new(raw).expect("operator new never returns null"))
    }

    pub(super) fn as_ptr(&self) -> *mut ffi::PolyrsText {
        self.0.as_ptr()
    }

    pub(super) fn into_string(self) -> String {
        // SAFETY: the text lives until `self` is dropped at the end of this function.
        unsafe { ffi::polyrs_text_get(self.0.as_ptr()).to_owned_text() }
    }
}

impl Drop for Text {
    fn drop(&mut self) {
        // SAFETY: made by `polyrs_text_new`, freed once.
        unsafe { ffi::polyrs_text_free(self.0.as_ptr()) };
    }
}

/// What is wrong with a POSIX extended regular expression, if anything.
#[must_use]
pub fn regex_error(pattern: &str) -> Option<String> {
    let text = Text::new();
    // SAFETY: both strings live for the call.
    unsafe { ffi::polyrs_regex_error(ffi::PolyrsStr::new(pattern), text.as_ptr()) };
    Some(text.into_string()).filter(|message| !message.is_empty())
}

/// Whether a POSIX extended regular expression matches somewhere in `text`.
#[must_use]
pub fn regex_matches(pattern: &str, text: &str) -> bool {
    // SAFETY: both strings live for the call.
    unsafe { ffi::polyrs_regex_matches(ffi::PolyrsStr::new(pattern), ffi::PolyrsStr::new(text)) }
}

/// What a function is called in its source, without its parameters; the name itself where that is not known.
#[must_use]
pub fn shown_name(symbol: &str) -> String {
    let text = Text::new();
    // SAFETY: both strings live for the call.
    unsafe { ffi::polyrs_shown_name(ffi::PolyrsStr::new(symbol), text.as_ptr()) };
    text.into_string()
}

/// Ends the process with LLVM's fatal error report.
pub fn fatal(message: &str) -> ! {
    // SAFETY: the string lives for the call, which does not return.
    unsafe { ffi::polyrs_fatal(ffi::PolyrsStr::new(message)) }
}
