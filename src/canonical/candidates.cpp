// Which functions are worth a clone: told from the function as it is, before anything is spent on it.

#include "canonical/scan.h"

#include "bridge/calls.h"
#include "bridge/endings.h"
#include "bridge/unread.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace {

// Also true of a call that inlining or a rewrite may turn into such an access.
bool readsOrWritesArrays(const BasicBlock &BB) {
  for (const Instruction &I : BB) {
    const Value *Pointer = getLoadStorePointerOperand(&I);
    if ((Pointer && !isa<AllocaInst>(Pointer)) || isa<AtomicRMWInst, AtomicCmpXchgInst>(I))
      return true;
    auto *Call = dyn_cast<CallBase>(&I);
    if (Call && (isa<AnyMemIntrinsic>(Call) || (Call->getCalledFunction() && !Call->getCalledFunction()->isDeclaration())))
      return true;
  }
  return false;
}

// Whether there is a natural loop, and whether one accesses memory other than a local scalar: each loop is walked
// through once, with those inside, no analysis needed.
PolyrsLook lookAtLoops(const Function &F) {
  if (F.size() < 2 && succ_empty(&F.getEntryBlock()))
    return PolyrsLook::None;
  SmallVector<std::pair<const BasicBlock *, const BasicBlock *>, 8> Backedges;
  FindFunctionBackedges(F, Backedges);
  if (Backedges.empty())
    return PolyrsLook::None;
  SmallMapVector<const BasicBlock *, SmallVector<const BasicBlock *, 2>, 8> Latches;
  for (auto &[Latch, Header] : Backedges)
    Latches[Header].push_back(Latch);
  for (auto &[Header, Work] : Latches) {
    // What lies in front of a loop inside is reached through that one's header.
    SmallPtrSet<const BasicBlock *, 32> Seen;
    Seen.insert(Header);
    if (readsOrWritesArrays(*Header))
      return PolyrsLook::All;
    while (!Work.empty()) {
      const BasicBlock *BB = Work.pop_back_val();
      if (!Seen.insert(BB).second)
        continue;
      if (readsOrWritesArrays(*BB))
        return PolyrsLook::All;
      Work.append(pred_begin(BB), pred_end(BB));
    }
  }
  return PolyrsLook::NoMemory;
}

bool hasTakenBlockAddress(const Function &F) {
  for (const BasicBlock &BB : F)
    if (BB.hasAddressTaken())
      return true;
  return false;
}

// How far a function is looked at. Linear in the size of the function, and in the depth of its loops. What is available
// externally is told of in its own module.
PolyrsLook lookAt(const Function &F) {
  if (F.isDeclaration() || F.hasAvailableExternallyLinkage())
    return PolyrsLook::None;
  PolyrsLook Loops = lookAtLoops(F);
  bool Copyable = !hasTakenBlockAddress(F) && !F.isPresplitCoroutine() && !F.hasFnAttribute(Attribute::Naked);
  return Loops == PolyrsLook::All && !Copyable ? PolyrsLook::NoCopy : Loops;
}

// Whether `I` stores one element behind the other in the iterations of `L`, and others in those of the loops around.
bool storesInSequence(const Instruction &I, const Loop &L, ScalarEvolution &SE) {
  auto *Store = dyn_cast<StoreInst>(&I);
  if (!Store || !Store->isSimple())
    return false;
  TypeSize Size = I.getDataLayout().getTypeStoreSize(Store->getValueOperand()->getType());
  const SCEV *Address = SE.getSCEV(const_cast<Value *>(Store->getPointerOperand()));
  for (const Loop *Around = &L; Around; Around = Around->getParentLoop()) {
    auto *Moves = dyn_cast<SCEVAddRecExpr>(Address);
    if (!Moves || Moves->getLoop() != Around || !Moves->isAffine())
      return false;
    auto *Step = dyn_cast<SCEVConstant>(Moves->getStepRecurrence(SE));
    if (Around == &L && (!Step || Size.isScalable() || Step->getAPInt().abs() != Size.getFixedValue()))
      return false;
    Address = Moves->getStart();
  }
  return true;
}

// Whether the instruction has nothing to do with memory; calls that may be inlined count as what they run.
bool isQuiet(const Instruction &I, const PolyrsLoopScan &Scan) {
  if (auto *II = dyn_cast<IntrinsicInst>(&I); II && II->isAssumeLikeIntrinsic())
    return true;
  if (!I.mayReadOrWriteMemory())
    return true;
  auto IsQuiet = [](const Instruction &Inner) { return !Inner.mayReadOrWriteMemory(); };
  return Scan.mayInline(I) && all_of(instructions(*cast<CallBase>(I).getCalledFunction()), IsQuiet);
}

} // namespace

bool PolyrsLoopScan::mayInline(const Instruction &I) const {
  auto *Call = dyn_cast<CallBase>(&I);
  return Call && !IsInlined && !isa<IntrinsicInst>(Call) && polyrsMayInline(*Call, F, M);
}

