//! `polyrs explain`: what becomes of each loop nest of a file.

use crate::tools;
use crate::wrap::{self, Compiler};
use std::ffi::OsString;
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
    let source = Source::of(&request)?;
    tools::say("== what happened\n\n");
    let remarks = source.remarks(&request)?;
    for line in &remarks {
        tools::say(&format!("{line}\n"));
    }
    if remarks.is_empty() {
        tools::say("no loop\n");
    }
    for show in &request.shows {
        tools::say(&format!("\n== {show}\n\n"));
        let text = source.stage(show, &request)?;
        tools::say(if text.is_empty() { "nothing\n" } else { &text });
    }
    Ok(())
}

/// Where the loops come from.
enum Source {
    /// C, C++ and IR: as `opt` reads them, before any pass.
    Ir(Ir),
    /// Fortran and Rust: as their compiler hands them to the plugin.
    Compiled(Compiler),
}

impl Source {
    fn of(request: &Request<'_>) -> Result<Self, String> {
        let extension = Path::new(request.file).extension().and_then(|e| e.to_str()).unwrap_or_default();
        match extension.to_ascii_lowercase().as_str() {
            "rs" => Ok(Self::Compiled(Compiler::Rust)),
            "f" | "for" | "f77" | "f90" | "f95" | "f03" | "f08" | "f18" => Ok(Self::Compiled(Compiler::Fortran)),
            _ => Ok(Self::Ir(Ir::of(request)?)),
        }
    }

    /// `FILE:LINE:COLUMN: what became of it and why` for each loop nest.
    fn remarks(&self, request: &Request<'_>) -> Result<Vec<String>, String> {
        match self {
            Self::Ir(ir) => {
                let all = opt(ir, "polyrs", &["-pass-remarks=polyrs", "-pass-remarks-missed=polyrs"], request)?;
                Ok(all.lines().filter_map(|l| l.strip_prefix("remark: ")).map(str::to_owned).collect())
            }
            Self::Compiled(compiler) => {
                let all = compile(*compiler, &[], request)?;
                Ok(all.lines().filter_map(|line| remark(*compiler, line)).collect())
            }
        }
    }

    /// What a stage made, as the plugin prints it.
    fn stage(&self, show: &str, request: &Request<'_>) -> Result<String, String> {
        match self {
            Self::Ir(ir) => opt(ir, &format!("print<polyrs-{show}>"), &[], request),
            Self::Compiled(compiler) => {
                let print = [format!("-polyrs-print-after={show}"), format!("-polyrs-stop-after={show}")];
                let all = compile(*compiler, &print, request)?;
                Ok(all.lines().take_while(|l| !is_compilers(l)).map(|l| format!("{l}\n")).collect())
            }
        }
    }
}

/// Whether a line is the compiler's own word after all that the plugin printed.
fn is_compilers(line: &str) -> bool {
    ["warning: ", "note: ", "error: "].iter().any(|start| line.starts_with(start)) || line.contains(": remark: ")
}

/// A remark of ours among the lines of a compiler. rustc has `note: FILE:3:5 polyrs (success): TEXT`, flang
/// `FILE:3:5: remark: TEXT [-Rpass=polyrs]`.
fn remark(compiler: Compiler, line: &str) -> Option<String> {
    if compiler == Compiler::Rust {
        let (place, said) = line.strip_prefix("note: ")?.split_once(" polyrs (")?;
        return Some(format!("{place}: {}", said.split_once("): ")?.1));
    }
    let (place, said) = line.split_once(": remark: ")?;
    let (text, pass) = said.rsplit_once(" [-Rpass")?;
    pass.contains("=polyrs]").then(|| format!("{place}: {text}"))
}

/// What a compiler says while it compiles the file with the plugin, for nothing but that.
fn compile(compiler: Compiler, ours: &[String], request: &Request<'_>) -> Result<String, String> {
    let fixed: &[&str] = match compiler {
        Compiler::Rust => &[
            "--crate-type=lib",
            "--emit=obj",
            "-Copt-level=3",
            "-Ccodegen-units=1",
            "-Cdebuginfo=line-tables-only",
            "-Cremark=polyrs",
            // Small functions have code of their own, too.
            "-Zcross-crate-inline-threshold=never",
        ],
        _ => &["-O3", "-c", "-gline-tables-only", "-Rpass=polyrs", "-Rpass-missed=polyrs"],
    };
    let mut args: Vec<OsString> = fixed.iter().map(Into::into).collect();
    args.extend(request.options.iter().map(Into::into));
    args.extend(ours.iter().map(Into::into));
    args.extend(request.clang_flags.iter().map(Into::into));
    args.extend([request.file.into(), "-o".into(), "/dev/null".into()]);
    let output = tools::run(&mut wrap::command(compiler, &args)?, "")?;
    if output.ok { Ok(output.err) } else { Err(output.err) }
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
                    return Err(format!("unknown option {option}; the compiler's flags follow --"));
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
