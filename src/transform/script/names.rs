//! What scripts call loops and statements: as the source does, or by their places.

use super::parse::{ScriptError, Word, meant};
use crate::ids::StmtId;
use crate::model::Scop;
use crate::model::tree::expr::dim_names;
use presburger::Aff;
use std::collections::{BTreeMap, BTreeSet};

/// Names of loops that are called by their depth.
const LETTERS: [&str; 6] = ["i", "j", "k", "l", "m", "n"];
/// What the names of loops over tiles end in.
pub const TILE: &str = "_tile";

/// The value of each loop for each of its statements, by statement and name.
pub type Loops = BTreeMap<(StmtId, String), Aff>;

/// What the source calls the loops around a statement, from the outermost inwards, and where the statement is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InSource {
    /// Empty where nothing is known.
    pub loops: Vec<String>,
    /// 0 where nothing is known.
    pub line: u32,
}

/// Names of loops, each in the model, in the source where that is known, and by its depth.
pub struct Names<'s> {
    /// In the model: of each statement, from the outermost inwards.
    dims: BTreeMap<StmtId, Vec<String>>,
    source: &'s BTreeMap<StmtId, InSource>,
}

/// A name without what it has as a loop over tiles, and that.
fn parts(name: &str) -> (&str, &str) {
    name.split_at(name.trim_end_matches(TILE).len())
}

impl<'s> Names<'s> {
    /// The names in a region.
    #[must_use]
    pub fn of(scop: &Scop, source: &'s BTreeMap<StmtId, InSource>) -> Self {
        let dims = scop.stmts.iter().map(|s| (s.id, dim_names(s.domain.space()))).collect();
        Self { dims, source }
    }

    /// Whether a user's word may mean a loop of the table: by its name there, by that in the source, or by a letter for
    /// its depth where no loop of the source is called so.
    #[must_use]
    pub fn is_called(&self, (id, own): &(StmtId, String), word: &str, loops: &Loops) -> bool {
        if loops.keys().any(|(_, known)| known == word) {
            return own == word;
        }
        let ((base, rest), (own, own_rest)) = (parts(word), parts(own));
        let Some(depth) = self.depth(*id, own).filter(|_| rest == own_rest) else { return false };
        match self.source.values().any(|s| s.loops.iter().any(|name| name == base)) {
            true => self.in_source(*id, depth) == Some(base),
            false => LETTERS.get(depth) == Some(&base),
        }
    }

    fn depth(&self, id: StmtId, own: &str) -> Option<usize> {
        self.dims.get(&id)?.iter().position(|dim| dim == own)
    }

    fn in_source(&self, id: StmtId, depth: usize) -> Option<&str> {
        let name = self.source.get(&id)?.loops.get(depth)?;
        (!name.is_empty()).then_some(name.as_str())
    }

    /// What a user calls a loop of the table.
    #[must_use]
    pub fn short(&self, (id, own): &(StmtId, String), loops: &Loops) -> String {
        let (base, rest) = parts(own);
        let depth = self.depth(*id, base);
        let letter = || LETTERS.get(depth?).copied();
        let means = |name: &&str| self.is_called(&(*id, own.clone()), &format!("{name}{rest}"), loops);
        let found = depth.and_then(|depth| self.in_source(*id, depth)).or_else(letter).filter(means);
        found.map_or_else(|| own.clone(), |name| format!("{name}{rest}"))
    }

    /// The loops as a user calls them, from the outermost inwards; of which statement, where there are several.
    #[must_use]
    pub fn all(&self, loops: &Loops) -> String {
        let statements: BTreeSet<StmtId> = loops.keys().map(|(id, _)| *id).collect();
        let of = |id: &StmtId| {
            let own = loops.keys().filter(|(of, _)| of == id).map(|key| self.short(key, loops));
            own.collect::<Vec<_>>().join(", ")
        };
        let placed = |id: &StmtId| match self.source.get(id).map_or(0, |s| s.line) {
            0 => id.to_string(),
            line => format!("{id} in line {line}"),
        };
        match statements.len() {
            1 => statements.iter().map(of).collect(),
            _ => statements.iter().map(|id| format!("{} of {}", of(id), placed(id))).collect::<Vec<_>>().join("; "),
        }
    }

    /// Nothing is called so.
    #[must_use]
    pub fn unknown(&self, word: &Word, loops: &Loops) -> ScriptError {
        let mut known: BTreeSet<String> = BTreeSet::new();
        for (id, name) in loops.keys() {
            known.extend([id.to_string(), name.clone(), format!("{id}.{name}")]);
        }
        // Names of the source are meant before those of the model.
        known.extend(loops.keys().map(|key| self.short(key, loops)));
        let near = meant(&word.text, known.iter().map(String::as_str));
        word.at.error(format!("there is no loop `{}`{near} (loops: {})", word.text, self.all(loops)))
    }

    /// A word means several loops.
    #[must_use]
    pub fn several(&self, word: &Word, name: &str, [a, b]: [&(StmtId, String); 2]) -> ScriptError {
        word.at.error(if a.0 == b.0 {
            format!("`{name}` is the name of two loops: say {} or {}", a.1, b.1)
        } else {
            let (a, b) = (a.0, b.0);
            format!("`{name}` is a loop of {a} and another one of {b}: say {a}.{name} or {b}.{name}")
        })
    }
}
