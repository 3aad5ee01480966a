//! Ctrl-C as a question that a command asks itself: whoever has something to put away ends when it has.

use signal_hook::consts::{SIGINT, SIGTERM};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};

static ASKED: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);

/// From now on the signals by which a terminal and `kill` ask a program to end do not end it: [`asked`] tells of them.
///
/// # Errors
/// The system's, in words.
pub fn catch() -> Result<(), String> {
    for signal in [SIGINT, SIGTERM] {
        let kept = signal_hook::flag::register(signal, Arc::clone(&ASKED));
        kept.map_err(|e| format!("signal {signal} cannot be caught: {e}"))?;
    }
    Ok(())
}

/// Whether somebody wants this program to end.
pub fn asked() -> bool {
    ASKED.load(Ordering::SeqCst)
}
