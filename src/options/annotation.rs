//! What a user says of one function in its source: `__attribute__((annotate("polyrs:tile=32,64;report")))`.
//!
//! In: the texts behind `polyrs:` and the options of the run. Out: the options for each function, and what is wrong
//! with the texts.

use super::{Group, Options, TABLE, Target, nearest_of, split_item};
use std::collections::{BTreeMap, BTreeSet};

/// What an annotation may say besides `NAME=VALUE` of an option for functions.
const WORDS: [&str; 6] = ["off", "on", "parallel", "gpu", "report", "tile"];

/// Those of them that take each other back.
const SWITCHES: [&str; 2] = ["off", "on"];

/// The options of one function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wish {
    /// The options of the run with those of the function.
    pub options: Options,
    /// Whether what becomes of its loops is to be printed.
    pub report: bool,
}

/// What annotations stand at. Only functions can be told anything.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Place {
    /// A function.
    #[default]
    Function,
    /// A variable of a function.
    LocalVariable,
    /// A variable of the module.
    GlobalVariable,
}

/// Annotations of one function as they stand in its source; or one at a variable.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Said {
    /// What they stand at.
    pub place: Place,
    /// The function's symbol; that of the variable if this is one of the module.
    pub name: String,
    /// What follows `polyrs:`, joined by `;`; the whole text at a variable.
    pub text: Option<String>,
    /// Texts that look as if they were meant to begin so.
    pub odd: Vec<String>,
    /// Where the function is.
    pub file: String,
    /// 0: that is not known.
    pub line: u32,
}

impl Said {
    fn holder(&self, shown: impl Fn(&str) -> String) -> String {
        let name = shown(&self.name);
        match self.place {
            Place::Function => format!("function '{name}'"),
            Place::LocalVariable => format!("a variable in function '{name}'"),
            Place::GlobalVariable => format!("variable '{name}'"),
        }
    }
}

/// The annotated functions of a module.
#[derive(Clone, Debug, Default)]
pub struct Annotations {
    by_function: BTreeMap<String, Wish>,
}

impl Annotations {
    /// The annotations of functions, with a message for each item that says nothing; `shown` is what users call a
    /// function. Items are separated by `;`; what is right of an annotation counts, as far as it is possible for the
    /// target.
    #[must_use]
    pub fn read(
        texts: &[Said],
        options: &Options,
        possible: impl Fn(Options) -> Options,
        shown: impl Fn(&str) -> String,
    ) -> (Self, Vec<String>) {
        let (mut all, mut problems) = (Self::default(), Vec::new());
        for said in texts {
            let at = if said.line == 0 { String::new() } else { format!("{}:{}: ", said.file, said.line) };
            let mut tell = |what: &str| problems.push(format!("{at}annotation of {}: {what}", said.holder(&shown)));
            said.odd.iter().for_each(|text| tell(&odd(text)));
            let Some(text) = &said.text else { continue };
            if said.place != Place::Function {
                tell(&format!("'{text}' says nothing there: annotations of polyrs stand before a function"));
                continue;
            }
            let wish = all.wish_of(&said.name, options);
            let items: Vec<&str> = text.split(';').map(str::trim).filter(|item| !item.is_empty()).collect();
            if items.is_empty() {
                tell(&format!("'polyrs:' says nothing: {}", known_words()));
            }
            if let [.., last] = items.iter().filter(|item| SWITCHES.contains(item)).collect::<Vec<_>>()[..]
                && SWITCHES.iter().all(|switch| items.contains(switch))
            {
                tell(&format!(
                    "'polyrs:{text}' says both off and on: '{last}' counts, the last one; leave one of them"
                ));
            }
            for item in items {
                if let Err(problem) = wish.apply(item) {
                    tell(&problem);
                }
            }
            wish.options = possible(std::mem::take(&mut wish.options));
        }
        (all, problems)
    }

    /// Adds what a script says: items of its functions behind those of the source, and the script itself for functions
    /// of which it gives the order.
    pub fn add_script(&mut self, script: &ScriptWishes, options: &Options, possible: impl Fn(Options) -> Options) {
        for (function, item) in &script.items {
            let wish = self.wish_of(function, options);
            // Whoever read the script has tried each item.
            let _ = wish.apply(item);
            wish.options = possible(std::mem::take(&mut wish.options));
        }
        for function in &script.ordered {
            self.wish_of(function, options).options.transform.clone_from(&script.file);
        }
    }

    fn wish_of(&mut self, function: &str, options: &Options) -> &mut Wish {
        let wish = self.by_function.entry(function.to_owned());
        wish.or_insert_with(|| Wish { options: options.clone(), report: false })
    }

