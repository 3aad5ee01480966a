// Callers that know more of loops beside which new code stands, see callers.cpp.
#ifndef POLYRS_CALLERS_H
#define POLYRS_CALLERS_H

#include "llvm/IR/PassManager.h"

namespace llvm {
class CallBase;
class Loop;
}

// Gives the innermost loops of `L` a property by which callers know them, or copies of them, again: new code stands
// beside them.
void polyrsTellInnermost(llvm::Loop &L);

// Puts a question in front of new code that waits, which stands for code of `Original`: whether a caller prefers the
// original loops beside it. Nothing, where these are not known well enough.
void polyrsAskCallers(llvm::CallBase &Waiting, const llvm::Function &Original);

// Answers all of them where simplification ends, before the new code comes back. Branches that are decided go.
void polyrsAnswerCallers(llvm::Module &M, llvm::FunctionAnalysisManager &FAM);

#endif
