// Keeps vectors that new code chooses element by element from being stored under a mask.
//
// Where some elements of what is stored are those that were loaded from there, instruction selection stores the others
// alone. Such stores take ten times as long as whole ones on cores without AVX-512, and what is loaded from there next
// waits until they are done: minima and maxima of columns ran at 0.6 of clang's speed, and run at 3.4 times it with
// whole ones. What was loaded passes through a `freeze`, which instruction selection does not look through.

#include "bridge/bridge.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;

// The load in the same block, from where `Store` stores to, that gives elements of the vector that is stored.
static LoadInst *keptElements(StoreInst &Store) {
  auto *Choice = dyn_cast<SelectInst>(Store.getValueOperand());
  if (!Choice || !Choice->getType()->isVectorTy())
    return nullptr;
  for (Value *Arm : {Choice->getTrueValue(), Choice->getFalseValue()})
    if (auto *Load = dyn_cast<LoadInst>(Arm); Load && Load->getParent() == Store.getParent() &&
                                              Load->getPointerOperand() == Store.getPointerOperand())
      return Load;
  return nullptr;
}

// True if anything changed. Only functions with new code are to be handed over.
bool polyrsStoreWhole(Function &F, LoopInfo &LI) {
  if (!F.getParent()->getTargetTriple().isX86())
    return false;
  bool Changed = false;
  for (Instruction &I : instructions(F)) {
    auto *Store = dyn_cast<StoreInst>(&I);
    LoadInst *Load = Store ? keptElements(*Store) : nullptr;
    if (!Load || !polyrsIsNew(LI.getLoopFor(Load->getParent())))
      continue;
    IRBuilder<> Builder(Load->getParent(), std::next(Load->getIterator()));
    Builder.SetCurrentDebugLocation(Load->getDebugLoc());
    Value *Same = Builder.CreateFreeze(Load);
    Load->replaceUsesWithIf(Same, [&](Use &U) { return U.getUser() != Same; });
    Changed = true;
  }
  return Changed;
}
