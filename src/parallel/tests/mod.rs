//! Orders and roles chosen for threads.

mod split;
mod threads;
