//! Stable text of dependences.
//!
//! ```text
//! RAW Stmt1 -> Stmt1 on Arr0: [N, M, K] -> { Stmt1[i, k, j] -> Stmt1[i', k', j'] : .. }
//!   direction (=, <, =), distance (0, 1+, 0)
//! reduction WAW Stmt2 -> Stmt2 on Arr1: ..
//! ```

use super::{Dep, DepKind, Dependences, vectors};
use crate::error::Failure;
use crate::model::Scop;
use presburger::Budget;
use std::fmt::{self, Write};

impl fmt::Display for DepKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            DepKind::Raw => "RAW",
            DepKind::War => "WAR",
            DepKind::Waw => "WAW",
            DepKind::Rar => "RAR",
        })
    }
}

impl fmt::Display for Dep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} -> {} on {}: {}", self.kind, self.src, self.dst, self.array, self.relation)
    }
}

impl fmt::Display for Dependences {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.validity.iter().chain(&self.reuse).try_for_each(|dep| writeln!(f, "{dep}"))?;
        self.reductions.iter().try_for_each(|dep| writeln!(f, "reduction {dep}"))
    }
}

/// Each dependence on a line, its vectors indented below; "no dependences" if there are none.
///
/// # Errors
/// `Limit` when the budget is spent.
pub fn report(scop: &Scop, deps: &Dependences, budget: &Budget) -> Result<String, Failure> {
    let mut text = String::new();
    let plain = deps.validity.iter().chain(&deps.reuse).map(|dep| ("", dep));
    for (label, dep) in plain.chain(deps.reductions.iter().map(|dep| ("reduction ", dep))) {
        let _ = writeln!(text, "{label}{dep}");
        for vector in vectors::vectors(scop, dep, budget)? {
            let _ = writeln!(text, "  {vector}");
        }
    }
    if text.is_empty() {
        text.push_str("no dependences\n");
    }
    Ok(text)
}
