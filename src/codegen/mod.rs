//! AST -> LLVM IR.
