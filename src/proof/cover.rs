//! Whether a schedule tree runs every instance exactly once, at a time of its own.

use super::{Reason, Violation};
use crate::deps::compute::{context_of, limit};
use crate::deps::loops::order::Walk;
use crate::deps::pair::Columns;
use crate::error::Failure;
use crate::ids::StmtId;
use crate::model::tree::flat::{FlatPiece, TimeDim};
use crate::model::tree::{Band, Node};
use crate::model::{AccessKind, Scop};
use presburger::rows::{Conjunction, add_piece, difference, pieces_of, place_aff, plus};
use presburger::{Budget, Set};
use std::collections::BTreeMap;

type Active = BTreeMap<StmtId, Set>;

/// An instance (inside the context) that is not scheduled, scheduled twice or not part of the code, or a band without a
/// value for a statement. Exact; nothing needs a solver where filters list whole statements.
pub(super) fn check(scop: &Scop, tree: &Node, budget: &Budget) -> Result<Option<Violation>, Failure> {
    let Node::Domain(domain, child) = tree else {
        return Err(Failure::Bug("the root of a schedule is not a domain".to_owned()));
    };
    let cover = Cover { scop, context: context_of(scop, budget)?, budget };
    for stmt in &scop.stmts {
        let scheduled = domain.get(&stmt.id);
        if scheduled.is_some_and(|s| s.basics() == stmt.domain.basics()) {
            continue;
        }
        let empty = Set::empty(stmt.domain.space().clone());
        let scheduled = scheduled.unwrap_or(&empty);
        if let Some(found) = cover.outside(stmt.id, &stmt.domain, scheduled, Reason::Missing)? {
            return Ok(Some(found));
        }
        if let Some(found) = cover.outside(stmt.id, scheduled, &stmt.domain, Reason::Extra)? {
            return Ok(Some(found));
        }
    }
    if let Some(id) = domain.keys().find(|id| id.index() >= scop.stmts.len()) {
        return Err(Failure::Bug(format!("{id} is scheduled but no statement")));
    }
    if let Some(found) = cover.overwriting()? {
        return Ok(Some(found));
    }
    cover.node(child, domain)
}

struct Cover<'a> {
    scop: &'a Scop,
    context: Set,
    budget: &'a Budget,
}

