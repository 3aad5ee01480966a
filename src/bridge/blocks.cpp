// Keeps LLVM from comparing all accesses of a large innermost loop of new code with each other.
//
// What is behind the vectorizer looks for values that one iteration stores and the next one loads, and asks of each
// pair of accesses how far they are apart before it looks for any. In new code such values are in registers already
// (see also carried.cpp). Blocks of lanes have hundreds of accesses, and to look at their pairs takes longer than all
// other passes together. Between the two functions here, such a loop holds a call that the analysis of accesses does
// not know, and gives up at; it touches no memory that a program sees, and is nothing to all other passes.

#include "bridge/bridge.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Intrinsics.h"

using namespace llvm;

namespace {

// Metadata of the calls that are ours.
constexpr const char *Hidden = "polyrs.hidden";
// Accesses to memory in a loop, from which on their pairs are too many.
constexpr unsigned ManyAccesses = 32;

// Whether code generation has made the vectors of the loop that there are to be, or this is the rest of such a loop.
bool isVectorized(const Loop &L) {
  return findStringMetadataForLoop(&L, "llvm.loop.isvectorized").has_value();
}

// Whether it has none: each iteration waits for the one before.
bool runsAlone(const Loop &L) { return getOptionalIntLoopAttribute(&L, "llvm.loop.vectorize.width") == 1; }

bool hasManyAccesses(const Loop &L) {
  unsigned Number = 0;
  for (BasicBlock *BB : L.blocks())
    for (Instruction &I : *BB)
      if (isa<LoadInst, StoreInst>(I) && ++Number >= ManyAccesses)
        return true;
  return false;
}

void hide(BasicBlock &Header) {
  IRBuilder<> Builder(&Header, Header.getFirstInsertionPt());
  Value *Nothing = ConstantPointerNull::get(Builder.getPtrTy());
  auto *Call = Builder.CreateIntrinsic(Intrinsic::var_annotation, {Builder.getPtrTy(), Builder.getPtrTy()},
                                       {Nothing, Nothing, Nothing, Builder.getInt32(0), Nothing});
  Call->setMetadata(Hidden, MDNode::get(Call->getContext(), {}));
}

} // namespace

// True if anything changed.
bool polyrsHideAccesses(LoopInfo &LI, ScalarEvolution &SE) {
  bool Changed = false;
  for (Loop *L : LI.getLoopsInPreorder())
    if (L->isInnermost() && polyrsIsWrittenNew(*L) && hasManyAccesses(*L) &&
        (isVectorized(*L) || (runsAlone(*L) && polyrsKeepCarried(*L, SE)))) {
      hide(*L->getHeader());
      Changed = true;
    }
  return Changed;
}

// Takes the calls away again; true if there were any.
bool polyrsShowAccesses(Function &F) {
  Type *Ptr = PointerType::getUnqual(F.getContext());
  SmallVector<Instruction *, 8> Calls;
  if (Function *Called = Intrinsic::getDeclarationIfExists(F.getParent(), Intrinsic::var_annotation, {Ptr, Ptr}))
    for (User *U : Called->users())
      if (auto *I = dyn_cast<Instruction>(U); I && I->getFunction() == &F && I->hasMetadata(Hidden))
        Calls.push_back(I);
  for (Instruction *Call : Calls)
    Call->eraseFromParent();
  return !Calls.empty();
}
