//! `libpolyrs.so`: the library with its own allocator, for LLVM's programs to load. The symbol that they look up is in
//! `bridge::entry`.

use library as _;

/// Rows, sets and tableaus are made and dropped by the hundred thousand: the allocator is seen in the compile time.
/// Programs that use the library choose their own.
#[global_allocator]
static MEMORY: mimalloc::MiMalloc = mimalloc::MiMalloc;
