//! Orders and roles chosen for threads.

mod copies;
mod device;
mod private;
mod reductions;
mod split;
mod threads;
