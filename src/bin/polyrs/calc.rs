//! `polyrs calc`: the set library's calculator on a file, a pipe, or a prompt.

use crate::tools::say;
use polyrs::calc::Calculator;
use std::io::{IsTerminal, Read};

/// Steps each statement may spend: some seconds at most.
const STEPS: u64 = 50_000_000;

/// Runs the calculator on the file named, or on standard input: statement by statement at a terminal, as a whole
/// otherwise.
///
/// An error of the program is written to standard error as `file:line:column: message` with a caret under the column;
/// the statements behind it are run all the same, unless `--stop` says otherwise.
///
/// # Errors
/// A file that cannot be read, and a program with errors.
pub fn run(args: &[&str]) -> Result<(), String> {
    let (stops, rest): (Vec<&str>, Vec<&str>) = args.iter().partition(|word| **word == "--stop");
    let ends = !stops.is_empty();
    match rest.as_slice() {
        [word, ..] if word.starts_with('-') => Err(crate::help::not_known("calc", word)),
        [] if std::io::stdin().is_terminal() => prompt(),
        [] => {
            let mut text = String::new();
            std::io::stdin().read_to_string(&mut text).map_err(|e| format!("standard input: {e}"))?;
            whole("<stdin>", &text, ends)
        }
        [file] => whole(file, &std::fs::read_to_string(file).map_err(|e| format!("{file}: {e}"))?, ends),
        _ => Err("calc takes at most one file".to_owned()),
    }
}

/// Runs a program; `ends`: up to its first error.
fn whole(name: &str, text: &str, ends: bool) -> Result<(), String> {
    if ends {
        let done = Calculator::new(STEPS).run(text, |line| say(&format!("{line}\n")));
        return done.map_err(|e| format!("{name}:{}", e.in_source(text)));
    }
    let mut errors = 0;
    Calculator::new(STEPS).run_all(
        text,
        |line| say(&format!("{line}\n")),
        |e| {
            errors += 1;
            eprintln!("{name}:{}", e.in_source(text));
        },
    );
    match errors {
        0 => Ok(()),
        1 => Err("one statement has an error".to_owned()),
        n => Err(format!("{n} statements have errors")),
    }
}

/// Reads statements that may span lines; an error is shown and the session goes on.
fn prompt() -> Result<(), String> {
    let mut lines = input::Lines::new()?;
    let mut session = Calculator::new(STEPS);
    let mut pending = String::new();
    loop {
        match lines.next(if pending.is_empty() { "> " } else { ". " })? {
            Typed::Line(line) if pending.is_empty() && is_command(&line) => pending = format!("{};\n", line.trim()),
            Typed::Line(line) => {
                pending.push_str(&line);
                pending.push('\n');
            }
            #[cfg(feature = "prompt")]
            Typed::GivenUp => pending.clear(),
            Typed::End => break,
        }
        if pending.trim_end().ends_with(';') || pending.trim().is_empty() {
            lines.remember(pending.trim_end());
            session.run_all(&pending, |line| say(&format!("{line}\n")), |e| eprintln!("{}", e.in_source(&pending)));
            pending.clear();
            if session.has_ended() {
                break;
            }
        }
    }
    Ok(())
}

/// What came from the terminal.
enum Typed {
    /// A line without its end.
    Line(String),
    /// Ctrl-C: what was typed of a statement does not count.
    #[cfg(feature = "prompt")]
    GivenUp,
    /// The end of the input.
    End,
}

/// Whether a line is a command that the prompt takes without the semicolon, too.
fn is_command(line: &str) -> bool {
    let line = line.trim();
    let about = line.strip_prefix("help ").map(str::trim);
    matches!(line, "help" | "quit") || about.is_some_and(|word| !word.contains([' ', ';']))
}

/// Lines from the terminal with editing and a history of statements (arrow keys, Ctrl-R), kept in a file between
/// sessions.
#[cfg(feature = "prompt")]
mod input {
    use super::Typed;
    use super::history::History;
    use rustyline::error::ReadlineError;

    pub struct Lines {
        editor: rustyline::DefaultEditor,
        kept: Option<History>,
    }

    impl Lines {
        pub fn new() -> Result<Lines, String> {
            let mut editor = rustyline::DefaultEditor::new().map_err(|e| e.to_string())?;
            let kept = History::of_user();
            for statement in kept.iter().flat_map(History::statements) {
                let _ = editor.add_history_entry(statement);
            }
            Ok(Lines { editor, kept })
        }

