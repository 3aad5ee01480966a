//! Values: instructions, arguments, globals and constants.

use super::costs::Costs;
use crate::error::SourceLoc;
use crate::ids::{BlockId, ScevId, ValueId};

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

impl Pred {
    /// Holds where this does not.
    #[must_use]
    pub fn negated(self) -> Self {
        match self {
            Self::Eq => Self::Ne,
            Self::Ne => Self::Eq,
            Self::Sgt => Self::Sle,
            Self::Sge => Self::Slt,
            Self::Slt => Self::Sge,
            Self::Sle => Self::Sgt,
            Self::Ugt => Self::Ule,
            Self::Uge => Self::Ult,
            Self::Ult => Self::Uge,
            Self::Ule => Self::Ugt,
        }
    }
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
    /// Phi of a block that counts as part of another one, or where the ways of a branch on data meet.
    Merge(Vec<(ValueId, BlockId)>),
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

/// Operations that may be applied to a running value in any order: associative and commutative, floating point as far
/// as the flags of the instructions say so.
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

/// What a call does to the heap, and nothing else that the program sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heap {
    /// Its result is a block that nobody else knows, or null.
    Allocates,
    /// The block that its first operand points to ends, whatever is in it.
    Frees,
}

/// A value with what is known of it.
#[derive(Clone, Debug)]
pub struct Value {
    /// What it is.
    pub kind: ValueKind,
    /// Its type.
    pub ty: Type,
    /// Block, for instructions; of those in a box the one with the first branch.
    pub block: Option<BlockId>,
    /// Whether a branch on data decides if it runs.
    pub in_arm: bool,
    /// All operands that are values (not blocks), in order.
    pub operands: Vec<ValueId>,
    /// Instructions that use it, in function order.
    pub users: Vec<ValueId>,
    /// Scalar evolution, for integers and pointers where it is computable (evaluated in the value's own block).
    pub scev: Option<ScevId>,
    /// For pointers to variables: how many bytes one has.
    pub object_bytes: Option<u64>,
    /// For loads and stores: the address as an expression.
    pub ptr_scev: Option<ScevId>,
    /// For loads and stores: base pointer of the address expression, if it is a single value.
    pub base: Option<ValueId>,
    /// For loads and stores with a base: address minus base, in bytes, 64 bits wide.
    pub offset: Option<ScevId>,
    /// For integer comparisons: both sides as expressions.
    pub cmp_scevs: Option<(ScevId, ScevId)>,
    /// What it costs on the target; nothing is known of instructions outside of loops.
    pub costs: Costs,
    /// What it does to a running value, if it is such an instruction and may change places with others of its kind.
    pub update: Option<Update>,
    /// Whether it does the same to each element of vectors as to scalars, whatever is in them: no trap, no memory, and
    /// its operands but a function called are of its own type.
    pub lanewise: bool,
    /// The same where each element is one that a scalar would have: it may be a division, or compare, choose or
    /// convert numbers.
    pub in_lanes: bool,
    /// For comparisons that tell nothing but whether a floating-point value is zero: what they are where it is.
    pub at_zero: Option<bool>,
    /// Of a call to the library's functions for the heap: what it does.
    pub heap: Option<Heap>,
    /// Name for debug output only.
    pub name: String,
    /// Source position.
    pub loc: SourceLoc,
}
