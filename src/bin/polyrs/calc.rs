//! `polyrs calc`: the set library's calculator on a file, a pipe, or a prompt.

use polyrs::calc::Calculator;
use std::io::{BufRead, IsTerminal, Read, Write};

/// Steps each statement may spend: some seconds at most.
const STEPS: u64 = 50_000_000;

/// Runs the calculator on the file named, or on standard input: statement by statement at a terminal, as a whole otherwise.
///
/// # Errors
/// A file that cannot be read, and the first error of the program as `file:line:column: message`.
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
    Calculator::new(STEPS).run(text, |line| println!("{line}")).map_err(|e| {
        let source = text.lines().nth(e.line - 1).unwrap_or("");
        format!("{name}:{e}\n  {source}\n  {}^", " ".repeat(e.column - 1))
    })
}

/// Reads statements that may span lines; an error is shown and the session goes on.
fn prompt() -> Result<(), String> {
    let mut session = Calculator::new(STEPS);
    let mut pending = String::new();
    let mut lines = std::io::stdin().lock().lines();
    loop {
        print!("{}", if pending.is_empty() { "> " } else { ". " });
        std::io::stdout().flush().map_err(|e| e.to_string())?;
        let Some(line) = lines.next() else { return Ok(()) };
        pending.push_str(&line.map_err(|e| e.to_string())?);
        pending.push('\n');
        if pending.trim_end().ends_with(';') || pending.trim().is_empty() {
            if let Err(e) = session.run(&pending, |line| println!("{line}")) {
                eprintln!("{e}");
            }
            pending.clear();
        }
    }
}
