// Inlines small functions into the loops of a clone.

#include "canonical/canonical.h"

#include "llvm/Analysis/InlineCost.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

// Bounds on inlining, in instructions of the callee and of all that is added to one function.
constexpr size_t MaxCalleeSize = 150;
constexpr size_t MaxInlinedSize = 1500;

// Whether the function has more than `Limit` instructions; looks at no more than that.
static bool isLargerThan(const Function &F, size_t Limit) {
  size_t Size = 0;
  for (const BasicBlock &BB : F)
    if ((Size += BB.size()) > Limit)
      return true;
  return false;
}

bool polyrsMayInline(const CallBase &Call, const Function &Caller, const PolyrsModule &M) {
  const Function *Callee = Call.getCalledFunction();
  if (!Callee || Callee->isDeclaration() || Callee->isInterposable() || Callee == &Caller || !isa<CallInst>(Call))
    return false;
  if (Call.isNoInline() || Call.isMustTailCall() || Callee->hasFnAttribute(Attribute::NoInline) || Callee->hasOptNone() ||
      Callee->isVarArg() || Callee->isPresplitCoroutine() || Callee->hasFnAttribute("polyrs-done") ||
      polyrsIsOptedOut(M, *Callee) || isLargerThan(*Callee, MaxCalleeSize))
    return false;
  for (const Instruction &I : instructions(*Callee))
    if (auto *Inner = dyn_cast<CallBase>(&I))
      if (!Inner->getCalledFunction() || Inner->getCalledFunction() == Callee || Inner->getCalledFunction() == &Caller)
        return false;
  return isInlineViable(*const_cast<Function *>(Callee)).isSuccess();
}

void polyrsInlineIntoLoops(PolyrsClone &C) {
  FunctionAnalysisManager &FAM = C.Module.FAM;
  const Function &Caller = *C.Original;
  SmallVector<CallBase *, 8> Work;
  for (Loop *L : FAM.getResult<LoopAnalysis>(*C.Clone))
    for (BasicBlock *BB : L->blocks())
      for (Instruction &I : *BB)
        if (auto *Call = dyn_cast<CallBase>(&I))
          Work.push_back(Call);
  auto &TTI = FAM.getResult<TargetIRAnalysis>(*C.Clone);
  size_t Added = 0;
  for (size_t Next = 0; Next < Work.size(); ++Next) {
    Function *Callee = Work[Next]->getCalledFunction();
    if (!polyrsMayInline(*Work[Next], Caller, C.Module) || !AttributeFuncs::areInlineCompatible(Caller, *Callee) ||
        !TTI.areInlineCompatible(&Caller, Callee))
      continue;
    Added += Callee->getInstructionCount();
    if (Added > MaxInlinedSize)
      break;
    InlineFunctionInfo Info;
    if (!InlineFunction(*Work[Next], Info).isSuccess())
      continue;
    C.Inlined.push_back(Callee);
    Work.append(Info.InlinedCallSites.begin(), Info.InlinedCallSites.end());
  }
  if (!C.Inlined.empty())
    FAM.invalidate(*C.Clone, PreservedAnalyses::none());
}
