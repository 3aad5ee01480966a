// Callers that know more of loops beside which new code stands, see callers.cpp.
#ifndef POLYRS_CALLERS_H
#define POLYRS_CALLERS_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/PassManager.h"

namespace llvm {
class BasicBlock;
class CallBase;
class Loop;
}

// Gives the innermost loops of `L`, or of a copy of it, a property by which callers know them again: new code stands
// beside them. `PlaceOf`: where a latch, or its copy, is.
void polyrsTellInnermost(const llvm::Loop &L, llvm::function_ref<llvm::BasicBlock *(llvm::BasicBlock *)> PlaceOf);

// Puts a question in front of new code that waits, which stands for code of `Original`: whether a caller prefers the
// original loops beside it. Nothing, where these are not known well enough.
void polyrsAskCallers(llvm::CallBase &Waiting, const llvm::Function &Original);

// Answers all of them where simplification ends, before the new code comes back. Branches that are decided go.
void polyrsAnswerCallers(llvm::Module &M, llvm::FunctionAnalysisManager &FAM);

#endif
