//! Manual pages, in the language of man(7).

use crate::help::{self, SUBCOMMANDS, Subcommand};
use polyrs::options::{Group, TABLE};
use std::fmt::Write;
use std::path::Path;

/// The page of the command, or of a subcommand.
///
/// # Errors
/// A subcommand that there is not.
pub fn page(subcommand: Option<&str>) -> Result<String, String> {
    let Some(name) = subcommand else { return Ok(command()) };
    let sub = help::find(name).ok_or_else(|| {
        let near = help::nearest(name, help::names());
        format!("there is no subcommand '{name}'{near}")
    })?;
    Ok(of_subcommand(sub))
}

/// Writes all pages into a folder.
///
/// # Errors
/// A file that cannot be written.
pub fn write_all(folder: &Path) -> Result<(), String> {
    let write = |name: String, text: String| {
        let path = folder.join(name);
        std::fs::write(&path, text).map_err(|e| format!("{}: {e}", path.display()))
    };
    std::fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    write("polyrs.1".to_owned(), command())?;
    for sub in SUBCOMMANDS {
        write(format!("polyrs-{}.1", sub.names[0]), of_subcommand(sub))?;
        for other in &sub.names[1..] {
            write(format!("polyrs-{other}.1"), format!(".so man1/polyrs-{}.1\n", sub.names[0]))?;
        }
    }
    Ok(())
}

/// Text that says the same in man's language.
fn plain(text: &str) -> String {
    let text = text.replace('\\', "\\e").replace('-', "\\-").replace('`', "");
    if text.starts_with(['.', '\'']) { format!("\\&{text}") } else { text }
}

fn start(name: &str, short: &str) -> String {
    let title = name.to_uppercase();
    let version = env!("CARGO_PKG_VERSION");
    format!(".TH {} 1 \"\" \"polyrs {version}\"\n.SH NAME\n{} \\- {}\n", plain(&title), plain(name), plain(short))
}

fn command() -> String {
    let mut out = start("polyrs", "a polyhedral loop optimizer for LLVM 22");
    out.push_str(".SH SYNOPSIS\n.B polyrs\nSUBCOMMAND [ARGUMENTS]\n.SH SUBCOMMANDS\n");
    for sub in SUBCOMMANDS {
        let name = format!("polyrs-{}", sub.names[0]);
        let _ = writeln!(out, ".TP\n.B {}\n{}: see {}(1)", plain(&sub.call()), plain(sub.short), plain(&name));
    }
    out.push_str(".SH OPTIONS OF THE PLUGIN\n");
    out.push_str("For clang and flang behind \\-mllvm, in POLYRS_OPTIONS, and as they are for polyrs cc and opt.\n");
    for group in Group::ALL {
        let _ = writeln!(out, ".SS {}", group.title());
        for row in TABLE.iter().filter(|row| row.group == group) {
            let value = if row.is_flag { String::new() } else { format!("=<{}>", row.value) };
            let _ = writeln!(out, ".TP\n.B {}\n{}", plain(&format!("-{}{value}", row.name)), plain(row.help));
        }
    }
    out.push_str(".SH ENVIRONMENT\n");
    let variables = [
        ("POLYRS_OPTIONS", "options of the plugin where a compiler cannot pass them on"),
        ("POLYRS_PLUGIN", "the plugin, if it is not the libpolyrs.so beside polyrs or in ../lib/polyrs"),
        ("POLYRS_CC, POLYRS_CXX, POLYRS_FC, POLYRS_RUSTC", "the compilers that polyrs cc, c++, fc and rustc call"),
        ("POLYRS_LOG", "what each stage decided, in the syntax of Rust's env_logger"),
    ];
    for (name, meaning) in variables {
        let _ = writeln!(out, ".TP\n.B {}\n{}", plain(name), plain(meaning));
    }
    out
}

fn of_subcommand(sub: &Subcommand) -> String {
    let mut out = start(&format!("polyrs-{}", sub.names[0]), sub.short);
    out.push_str(".SH SYNOPSIS\n");
    for synopsis in sub.synopsis {
        let _ = writeln!(out, ".B {}\n{}\n.br", plain(&sub.call()), plain(synopsis));
    }
    let _ = writeln!(out, ".SH DESCRIPTION\n{}", plain(sub.about));
    if !sub.flags.is_empty() {
        out.push_str(".SH OPTIONS\n");
    }
    for f in sub.flags {
        let _ = writeln!(out, ".TP\n.B {}\n{}", plain(format!("{} {}", f.name, f.value).trim_end()), plain(f.help));
    }
    out.push_str(".SH EXAMPLES\n.nf\n");
    for example in sub.examples {
        let _ = writeln!(out, "{}", plain(example));
    }
    out.push_str(".fi\n.SH SEE ALSO\npolyrs(1)\n");
    out
}