    /// The options for a function, and whether it wants a report. Its name is asked for where there are annotations.
    #[must_use]
    pub fn of<'a>(&'a self, function: impl FnOnce() -> String, options: &'a Options) -> (&'a Options, bool) {
        let wish = if self.by_function.is_empty() { None } else { self.by_function.get(&function()) };
        wish.map_or((options, false), |wish| (&wish.options, wish.report))
    }
}

/// What a script says of functions besides orders.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScriptWishes {
    /// The script.
    pub file: String,
    /// Functions with an item each, as in an annotation.
    pub items: Vec<(String, String)>,
    /// Functions for some region of which the script gives an order.
    pub ordered: BTreeSet<String>,
}

/// Whether an item can stand in an annotation.
///
/// # Errors
/// What is wrong with it.
pub fn check(item: &str) -> Result<(), String> {
    Wish { options: Options::default(), report: false }.apply(item)
}

impl Wish {
    /// Applies one item.
    fn apply(&mut self, item: &str) -> Result<(), String> {
        let (name, value) = split_item(item);
        if name.trim() != name || value.contains(char::is_whitespace) {
            let short: String = item.split_whitespace().collect();
            return Err(format!("'polyrs:{item}': no blanks inside: write 'polyrs:{short}'"));
        }
        let options = &mut self.options;
        match (name, value) {
            ("off", "") => options.enabled = false,
            ("on", "") => {
                options.enabled = true;
                options.only_func.clear();
                options.ignore_func.clear();
            }
            ("report", "") => self.report = true,
            ("parallel", "") => options.parallel = true,
            ("gpu", "") => options.target = Target::Gpu,
            ("tile", sizes) if !sizes.is_empty() => return set(options, "tile-sizes", sizes, item),
            ("tile", _) => return Err("'polyrs:tile' wants sizes, such as 'polyrs:tile=32,64'".to_owned()),
            _ => return set(options, name, value, item),
        }
        Ok(())
    }
}

/// What is wrong with a text that looks like ours and is not.
fn odd(text: &str) -> String {
    let said = text.trim().trim_start_matches(|c: char| c.is_ascii_alphanumeric());
    let said = said.trim_start_matches([':', '-', '_', '=', ' ']).trim().to_ascii_lowercase();
    let item = if check(&said).is_ok() { said.as_str() } else { "off" };
    let blanks = if text.trim() == text { "" } else { ", without blanks around it" };
    format!("'{text}' says nothing: write 'polyrs:{item}'{blanks}; {}", known_words())
}

fn known_words() -> String {
    format!("there are {}, and options by their names", WORDS.join(", "))
}

/// Sets an option that a function may have of its own.
fn set(options: &mut Options, name: &str, value: &str, item: &str) -> Result<(), String> {
    let short = |full: &'static str| full.trim_start_matches("polyrs-");
    let name = name.trim_start_matches("polyrs-");
    let Some(row) = TABLE.iter().find(|row| short(row.name) == name) else {
        if name.contains(',') {
            return Err(format!("'polyrs:{item}': parts are separated by ';', not by ','"));
        }
        let known =
            WORDS.into_iter().chain(TABLE.iter().filter(|row| is_for_functions(row.group)).map(|r| short(r.name)));
        let near = nearest_of(name, known).map_or(String::new(), |known| format!(": did you mean '{known}'?"));
        let all = known_words();
        let all = if near.is_empty() { format!(": {all}") } else { format!(" {}", all.replacen('t', "T", 1)) };
        return Err(format!("'polyrs:{item}' says nothing{near}{all}"));
    };
    if !is_for_functions(row.group) && name != "process-unprofitable" {
        return Err(format!("'-{}' is an option for a whole run, not for a function", row.name));
    }
    row.set(options, value).map_err(|problem| format!("'polyrs:{item}': {problem}"))
}

