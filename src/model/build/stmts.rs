//! Cuts blocks into statements: one per store or value that lives on, with its operand tree.
//!
//! Statements of a block run one after the other, so a cut must keep every value a load saw: trees that share a load of
//! memory written in the region, or whose loads another store would overtake, stay together.

use super::nest::Nest;
use super::running::Running;
use super::values::{Scalar, Values};
use crate::facts::{Type, Value, ValueKind};
use crate::ids::{BlockId, ValueId};
use std::collections::{BTreeMap, BTreeSet};

/// More instructions than this are not computed twice.
const MAX_COPIED_INSTS: usize = 4;

/// Why a statement exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Root {
    /// Writes memory.
    Store(ValueId),
    /// Writes `from` to the scalar.
    Scalar(Scalar, ValueId),
}

/// A statement before it has a number.
#[derive(Clone, Debug)]
pub struct Piece {
    /// Block it stands in.
    pub block: BlockId,
    /// Executed only when the block is left to this one.
    pub edge: Option<BlockId>,
    /// Instructions in program order, loads and stores among them.
    pub insts: Vec<ValueId>,
    /// Scalars read, with the values they stand for.
    pub reads: Vec<(Scalar, ValueId)>,
    /// Scalars written, with the values they get.
    pub writes: Vec<(Scalar, ValueId)>,
}

/// Operand tree of a root.
#[derive(Clone, Debug, Default)]
struct Tree {
    insts: BTreeSet<ValueId>,
    reads: BTreeSet<(Scalar, ValueId)>,
}

#[derive(Clone, Debug)]
struct Rooted {
    root: Root,
    /// Where it stands in the block; `None` = at the end.
    at: Option<ValueId>,
    tree: Tree,
}

/// All statements of a region.
pub struct Cut {
    /// Statements by block in execution order.
    pub pieces: Vec<Piece>,
    /// Values used after the region, in function order, with the scalars that hold them there.
    pub live_out: Vec<(ValueId, Scalar)>,
    /// What computes conditions that are assumed to hold, for each block with such ones.
    pub guards: Vec<Piece>,
}

/// Cuts all blocks of the region that is left to `exit`.
#[must_use]
pub fn cut(values: &Values, running: &Running, nest: &Nest, exit: BlockId) -> Cut {
    let (roots, edges) = (BTreeMap::new(), BTreeMap::new());
    let mut cutter = Cutter { values, running, nest, roots, edges, seen: BTreeSet::new(), work: Vec::new() };
    let live_out = cutter.demand_all(exit);
    let mut pieces = Vec::new();
    for block in &nest.order {
        if let Some(roots) = cutter.roots.get(block) {
            pieces.extend(cutter.split(*block, roots));
        }
        for ((_, to), roots) in cutter.edges.range((*block, BlockId(0))..=(*block, BlockId(u32::MAX))) {
            let trees = roots.iter().collect::<Vec<_>>();
            pieces.push(piece(*block, Some(*to), &trees));
        }
    }
    let guards = nest.order.iter().filter_map(|block| cutter.guard(*block)).collect();
    Cut { pieces, live_out, guards }
}

struct Cutter<'a> {
    values: &'a Values<'a>,
    running: &'a Running,
    nest: &'a Nest<'a>,
    roots: BTreeMap<BlockId, Vec<Rooted>>,
    edges: BTreeMap<(BlockId, BlockId), Vec<Rooted>>,
    seen: BTreeSet<Scalar>,
    work: Vec<Scalar>,
}

/// True for a phi to which the region's edges bring different values.
fn leaves_by_several_edges(value: &Value, nest: &Nest) -> bool {
    let ValueKind::Phi(incoming) = &value.kind else { return false };
    let mut from_region = incoming.iter().filter(|(_, block)| nest.contains(*block)).map(|(v, _)| *v);
    let first = from_region.next();
    from_region.any(|v| Some(v) != first)
}

fn piece(block: BlockId, edge: Option<BlockId>, roots: &[&Rooted]) -> Piece {
    let mut insts = BTreeSet::new();
    let (mut reads, mut writes) = (BTreeSet::new(), Vec::new());
    for rooted in roots {
        insts.extend(rooted.tree.insts.iter().copied());
        reads.extend(rooted.tree.reads.iter().copied());
        match rooted.root {
            Root::Store(store) => {
                insts.insert(store);
            }
            Root::Scalar(scalar, from) => writes.push((scalar, from)),
        }
    }
    Piece { block, edge, insts: insts.into_iter().collect(), reads: reads.into_iter().collect(), writes }
}

