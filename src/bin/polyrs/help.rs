//! What the command can do, once: `--help`, manual pages and completions for shells are made from this table.

/// What a word after a subcommand is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// None is expected.
    Nothing,
    /// A file.
    File,
    /// One of these.
    OneOf(&'static [&'static str]),
    /// What a compiler takes.
    Anything,
}

/// An option of a subcommand.
pub struct Flag {
    /// With its dashes.
    pub name: &'static str,
    /// What its value is; empty where it has none.
    pub value: &'static str,
    /// What it does.
    pub help: &'static str,
}

/// A subcommand.
pub struct Subcommand {
    /// Its name first, then others that mean the same.
    pub names: &'static [&'static str],
    /// What follows the name.
    pub synopsis: &'static [&'static str],
    /// A few words.
    pub short: &'static str,
    /// Some sentences, one paragraph.
    pub about: &'static str,
    /// Options of its own.
    pub flags: &'static [Flag],
    /// Whether the plugin's options may stand among its arguments.
    pub takes_options: bool,
    /// What its other arguments are.
    pub takes: Takes,
    /// Lines for a shell.
    pub examples: &'static [&'static str],
}

const fn flag(name: &'static str, value: &'static str, help: &'static str) -> Flag {
    Flag { name, value, help }
}

/// Shells with completions.
pub const SHELLS: [&str; 3] = ["bash", "zsh", "fish"];

/// Names of all subcommands.
const WORDS: &[&str] =
    &["doctor", "explain", "cc", "c++", "fc", "rustc", "tune", "calc", "options", "completions", "manual"];

