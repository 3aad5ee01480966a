// Hides the conditions for new code from LLVM's simplification.
//
// Where one of several tests fails, the original code runs, which begins with tests of its own: that there are rows at
// all. A pass that knows after the first of ours how those end jumps behind them, and from then on nothing in the
// original's loops knows what had been tested in front of them: a row of `m > 2` elements may have one now, for which
// vectorizers make code. So that the original is optimized as if it stood alone, the conditions pass through an empty
// inline assembly until simplification is over. Those that are decided before, in callers that know the sizes, are
// shown at once: of two versions one goes.

#include "bridge/conditions.h"
#include "bridge/bridge.h"

#include "llvm/Analysis/InstructionSimplify.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace {

// Attribute of what hides a condition: a user's asm may look the same.
constexpr StringRef Hides = "polyrs-hides";
// The same where it hides until vectorizers are done.
constexpr StringRef HidesLong = "polyrs-hides-long";

// Gives back its operand.
InlineAsm *sameNumber(LLVMContext &Context) {
  Type *Int = Type::getInt32Ty(Context);
  return InlineAsm::get(FunctionType::get(Int, {Int}, /*isVarArg=*/false), "", "=r,0", /*hasSideEffects=*/false);
}

// The calls under this mark among those that are wanted, which is to be cheaper to find out.
SmallVector<CallInst *, 8> marked(LLVMContext &Context, StringRef Mark, function_ref<bool(const CallInst &)> IsWanted) {
  SmallVector<CallInst *, 8> All;
  for (User *U : sameNumber(Context)->users())
    if (auto *Call = dyn_cast<CallInst>(U); Call && Call->getParent() && IsWanted(*Call) && Call->hasFnAttr(Mark))
      All.push_back(Call);
  return All;
}

void show(CallInst &Hidden) {
  Value *Number = Hidden.getArgOperand(0);
  replaceAndRecursivelySimplify(&Hidden, Number);
  RecursivelyDeleteTriviallyDeadInstructions(Number);
}

} // namespace

CallInst *polyrsUnknown(IRBuilder<> &Builder, Value *Number, StringRef Mark) {
  CallInst *Unknown = Builder.CreateCall(sameNumber(Builder.getContext()), {Number});
  Unknown->setDoesNotAccessMemory();
  Unknown->setDoesNotThrow();
  Unknown->addFnAttr(Attribute::WillReturn);
  Unknown->addFnAttr(Attribute::get(Builder.getContext(), Mark));
  return Unknown;
}

SmallVector<CallInst *, 8> polyrsAllUnknown(const Module &M, StringRef Mark) {
  return marked(M.getContext(), Mark, [&](const CallInst &Call) { return Call.getModule() == &M; });
}

void polyrsHideConditions(CallBase &Waiting) {
  BasicBlock *Next = Waiting.getParent(), *Other = nullptr;
  SmallVector<BranchInst *, 4> Branches;
  while (BasicBlock *Before = Next->getSinglePredecessor()) {
    auto *Branch = dyn_cast<BranchInst>(Before->getTerminator());
    if (!Branch || !Branch->isConditional())
      break;
    BasicBlock *Past = Branch->getSuccessor(Branch->getSuccessor(0) == Next);
    if (Other && Past != Other)
      break;
    Other = Past;
    Branches.push_back(Branch);
    Next = Before;
  }
  bool IsAlone = Branches.size() == 1;
  // That not all of several things hold says nothing of any of them.
  if (IsAlone && !isa<ICmpInst>(Branches.front()->getCondition()))
    return;
  StringRef Mark = IsAlone ? HidesLong : Hides;
  for (BranchInst *Branch : Branches) {
    if (isa<Constant>(Branch->getCondition()))
      continue;
    IRBuilder<> Builder(Branch);
    Value *Hidden = polyrsUnknown(Builder, Builder.CreateZExt(Branch->getCondition(), Builder.getInt32Ty()), Mark);
    Branch->setCondition(Builder.CreateTrunc(Hidden, Builder.getInt1Ty()));
  }
}

void polyrsShowConditions(Module &M, FunctionAnalysisManager &FAM) {
  for (CallInst *Hidden : polyrsAllUnknown(M, Hides)) {
    Function &F = *Hidden->getFunction();
    show(*Hidden);
    FAM.invalidate(F, polyrsPreservedAfter(true));
  }
}

bool polyrsShowConditions(Function &F, function_ref<bool(const CallInst &)> IsShown, bool AreLong) {
  auto IsWanted = [&](const CallInst &Call) { return Call.getFunction() == &F && IsShown(Call); };
  SmallVector<CallInst *, 8> Wanted = marked(F.getContext(), AreLong ? HidesLong : Hides, IsWanted);
  for (CallInst *Hidden : Wanted)
    show(*Hidden);
  return !Wanted.empty();
}

PreservedAnalyses ShowDecidedPass::run(Function &F, FunctionAnalysisManager &) {
  if (F.hasFnAttribute(PolyrsWritten))
    return PreservedAnalyses::all();
  auto IsDecided = [](const CallInst &Call) { return isa<Constant>(Call.getArgOperand(0)); };
  bool IsAny = polyrsShowConditions(F, IsDecided, /*AreLong=*/false);
  IsAny |= polyrsShowConditions(F, IsDecided, /*AreLong=*/true);
  return polyrsPreservedAfter(IsAny);
}
