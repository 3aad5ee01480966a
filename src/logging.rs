//! What each stage decided, as lines on standard error: `POLYRS_LOG=polyrs::schedule=debug`, in `env_logger`'s syntax.
//!
//! Lines carry no time, no thread and no address, so that two runs can be compared. Without the variable nothing is
//! logged and nothing formatted: one load and one comparison for each place that could.

use crate::options::nearest_of;
use std::env::VarError;
use std::io::Write;
use std::sync::Once;

/// The environment variable that says what is logged.
pub const ENVIRONMENT: &str = "POLYRS_LOG";

/// Levels, from little to much.
const LEVELS: [&str; 6] = ["off", "error", "warn", "info", "debug", "trace"];
/// What can be asked to tell, `polyrs::` before it.
const STAGES: [&str; 12] = [
    "canonical",
    "scop",
    "model",
    "deps",
    "cost",
    "transform",
    "schedule",
    "parallel",
    "proof",
    "ast",
    "codegen",
    "pipeline",
];

/// Starts the logger if the variable asks for it; once per process, and not where the program has a logger already. The
/// plugin and the command call it, a program that uses this library does as it likes.
pub fn start() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let filters = match std::env::var(ENVIRONMENT) {
            Ok(filters) => filters,
            Err(VarError::NotPresent) => return,
            Err(VarError::NotUnicode(text)) => text.to_string_lossy().into_owned(),
        };
        let (filters, problems) = understood(&filters);
        for problem in problems {
            eprintln!("warning: polyrs: {ENVIRONMENT}: {problem}");
        }
        let line = |out: &mut env_logger::fmt::Formatter, record: &log::Record<'_>| {
            writeln!(out, "{} {}: {}", record.level().as_str().to_lowercase(), record.target(), record.args())
        };
        // A program with a logger of its own keeps it.
        let _ = env_logger::Builder::new().parse_filters(&filters).format(line).try_init();
    });
}

/// The filters that mean something, and what is wrong with the others.
fn understood(filters: &str) -> (String, Vec<String>) {
    let (stages, text) = filters.split_at(filters.find('/').unwrap_or(filters.len()));
    let (mut known, mut problems) = (Vec::new(), Vec::new());
    for filter in stages.split(',').map(str::trim).filter(|filter| !filter.is_empty()) {
        match problem(filter) {
            Some(problem) => problems.push(problem),
            None => known.push(filter),
        }
    }
    (known.join(",") + text, problems)
}

/// What is wrong with `stage=level`, or a stage or a level alone.
fn problem(filter: &str) -> Option<String> {
    let is_level = |word: &str| word.parse::<log::LevelFilter>().is_ok();
    let (stage, level) =
        filter.split_once('=').map_or((filter, None), |(stage, level)| (stage.trim(), Some(level.trim())));
    if let Some(level) = level.filter(|level| !level.is_empty() && !is_level(level)) {
        return Some(format!("'{level}' is no level{}", near(level, LEVELS.into_iter(), "")));
    }
    if level.is_none() && is_level(stage) {
        return None;
    }
    let mut parts = stage.splitn(3, "::");
    match (parts.next().unwrap_or_default(), parts.next()) {
        ("polyrs", None) => None,
        ("polyrs", Some(name)) if STAGES.contains(&name) => None,
        ("polyrs", Some(name)) => {
            Some(format!("there is no stage '{stage}'{}", near(name, STAGES.into_iter(), "polyrs::")))
        }
        // Libraries tell of themselves, too.
        (name, inside) if level.is_some() || inside.is_some() => {
            nearest_of(name, ["polyrs"]).map(|known| format!("there is no stage '{stage}': did you mean '{known}'?"))
        }
        (name, _) => {
            let words = LEVELS.into_iter().chain(["polyrs"]);
            Some(format!("'{name}' is neither a level nor a stage{}", near(name, words, "")))
        }
    }
}

/// The word that may be meant, as the end of a sentence; else all of them.
fn near<'w>(word: &str, known: impl Iterator<Item = &'w str> + Clone, before: &str) -> String {
    match nearest_of(word, known.clone()) {
        Some(known) => format!(": did you mean '{before}{known}'?"),
        None => format!(" ({})", known.collect::<Vec<_>>().join(", ")),
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_tells_nothing_is_said() {
        for (filters, known, problems) in [
            ("polyrs::schedule=debug,polyrs::cost=info", "polyrs::schedule=debug,polyrs::cost=info", vec![]),
            ("debug/tiled", "debug/tiled", vec![]),
            ("polyrs", "polyrs", vec![]),
            ("polyrs::schedule::permute=trace, warn", "polyrs::schedule::permute=trace,warn", vec![]),
            (
                "microlp=debug,presburger",
                "microlp=debug",
                vec!["'presburger' is neither a level nor a stage (off, error, warn, info, debug, trace, polyrs)"],
            ),
            ("polyrs::schedule=debgu", "", vec!["'debgu' is no level: did you mean 'debug'?"]),
            ("polyrs=loud,info", "info", vec!["'loud' is no level (off, error, warn, info, debug, trace)"]),
            (
                "polyrs::shedule=debug",
                "",
                vec!["there is no stage 'polyrs::shedule': did you mean 'polyrs::schedule'?"],
            ),
            ("polysr=debug", "", vec!["there is no stage 'polysr': did you mean 'polyrs'?"]),
            ("debgu", "", vec!["'debgu' is neither a level nor a stage: did you mean 'debug'?"]),
        ] {
            assert_eq!(
                understood(filters),
                (known.to_owned(), problems.into_iter().map(str::to_owned).collect()),
                "{filters}"
            );
        }
    }

    #[test]
    fn every_room_that_logs_is_a_stage() {
        let rooms = include_str!("lib.rs").lines().filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';'));
        let dir = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let logs = |room: &str| {
            let mut left = vec![dir.join(room), dir.join(format!("{room}.rs"))];
            while let Some(path) = left.pop() {
                if path.is_dir() {
                    left.extend(std::fs::read_dir(path).expect("a folder").map(|file| file.expect("a file").path()));
                } else if std::fs::read_to_string(path).is_ok_and(|text| text.contains("\nuse log::")) {
                    return true;
                }
            }
            false
        };
        let mut found: Vec<&str> = rooms.filter(|room| logs(room)).collect();
        let mut stages = STAGES;
        found.sort_unstable();
        stages.sort_unstable();
        assert_eq!(found, stages);
    }
}
