//! Builds a program with a script, keeps each build apart, runs them, and compares what they print.

use super::interrupt;
use super::request::Request;
use super::script::Script;
use crate::wrap::OPTIONS;
use polyrs::explain::{self, Nest};
use polyrs::options::quoted;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::{self, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant, SystemTime};

/// How often a program is looked at while it runs: after this part of the time that it has run.
const LOOKS_PER_RUN: u32 = 1000;
/// Shortest time between two looks.
const LEAST_PAUSE: Duration = Duration::from_micros(50);

/// Lines of an error stream that are shown, the last ones.
const LAST_LINES: usize = 5;
/// Part of a printed number up to which another one may be off that follows it: numbers of few digits say little.
const MOST_SLACK: f64 = 0.3;

/// Name of the script that is tried.
pub const CANDIDATE: &str = "candidate.polyrs";

/// Why an attempt has no time.
#[derive(Debug, PartialEq)]
pub enum Failure {
    /// The user wants to end.
    Stopped,
    /// It cannot be used.
    Refused(String),
}

/// A build, put away.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Build {
    /// Copies of what was built.
    files: Vec<PathBuf>,
    /// Builds with one number are the same.
    pub contents: u64,
}

/// What a program printed and wrote, line by line.
#[derive(Clone, Debug, PartialEq)]
pub struct Output {
    status: Option<i32>,
    texts: Vec<Vec<Vec<u8>>>,
}

/// What a run must print: what the original prints each time, whatever else changes from run to run.
pub struct Expected {
    output: Output,
    /// Words that differ from run to run (times, mostly): file, line, word; all words of a line where it has
    /// more in one run than in another.
    varying: BTreeSet<(usize, usize, usize)>,
}

/// A program as it was before the search.
struct Found {
    /// Its copy.
    kept: PathBuf,
    changed: Option<SystemTime>,
}

/// The folder with everything, and the program as it was found.
pub struct Bench<'r> {
    request: &'r Request,
    folder: PathBuf,
    /// The programs as they were before, where there were any.
    found: Vec<Option<Found>>,
    /// When the source was changed last.
    changed: Option<SystemTime>,
    /// What stays where there was no program before.
    pub stays: Option<Build>,
    /// Whether the script that was asked for has the best.
    pub is_scripted: bool,
    builds: usize,
}

impl<'r> Bench<'r> {
    /// Makes the folder, and puts away what the builds will replace.
    pub fn new(request: &'r Request) -> Result<Self, String> {
        let folder = std::env::temp_dir().join(format!("polyrs-tune-{}", std::process::id()));
        fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        let changed = modified(Path::new(&request.file));
        let mut bench =
            Self { request, folder, found: Vec::new(), changed, stays: None, is_scripted: false, builds: 0 };
        for (k, program) in request.programs.iter().enumerate() {
            let kept = bench.folder.join(format!("found-{k}"));
            let changed = modified(program);
            let copied = program.exists() && fs::copy(program, &kept).is_ok();
            bench.found.push(copied.then_some(Found { kept, changed }));
        }
        Ok(bench)
    }

    /// Builds with a script and more options of the plugin. Returns what was built, and what became of its nests.
    pub fn build(&mut self, script: &Script, more: &str) -> Result<(Build, Vec<Nest>), Failure> {
        let refused = |why: String| if interrupt::asked() { Failure::Stopped } else { Failure::Refused(why) };
        let path = self.folder.join(CANDIDATE);
        let cannot = |e: std::io::Error| refused(format!("{}: {e}", path.display()));
        fs::write(&path, script.to_string()).map_err(cannot)?;
        let options = options_with(&[more], (!script.is_empty()).then_some(&path));
        let output = self.built(&options).map_err(refused)?;
        let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        if !output.status.success() {
            let errors: Vec<&str> = said.lines().filter(|l| !l.starts_with(explain::START)).collect();
            let why = errors.join("\n");
            let why = if why.trim().is_empty() { self.silent(output.status) } else { why };
            return Err(refused(format!("does not build: {why}")));
        }
        let nests = explain::read(&said, &self.request.file).map_err(Failure::Refused)?.0;
        Ok((self.put_away().map_err(refused)?, nests))
    }

    /// Lets the build make everything with some options.
    fn built(&self, options: &str) -> Result<process::Output, String> {
        let file = fs::File::options().append(true).open(&self.request.file);
        let _ = file.and_then(|f| f.set_modified(SystemTime::now()));
        let mut command = self.build_command()?;
        // Caches of compilers do not know what is in the environment.
        command.env(OPTIONS, options).env("CCACHE_DISABLE", "1").env("SCCACHE_RECACHE", "1").stdin(Stdio::null());
        command.output().map_err(|e| format!("the build: {e}"))
    }

