// Loops over Rust's inclusive ranges (`1..=n`) end by a comparison of their counter.
//
// Such a range remembers in a flag that its last number was given away: the loop ends where the flag is set or the
// counter is above the end, and the counter rises only while it is below. Inside of the loop it is never above: the
// flag says no more than that the step before was the last one.

#include "canonical/canonical.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

// A loop over an inclusive range.
struct Range {
  BranchInst *Exit = nullptr;
  PHINode *Flag = nullptr, *Counter = nullptr;
  Value *End = nullptr;
  CmpPredicate Above;
};

// The value that a choice has where the loop goes on.
Value *goingOn(Value *V, const Value *Ends) {
  auto *Choice = dyn_cast<SelectInst>(V);
  return Choice && Choice->getCondition() == Ends ? Choice->getFalseValue() : V;
}

// The flag as it is in the loop, whatever integer it is kept in.
PHINode *flagOf(Value *V, const Loop &L) {
  Value *Inner = V;
  match(V, m_Trunc(m_Value(Inner)));
  auto *Phi = dyn_cast<PHINode>(Inner);
  return Phi && Phi->getParent() == L.getHeader() && Phi->getType()->isIntegerTy() ? Phi : nullptr;
}

// Whether the loop's header leaves it as such a range does, and its latch counts like one.
bool isRange(const Loop &L, Range &R) {
  BasicBlock *Header = L.getHeader(), *Latch = L.getLoopLatch(), *Before = L.getLoopPredecessor();
  R.Exit = dyn_cast<BranchInst>(Header->getTerminator());
  Value *Done = nullptr, *Over = nullptr, *Counter = nullptr;
  if (!Latch || !Before || !R.Exit || !R.Exit->isConditional() || L.contains(R.Exit->getSuccessor(0)) ||
      !L.contains(R.Exit->getSuccessor(1)) || !match(R.Exit->getCondition(), m_LogicalOr(m_Value(Done), m_Value(Over))) ||
      !match(Over, m_ICmp(R.Above, m_Value(Counter), m_Value(R.End))))
    return false;
  R.Flag = flagOf(Done, L);
  R.Counter = dyn_cast<PHINode>(Counter);
  if (!R.Flag || !R.Counter || R.Counter->getParent() != Header || !L.isLoopInvariant(R.End) ||
      (CmpInst::Predicate(R.Above) != CmpInst::ICMP_UGT && CmpInst::Predicate(R.Above) != CmpInst::ICMP_SGT) ||
      !match(R.Flag->getIncomingValueForBlock(Before), m_Zero()))
    return false;
  CmpInst::Predicate Below = CmpInst::getSwappedPredicate(R.Above);
  Value *Ends = R.Exit->getCondition(), *Rises = nullptr, *Goes = nullptr;
  // Where the loop goes on, it does not end.
  auto IsBelow = [&](Value *V) {
    CmpPredicate Pred;
    Value *Else = nullptr;
    if (match(V, m_LogicalAnd(m_Not(m_Specific(Ends)), m_Value(Else))) || match(V, m_LogicalOr(m_Specific(Ends), m_Value(Else))))
      V = Else;
    return match(V, m_ICmp(Pred, m_Specific(R.Counter), m_Specific(R.End))) && CmpInst::Predicate(Pred) == Below;
  };
  Value *Next = goingOn(R.Counter->getIncomingValueForBlock(Latch), Ends);
  Value *Flag = goingOn(R.Flag->getIncomingValueForBlock(Latch), Ends);
  return match(Next, m_c_Add(m_Specific(R.Counter), m_ZExt(m_Value(Rises)))) && IsBelow(Rises) &&
         match(Flag, m_Select(m_Value(Goes), m_Specific(R.Flag), m_One())) && IsBelow(Goes);
}

// Whether only the loop uses a value of its header.
bool staysInside(const Instruction &I, const Loop &L) {
  return all_of(I.users(), [&](const User *U) { return L.contains(cast<Instruction>(U)); });
}

