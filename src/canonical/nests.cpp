// Which loops of a clone some region may hold, and what these hold: functions in which nothing can gain are told before
// the clone is brought into more than SSA form, which costs most.
//
// A loop is in no region where its end is data that changes while it runs (`while (*p++)`, `p = p->next`): no rewrite
// makes an affine bound of that, and such a loop within a region is one statement only where it is innermost. Neither
// is a loop that always runs what no region can hold. What is left makes nests; nests of which one leads to the other
// may share a region.

#include "canonical/scan.h"

#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace {

// Blocks behind the exit of a loop that are looked at for a call.
constexpr unsigned MaxBehind = 8;
// Blocks that are walked over to find nests that follow each other; beyond, all do.
constexpr unsigned MaxWalked = 10000;

using Values = SmallPtrSet<const Value *, 16>;

// Whether the value is another one in each iteration of `L`, as far as the counters in `L` tell. Loads from one place
// count as one value: rewrites may read it once.
bool varies(const Value *V, const Loop &L, const LoopInfo &LI, Values &Seen) {
  auto *I = dyn_cast<Instruction>(V);
  if (!I || !L.contains(I) || isa<CallBase>(I) || !Seen.insert(I).second)
    return false;
  if (isa<PHINode>(I) && LI.isLoopHeader(I->getParent()))
    return true;
  return any_of(I->operands(), [&](const Use &Operand) { return varies(Operand, L, LI, Seen); });
}

// Whether the value is made of elements that `L` reads one after the other.
bool isData(const Value *V, const Loop &L, const LoopInfo &LI, Values &Seen) {
  auto *I = dyn_cast<Instruction>(V);
  if (!I || !L.contains(I) || !Seen.insert(I).second)
    return false;
  if (auto *Load = dyn_cast<LoadInst>(I)) {
    Values OfAddress;
    return varies(Load->getPointerOperand(), L, LI, OfAddress);
  }
  if (isa<CallBase>(I) && !isa<IntrinsicInst>(I))
    return false;
  return any_of(I->operands(), [&](const Use &Operand) { return isData(Operand, L, LI, Seen); });
}

// Whether what is behind the exit may be the handling of an error, which a region assumes not to happen.
bool mayBeError(const BasicBlock *BB) {
  for (unsigned Behind = 0; BB && Behind < MaxBehind; ++Behind, BB = BB->getSingleSuccessor()) {
    bool Calls = any_of(*BB, [](const Instruction &I) {
      auto *Intrinsic = dyn_cast<IntrinsicInst>(&I);
      return isa<CallBase>(I) && !(Intrinsic && Intrinsic->isAssumeLikeIntrinsic());
    });
    if (Calls || BB->isEHPad() || isa<UnreachableInst>(BB->getTerminator()))
      return true;
  }
  return false;
}

class Nests {
  PolyrsLoopScan Scan;
  Function &F;
  FunctionAnalysisManager &FAM;
  const LoopInfo &LI;
  const DominatorTree &DT;
  // Blocks with something that no region can hold.
  SmallPtrSet<const BasicBlock *, 16> Bars;
  // Loops that a region may hold.
  SmallPtrSet<const Loop *, 16> Possible;
  unsigned Walked = 0;

public:
  Nests(PolyrsClone &C, FunctionAnalysisManager &FAM)
      : Scan(C.Module, *C.Clone, FAM.getResult<TargetLibraryAnalysis>(*C.Clone)), F(*C.Clone), FAM(FAM),
        LI(FAM.getResult<LoopAnalysis>(F)), DT(FAM.getResult<DominatorTreeAnalysis>(F)) {}

  // What the nests hold that may be in a region, those together that may share one.
  std::vector<PolyrsLoops> find() {
    for (const BasicBlock &BB : F)
      if (any_of(BB, [&](const Instruction &I) { return Scan.isBar(I); }))
        Bars.insert(&BB);
    SmallVector<Loop *, 4> Loops = LI.getLoopsInPreorder();
    for (const Loop *L : reverse(Loops))
      if (!endsOnData(*L) && !isBarred(*L))
        Possible.insert(L);
    EquivalenceClasses<const Loop *> Together;
    for (const Loop *L : Loops)
      if (isRoot(L)) {
        Together.insert(L);
        for (const Loop *Next : following(*L))
          Together.unionSets(L, Next);
      }
    std::vector<PolyrsLoops> All;
    for (const auto *Class : Together)
      if (Class->isLeader())
        All.push_back(held(SmallVector<const Loop *, 4>(Together.member_begin(*Class), Together.member_end())));
    return All;
  }

private:
  bool isRoot(const Loop *L) const { return Possible.contains(L) && !(L->getParentLoop() && Possible.contains(L->getParentLoop())); }