/// All subcommands, in the order in which they are listed.
pub const SUBCOMMANDS: &[Subcommand] = &[
    Subcommand {
        names: &["doctor"],
        synopsis: &[""],
        short: "find the compilers and the plugin, and try to load it into each",
        about: "Is everything there, and does the plugin load? One line per check. LLVM 22, clang, opt and the plugin must be \
                there; flang and rustc may be. The status is 0 if nothing that must be there is missing.",
        flags: &[],
        takes_options: false,
        takes: Takes::Nothing,
        examples: &["polyrs doctor", "POLYRS_PLUGIN=$HOME/polyrs/libpolyrs.so polyrs doctor"],
    },
    Subcommand {
        names: &["explain"],
        synopsis: &[
            "FILE [--gpu] [--json] [--html PAGE] [--show WHAT] [-polyrs-OPTION..] [-- COMPILER'S FLAGS]",
            "[OPTIONS] -- COMPILE COMMAND",
            "[OPTIONS] FILE -p COMPILE_COMMANDS.JSON",
        ],
        short: "what becomes of each loop nest of a file, and why",
        about: "What becomes of each loop nest of a C, C++, Fortran, Rust or LLVM IR file, at its line, and why: rewritten \
                (estimated gain, run-time tests), kept (estimates, what binds the order) or refused (where, and what helps). \
                What follows -- are flags that the compiler needs to read the file, or a whole compile command.",
        flags: &[
            flag(
                "--gpu",
                "",
                "with kernels for a GPU: grid, block, what is copied, the loops and the PTX (docs/gpu.md)",
            ),
            flag("--json", "", "the same for programs (docs/explain.md has the keys)"),
            flag(
                "--html",
                "PAGE",
                "a page with pictures of the iterations, their dependences and the steps to the new loops",
            ),
            flag("--show", "WHAT", "what the stages made: comma-separated of scops, dependences, schedule, ast"),
            flag("-p", "FILE", "flags from a compilation database, or the folder that holds compile_commands.json"),
        ],
        takes_options: true,
        takes: Takes::File,
        examples: &[
            "polyrs explain matmul.c",
            "polyrs explain matmul.c --html matmul.html",
            "polyrs explain matmul.c --show schedule,ast -polyrs-tile-sizes=32,32,64 -- -march=native",
            "polyrs explain -- clang -O3 -Iinclude -c lib/matmul.c -o matmul.o",
            "polyrs explain lib/matmul.c -p build",
            "polyrs explain solver.rs -- -Ctarget-cpu=native",
            "polyrs explain --gpu matmul.c",
        ],
    },
    Subcommand {
        names: &["cc", "c++", "fc", "rustc"],
        synopsis: &["[-polyrs-OPTION..] ARGUMENTS"],
        short: "clang, clang++, flang or rustc with the plugin",
        about: "clang, clang++, flang or rustc of LLVM 22 with the plugin added. All other arguments go through, and output and \
                status are the compiler's. With -polyrs-parallel the OpenMP library is linked, too; with -flto -fuse-ld=lld \
                the linker loads the plugin. The environment variables POLYRS_CC, POLYRS_CXX, POLYRS_FC and POLYRS_RUSTC name \
                the command to call instead, in words.",
        flags: &[],
        takes_options: true,
        takes: Takes::Anything,
        examples: &[
            "polyrs cc -O3 -march=native -polyrs-parallel matmul.c -o matmul",
            "polyrs c++ -O3 -Rpass=polyrs matmul.cpp -o matmul",
            "polyrs fc -O3 matmul.f90 -o matmul",
            "polyrs rustc -O -polyrs-report matmul.rs",
            "CC=\"polyrs cc\" CXX=\"polyrs c++\" ./configure",
            "CC=\"polyrs cc\" cmake -S . -B build",
            "POLYRS_CC=\"ccache clang-22\" make CC=\"polyrs cc\"",
            "ln -s $(command -v polyrs) polyrs-rustc; RUSTC=$PWD/polyrs-rustc cargo build --release",
        ],
    },
    Subcommand {
        names: &["tune"],
        synopsis: &["FILE [COMPILER'S FLAGS] [OPTIONS] -- COMMAND", "FILE --build LINE [OPTIONS] -- COMMAND"],
        short: "look for a faster order of a program's loops by running it",
        about: "Tries orders, fusion, tile sizes and numbers of threads for the most expensive loop nests of FILE: builds the \
                program with each, runs COMMAND in turns with the best so far, and keeps what is faster beyond noise and prints \
                what the original prints. The best is in the script at any time (-polyrs-transform takes it): Ctrl-C loses \
                nothing. In the end LINE builds once more with the best. Without --build, FILE is the whole program, compiled by polyrs cc (c++, fc, rustc) -O3 with the flags \
                given.",
        flags: &[
            flag("-o", "SCRIPT", "where the best goes (FILE with the extension .polyrs)"),
            flag("--build", "LINE", "what builds the program, for a shell; it has to call polyrs cc (c++, fc, rustc)"),
            flag("--program", "FILE", "what the build makes (the first word of COMMAND)"),
            flag("--output", "FILE", "a file that COMMAND writes and that must stay the same, as what it prints must"),
            flag("--status", "NUMBER", "the status that COMMAND ends with if all is well (0)"),
            flag("--nests", "NUMBER", "functions that are tuned, those with the most expensive nests first (3)"),
            flag("--threads", "NUMBER", "most threads that are tried (as many as there are cores)"),
            flag("--runs", "NUMBER", "pairs of runs that decide of a candidate (7)"),
            flag("--seconds", "NUMBER", "end after this time"),
        ],
        takes_options: false,
        takes: Takes::File,
        examples: &[
            "polyrs tune matmul.c -march=native -- ./matmul 1000",
            "polyrs tune solver/main.c --build 'make CC=\"polyrs cc\"' -- ./solver input.dat",
            "polyrs tune lib/heat.c --build 'ninja -C build' --program build/libheat.so --output out.dat -- python3 run.py",
            "polyrs cc -O3 -march=native -polyrs-transform=matmul.polyrs matmul.c -o matmul",
        ],
    },
    Subcommand {
        names: &["calc"],
        synopsis: &["[FILE] [--stop]"],
        short: "calculator for integer sets and maps: a file, a pipe or a prompt",
        about: "Sets and maps of integers with affine bounds: statements from a file, a pipe, or a prompt with a history. `help;` \
                lists the statements and operators, the documentation of presburger::calc explains them (cargo doc -p \
                presburger). Statements behind one with an error are run all the same.",
        flags: &[flag("--stop", "", "end at the first error, also in files that `source` runs")],
        takes_options: false,
        takes: Takes::File,
        examples: &[
            "echo 'A := [N] -> { S[i, j] : 0 <= i <= j < N }; card A; lexmax A;' | polyrs calc",
            "polyrs calc program.calc",
        ],
    },
    Subcommand {
        names: &["options"],
        synopsis: &["[--markdown]"],
        short: "every option of the plugin with its default",
        about: "Every option of the plugin with its meaning and default, as text or as the tables of docs/options.md.",
        flags: &[flag("--markdown", "", "as tables in Markdown")],
        takes_options: false,
        takes: Takes::Nothing,
        examples: &["polyrs options", "polyrs options | grep -A1 tile"],
    },
    Subcommand {
        names: &["completions"],
        synopsis: &["SHELL"],
        short: "completions for bash, zsh or fish",
        about: "Prints what a shell needs to complete subcommands, options and values, also of links to the command \
                (polyrs-cc, ..), for which fish wants a file of their own name (a link to polyrs.fish). The Debian package \
                installs all of it.",
        flags: &[],
        takes_options: false,
        takes: Takes::OneOf(&SHELLS),
        examples: &[
            "eval \"$(polyrs completions bash)\"",
            "polyrs completions zsh > ~/.zfunc/_polyrs",
            "polyrs completions fish > ~/.config/fish/completions/polyrs.fish",
        ],
    },
    Subcommand {
        names: &["manual"],
        synopsis: &["[SUBCOMMAND]", "--into FOLDER"],
        short: "manual pages",
        about: "Prints the manual page of the command or of a subcommand in the language of man(7), or writes all of them into \
                a folder.",
        flags: &[flag("--into", "FOLDER", "write polyrs.1, polyrs-explain.1, .. there")],
        takes_options: false,
        takes: Takes::OneOf(WORDS),
        examples: &["polyrs manual tune | man -l -", "polyrs manual --into /usr/local/share/man/man1"],
    },
];

