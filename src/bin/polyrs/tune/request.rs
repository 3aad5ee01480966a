//! The command line of `polyrs tune`.

use crate::flags;
use crate::help::not_known;
use std::path::{Path, PathBuf};

/// What is to be tuned, and how.
#[derive(Debug, PartialEq)]
pub struct Request {
    /// The source with the loops.
    pub file: String,
    /// Flags for the compiler, where no command builds the program.
    pub flags: Vec<String>,
    /// The command that builds, for a shell.
    pub build: Option<String>,
    /// What the build makes.
    pub programs: Vec<PathBuf>,
    /// Files that the program writes and that must stay the same.
    pub outputs: Vec<PathBuf>,
    /// Where the script goes.
    pub script: PathBuf,
    /// Most functions that are tuned, the most expensive first.
    pub nests: usize,
    /// Most threads that are tried.
    pub threads: usize,
    /// Pairs of runs that decide of a candidate.
    pub runs: usize,
    /// The status that the command ends with.
    pub status: i32,
    /// After this time no candidate is begun.
    pub seconds: Option<f64>,
    /// The command that is measured.
    pub command: Vec<String>,
}

impl Request {
    /// Reads the command line.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn read(args: &[&str]) -> Result<Self, String> {
        let (own, command) = match args.iter().position(|a| *a == "--") {
            Some(at) => (&args[..at], args[at + 1..].iter().map(|a| (*a).to_owned()).collect()),
            None => (args, Vec::new()),
        };
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let mut request = Self {
            file: String::new(),
            flags: Vec::new(),
            build: None,
            programs: Vec::new(),
            outputs: Vec::new(),
            script: PathBuf::new(),
            nests: 3,
            threads: cores,
            runs: 7,
            status: 0,
            seconds: None,
            command,
        };
        let is_rust = own.iter().any(|word| word.ends_with(".rs"));
        let mut words = own.iter();
        while let Some(word) = words.next() {
            let mut value = || words.next().map(|w| (*w).to_owned()).ok_or(format!("{word} needs a value"));
            match *word {
                "-o" => request.script = PathBuf::from(value()?),
                "--build" => request.build = Some(value()?),
                "--program" => request.programs.push(PathBuf::from(value()?)),
                "--output" => request.outputs.push(PathBuf::from(value()?)),
                "--nests" => request.nests = at_least_one(word, &value()?)?,
                "--threads" => request.threads = at_least_one(word, &value()?)?,
                "--runs" => request.runs = at_least_one(word, &value()?)?,
                "--status" => request.status = number(word, &value()?)?,
                "--seconds" => {
                    let seconds: f64 = number(word, &value()?)?;
                    if !(seconds > 0.0 && seconds.is_finite()) {
                        return Err(format!("{word} takes a number above 0, not {seconds}"));
                    }
                    request.seconds = Some(seconds);
                }
                option if option.starts_with("--") && !flags::is_long(option, is_rust) => {
                    return Err(not_known("tune", option));
                }
                flag if flags::takes_next(flag, is_rust) => request.flags.extend([flag.to_owned(), value()?]),
                flag if flag.starts_with('-') => request.flags.push(flag.to_owned()),
                file if request.file.is_empty() => request.file = file.to_owned(),
                other => return Err(format!("one file at a time, not {} and {other}", request.file)),
            }
        }
        request.complete()
    }

    fn complete(mut self) -> Result<Self, String> {
        if self.file.is_empty() {
            return Err("tune needs a source file: polyrs tune FILE -- COMMAND".to_owned());
        }
        let Some(first) = self.command.first() else {
            return Err("tune needs a command to measure: polyrs tune FILE -- COMMAND".to_owned());
        };
        if !Path::new(&self.file).is_file() {
            return Err(format!("{}: no such file", self.file));
        }
        if self.build.is_some() && !self.flags.is_empty() {
            return Err(format!("{}: flags of the compiler belong into the --build command", self.flags[0]));
        }
        if self.programs.is_empty() {
            if !first.contains('/') {
                return Err(format!("{first} is no path: say with --program which file the build makes"));
            }
            self.programs.push(PathBuf::from(first));
        }
        if self.script.as_os_str().is_empty() {
            self.script = Path::new(&self.file).with_extension("polyrs");
        }
        if self.programs.contains(&self.script) {
            return Err(format!("-o names the script, but {} is the program", self.script.display()));
        }
        self.runs = self.runs.max(3);
        Ok(self)
    }
}

fn number<T: std::str::FromStr>(option: &str, text: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("{option} wants a number, not '{text}'"))
}

fn at_least_one(option: &str, text: &str) -> Result<usize, String> {
    match number(option, text)? {
        0 => Err(format!("{option} takes a number above 0")),
        n => Ok(n),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_line_is_read() {
        let request = Request::read(&["Cargo.toml", "-DN=4", "--nests", "2", "--", "./a", "-x"]).unwrap();
        assert_eq!((request.file.as_str(), request.nests), ("Cargo.toml", 2));
        assert_eq!(
            (request.flags, request.command),
            (vec!["-DN=4".to_owned()], vec!["./a".to_owned(), "-x".to_owned()])
        );
        assert_eq!((request.programs, request.script), (vec![PathBuf::from("./a")], PathBuf::from("Cargo.polyrs")));
    }

    #[test]
    fn flags_have_values_in_words_of_their_own() {
        let own = "Cargo.toml -I inc -D N=400 -include stdio.h -x c -Xclang -menable-no-infs -mllvm -x --target=a";
        let words: Vec<&str> = own.split(' ').chain(["--", "./a"]).collect();
        let request = Request::read(&words).unwrap();
        assert_eq!((request.file.as_str(), request.flags.len()), ("Cargo.toml", 13));
        let own = "build.rs -C target-cpu=native --edition 2021 --cfg x --extern a=b.rlib -L dir --nests 2 -g";
        let words: Vec<&str> = own.split(' ').chain(["--", "./a"]).collect();
        let request = Request::read(&words).unwrap();
        assert_eq!((request.file.as_str(), request.flags.len(), request.nests), ("build.rs", 11, 2));
    }

    #[test]
    fn mistakes_are_told() {
        let cases: [(&[&str], &str); 12] = [
            (&["Cargo.toml", "-I"], "-I needs a value"),
            (&["Cargo.toml", "--edition", "2021", "--", "./a"], "unknown option --edition"),
            (&["Cargo.toml", "-o", "./a", "--", "./a"], "-o names the script, but ./a is the program"),
            (&["--", "./a"], "needs a source file"),
            (&["Cargo.toml"], "needs a command"),
            (&["Cargo.toml", "--bild", "x", "--", "./a"], "did you mean --build?"),
            (&["Cargo.toml", "--", "make"], "--program"),
            (&["Cargo.toml", "--runs", "x", "--", "./a"], "wants a number"),
            (&["Cargo.toml", "--threads", "0", "--", "./a"], "--threads takes a number above 0"),
            (&["Cargo.toml", "--nests", "0", "--", "./a"], "--nests takes a number above 0"),
            (&["Cargo.toml", "--seconds", "nan", "--", "./a"], "a number above 0"),
            (&["Cargo.toml", "-O2", "--build", "make", "--", "./a"], "belong into"),
        ];
        for (args, message) in cases {
            let error = Request::read(args).unwrap_err();
            assert!(error.contains(message), "{args:?}: {error}");
        }
    }
}