// Whether it is only used where the loop has gone on.
bool isForBody(const Instruction &I, const Loop &L) {
  return staysInside(I, L) && all_of(I.users(), [&](const User *U) {
    return isa<PHINode>(U) || cast<Instruction>(U)->getParent() != L.getHeader();
  });
}

void count(Loop &L, const Range &R) {
  BasicBlock *Header = L.getHeader(), *Latch = L.getLoopLatch(), *Before = L.getLoopPredecessor();
  Value *Ends = R.Exit->getCondition();
  for (User *U : make_early_inc_range(Ends->users()))
    if (auto *Choice = dyn_cast<SelectInst>(U); Choice && Choice->getCondition() == Ends && isForBody(*Choice, L))
      Choice->replaceAllUsesWith(Choice->getFalseValue());
  IRBuilder<> B(Before->getTerminator());
  Value *IsEmpty = B.CreateICmp(R.Above, R.Counter->getIncomingValueForBlock(Before), R.End);
  B.SetInsertPoint(Latch->getTerminator());
  Value *WasLast = B.CreateICmp(CmpInst::getInversePredicate(CmpInst::getSwappedPredicate(R.Above)), R.Counter, R.End);
  Value *Next = B.CreateAdd(R.Counter, ConstantInt::get(R.Counter->getType(), 1));
  R.Counter->setIncomingValueForBlock(Latch, Next);
  auto *Over = PHINode::Create(B.getInt1Ty(), 2, "polyrs.over", Header->begin());
  Over->addIncoming(IsEmpty, Before);
  Over->addIncoming(WasLast, Latch);
  R.Exit->setCondition(Over);
}

// Whether a value is the flag for the next iteration: as it was while the counter is below the end, which `IsBelow`
// tells, else set.
bool isFlag(Value *V, const Loop &L, function_ref<bool(Value *)> IsBelow) {
  Value *Inner = V, *Goes = nullptr, *Was = nullptr;
  match(V, m_Trunc(m_Value(Inner)));
  if (!match(Inner, m_Select(m_Value(Goes), m_Value(Was), m_One())) || !IsBelow(Goes))
    return false;
  auto *Flag = dyn_cast<PHINode>(Was);
  return Flag && Flag->getParent() == L.getHeader() && Flag->getIncomingValueForBlock(L.getLoopLatch()) == Inner &&
         match(Flag->getIncomingValueForBlock(L.getLoopPredecessor()), m_Zero());
}

// The same behind the loop's body, where other passes rotated it: it ends where the flag is set, or the counter has
// reached the end, or where the next number, one more if it has not, is above. The latter never holds alone.
bool countRotated(Loop &L) {
  BasicBlock *Latch = L.getLoopLatch();
  auto *Exit = Latch && L.getLoopPredecessor() ? dyn_cast<BranchInst>(Latch->getTerminator()) : nullptr;
  Value *A = nullptr, *B = nullptr, *Counter = nullptr, *End = nullptr;
  CmpPredicate Above;
  if (!Exit || !Exit->isConditional() || L.contains(Exit->getSuccessor(0)) ||
      !match(Exit->getCondition(), m_LogicalOr(m_Value(A), m_Value(B))) ||
      !match(B, m_ICmp(Above, m_c_Add(m_Value(Counter), m_ZExt(m_Value())), m_Value(End))) ||
      (CmpInst::Predicate(Above) != CmpInst::ICMP_UGT && CmpInst::Predicate(Above) != CmpInst::ICMP_SGT))
    return false;
  Value *Next = cast<ICmpInst>(B)->getOperand(0), *Rises = nullptr;
  auto *Phi = dyn_cast<PHINode>(Counter);
  if (!Phi || Phi->getParent() != L.getHeader() || Phi->getIncomingValueForBlock(Latch) != Next || !L.isLoopInvariant(End) ||
      !match(Next, m_c_Add(m_Specific(Phi), m_ZExt(m_Value(Rises)))))
    return false;
  CmpInst::Predicate Below = CmpInst::getSwappedPredicate(Above), Reached = CmpInst::getInversePredicate(Below);
  auto Compares = [&](Value *V, CmpInst::Predicate Wanted) {
    CmpPredicate Pred;
    return match(V, m_ICmp(Pred, m_Specific(Phi), m_Specific(End))) && CmpInst::Predicate(Pred) == Wanted;
  };
  auto IsBelow = [&](Value *V) {
    Value *Inverse = nullptr;
    return Compares(V, Below) || (match(V, m_Not(m_Value(Inverse))) && Compares(Inverse, Reached));
  };
  if (!IsBelow(Rises) || (!Compares(A, Reached) && !isFlag(A, L, IsBelow)))
    return false;
  IRBuilder<> Builder(Exit);
  Phi->setIncomingValueForBlock(Latch, Builder.CreateAdd(Phi, ConstantInt::get(Phi->getType(), 1)));
  Exit->setCondition(Builder.CreateICmp(Reached, Phi, End));
  return true;
}

