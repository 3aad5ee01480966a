// Unrolls short loops of constant length that only make one value of several: the window of a filter, the coordinates
// of a point, the subscripts of an element; and those that go through a small array of the function's own.
//
// `for (i..) for (j..) { s = 0; for (y = 0; y < 3; y++) for (x = 0; x < 3; x++) s += w[y][x] * a[i + y][j + x]; }`: as
// loops, the sum ties each iteration of the loops around to the next one, for it is kept in one place, and
// subscripts that such a loop computes are none that scalar evolution can read. Unrolled they are what LLVM makes of
// them in the end: a part of the statement around. `t[y][x] = a[i + y][j + x]` keeps such a window in an array, of
// which nothing is left once all that leads to it is a constant.

#include "canonical/canonical.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/UnrollLoop.h"

using namespace llvm;

namespace {

// Longest loop, most copies of what is innermost, most instructions that they may be, and loops around at least: along
// one of two loops around the statement can go into vectors, whatever the window steps along.
constexpr unsigned LongestWindow = 7;
constexpr unsigned MaxCopies = 32;
constexpr unsigned MaxInstructions = 400;
constexpr unsigned LoopsAround = 2;
// Most bytes of an array that becomes values.
constexpr unsigned MaxArrayBytes = 512;

using Arrays = SmallPtrSet<const Value *, 4>;

// What the source asks of this very loop is for LLVM to do.
bool hasHints(const Loop &L) {
  MDNode *Of = L.getLoopID();
  return Of && any_of(drop_begin(Of->operands()), [](const MDOperand &Op) {
           auto *Hint = dyn_cast<MDNode>(Op);
           auto *Name = Hint && Hint->getNumOperands() ? dyn_cast<MDString>(Hint->getOperand(0)) : nullptr;
           return Name && Name->getString() != "llvm.loop.mustprogress";
         });
}

// Whether the loop hands numbers from one iteration to the next, other than its counter.
bool makesValues(const Loop &L, ScalarEvolution &SE) {
  return any_of(L.getHeader()->phis(), [&](PHINode &Phi) {
    if (Phi.getType()->isFloatingPointTy())
      return true;
    return Phi.getType()->isIntegerTy() && !isa<SCEVAddRecExpr>(SE.getSCEV(&Phi));
  });
}

// How many copies there would be of what is innermost in the loop; 0 where it is no window.
unsigned copiesIn(const Loop &L, ScalarEvolution &SE) {
  unsigned Trips = SE.getSmallConstantTripCount(&L);
  if (Trips < 2 || Trips > LongestWindow || hasHints(L) || !L.isLoopSimplifyForm() || !L.getExitBlock() ||
      L.getExitingBlock() != L.getLoopLatch() || !L.isSafeToClone())
    return 0;
  unsigned Most = 1;
  for (const Loop *Inner : L) {
    unsigned Of = copiesIn(*Inner, SE);
    if (!Of)
      return 0;
    Most = std::max(Most, Of);
  }
  return Trips * Most;
}

// Whether it decides on something else than one more iteration.
bool isDecision(const Instruction &I, const LoopInfo &LI) {
  auto *Branch = dyn_cast<BranchInst>(&I);
  return Branch && Branch->isConditional() && !LI.getLoopFor(I.getParent())->isLoopLatch(I.getParent());
}

// Whether the loop can be unrolled and makes values, in `Own` arrays as well.
bool isWindow(const Loop &L, const LoopInfo &LI, ScalarEvolution &SE, const Arrays &Own) {
  if (L.getLoopDepth() <= LoopsAround)
    return false;
  unsigned Copies = copiesIn(L, SE), Instructions = 0;
  if (!Copies || Copies > MaxCopies)
    return false;
  bool Makes = makesValues(L, SE);
  for (BasicBlock *BB : L.blocks())
    for (Instruction &I : *BB) {
      ++Instructions;
      const Value *Place = getLoadStorePointerOperand(&I);
      bool IsOwn = Place && Own.contains(getUnderlyingObject(Place));
      Makes |= IsOwn;
      // A copy with clamps is many pieces, and as a loop it is few.
      if ((I.mayHaveSideEffects() && !IsOwn) || isa<SelectInst, MinMaxIntrinsic, SwitchInst>(I) || isDecision(I, LI))
        return false;
    }
  return Makes && Instructions * Copies <= MaxInstructions;
}

// What leads to an array: loads and stores, which move nothing else; false where it is something else.
bool accessesOf(Value &Array, SmallVectorImpl<Instruction *> &Found) {
  SmallVector<Value *, 16> Work = {&Array};
  while (!Work.empty())
    for (Use &U : Work.pop_back_val()->uses()) {
      auto *I = cast<Instruction>(U.getUser());
      auto *Store = dyn_cast<StoreInst>(I);
      if (isa<GetElementPtrInst>(I))
        Work.push_back(I);
      else if (auto *Load = dyn_cast<LoadInst>(I); (Load && Load->isSimple()) || (Store && Store->isSimple() && &U == &Store->getOperandUse(1)))
        Found.push_back(I);
      else if (!I->isLifetimeStartOrEnd())
        return false;
    }
  return true;
}

// Whether it is a constant where an access leads to once some loop around it that is a window is straight code.
bool leadsToConstant(Instruction &Access, Value &Array, const LoopInfo &LI, ScalarEvolution &SE, const Arrays &Own) {
  const SCEV *Offset = SE.getMinusSCEV(SE.getSCEV(getLoadStorePointerOperand(&Access)), SE.getSCEV(&Array));
  const Loop *L = LI.getLoopFor(Access.getParent()), *Window = nullptr;
  for (; L; L = L->getParentLoop())
    if (isWindow(*L, LI, SE, Own))
      Window = L;
  return !SCEVExprContains(Offset, [&](const SCEV *S) {
    auto *Counter = dyn_cast<SCEVAddRecExpr>(S);
    return isa<SCEVUnknown, SCEVCouldNotCompute>(S) || (Counter && !(Window && Window->contains(Counter->getLoop())));
  });
}

// Small arrays of the function's own of which nothing is left once windows are straight code.
Arrays arraysOfWindows(Function &F, const LoopInfo &LI, ScalarEvolution &SE) {
  MapVector<AllocaInst *, SmallVector<Instruction *, 16>> All;
  for (Instruction &I : F.getEntryBlock()) {
    auto *Alloca = dyn_cast<AllocaInst>(&I);
    SmallVector<Instruction *, 16> Accesses;
    std::optional<TypeSize> Size = Alloca ? Alloca->getAllocationSize(F.getDataLayout()) : std::nullopt;
    if (Size && !Size->isScalable() && *Size <= MaxArrayBytes && accessesOf(*Alloca, Accesses))
      All.insert({Alloca, Accesses});
  }
  Arrays Own(All.keys().begin(), All.keys().end());
  // A window that another array keeps from being one is none for this one.
  for (size_t Before = Own.size() + 1; Own.size() < Before;) {
    Before = Own.size();
    for (auto &[Alloca, Accesses] : All)
      if (Own.contains(Alloca) && !all_of(Accesses, [&](Instruction *I) { return leadsToConstant(*I, *Alloca, LI, SE, Own); }))
        Own.erase(Alloca);
  }
  return Own;
}

} // namespace

