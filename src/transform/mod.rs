//! Transformations of loops as operations on schedule trees.
//!
//! Each changes the order of instances, or says how its loops are to be written, and proves nothing: `deps::check` does.

pub mod wavefront;
