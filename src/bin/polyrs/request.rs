//! The command line of `polyrs explain`: a file with flags, a whole compile command, or a file of a compilation
//! database.

use crate::{flags, help};
use serde_json::Value;
use std::io::Read;
use std::path::{Path, PathBuf};

/// What can be printed, in the order of the pipeline.
const SHOWS: [&str; 4] = ["scops", "dependences", "schedule", "ast"];
/// Extensions of files with loops.
const SOURCES: [&str; 18] =
    ["c", "i", "cc", "cpp", "cxx", "c++", "ii", "ll", "bc", "rs", "f", "for", "f77", "f90", "f95", "f03", "f08", "f18"];
/// Flags that say where a compiler's output goes, with a value of their own.
const OUTPUTS: [&str; 5] = ["-o", "-MF", "-MT", "-MQ", "-MJ"];
/// The same without a value, or which ask for another kind of output.
const PLAIN_OUTPUTS: [&str; 8] = ["-c", "-S", "-MD", "-MMD", "-MP", "-M", "-MM", "-E"];

/// What is asked for.
#[derive(Debug, Default)]
pub struct Request {
    /// The source.
    pub file: String,
    /// Stages to be printed.
    pub shows: Vec<String>,
    /// Options of the plugin.
    pub options: Vec<String>,
    /// What the compiler needs.
    pub flags: Vec<String>,
    /// Kernels for a GPU are shown, too.
    pub gpu: bool,
    /// JSON in place of text.
    pub json: bool,
    /// Where a page is written.
    pub html: Option<PathBuf>,
}

