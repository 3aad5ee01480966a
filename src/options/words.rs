//! Words of a text: separated by blanks, which quotes keep together.

/// The words of a text like `POLYRS_OPTIONS`. Quotes, single or double, hold their contents together and are dropped;
/// one that is not closed reaches to the end. Backslashes mean themselves: regular expressions have them.
#[must_use]
pub fn words(text: &str) -> Vec<String> {
    split(text, false)
}

/// The same as GNU programs read response files: what is behind a backslash means itself, but in single quotes, where
/// the backslash does.
#[must_use]
pub fn gnu_words(text: &str) -> Vec<String> {
    split(text, true)
}

fn split(text: &str, has_escapes: bool) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match (c, quote) {
            ('\\', None | Some('"')) if has_escapes => word.get_or_insert_default().extend(chars.next()),
            (c, Some(q)) if c == q => quote = None,
            ('\'' | '"', None) => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (c, None) if c.is_whitespace() => words.extend(word.take()),
            (c, _) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

/// A word as [`words`] and shells read it back; unchanged where that needs no quotes.
#[must_use]
pub fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-+=.,/:@%^".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\"'\"'"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_hold_words_together() {
        let text = r#" -a='b c'  "-d e"  -f=\.x$ '' "#;
        assert_eq!(words(text), ["-a=b c", "-d e", r"-f=\.x$", ""]);
        assert_eq!(words("'open end"), ["open end"]);
    }

    #[test]
    fn gnu_programs_know_escapes() {
        let words = gnu_words("-DA=\"b c\" '-D q=\\n'\n  a\\ b.c \"x\\\"y\" ''\t-c");
        assert_eq!(words, ["-DA=b c", "-D q=\\n", "a b.c", "x\"y", "", "-c"]);
    }

    #[test]
    fn quoted_words_are_read_back() {
        for word in ["-polyrs-tile-sizes=8,16", "a b", "it's", "say \"no\"", r"\d+|$x", "", "a\tb"] {
            assert_eq!(words(&quoted(word)), [word]);
        }
        assert_eq!(quoted("lib/a.polyrs"), "lib/a.polyrs");
    }
}
