//! A stand-in for `libcuda.so.1` that runs kernels on the host and looks for faults in them, for tests of programs that
//! are compiled for a GPU, on machines that have none.
//!
//! In: the PTX that LLVM's backend writes (`parse`, `decode`), handed over through the driver's functions (`driver`).
//! Kernels run block after block and thread after thread (`run`), in an order that the user chooses (`order`). Every
//! access is checked (`memory`): bounds, alignment, memory that nobody has written, races within and across blocks;
//! barriers must be met by all threads of a block (`findings`). Kernels and copies of several streams may run at the
//! same time: what no event orders is found where they touch the same memory (`streams`, `state`). Accesses of warps
//! are counted (`counts`). Calls fail where a test asks for it (`faults`).
//!
//! Environment: `PTX_EMULATOR_FAULT`, `PTX_EMULATOR_ORDER` (`forward`, `backward`, `random=SEED`), `PTX_EMULATOR_GRID`
//! (most blocks along a dimension), `PTX_EMULATOR_STATS` (a line per launch), `PTX_EMULATOR_TRACE` (a line for what is
//! asked of a stream, and when it is done). Findings go to the standard error stream, a line each.
//!
//! Limits: no calls between functions of the device, of half precision only conversions, sums, differences and
//! products, no textures, no warp-wide operations; a module with anything else is refused as a whole.

pub mod arith;
pub mod counts;
mod decode;
pub mod driver;
pub mod faults;
pub mod findings;
mod half;
pub mod memory;
pub mod order;
pub mod parse;
pub mod run;
mod state;
pub mod streams;
#[cfg(test)]
mod tests;
pub mod types;
