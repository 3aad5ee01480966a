// The shape in which loops came: those that are kept get it back.
//
// Canonical form is for scalar evolution and for the model. LLVM's passes are used to what their own order makes of a
// loop: a condition that is read before the loop, or a guard in another place, and the vectorizer no longer proves what
// it did. So each outermost loop in which no new code is becomes again what it was in SSA form, before a clone takes
// the function's place.
//
// Two marks stand around each loop: calls of `llvm.sideeffect`, which every pass lets stand and nobody takes for
// anything. The first one has an operand bundle ("deopt": what it holds is read, and goes nowhere) with the values from
// outside that the loop uses: passes keep them up to date as they keep all operands. The copy of the loop comes from a
// second clone, which is made the same way and stays in SSA form; it takes the place of all that stands between the
// marks, if that is still what canonicalization left there, and nothing behind uses what is computed in it.
//
// Where the original stays beside new code the marks move to the two ends of its way, if what stood between them and
// the region only computes: the copy of the loop computes that again.

#include "canonical/canonical.h"

#include "bridge/callers.h"

#include "llvm-c/Core.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

#include <optional>

using namespace llvm;

namespace {

// Loops of a function, and values from outside that one of them uses: with more of them it stays canonical.
constexpr size_t MaxLoops = 64, MaxValues = 48;

// A loop that may get its shape back.
struct Outer {
  Loop *L;
  BasicBlock *Preheader, *Exit;
  SmallVector<Value *, 16> Values;
};

// Values from outside that the loop uses, but for variables on the stack; none if there are too many, or if something
// behind the loop uses what it computes.
std::optional<SmallVector<Value *, 16>> valuesOf(const Loop &L) {
  SmallSetVector<Value *, 16> Found;
  for (BasicBlock *BB : L.blocks())
    for (Instruction &I : *BB) {
      if (any_of(I.users(), [&](User *U) { return !L.contains(cast<Instruction>(U)); }))
        return std::nullopt;
      for (Value *Op : I.operand_values())
        if (isa<Argument>(Op) || (isa<Instruction>(Op) && !L.contains(cast<Instruction>(Op)) && !isa<AllocaInst>(Op)))
          Found.insert(Op);
    }
  if (Found.size() > MaxValues || any_of(Found, [](Value *V) { return V->getType()->isTokenTy(); }))
    return std::nullopt;
  return Found.takeVector();
}

// The outermost loops of a clone in SSA form, each with a preheader and an exit of its own; none for those that cannot
// get their shape back. The same for each clone of a function.
std::vector<std::optional<Outer>> outerLoops(PolyrsClone &C) {
  auto &LI = C.Module.FAM.getResult<LoopAnalysis>(*C.Clone);
  auto &DT = C.Module.FAM.getResult<DominatorTreeAnalysis>(*C.Clone);
  std::vector<std::optional<Outer>> Found;
  SmallVector<Loop *, 8> Loops(LI.rbegin(), LI.rend());
  if (Loops.size() > MaxLoops)
    return Found;
  for (Loop *L : Loops) {
    Found.emplace_back();
    formDedicatedExitBlocks(L, &DT, &LI, nullptr, /*PreserveLCSSA=*/false);
    BasicBlock *Exit = L->getUniqueExitBlock(), *Preheader = L->getLoopPreheader();
    if (!Exit || Exit->isEHPad() || isa<PHINode>(Exit->begin()))
      continue;
    auto Values = valuesOf(*L);
    if (Values && !Preheader)
      Preheader = InsertPreheaderForLoop(L, &DT, &LI, nullptr, /*PreserveLCSSA=*/false);
    if (Values && Preheader)
      Found.back() = Outer{L, Preheader, Exit, std::move(*Values)};
  }
  return Found;
}

SmallVector<AllocaInst *, 8> variablesOf(Function &F) {
  SmallVector<AllocaInst *, 8> Found;
  for (Instruction &I : F.getEntryBlock())
    if (auto *Variable = dyn_cast<AllocaInst>(&I))
      Found.push_back(Variable);
  return Found;
}

bool isMark(const Instruction &I) {
  auto *Call = dyn_cast<IntrinsicInst>(&I);
  return Call && Call->getIntrinsicID() == Intrinsic::sideeffect && Call->hasOperandBundles();
}

CallInst *mark(BasicBlock::iterator Where, BasicBlock &BB, ArrayRef<Value *> Values) {
  Function *Callee = Intrinsic::getOrInsertDeclaration(BB.getModule(), Intrinsic::sideeffect);
  return IRBuilder<>(&BB, Where).CreateCall(Callee, {}, {OperandBundleDef("deopt", Values)});
}

// What stands between two marks.
struct Between {
  CallInst *Begin, *End;
  SmallSetVector<BasicBlock *, 16> Blocks;
  // Of the blocks, and those between the marks in the marks' blocks.
  SmallVector<Instruction *, 64> Instructions;

