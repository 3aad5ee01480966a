//! `polyrs explain`: what becomes of each loop nest of a file.

use crate::request::Request;
use crate::tools;
use crate::wrap::{self, Compiler};
use crate::{page, verdicts};
use polyrs::explain::Nest;
use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Tells what became of a file's loop nests: as text with the wanted stages, as JSON, or as a page.
///
/// # Errors
/// A wrong command line, a missing program, or what the compiler said.
pub fn run(args: &[&str]) -> Result<(), String> {
    let request = Request::read(args)?;
    let source = Source::of(&request)?;
    let (nests, warnings) = source.nests(&request)?;
    for warning in &warnings {
        // Nobody may be left to read it.
        let _ = writeln!(std::io::stderr(), "{warning}");
    }
    if let Some(out) = &request.html {
        std::fs::write(out, page::of(&request.file, &nests)).map_err(|e| format!("{}: {e}", out.display()))?;
        tools::say(&format!(
            "{}: {} of {}\n",
            out.display(),
            verdicts::counted(verdicts::by_source(&nests).len()),
            request.file
        ));
    }
    if request.json {
        tools::say(&verdicts::json(&request.file, &nests, &warnings));
    } else if request.html.is_none() {
        tools::say(&verdicts::text(&request.file, &nests, verdicts::has_colours()));
        if request.gpu {
            tools::say(&verdicts::kernels(&nests));
        }
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
    fn of(request: &Request) -> Result<Self, String> {
        let extension = Path::new(&request.file).extension().and_then(|e| e.to_str()).unwrap_or_default();
        match extension.to_ascii_lowercase().as_str() {
            "rs" => Ok(Self::Compiled(Compiler::Rust)),
            "f" | "for" | "f77" | "f90" | "f95" | "f03" | "f08" | "f18" => Ok(Self::Compiled(Compiler::Fortran)),
            _ => Ok(Self::Ir(Ir::of(request)?)),
        }
    }

    /// What became of each loop nest, and the plugin's warnings.
    fn nests(&self, request: &Request) -> Result<(Vec<Nest>, Vec<String>), String> {
        let all = match self {
            Self::Ir(ir) => opt(ir, "polyrs", &["-polyrs-explain"], request)?,
            Self::Compiled(compiler) => compile(*compiler, &["-polyrs-explain".to_owned()], request)?,
        };
        let (nests, rest) = polyrs::explain::read(&all, &request.file)?;
        let warnings = rest.into_iter().filter(|line| line.contains("polyrs: "));
        Ok((nests, warnings.map(str::to_owned).collect()))
    }

    /// What a stage made, as the plugin prints it.
    fn stage(&self, show: &str, request: &Request) -> Result<String, String> {
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
    ["warning: ", "note: ", "error: "].iter().any(|start| line.starts_with(start))
}

/// Whether a file in Rust is a program: in a library, what is neither public nor called has no code.
fn is_program(file: &Path) -> bool {
    let is_main = |line: &str| line.starts_with("fn main(") || line.starts_with("pub fn main(");
    std::fs::read_to_string(file).is_ok_and(|text| text.lines().any(is_main))
}

/// What a compiler says while it compiles the file with the plugin, for nothing but that.
fn compile(compiler: Compiler, ours: &[String], request: &Request) -> Result<String, String> {
    let fixed: &[&str] = match compiler {
        Compiler::Rust => &[
            "--emit=obj",
            "-Copt-level=3",
            "-Ccodegen-units=1",
            "-Cdebuginfo=full",
            // Small functions have code of their own, too.
            "-Zcross-crate-inline-threshold=never",
        ],
        _ => &["-O3", "-c", "-g"],
    };
    let mut args: Vec<OsString> = fixed.iter().map(Into::into).collect();
    if compiler == Compiler::Rust {
        args.push(if is_program(Path::new(&request.file)) { "--crate-type=bin" } else { "--crate-type=lib" }.into());
    }
    args.extend(request.options.iter().map(Into::into));
    args.extend(ours.iter().map(Into::into));
    args.extend(request.flags.iter().map(Into::into));
    args.extend([(&request.file).into(), "-o".into(), "/dev/null".into()]);
    let says_where = request.flags.iter().any(|flag| flag.starts_with("-J") || flag.starts_with("-module-dir"));
    let modules = Modules(std::env::temp_dir().join(format!("polyrs-explain-{}", std::process::id())));
    if compiler == Compiler::Fortran && !says_where {
        let folder = &modules.0;
        std::fs::create_dir_all(folder).map_err(|error| format!("cannot make {}: {error}", folder.display()))?;
        args.extend(["-J".into(), folder.into()]);
    }
    said(tools::run(&mut wrap::command(compiler, &args)?, "")?)
}

/// The folder of the module files that a Fortran compiler writes, which nobody asked for; removed at the end.
struct Modules(PathBuf);

impl Drop for Modules {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The file as LLVM IR; a temporary one is removed at the end.
struct Ir {
    path: PathBuf,
    temporary: bool,
}

impl Ir {
    fn of(request: &Request) -> Result<Self, String> {
        let source = Path::new(&request.file);
        if source.extension().is_some_and(|e| e == "ll" || e == "bc") {
            return Ok(Self { path: source.to_owned(), temporary: false });
        }
        let path = std::env::temp_dir().join(format!("polyrs-explain-{}.ll", std::process::id()));
        let ir = Self { path, temporary: true };
        if let Ok(mut files) = tools::TEMPORARY.lock() {
            files.push(ir.path.clone());
        }
        let out = ir.path.to_string_lossy();
        let mut args: Vec<&str> = vec!["-O3", "-g", "-fstandalone-debug", "-fno-discard-value-names"];
        args.extend(request.flags.iter().map(String::as_str));
        args.extend(["-Xclang", "-disable-llvm-passes", "-S", "-emit-llvm", &request.file, "-o", &*out]);
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
fn opt(ir: &Ir, pass: &str, flags: &[&str], request: &Request) -> Result<String, String> {
    let load = format!("-load-pass-plugin={}", tools::plugin()?);
    let passes = format!("-passes={pass}");
    let file = ir.path.to_string_lossy();
    let mut args = vec![load.as_str(), passes.as_str(), "-disable-output", &*file];
    args.extend(flags);
    args.extend(request.options.iter().map(String::as_str));
    said(tools::call(&tools::llvm_program("opt")?, &args, "")?)
}

/// What a program has said on standard error. What the plugin has logged there is passed on: it is no verdict.
fn said(output: tools::Output) -> Result<String, String> {
    let (logged, rest): (Vec<&str>, Vec<&str>) = output.err.lines().partition(|line| polyrs::logging::is_line(line));
    for line in logged {
        let _ = writeln!(std::io::stderr(), "{line}");
    }
    let rest = rest.iter().map(|line| format!("{line}\n")).collect();
    if output.ok { Ok(rest) } else { Err(rest) }
}