bool polyrsUnrollWindows(Function &F, FunctionAnalysisManager &FAM) {
  if (F.hasOptSize())
    return false;
  auto &LI = FAM.getResult<LoopAnalysis>(F);
  auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(F);
  Arrays Own = arraysOfWindows(F, LI, SE);
  SmallVector<Loop *, 8> Found, Work(LI.begin(), LI.end());
  while (!Work.empty()) {
    Loop *L = Work.pop_back_val();
    if (!isWindow(*L, LI, SE, Own)) {
      append_range(Work, *L);
      continue;
    }
    SmallVector<Loop *, 4> All = L->getLoopsInPreorder();
    Found.append(All.rbegin(), All.rend());
  }
  if (Found.empty())
    return false;
  auto &DT = FAM.getResult<DominatorTreeAnalysis>(F);
  auto &AC = FAM.getResult<AssumptionAnalysis>(F);
  auto &TTI = FAM.getResult<TargetIRAnalysis>(F);
  OptimizationRemarkEmitter Silent(&F);
  bool Changed = false;
  for (Loop *L : Found) {
    formLCSSARecursively(*L, DT, &LI, &SE);
    UnrollLoopOptions Options = {};
    Options.Count = SE.getSmallConstantTripCount(L);
    if (Options.Count < 2)
      continue;
    Changed |= UnrollLoop(L, Options, &LI, &SE, &DT, &AC, &TTI, &Silent, /*PreserveLCSSA=*/true) !=
               LoopUnrollResult::Unmodified;
  }
  return Changed;
}
