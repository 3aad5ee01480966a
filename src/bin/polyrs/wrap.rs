//! `polyrs cc`, `c++`, `fc` and `rustc`: the compiler with the plugin and its options added, for builds that let the
//! compiler be named (`CC="polyrs cc" ./configure`).
//!
//! Every other argument goes through as it is, and the compiler takes this program's place: its output, its signals and
//! its status are the compiler's own. Called through a link whose name ends in `-cc`, `-c++`, `-fc` or `-rustc`
//! (`polyrs-cc`), the program does the same, for tools that want a single word.

use crate::{help, responses, tools};
use polyrs::options;
use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

/// The environment variable that the plugin reads its options from where a compiler cannot pass them on.
pub const OPTIONS: &str = "POLYRS_OPTIONS";

/// The option that names a transformation script.
const SCRIPT: &str = "-polyrs-transform=";

/// Ends of the names of sources that compilers optimize.
const SOURCES: [&str; 14] =
    [".c", ".i", ".ii", ".cc", ".cpp", ".cxx", ".C", ".m", ".mm", ".f", ".F", ".f90", ".F90", ".rs"];

/// A compiler that can be wrapped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Compiler {
    /// clang for C.
    C,
    /// clang for C++.
    Cxx,
    /// flang.
    Fortran,
    /// rustc.
    Rust,
}

impl Compiler {
    /// The compiler that a subcommand names.
    #[must_use]
    pub fn of_word(word: &str) -> Option<Self> {
        match word {
            "cc" => Some(Self::C),
            "c++" => Some(Self::Cxx),
            "fc" => Some(Self::Fortran),
            "rustc" => Some(Self::Rust),
            _ => None,
        }
    }

    /// The subcommand for it.
    fn word(self) -> &'static str {
        match self {
            Self::C => "cc",
            Self::Cxx => "c++",
            Self::Fortran => "fc",
            Self::Rust => "rustc",
        }
    }

    /// The compiler that the name of a link to this program stands for.
    #[must_use]
    pub fn of_link(program: &OsStr) -> Option<Self> {
        let name = Path::new(program).file_name()?.to_str()?;
        Self::of_word(name.rsplit_once('-')?.1)
    }

    /// The variable that names another compiler, with words in front of it if need be (`ccache clang-22`).
    fn variable(self) -> &'static str {
        match self {
            Self::C => "POLYRS_CC",
            Self::Cxx => "POLYRS_CXX",
            Self::Fortran => "POLYRS_FC",
            Self::Rust => "POLYRS_RUSTC",
        }
    }

    /// The command to call, in words.
    fn words(self) -> Result<Vec<String>, String> {
        if let Ok(given) = std::env::var(self.variable()) {
            let words = options::words(&given);
            return if words.is_empty() { Err(format!("{} is empty", self.variable())) } else { Ok(words) };
        }
        Ok(vec![match self {
            Self::C => tools::llvm_program("clang")?,
            Self::Cxx => tools::llvm_program("clang++")?,
            Self::Fortran => {
                tools::llvm_program("flang").map_err(|e| format!("{e} (Debian: apt-get install flang-22)"))?
            }
            Self::Rust => "rustc".to_owned(),
        }])
    }
}

/// Becomes the compiler. Returns only when that fails.
///
/// # Errors
/// The compiler or the plugin is missing, or an option of ours does not exist.
pub fn run(compiler: Compiler, args: &[OsString]) -> Result<(), String> {
    let mut command = command(compiler, args)?;
    if let Some(warning) = without_effect(compiler, &responses::read(compiler, args)) {
        // Nobody may be left to read it.
        let _ = writeln!(std::io::stderr(), "polyrs {}: warning: {warning}", compiler.word());
    }
    let error = command.exec();
    Err(format!("cannot run {}: {error}", command.get_program().display()))
}

/// Says what is ours, and who says what is the compiler's.
///
/// # Errors
/// No compiler is named, or there is none.
pub fn help(compiler: Compiler) -> Result<(), String> {
    let text = help::find(compiler.word()).map_or_else(String::new, help::Subcommand::text);
    tools::say(&format!("{text}\nAll other options are the compiler's: {} --help\n", compiler.words()?.join(" ")));
    Ok(())
}

