//! What a user says of one function in its source: `__attribute__((annotate("polyrs:tile=32,64;report")))`.
//!
//! In: the texts behind `polyrs:` and the options of the run. Out: the options for each function, and what is wrong
//! with the texts.

use super::{Group, Options, TABLE, Target, edits, split_item};
use std::collections::{BTreeMap, BTreeSet};

/// What an annotation may say besides `NAME=VALUE` of an option for functions.
const WORDS: [&str; 6] = ["off", "on", "parallel", "gpu", "report", "tile"];

/// The options of one function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wish {
    /// The options of the run with those of the function.
    pub options: Options,
    /// Whether what becomes of its loops is to be printed.
    pub report: bool,
}

/// The annotated functions of a module.
#[derive(Clone, Debug, Default)]
pub struct Annotations {
    by_function: BTreeMap<String, Wish>,
}

impl Annotations {
    /// The annotations of functions, with a message for each item that says nothing. Items are separated by `;`; what
    /// is right of an annotation counts, as far as it is possible for the target.
    #[must_use]
    pub fn read(
        texts: &[(String, String)],
        options: &Options,
        possible: impl Fn(Options) -> Options,
    ) -> (Self, Vec<String>) {
        let (mut all, mut problems) = (Self::default(), Vec::new());
        for (function, text) in texts {
            let wish = all.wish_of(function, options);
            let items: Vec<&str> = text.split(';').map(str::trim).filter(|item| !item.is_empty()).collect();
            if items.is_empty() {
                problems
                    .push(format!("annotation of function '{function}': 'polyrs:' says nothing: {}", known_words()));
            }
            for item in items {
                if let Err(problem) = wish.apply(item) {
                    problems.push(format!("annotation of function '{function}': {problem}"));
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
        let nearest = known.min_by_key(|known| edits(name, known)).unwrap_or_default();
        let all = known_words().replacen('t', "T", 1);
        return Err(format!("'polyrs:{item}' says nothing: did you mean '{nearest}'? {all}"));
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

    fn read(text: &str) -> (Wish, Vec<String>) {
        let options = Options { only_func: vec!["g".to_owned()], ..Options::default() };
        let (all, problems) = Annotations::read(&[("f".to_owned(), text.to_owned())], &options, |own| own);
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
        let (all, _) = Annotations::read(&[("f".to_owned(), "parallel".to_owned())], &options, |own| own);
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
}
