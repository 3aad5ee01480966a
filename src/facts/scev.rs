//! Expressions of scalar evolution.

use crate::ids::{LoopId, ScevId, ValueId};

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