bool PolyrsLoopScan::writesArrays(const Instruction &I) const {
  if (auto *II = dyn_cast<IntrinsicInst>(&I); II && II->isAssumeLikeIntrinsic())
    return false;
  auto *Store = dyn_cast<StoreInst>(&I);
  auto *Local = Store ? dyn_cast<AllocaInst>(Store->getPointerOperand()) : nullptr;
  bool IsScalar = Local && !Local->isArrayAllocation() && Local->getAllocatedType()->isSingleValueType();
  return I.mayWriteToMemory() && !IsScalar && !isMessage(I) && !(Store && Store->isSimple() && isUnread(*Store));
}

bool PolyrsLoopScan::isUnread(const StoreInst &Store) const {
  const Value *Object = getUnderlyingObject(Store.getPointerOperand());
  auto [Known, IsNew] = Unread.try_emplace(Object, false);
  if (IsNew)
    Known->second = polyrsIsNeverRead(Object, TLI);
  return Known->second;
}

bool PolyrsLoopScan::isMessage(const Instruction &I) const {
  auto *Call = dyn_cast<CallBase>(&I);
  return Call && !isa<IntrinsicInst>(Call) && !mayInline(I) && polyrsIsMessage(*Call, TLI);
}

bool PolyrsLoopScan::isBar(const Instruction &I) const {
  if (I.isVolatile() || isa<FenceInst>(I) || isa<AtomicRMWInst>(I) || isa<AtomicCmpXchgInst>(I))
    return true;
  auto *Call = dyn_cast<CallBase>(&I);
  if (!Call || isa<IntrinsicInst>(Call) || !Call->mayWriteToMemory() || polyrsReadsOnly(*Call) || polyrsComputesOnly(*Call, TLI))
    return false;
  if (auto *Asm = dyn_cast<InlineAsm>(Call->getCalledOperand()))
    return Asm->hasSideEffects();
  if (const Function *Callee = Call->getCalledFunction()) {
    LibFunc Known;
    return !TLI.getLibFunc(*Callee, Known) && !mayInline(I);
  }
  auto *Pointer = dyn_cast<LoadInst>(Call->getCalledOperand());
  return Pointer && isa<LoadInst, Argument, PHINode>(getUnderlyingObject(Pointer->getPointerOperand()));
}

bool PolyrsLoopScan::isBarred(const Loop &L) const {
  auto Holds = [&](const BasicBlock &BB) { return any_of(BB, [&](const Instruction &I) { return isBar(I); }); };
  const BasicBlock *First = L.getHeader(), *Last = L.getLoopLatch();
  for (const BasicBlock *BB = First; BB; BB = BB->getSingleSuccessor()) {
    if (Holds(*BB))
      return true;
    if (BB == Last)
      return false;
  }
  for (const BasicBlock *BB = Last; BB && BB != First; BB = BB->getSinglePredecessor())
    if (Holds(*BB))
      return true;
  return false;
}

bool PolyrsLoopScan::onlyFills(const Instruction &I, const Loop &L, ScalarEvolution &SE) const {
  return isQuiet(I, *this) || storesInSequence(I, L, SE);
}

// Number of functions with a loop. To be called once, before the functions are asked for.
POLYRS_EXPORT size_t polyrs_module_candidates(PolyrsModule *M) {
  for (Function &F : M->M)
    if (PolyrsLook Look = lookAt(F); Look != PolyrsLook::None)
      M->Candidates.emplace_back(&F, Look);
  return M->Candidates.size();
}

// One of them; in module order.
POLYRS_EXPORT Function *polyrs_module_candidate(const PolyrsModule *M, size_t Index) { return M->Candidates[Index].first; }

// How far it is looked at.
POLYRS_EXPORT uint32_t polyrs_module_look(const PolyrsModule *M, size_t Index) {
  return static_cast<uint32_t>(M->Candidates[Index].second);
}

// What the loops of `F` hold. Linear in the size of the function; LLVM keeps the loop information for its own passes.
POLYRS_EXPORT void polyrs_function_loops(PolyrsModule *M, Function *F, PolyrsLoops *Out) {
  *Out = {};
  LoopInfo &LI = M->FAM.getResult<LoopAnalysis>(*F);
  PolyrsLoopScan Scan(*M, *F, M->FAM.getResult<TargetLibraryAnalysis>(*F));
  Out->Barred = true;
  for (const Loop *L : LI.getLoopsInPreorder()) {
    ++Out->Loops;
    Out->Barred = Out->Barred && (!L->isInnermost() || Scan.isBarred(*L));
  }
  for (const BasicBlock &BB : *F) {
    if (!LI.getLoopFor(&BB))
      continue;
    for (const Instruction &I : BB) {
      bool MayInline = Scan.mayInline(I);
      Out->Calls += MayInline;
      Out->Writes += !MayInline && Scan.writesArrays(I);
    }
  }
  auto OnlyFills = [&] {
    auto &SE = M->FAM.getResult<ScalarEvolutionAnalysis>(*F);
    return all_of(*F, [&](const BasicBlock &BB) {
      const Loop *L = LI.getLoopFor(&BB);
      return !L || all_of(BB, [&](const Instruction &I) { return Scan.onlyFills(I, *L, SE); });
    });
  };
  Out->Fills = Out->Writes > 0 && !Out->Barred && OnlyFills();
}
