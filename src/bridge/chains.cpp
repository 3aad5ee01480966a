// Keeps chains of results that run side by side in an innermost loop of new code apart.
//
// Unroll-and-jam lets several sums of a fixed order run at once: `t[i] += A[i][j] * x[j]` for four rows. LLVM's
// superword-level vectorizer makes one vector of the four sums, and gathers what they are made of, from a row each. Its
// tables take a gather for cheaper than it is: on Zen 5 the four chains as a vector are slower than one chain alone.
// Between the two functions here, the chains go through fences that no vectorizer looks through, but where neighbouring
// chains read neighbouring elements, which are a vector in memory as well, and where sums may be split.

#include "bridge/bridge.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/IVDescriptors.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Intrinsics.h"

using namespace llvm;

namespace {

// Metadata of the fences that are ours.
constexpr const char *Apart = "polyrs.apart";

// A value that each iteration makes from that of the one before.
struct Chain {
  PHINode *Phi;
  Instruction *Next;
  // What is loaded for it in an iteration.
  SmallVector<LoadInst *, 4> Loads;
};

// What `Chain` loads in the loop, in the order of operands.
void findLoads(const Loop &L, Chain &Chain) {
  SmallSetVector<Instruction *, 16> Seen;
  Seen.insert(Chain.Next);
  for (unsigned K = 0; K < Seen.size(); ++K) {
    Instruction *I = Seen[K];
    if (auto *Load = dyn_cast<LoadInst>(I)) {
      Chain.Loads.push_back(Load);
      continue;
    }
    for (Value *Operand : I->operands())
      if (auto *From = dyn_cast<Instruction>(Operand); From && !isa<PHINode>(From) && L.contains(From))
        Seen.insert(From);
  }
}

// Chains of floating-point values of one type through the loop.
SmallVector<Chain, 8> chainsOf(const Loop &L, Type *Ty) {
  SmallVector<Chain, 8> Chains;
  for (PHINode &Phi : L.getHeader()->phis()) {
    auto *Next = dyn_cast<Instruction>(Phi.getIncomingValueForBlock(L.getLoopLatch()));
    if (Phi.getType() != Ty || !Next || isa<PHINode>(Next) || !L.contains(Next))
      continue;
    Chains.push_back({&Phi, Next, {}});
    findLoads(L, Chains.back());
  }
  return Chains;
}

// Whether each of the loads, which belong to one chain each, has a neighbour in memory among the others.
bool liesInVectors(ArrayRef<LoadInst *> Loads, ScalarEvolution &SE, const DataLayout &DL) {
  auto Neighbours = [&](LoadInst *A, LoadInst *B) {
    auto *Distance = dyn_cast<SCEVConstant>(SE.getMinusSCEV(SE.getSCEV(A->getPointerOperand()), SE.getSCEV(B->getPointerOperand())));
    int64_t Bytes = DL.getTypeStoreSize(A->getType()).getFixedValue();
    return A->getType() == B->getType() && Distance && Distance->getAPInt().abs() == Bytes;
  };
  return all_of(Loads, [&](LoadInst *A) { return any_of(Loads, [&](LoadInst *B) { return A != B && Neighbours(A, B); }); });
}

// Whether LLVM would have to gather what some of the chains are made of.
bool areApart(ArrayRef<Chain> Chains, ScalarEvolution &SE, const DataLayout &DL) {
  for (unsigned K = 0; K < Chains.front().Loads.size(); ++K) {
    SmallSetVector<LoadInst *, 8> Loads;
    for (const Chain &Chain : Chains)
      if (Chain.Loads.size() == Chains.front().Loads.size())
        Loads.insert(Chain.Loads[K]);
    if (Loads.size() > 1 && !liesInVectors(Loads.getArrayRef(), SE, DL))
      return true;
  }
  return false;
}

// Whether LLVM may compute the chain in parts, and puts the loop into vectors along its iterations.
bool mayBeSplit(const Chain &Chain, Loop &L) {
  RecurrenceDescriptor Found;
  // What looks for one takes for granted that there is a block in front of the loop.
  return L.getLoopPreheader() && RecurrenceDescriptor::isReductionPHI(Chain.Phi, &L, Found) &&
         !Found.getExactFPMathInst();
}

void fence(Chain &Chain) {
  IRBuilder<> Builder(Chain.Next->getParent(), std::next(Chain.Next->getIterator()));
  Builder.SetCurrentDebugLocation(Chain.Next->getDebugLoc());
  auto *Fence = Builder.CreateIntrinsic(Intrinsic::arithmetic_fence, {Chain.Next->getType()}, {Chain.Next});
  Fence->setMetadata(Apart, MDNode::get(Fence->getContext(), {}));
  Chain.Next->replaceUsesWithIf(Fence, [&](Use &U) { return U.getUser() != Fence; });
}

} // namespace

// True if anything changed.
bool polyrsKeepApart(Function &F, LoopInfo &LI, ScalarEvolution &SE) {
  bool Changed = false;
  for (Loop *L : LI.getLoopsInPreorder()) {
    if (!L->isInnermost() || !L->getLoopLatch() || !polyrsIsWrittenNew(*L))
      continue;
    SmallSetVector<Type *, 2> Types;
    for (PHINode &Phi : L->getHeader()->phis())
      if (Phi.getType()->isFloatTy() || Phi.getType()->isDoubleTy())
        Types.insert(Phi.getType());
    for (Type *Ty : Types) {
      SmallVector<Chain, 8> Chains = chainsOf(*L, Ty);
      if (Chains.size() < 2 || !areApart(Chains, SE, F.getDataLayout()))
        continue;
      if (all_of(Chains, [&](const Chain &Chain) { return mayBeSplit(Chain, *L); }))
        continue;
      for (Chain &Chain : Chains)
        fence(Chain);
      Changed = true;
    }
  }
  return Changed;
}

SmallVector<Instruction *, 8> polyrsMarkedCalls(Function &F, Intrinsic::ID Id, ArrayRef<Type *> Types, StringRef Mark) {
  SmallVector<Instruction *, 8> Calls;
  if (Function *Called = Intrinsic::getDeclarationIfExists(F.getParent(), Id, Types))
    for (User *U : Called->users())
      if (auto *I = dyn_cast<Instruction>(U); I && I->getFunction() == &F && I->hasMetadata(Mark))
        Calls.push_back(I);
  return Calls;
}

// Takes the fences away again; true if there were any.
bool polyrsLetTogether(Function &F) {
  bool Changed = false;
  for (Type *Ty : {Type::getFloatTy(F.getContext()), Type::getDoubleTy(F.getContext())})
    for (Instruction *Fence : polyrsMarkedCalls(F, Intrinsic::arithmetic_fence, {Ty}, Apart)) {
      Fence->replaceAllUsesWith(Fence->getOperand(0));
      Fence->eraseFromParent();
      Changed = true;
    }
  return Changed;
}
