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
}

/// The settings, read at the first call.
pub fn settings() -> Settings {
    static READ: OnceLock<Settings> = OnceLock::new();
    *READ.get_or_init(|| Settings {
        wish: wish_of(std::env::var("POLYRS_GPU").ok().as_deref()),
        log: std::env::var("POLYRS_GPU_LOG").is_ok_and(|v| !v.is_empty() && v != "0"),
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
}