  bool contains(const Instruction &I) const {
    const BasicBlock *BB = I.getParent();
    return Blocks.contains(const_cast<BasicBlock *>(BB)) || (BB == Begin->getParent() && Begin->comesBefore(&I)) ||
           (BB == End->getParent() && I.comesBefore(End));
  }
};

// What stands between the marks; none if they are in one block, if control comes or goes another way, or if
// there are other marks between them.
std::optional<Between> between(CallInst *Begin, CallInst *End) {
  Between Found{Begin, End, {}, {}};
  BasicBlock *First = Begin->getParent(), *Last = End->getParent();
  if (First == Last)
    return std::nullopt;
  SmallVector<BasicBlock *, 16> Work(successors(First));
  while (!Work.empty()) {
    BasicBlock *BB = Work.pop_back_val();
    if (BB == Last || !Found.Blocks.insert(BB))
      continue;
    if (BB == First || (succ_empty(BB) && !isa<UnreachableInst>(BB->getTerminator())))
      return std::nullopt;
    append_range(Work, successors(BB));
  }
  auto IsInside = [&](BasicBlock *P) { return P == First || Found.Blocks.contains(P); };
  if (pred_empty(Last) || !all_of(predecessors(Last), IsInside) ||
      !all_of(Found.Blocks, [&](BasicBlock *BB) { return all_of(predecessors(BB), IsInside); }))
    return std::nullopt;
  for (Instruction &I : make_range(std::next(Begin->getIterator()), First->end()))
    Found.Instructions.push_back(&I);
  for (BasicBlock *BB : Found.Blocks)
    for (Instruction &I : *BB)
      Found.Instructions.push_back(&I);
  for (Instruction &I : make_range(Last->begin(), End->getIterator()))
    Found.Instructions.push_back(&I);
  if (any_of(Found.Instructions, [](Instruction *I) { return isMark(*I); }))
    return std::nullopt;
  return Found;
}

// The same of marks that may be gone.
std::optional<Between> between(const PolyrsMarked &Marked) {
  auto *Begin = dyn_cast_or_null<CallInst>(Marked.Begin), *End = dyn_cast_or_null<CallInst>(Marked.End);
  return Begin && End ? between(Begin, End) : std::nullopt;
}

// Remembers what stands there, if anything does.
void record(PolyrsMarked &Marked) {
  if (auto Found = between(Marked))
    Marked.Instructions.assign(Found->Instructions.begin(), Found->Instructions.end());
}

// What stands there if it is what it was when it was recorded, and nothing behind uses what is computed there.
std::optional<Between> unchanged(const PolyrsMarked &Marked) {
  std::optional<Between> Found = between(Marked);
  if (!Found || Found->Instructions.size() != Marked.Instructions.size())
    return std::nullopt;
  for (auto [Now, Then] : zip(Found->Instructions, Marked.Instructions))
    if (Now != Then || any_of(Now->users(), [&](User *U) { return !Found->contains(*cast<Instruction>(U)); }))
      return std::nullopt;
  return Found;
}

// Values of a clone in SSA form, and what they are in the canonical one; false where one is gone.
bool mapValues(ValueToValueMapTy &Map, ArrayRef<Value *> Values, CallInst &Begin, PolyrsClone &Raw, const PolyrsClone &C) {
  OperandBundleUse Bundle = Begin.getOperandBundleAt(0);
  SmallVector<AllocaInst *, 8> Variables = variablesOf(*Raw.Clone);
  if (Bundle.Inputs.size() != Values.size() || Variables.size() != C.Variables.size())
    return false;
  for (auto [From, To] : zip(Values, Bundle.Inputs)) {
    if (From->getType() != To->getType())
      return false;
    Map[From] = To;
  }
  for (auto [From, To] : zip(Variables, C.Variables))
    if (auto *Variable = dyn_cast_or_null<AllocaInst>(To); Variable && Variable->getType() == From->getType())
      Map[From] = Variable;
  return true;
}

bool isMapped(const Loop &L, ValueToValueMapTy &Map) {
  return all_of(L.blocks(), [&](BasicBlock *BB) {
    return all_of(*BB, [&](Instruction &I) {
      return all_of(I.operand_values(), [&](Value *Op) {
        auto *Outside = dyn_cast<AllocaInst>(Op);
        return !Outside || L.contains(Outside) || Map.count(Op);
      });
    });
  });
}

// Puts a copy of the loop in the place of what stands between the marks. `IsBeside`: new code stands beside it.
void replace(Between &Old, const Outer &New, ValueToValueMapTy &Map, bool IsBeside) {
  BasicBlock *First = Old.Begin->getParent(), *Last = Old.End->getParent();
  Function &F = *First->getParent();
  SmallVector<BasicBlock *, 16> Gone(Old.Blocks.begin(), Old.Blocks.end());
  Gone.push_back(Last);
  BasicBlock *Behind = SplitBlock(Last, Old.End->getIterator());
  Gone.push_back(SplitBlock(First, std::next(Old.Begin->getIterator())));
  Map[New.Preheader] = First;
  Map[New.Exit] = Behind;
  if (IsBeside)
    polyrsTellInnermost(*New.L);
  SmallVector<BasicBlock *, 16> Copies;
  for (BasicBlock *BB : New.L->blocks()) {
    Copies.push_back(CloneBasicBlock(BB, Map, "", &F));
    Copies.back()->moveBefore(Behind);
    Map[BB] = Copies.back();
  }
  remapInstructionsInBlocks(Copies, Map);
  cast<BranchInst>(First->getTerminator())->setSuccessor(0, cast<BasicBlock>(Map[New.L->getHeader()]));
  DeleteDeadBlocks(Gone);
}

// Whether what stands from `From` on and before `To` only computes, and the same each time.
bool onlyComputes(BasicBlock::iterator From, BasicBlock::iterator To) {
  return all_of(make_range(From, To), [](const Instruction &I) {
    return !isa<PHINode, AllocaInst>(I) && !I.mayHaveSideEffects() && !I.isVolatile();
  });
}

// Blocks of `Within` that control comes to from `Start`, or with `Backwards` those from which it comes there; `Start`
// itself if it is one of them.
SmallSetVector<BasicBlock *, 16> reached(BasicBlock *Start, const Between &Within, bool Backwards) {
  SmallSetVector<BasicBlock *, 16> Found;
  SmallVector<BasicBlock *, 16> Work{Start};
  while (!Work.empty()) {
    BasicBlock *BB = Work.pop_back_val();
    auto Next = Backwards ? SmallVector<BasicBlock *, 8>(predecessors(BB))
                          : SmallVector<BasicBlock *, 8>(successors(BB));
    for (BasicBlock *Other : Next)
      if (Within.Blocks.contains(Other) && Found.insert(Other))
        Work.push_back(Other);
  }
  return Found;
}

// Whether what stands between the marks comes to the region, which begins with `First`, once, only computes on the way
// there, and only computes on the way from `Join`, where it left the region.
bool isOneRegion(const Between &Marked, BasicBlock *First, bool BeginsInside, BasicBlock *Join) {
  auto Before = reached(First, Marked, /*Backwards=*/true), Behind = reached(Join, Marked, /*Backwards=*/false);
  Behind.insert(Join);
  if (Before.contains(First) || Behind.contains(First))
    return false;
  auto Computes = [](BasicBlock *BB) { return onlyComputes(BB->begin(), BB->end()); };
  BasicBlock *Start = Marked.Begin->getParent(), *Last = Marked.End->getParent();
  if (!BeginsInside &&
      !(all_of(Before, Computes) && onlyComputes(std::next(Marked.Begin->getIterator()), Start->end())))
    return false;
  return all_of(Behind, Computes) && onlyComputes(Last->begin(), Marked.End->getIterator());
}

// Whether it is what was recorded; blocks may have been split.
bool isRecorded(const Between &Now, ArrayRef<WeakVH> Recorded) {
  auto IsSplit = [](const Value *V) {
    auto *Branch = dyn_cast_or_null<BranchInst>(V);
    return Branch && Branch->isUnconditional();
  };
  DenseSet<const Value *> Then;
  for (const WeakVH &V : Recorded)
    if (!IsSplit(V))
      Then.insert(V);
  size_t Found = 0;
  for (const Instruction *I : Now.Instructions)
    if (!IsSplit(I) && (++Found, !Then.contains(I)))
      return false;
  return Found == Then.size();
}

} // namespace

