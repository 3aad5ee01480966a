// Conditions that passes learn nothing from, see conditions.cpp.
#ifndef POLYRS_CONDITIONS_H
#define POLYRS_CONDITIONS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/PassManager.h"

namespace llvm {
class BasicBlock;
class CallBase;
}

// `Number`, of 32 bits, as a result of which no pass knows more than that it is one; the call has the attribute `Mark`.
llvm::CallInst *polyrsUnknown(llvm::IRBuilder<> &Builder, llvm::Value *Number, llvm::StringRef Mark);

// All such results in the module with that mark.
llvm::SmallVector<llvm::CallInst *, 8> polyrsAllUnknown(const llvm::Module &M, llvm::StringRef Mark);

// Hides the conditions under which the new code that waits runs; a comparison alone until vectorizers are done.
void polyrsHideConditions(llvm::CallBase &Waiting);

// Shows those again that are hidden until simplification ends.
void polyrsShowConditions(llvm::Module &M, llvm::FunctionAnalysisManager &FAM);

// Shows those conditions of a function that are wanted, of those that are hidden as long. Whether there are any.
bool polyrsShowConditions(llvm::Function &F, llvm::function_ref<bool(const llvm::CallInst &)> IsShown, bool AreLong);

// Shows conditions that have become constants.
struct ShowDecidedPass : llvm::PassInfoMixin<ShowDecidedPass> {
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
  static bool isRequired() { return true; }
  static llvm::StringRef name() { return "PolyrsShowDecidedPass"; }
};

#endif
