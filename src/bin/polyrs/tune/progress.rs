//! How far the search is: a bar on a terminal, a line per candidate elsewhere. On standard error.

use std::io::{IsTerminal, Write};

/// Characters of the bar.
const WIDTH: usize = 24;
/// Characters of what is being tried.
const WORDS: usize = 40;

/// The search so far.
pub struct Progress {
    done: usize,
    planned: usize,
    on_terminal: bool,
}

impl Progress {
    /// Nothing has been tried.
    pub fn new() -> Self {
        Self { done: 0, planned: 0, on_terminal: std::io::stderr().is_terminal() }
    }

    /// More candidates are to come.
    pub fn plan(&mut self, candidates: usize) {
        self.planned += candidates;
    }

    /// One is being tried.
    pub fn trying(&self, words: &str, best: &str) {
        if self.on_terminal {
            let filled = WIDTH * self.done / self.planned.max(1);
            let bar: String = (0..WIDTH).map(|k| if k < filled { '#' } else { '.' }).collect();
            let short: String = words.chars().take(WORDS).collect();
            eprint!("\r\x1b[K[{bar}] {}/{}  best {best}  {short}", self.done, self.planned);
            let _ = std::io::stderr().flush();
        }
    }

    /// One has been tried, with this result.
    pub fn tried(&mut self, words: &str, result: &str, is_better: bool) {
        self.done += 1;
        let line = format!("{}/{}  {words}: {result}", self.done, self.planned);
        match (self.on_terminal, is_better) {
            (false, _) => eprintln!("{line}"),
            (true, true) => eprintln!("\r\x1b[K{line}"),
            (true, false) => {}
        }
    }

    /// Leaves the terminal's line free.
    pub fn end(&self) {
        if self.on_terminal {
            eprint!("\r\x1b[K");
        }
    }
}
