// The passes that bring a clone into canonical form.

#include "canonical/canonical.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/AggressiveInstCombine/AggressiveInstCombine.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/IndVarSimplify.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopRotation.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/LCSSA.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LowerSwitch.h"

using namespace llvm;

namespace {

// Options that keep a nest a nest: nothing is hoisted or sunk across the blocks of a loop, no switch becomes a table.
SimplifyCFGOptions gentleSimplifyCFG() {
  return SimplifyCFGOptions().needCanonicalLoops(true).hoistCommonInsts(false).sinkCommonInsts(false).convertSwitchToLookupTable(
      false);
}

// What indices are made of is a parameter: it is loaded before.
bool mayStandInARegion(const Instruction &I) {
  if (auto *Load = dyn_cast<LoadInst>(&I))
    return Load->isSimple() && !polyrsIsIndexLoad(*Load);
  if (auto *Store = dyn_cast<StoreInst>(&I))
    return Store->isSimple();
  return !I.mayHaveSideEffects();
}

// Where a region may begin in the entry block: behind all allocas, at the first store. What is computed before stays
// outside, where it is a parameter or an invariant of every region.
BasicBlock::iterator endOfEntry(BasicBlock &Entry) {
  auto First = Entry.begin();
  for (Instruction &I : Entry)
    if (isa<AllocaInst>(I))
      First = std::next(I.getIterator());
  return std::find_if(First, Entry.end(), [](const Instruction &I) { return isa<StoreInst>(I) || I.isTerminator(); });
}

// Whether a preheader holds what a region that begins with it must find done: what no region may hold, and comparisons
// of pointers (whether a vector is empty) and of floating-point numbers and divisions by what is no constant, which as
// invariants are parameters and are nothing within a region.
bool endsInFrontOfRegion(const BasicBlock &Preheader) {
  return any_of(Preheader, [](const Instruction &I) {
    auto *Compare = dyn_cast<ICmpInst>(&I);
    return !mayStandInARegion(I) || polyrsIsQuotient(I) || (Compare && Compare->getOperand(0)->getType()->isPointerTy()) ||
           (isa<FCmpInst>(I) && polyrsDecidesBranch(I));
  });
}

// Gives regions blocks to begin with: the function's entry block ends where a region may begin, and a preheader that is
// a loop header or has instructions that must stand in front of the region is split, so that the loop has an empty one.
struct SplitForRegionsPass : PassInfoMixin<SplitForRegionsPass> {
  PreservedAnalyses run(Function &F, FunctionAnalysisManager &FAM) {
    auto &DT = FAM.getResult<DominatorTreeAnalysis>(F);
    auto &LI = FAM.getResult<LoopAnalysis>(F);
    BasicBlock &Entry = F.getEntryBlock();
    SplitBlock(&Entry, endOfEntry(Entry), &DT, &LI);
    for (Loop *L : LI.getLoopsInPreorder()) {
      BasicBlock *Preheader = L->getLoopPreheader();
      if (!Preheader)
        continue;
      if (Preheader == &F.getEntryBlock() || LI.isLoopHeader(Preheader) || endsInFrontOfRegion(*Preheader))
        SplitBlock(Preheader, Preheader->getTerminator()->getIterator(), &DT, &LI);
    }
    PreservedAnalyses Preserved;
    Preserved.preserve<DominatorTreeAnalysis>();
    Preserved.preserve<LoopAnalysis>();
    return Preserved;
  }
  static bool isRequired() { return true; }
};

// Puts blocks behind those that lead to them, but for back edges, where one stands before: statements run in the order
// of the numbers that facts give to instructions.
struct OrderBlocksPass : PassInfoMixin<OrderBlocksPass> {
  PreservedAnalyses run(Function &F, FunctionAnalysisManager &) {
    ReversePostOrderTraversal<Function *> Order(&F);
    DenseMap<const BasicBlock *, unsigned> Place, Wanted;
    for (BasicBlock &BB : F)
      Place.try_emplace(&BB, Place.size());
    for (BasicBlock *BB : Order)
      Wanted.try_emplace(BB, Wanted.size());
    bool Fits = all_of(Order, [&](BasicBlock *BB) {
      return all_of(successors(BB), [&](BasicBlock *S) { return Wanted[S] <= Wanted[BB] || Place[S] > Place[BB]; });
    });
    BasicBlock *Last = nullptr;
    for (BasicBlock *BB : Order) {
      if (Last && !Fits)
        BB->moveAfter(Last);
      Last = BB;
    }
    return PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};

// See hoist.cpp.
struct HoistIndexLoadsPass : PassInfoMixin<HoistIndexLoadsPass> {
  PolyrsHoist Which;
  explicit HoistIndexLoadsPass(PolyrsHoist Which) : Which(Which) {}
  PreservedAnalyses run(Function &F, FunctionAnalysisManager &FAM) {
    return polyrsHoistIndexLoads(F, FAM, Which) ? PreservedAnalyses::none() : PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};

// See count.cpp.
struct CountIterationsPass : PassInfoMixin<CountIterationsPass> {
  PreservedAnalyses run(Function &F, FunctionAnalysisManager &FAM) {
    bool Changed = polyrsCountIterations(FAM.getResult<LoopAnalysis>(F), FAM.getResult<ScalarEvolutionAnalysis>(F),
                                         FAM.getResult<DominatorTreeAnalysis>(F));
    return polyrsPreservedAfter(Changed);
  }
  static bool isRequired() { return true; }
};

// See ways.cpp. What is left of the blocks is simplified at once.
struct DecideByWayPass : PassInfoMixin<DecideByWayPass> {
  PreservedAnalyses run(Function &F, FunctionAnalysisManager &FAM) {
    if (!polyrsDecideByWay(F, FAM.getResult<DominatorTreeAnalysis>(F), FAM.getResult<AssumptionAnalysis>(F), FAM.getResult<LoopAnalysis>(F)))
      return PreservedAnalyses::all();
    FAM.invalidate(F, PreservedAnalyses::none());
    FunctionPassManager FPM;
    FPM.addPass(SimplifyCFGPass(gentleSimplifyCFG()));
    FPM.addPass(InstCombinePass());
    FPM.run(F, FAM);
    return PreservedAnalyses::none();
  }
  static bool isRequired() { return true; }
};

// A square root of what is never negative is an instruction, not a call that may set errno: LLVM's own pass says of
// which that is true, and new loops are written before it runs.
struct RootsPass : PassInfoMixin<RootsPass> {
  PreservedAnalyses run(Function &F, FunctionAnalysisManager &FAM) {
    const TargetLibraryInfo &TLI = FAM.getResult<TargetLibraryAnalysis>(F);
    bool Calls = any_of(instructions(F), [&](Instruction &I) {
      LibFunc Func;
      auto *Call = dyn_cast<CallInst>(&I);
      return Call && !isa<IntrinsicInst>(Call) && TLI.getLibFunc(*Call, Func) && (Func == LibFunc_sqrt || Func == LibFunc_sqrtf);
    });
    return Calls ? AggressiveInstCombinePass().run(F, FAM) : PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};

// See inclusive.cpp. What such a loop does at its beginning becomes its end.
struct CountInclusivePass : PassInfoMixin<CountInclusivePass> {
  PreservedAnalyses run(Function &F, FunctionAnalysisManager &FAM) {
    if (!polyrsCountInclusive(FAM.getResult<LoopAnalysis>(F)))
      return PreservedAnalyses::all();
    FAM.invalidate(F, PreservedAnalyses::none());
    FunctionPassManager FPM;
    FPM.addPass(createFunctionToLoopPassAdaptor(LoopRotatePass(/*EnableHeaderDuplication=*/true, /*PrepareForLTO=*/false)));
    FPM.addPass(SimplifyCFGPass(gentleSimplifyCFG()));
    FPM.addPass(InstCombinePass());
    FPM.addPass(LoopSimplifyPass());
    FPM.run(F, FAM);
    return PreservedAnalyses::none();
  }
  static bool isRequired() { return true; }
};

// See walks.cpp.
struct WalkAtOncePass : PassInfoMixin<WalkAtOncePass> {
  PreservedAnalyses run(Function &F, FunctionAnalysisManager &FAM) {
    bool Changed = polyrsWalkAtOnce(FAM.getResult<LoopAnalysis>(F), FAM.getResult<ScalarEvolutionAnalysis>(F),
                                    FAM.getResult<DominatorTreeAnalysis>(F));
    return polyrsPreservedAfter(Changed);
  }
  static bool isRequired() { return true; }
};

// See windows.cpp. What an array on the stack held for such a loop is a value then.
struct UnrollWindowsPass : PassInfoMixin<UnrollWindowsPass> {
  PreservedAnalyses run(Function &F, FunctionAnalysisManager &FAM) {
    if (!polyrsUnrollWindows(F, FAM))
      return PreservedAnalyses::all();
    FAM.invalidate(F, PreservedAnalyses::none());
    FunctionPassManager FPM;
    FPM.addPass(SimplifyCFGPass(gentleSimplifyCFG()));
    FPM.addPass(SROAPass(SROAOptions::ModifyCFG));
    FPM.addPass(EarlyCSEPass());
    FPM.addPass(InstCombinePass());
    FPM.addPass(LoopSimplifyPass());
    FPM.run(F, FAM);
    return PreservedAnalyses::none();
  }
  static bool isRequired() { return true; }
};

// See members.cpp.
struct KeepTurnsPass : PassInfoMixin<KeepTurnsPass> {
  PreservedAnalyses run(Function &F, FunctionAnalysisManager &FAM) {
    if (!polyrsKeepTurns(F, FAM))
      return PreservedAnalyses::all();
    FAM.invalidate(F, PreservedAnalyses::none());
    FunctionPassManager FPM;
    FPM.addPass(EarlyCSEPass());
    FPM.addPass(LoopSimplifyPass());
    FPM.run(F, FAM);
    return PreservedAnalyses::none();
  }
  static bool isRequired() { return true; }
};

// See fixed.cpp.
struct FixSizesPass : PassInfoMixin<FixSizesPass> {
  PreservedAnalyses run(Function &F, FunctionAnalysisManager &FAM) {
    return polyrsFixSizes(F, FAM) ? PreservedAnalyses::none() : PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};

// See swaps.cpp. What is the same in all iterations of the new loop is simplified at once.
struct UnrollTurnsPass : PassInfoMixin<UnrollTurnsPass> {
  PreservedAnalyses run(Function &F, FunctionAnalysisManager &FAM) {
    if (!polyrsUnrollTurns(F, FAM))
      return PreservedAnalyses::all();
    FAM.invalidate(F, PreservedAnalyses::none());
    FAM.invalidate(F, InstCombinePass().run(F, FAM));
    return PreservedAnalyses::none();
  }
  static bool isRequired() { return true; }
};

// See memory.cpp.
struct ExpandMemoryPass : PassInfoMixin<ExpandMemoryPass> {
  PreservedAnalyses run(Function &F, FunctionAnalysisManager &FAM) {
    bool Changed = polyrsExpandMemory(F, FAM.getResult<LoopAnalysis>(F), FAM.getResult<ScalarEvolutionAnalysis>(F),
                                      FAM.getResult<AAManager>(F));
    return Changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};

// See overflow.cpp.
struct ReadOverflowPass : PassInfoMixin<ReadOverflowPass> {
  PreservedAnalyses run(Function &F, FunctionAnalysisManager &FAM) {
    return polyrsPreservedAfter(polyrsReadOverflow(F, FAM.getResult<DominatorTreeAnalysis>(F)));
  }
  static bool isRequired() { return true; }
};

// See reload.cpp.
struct ReloadValuesPass : PassInfoMixin<ReloadValuesPass> {
  PreservedAnalyses run(Function &F, FunctionAnalysisManager &FAM) {
    polyrsReloadValues(F, FAM.getResult<AAManager>(F), FAM.getResult<LoopAnalysis>(F));
    PreservedAnalyses Preserved;
    Preserved.preserveSet<CFGAnalyses>();
    return Preserved;
  }
  static bool isRequired() { return true; }
};

// See own.cpp.
struct ReadOncePass : PassInfoMixin<ReadOncePass> {
  PreservedAnalyses run(Function &F, FunctionAnalysisManager &FAM) {
    return polyrsPreservedAfter(polyrsReadOnce(F, FAM.getResult<AAManager>(F)));
  }
  static bool isRequired() { return true; }
};

// See choices.cpp.
struct MoveChoicesPass : PassInfoMixin<MoveChoicesPass> {
  PreservedAnalyses run(Function &F, FunctionAnalysisManager &) {
    return polyrsPreservedAfter(polyrsMoveChoices(F));
  }
  static bool isRequired() { return true; }
};

// See bits.cpp.
struct CompareApartPass : PassInfoMixin<CompareApartPass> {
  PreservedAnalyses run(Function &F, FunctionAnalysisManager &FAM) {
    return polyrsPreservedAfter(polyrsCompareApart(F, FAM.getResult<LoopAnalysis>(F), FAM.getResult<ScalarEvolutionAnalysis>(F)));
  }
  static bool isRequired() { return true; }
};

// See joins.cpp.
struct JoinApartPass : PassInfoMixin<JoinApartPass> {
  PreservedAnalyses run(Function &F, FunctionAnalysisManager &FAM) {
    bool Changed = polyrsJoinApart(FAM.getResult<DominatorTreeAnalysis>(F), FAM.getResult<PostDominatorTreeAnalysis>(F),
                                   FAM.getResult<LoopAnalysis>(F), FAM.getResult<ScalarEvolutionAnalysis>(F));
    return Changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};

// See exits.cpp.
struct RejoinExitsPass : PassInfoMixin<RejoinExitsPass> {
  PreservedAnalyses run(Function &F, FunctionAnalysisManager &FAM) {
    bool Changed = polyrsRejoinExits(FAM.getResult<LoopAnalysis>(F), FAM.getResult<DominatorTreeAnalysis>(F));
    return Changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};

// See compares.cpp.
struct HoistComparesPass : PassInfoMixin<HoistComparesPass> {
  PreservedAnalyses run(Function &F, FunctionAnalysisManager &FAM) {
    bool Changed = polyrsHoistCompares(F, FAM.getResult<LoopAnalysis>(F), FAM.getResult<DominatorTreeAnalysis>(F));
    return polyrsPreservedAfter(Changed);
  }
  static bool isRequired() { return true; }
};

// See arms.cpp.
struct BranchOnSelectsPass : PassInfoMixin<BranchOnSelectsPass> {
  PreservedAnalyses run(Function &F, FunctionAnalysisManager &FAM) {
    bool Changed = polyrsBranchOnSelects(F, FAM.getResult<LoopAnalysis>(F), FAM.getResult<ScalarEvolutionAnalysis>(F));
    return Changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};

} // namespace

FunctionPassManager polyrsSSAForm() {
  FunctionPassManager FPM;
  FPM.addPass(SROAPass(SROAOptions::ModifyCFG));
  FPM.addPass(EarlyCSEPass());
  FPM.addPass(SimplifyCFGPass(gentleSimplifyCFG()));
  return FPM;
}

FunctionPassManager polyrsCanonicalization() {
  FunctionPassManager FPM;
  FPM.addPass(InstCombinePass());
  FPM.addPass(SROAPass(SROAOptions::ModifyCFG));
  FPM.addPass(RootsPass());
  FPM.addPass(ReadOncePass());
  FPM.addPass(DecideByWayPass());
  FPM.addPass(ReadOverflowPass());
  FPM.addPass(ExpandMemoryPass());
  FPM.addPass(LoopSimplifyPass());
  FPM.addPass(HoistIndexLoadsPass(PolyrsHoist::First));
  FPM.addPass(createFunctionToLoopPassAdaptor(LoopRotatePass(/*EnableHeaderDuplication=*/true, /*PrepareForLTO=*/false)));
  FPM.addPass(SimplifyCFGPass(gentleSimplifyCFG()));
  FPM.addPass(InstCombinePass());
  FPM.addPass(LoopSimplifyPass());
  FPM.addPass(CountInclusivePass());
  FPM.addPass(UnrollWindowsPass());
  FPM.addPass(KeepTurnsPass());
  FPM.addPass(FixSizesPass());
  FPM.addPass(HoistIndexLoadsPass(PolyrsHoist::Last));
  FPM.addPass(CountIterationsPass());
  FPM.addPass(WalkAtOncePass());
  FPM.addPass(UnrollTurnsPass());
  FPM.addPass(createFunctionToLoopPassAdaptor(IndVarSimplifyPass(/*WidenIndVars=*/true)));
  FPM.addPass(EarlyCSEPass());
  FPM.addPass(SimplifyCFGPass(gentleSimplifyCFG()));
  FPM.addPass(RejoinExitsPass());
  FPM.addPass(CompareApartPass());
  FPM.addPass(MoveChoicesPass());
  FPM.addPass(LowerSwitchPass());
  FPM.addPass(BranchOnSelectsPass());
  FPM.addPass(ReloadValuesPass());
  FPM.addPass(JoinApartPass());
  FPM.addPass(LoopSimplifyPass());
  FPM.addPass(HoistComparesPass());
  FPM.addPass(LCSSAPass());
  FPM.addPass(SplitForRegionsPass());
  FPM.addPass(OrderBlocksPass());
  return FPM;
}

