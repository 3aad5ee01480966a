// Moves comparisons of numbers that no loop changes to where what they compare is made: `if (beta == 0.0)` in a loop.
//
// Whether a branch in a region is taken must be known before the region where it does not vary; then it is a parameter
// of the region. Comparisons of integers are expressions of such, those of floating-point numbers are not. They may run
// anywhere: no comparison traps in code that does not ask for the floating-point environment. Runs on clones only.

#include "canonical/canonical.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace {

// Bound on the conditions followed from one comparison.
constexpr unsigned MaxUsers = 16;

// Behind which instruction all operands are made; null: the arguments are all there is.
const Instruction *lastOperand(const Instruction &I, const DominatorTree &DT) {
  const Instruction *Last = nullptr;
  for (const Value *V : I.operands())
    if (auto *Made = dyn_cast<Instruction>(V); Made && (!Last || DT.dominates(Last, Made)))
      Last = Made;
  return Last;
}

// Where an instruction may stand that uses what `Last` makes.
BasicBlock::iterator behind(const Instruction *Last, Function &F) {
  if (!Last)
    return F.getEntryBlock().getFirstNonPHIOrDbgOrAlloca();
  auto *Made = const_cast<Instruction *>(Last);
  return isa<PHINode>(Last) ? Made->getParent()->getFirstInsertionPt() : std::next(Made->getIterator());
}

} // namespace

bool polyrsDecidesBranch(const Value &Condition) {
  SmallVector<const Value *, 8> Work = {&Condition};
  for (unsigned At = 0; At < Work.size() && Work.size() < MaxUsers; ++At)
    for (const User *By : Work[At]->users()) {
      if (isa<BranchInst>(By))
        return true;
      if (By->getType()->isIntegerTy(1) && (isa<BinaryOperator>(By) || isa<SelectInst>(By)))
        Work.push_back(By);
    }
  return false;
}

bool polyrsHoistCompares(Function &F, const LoopInfo &LI, const DominatorTree &DT) {
  SmallVector<FCmpInst *, 8> Found;
  for (Instruction &I : instructions(F))
    if (auto *Compare = dyn_cast<FCmpInst>(&I); Compare && Compare->getType()->isIntegerTy(1) && polyrsDecidesBranch(*Compare))
      Found.push_back(Compare);
  bool Changed = false;
  for (FCmpInst *Compare : Found) {
    const Loop *Around = LI.getLoopFor(Compare->getParent());
    if (!Around || !Around->hasLoopInvariantOperands(Compare))
      continue;
    const Instruction *Last = lastOperand(*Compare, DT);
    if (Last && (Last->isTerminator() || Last->getParent() == Compare->getParent()))
      continue;
    Compare->moveBefore(behind(Last, F));
    // Where the loops do not run, what is said of its operands need not hold.
    Compare->dropPoisonGeneratingFlags();
    Changed = true;
  }
  return Changed;
}
