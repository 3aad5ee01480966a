// Moves loads of sizes and of pointers out of the loops in which they do not change.
//
// A bound, a row length or an array that is read from memory in each iteration (`m->rows`, `v[i]` of a `std::vector`, a
// global) is no invariant for scalar evolution. Where no instruction of a loop may write the location, as alias
// analysis and types prove, the load moves in front of it, out of as many loops as that holds for. It never traps where
// the original would not: it surely runs, or the location can be read at any time, or it moves under the condition that
// it runs at least once. That condition is exact, since nothing is there to run when it does not hold. What is loaded
// for its own sake stays: a value in a register ties schedules.

#include "canonical/canonical.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/DomTreeUpdater.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/LoopIterator.h"
#include "llvm/Analysis/MemoryLocation.h"
#include "llvm/Analysis/MustExecute.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/TypeBasedAliasAnalysis.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;

namespace {

// Bounds on the work: users followed of one load, instructions that one address or condition is made of, writes of one
// loop, blocks between a load and what surely runs, instructions in front of a loop.
constexpr unsigned MaxUsers = 64;
constexpr unsigned MaxOperands = 16;
constexpr unsigned MaxWrites = 256;
constexpr unsigned MaxBlocks = 64;
constexpr unsigned MaxScanned = 128;

// Whether a value is made of others by operations that addresses and bounds consist of.
bool isIndexOperation(const Value *V) {
  if (isa<CastInst>(V) || isa<GetElementPtrInst>(V) || isa<ICmpInst>(V) || isa<SelectInst>(V) || isa<FreezeInst>(V) ||
      isa<MinMaxIntrinsic>(V))
    return V->getType()->isIntOrPtrTy();
  return isa<BinaryOperator>(V) && V->getType()->isIntegerTy();
}

// A condition of a branch, as it must be for the load to run.
struct Guard {
  BranchInst *Branch;
  bool WhenTrue;
};

class Hoister {
public:
  Hoister(Function &F, FunctionAnalysisManager &FAM)
      : F(F), DT(FAM.getResult<DominatorTreeAnalysis>(F)), LI(FAM.getResult<LoopAnalysis>(F)),
        SE(FAM.getResult<ScalarEvolutionAnalysis>(F)), AA(FAM.getResult<AAManager>(F)),
        ByType(FAM.getCachedResult<TypeBasedAA>(F)), Query(AA), AC(FAM.getResult<AssumptionAnalysis>(F)),
        TLI(FAM.getResult<TargetLibraryAnalysis>(F)) {}

  bool run();
  bool runAssuming(PolyrsFixed &All);
  void forgetGuarded();

private:
  // Loads that run under one condition, in front of the loop.
  struct Shared {
    SmallVector<Guard, 4> Guards;
    Instruction *Then;
  };

  void findGuarded();
  void startWith(Loop &Of);
  bool hoistOutOf(Loop &Of);
  void learnAnew();
  bool hoist(LoadInst &Load);
  bool hoistGuarded(LoadInst &Load);
  Value *standsFor(LoadInst *Earlier, LoadInst *Load) const;
  bool mergeSame(ArrayRef<BasicBlock *> Blocks);
  bool leavesAlone(ArrayRef<BasicBlock *> Blocks, const LoadInst &Load, SmallVectorImpl<StoreInst *> &Met);
  BasicBlock *blockBefore(BasicBlock *BB, const LoadInst &Load, SmallVectorImpl<StoreInst *> &Met);
  LoadInst *loadedBefore(const LoadInst &Load);
  bool isOpaque(Instruction &I);
  bool isBehindStore(const LoadInst &Load) const;
  bool moveChoices(ArrayRef<BasicBlock *> Blocks);
  MemoryLocation locationOf(const LoadInst &Load) const;
  bool mayWrite(Instruction &W, const MemoryLocation &Location);
  bool isWritten(const LoadInst &Load);
  bool isSameQuestion(const LoadInst &A, const LoadInst &B) const;
  bool canMove(Value *V, unsigned &Left) const;
  bool isAvailable(Value *V, const Instruction *At) const;
  void move(Value *V, Instruction *To);
  void replace(LoadInst &Load, Value *By);
  bool allPathsLead(BasicBlock *From, BasicBlock *To) const;
  bool guardsOf(BasicBlock *Block, SmallVectorImpl<Guard> &Guards) const;
  bool leaves(const Guard &G) const;
  const SCEV *atDecision(const SCEV *S, const SCEV *Iteration) const;
  Value *compareAtDecision(const Guard &G, bool IsAlone);
  Value *conditionOf(ArrayRef<Guard> Guards);

