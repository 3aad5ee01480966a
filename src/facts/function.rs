//! One function: blocks, loops, and questions about them and their values.

use super::scev::{Scev, ScevKind};
use super::value::{Heap, Type, Value, ValueKind};
use crate::error::{Reject, SourceLoc};
use crate::ids::{BlockId, LoopId, ScevId, ValueId};
use std::collections::BTreeMap;

/// Least bits of the lower ones of several numbers side by side in a value.
const PACKED_BITS: u32 = 16;

/// All that scalar evolution and friends know about one (canonicalized) function.
#[derive(Clone, Debug, Default)]
pub struct FunctionFacts {
    /// Function name.
    pub name: String,
    /// Blocks in function order; the first is the entry.
    pub blocks: Vec<Block>,
    /// Loops, each after its parent.
    pub loops: Vec<Loop>,
    /// Values by id: instructions, arguments, and the globals and constants that instructions use.
    pub values: Vec<Value>,
    /// Hash-consed expressions by id; operands have smaller ids.
    pub scevs: Vec<Scev>,
    /// Pairs of different base pointers (smaller id first) that may lead to the same memory at any distance. Sorted by
    /// pair.
    pub aliases: Vec<(ValueId, ValueId, Alias)>,
    /// Base pointers that were compared with no other one. Sorted.
    pub uncompared: Vec<ValueId>,
}

/// A basic block.
#[derive(Clone, Debug, Default)]
pub struct Block {
    /// Instructions in order, phis first, terminator last.
    pub insts: Vec<ValueId>,
    /// Successors in terminator order.
    pub succs: Vec<BlockId>,
    /// Predecessors, each once.
    pub preds: Vec<BlockId>,
    /// Innermost loop around it.
    pub innermost: Option<LoopId>,
    /// Immediate dominator.
    pub idom: Option<BlockId>,
    /// Immediate post-dominator, if it is a block.
    pub ipdom: Option<BlockId>,
    /// For operands that are not to be modelled: parameters for which it would run are not those the new code is for.
    pub assumed_dead: bool,
    /// All paths from it end the program or leave the function by an exception. Such blocks are no successors of any
    /// others: they are assumed not to be reached.
    pub never_returns: bool,
    /// The value of the last branch's condition for which it leads to a block that never returns; no successor stands
    /// for that.
    pub ends_on: Option<bool>,
    /// Blocks behind its branch that count as part of it: their instructions are among its own, and the branch is none.
    pub boxed: Option<Boxed>,
    /// Conditions on data that are assumed to be what stands beside them wherever the block runs: its branch is one no
    /// more, or has what is left of its condition.
    pub holds: Vec<(ValueId, bool)>,
    /// Blocks that lead here where what they assume does not hold ([`Self::holds`]): no predecessors, but for regions
    /// without them. What dominates a block does so on these ways, too.
    pub skipped_from: Vec<BlockId>,
}

/// A branch whose condition is data, or a loop whose iterations are, with all blocks up to where its ways meet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Boxed {
    /// Where the branch stands leads to.
    pub end: ArmEnd,
    /// The blocks behind the branch, each behind those that lead to it but for the back edges of loops.
    pub arms: Vec<Arm>,
    /// Where the ways meet.
    pub join: BlockId,
    /// Values that depend on the way: phis of `join`, [`ValueKind::Merge`] now.
    pub merges: Vec<ValueId>,
    /// Whether some of the blocks are loops.
    pub has_loops: bool,
    /// Why the loop behind the block is none of the region's, for messages.
    pub why: Option<Box<Reject>>,
}

/// A block behind a branch on data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arm {
    /// The block.
    pub block: BlockId,
    /// Its instructions but for the branch at its end.
    pub insts: Vec<ValueId>,
    /// Where it leads to.
    pub end: ArmEnd,
}

/// Where a block of a box leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArmEnd {
    /// To one block.
    To(BlockId),
    /// By a condition to the first or the second block.
    Branch(ValueId, BlockId, BlockId),
}

impl Boxed {
    /// The conditions of all branches.
    pub fn conditions(&self) -> impl Iterator<Item = ValueId> + '_ {
        let ends = std::iter::once(self.end).chain(self.arms.iter().map(|a| a.end));
        ends.filter_map(|end| if let ArmEnd::Branch(on, ..) = end { Some(on) } else { None })
    }
}

/// A natural loop in simplified, rotated form where LLVM could make it so.
#[derive(Clone, Debug)]
pub struct Loop {
    /// Surrounding loop.
    pub parent: Option<LoopId>,
    /// Header block.
    pub header: BlockId,
    /// The only latch, if there is one.
    pub latch: Option<BlockId>,
    /// The only block before the header outside the loop, if there is one.
    pub preheader: Option<BlockId>,
    /// Blocks with an edge out of the loop.
    pub exiting: Vec<BlockId>,
    /// Number of times the back edge is taken (exact), `None` if not computable.
    pub backedge_taken: Option<ScevId>,
    /// Start of the header's integer induction variable with step +1, if there is one: natural value of the loop dim.
    pub iv_start: Option<ScevId>,
    /// Whether it ends: a bound of its iterations is known, or the rules of the language say that it makes progress.
    pub ends: bool,
    /// What the user says of it.
    pub hints: Hints,
    /// Whether it is part of a [`Boxed`].
    pub boxed: bool,
    /// Source position.
    pub loc: SourceLoc,
    /// Its variable in the source.
    pub counter: Counter,
}

