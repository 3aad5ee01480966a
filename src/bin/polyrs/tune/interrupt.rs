//! Ctrl-C as a question that a command asks itself: whoever has something to put away ends when it has.

use std::sync::atomic::{AtomicBool, Ordering};

static ASKED: AtomicBool = AtomicBool::new(false);

/// Numbers of the signals by which a terminal and `kill` ask a program to end.
const SIGNALS: [i32; 2] = [2, 15];

unsafe extern "C" {
    fn signal(number: i32, handler: extern "C" fn(i32)) -> usize;
}

extern "C" fn note(_number: i32) {
    ASKED.store(true, Ordering::SeqCst);
}

/// From now on the signals end nothing: [`asked`] tells of them.
pub fn catch() {
    for number in SIGNALS {
        // SAFETY: the handler stores to an atomic and does nothing else, which is allowed in a signal handler.
        unsafe { signal(number, note) };
    }
}

/// Whether somebody wants this program to end.
pub fn asked() -> bool {
    ASKED.load(Ordering::SeqCst)
}
