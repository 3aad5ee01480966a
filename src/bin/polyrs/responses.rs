//! Response files: arguments that stand in a file, which a word `@FILE` of the command line names.
//!
//! clang and flang read them as GNU programs do (blanks separate, quotes and backslashes keep together, files name
//! other files), rustc one argument a line.

use super::wrap::Compiler;
use polyrs::options;
use std::ffi::OsString;

/// Files within files at most; what is deeper stays a name.
const MAX_DEPTH: usize = 20;

/// The arguments with those of response files in the place of these.
#[must_use]
pub fn read(compiler: Compiler, args: &[OsString]) -> Vec<OsString> {
    args.iter().flat_map(|arg| opened(compiler, arg, &|_| true, 0)).collect()
}

/// The arguments with those response files opened that hold one of ours, which no compiler knows. The others stay:
/// they may be longer than a command line can be.
#[must_use]
pub fn with_ours_opened(compiler: Compiler, args: &[OsString]) -> Vec<OsString> {
    let holds_ours = |words: &[OsString]| {
        let is_ours = |word: &OsString| word.to_str().is_some_and(|w| w.starts_with("-polyrs"));
        read(compiler, words).iter().any(is_ours)
    };
    args.iter().flat_map(|arg| opened(compiler, arg, &holds_ours, 0)).collect()
}

/// What a word stands for: itself, or the words of the file that it names, if these are wanted.
fn opened(compiler: Compiler, arg: &OsString, is_wanted: &dyn Fn(&[OsString]) -> bool, depth: usize) -> Vec<OsString> {
    let file = arg.to_str().and_then(|word| word.strip_prefix('@')).filter(|_| depth < MAX_DEPTH);
    let Some(text) = file.and_then(|file| std::fs::read_to_string(file).ok()) else { return vec![arg.clone()] };
    let words: Vec<OsString> = match compiler {
        Compiler::Rust => text.lines().map(Into::into).collect(),
        Compiler::C | Compiler::Cxx | Compiler::Fortran => {
            options::gnu_words(&text).into_iter().map(Into::into).collect()
        }
    };
    if !is_wanted(&words) {
        return vec![arg.clone()];
    }
    words.iter().flat_map(|word| opened(compiler, word, is_wanted, depth + 1)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::{Path, PathBuf};

    fn strings(words: &[OsString]) -> Vec<&str> {
        words.iter().map(|w| w.to_str().unwrap()).collect()
    }

    /// A file with a text, and its name on a command line.
    fn file(name: &str, text: &str) -> (PathBuf, OsString) {
        let path = std::env::temp_dir().join(format!("polyrs-responses-{}-{name}", std::process::id()));
        std::fs::write(&path, text).unwrap();
        let word = format!("@{}", path.display()).into();
        (path, word)
    }

    fn remove(path: &Path) {
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn files_are_read_and_opened_where_they_hold_ours() {
        let (inner, named) = file("inner", "-polyrs-parallel");
        let (outer, word) = file("outer", &format!("-O3 {}", named.to_str().unwrap()));
        let (plain, other) = file("plain", "-c a.c");
        let args = [word, other.clone(), "@no-such-file".into()];
        let all = read(Compiler::C, &args);
        assert_eq!(strings(&all), ["-O3", "-polyrs-parallel", "-c", "a.c", "@no-such-file"]);
        let passed = with_ours_opened(Compiler::C, &args);
        assert_eq!(strings(&passed), ["-O3", "-polyrs-parallel", other.to_str().unwrap(), "@no-such-file"]);
        [inner, outer, plain].iter().for_each(|path| remove(path));
    }

    #[test]
    fn rustc_has_one_word_a_line() {
        let (path, word) = file("rust", "--cfg\nfeature=\"a b\"\n-O");
        let all = read(Compiler::Rust, &[word]);
        assert_eq!(strings(&all), ["--cfg", "feature=\"a b\"", "-O"]);
        remove(&path);
    }

    #[test]
    fn a_file_that_names_itself_ends() {
        let (path, word) = file("endless", "");
        std::fs::write(&path, word.to_str().unwrap()).unwrap();
        assert_eq!(read(Compiler::C, std::slice::from_ref(&word)), [word]);
        remove(&path);
    }
}
