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
/// The modules that tell something, by stages; `polyrs::` stands before each.
const MODULES: [&str; 20] = [
    "canonical",
    "scop",
    "scop::boxes",
    "scop::guards",
    "model::build",
    "storage::overwritten",
    "deps",
    "cost",
    "transform::wavefront",
    "schedule",
    "parallel::choose",
    "parallel::roles",
    "proof",
    "ast",
    "codegen",
    "pipeline",
    "pipeline::budgets",
    "pipeline::device",
    "pipeline::emit",
    "pipeline::order",
];

/// What can be asked to tell, `polyrs::` before it.
fn stages() -> impl Iterator<Item = &'static str> + Clone {
    let stage = |module: &'static str| module.split("::").next().unwrap_or(module);
    let begins = move |k: usize| k == 0 || stage(MODULES[k - 1]) != stage(MODULES[k]);
    (0..MODULES.len()).filter(move |&k| begins(k)).map(move |k| stage(MODULES[k]))
}

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
        let parts: Vec<&str> = filter.split('=').map(str::trim).collect();
        match problem(&parts) {
            Some(problem) => problems.push(problem),
            None => known.push(parts.join("=")),
        }
    }
    (known.join(",") + text, problems)
}

/// What is wrong with a stage and its level, or a stage or a level alone.
fn problem(parts: &[&str]) -> Option<String> {
    let is_level = |word: &str| word.parse::<log::LevelFilter>().is_ok();
    let (stage, level) = match *parts {
        [word] if is_level(word) => return None,
        [stage] | [stage, ""] => (stage, None),
        [stage, level] => (stage, Some(level)),
        _ => return Some(format!("'{}' is not 'stage=level'", parts.join("="))),
    };
    if let Some(level) = level.filter(|level| !is_level(level)) {
        return Some(format!("'{level}' is no level{}", near(level, LEVELS.into_iter(), "")));
    }
    let names: Vec<&str> = stage.split([':', '.']).filter(|name| !name.is_empty()).collect();
    match names[..] {
        ["polyrs", ref inside @ ..] => of_ours(stage, inside),
        [name, ..] if stages().any(|known| known == name) => {
            Some(format!("there is no stage '{stage}': did you mean 'polyrs::{name}'?"))
        }
        // Libraries tell of themselves, too.
        [name, _, ..] => no_crate(stage, name),
        [name] if level.is_some() => no_crate(stage, name),
        _ => {
            let words = LEVELS.into_iter().chain(["polyrs"]);
            Some(format!("'{stage}' is neither a level nor a stage{}", near(stage, words, "")))
        }
    }
}

/// What is wrong with `polyrs::` and the names behind it.
fn of_ours(stage: &str, inside: &[&str]) -> Option<String> {
    let module = inside.join("::");
    let is_known =
        |known: &&str| known.strip_prefix(&*module).is_some_and(|left| left.is_empty() || left.starts_with("::"));
    let exact = stage.strip_prefix("polyrs::") == Some(&*module);
    match inside {
        [] if stage == "polyrs" => None,
        [] => Some(format!("there is no stage '{stage}': did you mean 'polyrs'?")),
        _ if MODULES.iter().any(is_known) => {
            (!exact).then(|| format!("there is no stage '{stage}': did you mean 'polyrs::{module}'?"))
        }
        [name, ..] if stages().any(|known| known == *name) => {
            Some(format!("'{stage}' tells nothing of its own: did you mean 'polyrs::{name}'?"))
        }
        [name, ..] => Some(format!("there is no stage '{stage}'{}", near(name, stages(), "polyrs::"))),
    }
}

/// That our own name may be meant by one that is much like it.
fn no_crate(stage: &str, name: &str) -> Option<String> {
    nearest_of(name, ["polyrs"]).map(|known| format!("there is no stage '{stage}': did you mean '{known}'?"))
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
            (" polyrs::pipeline::emit = trace , warn", "polyrs::pipeline::emit=trace,warn", vec![]),
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
            ("schedule=debug", "", vec!["there is no stage 'schedule': did you mean 'polyrs::schedule'?"]),
            ("pipeline::emit", "", vec!["there is no stage 'pipeline::emit': did you mean 'polyrs::pipeline'?"]),
            (
                "polyrs:schedule=debug",
                "",
                vec!["there is no stage 'polyrs:schedule': did you mean 'polyrs::schedule'?"],
            ),
            ("polyrs.deps", "", vec!["there is no stage 'polyrs.deps': did you mean 'polyrs::deps'?"]),
            (
                "polyrs::deps::x=debug",
                "",
                vec!["'polyrs::deps::x' tells nothing of its own: did you mean 'polyrs::deps'?"],
            ),
            ("polyrs::=debug", "", vec!["there is no stage 'polyrs::': did you mean 'polyrs'?"]),
            ("polyrs=debug=info", "", vec!["'polyrs=debug=info' is not 'stage=level'"]),
        ] {
            assert_eq!(
                understood(filters),
                (known.to_owned(), problems.into_iter().map(str::to_owned).collect()),
                "{filters}"
            );
        }
    }

    #[test]
    fn every_module_that_logs_is_known() {
        let dir = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let (mut found, mut left) = (std::collections::BTreeSet::new(), vec![dir.clone()]);
        while let Some(path) = left.pop() {
            if path.is_dir() {
                left.extend(std::fs::read_dir(path).expect("a folder").map(|file| file.expect("a file").path()));
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap_or_default();
            if !text.contains("\nuse log::") {
                continue;
            }
            let of_file = path.strip_prefix(&dir).expect("below").with_extension("");
            let of_file = of_file.to_str().expect("a name").trim_end_matches("/mod").replace('/', "::");
            let text: String = text.split_whitespace().collect();
            for macro_name in ["info!(", "debug!(", "trace!(", "warn!("] {
                found.extend(text.split(macro_name).skip(1).map(|call| {
                    let target = call.strip_prefix("target:\"polyrs::").and_then(|rest| rest.split('"').next());
                    target.map_or(of_file.clone(), str::to_owned)
                }));
            }
        }
        assert_eq!(found, MODULES.into_iter().map(str::to_owned).collect());
    }
}
