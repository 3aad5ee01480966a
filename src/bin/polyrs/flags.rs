//! Flags of compilers whose value may be a word of its own (`-I inc`, `--edition 2021`).

/// Such flags of clang and flang.
const OF_CLANG: [&str; 58] = [
    "-A",
    "-B",
    "-D",
    "-F",
    "-G",
    "-I",
    "-J",
    "-L",
    "-MF",
    "-MJ",
    "-MQ",
    "-MT",
    "-T",
    "-U",
    "-Xanalyzer",
    "-Xassembler",
    "-Xclang",
    "-Xflang",
    "-Xlinker",
    "-Xopenmp-target",
    "-Xpreprocessor",
    "-arch",
    "-c-isystem",
    "-cxx-isystem",
    "-dependency-file",
    "-e",
    "-framework",
    "-idirafter",
    "-iframework",
    "-imacros",
    "-include",
    "-include-pch",
    "-iprefix",
    "-iquote",
    "-isysroot",
    "-isystem",
    "-isystem-after",
    "-ivfsoverlay",
    "-iwithprefix",
    "-iwithprefixbefore",
    "-iwithsysroot",
    "-l",
    "-mllvm",
    "-mmlir",
    "-module-dir",
    "-o",
    "-rpath",
    "-serialize-diagnostics",
    "-target",
    "-u",
    "-working-directory",
    "-x",
    "-z",
    "--include-directory",
    "--param",
    "--sysroot",
    "--define-macro",
    "--undefine-macro",
];
/// Long flags of clang and flang whose value stands behind a `=` alone.
const JOINED_OF_CLANG: [&str; 4] = ["--gcc-install-dir", "--gcc-toolchain", "--std", "--target"];
/// Such flags of rustc.
const OF_RUSTC: [&str; 33] = [
    "-A",
    "-C",
    "-D",
    "-F",
    "-L",
    "-W",
    "-Z",
    "-l",
    "-o",
    "--allow",
    "--cap-lints",
    "--cfg",
    "--check-cfg",
    "--codegen",
    "--color",
    "--crate-name",
    "--crate-type",
    "--deny",
    "--diagnostic-width",
    "--edition",
    "--emit",
    "--env-set",
    "--error-format",
    "--explain",
    "--extern",
    "--forbid",
    "--force-warn",
    "--out-dir",
    "--print",
    "--remap-path-prefix",
    "--sysroot",
    "--target",
    "--warn",
];

/// Whether the next word is a flag's value.
pub fn takes_next(flag: &str, is_rust: bool) -> bool {
    if is_rust { OF_RUSTC.contains(&flag) } else { OF_CLANG.contains(&flag) }
}

/// Whether a word that begins with two dashes is a flag of the compiler, with its value or without.
pub fn is_long(word: &str, is_rust: bool) -> bool {
    let name = word.split('=').next().unwrap_or_default();
    takes_next(name, is_rust) || (!is_rust && name != word && JOINED_OF_CLANG.contains(&name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flag_takes_the_next_word_by_its_language() {
        assert!(takes_next("-I", false) && takes_next("-Xclang", false) && !takes_next("-Iinc", false));
        assert!(takes_next("-C", true) && !takes_next("-C", false) && !takes_next("-O", true));
        assert!(is_long("--edition=2021", true) && is_long("--edition", true) && !is_long("--edition", false));
        assert!(is_long("--target=x", false) && !is_long("--target", false) && !is_long("--bild", false));
    }
}