  bool endsOnData(const Loop &L) const {
    SmallVector<Loop::Edge, 4> Exits;
    L.getExitEdges(Exits);
    bool IsAll = true, IsOne = false;
    for (auto &[Inside, Outside] : Exits) {
      auto *Branch = dyn_cast<BranchInst>(Inside->getTerminator());
      auto *Switch = dyn_cast<SwitchInst>(Inside->getTerminator());
      const Value *Condition = Switch ? Switch->getCondition() : Branch && Branch->isConditional() ? Branch->getCondition() : nullptr;
      Values Seen;
      bool IsData = Condition && isData(Condition, L, LI, Seen);
      IsAll &= IsData;
      IsOne |= IsData && !mayBeError(Outside);
    }
    return IsOne || (IsAll && !Exits.empty());
  }

  // Whether every iteration runs what no region can hold: a bar, or a loop that cannot be one statement.
  bool isBarred(const Loop &L) const {
    const BasicBlock *Latch = L.getLoopLatch();
    if (!Latch)
      return false;
    if (any_of(L.blocks(), [&](const BasicBlock *BB) { return Bars.contains(BB) && DT.dominates(BB, Latch); }))
      return true;
    return any_of(L, [&](const Loop *Inner) {
      return !Possible.contains(Inner) && !Inner->isInnermost() && DT.dominates(Inner->getHeader(), Latch);
    });
  }

  // The nests beside `L` that may run after it with nothing between that no region can hold.
  SmallVector<const Loop *, 4> following(const Loop &L) {
    const Loop *Around = L.getParentLoop();
    SmallVector<const Loop *, 4> Found;
    if (Walked > MaxWalked) {
      copy_if(Around ? Around->getSubLoops() : LI.getTopLevelLoops(), std::back_inserter(Found), [&](const Loop *S) { return isRoot(S); });
      return Found;
    }
    SmallVector<BasicBlock *, 8> Work;
    L.getExitBlocks(Work);
    SmallPtrSet<const BasicBlock *, 16> Seen;
    while (!Work.empty()) {
      BasicBlock *BB = Work.pop_back_val();
      bool IsBeside = !Around || (Around->contains(BB) && BB != Around->getHeader());
      if (!IsBeside || Bars.contains(BB) || !Seen.insert(BB).second)
        continue;
      ++Walked;
      const Loop *Inside = LI.getLoopFor(BB);
      while (Inside && Inside->getParentLoop() != Around)
        Inside = Inside->getParentLoop();
      if (Inside && Inside != Around && isRoot(Inside))
        Found.push_back(Inside);
      else if (!Inside || Inside == Around)
        append_range(Work, successors(BB));
    }
    return Found;
  }

  PolyrsLoops held(ArrayRef<const Loop *> Roots) {
    PolyrsLoops Held = {};
    auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(F);
    bool OnlyFills = true;
    for (const Loop *Root : Roots) {
      for (const Loop *L : Root->getLoopsInPreorder())
        Held.Loops += Possible.contains(L);
      for (const BasicBlock *BB : Root->blocks())
        for (const Instruction &I : *BB) {
          Held.Writes += Scan.writesArrays(I);
          // Becomes a loop.
          Held.Loops += isa<AnyMemIntrinsic>(I);
          OnlyFills = OnlyFills && Scan.onlyFills(I, *LI.getLoopFor(BB), SE);
        }
    }
    Held.Fills = Held.Writes > 0 && OnlyFills;
    return Held;
  }
};

} // namespace

// Looks for the nests of the clone that a region may hold; returns how many groups of them there are.
POLYRS_EXPORT size_t polyrs_clone_nests(PolyrsClone *C) {
  C->Nests = Nests(*C, C->Module.FAM).find();
  return C->Nests.size();
}

// What such a group of nests holds.
POLYRS_EXPORT void polyrs_clone_nest(const PolyrsClone *C, size_t Index, PolyrsLoops *Out) { *Out = C->Nests[Index]; }
