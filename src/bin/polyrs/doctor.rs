//! `polyrs doctor`: is everything there, and does the plugin load?

use crate::tools::{self, Output};

/// A check: what it found, or what is wrong.
type Check = fn() -> Result<String, String>;

/// Prints one line per check.
///
/// # Errors
/// How many checks failed.
pub fn run() -> Result<(), String> {
    let checks: [(&str, Check); 6] = [
        ("LLVM 22", || Ok(tools::llvm_bindir()?.to_string_lossy().into_owned())),
        ("clang", || version("clang")),
        ("opt", || version("opt")),
        ("plugin", tools::plugin),
        ("plugin in opt", in_opt),
        ("plugin in clang", in_clang),
    ];
    let mut failed = 0;
    for (name, check) in checks {
        let (mark, text) = match check() {
            Ok(text) => ("ok", text),
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

fn loaded(output: Output) -> Result<String, String> {
    if output.ok { Ok("loads and runs".to_owned()) } else { Err(output.err.trim().to_owned()) }
}
