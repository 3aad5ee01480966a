//! Tests of loop generation: printed results checked by hand, and every result executed against its domain and schedule.

mod cases;
mod cond;
mod fixtures;
pub(crate) mod interp;
mod iterations;
mod last;
mod limits;
mod lp;
mod random;

use super::{Ast, Config, build};
use crate::ids::StmtId;
use crate::model::Scop;
use crate::model::tree::Node;
use crate::model::tree::flat::{TimeDim, flat_schedule};
use presburger::Dim;
use std::collections::BTreeMap;

/// A statement with the values of its domain dims.
pub(crate) type Instance = (StmtId, Vec<i64>);

/// The AST of a tree with default limits.
pub(super) fn ast_of(scop: &Scop, tree: &Node) -> Ast {
    build(scop, tree, &Config::default()).unwrap_or_else(|e| panic!("{}: {e}", scop.name))
}

/// Whether interleaving of unrolled copies may change the order of the tree.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Order {
    Exact,
    Jammed,
}

/// Most instances of one statement that a test enumerates.
const MAX_POINTS: usize = 20_000;

/// Each instance with the time the tree gives it; `None` if there are too many to enumerate.
pub(super) fn expected(tree: &Node, params: &[i64]) -> Option<BTreeMap<Instance, Vec<i64>>> {
    let mut out = BTreeMap::new();
    for (id, pieces) in flat_schedule(tree) {
        for piece in pieces {
            let mut domain = piece.domain.clone();
            for (k, &v) in params.iter().enumerate() {
                domain = domain.fix(Dim::Param, k, v);
            }
            for point in domain.points(MAX_POINTS).ok()? {
                let dims = &point[params.len()..];
                let time = piece
                    .time
                    .iter()
                    .map(|t| match t {
                        TimeDim::Seq(v) | TimeDim::Any(v) => *v,
                        TimeDim::Aff(a) => a.eval(params, dims).expect("no overflow"),
                    })
                    .collect();
                let twice = out.insert((id, dims.to_vec()), time);
                assert!(twice.is_none(), "{id}{dims:?} is scheduled twice");
            }
        }
    }
    Some(out)
}

/// Runs the AST and compares with the domain (each instance once) and the order of the tree. Too large a domain passes.
pub(super) fn check_run(tree: &Node, ast: &Ast, params: &[i64], order: Order) -> Result<(), String> {
    let Some(want) = expected(tree, params) else {
        return Ok(());
    };
    let mut seen = BTreeMap::new();
    let mut last: Option<(&Vec<i64>, Instance)> = None;
    let ran = interp::run(ast, params).ok_or_else(|| format!("{params:?}: the loops do not end"))?;
    for instance in ran {
        let Some(time) = want.get(&instance) else {
            return Err(format!("{params:?}: {instance:?} is not in the domain"));
        };
        if seen.insert(instance.clone(), ()).is_some() {
            return Err(format!("{params:?}: {instance:?} runs twice"));
        }
        if let Some((before, other)) = &last
            && order == Order::Exact
            && *before > time
        {
            return Err(format!("{params:?}: {instance:?} runs after {other:?}"));
        }
        last = Some((time, instance));
    }
    match want.keys().find(|k| !seen.contains_key(k)) {
        Some(missing) => Err(format!("{params:?}: {missing:?} does not run")),
        None => Ok(()),
    }
}

/// All vectors of `n` values in `first..=last`.
pub(crate) fn grid(n: usize, first: i64, last: i64) -> Vec<Vec<i64>> {
    let mut all = vec![Vec::new()];
    for _ in 0..n {
        all = all
            .into_iter()
            .flat_map(|v: Vec<i64>| {
                (first..=last).map(move |x| {
                    let mut w = v.clone();
                    w.push(x);
                    w
                })
            })
            .collect();
    }
    all
}
