//! Where LLVM 22's programs and the plugin are, and how to run a program.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;

/// What a program printed.
pub struct Output {
    /// Whether it ended with status 0.
    pub ok: bool,
    /// Standard output.
    pub out: String,
    /// Standard error.
    pub err: String,
}

/// Files that are removed where this program ends in the middle of its work, too.
pub static TEMPORARY: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Prints to standard output. A reader that has gone ends this program without a word, with the status that shells give
/// to one that its pipe ended (128 + SIGPIPE).
pub fn say(text: &str) {
    let mut out = std::io::stdout().lock();
    if let Err(error) = out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        for file in TEMPORARY.lock().into_iter().flat_map(|mut files| std::mem::take(&mut *files)) {
            let _ = std::fs::remove_file(file);
        }
        if error.kind() != std::io::ErrorKind::BrokenPipe {
            eprintln!("polyrs: standard output: {error}");
            std::process::exit(1);
        }
        std::process::exit(141);
    }
}

/// What a file says, whatever its encoding: bytes that are no UTF-8 become `�`. Empty where it cannot be read.
pub fn text_of(path: &Path) -> String {
    String::from_utf8_lossy(&std::fs::read(path).unwrap_or_default()).into_owned()
}

/// Runs a program with `input` on its standard input.
///
/// # Errors
/// A sentence when the program cannot be started.
pub fn call(program: &str, args: &[&str], input: &str) -> Result<Output, String> {
    run(Command::new(program).args(args), input)
}

/// The same for a command with an environment of its own.
///
/// # Errors
/// A sentence when the program cannot be started.
pub fn run(command: &mut Command, input: &str) -> Result<Output, String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let cannot = |e: std::io::Error| format!("cannot run {program}: {e}");
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().map_err(cannot)?;
    if let Some(mut pipe) = child.stdin.take() {
        // A program that does not read its input may close the pipe first.
        let _ = pipe.write_all(input.as_bytes());
    }
    let done = child.wait_with_output().map_err(cannot)?;
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    Ok(Output { ok: done.status.success(), out: text(done.stdout), err: text(done.stderr) })
}

/// The folder of LLVM 22's programs.
///
/// # Errors
/// A sentence when there is none.
pub fn llvm_bindir() -> Result<PathBuf, String> {
    for config in ["llvm-config-22", "/usr/lib/llvm-22/bin/llvm-config", "llvm-config"] {
        let Ok(version) = call(config, &["--version"], "") else { continue };
        if version.ok && version.out.starts_with("22.") {
            return Ok(PathBuf::from(call(config, &["--bindir"], "")?.out.trim()));
        }
    }
    Err("LLVM 22 was not found (Debian: apt-get install llvm-22-dev clang-22)".to_owned())
}

/// The path of one of LLVM 22's programs.
///
/// # Errors
/// A sentence when it is not installed.
pub fn llvm_program(name: &str) -> Result<String, String> {
    let path = llvm_bindir()?.join(name);
    if path.exists() {
        Ok(path.to_string_lossy().into_owned())
    } else {
        Err(format!("{name} of LLVM 22 is not installed"))
    }
}

/// A library in one of the folders that linkers and loaders search by themselves.
#[must_use]
pub fn system_library(name: &str) -> Option<PathBuf> {
    let of_machine = format!("/usr/lib/{}", machine());
    let folders = [&of_machine, "/usr/lib64", "/usr/lib", "/lib64", "/lib", "/usr/local/lib"];
    folders.iter().map(|folder| Path::new(folder).join(name)).find(|path| path.exists())
}

/// What Debian calls this kind of machine, and its folder of libraries.
fn machine() -> String {
    format!("{}-linux-gnu", std::env::consts::ARCH)
}

/// A library of ours: beside the plugin, where it is installed with that, or where linker and loader find it.
#[must_use]
pub fn our_library(name: &str, plugin: &Path) -> Option<PathBuf> {
    let folder = plugin.parent().unwrap_or(Path::new("."));
    let around = folder.parent().unwrap_or(folder);
    let mut folders = vec![folder.to_owned(), around.join(machine()), around.to_owned()];
    for variable in ["LIBRARY_PATH", "LD_LIBRARY_PATH"] {
        folders.extend(std::env::split_paths(&std::env::var_os(variable).unwrap_or_default()));
    }
    folders.into_iter().map(|folder| folder.join(name)).find(|path| path.exists()).or_else(|| system_library(name))
}

/// The plugin: `$POLYRS_PLUGIN`, or the library beside this program, in `../lib/polyrs` where both are
/// installed, or where it was built.
///
/// # Errors
/// A sentence when it is missing.
pub fn plugin() -> Result<String, String> {
    let beside = || {
        let folder = std::env::current_exe().ok()?.parent()?.to_owned();
        let installed = folder.parent().map(|root| root.join("lib/polyrs/libpolyrs.so"));
        // Of `cargo install --path .`, whose command is alone, the plugin stays where it was built.
        let built = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/release/libpolyrs.so");
        let beside = folder.join("libpolyrs.so");
        let known = [Some(beside.clone()), installed, Some(built)].into_iter().flatten().find(|path| path.exists());
        Some(known.unwrap_or(beside))
    };
    let path = std::env::var_os("POLYRS_PLUGIN").map(PathBuf::from).or_else(beside);
    match path {
        Some(path) if path.exists() => Ok(path.to_string_lossy().into_owned()),
        Some(path) => Err(format!("{} is missing: run cargo build --release, or set POLYRS_PLUGIN", path.display())),
        None => Err("the plugin was not found: set POLYRS_PLUGIN to the path of libpolyrs.so".to_owned()),
    }
}