/// The variable of the source that counts a loop's iterations, by the debug information.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counter {
    /// Its name; empty where nothing is known.
    pub name: String,
    /// Whether its value is that of the loop's dim.
    pub is_value: bool,
}

/// What the source says of a loop (`#pragma clang loop`, loop metadata).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hints {
    /// It is not to be vectorized.
    pub no_vectors: bool,
    /// It is not to be unrolled. The compiler's flags say that of every loop, too.
    pub no_unrolling: bool,
    /// Its iterations are not to be interleaved.
    pub no_interleaving: bool,
    /// Canonicalization unrolled it for pointers that take turns, or keeps them or sizes in registers there.
    pub turns: bool,
    /// Canonicalization tests before it that its stores do not change the sizes and pointers that it reads.
    pub sizes: bool,
    /// The hint that asks LLVM for a transformation of this very loop, or forbids others.
    pub pinned: Option<&'static str>,
}

impl Hints {
    /// What is said of a loop that has instances of both.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            no_vectors: self.no_vectors || other.no_vectors,
            no_unrolling: self.no_unrolling || other.no_unrolling,
            no_interleaving: self.no_interleaving || other.no_interleaving,
            turns: self.turns || other.turns,
            sizes: self.sizes || other.sizes,
            pinned: self.pinned.or(other.pinned),
        }
    }
}

/// Whether two base pointers can lead to the same memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum Alias {
    No,
    May,
    Must,
}

impl FunctionFacts {
    /// The value with this id.
    #[must_use]
    pub fn value(&self, id: ValueId) -> &Value {
        &self.values[id.index()]
    }

    /// What the value is a copy of: phis that take one value only are followed while `follow` holds.
    #[must_use]
    pub fn copied_from(&self, value: ValueId, follow: impl Fn(ValueId) -> bool) -> ValueId {
        let mut at = value;
        while follow(at) {
            match &self.value(at).kind {
                ValueKind::Phi(incoming)
                    if !incoming.is_empty() && incoming.iter().all(|(v, _)| *v == incoming[0].0) =>
                {
                    at = incoming[0].0;
                }
                _ => break,
            }
        }
        at
    }

