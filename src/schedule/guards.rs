//! What it takes to look before new code runs whether conditions on data hold in all instances.

use crate::cost::{Estimate, Scenario};
use crate::model::{Scop, Stmt};

/// Cycles for each instance of such a condition: what it is made of is loaded, in the order in which it lies in memory.
const LOOK: f64 = 2.0;

/// The estimate of new code, with what is looked at before.
pub fn with(scop: &Scop, scenario: &Scenario, made: Estimate) -> Estimate {
    let looks: f64 = scop.guards.iter().map(|guard| instances(scop, &guard.stmt, scenario)).sum();
    Estimate { cycles: made.cycles + LOOK * looks, ..made }
}

/// How many instances a condition has: as the loops around it have iterations, by a statement that they are around.
fn instances(scop: &Scop, of: &Stmt, scenario: &Scenario) -> f64 {
    let loops = |stmt: &Stmt| stmt.body.loops().iter().map(|l| l.id).collect::<Vec<_>>();
    let own = loops(of);
    let around = scop.stmts.iter().position(|s| loops(s).starts_with(&own));
    around.map_or(0.0, |k| scenario.facts[k].trips.iter().take(own.len()).product())
}
