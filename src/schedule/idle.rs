//! Loops that would run around nothing.
//!
//! In: an order. Out: what is asked of parameters so that loops that went around others have something to do: with `k`
//! innermost, `for (i..m) for (j..m)` would run `m * m` times for nothing where there is no `k`.

use crate::cost::lengths::lengths;
use crate::cost::refs::parameters;
use crate::cost::{ASSUMED_PARAMETER, sizes};
use crate::error::Failure;
use crate::ids::StmtId;
use crate::model::Scop;
use crate::model::tree::Node;
use presburger::Aff;
use std::collections::BTreeMap;

/// Asks of parameters that loops run which one of them alone is the length of, where others went around them that were
/// inside; not of those that have to be larger than windows for that.
///
/// # Errors
/// `Limit` when a coefficient does not fit.
pub fn ask(scop: &Scop, tree: &Node, least: &mut Vec<i64>) -> Result<(), Failure> {
    let mut order = BTreeMap::new();
    collect(tree, &mut order);
    let values = parameters(scop, ASSUMED_PARAMETER)?;
    for (id, dims) in &order {
        let trips = lengths(&scop.stmts[id.index()].domain, &values, super::STAGE)?;
        let went_in = |k: &usize| dims[..*k].iter().any(|outer| *outer > dims[*k]);
        for row in (0..dims.len()).filter(went_in).map(|k| &trips[dims[k]]) {
            let mut used = (0..values.len()).filter(|k| row[*k] != 0.0);
            let (Some(k), None) = (used.next(), used.next()) else { continue };
            let runs = ((1.0 - row[values.len()]) / row[k]).ceil();
            if row[k] > 0.0 && (1.0..=sizes::OF_WINDOW).contains(&runs) {
                least.resize(values.len(), i64::MIN);
                least[k] = least[k].max(runs as i64);
            }
        }
    }
    Ok(())
}

/// Collects the dims of each statement by the loops that go through them, outermost first.
fn collect(node: &Node, order: &mut BTreeMap<StmtId, Vec<usize>>) {
    if let Node::Band(band, _) = node {
        for (id, aff) in band.members.iter().flat_map(|member| &member.affs) {
            let dims = order.entry(*id).or_default();
            dims.extend(used(aff).filter(|d| !dims.contains(d)).collect::<Vec<usize>>());
        }
    }
    node.children().iter().for_each(|child| collect(child, order));
}

/// The dims that a function depends on.
fn used(aff: &Aff) -> impl Iterator<Item = usize> {
    let (params, dims) = (aff.space().n_param(), aff.space().n_out());
    let rows = move || std::iter::once(aff.row()).chain(aff.divs().iter().map(|div| div.num.as_slice()));
    (0..dims).filter(move |d| rows().any(|row| row[params + d] != 0))
}