/// The compiler with the plugin and its options, ready to be started.
///
/// # Errors
/// The compiler or the plugin is missing, or an option of ours does not exist.
pub fn command(compiler: Compiler, args: &[OsString]) -> Result<Command, String> {
    let words = compiler.words()?;
    let plugin = tools::plugin()?;
    let args = responses::with_ours_opened(compiler, args);
    let mut call = match compiler {
        Compiler::Rust => rustc(&args, &plugin)?,
        Compiler::C | Compiler::Cxx | Compiler::Fortran => driver(compiler, &args, &plugin)?,
    };
    if words.iter().any(|word| is_on_other_hosts(word)) {
        call.args.iter_mut().for_each(with_whole_path);
    }
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]).args(&call.args).envs(call.environment);
    Ok(command)
}

/// Whether a word of the command lets another host compile, in a folder of its own.
fn is_on_other_hosts(word: &str) -> bool {
    let name = Path::new(word).file_name().and_then(OsStr::to_str).unwrap_or_default();
    matches!(name, "icecc" | "distcc")
}

/// An option that names a script, with the whole path of that.
fn with_whole_path(arg: &mut OsString) {
    let script = arg.to_str().and_then(|word| word.strip_prefix(SCRIPT));
    if let Some(path) = script.and_then(|script| std::path::absolute(script).ok()) {
        *arg = SCRIPT.into();
        arg.push(path);
    }
}