    /// Builds once more with the best: what a build keeps besides the program (object files) is of the last candidate.
    ///
    /// # Errors
    /// What to call, where the build fails or is ended.
    pub fn build_best(&self) -> Result<(), String> {
        let Some(line) = self.request.build.as_ref().filter(|_| self.builds > 0) else { return Ok(()) };
        if interrupt::asked() {
            eprintln!("note: the build runs once more with the best so far");
        }
        let script = self.is_scripted.then(|| std::path::absolute(&self.request.script)).and_then(Result::ok);
        let options = options_with(&[], script.as_deref());
        if self.built(&options).is_ok_and(|output| output.status.success()) {
            return Ok(());
        }
        let again = format!("{OPTIONS}={} sh -c {}", quoted(&options), quoted(line));
        let why = "the build with the best so far failed, and files of a candidate may be left";
        Err(format!("{why}: this builds it\ntouch {} && {again}", quoted(&self.request.file)))
    }

    /// What is said of a build that fails and prints nothing.
    fn silent(&self, status: ExitStatus) -> String {
        let what = self.request.build.as_ref().map_or("the compiler".to_owned(), |line| format!("'{line}'"));
        format!("{what} ends with {status} and says nothing")
    }

    fn build_command(&self) -> Result<Command, String> {
        if let Some(line) = &self.request.build {
            let mut command = Command::new("sh");
            command.args(["-c", line]);
            return Ok(command);
        }
        let extension = Path::new(&self.request.file).extension().and_then(|e| e.to_str()).unwrap_or_default();
        let (compiler, optimized) = match extension {
            "rs" => ("rustc", "-Copt-level=3"),
            "f" | "for" | "f90" | "f95" | "f03" | "f08" | "F90" => ("fc", "-O3"),
            "cc" | "cpp" | "cxx" | "c++" | "C" => ("c++", "-O3"),
            _ => ("cc", "-O3"),
        };
        let program = std::env::current_exe().map_err(|e| e.to_string())?;
        let mut command = Command::new(program);
        command.args([compiler, optimized]).args(&self.request.flags);
        command.arg(&self.request.file).arg("-o").arg(&self.request.programs[0]);
        if compiler != "rustc" {
            command.arg("-lm");
        }
        Ok(command)
    }

    fn put_away(&mut self) -> Result<Build, String> {
        self.builds += 1;
        let (mut files, mut hasher) = (Vec::new(), DefaultHasher::new());
        for (k, program) in self.request.programs.iter().enumerate() {
            let bytes = fs::read(program).map_err(|e| format!("the build makes no {}: {e}", program.display()))?;
            bytes.hash(&mut hasher);
            let copy = self.folder.join(format!("build-{}-{k}", self.builds));
            fs::copy(program, &copy).map_err(|e| format!("{}: {e}", copy.display()))?;
            files.push(copy);
        }
        Ok(Build { files, contents: hasher.finish() })
    }

    /// Forgets a build.
    pub fn forget(&self, build: &Build) {
        for file in &build.files {
            let _ = fs::remove_file(file);
        }
    }

    /// Runs the original, which must end with the status that it is said to end with.
    pub fn run_original(&self, build: &Build) -> Result<(Output, f64), Failure> {
        let path = self.folder.join("errors");
        let file = fs::File::create(&path).map_err(|e| Failure::Refused(format!("{}: {e}", path.display())))?;
        let (output, seconds) = self.run_to(build, None, file.into())?;
        if output.status == Some(self.request.status) {
            return Ok((output, seconds));
        }
        let said = String::from_utf8_lossy(&fs::read(&path).unwrap_or_default()).into_owned();
        let lines: Vec<&str> = said.lines().filter(|line| !line.trim().is_empty()).collect();
        let end = lines[lines.len().saturating_sub(LAST_LINES)..].iter().map(|line| format!("\n{line}"));
        let command = self.request.command.join(" ");
        let how = output.status.map_or("is ended by a signal".to_owned(), |status| {
            let remedy = format!("--status {status} takes that for right");
            format!("ends with status {status}, not {} ({remedy})", self.request.status)
        });
        Err(Failure::Refused(format!("{command} {how}, built without the plugin{}", end.collect::<String>())))
    }

    /// Runs a build: what it prints, and the seconds that it takes. One that takes longer than `limit` is ended.
    pub fn run(&self, build: &Build, limit: Option<f64>) -> Result<(Output, f64), Failure> {
        self.run_to(build, limit, Stdio::null())
    }

