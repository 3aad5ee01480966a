// Lets loops with a step of more than one, or with one that is not known, end by a count of their iterations.
//
// Widening induction variables to 64 bits leaves `j + 3 < n` a comparison of the narrow value where nobody can prove
// that `j + 3` does not wrap, and the number of iterations is lost with it. Before widening it is known: a counter that
// is compared with it keeps it.
//
// What is left of a slice that loses rows of an unknown length (Rust's `chunks_exact`) has no number of iterations for
// scalar evolution, which does not see that it never wraps: a row is taken only where there is one. It is a quotient.

#include "canonical/canonical.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;
using namespace llvm::PatternMatch;

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

// The loop's back edge, with what decides on it.
struct BackEdge {
  BasicBlock *Preheader, *Latch;
  BranchInst *Branch;
  ICmpInst *Compare;
  bool GoesWhenTrue;
  // Under which the loop goes on.
  CmpInst::Predicate Goes;
};

// Lets the loop end by a new counter when its back edge was taken as often as `Last` says, which is known before.
void endByCount(Loop &L, const BackEdge &E, Value *Last, ScalarEvolution &SE) {
  Type *I64 = Last->getType();
  auto *Count = PHINode::Create(I64, 2, "polyrs.count", L.getHeader()->begin());
  auto *Next = BinaryOperator::CreateNUWAdd(Count, ConstantInt::get(I64, 1), "polyrs.next", E.Branch->getIterator());
  Next->setHasNoSignedWrap();
  Count->addIncoming(ConstantInt::get(I64, 0), E.Preheader);
  Count->addIncoming(Next, E.Latch);
  auto Goes = E.GoesWhenTrue ? CmpInst::ICMP_NE : CmpInst::ICMP_EQ;
  E.Branch->setCondition(new ICmpInst(E.Branch->getIterator(), Goes, Count, Last));
  if (E.Compare->use_empty())
    E.Compare->eraseFromParent();
  SE.forgetLoop(&L);
}

// Whether one may divide by the number before the loop: there it is neither zero nor nothing at all.
bool mayDivideBy(Value *By, const Loop &L, ScalarEvolution &SE, const DominatorTree &DT) {
  const SCEV *S = SE.getSCEV(By);
  return SE.isLoopEntryGuardedByCond(&L, CmpInst::ICMP_NE, S, SE.getZero(S->getType())) &&
         isGuaranteedNotToBeUndefOrPoison(By, nullptr, L.getLoopPreheader()->getTerminator(), &DT);
}

// How many rows lie in what there is at first: a quotient by a number that is not zero.
Value *rowsIn(Value *All, Value *Row, IRBuilder<> &B) {
  Value *X = nullptr;
  // Rust cuts off what is no whole row first.
  if (match(All, m_Sub(m_Value(X), m_URem(m_Deferred(X), m_Specific(Row)))))
    All = X;
  return B.CreateUDiv(All, Row, "polyrs.rows");
}

// Whether the loop takes an invariant number, which is not zero, from what is left, and goes on while there is as much
// (at the back edge `left - row >= row`), as there is at first. Then `left` never wraps, and the back edge is taken
// `first / row - 1` times if nothing else ends the loop, which is what is counted. True if it is.
bool countRows(Loop &L, const BackEdge &E, ScalarEvolution &SE, const DominatorTree &DT) {
  Value *Next = E.Compare->getOperand(0), *Row = E.Compare->getOperand(1);
  auto Pred = E.Goes;
  if (Pred == CmpInst::ICMP_ULE) {
    std::swap(Next, Row);
    Pred = CmpInst::ICMP_UGE;
  }
  if (Pred != CmpInst::ICMP_UGE || !Row->getType()->isIntegerTy(64) || !L.isLoopInvariant(Row) ||
      !isa<SCEVCouldNotCompute>(SE.getExitCount(&L, E.Latch)))
    return false;
  auto IsLeft = [&](PHINode &P) {
    return P.getIncomingValueForBlock(E.Latch) == Next &&
           (match(Next, m_Sub(m_Specific(&P), m_Specific(Row))) || match(Next, m_c_Add(m_Specific(&P), m_Neg(m_Specific(Row)))));
  };
  auto Phis = L.getHeader()->phis();
  auto Left = find_if(Phis, IsLeft);
  if (Left == Phis.end())
    return false;
  Value *All = Left->getIncomingValueForBlock(E.Preheader);
  if (!SE.isLoopEntryGuardedByCond(&L, CmpInst::ICMP_UGE, SE.getSCEV(All), SE.getSCEV(Row)) || !mayDivideBy(Row, L, SE, DT))
    return false;
  IRBuilder<> B(E.Preheader->getTerminator());
  endByCount(L, E, B.CreateSub(rowsIn(All, Row, B), B.getInt64(1), "", /*HasNUW=*/true), SE);
  return true;
}

