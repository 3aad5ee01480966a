//! Enumeration: what the definitions say, instance by instance, for given parameter values.

use crate::deps::{Dep, DepKind};
use crate::ids::{ArrayId, StmtId};
use crate::model::tree::Node;
use crate::model::tree::flat::{FlatPiece, TimeDim, flat_schedule};
use crate::model::{AccessKind, Scop};
use presburger::{Dim, Set};
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

/// A statement instance.
pub type Instance = (StmtId, Vec<i64>);

/// One dependence between two instances.
pub type Pair = (DepKind, ArrayId, Instance, Instance);

const MOST_POINTS: usize = 100_000;

/// Points `[dims]` of a set for these parameters.
pub fn points(set: &Set, params: &[i64]) -> Vec<Vec<i64>> {
    let fixed = params.iter().enumerate().fold(set.clone(), |s, (k, v)| s.fix(Dim::Param, k, *v));
    match fixed.points(MOST_POINTS) {
        Ok(all) => all.into_iter().map(|p| p[params.len()..].to_vec()).collect(),
        Err(_) => members(set, params),
    }
}

/// Points by membership, for sets that cannot be enumerated: the tests' SCoPs stay inside this box.
fn members(set: &Set, params: &[i64]) -> Vec<Vec<i64>> {
    let mut all = vec![Vec::new()];
    for _ in 0..set.space().n_out() {
        let longer = |p: &Vec<i64>| (-2..=9).map(|v| [p.as_slice(), &[v]].concat()).collect::<Vec<_>>();
        all = all.iter().flat_map(longer).collect();
    }
    all.retain(|p| set.contains(params, p));
    all
}

/// One component of a time vector at an instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tick {
    /// Ordered.
    At(i64),
    /// Child of a set node.
    Any(i64),
}

/// Every way in which the schedule runs each instance.
pub fn times(tree: &Node, params: &[i64]) -> BTreeMap<Instance, Vec<Vec<Tick>>> {
    let mut all: BTreeMap<Instance, Vec<Vec<Tick>>> = BTreeMap::new();
    for (id, pieces) in flat_schedule(tree) {
        for piece in &pieces {
            for point in points(&piece.domain, params) {
                let time = time_of(piece, params, &point);
                all.entry((id, point)).or_default().push(time);
            }
        }
    }
    all
}

fn time_of(piece: &FlatPiece, params: &[i64], point: &[i64]) -> Vec<Tick> {
    let tick = |t: &TimeDim| match t {
        TimeDim::Seq(k) => Tick::At(*k),
        TimeDim::Any(k) => Tick::Any(*k),
        TimeDim::Aff(aff) => Tick::At(aff.eval(params, point).expect("small values")),
    };
    piece.time.iter().map(tick).collect()
}

/// Order of two times; `None`: either order (children of a set node).
pub fn compare(a: &[Tick], b: &[Tick]) -> Option<Ordering> {
    for pair in a.iter().zip(b) {
        match pair {
            (Tick::At(x), Tick::At(y)) if x != y => return Some(x.cmp(y)),
            (Tick::Any(x), Tick::Any(y)) if x != y => return None,
            _ => {}
        }
    }
    Some(Ordering::Equal)
}

/// The dependences of the original order, by definition.
pub fn dependences(scop: &Scop, params: &[i64]) -> BTreeSet<Pair> {
    let times = times(&scop.schedule, params);
    let mut touched: BTreeMap<(ArrayId, Vec<i64>), BTreeSet<(Instance, bool)>> = BTreeMap::new();
    for stmt in &scop.stmts {
        for access in &stmt.accesses {
            for pair in points(&access.relation.intersect_domain(&stmt.domain).wrap(), params) {
                let (point, element) = pair.split_at(stmt.dims());
                let writes = access.kind != AccessKind::Read;
                let toucher = ((stmt.id, point.to_vec()), writes);
                touched.entry((access.array, element.to_vec())).or_default().insert(toucher);
            }
        }
    }
    let mut found = BTreeSet::new();
    for ((array, _), touchers) in &touched {
        for (a, first_writes) in touchers {
            for (b, second_writes) in touchers {
                let kind = match (first_writes, second_writes) {
                    (true, false) => DepKind::Raw,
                    (false, true) => DepKind::War,
                    (true, true) => DepKind::Waw,
                    (false, false) => continue,
                };
                if compare(&times[a][0], &times[b][0]) == Some(Ordering::Less) {
                    found.insert((kind, *array, a.clone(), b.clone()));
                }
            }
        }
    }
    found
}

