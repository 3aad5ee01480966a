//! What it takes to look before new code runs whether conditions on data hold in all instances.

use crate::cost::{Estimate, Scenario};
use crate::ids::LoopId;
use crate::model::{Guard, Scop, Stmt};

/// Cycles for each instance of such a condition: what it is made of is loaded, in the order in which it lies in memory.
const LOOK: f64 = 2.0;

/// The estimate of new code, with what is looked at before.
pub fn with(scop: &Scop, scenario: &Scenario, made: Estimate) -> Estimate {
    let looks: f64 = scop.guards.iter().map(|guard| instances(scop, guard, scenario)).sum();
    Estimate { cycles: made.cycles + LOOK * looks, ..made }
}

/// How many instances a condition has: as the loops that it depends on have iterations, by a statement that they are
/// around.
fn instances(scop: &Scop, of: &Guard, scenario: &Scenario) -> f64 {
    let loops = of.stmt.body.loops().iter().map(|l| l.id);
    let own: Vec<LoopId> = loops.filter(|lp| of.last_of != Some(*lp)).collect();
    let trips = |(k, stmt): (usize, &Stmt)| {
        let at = |lp: &LoopId| stmt.body.loops().iter().position(|l| l.id == *lp);
        let trips = own.iter().map(|lp| scenario.facts[k].trips.get(at(lp)?).copied());
        trips.product::<Option<f64>>()
    };
    scop.stmts.iter().enumerate().find_map(trips).unwrap_or(0.0)
}