  Function &F;
  DominatorTree &DT;
  LoopInfo &LI;
  ScalarEvolution &SE;
  AAResults &AA;
  // The part of `AA` that compares types; null where the user leaves that out.
  TypeBasedAAResult *ByType;
  SimpleAAQueryInfo Query;
  AssumptionCache &AC;
  TargetLibraryInfo &TLI;

  // The loop that loads move out of now, what may write in it, what surely runs in it, and the conditions in front of
  // it.
  Loop *L = nullptr;
  BasicBlock *Preheader = nullptr;
  SmallVector<Instruction *, 32> Writes;
  SimpleLoopSafetyInfo Safety;
  SmallVector<Shared, 4> Diamonds;
  // For loads that moved under a condition, what stands for them where the condition may not hold.
  DenseMap<LoadInst *, PHINode *> Guarded;
  // What loads may be assumed to be written by no store; null where that must be proved.
  PolyrsFixed *Fixed = nullptr;
  // Types of loads that may run now where they did not: the loads themselves say no more what they are.
  DenseMap<const LoadInst *, MDNode *> Types;
  // A loop that loads have moved out of, which scalar evolution does not know yet: it is told before it is asked again.
  Loop *Stale = nullptr;
};

// Lets scalar evolution forget what it knew of the loops around, and of those within, before loads moved.
void Hoister::learnAnew() {
  if (!Stale)
    return;
  SE.forgetTopmostLoop(Stale);
  SE.forgetBlockAndLoopDispositions();
  Stale = nullptr;
}

void Hoister::startWith(Loop &Of) {
  L = &Of;
  Preheader = Of.getLoopPreheader();
  Writes.clear();
  Diamonds.clear();
  for (BasicBlock *BB : Of.blocks())
    for (Instruction &I : *BB)
      if (I.mayWriteToMemory())
        Writes.push_back(&I);
  Safety.computeLoopSafetyInfo(&Of);
}

// What is loaded, for all calls of an inlined function: scopes hold for one, and the loop may have many.
static MemoryLocation inAllCalls(const LoadInst &Load) {
  MemoryLocation Location = MemoryLocation::get(&Load);
  Location.AATags.Scope = Location.AATags.NoAlias = nullptr;
  return Location;
}

MemoryLocation Hoister::locationOf(const LoadInst &Load) const {
  MemoryLocation Location = inAllCalls(Load);
  if (MDNode *Type = Types.lookup(&Load))
    Location.AATags.TBAA = Type;
  return Location;
}

// Types are compared first: that takes the least time, and most stores are to something of another type.
bool Hoister::mayWrite(Instruction &W, const MemoryLocation &Location) {
  auto *Store = dyn_cast<StoreInst>(&W);
  if (ByType && Store && Store->isSimple() &&
      ByType->alias(MemoryLocation::get(Store), Location, Query, Store) == AliasResult::NoAlias)
    return false;
  return isModSet(AA.getModRefInfo(&W, Location));
}

bool Hoister::isWritten(const LoadInst &Load) {
  if (Load.hasMetadata(LLVMContext::MD_invariant_load))
    return false;
  MemoryLocation Location = locationOf(Load);
  if (Writes.size() > MaxWrites)
    return true;
  SmallVector<StoreInst *, 8> Met;
  for (Instruction *W : Writes) {
    if (!mayWrite(*W, Location))
      continue;
    auto *Store = dyn_cast<StoreInst>(W);
    if (!Fixed || !Store || !Store->isSimple() || AA.alias(MemoryLocation::get(Store), Location) != AliasResult::MayAlias)
      return true;
    Met.push_back(Store);
  }
  return !Met.empty() && !Fixed->assume(Load, Met);
}

// Whether something may be stored on the way from the loop's start to the load that takes no back edge.
bool Hoister::isBehindStore(const LoadInst &Load) const {
  LoopBlocksRPO Order(L);
  Order.perform(&LI);
  for (BasicBlock *BB : Order)
    for (Instruction &I : *BB) {
      if (&I == &Load)
        return false;
      if (I.mayWriteToMemory())
        return true;
    }
  return true;
}

// Whether `V` is the same in all iterations once what it is made of, at most `Left` instructions, stands in front of
// the loop.
bool Hoister::canMove(Value *V, unsigned &Left) const {
  auto *I = dyn_cast<Instruction>(V);
  if (!I || !L->contains(I))
    return true;
  if (Left == 0 || !isIndexOperation(I) || !isSafeToSpeculativelyExecute(I, Preheader->getTerminator(), &AC, &DT, &TLI))
    return false;
  --Left;
  return all_of(I->operands(), [&](Value *Op) { return canMove(Op, Left); });
}

// Whether `V`, which can move, can be computed at `At` in front of the loop.
bool Hoister::isAvailable(Value *V, const Instruction *At) const {
  auto *I = dyn_cast<Instruction>(V);
  if (!I || !L->contains(I))
    return !I || DT.dominates(I, At);
  return all_of(I->operands(), [&](Value *Op) { return isAvailable(Op, At); });
}

void Hoister::move(Value *V, Instruction *To) {
  auto *I = dyn_cast<Instruction>(V);
  if (!I || !L->contains(I))
    return;
  for (Value *Op : I->operands())
    move(Op, To);
  I->dropUBImplyingAttrsAndMetadata();
  I->moveBefore(To->getIterator());
}

// `By` takes the place of the load.
void Hoister::replace(LoadInst &Load, Value *By) {
  auto Known = Guarded.find(&Load);
  if (Known != Guarded.end()) {
    Known->second->replaceAllUsesWith(By);
    Known->second->eraseFromParent();
    Guarded.erase(Known);
  }
  if (By != &Load)
    Load.replaceAllUsesWith(By);
}

// Whether every path from the end of `From` reaches `To` without leaving the iteration.
bool Hoister::allPathsLead(BasicBlock *From, BasicBlock *To) const {
  SmallPtrSet<BasicBlock *, 16> Seen;
  SmallVector<BasicBlock *, 16> Work(successors(From));
  while (!Work.empty()) {
    BasicBlock *BB = Work.pop_back_val();
    if (BB == To || !Seen.insert(BB).second)
      continue;
    if (!L->contains(BB) || BB == L->getHeader() || succ_empty(BB) || Seen.size() > MaxBlocks)
      return false;
    append_range(Work, successors(BB));
  }
  return true;
}

// Collects the branches that decide whether `Block` runs in an iteration, the innermost first; the topmost of them runs
// in each.
bool Hoister::guardsOf(BasicBlock *Block, SmallVectorImpl<Guard> &Guards) const {
  for (unsigned Steps = 0; Steps < MaxBlocks; ++Steps) {
    if (Block == L->getHeader() || Safety.isGuaranteedToExecute(Block->front(), &DT, L))
      return true;
    auto *Node = DT.getNode(Block);
    BasicBlock *Above = Node && Node->getIDom() ? Node->getIDom()->getBlock() : nullptr;
    if (!Above || !L->contains(Above))
      return false;
    Loop *Inner = LI.getLoopFor(Above);
    while (Inner && Inner != L && !Inner->contains(Block) && Inner->getParentLoop() != L &&
           !Inner->getParentLoop()->contains(Block))
      Inner = Inner->getParentLoop();
    if (Inner && Inner != L && !Inner->contains(Block)) {
      if (!Inner->getExitBlock() || !Inner->getLoopPreheader())
        return false;
      Block = Inner->getLoopPreheader();
      continue;
    }
    auto *Branch = dyn_cast<BranchInst>(Above->getTerminator());
    if (!Branch)
      return false;
    if (Branch->isConditional() && Branch->getSuccessor(0) != Branch->getSuccessor(1)) {
      bool First = DT.dominates(BasicBlockEdge(Above, Branch->getSuccessor(0)), Block);
      bool Second = DT.dominates(BasicBlockEdge(Above, Branch->getSuccessor(1)), Block);
      if (First || Second)
        Guards.push_back({Branch, First});
      else if (!allPathsLead(Above, Block))
        return false;
    }
    Block = Above;
  }
  return false;
}

// Whether the guard is the only test that ends the loop, at the start of each iteration.
bool Hoister::leaves(const Guard &G) const {
  return G.Branch->getParent() == L->getHeader() && L->getExitingBlock() == L->getHeader();
}

// The value of an expression in that iteration; null if it is not known.
const SCEV *Hoister::atDecision(const SCEV *S, const SCEV *Iteration) const {
  if (SE.isLoopInvariant(S, L))
    return S;
  auto *Counter = dyn_cast<SCEVAddRecExpr>(S);
  if (!Counter || Counter->getLoop() != L || !Counter->isAffine())
    return nullptr;
  return Iteration ? Counter->evaluateAtIteration(Iteration, SE) : Counter->getStart();
}

// Whether the guard holds in some iteration, at the end of the preheader: where it turns at most once, it does so if it
// holds in the first or in the last. The test that ends the loop is one of the first. Null if that cannot be told; a
// guard that holds in the last counts only alone, or with the test that ends the loop.
Value *Hoister::compareAtDecision(const Guard &G, bool IsAlone) {
  auto *Compare = dyn_cast<ICmpInst>(G.Branch->getCondition());
  if (!Compare)
    return nullptr;
  learnAnew();
  auto Pred = G.WhenTrue ? Compare->getPredicate() : Compare->getInversePredicate();
  const SCEV *Left = SE.getSCEVAtScope(Compare->getOperand(0), L), *Right = SE.getSCEVAtScope(Compare->getOperand(1), L);
  if (SE.isLoopInvariant(Left, L)) {
    std::swap(Left, Right);
    Pred = CmpInst::getSwappedPredicate(Pred);
  }
  const SCEV *Iteration = nullptr;
  if (!leaves(G)) {
    auto *Counter = dyn_cast<SCEVAddRecExpr>(Left);
    if (!Counter || Counter->getLoop() != L || !SE.isLoopInvariant(Right, L) || !ICmpInst::isRelational(Pred))
      return nullptr;
    auto Turns = SE.getMonotonicPredicateType(Counter, Pred);
    if (!Turns)
      return nullptr;
    if (*Turns == ScalarEvolution::MonotonicallyIncreasing) {
      // What is assumed of later iterations does not decide whether something is loaded before all of them.
      if (Fixed)
        return nullptr;
      Iteration = SE.getBackedgeTakenCount(L);
      if (!IsAlone || !L->getExitingBlock() || isa<SCEVCouldNotCompute>(Iteration))
        return nullptr;
      if (L->getExitingBlock() == L->getHeader())
        Iteration = SE.getMinusSCEV(Iteration, SE.getOne(Iteration->getType()));
    }
  }
  Left = atDecision(Left, Iteration), Right = atDecision(Right, Iteration);
  SCEVExpander Expander(SE, "polyrs.guard");
  Instruction *At = Preheader->getTerminator();
  if (!Left || !Right || !Expander.isSafeToExpandAt(Left, At) || !Expander.isSafeToExpandAt(Right, At))
    return nullptr;
  Value *A = Expander.expandCodeFor(Left, Compare->getOperand(0)->getType(), At);
  Value *B = Expander.expandCodeFor(Right, Compare->getOperand(0)->getType(), At);
  return new ICmpInst(At->getIterator(), Pred, A, B);
}

// The conjunction of the guards for some iteration, at the end of the preheader; null if it cannot be told there.
Value *Hoister::conditionOf(ArrayRef<Guard> Guards) {
  Instruction *At = Preheader->getTerminator();
  auto Varies = [&](const Guard &G) {
    unsigned Left = MaxOperands;
    return !canMove(G.Branch->getCondition(), Left);
  };
  auto VariesWithin = [&](const Guard &G) { return Varies(G) && !leaves(G); };
  bool IsAlone = count_if(Guards, VariesWithin) == 1;
  Value *All = nullptr;
  for (const Guard &G : reverse(Guards)) {
    Value *Condition = G.Branch->getCondition();
    if (Varies(G)) {
      Condition = compareAtDecision(G, IsAlone);
    } else {
      move(Condition, At);
      if (!G.WhenTrue)
        Condition = BinaryOperator::CreateNot(Condition, "", At->getIterator());
    }
    if (!Condition)
      return nullptr;
    All = All ? SelectInst::Create(All, Condition, ConstantInt::getFalse(Condition->getType()), "", At->getIterator()) : Condition;
  }
  return All;
}

// Moves the load in front of the loop, under the condition that it runs in some iteration.
bool Hoister::hoistGuarded(LoadInst &Load) {
  Shared New;
  if (Fixed && isBehindStore(Load))
    return false;
  if (Safety.anyBlockMayThrow() || !guardsOf(Load.getParent(), New.Guards) || New.Guards.empty())
    return false;
  auto IsSame = [](const Guard &A, const Guard &B) { return A.Branch == B.Branch && A.WhenTrue == B.WhenTrue; };
  Shared *Known = find_if(Diamonds, [&](const Shared &S) {
    return equal(S.Guards, New.Guards, IsSame) && isAvailable(Load.getPointerOperand(), S.Then);
  });
  if (Known == Diamonds.end()) {
    Value *Condition = conditionOf(New.Guards);
    if (!Condition)
      return false;
    DomTreeUpdater Updater(DT, DomTreeUpdater::UpdateStrategy::Eager);
    New.Then = SplitBlockAndInsertIfThen(Condition, Preheader->getTerminator()->getIterator(), false, nullptr, &Updater, &LI);
    Preheader = L->getLoopPreheader();
    Diamonds.push_back(New);
    Known = &Diamonds.back();
  }
  BasicBlock *Then = Known->Then->getParent();
  // In front of the branch: others may use what the address is made of, whatever the condition.
  move(Load.getPointerOperand(), Then->getSinglePredecessor()->getTerminator());
  replace(Load, &Load);
  auto *Merged = PHINode::Create(Load.getType(), 2, "polyrs.hoisted", Then->getSingleSuccessor()->begin());
  Load.moveBefore(Known->Then->getIterator());
  Load.replaceAllUsesWith(Merged);
  Merged->addIncoming(&Load, Then);
  Merged->addIncoming(Constant::getNullValue(Load.getType()), Then->getSinglePredecessor());
  Merged->setMetadata(PolyrsHoisted, MDNode::get(F.getContext(), {}));
  Guarded[&Load] = Merged;
  return true;
}

bool Hoister::hoist(LoadInst &Load) {
  unsigned Left = MaxOperands;
  if (!canMove(Load.getPointerOperand(), Left) || isWritten(Load))
    return false;
  Instruction *End = Preheader->getTerminator();
  bool SurelyRuns = Safety.isGuaranteedToExecute(Load, &DT, L);
  bool MayRun = SurelyRuns || isSafeToSpeculativelyExecute(&Load, End, &AC, &DT, &TLI);
  // Behind a condition on data, what was loaded before can be used all the same.
  if (LoadInst *Same = Fixed || !MayRun ? loadedBefore(Load) : nullptr) {
    combineMetadataForCSE(Same, &Load, /*DoesKMove=*/false);
    replace(Load, Same);
    Types.erase(&Load);
    Load.eraseFromParent();
    return true;
  }
  if (!MayRun)
    return !Load.getType()->isFloatingPointTy() && hoistGuarded(Load);
  move(Load.getPointerOperand(), End);
  if (!SurelyRuns) {
    if (MDNode *Type = Load.getMetadata(LLVMContext::MD_tbaa))
      Types.try_emplace(&Load, Type);
    Load.dropUBImplyingAttrsAndMetadata();
  }
  Load.moveBefore(End->getIterator());
  replace(Load, &Load);
  return true;
}

// Whether no block of these writes what is loaded, but for stores that may be assumed not to, which are added.
bool Hoister::leavesAlone(ArrayRef<BasicBlock *> Blocks, const LoadInst &Load, SmallVectorImpl<StoreInst *> &Met) {
  MemoryLocation Location = inAllCalls(Load);
  unsigned Written = 0;
  for (BasicBlock *In : Blocks)
    for (Instruction &I : *In) {
      if (!I.mayWriteToMemory())
        continue;
      if (++Written > MaxWrites)
        return false;
      if (!mayWrite(I, Location))
        continue;
      auto *Store = dyn_cast<StoreInst>(&I);
      if (!Fixed || !Store || !Store->isSimple() || !Fixed->Outermost.contains(Store) ||
          AA.alias(MemoryLocation::get(Store), Location) != AliasResult::MayAlias)
        return false;
      Met.push_back(Store);
    }
  return true;
}

// The block that alone leads to this one, or in front of a loop that begins with it, or where the ways part that meet
// in it, with nothing between that writes what is loaded; null if there is none.
BasicBlock *Hoister::blockBefore(BasicBlock *BB, const LoadInst &Load, SmallVectorImpl<StoreInst *> &Met) {
  if (BasicBlock *Only = BB->getSinglePredecessor())
    return Only;
  const Loop *Around = LI.getLoopFor(BB);
  if (Around && Around->getHeader() == BB)
    return leavesAlone(Around->getBlocks(), Load, Met) ? Around->getLoopPreheader() : nullptr;
  const DomTreeNode *Node = DT.getNode(BB);
  if (!Node || !Node->getIDom())
    return nullptr;
  BasicBlock *Parted = Node->getIDom()->getBlock();
  SmallPtrSet<BasicBlock *, 16> Seen = {Parted, BB};
  SmallVector<BasicBlock *, 16> Between;
  auto Add = [&](BasicBlock *To) {
    for (BasicBlock *From : predecessors(To))
      if (Seen.insert(From).second)
        Between.push_back(From);
  };
  Add(BB);
  for (unsigned At = 0; At < Between.size(); ++At) {
    if (Between.size() > MaxBlocks)
      return nullptr;
    Add(Between[At]);
  }
  return leavesAlone(Between, Load, Met) ? Parted : nullptr;
}

// What the program loads from the same location in front of the loop, with nothing written from there on; null if it
// does not on the blocks that lead there alone, but for loops around.
LoadInst *Hoister::loadedBefore(const LoadInst &Load) {
  unsigned Scanned = 0;
  auto Offset = [&](const LoadInst &Of, APInt &At) {
    return Of.getPointerOperand()->stripAndAccumulateConstantOffsets(F.getDataLayout(), At, /*AllowNonInbounds=*/true);
  };
  APInt Zero(F.getDataLayout().getIndexTypeSizeInBits(Load.getPointerOperandType()), 0), Wanted = Zero;
  const Value *Base = Offset(Load, Wanted);
  MemoryLocation Location = inAllCalls(Load);
  SmallVector<StoreInst *, 8> Met;
  for (BasicBlock *BB = Preheader; BB; BB = blockBefore(BB, Load, Met))
    for (Instruction &I : reverse(*BB)) {
      if (++Scanned > MaxScanned || (I.mayWriteToMemory() && mayWrite(I, Location)))
        return nullptr;
      auto *Other = dyn_cast<LoadInst>(&I);
      APInt At = Zero;
      if (Other && Other->isSimple() && Other->getType() == Load.getType() && Offset(*Other, At) == Base && At == Wanted)
        return Met.empty() || Fixed->assume(Load, Met) ? Other : nullptr;
    }
  return nullptr;
}

// Whether two conditions are computed alike from the same values.
static bool isSameCondition(const Value *A, const Value *B, unsigned Depth) {
  if (A == B)
    return true;
  auto *I = dyn_cast<Instruction>(A), *J = dyn_cast<Instruction>(B);
  if (!Depth || !I || !J || isa<PHINode>(I) || I->mayReadOrWriteMemory() || !I->isSameOperationAs(J))
    return false;
  auto IsSame = [&](auto Pair) { return isSameCondition(std::get<0>(Pair), std::get<1>(Pair), Depth - 1); };
  return all_of(zip(I->operands(), J->operands()), IsSame);
}

// What can stand where a load or what stands for it is used, if an earlier load loads the same: that load, or what
// stands for it where both moved under the same condition. Null for none.
Value *Hoister::standsFor(LoadInst *Earlier, LoadInst *Load) const {
  PHINode *First = Guarded.lookup(Earlier), *Second = Guarded.lookup(Load);
  if (DT.dominates(Earlier, Load) && (!Second || DT.dominates(Earlier, Second)))
    return Earlier;
  if (!First || !Second)
    return nullptr;
  if (Earlier->getParent() == Load->getParent())
    return First->getParent() == Second->getParent() ? First : nullptr;
  if (!DT.dominates(First, Load))
    return nullptr;
  auto BranchTo = [](LoadInst *Guarded) -> BranchInst * {
    BasicBlock *Head = Guarded->getParent()->getSinglePredecessor();
    auto *Branch = Head ? dyn_cast<BranchInst>(Head->getTerminator()) : nullptr;
    return Branch && Branch->isConditional() && Branch->getSuccessor(0) == Guarded->getParent() ? Branch : nullptr;
  };
  BranchInst *A = BranchTo(Earlier), *B = BranchTo(Load);
  return A && B && isSameCondition(A->getCondition(), B->getCondition(), MaxOperands) ? First : nullptr;
}

// Whether the answer to what writes `A` is that to what writes `B`, which loads from the same place.
bool Hoister::isSameQuestion(const LoadInst &A, const LoadInst &B) const {
  bool IsAlike = A.hasMetadata(LLVMContext::MD_invariant_load) == B.hasMetadata(LLVMContext::MD_invariant_load);
  return IsAlike && locationOf(A).AATags == locationOf(B).AATags;
}

// Makes loads of one location one where nothing in `Writes` writes it and one runs before the other.
bool Hoister::mergeSame(ArrayRef<BasicBlock *> Blocks) {
  // Whether something writes what is loaded takes long to find out, and is only asked of two that could be one.
  struct Known {
    LoadInst *Load;
    APInt Offset;
    std::optional<bool> IsWritten;
  };
  DenseMap<const Value *, SmallVector<Known, 2>> ByBase;
  SmallVector<LoadInst *, 16> Gone;
  auto IsKept = [&](Known &Of, const Known &Other) {
    if (!Of.IsWritten)
      Of.IsWritten = Other.IsWritten && isSameQuestion(*Of.Load, *Other.Load) ? *Other.IsWritten : isWritten(*Of.Load);
    return !*Of.IsWritten;
  };
  for (BasicBlock *BB : Blocks) {
    for (Instruction &I : *BB) {
      auto *Load = dyn_cast<LoadInst>(&I);
      if (!Load || !polyrsIsIndexLoad(*Load))
        continue;
      Known This = {Load, APInt(F.getDataLayout().getIndexTypeSizeInBits(Load->getPointerOperandType()), 0), std::nullopt};
      const Value *Base = Load->getPointerOperand()->stripAndAccumulateConstantOffsets(F.getDataLayout(), This.Offset, true);
      auto &Others = ByBase[Base];
      auto *Same = find_if(Others, [&](Known &Other) {
        return Other.Load->getType() == Load->getType() && Other.Offset == This.Offset && standsFor(Other.Load, Load) &&
               IsKept(This, Other) && IsKept(Other, This);
      });
      if (Same == Others.end()) {
        Others.push_back(This);
        continue;
      }
      combineMetadataForCSE(Same->Load, Load, /*DoesKMove=*/false);
      replace(*Load, standsFor(Same->Load, Load));
      Gone.push_back(Load);
    }
  }
  for (LoadInst *Load : Gone) {
    Types.erase(Load);
    Load->eraseFromParent();
  }
  return !Gone.empty();
}

// Whether scalar evolution sees through the operation whatever it is done to.
static bool isSeenThrough(const Instruction &I) {
  switch (I.getOpcode()) {
  case Instruction::Add:
  case Instruction::Sub:
  case Instruction::Mul:
  case Instruction::Trunc:
  case Instruction::ZExt:
  case Instruction::SExt:
  case Instruction::GetElementPtr:
    return true;
  default:
    return false;
  }
}

// Whether scalar evolution does not see through an operation on invariants. Comparisons of pointers are read by nobody
// else: as an invariant they are a parameter.
bool Hoister::isOpaque(Instruction &I) {
  if (auto *Compare = dyn_cast<ICmpInst>(&I))
    return Compare->getOperand(0)->getType()->isPointerTy();
  if (!isIndexOperation(&I) || isSeenThrough(I))
    return false;
  learnAnew();
  return isa<SCEVUnknown>(SE.getSCEV(&I));
}

// Moves what scalar evolution does not see through (choices, shifts by values) out of the loop where it does not
// change.
bool Hoister::moveChoices(ArrayRef<BasicBlock *> Blocks) {
  bool Changed = false;
  for (BasicBlock *BB : Blocks) {
    for (Instruction &I : make_early_inc_range(*BB)) {
      unsigned Left = MaxOperands;
      if (!isIndexOperation(&I) || !canMove(&I, Left) || !isOpaque(I))
        continue;
      move(&I, Preheader->getTerminator());
      Changed = true;
    }
  }
  return Changed;
}

bool Hoister::hoistOutOf(Loop &Of) {
  if (Stale && Stale->getOutermostLoop() != Of.getOutermostLoop())
    learnAnew();
  startWith(Of);
  SmallVector<BasicBlock *, 16> Blocks;
  LoopBlocksRPO Order(&Of);
  Order.perform(&LI);
  for (BasicBlock *BB : Order)
    if (LI.getLoopFor(BB) == &Of)
      Blocks.push_back(BB);
  bool Changed = mergeSame(Blocks);
  Changed |= moveChoices(Blocks);
  bool Hoisted = false;
  // What surely runs comes first: what runs under a condition may be the same.
  SmallVector<LoadInst *, 16> Loads, Later;
  for (BasicBlock *BB : Blocks)
    for (Instruction &I : *BB)
      if (auto *Load = dyn_cast<LoadInst>(&I); Load && polyrsIsIndexLoad(*Load))
        (Fixed && !Safety.isGuaranteedToExecute(I, &DT, L) ? Later : Loads).push_back(Load);
  append_range(Loads, Later);
  for (LoadInst *Load : Loads) {
    if (!hoist(*Load))
      continue;
    Hoisted = true;
    Stale = &Of;
  }
  // What is made of these loads does not change either now.
  if (Hoisted)
    moveChoices(Blocks);
  return Hoisted || Changed;
}

// Finds what an earlier run left.
void Hoister::findGuarded() {
  for (BasicBlock &BB : F)
    for (PHINode &Merged : BB.phis())
      if (Merged.hasMetadata(PolyrsHoisted))
        for (Value *From : Merged.incoming_values())
          if (auto *Load = dyn_cast<LoadInst>(From); Load && Load->hasOneUse())
            Guarded[Load] = &Merged;
}

// Removes the marks of what stands for loads.
void Hoister::forgetGuarded() {
  for (BasicBlock &BB : F)
    for (PHINode &Merged : BB.phis())
      Merged.setMetadata(PolyrsHoisted, nullptr);
}

bool Hoister::run() {
  bool Changed = false;
  findGuarded();
  SmallVector<Loop *, 16> Loops = LI.getLoopsInPreorder();
  for (Loop *Of : reverse(Loops))
    if (Of->getLoopPreheader() && Of->getLoopLatch())
      Changed |= hoistOutOf(*Of);
  learnAnew();
  Writes.clear();
  SmallVector<BasicBlock *, 16> Outside;
  for (BasicBlock *BB : ReversePostOrderTraversal<Function *>(&F)) {
    for (Instruction &I : *BB)
      if (I.mayWriteToMemory())
        Writes.push_back(&I);
    if (!LI.getLoopFor(BB))
      Outside.push_back(BB);
  }
  return mergeSame(Outside) || Changed;
}

bool Hoister::runAssuming(PolyrsFixed &All) {
  Fixed = &All;
  findGuarded();
  bool Changed = false;
  SmallVector<Loop *, 8> Loops = All.Outermost.getLoopsInPreorder();
  // Where a pointer that was loaded leads to is known after that.
  for (unsigned Round = 0; Round < 2; ++Round)
    for (Loop *Of : reverse(Loops))
      if (Of->getLoopPreheader() && Of->getLoopLatch())
        Changed |= hoistOutOf(*Of);
  learnAnew();
  return Changed;
}

} // namespace

