// Moves choices between the old and the updated value of a sum or product into the update: `c ? s + x : s` is
// `s + (c ? x : -0.0)`.
//
// LLVM does so too, but only for floating-point selects with flags of their own, which it loses where functions have
// debug locations; what is computed must not hang on these. No flag of the select is needed: s + -0.0, s - 0.0 and s *
// 1.0 are s for every s, zeros of both signs and infinities included, and a NaN where s is one. Of the update's own
// flags those that speak of certain values would now speak of s where nothing is added to it, too (a NaN there would be
// poison, the sign of a zero free): they are dropped, and the update keeps the leave to change places with others,
// without which nothing is done. Runs on clones only.

#include "canonical/canonical.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace {

// The operand of `Update` that is not `Old`, if the update adds it to, takes it from or multiplies it with that; else
// the number of operands.
unsigned updatedBy(const BinaryOperator &Update, const Value *Old) {
  const Value *L = Update.getOperand(0), *R = Update.getOperand(1);
  switch (Update.getOpcode()) {
  case Instruction::FAdd:
  case Instruction::FMul:
    if (R == Old && L != Old)
      return 0;
    [[fallthrough]];
  case Instruction::FSub:
    return L == Old && R != Old ? 1 : 2;
  default:
    return 2;
  }
}

bool moveIntoUpdate(SelectInst &S) {
  for (unsigned Arm : {1, 2}) {
    auto *Update = dyn_cast<BinaryOperator>(S.getOperand(Arm));
    Value *Old = S.getOperand(3 - Arm);
    if (!Update || !Update->hasOneUse() || !isa<FPMathOperator>(Update) || !Update->hasAllowReassoc() || S.getType()->isVectorTy())
      continue;
    unsigned At = updatedBy(*Update, Old);
    if (At == 2)
      continue;
    Value *By = Update->getOperand(At), *Nothing = ConstantExpr::getBinOpIdentity(Update->getOpcode(), S.getType(), true);
    IRBuilder<> B(&S);
    Value *Chosen = Arm == 1 ? B.CreateSelect(S.getCondition(), By, Nothing) : B.CreateSelect(S.getCondition(), Nothing, By);
    FastMathFlags Kept;
    Kept.setAllowReassoc();
    Kept.setAllowContract(Update->hasAllowContract());
    Instruction *Moved = Update->clone();
    Moved->setOperand(At, Chosen);
    Moved->copyFastMathFlags(Kept);
    Moved->insertBefore(S.getIterator());
    S.replaceAllUsesWith(Moved);
    S.eraseFromParent();
    Update->eraseFromParent();
    return true;
  }
  return false;
}

} // namespace

// True if the function changed; its control flow does not.
bool polyrsMoveChoices(Function &F) {
  SmallVector<SelectInst *, 8> Choices;
  for (Instruction &I : instructions(F))
    if (auto *S = dyn_cast<SelectInst>(&I))
      Choices.push_back(S);
  bool Changed = false;
  for (SelectInst *S : Choices)
    Changed |= moveIntoUpdate(*S);
  return Changed;
}
