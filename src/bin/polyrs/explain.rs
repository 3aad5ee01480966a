//! `polyrs explain`: what becomes of each loop nest of a file.

use crate::tools;
use std::path::{Path, PathBuf};

/// What can be printed, in the order of the pipeline.
const SHOWS: [&str; 4] = ["scops", "dependences", "schedule", "ast"];

/// The command line of `explain`.
struct Request<'a> {
    file: &'a str,
    shows: Vec<&'a str>,
    options: Vec<&'a str>,
    clang_flags: Vec<&'a str>,
}

/// Prints the remarks of a file's loop nests and the wanted stages.
///
/// # Errors
/// A wrong command line, a missing program, or what the compiler said.
pub fn run(args: &[&str]) -> Result<(), String> {
    let request = Request::read(args)?;
    let ir = Ir::of(&request)?;
    tools::say("== what happened\n\n");
    let remarks = opt(&ir, "polyrs", &["-pass-remarks=polyrs", "-pass-remarks-missed=polyrs"], &request)?;
    let lines: Vec<&str> = remarks.lines().filter(|l| l.starts_with("remark: ")).collect();
    for line in &lines {
        tools::say(&format!("{}\n", line.trim_start_matches("remark: ")));
    }
    if lines.is_empty() {
        tools::say("no loop\n");
    }
    for show in &request.shows {
        tools::say(&format!("\n== {show}\n\n"));
        let text = opt(&ir, &format!("print<polyrs-{show}>"), &[], &request)?;
        tools::say(if text.is_empty() { "nothing\n" } else { &text });
    }
    Ok(())
}

impl<'a> Request<'a> {
    fn read(args: &[&'a str]) -> Result<Self, String> {
        let (args, clang_flags) = match args.iter().position(|a| *a == "--") {
            Some(at) => (&args[..at], args[at + 1..].to_vec()),
            None => (args, Vec::new()),
        };
        let mut request = Self { file: "", shows: vec!["ast"], options: Vec::new(), clang_flags };
        let mut words = args.iter();
        while let Some(word) = words.next() {
            match *word {
                "-show" | "--show" => {
                    request.shows = words.next().ok_or("-show needs a value")?.split(',').collect();
                }
                option if option.starts_with("-polyrs") => request.options.push(option),
                option if option.starts_with('-') => {
                    return Err(format!("unknown option {option}; clang's flags follow --"));
                }
                file if request.file.is_empty() => request.file = file,
                other => return Err(format!("one file at a time, not {} and {other}", request.file)),
            }
        }
        if let Some(unknown) = request.shows.iter().find(|s| !SHOWS.contains(s)) {
            return Err(format!("cannot show '{unknown}', only {}", SHOWS.join(", ")));
        }
        if request.file.is_empty() { Err("explain needs a file".to_owned()) } else { Ok(request) }
    }
}

/// The file as LLVM IR; a temporary one is removed at the end.
struct Ir {
    path: PathBuf,
    temporary: bool,
}

impl Ir {
    fn of(request: &Request<'_>) -> Result<Self, String> {
        let source = Path::new(request.file);
        if source.extension().is_some_and(|e| e == "ll" || e == "bc") {
            return Ok(Self { path: source.to_owned(), temporary: false });
        }
        let path = std::env::temp_dir().join(format!("polyrs-explain-{}.ll", std::process::id()));
        let ir = Self { path, temporary: true };
        let out = ir.path.to_string_lossy();
        let mut args = vec!["-O3", "-gline-tables-only", "-Xclang", "-disable-llvm-passes", "-S", "-emit-llvm"];
        args.extend(&request.clang_flags);
        args.extend([request.file, "-o", &*out]);
        let compiled = tools::call(&tools::llvm_program("clang")?, &args, "")?;
        if compiled.ok { Ok(ir) } else { Err(compiled.err) }
    }
}

impl Drop for Ir {
    fn drop(&mut self) {
        if self.temporary {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

/// What `opt` prints while it runs one pass of the plugin on the file.
fn opt(ir: &Ir, pass: &str, flags: &[&str], request: &Request<'_>) -> Result<String, String> {
    let load = format!("-load-pass-plugin={}", tools::plugin()?);
    let passes = format!("-passes={pass}");
    let file = ir.path.to_string_lossy();
    let mut args = vec![load.as_str(), passes.as_str(), "-disable-output", &*file];
    args.extend(flags);
    args.extend(&request.options);
    let output = tools::call(&tools::llvm_program("opt")?, &args, "")?;
    if output.ok { Ok(output.err) } else { Err(output.err) }
}