void polyrsMarkLoops(PolyrsClone &C) {
  std::vector<std::optional<Outer>> Loops = outerLoops(C);
  for (auto &Found : Loops) {
    C.Marked.emplace_back();
    if (!Found)
      continue;
    C.Marked.back().Begin = mark(Found->Preheader->getTerminator()->getIterator(), *Found->Preheader, Found->Values);
    C.Marked.back().End = mark(Found->Exit->begin(), *Found->Exit, {});
  }
  if (Loops.empty())
    return;
  for (AllocaInst *Variable : variablesOf(*C.Clone))
    C.Variables.emplace_back(Variable);
  C.Module.FAM.invalidate(*C.Clone, PreservedAnalyses::none());
}

void polyrsRecordMarked(PolyrsClone &C) {
  for (PolyrsMarked &Marked : C.Marked)
    record(Marked);
}

// The code of a region runs from `First`, one of its `Count` blocks, to where it leaves to `Join`; the way of new code
// is to begin before `First` and to end at `Join`. Moves marks to both ends of the region's own way.
POLYRS_EXPORT void polyrs_clone_mark_original(PolyrsClone *C, LLVMBasicBlockRef FirstRef, LLVMBasicBlockRef *Blocks,
                                              size_t Count, LLVMBasicBlockRef JoinRef) {
  BasicBlock *First = unwrap(FirstRef), *Join = unwrap(JoinRef);
  SmallPtrSet<BasicBlock *, 16> Region;
  for (LLVMBasicBlockRef BB : ArrayRef(Blocks, Count))
    Region.insert(unwrap(BB));
  for (PolyrsMarked &Marked : C->Marked) {
    std::optional<Between> Found = between(Marked);
    if (!Found || !Found->Blocks.contains(Join) || isa<PHINode>(Join->begin()))
      continue;
    bool BeginsInside = Region.contains(Found->Begin->getParent());
    if (!BeginsInside && !Found->Blocks.contains(First))
      continue;
    if (!isRecorded(*Found, Marked.Instructions) || !isOneRegion(*Found, First, BeginsInside, Join))
      continue;
    SmallVector<BasicBlock *, 4> Leaving;
    for (BasicBlock *P : predecessors(Join))
      if (Region.contains(P) && !is_contained(Leaving, P))
        Leaving.push_back(P);
    BasicBlock *Behind = SplitBlockPredecessors(Join, Leaving, ".shape", static_cast<DomTreeUpdater *>(nullptr));
    if (!BeginsInside)
      Found->Begin->moveBefore(*First, First->getFirstInsertionPt());
    Found->End->moveBefore(*Behind, Behind->getFirstInsertionPt());
    Marked.IsBeside = true;
    record(Marked);
  }
}

