// Lets loops with a step of more than one end by a count of their iterations.
//
// Widening induction variables to 64 bits leaves `j + 3 < n` a comparison of the narrow value where nobody can prove
// that `j + 3` does not wrap, and the number of iterations is lost with it. Before widening it is known: a counter that
// is compared with it keeps it.

#include "canonical/canonical.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;

namespace {

// The counter of the loop that the value is, if it is one narrower than 64 bits with a constant step other than one and
// minus one.
const SCEVAddRecExpr *stridedCounter(Value *V, const Loop &L, ScalarEvolution &SE) {
  if (!V->getType()->isIntegerTy() || V->getType()->getIntegerBitWidth() >= 64)
    return nullptr;
  auto *Counter = dyn_cast<SCEVAddRecExpr>(SE.getSCEV(V));
  if (!Counter || Counter->getLoop() != &L || !Counter->isAffine())
    return nullptr;
  auto *Step = dyn_cast<SCEVConstant>(Counter->getStepRecurrence(SE));
  return Step && Step->getAPInt().abs().ugt(1) ? Counter : nullptr;
}

// How often the loop goes on where it does so while `Counter Pred End`, in 64 bits, if its first iteration is known to
// have fulfilled that as well: `(End - 1 - start) / step`, without the maxima and minima of the general case. Null if
// that is not known.
const SCEV *plainCount(const SCEVAddRecExpr &Counter, CmpInst::Predicate Pred, const SCEV *End, const Loop &L, ScalarEvolution &SE) {
  const SCEV *Start = nullptr;
  for (const PHINode &P : L.getHeader()->phis())
    if (auto *Of = SE.isSCEVable(P.getType()) ? dyn_cast<SCEVAddRecExpr>(SE.getSCEV(const_cast<PHINode *>(&P))) : nullptr)
      if (Of->getLoop() == &L && Of->isAffine() && Of->getPostIncExpr(SE) == &Counter)
        Start = Of->getStart();
  if (!Start || !SE.isLoopInvariant(End, &L) || !ICmpInst::isRelational(Pred) || !SE.isLoopEntryGuardedByCond(&L, Pred, Start, End))
    return nullptr;
  const APInt &Step = cast<SCEVConstant>(Counter.getStepRecurrence(SE))->getAPInt();
  bool Rises = ICmpInst::isLT(Pred) || ICmpInst::isLE(Pred);
  if (Rises != Step.isStrictlyPositive())
    return nullptr;
  Type *I64 = Type::getInt64Ty(SE.getContext());
  auto Wide = [&](const SCEV *S) { return ICmpInst::isSigned(Pred) ? SE.getSignExtendExpr(S, I64) : SE.getZeroExtendExpr(S, I64); };
  const SCEV *Distance = Rises ? SE.getMinusSCEV(Wide(End), Wide(Start)) : SE.getMinusSCEV(Wide(Start), Wide(End));
  if (CmpInst::isStrictPredicate(Pred))
    Distance = SE.getMinusSCEV(Distance, SE.getOne(I64));
  return SE.getUDivExpr(Distance, SE.getConstant(Step.abs().zext(64)));
}

bool countIterations(Loop &L, ScalarEvolution &SE) {
  BasicBlock *Preheader = L.getLoopPreheader(), *Latch = L.getLoopLatch();
  auto *Branch = Latch && Latch == L.getExitingBlock() ? dyn_cast<BranchInst>(Latch->getTerminator()) : nullptr;
  auto *Compare = Preheader && Branch ? dyn_cast<ICmpInst>(Branch->getCondition()) : nullptr;
  if (!Compare)
    return false;
  bool GoesWhenTrue = Branch->getSuccessor(0) == L.getHeader();
  auto Pred = GoesWhenTrue ? Compare->getPredicate() : Compare->getInversePredicate();
  Value *End = Compare->getOperand(1);
  const SCEVAddRecExpr *Counter = stridedCounter(Compare->getOperand(0), L, SE);
  if (!Counter) {
    Counter = stridedCounter(Compare->getOperand(1), L, SE);
    End = Compare->getOperand(0);
    Pred = CmpInst::getSwappedPredicate(Pred);
  }
  if (!Counter)
    return false;
  const SCEV *Taken = SE.getBackedgeTakenCount(&L);
  if (isa<SCEVCouldNotCompute>(Taken) || isa<SCEVConstant>(Taken) || SE.getTypeSizeInBits(Taken->getType()) >= 64)
    return false;
  Type *I64 = Type::getInt64Ty(SE.getContext());
  const SCEV *Plain = plainCount(*Counter, Pred, SE.getSCEV(End), L, SE);
  Taken = Plain ? Plain : SE.getZeroExtendExpr(Taken, I64);
  SCEVExpander Expander(SE, "polyrs.count");
  if (!Expander.isSafeToExpandAt(Taken, Preheader->getTerminator()))
    return false;
  Value *Last = Expander.expandCodeFor(Taken, I64, Preheader->getTerminator());
  auto *Count = PHINode::Create(I64, 2, "polyrs.count", L.getHeader()->begin());
  auto *Next = BinaryOperator::CreateNUWAdd(Count, ConstantInt::get(I64, 1), "polyrs.next", Branch->getIterator());
  Next->setHasNoSignedWrap();
  Count->addIncoming(ConstantInt::get(I64, 0), Preheader);
  Count->addIncoming(Next, Latch);
  auto Goes = GoesWhenTrue ? CmpInst::ICMP_NE : CmpInst::ICMP_EQ;
  Branch->setCondition(new ICmpInst(Branch->getIterator(), Goes, Count, Last));
  if (Compare->use_empty())
    Compare->eraseFromParent();
  SE.forgetLoop(&L);
  return true;
}

} // namespace

bool polyrsCountIterations(LoopInfo &LI, ScalarEvolution &SE) {
  bool Changed = false;
  for (Loop *L : LI.getLoopsInPreorder())
    Changed |= countIterations(*L, SE);
  return Changed;
}
