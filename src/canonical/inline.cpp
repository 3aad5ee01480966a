// Inlines small functions into the loops of a clone, and those that make what the loops work on: iterators, views.

#include "canonical/canonical.h"

#include "llvm/Analysis/InlineCost.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

// Bounds on inlining, in instructions of the callee and of all that is added to one function.
constexpr size_t MaxCalleeSize = 150;
constexpr size_t MaxInlinedSize = 1500;

// The same of a callee outside of loops.
constexpr size_t MaxBesideSize = 60;

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
  if (!Callee || Callee->isDeclaration() || Callee->isInterposable() || Callee == &Caller ||
      !isa<CallInst, InvokeInst>(Call))
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

// Whether a call outside of loops fills or reads a local variable of its caller: an iterator, the view of an array.
static bool isOfLocal(const CallBase &Call) {
  const Function *Callee = Call.getCalledFunction();
  return Callee && !Callee->isDeclaration() && !isLargerThan(*Callee, MaxBesideSize) && any_of(Call.args(), [](const Use &U) {
    return U->getType()->isPointerTy() && isa<AllocaInst>(getUnderlyingObject(U));
  });
}

// Adds the calls of a function that are not known yet, which they are then. LLVM does not tell of calls that came with
// a function whose calls all have landing pads.
static void addNewCalls(Function &F, SmallPtrSetImpl<const CallBase *> &Known, SmallVectorImpl<CallBase *> &Calls) {
  for (Instruction &I : instructions(F))
    if (auto *Call = dyn_cast<CallBase>(&I); Call && !isa<IntrinsicInst>(Call) && Known.insert(Call).second)
      Calls.push_back(Call);
}

void polyrsInlineIntoLoops(PolyrsClone &C) {
  FunctionAnalysisManager &FAM = C.Module.FAM;
  const Function &Caller = *C.Original;
  SmallVector<CallBase *, 8> Work;
  auto &LI = FAM.getResult<LoopAnalysis>(*C.Clone);
  for (Loop *L : LI)
    for (BasicBlock *BB : L->blocks())
      for (Instruction &I : *BB)
        if (auto *Call = dyn_cast<CallBase>(&I))
          Work.push_back(Call);
  for (BasicBlock &BB : *C.Clone)
    for (Instruction &I : BB)
      if (auto *Call = dyn_cast<CallBase>(&I); Call && !LI.getLoopFor(&BB) && isOfLocal(*Call))
        Work.push_back(Call);
  auto &TTI = FAM.getResult<TargetIRAnalysis>(*C.Clone);
  size_t Added = 0;
  SmallPtrSet<const CallBase *, 16> Known;
  for (size_t Next = 0; Next < Work.size(); ++Next) {
    Function *Callee = Work[Next]->getCalledFunction();
    if (!polyrsMayInline(*Work[Next], Caller, C.Module) || !AttributeFuncs::areInlineCompatible(Caller, *Callee) ||
        !TTI.areInlineCompatible(&Caller, Callee))
      continue;
    Added += Callee->getInstructionCount();
    if (Added > MaxInlinedSize)
      break;
    if (Known.empty()) {
      SmallVector<CallBase *, 16> Before;
      addNewCalls(*C.Clone, Known, Before);
    }
    Known.erase(Work[Next]);
    InlineFunctionInfo Info;
    if (!InlineFunction(*Work[Next], Info).isSuccess()) {
      Known.insert(Work[Next]);
      continue;
    }
    C.Inlined.push_back(Callee);
    addNewCalls(*C.Clone, Known, Work);
  }
  if (!C.Inlined.empty())
    FAM.invalidate(*C.Clone, PreservedAnalyses::none());
}
