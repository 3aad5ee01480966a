//! The `polyrs` command: looks at the installation, explains what the plugin does to a file, calls compilers with
//! it, looks for faster orders of loops, lists the options, calculates with integer sets.

mod calc;
mod completions;
mod doctor;
mod explain;
mod flags;
mod help;
mod manual;
mod page;
mod request;
mod responses;
mod tools;
mod tune;
mod verdicts;
mod wrap;

use std::ffi::OsString;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use wrap::Compiler;

/// What the plugin's is made of.
#[global_allocator]
static MEMORY: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let given: Vec<OsString> = std::env::args_os().collect();
    if let Some(compiler) = given.first().and_then(|program| Compiler::of_link(program)) {
        return ended(wrap::run(compiler, &given[1..]));
    }
    if let Some(compiler) = given.get(1).and_then(|word| Compiler::of_word(word.to_str()?)) {
        if given.len() == 3 && given[2] == "--help" {
            return ended(wrap::help(compiler));
        }
        return ended(wrap::run(compiler, &given[2..]));
    }
    polyrs::logging::start();
    let args: Vec<_> = given.iter().skip(1).map(|a| a.to_string_lossy()).collect();
    let words: Vec<&str> = args.iter().map(AsRef::as_ref).collect();
    ended(run(&words))
}

/// The subcommands of our own.
fn run(words: &[&str]) -> Result<(), String> {
    match words {
        [] | ["help" | "-h" | "--help"] | ["help", "help" | "-h" | "--help"] => say(&help::usage()),
        ["--version" | "-V"] => say(&help::version()),
        ["help", subcommand] | [subcommand, "-h" | "--help"] => {
            say(&help::find(subcommand).ok_or_else(|| unknown(subcommand))?.text())
        }
        ["doctor"] => doctor::run(),
        ["calc", rest @ ..] => calc::run(rest),
        ["explain", rest @ ..] => explain::run(rest),
        ["tune", rest @ ..] => tune::run(rest),
        ["options"] => say(&options_text()),
        ["options", "--markdown"] => say(&polyrs::options::markdown()),
        ["completions", shell] => say(&completions::of(shell)?),
        ["completions"] => Err(format!("completions for which shell: {}?", help::SHELLS.join(", "))),
        ["manual"] => say(&manual::page(None)?),
        ["manual", "--into", folder] => manual::write_all(Path::new(folder)),
        ["manual", word] if !word.starts_with('-') => say(&manual::page(Some(word))?),
        [known, word, ..] if help::find(known).is_some() => Err(help::not_known(known, word)),
        [other, ..] => Err(unknown(other)),
    }
}

fn say(text: &str) -> Result<(), String> {
    tools::say(text);
    Ok(())
}

fn unknown(word: &str) -> String {
    if word.starts_with('-') {
        let near = help::nearest(word, ["--version", "--help"]);
        return format!("unknown option {word}{near}\n\n{}", help::usage());
    }
    let near = help::nearest(word, help::names());
    format!("do not know what to do with '{word}'{near}\n\n{}", help::usage())
}

/// The status of the program.
fn ended(result: Result<(), String>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            // Nobody may be left to read it.
            let _ = writeln!(std::io::stderr(), "polyrs: {message}");
            ExitCode::FAILURE
        }
    }
}

/// Every option with its value and meaning, one per paragraph.
fn options_text() -> String {
    let mut out = String::new();
    for group in polyrs::options::Group::ALL {
        out.push_str(&format!("{}:\n", group.title()));
        for row in polyrs::options::TABLE.iter().filter(|row| row.group == group) {
            let value = if row.is_flag { String::new() } else { format!("=<{}>", row.value) };
            out.push_str(&format!("  -{}{value}\n        {}\n", row.name, row.help));
        }
        out.push('\n');
    }
    out
}
