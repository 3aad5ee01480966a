// Memory that nobody reads, see unread.cpp.
#ifndef POLYRS_UNREAD_H
#define POLYRS_UNREAD_H

#include "llvm/IR/PassManager.h"

namespace llvm {
class Instruction;
class TargetLibraryInfo;
class Value;
}

// Whether `Object` is memory that nobody but this module can know of, and nothing in it reads: LLVM removes what is
// stored there, and the loops around. What writes it is added to `Writes` if that is asked for.
bool polyrsIsNeverRead(const llvm::Value *Object, const llvm::TargetLibraryInfo &TLI,
                       llvm::SmallVectorImpl<llvm::Instruction *> *Writes = nullptr);

// Attribute of functions from which something was removed: loops of new code may be dead.
constexpr const char *PolyrsRemovedUnread = "polyrs-removed-unread";

// Removes what writes such memory if new code does, or is asked whether it may: LLVM does not see through that.
void polyrsRemoveUnread(llvm::Module &M, llvm::FunctionAnalysisManager &FAM);

#endif
