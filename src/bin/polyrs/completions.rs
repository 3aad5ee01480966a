//! Completions for shells: subcommands, their options, the plugin's options and values.

use crate::help::{self, SUBCOMMANDS, Subcommand, Takes};
use polyrs::options::{Row, TABLE};
use std::fmt::Write;

/// What a shell needs to complete our command lines.
///
/// # Errors
/// A shell that we know nothing of.
pub fn of(shell: &str) -> Result<String, String> {
    match shell {
        "bash" => Ok(bash()),
        "zsh" => Ok(zsh()),
        "fish" => Ok(fish()),
        other => {
            let near = help::nearest(other, help::SHELLS);
            Err(format!("no completions for '{other}', only for {}{near}", help::SHELLS.join(", ")))
        }
    }
}

/// What stands in a description of values that are not words themselves: `[kernel.]block=n,...`.
const NO_WORD: [char; 4] = ['[', '=', ',', '.'];

/// The words that an option's value can be, if these are few.
fn choices(row: &Row) -> Vec<&'static str> {
    match row.value {
        "" if row.is_flag => vec!["true", "false"],
        value if value.contains('|') && !value.contains(NO_WORD) => value.split('|').collect(),
        _ => Vec::new(),
    }
}

/// An option of the plugin as it is written, once for each value that it can have.
fn written(row: &Row) -> Vec<String> {
    let name = format!("-{}", row.name);
    match choices(row)[..] {
        [] => vec![format!("{name}=")],
        ["true", "false"] => vec![name.clone(), format!("{name}=false")],
        ref values => values.iter().map(|v| format!("{name}={v}")).collect(),
    }
}

fn plugin_options() -> Vec<String> {
    TABLE.iter().flat_map(written).collect()
}

/// Names of links to the command that are a compiler each.
fn links() -> Vec<String> {
    let compilers = SUBCOMMANDS.iter().filter(|sub| sub.takes == Takes::Anything).flat_map(|sub| sub.names);
    compilers.map(|name| format!("polyrs-{name}")).collect()
}

fn words_of(sub: &Subcommand) -> Vec<&'static str> {
    let flags = sub.flags.iter().map(|f| f.name);
    let words = if let Takes::OneOf(words) = sub.takes { words } else { &[] };
    flags.chain(words.iter().copied()).chain(["--help"]).collect()
}

fn bash() -> String {
    let mut cases = String::new();
    for sub in SUBCOMMANDS {
        let files = matches!(sub.takes, Takes::File | Takes::Anything);
        let options = if sub.takes_options { " $options" } else { "" };
        let _ = writeln!(
            cases,
            "        {}) words=\"{}{options}\" files={} ;;",
            sub.names.join("|"),
            words_of(sub).join(" "),
            u8::from(files)
        );
    }
    format!(
        "# polyrs: completions for bash; made by polyrs completions bash\n\
         _polyrs() {{\n    \
             local current=${{COMP_LINE:0:COMP_POINT}} words files=0\n    \
             current=${{current##*[[:space:]]}}\n    \
             local command=${{COMP_WORDS[0]##*/}} subcommand=${{COMP_WORDS[1]}} first=1\n    \
             # A link is a compiler.\n    \
             [[ $command == polyrs-* ]] && subcommand=${{command#polyrs-}} first=0\n    \
             local options=\"{}\"\n    \
             case $subcommand in\n{cases}        \
                 help) words=\"{names}\" ;;\n        \
                 *) words=\"{names} help --help --version\" ;;\n    \
             esac\n    \
             [ \"$COMP_CWORD\" = $first ] && words=\"{names} help --help --version\" files=0\n    \
             mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n    \
             if [ \"$files\" = 1 ] && [[ $current != -* ]]; then\n        \
                 mapfile -t -O \"${{#COMPREPLY[@]}}\" COMPREPLY < <(compgen -f -- \"$current\")\n    \
             fi\n    \
             [[ ${{COMPREPLY[0]}} == *= ]] && compopt -o nospace\n    \
             # Bash takes what is behind a = for a word of its own.\n    \
             [[ $current == *=* ]] && COMPREPLY=(\"${{COMPREPLY[@]#\"${{current%=*}}=\"}}\")\n    \
             return 0\n\
         }}\n\
         complete -o filenames -F _polyrs polyrs {links}\n",
        plugin_options().join(" "),
        names = help::names().collect::<Vec<_>>().join(" "),
        links = links().join(" "),
    )
}

/// Text in single quotes, as zsh and fish read them in a description.
fn quoted(text: &str) -> String {
    text.replace('\\', "\\\\").replace('\'', "'\\''")
}

/// A specification of zsh's `_arguments` must not contain its own separators.
fn described(text: &str) -> String {
    quoted(text).replace(':', "\\:").replace('[', "\\[").replace(']', "\\]")
}