/// What the compiler is called with.
#[derive(Debug, Default)]
struct Call {
    args: Vec<OsString>,
    environment: Vec<(&'static str, OsString)>,
}

/// Splits our own options from the compiler's.
fn split(args: &[OsString]) -> Result<(Vec<String>, Vec<OsString>), String> {
    let (mut ours, mut rest) = (Vec::new(), Vec::new());
    for arg in args {
        match arg.to_str() {
            Some(word) if word.starts_with("-polyrs") => {
                options::Options::default().apply_word(word)?;
                ours.push(word.to_owned());
            }
            _ => rest.push(arg.clone()),
        }
    }
    Ok((ours, rest))
}

/// What is said where options of ours stand before a compiler that does not optimize.
fn without_effect(compiler: Compiler, args: &[OsString]) -> Option<String> {
    let (ours, rest) = split(args).ok()?;
    let first = ours.first()?;
    let compiles = has(&rest, |w| !w.starts_with('-') && SOURCES.iter().any(|end| w.ends_with(end)));
    let only_looks = has(&rest, |w| matches!(w, "-E" | "-M" | "-MM" | "-fsyntax-only"));
    let is_optimized = match compiler {
        Compiler::Rust => optimizes(&rest),
        _ => has(&rest, |w| w.starts_with("-O")) && !is_last_level_zero(&rest),
    };
    (compiles && !only_looks && !is_optimized)
        .then(|| format!("{first} has no effect: loops are rewritten with -O1 or more (-O2, -O3)"))
}

/// Whether the level of optimization that counts, the last one, is `-O0`.
fn is_last_level_zero(args: &[OsString]) -> bool {
    args.iter().filter_map(|a| a.to_str()).rfind(|w| w.starts_with("-O")) == Some("-O0")
}

/// `POLYRS_OPTIONS` with more options.
fn more_options(ours: &[String]) -> (&'static str, OsString) {
    let mut all = std::env::var_os(OPTIONS).unwrap_or_default();
    for option in ours {
        if !all.is_empty() {
            all.push(" ");
        }
        all.push(options::quoted(option));
    }
    (OPTIONS, all)
}

/// True if one of the compiler's words fits.
fn has(args: &[OsString], fits: impl Fn(&str) -> bool) -> bool {
    args.iter().filter_map(|a| a.to_str()).any(fits)
}

/// A call of clang or flang. Options go along as `-mllvm`, also those of the environment: caches of compilers see them
/// there, and other hosts that compile for this one. The assembler and the link-time optimizer, which have none, find
/// them in the environment.
fn driver(compiler: Compiler, args: &[OsString], plugin: &str) -> Result<Call, String> {
    let (ours, mut args) = split(args)?;
    let mut all = of_environment();
    all.extend(ours.iter().cloned());
    // What is decided by, not what is passed on.
    let seen = responses::read(compiler, &args);
    let assembles = has(&seen, |w| w.ends_with(".s") || w.ends_with(".S") || w.starts_with("assembler"));
    let at_link_time = has(&seen, |w| w.starts_with("-flto")) && !has(&seen, |w| w == "-fno-lto");
    let by_lld = has(&seen, |w| w.starts_with("-fuse-ld=") && w.ends_with("lld"));
    let links = !has(&seen, |w| matches!(w, "-c" | "-S" | "-E" | "-M" | "-MM" | "-fsyntax-only" | "-r" | "-nostdlib"));
    let mut added: Vec<OsString> = vec![format!("-fpass-plugin={plugin}").into()];
    let mut environment = files_of(plugin, &all);
    if assembles || (at_link_time && links) {
        environment.push(more_options(&ours));
    } else {
        added.extend(all.iter().flat_map(|option| ["-mllvm".into(), option.into()]));
    }
    if at_link_time && links && by_lld {
        added.push(format!("-Wl,--load-pass-plugin={plugin}").into());
    }
    if links && all.iter().any(|o| wants_threads(o)) {
        args.push(openmp(&all).into());
    }
    // What the compiler has no use for in this call (an option where it only links) is no fault of the user's.
    let quiet = compiler != Compiler::Fortran;
    if is_asked_for_verdicts(&all) {
        // Lines and names; what the user says of it comes later and counts.
        added.push("-g".into());
    }
    let mut call = Call { args: Vec::new(), environment };
    call.args.extend(quiet.then(|| "--start-no-unused-arguments".into()));
    call.args.extend(added);
    call.args.extend(quiet.then(|| "--end-no-unused-arguments".into()));
    call.args.extend(args);
    Ok(call)
}

/// Whether verdicts are printed, which name lines and variables of the source.
fn is_asked_for_verdicts(options: &[String]) -> bool {
    options.iter().any(|o| matches!(o.as_str(), "-polyrs-explain" | "-polyrs-explain=true"))
}

/// Options of the environment. What is wrong there, the plugin says.
fn of_environment() -> Vec<String> {
    let all = options::words(&std::env::var(OPTIONS).unwrap_or_default());
    let is_known = |word: &String| options::Options::default().apply_word(word).is_ok();
    if all.iter().all(is_known) { all } else { Vec::new() }
}

/// Whether an option makes code that needs the OpenMP library: by itself, or by what its script says.
fn wants_threads(option: &str) -> bool {
    let is_set = |line: &str| matches!(line.trim(), "option parallel" | "option parallel=true");
    match option.strip_prefix(SCRIPT) {
        Some(file) => std::fs::read_to_string(file).is_ok_and(|text| text.lines().any(is_set)),
        None => matches!(option, "-polyrs-parallel" | "-polyrs-parallel=true"),
    }
}

/// The linker's option for the OpenMP library.
fn openmp(options: &[String]) -> &'static str {
    let gnu = options.iter().any(|o| o == "-polyrs-omp-backend=GNU");
    if gnu { "-lgomp" } else { "-lomp" }
}

/// The same for rustc, whose linker does not look into LLVM's folder; nor does the loader.
fn openmp_for_rustc(options: &[String]) -> Vec<OsString> {
    let library = openmp(options);
    let mut words = vec![library.to_owned()];
    if library == "-lomp" && tools::system_library("libomp.so").is_none() {
        let folder = tools::llvm_bindir().ok().and_then(|bin| Some(bin.parent()?.join("lib")));
        let folder = folder.filter(|folder| folder.join("libomp.so").exists());
        words
            .extend(folder.iter().flat_map(|f| ["-L", "-Wl,-rpath,"].map(|option| format!("{option}{}", f.display()))));
    }
    words.iter().map(|word| format!("-Clink-arg={word}").into()).collect()
}

