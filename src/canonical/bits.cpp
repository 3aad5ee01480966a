// Takes comparisons apart that LLVM makes of several: `i == 0 && j == 0` is `(i | j) == 0` to it, which says nothing of
// `i` alone.
//
// That all bits of several numbers together are zero, or the sign of one, is a condition on each: `(a | b) == 0` is
// `a == 0 && b == 0`, `(a | b) < 0` is `a < 0 || b < 0`, and with `&` for `|` the same of ones. Where each number is
// one that loops count, the comparisons of each are affine. Exact for all numbers, poison is poison as before. Runs on
// clones only, behind the last pass that would undo it.

#include "canonical/canonical.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

// Bound on the numbers of one comparison.
constexpr unsigned MaxNumbers = 8;

// What one comparison of several numbers is of each, and how the answers are joined.
struct Apart {
  ICmpInst::Predicate Each;
  Instruction::BinaryOps Join;
};

// How a comparison of what `Bits` makes of several numbers is taken apart; none if it is not.
std::optional<Apart> apart(ICmpInst::Predicate Pred, Instruction::BinaryOps Bits, const APInt &With) {
  bool IsOr = Bits == Instruction::Or;
  bool IsFull = IsOr ? With.isZero() : With.isAllOnes();
  if (Pred == ICmpInst::ICMP_EQ && IsFull)
    return Apart{Pred, Instruction::And};
  if (Pred == ICmpInst::ICMP_NE && IsFull)
    return Apart{Pred, Instruction::Or};
  if (Pred == ICmpInst::ICMP_SLT && With.isZero())
    return Apart{Pred, IsOr ? Instruction::Or : Instruction::And};
  if (Pred == ICmpInst::ICMP_SGT && With.isAllOnes())
    return Apart{Pred, IsOr ? Instruction::And : Instruction::Or};
  return std::nullopt;
}

// Whether a number is a sum of counters and of what the loop does not change.
bool isCounted(Value *V, const Loop &L, ScalarEvolution &SE) {
  return SE.isSCEVable(V->getType()) && !SCEVExprContains(SE.getSCEV(V), [&](const SCEV *S) {
    auto *Unknown = dyn_cast<SCEVUnknown>(S);
    return isa<SCEVCouldNotCompute>(S) || (Unknown && !SE.isLoopInvariant(Unknown, &L));
  });
}

// The numbers that one operation makes the value of.
bool partsOf(Value *V, Instruction::BinaryOps Bits, SmallVectorImpl<Value *> &Parts) {
  SmallVector<Value *, 8> Work = {V};
  while (!Work.empty()) {
    Value *Of = Work.pop_back_val();
    auto *Op = dyn_cast<BinaryOperator>(Of);
    if (Op && Op->getOpcode() == Bits)
      Work.append({Op->getOperand(1), Op->getOperand(0)});
    else
      Parts.push_back(Of);
    if (Parts.size() + Work.size() > MaxNumbers)
      return false;
  }
  return Parts.size() > 1;
}

bool takeApart(ICmpInst &Compare, const Loop &L, ScalarEvolution &SE) {
  const APInt *With;
  auto *Op = dyn_cast<BinaryOperator>(Compare.getOperand(0));
  if (!Op || !Op->getType()->isIntegerTy() || Op->getType()->isIntegerTy(1) || !match(Compare.getOperand(1), m_APInt(With)))
    return false;
  Instruction::BinaryOps Bits = Op->getOpcode();
  if (Bits != Instruction::Or && Bits != Instruction::And)
    return false;
  std::optional<Apart> How = apart(Compare.getPredicate(), Bits, *With);
  SmallVector<Value *, 8> Parts;
  if (!How || !partsOf(Op, Bits, Parts) || !all_of(Parts, [&](Value *V) { return isCounted(V, L, SE); }))
    return false;
  IRBuilder<> B(&Compare);
  Value *All = nullptr;
  for (Value *Part : Parts) {
    Value *One = B.CreateICmp(How->Each, Part, Compare.getOperand(1));
    All = All ? B.CreateBinOp(How->Join, All, One) : One;
  }
  Compare.replaceAllUsesWith(All);
  return true;
}

} // namespace

bool polyrsCompareApart(Function &F, const LoopInfo &LI, ScalarEvolution &SE) {
  bool Changed = false;
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    auto *Compare = dyn_cast<ICmpInst>(&I);
    const Loop *L = Compare ? LI.getLoopFor(Compare->getParent()) : nullptr;
    if (!L || !takeApart(*Compare, *L, SE))
      continue;
    SE.forgetValue(Compare);
    Compare->eraseFromParent();
    Changed = true;
  }
  return Changed;
}