fn zsh() -> String {
    let made = "# polyrs: completions for zsh; made by polyrs completions zsh";
    let mut out = format!("#compdef polyrs {}\n{made}\n\n", links().join(" "));
    out.push_str("_polyrs() {\n    local -a options subcommands\n    options=(\n");
    for row in TABLE {
        let values = choices(row);
        let value = match (&values[..], row.is_flag) {
            (_, true) => format!("=-::{}:(true false)", row.name),
            ([], _) => format!("=-:{}:", described(row.value)),
            (values, _) => format!("=-:{}:({})", row.name, values.join(" ")),
        };
        let (name, rest) = (row.name, described(row.help));
        let value = value.trim_start_matches("=-");
        let _ = writeln!(out, "        '-{name}=-[{rest}]{value}'");
    }
    out.push_str("    )\n    subcommands=(\n");
    for sub in SUBCOMMANDS {
        for name in sub.names {
            let _ = writeln!(out, "        '{name}:{}'", described(sub.short));
        }
    }
    out.push_str("        'help:more of a subcommand'\n    )\n");
    out.push_str("    local command=${words[1]:t} subcommand=$words[2]\n    if [[ $command == polyrs-* ]]; then\n");
    out.push_str("        # A link is a compiler.\n        subcommand=${command#polyrs-}\n");
    out.push_str("    elif (( CURRENT == 2 )); then\n        _describe subcommand subcommands\n        return\n");
    out.push_str("    else\n        shift words\n        (( CURRENT-- ))\n    fi\n    case $subcommand in\n");
    for sub in SUBCOMMANDS {
        let _ = write!(out, "        {}) _arguments", sub.names.join("|"));
        for f in sub.flags {
            let value = if f.value.is_empty() { String::new() } else { format!(":{}:_files", f.value) };
            let _ = write!(out, " '{}[{}]{value}'", f.name, described(f.help));
        }
        out.push_str(if sub.takes_options { " $options" } else { "" });
        match sub.takes {
            Takes::OneOf(words) => {
                let _ = write!(out, " '1:word:({})'", words.join(" "));
            }
            Takes::File | Takes::Anything => out.push_str(" '*:file:_files'"),
            Takes::Nothing => {}
        }
        out.push_str(" ;;\n");
    }
    out.push_str("        help) _describe subcommand subcommands ;;\n    esac\n}\n\n_polyrs \"$@\"\n");
    out
}

fn fish() -> String {
    let mut out = "# polyrs: completions for fish; made by polyrs completions fish\n".to_owned();
    let names: Vec<&str> = help::names().collect();
    let none = format!("not __fish_seen_subcommand_from {} help", names.join(" "));
    for sub in SUBCOMMANDS {
        for name in sub.names {
            let _ = writeln!(out, "complete -c polyrs -f -n '{none}' -a '{name}' -d '{}'", quoted(sub.short));
        }
    }
    let _ = writeln!(out, "complete -c polyrs -f -n '__fish_seen_subcommand_from help' -a '{}'", names.join(" "));
    for sub in SUBCOMMANDS {
        let seen = format!("complete -c polyrs -n '__fish_seen_subcommand_from {}'", sub.names.join(" "));
        for f in sub.flags {
            let (kind, name) = f.name.strip_prefix("--").map_or(("-o", &f.name[1..]), |long| ("-l", long));
            let value = if f.value.is_empty() { "" } else { " -r" };
            let _ = writeln!(out, "{seen} {kind} {name}{value} -d '{}'", quoted(f.help));
        }
        if let Takes::OneOf(words) = sub.takes {
            let _ = writeln!(out, "{seen} -f -a '{}'", words.join(" "));
        }
        if sub.takes_options {
            fish_options(&mut out, &seen);
        }
    }
    // Behind the = of an option with few values are no files.
    let known: Vec<&str> = TABLE.iter().filter(|row| !choices(row).is_empty()).map(|row| row.name).collect();
    let is_known = format!("string match -qr -- \"^-({})=\" (commandline -ct)", known.join("|"));
    let _ = writeln!(out, "complete -c polyrs -f -n '{is_known}'");
    for link in links() {
        let of_link = format!("complete -c {link}");
        fish_options(&mut out, &of_link);
        let _ = writeln!(out, "{of_link} -f -n '{is_known}'");
    }
    out
}

/// The plugin's options, where a command takes them.
fn fish_options(out: &mut String, command: &str) {
    for row in TABLE {
        let help = quoted(row.help);
        for word in written(row) {
            let _ = writeln!(out, "{command} -a '{word}' -d '{help}'");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_option_and_subcommand_is_in_every_shell() {
        for shell in help::SHELLS {
            let text = of(shell).unwrap();
            for row in TABLE {
                assert!(text.contains(&format!("-{}", row.name)), "{shell}: {}", row.name);
            }
            assert!(links().iter().all(|link| text.contains(link.as_str())), "{shell}");
            for name in help::names() {
                assert!(text.contains(name), "{shell}: {name}");
            }
        }
        assert!(TABLE.iter().flat_map(written).all(|word| !word.contains(['[', '.'])));
        assert!(of("fihs").unwrap_err().contains("did you mean fish?"));
    }
}