bool PolyrsFixed::assume(const LoadInst &Load, ArrayRef<StoreInst *> Met) {
  const DataLayout &DL = Load.getDataLayout();
  APInt Offset(DL.getIndexTypeSizeInBits(Load.getPointerOperandType()), 0);
  const Value *Base = Load.getPointerOperand()->stripAndAccumulateConstantOffsets(DL, Offset, /*AllowNonInbounds=*/true);
  if (!Outermost.isLoopInvariant(Base) || Offset.getSignificantBits() > MaxOffsetBits)
    return false;
  int64_t Low = Offset.getSExtValue(), High = Low + int64_t(DL.getTypeStoreSize(Load.getType()).getFixedValue());
  auto [Known, IsNew] = Extents.insert({const_cast<Value *>(Base), {Low, High}});
  if (!IsNew)
    Known->second = {std::min(Low, Known->second.first), std::max(High, Known->second.second)};
  Stores.insert_range(Met);
  return true;
}

bool polyrsHoistAssuming(Function &F, FunctionAnalysisManager &FAM, PolyrsFixed &All) { return Hoister(F, FAM).runAssuming(All); }

// Whether a number that is passed by reference is loaded, which decides on a branch: `if (beta == 0.0)` in Fortran.
static bool isTestedScalar(const LoadInst &Load) {
  return Load.isSimple() && Load.getType()->isFloatingPointTy() && isa<Argument>(Load.getPointerOperand()) &&
         any_of(Load.users(), [](const User *By) { return isa<FCmpInst>(By) && polyrsDecidesBranch(*By); });
}

bool polyrsIsIndexLoad(const LoadInst &Load) {
  if (isTestedScalar(Load))
    return true;
  Type *T = Load.getType();
  if (!Load.isSimple() || !(T->isPointerTy() || (T->isIntegerTy() && T->getIntegerBitWidth() <= 64)))
    return false;
  SmallPtrSet<const Value *, 16> Seen;
  SmallVector<const Value *, 16> Work = {&Load};
  while (!Work.empty()) {
    const Value *V = Work.pop_back_val();
    for (const Use &U : V->uses()) {
      const User *By = U.getUser();
      if (getLoadStorePointerOperand(By) == V || isa<BranchInst>(By) || isa<SwitchInst>(By))
        return true;
      if ((isIndexOperation(By) || isa<PHINode>(By)) && Seen.size() < MaxUsers && Seen.insert(By).second)
        Work.push_back(By);
    }
  }
  return false;
}

bool polyrsHoistIndexLoads(Function &F, FunctionAnalysisManager &FAM, PolyrsHoist Which) {
  Hoister H(F, FAM);
  bool Changed = H.run();
  if (Which == PolyrsHoist::Last)
    H.forgetGuarded();
  return Changed;
}