impl Cutter<'_> {
    /// Makes a root for every store, live-out value and scalar that some root needs; the live-out values.
    fn demand_all(&mut self, exit: BlockId) -> Vec<(ValueId, Scalar)> {
        let (facts, nest) = (self.values.facts, self.nest);
        let leaving = |i: &ValueId| leaves_by_several_edges(facts.value(*i), nest);
        let leaving: Vec<ValueId> = facts.block(exit).insts.iter().copied().filter(leaving).collect();
        for phi in &leaving {
            self.demand(Scalar::Phi(*phi));
        }
        let mut live_out = Vec::new();
        for block in nest.order.iter().filter(|b| !facts.block(**b).assumed_dead) {
            for id in &facts.block(*block).insts {
                let value = facts.value(*id);
                if matches!(value.kind, ValueKind::Store { .. }) && !self.is_overwritten(*id, *block) {
                    let conditions = facts.boxed(*id).into_iter().flat_map(|b| b.conditions());
                    let first = usize::from(!self.values.is_indirect(*id));
                    let row = self.values.row(*id).map(|row| row.load);
                    let wanted = value.operands[first..].iter().copied().chain(conditions).chain(row);
                    let wanted: Vec<ValueId> = wanted.collect();
                    let tree = self.tree(&wanted, *block);
                    self.add(*block, None, Rooted { root: Root::Store(*id), at: Some(*id), tree });
                }
                let used_outside =
                    |u: &ValueId| facts.is_used_outside(*u, *id, |b| nest.contains(b)) && !leaving.contains(u);
                if self.values.is_inside(*id) && value.users.iter().any(used_outside) {
                    let scalar = self.running.holding(self.values, nest, *id).unwrap_or(Scalar::Value(*id));
                    live_out.push((*id, scalar));
                    self.demand(scalar);
                }
            }
        }
        while let Some(scalar) = self.work.pop() {
            match scalar {
                Scalar::Value(def) => self.define(def),
                Scalar::Phi(phi) => self.feed(phi),
            }
        }
        live_out.sort_unstable();
        live_out
    }

    /// Whether a later store of the block writes all that this one does, before the block reads any of it.
    fn is_overwritten(&self, store: ValueId, block: BlockId) -> bool {
        let facts = self.values.facts;
        let is_plain = |v: ValueId| facts.boxed(v).is_none();
        let behind = facts.block(block).insts.iter().copied().filter(|v| *v > store);
        for other in behind.take_while(|_| is_plain(store)) {
            match facts.value(other).kind {
                ValueKind::Store { .. } if is_plain(other) && self.values.is_same_place(store, other) => return true,
                ValueKind::Load { .. } if self.values.may_overlap(other, store) => return false,
                ValueKind::Load { .. } | ValueKind::Store { .. } | ValueKind::Pure | ValueKind::ICmp { .. } => {}
                ValueKind::And(..) | ValueKind::Or(..) | ValueKind::Not(_) => {}
                _ => return false,
            }
        }
        false
    }

    fn demand(&mut self, scalar: Scalar) {
        if self.seen.insert(scalar) {
            self.work.push(scalar);
        }
    }

    fn add(&mut self, block: BlockId, edge: Option<BlockId>, rooted: Rooted) {
        for (scalar, _) in rooted.tree.reads.clone() {
            self.demand(scalar);
        }
        match edge {
            None => self.roots.entry(block).or_default().push(rooted),
            Some(to) => self.edges.entry((block, to)).or_default().push(rooted),
        }
    }

    /// The write of a value where it is made; once, at the region's entry, if it does not change in the region.
    fn define(&mut self, def: ValueId) {
        if self.values.is_computable(def, self.values.entry) {
            let root = Root::Scalar(Scalar::Value(def), def);
            self.add(self.values.entry, None, Rooted { root, at: None, tree: Tree::default() });
            return;
        }
        let Some(block) = self.values.facts.value(def).block else { return };
        let from = self.values.source(def, block);
        let tree = self.tree(&[from], block);
        self.add(block, None, Rooted { root: Root::Scalar(Scalar::Value(def), from), at: Some(def), tree });
    }

    /// The writes of a phi at the end of each block it comes from; of a running value, where it is updated.
    fn feed(&mut self, phi: ValueId) {
        let facts = self.values.facts;
        let (ValueKind::Phi(incoming), Some(to)) = (&facts.value(phi).kind, facts.value(phi).block) else { return };
        let mut incoming = incoming.clone();
        incoming.dedup();
        incoming.retain(|(_, b)| self.values.is_in_region(*b) && !self.running.has_edge(self.nest, phi, *b));
        for &(block, value) in self.running.updates(phi) {
            let root = Root::Scalar(Scalar::Phi(phi), value);
            let tree = self.tree(&[value], block);
            self.add(block, None, Rooted { root, at: Some(value), tree });
        }
        for (value, block) in incoming {
            let from = self.values.source(value, block);
            let root = Root::Scalar(Scalar::Phi(phi), from);
            if facts.block(block).succs.len() == 1 || self.values.is_back_edge(block, to) {
                let tree = self.tree(&[from], block);
                self.add(block, None, Rooted { root, at: None, tree });
            } else {
                let tree = self.leaf(from, block);
                self.add(block, Some(to), Rooted { root, at: None, tree });
            }
        }
    }

    /// Reads of a value as a scalar, whatever block it comes from.
    fn leaf(&self, value: ValueId, block: BlockId) -> Tree {
        let mut tree = Tree::default();
        if self.values.is_inside(value) && !self.values.is_computable(value, block) {
            tree.reads.insert(self.read(Scalar::Value(value), value));
        }
        tree
    }

    /// How a value is read that `scalar` holds unless it is a running value.
    fn read(&self, scalar: Scalar, value: ValueId) -> (Scalar, ValueId) {
        (self.running.array_of(value).unwrap_or(scalar), value)
    }

    /// What computes the conditions that are assumed to hold in a block, if there are any.
    fn guard(&self, block: BlockId) -> Option<Piece> {
        let wanted: Vec<ValueId> = self.values.facts.block(block).holds.iter().map(|(v, _)| *v).collect();
        if wanted.is_empty() {
            return None;
        }
        let Tree { insts, reads } = self.tree(&wanted, block);
        let (insts, reads) = (insts.into_iter().collect(), reads.into_iter().collect());
        Some(Piece { block, edge: None, insts, reads, writes: Vec::new() })
    }

    /// Everything that must be executed in `block` to have the values.
    fn tree(&self, of: &[ValueId], block: BlockId) -> Tree {
        let facts = self.values.facts;
        let mut tree = Tree::default();
        let mut work = of.to_vec();
        while let Some(value) = work.pop() {
            let value = self.values.source(value, block);
            if !self.values.is_inside(value) || self.values.is_computable(value, block) {
                continue;
            }
            let v = facts.value(value);
            let here = v.block == Some(block);
            match (&v.kind, here) {
                (ValueKind::Phi(_), true) => {
                    tree.reads.insert(self.read(Scalar::Phi(value), value));
                }
                (ValueKind::Load { .. }, _) if here || self.values.can_reload(value, block) => {
                    if tree.insts.insert(value) {
                        work.extend(v.operands.iter().filter(|_| self.values.is_indirect(value)));
                        work.extend(self.values.row(value).map(|row| row.load));
                        work.extend(facts.boxed(value).into_iter().flat_map(|b| b.conditions()));
                    }
                }
                (ValueKind::Pure, false) if self.values.can_recompute(value, block) => {
                    if tree.insts.insert(value) {
                        work.extend(v.operands.iter().copied());
                    }
                }
                (_, false) => {
                    tree.reads.insert(self.read(Scalar::Value(value), value));
                }
                (_, true) => {
                    if tree.insts.insert(value) {
                        work.extend(v.operands.iter().copied());
                        work.extend(facts.boxed(value).into_iter().flat_map(|b| b.conditions()));
                    }
                }
            }
        }
        tree
    }

    /// The statements of one block in execution order.
    fn split(&self, block: BlockId, roots: &[Rooted]) -> Vec<Piece> {
        let mut sets = Union::new(roots.len());
        self.join_boxed(roots, &mut sets);
        self.join_shared(roots, &mut sets);
        self.join_overtaken(block, roots, &mut sets);
        loop {
            let before = sets.joined;
            self.join_interleaved(roots, &mut sets);
            join_swapped(roots, &mut sets);
            if sets.joined == before {
                break;
            }
        }
        let mut groups = sets.groups();
        groups.sort_by_key(|group| (end(roots, group), group[0]));
        groups.iter().map(|group| piece(block, None, &group.iter().map(|k| &roots[*k]).collect::<Vec<_>>())).collect()
    }

    /// Joins all that a branch on data decides on: it is asked once.
    fn join_boxed(&self, roots: &[Rooted], sets: &mut Union) {
        let is_boxed = |rooted: &Rooted| {
            let of = |v: &ValueId| self.values.facts.boxed(*v).is_some();
            rooted.tree.insts.iter().any(of) || matches!(rooted.root, Root::Store(store) if of(&store))
        };
        let mut boxed = (0..roots.len()).filter(|k| is_boxed(&roots[*k]));
        if let Some(first) = boxed.next() {
            boxed.for_each(|k| sets.join(first, k));
        }
    }

    /// Joins trees of one value, and trees that share a load of memory written in the region or too much to compute
    /// twice.
    fn join_shared(&self, roots: &[Rooted], sets: &mut Union) {
        let mut first: BTreeMap<ValueId, usize> = BTreeMap::new();
        for (k, rooted) in roots.iter().enumerate() {
            for inst in rooted.tree.insts.iter().filter(|i| self.values.reads_written_memory(**i)) {
                let owner = *first.entry(*inst).or_insert(k);
                sets.join(owner, k);
            }
            for (other, before) in roots.iter().enumerate().take(k) {
                if let (Root::Scalar(_, a), Root::Scalar(_, b)) = (rooted.root, before.root)
                    && a == b
                    && !rooted.tree.insts.is_empty()
                {
                    sets.join(other, k);
                }
                let shared = rooted.tree.insts.intersection(&before.tree.insts);
                if shared.take(MAX_COPIED_INSTS + 1).count() > MAX_COPIED_INSTS {
                    sets.join(other, k);
                }
            }
        }
    }

    /// Joins a tree with every store between one of its loads and the place where it runs that may write what it
    /// loaded.
    fn join_overtaken(&self, block: BlockId, roots: &[Rooted], sets: &mut Union) {
        let facts = self.values.facts;
        for (k, rooted) in roots.iter().enumerate() {
            let own = |l: &&ValueId| facts.value(**l).block == Some(block) && self.values.reads_written_memory(**l);
            for load in rooted.tree.insts.iter().filter(own) {
                for (other, with) in roots.iter().enumerate() {
                    let Root::Store(store) = with.root else { continue };
                    let between = *load < store && rooted.at.is_none_or(|at| store < at);
                    if between && self.values.may_overlap(*load, store) {
                        sets.join(other, k);
                    }
                }
            }
        }
    }

    /// Joins what stands between the first root of a group and the place where the group runs.
    fn join_interleaved(&self, roots: &[Rooted], sets: &mut Union) {
        for group in sets.groups() {
            let Some(start) = group.iter().filter_map(|k| roots[*k].at).min() else { continue };
            let end = end(roots, &group);
            for (other, rooted) in roots.iter().enumerate() {
                if rooted.at.is_some_and(|at| start < at && end.is_before(at)) && !group.contains(&other) {
                    sets.join(group[0], other);
                }
            }
        }
    }
}

