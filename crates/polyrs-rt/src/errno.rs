//! The program's `errno`, which no call of this library changes: where loops run is not for the program to see.

use std::ffi::c_int;

unsafe extern "C" {
    fn __errno_location() -> *mut c_int;
}

/// What it was when this was made; it is that again when this is dropped.
pub struct Kept(c_int);

impl Kept {
    /// As it is now.
    pub fn new() -> Self {
        // SAFETY: the place of this thread's number.
        Self(unsafe { *__errno_location() })
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        // SAFETY: as above; a thread that ends has it still.
        unsafe { *__errno_location() = self.0 };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fails_meanwhile_leaves_no_trace() {
        let place = || std::io::Error::last_os_error().raw_os_error();
        let before = place();
        let kept = Kept::new();
        assert!(std::fs::read("/no/such/file").is_err());
        drop(kept);
        assert_eq!(place(), before);
        assert!(std::fs::read("/no/such/file").is_err());
        assert_eq!(place(), Some(2));
    }
}
