// Which loops of a clone some region may hold, and what these hold: functions in which nothing can gain are told before
// the clone is brought into more than SSA form, which costs most.
//
// A loop is in no region where its end is data that changes while it runs (`while (*p++)`, `p = p->next`,
// `while (s->left) take(s)`): no rewrite makes an affine bound of that, and such a loop within a region is one
// statement only where it is innermost. Neither is a loop that always runs what no region can hold. What is left makes
// nests; nests of which one leads to the other may share a region.
//
// A place in memory that a loop reads for its end changes where a call in the loop may write it, or where what the loop
// stores there in each iteration is data itself or the place's own value with something added: counters in memory stay
// there. What is stored in some iterations only is data in any case.

#include "canonical/scan.h"

#include "bridge/endings.h"

#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/MemoryLocation.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

#include <optional>

using namespace llvm;

namespace {

// Blocks behind the exit of a loop that are looked at for a call.
constexpr unsigned MaxBehind = 8;
// Blocks that are walked over to find nests that follow each other; beyond, all do.
constexpr unsigned MaxWalked = 10000;
// Stores and calls of one loop that a place in memory is compared with; places of loops with more count as one value.
constexpr unsigned MaxWriters = 64;
// Instructions, of which a call stands for some, below which what nests do is estimated to take less than new code has
// to save (`LEAST_SAVED_CYCLES`): ten cycles each.
constexpr uint64_t LittleWork = 3000;
constexpr uint64_t CallWork = 100;

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

// Whether it is a copy or a filling that may become a loop: those of one element become a load and a store.
bool mayBecomeLoop(const Instruction &I) {
  auto *Memory = dyn_cast<AnyMemIntrinsic>(&I);
  auto *Length = Memory ? dyn_cast<ConstantInt>(Memory->getLength()) : nullptr;
  return Memory && !(Length && Length->getValue().ule(8) && Length->getValue().isPowerOf2());
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
  // Of its own: some passes look at what others have left, and the clone must not hang on whether nests are looked at.
  DominatorTree DT;
  LoopInfo LI;
  std::optional<ScalarEvolution> SE;
  TargetLibraryInfo &TLI;
  AAResults &AA;
  // Blocks with something that no region can hold.
  SmallPtrSet<const BasicBlock *, 16> Bars;
  // Blocks with a message: assumed not to run, but where each iteration of the loop around does.
  SmallPtrSet<const BasicBlock *, 16> Tells;
  // What may write places in memory in a loop: stores, and calls that are bars.
  DenseMap<const Loop *, SmallVector<Instruction *, 8>> Writers;
  // Loops that always run what no region can hold, not even as one statement.
  SmallPtrSet<const Loop *, 16> Barred;
  // Loops that a region may hold.
  SmallPtrSet<const Loop *, 16> Possible;
  unsigned Walked = 0;

public:
  Nests(PolyrsClone &C, FunctionAnalysisManager &FAM)
      : Scan(C.Module, *C.Clone, FAM.getResult<TargetLibraryAnalysis>(*C.Clone), /*IsInlined=*/true), F(*C.Clone),
        FAM(FAM), DT(F), LI(DT), TLI(FAM.getResult<TargetLibraryAnalysis>(F)), AA(FAM.getResult<AAManager>(F)) {}

  // What the nests hold that may be in a region, those together that may share one.
  std::vector<PolyrsLoops> find() {
    for (const BasicBlock &BB : F) {
      if (any_of(BB, [&](const Instruction &I) { return Scan.isBar(I); }))
        Bars.insert(&BB);
      if (any_of(BB, [&](const Instruction &I) { return Scan.isMessage(I); }))
        Tells.insert(&BB);
    }
    SmallVector<Loop *, 4> Loops = LI.getLoopsInPreorder();
    for (const Loop *L : reverse(Loops)) {
      if (isBarred(*L))
        Barred.insert(L);
      else if (!endsOnData(*L))
        Possible.insert(L);
    }
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

  const SmallVector<Instruction *, 8> &writersIn(const Loop &L) {
    auto [It, New] = Writers.try_emplace(&L);
    if (New)
      for (BasicBlock *BB : L.blocks())
        for (Instruction &I : *BB)
          if (isa<StoreInst>(I) || (isa<CallBase>(I) && Scan.isBar(I) && !polyrsIsMessage(cast<CallBase>(I), TLI)))
            It->second.push_back(&I);
    return It->second;
  }

  bool isSamePlace(const LoadInst &Load, const Instruction &Other) const {
    return AA.isMustAlias(MemoryLocation::get(&Load), MemoryLocation::get(&Other));
  }

  // Whether the value is what the place of `Load` held before, with something added.
  bool addsTo(const LoadInst &Load, const Value *V) const {
    auto *Sum = dyn_cast<Instruction>(V);
    if (!Sum || !(isa<GetElementPtrInst>(Sum) || Sum->getOpcode() == Instruction::Add))
      return false;
    auto *Before = dyn_cast<LoadInst>(Sum->getOperand(0));
    return Before && (Before == &Load || (Before->getType() == Load.getType() && isSamePlace(Load, *Before)));
  }

  // Whether the place that is read, one and the same in all iterations, holds something else in each, and what that is
  // comes of memory and not of counters.
  bool changesInMemory(const LoadInst &Load, const Loop &L, Values &Seen) {
    const auto &All = writersIn(L);
    if (!Load.isSimple() || All.size() > MaxWriters)
      return false;
    bool IsData = false;
    for (Instruction *W : All) {
      auto *Store = dyn_cast<StoreInst>(W);
      if (!Store) {
        if (isModSet(AA.getModRefInfo(W, MemoryLocation::get(&Load))))
          return true;
      } else if (Store->getValueOperand()->getType() == Load.getType() && isSamePlace(Load, *Store)) {
        const Value *Stored = Store->getValueOperand();
        bool IsAlways = !L.getLoopLatch() || DT.dominates(Store->getParent(), L.getLoopLatch());
        if (IsAlways && !addsTo(Load, Stored) && !isData(Stored, L, Seen))
          return false;
        IsData = true;
      }
    }
    return IsData;
  }

  // Whether the value is made of elements that `L` reads one after the other, or of what calls of unknown functions
  // return.
  bool isData(const Value *V, const Loop &L, Values &Seen) {
    auto *I = dyn_cast<Instruction>(V);
    if (!I || !L.contains(I) || !Seen.insert(I).second)
      return false;
    if (auto *Load = dyn_cast<LoadInst>(I)) {
      Values OfAddress;
      return varies(Load->getPointerOperand(), L, LI, OfAddress) || changesInMemory(*Load, L, Seen);
    }
    if (isa<CallBase>(I) && !isa<IntrinsicInst>(I))
      return Scan.isBar(*I);
    return any_of(I->operands(), [&](const Use &Operand) { return isData(Operand, L, Seen); });
  }

  bool endsOnData(const Loop &L) {
    SmallVector<Loop::Edge, 4> Exits;
    L.getExitEdges(Exits);
    bool IsAll = true, IsOne = false;
    for (auto &[Inside, Outside] : Exits) {
      const Value *Condition = conditionOf(*Inside->getTerminator());
      Values Seen;
      bool IsData = Condition && isData(Condition, L, Seen);
      IsAll &= IsData;
      IsOne |= IsData && !mayBeError(Outside);
    }
    return IsOne || (IsAll && !Exits.empty());
  }

  // Whether the array that is accessed is found by data: neither one of outside the loop nor a row of a table. What a
  // loop around the access is, or a loop within that is one statement, makes no difference.
  bool hasVariantBase(const Instruction &I, const Loop &L) {
    const Value *Pointer = getLoadStorePointerOperand(&I);
    auto *Base = Pointer ? dyn_cast<Instruction>(getUnderlyingObject(Pointer, /*MaxLookup=*/0)) : nullptr;
    if (!Base || !L.contains(Base))
      return false;
    Values Seen;
    if (auto *Load = dyn_cast<LoadInst>(Base))
      return isData(Load->getPointerOperand(), L, Seen) || changesInMemory(*Load, L, Seen);
    return isa<PHINode>(Base) && LI.isLoopHeader(Base->getParent()) && isData(Base, L, Seen);
  }

  static const Value *conditionOf(const Instruction &End) {
    if (auto *Switch = dyn_cast<SwitchInst>(&End))
      return Switch->getCondition();
    auto *Branch = dyn_cast<BranchInst>(&End);
    return Branch && Branch->isConditional() ? Branch->getCondition() : nullptr;
  }

  // Whether the block, which has a bar, is behind branches on data only: none of them is decided before the loop runs.
  bool isReached(const BasicBlock &BB, const Loop &L, const BasicBlock &Latch) {
    for (const auto *Node = DT.getNode(&BB); Node && !DT.dominates(Node->getBlock(), &Latch);) {
      Node = Node->getIDom();
      if (!Node || !L.contains(Node->getBlock()))
        return false;
      const Instruction *End = Node->getBlock()->getTerminator();
      const Value *Condition = conditionOf(*End);
      Values Seen;
      if (End->getNumSuccessors() > 1 && !(Condition && isData(Condition, L, Seen)))
        return false;
    }
    return true;
  }

  // Whether iterations run what no region can hold, as far as the loop runs at all: a bar, in each iteration or behind
  // data, or in each a message, an access to an array that is found by data, or a loop that cannot be one statement.
  bool isBarred(const Loop &L) {
    const BasicBlock *Latch = L.getLoopLatch();
    if (!Latch)
      return false;
    for (const BasicBlock *BB : L.blocks())
      if (Bars.contains(BB) && !Tells.contains(BB) && isReached(*BB, L, *Latch))
        return true;
    auto IsBar = [&](const BasicBlock *BB) {
      return Bars.contains(BB) || (Tells.contains(BB) && LI.getLoopFor(BB) == &L) ||
             any_of(*BB, [&](const Instruction &I) { return hasVariantBase(I, L); });
    };
    if (any_of(L.blocks(), [&](const BasicBlock *BB) { return DT.dominates(BB, Latch) && IsBar(BB); }))
      return true;
    return any_of(L, [&](const Loop *Inner) {
      bool IsOne = Inner->isInnermost() && !Barred.contains(Inner);
      return !Possible.contains(Inner) && !IsOne && DT.dominates(Inner->getHeader(), Latch);
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
    if (!SE)
      SE.emplace(F, TLI, FAM.getResult<AssumptionAnalysis>(F), DT, LI);
    bool OnlyFills = true;
    for (const Loop *Root : Roots) {
      for (const Loop *L : Root->getLoopsInPreorder())
        Held.Loops += Possible.contains(L);
      for (const BasicBlock *BB : Root->blocks())
        for (const Instruction &I : *BB) {
          Held.Writes += Scan.writesArrays(I);
          Held.Loops += mayBecomeLoop(I);
          OnlyFills = OnlyFills && Scan.onlyFills(I, *LI.getLoopFor(BB), *SE);
        }
    }
    Held.Fills = Held.Writes > 0 && OnlyFills;
    Held.Little = workOf(Roots) < LittleWork;
    return Held;
  }

  // Instructions that run in these nests, whatever runs around them; at least `LittleWork` where that is not known.
  uint64_t workOf(ArrayRef<const Loop *> Roots) {
    uint64_t Work = 0;
    for (const Loop *Root : Roots) {
      const Loop *Around = Root->getParentLoop();
      for (const BasicBlock *BB : Root->blocks()) {
        uint64_t Runs = 1;
        for (const Loop *L = LI.getLoopFor(BB); L != Around; L = L->getParentLoop()) {
          unsigned Trips = SE->getSmallConstantMaxTripCount(L);
          Runs = SaturatingMultiply<uint64_t>(Runs, Trips == 0 ? LittleWork : Trips);
        }
        for (const Instruction &I : *BB)
          Work = SaturatingMultiplyAdd<uint64_t>(Runs, mayBecomeLoop(I) ? LittleWork : isa<CallBase>(I) ? CallWork : 1, Work);
        if (Work >= LittleWork)
          return Work;
      }
    }
    return Work;
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
