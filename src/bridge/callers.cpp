// New code, or the loops beside it, in functions into which both were inlined.
//
// A caller may know what nobody knew when the new code was made: that an inner loop has eight iterations, or a window
// three rows. Of the original loops LLVM's passes make straight code then, and run the loop around it in vectors; new
// code is general and stays as it is. So where the innermost loops of the original are gone in a caller, and with them
// a level of the nest, the original runs there.
//
// For that the original has to be there when simplification is over, also where the caller knows that arrays do not
// overlap: between the test and the new code stands a question whose answer no pass knows.

#include "bridge/callers.h"
#include "bridge/bridge.h"
#include "bridge/conditions.h"

#include "llvm/Analysis/InstructionSimplify.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Metadata.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;

namespace {

// Attributes of new code: the function that it was made of, and levels of the original nest.
constexpr StringRef Of = "polyrs-of", Levels = "polyrs-levels";

// Attribute of questions: a user's asm may look the same.
constexpr StringRef Asks = "polyrs-asks-callers";

// Property of the original's innermost loops: what passes and inlining make of a loop's id keeps it.
constexpr const char *Innermost = "polyrs.innermost";

// Blocks of an original that are looked at.
constexpr size_t MaxBlocks = 256;

// The original's loops, as far as they are the original's own.
struct Nest {
  unsigned Levels = 0;
  SmallVector<Loop *, 4> Innermost;
};

// The loops on the way that begins with `Start` and ends at `Join`; none if there is much on it.
std::optional<Nest> nestOn(BasicBlock *Start, BasicBlock *Join, const LoopInfo &LI) {
  Nest Found;
  unsigned Around = LI.getLoopDepth(Join);
  SmallSetVector<BasicBlock *, 32> Way;
  if (Start != Join)
    Way.insert(Start);
  for (size_t K = 0; K < Way.size(); ++K) {
    if (Way.size() > MaxBlocks)
      return std::nullopt;
    if (Loop *L = LI.getLoopFor(Way[K]); L && L->getLoopDepth() > Around) {
      Found.Levels = std::max(Found.Levels, L->getLoopDepth() - Around);
      if (L->isInnermost() && L->getHeader() == Way[K])
        Found.Innermost.push_back(L);
    }
    for (BasicBlock *Next : successors(Way[K]))
      if (Next != Join)
        Way.insert(Next);
  }
  return Found;
}

// New code that waits and the original beside it, where a question stands.
struct Choice {
  CallBase *New;
  BasicBlock *Original, *Join;
};

std::optional<Choice> choiceAt(const CallInst &Question) {
  auto *Branch = dyn_cast<BranchInst>(Question.getParent()->getTerminator());
  if (!Branch || !Branch->isConditional())
    return std::nullopt;
  BasicBlock *Start = Branch->getSuccessor(0), *Join = Start->getSingleSuccessor();
  if (!Join)
    return std::nullopt;
  for (Instruction &I : *Start) {
    auto *Call = dyn_cast<CallBase>(&I);
    if (Function *New = Call ? Call->getCalledFunction() : nullptr; New && New->hasFnAttribute(Levels))
      return Choice{Call, Branch->getSuccessor(1), Join};
  }
  return std::nullopt;
}

// Whether the caller knows so much that the original has lost its innermost loops.
bool isUnrolled(const Choice &At, FunctionAnalysisManager &FAM) {
  Function &Caller = *At.New->getFunction(), &New = *At.New->getCalledFunction();
  if (New.getFnAttribute(Of).getValueAsString() == Caller.getName())
    return false;
  std::optional<Nest> Now = nestOn(At.Original, At.Join, FAM.getResult<LoopAnalysis>(Caller));
  unsigned Then = 0;
  New.getFnAttribute(Levels).getValueAsString().getAsInteger(10, Then);
  auto IsTold = [](const Loop *L) { return findOptionMDForLoop(L, Innermost) != nullptr; };
  return Now && Now->Levels < Then && none_of(Now->Innermost, IsTold);
}

} // namespace

void polyrsTellInnermost(Loop &L) {
  for (Loop *Inner : L.getLoopsInPreorder())
    if (Inner->isInnermost())
      addStringMetadataToLoop(Inner, Innermost);
}

void polyrsAskCallers(CallBase &Waiting, const Function &Original) {
  BasicBlock *Start = Waiting.getParent(), *Before = Start->getSinglePredecessor(), *Join = Start->getSingleSuccessor();
  auto *Branch = Before ? dyn_cast<BranchInst>(Before->getTerminator()) : nullptr;
  if (!Branch || !Branch->isConditional() || !Join || !Original.hasName())
    return;
  BasicBlock *Other = Branch->getSuccessor(Branch->getSuccessor(0) == Start);
  DominatorTree DT(*Start->getParent());
  LoopInfo LI(DT);
  std::optional<Nest> Found = nestOn(Other, Join, LI);
  if (!Found || Found->Levels < 2)
    return;
  for (Loop *L : Found->Innermost)
    polyrsTellInnermost(*L);
  LLVMContext &Context = Start->getContext();
  BasicBlock *AsksHere = BasicBlock::Create(Context, "polyrs.callers", Start->getParent(), Start);
  IRBuilder<> Builder(AsksHere);
  CallInst *Question = polyrsUnknown(Builder, Builder.getInt32(1), Asks);
  // Those of two calls of one function are two, though they look the same.
  Question->addFnAttr(Attribute::Convergent);
  Builder.CreateCondBr(Builder.CreateTrunc(Question, Builder.getInt1Ty()), Start, Other);
  for (PHINode &Phi : Other->phis())
    Phi.addIncoming(Phi.getIncomingValueForBlock(Before), AsksHere);
  Start->replacePhiUsesWith(Before, AsksHere);
  Branch->replaceSuccessorWith(Start, AsksHere);
  Function &New = *Waiting.getCalledFunction();
  New.addFnAttr(Levels, std::to_string(Found->Levels));
  New.addFnAttr(Of, Original.getName());
}

void polyrsAnswerCallers(Module &M, FunctionAnalysisManager &FAM) {
  SmallVector<std::pair<CallInst *, bool>, 8> Answers;
  for (CallInst *Question : polyrsAllUnknown(M, Asks)) {
    std::optional<Choice> At = choiceAt(*Question);
    Answers.emplace_back(Question, !At || !isUnrolled(*At, FAM));
  }
  SmallSetVector<Function *, 8> Changed;
  for (auto [Question, TakesNew] : Answers) {
    BasicBlock *Asked = Question->getParent();
    Changed.insert(Asked->getParent());
    replaceAndRecursivelySimplify(Question, ConstantInt::get(Question->getType(), TakesNew));
    ConstantFoldTerminator(Asked);
    if (BasicBlock *Next = Asked->getSingleSuccessor())
      MergeBlockIntoPredecessor(Next);
  }
  for (Function *F : Changed) {
    removeUnreachableBlocks(*F);
    FAM.invalidate(*F, PreservedAnalyses::none());
  }
}