impl Request {
    /// Reads the command line. A compilation database's folder becomes the current one.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn read(args: &[&str]) -> Result<Self, String> {
        let (args, behind) = match args.iter().position(|a| *a == "--") {
            Some(at) => (&args[..at], args[at + 1..].iter().map(|a| (*a).to_owned()).collect()),
            None => (args, Vec::new()),
        };
        let mut request = Self::default();
        let mut database = None;
        let mut words = args.iter();
        while let Some(word) = words.next() {
            let mut value = || words.next().map(|w| (*w).to_owned()).ok_or(format!("{word} needs a value"));
            match *word {
                "-show" | "--show" => request.shows = value()?.split(',').map(str::to_owned).collect(),
                "-json" | "--json" => request.json = true,
                "-gpu" | "--gpu" => {
                    request.gpu = true;
                    request.options.push("-polyrs-target=gpu".to_owned());
                }
                "-html" | "--html" => request.html = Some(PathBuf::from(value()?)),
                "-p" => database = Some(value()?),
                option if option.starts_with("-polyrs") => request.options.push(option.to_owned()),
                "-" => return Err("explain reads a file, not standard input".to_owned()),
                option if option.starts_with("--") => return Err(help::not_known("explain", option)),
                flag if flag.starts_with('-') => {
                    let file = if request.file.is_empty() { "FILE" } else { &request.file };
                    let line = format!("polyrs explain {file} -- {flag}");
                    return Err(format!("unknown option {flag}: flags of the compiler follow --, as in {line}"));
                }
                json if json.ends_with(".json") => database = Some(json.to_owned()),
                file if request.file.is_empty() => request.file = file.to_owned(),
                other => return Err(format!("one file at a time, not {} and {other}", request.file)),
            }
        }
        let behind = request.without_options(behind);
        if let Some(unknown) = request.shows.iter().find(|s| !SHOWS.contains(&s.as_str())) {
            return Err(format!("cannot show '{unknown}', only {}", SHOWS.join(", ")));
        }
        match database {
            Some(path) => request.of_database(Path::new(&path), behind)?,
            None if request.file.is_empty() && !behind.is_empty() => request.of_command(&behind)?,
            None => request.flags = behind,
        }
        if request.file.is_empty() {
            return Err("explain needs a file: polyrs explain FILE [-- COMPILER'S FLAGS]".to_owned());
        }
        request.can_be_read()?;
        Ok(request)
    }

    /// The words of a compiler without options of ours, which become those of the call; these may stand behind
    /// `-mllvm`.
    fn without_options(&mut self, words: Vec<String>) -> Vec<String> {
        let (mut rest, mut words) = (Vec::new(), words.into_iter().peekable());
        while let Some(word) = words.next() {
            let is_ours = |word: &String| word.starts_with("-polyrs");
            match word.as_str() {
                "-mllvm" => match words.next_if(is_ours) {
                    Some(option) => self.options.push(option),
                    None => rest.push(word),
                },
                _ if is_ours(&word) => self.options.push(word),
                _ => rest.push(word),
            }
        }
        rest
    }

    /// Whether there is such a file, in a language that one of the compilers knows.
    fn can_be_read(&self) -> Result<(), String> {
        let file = Path::new(&self.file);
        let bytes = std::fs::File::open(file).and_then(|mut f| f.read(&mut [0]));
        bytes.map_err(|e| format!("{}: {}", self.file, in_words(&e)))?;
        let is_named = self.flags.iter().any(|flag| flag.starts_with("-x"));
        if is_named || is_source(&self.file) {
            return Ok(());
        }
        let known = SOURCES.map(|e| format!(".{e}")).join(" ");
        Err(format!("{}: what language is this? Known are {known}; -- -x c says that it is C", self.file))
    }

    /// Takes file and flags from a compile command: compiler (and what wraps it) first.
    fn of_command(&mut self, command: &[String]) -> Result<(), String> {
        let command = self.without_options(command.to_vec());
        let start = command.iter().position(|w| w.starts_with('-') || is_source(w));
        let is_rust = command.iter().any(|w| w.ends_with(".rs"));
        let mut words = command[start.unwrap_or(command.len())..].iter();
        while let Some(word) = words.next() {
            if OUTPUTS.contains(&word.as_str()) {
                words.next();
            } else if flags::takes_next(word, is_rust) {
                self.flags.push(word.clone());
                self.flags.extend(words.next().cloned());
            } else if is_source(word) {
                if !self.file.is_empty() {
                    return Err(format!("one file at a time, not {} and {word}", self.file));
                }
                self.file.clone_from(word);
            } else if !PLAIN_OUTPUTS.contains(&word.as_str()) && !is_output(word) {
                self.flags.push(word.clone());
            }
        }
        if self.file.is_empty() { Err("the compile command names no source file".to_owned()) } else { Ok(()) }
    }

    /// Takes the flags of the file from a `compile_commands.json`, or the folder that holds one, and goes to the folder
    /// that they are meant for.
    fn of_database(&mut self, path: &Path, behind: Vec<String>) -> Result<(), String> {
        let path = if path.is_dir() { path.join("compile_commands.json") } else { path.to_owned() };
        let shown = path.display();
        let text = std::fs::read_to_string(&path).map_err(|e| format!("{shown}: {e}"))?;
        let entries: Value = serde_json::from_str(&text).map_err(|e| format!("{shown}: {e}"))?;
        let entries = entries.as_array().ok_or(format!("{shown}: no list of commands"))?;
        if self.file.is_empty() {
            let line = format!("polyrs explain FILE -p {shown}");
            return Err(format!("which of the {} files of {shown}? {line}", entries.len()));
        }
        let wanted = std::fs::canonicalize(&self.file).ok();
        let of_entry = |e: &Value| {
            let (folder, file) = (e["directory"].as_str().unwrap_or("."), e["file"].as_str().unwrap_or_default());
            std::fs::canonicalize(Path::new(folder).join(file)).ok()
        };
        let entry = entries.iter().find(|e| wanted.is_some() && of_entry(e) == wanted);
        let entry = match entry {
            Some(entry) => entry,
            None => self.named(entries).map_err(|why| format!("{shown} has {why}"))?,
        };
        let command: Vec<String> = match (&entry["arguments"], entry["command"].as_str()) {
            (Value::Array(list), _) => list.iter().filter_map(|w| w.as_str().map(str::to_owned)).collect(),
            (_, Some(line)) => shell_words(line),
            _ => return Err(format!("{shown}: the command for {} is missing", self.file)),
        };
        let here = std::env::current_dir().map_err(|e| e.to_string())?;
        self.html = self.html.take().map(|out| here.join(out));
        self.file.clear();
        self.of_command(&command)?;
        self.flags.extend(behind);
        let folder = entry["directory"].as_str().unwrap_or(".");
        std::env::set_current_dir(folder).map_err(|e| format!("{folder}: {e}"))
    }

    /// The one entry whose file ends in the name given, wherever it lies.
    fn named<'v>(&self, entries: &'v [Value]) -> Result<&'v Value, String> {
        let ends = |e: &&Value| e["file"].as_str().is_some_and(|file| Path::new(file).ends_with(&self.file));
        let mut found = entries.iter().filter(ends);
        match (found.next(), found.next()) {
            (Some(entry), None) => Ok(entry),
            (Some(_), Some(_)) => Err(format!("several files {}: name one with its folder", self.file)),
            (None, _) => Err(format!("no command for {}", self.file)),
        }
    }
}

/// What went wrong with a file, without the system's number of it.
fn in_words(error: &std::io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or_default().to_owned()
}

