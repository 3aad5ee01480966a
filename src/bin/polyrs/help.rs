//! What `--help` says: of the command, and of each subcommand with examples.

/// All subcommands.
pub const USAGE: &str = "\
polyrs: a polyhedral loop optimizer for LLVM 22

  polyrs doctor                     find the compilers and the plugin, and try to load it into each
  polyrs explain FILE               what becomes of each loop nest of a file, and why
  polyrs cc|c++|fc|rustc ARGUMENTS  clang, clang++, flang or rustc with the plugin
  polyrs calc [FILE]                calculator for integer sets and maps: a file, a pipe or a prompt
  polyrs options                    every option with its default
  polyrs help SUBCOMMAND            more of one of these, with examples
  polyrs --version                  the versions of this program and of the LLVM that it is for

The plugin is the libpolyrs.so beside this program, or the one that POLYRS_PLUGIN names.
";

const DOCTOR: &str = "\
polyrs doctor: is everything there, and does the plugin load?

One line per check. LLVM 22, clang, opt and the plugin must be there; flang and rustc may be. The status is 0 if nothing that
must be there is missing.
";

const EXPLAIN: &str = "\
polyrs explain FILE [--json] [--html PAGE] [-show WHAT] [-polyrs-OPTION..] [-- COMPILER'S FLAGS]
polyrs explain [OPTIONS] -- COMPILE COMMAND
polyrs explain [OPTIONS] FILE -p COMPILE_COMMANDS.JSON

What becomes of each loop nest of a C, C++, Fortran, Rust or LLVM IR file, at its line, and why: rewritten (estimated gain,
run-time tests), kept (estimates, what binds the order) or refused (where, and what helps).

  --json         the same for programs (docs/explain.md has the keys)
  --html PAGE    a page with pictures of the iterations, their dependences and the steps to the new loops
  -show WHAT     what the stages made: comma-separated of scops, dependences, schedule, ast
  -p FILE        flags from a compilation database, or the folder that holds compile_commands.json
  -polyrs-..     options of the plugin (polyrs options)
  -- FLAGS       what the compiler needs to read the file, or a whole compile command

  polyrs explain matmul.c
  polyrs explain matmul.c --html matmul.html
  polyrs explain matmul.c -show schedule,ast -polyrs-tile-sizes=32,32,64 -- -march=native -DN=1000
  polyrs explain -- clang -O3 -Iinclude -c lib/matmul.c -o matmul.o
  polyrs explain lib/matmul.c -p build
  polyrs explain solver.rs -- -Ctarget-cpu=native
";

const COMPILERS: &str = "\
polyrs cc|c++|fc|rustc [-polyrs-OPTION..] ARGUMENTS

clang, clang++, flang or rustc of LLVM 22 with the plugin added. All other arguments go through, and output and status are the
compiler's. With -polyrs-parallel the OpenMP library is linked, too; with -flto -fuse-ld=lld the linker loads the plugin.

  POLYRS_CC, POLYRS_CXX, POLYRS_FC, POLYRS_RUSTC    the command to call instead, in words

  polyrs cc -O3 -march=native -polyrs-parallel matmul.c -o matmul
  CC=\"polyrs cc\" CXX=\"polyrs c++\" ./configure
  CC=\"polyrs cc\" cmake -S . -B build
  POLYRS_CC=\"ccache clang-22\" make CC=\"polyrs cc\"
  ln -s $(command -v polyrs) polyrs-rustc; RUSTC=$PWD/polyrs-rustc cargo build --release
";

const CALC: &str = "\
polyrs calc [FILE]

Sets and maps of integers with affine bounds: statements from a file, a pipe, or a prompt with a history.

  $ echo 'A := [N] -> { S[i, j] : 0 <= i <= j < N }; card A; lexmax A;' | polyrs calc
  $ polyrs calc program.calc

`help;` lists the statements and operators, the documentation of presburger::calc explains them
(cargo doc -p presburger). Statements behind one with an error are run all the same.
";

const OPTIONS: &str = "\
polyrs options [--markdown]

Every option of the plugin with its meaning and default, as text or as the tables of the README.
";

/// What is said of a subcommand.
pub fn of(subcommand: &str) -> Option<&'static str> {
    match subcommand {
        "doctor" => Some(DOCTOR),
        "explain" => Some(EXPLAIN),
        "cc" | "c++" | "fc" | "rustc" => Some(COMPILERS),
        "calc" => Some(CALC),
        "options" => Some(OPTIONS),
        _ => None,
    }
}

/// The versions, in one line.
pub fn version() -> String {
    format!("polyrs {} for LLVM 22\n", env!("CARGO_PKG_VERSION"))
}
