//! What each stage decided, as lines on standard error: `POLYRS_LOG=polyrs::schedule=debug`, in `env_logger`'s syntax.
//!
//! Lines carry no time, no thread and no address, so that two runs can be compared. Without the variable nothing is
//! logged and nothing formatted: one load and one comparison for each place that could.

use std::io::Write;
use std::sync::Once;

/// The environment variable that says what is logged.
pub const ENVIRONMENT: &str = "POLYRS_LOG";

/// Starts the logger if the variable asks for it; once per process, and not where the program has a logger already. The
/// plugin and the command call it, a program that uses this library does as it likes.
pub fn start() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let Ok(filters) = std::env::var(ENVIRONMENT) else { return };
        let line = |out: &mut env_logger::fmt::Formatter, record: &log::Record<'_>| {
            writeln!(out, "{} {}: {}", record.level().as_str().to_lowercase(), record.target(), record.args())
        };
        // A program with a logger of its own keeps it.
        let _ = env_logger::Builder::new().parse_filters(&filters).format(line).try_init();
    });
}

/// Whether a line of standard error is one of these.
#[must_use]
pub fn is_line(line: &str) -> bool {
    let of_level = |level: log::Level| line.strip_prefix(&*level.as_str().to_lowercase());
    log::Level::iter().filter_map(of_level).any(|rest| rest.starts_with(" polyrs"))
}

/// Whether anything is logged at all.
#[must_use]
pub fn is_on() -> bool {
    log::max_level() > log::LevelFilter::Off
}
