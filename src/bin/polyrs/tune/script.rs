//! Transformation scripts as the tuner makes them: options of a function, orders of its regions.

use std::collections::BTreeMap;
use std::fmt;

/// Options that the search sets.
const NAMES: [&str; 9] = [
    "off",
    "process-unprofitable",
    "pattern-matching-based-opts",
    "tiling",
    "2nd-level-tiling",
    "fusion",
    "tile-sizes",
    "parallel",
    "num-threads",
];

/// What is done with one function.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wish {
    /// Options by name; the value is empty for those without.
    pub options: BTreeMap<&'static str, String>,
    /// Statements for a region, by its number.
    pub orders: BTreeMap<usize, Vec<String>>,
}

impl Wish {
    /// With one more option.
    pub fn with(&self, name: &'static str, value: impl ToString) -> Self {
        let mut wish = self.clone();
        wish.options.insert(name, value.to_string());
        wish
    }

    /// With statements for one region, behind those that it has.
    pub fn then(&self, region: usize, statements: &[String]) -> Self {
        let mut wish = self.clone();
        wish.orders.entry(region).or_default().extend_from_slice(statements);
        wish
    }

    /// In a few words.
    pub fn words(&self) -> String {
        let option = |(name, value): (&&str, &String)| {
            if value.is_empty() { (*name).to_owned() } else { format!("{name}={value}") }
        };
        let orders = self.orders.values().flatten().cloned();
        let all: Vec<String> = self.options.iter().map(option).chain(orders).collect();
        if all.is_empty() { "as it is".to_owned() } else { all.join("; ") }
    }
}

/// A script.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Script(BTreeMap<String, Wish>);

impl Script {
    /// Reads a script that this program wrote; `None` for another's, which may say more.
    pub fn read(text: &str) -> Option<Self> {
        let (mut script, mut at) = (Self::default(), None::<(String, Option<usize>)>);
        for line in text.lines().filter(|line| !line.starts_with('#') && !line.is_empty()) {
            if let Some(region) = line.strip_prefix("region ") {
                at = Some(match region.rsplit_once(':') {
                    Some((function, number)) => (function.to_owned(), Some(number.parse().ok()?)),
                    None => (region.to_owned(), None),
                });
                continue;
            }
            let (function, number) = at.as_ref()?;
            let wish = script.0.entry(function.clone()).or_default();
            match (line.strip_prefix("option "), number) {
                (Some(option), None) => {
                    let (name, value) = option.split_once('=').unwrap_or((option, ""));
                    let name = NAMES.into_iter().find(|known| *known == name)?;
                    wish.options.insert(name, value.to_owned());
                }
                (None, Some(number)) => wish.orders.entry(*number).or_default().push(line.to_owned()),
                _ => return None,
            }
        }
        (script.to_string()
            == text.lines().filter(|l| !l.starts_with('#')).map(|l| format!("{l}\n")).collect::<String>())
        .then_some(script)
    }

    /// What it says of a function.
    pub fn of(&self, function: &str) -> Wish {
        self.0.get(function).cloned().unwrap_or_default()
    }

    /// With something else said of a function.
    pub fn with(&self, function: &str, wish: Wish) -> Self {
        let mut script = self.clone();
        script.0.insert(function.to_owned(), wish);
        script
    }

    /// Whether it says nothing.
    pub fn is_empty(&self) -> bool {
        self.0.values().all(|wish| *wish == Wish::default())
    }
}

impl fmt::Display for Script {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (function, wish) in &self.0 {
            if !wish.options.is_empty() {
                writeln!(f, "region {function}")?;
            }
            for (name, value) in &wish.options {
                writeln!(f, "option {name}{}{value}", if value.is_empty() { "" } else { "=" })?;
            }
            for (region, statements) in &wish.orders {
                writeln!(f, "region {function}:{region}\n{}", statements.join("\n"))?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_is_written_as_the_plugin_reads_it() {
        let wish = Wish::default().with("tile-sizes", "32,64").with("parallel", "");
        let script = Script::default().with("f", wish.then(1, &["interchange i j".to_owned()]));
        let text = "region f\noption parallel\noption tile-sizes=32,64\nregion f:1\ninterchange i j\n";
        assert_eq!(script.to_string(), text);
        assert_eq!(script.of("f").words(), "parallel; tile-sizes=32,64; interchange i j");
        assert_eq!(Script::read(&format!("# x\n{text}")), Some(script.clone()));
        assert_eq!(Script::read("# x\n"), Some(Script::default()));
        for other in ["region f:0\noption tiling", "region f\noption x", "tile i 4", "region f:0\n\ntile i 4\n"] {
            assert_eq!(Script::read(other), None, "{other}");
        }
        assert!(Script::default().with("f", Wish::default()).is_empty() && !script.is_empty());
    }
}
