//! `libpolyrs.so`: the library with its own allocator, for LLVM's programs to load. The symbol that they look up is in
//! `bridge::entry`.

/// Rows, sets and tableaus are made and dropped by the hundred thousand: the allocator is seen in the compile time.
/// Programs that use the library choose their own.
#[global_allocator]
static MEMORY: library::bridge::memory::Memory = library::bridge::memory::Memory;