    fn run_to(&self, build: &Build, limit: Option<f64>, errors: Stdio) -> Result<(Output, f64), Failure> {
        let refused = |why: String| if interrupt::asked() { Failure::Stopped } else { Failure::Refused(why) };
        for (file, program) in build.files.iter().zip(&self.request.programs) {
            install(file, program).map_err(refused)?;
        }
        let printed = self.folder.join("printed");
        let open = || fs::File::create(&printed).map_err(|e| refused(format!("{}: {e}", printed.display())));
        let words = &self.request.command;
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).stdin(Stdio::null()).stdout(open()?).stderr(errors);
        let start = Instant::now();
        let mut child = command.spawn().map_err(|e| refused(format!("cannot run {}: {e}", words[0])))?;
        let status = loop {
            if let Some(status) = child.try_wait().map_err(|e| refused(e.to_string()))? {
                break status;
            }
            let so_far = start.elapsed();
            let why = match limit {
                _ if interrupt::asked() => Failure::Stopped,
                Some(limit) if so_far.as_secs_f64() > limit => Failure::Refused("far slower".to_owned()),
                _ => {
                    std::thread::sleep((so_far / LOOKS_PER_RUN).max(LEAST_PAUSE));
                    continue;
                }
            };
            let _ = child.kill();
            let _ = child.wait();
            return Err(why);
        };
        let seconds = start.elapsed().as_secs_f64();
        if interrupt::asked() {
            return Err(Failure::Stopped);
        }
        Ok((self.output(&printed, status), seconds))
    }

    fn output(&self, printed: &Path, status: ExitStatus) -> Output {
        let all = std::iter::once(printed).chain(self.request.outputs.iter().map(PathBuf::as_path));
        let lines = |file: &Path| {
            let text = fs::read(file).unwrap_or_default();
            text.split(|b| *b == b'\n').map(<[u8]>::to_vec).collect()
        };
        Output { status: status.code(), texts: all.map(lines).collect() }
    }
}

