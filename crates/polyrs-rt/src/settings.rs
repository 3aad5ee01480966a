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

/// The settings, read at the first call, which tells the user of words that it does not know.
pub fn settings() -> Settings {
    static READ: OnceLock<Settings> = OnceLock::new();
    *READ.get_or_init(|| {
        let (settings, unknown) = read(|name| Some(std::env::var_os(name)?.to_string_lossy().into_owned()));
        unknown.iter().for_each(|line| say(line));
        settings
    })
}

/// The settings that variables with these values ask for, and a line for each that has no meaning. An empty one is as
/// good as none.
fn read(value: impl Fn(&str) -> Option<String>) -> (Settings, Vec<String>) {
    let mut unknown = Vec::new();
    let value = |name: &str| value(name).filter(|text| !text.is_empty());
    let mut one_of = |name: &str, words: &[&str], assumed: usize, absent: usize| match value(name) {
        None => absent,
        Some(text) => words.iter().position(|word| *word == text).unwrap_or_else(|| {
            unknown.push(format!("{name}={text} is none of {}: {} is assumed", words.join(", "), words[assumed]));
            assumed
        }),
    };
    let wish = [Wish::Auto, Wish::Never, Wish::Always][one_of("POLYRS_GPU", &["auto", "never", "always"], 0, 0)];
    let log = one_of("POLYRS_GPU_LOG", &["0", "1", "times"], 1, 0);
    let chunk = value("POLYRS_GPU_CHUNK");
    let bytes = chunk.as_deref().and_then(|text| text.parse().ok()).filter(|bytes| *bytes > 0);
    if let (Some(text), None) = (chunk, bytes) {
        unknown.push(format!("POLYRS_GPU_CHUNK={text} is no number of bytes: {CHUNK_BYTES} is assumed"));
    }
    (Settings { wish, log: log > 0, times: log == 2, chunk_bytes: bytes.unwrap_or(CHUNK_BYTES) }, unknown)
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

    fn of(name: &str, text: Option<&str>) -> (Settings, Vec<String>) {
        read(|asked| (asked == name).then(|| text.map(str::to_owned)).flatten())
    }

    #[test]
    fn words_mean_what_they_say_and_others_are_named() {
        let words = [Some("never"), Some("always"), Some("auto"), Some(""), None, Some("nonsense")];
        let all = words.map(|text| of("POLYRS_GPU", text));
        assert_eq!(
            all.each_ref().map(|(settings, _)| settings.wish),
            [Wish::Never, Wish::Always, Wish::Auto, Wish::Auto, Wish::Auto, Wish::Auto]
        );
        assert_eq!(all.map(|(_, unknown)| unknown.len()), [0, 0, 0, 0, 0, 1]);
        let all = [Some("0"), Some("1"), Some("times"), None, Some("yes")].map(|text| of("POLYRS_GPU_LOG", text));
        let logs = all.each_ref().map(|(settings, _)| (settings.log, settings.times));
        assert_eq!(logs, [(false, false), (true, false), (true, true), (false, false), (true, false)]);
        assert_eq!(all.map(|(_, unknown)| unknown.len()), [0, 0, 0, 0, 1]);
    }

    #[test]
    fn chunks_have_bytes() {
        let words = [Some("4096"), None, Some("0"), Some("-1"), Some("many")];
        let all = words.map(|text| of("POLYRS_GPU_CHUNK", text));
        assert_eq!(
            all.each_ref().map(|(settings, _)| settings.chunk_bytes),
            [4096, CHUNK_BYTES, CHUNK_BYTES, CHUNK_BYTES, CHUNK_BYTES]
        );
        assert_eq!(all.map(|(_, unknown)| unknown.len()), [0, 0, 1, 1, 1]);
    }
}
