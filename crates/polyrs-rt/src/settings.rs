//! What the user asks for by environment variables, and what the user is told.

use std::io::Write;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

/// Where regions run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wish {
    /// Wherever they are estimated to be faster.
    Auto,
    /// On the host.
    Never,
    /// On the device, where there is one.
    Always,
}

/// The user's settings.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// `POLYRS_GPU`.
    pub wish: Wish,
    /// `POLYRS_GPU_LOG`: a line per region.
    pub log: bool,
    /// The same is `times`: the line says how long kernels take, and copies and kernels wait for each other.
    pub times: bool,
    /// `POLYRS_GPU_CHUNK`: bytes that are copied to the device at a time.
    pub chunk_bytes: usize,
}

/// Bytes of a chunk where the user says nothing: long enough for what each takes besides to be little.
const CHUNK_BYTES: usize = 4 << 20;

/// The settings, read at the first call.
pub fn settings() -> Settings {
    static READ: OnceLock<Settings> = OnceLock::new();
    *READ.get_or_init(|| Settings {
        wish: wish_of(std::env::var("POLYRS_GPU").ok().as_deref()),
        log: std::env::var("POLYRS_GPU_LOG").is_ok_and(|v| !v.is_empty() && v != "0"),
        times: std::env::var("POLYRS_GPU_LOG").is_ok_and(|v| v == "times"),
        chunk_bytes: chunk_of(std::env::var("POLYRS_GPU_CHUNK").ok().as_deref()),
    })
}

/// The meaning of `POLYRS_GPU`; other words than the three mean `auto`.
fn wish_of(text: Option<&str>) -> Wish {
    match text {
        Some("never") => Wish::Never,
        Some("always") => Wish::Always,
        _ => Wish::Auto,
    }
}

/// The meaning of `POLYRS_GPU_CHUNK`; what is no number of bytes counts for nothing.
fn chunk_of(text: Option<&str>) -> usize {
    text.and_then(|text| text.parse().ok()).filter(|bytes| *bytes > 0).unwrap_or(CHUNK_BYTES)
}

/// A line for the user, in one piece.
pub fn say(text: &str) {
    let _ = std::io::stderr().write_all(format!("polyrs: {text}\n").as_bytes());
}

/// A line about one region, where regions are logged.
pub fn log(region: &str, text: &str) {
    if settings().log {
        say(&format!("{region}: {text}"));
    }
}

/// Why the device is not used although it should be: one line in the life of a program.
pub fn say_once(why: &str) {
    static SAID: AtomicBool = AtomicBool::new(false);
    if !SAID.swap(true, Ordering::Relaxed) {
        say(&format!("no GPU is used: {why}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_mean_what_they_say() {
        let all = [Some("never"), Some("always"), Some("auto"), Some("nonsense"), None].map(wish_of);
        assert_eq!(all, [Wish::Never, Wish::Always, Wish::Auto, Wish::Auto, Wish::Auto]);
    }

    #[test]
    fn chunks_have_bytes() {
        let all = [Some("4096"), Some("0"), Some("-1"), Some("many"), None].map(chunk_of);
        assert_eq!(all, [4096, CHUNK_BYTES, CHUNK_BYTES, CHUNK_BYTES, CHUNK_BYTES]);
    }
}
