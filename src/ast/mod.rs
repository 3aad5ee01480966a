//! Schedule tree -> loop AST.

pub mod types;