void polyrsRemoveMarks(PolyrsClone &C) {
  if (C.Marked.empty())
    return;
  Function *Callee = Intrinsic::getOrInsertDeclaration(&C.Module.M, Intrinsic::sideeffect);
  for (User *U : make_early_inc_range(Callee->users()))
    if (auto *Call = cast<Instruction>(U); isMark(*Call) && Call->getFunction() == C.Clone)
      Call->eraseFromParent();
  C.Marked.clear();
}

// Gives the outermost loops of the clone in which nothing is new the shape that they came in, and removes the marks.
POLYRS_EXPORT void polyrs_clone_restore(PolyrsClone *C) {
  std::vector<std::pair<size_t, Between>> Kept;
  for (auto [Index, Marked] : enumerate(C->Marked))
    if (auto Found = unchanged(Marked))
      Kept.emplace_back(Index, std::move(*Found));
  if (!Kept.empty()) {
    PolyrsClone Raw = polyrsCopy(C->Module, *C->Original, !C->Clone->hasFnAttribute(PolyrsNoTurns));
    std::vector<std::optional<Outer>> Loops = outerLoops(Raw);
    for (auto &[Index, Old] : Kept) {
      ValueToValueMapTy Map;
      if (Loops.size() != C->Marked.size() || !Loops[Index] || !mapValues(Map, Loops[Index]->Values, *Old.Begin, Raw, *C) ||
          !isMapped(*Loops[Index]->L, Map))
        continue;
      replace(Old, *Loops[Index], Map, C->Marked[Index].IsBeside);
    }
    polyrsErase(Raw);
  }
  polyrsRemoveMarks(*C);
}
