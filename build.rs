//! Compiles the C++ bridge against LLVM 22.
//!
//! The plugin itself (the `cdylib`) leaves LLVM's symbols undefined: the host that loads it (opt, clang, ld.lld, rustc)
//! brings them, and a second copy of LLVM in one process would abort. Programs and tests link libLLVM themselves.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The C++ half. A list and not a folder scan: a change to a Rust file beside them must not recompile them.
const SOURCES: &[&str] = &[
    "src/bridge/llvm.cpp",
    "src/bridge/irbuild.cpp",
    "src/bridge/alignment.cpp",
    "src/bridge/analysis.cpp",
    "src/bridge/opaque.cpp",
    "src/bridge/chains.cpp",
    "src/bridge/conditions.cpp",
    "src/bridge/blocks.cpp",
    "src/bridge/callers.cpp",
    "src/bridge/carried.cpp",
    "src/bridge/outline.cpp",
    "src/bridge/deferred.cpp",
    "src/bridge/unread.cpp",
    "src/bridge/device.cpp",
    "src/bridge/device_registers.cpp",
    "src/bridge/device_text.cpp",
    "src/bridge/calls.cpp",
    "src/bridge/resident.cpp",
    "src/bridge/costs.cpp",
    "src/bridge/endings.cpp",
    "src/bridge/faults.cpp",
    "src/bridge/hints.cpp",
    "src/bridge/merge.cpp",
    "src/bridge/names.cpp",
    "src/bridge/places.cpp",
    "src/bridge/rows.cpp",
    "src/bridge/whole_stores.cpp",
    "src/canonical/candidates.cpp",
    "src/canonical/clone.cpp",
    "src/canonical/constants.cpp",
    "src/canonical/count.cpp",
    "src/canonical/ways.cpp",
    "src/canonical/windows.cpp",
    "src/canonical/hoist.cpp",
    "src/canonical/outermost.cpp",
    "src/canonical/overflow.cpp",
    "src/canonical/own.cpp",
    "src/canonical/inline.cpp",
    "src/canonical/members.cpp",
    "src/canonical/exits.cpp",
    "src/canonical/fixed.cpp",
    "src/canonical/memory.cpp",
    "src/canonical/nests.cpp",
    "src/canonical/passes.cpp",
    "src/canonical/record.cpp",
    "src/canonical/reload.cpp",
    "src/canonical/shapes.cpp",
    "src/canonical/arms.cpp",
    "src/canonical/choices.cpp",
    "src/canonical/swaps.cpp",
    "src/canonical/inclusive.cpp",
    "src/canonical/compares.cpp",
    "src/canonical/bits.cpp",
    "src/canonical/joins.cpp",
    "src/canonical/walks.cpp",
];
const HEADERS: &[&str] = &[
    "src/bridge/bridge.h",
    "src/bridge/callers.h",
    "src/bridge/conditions.h",
    "src/bridge/calls.h",
    "src/bridge/costs.h",
    "src/bridge/deferred.h",
    "src/bridge/device_registers.h",
    "src/bridge/device_text.h",
    "src/bridge/endings.h",
    "src/bridge/places.h",
    "src/bridge/unread.h",
    "src/canonical/canonical.h",
    "src/canonical/scan.h",
];

fn main() {
    for file in SOURCES.iter().chain(HEADERS).chain(&["build.rs"]) {
        println!("cargo:rerun-if-changed={file}");
    }
    for name in ["LLVM_CONFIG", "LLVM_SYS_221_PREFIX"] {
        println!("cargo:rerun-if-env-changed={name}");
    }
    if std::env::var_os("CARGO_FEATURE_LLVM").is_none() {
        return;
    }
    let Some(config) = LlvmConfig::find() else {
        eprintln!(
            "LLVM 22 was not found: install it (Debian: `apt-get install llvm-22-dev clang-22`) or set LLVM_CONFIG to the path of its llvm-config."
        );
        std::process::exit(1);
    };
    compile(&config);
    link(&config);
}

/// A working `llvm-config` of LLVM 22.
struct LlvmConfig {
    program: PathBuf,
}

impl LlvmConfig {
    /// The first LLVM 22 among `$LLVM_CONFIG`, `$LLVM_SYS_221_PREFIX/bin`, `llvm-config-22` and `llvm-config`.
    fn find() -> Option<Self> {
        let prefix = std::env::var_os("LLVM_SYS_221_PREFIX").map(PathBuf::from);
        let candidates = [
            std::env::var_os("LLVM_CONFIG").map(PathBuf::from),
            prefix.map(|p| p.join("bin/llvm-config")),
            Some(PathBuf::from("llvm-config-22")),
            Some(PathBuf::from("/usr/lib/llvm-22/bin/llvm-config")),
            Some(PathBuf::from("llvm-config")),
        ];
        candidates
            .into_iter()
            .flatten()
            .map(|program| Self { program })
            .find(|c| c.ask("--version").is_some_and(|v| v.starts_with("22.")))
    }

    fn ask(&self, question: &str) -> Option<String> {
        let out = Command::new(&self.program).arg(question).output().ok()?;
        let text = String::from_utf8(out.stdout).ok()?;
        out.status.success().then(|| text.trim().to_owned())
    }
}

/// Where Debian's ccache stands in for the compiler.
const CCACHE: &str = "/usr/lib/ccache/c++";

fn compile(config: &LlvmConfig) {
    let include = config.ask("--includedir").unwrap_or_default();
    let mut build = cc::Build::new();
    // Both profiles, Clippy and the installation compile the same; a changed file does not compile the others again.
    if std::env::var_os("CXX").is_none() && Path::new(CCACHE).exists() {
        build.compiler(CCACHE);
    }
    build
        .cpp(true)
        .std("c++17")
        .files(SOURCES)
        .include("src")
        .flag(format!("-isystem{include}"))
        .flag("-fno-rtti")
        .flag("-fno-exceptions")
        .flag("-fvisibility=hidden")
        .flag("-fvisibility-inlines-hidden")
        .flag("-Wno-unused-parameter")
        // GCC 12 sees a use before a value where LLVM's own headers have none.
        .flag_if_supported("-Wno-maybe-uninitialized")
        .define("NDEBUG", None)
        .opt_level(2)
        .debug(false)
        .compile("polyrs_bridge");
}

/// Link arguments for everything but the plugin. The library's own unit tests link LLVM through an attribute in
/// `bridge/mod.rs`.
fn link(config: &LlvmConfig) {
    let lib_dir = config.ask("--libdir").unwrap_or_default();
    let kinds = [("bins", "src/bin"), ("tests", "tests"), ("benches", "benches")];
    println!("cargo:rustc-link-search=native={lib_dir}");
    for (kind, folder) in kinds {
        if has_rust_target(Path::new(folder)) {
            println!("cargo:rustc-link-arg-{kind}=-lLLVM-22");
            println!("cargo:rustc-link-arg-{kind}=-Wl,-rpath,{lib_dir}");
        }
    }
}

/// Whether Cargo finds a target in this folder: a Rust file in it, or a folder with a `main.rs`.
fn has_rust_target(folder: &Path) -> bool {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|e| e.path()).any(|p| p.extension().is_some_and(|e| e == "rs") || p.join("main.rs").is_file())
}
