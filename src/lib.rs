//! polyrs: a polyhedral loop optimizer for LLVM, the library; `crates/plugin` makes a pass plugin of it.
//!
//! One function in, one function out; modules in pipeline order:
//! `bridge` (LLVM handles) -> `canonical` (the clone that is worked on) -> `facts` (what LLVM knows, as plain data) ->
//! `scop` (regions) -> `model` (sets and maps) -> `deps` (dependences; `deps::check`, the prover) -> `storage` (where
//! data lives) -> `cost` (time of an order) -> `transform` (operations on loops; scripts) -> `schedule` (Pluto) ->
//! `parallel` (threads) -> `ast` (loops) -> `codegen` (LLVM IR). Each imports only what stands before it, and `facts`
//! nothing. `calc` shows schedules and loops to a person. Without the feature `llvm` everything but `bridge`,
//! `canonical`, `codegen`, `pipeline` and `plugin` builds and tests: the layers between know no LLVM handle.

pub mod error;
pub mod ids;
pub mod logging;
pub mod options;
pub mod outcome;
pub mod phase;
pub mod report;

pub mod ast;
#[cfg(feature = "llvm")]
pub mod bridge;
pub mod calc;
#[cfg(feature = "llvm")]
pub mod canonical;
#[cfg(feature = "llvm")]
pub mod codegen;
pub mod cost;
pub mod deps;
pub mod facts;
pub mod model;
pub mod parallel;
#[cfg(feature = "llvm")]
pub mod pipeline;
#[cfg(feature = "llvm")]
pub mod plugin;
pub mod schedule;
pub mod scop;
pub mod storage;
pub mod transform;