/// The options of the environment, others, and a script.
fn options_with(more: &[&str], script: Option<&Path>) -> String {
    let before = std::env::var(OPTIONS).unwrap_or_default();
    let script = script.map(|path| quoted(&format!("-polyrs-transform={}", path.display())));
    let all = std::iter::once(before.as_str()).chain(more.iter().copied()).chain(script.as_deref());
    all.filter(|words| !words.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Puts a build where the command looks for it: as a whole, since a program that runs must not be overwritten.
fn install(file: &Path, program: &Path) -> Result<(), String> {
    let mut beside: OsString = program.as_os_str().to_owned();
    beside.push(".polyrs-tune");
    let cannot = |e: std::io::Error| format!("{}: {e}", program.display());
    fs::copy(file, &beside).map_err(cannot)?;
    fs::rename(&beside, program).map_err(cannot)
}

/// When a file was changed last.
fn modified(file: &Path) -> Option<SystemTime> {
    fs::metadata(file).and_then(|m| m.modified()).ok()
}

/// Lets a file be as old as it was.
fn set_modified(file: &Path, changed: Option<SystemTime>) {
    if let (Ok(file), Some(changed)) = (fs::File::options().append(true).open(file), changed) {
        let _ = file.set_modified(changed);
    }
}

impl Drop for Bench<'_> {
    /// Programs and source as they were found, with their times, since `make` goes by these; the best program where
    /// there was none; the folder goes.
    fn drop(&mut self) {
        for (k, (program, found)) in self.request.programs.iter().zip(&self.found).enumerate() {
            let stays = self.stays.as_ref().map(|build| &build.files[k]);
            let _ = match found.as_ref().map(|found| &found.kept).or(stays) {
                Some(file) => install(file, program),
                None => fs::remove_file(program).map_err(|e| e.to_string()),
            };
            set_modified(program, found.as_ref().and_then(|found| found.changed));
        }
        set_modified(Path::new(&self.request.file), self.changed);
        let _ = fs::remove_dir_all(&self.folder);
    }
}

impl Expected {
    /// What two runs of the original have in common.
    pub fn of(first: Output, second: &Output) -> Result<Self, String> {
        let lengths = |o: &Output| o.texts.iter().map(Vec::len).collect::<Vec<_>>();
        if first.status != second.status || lengths(&first) != lengths(second) {
            return Err("the original's output differs from run to run: nothing can be compared with it".to_owned());
        }
        let mut varying = BTreeSet::new();
        for (k, (a, b)) in first.texts.iter().zip(&second.texts).enumerate() {
            for (line, (a, b)) in a.iter().zip(b).enumerate().filter(|(_, (a, b))| a != b) {
                let (a, b) = (words(a), words(b));
                let all = 0..a.len().max(b.len());
                let differ = |word: &usize| a.len() != b.len() || a[*word] != b[*word];
                varying.extend(all.filter(differ).map(|word| (k, line, word)));
            }
        }
        Ok(Self { output: first, varying })
    }

    /// Words that cannot be compared.
    pub fn varying(&self) -> usize {
        self.varying.len()
    }

    /// Whether a run prints what the original prints.
    pub fn allows(&self, output: &Output) -> bool {
        let own = &self.output;
        let lengths = |o: &Output| o.texts.iter().map(Vec::len).collect::<Vec<_>>();
        let all = own.texts.iter().zip(&output.texts).enumerate();
        own.status == output.status
            && lengths(own) == lengths(output)
            && all
                .flat_map(|(k, (a, b))| a.iter().zip(b).enumerate().map(move |(line, (a, b))| (k, line, a, b)))
                .all(|(k, line, a, b)| a == b || self.allows_line((k, line), a, b))
    }

    /// Whether lines differ only in words that do so in the original's runs, too, and in numbers that follow these: a
    /// rate may have been rounded to the same in each of the original's runs.
    fn allows_line(&self, (k, line): (usize, usize), a: &[u8], b: &[u8]) -> bool {
        let varies = |word: &usize| self.varying.contains(&(k, line, *word));
        let (a, b) = (words(a), words(b));
        let common = 0..a.len().min(b.len());
        let is_free = !a.is_empty() && (0..a.len()).all(|word| varies(&word));
        let follows = |w: usize| common.clone().filter(varies).any(|v| moves_along([a[w], b[w]], [a[v], b[v]]));
        let is_same = |w: usize| a[w] == b[w] || varies(&w) || follows(w);
        is_free || (a.len() == b.len() && common.clone().any(|w| varies(&w)) && common.clone().all(is_same))
    }
}

/// A printed number, and how far off it may be by having been rounded.
fn number(word: &[u8]) -> Option<(f64, f64)> {
    let text = std::str::from_utf8(word).ok()?.trim_end_matches([',', ';', ':', ')']);
    let digits = text.split_once('.').map_or(0, |(_, fraction)| fraction.len());
    let value: f64 = text.parse().ok().filter(|value: &f64| *value > 0.0 && value.is_finite())?;
    Some((value, 0.5 * 0.1f64.powi(i32::try_from(digits).ok()?)))
}

/// Whether a number changes as another one does, or as its reciprocal does, as far as their digits tell.
fn moves_along(pair: [&[u8]; 2], other: [&[u8]; 2]) -> bool {
    let numbers = [pair[0], pair[1], other[0], other[1]].map(number);
    let [Some(a), Some(b), Some(from), Some(to)] = numbers else { return false };
    let slack: f64 = [a, b, from, to].iter().map(|(value, error)| error / value).sum();
    let (ratio, change) = (b.0 / a.0, to.0 / from.0);
    let is_near = |x: f64| (x - 1.0).abs() <= slack.min(MOST_SLACK);
    is_near(ratio / change) || is_near(ratio * change)
}

/// What blanks separate.
fn words(line: &[u8]) -> Vec<&[u8]> {
    line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn output(text: &str) -> Output {
        Output { status: Some(0), texts: vec![text.split('\n').map(|l| l.as_bytes().to_vec()).collect()] }
    }

    #[test]
    fn words_that_change_each_time_are_not_compared() {
        let expected = Expected::of(output("x 1\ntime 0.1 s"), &output("x 1\ntime 0.2 s")).unwrap();
        assert_eq!(expected.varying(), 1);
        assert!(expected.allows(&output("x 1\ntime 9 s")));
        assert!(!expected.allows(&output("x 2\ntime 0.1 s")));
        assert!(!expected.allows(&output("x 1\ntime 0.1 s\n")));
        assert!(!expected.allows(&Output { status: Some(1), ..output("x 1\ntime 0.1 s") }));
        assert!(!expected.allows(&output("x 1\ntime 0.1 h")) && !expected.allows(&output("x 1\ntime 0.1 s 3")));
        assert!(Expected::of(output("1"), &output("1\n2")).is_err());
        let free = Expected::of(output("a b"), &output("c")).unwrap();
        assert!(free.allows(&output("d e f")));
    }

    #[test]
    fn rates_follow_times() {
        let (first, second) = (output("sum 12, 3.70 s, 0.6 GF"), output("sum 12, 3.65 s, 0.6 GF"));
        let expected = Expected::of(first, &second).unwrap();
        assert!(expected.allows(&output("sum 12, 0.10 s, 21.5 GF")));
        assert!(!expected.allows(&output("sum 12, 0.10 s, 2.0 GF")));
        assert!(!expected.allows(&output("sum 13, 0.10 s, 21.5 GF")));
        assert!(!expected.allows(&output("sum nan, 0.10 s, 21.5 GF")));
    }
}
