//! Hand-made facts for tests: one rotated loop over an array, between a preheader and an exit.
//!
//! Blocks: bb0 entry, bb1 preheader, bb2 the loop, bb3 exit. The loop runs `i = 0 .. n` (i64, n an i32 argument,
//! zero-extended).

use super::polynomial::{Poly, Sym};
use crate::error::SourceLoc;
use crate::facts::{Block, Costs, FunctionFacts, Hints, Loop, Pred, Scev, ScevKind, Type, Value, ValueKind};
use crate::ids::{BlockId, LoopId, ScevId, ValueId};

/// A function in the making.
pub struct Sketch {
    /// What there is so far.
    pub facts: FunctionFacts,
    /// Argument `n`, an i32.
    pub n: ValueId,
    /// Argument `A`, a pointer.
    pub array: ValueId,
    /// The counter as an i64 expression.
    pub i: ScevId,
}

/// The counter of loop `k`.
pub fn dim(k: u32) -> Poly {
    Poly::sym(Sym::Dim(LoopId(k)))
}

/// Parameter `k`.
pub fn param(k: u32) -> Poly {
    Poly::sym(Sym::Param(k))
}

/// The loop's block.
pub const BODY: BlockId = BlockId(2);

impl Default for Sketch {
    fn default() -> Self {
        Self::new()
    }
}

impl Sketch {
    /// The loop with an empty body.
    pub fn new() -> Self {
        let mut s = Self { facts: FunctionFacts::default(), n: ValueId(0), array: ValueId(1), i: ScevId(0) };
        s.n = s.value(ValueKind::Argument, Type::Int(32), None, &[]);
        s.array = s.value(ValueKind::Argument, Type::Ptr, None, &[]);
        let edges: [(&[u32], &[u32]); 4] = [(&[1], &[]), (&[2], &[0]), (&[2, 3], &[1, 2]), (&[], &[2])];
        let ids = |list: &[u32]| list.iter().copied().map(BlockId).collect();
        for (k, (succs, preds)) in (0u32..).zip(edges) {
            s.facts.blocks.push(Block {
                insts: Vec::new(),
                succs: ids(succs),
                preds: ids(preds),
                innermost: (k == 2).then_some(LoopId(0)),
                idom: k.checked_sub(1).map(BlockId),
                ipdom: (k < 3).then_some(BlockId(k + 1)),
                assumed_dead: false,
                never_returns: false,
                ends_on: None,
                boxed: None,
                holds: Vec::new(),
                skipped_from: Vec::new(),
            });
        }
        let (n, zero, one) = (s.unknown(s.n, 32), s.constant(0, 64), s.constant(1, 64));
        let wide = s.scev(ScevKind::ZExt(n), 64, true);
        let minus_one = s.constant(-1, 64);
        let taken = s.scev(ScevKind::Add(vec![minus_one, wide]), 64, true);
        s.i = s.scev(ScevKind::AddRec { lp: LoopId(0), ops: vec![zero, one] }, 64, true);
        s.facts.loops.push(Loop {
            parent: None,
            header: BODY,
            latch: Some(BODY),
            preheader: Some(BlockId(1)),
            exiting: vec![BODY],
            backedge_taken: Some(taken),
            iv_start: Some(zero),
            ends: true,
            hints: Hints::default(),
            boxed: false,
            loc: SourceLoc { file: "a.c".to_owned(), line: 3, column: 1 },
            counter: crate::facts::Counter::default(),
        });
        s.value(ValueKind::Br, Type::Other, Some(BlockId(0)), &[]);
        s.value(ValueKind::Br, Type::Other, Some(BlockId(1)), &[]);
        s
    }

    /// Adds the terminators of the loop and the exit, and the users of all values.
    pub fn finish(mut self) -> FunctionFacts {
        let done = self.value(
            ValueKind::ICmp { pred: Pred::Eq, lhs: self.n, rhs: self.n },
            Type::Int(1),
            Some(BODY),
            &[self.n],
        );
        self.value(ValueKind::CondBr(done), Type::Other, Some(BODY), &[done]);
        self.value(ValueKind::Ret, Type::Other, Some(BlockId(3)), &[]);
        for k in 0..self.facts.values.len() {
            for op in self.facts.values[k].operands.clone() {
                self.facts.values[op.index()].users.push(ValueId::new(k));
            }
        }
        self.facts
    }

    /// Adds a value at the end of a block.
    pub fn value(&mut self, kind: ValueKind, ty: Type, block: Option<BlockId>, operands: &[ValueId]) -> ValueId {
        let id = ValueId::new(self.facts.values.len());
        if let Some(b) = block {
            self.facts.blocks[b.index()].insts.push(id);
        }
        self.facts.values.push(Value {
            kind,
            ty,
            block,
            in_arm: false,
            operands: operands.to_vec(),
            users: Vec::new(),
            scev: None,
            ptr_scev: None,
            base: None,
            offset: None,
            cmp_scevs: None,
            object_bytes: None,
            costs: Costs::default(),
            update: None,
            lanewise: false,
            in_lanes: false,
            at_zero: None,
            heap: None,
            name: String::new(),
            loc: SourceLoc::default(),
        });
        id
    }

    /// Adds an expression; `nsw` says that its sums do not wrap.
    pub fn scev(&mut self, kind: ScevKind, bits: u32, nsw: bool) -> ScevId {
        let nonneg = matches!(kind, ScevKind::Const(c) if c >= 0) || matches!(kind, ScevKind::AddRec { .. } if nsw);
        self.facts.scevs.push(Scev { kind, bits, is_ptr: false, nsw, nuw: false, nonneg });
        ScevId::new(self.facts.scevs.len() - 1)
    }

    /// A constant.
    pub fn constant(&mut self, value: i64, bits: u32) -> ScevId {
        self.scev(ScevKind::Const(value), bits, false)
    }

    /// A value as an expression.
    pub fn unknown(&mut self, value: ValueId, bits: u32) -> ScevId {
        self.scev(ScevKind::Unknown(value), bits, false)
    }

    /// `8 * by`, as an i64.
    pub fn bytes(&mut self, by: ScevId) -> ScevId {
        let eight = self.constant(8, 64);
        self.scev(ScevKind::Mul(vec![eight, by]), 64, true)
    }

    /// Stores the pointer argument's worth of 8 bytes at `base + offset`.
    pub fn store(&mut self, base: ValueId, offset: ScevId) -> ValueId {
        let kind = ValueKind::Store { ptr: base, value: self.array, bytes: 8 };
        let id = self.value(kind, Type::Other, Some(BODY), &[base, self.array]);
        let value = &mut self.facts.values[id.index()];
        (value.base, value.offset) = (Some(base), Some(offset));
        id
    }
}
