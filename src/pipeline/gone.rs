//! Loops of the source that are none to the stages.

use crate::bridge::module::{Function, Outermost};
use crate::error::{Reject, RejectKind, SourceLoc};
use crate::facts::{FunctionFacts, Loop};
use crate::ids::LoopId;
use crate::outcome::{Ledger, Outcome};
use crate::remedies::NO_MEMORY;
use crate::scop::Candidate;

/// What became no loop of the clone.
pub struct Gone {
    /// Outermost loops of which simplification left nothing.
    pub lost: Vec<Outermost>,
    /// Cycles of several entries.
    pub cycles: Vec<Outermost>,
}

impl Gone {
    /// Ends them. A loop of which simplification left another version, one for sizes that do not change, is there.
    pub fn tell(&self, ledger: &mut Ledger, loops: &[Loop]) {
        for lost in &self.lost {
            let is_there = |lp: &Loop| lost.loc.line != 0 && lp.loc == lost.loc;
            if !loops.iter().any(is_there) {
                let _ = ledger.add(lost.loc.clone(), rejected(RejectKind::Removed, ""));
            }
        }
        for cycle in &self.cycles {
            let why = rejected(RejectKind::UnstructuredControlFlow, "a loop of several entries");
            let _ = ledger.add(cycle.loc.clone(), why);
        }
    }
}

/// A region turned down without a stage.
fn rejected(kind: RejectKind, detail: &str) -> Outcome {
    Outcome::Rejected(Reject::new(kind, detail, SourceLoc::default()))
}

/// Ends the loops of a function in which none accesses memory.
pub fn tell_of_quiet(ledger: &mut Ledger, function: Function<'_>) {
    for found in function.outermost() {
        let why = match found.call {
            Some(_) => rejected(RejectKind::Call, ""),
            None => rejected(RejectKind::NoEffect, NO_MEMORY),
        };
        let region = ledger.add(found.call.unwrap_or(found.loc), why);
        ledger.findings(region).named.extend(Some(found.called).filter(|name| !name.is_empty()));
    }
}

/// Whether a refusal is of the version of a nest for sizes and pointers that change, where another one is modelled as a
/// whole, and tested for: what becomes of that one is what is told of the nest.
pub fn is_other_version(reject: &Reject, facts: &FunctionFacts, modelled: &[Candidate]) -> bool {
    use RejectKind as K;
    let is_of_values =
        matches!(reject.kind, K::NonAffineBound | K::NonAffineAccess | K::VariantBase | K::NonAffineCondition);
    let Some(nest) = reject.nest.as_deref().filter(|nest| is_of_values && nest.line != 0) else { return false };
    let is_whole = |lp: &LoopId| facts.lp(*lp).parent.is_none() && facts.lp(*lp).loc == *nest;
    modelled.iter().any(|candidate| candidate.loops.iter().any(is_whole))
}
