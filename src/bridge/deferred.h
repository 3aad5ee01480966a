// New code that waits until simplification is over, see deferred.cpp.
#ifndef POLYRS_DEFERRED_H
#define POLYRS_DEFERRED_H

#include "llvm/IR/PassManager.h"

// Brings back what waits. Runs where simplification ends.
struct ResumePass : llvm::PassInfoMixin<ResumePass> {
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &MAM);
  static bool isRequired() { return true; }
  static llvm::StringRef name() { return "PolyrsResumePass"; }
};

#endif
