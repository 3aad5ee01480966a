//! How many libraries the process has unloaded: what lies at an address may be another library's since.

use std::ffi::{c_char, c_int, c_void};

/// What the dynamic linker says of a library (`struct dl_phdr_info`), as far as it matters here.
#[repr(C)]
struct Library {
    address: usize,
    name: *const c_char,
    headers: *const c_void,
    header_count: u16,
    /// Libraries loaded so far, and unloaded.
    loads: u64,
    unloads: u64,
}

unsafe extern "C" {
    fn dl_iterate_phdr(
        each: unsafe extern "C" fn(*const Library, usize, *mut c_void) -> c_int,
        data: *mut c_void,
    ) -> c_int;
}

/// The same number as before: nothing was unloaded since.
pub fn count() -> u64 {
    let mut unloads = 0_u64;
    // SAFETY: the function below gets the address of `unloads`, which is there until the call returns.
    unsafe { dl_iterate_phdr(read, (&raw mut unloads).cast()) };
    unloads
}

/// Reads the number where the dynamic linker tells it; one library does.
unsafe extern "C" fn read(library: *const Library, bytes: usize, data: *mut c_void) -> c_int {
    if bytes >= size_of::<Library>() {
        // SAFETY: the dynamic linker hands over a struct of so many bytes, `count` a number to write to.
        unsafe { *data.cast::<u64>() = (*library).unloads };
    }
    1
}
