// Memory that nobody reads: variables and blocks of a function, and variables of the module, that are only stored to,
// or loaded for what is stored there again.
//
// LLVM removes such stores, and loops in which nothing else is done: a nest of them is not worth new code. What a
// function fills that its caller does not look at is known when it has been inlined, and new code with it: then new
// code goes as well.

#include "bridge/unread.h"
#include "bridge/bridge.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/MemoryBuiltins.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace {

// Uses of memory that are looked at.
constexpr unsigned MaxUses = 64;

// Whether it is a run-time test that code generation wrote: of addresses, it does not read.
bool isTest(const Function &F) {
  return F.hasFnAttribute(PolyrsWritten) && F.doesNotAccessMemory() && F.getReturnType()->isIntegerTy(1);
}

// Whether `Object` holds a value that the call hands on, and that nobody takes.
bool isHandedToNobody(const Value *Object, const CallBase &Call) {
  return isa<AllocaInst>(Object) && all_of(Object->users(), [&](const User *By) { return By == &Call || isa<LifetimeIntrinsic>(By); });
}

// Whether the call is one of new code that writes what `Object` is and nothing else that somebody reads. What it reads
// there itself changes nothing of that.
bool fillsAlone(const CallBase &Call, const Value *Object) {
  const Function *New = Call.getCalledFunction();
  if (!New || !New->hasFnAttribute(PolyrsVersioned) || !isa<CallInst>(Call) || !Call.use_empty())
    return false;
  if (!New->onlyAccessesArgMemory() || !New->willReturn() || !New->doesNotThrow())
    return false;
  return all_of(Call.args(), [&](const Use &Of) {
    if (!Of->getType()->isPointerTy())
      return true;
    unsigned K = Call.getArgOperandNo(&Of);
    if (getUnderlyingObject(Of) == Object)
      return Call.doesNotCapture(K);
    return Call.onlyReadsMemory(K) || isHandedToNobody(Of, Call);
  });
}

class UnreadMemory {
  const Value *Object;
  const TargetLibraryInfo &TLI;
  SmallVectorImpl<Instruction *> *Writes;
  SmallVector<const Use *, 16> Work;

  bool writes(const User *By) {
    if (Writes && !is_contained(*Writes, By))
      Writes->push_back(cast<Instruction>(const_cast<User *>(By)));
    return true;
  }

  // Whether what is loaded there is used for nothing but what is stored there: nobody reads sums that only grow.
  bool feedsOnlyItself(const LoadInst &Load) const {
    SmallSetVector<const Instruction *, 16> Values;
    Values.insert(&Load);
    for (size_t K = 0; K < Values.size(); ++K)
      for (const User *By : Values[K]->users()) {
        auto *I = cast<Instruction>(By);
        if (auto *Store = dyn_cast<StoreInst>(I)) {
          if (!Store->isSimple() || getUnderlyingObject(Store->getPointerOperand()) != Object)
            return false;
          continue;
        }
        bool IsNumber = I->getType()->isIntOrIntVectorTy() || I->getType()->isFPOrFPVectorTy();
        bool OnlyComputes = isa<BinaryOperator, UnaryOperator, CastInst, CmpInst, SelectInst, PHINode, IntrinsicInst>(I);
        if (!IsNumber || !OnlyComputes || I->mayReadOrWriteMemory() || I->mayHaveSideEffects() || Values.size() > MaxUses)
          return false;
        Values.insert(I);
      }
    return true;
  }

  // Whether what is done to a pointer that leads there reads nothing.
  bool readsNothing(const Use &Of) {
    const User *By = Of.getUser();
    if (isa<GEPOperator, AddrSpaceCastOperator>(By)) {
      for (const Use &Next : By->uses())
        Work.push_back(&Next);
      return true;
    }
    if (auto *Store = dyn_cast<StoreInst>(By))
      return Store->isSimple() && Of.getOperandNo() == StoreInst::getPointerOperandIndex() && writes(Store);
    if (auto *Load = dyn_cast<LoadInst>(By))
      return Load->isSimple() && feedsOnlyItself(*Load);
    if (auto *Compare = dyn_cast<ICmpInst>(By))
      return Compare->isEquality() && isa<ConstantPointerNull>(Compare->getOperand(1 - Of.getOperandNo()));
    if (auto *Set = dyn_cast<MemSetInst>(By))
      return !Set->isVolatile() && writes(Set);
    if (auto *Known = dyn_cast<IntrinsicInst>(By))
      return Known->isAssumeLikeIntrinsic();
    auto *Call = dyn_cast<CallBase>(By);
    if (!Call || !Call->isArgOperand(&Of))
      return false;
    if (getFreedOperand(Call, &TLI) == Of.get() || (Call->getCalledFunction() && isTest(*Call->getCalledFunction())))
      return true;
    return fillsAlone(*Call, Object) && writes(Call);
  }

public:
  UnreadMemory(const Value *Object, const TargetLibraryInfo &TLI, SmallVectorImpl<Instruction *> *Writes)
      : Object(Object), TLI(TLI), Writes(Writes) {}

  bool isNeverRead() {
    auto *Global = dyn_cast<GlobalVariable>(Object);
    auto *Call = dyn_cast<CallBase>(Object);
    if (!(Global ? Global->hasLocalLinkage() : isa<AllocaInst>(Object) || (Call && isRemovableAlloc(Call, &TLI))))
      return false;
    for (const Use &Of : Object->uses())
      Work.push_back(&Of);
    for (size_t K = 0; K < Work.size(); ++K)
      if (K == MaxUses || !readsNothing(*Work[K]))
        return false;
    return true;
  }
};

} // namespace

bool polyrsIsNeverRead(const Value *Object, const TargetLibraryInfo &TLI, SmallVectorImpl<Instruction *> *Writes) {
  return UnreadMemory(Object, TLI, Writes).isNeverRead();
}

void polyrsRemoveUnread(Module &M, FunctionAnalysisManager &FAM) {
  SmallPtrSet<const Value *, 8> Asked;
  // A call may write several that nobody reads.
  SmallSetVector<Instruction *, 16> Gone;
  for (const Function &New : M)
    if (isTest(New) || New.hasFnAttribute(PolyrsVersioned))
      for (const User *U : New.users()) {
        auto *Call = dyn_cast<CallBase>(U);
        if (!Call || Call->getCalledFunction() != &New)
          continue;
        auto &TLI = FAM.getResult<TargetLibraryAnalysis>(*const_cast<Function *>(Call->getFunction()));
        for (const Value *Argument : Call->args()) {
          SmallVector<Instruction *, 16> Writes;
          const Value *Object = Argument->getType()->isPointerTy() ? getUnderlyingObject(Argument) : nullptr;
          if (Object && Asked.insert(Object).second && polyrsIsNeverRead(Object, TLI, &Writes))
            Gone.insert_range(Writes);
        }
      }
  for (Instruction *I : Gone) {
    I->getFunction()->addFnAttr(PolyrsRemovedUnread);
    FAM.invalidate(*I->getFunction(), PreservedAnalyses::none());
    I->eraseFromParent();
  }
}