/// Files besides the source that the result depends on, for caches of compilers (another plugin or script is another
/// entry) and for those that send them to other hosts.
fn files_of(plugin: &str, options: &[String]) -> Vec<(&'static str, OsString)> {
    let scripts = options.iter().filter_map(|o| o.strip_prefix(SCRIPT));
    let scripts = scripts.filter_map(|script| std::path::absolute(script).ok()).filter(|path| path.exists());
    let more: Vec<OsString> = std::iter::once(plugin.into()).chain(scripts.map(Into::into)).collect();
    let with_more = |variable: &'static str| {
        let mut files = std::env::var_os(variable).unwrap_or_default();
        for file in &more {
            if !files.is_empty() {
                files.push(":");
            }
            files.push(file);
        }
        (variable, files)
    };
    ["CCACHE_EXTRAFILES", "SCCACHE_EXTRAFILES", "ICECC_EXTRAFILES"].map(with_more).into()
}

/// A call of rustc: its plugins are unstable, so that it must be told that this crate may have them. Crates without
/// optimization, and questions to the compiler, get none.
fn rustc(args: &[OsString], plugin: &str) -> Result<Call, String> {
    let (ours, mut args) = split(args)?;
    let all = [of_environment(), ours.clone()].concat();
    let mut call = Call::default();
    let seen = responses::read(Compiler::Rust, &args);
    if optimizes(&seen) {
        let name = crate_name(&seen).unwrap_or_else(|| "1".into());
        let before = std::env::var_os("RUSTC_BOOTSTRAP");
        call.environment.push(("RUSTC_BOOTSTRAP", before.unwrap_or(name)));
        call.environment.push(more_options(&ours));
        // rustc takes one of its two names for it alone.
        let is_told =
            has(&seen, |w| w == "-g") || values(&seen, &["--codegen", "-C"]).iter().any(|v| v.starts_with("debuginfo"));
        if !is_told && is_asked_for_verdicts(&[of_environment(), ours].concat()) {
            args.insert(0, "-g".into());
        }
        args.push(format!("-Zllvm-plugins={plugin}").into());
    }
    if rustc_links(&seen) && all.iter().any(|o| wants_threads(o)) {
        args.extend(openmp_for_rustc(&all));
    }
    call.args = args;
    Ok(call)
}

/// Whether rustc makes a program or a shared library: of the crates of one call, at least one.
fn rustc_links(args: &[OsString]) -> bool {
    let all = |names: &[&str]| values(args, names).into_iter().flat_map(|v| v.split(',')).collect::<Vec<_>>();
    let (kinds, emitted) = (all(&["--crate-type"]), all(&["--emit"]));
    let is_archive = |kind: &&str| matches!(*kind, "lib" | "rlib" | "staticlib");
    let is_question = |word: &str| matches!(word, "-vV" | "-V" | "--version") || word.starts_with("--print");
    let is_program = kinds.is_empty() || !kinds.iter().all(is_archive) || has(args, |w| w == "--test");
    !has(args, is_question)
        && is_program
        && (emitted.is_empty() || emitted.iter().any(|what| what.split('=').next() == Some("link")))
}

/// The values that an option of rustc has by any of its names, in their order, written as one word or as two.
fn values<'a>(args: &'a [OsString], names: &[&str]) -> Vec<&'a str> {
    let mut found = Vec::new();
    let mut words = args.iter().map(|a| a.to_str().unwrap_or_default());
    while let Some(word) = words.next() {
        if names.contains(&word) {
            found.extend(words.next());
        } else if let Some(value) = names.iter().find_map(|name| word.strip_prefix(name)) {
            found.push(value.trim_start_matches('='));
        }
    }
    found
}

fn crate_name(args: &[OsString]) -> Option<OsString> {
    values(args, &["--crate-name"]).last().map(Into::into)
}