    /// The block itself, then every other one that all paths to it go through, backwards.
    pub fn dominators(&self, block: BlockId) -> impl Iterator<Item = BlockId> + '_ {
        std::iter::successors(Some(block), |at| self.block(*at).idom)
    }

    /// Whether an instruction uses a value outside of a region: in a block outside, or in one that never returns and
    /// that some block outside leads to. Cost: a step per block that never returns, at most.
    #[must_use]
    pub fn is_used_outside(&self, user: ValueId, value: ValueId, inside: impl Fn(BlockId) -> bool) -> bool {
        self.uses_of(user, value).any(|b| self.is_reached_from(b, |from| !inside(from)))
    }

    /// Blocks in which an instruction uses a value: its own, or those that it comes from to a phi.
    fn uses_of(&self, user: ValueId, value: ValueId) -> impl Iterator<Item = BlockId> + '_ {
        let user = self.value(user);
        let incoming: &[(ValueId, BlockId)] = match &user.kind {
            ValueKind::Phi(incoming) if user.block.is_some_and(|b| self.block(b).never_returns) => incoming,
            _ => &[],
        };
        let own = user.block.filter(|_| incoming.is_empty());
        own.into_iter().chain(incoming.iter().filter(move |(v, _)| *v == value).map(|(_, b)| *b))
    }

    /// Whether a block that may return, and for which `of` holds, is the block or leads to it by blocks that never
    /// return.
    fn is_reached_from(&self, block: BlockId, of: impl Fn(BlockId) -> bool) -> bool {
        let (mut seen, mut work) = (vec![block], vec![block]);
        while let Some(at) = work.pop() {
            let found = self.block(at);
            if !found.never_returns {
                if of(at) {
                    return true;
                }
                continue;
            }
            for pred in &found.preds {
                if !seen.contains(pred) {
                    seen.push(*pred);
                    work.push(*pred);
                }
            }
        }
        false
    }

    /// Whether one instruction uses a value both inside and outside of a region.
    #[must_use]
    pub fn is_used_by_both(&self, user: ValueId, value: ValueId, inside: impl Fn(BlockId) -> bool + Copy) -> bool {
        self.uses_of(user, value).any(|b| self.is_reached_from(b, inside)) && self.is_used_outside(user, value, inside)
    }

    /// Bytes that a load or store moves; 0 for anything else.
    #[must_use]
    pub fn accessed_bytes(&self, id: ValueId) -> u32 {
        match self.value(id).kind {
            ValueKind::Load { bytes, .. } | ValueKind::Store { bytes, .. } => bytes,
            _ => 0,
        }
    }

    /// Whether nothing outside of these blocks reads the memory that a base pointer leads to: it is in the function's
    /// frame, or a block of the heap that the function has asked for, and its address goes nowhere but into addresses
    /// of loads and stores, and to what frees it. Cost: one step per use.
    #[must_use]
    pub fn is_read_in(&self, base: ValueId, blocks: &[BlockId]) -> bool {
        let mut addresses = vec![base];
        let mut at = 0;
        while let Some(&address) = addresses.get(at) {
            at += 1;
            for id in &self.value(address).users {
                let user = self.value(*id);
                match &user.kind {
                    ValueKind::Load { .. } if user.block.is_some_and(|b| blocks.contains(&b)) => {}
                    ValueKind::Store { value, .. } if *value != address => {}
                    ValueKind::ICmp { .. } | ValueKind::Ignorable => {}
                    ValueKind::Call if user.heap == Some(Heap::Frees) => {}
                    ValueKind::Pure | ValueKind::Phi(_) if user.ty == Type::Ptr => {
                        if !addresses.contains(id) {
                            addresses.push(*id);
                        }
                    }
                    _ => return false,
                }
            }
        }
        let base = self.value(base);
        matches!(base.kind, ValueKind::Local) || base.heap == Some(Heap::Allocates)
    }

    /// The expression with this id.
    #[must_use]
    pub fn scev(&self, id: ScevId) -> &Scev {
        &self.scevs[id.index()]
    }

    /// Values that are several numbers side by side, as two sizes in a struct that is passed in a register: those of
    /// which the bits from some place on are used on their own, with the bits of the lower numbers.
    #[must_use]
    pub fn packed(&self) -> BTreeMap<ScevId, u32> {
        let mut all = BTreeMap::new();
        for scev in &self.scevs {
            let ScevKind::UDiv(of, by) = scev.kind else { continue };
            let ScevKind::Const(by) = self.scev(by).kind else { continue };
            if by >= 1 << PACKED_BITS && by.count_ones() == 1 {
                let lower = by.trailing_zeros();
                all.entry(of).and_modify(|b: &mut u32| *b = lower.min(*b)).or_insert(lower);
            }
        }
        all
    }

    /// The value that an expression is one of the numbers of, if it is one: a number on its own, independent of the
    /// others.
    #[must_use]
    pub fn is_part_of(&self, packed: &BTreeMap<ScevId, u32>, id: ScevId) -> Option<ScevId> {
        let (of, bits) = match self.scev(id).kind {
            ScevKind::UDiv(of, _) => (of, PACKED_BITS),
            ScevKind::Trunc(of) => (of, self.scev(id).bits),
            _ => return None,
        };
        let is_value = matches!(self.scev(of).kind, ScevKind::Unknown(_));
        (is_value && packed.get(&of).is_some_and(|lower| bits <= *lower)).then_some(of)
    }

    /// Bits that the expression, read as a signed number, fits into.
    #[must_use]
    pub fn signed_bits(&self, id: ScevId) -> u32 {
        let scev = self.scev(id);
        match scev.kind {
            ScevKind::SExt(x) => self.signed_bits(x),
            ScevKind::ZExt(x) if self.scev(x).nonneg => self.signed_bits(x),
            ScevKind::ZExt(x) => self.scev(x).bits + 1,
            ScevKind::UDiv(_, by) => match self.scev(by).kind {
                ScevKind::Const(by @ 2..) => scev.bits - by.ilog2() + 1,
                _ => scev.bits,
            },
            _ => scev.bits,
        }
    }

    /// The branch on data that decides whether an instruction runs, or which way a value comes.
    #[must_use]
    pub fn boxed(&self, id: ValueId) -> Option<&Boxed> {
        let value = self.value(id);
        let is_part = value.in_arm || matches!(value.kind, ValueKind::Merge(_));
        value.block.filter(|_| is_part).and_then(|b| self.block(b).boxed.as_ref())
    }

    /// The block with this id.
    #[must_use]
    pub fn block(&self, id: BlockId) -> &Block {
        &self.blocks[id.index()]
    }

    /// Whether two base pointers, invariant while compared, can lead to the same memory.
    #[must_use]
    pub fn alias(&self, a: ValueId, b: ValueId) -> Alias {
        let key = (a.min(b), a.max(b));
        if a == b {
            return Alias::Must;
        }
        match self.aliases.binary_search_by_key(&key, |&(x, y, _)| (x, y)) {
            Ok(at) => self.aliases[at].2,
            Err(_) if [a, b].iter().any(|base| self.uncompared.binary_search(base).is_ok()) => Alias::May,
            Err(_) => Alias::No,
        }
    }

    /// The outermost loop around a loop, or itself.
    #[must_use]
    pub fn outermost(&self, id: LoopId) -> &Loop {
        let around = std::iter::successors(Some(id), |lp| self.lp(*lp).parent);
        self.lp(around.last().unwrap_or(id))
    }

    /// The loop with this id.
    #[must_use]
    pub fn lp(&self, id: LoopId) -> &Loop {
        &self.loops[id.index()]
    }
}
