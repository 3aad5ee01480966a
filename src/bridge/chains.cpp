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
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Intrinsics.h"

using namespace llvm;

namespace {

// Metadata of the fences that are ours, and attribute of functions that have some.
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

// Types of such values.
SmallVector<Type *, 5> types(LLVMContext &C) {
  return {Type::getFloatTy(C), Type::getDoubleTy(C), Type::getInt16Ty(C), Type::getInt32Ty(C), Type::getInt64Ty(C)};
}

// Chains of values of one type through the loop, without what only counts.
SmallVector<Chain, 8> chainsOf(const Loop &L, Type *Ty, ScalarEvolution &SE) {
  SmallVector<Chain, 8> Chains;
  for (PHINode &Phi : L.getHeader()->phis()) {
    auto *Next = dyn_cast<Instruction>(Phi.getIncomingValueForBlock(L.getLoopLatch()));
    if (Phi.getType() != Ty || !Next || isa<PHINode>(Next) || !L.contains(Next))
      continue;
    if (Ty->isIntegerTy() && isa<SCEVAddRecExpr>(SE.getSCEV(&Phi)))
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

// Whether each of the loads is of elements that processors gather. Whole numbers that they do not are put into vectors
// one by one, which costs less than to multiply them so.
bool areGathered(ArrayRef<LoadInst *> Loads, const TargetTransformInfo &Target) {
  return all_of(Loads, [&](LoadInst *L) {
    return Target.isLegalMaskedGather(FixedVectorType::get(L->getType(), 4), L->getAlign());
  });
}

// Whether LLVM would have to gather what some of the chains are made of.
bool areApart(ArrayRef<Chain> Chains, ScalarEvolution &SE, const TargetTransformInfo &Target, const DataLayout &DL) {
  bool AreWhole = Chains.front().Phi->getType()->isIntegerTy();
  for (unsigned K = 0; K < Chains.front().Loads.size(); ++K) {
    SmallSetVector<LoadInst *, 8> Loads;
    for (const Chain &Chain : Chains)
      if (Chain.Loads.size() == Chains.front().Loads.size())
        Loads.insert(Chain.Loads[K]);
    if (Loads.size() > 1 && !liesInVectors(Loads.getArrayRef(), SE, DL) &&
        (!AreWhole || areGathered(Loads.getArrayRef(), Target)))
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

// What hands `Value` on. Only floating-point values have an intrinsic function for that which nothing looks through.
CallInst *handedOn(IRBuilder<> &Builder, Instruction &Value) {
  Type *Ty = Value.getType();
  if (Ty->isFloatingPointTy())
    return Builder.CreateIntrinsic(Intrinsic::arithmetic_fence, {Ty}, {&Value});
  auto *Same = FunctionType::get(Ty, {Ty}, /*isVarArg=*/false);
  return Builder.CreateCall(InlineAsm::get(Same, "", "=r,0", /*hasSideEffects=*/false), {&Value});
}

void fence(Chain &Chain) {
  IRBuilder<> Builder(Chain.Next->getParent(), std::next(Chain.Next->getIterator()));
  Builder.SetCurrentDebugLocation(Chain.Next->getDebugLoc());
  CallInst *Fence = handedOn(Builder, *Chain.Next);
  Fence->setMetadata(Apart, MDNode::get(Fence->getContext(), {}));
  Chain.Next->replaceUsesWithIf(Fence, [&](Use &U) { return U.getUser() != Fence; });
}

} // namespace

// True if anything changed.
bool polyrsKeepApart(Function &F, LoopInfo &LI, ScalarEvolution &SE, const TargetTransformInfo &Target) {
  bool Changed = false;
  for (Loop *L : LI.getLoopsInPreorder()) {
    if (!L->isInnermost() || !L->getLoopLatch() || !polyrsIsWrittenNew(*L))
      continue;
    for (Type *Ty : types(F.getContext())) {
      SmallVector<Chain, 8> Chains = chainsOf(*L, Ty, SE);
      if (Chains.size() < 2 || !areApart(Chains, SE, Target, F.getDataLayout()))
        continue;
      if (all_of(Chains, [&](const Chain &Chain) { return mayBeSplit(Chain, *L); }))
        continue;
      for (Chain &Chain : Chains)
        fence(Chain);
      F.addFnAttr(Apart);
      Changed = true;
    }
  }
  return Changed;
}

// Takes the fences away again; true if there were any.
bool polyrsLetTogether(Function &F) {
  if (!F.hasFnAttribute(Apart))
    return false;
  for (Instruction &I : make_early_inc_range(instructions(F)))
    if (I.hasMetadata(Apart)) {
      I.replaceAllUsesWith(I.getOperand(0));
      I.eraseFromParent();
    }
  F.removeFnAttr(Apart);
  return true;
}