/// What is said behind the list of subcommands.
const BEHIND: &str = "  polyrs help SUBCOMMAND            more of one of these, with examples
  polyrs --version                  the versions of this program and of the LLVM that it is for

The plugin is the libpolyrs.so beside this program or in ../lib/polyrs, or the one that POLYRS_PLUGIN names.
";

/// Characters of a line of text.
const COLUMNS: usize = 118;
/// Column in which the list of subcommands says what they are.
const MEANING: usize = 34;

/// All subcommands, a line each.
pub fn usage() -> String {
    let mut out = "polyrs: a polyhedral loop optimizer for LLVM 22\n\n".to_owned();
    for sub in SUBCOMMANDS {
        let argument = match (sub.takes, sub.names[0]) {
            (Takes::Nothing, _) => "",
            (Takes::File, "calc") => " [FILE]",
            (Takes::File, "tune") => " FILE -- COMMAND",
            (Takes::File, _) => " FILE",
            (Takes::Anything, _) => " ARGUMENTS",
            (Takes::OneOf(_), "completions") => " SHELL",
            (Takes::OneOf(_), _) => " [SUBCOMMAND]",
        };
        let call = format!("  polyrs {}{argument}", sub.names.join("|"));
        out.push_str(&format!("{call:<MEANING$}  {}\n", sub.short));
    }
    out + BEHIND
}

impl Subcommand {
    /// `polyrs cc|c++|fc|rustc`.
    pub fn call(&self) -> String {
        format!("polyrs {}", self.names.join("|"))
    }

