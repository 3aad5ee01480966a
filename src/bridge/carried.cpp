// Keeps in registers what one iteration of a large innermost loop of new code stores and the next one loads.
//
// Jammed rows of a stencil in place have a chain each, through memory: the value that is loaded is needed first and was
// stored last. LLVM finds such values as well, by asking of each pair of accesses how far they are apart, which for the
// dozens of accesses of such a loop takes as long as half of all passes together. Here each address is compared with
// one; where all are a known number of bytes apart, which values are carried is a question of numbers. What is found is
// what LLVM would find: its own search is not needed then (see blocks.cpp).

#include "bridge/bridge.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

#include <optional>

using namespace llvm;

namespace {

// Bits of distances that are looked at: sums of two do not overflow.
constexpr unsigned MaxDistanceBits = 48;

std::optional<int64_t> distance(const SCEV *S) {
  auto *Bytes = dyn_cast<SCEVConstant>(S);
  if (!Bytes || Bytes->getAPInt().getSignificantBits() > MaxDistanceBits)
    return std::nullopt;
  return Bytes->getAPInt().getSExtValue();
}

// A load or a store: how far behind the first one it leads to, in bytes, and how many bytes it touches.
struct Access {
  Instruction *I;
  int64_t Offset, Bytes;
};

// The accesses of a loop of one block, in their order.
class Accesses {
  ScalarEvolution &SE;
  SCEVExpander Expander;
  BasicBlock &Body;
  BasicBlock *Preheader;
  SmallVector<Access, 64> All;
  // Where the first one leads to in the first iteration, and bytes from there to where it leads to in the next one.
  const SCEV *Start = nullptr;
  int64_t Step = 0;

public:
  Accesses(const Loop &L, ScalarEvolution &SE)
      : SE(SE), Expander(SE, "polyrs.first"), Body(*L.getHeader()), Preheader(L.getLoopPreheader()) {}

  // False if it is not known of all how far they are apart.
  bool find(const Loop &L) {
    if (L.getNumBlocks() != 1 || !Preheader)
      return false;
    const SCEV *First = nullptr;
    for (Instruction &I : Body) {
      // What is loaded in the first iteration is loaded in front of the loop.
      if (!isGuaranteedToTransferExecutionToSuccessor(&I))
        return false;
      Value *Pointer = getLoadStorePointerOperand(&I);
      auto *Intrinsic = dyn_cast<IntrinsicInst>(&I);
      if (!Pointer && (!I.mayReadOrWriteMemory() || (Intrinsic && Intrinsic->isAssumeLikeIntrinsic())))
        continue;
      TypeSize Bytes = Pointer ? Body.getDataLayout().getTypeStoreSize(getLoadStoreType(&I)) : TypeSize::getZero();
      if (!Pointer || I.isVolatile() || I.isAtomic() || Bytes.isScalable())
        return false;
      const SCEV *Address = SE.getSCEV(Pointer);
      First = First ? First : Address;
      std::optional<int64_t> Offset = distance(SE.getMinusSCEV(Address, First));
      if (!Offset)
        return false;
      All.push_back({&I, *Offset, int64_t(Bytes.getFixedValue())});
    }
    auto *Moves = First ? dyn_cast<SCEVAddRecExpr>(First) : nullptr;
    if (!Moves || Moves->getLoop() != &L || !Moves->isAffine())
      return false;
    std::optional<int64_t> By = distance(Moves->getStepRecurrence(SE));
    Start = Moves->getStart();
    Step = By.value_or(0);
    return By && Expander.isSafeToExpandAt(Start, Preheader->getTerminator());
  }

  // Puts values in registers.
  void keep() {
    SmallVector<LoadInst *, 16> Gone;
    for (unsigned To = 0; To < All.size(); ++To) {
      auto *Load = dyn_cast<LoadInst>(All[To].I);
      StoreInst *Store = Load ? storedBefore(To) : nullptr;
      if (!Store)
        continue;
      BasicBlock::iterator At = Preheader->getTerminator()->getIterator();
      Type *Index = SE.getEffectiveSCEVType(Start->getType());
      const SCEV *First = SE.getAddExpr(Start, SE.getConstant(Index, All[To].Offset, /*isSigned=*/true));
      Value *Pointer = Expander.expandCodeFor(First, Load->getPointerOperandType(), At);
      auto *Before = new LoadInst(Load->getType(), Pointer, "polyrs.first", /*isVolatile=*/false, Load->getAlign(), At);
      Before->setDebugLoc(Load->getDebugLoc());
      auto *Kept = PHINode::Create(Load->getType(), 2, "polyrs.kept", Body.begin());
      Kept->addIncoming(Before, Preheader);
      Kept->addIncoming(Store->getValueOperand(), &Body);
      Kept->setDebugLoc(Load->getDebugLoc());
      Load->replaceAllUsesWith(Kept);
      Gone.push_back(Load);
    }
    for (LoadInst *Load : Gone)
      Load->eraseFromParent();
  }

private:
  bool mayStoreTo(int64_t Offset, int64_t Bytes, unsigned From, unsigned End) const {
    for (unsigned K = From; K < End; ++K)
      if (isa<StoreInst>(All[K].I) && All[K].Offset < Offset + Bytes && Offset < All[K].Offset + All[K].Bytes)
        return true;
    return false;
  }

  // What the iteration before has stored where the load `To` reads, as the last one; null if that is none.
  StoreInst *storedBefore(unsigned To) const {
    const auto &[Load, Offset, Bytes] = All[To];
    if (mayStoreTo(Offset, Bytes, 0, To))
      return nullptr;
    for (unsigned K = All.size(); K-- > 0;) {
      auto *Store = dyn_cast<StoreInst>(All[K].I);
      if (!Store || !mayStoreTo(Offset + Step, Bytes, K, K + 1))
        continue;
      bool IsAll = All[K].Offset == Offset + Step && Store->getValueOperand()->getType() == Load->getType();
      return IsAll ? Store : nullptr;
    }
    return nullptr;
  }
};

} // namespace

bool polyrsKeepCarried(const Loop &L, ScalarEvolution &SE) {
  Accesses Of(L, SE);
  bool IsKnown = Of.find(L);
  if (IsKnown)
    Of.keep();
  return IsKnown;
}
