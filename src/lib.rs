//! polyrs: a polyhedral loop optimizer for LLVM, the library; `crates/plugin` makes a pass plugin of it.
//!
//! One function in, one function out; modules in pipeline order:
//! `bridge` (LLVM handles) -> `canonical` (the clone that is worked on) -> `facts` (what LLVM knows, as plain data) ->
//! `scop` (regions) -> `model` (sets and maps) -> `deps` (dependences; what loops carry) -> `storage` (where data
//! lives) -> `cost` (time of an order) -> `transform` (operations on loops; scripts) -> `schedule` (Pluto) ->
//! `parallel` (threads) -> `proof` (of the tree that is built) -> `ast` (loops) -> `codegen` (LLVM IR). Each imports
//! only what stands before it, and `facts` nothing; `pipeline` calls them in this order. Two steps go back by design:
//! `storage::scalars` makes another SCoP of the model's before its dependences are computed, and an order whose loops
//! would leave something else in a privatized array gets roles without that copy, and another proof. `calc` shows
//! schedules and loops to a person, `explain` what became of a program's. Without the feature `llvm` everything but
//! `bridge`, `canonical`, `codegen`, `pipeline` and `plugin` builds and tests: the layers between know no LLVM handle.

pub mod error;
pub mod ids;
pub mod logging;
pub mod options;
pub mod outcome;
pub mod phase;
pub mod remedies;
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
pub mod explain;
pub mod facts;
pub mod model;
pub mod parallel;
#[cfg(feature = "llvm")]
pub mod pipeline;
#[cfg(feature = "llvm")]
pub mod plugin;
pub mod proof;
pub mod schedule;
pub mod scop;
pub mod storage;
pub mod transform;
