//! `schedule`: an order of instances that respects given dependences.

use super::loops::{named, without_code};
use crate::deps::{Dep, DepKind, Dependences};
use crate::ids::{ArrayId, StmtId, ValueId};
use crate::model::tree::build::{Timed, from_union_map};
use crate::model::tree::forms;
use crate::model::{Access, AccessKind, Array, ArrayKind, ParamPoly, Scop, Stmt, StmtBody};
use crate::proof;
use crate::schedule::{Config, Decision, Machine};
use presburger::{Aff, Budget, Map, Set, UnionMap, UnionSet};

/// The scheduler's costs do not matter here: no loop is tiled or moved for a cache.
/// A map from `domain` to times, all of one length, in which every pair of `validity` with both ends in `domain` runs
/// in its order; proved. Elements related by `proximity` are put into common loops where that costs no parallelism, and
/// of all loops legal at a level those are taken whose distances in `proximity` have the smallest bound (distances in
/// `validity` where `proximity` is empty).
///
/// # Errors
/// A message when no such order is found, or the budget is spent.
pub fn schedule(
    domain: &UnionSet,
    validity: &UnionMap,
    proximity: &UnionMap,
    budget: &Budget,
) -> Result<UnionMap, String> {
    let spent = |_| "stopped: step budget spent".to_owned();
    let inside = validity.intersect_domain(domain).intersect_range(domain);
    let close = proximity.intersect_domain(domain).intersect_range(domain);
    let both = UnionMap::empty(&[]).union(&inside).union(&close);
    let given: Vec<&str> = both.params().iter().map(AsRef::as_ref).collect();
    let aligned = UnionSet::empty(&given).union(domain);
    let params: Vec<&str> = aligned.params().iter().map(AsRef::as_ref).collect();
    let sets: Vec<&Set> = aligned.sets().collect();
    let scop = program(&params, &sets, proximity)?;
    let number = |tuple: Option<&presburger::Tuple>| {
        sets.iter()
            .position(|s| tuple.is_some_and(|t| t.name == s.space().output.name && t.dims.len() == s.space().n_out()))
    };
    let relations = |inside: &UnionMap, kind: DepKind| -> Result<Vec<Dep>, String> {
        let mut found = Vec::new();
        for map in UnionMap::empty(&params).union(inside).maps() {
            let (Some(src), Some(dst)) = (number(map.space().input.as_ref()), number(Some(&map.space().output))) else {
                continue;
            };
            if !map.is_empty(budget).map_err(spent)? {
                let (src, dst) = (StmtId::new(src), StmtId::new(dst));
                found.push(Dep { kind, src, dst, array: ArrayId::new(0), relation: map.clone() });
            }
        }
        Ok(found)
    };
    let own = |message: &str| named(message, |k| sets.get(k).map(|s| s.space().output.name_str()));
    let (validity, reuse) = (relations(&inside, DepKind::Raw)?, relations(&close, DepKind::Rar)?);
    let deps = Dependences { validity, reuse, ..Dependences::default() };
    let config =
        Config { tiling: false, vectorize: false, unroll_jam: false, process_unprofitable: true, ..Config::default() };
    let tree = match crate::schedule::schedule(&scop, &deps, &config, &Machine::COMMON, budget)
        .map_err(|e| own(&e.to_string()))?
    {
        Decision::Transformed { tree, .. } => tree,
        Decision::Close(close) => close.tree,
        Decision::Keep { reason, .. } => return Err(own(&reason)),
    };
    match proof::check(&scop, &deps, &tree, budget).map_err(|e| e.to_string())? {
        proof::Verdict::Legal => {}
        proof::Verdict::Illegal(violation) => return Err(own(&violation.to_string())),
    }
    let mut times = UnionMap::empty(&params);
    for map in forms::to_union_map(&tree).into_values() {
        times.add(map);
    }
    Ok(times)
}

/// One statement per set; those that `proximity` relates touch a common array.
fn program(params: &[&str], sets: &[&Set], proximity: &UnionMap) -> Result<Scop, String> {
    let mut stmts: Vec<Stmt> = sets
        .iter()
        .enumerate()
        .map(|(k, set)| Stmt {
            id: StmtId::new(k),
            domain: (*set).clone(),
            accesses: Vec::new(),
            reduction: None,
            body: StmtBody::default(),
        })
        .collect();
    let mut arrays = Vec::new();
    for map in proximity.maps() {
        let ends = [map.space().input.as_ref(), Some(&map.space().output)];
        let array = ArrayId::new(arrays.len());
        for tuple in ends.into_iter().flatten() {
            if let Some(stmt) = stmts.iter_mut().find(|s| s.domain.space().output.name == tuple.name) {
                let relation = Map::from_affs_over(stmt.domain.space(), &[], &array.to_string());
                stmt.accesses.push(Access { kind: AccessKind::Read, array, relation, inst: ValueId(0), carries: None });
            }
        }
        arrays.push(Array {
            kind: ArrayKind::Memory { base: ValueId(0) },
            sizes: Vec::new(),
            elem_bytes: 8,
            is_float: true,
            strides: Vec::new(),
            offset: ParamPoly::default(),
        });
    }
    let longest = sets.iter().map(|s| s.space().n_out()).max().unwrap_or(0);
    let timed = |(k, set): (usize, &&Set)| {
        let space = set.space();
        let position = i64::try_from(k).unwrap_or(0);
        let mut time = vec![Aff::constant(space, position)];
        time.extend((0..space.n_out()).map(|d| Aff::dim(space, d)));
        time.resize(longest + 1, Aff::zero(space));
        Timed { id: StmtId::new(k), domain: (*set).clone(), time }
    };
    let timed: Vec<Timed> = sets.iter().enumerate().map(timed).collect();
    let mut scop = without_code(params, stmts, from_union_map(&timed)?);
    scop.arrays = arrays;
    Ok(scop)
}