        /// What is typed next.
        pub fn next(&mut self, prompt: &str) -> Result<Typed, String> {
            match self.editor.readline(prompt) {
                Ok(line) => Ok(Typed::Line(line)),
                Err(ReadlineError::Eof) => Ok(Typed::End),
                Err(ReadlineError::Interrupted) => Ok(Typed::GivenUp),
                Err(e) => Err(e.to_string()),
            }
        }

        pub fn remember(&mut self, statement: &str) {
            // A statement that does not fit the history is not worth an error.
            if self.editor.add_history_entry(statement).unwrap_or(false)
                && let Some(kept) = &self.kept
            {
                kept.add(statement);
            }
        }
    }
}

/// The file that keeps the statements typed at the prompt.
#[cfg(feature = "prompt")]
mod history {
    use std::io::Write;
    use std::path::{Path, PathBuf};

    /// Statements that a session starts with; the file is cut to them then.
    const MOST: usize = 1000;

    /// One statement per line, its own line ends written `\n` and backslashes doubled. What cannot be read or written
    /// is left out.
    pub struct History(PathBuf);

    impl History {
        /// `polyrs/calc-history` in `$XDG_STATE_HOME`, or in `~/.local/state`; `None` where there is neither.
        pub fn of_user() -> Option<History> {
            let folder = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|p| p.is_absolute());
            let state = folder("XDG_STATE_HOME").or_else(|| Some(folder("HOME")?.join(".local/state")))?;
            Some(History::at(&state.join("polyrs")))
        }

        fn at(folder: &Path) -> History {
            History(folder.join("calc-history"))
        }

        /// The latest statements, oldest first.
        pub fn statements(&self) -> Vec<String> {
            let text = std::fs::read_to_string(&self.0).unwrap_or_default();
            let lines: Vec<&str> = text.lines().collect();
            let latest = &lines[lines.len().saturating_sub(MOST)..];
            if latest.len() < lines.len() {
                let _ = std::fs::write(&self.0, latest.join("\n") + "\n");
            }
            latest.iter().map(|l| unescaped(l)).collect()
        }

        /// Appends a statement.
        pub fn add(&self, statement: &str) {
            let line = statement.replace('\\', "\\\\").replace('\n', "\\n");
            let folder = self.0.parent().map_or(Ok(()), std::fs::create_dir_all);
            let file = folder.and_then(|()| std::fs::File::options().append(true).create(true).open(&self.0));
            let _ = file.and_then(|mut f| writeln!(f, "{line}"));
        }
    }

    fn unescaped(line: &str) -> String {
        let mut out = String::new();
        let mut chars = line.chars();
        while let Some(c) = chars.next() {
            match c {
                '\\' => out.push(if chars.next() == Some('n') { '\n' } else { '\\' }),
                c => out.push(c),
            }
        }
        out
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn statements_come_back_and_old_ones_go() {
            let folder = std::env::temp_dir().join(format!("polyrs-history-{}", std::process::id()));
            let history = History::at(&folder);
            assert!(history.statements().is_empty());
            let strange = "A := { [i] : # no \\n here\n i >= 0 };";
            history.add(strange);
            assert_eq!(history.statements(), [strange]);
            (0..MOST).for_each(|k| history.add(&format!("{k};")));
            let kept = History::at(&folder).statements();
            assert_eq!((kept.len(), kept[0].as_str(), kept[MOST - 1].as_str()), (MOST, "0;", "999;"));
            std::fs::remove_dir_all(&folder).unwrap();
        }
    }
}

/// Lines from the terminal as they are typed.
#[cfg(not(feature = "prompt"))]
mod input {
    use super::Typed;
    use std::io::Write;

    pub struct Lines;

    impl Lines {
        pub fn new() -> Result<Lines, String> {
            Ok(Lines)
        }

        pub fn next(&mut self, prompt: &str) -> Result<Typed, String> {
            print!("{prompt}");
            std::io::stdout().flush().map_err(|e| e.to_string())?;
            let mut line = String::new();
            let read = std::io::stdin().read_line(&mut line).map_err(|e| e.to_string())?;
            let line = line.trim_end_matches('\n').to_owned();
            Ok(if read > 0 { Typed::Line(line) } else { Typed::End })
        }

        pub fn remember(&mut self, _statement: &str) {}
    }
}
