//! Everything unsafe: LLVM handles, the C++ bridge, the plugin's callbacks. L0.
//!
//! [`analysis`] is plain data and builds without LLVM.

pub mod analysis;
#[cfg(feature = "llvm")]
pub mod facts;
#[cfg(feature = "llvm")]
pub mod ir;
#[cfg(feature = "llvm")]
mod ir_edit;
