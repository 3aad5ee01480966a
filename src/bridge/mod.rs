//! Everything unsafe: LLVM handles, the C++ bridge, the plugin's callbacks.
//!
//! `entry` holds the symbol that the host looks up and the upward calls; `module` and `clone` are safe views of a
//! module and of the canonical copy of one function.

pub mod clone;
mod entry;
pub mod facts;
mod ffi;
pub mod ir;
pub mod ir_device;
mod ir_edit;
pub mod ir_outline;
mod ir_real;
mod ir_reduce;
pub mod ir_rows;
mod ir_shared;
mod ir_vector;
pub mod memory;
pub mod module;
#[cfg(test)]
pub mod sandbox;

// The library's unit tests are a program, and nobody loads libLLVM for them; the plugin itself must not link it.
#[cfg(test)]
#[link(name = "LLVM-22")]
unsafe extern "C" {}
