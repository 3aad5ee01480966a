// Lets loops that are left in the middle end at their latch, where the test for that is the one that the latch makes:
// `for (k = n - 1; k >= 0; k--) { .. for (j = 0; j < k; j++) .. }`.
//
// Where the inner loop does nothing, in the last iteration, LLVM's simplification goes to the end of the outer one at
// once: the loop has two exits. On the way to the latch instead the same test ends it, and what is skipped is a
// condition inside of it.

#include "canonical/canonical.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace {

// A branch out of a loop: taken if `test()` is `onTrue()`.
struct Exit {
  BranchInst *Branch;
  unsigned Successor;
  Value *test() const { return Branch->getCondition(); }
  bool onTrue() const { return Successor == 0; }
  BasicBlock *to() const { return Branch->getSuccessor(Successor); }
};

std::optional<Exit> exitAt(BasicBlock *BB, const Loop &L) {
  auto *Branch = dyn_cast<BranchInst>(BB->getTerminator());
  if (!Branch || !Branch->isConditional())
    return {};
  bool Stays[] = {L.contains(Branch->getSuccessor(0)), L.contains(Branch->getSuccessor(1))};
  if (Stays[0] == Stays[1])
    return {};
  return Exit{Branch, Stays[0] ? 1u : 0u};
}

// Whether both are taken for the same value of the same test.
bool testAlike(const Exit &A, const Exit &B) {
  if (A.test() == B.test())
    return A.onTrue() == B.onTrue();
  auto *Of = dyn_cast<ICmpInst>(A.test()), *Other = dyn_cast<ICmpInst>(B.test());
  if (!Of || !Other || Of->getOperand(0) != Other->getOperand(0) || Of->getOperand(1) != Other->getOperand(1))
    return false;
  return (A.onTrue() == B.onTrue() ? Of->getPredicate() : Of->getInversePredicate()) == Other->getPredicate();
}

// Whether nothing is done in the block that may not be done once more.
bool onlyComputes(const BasicBlock &BB) {
  return all_of(BB, [](const Instruction &I) {
    return I.isTerminator() || (!I.mayReadOrWriteMemory() && isSafeToSpeculativelyExecute(&I));
  });
}

// The block behind those that only lead on, with the one before it.
std::pair<BasicBlock *, BasicBlock *> behind(BasicBlock *From, BasicBlock *To) {
  for (unsigned Steps = 0; Steps < 4; ++Steps) {
    BasicBlock *Next = To->getSingleSuccessor();
    if (!Next || !onlyComputes(*To))
      break;
    From = std::exchange(To, Next);
  }
  return {To, From};
}

// Whether both exits lead to the same block, which then has the same values.
bool leadAlike(const Exit &A, const Exit &B) {
  auto [Of, ByA] = behind(A.Branch->getParent(), A.to());
  auto [Other, ByB] = behind(B.Branch->getParent(), B.to());
  auto IsAlike = [&, ByA = ByA, ByB = ByB](const PHINode &Phi) {
    return Phi.getIncomingValueForBlock(ByA) == Phi.getIncomingValueForBlock(ByB);
  };
  return Of == Other && all_of(Of->phis(), IsAlike);
}

// Whether `Latch` may be reached from the end of `From` as well.
bool mayFollow(const BasicBlock &Latch, const BasicBlock &From, const DominatorTree &DT) {
  if (isa<PHINode>(Latch.front()) || !onlyComputes(Latch))
    return false;
  return all_of(Latch, [&](const Instruction &I) {
    return all_of(I.operands(), [&](const Use &Operand) {
      auto *Of = dyn_cast<Instruction>(Operand.get());
      return !Of || Of->getParent() == &Latch || DT.dominates(Of, From.getTerminator());
    });
  });
}

// Sends an exit to the latch; false, with nothing changed, where that would not be the same.
bool rejoin(const Exit &Early, const Exit &Last, const DominatorTree &DT) {
  BasicBlock *Latch = Last.Branch->getParent(), *From = Early.Branch->getParent();
  if (!testAlike(Early, Last) || !mayFollow(*Latch, *From, DT) || !leadAlike(Early, Last))
    return false;
  // For the values that lead here the comparison says nothing of their signs.
  if (auto *Test = dyn_cast<ICmpInst>(Last.test()); Test && Test != Early.test())
    Test->setSameSign(false);
  BasicBlock *Old = Early.to();
  Old->removePredecessor(From);
  Early.Branch->setSuccessor(Early.Successor, Latch);
  while (Old && pred_empty(Old)) {
    BasicBlock *Next = Old->getSingleSuccessor();
    DeleteDeadBlock(Old);
    Old = Next;
  }
  return true;
}

} // namespace

// True if anything changed.
bool polyrsRejoinExits(LoopInfo &LI, DominatorTree &DT) {
  bool Changed = false;
  for (Loop *L : LI.getLoopsInPreorder()) {
    BasicBlock *Latch = L->getLoopLatch();
    std::optional<Exit> Last = Latch ? exitAt(Latch, *L) : std::nullopt;
    if (!Last)
      continue;
    SmallVector<BasicBlock *, 4> Exiting;
    L->getExitingBlocks(Exiting);
    for (BasicBlock *BB : Exiting) {
      if (BB == Latch || LI.getLoopFor(BB) != L)
        continue;
      if (std::optional<Exit> Early = exitAt(BB, *L); Early && rejoin(*Early, *Last, DT)) {
        DT.recalculate(*Latch->getParent());
        Changed = true;
      }
    }
  }
  return Changed;
}
