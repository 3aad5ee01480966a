// Hides what innermost loops of new code start from before machine code is made of them.
//
// LLVM's loop strength reduction takes the addresses in an innermost loop apart as far as it can see, through the
// bounds of all loops around, and tries the parts in all combinations: for tiles, whose loops start from sums, minima
// and maxima of what is outside, that takes more time than all other passes together, and finds nothing that the
// addressing modes of a row and an offset do not have. It runs last, so that nothing that looks for vectors or
// dependences sees it.

#include "bridge/bridge.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Intrinsics.h"

using namespace llvm;

namespace {

// The values that are hidden, each with what stands for it in innermost loops.
class Hidden {
  DenseMap<Instruction *, Value *> Known;

  // Pointers keep what they are based on, for alias analysis: `freeze` would hide that, too.
  static Value *hide(Instruction &I, BasicBlock::iterator Place) {
    IRBuilder<> Builder(Place->getParent(), Place);
    Builder.SetCurrentDebugLocation(I.getDebugLoc());
    if (I.getType()->isPointerTy())
      return Builder.CreateIntrinsic(Intrinsic::strip_invariant_group, {I.getType()}, {&I});
    return Builder.CreateFreeze(&I);
  }

public:
  // True if the operand was computed outside of the loop, and is now something opaque of the same value. Phis are
  // induction variables of the loops around: they hide nothing.
  bool hideIn(const Loop &L, Use &Operand) {
    auto *I = dyn_cast<Instruction>(Operand.get());
    if (!I || isa<PHINode>(I) || isa<AllocaInst>(I) || L.contains(I))
      return false;
    Value *&Opaque = Known[I];
    if (!Opaque) {
      std::optional<BasicBlock::iterator> Place = I->getInsertionPointAfterDef();
      if (!Place)
        return false;
      Opaque = hide(*I, *Place);
    }
    Operand.set(Opaque);
    return true;
  }
};

} // namespace

bool polyrsIsNew(const Loop *L) {
  while (L && !polyrsIsWrittenNew(*L))
    L = L->getParentLoop();
  return L;
}

// True if anything changed. Only functions that code generation made are to be handed over. Original loops beside the
// new ones are left as they are.
bool polyrsHideStarts(Function &F, LoopInfo &LI) {
  Hidden Hidden;
  bool Changed = false;
  const unsigned Bits = F.getDataLayout().getPointerSizeInBits();
  for (Loop *L : LI.getLoopsInPreorder()) {
    if (!L->isInnermost() || !polyrsIsNew(L))
      continue;
    for (BasicBlock *BB : L->blocks())
      for (Instruction &I : *BB) {
        if (auto *Address = dyn_cast<GetElementPtrInst>(&I); Address && Address->getType()->isPointerTy())
          Changed |= Hidden.hideIn(*L, Address->getOperandUse(0));
        bool Counts = isa<PHINode, ICmpInst>(I) || I.getType()->isIntegerTy(Bits);
        if (!Counts || isa<CallBase>(I))
          continue;
        for (Use &Operand : I.operands())
          if (Operand->getType()->isIntegerTy(Bits))
            Changed |= Hidden.hideIn(*L, Operand);
      }
  }
  return Changed;
}
