//! The symbol that LLVM looks up in a pass plugin, and the calls that LLVM makes into Rust.
//!
//! No panic leaves this file: each upward call answers "nothing known" instead, and "the module may have changed" for a
//! run.

use super::ffi::{self, PassBuilder, PassPluginLibraryInfo, PolyrsHooks, PolyrsModule, PolyrsStr, PolyrsText};
use super::module::Module;
use crate::options::TABLE;
use crate::plugin::{self, Place};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::NonNull;
use std::sync::Once;

/// LLVM's plugin interface version that [`PassPluginLibraryInfo`] follows.
const API_VERSION: u32 = 2;

static HOOKS: PolyrsHooks = PolyrsHooks {
    wants_place: on_wants_place,
    knows_pass: on_knows_pass,
    run: on_run,
    option_seen: on_option_seen,
    option_reset: on_option_reset,
};

/// What LLVM calls after loading the library, perhaps several times.
#[unsafe(no_mangle)]
pub extern "C" fn llvmGetPassPluginInfo() -> PassPluginLibraryInfo {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        crate::logging::start();
        crate::pipeline::capture_panics();
        register_options();
    });
    PassPluginLibraryInfo {
        api_version: API_VERSION,
        plugin_name: c"polyrs".as_ptr().cast(),
        plugin_version: concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr(),
        register_callbacks: Some(register_passes),
        pre_codegen: None,
    }
}

extern "C" fn register_passes(builder: *mut PassBuilder) {
    // SAFETY: LLVM hands over a live pass builder for the call; the hooks were set when the library was loaded.
    unsafe { ffi::polyrs_register_passes(builder) };
}

fn register_options() {
    // SAFETY: the hooks are static; called once per process, before anything else.
    unsafe { ffi::polyrs_set_hooks(&raw const HOOKS) };
    for (index, row) in (0u32..).zip(TABLE) {
        let text = PolyrsStr::new;
        // SAFETY: the strings are static; called once per process.
        unsafe { ffi::polyrs_register_option(index, row.is_flag, text(row.name), text(row.value), text(row.help)) };
    }
    let behind = u32::try_from(TABLE.len()).unwrap_or(u32::MAX);
    // SAFETY: called once per process.
    unsafe { ffi::polyrs_register_unknown(behind) };
}

/// Runs `work`; `fallback` if it panics.
fn guarded<T>(fallback: T, work: impl FnOnce() -> T) -> T {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or(fallback)
}

fn report(error: *mut PolyrsText, message: &str) {
    // SAFETY: C++ hands over a live text for the call.
    unsafe { ffi::polyrs_text_append(error, PolyrsStr::new(message)) };
}

/// Whether `work` changed the module. What a panic interrupts may have changed functions before: LLVM must not rely on
/// anything that it knew of them.
fn changes(work: impl FnOnce() -> bool) -> bool {
    guarded(true, work)
}

extern "C" fn on_wants_place(place: u32) -> bool {
    let place = match place {
        0 => Place::Early,
        1 => Place::BeforeVectorizer,
        2 => Place::LinkTime,
        _ => return false,
    };
    guarded(false, || plugin::wants_place(place))
}

extern "C" fn on_knows_pass(name: PolyrsStr, error: *mut PolyrsText) -> bool {
    guarded(false, || {
        // SAFETY: C++ keeps the name alive for the call.
        let name = unsafe { name.to_owned_text() };
        let Some((_, parameters)) = plugin::parse_pass_name(&name) else { return false };
        if let Err(message) = plugin::options_for(parameters) {
            report(error, &message);
        }
        true
    })
}

extern "C" fn on_run(name: PolyrsStr, module: *mut PolyrsModule) -> bool {
    changes(|| {
        // SAFETY: C++ keeps the name alive for the call.
        let name = unsafe { name.to_owned_text() };
        let Some(raw) = NonNull::new(module) else { return false };
        // SAFETY: C++ keeps the module alive for the call and touches it only on our behalf.
        let module = unsafe { Module::new(raw) };
        plugin::run(&name, &module)
    })
}

extern "C" fn on_option_seen(index: u32, value: PolyrsStr, error: *mut PolyrsText) {
    guarded((), || {
        // SAFETY: C++ keeps the value alive for the call.
        let value = unsafe { value.to_owned_text() };
        if let Err(message) = plugin::option_seen(index as usize, &value) {
            report(error, &message);
        }
    });
}

extern "C" fn on_option_reset(index: u32) {
    guarded((), || plugin::option_reset(index as usize));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_panic_leaves_a_call_and_one_in_a_run_counts_as_a_change() {
        assert!(changes(|| panic!("in the pass's entry")));
        assert!(!changes(|| false));
        assert_eq!(guarded(7, || panic!("elsewhere")), 7);
    }

    #[test]
    fn a_run_without_a_module_changes_nothing() {
        assert!(!(HOOKS.run)(PolyrsStr::new("polyrs"), std::ptr::null_mut()));
    }
}
