// See calls.h.

#include "bridge/calls.h"

#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

// Most places that a function may write to for its reading calls to be looked at.
constexpr unsigned MaxPlaces = 64;
// Most instructions of a function whose effects are found out.
constexpr unsigned MaxInstructions = 200;

// True for library functions of real numbers that compute a result from their arguments and touch nothing but errno.
static bool isMathFunction(LibFunc Func) {
  switch (Func) {
#define POLYRS_MATH(NAME)                                                                                                        \
  case LibFunc_##NAME:                                                                                                           \
  case LibFunc_##NAME##f:                                                                                                        \
    return true;
    POLYRS_MATH(sqrt)
    POLYRS_MATH(exp)
    POLYRS_MATH(exp2)
    POLYRS_MATH(log)
    POLYRS_MATH(log2)
    POLYRS_MATH(log10)
    POLYRS_MATH(pow)
    POLYRS_MATH(sin)
    POLYRS_MATH(cos)
    POLYRS_MATH(tan)
    POLYRS_MATH(atan)
    POLYRS_MATH(atan2)
    POLYRS_MATH(asin)
    POLYRS_MATH(acos)
    POLYRS_MATH(sinh)
    POLYRS_MATH(cosh)
    POLYRS_MATH(tanh)
    POLYRS_MATH(fabs)
    POLYRS_MATH(floor)
    POLYRS_MATH(ceil)
    POLYRS_MATH(round)
    POLYRS_MATH(trunc)
    POLYRS_MATH(fmin)
    POLYRS_MATH(fmax)
    POLYRS_MATH(fmod)
    POLYRS_MATH(cbrt)
    POLYRS_MATH(copysign)
#undef POLYRS_MATH
  default:
    return false;
  }
}

bool polyrsComputesOnly(const CallBase &Call, const TargetLibraryInfo &TLI) {
  if (Call.doesNotAccessMemory() && !Call.mayHaveSideEffects())
    return true;
  LibFunc Func;
  const Function *Callee = Call.getCalledFunction();
  return Callee && !Call.isNoBuiltin() && !Call.isStrictFP() && TLI.getLibFunc(*Callee, Func) && TLI.has(Func) && isMathFunction(Func);
}

// Whether a function that is seen writes nothing but its own variables, throws nothing and has no loops: what its
// attributes will say once LLVM has inferred them.
static bool readsOnly(const Function &F) {
  if (F.isDeclaration() || !F.hasExactDefinition())
    return false;
  unsigned Instructions = 0;
  for (const Instruction &I : instructions(F)) {
    auto *Store = dyn_cast<StoreInst>(&I);
    auto *Call = dyn_cast<CallBase>(&I);
    auto *II = dyn_cast<IntrinsicInst>(&I);
    if (++Instructions > MaxInstructions || isa<UnreachableInst>(I) || I.isVolatile() || I.isAtomic())
      return false;
    bool IsOwn = Store && isa<AllocaInst>(getUnderlyingObject(Store->getPointerOperand()));
    if ((Call && Call->isConvergent()) || (I.mayHaveSideEffects() && !IsOwn && !(II && II->isAssumeLikeIntrinsic())))
      return false;
  }
  SmallVector<std::pair<const BasicBlock *, const BasicBlock *>, 2> Back;
  FindFunctionBackedges(F, Back);
  return Back.empty();
}

bool polyrsReadsOnly(const CallBase &Call) {
  if (!isa<CallInst>(Call) || Call.isInlineAsm() || Call.isConvergent())
    return false;
  const Function *Callee = Call.getCalledFunction();
  return (Call.onlyReadsMemory() && !Call.mayHaveSideEffects()) || (Callee && readsOnly(*Callee));
}

// Finds out what the function writes: objects that do not change in its loops.
void PolyrsReadingCalls::find() {
  IsKnown = true;
  for (const Instruction &I : instructions(F)) {
    auto *II = dyn_cast<IntrinsicInst>(&I);
    auto *Store = dyn_cast<StoreInst>(&I);
    auto *Call = dyn_cast<CallBase>(&I);
    if (!I.mayWriteToMemory() || (II && II->isAssumeLikeIntrinsic()) || (Call && polyrsReadsOnly(*Call)))
      continue;
    if (Call && !LI.getLoopFor(I.getParent()) && !polyrsComputesOnly(*Call, TLI))
      continue; // No region holds it.
    const Value *Object = Store ? getUnderlyingObject(Store->getPointerOperand()) : nullptr;
    auto *Made = dyn_cast_or_null<Instruction>(Object);
    if (!Object || (Made && LI.getLoopFor(Made->getParent())) || Written.size() == MaxPlaces) {
      WritesAnything = true;
      return;
    }
    Written.insert(Object);
  }
}

bool PolyrsReadingCalls::isOfConstants(const CallBase &Call) {
  if (!polyrsReadsOnly(Call))
    return false;
  if (!IsKnown)
    find();
  return !WritesAnything && none_of(Written, [&](const Value *Object) {
    return isRefSet(AA.getModRefInfo(&Call, MemoryLocation::getBeforeOrAfter(Object)));
  });
}
