//! Running values: what a loop collects in a local variable (`for (..) s += A[i];`) as one scalar.
//!
//! In SSA such a variable is a family of values: the phi of the outermost loop that it runs through, phis of loops and
//! conditions inside, and the instructions that apply one operation to it. All of them live in the array of the
//! outermost phi, so that what stands between two phis is an update of one element, and copies from one phi to the next
//! are no statements at all.
//!
//! In: the region's values. Out: families of which at most one value is alive at each point of the loop; the array then
//! holds the one that is. Uses behind the loop read the same array: only the loop and the block in front of it write
//! it. A value that anything else in the loop uses makes no family and keeps its own scalars.
//! Source: Budimlic et al., PLDI 2002 (values of SSA interfere if one is alive where the other is defined); the
//! families are our own.

use super::nest::Nest;
use super::values::{Scalar, Values};
use crate::facts::{Operation, ValueKind};
use crate::ids::{BlockId, LoopId, ValueId};
use std::collections::{BTreeMap, BTreeSet};

/// Values beyond which a family is left alone.
const MAX_MEMBERS: usize = 64;

/// Which families are looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Families {
    /// None: every value has a scalar of its own.
    None,
    /// Values to which one operation is applied, in any order.
    Updates,
    /// Values that any instructions make of each other. Fewer statements and scalars than with one scalar for each
    /// value, but each of them is written many times.
    All,
}

/// The families of a region.
#[derive(Default)]
pub struct Running {
    /// The outermost phi of each member.
    root: BTreeMap<ValueId, ValueId>,
    families: BTreeMap<ValueId, Family>,
}

struct Family {
    /// The outermost loop.
    lp: LoopId,
    /// The blocks of the loop that leave another member behind than they found, with that member.
    updates: Vec<(BlockId, ValueId)>,
}

impl Running {
    /// The families of all loops of the region. Cost: in the worst case values times blocks per loop phi.
    #[must_use]
    pub fn find(values: &Values, nest: &Nest, families: Families) -> Self {
        let mut running = Self::default();
        if families == Families::None {
            return running;
        }
        let any = families == Families::All;
        for block in &nest.order {
            let Some(lp) = nest.loops(*block).last().copied().filter(|l| values.facts.lp(*l).header == *block) else {
                continue;
            };
            for phi in values.facts.block(*block).insts.iter().copied() {
                let is_phi = matches!(values.facts.value(phi).kind, ValueKind::Phi(_));
                if is_phi && !running.root.contains_key(&phi) {
                    running.add(values, nest, (phi, lp), any);
                }
            }
        }
        running
    }

    fn add(&mut self, values: &Values, nest: &Nest, (phi, lp): (ValueId, LoopId), any: bool) {
        let search = Search { values, nest, phi, lp, any };
        let Some(members) = search.members() else { return };
        let Some(updates) = search.updates(&members) else { return };
        self.root.extend(members.iter().map(|m| (*m, phi)));
        self.families.insert(phi, Family { lp, updates });
    }

    /// The array of the family that a value belongs to; `value` is no copy of another.
    #[must_use]
    pub fn array_of(&self, value: ValueId) -> Option<Scalar> {
        self.root.get(&value).map(|phi| Scalar::Phi(*phi))
    }

    /// The array that holds a value behind the region; the value may be a copy that is made in the family's loop.
    #[must_use]
    pub fn holding(&self, values: &Values, nest: &Nest, value: ValueId) -> Option<Scalar> {
        let phi = self.root.get(&values.resolve(value))?;
        let block = values.facts.value(value).block?;
        self.has_edge(nest, *phi, block).then_some(Scalar::Phi(*phi))
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.families.is_empty()
    }

    /// Whether the array of this phi holds a family.
    #[must_use]
    pub fn is_array(&self, phi: ValueId) -> bool {
        self.families.contains_key(&phi)
    }

    /// Whether edges from this block to the phi are part of the phi's family.
    #[must_use]
    pub fn has_edge(&self, nest: &Nest, phi: ValueId, from: BlockId) -> bool {
        self.families.get(&phi).is_some_and(|f| nest.loops(from).contains(&f.lp))
    }

