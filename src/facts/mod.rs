//! Owned facts about one function: CFG, loops, scalar evolution, memory operations. Nothing here borrows from LLVM.
//!
//! The facts are copied out before any IR changes; only [`crate::ids::ValueId`] and [`crate::ids::BlockId`] lead back to LLVM,
//! through the handle tables that the bridge keeps beside them.

use crate::error::SourceLoc;
use crate::ids::{BlockId, LoopId, ScevId, ValueId};

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
    /// Pairs of different base pointers (smaller id first) that may lead to the same memory at any distance. Sorted by pair.
    pub aliases: Vec<(ValueId, ValueId, Alias)>,
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
    /// Source position.
    pub loc: SourceLoc,
}

/// Integer width or pointer, as far as analysis cares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// iN.
    Int(u32),
    /// Floating point of this many bits.
    Float(u32),
    /// Pointer.
    Ptr,
    /// Anything else (vectors, aggregates, void, label, …).
    Other,
}

/// Comparison predicates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Pred {
    Eq,
    Ne,
    Sgt,
    Sge,
    Slt,
    Sle,
    Ugt,
    Uge,
    Ult,
    Ule,
}

/// What a value is.
#[derive(Clone, Debug)]
pub enum ValueKind {
    /// Function argument.
    Argument,
    /// Global variable.
    Global,
    /// Constant (integer, float, undef, constant expression).
    Constant,
    /// Non-volatile, non-atomic load.
    Load {
        /// Address.
        ptr: ValueId,
        /// Bytes read.
        bytes: u32,
    },
    /// Non-volatile, non-atomic store.
    Store {
        /// Address.
        ptr: ValueId,
        /// Value stored.
        value: ValueId,
        /// Bytes written.
        bytes: u32,
    },
    /// Phi with its incoming values.
    Phi(Vec<(ValueId, BlockId)>),
    /// Integer comparison.
    ICmp {
        /// Predicate.
        pred: Pred,
        /// Left.
        lhs: ValueId,
        /// Right.
        rhs: ValueId,
    },
    /// `br i1 cond` (succs of the block: true, false).
    CondBr(ValueId),
    /// Unconditional branch.
    Br,
    /// Return.
    Ret,
    /// unreachable.
    Unreachable,
    /// i1 and / or (bitwise or select form).
    And(ValueId, ValueId),
    /// Logical or.
    Or(ValueId, ValueId),
    /// xor with true.
    Not(ValueId),
    /// Anything else without memory effects that always returns: may be copied freely.
    Pure,
    /// Debug, lifetime, assume, … : may be dropped.
    Ignorable,
    /// Call that may touch memory, trap or not return.
    Call,
    /// Room in the function's frame; its address.
    Local,
    /// Volatile, atomic, fence, invoke, switch, indirectbr, …
    Unsupported,
}

/// Operations that may be applied to a running value in any order: associative and commutative, floating point as far as the flags of
/// the instructions say so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs)]
pub enum Operation {
    Add,
    Mul,
    And,
    Or,
    Xor,
    SMin,
    SMax,
    UMin,
    UMax,
    FAdd,
    FMul,
    FMin,
    FMax,
}

/// What an instruction does to an operand that is a running value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Update {
    /// The operation.
    pub op: Operation,
    /// Which operands may be the running value.
    pub through: Vec<usize>,
    /// Floating point: whether infinities may occur.
    pub has_infinities: bool,
}

/// A value with what is known of it.
#[derive(Clone, Debug)]
pub struct Value {
    /// What it is.
    pub kind: ValueKind,
    /// Its type.
    pub ty: Type,
    /// Block, for instructions.
    pub block: Option<BlockId>,
    /// All operands that are values (not blocks), in order.
    pub operands: Vec<ValueId>,
    /// Instructions that use it, in function order.
    pub users: Vec<ValueId>,
    /// Scalar evolution, for integers and pointers where it is computable (evaluated in the value's own block).
    pub scev: Option<ScevId>,
    /// For loads and stores: the address as an expression.
    pub ptr_scev: Option<ScevId>,
    /// For loads and stores: base pointer of the address expression, if it is a single value.
    pub base: Option<ValueId>,
    /// For loads and stores with a base: address minus base, in bytes, 64 bits wide.
    pub offset: Option<ScevId>,
    /// For integer comparisons: both sides as expressions.
    pub cmp_scevs: Option<(ScevId, ScevId)>,
    /// What it does to a running value, if it is such an instruction and may change places with others of its kind.
    pub update: Option<Update>,
    /// Name for debug output only.
    pub name: String,
    /// Source position.
    pub loc: SourceLoc,
}

/// A scalar-evolution expression.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Scev {
    /// Operator.
    pub kind: ScevKind,
    /// Width in bits of the value (pointers: 64).
    pub bits: u32,
    /// Whether the value is a pointer.
    pub is_ptr: bool,
    /// No signed wrap.
    pub nsw: bool,
    /// No unsigned wrap.
    pub nuw: bool,
    /// Known to be >= 0 when read as a signed number.
    pub nonneg: bool,
}

/// Scalar-evolution operators.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum ScevKind {
    /// Constant, sign-extended; wider than 64 bits is `CouldNotCompute`.
    Const(i64),
    Unknown(ValueId),
    Add(Vec<ScevId>),
    Mul(Vec<ScevId>),
    UDiv(ScevId, ScevId),
    /// `ops[0]` in iteration 0, then chain of recurrences with step `ops[1..]`.
    AddRec {
        lp: LoopId,
        ops: Vec<ScevId>,
    },
    ZExt(ScevId),
    SExt(ScevId),
    Trunc(ScevId),
    PtrToInt(ScevId),
    SMax(Vec<ScevId>),
    SMin(Vec<ScevId>),
    UMax(Vec<ScevId>),
    UMin(Vec<ScevId>),
    /// Sequential umin (stops at the first zero).
    SeqUMin(Vec<ScevId>),
    CouldNotCompute,
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

    /// Bytes that a load or store moves; 0 for anything else.
    #[must_use]
    pub fn accessed_bytes(&self, id: ValueId) -> u32 {
        match self.value(id).kind {
            ValueKind::Load { bytes, .. } | ValueKind::Store { bytes, .. } => bytes,
            _ => 0,
        }
    }

    /// Whether nothing outside of these blocks reads the memory that a base pointer leads to: it is in the function's frame, and its address
    /// goes nowhere but into addresses of loads and stores. Cost: one step per use.
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
                    ValueKind::Pure | ValueKind::Phi(_) if user.ty == Type::Ptr => {
                        if !addresses.contains(id) {
                            addresses.push(*id);
                        }
                    }
                    _ => return false,
                }
            }
        }
        matches!(self.value(base).kind, ValueKind::Local)
    }

    /// The expression with this id.
    #[must_use]
    pub fn scev(&self, id: ScevId) -> &Scev {
        &self.scevs[id.index()]
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
            Err(_) => Alias::No,
        }
    }

    /// The loop with this id.
    #[must_use]
    pub fn lp(&self, id: LoopId) -> &Loop {
        &self.loops[id.index()]
    }
}