/// Where a group runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    At(ValueId),
    End,
}

impl Place {
    /// True if `at` comes before this place.
    fn is_before(self, at: ValueId) -> bool {
        match self {
            Place::At(place) => at < place,
            Place::End => true,
        }
    }
}

/// A group runs where its last instruction stands; groups that only feed phis run at the end of the block.
fn end(roots: &[Rooted], group: &[usize]) -> Place {
    if group.iter().all(|k| roots[*k].at.is_none()) {
        return Place::End;
    }
    let last = group.iter().flat_map(|k| roots[*k].tree.insts.last().copied().into_iter().chain(roots[*k].at)).max();
    last.map_or(Place::End, Place::At)
}

/// Joins a group that writes a phi with every group that reads the phi's old value and runs not before it.
fn join_swapped(roots: &[Rooted], sets: &mut Union) {
    let groups = sets.groups();
    for writer in &groups {
        for reader in groups.iter().filter(|g| *g != writer) {
            let overwritten = |(scalar, _): &(Scalar, ValueId)| {
                writer.iter().any(|k| matches!(roots[*k].root, Root::Scalar(s @ Scalar::Phi(_), _) if s == *scalar))
            };
            let reads = reader.iter().any(|k| roots[*k].tree.reads.iter().any(overwritten));
            if reads && end(roots, reader) >= end(roots, writer) {
                sets.join(writer[0], reader[0]);
            }
        }
    }
}

/// Disjoint sets of roots.
struct Union {
    parent: Vec<usize>,
    joined: usize,
}

impl Union {
    fn new(count: usize) -> Self {
        Self { parent: (0..count).collect(), joined: 0 }
    }

    fn find(&self, mut k: usize) -> usize {
        while self.parent[k] != k {
            k = self.parent[k];
        }
        k
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.find(a), self.find(b));
        if a != b {
            self.parent[a.max(b)] = a.min(b);
            self.joined += 1;
        }
    }

    fn groups(&self) -> Vec<Vec<usize>> {
        let mut groups: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for k in 0..self.parent.len() {
            groups.entry(self.find(k)).or_default().push(k);
        }
        groups.into_values().collect()
    }
}

/// Bytes that a scalar of this type takes.
#[must_use]
pub fn scalar_bytes(ty: Type) -> u32 {
    match ty {
        Type::Int(bits) | Type::Float(bits) => bits.div_ceil(8),
        Type::Ptr | Type::Other => 8,
    }
}