    /// The updates of a phi's family: in which block which value.
    #[must_use]
    pub fn updates(&self, phi: ValueId) -> &[(BlockId, ValueId)] {
        self.families.get(&phi).map_or(&[], |f| &f.updates)
    }
}

/// Values alive at a point.
type Alive = BTreeSet<ValueId>;

/// One loop phi that may be the outermost of a family.
struct Search<'a> {
    values: &'a Values<'a>,
    nest: &'a Nest<'a>,
    phi: ValueId,
    lp: LoopId,
    /// Whether any instructions make members of each other.
    any: bool,
}

impl Search<'_> {
    fn is_in_loop(&self, block: BlockId) -> bool {
        self.nest.loops(block).contains(&self.lp)
    }

    fn is_phi(&self, value: ValueId) -> bool {
        matches!(self.values.facts.value(value).kind, ValueKind::Phi(_))
    }

    fn block_of(&self, value: ValueId) -> Option<BlockId> {
        self.values.facts.value(value).block
    }

    /// What is collected in `phi`, if everything in the loop that uses it collects as well, by one operation unless
    /// any will do.
    fn members(&self) -> Option<BTreeSet<ValueId>> {
        let (mut members, mut work) = (BTreeSet::from([self.phi]), vec![self.phi]);
        let (mut op, mut made) = (None, false);
        while let Some(value) = work.pop() {
            for user in self.users(value) {
                if !self.is_member(user, &mut op)? {
                    continue;
                }
                made |= !self.is_phi(user);
                if members.insert(user) {
                    work.push(user);
                }
                if members.len() > MAX_MEMBERS {
                    return None;
                }
            }
        }
        let is_closed = |m: &ValueId| self.is_closed(*m, &members);
        (made && members.iter().all(is_closed)).then_some(members)
    }

    /// Users of a value or of its copies, copies themselves left out.
    fn users(&self, value: ValueId) -> Vec<ValueId> {
        let (mut users, mut work) = (Vec::new(), vec![value]);
        while let Some(value) = work.pop() {
            for user in &self.values.facts.value(value).users {
                let is_copy = self.values.resolve(*user) != *user;
                let list = if is_copy { &mut work } else { &mut users };
                list.push(*user);
            }
        }
        users
    }

    /// Whether a user is of the family; `Some(false)` behind the loop, `None` if it must not use the running value.
    fn is_member(&self, user: ValueId, op: &mut Option<Operation>) -> Option<bool> {
        if !self.block_of(user).is_some_and(|b| self.is_in_loop(b)) {
            return Some(false);
        }
        let value = self.values.facts.value(user);
        if self.is_phi(user) || (self.any && matches!(value.kind, ValueKind::Pure)) {
            return Some(true);
        }
        let update = value.update.as_ref()?;
        (*op.get_or_insert(update.op) == update.op).then_some(true)
    }

    /// Whether all that goes into a member is one running value, and the loop's phi takes another one from outside.
    fn is_closed(&self, member: ValueId, members: &BTreeSet<ValueId>) -> bool {
        let Some(block) = self.block_of(member) else { return false };
        if self.values.is_computable(member, block) {
            return false;
        }
        let value = self.values.facts.value(member);
        let is_running = |v: &ValueId| members.contains(&self.values.resolve(*v));
        match (&value.kind, &value.update) {
            (ValueKind::Phi(incoming), _) if member == self.phi => {
                let (inside, outside): (Vec<_>, Vec<_>) = incoming.iter().partition(|(_, b)| self.is_in_loop(*b));
                let leads_here = |b: BlockId| self.values.facts.block(b).succs.as_slice() == [block];
                matches!(outside.as_slice(), [(_, b)] if leads_here(*b)) && inside.iter().all(|(v, _)| is_running(v))
            }
            (ValueKind::Phi(incoming), _) => incoming.iter().all(|(v, _)| is_running(v)),
            (_, update) => {
                let mut running = (0..value.operands.len()).filter(|k| is_running(&value.operands[*k]));
                let goes_through =
                    |k: usize| self.any || update.as_ref().is_some_and(|update| update.through.contains(&k));
                running.next().is_some_and(goes_through) && running.next().is_none()
            }
        }
    }

    /// The blocks at whose end another member is alive than at their beginning; `None` if two are alive anywhere, or if
    /// one that is alive between blocks is of another type than the array: `zext i8 %sum` in front of a loop inside.
    fn updates(&self, members: &BTreeSet<ValueId>) -> Option<Vec<(BlockId, ValueId)>> {
        let blocks: Vec<BlockId> = self.nest.order.iter().copied().filter(|b| self.is_in_loop(*b)).collect();
        let behind: Alive = members.iter().copied().filter(|m| self.is_used_behind(*m)).collect();
        let mut at_start: BTreeMap<BlockId, Alive> = BTreeMap::new();
        loop {
            let before = at_start.clone();
            for block in blocks.iter().rev() {
                let alive = self.at_end(*block, (members, &behind), &at_start);
                at_start.insert(*block, self.before(*block, members, alive)?);
            }
            if at_start == before {
                break;
            }
        }
        let header = self.values.facts.lp(self.lp).header;
        if at_start.get(&header).is_some_and(|alive| !alive.is_empty()) {
            return None;
        }
        let ty = |v: ValueId| self.values.facts.value(v).ty;
        let fits = |v: &ValueId| ty(*v) == ty(self.phi);
        if !blocks.iter().all(|block| self.at_end(*block, (members, &behind), &at_start).iter().all(fits)) {
            return None;
        }
        let changed = |block: &BlockId| {
            let alive = self.at_end(*block, (members, &behind), &at_start);
            let made = |v: &ValueId| self.block_of(*v) == Some(*block) && !self.is_phi(*v);
            alive.into_iter().find(made).map(|v| (*block, v))
        };
        Some(blocks.iter().filter_map(changed).collect())
    }

    fn is_used_behind(&self, member: ValueId) -> bool {
        self.users(member).iter().any(|u| !self.block_of(*u).is_some_and(|b| self.is_in_loop(b)))
    }

    /// Members alive at the end of a block.
    fn at_end(
        &self,
        block: BlockId,
        (members, behind): (&BTreeSet<ValueId>, &Alive),
        at_start: &BTreeMap<BlockId, Alive>,
    ) -> Alive {
        let mut alive = Alive::new();
        for succ in &self.values.facts.block(block).succs {
            if !self.is_in_loop(*succ) {
                alive.extend(behind);
                continue;
            }
            alive.extend(at_start.get(succ).into_iter().flatten());
            for phi in self.values.facts.block(*succ).insts.iter().filter(|v| members.contains(v)) {
                if let ValueKind::Phi(incoming) = &self.values.facts.value(*phi).kind {
                    let here = incoming.iter().filter(|(_, b)| *b == block).map(|(v, _)| self.values.resolve(*v));
                    alive.extend(here.filter(|v| members.contains(v)));
                }
            }
        }
        alive
    }

    /// Members alive before a block, its phis made already taken away; `None` if two are alive anywhere in it.
    fn before(&self, block: BlockId, members: &BTreeSet<ValueId>, mut alive: Alive) -> Option<Alive> {
        let insts = self.values.facts.block(block).insts.iter().rev().filter(|v| members.contains(v));
        for inst in insts {
            let value = self.values.facts.value(*inst);
            if self.is_phi(*inst) {
                break;
            }
            if alive.iter().any(|v| v != inst) {
                return None;
            }
            let operands = value.operands.iter().map(|v| self.values.resolve(*v));
            alive = operands.filter(|v| members.contains(v)).collect();
        }
        let is_phi_here = |v: &ValueId| self.block_of(*v) == Some(block) && self.is_phi(*v);
        let alone = alive.len() <= 1;
        alive.retain(|v| !is_phi_here(v));
        alone.then_some(alive)
    }
}
