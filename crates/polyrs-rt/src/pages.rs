//! Whether memory of the host can be read.
//!
//! What a region touches is copied from its first byte to its last. Of rows that are apart a program may have reserved
//! what lies between without the right to read it, as a guard for instance: the host's loops never come there.

use std::ffi::{c_int, c_void};

/// Brings pages in for reading, or says that some cannot be read. Linux 5.14; older ones do not know it.
const MADV_POPULATE_READ: c_int = 22;
/// Bytes of the smallest page of any machine that has such a device: a larger one is a multiple.
const PAGE_BYTES: usize = 4096;
/// Of `sysconf`: bytes of a page.
const SC_PAGESIZE: c_int = 30;

unsafe extern "C" {
    fn madvise(first: *mut c_void, bytes: usize, advice: c_int) -> c_int;
    fn sysconf(name: c_int) -> i64;
}

/// Whether all pages of these bytes could be brought in.
fn come_in(from: *const u8, bytes: usize) -> bool {
    // SAFETY: only asks.
    let page = usize::try_from(unsafe { sysconf(SC_PAGESIZE) }).unwrap_or(PAGE_BYTES).max(PAGE_BYTES);
    let first = from as usize / page * page;
    let whole = (from as usize - first).saturating_add(bytes);
    // SAFETY: changes no page, and reads none that the program could not have read.
    unsafe { madvise(first as *mut c_void, whole, MADV_POPULATE_READ) == 0 }
}

/// Whether these bytes can be read. True where the system cannot tell: it then fails for any bytes.
pub fn are_readable(from: *const u8, bytes: usize) -> bool {
    bytes == 0 || come_in(from, bytes) || !come_in((&raw const from).cast(), 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_memory_can_be_read_and_the_second_page_cannot() {
        let own = vec![1u8; 5 * PAGE_BYTES];
        assert!(are_readable(own.as_ptr(), own.len()));
        assert!(are_readable(own[7..].as_ptr(), 1));
        assert!(are_readable(std::ptr::null(), 0));
        assert!(!are_readable(PAGE_BYTES as *const u8, 1) || !come_in(own.as_ptr(), 1));
    }
}