impl Cover<'_> {
    fn outside(&self, id: StmtId, inner: &Set, outer: &Set, reason: Reason) -> Result<Option<Violation>, Failure> {
        let rest = inner.intersect_params(&self.context).subtract(outer, self.budget).map_err(limit)?;
        self.sample(id, &rest, reason)
    }

    fn sample(&self, id: StmtId, set: &Set, reason: Reason) -> Result<Option<Violation>, Failure> {
        let Some(point) = set.sample(self.budget).map_err(limit)? else { return Ok(None) };
        let (params, dims) = point.split_at(self.scop.params.len());
        let params = self.scop.params.iter().zip(params).map(|(p, v)| (p.name.clone(), *v)).collect();
        Ok(Some(Violation { reason, params, src: (id, dims.to_vec()), dst: None }))
    }

    /// An instance of a statement without a place in the original order that writes an array with other users.
    fn overwriting(&self) -> Result<Option<Violation>, Failure> {
        let Node::Domain(original, _) = &self.scop.schedule else { return Ok(None) };
        let is_original = |id: StmtId| original.contains_key(&id);
        for stmt in self.scop.stmts.iter().filter(|s| !is_original(s.id)) {
            for write in stmt.accesses.iter().filter(|a| a.kind != AccessKind::Read) {
                let mut users = self.scop.stmts.iter().filter(|s| is_original(s.id)).flat_map(|s| &s.accesses);
                if users.any(|a| a.array == write.array) {
                    return self.sample(stmt.id, &stmt.domain.intersect_params(&self.context), Reason::Overwrites);
                }
            }
        }
        Ok(None)
    }

    fn node(&self, node: &Node, active: &Active) -> Result<Option<Violation>, Failure> {
        match node {
            Node::Leaf => Ok(None),
            Node::Domain(_, child)
            | Node::Context(_, child)
            | Node::Mark(_, child)
            | Node::Extension(_, child)
            | Node::Expansion(_, child) => self.node(child, active),
            Node::Guard(guard, child) => self.guarded(guard, child, active),
            Node::Filter(..) => self.children(std::slice::from_ref(node), active),
            Node::Sequence(children) | Node::Set(children) => self.children(children, active),
            Node::Band(band, child) => match self.without_value(band, active)? {
                None => self.node(child, active),
                found => Ok(found),
            },
        }
    }

    fn guarded(&self, guard: &Set, child: &Node, active: &Active) -> Result<Option<Violation>, Failure> {
        let mut inside = Active::new();
        for (&id, set) in active {
            let kept = set.intersect_params(guard);
            let found = self.outside(id, set, &kept, Reason::Missing)?;
            if found.is_some() {
                return Ok(found);
            }
            inside.insert(id, kept);
        }
        self.node(child, &inside)
    }

    fn without_value(&self, band: &Band, active: &Active) -> Result<Option<Violation>, Failure> {
        for member in &band.members {
            for (&id, set) in active.iter().filter(|(id, _)| !member.affs.contains_key(id)) {
                let found = self.sample(id, &set.intersect_params(&self.context), Reason::NoValue)?;
                if found.is_some() {
                    return Ok(found);
                }
            }
        }
        Ok(None)
    }

    fn children(&self, children: &[Node], active: &Active) -> Result<Option<Violation>, Failure> {
        for (&id, set) in active {
            let found = self.partition(id, set, children)?;
            if found.is_some() {
                return Ok(found);
            }
        }
        for child in children {
            let Node::Filter(sets, below) = child else {
                return Err(Failure::Bug("a child of a sequence is not a filter".to_owned()));
            };
            let mut inside = Active::new();
            for (id, set) in sets {
                if let Some(all) = active.get(id) {
                    inside.insert(*id, if set.is_plain_universe() { all.clone() } else { all.intersect(set) });
                }
            }
            let found = self.node(below, &inside)?;
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    fn partition(&self, id: StmtId, set: &Set, children: &[Node]) -> Result<Option<Violation>, Failure> {
        let filters = children.iter().filter_map(|c| if let Node::Filter(sets, _) = c { sets.get(&id) } else { None });
        let filters: Vec<&Set> = filters.collect();
        if let [only] = filters[..]
            && only.is_plain_universe()
        {
            return Ok(None);
        }
        for (k, a) in filters.iter().enumerate() {
            for b in &filters[k + 1..] {
                let both = set.intersect_params(&self.context).intersect(a).intersect(b);
                let found = self.sample(id, &both, Reason::Twice)?;
                if found.is_some() {
                    return Ok(found);
                }
            }
        }
        let union = filters.iter().fold(Set::empty(set.space().clone()), |u, s| u.union(s));
        self.outside(id, set, &union, Reason::Missing)
    }
}

/// Two instances of one statement that share their whole time vector, if there are any. The solver is asked only where
/// the affine components do not already tell all instances apart.
pub(super) fn check_distinct(
    scop: &Scop,
    flat: &BTreeMap<StmtId, Vec<FlatPiece>>,
    budget: &Budget,
) -> Result<Option<Violation>, Failure> {
    for (&id, pieces) in flat {
        let dims = scop.stmt(id).dims();
        let columns = Columns { params: scop.params.len(), src: dims, dst: dims };
        for piece in pieces {
            if is_full_rank(piece, columns).map_err(limit)? {
                continue;
            }
            let found = collide(&Walk::new(scop, id, id, budget), piece, &context_of(scop, budget)?, columns)?;
            if found.is_some() {
                return Ok(found);
            }
        }
    }
    Ok(None)
}

/// Whether the components without floors, as linear functions of the dims, determine every dim.
fn is_full_rank(piece: &FlatPiece, columns: Columns) -> presburger::Result<bool> {
    let mut poly = Conjunction::universe(1 + columns.src);
    for time in &piece.time {
        if let TimeDim::Aff(aff) = time
            && let Some(row) = aff.as_affine()
        {
            let mut linear = vec![0; 1 + columns.src];
            linear[1..].copy_from_slice(&row[columns.params..columns.params + columns.src]);
            poly.add_eq(&linear)?;
        }
    }
    for column in 1..=columns.src {
        let mut unit = vec![0; 1 + column];
        unit[column] = 1;
        if poly.reduce(&unit)? != [0] {
            return Ok(false);
        }
    }
    Ok(true)
}

fn collide(walk: &Walk<'_>, piece: &FlatPiece, context: &Set, columns: Columns) -> Result<Option<Violation>, Failure> {
    let parts = pieces_of(&piece.domain.intersect_params(context)).map_err(limit)?;
    for (a, b) in parts.iter().flat_map(|a| parts.iter().map(move |b| (a, b))) {
        let mut poly = Conjunction::universe(columns.end());
        add_piece(&mut poly, a, columns.src_slot()).map_err(limit)?;
        add_piece(&mut poly, b, columns.dst_slot()).map_err(limit)?;
        for time in &piece.time {
            let TimeDim::Aff(aff) = time else { continue };
            let from = place_aff(&mut poly, aff, columns.src_slot()).map_err(limit)?;
            let to = place_aff(&mut poly, aff, columns.dst_slot()).map_err(limit)?;
            poly.add_eq(&difference(&to, &from).map_err(limit)?).map_err(limit)?;
        }
        for dim in 0..columns.src {
            let mut distance = vec![0; columns.end()];
            distance[columns.src_start() + dim] = -1;
            distance[columns.dst_start() + dim] = 1;
            let mut later = poly.clone();
            later.add_ge(&plus(&distance, -1).map_err(limit)?).map_err(limit)?;
            let found = walk.witness_in(later)?;
            if found.is_some() {
                return Ok(found);
            }
            poly.add_eq(&distance).map_err(limit)?;
        }
    }
    Ok(None)
}
