//! The plugin as its host sees it: pass names, option sources, places in pipelines. The symbol itself is in
//! `bridge::entry`.

use crate::bridge::module::{Module, regex_error};
use crate::options::{Options, Position, TABLE, nearest_option};
use crate::phase::Phase;
use crate::pipeline;
use std::collections::BTreeMap;
use std::sync::{Mutex, OnceLock, PoisonError};

/// The one environment variable that is read: options for hosts that pass none to plugins.
pub const ENVIRONMENT: &str = "POLYRS_OPTIONS";

/// Where in a pipeline the host offers to run the pass; mirrors `Place` in `llvm.cpp`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// After the front end's clean-up; in a ThinLTO link, at the start of the backend.
    Early,
    /// After simplification, before vectorization.
    BeforeVectorizer,
    /// Start of a full LTO link.
    LinkTime,
}

/// What a pass name asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Job {
    /// Transform.
    Optimize,
    /// Print what a phase makes of each function, and change nothing.
    Print(Phase),
}

/// Last value of each option on the command line, by row of [`TABLE`].
static COMMAND_LINE: Mutex<BTreeMap<usize, String>> = Mutex::new(BTreeMap::new());

/// Splits `polyrs<a;b=1>` into its job and `a;b=1`; `None` for passes of others.
#[must_use]
pub fn parse_pass_name(name: &str) -> Option<(Job, &str)> {
    let prints = [Phase::Scops, Phase::Dependences, Phase::Schedule, Phase::Ast];
    if let Some(inner) = name.strip_prefix("print<polyrs-").and_then(|rest| rest.strip_suffix('>')) {
        let (phase, parameters) = match inner.split_once('<') {
            Some((phase, rest)) => (phase, rest.strip_suffix('>')?),
            None => (inner, ""),
        };
        let phase = prints.into_iter().find(|p| p.name() == phase)?;
        return Some((Job::Print(phase), parameters));
    }
    if name == "polyrs" {
        return Some((Job::Optimize, ""));
    }
    let parameters = name.strip_prefix("polyrs<")?.strip_suffix('>')?;
    Some((Job::Optimize, parameters))
}

/// Options from all sources, weakest first: defaults, environment, command line, `parameters`.
///
/// # Errors
/// A message for the user when `parameters` are malformed. What is wrong in the environment is left out.
pub fn options_for(parameters: &str) -> Result<Options, String> {
    let mut options = environment_options().0.clone();
    let command_line = COMMAND_LINE.lock().unwrap_or_else(PoisonError::into_inner);
    for (&index, text) in command_line.iter() {
        TABLE[index].set(&mut options, text)?;
    }
    drop(command_line);
    options.apply_parameters(parameters)?;
    check_regexes(&options)?;
    Ok(options)
}

/// Options from the environment, and what is wrong there; nothing of it counts then.
fn environment_options() -> &'static (Options, String) {
    static FROM_ENVIRONMENT: OnceLock<(Options, String)> = OnceLock::new();
    FROM_ENVIRONMENT.get_or_init(|| {
        let mut options = Options::default();
        let text = std::env::var(ENVIRONMENT).unwrap_or_default();
        let mut problems = options.apply_environment(&text);
        problems.extend(check_regexes(&options).err());
        match problems.as_slice() {
            [] => (options, String::new()),
            all => (Options::default(), format!("{ENVIRONMENT}: {}", all.join("; "))),
        }
    })
}

fn check_regexes(options: &Options) -> Result<(), String> {
    let patterns = options.only_func.iter().chain(&options.ignore_func);
    for pattern in patterns {
        if let Some(error) = regex_error(pattern) {
            return Err(format!("'{pattern}' is not a regular expression: {error}"));
        }
    }
    Ok(())
}

/// Keeps one occurrence of option `index` on the command line. Behind the table stands what begins with `polyrs-` and
/// is no option.
///
/// # Errors
/// What is wrong with `text`; nothing is kept then.
pub fn option_seen(index: usize, text: &str) -> Result<(), String> {
    let row = TABLE.get(index).ok_or_else(|| format!("there is none{}", nearest_option(text)))?;
    let mut scratch = Options::default();
    row.set(&mut scratch, text)?;
    check_regexes(&scratch)?;
    COMMAND_LINE.lock().unwrap_or_else(PoisonError::into_inner).insert(index, text.to_owned());
    Ok(())
}

/// Forgets option `index`.
pub fn option_reset(index: usize) {
    COMMAND_LINE.lock().unwrap_or_else(PoisonError::into_inner).remove(&index);
}

/// Whether the pass is to run at this place. A function transformed at one place is marked and left alone at the next,
/// so that compiling and linking with the plugin loaded in both does the work once.
#[must_use]
pub fn wants_place(place: Place) -> bool {
    let Ok(options) = options_for("") else { return false };
    if !environment_options().1.is_empty() {
        // The pass tells what is wrong, once.
        return place != Place::BeforeVectorizer;
    }
    options.enabled
        && match place {
            Place::Early => options.position == Position::Early,
            Place::BeforeVectorizer => options.position == Position::BeforeVectorizer,
            Place::LinkTime => true,
        }
}

/// Runs the pass called `name` on a module; true if it changed.
#[must_use]
pub fn run(name: &str, module: &Module<'_>) -> bool {
    let Some((job, parameters)) = parse_pass_name(name) else { return false };
    let wrong = &environment_options().1;
    if !wrong.is_empty() {
        module.error(wrong);
        return false;
    }
    let Ok(mut options) = options_for(parameters) else { return false };
    if !options.enabled {
        return false;
    }
    if let Job::Print(phase) = job {
        options.print_after = Some(phase);
        options.stop_after = Some(phase);
    }
    pipeline::run_module(module, &options)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pass_names() {
        assert_eq!(parse_pass_name("polyrs"), Some((Job::Optimize, "")));
        assert_eq!(parse_pass_name("polyrs<a;b=1,2>"), Some((Job::Optimize, "a;b=1,2")));
        assert_eq!(parse_pass_name("print<polyrs-scops>"), Some((Job::Print(Phase::Scops), "")));
        assert_eq!(parse_pass_name("print<polyrs-ast<tiling=false>>"), Some((Job::Print(Phase::Ast), "tiling=false")));
        for other in ["polyrs2", "print<polyrs-codegen>", "print<polyrs-scops", "polyrs<", "instcombine"] {
            assert_eq!(parse_pass_name(other), None, "{other}");
        }
    }

    #[test]
    fn broken_patterns_are_refused() {
        assert!(options_for("only-func=(").is_err());
        assert!(options_for("only-func=a.*").is_ok());
    }
}
