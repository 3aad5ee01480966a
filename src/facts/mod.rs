//! Facts: everything that later stages need to know of a function, copied out of LLVM once as plain data.
//!
//! In: the words that `bridge/analysis.cpp` wrote of a canonical function. Out: [`FunctionFacts`], owned; nothing here
//! borrows from LLVM, and all of it builds and tests without LLVM. The facts are copied out before any IR changes; only
//! [`crate::ids::ValueId`] and [`crate::ids::BlockId`] lead back to LLVM, through the handle tables that the bridge
//! keeps beside them.

mod costs;
mod function;
mod read;
mod scev;
mod target;
mod value;
mod ways;

pub use costs::Costs;
pub use function::{Alias, Arm, ArmEnd, Block, Boxed, Counter, FunctionFacts, Hints, Loop};
pub use read::read;
pub use scev::{Scev, ScevKind};
pub use target::Target;
pub use value::{Heap, Operation, Pred, Type, Update, Value, ValueKind};
