//! What a statement has to do to get a value: nothing, recompute it, load it again, or read a scalar.

use super::nest::Nest;
use crate::facts::{Alias, FunctionFacts, Scev, ScevKind, Value, ValueKind};
use crate::ids::{BlockId, LoopId, ScevId, ValueId};
use crate::scop::affine::{Piece, Reader, operands};
use crate::scop::polynomial::Poly;
use crate::scop::rows::{Field, fields, place_of, row_of};
use std::collections::{BTreeMap, BTreeSet};

/// Width of the widest expressions that can be computed; exit values of sums of counters take more.
const MAX_BITS: u32 = 64;

/// Most instructions, loads among them, that are done again in loops inside, or where a branch leads.
const MAX_RECOMPUTED: usize = 4;
/// The same where nothing but tests stands between.
const MAX_MOVED: usize = 16;
/// Most blocks in a row that are followed.
const MAX_STRAIGHT: usize = 16;
/// Cycles that each of them may take among independent ones, at most.
const CHEAP: u32 = 2;

/// A zero-dimensional array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scalar {
    /// The value made by this instruction.
    Value(ValueId),
    /// The next value of this phi.
    Phi(ValueId),
}

/// What leads to the memory of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Root {
    /// One pointer, which does not change in the region.
    Base(ValueId),
    /// Pointers in a table.
    Rows(Field),
}

/// The row behind a pointer that an access is in.
#[derive(Clone, Debug)]
pub struct InRow {
    /// The load of the pointer.
    pub load: ValueId,
    /// The table it is in.
    pub field: Field,
    /// Its number there.
    pub number: Poly,
}

/// Classifies values of one region.
pub struct Values<'a> {
    /// The function.
    pub facts: &'a FunctionFacts,
    nest: &'a Nest<'a>,
    /// First block of the region; in no loop of it.
    pub entry: BlockId,
    surrounding: Vec<LoopId>,
    written: BTreeSet<Root>,
    rows: BTreeMap<ValueId, InRow>,
    offsets: BTreeMap<ValueId, Vec<Piece>>,
}

impl<'a> Values<'a> {
    /// For the region of `nest`, entered at `entry`.
    #[must_use]
    pub fn new(r: &mut Reader<'a>, nest: &'a Nest<'a>, entry: BlockId) -> Self {
        let facts = r.facts;
        let rows = rows(r, nest);
        let (mut written, mut offsets) = (BTreeSet::new(), BTreeMap::new());
        for id in nest.order.iter().flat_map(|b| facts.block(*b).insts.iter()) {
            let value = facts.value(*id);
            if matches!(value.kind, ValueKind::Store { .. }) {
                written.extend(value.base.map(|base| root(&rows, base)));
            }
            if let Some(pw) = value.offset.and_then(|o| r.read(o).ok()) {
                offsets.insert(*id, pw.pieces.clone());
            }
        }
        let surrounding = (0..facts.loops.len()).map(LoopId::new).filter(|l| r.surrounds(*l)).collect();
        Self { facts, nest, entry, surrounding, written, rows, offsets }
    }

    /// True if the block is part of the region.
    #[must_use]
    pub fn is_in_region(&self, block: BlockId) -> bool {
        self.nest.contains(block)
    }

    /// Address minus base in bytes, for loads and stores: the pieces cover all instances.
    #[must_use]
    pub fn offset(&self, access: ValueId) -> Option<&[Piece]> {
        self.offsets.get(&access).map(Vec::as_slice)
    }

    /// Whether an access may touch any element: its subscripts are data.
    #[must_use]
    pub fn is_indirect(&self, access: ValueId) -> bool {
        let is_access = matches!(self.facts.value(access).kind, ValueKind::Load { .. } | ValueKind::Store { .. });
        is_access && !self.offsets.contains_key(&access)
    }

    /// What leads to the memory that an access touches.
    #[must_use]
    pub fn root(&self, access: ValueId) -> Option<Root> {
        self.facts.value(access).base.map(|base| root(&self.rows, base))
    }

    /// The row behind a pointer that a load or store is in.
    #[must_use]
    pub fn row(&self, access: ValueId) -> Option<&InRow> {
        self.facts.value(access).base.and_then(|base| self.rows.get(&base))
    }

    /// The same where it is one polynomial.
    fn single_offset(&self, access: ValueId) -> Option<&Poly> {
        if let [piece] = self.offset(access)? { Some(&piece.value) } else { None }
    }