fn optimizes(args: &[OsString]) -> bool {
    let settings = values(args, &["--codegen", "-C"]);
    let level = settings.iter().rev().find_map(|v| v.strip_prefix("opt-level="));
    has(args, |w| w == "-O") || level.is_some_and(|l| l != "0")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<OsString> {
        text.split_whitespace().map(Into::into).collect()
    }

    fn text(call: &Call) -> String {
        call.args.iter().map(|a| a.to_string_lossy()).collect::<Vec<_>>().join(" ")
    }

    fn clang(args: &str) -> Call {
        driver(Compiler::C, &words(args), "P.so").unwrap()
    }

    #[test]
    fn options_become_the_compilers() {
        let call = clang("-O3 -polyrs-tile-sizes=8 -c a.c -o a.o");
        let ours = "-fpass-plugin=P.so -mllvm -polyrs-tile-sizes=8";
        let expected = format!("--start-no-unused-arguments {ours} --end-no-unused-arguments -O3 -c a.c -o a.o");
        assert_eq!(text(&call), expected);
        assert!(!call.environment.iter().any(|(name, _)| *name == OPTIONS));
    }

    #[test]
    fn verdicts_have_lines() {
        assert!(text(&clang("-polyrs-explain -O3 -c a.c")).contains(" -g --end-no-unused-arguments -O3 -c a.c"));
        assert!(!text(&clang("-O3 -c a.c")).contains("-g"));
        let call = rustc(&words("-polyrs-explain -O x.rs"), "P.so").unwrap();
        assert!(text(&call).starts_with("-g -O x.rs"), "{}", text(&call));
        let call = rustc(&words("-polyrs-explain -O -C debuginfo=1 x.rs"), "P.so").unwrap();
        assert!(!text(&call).contains("-g"));
    }

    #[test]
    fn assembler_and_linker_find_options_in_the_environment() {
        assert!(text(&clang("-polyrs-report -flto -c a.c")).contains("-mllvm -polyrs-report"));
        for args in ["-polyrs-report -c a.s", "-polyrs-report -flto -fuse-ld=lld a.o -o a"] {
            let call = clang(args);
            assert!(!text(&call).contains("-mllvm"), "{args}");
            assert!(call.environment.iter().any(|(name, v)| *name == OPTIONS && v == "-polyrs-report"), "{args}");
        }
        assert!(text(&clang("-flto -fuse-ld=lld a.o -o a")).contains("-Wl,--load-pass-plugin=P.so"));
        assert!(!text(&clang("-flto -c a.c")).contains("--load-pass-plugin"));
        assert!(!text(&clang("-flto -fuse-ld=lld -fno-lto a.o -o a")).contains("--load-pass-plugin"));
    }

    #[test]
    fn threads_need_their_library_where_it_is_linked() {
        assert!(text(&clang("-polyrs-parallel a.o -o a")).ends_with("a.o -o a -lomp"));
        assert!(text(&clang("-polyrs-parallel -polyrs-omp-backend=GNU a.o")).ends_with("-lgomp"));
        assert!(!text(&clang("-polyrs-parallel -c a.c")).contains("-lomp"));
    }

    #[test]
    fn rustc_links_the_library_of_threads_into_programs() {
        let links = |args: &str| text(&rustc(&words(args), "P.so").unwrap()).contains("-Clink-arg=-lomp");
        let parallel = |args: &str| links(&format!("-O -polyrs-parallel {args}"));
        for args in ["x.rs", "--crate-type cdylib x.rs", "--crate-type=lib,dylib x.rs", "--test --crate-type lib x.rs"]
        {
            assert!(parallel(args), "{args}");
        }
        assert!(parallel("--emit=dep-info,link x.rs") && links("-polyrs-parallel x.o.rs") && !links("-O x.rs"));
        for args in ["--crate-type lib x.rs", "--crate-type=rlib --crate-type staticlib x.rs", "--emit=obj x.rs"] {
            assert!(!parallel(args), "{args}");
        }
        for args in ["--emit metadata,dep-info=x.d x.rs", "-vV", "- --print=file-names"] {
            assert!(!parallel(args), "{args}");
        }
        let gnu = rustc(&words("-O -polyrs-parallel -polyrs-omp-backend=GNU x.rs"), "P.so").unwrap();
        assert!(text(&gnu).ends_with("-Clink-arg=-lgomp"), "{}", text(&gnu));
    }

    #[test]
    fn caches_and_other_hosts_know_of_plugin_and_script() {
        let script = std::env::temp_dir().join(format!("polyrs-script-{}", std::process::id()));
        std::fs::write(&script, "region f\ninterchange i j\n").unwrap();
        let call = clang(&format!("-O3 -polyrs-transform={} -c a.c", script.display()));
        std::fs::remove_file(&script).unwrap();
        for variable in ["CCACHE_EXTRAFILES", "SCCACHE_EXTRAFILES", "ICECC_EXTRAFILES"] {
            let files = &call.environment.iter().find(|(name, _)| *name == variable).unwrap().1;
            assert!(files.to_str().unwrap().ends_with(&format!("P.so:{}", script.display())), "{files:?}");
        }
    }

    #[test]
    fn other_hosts_find_scripts() {
        let mut arg: OsString = "-polyrs-transform=a/script".into();
        with_whole_path(&mut arg);
        let here = std::env::current_dir().unwrap();
        assert_eq!(arg.to_str().unwrap(), format!("-polyrs-transform={}", here.join("a/script").display()));
        assert!(is_on_other_hosts("/usr/bin/icecc") && is_on_other_hosts("distcc") && !is_on_other_hosts("ccache"));
    }

    #[test]
    fn options_without_optimization_are_told() {
        let told = |compiler, args: &str| without_effect(compiler, &words(args)).is_some();
        for args in ["-polyrs-parallel -c a.c", "-O0 -polyrs-parallel a.c", "-O3 -O0 -polyrs-report a.cpp"] {
            assert!(told(Compiler::C, args), "{args}");
        }
        let quiet = [
            "-O -polyrs-parallel a.c",
            "-c a.c",
            "-polyrs-parallel a.o -o a",
            "-polyrs-report -E a.c",
            "-Og -polyrs-report a.c",
        ];
        assert!(!quiet.iter().any(|args| told(Compiler::C, args)));
        assert!(told(Compiler::Rust, "-polyrs-report a.rs") && !told(Compiler::Rust, "-O -polyrs-report a.rs"));
    }

    #[test]
    fn an_unknown_option_is_refused() {
        let error = driver(Compiler::C, &words("-polyrs-tilesizes=8 -c a.c"), "P.so").unwrap_err();
        assert!(error.contains("'polyrs-tile-sizes'"), "{error}");
    }

    #[test]
    fn rustc_gets_the_plugin_where_it_optimizes() {
        let call = |args: &str| rustc(&words(args), "P.so").unwrap();
        let with = call("--crate-name x -C opt-level=3 x.rs");
        assert_eq!(text(&with), "--crate-name x -C opt-level=3 x.rs -Zllvm-plugins=P.so");
        for args in ["-Copt-level=2 x.rs", "-C opt-level=0 -Copt-level=2 x.rs", "--codegen=opt-level=1 x.rs"] {
            assert!(text(&call(args)).contains("llvm-plugins"), "{args}");
        }
        let last = ["-C opt-level=3 -Copt-level=0 x.rs", "-Copt-level=3 --codegen opt-level=0 x.rs"];
        for args in ["-vV", "--crate-name x x.rs", "-C opt-level=3 -C opt-level=0 x.rs"].into_iter().chain(last) {
            assert!(!text(&call(args)).contains("llvm-plugins"), "{args}");
        }
    }

    #[test]
    fn links_stand_for_compilers() {
        assert_eq!(Compiler::of_link(OsStr::new("/usr/bin/polyrs-c++")), Some(Compiler::Cxx));
        assert_eq!(Compiler::of_link(OsStr::new("polyrs")), None);
    }
}
