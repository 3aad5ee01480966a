//! `polyrs calc`: the set library's calculator on a file, a pipe, or a prompt.

use polyrs::calc::Calculator;
use std::io::{IsTerminal, Read};

/// Steps each statement may spend: some seconds at most.
const STEPS: u64 = 50_000_000;

/// Runs the calculator on the file named, or on standard input: statement by statement at a terminal, as a whole otherwise.
///
/// # Errors
/// A file that cannot be read, and the first error of the program as `file:line:column: message` with a caret under the column.
pub fn run(args: &[&str]) -> Result<(), String> {
    match args {
        [] if std::io::stdin().is_terminal() => prompt(),
        [] => {
            let mut text = String::new();
            std::io::stdin().read_to_string(&mut text).map_err(|e| format!("standard input: {e}"))?;
            whole("<stdin>", &text)
        }
        [file] => whole(file, &std::fs::read_to_string(file).map_err(|e| format!("{file}: {e}"))?),
        _ => Err("calc takes at most one file".to_owned()),
    }
}

fn whole(name: &str, text: &str) -> Result<(), String> {
    Calculator::new(STEPS).run(text, |line| println!("{line}")).map_err(|e| format!("{name}:{}", e.in_source(text)))
}

/// Reads statements that may span lines; an error is shown and the session goes on.
fn prompt() -> Result<(), String> {
    let mut lines = input::Lines::new()?;
    let mut session = Calculator::new(STEPS);
    let mut pending = String::new();
    while let Some(line) = lines.next(if pending.is_empty() { "> " } else { ". " })? {
        pending.push_str(&line);
        pending.push('\n');
        if pending.trim_end().ends_with(';') || pending.trim().is_empty() {
            lines.remember(pending.trim_end());
            if let Err(e) = session.run(&pending, |line| println!("{line}")) {
                eprintln!("{}", e.in_source(&pending));
            }
            pending.clear();
        }
    }
    Ok(())
}

/// Lines from the terminal with editing and a history of statements (arrow keys, Ctrl-R), for the session only.
#[cfg(feature = "prompt")]
mod input {
    use rustyline::error::ReadlineError;

    pub struct Lines(rustyline::DefaultEditor);

    impl Lines {
        pub fn new() -> Result<Lines, String> {
            rustyline::DefaultEditor::new().map(Lines).map_err(|e| e.to_string())
        }

        /// The next line without its end; `None` at the end of the input. Ctrl-C gives up the line.
        pub fn next(&mut self, prompt: &str) -> Result<Option<String>, String> {
            match self.0.readline(prompt) {
                Ok(line) => Ok(Some(line)),
                Err(ReadlineError::Eof) => Ok(None),
                Err(ReadlineError::Interrupted) => Ok(Some(String::new())),
                Err(e) => Err(e.to_string()),
            }
        }

        pub fn remember(&mut self, statement: &str) {
            // A statement that does not fit the history is not worth an error.
            let _ = self.0.add_history_entry(statement);
        }
    }
}

/// Lines from the terminal as they are typed.
#[cfg(not(feature = "prompt"))]
mod input {
    use std::io::Write;

    pub struct Lines;

    impl Lines {
        pub fn new() -> Result<Lines, String> {
            Ok(Lines)
        }

        pub fn next(&mut self, prompt: &str) -> Result<Option<String>, String> {
            print!("{prompt}");
            std::io::stdout().flush().map_err(|e| e.to_string())?;
            let mut line = String::new();
            let read = std::io::stdin().read_line(&mut line).map_err(|e| e.to_string())?;
            Ok((read > 0).then(|| line.trim_end_matches('\n').to_owned()))
        }

        pub fn remember(&mut self, _statement: &str) {}
    }
}