    /// True if the value is made inside the region; phis of the entry block are not.
    #[must_use]
    pub fn is_inside(&self, value: ValueId) -> bool {
        let v = self.facts.value(value);
        v.block.is_some_and(|b| self.nest.contains(b) && (b != self.entry || !matches!(v.kind, ValueKind::Phi(_))))
    }

    /// The value itself, or what it is a copy of: phis with one incoming value are copies.
    #[must_use]
    pub fn resolve(&self, value: ValueId) -> ValueId {
        self.facts.copied_from(value, |v| self.is_inside(v))
    }

    /// What to compute in `block` to have the value: itself where it is an expression, else what it is a copy of.
    #[must_use]
    pub fn source(&self, value: ValueId, block: BlockId) -> ValueId {
        if self.is_computable(value, block) { value } else { self.resolve(value) }
    }

    /// True if the value is an expression of loop dims around `block` and of values made before the region: it is
    /// recomputed where it is needed.
    #[must_use]
    pub fn is_computable(&self, value: ValueId, block: BlockId) -> bool {
        let v = self.facts.value(value);
        !matches!(v.kind, ValueKind::Load { .. })
            && v.scev.is_some_and(|s| self.is_expression(s, self.nest.loops(block)))
    }

    fn is_expression(&self, scev: ScevId, loops: &[LoopId]) -> bool {
        let Scev { kind, bits, .. } = self.facts.scev(scev);
        if *bits > MAX_BITS {
            return false;
        }
        match kind {
            ScevKind::Unknown(v) => !self.is_inside(*v),
            ScevKind::CouldNotCompute | ScevKind::SeqUMin(_) => false,
            ScevKind::UDiv(_, by) if !matches!(self.facts.scev(*by).kind, ScevKind::Const(d) if d > 0) => false,
            ScevKind::AddRec { lp, ops } => {
                let running = loops.contains(lp) || self.surrounding.contains(lp);
                running && ops.len() == 2 && ops.iter().all(|op| self.is_expression(*op, loops))
            }
            _ => operands(kind).all(|op| self.is_expression(op, loops)),
        }
    }

    /// True if the edge leads back to the header of a loop.
    #[must_use]
    pub fn is_back_edge(&self, from: BlockId, to: BlockId) -> bool {
        self.nest.loops(from).iter().any(|l| self.facts.lp(*l).header == to)
    }

    /// True if the load may be repeated anywhere in the region at the same address: nothing writes through its base.
    #[must_use]
    pub fn reads_written_memory(&self, value: ValueId) -> bool {
        let v = self.facts.value(value);
        matches!(v.kind, ValueKind::Load { .. }) && self.root(value).is_none_or(|r| self.written.contains(&r))
    }

    /// True if a load of another block gives the same value when done in `block`.
    #[must_use]
    pub fn can_reload(&self, load: ValueId, block: BlockId) -> bool {
        let v: &Value = self.facts.value(load);
        let around = |b: BlockId| self.nest.loops(b);
        let covered = v.block.is_some_and(|b| around(b).iter().all(|l| around(block).contains(l)));
        let addressable = v.offset.is_some_and(|o| self.is_expression(o, around(block)));
        let always_runs = v.block == Some(block) || !v.in_arm;
        let row_known = self.row(load).is_none_or(|row| self.can_reload(row.load, block));
        covered && addressable && always_runs && row_known && !self.reads_written_memory(load)
    }

    /// True if a little arithmetic of a block that runs before `block` in the same loops or around them gives the same
    /// value when done there: it takes loads that can be repeated, and expressions. Of a block that leads straight to
    /// it, it may be some more.
    #[must_use]
    pub fn can_recompute(&self, value: ValueId, block: BlockId) -> bool {
        let Some(made) = self.facts.value(value).block else { return false };
        let is_outer = self.nest.loops(made).len() < self.nest.loops(block).len();
        let mut left = if !is_outer && self.leads_straight(made, block) { MAX_MOVED } else { MAX_RECOMPUTED };
        self.is_recomputable(value, block, &mut left)
    }

    /// Whether nothing but tests that are assumed not to fail stands between two blocks.
    fn leads_straight(&self, from: BlockId, to: BlockId) -> bool {
        let next = |at: &BlockId| {
            let block = self.facts.block(*at);
            let is_test = block.ends_on.is_some() || !block.holds.is_empty();
            match block.succs.as_slice() {
                [next] if is_test && self.facts.block(*next).preds.len() == 1 => Some(*next),
                _ => None,
            }
        };
        std::iter::successors(Some(from), next).take(MAX_STRAIGHT).any(|at| at == to)
    }

