// Functions of new code that are alike become one.
//
// Each function of the user's that holds a contraction brings a kernel, routines that pack and functions that take
// memory with it; two products of matrices of one type have the same. They are compared as LLVM's own pass that merges
// functions does it, which no pipeline runs.

#include "bridge/bridge.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/StructuralHash.h"
#include "llvm/Transforms/Utils/FunctionComparator.h"

using namespace llvm;

namespace {

// Kernels and what comes with them, in the order in which they were made: callees before their callers, which are alike
// only then.
SmallVector<Function *, 16> written(Module &M) {
  SmallVector<Function *, 16> All;
  for (Function &F : M)
    if (F.hasFnAttribute(PolyrsWritten) && F.hasLocalLinkage() && !F.isDeclaration() && F.getReturnType()->isVoidTy())
      All.push_back(&F);
  return All;
}

} // namespace

void polyrsMergeWritten(Module &M, FunctionAnalysisManager &FAM) {
  SmallVector<Function *, 16> All = written(M);
  if (All.size() < 2)
    return;
  GlobalNumberState Numbers;
  MapVector<stable_hash, SmallVector<Function *, 2>> Kept;
  for (Function *F : All) {
    SmallVector<Function *, 2> &Alike = Kept[StructuralHash(*F)];
    auto *Found = find_if(Alike, [&](Function *Other) { return FunctionComparator(F, Other, &Numbers).compare() == 0; });
    if (Found == Alike.end()) {
      Alike.push_back(F);
      continue;
    }
    F->replaceAllUsesWith(*Found);
    FAM.clear(*F, F->getName());
    Numbers.erase(F);
    F->eraseFromParent();
  }
}
