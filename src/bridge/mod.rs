//! Everything unsafe: LLVM handles, the C++ bridge, the plugin's callbacks. L0.
//!
//! [`analysis`] is plain data and builds without LLVM. `entry` holds the symbol that the host looks up and the upward calls;
//! `module` and `clone` are safe views of a module and of the canonical copy of one function.

pub mod analysis;
#[cfg(feature = "llvm")]
pub mod clone;
#[cfg(feature = "llvm")]
mod entry;
#[cfg(feature = "llvm")]
pub mod facts;
#[cfg(feature = "llvm")]
mod ffi;
#[cfg(feature = "llvm")]
pub mod ir;
#[cfg(feature = "llvm")]
mod ir_edit;
#[cfg(feature = "llvm")]
pub mod ir_outline;
#[cfg(feature = "llvm")]
mod ir_real;
#[cfg(feature = "llvm")]
mod ir_reduce;
#[cfg(feature = "llvm")]
pub mod module;
#[cfg(all(test, feature = "llvm"))]
pub mod sandbox;

// The library's unit tests are a program, and nobody loads libLLVM for them; the plugin itself must not link it.
#[cfg(all(test, feature = "llvm"))]
#[link(name = "LLVM-22")]
unsafe extern "C" {}