    fn is_recomputable(&self, value: ValueId, block: BlockId, left: &mut usize) -> bool {
        let value = self.source(value, block);
        if !self.is_inside(value) || self.is_computable(value, block) {
            return true;
        }
        let v = self.facts.value(value);
        let Some(fewer) = left.checked_sub(1) else { return false };
        *left = fewer;
        let is_covered =
            || v.block.is_some_and(|b| self.nest.loops(b).iter().all(|l| self.nest.loops(block).contains(l)));
        match v.kind {
            ValueKind::Load { .. } => self.can_reload(value, block),
            ValueKind::Pure => {
                let is_cheap = v.costs.throughput.is_some_and(|cycles| cycles <= CHEAP);
                let is_plain = (v.lanewise || v.in_lanes) && is_cheap && !v.in_arm && is_covered();
                is_plain && v.operands.iter().all(|o| self.is_recomputable(*o, block, left))
            }
            _ => false,
        }
    }

    /// True if two stores of one instance surely write the same bytes.
    #[must_use]
    pub fn is_same_place(&self, store: ValueId, other: ValueId) -> bool {
        let (a, b) = (self.facts.value(store), self.facts.value(other));
        let distance =
            self.single_offset(store).zip(self.single_offset(other)).and_then(|(s, o)| s.sub(o)?.as_constant());
        a.base.is_some() && a.base == b.base && bytes(a) == bytes(b) && distance == Some(0)
    }

    /// True if a load (or store) and a store of one instance may touch the same byte.
    #[must_use]
    pub fn may_overlap(&self, access: ValueId, store: ValueId) -> bool {
        let (a, b) = (self.facts.value(access), self.facts.value(store));
        let (Some(x), Some(y)) = (a.base, b.base) else { return true };
        match (self.rows.get(&x), self.rows.get(&y)) {
            // Rows and other arrays are tested at run time.
            (Some(_), None) | (None, Some(_)) => return false,
            (Some(p), Some(q)) if p.field != q.field => return false,
            (Some(p), Some(q)) if p.number != q.number => {
                return p.number.sub(&q.number).and_then(|d| d.as_constant()).is_none();
            }
            (Some(_), Some(_)) => {}
            // Bases that may be equal are tested at run time.
            (None, None) if x != y => return self.facts.alias(x, y) == Alias::Must,
            (None, None) => {}
        }
        let distance = self
            .single_offset(store)
            .zip(self.single_offset(access))
            .and_then(|(s, l)| s.sub(l))
            .and_then(|d| d.as_constant());
        match distance {
            Some(d) if d >= 0 => d < i64::from(bytes(a)),
            Some(d) => d.unsigned_abs() < u64::from(bytes(b)),
            None => true,
        }
    }
}

fn root(rows: &BTreeMap<ValueId, InRow>, base: ValueId) -> Root {
    rows.get(&base).map_or(Root::Base(base), |row| Root::Rows(row.field))
}

/// The rows behind pointers that the loads and stores of a region are in, by their base pointer.
fn rows(r: &mut Reader, nest: &Nest) -> BTreeMap<ValueId, InRow> {
    let facts = r.facts;
    let mut tables: BTreeMap<ValueId, BTreeMap<ValueId, Poly>> = BTreeMap::new();
    let mut loads: BTreeMap<ValueId, ValueId> = BTreeMap::new();
    // As detection sees them: not in blocks that are assumed to be dead.
    let blocks = nest.order.iter().map(|b| facts.block(*b)).filter(|b| !b.assumed_dead);
    for id in blocks.flat_map(|b| b.insts.iter()) {
        let base = facts.value(*id).base;
        let Some(row) = base.and_then(|base| row_of(facts, base, |v| r.is_outside(v))) else { continue };
        if let Some(place) = place_of(r, &row) {
            tables.entry(row.table).or_default().insert(row.load, place);
            loads.extend(base.map(|base| (base, row.load)));
        }
    }
    let all = tables.iter().filter_map(|(table, places)| fields(*table, places)).flatten();
    let all: BTreeMap<ValueId, (Field, Poly)> = all.collect();
    let row = |(base, load): (ValueId, ValueId)| {
        let (field, number) = all.get(&load)?.clone();
        Some((base, InRow { load, field, number }))
    };
    loads.into_iter().filter_map(row).collect()
}

/// Bytes that a load or store touches.
#[must_use]
pub fn bytes(value: &Value) -> u32 {
    match value.kind {
        ValueKind::Load { bytes, .. } | ValueKind::Store { bytes, .. } => bytes,
        _ => 0,
    }
}