// Where the loop goes on, the test at its end held: choices on it for the next iteration are decided. So are counters
// that Rust's `Range::next` advances only if there is a next number, and pointers that its `slice::Iter` does.
bool decideAtEnd(Loop &L) {
  BasicBlock *Header = L.getHeader(), *Latch = L.getLoopLatch();
  auto *Exit = Latch ? dyn_cast<BranchInst>(Latch->getTerminator()) : nullptr;
  if (!Exit || !Exit->isConditional() || Exit->getSuccessor(0) == Exit->getSuccessor(1))
    return false;
  Value *Test = Exit->getCondition();
  bool Holds = Exit->getSuccessor(0) == Header, Changed = false;
  for (PHINode &Phi : Header->phis()) {
    auto *Next = dyn_cast<Instruction>(Phi.getIncomingValueForBlock(Latch));
    Value *Decided = nullptr, *Before = nullptr;
    if (auto *Choice = dyn_cast_or_null<SelectInst>(Next); Choice && Choice->getCondition() == Test)
      Decided = Holds ? Choice->getTrueValue() : Choice->getFalseValue();
    else if (Next && match(Next, m_c_Add(m_Value(Before), m_ZExt(m_Specific(Test))))) {
      Decided = Before;
      if (Holds) {
        auto *Sum = BinaryOperator::CreateAdd(Before, ConstantInt::get(Phi.getType(), 1), "", Exit->getIterator());
        Sum->setHasNoUnsignedWrap(Next->hasNoUnsignedWrap());
        Sum->setHasNoSignedWrap(Next->hasNoSignedWrap());
        Decided = Sum;
      }
    }
    else if (auto *Walk = dyn_cast_or_null<GetElementPtrInst>(Next); Walk && Walk->getNumIndices() == 1) {
      auto *Step = dyn_cast<SelectInst>(Walk->getOperand(1));
      if (Step && Step->getCondition() == Test) {
        Decided = Walk->clone();
        cast<Instruction>(Decided)->setOperand(1, Holds ? Step->getTrueValue() : Step->getFalseValue());
        cast<Instruction>(Decided)->insertBefore(Exit->getIterator());
      }
    }
    if (!Decided)
      continue;
    Phi.setIncomingValueForBlock(Latch, Decided);
    Changed = true;
  }
  return Changed;
}

} // namespace

bool polyrsCountInclusive(const LoopInfo &LI) {
  bool Changed = false;
  for (Loop *L : LI.getLoopsInPreorder()) {
    Changed |= decideAtEnd(*L);
    Range R;
    if (countRotated(*L)) {
      Changed = true;
      continue;
    }
    if (!isRange(*L, R) || !staysInside(*R.Counter, *L) || !staysInside(*R.Flag, *L))
      continue;
    count(*L, R);
    Changed = true;
  }
  return Changed;
}