/// Whether options of this group can differ from function to function.
fn is_for_functions(group: Group) -> bool {
    matches!(group, Group::Transformation | Group::Threads | Group::Assumptions | Group::Budgets)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str) -> Said {
        Said { name: "f".to_owned(), text: Some(text.to_owned()), ..Said::default() }
    }

    fn read(text: &str) -> (Wish, Vec<String>) {
        let options = Options { only_func: vec!["g".to_owned()], ..Options::default() };
        let (all, problems) = Annotations::read(&[said(text)], &options, |own| own, str::to_owned);
        (all.by_function["f"].clone(), problems)
    }

    #[test]
    fn words_and_options_change_the_function_s_own_options() {
        let (wish, problems) = read("tile=32,64;parallel; report");
        assert!(problems.is_empty(), "{problems:?}");
        assert_eq!(wish.options.tile_sizes, [32, 64]);
        assert!(wish.options.parallel && wish.report && !wish.options.only_func.is_empty());
        let (wish, problems) = read("on;gpu;process-unprofitable;polyrs-fusion=none");
        assert!(problems.is_empty(), "{problems:?}");
        assert!(wish.options.only_func.is_empty() && wish.options.process_unprofitable && !wish.report);
        assert_eq!(wish.options.fusion, super::super::FusionStrategy::None);
        assert_eq!(wish.options.target, Target::Gpu);
    }

    #[test]
    fn functions_without_one_have_the_options_of_the_run() {
        let options = Options::default();
        let (all, _) = Annotations::read(&[said("parallel")], &options, |own| own, str::to_owned);
        assert_eq!(all.of(|| "g".to_owned(), &options), (&options, false));
        assert!(all.of(|| "f".to_owned(), &options).0.parallel);
    }

    #[test]
    fn mistakes_are_told_and_the_rest_counts() {
        let cases = [
            ("paralel", "did you mean 'parallel'?"),
            ("tile-size=8", "did you mean 'tile-sizes'?"),
            ("tile", "wants sizes"),
            ("tile=big", "'polyrs:tile=big'"),
            ("print-after=ast", "for a whole run"),
            ("on=1", "says nothing"),
        ];
        let (wish, problems) = read("on;; parallel;");
        assert!(problems.is_empty() && wish.options.parallel, "{problems:?}");
        for (text, message) in [("", "'polyrs:' says nothing: there are off"), ("on,report", "separated by ';'")] {
            let (_, problems) = read(text);
            assert!(problems.len() == 1 && problems[0].contains(message), "{text}: {problems:?}");
        }
        for (text, message) in cases {
            let (wish, problems) = read(&format!("{text};parallel"));
            assert!(problems.len() == 1 && problems[0].contains(message), "{text}: {problems:?}");
            assert!(problems[0].starts_with("annotation of function 'f': "), "{problems:?}");
            assert!(wish.options.parallel);
        }
    }

    #[test]
    fn off_and_on_in_one_annotation_are_told() {
        for (text, last) in [("off;on", "on"), ("on; report;off", "off"), ("off;on;off", "off")] {
            let (wish, problems) = read(text);
            assert_eq!(wish.options.enabled, last == "on");
            assert!(problems.len() == 1, "{text}: {problems:?}");
            assert!(problems[0].contains(&format!("says both off and on: '{last}' counts")), "{problems:?}");
        }
        assert!(read("off;off").1.is_empty());
    }

    #[test]
    fn annotations_of_variables_are_told() {
        for (place, holder) in
            [(Place::LocalVariable, "a variable in function 'f'"), (Place::GlobalVariable, "variable 'f'")]
        {
            let (all, problems) = Annotations::read(
                &[Said { place, ..said("polyrs:off") }],
                &Options::default(),
                |own| own,
                str::to_owned,
            );
            assert!(all.by_function.is_empty());
            let expected = format!(
                "annotation of {holder}: 'polyrs:off' says nothing there: annotations of polyrs stand before a function"
            );
            assert_eq!(problems, [expected]);
        }
    }

    #[test]
    fn what_only_looks_like_an_annotation_is_told_with_the_place() {
        let cases = [
            ("polyrs", "'polyrs' says nothing: write 'polyrs:off'; there are off, on"),
            ("Polyrs:off", "write 'polyrs:off'"),
            ("polyrs-parallel", "write 'polyrs:parallel'"),
            (" polyrs:report", "write 'polyrs:report', without blanks around it"),
        ];
        for (text, message) in cases {
            let said = Said { text: None, odd: vec![text.to_owned()], file: "a.c".to_owned(), line: 7, ..said("") };
            let options = Options::default();
            let (all, problems) = Annotations::read(&[said], &options, |own| own, str::to_uppercase);
            assert!(all.by_function.is_empty());
            assert!(problems.len() == 1 && problems[0].contains(message), "{problems:?}");
            assert!(problems[0].starts_with("a.c:7: annotation of function 'F': "), "{problems:?}");
        }
        let (_, problems) = read("tile = 32, 64");
        assert_eq!(
            problems,
            ["annotation of function 'f': 'polyrs:tile = 32, 64': no blanks inside: write 'polyrs:tile=32,64'"]
        );
    }
}
