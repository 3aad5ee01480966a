// Constants that every caller of a function passes, in place of its parameters.

#include "canonical/canonical.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/InstrTypes.h"

using namespace llvm;

// The constant integer that all calls of `F` pass for an argument; null where they differ, or pass other values. A call
// of itself that passes the argument on, which the clone has as `Cloned`, says nothing new.
static ConstantInt *passedEverywhere(const Function &F, const Argument &Arg, const Argument &Cloned) {
  ConstantInt *Found = nullptr;
  for (const Use &U : F.uses()) {
    Value *Passed = cast<CallBase>(U.getUser())->getArgOperand(Arg.getArgNo());
    if (Passed == &Arg || Passed == &Cloned)
      continue;
    auto *Constant = dyn_cast<ConstantInt>(Passed);
    if (!Constant || (Found && Found != Constant))
      return nullptr;
    Found = Constant;
  }
  return Found;
}

void polyrsPutConstants(PolyrsClone &C) {
  const Function &F = *C.Original;
  auto IsCall = [&](const Use &U) {
    auto *Call = dyn_cast<CallBase>(U.getUser());
    return Call && Call->isCallee(&U) && Call->getFunctionType() == F.getFunctionType();
  };
  if (!F.hasLocalLinkage() || !all_of(F.uses(), IsCall))
    return;
  for (auto [Old, New] : zip(F.args(), C.Clone->args()))
    if (Old.getType()->isIntegerTy())
      if (ConstantInt *Constant = passedEverywhere(F, Old, New))
        New.replaceAllUsesWith(Constant);
}