/// For each read of an element, the writes before it that no must-write between the two replaces.
pub fn last_writers(scop: &Scop, params: &[i64]) -> BTreeSet<Pair> {
    let times = times(&scop.schedule, params);
    let before = |a: &Instance, b: &Instance| compare(&times[a][0], &times[b][0]) == Some(Ordering::Less);
    let mut found = BTreeSet::new();
    let mut touched: BTreeMap<(ArrayId, Vec<i64>), BTreeSet<(AccessKind, Instance)>> = BTreeMap::new();
    for stmt in &scop.stmts {
        for access in &stmt.accesses {
            for pair in points(&access.relation.intersect_domain(&stmt.domain).wrap(), params) {
                let (point, element) = pair.split_at(stmt.dims());
                let toucher = (access.kind, (stmt.id, point.to_vec()));
                touched.entry((access.array, element.to_vec())).or_default().insert(toucher);
            }
        }
    }
    for ((array, _), touchers) in &touched {
        for (_, dst) in touchers.iter().filter(|(k, _)| *k == AccessKind::Read) {
            for (_, src) in touchers.iter().filter(|(k, src)| *k != AccessKind::Read && before(src, dst)) {
                let replaced =
                    |(k, x): &(AccessKind, Instance)| *k == AccessKind::MustWrite && before(src, x) && before(x, dst);
                if !touchers.iter().any(replaced) {
                    found.insert((DepKind::Raw, *array, src.clone(), dst.clone()));
                }
            }
        }
    }
    found
}

/// The instance pairs that computed dependences list for these parameters.
pub fn listed(scop: &Scop, deps: &[Dep], params: &[i64]) -> BTreeSet<Pair> {
    let mut found = BTreeSet::new();
    for dep in deps {
        for pair in points(&dep.relation.wrap(), params) {
            let (src, dst) = pair.split_at(scop.stmt(dep.src).dims());
            found.insert((dep.kind, dep.array, (dep.src, src.to_vec()), (dep.dst, dst.to_vec())));
        }
    }
    found
}

/// Whether the schedule runs each instance once, no two instances of a statement at one time, and each dependence
/// forwards.
pub fn is_legal(scop: &Scop, tree: &Node, params: &[i64]) -> bool {
    let times = times(tree, params);
    for stmt in &scop.stmts {
        let mut seen: Vec<&Vec<Tick>> = Vec::new();
        for point in points(&stmt.domain, params) {
            let Some([time]) = times.get(&(stmt.id, point)).map(Vec::as_slice) else { return false };
            if seen.contains(&time) {
                return false;
            }
            seen.push(time);
        }
    }
    let deps = dependences(scop, params);
    deps.iter().all(|(_, _, src, dst)| compare(&times[src][0], &times[dst][0]) == Some(Ordering::Less))
}

/// Whether component `level` of the time vectors is the same on both ends of each dependence whose earlier components
/// are.
pub fn is_parallel(scop: &Scop, tree: &Node, level: usize, params: &[i64]) -> bool {
    let times = times(tree, params);
    let deps = dependences(scop, params);
    deps.iter().all(|(_, _, src, dst)| {
        let (a, b) = (&times[src][0], &times[dst][0]);
        a[..level] != b[..level] || a[level] == b[level]
    })
}