fn is_source(word: &str) -> bool {
    let extension = Path::new(word).extension().and_then(|e| e.to_str());
    !word.starts_with('-') && extension.is_some_and(|e| SOURCES.contains(&e) || SOURCES.contains(&&*e.to_lowercase()))
}

/// A flag for output with its value in the same word, or one of ours that the call has anyway.
fn is_output(word: &str) -> bool {
    ["-MF", "-fpass-plugin=", "--emit="].iter().any(|start| word.starts_with(start))
}

/// The words of a shell's line: quotes and backslashes, no variables.
fn shell_words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        match (c, quote) {
            ('\\', None | Some('"')) => word.get_or_insert_default().extend(chars.next()),
            (c, Some(q)) if c == q => quote = None,
            (c, Some(_)) => word.get_or_insert_default().push(c),
            ('\'' | '"', None) => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (c, None) if c.is_whitespace() => words.extend(word.take()),
            (c, None) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_compile_command_gives_file_and_flags() {
        let line = "ccache clang-22 -DN=4 -I inc -O2 -MD -MF x.d -c lib/a.c -o a.o -polyrs-parallel";
        let mut request = Request::default();
        request.of_command(&shell_words(line)).unwrap();
        assert_eq!(request.file, "lib/a.c");
        assert_eq!(request.flags, ["-DN=4", "-I", "inc", "-O2"]);
        assert_eq!(request.options, ["-polyrs-parallel"]);
        let mut with_values = Request::default();
        with_values.of_command(&shell_words("clang -include config.c -x c -c a.c")).unwrap();
        assert_eq!((with_values.file.as_str(), with_values.flags.len()), ("a.c", 4));
        assert!(request.of_command(&shell_words("cc -c b.c")).unwrap_err().contains("not lib/a.c and b.c"));
    }

    #[test]
    fn flags_follow_a_file() {
        let request = Request::read(&["examples/matmul.c", "--json", "--", "-DN=4", "-c"]).unwrap();
        assert_eq!((request.file.as_str(), request.json), ("examples/matmul.c", true));
        assert_eq!(request.flags, ["-DN=4", "-c"]);
        let words =
            ["examples/matmul.c", "--", "-mllvm", "-polyrs-tiling=false", "-mllvm", "-x", "-polyrs-report", "-g"];
        let request = Request::read(&words).unwrap();
        assert_eq!(request.options, ["-polyrs-tiling=false", "-polyrs-report"]);
        assert_eq!(request.flags, ["-mllvm", "-x", "-g"]);
        assert_eq!(Request::read(&["Cargo.toml", "--", "-xc"]).unwrap().file, "Cargo.toml");
    }

    #[test]
    fn what_is_missing_is_said() {
        for (args, part) in [
            (vec![], "needs a file"),
            (vec!["--", "clang", "-O2"], "names no source file"),
            (vec!["a.c", "--html"], "--html needs a value"),
            (
                vec!["a.c", "-O2"],
                "unknown option -O2: flags of the compiler follow --, as in polyrs explain a.c -- -O2",
            ),
            (vec!["a.c", "--jsno"], "did you mean --json?"),
            (vec!["a.c", "-show", "x"], "cannot show 'x'"),
            (vec!["a.c", "b.c"], "one file at a time"),
            (vec!["nowhere.c"], "nowhere.c: No such file or directory"),
            (vec!["src"], "src: Is a directory"),
            (vec!["Cargo.toml"], "what language is this?"),
            (vec!["-"], "not standard input"),
        ] {
            let error = Request::read(&args).unwrap_err();
            assert!(error.contains(part), "{error}");
            assert!(!error.contains("os error"), "{error}");
        }
    }

    #[test]
    fn an_entry_is_found_by_the_end_of_its_file() {
        let entries: Value =
            serde_json::from_str(r#"[{"file":"../lib/a.c"},{"file":"b/x.c"},{"file":"c/x.c"}]"#).unwrap();
        let of = |file: &str| {
            let request = Request { file: file.to_owned(), ..Request::default() };
            request.named(entries.as_array().unwrap()).map(|e| e["file"].as_str().unwrap().to_owned())
        };
        assert_eq!(of("a.c").unwrap(), "../lib/a.c");
        assert_eq!(of("c/x.c").unwrap(), "c/x.c");
        assert!(of("x.c").unwrap_err().contains("several files"));
        assert!(of(".c").unwrap_err().contains("no command"));
    }

    #[test]
    fn a_shells_words() {
        assert_eq!(shell_words(r#"cc -DS='a b' "-DT=\"x\"" a\ b.c"#), ["cc", "-DS=a b", "-DT=\"x\"", "a b.c"]);
    }
}