bool countIterations(Loop &L, ScalarEvolution &SE, const DominatorTree &DT) {
  BasicBlock *Preheader = L.getLoopPreheader(), *Latch = L.getLoopLatch();
  auto *Branch = Latch && L.isLoopExiting(Latch) ? dyn_cast<BranchInst>(Latch->getTerminator()) : nullptr;
  auto *Compare = Preheader && Branch ? dyn_cast<ICmpInst>(Branch->getCondition()) : nullptr;
  if (!Compare)
    return false;
  bool GoesWhenTrue = Branch->getSuccessor(0) == L.getHeader();
  auto Pred = GoesWhenTrue ? Compare->getPredicate() : Compare->getInversePredicate();
  BackEdge Edge = {Preheader, Latch, Branch, Compare, GoesWhenTrue, Pred};
  Value *End = Compare->getOperand(1);
  const SCEVAddRecExpr *Counter = stridedCounter(Compare->getOperand(0), L, SE);
  if (!Counter) {
    Counter = stridedCounter(Compare->getOperand(1), L, SE);
    End = Compare->getOperand(0);
    Pred = CmpInst::getSwappedPredicate(Pred);
  }
  if (!Counter)
    return countRows(L, Edge, SE, DT);
  if (Latch != L.getExitingBlock())
    return false;
  const SCEV *Taken = SE.getBackedgeTakenCount(&L);
  if (isa<SCEVCouldNotCompute>(Taken) || isa<SCEVConstant>(Taken) || SE.getTypeSizeInBits(Taken->getType()) >= 64)
    return false;
  const SCEV *Plain = plainCount(*Counter, Pred, SE.getSCEV(End), L, SE);
  Type *I64 = Type::getInt64Ty(SE.getContext());
  Taken = Plain ? Plain : SE.getZeroExtendExpr(Taken, I64);
  SCEVExpander Expander(SE, "polyrs.count");
  if (!Expander.isSafeToExpandAt(Taken, Preheader->getTerminator()))
    return false;
  endByCount(L, Edge, Expander.expandCodeFor(Taken, I64, Preheader->getTerminator()), SE);
  return true;
}

// Moves quotients and remainders of invariants in front of the loop, where the divisor is known not to be zero there:
// regions take them for values from outside.
bool hoistQuotients(const Loop &L, ScalarEvolution &SE, const DominatorTree &DT) {
  BasicBlock *Preheader = L.getLoopPreheader();
  if (!Preheader)
    return false;
  bool Changed = false;
  for (BasicBlock *BB : L.blocks())
    for (Instruction &I : make_early_inc_range(*BB)) {
      if (!polyrsIsQuotient(I) || !L.hasLoopInvariantOperands(&I) || !mayDivideBy(I.getOperand(1), L, SE, DT))
        continue;
      I.moveBefore(Preheader->getTerminator()->getIterator());
      I.dropUBImplyingAttrsAndMetadata();
      Changed = true;
    }
  if (Changed)
    SE.forgetBlockAndLoopDispositions();
  return Changed;
}

} // namespace

bool polyrsIsQuotient(const Instruction &I) {
  bool IsOne = I.getOpcode() == Instruction::UDiv || I.getOpcode() == Instruction::URem;
  return IsOne && I.getType()->isIntegerTy() && !isa<Constant>(I.getOperand(1));
}

bool polyrsCountIterations(LoopInfo &LI, ScalarEvolution &SE, const DominatorTree &DT) {
  bool Changed = false;
  for (Loop *L : LI.getLoopsInPreorder())
    Changed |= countIterations(*L, SE, DT);
  for (Loop *L : LI.getLoopsInPreorder())
    Changed |= hoistQuotients(*L, SE, DT);
  return Changed;
}
