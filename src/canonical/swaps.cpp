// Unrolls time loops whose steps take turns: `t = a; a = b; b = t` behind a stencil, or `now = 1 - now` for a plane.
//
// A pointer that is another one in every other iteration is no base of an array. In a loop over pairs of steps each
// step has pointers of its own: header phis that are handed around in a circle of two, three or four come back to
// themselves.

#include "canonical/canonical.h"

#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/UnrollLoop.h"

#include <numeric>

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

// Most steps in one iteration of the new loop, and most instructions of one step.
constexpr unsigned MaxSteps = 4;
constexpr unsigned MaxInstructions = 300;

// After how many iterations a header phi has its value again if others only hand it around; 0 where it is not so. One
// where it never changes.
unsigned circle(const PHINode &Start, const Loop &L) {
  const PHINode *At = &Start;
  for (unsigned Steps = 1; Steps <= MaxSteps; ++Steps) {
    Value *Next = At->getIncomingValueForBlock(L.getLoopLatch());
    if (match(Next, m_Sub(m_One(), m_Specific(At))) || match(Next, m_Xor(m_Specific(At), m_One())))
      return Steps == 1 ? 2 : 0;
    At = dyn_cast<PHINode>(Next);
    if (!At || At->getParent() != L.getHeader())
      return 0;
    if (At == &Start)
      return Steps;
  }
  return 0;
}

// Whether an address inside of the loop is made of the value.
bool leadsToAddress(const Instruction &From, const Loop &L) {
  SmallVector<const Instruction *, 16> Work = {&From};
  SmallPtrSet<const Instruction *, 16> Seen;
  while (!Work.empty()) {
    const Instruction *I = Work.pop_back_val();
    if (!Seen.insert(I).second || !L.contains(I) || Seen.size() > MaxInstructions)
      continue;
    if (isa<GetElementPtrInst>(I) || (I->getType()->isPointerTy() && any_of(I->users(), [&](const User *U) {
                                        return getLoadStorePointerOperand(U) == I;
                                      })))
      return true;
    for (const User *U : I->users())
      if (auto *Next = dyn_cast<Instruction>(U); Next && !isa<LoadInst, CmpInst, StoreInst>(Next))
        Work.push_back(Next);
  }
  return false;
}

// How many steps an iteration of the new loop has; 1 where no pointers take turns. Planes chosen by a remainder of the
// counter are left to the model, which knows it.
unsigned stepsOf(const Loop &L) {
  unsigned Steps = 1;
  for (PHINode &Phi : L.getHeader()->phis())
    if (unsigned Circle = circle(Phi, L); Circle > 1 && leadsToAddress(Phi, L))
      Steps = std::lcm(Steps, Circle);
  return Steps;
}

// Whether the loop may be unrolled: nests in it, and nothing that no region can hold. Around a single loop it is not
// worth it: tiles in time of one dimension lose as long as the data stays in the second-level cache.
bool isTimeLoop(const Loop &L) {
  if (all_of(L, [](const Loop *Inner) { return Inner->isInnermost(); }) || !L.isLoopSimplifyForm() || L.getExitingBlock() != L.getLoopLatch() || !L.isSafeToClone())
    return false;
  unsigned Instructions = 0;
  bool Writes = false;
  for (BasicBlock *BB : L.blocks())
    for (Instruction &I : *BB) {
      ++Instructions;
      Writes |= isa<StoreInst>(I);
      if (auto *Call = dyn_cast<CallBase>(&I); Call && Call->mayHaveSideEffects())
        return false;
    }
  return Writes && Instructions <= MaxInstructions;
}

} // namespace

bool polyrsUnrollTurns(Function &F, FunctionAnalysisManager &FAM) {
  if (F.hasFnAttribute(PolyrsNoTurns))
    return false;
  auto &LI = FAM.getResult<LoopAnalysis>(F);
  SmallVector<std::pair<Loop *, unsigned>, 2> Found;
  auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(F);
  for (Loop *L : LI)
    if (isTimeLoop(*L) && !isa<SCEVCouldNotCompute>(SE.getBackedgeTakenCount(L)))
      if (unsigned Steps = stepsOf(*L); Steps > 1 && Steps <= MaxSteps)
        Found.push_back({L, Steps});
  if (Found.empty())
    return false;
  auto &DT = FAM.getResult<DominatorTreeAnalysis>(F);
  auto &AC = FAM.getResult<AssumptionAnalysis>(F);
  auto &TTI = FAM.getResult<TargetIRAnalysis>(F);
  OptimizationRemarkEmitter Silent(&F);
  bool Changed = false;
  for (auto [L, Steps] : Found) {
    formLCSSARecursively(*L, DT, &LI, &SE);
    UnrollLoopOptions Options = {};
    Options.Count = Steps;
    Options.Runtime = true;
    Options.AllowExpensiveTripCount = true;
    Options.SCEVExpansionBudget = 16;
    auto Result = UnrollLoop(L, Options, &LI, &SE, &DT, &AC, &TTI, &Silent, /*PreserveLCSSA=*/true);
    if (Result == LoopUnrollResult::PartiallyUnrolled)
      addStringMetadataToLoop(L, PolyrsTurns, 1);
    Changed |= Result != LoopUnrollResult::Unmodified;
  }
  return Changed;
}
