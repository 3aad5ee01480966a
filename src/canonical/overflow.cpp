// Reads sums, differences and products whose overflow ends the program (`-ftrapv`, sanitizers, checked arithmetic) as
// plain ones that do not overflow, and the test for it as a comparison of what they would be in twice the width.
//
// Assumes nothing: a result that is used only where it did not overflow may claim that it does not; others stay. Runs
// on clones only.

#include "canonical/canonical.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace {

// Twice this width is one that scalar evolution's expressions are read in.
constexpr unsigned MaxBits = 32;

// Whether the operation overflows, by its left side alone; null if its right side is no constant that allows that.
Value *overflowsByConstant(WithOverflowInst &I, IRBuilder<> &B) {
  auto *C = dyn_cast<ConstantInt>(I.getRHS());
  if (!C || I.getBinaryOp() == Instruction::Mul)
    return nullptr;
  unsigned Bits = C->getBitWidth();
  const APInt &By = C->getValue();
  bool IsAdd = I.getBinaryOp() == Instruction::Add;
  auto *T = C->getType();
  if (!I.isSigned()) {
    if (IsAdd)
      return B.CreateICmpUGT(I.getLHS(), ConstantInt::get(T, ~By));
    return B.CreateICmpULT(I.getLHS(), C);
  }
  bool Rises = IsAdd != By.isNegative();
  if (!IsAdd && By.isMinSignedValue())
    return nullptr;
  if (Rises)
    return B.CreateICmpSGT(I.getLHS(), ConstantInt::get(T, APInt::getSignedMaxValue(Bits) - (IsAdd ? By : -By)));
  return B.CreateICmpSLT(I.getLHS(), ConstantInt::get(T, APInt::getSignedMinValue(Bits) - (IsAdd ? By : -By)));
}

// Whether the operation overflows, by its exact result in twice the width; null if it is too wide for that.
Value *overflowsInWidth(WithOverflowInst &I, IRBuilder<> &B) {
  unsigned Bits = I.getLHS()->getType()->getScalarSizeInBits();
  if (Bits > MaxBits)
    return nullptr;
  Type *Wide = B.getIntNTy(2 * Bits);
  auto Extend = [&](Value *V) { return I.isSigned() ? B.CreateSExt(V, Wide) : B.CreateZExt(V, Wide); };
  Value *L = Extend(I.getLHS()), *R = Extend(I.getRHS());
  bool IsUnsignedSum = !I.isSigned() && I.getBinaryOp() == Instruction::Add;
  Value *Exact = B.CreateBinOp(I.getBinaryOp(), L, R);
  if (auto *Op = dyn_cast<BinaryOperator>(Exact)) {
    Op->setHasNoSignedWrap(I.isSigned() || I.getBinaryOp() != Instruction::Mul);
    Op->setHasNoUnsignedWrap(IsUnsignedSum || (!I.isSigned() && I.getBinaryOp() == Instruction::Mul));
  }
  if (!I.isSigned()) {
    if (I.getBinaryOp() == Instruction::Sub)
      return B.CreateICmpSLT(Exact, ConstantInt::get(Wide, 0));
    return B.CreateICmpUGT(Exact, ConstantInt::get(Wide, APInt::getMaxValue(Bits).zext(2 * Bits)));
  }
  APInt Low = APInt::getSignedMinValue(Bits).sext(2 * Bits), High = APInt::getSignedMaxValue(Bits).sext(2 * Bits);
  Value *Below = B.CreateICmpSLT(Exact, ConstantInt::get(Wide, Low));
  return B.CreateOr(Below, B.CreateICmpSGT(Exact, ConstantInt::get(Wide, High)));
}

bool rewrite(WithOverflowInst &I, const DominatorTree &DT) {
  if (!I.getLHS()->getType()->isIntegerTy() || !all_of(I.users(), [](const User *U) { return isa<ExtractValueInst>(U); }) ||
      !isOverflowIntrinsicNoWrap(&I, DT))
    return false;
  IRBuilder<> B(&I);
  Value *Overflows = overflowsByConstant(I, B);
  if (!Overflows)
    Overflows = overflowsInWidth(I, B);
  if (!Overflows)
    return false;
  Value *Result = B.CreateBinOp(I.getBinaryOp(), I.getLHS(), I.getRHS());
  if (auto *Op = dyn_cast<BinaryOperator>(Result))
    I.isSigned() ? Op->setHasNoSignedWrap() : Op->setHasNoUnsignedWrap();
  for (User *U : make_early_inc_range(I.users())) {
    auto *E = cast<ExtractValueInst>(U);
    E->replaceAllUsesWith(E->getIndices()[0] == 0 ? Result : Overflows);
    E->eraseFromParent();
  }
  I.eraseFromParent();
  return true;
}

} // namespace

bool polyrsReadOverflow(Function &F, const DominatorTree &DT) {
  SmallVector<WithOverflowInst *, 8> Found;
  for (Instruction &I : instructions(F))
    if (auto *W = dyn_cast<WithOverflowInst>(&I))
      Found.push_back(W);
  bool Changed = false;
  for (WithOverflowInst *I : Found)
    Changed |= rewrite(*I, DT);
  return Changed;
}
