// Comparisons of pointers with null that the way to them decides.
//
// Rust's iterators return an `Option` of a reference, which is a pointer, or null at the end: `next` makes one value of
// both ways, and the loop tells them apart again. As long as it does, the loop ends by that pointer and not by what
// `next` compared, and has no number of iterations.

#include "canonical/canonical.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/SSAUpdater.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

// The phi of the block that the block's branch compares with null, if it does no more than that with the comparison.
PHINode *comparedPhi(const BranchInst &Branch, ICmpInst *&Compare) {
  Compare = Branch.isConditional() ? dyn_cast<ICmpInst>(Branch.getCondition()) : nullptr;
  if (!Compare || Compare->getParent() != Branch.getParent() || !Compare->isEquality() || !match(Compare->getOperand(1), m_Zero()))
    return nullptr;
  auto *Phi = dyn_cast<PHINode>(Compare->getOperand(0));
  return Phi && Phi->getType()->isPointerTy() && Phi->getParent() == Branch.getParent() ? Phi : nullptr;
}

// Whether the pointer is null where it comes from `From`; nothing where that is not known.
std::optional<bool> isNull(const Value *V, const BasicBlock &From, const DominatorTree &DT, AssumptionCache &AC) {
  if (isa<ConstantPointerNull>(V))
    return true;
  SimplifyQuery Query(From.getDataLayout(), &DT, &AC, From.getTerminator());
  if (isKnownNonZero(V, Query))
    return false;
  return std::nullopt;
}

// A branch that is decided by the way to it.
struct Decided {
  BranchInst *Branch;
  ICmpInst *Compare;
  // What the comparison is, for each way.
  PHINode *Holds;
};

// Puts `Holds` into the branch's block where it is known for all ways; null else.
PHINode *decide(ICmpInst &Compare, PHINode &Phi, const DominatorTree &DT, AssumptionCache &AC) {
  SmallVector<bool, 4> Null;
  for (auto [V, From] : zip(Phi.incoming_values(), Phi.blocks())) {
    std::optional<bool> Is = isNull(V, *From, DT, AC);
    if (!Is)
      return nullptr;
    Null.push_back(*Is);
  }
  bool IsEq = Compare.getPredicate() == CmpInst::ICMP_EQ;
  auto *Holds = PHINode::Create(Compare.getType(), Null.size(), "polyrs.holds", Phi.getIterator());
  for (auto [Is, From] : zip(Null, Phi.blocks()))
    Holds->addIncoming(ConstantInt::getBool(Compare.getContext(), Is == IsEq), From);
  return Holds;
}

// Whether the block does nothing but bring ways together and compare.
bool onlyCompares(const BasicBlock &BB, const ICmpInst &Compare) {
  return Compare.hasOneUse() && all_of(BB, [&](const Instruction &I) { return isa<PHINode>(I) || &I == &Compare || I.isTerminator(); });
}

// A copy of the block for the ways on which `Holds` is `Value`, which leads to `To`; null if there are none.
BasicBlock *copyFor(BasicBlock &BB, PHINode &Holds, bool Value, BasicBlock &To, DenseMap<PHINode *, PHINode *> &Copies) {
  SmallSetVector<BasicBlock *, 4> Ways;
  for (auto [V, From] : zip(Holds.incoming_values(), Holds.blocks()))
    if (cast<ConstantInt>(V)->isOne() == Value)
      Ways.insert(From);
  if (Ways.empty())
    return nullptr;
  auto *Copy = BasicBlock::Create(BB.getContext(), BB.getName(), BB.getParent(), &BB);
  auto *Out = BranchInst::Create(&To, Copy);
  Out->setDebugLoc(BB.getTerminator()->getDebugLoc());
  for (PHINode &Phi : BB.phis()) {
    auto *Of = PHINode::Create(Phi.getType(), Ways.size(), Phi.getName(), Out->getIterator());
    for (auto [V, From] : zip(Phi.incoming_values(), Phi.blocks()))
      if (Ways.contains(From))
        Of->addIncoming(V, From);
    Copies[&Phi] = Of;
  }
  for (PHINode &Phi : To.phis()) {
    auto *V = dyn_cast<PHINode>(Phi.getIncomingValueForBlock(&BB));
    Phi.addIncoming(V && V->getParent() == &BB ? Copies[V] : Phi.getIncomingValueForBlock(&BB), Copy);
  }
  for (BasicBlock *From : Ways)
    From->getTerminator()->replaceSuccessorWith(&BB, Copy);
  return Copy;
}

// Replaces the block by one for each way out of it.
void thread(const Decided &D) {
  BasicBlock &BB = *D.Branch->getParent();
  DenseMap<PHINode *, PHINode *> Copies[2];
  BasicBlock *Blocks[2];
  for (unsigned K : {0u, 1u})
    Blocks[K] = copyFor(BB, *D.Holds, K == 0, *D.Branch->getSuccessor(K), Copies[K]);
  for (BasicBlock *To : successors(&BB))
    To->removePredecessor(&BB, /*KeepOneInputPHIs=*/true);
  D.Branch->eraseFromParent();
  D.Compare->eraseFromParent();
  SSAUpdater Updater;
  for (PHINode &Phi : BB.phis()) {
    Updater.Initialize(Phi.getType(), Phi.getName());
    for (unsigned K : {0u, 1u})
      if (Blocks[K])
        Updater.AddAvailableValue(Blocks[K], Copies[K][&Phi]);
    for (Use &U : make_early_inc_range(Phi.uses()))
      if (cast<Instruction>(U.getUser())->getParent() != &BB)
        Updater.RewriteUse(U);
  }
  while (!BB.empty()) {
    BB.back().replaceAllUsesWith(PoisonValue::get(BB.back().getType()));
    BB.back().eraseFromParent();
  }
  BB.eraseFromParent();
}

} // namespace

bool polyrsDecideByWay(Function &F, const DominatorTree &DT, AssumptionCache &AC, const LoopInfo &LI) {
  SmallVector<Decided, 4> All;
  for (BasicBlock &BB : F) {
    auto *Branch = dyn_cast<BranchInst>(BB.getTerminator());
    ICmpInst *Compare = nullptr;
    PHINode *Phi = Branch && LI.getLoopFor(&BB) && !LI.isLoopHeader(&BB) ? comparedPhi(*Branch, Compare) : nullptr;
    if (!Phi || !onlyCompares(BB, *Compare) || Branch->getSuccessor(0) == Branch->getSuccessor(1))
      continue;
    if (PHINode *Holds = decide(*Compare, *Phi, DT, AC))
      All.push_back({Branch, Compare, Holds});
  }
  for (const Decided &D : All)
    thread(D);
  return !All.empty();
}
