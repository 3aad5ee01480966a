//! Names of parameters and statements as C takes them: identifiers, and no two of them the same.

/// What stands for something else in C, or in the text around: keywords, and what
/// [`crate::ast::print_source`] defines.
const TAKEN: [&str; 69] = [
    "a_",
    "alignas",
    "alignof",
    "and",
    "asm",
    "auto",
    "b_",
    "bool",
    "break",
    "case",
    "catch",
    "ceild",
    "char",
    "class",
    "const",
    "constexpr",
    "continue",
    "d_",
    "default",
    "delete",
    "do",
    "double",
    "else",
    "enum",
    "explicit",
    "extern",
    "false",
    "float",
    "floord",
    "for",
    "friend",
    "goto",
    "if",
    "inline",
    "int",
    "long",
    "max",
    "min",
    "mod",
    "n_",
    "namespace",
    "new",
    "not",
    "nullptr",
    "operator",
    "or",
    "private",
    "public",
    "r_",
    "register",
    "restrict",
    "return",
    "short",
    "signed",
    "sizeof",
    "static",
    "struct",
    "switch",
    "template",
    "this",
    "throw",
    "true",
    "typedef",
    "union",
    "unsigned",
    "virtual",
    "void",
    "volatile",
    "while",
];

/// The names of parameters in C, and those of statements. Statements of the same name keep one between them.
pub(super) fn c_names(params: &[&str], statements: &[String]) -> (Vec<String>, Vec<String>) {
    let mut used: Vec<String> = Vec::new();
    let mut fresh = |name: &str, counters: bool| {
        let mut own = identifier(name);
        while is_taken(&own) || (counters && is_counter(&own)) || used.contains(&own) {
            own.push('_');
        }
        used.push(own.clone());
        own
    };
    // Counters make way for parameters.
    let params = params.iter().map(|name| fresh(name, false)).collect();
    let mut known: Vec<(&String, String)> = Vec::new();
    for name in statements {
        if !known.iter().any(|(k, _)| *k == name) {
            known.push((name, fresh(name, true)));
        }
    }
    let own =
        |name: &String| known.iter().find(|(k, _)| *k == name).map_or_else(|| name.clone(), |(_, own)| own.clone());
    (params, statements.iter().map(own).collect())
}

/// The name with `_` for what no identifier has.
fn identifier(name: &str) -> String {
    let letters: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    if letters.starts_with(|c: char| c.is_ascii_digit()) { format!("_{letters}") } else { letters }
}

/// Whether a name means something else: a keyword, a statement's number (`Stmt0`).
fn is_taken(name: &str) -> bool {
    TAKEN.binary_search(&name).is_ok() || name.strip_prefix("Stmt").is_some_and(is_number)
}

/// Whether a loop's counter may be called so: `c0`, `c_0`.
fn is_counter(name: &str) -> bool {
    name.strip_prefix('c').is_some_and(|rest| is_number(rest.trim_start_matches('_')))
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_identifiers_and_apart() {
        let owned = |names: &[&str]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
        let (params, statements) =
            c_names(&["n", "m'", "for", "c0", "Stmt1"], &owned(&["S", "A'", "c0", "S", "n", "while", "c1"]));
        assert_eq!(params, owned(&["n", "m_", "for_", "c0", "Stmt1_"]));
        assert_eq!(statements, owned(&["S", "A_", "c0_", "S", "n__", "while_", "c1_"]));
        assert!(TAKEN.is_sorted());
    }
}
