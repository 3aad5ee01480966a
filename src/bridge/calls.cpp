// See calls.h.

#include "bridge/calls.h"
#include "bridge/bridge.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/MemoryBuiltins.h"
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
// How deep calls in such functions are followed.
constexpr unsigned MaxCallDepth = 3;

static bool computesOnlyWithin(const CallBase &Call, const TargetLibraryInfo &TLI, unsigned Depth);

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

// True for products and quotients of complex numbers as clang calls them where a part is not a number.
static bool isComplexArithmetic(const Function &F) {
  return F.isDeclaration() && StringSwitch<bool>(F.getName()).Cases({"__muldc3", "__mulsc3", "__divdc3", "__divsc3"}, true).Default(false);
}

// Whether what a function loads or stores there is its own variable, or, of what it loads, a constant.
static bool isOwn(const Value *Pointer, bool Loads) {
  const Value *Object = getUnderlyingObject(Pointer);
  auto *Global = dyn_cast<GlobalVariable>(Object);
  return isa<AllocaInst>(Object) || (Loads && Global && Global->isConstant() && Global->hasDefinitiveInitializer());
}

// Whether the loop of a backedge ends if nothing else is done in it: where the language says so, or it is new code.
static bool ends(const Instruction &Backedge) {
  MDNode *Loop = Backedge.getMetadata(LLVMContext::MD_loop);
  return findOptionMDForLoopID(Loop, "llvm.loop.mustprogress") || findOptionMDForLoopID(Loop, PolyrsWrittenNew);
}

bool polyrsLoopsEnd(const Function &F) {
  SmallVector<std::pair<const BasicBlock *, const BasicBlock *>, 2> Back;
  FindFunctionBackedges(F, Back);
  return F.willReturn() || F.mustProgress() || all_of(Back, [](const auto &Edge) { return ends(*Edge.first->getTerminator()); });
}

// Whether a function that is seen computes its result from its arguments and returns: what its attributes will say once
// LLVM has inferred them, but for errno.
static bool computesOnly(const Function &F, const TargetLibraryInfo &TLI, unsigned Depth) {
  if (F.isDeclaration() || !F.hasExactDefinition() || Depth == MaxCallDepth)
    return false;
  unsigned Instructions = 0;
  for (const Instruction &I : instructions(F)) {
    auto *Call = dyn_cast<CallBase>(&I);
    const Value *Pointer = getLoadStorePointerOperand(&I);
    if (++Instructions > MaxInstructions || isa<UnreachableInst>(I) || I.isVolatile() || I.isAtomic())
      return false;
    bool IsKnown = (Pointer && isOwn(Pointer, isa<LoadInst>(I))) || (Call && isa<CallInst>(Call) && computesOnlyWithin(*Call, TLI, Depth));
    if (!IsKnown && (Call || I.mayReadOrWriteMemory() || I.mayHaveSideEffects()))
      return false;
  }
  return polyrsLoopsEnd(F);
}

static bool computesOnlyWithin(const CallBase &Call, const TargetLibraryInfo &TLI, unsigned Depth) {
  auto *II = dyn_cast<IntrinsicInst>(&Call);
  if (Call.isConvergent())
    return false;
  if ((Call.doesNotAccessMemory() && !Call.mayHaveSideEffects()) || (II && II->isAssumeLikeIntrinsic()))
    return true;
  LibFunc Func;
  const Function *Callee = Call.getCalledFunction();
  if (!Callee || Call.isStrictFP())
    return false;
  if (!Call.isNoBuiltin() && TLI.getLibFunc(*Callee, Func) && TLI.has(Func) && isMathFunction(Func))
    return true;
  return isComplexArithmetic(*Callee) || computesOnly(*Callee, TLI, Depth + 1);
}

bool polyrsComputesOnly(const CallBase &Call, const TargetLibraryInfo &TLI) { return computesOnlyWithin(Call, TLI, 0); }

// Whether a function that is seen writes nothing but its own variables, throws nothing and returns: what its
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
  return polyrsLoopsEnd(F);
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

uint64_t polyrsHeapWord(const CallBase &Call, const TargetLibraryInfo &TLI) {
  if (isAllocationFn(&Call, &TLI) && !getReallocatedOperand(&Call) && Call.returnDoesNotAlias())
    return 1;
  return Call.arg_size() && getFreedOperand(&Call, &TLI) == Call.getArgOperand(0) ? 2 : 0;
}