    /// All that there is to say.
    pub fn text(&self) -> String {
        let mut out = String::new();
        for synopsis in self.synopsis {
            out.push_str(format!("{} {synopsis}", self.call()).trim_end());
            out.push('\n');
        }
        out.push('\n');
        out.push_str(&wrapped(self.about));
        let call = |f: &Flag| format!("{} {}", f.name, f.value).trim_end().to_owned();
        if !self.flags.is_empty() || self.takes_options {
            out.push('\n');
        }
        let widest = self.flags.iter().map(|f| call(f).len()).max().unwrap_or(0).max("-polyrs-..".len());
        for f in self.flags {
            out.push_str(&format!("  {:<widest$}  {}\n", call(f), f.help));
        }
        if self.takes_options {
            out.push_str(&format!("  {:<widest$}  options of the plugin (polyrs options)\n", "-polyrs-.."));
        }
        out.push_str("\nExamples:\n");
        for example in self.examples {
            out.push_str(&format!("  {example}\n"));
        }
        out
    }
}

/// A paragraph in lines.
fn wrapped(text: &str) -> String {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let last = lines.len() - 1;
        if !lines[last].is_empty() && lines[last].len() + 1 + word.len() > COLUMNS {
            lines.push(word.to_owned());
        } else {
            let gap = if lines[last].is_empty() { "" } else { " " };
            lines[last].push_str(gap);
            lines[last].push_str(word);
        }
    }
    lines.join("\n") + "\n"
}

/// The subcommand with a name.
pub fn find(name: &str) -> Option<&'static Subcommand> {
    SUBCOMMANDS.iter().find(|sub| sub.names.contains(&name))
}

/// Names of all subcommands.
pub fn names() -> impl Iterator<Item = &'static str> {
    SUBCOMMANDS.iter().flat_map(|sub| sub.names.iter().copied())
}

/// The versions, in one line.
pub fn version() -> String {
    format!("polyrs {} for LLVM 22\n", env!("CARGO_PKG_VERSION"))
}

/// The known word that may be meant by one that is not known, as the end of a sentence.
pub fn nearest<'w>(word: &str, known: impl IntoIterator<Item = &'w str>) -> String {
    polyrs::options::nearest_of(word, known).map_or(String::new(), |known| format!(": did you mean {known}?"))
}

/// What is said of a word that a subcommand does not know: the option that is nearest to one, else that it is too many.
pub fn not_known(subcommand: &str, word: &str) -> String {
    let flags = find(subcommand).map_or(&[][..], |sub| sub.flags);
    match word {
        _ if !word.starts_with('-') => format!("{subcommand} does not know what to do with '{word}'"),
        _ if flags.is_empty() => format!("unknown option {word}: {subcommand} has none"),
        _ => {
            let near = nearest(word, flags.iter().map(|f| f.name));
            let more = if near.is_empty() { format!(" (polyrs help {subcommand} lists them)") } else { near };
            format!("unknown option {word}{more}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_subcommand_has_examples_and_is_listed() {
        let all = usage();
        for sub in SUBCOMMANDS {
            assert!(!sub.examples.is_empty() && sub.text().contains("Examples:"), "{}", sub.names[0]);
            assert!(all.contains(&format!("  {}", sub.call())), "{}", sub.names[0]);
        }
        assert_eq!(names().collect::<Vec<_>>(), WORDS);
    }

    #[test]
    fn lines_are_not_too_long() {
        for line in SUBCOMMANDS.iter().flat_map(|s| s.text().lines().map(str::to_owned).collect::<Vec<_>>()) {
            assert!(line.len() <= COLUMNS + 4, "{line}");
        }
    }

    #[test]
    fn unknown_words_are_told_with_what_is_near() {
        assert_eq!(not_known("options", "--markdwon"), "unknown option --markdwon: did you mean --markdown?");
        assert_eq!(not_known("doctor", "--x"), "unknown option --x: doctor has none");
        assert_eq!(not_known("explain", "--zzzzzzz"), "unknown option --zzzzzzz (polyrs help explain lists them)");
    }

    #[test]
    fn every_line_of_the_list_begins_in_one_column() {
        let all = usage();
        assert!(
            all.lines()
                .filter(|l| l.contains("polyrs ") && l.len() > MEANING && !l.starts_with("The"))
                .all(|l| { l.starts_with("  polyrs ") || l.starts_with("polyrs: ") })
        );
        assert_eq!(all.matches("\n  polyrs ").count(), SUBCOMMANDS.len() + 2);
    }
}
