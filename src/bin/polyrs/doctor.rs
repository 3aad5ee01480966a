//! `polyrs doctor`: is everything there, and does the plugin load?

use crate::tools::{self, Output};
use crate::wrap::{self, Compiler};
use std::ffi::OsString;
use std::path::Path;

/// A check: what it found, or what is wrong.
type Check = fn() -> Result<String, String>;

/// Prints one line per check.
///
/// # Errors
/// How many checks failed, of those that must not.
pub fn run() -> Result<(), String> {
    let checks: [(&str, Check); 12] = [
        ("LLVM 22", || Ok(tools::llvm_bindir()?.to_string_lossy().into_owned())),
        ("clang", || version("clang")),
        ("opt", || version("opt")),
        ("plugin", tools::plugin),
        ("plugin in opt", in_opt),
        ("plugin in clang", in_clang),
        ("plugin in flang", in_flang),
        ("plugin in rustc", in_rustc),
        ("plugin in lld", in_lld),
        ("OpenMP library", with_threads),
        ("GPU", gpu),
        ("builds", in_builds),
    ];
    let optional = 6;
    let mut failed = 0;
    for (at, (name, check)) in checks.iter().enumerate() {
        let (mark, text) = match check() {
            Ok(text) => ("ok", text),
            Err(text) if at + optional >= checks.len() => ("no", text),
            Err(text) => {
                failed += 1;
                ("FAIL", text)
            }
        };
        tools::say(&format!("{mark:<5} {name:<16} {text}\n"));
    }
    if failed == 0 { Ok(()) } else { Err(format!("{failed} of {} checks failed", checks.len())) }
}

fn version(program: &str) -> Result<String, String> {
    let output = tools::call(&tools::llvm_program(program)?, &["--version"], "")?;
    let line = output.out.lines().find(|l| l.contains("version")).unwrap_or_default();
    Ok(line.trim().to_owned())
}

fn in_opt() -> Result<String, String> {
    let load = format!("-load-pass-plugin={}", tools::plugin()?);
    let module = "define void @f() {\n  ret void\n}\n";
    loaded(tools::call(&tools::llvm_program("opt")?, &[&load, "-passes=polyrs", "-S", "-"], module)?)
}

fn in_clang() -> Result<String, String> {
    let load = format!("-fpass-plugin={}", tools::plugin()?);
    let args = ["-O1", &load, "-mllvm", "-polyrs=true", "-x", "c", "-", "-S", "-o", "-"];
    loaded(tools::call(&tools::llvm_program("clang")?, &args, "void f(void) {}\n")?)
}

/// An empty program in Fortran and in Rust: standard input would need options of its own, a file is simplest.
fn in_flang() -> Result<String, String> {
    compiled(Compiler::Fortran, "f90", "subroutine f\nend subroutine\n", &["-O1", "-c"])
}

fn in_rustc() -> Result<String, String> {
    let help = |e: String| if e.starts_with("cannot run") { format!("{e} (get it from https://rustup.rs)") } else { e };
    compiled(Compiler::Rust, "rs", "pub fn f() {}\n", &["--crate-type=lib", "--emit=obj", "-O"]).map_err(help)
}

/// A program linked by lld with link-time optimization.
fn in_lld() -> Result<String, String> {
    let help = |e: String| format!("{e} (Debian: apt-get install lld-22)");
    tools::llvm_program("ld.lld").map_err(help)?;
    compiled(Compiler::C, "c", "int main(void) { return 0; }\n", &["-O1", "-flto", "-fuse-ld=lld"])
}

/// A program that is to run in threads.
fn with_threads() -> Result<String, String> {
    let linked = compiled(Compiler::C, "c", "int main(void) { return 0; }\n", &["-O1", "-polyrs-parallel"]);
    match linked {
        Ok(_) => Ok("links (-lomp)".to_owned()),
        Err(e) => {
            let why = e.lines().find(|line| line.contains("omp")).unwrap_or(&e).to_owned();
            Err(format!("{why} (Debian: apt-get install libomp-22-dev)"))
        }
    }
}

/// Caches and distributors of compilations that `POLYRS_CC` can name (`docs/builds.md`).
fn in_builds() -> Result<String, String> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let is_there = |name: &&str| std::env::split_paths(&path).any(|folder| folder.join(name).is_file());
    let (found, missing): (Vec<&str>, Vec<&str>) =
        ["ccache", "sccache", "distcc", "icecc"].into_iter().partition(is_there);
    let install = format!("(Debian: apt-get install {})", missing.join(" "));
    match (&found[..], &missing[..]) {
        ([], _) => Err(format!("no cache or distributor of compilations {install}")),
        (found, []) => Ok(found.join(", ")),
        (found, missing) => Ok(format!("{}; not {} {install}", found.join(", "), missing.join(", "))),
    }
}

/// The device that programs would use, by their run-time library.
fn gpu() -> Result<String, String> {
    let plugin = tools::plugin()?;
    let missing = |name: &str, place: &str| {
        let remedy = "run cargo build --release --workspace, or install the Debian package";
        format!("{name} is missing {place}: {remedy}")
    };
    for library in ["libpolyrs_rt.so", "libpolyrs_rt.a"] {
        tools::our_library(library, Path::new(&plugin))
            .ok_or_else(|| missing(library, "beside the plugin and where linkers look"))?;
    }
    let program = Path::new(&plugin).with_file_name("polyrs-gpu");
    if !program.exists() {
        return Err(missing("polyrs-gpu", "beside the plugin"));
    }
    let output = tools::call(&program.to_string_lossy(), &[], "")?;
    let text = output.out.trim().to_owned();
    if output.ok { Ok(text) } else { Err(text) }
}

fn compiled(compiler: Compiler, extension: &str, program: &str, args: &[&str]) -> Result<String, String> {
    let file = std::env::temp_dir().join(format!("polyrs-doctor-{}.{extension}", std::process::id()));
    std::fs::write(&file, program).map_err(|e| format!("{}: {e}", file.display()))?;
    let mut words: Vec<OsString> = args.iter().map(Into::into).collect();
    words.extend([file.clone().into(), "-o".into(), "/dev/null".into()]);
    let output = wrap::command(compiler, &words).and_then(|mut command| tools::run(&mut command, ""));
    let _ = std::fs::remove_file(&file);
    loaded(output?)
}

fn loaded(output: Output) -> Result<String, String> {
    if output.ok { Ok("loads and runs".to_owned()) } else { Err(output.err.trim().to_owned()) }
}
